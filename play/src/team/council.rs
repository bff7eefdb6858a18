//! What a team deliberates on between two actions.

use super::roster::{Person, Roster};
use crate::{Request, UserId};
use mancala_engine::Action;
use serde::{Deserialize, Serialize};

/// How many proposals a member may make for one decision.
pub const PROPOSALS_A_MEMBER_MAX: usize = 3;

/// What a member proposes to play.
///
/// ```
/// use mancala_engine::{Action, Pit};
/// use mancala_play::{Proposal, UserId};
/// let by = UserId(uuid::Uuid::from_u128(1));
/// let proposal = Proposal { by, number: 1, actions: vec![Action::sow(Pit(3))] };
/// assert_eq!(proposal.actions.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Who proposes it.
    pub by: UserId,
    /// His number then: whoever leaves and comes again has another.
    pub number: u32,
    /// What is to be played, in order: a sowing, perhaps with the choices in it.
    pub actions: Vec<Action>,
}

/// What a team deliberates on, from one action to the next: proposals and votes, and requests
/// that some of it have made. Nobody but the team knows of it.
///
/// ```
/// use mancala_play::Council;
/// assert!(Council::default().proposals().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Council {
    proposals: Vec<Proposal>,
    /// Who has voted for which proposal.
    votes: Vec<(UserId, usize)>,
    /// The window has closed, and nothing was decided by that.
    window_over: bool,
    /// Who has backed what.
    backed: Vec<(UserId, Request)>,
}

impl Council {
    /// The proposals, the earliest first.
    #[must_use]
    pub fn proposals(&self) -> &[Proposal] {
        &self.proposals
    }

    /// Who has voted for which proposal, by its place.
    #[must_use]
    pub fn votes(&self) -> &[(UserId, usize)] {
        &self.votes
    }

    /// Has the window closed without a decision? Then the next vote decides.
    #[must_use]
    pub const fn is_window_over(&self) -> bool {
        self.window_over
    }

    /// Who wants the team to ask for what.
    #[must_use]
    pub fn backed(&self) -> &[(UserId, Request)] {
        &self.backed
    }

    /// What the votes come to: the proposal with the most of them, of several the earliest;
    /// without any, the captain's first. Nothing while somebody present may yet vote and the
    /// window is open.
    pub(crate) fn decided(&self, roster: &Roster) -> Option<&Proposal> {
        let mut members = roster.members();
        let has_voted = |user: UserId| self.votes.iter().any(|(who, _)| *who == user);
        let all_voted = members.all(|member| member.absent || has_voted(member.user));
        if !(self.window_over || all_voted && !self.votes.is_empty()) {
            return None;
        }
        self.leading(roster)
    }

    /// The proposal that would be played if the window closed now.
    pub(crate) fn leading(&self, roster: &Roster) -> Option<&Proposal> {
        if self.votes.is_empty() {
            let captain = roster.captain();
            let mut proposals = self.proposals.iter();
            return proposals.find(|proposal| Some(proposal.by) == captain);
        }
        let count = |at: usize| self.votes.iter().filter(|(_, voted)| *voted == at).count();
        let places = (0..self.proposals.len()).rev();
        // Of equals the last is taken, which is the earliest proposal.
        let most = places.max_by_key(|at| count(*at))?;
        self.proposals.get(most)
    }

    pub(super) fn propose(&mut self, by: &Person, actions: Vec<Action>) {
        self.proposals.push(Proposal {
            by: by.user,
            number: by.number,
            actions,
        });
    }

    pub(super) fn vote(&mut self, user: UserId, place: usize) -> bool {
        self.votes.retain(|(who, _)| *who != user);
        self.votes.push((user, place));
        place < self.proposals.len()
    }

    pub(super) const fn close_window(&mut self) -> bool {
        !std::mem::replace(&mut self.window_over, true)
    }

    pub(super) fn back(&mut self, user: UserId, request: Request) {
        self.backed.push((user, request));
    }

    /// Who is a member no more has no voice; what he proposed stands.
    pub(super) fn forget(&mut self, roster: &Roster) {
        self.votes.retain(|(who, _)| roster.member(*who).is_some());
        self.backed.retain(|(who, _)| roster.member(*who).is_some());
    }
}
