//! Peers who are broken, hostile or dead: they get an answer or an end, and nobody else
//! notices.

use futures_util::{SinkExt as _, StreamExt as _};
use mancala_protocol::limits::{BODY_BYTES_MAX, CLIENT_FRAME_BYTES_MAX, MESSAGES_BURST_MAX};
use mancala_protocol::{ClientMessage, MatchView, ServerMessage};
use mancala_tests::client::{Socket, code_of, narrow, open_socket};
use mancala_tests::players::{Pair, play_to_end};
use mancala_tests::server::until;
use mancala_tests::{Client, Lost, Random, Request, ServerProcess, patiently};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

/// The server still serves whoever comes.
pub(crate) async fn serves(server: &ServerProcess) {
    let mut pair = Pair::meet(server, json!({ "game": "urim" })).await;
    pair.play(2).await;
    assert_eq!(server.get("/readyz").await.status, 200);
}

/// What a socket ends with, however it ends.
pub(crate) async fn end_of(mut socket: Socket) -> Lost {
    let mut lost = Lost::default();
    let all = async {
        while let Some(Ok(message)) = socket.next().await {
            match message {
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if message["type"] == "bye" {
                        lost.bye = Some(message["code"].as_str().unwrap().to_owned());
                    }
                }
                Message::Close(frame) => lost.close = frame.map(|frame| frame.code.into()),
                _ => {}
            }
        }
    };
    patiently("the end of a socket", all).await;
    lost
}

#[tokio::test]
async fn who_does_not_greet_first_is_told_and_closed() {
    let server = ServerProcess::start();
    let greeting = Lost::with("greeting", 4003);
    for first in [
        Message::text(r#"{"type":"join","match":"k3J9sPq0Zx"}"#),
        Message::text(r#"{"type":"ping"}"#),
        Message::text(r#"{"type":"hello","colour":"red"}"#),
        Message::text(r#"{"type":"hello""#),
        Message::text(""),
        Message::text("["),
        Message::binary(vec![0, 159, 146, 150]),
    ] {
        let mut socket = open_socket(server.address(), &[]).await.unwrap();
        socket.send(first.clone()).await.unwrap();
        assert_eq!(end_of(socket).await, greeting, "{first:?}");
    }
    let mut socket = open_socket(server.address(), &[]).await.unwrap();
    let hello = Message::text(r#"{"type":"hello","id":7,"client":5}"#);
    socket.send(hello).await.unwrap();
    let told = patiently("what was wrong", socket.next()).await;
    let told = told.unwrap().unwrap().into_text().unwrap();
    assert!(told.contains(r#""id":7,"code":"bad_message""#), "{told}");
    assert!(told.contains("5"), "{told}");
    assert_eq!(end_of(socket).await, greeting);
    let mut twice = Client::nobody(&server).await;
    twice.say_text(r#"{"type":"hello","id":9}"#).await.unwrap();
    assert_eq!(twice.end().await, greeting);
    serves(&server).await;
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_the_socket_goes_on() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let deep = "[".repeat(8_000);
    let deep_object = r#"{"type":"act","match":"#.to_owned() + &r#"{"a":"#.repeat(2_000);
    for text in [
        "",
        "null",
        "7",
        "\"ping\"",
        "[]",
        "{}",
        r#"{"type":"ping""#,
        r#"{"type":"pin"}"#,
        r#"{"type":"ping","id":-1}"#,
        r#"{"type":"ping","id":4294967296}"#,
        r#"{"type":"ping","id":1,"id":2}"#,
        r#"{"type":"ping","extra":1}"#,
        r#"{"type":"join","match":"short"}"#,
        r#"{"type":"join","match":"k3J9sPq0Zx","since":-1}"#,
        r#"{"type":"act","match":"k3J9sPq0Zx","number":2,"actions":[{"type":"fly"}],"key":"k"}"#,
        r#"{"type":"act","match":"k3J9sPq0Zx","number":2,"actions":[{"type":"sow","pit":1e99}],"key":"k"}"#,
        r#"{"type":"act","match":"k3J9sPq0Zx","number":2,"actions":[],"key":"no blanks"}"#,
        r#"{"type":"ask","match":"k3J9sPq0Zx","what":"win","key":"k"}"#,
        &deep,
        &deep_object,
        "\u{0}\u{feff}{}",
    ] {
        pair.south.say_text(text).await.unwrap();
        let refused = loop {
            let message = pair.south.hear().await.unwrap();
            if let ServerMessage::Refused { .. } = message {
                break message;
            }
        };
        assert_eq!(code_of(&refused), "bad_message", "{text:.60}");
    }
    let binary = Message::binary(br#"{"type":"ping","id":1}"#.to_vec());
    pair.south.socket().send(binary).await.unwrap();
    let refused = pair.south.hear().await.unwrap();
    assert_eq!(code_of(&refused), "bad_message");
    // Numbers that are as large as they can be, in messages that can be read.
    for since in [0, u64::MAX] {
        let joined = pair.south.join_since(name, Some(since)).await.unwrap();
        let ServerMessage::Joined { view, .. } = joined else {
            panic!("{joined:?}");
        };
        assert!(view.is_some(), "since {since}");
    }
    pair.play(2).await;
}

/// A reason quotes what was wrong. Were it quoted whole, with its invisible characters spelt
/// out, a socket that never reads could fill its queue with a hundred times what it sent.
#[tokio::test]
async fn the_reason_of_a_refusal_is_short_however_long_the_message_was() {
    let server = ServerProcess::start();
    let token = server.guest("Ann").await;
    let long = "\u{7f}".repeat(15_000);
    let mut client = Client::nobody(&server).await;
    for text in [
        json!({ "type": "ping", "id": long }),
        json!({ "type": long }),
        json!({ "type": "ping", long.clone(): 1 }),
        json!({ "type": "leave", "match": long }),
        json!({ "type": "ask", "match": "k3J9sPq0Zx", "what": long, "key": "k" }),
        json!({
            "type": "preview", "match": "k3J9sPq0Zx", "number": 2, "actions": [{ "type": long }],
        }),
    ] {
        client.say_text(text.to_string()).await.unwrap();
        let refused = client.hear().await.unwrap();
        assert_eq!(code_of(&refused), "bad_message");
        let bytes = serde_json::to_string(&refused).unwrap().len();
        assert!(bytes < 1_000, "{bytes}");
    }
    for body in [
        json!({ "game": long }),
        json!({ "game": "urim", "seat": long }),
    ] {
        let answer = server
            .send(Request::post("/api/v1/matches", &body).token(&token))
            .await;
        let (status, _) = answer.problem();
        assert!(status < 500, "{status}");
        let bytes = answer.body.len();
        assert!(bytes < 1_000, "{bytes}");
    }
}

#[tokio::test]
async fn a_frame_that_is_too_large_ends_its_socket() {
    let server = ServerProcess::start();
    let padded = |bytes: usize| {
        let frame = r#"{"type":"ping","id":1}"#;
        frame.to_owned() + &" ".repeat(bytes - frame.len())
    };
    let mut client = Client::nobody(&server).await;
    client
        .say_text(padded(CLIENT_FRAME_BYTES_MAX))
        .await
        .unwrap();
    assert!(client.answer(1).await.is_ok(), "the largest frame there is");
    // Just too large, and much: the rest is never read.
    for bytes in [CLIENT_FRAME_BYTES_MAX + 1, 16 << 20] {
        let mut client = Client::nobody(&server).await;
        // The server may close before it has read all.
        let lost = match client.say_text(padded(bytes)).await {
            Ok(()) => client.end().await,
            Err(lost) => lost,
        };
        assert!(
            [Lost::with("too_large", 4004), Lost::default()].contains(&lost),
            "{bytes}: {lost:?}"
        );
    }
    // In fragments, each of which is small enough.
    let mut raw = RawSocket::open(&server).await;
    raw.write(&[frame_head(0x01, 8_000), vec![b' '; 8_000]].concat())
        .await;
    for _ in 0..3 {
        raw.write(&[frame_head(0x00, 8_000), vec![b' '; 8_000]].concat())
            .await;
    }
    raw.ended().await;
    serves(&server).await;
}

/// The head of a frame with an empty mask.
fn frame_head(head: u8, length: u16) -> Vec<u8> {
    let [high, low] = length.to_be_bytes();
    vec![head, 0x80 | 126, high, low, 0, 0, 0, 0]
}

/// A socket of which a test writes every byte itself.
struct RawSocket(TcpStream);

impl RawSocket {
    async fn open(server: &ServerProcess) -> RawSocket {
        let mut raw = TcpStream::connect(server.address()).await.unwrap();
        let upgrade = format!(
            "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.address()
        );
        raw.write_all(upgrade.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(raw.read_u8().await.unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 101 "));
        RawSocket(raw)
    }

    /// Writes what the server may not want any more.
    async fn write(&mut self, bytes: &[u8]) {
        _ = self.0.write_all(bytes).await;
    }

    /// Reads until the server has closed.
    async fn ended(&mut self) {
        let mut rest = Vec::new();
        _ = patiently("the end", self.0.read_to_end(&mut rest)).await;
    }
}

#[tokio::test]
async fn frames_against_the_protocol_of_sockets_end_theirs() {
    let server = ServerProcess::start();
    let hello = br#"{"type":"hello"}"#;
    for bytes in [
        // Not masked; reserved bits; a reserved opcode; text that is no UTF-8; a
        // continuation of nothing; a control frame in pieces.
        [&[0x81, hello.len() as u8][..], hello].concat(),
        vec![0xf1, 0x80, 0, 0, 0, 0],
        vec![0x83, 0x80, 0, 0, 0, 0],
        vec![0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28],
        vec![0x80, 0x80, 0, 0, 0, 0],
        vec![0x09, 0x80, 0, 0, 0, 0],
        // A length of 2^63 bytes.
        vec![0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        vec![
            0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0,
        ],
    ] {
        let mut raw = RawSocket::open(&server).await;
        raw.write(&bytes).await;
        raw.ended().await;
    }
    // Half a frame, and then nothing, and then gone.
    let mut raw = RawSocket::open(&server).await;
    raw.write(&frame_head(0x81, 100)).await;
    drop(raw);
    serves(&server).await;
}

#[tokio::test]
async fn a_flood_ends_the_socket_that_sends_it() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let ping = serde_json::to_string(&ClientMessage::Ping { id: None }).unwrap();
    let mut lost = None;
    for _ in 0..10 * MESSAGES_BURST_MAX {
        if let Err(end) = pair.south.say_text(ping.clone()).await {
            lost = Some(end);
            break;
        }
    }
    let lost = match lost {
        Some(lost) => lost,
        None => pair.south.end().await,
    };
    assert_eq!(lost, Lost::with("too_fast", 4002), "it hears why");
    // Frames that cannot be read count as well.
    let mut other = Client::nobody(&server).await;
    let mut refusals = 0;
    for _ in 0..10 * MESSAGES_BURST_MAX {
        let binary = other.socket().send(Message::binary(vec![1]));
        if binary.await.is_err() {
            break;
        }
        refusals += 1;
    }
    assert!(refusals >= MESSAGES_BURST_MAX / 2);
    other.end().await;
    // So do those that the sockets themselves send and answer.
    for frame in [
        Message::Ping(vec![1; 100].into()),
        Message::Pong(vec![].into()),
    ] {
        let mut other = Client::nobody(&server).await;
        for _ in 0..10 * MESSAGES_BURST_MAX {
            if other.socket().feed(frame.clone()).await.is_err() {
                break;
            }
        }
        // It may be gone by now.
        _ = other.socket().flush().await;
        assert_eq!(other.end().await.close.unwrap_or(4002), 4002);
    }
    // Its seat is still its own, and the match goes on.
    pair.south.come_back(server.address()).await.unwrap();
    pair.play(2).await;
}

/// A socket that greets, joins and then reads nothing, with little room on its way.
pub(crate) async fn deaf(server: &ServerProcess, name: &str) -> TcpStream {
    let stream = narrow(server.address()).await.unwrap();
    let request = format!("ws://{}/ws", server.address());
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream)
        .await
        .unwrap();
    for message in [
        json!({ "type": "hello" }),
        json!({ "type": "join", "match": name }),
    ] {
        socket
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }
    // The joined frame is its proof of being there.
    loop {
        let message = socket.next().await.unwrap().unwrap();
        if message.to_text().unwrap().contains("joined") {
            return socket.into_inner();
        }
    }
}

/// Hears again what a deaf socket was sent, until it was sent a view that it never asked for.
pub(crate) async fn hear_view(stream: &mut TcpStream) {
    // Unmasked frames of the server, whose text is as it is.
    let view = br#"{"type":"joined""#;
    let (mut heard, mut looked_through) = (Vec::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    let skipped = async {
        while !heard[looked_through..]
            .windows(view.len())
            .any(|part| part == view)
        {
            looked_through = heard.len().saturating_sub(view.len());
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "the socket was closed");
            heard.extend_from_slice(&buffer[..count]);
        }
    };
    patiently("a fresh view", skipped).await;
}

/// A number of events that fills the queue of a socket, 1,024 frames, and all that holds
/// frames behind it.
pub(crate) const MUCH: u64 = 2_000;

/// A spectator who is slow skips to a view, also while the match goes on without a pause.
#[tokio::test]
async fn a_spectator_who_was_deaf_for_a_while_gets_a_view_in_the_middle_of_the_match() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "omweso", "format": "first_to 255" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let mut stream = deaf(&server, &name.to_string()).await;
    let watch = async {
        until("the match has gone on far", async || {
            let view = format!("/api/v1/matches/{name}");
            server.get(&view).await.json::<MatchView>().seq > MUCH
        })
        .await;
        hear_view(&mut stream).await;
    };
    let play = async {
        tokio::join!(
            play_to_end(&mut pair.south, name, Random::from_seed(21)),
            play_to_end(&mut pair.north, name, Random::from_seed(22)),
        )
    };
    tokio::select! {
        _ = play => panic!("the match was over before the view came"),
        () = watch => {}
    }
}

#[tokio::test]
async fn what_is_not_there_and_what_cannot_be_read_are_problems() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let problem = |status: u16, code: &str| (status, code.to_owned());
    for path in [
        "/nothing",
        "/api/v1/nothing",
        "/api/v2/matches",
        "/api/v1/matches/k3J9sPq0Zx/nothing",
        "/api/v1/matches/",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.problem(), problem(404, "not_found"), "{path}");
    }
    for path in [
        "/api/v1/matches/k3J9sPq0Zx",
        "/api/v1/matches/k3J9sPq0Zx/log",
        "/api/v1/matches/k3J9sPq0Zx/record",
        "/api/v1/matches/short",
        "/api/v1/matches/%00%00",
        "/api/v1/matches/%ff%fe",
        &format!("/api/v1/matches/{}", "x".repeat(4_000)),
    ] {
        let answer = server.get(path).await;
        assert_eq!(
            answer.problem(),
            problem(404, "no_such_match"),
            "{path:.60}"
        );
    }
    for (method, path, allow) in [
        ("DELETE", "/api/v1/matches", "GET,HEAD,POST"),
        ("PUT", "/api/v1/guests", "POST"),
        ("GET", "/api/v1/guests", "POST"),
        ("POST", "/api/v1/me", "GET,HEAD"),
        ("PUT", "/api/v1/matches/k3J9sPq0Zx", "GET,HEAD"),
        ("PATCH", "/ws", "GET,HEAD"),
        ("POST", "/", "GET,HEAD"),
        ("BREW", "/api/v1/matches", "GET,HEAD,POST"),
    ] {
        let answer = server.send(Request::new(method, path)).await;
        let wrong = problem(405, "method_not_allowed");
        assert_eq!(answer.problem(), wrong, "{method} {path}");
        let mut allowed: Vec<_> = answer.header("allow").split(',').collect();
        allowed.sort_unstable();
        assert_eq!(allowed.join(","), allow, "{method} {path}");
    }
    // A page that is no socket.
    let (status, code) = server.get("/ws").await.problem();
    assert_eq!((status, code.as_str()), (400, "bad_message"));

    let post = |body: &str| {
        Request::new("POST", "/api/v1/matches")
            .token(&ann)
            .header("content-type", "application/json")
            .body(body.to_owned())
    };
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"game":7}"#,
        r#"{"game":"urim","colour":"red"}"#,
        r#"{"game":"urim","seat":"west"}"#,
        r#"{"game":"urim","options":7}"#,
        r#"{"game":"urim","game":"urim"}"#,
        &"[".repeat(10_000),
        &format!(
            r#"{{"game":"urim","options":{}1{}}}"#,
            "[".repeat(1_000),
            "]".repeat(1_000)
        ),
    ] {
        let answer = server.send(post(body)).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{body:.60}");
    }
    for body in [
        r#"{"game":"chess"}"#,
        r#"{"game":"urim","options":{"columns":8}}"#,
        r#"{"game":"urim","options":{"cap":3}}"#,
        r#"{"game":"urim","format":"first_to 0"}"#,
        r#"{"game":"urim","format":"first_to 256"}"#,
    ] {
        let answer = server.send(post(body)).await;
        assert_eq!(answer.problem(), problem(422, "bad_options"), "{body}");
    }
    let typeless = Request::new("POST", "/api/v1/matches")
        .token(&ann)
        .body(r#"{"game":"urim"}"#);
    assert_eq!(
        server.send(typeless).await.problem(),
        problem(400, "bad_message")
    );
    let large = post(&format!(
        r#"{{"game":"urim"{}}}"#,
        " ".repeat(BODY_BYTES_MAX)
    ));
    assert_eq!(
        server.send(large).await.problem(),
        problem(413, "too_large")
    );
    for name in ["", "  ", "a\nb", &"x".repeat(41)] {
        let guest = Request::post("/api/v1/guests", &json!({ "name": name }));
        assert_eq!(
            server.send(guest).await.problem(),
            problem(400, "bad_message")
        );
    }
    serves(&server).await;
}

/// In this process, where time goes on by itself as soon as everybody waits.
#[tokio::test(start_paused = true)]
async fn a_body_that_never_comes_is_given_up_with_a_problem() {
    let config = mancala_server::Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        data: None,
        public_url: None,
        metrics: None,
    };
    let server = mancala_server::Server::start(config).await.unwrap();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    tokio::spawn(server.run(std::future::pending()));
    let head = b"POST /api/v1/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
        content-length: 99\r\nconnection: close\r\n\r\n{";
    stream.write_all(head).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("content-type: application/problem+json"));
    assert!(answer.contains(r#""code":"timed_out""#), "{answer}");
}

/// Requests that are none, and ones that are never finished.
#[tokio::test]
async fn bytes_that_are_no_request_get_no_further() {
    let server = ServerProcess::start();
    let mut open = Vec::new();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"POST /api/v1/guests HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/v1/guests HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nhalf",
        b"POST /api/v1/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
        b"",
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        open.push(stream);
    }
    let mut long = TcpStream::connect(server.address()).await.unwrap();
    // Headers without an end are cut off.
    let header = [b'x'; 1 << 16];
    let write = async {
        _ = long.write_all(b"GET / HTTP/1.1\r\nx: ").await;
        while long.write_all(&header).await.is_ok() {}
    };
    patiently("an end of a header without end", write).await;
    serves(&server).await;
}
