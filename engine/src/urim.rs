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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
            Phase::Over(outcome) => {
                inspection.demand_empty_pits();
                inspection.demand_outcome(outcome, |reason, _| match reason {
                    Reason::NoMove | Reason::AllCaptured | Reason::Repetition | Reason::Quiet => {
                        Some(position.outcome_of_stores(reason))
                    }
                    _ => None,
                });
            }
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
        let outcome = self.outcome_of_stores(reason);
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

    /// How the stores, in which all seeds are, decide the game.
    fn outcome_of_stores(&self, reason: Reason) -> Outcome {
        let BySide { south, north } = self.stores;
        match verdict_of_stores(south, north) {
            Verdict::Win(winner) => {
                let three_quarters = 4 * self.stores[winner] >= 3 * self.options.seeds();
                Outcome::win(winner, if three_quarters { 2 } else { 1 }, reason)
            }
            _ => Outcome::draw(reason),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, flaws};

    type Picture = Case<Urim>;

    fn forbid() -> UrimOptions {
        UrimOptions {
            full_pit: FullPit::Forbid,
            ..UrimOptions::default()
        }
    }

    fn seven_columns() -> UrimOptions {
        UrimOptions {
            columns: UrimColumns::new(7).expect("6 or 7"),
            ..UrimOptions::default()
        }
    }

    // Captures.

    /// A last seed that makes two in a pit of the opponent takes them.
    #[test]
    fn a_last_seed_that_makes_two_captures() {
        let two = Picture::drawn(
            "
            4 . . . . 1      4 . . . . .
            4 . . . . 1  ->  4 . . . . . [2]
            ",
        );
        two.play("A6")
            .tells("A6 sows 1 to north's A1; south takes north's A1 2; north's turn")
            .leaves("north to play, turn 10, quiet 0");
    }

    /// So does one that makes three.
    #[test]
    fn a_last_seed_that_makes_three_captures() {
        let three = Picture::drawn(
            "
            4 . . . . 2      4 . . . . .
            4 . . . . 1  ->  4 . . . . . [3]
            ",
        );
        three
            .play("A6")
            .tells("A6 sows 1 to north's A1; south takes north's A1 3; north's turn");
    }

    /// One that makes four takes nothing, and neither does one that falls into an empty
    /// pit.
    #[test]
    fn a_last_seed_that_makes_four_or_one_captures_nothing() {
        let four = Picture::drawn(
            "
            . . . . 2 3      . . . . 2 4
            4 . . . . 1  ->  4 . . . . .
            ",
        );
        four.play("A6")
            .tells("A6 sows 1 to north's A1; north's turn")
            .leaves("north to play, turn 10, quiet 1");
        let one = Picture::drawn(
            "
            . . . . 2 .      . . . . 2 1
            4 . . . . 1  ->  4 . . . . .
            ",
        );
        one.play("A6")
            .tells("A6 sows 1 to north's A1; north's turn");
    }

    /// Going back from the last pit, those with two, three or four go with it, to the
    /// end of the row.
    #[test]
    fn the_chain_takes_twos_threes_and_fours() {
        let chain = Picture::drawn(
            "
            4 3 1 3 2 1      4 3 . . . .
            2 . . . . 4  ->  2 . . . . . [11]
            ",
        );
        chain.play("A6").tells(
            "A6 sows 4 to north's A4; south takes north's A1 2, A2 3, A3 4, A4 2; north's turn",
        );
    }

    /// The chain ends before a pit that holds five, or one; what lies beyond it stays.
    #[test]
    fn the_chain_ends_at_a_pit_that_does_not_fit() {
        let five = Picture::drawn(
            "
            4 . 1 1 4 1      4 . . . 5 2
            2 . . . . 4  ->  2 . . . . . [4]
            ",
        );
        five.play("A6")
            .tells("A6 sows 4 to north's A4; south takes north's A3 2, A4 2; north's turn");
        let one = Picture::drawn(
            "
            4 . 1 1 . 1      4 . . . 1 2
            2 . . . . 4  ->  2 . . . . . [4]
            ",
        );
        one.play("A6")
            .tells("A6 sows 4 to north's A4; south takes north's A3 2, A4 2; north's turn");
    }

    /// Pits of one's own are never taken: neither by a last seed that falls there, nor
    /// by a chain that reaches the end of the row.
    #[test]
    fn only_the_opponents_row_is_captured() {
        let own = Picture::drawn(
            "
            4 . . . . .      4 . . . . .
            1 1 . . . .  ->  . 2 . . . .
            ",
        );
        own.play("A1").tells("A1 sows 1 to A2; north's turn");
        let chain = Picture::drawn(
            "
            4 . . . . 1      4 . . . . .
            . . . . 2 1  ->  . . . . . 2 [2]
            ",
        );
        chain
            .play("A5")
            .tells("A5 sows 2 to north's A1; south takes north's A1 2; north's turn");
    }

    /// All of the opponent's seeds may be taken. They have no move then, and the game
    /// ends with the seeds of south's row in south's store.
    #[test]
    fn taking_all_seeds_of_the_opponent_is_allowed() {
        let all = Picture::drawn(
            "
            . . . . 1 1      [29] . . . . . .
            3 . . . . 2  ->       . . . . . . [7]
            ",
        );
        all.play("A6")
            .tells(
                "A6 sows 2 to north's A2; south takes north's A1 2, A2 2;
                 3 of south's row to south; north wins 2 (no_move)",
            )
            .leaves("north wins 2 (no_move)");
    }

    /// When the last seeds of the board are captured the game is over at once.
    #[test]
    fn all_seeds_captured() {
        let last = Picture::drawn(
            "
            [9] . . . . . 1       . . . . . .
                . . . . . 1  ->   . . . . . . [27]
            ",
        );
        last.play("A6")
            .tells("A6 sows 1 to north's A1; south takes north's A1 2; south wins 2 (all_captured)")
            .leaves("south wins 2 (all_captured)");
    }

    // Long laps and full pits.

    /// Twelve seeds on six columns go round to the lifted pit, pass over it and end in
    /// the next.
    #[test]
    fn the_lifted_pit_is_skipped_on_six_columns() {
        let round = Picture::drawn(
            "
            .  . . . . .      1 1 1 1 1 1
            12 . . . . .  ->  . 2 1 1 1 1
            ",
        );
        round
            .play("A1")
            .tells("A1 sows 12 to A2, passing A1 after 11; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// On seven columns that takes fourteen.
    #[test]
    fn the_lifted_pit_is_skipped_on_seven_columns() {
        let round = Picture::with(
            seven_columns(),
            "
            .  . . . . . .      1 1 1 1 1 1 1
            14 . . . . . .  ->  . 2 1 1 1 1 1
            ",
        );
        round
            .play("A1")
            .tells("A1 sows 14 to A2, passing A1 after 13; north's turn");
    }

    /// A pit that holds seventeen is passed over.
    #[test]
    fn a_full_pit_is_passed_over() {
        let full = Picture::drawn(
            "
            . . . . . 17      . . . 1 1 17
            3 . . . . 2   ->  3 . . . . .
            ",
        );
        full.play("A6")
            .tells("A6 sows 2 to north's A3, passing north's A1 after 0; north's turn");
    }

    /// So is one that this lap itself has filled: A2 gets its seventeenth seed first, and
    /// nothing when the lap comes round.
    #[test]
    fn a_pit_that_fills_up_during_the_lap_is_passed_over() {
        let fills = Picture::drawn(
            "
            .  .  . . . .      1 1  1 1 1 1
            13 16 . . . .  ->  . 17 2 2 1 1
            ",
        );
        fills
            .play("A1")
            .tells("A1 sows 13 to A4, passing A1 after 11, passing A2 after 11; north's turn");
    }

    /// By option a lap that would bring a pit to eighteen is refused instead, also
    /// where it would fill the pit up itself. Seventeen are fine.
    #[test]
    fn a_lap_into_a_full_pit_may_be_forbidden() {
        Picture::with(
            forbid(),
            "
            . . . . . 17
            3 . . . . 2
            ",
        )
        .offers("A1")
        .refuses("A6", Refusal::PitFull);
        Picture::with(
            forbid(),
            "
            .  .  . . . .
            13 16 . . . .
            ",
        )
        .offers("A2")
        .refuses("A1", Refusal::PitFull);
        Picture::with(
            forbid(),
            "
            . . . . . 16      . . . . 1 17
            3 . . . . 2   ->  3 . . . . .
            ",
        )
        .play("A6")
        .leaves("north to play, turn 10, quiet 1");
    }

    /// A capture with the last seed comes after the sowing and does not excuse it.
    #[test]
    fn a_capture_does_not_excuse_an_overfull_pit() {
        Picture::with(
            forbid(),
            "
            . . . . 1 17
            3 . . . . 2
            ",
        )
        .refuses("A6", Refusal::PitFull);
    }

    /// A side that has forbidden laps only has no move, and the game is over.
    #[test]
    fn only_forbidden_laps_are_no_move() {
        let stuck = Picture::with(
            forbid(),
            "
            1  . . . . .      [18] . . . . . .
            17 1 . . . .  ->       . . . . . . [18]
            ",
        );
        stuck
            .play("A2")
            .tells(
                "A2 sows 1 to A3; 18 of south's row to south; 1 of north's row to north;
                 draw (no_move)",
            )
            .leaves("draw (no_move)");
    }

    // Feeding.

    /// Where the opponent's row is empty, only a move that leaves seeds in it may be
    /// played.
    #[test]
    fn the_opponent_must_be_fed() {
        let feed = Picture::drawn(
            "
            . . . . . .      . . . . . 1
            1 . . . . 1  ->  1 . . . . .
            ",
        );
        feed.offers("A6").refuses("A1", Refusal::MustFeed);
        feed.play("A6").leaves("north to play, turn 10, quiet 1");
    }

    /// A side that cannot feed has no move: the game is over, and its row is its own.
    #[test]
    fn a_side_that_cannot_feed_has_no_move() {
        let cannot = Picture::drawn(
            "
            1 . . . . .      . . . . . .
            . 2 . . . .  ->  . . . . . . [3]
            ",
        );
        cannot
            .mover(Side::North)
            .play("A6")
            .tells("A6 sows 1 to south's A1; 3 of south's row to south; north wins 2 (no_move)")
            .leaves("north wins 2 (no_move)");
    }

    /// What counts is what the move leaves after its capture. Twelve seeds from A6 feed,
    /// though two of them are taken back; seventeen bring every pit of north to two, and
    /// the chain takes them all.
    #[test]
    fn feeding_is_judged_after_the_capture() {
        let some_stay = Picture::drawn(
            "
            . . . . . .       1 1 1 1 1 .
            . . . . . 12  ->  1 1 1 1 1 . [2]
            ",
        );
        some_stay.play("A6").tells(
            "A6 sows 12 to north's A1, passing A6 after 11; south takes north's A1 2;
             north's turn",
        );
        Picture::drawn(
            "
            . . . . . .
            . . . . 2 17
            ",
        )
        .offers("A5")
        .refuses("A6", Refusal::MustFeed);
    }

    // Points.

    /// The last capture, of two, with so many in south's store before.
    fn last_capture(options: UrimOptions, south: u32, expected: &str) {
        let mut setup = Picture::with(
            options,
            match options.columns() {
                6 => ". . . . . 1\n. . . . . 1",
                _ => ". . . . . . 1\n. . . . . . 1",
            },
        )
        .setup();
        setup.board.stores.south = south;
        setup.board.stores.north = options.seeds() - 2 - south;
        let mut game = crate::Game::<Urim>::from_setup(options, &setup).expect("sound");
        game.play(&game.moves().nth(0)).expect("legal");
        let outcome = game.outcome().expect("all seeds are captured");
        assert_eq!(outcome.to_string(), expected);
    }

    /// More than half of the seeds is one point, three quarters or more are two, equal
    /// stores are a draw. Of 36, three quarters are 27.
    #[test]
    fn points_of_36_seeds() {
        last_capture(UrimOptions::default(), 25, "south wins 2 (all_captured)");
        last_capture(UrimOptions::default(), 24, "south wins 1 (all_captured)");
        last_capture(UrimOptions::default(), 17, "south wins 1 (all_captured)");
        last_capture(UrimOptions::default(), 16, "draw (all_captured)");
        last_capture(UrimOptions::default(), 15, "north wins 1 (all_captured)");
        last_capture(UrimOptions::default(), 8, "north wins 1 (all_captured)");
        last_capture(UrimOptions::default(), 7, "north wins 2 (all_captured)");
    }

    /// Of 42 seeds three quarters are 31 and a half, so 32.
    #[test]
    fn points_of_42_seeds() {
        last_capture(seven_columns(), 30, "south wins 2 (all_captured)");
        last_capture(seven_columns(), 29, "south wins 1 (all_captured)");
        last_capture(seven_columns(), 19, "draw (all_captured)");
        last_capture(seven_columns(), 9, "north wins 1 (all_captured)");
        last_capture(seven_columns(), 8, "north wins 2 (all_captured)");
    }

    // Ends that hold in every game.

    /// Two single seeds that follow each other round the board.
    const CHASE: [&str; 11] = [
        "A1", "A1", "A2", "A2", "A3", "A3", "A4", "A4", "A5", "A5", "A6",
    ];

    /// The second time that a position stands the game is over, and each row goes to
    /// its owner: here when the two seeds have changed rows, which nobody can tell.
    #[test]
    fn the_second_occurrence_ends_the_game() {
        let chase = Picture::drawn(
            "
            . . . . . 1          [18] . . . . . .
            1 . . . . . [17] ->       . . . . . . [18]
            ",
        );
        chase
            .having_played(&CHASE)
            .play("A6")
            .tells(
                "A6 sows 1 to south's A1; south's turn; 1 of south's row to south;
                 1 of north's row to north; draw (repetition)",
            )
            .leaves("draw (repetition)");
    }

    /// A capture by anyone clears the list of earlier positions.
    #[test]
    fn a_capture_forgets_earlier_positions() {
        let mut game = Picture::drawn(
            "
            1 . . . 1 1
            1 . . . 1 1
            ",
        )
        .game();
        for pit in [0, 5] {
            game.play(&Action::sow(Pit(pit))).expect("legal");
        }
        assert_eq!(game.history_keys().len(), 3);
        game.play(&Action::sow(Pit(5))).expect("legal");
        assert_eq!(
            game.history_keys(),
            [game.position().key()],
            "only that after it"
        );
    }

    /// At the quiet limit each row goes to its owner and the stores are counted.
    #[test]
    fn the_quiet_limit_ends_the_game() {
        let quiet = Picture::drawn(
            "
            [3] 2 . . . . .      [5] . . . . . .
                1 . . . . .  ->      . . . . . . [31]
            ",
        );
        quiet
            .quiet(99)
            .play("A1")
            .tells(
                "A1 sows 1 to A2; 1 of south's row to south; 2 of north's row to north;
                 south wins 2 (quiet)",
            )
            .leaves("south wins 2 (quiet)");
    }

    /// Of several ends that a turn brings, the game's own comes first, then the quiet
    /// limit, then repetition.
    #[test]
    fn the_order_of_ends() {
        Picture::drawn(
            "
            1 . . . . .
            . 2 . . . .
            ",
        )
        .mover(Side::North)
        .quiet(99)
        .play("A6")
        .leaves("north wins 2 (no_move)");
        Picture::drawn(
            "
            . . . . . 1
            1 . . . . . [17]
            ",
        )
        .quiet(88)
        .having_played(&CHASE)
        .play("A6")
        .leaves("draw (quiet)");
    }

    // Lost turns.

    /// A lost turn gives the move away. It adds one to the turn and nothing to the
    /// quiet count.
    #[test]
    fn a_lost_turn() {
        let lost = Picture::drawn(
            "
            2 . . . . .      2 . . . . .
            1 . . . . .  ->  1 . . . . .
            ",
        );
        lost.quiet(99)
            .play("lose turn")
            .tells("south loses the turn")
            .leaves("north to play, turn 10, quiet 99");
    }

    /// Where the other side has nothing to move, the turn comes back at once.
    #[test]
    fn a_lost_turn_comes_back_from_an_empty_row() {
        let lost = Picture::drawn(
            "
            . . . . . .      . . . . . .
            1 . . . . 1  ->  1 . . . . 1
            ",
        );
        lost.play("lose turn")
            .tells("south loses the turn; north passes")
            .leaves("south to play, turn 11, quiet 0");
    }

    // Refusals.

    /// Of several reasons to refuse, the first is named.
    #[test]
    fn the_order_of_refusals() {
        let picture = "
            . .  . . . .
            1 17 . 1 . 1
            ";
        Picture::with(forbid(), COUNTED)
            .phase(Phase::Over(Outcome::draw(Reason::Quiet)))
            .refuses(Action::sow(Pit(99)), Refusal::GameOver)
            .refuses("A1 koneeza", Refusal::GameOver);
        Picture::with(forbid(), picture)
            .refuses("A1 koneeza", Refusal::WrongPhase)
            .refuses("forward", Refusal::WrongPhase)
            .refuses(Action::sow(Pit(6)), Refusal::NoSuchPit)
            .refuses(Action::sow(Pit::NOWHERE), Refusal::NoSuchPit)
            .refuses("A3 reverse", Refusal::EmptyPit)
            // A1 would bring A2 to eighteen, and neither A1 nor A4 feeds.
            .refuses("A1 reverse", Refusal::PitFull)
            .refuses("A4 reverse", Refusal::MustFeed)
            .refuses("A6 reverse", Refusal::NotAllowed);
    }

    // Positions that cannot stand.

    /// The board of a game that is over, the stores equal.
    const COUNTED: &str = "
        [18] . . . . . .
             . . . . . . [18]
        ";

    /// When the game is over the stores have all seeds and decide. A turn of one lap
    /// always ends.
    #[test]
    fn flaw_an_outcome_that_the_stores_do_not_bring() {
        let win = |points| Outcome::win(Side::South, points, Reason::NoMove);
        Picture::drawn(COUNTED)
            .may_end(&[
                Outcome::draw(Reason::NoMove),
                Outcome::draw(Reason::AllCaptured),
                Outcome::draw(Reason::Repetition),
                Outcome::draw(Reason::Quiet),
            ])
            .cannot_end(&[
                win(1),
                Outcome::void(Reason::Quiet),
                Outcome::draw(Reason::NeverEnding),
                Outcome::draw(Reason::LastFour),
            ]);
        let more = "
            [10] . . . . . .
                 . . . . . . [26]
            ";
        let much_more = "
            [9] . . . . . .
                . . . . . . [27]
            ";
        let north = Outcome::win(Side::North, 1, Reason::NoMove);
        Picture::drawn(more).may_end(&[win(1)]).cannot_end(&[
            win(2),
            north,
            Outcome::draw(Reason::NoMove),
        ]);
        Picture::drawn(much_more)
            .may_end(&[win(2)])
            .cannot_end(&[win(1)]);
        let not_counted = "
            [18] . . . . . .
                 1 . . . . . [17]
            ";
        assert_eq!(
            Picture::drawn(not_counted)
                .phase(Phase::Over(Outcome::draw(Reason::Quiet)))
                .flaws(),
            [Flaw::Impossible(
                "when the game is over, all seeds are in the stores"
            )]
        );
    }

    /// A pit never holds more than seventeen.
    #[test]
    fn flaw_a_pit_above_seventeen() {
        let overfull = Picture::drawn(
            "
            . . . 18 . .
            1 . . . . .
            ",
        );
        let (side, pit) = (Side::North, Pit(2));
        let most = 17;
        assert_eq!(overfull.flaws(), [Flaw::PitOverfull { side, pit, most }]);
    }

    /// The side to move must have a seed, and a lap that is not forbidden.
    #[test]
    fn flaw_no_move() {
        let empty = Picture::drawn(
            "
            1 . . . . .
            . . . . . .
            ",
        );
        assert_eq!(empty.flaws(), [Flaw::NoMove]);
        let forbidden = "
            1 . . . . 17
            . . . . . 1
            ";
        assert_eq!(Picture::with(forbid(), forbidden).flaws(), [Flaw::NoMove]);
        assert_eq!(Picture::drawn(forbidden).flaws(), []);
    }

    /// Urim has no choices in the middle of a turn.
    #[test]
    fn flaw_a_phase_of_another_game() {
        let picture = "
            1 . . . . .
            1 . . . . .
            ";
        for phase in [Phase::Arrange, Phase::Lottery, Phase::Strip { seeds: 1 }] {
            let mut setup = Picture::drawn(picture).setup();
            setup.standing.phase = phase;
            assert_eq!(
                flaws::<Urim>(UrimOptions::default(), &setup),
                [Flaw::ForeignPhase]
            );
        }
    }

    /// Everything that is wrong is told at once.
    #[test]
    fn several_flaws_at_once() {
        let mut setup = Picture::drawn(
            "
            18 . . . . .
            1 . . . . .
            ",
        )
        .setup();
        setup.board.pits.south.push(2);
        setup.standing.turn = 0;
        setup.standing.quiet = 100;
        setup.standing.phase = Phase::Lottery;
        setup.extra = Extra::Anywoli { last_seed: None };
        assert_eq!(
            flaws::<Urim>(UrimOptions::default(), &setup),
            [
                Flaw::PitCount {
                    side: Side::South,
                    expected: 6,
                    found: 7
                },
                Flaw::PitOverfull {
                    side: Side::North,
                    pit: Pit(5),
                    most: 17
                },
                Flaw::SeedTotal {
                    expected: 36,
                    found: 38
                },
                Flaw::Turn,
                Flaw::Quiet { limit: 100 },
                Flaw::Extra {
                    expected: "no fields of its own"
                },
                Flaw::ForeignPhase,
            ]
        );
    }
}
