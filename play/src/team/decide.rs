//! What somebody asks of a team leads to.

use super::{
    Decides, PROPOSALS_A_MEMBER_MAX, Person, Speaks, Team, TeamEvent, TeamRefusal, TeamRequest,
    TeamsSpec, Told, WAITING_MAX,
};
use crate::key::content_of_request;
use crate::{Asked, Context, Decision, Event, Key, Match, Refusal, Request, Roster, Stage, UserId};
use mancala_engine::{Action, BySide, Side};

/// A team, and what is agreed about it.
struct Of<'a> {
    team: &'a Team,
    spec: &'a TeamsSpec,
    side: Side,
}

impl Match {
    /// Somebody comes to a team: takes a free seat, or waits for one.
    pub(crate) fn decide_come(
        &self,
        user: UserId,
        side: Side,
        asked_for: bool,
    ) -> Result<TeamEvent, Refusal> {
        let of = self.of(side)?;
        if let Stage::Over { .. } = self.stage {
            return Err(Refusal::MatchOver);
        }
        if self.team_of(user).is_some() {
            return Err(TeamRefusal::AlreadyInTeam.into());
        }
        if self.is_rival(user, side) {
            return Err(TeamRefusal::WasInOtherTeam.into());
        }
        let roster = &of.team.roster;
        if roster.was_taken_out(user) && !asked_for {
            return Err(TeamRefusal::TakenOut.into());
        }
        if !roster.may_arrive(user) {
            return Err(TeamRefusal::ArrivalsOver.into());
        }
        if roster.seats().len() < of.spec.seats[side].into() {
            Ok(TeamEvent::Came { user })
        } else if roster.waiting().len() < WAITING_MAX {
            Ok(TeamEvent::Waits { user })
        } else {
            Err(TeamRefusal::WaitingFull.into())
        }
    }

    /// Does this user play against the team of this side: is he in the other one, or was last,
    /// now that the match has begun?
    #[must_use]
    pub fn is_rival(&self, user: UserId, side: Side) -> bool {
        let has_begun = !matches!(self.stage, Stage::Gathering);
        let other = self.teams().map(|teams| teams[side.other()].roster());
        let plays = |roster: &Roster| roster.knows(user) || roster.was_last_of(user);
        has_begun && other.is_some_and(plays)
    }

    /// What a command to a team leads to: the own one, or the one that the host names.
    pub(crate) fn decide_team(
        &self,
        user: UserId,
        side: Option<Side>,
        request: &TeamRequest,
        key: &Key,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        let spec = self.spec.teams.as_ref().ok_or(TeamRefusal::NoTeams)?;
        let own = self.team_of(user);
        // Whoever has left by this very command is in the team no more.
        let had = |side: &Side| self.receipt(*side, user, key).is_some();
        let side = side.or(own).or_else(|| Side::ALL.into_iter().find(had));
        let side = side.ok_or(Refusal::NotSeated)?;
        let content = request.content();
        if let Some(done) = self.done_before(side, user, key, content)? {
            return Ok(Decision::Done(done));
        }
        // A host who plays for one team has no say in the other.
        let is_host = spec.host == Some(user) && !self.is_rival(user, side);
        if own != Some(side) && !is_host {
            // Of his own team one need not say the side, nor may one of the other.
            return Err(match own {
                Some(_) => TeamRefusal::NotForYou.into(),
                None => Refusal::NotSeated,
            });
        }
        if let Stage::Over { .. } = self.stage {
            return Err(Refusal::MatchOver);
        }
        let what = self.decide_in_team(user, side, request, context)?;
        let told = Told {
            user,
            key: key.clone(),
            content,
        };
        let events = vec![Event::Team {
            side,
            what,
            told: Some(told),
        }];
        self.with_all_that_follows(events, context)
    }

    fn decide_in_team(
        &self,
        user: UserId,
        side: Side,
        request: &TeamRequest,
        context: &Context,
    ) -> Result<TeamEvent, Refusal> {
        let of = self.of(side)?;
        let roster = &of.team.roster;
        let is_host = of.spec.host == Some(user);
        let is_captain = roster.captain() == Some(user);
        let ensure = |may: bool| {
            if may {
                Ok(())
            } else {
                Err(TeamRefusal::NotForYou)
            }
        };
        Ok(match request {
            TeamRequest::Leave => {
                if !roster.knows(user) {
                    return Err(Refusal::NotSeated);
                }
                TeamEvent::Left { user }
            }
            TeamRequest::Propose { number, actions } => {
                return self.decide_propose(user, &of, *number, actions, context);
            }
            TeamRequest::Vote { number, proposal } => {
                return self.decide_vote(user, &of, *number, *proposal);
            }
            TeamRequest::Ready => {
                ensure(is_captain)?;
                if !matches!(self.stage, Stage::Gathering) {
                    return Err(TeamRefusal::Begun.into());
                }
                if of.team.ready {
                    return Err(TeamRefusal::SaidAlready.into());
                }
                TeamEvent::Ready
            }
            TeamRequest::StandIn { member } => {
                ensure(is_captain)?;
                let member = of.member(*member)?;
                if !member.absent {
                    return Err(TeamRefusal::MemberPresent.into());
                }
                let user = roster.first_waiting().ok_or(TeamRefusal::NobodyWaits)?;
                TeamEvent::StoodIn {
                    user,
                    member: member.user,
                }
            }
            TeamRequest::HandBack { holder } => {
                let mut seats = roster.seats().iter();
                let lent = seats.find_map(|seat| {
                    let of_seat = seat.holder.filter(|person| person.number == *holder)?;
                    Some((of_seat, seat.member))
                });
                let (holder, stands_in) = lent.ok_or(TeamRefusal::NoSuchMember)?;
                ensure(is_captain || stands_in.user == user)?;
                TeamEvent::HandedBack {
                    holder: holder.user,
                }
            }
            TeamRequest::Lead { member } => {
                ensure(is_captain || is_host)?;
                let member = of.member(*member)?;
                if roster.captain() == Some(member.user) {
                    return Err(TeamRefusal::SaidAlready.into());
                }
                TeamEvent::Led { user: member.user }
            }
            TeamRequest::Order { members } => {
                ensure(is_captain)?;
                let users = members.iter().map(|member| of.member(*member));
                let users: Result<Vec<&Person>, TeamRefusal> = users.collect();
                let users: Vec<UserId> = users?.iter().map(|member| member.user).collect();
                let mut trial = roster.clone();
                if !trial.reorder(&users) {
                    return Err(TeamRefusal::BadOrder.into());
                }
                if trial == *roster {
                    return Err(TeamRefusal::SaidAlready.into());
                }
                TeamEvent::Ordered { users }
            }
            TeamRequest::Remove { person } => {
                ensure(is_captain || is_host)?;
                let person = roster.numbered(*person).ok_or(TeamRefusal::NoSuchMember)?;
                TeamEvent::Left { user: person.user }
            }
        })
    }

    fn decide_propose(
        &self,
        user: UserId,
        of: &Of<'_>,
        number: u32,
        actions: &[Action],
        context: &Context,
    ) -> Result<TeamEvent, Refusal> {
        of.ensure_member(user)?;
        // What could not be played is not proposed.
        self.decide_acts(of.side, number, actions, None, None, context)?;
        let proposals = of.team.council.proposals();
        if proposals.iter().any(|proposal| proposal.actions == actions) {
            return Err(TeamRefusal::ProposedAlready.into());
        }
        let own = proposals.iter().filter(|proposal| proposal.by == user);
        if own.count() >= PROPOSALS_A_MEMBER_MAX {
            return Err(TeamRefusal::ProposalsOver.into());
        }
        Ok(TeamEvent::Proposed {
            user,
            actions: actions.to_vec(),
        })
    }

    fn decide_vote(
        &self,
        user: UserId,
        of: &Of<'_>,
        number: u32,
        proposal: u32,
    ) -> Result<TeamEvent, Refusal> {
        of.ensure_member(user)?;
        self.ensure_due(number)?;
        if !matches!(of.spec.decides, Decides::Vote { .. }) {
            return Err(TeamRefusal::NotForYou.into());
        }
        if self.playing()?.game.to_move() != of.side {
            return Err(Refusal::NotYourTurn);
        }
        let council = &of.team.council;
        let place = proposal as usize;
        if place >= council.proposals().len() {
            return Err(TeamRefusal::NoSuchProposal.into());
        }
        if council.votes().contains(&(user, place)) {
            return Err(TeamRefusal::SaidAlready.into());
        }
        Ok(TeamEvent::Voted { user, proposal })
    }

    /// May this user play for his side himself? In a match of two players whoever has the seat
    /// may.
    pub(crate) fn ensure_may_play(&self, user: UserId, side: Side) -> Result<(), Refusal> {
        let Ok(of) = self.of(side) else {
            return Ok(());
        };
        let roster = &of.team.roster;
        let may = match of.spec.decides {
            Decides::First => true,
            Decides::Captain => roster.captain() == Some(user),
            Decides::Rotation => roster.at_turn().is_some_and(|member| member.user == user),
            Decides::Vote { .. } => false,
        };
        if may {
            Ok(())
        } else {
            Err(TeamRefusal::NotForYou.into())
        }
    }

    /// What a member's request that is not to act leads to: the side asks it, if it is for him
    /// to speak for the team, or if enough of the others want the same.
    pub(crate) fn decide_as_team(
        &self,
        user: UserId,
        asked: Asked,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        let Ok(of) = self.of(asked.side) else {
            return self.decide_other(asked, context);
        };
        let roster = &of.team.roster;
        let by_all = of.spec.speaks == Speaks::Majority || asked.request == Request::Publish;
        if !by_all {
            return if roster.captain() == Some(user) {
                self.decide_other(asked, context)
            } else {
                Err(TeamRefusal::NotForYou.into())
            };
        }
        let backed = of.team.council.backed();
        if backed.contains(&(user, asked.request)) {
            return Err(TeamRefusal::SaidAlready.into());
        }
        let others = backed
            .iter()
            .filter(|(_, request)| *request == asked.request);
        let enough = 2 * (others.count() + 1) > roster.seats().len();
        let told = Told {
            user,
            key: asked.key.clone(),
            content: content_of_request(asked.request, asked.number),
        };
        let (side, request) = (asked.side, asked.request);
        // What could not be asked for is not backed.
        let decision = self.decide_other(asked, context)?;
        if enough {
            return Ok(decision);
        }
        Ok(Decision::Do(vec![Event::Team {
            side,
            what: TeamEvent::Backed { user, request },
            told: Some(told),
        }]))
    }

    /// All that the members said to each other may be read by everybody.
    pub(crate) fn decide_publish(&self, asked: Asked) -> Result<Decision, Refusal> {
        let of = self.of(asked.side)?;
        if !matches!(self.stage, Stage::Over { .. }) {
            return Err(TeamRefusal::NotOver.into());
        }
        if of.team.published {
            return Err(TeamRefusal::SaidAlready.into());
        }
        let content = content_of_request(asked.request, asked.number);
        let told = asked.by.map(|user| Told {
            user,
            key: asked.key,
            content,
        });
        Ok(Decision::Do(vec![Event::Team {
            side: of.side,
            what: TeamEvent::Published,
            told,
        }]))
    }

    /// What comes of it that somebody of a team has been away for longer than he may.
    #[must_use]
    pub fn decide_absent(&self, user: UserId, context: &Context) -> Vec<Event> {
        self.decide_presence(user, true, context)
    }

    /// What comes of it that somebody of a team who was absent is present.
    #[must_use]
    pub fn decide_present(&self, user: UserId, context: &Context) -> Vec<Event> {
        self.decide_presence(user, false, context)
    }

    fn decide_presence(&self, user: UserId, absent: bool, context: &Context) -> Vec<Event> {
        let is_over = matches!(self.stage, Stage::Over { .. });
        let (Some(side), Some(teams)) = (self.team_of(user), self.teams()) else {
            return Vec::new();
        };
        let roster = &teams[side].roster;
        let changes = roster
            .people()
            .any(|person| person.user == user && person.absent != absent);
        if is_over || !self.presence_counts() || !changes || !absent && !roster.may_return(user) {
            return Vec::new();
        }
        let what = if absent {
            TeamEvent::Absent { user }
        } else {
            TeamEvent::Present { user }
        };
        // What follows can always be decided, for nothing in it is asked by anybody.
        self.with_what_follows(vec![Event::team(side, what)], context)
            .unwrap_or_default()
    }

    /// Everybody in the teams, and the side to which he comes when both play again.
    pub(crate) fn comers(&self) -> Vec<(UserId, Side)> {
        let Some(teams) = self.teams() else {
            return Vec::new();
        };
        let of_side = |side: Side| {
            let people = teams[side].roster.people();
            people.map(move |person| (person.user, side.other()))
        };
        Side::ALL.into_iter().flat_map(of_side).collect()
    }

    /// Who in the teams is to be missed if he is not here, or has been missed and may come
    /// back: each with whether he is absent.
    #[must_use]
    pub fn waited_for(&self) -> Vec<(UserId, bool)> {
        let is_over = matches!(self.stage, Stage::Over { .. });
        let (Some(teams), true) = (self.teams(), !is_over && self.presence_counts()) else {
            return Vec::new();
        };
        let rosters = Side::ALL.into_iter().map(|side| &teams[side].roster);
        let people = rosters.flat_map(|roster| {
            let people = roster.people();
            people.filter(|person| !person.absent || roster.may_return(person.user))
        });
        people.map(|person| (person.user, person.absent)).collect()
    }

    fn of(&self, side: Side) -> Result<Of<'_>, Refusal> {
        let teams: Option<&BySide<Team>> = self.teams();
        match (teams, &self.spec.teams) {
            (Some(teams), Some(spec)) => Ok(Of {
                team: &teams[side],
                spec,
                side,
            }),
            _ => Err(TeamRefusal::NoTeams.into()),
        }
    }
}

impl Of<'_> {
    fn member(&self, number: u32) -> Result<&Person, TeamRefusal> {
        let mut members = self.team.roster.members();
        let member = members.find(|member| member.number == number);
        member.ok_or(TeamRefusal::NoSuchMember)
    }

    fn ensure_member(&self, user: UserId) -> Result<(), Refusal> {
        match self.team.roster.member(user) {
            Some(_) => Ok(()),
            None => Err(Refusal::NotSeated),
        }
    }
}
