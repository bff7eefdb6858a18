//! A side's own circuit of pits, as Bao Kigogo and Nsolo are sown.
//!
//! Both games sow round one's own two rows with relays until a last seed falls into an
//! empty pit, and move single seeds only when nothing else is left. What a landing
//! captures is where they part, and stands in their own files.

use crate::history::Key;
use crate::position::check_pit;
use crate::{
    Action, Direction, LAPS_MAX, Lap, Phase, Pit, PitSet, Place, Recorder, Refusal, Shape, Side,
    Step,
};

/// The pits of one side of a four-row board, up to `N` of them. A pit may hold all the
/// seeds of the largest board (284), hence `u16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Circuit<const N: usize> {
    // What is beyond `len` stays zero.
    pits: [u16; N],
    len: u8,
}

impl<const N: usize> Circuit<N> {
    /// Two seeds in each pit, except the pit `empty`.
    pub(crate) fn start(len: usize, empty: usize) -> Circuit<N> {
        let mut pits = [0; N];
        pits[..len].fill(2);
        pits[empty] = 0;
        Circuit {
            pits,
            len: len as u8,
        }
    }

    /// The first `len` numbers of a list, or zeros where it is shorter.
    pub(crate) fn from_list(len: usize, list: &[u32]) -> Circuit<N> {
        let mut pits = [0; N];
        for (pit, &seeds) in pits[..len].iter_mut().zip(list) {
            *pit = seeds.min(u32::from(u16::MAX)) as u16;
        }
        Circuit {
            pits,
            len: len as u8,
        }
    }

    pub(crate) fn to_list(self) -> Vec<u32> {
        self.pits().iter().map(|&seeds| u32::from(seeds)).collect()
    }

    #[inline]
    fn pits(&self) -> &[u16] {
        &self.pits[..usize::from(self.len)]
    }

    #[inline]
    pub(crate) fn get(&self, pit: usize) -> u32 {
        u32::from(self.pits[pit])
    }

    /// Takes so many seeds from a pit.
    pub(crate) fn take(&mut self, pit: usize, seeds: u32) {
        self.pits[pit] -= seeds as u16;
    }

    /// Takes every seed of a pit.
    #[inline]
    pub(crate) fn take_all(&mut self, pit: usize) -> u32 {
        u32::from(std::mem::take(&mut self.pits[pit]))
    }

    /// The seeds of the side.
    pub(crate) fn seeds(&self) -> u32 {
        u32::from(self.pits.iter().sum::<u16>())
    }

    /// Are there no seeds?
    pub(crate) fn is_empty(&self) -> bool {
        self.pits == [0; N]
    }

    /// The pits that hold seeds, with how many.
    pub(crate) fn filled(&self) -> Vec<(Pit, u32)> {
        (0..)
            .map(Pit)
            .zip(self.to_list())
            .filter(|&(_, seeds)| seeds > 0)
            .collect()
    }

    /// The pits that may be lifted: those of two or more; where there is none, single
    /// seeds before an empty pit.
    #[inline]
    pub(crate) fn movable(&self) -> PitSet {
        let of_two_or_more = self.set_of(|seeds| seeds >= 2);
        if of_two_or_more != 0 {
            return PitSet(of_two_or_more);
        }
        let single = self.set_of(|seeds| seeds == 1);
        let next_filled = single >> 1 | (single & 1) << (self.len - 1);
        PitSet(single & !next_filled)
    }

    /// Does the side have a move?
    #[inline]
    pub(crate) fn can_move(&self) -> bool {
        self.has_two_or_more() || !self.movable().is_empty()
    }

    fn has_two_or_more(&self) -> bool {
        self.pits.iter().any(|&seeds| seeds >= 2)
    }

    #[inline]
    fn set_of(&self, belongs: impl Fn(u16) -> bool) -> u128 {
        // Eight pits at a time, so that the compiler can keep it in registers.
        let mut set = 0;
        for (eighth, pits) in self.pits.chunks(8).enumerate() {
            let mut byte = 0_u8;
            for (bit, &seeds) in pits.iter().enumerate() {
                byte |= u8::from(belongs(seeds)) << bit;
            }
            set |= u128::from(byte) << (8 * eighth);
        }
        set
    }

    /// Mixes the pits into a key.
    #[inline]
    pub(crate) fn mix_into(&self, key: Key) -> Key {
        let word = |pits: &[u16]| {
            pits.iter()
                .fold(0, |word, &seeds| word << 16 | u64::from(seeds))
        };
        self.pits().chunks(8).fold(key, |key, pits| {
            let (low, high) = pits.split_at(pits.len().min(4));
            key.with(word(low), word(high))
        })
    }

    /// May this pit be lifted?
    ///
    /// # Errors
    /// The first reason why not.
    pub(crate) fn check_lift(&self, shape: Shape, pit: Pit) -> Result<(), Refusal> {
        let seeds = check_pit(shape, pit, |pit| self.get(pit.index()))?;
        if seeds >= 2 {
            return Ok(());
        }
        if self.has_two_or_more() {
            return Err(Refusal::Singleton);
        }
        if self.movable().contains(pit) {
            Ok(())
        } else {
            Err(Refusal::SingletonBlocked)
        }
    }

    /// Sows from a pit, relay after relay, until a last seed falls into an empty pit,
    /// and says which. `None` where the turn is never-ending; the pits are then of no
    /// more use.
    #[inline]
    pub(crate) fn sow<R: Recorder>(
        &mut self,
        side: Side,
        start: usize,
        recorder: &mut R,
    ) -> Option<usize> {
        let len = usize::from(self.len);
        let pits = &mut self.pits[..len];
        let mut pit = start;
        for _ in 0..LAPS_MAX {
            let seeds = std::mem::take(&mut pits[pit]);
            let mut end = pit;
            for _ in 0..seeds {
                end += 1;
                if end == len {
                    end = 0;
                }
                pits[end] += 1;
            }
            recorder.step(|| {
                Step::Lap(Lap {
                    side,
                    pit: Pit(pit as u16),
                    lifted: true,
                    seeds: u32::from(seeds),
                    sown: u32::from(seeds),
                    dir: Direction::Forward,
                    end: Place {
                        side,
                        pit: Pit(end as u16),
                    },
                    passed: Vec::new(),
                })
            });
            if pits[end] <= 1 {
                return Some(end);
            }
            pit = end;
        }
        None
    }
}

/// May `sow` be played where a side's pits are `own`? The direction comes last.
pub(crate) fn check_sow<const N: usize>(
    own: &Circuit<N>,
    shape: Shape,
    pit: Pit,
    dir: Direction,
) -> Result<(), Refusal> {
    own.check_lift(shape, pit)?;
    match dir {
        Direction::Forward => Ok(()),
        Direction::Reverse => Err(Refusal::NotAllowed),
    }
}

/// Is this an action of phase `play` in every game but Omweso?
pub(crate) fn belongs_to_play(action: &Action, phase: &Phase) -> bool {
    matches!(action, Action::Sow { .. } | Action::LoseTurn) && *phase == Phase::Play
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of single seeds those before an empty pit may move; after the last pit comes the
    /// first. Every way to lay single seeds into sixteen pits, of 72 in memory.
    #[test]
    fn singles_move_into_empty_pits() {
        let shape = Shape::four_rows(8);
        for singles in 0..1_u32 << 16 {
            let list: Vec<u32> = (0..16).map(|pit| singles >> pit & 1).collect();
            let circuit = Circuit::<72>::from_list(16, &list);
            let free = |&pit: &usize| list[pit] == 1 && list[(pit + 1) % 16] == 0;
            let expected: PitSet = (0..16).filter(free).map(|pit| Pit(pit as u16)).collect();
            assert_eq!(circuit.movable(), expected, "{list:?}");
            assert_eq!(circuit.can_move(), !expected.is_empty(), "{list:?}");
            let blocked = (0..16)
                .map(Pit)
                .find(|&pit| list[pit.index()] == 1 && !expected.contains(pit));
            if let Some(pit) = blocked {
                let refusal = circuit.check_lift(shape, pit);
                assert_eq!(refusal, Err(Refusal::SingletonBlocked), "{list:?} {pit:?}");
            }
        }
    }

    /// One pit of two or more, wherever it is, and no single seed may move.
    #[test]
    fn bigger_pits_come_first() {
        for len in [16, 24, 72] {
            for pit in 0..len {
                let mut list = [1, 0].repeat(len / 2);
                list[pit] = 2;
                let circuit = Circuit::<72>::from_list(len, &list);
                let only = [Pit(pit as u16)].into_iter().collect();
                assert_eq!(circuit.movable(), only, "pit {pit} of {len}");
            }
        }
    }
}
