//! How people come to matches: who may sit where, by which link, on whose invitation.
//!
//! May know matches as rows, people, and the hashes of secrets; never how a match goes.

use crate::accounts::code_of;
use crate::hub::frame;
use crate::ids::{PublicId, SecretHash};
use crate::limits::{INVITATION_SECONDS, INVITATIONS_BURST};
use crate::meters::Meters;
use crate::online::Online;
use crate::store::{InvitationRow, LinkRow, MatchRow, Store, StoreError, UserRow};
use crate::world::World;
use mancala_engine::Side;
use mancala_play::{Access, UserId};
use mancala_protocol::invite::Invitation;
use mancala_protocol::{Code, PlayerView, ServerMessage};
use parking_lot::Mutex;
use std::sync::Arc;

/// Links and invitations.
#[derive(Clone, Debug)]
pub(crate) struct Joining {
    store: Store,
    world: World,
    online: Online,
    /// How often people have been asked or put somewhere of late, by whom.
    pace: Arc<Mutex<Meters<(UserId, UserId)>>>,
}

impl Joining {
    pub(crate) fn new(store: Store, world: World, online: Online) -> Joining {
        Joining {
            store,
            world,
            online,
            pace: Arc::new(Mutex::new(Meters::new(
                INVITATION_SECONDS,
                INVITATIONS_BURST,
            ))),
        }
    }

    /// May somebody come to this side, as far as it is not for the match to say?
    ///
    /// # Errors
    /// [`Code::BadSecret`] if the match is joined by link, and he is neither who made it, nor
    /// invited to this side, nor has the secret of it or of this side;
    /// [`Code::MembersOnly`] if a team that stands on its own plays it, and he is not in that.
    pub(crate) async fn admits(
        &self,
        row: &MatchRow,
        user: UserId,
        side: Side,
        secret: Option<&str>,
    ) -> Result<(), Code> {
        let teams = row.spec.teams.as_ref();
        if let Some(standing) = teams.and_then(|teams| teams.standing) {
            let team = PublicId::from_number(standing[side]);
            let team = self.store.team(team).await;
            let is_in = team
                .map_err(|error| code_of(&error))?
                .is_some_and(|(_, members)| members.iter().any(|member| member.user == user));
            return is_in.then_some(()).ok_or(Code::MembersOnly);
        }
        if row.access == Access::Public || row.host() == Some(user) {
            return Ok(());
        }
        let invitation = self.store.invitation(row.id, user).await;
        if invitation
            .map_err(|error| code_of(&error))?
            .is_some_and(|invitation| invitation.side == side)
        {
            return Ok(());
        }
        let secret = SecretHash::of(secret.ok_or(Code::BadSecret)?.as_bytes());
        if row.link_hash == Some(secret) {
            return Ok(());
        }
        let link = self
            .store
            .link(secret)
            .await
            .map_err(|error| code_of(&error))?;
        match link {
            Some(link) if link.match_id == row.id && link.side == side => Ok(()),
            _ => Err(Code::BadSecret),
        }
    }

    /// Makes a link to a side of a match: its secret, which is shown this once.
    ///
    /// # Errors
    /// [`Code::Full`] if there are as many as may be.
    pub(crate) async fn make_link(
        &self,
        row: &MatchRow,
        side: Side,
        made_by: UserId,
    ) -> Result<String, Code> {
        let secret = self.world.chance.secret();
        let link = LinkRow {
            hash: SecretHash::of(secret.as_bytes()),
            match_id: row.id,
            side,
            made_by,
            created_ms: self.world.clock.now_ms(),
        };
        let put = self.store.put_link(link).await;
        put.map_err(|error| code_of(&error))?;
        Ok(secret)
    }

    /// Takes all links to a side back.
    ///
    /// # Errors
    /// If the store does not take it.
    pub(crate) async fn remove_links(&self, row: &MatchRow, side: Side) -> Result<(), Code> {
        let removed = self.store.remove_links(row.id, side).await;
        removed.map_err(|error| code_of(&error))
    }

    /// Asks somebody to come to a side, and tells him on every socket of his; what he has been
    /// asked already he is not told again.
    ///
    /// # Errors
    /// [`Code::Full`] if as many are invited as may be; [`Code::InvitedAlready`] if somebody
    /// else has invited him to the other side.
    pub(crate) async fn invite(
        &self,
        row: &MatchRow,
        side: Side,
        person: UserId,
        by: &UserRow,
    ) -> Result<Invitation, Code> {
        let invitation = InvitationRow {
            match_id: row.id,
            user: person,
            side,
            by: by.id,
            created_ms: self.world.clock.now_ms(),
        };
        let before = self.store.invitation(row.id, person).await;
        let before = before.map_err(|error| code_of(&error))?;
        if let Some(before) = before.filter(|before| (before.side, before.by) == (side, by.id)) {
            // He knows it.
            return Ok(view(&before, row, &by.name));
        }
        self.ensure_pace(by.id, person)?;
        let told = view(&invitation, row, &by.name);
        let kept = self.store.invite(invitation).await;
        kept.map_err(|error| match error {
            StoreError::Taken => Code::InvitedAlready,
            error => code_of(&error),
        })?;
        let message = ServerMessage::Invited {
            invitation: told.clone(),
        };
        self.online.tell(person, &frame(&message));
        Ok(told)
    }

    /// May somebody be asked, or put into a seat, by the same other person once more now?
    ///
    /// # Errors
    /// [`Code::SlowDown`] if he was often of late.
    pub(crate) fn ensure_pace(&self, by: UserId, person: UserId) -> Result<(), Code> {
        let may = self.pace.lock().take((by, person));
        may.then_some(()).ok_or(Code::SlowDown)
    }

    /// Tells somebody, on every socket of his, that he has been put into a seat.
    pub(crate) fn tell_put(&self, row: &MatchRow, side: Side, person: UserId, by: &UserRow) {
        let invitation = InvitationRow {
            match_id: row.id,
            user: person,
            side,
            by: by.id,
            created_ms: self.world.clock.now_ms(),
        };
        let mut invitation = view(&invitation, row, &by.name);
        invitation.seated = true;
        let message = ServerMessage::Invited { invitation };
        self.online.tell(person, &frame(&message));
    }

    /// To which side somebody is invited, if he is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn side_of(
        &self,
        row: &MatchRow,
        person: UserId,
    ) -> Result<Option<Side>, Code> {
        let found = self.store.invitation(row.id, person).await;
        let found = found.map_err(|error| code_of(&error))?;
        Ok(found.map(|invitation| invitation.side))
    }

    /// Takes an invitation back, if there is one; or it is declined, or has led to a seat.
    ///
    /// # Errors
    /// If the store does not take it.
    pub(crate) async fn uninvite(&self, row: &MatchRow, person: UserId) -> Result<(), Code> {
        let removed = self.store.uninvite(row.id, person).await;
        removed.map_err(|error| code_of(&error))
    }

    /// Somebody's invitations to matches that are not over, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn invitations_of(&self, user: UserId) -> Result<Vec<Invitation>, Code> {
        let invitations = self.store.invitations_of(user).await;
        let invitations = invitations.map_err(|error| code_of(&error))?;
        let hosts: Vec<UserId> = invitations.iter().map(|(row, _)| row.by).collect();
        let hosts = self.store.users(&hosts).await;
        let hosts = hosts.map_err(|error| code_of(&error))?;
        let name_of = |id| hosts.iter().find(|host| host.id == id);
        Ok(invitations
            .iter()
            .map(|(invitation, row)| {
                let by = name_of(invitation.by).map_or("?", |host| &host.name);
                view(invitation, row, by)
            })
            .collect())
    }
}

fn view(invitation: &InvitationRow, row: &MatchRow, by: &str) -> Invitation {
    Invitation {
        r#match: row.public_id,
        game: row.spec.options.mancala().key().to_owned(),
        side: invitation.side,
        by: PlayerView {
            name: by.to_owned(),
        },
        created_ms: invitation.created_ms,
        seated: false,
    }
}
