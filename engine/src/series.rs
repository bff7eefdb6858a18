//! The arithmetic of a match: points of games added up, and who begins which game.
//!
//! The lot decides who begins the first game; it is drawn outside. After that the
//! sides begin in turn. A void game is played again by the same beginner. A drawn game
//! brings no points and the next one follows, except that a match of a single game is
//! drawn with it. Ten games in a row without points, void ones counted, and the match
//! is drawn: so every match ends.

use crate::{BySide, Outcome, Side, Verdict};
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

/// After so many games in a row that brought nobody points, a match is drawn.
pub const POINTLESS_GAMES_MAX: u32 = 10;

/// How long a match goes on.
///
/// ```
/// use mancala_engine::Format;
/// let format: Format = "first_to 12".parse()?;
/// assert_eq!(format, Format::OMWESO);
/// assert_eq!(format.to_string(), "first_to 12");
/// assert_eq!("single".parse(), Ok(Format::Single));
/// assert!("first_to 0".parse::<Format>().is_err());
/// # Ok::<(), mancala_engine::ParseFormatError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One game, played again as long as it is void.
    Single,
    /// Until a side has this many points, from 1 to 255.
    FirstTo(NonZeroU8),
}

impl Format {
    /// The contest of Omweso: to twelve points, which one akawumbi brings.
    pub const OMWESO: Format = match NonZeroU8::new(12) {
        Some(points) => Format::FirstTo(points),
        None => Format::Single,
    };

    /// To this many points; `None` where that is 0.
    ///
    /// ```
    /// use mancala_engine::Format;
    /// assert_eq!(Format::first_to(12), Some(Format::OMWESO));
    /// ```
    #[must_use]
    pub fn first_to(points: u8) -> Option<Format> {
        NonZeroU8::new(points).map(Format::FirstTo)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Single => f.write_str("single"),
            Format::FirstTo(points) => write!(f, "first_to {points}"),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The text was no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseFormatError;

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a format is `single` or `first_to N`, where N is from 1 to 255")
    }
}

impl std::error::Error for ParseFormatError {}

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        if text == "single" {
            return Ok(Format::Single);
        }
        let digits = text.strip_prefix("first_to ").ok_or(ParseFormatError)?;
        // The one way to write a number: no sign, no zero in front.
        if !digits.starts_with(|first: char| first.is_ascii_digit() && first != '0') {
            return Err(ParseFormatError);
        }
        let points = digits.parse().map_err(|_| ParseFormatError)?;
        Ok(Format::FirstTo(points))
    }
}

/// What a game means for its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// A side won.
    Win {
        /// Which.
        side: Side,
        /// What the game brings it.
        points: u8,
    },
    /// Neither side won.
    Draw,
    /// The game does not count and is played again.
    Void,
}

impl GameResult {
    /// A game won from outside the board, by resignation, on time or by a claim: it
    /// brings one point.
    ///
    /// ```
    /// use mancala_engine::{GameResult, Side};
    /// let resigned = GameResult::won_from_outside(Side::North);
    /// assert_eq!(resigned, GameResult::Win { side: Side::North, points: 1 });
    /// ```
    #[must_use]
    pub const fn won_from_outside(side: Side) -> GameResult {
        GameResult::Win { side, points: 1 }
    }

    /// The same without the points.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            GameResult::Win { side, .. } => Verdict::Win(side),
            GameResult::Draw => Verdict::Draw,
            GameResult::Void => Verdict::Void,
        }
    }
}

impl From<&Outcome> for GameResult {
    fn from(outcome: &Outcome) -> GameResult {
        match outcome.verdict() {
            Verdict::Win(side) => GameResult::Win {
                side,
                // Points of an outcome never exceed a byte.
                points: u8::try_from(outcome.points()[side]).unwrap_or(u8::MAX),
            },
            Verdict::Draw => GameResult::Draw,
            Verdict::Void => GameResult::Void,
        }
    }
}

/// How a match ended by its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SeriesEnd {
    /// This side has won it.
    Won(Side),
    /// Neither has.
    Drawn,
}

/// A match as its games add up.
///
/// ```
/// use mancala_engine::{Format, GameResult, Series, SeriesEnd, Side};
/// let mut series = Series::new(Format::OMWESO, Side::South);
/// series.record(GameResult::Win { side: Side::North, points: 2 })?;
/// assert_eq!((series.game(), series.begins()), (2, Side::North));
/// series.record(GameResult::Void)?;
/// assert_eq!((series.game(), series.begins()), (3, Side::North));
/// series.record(GameResult::Win { side: Side::South, points: 12 })?;
/// assert_eq!(series.end(), Some(SeriesEnd::Won(Side::South)));
/// assert_eq!(series.score().north, 2);
/// # Ok::<(), mancala_engine::SeriesOver>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Series {
    format: Format,
    score: BySide<u32>,
    game: u32,
    begins: Side,
    pointless: u32,
    end: Option<SeriesEnd>,
}

impl Series {
    /// A match before its first game, which `first` begins.
    #[must_use]
    pub const fn new(format: Format, first: Side) -> Series {
        Series {
            format,
            score: BySide { south: 0, north: 0 },
            game: 1,
            begins: first,
            pointless: 0,
            end: None,
        }
    }

    /// How long it goes on.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The points of each side so far.
    #[must_use]
    pub const fn score(&self) -> BySide<u32> {
        self.score
    }

    /// The number of the current game, from 1; of the last one, when the match is over.
    #[must_use]
    pub const fn game(&self) -> u32 {
        self.game
    }

    /// The side that begins, or began, that game.
    #[must_use]
    pub const fn begins(&self) -> Side {
        self.begins
    }

    /// Games in a row, up to now, that brought nobody points.
    #[must_use]
    pub const fn pointless_games(&self) -> u32 {
        self.pointless
    }

    /// How the match ended, if it has.
    #[must_use]
    pub const fn end(&self) -> Option<SeriesEnd> {
        self.end
    }

    /// Takes the result of the current game, and goes on to the next one unless the
    /// match is over with it.
    ///
    /// # Errors
    /// The match was over before; nothing changes.
    pub fn record(&mut self, result: GameResult) -> Result<(), SeriesOver> {
        if self.end.is_some() {
            return Err(SeriesOver);
        }
        let brought = match result {
            GameResult::Win { side, points } => {
                self.score[side] += u32::from(points);
                points
            }
            GameResult::Draw | GameResult::Void => 0,
        };
        self.pointless = if brought > 0 { 0 } else { self.pointless + 1 };
        self.end = self.end_by(result);
        if self.end.is_none() {
            self.game += 1;
            if result != GameResult::Void {
                self.begins = self.begins.other();
            }
        }
        Ok(())
    }

    fn end_by(&self, result: GameResult) -> Option<SeriesEnd> {
        let decided = match (self.format, result) {
            (Format::Single, GameResult::Win { side, .. }) => Some(SeriesEnd::Won(side)),
            (Format::Single, GameResult::Draw) => Some(SeriesEnd::Drawn),
            (Format::FirstTo(goal), GameResult::Win { side, .. }) => {
                (self.score[side] >= u32::from(goal.get())).then_some(SeriesEnd::Won(side))
            }
            (_, GameResult::Draw | GameResult::Void) => None,
        };
        decided.or((self.pointless >= POINTLESS_GAMES_MAX).then_some(SeriesEnd::Drawn))
    }
}

/// The match is over: no game follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesOver;

impl fmt::Display for SeriesOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the match is over; no game follows")
    }
}

impl std::error::Error for SeriesOver {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;
    use Side::{North, South};

    const fn win(side: Side, points: u8) -> GameResult {
        GameResult::Win { side, points }
    }

    #[test]
    fn formats_are_written_one_way() {
        for points in 1..=255 {
            let format = Format::first_to(points).unwrap();
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for text in [
            "",
            "Single",
            "single ",
            "first_to",
            "first_to ",
            "first_to 0",
            "first_to 012",
            "first_to +1",
            "first_to 256",
            "first_to  1",
            "first_to 1 ",
            "12",
        ] {
            assert_eq!(text.parse::<Format>(), Err(ParseFormatError), "{text:?}");
        }
    }

    /// A whole contest of Omweso: every kind of end, a void and a drawn game.
    #[test]
    fn contest_to_twelve() {
        let outcomes = [
            // The outcome, then the score, the next game and its beginner.
            (Outcome::win(North, 1, Reason::Bulijo), (0, 1), 2, North),
            (Outcome::win(South, 2, Reason::Okutema), (2, 1), 3, South),
            (Outcome::void(Reason::NeverEnding), (2, 1), 4, South),
            (Outcome::void(Reason::Repetition), (2, 1), 5, South),
            (Outcome::win(South, 2, Reason::Akakyala), (4, 1), 6, North),
            (Outcome::draw(Reason::Quiet), (4, 1), 7, South),
            (Outcome::win(South, 2, Reason::Okutema), (6, 1), 8, North),
        ];
        let mut series = Series::new(Format::OMWESO, South);
        for (outcome, (south, north), game, begins) in outcomes {
            series.record((&outcome).into()).unwrap();
            assert_eq!(series.score(), BySide { south, north });
            assert_eq!((series.game(), series.begins()), (game, begins));
            assert_eq!(series.end(), None);
        }
        series
            .record((&Outcome::win(North, 12, Reason::Akawumbi)).into())
            .unwrap();
        assert_eq!(series.end(), Some(SeriesEnd::Won(North)));
        assert_eq!(
            series.score(),
            BySide {
                south: 6,
                north: 13
            }
        );
        assert_eq!((series.game(), series.begins()), (8, North));
        let over = series;
        assert_eq!(series.record(GameResult::Draw), Err(SeriesOver));
        assert_eq!(series, over);
    }

    #[test]
    fn eleven_points_do_not_suffice_and_twelve_do() {
        let mut series = Series::new(Format::OMWESO, North);
        for _ in 0..11 {
            series.record(GameResult::won_from_outside(South)).unwrap();
            assert_eq!(series.end(), None);
        }
        assert_eq!(
            series.begins(),
            South,
            "the twelfth game of a match that North began"
        );
        series.record(GameResult::won_from_outside(South)).unwrap();
        assert_eq!(series.end(), Some(SeriesEnd::Won(South)));
    }

    #[test]
    fn single_game() {
        let after = |results: &[GameResult]| {
            let mut series = Series::new(Format::Single, South);
            for &result in results {
                series.record(result).unwrap();
            }
            series
        };
        assert_eq!(after(&[win(North, 1)]).end(), Some(SeriesEnd::Won(North)));
        assert_eq!(after(&[GameResult::Draw]).end(), Some(SeriesEnd::Drawn));
        let replayed = after(&[GameResult::Void, GameResult::Void]);
        assert_eq!(
            (replayed.end(), replayed.game(), replayed.begins()),
            (None, 3, South)
        );
        assert_eq!(after(&[GameResult::Void; 10]).end(), Some(SeriesEnd::Drawn));
    }

    #[test]
    fn ten_games_without_points_draw_a_match() {
        let mut series = Series::new(Format::OMWESO, South);
        for _ in 0..9 {
            series.record(GameResult::Draw).unwrap();
        }
        series.record(win(South, 1)).unwrap();
        assert_eq!(series.pointless_games(), 0);
        for game in 0..10 {
            assert_eq!(series.end(), None);
            let result = if game % 2 == 0 {
                GameResult::Draw
            } else {
                GameResult::Void
            };
            series.record(result).unwrap();
        }
        assert_eq!(series.end(), Some(SeriesEnd::Drawn));
        assert_eq!(series.score(), BySide { south: 1, north: 0 });
    }
}
