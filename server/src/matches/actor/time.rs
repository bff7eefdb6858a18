//! What happens in a match by itself, and when: the one place in which time decides anything.

use super::{Actor, Next};
use crate::hub::Outbox;
use crate::store::AppendError;
use mancala_play::{Context, Spent, UserId};
use mancala_protocol::convert::Passing;
use tracing::error;

impl Actor {
    /// The service time at which something is due by itself, should nothing happen before.
    pub(super) fn deadline_ms(&self) -> Option<i64> {
        Some(self.since_ms.saturating_add(self.play.deadline_ms()?))
    }

    /// When to load the match again after its task has ended early.
    pub(super) fn again_ms(&self) -> Option<i64> {
        let spec = self.play.spec();
        let timed = !spec.clock.is_untimed() || spec.teams.is_some();
        timed.then(|| self.matches.soon_ms())
    }

    pub(super) fn set_alarm(&mut self) {
        let deadline_ms = self.deadline_ms();
        let presence_ms = self.seats.next_ms(&self.play);
        let people_ms = self.people.next_ms(&self.play);
        let next_ms = [deadline_ms, presence_ms, people_ms];
        self.alarm.set(next_ms.into_iter().flatten().min());
        if deadline_ms.is_some() != self.looks_after.is_some() {
            let timers = &self.matches.inner.timers;
            self.looks_after = deadline_ms.map(|_| timers.looks_after());
        }
    }

    /// Something is due, and all that waited when it fell due has been taken. Without this,
    /// whoever keeps the mailbox full could hold up his loss.
    pub(super) fn mail_has_had_its_turn(&mut self) -> bool {
        let is_due = |due_ms| self.matches.inner.service.now_ms() >= due_ms;
        if self.stalled || !self.deadline_ms().is_some_and(is_due) {
            self.mail_first = 0;
            return false;
        }
        self.mail_first = match self.mail_first {
            0 => self.mail.len(),
            left => left - 1,
        };
        self.mail_first == 0
    }

    /// Does what is due by now. While the store takes no writes, that waits for it.
    pub(super) async fn be_punctual(&mut self) -> Next {
        let now_ms = self.matches.inner.service.now_ms();
        match Box::pin(self.do_what_is_due(now_ms)).await {
            Ok(()) => {
                self.miss_who_was_cut_off();
                Next::GoOn
            }
            Err(failed) => {
                self.stalled = true;
                self.after_failed(failed)
            }
        }
    }

    /// Does what was due by itself until a service time, one after another. This is the one
    /// place where time decides anything.
    pub(super) async fn do_what_is_due(&mut self, until_ms: i64) -> Result<(), AppendError> {
        self.find_out().await?;
        while let Some(due_ms) = self.deadline_ms().filter(|due_ms| *due_ms <= until_ms) {
            let events = self
                .play
                .decide_due(&self.context(Spent::NOTHING, until_ms));
            if events.is_empty() {
                error!(
                    seq = self.play.seq(),
                    "something was due, and nothing came of it"
                );
                self.since_ms = until_ms.saturating_add(1);
                break;
            }
            self.commit(events, due_ms).await?;
        }
        self.write_who_is_back(until_ms).await?;
        while let Some((side, how)) = self.seats.gone_by(until_ms, &self.play) {
            let events = self.play.decide_gone(side, how);
            self.commit(events, until_ms).await?;
        }
        while let Some(user) = self.people.changed_by(until_ms, &self.play) {
            let elapsed_ms = until_ms.saturating_sub(self.since_ms).max(0);
            let context = self.context(Spent::new(elapsed_ms, 0), until_ms);
            let events = if self.people.is_away(user) {
                self.play.decide_absent(user, &context)
            } else {
                self.play.decide_present(user, &context)
            };
            if events.is_empty() {
                error!(user.id = %user, "somebody was to be missed, or is back, and nothing came of it");
                break;
            }
            self.commit(events, until_ms).await?;
        }
        Ok(())
    }

    pub(super) fn context(&self, spent: Spent, now_ms: i64) -> Context {
        Context {
            lot: self.matches.inner.world.chance.side(),
            spent,
            away_ms: self.seats.away_ms(now_ms),
            rematch: self.rematch,
        }
    }

    /// Where no time is looked at.
    pub(super) fn idle_context(&self) -> Context {
        Context::untimed(self.matches.inner.world.chance.side())
    }

    /// What goes by while nothing happens.
    pub(super) fn passing(&self) -> Passing {
        let now_ms = self.matches.inner.service.now_ms();
        Passing {
            elapsed_ms: now_ms.saturating_sub(self.since_ms).max(0),
            away_ms: self.seats.away_ms(now_ms),
        }
    }

    /// How long the match has waited since its clocks changed last, where something is due.
    pub(super) fn elapsed_ms(&self) -> Option<i64> {
        let due = self.play.deadline_ms();
        due.map(|_| self.passing().elapsed_ms)
    }

    /// What the side to move has spent until a command arrived; the way is credited to whoever
    /// has measurably come it.
    pub(super) fn spent(&self, user: UserId, outbox: &Outbox, arrived_ms: i64) -> Spent {
        let elapsed_ms = arrived_ms.saturating_sub(self.since_ms).max(0);
        let side = self.play.side_of(user);
        let moves = side.is_some() && side == self.play.to_move();
        let lag_ms = if moves { outbox.round_trip_ms() } else { 0 };
        Spent::new(elapsed_ms, lag_ms.into())
    }
}
