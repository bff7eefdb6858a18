//! A client of the socket, who knows no rules and believes nothing.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use crate::follow::Followed;
use crate::patiently;
use crate::server::ServerProcess;
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_play::{Key, Request, Room};
use mancala_protocol::limits::MESSAGES_BURST_MAX;
use mancala_protocol::{
    ClientMessage, Moderation, PublicId, SUBPROTOCOL, ServerMessage, TeamAsk, WireAction,
};
use socket2::SockRef;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// A socket as it comes.
pub type Socket = WebSocketStream<TcpStream>;

/// How a socket ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// The code of `bye`, if the server said one.
    pub bye: Option<String>,
    /// The number of the close frame, if there was one.
    pub close: Option<u16>,
}

impl Lost {
    /// An end with a word and a number.
    #[must_use]
    pub fn with(bye: &str, close: u16) -> Lost {
        Lost {
            bye: Some(bye.to_owned()),
            close: Some(close),
        }
    }
}

/// How much is on the way of a socket before its reader has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// As much as the system thinks good.
    #[default]
    Any,
    /// As little as it allows, so that whoever does not read is soon a slow reader.
    Narrow,
}

/// Opens a connection with as little room on its way as the system allows: the server's side of it
/// holds some packets, and these are small.
///
/// # Errors
/// The server cannot be reached.
pub async fn narrow(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(1)?;
    SockRef::from(&socket).set_tcp_mss(536)?;
    socket.connect(address).await
}

/// Opens a socket, with these headers beside the usual ones.
///
/// # Errors
/// The server cannot be reached or does not upgrade.
pub async fn open_socket(
    address: SocketAddr,
    headers: &[(&'static str, &str)],
) -> Result<Socket, tungstenite::Error> {
    open_socket_as(Width::Any, address, headers).await
}

async fn open_socket_as(
    width: Width,
    address: SocketAddr,
    headers: &[(&'static str, &str)],
) -> Result<Socket, tungstenite::Error> {
    let mut request = format!("ws://{address}/ws").into_client_request()?;
    let protocol = HeaderValue::from_static(SUBPROTOCOL);
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol);
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(*name, HeaderValue::from_str(value).unwrap());
    }
    let opened = async {
        let stream = match width {
            Width::Any => TcpStream::connect(address).await?,
            Width::Narrow => narrow(address).await?,
        };
        stream.set_nodelay(true)?;
        client_async(request, stream).await
    };
    let (socket, _answer) = patiently("a socket", opened).await?;
    Ok(socket)
}

/// A client with one socket at a time, and all it has learned on its sockets.
#[derive(Debug)]
pub struct Client {
    /// Who it is; none for one who only watches.
    pub token: Option<String>,
    /// The matches it has joined.
    pub followed: BTreeMap<PublicId, Followed>,
    /// The name of its socket in the server's log.
    pub session: String,
    /// All that its sockets have received, where somebody wants to search it.
    pub received: Option<String>,
    /// What its next socket is like.
    pub width: Width,
    address: Option<SocketAddr>,
    socket: Option<Socket>,
    bye: Option<String>,
    said: u32,
    last_id: u32,
    last_key: u64,
}

impl Client {
    /// A client that has not connected.
    #[must_use]
    pub const fn new(token: Option<String>) -> Client {
        Client {
            token,
            followed: BTreeMap::new(),
            session: String::new(),
            received: None,
            width: Width::Any,
            address: None,
            socket: None,
            bye: None,
            said: 0,
            last_id: 0,
            last_key: 0,
        }
    }

    /// A new guest, connected.
    pub async fn guest(server: &ServerProcess, name: &str) -> Client {
        let token = server.guest(name).await;
        Client::connected(server, Some(token)).await
    }

    /// Somebody without a token, connected.
    pub async fn nobody(server: &ServerProcess) -> Client {
        Client::connected(server, None).await
    }

    /// Whoever has the token, connected.
    pub async fn connected(server: &ServerProcess, token: Option<String>) -> Client {
        let mut client = Client::new(token);
        client.connect(server.address()).await.unwrap();
        client
    }

    /// The token, which there has to be.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    /// Opens a socket, instead of any before, and greets.
    ///
    /// # Errors
    /// The socket does not come about, or ends before the greeting.
    pub async fn connect(&mut self, address: SocketAddr) -> Result<(), Lost> {
        self.cut();
        self.address = Some(address);
        self.bye = None;
        self.said = 0;
        let socket = open_socket_as(self.width, address, &[]).await;
        self.socket = Some(socket.map_err(|_| Lost::default())?);
        let id = self.next_id();
        let token = self.token.clone();
        let hello = ClientMessage::Hello {
            id: Some(id),
            token,
            client: Some("mancala-tests".to_owned()),
        };
        match self.ask(&hello).await? {
            ServerMessage::Welcome { user, session, .. } => {
                assert_eq!(user.is_some(), self.token.is_some());
                self.session = session;
                Ok(())
            }
            other => panic!("greeted with {other:?}"),
        }
    }

    /// Opens a socket and joins all matches again, from the last number it has of each.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn come_back(&mut self, address: SocketAddr) -> Result<(), Lost> {
        self.connect(address).await?;
        let names: Vec<_> = self.followed.keys().copied().collect();
        for name in names {
            let since = self.followed[&name].view().seq;
            self.join_since(name, Some(since)).await?;
        }
        Ok(())
    }

    /// Comes back before it has said as much on one socket as may be said at once: a test
    /// has no time to be slow, and each time it is a test of coming back.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn come_back_in_time(&mut self) -> Result<(), Lost> {
        if self.said + 50 < MESSAGES_BURST_MAX {
            return Ok(());
        }
        self.come_back(self.address.unwrap()).await
    }

    /// Loses the socket without a word, as a train in a tunnel does.
    pub fn cut(&mut self) {
        self.socket = None;
    }

    /// The raw socket, for saying what no client says.
    pub fn socket(&mut self) -> &mut Socket {
        self.socket.as_mut().unwrap()
    }

    /// A number for the next message.
    pub fn next_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    /// A key that this client has not used.
    pub fn next_key(&mut self) -> Key {
        self.last_key += 1;
        format!("key-{}", self.last_key).parse().unwrap()
    }

    /// Says something.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), Lost> {
        self.say_text(serde_json::to_string(message).unwrap()).await
    }

    /// Says any text.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn say_text(&mut self, text: impl Into<String>) -> Result<(), Lost> {
        let Some(socket) = &mut self.socket else {
            return Err(Lost::default());
        };
        self.said += 1;
        let said = socket.send(Message::text(text.into()));
        if patiently("room to say something", said).await.is_err() {
            // What the server may have said before it went is still to be heard.
            return Err(self.end().await);
        }
        Ok(())
    }

    /// Says a message that has an id, and waits for its answer.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn ask(&mut self, message: &ClientMessage) -> Result<ServerMessage, Lost> {
        self.say(message).await?;
        self.answer(message.id().unwrap()).await
    }

    /// Waits for the answer to the message of this id.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn answer(&mut self, id: u32) -> Result<ServerMessage, Lost> {
        loop {
            let message = self.hear().await?;
            if id_of(&message) == Some(id) {
                return Ok(message);
            }
        }
    }

    /// The next message, taken in.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn hear(&mut self) -> Result<ServerMessage, Lost> {
        let text = patiently("a message", self.hear_text()).await?;
        let message: ServerMessage = serde_json::from_str(&text).expect(&text);
        self.take(&message);
        Ok(message)
    }

    async fn hear_text(&mut self) -> Result<String, Lost> {
        loop {
            let Some(socket) = &mut self.socket else {
                return Err(Lost::default());
            };
            match socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    if let Some(received) = &mut self.received {
                        received.push_str(&text);
                        received.push('\n');
                    }
                    return Ok(text.to_string());
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(frame))) => {
                    self.socket = None;
                    return Err(Lost {
                        bye: self.bye.take(),
                        close: frame.map(|frame| frame.code.into()),
                    });
                }
                Some(Ok(other)) => panic!("a frame that is no text: {other:?}"),
                Some(Err(_)) | None => {
                    self.socket = None;
                    return Err(Lost {
                        bye: self.bye.take(),
                        close: None,
                    });
                }
            }
        }
    }

    /// Listens until the socket ends.
    pub async fn end(&mut self) -> Lost {
        loop {
            if let Err(lost) = self.hear().await {
                return lost;
            }
        }
    }

    fn take(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Joined {
                id,
                r#match,
                role,
                seq,
                view,
                team,
                ..
            } => {
                match (self.followed.get_mut(r#match), view) {
                    (Some(followed), Some(view)) => {
                        followed.take_view(*role, (**view).clone());
                        followed.skips += usize::from(id.is_none());
                    }
                    (None, Some(view)) => {
                        let followed = Followed::new(*role, (**view).clone());
                        self.followed.insert(*r#match, followed);
                    }
                    (Some(followed), None) => {
                        followed.role = *role;
                        followed.legal = None;
                    }
                    (None, None) => panic!("no view of what was never seen"),
                }
                if let Some(followed) = self.followed.get_mut(r#match) {
                    followed.take_team(team.as_deref());
                }
                assert_eq!(*seq, self.followed[r#match].view().seq);
            }
            ServerMessage::Left { r#match, .. } => {
                self.followed.remove(r#match);
            }
            ServerMessage::Event { r#match, .. }
            | ServerMessage::Legal { r#match, .. }
            | ServerMessage::Presence { r#match, .. }
            | ServerMessage::Done { r#match, .. } => {
                // What was on its way when the match was left may still come.
                if let Some(followed) = self.followed.get_mut(r#match) {
                    followed.take(message);
                }
            }
            ServerMessage::Bye { code, .. } => self.bye = Some(code.clone()),
            ServerMessage::Welcome { .. }
            | ServerMessage::Refused { .. }
            | ServerMessage::Previewed { .. }
            | ServerMessage::Invited { .. }
            | ServerMessage::TeamChallenge { .. }
            | ServerMessage::Talk { .. }
            | ServerMessage::Said { .. }
            | ServerMessage::TalkChanged { .. }
            | ServerMessage::Noted { .. }
            | ServerMessage::Pong { .. } => {}
        }
    }

    /// Joins a match and waits for its view.
    pub async fn join(&mut self, name: PublicId) -> &Followed {
        let joined = self.join_since(name, None).await.unwrap();
        assert!(
            matches!(joined, ServerMessage::Joined { .. }),
            "not joined: {joined:?}"
        );
        &self.followed[&name]
    }

    /// Joins a match from a number on.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn join_since(
        &mut self,
        name: PublicId,
        since: Option<u64>,
    ) -> Result<ServerMessage, Lost> {
        let id = Some(self.next_id());
        let r#match = name;
        self.ask(&ClientMessage::Join { id, r#match, since }).await
    }

    /// Plays actions under a new key, as the next ones, and waits for the answer.
    pub async fn act(&mut self, name: PublicId, actions: Vec<WireAction>) -> ServerMessage {
        let number = self.followed[&name].view().next_number;
        let act = self.act_message(name, number, actions);
        self.ask(&act).await.unwrap()
    }

    /// A command to act, under a new key.
    pub fn act_message(
        &mut self,
        name: PublicId,
        number: u32,
        actions: Vec<WireAction>,
    ) -> ClientMessage {
        ClientMessage::Act {
            id: Some(self.next_id()),
            r#match: name,
            number,
            actions,
            key: self.next_key(),
        }
    }

    /// Proposes actions to the own team under a new key, and waits for the answer.
    pub async fn propose(&mut self, name: PublicId, actions: Vec<WireAction>) -> ServerMessage {
        let message = ClientMessage::Propose {
            id: Some(self.next_id()),
            r#match: name,
            number: self.followed[&name].view().next_number,
            actions,
            key: self.next_key(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Votes for a proposal under a new key, and waits for the answer.
    pub async fn vote(&mut self, name: PublicId, proposal: u32) -> ServerMessage {
        let message = ClientMessage::Vote {
            id: Some(self.next_id()),
            r#match: name,
            number: self.followed[&name].view().next_number,
            proposal,
            key: self.next_key(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Asks something of the own team under a new key, and waits for the answer.
    pub async fn team(&mut self, name: PublicId, what: TeamAsk) -> ServerMessage {
        let message = ClientMessage::Team {
            id: Some(self.next_id()),
            r#match: name,
            what,
            side: None,
            key: self.next_key(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Asks to hear what is said in a room, and waits for the answer.
    pub async fn listen(
        &mut self,
        name: PublicId,
        room: Room,
        after: Option<u32>,
    ) -> ServerMessage {
        let message = ClientMessage::Listen {
            id: Some(self.next_id()),
            r#match: name,
            room,
            after,
        };
        self.ask(&message).await.unwrap()
    }

    /// Says something in a room under a new key, and waits for the answer.
    pub async fn say_in(&mut self, name: PublicId, room: Room, text: &str) -> ServerMessage {
        let message = ClientMessage::Say {
            id: Some(self.next_id()),
            r#match: name,
            room,
            text: text.parse().unwrap(),
            key: self.next_key(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Keeps order in a room, and waits for the answer.
    pub async fn moderate(
        &mut self,
        name: PublicId,
        room: Room,
        what: Moderation,
    ) -> ServerMessage {
        let message = ClientMessage::Moderate {
            id: Some(self.next_id()),
            r#match: name,
            room,
            what,
        };
        self.ask(&message).await.unwrap()
    }

    /// Reports a line of a room, and waits for the answer.
    pub async fn report(&mut self, name: PublicId, room: Room, line: u32) -> ServerMessage {
        let message = ClientMessage::Report {
            id: Some(self.next_id()),
            r#match: name,
            room,
            line,
            why: "It is rude.".parse().unwrap(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Hears all that was told before this.
    pub async fn catch_up(&mut self) {
        let id = Some(self.next_id());
        let pong = self.ask(&ClientMessage::Ping { id }).await;
        assert_eq!(pong, Ok(ServerMessage::Pong { id }));
    }

    /// Asks for something else under a new key, and waits for the answer.
    pub async fn request(&mut self, name: PublicId, what: Request) -> ServerMessage {
        let message = ClientMessage::Ask {
            number: None,
            id: Some(self.next_id()),
            r#match: name,
            what,
            key: self.next_key(),
        };
        self.ask(&message).await.unwrap()
    }

    /// Listens until it has this event of a match, coming back first if its socket is lost.
    ///
    /// # Errors
    /// The socket is lost.
    pub async fn hear_up_to(
        &mut self,
        name: PublicId,
        seq: u64,
        address: SocketAddr,
    ) -> Result<(), Lost> {
        if self.socket.is_none() {
            self.come_back(address).await?;
        }
        while self.followed[&name].view().seq < seq {
            self.hear().await?;
        }
        Ok(())
    }

    /// Listens until a match has come so far.
    pub async fn hear_until(&mut self, name: PublicId, far: impl Fn(&Followed) -> bool) {
        while !far(&self.followed[&name]) {
            self.hear().await.unwrap();
        }
    }
}

/// The id of the message that this one answers.
#[must_use]
pub const fn id_of(message: &ServerMessage) -> Option<u32> {
    match message {
        ServerMessage::Welcome { id, .. }
        | ServerMessage::Joined { id, .. }
        | ServerMessage::Left { id, .. }
        | ServerMessage::Done { id, .. }
        | ServerMessage::Refused { id, .. }
        | ServerMessage::Previewed { id, .. }
        | ServerMessage::Talk { id, .. }
        | ServerMessage::Noted { id, .. }
        | ServerMessage::Pong { id } => *id,
        ServerMessage::Event { .. }
        | ServerMessage::Legal { .. }
        | ServerMessage::Presence { .. }
        | ServerMessage::Invited { .. }
        | ServerMessage::TeamChallenge { .. }
        | ServerMessage::Said { .. }
        | ServerMessage::TalkChanged { .. }
        | ServerMessage::Bye { .. } => None,
    }
}

/// The code of a refusal.
///
/// # Panics
/// If it is none.
#[must_use]
pub fn code_of(message: &ServerMessage) -> &str {
    match message {
        ServerMessage::Refused { code, .. } => code,
        other => panic!("not refused: {other:?}"),
    }
}
