//! A text that a command is given: a file by its path, or standard input as `-`.
//!
//! May know files and UTF-8, never what a text says.

use mancala_engine::record::LineColumn;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// The largest text taken, in bytes. It is held in memory as a whole; a quarter of a
/// million matches of a kilobyte each have room in it.
pub(crate) const SOURCE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl From<OsString> for Source {
    fn from(argument: OsString) -> Source {
        if argument == "-" {
            Source::Stdin
        } else {
            Source::File(argument.into())
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("-"),
            Source::File(path) => path.display().fmt(f),
        }
    }
}

/// Why a source gives no text.
#[derive(Debug)]
pub(crate) enum ReadError {
    Io(io::Error),
    TooLarge,
    /// Up to here it is UTF-8.
    NotUtf8(LineColumn),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::TooLarge => write!(f, "larger than {SOURCE_BYTES_MAX} bytes"),
            ReadError::NotUtf8(_) => f.write_str("not UTF-8 from here on"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl Source {
    /// The whole text.
    ///
    /// # Errors
    /// It cannot be read, is too large, or no text.
    pub(crate) fn read(&self) -> Result<String, ReadError> {
        match self {
            Source::Stdin => read_all(io::stdin().lock(), SOURCE_BYTES_MAX),
            Source::File(path) => {
                let file = File::open(path).map_err(ReadError::Io)?;
                read_all(file, SOURCE_BYTES_MAX)
            }
        }
    }
}

fn read_all(input: impl Read, bytes_max: u64) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let mut bounded = input.take(bytes_max + 1);
    bounded.read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > bytes_max {
        return Err(ReadError::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        ReadError::NotUtf8(end_of(&error.as_bytes()[..valid]))
    })
}

/// The place after a text, counted as in records.
fn end_of(text: &[u8]) -> LineColumn {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let line_feeds = text.iter().filter(|&&byte| byte == b'\n').count();
    let last_line = text.rsplit(|&byte| byte == b'\n').next().unwrap_or(text);
    LineColumn {
        line: count(line_feeds + 1),
        column: count(String::from_utf8_lossy(last_line).chars().count() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Source::from(OsString::from("-")), Source::Stdin);
        let file = Source::from(OsString::from("games/-"));
        assert_eq!(file.to_string(), "games/-");
    }

    #[test]
    fn the_place_where_a_text_stops_being_one() {
        let at = |bytes: &[u8]| match read_all(bytes, 100) {
            Err(ReadError::NotUtf8(LineColumn { line, column })) => (line, column),
            read => panic!("{read:?}"),
        };
        assert_eq!(at(b"\xff"), (1, 1));
        assert_eq!(
            at("ä\nöü\u{1f600}".as_bytes().split_last().unwrap().1),
            (2, 3)
        );
    }

    #[test]
    fn a_source_without_end_is_not_taken() {
        let read = read_all(io::repeat(b' '), 100);
        assert!(matches!(read, Err(ReadError::TooLarge)));
        assert_eq!(read_all(&[b' '; 100][..], 100).unwrap().len(), 100);
    }
}
