//! Prints a record in the one canonical way.

use super::parse::looks_like_record;
use super::{GameEnd, Note, Record, RecordedGame};
use crate::Side;
use std::fmt::{self, Write as _};

/// Lines are broken before they grow longer than this, in characters. What cannot be
/// broken, a long comment say, may stand out.
const LINE_WIDTH: usize = 80;

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tag(f, "record", "1")?;
        tag(f, "game", self.options.mancala().key())?;
        let options = self.options.to_string();
        if !options.is_empty() {
            tag(f, "options", &options)?;
        }
        tag(f, "format", &self.format.to_string())?;
        tag(f, "rules", &self.rules.to_string())?;
        tag(f, "begins", self.begins.name())?;
        for side in Side::ALL {
            if let Some(name) = self.name(side) {
                tag(f, side.name(), name)?;
            }
        }
        if let Some(score) = self.score {
            tag(f, "score", &format!("{}-{}", score.south, score.north))?;
        }
        tag(f, "result", &self.result.to_string())?;
        for own in &self.tags {
            tag(f, own.name(), own.value())?;
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
            let mut flow = Flow::new(f);
            flow.notes(&self.notes)?;
            flow.end_line()?;
        }
        for (number, game) in (1..).zip(&self.games) {
            self.print_game(f, number, game)?;
        }
        Ok(())
    }
}

impl Record {
    fn print_game(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        game: &RecordedGame,
    ) -> fmt::Result {
        write!(f, "\ngame {number} {}", game.begins)?;
        if let Some(start) = &game.start {
            write!(f, " from {}", quoted(&start.to_string()))?;
        }
        writeln!(f)?;
        let mut flow = Flow::new(f);
        flow.notes(&game.notes)?;
        flow.end_line()?;
        let mut turn = None;
        for played in &game.actions {
            let text = played.action.to_notation(self.shape);
            // Only such actions can be pushed.
            let text = text.map_err(|_| fmt::Error)?;
            if turn == Some(played.turn) {
                flow.item(&text)?;
            } else {
                flow.item(&format!("{} {text}", played.turn))?;
            }
            turn = Some(played.turn);
            flow.notes(&played.notes)?;
        }
        flow.end_line()?;
        let end = game.end.as_ref().map(GameEnd::to_string);
        flow.item(end.as_deref().unwrap_or("*"))?;
        flow.notes(&game.closing_notes)?;
        flow.end_line()
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "[{name} {}]", quoted(value))
}

/// Items with spaces between, broken into lines.
struct Flow<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    /// Characters in the current line.
    column: usize,
}

impl<'a, 'b> Flow<'a, 'b> {
    const fn new(f: &'a mut fmt::Formatter<'b>) -> Flow<'a, 'b> {
        Flow { f, column: 0 }
    }

    fn item(&mut self, item: &str) -> fmt::Result {
        let first_line = item.split('\n').next().unwrap_or_default();
        let width = first_line.chars().count();
        if self.column > 0 {
            if self.column + 1 + width > LINE_WIDTH {
                self.end_line()?;
            } else {
                self.f.write_char(' ')?;
                self.column += 1;
            }
        }
        self.f.write_str(item)?;
        self.column = match item.rsplit_once('\n') {
            Some((_, last_line)) => last_line.chars().count(),
            None => self.column + width,
        };
        Ok(())
    }

    fn notes(&mut self, notes: &[Note]) -> fmt::Result {
        for note in notes {
            match note.name() {
                None => self.item(&braced(note.text()))?,
                Some(name) => self.item(&format!("@{name} {}", quoted(note.text())))?,
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> fmt::Result {
        if self.column > 0 {
            self.f.write_char('\n')?;
        }
        self.column = 0;
        Ok(())
    }
}

/// A value in quotes, on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            _ => push_escaped(&mut quoted, letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A comment in braces, in lines of its own making.
fn braced(text: &str) -> String {
    let mut braced = String::with_capacity(text.len() + 2);
    braced.push('{');
    // Does the next `[` begin what could be taken for a record?
    let mut record_line = false;
    for (offset, letter) in text.char_indices() {
        match letter {
            '}' => braced.push_str("\\}"),
            '\n' => {
                braced.push('\n');
                record_line = looks_like_record(&text[offset + 1..]);
            }
            '[' if std::mem::take(&mut record_line) => braced.extend(letter.escape_unicode()),
            _ => push_escaped(&mut braced, letter),
        }
    }
    braced.push('}');
    braced
}

/// What an editor or a mail program could change or hide is written as an escape:
/// control characters, separators of lines, marks of byte order and of writing
/// direction that would make a text look like another, and the sign for lost characters,
/// which as itself is taken for one.
fn push_escaped(text: &mut String, letter: char) {
    match letter {
        '\\' => text.push_str("\\\\"),
        '\t' => text.push_str("\\t"),
        '\u{2028}'
        | '\u{2029}'
        | '\u{feff}'
        | char::REPLACEMENT_CHARACTER
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => {
            text.extend(letter.escape_unicode());
        }
        _ if letter.is_control() => text.extend(letter.escape_unicode()),
        _ => text.push(letter),
    }
}
