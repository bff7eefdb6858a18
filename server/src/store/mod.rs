//! What must outlive the process: matches with their logs, snapshots, users.
//!
//! May know how things are kept, never what they mean: whether an event may happen was
//! decided before it comes here. SQL and `sqlx` stand nowhere else. The clock is not read:
//! times come in with what is stored.
//!
//! There are two stores with the same behaviour, which one suite of tests goes through:
//! [`Sqlite`], a file that a crash does not hurt, and [`Memory`], for tests under virtual
//! time and for trying things.
//!
//! ```
//! use mancala_engine::{Format, Mancala, Options};
//! use mancala_play::{Access, Event, Match, MatchId, MatchSpec, UserId};
//! use mancala_server::ids::PublicId;
//! use mancala_server::store::{Created, LogRow, NewMatch, StageRow, Store};
//! use uuid::Uuid;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::memory();
//! let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
//! let digest = Match::create(spec.clone()).digest();
//! let new = NewMatch {
//!     id: MatchId(Uuid::from_u128(1)),
//!     public_id: PublicId::from_number(1),
//!     creator: UserId(Uuid::from_u128(2)),
//!     link_hash: None,
//!     access: Access::Public,
//!     created_ms: 1_700_000_000_000,
//!     stage: StageRow::Gathering,
//!     rows: vec![LogRow {
//!         seq: 1,
//!         at_ms: 1_700_000_000_000,
//!         event: Event::Created { spec },
//!         digest,
//!         deadline_ms: None,
//!     }],
//!     service_ms: 0,
//!     idempotency: None,
//! };
//! assert_eq!(store.create_match(new).await?, Created::New);
//! let found = store.find_match(PublicId::from_number(1)).await?;
//! assert_eq!(found.map(|row| row.stage), Some(StageRow::Gathering));
//! # Ok(())
//! # }
//! ```

mod error;
mod memory;
mod row;
mod sqlite;
mod weather;

pub use error::{AppendError, OpenError, StoreError};
pub use memory::Memory;
pub use row::{
    Append, Bar, ChallengeRow, Created, Idempotency, InvitationRow, LineRow, LinkRow, LogRow,
    MatchRow, NewLine, NewMatch, NewReport, Outcome, ReportRow, ResultsRow, RoomRow, StageRow,
    TeamMatchRow, TeamMemberRow, TeamRow, UserRow,
};
pub use sqlite::{BackupError, Sqlite, back_up};
pub use weather::{Fate, FateEnd, RequestKind, Weather};

use crate::ids::{PublicId, SecretHash, TokenHash};
use mancala_engine::Side;
use mancala_play::{MatchId, Room, Snapshot, UserId};
use std::path::Path;

/// A store of either kind: a cheap handle, of which all clones mean the same store.
///
/// A write is done when its function returns `Ok`, and on disk. Who stops waiting for it
/// does not stop it.
#[derive(Clone, Debug)]
pub enum Store {
    /// A file.
    Sqlite(Sqlite),
    /// This process's memory.
    Memory(Memory),
}

/// Calls the same function of whichever store it is.
macro_rules! either {
    ($store:expr, $inner:ident => $call:expr) => {
        match $store {
            Store::Sqlite($inner) => $call.await,
            Store::Memory($inner) => $call.await,
        }
    };
}

impl Store {
    /// Opens the database in a folder; makes both where they are missing.
    ///
    /// # Errors
    /// If another process uses the folder, if what is there is no database or one of a
    /// later version, or if the disk refuses.
    pub async fn open_sqlite(folder: &Path) -> Result<Store, OpenError> {
        Sqlite::open(folder).await.map(Store::Sqlite)
    }

    /// An empty store in memory.
    #[must_use]
    pub fn memory() -> Store {
        Store::Memory(Memory::default())
    }

    /// Creates a match with the first rows of its log, or finds the one that the same
    /// creator made with the same key within a day before.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if its id or public id is in use; [`StoreError::Malformed`] if
    /// its rows do not start with the event of its creation or are not numbered from 1.
    pub async fn create_match(&self, new: NewMatch) -> Result<Created, StoreError> {
        either!(self, store => store.create_match(new))
    }

    /// Adds rows to the log of a match, all or none, and notes its stage.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the log does not end where the caller believes: at
    /// `expected_seq`, which the first row follows, and each row the one before it.
    pub async fn append(&self, append: Append) -> Result<(), AppendError> {
        either!(self, store => store.append(append))
    }

    /// The match with this public name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn find_match(&self, public_id: PublicId) -> Result<Option<MatchRow>, StoreError> {
        either!(self, store => store.find_match(public_id))
    }

    /// The matches that are not over and not set aside, in the order of their ids. Reads an
    /// index alone, no log.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn unfinished(&self) -> Result<Vec<(MatchId, PublicId)>, StoreError> {
        either!(self, store => store.unfinished())
    }

    /// The service time up to the last write that said one: the milliseconds for which the
    /// service was up, over all its processes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn service_ms(&self) -> Result<i64, StoreError> {
        either!(self, store => store.service_ms())
    }

    /// Notes how far the service time has come. It never goes back. Appends and new matches
    /// note it too.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub async fn note_service_ms(&self, ms: i64) -> Result<(), StoreError> {
        either!(self, store => store.note_service_ms(ms))
    }

    /// When something is due by itself in which match, the earliest first: of the matches that
    /// are being played and are not set aside, as the last row of their log says.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn deadlines(&self) -> Result<Vec<(PublicId, i64)>, StoreError> {
        either!(self, store => store.deadlines())
    }

    /// How many matches are set aside.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn set_aside_count(&self) -> Result<usize, StoreError> {
        either!(self, store => store.set_aside_count())
    }

    /// Public matches that are not over and not set aside, newest first, at most `limit`.
    /// A list goes on with the time and name of its last match as `before`; matches that
    /// were created meanwhile neither shift it nor appear in it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<MatchRow>, StoreError> {
        either!(self, store => store.listed(before, limit))
    }

    /// The rows of a match's log that come after a number, in order, at most `limit`. None,
    /// where there are none, or no such match.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is missing or not understood.
    pub async fn log_after(
        &self,
        id: MatchId,
        after_seq: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        either!(self, store => store.log_after(id, after_seq, limit))
    }

    /// Keeps the state of a match after the event of that number, instead of an earlier one.
    ///
    /// # Errors
    /// [`StoreError::NoSuchMatch`].
    pub async fn put_snapshot(
        &self,
        id: MatchId,
        seq: u64,
        snapshot: &Snapshot,
    ) -> Result<(), StoreError> {
        either!(self, store => store.put_snapshot(id, seq, snapshot))
    }

    /// The state of a match that was kept last, with the number of its last event. One that
    /// cannot be read any more counts as none: the log says it all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn snapshot(&self, id: MatchId) -> Result<Option<(u64, Snapshot)>, StoreError> {
        either!(self, store => store.snapshot(id))
    }

    /// Forgets the snapshots of all matches.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub async fn delete_snapshots(&self) -> Result<(), StoreError> {
        either!(self, store => store.delete_snapshots())
    }

    /// Notes that a match cannot be played on, and why, in words for whoever runs the
    /// server. It stays readable, but is not listed nor found among the unfinished.
    ///
    /// # Errors
    /// [`StoreError::NoSuchMatch`].
    pub async fn set_aside(&self, id: MatchId, reason: &str) -> Result<(), StoreError> {
        either!(self, store => store.set_aside(id, reason))
    }

    /// Creates a user, whom the token signs in.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if the id or the token is in use.
    pub async fn create_user(&self, user: UserRow, token: TokenHash) -> Result<(), StoreError> {
        either!(self, store => store.create_user(user, token))
    }

    /// The user whom a token signs in.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn user_by_token(&self, token: TokenHash) -> Result<Option<UserRow>, StoreError> {
        either!(self, store => store.user_by_token(token))
    }

    /// Those of these users that exist, each once, in the order of their ids.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn users(&self, ids: &[UserId]) -> Result<Vec<UserRow>, StoreError> {
        either!(self, store => store.users(ids))
    }

    /// Keeps a link to a side of a match.
    ///
    /// # Errors
    /// [`StoreError::Full`] if the match has
    /// [as many](crate::limits::LINKS_A_MATCH) as may be.
    pub async fn put_link(&self, link: LinkRow) -> Result<(), StoreError> {
        either!(self, store => store.put_link(link))
    }

    /// The link of whose secret this is the hash.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn link(&self, hash: SecretHash) -> Result<Option<LinkRow>, StoreError> {
        either!(self, store => store.link(hash))
    }

    /// Forgets the links to a side of a match: they admit nobody any more.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub async fn remove_links(&self, id: MatchId, side: Side) -> Result<(), StoreError> {
        either!(self, store => store.remove_links(id, side))
    }

    /// Asks somebody to play in a match, in the place of an earlier invitation to it.
    ///
    /// # Errors
    /// [`StoreError::Full`] if [as many](crate::limits::INVITATIONS_A_MATCH) are invited to
    /// the match as may be, or he has [as many](crate::limits::INVITATIONS_A_PERSON)
    /// invitations to matches that are not over, or
    /// [as many](crate::limits::INVITATIONS_BY_ONE) by the same person;
    /// [`StoreError::Taken`] if another person has invited him to the other side.
    pub async fn invite(&self, invitation: InvitationRow) -> Result<(), StoreError> {
        either!(self, store => store.invite(invitation))
    }

    /// Takes an invitation back, if there is one.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub async fn uninvite(&self, id: MatchId, user: UserId) -> Result<(), StoreError> {
        either!(self, store => store.uninvite(id, user))
    }

    /// Somebody's invitation to a match.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn invitation(
        &self,
        id: MatchId,
        user: UserId,
    ) -> Result<Option<InvitationRow>, StoreError> {
        either!(self, store => store.invitation(id, user))
    }

    /// Somebody's invitations to matches that can still be joined, with these matches, the
    /// newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn invitations_of(
        &self,
        user: UserId,
    ) -> Result<Vec<(InvitationRow, MatchRow)>, StoreError> {
        either!(self, store => store.invitations_of(user))
    }

    /// Founds a team, with its captain as the first member. It has no link.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another has this name, or one that looks like it, or the id is
    /// in use, or it has no captain; [`StoreError::Full`] if he is in
    /// [as many](crate::limits::TEAMS_A_PERSON) as may be, or has founded
    /// [as many](crate::limits::TEAMS_FOUNDED_A_DAY) in a day.
    pub async fn found_team(&self, team: TeamRow) -> Result<(), StoreError> {
        either!(self, store => store.found_team(team))
    }

    /// A team, with its members in the order in which they came.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn team(
        &self,
        team: PublicId,
    ) -> Result<Option<(TeamRow, Vec<TeamMemberRow>)>, StoreError> {
        either!(self, store => store.team(team))
    }

    /// The teams in which somebody is, the newest first, at most `limit`; a list goes on as that of
    /// [matches](Store::listed).
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn teams(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamRow>, StoreError> {
        either!(self, store => store.teams(before, limit))
    }

    /// The teams that somebody is in, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn teams_of(&self, user: UserId) -> Result<Vec<TeamRow>, StoreError> {
        either!(self, store => store.teams_of(user))
    }

    /// Gives a team another link in the place of the one that it has, or none.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if it is not the captain who asks.
    pub async fn set_team_link(
        &self,
        team: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    ) -> Result<(), StoreError> {
        either!(self, store => store.set_team_link(team, by, hash))
    }

    /// Somebody comes to a team, unless he is in it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if nobody is in it any more;
    /// [`StoreError::Full`] if it has [as many](crate::limits::MEMBERS_A_TEAM) members as may
    /// be, or he is in as many teams.
    pub async fn come_to_team(
        &self,
        team: PublicId,
        user: UserId,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        either!(self, store => store.come_to_team(team, user, at_ms))
    }

    /// A member leaves a team, or is taken out by its captain. Where he was captain, whoever
    /// has been there longest is. The link that he knows admits nobody any more, where he was
    /// captain or was taken out; and where all have left, another team may have the name,
    /// and challenges from and to it are gone.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the team has no such member, or it is neither he nor the
    /// captain who asks.
    pub async fn leave_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        either!(self, store => store.leave_team(team, number, by))
    }

    /// Makes a member the captain of a team. The link that the one before made admits nobody any
    /// more.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the team has no such member, or it is not the captain who
    /// asks.
    pub async fn lead_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        either!(self, store => store.lead_team(team, number, by))
    }

    /// A team challenges another.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if it is not the captain who asks; [`StoreError::Full`] if a
    /// challenge of this team to that one waits already, or
    /// [as many from it](crate::limits::CHALLENGES_FROM_A_TEAM) or
    /// [to the other](crate::limits::CHALLENGES_TO_A_TEAM) as may be; [`StoreError::Taken`] if
    /// a match has this name.
    pub async fn put_challenge(&self, challenge: ChallengeRow) -> Result<(), StoreError> {
        either!(self, store => store.put_challenge(challenge))
    }

    /// Takes a challenge away, which is declined or taken back.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if it is not there, or who asks is captain of neither team.
    pub async fn remove_challenge(&self, id: PublicId, by: UserId) -> Result<(), StoreError> {
        either!(self, store => store.remove_challenge(id, by))
    }

    /// Creates the match that a challenge comes to, and takes the challenge away, both or
    /// neither. Its name is that of the challenge, and its creator accepts it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the challenge is not there, or the creator is not the captain
    /// of the team that is challenged; else as for [other matches](Store::create_match).
    pub async fn accept_challenge(&self, new: NewMatch) -> Result<Created, StoreError> {
        either!(self, store => store.accept_challenge(new))
    }

    /// A challenge that waits for an answer.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn challenge(&self, id: PublicId) -> Result<Option<ChallengeRow>, StoreError> {
        either!(self, store => store.challenge(id))
    }

    /// The challenges from and to a team that wait for an answer, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn challenges_of(&self, team: PublicId) -> Result<Vec<ChallengeRow>, StoreError> {
        either!(self, store => store.challenges_of(team))
    }

    /// The matches of a team, the newest first, at most `limit`; a list goes on as that of
    /// [all matches](Store::listed).
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn team_matches(
        &self,
        team: PublicId,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamMatchRow>, StoreError> {
        either!(self, store => store.team_matches(team, before, limit))
    }

    /// What came of the matches of a team.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn team_results(&self, team: PublicId) -> Result<ResultsRow, StoreError> {
        either!(self, store => store.team_results(team))
    }

    /// Adds a line to a room of a match.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if the room has a line of this number, or the same speaker one of
    /// this key in the match; [`StoreError::NoSuchMatch`].
    pub async fn say(&self, line: NewLine) -> Result<(), StoreError> {
        either!(self, store => store.say(line))
    }

    /// The line of a match that somebody calls by this key, and its room.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn said_before(
        &self,
        id: MatchId,
        user: UserId,
        key: &str,
    ) -> Result<Option<(Room, LineRow)>, StoreError> {
        either!(self, store => store.said_before(id, user, key))
    }

    /// How a room of a match stands.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn room(&self, id: MatchId, room: Room) -> Result<RoomRow, StoreError> {
        either!(self, store => store.room(id, room))
    }

    /// The lines of a room that come after a number, in order, up to another one, at most
    /// `limit`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn lines(
        &self,
        id: MatchId,
        room: Room,
        (after, up_to): (u32, u32),
        limit: u32,
    ) -> Result<Vec<LineRow>, StoreError> {
        either!(self, store => store.lines(id, room, (after, up_to), limit))
    }

    /// Notes who is to speak in a room no more, or again.
    ///
    /// # Errors
    /// [`StoreError::NoSuchMatch`].
    pub async fn bar(&self, bar: Bar) -> Result<(), StoreError> {
        either!(self, store => store.bar(bar))
    }

    /// Takes the text of a line away.
    ///
    /// # Errors
    /// [`StoreError::NoSuchLine`], also where it is taken away already.
    pub async fn remove_line(&self, id: MatchId, room: Room, n: u32) -> Result<(), StoreError> {
        either!(self, store => store.remove_line(id, room, n))
    }

    /// Deletes the lines of all rooms of a match. Who may not speak may not yet.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub async fn clear_talk(&self, id: MatchId) -> Result<(), StoreError> {
        either!(self, store => store.clear_talk(id))
    }

    /// Keeps a report, unless the same user has reported the same line, which is as good.
    ///
    /// # Errors
    /// [`StoreError::ReportsOver`] if he has reported as much in the day before as he may;
    /// [`StoreError::NoSuchMatch`].
    pub async fn report(&self, report: NewReport) -> Result<(), StoreError> {
        either!(self, store => store.report(report))
    }

    /// What was reported, newest first, at most `limit`; before the one of this id, where one
    /// is given.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn reports(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ReportRow>, StoreError> {
        either!(self, store => store.reports(before, limit))
    }

    /// Does the store take writes? It tries one.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ready(&self) -> Result<(), StoreError> {
        either!(self, store => store.ready())
    }

    /// Commits what has been asked for and ends. From then on every handle answers
    /// [`StoreError::Unavailable`].
    pub async fn close(self) {
        either!(self, store => store.close());
    }
}
