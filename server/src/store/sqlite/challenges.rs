//! Challenges between the teams that stand on their own, what came of them, and the SQL for
//! them.

use super::super::{ChallengeRow, Created, NewMatch, ResultsRow, StoreError, TeamMatchRow};
use super::change::{Answer, Changes};
use super::columns::{match_row, outcome, public_id, side, strange};
use super::read::unreadable;
use super::{Change, Sqlite, json, stored};
use crate::ids::PublicId;
use crate::limits::{CHALLENGES_FROM_A_TEAM, CHALLENGES_TO_A_TEAM};
use mancala_engine::{BySide, Side};
use mancala_play::UserId;
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, query};
use std::sync::Arc;

/// Something to be written of a challenge.
#[derive(Debug)]
pub(super) enum Challenging {
    Put {
        challenge: Box<ChallengeRow>,
        wanted: Arc<str>,
    },
    Remove {
        id: PublicId,
        by: UserId,
    },
}

impl Changes<'_, '_> {
    pub(super) async fn challenge(&mut self, challenging: &Challenging) -> Result<Answer, Error> {
        match challenging {
            Challenging::Put { challenge, wanted } => self.put_challenge(challenge, wanted).await,
            Challenging::Remove { id, by } => self.remove_challenge(*id, *by).await,
        }
    }

    async fn put_challenge(
        &mut self,
        challenge: &ChallengeRow,
        wanted: &Arc<str>,
    ) -> Result<Answer, Error> {
        let leads = query("select 1 from teams where public_id = ? and captain = ?")
            .bind(String::from(challenge.from))
            .bind(challenge.by.0)
            .fetch_optional(self.connection().await?)
            .await?;
        if leads.is_none() {
            return Ok(Answer::Refused);
        }
        let named = query("select 1 from matches where public_id = ?1")
            .bind(String::from(challenge.id))
            .fetch_optional(self.connection().await?)
            .await?;
        if named.is_some() {
            return Ok(Answer::Clash);
        }
        let insert = query(
            "insert into challenges
                (public_id, from_team, to_team, side, wanted, by_user, created_ms)
             select ?1, ?2, ?3, ?4, ?5, ?6, ?7
             where (select count(*) from challenges where from_team = ?2) < ?8
                and (select count(*) from challenges where to_team = ?3) < ?9
             on conflict do nothing",
        )
        .bind(String::from(challenge.id))
        .bind(String::from(challenge.from))
        .bind(String::from(challenge.to))
        .bind(challenge.side.to_string())
        .bind(Arc::clone(wanted))
        .bind(challenge.by.0)
        .bind(challenge.created_ms)
        .bind(CHALLENGES_FROM_A_TEAM)
        .bind(CHALLENGES_TO_A_TEAM);
        self.unless_full(insert).await
    }

    /// The captain of the challenged team declines it, or that of the other takes it back.
    async fn remove_challenge(&mut self, id: PublicId, by: UserId) -> Result<Answer, Error> {
        let delete = query(
            "delete from challenges where public_id = ?
                and exists (select 1 from teams
                    where public_id in (from_team, to_team) and captain = ?)",
        )
        .bind(String::from(id))
        .bind(by.0);
        self.unless_refused(delete).await
    }

    /// Takes away the challenge that this match comes to, if it is there, and it is the captain
    /// of the challenged team who makes the match.
    pub(super) async fn accept(&mut self, new: &NewMatch) -> Result<Answer, Error> {
        let delete = query(
            "delete from challenges where public_id = ?
                and exists (select 1 from teams
                    where public_id = to_team and captain = ?)",
        )
        .bind(String::from(new.public_id))
        .bind(new.creator.0);
        self.unless_refused(delete).await
    }

    /// Notes which standing teams play a match.
    pub(super) async fn put_team_matches(
        &mut self,
        new: &NewMatch,
        standing: BySide<u64>,
    ) -> Result<(), Error> {
        for side in Side::ALL {
            let insert = query(
                "insert into team_matches (team, created_ms, public_id, match_id, side)
                 values (?, ?, ?, ?, ?)",
            )
            .bind(String::from(PublicId::from_number(standing[side])))
            .bind(new.created_ms)
            .bind(String::from(new.public_id))
            .bind(new.id.0)
            .bind(side.to_string());
            self.done(insert).await?;
        }
        Ok(())
    }
}

impl Sqlite {
    pub(in super::super) async fn put_challenge(
        &self,
        challenge: ChallengeRow,
    ) -> Result<(), StoreError> {
        let wanted = json(&challenge.wanted);
        let challenge = Box::new(challenge);
        let put = Challenging::Put { challenge, wanted };
        stored(self.writer.write(Change::Challenging(Box::new(put))).await)
    }

    pub(in super::super) async fn remove_challenge(
        &self,
        id: PublicId,
        by: UserId,
    ) -> Result<(), StoreError> {
        let remove = Challenging::Remove { id, by };
        let change = Change::Challenging(Box::new(remove));
        stored(self.writer.write(change).await)
    }

    pub(in super::super) async fn accept_challenge(
        &self,
        new: NewMatch,
    ) -> Result<Created, StoreError> {
        self.write_new(new, true).await
    }

    pub(in super::super) async fn challenge(
        &self,
        id: PublicId,
    ) -> Result<Option<ChallengeRow>, StoreError> {
        query("select * from challenges where public_id = ?")
            .bind(String::from(id))
            .try_map(|row| challenge_row(&row))
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)
    }

    pub(in super::super) async fn challenges_of(
        &self,
        team: PublicId,
    ) -> Result<Vec<ChallengeRow>, StoreError> {
        query(
            "select * from challenges where ? in (from_team, to_team)
             order by created_ms desc, public_id desc",
        )
        .bind(String::from(team))
        .try_map(|row| challenge_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn team_matches(
        &self,
        team: PublicId,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamMatchRow>, StoreError> {
        // Nothing is later than the latest time that can be written down.
        let (created_ms, name) = match before {
            None => (i64::MAX, String::new()),
            Some((created_ms, name)) => (created_ms, String::from(name)),
        };
        query(
            "select side, matches.* from team_matches join matches on id = match_id
             where team = ? and (team_matches.created_ms, team_matches.public_id) < (?, ?)
             order by team_matches.created_ms desc, team_matches.public_id desc limit ?",
        )
        .bind(String::from(team))
        .bind(created_ms)
        .bind(name)
        .bind(limit)
        .try_map(|row| {
            Ok(TeamMatchRow {
                side: side(&row, "side")?,
                row: match_row(&row)?,
            })
        })
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn team_results(
        &self,
        team: PublicId,
    ) -> Result<ResultsRow, StoreError> {
        let counted = query(
            "select side, outcome, count(*) as how_many
             from team_matches join matches on id = match_id
             where team = ? and outcome is not null group by side, outcome",
        )
        .bind(String::from(team))
        .try_map(|row| {
            let outcome = outcome(&row, "outcome")?;
            Ok((side(&row, "side")?, outcome, row.try_get("how_many")?))
        })
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)?;
        let mut results = ResultsRow::default();
        for (side, outcome, how_many) in counted {
            if let Some(outcome) = outcome {
                results.count(side, outcome, how_many);
            }
        }
        Ok(results)
    }
}

fn challenge_row(row: &SqliteRow) -> Result<ChallengeRow, Error> {
    let wanted: &str = row.try_get("wanted")?;
    Ok(ChallengeRow {
        id: public_id(row, "public_id")?,
        from: public_id(row, "from_team")?,
        to: public_id(row, "to_team")?,
        side: side(row, "side")?,
        wanted: serde_json::from_str(wanted).map_err(|error| strange("wanted", error))?,
        by: UserId(row.try_get("by_user")?),
        created_ms: row.try_get("created_ms")?,
    })
}
