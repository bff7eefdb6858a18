//! The fast engine against the oracle: random games, positions and nonsense.
//!
//! `MANCALA_GAMES=100000 cargo test -p mancala-engine --test differential` plays that
//! many games of each kind instead of the few that a change is checked with.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod oracle;
mod support;

use mancala_engine::{Action, Game, Mancala, Position, Reason, Refusal, Setup};
use oracle::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::draw::{self, Habit};
use support::laws::{self, AnyGame};
use support::lot::Lot;

/// The games of each kind, unless the environment asks for more.
const GAMES: u64 = 150;

fn games() -> u64 {
    std::env::var("MANCALA_GAMES").map_or(GAMES, |number| number.parse().unwrap())
}

/// One game before both engines.
struct Pair {
    game: AnyGame,
    table: Table,
}

impl Pair {
    fn start(mancala: Mancala, options: &Value, first: &str) -> Pair {
        let read = laws::read_options(mancala, options);
        Pair {
            game: Game::start(read, laws::side_named(first)),
            table: Table::start(mancala.key(), options, first).unwrap(),
        }
    }

    /// A game from a position, where both accept it. They must not differ in that.
    fn resume(mancala: Mancala, options: &Value, position: &Value) -> Option<Pair> {
        let read = laws::read_options(mancala, options);
        let game = serde_json::from_value::<Setup>(position.clone())
            .map_err(|error| error.to_string())
            .and_then(|setup| Game::from_setup(read, &setup).map_err(|bad| bad.to_string()));
        let table = Table::from_position(mancala.key(), options, position);
        match (game, table) {
            (Ok(game), Ok(table)) => Some(Pair { game, table }),
            (Err(_), Err(_)) => None,
            (game, table) => {
                let known = known_difference(position, game.is_ok());
                assert!(
                    known.is_some(),
                    "{mancala} {options} {position}: {:?}, the oracle {:?}",
                    game.err(),
                    table.err()
                );
                None
            }
        }
    }

    fn check(&self) {
        let (engine, oracle) = (laws::position_json(&self.game), self.table.position());
        assert_eq!(meaning(&engine), meaning(&oracle));
        assert_eq!(self.legal(), sorted(self.table.legal()), "{oracle}");
    }

    /// What may be played, in the oracle's words.
    fn legal(&self) -> Vec<String> {
        let omweso = self.game.position().mancala() == Mancala::Omweso;
        let written = laws::moves_json(&self.game).into_iter().map(|mut action| {
            if omweso && action["type"] == "sow" && action.get("dir").is_none() {
                action["dir"] = json!("forward");
            }
            action
        });
        sorted(written.collect())
    }

    /// Both refuse it for the same reason and change nothing, or both accept it.
    fn play(&mut self, action: &Value) -> Result<(), String> {
        let read = serde_json::from_value::<Action>(action.clone());
        let played = read.map_or(Err(Refusal::BadAction), |action| self.game.play(&action));
        let played = played
            .map(drop)
            .map_err(|refusal| refusal.code().to_owned());
        let before = self.table.position();
        assert_eq!(self.table.play(action), played, "{before} {action}");
        played
    }
}

fn sorted(actions: Vec<Value>) -> Vec<String> {
    let mut texts: Vec<String> = actions.iter().map(Value::to_string).collect();
    texts.sort();
    texts
}

/// Of a game that is over it means nothing whose turn it would be.
fn meaning(position: &Value) -> Value {
    let mut position = position.clone();
    if position["phase"]["kind"] == "over" {
        for field in ["to_move", "turn", "quiet", "last_seed"] {
            position.as_object_mut().unwrap().remove(field);
        }
    }
    position
}

/// Why the two may differ in whether a position is sound; [`known_differences`] has an
/// example of each.
fn known_difference(position: &Value, engine_accepts: bool) -> Option<Known> {
    let phase = &position["phase"];
    let columns = phase["columns"].as_array().map_or(&[][..], Vec::as_slice);
    let different: BTreeSet<String> = columns.iter().map(Value::to_string).collect();
    let opponent = if position["to_move"] == "south" {
        "north"
    } else {
        "south"
    };
    let pits = &position["pits"][opponent];
    let holds_seeds = |column: &Value| {
        let column = column.as_u64().unwrap_or(0) as usize;
        (1..=8).contains(&column) && (pits[column - 1] != 0 || pits[16 - column] != 0)
    };
    let too_many = |turns: &Value| turns.as_u64().is_some_and(|turns| turns > 1_000_000_000);
    let captures = &position["captures"];
    let known = [
        (Known::Over, phase["kind"] == "over"),
        (Known::RepeatedColumn, different.len() < columns.len()),
        (Known::FilledColumn, columns.iter().any(holds_seeds)),
        (
            Known::Turn,
            [&position["turn"], &captures["south"], &captures["north"]]
                .into_iter()
                .any(too_many),
        ),
    ];
    let reason = known.into_iter().find(|&(_, so)| so && !engine_accepts);
    reason.map(|(known, _)| known)
}

/// The known differences between the two: in each the engine refuses what the oracle
/// accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The engine asks whether the board of a finished game shows how it ended; the oracle
    /// only whether the game can end so.
    Over,
    /// Nothing is sown into a captured column, so it is captured once a turn; the
    /// oracle knows no such reason.
    RepeatedColumn,
    /// For the same reason a column captured in this turn is still empty.
    FilledColumn,
    /// The engine keeps turns far from where a number overflows.
    Turn,
}

#[test]
fn known_differences() {
    let urim = |changes: Value| {
        let mut position = json!({
            "pits": {"south": [3, 3, 3, 3, 3, 3], "north": [3, 3, 3, 3, 3, 3]},
            "stores": {"south": 0, "north": 0},
            "to_move": "south", "turn": 1, "quiet": 0, "phase": {"kind": "play"},
        });
        let changes = changes.as_object().unwrap().clone();
        position.as_object_mut().unwrap().extend(changes);
        ("urim", position)
    };
    // In reverse the three seeds of pit 0 capture column 6. Column 1 holds `first` seeds.
    let omweso = |columns: Value, first: u64| {
        let north = [first, 0, 50 - first, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0];
        let position = json!({
            "pits": {"south": [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1], "north": north},
            "stores": {"south": 0, "north": 0},
            "to_move": "south", "turn": 9, "quiet": 0, "captured": true,
            "captures": {"south": 0, "north": 1},
            "phase": {"kind": "direction", "pit": 0, "seeds": 3, "held": false,
                "columns": columns, "laps": 2},
        });
        ("omweso", position)
    };
    // North has moves left, so it was not bulijo.
    let mut bulijo = omweso(json!([]), 0);
    bulijo.1["phase"] = json!({"kind": "over", "outcome": "win", "winner": "south",
        "points": {"south": 1, "north": 0}, "reason": "bulijo"});
    let cases = [
        (Known::Over, bulijo),
        (Known::RepeatedColumn, omweso(json!([1, 1]), 0)),
        (Known::FilledColumn, omweso(json!([1]), 1)),
        (Known::Turn, urim(json!({"turn": 1_000_000_001}))),
    ];
    for (known, (game, position)) in cases {
        let mancala = game.parse().unwrap();
        let read = laws::read_options(mancala, &json!({}));
        let accepted = serde_json::from_value::<Setup>(position.clone())
            .is_ok_and(|setup| AnyGame::from_setup(read, &setup).is_ok());
        let by_oracle = Table::from_position(game, &json!({}), &position).is_ok();
        assert_ne!(accepted, by_oracle, "{known:?}: no difference any more");
        assert_eq!(known_difference(&position, accepted), Some(known));
    }
}

/// What a campaign has come across.
#[derive(Default)]
struct Seen {
    reasons: BTreeMap<String, u64>,
    refusals: BTreeMap<String, u64>,
    phases: BTreeMap<String, u64>,
}

impl Seen {
    /// Plays to the end, or for so many actions, and says how it ended.
    fn play(
        &mut self,
        pair: &mut Pair,
        options: &Value,
        habit: Habit,
        lot: &mut Lot<'_>,
        actions_max: u32,
    ) -> Option<String> {
        pair.check();
        for _ in 0..actions_max {
            let position = laws::position_json(&pair.game);
            let phase = &position["phase"];
            count(&mut self.phases, phase["kind"].as_str().unwrap());
            self.stray(pair, &position, lot);
            if phase["kind"] == "over" {
                let reason = phase["reason"].as_str().unwrap();
                count(&mut self.reasons, reason);
                return Some(reason.to_owned());
            }
            let legal = laws::moves_json(&pair.game);
            let action = draw::action(lot, habit, options, &position, &legal);
            assert_eq!(pair.play(&action), Ok(()), "{position} {action}");
            pair.check();
        }
        None
    }

    /// Puts actions before both that are mostly refused: now and then all, mostly a few.
    fn stray(&mut self, pair: &mut Pair, position: &Value, lot: &mut Lot<'_>) {
        let strays = draw::strays(position);
        let few = if lot.once_in(16) { strays.len() } else { 3 };
        let first = lot.below(strays.len());
        for stray in strays.iter().cycle().skip(first).take(few) {
            let read = serde_json::from_value::<Action>(stray.clone());
            if read.is_ok_and(|action| pair.game.check(&action).is_ok()) {
                let mut pair = Pair {
                    game: pair.game.clone(),
                    table: pair.table.clone(),
                };
                assert_eq!(pair.play(stray), Ok(()));
                pair.check();
            } else {
                let refusal = pair.play(stray).unwrap_err();
                count(&mut self.refusals, &refusal);
                assert_eq!(laws::position_json(&pair.game), *position);
            }
        }
        assert_eq!(meaning(&pair.table.position()), meaning(position));
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    *counts.entry(name.to_owned()).or_insert(0) += 1;
}

/// For every end of every game a position from which the fullest pits lead to it, found
/// by search. Two were made by hand: in Omweso groups that march on as they are sown
/// (8 7 6 .. 1) come back to where they were; in Anywoli, where a pit that is not lifted
/// in time is captured, laps of three and two seeds in a certain order go on for ever.
const ENDS: &str = include_str!("ends.jsonl");

fn play_ends(mancala: Mancala, seen: &mut Seen) {
    for line in ENDS.lines() {
        let end: Value = serde_json::from_str(line).unwrap();
        if end["game"] == mancala.key() {
            let options = &end["options"];
            let mut pair = Pair::resume(mancala, options, &end["position"]).unwrap();
            let reason = seen.play(&mut pair, options, Habit::Fullest, &mut Lot::Seed(0), 200);
            assert_eq!(reason.as_deref(), end["reason"].as_str(), "{line}");
        }
    }
}

/// Plays games from the start, from random positions and from spoiled ones, and says
/// which ends and refusals there were.
fn campaign(mancala: Mancala) -> Seen {
    let mut seen = Seen::default();
    play_ends(mancala, &mut seen);
    for seed in 0..games() {
        let lot = &mut Lot::Seed(seed << 8 | mancala as u64);
        let habit = *lot.one_of(&[Habit::Random, Habit::Random, Habit::First, Habit::Last]);
        let options = draw::options(lot, mancala);
        let first = lot.one_of(&["south", "north"]);
        let mut pair = Pair::start(mancala, &options, first);
        seen.play(&mut pair, &options, habit, lot, 400);
        for number in 0..40 {
            // Most are only accepted or not: that is cheap. A few are played.
            let actions_max = if number < 10 { 40 } else { 1 };
            let mut position = draw::position(lot, mancala, &options);
            if let Some(mut pair) = Pair::resume(mancala, &options, &position) {
                seen.play(&mut pair, &options, habit, lot, actions_max);
            }
            if number % 4 == 0 {
                // One of a real game instead.
                position = laws::position_json(&pair.game);
            }
            for _ in 0..=lot.below(2) {
                draw::spoil(lot, &mut position);
            }
            if let Some(mut pair) = Pair::resume(mancala, &options, &position) {
                seen.play(&mut pair, &options, habit, lot, 1);
            }
        }
    }
    eprintln!(
        "{mancala}: {:?} {:?} {:?}",
        seen.reasons, seen.phases, seen.refusals
    );
    seen
}

/// Every end that the game can come to was come to, every phase waited in, every refusal
/// heard, and nothing else.
fn check(mancala: Mancala, reasons: &[Reason], phases: &[&str], refusals: &[Refusal]) {
    let seen = campaign(mancala);
    let names = |counts: BTreeMap<String, u64>| counts.into_keys().collect::<BTreeSet<_>>();
    let set =
        |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect::<BTreeSet<_>>();
    let general = [Reason::Repetition, Reason::Quiet];
    let reasons = reasons.iter().chain(&general).map(|reason| reason.code());
    assert_eq!(names(seen.reasons), set(&mut { reasons }));
    let general = ["play", "over"].iter();
    assert_eq!(
        names(seen.phases),
        set(&mut phases.iter().chain(general).copied())
    );
    let general = [
        Refusal::BadAction,
        Refusal::GameOver,
        Refusal::WrongPhase,
        Refusal::NoSuchPit,
        Refusal::EmptyPit,
    ];
    let refusals = refusals
        .iter()
        .chain(&general)
        .map(|refusal| refusal.code());
    assert_eq!(names(seen.refusals), set(&mut { refusals }));
}

#[test]
fn omweso() {
    check(
        Mancala::Omweso,
        &[
            Reason::Akawumbi,
            Reason::Okutema,
            Reason::Akakyala,
            Reason::Bulijo,
            Reason::NeverEnding,
        ],
        &["arrange", "direction"],
        &[
            Refusal::Singleton,
            Refusal::NoDirectCapture,
            Refusal::NotAllowed,
            Refusal::BadArrangement,
        ],
    );
}

#[test]
fn anywoli() {
    check(
        Mancala::Anywoli,
        &[Reason::LastFour, Reason::NeverEnding],
        &["lottery"],
        &[Refusal::NotAllowed],
    );
}

#[test]
fn urim() {
    check(
        Mancala::Urim,
        &[Reason::NoMove, Reason::AllCaptured],
        &[],
        &[Refusal::PitFull, Refusal::MustFeed, Refusal::NotAllowed],
    );
}

#[test]
fn bao_kigogo() {
    check(
        Mancala::BaoKigogo,
        &[
            Reason::AllCaptured,
            Reason::Immobilised,
            Reason::NeverEnding,
        ],
        &[],
        &[
            Refusal::Singleton,
            Refusal::SingletonBlocked,
            Refusal::NotAllowed,
        ],
    );
}

#[test]
fn nsolo() {
    check(
        Mancala::Nsolo,
        &[Reason::AllCaptured, Reason::BothStuck, Reason::NeverEnding],
        &["strip"],
        &[
            Refusal::Singleton,
            Refusal::SingletonBlocked,
            Refusal::NotAllowed,
            Refusal::BadStrip,
        ],
    );
}
