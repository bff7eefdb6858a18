//! What the followers of a match are told beside its events.

use super::Actor;
use crate::hub::{Outbox, frame};
use crate::matches::narrate;
use crate::metrics::{self, Resync};
use mancala_engine::{BySide, Side};
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
                let frames =
                    history.frames(self.id, self.name, missed, &self.names, BySide::both(false));
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
        let mut team = user.and_then(|user| self.your_team(user));
        // What was missed may end what was deliberated on then; what is now comes after it.
        let council = match &mut team {
            Some(team) if from < seq => team.council.take(),
            _ => None,
        };
        let mut joined = ServerMessage::Joined {
            id,
            r#match: self.name,
            role: Role::from(side),
            seq: from,
            view: missed.is_none().then(|| Box::new(self.view())),
            elapsed_ms: missed.as_ref().and(self.elapsed_ms()),
            team,
        };
        outbox.must_send(frame(&joined));
        for frame in missed.into_iter().flatten() {
            outbox.must_send(frame);
        }
        if council.is_some()
            && let ServerMessage::Joined {
                id, seq: at, team, ..
            } = &mut joined
        {
            (*id, *at) = (None, seq);
            if let Some(team) = team {
                team.council = council;
            }
            outbox.must_send(frame(&joined));
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
        self.joined_as(self.play.side_of(user), self.your_team(user))
    }

    /// The match as it stands, for somebody who has not asked for it.
    fn joined_as(&self, side: Option<Side>, team: Option<Box<YourTeam>>) -> ServerMessage {
        ServerMessage::Joined {
            id: None,
            r#match: self.name,
            role: Role::from(side),
            seq: self.play.public_seq(),
            view: Some(Box::new(self.view())),
            elapsed_ms: None,
            team,
        }
    }

    fn your_team(&self, user: UserId) -> Option<Box<YourTeam>> {
        convert::your_team(&self.play, user, self.passing()).map(Box::new)
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
        // Most of those who watch are in no team, and one view is for them all.
        let mut for_all = None;
        audience.catch_up(|user| {
            let team = user.and_then(|user| self.your_team(user));
            let joined = |team| frame(&self.joined_as(None, team));
            match team {
                Some(team) => joined(Some(team)),
                None => for_all.get_or_insert_with(|| joined(None)).clone(),
            }
        });
        drop(audience);
        self.miss_who_was_cut_off();
    }
}
