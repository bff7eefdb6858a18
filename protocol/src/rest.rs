//! Bodies of REST requests and answers.

use crate::forms::{
    ControlForm, CursorForm, FormatForm, GameForm, OmwesoWayForm, OptionsForm, PersonIdForm,
    PositionForm, Which, options_by_game,
};
use crate::invite::Me;
use crate::limits::{LINE_BYTES_MAX, NAME_BYTES_MAX};
use crate::strict::{given, given_object, given_word, number, read_from_objects, word};
use crate::talk::RoomForm;
use crate::view::StageView;
use crate::{LineView, MatchView, PublicId};
use mancala_engine::Side;
use mancala_play::{Control, Note, Room, Ruling, UserId, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The HTTP status with which REST answers a refusal of a match.
pub const REFUSED: u16 = 409;

read_from_objects!(EndMatch, NewGuest, NewMatch, RemoveLine, TakeSeat);

/// Asks for a guest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewGuest {
    /// A name for people: 1 to 40 characters, as they count them, in at most 200 bytes. Each can be
    /// seen and does nothing to those around it, one is a letter or digit, and no word has letters
    /// of several scripts. Blanks around it are taken off, those within become one plain space, and
    /// letters are composed (NFC). A made-up one, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub name: Option<String>,
}

/// A guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Guest {
    /// Whoever has it is this guest; it is shown this once.
    pub token: String,
    /// Who it is.
    pub user: Me,
}

/// Asks for a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
#[schemars(transform = options_by_game)]
pub struct NewMatch {
    /// `omweso`, `anywoli`, `urim`, `bao_kigogo` or `nsolo`.
    #[schemars(with = "GameForm")]
    pub game: String,
    /// Options of the game; what is left out has its standard value.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_object"
    )]
    #[schemars(with = "Option<OptionsForm>")]
    pub options: Option<serde_json::Value>,
    /// `single` or `first_to N`; Omweso's standard is `first_to 12`, the others' `single`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Option<FormatForm>")]
    pub format: Option<String>,
    /// Listed for anyone, or by link alone.
    #[serde(default, deserialize_with = "word")]
    pub access: AccessWord,
    /// The seat to take at once; none where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_word"
    )]
    #[schemars(with = "Option<Which>")]
    pub seat: Option<SideWord>,
    /// May the side to move ask what an action would do? Where it is left out: yes, unless
    /// the match is rated.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    pub preview: Option<bool>,
    /// How its time is kept; without a clock, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_object"
    )]
    #[schemars(with = "Option<ControlForm>")]
    pub clock: Option<serde_json::Value>,
    /// Omweso: the way in which it is played. `blitz` brings its clock with it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_word"
    )]
    #[schemars(with = "Option<OmwesoWayForm>")]
    pub way: Option<Way>,
    /// Is it to count for ratings? No, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    pub rated: Option<bool>,
    /// The position from which its games begin; that of the rules, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_object"
    )]
    #[schemars(with = "Option<PositionForm>")]
    pub start: Option<serde_json::Value>,
    /// How its sides are teams; two players play, where it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_object"
    )]
    #[schemars(with = "Option<crate::NewTeams>")]
    pub teams: Option<serde_json::Value>,
}

/// Who may come to a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Access")]
pub enum AccessWord {
    /// It is listed; anyone may take a free seat.
    #[default]
    Public,
    /// It is not listed; a free seat is taken with the secret of the link.
    Link,
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideWord {
    /// South.
    South,
    /// North.
    North,
}

impl From<SideWord> for Side {
    fn from(word: SideWord) -> Side {
        match word {
            SideWord::South => Side::South,
            SideWord::North => Side::North,
        }
    }
}

/// A match that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchMade {
    /// The match.
    pub view: MatchView,
    /// The secret of a match by link, for whoever is to take the free seat. It belongs
    /// behind the `#` of an address, never before it. Shown this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Asks for a free seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct TakeSeat {
    /// Which.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Which")]
    pub side: SideWord,
    /// The secret of the link to this match, or to this side of it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    pub secret: Option<String>,
    /// Who is to have it, where the host of teams puts somebody there; oneself, where it is
    /// left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Option<PersonIdForm>")]
    pub person: Option<UserId>,
}

/// Ends a match from outside, as somebody decides who runs the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct EndMatch {
    /// As what.
    #[serde(deserialize_with = "word")]
    pub r#as: RulingWord,
    /// Why, for everybody who sees the match: 1 to 200 characters, as they count them,
    /// in at most 1000 bytes, and each of them can be seen.
    #[schemars(with = "String", length(min = 1, max = LINE_BYTES_MAX))]
    pub note: Note,
}

/// Takes the text of a line of talk away, as somebody decides who runs the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct RemoveLine {
    /// The room in which it was said.
    #[schemars(with = "RoomForm")]
    pub room: Room,
    /// Its number.
    #[serde(deserialize_with = "number")]
    pub line: u32,
}

/// A page of what was said in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkPage {
    /// The number of the last line there is; 0 where there is none yet.
    pub last: u32,
    /// In order.
    pub lines: Vec<LineView>,
    /// What to send as `after` for the next page; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// A line of talk that somebody has reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportView {
    /// Its number on this server.
    pub id: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The name for people of who reports.
    pub by: String,
    /// The match in which it was said.
    pub r#match: PublicId,
    /// The room.
    #[schemars(with = "RoomForm")]
    pub room: Room,
    /// The number of the line.
    pub line: u32,
    /// Why.
    pub why: String,
    /// What was said then: up to ten lines before it, and the line, as they stood when it was
    /// reported.
    pub lines: Vec<LineView>,
}

/// A page of what was reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportList {
    /// Newest first.
    pub reports: Vec<ReportView>,
    /// What to send as `before` for the next page; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// As what a match is ended from outside.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::Ruling;
/// use mancala_protocol::rest::RulingWord;
/// assert_eq!(Ruling::from(RulingWord::North), Ruling::Won(Side::North));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Ruling")]
pub enum RulingWord {
    /// As if it had never begun.
    Aborted,
    /// As a draw.
    Drawn,
    /// Won by south.
    South,
    /// Won by north.
    North,
}

impl From<RulingWord> for Ruling {
    fn from(word: RulingWord) -> Ruling {
        match word {
            RulingWord::Aborted => Ruling::Aborted,
            RulingWord::Drawn => Ruling::Drawn,
            RulingWord::South => Ruling::Won(Side::South),
            RulingWord::North => Ruling::Won(Side::North),
        }
    }
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchListed {
    /// The match.
    pub r#match: PublicId,
    /// The game.
    #[schemars(with = "GameForm")]
    pub game: String,
    /// `single` or `first_to N`.
    #[schemars(with = "FormatForm")]
    pub format: String,
    /// How its time is kept; left out where nobody looks at a clock.
    #[serde(default, skip_serializing_if = "Control::is_untimed")]
    #[schemars(with = "Option<ControlForm>")]
    pub clock: Control,
    /// How far it has come.
    pub stage: StageView,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A page of matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchList {
    /// Newest first.
    pub matches: Vec<MatchListed>,
    /// What to send as `after` for the next page; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CursorForm>")]
    pub next: Option<String>,
}

/// An error, as `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Always `about:blank`: the code says it all.
    pub r#type: String,
    /// The reason phrase of the status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// Why, for programs.
    pub code: String,
    /// Why, for people.
    pub detail: String,
}
