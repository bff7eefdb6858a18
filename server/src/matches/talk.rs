//! What is known of the talk of a match while somebody uses it.
//!
//! May know lines, people and the store, never sockets. The store has the truth: all of this is
//! read when it is first asked for, and forgotten and read again where the store did not answer.

use super::narrate;
use crate::clock::Meter;
use crate::ids::PublicId;
use crate::limits::SPEAKERS;
use crate::store::{LineRow, Store, StoreError};
use mancala_play::{Key, Match, MatchId, Note, Room, Saying, UserId};
use mancala_protocol::limits::{
    TALK_BURST_MAX, TALK_LINES_A_SECOND_MAX, TALK_LINES_TOLD_MAX, TALK_SECONDS_A_LINE,
};
use mancala_protocol::{LineView, Moderation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What somebody asks of a room over a socket.
#[derive(Clone, Debug)]
pub(crate) enum TalkAsk {
    Listen { after: Option<u32> },
    Unlisten,
    Say { text: Saying, key: Key },
    Moderate { what: Moderation },
    Report { line: u32, why: Note },
}

/// What is asked of the talk of a match over REST.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TalkRequest {
    /// Up to which line somebody may read a room.
    Read { user: Option<UserId>, room: Room },
    /// To take a line away, as whoever runs the server.
    Remove { room: Room, line: u32 },
    /// To take all away, likewise.
    Clear,
}

/// The talk of a match.
#[derive(Debug, Default)]
pub(super) struct Talk {
    public: Option<RoomTalk>,
    south: Option<RoomTalk>,
    north: Option<RoomTalk>,
    /// Who keeps order in all rooms, if anybody does, where that is known.
    host: Option<Option<UserId>>,
    /// How much people have said of late: who is not there, nothing.
    speakers: BTreeMap<UserId, Meter>,
    /// The store did not answer: what it did may not be on disk yet.
    unsure: bool,
}

/// The talk of a room.
#[derive(Debug)]
pub(super) struct RoomTalk {
    /// The number of the last line.
    last: u32,
    pub(super) closed: bool,
    /// Each has said something there, or was in the team: there are no more than lines and people.
    pub(super) muted: BTreeSet<UserId>,
    /// The last lines, as many as are told at once.
    recent: VecDeque<Said>,
    /// How much all together may say.
    meter: Meter,
}

/// A line, and its speaker's name as it was when the room was read.
#[derive(Debug)]
struct Said {
    row: LineRow,
    name: String,
}

impl Talk {
    /// The talk of a room, read if it must be.
    pub(super) async fn room(
        &mut self,
        store: &Store,
        id: MatchId,
        room: Room,
    ) -> Result<&mut RoomTalk, StoreError> {
        if self.unsure {
            // What can be read is on disk for certain once something is written after it.
            store.ready().await?;
            self.unsure = false;
        }
        let place = self.place(room);
        match place {
            Some(known) => Ok(known),
            None => Ok(place.insert(RoomTalk::read(store, id, room).await?)),
        }
    }

    const fn place(&mut self, room: Room) -> &mut Option<RoomTalk> {
        use mancala_engine::Side;
        match room {
            Room::Public => &mut self.public,
            Room::Team(Side::South) => &mut self.south,
            Room::Team(Side::North) => &mut self.north,
        }
    }

    /// The talk of a room, where it has been read.
    pub(super) fn known(&mut self, room: Room) -> Option<&mut RoomTalk> {
        self.place(room).as_mut()
    }

    /// Nobody knows what the store has done: all is read again. How much people have said of
    /// late stays.
    pub(super) fn forget(&mut self) {
        for room in Room::ALL {
            *self.place(room) = None;
        }
        self.unsure = true;
    }

    /// All lines are gone.
    pub(super) fn clear(&mut self) {
        for room in Room::ALL {
            *self.place(room) = None;
        }
    }

    /// Who keeps order in all rooms, if anybody does: who made the match.
    pub(super) async fn host(
        &mut self,
        store: &Store,
        name: PublicId,
        play: &Match,
    ) -> Result<Option<UserId>, StoreError> {
        if let Some(host) = self.host {
            return Ok(host);
        }
        let host = match &play.spec().teams {
            Some(teams) => teams.host,
            None => {
                let row = store.find_match(name).await?;
                row.ok_or(StoreError::NoSuchMatch)?.host()
            }
        };
        Ok(*self.host.insert(host))
    }

    /// May somebody say one more line in a room now, after those that he and all together have
    /// said?
    pub(super) fn takes_a_line(&mut self, user: UserId, room: Room) -> bool {
        self.takes_a_line_of(user) && self.known(room).is_none_or(|room| room.meter.take())
    }

    fn takes_a_line_of(&mut self, user: UserId) -> bool {
        if self.speakers.len() >= SPEAKERS {
            self.speakers.retain(|_, meter| !meter.is_full());
        }
        if self.speakers.len() >= SPEAKERS && !self.speakers.contains_key(&user) {
            return false;
        }
        let meter = self.speakers.entry(user);
        meter
            .or_insert_with(|| Meter::slow(TALK_SECONDS_A_LINE, TALK_BURST_MAX))
            .take()
    }
}

impl RoomTalk {
    async fn read(store: &Store, id: MatchId, room: Room) -> Result<RoomTalk, StoreError> {
        let row = store.room(id, room).await?;
        let after = row.last.saturating_sub(TALK_LINES_TOLD_MAX);
        let lines = store.lines(id, room, (after, row.last), TALK_LINES_TOLD_MAX);
        let lines = lines.await?;
        let speakers: Vec<UserId> = lines.iter().map(|line| line.user).collect();
        let users = store.users(&speakers).await?;
        let names: BTreeMap<UserId, String> =
            users.into_iter().map(|user| (user.id, user.name)).collect();
        let recent = lines.into_iter().map(|row| Said {
            name: narrate::name_of(&names, row.user),
            row,
        });
        Ok(RoomTalk {
            last: row.last,
            closed: row.closed,
            muted: row.muted,
            recent: recent.collect(),
            meter: Meter::new(TALK_LINES_A_SECOND_MAX, TALK_LINES_A_SECOND_MAX),
        })
    }

    /// The number of the last line; 0, where there is none.
    pub(super) const fn last(&self) -> u32 {
        self.last
    }

    /// The last lines after this number, as many as are told at once.
    pub(super) fn lines_after(&self, after: u32) -> Vec<LineView> {
        // Whoever has more than there is has it from before all was taken away.
        let after = if after > self.last { 0 } else { after };
        let lines = self.recent.iter().filter(|said| said.row.n > after);
        lines.map(|said| view(&said.row, &said.name)).collect()
    }

    /// Somebody of this name has said a line, and it is on disk.
    pub(super) fn add(&mut self, row: LineRow, name: String) -> LineView {
        let told = view(&row, &name);
        self.last = row.n;
        if self.recent.len() >= TALK_LINES_TOLD_MAX as usize {
            self.recent.pop_front();
        }
        self.recent.push_back(Said { row, name });
        told
    }

    /// The text of a line was taken away.
    pub(super) fn remove(&mut self, n: u32) {
        let mut recent = self.recent.iter_mut();
        if let Some(said) = recent.find(|said| said.row.n == n) {
            said.row.text = None;
        }
    }
}

/// Lines as they are told.
pub(super) fn views(lines: &[LineRow], names: &BTreeMap<UserId, String>) -> Vec<LineView> {
    let lines = lines.iter();
    lines
        .map(|line| view(line, &narrate::name_of(names, line.user)))
        .collect()
}

fn view(row: &LineRow, name: &str) -> LineView {
    LineView {
        n: row.n,
        name: name.to_owned(),
        at_ms: row.at_ms,
        text: row.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use uuid::Uuid;

    fn user(number: u128) -> UserId {
        UserId(Uuid::from_u128(number))
    }

    fn empty_room() -> RoomTalk {
        RoomTalk {
            last: 0,
            closed: false,
            muted: BTreeSet::new(),
            recent: VecDeque::new(),
            meter: Meter::new(1, 1),
        }
    }

    /// Fills with those who have just spoken, and lets nobody in before they are forgotten.
    #[tokio::test(start_paused = true)]
    async fn so_many_speakers_are_remembered_and_no_more() {
        let mut talk = Talk::default();
        for number in 0..SPEAKERS as u128 {
            assert!(talk.takes_a_line_of(user(number)));
        }
        assert!(!talk.takes_a_line_of(user(1_000_000)));
        assert!(talk.takes_a_line_of(user(3)), "who is remembered may go on");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(talk.takes_a_line_of(user(1_000_000)));
        assert_eq!(
            talk.speakers.len(),
            2,
            "of the others nothing is to be known"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_told_at_once_is_bounded_and_goes_on_after_a_number() {
        let mut room = empty_room();
        for n in 1..=70 {
            let row = LineRow {
                n,
                user: user(1),
                at_ms: 0,
                text: Some(n.to_string()),
            };
            room.add(row, "Ann".to_owned());
        }
        let numbers = |after| -> Vec<u32> {
            let lines = room.lines_after(after);
            lines.iter().map(|line| line.n).collect()
        };
        assert_eq!(numbers(0), (21..=70).collect::<Vec<_>>());
        assert_eq!(numbers(68), [69, 70]);
        assert!(numbers(70).is_empty());
        assert_eq!(
            numbers(71).len(),
            50,
            "a number from before all was cleared"
        );
        room.remove(70);
        room.remove(3);
        assert_eq!(room.lines_after(69)[0].text, None);
        assert_eq!(room.last(), 70);
    }
}
