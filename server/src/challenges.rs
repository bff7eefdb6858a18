//! Challenges between the teams that stand on their own, and the matches that come of them.
//!
//! May know teams, people, and matches as rows; never how a match goes.

use crate::accounts::code_of;
use crate::hub::frame;
use crate::ids::PublicId;
use crate::limits::{CHALLENGE_SECONDS, CHALLENGES_BURST};
use crate::matches::Declined;
use crate::meters::Meters;
use crate::online::Online;
use crate::store::{ChallengeRow, MatchRow, Outcome, StageRow, Store, StoreError};
use crate::store::{TeamMatchRow, TeamMemberRow, TeamRow, UserRow};
use crate::world::World;
use mancala_engine::{BySide, Side};
use mancala_play::{Refusal, TeamRefusal, UserId};
use mancala_protocol::challenge::{
    ChallengeState, NewTeamChallenge, TeamChallenge, TeamMatch, TeamNamed, TeamResult,
};
use mancala_protocol::{Code, PlayerView, ServerMessage, StageView};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The challenges between teams.
#[derive(Clone, Debug)]
pub(crate) struct Challenges {
    store: Store,
    world: World,
    online: Online,
    /// How many challenges people have made of late.
    pace: Arc<Mutex<Meters>>,
}

/// A team and who is in it.
type TeamRows = (TeamRow, Vec<TeamMemberRow>);

/// What has become of a challenge, and who is to be told.
#[derive(Debug)]
pub(crate) struct Told {
    challenge: TeamChallenge,
    members: BTreeSet<UserId>,
}

impl Challenges {
    pub(crate) fn new(store: Store, world: World, online: Online) -> Challenges {
        Challenges {
            store,
            world,
            online,
            pace: Arc::new(Mutex::new(Meters::new(CHALLENGE_SECONDS, CHALLENGES_BURST))),
        }
    }

    /// The two teams by the sides that they would play.
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`] if one is not there.
    pub(crate) async fn sides(
        &self,
        from: PublicId,
        to: PublicId,
        side: Side,
    ) -> Result<BySide<TeamRow>, Code> {
        let ((from, _), (to, _)) = (self.team(from).await?, self.team(to).await?);
        Ok(match side {
            Side::South => BySide {
                south: from,
                north: to,
            },
            Side::North => BySide {
                south: to,
                north: from,
            },
        })
    }

    /// A captain challenges another team, of which all members are told, as are those of his
    /// own. The same challenge that waits already is the same.
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`], also where all have left it; [`Code::Full`] if another challenge of the one to the other waits,
    /// or as many as may be; [`Code::SlowDown`] after many; refused to whoever is not captain of the team that challenges.
    pub(crate) async fn challenge(
        &self,
        to: PublicId,
        wanted: NewTeamChallenge,
        by: &UserRow,
    ) -> Result<TeamChallenge, Declined> {
        let teams = (self.team(wanted.from).await?, self.team(to).await?);
        if teams.1.0.captain.is_none() {
            // Nobody is there who could answer.
            return Err(Code::NoSuchTeam.into());
        }
        if !self.pace.lock().take(by.id) {
            return Err(Code::SlowDown.into());
        }
        let row = ChallengeRow {
            id: PublicId::from_number(self.world.chance.number()),
            from: wanted.from,
            to,
            side: wanted.side.map_or(Side::South, Side::from),
            wanted: wanted.wanted,
            by: by.id,
            created_ms: self.world.clock.now_ms(),
        };
        match self.store.put_challenge(row.clone()).await {
            Ok(()) => {}
            Err(StoreError::Full) => {
                let waits = self.store.challenges_of(row.from).await;
                let waits = waits.map_err(|error| code_of(&error))?;
                let same = |other: &&ChallengeRow| {
                    (other.to, other.side, other.by) == (row.to, row.side, row.by)
                        && other.wanted == row.wanted
                };
                let same = waits.iter().find(same).ok_or(Code::Full)?;
                return Ok(view(same, &teams, &by.name, ChallengeState::Open));
            }
            Err(error) => return Err(declined(&error)),
        }
        let challenge = view(&row, &teams, &by.name, ChallengeState::Open);
        self.tell(Told::of(challenge.clone(), &teams));
        Ok(challenge)
    }

    /// Is he captain of this team?
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`].
    pub(crate) async fn leads(&self, team: PublicId, user: UserId) -> Result<bool, Code> {
        Ok(self.team(team).await?.0.captain == Some(user))
    }

    /// The challenges from and to a team that wait for an answer, the newest first.
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`]; refused to whoever is not in the team.
    pub(crate) async fn of(
        &self,
        team: PublicId,
        who: UserId,
    ) -> Result<Vec<TeamChallenge>, Declined> {
        let (_, members) = self.team(team).await?;
        if members.iter().all(|member| member.user != who) {
            return Err(not_for_you());
        }
        let rows = self.store.challenges_of(team).await;
        let rows = rows.map_err(|error| code_of(&error))?;
        let mut challenges = Vec::with_capacity(rows.len());
        for row in rows {
            let told = self.told(&row, |_| ChallengeState::Open).await?;
            challenges.push(told.challenge);
        }
        Ok(challenges)
    }

    /// A challenge that waits for an answer, from or to this team.
    ///
    /// # Errors
    /// [`Code::NoSuchChallenge`] if none of this name does.
    pub(crate) async fn waiting(&self, team: PublicId, id: PublicId) -> Result<ChallengeRow, Code> {
        self.team(team).await?;
        let found = self.store.challenge(id).await;
        found
            .map_err(|error| code_of(&error))?
            .filter(|row| [row.from, row.to].contains(&team))
            .ok_or(Code::NoSuchChallenge)
    }

    /// The captain of the one team declines, or that of the other takes back; all members are
    /// told.
    ///
    /// # Errors
    /// As [`Challenges::waiting`]; refused to whoever is captain of neither.
    pub(crate) async fn end(
        &self,
        team: PublicId,
        id: PublicId,
        by: UserId,
    ) -> Result<(), Declined> {
        let row = self.waiting(team, id).await?;
        // Read before it is done, so that nothing that is done is answered as if it were not.
        let state = |to: &TeamRow| match to.captain {
            Some(captain) if captain == by => ChallengeState::Declined,
            _ => ChallengeState::Withdrawn,
        };
        let told = self.told(&row, state).await?;
        match self.store.remove_challenge(id, by).await {
            Ok(()) => {
                self.tell(told);
                Ok(())
            }
            Err(error) => {
                // It may have been answered since it was read.
                self.waiting(team, id).await?;
                Err(declined(&error))
            }
        }
    }

    /// What all members of both teams are to be told once the match is made.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn accepted(&self, row: &ChallengeRow) -> Result<Told, Code> {
        self.told(row, |_| ChallengeState::Accepted).await
    }

    /// Tells the members of both teams, on all their sockets.
    pub(crate) fn tell(&self, Told { challenge, members }: Told) {
        let message = frame(&ServerMessage::TeamChallenge { challenge });
        for user in members {
            self.online.tell(user, &message);
        }
    }

    /// The matches of a team, the newest first, from the one after a place in their list.
    ///
    /// # Errors
    /// [`Code::NoSuchTeam`].
    pub(crate) async fn matches(
        &self,
        team: PublicId,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<TeamMatch>, Code> {
        self.team(team).await?;
        let rows = self.store.team_matches(team, before, limit).await;
        let rows = rows.map_err(|error| code_of(&error))?;
        Ok(rows.iter().filter_map(played).collect())
    }

    async fn told(
        &self,
        row: &ChallengeRow,
        state: impl FnOnce(&TeamRow) -> ChallengeState,
    ) -> Result<Told, Code> {
        let teams = (self.team(row.from).await?, self.team(row.to).await?);
        let by = self.store.users(&[row.by]).await;
        let by = by.map_err(|error| code_of(&error))?;
        let by = by.first().map_or("?", |user| &user.name);
        let challenge = view(row, &teams, by, state(&teams.1.0));
        Ok(Told::of(challenge, &teams))
    }

    async fn team(&self, id: PublicId) -> Result<TeamRows, Code> {
        let found = self.store.team(id).await;
        found
            .map_err(|error| code_of(&error))?
            .ok_or(Code::NoSuchTeam)
    }
}

impl Told {
    /// To all in either team; whoever is in both is told once.
    fn of(challenge: TeamChallenge, (from, to): &(TeamRows, TeamRows)) -> Told {
        let members = from.1.iter().chain(&to.1);
        Told {
            challenge,
            members: members.map(|member| member.user).collect(),
        }
    }
}

fn view(
    row: &ChallengeRow,
    (from, to): &(TeamRows, TeamRows),
    by: &str,
    state: ChallengeState,
) -> TeamChallenge {
    let named = |(team, _): &TeamRows| TeamNamed {
        team: team.id,
        name: team.name.clone(),
    };
    TeamChallenge {
        challenge: row.id,
        from: named(from),
        to: named(to),
        side: row.side,
        wanted: row.wanted.clone(),
        by: PlayerView {
            name: by.to_owned(),
        },
        created_ms: row.created_ms,
        state,
    }
}

/// A match as a team had it; none, if it is no match of two teams that stand on their own.
fn played(TeamMatchRow { side, row }: &TeamMatchRow) -> Option<TeamMatch> {
    let teams = row.spec.teams.as_ref()?;
    let other = side.other();
    let name = teams.names[other].as_ref();
    Some(TeamMatch {
        r#match: row.public_id,
        game: row.spec.options.mancala().key().to_owned(),
        format: row.spec.format.to_string(),
        clock: row.spec.clock,
        stage: stage(row),
        side: *side,
        against: TeamNamed {
            team: PublicId::from_number(teams.standing?[other]),
            name: name.map_or("?", |name| name.as_str()).to_owned(),
        },
        result: row.outcome.map(|outcome| match outcome {
            Outcome::Won(winner) if winner == *side => TeamResult::Won,
            Outcome::Won(_) => TeamResult::Lost,
            Outcome::Drawn => TeamResult::Drawn,
            Outcome::Void => TeamResult::Void,
        }),
        created_ms: row.created_ms,
    })
}

/// How far a match has come, as it is told.
pub(crate) const fn stage(row: &MatchRow) -> StageView {
    match row.stage {
        StageRow::Gathering => StageView::Gathering,
        StageRow::Playing => StageView::Playing,
        StageRow::Over => StageView::Over,
    }
}

fn declined(error: &StoreError) -> Declined {
    match error {
        StoreError::Refused => not_for_you(),
        error => code_of(error).into(),
    }
}

fn not_for_you() -> Declined {
    Refusal::from(TeamRefusal::NotForYou).into()
}
