//! A socket in this process, and the match as its client holds it, who knows no rules and
//! believes nothing.

use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_engine::Side;
use mancala_play::Decides;
use mancala_protocol::{
    ClientMessage, CouncilView, EventBody, Follower, MatchView, PersonView, PublicId, Role,
    SUBPROTOCOL, ServerMessage, TeamFrame, TeamView, WireAction,
};
use std::collections::BTreeMap;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Bytes that are on the way at once: what several members say of a decision.
const ROOM: usize = 64 * 1024;

/// A line that is open.
struct Socket {
    sink: SplitSink<WebSocketStream<DuplexStream>, Message>,
    /// What has come and was not looked at.
    heard: mpsc::UnboundedReceiver<Utf8Bytes>,
    /// Takes it from the line.
    listens: JoinHandle<()>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        // With it goes its half of the line, so that the server finds nobody there.
        self.listens.abort();
    }
}

/// What may be played, as `legal` said it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Legal {
    pub(super) number: u32,
    pub(super) actions: Vec<WireAction>,
}

/// A client of one match, with a socket or without.
pub(super) struct Ear {
    token: Option<String>,
    socket: Option<Socket>,
    role: Role,
    follower: Option<Follower>,
    /// The team in which the client is somebody, and his number there.
    place: Option<(Side, u32)>,
    legal: Option<Legal>,
    /// What was answered, by the number of the message.
    answers: BTreeMap<u32, ServerMessage>,
    last_id: u32,
    /// Each action that a side has played, with who decided it.
    pub(super) decided: Vec<(Side, u32)>,
    /// What everybody is told of teams, in the words of the record.
    pub(super) history: Vec<String>,
    /// Events for his team alone that he was told of.
    pub(super) private: usize,
}

impl Ear {
    /// Somebody with a token, or nobody in particular.
    pub(super) const fn new(token: Option<String>) -> Ear {
        Ear {
            token,
            socket: None,
            role: Role::Spectator,
            follower: None,
            place: None,
            legal: None,
            answers: BTreeMap::new(),
            last_id: 0,
            decided: Vec::new(),
            history: Vec::new(),
            private: 0,
        }
    }

    /// Opens a socket over a line, greets, and joins the match from where it was left.
    pub(super) async fn connect(&mut self, line: &mpsc::Sender<DuplexStream>, name: PublicId) {
        let (client, server) = tokio::io::duplex(ROOM);
        line.send(server).await.unwrap();
        let mut request = "ws://mancala.example/ws".into_client_request().unwrap();
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", protocol);
        let (socket, _) = client_async(request, client).await.unwrap();
        let (sink, mut stream) = socket.split();
        let (hears, heard) = mpsc::unbounded_channel();
        let listens = tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                if let Message::Text(text) = message
                    && hears.send(text).is_err()
                {
                    break;
                }
            }
        });
        self.socket = Some(Socket {
            sink,
            heard,
            listens,
        });
        self.legal = None;
        let token = self.token.clone();
        self.say(|id| ClientMessage::Hello {
            id,
            token,
            client: None,
        })
        .await;
        let since = self.follower.as_ref().map(|held| held.view().seq);
        self.join(name, since).await;
    }

    /// Joins the match: from the last event that the client has, or as if it had none.
    pub(super) async fn join(&mut self, name: PublicId, since: Option<u64>) {
        self.say(|id| ClientMessage::Join {
            id,
            r#match: name,
            since,
        })
        .await;
    }

    /// Loses the socket without a word.
    pub(super) fn cut(&mut self) {
        self.socket = None;
    }

    pub(super) const fn is_here(&self) -> bool {
        self.socket.is_some()
    }

    /// Says something, and returns its number.
    pub(super) async fn say(&mut self, message: impl FnOnce(Option<u32>) -> ClientMessage) -> u32 {
        self.last_id += 1;
        let message = message(Some(self.last_id));
        let text = serde_json::to_string(&message).unwrap();
        let socket = self.socket.as_mut().expect("somebody who is here");
        socket.sink.send(Message::text(text)).await.unwrap();
        self.last_id
    }

    /// What was answered to the message of this number, which it has been by now.
    pub(super) fn answer(&mut self, id: u32) -> ServerMessage {
        self.answers.remove(&id).expect("everything is answered")
    }

    /// What has come since.
    pub(super) fn heard(&mut self) -> Option<Utf8Bytes> {
        self.socket.as_mut()?.heard.try_recv().ok()
    }

    /// The match as it stands for this client.
    pub(super) fn view(&self) -> &MatchView {
        self.follower.as_ref().expect("who has joined").view()
    }

    pub(super) fn council(&self) -> Option<&CouncilView> {
        self.follower.as_ref()?.council()
    }

    pub(super) const fn role(&self) -> Role {
        self.role
    }

    /// The side for which the client plays.
    pub(super) const fn side(&self) -> Option<Side> {
        match self.role {
            Role::South => Some(Side::South),
            Role::North => Some(Side::North),
            Role::Spectator => None,
        }
    }

    /// The team in which the client is somebody, and his number there.
    pub(super) const fn place(&self) -> Option<(Side, u32)> {
        self.place
    }

    /// What the client may play now, if anything.
    pub(super) fn turn(&self) -> Option<&Legal> {
        let next = self.follower.as_ref()?.view().next_number;
        self.legal.as_ref().filter(|legal| legal.number == next)
    }

    /// Takes in what came about the match.
    pub(super) fn take(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Joined {
                role, view, team, ..
            } => {
                if let Some(view) = view {
                    if let Some(held) = &self.follower
                        && held.view().seq == view.seq
                    {
                        assert_eq!(held.view().timeless(), view.timeless());
                    }
                    self.follower = Some(Follower::new((**view).clone()).unwrap());
                }
                self.role = *role;
                self.legal = None;
                let team = team.as_deref();
                self.place = team.map(|team| (team.side, team.number));
                let council = team.and_then(|team| team.council.as_ref());
                assert!(council.is_none() || team.map(|team| team.side) == self.side());
                self.follower.as_mut().unwrap().join_team(team);
            }
            ServerMessage::Event {
                only: Some(only),
                seq,
                body,
                ..
            } => {
                assert_eq!(self.side(), Some(*only), "another team's talk: {body:?}");
                let held = self.follower.as_mut().unwrap();
                held.take_event_of_team(*seq, body).unwrap();
                self.private += 1;
            }
            ServerMessage::Event { seq, body, .. } => {
                self.note(body);
                let held = self.follower.as_mut().unwrap();
                held.take_event(*seq, body).unwrap();
            }
            ServerMessage::Legal {
                number, actions, ..
            } => {
                let to_move = to_move(self.view());
                assert_eq!(self.side(), Some(to_move), "`legal` for who waits");
                assert_eq!(*number, self.view().next_number, "`legal` of the past");
                self.legal = Some(Legal {
                    number: *number,
                    actions: actions.clone(),
                });
            }
            ServerMessage::Done { id: Some(id), .. }
            | ServerMessage::Refused { id: Some(id), .. } => {
                self.answers.insert(*id, message.clone());
            }
            ServerMessage::Bye { code, .. } => panic!("the server closes a socket: {code}"),
            _ => {}
        }
    }

    /// Notes who decided an action, who has to be one who may, and what became of a team.
    fn note(&mut self, body: &EventBody) {
        match body {
            EventBody::Acted { acted, by, .. } => {
                let side = acted.side.expect("nothing in Nsolo is left to the lot");
                let by = by.expect("every turn names who decided it");
                may_decide(self.view(), side, by);
                self.decided.push((side, by));
            }
            EventBody::Team { side, what, .. } => {
                let team = team(self.view(), *side);
                self.history.extend(recorded(*side, team, what));
            }
            _ => {}
        }
    }
}

/// The side to move.
pub(super) fn to_move(view: &MatchView) -> Side {
    let position = view.position.as_ref().expect("a game");
    position.standing.to_move
}

/// The team of a side.
pub(super) fn team(view: &MatchView, side: Side) -> &TeamView {
    let teams = view.teams.as_ref().expect("a match of teams");
    match side {
        Side::South => &teams.south,
        Side::North => &teams.north,
    }
}

/// Whoever decided an action is one who may, as the match stands. In a vote only the team
/// knows that: there it is held against the log.
fn may_decide(view: &MatchView, side: Side, by: u32) {
    let teams = view.teams.as_ref().unwrap();
    let team = team(view, side);
    let is_member = team.members.iter().any(|one| one.person.number == by);
    match teams.decides {
        Decides::First => assert!(is_member, "{by} of {side} is no member"),
        Decides::Captain => assert!(is_member && team.captain == Some(by), "{by} is no captain"),
        Decides::Rotation => {
            assert!(
                is_member && teams.at_turn == Some(by),
                "not the turn of {by}"
            );
        }
        Decides::Vote { .. } => {}
    }
}

/// What became of a team, in the words of the record.
fn recorded(side: Side, team: &TeamView, what: &TeamFrame) -> Option<String> {
    let called = |wanted: &u32| {
        let mut people = people(team);
        let person = people.find(|person| person.number == *wanted).unwrap();
        format!("{} {}", person.number, person.name)
    };
    let change = match what {
        TeamFrame::Came { number, name } => format!("came {number} {name}"),
        TeamFrame::Waits { number, name } => format!("waits {number} {name}"),
        TeamFrame::Sat { number } => format!("sat {}", called(number)),
        TeamFrame::Left { number } => format!("left {}", called(number)),
        TeamFrame::StoodIn { number, member } => {
            format!("stood_in {} for {}", called(number), called(member))
        }
        TeamFrame::HandedBack { holder } => format!("handed_back {}", called(holder)),
        TeamFrame::Led { number } => format!("led {}", called(number)),
        _ => return None,
    };
    Some(format!("{side} {change}"))
}

/// Everybody in a team: members, those for whom they stand in, and who waits.
pub(super) fn people(team: &TeamView) -> impl Iterator<Item = &PersonView> {
    let members = team.members.iter();
    let seated = members.flat_map(|one| [Some(&one.person), one.stands_in_for.as_ref()]);
    seated.flatten().chain(&team.waiting)
}
