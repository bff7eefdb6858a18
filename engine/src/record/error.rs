//! Why something cannot be put into a record.

use super::limits::{
    GAMES_MAX, NAME_BYTES_MAX, REASON_BYTES_MAX, RECORD_BYTES_MAX, TEXT_BYTES_MAX,
};
use crate::UnwritableAction;
use std::fmt;

/// Why something cannot be put into a record. The record is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// A tag or annotation whose name is not a word.
    BadName,
    /// A tag or annotation that has a meaning of its own and a method of its own.
    KnownName,
    /// The reason of a stated result is not a word.
    BadReason,
    /// A comment or value that is too long.
    TextTooLong,
    /// A start position with more pits than any board has.
    BadStart,
    /// One game more than any match can have.
    TooManyGames,
    /// The record as a whole would be too large.
    TooLarge,
    /// An action that no board of this game can bear.
    Action(UnwritableAction),
    /// No game has begun yet.
    NoGame,
    /// The game has its result already.
    GameEnded,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::BadName => write!(
                f,
                "a name is a lower-case letter and then lower-case letters, digits, `_`, `-` \
                 and `.`, at most {NAME_BYTES_MAX} in all"
            ),
            RecordError::KnownName => {
                f.write_str("this name has a meaning of its own and is set by its own method")
            }
            RecordError::BadReason => write!(
                f,
                "the reason of a stated result is a lower-case letter and then lower-case \
                 letters, digits and `_`, at most {REASON_BYTES_MAX} in all, as in `resigned`"
            ),
            RecordError::TextTooLong => {
                write!(
                    f,
                    "a text holds at most {TEXT_BYTES_MAX} bytes; cut it in two"
                )
            }
            RecordError::BadStart => f.write_str("no board has more than 72 pits a side"),
            RecordError::TooManyGames => write!(f, "a match has at most {GAMES_MAX} games"),
            RecordError::TooLarge => write!(
                f,
                "a record holds at most {RECORD_BYTES_MAX} bytes of names, texts and actions"
            ),
            RecordError::Action(error) => error.fmt(f),
            RecordError::NoGame => f.write_str("no game has begun yet"),
            RecordError::GameEnded => f.write_str("the game has its result already"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RecordError::Action(error) => Some(error),
            _ => None,
        }
    }
}

impl From<UnwritableAction> for RecordError {
    fn from(error: UnwritableAction) -> RecordError {
        RecordError::Action(error)
    }
}
