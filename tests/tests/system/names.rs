//! What people and teams may be called, and what they may say: what looks like something else is
//! refused wherever it comes in.

use mancala_play::Room;
use mancala_protocol::rest::MatchMade;
use mancala_protocol::{LineView, PublicId, ServerMessage};
use mancala_tests::client::code_of;
use mancala_tests::{Answer, Client, Request, ServerProcess};
use serde_json::{Value, json};

/// What cannot be seen, or does something to what stands around it, or is piled up.
const HIDDEN: [&str; 16] = [
    "",
    "  ",
    "\u{a0}\u{3000}",
    "\u{200b}",
    "\u{feff}",
    "\u{200f}",
    "\u{202e}abc",
    "a\u{2066}b",
    "D\u{2028}E",
    "a\nb",
    "a\u{200d}b",
    "a\u{e0041}",
    "\u{e000}",
    "\u{3164}",
    "\u{301}",
    "a\u{316}\u{317}\u{318}\u{319}\u{31c}",
];

/// What may be said, but is no name.
const NAMELESS: [&str; 5] = [
    "...",
    "🦁",
    "\u{412}uganda",
    "Ab\u{3b1}",
    "12345678901234567890123456789012345678901",
];

async fn post(server: &ServerProcess, token: &str, path: &str, body: &Value) -> Answer {
    server.send(Request::post(path, body).token(token)).await
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn of_teams(south: &str) -> Value {
    json!({
        "game": "nsolo",
        "options": { "columns": 36 },
        "access": "public",
        "teams": {
            "seats": { "south": 3, "north": 3 },
            "names": { "south": south, "north": "Jinja" },
            "decides": { "type": "first" },
        },
    })
}

#[tokio::test]
async fn nobody_and_no_team_has_a_name_that_hides_something() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for name in HIDDEN.into_iter().chain(NAMELESS) {
        let body = json!({ "name": name });
        let guest = Request::post("/api/v1/guests", &body);
        let refused = server.send(guest).await;
        assert_eq!(refused.problem(), problem(400, "bad_message"), "{name:?}");
        let refused = post(&server, &ann, "/api/v1/teams", &body).await;
        assert_eq!(refused.problem(), problem(400, "bad_message"), "{name:?}");
        let refused = post(&server, &ann, "/api/v1/matches", &of_teams(name)).await;
        assert_eq!(refused.problem(), problem(422, "bad_options"), "{name:?}");
    }
    let long = json!({ "name": "ก่".repeat(34) });
    let refused = post(&server, &ann, "/api/v1/teams", &long).await;
    assert_eq!(refused.problem(), problem(400, "bad_message"));
}

/// Each answer says which rule is broken.
#[tokio::test]
async fn what_is_wrong_with_a_name_is_said() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for (name, said) in [
        ("  ", "can be seen"),
        ("...", "a letter or a digit"),
        ("\u{202e}abc", "U+202E"),
        ("\u{301}", "a mark"),
        ("\u{412}uganda", "one script"),
        (&"x".repeat(41), "40 characters and 200 bytes"),
    ] {
        for (path, body) in [
            ("/api/v1/guests", json!({ "name": name })),
            ("/api/v1/teams", json!({ "name": name })),
            ("/api/v1/matches", of_teams(name)),
        ] {
            let refused = post(&server, &ann, path, &body).await;
            let refused = refused.text();
            assert!(refused.contains(said), "{path}, {name:?}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_name_is_kept_as_it_is_shown() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for (name, kept) in [
        (" x ", "x"),
        ("A  B", "A B"),
        ("Cafe\u{301}", "Café"),
        ("ŋŋaali", "ŋŋaali"),
        ("Команда", "Команда"),
        ("ስም ለኢትዮጵያ", "ስም ለኢትዮጵያ"),
        ("فريق كمبالا", "فريق كمبالا"),
        ("สมชาย ใจดี", "สมชาย ใจดี"),
        ("ශ්‍රී ලංකා", "ශ්‍රී ලංකා"),
        ("Lions 🦁", "Lions 🦁"),
    ] {
        let body = json!({ "name": name });
        let guest: Value = server
            .send(Request::post("/api/v1/guests", &body))
            .await
            .json();
        assert_eq!(guest["user"]["name"], kept);
        let team: Value = post(&server, &ann, "/api/v1/teams", &body).await.json();
        assert_eq!(team["name"], kept);
        let made = post(&server, &ann, "/api/v1/matches", &of_teams(name)).await;
        let made: MatchMade = made.json();
        assert_eq!(json!(made.view.teams.unwrap().south.name), json!(kept));
    }
}

#[tokio::test]
async fn no_team_is_called_so_that_people_take_it_for_another() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    for (name, alike) in [
        ("Café", "Cafe\u{301}"),
        ("Cafe", "CafＥ"),
        ("A B", "A  B"),
        ("Moto Moja", "MotoMoja"),
        ("Straße", "STRASSE"),
        ("İs", "is"),
        ("Ⅳ", "IV"),
        ("Buganda", "\u{412} uganda"),
        ("CAO", "САО"),
        ("Ian", "lan"),
    ] {
        let body = json!({ "name": name });
        let founded = post(&server, &ann, "/api/v1/teams", &body).await;
        assert_eq!(founded.status, 201, "{name}");
        let body = json!({ "name": alike });
        let taken = post(&server, &ben, "/api/v1/teams", &body).await;
        assert_eq!(taken.problem(), problem(409, "name_taken"), "{alike}");
    }
    // Guests may be called alike.
    server.guest("Ian").await;
    server.guest("lan").await;
}

#[tokio::test]
async fn nothing_is_said_or_reported_that_hides_something() {
    let server = ServerProcess::start();
    let mut ann = Client::guest(&server, "Ann").await;
    let wanted = json!({ "game": "urim", "access": "public" });
    let name = server.make(ann.token(), &wanted).await.view.r#match;
    ann.join(name).await;
    let long = "x".repeat(201);
    let heap = "\u{301}".repeat(200);
    for text in HIDDEN.into_iter().chain([&*long, &*heap]) {
        let say =
            json!({ "type": "say", "match": name, "room": "public", "text": text, "key": "k" });
        let report =
            json!({ "type": "report", "match": name, "room": "public", "line": 1, "why": text });
        for mut message in [say, report] {
            let id = ann.next_id();
            message["id"] = id.into();
            ann.say_text(message.to_string()).await.unwrap();
            let answer = ann.answer(id).await.unwrap();
            assert_eq!(code_of(&answer), "bad_message", "{message}");
            let ServerMessage::Refused { r#match, .. } = answer else {
                panic!("{answer:?}")
            };
            assert_eq!(r#match, Some(name), "it says which was meant");
        }
    }
    for (text, kept) in [
        (" x ", "x"),
        ("Cafe\u{301}", "Café"),
        ("...", "..."),
        ("👩🏽‍🌾❤️🇺🇬", "👩🏽‍🌾❤️🇺🇬"),
        ("می‌خواهم", "می‌خواهم"),
    ] {
        let (last, lines) = said(&mut ann, name, text).await;
        assert_eq!(
            lines.last().and_then(|line| line.text.as_deref()),
            Some(kept)
        );
        assert_eq!(lines.len(), last as usize);
    }
}

/// Says a line, and what has been said then.
async fn said(client: &mut Client, name: PublicId, text: &str) -> (u32, Vec<LineView>) {
    let noted = client.say_in(name, Room::Public, text).await;
    assert!(matches!(noted, ServerMessage::Noted { .. }), "{noted:?}");
    let told = client.listen(name, Room::Public, None).await;
    let ServerMessage::Talk { last, lines, .. } = told else {
        panic!("{told:?}")
    };
    (last, lines)
}
