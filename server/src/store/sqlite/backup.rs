//! A copy of the database, made while a server may be writing to it.

use super::basic_options;
use super::folder::DATABASE;
use sqlx::{ConnectOptions as _, Connection as _, query};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is no backup. What stood in its place stands there still.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is no database to copy.
    #[error("there is no database {}: name the folder that the server was given", file.display())]
    Nothing {
        /// Where it should be.
        file: PathBuf,
    },
    /// It cannot be read, or its copy cannot be written.
    #[error("{} cannot be copied to {}", from.display(), to.display())]
    Copy {
        /// The database.
        from: PathBuf,
        /// Its copy.
        to: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// The copy cannot be put in its place.
    #[error("the backup {} cannot be written", to.display())]
    Place {
        /// The backup.
        to: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Copies the database of a folder, as it stands at one moment, into a file. A server may be
/// at work on it, and is not held up. A file that is there already is replaced once the copy
/// is whole and on disk.
///
/// # Errors
/// If there is no database, or it cannot be read, or the file cannot be written.
pub async fn back_up(folder: &Path, to: &Path) -> Result<(), BackupError> {
    let from = folder.join(DATABASE);
    if !from.is_file() {
        return Err(BackupError::Nothing { file: from });
    }
    let mut partial = OsString::from(to);
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let place = |source| BackupError::Place {
        to: to.to_owned(),
        source,
    };
    match std::fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(place(error)),
        _ => {}
    }
    copy(&from, &partial)
        .await
        .map_err(|source| BackupError::Copy {
            from: from.clone(),
            to: partial.clone(),
            source,
        })?;
    let whole = std::fs::File::open(&partial).and_then(|file| file.sync_all());
    whole
        .and_then(|()| std::fs::rename(&partial, to))
        .map_err(place)
}

async fn copy(from: &Path, to: &Path) -> Result<(), sqlx::Error> {
    let mut database = basic_options(from).read_only(true).connect().await?;
    let copied = query("vacuum into ?")
        .bind(to.to_string_lossy().into_owned())
        .execute(&mut database)
        .await;
    database.close().await?;
    copied.map(|_| ())
}
