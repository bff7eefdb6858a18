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
use crate::setup::Inspection;
use crate::{
    Action, BadPosition, Board, BySide, Cap, Capture, Columns, Destination, Direction, Extra, Flaw,
    LAPS_MAX, Lap, Mancala, Moves, Options, Outcome, PendingLap, Phase, Pit, PitSet, Place,
    Position, QuietLimit, Reason, Recorder, Refusal, Setup, Shape, Side, Standing, Step,
};

/// How the seeds lie when a game begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
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
            position.inspect(&mut inspection);
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
        self.captures[me] += u32::from(captured);
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
            if self.options.akakyala && self.captures[me] >= 2 && self.captures[me.other()] == 0 {
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

    /// What else must hold of a setup whose numbers add up.
    fn inspect(&self, inspection: &mut Inspection<'_>) {
        let me = self.standing.to_move;
        let mut demand = |holds, why| inspection.demand(holds, || Flaw::Impossible(why));
        let in_turn = match self.standing.phase {
            Phase::Over(_) => return,
            Phase::Direction(lap) => lap.columns,
            _ => Columns::NONE,
        };
        let earlier = self.captures.south > 0 || self.captures.north > 0;
        demand(
            self.captured == (earlier || in_turn != Columns::NONE),
            "`captured` says whether anyone has captured, which `captures` and `columns` show too",
        );
        let leads = |side: Side| self.captures[side] >= 2 && self.captures[side.other()] == 0;
        demand(
            !self.options.akakyala || !Side::ALL.into_iter().any(leads),
            "by akakyala the game would have ended before",
        );
        match self.standing.phase {
            Phase::Over(_) => {}
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
                    lap.held || (pit < 16 && own.get(pit) == lap.seeds),
                    "the pit of the lap does not hold its seeds",
                );
                demand(
                    !lap.held || lap.columns != Columns::NONE,
                    "seeds in hand were captured in some column",
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
                    "there is nothing to choose: this lap cannot be sown in reverse",
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
