//! Anywoli, after Pankhurst (1971).
//!
//! Two rows of twelve pits, four seeds in each: 96. A player lifts any pit of the own
//! row and sows forward round all 24 pits. A pit that a seed other than the lap's last
//! brings to exactly four is captured at once by its owner. A pit that the last seed
//! brings to four is captured by the mover, whoever owns it; the lap ends and the mover
//! has another turn. A last seed in an empty pit ends the turn, in any other it relays.
//!
//! A player whose row is empty passes. As soon as a capture leaves four seeds in play,
//! the turn stops and they go to a store, by option to whose capture it was, to the side
//! that last captured with a lap's last seed, or by lot. More seeds wins.

use crate::circuit::belongs_to_play;
use crate::history::Key;
use crate::position::{Played, check_phase, check_pit, verdict_of_stores};
use crate::setup::Inspection;
use crate::trace::sweep_rows;
use crate::{
    Action, BadPosition, Board, BySide, Capture, Destination, Direction, Extra, Flaw, LAPS_MAX,
    Lap, Mancala, Moves, Options, Outcome, Phase, Pit, PitSet, Place, Position, QuietLimit, Reason,
    Recorder, Refusal, Setup, Shape, Side, Source, Standing, Step, Verdict,
};

/// Who gets the last four seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LastFour {
    /// Whoever made the capture that left them.
    #[default]
    LastCapture,
    /// Whoever last captured with a lap's last seed; where nobody did, as
    /// [`LastFour::LastCapture`].
    LastSeed,
    /// A side drawn by lot.
    Lottery,
}

/// What may be chosen about a game of Anywoli.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AnywoliOptions {
    /// Who gets the last four seeds.
    pub last_four: LastFour,
    /// After how many quiet turns in a row the rows are counted.
    pub quiet_limit: QuietLimit,
}

impl Default for AnywoliOptions {
    fn default() -> AnywoliOptions {
        AnywoliOptions {
            last_four: LastFour::default(),
            quiet_limit: QuietLimit::TWO_ROWS,
        }
    }
}

/// A position of Anywoli.
///
/// ```
/// use mancala_engine::{Action, Anywoli, AnywoliOptions, Game, Pit, Position, Side};
/// let mut game = Game::<Anywoli>::start(AnywoliOptions::default(), Side::South);
/// assert_eq!(game.moves().len(), 12);
/// game.play(&Action::sow(Pit(0)))?;
/// assert_eq!(game.to_move(), Side::North);
/// # Ok::<(), mancala_engine::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Anywoli {
    rows: Rows,
    stores: BySide<u32>,
    last_seed: Option<Side>,
    standing: Standing,
    options: AnywoliOptions,
}

/// Both rows in sowing order: south's pits, then north's.
type Rows = [u8; 2 * COLUMNS];

const COLUMNS: usize = 12;
const SHAPE: Shape = Shape::two_rows(COLUMNS as u8);
const SEEDS: u32 = 96;
/// With so few seeds in play the game is over.
const LAST: u32 = 4;

impl Position for Anywoli {
    type Options = AnywoliOptions;

    fn start(options: AnywoliOptions, first: Side) -> Anywoli {
        Anywoli {
            rows: [4; 2 * COLUMNS],
            stores: BySide::both(0),
            last_seed: None,
            standing: Standing::start(first, Phase::Play),
            options,
        }
    }

    fn from_setup(options: AnywoliOptions, setup: &Setup) -> Result<Anywoli, BadPosition> {
        let phase = setup.standing.phase;
        let hand = if phase == Phase::Lottery { LAST } else { 0 };
        let limit = options.quiet_limit.get();
        let mut inspection = Inspection::new(setup, SHAPE, SEEDS, SEEDS, hand, limit);
        let Extra::Anywoli { last_seed } = setup.extra else {
            inspection.demand(false, || Flaw::Extra {
                expected: "`last_seed`",
            });
            return Err(inspection.finish().expect_err("a flaw was just noted"));
        };
        let mut rows = [0; 2 * COLUMNS];
        let [south, north] = Side::ALL.map(|side| &setup.board.pits[side]);
        for (pit, &seeds) in rows.iter_mut().zip(south.iter().chain(north)) {
            *pit = seeds.min(u32::from(u8::MAX)) as u8;
        }
        let position = Anywoli {
            rows,
            stores: setup.board.stores,
            last_seed,
            standing: setup.standing,
            options,
        };
        if phase.outcome().is_none() {
            for side in Side::ALL {
                inspection.demand(setup.board.stores[side].is_multiple_of(4), || Flaw::Store {
                    side,
                    why: "seeds are captured by fours",
                });
            }
        }
        match phase {
            Phase::Over(outcome) => {
                inspection.demand_empty_pits();
                inspection.demand_outcome(outcome, |reason, _| match reason {
                    Reason::LastFour | Reason::NeverEnding | Reason::Repetition | Reason::Quiet => {
                        Some(position.outcome_of_stores(reason))
                    }
                    _ => None,
                });
            }
            Phase::Play if inspection.sound() => {
                inspection.demand(position.in_play() > LAST, || {
                    Flaw::Impossible("with four seeds in play the game would have ended before")
                });
                inspection.demand(!position.moves().is_empty(), || Flaw::NoMove);
            }
            Phase::Play => {}
            Phase::Lottery => {
                inspection.demand(options.last_four == LastFour::Lottery, || {
                    Flaw::ForeignPhase
                });
                inspection.demand(rows == [0; 2 * COLUMNS], || {
                    Flaw::Impossible("when the lot is due, all pits are empty")
                });
            }
            _ => inspection.demand(false, || Flaw::ForeignPhase),
        }
        inspection.finish().map(|()| position)
    }

    fn setup(&self) -> Setup {
        let row = |side| self.row(side).iter().map(|&seeds| u32::from(seeds));
        Setup {
            board: Board {
                pits: BySide::from_fn(|side| row(side).collect()),
                stores: self.stores,
            },
            standing: self.standing,
            extra: Extra::Anywoli {
                last_seed: self.last_seed,
            },
        }
    }

    fn mancala(&self) -> Mancala {
        Mancala::Anywoli
    }

    fn options(&self) -> Options {
        Options::Anywoli(self.options)
    }

    fn shape(&self) -> Shape {
        SHAPE
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    #[inline]
    fn moves(&self) -> Moves {
        if self.standing.phase != Phase::Play {
            return Moves::NONE;
        }
        let mut set = 0_u32;
        for (pit, &seeds) in self.row(self.standing.to_move).iter().enumerate() {
            set |= u32::from(seeds > 0) << pit;
        }
        Moves::forward(PitSet(u128::from(set)))
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        let phase = &self.standing.phase;
        let lottery = matches!(action, Action::Lottery { .. }) && *phase == Phase::Lottery;
        check_phase(phase, lottery || belongs_to_play(action, phase))?;
        match action {
            Action::Sow { pit, dir } => {
                let row = self.row(self.standing.to_move);
                check_pit(SHAPE, *pit, |pit| u32::from(row[pit.index()]))?;
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
            Action::Lottery { to } => self.lottery(*to, recorder),
            Action::LoseTurn => self.lose_turn(recorder),
            _ => Played::no_occurrence(false),
        }
    }

    /// The seeds in each row go to the store of its owner.
    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        let rows = BySide::from_fn(|side| self.in_row(side));
        sweep_rows(recorder, rows);
        for side in Side::ALL {
            self.stores[side] += rows[side];
        }
        self.rows = [0; 2 * COLUMNS];
        self.end(reason, recorder);
    }

    #[inline]
    fn key(&self) -> u64 {
        let word = |eight: usize| {
            let pits = &self.rows[8 * eight..8 * eight + 8];
            u64::from_le_bytes(pits.try_into().expect("eight pits"))
        };
        Key::new(self.standing.to_move as u64)
            .with(word(0), word(1))
            .with(word(2), 0)
            .finish()
    }

    fn occurrences_to_end(&self) -> usize {
        2
    }
}

/// How the sowing of a turn came to its end.
enum Landing {
    /// In an empty pit.
    Empty,
    /// Four were captured with the last seed.
    Captured,
    /// A capture by this side left the last four, with so many of them in hand.
    Last { by: Side, hand: u32 },
    /// Never.
    NeverEnding,
}

/// What one turn has done to the board so far.
struct Sowing {
    rows: Rows,
    stores: BySide<u32>,
    last_seed: Option<Side>,
    in_play: u32,
}

impl Anywoli {
    #[inline]
    fn sow<R: Recorder>(&mut self, pit: Pit, recorder: &mut R) -> Played {
        let me = self.standing.to_move;
        let mut sowing = Sowing {
            rows: self.rows,
            stores: self.stores,
            last_seed: self.last_seed,
            in_play: self.in_play(),
        };
        let in_play_before = sowing.in_play;
        let landing = sowing.sow(me, pit.index() % COLUMNS, recorder);
        let captured = sowing.in_play < in_play_before;
        if let Landing::NeverEnding = landing {
            recorder.discard();
            self.end_by(Reason::NeverEnding, recorder);
            return Played::no_occurrence(false);
        }
        self.rows = sowing.rows;
        self.stores = sowing.stores;
        if let Landing::Last { by, hand } = landing {
            self.last_four(by, sowing.last_seed, hand, recorder);
            return Played::no_occurrence(true);
        }
        self.last_seed = sowing.last_seed;
        self.standing.count_quiet(captured);
        if self.standing.quiet >= self.options.quiet_limit.get() {
            self.end_by(Reason::Quiet, recorder);
            return Played::no_occurrence(captured);
        }
        self.standing.next_turn();
        if let Landing::Captured = landing {
            self.standing.to_move = me;
            recorder.step(|| Step::ExtraTurn { side: me });
        } else {
            recorder.step(|| Step::Turn { side: me.other() });
        }
        self.pass_if_empty(recorder);
        Played::turn(captured)
    }

    /// A side with an empty row passes. There are seeds in play, so the other has some.
    #[inline]
    fn pass_if_empty<R: Recorder>(&mut self, recorder: &mut R) {
        let side = self.standing.to_move;
        if *self.row(side) == [0; COLUMNS] {
            self.standing.next_turn();
            recorder.step(|| Step::Pass { side });
        }
    }

    /// Only four seeds are left in play, on the board and in hand, by a capture of `by`.
    fn last_four<R: Recorder>(
        &mut self,
        by: Side,
        last_seed: Option<Side>,
        hand: u32,
        recorder: &mut R,
    ) {
        let to = match self.options.last_four {
            LastFour::LastCapture => Some(by),
            LastFour::LastSeed => Some(last_seed.unwrap_or(by)),
            LastFour::Lottery => None,
        };
        let in_rows = Side::ALL.map(|side| (Source::from(side), self.in_row(side)));
        for (from, seeds) in in_rows.into_iter().chain([(Source::Hand, hand)]) {
            if seeds > 0 {
                recorder.step(|| Step::Sweep { from, seeds, to });
            }
        }
        self.rows = [0; 2 * COLUMNS];
        if let Some(side) = to {
            self.stores[side] += LAST;
            self.end(Reason::LastFour, recorder);
        } else {
            self.standing.phase = Phase::Lottery;
            recorder.step(|| Step::Choice {
                phase: Phase::Lottery,
            });
        }
    }

    fn lottery<R: Recorder>(&mut self, to: Side, recorder: &mut R) -> Played {
        self.stores[to] += LAST;
        recorder.step(|| Step::Sweep {
            from: Source::Aside,
            seeds: LAST,
            to: Some(to),
        });
        self.end(Reason::LastFour, recorder);
        Played::no_occurrence(false)
    }

    fn lose_turn<R: Recorder>(&mut self, recorder: &mut R) -> Played {
        let side = self.standing.to_move;
        self.standing.next_turn();
        recorder.step(|| Step::LostTurn { side });
        self.pass_if_empty(recorder);
        Played::no_occurrence(false)
    }

    fn end<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        let outcome = self.outcome_of_stores(reason);
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
    }

    /// How the stores, in which all seeds are, decide the game.
    fn outcome_of_stores(&self, reason: Reason) -> Outcome {
        match verdict_of_stores(self.stores.south, self.stores.north) {
            Verdict::Win(side) => Outcome::win(side, 1, reason),
            _ => Outcome::draw(reason),
        }
    }

    fn in_play(&self) -> u32 {
        SEEDS - self.stores.sum()
    }

    fn row(&self, side: Side) -> &[u8; COLUMNS] {
        let (south, north) = self.rows.split_at(COLUMNS);
        let row = match side {
            Side::South => south,
            Side::North => north,
        };
        row.try_into().expect("half of the pits")
    }

    fn in_row(&self, side: Side) -> u32 {
        self.row(side).iter().map(|&seeds| u32::from(seeds)).sum()
    }
}

/// The place of a pit counted round both rows.
fn place(index: usize) -> Place {
    let (side, pit) = if index < COLUMNS {
        (Side::South, index)
    } else {
        (Side::North, index - COLUMNS)
    };
    Place {
        side,
        pit: Pit(pit as u16),
    }
}

impl Sowing {
    /// Sows from a pit of `me`, lap after lap, to the end of the turn.
    #[inline]
    fn sow<R: Recorder>(&mut self, me: Side, pit: usize, recorder: &mut R) -> Landing {
        let mut start = match me {
            Side::South => pit,
            Side::North => COLUMNS + pit,
        };
        for _ in 0..LAPS_MAX {
            let seeds = u32::from(std::mem::take(&mut self.rows[start]));
            let mut end = start;
            let mut on_the_way = 0;
            for fallen in 1..=seeds {
                end = if end + 1 == 2 * COLUMNS { 0 } else { end + 1 };
                self.rows[end] += 1;
                if self.rows[end] == 4 && fallen < seeds {
                    let owner = place(end).side;
                    self.capture(end, owner);
                    on_the_way += 1;
                    recorder.step(|| capture_step(owner, place(end), Some(fallen)));
                    if self.in_play <= LAST {
                        recorder.step_before(on_the_way, || lap_step(start, seeds, fallen, end));
                        return Landing::Last {
                            by: owner,
                            hand: seeds - fallen,
                        };
                    }
                }
            }
            recorder.step_before(on_the_way, || lap_step(start, seeds, seeds, end));
            match self.rows[end] {
                4 => {
                    self.capture(end, me);
                    self.last_seed = Some(me);
                    recorder.step(|| capture_step(me, place(end), None));
                    return if self.in_play <= LAST {
                        Landing::Last { by: me, hand: 0 }
                    } else {
                        Landing::Captured
                    };
                }
                0 | 1 => return Landing::Empty,
                _ => start = end,
            }
        }
        Landing::NeverEnding
    }

    /// The four seeds of a pit go to a store.
    #[inline]
    fn capture(&mut self, index: usize, by: Side) {
        self.rows[index] = 0;
        self.stores[by] += 4;
        self.in_play -= 4;
    }
}

fn lap_step(start: usize, seeds: u32, sown: u32, end: usize) -> Step {
    let Place { side, pit } = place(start);
    Step::Lap(Lap {
        side,
        pit,
        lifted: true,
        seeds,
        sown,
        dir: Direction::Forward,
        end: place(end),
        passed: Vec::new(),
    })
}

fn capture_step(by: Side, place: Place, after: Option<u32>) -> Step {
    Step::Capture(Capture {
        by,
        side: place.side,
        pits: vec![(place.pit, 4)],
        to: Destination::Store,
        after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, flaws};

    type Picture = Case<Anywoli>;

    fn last_four(last_four: LastFour) -> AnywoliOptions {
        AnywoliOptions {
            last_four,
            ..AnywoliOptions::default()
        }
    }

    fn last_seed(side: Side) -> Extra {
        Extra::Anywoli {
            last_seed: Some(side),
        }
    }

    // Laps and captures.

    /// A pit that a seed on the way brings to four is captured at once, by its owner:
    /// A12 by south, who sows, and A1 of north by north.
    #[test]
    fn fours_on_the_way_go_to_the_owner_of_the_pit() {
        let on_the_way = Picture::drawn(
            "
            [80] 7 . . . . . . . . . . 3      [84] 7 . . . . . . . . . 1 .
                 . . . . . . . . . . 3 3  ->       . . . . . . . . . . . . [4]
            ",
        );
        on_the_way
            .play("A11")
            .tells(
                "A11 sows 3 to north's A2; south takes south's A12 4 after 1;
                 north takes north's A1 4 after 2; north's turn",
            )
            .leaves("north to play, turn 10, quiet 0, last seed: nobody");
    }

    /// A pit that the last seed brings to four is captured by the mover, who has another
    /// turn.
    #[test]
    fn a_four_by_the_last_seed_goes_to_the_mover() {
        let own_row = Picture::drawn(
            "
            4 . . . . . . . . . . .      4 . . . . . . . . . . .
            1 3 . . . . . . . . . 4  ->  . . . . . . . . . . . 4 [4]
            ",
        );
        own_row
            .play("A1")
            .tells("A1 sows 1 to A2; south takes south's A2 4; south again")
            .leaves("south to play, turn 10, quiet 0, last seed: south");
    }

    /// Also where the pit is the opponent's.
    #[test]
    fn a_four_by_the_last_seed_is_taken_from_either_row() {
        let others_row = Picture::drawn(
            "
            4 . . . . . . . . . . 3      4 . . . . . . . . . . .
            4 . . . . . . . . . . 1  ->  4 . . . . . . . . . . . [4]
            ",
        );
        others_row
            .play("A12")
            .tells("A12 sows 1 to north's A1; south takes north's A1 4; south again")
            .leaves("south to play, turn 10, quiet 0, last seed: south");
    }

    /// Four seeds that lie in a pit are captured by nobody. One more makes five, which
    /// are lifted if it was the lap's last.
    #[test]
    fn four_that_were_not_just_made_are_not_captured() {
        let lies = Picture::drawn(
            "
            4 . . . . . . . . . . .      4 . . . . . . . . . . .
            2 4 . 2 . . . . . . . .  ->  . 5 1 2 . . . . . . . .
            ",
        );
        lies.play("A1")
            .tells("A1 sows 2 to A3; north's turn")
            .leaves("north to play, turn 10, quiet 1, last seed: nobody");
        let five = Picture::drawn(
            "
            4 . . . . . . . . . . .      4 . . . . . . . . . . .
            1 4 . . . 3 . . . . . .  ->  . . 1 1 1 . 1 . . . . . [4]
            ",
        );
        five.play("A1").tells(
            "A1 sows 1 to A2; A2 sows 5 to A7; south takes south's A6 4 after 4; north's turn",
        );
    }

    /// A last seed in an occupied pit goes on from there, in the opponent's row too.
    #[test]
    fn relay_from_the_opponents_row() {
        let relay = Picture::drawn(
            "
            4 . . . . . . . . . . 1      4 . . . . . . . . 1 1 .
            2 . . . . . . . . . . 1  ->  2 . . . . . . . . . . .
            ",
        );
        relay
            .play("A12")
            .tells("A12 sows 1 to north's A1; north's A1 sows 2 to north's A3; north's turn");
    }

    /// The pit just lifted is not skipped: the twenty-fourth seed falls into it and ends
    /// there.
    #[test]
    fn a_lap_of_twenty_four_ends_where_it_began() {
        let round = Picture::drawn(
            "
            . . .  . . . . . . . . .      1 1 1 1 1 1 1 1 1 1 1 1
            . . 24 . . . . . . . . .  ->  1 1 1 1 1 1 1 1 1 1 1 1
            ",
        );
        round
            .play("A3")
            .tells("A3 sows 24 to A3; north's turn")
            .leaves("north to play, turn 10, quiet 1, last seed: nobody");
    }

    /// A lap of twenty-five drops one into the lifted pit on its way and ends in the
    /// next, which got one before: twelve relays go round once more.
    #[test]
    fn a_longer_lap_does_not_skip_the_lifted_pit() {
        let round = Picture::drawn(
            "
            [68] .  3 . . . . . . . . . .      [72] . 1 . 2 . 2 . 2 . 2 . 2
                 25 . . . . . . . . . . .  ->       2 1 2 . 2 . 2 . 2 . 2 .
            ",
        );
        round.play("A1").tells(
            "A1 sows 25 to A2; north takes north's A11 4 after 22;
             A2 sows 2 to A4; A4 sows 2 to A6; A6 sows 2 to A8; A8 sows 2 to A10;
             A10 sows 2 to A12; A12 sows 2 to north's A2;
             north's A2 sows 2 to north's A4; north's A4 sows 2 to north's A6;
             north's A6 sows 2 to north's A8; north's A8 sows 2 to north's A10;
             north's A10 sows 2 to north's A12; north's A12 sows 2 to A2; north's turn",
        );
    }

    // Passes.

    /// A side whose row is empty passes; the turn comes back.
    #[test]
    fn an_empty_row_passes() {
        let alone = Picture::drawn(
            "
            . . . . . . . . . . . .      . . . . . . . . . . . .
            1 . . 7 . . . . . . . .  ->  . 1 . 7 . . . . . . . .
            ",
        );
        alone
            .play("A1")
            .tells("A1 sows 1 to A2; north's turn; north passes")
            .leaves("south to play, turn 11, quiet 1, last seed: nobody");
    }

    /// A side that has won another turn with an empty row passes too.
    #[test]
    fn another_turn_with_an_empty_row_passes() {
        let last = Picture::drawn(
            "
            8 . . . . . . . . . . 3      8 . . . . . . . . . . .
            . . . . . . . . . . . 1  ->  . . . . . . . . . . . . [4]
            ",
        );
        last.play("A12")
            .tells("A12 sows 1 to north's A1; south takes north's A1 4; south again; south passes")
            .leaves("north to play, turn 11, quiet 0, last seed: south");
    }

    // The last four.

    /// Eight seeds in play, four of them captured by south's last seed.
    const BY_LAST_SEED: &str = "
        [44] 2 2 . . . . . . . . . .      [44] . . . . . . . . . . . .
             1 3 . . . . . . . . . . [44] ->   . . . . . . . . . . . . [52]
        ";

    /// Eight in play, four captured by south on the way, with two in hand.
    const ON_THE_WAY: &str = "
        [44] 2 . . . . . . . . . . .      [44] . . . . . . . . . . . .
             . . . . . . . . . . 3 3 [44] ->   . . . . . . . . . . . . [52]
        ";

    /// Standard: the last four seeds go to whoever made the capture that left them.
    #[test]
    fn the_last_four_go_with_the_last_capture() {
        Picture::drawn(BY_LAST_SEED)
            .play("A1")
            .tells(
                "A1 sows 1 to A2; south takes south's A2 4; 4 of north's row to south;
                 south wins 1 (last_four)",
            )
            .leaves("south wins 1 (last_four)");
    }

    /// They do so in the middle of a lap, the seeds in hand among them. Whose capture it
    /// is, not whose turn, decides: A1 of north is north's.
    #[test]
    fn the_last_four_in_the_middle_of_a_lap() {
        Picture::drawn(ON_THE_WAY)
            .extra(last_seed(Side::North))
            .play("A11")
            .tells(
                "A11 sows 1 of 3 to A12; south takes south's A12 4 after 1;
                 2 of north's row to south; 2 of the hand to south; south wins 1 (last_four)",
            )
            .leaves("south wins 1 (last_four)");
        let by_owner = Picture::drawn(
            "
            [44] . . . . . . . . . . . 3      [52] . . . . . . . . . . . .
                 2 . . . . . . . . . . 3 [44] ->   . . . . . . . . . . . . [44]
            ",
        );
        by_owner.play("A12").tells(
            "A12 sows 1 of 3 to north's A1; north takes north's A1 4 after 1;
             2 of south's row to north; 2 of the hand to north; north wins 1 (last_four)",
        );
    }

    /// By option they go to the side that was last to capture with a lap's last seed;
    /// the capture that leaves them counts.
    #[test]
    fn the_last_four_go_with_the_last_seed() {
        Picture::with(last_four(LastFour::LastSeed), BY_LAST_SEED)
            .extra(last_seed(Side::North))
            .play("A1")
            .leaves("south wins 1 (last_four)");
        let on_the_way = Picture::with(
            last_four(LastFour::LastSeed),
            "
            [44] 2 . . . . . . . . . . .      [48] . . . . . . . . . . . .
                 . . . . . . . . . . 3 3 [44] ->   . . . . . . . . . . . . [48]
            ",
        );
        on_the_way
            .extra(last_seed(Side::North))
            .play("A11")
            .tells(
                "A11 sows 1 of 3 to A12; south takes south's A12 4 after 1;
                 2 of north's row to north; 2 of the hand to north; draw (last_four)",
            )
            .leaves("draw (last_four)");
    }

    /// Where nobody has captured so, they go with the last capture.
    #[test]
    fn the_last_four_where_nobody_captured_with_a_last_seed() {
        Picture::with(last_four(LastFour::LastSeed), ON_THE_WAY)
            .play("A11")
            .leaves("south wins 1 (last_four)");
    }

    /// By option a lot is due for them: they lie in neither store, and all else stands
    /// as before the turn.
    #[test]
    fn the_last_four_wait_for_the_lot() {
        let due = Picture::with(
            last_four(LastFour::Lottery),
            "
            [44] 2 2 . . . . . . . . . .      [44] . . . . . . . . . . . .
                 1 3 . . . . . . . . . . [44] ->   . . . . . . . . . . . . [48]
            ",
        );
        due.quiet(7)
            .extra(last_seed(Side::North))
            .play("A1")
            .tells(
                "A1 sows 1 to A2; south takes south's A2 4; 4 of north's row to nobody;
                 the lot is due",
            )
            .leaves("south the lot is due, turn 9, quiet 7, last seed: north");
    }

    /// So do they when seeds of them were in hand.
    #[test]
    fn the_lot_for_seeds_in_hand() {
        let due = Picture::with(
            last_four(LastFour::Lottery),
            "
            [44] 2 . . . . . . . . . . .      [44] . . . . . . . . . . . .
                 . . . . . . . . . . 3 3 [44] ->   . . . . . . . . . . . . [48]
            ",
        );
        due.play("A11").tells(
            "A11 sows 1 of 3 to A12; south takes south's A12 4 after 1;
             2 of north's row to nobody; 2 of the hand to nobody; the lot is due",
        );
    }

    /// The lot's answer comes as an action, and ends the game. Nothing else may be
    /// played, and no turn is lost, while it is due.
    #[test]
    fn the_lot_decides() {
        let due =
            |picture| Picture::with(last_four(LastFour::Lottery), picture).phase(Phase::Lottery);
        due("
            [44] . . . . . . . . . . . .      [48] . . . . . . . . . . . .
                 . . . . . . . . . . . . [48] ->   . . . . . . . . . . . . [48]
            ")
        .play("lottery north")
        .tells("4 of the seeds put aside to north; draw (last_four)")
        .leaves("draw (last_four)");
        due("
            [44] . . . . . . . . . . . .      [44] . . . . . . . . . . . .
                 . . . . . . . . . . . . [48] ->   . . . . . . . . . . . . [52]
            ")
        .refuses("A1", Refusal::WrongPhase)
        .refuses("lose turn", Refusal::WrongPhase)
        .offers("")
        .play("lottery south")
        .leaves("south wins 1 (last_four)");
    }

    /// Who captured last with a last seed is remembered under every option; captures
    /// on the way do not change it.
    #[test]
    fn the_memory_of_the_last_seed() {
        let last = "
            8 . . . . . . . . . . .      8 . . . . . . . . . . .
            1 3 . . . . . . . . . .  ->  . . . . . . . . . . . . [4]
            ";
        for rule in [LastFour::LastCapture, LastFour::LastSeed, LastFour::Lottery] {
            Picture::with(last_four(rule), last)
                .extra(last_seed(Side::North))
                .play("A1")
                .leaves("north to play, turn 11, quiet 0, last seed: south");
        }
        let on_the_way = Picture::drawn(
            "
            8 . . . . . . . . . . .      8 . . . . . . . . . . .
            2 3 . 3 . . . . . . . .  ->  . . 1 3 . . . . . . . . [4]
            ",
        );
        on_the_way
            .extra(last_seed(Side::North))
            .play("A1")
            .tells("A1 sows 2 to A3; south takes south's A2 4 after 1; north's turn")
            .leaves("north to play, turn 10, quiet 0, last seed: north");
    }

    /// Forty-eight seeds each are a draw.
    #[test]
    fn equal_stores_are_a_draw() {
        let equal = Picture::drawn(
            "
            [48] 2 2 . . . . . . . . . .      [48] . . . . . . . . . . . .
                 1 3 . . . . . . . . . . [40] ->   . . . . . . . . . . . . [48]
            ",
        );
        equal.play("A1").leaves("draw (last_four)");
    }

    // Ends that hold in every game.

    /// Eight single seeds, three pits apart. In these moves of both sides in turn, each
    /// goes on by three pits; those that leave a row make up for those that come.
    const WHEEL: &str = "
        [48] . . 1 . . 1 . . 1 . . 1      [52] . . . . . . . . . . . .
             1 . . 1 . . 1 . . 1 . . [40] ->   . . . . . . . . . . . . [44]
        ";
    const TURN_OF_THE_WHEEL: [&str; 12] = [
        "A10", "A11", "A1", "A12", "A7", "A8", "A9", "A4", "A5", "A6", "A2", "A3",
    ];

    /// All moves of both sides but the last.
    fn almost_round() -> Vec<&'static str> {
        let both = TURN_OF_THE_WHEEL.iter().flat_map(|&pit| [pit, pit]);
        both.take(23).collect()
    }

    /// The second time that a position stands the seeds in each row go to its owner.
    #[test]
    fn the_second_occurrence_ends_the_game() {
        Picture::drawn(WHEEL)
            .having_played(&almost_round())
            .play("A3")
            .tells(
                "A3 sows 1 to A4; south's turn; 4 of south's row to south;
                 4 of north's row to north; north wins 1 (repetition)",
            )
            .leaves("north wins 1 (repetition)");
    }

    /// At the quiet limit they do so too; it comes before repetition.
    #[test]
    fn the_quiet_limit_ends_the_game() {
        let quiet = Picture::drawn(
            "
            [44] 5 . . . . . . . . . . .      [49] . . . . . . . . . . . .
                 3 . . . . . . . . . . . [44] ->   . . . . . . . . . . . . [47]
            ",
        );
        quiet
            .quiet(99)
            .play("A1")
            .tells(
                "A1 sows 3 to A4; 3 of south's row to south; 5 of north's row to north;
                 north wins 1 (quiet)",
            )
            .leaves("north wins 1 (quiet)");
        Picture::drawn(WHEEL)
            .quiet(76)
            .having_played(&almost_round())
            .play("A3")
            .leaves("north wins 1 (quiet)");
    }

    /// A capture on the way, by either side, is not quiet.
    #[test]
    fn a_capture_by_the_opponent_is_not_quiet() {
        let norths = Picture::drawn(
            "
            7 . . . . . . . . . . 3      [88] 7 . . . . . . . . . 1 .
            . . . . . . . . . . . 2  ->       . . . . . . . . . . . .
            ",
        );
        norths
            .quiet(99)
            .play("A12")
            .leaves("north to play, turn 10, quiet 0, last seed: nobody");
    }

    /// A capture by anyone clears the list of earlier positions.
    #[test]
    fn a_capture_forgets_earlier_positions() {
        let mut game = Picture::drawn(
            "
            1 . . . . . . . . . . 3
            7 . . . . . . . . . . 1
            ",
        )
        .game();
        assert_eq!(game.history_keys().len(), 1);
        game.play(&Action::sow(Pit(11))).expect("legal");
        assert_eq!(game.history_keys(), [game.position().key()]);
    }

    // Lost turns.

    /// A lost turn gives the move away; from a side with an empty row it comes back.
    #[test]
    fn lost_turns() {
        Picture::drawn(
            "
            4 . . . . . . . . . . .      4 . . . . . . . . . . .
            4 . . . . . . . . . . .  ->  4 . . . . . . . . . . .
            ",
        )
        .quiet(99)
        .play("lose turn")
        .tells("south loses the turn")
        .leaves("north to play, turn 10, quiet 99, last seed: nobody");
        Picture::drawn(
            "
            . . . . . . . . . . . .      . . . . . . . . . . . .
            4 4 . . . . . . . . . .  ->  4 4 . . . . . . . . . .
            ",
        )
        .quiet(99)
        .play("lose turn")
        .tells("south loses the turn; north passes")
        .leaves("south to play, turn 11, quiet 99, last seed: nobody");
    }

    // Refusals.

    /// Of several reasons to refuse, the first is named.
    #[test]
    fn the_order_of_refusals() {
        let picture = "
            4 . . . . . . . . . . .
            1 . . . . . . . . . . 3
            ";
        Picture::drawn(COUNTED)
            .phase(Phase::Over(Outcome::draw(Reason::Quiet)))
            .refuses(Action::sow(Pit(99)), Refusal::GameOver)
            .refuses("lottery south", Refusal::GameOver);
        Picture::drawn(picture)
            .offers("A1, A12")
            .refuses("lottery south", Refusal::WrongPhase)
            .refuses("A1 koneeza", Refusal::WrongPhase)
            .refuses(Action::sow_reverse(Pit(12)), Refusal::NoSuchPit)
            .refuses("A2 reverse", Refusal::EmptyPit)
            .refuses("A1 reverse", Refusal::NotAllowed);
    }

    // Positions that cannot stand.

    /// The board of a game that is over, the stores equal.
    const COUNTED: &str = "
        [48] . . . . . . . . . . . .
             . . . . . . . . . . . . [48]
        ";

    /// When the game is over the stores have all seeds and decide: one point for more
    /// than half.
    #[test]
    fn flaw_an_outcome_that_the_stores_do_not_bring() {
        const SOUTH: Side = Side::South;
        Picture::drawn(COUNTED)
            .may_end(&[
                Outcome::draw(Reason::LastFour),
                Outcome::draw(Reason::NeverEnding),
            ])
            .cannot_end(&[
                Outcome::win(SOUTH, 1, Reason::LastFour),
                Outcome::void(Reason::Quiet),
                Outcome::draw(Reason::NoMove),
                Outcome::draw(Reason::AllCaptured),
            ]);
        let more = "
            [47] . . . . . . . . . . . .
                 . . . . . . . . . . . . [49]
            ";
        Picture::drawn(more)
            .may_end(&[
                Outcome::win(SOUTH, 1, Reason::Repetition),
                Outcome::win(SOUTH, 1, Reason::Quiet),
            ])
            .cannot_end(&[
                Outcome::win(SOUTH, 2, Reason::Quiet),
                Outcome::win(Side::North, 1, Reason::Quiet),
                Outcome::draw(Reason::Quiet),
            ]);
        let not_counted = "
            [48] . . . . . . . . . . . .
                 1 . . . . . . . . . . . [47]
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

    /// Seeds are captured by fours.
    #[test]
    fn flaw_a_store_that_fours_do_not_make() {
        let odd = Picture::drawn(
            "
            [43] 4 . . . . . . . . . . .
                 4 . . . . . . . . . . . [45]
            ",
        );
        let why = "seeds are captured by fours";
        let stores = Side::ALL.map(|side| Flaw::Store { side, why });
        assert_eq!(odd.flaws(), stores);
    }

    /// With four seeds in play the game is over.
    #[test]
    fn flaw_only_four_seeds_in_play() {
        let four = Picture::drawn(
            "
            2 . . . . . . . . . . .
            2 . . . . . . . . . . .
            ",
        );
        let why = "with four seeds in play the game would have ended before";
        assert_eq!(four.flaws(), [Flaw::Impossible(why)]);
    }

    /// A side with an empty row would have passed.
    #[test]
    fn flaw_no_move() {
        let empty = Picture::drawn(
            "
            8 . . . . . . . . . . .
            . . . . . . . . . . . .
            ",
        );
        assert_eq!(empty.flaws(), [Flaw::NoMove]);
    }

    /// The lot is due only where the options say so, and with nothing in the pits.
    #[test]
    fn flaw_a_lot_that_is_not_due() {
        let due = "
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            ";
        let lottery = last_four(LastFour::Lottery);
        let with = |options| Picture::with(options, due).phase(Phase::Lottery);
        assert_eq!(with(lottery).flaws(), []);
        assert_eq!(
            with(AnywoliOptions::default()).flaws(),
            [Flaw::ForeignPhase]
        );
        let seeds_left = Picture::with(
            lottery,
            "
            4 . . . . . . . . . . .
            . . . . . . . . . . . .
            ",
        )
        .phase(Phase::Lottery);
        let why = "when the lot is due, all pits are empty";
        assert_eq!(seeds_left.flaws(), [Flaw::Impossible(why)]);
    }

    /// Everything that is wrong is told at once.
    #[test]
    fn several_flaws_at_once() {
        let mut setup = Picture::drawn(
            "
            [40] 4 . . . . . . . . . . .
                 4 . . . . . . . . . . . [45]
            ",
        )
        .setup();
        setup.board.pits.north.pop();
        setup.standing.turn = u32::MAX;
        setup.standing.quiet = 100;
        setup.standing.phase = Phase::Arrange;
        assert_eq!(
            flaws::<Anywoli>(AnywoliOptions::default(), &setup),
            [
                Flaw::PitCount {
                    side: Side::North,
                    expected: 12,
                    found: 11
                },
                Flaw::SeedTotal {
                    expected: 96,
                    found: 89
                },
                Flaw::Turn,
                Flaw::Quiet { limit: 100 },
                Flaw::Store {
                    side: Side::South,
                    why: "seeds are captured by fours"
                },
                Flaw::ForeignPhase,
            ]
        );
        setup.extra = Extra::None {};
        let flaws = flaws::<Anywoli>(AnywoliOptions::default(), &setup);
        assert_eq!(
            flaws[4],
            Flaw::Extra {
                expected: "`last_seed`"
            }
        );
    }
}
