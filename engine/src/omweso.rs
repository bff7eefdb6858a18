//! Omweso, after Shackell (1934) and the International Omweso Society.
//!
//! Four rows of eight pits, 64 seeds, 32 a side; captured seeds go on being sown, so
//! there are no stores. A player lifts a pit of two or more and sows it forward.
//!
//! * Last seed in an empty pit: the turn is over.
//! * Last seed in an occupied inner pit, and both of the opponent's pits of that
//!   column hold seeds: those are captured and sown from where the lap that captured
//!   had begun. What lies in that pit is not lifted.
//! * Last seed in any other occupied pit: that pit is lifted, and a lap starts there.
//!
//! A lap from one of the four leftmost pits (A1, A2, B1, B2) may be sown in reverse if
//! it ends in a capture itself. On the first lap the choice is part of the action;
//! later it is an action of its own. Until the first capture of a game three seeds may
//! be sown two and one (okukoneeza), which ends the turn.
//!
//! # In two words
//! The pits of a row are the bytes of a `u64`. No pit ever holds more than 64, so bytes
//! neither overflow nor borrow, and a lap is the addition of a pattern looked up by pit
//! and number of seeds.

use crate::history::Key;
use crate::position::{Played, check_phase, check_pit};
use crate::setup::{Inspection, TURN_MAX};
use crate::{
    Action, BadPosition, Board, BySide, Cap, Capture, Columns, Destination, Direction, Extra, Flaw,
    LAPS_MAX, Lap, Mancala, Moves, Options, Outcome, PendingLap, Phase, Pit, PitSet, Place,
    Position, QuietLimit, Reason, Recorder, Refusal, Setup, Shape, Side, Standing, Step,
};

/// How the seeds lie when a game begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum OmwesoSetup {
    /// Four seeds in each pit of the outer rows.
    #[default]
    Standard,
    /// Each side lays out its seeds, the one that begins first.
    Free,
}

/// From when on one may capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Opening {
    /// Not in the first turn of the game.
    #[default]
    FirstTurn,
    /// Not in the first turn of either player.
    EachPlayersFirstTurn,
    /// From the start.
    Off,
}

/// What may be chosen about a game of Omweso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OmwesoOptions {
    /// How the seeds lie at the start.
    pub setup: OmwesoSetup,
    /// The most seeds in one pit of a free arrangement; `None` for any number.
    pub cap: Option<Cap>,
    /// From when on one may capture.
    pub opening: Opening,
    /// Does a player win who has captured in two turns, the opponent in none?
    pub akakyala: bool,
    /// After how many quiet turns in a row the game is void.
    pub quiet_limit: QuietLimit,
}

impl Default for OmwesoOptions {
    fn default() -> OmwesoOptions {
        OmwesoOptions {
            setup: OmwesoSetup::default(),
            cap: Some(Cap::STANDARD),
            opening: Opening::default(),
            akakyala: false,
            quiet_limit: QuietLimit::FOUR_ROWS,
        }
    }
}

/// A position of Omweso.
///
/// ```
/// use mancala_engine::{Action, Game, Omweso, OmwesoOptions, Pit, Position, Side};
/// let mut game = Game::<Omweso>::start(OmwesoOptions::default(), Side::South);
/// game.play(&Action::sow(Pit(4)))?;
/// assert_eq!(game.position().setup().board.pits.south[4..9], [0, 5, 5, 5, 1]);
/// # Ok::<(), mancala_engine::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Omweso {
    sides: BySide<Pits>,
    standing: Standing,
    captured: bool,
    captures: BySide<u32>,
    options: OmwesoOptions,
}

const SHAPE: Shape = Shape::four_rows(8);
const SEEDS: u32 = 64;
/// The pits from which a lap may be sown in reverse, as a set: A1, A2, B2, B1.
const LEFTMOST: u32 = 1 << 0 | 1 << 1 | 1 << 14 | 1 << 15;

impl Position for Omweso {
    type Options = OmwesoOptions;

    fn start(options: OmwesoOptions, first: Side) -> Omweso {
        let (pits, phase) = match options.setup {
            OmwesoSetup::Standard => (
                Pits {
                    outer: 4 * EACH,
                    inner: 0,
                },
                Phase::Play,
            ),
            OmwesoSetup::Free => (Pits::NONE, Phase::Arrange),
        };
        Omweso {
            sides: BySide::both(pits),
            standing: Standing::start(first, phase),
            captured: false,
            captures: BySide::both(0),
            options,
        }
    }

    fn from_setup(options: OmwesoOptions, setup: &Setup) -> Result<Omweso, BadPosition> {
        let phase = setup.standing.phase;
        // Before a side has arranged its seeds they are in its hand.
        let mover = setup.standing.to_move;
        let laid_out = |side: Side| setup.board.pits[side].iter().any(|&seeds| seeds > 0);
        let hand = match phase {
            Phase::Direction(lap) if lap.held => lap.seeds,
            Phase::Arrange if laid_out(mover.other()) => SEEDS / 2,
            Phase::Arrange => SEEDS,
            // Those captured in a turn that would never have ended stay in hand.
            Phase::Over(outcome) if outcome.reason() == Reason::NeverEnding => {
                let pits = Side::ALL
                    .into_iter()
                    .flat_map(|side| &setup.board.pits[side]);
                SEEDS.saturating_sub(pits.fold(0, |sum, &seeds| sum.saturating_add(seeds)))
            }
            _ => 0,
        };
        let mut inspection =
            Inspection::new(setup, SHAPE, SEEDS, SEEDS, hand, options.quiet_limit.get());
        for side in Side::ALL {
            inspection.demand(setup.board.stores[side] == 0, || Flaw::Store {
                side,
                why: "Omweso has no stores",
            });
        }
        let Extra::Omweso { captured, captures } = setup.extra else {
            inspection.demand(false, || Flaw::Extra {
                expected: "`captured` and `captures`",
            });
            return Err(inspection.finish().expect_err("a flaw was just noted"));
        };
        let position = Omweso {
            sides: setup.board.pits.as_ref().map(|pits| Pits::from_list(pits)),
            standing: setup.standing,
            captured,
            captures,
            options,
        };
        if inspection.sound() {
            position.inspect(hand, &mut inspection);
        }
        inspection.finish().map(|()| position)
    }

    fn setup(&self) -> Setup {
        Setup {
            board: Board {
                pits: self.sides.map(Pits::to_list),
                stores: BySide::both(0),
            },
            standing: self.standing,
            extra: Extra::Omweso {
                captured: self.captured,
                captures: self.captures,
            },
        }
    }

    fn mancala(&self) -> Mancala {
        Mancala::Omweso
    }

    fn options(&self) -> Options {
        Options::Omweso(self.options)
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
            Phase::Play => {
                let own = self.sides[self.standing.to_move];
                let koneeza = own.of_three() & u32::from(self.captured).wrapping_sub(1);
                Moves {
                    forward: PitSet(u128::from(own.of_two_or_more())),
                    reverse: PitSet(u128::from(self.reversible(own))),
                    koneeza: PitSet(u128::from(koneeza)),
                    directions: false,
                }
            }
            Phase::Direction(_) => Moves {
                directions: true,
                ..Moves::NONE
            },
            _ => Moves::NONE,
        }
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        let phase = &self.standing.phase;
        let own = match action {
            Action::Sow { .. } | Action::Koneeza { .. } | Action::LoseTurn => *phase == Phase::Play,
            Action::Direction { .. } => matches!(phase, Phase::Direction(_)),
            Action::Arrange { .. } => *phase == Phase::Arrange,
            Action::Strip { .. } | Action::Lottery { .. } => false,
        };
        check_phase(phase, own)?;
        match action {
            Action::Sow { pit, dir } => {
                self.check_lift(*pit)?;
                if *dir == Direction::Reverse && !self.moves().reverse.contains(*pit) {
                    return Err(Refusal::NoDirectCapture);
                }
            }
            Action::Koneeza { pit } => {
                let seeds = self.check_lift(*pit)?;
                if seeds != 3 || self.captured {
                    return Err(Refusal::NotAllowed);
                }
            }
            Action::Arrange { pits } => {
                let sum: u64 = pits.iter().map(|&seeds| u64::from(seeds)).sum();
                let most = self.options.cap.map_or(SEEDS, Cap::get);
                if pits.len() != 16
                    || sum != u64::from(SEEDS / 2)
                    || pits.iter().any(|&seeds| seeds > most)
                {
                    return Err(Refusal::BadArrangement);
                }
            }
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn play_unchecked<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played {
        let (lap, dir) = match (action, self.standing.phase) {
            (Action::Sow { pit, dir }, _) => {
                let lap = PendingLap {
                    pit: *pit,
                    seeds: self.sides[self.standing.to_move].get(pit.index()),
                    held: false,
                    columns: Columns::NONE,
                    laps: 0,
                };
                (lap, *dir)
            }
            (Action::Direction { dir }, Phase::Direction(lap)) => {
                self.standing.phase = Phase::Play;
                (lap, *dir)
            }
            _ => return self.play_rare(action, recorder),
        };
        self.sow(lap, dir, recorder)
    }

    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        self.end(Outcome::void(reason), recorder);
    }

    #[inline]
    fn key(&self) -> u64 {
        let seed = self.standing.to_move as u64 | u64::from(self.captured) << 1;
        let BySide { south, north } = self.sides;
        Key::new(seed)
            .with(south.outer, south.inner)
            .with(north.outer, north.inner)
            .finish()
    }

    fn occurrences_to_end(&self) -> usize {
        3
    }
}

impl Omweso {
    /// Plays what is not sowing a lap.
    #[inline(never)]
    fn play_rare<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played {
        match action {
            Action::Koneeza { pit } => self.koneeza(*pit, recorder),
            Action::Arrange { pits } => self.arrange(pits, recorder),
            Action::LoseTurn => self.lose_turn(recorder),
            _ => Played::no_occurrence(false),
        }
    }

    /// Sows from the lap that is about to start to the end of the turn, or to where a
    /// direction must be chosen.
    #[inline(always)]
    fn sow<R: Recorder>(
        &mut self,
        first_lap: PendingLap,
        mut dir: Direction,
        recorder: &mut R,
    ) -> Played {
        let me = self.standing.to_move;
        let mut own = self.sides[me];
        let mut other = self.sides[me.other()];
        let mut capturable = self.capturable();
        let PendingLap {
            pit,
            mut seeds,
            mut held,
            mut columns,
            mut laps,
        } = first_lap;
        let mut pit = pit.index() & 15;
        loop {
            laps += 1;
            let end = own.sow(pit, seeds as usize & 63, held, dir);
            recorder.step(|| {
                Step::Lap(Lap {
                    side: me,
                    pit: Pit(pit as u16),
                    lifted: !held,
                    seeds,
                    sown: seeds,
                    dir,
                    end: Place {
                        side: me,
                        pit: Pit(end as u16),
                    },
                    passed: Vec::new(),
                })
            });
            let there = own.get(end);
            if there == 1 {
                let forget = self.put_back(own, other, columns);
                return Played {
                    forget,
                    occurrence: self.finish_turn(columns, recorder),
                };
            }
            if capturable >> end & 1 == 1 {
                recorder.step(|| capture_step(me, end, other));
                seeds = other.take_column(end);
                held = true;
                columns.push(end as u8 - 7);
                capturable &= !(1 << end);
            } else {
                pit = end;
                seeds = there;
                held = false;
            }
            if laps >= LAPS_MAX {
                // Nothing was put back: the action is not carried out.
                recorder.discard();
                self.end_by(Reason::NeverEnding, recorder);
                return Played::no_occurrence(false);
            }
            dir = Direction::Forward;
            if own.reverse_captures(pit, seeds, held, capturable) {
                let forget = self.put_back(own, other, columns);
                let phase = Phase::Direction(PendingLap {
                    pit: Pit(pit as u16),
                    seeds,
                    held,
                    columns,
                    laps,
                });
                self.standing.phase = phase;
                recorder.step(|| Step::Choice { phase });
                return Played::no_occurrence(forget);
            }
        }
    }

    /// Puts back what a turn has made of the pits, and says whether it was the first of
    /// the game to capture: no earlier position can come back then.
    #[inline]
    fn put_back(&mut self, own: Pits, other: Pits, columns: Columns) -> bool {
        let me = self.standing.to_move;
        self.sides = match me {
            Side::South => BySide {
                south: own,
                north: other,
            },
            Side::North => BySide {
                south: other,
                north: own,
            },
        };
        let first = !self.captured && columns != Columns::NONE;
        self.captured |= first;
        first
    }

    /// Looks for an end of the game when a turn is over; otherwise the other side
    /// begins its turn, and the answer is true.
    #[inline]
    fn finish_turn<R: Recorder>(&mut self, columns: Columns, recorder: &mut R) -> bool {
        let me = self.standing.to_move;
        let captured = columns != Columns::NONE;
        let captures = &mut self.captures[me];
        *captures = (*captures + u32::from(captured)).min(TURN_MAX);
        self.standing.count_quiet(captured);
        // One jump, seldom taken, for all that might end the game; whether a turn has
        // captured alone is hard to foresee.
        let other = self.sides[me.other()];
        let may_be_over = (other.inner == 0)
            | !other.has_two_or_more()
            | columns.has_both_ends()
            | (self.standing.quiet >= self.options.quiet_limit.get())
            | self.options.akakyala;
        if may_be_over && let Some(outcome) = self.outcome_of_turn(columns) {
            self.end(outcome, recorder);
            return false;
        }
        self.standing.next_turn();
        recorder.step(|| Step::Turn { side: me.other() });
        true
    }

    /// How the turn that has just ended ends the game, if it does: the game's own ends
    /// in their order, then the quiet limit.
    #[cold]
    fn outcome_of_turn(&self, columns: Columns) -> Option<Outcome> {
        let me = self.standing.to_move;
        let other = self.sides[me.other()];
        if let Some(last) = columns.last() {
            let in_end_column = |column: u8| column == 1 || column == 8;
            if other.is_empty() && in_end_column(last) {
                return Some(Outcome::win(me, 12, Reason::Akawumbi));
            }
            if other.inner == 0 || columns.has_both_ends() {
                return Some(Outcome::win(me, 2, Reason::Okutema));
            }
            if self.options.akakyala && self.leads(me) {
                return Some(Outcome::win(me, 2, Reason::Akakyala));
            }
        }
        if !other.has_two_or_more() {
            return Some(Outcome::win(me, 1, Reason::Bulijo));
        }
        if self.standing.quiet >= self.options.quiet_limit.get() {
            return Some(Outcome::void(Reason::Quiet));
        }
        None
    }

    fn koneeza<R: Recorder>(&mut self, pit: Pit, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        let pits = &mut self.sides[me];
        let start = pit.index() & 15;
        let (next, after) = ((start + 1) & 15, (start + 2) & 15);
        *pits = pits
            .minus(Pits::in_pit(start, 3))
            .plus(Pits::in_pit(next, 2))
            .plus(Pits::in_pit(after, 1));
        recorder.step(|| Step::Koneeza {
            side: me,
            pit,
            drops: vec![(Pit(next as u16), 2), (Pit(after as u16), 1)],
        });
        Played {
            forget: false,
            occurrence: self.finish_turn(Columns::NONE, recorder),
        }
    }

    fn arrange<R: Recorder>(&mut self, pits: &[u32], recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.sides[me] = Pits::from_list(pits);
        recorder.step(|| Step::Arrange {
            side: me,
            pits: pits.to_vec(),
        });
        self.standing.to_move = me.other();
        recorder.step(|| Step::Turn { side: me.other() });
        if self.sides[me.other()].is_empty() {
            return Played::no_occurrence(false);
        }
        self.standing.phase = Phase::Play;
        Played::turn(false)
    }

    fn lose_turn<R: Recorder>(&mut self, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::LostTurn { side: me });
        if !self.sides[me.other()].has_two_or_more() {
            self.standing.next_turn();
            recorder.step(|| Step::Pass { side: me.other() });
        }
        Played::no_occurrence(false)
    }

    fn end<R: Recorder>(&mut self, outcome: Outcome, recorder: &mut R) {
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
    }

    /// The side to move may lift this pit; so many seeds are in it.
    fn check_lift(&self, pit: Pit) -> Result<u32, Refusal> {
        let own = self.sides[self.standing.to_move];
        match check_pit(SHAPE, pit, |pit| own.get(pit.index()))? {
            1 => Err(Refusal::Singleton),
            seeds => Ok(seeds),
        }
    }

    /// The inner pits of the side to move on which a landing may capture in this turn.
    #[inline]
    fn capturable(&self) -> u32 {
        let forbidden_turns = match self.options.opening {
            Opening::FirstTurn => 1,
            Opening::EachPlayersFirstTurn => 2,
            Opening::Off => 0,
        };
        if self.standing.turn <= forbidden_turns {
            0
        } else {
            self.sides[self.standing.to_move.other()].capturable()
        }
    }

    /// The pits that the side to move may sow in reverse on the first lap of a turn.
    #[inline]
    fn reversible(&self, own: Pits) -> u32 {
        let capturable = self.capturable();
        if own.leftmost_may_go_round() {
            return self.reversible_on_long_laps(own, capturable);
        }
        // A lap that does not go round falls into its last pit once, so all depends on
        // whether that pit holds seeds now.
        let landings = capturable & own.filled_inner();
        let ends = [0, 1, 14, 15].map(|pit: usize| {
            let end = pit.wrapping_sub(own.get(pit) as usize) & 15;
            (landings >> end & 1) << pit
        });
        (ends[0] | ends[1] | ends[2] | ends[3]) & own.of_two_or_more()
    }

    #[cold]
    fn reversible_on_long_laps(&self, own: Pits, capturable: u32) -> u32 {
        [0_usize, 1, 14, 15].into_iter().fold(0, |set, pit| {
            let seeds = own.get(pit);
            let may = seeds >= 2 && own.reverse_captures(pit, seeds, false, capturable);
            set | u32::from(may) << pit
        })
    }

    /// How a game that stands so, with these options, has ended if it was for this reason.
    fn outcome_by(&self, reason: Reason, winner: Side) -> Option<Outcome> {
        let loser = self.sides[winner.other()];
        let captures = self.captures[winner];
        let heads_taken = [0, 7, 8, 15].map(|pit| loser.get(pit)) == [0; 4];
        let points = match reason {
            Reason::Akawumbi if captures > 0 && loser.is_empty() => 12,
            Reason::Okutema if captures > 0 && (loser.inner == 0 || heads_taken) => 2,
            Reason::Akakyala if self.options.akakyala && self.leads(winner) => 2,
            Reason::Bulijo if !loser.has_two_or_more() => 1,
            Reason::NeverEnding | Reason::Repetition | Reason::Quiet => {
                return Some(Outcome::void(reason));
            }
            _ => return None,
        };
        Some(Outcome::win(winner, points, reason))
    }

    /// Has this side captured in two turns of the game and the other in none?
    fn leads(&self, side: Side) -> bool {
        self.captures[side] >= 2 && self.captures[side.other()] == 0
    }

    /// What else must hold of a setup whose numbers add up, with so many seeds in hand.
    fn inspect(&self, hand: u32, inspection: &mut Inspection<'_>) {
        let me = self.standing.to_move;
        let most = self.captures.south.max(self.captures.north);
        inspection.demand(most <= TURN_MAX, || Flaw::Turn);
        let mut demand = |holds, why| inspection.demand(holds, || Flaw::Impossible(why));
        let in_turn = match self.standing.phase {
            Phase::Direction(lap) => lap.columns != Columns::NONE,
            // It ended in the middle of a turn, which may have captured before.
            Phase::Over(outcome) => outcome.reason() == Reason::NeverEnding && self.captured,
            _ => false,
        };
        let earlier = self.captures.south > 0 || self.captures.north > 0;
        demand(
            self.captured == (earlier || in_turn),
            "`captured` says whether anyone has captured, which `captures` and `columns` show too",
        );
        let won = self.options.akakyala && Side::ALL.into_iter().any(|side| self.leads(side));
        demand(
            !won || self.standing.phase.outcome().is_some(),
            "by akakyala the game would have ended before",
        );
        match self.standing.phase {
            Phase::Over(outcome) => {
                demand(
                    hand == 0 || self.captured && (2..SEEDS).contains(&hand),
                    "seeds in hand were captured in some column",
                );
                inspection
                    .demand_outcome(outcome, |reason, winner| self.outcome_by(reason, winner));
            }
            Phase::Strip { .. } | Phase::Lottery => {
                inspection.demand(false, || Flaw::ForeignPhase);
            }
            Phase::Arrange => {
                demand(
                    self.sides[me].is_empty(),
                    "the side to arrange has seeds on the board already",
                );
                let laid_out = self.sides[me.other()];
                let most = self.options.cap.map_or(SEEDS, Cap::get);
                demand(
                    (0..16).all(|pit| laid_out.get(pit) <= most),
                    "a pit holds more than an arrangement may put into it",
                );
                demand(
                    self.standing.turn == 1 && self.standing.quiet == 0 && !self.captured,
                    "seeds are arranged before the first turn",
                );
                inspection.demand(self.options.setup == OmwesoSetup::Free, || {
                    Flaw::ForeignPhase
                });
            }
            Phase::Play => {
                inspection.demand_seeds_on_both_sides();
                inspection.demand(self.sides[me].has_two_or_more(), || Flaw::NoMove);
            }
            Phase::Direction(lap) => {
                let own = self.sides[me];
                let pit = lap.pit.index();
                demand(
                    pit < 16 && LEFTMOST >> pit & 1 == 1,
                    "a direction is chosen for one of the four leftmost pits",
                );
                demand(
                    lap.held || (pit < 16 && own.get(pit) == lap.seeds),
                    "the pit of the lap does not hold its seeds",
                );
                demand(
                    !lap.held || lap.columns != Columns::NONE,
                    "seeds in hand were captured in some column",
                );
                demand(
                    lap.columns.iter().count() <= lap.laps as usize,
                    "each capture ends a lap, so there are no more columns than laps",
                );
                demand(
                    (1..LAPS_MAX).contains(&lap.laps),
                    "a turn holds from 1 to 9,999 laps before a choice",
                );
                let emptied = |column: u8| {
                    let other = self.sides[me.other()];
                    other.get(16 - usize::from(column)) == 0
                        && other.get(usize::from(column) - 1) == 0
                };
                demand(
                    lap.columns.iter().all(emptied),
                    "a column captured in this turn is empty",
                );
                demand(
                    (2..SEEDS).contains(&lap.seeds)
                        && pit < 16
                        && own.reverse_captures(pit, lap.seeds, lap.held, self.capturable()),
                    "there is nothing to choose: in reverse this lap captures nothing",
                );
            }
        }
    }
}

/// A capture by a landing on the inner pit `landing`, before the seeds are taken.
fn capture_step(by: Side, landing: usize, other: Pits) -> Step {
    let taken = |pit: usize| (Pit(pit as u16), other.get(pit));
    Step::Capture(Capture {
        by,
        side: by.other(),
        pits: vec![taken(23 - landing), taken(landing - 8)],
        to: Destination::Hand,
        after: None,
    })
}

/// The pits of a side, one byte each: the outer row from pit 0 on, the inner row from
/// pit 8 on, the lowest pit of each in its lowest byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pits {
    outer: u64,
    inner: u64,
}

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x80 * EACH;

/// What a lap adds to each pit, `SOWN[pit][seeds]`, when the first seed falls into the
/// pit after `pit`.
static SOWN: [[Pits; 64]; 16] = patterns(false);
/// The same with the seeds lifted from `pit`, so that adding it moves them.
static MOVED: [[Pits; 64]; 16] = patterns(true);

const fn patterns(lifted: bool) -> [[Pits; 64]; 16] {
    let mut table = [[Pits::NONE; 64]; 16];
    let mut pit = 0;
    while pit < 16 {
        let mut sown = Pits::NONE;
        let mut seeds = 0;
        while seeds < 64 {
            let lift = if lifted { seeds as u64 } else { 0 };
            table[pit][seeds] = sown.minus(Pits::in_pit(pit, lift));
            seeds += 1;
            sown = sown.plus(Pits::in_pit((pit + seeds) % 16, 1));
        }
        pit += 1;
    }
    table
}

impl Pits {
    const NONE: Pits = Pits { outer: 0, inner: 0 };

    /// So many seeds in one pit.
    #[inline]
    const fn in_pit(pit: usize, seeds: u64) -> Pits {
        let shifted = seeds << (8 * (pit & 7));
        if pit < 8 {
            Pits {
                outer: shifted,
                inner: 0,
            }
        } else {
            Pits {
                outer: 0,
                inner: shifted,
            }
        }
    }

    #[inline]
    const fn plus(self, more: Pits) -> Pits {
        Pits {
            outer: self.outer.wrapping_add(more.outer),
            inner: self.inner.wrapping_add(more.inner),
        }
    }

    #[inline]
    const fn minus(self, less: Pits) -> Pits {
        Pits {
            outer: self.outer.wrapping_sub(less.outer),
            inner: self.inner.wrapping_sub(less.inner),
        }
    }

    fn from_list(list: &[u32]) -> Pits {
        (0..16).zip(list).fold(Pits::NONE, |pits, (pit, &seeds)| {
            pits.plus(Pits::in_pit(pit, u64::from(seeds.min(255))))
        })
    }

    fn to_list(self) -> Vec<u32> {
        (0..16).map(|pit| self.get(pit)).collect()
    }

    fn is_empty(self) -> bool {
        self.outer | self.inner == 0
    }

    #[inline]
    fn get(self, pit: usize) -> u32 {
        let row = if pit & 8 == 0 { self.outer } else { self.inner };
        u32::from((row >> (8 * (pit & 7))) as u8)
    }

    /// Takes the seeds of both pits of the column that faces the inner pit `landing` of
    /// the other side, and says how many they were.
    #[inline]
    fn take_column(&mut self, landing: usize) -> u32 {
        let inner = 8 * (15_usize.wrapping_sub(landing) & 7);
        let outer = 8 * (landing & 7);
        let inner_seeds = (self.inner >> inner) & 0xff;
        let outer_seeds = (self.outer >> outer) & 0xff;
        self.inner -= inner_seeds << inner;
        self.outer -= outer_seeds << outer;
        (inner_seeds + outer_seeds) as u32
    }

    /// Sows a lap and says where its last seed fell.
    #[inline]
    fn sow(&mut self, pit: usize, seeds: usize, held: bool, dir: Direction) -> usize {
        let (pattern, end) = match dir {
            Direction::Forward if held => (SOWN[pit][seeds], pit + seeds),
            Direction::Forward => (MOVED[pit][seeds], pit + seeds),
            // The pits passed in reverse are those passed forward from one before
            // the last of them.
            Direction::Reverse => {
                let end = pit.wrapping_sub(seeds);
                let lift = if held { 0 } else { seeds as u64 };
                let sown = SOWN[end.wrapping_sub(1) & 15][seeds];
                (sown.minus(Pits::in_pit(pit, lift)), end)
            }
        };
        *self = self.plus(pattern);
        end & 15
    }

    /// May this lap be sown in reverse: does it start from one of the four leftmost pits,
    /// and does it then end in a capture, where a landing on one of the pits `capturable`
    /// captures if the pit held seeds before?
    #[inline]
    fn reverse_captures(self, pit: usize, seeds: u32, held: bool, capturable: u32) -> bool {
        let seeds = seeds as usize & 63;
        // Where it would end says no in most cases; one jump for both questions is one
        // that the processor can foresee.
        let end = pit.wrapping_sub(seeds) & 15;
        let may = (LEFTMOST >> pit) & (capturable >> end) & 1 == 1;
        may && {
            let mut sown = self;
            sown.sow(pit, seeds, held, Direction::Reverse);
            sown.get(end) >= 2
        }
    }

    /// Does one of the four leftmost pits hold sixteen seeds or more?
    #[inline]
    fn leftmost_may_go_round(self) -> bool {
        (self.outer & 0xf0f0 | self.inner & 0xf0f0 << 48) != 0
    }

    /// The inner pits that hold seeds, a bit each.
    #[inline]
    fn filled_inner(self) -> u32 {
        gather((self.inner + 0x7f * EACH) & TOP) << 8
    }

    /// The pits with two seeds or more, a bit each.
    #[inline]
    fn of_two_or_more(self) -> u32 {
        let row = |row: u64| gather((row + 0x7e * EACH) & TOP);
        row(self.outer) | row(self.inner) << 8
    }

    #[inline]
    fn has_two_or_more(self) -> bool {
        ((self.outer + 0x7e * EACH) | (self.inner + 0x7e * EACH)) & TOP != 0
    }

    /// The pits with exactly three seeds, a bit each.
    #[inline]
    fn of_three(self) -> u32 {
        let row = |row: u64| gather(!((row ^ (3 * EACH)) + 0x7f * EACH) & TOP);
        row(self.outer) | row(self.inner) << 8
    }

    /// The inner pits of the *other* side that face a column of this side with seeds in
    /// both pits, a bit each. Seen from there the column's outer pit is `i - 8` and its
    /// inner pit `23 - i`, so the inner row counts backwards.
    #[inline]
    fn capturable(self) -> u32 {
        let seeds = |row: u64| (row + 0x7f * EACH) & TOP;
        gather(seeds(self.outer) & seeds(self.inner.swap_bytes())) << 8
    }
}

/// Brings the top bits of eight bytes together, the lowest byte's lowest.
#[inline]
const fn gather(tops: u64) -> u32 {
    ((tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, direction, flaws};
    use crate::{Game, Step};

    type Picture = Case<Omweso>;

    fn options(change: impl FnOnce(&mut OmwesoOptions)) -> OmwesoOptions {
        let mut options = OmwesoOptions::default();
        change(&mut options);
        options
    }

    // Laps and captures.

    /// The society's worked example. Four seeds from m (A5) end in h (B8), which was
    /// occupied and faces six seeds in A and I (north's B1 and A1). Sown from m they end
    /// in f (B6), again occupied and facing six in C and K; those are sown from m too.
    #[test]
    fn the_societys_worked_example() {
        let example = Picture::drawn(
            "
            . . . . . 2 . 2      . . . . . . . .
            * . . . . 4 . 4      * . . . . . . .
            . . . . . 1 . 1  ->  . . 1 1 1 . 2 4
            . . . . 4 . . .      . . . . . 3 3 3
            ",
        );
        example
            .play("A5")
            .tells(
                "A5 sows 4 to B8; south takes north's B1 4, A1 2 in hand;
                 a hand of 6 sown from A5 to B6; south takes north's B3 4, A3 2 in hand;
                 a hand of 6 sown from A5 to B6; B6 sows 3 to B3; north's turn",
            )
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// A last seed in an occupied pit of the outer row goes on: that pit is lifted, the
    /// fallen seed too.
    #[test]
    fn relay_from_an_occupied_outer_pit() {
        let relay = Picture::drawn(
            "
            . . . . . . . .      . . . . . . . .
            * . . . . . . .      * . . . . . . .
            . . . . . . . .  ->  . . . . . . . .
            2 . 1 . . . . .      . 1 . 1 1 . . .
            ",
        );
        relay
            .play("A1")
            .tells("A1 sows 2 to A3; A3 sows 2 to A5; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// A last seed in an empty pit ends the turn, be it an inner pit that faces a full
    /// column.
    #[test]
    fn an_empty_pit_ends_the_turn() {
        let landing = Picture::drawn(
            "
            . . . . . . . 3      . . . . . . . 3
            * . . . . . . 3      * . . . . . . 3
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1
            ",
        );
        landing
            .play("A7")
            .tells("A7 sows 2 to B8; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// Where the opponent's outer pit of the column is empty there is no capture; the
    /// occupied inner pit is a relay.
    #[test]
    fn no_capture_of_an_inner_pit_alone() {
        let landing = Picture::drawn(
            "
            . . . . . . . .      . . . . . . . .
            * . . . . . . 3      * . . . . . . 3
            . . . . . . . 1  ->  . . . . . 1 1 .
            . . . . . . 2 .      . . . . . . . 1
            ",
        );
        landing
            .play("A7")
            .tells("A7 sows 2 to B8; B8 sows 2 to B6; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// Nor where the inner pit is empty.
    #[test]
    fn no_capture_of_an_outer_pit_alone() {
        let landing = Picture::drawn(
            "
            . . . . . . . 3      . . . . . . . 3
            * . . . . . . .      * . . . . . . .
            . . . . . . . 1  ->  . . . . . 1 1 .
            . . . . . . 2 .      . . . . . . . 1
            ",
        );
        landing
            .play("A7")
            .tells("A7 sows 2 to B8; B8 sows 2 to B6; north's turn");
    }

    /// North sows counter-clockwise too: from its left (our right) along the top row,
    /// and back through the row below.
    #[test]
    fn north_captures_as_south_does() {
        let capture = Picture::drawn(
            "
            . 2 . . . . . .      2 . . . . . . .
            1 . . . . . . .  ->  3 1 . . . . . .
            2 . . . . . . *      . . . . . . . *
            1 . . . . . . .      . . . . . . . .
            ",
        );
        capture
            .mover(Side::North)
            .play("A7")
            .tells(
                "A7 sows 2 to B8; north takes south's B1 2, A1 1 in hand;
                 a hand of 3 sown from A7 to B7; south's turn",
            )
            .leaves("south to play, turn 10, quiet 0, captures 1-2");
    }

    /// Captured seeds are sown from where the lap that captured had begun, and what
    /// lies in that pit stays there: here the five in B1.
    #[test]
    fn what_lies_where_captured_seeds_are_sown_from_is_not_lifted() {
        let hand = Picture::drawn(
            "
            . . . . . 2 . .      . . . . . 2 . .
            * . . . . 2 . .      * . . . . 2 . .
            5 . . . . 1 . .  ->  5 . . . . 1 . .
            . . . . . . . .      1 1 1 1 1 . . .
            ",
        );
        hand.captures(1, 1)
            .phase(direction(15, 5, true, &[1], 2))
            .play("forward")
            .tells("a hand of 5 sown from B1 to A5; north's turn")
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// A lap goes round through the pit it was lifted from: the sixteenth seed falls
    /// into it, which is empty then, so that sixteen end there.
    #[test]
    fn sixteen_seeds_end_in_the_pit_they_were_lifted_from() {
        let round = Picture::drawn(
            "
            . . . . .  . . .      . . . . . . . .
            * . . . .  . . .      * . . . . . . .
            . . . . .  . . .  ->  1 1 1 1 1 1 1 1
            . . . . 16 . . .      1 1 1 1 1 1 1 1
            ",
        );
        round
            .play("A5")
            .tells("A5 sows 16 to A5; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// Seventeen drop one into the lifted pit on their way and end in the next, which
    /// got one before: a relay.
    #[test]
    fn a_lap_of_seventeen_does_not_skip_the_lifted_pit() {
        let round = Picture::drawn(
            "
            .  . . . . . . .      . . . . . . . .
            *  . . . . . . .      * . . . . . . .
            .  . . . . . . .  ->  . 2 . 2 . 2 . 2
            17 . . . . . . .      2 1 2 . 2 . 2 .
            ",
        );
        round.play("A1").tells(
            "A1 sows 17 to A2; A2 sows 2 to A4; A4 sows 2 to A6; A6 sows 2 to A8;
             A8 sows 2 to B7; B7 sows 2 to B5; B5 sows 2 to B3; B3 sows 2 to B1;
             B1 sows 2 to A2; north's turn",
        );
    }

    // Okukoneeza.

    /// Three seeds may be sown two and one until somebody captures. The turn is over
    /// then: an occupied last pit is no relay.
    #[test]
    fn okukoneeza_does_not_relay() {
        let koneeza = Picture::drawn(
            "
            . . . . . . . .      . . . . . . . .
            * . . . . . . .      * . . . . . . .
            . . . . . . . .  ->  . . . . . . . .
            3 . 4 2 . . . .      . 2 5 2 . . . .
            ",
        );
        koneeza
            .captures(0, 0)
            .play("A1 koneeza")
            .tells("A1 drops A2 2, A3 1; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 0-0");
    }

    /// And it captures nothing, even where a lap that ends so would.
    #[test]
    fn okukoneeza_does_not_capture() {
        let koneeza = Picture::drawn(
            "
            . . . . . . . 2      . . . . . . . 2
            * . . . . . . 2      * . . . . . . 2
            . . . . . . . 1  ->  . . . . . . . 2
            . . . . . . 3 .      . . . . . . . 2
            ",
        );
        koneeza
            .captures(0, 0)
            .play("A7 koneeza")
            .tells("A7 drops A8 2, B8 1; north's turn");
    }

    /// Only a pit with exactly three seeds may be sown so.
    #[test]
    fn okukoneeza_takes_exactly_three() {
        let other_numbers = Picture::drawn(
            "
            . . . . . . . .
            * . . . . . . .
            . . . . . . . .
            1 . 2 . 3 . 4 .
            ",
        )
        .captures(0, 0);
        other_numbers
            .offers("A3, A5, A7, A5 koneeza")
            .refuses("A1 koneeza", Refusal::Singleton)
            .refuses("A2 koneeza", Refusal::EmptyPit)
            .refuses("A3 koneeza", Refusal::NotAllowed)
            .refuses("A7 koneeza", Refusal::NotAllowed);
    }

    /// After the first capture of the game, by either side, there is no okukoneeza.
    #[test]
    fn no_okukoneeza_after_a_capture() {
        let after_a_capture = Picture::drawn(
            "
            . . . . . . . .
            * . . . . . . .
            . . . . . . . .
            . . . . 3 . . .
            ",
        )
        .captures(0, 1);
        after_a_capture
            .offers("A5")
            .refuses("A5 koneeza", Refusal::NotAllowed);
    }

    // Reverse.

    /// A first lap from one of the four leftmost pits may be sown clockwise if it
    /// captures. The captured seeds go forward from there.
    #[test]
    fn reverse_on_the_first_lap() {
        let reverse = Picture::drawn(
            "
            . 1 . . . . . .      . . . . . . . .
            . 1 . . . . . *      . . . . . . . *
            . 1 . . . . . .  ->  1 2 . . . . . .
            . 3 . . . . . .      1 . 1 1 . . . .
            ",
        );
        reverse.offers("A2, A2 reverse");
        reverse
            .play("A2 reverse")
            .tells(
                "A2 sows 3 in reverse to B2; south takes north's B7 1, A7 1 in hand;
                 a hand of 2 sown from A2 to A4; north's turn",
            )
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// All four leftmost pits may: with the same landing on B4, A2 sows five, A1 four,
    /// B1 three and B2 two.
    #[test]
    fn the_four_leftmost_pits() {
        Picture::drawn(
            "
            . . . 1 . . . .
            . . . 1 . . . *
            3 2 . 1 . . . .
            4 5 . . . . . .
            ",
        )
        .offers("A1, A2, B2, B1, A1 reverse, A2 reverse, B2 reverse, B1 reverse");
    }

    /// Reverse is for a lap that itself captures, from a leftmost pit: neither one that
    /// ends elsewhere (A1), nor another pit (B3, whose two would end on B5).
    #[test]
    fn no_reverse_without_a_direct_capture() {
        Picture::drawn(
            "
            . . . . 1 . . .
            . . . . 1 . . *
            . . 2 . 1 . . .
            2 1 . . . . . .
            ",
        )
        .offers("A1, B3")
        .refuses("A1 reverse", Refusal::NoDirectCapture)
        .refuses("B3 reverse", Refusal::NoDirectCapture)
        .refuses("A2 reverse", Refusal::Singleton)
        .refuses("A3 reverse", Refusal::EmptyPit);
    }

    /// A relay from a leftmost pit that would capture in reverse waits for a choice.
    #[test]
    fn reverse_in_a_relay_is_asked_for() {
        let relay = Picture::drawn(
            "
            . . . 1 . . . .      . . . 1 . . . .
            . . . 1 . . . *      . . . 1 . . . *
            . 1 . . 3 . . .  ->  . 2 1 1 . . . .
            . . . . . . . .      . . . . . . . .
            ",
        );
        relay
            .play("B5")
            .tells("B5 sows 3 to B2; either way with 2 from B2, lap 1, columns []")
            .leaves(
                "south either way with 2 from B2, lap 1, columns [], turn 9, quiet 0,
                 captures 1-1",
            );
    }

    /// Chosen, the relay runs clockwise and captures; its seeds are sown forward from
    /// the same pit, because in reverse they would capture nothing.
    #[test]
    fn reverse_chosen_in_a_relay() {
        let relay = Picture::drawn(
            "
            . . . 1 . . . .      . . . . . . . .
            . . . 1 . . . *      . . . . . . . *
            . 1 . . 3 . . .  ->  1 . 2 2 . . . .
            . . . . . . . .      1 . . . . . . .
            ",
        )
        .having_played(&["B5"]);
        relay.offers("forward, reverse");
        relay
            .play("reverse")
            .tells(
                "B2 sows 2 in reverse to B4; south takes north's B5 1, A5 1 in hand;
                 a hand of 2 sown from B2 to A1; north's turn",
            )
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// Forward chosen, the relay goes on as any other.
    #[test]
    fn forward_chosen_in_a_relay() {
        let relay = Picture::drawn(
            "
            . . . 1 . . . .      . . . 1 . . . .
            . . . 1 . . . *      . . . 1 . . . *
            . 1 . . 3 . . .  ->  1 . 1 1 . . . .
            . . . . . . . .      1 . . . . . . .
            ",
        );
        relay
            .having_played(&["B5"])
            .play("forward")
            .tells("B2 sows 2 to A1; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// Where the same relay would capture nothing in reverse, it is sown forward
    /// without asking: B4 faces an inner pit alone, and a full column elsewhere, that
    /// of B5, is no matter.
    #[test]
    fn forward_without_asking() {
        let relay = Picture::drawn(
            "
            . . . . 1 . . .      . . . . 1 . . .
            . . . 1 1 . . *      . . . 1 1 . . *
            . 1 . . 3 . . .  ->  1 . 1 1 . . . .
            . . . . . . . .      1 . . . . . . .
            ",
        );
        relay
            .play("B5")
            .tells("B5 sows 3 to B2; B2 sows 2 to A1; north's turn");
    }

    /// Nor is it asked where the lap in reverse would end in an empty pit, though that
    /// faces a full column: B5, which the turn began with.
    #[test]
    fn forward_without_asking_into_an_empty_pit() {
        let relay = Picture::drawn(
            "
            . . . . 1 . . .      . . . . 1 . . .
            . . . . 1 . . *      . . . . 1 . . *
            . 2 . . 3 . . .  ->  1 . 1 1 . . . .
            . . . . . . . .      1 1 . . . . . .
            ",
        );
        relay
            .play("B5")
            .tells("B5 sows 3 to B2; B2 sows 3 to A2; north's turn");
    }

    /// Captured seeds sown from a leftmost pit may go in reverse as well, if that lap
    /// captures in its turn; the choice is made with them in hand.
    #[test]
    fn reverse_with_captured_seeds_is_asked_for() {
        let hand = Picture::drawn(
            "
            . 2 1 . . . . .      . . 1 . . . . .
            . 2 1 . . . . *      . . 1 . . . . *
            . 1 1 . . . . .  ->  1 2 1 . . . . .
            . 3 . . . . . .      1 . . . . . . .
            ",
        );
        hand.play("A2 reverse")
            .tells(
                "A2 sows 3 in reverse to B2; south takes north's B7 2, A7 2 in hand;
                 either way with 4 in hand from A2, lap 1, columns [7]",
            )
            .leaves(
                "south either way with 4 in hand from A2, lap 1, columns [7], turn 9, quiet 0,
                 captures 1-1",
            );
    }

    /// Chosen again, reverse takes the next column, and so on.
    #[test]
    fn reverse_chosen_with_captured_seeds() {
        let hand = Picture::drawn(
            "
            . 2 1 . . . . .      . . . . . . . .
            . 2 1 . . . . *      . . . . . . . *
            . 1 1 . . . . .  ->  2 3 2 . . . . .
            . 3 . . . . . .      2 . 1 1 . . . .
            ",
        );
        hand.having_played(&["A2 reverse"])
            .play("reverse")
            .tells(
                "a hand of 4 sown from A2 in reverse to B3;
                 south takes north's B6 1, A6 1 in hand;
                 a hand of 2 sown from A2 to A4; north's turn",
            )
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// From the capture on somebody has captured in this game, though the turn that
    /// counts as one with a capture goes on.
    #[test]
    fn the_first_capture_counts_at_once_its_turn_when_it_ends() {
        let hand = Picture::drawn(
            "
            . 2 1 . . . . .      . . 1 . . . . .
            . 2 1 . . . . *      . . 1 . . . . *
            . 1 1 . . . . .  ->  1 2 1 . . . . .
            . 3 . . . . . .      1 . . . . . . .
            ",
        );
        hand.captures(0, 0).play("A2 reverse").leaves(
            "south either way with 4 in hand from A2, lap 1, columns [7], turn 9, quiet 0,
             captures 0-0 and one in this turn",
        );
    }

    // The opening.

    /// The landing that would capture, in three turns of the game.
    fn opening_landing(opening: Opening, turn: u32, captures: bool) {
        let options = options(|options| options.opening = opening);
        let as_relay = "
            . . . . . . . 1      . . . . . . . 1
            * . . . . . . 1      * . . . . . . 1
            . . . . . . . 1  ->  . . . . . 1 1 .
            . . . . . . 2 .      . . . . . . . 1
            ";
        let as_capture = "
            . . . . . . . 1      . . . . . . . .
            * . . . . . . 1      * . . . . . . .
            . . . . . . . 1  ->  . . . . 1 1 1 .
            . . . . . . 2 .      . . . . . . . 2
            ";
        let (picture, expected) = if captures {
            (
                as_capture,
                "A7 sows 2 to B8; south takes north's B1 1, A1 1 in hand;
                 a hand of 2 sown from A7 to B8; B8 sows 3 to B5; north's turn",
            )
        } else {
            (as_relay, "A7 sows 2 to B8; B8 sows 2 to B6; north's turn")
        };
        Picture::with(options, picture)
            .captures(0, 0)
            .turn(turn)
            .play("A7")
            .tells(expected);
    }

    /// Standard opening: in the first turn of the game what would capture is a relay.
    #[test]
    fn no_capture_in_the_first_turn() {
        opening_landing(Opening::FirstTurn, 1, false);
        opening_landing(Opening::FirstTurn, 2, true);
    }

    /// By option neither player captures in their first turn.
    #[test]
    fn no_capture_in_each_players_first_turn() {
        opening_landing(Opening::EachPlayersFirstTurn, 1, false);
        opening_landing(Opening::EachPlayersFirstTurn, 2, false);
        opening_landing(Opening::EachPlayersFirstTurn, 3, true);
    }

    /// By option one may capture from the start.
    #[test]
    fn capture_from_the_start() {
        opening_landing(Opening::Off, 1, true);
    }

    /// Where nothing may be captured, nothing may be sown in reverse.
    #[test]
    fn no_reverse_in_the_first_turn() {
        let first = Picture::drawn(
            "
            . 1 . . . . . .
            . 1 . . . . . *
            . 1 . . . . . .
            . 3 . . . . . .
            ",
        );
        first
            .captures(0, 0)
            .turn(1)
            .offers("A2, A2 koneeza")
            .refuses("A2 reverse", Refusal::NoDirectCapture);
    }

    // Ends.

    /// A turn that captures in both end columns, the two heads, wins two points,
    /// though north has seeds left.
    #[test]
    fn the_two_heads() {
        let heads = Picture::drawn(
            "
            1 . . . . . . 5      . . . . . . . .
            1 . . * . . . 4      . . . * . . . .
            1 . . . . . . 1  ->  3 . 2 . 2 2 2 .
            . . . . . . 2 .      1 . . . . . . 3
            ",
        );
        heads
            .play("A7")
            .tells(
                "A7 sows 2 to B8; south takes north's B1 4, A1 5 in hand;
                 a hand of 9 sown from A7 to B1; south takes north's B8 1, A8 1 in hand;
                 a hand of 2 sown from A7 to B8; B8 sows 4 to B4; B4 sows 2 to B2;
                 B2 sows 2 to A1; south wins 2 (okutema)",
            )
            .leaves("south wins 2 (okutema), captures 2-1");
    }

    /// North captured out, the last time in an end column: akawumbi, twelve points.
    #[test]
    fn akawumbi() {
        let all = Picture::drawn(
            "
            . . . . . . . 1      . . . . . . . .
            . . . . . . . 1      . . . . . . . .
            . . . . . . . 1  ->  . . . . 1 1 1 .
            * . . . . . 2 .      * . . . . . . 2
            ",
        );
        all.play("A7")
            .tells(
                "A7 sows 2 to B8; south takes north's B1 1, A1 1 in hand;
                 a hand of 2 sown from A7 to B8; B8 sows 3 to B5; south wins 12 (akawumbi)",
            )
            .leaves("south wins 12 (akawumbi), captures 2-1");
    }

    /// The other end column is as good: north's eighth faces B1.
    #[test]
    fn akawumbi_in_the_eighth_column() {
        let all = Picture::drawn(
            "
            1 . . . . . . .      . . . . . . . .
            1 . . . . . . .      . . . . . . . .
            1 . 2 . . . . .  ->  . 2 . . . . . .
            . . . . . . . *      1 1 1 . . . . *
            ",
        );
        all.play("B3")
            .tells(
                "B3 sows 2 to B1; south takes north's B8 1, A8 1 in hand;
                 a hand of 2 sown from B3 to B1; B1 sows 3 to A3; south wins 12 (akawumbi)",
            )
            .leaves("south wins 12 (akawumbi), captures 2-1");
    }

    /// North captured out in another column: okutema, two points.
    #[test]
    fn captured_out_in_a_middle_column_is_okutema() {
        let all = Picture::drawn(
            "
            . . . . . . 1 .      . . . . . . . .
            . . . . . . 1 .      . . . . . . . .
            . . . . . . 1 .  ->  . . . . . 1 3 .
            * . . . . . 3 .      * . . . . . . 2
            ",
        );
        all.play("A7")
            .tells(
                "A7 sows 3 to B7; south takes north's B2 1, A2 1 in hand;
                 a hand of 2 sown from A7 to B8; B8 sows 2 to B6; south wins 2 (okutema)",
            )
            .leaves("south wins 2 (okutema), captures 2-1");
    }

    /// It is the turn's last capture that counts: first the end column, then another
    /// one, is okutema.
    #[test]
    fn an_end_column_captured_before_the_last_is_okutema() {
        let all = Picture::drawn(
            "
            . . . . . . 1 1      . . . . . . . .
            . . . . . . 1 2      . . . . . . . .
            . . . . . . 1 1  ->  . . . 1 1 1 3 .
            * . . . . . 2 .      * . . . . . . 3
            ",
        );
        all.play("A7")
            .tells(
                "A7 sows 2 to B8; south takes north's B1 2, A1 1 in hand;
                 a hand of 3 sown from A7 to B7; south takes north's B2 1, A2 1 in hand;
                 a hand of 2 sown from A7 to B8; B8 sows 4 to B4; south wins 2 (okutema)",
            )
            .leaves("south wins 2 (okutema), captures 2-1");
    }

    /// A turn that captures and leaves the opponent's inner row empty wins two points.
    #[test]
    fn a_capture_that_empties_the_inner_row_is_okutema() {
        let inner_row = Picture::drawn(
            "
            * . . . . . . 1      * . . . . . . .
            . . . . . . . 1      . . . . . . . .
            . . . . . . . 1  ->  . . . . 1 1 1 .
            . . . . . . 2 .      . . . . . . . 2
            ",
        );
        inner_row
            .play("A7")
            .leaves("south wins 2 (okutema), captures 2-1");
    }

    /// An inner row that is empty without a capture in this turn ends nothing.
    #[test]
    fn an_empty_inner_row_alone_ends_nothing() {
        let inner_row = Picture::drawn(
            "
            * . . . . . . .      * . . . . . . .
            . . . . . . . .      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1
            ",
        );
        inner_row
            .play("A7")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// South captures one column; `captures` turns had captures before.
    fn capture_by_south(akakyala: bool, captures: (u32, u32), expected: &str) {
        let options = options(|options| options.akakyala = akakyala);
        let capture = "
            . . . . . . . 1      . . . . . . . .
            * . . . . . . 1      * . . . . . . .
            . . . . . . . 1  ->  . . . . 1 1 1 .
            . . . . . . 2 .      . . . . . . . 2
            ";
        Picture::with(options, capture)
            .captures(captures.0, captures.1)
            .play("A7")
            .leaves(expected);
    }

    /// By option a side that has captured in two turns, the other in none, wins two
    /// points.
    #[test]
    fn akakyala() {
        capture_by_south(true, (1, 0), "south wins 2 (akakyala), captures 2-0");
        capture_by_south(
            true,
            (0, 0),
            "north to play, turn 10, quiet 0, captures 1-0",
        );
        capture_by_south(
            true,
            (1, 1),
            "north to play, turn 10, quiet 0, captures 2-1",
        );
    }

    /// Without the option the game goes on.
    #[test]
    fn akakyala_off() {
        capture_by_south(
            false,
            (1, 0),
            "north to play, turn 10, quiet 0, captures 2-0",
        );
    }

    /// Two captures in one turn are one turn with a capture: no akakyala yet.
    #[test]
    fn akakyala_counts_turns_not_captures() {
        let twice = Picture::with(
            options(|options| options.akakyala = true),
            "
            . . . . . . 1 1      . . . . . . . .
            * . . . . . 1 2      * . . . . . . .
            . . . . . . 1 1  ->  . . . 1 1 1 3 .
            . . . . . . 2 .      . . . . . . . 3
            ",
        );
        twice
            .captures(0, 0)
            .play("A7")
            .leaves("north to play, turn 10, quiet 0, captures 1-0");
    }

    /// The opponent has seeds, but singles only: bulijo, one point.
    #[test]
    fn bulijo() {
        let singles = Picture::drawn(
            "
            1 . . . . . 1 .      1 . . . . . 1 .
            . . . 1 . . . .      . . . 1 . . . .
            . . . . . . . *  ->  . . . . . . . *
            2 . . . . . . .      . 1 1 . . . . .
            ",
        );
        singles
            .play("A1")
            .tells("A1 sows 2 to A3; south wins 1 (bulijo)")
            .leaves("south wins 1 (bulijo), captures 1-1");
    }

    /// A lost turn ends nothing: from a side that has no move the turn comes back, and
    /// both changes count as turns.
    #[test]
    fn no_bulijo_by_a_lost_turn() {
        let singles = Picture::drawn(
            "
            1 . . . . . 1 .      1 . . . . . 1 .
            . . . 1 . . . .      . . . 1 . . . .
            . . . . . . . *  ->  . . . . . . . *
            2 . . . . . . .      2 . . . . . . .
            ",
        );
        singles
            .quiet(5)
            .play("lose turn")
            .tells("south loses the turn; north passes")
            .leaves("south to play, turn 11, quiet 5, captures 1-1");
    }

    /// A lost turn gives the move away, and is no quiet turn.
    #[test]
    fn a_lost_turn() {
        let moves_for_both = Picture::drawn(
            "
            2 . . . . . . .      2 . . . . . . .
            . . . . . . . .      . . . . . . . .
            . . . . . . . *  ->  . . . . . . . *
            2 . . . . . . .      2 . . . . . . .
            ",
        );
        moves_for_both
            .quiet(199)
            .play("lose turn")
            .tells("south loses the turn")
            .leaves("north to play, turn 10, quiet 199, captures 1-1");
    }

    // Ends that hold in every game.

    /// Ten quiet turns where ten are the limit: the game is void.
    #[test]
    fn the_quiet_limit_makes_the_game_void() {
        let limit = options(|options| options.quiet_limit = QuietLimit::new(10).expect("10"));
        let quiet = "
            . . . . . . . .      . . . . . . . .
            * . . . . . . .      * . . . . . . .
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      . 1 1 . . . . .
            ";
        Picture::with(limit, quiet)
            .quiet(9)
            .play("A1")
            .tells("A1 sows 2 to A3; void (quiet)")
            .leaves("void (quiet), captures 1-1");
        Picture::with(limit, quiet)
            .quiet(8)
            .play("A1")
            .leaves("north to play, turn 10, quiet 9, captures 1-1");
    }

    /// A capture sets the quiet count back, also just before the limit.
    #[test]
    fn a_capture_is_not_quiet() {
        let capture = Picture::drawn(
            "
            . . . . . . . 1      . . . . . . . .
            * . . . . . . 1      * . . . . . . .
            . . . . . . . 1  ->  . . . . 1 1 1 .
            . . . . . . 2 .      . . . . . . . 2
            ",
        );
        capture
            .quiet(199)
            .play("A7")
            .leaves("north to play, turn 10, quiet 0, captures 2-1");
    }

    /// An end of the game's own comes before the quiet limit.
    #[test]
    fn bulijo_comes_before_the_quiet_limit() {
        let singles = Picture::drawn(
            "
            1 . . . . . 1 .      1 . . . . . 1 .
            . . . 1 . . . .      . . . 1 . . . .
            . . . . . . . *  ->  . . . . . . . *
            2 . . . . . . .      . 1 1 . . . . .
            ",
        );
        singles
            .quiet(199)
            .play("A1")
            .leaves("south wins 1 (bulijo), captures 1-1");
    }

    /// Ten seeds that go once round the side and come to lie as before, by A1 and A8 in
    /// turn.
    const SHUFFLE: &str = "
        . . . . . . . .      . . . . . . . .
        * . . . . . . .      * . . . . . . .
        . 1 . 1 . 1 . 1  ->  1 . 1 . 1 . 1 .
        2 . 1 . 1 . 1 1      1 1 . 1 . 1 . 2
        ";

    /// The third time that a position stands at the start of a turn the game is void.
    /// North loses its turns here: south's turns that begin so are no occurrence, but
    /// those of north after A1 are.
    #[test]
    fn the_third_occurrence_makes_the_game_void() {
        let again = ["A1", "lose turn", "A8", "lose turn"];
        let twice = [again, again].concat();
        Picture::drawn(SHUFFLE)
            .having_played(&again)
            .play("A1")
            .leaves("north to play, turn 14, quiet 3, captures 1-1");
        Picture::drawn(SHUFFLE)
            .having_played(&twice)
            .play("A1")
            .tells(
                "A1 sows 2 to A3; A3 sows 2 to A5; A5 sows 2 to A7; A7 sows 2 to B8;
                 B8 sows 2 to B6; B6 sows 2 to B4; B4 sows 2 to B2; B2 sows 2 to A1;
                 north's turn; void (repetition)",
            )
            .leaves("void (repetition), captures 1-1");
    }

    /// The quiet limit comes before repetition.
    #[test]
    fn the_quiet_limit_comes_before_repetition() {
        let again = ["A1", "lose turn", "A8", "lose turn"];
        Picture::drawn(SHUFFLE)
            .quiet(195)
            .having_played(&[again, again].concat())
            .play("A1")
            .leaves("void (quiet), captures 1-1");
    }

    /// The same seeds before and after the first capture of a game are two positions.
    #[test]
    fn whether_anyone_has_captured_is_part_of_a_position() {
        let key = |south, north| {
            let case = Picture::drawn(SHUFFLE).captures(south, north);
            case.game().position().key()
        };
        assert_ne!(key(0, 0), key(1, 0));
        assert_eq!(key(1, 0), key(2, 3), "how many turns is no matter");
    }

    /// The seeds stay on the board, so a capture does not clear the list of earlier
    /// positions; only the first of a game makes all before it another position.
    #[test]
    fn a_later_capture_forgets_nothing() {
        let mut game = Picture::drawn(
            "
            . . . . . . . 1
            * . . . . . . 1
            . . . . . . . 1
            . . . . . . 2 .
            ",
        )
        .game();
        let before = game.position().key();
        game.play(&Action::sow(Pit(6))).expect("legal");
        assert_eq!(game.history_keys(), [before, game.position().key()]);
    }

    /// A turn that runs past ten thousand laps is not carried out, and the game is void.
    #[test]
    fn a_never_ending_turn_makes_the_game_void() {
        let endless = Picture::drawn(
            "
            . . . . 8 8 8 10     . . . . 8 8 8 10
            . . . . . . . .      . . . . . . . .
            . 5 . 3 2 . 4 2  ->  . 5 . 3 2 . 4 2
            1 2 1 5 2 1 2 .      1 2 1 5 2 1 2 .
            ",
        );
        endless
            .captures(0, 1)
            .play("A7")
            .tells("void (never_ending)")
            .leaves("void (never_ending), captures 0-1");
    }

    /// Laps sown before a choice of direction count: after 9,999 one more may be sown.
    #[test]
    fn the_ten_thousandth_lap_may_end_the_turn() {
        let last_lap = Picture::drawn(
            "
            . . . 1 . . . .      . . . 1 . . . .
            . . . 1 . . . *      . . . 1 . . . *
            . 2 1 1 . . . .  ->  1 . 1 1 . . . .
            . . . . . . . .      1 . . . . . . .
            ",
        );
        last_lap
            .phase(direction(14, 2, false, &[], 9_999))
            .play("forward")
            .tells("B2 sows 2 to A1; north's turn")
            .leaves("north to play, turn 10, quiet 1, captures 1-1");
    }

    /// Where yet one more were needed, here for the captured seeds, the choice is not
    /// carried out and the game is void.
    #[test]
    fn a_turn_may_not_need_ten_thousand_and_one_laps() {
        let one_too_many = Picture::drawn(
            "
            . . . 1 . . . .      . . . 1 . . . .
            . . . 1 . . . *      . . . 1 . . . *
            . 2 1 1 . . . .  ->  . 2 1 1 . . . .
            . . . . . . . .      . . . . . . . .
            ",
        );
        one_too_many
            .phase(direction(14, 2, false, &[], 9_999))
            .play("reverse")
            .tells("void (never_ending)")
            .leaves("void (never_ending), captures 1-1");
    }

    /// Captured seeds that such a turn held in hand stay off the board, as before the
    /// choice.
    #[test]
    fn a_never_ending_turn_may_leave_seeds_in_hand() {
        let in_hand = Picture::drawn(
            "
            . . 1 . . . . .      . . 1 . . . . .
            . . 1 . . . . *      . . 1 . . . . *
            1 2 1 . . . . .  ->  1 2 1 . . . . .
            1 . . . . . . .      1 . . . . . . .
            ",
        )
        .phase(direction(1, 4, true, &[7], 9_999));
        in_hand
            .play("reverse")
            .tells("void (never_ending)")
            .leaves("void (never_ending), captures 1-1");
    }

    // The free arrangement.

    fn arrange(pits: &[u32]) -> Action {
        Action::Arrange {
            pits: pits.to_vec(),
        }
    }

    fn free(cap: Option<u32>) -> OmwesoOptions {
        options(|options| {
            options.setup = OmwesoSetup::Free;
            options.cap = cap.map(|cap| Cap::new(cap).expect("2 to 32"));
        })
    }

    /// The side that will move first lays out its seeds first, the other sees that and
    /// follows; then the first turn begins.
    #[test]
    fn both_sides_arrange_and_the_first_moves_first() {
        let mut game = Game::<Omweso>::start(free(Some(10)), Side::North);
        let norths = [10, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1];
        let souths = [2; 16];
        let trace = game.play(&arrange(&norths)).expect("32 seeds");
        assert_eq!(
            trace.steps,
            [
                Step::Arrange {
                    side: Side::North,
                    pits: norths.to_vec()
                },
                Step::Turn { side: Side::South }
            ]
        );
        assert_eq!(trace.standing.phase, Phase::Arrange);
        assert_eq!(trace.standing.turn, 1);
        game.play(&arrange(&souths)).expect("32 seeds");
        let after = game.position().setup();
        assert_eq!(after.board.pits.north, norths);
        assert_eq!(after.board.pits.south, souths);
        assert_eq!(after.standing, Standing::start(Side::North, Phase::Play));
    }

    /// An arrangement is sixteen numbers that add up to 32, none above the cap.
    #[test]
    fn bad_arrangements() {
        let mut sixteen = [2; 16];
        let game = Game::<Omweso>::start(free(Some(10)), Side::South);
        let refused = |pits: &[u32]| game.check(&arrange(pits)) == Err(Refusal::BadArrangement);
        assert!(!refused(&sixteen));
        assert!(refused(&[2; 15]), "fifteen numbers");
        assert!(refused(&[[2; 16].as_slice(), &[0]].concat()), "seventeen");
        sixteen[0] = 1;
        assert!(refused(&sixteen), "31 seeds");
        sixteen[0] = 3;
        assert!(refused(&sixteen), "33 seeds");
        assert!(refused(&[0; 16]), "no seeds");
        assert!(refused(&[u32::MAX; 16]), "more than can be counted");
        let mut capped = [0; 16];
        capped[..4].copy_from_slice(&[10, 10, 10, 2]);
        assert!(!refused(&capped));
        capped[..4].copy_from_slice(&[11, 10, 10, 1]);
        assert!(refused(&capped), "eleven in a pit");
    }

    /// Without a cap all seeds may lie in one pit.
    #[test]
    fn an_arrangement_without_a_cap() {
        let game = Game::<Omweso>::start(free(None), Side::South);
        let mut pits = [0; 16];
        pits[7] = 32;
        assert_eq!(game.check(&arrange(&pits)), Ok(()));
    }

    // Refusals.

    /// Of several reasons to refuse, the first is named: the game is over, another
    /// phase, no such pit, an empty pit, a single seed.
    #[test]
    fn the_order_of_refusals() {
        let picture = "
            . . . . . . . .
            * . . . . . . .
            . . . . . . . .
            2 . 1 . . . . .
            ";
        Picture::drawn(picture)
            .phase(Phase::Over(Outcome::void(Reason::Quiet)))
            .refuses(Action::sow(Pit(99)), Refusal::GameOver)
            .refuses("forward", Refusal::GameOver)
            .refuses("lose turn", Refusal::GameOver);
        Picture::drawn(picture)
            .refuses("forward", Refusal::WrongPhase)
            .refuses("lottery south", Refusal::WrongPhase)
            .refuses("strip A1 1", Refusal::WrongPhase)
            .refuses(arrange(&[2; 16]), Refusal::WrongPhase)
            .refuses(Action::sow(Pit(16)), Refusal::NoSuchPit)
            .refuses(Action::sow_reverse(Pit(16)), Refusal::NoSuchPit)
            .refuses(Action::Koneeza { pit: Pit(16) }, Refusal::NoSuchPit)
            .refuses("A2", Refusal::EmptyPit)
            .refuses("A3", Refusal::Singleton);
    }

    /// While a direction is due nothing else may be played, and no turn is lost.
    #[test]
    fn only_a_direction_while_one_is_due() {
        Picture::drawn(
            "
            . . . 1 . . . .
            . . . 1 . . . *
            . 2 1 1 . . . .
            . . . . . . . .
            ",
        )
        .phase(direction(14, 2, false, &[], 1))
        .offers("forward, reverse")
        .refuses("B2", Refusal::WrongPhase)
        .refuses("lose turn", Refusal::WrongPhase);
    }

    // Positions that cannot stand.

    const SOUND: &str = "
        . . . . . . . 2
        * . . . . . . 2
        . . . . . . . 1
        2 . . . . . 3 .
        ";

    fn impossible(case: &Picture, why: &str) {
        match &case.flaws()[..] {
            [Flaw::Impossible(found)] => assert_eq!(*found, why),
            other => panic!("{other:?}"),
        }
    }

    /// Omweso keeps captured seeds on the board.
    #[test]
    fn flaw_a_store() {
        let stored = Picture::drawn(
            "
            [5]     * . . . . . . .
                    . . . . . . . .
                    . . . . . . . .
                    2 . . . . . . .
            ",
        );
        let why = "Omweso has no stores";
        let side = Side::North;
        assert_eq!(stored.flaws(), [Flaw::Store { side, why }]);
    }

    /// A side without seeds has lost, so the game cannot go on.
    #[test]
    fn flaw_a_side_without_seeds() {
        let nothing = Picture::drawn(
            "
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            * . . . . . . .
            ",
        );
        let side = Side::North;
        assert_eq!(nothing.flaws(), [Flaw::NoSeeds { side }]);
    }

    /// The side to move must have a move; a side with singles would have lost.
    #[test]
    fn flaw_no_move() {
        let singles = Picture::drawn(
            "
            * . . . . . . .
            . . . . . . . .
            . . . . . . . .
            1 1 . . . . . .
            ",
        );
        assert_eq!(singles.flaws(), [Flaw::NoMove]);
    }

    /// `captured` and `captures` must agree.
    #[test]
    fn flaw_memories_of_captures_that_disagree() {
        for (captured, south) in [(true, 0), (false, 1)] {
            let extra = Extra::Omweso {
                captured,
                captures: BySide { south, north: 0 },
            };
            impossible(
                &Picture::drawn(SOUND).extra(extra),
                "`captured` says whether anyone has captured, which `captures` and `columns` \
                 show too",
            );
        }
    }

    /// With akakyala on, two turns with captures against none have won already.
    #[test]
    fn flaw_akakyala_before() {
        let options = options(|options| options.akakyala = true);
        impossible(
            &Picture::with(options, SOUND).captures(0, 2),
            "by akakyala the game would have ended before",
        );
        assert_eq!(Picture::with(options, SOUND).captures(1, 2).flaws(), []);
    }

    /// Each reason brings its points, to a side that may have won by it; what holds in
    /// every game makes it void.
    #[test]
    fn flaw_an_outcome_that_the_game_does_not_bring() {
        let win = |points, reason| Outcome::win(Side::South, points, reason);
        let voids = [Reason::NeverEnding, Reason::Repetition, Reason::Quiet].map(Outcome::void);
        let captured_out = "
            . . . . . . . .
            . . . . . . . .
            . . . . . . . *
            2 . . . . . 3 .
            ";
        Picture::drawn(captured_out)
            .may_end(&[
                win(12, Reason::Akawumbi),
                win(2, Reason::Okutema),
                win(1, Reason::Bulijo),
            ])
            .may_end(&voids)
            .cannot_end(&[
                win(200, Reason::Akawumbi),
                win(1, Reason::Okutema),
                win(2, Reason::Bulijo),
                win(2, Reason::Akakyala),
                win(1, Reason::LastFour),
                Outcome::win(Side::North, 12, Reason::Akawumbi),
                Outcome::draw(Reason::Quiet),
                Outcome::void(Reason::Bulijo),
            ]);
        Picture::drawn(captured_out)
            .captures(0, 1)
            .cannot_end(&[win(12, Reason::Akawumbi), win(2, Reason::Okutema)]);
        Picture::drawn(SOUND).may_end(&voids).cannot_end(&[
            win(12, Reason::Akawumbi),
            win(2, Reason::Okutema),
            win(1, Reason::Bulijo),
        ]);
        let both_heads = "
            . . 2 . . . . .
            . 2 . . . . . .
            . . . . . . . *
            2 . . . . . 3 .
            ";
        Picture::drawn(both_heads).may_end(&[win(2, Reason::Okutema)]);
        let akakyala = options(|options| options.akakyala = true);
        Picture::with(akakyala, SOUND)
            .captures(2, 0)
            .may_end(&[win(2, Reason::Akakyala)])
            .cannot_end(&[Outcome::win(Side::North, 2, Reason::Akakyala)]);
        Picture::with(akakyala, SOUND)
            .captures(2, 1)
            .cannot_end(&[win(2, Reason::Akakyala)]);
    }

    /// Where a turn would never have ended, what it had captured before is in hand; in
    /// no other game that is over are there fewer than 64 seeds.
    #[test]
    fn flaw_seeds_that_nobody_holds_in_the_end() {
        let end = |reason, missing, captures| {
            let mut setup = Picture::drawn(SOUND).setup();
            setup.standing.phase = Phase::Over(Outcome::void(reason));
            setup.board.pits.north[15] -= missing;
            setup.extra = Extra::Omweso {
                captured: captures != 0,
                captures: BySide::both(captures),
            };
            flaws::<Omweso>(OmwesoOptions::default(), &setup)
        };
        assert_eq!(end(Reason::NeverEnding, 2, 1), []);
        assert_eq!(end(Reason::NeverEnding, 0, 0), []);
        for (missing, captures) in [(1, 1), (2, 0)] {
            assert_eq!(
                end(Reason::NeverEnding, missing, captures),
                [Flaw::Impossible(
                    "seeds in hand were captured in some column"
                )]
            );
        }
        let (expected, found) = (64, 62);
        assert_eq!(
            end(Reason::Repetition, 2, 1),
            [Flaw::SeedTotal { expected, found }]
        );
    }

    /// A direction can be due only as the game would ask for it.
    #[test]
    fn flaw_a_direction_that_is_not_due() {
        let due = "
            . . . 1 . . . .
            . . . 1 . . . *
            . 2 1 1 . . . .
            . . . . . . . .
            ";
        let with = |phase| Picture::drawn(due).phase(phase);
        assert_eq!(with(direction(14, 2, false, &[], 1)).flaws(), []);
        impossible(
            &with(direction(14, 2, false, &[], 0)),
            "a turn holds from 1 to 9,999 laps before a choice",
        );
        impossible(
            &with(direction(14, 2, false, &[5], 1)),
            "a column captured in this turn is empty",
        );
        let nothing_to_choose = "there is nothing to choose: in reverse this lap captures nothing";
        impossible(
            &with(direction(14, 2, false, &[], 1)).turn(1).captures(0, 0),
            nothing_to_choose,
        );
        impossible(&with(direction(14, 3, true, &[2], 1)), nothing_to_choose);
        assert_eq!(
            with(direction(12, 2, false, &[], 1)).flaws(),
            [
                Flaw::Impossible("a direction is chosen for one of the four leftmost pits"),
                Flaw::Impossible("the pit of the lap does not hold its seeds"),
                Flaw::Impossible(nothing_to_choose),
            ]
        );
        assert_eq!(
            with(direction(14, 2, true, &[], 1)).flaws(),
            [Flaw::Impossible(
                "seeds in hand were captured in some column"
            )]
        );
    }

    /// Seeds are arranged only in a game that begins so, before the first turn, on an
    /// empty side, within the cap.
    #[test]
    fn flaw_an_arrangement_that_is_not_due() {
        let mut setup = Game::<Omweso>::start(free(Some(10)), Side::South)
            .position()
            .setup();
        assert_eq!(flaws::<Omweso>(free(Some(10)), &setup), []);
        let standard = OmwesoOptions::default();
        assert_eq!(flaws::<Omweso>(standard, &setup), [Flaw::ForeignPhase]);
        setup.standing.turn = 2;
        let late = Flaw::Impossible("seeds are arranged before the first turn");
        assert_eq!(flaws::<Omweso>(free(Some(10)), &setup), [late]);
        setup.standing.turn = 1;
        setup.board.pits.north[0] = 32;
        let above = Flaw::Impossible("a pit holds more than an arrangement may put into it");
        assert_eq!(flaws::<Omweso>(free(Some(10)), &setup), [above]);
        assert_eq!(flaws::<Omweso>(free(None), &setup), []);
        setup.standing.to_move = Side::North;
        setup.board.pits.north[0] = 32;
        assert!(!flaws::<Omweso>(free(None), &setup).is_empty());
    }

    /// Turns with a capture are turns; a count at the end of what a number holds was once
    /// accepted, and the next capture overflowed it.
    #[test]
    fn flaw_more_captures_than_any_game_has() {
        let mut setup = Picture::drawn(SOUND).setup();
        let captures = BySide {
            south: u32::MAX,
            north: 0,
        };
        setup.extra = Extra::Omweso {
            captured: true,
            captures,
        };
        let standard = OmwesoOptions::default();
        assert_eq!(flaws::<Omweso>(standard, &setup), [Flaw::Turn]);
    }

    /// Everything that is wrong is told at once.
    #[test]
    fn several_flaws_at_once() {
        let mut setup = Picture::drawn(SOUND).setup();
        setup.board.pits.south.pop();
        setup.board.pits.north[3] = 65;
        setup.board.stores.south = 1;
        setup.standing.turn = 0;
        setup.standing.quiet = 200;
        setup.extra = Extra::None {};
        let (south, north) = (Side::South, Side::North);
        assert_eq!(
            flaws::<Omweso>(OmwesoOptions::default(), &setup),
            [
                Flaw::PitCount {
                    side: south,
                    expected: 16,
                    found: 15
                },
                Flaw::PitOverfull {
                    side: north,
                    pit: Pit(3),
                    most: 64
                },
                Flaw::SeedTotal {
                    expected: 64,
                    found: 130
                },
                Flaw::Turn,
                Flaw::Quiet { limit: 200 },
                Flaw::Store {
                    side: south,
                    why: "Omweso has no stores"
                },
                Flaw::Extra {
                    expected: "`captured` and `captures`"
                },
            ]
        );
    }
}
