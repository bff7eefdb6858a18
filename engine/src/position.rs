//! What all positions have in common, and one type over all five games.

use crate::moves::Moves;
use crate::{
    Action, Anywoli, BadPosition, BaoKigogo, Extra, Mancala, Nsolo, Omweso, Options, Phase, Pit,
    Reason, Recorder, Refusal, Setup, Shape, Side, Standing, Urim, Verdict,
};
use std::fmt::Debug;

/// A sound position of one of the games: everything the rules look at but which
/// positions stood before. That memory belongs to a [`Game`](crate::Game), through
/// which positions are played.
///
/// A position is plain data, cheap to copy and to compare.
pub trait Position: Clone + Debug + PartialEq {
    /// What may be chosen about this game.
    type Options: Clone + Debug;

    /// The position in which a game begins.
    fn start(options: Self::Options, first: Side) -> Self;

    /// Makes sure that a setup can stand in a game with these options.
    ///
    /// # Errors
    /// Every reason why not.
    fn from_setup(options: Self::Options, setup: &Setup) -> Result<Self, BadPosition>;

    /// The position as plain data.
    fn setup(&self) -> Setup;

    /// Which game this is.
    fn mancala(&self) -> Mancala;

    /// The options of the game.
    fn options(&self) -> Options;

    /// The outline of the board.
    fn shape(&self) -> Shape;

    /// Whose turn it is, which one, and what is due.
    fn standing(&self) -> &Standing;

    /// What the game remembers beyond the seeds and the turn.
    fn extra(&self) -> Extra {
        self.setup().extra
    }

    /// What may be played now, in phases `play` and `direction`.
    fn moves(&self) -> Moves;

    /// May this action be played now?
    ///
    /// # Errors
    /// The first reason why not.
    fn check(&self, action: &Action) -> Result<(), Refusal>;

    /// Plays an action that [`check`](Position::check) allows, except for what only a
    /// [`Game`](crate::Game) knows: repetition.
    ///
    /// # Panics
    /// It may, if the action is not allowed; or the action leads to a position that no game
    /// has. It ends within [`LAPS_MAX`](crate::LAPS_MAX) laps all the same.
    fn play_unchecked<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played;

    /// Ends the game by a rule that holds in every game: `never_ending`, `repetition`
    /// or `quiet`.
    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R);

    /// What repetition compares, mixed into 64 bits: the pits of both sides, the side
    /// to move and, in Omweso, whether anyone has captured.
    fn key(&self) -> u64;

    /// Which occurrence of a position ends the game: the second, or the third.
    fn occurrences_to_end(&self) -> usize;
}

/// What an action meant for the list of earlier positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// No earlier position can come back, or none counts any more.
    pub forget: bool,
    /// A turn begins that counts as an occurrence of its position.
    pub occurrence: bool,
}

impl Played {
    /// The action began a turn.
    pub(crate) const fn turn(forget: bool) -> Played {
        Played {
            forget,
            occurrence: true,
        }
    }

    /// The turn goes on, or the game is over, or the turn was lost.
    pub(crate) const fn no_occurrence(forget: bool) -> Played {
        Played {
            forget,
            occurrence: false,
        }
    }
}

/// A position of any of the five games.
///
/// ```
/// use mancala_engine::{AnyPosition, Mancala, Options, Position, Side};
/// for mancala in Mancala::ALL {
///     let position = AnyPosition::start(Options::standard(mancala), Side::North);
///     assert_eq!(position.mancala(), mancala);
///     assert_eq!(position.standing().to_move, Side::North);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "Nsolo is flat for speed")]
pub enum AnyPosition {
    /// A position of Omweso.
    Omweso(Omweso),
    /// A position of Anywoli.
    Anywoli(Anywoli),
    /// A position of Urim.
    Urim(Urim),
    /// A position of Bao Kigogo.
    BaoKigogo(BaoKigogo),
    /// A position of Nsolo.
    Nsolo(Nsolo),
}

macro_rules! dispatch {
    ($self:expr, $position:ident => $body:expr) => {
        match $self {
            AnyPosition::Omweso($position) => $body,
            AnyPosition::Anywoli($position) => $body,
            AnyPosition::Urim($position) => $body,
            AnyPosition::BaoKigogo($position) => $body,
            AnyPosition::Nsolo($position) => $body,
        }
    };
}

impl Position for AnyPosition {
    type Options = Options;

    fn start(options: Options, first: Side) -> AnyPosition {
        match options {
            Options::Omweso(options) => AnyPosition::Omweso(Omweso::start(options, first)),
            Options::Anywoli(options) => AnyPosition::Anywoli(Anywoli::start(options, first)),
            Options::Urim(options) => AnyPosition::Urim(Urim::start(options, first)),
            Options::BaoKigogo(options) => AnyPosition::BaoKigogo(BaoKigogo::start(options, first)),
            Options::Nsolo(options) => AnyPosition::Nsolo(Nsolo::start(options, first)),
        }
    }

    fn from_setup(options: Options, setup: &Setup) -> Result<AnyPosition, BadPosition> {
        Ok(match options {
            Options::Omweso(options) => AnyPosition::Omweso(Omweso::from_setup(options, setup)?),
            Options::Anywoli(options) => AnyPosition::Anywoli(Anywoli::from_setup(options, setup)?),
            Options::Urim(options) => AnyPosition::Urim(Urim::from_setup(options, setup)?),
            Options::BaoKigogo(options) => {
                AnyPosition::BaoKigogo(BaoKigogo::from_setup(options, setup)?)
            }
            Options::Nsolo(options) => AnyPosition::Nsolo(Nsolo::from_setup(options, setup)?),
        })
    }

    fn setup(&self) -> Setup {
        dispatch!(self, position => position.setup())
    }

    fn mancala(&self) -> Mancala {
        dispatch!(self, position => position.mancala())
    }

    fn options(&self) -> Options {
        dispatch!(self, position => position.options())
    }

    fn shape(&self) -> Shape {
        dispatch!(self, position => position.shape())
    }

    fn standing(&self) -> &Standing {
        dispatch!(self, position => position.standing())
    }

    fn moves(&self) -> Moves {
        dispatch!(self, position => position.moves())
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        dispatch!(self, position => position.check(action))
    }

    fn play_unchecked<R: Recorder>(&mut self, action: &Action, recorder: &mut R) -> Played {
        dispatch!(self, position => position.play_unchecked(action, recorder))
    }

    fn end_by<R: Recorder>(&mut self, reason: Reason, recorder: &mut R) {
        dispatch!(self, position => position.end_by(reason, recorder));
    }

    fn key(&self) -> u64 {
        dispatch!(self, position => position.key())
    }

    fn occurrences_to_end(&self) -> usize {
        dispatch!(self, position => position.occurrences_to_end())
    }
}

/// The first reasons to refuse in every game: the game is over, or the phase waits for
/// another kind of action. `own` says whether the game knows the action in this phase.
pub(crate) fn check_phase(phase: &Phase, own: bool) -> Result<(), Refusal> {
    match phase {
        Phase::Over(_) => Err(Refusal::GameOver),
        _ if own => Ok(()),
        _ => Err(Refusal::WrongPhase),
    }
}

/// The pit a `sow` names must be on the board and hold seeds.
pub(crate) fn check_pit(
    shape: Shape,
    pit: Pit,
    seeds: impl Fn(Pit) -> u32,
) -> Result<u32, Refusal> {
    if !shape.contains(pit) {
        return Err(Refusal::NoSuchPit);
    }
    match seeds(pit) {
        0 => Err(Refusal::EmptyPit),
        seeds => Ok(seeds),
    }
}

/// The outcome where the fuller store wins one point and equal stores are a draw.
pub(crate) fn verdict_of_stores(south: u32, north: u32) -> Verdict {
    match south.cmp(&north) {
        std::cmp::Ordering::Greater => Verdict::Win(Side::South),
        std::cmp::Ordering::Less => Verdict::Win(Side::North),
        std::cmp::Ordering::Equal => Verdict::Draw,
    }
}
