//! What the followers of a match are told beside its events.

use super::Actor;
use crate::hub::{Outbox, frame};
use crate::matches::narrate;
use crate::metrics::{self, Resync};
use mancala_play::UserId;
use mancala_protocol::limits::MISSED_EVENTS_MAX;
use mancala_protocol::{MatchView, Role, ServerMessage, YourTeam, convert};
use tracing::warn;

impl Actor {
    /// Follows the match on a socket: what it missed, or all there is.
    pub(super) async fn join(
        &mut self,
        outbox: Outbox,
        user: Option<UserId>,
        since: Option<u64>,
        id: Option<u32>,
    ) {
        let side = user.and_then(|user| self.play.side_of(user));
        if let Some(side) = side {
            Box::pin(self.welcome_back(side)).await;
        }
        let seq = self.play.public_seq();
        let few = |since: &u64| *since > 0 && *since <= seq && seq - since <= MISSED_EVENTS_MAX;
        let missed = match since.filter(few) {
            None => None,
            Some(since) if since == seq => Some((since, Vec::new())),
            Some(since) => {
                let history = self.matches.history();
                let missed = (since, self.play.seq());
                let frames = history.frames(self.id, self.name, missed, &self.names);
                let frames = frames.await;
                if let Err(error) = &frames {
                    // The view is in memory, and as good.
                    warn!(
                        ?error,
                        since, "missed events could not be read, so a view is sent"
                    );
                }
                frames.ok().map(|frames| (since, frames))
            }
        };
        let (from, missed) = missed.map_or((seq, None), |(since, frames)| (since, Some(frames)));
        metrics::resynced(match missed {
            Some(_) => Resync::Events,
            None => Resync::View,
        });
        let joined = ServerMessage::Joined {
            id,
            r#match: self.name,
            role: Role::from(side),
            seq: from,
            view: missed.is_none().then(|| Box::new(self.view())),
            elapsed_ms: missed.as_ref().and(self.elapsed_ms()),
            team: user.and_then(|user| self.your_team(user)),
        };
        outbox.must_send(frame(&joined));
        for frame in missed.into_iter().flatten() {
            outbox.must_send(frame);
        }
        let mut audience = self.audience.lock();
        audience.add(outbox.clone(), user, side);
        if let Some(side) = side {
            self.seats.sit(side);
        }
        outbox.must_send(frame(&self.presence(&audience)));
        if let Some(legal) = side.and_then(|side| convert::legal_frame(self.name, &self.play, side))
        {
            outbox.must_send(frame(&legal));
            if self.play.deadline_ms().is_some() {
                outbox.measure();
            }
        }
        drop(audience);
        self.presence_due = true;
        self.meet_people();
    }

    /// What somebody is told whose place in the match is another one now.
    pub(super) fn joined_anew(&self, user: UserId) -> ServerMessage {
        ServerMessage::Joined {
            id: None,
            r#match: self.name,
            role: Role::from(self.play.side_of(user)),
            seq: self.play.public_seq(),
            view: Some(Box::new(self.view())),
            elapsed_ms: None,
            team: self.your_team(user),
        }
    }

    fn your_team(&self, user: UserId) -> Option<Box<YourTeam>> {
        convert::your_team(&self.play, user).map(Box::new)
    }

    pub(super) fn view(&self) -> MatchView {
        let name_of = |user: UserId| narrate::name_of(&self.names, user);
        convert::view(self.name, &self.play, &name_of, self.passing())
    }

    pub(super) fn tell_legal(&self) {
        let Some(side) = self.play.to_move() else {
            return;
        };
        let mut audience = self.audience.lock();
        if audience.is_here(side)
            && let Some(legal) = convert::legal_frame(self.name, &self.play, side)
        {
            audience.send_to(side, &frame(&legal));
            if self.play.deadline_ms().is_some() {
                audience.measure(side);
            }
        }
    }

    /// What may wait a moment: presence, and spectators who are behind.
    pub(super) fn tick(&mut self) {
        let mut audience = self.audience.lock();
        if std::mem::take(&mut self.presence_due) {
            let told = frame(&self.presence(&audience));
            audience.publish_passing(&told);
        }
        audience.catch_up(|| {
            frame(&ServerMessage::Joined {
                id: None,
                r#match: self.name,
                role: Role::Spectator,
                seq: self.play.public_seq(),
                view: Some(Box::new(self.view())),
                elapsed_ms: None,
                team: None,
            })
        });
        drop(audience);
        self.miss_who_was_cut_off();
    }
}
