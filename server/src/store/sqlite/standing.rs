//! Teams that stand on their own, and the SQL for them.

use super::super::{StoreError, TeamMemberRow, TeamRow};
use super::change::{Answer, Changes};
use super::columns::{public_id, strange};
use super::read::unreadable;
use super::{Change, Sqlite, stored};
use crate::ids::{PublicId, SecretHash};
use crate::limits::{FOUNDINGS_COUNTED_MS, MEMBERS_A_TEAM, TEAMS_A_PERSON, TEAMS_FOUNDED_A_DAY};
use crate::text::keys;
use mancala_play::UserId;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Connection as _, Error, Row, query, query_as, query_scalar};

/// Something to be written of a team.
#[derive(Debug)]
pub(super) enum Standing {
    Found(TeamRow),
    Link {
        team: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    },
    Come {
        team: PublicId,
        user: UserId,
        at_ms: i64,
    },
    Leave {
        team: PublicId,
        number: u32,
        by: UserId,
    },
    Lead {
        team: PublicId,
        number: u32,
        by: UserId,
    },
}

impl Changes<'_, '_> {
    pub(super) async fn stand(&mut self, standing: &Standing) -> Result<Answer, Error> {
        match standing {
            Standing::Found(team) => self.found(team).await,
            Standing::Link { team, by, hash } => self.set_link(*team, *by, *hash).await,
            Standing::Come { team, user, at_ms } => self.come(*team, *user, *at_ms).await,
            Standing::Leave { team, number, by } => self.leave(*team, *number, *by).await,
            Standing::Lead { team, number, by } => self.lead(*team, *number, *by).await,
        }
    }

    async fn found(&mut self, team: &TeamRow) -> Result<Answer, Error> {
        let Some(captain) = team.captain else {
            return Ok(Answer::Clash);
        };
        let founded: u32 =
            query_scalar("select count(*) from teams where founded_by = ? and created_ms > ?")
                .bind(captain.0)
                .bind(team.created_ms.saturating_sub(FOUNDINGS_COUNTED_MS))
                .fetch_one(self.connection().await?)
                .await?;
        if founded >= TEAMS_FOUNDED_A_DAY || self.teams_of(captain).await? >= TEAMS_A_PERSON {
            return Ok(Answer::Full);
        }
        let looks = keys(&team.name);
        for look in &looks {
            let taken: bool =
                query_scalar("select exists (select 1 from team_names where look = ?)")
                    .bind(look.as_str())
                    .fetch_one(self.connection().await?)
                    .await?;
            if taken {
                return Ok(Answer::Clash);
            }
        }
        let insert = query(
            "insert into teams (public_id, name, captain, founded_by, came, created_ms)
             values (?1, ?2, ?3, ?3, 0, ?4)
             on conflict do nothing",
        )
        .bind(String::from(team.id))
        .bind(team.name.as_str())
        .bind(captain.0)
        .bind(team.created_ms);
        if self.rows_of(insert).await? == 0 {
            return Ok(Answer::Clash);
        }
        for look in looks {
            let insert = query("insert into team_names (look, team) values (?, ?)")
                .bind(look)
                .bind(String::from(team.id));
            self.done(insert).await?;
        }
        self.add_member(team.id, captain, team.created_ms).await
    }

    async fn set_link(
        &mut self,
        team: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    ) -> Result<Answer, Error> {
        let update = query("update teams set link_hash = ? where public_id = ? and captain = ?")
            .bind(hash.map(|hash| hash.0.to_vec()))
            .bind(String::from(team))
            .bind(by.0);
        self.unless_refused(update).await
    }

    async fn come(&mut self, team: PublicId, user: UserId, at_ms: i64) -> Result<Answer, Error> {
        let members: i64 = query_scalar("select count(*) from team_members where team = ?")
            .bind(String::from(team))
            .fetch_one(self.connection().await?)
            .await?;
        let is_one: i64 =
            query_scalar("select count(*) from team_members where team = ? and user_id = ?")
                .bind(String::from(team))
                .bind(user.0)
                .fetch_one(self.connection().await?)
                .await?;
        if is_one > 0 {
            return Ok(Answer::Done);
        }
        if members == 0 {
            return Ok(Answer::Refused);
        }
        if members >= MEMBERS_A_TEAM.into() || self.teams_of(user).await? >= TEAMS_A_PERSON {
            return Ok(Answer::Full);
        }
        self.add_member(team, user, at_ms).await
    }

    async fn add_member(
        &mut self,
        team: PublicId,
        user: UserId,
        at_ms: i64,
    ) -> Result<Answer, Error> {
        let count = query(
            "update teams set came = came + 1, captain = coalesce(captain, ?)
             where public_id = ?",
        )
        .bind(user.0)
        .bind(String::from(team));
        self.done(count).await?;
        let insert = query(
            "insert into team_members (team, user_id, number, came_ms)
             select public_id, ?, came, ? from teams where public_id = ?",
        )
        .bind(user.0)
        .bind(at_ms)
        .bind(String::from(team));
        self.done(insert).await
    }

    /// A member leaves, or is taken out by the captain; where he was captain, whoever has been
    /// there longest is. Whoever is taken out, or led the team, knows the link, which admits
    /// nobody from then on. The name of a team that all have left is free again, and nobody waits
    /// for its answer.
    async fn leave(&mut self, team: PublicId, number: u32, by: UserId) -> Result<Answer, Error> {
        let delete = query(
            "delete from team_members where team = ?1 and number = ?2
                and (user_id = ?3 or (select captain from teams where public_id = ?1) = ?3)",
        )
        .bind(String::from(team))
        .bind(number)
        .bind(by.0);
        if self.rows_of(delete).await? == 0 {
            return Ok(Answer::Refused);
        }
        let lapse = query("update teams set link_hash = null where public_id = ? and captain = ?")
            .bind(String::from(team))
            .bind(by.0);
        self.done(lapse).await?;
        let succeed = query(
            "update teams set captain = (select user_id from team_members
                where team = ?1 order by number limit 1)
             where public_id = ?1
                and captain not in (select user_id from team_members where team = ?1)",
        )
        .bind(String::from(team));
        self.done(succeed).await?;
        let free = query(
            "delete from team_names where team = ?1
                and (select captain from teams where public_id = ?1) is null",
        )
        .bind(String::from(team));
        self.done(free).await?;
        let answer = query(
            "delete from challenges where ?1 in (from_team, to_team)
                and (select captain from teams where public_id = ?1) is null",
        )
        .bind(String::from(team));
        self.done(answer).await
    }

    async fn lead(&mut self, team: PublicId, number: u32, by: UserId) -> Result<Answer, Error> {
        let update = query(
            "update teams set link_hash = null, captain = (select user_id from team_members
                where team = ?1 and number = ?2)
             where public_id = ?1 and captain = ?3
                and exists (select 1 from team_members where team = ?1 and number = ?2)",
        )
        .bind(String::from(team))
        .bind(number)
        .bind(by.0);
        self.unless_refused(update).await
    }

    async fn teams_of(&mut self, user: UserId) -> Result<u32, Error> {
        query_scalar("select count(*) from team_members where user_id = ?")
            .bind(user.0)
            .fetch_one(self.connection().await?)
            .await
    }
}

/// Gives the teams that have none yet what their names are told apart by. Where one looks like an
/// older one, which was possible once, that keeps it.
pub(super) async fn name_teams(connection: &mut SqliteConnection) -> Result<(), Error> {
    let mut transaction = connection.begin().await?;
    let unnamed: Vec<(String, String)> = query_as(
        "select public_id, name from teams
         where captain is not null
            and not exists (select 1 from team_names where team = public_id)
         order by created_ms, public_id",
    )
    .fetch_all(&mut *transaction)
    .await?;
    for (team, name) in unnamed {
        for look in keys(&name) {
            query("insert into team_names (look, team) values (?, ?) on conflict do nothing")
                .bind(look)
                .bind(team.as_str())
                .execute(&mut *transaction)
                .await?;
        }
    }
    transaction.commit().await
}

impl Sqlite {
    pub(super) async fn write_standing(&self, standing: Standing) -> Result<(), StoreError> {
        let change = Change::Standing(Box::new(standing));
        stored(self.writer.write(change).await)
    }

    pub(in super::super) async fn found_team(&self, team: TeamRow) -> Result<(), StoreError> {
        self.write_standing(Standing::Found(team)).await
    }

    pub(in super::super) async fn set_team_link(
        &self,
        team: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    ) -> Result<(), StoreError> {
        self.write_standing(Standing::Link { team, by, hash }).await
    }

    pub(in super::super) async fn come_to_team(
        &self,
        team: PublicId,
        user: UserId,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        self.write_standing(Standing::Come { team, user, at_ms })
            .await
    }

    pub(in super::super) async fn leave_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        self.write_standing(Standing::Leave { team, number, by })
            .await
    }

    pub(in super::super) async fn lead_team(
        &self,
        team: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), StoreError> {
        self.write_standing(Standing::Lead { team, number, by })
            .await
    }

    pub(in super::super) async fn team(
        &self,
        team: PublicId,
    ) -> Result<Option<(TeamRow, Vec<TeamMemberRow>)>, StoreError> {
        let found = query("select * from teams where public_id = ?")
            .bind(String::from(team))
            .try_map(|row| team_row(&row))
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)?;
        let Some(found) = found else {
            return Ok(None);
        };
        let members = query("select * from team_members where team = ? order by number")
            .bind(String::from(team))
            .try_map(|row| member_row(&row))
            .fetch_all(&self.readers)
            .await
            .map_err(unreadable)?;
        Ok(Some((found, members)))
    }

    pub(in super::super) async fn teams(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamRow>, StoreError> {
        // Nothing is later than the latest time that can be written down.
        let (created_ms, public_id) = match before {
            None => (i64::MAX, String::new()),
            Some((created_ms, team)) => (created_ms, String::from(team)),
        };
        query(
            "select * from teams where captain is not null
                and (created_ms, public_id) < (?, ?)
             order by created_ms desc, public_id desc limit ?",
        )
        .bind(created_ms)
        .bind(public_id)
        .bind(limit)
        .try_map(|row| team_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn teams_of(
        &self,
        user: UserId,
    ) -> Result<Vec<TeamRow>, StoreError> {
        query(
            "select teams.* from team_members join teams on public_id = team
             where user_id = ? order by created_ms desc, public_id desc",
        )
        .bind(user.0)
        .try_map(|row| team_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }
}

fn team_row(row: &SqliteRow) -> Result<TeamRow, Error> {
    let link_hash: Option<&[u8]> = row.try_get("link_hash")?;
    let link_hash = link_hash.map(|bytes| bytes.try_into().map(SecretHash));
    let captain: Option<uuid::Uuid> = row.try_get("captain")?;
    Ok(TeamRow {
        id: public_id(row, "public_id")?,
        name: row.try_get("name")?,
        captain: captain.map(UserId),
        link_hash: link_hash
            .transpose()
            .map_err(|error| strange("link_hash", error))?,
        created_ms: row.try_get("created_ms")?,
    })
}

fn member_row(row: &SqliteRow) -> Result<TeamMemberRow, Error> {
    Ok(TeamMemberRow {
        number: row.try_get("number")?,
        user: UserId(row.try_get("user_id")?),
        came_ms: row.try_get("came_ms")?,
    })
}
