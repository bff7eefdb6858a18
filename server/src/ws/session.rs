//! One socket: greeted, then a loop of what comes in, what goes out, and pings.

use super::round_trips::RoundTrips;
use crate::app::App;
use crate::clock::Meter;
use crate::hub::{Outbox, Outgoing, SessionId, frame};
use crate::limits::OUTBOX;
use crate::matches::{MatchHandle, TalkAsk};
use crate::metrics;
use crate::online::Here;
use crate::store::UserRow;
use crate::text::sound_line;
use crate::wording;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_engine::Side;
use mancala_play::{Command, Key, Leaving, Room, TeamRequest};
use mancala_protocol::invite::Me;
use mancala_protocol::limits::{
    HELLO_SECONDS_MAX, MATCHES_A_SOCKET_MAX, MESSAGES_A_SECOND_MAX, MESSAGES_BURST_MAX,
    NAME_CHARACTERS_MAX, PING_SECONDS,
};
use mancala_protocol::{ClientMessage, CloseCode, Code, PublicId, ServerMessage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tracing::{Instrument as _, debug, info_span};

/// A socket is given up after so many pings in silence.
const SILENT_PINGS_MAX: u32 = 3;

/// How long a socket that ends is given to hear why.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Frames written before they are pushed out together.
const FRAMES_AT_ONCE: usize = 64;

/// Serves a socket until it ends. `cookie` is whose cookie came with it.
///
/// There is one of these for each socket, idle ones too, so it keeps what it seldom needs in
/// boxes: its size is most of what a socket costs. An `async fn` would keep what it was given
/// beside what it makes of it.
pub(super) fn run(
    app: App,
    socket: WebSocket,
    cookie: Option<UserRow>,
) -> impl Future<Output = ()> + Send {
    let id = SessionId(app.world.chance.number() as u32);
    let span = info_span!("session", session.id = %id);
    // The server does not end before this is given back.
    let counted = app.sessions.token();
    let (outbox, outgoing) = Outbox::new(id, OUTBOX);
    let mut session = Session {
        app,
        outbox,
        socket,
        user: None,
        here: None,
        joined: BTreeMap::new(),
        meter: Meter::new(MESSAGES_A_SECOND_MAX, MESSAGES_BURST_MAX),
        round_trips: None,
        leaving: Leaving::Dropped,
    };
    async move {
        session.serve(outgoing, cookie).await;
        drop(counted);
    }
    .instrument(span)
}

/// One socket.
struct Session {
    app: App,
    outbox: Outbox,
    socket: WebSocket,
    /// Who has greeted, if it was somebody.
    user: Option<UserRow>,
    here: Option<Here>,
    joined: BTreeMap<PublicId, MatchHandle>,
    meter: Meter,
    /// Made with the first that is asked for: those who only watch have none.
    round_trips: Option<Box<RoundTrips>>,
    /// How it goes: the line is lost, unless its client closes it.
    leaving: Leaving,
}

/// Why a session ends: with a word to the client, or without, because it is gone.
type End = Option<Code>;

impl Session {
    async fn serve(&mut self, mut outgoing: mpsc::Receiver<Outgoing>, cookie: Option<UserRow>) {
        let _open = metrics::socket();
        let end = match Box::pin(self.greet(cookie)).await {
            Ok(()) => self.serve_until_end(&mut outgoing).await,
            Err(end) => end,
        };
        Box::pin(self.end(end)).await;
    }

    async fn end(&mut self, end: End) {
        self.here = None;
        for handle in std::mem::take(&mut self.joined).into_values() {
            handle.leave(&self.outbox, self.leaving, None).await;
        }
        match end {
            Some(code) => {
                debug!(code = code.as_str(), "socket closed");
                say_bye(&mut self.socket, code).await;
            }
            None => {
                metrics::socket_closed(None);
                debug!("socket gone");
                answer_close(&mut self.socket).await;
            }
        }
    }

    /// Waits for the greeting, and answers it. An error is why the socket must be closed,
    /// if it is still there.
    async fn greet(&mut self, cookie: Option<UserRow>) -> Result<(), End> {
        let patience = Duration::from_secs(HELLO_SECONDS_MAX);
        let stopping = self.app.stopping.clone();
        let text = tokio::select! {
            biased;
            () = stopping.cancelled() => return Err(Some(Code::ShuttingDown)),
            text = timeout(patience, self.first_text()) => {
                text.map_err(|_| Some(Code::Greeting))??
            }
        };
        let (id, token, client) = match serde_json::from_str(&text) {
            Ok(ClientMessage::Hello { id, token, client }) => (id, token, client),
            Ok(_) => return Err(Some(Code::Greeting)),
            Err(error) => {
                // What was wrong with it, before the socket ends for want of a greeting.
                let (id, about) = address_of(&text);
                let why = wording::sentence(&error);
                let refused = refused(id, about, Code::BadMessage, Some(why));
                if let Ok(text) = Utf8Bytes::try_from(frame(&refused)) {
                    // It may be gone already.
                    _ = timeout(LAST_WORDS, self.socket.send(Message::Text(text))).await;
                }
                return Err(Some(Code::Greeting));
            }
        };
        let user = match (token, cookie) {
            // One of the two, or it would not be plain who one is.
            (Some(_), Some(_)) => return Err(Some(Code::TwoTokens)),
            (Some(token), None) => Some(self.app.accounts.user_of(&token).await.map_err(Some)?),
            (None, cookie) => cookie,
        };
        let client: String = client
            .unwrap_or_default()
            .chars()
            .filter(|letter| !letter.is_control())
            .take(NAME_CHARACTERS_MAX)
            .collect();
        debug!(
            user.id = user.as_ref().map(|user| tracing::field::display(user.id)),
            client, "greeted"
        );
        let welcome = ServerMessage::Welcome {
            id,
            session: self.outbox.session().to_string(),
            user: user.as_ref().map(|user| Me {
                id: user.id,
                name: user.name.clone(),
            }),
            server: env!("CARGO_PKG_VERSION").to_owned(),
        };
        self.outbox.must_send(frame(&welcome));
        let came = |user: &UserRow| self.app.online.came(user.id, self.outbox.clone());
        self.here = user.as_ref().map(came);
        self.user = user;
        Ok(())
    }

    async fn first_text(&mut self) -> Result<Utf8Bytes, End> {
        loop {
            match self.socket.next().await {
                None => return Err(None),
                Some(Err(error)) => return Err(code_of(&error)),
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Binary(_))) => return Err(Some(Code::Greeting)),
                Some(Ok(Message::Close(_))) => return Err(None),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            }
        }
    }

    async fn serve_until_end(&mut self, outgoing: &mut mpsc::Receiver<Outgoing>) -> End {
        let ping = Duration::from_secs(PING_SECONDS);
        let mut pings = interval(ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.reset();
        let mut silent = 0;
        let mut batch = Vec::new();
        let stopping = self.app.stopping.clone();
        let outbox = self.outbox.clone();
        // Kept from one round to the next: to queue up for it anew costs more than a frame.
        let mut ordered = pin!(async {
            tokio::select! {
                biased;
                code = outbox.cord().wait() => code,
                () = stopping.cancelled() => Code::ShuttingDown,
            }
        });
        loop {
            tokio::select! {
                biased;
                code = &mut ordered => return Some(code),
                count = outgoing.recv_many(&mut batch, FRAMES_AT_ONCE) => {
                    debug_assert!(count > 0, "this session holds a sender itself");
                    metrics::outbox(count + outgoing.len());
                    let write = self.write_all(&mut batch);
                    // A socket that takes nothing for so long is dead, or as good as.
                    let patience = ping * SILENT_PINGS_MAX;
                    // Mostly it is written at once.
                    tokio::select! {
                        biased;
                        written = timeout(patience, write) => {
                            if !matches!(written, Ok(Ok(()))) {
                                return None;
                            }
                        }
                        code = &mut ordered => return Some(code),
                    }
                }
                message = self.socket.next() => {
                    silent = 0;
                    match message {
                        None => return None,
                        Some(Err(error)) => return code_of(&error),
                        Some(Ok(message)) => {
                            if let ControlFlow::Break(end) = self.hear(message).await {
                                return end;
                            }
                        }
                    }
                }
                _ = pings.tick() => {
                    if silent >= SILENT_PINGS_MAX {
                        return None;
                    }
                    silent += 1;
                    let ping = self.socket.send(Message::Ping(Bytes::new()));
                    if !matches!(timeout(ping_patience(), ping).await, Ok(Ok(()))) {
                        return None;
                    }
                }
            }
        }
    }

    async fn hear(&mut self, message: Message) -> ControlFlow<End> {
        let text = match message {
            Message::Text(text) => text,
            Message::Close(_) => {
                self.leaving = Leaving::Closed;
                return ControlFlow::Break(None);
            }
            Message::Pong(payload) => return self.hear_pong(&payload),
            // Answered, but no freer than any other frame.
            Message::Ping(_) => return self.count(),
            Message::Binary(_) => {
                let why = "frames of text only".to_owned();
                self.refuse(None, None, Code::BadMessage, Some(why));
                return self.count();
            }
        };
        self.count()?;
        match serde_json::from_str::<ClientMessage>(&text) {
            Ok(message) => self.answer(message).await,
            Err(error) => {
                // Which of its messages it was, where that can be read.
                let (id, about) = address_of(&text);
                self.misread(id, about, wording::sentence(&error))
            }
        }
    }

    /// The answer to a ping that measured the way counts as no message: it was asked for.
    fn hear_pong(&mut self, payload: &[u8]) -> ControlFlow<End> {
        let trips = self.round_trips.as_mut();
        let Some(round_trip_ms) = trips.and_then(|trips| trips.pong(payload)) else {
            return self.count();
        };
        self.outbox.measured(round_trip_ms);
        ControlFlow::Continue(())
    }

    /// What a ping that measures the way carries, if it is time for one.
    fn ping(&mut self) -> Option<Bytes> {
        let trips = self.round_trips.get_or_insert_default();
        trips.are_old().then(|| {
            let number = self.app.world.chance.number();
            trips.ping(number);
            Bytes::copy_from_slice(&number.to_le_bytes())
        })
    }

    /// Writes a batch and pushes it out together: most of the cost of a frame is the push.
    async fn write_all(&mut self, batch: &mut Vec<Outgoing>) -> Result<(), axum::Error> {
        for outgoing in batch.drain(..) {
            let message = match outgoing {
                // Frames are made by a JSON writer, so they are text.
                Outgoing::Frame(frame) => Utf8Bytes::try_from(frame).ok().map(Message::Text),
                Outgoing::Ping => self.ping().map(Message::Ping),
            };
            if let Some(message) = message {
                self.socket.feed(message).await?;
            }
        }
        self.socket.flush().await
    }

    /// Counts a message; too many in a short time end the session.
    fn count(&mut self) -> ControlFlow<End> {
        if self.meter.take() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Some(Code::TooFast))
        }
    }

    async fn answer(&mut self, message: ClientMessage) -> ControlFlow<End> {
        let (id, about) = (message.id(), message.about());
        let done = match message {
            ClientMessage::Hello { .. } => return ControlFlow::Break(Some(Code::Greeting)),
            ClientMessage::Ping { id } => {
                self.outbox.must_send(frame(&ServerMessage::Pong { id }));
                Ok(())
            }
            ClientMessage::Join { id, r#match, since } => {
                Box::pin(self.join(id, r#match, since)).await
            }
            ClientMessage::Leave { id, r#match } => Box::pin(self.leave(id, r#match)).await,
            ClientMessage::Act {
                id,
                r#match,
                number,
                actions,
                key,
            } => {
                let actions = actions.into_iter().map(|action| action.0).collect();
                self.command(id, r#match, Command::act(number, actions, key))
            }
            ClientMessage::Ask {
                id,
                r#match,
                what,
                number,
                key,
            } => {
                let command = Command::Other {
                    request: what,
                    number,
                    key,
                };
                self.command(id, r#match, command)
            }
            ClientMessage::Propose {
                id,
                r#match,
                number,
                actions,
                key,
            } => {
                let actions = actions.into_iter().map(|action| action.0).collect();
                let request = TeamRequest::Propose { number, actions };
                self.ask_team(id, r#match, None, request, key)
            }
            ClientMessage::Vote {
                id,
                r#match,
                number,
                proposal,
                key,
            } => {
                let request = TeamRequest::Vote { number, proposal };
                self.ask_team(id, r#match, None, request, key)
            }
            ClientMessage::Team {
                id,
                r#match,
                what,
                side,
                key,
            } => self.ask_team(id, r#match, side.map(Into::into), what.into(), key),
            ClientMessage::Listen {
                id,
                r#match,
                room,
                after,
            } => self.talk(id, r#match, room, TalkAsk::Listen { after }),
            ClientMessage::Unlisten { id, r#match, room } => {
                self.talk(id, r#match, room, TalkAsk::Unlisten)
            }
            ClientMessage::Say {
                id,
                r#match,
                room,
                text,
                key,
            } => match sound_line(&text) {
                Ok(text) => self.talk(id, r#match, room, TalkAsk::Say { text, key }),
                Err(why) => return self.misread(id, about, format!("`text`: {why}")),
            },
            ClientMessage::Moderate {
                id,
                r#match,
                room,
                what,
            } => self.talk(id, r#match, room, TalkAsk::Moderate { what }),
            ClientMessage::Report {
                id,
                r#match,
                room,
                line,
                why,
            } => match sound_line(&why) {
                Ok(why) => self.talk(id, r#match, room, TalkAsk::Report { line, why }),
                Err(why) => return self.misread(id, about, format!("`why`: {why}")),
            },
            ClientMessage::Preview {
                id,
                r#match,
                number,
                actions,
            } => self.player(r#match).and_then(|(user, handle)| {
                handle.preview(user.id, number, actions, id, self.outbox.clone())
            }),
        };
        if let Err(code) = done {
            self.refuse(id, about, code, None);
        }
        ControlFlow::Continue(())
    }

    fn ask_team(
        &self,
        id: Option<u32>,
        name: PublicId,
        side: Option<Side>,
        request: TeamRequest,
        key: Key,
    ) -> Result<(), Code> {
        let command = Command::Team { side, request, key };
        self.command(id, name, command)
    }

    async fn join(
        &mut self,
        id: Option<u32>,
        name: PublicId,
        since: Option<u64>,
    ) -> Result<(), Code> {
        if !self.joined.contains_key(&name) && self.joined.len() >= MATCHES_A_SOCKET_MAX {
            return Err(Code::TooManyMatches);
        }
        let user = self.user.as_ref().map(|user| user.id);
        let handle = self.app.matches.open(name).await?;
        handle.join(self.outbox.clone(), user, since, id)?;
        self.joined.insert(name, handle);
        Ok(())
    }

    async fn leave(&mut self, id: Option<u32>, name: PublicId) -> Result<(), Code> {
        let handle = self.joined.remove(&name).ok_or(Code::NotJoined)?;
        let left = frame(&ServerMessage::Left { id, r#match: name });
        handle
            .leave(&self.outbox, Leaving::Closed, Some(left))
            .await;
        Ok(())
    }

    fn command(&self, id: Option<u32>, name: PublicId, command: Command) -> Result<(), Code> {
        let arrived_ms = self.app.service.now_ms();
        let (user, handle) = self.player(name)?;
        handle.command(user.id, command, id, self.outbox.clone(), arrived_ms)
    }

    /// Asks something of a room. Whether one must be somebody for that is for the match to say.
    fn talk(&self, id: Option<u32>, name: PublicId, room: Room, ask: TalkAsk) -> Result<(), Code> {
        let arrived_ms = self.app.service.now_ms();
        let handle = self.joined.get(&name).ok_or(Code::NotJoined)?;
        let user = self.user.clone();
        handle.talk(user, (room, ask), id, self.outbox.clone(), arrived_ms)
    }

    /// Who plays, and in which match, where both are known.
    fn player(&self, name: PublicId) -> Result<(&UserRow, &MatchHandle), Code> {
        let handle = self.joined.get(&name).ok_or(Code::NotJoined)?;
        let user = self.user.as_ref().ok_or(Code::SignInNeeded)?;
        Ok((user, handle))
    }

    /// Refuses a message that has no form known here, and goes on.
    fn misread(&self, id: Option<u32>, about: Option<PublicId>, why: String) -> ControlFlow<End> {
        self.refuse(id, about, Code::BadMessage, Some(why));
        ControlFlow::Continue(())
    }

    fn refuse(&self, id: Option<u32>, about: Option<PublicId>, code: Code, why: Option<String>) {
        self.outbox.must_send(frame(&refused(id, about, code, why)));
    }
}

/// Says that a message is refused.
fn refused(
    id: Option<u32>,
    about: Option<PublicId>,
    code: Code,
    why: Option<String>,
) -> ServerMessage {
    debug!(code = code.as_str(), "message refused");
    metrics::refused(code.as_str());
    ServerMessage::Refused {
        id,
        r#match: about,
        code: code.as_str().to_owned(),
        message: match why {
            Some(why) => format!("{code}: {why}"),
            None => code.to_string(),
        },
        at: None,
        next_number: None,
    }
}

/// How long a single frame may take to be written.
const fn ping_patience() -> Duration {
    Duration::from_secs(PING_SECONDS)
}

/// The `id` and the match of a message that is not understood as a whole.
fn address_of(text: &str) -> (Option<u32>, Option<PublicId>) {
    let message: Value = serde_json::from_str(text).unwrap_or_default();
    let id = message["id"].as_u64().and_then(|id| u32::try_from(id).ok());
    let about = message["match"].as_str().and_then(|name| name.parse().ok());
    (id, about)
}

/// Ends a socket whose client has closed it, as the protocol of sockets wants. It may as
/// well be gone.
async fn answer_close(socket: &mut WebSocket) {
    _ = timeout(LAST_WORDS, socket.close()).await;
}

/// Says why, and closes. The socket may be gone or deaf, so this takes no longer than it
/// may.
async fn say_bye(socket: &mut WebSocket, code: Code) {
    metrics::socket_closed(Some(code.as_str()));
    let bye = ServerMessage::Bye {
        code: code.as_str().to_owned(),
        message: code.to_string(),
    };
    let close = CloseCode::for_code(code).unwrap_or(CloseCode::Internal);
    let said = async {
        if let Ok(text) = Utf8Bytes::try_from(frame(&bye)) {
            socket.send(Message::Text(text)).await?;
        }
        let last = CloseFrame {
            code: close.number(),
            reason: Utf8Bytes::from_static(code.as_str()),
        };
        socket.send(Message::Close(Some(last))).await?;
        // What the client still sends is read and thrown away until it has answered: to a
        // line that is cut with something unread the system sends a reset, which takes these
        // last words with it.
        while let Some(Ok(_)) = socket.next().await {}
        Ok::<(), axum::Error>(())
    };
    if !matches!(timeout(LAST_WORDS, said).await, Ok(Ok(()))) {
        debug!(
            code = code.as_str(),
            "the socket was gone before it was told why"
        );
    }
}

/// Why reading failed, where the client is still there to be told.
fn code_of(error: &axum::Error) -> Option<Code> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<tokio_tungstenite::tungstenite::Error>() {
            return match error {
                tokio_tungstenite::tungstenite::Error::Capacity(_) => Some(Code::TooLarge),
                tokio_tungstenite::tungstenite::Error::Utf8(_) => Some(Code::BadMessage),
                _ => None,
            };
        }
        cause = error.source();
    }
    None
}
