//! What has happened in a match: the words of its log.

use crate::command::Request;
use crate::{Key, MatchSpec, Spent, UserId};
use mancala_engine::{Action, Side};
use serde::{Deserialize, Serialize};

/// One thing that has happened in a match, as its log keeps it. A log is read for as long
/// as the match is of interest to anyone: a variant never changes its meaning, and fields
/// are only added with a value for their absence.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::Event;
/// let line = r#"{"type":"game_began","game":1,"begins":"south"}"#;
/// let event: Event = serde_json::from_str(line)?;
/// assert_eq!(event, Event::GameBegan { game: 1, begins: Side::South });
/// assert!(event.is_numbered());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The match was made. Always the first event, and only that.
    Created {
        /// What was agreed.
        spec: MatchSpec,
    },
    /// Somebody took a seat.
    Seated {
        /// Of which side.
        side: Side,
        /// Who.
        user: UserId,
    },
    /// A game began. Takes an action number.
    GameBegan {
        /// Its number, from 1.
        game: u32,
        /// The side that begins; in game 1 the lot said so.
        begins: Side,
    },
    /// An action was played. Takes an action number.
    Acted {
        /// By the side to move; the lot's answer is nobody's.
        side: Option<Side>,
        /// What was done.
        action: Action,
        /// The key of the command that brought it; it stands with each of its actions.
        key: Option<Key>,
        /// How many actions of the same command came before this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        part: u32,
        /// What the side had spent of its time since it was settled last.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// A side offers to draw the current game.
    DrawOffered {
        /// Who offers, and with which key.
        asked: Asked,
    },
    /// An offer is no more.
    DrawDeclined {
        /// Who declined it, or withdrew the own one, and with which key.
        asked: Asked,
    },
    /// A game ended.
    GameEnded {
        /// How, and what it brings.
        outcome: GameOutcome,
        /// Who asked for it and with which key, where a command did and not the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
    },
    /// The match is over.
    MatchEnded {
        /// How.
        end: MatchEnd,
        /// Who asked for it and with which key, where it did not follow from its games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
    },
}

impl Event {
    /// The command behind this event, if it was no action.
    #[must_use]
    pub const fn asked(&self) -> Option<&Asked> {
        match self {
            Event::DrawOffered { asked } | Event::DrawDeclined { asked } => Some(asked),
            Event::GameEnded { asked, .. } | Event::MatchEnded { asked, .. } => asked.as_ref(),
            _ => None,
        }
    }

    /// Does this event take an action number?
    #[must_use]
    pub const fn is_numbered(&self) -> bool {
        matches!(self, Event::GameBegan { .. } | Event::Acted { .. })
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The command behind an event, if it was no action.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Asked, Event, Request};
/// let asked = Asked {
///     side: Side::South,
///     request: Request::OfferDraw,
///     key: "k1".parse()?,
/// };
/// let event = Event::DrawOffered { asked: asked.clone() };
/// assert_eq!(event.asked(), Some(&asked));
/// # Ok::<(), mancala_play::ParseKeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Who asked.
    pub side: Side,
    /// For what.
    pub request: Request,
    /// With which key.
    pub key: Key,
}

/// How a game ended and what it brings.
///
/// ```
/// use mancala_engine::{GameResult, Outcome, Reason, Side};
/// use mancala_play::GameOutcome;
/// let outcome = GameOutcome::Board(Outcome::win(Side::South, 12, Reason::Akawumbi));
/// assert_eq!(outcome.result(), GameResult::Win { side: Side::South, points: 12 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameOutcome {
    /// On the board, by the rules.
    Board(mancala_engine::Outcome),
    /// From outside the board.
    Outside {
        /// The winner; nobody, where the game is drawn.
        winner: Option<Side>,
        /// Why.
        reason: OutsideReason,
    },
}

/// Why a game ended otherwise than by the rules of the board.
///
/// ```
/// use mancala_play::OutsideReason;
/// assert_eq!(OutsideReason::Agreed.code(), "agreed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideReason {
    /// The loser resigned it.
    Resigned,
    /// Both sides agreed on a draw.
    Agreed,
    /// The loser's time was over.
    Time,
}

impl OutsideReason {
    /// The stable name for programs and records.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            OutsideReason::Resigned => "resigned",
            OutsideReason::Agreed => "agreed",
            OutsideReason::Time => "time",
        }
    }
}

/// How a match ended.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::MatchEnd;
/// let end = MatchEnd::Resigned { winner: Side::North };
/// assert_eq!(end.winner(), Some(Side::North));
/// assert_eq!(MatchEnd::Aborted.winner(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchEnd {
    /// By its games: this side won, or nobody.
    Played {
        /// The winner.
        winner: Option<Side>,
    },
    /// The other side resigned it.
    Resigned {
        /// The winner.
        winner: Side,
    },
    /// It was broken off before it counted.
    Aborted,
}

impl MatchEnd {
    /// The side that won.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            MatchEnd::Played { winner } => winner,
            MatchEnd::Resigned { winner } => Some(winner),
            MatchEnd::Aborted => None,
        }
    }
}
