//! A position as plain data, which may be nonsense, and what is wrong with it.

use crate::{BySide, Outcome, Phase, Pit, Reason, Shape, Side};
use std::fmt;

/// The seeds of a board: in the pits, by pit number, and in the stores. In games
/// without stores of their own, a store counts what its side has captured.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Board {
    /// Seeds in each pit of each side.
    pub pits: BySide<Vec<u32>>,
    /// Seeds in each side's store.
    pub stores: BySide<u32>,
}

/// Whose turn it is, which one, and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Standing {
    /// The side to move.
    pub to_move: Side,
    /// The number of the turn, from 1. Passes and another turn count, arranging does not.
    pub turn: u32,
    /// Turns in a row in which nobody captured.
    pub quiet: u32,
    /// What kind of action is due.
    pub phase: Phase,
}

impl Standing {
    /// Where a game begins.
    pub(crate) const fn start(first: Side, phase: Phase) -> Standing {
        Standing {
            to_move: first,
            turn: 1,
            quiet: 0,
            phase,
        }
    }

    /// The turn passes to the other side. Its number stays at the highest that a setup
    /// may have, so that what a game comes to is a sound setup again.
    #[inline]
    pub(crate) fn next_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.turn = self.turn.saturating_add(1).min(TURN_MAX);
    }

    /// Counts the turn that ends as quiet, or not.
    #[inline]
    pub(crate) fn count_quiet(&mut self, captured: bool) {
        self.quiet = if captured { 0 } else { self.quiet + 1 };
    }
}

/// What a position of some games carries beyond the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum Extra {
    /// Nothing: Urim, Bao Kigogo, Nsolo.
    None {},
    /// Omweso's memory of captures.
    Omweso {
        /// Has anyone captured in this game? True from the capture on.
        captured: bool,
        /// The turns in which each side captured, counted when they end.
        captures: BySide<u32>,
    },
    /// Anywoli's memory for its last four seeds.
    Anywoli {
        /// The side that last captured with a lap's last seed.
        last_seed: Option<Side>,
    },
}

/// A position as plain data, as it comes from JSON or an editor. It may be nonsense:
/// [`Game::from_setup`](crate::Game::from_setup) makes a game of it or says every
/// reason why not.
///
/// ```
/// use mancala_engine::{Game, Setup, Urim, UrimOptions};
/// let setup: Setup = serde_json::from_str(
///     r#"{"pits": {"south": [0,0,0,0,0,1], "north": [1,1,0,0,0,0]},
///         "stores": {"south": 16, "north": 17},
///         "to_move": "south", "turn": 40, "quiet": 3, "phase": {"kind": "play"}}"#,
/// )?;
/// let game = Game::<Urim>::from_setup(UrimOptions::default(), &setup).unwrap();
/// assert_eq!(game.position().setup(), setup);
/// # use mancala_engine::Position;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Where the seeds are.
    pub board: Board,
    /// Whose turn it is.
    pub standing: Standing,
    /// What the game adds.
    pub extra: Extra,
}

/// One thing that is wrong with a [`Setup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A side has another number of pits than the board.
    PitCount {
        /// The side.
        side: Side,
        /// Pits of a side of this board.
        expected: usize,
        /// Pits given.
        found: usize,
    },
    /// The seeds do not add up to those of the game.
    SeedTotal {
        /// Seeds of the game.
        expected: u64,
        /// Seeds given.
        found: u64,
    },
    /// A pit holds more than a pit of this game can.
    PitOverfull {
        /// The side.
        side: Side,
        /// The pit.
        pit: Pit,
        /// What a pit can hold.
        most: u32,
    },
    /// A store holds what captures of this game cannot have brought.
    Store {
        /// The side.
        side: Side,
        /// Why not.
        why: &'static str,
    },
    /// The turn is 0, or above a thousand million; or more turns are counted.
    Turn,
    /// The quiet count has reached the limit.
    Quiet {
        /// The limit.
        limit: u32,
    },
    /// The fields that the game adds are missing, or belong to another game.
    Extra {
        /// What the game has.
        expected: &'static str,
    },
    /// The game has no such phase, or not with these options.
    ForeignPhase,
    /// A side of a four-row game has no seeds.
    NoSeeds {
        /// The side.
        side: Side,
    },
    /// The side to move has no move it may play.
    NoMove,
    /// A game with these options cannot end so.
    Outcome(Outcome),
    /// Anything else that cannot be, in a sentence.
    Impossible(&'static str),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::PitCount {
                side,
                expected,
                found,
            } => write!(
                f,
                "{side} has {found} pits, this board has {expected} a side"
            ),
            Flaw::SeedTotal { expected, found } => write!(
                f,
                "the pits, the stores and the hand hold {found} seeds, the game has {expected}"
            ),
            Flaw::PitOverfull { side, pit, most } => {
                write!(f, "pit {} of {side} holds more than {most} seeds", pit.0)
            }
            Flaw::Store { side, why } => write!(f, "the store of {side}: {why}"),
            Flaw::Turn => write!(f, "turns count from 1 to {TURN_MAX}"),
            Flaw::Quiet { limit } => write!(
                f,
                "the game would have ended when the quiet count reached its limit of {limit}"
            ),
            Flaw::Extra { expected } => write!(f, "a position of this game has {expected}"),
            Flaw::ForeignPhase => {
                f.write_str("this game does not have this phase with these options")
            }
            Flaw::NoSeeds { side } => write!(f, "{side} has no seeds, so the game is over"),
            Flaw::NoMove => f.write_str("the side to move has no move it may play"),
            Flaw::Outcome(outcome) => write!(f, "no game with these options ends so: {outcome}"),
            Flaw::Impossible(why) => f.write_str(why),
        }
    }
}

/// A setup cannot stand in a game (code `bad_position`): every reason why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPosition {
    /// At least one.
    pub flaws: Vec<Flaw>,
}

impl BadPosition {
    /// The stable code for programs.
    pub const CODE: &'static str = "bad_position";
}

impl fmt::Display for BadPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, flaw) in self.flaws.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            flaw.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for BadPosition {}

/// Turn numbers end here, far beyond any game.
pub(crate) const TURN_MAX: u32 = 1_000_000_000;

/// Collects what is wrong with a setup.
pub(crate) struct Inspection<'a> {
    setup: &'a Setup,
    flaws: Vec<Flaw>,
}

impl<'a> Inspection<'a> {
    /// Begins with what holds in every game. `seeds` is the total of the game, `most`
    /// what a pit can hold, `hand` the seeds that are neither in pits nor in stores.
    pub(crate) fn new(
        setup: &'a Setup,
        shape: Shape,
        seeds: u32,
        most: u32,
        hand: u32,
        quiet_limit: u32,
    ) -> Inspection<'a> {
        let mut inspection = Inspection {
            setup,
            flaws: Vec::new(),
        };
        for (side, pits) in setup.board.pits.iter() {
            inspection.demand(pits.len() == shape.pits_a_side(), || Flaw::PitCount {
                side,
                expected: shape.pits_a_side(),
                found: pits.len(),
            });
            // Of a list that is too long no more than the board has, to bound the flaws.
            for (number, &held) in (0..).zip(pits).take(shape.pits_a_side()) {
                inspection.demand(held <= most, || Flaw::PitOverfull {
                    side,
                    pit: Pit(number),
                    most,
                });
            }
        }
        let board = &setup.board;
        let found = Side::ALL
            .into_iter()
            .flat_map(|side| board.pits[side].iter().chain([&board.stores[side]]))
            .chain([&hand])
            .map(|&seeds| u64::from(seeds))
            .sum();
        inspection.demand(found == u64::from(seeds), || Flaw::SeedTotal {
            expected: u64::from(seeds),
            found,
        });
        let standing = &setup.standing;
        if standing.phase.outcome().is_none() {
            inspection.demand((1..=TURN_MAX).contains(&standing.turn), || Flaw::Turn);
            inspection.demand(standing.quiet < quiet_limit, || Flaw::Quiet {
                limit: quiet_limit,
            });
        }
        inspection
    }

    /// Notes the flaw unless the demand holds.
    pub(crate) fn demand(&mut self, holds: bool, flaw: impl FnOnce() -> Flaw) {
        if !holds {
            self.flaws.push(flaw());
        }
    }

    /// A side of a four-row game has seeds as long as the game goes on.
    pub(crate) fn demand_seeds_on_both_sides(&mut self) {
        for (side, pits) in self.setup.board.pits.iter() {
            let some = pits.iter().any(|&seeds| seeds > 0);
            self.demand(some, || Flaw::NoSeeds { side });
        }
    }

    /// A game that is over ended with what its reason brings in this game, if anything.
    /// `brought` is told the reason and the side that has won, if it is one to win by.
    /// It is asked only if everything held so far.
    pub(crate) fn demand_outcome(
        &mut self,
        outcome: Outcome,
        brought: impl FnOnce(Reason, Side) -> Option<Outcome>,
    ) {
        if self.sound() {
            let winner = outcome.winner().unwrap_or(Side::South);
            let holds = brought(outcome.reason(), winner) == Some(outcome);
            self.demand(holds, || Flaw::Outcome(outcome));
        }
    }

    /// A game that counts its stores has all seeds in them when it is over.
    pub(crate) fn demand_empty_pits(&mut self) {
        let mut pits = self.setup.board.pits.iter();
        let empty = pits.all(|(_, pits)| pits.iter().all(|&seeds| seeds == 0));
        self.demand(empty, || {
            Flaw::Impossible("when the game is over, all seeds are in the stores")
        });
    }

    /// Did everything hold so far? Only then is it safe to make a position of it and
    /// ask that for more.
    pub(crate) fn sound(&self) -> bool {
        self.flaws.is_empty()
    }

    /// The verdict.
    pub(crate) fn finish(self) -> Result<(), BadPosition> {
        if self.flaws.is_empty() {
            Ok(())
        } else {
            Err(BadPosition { flaws: self.flaws })
        }
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;
    use crate::forms::{Object, present};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        pits: BySide<Vec<u32>>,
        stores: BySide<u32>,
        to_move: Side,
        turn: u32,
        quiet: u32,
        phase: Phase,
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        captured: Option<bool>,
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        captures: Option<BySide<u32>>,
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        last_seed: Option<Option<Side>>,
    }

    impl Serialize for Setup {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let (mut captured, mut captures, mut last_seed) = (None, None, None);
            match self.extra {
                Extra::None {} => {}
                Extra::Omweso {
                    captured: ever,
                    captures: turns,
                } => (captured, captures) = (Some(ever), Some(turns)),
                Extra::Anywoli { last_seed: side } => last_seed = Some(side),
            }
            Form {
                pits: self.board.pits.clone(),
                stores: self.board.stores,
                to_move: self.standing.to_move,
                turn: self.standing.turn,
                quiet: self.standing.quiet,
                phase: self.standing.phase,
                captured,
                captures,
                last_seed,
            }
            .serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Setup {
        /// Reads a position of rules' JSON. What cannot be read, a negative number say,
        /// is a `bad_position` too.
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Setup, D::Error> {
            let form = Form::deserialize(Object(deserializer))?;
            let extra = match (form.captured, form.captures, form.last_seed) {
                (None, None, None) => Extra::None {},
                (Some(captured), Some(captures), None) => Extra::Omweso { captured, captures },
                (None, None, Some(last_seed)) => Extra::Anywoli { last_seed },
                _ => {
                    return Err(D::Error::custom(
                        "`captured` and `captures` go together (Omweso), `last_seed` alone (Anywoli)",
                    ));
                }
            };
            Ok(Setup {
                board: Board {
                    pits: form.pits,
                    stores: form.stores,
                },
                standing: Standing {
                    to_move: form.to_move,
                    turn: form.turn,
                    quiet: form.quiet,
                    phase: form.phase,
                },
                extra,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::flaws;
    use crate::{AnyPosition, Mancala, Options, Outcome, Position, Reason};

    /// Changes the start of each game and makes sure that exactly this is found wrong.
    fn check(
        change: impl Fn(Mancala, &mut Setup),
        expected: impl Fn(Mancala, &Setup) -> Vec<Flaw>,
    ) {
        for mancala in Mancala::ALL {
            let options = Options::standard(mancala);
            let start = AnyPosition::start(options, Side::South).setup();
            assert_eq!(flaws::<AnyPosition>(options, &start), [], "{mancala}");
            let mut setup = start.clone();
            change(mancala, &mut setup);
            let found = flaws::<AnyPosition>(options, &setup);
            assert_eq!(found, expected(mancala, &start), "{mancala}");
        }
    }

    fn seeds(start: &Setup) -> u64 {
        let pits = Side::ALL.map(|side| start.board.pits[side].iter().sum::<u32>());
        u64::from(pits[0] + pits[1])
    }

    /// Each side has as many pits as the board, here one too few with all seeds there.
    #[test]
    fn flaw_pit_count() {
        check(
            |_, setup| {
                let last = setup.board.pits.north.pop().expect("a pit");
                setup.board.pits.north[0] += last;
            },
            |_, start| {
                let expected = start.board.pits.north.len();
                vec![Flaw::PitCount {
                    side: Side::North,
                    expected,
                    found: expected - 1,
                }]
            },
        );
    }

    /// The seeds add up to those of the game. One more in a pit is one too many.
    #[test]
    fn flaw_seed_total() {
        check(
            |_, setup| setup.board.pits.south[0] += 1,
            |_, start| {
                vec![Flaw::SeedTotal {
                    expected: seeds(start),
                    found: seeds(start) + 1,
                }]
            },
        );
    }

    /// No pit holds more than all seeds, in Urim seventeen; numbers of any size add up
    /// without a slip.
    #[test]
    fn flaw_pit_overfull() {
        check(
            |_, setup| setup.board.pits.south[..2].fill(u32::MAX),
            |mancala, start| {
                let total = seeds(start);
                let most = match mancala {
                    Mancala::Urim => 17,
                    _ => total as u32,
                };
                let replaced = start.board.pits.south[..2].iter().sum::<u32>();
                let overfull = |pit| Flaw::PitOverfull {
                    side: Side::South,
                    pit: Pit(pit),
                    most,
                };
                let total = Flaw::SeedTotal {
                    expected: total,
                    found: total - u64::from(replaced) + 2 * u64::from(u32::MAX),
                };
                vec![overfull(0), overfull(1), total]
            },
        );
    }

    /// Turns count from one to a thousand million.
    #[test]
    fn flaw_turn() {
        for turn in [0, 1_000_000_001, u32::MAX] {
            check(
                |_, setup| setup.standing.turn = turn,
                |_, _| vec![Flaw::Turn],
            );
        }
        check(
            |_, setup| setup.standing.turn = 1_000_000_000,
            |_, _| Vec::new(),
        );
    }

    /// The quiet count has not reached its limit.
    #[test]
    fn flaw_quiet() {
        let limit = |mancala| Options::standard(mancala).quiet_limit();
        check(
            |mancala, setup| setup.standing.quiet = limit(mancala),
            |mancala, _| {
                vec![Flaw::Quiet {
                    limit: limit(mancala),
                }]
            },
        );
        check(
            |mancala, setup| setup.standing.quiet = limit(mancala) - 1,
            |_, _| Vec::new(),
        );
    }

    /// Only Omweso and Anywoli remember more, each its own.
    #[test]
    fn flaw_extra() {
        check(
            |mancala, setup| {
                setup.extra = match mancala {
                    Mancala::Omweso | Mancala::Anywoli => Extra::None {},
                    _ => Extra::Anywoli { last_seed: None },
                };
            },
            |mancala, _| {
                let expected = match mancala {
                    Mancala::Omweso => "`captured` and `captures`",
                    Mancala::Anywoli => "`last_seed`",
                    _ => "no fields of its own",
                };
                vec![Flaw::Extra { expected }]
            },
        );
    }

    /// A phase that the game does not have with these options.
    #[test]
    fn flaw_foreign_phase() {
        check(
            |mancala, setup| {
                setup.standing.phase = match mancala {
                    Mancala::Omweso | Mancala::Anywoli => Phase::Strip { seeds: 1 },
                    _ => Phase::Arrange,
                };
            },
            |_, _| vec![Flaw::ForeignPhase],
        );
    }

    /// A game that is over: by the quiet limit, with the seeds as at the start.
    fn end(mancala: Mancala, setup: &mut Setup) {
        let outcome = match mancala {
            Mancala::Omweso => Outcome::void(Reason::Quiet),
            _ => Outcome::draw(Reason::Quiet),
        };
        setup.standing.phase = Phase::Over(outcome);
        if matches!(mancala, Mancala::Anywoli | Mancala::Urim) {
            let Board { pits, stores } = &mut setup.board;
            for side in Side::ALL {
                stores[side] = pits[side].iter().sum();
                pits[side].fill(0);
            }
        }
    }

    /// Of a game that is over the turn and the quiet count carry no meaning.
    #[test]
    fn a_game_that_is_over() {
        check(
            |mancala, setup| {
                end(mancala, setup);
                setup.standing.turn = 0;
                setup.standing.quiet = u32::MAX;
            },
            |_, _| Vec::new(),
        );
    }

    /// The seeds of a game that is over add up; one seed less was once accepted.
    #[test]
    fn flaw_seed_total_of_a_game_that_is_over() {
        for change in [-1, 1] {
            check(
                |mancala, setup| {
                    end(mancala, setup);
                    let Board { pits, stores } = &mut setup.board;
                    let seeds = match mancala {
                        Mancala::Anywoli | Mancala::Urim => &mut stores.south,
                        _ => &mut pits.south[0],
                    };
                    *seeds = seeds.strict_add_signed(change);
                },
                |_, start| {
                    vec![Flaw::SeedTotal {
                        expected: seeds(start),
                        found: seeds(start).strict_add_signed(change.into()),
                    }]
                },
            );
        }
    }

    /// A game ends only with what its reason brings; Urim won by akawumbi and 200 points
    /// was once accepted.
    #[test]
    fn flaw_an_outcome_that_no_game_brings() {
        let won = |points| Outcome::win(Side::South, points, Reason::Akawumbi);
        let outcomes = [200, 12, 1]
            .map(won)
            .into_iter()
            .chain(Reason::ALL.map(|reason| Outcome::win(Side::South, 0, reason)));
        for outcome in outcomes {
            check(
                |mancala, setup| {
                    end(mancala, setup);
                    setup.standing.phase = Phase::Over(outcome);
                },
                |_, _| vec![Flaw::Outcome(outcome)],
            );
        }
    }

    /// Everything that is wrong is told in one text.
    #[test]
    fn all_flaws_are_told() {
        let bad = BadPosition {
            flaws: vec![Flaw::Turn, Flaw::NoSeeds { side: Side::South }],
        };
        assert_eq!(
            bad.to_string(),
            "turns count from 1 to 1000000000; south has no seeds, so the game is over"
        );
    }
}
