//! Logs as they were once written, which must be read for ever.
//!
//! `golden/KIND.vN.ndjson` is a whole log, an event a line, that shows a kind of event in
//! its Nth form. A new form comes with new files; the old ones stay, and are only read
//! then. Where a digest here has to change, no match that is stored can be recovered.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::Action;
use mancala_play::{
    ControlForm, Decides, Digest, Event, GameOutcome, Leaving, Match, MatchEnd, PauseWhy, Request,
    Ruling, Spent, TeamEvent, Way, WhenOut, record,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Each log with the digest it leads to.
const LOGS: [(&str, u64); 52] = [
    ("acted_by_the_clock.v1", 0x8252_0c50_a402_9b0f),
    ("acted_lottery.v1", 0x7092_bb44_af4f_1b21),
    ("acted_omweso.v1", 0x7b8a_79c2_596f_611e),
    ("acted_sow.v1", 0x6ac6_75b6_8fdf_a17d),
    ("acted_strip.v1", 0x0d6a_2f52_7026_7f1d),
    ("created_anywoli.v1", 0xd5e0_35c4_b714_3bad),
    ("created_bao_kigogo.v1", 0x25a2_b738_2315_52a2),
    ("created_blitz.v1", 0x503b_320c_8a36_bb18),
    ("created_byo_yomi.v1", 0x1ffb_93e4_0c08_b310),
    ("created_correspondence.v1", 0x0859_a5f5_5c06_be5d),
    ("created_counting.v1", 0xd03a_8d62_1ace_2112),
    ("created_fischer.v1", 0x6ad0_fd22_ab57_c82a),
    ("created_nsolo.v1", 0x2098_c366_ccfa_8c35),
    ("created_omweso.v1", 0xdb55_46a3_c22e_7333),
    ("created_per_move.v1", 0x854d_d81f_619f_00a4),
    ("created_rated.v1", 0x256b_7e89_fac5_ce96),
    ("created_start_anywoli.v1", 0x3905_b673_bf59_ff7e),
    ("created_start_bao_kigogo.v1", 0xfd18_9c3f_55ff_f669),
    ("created_start_nsolo.v1", 0x6799_4cb7_436a_48a6),
    ("created_start_omweso.v1", 0x2cdf_814f_4c10_9998),
    ("created_start_urim.v1", 0xd8fb_8294_0aec_dad5),
    ("created_teams_captain.v1", 0x4877_0e7c_e782_81b4),
    ("created_teams_first.v1", 0x4798_5050_0b47_36f5),
    ("created_urim.v1", 0xe8c2_15a4_cec7_7dbd),
    ("declined.v1", 0x1554_c3ac_d678_6ccb),
    ("draw_declined.v1", 0x5dd0_f4f0_d12c_f15e),
    ("draw_offered.v1", 0xca49_1b43_4aa4_6fa1),
    ("game_began.v1", 0x17ea_c43e_7501_f1f0),
    ("game_ended.v1", 0x6dac_7c4c_57c0_a23d),
    ("game_ended_agreed.v1", 0x7223_dbf2_570f_176f),
    ("game_ended_claimed.v1", 0xd1d3_c192_79b8_c560),
    ("game_ended_claimed_draw.v1", 0xbdb0_ff18_279b_606f),
    ("game_ended_time.v1", 0xcb3f_f00e_3a90_bf1b),
    ("match_ended_abandoned.v1", 0xcbd5_268b_61c9_a9a8),
    ("match_ended_aborted.v1", 0x1380_f494_197b_86c3),
    ("match_ended_agreed.v1", 0x012a_6a1e_b926_1aab),
    ("match_ended_drawn.v1", 0xee6c_38b3_f264_c37c),
    ("match_ended_played.v1", 0x7603_9723_8797_3c52),
    ("match_ended_resigned.v1", 0xb637_1790_9e12_828d),
    ("match_ended_ruled_aborted.v1", 0xe10b_2d27_1c4b_fb20),
    ("match_ended_ruled_drawn.v1", 0xe61d_e22c_364b_0703),
    ("match_ended_ruled_won.v1", 0x3a84_26af_43af_87e0),
    ("offered.v1", 0x0323_ff88_5287_d463),
    ("paused_absent.v1", 0x0db9_4fa0_d4b8_4631),
    ("paused_agreed.v1", 0x0c56_820d_4b3a_a404),
    ("rematched.v1", 0x528e_d7d3_5b0f_a86f),
    ("seated.v1", 0x7d9f_f620_ad09_a236),
    ("signed.v1", 0x48f3_3324_25e2_021c),
    ("taken_back.v1", 0x67e5_591e_a892_7275),
    ("teams_rotation.v1", 0xbcf9_4d64_57eb_39f3),
    ("teams_vote.v1", 0x31cf_8af6_e767_257a),
    ("time_given.v1", 0x5cb5_c2d0_a4fb_c576),
];

/// Logs with forms that nobody writes any more: offers were of a draw alone, and had its name.
const ONLY_READ: [&str; 4] = [
    "draw_declined.v1",
    "draw_offered.v1",
    "game_ended.v1",
    "match_ended_drawn.v1",
];

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
        let written: String = log(name)
            .iter()
            .map(|event| serde_json::to_string(event).unwrap() + "\n")
            .collect();
        assert_eq!(written == text(name), !ONLY_READ.contains(&name), "{name}");
    }
}

/// The kind of an event, and what else makes its form another.
fn forms(event: &Event) -> Vec<String> {
    let json = serde_json::to_value(event).unwrap();
    let words: &[&str] = match event {
        Event::Created { spec } => &[
            spec.options.mancala().key(),
            match spec.clock.form() {
                ControlForm::Untimed {} => "untimed",
                ControlForm::PerMove {
                    out: WhenOut::LosesTurn,
                    ..
                } => "loses_turn",
                ControlForm::PerMove {
                    out: WhenOut::LosesGame,
                    ..
                } => "loses_game",
                ControlForm::Fischer { .. } => "fischer",
                ControlForm::ByoYomi { .. } => "byo_yomi",
                ControlForm::Correspondence { .. } => "correspondence",
            },
            match spec.way {
                None => "no_way",
                Some(Way::Counting) => "counting",
                Some(Way::Contract) => "contract",
                Some(Way::Blitz) => "blitz",
            },
            if spec.rated { "rated" } else { "casual" },
            if spec.start.is_some() {
                "a_start"
            } else {
                "no_start"
            },
            match spec.teams.as_ref().map(|teams| teams.decides) {
                None => "no_teams",
                Some(Decides::Rotation) => "rotation",
                Some(Decides::Captain) => "captain",
                Some(Decides::Vote { .. }) => "vote",
                Some(Decides::First) => "first",
            },
        ],
        Event::Acted {
            action,
            key,
            part,
            spent,
            by,
            ..
        } => &[
            if *part > 0 { "a_later_part" } else { "alone" },
            match action {
                Action::Sow { .. } => "sow",
                Action::Koneeza { .. } => "koneeza",
                Action::Direction { .. } => "direction",
                Action::Arrange { .. } => "arrange",
                Action::Strip { .. } => "strip",
                Action::Lottery { .. } => "lottery",
                Action::LoseTurn => "lose_turn",
            },
            match (key, by) {
                (None, None) => "unasked",
                (Some(_), _) => "asked",
                (None, Some(_)) => "chosen",
            },
            if *spent == Spent::NOTHING {
                "at_no_time"
            } else {
                "at_a_time"
            },
        ],
        Event::Team { what, .. } => &[match what {
            TeamEvent::Came { .. } => "came",
            TeamEvent::Waits { .. } => "waits",
            TeamEvent::Sat { .. } => "sat",
            TeamEvent::Left { .. } => "left",
            TeamEvent::StoodIn { .. } => "stood_in",
            TeamEvent::HandedBack { .. } => "handed_back",
            TeamEvent::Led { .. } => "led",
            TeamEvent::Ordered { .. } => "ordered",
            TeamEvent::Absent { .. } => "absent",
            TeamEvent::Present { .. } => "present",
            TeamEvent::Passed { .. } => "passed",
            TeamEvent::Ready => "ready",
            TeamEvent::Proposed { .. } => "proposed",
            TeamEvent::Voted { .. } => "voted",
            TeamEvent::WindowClosed => "window_closed",
            TeamEvent::Backed { .. } => "backed",
            TeamEvent::Published => "published",
        }],
        Event::Paused { why, .. } => &[match why {
            PauseWhy::Agreed => "agreed_pause",
            PauseWhy::Absent => "absent_pause",
        }],
        Event::Gone { how, .. } => &[match how {
            Leaving::Dropped => "dropped",
            Leaving::Closed => "closed",
        }],
        Event::GameEnded { outcome, .. } => &[match outcome {
            GameOutcome::Board(_) => "board",
            GameOutcome::Outside { reason, .. } => reason.code(),
        }],
        Event::MatchEnded { end, .. } => &[match end {
            MatchEnd::Played { winner: Some(_) } => "won",
            MatchEnd::Played { winner: None } => "drawn",
            MatchEnd::Resigned { .. } => "match_resigned",
            MatchEnd::Aborted => "aborted",
            MatchEnd::Abandoned => "abandoned",
            MatchEnd::Ruled(Ruling::Aborted) => "ruled_aborted",
            MatchEnd::Ruled(Ruling::Drawn) => "ruled_drawn",
            MatchEnd::Ruled(Ruling::Won(_)) => "ruled_won",
        }],
        _ => &[],
    };
    let kind = json["type"].as_str().unwrap();
    let asked = event.asked();
    let request = asked.map(|asked| asked.request.to_string());
    let numbered = asked.and_then(|asked| asked.number);
    words
        .iter()
        .map(|word| (*word).to_owned())
        .chain([kind.to_owned()])
        .chain(request)
        .chain(numbered.map(|_| "with_number".to_owned()))
        .collect()
}

#[test]
fn every_form_of_an_event_has_its_golden_log() {
    let shown: BTreeSet<String> = LOGS
        .iter()
        .flat_map(|(name, _)| log(name))
        .flat_map(|event| forms(&event))
        .collect();
    let expected = [
        "created omweso anywoli urim bao_kigogo nsolo",
        "untimed loses_turn loses_game fischer byo_yomi correspondence",
        "no_way counting contract blitz casual rated no_start a_start",
        "seated signed game_began",
        "acted alone a_later_part sow koneeza direction arrange strip lottery lose_turn",
        "asked unasked at_no_time at_a_time",
        "offered declined with_number taken_back time_given",
        "paused agreed_pause absent_pause resumed counted gone dropped closed back",
        "game_ended board resigned agreed time claimed",
        "match_ended won drawn match_resigned aborted abandoned",
        "ruled_aborted ruled_drawn ruled_won rematched",
        "team came waits sat left stood_in handed_back led ordered absent present passed ready",
        "proposed voted window_closed backed published chosen no_teams",
        "rotation captain vote first",
    ];
    let words = expected.iter().flat_map(|line| line.split(' '));
    let words = words.map(str::to_owned);
    // Whatever may be asked for is asked for somewhere.
    let requests = Request::all().filter(|request| *request != Request::Publish);
    let requests = requests.map(|request| request.to_string());
    let expected: BTreeSet<String> = words.chain(requests).collect();
    assert_eq!(shown, expected);
}

#[test]
fn golden_logs_make_records() {
    for (name, _) in LOGS {
        let record = record(&log(name), |_| None).unwrap();
        assert_eq!(record.check().first_fault(), None, "{name}");
    }
}
