//! The worked positions of the law, in `vectors/`: one JSON object a line.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::{
    Action, AnyPosition, Game, Mancala, Options, Phase, Position, Refusal, Setup, Side, perft,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Vector {
    Move {
        position: Setup,
        action: Value,
        legal: Vec<Value>,
        after: Option<Setup>,
        error: Option<String>,
    },
    Line {
        position: Setup,
        actions: Vec<Action>,
        after: Setup,
    },
    Game {
        first: Side,
        actions: Vec<Action>,
        after: Setup,
    },
    Perft {
        first: Side,
        depth: u32,
        count: u64,
    },
}

/// Makes a text of an action that does not depend on what may be left out.
fn canonical(action: &Value) -> String {
    let mut action = action.clone();
    if action["type"] == "sow" && action.get("dir").is_none() {
        action["dir"] = "forward".into();
    }
    action.to_string()
}

/// What carries meaning: of a game that is over not whose turn it would be.
fn meaning(setup: &Setup) -> Value {
    let mut value = serde_json::to_value(setup).unwrap();
    if matches!(setup.standing.phase, Phase::Over(_)) {
        let fields = value.as_object_mut().unwrap();
        for field in ["to_move", "turn", "quiet", "last_seed"] {
            fields.remove(field);
        }
    }
    value
}

fn check(vector: Vector, options: Options) {
    let resume = |position: &Setup| Game::<AnyPosition>::from_setup(options, position).unwrap();
    let check_after = |game: &Game<AnyPosition>, after: &Setup| {
        assert_eq!(meaning(&game.position().setup()), meaning(after));
    };
    match vector {
        Vector::Move {
            position,
            action,
            legal,
            after,
            error,
        } => {
            let mut game = resume(&position);
            let sorted = |mut actions: Vec<String>| {
                actions.sort();
                actions
            };
            let listed = game.moves().iter();
            let listed = listed.map(|action| canonical(&serde_json::to_value(action).unwrap()));
            assert_eq!(
                sorted(listed.collect()),
                sorted(legal.iter().map(canonical).collect())
            );
            let action = serde_json::from_value::<Action>(action);
            let played = action.map_or(Err(Refusal::BadAction), |action| game.play(&action));
            assert_eq!(played.err().map(|refusal| refusal.code().into()), error);
            match after {
                Some(after) => check_after(&game, &after),
                None => check_after(&game, &position),
            }
        }
        Vector::Line {
            position,
            actions,
            after,
        } => {
            let mut game = resume(&position);
            for action in &actions {
                game.play(action).unwrap();
            }
            check_after(&game, &after);
        }
        Vector::Game {
            first,
            actions,
            after,
        } => {
            let mut game = Game::<AnyPosition>::start(options, first);
            for action in &actions {
                game.play(action).unwrap();
            }
            check_after(&game, &after);
        }
        Vector::Perft {
            first,
            depth,
            count,
        } => {
            let game = Game::<AnyPosition>::start(options, first);
            assert_eq!(perft(&game, depth), count);
        }
    }
}

/// Checks every line of a game's file, and that there are as many of each kind as were
/// copied.
fn check_file(mancala: Mancala, lines: &str, expected: [(&str, usize); 4]) {
    let mut counts = BTreeMap::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["game"], mancala.key(), "line {number}");
        println!("{mancala}, line {number}: {}", value["note"]);
        let kind = value["kind"].as_str().unwrap().to_owned();
        *counts.entry(kind).or_insert(0) += 1;
        let options = Options::deserialize(mancala, &value["options"]).unwrap();
        check(serde_json::from_value(value).unwrap(), options);
    }
    let expected = expected.map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
}

#[test]
fn omweso() {
    let counts = [("move", 124), ("line", 4), ("game", 4), ("perft", 12)];
    check_file(
        Mancala::Omweso,
        include_str!("vectors/omweso.jsonl"),
        counts,
    );
}

#[test]
fn anywoli() {
    let counts = [("move", 109), ("line", 3), ("game", 3), ("perft", 9)];
    check_file(
        Mancala::Anywoli,
        include_str!("vectors/anywoli.jsonl"),
        counts,
    );
}

#[test]
fn urim() {
    let counts = [("move", 114), ("line", 1), ("game", 3), ("perft", 9)];
    check_file(Mancala::Urim, include_str!("vectors/urim.jsonl"), counts);
}

#[test]
fn bao_kigogo() {
    let counts = [("move", 25), ("line", 4), ("game", 1), ("perft", 3)];
    check_file(
        Mancala::BaoKigogo,
        include_str!("vectors/bao_kigogo.jsonl"),
        counts,
    );
}

#[test]
fn nsolo() {
    let counts = [("move", 75), ("line", 5), ("game", 3), ("perft", 8)];
    check_file(Mancala::Nsolo, include_str!("vectors/nsolo.jsonl"), counts);
}
