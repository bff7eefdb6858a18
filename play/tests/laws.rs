//! What holds in every match, whatever anybody asks of it: random plans of commands by
//! both sides and by people who only watch, legal or not, new, sent again or with keys
//! that were used.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use mancala_engine::record::{GameEnd, MatchResult, Note, Record};
use mancala_engine::{
    Action, AnyPosition, BySide, Format, Game, GameResult, Mancala, Outcome, Phase, Pit,
    Position as _, Reason, Side,
};
use mancala_play::{
    ACTIONS_MAX, Asked, Clocks, Command, Context, Control, ControlForm, Damage, Decision, Digest,
    Entry, Event, GameOutcome, KEYS_KEPT, Key, Leaving, Match, MatchEnd, MatchSpec, Offer,
    OfferKind, OutsideReason, PauseWhy, Receipt, Refusal, Request, Ruling, Snapshot, Spent, Stage,
    UserId, Way, WhenOut, Why, record,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use support::{ANN, BEN, Draws, EVE, OPTIONS, Table, key, options, receipt_of, user};

/// One thing that somebody tries.
#[derive(Clone, Debug)]
enum Step {
    /// The side to move plays so many actions, as long as it is its turn.
    Act { actions: usize },
    /// The game goes on for so many actions.
    On { actions: usize },
    /// A side offers, withdraws, and offers again.
    Nag { side: Side },
    /// Somebody sends actions that may be anything, with a number that may be off.
    Try {
        who: usize,
        actions: usize,
        off: i64,
    },
    /// Somebody asks for something, and says which action is due, or not; the number may be off.
    Ask {
        who: usize,
        request: Request,
        off: Option<i64>,
    },
    /// A side offers something, and a side asks for this then.
    Answer {
        side: Side,
        kind: OfferKind,
        answer: (Side, fn(OfferKind) -> Request),
    },
    /// The clocks go on after a pause.
    Resume { side: Side },
    /// Somebody wants a seat.
    Sit { who: usize, side: Side },
    /// Nobody does anything until so many things have happened by themselves.
    Late { times: usize },
    /// Nobody of a side is here any more.
    Gone { side: Side, how: Leaving },
    /// Somebody of a side is here again.
    Back { side: Side },
    /// The side to move goes away, and the other claims the game, or a draw of it.
    Claim { request: Request },
    /// Somebody who runs the server ends the match.
    Rule { ruling: Ruling },
    /// A command that was accepted is sent again.
    Again { which: usize },
    /// The key of a command that was accepted is used for another.
    Reuse { which: usize, request: Request },
}

const PEOPLE: [UserId; 3] = [ANN, BEN, EVE];

fn a_request() -> impl Strategy<Value = Request> {
    prop_oneof![
        1 => prop::sample::select(Request::all().collect::<Vec<_>>()),
        1 => prop_oneof![Just(Request::ResignGame), Just(Request::Abort)],
        3 => a_kind().prop_map(Request::Offer),
        3 => a_kind().prop_map(Request::Accept),
        2 => a_kind().prop_map(Request::Decline),
        1 => prop_oneof![Just(Request::Sign), Just(Request::Resume)],
    ]
}

fn an_answer() -> impl Strategy<Value = fn(OfferKind) -> Request> {
    prop_oneof![
        2 => Just(Request::Accept as fn(OfferKind) -> Request),
        1 => Just(Request::Offer as fn(OfferKind) -> Request),
        1 => Just(Request::Decline as fn(OfferKind) -> Request),
    ]
}

fn a_kind() -> impl Strategy<Value = OfferKind> {
    prop::sample::select(OfferKind::ALL.to_vec())
}

fn a_side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::South), Just(Side::North)]
}

fn a_step() -> BoxedStrategy<Step> {
    prop_oneof![
        40 => (1..4_usize).prop_map(|actions| Step::Act { actions }),
        2 => (10..150_usize).prop_map(|actions| Step::On { actions }),
        1 => a_side().prop_map(|side| Step::Nag { side }),
        8 => (0..3_usize, 0..=10_usize, prop_oneof![3 => Just(0), 1 => -3..3_i64])
            .prop_map(|(who, actions, off)| Step::Try { who, actions, off }),
        10 => (0..3_usize, a_request(), prop_oneof![
            2 => Just(None),
            2 => Just(Some(0)),
            1 => (-2..2_i64).prop_map(Some),
        ])
            .prop_map(|(who, request, off)| Step::Ask { who, request, off }),
        6 => (a_side(), a_kind(), an_answer()).prop_map(|(side, kind, answer)| {
            Step::Answer { side, kind, answer: (side.other(), answer) }
        }),
        1 => (a_side(), a_kind())
            .prop_map(|(side, kind)| Step::Answer { side, kind, answer: (side, Request::Decline) }),
        2 => a_side().prop_map(|side| Step::Resume { side }),
        1 => (0..3_usize, a_side()).prop_map(|(who, side)| Step::Sit { who, side }),
        3 => Just(Step::Late { times: 1 }),
        1 => (2..70_usize).prop_map(|times| Step::Late { times }),
        2 => (a_side(), prop_oneof![Just(Leaving::Dropped), Just(Leaving::Closed)])
            .prop_map(|(side, how)| Step::Gone { side, how }),
        2 => a_side().prop_map(|side| Step::Back { side }),
        1 => prop_oneof![Just(Request::ClaimWin), Just(Request::ClaimDraw)]
            .prop_map(|request| Step::Claim { request }),
        4 => any::<usize>().prop_map(|which| Step::Again { which }),
        2 => (any::<usize>(), a_request())
            .prop_map(|(which, request)| Step::Reuse { which, request }),
    ]
    .boxed()
}

/// The length of a period, where there are some.
const PERIOD_MS: i64 = 2_000;

fn a_control() -> impl Strategy<Value = Control> {
    let out = prop_oneof![4 => Just(WhenOut::LosesTurn), 1 => Just(WhenOut::LosesGame)];
    let byo_yomi = ControlForm::ByoYomi {
        main: 10,
        period: 2,
        periods: 3,
    };
    prop_oneof![
        3 => Just(Control::UNTIMED),
        2 => out.prop_map(|out| ControlForm::PerMove { seconds: 3, out }.try_into().unwrap()),
        1 => Just(Control::fischer(10, 2).unwrap()),
        1 => Just(byo_yomi.try_into().unwrap()),
        1 => Just(Control::correspondence(1).unwrap()),
    ]
}

/// A match and what is going to be tried in it.
#[derive(Clone, Debug)]
struct Plan {
    spec: MatchSpec,
    /// Are both seated before the first step?
    seated: bool,
    seed: u64,
    steps: Vec<Step>,
}

fn a_plan() -> impl Strategy<Value = Plan> {
    let format = prop_oneof![
        Just(Format::Single),
        (1..5_u8).prop_map(|points| Format::first_to(points).unwrap()),
        Just(Format::OMWESO),
    ];
    (
        agreed(),
        format,
        a_control(),
        prop::bool::weighted(0.9),
        any::<u64>(),
        prop_oneof![
            6 => prop::collection::vec(a_step(), 0..80),
            // Some come to the end on the board.
            1 => prop::collection::vec(Just(Step::On { actions: 100 }), 0..8),
        ],
    )
        .prop_map(|(agreed, format, clock, seated, seed, mut steps)| {
            let mut draws = Draws(seed);
            let spec = agreed.spec(format, clock, &mut draws);
            // Few matches are ended from above, and only in the end.
            if draws.one_in(8) {
                let winner = draws.side();
                let rulings = [Ruling::Aborted, Ruling::Drawn, Ruling::Won(winner)];
                let ruling = rulings[draws.below(3)];
                steps.extend([Step::Rule { ruling }, Step::Rule { ruling }]);
            }
            Plan {
                spec,
                seated,
                seed,
                steps,
            }
        })
}

/// What is agreed beyond format and clock.
#[derive(Clone, Copy, Debug)]
struct Agreed {
    game: usize,
    way: Option<Way>,
    rated: bool,
    /// Is the start a position from the middle of a game?
    start: bool,
}

fn agreed() -> impl Strategy<Value = Agreed> {
    let way = prop_oneof![
        2 => Just(None),
        1 => Just(Some(Way::Counting)),
        2 => Just(Some(Way::Contract)),
        2 => Just(Some(Way::Blitz)),
    ];
    let weighted = prop::bool::weighted;
    (0..OPTIONS.len(), way, weighted(0.15), weighted(0.2)).prop_map(|(game, way, rated, start)| {
        Agreed {
            game,
            way,
            rated,
            start,
        }
    })
}

impl Agreed {
    fn spec(self, format: Format, clock: Control, draws: &mut Draws) -> MatchSpec {
        let (mancala, text) = OPTIONS[self.game];
        let mut spec = MatchSpec::new(options(mancala, text), format);
        spec.clock = clock;
        if mancala == Mancala::Omweso {
            spec.way = self.way;
            spec.clock = match self.way {
                Some(Way::Counting) => Control::UNTIMED,
                Some(Way::Blitz) => Control::BLITZ,
                _ => clock,
            };
        }
        spec.rated = self.rated;
        spec.preview = !self.rated;
        if self.start && !self.rated {
            spec.start = middle_of(&spec, draws).map(Box::new);
        }
        assert_eq!(spec.check(), Ok(()));
        spec
    }
}

/// A position of some game in which a turn begins.
fn middle_of(spec: &MatchSpec, draws: &mut Draws) -> Option<mancala_engine::Setup> {
    let mut game = Game::<AnyPosition>::start(spec.options, draws.side());
    for _ in 0..draws.below(20) {
        if game.outcome().is_none() {
            let action = draws.action(&game);
            game.play_unchecked(&action);
        }
    }
    let begins_a_turn = game.position().standing().phase == Phase::Play;
    begins_a_turn.then(|| game.position().setup())
}

/// A match under test, with all that it should remember kept in the plainest way.
struct Trial {
    table: Table,
    /// The same match, brought through a snapshot after each event.
    twin: Match,
    /// The digest after each event.
    digests: Vec<Digest>,
    draws: Draws,
    /// Commands to act that were accepted, with their receipts.
    acts: BySide<Vec<(Command, Receipt)>>,
    /// The same of others, as long as they are remembered.
    others: BySide<VecDeque<(Command, Receipt)>>,
    score: BySide<u32>,
    /// The sums of the ledger's entries in the current game, by their reasons.
    ledger: BySide<BTreeMap<Why, i64>>,
    /// These of each game.
    ledgers: Vec<BySide<BTreeMap<Why, i64>>>,
    /// Turns of the current game for which there was an increment.
    paid: BTreeSet<u32>,
    /// The offer that stands.
    offer: Option<Offer>,
    /// When time would have been over but for the pause.
    paused: Option<Option<i64>>,
    games: u32,
    /// Words for what has happened, to see that the plans reach it.
    seen: BTreeSet<String>,
}

impl Trial {
    fn new(plan: &Plan) -> Trial {
        let table = Table::of(plan.spec.clone());
        let mut trial = Trial {
            twin: table.play.clone(),
            digests: vec![table.play.digest()],
            table,
            draws: Draws(plan.seed),
            acts: BySide::default(),
            others: BySide::default(),
            score: BySide::both(0),
            ledger: BySide::default(),
            ledgers: Vec::new(),
            paid: BTreeSet::new(),
            offer: None,
            paused: None,
            games: 0,
            seen: BTreeSet::new(),
        };
        let spec = &plan.spec;
        for (word, is_so) in [
            ("a start", spec.start.is_some()),
            ("rated", spec.rated),
            ("counting", spec.way == Some(Way::Counting)),
            ("contract", spec.way == Some(Way::Contract)),
            ("blitz", spec.way == Some(Way::Blitz)),
        ] {
            if is_so && plan.seated {
                trial.seen.insert(word.to_owned());
            }
        }
        if plan.seated {
            for side in Side::ALL {
                trial.send(
                    user(side),
                    &Command::Sit {
                        side,
                        asked_for: false,
                    },
                );
            }
            if plan.spec.way == Some(Way::Contract) && !trial.draws.one_in(4) {
                for side in Side::ALL {
                    trial.ask(side, Request::Sign);
                }
            }
        }
        trial
    }

    fn run(plan: &Plan) -> Trial {
        let mut trial = Trial::new(plan);
        for step in &plan.steps {
            match *step {
                Step::On { actions } => {
                    for _ in 0..actions {
                        trial.step(&Step::Act { actions: 1 });
                    }
                }
                Step::Nag { side } => {
                    let draw = OfferKind::Draw;
                    for request in [
                        Request::Offer(draw),
                        Request::Decline(draw),
                        Request::Offer(draw),
                    ] {
                        trial.ask(side, request);
                    }
                }
                Step::Answer { side, kind, answer } => {
                    trial.ask(side, Request::Offer(kind));
                    trial.ask(answer.0, answer.1(kind));
                }
                Step::Resume { side } => trial.ask(side, Request::Resume),
                Step::Claim { request } => {
                    if let Some(side) = trial.table.play.to_move() {
                        trial.gone(side, Leaving::Closed);
                        trial.ask(side.other(), request);
                    }
                }
                Step::Late { times } => (0..times).for_each(|_| trial.be_due()),
                Step::Gone { side, how } => trial.gone(side, how),
                Step::Back { side } => trial.back(side),
                Step::Rule { ruling } => trial.rule(ruling),
                _ => trial.step(step),
            }
        }
        trial
    }

    fn ask(&mut self, side: Side, request: Request) {
        let key = self.table.fresh_key();
        self.send(user(side), &Command::ask(request, key));
    }

    fn gone(&mut self, side: Side, how: Leaving) {
        let play = &self.table.play;
        let events = play.decide_gone(side, how);
        let counts = play.to_move().is_some() && play.presence_counts();
        let expected = counts && play.absences()[side].is_none();
        assert_eq!(events.len(), usize::from(expected));
        self.make_true(&events);
    }

    fn back(&mut self, side: Side) {
        let events = self.table.play.decide_back(side);
        self.make_true(&events);
        let play = &self.table.play;
        assert_eq!(play.absences()[side], None);
        let pause = play.play().and_then(|play| play.pause());
        assert_ne!(pause, Some(PauseWhy::Absent), "somebody is here");
    }

    fn rule(&mut self, ruling: Ruling) {
        let note = "It had to be.".parse().unwrap();
        let context = self.table.context();
        match self.table.play.decide_ruling(ruling, note, &context) {
            Ok(events) => self.make_true(&events),
            Err(refusal) => {
                assert_eq!(refusal, Refusal::MatchOver);
                assert!(self.table.play.end().is_some());
            }
        }
    }

    fn step(&mut self, step: &Step) {
        if let Some((user, command)) = self.command_of(step) {
            self.send(user, &command);
        }
    }

    /// Commands that were accepted: those that the match remembers, or those to act that it
    /// has forgotten too.
    fn accepted(&self, forgotten: bool) -> Vec<(Side, Command, Receipt)> {
        let of_side = |side: Side| {
            let acts = &self.acts[side];
            let first = if forgotten {
                0
            } else {
                acts.len().saturating_sub(KEYS_KEPT)
            };
            let all = acts[first..].iter().chain(&self.others[side]);
            all.map(move |(command, receipt)| (side, command.clone(), *receipt))
        };
        Side::ALL.into_iter().flat_map(of_side).collect()
    }

    /// What the log says of a command to act that the match has forgotten.
    fn long_ago(&self, user: UserId, command: &Command, number: u32) -> Option<Decision> {
        let side = self.table.play.side_of(user)?;
        if !self.table.play.has_forgotten(side, number) {
            return None;
        }
        let beyond = number.saturating_add(ACTIONS_MAX as u32);
        let then = self.table.before(beyond + 1);
        then.decide(user, command, &self.table.context()).ok()
    }

    fn command_of(&mut self, step: &Step) -> Option<(UserId, Command)> {
        let number = self.table.play.next_number();
        let key = self.table.fresh_key();
        match *step {
            Step::Act { actions } | Step::On { actions } => {
                let side = self.table.play.to_move()?;
                let mut game = self.table.game().clone();
                let mut list = Vec::new();
                while list.len() < actions && game.outcome().is_none() && game.to_move() == side {
                    let action = self.draws.action(&game);
                    if matches!(action, Action::Lottery { .. }) {
                        break;
                    }
                    game.play_unchecked(&action);
                    list.push(action);
                }
                Some((user(side), Command::act(number, list, key)))
            }
            Step::Try { who, actions, off } => {
                let mut game = self.table.play.play().map(|play| play.game().clone());
                let mut list = Vec::new();
                while list.len() < actions {
                    let next = game.as_mut().filter(|game| game.outcome().is_none());
                    let legal = next.filter(|_| !self.draws.one_in(8)).map(|game| {
                        let action = self.draws.action(game);
                        game.play_unchecked(&action);
                        action
                    });
                    list.push(legal.unwrap_or_else(|| self.draws.any_action()));
                }
                let number = (i64::from(number) + off).max(0) as u32;
                Some((PEOPLE[who], Command::act(number, list, key)))
            }
            Step::Ask { who, request, off } => {
                let number = off.map(|off| (i64::from(number) + off).max(0) as u32);
                let asked = Command::Other {
                    request,
                    number,
                    key,
                };
                Some((PEOPLE[who], asked))
            }
            Step::Sit { who, side } => Some((
                PEOPLE[who],
                Command::Sit {
                    side,
                    asked_for: false,
                },
            )),
            Step::Again { which } => {
                let accepted = self.accepted(true);
                let (side, command, _) = accepted.get(which % accepted.len().max(1))?;
                Some((user(*side), command.clone()))
            }
            Step::Reuse { which, request } => {
                let accepted = self.accepted(true);
                let (side, command, _) = accepted.get(which % accepted.len().max(1))?;
                let key = key_of(command).clone();
                Some((self.seated(*side), Command::ask(request, key)))
            }
            _ => None,
        }
    }

    fn seated(&self, side: Side) -> UserId {
        self.table.play.seats()[side].unwrap()
    }

    fn send(&mut self, user: UserId, command: &Command) {
        self.table.lot = self.draws.side();
        let [elapsed, lag] = [4_000, 600].map(|most| self.draws.below(most) as i64);
        self.table.spent = Spent::new(elapsed, lag);
        self.table.away_ms = BySide::from_fn(|_| self.draws.below(200_000) as i64);
        self.table.rematch = self.draws.below(1_000) as u64;
        let before = self.table.play.clone();
        let decision = self.table.decide(user, command);
        assert_eq!(self.table.play, before, "to decide changes nothing");
        assert_eq!(
            self.table.decide(user, command),
            decision,
            "nor is anything invented"
        );
        let side = before.side_of(user);
        let remembered = side.and_then(|side| {
            let mut all = self.accepted(false).into_iter();
            all.find(|(other, old, _)| *other == side && same_key(old, command))
        });
        self.seen.insert(match &decision {
            Ok(Decision::Do(_)) => "do".to_owned(),
            Ok(Decision::GoBack { .. }) => "go back".to_owned(),
            Ok(Decision::Done(_)) => "done".to_owned(),
            Err(refusal) => refusal.code().to_owned(),
        });
        match decision {
            Ok(decision @ (Decision::Do(_) | Decision::GoBack { .. })) => {
                assert_eq!(remembered, None, "nothing is done twice");
                let events = self.table.events_of(decision).unwrap();
                self.take(command, events, side);
            }
            Ok(Decision::Done(receipt)) => {
                let (_, old, expected) = remembered.expect("it was accepted before");
                assert_eq!((&old, expected), (command, receipt));
            }
            Err(Refusal::KeyReused) => {
                let (_, old, _) = remembered.expect("the key was used before");
                assert_ne!(old, *command);
            }
            Err(refusal) => {
                assert_eq!(remembered, None, "{refusal}");
                if let Command::Act { number, .. } = command
                    && let Some(said) = self.long_ago(user, command, *number)
                {
                    self.seen.insert("done long ago".to_owned());
                    let mut all = self.accepted(true).into_iter();
                    let (_, _, receipt) = all
                        .find(|(other, old, _)| Some(*other) == side && old == command)
                        .expect("it was accepted then");
                    assert_eq!(said, Decision::Done(receipt));
                }
                let bound = side.zip(command.key());
                let bound = bound.and_then(|(side, key)| self.table.play.receipt(side, user, key));
                assert_eq!(bound, None, "a refused command leaves its key free");
            }
        }
    }

    /// Makes the events of an accepted command true, one by one.
    fn take(&mut self, command: &Command, events: Vec<Event>, side: Option<Side>) {
        assert!(!events.is_empty());
        let receipt = receipt_of(
            &events,
            self.table.play.next_number(),
            self.table.play.seq() + 1,
        );
        self.make_true(&events);
        match command {
            Command::Sit { .. } | Command::Team { .. } => return,
            Command::Act { .. } => self.acts[side.unwrap()].push((command.clone(), receipt)),
            Command::Other { .. } => {
                let others = &mut self.others[side.unwrap()];
                others.push_back((command.clone(), receipt));
                if others.len() > KEYS_KEPT {
                    others.pop_front();
                }
            }
        }
        let (side, key) = (side.unwrap(), key_of(command));
        let user = self.seated(side);
        assert_eq!(self.table.play.receipt(side, user, key), Some(receipt));
    }

    /// What is due by itself happens, if anything is.
    fn be_due(&mut self) {
        self.table.lot = self.draws.side();
        let play = &self.table.play;
        let (side, deadline, turn) = (play.to_move(), play.deadline_ms(), self.turn());
        let ran = play.play().and_then(|play| play.clocks().running());
        let events = play.decide_due(&self.table.context());
        assert_eq!(events.is_empty(), deadline.is_none());
        self.make_true(&events);
        let acted = |event: &Event| matches!(event, Event::Acted { .. });
        let over = |event: &Event| matches!(event, Event::GameEnded { .. });
        if !events.iter().any(acted) || events.iter().any(over) {
            return;
        }
        self.seen.insert("out of time".to_owned());
        assert_ne!(self.turn(), turn, "it was his turn");
        if let Some(side) = ran.and(side) {
            let clocks = self.table.play.play().unwrap().clocks();
            let entire = Clocks::new(clocks.control()).0.left_ms(side);
            assert_eq!(clocks.left_ms(side), entire, "for his next turn");
        }
    }

    fn turn(&self) -> Option<(u32, Side)> {
        let play = self.table.play.play()?;
        let standing = play.game().position().setup().standing;
        Some((standing.turn, standing.to_move))
    }

    /// Makes the events of a decision true, one by one.
    fn make_true(&mut self, events: &[Event]) {
        for event in events {
            let before = self.table.play.clone();
            let turn = self.turn();
            let effect = self.table.play.apply(event);
            assert_eq!(self.twin.apply(event), effect);
            assert_eq!(effect.trace.is_some(), matches!(event, Event::Acted { .. }));
            if let Event::GameBegan { .. } = event {
                self.ledger = BySide::default();
                self.ledgers.push(self.ledger.clone());
                self.paid.clear();
            }
            if let (Event::Acted { .. }, Some(play), Some((turn, _))) = (event, before.play(), turn)
                && play.is_opening()
            {
                // The clock stood when this turn began: it brings nothing.
                self.paid.insert(turn);
            }
            for Entry { side, why, ms } in effect.ledger {
                assert_ne!(ms, 0);
                *self.ledger[side].entry(why).or_default() += ms;
                self.seen.insert(why.as_str().to_owned());
                if why == Why::Increment {
                    let (turn, mover) = turn.unwrap();
                    assert_eq!(mover, side);
                    assert!(self.paid.insert(turn), "a turn brings one increment");
                }
            }
            if let Some(last) = self.ledgers.last_mut() {
                last.clone_from(&self.ledger);
            }
            self.check_time(&before, event);
            self.table.log.push(event.clone());
            self.digests.push(self.table.play.digest());
            self.count(event);
            self.check();
        }
        assert!(
            !matches!(self.table.play.stage(), Stage::Playing(_))
                || self.table.game().outcome().is_none(),
            "after a decision a game is being played, or the match is over"
        );
    }

    /// No event makes time but by what was agreed, and none that does not settle it moves the
    /// moment at which it is over.
    fn check_time(&mut self, before: &Match, event: &Event) {
        let (Some(games), Some(then)) = (self.table.play.play(), before.play()) else {
            return;
        };
        let (clocks, old) = (games.clocks(), then.clocks());
        let out_ms = |clocks: &Clocks| clocks.deadline_ms();
        let over = matches!(event, Event::GameEnded { .. } | Event::MatchEnded { .. });
        if !event.settles() && !over {
            let (now, was) = (self.table.play.deadline_ms(), before.deadline_ms());
            match event {
                Event::TimeGiven { .. } => assert!(now >= was && out_ms(clocks) >= out_ms(old)),
                Event::Counted { .. } => assert!(now >= was && out_ms(clocks) == out_ms(old)),
                _ => assert_eq!((now, out_ms(clocks)), (was, out_ms(old)), "{event:?}"),
            }
        }
        match event {
            Event::Paused { .. } => {
                for side in Side::ALL {
                    assert!(clocks.left_ms(side) <= old.left_ms(side));
                }
                self.paused = Some(out_ms(old));
            }
            Event::Resumed { .. } => {
                let was = self.paused.take().expect("the clocks stood");
                assert!(out_ms(clocks) <= was, "a pause makes no time");
                assert!(out_ms(clocks).is_some(), "nor stops it for ever");
            }
            Event::GameEnded { .. } | Event::MatchEnded { .. } => self.paused = None,
            Event::TakenBack { to, earlier, .. } => {
                let then = self.table.before(*to);
                assert_eq!(games.game(), then.play().unwrap().game());
                assert_eq!(games.game().position().setup(), earlier.position);
            }
            _ => {}
        }
    }

    fn count(&mut self, event: &Event) {
        let json = serde_json::to_value(event).unwrap();
        self.seen.insert(json["type"].as_str().unwrap().to_owned());
        if let Some(Asked {
            request, number, ..
        }) = event.asked()
        {
            let crossing =
                matches!(request, Request::Offer(_)) && !matches!(event, Event::Offered { .. });
            self.seen.insert(format!(
                "{}{request}",
                if crossing { "crossing " } else { "" }
            ));
            if number.is_some() {
                self.seen.insert("with a number".to_owned());
            }
        }
        match event {
            Event::Acted { .. }
            | Event::TakenBack { .. }
            | Event::Declined { .. }
            | Event::TimeGiven { .. }
            | Event::Paused { .. }
            | Event::Rematched { .. } => self.offer = None,
            _ => {}
        }
        match event {
            Event::Offered { asked } => {
                let Request::Offer(kind) = asked.request else {
                    panic!("{asked:?}");
                };
                self.offer = Some(Offer {
                    side: asked.side,
                    kind,
                    number: self.table.play.next_number(),
                });
            }
            Event::Paused { why, .. } => {
                self.seen.insert(format!("paused {why:?}").to_lowercase());
            }
            Event::Gone { how, .. } => {
                self.seen.insert(format!("gone {how:?}").to_lowercase());
            }
            Event::Resumed { asked, .. } => {
                self.seen.insert(
                    if asked.is_some() {
                        "resumed by somebody"
                    } else {
                        "resumed by itself"
                    }
                    .to_owned(),
                );
            }
            Event::MatchEnded { .. } => {
                self.offer = None;
                let end = json["end"].as_object().map_or_else(
                    || json["end"].as_str().unwrap(),
                    |words| words.keys().next().unwrap(),
                );
                self.seen.insert(end.to_owned());
            }
            Event::Acted { part, .. } => {
                if *part > 0 {
                    self.seen.insert("several actions".to_owned());
                }
                self.seen
                    .insert(format!("to {}", json["action"]["type"].as_str().unwrap()));
            }
            Event::GameBegan { .. } => self.games += 1,
            Event::GameEnded { outcome, .. } => {
                self.offer = None;
                if let GameOutcome::Outside { reason, .. } = outcome {
                    self.seen.insert(format!("by {}", reason.code()));
                }
                self.seen.insert(match outcome.result() {
                    GameResult::Win { .. } => "win".to_owned(),
                    GameResult::Draw => "draw".to_owned(),
                    GameResult::Void => "void".to_owned(),
                });
                if let GameResult::Win { side, points } = outcome.result() {
                    self.score[side] += u32::from(points);
                }
            }
            _ => {}
        }
    }

    /// What holds after every single event.
    fn check(&mut self) {
        let (play, log) = (&self.table.play, &self.table.log);
        assert_eq!(play.seq(), log.len() as u64);
        let numbered = log.iter().filter(|event| event.is_numbered()).count();
        assert_eq!(play.next_number() as usize, 1 + numbered);
        assert!(play.seats().south.is_none() || play.seats().south != play.seats().north);
        let last = log.last().unwrap();
        let end = log
            .iter()
            .position(|event| matches!(event, Event::MatchEnded { .. }));
        assert_eq!(end.is_some(), play.end().is_some());
        if let Some(end) = end {
            let of_rematch = |event: &Event| {
                matches!(
                    event,
                    Event::Offered { .. } | Event::Declined { .. } | Event::Rematched { .. }
                )
            };
            assert!(
                log[end + 1..].iter().all(of_rematch),
                "nothing else follows the end"
            );
        }
        assert_eq!(
            play.offer(),
            self.offer,
            "an offer stands until it is settled"
        );
        if let Some(games) = play.play() {
            assert_eq!(games.series().score(), self.score);
            let goes_on = matches!(last, Event::GameEnded { .. }) && games.series().end().is_none();
            assert_eq!(games.series().game(), self.games + u32::from(goes_on));
        } else {
            assert_eq!(self.games, 0);
        }
        for side in Side::ALL {
            let may = play.to_move() == Some(side);
            assert_eq!(play.legal_for(side).is_some(), may);
        }
        if let Some(games) = play.play() {
            let clocks = games.clocks();
            for side in Side::ALL {
                let periods = i64::from(clocks.periods(side));
                let balance = clocks.left_ms(side).map(|ms| ms - periods * PERIOD_MS);
                let timed = !clocks.control().is_untimed();
                let entered = &self.ledger[side];
                let sum = timed.then(|| entered.values().sum());
                assert_eq!(balance, sum, "the balance is the sum of the entries");
                for why in Why::ALL {
                    let sum = timed.then(|| entered.get(&why).copied().unwrap_or(0));
                    assert_eq!(clocks.ledger(side).map(|ledger| ledger.of(why)), sum);
                }
            }
            let playing = play
                .to_move()
                .filter(|_| !matches!(last, Event::GameEnded { .. }))
                .filter(|_| games.game().outcome().is_none());
            let runs = playing.filter(|_| games.pause().is_none() && !games.is_opening());
            assert_eq!(clocks.running(), runs, "the clock of who is to move runs");
            if playing.is_some() {
                let timed = !clocks.control().is_untimed();
                assert_eq!(play.deadline_ms().is_some(), timed);
                assert!(play.deadline_ms().is_none_or(|ms| ms >= 0));
            }
        }
        self.twin = through_snapshot(&self.twin);
        assert_eq!(self.twin, self.table.play, "state -> snapshot -> state");
    }

    /// All that is remembered is answered as before, and its keys serve nothing else.
    fn check_keys(&self, play: &Match) {
        for (side, command, receipt) in self.accepted(false) {
            let decide = |command: &Command| {
                let context = Context::untimed(Side::North);
                play.decide(self.seated(side), command, &context)
            };
            assert_eq!(decide(&command), Ok(Decision::Done(receipt)));
            let key = key_of(&command).clone();
            let other = match &command {
                Command::Act {
                    number, actions, ..
                } => Command::act(number + 1, actions.clone(), key),
                _ => Command::act(1, Vec::new(), key),
            };
            assert_eq!(decide(&other), Err(Refusal::KeyReused));
        }
    }
}

fn key_of(command: &Command) -> &Key {
    command.key().unwrap()
}

fn same_key(one: &Command, other: &Command) -> bool {
    one.key().is_some_and(|key| Some(key) == other.key())
}

fn through_snapshot(play: &Match) -> Match {
    let json = serde_json::to_string(&play.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&json).unwrap();
    Match::try_from(snapshot).unwrap()
}

fn through_json(log: &[Event]) -> Vec<Event> {
    log.iter()
        .map(|event| serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap())
        .collect()
}

/// The same event with one thing changed.
fn changed(event: &Event, draws: &mut Draws) -> Event {
    let new_key = || key("another-key");
    let change_asked = |asked: &mut Asked, draws: &mut Draws| match draws.below(4) {
        0 => asked.side = asked.side.other(),
        1 => asked.key = new_key(),
        2 => asked.number = asked.number.map_or(Some(1), |_| None),
        _ => {
            asked.request = match asked.request {
                Request::Offer(OfferKind::Draw) => Request::Accept(OfferKind::Draw),
                _ => Request::Offer(OfferKind::Draw),
            }
        }
    };
    let mut event = event.clone();
    match &mut event {
        Event::Created { spec } => match draws.below(5) {
            4 => spec.rated = !spec.rated,
            0 => spec.preview = !spec.preview,
            1 => spec.rules += 1,
            2 => spec.access = mancala_play::Access::Link,
            _ => spec.format = Format::first_to(200).unwrap(),
        },
        Event::Seated { side, user } => match draws.below(2) {
            0 => *side = side.other(),
            _ => *user = UserId(uuid::Uuid::from_u128(0xf)),
        },
        Event::GameBegan { game, begins } => match draws.below(2) {
            0 => *begins = begins.other(),
            _ => *game += 1,
        },
        Event::Acted {
            side,
            action,
            key,
            part,
            by,
            spent,
        } => match draws.below(7) {
            6 => *by = by.map_or(Some(UserId(uuid::Uuid::from_u128(0xf))), |_| None),
            0 => *side = side.map_or(Some(Side::South), |side| Some(side.other())),
            1 => *side = side.map_or(Some(Side::North), |_| None),
            2 => *part += 1,
            3 => spent.elapsed_ms += 1,
            4 => *key = key.as_ref().map_or(Some(new_key()), |_| None),
            _ => {
                let before = action.clone();
                while *action == before {
                    *action = draws.any_action();
                }
            }
        },
        Event::Offered { asked }
        | Event::Declined { asked }
        | Event::Signed { asked }
        | Event::Rematched { asked, .. } => change_asked(asked, draws),
        Event::TimeGiven { ms, asked } => match draws.below(2) {
            0 => *ms += 1,
            _ => change_asked(asked, draws),
        },
        Event::TakenBack {
            to,
            earlier,
            asked,
            spent,
        } => match draws.below(5) {
            0 => *to -= 1,
            1 => earlier.history.push(7),
            2 => earlier.turn_began.south += 1,
            3 => spent.lag_ms += 1,
            _ => change_asked(asked, draws),
        },
        Event::Paused { why, spent, .. } => match draws.below(2) {
            0 => spent.elapsed_ms += 1,
            _ => {
                *why = match why {
                    PauseWhy::Agreed => PauseWhy::Absent,
                    PauseWhy::Absent => PauseWhy::Agreed,
                }
            }
        },
        Event::Resumed { asked, .. } => match asked {
            Some(asked) if draws.one_in(2) => change_asked(asked, draws),
            Some(_) => *asked = None,
            None => {
                *asked = Some(Asked {
                    side: draws.side(),
                    request: Request::Resume,
                    number: None,
                    key: new_key(),
                    by: None,
                })
            }
        },
        Event::Counted { count } => *count += 1,
        Event::Gone {
            side,
            how,
            grace_ms,
        } => match draws.below(3) {
            0 => *side = side.other(),
            1 => *grace_ms += 1,
            _ => {
                *how = match how {
                    Leaving::Dropped => Leaving::Closed,
                    Leaving::Closed => Leaving::Dropped,
                }
            }
        },
        Event::Back { side } | Event::Team { side, .. } => *side = side.other(),
        Event::GameEnded {
            outcome,
            asked,
            spent,
        } => match asked {
            _ if draws.one_in(3) => spent.elapsed_ms += 1,
            Some(asked) if draws.one_in(2) => change_asked(asked, draws),
            _ => {
                let before = outcome.clone();
                *outcome = GameOutcome::Outside {
                    winner: None,
                    reason: OutsideReason::Agreed,
                };
                if *outcome == before {
                    *outcome = GameOutcome::Outside {
                        winner: Some(draws.side()),
                        reason: OutsideReason::Agreed,
                    };
                }
            }
        },
        Event::MatchEnded {
            end,
            asked,
            note,
            spent,
        } => match (asked, note) {
            _ if draws.one_in(4) => spent.elapsed_ms += 1,
            (Some(asked), _) if draws.one_in(2) => change_asked(asked, draws),
            (_, note @ Some(_)) if draws.one_in(2) => *note = Some("Or not.".parse().unwrap()),
            _ => {
                *end = match end {
                    MatchEnd::Played { winner: None } => MatchEnd::Aborted,
                    MatchEnd::Played {
                        winner: Some(winner),
                    } => MatchEnd::Resigned { winner: *winner },
                    MatchEnd::Resigned { winner } => MatchEnd::Played {
                        winner: Some(*winner),
                    },
                    MatchEnd::Aborted | MatchEnd::Abandoned => MatchEnd::Ruled(Ruling::Aborted),
                    MatchEnd::Ruled(Ruling::Drawn) => MatchEnd::Ruled(Ruling::Won(draws.side())),
                    MatchEnd::Ruled(_) => MatchEnd::Ruled(Ruling::Drawn),
                }
            }
        },
    }
    event
}

fn notes_of(game: &mancala_engine::record::RecordedGame) -> impl Iterator<Item = &Note> {
    let of_actions = game.actions().iter().flat_map(|action| action.notes());
    let notes = game.notes().iter().chain(of_actions);
    notes.chain(game.closing_notes())
}

/// The sums of the entries of a recorded game's ledger, by their reasons.
fn ledger_of(game: &mancala_engine::record::RecordedGame) -> BySide<BTreeMap<Why, i64>> {
    let mut sums: BySide<BTreeMap<Why, i64>> = BySide::default();
    let ledgers = notes_of(game).filter(|note| note.name() == Some("ledger"));
    for entry in ledgers.flat_map(|note| note.text().split(", ")) {
        let words: Vec<&str> = entry.split(' ').collect();
        let side: Side = words[0].parse().unwrap();
        let why = Why::ALL.into_iter().find(|why| why.as_str() == words[1]);
        *sums[side].entry(why.unwrap()).or_default() += words[2].parse::<i64>().unwrap();
    }
    sums
}

fn kind(event: &Event) -> String {
    support::kinds(std::slice::from_ref(event)).remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Decide changes nothing; events keep what must hold; snapshots and logs lead to the
    /// same state; keys do nothing twice. Most of it is asserted on the way.
    #[test]
    fn a_match_keeps_its_laws(plan in a_plan(), at: usize) {
        let trial = Trial::run(&plan);
        let play = &trial.table.play;
        let log = through_json(&trial.table.log);
        prop_assert_eq!(&log, &trial.table.log);
        // From the beginning, and from a snapshot of any place.
        let mut read = Match::replay(&log[..1], trial.digests[0]).unwrap();
        let at = at % log.len();
        let mut resumed = None;
        for (index, digest) in trial.digests.iter().enumerate() {
            if index > 0 {
                let moved = read.read_next(&log[index], *digest);
                if let Some(resumed) = &mut resumed {
                    let moved_too = Match::read_next(resumed, &log[index], *digest);
                    prop_assert_eq!(&moved_too, &moved);
                }
                prop_assert!(moved.is_ok());
            }
            if index == at {
                resumed = Some(through_snapshot(&read));
            }
            prop_assert_eq!(read.seq(), index as u64 + 1);
        }
        let replayed = Match::replay(&log, play.digest()).unwrap();
        let resumed = resumed.unwrap();
        for play in [play, &replayed, &read, &resumed, &through_snapshot(play)] {
            prop_assert_eq!(play, &trial.table.play);
            trial.check_keys(play);
        }
    }

    /// Whatever happens to a log, it is refused, and never with a panic.
    #[test]
    fn a_damaged_log_is_refused(plan in a_plan(), at: usize, seed: u64) {
        let trial = Trial::run(&plan);
        let (log, digest) = (&trial.table.log, trial.table.play.digest());
        let at = at % log.len();
        let refused = |damaged: &[Event]| Match::replay(damaged, digest).is_err();

        let mut dropped = log.clone();
        dropped.remove(at);
        prop_assert!(refused(&dropped));
        prop_assert!(refused(&log[..at]));

        let mut doubled = log.clone();
        doubled.insert(at, log[at].clone());
        prop_assert!(refused(&doubled));

        let mut swapped = log.clone();
        swapped.swap(at, log.len() - 1);
        prop_assert_eq!(refused(&swapped), swapped != *log);
        let mut neighbours = log.clone();
        neighbours.swap(at, (at + 1) % log.len());
        prop_assert_eq!(refused(&neighbours), neighbours != *log);

        let mut draws = Draws(seed);
        for _ in 0..8 {
            let mut other = log.clone();
            other[at] = changed(&log[at], &mut draws);
            prop_assert!(refused(&other), "{:?} instead of {:?}", other[at], log[at]);
        }
    }

    /// Events of one match make no other, in whatever order they come.
    #[test]
    fn mixed_logs_are_refused(one in a_plan(), other in a_plan(), seed: u64) {
        let [one, other] = [one, other].map(|plan| Trial::run(&plan));
        let mut draws = Draws(seed);
        let mut mixed = vec![one.table.log[0].clone()];
        for _ in 0..40 {
            let from = if draws.one_in(4) { &other } else { &one };
            mixed.push(from.table.log[draws.below(from.table.log.len())].clone());
        }
        prop_assume!(mixed != one.table.log);
        prop_assert!(Match::replay(&mixed, one.table.play.digest()).is_err());
        // A record of them is nonsense, or none; asking for it hurts nobody.
        if let Ok(record) = record(&mixed, |_| None) {
            prop_assert_eq!(record.to_string().parse(), Ok(record));
        }
    }

    /// The record of a match is read again as it was written, and nothing is wrong with it.
    #[test]
    fn records_are_sound(plan in a_plan()) {
        let trial = Trial::run(&plan);
        let (play, log) = (&trial.table.play, &trial.table.log);
        let name = |user| (play.seats()[Side::South] == Some(user)).then_some("Nakato");
        // As far as it has gone, after any command: a game that is over has its end.
        let record: Record = record(log, name).unwrap();
        prop_assert_eq!(record.to_string().parse(), Ok(record.clone()));
        let report = record.check();
        prop_assert_eq!(report.first_fault(), None, "{}", record);
        prop_assert_eq!(report.series.score(), trial.score);
        let stated_games = record.games().iter().filter(|game| matches!(game.end(), Some(GameEnd::Stated { .. }))).count();
        let from_outside = log.iter().filter(|event| matches!(event, Event::GameEnded { outcome: GameOutcome::Outside { .. }, .. })).count();
        prop_assert_eq!(stated_games, from_outside);
        let stated = match record.result() {
            MatchResult::Unfinished => None,
            MatchResult::Played(_) => Some("played"),
            MatchResult::Stated { reason, .. } => Some(reason.as_str()),
        };
        let expected = play.end().map(|end| match end {
            MatchEnd::Played { .. } => "played",
            MatchEnd::Resigned { .. } => "resigned",
            MatchEnd::Aborted => "aborted",
            MatchEnd::Abandoned => "abandoned",
            MatchEnd::Ruled(_) => "administrator",
        });
        prop_assert_eq!(stated, expected);
        // What both clocks went through is all there, also of what was taken back.
        let ledgers: Vec<_> = record.games().iter().map(ledger_of).collect();
        prop_assert_eq!(&ledgers, &trial.ledgers);
        let count = |name| log.iter().filter(|event| kind(event) == name).count();
        let notes = || record.games().iter().flat_map(notes_of).chain(record.notes());
        let named = |name| notes().filter(|note| note.name() == Some(name)).count();
        prop_assert_eq!(named("taken_back"), count("taken_back"));
        prop_assert_eq!(named("signed"), count("signed"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whoever only plays on comes to the end of the match.
    #[test]
    fn every_match_ends(game in 0..OPTIONS.len(), points in 0..4_u8, seed: u64) {
        let (mancala, text) = OPTIONS[game];
        let format = Format::first_to(points).unwrap_or(Format::Single);
        let mut table = Table::seated(options(mancala, text), format);
        let games_max = 2 * 10 * u32::from(points).max(1);
        // A limit only so that a match without an end fails instead of going on.
        table.play_on(&mut Draws(seed), games_max as usize * 20_000);
        prop_assert!(table.play.end().is_some());
        prop_assert!(table.play.play().unwrap().series().game() <= games_max);
        let replayed = Match::replay(&table.log, table.play.digest());
        prop_assert_eq!(replayed.as_ref(), Ok(&table.play));
    }
}

/// Plans that reach little prove little.
#[test]
fn plans_reach_everything() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..1_000 {
        let plan = a_plan().new_tree(&mut runner).unwrap().current();
        seen.extend(Trial::run(&plan).seen);
    }
    let expected = [
        "seated signed game_began acted taken_back offered declined time_given",
        "paused resumed counted gone back game_ended match_ended rematched",
        "do done not_begun match_over not_seated seat_taken already_seated not_your_turn turn_over",
        "already_played number_ahead key_reused action_count not_for_players",
        "resign_on_your_turn no_offer offer_open offered_already too_late_to_abort",
        "not_in_this_match nothing_to_take_back no_claim nothing_to_sign not_paused paused",
        "first_move_due not_over rematch_made",
        "wrong_phase no_such_pit empty_pit win draw void",
        "played resigned aborted abandoned ruled",
        "begun thinking lag increment period anew given",
    ];
    let expected = expected.iter().flat_map(|line| line.split(' '));
    let actions = ["sow", "koneeza", "direction", "arrange", "strip", "lottery"];
    let others = [
        "several actions",
        "done long ago",
        "out of time",
        "to lose_turn",
        "go back",
        "with a number",
        "paused agreed",
        "paused absent",
        "resumed by somebody",
        "resumed by itself",
        "gone dropped",
        "gone closed",
        "by time",
        "by claimed",
        "by agreed",
        "by resigned",
        "crossing offer_draw",
        "crossing offer_abort",
        "crossing offer_pause",
        "crossing offer_rematch",
        "a start",
        "rated",
        "counting",
        "contract",
        "blitz",
    ];
    let expected = expected
        .chain(others)
        .map(str::to_owned)
        .chain(actions.iter().map(|action| format!("to {action}")))
        // That is for teams, of which these plans have none.
        .chain(
            Request::all()
                .filter(|request| *request != Request::Publish)
                .map(|request| request.to_string()),
        );
    let missed: Vec<_> = expected.filter(|word| !seen.contains(word)).collect();
    assert!(missed.is_empty(), "no plan reached {missed:?}");
}

#[test]
fn a_log_without_beginning_is_refused() {
    let digest = Digest::START;
    assert_eq!(Match::replay(&[], digest), Err(Damage::NoBeginning));
    let table = Table::urim();
    let headless = &table.log[1..];
    assert_eq!(Match::replay(headless, digest), Err(Damage::NoBeginning));
}

#[test]
fn damage_names_the_place() {
    let table = Table::urim();
    let mut log = table.log.clone();
    log.push(log[3].clone());
    let digest = table.play.digest();
    assert_eq!(
        Match::replay(&log, digest),
        Err(Damage::DoesNotFollow { seq: 5 })
    );
    let found = digest;
    let expected = Digest(7);
    assert_eq!(
        Match::replay(&table.log, expected),
        Err(Damage::OtherDigest {
            seq: 4,
            expected,
            found
        })
    );
}

/// Whatever digest stands beside it: these events are refused where they stand.
#[test]
fn events_that_do_not_follow() {
    let asked = |side, request| Asked {
        side,
        request,
        number: None,
        key: key("new"),
        by: None,
    };
    let acted = |side, pit, part| Event::Acted {
        side,
        action: Action::sow(Pit(pit)),
        key: Some(key("new")),
        part,
        by: None,
        spent: Spent::NOTHING,
    };
    let ended = |outcome| Event::GameEnded {
        outcome,
        asked: None,
        spent: Spent::NOTHING,
    };
    let match_ended = |end| Event::MatchEnded {
        end,
        asked: None,
        note: None,
        spent: Spent::NOTHING,
    };
    let began = |game, begins| Event::GameBegan { game, begins };
    let seated = |side, user| Event::Seated { side, user };
    let draw = GameOutcome::Outside {
        winner: None,
        reason: OutsideReason::Agreed,
    };
    let played = |winner| match_ended(MatchEnd::Played { winner });
    let resigned = match_ended(MatchEnd::Resigned {
        winner: Side::South,
    });

    let urim = options(Mancala::Urim, "");
    let mut gathering = Table::empty(urim, Format::Single);
    gathering.sit(ANN, Side::South).unwrap();
    let mut playing = Table::urim_to_three();
    let mut between = playing.clone();
    for table in [&mut playing, &mut between] {
        table.act(Side::South, &[Action::sow(Pit(0))]).unwrap();
    }
    between.play.apply(&ended(draw.clone()));
    between.log.push(ended(draw.clone()));
    let mut over = Table::urim();
    over.ask(Side::South, Request::ResignGame).unwrap();

    let board = GameOutcome::Board(Outcome::win(Side::South, 1, Reason::NoMove));
    let offered = |side| Event::Offered {
        asked: asked(side, Request::Offer(OfferKind::Draw)),
    };
    let declined = Event::Declined {
        asked: asked(Side::South, Request::Decline(OfferKind::Draw)),
    };
    let mut offering = playing.clone();
    offering
        .ask(Side::South, Request::Offer(OfferKind::Draw))
        .unwrap();

    let mut spec = MatchSpec::new(urim, Format::Single);
    spec.clock = Control::fischer(60, 0).unwrap();
    let mut timed = Table::of(spec);
    timed.sit(ANN, Side::South).unwrap();
    timed.sit(BEN, Side::North).unwrap();
    let pause = Event::Paused {
        why: PauseWhy::Agreed,
        asked: None,
        spent: Spent::NOTHING,
    };
    let earlier = |table: &Table| {
        let mut table = table.clone();
        table.act(Side::South, &[Action::sow(Pit(0))]).unwrap();
        table
            .ask(Side::South, Request::Offer(OfferKind::Takeback))
            .unwrap();
        let events = table
            .ask(Side::North, Request::Accept(OfferKind::Takeback))
            .unwrap();
        let Event::TakenBack { earlier, .. } = &events[0] else {
            panic!("{events:?}");
        };
        earlier.clone()
    };
    let earlier = earlier(&timed);
    let taken_back = |to| Event::TakenBack {
        to,
        earlier: earlier.clone(),
        asked: asked(Side::North, Request::Accept(OfferKind::Takeback)),
        spent: Spent::NOTHING,
    };
    let mut paused = timed.clone();
    for side in Side::ALL {
        paused.act(side, &[Action::sow(Pit(0))]).unwrap();
    }
    for side in Side::ALL {
        paused.ask(side, Request::Offer(OfferKind::Pause)).unwrap();
    }
    let gone = Event::Gone {
        side: Side::South,
        how: Leaving::Closed,
        grace_ms: 1,
    };
    paused.make_true(std::slice::from_ref(&gone));
    let mut spec = MatchSpec::new(options(Mancala::Omweso, ""), Format::Single);
    spec.way = Some(Way::Contract);
    let mut signed = Table::of(spec);
    signed.sit(ANN, Side::South).unwrap();
    signed.sit(BEN, Side::North).unwrap();
    signed.ask(Side::South, Request::Sign).unwrap();

    let cases: [(&Table, Vec<Event>); 8] = [
        (
            &gathering,
            vec![
                gathering.log[0].clone(),
                seated(Side::South, BEN),
                seated(Side::North, ANN),
                began(1, Side::South),
                acted(Some(Side::South), 0, 0),
                offered(Side::South),
                ended(draw.clone()),
                played(None),
                resigned.clone(),
            ],
        ),
        (
            &playing,
            vec![
                playing.log[0].clone(),
                seated(Side::North, EVE),
                began(1, Side::South),
                began(2, Side::North),
                acted(Some(Side::South), 1, 0),
                acted(None, 0, 0),
                acted(Some(Side::North), 9, 0),
                acted(Some(Side::North), 0, 1),
                declined.clone(),
                ended(board),
                played(None),
            ],
        ),
        (
            &offering,
            vec![
                offered(Side::North),
                Event::Rematched {
                    next: 1,
                    asked: asked(Side::South, Request::Accept(OfferKind::Rematch)),
                },
            ],
        ),
        (
            &timed,
            vec![
                Event::Resumed {
                    side: None,
                    asked: None,
                },
                Event::Counted { count: 2 },
                Event::Back { side: Side::South },
                Event::Signed {
                    asked: asked(Side::South, Request::Sign),
                },
                taken_back(timed.play.next_number()),
                pause.clone(),
            ],
        ),
        (
            &paused,
            vec![
                pause.clone(),
                acted(Some(Side::South), 1, 0),
                taken_back(2),
                gone.clone(),
            ],
        ),
        (
            &signed,
            vec![
                Event::Signed {
                    asked: asked(Side::South, Request::Sign),
                },
                began(1, Side::South),
                gone,
                pause,
                taken_back(1),
            ],
        ),
        (
            &between,
            vec![
                began(2, Side::South),
                began(1, Side::South),
                began(3, Side::North),
                acted(Some(Side::North), 0, 0),
                offered(Side::South),
                declined.clone(),
                ended(draw.clone()),
                played(None),
                resigned.clone(),
                match_ended(MatchEnd::Aborted),
            ],
        ),
        (
            &over,
            vec![
                over.log[0].clone(),
                seated(Side::North, EVE),
                began(2, Side::North),
                acted(Some(Side::South), 0, 0),
                offered(Side::South),
                declined,
                ended(draw),
                played(Some(Side::North)),
                match_ended(MatchEnd::Aborted),
            ],
        ),
    ];
    for (table, events) in cases {
        let seq = table.play.seq() + 1;
        for event in events {
            let mut log = table.log.clone();
            log.push(event.clone());
            let refused = Match::replay(&log, table.play.digest());
            assert_eq!(refused, Err(Damage::DoesNotFollow { seq }), "{event:?}");
        }
    }
}

#[test]
fn a_record_names_the_rules_the_match_was_begun_under() {
    let mut spec = MatchSpec::new(options(Mancala::Urim, ""), Format::Single);
    spec.rules = 7;
    let record = record(&[Event::Created { spec }], |_| None).unwrap();
    assert_eq!(record.rules(), 7);
}

/// Each seat has its own keys: what one side sends a hundred times makes the other's no
/// older.
#[test]
fn the_last_64_keys_of_each_seat_are_kept() {
    let mut table = Table::seated(
        options(Mancala::Nsolo, "columns 36, quiet_limit 10000"),
        Format::Single,
    );
    let mut draws = Draws(4);
    let offer = |name: &str| Command::ask(Request::Offer(OfferKind::Draw), key(name));
    let decline = |name: &str| Command::ask(Request::Decline(OfferKind::Draw), key(name));
    table.command(BEN, &offer("same-name")).unwrap();
    table.command(ANN, &decline("same-name")).unwrap();
    for pair in 0..KEYS_KEPT / 2 {
        table
            .command(ANN, &offer(&format!("offer-{pair}")))
            .unwrap();
        if pair + 1 < KEYS_KEPT / 2 {
            table
                .command(ANN, &decline(&format!("decline-{pair}")))
                .unwrap();
        }
        table.play_on(&mut draws, 1);
    }
    let done = |table: &Table, user, command: &Command| {
        matches!(table.decide(user, command), Ok(Decision::Done(_)))
    };
    assert!(
        done(&table, ANN, &decline("same-name")),
        "the 64th from behind"
    );
    table.command(ANN, &offer("one-more")).unwrap();
    assert!(
        !done(&table, ANN, &decline("same-name")),
        "and now the 65th"
    );
    assert!(done(&table, ANN, &offer("offer-0")));
    assert!(done(&table, BEN, &offer("same-name")), "north's only one");
    assert_eq!(
        Match::replay(&table.log, table.play.digest()),
        Ok(table.play.clone())
    );
}

#[test]
fn a_snapshot_of_another_version_is_refused() {
    let table = Table::urim();
    let mut json = serde_json::to_value(table.play.snapshot()).unwrap();
    json["version"] = 0.into();
    let snapshot: Snapshot = serde_json::from_value(json).unwrap();
    let refused = Match::try_from(snapshot).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the snapshot cannot be used; the log is replayed instead"
    );
}

#[test]
fn a_snapshot_of_a_position_that_cannot_be_is_refused() {
    let table = Table::urim();
    let mut json = serde_json::to_value(table.play.snapshot()).unwrap();
    json["play"]["position"]["pits"]["south"][0] = 9.into();
    let snapshot: Snapshot = serde_json::from_value(json).unwrap();
    assert!(Match::try_from(snapshot).is_err());
}

/// The same events make the same state, so a match of one side's lot differs from one of
/// the other's.
#[test]
fn digests_tell_beginners_apart() {
    let [south, north] = Side::ALL.map(|lot| {
        let mut table = Table::empty(options(Mancala::Urim, ""), Format::Single);
        table.lot = lot;
        table.sit(ANN, Side::South).unwrap();
        table.sit(BEN, Side::North).unwrap();
        table.play.digest()
    });
    assert_ne!(south, north);
}
