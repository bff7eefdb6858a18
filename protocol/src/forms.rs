//! The forms of values whose types belong to the rules and to the match, for the schemas
//! alone: those crates know nothing of schemas. Golden files are held against them.

#![allow(dead_code, reason = "only their schemas are of use")]

use mancala_engine::{Mancala, Options};
use mancala_play::Request;
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::borrow::Cow;

/// A side.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Side")]
pub(crate) enum Which {
    South,
    North,
}

/// One value for each side.
#[derive(JsonSchema)]
#[schemars(rename = "BySide_of_{T}")]
pub(crate) struct Pair<T> {
    south: T,
    north: T,
}

/// One of the five games.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Game")]
pub(crate) enum GameForm {
    Omweso,
    Anywoli,
    Urim,
    BaoKigogo,
    Nsolo,
}

/// How long a match goes on: `single`, or `first_to N` with N from 1 to 255.
#[derive(JsonSchema)]
#[schemars(rename = "Format")]
pub(crate) struct FormatForm(
    #[schemars(regex(
        pattern = "^(single|first_to ([1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]))$"
    ))]
    String,
);

/// The client's own name for a command: 1 to 36 characters, so that a UUID fits.
#[derive(JsonSchema)]
#[schemars(rename = "Key")]
pub(crate) struct KeyForm(#[schemars(regex(pattern = "^[0-9A-Za-z_-]{1,36}$"))] String);

/// By what somebody is known to who invites him: a UUID.
#[derive(JsonSchema)]
#[schemars(rename = "PersonId")]
pub(crate) struct PersonIdForm(
    #[schemars(regex(pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"))]
    String,
);

/// CRC-32 of what a viewer holds of a position, as eight hexadecimal digits.
#[derive(JsonSchema)]
#[schemars(rename = "Checksum")]
pub(crate) struct ChecksumForm(#[schemars(regex(pattern = "^[0-9a-f]{8}$"))] String);

/// What may be asked of a match beside actions.
pub(crate) struct RequestForm;

impl JsonSchema for RequestForm {
    fn schema_name() -> Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let words: Vec<String> = Request::all().map(|request| request.to_string()).collect();
        schemars::json_schema!({
            "description": "What may be asked of a match beside actions.",
            "type": "string",
            "enum": words
        })
    }
}

/// How the time of a match is kept.
#[derive(JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Control")]
pub(crate) enum ControlForm {
    /// Nobody looks at a clock.
    Untimed,
    /// So long for each turn.
    PerMove {
        /// For a turn.
        #[schemars(range(min = 1, max = 3600))]
        seconds: u32,
        /// What happens when they are over.
        out: WhenOutForm,
    },
    /// A stock, and something for each turn; not nothing of both.
    Fischer {
        /// Seconds at the beginning of a game.
        #[schemars(range(max = 10800))]
        initial: u32,
        /// Seconds after each turn.
        #[schemars(range(max = 180))]
        increment: u32,
    },
    /// A stock, and then periods: one that is used up is gone, one in which a turn ends begins
    /// anew.
    ByoYomi {
        /// Seconds of the stock.
        #[schemars(range(max = 10800))]
        main: u32,
        /// Seconds of a period.
        #[schemars(range(min = 1, max = 3600))]
        period: u32,
        /// How many periods there are.
        #[schemars(range(min = 1, max = 25))]
        periods: u32,
    },
    /// So many days for each turn.
    Correspondence {
        /// For a turn.
        #[schemars(range(min = 1, max = 14))]
        days: u32,
    },
}

/// What it means that a side is out of time.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WhenOut", inline)]
pub(crate) enum WhenOutForm {
    LosesTurn,
    LosesGame,
}

/// A way in which Omweso is played.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Way")]
pub(crate) enum OmwesoWayForm {
    /// Without a clock.
    Counting,
    /// Both sign before the first game; nothing is taken back or broken off.
    Contract,
    /// Three seconds a turn; then it is lost.
    Blitz,
}

/// What one side may offer the other.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OfferKind")]
pub(crate) enum OfferForm {
    /// The current game is drawn.
    Draw,
    /// The match goes back to before the last turn of the side that offers.
    Takeback,
    /// The match is broken off.
    Abort,
    /// The side that offers is given more time.
    Time,
    /// The clocks stand until one side goes on.
    Pause,
    /// Another match of the same kind, the sides exchanged.
    Rematch,
}

/// How somebody went away.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Leaving")]
pub(crate) enum LeavingForm {
    /// The line was lost.
    Dropped,
    /// The page or the program was closed.
    Closed,
}

/// Why the clocks stand.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Pause")]
pub(crate) enum PauseForm {
    /// Both sides agreed.
    Agreed,
    /// Both sides lost turn after turn: nobody plays.
    Absent,
}

/// The way a lap is sown.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Direction")]
pub(crate) enum Way {
    Forward,
    Reverse,
}

/// An action; see `rules.md`.
#[derive(JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Action")]
pub(crate) enum ActionForm {
    /// Lift a pit of one's own and sow it.
    Sow {
        /// The pit's number.
        pit: u16,
        /// Omweso only; `forward` where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dir: Option<Way>,
    },
    /// Omweso's three-seed sowing.
    Koneeza {
        /// The pit's number.
        pit: u16,
    },
    /// Omweso: the way the lap about to start is sown.
    Direction {
        /// The way.
        dir: Way,
    },
    /// Omweso with free setup: the seeds for each of one's own pits.
    Arrange {
        /// Sixteen numbers, by pit number.
        pits: Vec<u32>,
    },
    /// Nsolo: seeds of the opponent that go with a capture.
    Strip {
        /// Pairs of a pit and the seeds to take from it.
        take: Vec<(u16, u32)>,
    },
    /// Anywoli: the lot's answer. Only the server plays it.
    Lottery {
        /// The side that gets the last four seeds.
        to: Which,
    },
    /// A turn lost. Only a clock brings it.
    LoseTurn,
}

/// A position; see `rules.md`.
#[derive(JsonSchema)]
#[schemars(rename = "Position")]
pub(crate) struct PositionForm {
    /// The seeds of each side's pits, by pit number.
    pits: Pair<Vec<u32>>,
    /// The seeds in each side's store.
    stores: Pair<u32>,
    /// The side to move, or to choose.
    to_move: Which,
    /// The number of the turn, from 1.
    turn: u32,
    /// Turns in a row without a capture.
    quiet: u32,
    /// What the position waits for.
    phase: PhaseForm,
    /// Omweso: has anybody captured in this game?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    captured: Option<bool>,
    /// Omweso: the turns in which each side captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    captures: Option<Pair<u32>>,
    /// Anywoli: the side that was last to capture with a lap's last seed, or `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SideOrNobody")]
    last_seed: Option<Option<Which>>,
}

/// A side, or nobody.
struct SideOrNobody;

impl JsonSchema for SideOrNobody {
    fn schema_name() -> Cow<'static, str> {
        "SideOrNobody".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A side, or nobody.",
            "enum": ["south", "north", null]
        })
    }
}

/// What a position waits for.
#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[schemars(rename = "Phase")]
pub(crate) enum PhaseForm {
    /// Omweso with free setup: the side to move lays out its seeds.
    Arrange,
    /// The side to move begins a turn.
    Play,
    /// Omweso: the lap about to start may be sown either way.
    Direction {
        /// The pit it starts from.
        pit: u16,
        /// The seeds it sows.
        seeds: u32,
        /// Are these seeds in hand already (captured)?
        held: bool,
        /// The opponent's columns captured in this turn so far.
        columns: Vec<u8>,
        /// The laps sown in this turn so far.
        laps: u32,
    },
    /// Nsolo: seeds of the opponent are to be chosen.
    Strip {
        /// How many.
        seeds: u32,
    },
    /// Anywoli: the lot for the last four seeds is due.
    Lottery,
    /// The game is over.
    Over {
        /// How it ended.
        outcome: OutcomeForm,
        /// The side that won, if any.
        #[schemars(with = "SideOrNobody")]
        winner: Option<Which>,
        /// What the game brings to each side.
        points: Pair<u32>,
        /// Why.
        reason: String,
    },
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Outcome", inline)]
pub(crate) enum OutcomeForm {
    Win,
    Draw,
    Void,
}

/// A place in the list of matches. It is made by the server and means nothing to clients.
#[derive(JsonSchema)]
#[schemars(rename = "Cursor")]
pub(crate) struct CursorForm(#[schemars(regex(pattern = "^[0-9]{1,15}-[0-9A-Za-z]{10}$"))] String);

/// Options of a game, where it does not say of which.
pub(crate) struct OptionsForm;

impl JsonSchema for OptionsForm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Options".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

/// Says of an object with `game` and `options` which options go with which game.
pub(crate) fn options_by_game(schema: &mut schemars::Schema) {
    let of_game = |game: Mancala| {
        json!({
            "title": game.title(),
            "properties": { "game": { "const": game.key() }, "options": options_of(game) }
        })
    };
    schema.insert("anyOf".to_owned(), Mancala::ALL.map(of_game).into());
}

fn options_of(game: Mancala) -> Value {
    let word = |words: &[&str]| json!({ "type": "string", "enum": words });
    let number = |least, most| json!({ "type": "integer", "minimum": least, "maximum": most });
    let columns = |least: u32, most: u32| json!({ "columns": number(least, most) });
    let mut properties = match game {
        Mancala::Omweso => json!({
            "setup": word(&["standard", "free"]),
            // A type of `null` would be taken for a field that may be left out.
            "cap": { "anyOf": [number(2, 32), { "const": null }] },
            "opening": word(&["first_turn", "each_players_first_turn", "off"]),
            "akakyala": { "type": "boolean" }
        }),
        Mancala::Anywoli => json!({
            "last_four": word(&["last_capture", "last_seed", "lottery"])
        }),
        Mancala::Urim => {
            let mut properties = columns(6, 7);
            properties["full_pit"] = word(&["skip", "forbid"]);
            properties
        }
        Mancala::BaoKigogo => json!({}),
        Mancala::Nsolo => columns(8, 36),
    };
    properties["quiet_limit"] = number(10, 10_000);
    let standard = serde_json::to_value(Options::standard(game)).unwrap_or_default();
    if let Some(properties) = properties.as_object_mut() {
        for (name, property) in properties {
            property["default"] = standard[name].clone();
        }
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}
