//! What somebody asks of a match, what comes with it from outside, and the answer.

use crate::{Event, Key};
use mancala_engine::{Action, Side};

/// What somebody asks of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take the free seat of a side. Whether the asker may is for the caller to know:
    /// the secret of a link is no matter of the match.
    Sit {
        /// The side.
        side: Side,
    },
    /// Play one to [`ACTIONS_MAX`](crate::ACTIONS_MAX) actions, all or none.
    Act {
        /// The number that the first of them is to have.
        number: u32,
        /// What is to be done, in order.
        actions: Vec<Action>,
        /// The client's name for this command.
        key: Key,
    },
    /// Anything else that changes a match.
    Other {
        /// What is asked.
        request: Request,
        /// The client's name for this command.
        key: Key,
    },
}

/// What may be asked beside actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Give the current game to the opponent; on one's own turn only.
    ResignGame,
    /// Give the match to the opponent.
    ResignMatch,
    /// Propose that the current game be drawn.
    OfferDraw,
    /// Take the opponent's offer.
    AcceptDraw,
    /// Decline the opponent's offer, or withdraw one's own.
    DeclineDraw,
    /// End the match without a result, in game 1, before both sides have moved.
    Abort,
}

impl Command {
    /// A command to act.
    #[must_use]
    pub const fn act(number: u32, actions: Vec<Action>, key: Key) -> Command {
        Command::Act {
            number,
            actions,
            key,
        }
    }
}

/// What a decision needs from outside, so that it invents nothing itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// A side drawn by lot, fresh for each decision. It decides who begins a match and
    /// who gets the last four seeds of Anywoli.
    pub lot: Side,
}

/// What a command leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These events; the command is done when they are written down.
    Do(Vec<Event>),
    /// The command was done before, and this is what it came to.
    Done(Receipt),
}

/// What an accepted command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Receipt {
    /// The number of the first action it brought; for commands that bring none, of the
    /// next one to come.
    pub number: u32,
    /// How many actions it brought, those of the lot included.
    pub actions: u32,
    /// The place of its first event in the stream.
    pub seq: u64,
}
