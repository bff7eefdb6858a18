//! Worked positions as pictures, for the tests of the games.
//!
//! A picture is the board as south sees it, before a move on the left and after it on
//! the right: north's rows on top, its outer row first, so that pits that face each
//! other stand above each other. Seeds are sown counter-clockwise: along the bottom from
//! left to right and back through the row above it, or on into north's row. A `.` is an
//! empty pit. `*` holds all seeds that the picture does not show, and as many after as
//! before. `[8]` beside a row is the store of its side; where the stores are left out
//! before, north's holds all seeds that are not on the board; after, they are as before.

use crate::{
    Action, Board, BySide, Columns, Destination, Direction, Extra, Flaw, Game, Lap, Mancala,
    Outcome, PendingLap, Phase, Pit, Place, Position, Refusal, Setup, Shape, Side, Source,
    Standing, Step,
};

/// A position, what leads to it, and what should become of it.
pub(crate) struct Case<P: Position> {
    options: P::Options,
    shape: Shape,
    seeds: u32,
    before: Drawing,
    after: Option<Drawing>,
    standing: Standing,
    extra: Extra,
    earlier: Vec<Action>,
}

/// South is to move in turn 9; in Omweso each side has captured in one turn, in Anywoli
/// nobody with a last seed. The builders below say otherwise.
impl<P: Position<Options: Copy + Default>> Case<P> {
    /// A picture with the standard options.
    pub(crate) fn drawn(picture: &str) -> Case<P> {
        Case::with(P::Options::default(), picture)
    }

    /// A picture with these options.
    pub(crate) fn with(options: P::Options, picture: &str) -> Case<P> {
        let start = P::start(options, Side::South);
        let shape = start.shape();
        let (before, after) = Drawing::pair(shape, picture);
        let extra = match start.mancala() {
            Mancala::Omweso => Extra::Omweso {
                captured: true,
                captures: BySide::both(1),
            },
            Mancala::Anywoli => Extra::Anywoli { last_seed: None },
            _ => Extra::None {},
        };
        // Where the seeds are still to be arranged, the board of the start is empty.
        let seeds = match start.setup().board.total() {
            0 => 64,
            seeds => seeds,
        };
        Case {
            options,
            shape,
            seeds,
            before,
            after,
            standing: Standing {
                to_move: Side::South,
                turn: 9,
                quiet: 0,
                phase: Phase::Play,
            },
            extra,
            earlier: Vec::new(),
        }
    }

    pub(crate) fn mover(mut self, side: Side) -> Self {
        self.standing.to_move = side;
        self
    }

    pub(crate) fn turn(mut self, turn: u32) -> Self {
        self.standing.turn = turn;
        self
    }

    pub(crate) fn quiet(mut self, quiet: u32) -> Self {
        self.standing.quiet = quiet;
        self
    }

    pub(crate) fn phase(mut self, phase: Phase) -> Self {
        self.standing.phase = phase;
        self
    }

    /// The turns in which south and north have captured (Omweso).
    pub(crate) fn captures(mut self, south: u32, north: u32) -> Self {
        self.extra = Extra::Omweso {
            captured: south + north > 0,
            captures: BySide { south, north },
        };
        self
    }

    /// What the game adds to the position.
    pub(crate) fn extra(mut self, extra: Extra) -> Self {
        self.extra = extra;
        self
    }

    /// Plays this first; the picture on the right is what comes after the action that
    /// [`play`](Case::play) plays.
    pub(crate) fn having_played(mut self, actions: &[&str]) -> Self {
        let shape = self.shape;
        self.earlier
            .extend(actions.iter().map(|text| text.action(shape)));
        self
    }

    /// The position on the left as plain data.
    pub(crate) fn setup(&self) -> Setup {
        let hand = match self.standing.phase {
            Phase::Direction(lap) if lap.held => lap.seeds,
            Phase::Lottery => 4,
            _ => 0,
        };
        Setup {
            board: self.before.board(self.seeds - hand),
            standing: self.standing,
            extra: self.extra,
        }
    }

    /// A game that stands at the position on the left, or after the earlier actions.
    pub(crate) fn game(&self) -> Game<P> {
        let mut game = Game::from_setup(self.options, &self.setup())
            .unwrap_or_else(|bad| panic!("the position before cannot stand: {bad}"));
        for action in &self.earlier {
            game.play(action)
                .unwrap_or_else(|refusal| panic!("{action:?}: {refusal}"));
        }
        game
    }

    /// What is wrong with the position on the left.
    pub(crate) fn flaws(&self) -> Vec<Flaw> {
        flaws::<P>(self.options, &self.setup())
    }

    /// Makes sure that a game may be over with the position on the left and any of these
    /// outcomes.
    pub(crate) fn may_end(&self, outcomes: &[Outcome]) -> &Self {
        for &outcome in outcomes {
            assert_eq!(self.flaws_when_over(outcome), [], "{outcome}");
        }
        self
    }

    /// Makes sure that a game with this position cannot be over with any of these outcomes.
    pub(crate) fn cannot_end(&self, outcomes: &[Outcome]) -> &Self {
        for &outcome in outcomes {
            assert_eq!(self.flaws_when_over(outcome), [Flaw::Outcome(outcome)]);
        }
        self
    }

    fn flaws_when_over(&self, outcome: Outcome) -> Vec<Flaw> {
        let mut setup = self.setup();
        setup.standing.phase = Phase::Over(outcome);
        flaws::<P>(self.options, &setup)
    }

    /// Plays the action and makes sure that the picture on the right comes of it, that
    /// the trace leads there too, and that a game may go on from there.
    pub(crate) fn play(&self, action: impl ToAction) -> Told {
        let mut game = self.game();
        let mover = game.to_move();
        let mut told = game.position().setup().board;
        let trace = game
            .play(&action.action(self.shape))
            .unwrap_or_else(|refusal| panic!("refused: {refusal}"));
        let after = game.position().setup();
        if let Some(drawing) = &self.after {
            let drawn = drawing.board_after(&self.before, &self.setup().board);
            assert_eq!(after.board, drawn, "left: played, right: drawn");
        }
        for step in &trace.steps {
            told.apply(self.shape, step).expect("the trace fits");
        }
        assert_eq!(told, after.board, "left: by the trace, right: played");
        assert_eq!(flaws::<P>(self.options, &after), []);
        let shape = self.shape;
        let steps: Vec<String> = trace
            .steps
            .iter()
            .map(|step| step_text(shape, mover, step))
            .collect();
        Told {
            steps: steps.join("; "),
            standing: standing_text(shape, &after),
        }
    }

    /// Makes sure that the action is refused so, and that nothing has changed then.
    pub(crate) fn refuses(&self, action: impl ToAction, refusal: Refusal) -> &Self {
        let mut game = self.game();
        let before = game.clone();
        let action = action.action(self.shape);
        assert_eq!(game.play(&action).map(|_| ()), Err(refusal), "{action:?}");
        assert_eq!(game, before);
        self
    }

    /// Makes sure that exactly this may be played, in the order forward, reverse,
    /// koneeza, each from the lowest pit number on.
    pub(crate) fn offers(&self, expected: &str) -> &Self {
        let actions = self.game().moves().iter();
        let texts: Vec<String> = actions
            .map(|action| match action {
                Action::Sow {
                    pit,
                    dir: Direction::Forward,
                } => self.shape.label(pit).to_string(),
                Action::Sow { pit, .. } => format!("{} reverse", self.shape.label(pit)),
                Action::Koneeza { pit } => format!("{} koneeza", self.shape.label(pit)),
                Action::Direction { dir } => dir.to_string(),
                other => panic!("{other:?} is not listed"),
            })
            .collect();
        assert_eq!(texts.join(", "), expected);
        self
    }
}

/// What is wrong with a setup.
pub(crate) fn flaws<P: Position>(options: P::Options, setup: &Setup) -> Vec<Flaw> {
    P::from_setup(options, setup)
        .err()
        .map_or_else(Vec::new, |bad| bad.flaws)
}

/// The choice of a direction before a lap from `pit`, with what the turn brought so far.
pub(crate) fn direction(pit: u16, seeds: u32, held: bool, columns: &[u8], laps: u32) -> Phase {
    Phase::Direction(PendingLap {
        pit: Pit(pit),
        seeds,
        held,
        columns: Columns::try_from(columns).expect("columns of one turn"),
        laps,
    })
}

/// What playing an action led to, in words.
pub(crate) struct Told {
    steps: String,
    standing: String,
}

impl Told {
    /// Makes sure that the trace tells this. White space is as you like.
    pub(crate) fn tells(self, expected: &str) -> Told {
        assert_eq!(self.steps, one_line(expected));
        self
    }

    /// Makes sure that the position stands so.
    pub(crate) fn leaves(self, expected: &str) -> Told {
        assert_eq!(self.standing, one_line(expected));
        self
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An action, or a short text of one on a certain board: `A1`, `A1 reverse`,
/// `A1 koneeza`, `forward`, `reverse`, `strip A1 2 B3 1`, `lottery south`, `lose turn`.
pub(crate) trait ToAction {
    fn action(&self, shape: Shape) -> Action;
}

impl ToAction for Action {
    fn action(&self, _shape: Shape) -> Action {
        self.clone()
    }
}

impl ToAction for &str {
    fn action(&self, shape: Shape) -> Action {
        let pit = |label: &str| {
            let pit = shape.pit(label);
            pit.unwrap_or_else(|| panic!("no pit {label:?} on this board"))
        };
        let words: Vec<&str> = self.split_whitespace().collect();
        match words[..] {
            ["lose", "turn"] => Action::LoseTurn,
            ["lottery", side] => Action::Lottery {
                to: side.parse().expect("a side"),
            },
            ["strip", ref take @ ..] => Action::Strip {
                take: take
                    .chunks(2)
                    .map(|pair| (pit(pair[0]), pair[1].parse().expect("seeds")))
                    .collect(),
            },
            ["forward"] => Action::Direction {
                dir: Direction::Forward,
            },
            ["reverse"] => Action::Direction {
                dir: Direction::Reverse,
            },
            [label] => Action::sow(pit(label)),
            [label, "reverse"] => Action::sow_reverse(pit(label)),
            [label, "koneeza"] => Action::Koneeza { pit: pit(label) },
            _ => panic!("no action: {self:?}"),
        }
    }
}

/// A board as drawn: `None` stands for `*` and for a store that is not shown.
struct Drawing {
    pits: BySide<Vec<Option<u32>>>,
    stores: BySide<Option<u32>>,
}

impl Drawing {
    /// Reads one board, or two side by side.
    fn pair(shape: Shape, picture: &str) -> (Drawing, Option<Drawing>) {
        let columns = usize::from(shape.columns());
        let empty = || Drawing {
            pits: BySide::both(vec![Some(0); shape.pits_a_side()]),
            stores: BySide::both(None),
        };
        let mut boards = [empty(), empty()];
        let mut drawn = 0;
        let rows: Vec<&str> = picture
            .lines()
            .filter(|row| !row.trim().is_empty())
            .collect();
        assert_eq!(rows.len(), 2 * usize::from(shape.rows_a_side()));
        for (row, text) in rows.into_iter().enumerate() {
            let (side, pits) = row_of(shape, row);
            let mut seen = 0;
            for token in text.split_whitespace().filter(|&token| token != "->") {
                if let Some(store) = token.strip_prefix('[') {
                    // North's store is at the left of its row, south's at the right.
                    let before = seen + if side == Side::North { columns } else { 0 };
                    let store = store.trim_end_matches(']').parse().expect("a store");
                    boards[before / columns - 1].stores[side] = Some(store);
                    continue;
                }
                let board = &mut boards[seen / columns];
                board.pits[side][pits[seen % columns]] = match token {
                    "." => Some(0),
                    "*" => None,
                    seeds => Some(seeds.parse().expect("seeds of a pit")),
                };
                seen += 1;
            }
            assert!(seen == columns || seen == 2 * columns, "row {text:?}");
            drawn = seen / columns;
        }
        let [before, after] = boards;
        (before, (drawn == 2).then_some(after))
    }

    /// The board, where it must hold `total` seeds.
    fn board(&self, total: u32) -> Board {
        let shown = |pits: &Vec<Option<u32>>| pits.iter().flatten().sum::<u32>();
        let in_pits = self.pits.as_ref().map(shown).sum();
        let ballast = Side::ALL
            .into_iter()
            .any(|side| self.pits[side].contains(&None));
        let stores = self.stores;
        let (stores, rest) = if ballast {
            let stores = stores.map(Option::unwrap_or_default);
            (stores, total - in_pits - stores.sum())
        } else {
            let (south, north) = match (stores.south, stores.north) {
                (Some(south), Some(north)) => (south, north),
                (None, Some(north)) => (total.saturating_sub(in_pits + north), north),
                (south, None) => {
                    let south = south.unwrap_or(0);
                    (south, total.saturating_sub(in_pits + south))
                }
            };
            (BySide { south, north }, 0)
        };
        Board {
            pits: self.pits.as_ref().map(|pits| fill(pits, rest)),
            stores,
        }
    }

    /// The board, where `before` is what was drawn beside it, and `played` the same
    /// with its numbers.
    fn board_after(&self, before: &Drawing, played: &Board) -> Board {
        let rest = Side::ALL.into_iter().find_map(|side| {
            let ballast = before.pits[side].iter().position(Option::is_none)?;
            Some(played.pits[side][ballast])
        });
        let pits = self.pits.as_ref().map(|pits| fill(pits, rest.unwrap_or(0)));
        let stores = BySide::from_fn(|side| self.stores[side].unwrap_or(played.stores[side]));
        Board { pits, stores }
    }
}

fn fill(pits: &[Option<u32>], rest: u32) -> Vec<u32> {
    pits.iter().map(|pit| pit.unwrap_or(rest)).collect()
}

/// Whose row this is, counted from the top, and its pits from left to right.
fn row_of(shape: Shape, row: usize) -> (Side, Vec<usize>) {
    let columns = usize::from(shape.columns());
    let outer = 0..columns;
    let inner = columns..2 * columns;
    match (shape.rows_a_side(), row) {
        (_, 0) => (Side::North, outer.rev().collect()),
        (1, _) | (2, 3) => (Side::South, outer.collect()),
        (_, 1) => (Side::North, inner.collect()),
        _ => (Side::South, inner.rev().collect()),
    }
}

impl Board {
    fn total(&self) -> u32 {
        self.pits.as_ref().map(|pits| pits.iter().sum()).sum() + self.stores.sum()
    }
}

/// A step in words. The mover's own pits go without a name.
fn step_text(shape: Shape, mover: Side, step: &Step) -> String {
    let place = |place: Place| {
        let label = shape.label(place.pit);
        if place.side == mover {
            label.to_string()
        } else {
            format!("{}'s {label}", place.side)
        }
    };
    let seeds_of = |pits: &[(Pit, u32)]| {
        let texts: Vec<String> = pits
            .iter()
            .map(|&(pit, seeds)| format!("{} {seeds}", shape.label(pit)))
            .collect();
        texts.join(", ")
    };
    match step {
        Step::Lap(lap) => lap_text(lap, place),
        Step::Capture(capture) => {
            let pits = seeds_of(&capture.pits);
            let hand = match capture.to {
                Destination::Store => "",
                Destination::Hand => " in hand",
            };
            let after = capture
                .after
                .map_or(String::new(), |after| format!(" after {after}"));
            format!(
                "{} takes {}'s {pits}{hand}{after}",
                capture.by, capture.side
            )
        }
        Step::Strip { by, pits } => format!("{by} strips {}", seeds_of(pits)),
        Step::Koneeza { pit, drops, .. } => {
            format!("{} drops {}", shape.label(*pit), seeds_of(drops))
        }
        Step::Arrange { side, .. } => format!("{side} arranges"),
        Step::Sweep { from, seeds, to } => {
            let from = match from {
                Source::South => "south's row",
                Source::North => "north's row",
                Source::Hand => "the hand",
                Source::Aside => "the seeds put aside",
            };
            let to = to.map_or("nobody", Side::name);
            format!("{seeds} of {from} to {to}")
        }
        Step::Turn { side } => format!("{side}'s turn"),
        Step::ExtraTurn { side } => format!("{side} again"),
        Step::Pass { side } => format!("{side} passes"),
        Step::LostTurn { side } => format!("{side} loses the turn"),
        Step::Choice { phase } => phase_text(shape, phase),
        Step::Over { outcome } => outcome.to_string(),
    }
}

fn lap_text(lap: &Lap, place: impl Fn(Place) -> String) -> String {
    let start = place(Place {
        side: lap.side,
        pit: lap.pit,
    });
    let mut text = match (lap.lifted, lap.sown == lap.seeds) {
        (true, true) => format!("{start} sows {}", lap.seeds),
        (true, false) => format!("{start} sows {} of {}", lap.sown, lap.seeds),
        (false, _) => format!("a hand of {} sown from {start}", lap.seeds),
    };
    if lap.dir == Direction::Reverse {
        text += " in reverse";
    }
    text += &format!(" to {}", place(lap.end));
    for passed in &lap.passed {
        text += &format!(", passing {} after {}", place(passed.place), passed.after);
    }
    text
}

fn phase_text(shape: Shape, phase: &Phase) -> String {
    match phase {
        Phase::Arrange => "to arrange".to_owned(),
        Phase::Play => "to play".to_owned(),
        Phase::Direction(lap) => {
            let held = if lap.held { " in hand" } else { "" };
            let pit = shape.label(lap.pit);
            let columns: Vec<u8> = lap.columns.iter().collect();
            format!(
                "either way with {}{held} from {pit}, lap {}, columns {columns:?}",
                lap.seeds, lap.laps
            )
        }
        Phase::Strip { seeds } => format!("to strip {seeds}"),
        Phase::Lottery => "the lot is due".to_owned(),
        Phase::Over(outcome) => outcome.to_string(),
    }
}

/// How a position stands beside its board. Of a game that is over only what still
/// carries meaning.
fn standing_text(shape: Shape, setup: &Setup) -> String {
    let Standing {
        to_move,
        turn,
        quiet,
        phase,
    } = setup.standing;
    let over = phase.outcome().is_some();
    let mut text = phase_text(shape, &phase);
    if !over {
        text = format!("{to_move} {text}, turn {turn}, quiet {quiet}");
    }
    match setup.extra {
        Extra::Omweso { captured, captures } => {
            let BySide { south, north } = captures;
            let ever = if captured && south + north == 0 {
                " and one in this turn"
            } else {
                ""
            };
            text += &format!(", captures {south}-{north}{ever}");
        }
        Extra::Anywoli { last_seed } if !over => {
            text += &format!(", last seed: {}", last_seed.map_or("nobody", Side::name));
        }
        _ => {}
    }
    text
}
