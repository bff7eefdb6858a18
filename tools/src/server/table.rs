//! A table: two players or two teams, and those who watch them, for one match after another.
//!
//! May know what is said over sockets and when, never what the server is or how much of it
//! there is. What is told of a match is the [`Checker`]'s to judge.

use super::allowance::Allowance;
use super::checker::Checker;
use super::choice;
use super::glance::Glance;
use super::rest::Rest;
use super::schedule::Schedule;
use super::socket::{self, Socket, text};
use super::tally::Tally;
use super::{Decides, Teams};
use crate::random::Random;
use anyhow::{Context as _, bail, ensure};
use futures_util::stream::{self, BoxStream, SelectAll, SplitSink};
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_engine::Side;
use mancala_protocol::rest::NewMatch;
use mancala_protocol::{
    ClientMessage, EventBody, PublicId, Role, ServerMessage, TeamFrame, WireAction,
};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;

/// How long anything may take that the server owes: an answer, a match that begins. Far
/// more than a slow disk needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// So many join a match before the first of them has to be in it: half of what waits for a match
/// before it is `busy`.
const JOINS_AT_ONCE: usize = 128;

/// How long a move waits that was refused because the server could not take it just then.
const AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How often somebody looks whether there are enough moves.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// What all tables share.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) address: SocketAddr,
    pub(crate) rest: Rest,
    /// What each match is to be.
    pub(crate) wanted: NewMatch,
    /// Where the sides are teams.
    pub(crate) teams: Option<Teams>,
    /// Who watches each match.
    pub(crate) spectators: usize,
    pub(crate) seed: u64,
    /// Where moves come at a fixed rate; without it each comes as soon as it may.
    pub(crate) schedule: Option<Schedule>,
    pub(crate) tally: Mutex<Tally>,
    pub(crate) stop: CancellationToken,
}

impl Room {
    pub(crate) fn tally(&self) -> MutexGuard<'_, Tally> {
        // Counts are never half done under the lock.
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until so many moves have been answered.
    pub(crate) async fn wait_for(&self, moves: u64) {
        while self.tally().moves < moves {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

/// What comes on a socket, with the place of its viewer; `None` once it has ended.
type Heard = (usize, Option<Result<Message, Error>>);

/// Who plays, those who watch them, and their sockets.
pub(crate) struct Table {
    room: Arc<Room>,
    /// Of the players, who are the first of the viewers: south and north by turns.
    tokens: Vec<(Side, String)>,
    viewers: Vec<Viewer>,
    /// What comes on all sockets.
    ears: SelectAll<BoxStream<'static, Heard>>,
    random: Random,
    name: Option<PublicId>,
    checker: Option<Checker>,
    /// Moves whose event has not come to the opponent's socket.
    under_way: Vec<Launch>,
    /// The same of the spectators' sockets.
    watched: Vec<Watched>,
}

/// A move on its way.
#[derive(Clone, Copy, Debug)]
struct Launch {
    number: u32,
    side: Side,
    /// When it was to be sent.
    due: Instant,
}

/// A move that has not come to every spectator.
#[derive(Clone, Copy, Debug)]
struct Watched {
    launch: Launch,
    /// So many of them have not heard of it.
    left: usize,
}

/// A move that waits because its socket may not say more.
#[derive(Clone, Copy, Debug)]
struct Held {
    due: Option<Instant>,
    /// When it may be sent.
    until: Instant,
}

/// One who follows the match on a socket.
struct Viewer {
    /// The seat; none of a spectator.
    side: Option<Side>,
    sink: SplitSink<Socket, Message>,
    allowance: Allowance,
    joined: bool,
    /// The last event it has heard.
    seq: u64,
    /// The last event for its team alone, of a member of one.
    team_seq: u64,
    /// The number of the last action it knows of.
    number: u32,
    /// The proposal of this move waits for its vote.
    voting: Option<Launch>,
    /// What it may play, chosen already, under the number of the action.
    choice: Option<(u32, WireAction)>,
    /// What it has sent and has no answer to.
    asked: Option<Asked>,
}

/// A command that was sent.
#[derive(Clone, Debug)]
struct Asked {
    launch: Launch,
    message: ClientMessage,
    /// When to send it again, where the server could not take it.
    again: Option<Instant>,
}

/// How a match came to an end for this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Over,
    Stopped,
}

impl Table {
    /// Makes the guests and opens the sockets. `place` is the number of the table.
    pub(crate) async fn set(room: Arc<Room>, place: usize) -> anyhow::Result<Table> {
        let members = room.teams.map_or(1, |teams| teams.members);
        let mut tokens = Vec::new();
        for member in 0..members {
            for side in Side::ALL {
                let name = format!("{} {place}.{member}", side.name());
                tokens.push((side, room.rest.guest(name).await?));
            }
        }
        let mut viewers = Vec::new();
        let mut ears = SelectAll::new();
        let players = tokens.iter().map(|(side, token)| Some((*side, &**token)));
        let spectators = std::iter::repeat_n(None, room.spectators);
        for player in players.chain(spectators) {
            let count = place * (tokens.len() + room.spectators) + viewers.len();
            let (side, token) = player.unzip();
            let (sink, stream) = socket::open(room.address, count, token).await?.split();
            let at = viewers.len();
            let heard = stream.map(move |message| (at, Some(message)));
            ears.push(heard.chain(stream::iter([(at, None)])).boxed());
            viewers.push(Viewer {
                side,
                sink,
                allowance: Allowance::new(Instant::now()),
                joined: false,
                seq: 0,
                team_seq: 0,
                number: 0,
                voting: None,
                choice: None,
                asked: None,
            });
        }
        // Each table has choices of its own, the same ones in every run with the seed.
        let mut seeds = Random::from_seed(room.seed);
        let seed = seeds.next().wrapping_add((place as u64) << 32);
        Ok(Table {
            room,
            tokens,
            viewers,
            ears,
            random: Random::from_seed(seed),
            name: None,
            checker: None,
            under_way: Vec::new(),
            watched: Vec::new(),
        })
    }

    /// Makes a match, and has everyone join it.
    pub(crate) async fn begin(&mut self) -> anyhow::Result<()> {
        let begun = timeout(PATIENCE, self.make_and_join()).await;
        begun.unwrap_or_else(|_| bail!("a match did not begin in {PATIENCE:?}"))
    }

    async fn make_and_join(&mut self) -> anyhow::Result<()> {
        let rest = &self.room.rest;
        let Some(((_, maker), others)) = self.tokens.split_first() else {
            bail!("nobody plays");
        };
        let name = rest.make(maker, &self.room.wanted).await?;
        for (side, token) in others {
            rest.sit(token, name, *side).await?;
        }
        let before = self.name.replace(name);
        self.checker = None;
        self.under_way.clear();
        self.watched.clear();
        for at in 0..self.viewers.len() {
            let viewer = &mut self.viewers[at];
            viewer.joined = false;
            viewer.choice = None;
            viewer.voting = None;
            if let Some(r#match) = before {
                let id = None;
                self.say(at, text(&ClientMessage::Leave { id, r#match }))
                    .await?;
            }
            let join = ClientMessage::Join {
                id: Some(1),
                r#match: name,
                since: None,
            };
            self.say(at, text(&join)).await?;
            if (at + 1).is_multiple_of(JOINS_AT_ONCE) {
                self.all_have_joined(at + 1).await?;
            }
        }
        self.all_have_joined(self.viewers.len()).await
    }

    /// Waits until the first so many have joined.
    async fn all_have_joined(&mut self, count: usize) -> anyhow::Result<()> {
        while !self.viewers[..count].iter().all(|viewer| viewer.joined) {
            self.hear_next().await?;
        }
        Ok(())
    }

    /// Says something, once it may be said.
    async fn say(&mut self, at: usize, message: Message) -> anyhow::Result<()> {
        let viewer = &mut self.viewers[at];
        while let Err(wait) = viewer.allowance.take(Instant::now()) {
            tokio::time::sleep(wait).await;
        }
        Ok(viewer.sink.send(message).await?)
    }

    /// Plays match after match until it is told to stop and has all its answers.
    pub(crate) async fn play(mut self) -> anyhow::Result<()> {
        loop {
            match self.play_match().await {
                Ok(End::Stopped) => return Ok(()),
                Ok(End::Over) => self.room.tally().matches_ended += 1,
                Err(error) => return Err(error.context(self.place())),
            }
            if self.room.stop.is_cancelled() {
                return Ok(());
            }
            self.begin().await.with_context(|| self.place())?;
        }
    }

    fn place(&self) -> String {
        match self.name {
            Some(name) => format!("match {name}"),
            None => "before the first match".to_owned(),
        }
    }

    async fn play_match(&mut self) -> anyhow::Result<End> {
        // Told to stop, the table sends nothing new, and waits for what it is owed.
        let mut stop = pin!(self.room.stop.clone().cancelled_owned());
        let mut stopping = false;
        let mut patience = pin!(tokio::time::sleep(PATIENCE));
        let mut turn: Option<oneshot::Receiver<Instant>> = None;
        let mut held: Option<Held> = None;
        loop {
            if self.is_over() {
                return Ok(End::Over);
            }
            if stopping && self.viewers.iter().all(|viewer| viewer.asked.is_none()) {
                return Ok(End::Stopped);
            }
            if turn.is_none() && held.is_none() && !stopping && self.mover().is_some() {
                match &self.room.schedule {
                    Some(schedule) => turn = Some(schedule.turn()),
                    None => held = self.act(None).await?,
                }
            }
            let again = self.again();
            let wake = held.map(|held| held.until).into_iter().chain(again).min();
            tokio::select! {
                biased;
                () = &mut stop, if !stopping => {
                    stopping = true;
                    (turn, held) = (None, None);
                    patience.as_mut().reset(tokio::time::Instant::now() + PATIENCE);
                }
                due = async { turn.as_mut()?.await.ok() }, if turn.is_some() => {
                    turn = None;
                    // Without a moment the run is over, and the word to stop is on its way.
                    if due.is_some() {
                        held = self.act(due).await?;
                    }
                }
                heard = self.ears.next() => {
                    self.hear(heard)?;
                    self.vote().await?;
                }
                () = sleep_until(wake), if wake.is_some() => {
                    self.send_again().await?;
                    if let Some(Held { due, .. }) = held.take_if(|held| held.until <= Instant::now())
                    {
                        held = self.act(due).await?;
                    }
                }
                () = &mut patience, if stopping => {
                    let waits = self.viewers.iter().find_map(|viewer| viewer.asked.as_ref());
                    bail!("no answer in {PATIENCE:?} to {waits:?}");
                }
            }
        }
    }

    /// Is the match over for everyone, with nothing left unanswered?
    fn is_over(&self) -> bool {
        self.checker.as_ref().is_some_and(|checker| {
            let done = |viewer: &Viewer| viewer.seq == checker.view().seq && viewer.asked.is_none();
            checker.is_over() && self.viewers.iter().all(done)
        })
    }

    /// Who is to move, and has nothing under way. Of those in a team who all may, the first.
    fn mover(&self) -> Option<usize> {
        let view = self.checker.as_ref()?.view();
        let due = |viewer: &Viewer| {
            let choice = viewer.choice.as_ref();
            choice.is_some_and(|(number, _)| *number == view.next_number) && viewer.asked.is_none()
        };
        // A proposal for it may be voted on.
        if self
            .under_way
            .iter()
            .any(|launch| launch.number == view.next_number)
        {
            return None;
        }
        let at = self.viewers.iter().position(due)?;
        let Some(teams) = &view.teams else {
            return Some(at);
        };
        // Members came in this order, and their numbers go by it.
        let side = self.viewers[at].side?;
        let numbered = |number: u32| 2 * (number as usize - 1) + side as usize;
        let at = match self.room.teams?.decides {
            Decides::Rotation => numbered(teams.at_turn?),
            Decides::Captain => numbered(1),
            Decides::Vote | Decides::First => at,
        };
        self.viewers.get(at).filter(|viewer| due(viewer))?;
        Some(at)
    }

    /// Sends the chosen action, which was due then, or else as soon as it may be sent. What
    /// the socket may not say just now is held.
    async fn act(&mut self, due: Option<Instant>) -> anyhow::Result<Option<Held>> {
        let Some((at, name)) = self.mover().zip(self.name) else {
            return Ok(None);
        };
        let votes = self.votes();
        let viewer = &mut self.viewers[at];
        let now = Instant::now();
        if let Err(wait) = viewer.allowance.take(now) {
            self.room.tally().held_back += 1;
            let until = now + wait;
            return Ok(Some(Held { due, until }));
        }
        let Some(((number, action), side)) = viewer.choice.take().zip(viewer.side) else {
            return Ok(None);
        };
        let (id, r#match, actions) = (Some(number), name, vec![action]);
        // The number is used once in a match, so it is a name as good as any.
        let key = number.to_string().parse().context("a number is a key")?;
        let message = if votes {
            ClientMessage::Propose {
                id,
                r#match,
                number,
                actions,
                key,
            }
        } else {
            ClientMessage::Act {
                id,
                r#match,
                number,
                actions,
                key,
            }
        };
        let due = due.unwrap_or(now);
        let launch = Launch { number, side, due };
        self.under_way.push(launch);
        if self.room.spectators > 0 {
            self.watched.push(Watched {
                launch,
                left: self.room.spectators,
            });
        }
        let frame = text(&message);
        let again = None;
        viewer.asked = Some(Asked {
            launch,
            message,
            again,
        });
        viewer.sink.send(frame).await?;
        Ok(None)
    }

    /// Do the teams vote?
    fn votes(&self) -> bool {
        let teams = self.room.teams;
        teams.is_some_and(|teams| teams.decides == Decides::Vote)
    }

    /// Every member votes for what was proposed, as soon as he has heard of it.
    async fn vote(&mut self) -> anyhow::Result<()> {
        let Some(r#match) = self.name.filter(|_| self.votes()) else {
            return Ok(());
        };
        for at in 0..self.tokens.len() {
            let viewer = &mut self.viewers[at];
            let Some(launch) = viewer.voting.take_if(|_| viewer.asked.is_none()) else {
                continue;
            };
            let number = launch.number;
            let message = ClientMessage::Vote {
                id: Some(number),
                r#match,
                number,
                proposal: 0,
                key: format!("v{number}")
                    .parse()
                    .context("a short word is a key")?,
            };
            let frame = text(&message);
            viewer.asked = Some(Asked {
                launch,
                message,
                again: None,
            });
            self.say(at, frame).await?;
        }
        Ok(())
    }

    /// When the next refused command is to be sent again.
    fn again(&self) -> Option<Instant> {
        let asked = self
            .viewers
            .iter()
            .filter_map(|viewer| viewer.asked.as_ref());
        asked.filter_map(|asked| asked.again).min()
    }

    /// Sends again, unchanged, what the server could not take.
    async fn send_again(&mut self) -> anyhow::Result<()> {
        let now = Instant::now();
        for at in 0..self.viewers.len() {
            let asked = self.viewers[at].asked.as_mut();
            let Some(asked) = asked.filter(|asked| asked.again.is_some_and(|at| at <= now)) else {
                continue;
            };
            asked.again = None;
            let frame = text(&asked.message);
            self.say(at, frame).await?;
        }
        Ok(())
    }

    async fn hear_next(&mut self) -> anyhow::Result<()> {
        let heard = self.ears.next().await;
        self.hear(heard)
    }

    fn hear(&mut self, heard: Option<Heard>) -> anyhow::Result<()> {
        let (at, message) = heard.context("all sockets have ended")?;
        let who = match self.viewers[at].side {
            Some(side) => side.name().to_owned(),
            None => format!("spectator {}", at - self.tokens.len() + 1),
        };
        let taken = match message {
            Some(Ok(Message::Text(text))) => self.take(at, &text),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Ok(other)) => Err(anyhow::anyhow!("the socket was closed: {other:?}")),
            Some(Err(error)) => Err(error.into()),
            None => Err(anyhow::anyhow!("the socket ended")),
        };
        taken.context(who)
    }

    fn take(&mut self, at: usize, frame: &Utf8Bytes) -> anyhow::Result<()> {
        let malformed = || format!("not a frame of the protocol: {frame}");
        let glance: Glance<'_> = serde_json::from_str(frame).with_context(malformed)?;
        self.room.tally().frames += 1;
        let about = glance.r#match.as_deref();
        if about != self.name.as_ref().map(PublicId::as_str) && about.is_some() {
            // The last words of the match before.
            return Ok(());
        }
        match &*glance.r#type {
            "joined" => self.take_joined(at, frame),
            "event" => self.take_event(at, &glance, frame),
            "legal" => self.take_legal(at, &glance),
            "done" => self.take_done(at, &glance),
            "refused" => self.take_refused(at, &glance, frame),
            "bye" => bail!("the server ends the socket: {frame}"),
            // Presence, and whatever else may come one day.
            _ => Ok(()),
        }
    }

    fn take_joined(&mut self, at: usize, frame: &Utf8Bytes) -> anyhow::Result<()> {
        let ServerMessage::Joined {
            id,
            role,
            seq,
            view: Some(view),
            team,
            ..
        } = serde_json::from_str(frame)?
        else {
            bail!("joined without a view: {frame}");
        };
        let viewer = &mut self.viewers[at];
        ensure!(role == Role::from(viewer.side), "joined as {role:?}");
        ensure!(seq == view.seq, "joined at two numbers: {frame}");
        if id.is_none() {
            self.room.tally().resyncs += 1;
        }
        viewer.joined = true;
        viewer.seq = seq;
        let council = team.and_then(|team| team.council);
        ensure!(
            council.is_none() || self.room.teams.is_some() && viewer.side.is_some(),
            "told of a team's council: {frame}"
        );
        viewer.team_seq = council.map_or(0, |council| council.seq);
        let number = view.next_number.saturating_sub(1);
        self.knows(at, number, Instant::now());
        match &mut self.checker {
            Some(checker) => checker.take_view(*view)?,
            None => self.checker = Some(Checker::new(*view)?),
        }
        Ok(())
    }

    fn take_event(
        &mut self,
        at: usize,
        glance: &Glance<'_>,
        frame: &Utf8Bytes,
    ) -> anyhow::Result<()> {
        let heard = Instant::now();
        if let Some(only) = glance.only.as_deref() {
            return self.take_event_of_team(at, only, glance, frame);
        }
        let viewer = &mut self.viewers[at];
        let seq = glance.seq.context("an event without a number")?;
        ensure!(
            seq == viewer.seq + 1,
            "event {seq} came after event {}: {frame}",
            viewer.seq
        );
        viewer.seq = seq;
        let checker = self.checker.as_mut().context("an event before a view")?;
        let first = checker.take_event(seq, frame)?;
        let acted = glance.kind.as_deref() == Some("acted");
        let mut tally = self.room.tally();
        if first {
            tally.events_checked += 1;
            if acted {
                tally.told(frame.len());
            }
        }
        let is_it = |launch: &Launch| {
            Some(launch.number) == glance.number && viewer.side == Some(launch.side.other())
        };
        if acted && let Some(place) = self.under_way.iter().position(is_it) {
            let launch = self.under_way.swap_remove(place);
            tally.heard(heard.saturating_duration_since(launch.due));
        }
        drop(tally);
        if let Some(number) = glance.number.filter(|_| acted) {
            self.knows(at, number, heard);
        }
        Ok(())
    }

    /// Notes up to which action somebody knows of the match, and how long it took until the
    /// last of those who watch did.
    fn knows(&mut self, at: usize, number: u32, heard: Instant) {
        let viewer = &mut self.viewers[at];
        let before = std::mem::replace(&mut viewer.number, number);
        if viewer.side.is_some() {
            return;
        }
        let room = &self.room;
        self.watched.retain_mut(|watched| {
            if (before + 1..=number).contains(&watched.launch.number) {
                watched.left -= 1;
                if watched.left == 0 {
                    let after = heard.saturating_duration_since(watched.launch.due);
                    room.tally().seen_by_all(after);
                }
            }
            watched.left > 0
        });
    }

    /// What a team alone is told: its members hear it one after the other, and nobody else.
    fn take_event_of_team(
        &mut self,
        at: usize,
        only: &str,
        glance: &Glance<'_>,
        frame: &Utf8Bytes,
    ) -> anyhow::Result<()> {
        let viewer = &mut self.viewers[at];
        ensure!(
            viewer.side.is_some_and(|side| side.name() == only),
            "another team's word: {frame}"
        );
        let seq = glance.seq.context("an event without a number")?;
        ensure!(seq == viewer.team_seq + 1, "a gap in a team: {frame}");
        viewer.team_seq = seq;
        let event: ServerMessage = serde_json::from_str(frame)?;
        if let ServerMessage::Event { body, .. } = event
            && let EventBody::Team { what, .. } = body
            && let TeamFrame::Proposed(_) = what
        {
            viewer.voting = self.under_way.last().copied();
        }
        Ok(())
    }

    fn take_legal(&mut self, at: usize, glance: &Glance<'_>) -> anyhow::Result<()> {
        let checker = self.checker.as_ref().context("`legal` before a view")?;
        let viewer = &mut self.viewers[at];
        let number = glance.number.context("`legal` without a number")?;
        let view = checker.view();
        if self.room.teams.is_some() && number < view.next_number {
            // Another member has acted meanwhile.
            return Ok(());
        }
        // Nobody else can act now, so what this one has heard is all there is.
        ensure!(viewer.seq == view.seq, "`legal` before its events");
        ensure!(
            number == view.next_number,
            "`legal` for action {number} where {} is due",
            view.next_number
        );
        let to_move = view
            .position
            .as_ref()
            .map(|position| position.standing.to_move);
        ensure!(to_move == viewer.side, "`legal` for who is not to move");
        let actions = glance.actions.context("`legal` without a list")?;
        let listed = choice::listed(actions.get(), &mut self.random)?;
        let action = match listed {
            Some(action) => action,
            None => choice::unlisted(view, &mut self.random)?,
        };
        viewer.choice = Some((number, action));
        Ok(())
    }

    fn take_done(&mut self, at: usize, glance: &Glance<'_>) -> anyhow::Result<()> {
        let viewer = &mut self.viewers[at];
        let asked = viewer.asked.take().context("`done` without a command")?;
        let number = Some(asked.launch.number);
        ensure!(
            glance.id == number && glance.number == number,
            "`done` of action {:?} answers {number:?}",
            glance.number
        );
        let in_team = matches!(
            asked.message,
            ClientMessage::Propose { .. } | ClientMessage::Vote { .. }
        );
        let told = if in_team { viewer.team_seq } else { viewer.seq };
        ensure!(
            glance.seq.is_some_and(|seq| seq <= told),
            "`done` came before its event"
        );
        // A proposal, or a vote that others have to follow, is no move yet.
        if viewer.number >= asked.launch.number {
            self.room.tally().answered(asked.launch.due.elapsed());
        }
        Ok(())
    }

    fn take_refused(
        &mut self,
        at: usize,
        glance: &Glance<'_>,
        frame: &Utf8Bytes,
    ) -> anyhow::Result<()> {
        let code = glance.code.as_deref().unwrap_or_default();
        self.room.tally().refuse(code);
        let asked = self.viewers[at].asked.as_mut();
        match asked.filter(|asked| glance.id == Some(asked.launch.number)) {
            Some(asked) if matches!(code, "busy" | "storage_unavailable") => {
                asked.again = Some(Instant::now() + AGAIN_AFTER);
                Ok(())
            }
            asked => bail!("refused {:?}: {frame}", asked.map(|asked| &asked.message)),
        }
    }
}

async fn sleep_until(when: Option<Instant>) {
    if let Some(when) = when {
        tokio::time::sleep_until(when.into()).await;
    }
}
