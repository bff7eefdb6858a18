//! Options in a readable line: `columns 36, quiet_limit 50`.
//!
//! Only what is not standard is written, each option with its name in the order of its
//! struct; what is left out has its standard value. No option at all is an empty line.

use crate::position_text::read_number;
use crate::{
    Cap, FullPit, LastFour, Mancala, NsoloColumns, OmwesoSetup, Opening, Options, OutOfRange,
    QuietLimit, UrimColumns,
};
use std::fmt;

/// Why a line of options cannot be read (code `bad_options`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseOptionsError {
    /// The game has no such option, or not this value of it.
    Unknown(Mancala),
    /// An option stands twice.
    Twice,
    /// A number out of its range.
    OutOfRange(OutOfRange),
}

impl fmt::Display for ParseOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mancala = match self {
            ParseOptionsError::Unknown(mancala) => mancala,
            ParseOptionsError::Twice => return f.write_str("an option stands twice"),
            ParseOptionsError::OutOfRange(error) => return error.fmt(f),
        };
        let known = match mancala {
            Mancala::Omweso => {
                "`setup standard|free`, `cap N|none`, \
                 `opening first_turn|each_players_first_turn|off`, `akakyala on|off`, "
            }
            Mancala::Anywoli => "`last_four last_capture|last_seed|lottery`, ",
            Mancala::Urim => "`columns N`, `full_pit skip|forbid`, ",
            Mancala::BaoKigogo => "",
            Mancala::Nsolo => "`columns N`, ",
        };
        write!(
            f,
            "the options of {mancala} are {known}`quiet_limit N`, with commas between"
        )
    }
}

impl std::error::Error for ParseOptionsError {}

impl From<OutOfRange> for ParseOptionsError {
    fn from(error: OutOfRange) -> ParseOptionsError {
        ParseOptionsError::OutOfRange(error)
    }
}

impl fmt::Display for Options {
    /// What is not standard, in a line; nothing where everything is.
    ///
    /// ```
    /// use mancala_engine::{Mancala, Options};
    /// let options = Options::parse(Mancala::Urim, "quiet_limit 50, columns 7")?;
    /// assert_eq!(options.to_string(), "columns 7, quiet_limit 50");
    /// assert_eq!(Options::standard(Mancala::Urim).to_string(), "");
    /// # Ok::<(), mancala_engine::ParseOptionsError>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standard = NAMES.map(|name| value(&Options::standard(self.mancala()), name));
        let own = NAMES.map(|name| value(self, name));
        let mut comma = "";
        for ((name, own), standard) in NAMES.into_iter().zip(own).zip(standard) {
            if let Some(own) = own.filter(|own| standard.as_ref() != Some(own)) {
                write!(f, "{comma}{name} {own}")?;
                comma = ", ";
            }
        }
        Ok(())
    }
}

impl Options {
    /// Reads a line of options. What is left out has its standard value.
    ///
    /// # Errors
    /// An unknown option or value, one that stands twice, a number out of range.
    pub fn parse(mancala: Mancala, text: &str) -> Result<Options, ParseOptionsError> {
        let mut options = Options::standard(mancala);
        if text.is_empty() {
            return Ok(options);
        }
        let mut seen = [false; NAMES.len()];
        for item in text.split(',') {
            let unknown = ParseOptionsError::Unknown(mancala);
            let Some((name, value)) = item.trim_matches(' ').split_once(' ') else {
                return Err(unknown);
            };
            let Some(index) = NAMES.iter().position(|&known| known == name) else {
                return Err(unknown);
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(ParseOptionsError::Twice);
            }
            set(&mut options, name, value)?;
        }
        Ok(options)
    }
}

/// Every option of any game, in the order in which they are written.
const NAMES: [&str; 8] = [
    "setup",
    "cap",
    "opening",
    "akakyala",
    "last_four",
    "columns",
    "full_pit",
    "quiet_limit",
];

/// The value of an option as text; `None` where the game does not have it.
fn value(options: &Options, name: &str) -> Option<String> {
    let word: &str = match (options, name) {
        (_, "quiet_limit") => return Some(options.quiet_limit().to_string()),
        (Options::Omweso(own), "setup") => match own.setup {
            OmwesoSetup::Standard => "standard",
            OmwesoSetup::Free => "free",
        },
        (Options::Omweso(own), "cap") => match own.cap {
            Some(cap) => return Some(cap.get().to_string()),
            None => "none",
        },
        (Options::Omweso(own), "opening") => match own.opening {
            Opening::FirstTurn => "first_turn",
            Opening::EachPlayersFirstTurn => "each_players_first_turn",
            Opening::Off => "off",
        },
        (Options::Omweso(own), "akakyala") => match own.akakyala {
            true => "on",
            false => "off",
        },
        (Options::Anywoli(own), "last_four") => match own.last_four {
            LastFour::LastCapture => "last_capture",
            LastFour::LastSeed => "last_seed",
            LastFour::Lottery => "lottery",
        },
        (Options::Urim(own), "columns") => return Some(own.columns.get().to_string()),
        (Options::Urim(own), "full_pit") => match own.full_pit {
            FullPit::Skip => "skip",
            FullPit::Forbid => "forbid",
        },
        (Options::Nsolo(own), "columns") => return Some(own.columns.get().to_string()),
        _ => return None,
    };
    Some(word.to_owned())
}

fn set(options: &mut Options, name: &str, value: &str) -> Result<(), ParseOptionsError> {
    let unknown = ParseOptionsError::Unknown(options.mancala());
    let number = || read_number(value).ok_or(unknown.clone());
    if name == "quiet_limit" {
        let limit = QuietLimit::new(number()?)?;
        match options {
            Options::Omweso(own) => own.quiet_limit = limit,
            Options::Anywoli(own) => own.quiet_limit = limit,
            Options::Urim(own) => own.quiet_limit = limit,
            Options::BaoKigogo(own) => own.quiet_limit = limit,
            Options::Nsolo(own) => own.quiet_limit = limit,
        }
        return Ok(());
    }
    match (options, name, value) {
        (Options::Omweso(own), "setup", "standard") => own.setup = OmwesoSetup::Standard,
        (Options::Omweso(own), "setup", "free") => own.setup = OmwesoSetup::Free,
        (Options::Omweso(own), "cap", "none") => own.cap = None,
        (Options::Omweso(own), "cap", _) => own.cap = Some(Cap::new(number()?)?),
        (Options::Omweso(own), "opening", "first_turn") => own.opening = Opening::FirstTurn,
        (Options::Omweso(own), "opening", "each_players_first_turn") => {
            own.opening = Opening::EachPlayersFirstTurn;
        }
        (Options::Omweso(own), "opening", "off") => own.opening = Opening::Off,
        (Options::Omweso(own), "akakyala", "on") => own.akakyala = true,
        (Options::Omweso(own), "akakyala", "off") => own.akakyala = false,
        (Options::Anywoli(own), "last_four", "last_capture") => {
            own.last_four = LastFour::LastCapture;
        }
        (Options::Anywoli(own), "last_four", "last_seed") => own.last_four = LastFour::LastSeed,
        (Options::Anywoli(own), "last_four", "lottery") => own.last_four = LastFour::Lottery,
        (Options::Urim(own), "columns", _) => own.columns = UrimColumns::new(number()?)?,
        (Options::Urim(own), "full_pit", "skip") => own.full_pit = FullPit::Skip,
        (Options::Urim(own), "full_pit", "forbid") => own.full_pit = FullPit::Forbid,
        (Options::Nsolo(own), "columns", _) => own.columns = NsoloColumns::new(number()?)?,
        _ => return Err(unknown),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mancala::{Anywoli, BaoKigogo, Nsolo, Omweso, Urim};

    #[test]
    fn every_value_that_is_not_standard() {
        for (mancala, text) in [
            (
                Omweso,
                "setup free, cap none, opening each_players_first_turn, akakyala on, \
                 quiet_limit 10000",
            ),
            (Omweso, "cap 32, opening off"),
            (Anywoli, "last_four last_seed, quiet_limit 10"),
            (Anywoli, "last_four lottery"),
            (Urim, "columns 7, full_pit forbid, quiet_limit 99"),
            (BaoKigogo, "quiet_limit 100"),
            (Nsolo, "columns 36, quiet_limit 100"),
            (Nsolo, ""),
        ] {
            let options = Options::parse(mancala, text).unwrap();
            assert_eq!(options.to_string(), text);
        }
    }

    #[test]
    fn standard_values_are_read_and_not_written() {
        for (mancala, text) in [
            (
                Omweso,
                "setup standard,cap 10,opening first_turn,akakyala off,quiet_limit 200",
            ),
            (Anywoli, "last_four last_capture, quiet_limit 100"),
            (Urim, "full_pit skip,  columns 6 "),
            (Nsolo, "columns 8"),
        ] {
            assert_eq!(
                Options::parse(mancala, text),
                Ok(Options::standard(mancala))
            );
        }
    }

    #[test]
    fn what_cannot_be_read() {
        let out_of_range = |option, least, most| {
            ParseOptionsError::OutOfRange(OutOfRange {
                option,
                least,
                most,
            })
        };
        for (mancala, text, error) in [
            (Omweso, "cap 33", out_of_range("cap", 2, 32)),
            (Nsolo, "columns 7", out_of_range("columns", 8, 36)),
            (
                Urim,
                "quiet_limit 9",
                out_of_range("quiet_limit", 10, 10_000),
            ),
            (Urim, "columns 7, columns 7", ParseOptionsError::Twice),
            (Urim, "cap 7", ParseOptionsError::Unknown(Urim)),
            (Urim, "columns", ParseOptionsError::Unknown(Urim)),
            (Urim, "columns seven", ParseOptionsError::Unknown(Urim)),
            (Urim, "columns 07", ParseOptionsError::Unknown(Urim)),
            (Urim, "columns 7,", ParseOptionsError::Unknown(Urim)),
            (
                BaoKigogo,
                "columns 12",
                ParseOptionsError::Unknown(BaoKigogo),
            ),
        ] {
            assert_eq!(Options::parse(mancala, text), Err(error), "{text}");
        }
    }
}
