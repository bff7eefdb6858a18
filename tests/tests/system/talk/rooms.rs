//! The rooms of teams: who is in one, and who is not any more.

use super::{NORTH, SOUTH, hears_nothing_of, newcomer, noted, said, team_of_two, texts, told};
use mancala_engine::Side;
use mancala_play::{Request as Ask, Room};
use mancala_protocol::rest::TalkPage;
use mancala_protocol::{MatchView, Moderation, PublicId, Role, TeamAsk};
use mancala_tests::client::code_of;
use mancala_tests::{Client, Request, ServerProcess};
use serde_json::json;

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

/// A host who plays keeps order in the public room and in that of his own team.
#[tokio::test]
async fn a_host_who_plays_does_not_silence_the_other_team() {
    let server = ServerProcess::start();
    let wanted = json!({
        "game": "nsolo", "seat": "south",
        "teams": { "seats": { "south": 2, "north": 2 }, "decides": { "type": "first" } },
    });
    let mut host = Client::guest(&server, "Host").await;
    let name = server.make(host.token(), &wanted).await.view.r#match;
    host.join(name).await;
    let mut rival = newcomer(&server, name, Side::North).await;
    for side in [Side::South, Side::North] {
        newcomer(&server, name, side).await;
    }
    for what in [Moderation::Close {}, Moderation::MutePerson { person: 1 }] {
        let refused = host.moderate(name, NORTH, what).await;
        assert_eq!(code_of(&refused), "not_your_room");
    }
    // Nor does he put anybody into the other team.
    let watcher = Client::guest(&server, "Watcher").await;
    let me = Request::get("/api/v1/me").token(watcher.token());
    let me: serde_json::Value = server.send(me).await.json();
    rival.team(name, TeamAsk::Leave {}).await;
    for (side, status) in [("north", 409), ("south", 200)] {
        let seat = json!({ "side": side, "person": me["id"] });
        let put = Request::post(format!("/api/v1/matches/{name}/seats"), &seat);
        let put = server.send(put.token(host.token())).await;
        assert_eq!(put.status, status, "{}", put.text());
    }
    for room in [Room::Public, SOUTH] {
        noted(&host.moderate(name, room, Moderation::Close {}).await);
    }
}

/// Whoever leaves hears nothing more, on the socket on which he listened nor on a new one.
#[tokio::test]
async fn who_leaves_the_team_hears_nothing_more_of_it() {
    let server = ServerProcess::start();
    let (name, _host, [mut captain, _, mut member, _]) = team_of_two(&server).await;
    member.received = Some(String::new());
    member.listen(name, SOUTH, None).await;
    captain.say_in(name, SOUTH, "while he is here").await;
    member.team(name, TeamAsk::Leave {}).await;
    captain.say_in(name, SOUTH, "after he has gone").await;
    member.catch_up().await;
    let received = member.received.as_ref().unwrap();
    assert!(received.contains("while he is here"));
    assert!(!received.contains("after he has gone"));
    member.come_back(server.address()).await.unwrap();
    hears_nothing_of(&mut member, name, SOUTH).await;
}

/// A match of two teams of two; in south a third waits, and one more watches who is nobody.
struct Village {
    server: ServerProcess,
    name: PublicId,
    host: Client,
    /// Number 1 in south.
    captain: Client,
    /// Number 2.
    member: Client,
    /// Number 3.
    waits: Client,
    /// Who listens to both rooms of teams, in vain, and whose socket is searched at the end.
    rival: Client,
}

impl Village {
    async fn gather() -> Village {
        let server = ServerProcess::start();
        let (name, host, [captain, rival, member, _]) = team_of_two(&server).await;
        let waits = newcomer(&server, name, Side::South).await;
        Village {
            server,
            name,
            host,
            captain,
            member,
            waits,
            rival,
        }
    }

    /// The captain says something in the room of his team, and it has this number.
    async fn says(&mut self, n: u32, text: &str) {
        let answer = self.captain.say_in(self.name, SOUTH, text).await;
        assert_eq!(noted(&answer), Some(n));
    }

    /// The captain hears of the match until his team stands so.
    async fn until(&mut self, holds: impl Fn(&mancala_protocol::TeamView) -> bool) {
        let stands = |view: &MatchView| holds(&view.teams.as_ref().unwrap().south);
        let far = |followed: &mancala_tests::Followed| stands(followed.view());
        self.captain.hear_until(self.name, far).await;
    }

    async fn page(&self, client: &Client) -> mancala_tests::Answer {
        let path = format!("/api/v1/matches/{}/talk?room=south", self.name);
        let request = Request::get(path).token(client.token());
        self.server.send(request).await
    }
}

/// Has this socket been told a text?
async fn was_told(client: &mut Client, text: &str) -> bool {
    client.catch_up().await;
    client.received.as_ref().unwrap().contains(text)
}

/// Who stands in is a member while he does, and the holder of the seat is none: each hears the
/// room while he plays, and not a line more, on a socket that stays open.
#[tokio::test]
async fn who_plays_on_the_seat_of_another_hears_its_team_and_the_holder_does_not() {
    let mut village = Village::gather().await;
    let name = village.name;
    village.member.listen(name, SOUTH, None).await;
    village.says(1, "while all are here").await;
    assert_eq!(said(&mut village.member).await.0, 1);
    hears_nothing_of(&mut village.waits, name, SOUTH).await;
    village.member.cut();
    let is_absent = |team: &mancala_protocol::TeamView| team.members[1].person.absent;
    village.until(is_absent).await;
    village.says(2, "while one is away").await;

    let stand_in = TeamAsk::StandIn { member: 2 };
    village.captain.team(name, stand_in).await;
    let plays = |followed: &mancala_tests::Followed| followed.side() == Some(Side::South);
    village.waits.hear_until(name, plays).await;
    let (last, lines) = told(village.waits.listen(name, SOUTH, None).await);
    assert_eq!(last, 2);
    assert_eq!(texts(&lines), ["while all are here", "while one is away"]);
    // The holder comes back, and holds a seat on which another plays.
    village.member.received = Some(String::new());
    let address = village.server.address();
    village.member.come_back(address).await.unwrap();
    assert_eq!(village.member.followed[&name].role, Role::Spectator);
    hears_nothing_of(&mut village.member, name, SOUTH).await;
    let refused = village.page(&village.member).await;
    assert_eq!(refused.problem(), (403, "not_your_room".to_owned()));
    village.says(3, "while another plays").await;
    assert_eq!(said(&mut village.waits).await.0, 3);
    assert!(!was_told(&mut village.member, "while ").await);

    let hand_back = TeamAsk::HandBack { holder: 2 };
    village.captain.team(name, hand_back).await;
    village.member.hear_until(name, plays).await;
    village.waits.received = Some(String::new());
    // He is a member again, and so he may hear what was said while he was none.
    let (last, lines) = told(village.member.listen(name, SOUTH, Some(1)).await);
    assert_eq!(last, 3);
    assert_eq!(texts(&lines), ["while one is away", "while another plays"]);
    village.says(4, "while he plays again").await;
    assert_eq!(said(&mut village.member).await.0, 4);
    assert!(!was_told(&mut village.waits, "while ").await);
    assert_eq!(village.waits.followed[&name].role, Role::Spectator);
    hears_nothing_of(&mut village.waits, name, SOUTH).await;
}

/// Who is taken out of a team by its captain or the host hears nothing more of it on any of his
/// sockets, and who has his seat then hears all there is.
#[tokio::test]
async fn who_is_replaced_hears_nothing_more_on_any_socket() {
    let mut village = Village::gather().await;
    let name = village.name;
    let token = village.member.token.clone();
    let mut beside = Client::connected(&village.server, token).await;
    beside.join(name).await;
    for client in [&mut village.member, &mut beside] {
        client.listen(name, SOUTH, None).await;
        client.listen(name, Room::Public, None).await;
    }
    village.says(1, "before").await;
    for client in [&mut village.member, &mut beside] {
        assert_eq!(said(client).await.0, 1);
        client.received = Some(String::new());
    }
    let remove = TeamAsk::Remove { person: 2 };
    village.captain.team(name, remove).await;
    village.says(2, "canary").await;
    let answer = village.captain.say_in(name, Room::Public, "welcome").await;
    noted(&answer);
    for client in [&mut village.member, &mut beside] {
        // He goes on hearing what everybody may.
        assert_eq!(said(client).await.2, "welcome");
        assert!(!was_told(client, "canary").await);
        hears_nothing_of(client, name, SOUTH).await;
    }
    let refused = village.page(&village.member).await;
    assert_eq!(refused.problem(), (403, "not_your_room".to_owned()));

    let plays = |followed: &mancala_tests::Followed| followed.side() == Some(Side::South);
    village.waits.hear_until(name, plays).await;
    let (_, lines) = told(village.waits.listen(name, SOUTH, None).await);
    assert_eq!(texts(&lines), ["before", "canary"]);
    // The host takes him out in turn, and puts him there again, on a seat of his own, with a socket that
    // has listened before: he asks anew.
    village.waits.received = Some(String::new());
    let id = village.host.next_id();
    let remove = mancala_protocol::ClientMessage::Team {
        id: Some(id),
        r#match: name,
        what: TeamAsk::Remove { person: 3 },
        side: Some(mancala_protocol::rest::SideWord::South),
        key: village.host.next_key(),
    };
    let answer = village.host.ask(&remove).await.unwrap();
    assert!(matches!(
        answer,
        mancala_protocol::ServerMessage::Done { .. }
    ));
    let path = format!("/api/v1/matches/{name}/seats");
    let me = Request::get("/api/v1/me").token(village.waits.token());
    let me: serde_json::Value = village.server.send(me).await.json();
    let seat = Request::post(path, &json!({ "side": "south", "person": me["id"] }));
    let seat = seat.token(village.host.token());
    assert_eq!(village.server.send(seat).await.status, 200);
    village.says(3, "canary").await;
    assert!(!was_told(&mut village.waits, "canary").await);
    let (last, lines) = told(village.waits.listen(name, SOUTH, Some(2)).await);
    assert_eq!((last, texts(&lines)), (3, vec!["canary"]));
}

/// Who waits for a seat is no member, on his first socket as on the next; where he has the seat
/// while he is away for a moment, he hears the team as soon as he is back and asks.
#[tokio::test]
async fn who_waits_hears_the_team_once_he_has_a_seat_and_not_before() {
    let mut village = Village::gather().await;
    let name = village.name;
    let address = village.server.address();
    village.says(1, "canary").await;
    village.waits.received = Some(String::new());
    for _ in 0..2 {
        hears_nothing_of(&mut village.waits, name, SOUTH).await;
        village.waits.listen(name, Room::Public, None).await;
        let refused = village.page(&village.waits).await;
        assert_eq!(refused.problem(), (403, "not_your_room".to_owned()));
        village.waits.come_back(address).await.unwrap();
    }
    village.says(2, "canary").await;
    assert!(!was_told(&mut village.waits, "canary").await);
    // He listens on this socket alone, and so not to the public room any more.
    let public = village.captain.say_in(name, Room::Public, "hello").await;
    noted(&public);
    assert!(!was_told(&mut village.waits, "hello").await);

    village.waits.cut();
    village.member.team(name, TeamAsk::Leave {}).await;
    village
        .until(|team| team.members.iter().any(|one| one.person.number == 3))
        .await;
    village.says(3, "well met").await;
    village.waits.come_back(address).await.unwrap();
    assert_eq!(village.waits.followed[&name].role, Role::South);
    assert!(
        !was_told(&mut village.waits, "well met").await,
        "he has not asked"
    );
    let (last, lines) = told(village.waits.listen(name, SOUTH, None).await);
    assert_eq!(
        (last, texts(&lines)),
        (3, vec!["canary", "canary", "well met"])
    );
    let answer = village.waits.say_in(name, SOUTH, "here I am").await;
    assert_eq!(noted(&answer), Some(4));
    assert!(was_told(&mut village.waits, "here I am").await);
    hears_nothing_of(&mut village.member, name, SOUTH).await;
    hears_nothing_of(&mut village.rival, name, SOUTH).await;
}
