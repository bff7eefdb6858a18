//! Every change of a clock, with its reason.

use mancala_engine::Side;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One change of a clock. The balance of a side is the sum of its entries.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Entry, Why};
/// let entry = Entry::new(Side::North, Why::Thinking, -4_200);
/// assert_eq!(
///     serde_json::to_string(&entry)?,
///     r#"{"side":"north","why":"thinking","ms":-4200}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Whose clock.
    pub side: Side,
    /// Why it changes.
    pub why: Why,
    /// By how many milliseconds; never 0.
    pub ms: i64,
}

impl Entry {
    /// An entry of so many milliseconds.
    #[must_use]
    pub const fn new(side: Side, why: Why, ms: i64) -> Entry {
        Entry { side, why, ms }
    }
}

impl fmt::Display for Entry {
    /// `north thinking -4200`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.side, self.why.as_str(), self.ms)
    }
}

/// Why a clock changes.
///
/// ```
/// use mancala_play::Why;
/// assert_eq!(serde_json::to_string(&Why::Lag)?, r#""lag""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// What a side has when the game begins.
    Begun,
    /// The side was to move. Less than nothing, as no other is but for [`Anew`](Why::Anew).
    Thinking,
    /// Some of that the way took.
    Lag,
    /// For a turn, as agreed.
    Increment,
    /// A period began.
    Period,
    /// What a turn or a period has is there again. Less than nothing where the side had been
    /// given more than that and did not need it.
    Anew,
    /// The other side gave it.
    Given,
}

impl Why {
    /// Its name for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Why::Begun => "begun",
            Why::Thinking => "thinking",
            Why::Lag => "lag",
            Why::Increment => "increment",
            Why::Period => "period",
            Why::Anew => "anew",
            Why::Given => "given",
        }
    }
}
