//! Numbers that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter that goes up by a fixed odd number,
/// each count scrambled. It is fast, has one word of state, and takes every seed alike. It
/// keeps no secrets: it is for measuring and testing only.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    counter: u64,
}

impl Random {
    /// Where the numbers of this seed begin.
    pub(crate) const fn from_seed(seed: u64) -> Random {
        Random { counter: seed }
    }

    /// The next number, any of 2⁶⁴.
    #[inline]
    pub(crate) const fn next(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.counter;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `bound`, each with the same chance but for less than one in
    /// 2⁶⁴ / `bound`: the next number, as a fraction of 2⁶⁴, times the bound.
    #[inline]
    pub(crate) const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_of_a_seed() {
        let mut random = Random::from_seed(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn every_number_below_the_bound_comes_as_often() {
        for bound in [1, 2, 3, 7, 8, 13, 36, 72] {
            let mut random = Random::from_seed(bound as u64);
            let mut counts = vec![0_u32; bound];
            for _ in 0..1_000 * bound {
                counts[random.below(bound)] += 1;
            }
            let squares = counts
                .iter()
                .map(|&count| (f64::from(count) - 1_000.0).powi(2));
            let chi_square = squares.sum::<f64>() / 1_000.0;
            // Its mean is bound - 1 and its variance twice that: five deviations.
            let freedom = bound as f64 - 1.0;
            let most = freedom + 5.0 * (2.0 * freedom).sqrt();
            assert!(chi_square <= most, "{chi_square} for {bound}");
        }
    }
}
