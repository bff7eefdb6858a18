//! What clients say over the socket.

use crate::forms::{KeyForm, RequestForm, Which};
use crate::limits::NAME_CHARACTERS_MAX;
use crate::rest::SideWord;
use crate::strict::{given, given_word, object, read_from_objects, word};
use crate::talk::{RoomForm, SayingForm};
use crate::{Moderation, PublicId, TeamAsk, WireAction};
use mancala_play::{ACTIONS_MAX, Key, Note, Request, Room, Saying};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a client says over the socket. Each message may carry an `id` of the client's
/// choosing, which the answer repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[serde(remote = "Self")]
pub enum ClientMessage {
    /// Greets; the first message on a socket. Answered with `welcome`.
    Hello {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// Who greets. Without it, and without the cookie of a browser, one may watch.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        token: Option<String>,
        /// The program and its version, for the host's logs: up to 40 characters.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        #[schemars(length(max = NAME_CHARACTERS_MAX))]
        client: Option<String>,
    },
    /// Joins a match, as the player whose seat one holds or as a spectator. Answered with
    /// `joined`; joining again is answered again.
    Join {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number of the last event one has, if one was here before.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        since: Option<u64>,
    },
    /// Leaves a match on this socket. The seat stays one's own. Answered with `left`.
    Leave {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
    },
    /// Plays one to eight actions, all or none. Answered with `done` or `refused`.
    Act {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number that the first of them is to have.
        number: u32,
        /// What is to be done, in order.
        #[schemars(length(min = 1, max = ACTIONS_MAX))]
        actions: Vec<WireAction>,
        /// One's own name for this command.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Asks what actions would do, on one's own turn. Answered with `previewed` or
    /// `refused`; nothing changes.
    Preview {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number that the first of them would have.
        number: u32,
        /// What would be done, in order.
        #[schemars(length(min = 1, max = ACTIONS_MAX))]
        actions: Vec<WireAction>,
    },
    /// Asks for anything else that changes a match. Answered with `done` or `refused`.
    Ask {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// What for.
        #[serde(deserialize_with = "word")]
        #[schemars(with = "RequestForm")]
        what: Request,
        /// The number of the action that is due, as one knows it: an offer, or an answer to
        /// one, is refused if another one is due by then. For none in particular, where it is
        /// left out.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        number: Option<u32>,
        /// One's own name for this command.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Proposes to one's team one to eight actions. Answered with `done` or `refused`.
    Propose {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number that the first of them is to have.
        number: u32,
        /// What is to be done, in order.
        #[schemars(length(min = 1, max = ACTIONS_MAX))]
        actions: Vec<WireAction>,
        /// One's own name for this command.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Votes for a proposal, and no longer for another. Answered with `done` or `refused`.
    Vote {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number of the action that is due.
        number: u32,
        /// The place of the proposal, from 0.
        proposal: u32,
        /// One's own name for this command.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Asks something of one's team; as the host, of any. Answered with `done` or `refused`.
    Team {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// What for.
        #[serde(deserialize_with = "object")]
        what: TeamAsk,
        /// The team, where the host means one that he is not in.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given_word"
        )]
        #[schemars(with = "Option<Which>")]
        side: Option<SideWord>,
        /// One's own name for this command.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Listens to a room of a match that is joined: from then on come `said` and
    /// `talk_changed`. Answered with `talk` or `refused`.
    Listen {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// The number of the last line one has; none, where it is left out.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        after: Option<u32>,
    },
    /// Listens to a room no more. Answered with `noted`.
    Unlisten {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
    },
    /// Says a line in a room. Answered with `noted` or `refused`.
    Say {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// What.
        #[schemars(with = "SayingForm")]
        text: Saying,
        /// One's own name for this line: sent again with the same, it is the same line.
        #[schemars(with = "KeyForm")]
        key: Key,
    },
    /// Keeps order in a room. Answered with `noted` or `refused`; sent again it changes nothing
    /// more.
    Moderate {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// How.
        #[serde(deserialize_with = "object")]
        what: Moderation,
    },
    /// Shows a line to those who run the server, with the ten before it. Answered with `noted` or
    /// `refused`; sent again it changes nothing more.
    Report {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// The number of the line.
        line: u32,
        /// Why.
        #[schemars(with = "SayingForm")]
        why: Note,
    },
    /// Asks whether the server is there. Answered with `pong`.
    Ping {
        /// Repeated in the answer.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "given"
        )]
        id: Option<u32>,
    },
}

read_from_objects!(ClientMessage);

impl ClientMessage {
    /// The client's own number for this message.
    #[must_use]
    pub const fn id(&self) -> Option<u32> {
        match self {
            ClientMessage::Hello { id, .. }
            | ClientMessage::Join { id, .. }
            | ClientMessage::Leave { id, .. }
            | ClientMessage::Act { id, .. }
            | ClientMessage::Preview { id, .. }
            | ClientMessage::Ask { id, .. }
            | ClientMessage::Propose { id, .. }
            | ClientMessage::Vote { id, .. }
            | ClientMessage::Team { id, .. }
            | ClientMessage::Listen { id, .. }
            | ClientMessage::Unlisten { id, .. }
            | ClientMessage::Say { id, .. }
            | ClientMessage::Moderate { id, .. }
            | ClientMessage::Report { id, .. }
            | ClientMessage::Ping { id } => *id,
        }
    }

    /// The match it is about.
    #[must_use]
    pub const fn about(&self) -> Option<PublicId> {
        match self {
            ClientMessage::Hello { .. } | ClientMessage::Ping { .. } => None,
            ClientMessage::Join { r#match, .. }
            | ClientMessage::Leave { r#match, .. }
            | ClientMessage::Act { r#match, .. }
            | ClientMessage::Preview { r#match, .. }
            | ClientMessage::Ask { r#match, .. }
            | ClientMessage::Propose { r#match, .. }
            | ClientMessage::Vote { r#match, .. }
            | ClientMessage::Team { r#match, .. }
            | ClientMessage::Listen { r#match, .. }
            | ClientMessage::Unlisten { r#match, .. }
            | ClientMessage::Say { r#match, .. }
            | ClientMessage::Moderate { r#match, .. }
            | ClientMessage::Report { r#match, .. } => Some(*r#match),
        }
    }
}
