//! The two sides of a board, and things that come once for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

/// One of the two sides of a board. A side may be one player or a whole team;
/// the rules do not know the difference.
///
/// ```
/// use mancala_engine::Side;
/// assert_eq!(Side::South.other(), Side::North);
/// assert_eq!("north".parse(), Ok(Side::North));
/// assert_eq!(Side::South.to_string(), "south");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The side drawn at the bottom of a board.
    South,
    /// The side drawn at the top, facing south.
    North,
}

impl Side {
    /// Both sides, south first.
    pub const ALL: [Side; 2] = [Side::South, Side::North];

    /// The side facing this one.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::South => Side::North,
            Side::North => Side::South,
        }
    }

    /// The name used in every text form: `south` or `north`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::South => "south",
            Side::North => "north",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text was neither `south` nor `north`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSideError;

impl fmt::Display for ParseSideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a side is `south` or `north`")
    }
}

impl std::error::Error for ParseSideError {}

impl FromStr for Side {
    type Err = ParseSideError;

    fn from_str(text: &str) -> Result<Side, ParseSideError> {
        match text {
            "south" => Ok(Side::South),
            "north" => Ok(Side::North),
            _ => Err(ParseSideError),
        }
    }
}

/// One `T` for each side, so that nobody has to remember who is 0 and who is 1.
///
/// ```
/// use mancala_engine::{BySide, Side};
/// let mut stores = BySide { south: 3, north: 5 };
/// stores[Side::South] += 1;
/// assert_eq!(stores, BySide { south: 4, north: 5 });
/// assert_eq!(stores.map(|seeds| seeds * 2).north, 10);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BySide<T> {
    /// What belongs to south.
    pub south: T,
    /// What belongs to north.
    pub north: T,
}

impl<T> BySide<T> {
    /// Makes one value for each side.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> BySide<T> {
        BySide {
            south: make(Side::South),
            north: make(Side::North),
        }
    }

    /// Changes both values alike.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySide<U> {
        BySide {
            south: change(self.south),
            north: change(self.north),
        }
    }

    /// Borrows both values.
    pub const fn as_ref(&self) -> BySide<&T> {
        BySide {
            south: &self.south,
            north: &self.north,
        }
    }

    /// Each side with its value, south first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        [(Side::South, &self.south), (Side::North, &self.north)].into_iter()
    }
}

impl BySide<u32> {
    /// The sum over both sides.
    #[must_use]
    pub const fn sum(self) -> u32 {
        self.south + self.north
    }
}

impl<T: Clone> BySide<T> {
    /// The same value for both sides.
    pub fn both(value: T) -> BySide<T> {
        BySide {
            south: value.clone(),
            north: value,
        }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    #[inline]
    fn index(&self, side: Side) -> &T {
        match side {
            Side::South => &self.south,
            Side::North => &self.north,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    #[inline]
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }
}
