//! The oracle on the worked positions of the law: who compares with it must trust it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod oracle;

use oracle::Table;
use serde_json::Value;

/// In phase `over` only these fields carry meaning.
const MEANINGFUL_WHEN_OVER: [&str; 5] = ["pits", "stores", "phase", "captured", "captures"];

fn check_file(text: &str, lines_expected: usize) {
    for (number, line) in (1..).zip(text.lines()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        check(&vector, &format!("line {number}: {}", vector["note"]));
    }
    assert_eq!(text.lines().count(), lines_expected);
}

fn check(vector: &Value, place: &str) {
    let game = vector["game"].as_str().unwrap();
    let options = &vector["options"];
    let mut table = match vector.get("position") {
        Some(position) => Table::from_position(game, options, position).expect(place),
        None => Table::start(game, options, vector["first"].as_str().unwrap()).expect(place),
    };
    match vector["kind"].as_str().unwrap() {
        "move" => {
            let listed = vector["legal"].as_array().unwrap();
            assert_eq!(sorted(&table.legal()), sorted(listed), "{place}");
            let refusal = table.play(&vector["action"]).err();
            assert_eq!(
                refusal.as_deref(),
                vector.get("error").and_then(Value::as_str),
                "{place}"
            );
            let after = vector.get("after").unwrap_or(&vector["position"]);
            assert_position(&table.position(), after, place);
        }
        "line" | "game" => {
            for action in vector["actions"].as_array().unwrap() {
                assert_eq!(table.play(action), Ok(()), "{place}, {action}");
            }
            assert_position(&table.position(), &vector["after"], place);
        }
        "perft" => {
            let depth = vector["depth"].as_u64().unwrap();
            assert_eq!(table.perft(depth as u32), vector["count"], "{place}");
        }
        other => panic!("{place}: unknown kind {other}"),
    }
}

fn sorted(actions: &[Value]) -> Vec<String> {
    let mut texts: Vec<String> = actions.iter().map(Value::to_string).collect();
    texts.sort();
    texts
}

fn assert_position(found: &Value, expected: &Value, place: &str) {
    if expected["phase"]["kind"] != "over" {
        assert_eq!(found, expected, "{place}");
        return;
    }
    for field in MEANINGFUL_WHEN_OVER {
        assert_eq!(found.get(field), expected.get(field), "{place}, {field}");
    }
}

#[test]
fn omweso() {
    check_file(include_str!("vectors/omweso.jsonl"), 144);
}

#[test]
fn anywoli() {
    check_file(include_str!("vectors/anywoli.jsonl"), 124);
}

#[test]
fn urim() {
    check_file(include_str!("vectors/urim.jsonl"), 127);
}

#[test]
fn bao_kigogo() {
    check_file(include_str!("vectors/bao_kigogo.jsonl"), 33);
}

#[test]
fn nsolo() {
    check_file(include_str!("vectors/nsolo.jsonl"), 91);
}
