//! Sides that are teams: who is in them, how they decide, and what of it is theirs alone.
//!
//! Everything else in a match speaks of sides. A team is what stands between its people and
//! their side: it says whose command counts as the side's, and turns votes into commands.
//! What follows from one event by the rules of the teams is decided together with it, so a
//! log never stands still where something is to follow.

mod apply;
mod council;
mod decide;
mod event;
mod follow;
mod request;
mod roster;
mod spec;

pub use council::{Council, PROPOSALS_A_MEMBER_MAX, Proposal};
pub use event::{TeamEvent, Told};
pub use request::{TeamRefusal, TeamRequest};
pub use roster::{ARRIVALS_A_PERSON_MAX, ARRIVALS_MAX, Person, Roster, Seat, WAITING_MAX};
pub use spec::{Decides, SEATS_MAX, Speaks, StandIns, TeamsSpec};

use crate::{Match, UserId};
use mancala_engine::{BySide, Side};
use serde::{Deserialize, Serialize};

/// A side that is a team.
///
/// ```
/// use mancala_play::Team;
/// assert!(Team::default().roster().seats().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    pub(crate) roster: Roster,
    pub(crate) council: Council,
    /// It will begin before all its seats are taken.
    pub(crate) ready: bool,
    pub(crate) published: bool,
    /// How many events were for it alone.
    pub(crate) seq: u64,
}

impl Team {
    /// Who is in it.
    #[must_use]
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// What it deliberates on. For the team alone to know.
    #[must_use]
    pub const fn council(&self) -> &Council {
        &self.council
    }

    /// Will it begin before all its seats are taken?
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.ready
    }

    /// May everybody read what its members said to each other?
    #[must_use]
    pub const fn is_published(&self) -> bool {
        self.published
    }

    /// How many events were for it alone: the place of the last one in its own stream.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
}

impl Match {
    /// The teams, where the sides are teams.
    #[must_use]
    pub fn teams(&self) -> Option<&BySide<Team>> {
        self.teams.as_deref()
    }

    /// The side in whose team this user is, as a member, waiting, or as the holder of a seat
    /// on which another plays.
    #[must_use]
    pub fn team_of(&self, user: UserId) -> Option<Side> {
        let teams = self.teams()?;
        Side::ALL
            .into_iter()
            .find(|side| teams[*side].roster.knows(user))
    }
}
