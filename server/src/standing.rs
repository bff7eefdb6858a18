//! Teams that stand on their own: who is in them, and who leads them.
//!
//! May know teams, people and the hashes of secrets; never a match.

use crate::accounts::{NotMade, code_of};
use crate::ids::{PublicId, SecretHash};
use crate::matches::Declined;
use crate::store::{ResultsRow, Store, StoreError, TeamMemberRow, TeamRow, UserRow};
use crate::text::sound_name;
use crate::world::World;
use mancala_play::{Refusal, TeamRefusal, UserId};
use mancala_protocol::Code;
use mancala_protocol::challenge::TeamResults;
use mancala_protocol::standing::{StandingMember, StandingTeam};

/// Teams that stand on their own.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    store: Store,
    world: World,
}

impl Standing {
    pub(crate) const fn new(store: Store, world: World) -> Standing {
        Standing { store, world }
    }

    /// Founds a team, of which this one is captain.
    ///
    /// # Errors
    /// [`Code::NameTaken`] if another has this name, or one that looks like it, [`Code::Full`] if
    /// he is in as many teams as may be; and if such a name nobody may have.
    pub(crate) async fn found(&self, name: &str, by: UserId) -> Result<StandingTeam, NotMade> {
        let name = sound_name(name)?;
        let World { clock, chance } = &self.world;
        let row = TeamRow {
            id: PublicId::from_number(chance.number()),
            name,
            captain: Some(by),
            link_hash: None,
            created_ms: clock.now_ms(),
        };
        let id = row.id;
        match self.store.found_team(row).await {
            Ok(()) => Ok(self.team(id, Some(by)).await?),
            Err(StoreError::Taken) => Err(Code::NameTaken.into()),
            Err(error) => Err(code_of(&error).into()),
        }
    }

    /// A team as it stands, for whoever sees it.
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`].
    pub(crate) async fn team(
        &self,
        id: PublicId,
        who: Option<UserId>,
    ) -> Result<StandingTeam, Code> {
        let (row, members) = self.rows(id).await?;
        let ids: Vec<UserId> = members.iter().map(|member| member.user).collect();
        let people = self.store.users(&ids).await;
        let people = people.map_err(|error| code_of(&error))?;
        let results = self.store.team_results(id).await;
        let results = results.map_err(|error| code_of(&error))?;
        Ok(view(&row, &members, &people, results, who))
    }

    /// The teams, the newest first, from the one after a place in their list.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamRow>, Code> {
        let teams = self.store.teams(before, limit).await;
        teams.map_err(|error| code_of(&error))
    }

    /// The teams that somebody is in.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn of(&self, user: UserId) -> Result<Vec<TeamRow>, Code> {
        let teams = self.store.teams_of(user).await;
        teams.map_err(|error| code_of(&error))
    }

    /// Gives a team another link, and takes the one back that it had.
    ///
    /// # Errors
    /// Refused to whoever is not its captain.
    pub(crate) async fn make_link(&self, id: PublicId, by: UserId) -> Result<String, Declined> {
        let secret = self.world.chance.secret();
        let hash = SecretHash::of(secret.as_bytes());
        self.set_link(id, by, Some(hash)).await?;
        Ok(secret)
    }

    /// Takes the link of a team back.
    ///
    /// # Errors
    /// Refused to whoever is not its captain.
    pub(crate) async fn remove_link(&self, id: PublicId, by: UserId) -> Result<(), Declined> {
        self.set_link(id, by, None).await
    }

    async fn set_link(
        &self,
        id: PublicId,
        by: UserId,
        hash: Option<SecretHash>,
    ) -> Result<(), Declined> {
        self.rows(id).await?;
        let set = self.store.set_team_link(id, by, hash).await;
        set.map_err(|error| declined(&error, TeamRefusal::NotForYou))
    }

    /// Somebody comes to a team by its link; whoever is in it already is still.
    ///
    /// # Errors
    /// [`Code::BadSecret`] if it is not that of the link; [`Code::Full`] if the team has as many
    /// members, or he as many teams, as may be.
    pub(crate) async fn come(
        &self,
        id: PublicId,
        user: UserId,
        secret: &str,
    ) -> Result<StandingTeam, Code> {
        let (row, members) = self.rows(id).await?;
        if members.iter().all(|member| member.user != user) {
            if row.link_hash != Some(SecretHash::of(secret.as_bytes())) {
                return Err(Code::BadSecret);
            }
            let now_ms = self.world.clock.now_ms();
            let came = self.store.come_to_team(id, user, now_ms).await;
            came.map_err(|error| match error {
                StoreError::Refused => Code::BadSecret,
                error => code_of(&error),
            })?;
        }
        self.team(id, Some(user)).await
    }

    /// A member leaves, or is taken out by the captain.
    ///
    /// # Errors
    /// Refused to others, and where there is no such member.
    pub(crate) async fn leave(
        &self,
        id: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<(), Declined> {
        let refusal = self.why_refused(id, number, by).await?;
        let left = self.store.leave_team(id, number, by).await;
        left.map_err(|error| declined(&error, refusal))
    }

    /// Makes a member the captain.
    ///
    /// # Errors
    /// Refused to whoever is not captain, and where there is no such member.
    pub(crate) async fn lead(
        &self,
        id: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<StandingTeam, Declined> {
        let refusal = self.why_refused(id, number, by).await?;
        let led = self.store.lead_team(id, number, by).await;
        led.map_err(|error| declined(&error, refusal))?;
        Ok(self.team(id, Some(by)).await?)
    }

    /// Why it would be, should the store refuse what somebody asks about a member.
    async fn why_refused(
        &self,
        id: PublicId,
        number: u32,
        by: UserId,
    ) -> Result<TeamRefusal, Code> {
        let (row, members) = self.rows(id).await?;
        let is_there = members.iter().any(|member| member.number == number);
        Ok(if row.captain == Some(by) && !is_there {
            TeamRefusal::NoSuchMember
        } else {
            TeamRefusal::NotForYou
        })
    }

    async fn rows(&self, id: PublicId) -> Result<(TeamRow, Vec<TeamMemberRow>), Code> {
        let found = self.store.team(id).await;
        found
            .map_err(|error| code_of(&error))?
            .ok_or(Code::NoSuchTeam)
    }
}

fn declined(error: &StoreError, refusal: TeamRefusal) -> Declined {
    match error {
        StoreError::Refused => Declined::Refusal(Refusal::from(refusal)),
        error => code_of(error).into(),
    }
}

fn view(
    row: &TeamRow,
    members: &[TeamMemberRow],
    people: &[UserRow],
    results: ResultsRow,
    who: Option<UserId>,
) -> StandingTeam {
    let captain = members
        .iter()
        .find(|member| Some(member.user) == row.captain);
    let name_of = |user| {
        let person = people.iter().find(|person| person.id == user);
        person.map_or("?", |person| &person.name)
    };
    StandingTeam {
        team: row.id,
        name: row.name.clone(),
        captain: captain.map(|captain| captain.number),
        you: members
            .iter()
            .find(|member| Some(member.user) == who)
            .map(|member| member.number),
        members: members
            .iter()
            .map(|member| StandingMember {
                number: member.number,
                name: name_of(member.user).to_owned(),
            })
            .collect(),
        results: TeamResults {
            won: results.won,
            lost: results.lost,
            drawn: results.drawn,
        },
        created_ms: row.created_ms,
    }
}
