//! What follows by the rules of the teams.

use super::{Decides, Proposal, StandIns, Team, TeamEvent, TeamsSpec};
use crate::{Asked, Context, Decision, Event, Key, Match, Refusal, Request, Stage, Way};
use mancala_engine::{BySide, Side};

impl Match {
    /// The events of a decision with all that follows from them by the rules of the teams.
    pub(crate) fn with_what_follows(
        &self,
        mut events: Vec<Event>,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        if self.teams.is_none() || events.is_empty() {
            return Ok(events);
        }
        let mut next = self.clone();
        let mut made_true = 0;
        loop {
            for event in &events[made_true..] {
                next.apply(event);
            }
            made_true = events.len();
            let follows = next.what_follows(context)?;
            if follows.is_empty() {
                return Ok(events);
            }
            events.extend(follows);
        }
    }

    /// What is to follow now, if anything: each step of it changes what there is, so that it
    /// ends.
    fn what_follows(&self, context: &Context) -> Result<Vec<Event>, Refusal> {
        let (Some(spec), Some(teams)) = (&self.spec.teams, self.teams()) else {
            return Ok(Vec::new());
        };
        if !matches!(self.stage, Stage::Over { .. }) {
            for side in Side::ALL {
                if let Some(what) = teams[side].what_follows(spec, spec.seats[side]) {
                    return Ok(vec![Event::team(side, what)]);
                }
            }
        }
        for decision in self.wanted_by_most(context) {
            if let Decision::Do(events) = decision {
                return Ok(events);
            }
        }
        if let Stage::Gathering = self.stage {
            return Ok(self.team_match_begins(teams, spec, context));
        }
        let Ok(play) = self.playing() else {
            return Ok(Vec::new());
        };
        let side = play.game.to_move();
        let team = &teams[side];
        let votes = matches!(spec.decides, Decides::Vote { .. });
        match team.council.decided(&team.roster).filter(|_| votes) {
            Some(proposal) => {
                let number = self.next_number;
                let Proposal { by, actions, .. } = proposal;
                self.decide_acts(side, number, actions, None, Some(*by), context)
            }
            None => Ok(Vec::new()),
        }
    }

    /// A decision with all that follows from it, where that may be to go back.
    pub(crate) fn with_all_that_follows(
        &self,
        events: Vec<Event>,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        let events = self.with_what_follows(events, context)?;
        let mut next = self.clone();
        for event in &events {
            next.apply(event);
        }
        let back = next
            .wanted_by_most(context)
            .find_map(|wanted| match wanted {
                Decision::GoBack { number, asked, .. } => Some((number, asked)),
                Decision::Do(_) | Decision::Done(_) => None,
            });
        Ok(match back {
            Some((number, asked)) => Decision::GoBack {
                first: events,
                number,
                asked,
            },
            None => Decision::Do(events),
        })
    }

    /// What comes of all that more than half of a team want and that can be done now. Who asks
    /// last of those who are needed has it done by that; here are they enough because others
    /// are members no more.
    fn wanted_by_most<'a>(&'a self, context: &'a Context) -> impl Iterator<Item = Decision> + 'a {
        let teams = self.teams().into_iter();
        let wanted = teams.flat_map(|teams| {
            let of_side = |side: Side| {
                let wanted = teams[side].wanted_by_most();
                wanted.map(move |request| (side, request))
            };
            Side::ALL.into_iter().flat_map(of_side)
        });
        wanted.filter_map(|(side, request)| {
            let asked = Asked {
                side,
                request,
                number: None,
                key: Key::of_majority(),
                by: None,
            };
            self.decide_other(asked, context).ok()
        })
    }

    /// A match of teams begins when all seats are taken, or when those who are there say so,
    /// and in a contract when both have signed.
    fn team_match_begins(
        &self,
        teams: &BySide<Team>,
        spec: &TeamsSpec,
        context: &Context,
    ) -> Vec<Event> {
        let is_full = |side: Side| teams[side].roster.seats().len() >= spec.seats[side].into();
        let may_begin = |side: Side| {
            let some = !teams[side].roster.seats().is_empty();
            some && match self.spec.way {
                Some(Way::Contract) => self.signed[side],
                _ => teams[side].ready || is_full(side),
            }
        };
        if Side::ALL.into_iter().all(may_begin) {
            vec![self.first_game(context)]
        } else {
            Vec::new()
        }
    }
}

impl Team {
    /// What more than half of the members have asked for since the last action.
    fn wanted_by_most(&self) -> impl Iterator<Item = Request> {
        let backed = self.council.backed();
        let members = self.roster.seats().len();
        let by_most = move |request: &Request| {
            let of_it = backed.iter().filter(|(_, wanted)| wanted == request);
            2 * of_it.count() > members
        };
        backed.iter().map(|(_, request)| *request).filter(by_most)
    }

    /// The next thing that is to happen in the team by itself.
    fn what_follows(&self, spec: &TeamsSpec, seats: u8) -> Option<TeamEvent> {
        let roster = &self.roster;
        if spec.stand_ins == StandIns::Automatic
            && let Some(holder) = roster.owed()
        {
            let holder = holder.user;
            return Some(TeamEvent::HandedBack { holder });
        }
        if roster.seats().len() < seats.into()
            && let Some(user) = roster.first_waiting()
        {
            return Some(TeamEvent::Sat { user });
        }
        if spec.stand_ins == StandIns::Automatic
            && let (Some(seat), Some(user)) = (roster.deserted(), roster.first_waiting())
        {
            let member = seat.member.user;
            return Some(TeamEvent::StoodIn { user, member });
        }
        let captain = roster.captain().and_then(|captain| roster.member(captain));
        if captain.is_none_or(|captain| captain.absent)
            && let Some(user) = roster.longest_present()
        {
            return Some(TeamEvent::Led { user });
        }
        let at_turn = roster.at_turn();
        if spec.decides == Decides::Rotation
            && at_turn.is_some_and(|member| member.absent)
            && let Some(user) = roster.present_in_turn()
        {
            return Some(TeamEvent::Passed { user });
        }
        None
    }
}
