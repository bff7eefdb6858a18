//! Talk on a disk that does not say what it has written.

use crate::service::{Player, Service, code, correspondence};
use mancala_engine::Side;
use mancala_tests::Request;
use serde_json::{Value, json};

/// A match whose south is the host, and somebody who listens to what is said.
struct Hall {
    service: Service,
    south: Player,
    north: Player,
    ear: Player,
}

impl Hall {
    async fn open() -> Hall {
        let service = Service::new(correspondence()).await;
        let south = service.join(Side::South).await;
        let north = service.join(Side::North).await;
        let mut ear = service.watch().await;
        let answer = ear.ask(listen(&service, 0)).await;
        assert_eq!(answer["type"], "talk");
        Hall {
            service,
            south,
            north,
            ear,
        }
    }

    /// What the one who listens has been told since this was asked last.
    async fn told(&mut self) -> Vec<Value> {
        heard(&mut self.ear).await
    }
}

/// What somebody has been told of the talk since this was asked last.
async fn heard(player: &mut Player) -> Vec<Value> {
    player.say(json!({ "type": "ping" })).await;
    let mut told = Vec::new();
    loop {
        let message = player.hear().await.unwrap();
        match message["type"].as_str().unwrap() {
            "pong" => return told,
            "said" => told.push(json!([message["n"], message["text"]])),
            "talk_changed" => told.push(message["what"].clone()),
            _ => {}
        }
    }
}

fn listen(service: &Service, after: u32) -> Value {
    json!({ "type": "listen", "match": service.name(), "room": "public", "after": after })
}

fn say(service: &Service, text: &str) -> Value {
    json!({
        "type": "say", "match": service.name(), "room": "public", "text": text,
        "key": text.replace(' ', "-"),
    })
}

fn moderate(service: &Service, what: Value) -> Value {
    json!({ "type": "moderate", "match": service.name(), "room": "public", "what": what })
}

/// What is asked first of the room of a line for which the disk did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Its speaker sends it again.
    Again,
    /// Somebody else says something.
    Another,
    /// Somebody comes to listen.
    Listener,
}

/// A disk that does not say whether a line was written: nobody is told before it is known, and then
/// everybody who listens, once, whoever asks first.
#[tokio::test(start_paused = true)]
async fn a_line_that_may_be_said_is_told_once_that_is_known() {
    for next in [Next::Again, Next::Another, Next::Listener] {
        let mut hall = Hall::open().await;
        let line = say(&hall.service, "a line");
        let answer = hall.north.ask(say(&hall.service, "before")).await;
        assert_eq!(answer["line"], 1);
        assert_eq!(hall.told().await, [json!([1, "before"])]);
        hall.service.sky.writes_are_unknown();
        for _ in 0..2 {
            let answer = hall.south.ask(line.clone()).await;
            assert_eq!(code(&answer), "storage_unavailable", "{next:?}");
        }
        assert_eq!(hall.told().await, <[Value; 0]>::default(), "{next:?}");
        hall.service.sky.clears();
        let mut expected = vec![json!([2, "a line"])];
        match next {
            Next::Again => {}
            Next::Another => {
                let answer = hall.north.ask(say(&hall.service, "another")).await;
                assert_eq!(answer["line"], 3);
                expected.push(json!([3, "another"]));
            }
            Next::Listener => {
                let answer = hall.north.ask(listen(&hall.service, 1)).await;
                assert_eq!(answer["lines"][0]["text"], "a line");
                assert_eq!(heard(&mut hall.north).await, <[Value; 0]>::default());
            }
        }
        for _ in 0..2 {
            let answer = hall.south.ask(line.clone()).await;
            assert_eq!(answer["line"], 2, "{next:?}: {answer}");
        }
        assert_eq!(hall.told().await, expected, "{next:?}");
        let answer = hall.ear.ask(listen(&hall.service, 0)).await;
        assert_eq!(answer["last"], expected.len() + 1, "{next:?}");
    }
}

/// A line that was not written is told to nobody, and its number goes to the next one.
#[tokio::test(start_paused = true)]
async fn a_line_that_is_not_written_is_none() {
    let mut hall = Hall::open().await;
    let line = say(&hall.service, "a line");
    hall.service.sky.nothing_is_written();
    let answer = hall.south.ask(line.clone()).await;
    assert_eq!(code(&answer), "storage_unavailable");
    assert_eq!(hall.told().await, <[Value; 0]>::default());
    hall.service.sky.clears();
    let answer = hall.north.ask(say(&hall.service, "another")).await;
    assert_eq!(answer["line"], 1);
    let answer = hall.south.ask(line).await;
    assert_eq!(answer["line"], 2);
    let told = [json!([1, "another"]), json!([2, "a line"])];
    assert_eq!(hall.told().await, told);
}

/// What the disk has and nobody was told is there when the server starts again, and the same line
/// sent again is that one.
#[tokio::test(start_paused = true)]
async fn a_line_that_may_be_said_outlives_the_server_if_it_was() {
    let mut hall = Hall::open().await;
    let line = say(&hall.service, "a line");
    hall.service.sky.writes_are_unknown();
    let answer = hall.south.ask(line.clone()).await;
    assert_eq!(code(&answer), "storage_unavailable");
    hall.service.crash();
    hall.service.sky.clears();
    hall.service.start().await;
    let mut ear = hall.service.watch().await;
    let answer = ear.ask(listen(&hall.service, 0)).await;
    assert_eq!(answer["lines"][0]["text"], "a line");
    let mut south = hall.service.join(Side::South).await;
    let answer = south.ask(line).await;
    assert_eq!(answer["line"], 1);
    assert_eq!(heard(&mut ear).await, <[Value; 0]>::default());
}

/// Likewise of all that is done to keep order: it is told to whom it concerns once it is known,
/// and once.
#[tokio::test(start_paused = true)]
async fn order_that_may_be_kept_is_told_once_that_is_known() {
    for (what, to_all, to_one) in [
        (
            json!({ "type": "close" }),
            Some(json!({ "type": "closed" })),
            None,
        ),
        (
            json!({ "type": "remove", "line": 1 }),
            Some(json!({ "type": "removed", "line": 1 })),
            None,
        ),
        (
            json!({ "type": "mute", "line": 1 }),
            None,
            Some(json!({ "type": "muted" })),
        ),
    ] {
        let mut hall = Hall::open().await;
        let answer = hall.north.ask(listen(&hall.service, 0)).await;
        assert_eq!(answer["type"], "talk");
        let answer = hall.north.ask(say(&hall.service, "rude")).await;
        assert_eq!(answer["line"], 1);
        assert_eq!(hall.told().await.len(), 1);
        let order = moderate(&hall.service, what.clone());
        hall.service.sky.writes_are_unknown();
        let answer = hall.south.ask(order.clone()).await;
        assert_eq!(code(&answer), "storage_unavailable", "{what}");
        assert_eq!(hall.told().await, <[Value; 0]>::default(), "{what}");
        hall.service.sky.clears();
        for _ in 0..2 {
            let answer = hall.south.ask(order.clone()).await;
            // A text that is gone cannot be taken away once more.
            let so_already = what["type"] == "remove" && code(&answer) == "no_such_line";
            assert!(so_already || answer["type"] == "noted", "{what}: {answer}");
        }
        assert_eq!(
            hall.told().await,
            to_all.clone().into_iter().collect::<Vec<_>>()
        );
        let to_north = to_all.into_iter().chain(to_one).collect::<Vec<_>>();
        assert_eq!(heard(&mut hall.north).await, to_north, "{what}");
    }
}

/// Nor is it lost that all was deleted.
#[tokio::test(start_paused = true)]
async fn talk_that_may_be_cleared_is_told_once_that_is_known() {
    let mut hall = Hall::open().await;
    for (n, text) in [(1, "rude"), (2, "ruder")] {
        let answer = hall.north.ask(say(&hall.service, text)).await;
        assert_eq!(answer["line"], n);
    }
    assert_eq!(hall.told().await.len(), 2);
    hall.service.sky.writes_are_unknown();
    let path = format!("/api/admin/matches/{}/clear-talk", hall.service.name());
    let clear = Request::post(path, &json!({})).token("host");
    let answer = hall.service.rest(clear).await;
    assert_eq!(answer.problem(), (503, "storage_unavailable".to_owned()));
    assert_eq!(hall.told().await, <[Value; 0]>::default());
    hall.service.sky.clears();
    let answer = hall.south.ask(say(&hall.service, "anew")).await;
    assert_eq!(answer["line"], 1);
    let told = [json!({ "type": "cleared" }), json!([1, "anew"])];
    assert_eq!(hall.told().await, told);
}
