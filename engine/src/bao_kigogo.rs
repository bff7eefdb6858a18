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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
            Phase::Over(outcome) => inspection.demand_outcome(outcome, |reason, winner| {
                let loser = &position.sides[winner.other()];
                match reason {
                    Reason::AllCaptured if loser.is_empty() => {}
                    Reason::Immobilised if !loser.is_empty() && !loser.can_move() => {}
                    Reason::NeverEnding | Reason::Repetition | Reason::Quiet => {
                        return Some(Outcome::draw(reason));
                    }
                    _ => return None,
                }
                Some(Outcome::win(winner, 1, reason))
            }),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, flaws};

    type Picture = Case<BaoKigogo>;

    /// Two seeds lie in each pit but B1: 46 a side, 92 in all.
    #[test]
    fn the_start() {
        let start = BaoKigogo::start(BaoKigogoOptions::default(), Side::North);
        let board = start.setup().board;
        for side in Side::ALL {
            assert_eq!(SHAPE.pit("B1"), Some(Pit(23)));
            assert_eq!(board.pits[side][..23], [2; 23]);
            assert_eq!(board.pits[side][23], 0);
        }
        assert_eq!(start.standing, Standing::start(Side::North, Phase::Play));
        assert_eq!(start.moves().len(), 23);
    }

    // Laps and captures.

    /// A last seed in an occupied pit goes on from there, in the inner row too, whatever
    /// lies on the other side.
    #[test]
    fn relays() {
        let relay = Picture::drawn(
            "
            . . . . . . . . . . . 3      . . . . . . . . . . . 3
            . . . . . . . . . . . 3      . . . . . . . . . . . 3
            . . . . . . . . . . . 1  ->  . . . . . . . . . 1 1 .
            . . . . . . . . 2 . 1 .      . . . . . . . . . 1 . 1
            ",
        );
        relay
            .play("A9")
            .tells("A9 sows 2 to A11; A11 sows 2 to B12; B12 sows 2 to B10; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// An end in an empty pit of the outer row takes nothing.
    #[test]
    fn an_end_in_the_outer_row_captures_nothing() {
        let outer = Picture::drawn(
            "
            . . 3 . . . . . . . . .      . . 3 . . . . . . . . .
            . . 3 . . . . . . . . .      . . 3 . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . .
            2 . . . . . . . . . . .      . 1 1 . . . . . . . . .
            ",
        );
        outer
            .play("A1")
            .tells("A1 sows 2 to A3; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// An end in an empty inner pit takes the seeds of the opponent's inner pit that
    /// faces it, and those of the outer pit behind.
    #[test]
    fn the_file_is_captured() {
        let file = Picture::drawn(
            "
            2 . . . . . . . . . . 4      2 . . . . . . . . . . .
            . . . . . . . . . . . 3      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . 1
            . . . . . . . . . . 2 .      . . . . . . . . . . . 1 [7]
            ",
        );
        file.quiet(50)
            .play("A11")
            .tells("A11 sows 2 to B12; south takes north's B1 3, A1 4; north's turn")
            .leaves("north to play, turn 10, quiet 0");
    }

    /// The inner pit is taken also where nothing lies behind it.
    #[test]
    fn an_inner_pit_is_captured_alone() {
        let inner = Picture::drawn(
            "
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            . . . . . . . . . . . 3      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . 1
            . . . . . . . . . . 2 .      . . . . . . . . . . . 1 [3]
            ",
        );
        inner
            .play("A11")
            .tells("A11 sows 2 to B12; south takes north's B1 3; north's turn");
    }

    /// Outer seeds are never taken alone.
    #[test]
    fn an_outer_pit_is_not_captured_alone() {
        let outer = Picture::drawn(
            "
            2 . . . . . . . . . . 4      2 . . . . . . . . . . 4
            . . . . . . . . . . . .      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . 1
            . . . . . . . . . . 2 .      . . . . . . . . . . . 1
            ",
        );
        outer
            .play("A11")
            .tells("A11 sows 2 to B12; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// North's left is our right: its A11 goes over A12 to B12, which faces B1 of south.
    #[test]
    fn north_captures_as_south_does() {
        let file = Picture::drawn(
            "
            [82] . 2 . . . . . . . . . .      [86] 1 . . . . . . . . . . .
                 . . . . . . . . . . . .           1 . . . . . . . . . . .
                 3 . . . . . . . . . . .  ->       . . . . . . . . . . . .
                 1 . 4 . . . . . . . . .           . . 4 . . . . . . . . .
            ",
        );
        file.mover(Side::North)
            .play("A11")
            .tells("A11 sows 2 to B12; north takes south's B1 3, A1 1; south's turn")
            .leaves("south to play, turn 10, quiet 0");
    }

    /// The twenty-fourth seed of a lap falls into the pit it was lifted from.
    #[test]
    fn a_lap_of_twenty_four_ends_where_it_began() {
        let round = Picture::drawn(
            "
            2  . . . . . . . . . . .      2 . . . . . . . . . . .
            .  . . . . . . . . . . .      . . . . . . . . . . . .
            .  . . . . . . . . . . .  ->  1 1 1 1 1 1 1 1 1 1 1 1
            24 . . . . . . . . . . .      1 1 1 1 1 1 1 1 1 1 1 1
            ",
        );
        round.play("A1").tells("A1 sows 24 to A1; north's turn");
    }

    // Single seeds.

    /// A side that has a pit of two or more may not move a single seed.
    #[test]
    fn singles_wait_for_bigger_pits() {
        Picture::drawn(
            "
            2 . . . . . . . . . . .
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            1 . . 2 . . 1 . . . . .
            ",
        )
        .offers("A4")
        .refuses("A1", Refusal::Singleton)
        .refuses("A7", Refusal::Singleton);
    }

    /// With nothing bigger left a single seed moves, but only into an empty pit: A1 is
    /// blocked by A2, and B1 by A1, which comes after it.
    #[test]
    fn blocked_singles() {
        let singles = Picture::drawn(
            "
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            . . . . . . . . . . . .      . . . . . . . . . . . .
            1 . . . . . . . . . . .  ->  1 . . . . . . . . . . .
            1 1 . . . . . . . . . .      1 . 1 . . . . . . . . .
            ",
        );
        singles
            .offers("A2")
            .refuses("A1", Refusal::SingletonBlocked)
            .refuses("B1", Refusal::SingletonBlocked);
        singles
            .play("A2")
            .tells("A2 sows 1 to A3; north's turn")
            .leaves("north to play, turn 10, quiet 1");
    }

    /// A single seed captures as any other.
    #[test]
    fn a_single_seed_may_capture() {
        let single = Picture::drawn(
            "
            2 . . . . . . . . . . 4      2 . . . . . . . . . . .
            . . . . . . . . . . . 3      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . 1
            . . . . . . . . . . . 1      . . . . . . . . . . . . [7]
            ",
        );
        single
            .play("A12")
            .tells("A12 sows 1 to B12; south takes north's B1 3, A1 4; north's turn");
    }

    // Ends.

    /// A side without seeds has lost.
    #[test]
    fn all_seeds_captured() {
        let last = Picture::drawn(
            "
            . . . . . . . . . . . 4      . . . . . . . . . . . .
            . . . . . . . . . . . 3      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . 1
            . . . . . . . . . . 2 .      . . . . . . . . . . . 1 [7]
            ",
        );
        last.play("A11")
            .tells(
                "A11 sows 2 to B12; south takes north's B1 3, A1 4;
                 south wins 1 (all_captured)",
            )
            .leaves("south wins 1 (all_captured)");
    }

    /// North has single seeds only, and each is blocked by the next: that takes one in
    /// every pit.
    const IMMOBILE: &str = "
        1 1 1 1 1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1 1 1 1 1
        . . . . . . . . . . . .  ->  . . . . . . . . . . . .
        2 . . . . . . . . . . .      . 1 1 . . . . . . . . .
        ";

    /// A side that is to move and cannot has lost.
    #[test]
    fn immobilised() {
        Picture::drawn(IMMOBILE)
            .play("A1")
            .tells("A1 sows 2 to A3; south wins 1 (immobilised)")
            .leaves("south wins 1 (immobilised)");
    }

    /// A turn that runs past ten thousand laps is not carried out, and the game is drawn.
    #[test]
    fn a_never_ending_turn_is_a_draw() {
        let endless = Picture::drawn(
            "
            1 1 1 1 1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1 1 1 1 1
            . . . . . . . . . . . .      . . . . . . . . . . . .
            2 1 . 3 2 3 . 1 . 2 1 2  ->  2 1 . 3 2 3 . 1 . 2 1 2
            1 . 1 2 3 . 1 5 2 3 . 1      1 . 1 2 3 . 1 5 2 3 . 1
            ",
        );
        endless
            .play("B10")
            .tells("draw (never_ending)")
            .leaves("draw (never_ending)");
    }

    /// Fourteen seeds a side that go once round and come to lie as before, by A1 and
    /// A12 in turn. Every lap but the last ends in an occupied pit, the last in the
    /// outer row, so nothing is captured.
    const SHUFFLE: &str = "
        1 1 . 1 . 1 . 1 . 1 . 2      1 1 . 1 . 1 . 1 . 1 . 2
        1 . 1 . 1 . 1 . 1 . 1 .      1 . 1 . 1 . 1 . 1 . 1 .
        . 1 . 1 . 1 . 1 . 1 . 1  ->  . 1 . 1 . 1 . 1 . 1 . 1
        2 . 1 . 1 . 1 . 1 . 1 1      2 . 1 . 1 . 1 . 1 . 1 1
        ";

    /// The second time that a position stands at the start of a turn the game is drawn.
    #[test]
    fn the_second_occurrence_is_a_draw() {
        Picture::drawn(SHUFFLE)
            .having_played(&["A1", "A1", "A12"])
            .play("A12")
            .tells(
                "A12 sows 2 to B11; B11 sows 2 to B9; B9 sows 2 to B7; B7 sows 2 to B5;
                 B5 sows 2 to B3; B3 sows 2 to B1; B1 sows 2 to A2; A2 sows 2 to A4;
                 A4 sows 2 to A6; A6 sows 2 to A8; A8 sows 2 to A10; A10 sows 2 to A12;
                 south's turn; draw (repetition)",
            )
            .leaves("draw (repetition)");
    }

    /// A turn that begins because the other side lost its turn is no occurrence.
    #[test]
    fn lost_turns_do_not_repeat_a_position() {
        Picture::drawn(SHUFFLE)
            .having_played(&["A1", "lose turn", "A12"])
            .play("lose turn")
            .tells("north loses the turn")
            .leaves("south to play, turn 13, quiet 2");
    }

    /// At the quiet limit the game is drawn.
    #[test]
    fn the_quiet_limit_is_a_draw() {
        let quiet = Picture::drawn(
            "
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            . . . . . . . . . . . .      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . .
            2 . . . . . . . . . . .      . 1 1 . . . . . . . . .
            ",
        );
        quiet
            .quiet(199)
            .play("A1")
            .tells("A1 sows 2 to A3; draw (quiet)")
            .leaves("draw (quiet)");
    }

    /// Of several ends that a turn brings, the game's own comes first, then the quiet
    /// limit, then repetition.
    #[test]
    fn the_order_of_ends() {
        Picture::drawn(IMMOBILE)
            .quiet(199)
            .play("A1")
            .leaves("south wins 1 (immobilised)");
        Picture::drawn(SHUFFLE)
            .quiet(196)
            .having_played(&["A1", "A1", "A12"])
            .play("A12")
            .leaves("draw (quiet)");
    }

    // Lost turns.

    /// A lost turn gives the move away and immobilises nobody: from a side that cannot
    /// move it comes back.
    #[test]
    fn lost_turns() {
        let both_can = Picture::drawn(
            "
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            . . . . . . . . . . . .      . . . . . . . . . . . .
            . . . . . . . . . . . .  ->  . . . . . . . . . . . .
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            ",
        );
        both_can
            .quiet(199)
            .play("lose turn")
            .tells("south loses the turn")
            .leaves("north to play, turn 10, quiet 199");
        let only_south_can = Picture::drawn(
            "
            1 1 1 1 1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1 1 1 1 1
            1 1 1 1 1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1 1 1 1 1
            . . . . . . . . . . . .  ->  . . . . . . . . . . . .
            2 . . . . . . . . . . .      2 . . . . . . . . . . .
            ",
        );
        only_south_can
            .play("lose turn")
            .tells("south loses the turn; north passes")
            .leaves("south to play, turn 11, quiet 0");
    }

    // Refusals.

    /// Of several reasons to refuse, the first is named.
    #[test]
    fn the_order_of_refusals() {
        let bigger = "
            2 . . . . . . . . . . .
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            1 . 2 . . . . . . . . .
            ";
        let singles = "
            2 . . . . . . . . . . .
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            1 1 . . . . . . . . . .
            ";
        Picture::drawn(bigger)
            .phase(Phase::Over(Outcome::draw(Reason::Quiet)))
            .refuses(Action::sow(Pit(99)), Refusal::GameOver)
            .refuses("A1 koneeza", Refusal::GameOver);
        Picture::drawn(bigger)
            .refuses("A1 koneeza", Refusal::WrongPhase)
            .refuses("strip A1 1", Refusal::WrongPhase)
            .refuses(Action::sow_reverse(Pit(24)), Refusal::NoSuchPit)
            .refuses("A2 reverse", Refusal::EmptyPit)
            .refuses("A1 reverse", Refusal::Singleton)
            .refuses("A3 reverse", Refusal::NotAllowed);
        Picture::drawn(singles)
            .refuses("A1 reverse", Refusal::SingletonBlocked)
            .refuses("A2 reverse", Refusal::NotAllowed);
    }

    // Positions that cannot stand.

    /// A side without seeds has lost, so the game cannot go on.
    #[test]
    fn flaw_a_side_without_seeds() {
        let nothing = Picture::drawn(
            "
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            2 . . . . . . . . . . .
            ",
        );
        let side = Side::North;
        assert_eq!(nothing.flaws(), [Flaw::NoSeeds { side }]);
    }

    /// The side to move must have a move.
    #[test]
    fn flaw_no_move() {
        let immobile = Picture::drawn(IMMOBILE).mover(Side::North);
        assert_eq!(immobile.flaws(), [Flaw::NoMove]);
    }

    /// A game is won by one point over a side without seeds or, with seeds, without a
    /// move; all else is a draw.
    #[test]
    fn flaw_an_outcome_that_the_game_does_not_bring() {
        let win = |points, reason| Outcome::win(Side::South, points, reason);
        let captured = "
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            . . . . . . . . . . . .
            1 2 . . . . . . . . . .
            ";
        Picture::drawn(captured)
            .may_end(&[win(1, Reason::AllCaptured)])
            .cannot_end(&[
                win(2, Reason::AllCaptured),
                win(1, Reason::Immobilised),
                Outcome::win(Side::North, 1, Reason::AllCaptured),
                Outcome::draw(Reason::AllCaptured),
            ]);
        Picture::drawn(IMMOBILE)
            .may_end(&[
                win(1, Reason::Immobilised),
                Outcome::draw(Reason::NeverEnding),
                Outcome::draw(Reason::Repetition),
                Outcome::draw(Reason::Quiet),
            ])
            .cannot_end(&[
                win(1, Reason::AllCaptured),
                Outcome::win(Side::North, 1, Reason::Immobilised),
                win(1, Reason::Quiet),
                Outcome::void(Reason::Quiet),
                Outcome::draw(Reason::BothStuck),
            ]);
    }

    /// Everything that is wrong is told at once.
    #[test]
    fn several_flaws_at_once() {
        let mut setup = Picture::drawn(IMMOBILE).setup();
        setup.board.pits.south.fill(0);
        setup.board.pits.north[5] = 93;
        setup.standing.turn = 0;
        setup.standing.quiet = 1000;
        setup.standing.phase = Phase::Strip { seeds: 1 };
        setup.extra = Extra::Anywoli { last_seed: None };
        let options = BaoKigogoOptions::default();
        let common = [
            Flaw::PitOverfull {
                side: Side::North,
                pit: Pit(5),
                most: 92,
            },
            Flaw::SeedTotal {
                expected: 92,
                found: 182,
            },
            Flaw::Turn,
            Flaw::Quiet { limit: 200 },
            Flaw::Extra {
                expected: "no fields of its own",
            },
        ];
        let mut expected = common.to_vec();
        expected.push(Flaw::ForeignPhase);
        assert_eq!(flaws::<BaoKigogo>(options, &setup), expected);
        setup.standing.phase = Phase::Play;
        let mut expected = common.to_vec();
        expected.push(Flaw::NoSeeds { side: Side::South });
        assert_eq!(flaws::<BaoKigogo>(options, &setup), expected);
    }
}
