//! Matches in which both sides do what chance tells them.

use crate::random::Random;
use mancala_engine::{
    Action, AnyPosition, Format, Game, Mancala, Options, Phase, Pit, Position, Side,
};
use mancala_play::{Command, Context, Decision, Event, Match, MatchSpec, Request, UserId};
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
    keys: u32,
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

impl RandomMatch {
    pub(crate) fn new(options: Options, format: Format, seed: u64) -> RandomMatch {
        RandomMatch {
            play: Match::create(MatchSpec::new(options, format)),
            random: Random(seed),
            keys: 0,
        }
    }

    pub(crate) fn view(&self) -> MatchView {
        convert::view(id(), &self.play, &name)
    }

    /// The legal frames of both sides, of which one at most has any.
    pub(crate) fn legal(&self) -> impl Iterator<Item = ServerMessage> + '_ {
        let sides = Side::ALL.into_iter();
        sides.filter_map(|side| convert::legal_frame(id(), &self.play, side))
    }

    /// The next thing that happens. `None` when the match is over.
    pub(crate) fn step(&mut self) -> Option<Batch> {
        if self.play.end().is_some() {
            return None;
        }
        loop {
            let (user, command) = self.command();
            let context = Context::untimed(Side::ALL[self.random.below(2)]);
            match self.play.decide(user, &command, &context) {
                Ok(Decision::Do(events)) => return Some(self.apply(events)),
                Ok(Decision::Done(_)) => panic!("no key is used twice"),
                // Chance asked for what cannot be; it will ask for something else.
                Err(_) => {}
            }
        }
    }

    fn apply(&mut self, events: Vec<Event>) -> Batch {
        let mut frames = Vec::new();
        for event in &events {
            let before = self.play.play();
            let before = before.map(|play| play.game().position().setup().extra);
            let moved = self.play.apply(event);
            let moved = moved.trace.as_ref();
            let frame = convert::event_frame(id(), event, before, &self.play, moved, &name);
            frames.push(frame.expect("only the creation has no frame"));
        }
        Batch {
            frames,
            view: self.view(),
        }
    }

    fn command(&mut self) -> (UserId, Command) {
        self.keys += 1;
        let key = format!("key-{}", self.keys).parse().unwrap();
        let Some(mover) = self.play.to_move() else {
            let side = Side::ALL[self.random.below(2)];
            return (user(side), Command::Sit { side });
        };
        let play = self.play.play().expect("it is being played");
        let offered = play.draw_offer().is_some() && self.random.once_in(3);
        let game = play.game().clone();
        if offered || self.random.once_in(40) {
            let request = match self.random.below(40) {
                0 => Request::ResignMatch,
                1 => Request::Abort,
                2..8 => Request::ResignGame,
                8..14 => Request::AcceptDraw,
                14..20 => Request::DeclineDraw,
                _ => Request::OfferDraw,
            };
            let side = Side::ALL[self.random.below(2)];
            return (user(side), Command::Other { request, key });
        }
        let actions = vec![random_action(&game, &mut self.random)];
        let number = self.play.next_number();
        (user(mover), Command::act(number, actions, key))
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
