//! A match as a client holds it: a view, and the events carried into it without any rules.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use mancala_engine::{Board, Setup, Side};
use mancala_protocol::{
    CouncilView, Follower, MatchView, Role, ServerMessage, StageView, WireAction, YourTeam,
};
use std::collections::BTreeMap;

/// What may be played, as `legal` said it.
#[derive(Clone, Debug, PartialEq)]
pub struct Legal {
    /// The number that the next action will have.
    pub number: u32,
    /// What is due.
    pub phase: String,
    /// The actions that may be played, where they can be listed.
    pub actions: Vec<WireAction>,
}

/// A match that a client has joined. Everything that comes is held against what came
/// before: numbers without gaps, checksums, whose turn it is.
#[derive(Clone, Debug)]
pub struct Followed {
    /// What the client is in it.
    pub role: Role,
    /// The events that came, by number, as they were told.
    pub events: BTreeMap<u64, ServerMessage>,
    /// The position after each event, and after each view.
    pub positions: BTreeMap<u64, Setup>,
    /// The last `legal`, until something is played.
    pub legal: Option<Legal>,
    /// The last `presence`.
    pub presence: Option<ServerMessage>,
    /// How many views came that nobody had asked for.
    pub skips: usize,
    /// The team in which the client is somebody, and his number there, as the last `joined`
    /// said it.
    pub team: Option<(Side, u32)>,
    /// The events that came for the own team alone, as they were told.
    pub talk: Vec<ServerMessage>,
    follower: Follower,
}

impl Followed {
    /// The match of a first view.
    #[must_use]
    pub fn new(role: Role, view: MatchView) -> Followed {
        let mut followed = Followed {
            role,
            follower: Follower::new(view.clone()).unwrap(),
            events: BTreeMap::new(),
            positions: BTreeMap::new(),
            legal: None,
            presence: None,
            skips: 0,
            team: None,
            talk: Vec::new(),
        };
        followed.take_view(role, view);
        followed
    }

    /// A view takes the place of all there was. Where it is of the same moment, it has to
    /// be the same view.
    pub fn take_view(&mut self, role: Role, view: MatchView) {
        let before = self.view();
        if view.seq == before.seq {
            assert_eq!(
                timeless(&view),
                timeless(before),
                "the events do not lead to the view"
            );
        }
        assert!(view.seq >= before.seq, "the match went back");
        self.role = role;
        self.legal = None;
        self.follower = Follower::new(view).unwrap();
        self.note_position();
    }

    /// What somebody in a team is told of it takes the place of what he knew.
    pub fn take_team(&mut self, team: Option<&YourTeam>) {
        self.team = team.map(|team| (team.side, team.number));
        self.follower.join_team(team);
    }

    /// What the own team deliberates on, where the client is a member of one.
    #[must_use]
    pub const fn council(&self) -> Option<&CouncilView> {
        self.follower.council()
    }

    /// The match as it stands.
    #[must_use]
    pub const fn view(&self) -> &MatchView {
        self.follower.view()
    }

    fn note_position(&mut self) {
        let view = self.follower.view();
        if let Some(position) = &view.position {
            assert_eq!(Some(checksum(position)), view.checksum);
            self.positions.insert(view.seq, position.clone());
        }
    }

    /// The side that the client plays.
    #[must_use]
    pub const fn side(&self) -> Option<Side> {
        match self.role {
            Role::South => Some(Side::South),
            Role::North => Some(Side::North),
            Role::Spectator => None,
        }
    }

    /// Is the match over?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.view().stage == StageView::Over
    }

    /// What the client may play now, if anything.
    #[must_use]
    pub fn turn(&self) -> Option<&Legal> {
        let now = |legal: &&Legal| legal.number == self.view().next_number;
        self.legal.as_ref().filter(now)
    }

    /// Takes in what came about this match.
    pub fn take(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Event {
                only: Some(only),
                seq,
                body,
                ..
            } => {
                assert_eq!(self.side(), Some(*only), "another team's talk");
                let taken = self.follower.take_event_of_team(*seq, body);
                taken.unwrap_or_else(|error| panic!("{error}: {body:?}"));
                self.talk.push(message.clone());
            }
            ServerMessage::Event { seq, body, .. } => {
                let taken = self.follower.take_event(*seq, body);
                taken.unwrap_or_else(|error| panic!("{error}: {body:?}"));
                self.note_position();
                self.events.insert(*seq, message.clone());
            }
            ServerMessage::Legal {
                number,
                phase,
                actions,
                ..
            } => {
                let to_move = self.view().position.as_ref().unwrap().standing.to_move;
                assert_eq!(self.side(), Some(to_move), "legal actions for who waits");
                assert_eq!(
                    *number,
                    self.view().next_number,
                    "legal actions of the past"
                );
                self.legal = Some(Legal {
                    number: *number,
                    phase: phase.clone(),
                    actions: actions.clone(),
                });
            }
            ServerMessage::Presence { .. } => self.presence = Some(message.clone()),
            ServerMessage::Done { seq, .. } => {
                // Of what was for the team alone it has a number of that stream.
                let talked = self.council().map_or(0, |council| council.seq);
                let told = self.view().seq.max(talked);
                assert!(*seq <= told, "`done` came before its events");
            }
            _ => {}
        }
    }
}

/// A view without what goes by while nothing happens.
#[must_use]
pub fn timeless(view: &MatchView) -> MatchView {
    view.timeless()
}

/// The checksum of a position, worked out from what a client holds.
#[must_use]
pub fn checksum(position: &Setup) -> String {
    let numbers = |seeds: &[u32]| {
        let seeds: Vec<_> = seeds.iter().map(u32::to_string).collect();
        seeds.join(",")
    };
    let Board { pits, stores } = &position.board;
    let text = [
        numbers(&pits.south),
        numbers(&pits.north),
        numbers(&[stores.south, stores.north]),
        position.standing.to_move.name().to_owned(),
    ]
    .join("|");
    let crc = text.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    });
    format!("{:08x}", !crc)
}
