//! The task of one live match: takes what comes, one after another; decides, writes down,
//! makes true, tells, answers.

mod command;
mod presence;
mod talk;
mod tell;
mod time;
mod write;

use super::history::AtEnd;
use super::people::People;
use super::seats::Seats;
use super::talk::Talk;
use super::timers::LooksAfter;
use super::{Mail, Matches};
use crate::clock::Alarm;
use crate::hub::{Audience, frame};
use crate::ids::{PublicId, rematch_number};
use crate::limits::{IDLE_MS, SNAPSHOT_EVENTS, TICK_MS};
use crate::meters::Meters;
use crate::metrics;
use crate::store::AppendError;
use mancala_play::{Match, MatchId, UserId};
use mancala_protocol::Code;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tracing::debug;
use write::Step;

pub(super) struct Actor {
    matches: Matches,
    id: MatchId,
    name: PublicId,
    /// The number of its rematch: to work it out anew with each command costs a hash.
    rematch: u64,
    play: Match,
    names: BTreeMap<UserId, String>,
    audience: Arc<Mutex<Audience>>,
    mail: mpsc::Receiver<Box<Mail>>,
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
    /// Something could not be written, and is tried again.
    stalled: bool,
    alarm: Alarm,
    /// While something is due.
    looks_after: Option<LooksAfter>,
    /// How many messages are taken before what is due, which has come already.
    mail_first: usize,
    seats: Seats,
    people: People,
    /// Once somebody has asked for it: in most matches nobody does.
    talk: Option<Box<Talk>>,
    /// How much people have changed in their teams of late, once somebody has.
    changes: Option<Box<Meters>>,
}

/// How long nobody is waited for. The clock is read only where it is polled.
async fn idle() {
    tokio::time::sleep(Duration::from_millis(IDLE_MS)).await;
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
        mail: mpsc::Receiver<Box<Mail>>,
    ) -> Actor {
        let AtEnd { play, deadline_ms } = read;
        let service = matches.inner.service.clone();
        let since_ms = deadline_ms.zip(play.deadline_ms());
        let since_ms = since_ms.map(|(at_ms, after_ms)| at_ms - after_ms);
        Actor {
            since_ms: since_ms.unwrap_or_else(|| service.now_ms()),
            stalled: false,
            alarm: service.alarm(),
            looks_after: None,
            mail_first: 0,
            seats: Seats::empty(service.now_ms()),
            people: People::default(),
            talk: None,
            changes: None,
            matches,
            id,
            name,
            rematch: rematch_number(id),
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
        self.meet_people();
        let stopping = self.matches.inner.stopping.clone();
        // Kept from one round to the next: to queue up for it anew costs more than a message.
        let mut stopped = pin!(stopping.cancelled());
        let mut ticks = interval(Duration::from_millis(TICK_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let (alone, behind) = {
                let audience = self.audience.lock();
                (audience.is_empty(), audience.anyone_behind())
            };
            let stalled = self.stalled;
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
                    if self.take(*mail).await == Next::End {
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
                () = &mut stopped => {
                    // Sessions are told and closed by themselves; what they still send is
                    // refused while they are.
                    self.drain();
                    return None;
                }
                () = idle(), if alone => {
                    if self.retire() {
                        // What was not known to be written may have made something due.
                        let unsure = self.unsure.is_some();
                        return if unsure { self.again_ms() } else { self.deadline_ms() };
                    }
                }
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
                self.meet_people();
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
                put_by,
                is_invited,
                arrived_ms,
                reply,
            } => {
                let wanted = (put_by, is_invited);
                let (answer, next) = Box::pin(self.sit(user, side, wanted, arrived_ms)).await;
                // Who asked may have gone away meanwhile.
                let _gone = reply.send(answer);
                return next;
            }
            Mail::Rule {
                ruling,
                note,
                arrived_ms,
                reply,
            } => {
                let (answer, next) = Box::pin(self.rule(ruling, note, arrived_ms)).await;
                let _gone = reply.send(answer);
                return next;
            }
            Mail::Captain { side, reply } => {
                let of_side = self
                    .play
                    .teams()
                    .map(|teams| teams[side].roster().captain());
                let _gone = reply.send(of_side.flatten());
            }
            Mail::View { reply } => {
                let _gone = reply.send(self.view());
            }
            Mail::Talk {
                user,
                room,
                ask,
                id,
                outbox,
                arrived_ms,
            } => {
                let talk = self.talk((user, outbox), id, (room, *ask), arrived_ms);
                return Box::pin(talk).await;
            }
            Mail::AskTalk {
                request,
                arrived_ms,
                reply,
            } => {
                let (answer, next) = Box::pin(self.talk_request(request, arrived_ms)).await;
                let _gone = reply.send(answer);
                return next;
            }
        }
        Next::GoOn
    }

    /// Ends the task of a match that nobody follows, unless something has just come, or is due
    /// before long.
    fn retire(&mut self) -> bool {
        let soon_ms = self.matches.inner.service.now_ms() + IDLE_MS.cast_signed();
        if self.deadline_ms().is_some_and(|due_ms| due_ms <= soon_ms) {
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
            match *mail {
                Mail::Join { outbox, id, .. }
                | Mail::Command { outbox, id, .. }
                | Mail::Preview { outbox, id, .. }
                | Mail::Talk { outbox, id, .. } => {
                    outbox.must_send(frame(&self.declined(id, code)));
                }
                Mail::Leave { .. } => mail.say_left(),
                Mail::Sit { .. }
                | Mail::Rule { .. }
                | Mail::Captain { .. }
                | Mail::View { .. }
                | Mail::AskTalk { .. } => {}
            }
        }
    }
}
