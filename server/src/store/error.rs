//! Why a store did not do what was asked.

use mancala_play::MatchId;
use std::io;
use std::path::PathBuf;

/// Why rows were not added to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The log does not end where the caller believed. Nothing was added.
    #[error("somebody else has written to this match: read its log again before going on")]
    Conflict,
    /// The store takes no writes now. Nothing was added; should the disk have done more
    /// than it admitted, the next attempt is a [`AppendError::Conflict`].
    #[error("the store takes no writes at the moment: try again in a while")]
    Unavailable,
}

/// Why a store did not do what was asked, appends aside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be read or written now, or is closed.
    #[error("the store is not available at the moment: try again in a while")]
    Unavailable,
    /// What has to be unique is in use.
    #[error("this id, name or token is in use: choose another one")]
    Taken,
    /// There are as many of these already as may be.
    #[error("there are as many of these as may be")]
    Full,
    /// It is not for who asks, as things are now.
    #[error("this is not for who asks")]
    Refused,
    /// There is no match with this id.
    #[error("there is no such match")]
    NoSuchMatch,
    /// There is no line of this number in the room, or its text was removed.
    #[error("there is no such line")]
    NoSuchLine,
    /// Somebody has reported as much in a day as he may.
    #[error("as much was reported in a day as may be")]
    ReportsOver,
    /// A new match whose rows do not begin with its creation, or are not numbered from 1.
    #[error("the log of a new match begins with its creation, and its rows are numbered from 1")]
    Malformed,
    /// What is stored cannot be understood.
    #[error("the store is damaged: {0}")]
    Damaged(String),
}

impl StoreError {
    pub(super) fn missing_row(id: MatchId, seq: u64) -> StoreError {
        StoreError::Damaged(format!("row {seq} of match {id} is missing from its log"))
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be made or written to.
    #[error(
        "the data folder {} cannot be used: it has to be a folder that the user who runs this may write to",
        folder.display()
    )]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it open.
    #[error(
        "the data folder {} is in use by another server: stop that one, or name another folder",
        folder.display()
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The database was written by a later version of this program.
    #[error(
        "the database {} is of a later version ({version}) than this program knows: \
         start a newer program, or restore a copy from before the update",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// The first migration that is not known here.
        version: i64,
    },
    /// The file is no database, or is damaged.
    #[error(
        "the file {} is damaged, or is no database: move it away, or restore a copy of it",
        file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// The database could not be brought to the form that this program needs.
    #[error("the database {} cannot be brought up to date", file.display())]
    Migration {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        source: sqlx::migrate::MigrateError,
    },
    /// SQLite cannot open it for another reason.
    #[error(
        "the database {} cannot be opened: does it, and its folder, belong to the user that runs this?",
        file.display()
    )]
    Database {
        /// The file.
        file: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
}
