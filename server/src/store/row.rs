//! What is stored, as the rest of the server sees it.

use crate::ids::{PublicId, RequestHash, SecretHash};
use mancala_engine::Side;
use mancala_play::{Access, Digest, Event, MatchEnd, MatchId, MatchSpec, Room, Ruling, UserId};
use mancala_protocol::rest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One event of a match, in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Its place in the log, from 1.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970.
    pub at_ms: i64,
    /// What happened.
    pub event: Event,
    /// The digest of the whole match after it.
    pub digest: Digest,
    /// The service time at which something in the match is due by itself after it; none where
    /// nothing is.
    pub deadline_ms: Option<i64>,
}

/// How far a match has come, as far as lists and the start of the server need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageRow {
    /// A seat is free.
    Gathering,
    /// It is being played.
    Playing,
    /// It is over.
    Over,
}

/// What came of a match that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won.
    Won(Side),
    /// It was played, and nobody won.
    Drawn,
    /// It does not count.
    Void,
}

impl From<MatchEnd> for Outcome {
    fn from(end: MatchEnd) -> Outcome {
        match end {
            MatchEnd::Played {
                winner: Some(winner),
            }
            | MatchEnd::Resigned { winner }
            | MatchEnd::Ruled(Ruling::Won(winner)) => Outcome::Won(winner),
            MatchEnd::Played { winner: None } | MatchEnd::Ruled(Ruling::Drawn) => Outcome::Drawn,
            MatchEnd::Aborted | MatchEnd::Abandoned | MatchEnd::Ruled(Ruling::Aborted) => {
                Outcome::Void
            }
        }
    }
}

/// What came of the match, if it ends with one of these rows.
pub(super) fn outcome(rows: &[LogRow]) -> Option<Outcome> {
    rows.iter().find_map(|row| match row.event {
        Event::MatchEnded { end, .. } => Some(end.into()),
        _ => None,
    })
}

/// A match to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// Its id.
    pub id: MatchId,
    /// Its public name.
    pub public_id: PublicId,
    /// Who creates it.
    pub creator: UserId,
    /// The hash of the secret with which a free seat is taken, if one is needed.
    pub link_hash: Option<SecretHash>,
    /// Is it listed?
    pub access: Access,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
    /// How far it has come after these rows.
    pub stage: StageRow,
    /// The first rows of its log; the first of them is its creation, number 1.
    pub rows: Vec<LogRow>,
    /// The service time when this was decided.
    pub service_ms: i64,
    /// By what this request is known again for a day.
    pub idempotency: Option<Idempotency>,
}

/// By what a request is known that is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The caller's name for it.
    pub key: String,
    /// What it asks for: another request may have the same name by mistake.
    pub request: RequestHash,
}

impl NewMatch {
    /// What was agreed about it, if its rows are such as a new match has.
    pub(super) fn spec(&self) -> Option<&MatchSpec> {
        match self.rows.first().map(|row| &row.event) {
            Some(Event::Created { spec }) if follows(&self.rows, 0) => Some(spec),
            _ => None,
        }
    }
}

/// Are the rows numbered without a gap from the one after `seq`?
pub(super) fn follows(rows: &[LogRow], seq: u64) -> bool {
    rows.iter()
        .zip(1..)
        .all(|(row, place)| seq.checked_add(place) == Some(row.seq))
}

/// Has this request created a match?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// Yes.
    New,
    /// A request with the same key came before.
    Before {
        /// The name of the match that it created.
        public_id: PublicId,
        /// What it asked for.
        request: RequestHash,
    },
}

/// Rows to be added to the log of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Of which match.
    pub match_id: MatchId,
    /// The number of the last row so far.
    pub expected_seq: u64,
    /// The rows that follow it.
    pub rows: Vec<LogRow>,
    /// How far the match has come with them.
    pub stage: StageRow,
    /// The service time when this was decided.
    pub service_ms: i64,
}

/// A match, without its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// Its id.
    pub id: MatchId,
    /// Its public name.
    pub public_id: PublicId,
    /// Who created it.
    pub creator: UserId,
    /// Is it listed?
    pub access: Access,
    /// The hash of the secret with which a free seat is taken, if one is needed.
    pub link_hash: Option<SecretHash>,
    /// How far it has come.
    pub stage: StageRow,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
    /// What was agreed about it.
    pub spec: MatchSpec,
    /// What came of it, once it is over; not known of some that were over long ago.
    pub outcome: Option<Outcome>,
    /// Why it cannot be played on, if that is so.
    pub set_aside: Option<String>,
}

impl MatchRow {
    /// Do teams play it that stand on their own?
    #[must_use]
    pub fn is_of_standing_teams(&self) -> bool {
        let teams = self.spec.teams.as_ref();
        teams.is_some_and(|teams| teams.standing.is_some())
    }

    /// Who keeps order in it and brings people to either side: who made it. Nobody, where
    /// standing teams play.
    #[must_use]
    pub fn host(&self) -> Option<UserId> {
        match &self.spec.teams {
            Some(teams) => teams.host,
            None => Some(self.creator),
        }
    }
}

/// Somebody who plays or watches under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRow {
    /// The id.
    pub id: UserId,
    /// The name that others see.
    pub name: String,
    /// When the user was created, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A link that admits to one side of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// To which match.
    pub match_id: MatchId,
    /// To which side.
    pub side: Side,
    /// Who made it.
    pub made_by: UserId,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Somebody is asked to play in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationRow {
    /// In which.
    pub match_id: MatchId,
    /// Who.
    pub user: UserId,
    /// For which side.
    pub side: Side,
    /// By whom.
    pub by: UserId,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A team that stands on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamRow {
    /// Its public name, by which addresses call it.
    pub id: PublicId,
    /// What it is called, as no other is, nor so that one looks like the other.
    pub name: String,
    /// Who leads it; nobody, where all have left.
    pub captain: Option<UserId>,
    /// The hash of the secret by which people come to it; none while it has no link.
    pub link_hash: Option<SecretHash>,
    /// Since when it is there, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Somebody in a team that stands on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamMemberRow {
    /// The how-manieth to come to it.
    pub number: u32,
    /// Who.
    pub user: UserId,
    /// Since when, in milliseconds since 1970.
    pub came_ms: i64,
}

/// A team that stands on its own challenges another.
#[derive(Clone, Debug, PartialEq)]
pub struct ChallengeRow {
    /// Its name, which becomes that of the match.
    pub id: PublicId,
    /// Which team challenges.
    pub from: PublicId,
    /// Which is challenged.
    pub to: PublicId,
    /// What the team plays that challenges.
    pub side: Side,
    /// What match it wants.
    pub wanted: rest::NewMatch,
    /// Who asked for it.
    pub by: UserId,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A match that a team that stands on its own plays or played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamMatchRow {
    /// On which side.
    pub side: Side,
    /// The match.
    pub row: MatchRow,
}

/// What came of the matches that a team played to an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultsRow {
    /// How many it won.
    pub won: u32,
    /// How many it lost.
    pub lost: u32,
    /// How many nobody won.
    pub drawn: u32,
}

impl ResultsRow {
    /// Counts a match in that the team played on this side.
    pub(super) fn count(&mut self, side: Side, outcome: Outcome, how_many: u32) {
        match outcome {
            Outcome::Won(winner) if winner == side => self.won += how_many,
            Outcome::Won(_) => self.lost += how_many,
            Outcome::Drawn => self.drawn += how_many,
            Outcome::Void => {}
        }
    }
}

/// A line that is said in a room of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLine {
    /// In which match.
    pub match_id: MatchId,
    /// In which room.
    pub room: Room,
    /// Its speaker's name for it, by which it is known again.
    pub key: String,
    /// The line, of which the text is there.
    pub line: LineRow,
}

/// A line that was said in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// Its place in the room, from 1.
    pub n: u32,
    /// Who said it.
    pub user: UserId,
    /// For whom he played then, if for anybody.
    #[serde(default)]
    pub side: Option<Side>,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What; none once it was removed.
    pub text: Option<String>,
}

/// How a room stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomRow {
    /// The number of its last line; 0 where there is none.
    pub last: u32,
    /// May nobody speak there?
    pub closed: bool,
    /// Who may not.
    pub muted: BTreeSet<UserId>,
}

/// Who is to speak in a room no more, or again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// In which match.
    pub match_id: MatchId,
    /// In which room.
    pub room: Room,
    /// Who; none for everybody.
    pub user: Option<UserId>,
    /// Is it to be so from now on, or no more?
    pub stands: bool,
}

/// A line that somebody reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReport {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Who reports.
    pub by: UserId,
    /// A line of this match,
    pub match_id: MatchId,
    /// of this room,
    pub room: Room,
    /// of this number.
    pub n: u32,
    /// Why.
    pub why: String,
    /// The line and some before it.
    pub lines: Vec<LineRow>,
}

/// A line that was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// Its place among all reports, from 1.
    pub id: u64,
    /// The name of the match.
    pub public_id: PublicId,
    /// What was reported.
    pub report: NewReport,
}
