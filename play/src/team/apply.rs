//! Making true what happens in a team.

use super::{TeamEvent, Told};
use crate::{Match, Stage};
use mancala_engine::Side;

impl Match {
    /// Makes what happened in a team true, if it can; says whether it could.
    pub(crate) fn follow_team(
        &mut self,
        side: Side,
        event: &TeamEvent,
        told: Option<&Told>,
    ) -> bool {
        let is_over = matches!(self.stage, Stage::Over { .. });
        let seats = self.spec.teams.as_ref().map(|spec| spec.seats[side]);
        let seats = usize::from(seats.unwrap_or(0));
        let comes = match event {
            TeamEvent::Came { user } | TeamEvent::Waits { user } => Some(*user),
            _ => None,
        };
        if comes.is_some_and(|user| self.team_of(user).is_some()) {
            return false;
        }
        let Some(teams) = self.teams.as_deref_mut() else {
            return false;
        };
        if let Some(user) = comes {
            teams.south.roster.comes(user);
            teams.north.roster.comes(user);
        }
        let team = &mut teams[side];
        let roster = &mut team.roster;
        let has_room = roster.seats().len() < seats;
        let holds = match event {
            TeamEvent::Came { user } => {
                roster.arrive(*user, true);
                has_room
            }
            TeamEvent::Waits { user } => {
                roster.arrive(*user, false);
                true
            }
            TeamEvent::Sat { user } => has_room && roster.sit(*user),
            TeamEvent::Left { user } => {
                if told.is_some_and(|told| told.user != *user) {
                    roster.take_out(*user);
                }
                roster.leave(*user)
            }
            TeamEvent::StoodIn { user, member } => roster.stand_in(*user, *member),
            TeamEvent::HandedBack { holder } => roster.hand_back(*holder),
            TeamEvent::Led { user } => roster.lead(*user),
            TeamEvent::Ordered { users } => roster.reorder(users),
            TeamEvent::Absent { user } => roster.set_absent(*user, true),
            TeamEvent::Present { user } => roster.set_absent(*user, false),
            TeamEvent::Passed { user } => roster.turn_to(*user),
            TeamEvent::Ready => !std::mem::replace(&mut team.ready, true),
            TeamEvent::Proposed { user, actions } => match roster.member(*user) {
                Some(member) => {
                    team.council.propose(member, actions.clone());
                    true
                }
                None => false,
            },
            TeamEvent::Voted { user, proposal } => team.council.vote(*user, *proposal as usize),
            TeamEvent::WindowClosed => team.council.close_window(),
            TeamEvent::Backed { user, request } => {
                team.council.back(*user, *request);
                true
            }
            TeamEvent::Published => is_over && !std::mem::replace(&mut team.published, true),
        };
        team.council.forget(&team.roster);
        if event.is_private() {
            team.seq += 1;
        }
        holds
    }

    /// What the teams deliberated on is over, because something was played or the clocks were
    /// stopped or go on.
    pub(crate) fn end_councils(&mut self) {
        if let Some(teams) = self.teams.as_deref_mut() {
            for side in Side::ALL {
                teams[side].council = super::Council::default();
            }
        }
    }
}
