//! The words on the wire: what clients and the server say to each other, over the socket
//! and over REST.
//!
//! May know the rules and the match (`mancala-engine`, `mancala-play`) and turns their
//! values into messages, never sockets or storage. Every message is a Rust type here; the
//! schemas and documents in `proto-docs` are made from these types by [`documents`]. For
//! clients there is a [`Follower`], which keeps a match by what comes.
//!
//! ```
//! use mancala_protocol::ClientMessage;
//! let frame = r#"{"type":"join","id":1,"match":"k3J9sPq0Zx"}"#;
//! let message: ClientMessage = serde_json::from_str(frame)?;
//! assert_eq!(message.id(), Some(1));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod action;
pub mod challenge;
mod client;
mod clocks;
mod close;
mod code;
pub mod convert;
mod cursor;
pub mod documents;
mod follow;
mod forms;
pub mod invite;
pub mod limits;
mod public_id;
pub mod rest;
mod server;
pub mod standing;
mod strict;
mod talk;
mod teams;
mod trace;
mod view;

pub use action::WireAction;
pub use client::ClientMessage;
pub use clocks::{ClockChange, ClockView, ClocksView, Entries, SomeSides};
pub use close::CloseCode;
pub use code::{Code, all_codes};
pub use cursor::{Cursor, ParseCursorError};
pub use follow::{FollowError, Follower, checksum_of_setup};
pub use public_id::{ParsePublicIdError, PublicId};
pub use server::{ActedFrame, EventBody, OutcomeWord, Role, ServerMessage};
pub use talk::{LineView, Moderation, TalkChange};
pub use teams::{
    BackedView, CouncilView, MemberView, NewTeams, PersonView, ProposalView, TeamAsk, TeamFrame,
    TeamView, TeamsView, VoteView, YourTeam,
};
pub use trace::{SweepFrom, WireStep};
pub use view::{AwayView, EndReason, EndView, MatchView, OfferView, PlayerView, StageView};

/// The name of this protocol, as the WebSocket subprotocol says it.
pub const SUBPROTOCOL: &str = "mancala.v1";
