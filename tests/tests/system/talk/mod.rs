//! Talk in the rooms of a match, over real sockets, and what its tests share.

mod admin;
mod disk;
mod limits;
mod lines;
mod order;
mod reports;
mod rooms;
mod slow;

use mancala_engine::Side;
use mancala_play::Room;
use mancala_protocol::rest::TalkPage;
use mancala_protocol::{ClientMessage, LineView, PublicId, ServerMessage, TalkChange};
use mancala_tests::client::code_of;
use mancala_tests::players::Pair;
use mancala_tests::{Answer, Client, Port, Request, ServerProcess};
use serde_json::json;
use sqlx::{Connection as _, query};

const SOUTH: Room = Room::Team(Side::South);
const NORTH: Room = Room::Team(Side::North);

/// A match of two, somebody with a name who watches, and somebody without.
struct Hall {
    server: ServerProcess,
    pair: Pair,
    guest: Client,
    nobody: Client,
}

impl Hall {
    async fn open() -> Hall {
        Hall::open_in(ServerProcess::start()).await
    }

    async fn open_in(server: ServerProcess) -> Hall {
        let pair = Pair::meet(&server, json!({ "game": "urim" })).await;
        let mut guest = Client::guest(&server, "Guest").await;
        guest.join(pair.name).await;
        let mut nobody = Client::nobody(&server).await;
        nobody.join(pair.name).await;
        Hall {
            server,
            pair,
            guest,
            nobody,
        }
    }

    async fn page(&self, room: &str, more: &str) -> Answer {
        let path = format!("/api/v1/matches/{}/talk?room={room}{more}", self.pair.name);
        self.server.get(&path).await
    }

    /// All that is said in the public room, as long as it fits on a page.
    async fn lines(&self) -> Vec<LineView> {
        lines(&self.server, self.pair.name).await
    }

    /// The server stops and starts again, and everybody comes back to it.
    async fn restart(&mut self) {
        self.server.kill();
        self.server.restart(Port::Same);
        self.come_back().await;
    }

    async fn come_back(&mut self) {
        let address = self.server.address();
        for client in [
            &mut self.pair.south,
            &mut self.pair.north,
            &mut self.guest,
            &mut self.nobody,
        ] {
            client.come_back(address).await.unwrap();
        }
    }
}

/// All that is said in the public room of a match, as long as it fits on a page.
async fn lines(server: &ServerProcess, name: PublicId) -> Vec<LineView> {
    let path = format!("/api/v1/matches/{name}/talk?room=public");
    let page: TalkPage = server.get(&path).await.json();
    assert_eq!(page.next, None);
    assert_eq!(page.last, page.lines.last().map_or(0, |line| line.n));
    page.lines
}

/// Has whoever made a match say so many lines in its public room, more than anybody says in the
/// time of a test. The server starts again, and who was connected has to come back.
async fn fill(server: &mut ServerProcess, name: PublicId, lines: u32) {
    server.terminate();
    assert!(server.ended().await.success());
    let mut database = server.database().await;
    let done = query(
        "with recursive numbers (n) as
             (select 1 union all select n + 1 from numbers where n < ?)
         insert into talk (match_id, room, n, user_id, at_ms, key, text)
         select id, 'public', n, creator, 1767225600000 + n, 'old-' || n, 'line ' || n
         from numbers, matches where public_id = ?",
    )
    .bind(lines)
    .bind(name.to_string())
    .execute(&mut database)
    .await;
    assert_eq!(done.unwrap().rows_affected(), u64::from(lines));
    database.close().await.unwrap();
    server.restart(Port::Same);
}

/// What somebody says in a room under a new key, to be sent more than once.
fn line_of(client: &mut Client, name: PublicId, room: Room, text: &str) -> ClientMessage {
    ClientMessage::Say {
        id: Some(client.next_id()),
        r#match: name,
        room,
        text: text.parse().unwrap(),
        key: client.next_key(),
    }
}

fn noted(answer: &ServerMessage) -> Option<u32> {
    match answer {
        ServerMessage::Noted { line, .. } => *line,
        other => panic!("not noted: {other:?}"),
    }
}

/// What a room says to who begins to listen.
fn told(answer: ServerMessage) -> (u32, Vec<LineView>) {
    match answer {
        ServerMessage::Talk { last, lines, .. } => (last, lines),
        other => panic!("not told: {other:?}"),
    }
}

fn texts(lines: &[LineView]) -> Vec<&str> {
    let texts = lines.iter().map(|line| line.text.as_deref());
    texts.map(|text| text.unwrap_or("(removed)")).collect()
}

/// The next line that somebody who listens is told.
async fn said(client: &mut Client) -> (u32, String, String) {
    loop {
        if let ServerMessage::Said { line, .. } = client.hear().await.unwrap() {
            return (line.n, line.name, line.text.unwrap());
        }
    }
}

/// The next change that somebody who listens is told.
async fn changed(client: &mut Client) -> TalkChange {
    loop {
        if let ServerMessage::TalkChanged { what, .. } = client.hear().await.unwrap() {
            return what;
        }
    }
}

/// A match of teams of two in which everybody sits, the captains first, and its host, who plays for
/// nobody.
async fn team_of_two(server: &ServerProcess) -> (PublicId, Client, [Client; 4]) {
    let mut host = Client::guest(server, "Host").await;
    let wanted = json!({
        "game": "nsolo",
        "teams": {
            "seats": { "south": 2, "north": 2 }, "decides": { "type": "first" }, "grace": 5,
        },
    });
    let name = server.make(host.token(), &wanted).await.view.r#match;
    host.join(name).await;
    let mut people = Vec::new();
    for side in [Side::South, Side::North, Side::South, Side::North] {
        people.push(newcomer(server, name, side).await);
    }
    let people = people.try_into().unwrap_or_else(|_| panic!("four came"));
    (name, host, people)
}

/// Somebody new who comes to a team and joins the match.
async fn newcomer(server: &ServerProcess, name: PublicId, side: Side) -> Client {
    let mut client = Client::guest(server, "Villager").await;
    let path = format!("/api/v1/matches/{name}/seats");
    let seat = Request::post(path, &json!({ "side": side.name() }));
    let answer = server.send(seat.token(client.token())).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    client.join(name).await;
    client
}

/// Whatever somebody asks of a room that he may not hear, he is refused.
async fn hears_nothing_of(client: &mut Client, name: PublicId, room: Room) {
    for answer in [
        client.listen(name, room, None).await,
        client.say_in(name, room, "and I?").await,
        client.report(name, room, 1).await,
    ] {
        assert_eq!(code_of(&answer), "not_your_room");
    }
}
