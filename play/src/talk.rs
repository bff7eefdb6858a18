//! Where people of a match talk, and who may hear it.

use crate::{Line, Match, UserId};
use mancala_engine::Side;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What somebody says in a room of a match.
pub type Saying = Line<200>;

/// A room of a match, in which people talk.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::Room;
/// assert_eq!("north".parse(), Ok(Room::Team(Side::North)));
/// assert_eq!(Room::Public.to_string(), "public");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Room {
    /// Anybody may hear what is said.
    Public,
    /// Of a team: its members alone hear it, until they let everybody.
    Team(Side),
}

impl Room {
    /// All that a match may have.
    pub const ALL: [Room; 3] = [
        Room::Public,
        Room::Team(Side::South),
        Room::Team(Side::North),
    ];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Room::Public => "public",
            Room::Team(Side::South) => "south",
            Room::Team(Side::North) => "north",
        }
    }

    /// The side whose team it is of.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Room::Public => None,
            Room::Team(side) => Some(side),
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is the name of no room.
///
/// ```
/// use mancala_play::{ParseRoomError, Room};
/// assert_eq!("kitchen".parse::<Room>(), Err(ParseRoomError));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRoomError;

impl fmt::Display for ParseRoomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a room is `public`, `south` or `north`")
    }
}

impl std::error::Error for ParseRoomError {}

impl FromStr for Room {
    type Err = ParseRoomError;

    fn from_str(text: &str) -> Result<Room, ParseRoomError> {
        let mut rooms = Room::ALL.into_iter();
        rooms
            .find(|room| room.as_str() == text)
            .ok_or(ParseRoomError)
    }
}

impl TryFrom<String> for Room {
    type Error = ParseRoomError;

    fn try_from(text: String) -> Result<Room, ParseRoomError> {
        text.parse()
    }
}

impl From<Room> for String {
    fn from(room: Room) -> String {
        room.as_str().to_owned()
    }
}

impl Match {
    /// Has it this room?
    #[must_use]
    pub fn has_room(&self, room: Room) -> bool {
        room == Room::Public || self.teams.is_some()
    }

    /// Does everybody hear what is said there?
    #[must_use]
    pub fn is_open_to_all(&self, room: Room) -> bool {
        room.side().is_none_or(|side| {
            let teams = self.teams();
            teams.is_some_and(|teams| teams[side].is_published())
        })
    }

    /// May this user hear what is said there; or somebody without a name, for none?
    #[must_use]
    pub fn may_hear(&self, user: Option<UserId>, room: Room) -> bool {
        self.is_open_to_all(room) || user.is_some_and(|user| self.may_speak(user, room))
    }

    /// May this user speak there, as far as that depends on who is in which team?
    #[must_use]
    pub fn may_speak(&self, user: UserId, room: Room) -> bool {
        match room {
            Room::Public => true,
            Room::Team(side) => self.teams.is_some() && self.side_of(user) == Some(side),
        }
    }

    /// Does this user keep order in the room as a captain: in that of his team, and in the
    /// public one, where no host does?
    #[must_use]
    pub fn is_captain_in(&self, user: UserId, room: Room) -> bool {
        let Some((spec, teams)) = self.spec.teams.as_ref().zip(self.teams()) else {
            return false;
        };
        let leads = |side: Side| teams[side].roster().captain() == Some(user);
        match room {
            Room::Team(side) => leads(side),
            Room::Public => spec.host.is_none() && Side::ALL.into_iter().any(leads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, MatchSpec, TeamEvent, TeamsSpec};
    use mancala_engine::{BySide, Format, Mancala, Options};
    use uuid::Uuid;

    fn user(number: u128) -> UserId {
        UserId(Uuid::from_u128(number))
    }

    /// A match of teams with one seat in each, where 1 is in south and 2 waits behind him.
    fn of_teams() -> Match {
        let mut spec = MatchSpec::new(Options::standard(Mancala::Nsolo), Format::Single);
        spec.teams = Some(Box::new(TeamsSpec::new(Some(user(9)), BySide::both(1))));
        let mut play = Match::create(spec);
        for what in [
            TeamEvent::Came { user: user(1) },
            TeamEvent::Waits { user: user(2) },
        ] {
            let side = Side::South;
            play.apply(&Event::Team {
                side,
                what,
                told: None,
            });
        }
        play
    }

    #[test]
    fn a_teams_room_is_for_its_members() {
        let play = of_teams();
        let south = Room::Team(Side::South);
        assert!(Room::ALL.into_iter().all(|room| play.has_room(room)));
        assert!(play.may_speak(user(1), south) && play.is_captain_in(user(1), south));
        // Not for who waits, for a stranger, for the host, or for who has no name.
        for other in [2, 3, 9] {
            assert!(!play.may_hear(Some(user(other)), south), "{other}");
            assert!(!play.may_speak(user(other), south), "{other}");
            assert!(play.may_speak(user(other), Room::Public), "{other}");
        }
        assert!(!play.may_hear(None, south) && play.may_hear(None, Room::Public));
        let north = Room::Team(Side::North);
        assert!(!play.may_hear(Some(user(1)), north) && !play.is_captain_in(user(1), north));
        assert!(
            !play.is_captain_in(user(1), Room::Public),
            "the host keeps order there"
        );
    }

    #[test]
    fn where_nobody_is_host_the_captains_keep_order_in_the_public_room() {
        let mut play = of_teams();
        if let Some(teams) = &mut play.spec.teams {
            teams.host = None;
        }
        assert!(play.is_captain_in(user(1), Room::Public));
        assert!(!play.is_captain_in(user(2), Room::Public), "not who waits");
    }

    #[test]
    fn two_players_have_the_public_room_alone() {
        let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
        let mut play = Match::create(spec);
        let side = Side::South;
        play.apply(&Event::Seated {
            side,
            user: user(1),
        });
        assert_eq!(
            Room::ALL.map(|room| play.has_room(room)),
            [true, false, false]
        );
        assert!(!play.may_hear(Some(user(1)), Room::Team(side)));
    }

    #[test]
    fn rooms_are_written_as_they_are_read() {
        for room in Room::ALL {
            assert_eq!(room.to_string().parse(), Ok(room));
            let json = serde_json::to_string(&room).unwrap();
            assert_eq!(serde_json::from_str::<Room>(&json).unwrap(), room);
        }
        for text in ["", "Public", "south ", "east"] {
            assert_eq!(text.parse::<Room>(), Err(ParseRoomError), "{text:?}");
        }
    }
}
