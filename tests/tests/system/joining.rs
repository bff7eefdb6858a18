//! How people come to a match: by links to a side, invited, or put there.

use mancala_engine::Side;
use mancala_protocol::invite::{Invitation, InvitationList, Link, Me};
use mancala_protocol::{ClientMessage, MatchView, PublicId, ServerMessage, TeamAsk};
use mancala_server::limits::INVITATIONS_BURST;
use mancala_tests::client::code_of;
use mancala_tests::{Answer, Client, Port, Request, ServerProcess};
use serde_json::{Value, json};

/// Somebody who asks over REST.
struct Person {
    token: String,
    id: Value,
}

async fn person(server: &ServerProcess, name: &str) -> Person {
    let token = server.guest(name).await;
    let me: Me = get(server, &token, "/api/v1/me").await.json();
    assert_eq!(me.name, name);
    Person {
        token,
        id: json!(me.id),
    }
}

async fn get(server: &ServerProcess, token: &str, path: &str) -> Answer {
    server.send(Request::get(path).token(token)).await
}

async fn post(server: &ServerProcess, who: &Person, path: &str, body: Value) -> Answer {
    server
        .send(Request::post(path, &body).token(&who.token))
        .await
}

async fn delete(server: &ServerProcess, who: &Person, path: &str) -> Answer {
    server
        .send(Request::new("DELETE", path).token(&who.token))
        .await
}

async fn invitations(server: &ServerProcess, who: &Person) -> Vec<Invitation> {
    let list = get(server, &who.token, "/api/v1/me/invitations").await;
    list.json::<InvitationList>().invitations
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// A match by link between teams of two seats, in which nobody is yet, and its path.
async fn of_teams(server: &ServerProcess, host: &Person) -> (PublicId, String) {
    let wanted = json!({
        "game": "nsolo", "access": "link",
        "teams": { "seats": { "south": 2, "north": 2 }, "decides": { "type": "captain" } },
    });
    let made = server.make(&host.token, &wanted).await;
    server.keep_secret(made.secret.as_deref().unwrap());
    let name = made.view.r#match;
    (name, format!("/api/v1/matches/{name}"))
}

fn members(view: &MatchView, side: &str) -> Vec<String> {
    let teams = view.teams.as_ref().unwrap();
    let team = if side == "south" {
        &teams.south
    } else {
        &teams.north
    };
    let names = team.members.iter().map(|member| &member.person.name);
    names.cloned().collect()
}

#[tokio::test]
async fn a_link_to_a_side_admits_to_that_side_alone() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (_, path) = of_teams(&server, &host).await;
    let (seats, links) = (format!("{path}/seats"), format!("{path}/links"));
    let made = post(&server, &host, &links, json!({ "side": "south" })).await;
    assert_eq!(made.status, 201);
    assert_eq!(made.header("cache-control"), "no-store");
    let link: Link = made.json();
    server.keep_secret(&link.secret);

    let ann = person(&server, "Ann").await;
    for seat in [
        json!({ "side": "north", "secret": link.secret }),
        json!({ "side": "south", "secret": &link.secret[1..] }),
        json!({ "side": "south" }),
    ] {
        let refused = post(&server, &ann, &seats, seat).await;
        assert_eq!(refused.problem(), problem(403, "bad_secret"));
    }
    let seat = json!({ "side": "south", "secret": link.secret });
    let view: MatchView = post(&server, &ann, &seats, seat.clone()).await.json();
    assert_eq!(members(&view, "south"), ["Ann"]);
    // It is a link to this match alone.
    let (_, other) = of_teams(&server, &host).await;
    let refused = post(&server, &ann, &format!("{other}/seats"), seat).await;
    assert_eq!(refused.problem(), problem(403, "bad_secret"));

    // A captain makes links to his own team, others to none.
    let by_captain = post(&server, &ann, &links, json!({ "side": "south" })).await;
    let by_captain: Link = by_captain.json();
    server.keep_secret(&by_captain.secret);
    let ben = person(&server, "Ben").await;
    let north = json!({ "side": "north" });
    for who in [&ann, &ben] {
        let refused = post(&server, who, &links, north.clone()).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
        let refused = delete(&server, who, &format!("{links}/north")).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
    }
    // All of a side are taken back together, and those to the other stay.
    let to_north: Link = post(&server, &host, &links, north).await.json();
    server.keep_secret(&to_north.secret);
    let removed = delete(&server, &ann, &format!("{links}/south")).await;
    assert_eq!(removed.status, 204);
    for secret in [&link.secret, &by_captain.secret] {
        let seat = json!({ "side": "south", "secret": secret });
        let refused = post(&server, &ben, &seats, seat).await;
        assert_eq!(refused.problem(), problem(403, "bad_secret"));
    }
    let seat = json!({ "side": "north", "secret": to_north.secret });
    let view: MatchView = post(&server, &ben, &seats, seat).await.json();
    assert_eq!(members(&view, "north"), ["Ben"]);
    let nowhere = delete(&server, &host, &format!("{links}/east")).await;
    assert_eq!(nowhere.problem(), problem(404, "not_found"));
}

#[tokio::test]
async fn a_match_has_so_many_links_and_no_more() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (_, path) = of_teams(&server, &host).await;
    let links = format!("{path}/links");
    let north = json!({ "side": "north" });
    for _ in 0..20 {
        let made = post(&server, &host, &links, north.clone()).await;
        assert_eq!(made.status, 201);
    }
    let refused = post(&server, &host, &links, north.clone()).await;
    assert_eq!(refused.problem(), problem(409, "full"));
    delete(&server, &host, &format!("{links}/north")).await;
    let made = post(&server, &host, &links, north).await;
    assert_eq!(made.status, 201);
}

#[tokio::test]
async fn who_is_invited_hears_of_it_and_needs_no_link() {
    let mut server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (name, path) = of_teams(&server, &host).await;
    let ann = person(&server, "Ann").await;
    let ben = person(&server, "Ben").await;
    let mut screens = [
        Client::connected(&server, Some(ann.token.clone())).await,
        Client::connected(&server, Some(ann.token.clone())).await,
        Client::connected(&server, Some(ben.token.clone())).await,
    ];
    let invite = format!("{path}/invitations");
    let wanted = json!({ "person": ann.id, "side": "north" });
    let answer = post(&server, &host, &invite, wanted).await;
    assert_eq!(answer.status, 201);
    let invitation: Invitation = answer.json();
    assert_eq!(invitation.r#match, name);
    assert_eq!(invitation.by.name, "Host");
    for screen in &mut screens[..2] {
        let expected = ServerMessage::Invited {
            invitation: invitation.clone(),
        };
        assert_eq!(screen.hear().await.unwrap(), expected);
    }
    let mine = invitations(&server, &ann).await;
    assert_eq!(mine, std::slice::from_ref(&invitation));
    // Asked once more, it is the same, and nobody is told again.
    let wanted = json!({ "person": ann.id, "side": "north" });
    let again = post(&server, &host, &invite, wanted).await;
    assert_eq!(again.json::<Invitation>(), invitation);
    for screen in &mut screens[..2] {
        screen
            .say(&ClientMessage::Ping { id: Some(7) })
            .await
            .unwrap();
        let heard = screen.hear().await.unwrap();
        assert_eq!(heard, ServerMessage::Pong { id: Some(7) });
    }
    // It is found again by another process, and admits to its side alone.
    server.kill();
    server.restart(Port::New);
    let seats = format!("{path}/seats");
    let wrong = post(&server, &ann, &seats, json!({ "side": "south" })).await;
    assert_eq!(wrong.problem(), problem(403, "bad_secret"));
    let view: MatchView = post(&server, &ann, &seats, json!({ "side": "north" }))
        .await
        .json();
    assert_eq!(members(&view, "north"), ["Ann"]);
    assert_eq!(invitations(&server, &ann).await, [], "it has led to a seat");

    // A captain invites to his own side; he, and who is invited, take it back; nobody else.
    let refused = post(
        &server,
        &ann,
        &invite,
        json!({ "person": ben.id, "side": "south" }),
    )
    .await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let wanted = json!({ "person": ben.id, "side": "north" });
    let of_ben = format!("{invite}/{}", ben.id.as_str().unwrap());
    for who in [&ann, &ben] {
        assert_eq!(
            post(&server, &ann, &invite, wanted.clone()).await.status,
            201
        );
        let stranger = person(&server, "Eve").await;
        let refused = delete(&server, &stranger, &of_ben).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
        assert_eq!(invitations(&server, &ben).await.len(), 1);
        assert_eq!(delete(&server, who, &of_ben).await.status, 204);
        // That there is none any more is told to nobody else.
        let refused = delete(&server, &stranger, &of_ben).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
        assert_eq!(delete(&server, &ann, &of_ben).await.status, 204);
        assert_eq!(invitations(&server, &ben).await, []);
        let refused = post(&server, &ben, &seats, json!({ "side": "north" })).await;
        assert_eq!(refused.problem(), problem(403, "bad_secret"));
    }
    // Of the socket of somebody else nothing was said on it.
    screens[2].come_back(server.address()).await.unwrap();
    for person in ["0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e", "Ann", ""] {
        let wanted = json!({ "person": person, "side": "north" });
        let refused = post(&server, &host, &invite, wanted).await;
        let expected = match person.len() {
            36 => problem(404, "no_such_person"),
            _ => problem(400, "bad_message"),
        };
        assert_eq!(refused.problem(), expected);
    }
}

#[tokio::test]
async fn the_creator_of_a_match_of_two_invites_a_friend() {
    let server = ServerProcess::start();
    let ann = person(&server, "Ann").await;
    let ben = person(&server, "Ben").await;
    let wanted = json!({ "game": "urim", "access": "link", "seat": "south" });
    let name = server.make(&ann.token, &wanted).await.view.r#match;
    let path = format!("/api/v1/matches/{name}");
    let wanted = json!({ "person": ben.id, "side": "north" });
    let invited = post(&server, &ann, &format!("{path}/invitations"), wanted).await;
    assert_eq!(invited.status, 201);
    let seat = json!({ "side": "north" });
    let view: MatchView = post(&server, &ben, &format!("{path}/seats"), seat)
        .await
        .json();
    assert_eq!(view.players.north.unwrap().name, "Ben");
    // Nobody is put on the seat of a player, nor brought to a match that is over.
    let cid = person(&server, "Cid").await;
    let put = json!({ "side": "south", "person": cid.id });
    let refused = post(&server, &ann, &format!("{path}/seats"), put).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let mut client = Client::connected(&server, Some(ben.token.clone())).await;
    client.join(name).await;
    client.request(name, mancala_play::Request::Abort).await;
    for (what, body) in [
        ("links", json!({ "side": "north" })),
        ("invitations", json!({ "person": cid.id, "side": "north" })),
    ] {
        let refused = post(&server, &ann, &format!("{path}/{what}"), body).await;
        assert_eq!(refused.problem(), problem(409, "match_over"));
    }
}

/// Neither the link nor an invitation from before brings back whom the captain took out; one from
/// after does, and so does the host.
#[tokio::test]
async fn who_was_taken_out_comes_back_when_he_is_asked_for() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (name, path) = of_teams(&server, &host).await;
    let (seats, invite) = (format!("{path}/seats"), format!("{path}/invitations"));
    let link = post(
        &server,
        &host,
        &format!("{path}/links"),
        json!({ "side": "south" }),
    )
    .await;
    let link: Link = link.json();
    server.keep_secret(&link.secret);
    let ann = person(&server, "Ann").await;
    let ben = person(&server, "Ben").await;
    let seat = json!({ "side": "south", "secret": link.secret });
    let mut captain = Client::connected(&server, Some(ann.token.clone())).await;
    assert_eq!(post(&server, &ann, &seats, seat.clone()).await.status, 200);
    captain.join(name).await;
    assert_eq!(post(&server, &ben, &seats, seat.clone()).await.status, 200);
    let wanted = json!({ "person": ben.id, "side": "south" });
    assert_eq!(
        post(&server, &ann, &invite, wanted.clone()).await.status,
        201
    );
    for person in [2, 3] {
        let out = captain.team(name, TeamAsk::Remove { person }).await;
        assert!(matches!(out, ServerMessage::Done { .. }), "{out:?}");
        assert_eq!(invitations(&server, &ben).await, []);
        let refused = post(&server, &ben, &seats, seat.clone()).await;
        assert_eq!(refused.problem(), problem(409, "taken_out"));
        if person == 2 {
            assert_eq!(
                post(&server, &ann, &invite, wanted.clone()).await.status,
                201
            );
            assert_eq!(post(&server, &ben, &seats, seat.clone()).await.status, 200);
        } else {
            assert_eq!(
                post(&server, &host, &seats, wanted.clone()).await.status,
                200
            );
        }
    }
}

#[tokio::test]
async fn the_host_puts_people_on_their_seats_and_nobody_else_does() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (name, path) = of_teams(&server, &host).await;
    let seats = format!("{path}/seats");
    let ann = person(&server, "Ann").await;
    let ben = person(&server, "Ben").await;
    let mut screen = Client::connected(&server, Some(ann.token.clone())).await;
    screen.join(name).await;
    let put = |person: &Person, side: &str| json!({ "side": side, "person": person.id });
    let view: MatchView = post(&server, &host, &seats, put(&ann, "south"))
        .await
        .json();
    assert_eq!(members(&view, "south"), ["Ann"]);
    // Sent again because the answer was lost, it is the same answer.
    let again: MatchView = post(&server, &host, &seats, put(&ann, "south"))
        .await
        .json();
    assert_eq!(again, view);
    let refused = post(&server, &host, &seats, put(&ann, "north")).await;
    assert_eq!(refused.problem(), problem(409, "already_in_team"));
    // Who watched is told his place.
    loop {
        if let ServerMessage::Joined { team, .. } = screen.hear().await.unwrap() {
            assert_eq!(team.unwrap().number, 1);
            break;
        }
    }
    let refused = post(&server, &ann, &seats, put(&ben, "south")).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let refused = screen
        .request(name, mancala_play::Request::ResignMatch)
        .await;
    assert_eq!(code_of(&refused), "not_begun");
    let nobody = json!({ "side": "south", "person": "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e" });
    let refused = post(&server, &host, &seats, nobody).await;
    assert_eq!(refused.problem(), problem(404, "no_such_person"));
}

#[tokio::test]
async fn who_is_put_into_a_seat_hears_of_it() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (name, path) = of_teams(&server, &host).await;
    let ann = person(&server, "Ann").await;
    let mut screen = Client::connected(&server, Some(ann.token.clone())).await;
    let seat = json!({ "side": "north", "person": ann.id });
    let put = post(&server, &host, &format!("{path}/seats"), seat).await;
    assert_eq!(put.status, 200);
    match screen.hear().await.unwrap() {
        ServerMessage::Invited { invitation } => {
            assert_eq!((invitation.r#match, invitation.seated), (name, true));
            assert_eq!(
                (invitation.side, &*invitation.by.name),
                (Side::North, "Host")
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        invitations(&server, &ann).await,
        [],
        "there is nothing to accept"
    );
}

/// He is told each time: so nobody asks him, or puts him there, on and on.
#[tokio::test]
async fn the_same_person_is_not_asked_on_and_on() {
    let server = ServerProcess::start();
    let host = person(&server, "Host").await;
    let (_, path) = of_teams(&server, &host).await;
    let (ann, ben) = (person(&server, "Ann").await, person(&server, "Ben").await);
    let invite = format!("{path}/invitations");
    let mut sides = ["south", "north"].into_iter().cycle();
    let mut asked = 0;
    let refused = loop {
        assert!(asked < 500, "nothing stops him");
        let wanted = json!({ "person": ann.id, "side": sides.next().unwrap() });
        let answer = post(&server, &host, &invite, wanted).await;
        if answer.status != 201 {
            break answer;
        }
        asked += 1;
    };
    assert_eq!(refused.problem(), problem(429, "slow_down"));
    assert!(asked >= INVITATIONS_BURST);
    let seat = json!({ "person": ann.id, "side": "south" });
    let put = post(&server, &host, &format!("{path}/seats"), seat).await;
    assert_eq!(put.problem(), problem(429, "slow_down"));
    // Another person is asked as before.
    let wanted = json!({ "person": ben.id, "side": "south" });
    assert_eq!(post(&server, &host, &invite, wanted).await.status, 201);
}
