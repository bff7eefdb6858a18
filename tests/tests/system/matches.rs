//! Whole matches, from the lot to the record.

use mancala_engine::Setup;
use mancala_protocol::{EventBody, MatchView, ServerMessage};
use mancala_tests::players::{Pair, play_to_end};
use mancala_tests::server::program;
use mancala_tests::{Client, Random, ServerProcess};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Plays a match to its end. Somebody comes to watch when some of it is over; all three
/// have to hold the same positions, and the record and the log have to say the same.
async fn play(wanted: Value, seed: u64) -> Client {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    pair.play(6).await;
    let mut spectator = Client::nobody(&server).await;
    spectator.join(name).await;
    tokio::join!(
        play_to_end(&mut pair.south, name, Random::from_seed(seed)),
        play_to_end(&mut pair.north, name, Random::from_seed(!seed)),
        spectator.hear_until(name, |followed| followed.is_over()),
    );

    let [south, north, late] = [&pair.south, &pair.north, &spectator].map(|c| &c.followed[&name]);
    assert_eq!(south.positions, north.positions);
    let from = *late.positions.keys().next().unwrap();
    let seen: Vec<(&u64, &Setup)> = south.positions.range(from..).collect();
    assert_eq!(seen, late.positions.iter().collect::<Vec<_>>());
    assert_eq!(late.skips, 0, "a spectator who reads skips nothing");
    assert_eq!(south.view(), late.view());
    let view: MatchView = server.get(&format!("/api/v1/matches/{name}")).await.json();
    assert_eq!(view, *late.view());

    let log = server.get(&format!("/api/v1/matches/{name}/log")).await;
    assert_eq!(log.header("content-type"), "application/x-ndjson");
    let log: Vec<ServerMessage> = log
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let after = |seq: u64| log.iter().skip(usize::try_from(seq).unwrap() - 1);
    assert!(late.events.values().eq(after(from)));
    assert_eq!(
        log.len() as u64,
        late.view().seq - 1,
        "the log begins with 2"
    );

    let record = server.get(&format!("/api/v1/matches/{name}/record")).await;
    assert_eq!(record.status, 200);
    check_record(record.text());
    pair.south
}

/// `mancala record check` finds nothing wrong with a record.
pub(crate) fn check_record(record: &str) {
    let mut check = Command::new(program())
        .args(["record", "check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = check.stdin.take().unwrap();
    stdin.write_all(record.as_bytes()).unwrap();
    drop(stdin);
    let output = check.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{record}");
}

/// The words of all actions that a client saw.
fn words(client: &Client) -> BTreeSet<String> {
    let word = |message: &ServerMessage| match message {
        ServerMessage::Event {
            body: EventBody::Acted { acted, .. },
            ..
        } => {
            let action = serde_json::to_value(&acted.action).unwrap();
            Some(action["type"].as_str().unwrap().to_owned())
        }
        _ => None,
    };
    let events = client.followed.values().flat_map(|it| it.events.values());
    events.filter_map(word).collect()
}

/// The last view of the one match that a client followed.
fn last_view(client: &Client) -> &MatchView {
    client.followed.values().next().unwrap().view()
}

#[tokio::test]
async fn the_whole_contest_of_omweso() {
    let seen = play(json!({ "game": "omweso" }), 1).await;
    let view = last_view(&seen);
    assert!(view.score.south.max(view.score.north) >= 12, "{view:?}");
    assert!(view.game_number > 1);
    assert!(words(&seen).contains("direction"));
}

#[tokio::test]
async fn the_whole_contest_of_omweso_with_free_setup() {
    let wanted = json!({ "game": "omweso", "options": { "setup": "free", "cap": 6 } });
    let seen = play(wanted, 2).await;
    let view = last_view(&seen);
    assert!(view.score.south.max(view.score.north) >= 12, "{view:?}");
    assert!(words(&seen).contains("arrange"));
}

#[tokio::test]
async fn anywoli_until_the_lot_has_spoken() {
    let wanted = json!({
        "game": "anywoli", "options": { "last_four": "lottery" }, "format": "first_to 8",
    });
    for seed in 3..20 {
        if words(&play(wanted.clone(), seed).await).contains("lottery") {
            return;
        }
    }
    panic!("no game came to the lot");
}

#[tokio::test]
async fn urim_on_seven_columns() {
    let options = json!({ "columns": 7 });
    let seen = play(
        json!({ "game": "urim", "options": options, "format": "first_to 3" }),
        4,
    )
    .await;
    let pits = &last_view(&seen).position.as_ref().unwrap().board.pits;
    assert_eq!(pits.south.len(), 7);
}

#[tokio::test]
async fn bao_kigogo() {
    play(json!({ "game": "bao_kigogo", "format": "first_to 3" }), 5).await;
}

#[tokio::test]
async fn nsolo_with_its_strips() {
    let seen = play(json!({ "game": "nsolo", "format": "first_to 2" }), 6).await;
    assert!(words(&seen).contains("strip"));
}

#[tokio::test]
async fn nsolo_on_the_large_board() {
    play(json!({ "game": "nsolo", "options": { "columns": 36 } }), 7).await;
}
