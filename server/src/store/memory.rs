//! The store in memory: for tests under virtual time, and for trying things. It behaves as
//! the other one does, and forgets everything at the end.
//!
//! Where a test wants it, it is as slow and as unreliable as a disk (see [`Weather`]), is
//! cut off from one moment to the next as by a crash, and opened again.

use super::row::{follows, outcome};
use super::weather::{Fate, FateEnd, RequestKind, Weather};
use super::{Append, AppendError, Bar, Created, LineRow, LogRow, MatchRow, NewLine, NewMatch};
use super::{ChallengeRow, ResultsRow, TeamMatchRow};
use super::{InvitationRow, LinkRow, TeamMemberRow, TeamRow};
use super::{NewReport, ReportRow, RoomRow, StageRow, StoreError, UserRow};
use crate::ids::{PublicId, RequestHash, SecretHash, TokenHash};
use crate::limits::{
    CHALLENGES_FROM_A_TEAM, CHALLENGES_TO_A_TEAM, CREATION_KEY_KEPT_MS, FOUNDINGS_COUNTED_MS,
    INVITATIONS_A_MATCH, INVITATIONS_A_PERSON, INVITATIONS_BY_ONE, LINKS_A_MATCH, MEMBERS_A_TEAM,
    REPORTS_COUNTED_MS, TEAMS_A_PERSON, TEAMS_FOUNDED_A_DAY,
};
use crate::text::keys;
use mancala_engine::Side;
use mancala_play::{Access, MatchId, Room, Snapshot, UserId};
use mancala_protocol::limits::REPORTS_A_DAY_MAX;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

/// The store in memory. Clones of a handle are closed together.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    contents: Arc<Mutex<Contents>>,
    opening: Arc<Opening>,
}

/// One time that the store is open: what a process has of it.
#[derive(Debug, Default)]
struct Opening {
    /// Changes only while the contents are locked.
    closed: AtomicBool,
    weather: Option<Arc<dyn Weather>>,
    /// Whose write is being done: they are done one after another, as they were asked for.
    turn: tokio::sync::Mutex<()>,
    writes: TaskTracker,
}

#[derive(Debug, Default)]
struct Contents {
    matches: BTreeMap<MatchId, Kept>,
    names: BTreeMap<PublicId, MatchId>,
    /// Newest first, then by name backwards, as lists want it.
    listed: BTreeMap<Reverse<(i64, PublicId)>, MatchId>,
    creations: BTreeMap<(UserId, String), Creation>,
    users: BTreeMap<UserId, UserRow>,
    tokens: BTreeMap<TokenHash, UserId>,
    links: BTreeMap<SecretHash, LinkRow>,
    teams: BTreeMap<PublicId, Standing>,
    /// What their names are told apart by.
    team_names: BTreeMap<String, PublicId>,
    challenges: BTreeMap<PublicId, ChallengeRow>,
    invitations: BTreeMap<(UserId, MatchId), InvitationRow>,
    talk: BTreeMap<(MatchId, Room, u32), LineRow>,
    talk_keys: BTreeMap<(MatchId, UserId, String), (Room, u32)>,
    /// Nobody, for a room that is closed.
    talk_barred: BTreeSet<(MatchId, Room, Option<UserId>)>,
    reports: Vec<ReportRow>,
    service_ms: i64,
}

impl Contents {
    fn note_service_ms(&mut self, ms: i64) {
        self.service_ms = self.service_ms.max(ms);
    }

    fn teams_of(&self, user: UserId) -> impl Iterator<Item = &Standing> {
        self.teams.values().filter(move |team| team.has(user))
    }

    fn leads(&self, user: UserId, team: PublicId) -> bool {
        let team = self.teams.get(&team);
        team.is_some_and(|team| team.row.captain == Some(user))
    }

    /// The matches of a team that stands on its own, with the sides that it has in them.
    fn matches_of(&self, team: PublicId) -> impl Iterator<Item = (Side, &Kept)> {
        self.matches.values().filter_map(move |kept| {
            let standing = kept.row.spec.teams.as_ref()?.standing?;
            let plays = |side: &Side| PublicId::from_number(standing[*side]) == team;
            Some((Side::ALL.into_iter().find(plays)?, kept))
        })
    }

    fn led_by(&mut self, team: PublicId, by: UserId) -> Result<&mut Standing, StoreError> {
        let team = self.teams.get_mut(&team);
        team.filter(|team| team.row.captain == Some(by))
            .ok_or(StoreError::Refused)
    }
}

/// A team, its members, who founded it, and how many have come to it.
#[derive(Debug)]
struct Standing {
    founder: UserId,
    row: TeamRow,
    members: Vec<TeamMemberRow>,
    came: u32,
}

impl Standing {
    fn add(&mut self, user: UserId, at_ms: i64) {
        self.came += 1;
        self.row.captain.get_or_insert(user);
        self.members.push(TeamMemberRow {
            number: self.came,
            user,
            came_ms: at_ms,
        });
    }

    fn has(&self, user: UserId) -> bool {
        self.members.iter().any(|member| member.user == user)
    }

    fn member(&self, number: u32) -> Option<UserId> {
        let mut members = self.members.iter();
        members
            .find(|member| member.number == number)
            .map(|member| member.user)
    }
}

/// What is remembered of a request that created a match.
#[derive(Debug)]
struct Creation {
    at_ms: i64,
    public_id: PublicId,
    request: RequestHash,
}

#[derive(Debug)]
struct Kept {
    row: MatchRow,
    log: Vec<LogRow>,
    snapshot: Option<(u64, Snapshot)>,
}

impl Kept {
    fn is_unfinished(&self) -> bool {
        self.row.stage != StageRow::Over && self.row.set_aside.is_none()
    }

    fn place_in_list(&self) -> Reverse<(i64, PublicId)> {
        Reverse((self.row.created_ms, self.row.public_id))
    }
}

impl Memory {
    /// The same contents opened once more, beside the handles that there are or after
    /// them: as a process finds them that starts anew. With a weather, that decides what
    /// becomes of the requests.
    #[must_use]
    pub fn reopened(&self, weather: Option<Arc<dyn Weather>>) -> Memory {
        Memory {
            contents: Arc::clone(&self.contents),
            opening: Arc::new(Opening {
                weather,
                ..Opening::default()
            }),
        }
    }

    /// Ends as a process does that crashes: what has not been done by now is not done any
    /// more, and nobody is told.
    pub fn crash(&self) {
        let _contents = self.contents.lock();
        self.opening.closed.store(true, Ordering::Relaxed);
    }

    /// Does something with what is kept, unless the store is closed.
    fn with<T>(&self, work: impl FnOnce(&mut Contents) -> T) -> Result<T, StoreError> {
        let mut contents = self.contents.lock();
        if self.opening.closed.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable);
        }
        Ok(work(&mut contents))
    }

    async fn read<T>(&self, work: impl FnOnce(&mut Contents) -> T) -> Result<T, StoreError> {
        let Some(weather) = &self.opening.weather else {
            return self.with(work);
        };
        let Fate { before, end, after } = weather.fate(RequestKind::Read);
        sleep(before).await;
        let read = self.with(work)?;
        sleep(after).await;
        match end {
            FateEnd::Done => Ok(read),
            FateEnd::NotDone | FateEnd::Unknown => Err(StoreError::Unavailable),
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Contents) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(weather) = &self.opening.weather else {
            return self.with(work);
        };
        let Fate { before, end, after } = weather.fate(RequestKind::Write);
        let store = self.clone();
        // Who stops waiting for it does not stop it.
        let written = self.opening.writes.spawn(async move {
            let turn = store.opening.turn.lock().await;
            sleep(before).await;
            if end == FateEnd::NotDone {
                return Err(StoreError::Unavailable);
            }
            let done = store.with(work)?;
            drop(turn);
            sleep(after).await;
            match end {
                FateEnd::Done => store.with(|_| done),
                FateEnd::NotDone | FateEnd::Unknown => Err(StoreError::Unavailable),
            }
        });
        written.await.unwrap_or(Err(StoreError::Unavailable))
    }

    pub(super) async fn create_match(&self, new: NewMatch) -> Result<Created, StoreError> {
        self.write_new(new, false).await
    }

    pub(super) async fn accept_challenge(&self, new: NewMatch) -> Result<Created, StoreError> {
        self.write_new(new, true).await
    }

    async fn write_new(&self, new: NewMatch, accepts: bool) -> Result<Created, StoreError> {
        let spec = new.spec().ok_or(StoreError::Malformed)?.clone();
        self.write(move |contents| {
            if accepts {
                let challenge = contents.challenges.get(&new.public_id);
                let to = challenge.ok_or(StoreError::Refused)?.to;
                if !contents.leads(new.creator, to) {
                    return Err(StoreError::Refused);
                }
                contents.challenges.remove(&new.public_id);
            }
            contents.note_service_ms(new.service_ms);
            let oldest_ms = new.created_ms.saturating_sub(CREATION_KEY_KEPT_MS);
            contents
                .creations
                .retain(|_, before| before.at_ms > oldest_ms);
            let creation = new.idempotency.map(|idempotency| {
                let made = Creation {
                    at_ms: new.created_ms,
                    public_id: new.public_id,
                    request: idempotency.request,
                };
                ((new.creator, idempotency.key), made)
            });
            if let Some((key, _)) = &creation
                && let Some(before) = contents.creations.get(key)
            {
                return Ok(Created::Before {
                    public_id: before.public_id,
                    request: before.request,
                });
            }
            if contents.names.contains_key(&new.public_id) {
                return Err(StoreError::Taken);
            }
            let Entry::Vacant(place) = contents.matches.entry(new.id) else {
                return Err(StoreError::Taken);
            };
            let kept = place.insert(Kept {
                row: MatchRow {
                    id: new.id,
                    public_id: new.public_id,
                    creator: new.creator,
                    access: new.access,
                    link_hash: new.link_hash,
                    stage: new.stage,
                    created_ms: new.created_ms,
                    spec,
                    outcome: None,
                    set_aside: None,
                },
                log: new.rows,
                snapshot: None,
            });
            if kept.row.access == Access::Public && kept.is_unfinished() {
                contents.listed.insert(kept.place_in_list(), new.id);
            }
            contents.names.insert(new.public_id, new.id);
            contents.creations.extend(creation);
            Ok(Created::New)
        })
        .await?
    }

    pub(super) async fn append(&self, append: Append) -> Result<(), AppendError> {
        let appended = self.write(move |contents| {
            contents.note_service_ms(append.service_ms);
            let Some(kept) = contents.matches.get_mut(&append.match_id) else {
                return Err(AppendError::Conflict);
            };
            let last = kept.log.last().map_or(0, |row| row.seq);
            if append.expected_seq != last || !follows(&append.rows, last) {
                return Err(AppendError::Conflict);
            }
            kept.row.outcome = outcome(&append.rows).or(kept.row.outcome);
            kept.log.extend(append.rows);
            kept.row.stage = append.stage;
            if !kept.is_unfinished() {
                contents.listed.remove(&kept.place_in_list());
            }
            Ok(())
        });
        appended.await.unwrap_or(Err(AppendError::Unavailable))
    }

    pub(super) async fn find_match(
        &self,
        public_id: PublicId,
    ) -> Result<Option<MatchRow>, StoreError> {
        self.read(|contents| {
            let id = contents.names.get(&public_id)?;
            contents.matches.get(id).map(|kept| kept.row.clone())
        })
        .await
    }

    pub(super) async fn unfinished(&self) -> Result<Vec<(MatchId, PublicId)>, StoreError> {
        self.read(|contents| {
            let matches = contents.matches.iter();
            matches
                .filter(|(_, kept)| kept.is_unfinished())
                .map(|(&id, kept)| (id, kept.row.public_id))
                .collect()
        })
        .await
    }

    pub(super) async fn service_ms(&self) -> Result<i64, StoreError> {
        self.read(|contents| contents.service_ms).await
    }

    pub(super) async fn note_service_ms(&self, ms: i64) -> Result<(), StoreError> {
        self.write(move |contents| contents.note_service_ms(ms))
            .await
    }

    pub(super) async fn deadlines(&self) -> Result<Vec<(PublicId, i64)>, StoreError> {
        self.read(|contents| {
            let playing = contents
                .matches
                .values()
                .filter(|kept| kept.row.stage == StageRow::Playing && kept.row.set_aside.is_none());
            let mut deadlines: Vec<_> = playing
                .filter_map(|kept| Some((kept.row.public_id, kept.log.last()?.deadline_ms?)))
                .collect();
            deadlines.sort_by_key(|&(name, at_ms)| (at_ms, name));
            deadlines
        })
        .await
    }

    pub(super) async fn set_aside_count(&self) -> Result<usize, StoreError> {
        let set_aside = |kept: &&Kept| kept.row.set_aside.is_some();
        self.read(|contents| contents.matches.values().filter(set_aside).count())
            .await
    }

    pub(super) async fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.read(|contents| {
            let listed = contents.listed.iter();
            listed
                .skip_while(|(Reverse(place), _)| before.is_some_and(|before| *place >= before))
                .filter_map(|(_, id)| contents.matches.get(id))
                .map(|kept| kept.row.clone())
                .take(limit as usize)
                .collect()
        })
        .await
    }

    pub(super) async fn log_after(
        &self,
        id: MatchId,
        after_seq: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.read(|contents| {
            let log = contents.matches.get(&id).map_or(&[][..], |kept| &kept.log);
            log.iter()
                .skip(usize::try_from(after_seq).unwrap_or(usize::MAX))
                .take(limit as usize)
                .cloned()
                .collect()
        })
        .await
    }

    pub(super) async fn put_snapshot(
        &self,
        id: MatchId,
        seq: u64,
        snapshot: &Snapshot,
    ) -> Result<(), StoreError> {
        let snapshot = snapshot.clone();
        self.write(move |contents| {
            let kept = contents.matches.get_mut(&id);
            let kept = kept.ok_or(StoreError::NoSuchMatch)?;
            if kept.snapshot.as_ref().is_none_or(|&(kept, _)| kept <= seq) {
                kept.snapshot = Some((seq, snapshot));
            }
            Ok(())
        })
        .await?
    }

    pub(super) async fn snapshot(
        &self,
        id: MatchId,
    ) -> Result<Option<(u64, Snapshot)>, StoreError> {
        self.read(|contents| contents.matches.get(&id)?.snapshot.clone())
            .await
    }

    pub(super) async fn delete_snapshots(&self) -> Result<(), StoreError> {
        self.write(move |contents| {
            for kept in contents.matches.values_mut() {
                kept.snapshot = None;
            }
        })
        .await
    }

    pub(super) async fn set_aside(&self, id: MatchId, reason: &str) -> Result<(), StoreError> {
        let reason = reason.to_owned();
        self.write(move |contents| {
            let kept = contents.matches.get_mut(&id);
            let kept = kept.ok_or(StoreError::NoSuchMatch)?;
            kept.row.set_aside = Some(reason);
            contents.listed.remove(&kept.place_in_list());
            Ok(())
        })
        .await?
    }

    pub(super) async fn create_user(
        &self,
        user: UserRow,
        token: TokenHash,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let Contents { users, tokens, .. } = contents;
            match (users.entry(user.id), tokens.entry(token)) {
                (Entry::Vacant(place), Entry::Vacant(token)) => {
                    token.insert(user.id);
                    place.insert(user);
                    Ok(())
                }
                _ => Err(StoreError::Taken),
            }
        })
        .await?
    }

    pub(super) async fn user_by_token(
        &self,
        token: TokenHash,
    ) -> Result<Option<UserRow>, StoreError> {
        self.read(|contents| {
            let id = contents.tokens.get(&token)?;
            contents.users.get(id).cloned()
        })
        .await
    }

    pub(super) async fn users(&self, ids: &[UserId]) -> Result<Vec<UserRow>, StoreError> {
        let wanted: BTreeSet<UserId> = ids.iter().copied().collect();
        self.read(|contents| {
            let found = wanted.iter().filter_map(|id| contents.users.get(id));
            found.cloned().collect()
        })
        .await
    }

    pub(super) async fn put_link(&self, link: LinkRow) -> Result<(), StoreError> {
        self.write(move |contents| {
            let links = contents.links.values();
            let of_match = links.filter(|other| other.match_id == link.match_id);
            if of_match.count() >= LINKS_A_MATCH as usize {
                return Err(StoreError::Full);
            }
            contents.links.insert(link.hash, link);
            Ok(())
        })
        .await?
    }

    pub(super) async fn say(&self, new: NewLine) -> Result<(), StoreError> {
        self.write(move |contents| {
            if !contents.matches.contains_key(&new.match_id) {
                return Err(StoreError::NoSuchMatch);
            }
            let key = (new.match_id, new.line.user, new.key);
            let place = (new.match_id, new.room, new.line.n);
            match (contents.talk.entry(place), contents.talk_keys.entry(key)) {
                (Entry::Vacant(free), Entry::Vacant(key)) => {
                    key.insert((new.room, new.line.n));
                    free.insert(new.line);
                    Ok(())
                }
                _ => Err(StoreError::Taken),
            }
        })
        .await?
    }

    pub(super) async fn link(&self, hash: SecretHash) -> Result<Option<LinkRow>, StoreError> {
        self.read(|contents| contents.links.get(&hash).cloned())
            .await
    }

    pub(super) async fn remove_links(&self, id: MatchId, side: Side) -> Result<(), StoreError> {
        self.write(move |contents| {
            let links = &mut contents.links;
            links.retain(|_, link| link.match_id != id || link.side != side);
        })
        .await
    }

    pub(super) async fn invite(&self, invitation: InvitationRow) -> Result<(), StoreError> {
        self.write(move |contents| {
            let (user, id) = (invitation.user, invitation.match_id);
            if let Some(before) = contents.invitations.get(&(user, id))
                && before.side != invitation.side
                && before.by != invitation.by
            {
                return Err(StoreError::Taken);
            }
            let is_open = |other: &&InvitationRow| {
                let kept = contents.matches.get(&other.match_id);
                kept.is_some_and(Kept::is_unfinished)
            };
            let all = contents.invitations.values();
            let of_match = all
                .clone()
                .filter(|other| other.match_id == id && other.user != user);
            let of_user = all.filter(|other| other.user == user && other.match_id != id);
            let of_user = of_user.filter(is_open);
            let by_one = of_user.clone().filter(|other| other.by == invitation.by);
            if of_match.count() >= INVITATIONS_A_MATCH as usize
                || by_one.count() >= INVITATIONS_BY_ONE as usize
                || of_user.count() >= INVITATIONS_A_PERSON as usize
            {
                return Err(StoreError::Full);
            }
            contents.invitations.insert((user, id), invitation);
            Ok(())
        })
        .await?
    }

    pub(super) async fn uninvite(&self, id: MatchId, user: UserId) -> Result<(), StoreError> {
        self.write(move |contents| {
            contents.invitations.remove(&(user, id));
        })
        .await
    }

    pub(super) async fn invitation(
        &self,
        id: MatchId,
        user: UserId,
    ) -> Result<Option<InvitationRow>, StoreError> {
        self.read(|contents| contents.invitations.get(&(user, id)).cloned())
            .await
    }

    pub(super) async fn invitations_of(
        &self,
        user: UserId,
    ) -> Result<Vec<(InvitationRow, MatchRow)>, StoreError> {
        self.read(|contents| {
            let of_user = contents.invitations.values();
            let of_user = of_user.filter(|invitation| invitation.user == user);
            let mut found: Vec<_> = of_user
                .filter_map(|invitation| {
                    let kept = contents.matches.get(&invitation.match_id)?;
                    let row = kept.is_unfinished().then(|| kept.row.clone())?;
                    Some((invitation.clone(), row))
                })
                .collect();
            found.sort_by_key(|(invitation, _)| {
                (Reverse(invitation.created_ms), invitation.match_id)
            });
            found
        })
        .await
    }

    pub(super) async fn found_team(&self, team: TeamRow) -> Result<(), StoreError> {
        self.write(move |contents| {
            let captain = team.captain.ok_or(StoreError::Taken)?;
            if contents.teams_of(captain).count() >= TEAMS_A_PERSON as usize {
                return Err(StoreError::Full);
            }
            let oldest_ms = team.created_ms.saturating_sub(FOUNDINGS_COUNTED_MS);
            let founded = contents.teams.values();
            let founded = founded
                .filter(|other| other.founder == captain && other.row.created_ms > oldest_ms);
            if founded.count() >= TEAMS_FOUNDED_A_DAY as usize {
                return Err(StoreError::Full);
            }
            let keys = keys(&team.name);
            let is_known = contents.teams.contains_key(&team.id);
            if is_known || keys.iter().any(|key| contents.team_names.contains_key(key)) {
                return Err(StoreError::Taken);
            }
            let (id, at_ms) = (team.id, team.created_ms);
            contents
                .team_names
                .extend(keys.into_iter().map(|key| (key, id)));
            let mut standing = Standing {
                founder: captain,
                row: team,
                members: Vec::new(),
                came: 0,
            };
            standing.add(captain, at_ms);
            contents.teams.insert(id, standing);
            Ok(())
        })
        .await?
    }

    pub(super) async fn team(
        &self,
        team: PublicId,
    ) -> Result<Option<(TeamRow, Vec<TeamMemberRow>)>, StoreError> {
        self.read(|contents| {
            let team = contents.teams.get(&team)?;
            Some((team.row.clone(), team.members.clone()))
        })
        .await
    }

    pub(super) async fn teams(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamRow>, StoreError> {
        self.read(|contents| {
            let teams = contents.teams.values().map(|team| &team.row);
            let teams = teams.filter(|row| row.captain.is_some());
            newest_first(
                teams.filter(|row| before.is_none_or(|before| (row.created_ms, row.id) < before)),
            )
            .take(limit as usize)
            .collect()
        })
        .await
    }

    pub(super) async fn teams_of(&self, user: UserId) -> Result<Vec<TeamRow>, StoreError> {
        self.read(|contents| newest_first(contents.teams_of(user).map(|team| &team.row)).collect())
            .await
    }

    pub(super) async fn set_team_link(
        &self,
        team: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            contents.led_by(team, by)?.row.link_hash = hash;
            Ok(())
        })
        .await?
    }

    pub(super) async fn come_to_team(
        &self,
        team: PublicId,
        user: UserId,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let teams = contents.teams_of(user).count();
            let Some(team) = contents.teams.get_mut(&team) else {
                return Ok(());
            };
            if team.has(user) {
                return Ok(());
            }
            if team.members.is_empty() {
                return Err(StoreError::Refused);
            }
            if team.members.len() >= MEMBERS_A_TEAM as usize || teams >= TEAMS_A_PERSON as usize {
                return Err(StoreError::Full);
            }
            team.add(user, at_ms);
            Ok(())
        })
        .await?
    }

    pub(super) async fn said_before(
        &self,
        id: MatchId,
        user: UserId,
        key: &str,
    ) -> Result<Option<(Room, LineRow)>, StoreError> {
        self.read(|contents| {
            let &(room, n) = contents.talk_keys.get(&(id, user, key.to_owned()))?;
            Some((room, contents.talk.get(&(id, room, n))?.clone()))
        })
        .await
    }

    pub(super) async fn room(&self, id: MatchId, room: Room) -> Result<RoomRow, StoreError> {
        self.read(|contents| {
            let mut lines = contents.talk.range((id, room, 0)..=(id, room, u32::MAX));
            let barred = contents.talk_barred.iter();
            let barred = barred.filter(|(of, place, _)| (*of, *place) == (id, room));
            RoomRow {
                last: lines.next_back().map_or(0, |(_, line)| line.n),
                closed: contents.talk_barred.contains(&(id, room, None)),
                muted: barred.filter_map(|(.., user)| *user).collect(),
            }
        })
        .await
    }

    pub(super) async fn lines(
        &self,
        id: MatchId,
        room: Room,
        (after, up_to): (u32, u32),
        limit: u32,
    ) -> Result<Vec<LineRow>, StoreError> {
        self.read(|contents| {
            let lines = contents.talk.range((id, room, 0)..=(id, room, u32::MAX));
            lines
                .map(|(_, line)| line)
                .filter(|line| line.n > after && line.n <= up_to)
                .take(limit as usize)
                .cloned()
                .collect()
        })
        .await
    }

    pub(super) async fn bar(&self, bar: Bar) -> Result<(), StoreError> {
        self.write(move |contents| {
            if !contents.matches.contains_key(&bar.match_id) {
                return Err(StoreError::NoSuchMatch);
            }
            let barred = (bar.match_id, bar.room, bar.user);
            if bar.stands {
                contents.talk_barred.insert(barred);
            } else {
                contents.talk_barred.remove(&barred);
            }
            Ok(())
        })
        .await?
    }

    pub(super) async fn remove_line(
        &self,
        id: MatchId,
        room: Room,
        n: u32,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let line = contents.talk.get_mut(&(id, room, n));
            let text = line.and_then(|line| line.text.take());
            text.map(drop).ok_or(StoreError::NoSuchLine)
        })
        .await?
    }

    pub(super) async fn clear_talk(&self, id: MatchId) -> Result<(), StoreError> {
        self.write(move |contents| {
            contents.talk.retain(|(of, ..), _| *of != id);
            contents.talk_keys.retain(|(of, ..), _| *of != id);
        })
        .await
    }

    pub(super) async fn report(&self, new: NewReport) -> Result<(), StoreError> {
        self.write(move |contents| {
            let Some(kept) = contents.matches.get(&new.match_id) else {
                return Err(StoreError::NoSuchMatch);
            };
            let place = |report: &NewReport| (report.by, report.match_id, report.room, report.n);
            let mut before = contents.reports.iter().map(|row| &row.report);
            if before.any(|report| place(report) == place(&new)) {
                return Ok(());
            }
            let oldest_ms = new.at_ms.saturating_sub(REPORTS_COUNTED_MS);
            let own = contents.reports.iter().map(|row| &row.report);
            let own = own.filter(|report| report.by == new.by && report.at_ms > oldest_ms);
            if own.count() >= REPORTS_A_DAY_MAX as usize {
                return Err(StoreError::ReportsOver);
            }
            let row = ReportRow {
                id: contents.reports.len() as u64 + 1,
                public_id: kept.row.public_id,
                report: new,
            };
            contents.reports.push(row);
            Ok(())
        })
        .await?
    }

    pub(super) async fn leave_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let id = team;
            let team = contents.teams.get_mut(&id).ok_or(StoreError::Refused)?;
            let leaves = team.member(number).ok_or(StoreError::Refused)?;
            if leaves != by && team.row.captain != Some(by) {
                return Err(StoreError::Refused);
            }
            if team.row.captain == Some(by) {
                team.row.link_hash = None;
            }
            team.members.retain(|member| member.user != leaves);
            if team.row.captain == Some(leaves) {
                team.row.captain = team.members.first().map(|member| member.user);
            }
            if team.row.captain.is_none() {
                let gone = team.row.id;
                let challenges = &mut contents.challenges;
                challenges.retain(|_, waits| ![waits.from, waits.to].contains(&gone));
            }
            if team.row.captain.is_none() {
                contents.team_names.retain(|_, team| *team != id);
            }
            Ok(())
        })
        .await?
    }

    pub(super) async fn lead_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let team = contents.led_by(team, by)?;
            let captain = team.member(number).ok_or(StoreError::Refused)?;
            team.row.captain = Some(captain);
            team.row.link_hash = None;
            Ok(())
        })
        .await?
    }

    pub(super) async fn put_challenge(&self, new: ChallengeRow) -> Result<(), StoreError> {
        self.write(move |contents| {
            if !contents.leads(new.by, new.from) {
                return Err(StoreError::Refused);
            }
            if contents.names.contains_key(&new.id) {
                return Err(StoreError::Taken);
            }
            let (mut from, mut to) = (0, 0);
            for waits in contents.challenges.values() {
                if (waits.from, waits.to) == (new.from, new.to) || waits.id == new.id {
                    return Err(StoreError::Full);
                }
                from += u32::from(waits.from == new.from);
                to += u32::from(waits.to == new.to);
            }
            if from >= CHALLENGES_FROM_A_TEAM || to >= CHALLENGES_TO_A_TEAM {
                return Err(StoreError::Full);
            }
            contents.challenges.insert(new.id, new);
            Ok(())
        })
        .await?
    }

    pub(super) async fn remove_challenge(
        &self,
        id: PublicId,
        by: UserId,
    ) -> Result<(), StoreError> {
        self.write(move |contents| {
            let challenge = contents.challenges.get(&id).ok_or(StoreError::Refused)?;
            if !contents.leads(by, challenge.from) && !contents.leads(by, challenge.to) {
                return Err(StoreError::Refused);
            }
            contents.challenges.remove(&id);
            Ok(())
        })
        .await?
    }

    pub(super) async fn challenge(&self, id: PublicId) -> Result<Option<ChallengeRow>, StoreError> {
        self.read(|contents| contents.challenges.get(&id).cloned())
            .await
    }

    pub(super) async fn challenges_of(
        &self,
        team: PublicId,
    ) -> Result<Vec<ChallengeRow>, StoreError> {
        self.read(|contents| {
            let all = contents.challenges.values();
            let mut of_team: Vec<ChallengeRow> = all
                .filter(|challenge| [challenge.from, challenge.to].contains(&team))
                .cloned()
                .collect();
            of_team.sort_by_key(|challenge| Reverse((challenge.created_ms, challenge.id)));
            of_team
        })
        .await
    }

    pub(super) async fn team_matches(
        &self,
        team: PublicId,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamMatchRow>, StoreError> {
        self.read(|contents| {
            let mut kept: Vec<(Side, &Kept)> = contents.matches_of(team).collect();
            kept.sort_by_key(|(_, kept)| kept.place_in_list());
            let rest = kept.into_iter().skip_while(|(_, kept)| {
                let Reverse(place) = kept.place_in_list();
                before.is_some_and(|before| place >= before)
            });
            rest.take(limit as usize)
                .map(|(side, kept)| TeamMatchRow {
                    side,
                    row: kept.row.clone(),
                })
                .collect()
        })
        .await
    }

    pub(super) async fn team_results(&self, team: PublicId) -> Result<ResultsRow, StoreError> {
        self.read(|contents| {
            let mut results = ResultsRow::default();
            for (side, kept) in contents.matches_of(team) {
                if let Some(outcome) = kept.row.outcome {
                    results.count(side, outcome, 1);
                }
            }
            results
        })
        .await
    }

    pub(super) async fn reports(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ReportRow>, StoreError> {
        self.read(|contents| {
            let reports = contents.reports.iter().rev();
            reports
                .filter(|row| before.is_none_or(|before| row.id < before))
                .take(limit as usize)
                .cloned()
                .collect()
        })
        .await
    }

    pub(super) async fn ready(&self) -> Result<(), StoreError> {
        self.write(|_| ()).await
    }

    pub(super) async fn close(self) {
        self.opening.writes.close();
        self.opening.writes.wait().await;
        self.crash();
    }
}

fn newest_first<'a>(teams: impl Iterator<Item = &'a TeamRow>) -> impl Iterator<Item = TeamRow> {
    let mut teams: Vec<TeamRow> = teams.cloned().collect();
    teams.sort_by_key(|team| Reverse((team.created_ms, team.id)));
    teams.into_iter()
}
