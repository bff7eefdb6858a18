//! What is agreed about the teams of a match.

use crate::{TeamName, UserId};
use mancala_engine::BySide;
use serde::{Deserialize, Serialize};

/// The most seats that a team has.
pub const SEATS_MAX: u8 = 50;

/// How a match is played whose sides are teams. A side of one seat is a player alone.
///
/// ```
/// use mancala_engine::BySide;
/// use mancala_play::{Decides, TeamsSpec, UserId};
/// let host = UserId(uuid::Uuid::from_u128(1));
/// let mut teams = TeamsSpec::new(Some(host), BySide { south: 10, north: 10 });
/// assert_eq!(teams.decides, Decides::Captain);
/// assert!(teams.is_sound());
/// teams.seats.north = 0;
/// assert!(!teams.is_sound());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamsSpec {
    /// What each is called; nothing, where it has no name.
    #[serde(default, skip_serializing_if = "nameless")]
    pub names: BySide<Option<TeamName>>,
    /// The numbers of the public names of the standing teams that play it, if these do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<BySide<u64>>,
    /// Who made the match and keeps order in it, whether he plays or not. Nobody, where
    /// standing teams play: their captains are each other's equals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<UserId>,
    /// How many members each side has: 1 to [`SEATS_MAX`].
    pub seats: BySide<u8>,
    /// How a team decides what it plays.
    pub decides: Decides,
    /// How a team decides everything else: to resign, to offer, to accept.
    #[serde(default)]
    pub speaks: Speaks,
    /// How a seat goes to a stand-in and comes back.
    #[serde(default)]
    pub stand_ins: StandIns,
    /// For so many seconds a member may be away before the team goes on without him: 5 to 3,600.
    #[serde(default = "grace")]
    pub grace: u16,
}

/// How a team decides what it plays.
///
/// ```
/// use mancala_play::Decides;
/// let vote = Decides::Vote { window: 30 };
/// assert_eq!(serde_json::to_string(&vote)?, r#"{"type":"vote","window":30}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Decides {
    /// The members play a turn each, in their order. Who is absent is passed over, and keeps
    /// his place.
    Rotation,
    /// The captain plays; the others propose.
    Captain,
    /// What most of those play who have voted when the window closes, or when all who are
    /// present have.
    Vote {
        /// How long the window is open from the beginning of each decision, in seconds: 5 to
        /// 86,400.
        window: u32,
    },
    /// Whoever plays first.
    First,
}

/// How a team decides to resign, to offer and to accept.
///
/// ```
/// use mancala_play::Speaks;
/// assert_eq!(serde_json::to_string(&Speaks::Majority)?, r#""majority""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaks {
    /// The captain does.
    #[default]
    Captain,
    /// More than half of the members do, present or not, since the last action.
    Majority,
}

/// How the seat of somebody who is absent goes to a stand-in, and back to him.
///
/// ```
/// use mancala_play::StandIns;
/// assert_eq!(StandIns::default(), StandIns::Captain);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandIns {
    /// As the captain says.
    #[default]
    Captain,
    /// At once, to the first who waits and is present; and back as soon as he is.
    Automatic,
}

const fn nameless(names: &BySide<Option<TeamName>>) -> bool {
    names.south.is_none() && names.north.is_none()
}

const fn grace() -> u16 {
    30
}

impl TeamsSpec {
    /// Teams of so many members, whose captains play and speak for them.
    #[must_use]
    pub const fn new(host: Option<UserId>, seats: BySide<u8>) -> TeamsSpec {
        TeamsSpec {
            names: BySide {
                south: None,
                north: None,
            },
            standing: None,
            host,
            seats,
            decides: Decides::Captain,
            speaks: Speaks::Captain,
            stand_ins: StandIns::Captain,
            grace: grace(),
        }
    }

    /// Is every number of it one that may be?
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let may_be = |seats| (1..=SEATS_MAX).contains(&seats);
        may_be(self.seats.south)
            && may_be(self.seats.north)
            && (5..=3_600).contains(&self.grace)
            && match self.decides {
                Decides::Vote { window } => (5..=86_400).contains(&window),
                Decides::Rotation | Decides::Captain | Decides::First => true,
            }
    }

    /// How long the window of a vote is open, in milliseconds.
    #[must_use]
    pub fn window_ms(&self) -> Option<i64> {
        match self.decides {
            Decides::Vote { window } => Some(i64::from(window) * 1_000),
            Decides::Rotation | Decides::Captain | Decides::First => None,
        }
    }

    /// For how long a member may be away before the team goes on without him, in
    /// milliseconds.
    #[must_use]
    pub fn grace_ms(&self) -> i64 {
        i64::from(self.grace) * 1_000
    }
}
