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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
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
            Phase::Over(_) => {}
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

    /// Counts the stores.
    fn end<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        let outcome = match verdict_of_stores(self.stores.south, self.stores.north) {
            Verdict::Win(side) => Outcome::win(side, 1, reason),
            _ => Outcome::draw(reason),
        };
        self.standing.phase = Phase::Over(outcome);
        recorder.step(|| Step::Over { outcome });
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
