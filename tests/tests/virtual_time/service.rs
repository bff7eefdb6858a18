//! A whole server in this process, in virtual time, on a disk with one match on it; and who
//! plays on sockets.

use crate::line::{Line, lay};
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_engine::{Format, Mancala, Options, Side};
use mancala_play::{
    Control, ControlForm, Event, GameOutcome, Match, MatchSpec, OutsideReason, Spent, Way, WhenOut,
};
use mancala_protocol::{MatchView, SUBPROTOCOL, ServerMessage};
use mancala_server::ids::{HostHash, TokenHash};
use mancala_server::store::{Fate, FateEnd, LogRow, Memory, RequestKind, Store, Weather};
use mancala_server::{Incoming, Parts, World};
use mancala_tests::logs::{Played, user};
use mancala_tests::{Answer, Followed, Request};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, client_async};

pub(crate) const SECOND: u64 = 1_000;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

pub(crate) async fn pass(ms: u64) {
    sleep(Duration::from_millis(ms)).await;
}

/// What becomes of all requests to the disk, and how many there were that write.
#[derive(Debug, Default)]
pub(crate) struct Sky {
    read: Mutex<Fate>,
    write: Mutex<Fate>,
    writes: AtomicU64,
    /// So many writes are done yet, if that is bounded.
    writes_left: Mutex<Option<u64>>,
}

impl Weather for Sky {
    fn fate(&self, kind: RequestKind) -> Fate {
        match kind {
            RequestKind::Read => *self.read.lock().unwrap(),
            RequestKind::Write => {
                self.writes.fetch_add(1, Ordering::Relaxed);
                match &mut *self.writes_left.lock().unwrap() {
                    None => {}
                    Some(0) => return Fate::not_done(),
                    Some(left) => *left -= 1,
                }
                *self.write.lock().unwrap()
            }
        }
    }
}

impl Sky {
    pub(crate) fn writes_take(&self, ms: u64) {
        *self.write.lock().unwrap() = Fate {
            before: Duration::from_millis(ms),
            ..Fate::default()
        };
    }

    pub(crate) fn reads_take(&self, ms: u64) {
        *self.read.lock().unwrap() = Fate {
            before: Duration::from_millis(ms),
            ..Fate::default()
        };
    }

    pub(crate) fn nothing_is_written(&self) {
        *self.write.lock().unwrap() = Fate::not_done();
    }

    /// So many things are written, and then nothing is.
    pub(crate) fn writes_end_after(&self, writes: u64) {
        *self.writes_left.lock().unwrap() = Some(writes);
    }

    /// All is written, and nobody is told.
    pub(crate) fn writes_are_unknown(&self) {
        *self.write.lock().unwrap() = Fate {
            end: FateEnd::Unknown,
            ..Fate::default()
        };
    }

    pub(crate) fn nothing_is_read(&self) {
        *self.read.lock().unwrap() = Fate::not_done();
    }

    pub(crate) fn clears(&self) {
        *self.writes_left.lock().unwrap() = None;
        *self.write.lock().unwrap() = Fate::default();
        *self.read.lock().unwrap() = Fate::default();
    }

    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }
}

/// A disk with one match on it, and the servers that run on it one after another.
pub(crate) struct Service {
    pub(crate) disk: Memory,
    pub(crate) sky: Arc<Sky>,
    pub(crate) played: Played,
    life: Option<Life>,
}

struct Life {
    connections: mpsc::Sender<DuplexStream>,
    _stop: oneshot::Sender<()>,
    store: Memory,
    task: JoinHandle<std::io::Result<()>>,
}

impl Service {
    /// A server on a disk on which a match of Urim with this clock has just begun: both sides
    /// have made their first moves.
    pub(crate) async fn new(clock: Control) -> Service {
        Service::with(Played::timed(1, clock), 4).await
    }

    /// The same with a blitz of Omweso in which so many things have happened: both sit down,
    /// and then each makes a first move.
    pub(crate) async fn blitz(steps: usize) -> Service {
        let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
        spec.way = Some(Way::Blitz);
        spec.clock = Control::BLITZ;
        Service::with(Played::of(1, spec), steps).await
    }

    /// A server on a disk with a match in which so many things have happened.
    pub(crate) async fn with(mut played: Played, steps: usize) -> Service {
        let disk = Memory::default();
        let store = Store::Memory(disk.clone());
        for (number, token) in [(1, "south"), (2, "north")] {
            let token = TokenHash::of(token.as_bytes());
            store.create_user(user(number), token).await.unwrap();
        }
        store.create_match(played.creation()).await.unwrap();
        for _ in 0..steps {
            store.append(played.step()).await.unwrap();
        }
        let mut service = Service {
            disk,
            sky: Arc::default(),
            played,
            life: None,
        };
        service.start().await;
        service
    }

    pub(crate) async fn start(&mut self) {
        let store = self.disk.reopened(Some(self.sky.clone()));
        let (connections, queue) = mpsc::channel(8);
        let (stop, stopped) = oneshot::channel::<()>();
        let parts = Parts {
            store: Store::Memory(store.clone()),
            world: World::simulated(1),
            service_ms: Store::Memory(self.disk.clone()).service_ms().await.unwrap(),
            host: Some(HostHash::of(b"host")),
            url: "http://mancala.example".to_owned(),
            url_is_fixed: true,
        };
        let task = tokio::spawn(parts.run(Incoming::Queue(queue), async { _ = stopped.await }));
        self.life = Some(Life {
            connections,
            _stop: stop,
            store,
            task,
        });
        // What is due is read before anything can be.
        pass(1).await;
    }

    pub(crate) fn crash(&mut self) {
        let life = self.life.take().unwrap();
        life.store.crash();
        life.task.abort();
    }

    /// The log, as the disk has it.
    pub(crate) async fn log(&self) -> Vec<LogRow> {
        let store = Store::Memory(self.disk.clone());
        store.log_after(self.played.id, 0, u32::MAX).await.unwrap()
    }

    /// What has been played since, and what came of it; who came and went is left out.
    pub(crate) async fn events(&self) -> Vec<Event> {
        let log = self.log().await.into_iter().skip(6);
        let events = log.map(|row| row.event);
        let presence = |event: &Event| matches!(event, Event::Gone { .. } | Event::Back { .. });
        events.filter(|event| !presence(event)).collect()
    }

    pub(crate) async fn is_over(&self) -> bool {
        let events = self.events().await;
        events
            .iter()
            .any(|event| matches!(event, Event::MatchEnded { .. }))
    }

    /// The match, as its log says.
    pub(crate) async fn play(&self) -> Match {
        let log = self.log().await;
        let last = log[log.len() - 1].digest;
        let events: Vec<Event> = log.into_iter().map(|row| row.event).collect();
        Match::replay(&events, last).unwrap()
    }

    /// Who plays a side, on a socket, having joined the match.
    pub(crate) async fn join(&self, side: Side) -> Player {
        self.join_on(side, Line::GOOD).await
    }

    /// The same on a line that is not as good.
    pub(crate) async fn join_on(&self, side: Side, line: Line) -> Player {
        let mut player = self.connect(Some(side), line).await;
        player.join(&self.name(), None).await;
        player
    }

    /// Somebody who watches the match.
    pub(crate) async fn watch(&self) -> Player {
        let mut spectator = self.connect(None, Line::GOOD).await;
        spectator.join(&self.name(), None).await;
        spectator
    }

    /// A socket that has greeted: of who plays a side, or of nobody in particular.
    pub(crate) async fn connect(&self, side: Option<Side>, line: Line) -> Player {
        let (client, server) = lay(line);
        let life = self.life.as_ref().unwrap();
        life.connections.send(server).await.unwrap();
        let mut request = "ws://mancala.example/ws".into_client_request().unwrap();
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", protocol);
        let (socket, _) = client_async(request, client).await.unwrap();
        let mut player = Player {
            socket,
            game: self.name(),
            last_id: 0,
            followed: None,
            events: Vec::new(),
        };
        let mut hello = json!({ "type": "hello" });
        if let Some(side) = side {
            hello["token"] = json!(side.name());
        }
        player.ask(hello).await;
        player
    }

    /// Ends the match as its host does.
    pub(crate) async fn end_match(&self, ruling: &str) -> Answer {
        let path = format!("/api/admin/matches/{}/end", self.name());
        let body = json!({ "as": ruling, "note": "The lamp went out." });
        self.rest(Request::post(path, &body).token("host")).await
    }

    /// Sends a request and waits for the answer.
    pub(crate) async fn rest(&self, request: Request) -> Answer {
        let (client, server) = lay(Line::GOOD);
        let life = self.life.as_ref().unwrap();
        life.connections.send(server).await.unwrap();
        request.send_over(client, "mancala.example").await.unwrap()
    }

    /// The public name of the match.
    pub(crate) fn name(&self) -> String {
        self.played.public_id.to_string()
    }

    /// What the side to move says to play the first action there is.
    pub(crate) async fn first_action(&self) -> Value {
        let play = self.play().await;
        let side = play.to_move().unwrap();
        let action = mancala_protocol::WireAction(play.legal_for(side).unwrap()[0].clone());
        let number = play.next_number();
        let (game, key) = (self.played.public_id, format!("k{number}"));
        json!({ "type": "act", "match": game, "number": number, "actions": [action], "key": key })
    }
}

/// A socket whose client knows no rules. Everything that it hears of a match is held against
/// what it heard before: numbers, checksums, clocks.
pub(crate) struct Player {
    pub(crate) socket: WebSocketStream<DuplexStream>,
    pub(crate) game: String,
    last_id: u32,
    /// The match that was joined last.
    pub(crate) followed: Option<Followed>,
    /// The events that came, as they were told.
    pub(crate) events: Vec<Value>,
}

impl Player {
    pub(crate) async fn say(&mut self, mut message: Value) {
        self.last_id += 1;
        message["id"] = json!(self.last_id);
        let message = Message::text(message.to_string());
        self.socket.send(message).await.unwrap();
    }

    /// Whatever comes next; nothing, once the socket has ended.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        loop {
            let Message::Text(text) = self.socket.next().await?.ok()? else {
                continue;
            };
            self.take(&serde_json::from_str(&text).unwrap());
            return Some(serde_json::from_str(&text).unwrap());
        }
    }

    fn take(&mut self, message: &ServerMessage) {
        match (message, &mut self.followed) {
            (
                ServerMessage::Joined {
                    role,
                    view: Some(view),
                    ..
                },
                followed,
            ) => *followed = Some(Followed::new(*role, (**view).clone())),
            (message, Some(followed)) => {
                followed.take(message);
                if let ServerMessage::Event { .. } = message {
                    self.events.push(serde_json::to_value(message).unwrap());
                }
            }
            _ => {}
        }
    }

    /// The answer to what was said last.
    pub(crate) async fn answer(&mut self) -> Value {
        loop {
            let message = self.hear().await.expect("an answer");
            if message["id"] == json!(self.last_id) {
                return message;
            }
        }
    }

    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.say(message).await;
        self.answer().await
    }

    pub(crate) async fn join(&mut self, game: &str, since: Option<u64>) -> Value {
        game.clone_into(&mut self.game);
        let mut join = json!({ "type": "join", "match": game });
        if let Some(since) = since {
            join["since"] = json!(since);
        }
        self.ask(join).await
    }

    /// What the message of a wish says, in the words of the protocol.
    pub(crate) fn wish(&self, what: &str, key: &str) -> Value {
        json!({ "type": "ask", "match": self.game, "what": what, "key": key })
    }

    /// Asks for something that is no action, and returns the code of the answer, `done` where
    /// it was done.
    pub(crate) async fn want(&mut self, what: &str, key: &str) -> String {
        let answer = self.ask(self.wish(what, key)).await;
        let code = answer.get("code").unwrap_or(&answer["type"]);
        code.as_str().unwrap().to_owned()
    }

    /// Offers a draw.
    pub(crate) async fn offer(&mut self, key: &str) {
        self.say(self.wish("offer_draw", key)).await;
    }

    /// Reads for a while, and answers pings.
    pub(crate) async fn listen(&mut self, ms: u64) {
        let until = Instant::now() + Duration::from_millis(ms);
        while let Ok(heard) = timeout_at(until, self.hear()).await {
            heard.expect("a socket that is open");
            self.socket.flush().await.unwrap();
        }
    }

    /// Closes the socket as a page does that is closed.
    pub(crate) async fn close(mut self) {
        self.socket.close(None).await.unwrap();
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// The match as this client has it.
    pub(crate) fn view(&self) -> &MatchView {
        self.followed.as_ref().unwrap().view()
    }

    /// The kinds of the events that came, as far as they are among these.
    pub(crate) fn kinds(&self, among: &[&str]) -> Vec<&str> {
        let kinds = self
            .events
            .iter()
            .map(|event| event["kind"].as_str().unwrap());
        kinds.filter(|kind| among.contains(kind)).collect()
    }

    /// The first event of a kind.
    pub(crate) fn first(&self, kind: &str) -> &Value {
        let mut events = self.events.iter();
        events.find(|event| event["kind"] == kind).expect(kind)
    }

    /// The last event of a kind.
    pub(crate) fn last(&self, kind: &str) -> &Value {
        let mut events = self.events.iter().rev();
        events.find(|event| event["kind"] == kind).expect(kind)
    }
}

pub(crate) fn correspondence() -> Control {
    Control::correspondence(1).unwrap()
}

/// So many seconds for each turn, and then the game is lost.
pub(crate) fn per_move(seconds: u32) -> Control {
    let out = WhenOut::LosesGame;
    ControlForm::PerMove { seconds, out }.try_into().unwrap()
}

pub(crate) fn lost_on_time(events: &[Event]) -> bool {
    let by_time = |event: &Event| {
        let reason = OutsideReason::Time;
        matches!(event, Event::GameEnded { outcome: GameOutcome::Outside { reason: why, .. }, .. }
            if *why == reason)
    };
    events.iter().any(by_time)
}

pub(crate) fn spent(event: &Event) -> Spent {
    match event {
        Event::Acted { spent, .. } => *spent,
        other => panic!("{other:?} is no action"),
    }
}

pub(crate) fn code(answer: &Value) -> &str {
    answer["code"].as_str().unwrap_or_default()
}
