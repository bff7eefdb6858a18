//! Talk in the rooms of a match, over real sockets.

use mancala_play::{Request as Ask, Room};
use mancala_protocol::rest::{ReportList, TalkPage};
use mancala_protocol::{ClientMessage, LineView, Moderation, PublicId, ServerMessage, TalkChange};
use mancala_tests::client::code_of;
use mancala_tests::players::Pair;
use mancala_tests::{Answer, Client, Port, Request, ServerProcess};
use serde_json::{Value, json};

const SOUTH: Room = Room::Team(mancala_engine::Side::South);

/// A match of two, somebody with a name who watches, and somebody without.
struct Hall {
    server: ServerProcess,
    pair: Pair,
    guest: Client,
    nobody: Client,
}

impl Hall {
    async fn open() -> Hall {
        let server = ServerProcess::start();
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

async fn changed(client: &mut Client) -> TalkChange {
    loop {
        if let ServerMessage::TalkChanged { what, .. } = client.hear().await.unwrap() {
            return what;
        }
    }
}

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

#[tokio::test]
async fn whoever_talks_too_fast_is_slowed_down() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    let mut refused = 0;
    for number in 0..8 {
        let answer = hall
            .guest
            .say_in(name, Room::Public, &format!("line {number}"))
            .await;
        if let ServerMessage::Refused { code, .. } = &answer {
            assert_eq!(code, "slow_down");
            refused += 1;
        }
    }
    // In a slow run of this test one more may have had its time.
    assert!((1..=3).contains(&refused), "{refused}");
    // The others may go on.
    let answer = hall.pair.south.say_in(name, Room::Public, "well").await;
    assert!(noted(&answer).is_some());
}

#[tokio::test]
async fn the_host_keeps_order_and_nobody_else_does() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    hall.guest.listen(name, Room::Public, None).await;
    hall.nobody.listen(name, Room::Public, None).await;
    assert_eq!(
        noted(&hall.guest.say_in(name, Room::Public, "rude").await),
        Some(1)
    );
    let all = [
        Moderation::Mute { line: 1 },
        Moderation::Unmute { line: 1 },
        Moderation::Close {},
        Moderation::Open {},
        Moderation::Remove { line: 1 },
    ];
    for what in all {
        let north = hall.pair.north.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&north), "not_moderator");
        let guest = hall.guest.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&guest), "not_moderator");
        let nobody = hall.nobody.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&nobody), "sign_in_needed");
    }
    // South has made the match.
    let host = &mut hall.pair.south;
    let nowhere = Moderation::Mute { line: 2 };
    let answer = host.moderate(name, Room::Public, nowhere).await;
    assert_eq!(code_of(&answer), "no_such_line");
    let answer = host.moderate(name, SOUTH, Moderation::Close {}).await;
    assert_eq!(code_of(&answer), "no_such_room");
    noted(&host.moderate(name, Room::Public, all[0]).await);
    assert_eq!(changed(&mut hall.guest).await, TalkChange::Muted);
    let answer = hall.guest.say_in(name, Room::Public, "more").await;
    assert_eq!(code_of(&answer), "muted");
    // It stands when the server starts anew, and is lifted by who may.
    hall.server.kill();
    hall.server.restart(Port::Same);
    for client in [
        &mut hall.guest,
        &mut hall.nobody,
        &mut hall.pair.south,
        &mut hall.pair.north,
    ] {
        client.come_back(hall.server.address()).await.unwrap();
        client.listen(name, Room::Public, None).await;
    }
    let answer = hall.guest.say_in(name, Room::Public, "more").await;
    assert_eq!(code_of(&answer), "muted");
    let host = &mut hall.pair.south;
    noted(&host.moderate(name, Room::Public, all[1]).await);
    assert_eq!(
        noted(&hall.guest.say_in(name, Room::Public, "sorry").await),
        Some(2)
    );
    let host = &mut hall.pair.south;
    noted(
        &host
            .moderate(name, Room::Public, Moderation::Close {})
            .await,
    );
    assert_eq!(changed(&mut hall.nobody).await, TalkChange::Closed);
    let answer = hall.pair.north.say_in(name, Room::Public, "but").await;
    assert_eq!(code_of(&answer), "talk_closed");
    let host = &mut hall.pair.south;
    noted(&host.moderate(name, Room::Public, Moderation::Open {}).await);
    noted(
        &host
            .moderate(name, Room::Public, Moderation::Remove { line: 1 })
            .await,
    );
    assert_eq!(changed(&mut hall.nobody).await, TalkChange::Opened);
    assert_eq!(
        changed(&mut hall.nobody).await,
        TalkChange::Removed { line: 1 }
    );
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!(texts(&page.lines), ["(removed)", "sorry"]);
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

async fn team_of_two(server: &ServerProcess) -> (PublicId, Client, [Client; 4]) {
    let mut host = Client::guest(server, "Host").await;
    let wanted = json!({
        "game": "nsolo",
        "teams": { "seats": { "south": 2, "north": 2 }, "decides": { "type": "first" } },
    });
    let name = server.make(host.token(), &wanted).await.view.r#match;
    host.join(name).await;
    let mut people = Vec::new();
    for (number, side) in ["south", "north", "south", "north"].iter().enumerate() {
        let mut client = Client::guest(server, &format!("V{number}")).await;
        let path = format!("/api/v1/matches/{name}/seats");
        let seat = Request::post(path, &json!({ "side": side }));
        let answer = server.send(seat.token(client.token())).await;
        assert_eq!(answer.status, 200);
        client.join(name).await;
        people.push(client);
    }
    let people = people.try_into().unwrap_or_else(|_| panic!("four came"));
    (name, host, people)
}

/// The captain keeps order in his team's room, and the host without hearing what is said there.
/// After the match the team lets everybody read it; the other one stays closed.
#[tokio::test]
async fn a_team_has_a_room_of_its_own_until_it_publishes() {
    let server = ServerProcess::start();
    let (name, mut host, [mut captain, mut rival, mut member, _other]) = team_of_two(&server).await;
    captain.listen(name, SOUTH, None).await;
    assert_eq!(noted(&member.say_in(name, SOUTH, "a plan").await), Some(1));
    assert_eq!(said(&mut captain).await.2, "a plan");
    let refused = host.listen(name, SOUTH, None).await;
    assert_eq!(code_of(&refused), "not_your_room");
    for what in [
        Moderation::Mute { line: 1 },
        Moderation::Mute { line: 99 },
        Moderation::Remove { line: 1 },
        Moderation::Remove { line: 99 },
    ] {
        let refused = host.moderate(name, SOUTH, what).await;
        assert_eq!(code_of(&refused), "not_your_room");
    }
    for who in [&mut rival, &mut member] {
        let refused = who.moderate(name, SOUTH, Moderation::Close {}).await;
        assert!(["not_your_room", "not_moderator"].contains(&code_of(&refused)));
    }
    let mute = Moderation::MutePerson { person: 2 };
    noted(&host.moderate(name, SOUTH, mute).await);
    let refused = member.say_in(name, SOUTH, "another").await;
    assert_eq!(code_of(&refused), "muted");
    let unmute = Moderation::UnmutePerson { person: 2 };
    noted(&captain.moderate(name, SOUTH, unmute).await);
    assert_eq!(noted(&member.say_in(name, SOUTH, "another").await), Some(2));
    let path = format!("/api/v1/matches/{name}/talk?room=south");
    let page = server.send(Request::get(&path).token(member.token())).await;
    assert_eq!(texts(&page.json::<TalkPage>().lines), ["a plan", "another"]);
    assert_eq!(
        server.get(&path).await.problem(),
        (403, "not_your_room".to_owned())
    );

    captain.request(name, Ask::ResignMatch).await;
    assert_eq!(server.get(&path).await.status, 403, "not published yet");
    captain.request(name, Ask::Publish).await;
    member.request(name, Ask::Publish).await;
    let page: TalkPage = server.get(&path).await.json();
    assert_eq!(texts(&page.lines), ["a plan", "another"]);
    let (last, _) = told(rival.listen(name, SOUTH, None).await);
    assert_eq!(last, 2);
    let refused = rival.say_in(name, SOUTH, "well played").await;
    assert_eq!(code_of(&refused), "not_your_room", "he reads it, no more");
    let north = format!("/api/v1/matches/{name}/talk?room=north");
    assert_eq!(server.get(&north).await.status, 403);
}

/// Whoever leaves hears nothing more, on the socket on which he listened nor on a new one.
#[tokio::test]
async fn who_leaves_the_team_hears_nothing_more_of_it() {
    let server = ServerProcess::start();
    let (name, _host, [mut captain, _, mut member, _]) = team_of_two(&server).await;
    member.received = Some(String::new());
    member.listen(name, SOUTH, None).await;
    captain.say_in(name, SOUTH, "while he is here").await;
    member.team(name, mancala_protocol::TeamAsk::Leave {}).await;
    captain.say_in(name, SOUTH, "after he has gone").await;
    member.catch_up().await;
    let received = member.received.as_ref().unwrap();
    assert!(received.contains("while he is here"));
    assert!(!received.contains("after he has gone"));
    member.come_back(server.address()).await.unwrap();
    for answer in [
        member.listen(name, SOUTH, None).await,
        member.say_in(name, SOUTH, "and I?").await,
        member.report(name, SOUTH, 1).await,
    ] {
        assert_eq!(code_of(&answer), "not_your_room");
    }
}

/// A line that is reported is shown to whoever runs the server, with those before it, also after
/// it was taken away.
#[tokio::test]
async fn what_is_reported_is_read_by_whoever_runs_the_server() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    for text in ["fine", "rude"] {
        hall.guest.say_in(name, Room::Public, text).await;
    }
    noted(&hall.pair.north.report(name, Room::Public, 2).await);
    noted(&hall.pair.north.report(name, Room::Public, 2).await);
    let refused = hall.pair.north.report(name, Room::Public, 3).await;
    assert_eq!(code_of(&refused), "no_such_line");
    let refused = hall.nobody.report(name, Room::Public, 2).await;
    assert_eq!(code_of(&refused), "sign_in_needed");
    let host: Value =
        serde_json::from_slice(&std::fs::read(hall.server.data().join("host.json")).unwrap())
            .unwrap();
    let secret = host["secret"].as_str().unwrap();
    hall.server.keep_secret(secret);
    let remove = json!({ "room": "public", "line": 2 });
    let path = format!("/api/admin/matches/{name}/remove-line");
    let stranger = Request::post(&path, &remove).token(hall.guest.token());
    assert_eq!(
        hall.server.send(stranger).await.problem(),
        (403, "forbidden".to_owned())
    );
    let removed = Request::post(&path, &remove).token(secret);
    assert!(hall.server.send(removed).await.status < 300);
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!(texts(&page.lines), ["fine", "(removed)"]);
    let reports = Request::get("/api/admin/reports").token(secret);
    let reports: ReportList = hall.server.send(reports).await.json();
    let [report] = &reports.reports[..] else {
        panic!("{reports:?}")
    };
    assert_eq!(texts(&report.lines), ["fine", "rude"]);
    assert_eq!((report.line, report.r#match), (2, name));
    let clear = Request::post(format!("/api/admin/matches/{name}/clear-talk"), &json!({}));
    assert!(hall.server.send(clear.token(secret)).await.status < 300);
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!((page.last, page.lines.len()), (0, 0));
    assert_eq!(
        noted(&hall.pair.south.say_in(name, Room::Public, "anew").await),
        Some(1)
    );
}
