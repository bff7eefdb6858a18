//! Reading and writing the data forms.

use serde_json::{Map, Value, json};

use super::anywoli::LastFour;
use super::omweso::Opening;
use super::state::{Action, Choice, Ending, Phase, Side, State};
use super::table::{Game, Rules};
use super::{omweso, urim};

/// The code of options that are not as they should be.
const BAD_OPTIONS: &str = "bad_options";
/// The code of a position that could not stand in a game.
const BAD_POSITION: &str = "bad_position";
/// The code of an action that is not one of the forms.
const BAD_ACTION: &str = "bad_action";

/// The reasons that an end can have.
const REASONS: [&str; 12] = [
    "akawumbi",
    "okutema",
    "akakyala",
    "bulijo",
    "last_four",
    "no_move",
    "all_captured",
    "immobilised",
    "both_stuck",
    "never_ending",
    "repetition",
    "quiet",
];

/// Reads the options of a game; what is left out has its standard value.
pub(crate) fn read_game(game: &str, options: &Value) -> Result<Game, &'static str> {
    let options = options.as_object().ok_or(BAD_OPTIONS)?;
    let (names, quiet_limit): (&[&str], u64) = match game {
        "omweso" => (&["setup", "cap", "opening", "akakyala", "quiet_limit"], 200),
        "anywoli" => (&["last_four", "quiet_limit"], 100),
        "urim" => (&["columns", "full_pit", "quiet_limit"], 100),
        "bao_kigogo" => (&["quiet_limit"], 200),
        "nsolo" => (&["columns", "quiet_limit"], 200),
        _ => return Err(BAD_OPTIONS),
    };
    if options.keys().any(|name| !names.contains(&name.as_str())) {
        return Err(BAD_OPTIONS);
    }
    let quiet_limit = number_option(options, "quiet_limit", quiet_limit, 10, 10_000)?;
    let rules = match game {
        "omweso" => Rules::Omweso(read_omweso(options)?),
        "anywoli" => Rules::Anywoli(
            match word_option(
                options,
                "last_four",
                &["last_capture", "last_seed", "lottery"],
            )? {
                "last_seed" => LastFour::LastSeed,
                "lottery" => LastFour::Lottery,
                _ => LastFour::LastCapture,
            },
        ),
        "urim" => Rules::Urim(urim::Options {
            columns: number_option(options, "columns", 6, 6, 7)? as usize,
            forbid: word_option(options, "full_pit", &["skip", "forbid"])? == "forbid",
        }),
        "bao_kigogo" => Rules::BaoKigogo,
        _ => Rules::Nsolo {
            columns: number_option(options, "columns", 8, 8, 36)? as usize,
        },
    };
    Ok(Game { rules, quiet_limit })
}

fn read_omweso(options: &Map<String, Value>) -> Result<omweso::Options, &'static str> {
    let cap = match options.get("cap") {
        Some(Value::Null) => None,
        _ => Some(number_option(options, "cap", 10, 2, 32)?),
    };
    let opening = match word_option(
        options,
        "opening",
        &["first_turn", "each_players_first_turn", "off"],
    )? {
        "each_players_first_turn" => Opening::EachPlayersFirstTurn,
        "off" => Opening::Off,
        _ => Opening::FirstTurn,
    };
    let akakyala = match options.get("akakyala") {
        None => false,
        Some(value) => value.as_bool().ok_or(BAD_OPTIONS)?,
    };
    Ok(omweso::Options {
        free: word_option(options, "setup", &["standard", "free"])? == "free",
        cap,
        opening,
        akakyala,
    })
}

/// A number option within its range.
fn number_option(
    options: &Map<String, Value>,
    name: &str,
    standard: u64,
    least: u64,
    most: u64,
) -> Result<u64, &'static str> {
    let number = match options.get(name) {
        None => standard,
        Some(value) => value.as_u64().ok_or(BAD_OPTIONS)?,
    };
    if number < least || number > most {
        return Err(BAD_OPTIONS);
    }
    Ok(number)
}

/// A word option; the first of its words is the standard one.
fn word_option<'a>(
    options: &Map<String, Value>,
    name: &str,
    words: &[&'a str],
) -> Result<&'a str, &'static str> {
    match options.get(name) {
        None => Ok(words[0]),
        Some(value) => {
            let given = value.as_str().ok_or(BAD_OPTIONS)?;
            words
                .iter()
                .copied()
                .find(|&word| word == given)
                .ok_or(BAD_OPTIONS)
        }
    }
}

/// Has this object exactly these fields?
fn has_fields(object: &Map<String, Value>, names: &[&str]) -> bool {
    object.len() == names.len() && names.iter().all(|&name| object.contains_key(name))
}

/// An object with exactly these fields.
fn object_of<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Map<String, Value>> {
    value.as_object().filter(|object| has_fields(object, names))
}

/// A natural number that fits into 32 bits.
fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn side(value: &Value) -> Option<Side> {
    value.as_str().and_then(Side::named)
}

/// Two numbers, one for each side.
fn both(value: &Value) -> Option<[u32; 2]> {
    let object = object_of(value, &["south", "north"])?;
    Some([number(&object["south"])?, number(&object["north"])?])
}

/// Reads the form of a position; whether it could stand in a game is not looked at here.
pub(crate) fn read_position(game: &Game, value: &Value) -> Result<State, &'static str> {
    read_position_form(game, value).ok_or(BAD_POSITION)
}

fn read_position_form(game: &Game, value: &Value) -> Option<State> {
    let mut names = vec!["pits", "stores", "to_move", "turn", "quiet", "phase"];
    match game.rules {
        Rules::Omweso(_) => names.extend(["captured", "captures"]),
        Rules::Anywoli(_) => names.push("last_seed"),
        _ => {}
    }
    let object = object_of(value, &names)?;
    let pits = object_of(&object["pits"], &["south", "north"])?;
    let south = read_pits(&pits["south"], game.pits())?;
    let north = read_pits(&pits["north"], game.pits())?;
    let mut state = State {
        pits: [south, north],
        stores: both(&object["stores"])?,
        to_move: side(&object["to_move"])?,
        turn: u64::from(number(&object["turn"])?),
        quiet: u64::from(number(&object["quiet"])?),
        phase: read_phase(&object["phase"])?,
        captured: false,
        captures: [0, 0],
        last_seed: None,
    };
    match game.rules {
        Rules::Omweso(_) => {
            state.captured = object["captured"].as_bool()?;
            let captures = both(&object["captures"])?;
            state.captures = [u64::from(captures[0]), u64::from(captures[1])];
        }
        Rules::Anywoli(_) => state.last_seed = read_side_or_null(&object["last_seed"])?,
        _ => {}
    }
    Some(state)
}

fn read_side_or_null(value: &Value) -> Option<Option<Side>> {
    if value.is_null() {
        return Some(None);
    }
    side(value).map(Some)
}

fn read_pits(value: &Value, count: usize) -> Option<Vec<u32>> {
    let list = value.as_array()?;
    if list.len() != count {
        return None;
    }
    list.iter().map(number).collect()
}

fn read_phase(value: &Value) -> Option<Phase> {
    match value.get("kind")?.as_str()? {
        "arrange" => object_of(value, &["kind"]).map(|_| Phase::Arrange),
        "play" => object_of(value, &["kind"]).map(|_| Phase::Play),
        "lottery" => object_of(value, &["kind"]).map(|_| Phase::Lottery),
        "strip" => {
            let object = object_of(value, &["kind", "seeds"])?;
            Some(Phase::Strip {
                seeds: number(&object["seeds"])?,
            })
        }
        "direction" => {
            let names = ["kind", "pit", "seeds", "held", "columns", "laps"];
            let object = object_of(value, &names)?;
            let columns = object["columns"].as_array()?;
            Some(Phase::Direction(Choice {
                pit: number(&object["pit"])? as usize,
                seeds: number(&object["seeds"])?,
                held: object["held"].as_bool()?,
                columns: columns.iter().map(Value::as_u64).collect::<Option<_>>()?,
                laps: u64::from(number(&object["laps"])?),
            }))
        }
        "over" => read_ending(value).map(Phase::Over),
        _ => None,
    }
}

fn read_ending(value: &Value) -> Option<Ending> {
    let object = object_of(value, &["kind", "outcome", "winner", "points", "reason"])?;
    let outcome = object["outcome"].as_str()?;
    let reason = object["reason"].as_str()?;
    let points = both(&object["points"])?;
    Some(Ending {
        outcome: ["win", "draw", "void"]
            .into_iter()
            .find(|&word| word == outcome)?,
        winner: read_side_or_null(&object["winner"])?,
        points: [u64::from(points[0]), u64::from(points[1])],
        reason: REASONS.into_iter().find(|&word| word == reason)?,
    })
}

/// Writes a position.
pub(crate) fn write_position(game: &Game, state: &State) -> Value {
    let mut position = json!({
        "pits": {"south": state.pits[0], "north": state.pits[1]},
        "stores": {"south": state.stores[0], "north": state.stores[1]},
        "to_move": state.to_move.name(),
        "turn": state.turn,
        "quiet": state.quiet,
        "phase": write_phase(&state.phase),
    });
    match game.rules {
        Rules::Omweso(_) => {
            position["captured"] = json!(state.captured);
            position["captures"] = json!({
                "south": state.captures[0],
                "north": state.captures[1],
            });
        }
        Rules::Anywoli(_) => position["last_seed"] = json!(state.last_seed.map(Side::name)),
        _ => {}
    }
    position
}

fn write_phase(phase: &Phase) -> Value {
    match phase {
        Phase::Arrange => json!({"kind": "arrange"}),
        Phase::Play => json!({"kind": "play"}),
        Phase::Lottery => json!({"kind": "lottery"}),
        Phase::Strip { seeds } => json!({"kind": "strip", "seeds": seeds}),
        Phase::Direction(choice) => json!({
            "kind": "direction",
            "pit": choice.pit,
            "seeds": choice.seeds,
            "held": choice.held,
            "columns": choice.columns,
            "laps": choice.laps,
        }),
        Phase::Over(ending) => json!({
            "kind": "over",
            "outcome": ending.outcome,
            "winner": ending.winner.map(Side::name),
            "points": {"south": ending.points[0], "north": ending.points[1]},
            "reason": ending.reason,
        }),
    }
}

/// Reads an action.
pub(crate) fn read_action(value: &Value) -> Result<Action, &'static str> {
    read_action_form(value).ok_or(BAD_ACTION)
}

fn read_action_form(value: &Value) -> Option<Action> {
    match value.get("type")?.as_str()? {
        "sow" => {
            let object = object_of(value, &["type", "pit"])
                .or_else(|| object_of(value, &["type", "pit", "dir"]))?;
            Some(Action::Sow {
                pit: object["pit"].as_u64()?,
                reverse: match object.get("dir") {
                    None => false,
                    Some(dir) => read_reverse(dir)?,
                },
            })
        }
        "koneeza" => {
            let object = object_of(value, &["type", "pit"])?;
            Some(Action::Koneeza {
                pit: object["pit"].as_u64()?,
            })
        }
        "direction" => {
            let object = object_of(value, &["type", "dir"])?;
            Some(Action::Direction {
                reverse: read_reverse(&object["dir"])?,
            })
        }
        "arrange" => {
            let object = object_of(value, &["type", "pits"])?;
            let pits = object["pits"].as_array()?;
            Some(Action::Arrange {
                pits: pits.iter().map(Value::as_u64).collect::<Option<_>>()?,
            })
        }
        "strip" => {
            let object = object_of(value, &["type", "take"])?;
            let take = object["take"].as_array()?;
            Some(Action::Strip {
                take: take.iter().map(read_pair).collect::<Option<_>>()?,
            })
        }
        "lottery" => {
            let object = object_of(value, &["type", "to"])?;
            Some(Action::Lottery {
                to: side(&object["to"])?,
            })
        }
        "lose_turn" => object_of(value, &["type"]).map(|_| Action::LoseTurn),
        _ => None,
    }
}

/// `forward` or `reverse`.
fn read_reverse(value: &Value) -> Option<bool> {
    match value.as_str()? {
        "forward" => Some(false),
        "reverse" => Some(true),
        _ => None,
    }
}

/// A pit and a number of seeds.
fn read_pair(value: &Value) -> Option<(u64, u64)> {
    let pair = value.as_array()?;
    if pair.len() != 2 {
        return None;
    }
    Some((pair[0].as_u64()?, pair[1].as_u64()?))
}

/// Writes an action; `dir` is written for Omweso only.
pub(crate) fn write_action(game: &Game, action: &Action) -> Value {
    match action {
        Action::Sow { pit, reverse } => {
            let mut value = json!({"type": "sow", "pit": pit});
            if matches!(game.rules, Rules::Omweso(_)) {
                value["dir"] = json!(direction_name(*reverse));
            }
            value
        }
        Action::Koneeza { pit } => json!({"type": "koneeza", "pit": pit}),
        Action::Direction { reverse } => {
            json!({"type": "direction", "dir": direction_name(*reverse)})
        }
        Action::Arrange { pits } => json!({"type": "arrange", "pits": pits}),
        Action::Strip { take } => json!({"type": "strip", "take": take}),
        Action::Lottery { to } => json!({"type": "lottery", "to": to.name()}),
        Action::LoseTurn => json!({"type": "lose_turn"}),
    }
}

fn direction_name(reverse: bool) -> &'static str {
    if reverse { "reverse" } else { "forward" }
}
