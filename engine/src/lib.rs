//! The rules of five African mancalas: Omweso, Anywoli, Urim, Bao Kigogo and Nsolo.
//!
//! May know the rules, and nothing of the world: no sockets, files, clocks or lots.
//! What is drawn by lot comes in as an action.
//!
//! * A [`Setup`] is a position as plain data, perhaps nonsense.
//! * A [`Position`] is sound: [`Omweso`], [`Anywoli`], [`Urim`], [`BaoKigogo`],
//!   [`Nsolo`], or [`AnyPosition`] over all five.
//! * A [`Game`] is a position with the memory of those before it. It plays an
//!   [`Action`], answers with a [`Trace`] of how the seeds moved, or refuses by name.
//! * A [`Series`] adds games up to a match; a [`Record`] is a whole match as text.
//!
//! ```
//! use mancala_engine::{AnyPosition, Game, Mancala, Options, Side};
//!
//! let options = Options::standard(Mancala::Omweso);
//! let mut game = Game::<AnyPosition>::start(options, Side::South);
//! while game.outcome().is_none() {
//!     let first_move = game.moves().nth(0);
//!     game.play(&first_move)?;
//! }
//! println!("{}", game.outcome().unwrap());
//! # Ok::<(), mancala_engine::Refusal>(())
//! ```

mod action;
mod anywoli;
mod bao_kigogo;
mod checksum;
mod circuit;
mod diagram;
#[cfg(feature = "serde")]
mod forms;
mod game;
mod history;
mod mancala;
mod moves;
mod notation;
mod nsolo;
mod omweso;
mod options;
mod options_text;
mod outcome;
mod perft;
mod phase;
mod pit;
mod position;
mod position_text;
mod printable;
pub mod record;
mod refusal;
mod series;
mod setup;
mod side;
#[cfg(test)]
mod testing;
mod trace;
mod urim;

pub use action::{Action, Direction};
pub use anywoli::{Anywoli, AnywoliOptions, LastFour};
pub use bao_kigogo::{BaoKigogo, BaoKigogoOptions};
pub use checksum::{checksum, checksum_text};
pub use diagram::diagram;
pub use game::Game;
pub use mancala::{Mancala, ParseMancalaError};
pub use moves::Moves;
pub use notation::{ParseActionError, UnwritableAction};
pub use nsolo::{Nsolo, NsoloOptions};
pub use omweso::{Omweso, OmwesoOptions, OmwesoSetup, Opening};
pub use options::{Cap, NsoloColumns, Options, OutOfRange, QuietLimit, UrimColumns};
pub use options_text::ParseOptionsError;
pub use outcome::{Outcome, ParseReasonError, Reason, Verdict};
pub use perft::{perft, sample_choices};
pub use phase::{BadColumns, Columns, PendingLap, Phase};
pub use pit::{Pit, PitLabel, PitSet, Place, Shape};
pub use position::{AnyPosition, Played, Position};
pub use position_text::ParseSetupError;
pub use printable::Printable;
pub use record::{ParseRecordError, ParsedRecord, RULES_VERSION, Record};
pub use refusal::Refusal;
pub use series::{
    Format, GameResult, POINTLESS_GAMES_MAX, ParseFormatError, Series, SeriesEnd, SeriesOver,
};
pub use setup::{BadPosition, Board, Extra, Flaw, Setup, Standing};
pub use side::{BySide, ParseSideError, Side};
pub use trace::{
    Capture, Destination, Lap, Passed, Recorder, Silent, Source, Step, Trace, TraceMismatch,
};
pub use urim::{FullPit, Urim, UrimOptions};

/// The laps a turn may hold, those before a choice of direction counted too. Where it
/// would need one more it is never-ending: of many million random turns on circuits of
/// 12 to 24 pits, none that ended came near.
pub const LAPS_MAX: u32 = 10_000;
