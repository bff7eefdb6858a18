//! The task of one live match: takes what comes, one after another; decides, writes down,
//! makes true, tells, answers.

use super::history::AtEnd;
use super::seats::Seats;
use super::timers::LooksAfter;
use super::{Declined, Mail, Matches, narrate, stage_row};
use crate::clock::{Alarm, Stopwatch};
use crate::hub::{Audience, Frame, Outbox, frame};
use crate::ids::{PublicId, rematch_number};
use crate::limits::{IDLE_MS, SNAPSHOT_EVENTS, TICK_MS};
use crate::metrics::{self, Resync};
use crate::store::{Append, AppendError, LogRow, UserRow};
use mancala_engine::{BySide, Side};
use mancala_play::{
    ACTIONS_MAX, Asked, Command, Context, Decision, Digest, Event, Key, Leaving, Match, MatchId,
    Receipt, Refusal, Spent, UserId,
};
use mancala_protocol::convert::Passing;
use mancala_protocol::limits::MISSED_EVENTS_MAX;
use mancala_protocol::{Code, MatchView, Role, ServerMessage, WireAction, convert};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tracing::{debug, error, info, warn};

pub(super) struct Actor {
    matches: Matches,
    id: MatchId,
    name: PublicId,
    play: Match,
    names: BTreeMap<UserId, String>,
    audience: Arc<Mutex<Audience>>,
    mail: mpsc::Receiver<Mail>,
    /// Somebody has come or gone since presence was told last.
    presence_due: bool,
    /// A game has begun, and a snapshot is to be kept of that.
    snapshot_due: bool,
    /// From this number on the next one is worth its while.
    snapshot_after: u64,
    /// A write of which nobody knows yet whether it was done.
    unsure: Option<Box<Step>>,
    /// The service time from which the time of the side to move counts.
    since_ms: i64,
    /// The service time from which it does not, because the store takes no writes.
    stalled_from_ms: Option<i64>,
    /// Time has not counted for a while, which the log does not say yet.
    stalled_before: bool,
    alarm: Alarm,
    /// While something is due.
    looks_after: Option<LooksAfter>,
    /// How many messages are taken before what is due, which has come already.
    mail_first: usize,
    seats: Seats,
}

/// What a write leads to once it is done.
#[derive(Debug)]
struct Step {
    /// The digest of its first row: by that it is known in the log.
    first: Digest,
    next: Match,
    frames: Vec<Frame>,
    /// Does a later game begin with it?
    begins: bool,
    /// How many actions it holds.
    actions: u64,
    /// Does time count anew from it on?
    settles: bool,
    /// Does the grace of who is away?
    renews_grace: bool,
}

/// Goes on, or the task ends and the match is loaded anew when somebody comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

impl Actor {
    #[allow(clippy::too_many_arguments, reason = "its one caller names them all")]
    pub(super) fn new(
        matches: Matches,
        id: MatchId,
        name: PublicId,
        read: AtEnd,
        names: BTreeMap<UserId, String>,
        audience: Arc<Mutex<Audience>>,
        mail: mpsc::Receiver<Mail>,
    ) -> Actor {
        let AtEnd { play, deadline_ms } = read;
        let service = matches.inner.service;
        let since_ms = deadline_ms.zip(play.deadline_ms());
        let since_ms = since_ms.map(|(at_ms, after_ms)| at_ms - after_ms);
        Actor {
            since_ms: since_ms.unwrap_or_else(|| service.now_ms()),
            stalled_from_ms: None,
            stalled_before: false,
            alarm: service.alarm(),
            looks_after: None,
            mail_first: 0,
            seats: Seats::empty(service.now_ms()),
            matches,
            id,
            name,
            play,
            names,
            audience,
            mail,
            presence_due: false,
            snapshot_due: false,
            snapshot_after: SNAPSHOT_EVENTS,
            unsure: None,
        }
    }

    /// There is one of these for each live match, so what it does with a message is put into a
    /// box while it is done: the size of this is most of what a quiet match costs.
    ///
    /// Ends with the service time at which the match is to be loaded again, if something is
    /// due in it.
    pub(super) async fn run(&mut self) -> Option<i64> {
        let _live = metrics::live_match();
        debug!(seq = self.play.seq(), "match loaded");
        let stopping = self.matches.inner.stopping.clone();
        let mut ticks = interval(Duration::from_millis(TICK_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let (alone, behind) = {
                let audience = self.audience.lock();
                (audience.is_empty(), audience.anyone_behind())
            };
            let stalled = self.stalled_from_ms.is_some();
            // With nobody here, and nothing due, whoever comes loads it anew.
            let matters = !alone || stalled && self.deadline_ms().is_some();
            let waits_to_know = matters && (stalled || self.unsure.is_some());
            let tick = self.presence_due || behind || waits_to_know;
            self.set_alarm();
            tokio::select! {
                biased;
                // Before the mail, which may never pause; it is ready once in a while only.
                _ = ticks.tick(), if tick => {
                    self.tick();
                    if Box::pin(self.find_out()).await == Err(AppendError::Conflict) {
                        return self.again_ms();
                    }
                }
                mail = self.mail.recv() => {
                    let Some(mail) = mail else { return self.again_ms() };
                    metrics::mailbox(self.mail.len());
                    if self.take(mail).await == Next::End {
                        return self.again_ms();
                    }
                    if self.mail_has_had_its_turn() && self.be_punctual().await == Next::End {
                        return self.again_ms();
                    }
                    if std::mem::take(&mut self.snapshot_due) {
                        Box::pin(self.keep_snapshot()).await;
                    }
                }
                // After the mail: what came before it was due is in time.
                () = self.alarm.goes_off(), if !stalled => {
                    if self.be_punctual().await == Next::End {
                        return self.again_ms();
                    }
                }
                () = stopping.cancelled() => {
                    // Sessions are told and closed by themselves; what they still send is
                    // refused while they are.
                    self.drain();
                    return None;
                }
                () = tokio::time::sleep(Duration::from_millis(IDLE_MS)), if alone => {
                    if self.retire() {
                        // What was not known to be written may have made something due.
                        let unsure = self.unsure.is_some();
                        return if unsure { self.again_ms() } else { self.deadline_ms() };
                    }
                }
            }
        }
    }

    /// The service time at which something is due by itself, should nothing happen before.
    fn deadline_ms(&self) -> Option<i64> {
        Some(self.since_ms.saturating_add(self.play.deadline_ms()?))
    }

    /// When to load the match again after its task has ended early.
    fn again_ms(&self) -> Option<i64> {
        let timed = !self.play.spec().clock.is_untimed();
        timed.then(|| self.matches.soon_ms())
    }

    fn set_alarm(&mut self) {
        let deadline_ms = self.deadline_ms();
        let presence_ms = self.seats.next_ms(&self.play);
        self.alarm.set(match (deadline_ms, presence_ms) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        });
        if deadline_ms.is_some() != self.looks_after.is_some() {
            let timers = &self.matches.inner.timers;
            self.looks_after = deadline_ms.map(|_| timers.looks_after());
        }
    }

    /// Something is due, and all that waited when it fell due has been taken. Without this,
    /// whoever keeps the mailbox full could hold up his loss.
    fn mail_has_had_its_turn(&mut self) -> bool {
        let is_due = |due_ms| self.matches.inner.service.now_ms() >= due_ms;
        if self.stalled_from_ms.is_some() || !self.deadline_ms().is_some_and(is_due) {
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
    async fn be_punctual(&mut self) -> Next {
        let now_ms = self.matches.inner.service.now_ms();
        match Box::pin(self.do_what_is_due(now_ms)).await {
            Ok(()) => {
                self.miss_who_was_cut_off();
                Next::GoOn
            }
            Err(failed) => {
                self.stalled_from_ms.get_or_insert(now_ms);
                self.after_failed(failed)
            }
        }
    }

    /// Does what was due by itself until a service time, one after another. This is the one
    /// place where time decides anything.
    async fn do_what_is_due(&mut self, until_ms: i64) -> Result<(), AppendError> {
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
        Ok(())
    }

    /// Somebody of a side is here. Where that cannot be written it is tried again, as all that
    /// is due.
    async fn welcome_back(&mut self, side: Side) {
        self.seats.come(side);
        if self.seats.back(&self.play).is_none() {
            self.seats.has_come(side);
            return;
        }
        let now_ms = self.matches.inner.service.now_ms();
        let written = match self.find_out().await {
            Ok(()) => self.write_who_is_back(now_ms).await,
            failed => failed,
        };
        if let Err(failed) = written {
            warn!(?failed, %side, "that somebody is back could not be written yet");
        }
    }

    async fn write_who_is_back(&mut self, now_ms: i64) -> Result<(), AppendError> {
        while let Some(side) = self.seats.back(&self.play) {
            self.commit(self.play.decide_back(side), now_ms).await?;
            self.seats.has_come(side);
        }
        Ok(())
    }

    /// Those sides lose the line whose last socket was cut off, or found to be gone, when it was
    /// to be sent something.
    fn miss_who_was_cut_off(&mut self) {
        let now_ms = self.matches.inner.service.now_ms();
        let audience = self.audience.lock();
        for side in Side::ALL {
            if !audience.is_here(side) && self.seats.is_here(side) {
                self.seats.leave(side, Leaving::Dropped, now_ms);
                self.presence_due = true;
            }
        }
    }

    async fn take(&mut self, mail: Mail) -> Next {
        match mail {
            Mail::Join {
                outbox,
                user,
                since,
                id,
            } => Box::pin(self.join(outbox, user, since, id)).await,
            Mail::Leave {
                ref outbox, how, ..
            } => {
                let now_ms = self.matches.inner.service.now_ms();
                let mut audience = self.audience.lock();
                let side = audience.side_of(outbox.session());
                self.presence_due |= audience.remove(outbox.session());
                if let Some(side) = side.filter(|side| !audience.is_here(*side)) {
                    self.seats.leave(side, how, now_ms);
                }
                drop(audience);
                mail.say_left();
            }
            Mail::Command {
                user,
                command,
                id,
                outbox,
                arrived_ms,
            } => return Box::pin(self.command(user, command, id, &outbox, arrived_ms)).await,
            Mail::Preview {
                user,
                number,
                actions,
                id,
                outbox,
            } => {
                let answer = self.preview(user, number, &actions, id);
                outbox.must_send(frame(&answer));
            }
            Mail::Sit {
                user,
                side,
                arrived_ms,
                reply,
            } => {
                let (answer, next) = Box::pin(self.sit(user, side, arrived_ms)).await;
                // Who asked may have gone away meanwhile.
                let _gone = reply.send(answer);
                return next;
            }
            Mail::View { reply } => {
                let _gone = reply.send(self.view());
            }
        }
        Next::GoOn
    }

    /// Follows the match on a socket: what it missed, or all there is.
    async fn join(
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
        let seq = self.play.seq();
        let few = |since: &u64| *since > 0 && *since <= seq && seq - since <= MISSED_EVENTS_MAX;
        let missed = match since.filter(few) {
            None => None,
            Some(since) if since == seq => Some((since, Vec::new())),
            Some(since) => {
                let history = self.matches.history();
                let missed = (since, seq);
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
    }

    async fn command(
        &mut self,
        user: UserId,
        command: Command,
        id: Option<u32>,
        outbox: &Outbox,
        arrived_ms: i64,
    ) -> Next {
        if self.matches.inner.stopping.is_cancelled() {
            outbox.must_send(frame(&self.declined(id, Code::ShuttingDown)));
            return Next::GoOn;
        }
        // Whatever came before it was due is in time, however long it has waited here.
        if let Err(failed) = self.do_what_is_due(arrived_ms).await {
            return self.failed(failed, id, outbox);
        }
        let context = self.context(self.spent(user, outbox, arrived_ms), arrived_ms);
        let decision = match self.play.decide(user, &command, &context) {
            Err(refusal) => match Box::pin(self.long_ago(user, &command)).await {
                Ok(done) => done.map_or(Err(refusal), |receipt| Ok(Decision::Done(receipt))),
                Err(failed) => return self.failed(failed, id, outbox),
            },
            Ok(Decision::GoBack { number, asked }) => {
                match Box::pin(self.back_to(number, asked, &context)).await {
                    Ok(events) => events.map(Decision::Do),
                    Err(failed) => return self.failed(failed, id, outbox),
                }
            }
            decision => decision,
        };
        let receipt = match decision {
            Err(refusal) => {
                debug!(user.id = %user, code = refusal.code(), "command refused");
                metrics::refused(refusal.code());
                let refused = convert::refused_frame(id, self.name, &refusal);
                outbox.must_send(frame(&refused));
                return Next::GoOn;
            }
            Ok(Decision::GoBack { .. }) => None,
            Ok(Decision::Done(receipt)) => Some(receipt),
            Ok(Decision::Do(events)) => {
                if let Err(failed) = self.carry_out(events, user, arrived_ms).await {
                    return self.failed(failed, id, outbox);
                }
                let side = self.play.side_of(user);
                let key = key_of(&command);
                side.zip(key)
                    .and_then(|(side, key)| self.play.receipt(side, key))
            }
        };
        let done = match receipt {
            Some(receipt) => ServerMessage::Done {
                id,
                r#match: self.name,
                number: receipt.number,
                actions: receipt.actions,
                seq: receipt.seq,
            },
            None => {
                error!(user.id = %user, "an accepted command left no receipt");
                self.declined(id, Code::Internal)
            }
        };
        outbox.must_send(frame(&done));
        Next::GoOn
    }

    /// What an agreed takeback comes to: the log knows how the match stood.
    async fn back_to(
        &self,
        number: u32,
        asked: Asked,
        context: &Context,
    ) -> Result<Result<Vec<Event>, Refusal>, AppendError> {
        let then = self.read_before(number).await?;
        Ok(self.play.decide_back_to(&then, asked, context))
    }

    /// The match as it was before the action with this number.
    async fn read_before(&self, number: u32) -> Result<Match, AppendError> {
        let then = self.matches.history().before(self.id, number).await;
        then.map_err(|error| {
            warn!(?error, number, "what was played long ago could not be read");
            AppendError::Unavailable
        })
    }

    /// Makes what an event speaks of, and writes it down.
    async fn carry_out(
        &mut self,
        events: Vec<Event>,
        user: UserId,
        asked_ms: i64,
    ) -> Result<(), AppendError> {
        for event in &events {
            if let Event::Rematched { next, .. } = event {
                let made = self.matches.create_rematch(&self.play, user, *next);
                Box::pin(made).await.map_err(|error| {
                    warn!(%error, "a rematch could not be made");
                    AppendError::Unavailable
                })?;
            }
        }
        self.commit(events, asked_ms).await
    }

    /// What became of a command to act that is older than those that the match remembers: the
    /// log knows.
    async fn long_ago(
        &self,
        user: UserId,
        command: &Command,
    ) -> Result<Option<Receipt>, AppendError> {
        let Command::Act { number, .. } = *command else {
            return Ok(None);
        };
        let side = self.play.side_of(user);
        if !side.is_some_and(|side| self.play.has_forgotten(side, number)) {
            return Ok(None);
        }
        let beyond = number.saturating_add(ACTIONS_MAX as u32);
        let then = self.read_before(beyond).await?;
        let context = self.idle_context();
        Ok(match then.decide(user, command, &context) {
            Ok(Decision::Done(receipt)) => Some(receipt),
            _ => None,
        })
    }

    async fn sit(
        &mut self,
        user: UserRow,
        side: Side,
        arrived_ms: i64,
    ) -> (Result<MatchView, Declined>, Next) {
        if self.matches.inner.stopping.is_cancelled() {
            return (Err(Code::ShuttingDown.into()), Next::GoOn);
        }
        if let Err(failed) = self.do_what_is_due(arrived_ms).await {
            return (Err(code_of(failed).into()), self.after_failed(failed));
        }
        // Whoever asks again, because the answer was lost, has the seat.
        if self.play.seats()[side] == Some(user.id) {
            return (Ok(self.view()), Next::GoOn);
        }
        let context = self.idle_context();
        let decision = self.play.decide(user.id, &Command::Sit { side }, &context);
        match decision {
            Err(refusal) => (Err(Declined::Refusal(refusal)), Next::GoOn),
            Ok(Decision::Done(_) | Decision::GoBack { .. }) => (Ok(self.view()), Next::GoOn),
            Ok(Decision::Do(events)) => {
                self.names.insert(user.id, user.name);
                match self.commit(events, arrived_ms).await {
                    Ok(()) => (Ok(self.view()), Next::GoOn),
                    Err(failed) => (Err(code_of(failed).into()), self.after_failed(failed)),
                }
            }
        }
    }

    /// Durable, then true, then visible: nobody is told of an event before the disk has it,
    /// and a refused write changes nothing. From `asked_ms` on, a service time, it is the
    /// store that everybody waits for.
    async fn commit(&mut self, events: Vec<Event>, asked_ms: i64) -> Result<(), AppendError> {
        let service_ms = self.matches.inner.service.now_ms();
        let mut since_ms = self.since_ms;
        let at_ms = self.matches.inner.world.clock.now_ms();
        let expected_seq = self.play.seq();
        let mut next = self.play.clone();
        let mut frames: Vec<Frame> = Vec::with_capacity(events.len());
        let mut rows = Vec::with_capacity(events.len());
        for event in events {
            frames.extend(narrate::apply(&mut next, self.name, &event, &self.names));
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
                self.make_true(step);
            }
            Err(AppendError::Conflict) => return Err(AppendError::Conflict),
            Err(AppendError::Unavailable) => {
                self.unsure = Some(step);
                if self.play.deadline_ms().is_some() {
                    self.stalled_from_ms.get_or_insert(asked_ms);
                }
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
    async fn find_out(&mut self) -> Result<(), AppendError> {
        if self.unsure.is_none() && self.stalled_from_ms.is_none() {
            return Ok(());
        }
        let store = &self.matches.inner.store;
        let unavailable = |_| AppendError::Unavailable;
        // What can be read is on disk for certain once something is written after it.
        store.ready().await.map_err(unavailable)?;
        let found = store.log_after(self.id, self.play.seq(), 1).await;
        let found = found.map_err(unavailable)?;
        if let Some(from_ms) = self.stalled_from_ms.take() {
            let stalled_ms = self.matches.inner.service.now_ms() - from_ms;
            self.since_ms += stalled_ms.max(0);
            self.stalled_before = true;
        }
        match (found.first(), self.unsure.take()) {
            (Some(row), Some(step)) if row.digest == step.first => self.make_true(step),
            (Some(_), _) => return Err(AppendError::Conflict),
            (None, _) => {}
        }
        Ok(())
    }

    /// What is on disk becomes true, and everybody is told.
    fn make_true(&mut self, step: Box<Step>) {
        let was_over = self.play.end().is_some();
        let seated = self.play.seats() != step.next.seats();
        let now_ms = self.matches.inner.service.now_ms();
        let is_news = |side: &Side| self.play.absences()[*side] != step.next.absences()[*side];
        for side in Side::ALL.into_iter().filter(is_news) {
            self.seats.gone_again(side, now_ms);
        }
        self.play = step.next;
        if step.settles {
            self.since_ms = now_ms;
            self.stalled_before = false;
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
            for frame in &step.frames {
                audience.publish(frame);
            }
        }
        self.miss_who_was_cut_off();
        for side in Side::ALL {
            // It may be known by a write that was found out later.
            if self.play.decide_back(side).is_empty() {
                self.seats.has_come(side);
            }
        }
        self.tell_legal();
        if let (false, Some(end)) = (was_over, self.play.end()) {
            info!(winner = ?end.winner(), seq = self.play.seq(), "match over");
        }
    }

    /// Between two games of a series the state is small, and whoever missed something of the
    /// new game is told it from here: neither they nor a restart have all earlier games
    /// played again.
    async fn keep_snapshot(&mut self) {
        let (seq, snapshot) = (self.play.seq(), self.play.snapshot());
        self.snapshot_after = seq + SNAPSHOT_EVENTS;
        let store = &self.matches.inner.store;
        if let Err(error) = store.put_snapshot(self.id, seq, &snapshot).await {
            warn!(%error, seq, "no snapshot was kept; the log, which has it all, is read instead");
        }
    }

    /// Answers a command that could not be written.
    fn failed(&self, failed: AppendError, id: Option<u32>, outbox: &Outbox) -> Next {
        outbox.must_send(frame(&self.declined(id, code_of(failed))));
        self.after_failed(failed)
    }

    /// After a write that did not succeed: another owner has gone on with this match, so
    /// this task ends; a disk that takes nothing at the moment is waited for.
    fn after_failed(&self, failed: AppendError) -> Next {
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

    fn preview(
        &self,
        user: UserId,
        number: u32,
        actions: &[WireAction],
        id: Option<u32>,
    ) -> ServerMessage {
        if !self.play.spec().preview {
            return self.declined(id, Code::NoPreview);
        }
        match self.look_ahead(user, number, actions) {
            Ok(acted) => ServerMessage::Previewed {
                id,
                r#match: self.name,
                number,
                acted,
            },
            Err(refusal) => {
                metrics::refused(refusal.code());
                convert::refused_frame(id, self.name, &refusal)
            }
        }
    }

    fn look_ahead(
        &self,
        user: UserId,
        number: u32,
        actions: &[WireAction],
    ) -> Result<Vec<mancala_protocol::ActedFrame>, Refusal> {
        // What would be refused as a command is refused here for the same reason.
        let key: Key = "preview".parse().map_err(|_| Refusal::KeyReused)?;
        let side = self.play.side_of(user).ok_or(Refusal::NotSeated)?;
        let list: Vec<_> = actions
            .iter()
            .take(ACTIONS_MAX + 1)
            .map(|action| action.0.clone())
            .collect();
        let command = Command::act(number, list, key);
        let mut ahead = self.play.clone();
        let context = self.idle_context();
        let Decision::Do(events) = self.play.decide(user, &command, &context)? else {
            return Err(Refusal::KeyReused);
        };
        let mut acted = Vec::new();
        for event in &events {
            let before = ahead
                .play()
                .map(|play| mancala_engine::Position::extra(play.game().position()));
            let moved = ahead.apply(event).trace;
            // What the lot would say, and what follows a game's end, is not foretold.
            if let (
                Event::Acted {
                    side: Some(_),
                    action,
                    ..
                },
                Some(moved),
                Some(play),
            ) = (event, &moved, ahead.play())
            {
                acted.push(convert::acted_frame(
                    Some(side),
                    action,
                    before,
                    play.game(),
                    moved,
                ));
            }
        }
        Ok(acted)
    }

    fn context(&self, spent: Spent, now_ms: i64) -> Context {
        Context {
            lot: self.matches.inner.world.chance.side(),
            spent,
            away_ms: self.seats.away_ms(now_ms),
            rematch: rematch_number(self.id),
        }
    }

    /// Where no time is looked at.
    fn idle_context(&self) -> Context {
        Context::untimed(self.matches.inner.world.chance.side())
    }

    /// What goes by while nothing happens.
    fn passing(&self) -> Passing {
        let now_ms = self.matches.inner.service.now_ms();
        Passing {
            elapsed_ms: now_ms.saturating_sub(self.since_ms).max(0),
            away_ms: self.seats.away_ms(now_ms),
        }
    }

    /// How long the match has waited since its clocks changed last, where something is due.
    fn elapsed_ms(&self) -> Option<i64> {
        let due = self.play.deadline_ms();
        due.map(|_| self.passing().elapsed_ms)
    }

    /// What the side to move has spent until a command arrived; the way is credited to whoever
    /// has measurably come it.
    fn spent(&self, user: UserId, outbox: &Outbox, arrived_ms: i64) -> Spent {
        let elapsed_ms = arrived_ms.saturating_sub(self.since_ms).max(0);
        let side = self.play.side_of(user);
        let moves = side.is_some() && side == self.play.to_move();
        let lag_ms = if moves { outbox.round_trip_ms() } else { 0 };
        Spent::new(elapsed_ms, lag_ms.into())
    }

    fn declined(&self, id: Option<u32>, code: Code) -> ServerMessage {
        metrics::refused(code.as_str());
        ServerMessage::Refused {
            id,
            r#match: Some(self.name),
            code: code.as_str().to_owned(),
            message: code.to_string(),
            at: None,
            next_number: None,
        }
    }

    fn view(&self) -> MatchView {
        let name_of = |user: UserId| narrate::name_of(&self.names, user);
        convert::view(self.name, &self.play, &name_of, self.passing())
    }

    fn tell_legal(&self) {
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

    fn presence(&self, audience: &Audience) -> ServerMessage {
        ServerMessage::Presence {
            r#match: self.name,
            players: BySide::from_fn(|side| audience.is_here(side)),
            watching: rounded(audience.watching()),
            grace_ms: convert::grace_ms(&self.play, self.passing()),
        }
    }

    /// What may wait a moment: presence, and spectators who are behind.
    fn tick(&mut self) {
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
                seq: self.play.seq(),
                view: Some(Box::new(self.view())),
                elapsed_ms: None,
            })
        });
        drop(audience);
        self.miss_who_was_cut_off();
    }

    /// Ends the task of a match that nobody follows, unless something has just come, or is due
    /// before long, or something is known here that the log does not say.
    fn retire(&mut self) -> bool {
        let soon_ms = self.matches.inner.service.now_ms() + IDLE_MS.cast_signed();
        let stays = |due_ms| due_ms <= soon_ms || self.stalled_before;
        if self.deadline_ms().is_some_and(stays) {
            return false;
        }
        let live = self.matches.inner.live.lock();
        if !self.mail.is_empty() {
            return false;
        }
        // Closed under the lock, so that whoever looks for the match from now on loads it.
        self.mail.close();
        drop(live);
        self.drain();
        debug!("match unloaded: nobody is here");
        true
    }

    /// Refuses what is still in the mailbox of a task that ends. What waits for an answer
    /// is told by its dropped reply.
    fn drain(&mut self) {
        self.mail.close();
        while let Ok(mail) = self.mail.try_recv() {
            let code = if self.matches.inner.stopping.is_cancelled() {
                Code::ShuttingDown
            } else {
                Code::Busy
            };
            match mail {
                Mail::Join { outbox, id, .. }
                | Mail::Command { outbox, id, .. }
                | Mail::Preview { outbox, id, .. } => {
                    outbox.must_send(frame(&self.declined(id, code)));
                }
                Mail::Leave { .. } => mail.say_left(),
                Mail::Sit { .. } | Mail::View { .. } => {}
            }
        }
    }
}

const fn code_of(failed: AppendError) -> Code {
    match failed {
        AppendError::Unavailable => Code::StorageUnavailable,
        AppendError::Conflict => Code::Busy,
    }
}

const fn is_later_game(event: &Event) -> bool {
    matches!(event, Event::GameBegan { game: 2.., .. })
}

fn key_of(command: &Command) -> Option<&Key> {
    match command {
        Command::Act { key, .. } | Command::Other { key, .. } => Some(key),
        Command::Sit { .. } => None,
    }
}

/// A crowd in a round number: exact up to ten, then two digits that count.
fn rounded(crowd: usize) -> u32 {
    let mut scale = 1;
    let mut rest = crowd;
    while rest >= 100 {
        rest /= 10;
        scale *= 10;
    }
    let rough = if crowd <= 10 { crowd } else { rest * scale };
    u32::try_from(rough).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn crowds_are_rounded_to_two_digits() {
        for (crowd, told) in [
            (0, 0),
            (7, 7),
            (10, 10),
            (57, 57),
            (123, 120),
            (2_468, 2_400),
        ] {
            assert_eq!(rounded(crowd), told);
        }
    }
}
