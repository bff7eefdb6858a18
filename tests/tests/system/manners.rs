//! What those who write clients have stumbled over: how sockets begin and end, and what is
//! said of a slip.

use futures_util::{SinkExt as _, StreamExt as _};
use mancala_play::Request as Ask;
use mancala_protocol::rest::Guest;
use mancala_protocol::{ClientMessage, ServerMessage};
use mancala_tests::client::{Socket, code_of, id_of, open_socket};
use mancala_tests::players::{Pair, choose};
use mancala_tests::{Client, Lost, Random, Request, ServerProcess, patiently};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message};

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// The close frame with which a socket ends.
async fn close_of(mut socket: Socket) -> Option<CloseFrame> {
    let mut close = None;
    let all = async {
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Close(frame) = message {
                close = frame;
            }
        }
    };
    patiently("the end of a socket", all).await;
    close
}

/// A client that says goodbye is answered, before and after its greeting: else it would take
/// its own end for a lost line, and come back.
#[tokio::test]
async fn a_close_is_answered_with_the_same_number() {
    let server = ServerProcess::start();
    for greets in [false, true] {
        for number in [1000, 4321] {
            let mut socket = open_socket(server.address(), &[]).await.unwrap();
            if greets {
                let hello = Message::text(r#"{"type":"hello"}"#);
                socket.send(hello).await.unwrap();
                socket.next().await.unwrap().unwrap();
            }
            let close = CloseFrame {
                code: number.into(),
                reason: "bye".into(),
            };
            socket.close(Some(close)).await.unwrap();
            let answer = close_of(socket).await;
            assert_eq!(answer.map(|frame| frame.code.into()), Some(number));
        }
    }
}

/// Which of several messages it was can be told, where the message says so itself.
#[tokio::test]
async fn what_cannot_be_read_is_refused_by_its_id_where_that_can_be_read() {
    let server = ServerProcess::start();
    let mut client = Client::nobody(&server).await;
    for (text, id, about) in [
        (
            r#"{"type":"act","id":9,"match":"k3J9sPq0Zx","number":2,"actions":[],"key":"a b"}"#,
            Some(9),
            true,
        ),
        (
            r#"{"type":"fly","id":4294967295}"#,
            Some(4_294_967_295),
            false,
        ),
        (r#"{"type":"ping","id":4294967296}"#, None, false),
        (r#"{"type":"ping","id":null}"#, None, false),
        (r#"{"type":"ping","id":1.0}"#, None, false),
        (r#"{"type":"join","id":7,"match":"short"}"#, Some(7), false),
        (
            r#"{"type":"join","id":8,"match":"k3J9sPq0Zx","since":null}"#,
            Some(8),
            true,
        ),
        ("[9]", None, false),
    ] {
        client.say_text(text).await.unwrap();
        let refused = client.hear().await.unwrap();
        let ServerMessage::Refused {
            r#match,
            code,
            message,
            ..
        } = &refused
        else {
            panic!("{refused:?} to {text}");
        };
        assert_eq!(code, "bad_message", "{text}");
        assert_eq!((id_of(&refused), r#match.is_some()), (id, about), "{text}");
        for word in ["ClientMessage", "u32", "variant", "struct", "enum"] {
            assert!(!message.contains(word), "no word of Rust: {message}");
        }
    }
    let mut socket = open_socket(server.address(), &[]).await.unwrap();
    let nobody = Message::text(r#"{"type":"hello","token":null}"#);
    socket.send(nobody).await.unwrap();
    let close = close_of(socket).await.unwrap();
    assert_eq!(
        u16::from(close.code),
        4003,
        "who means to be somebody is not taken for nobody"
    );
}

#[tokio::test]
async fn text_that_is_none_ends_the_socket_as_what_it_is() {
    let server = ServerProcess::start();
    let mut client = Client::nobody(&server).await;
    let frame = tungstenite::protocol::frame::Frame::message(
        vec![0xc3, 0x28],
        tungstenite::protocol::frame::coding::OpCode::Data(
            tungstenite::protocol::frame::coding::Data::Text,
        ),
        true,
    );
    client.socket().send(Message::Frame(frame)).await.unwrap();
    assert_eq!(client.end().await, Lost::with("bad_message", 4004));
}

/// A client of a later version alone is not served as one of this.
#[tokio::test]
async fn a_socket_that_offers_other_versions_alone_is_refused() {
    let server = ServerProcess::start();
    let upgrade = |offered: Option<&str>| {
        let request = Request::get("/ws")
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        match offered {
            Some(names) => request.header("sec-websocket-protocol", names),
            None => request,
        }
    };
    for other in ["mancala.v2", "chat, mancala.v2"] {
        let answer = server.send(upgrade(Some(other))).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{other}");
    }
    for (offered, chosen) in [
        (None, None),
        (Some("mancala.v1"), Some("mancala.v1")),
        (Some("mancala.v2, mancala.v1"), Some("mancala.v1")),
    ] {
        let answer = server.send(upgrade(offered)).await;
        assert_eq!(answer.status, 101, "{offered:?}");
        let header = answer.headers.get("sec-websocket-protocol");
        assert_eq!(header.map(|name| name.to_str().unwrap()), chosen);
    }
}

#[tokio::test]
async fn what_is_null_or_stands_twice_is_not_taken_for_left_out() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for (path, body) in [
        ("/api/v1/guests", r#"{"name":null}"#),
        ("/api/v1/matches", r#"{"game":"urim","options":null}"#),
        ("/api/v1/matches", r#"{"game":"urim","format":null}"#),
        ("/api/v1/matches", r#"{"game":"urim","seat":null}"#),
        ("/api/v1/matches", r#"{"game":"urim","preview":null}"#),
        (
            "/api/v1/matches",
            r#"{"game":"urim","options":{"columns":6,"columns":7}}"#,
        ),
    ] {
        let request = Request::new("POST", path)
            .token(&ann)
            .header("content-type", "application/json")
            .body(body);
        let answer = server.send(request).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{body}");
    }
}

/// HTTP libraries keep cookies unasked. One that says the same as the token is no
/// contradiction.
#[tokio::test]
async fn a_cookie_beside_its_own_token_does_no_harm() {
    let server = ServerProcess::start();
    let guest = |name: &str| Request::post("/api/v1/guests", &json!({ "name": name }));
    let ann: Guest = server.send(guest("Ann")).await.json();
    let ben: Guest = server.send(guest("Ben")).await.json();
    let asked = |token: &str, cookie: &str| {
        let wanted = json!({ "game": "urim" });
        Request::post("/api/v1/matches", &wanted)
            .token(token)
            .header("cookie", &format!("mancala_token={cookie}"))
    };
    let same = server.send(asked(&ann.token, &ann.token)).await;
    assert_eq!(same.status, 201);
    let other = server.send(asked(&ann.token, &ben.token)).await;
    assert_eq!(other.problem(), problem(400, "two_tokens"));
}

/// Another site's page cannot put a guest into a visitor's browser; the pages of this server
/// can, by whichever name the browser came, unless the host has fixed one.
#[tokio::test]
async fn guests_are_made_from_own_pages_or_by_programs() {
    let asked = |origin: Option<&str>, host: &str| {
        let request = Request::post("/api/v1/guests", &json!({})).header("host", host);
        match origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        }
    };
    let free = ServerProcess::start();
    let fixed = ServerProcess::start_with(&["--public-url", "https://mancala.example"]);
    for (server, origin, host, status) in [
        (&free, None, "mancala.example", 201),
        (&free, Some("http://localhost:7070"), "localhost:7070", 201),
        (&free, Some("http://evil.example"), "localhost:7070", 403),
        (&free, Some("https://localhost:7070"), "localhost:7070", 403),
        (&free, Some("null"), "localhost:7070", 403),
        (
            &fixed,
            Some("https://mancala.example"),
            "127.0.0.1:7070",
            201,
        ),
        (&fixed, Some("http://127.0.0.1:7070"), "127.0.0.1:7070", 403),
        (
            &fixed,
            Some("https://mancala.example.evil.example"),
            "mancala.example",
            403,
        ),
    ] {
        let answer = server.send(asked(origin, host)).await;
        assert_eq!(answer.status, status, "{origin:?} at {host}");
        if status == 403 {
            assert_eq!(answer.problem(), problem(403, "bad_origin"));
            assert!(answer.headers.get("set-cookie").is_none());
        }
    }
}

#[tokio::test]
async fn refusals_say_how_to_do_better() {
    let server = ServerProcess::start();
    let basic = Request::get("/api/v1/me").header("authorization", "Basic YTpi");
    let answer = server.send(basic).await;
    assert_eq!(answer.headers["www-authenticate"], "Bearer");
    let detail = |answer: &mancala_tests::Answer| -> String {
        let problem: Value = serde_json::from_slice(&answer.body).unwrap();
        problem["detail"].as_str().unwrap().to_owned()
    };
    assert!(detail(&answer).contains("Authorization: Bearer TOKEN"));
    for name in [
        "",
        " \n",
        "\u{200b}",
        "\u{202e}evil",
        "a\u{2066}b",
        "...",
        &"x".repeat(41),
    ] {
        let guest = Request::post("/api/v1/guests", &json!({ "name": name }));
        let answer = server.send(guest).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{name:?}");
        assert!(detail(&answer).contains("`name`: "));
    }
    let ann = server.guest("  Ann  ").await;
    let me = server.send(Request::get("/api/v1/me").token(&ann)).await;
    assert_eq!(me.json::<Value>()["name"], "Ann");
    let typeless = Request::new("POST", "/api/v1/guests").body("{}");
    assert!(detail(&server.send(typeless).await).contains("Content-Type: application/json"));
}

/// The first of two sowings ends the turn: the second is named, and nothing is played.
#[tokio::test]
async fn an_action_after_the_end_of_the_turn_is_named() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    let before = mover.followed[&name].view().clone();
    let action = choose(&mover.followed[&name], &mut Random::from_seed(1));
    let refused = mover.act(name, vec![action.clone(), action]).await;
    let ServerMessage::Refused { at, message, .. } = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!((code_of(&refused), *at), ("turn_over", Some(1)));
    assert_eq!(message, "action 2: your turn is over after action 1");
    assert_eq!(*mover.followed[&name].view(), before);
    let stale = ClientMessage::Act {
        id: Some(mover.next_id()),
        r#match: name,
        number: 1,
        actions: vec![choose(&mover.followed[&name], &mut Random::from_seed(1))],
        key: mover.next_key(),
    };
    let refused = mover.ask(&stale).await.unwrap();
    assert_eq!(code_of(&refused), "already_played");
    pair.south.request(name, Ask::ResignMatch).await;
}
