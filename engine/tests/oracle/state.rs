//! The words all games share: sides, positions, phases, actions, endings.

/// A turn may hold this many laps; where it would need one more, it is never-ending.
pub(crate) const MOST_LAPS: u64 = 10_000;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    South,
    North,
}

impl Side {
    /// Both sides, south first.
    pub(crate) const BOTH: [Side; 2] = [Side::South, Side::North];

    /// The opponent.
    pub(crate) fn other(self) -> Side {
        match self {
            Side::South => Side::North,
            Side::North => Side::South,
        }
    }

    /// The place of this side in arrays of two.
    pub(crate) fn index(self) -> usize {
        match self {
            Side::South => 0,
            Side::North => 1,
        }
    }

    /// The name used in the data forms.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::South => "south",
            Side::North => "north",
        }
    }

    /// The side of this name.
    pub(crate) fn named(name: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| side.name() == name)
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// `win`, `draw` or `void`.
    pub(crate) outcome: &'static str,
    /// The side that won, if one did.
    pub(crate) winner: Option<Side>,
    /// The points of south and north.
    pub(crate) points: [u64; 2],
    /// The reason, in the word of the rules page.
    pub(crate) reason: &'static str,
}

impl Ending {
    /// `winner` wins `points` points.
    pub(crate) fn win(winner: Side, points: u64, reason: &'static str) -> Ending {
        let mut both = [0, 0];
        both[winner.index()] = points;
        Ending {
            outcome: "win",
            winner: Some(winner),
            points: both,
            reason,
        }
    }

    /// Nobody wins.
    pub(crate) fn draw(reason: &'static str) -> Ending {
        Ending {
            outcome: "draw",
            winner: None,
            points: [0, 0],
            reason,
        }
    }

    /// The game does not count and is played again.
    pub(crate) fn void(reason: &'static str) -> Ending {
        Ending {
            outcome: "void",
            winner: None,
            points: [0, 0],
            reason,
        }
    }
}

/// The choice of direction that an Omweso turn waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The pit from which the lap starts.
    pub(crate) pit: usize,
    /// The seeds of the lap.
    pub(crate) seeds: u32,
    /// True: the seeds were captured and are in hand. False: they lie in the pit.
    pub(crate) held: bool,
    /// The opponent's columns captured so far in this turn, in order.
    pub(crate) columns: Vec<u64>,
    /// The laps sown so far in this turn.
    pub(crate) laps: u64,
}

/// What the position waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Arrange,
    Play,
    Direction(Choice),
    Strip { seeds: u32 },
    Lottery,
    Over(Ending),
}

/// A position, with the fields of every game; those a game does not have stay at their first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The pits of south and north, in sowing order.
    pub(crate) pits: [Vec<u32>; 2],
    /// The stores of south and north.
    pub(crate) stores: [u32; 2],
    pub(crate) to_move: Side,
    pub(crate) turn: u64,
    pub(crate) quiet: u64,
    pub(crate) phase: Phase,
    /// Omweso: has anyone captured in this game.
    pub(crate) captured: bool,
    /// Omweso: the turns in which south and north captured.
    pub(crate) captures: [u64; 2],
    /// Anywoli: the side that last captured with the last seed of a lap.
    pub(crate) last_seed: Option<Side>,
}

impl State {
    /// A first position: the same pits for both sides, empty stores, turn 1.
    pub(crate) fn first(pits: Vec<u32>, to_move: Side) -> State {
        State {
            pits: [pits.clone(), pits],
            stores: [0, 0],
            to_move,
            turn: 1,
            quiet: 0,
            phase: Phase::Play,
            captured: false,
            captures: [0, 0],
            last_seed: None,
        }
    }

    /// The seeds on one side's part of the board.
    pub(crate) fn seeds_of(&self, side: Side) -> u64 {
        let mut sum = 0;
        for &seeds in &self.pits[side.index()] {
            sum += u64::from(seeds);
        }
        sum
    }

    /// The seeds on the whole board.
    pub(crate) fn seeds_on_board(&self) -> u64 {
        self.seeds_of(Side::South) + self.seeds_of(Side::North)
    }

    /// The seeds in both stores.
    pub(crate) fn seeds_in_stores(&self) -> u64 {
        u64::from(self.stores[0]) + u64::from(self.stores[1])
    }

    /// Does every pit of this side hold nothing?
    pub(crate) fn row_is_empty(&self, side: Side) -> bool {
        self.seeds_of(side) == 0
    }

    /// All seeds of each row go to the store of its owner.
    pub(crate) fn rows_to_stores(&mut self) {
        for side in Side::BOTH {
            for pit in 0..self.pits[side.index()].len() {
                let seeds = self.lift(side, pit);
                self.stores[side.index()] += seeds;
            }
        }
    }

    /// Takes all seeds out of a pit.
    pub(crate) fn lift(&mut self, side: Side, pit: usize) -> u32 {
        let seeds = self.pits[side.index()][pit];
        self.pits[side.index()][pit] = 0;
        seeds
    }

    /// The seeds in a pit.
    pub(crate) fn at(&self, side: Side, pit: usize) -> u32 {
        self.pits[side.index()][pit]
    }
}

/// Something a side or the table wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Sow { pit: u64, reverse: bool },
    Koneeza { pit: u64 },
    Direction { reverse: bool },
    Arrange { pits: Vec<u64> },
    Strip { take: Vec<(u64, u64)> },
    Lottery { to: Side },
    LoseTurn,
}

/// What an action led to.
pub(crate) enum Step {
    /// The turn goes on; the position waits in another phase.
    Open,
    /// The arrangements are done and the game proper begins.
    Begins,
    /// The turn is over.
    TurnOver {
        /// Did anyone capture in it?
        captured: bool,
        /// Whose turn comes next.
        next: Side,
        /// The end it brings, if it brings one that the game names under 'End'.
        end: Option<Ending>,
    },
    /// The turn does not end.
    NeverEnding,
}
