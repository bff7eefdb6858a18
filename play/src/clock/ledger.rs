//! Every change of a clock, with its reason.

use mancala_engine::Side;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One change of a clock. What a clock shows is the sum of its entries.
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
    /// The side was to move until its clock was stopped for a pause. Less than nothing.
    Pause,
    /// The side was to move until its turn was lost. Less than nothing.
    LostTurn,
}

impl Why {
    /// Every reason, in the order in which a ledger names them.
    pub const ALL: [Why; 9] = [
        Why::Begun,
        Why::Thinking,
        Why::Lag,
        Why::Increment,
        Why::Period,
        Why::Anew,
        Why::Given,
        Why::Pause,
        Why::LostTurn,
    ];

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
            Why::Pause => "pause",
            Why::LostTurn => "lost_turn",
        }
    }
}

/// The entries of one clock in a game, summed up by their reasons: of a bounded size, however
/// long the game is.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Clocks, Control, Why};
/// let (clocks, _) = Clocks::new(Control::fischer(300, 5)?);
/// let ledger = clocks.ledger(Side::South).unwrap();
/// assert_eq!(ledger.of(Why::Begun), 300_000);
/// assert_eq!(ledger.balance_ms(), 300_000);
/// # Ok::<(), mancala_play::BadControl>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    by_reason_ms: [i64; Why::ALL.len()],
}

impl Ledger {
    /// What entries of this reason come to, in milliseconds.
    #[must_use]
    pub const fn of(&self, why: Why) -> i64 {
        self.by_reason_ms[why as usize]
    }

    /// What all entries come to, in milliseconds: what the clock shows.
    #[must_use]
    pub fn balance_ms(&self) -> i64 {
        self.by_reason_ms.iter().sum()
    }

    pub(super) const fn enter(&mut self, why: Why, ms: i64) {
        self.by_reason_ms[why as usize] += ms;
    }
}
