//! What somebody asks of a match, what comes with it from outside, and the answer.

use crate::{Asked, Event, Key, OfferKind, Spent, TeamRequest};
use mancala_engine::{Action, BySide, Side};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What somebody asks of a match.
///
/// ```
/// use mancala_engine::{Action, Pit};
/// use mancala_play::{Command, OfferKind, Request};
/// let sow = Command::act(2, vec![Action::sow(Pit(3))], "k1".parse()?);
/// let offer = Command::ask(Request::Offer(OfferKind::Draw), "k2".parse()?);
/// # assert_ne!(sow, offer);
/// # Ok::<(), mancala_play::ParseKeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take the free seat of a side; in a team, wait for one, where none is free. Whether the
    /// asker may is for the caller to know: the secret of a link is no matter of the match.
    Sit {
        /// The side.
        side: Side,
        /// Does somebody want him there who brings people to it? Whoever was taken out of a
        /// team does not come again without that.
        asked_for: bool,
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
        /// The number of the action that is due, as the asker knows it: where it is given
        /// and another one is due by now, the command is refused.
        number: Option<u32>,
        /// The client's name for this command.
        key: Key,
    },
    /// Something that is for a team to decide or to know.
    Team {
        /// The team, where the host means one that he is not in.
        side: Option<Side>,
        /// What is asked.
        request: TeamRequest,
        /// The client's name for this command.
        key: Key,
    },
}

/// What may be asked beside actions.
///
/// ```
/// use mancala_play::{OfferKind, Request};
/// let offer = Request::Offer(OfferKind::Draw);
/// assert_eq!(serde_json::to_string(&offer)?, r#""offer_draw""#);
/// assert_eq!("accept_takeback".parse(), Ok(Request::Accept(OfferKind::Takeback)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// Give the current game to the opponent; on one's own turn only.
    ResignGame,
    /// Give the match to the opponent.
    ResignMatch,
    /// End the match without a result, in game 1, before both sides have moved.
    Abort,
    /// Sign the contract; the first game begins when both sides have.
    Sign,
    /// Let the clocks go on after a pause.
    Resume,
    /// Claim the game, because the side to move is away for longer than its grace.
    ClaimWin,
    /// Claim a draw of the game for the same reason.
    ClaimDraw,
    /// Let everybody read what the members of the team said to each other, after the match.
    Publish,
    /// Offer something: once between two actions. The offer stands until it is answered or
    /// withdrawn, or an action is played.
    Offer(OfferKind),
    /// Take the opponent's offer.
    Accept(OfferKind),
    /// Decline the opponent's offer, or withdraw one's own.
    Decline(OfferKind),
}

impl Request {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Request> {
        let offers = OfferKind::ALL.into_iter();
        let of_offers = offers.flat_map(|kind| {
            [
                Request::Offer(kind),
                Request::Accept(kind),
                Request::Decline(kind),
            ]
        });
        [
            Request::ResignGame,
            Request::ResignMatch,
            Request::Abort,
            Request::Sign,
            Request::Resume,
            Request::ClaimWin,
            Request::ClaimDraw,
            Request::Publish,
        ]
        .into_iter()
        .chain(of_offers)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, kind) = match self {
            Request::ResignGame => return f.write_str("resign_game"),
            Request::ResignMatch => return f.write_str("resign_match"),
            Request::Abort => return f.write_str("abort"),
            Request::Sign => return f.write_str("sign"),
            Request::Resume => return f.write_str("resume"),
            Request::ClaimWin => return f.write_str("claim_win"),
            Request::ClaimDraw => return f.write_str("claim_draw"),
            Request::Publish => return f.write_str("publish"),
            Request::Offer(kind) => ("offer", kind),
            Request::Accept(kind) => ("accept", kind),
            Request::Decline(kind) => ("decline", kind),
        };
        write!(f, "{verb}_{}", kind.as_str())
    }
}

/// The word is none of what may be asked.
///
/// ```
/// use mancala_play::{ParseRequestError, Request};
/// assert_eq!("offer_tea".parse::<Request>(), Err(ParseRequestError));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRequestError;

impl fmt::Display for ParseRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("that is nothing one may ask for; `offer_draw` is, for example")
    }
}

impl std::error::Error for ParseRequestError {}

impl FromStr for Request {
    type Err = ParseRequestError;

    fn from_str(word: &str) -> Result<Request, ParseRequestError> {
        Request::all()
            .find(|request| request.to_string() == word)
            .ok_or(ParseRequestError)
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Request, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        word.parse().map_err(serde::de::Error::custom)
    }
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

    /// The client's name for it, if it has one.
    #[must_use]
    pub const fn key(&self) -> Option<&Key> {
        match self {
            Command::Sit { .. } => None,
            Command::Act { key, .. } | Command::Other { key, .. } | Command::Team { key, .. } => {
                Some(key)
            }
        }
    }

    /// A command to do anything else, whichever action is due.
    #[must_use]
    pub const fn ask(request: Request, key: Key) -> Command {
        Command::Other {
            request,
            number: None,
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
    /// For how long each side has been away, in milliseconds, since it went or was [waited for
    /// anew](Event::renews_grace); nothing where it is here.
    pub away_ms: BySide<i64>,
    /// From this number the name of a rematch is made, if there is to be one.
    pub rematch: u64,
}

impl Context {
    /// Where no time goes by.
    #[must_use]
    pub const fn untimed(lot: Side) -> Context {
        Context {
            lot,
            spent: Spent::NOTHING,
            away_ms: BySide { south: 0, north: 0 },
            rematch: 0,
        }
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
///         Decision::Done(_) | Decision::GoBack { .. } => Vec::new(),
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
    /// The match is to go back to where it was before the action of this number:
    /// [`Match::decide_back_to`](crate::Match::decide_back_to) says how, once that state has
    /// been read from the log.
    GoBack {
        /// The events that come first, where it follows from them.
        first: Vec<Event>,
        /// The number.
        number: u32,
        /// The command that takes the offer.
        asked: Asked,
    },
}

/// What an accepted command came to. [`Match::receipt`](crate::Match::receipt) has it once
/// the events are applied.
///
/// ```
/// use mancala_play::Receipt;
/// let receipt = Receipt { number: 7, actions: 2, seq: 11, only: None };
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
    /// The place in the stream of the first event that bears its key. Before that may stand
    /// that a pause was over by it.
    pub seq: u64,
    /// Of which team that stream is; of everybody's, where this is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Side>,
}
