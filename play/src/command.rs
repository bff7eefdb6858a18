//! What somebody asks of a match, what comes with it from outside, and the answer.

use crate::{Event, Key, Spent};
use mancala_engine::{Action, Side};

/// What somebody asks of a match.
///
/// ```
/// use mancala_engine::{Action, Pit};
/// use mancala_play::{Command, Request};
/// let sow = Command::act(2, vec![Action::sow(Pit(3))], "k1".parse()?);
/// let offer = Command::Other { request: Request::OfferDraw, key: "k2".parse()? };
/// # assert_ne!(sow, offer);
/// # Ok::<(), mancala_play::ParseKeyError>(())
/// ```
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
///
/// ```
/// use mancala_play::Request;
/// assert_eq!(serde_json::to_string(&Request::OfferDraw)?, r#""offer_draw""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Give the current game to the opponent; on one's own turn only.
    ResignGame,
    /// Give the match to the opponent.
    ResignMatch,
    /// Propose that the current game be drawn: once between two actions. The proposal
    /// stands until it is answered or withdrawn, or an action is played.
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
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::Context;
/// let random_byte = 7;
/// let context = Context::untimed(Side::ALL[random_byte % 2]);
/// assert_eq!(context.lot, Side::North);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// A side drawn by lot, fresh for each decision. It decides who begins a match and
    /// who gets the last four seeds of Anywoli.
    pub lot: Side,
    /// What the side whose clock runs has spent since it was settled last.
    pub spent: Spent,
}

impl Context {
    /// Where no time goes by.
    #[must_use]
    pub const fn untimed(lot: Side) -> Context {
        let spent = Spent::NOTHING;
        Context { lot, spent }
    }
}

/// What a command leads to.
///
/// ```
/// use mancala_play::{Decision, Event};
/// /// What has to be written down.
/// fn to_write(decision: Decision) -> Vec<Event> {
///     match decision {
///         Decision::Do(events) => events,
///         Decision::Done(_) => Vec::new(),
///     }
/// }
/// # assert_eq!(to_write(Decision::Do(Vec::new())), []);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These events; the command is done when they are written down.
    Do(Vec<Event>),
    /// The command was done before, and this is what it came to.
    Done(Receipt),
}

/// What an accepted command came to. [`Match::receipt`](crate::Match::receipt) has it once
/// the events are applied.
///
/// ```
/// use mancala_play::Receipt;
/// let receipt = Receipt { number: 7, actions: 2, seq: 11 };
/// assert_eq!(
///     serde_json::to_string(&receipt)?,
///     r#"{"number":7,"actions":2,"seq":11}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
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
