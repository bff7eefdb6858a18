//! A backup is made beside a server at work, and another server goes on from it.

use mancala_protocol::MatchView;
use mancala_tests::ServerProcess;
use mancala_tests::disk::Files;
use mancala_tests::players::Pair;
use mancala_tests::server::program;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

fn back_up(folder: &Path, to: &Path) -> Output {
    Command::new(program())
        .args(["backup", "--data"])
        .args([folder, to])
        .output()
        .unwrap()
}

#[tokio::test]
async fn a_backup_is_whole_and_replaces_the_one_before() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "omweso" })).await;
    let place = tempfile::tempdir().unwrap();
    let to = place.path().join("copy.sqlite");
    for _ in 0..2 {
        pair.play(6).await;
        let made = back_up(&server.data(), &to);
        assert!(made.status.success(), "{made:?}");
        assert!(made.stdout.is_empty() && made.stderr.is_empty());
    }
    let last = pair.south.followed[&pair.name].view().clone();
    pair.play(3).await;

    let files = Files::from([("mancala.sqlite".to_owned(), std::fs::read(&to).unwrap())]);
    let other = ServerProcess::start_from(&files);
    let view: MatchView = other
        .get(&format!("/api/v1/matches/{}", pair.name))
        .await
        .json();
    assert_eq!(view, last);
    let left = std::fs::read_dir(place.path()).unwrap().count();
    assert_eq!(left, 1, "nothing beside it");
}

#[test]
fn where_there_is_nothing_nothing_is_replaced() {
    let place = tempfile::tempdir().unwrap();
    let to = place.path().join("copy.sqlite");
    std::fs::write(&to, "the one before").unwrap();
    let none = back_up(place.path(), &to);
    assert_eq!(none.status.code(), Some(1));
    let said = String::from_utf8(none.stderr).unwrap();
    assert!(said.contains("mancala.sqlite: name the folder"), "{said}");
    std::fs::write(place.path().join("mancala.sqlite"), "no database at all").unwrap();
    let bad = back_up(place.path(), &to);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "the one before");
}
