//! A whole match as text, for people and programs: what PGN is for chess.
//!
//! A [`Record`] is tags, then games with their actions in people's notation
//! ([`Action::to_notation`]), each with its result, and comments and annotations where
//! anyone wants them. `Display` prints it, [`FromStr`](std::str::FromStr) reads it, and
//! both ways nothing is lost. [`Record::parse_many`] reads a file of them and remembers
//! where everything stands; [`Record::check`] replays what was recorded. The format is
//! written down for others in `proto-docs/records.md`.
//!
//! May know how matches are written, never how games are played: what is legal it asks
//! a [`Game`](crate::Game), what games add up to a [`Series`](crate::Series).
//!
//! ```
//! use mancala_engine::record::{MatchResult, Record};
//! use mancala_engine::{AnyPosition, Format, Game, Mancala, Options, Position, Series, Side};
//!
//! let options = Options::standard(Mancala::Urim);
//! let mut record = Record::new(options, Format::Single, Side::South);
//! record.set_name(Side::South, Some("Amina"))?;
//! record.begin_game(Side::South, None)?;
//! let mut game = Game::<AnyPosition>::start(options, Side::South);
//! while game.outcome().is_none() {
//!     let action = game.moves().nth(0);
//!     record.push_action(game.position().standing().into(), action.clone())?;
//!     game.play(&action).expect("it was listed");
//! }
//! let outcome = game.outcome().expect("it is over");
//! record.end_game(outcome.into())?;
//! let mut series = Series::new(Format::Single, Side::South);
//! series.record(outcome.into()).expect("it was the first game");
//! let end = series.end().expect("a single game decides");
//! record.set_result(Some(series.score()), MatchResult::Played(end));
//!
//! assert_eq!(record.check().first_fault(), None);
//! assert_eq!(record.to_string().parse(), Ok(record));
//! # Ok::<(), mancala_engine::record::RecordError>(())
//! ```

mod error;
pub mod limits;
mod note;
mod parse;
mod print;
mod replay;
mod result;

pub use error::RecordError;
pub use note::{ClockTime, Note, ParseClockTimeError, Tag};
pub use parse::{LineColumn, ParseRecordError, ParsedRecord, Records};
pub use replay::{AtError, Due, Fault, GameReport, Moment, Problem, Report, Spot};
pub use result::{GameEnd, MatchResult, ParseMatchResultError, StatedReason};

use crate::position_text::LIST_MAX;
use crate::{
    Action, AnyPosition, BySide, Format, Options, Phase, Position, Setup, Shape, Side, Standing,
};
use limits::{ACTION_COST, GAME_COST, GAMES_MAX, RECORD_BYTES_MAX};
use std::fmt;

/// The version of the rules that this engine plays. A record names the one it was
/// played by; it rises when a change of the rules gives any game another course.
pub const RULES_VERSION: u32 = 1;

/// A whole match as it was played, or as somebody says it was: whether its actions are
/// legal and its results true is for [`Record::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    options: Options,
    shape: Shape,
    format: Format,
    rules: u32,
    begins: Side,
    names: BySide<Option<String>>,
    score: Option<BySide<u32>>,
    result: MatchResult,
    tags: Vec<Tag>,
    notes: Vec<Note>,
    games: Vec<RecordedGame>,
    /// What all that was pushed costs, by the measure of [`RECORD_BYTES_MAX`].
    cost: usize,
}

/// One game of a [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    begins: Side,
    start: Option<Setup>,
    notes: Vec<Note>,
    actions: Vec<RecordedAction>,
    end: Option<GameEnd>,
    closing_notes: Vec<Note>,
}

/// One action of a [`RecordedGame`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAction {
    turn: Turn,
    action: Action,
    notes: Vec<Note>,
}

/// Which turn an action belongs to, and whose turn it is. A turn of several actions (a
/// sowing and its strip) is one turn; turns that happen by themselves, as passes do, are
/// seen by their missing number. Arranging belongs to turn 0.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_engine::record::Turn;
/// assert_eq!(Turn { number: 5, side: Side::North }.to_string(), "5n.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Its number, from 1.
    pub number: u32,
    /// The side whose turn it is.
    pub side: Side,
}

impl From<&Standing> for Turn {
    fn from(standing: &Standing) -> Turn {
        Turn {
            number: match standing.phase {
                Phase::Arrange => 0,
                _ => standing.turn,
            },
            side: standing.to_move,
        }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.side {
            Side::South => 's',
            Side::North => 'n',
        };
        write!(f, "{}{letter}.", self.number)
    }
}

impl Record {
    /// The record of a match before its first game, which `begins` is to begin.
    #[must_use]
    pub fn new(options: Options, format: Format, begins: Side) -> Record {
        Record {
            options,
            shape: AnyPosition::start(options, begins).shape(),
            format,
            rules: RULES_VERSION,
            begins,
            names: BySide {
                south: None,
                north: None,
            },
            score: None,
            result: MatchResult::Unfinished,
            tags: Vec::new(),
            notes: Vec::new(),
            games: Vec::new(),
            cost: 0,
        }
    }

    /// The game and its options.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// The outline of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// How long the match goes on.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The version of the rules it was played by; see [`RULES_VERSION`].
    #[must_use]
    pub const fn rules(&self) -> u32 {
        self.rules
    }

    /// The side that the lot let begin the first game.
    #[must_use]
    pub const fn begins(&self) -> Side {
        self.begins
    }

    /// The name of a side: of a player or a team.
    #[must_use]
    pub fn name(&self, side: Side) -> Option<&str> {
        self.names[side].as_deref()
    }

    /// The score as the record states it.
    #[must_use]
    pub const fn score(&self) -> Option<BySide<u32>> {
        self.score
    }

    /// How the match ended, as the record states it.
    #[must_use]
    pub const fn result(&self) -> &MatchResult {
        &self.result
    }

    /// The tags that the format does not know, in order.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Comments and annotations of the match as a whole.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The games in order.
    #[must_use]
    pub fn games(&self) -> &[RecordedGame] {
        &self.games
    }

    /// Says by which version of the rules the match was played.
    pub const fn set_rules(&mut self, version: u32) {
        self.rules = version;
    }

    /// Names a side.
    ///
    /// # Errors
    /// The name is too long.
    pub fn set_name(&mut self, side: Side, name: Option<&str>) -> Result<(), RecordError> {
        name.map_or(Ok(()), note::check_text)?;
        self.names[side] = name.map(str::to_owned);
        Ok(())
    }

    /// Says how the match stands or ended.
    pub fn set_result(&mut self, score: Option<BySide<u32>>, result: MatchResult) {
        self.score = score;
        self.result = result;
    }

    /// Adds a tag of one's own after those that are there.
    ///
    /// # Errors
    /// The record is full.
    pub fn push_tag(&mut self, tag: Tag) -> Result<(), RecordError> {
        self.pay(tag.cost())?;
        self.tags.push(tag);
        Ok(())
    }

    /// Adds a comment or an annotation to what was pushed last: the match, the game that
    /// has begun, its last action, or its end.
    ///
    /// # Errors
    /// The record is full.
    pub fn push_note(&mut self, note: Note) -> Result<(), RecordError> {
        self.pay(note.cost())?;
        let notes = match self.games.last_mut() {
            None => &mut self.notes,
            Some(game) if game.end.is_some() => &mut game.closing_notes,
            Some(game) => match game.actions.last_mut() {
                Some(last) => &mut last.notes,
                None => &mut game.notes,
            },
        };
        notes.push(note);
        Ok(())
    }

    /// Begins the next game, from the start of its rules or from a given position.
    ///
    /// # Errors
    /// The record is full, or the position has more pits than any board.
    pub fn begin_game(&mut self, begins: Side, start: Option<Setup>) -> Result<(), RecordError> {
        if self.games.len() >= GAMES_MAX {
            return Err(RecordError::TooManyGames);
        }
        let pits = start.as_ref().map(|setup| setup.board.pits.as_ref());
        if pits.is_some_and(|pits| pits.iter().any(|(_, list)| list.len() > LIST_MAX)) {
            return Err(RecordError::BadStart);
        }
        let listed = pits.map_or(0, |pits| pits.south.len() + pits.north.len());
        self.pay(GAME_COST + ACTION_COST * listed)?;
        self.games.push(RecordedGame {
            begins,
            start,
            notes: Vec::new(),
            actions: Vec::new(),
            end: None,
            closing_notes: Vec::new(),
        });
        Ok(())
    }

    /// Adds an action to the game that has begun. `turn` is whose turn it was before the
    /// action, and which: `game.position().standing().into()`.
    ///
    /// # Errors
    /// No game has begun, it has ended, the record is full, or the action is none that
    /// this board can bear. Whether it was legal is not asked.
    pub fn push_action(&mut self, turn: Turn, action: Action) -> Result<(), RecordError> {
        let listed = match &action {
            Action::Arrange { pits } => pits.len(),
            Action::Strip { take } => take.len(),
            _ => 0,
        };
        action.to_notation(self.shape)?;
        self.open_game()?;
        self.pay(ACTION_COST * (1 + listed))?;
        self.open_game()?.actions.push(RecordedAction {
            turn,
            action,
            notes: Vec::new(),
        });
        Ok(())
    }

    /// Ends the game that has begun. One that is not ended is unfinished.
    ///
    /// # Errors
    /// No game has begun, or it has ended.
    pub fn end_game(&mut self, end: GameEnd) -> Result<(), RecordError> {
        self.open_game()?.end = Some(end);
        Ok(())
    }

    fn open_game(&mut self) -> Result<&mut RecordedGame, RecordError> {
        match self.games.last_mut() {
            None => Err(RecordError::NoGame),
            Some(game) if game.end.is_some() => Err(RecordError::GameEnded),
            Some(game) => Ok(game),
        }
    }

    /// Makes sure that there is room for so much more, and takes it.
    const fn pay(&mut self, cost: usize) -> Result<(), RecordError> {
        if cost > RECORD_BYTES_MAX - self.cost {
            return Err(RecordError::TooLarge);
        }
        self.cost += cost;
        Ok(())
    }
}

impl RecordedGame {
    /// The side that begins it.
    #[must_use]
    pub const fn begins(&self) -> Side {
        self.begins
    }

    /// The position it starts from; `None` for the start of the rules.
    #[must_use]
    pub const fn start(&self) -> Option<&Setup> {
        self.start.as_ref()
    }

    /// Comments and annotations before the first action.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What was played.
    #[must_use]
    pub fn actions(&self) -> &[RecordedAction] {
        &self.actions
    }

    /// How it ended; `None` where it is unfinished.
    #[must_use]
    pub const fn end(&self) -> Option<&GameEnd> {
        self.end.as_ref()
    }

    /// Comments and annotations after its end.
    #[must_use]
    pub fn closing_notes(&self) -> &[Note] {
        &self.closing_notes
    }
}

impl RecordedAction {
    /// Whose turn it belongs to, and which.
    #[must_use]
    pub const fn turn(&self) -> Turn {
        self.turn
    }

    /// What was done.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.action
    }

    /// Comments and annotations of it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
