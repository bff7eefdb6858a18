//! What happens in a team: the words of the log for it.

use crate::{Digest, Key, Request, UserId};
use mancala_engine::Action;
use serde::{Deserialize, Serialize};

/// What happens in a team of a match.
///
/// ```
/// use mancala_play::{TeamEvent, UserId};
/// let user = UserId(uuid::Uuid::from_u128(1));
/// assert!(!TeamEvent::Came { user }.is_private());
/// assert!(TeamEvent::Voted { user, proposal: 0 }.is_private());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TeamEvent {
    /// Somebody came and took a free seat.
    Came {
        /// Who.
        user: UserId,
    },
    /// Somebody came and waits for a seat.
    Waits {
        /// Who.
        user: UserId,
    },
    /// Who waited took a free seat.
    Sat {
        /// Who.
        user: UserId,
    },
    /// Somebody left: a seat, or those who wait.
    Left {
        /// Who.
        user: UserId,
    },
    /// Who waited plays on the seat of a member who is absent and holds it still.
    StoodIn {
        /// Who waited.
        user: UserId,
        /// For whom.
        member: UserId,
    },
    /// The holder of a seat plays on it again; who stood in waits.
    HandedBack {
        /// The holder.
        holder: UserId,
    },
    /// The team has another captain.
    Led {
        /// The captain.
        user: UserId,
    },
    /// The members stand in another order.
    Ordered {
        /// All of them.
        users: Vec<UserId>,
    },
    /// Somebody has been away for longer than he may.
    Absent {
        /// Who.
        user: UserId,
    },
    /// Who was absent is present.
    Present {
        /// Who.
        user: UserId,
    },
    /// In rotation: the turn went to another member, because the one before is absent.
    Passed {
        /// To whom.
        user: UserId,
    },
    /// The team is ready to begin before all its seats are taken.
    Ready,
    /// A member proposes what to play.
    Proposed {
        /// Who.
        user: UserId,
        /// What, in order.
        actions: Vec<Action>,
    },
    /// A member votes for a proposal, and no longer for another.
    Voted {
        /// Who.
        user: UserId,
        /// Its place among the proposals, from 0.
        proposal: u32,
    },
    /// The window for votes has closed, and there was nothing to play.
    WindowClosed,
    /// A member wants the team to ask for something.
    Backed {
        /// Who.
        user: UserId,
        /// For what.
        request: Request,
    },
    /// The match is over, and the members let everybody read what they said to each other.
    Published,
}

impl TeamEvent {
    /// Is it for the team alone to know?
    #[must_use]
    pub const fn is_private(&self) -> bool {
        matches!(
            self,
            TeamEvent::Proposed { .. }
                | TeamEvent::Voted { .. }
                | TeamEvent::WindowClosed
                | TeamEvent::Backed { .. }
        )
    }
}

/// Whose command brought what happened in a team.
///
/// ```
/// use mancala_play::{Digest, Told, UserId};
/// let user = UserId(uuid::Uuid::from_u128(1));
/// let told = Told { user, key: "k1".parse()?, content: Digest(7) };
/// assert!(serde_json::to_string(&told)?.ends_with(r#""key":"k1","content":7}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Who.
    pub user: UserId,
    /// With which key.
    pub key: Key,
    /// A hash of all that was asked.
    pub content: Digest,
}
