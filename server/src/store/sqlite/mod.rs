//! The store in a file of SQLite: one connection that writes, owned by one task, and a few
//! that only read, beside it.

mod backup;
mod challenges;
mod change;
mod columns;
mod folder;
mod joining;
mod read;
mod standing;
mod talk;
mod writer;

use super::row::{follows, outcome};
use super::{Append, AppendError, Created, LogRow, NewMatch, OpenError};
use super::{StoreError, UserRow};
use crate::ids::TokenHash;
use crate::limits::{
    BUSY_MS, LOG_ROWS_PER_INSERT, READ_WAIT_MS, READERS, WAL_KEPT_BYTES, WRITER_CACHE_KIB,
};
pub use backup::{BackupError, back_up};
use challenges::Challenging;
use change::{Answer, Change, LogColumns};
use folder::Folder;
use joining::Joining;
use mancala_play::{MatchId, Snapshot};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, SqlSafeStr as _};
use standing::{Standing, name_teams};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use talk::Talk;
use writer::{Database, Writer, WriterHandle};

/// The steps of the database, by number: a new one gets its line here. The macro of sqlx that
/// looks for them builds sqlx and SQLite a second time for itself.
const MIGRATIONS: [(i64, &str, &str); 8] = [
    (
        1,
        "store",
        include_str!("../../../../migrations/sqlite/0001_store.sql"),
    ),
    (
        2,
        "time",
        include_str!("../../../../migrations/sqlite/0002_time.sql"),
    ),
    (
        3,
        "joining",
        include_str!("../../../../migrations/sqlite/0003_joining.sql"),
    ),
    (
        4,
        "talk",
        include_str!("../../../../migrations/sqlite/0004_talk.sql"),
    ),
    (
        5,
        "standing",
        include_str!("../../../../migrations/sqlite/0005_standing.sql"),
    ),
    (
        6,
        "challenges",
        include_str!("../../../../migrations/sqlite/0006_challenges.sql"),
    ),
    (
        7,
        "speakers",
        include_str!("../../../../migrations/sqlite/0007_speakers.sql"),
    ),
    (
        8,
        "names",
        include_str!("../../../../migrations/sqlite/0008_names.sql"),
    ),
];

/// The store in a file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    writer: WriterHandle,
    readers: SqlitePool,
}

impl Sqlite {
    pub(super) async fn open(path: &Path) -> Result<Sqlite, OpenError> {
        let folder = Folder::take(path)?;
        let file = folder.database.clone();
        let failed = |error| open_error(&file, error);

        let options = writer_options(&file);
        let mut connection = options.connect().await.map_err(failed)?;
        migrate(&mut connection, &file).await?;
        name_teams(&mut connection).await.map_err(failed)?;
        let database = Database::of(connection).await.map_err(failed)?;
        let readers = SqlitePoolOptions::new()
            // One stays open always: while anybody has the database open, what a failed
            // transaction left behind in the write-ahead log is not taken for its end.
            .min_connections(1)
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(Duration::from_millis(READ_WAIT_MS))
            // A connection to a file is not lost, so there is nothing to test each time.
            .test_before_acquire(false)
            .connect_with(basic_options(&file).read_only(true))
            .await
            .map_err(failed)?;
        let (handle, writer) = Writer::new(folder, options, database);
        tokio::spawn(writer.run());
        Ok(Sqlite {
            writer: handle,
            readers,
        })
    }

    pub(super) async fn create_match(&self, new: NewMatch) -> Result<Created, StoreError> {
        self.write_new(new, false).await
    }

    async fn write_new(&self, mut new: NewMatch, accepts: bool) -> Result<Created, StoreError> {
        let spec = new.spec().ok_or(StoreError::Malformed)?;
        let standing = spec.teams.as_ref().and_then(|teams| teams.standing);
        let spec = json(spec);
        let rows = log_columns(&std::mem::take(&mut new.rows));
        let change = Change::CreateMatch {
            new: Box::new(new),
            standing,
            accepts,
            spec,
            rows,
        };
        match self.writer.write(change).await {
            Answer::Before { public_id, request } => Ok(Created::Before { public_id, request }),
            answer => stored(answer).map(|()| Created::New),
        }
    }

    pub(super) async fn append(&self, append: Append) -> Result<(), AppendError> {
        if !follows(&append.rows, append.expected_seq) {
            return Err(AppendError::Conflict);
        }
        let change = Change::Append {
            id: append.match_id,
            expected_seq: append.expected_seq,
            rows: log_columns(&append.rows),
            stage: append.stage,
            outcome: outcome(&append.rows),
            service_ms: append.service_ms,
        };
        match self.writer.write(change).await {
            Answer::Done => Ok(()),
            Answer::Unavailable => Err(AppendError::Unavailable),
            Answer::Clash
            | Answer::Full
            | Answer::Refused
            | Answer::NoSuchMatch
            | Answer::NoSuchLine
            | Answer::ReportsOver
            | Answer::Before { .. } => Err(AppendError::Conflict),
        }
    }

    pub(super) async fn put_snapshot(
        &self,
        id: MatchId,
        seq: u64,
        snapshot: &Snapshot,
    ) -> Result<(), StoreError> {
        let snapshot = json(snapshot);
        let change = Change::PutSnapshot { id, seq, snapshot };
        stored(self.writer.write(change).await)
    }

    pub(super) async fn delete_snapshots(&self) -> Result<(), StoreError> {
        stored(self.writer.write(Change::DeleteSnapshots).await)
    }

    pub(super) async fn set_aside(&self, id: MatchId, reason: &str) -> Result<(), StoreError> {
        let reason = reason.into();
        stored(self.writer.write(Change::SetAside { id, reason }).await)
    }

    pub(super) async fn create_user(
        &self,
        user: UserRow,
        token: TokenHash,
    ) -> Result<(), StoreError> {
        stored(self.writer.write(Change::CreateUser { user, token }).await)
    }

    pub(super) async fn note_service_ms(&self, ms: i64) -> Result<(), StoreError> {
        stored(self.writer.write(Change::ServiceTime(ms)).await)
    }

    pub(super) async fn ready(&self) -> Result<(), StoreError> {
        stored(self.writer.write(Change::Nothing).await)
    }

    pub(super) async fn close(self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

fn stored(answer: Answer) -> Result<(), StoreError> {
    match answer {
        Answer::Done | Answer::Before { .. } => Ok(()),
        Answer::Clash => Err(StoreError::Taken),
        Answer::Full => Err(StoreError::Full),
        Answer::Refused => Err(StoreError::Refused),
        Answer::NoSuchMatch => Err(StoreError::NoSuchMatch),
        Answer::NoSuchLine => Err(StoreError::NoSuchLine),
        Answer::ReportsOver => Err(StoreError::ReportsOver),
        Answer::Unavailable => Err(StoreError::Unavailable),
    }
}

fn log_columns(rows: &[LogRow]) -> Vec<LogColumns> {
    let columns = rows.iter().map(|row| LogColumns {
        seq: row.seq,
        at_ms: row.at_ms,
        event: json(&row.event),
        digest: row.digest.0,
        deadline_ms: row.deadline_ms,
    });
    columns.collect()
}

fn json(value: &impl serde::Serialize) -> Arc<str> {
    serde_json::to_string(value)
        .expect("what is stored has no maps, whose keys alone could fail to be text")
        .into()
}

fn basic_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::from_millis(BUSY_MS))
        // Statements are not what anyone wants to read in the log, and looking whether
        // somebody does costs time with each.
        .disable_statement_logging()
}

fn writer_options(file: &Path) -> SqliteConnectOptions {
    basic_options(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // What refers to a match or to somebody is written with it, or after it was found. To
        // look for it again with each row of a log would cost a tenth of what a move costs.
        .foreign_keys(false)
        // Three for each number of rows that are inserted together, and the others.
        .statement_cache_capacity(4 * LOG_ROWS_PER_INSERT)
        // COMMIT returns when it is on disk.
        .synchronous(SqliteSynchronous::Full)
        // The writer makes its checkpoints itself, when it has time.
        .pragma("wal_autocheckpoint", "0")
        // What a statement of many rows may have to take back is kept in memory, not in a
        // file beside.
        .pragma("temp_store", "memory")
        .pragma("cache_size", format!("-{WRITER_CACHE_KIB}"))
        .pragma("journal_size_limit", WAL_KEPT_BYTES.to_string())
}

/// Brings the database up to date, or refuses one that is ahead of this program.
async fn migrate(connection: &mut SqliteConnection, file: &Path) -> Result<(), OpenError> {
    let steps = MIGRATIONS.map(|(number, name, sql)| {
        let sql = sql.into_sql_str();
        Migration::new(number, name.into(), MigrationType::Simple, sql, false)
    });
    let migrator = Migrator::with_migrations(steps.into());
    let migrated = migrator.run_direct(None, connection, false).await;
    migrated.map_err(|error| match error {
        MigrateError::VersionMissing(version) => OpenError::Newer {
            file: file.to_owned(),
            version,
        },
        MigrateError::Execute(source) => open_error(file, source),
        source => OpenError::Migration {
            file: file.to_owned(),
            source,
        },
    })
}

fn open_error(file: &Path, source: sqlx::Error) -> OpenError {
    let file = file.to_owned();
    if is_damage(&source) {
        OpenError::Damaged { file, source }
    } else {
        OpenError::Database { file, source }
    }
}

/// Is it what is stored that is at fault, rather than the disk or the moment?
fn is_damage(error: &sqlx::Error) -> bool {
    const CORRUPT: i32 = 11;
    const NOT_A_DATABASE: i32 = 26;
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().and_then(|code| code.parse::<i32>().ok());
            // An extended code has the kind of the error in its lowest byte.
            code.is_some_and(|code| [CORRUPT, NOT_A_DATABASE].contains(&(code & 0xff)))
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    /// A file without its line would never be run.
    #[test]
    fn every_migration_in_the_folder_has_its_line() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/sqlite");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let lines = MIGRATIONS.map(|(number, name, _)| format!("{number:04}_{name}.sql"));
        assert_eq!(files, lines);
        assert!(
            (1..)
                .zip(MIGRATIONS)
                .all(|(place, (number, ..))| place == number)
        );
    }
}
