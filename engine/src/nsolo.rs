//! Nsolo, after Sanderson (1913).
//!
//! Four rows of 8 to 36 pits, two seeds in each but the rightmost inner pit. Sowing,
//! relays and single seeds are those of Bao Kigogo. Where a last seed falls into an
//! empty inner pit and the opponent's inner pit facing it holds n seeds, those leave the
//! board, and the mover strips the opponent of n more, from any pits. Where n or fewer
//! are left, all of them go without asking.
//!
//! A side without seeds loses. A side with seeds but without a move passes; where
//! neither side has a move, the game is drawn.

use crate::circuit::{Circuit, belongs_to_play, check_sow};
use crate::history::Key;
use crate::position::{Played, check_phase};
use crate::setup::Inspection;
use crate::{
    Action, BadPosition, Board, BySide, Capture, Destination, Extra, Flaw, Mancala, Moves,
    NsoloColumns, Options, Outcome, Phase, Pit, Position, QuietLimit, Reason, Recorder, Refusal,
    Setup, Shape, Side, Standing, Step,
};

/// What may be chosen about a game of Nsolo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct NsoloOptions {
    /// Pits in a row.
    pub columns: NsoloColumns,
    /// After how many quiet turns in a row the game is drawn.
    pub quiet_limit: QuietLimit,
}

impl Default for NsoloOptions {
    fn default() -> NsoloOptions {
        NsoloOptions {
            columns: NsoloColumns::default(),
            quiet_limit: QuietLimit::FOUR_ROWS,
        }
    }
}

impl NsoloOptions {
    const fn columns(&self) -> usize {
        self.columns.get() as usize
    }

    /// The seeds of the game: two in each pit but one on each side.
    const fn seeds(&self) -> u32 {
        8 * self.columns.get() - 4
    }
}

/// A position of Nsolo.
///
/// ```
/// use mancala_engine::{Nsolo, NsoloColumns, NsoloOptions, Position, Side};
/// let columns = NsoloColumns::new(36).unwrap();
/// let options = NsoloOptions { columns, ..NsoloOptions::default() };
/// let position = Nsolo::start(options, Side::South);
/// assert_eq!(position.setup().board.pits.south.iter().sum::<u32>(), 142);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nsolo {
    sides: BySide<Circuit<PITS_MAX>>,
    stores: BySide<u32>,
    standing: Standing,
    options: NsoloOptions,
}

const PITS_MAX: usize = 72;

impl Position for Nsolo {
    type Options = NsoloOptions;

    fn start(options: NsoloOptions, first: Side) -> Nsolo {
        let columns = options.columns();
        Nsolo {
            // The rightmost inner pit is the first of the inner row in sowing order.
            sides: BySide::both(Circuit::start(2 * columns, columns)),
            stores: BySide::both(0),
            standing: Standing::start(first, Phase::Play),
            options,
        }
    }

    fn from_setup(options: NsoloOptions, setup: &Setup) -> Result<Nsolo, BadPosition> {
        let seeds = options.seeds();
        let shape = Shape::four_rows(options.columns() as u8);
        let limit = options.quiet_limit.get();
        let mut inspection = Inspection::new(setup, shape, seeds, seeds, 0, limit);
        inspection.demand(setup.extra == Extra::None {}, || Flaw::Extra {
            expected: "no fields of its own",
        });
        let pits = setup.board.pits.as_ref();
        let position = Nsolo {
            sides: pits.map(|list| Circuit::from_list(shape.pits_a_side(), list)),
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
            Phase::Strip { seeds } => {
                inspection.demand_seeds_on_both_sides();
                if inspection.sound() {
                    let left = position.sides[setup.standing.to_move.other()].seeds();
                    inspection.demand((1..left).contains(&seeds), || {
                        Flaw::Impossible(
                            "a strip takes one seed or more and leaves the opponent some",
                        )
                    });
                    let mover = setup.standing.to_move;
                    inspection.demand(position.stores[mover] >= seeds, || Flaw::Store {
                        side: mover,
                        why: "as many seeds as are to be stripped were captured just before",
                    });
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
        Mancala::Nsolo
    }

    fn options(&self) -> Options {
        Options::Nsolo(self.options)
    }

    fn shape(&self) -> Shape {
        Shape::four_rows(self.options.columns() as u8)
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
        match (action, phase) {
            (Action::Strip { take }, Phase::Strip { seeds }) => self.check_strip(take, *seeds),
            _ => {
                check_phase(phase, belongs_to_play(action, phase))?;
                match action {
                    Action::Sow { pit, dir } => {
                        let own = &self.sides[self.standing.to_move];
                        check_sow(own, self.shape(), *pit, *dir)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    #[inline]
    fn play_unchecked<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played {
        match action {
            Action::Sow { pit, .. } => self.sow(*pit, recorder),
            Action::Strip { take } => self.strip(take, recorder),
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

impl Nsolo {
    #[inline]
    fn sow<R: Recorder>(&mut self, pit: Pit, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        let mut own = self.sides[me];
        let columns = self.options.columns();
        let Some(end) = own.sow(me, pit.index() % (2 * columns), recorder) else {
            recorder.discard();
            self.end_by(Reason::NeverEnding, recorder);
            return Played::no_occurrence(false);
        };
        self.sides[me] = own;
        let facing = if end < columns {
            0
        } else {
            self.capture(3 * columns - 1 - end, recorder)
        };
        if facing == 0 {
            return self.finish_turn(false, recorder);
        }
        let left = self.sides[me.other()].seeds();
        if left > facing {
            let phase = Phase::Strip { seeds: facing };
            self.standing.phase = phase;
            recorder.step(|| Step::Choice { phase });
            return Played::no_occurrence(true);
        }
        if left > 0 {
            let take = self.sides[me.other()].filled();
            self.remove(&take, recorder);
        }
        self.finish_turn(true, recorder)
    }

    /// Captures the seeds of the opponent's inner pit, and says how many they were.
    #[inline]
    fn capture<R: Recorder>(&mut self, inner: usize, recorder: &mut R) -> u32 {
        let me = self.standing.to_move;
        let facing = self.sides[me.other()].take_all(inner);
        if facing > 0 {
            self.stores[me] += facing;
            recorder.step(|| {
                Step::Capture(Capture {
                    by: me,
                    side: me.other(),
                    pits: vec![(Pit(inner as u16), facing)],
                    to: Destination::Store,
                    after: None,
                })
            });
        }
        facing
    }

    fn check_strip(&self, take: &[(Pit, u32)], due: u32) -> Result<(), Refusal> {
        let other = &self.sides[self.standing.to_move.other()];
        let mut named = PitsNamed::default();
        let mut sum = 0;
        for &(pit, seeds) in take {
            let there = self.shape().contains(pit) && seeds > 0;
            if !there || !named.insert(pit) || seeds > other.get(pit.index()) {
                return Err(Refusal::BadStrip);
            }
            sum += seeds;
        }
        if sum == due {
            Ok(())
        } else {
            Err(Refusal::BadStrip)
        }
    }

    fn strip<R: Recorder>(&mut self, take: &[(Pit, u32)], recorder: &mut R) -> Played {
        self.remove(take, recorder);
        self.standing.phase = Phase::Play;
        self.finish_turn(true, recorder)
    }

    /// Takes seeds off the opponent's side.
    fn remove<R: Recorder>(&mut self, take: &[(Pit, u32)], recorder: &mut R) {
        let me = self.standing.to_move;
        for &(pit, seeds) in take {
            self.sides[me.other()].take(pit.index(), seeds);
            self.stores[me] += seeds;
        }
        recorder.step(|| Step::Strip {
            by: me,
            pits: take.to_vec(),
        });
    }

    /// Looks for an end of the game when a turn is over; otherwise the next one begins.
    #[inline]
    fn finish_turn<R: Recorder>(&mut self, captured: bool, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.standing.count_quiet(captured);
        let other = &self.sides[me.other()];
        let other_moves = other.can_move();
        let outcome = if captured && other.is_empty() {
            Some(Outcome::win(me, 1, Reason::AllCaptured))
        } else if !other_moves && !self.sides[me].can_move() {
            Some(Outcome::draw(Reason::BothStuck))
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
        if !other_moves {
            self.pass(recorder);
        }
        Played::turn(captured)
    }

    fn pass<R: Recorder>(&mut self, recorder: &mut R) {
        let side = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::Pass { side });
    }

    fn lose_turn<R: Recorder>(&mut self, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::LostTurn { side: me });
        if !self.sides[me.other()].can_move() {
            self.pass(recorder);
        }
        Played::no_occurrence(false)
    }

    fn end<R: Recorder>(&mut self, outcome: Outcome, recorder: &mut R) {
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
    }
}

/// The pits that a strip has named so far.
#[derive(Default)]
struct PitsNamed(u128);

impl PitsNamed {
    /// Was the pit not named before?
    fn insert(&mut self, pit: Pit) -> bool {
        let bit = 1 << pit.0;
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }
}
