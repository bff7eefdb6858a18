//! A match as a client holds it: a view, and the events carried into it without any rules.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use mancala_engine::{
    AnyPosition, Board, Extra, Options, Phase, Position as _, Setup, Shape, Side,
};
use mancala_protocol::convert::apply_wire_step;
use mancala_protocol::{
    ActedFrame, EndView, EventBody, MatchView, Role, ServerMessage, StageView, WireAction,
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
    /// The match as it stands.
    pub view: MatchView,
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
    shape: Shape,
}

impl Followed {
    /// The match of a first view.
    #[must_use]
    pub fn new(role: Role, view: MatchView) -> Followed {
        let options = Options::deserialize(view.game, &view.options).unwrap();
        let mut followed = Followed {
            role,
            shape: AnyPosition::start(options, Side::South).shape(),
            view: view.clone(),
            events: BTreeMap::new(),
            positions: BTreeMap::new(),
            legal: None,
            presence: None,
            skips: 0,
        };
        followed.take_view(role, view);
        followed
    }

    /// A view takes the place of all there was. Where it is of the same moment, it has to
    /// be the same view.
    pub fn take_view(&mut self, role: Role, view: MatchView) {
        if view.seq == self.view.seq {
            assert_eq!(view, self.view, "the events do not lead to the view");
        }
        assert!(view.seq >= self.view.seq, "the match went back");
        self.role = role;
        self.legal = None;
        self.view = view;
        self.note_position();
    }

    fn note_position(&mut self) {
        if let Some(position) = &self.view.position {
            assert_eq!(Some(checksum(position)), self.view.checksum);
            self.positions.insert(self.view.seq, position.clone());
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
        self.view.stage == StageView::Over
    }

    /// What the client may play now, if anything.
    #[must_use]
    pub fn turn(&self) -> Option<&Legal> {
        let now = |legal: &&Legal| legal.number == self.view.next_number;
        self.legal.as_ref().filter(now)
    }

    /// Takes in what came about this match.
    pub fn take(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Event { seq, body, .. } => {
                assert_eq!(*seq, self.view.seq + 1, "a gap before {body:?}");
                self.view.seq = *seq;
                self.take_event(body);
                self.note_position();
                self.events.insert(*seq, message.clone());
            }
            ServerMessage::Legal {
                number,
                phase,
                actions,
                ..
            } => {
                let to_move = self.view.position.as_ref().unwrap().standing.to_move;
                assert_eq!(self.side(), Some(to_move), "legal actions for who waits");
                assert_eq!(*number, self.view.next_number, "legal actions of the past");
                self.legal = Some(Legal {
                    number: *number,
                    phase: phase.clone(),
                    actions: actions.clone(),
                });
            }
            ServerMessage::Presence { .. } => self.presence = Some(message.clone()),
            ServerMessage::Done { seq, .. } => {
                assert!(*seq <= self.view.seq, "`done` came before its events");
            }
            _ => {}
        }
    }

    fn take_event(&mut self, event: &EventBody) {
        let view = &mut self.view;
        if !matches!(event, EventBody::Seated { .. }) {
            view.draw_offer = None;
        }
        match event {
            EventBody::Seated { side, player } => view.players[*side] = Some(player.clone()),
            EventBody::GameBegan {
                number,
                game,
                position,
                checksum,
                ..
            } => {
                assert_eq!(*number, view.next_number);
                view.stage = StageView::Playing;
                view.next_number = number + 1;
                view.game_number = *game;
                view.position = Some(position.clone());
                view.checksum = Some(checksum.clone());
            }
            EventBody::Acted {
                number,
                acted,
                score,
            } => {
                assert_eq!(*number, view.next_number);
                view.next_number = number + 1;
                view.score = *score;
                view.checksum = Some(acted.checksum.clone());
                let position = view.position.as_mut().unwrap();
                take_acted(position, self.shape, acted);
            }
            EventBody::DrawOffered { side } => view.draw_offer = Some(*side),
            EventBody::DrawDeclined { .. } => {}
            EventBody::GameEnded { game, score, .. } => {
                assert_eq!(*game, view.game_number);
                view.score = *score;
            }
            EventBody::MatchEnded {
                winner,
                reason,
                score,
            } => {
                view.score = *score;
                view.stage = StageView::Over;
                view.ended = Some(EndView {
                    winner: *winner,
                    reason: *reason,
                });
            }
        }
    }
}

fn take_acted(position: &mut Setup, shape: Shape, acted: &ActedFrame) {
    let mover = acted.side.unwrap_or(acted.to_move);
    for step in &acted.trace {
        apply_wire_step(&mut position.board, shape, mover, step).unwrap();
    }
    let standing = &mut position.standing;
    standing.to_move = acted.to_move;
    standing.turn = acted.turn;
    standing.quiet = acted.quiet;
    standing.phase = acted.phase.unwrap_or(Phase::Play);
    match &mut position.extra {
        Extra::None {} => {}
        Extra::Omweso { captured, captures } => {
            *captured = acted.captured.unwrap_or(*captured);
            *captures = acted.captures.unwrap_or(*captures);
        }
        Extra::Anywoli { last_seed } => *last_seed = acted.last_seed.or(*last_seed),
    }
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
