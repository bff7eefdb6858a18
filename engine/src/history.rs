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

/// Mixes words into a key; each word changes every bit of it.
#[inline]
pub(crate) fn mix(seed: u64, words: impl IntoIterator<Item = u64>) -> u64 {
    let mut key = 0x9e37_79b9_7f4a_7c15_u64 ^ seed;
    for word in words {
        let product = u128::from(key ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        key = (product as u64) ^ (product >> 64) as u64;
    }
    key
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
