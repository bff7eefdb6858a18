//! Actions on the wire: the forms of the rules.

use mancala_engine::Action;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An action as the rules write it, `{"type": "sow", "pit": 3}` and its like; see
/// `proto-docs/rules.md`.
///
/// ```
/// use mancala_protocol::WireAction;
/// let action: WireAction = serde_json::from_str(r#"{"type":"sow","pit":3}"#)?;
/// assert_eq!(action.0, mancala_engine::Action::sow(mancala_engine::Pit(3)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WireAction(pub Action);

/// The forms, for the schema alone.
#[derive(JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is of use")]
enum Forms {
    /// Lift a pit of one's own and sow it.
    Sow {
        /// The pit's number.
        pit: u16,
        /// Omweso only; `forward` where it is left out.
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

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is of use")]
enum Way {
    Forward,
    Reverse,
}

/// A side, for schemas.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Side")]
#[allow(dead_code, reason = "only its schema is of use")]
pub(crate) enum Which {
    South,
    North,
}

/// One value for each side, for schemas.
#[derive(JsonSchema)]
#[schemars(rename = "BySide_of_{T}")]
#[allow(dead_code, reason = "only its schema is of use")]
pub(crate) struct Pair<T> {
    south: T,
    north: T,
}

impl JsonSchema for WireAction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Action".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Forms::json_schema(generator)
    }
}
