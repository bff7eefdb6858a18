//! How a game ended on the board.

use crate::{BySide, Side};
use std::fmt;
use std::str::FromStr;

/// Who won, if anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// This side has won.
    Win(Side),
    /// Neither side has won.
    Draw,
    /// The game does not count and is played again (Omweso only).
    Void,
}

/// What ended a game on the board. Ends that come from outside (resignation, time,
/// agreement) are no matter of the rules and stand in a record as *stated*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Reason {
    /// Omweso: the opponent was captured out, the last time in an end column. 12 points.
    Akawumbi,
    /// Omweso: captured out, both heads captured, or the inner row emptied. 2 points.
    Okutema,
    /// Omweso, by option: captured in two turns, the opponent in none. 2 points.
    Akakyala,
    /// Omweso: the opponent cannot move. 1 point.
    Bulijo,
    /// Anywoli: only four seeds were left in play.
    LastFour,
    /// Urim: the player to move has no move.
    NoMove,
    /// All seeds (Urim), or all of the opponent's, are captured.
    AllCaptured,
    /// Bao Kigogo: the side to move has seeds but no move.
    Immobilised,
    /// Nsolo: neither side has a move.
    BothStuck,
    /// A turn that would need more than [`LAPS_MAX`](crate::LAPS_MAX) laps.
    NeverEnding,
    /// The position has stood before, as often as the game allows.
    Repetition,
    /// Too many turns in a row without a capture.
    Quiet,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 12] = [
        Reason::Akawumbi,
        Reason::Okutema,
        Reason::Akakyala,
        Reason::Bulijo,
        Reason::LastFour,
        Reason::NoMove,
        Reason::AllCaptured,
        Reason::Immobilised,
        Reason::BothStuck,
        Reason::NeverEnding,
        Reason::Repetition,
        Reason::Quiet,
    ];

    /// The stable name for programs and records.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Reason::Akawumbi => "akawumbi",
            Reason::Okutema => "okutema",
            Reason::Akakyala => "akakyala",
            Reason::Bulijo => "bulijo",
            Reason::LastFour => "last_four",
            Reason::NoMove => "no_move",
            Reason::AllCaptured => "all_captured",
            Reason::Immobilised => "immobilised",
            Reason::BothStuck => "both_stuck",
            Reason::NeverEnding => "never_ending",
            Reason::Repetition => "repetition",
            Reason::Quiet => "quiet",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// The text was no reason of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseReasonError;

impl fmt::Display for ParseReasonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reasons for which a game ends on the board are")?;
        for (index, reason) in Reason::ALL.into_iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma} `{reason}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseReasonError {}

impl FromStr for Reason {
    type Err = ParseReasonError;

    /// Reads a code, as [`Reason::code`] writes it.
    fn from_str(text: &str) -> Result<Reason, ParseReasonError> {
        Reason::ALL
            .into_iter()
            .find(|reason| reason.code() == text)
            .ok_or(ParseReasonError)
    }
}

/// How a game ended: the verdict, the points it brings, and why.
///
/// ```
/// use mancala_engine::{Outcome, Reason, Side, Verdict};
/// let outcome = Outcome::win(Side::South, 12, Reason::Akawumbi);
/// assert_eq!(outcome.verdict(), Verdict::Win(Side::South));
/// assert_eq!(outcome.points().south, 12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    verdict: Verdict,
    points: u8,
    reason: Reason,
}

impl Outcome {
    /// A win that brings `points` to `winner`; the other side gets none.
    #[must_use]
    pub const fn win(winner: Side, points: u8, reason: Reason) -> Outcome {
        Outcome {
            verdict: Verdict::Win(winner),
            points,
            reason,
        }
    }

    /// A draw: no points.
    #[must_use]
    pub const fn draw(reason: Reason) -> Outcome {
        Outcome {
            verdict: Verdict::Draw,
            points: 0,
            reason,
        }
    }

    /// A void game: no points, and it is played again.
    #[must_use]
    pub const fn void(reason: Reason) -> Outcome {
        Outcome {
            verdict: Verdict::Void,
            points: 0,
            reason,
        }
    }

    /// Who won, if anyone.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The side that won.
    #[must_use]
    pub const fn winner(&self) -> Option<Side> {
        match self.verdict {
            Verdict::Win(side) => Some(side),
            Verdict::Draw | Verdict::Void => None,
        }
    }

    /// The points the game brings to each side.
    #[must_use]
    pub fn points(&self) -> BySide<u32> {
        let mut points = BySide::both(0);
        if let Verdict::Win(side) = self.verdict {
            points[side] = u32::from(self.points);
        }
        points
    }

    /// What ended the game.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict {
            Verdict::Win(side) => write!(f, "{side} wins {} ({})", self.points, self.reason),
            Verdict::Draw => write!(f, "draw ({})", self.reason),
            Verdict::Void => write!(f, "void ({})", self.reason),
        }
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;
    use crate::forms::{Object, word};
    use serde::de::{Error as _, IntoDeserializer as _};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Win,
        Draw,
        Void,
    }

    word!(Word { Win, Draw, Void });

    /// `{"outcome": "win", "winner": "south", "points": {..}, "reason": ".."}`
    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        outcome: Word,
        // Not left out where nobody has won: `null`.
        #[serde(deserialize_with = "Option::deserialize")]
        winner: Option<Side>,
        points: BySide<u32>,
        reason: Reason,
    }

    impl Serialize for Outcome {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Form {
                outcome: match self.verdict {
                    Verdict::Win(_) => Word::Win,
                    Verdict::Draw => Word::Draw,
                    Verdict::Void => Word::Void,
                },
                winner: self.winner(),
                points: self.points(),
                reason: self.reason,
            }
            .serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Outcome {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
            let form = Form::deserialize(Object(deserializer))?;
            let points = form.winner.map_or(0, |side| form.points[side]);
            let points = u8::try_from(points)
                .map_err(|_| D::Error::custom("points of a game are at most 255"))?;
            let outcome = match (form.outcome, form.winner) {
                (Word::Win, Some(winner)) => Outcome::win(winner, points, form.reason),
                (Word::Draw, None) => Outcome::draw(form.reason),
                (Word::Void, None) => Outcome::void(form.reason),
                _ => return Err(D::Error::custom("a win has a winner, nothing else has")),
            };
            if outcome.points() != form.points {
                return Err(D::Error::custom("only the winner gets points"));
            }
            Ok(outcome)
        }
    }
}
