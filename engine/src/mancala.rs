//! The five games by name.

use std::fmt;
use std::str::FromStr;

/// One of the five games. What a *game* of it may look like is in its
/// [`Options`](crate::Options); how it is played, in the module that bears its name.
///
/// ```
/// use mancala_engine::Mancala;
/// assert_eq!(Mancala::BaoKigogo.key(), "bao_kigogo");
/// assert_eq!("nsolo".parse(), Ok(Mancala::Nsolo));
/// assert_eq!(Mancala::Urim.to_string(), "Urim");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Mancala {
    /// Uganda: four rows of eight, captured seeds are sown again.
    Omweso,
    /// Ethiopia: two rows of twelve, fours are captured.
    Anywoli,
    /// Southern Africa's coast: two rows, twos and threes are captured.
    Urim,
    /// Tanzania: four rows of twelve, captured seeds leave the board.
    BaoKigogo,
    /// Malawi and Zambia: four rows of 8 to 36, captures and strips.
    Nsolo,
}

impl Mancala {
    /// All five, in the order of the project's papers.
    pub const ALL: [Mancala; 5] = [
        Mancala::Omweso,
        Mancala::Anywoli,
        Mancala::Urim,
        Mancala::BaoKigogo,
        Mancala::Nsolo,
    ];

    /// The name in JSON, records and addresses.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Mancala::Omweso => "omweso",
            Mancala::Anywoli => "anywoli",
            Mancala::Urim => "urim",
            Mancala::BaoKigogo => "bao_kigogo",
            Mancala::Nsolo => "nsolo",
        }
    }

    /// The name for people, which [`Display`](fmt::Display) prints too.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Mancala::Omweso => "Omweso",
            Mancala::Anywoli => "Anywoli",
            Mancala::Urim => "Urim",
            Mancala::BaoKigogo => "Bao Kigogo",
            Mancala::Nsolo => "Nsolo",
        }
    }
}

impl fmt::Display for Mancala {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

/// The text was none of the five keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseMancalaError;

impl fmt::Display for ParseMancalaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a game is `omweso`, `anywoli`, `urim`, `bao_kigogo` or `nsolo`")
    }
}

impl std::error::Error for ParseMancalaError {}

impl FromStr for Mancala {
    type Err = ParseMancalaError;

    /// Reads a key, as [`Mancala::key`] writes it.
    fn from_str(text: &str) -> Result<Mancala, ParseMancalaError> {
        Mancala::ALL
            .into_iter()
            .find(|mancala| mancala.key() == text)
            .ok_or(ParseMancalaError)
    }
}
