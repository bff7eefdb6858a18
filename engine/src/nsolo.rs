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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
            Phase::Over(outcome) => inspection.demand_outcome(outcome, |reason, winner| {
                let BySide { south, north } = &position.sides;
                match reason {
                    Reason::AllCaptured if position.sides[winner.other()].is_empty() => {
                        return Some(Outcome::win(winner, 1, reason));
                    }
                    Reason::BothStuck if !south.can_move() && !north.can_move() => {}
                    Reason::NeverEnding | Reason::Repetition | Reason::Quiet => {}
                    _ => return None,
                }
                Some(Outcome::draw(reason))
            }),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, flaws};
    use crate::{Game, PitSet};

    type Picture = Case<Nsolo>;

    fn columns(columns: u32) -> NsoloOptions {
        NsoloOptions {
            columns: NsoloColumns::new(columns).expect("8 to 36"),
            ..NsoloOptions::default()
        }
    }

    /// Two seeds lie in each pit but the rightmost inner one: eight a column less four.
    #[test]
    fn the_start() {
        for (count, empty, seeds) in [(8, "B8", 60), (13, "B13", 100), (36, "B36", 284)] {
            let start = Nsolo::start(columns(count), Side::North);
            let empty = start.shape().pit(empty).expect("on the board");
            let board = start.setup().board;
            for side in Side::ALL {
                for (pit, &held) in (0..).map(Pit).zip(&board.pits[side]) {
                    assert_eq!(held, if pit == empty { 0 } else { 2 }, "{pit:?}");
                }
            }
            let in_pits = board.pits.as_ref().map(|pits| pits.iter().sum());
            assert_eq!(in_pits, BySide::both(seeds / 2));
            assert_eq!(start.moves().len() as u32, 2 * count - 1);
            assert_eq!(start.standing, Standing::start(Side::North, Phase::Play));
        }
    }

    // Laps, captures and strips.

    /// A last seed in an occupied pit goes on from there.
    #[test]
    fn relays() {
        let relay = Picture::drawn(
            "
            . . . . . . . 3      . . . . . . . 3
            . . . . . . . 3      . . . . . . . 3
            . . . . . . . 1  ->  . . . . . 1 1 .
            . . . . 2 . 1 .      . . . . . 1 . 1
            ",
        );
        relay
            .play("A5")
            .tells("A5 sows 2 to A7; A7 sows 2 to B8; B8 sows 2 to B6; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// The sixteenth seed of a lap falls into the pit it was lifted from.
    #[test]
    fn a_lap_of_sixteen_ends_where_it_began() {
        let round = Picture::drawn(
            "
            2  . . . . . . .      2 . . . . . . .
            .  . . . . . . .      . . . . . . . .
            .  . . . . . . .  ->  1 1 1 1 1 1 1 1
            16 . . . . . . .      1 1 1 1 1 1 1 1
            ",
        );
        round.play("A1").tells("A1 sows 16 to A1; north's turn");
    }

    /// An end in the outer row captures nothing, nor one in an inner pit that faces an
    /// empty one, whatever lies behind that.
    #[test]
    fn ends_that_capture_nothing() {
        let outer = Picture::drawn(
            "
            . . 3 . . . . .      . . 3 . . . . .
            . . 3 . . . . .      . . 3 . . . . .
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      . 1 1 . . . . .
            ",
        );
        outer
            .play("A1")
            .tells("A1 sows 2 to A3; north's turn")
            .leaves("north to play, turn 10, quiet 1");
        let behind = Picture::drawn(
            "
            . . . . . . . 4      . . . . . . . 4
            . . . . . . . .      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1
            ",
        );
        behind.play("A7").tells("A7 sows 2 to B8; north's turn");
    }

    /// North has two seeds in B1 and five elsewhere.
    const CAPTURE: &str = "
        3 . . . . . . 1      3 . . . . . . 1
        . . 1 . . . . 2      . . 1 . . . . .
        . . . . . . . .  ->  . . . . . . . 1
        2 . . . . . 2 .      2 . . . . . . 1 [2]
        ";

    /// An end in an empty inner pit takes the seeds of the inner pit that faces it,
    /// nothing behind. The mover then has as many more to strip, and the turn goes on.
    #[test]
    fn a_capture_is_followed_by_a_strip() {
        Picture::drawn(CAPTURE)
            .quiet(50)
            .play("A7")
            .tells("A7 sows 2 to B8; south takes north's B1 2; to strip 2")
            .leaves("south to strip 2, turn 9, quiet 50");
    }

    /// The stripped seeds go to the mover's store, from any pits, and the turn is over.
    #[test]
    fn a_strip_ends_the_turn() {
        let strip = Picture::drawn(
            "
            3 . . . . . . 1      2 . . . . . . 1
            . . 1 . . . . 2      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            2 . . . . . 2 .      2 . . . . . . 1 [4]
            ",
        );
        strip
            .quiet(50)
            .having_played(&["A7"])
            .play("strip A8 1 B6 1")
            .tells("south strips A8 1, B6 1; north's turn")
            .leaves("north to play, turn 10, quiet 0");
    }

    /// Any split of the seeds due may be stripped, and no other: of three pits with
    /// one, three and one seeds, two may be taken in four ways.
    #[test]
    fn every_split_of_a_strip() {
        let game = Picture::drawn(CAPTURE).having_played(&["A7"]).game();
        let held = [(Pit(0), 1), (Pit(7), 3), (Pit(10), 1)];
        let mut splits = Vec::new();
        for numbers in (0..5 * 5 * 5).map(|number| [number % 5, number / 5 % 5, number / 25]) {
            let pits = held.iter().zip(numbers);
            let take: Vec<(Pit, u32)> = pits
                .clone()
                .filter(|&(_, seeds)| seeds > 0)
                .map(|(&(pit, _), seeds)| (pit, seeds))
                .collect();
            let strip = Action::Strip { take };
            let fits = pits.clone().all(|(&(_, held), seeds)| seeds <= held);
            if !fits || numbers.iter().sum::<u32>() != 2 {
                assert_eq!(game.check(&strip), Err(Refusal::BadStrip), "{numbers:?}");
                continue;
            }
            let mut after = game.clone();
            after.play(&strip).expect("a split of two");
            let board = after.position().setup().board;
            for (&(pit, held), seeds) in pits {
                assert_eq!(board.pits.north[pit.index()], held - seeds, "{numbers:?}");
            }
            assert_eq!(board.stores.south, 4);
            splits.push(numbers);
        }
        assert_eq!(splits, [[1, 1, 0], [0, 2, 0], [1, 0, 1], [0, 1, 1]]);
    }

    /// The order in which a strip names its pits is no matter.
    #[test]
    fn a_strip_in_any_order() {
        let game = Picture::drawn(CAPTURE).having_played(&["A7"]).game();
        let after = |take: &[(Pit, u32)]| {
            let mut after = game.clone();
            let take = take.to_vec();
            after.play(&Action::Strip { take }).expect("a split of two");
            after
        };
        let [a1, b6] = [(Pit(0), 1), (Pit(10), 1)];
        assert_eq!(after(&[a1, b6]), after(&[b6, a1]));
    }

    /// A strip names pits that are there, each once, some seeds of each but no more
    /// than it holds, and adds up to what is due.
    #[test]
    fn bad_strips() {
        let due = Picture::drawn(CAPTURE).having_played(&["A7"]);
        let strip = |pit, seeds| Action::Strip {
            take: vec![(Pit(pit), seeds)],
        };
        due.refuses(Action::Strip { take: vec![] }, Refusal::BadStrip)
            .refuses(strip(16, 2), Refusal::BadStrip)
            .refuses(strip(128, 2), Refusal::BadStrip)
            .refuses(
                Action::Strip {
                    take: vec![(Pit::NOWHERE, 2)],
                },
                Refusal::BadStrip,
            )
            .refuses("strip A8 1 A8 1", Refusal::BadStrip)
            .refuses("strip A1 2", Refusal::BadStrip)
            .refuses("strip B1 2", Refusal::BadStrip)
            .refuses("strip A8 2 A1 0", Refusal::BadStrip)
            .refuses("strip A8 1", Refusal::BadStrip)
            .refuses("strip A8 3", Refusal::BadStrip)
            .refuses("strip A8 2 A1 1", Refusal::BadStrip)
            .refuses(strip(7, u32::MAX), Refusal::BadStrip)
            .refuses(strip(7, 2 + 65_536), Refusal::BadStrip);
    }

    /// Where no more are left than are due, all of them go without asking, and north
    /// has lost: here just as many, two.
    #[test]
    fn the_last_seeds_go_without_asking() {
        let as_many = Picture::drawn(
            "
            1 . . . . . . .      . . . . . . . .
            . . 1 . . . . 2      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1 [4]
            ",
        );
        as_many
            .play("A7")
            .tells(
                "A7 sows 2 to B8; south takes north's B1 2; south strips A8 1, B6 1;
                 south wins 1 (all_captured)",
            )
            .leaves("south wins 1 (all_captured)");
    }

    /// Or fewer, or none at all.
    #[test]
    fn fewer_left_than_are_due() {
        let fewer = Picture::drawn(
            "
            1 . . . . . . .      . . . . . . . .
            . . . . . . . 2      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1 [3]
            ",
        );
        fewer.play("A7").tells(
            "A7 sows 2 to B8; south takes north's B1 2; south strips A8 1;
             south wins 1 (all_captured)",
        );
        let none = Picture::drawn(
            "
            . . . . . . . .      . . . . . . . .
            . . . . . . . 2      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1 [2]
            ",
        );
        none.play("A7")
            .tells("A7 sows 2 to B8; south takes north's B1 2; south wins 1 (all_captured)");
    }

    /// A strip that leaves single seeds leaves one that can move: the pit that was
    /// captured is empty, and the last seed before it is not blocked.
    #[test]
    fn a_strip_leaves_a_move() {
        let almost_full = Picture::drawn(
            "
            2 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . 2 .      . . . . . . . 1 [2]
            ",
        );
        almost_full
            .having_played(&["A7"])
            .play("strip A8 1")
            .tells("south strips A8 1; north's turn")
            .leaves("north to play, turn 10, quiet 0");
    }

    // Single seeds.

    /// A side that has a pit of two or more may not move a single seed.
    #[test]
    fn singles_wait_for_bigger_pits() {
        Picture::drawn(
            "
            2 . . . . . . .
            . . . . . . . .
            . . . . . . . .
            1 . . 2 . . 1 .
            ",
        )
        .offers("A4")
        .refuses("A1", Refusal::Singleton);
    }

    /// With nothing bigger left a single seed moves into an empty pit only: A1 is
    /// blocked by A2, and B1 by A1, which comes after it.
    #[test]
    fn blocked_singles() {
        let singles = Picture::drawn(
            "
            2 . . . . . . .      2 . . . . . . .
            . . . . . . . .      . . . . . . . .
            1 . . . . . . .  ->  1 . . . . . . .
            1 1 . . . . . .      1 . 1 . . . . .
            ",
        );
        singles
            .offers("A2")
            .refuses("A1", Refusal::SingletonBlocked)
            .refuses("B1", Refusal::SingletonBlocked);
        singles.play("A2").tells("A2 sows 1 to A3; north's turn");
    }

    /// A single seed captures as any other.
    #[test]
    fn a_single_seed_may_capture() {
        let single = Picture::drawn(
            "
            4 . . . . . . .      4 . . . . . . .
            . . . . . . . 3      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . 1
            . . . . . . . 1      . . . . . . . . [3]
            ",
        );
        single
            .play("A8")
            .tells("A8 sows 1 to B8; south takes north's B1 3; to strip 3");
    }

    // Stuck sides.

    /// North is stuck: single seeds only, and each is blocked by the next. It passes,
    /// and south is to move again.
    #[test]
    fn a_stuck_side_passes() {
        let stuck = Picture::drawn(
            "
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      . 1 1 . . . . .
            ",
        );
        stuck
            .play("A1")
            .tells("A1 sows 2 to A3; north's turn; north passes")
            .leaves("south to play, turn 11, quiet 1");
    }

    /// Sixteen seeds sown round are stuck too.
    const BOTH_STUCK: &str = "
        1  1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
        1  1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
        .  . . . . . . .  ->  1 1 1 1 1 1 1 1
        16 . . . . . . .      1 1 1 1 1 1 1 1
        ";

    /// Where neither side has a move the game is drawn.
    #[test]
    fn both_sides_stuck() {
        Picture::drawn(BOTH_STUCK)
            .play("A1")
            .tells("A1 sows 16 to A1; draw (both_stuck)")
            .leaves("draw (both_stuck)");
    }

    // Ends that hold in every game.

    /// A turn that runs past ten thousand laps is not carried out, and the game is drawn.
    #[test]
    fn a_never_ending_turn_is_a_draw() {
        let endless = Picture::drawn(
            "
            2 2 2 2 2 2 2 2      2 2 2 2 2 2 2 2
            . . . . . . . .      . . . . . . . .
            1 2 1 4 2 3 2 1  ->  1 2 1 4 2 3 2 1
            . 1 . 1 . 4 1 .      . 1 . 1 . 4 1 .
            ",
        );
        endless
            .play("B5")
            .tells("draw (never_ending)")
            .leaves("draw (never_ending)");
    }

    /// Ten seeds a side that go once round and come to lie as before, by A1 and A8 in
    /// turn. Every lap but the last ends in an occupied pit, the last in the outer row,
    /// so nothing is captured.
    const SHUFFLE: &str = "
        1 1 . 1 . 1 . 2      1 1 . 1 . 1 . 2
        1 . 1 . 1 . 1 .      1 . 1 . 1 . 1 .
        . 1 . 1 . 1 . 1  ->  . 1 . 1 . 1 . 1
        2 . 1 . 1 . 1 1      2 . 1 . 1 . 1 1
        ";

    /// The second time that a position stands at the start of a turn the game is drawn.
    #[test]
    fn the_second_occurrence_is_a_draw() {
        Picture::drawn(SHUFFLE)
            .having_played(&["A1", "A1", "A8"])
            .play("A8")
            .tells(
                "A8 sows 2 to B7; B7 sows 2 to B5; B5 sows 2 to B3; B3 sows 2 to B1;
                 B1 sows 2 to A2; A2 sows 2 to A4; A4 sows 2 to A6; A6 sows 2 to A8;
                 south's turn; draw (repetition)",
            )
            .leaves("draw (repetition)");
    }

    /// A turn that begins by a pass is an occurrence, one that begins by a lost turn is
    /// none.
    #[test]
    fn repetition_by_passes_and_lost_turns() {
        let north_stuck = "
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            . 1 . 1 . 1 . 1  ->  . 1 . 1 . 1 . 1
            2 . 1 . 1 . 1 1      2 . 1 . 1 . 1 1
            ";
        Picture::drawn(north_stuck)
            .having_played(&["A1"])
            .play("A8")
            .leaves("draw (repetition)");
        Picture::drawn(SHUFFLE)
            .having_played(&["A1", "lose turn", "A8"])
            .play("lose turn")
            .tells("north loses the turn")
            .leaves("south to play, turn 13, quiet 2");
    }

    /// At the quiet limit the game is drawn.
    #[test]
    fn the_quiet_limit_is_a_draw() {
        let quiet = Picture::drawn(
            "
            2 . . . . . . .      2 . . . . . . .
            . . . . . . . .      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      . 1 1 . . . . .
            ",
        );
        quiet
            .quiet(199)
            .play("A1")
            .tells("A1 sows 2 to A3; draw (quiet)")
            .leaves("draw (quiet)");
    }

    /// Of several ends that a turn brings, the game's own comes first, be it a draw,
    /// then the quiet limit, then repetition.
    #[test]
    fn the_order_of_ends() {
        Picture::drawn(BOTH_STUCK)
            .quiet(199)
            .play("A1")
            .leaves("draw (both_stuck)");
        Picture::drawn(SHUFFLE)
            .quiet(196)
            .having_played(&["A1", "A1", "A8"])
            .play("A8")
            .leaves("draw (quiet)");
    }

    // Lost turns.

    /// A lost turn gives the move away; from a stuck side it comes back.
    #[test]
    fn lost_turns() {
        let both_can = Picture::drawn(
            "
            2 . . . . . . .      2 . . . . . . .
            . . . . . . . .      . . . . . . . .
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      2 . . . . . . .
            ",
        );
        both_can
            .quiet(199)
            .play("lose turn")
            .tells("south loses the turn")
            .leaves("north to play, turn 10, quiet 199");
        let only_south_can = Picture::drawn(
            "
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1
            . . . . . . . .  ->  . . . . . . . .
            2 . . . . . . .      2 . . . . . . .
            ",
        );
        only_south_can
            .play("lose turn")
            .tells("south loses the turn; north passes")
            .leaves("south to play, turn 11, quiet 0");
    }

    // The largest board.

    /// The pits of a side of 36 columns by label; all others are empty.
    fn side_of_36(pits: &[(&str, u32)]) -> Vec<u32> {
        let shape = Shape::four_rows(36);
        let mut list = vec![0; 72];
        for &(label, seeds) in pits {
            list[shape.pit(label).expect("on the board").index()] = seeds;
        }
        list
    }

    /// A pit may hold far more than 255 seeds on 36 columns, and is stripped like any
    /// other: south's A36 takes the five that face B36, then five of 277.
    #[test]
    fn a_strip_from_a_pit_above_255_seeds() {
        let mut setup = Nsolo::start(columns(36), Side::South).setup();
        setup.board.pits.south = side_of_36(&[("A36", 1), ("B1", 1)]);
        setup.board.pits.north = side_of_36(&[("A1", 277), ("B1", 5)]);
        let mut game = Game::<Nsolo>::from_setup(columns(36), &setup).expect("sound");
        game.play(&Action::sow(Pit(35))).expect("legal");
        assert_eq!(game.position().standing().phase, Phase::Strip { seeds: 5 });
        let strip = |seeds| Action::Strip {
            take: vec![(Pit(0), seeds)],
        };
        for wrong in [4, 6, 5 + 256, 5 + 65_536, 277, 278, u32::MAX] {
            assert_eq!(game.check(&strip(wrong)), Err(Refusal::BadStrip), "{wrong}");
        }
        game.play(&strip(5)).expect("five are due");
        let after = game.position().setup().board;
        assert_eq!(after.pits.south, side_of_36(&[("B36", 1), ("B1", 1)]));
        assert_eq!(after.pits.north, side_of_36(&[("A1", 272)]));
        assert_eq!(after.stores.south, 10);
    }

    /// Nor does a capture overflow: 270 seeds in an inner pit, twelve elsewhere, all go.
    #[test]
    fn a_capture_of_a_pit_above_255_seeds() {
        let mut setup = Nsolo::start(columns(36), Side::South).setup();
        setup.board.pits.south = side_of_36(&[("A36", 1), ("B1", 1)]);
        setup.board.pits.north = side_of_36(&[("A1", 12), ("B1", 270)]);
        let mut game = Game::<Nsolo>::from_setup(columns(36), &setup).expect("sound");
        game.play(&Action::sow(Pit(35))).expect("legal");
        let after = game.position().setup().board;
        assert_eq!(after.pits.north, [0; 72]);
        assert_eq!(after.stores.south, 282);
        let won = Outcome::win(Side::South, 1, Reason::AllCaptured);
        assert_eq!(game.outcome(), Some(&won));
    }

    /// The last of 72 pits is followed by the first: B1 is blocked by A1.
    #[test]
    fn singles_on_the_largest_board() {
        let mut setup = Nsolo::start(columns(36), Side::South).setup();
        setup.board.pits.south = side_of_36(&[("A36", 1), ("B1", 1), ("A1", 1)]);
        setup.board.pits.north = side_of_36(&[("A1", 281)]);
        let game = Game::<Nsolo>::from_setup(columns(36), &setup).expect("sound");
        let expected: PitSet = [Pit(0), Pit(35)].into_iter().collect();
        assert_eq!(game.moves().forward, expected);
        let blocked = game.check(&Action::sow(Pit(71)));
        assert_eq!(blocked, Err(Refusal::SingletonBlocked));
    }

    // Refusals.

    /// Of several reasons to refuse, the first is named.
    #[test]
    fn the_order_of_refusals() {
        let bigger = "
            2 . . . . . . .
            . . . . . . . .
            . . . . . . . .
            1 . 2 . . . . .
            ";
        Picture::drawn(bigger)
            .phase(Phase::Over(Outcome::draw(Reason::Quiet)))
            .refuses(Action::sow(Pit(99)), Refusal::GameOver)
            .refuses("strip A1 99", Refusal::GameOver);
        Picture::drawn(bigger)
            .refuses("A1 koneeza", Refusal::WrongPhase)
            .refuses("strip A1 99", Refusal::WrongPhase)
            .refuses(Action::sow_reverse(Pit(16)), Refusal::NoSuchPit)
            .refuses("A2 reverse", Refusal::EmptyPit)
            .refuses("A1 reverse", Refusal::Singleton)
            .refuses("A3 reverse", Refusal::NotAllowed);
    }

    /// While a strip is due nothing else may be played, and no turn is lost.
    #[test]
    fn only_a_strip_while_one_is_due() {
        Picture::drawn(CAPTURE)
            .having_played(&["A7"])
            .offers("")
            .refuses("A1", Refusal::WrongPhase)
            .refuses(Action::sow(Pit(99)), Refusal::WrongPhase)
            .refuses("lose turn", Refusal::WrongPhase);
    }

    // Positions that cannot stand.

    /// A side without seeds has lost, so the game cannot go on.
    #[test]
    fn flaw_a_side_without_seeds() {
        let nothing = Picture::drawn(
            "
            2 . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            ",
        );
        let side = Side::South;
        assert_eq!(nothing.flaws(), [Flaw::NoSeeds { side }]);
    }

    /// A stuck side would have passed.
    #[test]
    fn flaw_no_move() {
        let stuck = Picture::drawn(BOTH_STUCK).mover(Side::North);
        assert_eq!(stuck.flaws(), [Flaw::NoMove]);
    }

    /// A game is won by one point over a side without seeds; all else is a draw.
    #[test]
    fn flaw_an_outcome_that_the_game_does_not_bring() {
        let win = |points, reason| Outcome::win(Side::South, points, reason);
        let captured = "
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            1 2 . . . . . .
            ";
        Picture::drawn(captured)
            .may_end(&[
                win(1, Reason::AllCaptured),
                Outcome::draw(Reason::NeverEnding),
                Outcome::draw(Reason::Repetition),
                Outcome::draw(Reason::Quiet),
            ])
            .cannot_end(&[
                win(2, Reason::AllCaptured),
                win(1, Reason::Immobilised),
                Outcome::win(Side::North, 1, Reason::AllCaptured),
                Outcome::draw(Reason::AllCaptured),
                Outcome::draw(Reason::BothStuck),
                Outcome::void(Reason::Quiet),
            ]);
        let stuck = "
            1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1
            ";
        Picture::drawn(stuck)
            .may_end(&[Outcome::draw(Reason::BothStuck)])
            .cannot_end(&[win(1, Reason::AllCaptured), win(1, Reason::BothStuck)]);
    }

    /// A strip takes some seeds but leaves some, and follows a capture of as many.
    #[test]
    fn flaw_a_strip_that_is_not_due() {
        let with = |store: u32, seeds| {
            let mut setup = Picture::drawn(
                "
                2 . . . . . . .
                . . 1 . . . . .
                . . . . . . . 1
                . . . . . . . 1
                ",
            )
            .setup();
            setup.board.stores = BySide {
                south: store,
                north: 55 - store,
            };
            setup.standing.phase = Phase::Strip { seeds };
            flaws::<Nsolo>(columns(8), &setup)
        };
        assert_eq!(with(2, 2), []);
        let why = "a strip takes one seed or more and leaves the opponent some";
        assert_eq!(with(2, 0), [Flaw::Impossible(why)]);
        assert_eq!(with(3, 3), [Flaw::Impossible(why)]);
        let store = Flaw::Store {
            side: Side::South,
            why: "as many seeds as are to be stripped were captured just before",
        };
        assert_eq!(with(1, 2), [store]);
    }

    /// Everything that is wrong is told at once.
    #[test]
    fn several_flaws_at_once() {
        let mut setup = Nsolo::start(columns(9), Side::South).setup();
        setup.board.pits.south.fill(0);
        setup.standing.turn = 0;
        setup.standing.quiet = 200;
        setup.extra = Extra::Anywoli { last_seed: None };
        let pit_count = |side| Flaw::PitCount {
            side,
            expected: 16,
            found: 18,
        };
        assert_eq!(
            flaws::<Nsolo>(columns(8), &setup),
            [
                pit_count(Side::South),
                pit_count(Side::North),
                Flaw::SeedTotal {
                    expected: 60,
                    found: 34
                },
                Flaw::Turn,
                Flaw::Quiet { limit: 200 },
                Flaw::Extra {
                    expected: "no fields of its own"
                },
                Flaw::NoSeeds { side: Side::South },
            ]
        );
    }
}
