//! Challenges between the teams that stand on their own, and the matches that come of them,
//! on the wire.

use crate::forms::{ControlForm, CursorForm, FormatForm, GameForm, Which};
use crate::rest::{NewMatch, SideWord};
use crate::strict::{given_word, read_from_objects};
use crate::{PlayerView, PublicId, StageView};
use mancala_engine::Side;
use mancala_play::Control;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

read_from_objects!(NewTeamChallenge);

/// Challenges a team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewTeamChallenge {
    /// The name of the own team, of which one is captain.
    pub from: PublicId,
    /// Which side it is to play; south, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_word"
    )]
    #[schemars(with = "Option<Which>")]
    pub side: Option<SideWord>,
    /// What match is wanted: one of `teams` without `names`, which the teams have, and without
    /// a `seat`, that everybody may watch.
    pub wanted: NewMatch,
}

/// A challenge of a team to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamChallenge {
    /// Its short public name, which becomes that of the match.
    pub challenge: PublicId,
    /// Which team challenges.
    pub from: TeamNamed,
    /// Which is challenged.
    pub to: TeamNamed,
    /// What `from` plays.
    #[schemars(with = "Which")]
    pub side: Side,
    /// What match it wants, as it was asked for: a `NewMatch`.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub wanted: NewMatch,
    /// Who asked for it.
    pub by: PlayerView,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
    /// What has become of it.
    pub state: ChallengeState,
}

/// What has become of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChallengeState {
    /// It waits for an answer.
    Open,
    /// The match is made, and has the name of the challenge.
    Accepted,
    /// Who was challenged does not want to.
    Declined,
    /// Who challenged does not want to any more.
    Withdrawn,
}

/// A team, by its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamNamed {
    /// The short public one.
    pub team: PublicId,
    /// That for people.
    pub name: String,
}

/// The challenges from and to a team that wait for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamChallengeList {
    /// The newest first.
    pub challenges: Vec<TeamChallenge>,
}

/// A match that a team plays or played.
///
/// ```
/// use mancala_protocol::challenge::{TeamMatch, TeamResult};
/// let text = r#"{"match":"k3J9sPq0Zx","game":"nsolo","format":"single","clock":{"type":"untimed"},
///     "stage":"over","side":"south","against":{"team":"9aZ0b1C2d3","name":"Jinja"},
///     "result":"won","created_ms":0}"#;
/// let played: TeamMatch = serde_json::from_str(text)?;
/// assert_eq!(played.result, Some(TeamResult::Won));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamMatch {
    /// Its short public name.
    pub r#match: PublicId,
    /// Which game.
    #[schemars(with = "GameForm")]
    pub game: String,
    /// `single` or `first_to N`.
    #[schemars(with = "FormatForm")]
    pub format: String,
    /// How its time is kept.
    #[schemars(with = "ControlForm")]
    pub clock: Control,
    /// How far it has come.
    pub stage: StageView,
    /// What the team plays.
    #[schemars(with = "Which")]
    pub side: Side,
    /// Which team plays the other side.
    pub against: TeamNamed,
    /// What came of it for the team; left out while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<TeamResult>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// What came of a match for a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TeamResult {
    /// It won.
    Won,
    /// It lost.
    Lost,
    /// Nobody won.
    Drawn,
    /// It was broken off and does not count.
    Void,
}

/// A page of the matches of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamMatchList {
    /// The newest first.
    pub matches: Vec<TeamMatch>,
    /// What to send as `after` for the next page; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CursorForm>")]
    pub next: Option<String>,
}

/// What came of all matches of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamResults {
    /// How many it won.
    pub won: u32,
    /// How many it lost.
    pub lost: u32,
    /// How many nobody won.
    pub drawn: u32,
}
