//! What is agreed about a match before it begins.

use crate::Control;
use mancala_engine::{
    AnywoliOptions, BaoKigogoOptions, Format, Mancala, NsoloOptions, OmwesoOptions, Options,
    UrimOptions,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
            rules: form.rules,
        })
    }
}
