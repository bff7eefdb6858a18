//! What is known of the talk of a match while somebody uses it.
//!
//! May know lines, people and the store, never sockets. The store has the truth: all of this is
//! read when it is first asked for, and again where the store did not answer.

use super::narrate;
use crate::clock::Meter;
use crate::ids::PublicId;
use crate::limits::{CHANGE_SECONDS, CHANGES_BURST};
use crate::meters::Meters;
use crate::store::{LineRow, Store, StoreError};
use mancala_play::{Key, Match, MatchId, Note, Room, Saying, UserId};
use mancala_protocol::limits::{
    TALK_BURST_MAX, TALK_LINES_A_ROOM_MAX, TALK_LINES_A_SECOND_MAX, TALK_LINES_FOR_PLAYERS,
    TALK_LINES_TOLD_MAX, TALK_SECONDS_A_LINE,
};
use mancala_protocol::{LineView, Moderation, TalkChange};
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
#[derive(Debug)]
pub(super) struct Talk {
    public: Option<RoomTalk>,
    south: Option<RoomTalk>,
    north: Option<RoomTalk>,
    /// Who keeps order in all rooms, if anybody does, where that is known.
    host: Option<Option<UserId>>,
    /// How much people have said of late.
    speakers: Meters,
    /// How often people have kept order of late.
    moderators: Meters,
    /// The store did not answer: what it did may not be on disk yet, nor known here.
    unsure: bool,
}

/// Something that has come about in a room, and that nobody was told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    Said(LineView),
    Changed {
        /// Whom it concerns alone.
        whom: Option<UserId>,
        what: TalkChange,
    },
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
    /// How much those who play may say together.
    players: Meter,
    /// How much all others may, so that they leave room for those who play.
    others: Meter,
}

/// A line, and its speaker's name as it was when the room was read.
#[derive(Debug)]
struct Said {
    row: LineRow,
    name: String,
}

impl Default for Talk {
    fn default() -> Talk {
        Talk {
            public: None,
            south: None,
            north: None,
            host: None,
            speakers: Meters::new(TALK_SECONDS_A_LINE, TALK_BURST_MAX),
            moderators: Meters::new(CHANGE_SECONDS, CHANGES_BURST),
            unsure: false,
        }
    }
}

impl Talk {
    /// The talk of a room, read if it must be, and as it is but for what nobody knows: see
    /// [`Talk::find_out`].
    pub(super) async fn room(
        &mut self,
        store: &Store,
        id: MatchId,
        room: Room,
    ) -> Result<&mut RoomTalk, StoreError> {
        let place = self.place(room);
        match place {
            Some(known) => Ok(known),
            None => Ok(place.insert(RoomTalk::read(store, id, room).await?)),
        }
    }

    /// If nobody knows what the store has done, reads it, and says what nobody was told of it.
    pub(super) async fn find_out(
        &mut self,
        store: &Store,
        id: MatchId,
    ) -> Result<Vec<(Room, News)>, StoreError> {
        let mut news = Vec::new();
        if !self.unsure {
            return Ok(news);
        }
        // What can be read is on disk for certain once something is written after it.
        store.ready().await?;
        // All is read before anything is taken for known, so that no news is lost on the way.
        let mut read = Vec::new();
        for room in Room::ALL {
            if self.known(room).is_some() {
                read.push((room, RoomTalk::read(store, id, room).await?));
            }
        }
        for (room, now) in read {
            if let Some(known) = self.known(room) {
                let since = known.becomes(now);
                news.extend(since.into_iter().map(|one| (room, one)));
            }
        }
        self.unsure = false;
        Ok(news)
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

    /// Nobody knows what the store has done: it has to be found out.
    pub(super) const fn doubt(&mut self) {
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
    pub(super) fn takes_a_line(&mut self, user: UserId, room: Room, plays: bool) -> bool {
        // Whom the room has no place for has not used up what he may say himself.
        let has_place = |room: &mut RoomTalk| room.meter(plays).has_one();
        self.known(room).is_none_or(has_place)
            && self.speakers.take(user)
            && self.known(room).is_none_or(|room| room.meter(plays).take())
    }

    /// May somebody keep order once more now?
    pub(super) fn takes_order(&mut self, user: UserId) -> bool {
        self.moderators.take(user)
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
            players: Meter::new(TALK_LINES_A_SECOND_MAX, TALK_LINES_A_SECOND_MAX),
            others: Meter::new(TALK_LINES_A_SECOND_MAX, TALK_LINES_A_SECOND_MAX),
        })
    }

    /// Takes what was read for what is so, and says what has come about since it was known last.
    fn becomes(&mut self, now: RoomTalk) -> Vec<News> {
        let RoomTalk {
            last,
            closed,
            muted,
            recent,
            players: _,
            others: _,
        } = now;
        let mut changes = Vec::new();
        if last < self.last {
            changes.push((None, TalkChange::Cleared));
            self.last = 0;
        }
        let had_text = |n: u32| {
            let mut before = self.recent.iter();
            before.any(|said| said.row.n == n && said.row.text.is_some())
        };
        let (before, after): (Vec<&Said>, Vec<&Said>) =
            recent.iter().partition(|said| said.row.n <= self.last);
        for Said { row, .. } in before {
            if row.text.is_none() && had_text(row.n) {
                changes.push((None, TalkChange::Removed { line: row.n }));
            }
        }
        match (self.closed, closed) {
            (false, true) => changes.push((None, TalkChange::Closed)),
            (true, false) => changes.push((None, TalkChange::Opened)),
            _ => {}
        }
        let is_new = muted.difference(&self.muted);
        changes.extend(is_new.map(|user| (Some(*user), TalkChange::Muted)));
        let is_over = self.muted.difference(&muted);
        changes.extend(is_over.map(|user| (Some(*user), TalkChange::Unmuted)));
        let changes = changes.into_iter();
        let changes = changes.map(|(whom, what)| News::Changed { whom, what });
        let lines = after.iter().map(|said| view(&said.row, &said.name));
        let news = changes.chain(lines.map(News::Said)).collect();
        (self.last, self.closed) = (last, closed);
        (self.muted, self.recent) = (muted, recent);
        news
    }

    const fn meter(&mut self, plays: bool) -> &mut Meter {
        if plays {
            &mut self.players
        } else {
            &mut self.others
        }
    }

    /// Are as many lines said as may be? The last of them are for those who play.
    pub(super) const fn is_full(&self, plays: bool) -> bool {
        let kept = if plays { 0 } else { TALK_LINES_FOR_PLAYERS };
        self.last >= TALK_LINES_A_ROOM_MAX - kept
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
        side: row.side,
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
            players: Meter::new(1, 1),
            others: Meter::new(1, 1),
        }
    }

    /// Whoever was refused because others have said too much may say as much as before.
    #[tokio::test(start_paused = true)]
    async fn a_room_without_a_place_takes_nothing_from_who_speaks() {
        let mut talk = Talk {
            public: Some(empty_room()),
            ..Talk::default()
        };
        let mut says = |number| talk.takes_a_line(user(number), Room::Public, false);
        assert!(says(1));
        assert!((0..100).all(|_| !says(2)));
        for _ in 0..TALK_BURST_MAX {
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(says(2));
        }
    }

    /// However much the crowd says, those who play are heard.
    #[tokio::test(start_paused = true)]
    async fn a_crowd_leaves_room_for_those_who_play() {
        let mut room = empty_room();
        room.last = TALK_LINES_A_ROOM_MAX - TALK_LINES_FOR_PLAYERS;
        assert!(room.is_full(false) && !room.is_full(true));
        room.last = TALK_LINES_A_ROOM_MAX;
        assert!(room.is_full(true));
        let mut talk = Talk {
            public: Some(empty_room()),
            ..Talk::default()
        };
        let mut says = |number, plays| talk.takes_a_line(user(number), Room::Public, plays);
        assert!(says(1, false) && !says(2, false));
        assert!(says(3, true) && !says(4, true));
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_come_about_unseen_is_news_once() {
        let line = |n: u32, text: Option<&str>| LineRow {
            n,
            user: user(1),
            side: None,
            at_ms: 0,
            text: text.map(str::to_owned),
        };
        let with = |lines: &[LineRow], muted: &[u128]| {
            let mut room = empty_room();
            for row in lines {
                room.add(row.clone(), "Ann".to_owned());
            }
            room.muted = muted.iter().map(|number| user(*number)).collect();
            room
        };
        let told = |room: &mut RoomTalk, now: &dyn Fn() -> RoomTalk| {
            let news = room.becomes(now());
            assert_eq!(room.becomes(now()), [], "it is news once");
            news
        };
        let changed = |whom: Option<u128>, what| News::Changed {
            whom: whom.map(user),
            what,
        };
        let mut room = with(&[line(1, Some("a")), line(2, None)], &[7]);
        let now = || {
            let lines = [line(1, None), line(2, None), line(3, Some("c"))];
            let mut now = with(&lines, &[8]);
            now.closed = true;
            now
        };
        let expected = [
            changed(None, TalkChange::Removed { line: 1 }),
            changed(None, TalkChange::Closed),
            changed(Some(8), TalkChange::Muted),
            changed(Some(7), TalkChange::Unmuted),
            News::Said(view(&line(3, Some("c")), "Ann")),
        ];
        assert_eq!(told(&mut room, &now), expected);
        assert_eq!(room.lines_after(2).len(), 1);
        let cleared = told(&mut room, &|| with(&[line(1, Some("d"))], &[8]));
        let expected = [
            changed(None, TalkChange::Cleared),
            changed(None, TalkChange::Opened),
            News::Said(view(&line(1, Some("d")), "Ann")),
        ];
        assert_eq!(cleared, expected);
        assert_eq!(room.last(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_told_at_once_is_bounded_and_goes_on_after_a_number() {
        let mut room = empty_room();
        for n in 1..=70 {
            let row = LineRow {
                n,
                user: user(1),
                side: None,
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
