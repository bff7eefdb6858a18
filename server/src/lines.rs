//! Lines of text from a stream, each bounded in length.
//!
//! May know bytes and UTF-8, never what a line says.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line read, in bytes without its line feed. The longest position (72 pits a
/// side) takes about a kilobyte and an action about thirty bytes, so this is room for the
/// longest of games.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// A stream cut into lines. However long a line is, no more than [`LINE_BYTES_MAX`] bytes
/// of it are held.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
}

/// Why a line cannot be given as text. The next one is not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadLine {
    TooLong,
    NotUtf8,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadLine::TooLong => write!(f, "the line is longer than {LINE_BYTES_MAX} bytes"),
            BadLine::NotUtf8 => f.write_str("the line is not UTF-8"),
        }
    }
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
        }
    }

    /// The next line, without its line feed; `None` at the end of the stream. A last line
    /// without a line feed is a line too.
    ///
    /// `before_waiting` is called whenever the stream has to be asked for more, which may
    /// wait for ever: the time to hand out what the other end may be waiting for.
    pub(crate) fn next(
        &mut self,
        mut before_waiting: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Option<Result<&str, BadLine>>> {
        self.line.clear();
        let mut began = false;
        let mut too_long = false;
        loop {
            if self.input.buffer().is_empty() {
                before_waiting()?;
            }
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                if !began {
                    return Ok(None);
                }
                break;
            }
            began = true;
            let line_feed = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..line_feed.unwrap_or(chunk.len())];
            too_long |= self.line.len() + part.len() > LINE_BYTES_MAX;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(line_feed.is_some());
            self.input.consume(used);
            if line_feed.is_some() {
                break;
            }
        }
        if too_long {
            return Ok(Some(Err(BadLine::TooLong)));
        }
        Ok(Some(
            str::from_utf8(&self.line).map_err(|_| BadLine::NotUtf8),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of a stream, read to its end.
    fn read_all(input: impl Read) -> Vec<Result<String, BadLine>> {
        let mut lines = Lines::new(input);
        let mut all = Vec::new();
        while let Some(line) = lines.next(|| Ok(())).unwrap() {
            all.push(line.map(str::to_owned));
        }
        all
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(read_all(&b""[..]), []);
        assert_eq!(read_all(&b"a\n"[..]), [line("a")]);
        assert_eq!(read_all(&b"a\n\nb"[..]), [line("a"), line(""), line("b")]);
    }

    #[test]
    fn a_bad_line_does_not_hurt_the_next() {
        let mut input = vec![b'x'; LINE_BYTES_MAX + 1];
        input.extend(b"\n\xff\nnext\n");
        input.extend(vec![b'y'; LINE_BYTES_MAX]);
        let lines = read_all(&input[..]);
        assert_eq!(lines[0], Err(BadLine::TooLong));
        assert_eq!(lines[1], Err(BadLine::NotUtf8));
        assert_eq!(lines[2], Ok("next".to_owned()));
        assert_eq!(lines[3].as_ref().map(String::len), Ok(LINE_BYTES_MAX));
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn before_each_wait_it_is_called_also_in_the_middle_of_a_line() {
        // Hands out one piece at each read, as a pipe does.
        struct Pieces(Vec<&'static [u8]>);
        impl Read for Pieces {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let Some(piece) = self.0.pop() else {
                    return Ok(0);
                };
                buffer[..piece.len()].copy_from_slice(piece);
                Ok(piece.len())
            }
        }
        let mut lines = Lines::new(Pieces(vec![b"b\n", b"a\nhalf of "]));
        let mut waits = 0;
        let mut next = |expected: &str| {
            let line = lines.next(|| {
                waits += 1;
                Ok(())
            });
            assert_eq!(line.unwrap(), Some(Ok(expected)));
            waits
        };
        assert_eq!(next("a"), 1);
        assert_eq!(next("half of b"), 2);
    }
}
