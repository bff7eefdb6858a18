//! The JSON forms: what is written so is read, and nothing else is.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::{
    Action, AnyPosition, Board, BySide, Direction, Extra, FullPit, Game, LastFour, Mancala, Moves,
    OmwesoSetup, Opening, Options, Outcome, PendingLap, Phase, Pit, Position, Reason, Setup, Side,
    Standing,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whether a form is read, from a text and from a value alike.
fn is_read<T: DeserializeOwned>(text: &str) -> bool {
    let from_text = serde_json::from_str::<T>(text);
    let value: Result<Value, _> = serde_json::from_str(text);
    // A value has forgotten that a field stood twice, so what it is read as says nothing.
    if let (Err(error), Ok(value)) = (&from_text, value)
        && !error.to_string().contains("duplicate field")
    {
        assert!(serde_json::from_value::<T>(value).is_err(), "{text}");
    }
    from_text.is_ok()
}

fn action(text: &str) -> bool {
    is_read::<Action>(text)
}

fn setup(text: &str) -> bool {
    is_read::<Setup>(text)
}

fn phase(text: &str) -> bool {
    is_read::<Phase>(text)
}

fn outcome(text: &str) -> bool {
    is_read::<Outcome>(text)
}

fn options(mancala: Mancala, text: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(text);
    Options::deserialize(mancala, &mut reader).is_ok()
}

fn omweso(text: &str) -> bool {
    options(Mancala::Omweso, text)
}

fn anywoli(text: &str) -> bool {
    options(Mancala::Anywoli, text)
}

fn urim(text: &str) -> bool {
    options(Mancala::Urim, text)
}

fn bao_kigogo(text: &str) -> bool {
    options(Mancala::BaoKigogo, text)
}

fn nsolo(text: &str) -> bool {
    options(Mancala::Nsolo, text)
}

/// How to read a form, and texts that are none of it.
type Malformed = (fn(&str) -> bool, &'static [&'static str]);

const MALFORMED: &[Malformed] = &[
    (
        action,
        &[
            // No object.
            r#"null"#,
            r#""lose_turn""#,
            r#"["sow", 3]"#,
            r#"["lose_turn"]"#,
            r#"[["type", "lose_turn"]]"#,
            // Fields that are missing, unknown, foreign or there twice.
            r#"{}"#,
            r#"{"pit": 3}"#,
            r#"{"type": "sow"}"#,
            r#"{"type": "sow", "pit": 3, "wind": 3}"#,
            r#"{"type": "sow", "pit": 3, "to": "south"}"#,
            r#"{"type": "sow", "pit": 3, "pit": 3}"#,
            r#"{"type": "sow", "type": "sow", "pit": 3}"#,
            r#"{"type": "koneeza", "pit": 3, "dir": "forward"}"#,
            r#"{"type": "lose_turn", "pit": 3}"#,
            r#"{"type": "direction"}"#,
            // Values of another kind.
            r#"{"type": ["sow"], "pit": 3}"#,
            r#"{"type": {"sow": null}, "pit": 3}"#,
            r#"{"type": 0, "pit": 3}"#,
            r#"{"type": "Sow", "pit": 3}"#,
            r#"{"type": "sow", "pit": null}"#,
            r#"{"type": "sow", "pit": -1}"#,
            r#"{"type": "sow", "pit": 3.5}"#,
            r#"{"type": "sow", "pit": "3"}"#,
            r#"{"type": "sow", "pit": [3]}"#,
            r#"{"type": "sow", "pit": 3, "dir": null}"#,
            r#"{"type": "sow", "pit": 3, "dir": "Reverse"}"#,
            r#"{"type": "sow", "pit": 3, "dir": 1}"#,
            r#"{"type": "sow", "pit": 3, "dir": {"forward": null}}"#,
            r#"{"type": "direction", "dir": {"reverse": null}}"#,
            r#"{"type": "lottery", "to": {"south": null}}"#,
            r#"{"type": "lottery", "to": ["south"]}"#,
            r#"{"type": "lottery", "to": null}"#,
            r#"{"type": "arrange", "pits": {"0": 32}}"#,
            r#"{"type": "arrange", "pits": [32, null]}"#,
            r#"{"type": "strip", "take": [[0]]}"#,
            r#"{"type": "strip", "take": [[0, 1, 2]]}"#,
            r#"{"type": "strip", "take": {"0": 1}}"#,
            r#"{"type": "strip", "take": [{"pit": 0, "seeds": 1}]}"#,
        ],
    ),
    (
        is_read::<Side>,
        &[
            r#"{"south": null}"#,
            r#"["south"]"#,
            r#""South""#,
            r#"0"#,
            r#"null"#,
        ],
    ),
    (
        is_read::<Direction>,
        &[
            r#"{"forward": null}"#,
            r#"["forward"]"#,
            r#""back""#,
            r#"0"#,
        ],
    ),
    (
        is_read::<Mancala>,
        &[r#"{"urim": null}"#, r#"["urim"]"#, r#""Urim""#, r#"2"#],
    ),
    (
        is_read::<Reason>,
        &[
            r#"{"quiet": null}"#,
            r#"["quiet"]"#,
            r#""lastfour""#,
            r#"0"#,
        ],
    ),
    (
        is_read::<BySide<u32>>,
        &[
            r#"[1, 2]"#,
            r#"{"south": 1}"#,
            r#"{"south": 1, "north": null}"#,
            r#"{"south": 1, "north": 2, "east": 3}"#,
            r#"{"south": 1, "north": 2, "south": 1}"#,
            r#"{"south": 1, "north": -2}"#,
        ],
    ),
    (
        is_read::<Board>,
        &[r#"[{"south": [], "north": []}, {"south": 0, "north": 0}]"#],
    ),
    (
        is_read::<Standing>,
        &[r#"["south", 1, 0, {"kind": "play"}]"#],
    ),
    (
        outcome,
        &[
            r#"["draw", null, {"south": 0, "north": 0}, "quiet"]"#,
            r#"{"outcome": "draw", "points": {"south": 0, "north": 0}, "reason": "quiet"}"#,
            r#"{"outcome": {"draw": null}, "winner": null, "points": {"south": 0, "north": 0}, "reason": "quiet"}"#,
            r#"{"outcome": "draw", "winner": null, "points": [0, 0], "reason": "quiet"}"#,
            r#"{"outcome": "draw", "winner": null, "points": {"south": 0, "north": 0}, "reason": {"quiet": null}}"#,
            r#"{"outcome": "draw", "winner": "south", "points": {"south": 0, "north": 0}, "reason": "quiet"}"#,
            r#"{"outcome": "draw", "winner": null, "points": {"south": 1, "north": 0}, "reason": "quiet"}"#,
            r#"{"outcome": "win", "winner": null, "points": {"south": 1, "north": 0}, "reason": "bulijo"}"#,
            r#"{"outcome": "win", "winner": {"south": null}, "points": {"south": 1, "north": 0}, "reason": "bulijo"}"#,
            r#"{"outcome": "win", "winner": "south", "points": {"south": 1, "north": 1}, "reason": "bulijo"}"#,
            r#"{"outcome": "win", "winner": "south", "points": {"south": 256, "north": 0}, "reason": "bulijo"}"#,
            r#"{"outcome": "win", "winner": "south", "points": {"south": 1, "north": 0}, "reason": "resigned"}"#,
            r#"{"outcome": "win", "winner": "south", "points": {"south": 1, "north": 0}, "reason": "bulijo", "wind": 3}"#,
        ],
    ),
    (
        phase,
        &[
            r#""play""#,
            r#"["play"]"#,
            r#"["strip", 2]"#,
            r#"{}"#,
            r#"{"play": null}"#,
            r#"{"kind": null}"#,
            r#"{"kind": 1}"#,
            r#"{"kind": ["play"]}"#,
            r#"{"kind": {"play": null}}"#,
            r#"{"kind": "Play"}"#,
            r#"{"kind": "play", "kind": "play"}"#,
            r#"{"kind": "play", "wind": 3}"#,
            r#"{"kind": "play", "seeds": 3}"#,
            r#"{"kind": "arrange", "wind": 3}"#,
            r#"{"kind": "lottery", "wind": 3}"#,
            r#"{"kind": "strip"}"#,
            r#"{"kind": "strip", "seeds": "2"}"#,
            r#"{"kind": "strip", "seeds": 2, "wind": 3}"#,
            r#"{"kind": "strip", "seeds": 2, "seeds": 2}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": [4], "laps": 2, "wind": 3}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": [4], "laps": 2, "laps": 2}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": [4]}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": 0, "columns": [4], "laps": 2}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": 4, "laps": 2}"#,
            r#"{"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": [9], "laps": 2}"#,
            r#"{"kind": "direction", "pit": [15], "seeds": 3, "held": false, "columns": [4], "laps": 2}"#,
            r#"{"kind": "over"}"#,
            r#"{"kind": "over", "outcome": "draw", "winner": null, "points": {"south": 0, "north": 0}, "reason": "quiet", "wind": 3}"#,
            r#"{"kind": "over", "outcome": "draw", "winner": null, "points": [0, 0], "reason": "quiet"}"#,
            r#"{"kind": "over", "outcome": "draw", "winner": null, "points": {"south": 0, "north": 0}, "reason": {"quiet": null}}"#,
            r#"{"kind": "over", "outcome": {"draw": null}, "winner": null, "points": {"south": 0, "north": 0}, "reason": "quiet"}"#,
        ],
    ),
    (is_read::<PendingLap>, &[r#"[15, 3, false, [4], 2]"#]),
    (
        setup,
        &[
            r#"[{"south": [1], "north": [1]}, {"south": 0, "north": 0}, "south", 1, 0, {"kind": "play"}]"#,
            r#"{"pits": [[1], [1]], "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": [0, 0], "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": {"south": null}, "turn": 1, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": -1, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1.0, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": ["play"]}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play", "wind": 3}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "wind": 3}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "turn": 1, "quiet": 0, "phase": {"kind": "play"}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "captured": null, "captures": null}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "captured": true}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "captured": true, "captures": [1, 0]}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "captured": 1, "captures": {"south": 1, "north": 0}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "last_seed": {"south": null}}"#,
            r#"{"pits": {"south": [1], "north": [1]}, "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"}, "last_seed": "nobody"}"#,
        ],
    ),
    (
        omweso,
        &[
            r#"[]"#,
            r#"null"#,
            r#"["standard", 10, "off", false, 200]"#,
            r#"{"wind": 3}"#,
            r#"{"columns": 8}"#,
            r#"{"setup": {"free": null}}"#,
            r#"{"setup": "Free"}"#,
            r#"{"setup": null}"#,
            r#"{"cap": 1}"#,
            r#"{"cap": 33}"#,
            r#"{"cap": "none"}"#,
            r#"{"cap": [10]}"#,
            r#"{"cap": null, "cap": null}"#,
            r#"{"opening": {"off": null}}"#,
            r#"{"opening": false}"#,
            r#"{"akakyala": "on"}"#,
            r#"{"akakyala": null}"#,
        ],
    ),
    (
        anywoli,
        &[
            r#"[]"#,
            r#"["lottery"]"#,
            r#"{"cap": null}"#,
            r#"{"last_four": {"lottery": null}}"#,
            r#"{"last_four": 2}"#,
            r#"{"last_four": null}"#,
        ],
    ),
    (
        urim,
        &[
            r#"[]"#,
            r#"[7]"#,
            r#"{"columns": 8}"#,
            r#"{"columns": 7.0}"#,
            r#"{"columns": "7"}"#,
            r#"{"full_pit": {"skip": null}}"#,
            r#"{"full_pit": true}"#,
        ],
    ),
    (
        bao_kigogo,
        &[
            r#"[]"#,
            r#"[100]"#,
            r#"{"columns": 12}"#,
            r#"{"quiet_limit": 9}"#,
            r#"{"quiet_limit": 10001}"#,
            r#"{"quiet_limit": null}"#,
            r#"{"quiet_limit": 100, "quiet_limit": 100}"#,
        ],
    ),
    (
        nsolo,
        &[
            r#"[]"#,
            r#"[8, 200]"#,
            r#"{"columns": 7}"#,
            r#"{"columns": 37}"#,
            r#"{"columns": null}"#,
        ],
    ),
    (is_read::<OmwesoSetup>, &[r#"{"free": null}"#]),
    (is_read::<Opening>, &[r#"{"off": null}"#]),
    (is_read::<LastFour>, &[r#"{"lottery": null}"#]),
    (is_read::<FullPit>, &[r#"{"skip": null}"#]),
];

#[test]
fn what_has_another_form_is_not_read() {
    for (is_read, texts) in MALFORMED {
        for text in *texts {
            assert!(!is_read(text), "this was read: {text}");
        }
    }
}

/// Fields may stand in any order, and those that may be `null` may be.
#[test]
fn what_has_the_form_is_read() {
    let position = |last: &str| {
        format!(
            r#"{{"phase": {{"kind": "play"}}, "quiet": 0, "turn": 1, "to_move": "north",
                "stores": {{"north": 0, "south": 0}}, "pits": {{"north": [], "south": []}}{last}}}"#
        )
    };
    for last in [
        "",
        r#", "last_seed": null"#,
        r#", "last_seed": "south""#,
        r#", "captured": false, "captures": {"south": 0, "north": 0}"#,
    ] {
        assert!(setup(&position(last)), "{last}");
    }
    assert!(omweso(r#"{"cap": null}"#));
    assert!(omweso(
        r#"{"opening": "each_players_first_turn", "cap": 32}"#
    ));
    assert!(urim("{}"));
    assert!(action(r#"{"pit": 3, "type": "sow"}"#));
    assert!(action(r#"{"type": "sow", "pit": 36893488147419103232}"#));
    assert!(phase(r#"{"seeds": 2, "kind": "strip"}"#));
    for reason in Reason::ALL {
        assert!(is_read::<Reason>(&format!("{:?}", reason.code())));
    }
    for mancala in Mancala::ALL {
        assert!(is_read::<Mancala>(&format!("{:?}", mancala.key())));
    }
}

const VECTORS: [&str; 5] = [
    include_str!("vectors/omweso.jsonl"),
    include_str!("vectors/anywoli.jsonl"),
    include_str!("vectors/urim.jsonl"),
    include_str!("vectors/bao_kigogo.jsonl"),
    include_str!("vectors/nsolo.jsonl"),
];

/// Every position, action and object of options of the vectors is read, but for the
/// actions that they call bad, and what a position comes to can stand in a game.
#[test]
fn the_forms_of_the_vectors_are_read() {
    let mut count = 0;
    let mut reasons = Vec::new();
    for line in VECTORS.into_iter().flat_map(str::lines) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let mancala = vector["game"].as_str().unwrap().parse().unwrap();
        let options = Options::deserialize(mancala, &vector["options"]).unwrap();
        for position in ["position", "after"]
            .into_iter()
            .filter_map(|name| vector.get(name))
        {
            let setup: Setup = serde_json::from_str(&position.to_string()).unwrap();
            AnyPosition::from_setup(options, &setup).unwrap();
            if let Some(outcome) = setup.standing.phase.outcome() {
                reasons.push(outcome.reason());
            }
            count += 1;
        }
        let well_formed = vector.get("error").is_none_or(|code| code != "bad_action");
        if let Some(played) = vector.get("action") {
            assert_eq!(action(&played.to_string()), well_formed, "{line}");
        }
        for list in ["actions", "legal"] {
            for listed in vector
                .get(list)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                assert!(action(&listed.to_string()), "{line}");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count} forms");
    for reason in Reason::ALL {
        assert!(reasons.contains(&reason), "{reason}");
    }
}

/// Options under which games end in every way.
const OPTIONS: [(Mancala, &str); 10] = [
    (Mancala::Omweso, ""),
    (Mancala::Omweso, "opening off, akakyala on, quiet_limit 10"),
    (Mancala::Anywoli, ""),
    (Mancala::Anywoli, "last_four lottery, quiet_limit 10"),
    (Mancala::Urim, "full_pit forbid"),
    (Mancala::Urim, "columns 7, quiet_limit 10"),
    (Mancala::BaoKigogo, ""),
    (Mancala::BaoKigogo, "quiet_limit 10"),
    (Mancala::Nsolo, ""),
    (Mancala::Nsolo, "columns 13, quiet_limit 10"),
];

/// A move drawn from a seed that goes on (an LCG); any strip and either lot will do.
fn next_action(game: &Game<AnyPosition>, draws: &mut u64) -> Action {
    *draws = draws
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    let drawn = (*draws >> 33) as usize;
    let standing = game.position().standing();
    match standing.phase {
        Phase::Play | Phase::Direction(_) => match game.moves() {
            Moves::NONE => Action::LoseTurn,
            moves => moves.nth(drawn % moves.len()),
        },
        Phase::Lottery => Action::Lottery {
            to: Side::ALL[drawn % 2],
        },
        Phase::Strip { seeds } => {
            let mut due = seeds;
            let pits = game.position().setup().board.pits[standing.to_move.other()].clone();
            let mut take = Vec::new();
            for (pit, held) in (0..).map(Pit).zip(pits) {
                let taken = held.min(due);
                due -= taken;
                if taken > 0 {
                    take.push((pit, taken));
                }
            }
            Action::Strip { take }
        }
        Phase::Arrange | Phase::Over(_) => panic!("nothing to draw"),
    }
}

/// Whatever position a game comes to, its end included, is written, read and taken for
/// sound again.
#[test]
fn positions_that_games_come_to_are_accepted_again() {
    let mut draws = 0x51ce_5eed;
    let mut reasons = Vec::new();
    for (mancala, text) in OPTIONS {
        let options = Options::parse(mancala, text).unwrap();
        for first in Side::ALL.into_iter().cycle().take(100) {
            let mut game = Game::<AnyPosition>::start(options, first);
            loop {
                let setup = game.position().setup();
                let json = serde_json::to_string(&setup).unwrap();
                assert_eq!(serde_json::from_str::<Setup>(&json).unwrap(), setup);
                let again = AnyPosition::from_setup(options, &setup);
                let again = again.unwrap_or_else(|bad| panic!("{mancala} {text}: {json}: {bad}"));
                assert_eq!(again, *game.position());
                if let Some(outcome) = game.outcome() {
                    reasons.push(outcome.reason());
                    break;
                }
                let action = next_action(&game, &mut draws);
                game.play(&action).unwrap();
            }
        }
    }
    // Ends that hardly come by chance are among the vectors.
    let rare = [Reason::Akawumbi, Reason::Immobilised, Reason::BothStuck];
    for reason in Reason::ALL {
        assert!(
            reasons.contains(&reason) || rare.contains(&reason),
            "{reason}"
        );
    }
}

/// Turn 1,000,000,001 once came of the last turn that a position may have, and with it
/// an answer that was no question.
#[test]
fn a_game_at_the_highest_turn_goes_on_within_it() {
    const TURN_MAX: u32 = 1_000_000_000;
    let mut draws = 0x51ce_5eed;
    for (mancala, text) in OPTIONS {
        let options = Options::parse(mancala, text).unwrap();
        let mut setup = AnyPosition::start(options, Side::South).setup();
        setup.standing.turn = TURN_MAX - 1;
        if let Extra::Omweso { captured, captures } = &mut setup.extra {
            (*captured, *captures) = (true, BySide::both(TURN_MAX));
        }
        let mut game = Game::<AnyPosition>::from_setup(options, &setup).unwrap();
        while game.outcome().is_none() {
            let action = next_action(&game, &mut draws);
            game.play(&action).unwrap();
            let setup = game.position().setup();
            let again = AnyPosition::from_setup(options, &setup);
            again.unwrap_or_else(|bad| panic!("{mancala} {text}: {setup}: {bad}"));
        }
        assert_eq!(game.position().standing().turn, TURN_MAX, "{mancala}");
    }
}

/// A list of pits that is far too long once had a flaw for each number in it.
#[test]
fn no_list_has_more_flaws_than_the_board_has_pits() {
    let options = Options::standard(Mancala::Urim);
    let mut setup = AnyPosition::start(options, Side::South).setup();
    setup.board.pits.south = vec![u32::MAX; 100_000];
    let bad = AnyPosition::from_setup(options, &setup).unwrap_err();
    assert_eq!(bad.flaws.len(), 6 + 2, "{bad}");
}
