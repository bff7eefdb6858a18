//! Urim, after Silva (1994).
//!
//! Two rows of six or seven pits, three seeds in each. A turn is one lap from a pit of
//! the own row, without relays; the pit just lifted is skipped however far the lap goes.
//! Where the last seed makes two or three in a pit of the opponent, those are taken and,
//! going back from there, each adjoining pit of the opponent that holds two, three or
//! four, until one does not or the row ends.
//!
//! A pit never holds more than seventeen: by option one that does is passed over, or the
//! lap that would bring it to eighteen may not be played. Where the opponent's row is
//! empty, only a move that leaves seeds in it may be played. A player without a move
//! ends the game, and the seeds in each row go to its owner. More than half of all seeds
//! is one point, three quarters are two.

use crate::circuit::belongs_to_play;
use crate::history::Key;
use crate::position::{Played, check_phase, check_pit, verdict_of_stores};
use crate::setup::Inspection;
use crate::trace::sweep_rows;
use crate::{
    Action, BadPosition, Board, BySide, Capture, Destination, Direction, Extra, Flaw, Lap, Mancala,
    Moves, Options, Outcome, Passed, Phase, Pit, PitSet, Place, Position, QuietLimit, Reason,
    Recorder, Refusal, Setup, Shape, Side, Standing, Step, UrimColumns, Verdict,
};

/// What becomes of a lap that comes to a pit with seventeen seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FullPit {
    /// The pit is passed over.
    #[default]
    Skip,
    /// The lap may not be played.
    Forbid,
}

/// What may be chosen about a game of Urim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct UrimOptions {
    /// Pits in a row.
    pub columns: UrimColumns,
    /// What becomes of a lap that comes to a full pit.
    pub full_pit: FullPit,
    /// After how many quiet turns in a row the rows are counted.
    pub quiet_limit: QuietLimit,
}

impl Default for UrimOptions {
    fn default() -> UrimOptions {
        UrimOptions {
            columns: UrimColumns::default(),
            full_pit: FullPit::default(),
            quiet_limit: QuietLimit::TWO_ROWS,
        }
    }
}

impl UrimOptions {
    #[inline]
    const fn columns(&self) -> usize {
        self.columns.get() as usize
    }

    const fn seeds(&self) -> u32 {
        6 * self.columns.get()
    }
}

/// A position of Urim.
///
/// ```
/// use mancala_engine::{Action, Game, Pit, Position, Refusal, Side, Urim, UrimOptions};
/// let mut game = Game::<Urim>::start(UrimOptions::default(), Side::South);
/// game.play(&Action::sow(Pit(5)))?;
/// assert_eq!(game.position().setup().board.pits.north, [4, 4, 4, 3, 3, 3]);
/// assert_eq!(game.check(&Action::sow(Pit(6))), Err(Refusal::NoSuchPit));
/// # Ok::<(), Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Urim {
    rows: BySide<Row>,
    stores: BySide<u32>,
    standing: Standing,
    options: UrimOptions,
}

/// The most seeds a pit holds.
const FULL: u8 = 17;

impl Position for Urim {
    type Options = UrimOptions;

    fn start(options: UrimOptions, first: Side) -> Urim {
        Urim {
            rows: BySide::both(Row::from_pits((0..options.columns()).map(|_| 3))),
            stores: BySide::both(0),
            standing: Standing::start(first, Phase::Play),
            options,
        }
    }

    fn from_setup(options: UrimOptions, setup: &Setup) -> Result<Urim, BadPosition> {
        let shape = Shape::two_rows(options.columns() as u8);
        let limit = options.quiet_limit.get();
        let most = u32::from(FULL);
        let mut inspection = Inspection::new(setup, shape, options.seeds(), most, 0, limit);
        inspection.demand(setup.extra == Extra::None {}, || Flaw::Extra {
            expected: "no fields of its own",
        });
        let row = |list: &Vec<u32>| {
            let pits = list.iter().take(options.columns());
            Row::from_pits(pits.map(|&seeds| seeds.min(most) as u8))
        };
        let position = Urim {
            rows: setup.board.pits.as_ref().map(row),
            stores: setup.board.stores,
            standing: setup.standing,
            options,
        };
        match setup.standing.phase {
            Phase::Over(_) => {}
            Phase::Play if inspection.sound() => {
                // The law's own examples have a side to move that cannot feed the
                // opponent; it may only lose its turn.
                let mover = setup.standing.to_move;
                let feeding_due = position.rows[mover.other()].0 == 0;
                let may = if feeding_due {
                    position.rows[mover].0 != 0
                } else {
                    !position.moves().is_empty()
                };
                inspection.demand(may, || Flaw::NoMove);
            }
            Phase::Play => {}
            _ => inspection.demand(false, || Flaw::ForeignPhase),
        }
        inspection.finish().map(|()| position)
    }

    fn setup(&self) -> Setup {
        let pits = |row: Row| {
            (0..self.options.columns())
                .map(|pit| row.get(pit))
                .collect()
        };
        Setup {
            board: Board {
                pits: self.rows.map(pits),
                stores: self.stores,
            },
            standing: self.standing,
            extra: Extra::None {},
        }
    }

    fn mancala(&self) -> Mancala {
        Mancala::Urim
    }

    fn options(&self) -> Options {
        Options::Urim(self.options)
    }

    fn shape(&self) -> Shape {
        Shape::two_rows(self.options.columns() as u8)
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    #[inline]
    fn moves(&self) -> Moves {
        if self.standing.phase != Phase::Play {
            return Moves::NONE;
        }
        let filled = self.rows[self.standing.to_move].filled();
        if self.every_lap_may_be_played() {
            return Moves::forward(PitSet(u128::from(filled)));
        }
        let may = |&pit: &Pit| self.check_lap(pit).is_ok();
        Moves::forward(PitSet(u128::from(filled)).iter().filter(may).collect())
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        let phase = &self.standing.phase;
        check_phase(phase, belongs_to_play(action, phase))?;
        match action {
            Action::Sow { pit, dir } => {
                let own = self.rows[self.standing.to_move];
                check_pit(self.shape(), *pit, |pit| own.get(pit.index()))?;
                self.check_lap(*pit)?;
                match dir {
                    Direction::Forward => Ok(()),
                    Direction::Reverse => Err(Refusal::NotAllowed),
                }
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

    /// The seeds in each row go to the store of its owner.
    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        let rows = self.rows.map(Row::seeds);
        sweep_rows(recorder, rows);
        for side in Side::ALL {
            self.stores[side] += rows[side];
        }
        self.rows = BySide::both(Row(0));
        let BySide { south, north } = self.stores;
        let outcome = match verdict_of_stores(south, north) {
            Verdict::Win(winner) => {
                let three_quarters = 4 * self.stores[winner] >= 3 * self.options.seeds();
                Outcome::win(winner, if three_quarters { 2 } else { 1 }, reason)
            }
            _ => Outcome::draw(reason),
        };
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
    }

    #[inline]
    fn key(&self) -> u64 {
        let BySide { south, north } = self.rows;
        Key::new(self.standing.to_move as u64)
            .with(south.0, north.0)
            .finish()
    }

    fn occurrences_to_end(&self) -> usize {
        2
    }
}

impl Urim {
    #[inline]
    fn sow<R: Recorder>(&mut self, pit: Pit, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        let pit = pit.index() % self.options.columns();
        let sown = self.lap(pit, recorder);
        self.rows[me] = sown.own;
        self.rows[me.other()] = sown.other;
        let taken = sown.captured.seeds();
        self.stores[me] += taken;
        if taken > 0 {
            recorder.step(|| {
                let pits = (0..self.options.columns())
                    .map(|pit| (Pit(pit as u16), sown.captured.get(pit)))
                    .filter(|&(_, seeds)| seeds > 0);
                Step::Capture(Capture {
                    by: me,
                    side: me.other(),
                    pits: pits.collect(),
                    to: Destination::Store,
                    after: None,
                })
            });
        }
        let captured = taken > 0;
        self.standing.count_quiet(captured);
        let before = self.standing;
        self.standing.next_turn();
        let reason = if sown.own.0 | sown.other.0 == 0 {
            Some(Reason::AllCaptured)
        } else if sown.other.0 == 0 || !self.every_lap_may_be_played() && self.moves().is_empty() {
            Some(Reason::NoMove)
        } else if self.standing.quiet >= self.options.quiet_limit.get() {
            Some(Reason::Quiet)
        } else {
            None
        };
        if let Some(reason) = reason {
            self.standing = before;
            self.end_by(reason, recorder);
            return Played::no_occurrence(captured);
        }
        recorder.step(|| Step::Turn { side: me.other() });
        Played::turn(captured)
    }

    fn lose_turn<R: Recorder>(&mut self, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::LostTurn { side: me });
        if self.moves().is_empty() {
            self.standing.next_turn();
            recorder.step(|| Step::Pass { side: me.other() });
        }
        Played::no_occurrence(false)
    }

    /// Is it plain at a glance that the side to move may play any pit that holds seeds,
    /// because the opponent has some and no pit can fill up?
    #[inline]
    fn every_lap_may_be_played(&self) -> bool {
        let other = self.rows[self.standing.to_move.other()];
        other.0 != 0 && (self.options.full_pit == FullPit::Skip || !(self.may_fill_up()))
    }

    /// May a lap from this pit, which holds seeds, be played?
    fn check_lap(&self, pit: Pit) -> Result<(), Refusal> {
        let sown = self.lap(pit.index(), &mut crate::Silent);
        if sown.overfull && self.options.full_pit == FullPit::Forbid {
            return Err(Refusal::PitFull);
        }
        let other = self.rows[self.standing.to_move.other()];
        if other.0 == 0 && sown.other.0 == 0 {
            return Err(Refusal::MustFeed);
        }
        Ok(())
    }

    /// Can any lap bring a pit to more than it holds? Seventeen seeds go round at most
    /// once and fall into a pit twice at most.
    #[inline]
    fn may_fill_up(&self) -> bool {
        let BySide { south, north } = self.rows;
        (south.0 | north.0) & (0x10 * EACH) != 0
    }

    /// Sows one lap and captures, on copies of the rows.
    #[inline]
    fn lap<R: Recorder>(&self, pit: usize, recorder: &mut R) -> Sown {
        let me = self.standing.to_move;
        let columns = self.options.columns();
        let mut sown = Sown {
            own: self.rows[me],
            other: self.rows[me.other()],
            captured: Row(0),
            overfull: false,
        };
        let end = if self.may_fill_up() {
            sown.sow_seed_by_seed(me, pit, columns, recorder)
        } else {
            sown.sow_at_once(me, pit, columns, recorder)
        };
        if end >= columns {
            sown.capture(end - columns);
        }
        sown
    }
}

/// The rows after a lap, seen from the side that sowed it.
struct Sown {
    own: Row,
    other: Row,
    /// What was taken from the other row.
    captured: Row,
    /// Did the lap come to a full pit?
    overfull: bool,
}

impl Sown {
    /// Sows where no pit can fill up, and says where the last seed fell: below `columns`
    /// a pit of the own row, from there on one of the other.
    #[inline]
    fn sow_at_once<R: Recorder>(
        &mut self,
        me: Side,
        pit: usize,
        columns: usize,
        recorder: &mut R,
    ) -> usize {
        let seeds = self.own.get(pit) as usize;
        let pattern = &PATTERNS[columns - 6][pit][seeds & 31];
        self.own.0 = self.own.0.wrapping_add(pattern.own);
        self.other.0 += pattern.other;
        let end = usize::from(pattern.end);
        recorder.step(|| {
            let round = 2 * columns - 1;
            let passed = (1..=seeds.saturating_sub(1) / round)
                .map(|rounds| ((rounds * round) as u32, pit))
                .collect();
            lap_step(me, columns, pit, seeds as u32, end, passed)
        });
        end
    }

    /// Sows any lap, and says where the last seed fell, as above.
    fn sow_seed_by_seed<R: Recorder>(
        &mut self,
        me: Side,
        pit: usize,
        columns: usize,
        recorder: &mut R,
    ) -> usize {
        let seeds = self.own.get(pit);
        self.own.take(pit);
        let mut end = pit;
        let mut passed = Vec::new();
        for fallen in 0..seeds {
            loop {
                end = (end + 1) % (2 * columns);
                let (row, there) = if end < columns {
                    (&mut self.own, end)
                } else {
                    (&mut self.other, end - columns)
                };
                let full = row.get(there) == u32::from(FULL);
                self.overfull |= full && end != pit;
                if end != pit && !full {
                    row.add(there);
                    break;
                }
                passed.push((fallen, end));
            }
        }
        recorder.step(|| lap_step(me, columns, pit, seeds, end, passed));
        end
    }

    /// Takes what a last seed in this pit of the other row captures.
    #[inline]
    fn capture(&mut self, last: usize) {
        let there = self.other.get(last);
        if there != 2 && there != 3 {
            return;
        }
        // The run of pits of two to four that ends with this one: of the bits up to
        // it, those above the highest that is not in the set.
        let others = !self.other.of_two_to_four() & ((2 << last) - 1);
        let run_start = 8 - (others as u8).leading_zeros() as usize;
        let taken = (u64::MAX >> (56 - 8 * last)) & (u64::MAX << (8 * run_start));
        self.captured = Row(self.other.0 & taken);
        self.other.0 &= !taken;
    }
}

fn lap_step(
    me: Side,
    columns: usize,
    pit: usize,
    seeds: u32,
    end: usize,
    passed: Vec<(u32, usize)>,
) -> Step {
    let place = |index: usize| {
        let (side, pit) = if index < columns {
            (me, index)
        } else {
            (me.other(), index - columns)
        };
        Place {
            side,
            pit: Pit(pit as u16),
        }
    };
    Step::Lap(Lap {
        side: me,
        pit: Pit(pit as u16),
        lifted: true,
        seeds,
        sown: seeds,
        dir: Direction::Forward,
        end: place(end),
        passed: passed
            .into_iter()
            .map(|(after, index)| Passed {
                after,
                place: place(index),
            })
            .collect(),
    })
}

/// A row of up to seven pits, one byte each, pit 0 lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row(u64);

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x80 * EACH;

impl Row {
    fn from_pits(pits: impl Iterator<Item = u8>) -> Row {
        Row((0..).zip(pits).fold(0, |row, (pit, seeds): (u32, u8)| {
            row | u64::from(seeds) << (8 * pit)
        }))
    }

    #[inline]
    fn get(self, pit: usize) -> u32 {
        u32::from((self.0 >> (8 * pit)) as u8)
    }

    fn add(&mut self, pit: usize) {
        self.0 += 1 << (8 * pit);
    }

    fn take(&mut self, pit: usize) {
        self.0 &= !(0xff << (8 * pit));
    }

    /// The sum of the row; of one that holds at most 42, in one multiplication.
    #[inline]
    fn seeds(self) -> u32 {
        (self.0.wrapping_mul(EACH) >> 56) as u32
    }

    /// The pits that hold seeds, a bit each.
    #[inline]
    fn filled(self) -> u64 {
        gather((self.0 + 0x7f * EACH) & TOP)
    }

    /// The pits that hold two, three or four, a bit each.
    #[inline]
    fn of_two_to_four(self) -> u64 {
        let two_or_more = self.0 + 0x7e * EACH;
        let five_or_more = self.0 + 0x7b * EACH;
        gather(two_or_more & !five_or_more & TOP)
    }
}

/// Brings the top bits of eight bytes together, the lowest byte's lowest.
#[inline]
const fn gather(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// What a lap adds to the two rows, and where it ends.
#[derive(Clone, Copy)]
struct Pattern {
    /// To the own row; the lifted seeds are taken away in the same addition.
    own: u64,
    other: u64,
    end: u8,
}

/// `PATTERNS[columns - 6][pit][seeds]`.
static PATTERNS: [[[Pattern; 32]; 7]; 2] = {
    let nothing = Pattern {
        own: 0,
        other: 0,
        end: 0,
    };
    let mut table = [[[nothing; 32]; 7]; 2];
    let mut columns = 6;
    while columns <= 7 {
        let mut pit = 0;
        while pit < columns {
            let mut seeds = 0;
            while seeds < 32 {
                table[columns - 6][pit][seeds] = pattern(columns, pit, seeds);
                seeds += 1;
            }
            pit += 1;
        }
        columns += 1;
    }
    table
};

const fn pattern(columns: usize, pit: usize, seeds: usize) -> Pattern {
    let (mut own, mut other) = (0_u64, 0);
    let mut end = pit;
    let mut fallen = 0;
    while fallen < seeds {
        end = (end + 1) % (2 * columns);
        if end == pit {
            continue;
        }
        if end < columns {
            own += 1 << (8 * end);
        } else {
            other += 1 << (8 * (end - columns));
        }
        fallen += 1;
    }
    Pattern {
        own: own.wrapping_sub((seeds as u64) << (8 * pit)),
        other,
        end: end as u8,
    }
}
