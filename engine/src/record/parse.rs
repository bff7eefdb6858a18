//! Reads records: one pass from the first letter to the last, with no way back but over
//! one word, and no nesting. What is wrong is said with line and column.

use super::limits::{TEXT_BYTES_MAX, WORD_BYTES_MAX};
use super::note::KNOWN_TAGS;
use super::result::{read_points, read_verdict};
use super::{
    ClockTime, GameEnd, MatchResult, Note, Record, RecordError, Report, Spot, StatedReason, Tag,
    Turn,
};
use crate::position_text::read_number;
use crate::printable::{Printable, is_visible};
use crate::{
    Action, BySide, Format, GameResult, Mancala, Options, Outcome, Reason, Setup, Side, Verdict,
};
use std::fmt;
use std::str::FromStr;

/// A place in a text, counted from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong with a text that should be a record, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRecordError {
    /// Where it is wrong.
    pub at: LineColumn,
    /// What is wrong and what would be right, in a sentence.
    pub message: String,
}

impl fmt::Display for ParseRecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}

impl std::error::Error for ParseRecordError {}

/// A record, and where everything in it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedRecord {
    /// What was read.
    pub record: Record,
    places: Places,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    /// The tags of [`KNOWN_TAGS`]; where one is missing, the first tag.
    tags: [LineColumn; KNOWN_TAGS.len()],
    games: Vec<GamePlaces>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct GamePlaces {
    header: LineColumn,
    start: LineColumn,
    actions: Vec<LineColumn>,
    end: LineColumn,
}

impl ParsedRecord {
    /// Where in the text this is. Of a tag that is not there, the beginning of the
    /// record.
    ///
    /// ```
    /// use mancala_engine::record::{ParsedRecord, Record, Spot};
    /// let text = "[record \"1\"]\n[game \"urim\"]\n[begins \"south\"]\n\n\
    ///             game 1 south\n1s. A5 2n. A7\n*\n";
    /// let error = Record::parse_many(text).next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "line 6, column 12: `A7`: this board has the pits A1 to A6");
    /// ```
    #[must_use]
    pub fn locate(&self, spot: Spot) -> LineColumn {
        let game = |game: usize| self.places.games.get(game);
        let tag = |name| {
            let index = KNOWN_TAGS.iter().position(|&known| known == name);
            self.places.tags[index.unwrap_or(0)]
        };
        let located = match spot {
            Spot::Rules => Some(tag("rules")),
            Spot::Begins => Some(tag("begins")),
            Spot::Score => Some(tag("score")),
            Spot::Result => Some(tag("result")),
            Spot::Game(index) => game(index).map(|game| game.header),
            Spot::Start(index) => game(index).map(|game| game.start),
            Spot::Action {
                game: index,
                action,
            } => game(index).and_then(|game| game.actions.get(action).copied()),
            Spot::End(index) => game(index).map(|game| game.end),
        };
        located.unwrap_or(self.places.tags[0])
    }

    /// Replays the record: [`Record::check`].
    #[must_use]
    pub fn check(&self) -> Report {
        self.record.check()
    }
}

impl Record {
    /// Reads the records of a text one after another. After an error reading goes on at
    /// the next line that begins with a `record` tag, so that one record does not hide the
    /// others. Of bytes that may not be UTF-8 one makes a text by
    /// [`String::from_utf8_lossy`]: only those records are refused then where it was not.
    ///
    /// ```
    /// use mancala_engine::record::Record;
    /// let one = "[record \"1\"] [game \"urim\"] [begins \"south\"]\n";
    /// let text = format!("{one}\n{one}nonsense\n{one}");
    /// let read: Vec<_> = Record::parse_many(&text).map(|parsed| parsed.is_ok()).collect();
    /// assert_eq!(read, [true, false, true]);
    /// ```
    #[must_use]
    pub const fn parse_many(text: &str) -> Records<'_> {
        Records {
            cursor: Cursor::new(text),
            after_error: false,
        }
    }
}

impl FromStr for Record {
    type Err = ParseRecordError;

    /// Reads a text that is one record and nothing else.
    fn from_str(text: &str) -> Result<Record, ParseRecordError> {
        let mut cursor = Cursor::new(text);
        let parsed = parse_record(&mut cursor)?;
        cursor.skip_space();
        if cursor.rest().is_empty() {
            Ok(parsed.record)
        } else {
            Err(cursor.error("here a second record begins, where one was expected"))
        }
    }
}

/// The records of a text; made by [`Record::parse_many`].
#[derive(Clone, Debug)]
pub struct Records<'a> {
    cursor: Cursor<'a>,
    after_error: bool,
}

impl Iterator for Records<'_> {
    type Item = Result<ParsedRecord, ParseRecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.after_error {
            self.cursor.skip_to_record();
        }
        self.cursor.skip_space();
        if self.cursor.rest().is_empty() {
            return None;
        }
        let parsed = parse_record(&mut self.cursor);
        self.after_error = parsed.is_err();
        Some(parsed)
    }
}

/// A place in the text, and how to go on from there.
#[derive(Clone, Copy, Debug)]
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    at: LineColumn,
}

impl<'a> Cursor<'a> {
    const fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            offset: 0,
            at: LineColumn { line: 1, column: 1 },
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.offset += letter.len_utf8();
        if letter == '\n' {
            self.at = LineColumn {
                line: self.at.line.saturating_add(1),
                column: 1,
            };
        } else {
            self.at.column = self.at.column.saturating_add(1);
        }
        Some(letter)
    }

    fn next_if(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.next();
        }
        found
    }

    fn skip_space(&mut self) {
        while match self.peek() {
            Some(' ' | '\t' | '\n') => true,
            // Lines of a file may end in the manner of another system.
            Some('\r') => self.rest().starts_with("\r\n"),
            // Some editors put a mark of byte order in front of a file.
            Some('\u{feff}') => self.offset == 0,
            _ => false,
        } {
            self.next();
        }
    }

    /// Goes to the next line that begins with a `record` tag, with blanks before it or
    /// without, or to the end; stays where such a tag stands already. A record that could
    /// not be read has been left behind by its first sign at least, so it is never come
    /// back to.
    fn skip_to_record(&mut self) {
        while self.peek().is_some() && !self.at_record_line() {
            while self.next().is_some_and(|letter| letter != '\n') {}
        }
        self.skip_blanks();
    }

    /// Passes over what may stand before a tag in its line: blanks, and the mark of byte
    /// order of a file that another was put in front of.
    fn skip_blanks(&mut self) {
        while self.next_if(' ') || self.next_if('\t') || self.next_if('\u{feff}') {}
    }

    /// Is what follows in this line a `record` tag?
    fn at_record_line(mut self) -> bool {
        self.skip_blanks();
        begins_record(self)
    }

    /// A word: what stands up to the next space or sign. Perhaps nothing.
    fn word(&mut self) -> Result<&'a str, ParseRecordError> {
        let before = *self;
        while let Some(letter) = self.peek() {
            if letter.is_whitespace() || "[]{}\"@".contains(letter) {
                break;
            }
            if self.offset - before.offset > WORD_BYTES_MAX {
                return Err(before.error("this word is longer than any that could stand here"));
            }
            if letter == char::REPLACEMENT_CHARACTER {
                return Err(self.error(LOST));
            }
            if !is_visible(letter) {
                let escape = letter.escape_unicode();
                let message = format!("`{escape}` stands here, which cannot be seen; take it out");
                return Err(self.error(message));
            }
            self.next();
        }
        Ok(&self.text[before.offset..self.offset])
    }

    /// A text after its opening sign, up to `close`.
    fn text_until(&mut self, opened: Cursor<'a>, close: char) -> Result<String, ParseRecordError> {
        let mut text = String::new();
        loop {
            let before = *self;
            let Some(letter) = self.next() else {
                let message = format!("the text that begins here is not closed; write `{close}`");
                return Err(opened.error(message));
            };
            let letter = match letter {
                _ if letter == close => return Ok(text),
                '\\' => self.escape(before)?,
                '\n' if close == '"' => {
                    let message = "a text in quotes ends in its line; write `\"`, and `\\n` for \
                                   a new line within it";
                    return Err(before.error(message));
                }
                '\n' if self.at_record_line() => return Err(opened.error(UNCLOSED)),
                // Lines of a file may end in the manner of another system.
                '\r' if close == '}' && self.peek() == Some('\n') => continue,
                '\n' | '\t' => letter,
                char::REPLACEMENT_CHARACTER => return Err(before.error(LOST)),
                _ if letter.is_control() => {
                    let escape = letter.escape_unicode();
                    let message = format!("a control character stands here; write `{escape}`");
                    return Err(before.error(message));
                }
                _ => letter,
            };
            text.push(letter);
            if text.len() > TEXT_BYTES_MAX {
                return Err(opened.error(RecordError::TextTooLong.to_string()));
            }
        }
    }

    /// What an escape stands for, after its backslash.
    fn escape(&mut self, backslash: Cursor<'a>) -> Result<char, ParseRecordError> {
        const WRONG: &str = "after a backslash comes `\\`, `\"`, `}`, `n`, `t` or a character's \
                             number as in `u{1f}`";
        let wrong = || backslash.error(WRONG);
        match self.next().ok_or_else(wrong)? {
            letter @ ('\\' | '"' | '}') => Ok(letter),
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'u' if self.next_if('{') => {
                let mut number = 0;
                for _ in 0..=6 {
                    match self.next().ok_or_else(wrong)? {
                        '}' => return char::from_u32(number).ok_or_else(wrong),
                        digit => {
                            number = number * 16 + digit.to_digit(16).ok_or_else(wrong)?;
                        }
                    }
                }
                Err(wrong())
            }
            _ => Err(wrong()),
        }
    }

    /// A text in quotes.
    fn quoted(&mut self) -> Result<String, ParseRecordError> {
        self.skip_space();
        let opened = *self;
        if self.next_if('"') {
            self.text_until(opened, '"')
        } else {
            Err(self.unexpected("a text in quotes"))
        }
    }

    /// Makes sure that the word that stands here, if one does, can be read at all; before
    /// it is said what should be there instead.
    fn readable(mut self) -> Result<(), ParseRecordError> {
        self.word().map(|_| ())
    }

    /// The word that must stand next.
    fn expect_word(&mut self, expected: &str) -> Result<(Cursor<'a>, &'a str), ParseRecordError> {
        self.skip_space();
        let before = *self;
        match self.word()? {
            "" => Err(before.unexpected(expected)),
            word => Ok((before, word)),
        }
    }

    fn error(&self, message: impl Into<String>) -> ParseRecordError {
        ParseRecordError {
            at: self.at,
            message: message.into(),
        }
    }

    fn unexpected(&self, expected: &str) -> ParseRecordError {
        if let Err(error) = self.readable() {
            return error;
        }
        let message = match self.peek() {
            None => format!("the text ends here; {expected} should follow"),
            Some(_) => format!("{} stands here; {expected} should", self.excerpt()),
        };
        self.error(message)
    }

    /// What stands here, cut short; a character that cannot be seen, by its number.
    fn excerpt(&self) -> String {
        let seen = |letter: &char| !letter.is_whitespace() && is_visible(*letter);
        let word: String = self.rest().chars().take_while(seen).take(20).collect();
        match self.peek() {
            Some(letter) if word.is_empty() => format!("`{}`", letter.escape_unicode()),
            _ if word.chars().count() == 20 => format!("`{word}..`"),
            _ => format!("`{word}`"),
        }
    }
}

/// What is wrong with U+FFFD. Whoever makes text of bytes that are none puts it there, and
/// then the record would say something else than was written.
const LOST: &str = "a byte that is not UTF-8 stood here, or a character was lost; \
                    `\\u{fffd}` in a text stands for this sign itself";

/// What is wrong with a comment that goes on into the next record.
const UNCLOSED: &str = "the text that begins here is not closed before the next record; write \
                        `}`, or `\\u{5b}` for the `[` of the line that looks like one";

/// `word` is wrong, for this reason.
fn about(word: &str, reason: impl fmt::Display) -> String {
    format!("`{}`: {reason}", Printable(word).cut(40))
}

fn parse_record(cursor: &mut Cursor<'_>) -> Result<ParsedRecord, ParseRecordError> {
    cursor.skip_space();
    let beginning = cursor.at;
    let mut header = Header::new(beginning);
    loop {
        cursor.skip_space();
        let before = *cursor;
        if !cursor.next_if('[') {
            break;
        }
        let (named, name) = cursor.expect_word("the name of a tag")?;
        if name == "record" && header.seen("record") {
            // The next record of the text begins.
            *cursor = before;
            break;
        }
        if name != "record" && !header.seen("record") {
            return Err(before.error("a record begins with the tag `[record \"1\"]`"));
        }
        cursor.skip_space();
        let valued = *cursor;
        let value = cursor.quoted()?;
        cursor.skip_space();
        if !cursor.next_if(']') {
            return Err(cursor.unexpected("`]`"));
        }
        header.take(before, (named, name), (valued, value))?;
    }
    if !header.seen("record") {
        return Err(cursor.unexpected("the tag `[record \"1\"]`"));
    }
    cursor.readable()?;
    let record = header.finish(*cursor)?;
    let mut parser = Parser {
        places: Places {
            tags: header.places,
            games: Vec::new(),
        },
        record,
    };
    parser.notes(cursor)?;
    parser.games(cursor)?;
    Ok(ParsedRecord {
        record: parser.record,
        places: parser.places,
    })
}

/// The tags as they come, in any order, before the game they speak of is known.
struct Header<'a> {
    places: [LineColumn; KNOWN_TAGS.len()],
    values: [Option<(Cursor<'a>, String)>; KNOWN_TAGS.len()],
    own: Vec<(Cursor<'a>, Tag)>,
    /// Bytes of own tags so far: a record may be refused before its game is known.
    cost: usize,
}

impl<'a> Header<'a> {
    fn new(beginning: LineColumn) -> Header<'a> {
        Header {
            places: [beginning; KNOWN_TAGS.len()],
            values: Default::default(),
            own: Vec::new(),
            cost: 0,
        }
    }

    fn seen(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn value(&self, name: &str) -> Option<&(Cursor<'a>, String)> {
        let index = KNOWN_TAGS.iter().position(|&known| known == name)?;
        self.values[index].as_ref()
    }

    fn take(
        &mut self,
        tag: Cursor<'a>,
        (named, name): (Cursor<'a>, &str),
        (valued, value): (Cursor<'a>, String),
    ) -> Result<(), ParseRecordError> {
        if let Some(index) = KNOWN_TAGS.iter().position(|&known| known == name) {
            if self.values[index].is_some() {
                return Err(tag.error(format!("the tag `{name}` stands twice")));
            }
            self.places[index] = valued.at;
            if name == "record" && value != "1" {
                let message = "this reader knows version 1 of the format; the first tag is \
                               `[record \"1\"]`";
                return Err(valued.error(message));
            }
            self.values[index] = Some((valued, value));
            return Ok(());
        }
        let own = Tag::new(name, &value).map_err(|error| named.error(about(name, error)))?;
        self.cost += own.cost();
        if self.cost > super::limits::RECORD_BYTES_MAX {
            return Err(tag.error(RecordError::TooLarge.to_string()));
        }
        self.own.push((tag, own));
        Ok(())
    }

    /// The value of a tag as what it stands for.
    fn read<T, E: fmt::Display>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ParseRecordError> {
        let Some((valued, text)) = self.value(name) else {
            return Ok(None);
        };
        let value = read(text).map_err(|error| valued.error(about(text, error)))?;
        Ok(Some(value))
    }

    fn need<T>(
        &self,
        value: Option<T>,
        example: &str,
        after: Cursor<'a>,
    ) -> Result<T, ParseRecordError> {
        value.ok_or_else(|| after.error(format!("the tag `{example}` is missing before this")))
    }

    /// Makes the record of what the tags say.
    fn finish(&mut self, after: Cursor<'a>) -> Result<Record, ParseRecordError> {
        let mancala = self.read("game", str::parse::<Mancala>)?;
        let mancala = self.need(mancala, "[game \"omweso\"]", after)?;
        let begins = self.read("begins", str::parse::<Side>)?;
        let begins = self.need(begins, "[begins \"south\"]", after)?;
        let options = self.read("options", |text| Options::parse(mancala, text))?;
        let options = options.unwrap_or(Options::standard(mancala));
        let format = self
            .read("format", str::parse::<Format>)?
            .unwrap_or(Format::Single);
        let mut record = Record::new(options, format, begins);
        let version = |text: &str| read_number(text).ok_or("the version is a number, as in `1`");
        if let Some(rules) = self.read("rules", version)? {
            record.set_rules(rules);
        }
        for side in Side::ALL {
            if let Some((valued, name)) = self.value(side.name()) {
                let named = record.set_name(side, Some(name));
                named.map_err(|error| valued.error(error.to_string()))?;
            }
        }
        let score = self.read("score", |text| {
            read_score(text).ok_or("a score is south's points and north's, as in `12-3`")
        })?;
        let result = self.read("result", str::parse::<MatchResult>)?;
        record.set_result(score, result.unwrap_or_default());
        for (at, own) in self.own.drain(..) {
            record
                .push_tag(own)
                .map_err(|error| at.error(error.to_string()))?;
        }
        Ok(record)
    }
}

fn read_score(text: &str) -> Option<BySide<u32>> {
    let (south, north) = text.split_once('-')?;
    Some(BySide {
        south: read_number(south)?,
        north: read_number(north)?,
    })
}

/// The record as far as it has been read.
struct Parser {
    record: Record,
    places: Places,
}

impl Parser {
    /// Comments and annotations, as many as stand here.
    fn notes(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseRecordError> {
        loop {
            cursor.skip_space();
            let before = *cursor;
            let note = if cursor.next_if('{') {
                let text = cursor.text_until(before, '}')?;
                Note::comment(&text)
            } else if cursor.next_if('@') {
                let name = cursor.word()?;
                cursor.skip_space();
                let valued = *cursor;
                let value = cursor.quoted()?;
                if [Note::CLOCK, Note::SPENT].contains(&name) {
                    let time: ClockTime = value
                        .parse()
                        .map_err(|error| valued.error(about(&value, error)))?;
                    Ok(if name == Note::CLOCK {
                        Note::clock(time)
                    } else {
                        Note::spent(time)
                    })
                } else {
                    Note::annotation(name, &value)
                }
            } else {
                return Ok(());
            };
            let pushed = note.and_then(|note| self.record.push_note(note));
            pushed.map_err(|error| before.error(error.to_string()))?;
        }
    }

    fn games(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseRecordError> {
        loop {
            cursor.skip_space();
            let header = *cursor;
            match cursor.word()? {
                "game" => self.game(header, cursor)?,
                "" if header.peek().is_none() || begins_record(header) => return Ok(()),
                _ => {
                    let next = self.record.games().len() + 1;
                    let expected = format!("`game {next}`, or the next record,");
                    return Err(header.unexpected(&expected));
                }
            }
        }
    }

    fn game(
        &mut self,
        header: Cursor<'_>,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), ParseRecordError> {
        let number = self.record.games().len() + 1;
        let expected = format!("the number of the game, {number},");
        let (numbered, word) = cursor.expect_word(&expected)?;
        if word != number.to_string() {
            return Err(numbered.unexpected(&expected));
        }
        let (begun, word) = cursor.expect_word("the side that begins")?;
        let begins = word
            .parse()
            .map_err(|error| begun.error(about(word, error)))?;
        cursor.skip_space();
        let mut start_at = header.at;
        let before = *cursor;
        let start = if cursor.word()? == "from" {
            cursor.skip_space();
            let valued = *cursor;
            start_at = valued.at;
            let text = cursor.quoted()?;
            let setup = text.parse::<Setup>();
            Some(setup.map_err(|error| valued.error(about(&text, error)))?)
        } else {
            *cursor = before;
            None
        };
        let begun = self.record.begin_game(begins, start);
        begun.map_err(|error| header.error(error.to_string()))?;
        self.places.games.push(GamePlaces {
            header: header.at,
            start: start_at,
            actions: Vec::new(),
            end: header.at,
        });
        self.notes(cursor)?;
        let end = self.actions(cursor)?;
        if let Some(places) = self.places.games.last_mut() {
            places.end = end;
        }
        self.notes(cursor)
    }

    /// Reads actions up to the result, that too, and says where it stood.
    fn actions(&mut self, cursor: &mut Cursor<'_>) -> Result<LineColumn, ParseRecordError> {
        const ACTION_OR_END: &str =
            "an action or the game's result (`=` as the board says, `~` as stated, `*` none yet)";
        let mut turn = None;
        loop {
            let (before, word) = cursor.expect_word(ACTION_OR_END)?;
            if let Some(next) = read_turn(word) {
                turn = Some(next);
                let (acted, word) = cursor.expect_word("an action of this turn")?;
                self.action(next, acted, word)?;
            } else if matches!(word, "=" | "~" | "*") {
                self.end(word, before, cursor)?;
                return Ok(before.at);
            } else if word == "game" {
                return Err(before.unexpected(ACTION_OR_END));
            } else {
                let turn = turn.ok_or_else(|| {
                    before.unexpected("the number of a turn and its side, as in `1s.`,")
                })?;
                self.action(turn, before, word)?;
            }
            self.notes(cursor)?;
        }
    }

    fn action(&mut self, turn: Turn, at: Cursor<'_>, word: &str) -> Result<(), ParseRecordError> {
        let action = Action::from_notation(word, self.record.shape());
        let action = action.map_err(|error| at.error(about(word, error)))?;
        let pushed = self.record.push_action(turn, action);
        pushed.map_err(|error| at.error(error.to_string()))?;
        if let Some(game) = self.places.games.last_mut() {
            game.actions.push(at.at);
        }
        Ok(())
    }

    fn end(
        &mut self,
        sign: &str,
        before: Cursor<'_>,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), ParseRecordError> {
        const VERDICT: &str = "`south` or `north` with its points, `draw` or `void`";
        if sign == "*" {
            return Ok(());
        }
        let (judged, word) = cursor.expect_word(VERDICT)?;
        let verdict = read_verdict(word).ok_or_else(|| judged.unexpected(VERDICT))?;
        let mut points = 0;
        if let Verdict::Win(_) = verdict {
            const POINTS: &str = "the points of the winner, 0 to 255,";
            let (pointed, word) = cursor.expect_word(POINTS)?;
            points = read_points(word).ok_or_else(|| pointed.unexpected(POINTS))?;
        }
        let (reasoned, word) = cursor.expect_word("the reason of the result")?;
        let end = if sign == "=" {
            let reason = word.parse::<Reason>();
            let reason = reason.map_err(|error| reasoned.error(about(word, error)))?;
            GameEnd::Board(match verdict {
                Verdict::Win(side) => Outcome::win(side, points, reason),
                Verdict::Draw => Outcome::draw(reason),
                Verdict::Void => Outcome::void(reason),
            })
        } else {
            let reason = word.parse::<StatedReason>();
            let reason = reason.map_err(|error| reasoned.error(about(word, error)))?;
            let result = match verdict {
                Verdict::Win(side) => GameResult::Win { side, points },
                Verdict::Draw => GameResult::Draw,
                Verdict::Void => GameResult::Void,
            };
            GameEnd::Stated { result, reason }
        };
        let ended = self.record.end_game(end);
        ended.map_err(|error| before.error(error.to_string()))
    }
}

/// Does a line of a comment look as if a record began in it? Then it may not stand as it
/// is: whoever forgot a `}` would lose the records that follow.
pub(super) fn looks_like_record(line: &str) -> bool {
    Cursor::new(line).at_record_line()
}

/// Does a record begin here?
fn begins_record(cursor: Cursor<'_>) -> bool {
    let mut ahead = cursor;
    ahead.next_if('[') && {
        ahead.skip_space();
        ahead.word() == Ok("record")
    }
}

/// `5n.`
fn read_turn(word: &str) -> Option<Turn> {
    let word = word.strip_suffix('.')?;
    let side = match word.chars().next_back()? {
        's' | 'S' => Side::South,
        'n' | 'N' => Side::North,
        _ => return None,
    };
    let number = read_number(&word[..word.len() - 1])?;
    Some(Turn { number, side })
}
