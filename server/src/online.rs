//! Which sockets are whose, to tell people what concerns them wherever in the place they are.
//!
//! May know people and queues, never what they are told.

use crate::hub::{Frame, Outbox, SessionId};
use mancala_play::UserId;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The sockets of the people who have greeted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Online(Arc<Mutex<HashMap<UserId, Vec<Outbox>>>>);

impl Online {
    /// Somebody has greeted on a socket.
    pub(crate) fn came(&self, user: UserId, outbox: Outbox) -> Here {
        let session = outbox.session();
        self.0.lock().entry(user).or_default().push(outbox);
        Here {
            online: self.clone(),
            user,
            session,
        }
    }

    fn went(&self, user: UserId, session: SessionId) {
        let mut people = self.0.lock();
        if let Some(sockets) = people.get_mut(&user) {
            sockets.retain(|outbox| outbox.session() != session);
            if sockets.is_empty() {
                people.remove(&user);
            }
        }
    }

    /// Tells somebody, on each of his sockets that takes it, what he can also ask for.
    pub(crate) fn tell(&self, user: UserId, frame: &Frame) {
        let people = self.0.lock();
        for outbox in people.get(&user).into_iter().flatten() {
            // A socket that takes nothing more is cut by what it cannot do without.
            _ = outbox.send(frame.clone());
        }
    }
}

/// Somebody is online on a socket for as long as this is kept.
#[derive(Debug)]
pub(crate) struct Here {
    online: Online,
    user: UserId,
    session: SessionId,
}

impl Drop for Here {
    fn drop(&mut self) {
        self.online.went(self.user, self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Outgoing;
    use uuid::Uuid;

    #[test]
    fn everybody_is_told_on_all_of_his_sockets_and_nobody_on_those_that_ended() {
        let online = Online::default();
        let [ann, ben] = [1, 2].map(|number| UserId(Uuid::from_u128(number)));
        let mut sockets = [(1, ann), (2, ann), (3, ben)].map(|(session, user)| {
            let (outbox, queue) = Outbox::new(SessionId(session), 4);
            (Some(online.came(user, outbox)), queue)
        });
        online.tell(ann, &Frame::from_static(b"one"));
        sockets[0].0 = None;
        online.tell(ann, &Frame::from_static(b"two"));
        sockets[1].0 = None;
        online.tell(ann, &Frame::from_static(b"three"));
        let mut told = |socket: usize| {
            let (_, queue) = &mut sockets[socket];
            let frames = std::iter::from_fn(|| queue.try_recv().ok());
            frames
                .map(|outgoing| match outgoing {
                    Outgoing::Frame(frame) => frame,
                    Outgoing::Ping => Frame::new(),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(told(0), ["one"]);
        assert_eq!(told(1), ["one", "two"]);
        assert!(told(2).is_empty());
        assert_eq!(online.0.lock().len(), 1, "who is gone is not kept");
    }
}
