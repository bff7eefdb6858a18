//! How games and matches end in a record: as the board says, or as somebody stated.

use super::RecordError;
use super::limits::REASON_BYTES_MAX;
use crate::position_text::read_number;
use crate::{GameResult, Outcome, SeriesEnd, Side, Verdict};
use std::fmt;
use std::str::FromStr;

/// Why a result was stated that the board does not show: `resigned`, `time`, `agreed`,
/// `claimed`, `aborted`, `no_show`, `administrator`, or any other word.
///
/// ```
/// use mancala_engine::record::StatedReason;
/// let reason: StatedReason = "resigned".parse()?;
/// assert_eq!(reason.as_str(), "resigned");
/// assert!("He resigned".parse::<StatedReason>().is_err());
/// # Ok::<(), mancala_engine::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatedReason(String);

impl StatedReason {
    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StatedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for StatedReason {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<StatedReason, RecordError> {
        let first = text.starts_with(|first: char| first.is_ascii_lowercase());
        let rest = text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if first && rest && text.len() <= REASON_BYTES_MAX {
            Ok(StatedReason(text.to_owned()))
        } else {
            Err(RecordError::BadReason)
        }
    }
}

/// How a game of a record ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GameEnd {
    /// On the board: whoever replays the game sees it.
    Board(Outcome),
    /// From outside; the record can only say so.
    Stated {
        /// What it means for the match.
        result: GameResult,
        /// Why.
        reason: StatedReason,
    },
}

impl GameEnd {
    /// What it means for the match.
    #[must_use]
    pub fn result(&self) -> GameResult {
        match self {
            GameEnd::Board(outcome) => outcome.into(),
            GameEnd::Stated { result, .. } => *result,
        }
    }
}

impl From<&Outcome> for GameEnd {
    fn from(outcome: &Outcome) -> GameEnd {
        GameEnd::Board(*outcome)
    }
}

impl fmt::Display for GameEnd {
    /// `= south 12 akawumbi`, `= draw quiet`, `~ north 1 resigned`, `~ void aborted`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self {
            GameEnd::Board(_) => '=',
            GameEnd::Stated { .. } => '~',
        };
        match self.result() {
            GameResult::Win { side, points } => write!(f, "{sign} {side} {points} ")?,
            GameResult::Draw => write!(f, "{sign} draw ")?,
            GameResult::Void => write!(f, "{sign} void ")?,
        }
        match self {
            GameEnd::Board(outcome) => outcome.reason().fmt(f),
            GameEnd::Stated { reason, .. } => reason.fmt(f),
        }
    }
}

/// How a match of a record ended.
///
/// ```
/// use mancala_engine::record::MatchResult;
/// use mancala_engine::{SeriesEnd, Side};
/// let result: MatchResult = "south".parse().unwrap();
/// assert_eq!(result, MatchResult::Played(SeriesEnd::Won(Side::South)));
/// let result: MatchResult = "north resigned".parse().unwrap();
/// assert_eq!(result.to_string(), "north resigned");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatchResult {
    /// It has not.
    #[default]
    Unfinished,
    /// By its games.
    Played(SeriesEnd),
    /// From outside, as with a whole match resigned, or aborted (void).
    Stated {
        /// Who won, if anyone.
        verdict: Verdict,
        /// Why.
        reason: StatedReason,
    },
}

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchResult::Unfinished => f.write_str("*"),
            MatchResult::Played(SeriesEnd::Won(side)) => side.fmt(f),
            MatchResult::Played(SeriesEnd::Drawn) => f.write_str("draw"),
            MatchResult::Stated { verdict, reason } => {
                let verdict = match verdict {
                    Verdict::Win(side) => side.name(),
                    Verdict::Draw => "draw",
                    Verdict::Void => "void",
                };
                write!(f, "{verdict} {reason}")
            }
        }
    }
}

/// The text was no result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseMatchResultError;

impl fmt::Display for ParseMatchResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the result of a match is `south`, `north` or `draw` by its games, such a word or \
             `void` with a reason where it was stated, as in `north resigned`, or `*`",
        )
    }
}

impl std::error::Error for ParseMatchResultError {}

impl FromStr for MatchResult {
    type Err = ParseMatchResultError;

    fn from_str(text: &str) -> Result<MatchResult, ParseMatchResultError> {
        if text == "*" {
            return Ok(MatchResult::Unfinished);
        }
        let (verdict, reason) = match text.split_once(' ') {
            Some((verdict, reason)) => (verdict, Some(reason)),
            None => (text, None),
        };
        let verdict = read_verdict(verdict).ok_or(ParseMatchResultError)?;
        match (verdict, reason) {
            (_, Some(reason)) => {
                let reason = reason.parse().map_err(|_| ParseMatchResultError)?;
                Ok(MatchResult::Stated { verdict, reason })
            }
            (Verdict::Win(side), None) => Ok(MatchResult::Played(SeriesEnd::Won(side))),
            (Verdict::Draw, None) => Ok(MatchResult::Played(SeriesEnd::Drawn)),
            (Verdict::Void, None) => Err(ParseMatchResultError),
        }
    }
}

/// `south`, `north`, `draw` or `void`.
pub(super) fn read_verdict(text: &str) -> Option<Verdict> {
    match text {
        "draw" => Some(Verdict::Draw),
        "void" => Some(Verdict::Void),
        _ => text.parse::<Side>().ok().map(Verdict::Win),
    }
}

/// Points of a game: 0 to 255.
pub(super) fn read_points(text: &str) -> Option<u8> {
    u8::try_from(read_number(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_matches() {
        for text in [
            "*",
            "south",
            "north",
            "draw",
            "draw agreed",
            "void aborted",
            "south time",
        ] {
            let result: MatchResult = text.parse().unwrap();
            assert_eq!(result.to_string(), text);
        }
        for text in [
            "",
            "void",
            "South",
            "south ",
            "south  time",
            "* time",
            "1-0",
            "draw A",
        ] {
            assert_eq!(
                text.parse::<MatchResult>(),
                Err(ParseMatchResultError),
                "{text:?}"
            );
        }
    }
}
