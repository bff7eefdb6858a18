//! What is agreed about a match before it begins.

use crate::{Control, TeamsSpec};
use mancala_engine::{
    AnyPosition, AnywoliOptions, BadPosition, BaoKigogoOptions, BySide, Extra, Format, Mancala,
    NsoloOptions, OmwesoOptions, Options, Phase, Position as _, Setup, Side, UrimOptions,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Who may come to a match.
///
/// ```
/// use mancala_play::Access;
/// assert_eq!(Access::default(), Access::Public);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It is listed; anyone may take a free seat and anyone may watch.
    #[default]
    Public,
    /// It is not listed; a free seat is taken with the secret of its link, and whoever
    /// knows the address of the match may watch.
    Link,
}

/// The ways in which Omweso is played, as its players know them.
///
/// ```
/// use mancala_play::Way;
/// assert_eq!(serde_json::to_string(&Way::Blitz)?, r#""blitz""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Without a clock; what both agree on may be taken back.
    Counting,
    /// Both sign before the first game. From then on nothing is taken back and nothing is
    /// broken off.
    Contract,
    /// *Ekyobutabala*, without counting: three seconds a turn, in which the referee counts
    /// *emu*, *bbiri*; then the turn is lost.
    Blitz,
}

/// What is agreed about a match before it begins.
///
/// ```
/// use mancala_engine::{Format, Mancala, Options};
/// use mancala_play::MatchSpec;
/// let spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
/// let json = serde_json::to_string(&spec)?;
/// assert!(json.starts_with(r#"{"game":"omweso","options":{"setup":"standard""#));
/// assert_eq!(serde_json::from_str::<MatchSpec>(&json)?, spec);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSpec {
    /// The game and its options.
    pub options: Options,
    /// How long the match goes on.
    pub format: Format,
    /// Who may come.
    pub access: Access,
    /// May the side to move ask what an action would do?
    pub preview: bool,
    /// How its time is kept: each game begins with clocks of its own.
    pub clock: Control,
    /// The way in which Omweso is played, if one was chosen.
    pub way: Option<Way>,
    /// Does it count for ratings? Then nothing is taken back, broken off by agreement or
    /// foretold.
    pub rated: bool,
    /// The position from which each game begins, where it is not that of the rules: whoever
    /// begins has the place of the side to move in it.
    pub start: Option<Box<Setup>>,
    /// How its sides are teams, if they are.
    pub teams: Option<Box<TeamsSpec>>,
    /// The version of the rules it was begun under.
    pub rules: u32,
}

impl MatchSpec {
    /// A public match under the current rules, with previews and without clocks.
    #[must_use]
    pub const fn new(options: Options, format: Format) -> MatchSpec {
        MatchSpec {
            options,
            format,
            access: Access::Public,
            preview: true,
            clock: Control::UNTIMED,
            way: None,
            rated: false,
            start: None,
            teams: None,
            rules: mancala_engine::RULES_VERSION,
        }
    }

    /// The format that a game has where nobody chose one: Omweso is played to twelve
    /// points, the others are single games.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala};
    /// use mancala_play::MatchSpec;
    /// assert_eq!(MatchSpec::standard_format(Mancala::Urim), Format::Single);
    /// ```
    #[must_use]
    pub const fn standard_format(mancala: Mancala) -> Format {
        match mancala {
            Mancala::Omweso => Format::OMWESO,
            _ => Format::Single,
        }
    }

    /// Can a match be made so?
    ///
    /// # Errors
    /// Two things that were agreed do not go together, or the position cannot be.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options};
    /// use mancala_play::{BadSpec, Control, MatchSpec, Way};
    /// let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
    /// spec.way = Some(Way::Blitz);
    /// assert_eq!(spec.check(), Err(BadSpec::ClockOfWay));
    /// spec.clock = Control::BLITZ;
    /// assert_eq!(spec.check(), Ok(()));
    /// ```
    pub fn check(&self) -> Result<(), BadSpec> {
        let ensure = |holds: bool, bad| if holds { Ok(()) } else { Err(bad) };
        let is_omweso = self.options.mancala() == Mancala::Omweso;
        ensure(self.way.is_none() || is_omweso, BadSpec::WayOfOmweso)?;
        ensure(
            match self.way {
                Some(Way::Counting) => self.clock.is_untimed(),
                Some(Way::Blitz) => self.clock == Control::BLITZ,
                Some(Way::Contract) | None => true,
            },
            BadSpec::ClockOfWay,
        )?;
        ensure(!(self.rated && self.preview), BadSpec::RatedPreview)?;
        let sound = self.teams.as_ref().is_none_or(|teams| teams.is_sound());
        ensure(sound, BadSpec::Teams)?;
        if let Some(start) = &self.start {
            ensure(!self.rated, BadSpec::RatedStart)?;
            let position = AnyPosition::from_setup(self.options, start);
            let position = position.map_err(BadSpec::Position)?;
            let begins_a_turn = position.standing().phase == Phase::Play;
            ensure(begins_a_turn, BadSpec::MidTurn)?;
            ensure(position.moves().iter().next().is_some(), BadSpec::NoMove)?;
            ensure(
                position.standing().turn <= START_TURN_MAX,
                BadSpec::LateTurn,
            )?;
        }
        Ok(())
    }

    /// The side that begins the first game, where it is not for the lot to say.
    #[must_use]
    pub fn begins(&self) -> Option<Side> {
        self.start.as_ref().map(|start| start.standing.to_move)
    }

    /// The position from which a game begins that this side begins.
    #[must_use]
    pub fn start_for(&self, begins: Side) -> AnyPosition {
        let given = self.start.as_ref().and_then(|start| {
            let setup = if start.standing.to_move == begins {
                Setup::clone(start)
            } else {
                exchanged(start)
            };
            AnyPosition::from_setup(self.options, &setup).ok()
        });
        given.unwrap_or_else(|| AnyPosition::start(self.options, begins))
    }
}

/// The last turn from which a match may begin: the engine counts turns up to a bound that no
/// game is to come near.
const START_TURN_MAX: u32 = 1_000_000;

/// The same position with the sides exchanged: pits are numbered alike from either seat.
fn exchanged(setup: &Setup) -> Setup {
    fn swap<T: Clone>(both: &BySide<T>) -> BySide<T> {
        BySide {
            south: both.north.clone(),
            north: both.south.clone(),
        }
    }
    let mut other = setup.clone();
    other.board.pits = swap(&setup.board.pits);
    other.board.stores = swap(&setup.board.stores);
    other.standing.to_move = setup.standing.to_move.other();
    other.extra = match setup.extra {
        Extra::None {} => Extra::None {},
        Extra::Omweso { captured, captures } => Extra::Omweso {
            captured,
            captures: swap(&captures),
        },
        Extra::Anywoli { last_seed } => Extra::Anywoli {
            last_seed: last_seed.map(Side::other),
        },
    };
    other
}

/// Why no match can be made so.
///
/// ```
/// use mancala_play::BadSpec;
/// assert_eq!(BadSpec::WayOfOmweso.to_string(), "only Omweso has a `way`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadSpec {
    /// A way of Omweso in another game.
    WayOfOmweso,
    /// The way wants another clock.
    ClockOfWay,
    /// Nothing is foretold where it counts.
    RatedPreview,
    /// What begins from a given position does not count.
    RatedStart,
    /// The given position is in the middle of a turn or before one.
    MidTurn,
    /// The side to move has no move that it may play.
    NoMove,
    /// Its turn is too late.
    LateTurn,
    /// The given position cannot be.
    Position(BadPosition),
    /// Teams with too few or too many seats, or seconds.
    Teams,
}

impl fmt::Display for BadSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSpec::WayOfOmweso => f.write_str("only Omweso has a `way`"),
            BadSpec::ClockOfWay => f.write_str(
                "`counting` is played without a clock and `blitz` with three seconds a turn; leave `clock` out",
            ),
            BadSpec::RatedPreview => f.write_str("a rated match has no previews"),
            BadSpec::RatedStart => f.write_str("a match from a given position is never rated"),
            BadSpec::MidTurn => {
                f.write_str("a match begins from a position in which a turn begins: phase `play`")
            }
            BadSpec::NoMove => {
                f.write_str("in this position the side to move has no move that it may play")
            }
            BadSpec::LateTurn => write!(
                f,
                "a match begins from a position whose `turn` is at most {START_TURN_MAX}"
            ),
            BadSpec::Position(bad) => write!(f, "no game can stand so: {bad}"),
            BadSpec::Teams => write!(
                f,
                "a team has 1 to {} seats, a grace of 5 to 3600 seconds and, where it votes, a window of 5 to 86400",
                crate::SEATS_MAX
            ),
        }
    }
}

impl std::error::Error for BadSpec {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BadSpec::Position(bad) => Some(bad),
            _ => None,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Form {
    #[serde(flatten)]
    game: GameForm,
    format: Format,
    access: Access,
    preview: bool,
    #[serde(default, skip_serializing_if = "Control::is_untimed")]
    clock: Control,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    way: Option<Way>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<Box<Setup>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teams: Option<Box<TeamsSpec>>,
    rules: u32,
}

/// The game and its options, beside each other.
#[derive(Serialize, Deserialize)]
#[serde(tag = "game", content = "options", rename_all = "snake_case")]
enum GameForm {
    Omweso(OmwesoOptions),
    Anywoli(AnywoliOptions),
    Urim(UrimOptions),
    BaoKigogo(BaoKigogoOptions),
    Nsolo(NsoloOptions),
}

impl From<Options> for GameForm {
    fn from(options: Options) -> GameForm {
        match options {
            Options::Omweso(options) => GameForm::Omweso(options),
            Options::Anywoli(options) => GameForm::Anywoli(options),
            Options::Urim(options) => GameForm::Urim(options),
            Options::BaoKigogo(options) => GameForm::BaoKigogo(options),
            Options::Nsolo(options) => GameForm::Nsolo(options),
        }
    }
}

impl From<GameForm> for Options {
    fn from(form: GameForm) -> Options {
        match form {
            GameForm::Omweso(options) => Options::Omweso(options),
            GameForm::Anywoli(options) => Options::Anywoli(options),
            GameForm::Urim(options) => Options::Urim(options),
            GameForm::BaoKigogo(options) => Options::BaoKigogo(options),
            GameForm::Nsolo(options) => Options::Nsolo(options),
        }
    }
}

impl Serialize for MatchSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Form {
            game: self.options.into(),
            format: self.format,
            access: self.access,
            preview: self.preview,
            clock: self.clock,
            way: self.way,
            rated: self.rated,
            start: self.start.clone(),
            teams: self.teams.clone(),
            rules: self.rules,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MatchSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MatchSpec, D::Error> {
        let form = Form::deserialize(deserializer)?;
        Ok(MatchSpec {
            options: form.game.into(),
            format: form.format,
            access: form.access,
            preview: form.preview,
            clock: form.clock,
            way: form.way,
            rated: form.rated,
            start: form.start,
            teams: form.teams,
            rules: form.rules,
        })
    }
}
