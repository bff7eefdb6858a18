//! How people come to matches: links and invitations, and the SQL for them.

use super::super::{InvitationRow, LinkRow, MatchRow, StoreError};
use super::change::{Answer, Changes};
use super::columns::{match_id, match_row, side, strange};
use super::read::unreadable;
use super::{Change, Sqlite, stored};
use crate::ids::SecretHash;
use crate::limits::{INVITATIONS_A_MATCH, INVITATIONS_A_PERSON, INVITATIONS_BY_ONE, LINKS_A_MATCH};
use mancala_engine::Side;
use mancala_play::{MatchId, UserId};
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, query};

/// Something to be written of how people come.
#[derive(Debug)]
pub(super) enum Joining {
    PutLink(LinkRow),
    RemoveLinks { id: MatchId, side: Side },
    Invite(InvitationRow),
    Uninvite { id: MatchId, user: UserId },
}

impl Changes<'_, '_> {
    pub(super) async fn join(&mut self, joining: &Joining) -> Result<Answer, Error> {
        match joining {
            Joining::PutLink(link) => self.put_link(link).await,
            Joining::RemoveLinks { id, side } => {
                let remove = query("delete from links where match_id = ? and side = ?");
                self.done(remove.bind(id.0).bind(side.to_string())).await
            }
            Joining::Invite(invitation) => self.invite(invitation).await,
            Joining::Uninvite { id, user } => {
                let remove = query("delete from invitations where match_id = ? and user_id = ?");
                self.done(remove.bind(id.0).bind(user.0)).await
            }
        }
    }

    async fn put_link(&mut self, link: &LinkRow) -> Result<Answer, Error> {
        let insert = query(
            "insert into links (hash, match_id, side, made_by, created_ms)
             select ?1, ?2, ?3, ?4, ?5
             where (select count(*) from links where match_id = ?2) < ?6",
        )
        .bind(&link.hash.0[..])
        .bind(link.match_id.0)
        .bind(link.side.to_string())
        .bind(link.made_by.0)
        .bind(link.created_ms)
        .bind(LINKS_A_MATCH);
        self.unless_full(insert).await
    }

    async fn invite(&mut self, invitation: &InvitationRow) -> Result<Answer, Error> {
        let before = query(
            "select 1 from invitations
             where user_id = ? and match_id = ? and side <> ? and invited_by <> ?",
        )
        .bind(invitation.user.0)
        .bind(invitation.match_id.0)
        .bind(invitation.side.to_string())
        .bind(invitation.by.0)
        .fetch_optional(self.connection().await?)
        .await?;
        if before.is_some() {
            return Ok(Answer::Clash);
        }
        let insert = query(
            "with others as (select invited_by from invitations
                join matches on id = match_id
                where user_id = ?1 and match_id <> ?2
                    and stage <> 'over' and set_aside is null)
             insert into invitations (user_id, match_id, side, invited_by, created_ms)
             select ?1, ?2, ?3, ?4, ?5
             where (select count(*) from invitations
                    where match_id = ?2 and user_id <> ?1) < ?6
               and (select count(*) from others) < ?7
               and (select count(*) from others where invited_by = ?4) < ?8
             on conflict (user_id, match_id) do update
             set side = excluded.side, invited_by = excluded.invited_by,
                 created_ms = excluded.created_ms",
        )
        .bind(invitation.user.0)
        .bind(invitation.match_id.0)
        .bind(invitation.side.to_string())
        .bind(invitation.by.0)
        .bind(invitation.created_ms)
        .bind(INVITATIONS_A_MATCH)
        .bind(INVITATIONS_A_PERSON)
        .bind(INVITATIONS_BY_ONE);
        self.unless_full(insert).await
    }
}

impl Sqlite {
    async fn write_joining(&self, joining: Joining) -> Result<(), StoreError> {
        let change = Change::Joining(Box::new(joining));
        stored(self.writer.write(change).await)
    }

    pub(in super::super) async fn put_link(&self, link: LinkRow) -> Result<(), StoreError> {
        self.write_joining(Joining::PutLink(link)).await
    }

    pub(in super::super) async fn remove_links(
        &self,
        id: MatchId,
        side: Side,
    ) -> Result<(), StoreError> {
        self.write_joining(Joining::RemoveLinks { id, side }).await
    }

    pub(in super::super) async fn invite(
        &self,
        invitation: InvitationRow,
    ) -> Result<(), StoreError> {
        self.write_joining(Joining::Invite(invitation)).await
    }

    pub(in super::super) async fn uninvite(
        &self,
        id: MatchId,
        user: UserId,
    ) -> Result<(), StoreError> {
        self.write_joining(Joining::Uninvite { id, user }).await
    }

    pub(in super::super) async fn link(
        &self,
        hash: SecretHash,
    ) -> Result<Option<LinkRow>, StoreError> {
        query("select * from links where hash = ?")
            .bind(&hash.0[..])
            .try_map(|row| link_row(&row))
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)
    }

    pub(in super::super) async fn invitation(
        &self,
        id: MatchId,
        user: UserId,
    ) -> Result<Option<InvitationRow>, StoreError> {
        query("select * from invitations where user_id = ? and match_id = ?")
            .bind(user.0)
            .bind(id.0)
            .try_map(|row| invitation_row(&row))
            .fetch_optional(&self.readers)
            .await
            .map_err(unreadable)
    }

    pub(in super::super) async fn invitations_of(
        &self,
        user: UserId,
    ) -> Result<Vec<(InvitationRow, MatchRow)>, StoreError> {
        // What both tables have by the same name is asked for once more, under its own.
        query(
            "select matches.*, user_id, match_id, side, invited_by,
                invitations.created_ms as invited_ms
             from invitations join matches on id = match_id
             where user_id = ? and stage <> 'over' and matches.set_aside is null
             order by invited_ms desc, match_id",
        )
        .bind(user.0)
        .try_map(|row| {
            let invitation = InvitationRow {
                created_ms: row.try_get("invited_ms")?,
                ..invitation_row(&row)?
            };
            Ok((invitation, match_row(&row)?))
        })
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }
}

fn link_row(row: &SqliteRow) -> Result<LinkRow, Error> {
    let hash: &[u8] = row.try_get("hash")?;
    let hash = hash.try_into().map_err(|error| strange("hash", error))?;
    Ok(LinkRow {
        hash: SecretHash(hash),
        match_id: match_id(row, "match_id")?,
        side: side(row, "side")?,
        made_by: UserId(row.try_get("made_by")?),
        created_ms: row.try_get("created_ms")?,
    })
}

fn invitation_row(row: &SqliteRow) -> Result<InvitationRow, Error> {
    Ok(InvitationRow {
        match_id: match_id(row, "match_id")?,
        user: UserId(row.try_get("user_id")?),
        side: side(row, "side")?,
        by: UserId(row.try_get("invited_by")?),
        created_ms: row.try_get("created_ms")?,
    })
}
