//! Teams as their members and all others are told of them.

use crate::random_match::id;
use mancala_engine::{Action, BySide, Format, Mancala, Options, Side};
use mancala_play::{
    Command, Context, Decides, Decision, Event, Match, MatchSpec, OfferKind, Request, Speaks,
    Stage, StandIns, TeamRequest, TeamsSpec, UserId,
};
use mancala_protocol::convert::{self, Passing};
use mancala_protocol::{CouncilView, Follower, ServerMessage};
use proptest::prelude::*;

fn person(number: u32) -> UserId {
    UserId(uuid::Uuid::from_u128(u128::from(number) + 1))
}

fn name(user: UserId) -> String {
    format!("guest {}", user.0.as_u128())
}

/// Somebody who follows the match from the beginning, or from when his place in it changed.
struct Eye {
    user: Option<UserId>,
    follower: Follower,
    /// How many frames he was told of his team alone.
    told_alone: usize,
}

/// A match of teams, and those who follow it.
struct Told {
    play: Match,
    eyes: Vec<Eye>,
    keys: u32,
}

impl Told {
    fn new(spec: MatchSpec) -> Told {
        let play = Match::create(spec);
        let view = || convert::view(id(), &play, &name, Passing::NOTHING);
        let users = std::iter::once(None).chain((0..8).map(|number| Some(person(number))));
        let eyes = users.map(|user| Eye {
            user,
            follower: Follower::new(view()).unwrap(),
            told_alone: 0,
        });
        Told {
            eyes: eyes.collect(),
            play,
            keys: 0,
        }
    }

    fn tell(&mut self, events: &[Event]) {
        for event in events {
            let before = self
                .play
                .play()
                .map(|play| mancala_engine::Position::extra(play.game().position()));
            let sides: Vec<Option<Side>> = self.eyes.iter().map(|eye| self.side(eye)).collect();
            let effect = self.play.apply(event);
            let frame = convert::event_frame(id(), event, before, &self.play, &effect, &name);
            let Some(ServerMessage::Event {
                only, seq, body, ..
            }) = frame
            else {
                panic!("everything is told: {event:?}");
            };
            assert_eq!(only, event.only_for());
            for (eye, before) in self.eyes.iter_mut().zip(sides) {
                let side = eye.user.and_then(|user| self.play.side_of(user));
                match only {
                    None => eye.follower.take_event(seq, &body).unwrap(),
                    Some(only) if side == Some(only) && before == side => {
                        eye.follower.take_event_of_team(seq, &body).unwrap();
                        eye.told_alone += 1;
                    }
                    Some(_) => {}
                }
                if side != before {
                    // His place is another one: he is told anew what he may know.
                    let team = eye
                        .user
                        .and_then(|user| convert::your_team(&self.play, user, Passing::NOTHING));
                    eye.follower.join_team(team.as_ref());
                }
            }
        }
        let now = convert::view(id(), &self.play, &name, Passing::NOTHING).timeless();
        for eye in &self.eyes {
            assert_eq!(eye.follower.view().timeless(), now);
            let team = eye
                .user
                .and_then(|user| convert::your_team(&self.play, user, Passing::NOTHING));
            let council = team.and_then(|team| team.council);
            assert_eq!(eye.follower.council(), council.as_ref(), "{:?}", eye.user);
            // Whoever is in no team has not been told a thing of one.
            assert!(eye.user.is_some() || eye.told_alone == 0);
        }
    }

    fn side(&self, eye: &Eye) -> Option<Side> {
        eye.user.and_then(|user| self.play.side_of(user))
    }

    fn ask(&mut self, user: UserId, command: &Command) {
        let decision = self
            .play
            .decide(user, command, &Context::untimed(Side::South));
        if let Ok(Decision::Do(events)) = decision {
            self.tell(&events);
        }
    }

    fn attempt(&mut self, who: u32, what: u8, number: u32) {
        self.keys += 1;
        let key = format!("k{}", self.keys).parse().unwrap();
        let user = person(who);
        let due = self.play.next_number();
        let actions = self.play.play().map_or_else(Vec::new, |play| {
            let moves: Vec<Action> = play.game().moves().iter().collect();
            let chosen = moves.get(number as usize % moves.len().max(1));
            chosen.cloned().into_iter().collect()
        });
        let of_team = |request| Command::Team {
            side: None,
            request,
            key: "k".parse().unwrap(),
        };
        let command = match what {
            0 | 1 => Command::Sit {
                side: Side::ALL[who as usize % 2],
                asked_for: number.is_multiple_of(2),
            },
            2..=4 => Command::act(due, actions, key),
            5..=7 => of_team(TeamRequest::Propose {
                number: due,
                actions,
            }),
            8..=11 => of_team(TeamRequest::Vote {
                number: due,
                proposal: number % 3,
            }),
            12 => of_team(TeamRequest::Leave),
            13 => of_team(TeamRequest::StandIn { member: number }),
            14 => of_team(TeamRequest::HandBack { holder: number }),
            15 => of_team(TeamRequest::Lead { member: number }),
            16 => of_team(TeamRequest::Ready),
            17 => of_team(TeamRequest::Remove { person: number }),
            18 => Command::ask(Request::Offer(OfferKind::Draw), key),
            19 => Command::ask(Request::Accept(OfferKind::Draw), key),
            20 => {
                let teams = self.play.teams().unwrap();
                let side = Side::ALL[who as usize % 2];
                let numbers = teams[side].roster().members().map(|member| member.number);
                let mut members: Vec<u32> = numbers.collect();
                let by = number as usize % members.len().max(1);
                members.rotate_left(by);
                of_team(TeamRequest::Order { members })
            }
            21 | 22 => {
                let events = self
                    .play
                    .decide_absent(user, &Context::untimed(Side::South));
                return self.tell(&events);
            }
            23 | 24 => {
                let events = self
                    .play
                    .decide_present(user, &Context::untimed(Side::South));
                return self.tell(&events);
            }
            25 if self.play.deadline_ms().is_some() => {
                let events = self.play.decide_due(&Context::untimed(Side::South));
                return self.tell(&events);
            }
            26 if matches!(self.play.stage(), Stage::Over { .. }) => {
                Command::ask(Request::Publish, key)
            }
            _ => return,
        };
        let command = match command {
            Command::Team { side, request, .. } => Command::Team {
                side,
                request,
                key: format!("k{}", self.keys).parse().unwrap(),
            },
            other => other,
        };
        self.ask(user, &command);
    }
}

/// Two teams of two, in which two vote and windows are open for half a minute.
fn voting(preview: bool) -> Told {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    spec.preview = preview;
    let mut teams = TeamsSpec::new(Some(person(99)), BySide::both(2));
    teams.decides = Decides::Vote { window: 30 };
    spec.teams = Some(Box::new(teams));
    let mut told = Told::new(spec);
    for who in 0..4 {
        told.attempt(who, 0, 0);
    }
    told
}

fn council_of(told: &Told, who: u32, elapsed_ms: i64) -> CouncilView {
    let passing = Passing {
        elapsed_ms,
        ..Passing::NOTHING
    };
    let team = convert::your_team(&told.play, person(who), passing);
    team.unwrap().council.unwrap()
}

/// What a proposal would do is a preview, and so is told where there are these, and there alone: in
/// the council, and in the event that the follower has taken.
#[test]
fn a_proposal_is_a_preview_only_where_there_are_previews() {
    for preview in [true, false] {
        let mut told = voting(preview);
        let side = told.play.to_move().unwrap();
        let who = side as u32;
        told.attempt(who, 5, 0);
        let eye = &told.eyes[1 + who as usize];
        let heard = eye.follower.council().unwrap();
        for council in [heard, &council_of(&told, who, 0)] {
            let [proposal] = &council.proposals[..] else {
                panic!("it was proposed")
            };
            assert_eq!(proposal.acted.is_some(), preview);
            assert_eq!(proposal.actions.len(), 1);
            let json = serde_json::to_string(council).unwrap();
            assert_eq!(json.contains("trace"), preview);
        }
        // A move that is not legal is refused all the same.
        let number = told.play.next_number();
        let actions = vec![Action::sow(mancala_engine::Pit(99))];
        let command = Command::Team {
            side: None,
            request: TeamRequest::Propose { number, actions },
            key: "illegal".parse().unwrap(),
        };
        let context = Context::untimed(Side::South);
        assert!(told.play.decide(person(who), &command, &context).is_err());
    }
}

#[test]
fn how_long_a_window_is_open_is_told() {
    let mut told = voting(true);
    let side = told.play.to_move().unwrap();
    let (mover, other) = (side as u32, side.other() as u32);
    assert_eq!(council_of(&told, mover, 0).window_ms, Some(30_000));
    assert_eq!(council_of(&told, mover, 12_000).window_ms, Some(18_000));
    assert_eq!(council_of(&told, mover, 31_000).window_ms, Some(0));
    assert_eq!(council_of(&told, other, 0).window_ms, None);
    // It closes in vain.
    told.attempt(mover, 25, 0);
    assert!(council_of(&told, mover, 0).window_over);
    assert_eq!(council_of(&told, mover, 0).window_ms, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What everybody is told, and what each member is told alone, are together the state as
    /// it is for him, at every moment.
    #[test]
    fn a_view_and_events_of_teams_give_the_later_view(
        decides in prop::sample::select(vec![
            Decides::Rotation, Decides::Captain, Decides::First, Decides::Vote { window: 30 },
        ]),
        automatic in any::<bool>(),
        majority in any::<bool>(),
        seats in 1..4_u8,
        tries in prop::collection::vec((0..8_u32, 0..27_u8, 0..6_u32), 0..150),
    ) {
        let host = person(99);
        let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
        let mut teams = TeamsSpec::new(Some(host), BySide::both(seats));
        teams.decides = decides;
        teams.stand_ins = if automatic { StandIns::Automatic } else { StandIns::Captain };
        teams.speaks = if majority { Speaks::Majority } else { Speaks::Captain };
        spec.teams = Some(Box::new(teams));
        let mut told = Told::new(spec);
        for (who, what, number) in tries {
            told.attempt(who, what, number);
        }
    }
}
