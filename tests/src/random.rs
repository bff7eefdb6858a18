//! Numbers that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter, each count scrambled.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Where the numbers of this seed begin.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number, any of 2⁶⁴.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `bound`.
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// One of these.
    ///
    /// # Panics
    /// If there are none.
    pub fn any<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
