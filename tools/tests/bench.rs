//! `mancala-bench` as a program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala-bench"));
    command.args(arguments).output().unwrap()
}

#[test]
fn the_engine_is_measured_in_one_line_of_json() {
    let output = bench(&[
        "engine",
        "--game",
        "urim",
        "--seconds",
        "0.01",
        "--runs",
        "1",
    ]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["game"], "urim");
}

#[test]
fn what_is_not_known_is_refused() {
    let output = bench(&["engine", "--game", "chess"]);
    assert!(!output.status.success() && output.stdout.is_empty());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("a game is `omweso`"), "{errors}");
}
