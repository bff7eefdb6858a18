//! A match with two people at it, and numbers to choose from.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking and says where it was"
)]

pub(crate) mod shell;

use mancala_engine::{
    Action, AnyPosition, BySide, Format, Game, Mancala, Options, Outcome, Phase, Pit, Position,
    Side,
};
use mancala_play::{
    Command, Context, Decision, Entry, Event, Key, Match, MatchSpec, Receipt, Refusal, Request,
    Ruling, Snapshot, Spent, UserId,
};
use uuid::Uuid;

/// Holds the seat of south.
pub(crate) const ANN: UserId = UserId(Uuid::from_u128(0xa));
/// Holds the seat of north.
pub(crate) const BEN: UserId = UserId(Uuid::from_u128(0xb));
/// Watches.
pub(crate) const EVE: UserId = UserId(Uuid::from_u128(0xe));

/// Every game, with options that change its phases or its board, and some that end soon.
pub(crate) const OPTIONS: [(Mancala, &str); 14] = [
    (Mancala::Omweso, ""),
    (Mancala::Omweso, "quiet_limit 10"),
    (
        Mancala::Omweso,
        "setup free, cap none, opening off, akakyala on",
    ),
    (
        Mancala::Omweso,
        "setup free, opening each_players_first_turn, quiet_limit 10",
    ),
    (Mancala::Anywoli, ""),
    (Mancala::Anywoli, "last_four lottery"),
    (Mancala::Anywoli, "last_four last_seed, quiet_limit 10"),
    (Mancala::Urim, ""),
    (Mancala::Urim, "columns 7, full_pit forbid"),
    (Mancala::BaoKigogo, ""),
    (Mancala::BaoKigogo, "quiet_limit 10"),
    (Mancala::Nsolo, ""),
    (Mancala::Nsolo, "columns 13, quiet_limit 10"),
    (Mancala::Nsolo, "columns 36, quiet_limit 20"),
];

pub(crate) fn options(mancala: Mancala, text: &str) -> Options {
    Options::parse(mancala, text).unwrap()
}

pub(crate) fn user(side: Side) -> UserId {
    match side {
        Side::South => ANN,
        Side::North => BEN,
    }
}

pub(crate) fn key(text: &str) -> Key {
    text.parse().unwrap()
}

/// A match, its log, and keys that were not used yet.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) play: Match,
    pub(crate) log: Vec<Event>,
    pub(crate) lot: Side,
    pub(crate) spent: Spent,
    pub(crate) away_ms: BySide<i64>,
    pub(crate) rematch: u64,
    keys: u32,
}

impl Table {
    /// Both seats are free.
    pub(crate) fn empty(options: Options, format: Format) -> Table {
        Table::of(MatchSpec::new(options, format))
    }

    pub(crate) fn of(spec: MatchSpec) -> Table {
        Table {
            play: Match::create(spec.clone()),
            log: vec![Event::Created { spec }],
            lot: Side::South,
            spent: Spent::NOTHING,
            away_ms: BySide::both(0),
            rematch: 7,
            keys: 0,
        }
    }

    /// Both seats are taken and south begins game 1.
    pub(crate) fn seated(options: Options, format: Format) -> Table {
        let mut table = Table::empty(options, format);
        table.sit(ANN, Side::South).unwrap();
        table.sit(BEN, Side::North).unwrap();
        table
    }

    /// A single game of Urim, the simplest there is.
    pub(crate) fn urim() -> Table {
        Table::seated(Options::standard(Mancala::Urim), Format::Single)
    }

    /// Urim to three points.
    pub(crate) fn urim_to_three() -> Table {
        let format = Format::first_to(3).unwrap();
        Table::seated(Options::standard(Mancala::Urim), format)
    }

    pub(crate) fn fresh_key(&mut self) -> Key {
        self.keys += 1;
        key(&format!("k{}", self.keys))
    }

    pub(crate) fn context(&self) -> Context {
        Context {
            spent: self.spent,
            away_ms: self.away_ms,
            rematch: self.rematch,
            ..Context::untimed(self.lot)
        }
    }

    pub(crate) fn decide(&self, user: UserId, command: &Command) -> Result<Decision, Refusal> {
        self.play.decide(user, command, &self.context())
    }

    /// Decides a new command and makes its events true.
    pub(crate) fn command(
        &mut self,
        user: UserId,
        command: &Command,
    ) -> Result<Vec<Event>, Refusal> {
        let decision = self.decide(user, command)?;
        let events = self.events_of(decision)?;
        self.make_true(&events);
        Ok(events)
    }

    /// The events of a decision; where it goes back, with the state that the log gives.
    pub(crate) fn events_of(&self, decision: Decision) -> Result<Vec<Event>, Refusal> {
        match decision {
            Decision::Do(events) => Ok(events),
            Decision::Done(receipt) => panic!("it was done before: {receipt:?}"),
            Decision::GoBack {
                first,
                number,
                asked,
            } => {
                let then = self.before(number);
                self.play
                    .decide_back_to(&then, first, asked, &self.context())
            }
        }
    }

    /// The match as its log has it before the action of this number.
    pub(crate) fn before(&self, number: u32) -> Match {
        let mut past = self.log.iter();
        let Some(Event::Created { spec }) = past.next() else {
            panic!("a log begins so")
        };
        let mut then = Match::create(spec.clone());
        while then.next_number() < number {
            then.apply(past.next().expect("it has gone on since"));
        }
        then
    }

    /// Makes events true, and writes them down.
    pub(crate) fn make_true(&mut self, events: &[Event]) -> Vec<Entry> {
        let mut ledger = Vec::new();
        for event in events {
            ledger.extend(self.play.apply(event).ledger);
        }
        self.log.extend(events.iter().cloned());
        ledger
    }

    /// An administrator ends the match.
    pub(crate) fn rule(&mut self, ruling: Ruling) -> Result<Vec<Event>, Refusal> {
        let note = "The lamp went out.".parse().unwrap();
        let events = self.play.decide_ruling(ruling, note, &self.context())?;
        self.make_true(&events);
        Ok(events)
    }

    /// What is due by itself happens.
    pub(crate) fn due(&mut self) -> Vec<Event> {
        let events = self.play.decide_due(&self.context());
        self.make_true(&events);
        events
    }

    /// The same match, read from its log and through a snapshot.
    pub(crate) fn restart(&mut self) {
        let read = Match::replay(&self.log, self.play.digest()).unwrap();
        let json = serde_json::to_string(&self.play.snapshot()).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&json).unwrap();
        assert_eq!(Match::try_from(snapshot).as_ref(), Ok(&read));
        assert_eq!(read, self.play);
        self.play = read;
    }

    pub(crate) fn sit(&mut self, user: UserId, side: Side) -> Result<Vec<Event>, Refusal> {
        self.command(
            user,
            &Command::Sit {
                side,
                asked_for: false,
            },
        )
    }

    pub(crate) fn act(&mut self, side: Side, actions: &[Action]) -> Result<Vec<Event>, Refusal> {
        let command = Command::act(self.play.next_number(), actions.into(), self.fresh_key());
        self.command(user(side), &command)
    }

    pub(crate) fn ask(&mut self, side: Side, request: Request) -> Result<Vec<Event>, Refusal> {
        let key = self.fresh_key();
        self.command(user(side), &Command::ask(request, key))
    }

    /// Plays so many legal actions, or fewer where the match ends before.
    pub(crate) fn play_on(&mut self, draws: &mut Draws, actions: usize) {
        for _ in 0..actions {
            let Some(side) = self.play.to_move() else {
                return;
            };
            let action = draws.action(self.game());
            self.act(side, &[action]).unwrap();
        }
    }

    /// Plays these actions, each by the side to move, and what the lot answers.
    pub(crate) fn play_all(&mut self, actions: &[Action]) -> Vec<Event> {
        let mut events = Vec::new();
        for action in actions {
            let side = self.play.to_move().unwrap();
            events = self.act(side, std::slice::from_ref(action)).unwrap();
        }
        events
    }

    pub(crate) fn game(&self) -> &Game<AnyPosition> {
        self.play.play().unwrap().game()
    }

    pub(crate) fn score(&self) -> (u32, u32) {
        let score = self.play.play().unwrap().series().score();
        (score.south, score.north)
    }
}

/// The first game of a stream of random games that ends as wanted.
pub(crate) fn game_that(
    options: Options,
    begins: Side,
    wanted: impl Fn(&Outcome) -> bool,
) -> (Vec<Action>, Outcome) {
    (0..20_000)
        .map(|seed| {
            let mut draws = Draws(seed);
            let mut game = Game::<AnyPosition>::start(options, begins);
            let mut actions = Vec::new();
            while game.outcome().is_none() {
                let action = draws.action(&game);
                game.play_unchecked(&action);
                actions.push(action);
            }
            (actions, *game.outcome().unwrap())
        })
        .find(|(_, outcome)| wanted(outcome))
        .expect("some random game ends so")
}

/// A stream of numbers from a seed (splitmix64), so that a failing case can be replayed.
#[derive(Clone, Debug)]
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn side(&mut self) -> Side {
        Side::ALL[self.below(2)]
    }

    /// A legal action of a game that is not over.
    pub(crate) fn action(&mut self, game: &Game<AnyPosition>) -> Action {
        let standing = game.position().standing();
        match standing.phase {
            Phase::Play | Phase::Direction(_) => {
                let moves = game.moves();
                moves.nth(self.below(moves.len()))
            }
            Phase::Arrange => self.arrangement(),
            Phase::Strip { seeds } => {
                let opponent = standing.to_move.other();
                self.strip(game.position().setup().board.pits[opponent].clone(), seeds)
            }
            Phase::Lottery => Action::Lottery { to: self.side() },
            Phase::Over(_) => panic!("the game is over"),
        }
    }

    /// An action of any form, legal only by luck.
    pub(crate) fn any_action(&mut self) -> Action {
        let pit = Pit(self.below(30) as u16);
        match self.below(10) {
            0..3 => Action::sow(pit),
            3 => Action::sow_reverse(pit),
            4 => Action::Koneeza { pit },
            5 => Action::Lottery { to: self.side() },
            6 => Action::LoseTurn,
            7 => Action::Strip {
                take: vec![(pit, self.below(4) as u32); self.below(3)],
            },
            8 => Action::Arrange {
                pits: vec![2; self.below(20)],
            },
            _ => self.arrangement(),
        }
    }

    /// 32 seeds in 16 pits, at most ten in one.
    fn arrangement(&mut self) -> Action {
        let mut pits = vec![0; 16];
        for _ in 0..32 {
            let mut pit = self.below(16);
            while pits[pit] == 10 {
                pit = (pit + 1) % 16;
            }
            pits[pit] += 1;
        }
        Action::Arrange { pits }
    }

    fn strip(&mut self, mut left: Vec<u32>, seeds: u32) -> Action {
        let mut take: Vec<(Pit, u32)> = Vec::new();
        for _ in 0..seeds {
            let mut pit = self.below(left.len());
            while left[pit] == 0 {
                pit = (pit + 1) % left.len();
            }
            left[pit] -= 1;
            match take.iter_mut().find(|(taken, _)| taken.index() == pit) {
                Some((_, seeds)) => *seeds += 1,
                None => take.push((Pit(pit as u16), 1)),
            }
        }
        Action::Strip { take }
    }
}

/// What the events of one command should be answered with. Before its own may stand that a
/// pause was over.
pub(crate) fn receipt_of(events: &[Event], number: u32, seq: u64) -> Receipt {
    let acted = |event: &&Event| matches!(event, Event::Acted { .. });
    let before = |event: &&Event| matches!(event, Event::Resumed { asked: None, .. });
    Receipt {
        number,
        actions: events.iter().filter(acted).count() as u32,
        seq: seq + events.iter().take_while(before).count() as u64,
        only: None,
    }
}

/// The kinds of events, in order, as the log names them.
pub(crate) fn kinds(events: &[Event]) -> Vec<String> {
    let kind = |event| {
        let json = serde_json::to_value(event).unwrap();
        json["type"].as_str().unwrap().to_owned()
    };
    events.iter().map(kind).collect()
}
