//! Durable, then true, then visible.

use super::{Actor, Next};
use crate::clock::Stopwatch;
use crate::hub::{Frame, Outbox, frame};
use crate::limits::SNAPSHOT_EVENTS;
use crate::matches::{narrate, stage_row};
use crate::metrics;
use crate::store::{Append, AppendError, LogRow};
use mancala_engine::Side;
use mancala_play::{Digest, Event, Match, MatchEnd};
use mancala_protocol::Code;
use tracing::{info, warn};

/// An event as it is told, and the team that alone is.
#[derive(Debug)]
struct Told {
    only: Option<Side>,
    frame: Frame,
}

/// What a write leads to once it is done.
#[derive(Debug)]
pub(super) struct Step {
    /// The digest of its first row: by that it is known in the log.
    first: Digest,
    next: Match,
    frames: Vec<Told>,
    /// Does a later game begin with it?
    begins: bool,
    /// How many actions it holds.
    actions: u64,
    /// Does time count anew from it on?
    settles: bool,
    /// Does the grace of who is away?
    renews_grace: bool,
}

impl Actor {
    /// Durable, then true, then visible: nobody is told of an event before the disk has it,
    /// and a refused write changes nothing. From `asked_ms` on, a service time, it is the
    /// store that everybody waits for.
    pub(super) async fn commit(
        &mut self,
        events: Vec<Event>,
        asked_ms: i64,
    ) -> Result<(), AppendError> {
        let service_ms = self.matches.inner.service.now_ms();
        let mut since_ms = self.since_ms;
        let at_ms = self.matches.inner.world.clock.now_ms();
        let expected_seq = self.play.seq();
        let mut next = self.play.clone();
        let mut frames: Vec<Told> = Vec::with_capacity(events.len());
        let mut rows = Vec::with_capacity(events.len());
        for event in events {
            let only = event.only_for();
            let frame = narrate::apply(&mut next, self.name, &event, &self.names);
            frames.extend(frame.map(|frame| Told { only, frame }));
            if event.settles() {
                since_ms = service_ms;
            }
            rows.push(LogRow {
                seq: next.seq(),
                at_ms,
                event,
                digest: next.digest(),
                deadline_ms: next.deadline_ms().map(|after_ms| since_ms + after_ms),
            });
        }
        let append = Append {
            match_id: self.id,
            expected_seq,
            rows,
            stage: stage_row(&next),
            service_ms,
        };
        let acts = |row: &&LogRow| matches!(row.event, Event::Acted { .. });
        let step = Box::new(Step {
            first: append.rows.first().map_or(next.digest(), |row| row.digest),
            begins: append.rows.iter().any(|row| is_later_game(&row.event)),
            actions: append.rows.iter().filter(acts).count() as u64,
            settles: append.rows.iter().any(|row| row.event.settles()),
            renews_grace: append.rows.iter().any(|row| row.event.renews_grace()),
            next,
            frames,
        });
        let took = Stopwatch::start();
        match self.matches.inner.store.append(append).await {
            Ok(()) => {
                metrics::appended(&took);
                self.matches.inner.service.go_on(service_ms);
                self.make_true(step);
            }
            Err(AppendError::Conflict) => return Err(AppendError::Conflict),
            Err(AppendError::Unavailable) => {
                self.unsure = Some(step);
                self.stalled |= self.play.deadline_ms().is_some();
                self.matches.inner.service.stand_still(asked_ms);
                Box::pin(self.find_out()).await?;
                if self.play.seq() == expected_seq {
                    return Err(AppendError::Unavailable);
                }
            }
        }
        Ok(())
    }

    /// Finds out what became of a write that the store had no answer for. Until that is
    /// known nothing else is decided: whoever asked may come back with the same key, and
    /// everybody is to see what is on disk without having to ask for a change first.
    pub(super) async fn find_out(&mut self) -> Result<(), AppendError> {
        if self.unsure.is_none() && !self.stalled {
            return Ok(());
        }
        let store = &self.matches.inner.store;
        let unavailable = |_| AppendError::Unavailable;
        // What can be read is on disk for certain once something is written after it.
        let service = &self.matches.inner.service;
        let asked_ms = service.now_ms();
        store.ready().await.map_err(unavailable)?;
        service.go_on(asked_ms);
        let found = store.log_after(self.id, self.play.seq(), 1).await;
        let found = found.map_err(unavailable)?;
        self.stalled = false;
        match (found.first(), self.unsure.take()) {
            (Some(row), Some(step)) if row.digest == step.first => self.make_true(step),
            (Some(_), _) => return Err(AppendError::Conflict),
            (None, _) => {}
        }
        Ok(())
    }

    /// What is on disk becomes true, and everybody is told.
    pub(super) fn make_true(&mut self, step: Box<Step>) {
        let was_over = self.play.end().is_some();
        let seated = self.play.seats() != step.next.seats();
        // Of who is away it is told how long he may yet be.
        self.presence_due |= self.play.absences() != step.next.absences();
        let now_ms = self.matches.inner.service.now_ms();
        let is_news = |side: &Side| self.play.absences()[*side] != step.next.absences()[*side];
        for side in Side::ALL.into_iter().filter(is_news) {
            self.seats.gone_again(side, now_ms);
        }
        self.play = step.next;
        if step.settles {
            self.since_ms = now_ms;
        }
        if step.renews_grace {
            self.seats.renew(self.matches.inner.service.now_ms());
            self.presence_due = true;
        }
        if step.actions > 0 {
            let game = self.play.spec().options.mancala().key();
            metrics::acted(game, step.actions);
        }
        self.snapshot_due |= step.begins && self.play.seq() >= self.snapshot_after;
        self.presence_due |= seated;
        {
            let mut audience = self.audience.lock();
            let seats = Side::ALL.into_iter().filter(|_| seated);
            for (side, user) in seats.filter_map(|side| Some((side, self.play.seats()[side]?))) {
                audience.seat(user, side);
                if audience.is_here(side) {
                    self.seats.sit(side);
                }
            }
            let moved = match self.play.teams() {
                Some(_) => audience.reseat(|user| self.play.side_of(user)),
                None => Vec::new(),
            };
            for side in Side::ALL {
                // The side has a member who was here before he was one.
                if !moved.is_empty() && audience.is_here(side) && !self.seats.is_here(side) {
                    self.seats.come(side);
                }
            }
            for Told { only, frame } in &step.frames {
                match only {
                    None => audience.publish(frame),
                    Some(side) => audience.publish_to(*side, frame),
                }
            }
            for moved in moved {
                let view = frame(&self.joined_anew(moved.user));
                audience.place(&moved, view);
            }
        }
        self.miss_who_was_cut_off();
        for side in Side::ALL {
            // It may be known by a write that was found out later.
            if self.play.decide_back(side).is_empty() {
                self.seats.has_come(side);
            }
        }
        // What a team says to itself changes nothing of what may be played.
        if step.frames.iter().any(|told| told.only.is_none()) {
            self.tell_legal();
        }
        if let (false, Some(end)) = (was_over, self.play.end()) {
            let (winner, seq) = (end.winner(), self.play.seq());
            info!(how = end.as_str(), ?winner, seq, "match over");
            if let MatchEnd::Ruled(ruling) = end {
                info!(?ruling, "the host has ended the match");
            }
        }
    }

    /// Between two games of a series the state is small, and whoever missed something of the
    /// new game is told it from here: neither they nor a restart have all earlier games
    /// played again.
    pub(super) async fn keep_snapshot(&mut self) {
        let (seq, snapshot) = (self.play.seq(), self.play.snapshot());
        self.snapshot_after = seq + SNAPSHOT_EVENTS;
        let store = &self.matches.inner.store;
        if let Err(error) = store.put_snapshot(self.id, seq, &snapshot).await {
            warn!(%error, seq, "no snapshot was kept; the log, which has it all, is read instead");
        }
    }

    /// Answers a command that could not be written.
    pub(super) fn failed(&self, failed: AppendError, id: Option<u32>, outbox: &Outbox) -> Next {
        outbox.must_send(frame(&self.declined(id, code_of(failed))));
        self.after_failed(failed)
    }

    /// After a write that did not succeed: another owner has gone on with this match, so
    /// this task ends; a disk that takes nothing at the moment is waited for.
    pub(super) fn after_failed(&self, failed: AppendError) -> Next {
        match failed {
            AppendError::Unavailable => Next::GoOn,
            AppendError::Conflict => {
                warn!(
                    seq = self.play.seq(),
                    "the log has gone on without this task, which ends"
                );
                Next::End
            }
        }
    }
}

pub(super) const fn code_of(failed: AppendError) -> Code {
    match failed {
        AppendError::Unavailable => Code::StorageUnavailable,
        AppendError::Conflict => Code::Busy,
    }
}

const fn is_later_game(event: &Event) -> bool {
    matches!(event, Event::GameBegan { game: 2.., .. })
}
