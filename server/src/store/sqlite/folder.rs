//! The data folder, and the lock by which it belongs to one process.

use super::super::OpenError;
use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The file of the database in its folder.
pub(super) const DATABASE: &str = "mancala.sqlite";

/// A folder that belongs to this process until this is dropped, or the process ends in
/// whichever way: the system itself gives up the lock then.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) database: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if it is missing, for this user alone, and takes it.
    pub(super) fn take(folder: &Path) -> Result<Folder, OpenError> {
        let lock = open_lock(folder).map_err(|source| OpenError::Folder {
            folder: folder.to_owned(),
            source,
        })?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder {
                database: folder.join(DATABASE),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
                folder: folder.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(OpenError::Folder {
                folder: folder.to_owned(),
                source,
            }),
        }
    }
}

fn open_lock(folder: &Path) -> io::Result<File> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("mancala.lock"))
}
