//! What may be played in a position.

use crate::{Action, Direction, Pit, PitSet};

/// Everything that may be played in phases `play` and `direction`, as sets of pits.
/// Arrangements, strips, the lot and lost turns are too many, or not for a side to
/// choose, and are not listed.
///
/// ```
/// use mancala_engine::{Action, Game, Omweso, OmwesoOptions, Pit, Side};
/// let game = Game::<Omweso>::start(OmwesoOptions::default(), Side::South);
/// let moves = game.moves();
/// assert_eq!(moves.len(), 8);
/// assert_eq!(moves.nth(7), Action::sow(Pit(7)));
/// assert!(moves.iter().eq((0..8).map(|pit| Action::sow(Pit(pit)))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moves {
    /// The pits that may be sown forward.
    pub forward: PitSet,
    /// The pits that may be sown in reverse (Omweso).
    pub reverse: PitSet,
    /// The pits that may be sown as okukoneeza (Omweso).
    pub koneeza: PitSet,
    /// Is a direction to be chosen? Then both are possible.
    pub directions: bool,
}

impl Moves {
    /// Nothing may be played.
    pub const NONE: Moves = Moves {
        forward: PitSet::EMPTY,
        reverse: PitSet::EMPTY,
        koneeza: PitSet::EMPTY,
        directions: false,
    };

    /// Sowing forward from these pits.
    pub(crate) const fn forward(pits: PitSet) -> Moves {
        Moves {
            forward: pits,
            ..Moves::NONE
        }
    }

    /// How many actions these are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        let directions = if self.directions { 2 } else { 0 };
        self.forward.len() + self.reverse.len() + self.koneeza.len() + directions
    }

    /// Is there none?
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.forward.is_empty()
            && self.reverse.is_empty()
            && self.koneeza.is_empty()
            && !self.directions
    }

    /// The action at this place in the order of [`Moves::iter`].
    ///
    /// # Panics
    /// Where there are `rank` actions or fewer.
    #[inline(always)]
    #[must_use]
    pub fn nth(&self, rank: usize) -> Action {
        let forward = self.forward.len();
        let reverse = forward + self.reverse.len();
        let koneeza = reverse + self.koneeza.len();
        if rank >= koneeza {
            assert!(rank < self.len(), "no action of rank {rank}");
            let dir = if rank == koneeza {
                Direction::Forward
            } else {
                Direction::Reverse
            };
            return Action::Direction { dir };
        }
        let (set, before) = if rank < forward {
            (self.forward, 0)
        } else if rank < reverse {
            (self.reverse, forward)
        } else {
            (self.koneeza, reverse)
        };
        let pit = set.nth(rank - before);
        if rank < forward {
            Action::sow(pit)
        } else if rank < reverse {
            Action::sow_reverse(pit)
        } else {
            Action::Koneeza { pit }
        }
    }

    /// Is sowing this pit this way among them?
    #[inline]
    #[must_use]
    pub const fn may_sow(&self, pit: Pit, dir: Direction) -> bool {
        match dir {
            Direction::Forward => self.forward.contains(pit),
            Direction::Reverse => self.reverse.contains(pit),
        }
    }

    /// All of them: forward, reverse, okukoneeza, directions.
    pub fn iter(&self) -> impl Iterator<Item = Action> + use<> {
        let moves = *self;
        (0..moves.len()).map(move |rank| moves.nth(rank))
    }
}
