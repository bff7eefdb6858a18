//! What somebody asks of a team, and why it is refused.

use crate::Digest;
use mancala_engine::Action;
use std::fmt;

/// What somebody asks of his team. People are called by their numbers.
///
/// ```
/// use mancala_play::TeamRequest;
/// assert_ne!(TeamRequest::Leave, TeamRequest::Ready);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamRequest {
    /// To leave it: the seat, or those who wait.
    Leave,
    /// To propose what to play.
    Propose {
        /// The number that the first action is to have.
        number: u32,
        /// What is to be played, in order.
        actions: Vec<Action>,
    },
    /// To vote for a proposal, and no longer for another.
    Vote {
        /// The number of the action that is due.
        number: u32,
        /// The place of the proposal, from 0.
        proposal: u32,
    },
    /// To begin before all seats are taken. The captain's.
    Ready,
    /// That the first who waits stands in for a member who is absent. The captain's.
    StandIn {
        /// The member.
        member: u32,
    },
    /// That the holder of a seat plays on it again. The captain's, or who stands in on it.
    HandBack {
        /// The holder.
        holder: u32,
    },
    /// That somebody else is captain. The captain's, or the host's.
    Lead {
        /// Who.
        member: u32,
    },
    /// That the members stand in another order. The captain's.
    Order {
        /// All of them.
        members: Vec<u32>,
    },
    /// That somebody leaves. The captain's, or the host's.
    Remove {
        /// Who.
        person: u32,
    },
}

impl TeamRequest {
    /// A hash of all that is asked.
    pub(crate) fn content(&self) -> Digest {
        let of = |kind: u64| Digest::START.with(2).with(kind);
        let numbered = |kind, number: &u32| of(kind).with(u64::from(*number));
        match self {
            TeamRequest::Leave => of(1),
            TeamRequest::Propose { number, actions } => {
                let asked = numbered(2, number);
                actions.iter().fold(asked, Digest::with_action)
            }
            TeamRequest::Vote { number, proposal } => {
                numbered(3, number).with(u64::from(*proposal))
            }
            TeamRequest::Ready => of(4),
            TeamRequest::StandIn { member } => numbered(5, member),
            TeamRequest::HandBack { holder } => numbered(6, holder),
            TeamRequest::Lead { member } => numbered(7, member),
            TeamRequest::Order { members } => {
                let asked = of(8);
                members
                    .iter()
                    .fold(asked, |digest, member| digest.with(u64::from(*member)))
            }
            TeamRequest::Remove { person } => numbered(9, person),
        }
    }
}

/// Why something is refused in a team.
///
/// ```
/// use mancala_play::TeamRefusal;
/// assert_eq!(TeamRefusal::NotForYou.code(), "not_for_you");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeamRefusal {
    /// The sides of this match are no teams.
    NoTeams,
    /// In this team another decides that, or all do together.
    NotForYou,
    /// The asker is in a team of this match already.
    AlreadyInTeam,
    /// The match has begun, and that person has been in the other team of it: what that says
    /// to itself is for it alone.
    WasInOtherTeam,
    /// Another has taken that person out of the team, and nobody who may has asked for him since.
    TakenOut,
    /// As many wait for a seat as may.
    WaitingFull,
    /// That person, or all together, have come to the team of this match as often as may be.
    ArrivalsOver,
    /// Nobody in the team has that number, or not as what he would have to be.
    NoSuchMember,
    /// The order does not have each member once.
    BadOrder,
    /// No proposal has that place.
    NoSuchProposal,
    /// It has been proposed.
    ProposedAlready,
    /// The asker has made as many proposals for this decision as he may.
    ProposalsOver,
    /// The member is present.
    MemberPresent,
    /// Nobody waits who is present.
    NobodyWaits,
    /// The match has begun.
    Begun,
    /// The team has said so.
    SaidAlready,
    /// What the team said may be read by everybody only when the match is over.
    NotOver,
}

impl TeamRefusal {
    /// All of them.
    pub const ALL: [TeamRefusal; 17] = [
        TeamRefusal::NoTeams,
        TeamRefusal::NotForYou,
        TeamRefusal::AlreadyInTeam,
        TeamRefusal::WasInOtherTeam,
        TeamRefusal::TakenOut,
        TeamRefusal::WaitingFull,
        TeamRefusal::ArrivalsOver,
        TeamRefusal::NoSuchMember,
        TeamRefusal::BadOrder,
        TeamRefusal::NoSuchProposal,
        TeamRefusal::ProposedAlready,
        TeamRefusal::ProposalsOver,
        TeamRefusal::MemberPresent,
        TeamRefusal::NobodyWaits,
        TeamRefusal::Begun,
        TeamRefusal::SaidAlready,
        TeamRefusal::NotOver,
    ];

    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            TeamRefusal::NoTeams => "no_teams",
            TeamRefusal::NotForYou => "not_for_you",
            TeamRefusal::AlreadyInTeam => "already_in_team",
            TeamRefusal::WasInOtherTeam => "was_in_other_team",
            TeamRefusal::TakenOut => "taken_out",
            TeamRefusal::WaitingFull => "waiting_full",
            TeamRefusal::ArrivalsOver => "arrivals_over",
            TeamRefusal::NoSuchMember => "no_such_member",
            TeamRefusal::BadOrder => "bad_order",
            TeamRefusal::NoSuchProposal => "no_such_proposal",
            TeamRefusal::ProposedAlready => "proposed_already",
            TeamRefusal::ProposalsOver => "proposals_over",
            TeamRefusal::MemberPresent => "member_present",
            TeamRefusal::NobodyWaits => "nobody_waits",
            TeamRefusal::Begun => "match_begun",
            TeamRefusal::SaidAlready => "said_already",
            TeamRefusal::NotOver => "not_over",
        }
    }
}

impl fmt::Display for TeamRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TeamRefusal::NoTeams => "the sides of this match are no teams",
            TeamRefusal::NotForYou => {
                "that is for somebody else here: the captain, the host, or whoever decides now"
            }
            TeamRefusal::AlreadyInTeam => "that person is in a team of this match already",
            TeamRefusal::WasInOtherTeam => {
                "that person has been in the other team of this match, which has begun; watch"
            }
            TeamRefusal::TakenOut => {
                "that person was taken out of this team, and comes again when he is invited to it"
            }
            TeamRefusal::WaitingFull => "as many wait for a seat of this team as may; watch",
            TeamRefusal::ArrivalsOver => {
                "that person, or all together, have come to this team as often as may be; watch"
            }
            TeamRefusal::NoSuchMember => {
                "nobody in the team has that number and the place that this takes"
            }
            TeamRefusal::BadOrder => {
                "an order names each member of the team, and each of them once"
            }
            TeamRefusal::NoSuchProposal => "no proposal for this action has that place",
            TeamRefusal::ProposedAlready => "that is proposed already; vote for it",
            TeamRefusal::ProposalsOver => {
                "you have made as many proposals for this action as you may"
            }
            TeamRefusal::MemberPresent => "the member is present",
            TeamRefusal::NobodyWaits => "nobody who is present waits for a seat",
            TeamRefusal::Begun => "the match has begun",
            TeamRefusal::SaidAlready => "you, or the team, have said so already",
            TeamRefusal::NotOver => "the match is not over",
        })
    }
}

impl std::error::Error for TeamRefusal {}
