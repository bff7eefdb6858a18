//! The forms of values whose types belong to the rules and to the match, for the schemas
//! alone: those crates know nothing of schemas. Golden files are held against them.

#![allow(dead_code, reason = "only their schemas are of use")]

use schemars::JsonSchema;

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

/// CRC-32 of what a viewer holds of a position, as eight hexadecimal digits.
#[derive(JsonSchema)]
#[schemars(rename = "Checksum")]
pub(crate) struct ChecksumForm(#[schemars(regex(pattern = "^[0-9a-f]{8}$"))] String);

/// What may be asked of a match beside actions.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Request")]
pub(crate) enum RequestForm {
    /// Give the current game to the opponent; on one's own turn only.
    ResignGame,
    /// Give the match to the opponent.
    ResignMatch,
    /// Propose that the current game be drawn.
    OfferDraw,
    /// Take the opponent's offer.
    AcceptDraw,
    /// Decline the opponent's offer, or withdraw one's own.
    DeclineDraw,
    /// End the match without a result, in game 1, before both sides have moved.
    Abort,
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
    fn schema_name() -> std::borrow::Cow<'static, str> {
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

/// The options of a game.
pub(crate) struct OptionsForm;

impl JsonSchema for OptionsForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Options".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one_of = |words: &[&str]| serde_json::json!({ "enum": words });
        let number = |least, most| serde_json::json!({ "type": "integer", "minimum": least, "maximum": most });
        let quiet_limit = number(10, 10_000);
        let game = |title, properties| {
            serde_json::json!({
                "title": title,
                "type": "object",
                "properties": properties,
                "additionalProperties": false
            })
        };
        let openings = ["first_turn", "each_players_first_turn", "off"];
        let omweso = serde_json::json!({
            "setup": one_of(&["standard", "free"]),
            "cap": { "anyOf": [number(2, 32), { "const": null }] },
            "opening": one_of(&openings),
            "akakyala": { "type": "boolean" },
            "quiet_limit": quiet_limit
        });
        let anywoli = serde_json::json!({
            "last_four": one_of(&["last_capture", "last_seed", "lottery"]),
            "quiet_limit": quiet_limit
        });
        let urim = serde_json::json!({
            "columns": number(6, 7),
            "full_pit": one_of(&["skip", "forbid"]),
            "quiet_limit": quiet_limit
        });
        let bao_kigogo = serde_json::json!({ "quiet_limit": quiet_limit });
        let nsolo = serde_json::json!({ "columns": number(8, 36), "quiet_limit": quiet_limit });
        schemars::json_schema!({
            "description": "The options of a game, told in `rules.md`. What a client leaves out \
                            has its standard value; the server tells them all.",
            "anyOf": [
                game("Options of Omweso", omweso),
                game("Options of Anywoli", anywoli),
                game("Options of Urim", urim),
                game("Options of Bao Kigogo", bao_kigogo),
                game("Options of Nsolo", nsolo)
            ]
        })
    }
}
