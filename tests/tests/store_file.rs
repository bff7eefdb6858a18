//! What is special about the store in a file: it outlives its process, belongs to one at a
//! time, and says in a sentence what is wrong with it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use mancala_play::Control;
use mancala_server::ids::{PublicId, TokenHash};
use mancala_server::store::{AppendError, OpenError, Store, StoreError, TeamRow};
use mancala_tests::logs::{Played, append, rows, user};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, Row, query};
use std::error::Error;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tokio::task::JoinSet;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn database(folder: &Path) -> PathBuf {
    folder.join("mancala.sqlite")
}

async fn open(folder: &TempDir) -> Store {
    Store::open_sqlite(folder.path()).await.unwrap()
}

async fn open_error(folder: &Path) -> OpenError {
    Store::open_sqlite(folder).await.unwrap_err()
}

/// The database as somebody else sees it, with `sqlite3` perhaps.
async fn somebody_else(folder: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(database(folder.path()));
    options.connect().await.unwrap()
}

async fn execute(connection: &mut SqliteConnection, statement: &'static str) {
    query(statement).execute(connection).await.unwrap();
}

/// A store with matches of ten events each.
async fn fill(store: &Store, matches: u64) {
    for number in 1..=matches {
        let played = Played::new(number);
        store.create_match(played.creation()).await.unwrap();
        store.append(append(played.id, 1, 9)).await.unwrap();
    }
}

async fn assert_filled(store: &Store, matches: u64) {
    for number in 1..=matches {
        let played = Played::new(number);
        let found = store.find_match(played.public_id).await.unwrap();
        assert_eq!(found.map(|row| row.id), Some(played.id));
        let log = store.log_after(played.id, 1, 100).await;
        assert_eq!(log, Ok(rows(1, 9)));
    }
}

#[tokio::test]
async fn what_was_stored_is_there_after_reopening() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 3).await;
    let token = TokenHash::of(b"ann");
    store.create_user(user(1), token).await.unwrap();
    let snapshot = Played::new(1).play.snapshot();
    let id = Played::new(1).id;
    store.put_snapshot(id, 1, &snapshot).await.unwrap();
    store.close().await;

    let store = open(&folder).await;
    assert_filled(&store, 3).await;
    assert_eq!(store.user_by_token(token).await, Ok(Some(user(1))));
    assert_eq!(store.snapshot(id).await, Ok(Some((1, snapshot))));
    assert_eq!(store.append(append(id, 10, 1)).await, Ok(()));
    let conflict = store.append(append(id, 10, 1)).await;
    assert_eq!(conflict, Err(AppendError::Conflict));
    store.close().await;
}

#[tokio::test]
async fn time_goes_on_after_reopening() {
    let folder = folder();
    let store = open(&folder).await;
    let mut played = Played::timed(1, Control::BLITZ);
    played.service_ms = 5_000;
    store.create_match(played.creation()).await.unwrap();
    for _ in 0..3 {
        store.append(played.step()).await.unwrap();
    }
    store.note_service_ms(6_000).await.unwrap();
    store.close().await;

    let store = open(&folder).await;
    assert_eq!(store.service_ms().await, Ok(6_000));
    // Half a minute for a first move.
    let due = vec![(played.public_id, 35_000)];
    assert_eq!(store.deadlines().await, Ok(due));
    store.close().await;
}

/// A file as the first server made it, which knew no time.
#[tokio::test]
async fn a_file_from_before_there_was_time_is_brought_up_to_date() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 3).await;
    store.close().await;
    let mut other = somebody_else(&folder).await;
    for statement in [
        "alter table log drop column deadline_ms",
        "alter table commits drop column service_ms",
        "delete from _sqlx_migrations where version = 2",
    ] {
        execute(&mut other, statement).await;
    }
    let forms = "select group_concat(sql, char(10)) from sqlite_schema";
    let form: String = query(forms).fetch_one(&mut other).await.unwrap().get(0);
    assert!(
        !form.contains("deadline_ms") && !form.contains("service_ms"),
        "{form}"
    );
    other.close().await.unwrap();

    let store = open(&folder).await;
    assert_filled(&store, 3).await;
    assert_eq!(store.service_ms().await, Ok(0));
    assert_eq!(store.deadlines().await, Ok(vec![]));
    let mut played = Played::timed(4, Control::BLITZ);
    store.create_match(played.creation()).await.unwrap();
    for _ in 0..2 {
        store.append(played.step()).await.unwrap();
    }
    let due = vec![(played.public_id, 30_000)];
    assert_eq!(store.deadlines().await, Ok(due));
    store.close().await;
}

/// What a crash leaves behind is the files as they are at that moment.
#[tokio::test]
async fn what_was_acknowledged_is_in_the_files() {
    let folder = folder();
    let store = open(&folder).await;
    for round in 1..=5 {
        fill_round(&store, round).await;
        let left = tempfile::tempdir().unwrap();
        for file in ["mancala.sqlite", "mancala.sqlite-wal"] {
            fs::copy(folder.path().join(file), left.path().join(file)).unwrap();
        }
        let after = open(&left).await;
        for number in 1..=round {
            let log = after.log_after(Played::new(number).id, 1, 100).await;
            assert_eq!(log, Ok(rows(1, 9)));
        }
        after.close().await;
    }
    store.close().await;
}

async fn fill_round(store: &Store, number: u64) {
    let played = Played::new(number);
    store.create_match(played.creation()).await.unwrap();
    store.append(append(played.id, 1, 9)).await.unwrap();
}

/// A runtime that ends takes its tasks with it, wherever they are.
#[test]
fn a_store_that_was_not_closed_opens_again() {
    let folder = folder();
    for round in 1..=3 {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = open(&folder).await;
            assert_filled(&store, round - 1).await;
            fill_round(&store, round).await;
        });
    }
}

#[tokio::test]
async fn the_last_handle_closes_the_store() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 1).await;
    let other = store.clone();
    drop(store);
    assert_eq!(other.ready().await, Ok(()));
    drop(other);
    // The writer hears of it when it next runs.
    let store = loop {
        match Store::open_sqlite(folder.path()).await {
            Err(OpenError::InUse { .. }) => tokio::task::yield_now().await,
            opened => break opened.unwrap(),
        }
    };
    assert_filled(&store, 1).await;
    store.close().await;
}

#[tokio::test]
async fn a_folder_belongs_to_one_store() {
    let folder = folder();
    let store = open(&folder).await;
    let error = open_error(folder.path()).await;
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    let expected = format!(
        "the data folder {} is in use by another server: stop that one, or name another folder",
        folder.path().display()
    );
    assert_eq!(error.to_string(), expected);

    let other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opens_the_folder_it_is_told", "--ignored"])
        .args(["--nocapture", "--test-threads=1"])
        .env("MANCALA_TEST_FOLDER", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&other.stdout);
    assert!(said.contains(&expected), "{said}");

    assert_eq!(store.ready().await, Ok(()));
    store.close().await;
    open(&folder).await.close().await;
}

/// The other process of the test above.
#[tokio::test]
#[ignore = "it is called by another test"]
#[allow(clippy::print_stdout, reason = "that is how it answers")]
async fn opens_the_folder_it_is_told() {
    let folder = std::env::var_os("MANCALA_TEST_FOLDER").unwrap();
    println!("{}", open_error(Path::new(&folder)).await);
}

#[tokio::test]
async fn a_missing_folder_is_made_for_its_owner_alone() {
    let parent = folder();
    let path = parent.path().join("games/data");
    let store = Store::open_sqlite(&path).await.unwrap();
    store.close().await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[tokio::test]
async fn a_folder_that_is_none_is_refused() {
    let parent = folder();
    let path = parent.path().join("file");
    fs::write(&path, "not a folder").unwrap();
    let error = open_error(&path).await;
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .contains("file cannot be used: it has to be a folder"),
        "{error}"
    );
    assert!(error.source().is_some());
}

/// A file from when `Café` and `Café` were two names.
#[tokio::test]
async fn teams_that_look_alike_from_before_stay_and_no_more_come() {
    let folder = folder();
    open(&folder).await.close().await;
    let mut other = somebody_else(&folder).await;
    for statement in [
        "drop table team_names",
        "drop table teams",
        "create table teams (
            public_id text not null primary key,
            name text not null,
            name_key text not null,
            captain blob,
            link_hash blob,
            came integer not null,
            created_ms integer not null,
            constraint teams_name unique (name_key)
        ) strict, without rowid",
        "create index teams_listed on teams (created_ms desc, public_id desc)",
        "alter table teams add column founded_by blob",
        "create index teams_founded on teams (founded_by, created_ms) where founded_by is not null",
        "insert into teams (public_id, name, name_key, captain, came, created_ms) values
            ('0000000001', 'Café', 'café', zeroblob(16), 1, 1),
            ('0000000002', 'Cafe' || char(769), 'cafe' || char(769), zeroblob(16), 1, 2),
            ('0000000003', 'Jinja', char(0) || '0000000003', null, 1, 3)",
        "delete from _sqlx_migrations where version = 8",
    ] {
        execute(&mut other, statement).await;
    }
    other.close().await.unwrap();

    // Twice, since what was done once is not done again.
    for _ in 0..2 {
        let store = open(&folder).await;
        let teams = store.teams(None, 9).await.unwrap();
        let names: Vec<&str> = teams.iter().map(|team| &*team.name).collect();
        assert_eq!(names, ["Cafe\u{301}", "Café"]);
        store.close().await;
    }
    let store = open(&folder).await;
    let found = async |number, name: &str| {
        let team = TeamRow {
            id: PublicId::from_number(number),
            name: name.to_owned(),
            captain: Some(user(1).id),
            link_hash: None,
            created_ms: 4,
        };
        store.found_team(team).await
    };
    assert_eq!(found(1_000_001, "CAFÉ").await, Err(StoreError::Taken));
    let free = found(1_000_002, "Jinja").await;
    assert_eq!(free, Ok(()), "all have left the one of this name");
    store.close().await;
    let mut other = somebody_else(&folder).await;
    let owners = "select group_concat(team) from
        (select distinct team from team_names where look not like 'j%' order by team)";
    let owners: String = query(owners).fetch_one(&mut other).await.unwrap().get(0);
    assert_eq!(owners, "0000000001", "the older one keeps the name");
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused_untouched() {
    let folder = folder();
    open(&folder).await.close().await;
    let mut later = somebody_else(&folder).await;
    execute(
        &mut later,
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9999, 'from the future', true, x'00', 0)",
    )
    .await;
    later.close().await.unwrap();
    let before = fs::read(database(folder.path())).unwrap();
    let error = open_error(folder.path()).await;
    assert!(
        matches!(error, OpenError::Newer { version: 9999, .. }),
        "{error:?}"
    );
    let said = error.to_string();
    assert!(
        said.contains("of a later version (9999) than this program knows"),
        "{said}"
    );
    assert_eq!(fs::read(database(folder.path())).unwrap(), before);
}

#[tokio::test]
async fn a_migration_that_was_another_one_is_refused() {
    let folder = folder();
    open(&folder).await.close().await;
    let mut other = somebody_else(&folder).await;
    execute(&mut other, "update _sqlx_migrations set checksum = x'00'").await;
    other.close().await.unwrap();
    let error = open_error(folder.path()).await;
    assert!(matches!(error, OpenError::Migration { .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_untouched() {
    let folder = folder();
    let garbage = b"this was a shopping list once. ".repeat(400);
    fs::write(database(folder.path()), &garbage).unwrap();
    let error = open_error(folder.path()).await;
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
    let said = error.to_string();
    assert!(
        said.contains("mancala.sqlite is damaged, or is no database"),
        "{said}"
    );
    assert_eq!(fs::read(database(folder.path())).unwrap(), garbage);
}

#[tokio::test]
async fn a_damaged_page_is_said_and_the_rest_can_be_read() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 300).await;
    store.close().await;
    // A leaf of the log: found by a text that stands only there, in one page of the later
    // half.
    let bytes = fs::read(database(folder.path())).unwrap();
    let mut pages = bytes
        .chunks(4_096)
        .enumerate()
        .skip(bytes.len() / 4_096 / 2);
    let is_log = |page: &[u8]| page.windows(11).any(|text| text == b"\"game_began");
    let (page, _) = pages.rfind(|(_, page)| is_log(page)).unwrap();
    let mut file = fs::File::options()
        .write(true)
        .open(database(folder.path()))
        .unwrap();
    file.seek(SeekFrom::Start(page as u64 * 4_096)).unwrap();
    file.write_all(&[0xa5; 4_096]).unwrap();
    drop(file);

    let store = open(&folder).await;
    let (mut whole, mut damaged) = (0, 0);
    for number in 1..=300 {
        match store.log_after(Played::new(number).id, 1, 100).await {
            Ok(log) => {
                assert_eq!(log, rows(1, 9));
                whole += 1;
            }
            Err(error) => {
                assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
                let said = error.to_string();
                assert!(said.starts_with("the store is damaged: "), "{said}");
                damaged += 1;
            }
        }
    }
    assert!(damaged > 0, "the page was no part of a log");
    assert!(whole > 200, "{damaged} damaged by one page");
    store.close().await;
}

#[tokio::test]
async fn a_row_that_cannot_be_understood_is_named() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 4).await;
    let mut other = somebody_else(&folder).await;
    execute(&mut other, "update log set event = '{\"type\":\"danced\"}' where match_id = x'00000000000000000000000000000001' and seq = 4").await;
    execute(&mut other, "update log set version = 2 where match_id = x'00000000000000000000000000000002' and seq = 5").await;
    execute(
        &mut other,
        "delete from log where match_id = x'00000000000000000000000000000003' and seq = 6",
    )
    .await;
    other.close().await.unwrap();
    let expected = [
        "row 4 of match 00000000-0000-0000-0000-000000000001 cannot be read: ",
        "row 5 of match 00000000-0000-0000-0000-000000000002 cannot be read: ",
        "row 6 of match 00000000-0000-0000-0000-000000000003 is missing",
    ];
    for (number, expected) in (1..).zip(expected) {
        let id = Played::new(number).id;
        let error = store.log_after(id, 0, 100).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let fourth = store.log_after(Played::new(4).id, 1, 100).await;
    assert_eq!(fourth, Ok(rows(1, 9)));
    store.close().await;
}

#[tokio::test]
async fn a_snapshot_of_another_form_counts_as_none() {
    let folder = folder();
    let store = open(&folder).await;
    let played = Played::new(1);
    store.create_match(played.creation()).await.unwrap();
    let snapshot = played.play.snapshot();
    store.put_snapshot(played.id, 1, &snapshot).await.unwrap();
    let mut other = somebody_else(&folder).await;
    execute(&mut other, "update snapshots set snapshot = '{}'").await;
    other.close().await.unwrap();
    assert_eq!(store.snapshot(played.id).await, Ok(None));
    store.close().await;
}

/// Another owner of a match, who writes past this store: the primary key is the fence.
#[tokio::test]
async fn a_row_of_somebody_else_is_a_conflict_for_its_match_alone() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 20).await;
    let mut other = somebody_else(&folder).await;
    execute(
        &mut other,
        "insert into log select match_id, 11, at_ms, version, event, digest, deadline_ms from log
         where match_id = x'00000000000000000000000000000007' and seq = 10",
    )
    .await;
    let mut tasks = JoinSet::new();
    for number in 1..=20 {
        let store = store.clone();
        let id = Played::new(number).id;
        tasks.spawn(async move { (number, store.append(append(id, 10, 2)).await) });
    }
    while let Some(ended) = tasks.join_next().await {
        let (number, appended) = ended.unwrap();
        let expected = if number == 7 {
            Err(AppendError::Conflict)
        } else {
            Ok(())
        };
        assert_eq!(appended, expected, "match {number}");
    }
    // Who reads the log again can go on from there.
    let seventh = Played::new(7).id;
    let log = store.log_after(seventh, 10, 100).await.unwrap();
    assert_eq!(log.len(), 1);
    assert_eq!(store.append(append(seventh, 11, 1)).await, Ok(()));
    other.close().await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn a_database_that_somebody_holds_is_unavailable_until_it_is_free() {
    let folder = folder();
    let store = open(&folder).await;
    fill(&store, 1).await;
    let id = Played::new(1).id;
    let mut other = somebody_else(&folder).await;
    execute(&mut other, "begin immediate").await;
    let appended = store.append(append(id, 10, 1)).await;
    assert_eq!(appended, Err(AppendError::Unavailable));
    assert_eq!(store.ready().await, Err(StoreError::Unavailable));
    // It can be read all the while.
    assert_filled(&store, 1).await;
    execute(&mut other, "rollback").await;
    assert_eq!(store.ready().await, Ok(()));
    assert_eq!(store.append(append(id, 10, 1)).await, Ok(()));
    other.close().await.unwrap();
    store.close().await;
}

/// The lists that are read at the start and by everybody read no more than they show.
#[tokio::test]
async fn lists_are_read_from_their_index() {
    let folder = folder();
    open(&folder).await.close().await;
    let mut other = somebody_else(&folder).await;
    let cases = [
        (
            "explain query plan select id, public_id from matches
             where stage <> 'over' and set_aside is null order by id",
            "COVERING INDEX matches_unfinished",
        ),
        (
            "explain query plan select * from matches
             where access = 'public' and stage <> 'over' and set_aside is null
                and (created_ms, public_id) < (1, '2')
             order by created_ms desc, public_id desc limit 3",
            "SEARCH matches USING INDEX matches_listed",
        ),
        (
            "explain query plan select public_id,
                (select deadline_ms from log where match_id = matches.id
                 order by seq desc limit 1) as deadline_ms
             from matches
             where stage <> 'over' and set_aside is null and stage = 'playing'
             order by id",
            "COVERING INDEX matches_unfinished",
        ),
        (
            "explain query plan select stage,
                (select max(seq) from log where match_id = matches.id) as seq
             from matches where id = x'00'",
            "SEARCH log USING PRIMARY KEY (match_id=?)",
        ),
    ];
    for (statement, expected) in cases {
        let plan = query(statement).fetch_all(&mut other).await.unwrap();
        let plan: Vec<String> = plan.iter().map(|row| row.get("detail")).collect();
        let plan = plan.join("\n");
        assert!(plan.contains(expected), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
    other.close().await.unwrap();
}
