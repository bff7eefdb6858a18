//! Pits, how a board numbers them and what people call them.
//!
//! Pits are numbered from 0 in sowing order, for each side apart. With C columns,
//! a side of two rows has its outer row from left to right in `0..C` and its inner
//! row from right to left in `C..2C`; a side of one row has `0..C` from left to
//! right. For people a pit is a letter and the column from its owner's left: `A`
//! is the outer (or only) row, `B` the inner one.

use std::fmt;

/// A pit of one side by its number. Any number can be asked for; whether the board
/// has it is for [`Shape::contains`] and the engine's `no_such_pit` to say.
///
/// ```
/// use mancala_engine::{Pit, Shape};
/// let board = Shape::four_rows(8);
/// assert_eq!(board.label(Pit(0)).to_string(), "A1");
/// assert_eq!(board.label(Pit(15)).to_string(), "B1");
/// assert_eq!(board.pit("B8"), Some(Pit(8)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Pit(pub u16);

impl Pit {
    /// On no board: what numbers too large for a [`Pit`] are read as.
    pub const NOWHERE: Pit = Pit(u16::MAX);

    /// The number as an index into a side's pits.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u64> for Pit {
    /// Numbers beyond `u16` become [`Pit::NOWHERE`].
    fn from(number: u64) -> Pit {
        u16::try_from(number).map_or(Pit::NOWHERE, Pit)
    }
}

/// The outline of a board: how many rows a side has and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    rows: u8,
    columns: u8,
}

impl Shape {
    /// A board of two rows, one a side, of `columns` pits each.
    #[must_use]
    pub const fn two_rows(columns: u8) -> Shape {
        Shape { rows: 1, columns }
    }

    /// A board of four rows, two a side, of `columns` pits each.
    #[must_use]
    pub const fn four_rows(columns: u8) -> Shape {
        Shape { rows: 2, columns }
    }

    /// Rows of each side: 1 or 2.
    #[must_use]
    pub const fn rows_a_side(self) -> u8 {
        self.rows
    }

    /// Pits in a row.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Pits of one side.
    #[inline]
    #[must_use]
    pub const fn pits_a_side(self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Does this board have the pit?
    #[inline]
    #[must_use]
    pub const fn contains(self, pit: Pit) -> bool {
        pit.index() < self.pits_a_side()
    }

    /// What people call the pit. Of a pit the board does not have, the number.
    #[must_use]
    pub fn label(self, pit: Pit) -> PitLabel {
        PitLabel { shape: self, pit }
    }

    /// The pit that people call so: a letter, upper or lower case, and a column.
    /// `None` where the board has no such pit.
    #[must_use]
    pub fn pit(self, label: &str) -> Option<Pit> {
        let mut letters = label.chars();
        let row = letters.next()?.to_ascii_uppercase();
        let digits = letters.as_str();
        if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let column: u16 = digits.parse().ok()?;
        let columns = u16::from(self.columns);
        if column > columns {
            return None;
        }
        match row {
            'A' => Some(Pit(column - 1)),
            'B' if self.rows == 2 => Some(Pit(2 * columns - column)),
            _ => None,
        }
    }
}

/// A pit as people write it; made by [`Shape::label`].
#[derive(Clone, Copy, Debug)]
pub struct PitLabel {
    shape: Shape,
    pit: Pit,
}

impl fmt::Display for PitLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pit(pit) = self.pit;
        let columns = u16::from(self.shape.columns);
        if !self.shape.contains(self.pit) {
            write!(f, "pit {pit}")
        } else if pit < columns {
            write!(f, "A{}", pit + 1)
        } else {
            write!(f, "B{}", 2 * columns - pit)
        }
    }
}

/// A pit of a certain side: where a lap ended, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Place {
    /// Whose pit it is.
    pub side: crate::Side,
    /// Which of that side's pits.
    pub pit: Pit,
}

/// A set of pits of one side.
///
/// ```
/// use mancala_engine::{Pit, PitSet};
/// let set: PitSet = [Pit(3), Pit(70)].into_iter().collect();
/// assert_eq!(set.len(), 2);
/// assert_eq!(set.nth(1), Pit(70));
/// assert!(set.contains(Pit(3)) && !set.contains(Pit(4)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PitSet(pub(crate) u128);

impl PitSet {
    /// No pit at all.
    pub const EMPTY: PitSet = PitSet(0);

    /// How many pits are in the set.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        if self.fits_16() {
            (COUNT[(self.0 & 0xff) as usize] + COUNT[(self.0 >> 8) as usize]) as usize
        } else {
            self.0.count_ones() as usize
        }
    }

    /// On small boards looking up a byte is quicker than counting bits, which not every
    /// processor has an instruction for.
    #[inline]
    const fn fits_16(self) -> bool {
        self.0 >> 16 == 0
    }

    /// Is no pit in the set?
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Is this pit in the set?
    #[inline]
    #[must_use]
    pub const fn contains(self, pit: Pit) -> bool {
        pit.0 < 128 && self.0 >> pit.0 & 1 == 1
    }

    /// The pit with `rank` smaller ones before it in the set.
    ///
    /// # Panics
    /// Where the set holds `rank` pits or fewer.
    #[inline(always)]
    #[must_use]
    pub fn nth(self, rank: usize) -> Pit {
        assert!(rank < self.len(), "no pit of rank {rank} in the set");
        if self.fits_16() {
            // Which byte it is in is a coin's throw, so this is better reckoned than
            // jumped over.
            let in_low = usize::from(COUNT[(self.0 & 0xff) as usize]);
            let high = usize::from(rank >= in_low);
            let byte = (self.0 as usize >> (8 * high)) & 0xff;
            let within = SELECT[byte][(rank - high * in_low) & 7];
            return Pit((8 * high) as u16 + u16::from(within));
        }
        self.nth_of_many(rank)
    }

    #[inline(never)]
    fn nth_of_many(self, rank: usize) -> Pit {
        let low = self.0 as u64;
        let in_low = low.count_ones() as usize;
        if rank < in_low {
            Pit(select(low, rank) as u16)
        } else {
            Pit(64 + select((self.0 >> 64) as u64, rank - in_low) as u16)
        }
    }

    /// The pits in rising order.
    pub fn iter(self) -> impl Iterator<Item = Pit> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let pit = Pit(rest.trailing_zeros() as u16);
            rest &= rest - 1;
            Some(pit)
        })
    }
}

impl FromIterator<Pit> for PitSet {
    /// Pits from 128 on are on no board and are left out.
    fn from_iter<I: IntoIterator<Item = Pit>>(pits: I) -> PitSet {
        let set = pits
            .into_iter()
            .filter(|pit| pit.0 < 128)
            .fold(0, |set, pit| set | 1 << pit.0);
        PitSet(set)
    }
}

/// The place of the set bit with `rank` set bits below it, without a branch:
/// choosing among legal moves at random is a good part of a playout.
#[inline]
fn select(word: u64, rank: usize) -> u32 {
    // Bits set in each byte and all below it: the byte sought is the first with
    // more than `rank`.
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x8080_8080_8080_8080;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = bytes.wrapping_mul(EACH);
    let not_above = (((rank as u64 * EACH) | TOP) - sums) & TOP;
    let byte = ((not_above >> 7).wrapping_mul(EACH) >> 56) as u32 & 7;
    let before = ((sums << 8) >> (8 * byte)) as usize & 0xff;
    let within = (word >> (8 * byte)) as usize & 0xff;
    8 * byte + u32::from(SELECT[within][(rank - before) & 7])
}

/// How many bits are set in a byte.
static COUNT: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte.count_ones() as u8;
        byte += 1;
    }
    table
};

/// The place of each set bit of a byte, by its rank.
static SELECT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rank = 0;
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_numbers_agree_on_every_board() {
        for shape in (6..=12)
            .map(Shape::two_rows)
            .chain((8..=36).map(Shape::four_rows))
        {
            for number in 0..shape.pits_a_side() as u16 {
                let label = shape.label(Pit(number)).to_string();
                assert_eq!(shape.pit(&label), Some(Pit(number)), "{label} of {shape:?}");
            }
        }
    }

    #[test]
    fn labels_that_are_on_no_board() {
        let board = Shape::four_rows(8);
        for label in [
            "", "A", "A0", "A9", "A01", "A+1", "C1", "B", "1A", "A1 ", "Ä1", "A99999",
        ] {
            assert_eq!(board.pit(label), None, "{label:?}");
        }
        assert_eq!(Shape::two_rows(6).pit("B1"), None);
    }

    #[test]
    fn select_finds_each_set_bit() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..1000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let sparse = word & word.rotate_left(17);
            for word in [word, sparse, u64::MAX, 1 << 63] {
                let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
                for (rank, bit) in bits.enumerate() {
                    assert_eq!(select(word, rank), bit, "{word:x} {rank}");
                }
            }
        }
    }
}
