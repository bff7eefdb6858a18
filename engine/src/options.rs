//! What may be chosen about a game before it begins.

use crate::{AnywoliOptions, BaoKigogoOptions, Mancala, NsoloOptions, OmwesoOptions, UrimOptions};
use std::fmt;

/// The options of any of the five games.
///
/// ```
/// use mancala_engine::{Mancala, Options};
/// let options = Options::standard(Mancala::Nsolo);
/// assert_eq!(options.mancala(), Mancala::Nsolo);
/// assert_eq!(options.quiet_limit(), 200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum Options {
    /// Options of Omweso.
    Omweso(OmwesoOptions),
    /// Options of Anywoli.
    Anywoli(AnywoliOptions),
    /// Options of Urim.
    Urim(UrimOptions),
    /// Options of Bao Kigogo.
    BaoKigogo(BaoKigogoOptions),
    /// Options of Nsolo.
    Nsolo(NsoloOptions),
}

impl Options {
    /// The standard options of a game.
    #[must_use]
    pub fn standard(mancala: Mancala) -> Options {
        match mancala {
            Mancala::Omweso => Options::Omweso(OmwesoOptions::default()),
            Mancala::Anywoli => Options::Anywoli(AnywoliOptions::default()),
            Mancala::Urim => Options::Urim(UrimOptions::default()),
            Mancala::BaoKigogo => Options::BaoKigogo(BaoKigogoOptions::default()),
            Mancala::Nsolo => Options::Nsolo(NsoloOptions::default()),
        }
    }

    /// The game they are for.
    #[must_use]
    pub const fn mancala(&self) -> Mancala {
        match self {
            Options::Omweso(_) => Mancala::Omweso,
            Options::Anywoli(_) => Mancala::Anywoli,
            Options::Urim(_) => Mancala::Urim,
            Options::BaoKigogo(_) => Mancala::BaoKigogo,
            Options::Nsolo(_) => Mancala::Nsolo,
        }
    }

    /// After how many quiet turns in a row the game ends.
    #[must_use]
    pub const fn quiet_limit(&self) -> u32 {
        match self {
            Options::Omweso(options) => options.quiet_limit.get(),
            Options::Anywoli(options) => options.quiet_limit.get(),
            Options::Urim(options) => options.quiet_limit.get(),
            Options::BaoKigogo(options) => options.quiet_limit.get(),
            Options::Nsolo(options) => options.quiet_limit.get(),
        }
    }

    /// Reads the JSON object of a game's options. What is left out has its standard
    /// value.
    ///
    /// # Errors
    /// An unknown name or a value out of range: code `bad_options`.
    #[cfg(feature = "serde")]
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(
        mancala: Mancala,
        deserializer: D,
    ) -> Result<Options, D::Error> {
        use serde::Deserialize as _;
        Ok(match mancala {
            Mancala::Omweso => Options::Omweso(OmwesoOptions::deserialize(deserializer)?),
            Mancala::Anywoli => Options::Anywoli(AnywoliOptions::deserialize(deserializer)?),
            Mancala::Urim => Options::Urim(UrimOptions::deserialize(deserializer)?),
            Mancala::BaoKigogo => Options::BaoKigogo(BaoKigogoOptions::deserialize(deserializer)?),
            Mancala::Nsolo => Options::Nsolo(NsoloOptions::deserialize(deserializer)?),
        })
    }
}

/// A value out of the range of its option (code `bad_options`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The option.
    pub option: &'static str,
    /// Its smallest value.
    pub least: u32,
    /// Its largest value.
    pub most: u32,
}

impl OutOfRange {
    /// The stable code for programs.
    pub const CODE: &'static str = "bad_options";
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfRange {
            option,
            least,
            most,
        } = self;
        write!(f, "`{option}` is from {least} to {most}")
    }
}

impl std::error::Error for OutOfRange {}

/// Defines an option that is a number within bounds.
macro_rules! bounded {
    ($(#[$doc:meta])* $name:ident, $option:literal, $least:literal ..= $most:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "u32", into = "u32"))]
        pub struct $name(u32);

        impl $name {
            /// Makes sure that the number is within the bounds.
            ///
            /// # Errors
            /// It is not.
            pub const fn new(value: u32) -> Result<$name, OutOfRange> {
                if value >= $least && value <= $most {
                    Ok($name(value))
                } else {
                    Err(OutOfRange { option: $option, least: $least, most: $most })
                }
            }

            /// The number.
            #[inline]
            #[must_use]
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl TryFrom<u32> for $name {
            type Error = OutOfRange;

            fn try_from(value: u32) -> Result<$name, OutOfRange> {
                $name::new(value)
            }
        }

        impl From<$name> for u32 {
            fn from(value: $name) -> u32 {
                value.0
            }
        }
    };
}

bounded! {
    /// After how many quiet turns in a row a game ends: 10 to 10,000.
    ///
    /// ```
    /// use mancala_engine::QuietLimit;
    /// assert_eq!(QuietLimit::new(50).unwrap().get(), 50);
    /// assert_eq!(
    ///     QuietLimit::new(9).unwrap_err().to_string(),
    ///     "`quiet_limit` is from 10 to 10000"
    /// );
    /// ```
    QuietLimit, "quiet_limit", 10..=10_000
}

bounded! {
    /// How many seeds a free arrangement of Omweso may put into one pit: 2 to 32.
    ///
    /// ```
    /// use mancala_engine::Cap;
    /// assert!(Cap::new(1).is_err());
    /// ```
    Cap, "cap", 2..=32
}

bounded! {
    /// Pits in a row of Urim: 6 or 7.
    ///
    /// ```
    /// use mancala_engine::UrimColumns;
    /// assert!(UrimColumns::new(8).is_err());
    /// ```
    UrimColumns, "columns", 6..=7
}

bounded! {
    /// Pits in a row of Nsolo: 8 to 36.
    ///
    /// ```
    /// use mancala_engine::NsoloColumns;
    /// assert_eq!(NsoloColumns::new(36).unwrap().get(), 36);
    /// ```
    NsoloColumns, "columns", 8..=36
}

impl QuietLimit {
    /// The standard of two-row games.
    pub const TWO_ROWS: QuietLimit = QuietLimit(100);
    /// The standard of four-row games.
    pub const FOUR_ROWS: QuietLimit = QuietLimit(200);
}

impl Cap {
    /// The standard: ten.
    pub const STANDARD: Cap = Cap(10);
}

impl Default for UrimColumns {
    fn default() -> UrimColumns {
        UrimColumns(6)
    }
}

impl Default for NsoloColumns {
    fn default() -> NsoloColumns {
        NsoloColumns(8)
    }
}
