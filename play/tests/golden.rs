//! Logs as they were once written, which must be read for ever.
//!
//! `golden/KIND.vN.ndjson` is a whole log, an event a line, that shows a kind of event in
//! its Nth form. A new form comes with new files; the old ones stay, and are only read
//! then. Where a digest here has to change, no match that is stored can be recovered.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::{Action, BySide};
use mancala_play::{Digest, Event, Match, MatchEnd, record};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Each log with the digest it leads to.
const LOGS: [(&str, u64); 18] = [
    ("acted_lottery.v1", 0x7092_bb44_af4f_1b21),
    ("acted_omweso.v1", 0x7b8a_79c2_596f_611e),
    ("acted_sow.v1", 0x6ac6_75b6_8fdf_a17d),
    ("acted_strip.v1", 0x0d6a_2f52_7026_7f1d),
    ("created_anywoli.v1", 0xd5e0_35c4_b714_3bad),
    ("created_bao_kigogo.v1", 0x25a2_b738_2315_52a2),
    ("created_nsolo.v1", 0x2098_c366_ccfa_8c35),
    ("created_omweso.v1", 0xdb55_46a3_c22e_7333),
    ("created_urim.v1", 0xe8c2_15a4_cec7_7dbd),
    ("draw_declined.v1", 0x5dd0_f4f0_d12c_f15e),
    ("draw_offered.v1", 0xca49_1b43_4aa4_6fa1),
    ("game_began.v1", 0x17ea_c43e_7501_f1f0),
    ("game_ended.v1", 0x6dac_7c4c_57c0_a23d),
    ("match_ended_aborted.v1", 0x1380_f494_197b_86c3),
    ("match_ended_drawn.v1", 0xee6c_38b3_f264_c37c),
    ("match_ended_played.v1", 0x7603_9723_8797_3c52),
    ("match_ended_resigned.v1", 0xb637_1790_9e12_828d),
    ("seated.v1", 0x7d9f_f620_ad09_a236),
];

/// How the names of logs end whose forms are written today: so far, of all.
const WRITTEN_TODAY: &str = ".v1";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.ndjson"))).unwrap()
}

fn log(name: &str) -> Vec<Event> {
    let text = text(name);
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines().map(read).collect()
}

#[test]
fn every_golden_log_is_listed() {
    let found: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let listed = LOGS.map(|(name, _)| format!("{name}.ndjson")).into();
    assert_eq!(found, listed);
}

#[test]
fn golden_logs_lead_to_their_digests() {
    for (name, digest) in LOGS {
        let replayed = Match::replay(&log(name), Digest(digest));
        assert!(replayed.is_ok(), "{name}: {}", replayed.unwrap_err());
    }
}

#[test]
fn todays_events_are_written_as_in_the_golden_logs() {
    for (name, _) in LOGS {
        if !name.ends_with(WRITTEN_TODAY) {
            continue;
        }
        let written: String = log(name)
            .iter()
            .map(|event| serde_json::to_string(event).unwrap() + "\n")
            .collect();
        assert_eq!(written, text(name), "{name}");
    }
}

/// The kind of an event, and what else makes its form another.
fn forms(event: &Event) -> Vec<&'static str> {
    match event {
        Event::Created { spec } => vec!["created", spec.options.mancala().key()],
        Event::Seated { .. } => vec!["seated"],
        Event::GameBegan { .. } => vec!["game_began"],
        Event::Acted { action, part, .. } => vec![
            "acted",
            if *part > 0 { "a later part" } else { "alone" },
            match action {
                Action::Sow { .. } => "sow",
                Action::Koneeza { .. } => "koneeza",
                Action::Direction { .. } => "direction",
                Action::Arrange { .. } => "arrange",
                Action::Strip { .. } => "strip",
                Action::Lottery { .. } => "lottery",
                Action::LoseTurn => "lose_turn",
            },
        ],
        Event::Offered { .. } => vec!["draw_offered"],
        Event::Declined { .. } => vec!["draw_declined"],
        Event::GameEnded { outcome, .. } => vec![
            "game_ended",
            match outcome {
                mancala_play::GameOutcome::Board(_) => "board",
                mancala_play::GameOutcome::Outside { reason, .. } => reason.code(),
            },
        ],
        Event::MatchEnded { end, .. } => vec![
            "match_ended",
            match end {
                MatchEnd::Played { winner: Some(_) } => "won",
                MatchEnd::Played { winner: None } => "drawn",
                MatchEnd::Resigned { .. } => "match resigned",
                MatchEnd::Aborted => "aborted",
            },
        ],
    }
}

#[test]
fn every_form_of_an_event_has_its_golden_log() {
    let shown: BTreeSet<&str> = LOGS
        .iter()
        .flat_map(|(name, _)| log(name))
        .flat_map(|event| forms(&event))
        .collect();
    let expected = [
        "created omweso anywoli urim bao_kigogo nsolo seated game_began",
        "acted alone sow koneeza direction arrange strip lottery",
        "draw_offered draw_declined game_ended board resigned agreed",
        "match_ended won drawn aborted",
    ];
    let words = expected.iter().flat_map(|line| line.split(' '));
    let expected: BTreeSet<&str> = words.chain(["a later part", "match resigned"]).collect();
    assert_eq!(shown, expected);
}

#[test]
fn golden_logs_make_records() {
    for (name, _) in LOGS {
        let record = record(&log(name), BySide::both(None)).unwrap();
        assert_eq!(record.check().first_fault(), None, "{name}");
    }
}
