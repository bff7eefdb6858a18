//! What a match's log says: the match itself, and its events told again.
//!
//! A log is read page by page, so that a long one takes no more memory than a short one.

use super::narrate;
use crate::hub::Frame;
use crate::ids::PublicId;
use crate::limits::LOG_PAGE;
use crate::store::{LogRow, MatchRow, Store, StoreError};
use mancala_engine::BySide;
use mancala_play::{Damage, Effect, Event, Match, MatchId, UserId};
use std::collections::BTreeMap;
use tracing::warn;

/// The logs of matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct History<'a>(pub(super) &'a Store);

/// A match as it stands at the end of its log.
#[derive(Debug)]
pub(super) struct AtEnd {
    pub(super) play: Match,
    /// The service time at which something is due in it by itself, as its last row says.
    pub(super) deadline_ms: Option<i64>,
}

/// Why a log could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadError {
    /// What is there is no log of a match: how, in words for whoever runs the server.
    Damaged(String),
    /// The store does not answer.
    Unavailable(StoreError),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> ReadError {
        match error {
            StoreError::Damaged(how) => ReadError::Damaged(how),
            error => ReadError::Unavailable(error),
        }
    }
}

impl From<Damage> for ReadError {
    fn from(damage: Damage) -> ReadError {
        ReadError::Damaged(damage.to_string())
    }
}

impl History<'_> {
    /// The match as it stands at the end of its log.
    pub(super) async fn read(self, row: &MatchRow) -> Result<AtEnd, ReadError> {
        let (mut play, mut deadline_ms) = match self.snapshot(row.id).await? {
            Some(AtEnd { play, deadline_ms }) => (Some(play), deadline_ms),
            None => (None, None),
        };
        let mut log = self.pages(row.id, place(play.as_ref()));
        while let Some(page) = log.next().await? {
            for row in &page {
                read_on(&mut play, row)?;
                deadline_ms = row.deadline_ms;
            }
        }
        let play = play.ok_or(ReadError::from(Damage::NoBeginning))?;
        Ok(AtEnd { play, deadline_ms })
    }

    /// The match as it was before the action with this number, or at the end of its log.
    pub(super) async fn before(self, id: MatchId, number: u32) -> Result<Match, ReadError> {
        let mut play = None;
        let mut log = self.pages(id, 0);
        'log: while let Some(page) = log.next().await? {
            for row in &page {
                read_on(&mut play, row)?;
                if play
                    .as_ref()
                    .is_some_and(|play| play.next_number() >= number)
                {
                    break 'log;
                }
            }
        }
        play.ok_or(ReadError::from(Damage::NoBeginning))
    }

    /// All events, from the first on.
    pub(super) async fn events(self, row: &MatchRow) -> Result<Vec<Event>, ReadError> {
        let mut play = None;
        let mut events = Vec::new();
        let mut log = self.pages(row.id, 0);
        while let Some(page) = log.next().await? {
            for row in page {
                read_on(&mut play, &row)?;
                events.push(row.event);
            }
        }
        Ok(events)
    }

    /// The frames of all events after `since` in the stream that everybody is told, up to
    /// `until` in the log; those for a team alone only if it is one of these. The log may have
    /// gone on meanwhile: with somebody whose name is not among these, or with what the
    /// task of the match has not been told that it is on disk.
    pub(super) async fn frames(
        self,
        id: MatchId,
        name: PublicId,
        (since, until): (u64, u64),
        names: &BTreeMap<UserId, String>,
        teams: BySide<bool>,
    ) -> Result<Vec<Frame>, ReadError> {
        let base = self.snapshot(id).await?.map(|base| base.play);
        let mut play = base.filter(|base| base.public_seq() <= since);
        let mut frames = Vec::new();
        let mut log = self.pages(id, place(play.as_ref()));
        while let Some(page) = log.next().await? {
            for row in page.iter().take_while(|row| row.seq <= until) {
                let before = play.as_ref().and_then(narrate::extra);
                let effect = read_on(&mut play, row)?;
                let told = row.event.only_for().is_none_or(|side| teams[side]);
                let is_new = |play: &&Match| told && play.public_seq() > since;
                if let Some(play) = play.as_ref().filter(is_new) {
                    let told = narrate::tell(name, &row.event, before, play, &effect, names);
                    frames.extend(told);
                }
            }
        }
        Ok(frames)
    }

    /// The match as a snapshot has it, if there is one that agrees with the log: as it stood
    /// when that ended there.
    async fn snapshot(self, id: MatchId) -> Result<Option<AtEnd>, ReadError> {
        let Some((seq, snapshot)) = self.0.snapshot(id).await? else {
            return Ok(None);
        };
        let at = self.0.log_after(id, seq.saturating_sub(1), 1).await?;
        let agrees = |play: &Match| {
            let here = at.first().map(|row| (row.seq, row.digest));
            play.seq() == seq && here == Some((seq, play.digest()))
        };
        match Match::try_from(snapshot) {
            Ok(play) if agrees(&play) => {
                let deadline_ms = at.first().and_then(|row| row.deadline_ms);
                Ok(Some(AtEnd { play, deadline_ms }))
            }
            _ => {
                warn!(match.id = %id, seq, "a snapshot does not agree with its log, which is read from the beginning");
                Ok(None)
            }
        }
    }

    fn pages(&self, id: MatchId, after: u64) -> Pages<'_> {
        Pages {
            store: self.0,
            id,
            after: Some(after),
        }
    }
}

/// The number of the last event that a match has read.
fn place(play: Option<&Match>) -> u64 {
    play.map_or(0, Match::seq)
}

/// Reads the next row; the first one, where there is no match yet.
fn read_on(play: &mut Option<Match>, row: &LogRow) -> Result<Effect, Damage> {
    match play {
        Some(play) => play.read_next(&row.event, row.digest),
        None => {
            let first = std::slice::from_ref(&row.event);
            *play = Some(Match::replay(first, row.digest)?);
            Ok(Effect::default())
        }
    }
}

/// A log, a page at a time.
struct Pages<'a> {
    store: &'a Store,
    id: MatchId,
    /// The number of the last row of the page before; none after the last page.
    after: Option<u64>,
}

impl Pages<'_> {
    async fn next(&mut self) -> Result<Option<Vec<LogRow>>, StoreError> {
        let Some(after) = self.after else {
            return Ok(None);
        };
        let page = self.store.log_after(self.id, after, LOG_PAGE).await?;
        let more = page.len() == LOG_PAGE as usize;
        self.after = page.last().filter(|_| more).map(|row| row.seq);
        Ok(Some(page))
    }
}
