//! Talk on the wire: lines in rooms, and what is done to keep order in them.

use crate::forms::Which;
use crate::limits::LINE_BYTES_MAX;
use mancala_engine::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of [`Room`](mancala_play::Room).
#[derive(JsonSchema)]
#[schemars(rename = "Room")]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum RoomForm {
    /// Anybody may hear what is said.
    Public,
    /// Of the team of south: for its members, until they let everybody.
    South,
    /// Of the team of north, likewise.
    North,
}

/// A line of text: 1 to 200 characters, as people count them, in at most 1000 bytes, and each of
/// them can be seen and does nothing to those around it. Blanks around the line are taken off, and
/// letters are composed (NFC).
#[derive(JsonSchema)]
#[schemars(rename = "Saying")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct SayingForm(
    #[schemars(
        length(min = 1, max = LINE_BYTES_MAX),
        regex(pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$")
    )]
    String,
);

/// A line that somebody said in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Line")]
pub struct LineView {
    /// Its number in the room, without a gap after the one before.
    pub n: u32,
    /// The name for people of who said it.
    pub name: String,
    /// The side for which that one played then; left out, where he played for none. By this a
    /// player is told from somebody who only has his name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Which>")]
    pub side: Option<Side>,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What; left out where it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What changed in a room beside what is said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TalkChange {
    /// Nobody may speak any more.
    Closed,
    /// It is closed no more.
    Opened,
    /// One may not speak any more. Told to whom it concerns alone.
    Muted,
    /// One may speak again. Told to whom it concerns alone.
    Unmuted,
    /// The text of a line was taken away.
    Removed {
        /// Its number.
        line: u32,
    },
    /// All lines were taken away, and their numbers begin anew from 1.
    Cleared,
}

/// What the captain asks of his team's room, or the host of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Moderation {
    /// That whoever said a line may not speak any more.
    Mute {
        /// Its number.
        line: u32,
    },
    /// That whoever said a line may speak again.
    Unmute {
        /// Its number.
        line: u32,
    },
    /// That somebody in the team may not speak in its room any more.
    MutePerson {
        /// His number in the team.
        person: u32,
    },
    /// That somebody in the team may speak in its room again.
    UnmutePerson {
        /// His number in the team.
        person: u32,
    },
    /// That nobody may speak any more.
    Close {},
    /// That it is closed no more.
    Open {},
    /// That the text of a line is taken away.
    Remove {
        /// Its number.
        line: u32,
    },
}
