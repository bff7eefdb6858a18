//! What goes wrong on the way to the disk, made to go wrong.

use super::super::change::{Answer, Change, Commit, LogColumns};
use super::super::folder::Folder;
use super::super::{json, migrate, writer_options};
use super::{Database, Health, Request, Writer};
use crate::ids::PublicId;
use crate::limits::CHECKPOINT_PAGES;
use crate::store::row::{LogRow, NewMatch, StageRow};
use mancala_engine::{Format, Mancala, Options, Side};
use mancala_play::{Access, Digest, Event, MatchId, MatchSpec, UserId};
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions as _, Error, query_scalar};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::oneshot;
use uuid::Uuid;

/// A COMMIT that reports an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has not been done.
    Undone,
    /// It has been done all the same.
    Done,
}

impl Fault {
    /// Does to a COMMIT what it is to suffer.
    pub(super) async fn strike(
        self,
        commit: Commit<'_>,
        connection: &mut SqliteConnection,
    ) -> Result<(), Error> {
        if self == Fault::Done {
            commit.run(connection).await?;
        }
        Err(Error::Io(std::io::Error::other("a fault for the test")))
    }
}

/// A writer that no task runs, on a database of its own with one match.
async fn writer() -> (TempDir, Writer) {
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::take(home.path()).unwrap();
    let options = writer_options(&folder.database);
    let mut connection = options.connect().await.unwrap();
    migrate(&mut connection, &folder.database).await.unwrap();
    let database = Database::of(connection).await.unwrap();
    let (_, mut writer) = Writer::new(folder, options, database);
    assert_eq!(write(&mut writer, create(1)).await, [Answer::Done]);
    (home, writer)
}

fn id(number: u128) -> MatchId {
    MatchId(Uuid::from_u128(number))
}

fn create(number: u64) -> Vec<Change> {
    let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    let event = Event::Created { spec: spec.clone() };
    let row = LogRow {
        seq: 1,
        at_ms: 0,
        event,
        digest: Digest::START,
        deadline_ms: None,
    };
    let new = NewMatch {
        id: id(number.into()),
        public_id: PublicId::from_number(number),
        creator: UserId(Uuid::nil()),
        link_hash: None,
        access: Access::Public,
        created_ms: 0,
        stage: StageRow::Gathering,
        rows: Vec::new(),
        service_ms: 0,
        idempotency: None,
    };
    vec![Change::CreateMatch {
        standing: None,
        accepts: false,
        new: Box::new(new),
        spec: json(&spec),
        rows: super::super::log_columns(&[row]),
    }]
}

/// Rows for match 1.
fn append(after: u64, rows: u64, event: &Arc<str>) -> Change {
    let rows = (after + 1..=after + rows).map(|seq| LogColumns {
        seq,
        at_ms: 0,
        event: Arc::clone(event),
        digest: seq,
        deadline_ms: None,
    });
    Change::Append {
        outcome: None,
        id: id(1),
        expected_seq: after,
        rows: rows.collect(),
        stage: StageRow::Playing,
        service_ms: 0,
    }
}

fn event() -> Arc<str> {
    json(&Event::GameBegan {
        game: 1,
        begins: Side::South,
    })
}

async fn write(writer: &mut Writer, changes: Vec<Change>) -> Vec<Answer> {
    let (batch, replies): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .map(|change| {
            let (reply, answer) = oneshot::channel();
            (Request { change, reply }, answer)
        })
        .unzip();
    writer.write(batch).await;
    replies
        .into_iter()
        .map(|mut answer| answer.try_recv().expect("every request is answered"))
        .collect()
}

/// How many rows the log of match 1 has.
async fn rows(writer: &mut Writer) -> i64 {
    let mut connection = writer.options.connect().await.unwrap();
    query_scalar("select count(*) from log where match_id = ?")
        .bind(id(1).0)
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

async fn pragma(writer: &mut Writer, pragma: &'static str) -> i64 {
    let connection = &mut writer.database.as_mut().unwrap().connection;
    query_scalar(pragma).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn the_connection_is_as_it_has_to_be() {
    let (_home, mut writer) = writer().await;
    assert_eq!(pragma(&mut writer, "pragma synchronous").await, 2);
    assert_eq!(pragma(&mut writer, "pragma foreign_keys").await, 0);
    assert_eq!(pragma(&mut writer, "pragma wal_autocheckpoint").await, 0);
    let connection = &mut writer.database.as_mut().unwrap().connection;
    let mode: String = query_scalar("pragma journal_mode")
        .fetch_one(connection)
        .await
        .unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_commit_that_failed_and_was_not_done_is_said_so() {
    let (_home, mut writer) = writer().await;
    for _ in 0..3 {
        writer.database.as_mut().unwrap().fault = Some(Fault::Undone);
        let both = vec![append(1, 2, &event()), append(3, 2, &event())];
        let answers = write(&mut writer, both).await;
        assert_eq!(answers, [Answer::Unavailable; 2]);
        assert_eq!(writer.health, Health::Failing);
        assert_eq!(rows(&mut writer).await, 1);
    }
    let answers = write(&mut writer, vec![append(1, 2, &event())]).await;
    assert_eq!(answers, [Answer::Done]);
    assert_eq!(writer.health, Health::Well);
    assert_eq!(rows(&mut writer).await, 3);
}

#[tokio::test]
async fn a_commit_that_failed_and_was_done_all_the_same_is_said_so() {
    let (_home, mut writer) = writer().await;
    for round in 0..3 {
        writer.database.as_mut().unwrap().fault = Some(Fault::Done);
        let after = 1 + 2 * round;
        let with_conflict = vec![append(after, 2, &event()), append(after, 2, &event())];
        let answers = write(&mut writer, with_conflict).await;
        assert_eq!(answers, [Answer::Done, Answer::Clash]);
        assert_eq!(
            rows(&mut writer).await,
            3 + 2 * i64::try_from(round).unwrap()
        );
    }
    let answers = write(&mut writer, vec![append(7, 1, &event())]).await;
    assert_eq!(answers, [Answer::Done]);
}

/// A disk that is full, as far as SQLite can tell.
#[tokio::test]
async fn a_full_disk_loses_nothing_and_service_returns_with_it() {
    let (_home, mut writer) = writer().await;
    let long: Arc<str> = json(&"x".repeat(2_000));
    assert_eq!(
        write(&mut writer, vec![append(1, 50, &long)]).await,
        [Answer::Done]
    );
    let pages = pragma(&mut writer, "pragma page_count").await;
    let limited = pragma(&mut writer, "pragma max_page_count = 1").await;
    assert_eq!(limited, pages, "as many as there are already");
    let answers = write(&mut writer, vec![append(51, 50, &long), Change::Nothing]).await;
    assert_eq!(answers, [Answer::Unavailable; 2]);
    assert_eq!(writer.health, Health::Failing);
    assert_eq!(rows(&mut writer).await, 51);

    // The writer may have opened the database anew, and the limit is the connection's.
    if writer.database.is_some() {
        pragma(&mut writer, "pragma max_page_count = 1000000").await;
    }
    let answers = write(&mut writer, vec![append(51, 50, &long)]).await;
    assert_eq!(answers, [Answer::Done]);
    assert_eq!(rows(&mut writer).await, 101);
}

/// While the file cannot even be opened, everything is refused, and nothing waits for ever.
#[tokio::test]
async fn a_database_that_cannot_be_opened_is_tried_again_with_each_batch() {
    let (home, mut writer) = writer().await;
    let [there, away] = ["mancala.sqlite", "away"].map(|name| home.path().join(name));
    writer.database.take().unwrap().close().await;
    std::fs::rename(&there, &away).unwrap();
    std::fs::create_dir(&there).unwrap();
    for _ in 0..2 {
        let answers = write(&mut writer, vec![append(1, 1, &event()), Change::Nothing]).await;
        assert_eq!(answers, [Answer::Unavailable; 2]);
    }
    std::fs::remove_dir(&there).unwrap();
    std::fs::rename(&away, &there).unwrap();
    let answers = write(&mut writer, vec![append(1, 1, &event())]).await;
    assert_eq!(answers, [Answer::Done]);
}

#[tokio::test]
async fn a_checkpoint_brings_everything_into_the_database_itself() {
    let (home, mut writer) = writer().await;
    let answers = write(&mut writer, vec![append(1, 200, &event())]).await;
    assert_eq!(answers, [Answer::Done]);
    assert!(writer.pages > 200);
    writer.checkpoint().await;
    assert_eq!(writer.pages, 0);
    assert_eq!(rows_without_wal(&home).await, 201);
}

/// Most of a long write-ahead log is copied while others write, and what they wrote after
/// that.
#[tokio::test]
async fn a_long_write_ahead_log_is_copied_beside_the_writing() {
    let (home, mut writer) = writer().await;
    writer.pages = CHECKPOINT_PAGES;
    writer.keep_log_short().await;
    let answers = write(&mut writer, vec![append(1, 200, &event())]).await;
    assert_eq!(answers, [Answer::Done]);
    while !writer.copying.as_ref().unwrap().is_finished() {
        tokio::task::yield_now().await;
    }
    assert!(writer.pages > CHECKPOINT_PAGES, "not all is copied yet");
    writer.keep_log_short().await;
    assert!(writer.copying.is_none());
    assert_eq!(writer.pages, 0);
    assert_eq!(rows_without_wal(&home).await, 201);
}

/// How many rows all logs have, without the write-ahead log beside the database.
async fn rows_without_wal(home: &TempDir) -> i64 {
    let copy = tempfile::tempdir().unwrap();
    let file = copy.path().join("mancala.sqlite");
    std::fs::copy(home.path().join("mancala.sqlite"), &file).unwrap();
    let mut connection = writer_options(&file).connect().await.unwrap();
    query_scalar("select count(*) from log")
        .fetch_one(&mut connection)
        .await
        .unwrap()
}
