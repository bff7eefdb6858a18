//! Bao Kigogo, after Klamroth (1911).
//!
//! Four rows of twelve pits, two seeds in each but B1: 92. A player lifts a pit of two
//! or more and sows it forward round the own pits, lifting again wherever the last seed
//! falls into an occupied pit. When it falls into an empty one the turn is over; if that
//! is an inner pit and the opponent's inner pit facing it holds seeds, they are captured
//! with those of the outer pit behind it. Captured seeds leave the board.
//!
//! Single seeds may be moved only by a side that has no pit of two or more, and only
//! into an empty pit. A side without seeds, or without a move when it is its turn, loses.

use crate::circuit::{Circuit, belongs_to_play, check_sow};
use crate::history::Key;
use crate::position::{Played, check_phase};
use crate::setup::Inspection;
use crate::{
    Action, BadPosition, Board, BySide, Capture, Destination, Extra, Flaw, Mancala, Moves, Options,
    Outcome, Phase, Pit, Position, QuietLimit, Reason, Recorder, Refusal, Setup, Shape, Side,
    Standing, Step,
};

/// What may be chosen about a game of Bao Kigogo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BaoKigogoOptions {
    /// After how many quiet turns in a row the game is drawn.
    pub quiet_limit: QuietLimit,
}

impl Default for BaoKigogoOptions {
    fn default() -> BaoKigogoOptions {
        BaoKigogoOptions {
            quiet_limit: QuietLimit::FOUR_ROWS,
        }
    }
}

/// A position of Bao Kigogo.
///
/// ```
/// use mancala_engine::{BaoKigogo, BaoKigogoOptions, Position, Side};
/// let position = BaoKigogo::start(BaoKigogoOptions::default(), Side::South);
/// assert_eq!(position.setup().board.pits.south.iter().sum::<u32>(), 46);
/// assert_eq!(position.moves().len(), 23);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BaoKigogo {
    sides: BySide<Circuit<PITS>>,
    stores: BySide<u32>,
    standing: Standing,
    options: BaoKigogoOptions,
}

const COLUMNS: usize = 12;
const PITS: usize = 2 * COLUMNS;
const SHAPE: Shape = Shape::four_rows(COLUMNS as u8);
const SEEDS: u32 = 92;

impl Position for BaoKigogo {
    type Options = BaoKigogoOptions;

    fn start(options: BaoKigogoOptions, first: Side) -> BaoKigogo {
        BaoKigogo {
            // B1 is the last pit in sowing order.
            sides: BySide::both(Circuit::start(PITS, PITS - 1)),
            stores: BySide::both(0),
            standing: Standing::start(first, Phase::Play),
            options,
        }
    }

    fn from_setup(options: BaoKigogoOptions, setup: &Setup) -> Result<BaoKigogo, BadPosition> {
        let mut inspection =
            Inspection::new(setup, SHAPE, SEEDS, SEEDS, 0, options.quiet_limit.get());
        inspection.demand(setup.extra == Extra::None {}, || Flaw::Extra {
            expected: "no fields of its own",
        });
        let pits = setup.board.pits.as_ref();
        let position = BaoKigogo {
            sides: pits.map(|list| Circuit::from_list(PITS, list)),
            stores: setup.board.stores,
            standing: setup.standing,
            options,
        };
        match setup.standing.phase {
            Phase::Over(_) => {}
            Phase::Play => {
                inspection.demand_seeds_on_both_sides();
                if inspection.sound() {
                    inspection.demand(!position.moves().is_empty(), || Flaw::NoMove);
                }
            }
            _ => inspection.demand(false, || Flaw::ForeignPhase),
        }
        inspection.finish().map(|()| position)
    }

    fn setup(&self) -> Setup {
        Setup {
            board: Board {
                pits: self.sides.map(Circuit::to_list),
                stores: self.stores,
            },
            standing: self.standing,
            extra: Extra::None {},
        }
    }

    fn mancala(&self) -> Mancala {
        Mancala::BaoKigogo
    }

    fn options(&self) -> Options {
        Options::BaoKigogo(self.options)
    }

    fn shape(&self) -> Shape {
        SHAPE
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    #[inline]
    fn moves(&self) -> Moves {
        match self.standing.phase {
            Phase::Play => Moves::forward(self.sides[self.standing.to_move].movable()),
            _ => Moves::NONE,
        }
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        let phase = &self.standing.phase;
        check_phase(phase, belongs_to_play(action, phase))?;
        match action {
            Action::Sow { pit, dir } => {
                check_sow(&self.sides[self.standing.to_move], SHAPE, *pit, *dir)
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn play_unchecked<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played {
        match action {
            Action::Sow { pit, .. } => self.sow(*pit, recorder),
            Action::LoseTurn => self.lose_turn(recorder),
            _ => Played::no_occurrence(false),
        }
    }

    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        self.end(Outcome::draw(reason), recorder);
    }

    #[inline]
    fn key(&self) -> u64 {
        let key = Key::new(self.standing.to_move as u64);
        let key = self.sides.south.mix_into(key);
        self.sides.north.mix_into(key).finish()
    }

    fn occurrences_to_end(&self) -> usize {
        2
    }
}

impl BaoKigogo {
    #[inline]
    fn sow<R: Recorder>(&mut self, pit: Pit, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        let mut own = self.sides[me];
        let Some(end) = own.sow(me, pit.index() % PITS, recorder) else {
            recorder.discard();
            self.end_by(Reason::NeverEnding, recorder);
            return Played::no_occurrence(false);
        };
        self.sides[me] = own;
        let captured = self.capture(end, recorder);
        self.standing.count_quiet(captured);
        let other = &self.sides[me.other()];
        let outcome = if other.is_empty() {
            Some(Outcome::win(me, 1, Reason::AllCaptured))
        } else if !other.can_move() {
            Some(Outcome::win(me, 1, Reason::Immobilised))
        } else if self.standing.quiet >= self.options.quiet_limit.get() {
            Some(Outcome::draw(Reason::Quiet))
        } else {
            None
        };
        if let Some(outcome) = outcome {
            self.end(outcome, recorder);
            return Played::no_occurrence(captured);
        }
        self.standing.next_turn();
        recorder.step(|| Step::Turn { side: me.other() });
        Played::turn(captured)
    }

    /// Takes what a last seed in the empty pit `end` captures, if anything.
    #[inline]
    fn capture<R: Recorder>(&mut self, end: usize, recorder: &mut R) -> bool {
        let me = self.standing.to_move;
        let other = &mut self.sides[me.other()];
        if end < COLUMNS {
            return false;
        }
        let inner = 3 * COLUMNS - 1 - end;
        let outer = end - COLUMNS;
        let facing = other.take_all(inner);
        if facing == 0 {
            return false;
        }
        let behind = other.take_all(outer);
        self.stores[me] += facing + behind;
        recorder.step(|| {
            let taken = [(Pit(inner as u16), facing), (Pit(outer as u16), behind)];
            Step::Capture(Capture {
                by: me,
                side: me.other(),
                pits: taken.into_iter().filter(|&(_, seeds)| seeds > 0).collect(),
                to: Destination::Store,
                after: None,
            })
        });
        true
    }

    fn lose_turn<R: Recorder>(&mut self, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::LostTurn { side: me });
        if !self.sides[me.other()].can_move() {
            self.standing.next_turn();
            recorder.step(|| Step::Pass { side: me.other() });
        }
        Played::no_occurrence(false)
    }

    fn end<R: Recorder>(&mut self, outcome: Outcome, recorder: &mut R) {
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
    }
}
