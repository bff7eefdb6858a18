//! Teams as their members and all others are told of them.

use crate::random_match::id;
use mancala_engine::{Action, BySide, Format, Mancala, Options, Side};
use mancala_play::{
    Command, Context, Decides, Decision, Event, Match, MatchSpec, OfferKind, Request, Speaks,
    Stage, StandIns, TeamRequest, TeamsSpec, UserId,
};
use mancala_protocol::convert::{self, Passing};
use mancala_protocol::{Follower, ServerMessage};
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
                        .and_then(|user| convert::your_team(&self.play, user));
                    eye.follower.join_team(team.as_ref());
                }
            }
        }
        let now = convert::view(id(), &self.play, &name, Passing::NOTHING).timeless();
        for eye in &self.eyes {
            assert_eq!(eye.follower.view().timeless(), now);
            let team = eye
                .user
                .and_then(|user| convert::your_team(&self.play, user));
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
                asked_for: number % 2 == 0,
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
