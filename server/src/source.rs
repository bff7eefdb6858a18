//! A text that a command is given: a file by its path, or standard input as `-`.
//!
//! May know files, UTF-8 and how a name is printed, never what a text says.

use mancala_engine::Printable;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// The largest text taken, in bytes. It is held in memory as a whole (and where it is not
/// UTF-8 a second time, up to three times as long); a quarter of a million matches of a
/// kilobyte each have room in it.
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

/// As the command was given it, safe to print.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("-"),
            Source::File(path) => Printable(&path.to_string_lossy()).fmt(f),
        }
    }
}

/// Why a source gives no text.
#[derive(Debug)]
pub(crate) enum ReadError {
    Io(io::Error),
    TooLarge,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::TooLarge => write!(f, "larger than {SOURCE_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io(error) => Some(error),
            ReadError::TooLarge => None,
        }
    }
}

impl Source {
    /// The whole text. Where its bytes are not UTF-8, U+FFFD stands in it: what that means
    /// is for whoever reads the text to say.
    ///
    /// # Errors
    /// It cannot be read, or is too large.
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
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
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
    fn bytes_that_are_no_text_are_replaced_one_by_one() {
        let read = |bytes: &[u8]| read_all(bytes, 100).unwrap();
        assert_eq!(read("ä\n".as_bytes()), "ä\n");
        assert_eq!(read(b"a\xffb\n\xe2\x28"), "a\u{fffd}b\n\u{fffd}(");
    }

    #[test]
    fn the_name_of_a_file_is_safe_to_print() {
        let file = Source::from(OsString::from("a\u{202e}\n\u{1b}[2J.mnr"));
        assert_eq!(file.to_string(), r"a\u{202e}\n\u{1b}[2J.mnr");
    }

    #[test]
    fn the_documents_name_the_limit() {
        assert_eq!(SOURCE_BYTES_MAX, 268_435_456);
        let records = include_str!("../../proto-docs/records.md");
        assert!(records.contains("`mancala record` | 268,435,456 bytes"));
    }

    #[test]
    fn a_source_without_end_is_not_taken() {
        let read = read_all(io::repeat(b' '), 100);
        assert!(matches!(read, Err(ReadError::TooLarge)));
        assert_eq!(read_all(&[b' '; 100][..], 100).unwrap().len(), 100);
    }
}
