//! What decides where a test leaves something open.

/// A source of decisions: random ones that a seed repeats, or the bytes of a fuzzer,
/// which run out.
pub enum Lot<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl Lot<'_> {
    /// Are the bytes used up? From then on every decision is 0.
    pub fn is_used_up(&self) -> bool {
        matches!(self, Lot::Bytes([]))
    }

    /// A number below `bound`, 0 where `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % bound,
            _ => {
                let bytes = [self.byte(), self.byte(), self.byte(), self.byte()];
                u32::from_le_bytes(bytes) as usize % bound
            }
        }
    }

    /// Yes, once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub fn one_of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    fn byte(&mut self) -> u8 {
        match self {
            Lot::Seed(state) => {
                // SplitMix64 (Steele, Lea, Flood 2014).
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut word = *state;
                word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                (word >> 56) as u8
            }
            Lot::Bytes(bytes) => match bytes.split_first() {
                Some((&first, rest)) => {
                    *bytes = rest;
                    first
                }
                None => 0,
            },
        }
    }
}
