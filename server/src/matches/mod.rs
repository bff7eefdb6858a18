//! The live matches: one task each, found by its public name, loaded when somebody comes.
//!
//! May know the match (`mancala-play`), the store and the hub, never a socket or a request.

mod actor;
mod history;
mod narrate;
mod people;
mod seats;
mod talk;
mod timers;

use crate::accounts::code_of;
use crate::clock::ServiceTime;
use crate::hub::{Audience, Frame, Outbox};
use crate::ids::{PublicId, SecretHash};
use crate::limits::{LOAD_AGAIN_MS, MAILBOX, NOTE_TIME_MS};
use crate::metrics;
use crate::store::{Created, Idempotency, LogRow, MatchRow, NewMatch, ReportRow, StageRow};
use crate::store::{Store, StoreError, TeamMemberRow, UserRow};
use crate::world::World;
use actor::Actor;
use history::{AtEnd, History, ReadError};
use mancala_engine::{BySide, Side};
use mancala_play::{
    Access, Command, Context, Event, Leaving, Match, MatchId, MatchSpec, Note, Refusal, Room,
    Ruling, TeamEvent, UserId,
};
use mancala_protocol::rest::ReportView;
use mancala_protocol::{Code, LineView, MatchView, WireAction};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
pub(crate) use talk::{TalkAsk, TalkRequest};
use timers::Timers;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, debug, error, info, info_span, warn};

/// The live matches.
#[derive(Clone, Debug)]
pub(crate) struct Matches {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    world: World,
    service: ServiceTime,
    timers: Timers,
    live: Mutex<HashMap<PublicId, MatchHandle>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// The way to one live match.
#[derive(Clone, Debug)]
pub(crate) struct MatchHandle {
    /// In boxes: a queue keeps room for 32 messages, and most matches have none waiting.
    mailbox: mpsc::Sender<Box<Mail>>,
}

/// What comes to a match.
#[derive(Debug)]
enum Mail {
    Join {
        outbox: Outbox,
        user: Option<UserId>,
        since: Option<u64>,
        id: Option<u32>,
    },
    Leave {
        outbox: Outbox,
        how: Leaving,
        /// What to say then, if somebody waits for it.
        answer: Option<Frame>,
    },
    Command {
        user: UserId,
        command: Command,
        id: Option<u32>,
        outbox: Outbox,
        /// The service time at which it reached the server.
        arrived_ms: i64,
    },
    Preview {
        user: UserId,
        number: u32,
        actions: Vec<WireAction>,
        id: Option<u32>,
        outbox: Outbox,
    },
    Sit {
        user: UserRow,
        side: Side,
        /// The host who puts him there, if one does.
        put_by: Option<UserId>,
        /// Has somebody invited him who brings people to this side?
        is_invited: bool,
        /// The service time at which it reached the server.
        arrived_ms: i64,
        reply: oneshot::Sender<Result<MatchView, Declined>>,
    },
    Captain {
        side: Side,
        reply: oneshot::Sender<Option<UserId>>,
    },
    Rule {
        ruling: Ruling,
        note: Note,
        /// The service time at which it reached the server.
        arrived_ms: i64,
        reply: oneshot::Sender<Result<MatchView, Declined>>,
    },
    View {
        reply: oneshot::Sender<MatchView>,
    },
    Talk {
        user: Option<UserRow>,
        room: Room,
        ask: Box<TalkAsk>,
        id: Option<u32>,
        outbox: Outbox,
        /// The service time at which it reached the server.
        arrived_ms: i64,
    },
    AskTalk {
        request: TalkRequest,
        /// The service time at which it reached the server.
        arrived_ms: i64,
        reply: oneshot::Sender<Result<u32, Code>>,
    },
}

impl Mail {
    /// Answers who has left.
    fn say_left(self) {
        if let Mail::Leave {
            outbox,
            answer: Some(answer),
            ..
        } = self
        {
            outbox.must_send(answer);
        }
    }
}

/// Why something was not done: the server's reason or the match's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declined {
    /// By the server.
    Code(Code),
    /// By the match.
    Refusal(Refusal),
}

impl From<Refusal> for Declined {
    fn from(refusal: Refusal) -> Declined {
        Declined::Refusal(refusal)
    }
}

impl From<Code> for Declined {
    fn from(code: Code) -> Declined {
        Declined::Code(code)
    }
}

/// What is wanted of a new match.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) spec: MatchSpec,
    pub(crate) creator: UserRow,
    /// The seat the creator takes.
    pub(crate) seat: Option<Side>,
    pub(crate) link_hash: Option<SecretHash>,
    pub(crate) idempotency: Option<Idempotency>,
}

impl Matches {
    pub(crate) fn new(
        store: Store,
        world: World,
        service: ServiceTime,
        stopping: CancellationToken,
    ) -> Matches {
        Matches {
            inner: Arc::new(Inner {
                store,
                world,
                service,
                timers: Timers::default(),
                live: Mutex::default(),
                tasks: TaskTracker::new(),
                stopping,
            }),
        }
    }

    /// Makes a match, or finds the one that the same creator made with the same key.
    pub(crate) async fn create(&self, wanted: Wanted) -> Result<PublicId, Code> {
        let chance = &self.inner.world.chance;
        let seat = wanted.seat.map(|side| (wanted.creator.id, side));
        let game = wanted.spec.options.mancala().key();
        let access = wanted.spec.access;
        let (_, events) = Match::begin(wanted.spec, seat, &Context::untimed(chance.side()));
        let public_id = PublicId::from_number(chance.number());
        let new = NewMatch {
            link_hash: wanted.link_hash,
            idempotency: wanted.idempotency.clone(),
            ..self.begun(public_id, wanted.creator.id, access, events)
        };
        let id = new.id;
        match self.inner.store.create_match(new).await {
            Ok(Created::New) => {
                made(id, public_id, game, "match made");
                Ok(public_id)
            }
            Ok(Created::Before {
                public_id: before,
                request,
            }) => match wanted.idempotency {
                Some(again) if again.request == request => Ok(before),
                _ => Err(Code::KeyReused),
            },
            Err(error) => Err(code_of(&error)),
        }
    }

    /// Makes the match in which both play again who played `over`; one that is made already,
    /// by the task of the same match before a crash, is the same.
    async fn create_rematch(&self, over: &Match, by: UserId, next: u64) -> Result<(), StoreError> {
        let chance = &self.inner.world.chance;
        let mut members = BySide::both(None);
        let teams = over.spec().teams.as_ref();
        if let Some(standing) = teams.and_then(|teams| teams.standing) {
            // They change sides, and whoever has left his team plays for it no more.
            for side in Side::ALL {
                let team = PublicId::from_number(standing[side.other()]);
                let team = self.inner.store.team(team).await?;
                members[side] = Some(team.map_or(Vec::new(), |(_, members)| members));
            }
        }
        let stays = |user: UserId, side: Side| {
            let members: Option<&Vec<TeamMemberRow>> = members[side].as_ref();
            members.is_none_or(|members| members.iter().any(|member| member.user == user))
        };
        let events = over.rematch(&Context::untimed(chance.side()), stays);
        let public_id = PublicId::from_number(next);
        let new = self.begun(public_id, by, over.spec().access, events);
        let due_ms = new.rows.last().and_then(|row| row.deadline_ms);
        let id = new.id;
        match self.inner.store.create_match(new).await {
            Ok(_) => {
                let game = over.spec().options.mancala().key();
                made(id, public_id, game, "rematch made");
                if let Some(due_ms) = due_ms {
                    self.inner.timers.set(public_id, due_ms);
                }
                Ok(())
            }
            Err(StoreError::Taken) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the match of two teams that a challenge comes to, whose name it has; that one is
    /// gone with it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the challenge waits no more, or `by` may not accept it.
    pub(crate) async fn accept(
        &self,
        challenge: PublicId,
        spec: MatchSpec,
        by: UserId,
    ) -> Result<(), StoreError> {
        let (game, access) = (spec.options.mancala().key(), spec.access);
        let context = Context::untimed(self.inner.world.chance.side());
        let (_, events) = Match::begin(spec, None, &context);
        let new = self.begun(challenge, by, access, events);
        let id = new.id;
        self.inner.store.accept_challenge(new).await?;
        made(id, challenge, game, "challenge accepted, match made");
        Ok(())
    }

    /// A match that begins now with these events.
    fn begun(
        &self,
        public_id: PublicId,
        creator: UserId,
        access: Access,
        events: Vec<Event>,
    ) -> NewMatch {
        let World { clock, chance } = &self.inner.world;
        let (at_ms, service_ms) = (clock.now_ms(), self.inner.service.now_ms());
        let (rows, begun) = first_rows(events, at_ms, service_ms);
        NewMatch {
            id: MatchId(chance.id(at_ms)),
            public_id,
            creator,
            link_hash: None,
            access,
            created_ms: at_ms,
            stage: begun.as_ref().map_or(StageRow::Gathering, stage_row),
            rows,
            service_ms,
            idempotency: None,
        }
    }

    /// What the store knows of a match.
    pub(crate) async fn row(&self, name: PublicId) -> Result<MatchRow, Code> {
        let found = self.inner.store.find_match(name).await;
        found
            .map_err(|error| code_of(&error))?
            .ok_or(Code::NoSuchMatch)
    }

    /// Public matches that are not over, newest first.
    pub(crate) async fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<MatchRow>, Code> {
        let listed = self.inner.store.listed(before, limit).await;
        listed.map_err(|error| code_of(&error))
    }

    /// What was read of a match's log. One that is damaged is set aside, and the rest play
    /// on.
    async fn read<T>(
        &self,
        row: &MatchRow,
        reading: impl Future<Output = Result<T, ReadError>>,
    ) -> Result<T, Code> {
        if row.set_aside.is_some() {
            return Err(Code::SetAside);
        }
        let damage = match reading.await {
            Ok(read) => return Ok(read),
            Err(ReadError::Unavailable(error)) => return Err(code_of(&error)),
            Err(ReadError::Damaged(damage)) => damage,
        };
        error!(
            match.id = %row.id, match.name = %row.public_id, damage,
            "match set aside: its log cannot be played, the others go on; keep a copy of the data folder, \
             a backup may have this match whole"
        );
        metrics::set_aside();
        if let Err(error) = self.inner.store.set_aside(row.id, &damage).await {
            error!(match.id = %row.id, %error, "could not note that it is set aside");
        }
        Err(Code::SetAside)
    }

    fn history(&self) -> History<'_> {
        History(&self.inner.store)
    }

    /// All events of a match.
    pub(crate) async fn events(&self, row: &MatchRow) -> Result<Vec<Event>, Code> {
        self.read(row, self.history().events(row)).await
    }

    /// The events of a match as they were told, one frame each: what was for a team alone only if
    /// that has published it.
    pub(crate) async fn frames(&self, row: &MatchRow) -> Result<Vec<Frame>, Code> {
        let AtEnd { play, .. } = self.read(row, self.history().read(row)).await?;
        let names = self.names(play.everybody().collect()).await?;
        let all = (0, play.seq());
        let published = |side| play.teams().is_some_and(|teams| teams[side].is_published());
        let published = BySide::from_fn(published);
        let frames = self
            .history()
            .frames(row.id, row.public_id, all, &names, published);
        self.read(row, frames).await
    }

    /// The names of those who have, or had, to do with a match.
    pub(crate) async fn names(
        &self,
        mut ids: Vec<UserId>,
    ) -> Result<BTreeMap<UserId, String>, Code> {
        ids.sort_unstable();
        ids.dedup();
        let users = self.inner.store.users(&ids).await;
        let users = users.map_err(|error| code_of(&error))?;
        Ok(users.into_iter().map(|user| (user.id, user.name)).collect())
    }

    /// Lines of a room after a number, up to another one.
    pub(crate) async fn lines(
        &self,
        row: &MatchRow,
        room: Room,
        range: (u32, u32),
        limit: u32,
    ) -> Result<Vec<LineView>, Code> {
        let lines = self.inner.store.lines(row.id, room, range, limit).await;
        let lines = lines.map_err(|error| code_of(&error))?;
        let names = self.names(lines.iter().map(|line| line.user).collect());
        Ok(talk::views(&lines, &names.await?))
    }

    /// What was reported, newest first.
    pub(crate) async fn reports(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ReportView>, Code> {
        let rows = self.inner.store.reports(before, limit).await;
        let rows = rows.map_err(|error| code_of(&error))?;
        let people = rows.iter().flat_map(|ReportRow { report, .. }| {
            let speakers = report.lines.iter().map(|line| line.user);
            speakers.chain([report.by])
        });
        let names = self.names(people.collect()).await?;
        let reports = rows.into_iter().map(|row| ReportView {
            id: row.id,
            at_ms: row.report.at_ms,
            by: narrate::name_of(&names, row.report.by),
            r#match: row.public_id,
            room: row.report.room,
            line: row.report.n,
            lines: talk::views(&row.report.lines, &names),
            why: row.report.why,
        });
        Ok(reports.collect())
    }

    /// The live match of this name, loaded if it must be.
    pub(crate) async fn open(&self, name: PublicId) -> Result<MatchHandle, Code> {
        if let Some(handle) = self.live(name) {
            return Ok(handle);
        }
        let row = self.row(name).await?;
        let read = self.read(&row, self.history().read(&row)).await?;
        let names = self.names(read.play.everybody().collect()).await?;
        Ok(self.start(&row, read, names))
    }

    fn live(&self, name: PublicId) -> Option<MatchHandle> {
        let live = self.inner.live.lock();
        live.get(&name)
            .filter(|handle| !handle.mailbox.is_closed())
            .cloned()
    }

    /// Starts the task of a match, unless somebody else has done so meanwhile.
    fn start(&self, row: &MatchRow, read: AtEnd, names: BTreeMap<UserId, String>) -> MatchHandle {
        let mut live = self.inner.live.lock();
        if let Some(handle) = live.get(&row.public_id)
            && !handle.mailbox.is_closed()
        {
            return handle.clone();
        }
        let (mailbox, mail) = mpsc::channel(MAILBOX);
        let handle = MatchHandle { mailbox };
        live.insert(row.public_id, handle.clone());
        drop(live);
        self.inner.timers.remove(row.public_id);
        let timed = !row.spec.clock.is_untimed();
        let audience = Arc::new(Mutex::new(Audience::default()));
        let mut actor = Box::new(Actor::new(
            self.clone(),
            row.id,
            row.public_id,
            read,
            names,
            Arc::clone(&audience),
            mail,
        ));
        let span =
            info_span!(parent: None, "match", match.id = %row.id, match.name = %row.public_id);
        let task = tokio::spawn(async move { actor.run().await }.instrument(span.clone()));
        let matches = self.clone();
        let name = row.public_id;
        self.inner.tasks.spawn(
            async move {
                let due_ms = task.await.unwrap_or_else(|failure| {
                    error!(%failure, "the task of a match failed; it starts again from its log");
                    timed.then(|| matches.soon_ms())
                });
                // Whoever still followed comes back and finds a new task.
                let why = if matches.inner.stopping.is_cancelled() {
                    Code::ShuttingDown
                } else {
                    Code::Internal
                };
                audience.lock().cut_all(why);
                matches.forget_closed(name);
                if let Some(due_ms) = due_ms {
                    matches.inner.timers.set(name, due_ms);
                }
            }
            .instrument(span),
        );
        handle
    }

    /// When to look again at a match in which something may be due.
    fn soon_ms(&self) -> i64 {
        self.inner.service.now_ms().saturating_add(LOAD_AGAIN_MS)
    }

    /// Looks after what is due in matches that have no task, and notes how time goes on. Never
    /// ends by itself.
    pub(crate) async fn keep_time(&self) {
        tokio::join!(self.load_when_due(), self.note_time());
    }

    /// Loads each match when something is due in it, one after another, and its task does what
    /// is due.
    async fn load_when_due(&self) {
        while let Err(error) = self.set_timers().await {
            warn!(
                ?error,
                "what is due in which match could not be read, and is read again"
            );
            sleep(Duration::from_millis(LOAD_AGAIN_MS.cast_unsigned())).await;
        }
        loop {
            let name = self.inner.timers.next(&self.inner.service).await;
            match self.open(name).await {
                Ok(_) => {}
                // There is nothing to be decided in it.
                Err(code @ (Code::SetAside | Code::NoSuchMatch)) => {
                    warn!(match.name = %name, ?code, "something is due in a match that cannot be loaded");
                }
                Err(code) => {
                    warn!(match.name = %name, ?code, "a match in which something is due is loaded again");
                    self.inner.timers.set(name, self.soon_ms());
                }
            }
        }
    }

    async fn set_timers(&self) -> Result<(), Code> {
        match self.inner.store.deadlines().await {
            Ok(deadlines) => {
                debug!(matches = deadlines.len(), "what is due is known");
                self.inner.timers.fill(deadlines);
                Ok(())
            }
            // Where a part of the logs cannot be read, the others are read one by one.
            Err(StoreError::Damaged(_)) => {
                let unfinished = self.inner.store.unfinished().await;
                for (_, name) in unfinished.map_err(|error| code_of(&error))? {
                    let row = self.row(name).await?;
                    match self.read(&row, self.history().read(&row)).await {
                        Ok(AtEnd { deadline_ms, .. }) => {
                            let due = deadline_ms.map(|at_ms| (name, at_ms));
                            self.inner.timers.fill(due.into_iter().collect());
                        }
                        Err(Code::SetAside) => {}
                        Err(code) => return Err(code),
                    }
                }
                Ok(())
            }
            Err(error) => Err(code_of(&error)),
        }
    }

    /// Notes how far time has come, again and again.
    async fn note_time(&self) {
        let mut ticks = interval(Duration::from_millis(NOTE_TIME_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.note_time_now().await;
        }
    }

    /// Notes how far time has come, if that decides anything. Where time stands, because the
    /// store takes nothing, it goes on with the first note that is taken.
    pub(crate) async fn note_time_now(&self) {
        let Inner { service, store, .. } = &*self.inner;
        if self.inner.timers.anything_due() || service.stands() {
            let now_ms = service.now_ms();
            match store.note_service_ms(now_ms).await {
                Ok(()) => service.go_on(now_ms),
                Err(error) => {
                    service.stand_still(now_ms);
                    // The store says so itself, once.
                    debug!(%error, "how far time has come could not be noted");
                }
            }
        }
    }

    fn forget_closed(&self, name: PublicId) {
        let mut live = self.inner.live.lock();
        if live
            .get(&name)
            .is_some_and(|handle| handle.mailbox.is_closed())
        {
            live.remove(&name);
        }
    }

    /// Waits until every task has written what it had begun and ended.
    pub(crate) async fn stopped(&self) {
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl MatchHandle {
    /// Hands over a message, if the mailbox has room.
    fn post(&self, mail: Mail) -> Result<(), Code> {
        self.mailbox
            .try_send(Box::new(mail))
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => Code::Busy,
                // Its task has just ended; the next one to come starts it again.
                mpsc::error::TrySendError::Closed(_) => Code::Busy,
            })
    }

    /// Follows the match on a socket.
    pub(crate) fn join(
        &self,
        outbox: Outbox,
        user: Option<UserId>,
        since: Option<u64>,
        id: Option<u32>,
    ) -> Result<(), Code> {
        self.post(Mail::Join {
            outbox,
            user,
            since,
            id,
        })
    }

    /// Follows it no more. The answer, where one is waited for, comes after all that the
    /// socket is told of the match. Waits for room, since nothing else would take the socket
    /// away.
    pub(crate) async fn leave(&self, outbox: &Outbox, how: Leaving, answer: Option<Frame>) {
        let leave = Box::new(Mail::Leave {
            outbox: outbox.clone(),
            how,
            answer,
        });
        if let Err(mpsc::error::SendError(leave)) = self.mailbox.send(leave).await {
            // A match that has ended its task has no followers left.
            leave.say_left();
        }
    }

    /// Asks for something that reached the server at this service time; the answer goes to the
    /// socket.
    pub(crate) fn command(
        &self,
        user: UserId,
        command: Command,
        id: Option<u32>,
        outbox: Outbox,
        arrived_ms: i64,
    ) -> Result<(), Code> {
        self.post(Mail::Command {
            user,
            command,
            id,
            outbox,
            arrived_ms,
        })
    }

    /// Asks what actions would do; the answer goes to the socket.
    pub(crate) fn preview(
        &self,
        user: UserId,
        number: u32,
        actions: Vec<WireAction>,
        id: Option<u32>,
        outbox: Outbox,
    ) -> Result<(), Code> {
        self.post(Mail::Preview {
            user,
            number,
            actions,
            id,
            outbox,
        })
    }

    /// Takes a seat, as was asked at this service time: where he may come by himself, where the
    /// host puts him, or where he is invited to.
    pub(crate) async fn sit(
        &self,
        user: UserRow,
        side: Side,
        (put_by, is_invited): (Option<UserId>, bool),
        arrived_ms: i64,
    ) -> Result<MatchView, Declined> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail::Sit {
            user,
            side,
            put_by,
            is_invited,
            arrived_ms,
            reply,
        })?;
        answer.await.unwrap_or(Err(Code::Busy.into()))
    }

    /// Who is captain of the team of this side; nobody, where it is no team.
    pub(crate) async fn captain(&self, side: Side) -> Result<Option<UserId>, Code> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail::Captain { side, reply })?;
        answer.await.map_err(|_| Code::Busy)
    }

    /// Ends the match from outside, as was asked at this service time.
    pub(crate) async fn rule(
        &self,
        ruling: Ruling,
        note: Note,
        arrived_ms: i64,
    ) -> Result<MatchView, Declined> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail::Rule {
            ruling,
            note,
            arrived_ms,
            reply,
        })?;
        answer.await.unwrap_or(Err(Code::Busy.into()))
    }

    /// Asks something of a room; the answer goes to the socket.
    pub(crate) fn talk(
        &self,
        user: Option<UserRow>,
        (room, ask): (Room, TalkAsk),
        id: Option<u32>,
        outbox: Outbox,
        arrived_ms: i64,
    ) -> Result<(), Code> {
        self.post(Mail::Talk {
            user,
            room,
            ask: Box::new(ask),
            id,
            outbox,
            arrived_ms,
        })
    }

    /// Asks something of the talk of the match over REST; the number of the last line of a room
    /// that is to be read.
    pub(crate) async fn ask_talk(
        &self,
        request: TalkRequest,
        arrived_ms: i64,
    ) -> Result<u32, Code> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail::AskTalk {
            request,
            arrived_ms,
            reply,
        })?;
        answer.await.unwrap_or(Err(Code::Busy))
    }

    /// The match as it stands.
    pub(crate) async fn view(&self) -> Result<MatchView, Code> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail::View { reply })?;
        answer.await.map_err(|_| Code::Busy)
    }
}

/// Says that a match is there.
fn made(id: MatchId, name: PublicId, game: &'static str, how: &'static str) {
    info!(match.id = %id, match.name = %name, game, "{how}");
    metrics::match_created(game);
}

/// The first rows of a log, and the match after them.
fn first_rows(events: Vec<Event>, at_ms: i64, service_ms: i64) -> (Vec<LogRow>, Option<Match>) {
    let mut made: Option<Match> = None;
    let mut rows = Vec::with_capacity(events.len());
    for event in events {
        let play = match (&mut made, &event) {
            (None, Event::Created { spec }) => made.insert(Match::create(spec.clone())),
            (None, _) => break,
            (Some(play), event) => {
                play.apply(event);
                play
            }
        };
        rows.push(LogRow {
            seq: play.seq(),
            at_ms,
            event,
            digest: play.digest(),
            deadline_ms: play.deadline_ms().map(|after_ms| service_ms + after_ms),
        });
    }
    (rows, made)
}

/// The format and access of a spec say all that a list shows; this is what is stored of
/// the stage.
pub(crate) fn stage_row(play: &Match) -> StageRow {
    match play.stage() {
        mancala_play::Stage::Gathering => StageRow::Gathering,
        mancala_play::Stage::Playing(_) => StageRow::Playing,
        mancala_play::Stage::Over { .. } => StageRow::Over,
    }
}

/// Who is named in the record of these events.
pub(crate) fn everybody(events: &[Event]) -> Vec<UserId> {
    let named = |event: &Event| match event {
        Event::Seated { user, .. }
        | Event::Team {
            what: TeamEvent::Came { user } | TeamEvent::Waits { user },
            ..
        } => Some(*user),
        _ => None,
    };
    events.iter().filter_map(named).collect()
}
