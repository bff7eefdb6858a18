//! Matches that begin from a given position: problems and handicaps.

use mancala_engine::Side;
use mancala_play::Request as Ask;
use mancala_protocol::{MatchView, ServerMessage};
use mancala_tests::players::Pair;
use mancala_tests::{Request, ServerProcess};
use serde_json::{Value, json};

/// North takes the last seed of the other side with pit 4, if it finds it; in the same position
/// with the sides exchanged south would.
fn problem() -> Value {
    json!({
        "pits": { "south": [0, 0, 0, 0, 0, 1], "north": [0, 0, 2, 1, 0, 0] },
        "stores": { "south": 15, "north": 17 },
        "to_move": "north", "turn": 31, "quiet": 4, "phase": { "kind": "play" }
    })
}

#[tokio::test]
async fn every_game_begins_from_the_position_and_the_sides_take_turns_in_it() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "urim", "format": "first_to 2", "start": problem() });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    pair.mover().await;
    let began = pair.south.followed[&name].view().clone();
    let position = serde_json::to_value(&began.position).unwrap();
    assert_eq!(position, problem());
    assert_eq!(serde_json::to_value(&began.start).unwrap(), problem());
    assert!(!began.rated);

    let resigned = pair.north.request(name, Ask::ResignGame).await;
    assert!(
        matches!(resigned, ServerMessage::Done { .. }),
        "{resigned:?}"
    );
    pair.mover().await;
    let next = pair.south.followed[&name].view();
    assert_eq!(next.game_number, 2);
    let position = next.position.as_ref().unwrap();
    assert_eq!(position.standing.to_move, Side::South);
    assert_eq!(position.board.pits.south, [0, 0, 2, 1, 0, 0]);
    assert_eq!(position.board.stores.north, 15);

    // The record says where each game began, and can be played by that alone.
    let record = server.get(&format!("/api/v1/matches/{name}/record")).await;
    let text = record.text();
    assert_eq!(text.matches(" from \"").count(), 2, "{text}");
    crate::matches::check_record(text);
}

#[tokio::test]
async fn positions_that_cannot_be_are_refused_with_a_reason() {
    let server = ServerProcess::start();
    let token = server.guest("Ann").await;
    let changed = |path: &str, value: Value| {
        let mut start = problem();
        *start.pointer_mut(path).unwrap() = value;
        json!({ "game": "urim", "start": start })
    };
    let of = |game: &str| json!({ "game": game, "start": problem() });
    let mut rated = of("urim");
    rated["rated"] = json!(true);
    let mut columns = of("urim");
    columns["options"] = json!({ "columns": 7 });
    for (wanted, why) in [
        (changed("/pits/south/0", json!(1)), "seeds"),
        (changed("/pits/south", json!([1])), "pits"),
        (changed("/stores/south", json!(-1)), "-1"),
        (changed("/to_move", json!("east")), "east"),
        (changed("/turn", json!(0)), "turn"),
        (
            changed("/phase", json!({ "kind": "strip", "seeds": 2 })),
            "phase",
        ),
        (changed("/phase/kind", json!("over")), ""),
        (of("anywoli"), ""),
        (of("omweso"), ""),
        (columns, ""),
        (rated, "never rated"),
    ] {
        let made = Request::post("/api/v1/matches", &wanted).token(&token);
        let refused = server.send(made).await;
        assert_eq!(refused.status, 422, "{wanted}");
        let problem: Value = serde_json::from_str(refused.text()).unwrap();
        assert_eq!(problem["code"], "bad_options");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(why), "{wanted}: {detail}");
    }
    let listed: Value = server.get("/api/v1/matches").await.json();
    assert_eq!(listed["matches"], json!([]), "nothing was made");
}

/// What does not go together is refused, and what goes without saying is added.
#[tokio::test]
async fn ways_bring_their_clocks() {
    let server = ServerProcess::start();
    let token = server.guest("Ann").await;
    let fischer = json!({ "type": "fischer", "initial": 60, "increment": 1 });
    for (wanted, status) in [
        (json!({ "game": "omweso", "way": "blitz" }), 201),
        (
            json!({ "game": "omweso", "way": "contract", "clock": fischer }),
            201,
        ),
        (
            json!({ "game": "omweso", "way": "blitz", "clock": fischer }),
            422,
        ),
        (
            json!({ "game": "omweso", "way": "counting", "clock": fischer }),
            422,
        ),
        (json!({ "game": "urim", "way": "blitz" }), 422),
        (
            json!({ "game": "urim", "rated": true, "preview": true }),
            422,
        ),
        (
            json!({ "game": "urim", "clock": { "type": "correspondence", "days": 15 } }),
            422,
        ),
        (
            json!({ "game": "urim", "clock": { "type": "fischer", "initial": 0, "increment": 0 } }),
            422,
        ),
        (
            json!({ "game": "urim", "clock": { "type": "untimed", "days": 1 } }),
            422,
        ),
        (json!({ "game": "urim", "clock": "fast" }), 400),
        (json!({ "game": "omweso", "way": "slow" }), 400),
    ] {
        let made = Request::post("/api/v1/matches", &wanted).token(&token);
        let answer = server.send(made).await;
        assert_eq!(answer.status, status, "{wanted}: {}", answer.text());
        if let (201, Some("blitz")) = (status, wanted["way"].as_str()) {
            let made: Value = answer.json();
            let view: MatchView = serde_json::from_value(made["view"].clone()).unwrap();
            assert_eq!(view.clock, mancala_play::Control::BLITZ);
        }
    }
}
