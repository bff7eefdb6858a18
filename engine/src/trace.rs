//! How the seeds moved: what one action did, for a reader that knows no rules.
//!
//! A trace is read from the position before. Each [`Step`] says by itself which seeds
//! go where, so that whoever can walk round a board can draw it, animate it and read
//! it aloud; [`Board::apply`] is such a reader. The walk is all that must be known:
//! on a board of four rows a lap stays on its side, and after the last pit comes
//! pit 0; on a board of two rows it goes on into the other side's pit 0.

use crate::{Board, BySide, Direction, Extra, Outcome, Phase, Pit, Place, Shape, Side, Standing};

/// What one action did, in the order in which it happened, and where the position
/// stands after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Trace {
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// Whose turn it is now, which one, and what is due.
    pub standing: Standing,
    /// What the game remembers beyond that.
    pub extra: Extra,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "type", rename_all = "snake_case"))]
pub enum Step {
    /// A lap was sown.
    Lap(Lap),
    /// Seeds were captured.
    Capture(Capture),
    /// Nsolo: seeds of the opponent went with a capture, to the store of `by`.
    Strip {
        /// The side that took them; they were the other side's.
        by: Side,
        /// The pits and what was taken from each.
        pits: Vec<(Pit, u32)>,
    },
    /// Omweso's okukoneeza: a pit was lifted and its seeds went into two others.
    Koneeza {
        /// Whose pits they are.
        side: Side,
        /// The pit lifted.
        pit: Pit,
        /// The pits sown into and how many seeds each got.
        drops: Vec<(Pit, u32)>,
    },
    /// Omweso: a side laid out its seeds.
    Arrange {
        /// The side.
        side: Side,
        /// What each of its pits holds now.
        pits: Vec<u32>,
    },
    /// Seeds left the board, or the hand, at the end of a game, without a capture.
    Sweep {
        /// Whence.
        from: Source,
        /// How many.
        seeds: u32,
        /// Whose store got them; nobody's as long as the lot for them is due.
        to: Option<Side>,
    },
    /// The turn is over; the other side, named here, begins the next one.
    Turn {
        /// The side to move.
        side: Side,
    },
    /// The side won another turn.
    ExtraTurn {
        /// The side to move.
        side: Side,
    },
    /// The side had no move and passed; the turn is the other side's.
    Pass {
        /// The side that passed.
        side: Side,
    },
    /// The side lost its turn; the turn is the other side's.
    LostTurn {
        /// The side that lost it.
        side: Side,
    },
    /// The turn goes on with a choice.
    Choice {
        /// What is to be chosen.
        phase: Phase,
    },
    /// The game is over.
    Over {
        /// How.
        outcome: Outcome,
    },
}

/// A lap: seeds from one pit, one into each pit that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Lap {
    /// Whose pit it starts from.
    pub side: Side,
    /// The pit it starts from; the first seed falls into the next one.
    pub pit: Pit,
    /// Were the seeds lifted from that pit, or in hand already (captured)?
    pub lifted: bool,
    /// The seeds in hand at its start.
    pub seeds: u32,
    /// The seeds sown: all of them, unless the game ended on the way.
    pub sown: u32,
    /// The way it was sown.
    pub dir: Direction,
    /// Where its last seed fell.
    pub end: Place,
    /// The pits it passed over, in order (Urim).
    pub passed: Vec<Passed>,
}

/// A pit that a lap passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Passed {
    /// How many seeds of the lap had fallen by then.
    pub after: u32,
    /// The pit.
    pub place: Place,
}

/// Seeds captured from the pits of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Capture {
    /// The side that captured.
    pub by: Side,
    /// Whose pits the seeds were in.
    pub side: Side,
    /// The pits and what each held.
    pub pits: Vec<(Pit, u32)>,
    /// Where the seeds went.
    pub to: Destination,
    /// Where it happened in the middle of the lap before it: how many seeds of that
    /// lap had fallen. Otherwise the capture followed the lap.
    pub after: Option<u32>,
}

/// Where captured seeds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Destination {
    /// Into the capturer's store.
    Store,
    /// Into the capturer's hand, for the lap that follows.
    Hand,
}

/// Whence seeds are swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Source {
    /// All pits of south.
    South,
    /// All pits of north.
    North,
    /// The hand of a lap that was cut short.
    Hand,
    /// What was put aside for the lot.
    Aside,
}

impl From<Side> for Source {
    fn from(side: Side) -> Source {
        match side {
            Side::South => Source::South,
            Side::North => Source::North,
        }
    }
}

/// Somebody who is told each step as it happens. [`Silent`] forgets it all before it
/// is even put together: the way to play fast.
pub trait Recorder {
    /// Takes the next step, which is made only if it is wanted.
    fn step(&mut self, step: impl FnOnce() -> Step);

    /// Takes a step that began before the last `later` ones, and goes before them: a lap
    /// is told when it ends, with what it captured on its way after it.
    fn step_before(&mut self, later: usize, step: impl FnOnce() -> Step);

    /// What was recorded did not happen after all: the turn would never have ended.
    fn discard(&mut self);
}

/// Records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {
    #[inline(always)]
    fn step(&mut self, _step: impl FnOnce() -> Step) {}

    #[inline(always)]
    fn step_before(&mut self, _later: usize, _step: impl FnOnce() -> Step) {}

    #[inline(always)]
    fn discard(&mut self) {}
}

impl Recorder for Vec<Step> {
    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.push(step());
    }

    fn step_before(&mut self, later: usize, step: impl FnOnce() -> Step) {
        self.insert(self.len() - later, step());
    }

    fn discard(&mut self) {
        self.clear();
    }
}

/// A step that does not fit the board it is applied to, so the trace belongs to
/// another position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceMismatch;

impl std::fmt::Display for TraceMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the trace does not fit the board it is applied to")
    }
}

impl std::error::Error for TraceMismatch {}

impl Board {
    /// Moves the seeds as the step says, knowing nothing of rules.
    ///
    /// # Errors
    /// Where the step asks for a pit that is not there or for more seeds than are
    /// there. The board is then half changed and of no more use.
    ///
    /// ```
    /// use mancala_engine::{Action, Game, Pit, Position, Side, Urim, UrimOptions};
    /// let mut game = Game::<Urim>::start(UrimOptions::default(), Side::South);
    /// let mut board = game.position().setup().board;
    /// let trace = game.play(&Action::sow(Pit(0)))?;
    /// for step in &trace.steps {
    ///     board.apply(game.position().shape(), step).unwrap();
    /// }
    /// assert_eq!(board, game.position().setup().board);
    /// # Ok::<(), mancala_engine::Refusal>(())
    /// ```
    pub fn apply(&mut self, shape: Shape, step: &Step) -> Result<(), TraceMismatch> {
        match step {
            Step::Lap(lap) => self.apply_lap(shape, lap),
            Step::Capture(capture) => {
                let mut taken = 0;
                for &(pit, seeds) in &capture.pits {
                    self.take(capture.side, pit, seeds)?;
                    taken += seeds;
                }
                if capture.to == Destination::Store {
                    self.stores[capture.by] += taken;
                }
                Ok(())
            }
            Step::Strip { by, pits } => {
                for &(pit, seeds) in pits {
                    self.take(by.other(), pit, seeds)?;
                    self.stores[*by] += seeds;
                }
                Ok(())
            }
            Step::Koneeza { side, pit, drops } => {
                let seeds = drops.iter().map(|&(_, seeds)| seeds).sum();
                self.take(*side, *pit, seeds)?;
                for &(pit, seeds) in drops {
                    *self.pit(Place { side: *side, pit })? += seeds;
                }
                Ok(())
            }
            Step::Arrange { side, pits } => {
                self.pits[*side].clone_from(pits);
                Ok(())
            }
            Step::Sweep { from, seeds, to } => {
                match from {
                    Source::South => self.pits.south.fill(0),
                    Source::North => self.pits.north.fill(0),
                    Source::Hand | Source::Aside => {}
                }
                if let Some(side) = to {
                    self.stores[*side] += seeds;
                }
                Ok(())
            }
            Step::Turn { .. }
            | Step::ExtraTurn { .. }
            | Step::Pass { .. }
            | Step::LostTurn { .. }
            | Step::Choice { .. }
            | Step::Over { .. } => Ok(()),
        }
    }

    fn apply_lap(&mut self, shape: Shape, lap: &Lap) -> Result<(), TraceMismatch> {
        let mut place = Place {
            side: lap.side,
            pit: lap.pit,
        };
        if lap.lifted {
            self.take(lap.side, lap.pit, lap.seeds)?;
        }
        let mut passed = lap.passed.iter().peekable();
        for fallen in 0..lap.sown {
            place = shape.next(place, lap.dir);
            while passed
                .next_if(|passed| passed.after == fallen && passed.place == place)
                .is_some()
            {
                place = shape.next(place, lap.dir);
            }
            *self.pit(place)? += 1;
        }
        if place == lap.end && passed.next().is_none() {
            Ok(())
        } else {
            Err(TraceMismatch)
        }
    }

    fn pit(&mut self, place: Place) -> Result<&mut u32, TraceMismatch> {
        self.pits[place.side]
            .get_mut(place.pit.index())
            .ok_or(TraceMismatch)
    }

    fn take(&mut self, side: Side, pit: Pit, seeds: u32) -> Result<(), TraceMismatch> {
        let held = self.pit(Place { side, pit })?;
        *held = held.checked_sub(seeds).ok_or(TraceMismatch)?;
        Ok(())
    }
}

impl Shape {
    /// The pit that comes after this one in a lap.
    #[must_use]
    pub fn next(self, place: Place, dir: Direction) -> Place {
        let pits = self.pits_a_side() as u16;
        let Place {
            side,
            pit: Pit(pit),
        } = place;
        let beyond = if self.rows_a_side() == 1 {
            side.other()
        } else {
            side
        };
        let (side, pit) = match dir {
            Direction::Forward if pit + 1 < pits => (side, pit + 1),
            Direction::Forward => (beyond, 0),
            Direction::Reverse if pit > 0 => (side, pit - 1),
            Direction::Reverse => (beyond, pits - 1),
        };
        Place {
            side,
            pit: Pit(pit),
        }
    }
}

/// Steps that end a game by counting the seeds in each row for its owner.
pub(crate) fn sweep_rows<R: Recorder>(recorder: &mut R, rows: BySide<u32>) {
    for (side, &seeds) in rows.iter() {
        if seeds > 0 {
            recorder.step(|| Step::Sweep {
                from: side.into(),
                seeds,
                to: Some(side),
            });
        }
    }
}
