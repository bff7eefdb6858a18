//! What those do about talk who run the server: `mancala admin`.

use super::{Hall, SOUTH, changed, noted, texts, told};
use crate::admin::{admin, refused, secret};
use mancala_play::Room;
use mancala_protocol::TalkChange;
use mancala_protocol::rest::ReportList;
use mancala_tests::Request;
use mancala_tests::client::code_of;
use sqlx::{Connection as _, query};
use std::process::Output;

/// What it says where it does what it is asked for.
fn printed(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const NO_SUCH_LINE: &str =
    "there is no line of this number here, or its text was removed (no_such_line)\n";
const NO_SUCH_ROOM: &str =
    "this match has no such room; teams have rooms of their own (no_such_room)\n";
const NO_SUCH_MATCH: &str = "there is no match of this name (no_such_match)\n";

/// The lines as they stood, in an order, and nothing in them that a terminal would obey.
#[tokio::test]
async fn the_command_line_shows_what_is_reported() {
    let mut hall = Hall::open().await;
    let host = secret(&hall.server);
    let (name, data) = (hall.pair.name, hall.server.data());
    assert_eq!(printed(admin(&data, &["reports"])), "nothing is reported\n");
    for text in ["fine", "gone", "rude 👩\u{200d}🌾"] {
        noted(&hall.guest.say_in(name, Room::Public, text).await);
    }
    let name = name.to_string();
    printed(admin(&data, &["remove-line", &name, "public", "2"]));
    let (name, north) = (hall.pair.name, &mut hall.pair.north);
    noted(&north.report(name, Room::Public, 1).await);
    noted(&north.report(name, Room::Public, 3).await);

    let reports = Request::get("/api/admin/reports").token(&host);
    let reports: ReportList = hall.server.send(reports).await.json();
    let [second, first] = &reports.reports[..] else {
        panic!("{reports:?}")
    };
    let (by, line) = (&first.by, &first.lines[0]);
    let (one, speaker) = (line.at_ms, &line.name);
    let [two, three] = [1, 2].map(|place| second.lines[place].at_ms);
    let shown = format!(
        "report 2 at {}: {by} reports line 3 of the room `public` of {name}: It is rude.\n\
         \x20    1 at {one}, {speaker}: fine\n\
         \x20    2 at {two}, {speaker}: (removed before)\n\
         >    3 at {three}, {speaker}: rude 👩\\u{{200d}}🌾\n\
         report 1 at {}: {by} reports line 1 of the room `public` of {name}: It is rude.\n\
         >    1 at {one}, {speaker}: fine\n",
        second.at_ms, first.at_ms
    );
    assert_eq!(printed(admin(&data, &["reports"])), shown);
    let (_, before) = shown.split_once("report 1 ").unwrap();
    assert_eq!(
        printed(admin(&data, &["reports", "--before", "2"])),
        format!("report 1 {before}")
    );
    // Whatever is done to the talk.
    printed(admin(&data, &["clear-talk", &name.to_string()]));
    assert_eq!(printed(admin(&data, &["reports"])), shown);
}

/// A hundred at a time, and how to go on.
#[tokio::test]
async fn the_command_line_shows_a_page_of_reports_and_names_the_next() {
    let mut hall = Hall::open().await;
    secret(&hall.server);
    let name = hall.pair.name;
    noted(&hall.guest.say_in(name, Room::Public, "rude").await);
    noted(&hall.pair.north.report(name, Room::Public, 1).await);
    let mut database = hall.server.database().await;
    let done = query(
        "with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < 101)
         insert into reports (at_ms, by_user, match_id, room, n, why, lines)
         select at_ms, by_user, match_id, room, numbers.n, why, lines from numbers, reports",
    );
    let done = done.execute(&mut database).await.unwrap();
    assert_eq!(done.rows_affected(), 100);
    database.close().await.unwrap();
    let data = hall.server.data();
    let numbers = |shown: &str| -> Vec<u32> {
        let reports = shown
            .lines()
            .filter_map(|line| line.strip_prefix("report "));
        let numbers = reports.map(|line| line.split(' ').next().unwrap().parse());
        numbers.map(Result::unwrap).collect()
    };
    let shown = printed(admin(&data, &["reports"]));
    assert_eq!(numbers(&shown), (2..=101).rev().collect::<Vec<_>>());
    assert!(shown.ends_with("\nthere are earlier ones: --before 2\n"));
    let shown = printed(admin(&data, &["reports", "--before", "2"]));
    assert_eq!(numbers(&shown), [1]);
    assert!(!shown.contains("earlier"), "{shown}");
}

/// A line that is removed is gone for everybody, once; what is not there is named.
#[tokio::test]
async fn the_command_line_removes_a_line() {
    let mut hall = Hall::open().await;
    secret(&hall.server);
    let name = hall.pair.name;
    hall.nobody.listen(name, Room::Public, None).await;
    for text in ["fine", "rude"] {
        noted(&hall.guest.say_in(name, Room::Public, text).await);
    }
    let remove = |name: &str, room: &str, line: &str| {
        admin(&hall.server.data(), &["remove-line", name, room, line])
    };
    let named = name.to_string();
    let said = printed(remove(&named, "public", "2"));
    assert_eq!(
        said,
        format!("line 2 of the room `public` of {name} is removed\n")
    );
    let removed = TalkChange::Removed { line: 2 };
    assert_eq!(changed(&mut hall.nobody).await, removed);
    for line in ["2", "3", "0"] {
        assert_eq!(refused(&remove(&named, "public", line)), NO_SUCH_LINE);
    }
    assert_eq!(refused(&remove(&named, "south", "1")), NO_SUCH_ROOM);
    assert_eq!(refused(&remove("nosuchname", "public", "1")), NO_SUCH_MATCH);
    // What cannot be is not even asked for.
    for (room, line, why) in [
        ("east", "1", "a room is `public`, `south` or `north`"),
        ("public", "x", "invalid digit"),
    ] {
        let output = remove(&named, room, line);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(texts(&hall.lines().await), ["fine", "(removed)"]);
    hall.restart().await;
    assert_eq!(texts(&hall.lines().await), ["fine", "(removed)"]);
}

/// All is gone for everybody, and the numbers begin anew; who may not speak may not yet.
#[tokio::test]
async fn the_command_line_clears_the_talk_of_a_match() {
    let mut hall = Hall::open().await;
    secret(&hall.server);
    let name = hall.pair.name;
    hall.nobody.listen(name, Room::Public, None).await;
    for text in ["rude", "ruder"] {
        noted(&hall.guest.say_in(name, Room::Public, text).await);
    }
    let mute = mancala_protocol::Moderation::Mute { line: 1 };
    noted(&hall.pair.south.moderate(name, Room::Public, mute).await);
    let clear = |name: &str| admin(&hall.server.data(), &["clear-talk", name]);
    let cleared = format!("all talk of the match {name} is deleted\n");
    assert_eq!(refused(&clear("nosuchname")), NO_SUCH_MATCH);
    assert_eq!(hall.lines().await.len(), 2);
    // Where there is nothing to delete it is as well.
    for _ in 0..2 {
        assert_eq!(printed(clear(&name.to_string())), cleared);
        assert_eq!(changed(&mut hall.nobody).await, TalkChange::Cleared);
        assert_eq!(hall.lines().await, []);
    }
    let answer = hall.guest.say_in(name, Room::Public, "and now?").await;
    assert_eq!(code_of(&answer), "muted");
    let south = &mut hall.pair.south;
    assert_eq!(
        noted(&south.say_in(name, Room::Public, "anew").await),
        Some(1)
    );
    // Whoever has a number from before is told all there is.
    let (last, lines) = told(hall.nobody.listen(name, Room::Public, Some(2)).await);
    assert_eq!((last, texts(&lines)), (1, vec!["anew"]));
    let refused = hall.nobody.listen(name, SOUTH, None).await;
    assert_eq!(code_of(&refused), "no_such_room");
}
