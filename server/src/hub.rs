//! How frames get from a match to the sockets of those who follow it.
//!
//! May know sockets by their queues alone, where they listen, and frames as bytes, never what
//! is in them. This
//! is the seam where a second node would join: what one process publishes here, others
//! would take from a message bus.

use crate::metrics::{self, Resync};
use bytes::Bytes;
use mancala_engine::Side;
use mancala_play::{Room, UserId};
use mancala_protocol::{Code, ServerMessage};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A message as it goes out: JSON, serialised once and shared by all who get it.
pub(crate) type Frame = Bytes;

/// Room for most messages, so that one need not grow while it is written.
const FRAME_BYTES: usize = 512;

/// Serialises a message.
pub(crate) fn frame(message: &ServerMessage) -> Frame {
    let mut frame = Vec::with_capacity(FRAME_BYTES);
    // The types of messages have no maps with keys other than text, which alone could fail.
    serde_json::to_writer(&mut frame, message).expect("every message has a JSON form");
    frame.into()
}

/// What goes out on a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// A message.
    Frame(Frame),
    /// A ping, to see how long the way takes.
    Ping,
}

/// The name of a socket in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SessionId(pub(crate) u32);

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// The way to one socket: a bounded queue, a cord to cut it by, and how long it is.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    session: SessionId,
    queue: mpsc::Sender<Outgoing>,
    line: Arc<Line>,
}

/// What a socket and all that send to it know of it together.
#[derive(Debug, Default)]
struct Line {
    cord: Cord,
    /// How long the way takes there and back; 0 until somebody has measured it.
    round_trip_ms: AtomicU32,
}

/// Cuts a socket, once, and says why.
#[derive(Debug, Default)]
pub(crate) struct Cord {
    why: Mutex<Option<Code>>,
    cut: CancellationToken,
}

impl Cord {
    /// Cuts the socket; the first reason counts.
    pub(crate) fn cut(&self, why: Code) {
        self.why.lock().get_or_insert(why);
        self.cut.cancel();
    }

    /// Waits until somebody cuts it, and says why.
    pub(crate) async fn wait(&self) -> Code {
        self.cut.cancelled().await;
        self.why.lock().unwrap_or(Code::Internal)
    }
}

/// The queue of a socket is full, or the socket is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    Full,
    Gone,
}

impl Outbox {
    /// A queue for so many frames, and where they come out.
    pub(crate) fn new(session: SessionId, room: usize) -> (Outbox, mpsc::Receiver<Outgoing>) {
        let (queue, outgoing) = mpsc::channel(room);
        let outbox = Outbox {
            session,
            queue,
            line: Arc::default(),
        };
        (outbox, outgoing)
    }

    pub(crate) const fn session(&self) -> SessionId {
        self.session
    }

    pub(crate) fn cord(&self) -> &Cord {
        &self.line.cord
    }

    /// How long the way takes there and back, as it was measured last, in milliseconds.
    pub(crate) fn round_trip_ms(&self) -> u32 {
        self.line.round_trip_ms.load(Ordering::Relaxed)
    }

    /// Tells all that send to this socket how long the way takes there and back.
    pub(crate) fn measured(&self, round_trip_ms: u32) {
        let told = &self.line.round_trip_ms;
        told.store(round_trip_ms, Ordering::Relaxed);
    }

    /// Has the way measured, right after what waits in the queue. Where that is full it is
    /// left for another time.
    pub(crate) fn measure(&self) {
        _ = self.queue.try_send(Outgoing::Ping);
    }

    /// Puts a frame into the queue, if there is room.
    pub(crate) fn send(&self, frame: Frame) -> Result<(), NotSent> {
        let sent = self.queue.try_send(Outgoing::Frame(frame));
        sent.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => NotSent::Full,
            mpsc::error::TrySendError::Closed(_) => NotSent::Gone,
        })
    }

    /// Sends what its reader cannot do without: where it does not fit, the socket is cut,
    /// and its client comes back for it.
    pub(crate) fn must_send(&self, frame: Frame) {
        if self.send(frame) == Err(NotSent::Full) {
            self.cord().cut(Code::TooSlow);
        }
    }

    /// Is at least half of the queue free?
    fn has_room(&self) -> bool {
        self.queue.capacity() * 2 >= self.queue.max_capacity()
    }
}

/// The sockets that follow a match.
#[derive(Debug, Default)]
pub(crate) struct Audience {
    followers: Vec<Follower>,
}

/// A socket whose user plays for another side now, or for none.
#[derive(Debug)]
pub(crate) struct Moved {
    outbox: Outbox,
    pub(crate) user: UserId,
}

#[derive(Debug)]
struct Follower {
    outbox: Outbox,
    user: Option<UserId>,
    side: Option<Side>,
    /// Missed a frame, and gets no more until it has a fresh view.
    behind: bool,
    rooms: Rooms,
}

/// The rooms to which a socket listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rooms(u8);

impl Rooms {
    const fn bit(room: Room) -> u8 {
        match room {
            Room::Public => 1,
            Room::Team(Side::South) => 2,
            Room::Team(Side::North) => 4,
        }
    }

    const fn has(self, room: Room) -> bool {
        self.0 & Rooms::bit(room) != 0
    }

    const fn add(&mut self, room: Room) {
        self.0 |= Rooms::bit(room);
    }

    const fn remove(&mut self, room: Room) {
        self.0 &= !Rooms::bit(room);
    }

    /// Who plays for another side now listens to no team any more.
    const fn leave_teams(&mut self) {
        self.0 &= Rooms::bit(Room::Public);
    }
}

/// Who of those that listen to a room may hear what is said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ears {
    /// All.
    Everybody,
    /// The members of the team whose room it is.
    Members,
}

impl Follower {
    /// Is it told now what is said in a room?
    fn hears(&self, room: Room, ears: Ears) -> bool {
        let may = match (ears, room) {
            (Ears::Everybody, _) | (_, Room::Public) => true,
            (Ears::Members, Room::Team(side)) => self.side == Some(side),
        };
        may && self.rooms.has(room) && !self.behind && self.outbox.has_room()
    }
}

impl Audience {
    /// Adds a socket, or puts it in its place anew.
    pub(crate) fn add(&mut self, outbox: Outbox, user: Option<UserId>, side: Option<Side>) {
        let session = outbox.session();
        let before = self
            .followers
            .iter()
            .find(|one| one.outbox.session() == session);
        // It goes on listening, if it may.
        let mut rooms = before.map_or_else(Rooms::default, |before| before.rooms);
        if before.is_some_and(|before| before.side != side) {
            rooms.leave_teams();
        }
        self.remove(session);
        self.followers.push(Follower {
            outbox,
            user,
            side,
            behind: false,
            rooms,
        });
    }

    /// Takes a socket away, and says whether it was there.
    pub(crate) fn remove(&mut self, session: SessionId) -> bool {
        let before = self.followers.len();
        self.followers
            .retain(|follower| follower.outbox.session() != session);
        self.followers.len() < before
    }

    /// The side that a socket plays.
    pub(crate) fn side_of(&self, session: SessionId) -> Option<Side> {
        let mut followers = self.followers.iter();
        followers
            .find(|follower| follower.outbox.session() == session)?
            .side
    }

    /// Somebody who follows already has taken a seat.
    pub(crate) fn seat(&mut self, user: UserId, side: Side) {
        for follower in &mut self.followers {
            if follower.user == Some(user) {
                follower.side = Some(side);
            }
        }
    }

    /// Who plays for which side has changed: puts everybody who follows in his place, and says
    /// which sockets are in another one now.
    pub(crate) fn reseat(&mut self, side_of: impl Fn(UserId) -> Option<Side>) -> Vec<Moved> {
        let mut moved = Vec::new();
        for follower in &mut self.followers {
            let Some(user) = follower.user else {
                continue;
            };
            let side = side_of(user);
            if side != std::mem::replace(&mut follower.side, side) {
                // It has a fresh view before it is sent anything else.
                follower.behind = true;
                follower.rooms.leave_teams();
                moved.push(Moved {
                    outbox: follower.outbox.clone(),
                    user,
                });
            }
        }
        moved
    }

    /// Brings a socket up to date that is in another place now.
    pub(crate) fn place(&mut self, moved: &Moved, view: Frame) {
        if let Some(follower) = self.with(moved.outbox.session()) {
            follower.behind = false;
            follower.outbox.must_send(view);
        }
    }

    /// Is this user connected?
    pub(crate) fn is_connected(&self, user: UserId) -> bool {
        let mut followers = self.followers.iter();
        followers.any(|follower| follower.user == Some(user))
    }

    /// Sends a frame to the members of one team alone.
    pub(crate) fn publish_to(&mut self, side: Side, frame: &Frame) {
        for follower in &self.followers {
            if follower.side == Some(side) && !follower.behind {
                follower.outbox.must_send(frame.clone());
            }
        }
    }

    /// From now on a socket is told what is said in a room.
    pub(crate) fn listen(&mut self, session: SessionId, room: Room) {
        if let Some(follower) = self.with(session) {
            follower.rooms.add(room);
        }
    }

    /// From now on it is not.
    pub(crate) fn unlisten(&mut self, session: SessionId, room: Room) {
        if let Some(follower) = self.with(session) {
            follower.rooms.remove(room);
        }
    }

    fn with(&mut self, session: SessionId) -> Option<&mut Follower> {
        let mut followers = self.followers.iter_mut();
        followers.find(|one| one.outbox.session() == session)
    }

    /// Sends a frame to those who listen to a room, or to one of them alone. Who has little room
    /// left in his queue goes without, so that nobody is cut off from a match by talk.
    pub(crate) fn tell(&self, room: Room, ears: Ears, whom: Option<UserId>, frame: &Frame) {
        for follower in &self.followers {
            let is_meant = whom.is_none() || follower.user == whom;
            if is_meant && follower.hears(room, ears) {
                // Whoever is gone is dealt with when the next event comes.
                let _talk = follower.outbox.send(frame.clone());
            }
        }
    }

    /// Does nobody follow?
    pub(crate) fn is_empty(&self) -> bool {
        self.followers.is_empty()
    }

    /// Does somebody wait for a fresh view?
    pub(crate) fn anyone_behind(&self) -> bool {
        self.followers.iter().any(|follower| follower.behind)
    }

    /// Is the holder of a side's seat connected?
    pub(crate) fn is_here(&self, side: Side) -> bool {
        self.followers
            .iter()
            .any(|follower| follower.side == Some(side))
    }

    /// How many follow without a seat.
    pub(crate) fn watching(&self) -> usize {
        let watches = |follower: &&Follower| follower.side.is_none();
        self.followers.iter().filter(watches).count()
    }

    /// Sends a frame to all. A player whose queue is full is cut off and comes back for
    /// what it missed; a spectator skips to a fresh view when there is room again.
    pub(crate) fn publish(&mut self, frame: &Frame) {
        self.followers.retain_mut(|follower| {
            if follower.behind {
                return true;
            }
            match follower.outbox.send(frame.clone()) {
                Ok(()) => true,
                Err(NotSent::Gone) => false,
                Err(NotSent::Full) if follower.side.is_some() => {
                    follower.outbox.cord().cut(Code::TooSlow);
                    false
                }
                Err(NotSent::Full) => {
                    follower.behind = true;
                    true
                }
            }
        });
    }

    /// Sends what only the last one of counts: who has no room goes without.
    pub(crate) fn publish_passing(&mut self, frame: &Frame) {
        for follower in &self.followers {
            if !follower.behind {
                // Whoever is full or gone is dealt with when the next event comes.
                let _passing = follower.outbox.send(frame.clone());
            }
        }
    }

    /// Sends a frame to the sockets of one side.
    pub(crate) fn send_to(&mut self, side: Side, frame: &Frame) {
        for follower in &self.followers {
            if follower.side == Some(side) {
                follower.outbox.must_send(frame.clone());
            }
        }
    }

    /// Has the ways to the sockets of one side measured.
    pub(crate) fn measure(&self, side: Side) {
        for follower in &self.followers {
            if follower.side == Some(side) {
                follower.outbox.measure();
            }
        }
    }

    /// Brings those up to date who are behind and have room again, each by the view for him.
    pub(crate) fn catch_up(&mut self, mut view_for: impl FnMut(Option<UserId>) -> Frame) {
        let waits = |follower: &Follower| follower.behind && follower.outbox.has_room();
        if !self.followers.iter().any(waits) {
            return;
        }
        for follower in &mut self.followers {
            if waits(follower) {
                let view = view_for(follower.user);
                follower.behind = follower.outbox.send(view).is_err();
                if !follower.behind {
                    metrics::resynced(Resync::Skip);
                }
            }
        }
        self.followers
            .retain(|follower| !follower.outbox.queue.is_closed());
    }

    /// Cuts every socket: the match has no task any more that would send them anything.
    pub(crate) fn cut_all(&mut self, why: Code) {
        for follower in self.followers.drain(..) {
            follower.outbox.cord().cut(why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follower(
        audience: &mut Audience,
        number: u32,
        side: Option<Side>,
    ) -> (Outbox, mpsc::Receiver<Outgoing>) {
        let (outbox, frames) = Outbox::new(SessionId(number), 2);
        audience.add(outbox.clone(), None, side);
        (outbox, frames)
    }

    fn numbered(number: u8) -> Frame {
        Bytes::copy_from_slice(&[number])
    }

    fn told(number: u8) -> Outgoing {
        Outgoing::Frame(numbered(number))
    }

    /// A queue of them is most of what an idle socket has from the hub.
    #[test]
    fn what_goes_out_is_as_small_as_a_frame() {
        assert_eq!(size_of::<Outgoing>(), size_of::<Frame>());
    }

    #[test]
    fn a_ping_comes_after_what_was_sent_before_it_and_never_cuts() {
        let (outbox, mut outgoing) = Outbox::new(SessionId(1), 2);
        outbox.must_send(numbered(1));
        outbox.measure();
        outbox.measure();
        assert_eq!(outgoing.try_recv(), Ok(told(1)));
        assert_eq!(outgoing.try_recv(), Ok(Outgoing::Ping));
        assert!(outgoing.try_recv().is_err());
        let also = outbox.clone();
        outbox.measured(70);
        assert_eq!(also.round_trip_ms(), 70);
    }

    #[test]
    fn a_spectator_who_is_full_skips_to_a_fresh_view() {
        let mut audience = Audience::default();
        let (_outbox, mut frames) = follower(&mut audience, 1, None);
        for number in 0..5 {
            audience.publish(&numbered(number));
        }
        assert!(audience.anyone_behind());
        audience.catch_up(|_| unreachable!("there is no room yet"));
        assert_eq!(frames.try_recv(), Ok(told(0)));
        audience.catch_up(|_| numbered(100));
        assert!(!audience.anyone_behind());
        audience.publish(&numbered(5));
        // The queue is full again behind the view, so that frame is missed too.
        assert_eq!(frames.try_recv(), Ok(told(1)));
        assert_eq!(frames.try_recv(), Ok(told(100)));
        assert!(audience.anyone_behind());
    }

    /// A socket with room for four frames, as whom it belongs to, on a side.
    fn listener(
        audience: &mut Audience,
        number: u32,
        side: Option<Side>,
    ) -> (Outbox, mpsc::Receiver<Outgoing>) {
        let (outbox, frames) = Outbox::new(SessionId(number), 4);
        let user = UserId(uuid::Uuid::from_u128(number.into()));
        audience.add(outbox.clone(), Some(user), side);
        (outbox, frames)
    }

    #[test]
    fn talk_goes_to_those_alone_who_listen_and_may_hear() {
        let mut audience = Audience::default();
        let south = Room::Team(Side::South);
        let (member, mut to_member) = listener(&mut audience, 1, Some(Side::South));
        let (_silent, mut to_silent) = listener(&mut audience, 2, Some(Side::South));
        let (other, mut to_other) = listener(&mut audience, 3, Some(Side::North));
        let (watcher, mut to_watcher) = listener(&mut audience, 4, None);
        for outbox in [&member, &other, &watcher] {
            for room in Room::ALL {
                audience.listen(outbox.session(), room);
            }
        }
        audience.tell(Room::Public, Ears::Everybody, None, &numbered(1));
        audience.tell(south, Ears::Members, None, &numbered(2));
        audience.tell(south, Ears::Everybody, None, &numbered(3));
        let nobody = UserId(uuid::Uuid::from_u128(4));
        audience.tell(Room::Public, Ears::Everybody, Some(nobody), &numbered(4));
        let heard = |frames: &mut mpsc::Receiver<Outgoing>| {
            let one = |_| frames.try_recv().ok();
            (0..4).filter_map(one).collect::<Vec<_>>()
        };
        assert_eq!(heard(&mut to_member), [told(1), told(2), told(3)]);
        assert_eq!(heard(&mut to_silent), []);
        assert_eq!(heard(&mut to_other), [told(1), told(3)]);
        assert_eq!(heard(&mut to_watcher), [told(1), told(3), told(4)]);

        // Who joins again goes on listening; who plays for nobody any more does not, to a team,
        // also when he is a member again.
        let user = |number: u128| UserId(uuid::Uuid::from_u128(number));
        audience.add(member.clone(), Some(user(1)), Some(Side::South));
        audience.tell(south, Ears::Members, None, &numbered(5));
        assert_eq!(heard(&mut to_member), [told(5)]);
        let moved = audience.reseat(|_| None);
        assert_eq!(moved.len(), 3);
        audience.place(&moved[2], numbered(6));
        audience.tell(south, Ears::Everybody, None, &numbered(7));
        audience.tell(Room::Public, Ears::Everybody, None, &numbered(8));
        assert_eq!(heard(&mut to_member), [told(6), told(8)]);
        audience.add(member.clone(), Some(user(1)), Some(Side::South));
        audience.tell(south, Ears::Members, None, &numbered(9));
        assert_eq!(heard(&mut to_member), []);
        audience.unlisten(member.session(), Room::Public);
        audience.tell(Room::Public, Ears::Everybody, None, &numbered(10));
        assert_eq!(heard(&mut to_member), []);
    }

    /// Half of a queue is kept free for the match.
    #[test]
    fn talk_cuts_nobody_off() {
        let mut audience = Audience::default();
        let (outbox, mut frames) = listener(&mut audience, 1, Some(Side::South));
        audience.listen(outbox.session(), Room::Public);
        for number in 0..9 {
            audience.tell(Room::Public, Ears::Everybody, None, &numbered(number));
        }
        audience.publish(&numbered(100));
        let heard = (0..9).filter_map(|_| frames.try_recv().ok());
        assert_eq!(
            heard.collect::<Vec<_>>(),
            [told(0), told(1), told(2), told(100)]
        );
        assert!(audience.is_here(Side::South));
    }

    #[tokio::test]
    async fn a_player_who_is_full_is_cut_off_and_others_are_not() {
        let mut audience = Audience::default();
        let (slow, _frames) = follower(&mut audience, 1, Some(Side::South));
        let (_quick, mut read) = follower(&mut audience, 2, Some(Side::North));
        for number in 0..5 {
            audience.publish(&numbered(number));
            assert_eq!(read.try_recv(), Ok(told(number)));
        }
        assert_eq!(slow.cord().wait().await, Code::TooSlow);
        assert!(audience.is_here(Side::North) && !audience.is_here(Side::South));
    }
}
