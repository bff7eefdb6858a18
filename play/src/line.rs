//! Text that people write into a match and others read.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A line of text: up to `MAX` characters as people count them, none of them for control.
///
/// What people count as one is several code points in many a script, so that bytes are counted
/// here: five to a character. How many characters those are, and whether each can be seen, is
/// asked where text comes in; what was written down once is read for ever.
///
/// ```
/// use mancala_play::{Line, ParseLineError};
/// let line: Line<20> = "The lamp went out.".parse()?;
/// assert_eq!(line.as_str(), "The lamp went out.");
/// assert_eq!("".parse::<Line<20>>(), Err(ParseLineError { max: 20 }));
/// # Ok::<(), ParseLineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Line<const MAX: usize>(Box<str>);

/// What somebody who runs the server says about a match.
pub type Note = Line<200>;

/// What a team is called in a match.
pub type TeamName = Line<40>;

impl<const MAX: usize> Line<MAX> {
    /// The most bytes of UTF-8 that it has.
    pub const BYTES_MAX: usize = 5 * MAX;

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is no such line.
///
/// ```
/// use mancala_play::ParseLineError;
/// assert!(ParseLineError { max: 40 }.to_string().starts_with("up to 40 characters"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLineError {
    /// The most characters that it may have, in five times as many bytes.
    pub max: usize,
}

impl fmt::Display for ParseLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "up to {} characters in {} bytes are wanted, none of them for control",
            self.max,
            5 * self.max
        )
    }
}

impl std::error::Error for ParseLineError {}

impl<const MAX: usize> FromStr for Line<MAX> {
    type Err = ParseLineError;

    fn from_str(text: &str) -> Result<Line<MAX>, ParseLineError> {
        let fits = (1..=Self::BYTES_MAX).contains(&text.len());
        if fits && !text.chars().any(char::is_control) {
            Ok(Line(text.into()))
        } else {
            Err(ParseLineError { max: MAX })
        }
    }
}

impl<const MAX: usize> TryFrom<String> for Line<MAX> {
    type Error = ParseLineError;

    fn try_from(text: String) -> Result<Line<MAX>, ParseLineError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What logs hold is read, though nobody could write all of it today.
    #[test]
    fn what_was_written_once_is_read() {
        for text in ["  ", " x ", "\u{200b}", "\u{202e}abc", "D\u{2028}E"] {
            let written = serde_json::to_string(text).unwrap();
            let name: TeamName = serde_json::from_str(&written).unwrap();
            assert_eq!(name.as_str(), text);
        }
        let most = "\u{10ffff}".repeat(40);
        assert!(
            most.parse::<TeamName>().is_ok(),
            "of the widest code points"
        );
        for text in ["", "a\nb", "\u{9b}", &"x".repeat(201)] {
            assert_eq!(text.parse::<TeamName>(), Err(ParseLineError { max: 40 }));
        }
    }
}
