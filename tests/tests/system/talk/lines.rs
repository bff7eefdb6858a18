//! Lines: who hears them, that they are said once, and what is none.

use super::{Hall, SOUTH, noted, said, texts, told};
use mancala_play::Room;
use mancala_protocol::ClientMessage;
use mancala_protocol::rest::TalkPage;
use mancala_tests::client::code_of;
use mancala_tests::{Client, Port};
use serde_json::json;

#[tokio::test]
async fn what_is_said_is_heard_by_those_who_listen_and_by_nobody_else() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    assert_eq!(
        told(hall.nobody.listen(name, Room::Public, None).await),
        (0, vec![])
    );
    hall.guest.received = Some(String::new());
    let south = &mut hall.pair.south;
    assert_eq!(
        noted(&south.say_in(name, Room::Public, "Hello").await),
        Some(1)
    );
    assert_eq!(
        noted(&south.say_in(name, Room::Public, "there").await),
        Some(2)
    );
    let south_is = said(&mut hall.nobody).await.1;
    assert_eq!(
        said(&mut hall.nobody).await,
        (2, south_is, "there".to_owned())
    );
    // Who does not listen pays nothing.
    hall.guest.catch_up().await;
    assert!(!hall.guest.received.as_ref().unwrap().contains("Hello"));
    // Whoever comes later, or has missed some, goes on where he was.
    let (last, lines) = told(hall.guest.listen(name, Room::Public, Some(1)).await);
    assert_eq!((last, texts(&lines)), (2, vec!["there"]));
    // Listening no more, one hears nothing more, and may speak all the same.
    let id = hall.nobody.next_id();
    let unlisten = ClientMessage::Unlisten {
        id: Some(id),
        r#match: name,
        room: Room::Public,
    };
    assert_eq!(noted(&hall.nobody.ask(&unlisten).await.unwrap()), None);
    hall.nobody.received = Some(String::new());
    assert_eq!(
        noted(&hall.guest.say_in(name, Room::Public, "third").await),
        Some(3)
    );
    hall.nobody.catch_up().await;
    assert!(!hall.nobody.received.as_ref().unwrap().contains("third"));
    let refused = hall.nobody.say_in(name, Room::Public, "me too").await;
    assert_eq!(code_of(&refused), "sign_in_needed");

    // The pages are the same lines, and the match itself knows nothing of them.
    let page: TalkPage = hall.page("public", "&limit=2").await.json();
    assert_eq!(texts(&page.lines), ["Hello", "there"]);
    assert_eq!((page.last, page.next), (3, Some(2)));
    let page: TalkPage = hall.page("public", "&after=2").await.json();
    assert_eq!(texts(&page.lines), ["third"]);
    assert_eq!(page.next, None);
    for part in ["", "/log", "/record"] {
        let path = format!("/api/v1/matches/{name}{part}");
        assert!(!hall.server.get(&path).await.text().contains("Hello"));
    }
    assert!(!hall.server.log().contains("Hello"), "nor does the log");
}

/// What was answered is there after a crash, once, and what is sent again is the same line.
#[tokio::test]
async fn a_line_that_was_noted_is_said_once_whatever_happens() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    let say = |text: &str, key: &str, id| ClientMessage::Say {
        id: Some(id),
        r#match: name,
        room: Room::Public,
        text: text.parse().unwrap(),
        key: key.parse().unwrap(),
    };
    for (number, text) in ["one", "two"].into_iter().enumerate() {
        for _ in 0..2 {
            let id = hall.guest.next_id();
            let answer = hall.guest.ask(&say(text, text, id)).await.unwrap();
            assert_eq!(noted(&answer), Some(number as u32 + 1));
        }
    }
    hall.server.kill();
    hall.server.restart(Port::Same);
    hall.guest.come_back(hall.server.address()).await.unwrap();
    let id = hall.guest.next_id();
    let again = hall.guest.ask(&say("two", "two", id)).await.unwrap();
    assert_eq!(noted(&again), Some(2));
    let id = hall.guest.next_id();
    let other = hall.guest.ask(&say("three", "two", id)).await.unwrap();
    assert_eq!(code_of(&other), "key_reused");
    let (last, lines) = told(hall.guest.listen(name, Room::Public, None).await);
    assert_eq!((last, texts(&lines)), (2, vec!["one", "two"]));
}

/// What is told of a room that one may not hear is the same whatever is said there.
#[tokio::test]
async fn nonsense_is_refused_by_name() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    for room in [SOUTH, Room::Team(mancala_engine::Side::North)] {
        let answer = hall.guest.listen(name, room, None).await;
        assert_eq!(code_of(&answer), "no_such_room");
        let answer = hall.guest.say_in(name, room, "a").await;
        assert_eq!(code_of(&answer), "no_such_room");
        let page = hall.page(room.as_str(), "").await;
        assert_eq!(page.problem(), (404, "no_such_room".to_owned()));
    }
    for (room, more, status) in [
        ("east", "", 400),
        ("public", "&limit=0", 400),
        ("public", "&limit=101", 400),
        ("public", "&after=-1", 400),
        ("public", "&x=1", 400),
    ] {
        assert_eq!(hall.page(room, more).await.problem().0, status, "{more}");
    }
    let long = "a".repeat(201);
    for text in ["", "a\nb", "\u{7}", &long] {
        let id = hall.guest.next_id();
        let say = json!({
            "type": "say", "id": id, "match": name, "room": "public", "text": text, "key": "k",
        });
        hall.guest.say_text(say.to_string()).await.unwrap();
        let answer = hall.guest.answer(id).await.unwrap();
        assert_eq!(code_of(&answer), "bad_message");
    }
    let mut stranger = Client::guest(&hall.server, "Stranger").await;
    let answer = stranger.listen(name, Room::Public, None).await;
    assert_eq!(code_of(&answer), "not_joined");
    let answer = stranger.say_in(name, Room::Public, "a").await;
    assert_eq!(code_of(&answer), "not_joined");
}
