//! `mancala-bench server` as a program, against the real server.

use mancala_engine::Mancala;
use mancala_tests::server;
use serde_json::Value;
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(server::bench());
    command.arg("server").args(arguments);
    command.output().unwrap()
}

fn bench_a_new_server(arguments: &[&str]) -> Output {
    let program = server::program().to_str().unwrap();
    bench(&[&["--spawn", program], arguments].concat())
}

/// The lines of JSON of a run in which all was well.
fn reports(output: &Output) -> Vec<Value> {
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{lines}{errors}");
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn count(report: &Value, pointer: &str) -> u64 {
    let count = report.pointer(pointer).and_then(Value::as_u64);
    count.unwrap_or_else(|| panic!("no {pointer} in {report}"))
}

#[test]
fn every_game_is_played_and_checked_in_closed_loop() {
    let load = "--game all --matches 3 --spectators 2 --idle 5 --moves 60 --warmup 0";
    let load: Vec<&str> = load.split(' ').collect();
    let reports = reports(&bench_a_new_server(&load));
    assert_eq!(reports.len(), Mancala::ALL.len());
    for (report, game) in reports.iter().zip(Mancala::ALL) {
        assert_eq!(report["game"], game.key());
        assert_eq!(report["errors"], Value::Array(Vec::new()), "{report}");
        let moves = count(report, "/moves");
        assert!(moves >= 60, "{report}");
        // Each event is checked once, however many hear it; a move may be answered whose event
        // came before the measuring began, one at each table.
        assert!(count(report, "/events_checked") + 3 >= moves, "{report}");
        assert!(count(report, "/event_bytes_median") > 100, "{report}");
        let spread =
            |what: &str| ["p50", "p99", "p999"].map(|at| count(report, &format!("/{what}/{at}")));
        for spread in [spread("to_opponent_us"), spread("to_answer_us")] {
            assert!(spread.is_sorted() && spread[0] > 0, "{report}");
        }
        assert!(count(report, "/server/end_bytes") > 1_000_000, "{report}");
        assert!(report["server"]["idle_socket_bytes"].is_u64(), "{report}");
    }
}

#[test]
fn moves_come_at_a_fixed_rate_too() {
    let load = "--game urim --matches 4 --rate 200 --moves 40 --warmup 0 --human";
    let load: Vec<&str> = load.split(' ').collect();
    let output = bench_a_new_server(&load);
    let report = &reports(&output)[0];
    assert!(count(report, "/moves") >= 40, "{report}");
    assert_eq!(report["rate"], 200.0);
    let table = String::from_utf8_lossy(&output.stderr);
    assert!(table.contains("moves a second"), "{table}");
}

#[test]
fn teams_play_and_a_crowd_watches() {
    for decides in ["rotation", "captain", "vote", "first"] {
        let load = "--game nsolo --columns 36 --matches 1 --teams 3 --spectators 20 --moves 30 \
                    --rate 40 --warmup 0 --decides";
        let load: Vec<&str> = load.split_whitespace().chain([decides]).collect();
        let report = &reports(&bench_a_new_server(&load))[0];
        assert_eq!(report["errors"], Value::Array(Vec::new()), "{report}");
        assert_eq!(count(report, "/teams/members"), 3);
        assert_eq!(report["teams"]["decides"], decides);
        assert_eq!(report["options"]["columns"], 36);
        assert_eq!(count(report, "/spectators"), 20);
        let moves = count(report, "/moves");
        assert!(moves >= 30, "{report}");
        assert!(count(report, "/events_checked") + 1 >= moves, "{report}");
        let spread = ["p50", "p99", "p999", "max"]
            .map(|at| count(report, &format!("/to_last_spectator_us/{at}")));
        assert!(spread.is_sorted() && spread[0] > 0, "{report}");
        for figure in ["player_socket_bytes", "match_begun_bytes"] {
            assert!(report["server"][figure].is_u64(), "{report}");
        }
        assert!(report["driver_cores"].is_f64(), "{report}");
    }
    // Where nobody watches there is no last one.
    let load = "--game urim --matches 1 --moves 5 --warmup 0";
    let load: Vec<&str> = load.split(' ').collect();
    let report = &reports(&bench_a_new_server(&load))[0];
    assert!(report["to_last_spectator_us"].is_null() && report["teams"].is_null());
}

#[test]
fn what_goes_wrong_is_said_and_fails_the_run() {
    // A server that refuses what is asked for.
    let output = bench_a_new_server(&["--options", r#"{"columns":99}"#, "--game", "urim"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("bad_options"), "{errors}");
    // None at all: the port was free a moment ago, and nobody listens on it.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", port.local_addr().unwrap());
    drop(port);
    let output = bench(&["--url", &url]);
    assert!(!output.status.success());
}
