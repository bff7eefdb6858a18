//! A place in the list of matches.

use crate::PublicId;
use std::fmt;
use std::str::FromStr;

/// A place in the list of matches, which is sorted by when they were made: the one that
/// the next page comes after. Clients hand it back as they got it.
///
/// ```
/// use mancala_protocol::Cursor;
/// let cursor: Cursor = "1764000000000-k3J9sPq0Zx".parse()?;
/// assert_eq!(cursor.created_ms, 1_764_000_000_000);
/// assert_eq!(cursor.to_string(), "1764000000000-k3J9sPq0Zx");
/// assert!("-1-k3J9sPq0Zx".parse::<Cursor>().is_err());
/// # Ok::<(), mancala_protocol::ParseCursorError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// When the match was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// The match.
    pub r#match: PublicId,
}

impl Cursor {
    /// The digits that the time has at most, which lasts for some 30,000 years.
    const DIGITS_MAX: usize = 15;
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.created_ms, self.r#match)
    }
}

/// The text is no place in a list.
///
/// ```
/// use mancala_protocol::{Cursor, ParseCursorError};
/// assert_eq!("".parse::<Cursor>(), Err(ParseCursorError));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseCursorError;

impl fmt::Display for ParseCursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`after` is what `next` of a page said")
    }
}

impl std::error::Error for ParseCursorError {}

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Cursor, ParseCursorError> {
        let (digits, name) = text.split_once('-').ok_or(ParseCursorError)?;
        let sound = (1..=Cursor::DIGITS_MAX).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !sound {
            return Err(ParseCursorError);
        }
        Ok(Cursor {
            created_ms: digits.parse().map_err(|_| ParseCursorError)?,
            r#match: name.parse().map_err(|_| ParseCursorError)?,
        })
    }
}
