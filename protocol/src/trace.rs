//! How the seeds moved, in the short form of the wire.

use crate::forms::{Pair, Which};
use crate::limits::LAPS_TOLD_MAX;
use mancala_engine::{Board, Destination, Direction, Pit, Shape, Side, Source, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of a trace. What is left out is what it mostly is: `side` and `by` the side
/// that acted, `from` the other side, the way forward, the seeds lifted, all of them sown.
/// A step is known by its first field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Step")]
pub enum WireStep {
    /// A lap: seeds from one pit, one into each that follows.
    Lap {
        /// The pit it starts from, the seeds in hand, and the pit it ends in.
        lap: (u16, u32, u16),
        /// Whose pit it starts from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        side: Option<Side>,
        /// Whose pit it ends in, where that is not the side it starts from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        end_side: Option<Side>,
        /// Sown towards lower numbers?
        #[serde(default, skip_serializing_if = "is_false")]
        reverse: bool,
        /// Were the seeds in hand already (captured), so that the pit is not lifted?
        #[serde(default, skip_serializing_if = "is_false")]
        held: bool,
        /// How many seeds were sown, where the game ended on the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sown: Option<u32>,
        /// The pits passed over: after how many seeds, whose, and which.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Vec<(u32, Which, u16)>")]
        passed: Vec<(u32, Side, u16)>,
    },
    /// A capture: pits and how many seeds each gave.
    Capture {
        /// Pairs of a pit and its seeds.
        capture: Vec<(u16, u32)>,
        /// Who captured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        by: Option<Side>,
        /// Whose pits these were.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        from: Option<Side>,
        /// Into the hand, for the lap that follows, and not into the store?
        #[serde(default, skip_serializing_if = "is_false")]
        hand: bool,
        /// Where it happened in the middle of the lap before it: after how many seeds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u32>,
    },
    /// Seeds of the opponent that went with a capture, into the store.
    Strip {
        /// Pairs of a pit and its seeds.
        strip: Vec<(u16, u32)>,
    },
    /// Omweso's three-seed sowing: the pit lifted.
    Koneeza {
        /// The pit.
        koneeza: u16,
        /// Pairs of a pit and the seeds that fell into it.
        drops: Vec<(u16, u32)>,
    },
    /// A side laid out its seeds.
    Arrange {
        /// What each of its pits holds now.
        arrange: Vec<u32>,
    },
    /// Seeds that left the board at the end of a game without a capture.
    Sweep {
        /// All pits of a side, the hand, or what was put aside for the lot.
        #[schemars(with = "SweepFrom")]
        sweep: SweepFrom,
        /// How many.
        seeds: u32,
        /// Whose store got them; nobody's as long as the lot is due.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        to: Option<Side>,
    },
    /// The side won another turn.
    ExtraTurn {
        /// The side.
        #[schemars(with = "Which")]
        extra_turn: Side,
    },
    /// The side had no move and passed.
    Pass {
        /// The side.
        #[schemars(with = "Which")]
        pass: Side,
    },
    /// The side lost its turn.
    LostTurn {
        /// The side.
        #[schemars(with = "Which")]
        lost_turn: Side,
    },
    /// The turn was longer than is told: the seeds as they stand at its end. Always last.
    Stand {
        /// The pits of both sides.
        #[schemars(with = "Pair<Vec<u32>>")]
        pits: mancala_engine::BySide<Vec<u32>>,
        /// Both stores.
        #[schemars(with = "Pair<u32>")]
        stores: mancala_engine::BySide<u32>,
    },
}

/// Whence seeds are swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SweepFrom {
    /// All pits of south.
    South,
    /// All pits of north.
    North,
    /// The hand of a lap that was cut short.
    Hand,
    /// What was put aside for the lot.
    Aside,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The steps of a trace on the wire. `mover` is the side of the action, `after` the board
/// when all is done, which stands in for laps beyond [`LAPS_TOLD_MAX`].
pub(crate) fn wire_steps(
    steps: &[Step],
    mover: Side,
    after: impl FnOnce() -> Board,
) -> Vec<WireStep> {
    let mut told = Vec::with_capacity(steps.len());
    let mut laps = 0;
    for step in steps {
        if matches!(step, Step::Lap(_)) {
            laps += 1;
            if laps > LAPS_TOLD_MAX {
                let Board { pits, stores } = after();
                told.push(WireStep::Stand { pits, stores });
                return told;
            }
        }
        told.extend(wire_step(step, mover));
    }
    told
}

/// What is said elsewhere in an event (whose turn it is now, what is due, that the game
/// is over) is no step on the wire.
fn wire_step(step: &Step, mover: Side) -> Option<WireStep> {
    let pairs = |pits: &[(Pit, u32)]| pits.iter().map(|&(pit, seeds)| (pit.0, seeds)).collect();
    let unless = |side: Side, usual: Side| (side != usual).then_some(side);
    Some(match step {
        Step::Lap(lap) => WireStep::Lap {
            lap: (lap.pit.0, lap.seeds, lap.end.pit.0),
            side: unless(lap.side, mover),
            end_side: unless(lap.end.side, lap.side),
            reverse: lap.dir == Direction::Reverse,
            held: !lap.lifted,
            sown: (lap.sown != lap.seeds).then_some(lap.sown),
            passed: lap
                .passed
                .iter()
                .map(|passed| (passed.after, passed.place.side, passed.place.pit.0))
                .collect(),
        },
        Step::Capture(capture) => WireStep::Capture {
            capture: pairs(&capture.pits),
            by: unless(capture.by, mover),
            from: unless(capture.side, mover.other()),
            hand: capture.to == Destination::Hand,
            after: capture.after,
        },
        Step::Strip { pits, .. } => WireStep::Strip { strip: pairs(pits) },
        Step::Koneeza { pit, drops, .. } => WireStep::Koneeza {
            koneeza: pit.0,
            drops: pairs(drops),
        },
        Step::Arrange { pits, .. } => WireStep::Arrange {
            arrange: pits.clone(),
        },
        Step::Sweep { from, seeds, to } => WireStep::Sweep {
            sweep: match from {
                Source::South => SweepFrom::South,
                Source::North => SweepFrom::North,
                Source::Hand => SweepFrom::Hand,
                Source::Aside => SweepFrom::Aside,
            },
            seeds: *seeds,
            to: *to,
        },
        Step::ExtraTurn { side } => WireStep::ExtraTurn { extra_turn: *side },
        Step::Pass { side } => WireStep::Pass { pass: *side },
        Step::LostTurn { side } => WireStep::LostTurn { lost_turn: *side },
        Step::Turn { .. } | Step::Choice { .. } | Step::Over { .. } => return None,
    })
}

/// Moves the seeds of a board as the wire says, knowing the walk round the board and
/// nothing of rules. `mover` is the side of the event.
///
/// # Errors
/// The step does not fit the board.
pub fn apply_wire_step(
    board: &mut Board,
    shape: Shape,
    mover: Side,
    step: &WireStep,
) -> Result<(), mancala_engine::TraceMismatch> {
    let step = engine_step(step, mover, board);
    board.apply(shape, &step)
}

fn engine_step(step: &WireStep, mover: Side, board: &mut Board) -> Step {
    use mancala_engine::{Capture, Lap, Passed, Place};
    let pairs = |pits: &[(u16, u32)]| pits.iter().map(|&(pit, seeds)| (Pit(pit), seeds)).collect();
    match step {
        WireStep::Lap {
            lap: (pit, seeds, end),
            side,
            end_side,
            reverse,
            held,
            sown,
            passed,
        } => {
            let side = side.unwrap_or(mover);
            Step::Lap(Lap {
                side,
                pit: Pit(*pit),
                lifted: !held,
                seeds: *seeds,
                sown: sown.unwrap_or(*seeds),
                dir: if *reverse {
                    Direction::Reverse
                } else {
                    Direction::Forward
                },
                end: Place {
                    side: end_side.unwrap_or(side),
                    pit: Pit(*end),
                },
                passed: passed
                    .iter()
                    .map(|&(after, side, pit)| Passed {
                        after,
                        place: Place {
                            side,
                            pit: Pit(pit),
                        },
                    })
                    .collect(),
            })
        }
        WireStep::Capture {
            capture,
            by,
            from,
            hand,
            after,
        } => Step::Capture(Capture {
            by: by.unwrap_or(mover),
            side: from.unwrap_or(mover.other()),
            pits: pairs(capture),
            to: if *hand {
                Destination::Hand
            } else {
                Destination::Store
            },
            after: *after,
        }),
        WireStep::Strip { strip } => Step::Strip {
            by: mover,
            pits: pairs(strip),
        },
        WireStep::Koneeza { koneeza, drops } => Step::Koneeza {
            side: mover,
            pit: Pit(*koneeza),
            drops: pairs(drops),
        },
        WireStep::Arrange { arrange } => Step::Arrange {
            side: mover,
            pits: arrange.clone(),
        },
        WireStep::Sweep { sweep, seeds, to } => Step::Sweep {
            from: match sweep {
                SweepFrom::South => Source::South,
                SweepFrom::North => Source::North,
                SweepFrom::Hand => Source::Hand,
                SweepFrom::Aside => Source::Aside,
            },
            seeds: *seeds,
            to: *to,
        },
        WireStep::ExtraTurn { extra_turn } => Step::ExtraTurn { side: *extra_turn },
        WireStep::Pass { pass } => Step::Pass { side: *pass },
        WireStep::LostTurn { lost_turn } => Step::LostTurn { side: *lost_turn },
        WireStep::Stand { pits, stores } => {
            board.pits = pits.clone();
            board.stores = *stores;
            Step::Turn { side: mover }
        }
    }
}
