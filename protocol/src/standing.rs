//! Teams that stand on their own, apart from any match, on the wire.

use crate::PublicId;
use crate::challenge::TeamResults;
use crate::forms::CursorForm;
use crate::limits::NAME_BYTES_MAX;
use crate::strict::{number, read_from_objects};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

read_from_objects!(ComeToTeam, NewCaptain, NewStandingTeam);

/// Founds a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewStandingTeam {
    /// What it is called, as no other is, nor so that people could take one for the other: of it
    /// the same is asked as of the name of a guest.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub name: String,
}

/// A team that stands on its own.
///
/// ```
/// use mancala_protocol::standing::StandingTeam;
/// let text = r#"{"team":"k3J9sPq0Zx","name":"Buganda","members":[],"created_ms":0}"#;
/// let team: StandingTeam = serde_json::from_str(text)?;
/// assert_eq!(team.captain, None, "where all have left");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingTeam {
    /// Its short public name, by which addresses call it.
    pub team: PublicId,
    /// What it is called.
    pub name: String,
    /// The number of who leads it; left out, where all have left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captain: Option<u32>,
    /// The number of whoever asks; left out, where he is not in it, or does not say who he is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub you: Option<u32>,
    /// Who is in it, the longest first.
    pub members: Vec<StandingMember>,
    /// What came of its matches.
    #[serde(default)]
    pub results: TeamResults,
    /// Since when it is there, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Somebody in a team that stands on its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingMember {
    /// What he is called by in the team: the how-manieth to come to it.
    pub number: u32,
    /// The name for people.
    pub name: String,
}

/// A team in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingTeamListed {
    /// Its short public name.
    pub team: PublicId,
    /// What it is called.
    pub name: String,
    /// Since when it is there, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A page of teams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingTeamList {
    /// The newest first.
    pub teams: Vec<StandingTeamListed>,
    /// What to send as `after` for the next page; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CursorForm>")]
    pub next: Option<String>,
}

/// The link to a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamLink {
    /// Whoever has it may come to the team. It belongs behind the `#` of an address, never
    /// before it. Shown this once.
    pub secret: String,
}

/// Comes to a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct ComeToTeam {
    /// That of its link.
    pub secret: String,
}

/// Makes a member the captain of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewCaptain {
    /// His number.
    #[serde(deserialize_with = "number")]
    pub member: u32,
}
