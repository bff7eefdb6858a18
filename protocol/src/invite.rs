//! How people come to a match, on the wire: links, invitations, and by what somebody is known
//! to who invites him.

use crate::forms::{GameForm, PersonIdForm, Which};
use crate::rest::SideWord;
use crate::strict::{read_from_objects, word};
use crate::{PlayerView, PublicId};
use mancala_engine::Side;
use mancala_play::UserId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

read_from_objects!(NewInvitation, NewLink);

/// Who one is.
///
/// ```
/// use mancala_protocol::invite::Me;
/// let text = r#"{"id":"0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e","name":"Nakato"}"#;
/// let me: Me = serde_json::from_str(text)?;
/// assert_eq!(me.name, "Nakato");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// By this one is invited: it is no secret, and gives no rights.
    #[schemars(with = "PersonIdForm")]
    pub id: UserId,
    /// The name for people.
    pub name: String,
}

/// Asks for a link to a side of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewLink {
    /// To which.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Which")]
    pub side: SideWord,
}

/// A link that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// To which side.
    #[schemars(with = "Which")]
    pub side: Side,
    /// Whoever has it may come to that side. It belongs behind the `#` of an address, never
    /// before it. Shown this once.
    pub secret: String,
}

/// Asks somebody to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewInvitation {
    /// Whom: the `id` that `GET /api/v1/me` tells him.
    #[schemars(with = "PersonIdForm")]
    pub person: UserId,
    /// On which side.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Which")]
    pub side: SideWord,
}

/// An invitation to a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invitation {
    /// To which.
    pub r#match: PublicId,
    /// What is played there.
    #[schemars(with = "GameForm")]
    pub game: String,
    /// To which side: he may take a seat there.
    #[schemars(with = "Which")]
    pub side: Side,
    /// Who invites him.
    pub by: PlayerView,
    /// Since when, in milliseconds since 1970.
    pub created_ms: i64,
    /// Has the host put him there already? Left out, where not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seated: bool,
}

/// One's invitations to matches that are not over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InvitationList {
    /// The newest first; at most a hundred.
    pub invitations: Vec<Invitation>,
}
