//! Which positions have stood in a game before.

/// The keys of the positions at the start of each turn since the last one that
/// cannot come back.
///
/// A key is 64 bits that mix every pit, the side to move and whatever else the game
/// compares (see [`Position::key`](crate::Position::key)). Two different positions of
/// one game share a key with a chance of about n²/2⁶⁵ for n turns, less than one in
/// ten billion games of a thousand turns. It is no defence against somebody who
/// constructs positions to that end; nobody can choose all 32 pits of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    keys: Vec<u64>,
    /// A bit for each key, by its lowest bits: most positions are new, and one look
    /// here says so.
    filter: [u64; 8],
}

impl History {
    /// Notes that the position stands again, and says how often it stood before.
    #[inline]
    pub(crate) fn note(&mut self, key: u64) -> usize {
        let word = &mut self.filter[(key >> 6 & 7) as usize];
        let bit = 1 << (key & 63);
        let before = if *word & bit == 0 {
            0
        } else {
            self.keys.iter().filter(|&&earlier| earlier == key).count()
        };
        *word |= bit;
        if self.keys.len() == self.keys.capacity() {
            // Most games get by with one allocation.
            self.keys.reserve(128);
        }
        self.keys.push(key);
        before
    }

    /// Forgets all: none of the positions can come back, or none counts any more.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.filter = [0; 8];
    }

    /// The keys in order, for a digest of the whole state.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }
}

impl From<Vec<u64>> for History {
    fn from(keys: Vec<u64>) -> History {
        let mut history = History::default();
        for &key in &keys {
            history.note(key);
        }
        history
    }
}

/// A key in the making. Pairs of words are multiplied apart from each other, which a
/// processor does side by side; each word changes every bit of the key.
#[derive(Clone, Copy)]
pub(crate) struct Key(u64);

impl Key {
    #[inline]
    pub(crate) const fn new(seed: u64) -> Key {
        Key(seed)
    }

    #[inline]
    pub(crate) const fn with(self, word: u64, other: u64) -> Key {
        let product = fold(word ^ 0x9e37_79b9_7f4a_7c15, other ^ 0xc2b2_ae3d_27d4_eb4f);
        Key(self.0.rotate_left(29) ^ product)
    }

    #[inline]
    pub(crate) const fn finish(self) -> u64 {
        fold(self.0 ^ 0x1656_67b1_9e37_79f9, 0xd6e8_feb8_6659_fd93)
    }
}

/// Both halves of a product, one over the other.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_how_often_a_key_stood_before() {
        let mut history = History::default();
        assert_eq!(history.note(7), 0);
        assert_eq!(history.note(7 + 512), 0, "same filter bit, another key");
        assert_eq!(history.note(7), 1);
        assert_eq!(history.note(7), 2);
        history.clear();
        assert_eq!(history.note(7), 0);
    }
}
