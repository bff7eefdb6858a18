//! Matches in which both sides do what chance tells them, and time goes by.

use crate::random::Random;
use mancala_engine::{
    Action, AnyPosition, Format, Game, Mancala, Options, Phase, Pit, Position, Side,
};
use mancala_play::{
    Asked, Command, Context, Control, Decision, Event, Key, Leaving, Match, MatchSpec, PauseWhy,
    Request, Ruling, Spent, Stage, UserId, Way,
};
use mancala_protocol::convert::Passing;
use mancala_protocol::{MatchView, PublicId, ServerMessage, convert};

/// What the events of one command brought: the frames, and the match as it stands then.
pub(crate) struct Batch {
    pub(crate) frames: Vec<ServerMessage>,
    pub(crate) view: MatchView,
}

/// A match that is played step by step.
pub(crate) struct RandomMatch {
    pub(crate) play: Match,
    pub(crate) random: Random,
    log: Vec<Event>,
    keys: u32,
    /// What has gone by since the last events.
    passing: Passing,
    /// For so many steps nobody does anything.
    asleep: usize,
    /// So often something may yet be asked after the end.
    after_the_end: u32,
}

pub(crate) const ID: &str = "k3J9sPq0Zx";

pub(crate) fn id() -> PublicId {
    ID.parse().unwrap()
}

pub(crate) fn user(side: Side) -> UserId {
    UserId(uuid::Uuid::from_u128(1 + side as u128))
}

pub(crate) fn name(user: UserId) -> String {
    format!("guest {}", user.0.as_u128())
}

/// The standard options of each game, and some that bring what these do not.
pub(crate) fn all_options() -> Vec<Options> {
    let others = [
        (
            Mancala::Omweso,
            r#"{"setup":"free","cap":null,"opening":"off","akakyala":true}"#,
        ),
        (
            Mancala::Anywoli,
            r#"{"last_four":"lottery","quiet_limit":20}"#,
        ),
        (Mancala::Anywoli, r#"{"last_four":"last_seed"}"#),
        (Mancala::Urim, r#"{"columns":7,"full_pit":"forbid"}"#),
        (Mancala::BaoKigogo, r#"{"quiet_limit":10}"#),
        (Mancala::Nsolo, r#"{"columns":36,"quiet_limit":30}"#),
    ];
    let read = |(mancala, json)| {
        Options::deserialize(mancala, &mut serde_json::Deserializer::from_str(json)).unwrap()
    };
    let standard = Mancala::ALL.into_iter().map(Options::standard);
    standard.chain(others.into_iter().map(read)).collect()
}

/// One of each way to keep time.
const CLOCKS: [&str; 8] = [
    r#"{"type":"untimed"}"#,
    r#"{"type":"per_move","seconds":3,"out":"loses_turn"}"#,
    r#"{"type":"per_move","seconds":40,"out":"loses_game"}"#,
    r#"{"type":"fischer","initial":60,"increment":2}"#,
    r#"{"type":"fischer","initial":0,"increment":10}"#,
    r#"{"type":"byo_yomi","main":20,"period":5,"periods":3}"#,
    r#"{"type":"byo_yomi","main":0,"period":8,"periods":1}"#,
    r#"{"type":"correspondence","days":2}"#,
];

/// What may be agreed about a match: another agreement for each seed.
pub(crate) fn agreed(options: Options, format: Format, seed: u64) -> MatchSpec {
    let mut random = Random(seed);
    let mut spec = MatchSpec::new(options, format);
    spec.clock = serde_json::from_str(CLOCKS[seed as usize % CLOCKS.len()]).unwrap();
    if options.mancala() == Mancala::Omweso {
        spec.way = [Some(Way::Contract), Some(Way::Blitz), None][random.below(3)];
        if spec.way == Some(Way::Blitz) {
            spec.clock = Control::BLITZ;
        } else if spec.clock.is_untimed() {
            spec.way = Some(Way::Counting);
        }
    }
    spec.rated = random.once_in(4);
    spec.preview = !spec.rated;
    if !spec.rated && random.once_in(3) {
        let mut game = Game::start(options, Side::ALL[random.below(2)]);
        for _ in 0..random.below(12) {
            if game.outcome().is_none() {
                let action = random_action(&game, &mut random);
                game.play(&action).unwrap();
            }
        }
        if game.position().standing().phase == Phase::Play {
            spec.start = Some(Box::new(game.position().setup()));
        }
    }
    spec.check().unwrap();
    spec
}

/// The agreements that tests go through: of each game every way to keep time.
pub(crate) fn all_agreed() -> Vec<MatchSpec> {
    let mut specs = Vec::new();
    for (at, options) in (0..).zip(all_options()) {
        let long = matches!(options, Options::Nsolo(options) if options.columns.get() > 8);
        for seed in 0..CLOCKS.len() as u64 {
            let format = match seed % 2 {
                0 if !long => Format::OMWESO,
                _ => Format::Single,
            };
            specs.push(agreed(options, format, seed + 8 * at));
        }
    }
    specs
}

impl RandomMatch {
    pub(crate) fn of(spec: MatchSpec, seed: u64) -> RandomMatch {
        RandomMatch {
            play: Match::create(spec.clone()),
            random: Random(seed),
            log: vec![Event::Created { spec }],
            keys: 0,
            passing: Passing::NOTHING,
            asleep: 0,
            after_the_end: 4,
        }
    }

    pub(crate) fn view(&self) -> MatchView {
        convert::view(id(), &self.play, &name, self.passing)
    }

    /// The legal frames of both sides, of which one at most has any.
    pub(crate) fn legal(&self) -> impl Iterator<Item = ServerMessage> + '_ {
        let sides = Side::ALL.into_iter();
        sides.filter_map(|side| convert::legal_frame(id(), &self.play, side))
    }

    /// The next thing that happens. `None` when the match is over, and all is said after it.
    pub(crate) fn step(&mut self) -> Option<Batch> {
        loop {
            if self.play.end().is_some() {
                self.after_the_end = self.after_the_end.checked_sub(1)?;
            }
            let events = self
                .some_time_goes_by()
                .or_else(|| self.something_is_done());
            if let Some(events) = events {
                return Some(self.apply(&events));
            }
        }
    }

    /// Time goes by, at most until something happens by itself.
    fn some_time_goes_by(&mut self) -> Option<Vec<Event>> {
        let deadline_ms = self.play.deadline_ms();
        // Nobody sleeps through his first move: most matches would not get beyond it.
        if deadline_ms.is_some() && self.play.next_number() > 12 && self.random.once_in(60) {
            self.asleep = self.random.below(24);
        }
        let left_ms = deadline_ms.map_or(10_000, |ms| ms - self.passing.elapsed_ms);
        let wait_ms = if self.asleep > 0 {
            left_ms
        } else {
            self.random.below(left_ms.min(4_000) as usize + 1) as i64
        };
        self.passing.elapsed_ms += wait_ms;
        for side in Side::ALL {
            if self.play.absences()[side].is_some() {
                self.passing.away_ms[side] += wait_ms;
            }
        }
        let is_due = deadline_ms.is_some_and(|ms| self.passing.elapsed_ms >= ms);
        self.asleep = self.asleep.saturating_sub(1);
        is_due.then(|| self.play.decide_due(&self.context()))
    }

    /// Somebody comes, goes or asks for something. Nothing, where that cannot be.
    fn something_is_done(&mut self) -> Option<Vec<Event>> {
        if self.random.once_in(25) {
            let side = Side::ALL[self.random.below(2)];
            let how = [Leaving::Dropped, Leaving::Closed][self.random.below(2)];
            let events = if self.play.absences()[side].is_some() {
                self.play.decide_back(side)
            } else {
                self.play.decide_gone(side, how)
            };
            return (!events.is_empty()).then_some(events);
        }
        if self.random.once_in(900) {
            let note = "The lamp went out.".parse().unwrap();
            let context = self.context();
            return self.play.decide_ruling(Ruling::Drawn, note, &context).ok();
        }
        let (user, command) = self.command();
        match self.play.decide(user, &command, &self.context()) {
            Ok(Decision::Do(events)) => Some(events),
            Ok(Decision::GoBack {
                first,
                number,
                asked,
            }) => Some(self.go_back(number, first, asked)),
            Ok(Decision::Done(_)) => panic!("no key is used twice"),
            // Chance asked for what cannot be; it will ask for something else.
            Err(_) => None,
        }
    }

    fn context(&self) -> Context {
        let mut random = Random(self.play.seq());
        Context {
            lot: Side::ALL[random.below(2)],
            spent: Spent::new(self.passing.elapsed_ms, random.below(400) as i64),
            away_ms: self.passing.away_ms,
            rematch: random.next(),
        }
    }

    fn go_back(&self, number: u32, first: Vec<Event>, asked: Asked) -> Vec<Event> {
        let mut then = Match::create(self.play.spec().clone());
        for event in &self.log[1..] {
            if then.next_number() == number && event.is_numbered() {
                break;
            }
            then.apply(event);
        }
        let events = self
            .play
            .decide_back_to(&then, first, asked, &self.context());
        events.expect("the log has the turn to go back to")
    }

    fn apply(&mut self, events: &[Event]) -> Batch {
        let mut frames = Vec::new();
        for event in events {
            let before = self.play.play();
            let before = before.map(|play| play.game().position().setup().extra);
            let effect = self.play.apply(event);
            let frame = convert::event_frame(id(), event, before, &self.play, &effect, &name);
            frames.push(frame.expect("only the creation has no frame"));
            if event.settles() {
                self.passing.elapsed_ms = 0;
            }
            if let Event::Gone { side, .. } = event {
                self.passing.away_ms[*side] = 0;
            }
            self.log.push(event.clone());
        }
        Batch {
            frames,
            view: self.view(),
        }
    }

    fn command(&mut self) -> (UserId, Command) {
        self.keys += 1;
        let key: Key = format!("key-{}", self.keys).parse().unwrap();
        let either = Side::ALL[self.random.below(2)];
        let play = match self.play.stage() {
            Stage::Gathering if self.play.both_seated() => {
                return (user(either), Command::ask(Request::Sign, key));
            }
            Stage::Gathering => {
                return (
                    user(either),
                    Command::Sit {
                        side: either,
                        asked_for: false,
                    },
                );
            }
            Stage::Playing(play) => play,
            Stage::Over { .. } => {
                let request = self.request();
                return (user(either), Command::ask(request, key));
            }
        };
        let (game, mover) = (play.game().clone(), play.game().to_move());
        let stands = self.play.offer().is_some() && self.random.once_in(3);
        let paused = play.pause() == Some(PauseWhy::Agreed) && self.random.once_in(2);
        let absent = self
            .play
            .may_claim(mover.other(), self.passing.away_ms[mover]);
        if stands || paused || absent || self.random.once_in(12) {
            let request = self.request();
            let number = self.random.once_in(2).then(|| self.play.next_number());
            let command = Command::Other {
                request,
                number,
                key,
            };
            return (user(either), command);
        }
        let actions = vec![random_action(&game, &mut self.random)];
        let number = self.play.next_number();
        (user(mover), Command::act(number, actions, key))
    }

    /// Anything that may be asked, what ends a match least often.
    fn request(&mut self) -> Request {
        // That is for teams.
        let all = Request::all().filter(|request| *request != Request::Publish);
        let all: Vec<Request> = all.collect();
        loop {
            let request = all[self.random.below(all.len())];
            let times = match request {
                Request::ResignMatch => 12,
                Request::ResignGame | Request::Abort => 4,
                _ => 1,
            };
            if self.random.once_in(times) {
                return request;
            }
        }
    }
}

/// Any action that may be played.
pub(crate) fn random_action(game: &Game<AnyPosition>, random: &mut Random) -> Action {
    let setup = game.position().setup();
    match setup.standing.phase {
        Phase::Play | Phase::Direction(_) => {
            let moves = game.moves();
            moves.nth(random.below(moves.len()))
        }
        Phase::Strip { seeds } => {
            let pits = &setup.board.pits[setup.standing.to_move.other()];
            Action::Strip {
                take: random_strip(pits, seeds, random),
            }
        }
        Phase::Arrange => {
            let mut pits = vec![2; 16];
            for _ in 0..8 {
                let (from, to) = (random.below(16), random.below(16));
                if pits[from] > 0 && pits[to] < 10 {
                    pits[from] -= 1;
                    pits[to] += 1;
                }
            }
            Action::Arrange { pits }
        }
        Phase::Lottery => Action::Lottery {
            to: Side::ALL[random.below(2)],
        },
        Phase::Over(_) => panic!("the game is over"),
    }
}

fn random_strip(pits: &[u32], due: u32, random: &mut Random) -> Vec<(Pit, u32)> {
    let mut taken = vec![0; pits.len()];
    for _ in 0..due {
        let left: Vec<usize> = (0..pits.len())
            .filter(|&pit| taken[pit] < pits[pit])
            .collect();
        taken[left[random.below(left.len())]] += 1;
    }
    let taken = (0..).map(Pit).zip(taken);
    taken.filter(|&(_, seeds)| seeds > 0).collect()
}
