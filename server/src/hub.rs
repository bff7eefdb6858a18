//! How frames get from a match to the sockets of those who follow it.
//!
//! May know sockets by their queues alone and frames as bytes, never what is in them. This
//! is the seam where a second node would join: what one process publishes here, others
//! would take from a message bus.

use crate::metrics::{self, Resync};
use bytes::Bytes;
use mancala_engine::Side;
use mancala_play::UserId;
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
}

impl Audience {
    /// Adds a socket, or puts it in its place anew.
    pub(crate) fn add(&mut self, outbox: Outbox, user: Option<UserId>, side: Option<Side>) {
        self.remove(outbox.session());
        self.followers.push(Follower {
            outbox,
            user,
            side,
            behind: false,
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
        let session = moved.outbox.session();
        let mut followers = self.followers.iter_mut();
        if let Some(follower) = followers.find(|one| one.outbox.session() == session) {
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
