//! What a record says beyond the play: comments, annotations, clock times, own tags.

use super::RecordError;
use super::limits::{NAME_BYTES_MAX, TAG_COST, TEXT_BYTES_MAX};
use std::fmt;
use std::str::FromStr;

/// A tag that the format does not know. It is kept to the letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    name: String,
    value: String,
}

impl Tag {
    /// A tag with a name and a value.
    ///
    /// # Errors
    /// The name is no word or belongs to the format; the value is too long.
    ///
    /// ```
    /// use mancala_engine::record::{RecordError, Tag};
    /// let tag = Tag::new("event", "Kampala Open")?;
    /// assert_eq!((tag.name(), tag.value()), ("event", "Kampala Open"));
    /// assert_eq!(Tag::new("game", "omweso"), Err(RecordError::KnownName));
    /// # Ok::<(), RecordError>(())
    /// ```
    pub fn new(name: &str, value: &str) -> Result<Tag, RecordError> {
        check_name(name)?;
        if KNOWN_TAGS.contains(&name) {
            return Err(RecordError::KnownName);
        }
        check_text(value)?;
        Ok(Tag {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    pub(super) fn cost(&self) -> usize {
        TAG_COST + self.name.len() + self.value.len()
    }
}

/// The tags that the format knows, in the order in which they are printed.
pub(super) const KNOWN_TAGS: [&str; 10] = [
    "record", "game", "options", "format", "rules", "begins", "south", "north", "score", "result",
];

/// A comment for people, or an annotation for programs that know its name. Both are
/// kept to the letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    // A comment has no name.
    name: Option<String>,
    text: String,
}

impl Note {
    /// The annotation of the time that is left to the one who acted.
    pub const CLOCK: &'static str = "clock";
    /// The annotation of the time that an action took.
    pub const SPENT: &'static str = "spent";

    /// A comment.
    ///
    /// # Errors
    /// The text is too long.
    ///
    /// ```
    /// use mancala_engine::record::{Note, RecordError};
    /// let note = Note::comment("A bold strip.")?;
    /// assert_eq!((note.name(), note.text()), (None, "A bold strip."));
    /// # Ok::<(), RecordError>(())
    /// ```
    pub fn comment(text: &str) -> Result<Note, RecordError> {
        check_text(text)?;
        Ok(Note {
            name: None,
            text: text.to_owned(),
        })
    }

    /// An annotation with a name of one's own.
    ///
    /// # Errors
    /// The name is no word, or is that of a clock time; the value is too long.
    ///
    /// ```
    /// use mancala_engine::record::{Note, RecordError};
    /// let note = Note::annotation("decided_by", "Chikondi, 5 of 7")?;
    /// assert_eq!(note.name(), Some("decided_by"));
    /// # Ok::<(), RecordError>(())
    /// ```
    pub fn annotation(name: &str, value: &str) -> Result<Note, RecordError> {
        check_name(name)?;
        if [Note::CLOCK, Note::SPENT].contains(&name) {
            return Err(RecordError::KnownName);
        }
        check_text(value)?;
        Ok(Note {
            name: Some(name.to_owned()),
            text: value.to_owned(),
        })
    }

    /// The time that is left to the one who acted, after the action.
    ///
    /// ```
    /// use mancala_engine::record::{ClockTime, Note};
    /// let note = Note::clock(ClockTime::from_ms(61_500));
    /// assert_eq!((note.name(), note.text()), (Some("clock"), "0:01:01.500"));
    /// assert_eq!(note.time(), Some(ClockTime::from_ms(61_500)));
    /// ```
    #[must_use]
    pub fn clock(left: ClockTime) -> Note {
        Note {
            name: Some(Note::CLOCK.to_owned()),
            text: left.to_string(),
        }
    }

    /// The time that the action took.
    #[must_use]
    pub fn spent(time: ClockTime) -> Note {
        Note {
            name: Some(Note::SPENT.to_owned()),
            text: time.to_string(),
        }
    }

    /// The name of an annotation; a comment has none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The text of a comment, the value of an annotation.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The time that an annotation named `clock` or `spent` gives.
    #[must_use]
    pub fn time(&self) -> Option<ClockTime> {
        match self.name() {
            Some(Note::CLOCK | Note::SPENT) => self.text.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn cost(&self) -> usize {
        TAG_COST + self.name.as_ref().map_or(0, String::len) + self.text.len()
    }
}

/// A time on a clock, in milliseconds: `0:04:58.250`.
///
/// ```
/// use mancala_engine::record::ClockTime;
/// let time = ClockTime::from_ms(298_250);
/// assert_eq!(time.to_string(), "0:04:58.250");
/// assert_eq!("0:04:58.250".parse(), Ok(time));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockTime(u64);

impl ClockTime {
    /// So many milliseconds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> ClockTime {
        ClockTime(ms)
    }

    /// The milliseconds.
    #[must_use]
    pub const fn ms(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        write!(
            f,
            "{hours}:{minutes:02}:{:02}.{:03}",
            seconds % 60,
            self.0 % 1000
        )
    }
}

/// The text was no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseClockTimeError;

impl fmt::Display for ParseClockTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a clock time is hours, minutes, seconds and thousandths, as in `0:04:58.250`")
    }
}

impl std::error::Error for ParseClockTimeError {}

impl FromStr for ClockTime {
    type Err = ParseClockTimeError;

    /// Reads the one form that is printed, so that nothing is lost.
    fn from_str(text: &str) -> Result<ClockTime, ParseClockTimeError> {
        let read = || {
            let (hours, rest) = text.split_once(':')?;
            let (minutes, rest) = rest.split_once(':')?;
            let (seconds, thousandths) = rest.split_once('.')?;
            let number = |digits: &str| digits.parse::<u64>().ok();
            let seconds = number(hours)?
                .checked_mul(3600)?
                .checked_add(number(minutes)?.checked_mul(60)?)?
                .checked_add(number(seconds)?)?;
            seconds.checked_mul(1000)?.checked_add(number(thousandths)?)
        };
        read()
            .map(ClockTime)
            .filter(|time| time.to_string() == text)
            .ok_or(ParseClockTimeError)
    }
}

fn check_name(name: &str) -> Result<(), RecordError> {
    let first = name.starts_with(|first: char| first.is_ascii_lowercase());
    let rest = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.".contains(&byte));
    if first && rest && name.len() <= NAME_BYTES_MAX {
        Ok(())
    } else {
        Err(RecordError::BadName)
    }
}

pub(super) fn check_text(text: &str) -> Result<(), RecordError> {
    if text.len() <= TEXT_BYTES_MAX {
        Ok(())
    } else {
        Err(RecordError::TextTooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_times_are_written_one_way() {
        for ms in [0, 999, 59_999, 60_000, 3_600_000, 36_000_000_001, u64::MAX] {
            let time = ClockTime::from_ms(ms);
            assert_eq!(time.to_string().parse(), Ok(time));
        }
        for text in [
            "",
            "1:00",
            "0:04:58",
            "0:4:58.250",
            "00:04:58.250",
            "0:60:00.000",
            "0:04:60.000",
            "0:04:58.25",
            "+0:04:58.250",
            "0:04:58.2500",
            "18446744073709551615:00:00.000",
        ] {
            assert_eq!(
                text.parse::<ClockTime>(),
                Err(ParseClockTimeError),
                "{text:?}"
            );
        }
    }

    #[test]
    fn names_are_words() {
        for name in ["", "1st", "Event", "two words", "é", "_x", &"x".repeat(65)] {
            assert_eq!(Tag::new(name, ""), Err(RecordError::BadName), "{name:?}");
            assert_eq!(
                Note::annotation(name, ""),
                Err(RecordError::BadName),
                "{name:?}"
            );
        }
        assert!(Tag::new("org.example-2_x", "").is_ok());
        assert_eq!(
            Note::annotation("clock", "soon"),
            Err(RecordError::KnownName)
        );
        let long = "x".repeat(TEXT_BYTES_MAX + 1);
        assert_eq!(Note::comment(&long), Err(RecordError::TextTooLong));
        assert!(Note::comment(&long[1..]).is_ok());
    }
}
