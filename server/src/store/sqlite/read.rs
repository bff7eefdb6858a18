//! What can be read, and the SQL that reads it.

use super::super::{LogRow, MatchRow, StoreError, UserRow};
use super::columns::{log_row, match_id, match_row, public_id, user_row};
use super::{Sqlite, is_damage};
use crate::ids::{PublicId, TokenHash};
use mancala_play::{MatchId, Snapshot, UserId};
use sqlx::{Row, query, query_scalar};
use tracing::{error, warn};

impl Sqlite {
    pub(in super::super) async fn find_match(
        &self,
        public_id: PublicId,
    ) -> Result<Option<MatchRow>, StoreError> {
        let found = query("select * from matches where public_id = ?")
            .bind(public_id.as_str())
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)?;
        found
            .as_ref()
            .map(match_row)
            .transpose()
            .map_err(unreadable)
    }

    pub(in super::super) async fn unfinished(
        &self,
    ) -> Result<Vec<(MatchId, PublicId)>, StoreError> {
        query(
            "select id, public_id from matches
             where stage <> 'over' and set_aside is null
             order by id",
        )
        .try_map(|row| Ok((match_id(&row, "id")?, public_id(&row, "public_id")?)))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn service_ms(&self) -> Result<i64, StoreError> {
        query_scalar("select service_ms from commits")
            .fetch_one(&self.readers)
            .await
            .map_err(unreadable)
    }

    pub(in super::super) async fn deadlines(&self) -> Result<Vec<(PublicId, i64)>, StoreError> {
        // The matches in the order in which their logs lie, so that no page is read twice. That
        // they are not over says which index has them.
        let found = query(
            "select public_id,
                (select deadline_ms from log where match_id = matches.id
                 order by seq desc limit 1) as deadline_ms
             from matches
             where stage <> 'over' and set_aside is null and stage = 'playing'
             order by id",
        )
        .try_map(|row| Ok((public_id(&row, "public_id")?, row.try_get("deadline_ms")?)))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)?;
        let due = |(name, at_ms): (PublicId, Option<i64>)| Some((name, at_ms?));
        let mut deadlines: Vec<_> = found.into_iter().filter_map(due).collect();
        deadlines.sort_unstable_by_key(|&(name, at_ms)| (at_ms, name));
        Ok(deadlines)
    }

    pub(in super::super) async fn set_aside_count(&self) -> Result<usize, StoreError> {
        let count: i64 = query_scalar("select count(*) from matches where set_aside is not null")
            .fetch_one(&self.readers)
            .await
            .map_err(unreadable)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    pub(in super::super) async fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let statement = match before {
            None => query(
                "select * from matches
                 where access = 'public' and stage <> 'over' and set_aside is null
                 order by created_ms desc, public_id desc limit ?",
            ),
            Some((created_ms, public_id)) => query(
                "select * from matches
                 where access = 'public' and stage <> 'over' and set_aside is null
                    and (created_ms, public_id) < (?, ?)
                 order by created_ms desc, public_id desc limit ?",
            )
            .bind(created_ms)
            .bind(String::from(public_id)),
        };
        statement
            .bind(limit)
            .try_map(|row| match_row(&row))
            .fetch_all(&self.readers)
            .await
            .map_err(unreadable)
    }

    pub(in super::super) async fn log_after(
        &self,
        id: MatchId,
        after_seq: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        // Beyond what a number in the database can be there is nothing.
        let after = i64::try_from(after_seq).unwrap_or(i64::MAX);
        let rows = query(
            "select seq, at_ms, version, event, digest, deadline_ms from log
             where match_id = ? and seq > ? order by seq limit ?",
        )
        .bind(id.0)
        .bind(after)
        .bind(limit)
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)?;
        let places = after_seq.saturating_add(1)..;
        let rows = rows.iter().zip(places);
        rows.map(|(row, place)| log_row(row, id, place)).collect()
    }

    pub(in super::super) async fn snapshot(
        &self,
        id: MatchId,
    ) -> Result<Option<(u64, Snapshot)>, StoreError> {
        let found = query("select seq, snapshot from snapshots where match_id = ?")
            .bind(id.0)
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)?;
        let Some(row) = found else {
            return Ok(None);
        };
        let seq: i64 = row.try_get("seq").map_err(unreadable)?;
        let text: &str = row.try_get("snapshot").map_err(unreadable)?;
        match serde_json::from_str(text) {
            Ok(snapshot) => Ok(Some((seq.cast_unsigned(), snapshot))),
            Err(error) => {
                warn!(match.id = %id, %error, "a snapshot is of another form and is not used");
                Ok(None)
            }
        }
    }

    pub(in super::super) async fn user_by_token(
        &self,
        token: TokenHash,
    ) -> Result<Option<UserRow>, StoreError> {
        query(
            "select id, name, users.created_ms from tokens join users on id = user_id
             where hash = ?",
        )
        .bind(&token.0[..])
        .try_map(|row| user_row(&row))
        .fetch_optional(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn users(&self, ids: &[UserId]) -> Result<Vec<UserRow>, StoreError> {
        // One parameter for however many there are: a list in JSON.
        let ids: Vec<String> = ids.iter().map(|id| id.0.simple().to_string()).collect();
        query(
            "select id, name, created_ms from users
             where id in (select unhex(value) from json_each(?)) order by id",
        )
        .bind(super::json(&ids))
        .try_map(|row| user_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }
}

impl Sqlite {}

/// Says it in the log, for whoever asked hears only that it did not work.
pub(super) fn unreadable(error: sqlx::Error) -> StoreError {
    if is_damage(&error) {
        error!(%error, "the database is damaged");
        return StoreError::Damaged(error.to_string());
    }
    if !matches!(error, sqlx::Error::PoolClosed) {
        error!(%error, "the database cannot be read");
    }
    StoreError::Unavailable
}
