//! What kind of action a position waits for.

use crate::{Outcome, Pit};

/// What kind of action a position waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "lowercase"))]
pub enum Phase {
    /// Omweso with free setup: the side to move lays out its seeds.
    Arrange,
    /// The side to move begins a turn.
    Play,
    /// Omweso: the lap about to start may be sown either way.
    Direction(PendingLap),
    /// Nsolo: seeds of the opponent are to be chosen.
    Strip {
        /// How many.
        seeds: u32,
    },
    /// Anywoli: the lot for the last four seeds is due.
    Lottery,
    /// The game is over.
    Over(Outcome),
}

impl Phase {
    /// The outcome of a game that is over.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        match self {
            Phase::Over(outcome) => Some(outcome),
            _ => None,
        }
    }
}

/// A lap of Omweso about to start, and what has happened in its turn so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PendingLap {
    /// The pit it starts from.
    pub pit: Pit,
    /// The seeds it sows.
    pub seeds: u32,
    /// Are the seeds in hand already (captured), or still in the pit?
    pub held: bool,
    /// The opponent's columns captured in this turn so far.
    pub columns: Columns,
    /// The laps sown in this turn so far.
    pub laps: u32,
}

/// Columns of an eight-column board, counted from 1 at their owner's left, in the
/// order in which they were captured in one turn. Nothing is sown into them in that
/// turn, so there are never more than eight.
///
/// ```
/// use mancala_engine::Columns;
/// let columns = Columns::try_from([4, 1].as_slice()).unwrap();
/// assert!(columns.iter().eq([4, 1]));
/// assert_eq!(columns.last(), Some(1));
/// assert!(Columns::try_from([9].as_slice()).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Columns {
    // A byte each, the last one lowest; a zero byte is none.
    packed: u64,
}

impl Columns {
    /// No column.
    pub const NONE: Columns = Columns { packed: 0 };

    /// The columns in the order in which they were captured.
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
        self.packed
            .to_be_bytes()
            .into_iter()
            .filter(|&column| column != 0)
    }

    /// The column captured last.
    #[must_use]
    pub fn last(self) -> Option<u8> {
        let last = self.packed as u8;
        (last != 0).then_some(last)
    }

    /// Is this column among them?
    #[must_use]
    pub fn contains(self, column: u8) -> bool {
        self.packed.to_ne_bytes().contains(&column) && column != 0
    }

    /// Are both end columns, 1 and 8, among them?
    #[inline]
    pub(crate) fn has_both_ends(self) -> bool {
        // Bit 3 is set in 8 alone; of 1 to 7, bit 0 alone in 1.
        const EACH: u64 = 0x0101_0101_0101_0101;
        let (ones, twos, fours, eights) = (
            self.packed,
            self.packed >> 1,
            self.packed >> 2,
            self.packed >> 3,
        );
        (eights & EACH != 0) & (ones & !twos & !fours & EACH != 0)
    }

    #[inline]
    pub(crate) fn push(&mut self, column: u8) {
        self.packed = self.packed << 8 | u64::from(column);
    }
}

/// Not a list of columns that one turn can capture: a column beyond 8, or named twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadColumns;

impl std::fmt::Display for BadColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("columns captured in a turn are numbers from 1 to 8, each once")
    }
}

impl std::error::Error for BadColumns {}

impl TryFrom<&[u8]> for Columns {
    type Error = BadColumns;

    fn try_from(list: &[u8]) -> Result<Columns, BadColumns> {
        let mut columns = Columns::NONE;
        for &column in list {
            if !(1..=8).contains(&column) || columns.contains(column) {
                return Err(BadColumns);
            }
            columns.push(column);
        }
        Ok(columns)
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::{Columns, PendingLap, Phase};
    use crate::Outcome;
    use crate::forms::Object;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// A phase with exactly the fields of its kind; a variant without braces would take
    /// any.
    #[derive(Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
    enum Form {
        Arrange {},
        Play {},
        Direction(PendingLap),
        Strip { seeds: u32 },
        Lottery {},
        Over(Outcome),
    }

    impl<'de> Deserialize<'de> for Phase {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Phase, D::Error> {
            Ok(match Form::deserialize(Object(deserializer))? {
                Form::Arrange {} => Phase::Arrange,
                Form::Play {} => Phase::Play,
                Form::Direction(lap) => Phase::Direction(lap),
                Form::Strip { seeds } => Phase::Strip { seeds },
                Form::Lottery {} => Phase::Lottery,
                Form::Over(outcome) => Phase::Over(outcome),
            })
        }
    }

    impl Serialize for Columns {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.iter())
        }
    }

    impl<'de> Deserialize<'de> for Columns {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Columns, D::Error> {
            let list = Vec::<u8>::deserialize(deserializer)?;
            Columns::try_from(list.as_slice()).map_err(D::Error::custom)
        }
    }
}
