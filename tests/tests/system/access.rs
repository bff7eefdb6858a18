//! Who may do what: links, tokens, cookies, seats, lists.

use mancala_engine::{Action, Pit};
use mancala_play::{OfferKind, Request as Ask};
use mancala_protocol::limits::{MATCHES_A_PAGE_MAX, MATCHES_A_SOCKET_MAX};
use mancala_protocol::rest::{MatchList, MatchMade};
use mancala_protocol::{ClientMessage, MatchView, PlayerView, PublicId, Role, WireAction};
use mancala_tests::client::{code_of, open_socket};
use mancala_tests::players::Pair;
use mancala_tests::{Answer, Client, Lost, Port, Request, ServerProcess};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite;

async fn sit(server: &ServerProcess, name: PublicId, token: &str, seat: Value) -> Answer {
    let path = format!("/api/v1/matches/{name}/seats");
    server.send(Request::post(path, &seat).token(token)).await
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_seat_by_link_takes_the_secret_of_this_match() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    let wanted = json!({ "game": "urim", "access": "link", "seat": "south" });
    let made = server.make(&ann, &wanted).await;
    let other = server.make(&ann, &wanted).await;
    let name = made.view.r#match;
    let secret = made.secret.unwrap();
    let wrong = other.secret.unwrap();
    assert_ne!(secret, wrong);
    for seat in [
        json!({ "side": "north" }),
        json!({ "side": "north", "secret": wrong }),
        json!({ "side": "north", "secret": "" }),
        json!({ "side": "north", "secret": &secret[1..] }),
    ] {
        let refused = sit(&server, name, &ben, seat).await;
        assert_eq!(refused.problem(), problem(403, "bad_secret"));
    }
    // It is not listed, and whoever knows its name may watch.
    let list: MatchList = server.get("/api/v1/matches").await.json();
    assert_eq!(list.matches, []);
    let mut spectator = Client::nobody(&server).await;
    assert_eq!(spectator.join(name).await.role, Role::Spectator);

    let seat = json!({ "side": "north", "secret": secret });
    let view: MatchView = sit(&server, name, &ben, seat.clone()).await.json();
    let ben_sits = Some(PlayerView {
        name: "Ben".to_owned(),
    });
    assert_eq!(view.players.north, ben_sits);
    // Asked again, because the answer was lost, it is the same answer.
    let again: MatchView = sit(&server, name, &ben, seat.clone()).await.json();
    assert_eq!(again, view);
    let cid = server.guest("Cid").await;
    let taken = sit(&server, name, &cid, seat).await;
    assert_eq!(taken.problem(), problem(409, "seat_taken"));
}

#[tokio::test]
async fn who_made_a_match_by_link_needs_no_link() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let wanted = json!({ "game": "urim", "access": "link" });
    let made = server.make(&ann, &wanted).await;
    let seat = json!({ "side": "south" });
    let view: MatchView = sit(&server, made.view.r#match, &ann, seat).await.json();
    assert!(view.players.south.is_some());
    let both = json!({ "side": "north" });
    let refused = sit(&server, made.view.r#match, &ann, both).await;
    assert_eq!(refused.problem(), problem(409, "already_seated"));
}

async fn make_with_key(server: &ServerProcess, token: &str, key: &str, wanted: &Value) -> Answer {
    let request = Request::post("/api/v1/matches", wanted)
        .header("authorization", &format!("Bearer {token}"))
        .header("idempotency-key", key);
    server.send(request).await
}

#[tokio::test]
async fn a_creation_sent_again_has_the_same_answer_its_secret_too() {
    let mut server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let wanted = json!({ "game": "urim", "access": "link", "seat": "south" });
    let first = make_with_key(&server, &ann, "k1", &wanted).await;
    assert_eq!(first.status, 201);
    let made: MatchMade = first.json();
    server.keep_secret(made.secret.as_ref().unwrap());
    assert_eq!(
        first.header("location"),
        format!("/api/v1/matches/{}", made.view.r#match)
    );
    let again: MatchMade = make_with_key(&server, &ann, "k1", &wanted).await.json();
    assert_eq!(again, made);
    server.kill();
    server.restart(Port::New);
    let again: MatchMade = make_with_key(&server, &ann, "k1", &wanted).await.json();
    assert_eq!(again, made);
    // The scheme of the header is no part of who asks.
    let request = Request::post("/api/v1/matches", &wanted)
        .header("authorization", &format!("bearer {ann}"))
        .header("idempotency-key", "k1");
    let again: MatchMade = server.send(request).await.json();
    assert_eq!(again, made);

    // Another key, or another caller, is another match.
    let second: MatchMade = make_with_key(&server, &ann, "k2", &wanted).await.json();
    assert_ne!(second.view.r#match, made.view.r#match);
    assert_ne!(second.secret, made.secret);
    let ben = server.guest("Ben").await;
    let bens: MatchMade = make_with_key(&server, &ben, "k1", &wanted).await.json();
    assert_ne!(bens.view.r#match, made.view.r#match);
    assert_ne!(bens.secret, made.secret);
}

#[tokio::test]
async fn a_creation_with_another_content_is_refused() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let wanted = json!({ "game": "urim", "seat": "south" });
    make_with_key(&server, &ann, "k", &wanted).await;
    for other in [
        json!({ "game": "nsolo", "seat": "south" }),
        json!({ "game": "urim", "seat": "south", "format": "first_to 2" }),
        json!({ "game": "urim", "seat": "south", "access": "link" }),
        json!({ "game": "urim", "seat": "south", "preview": false }),
        json!({ "game": "urim", "seat": "north" }),
        json!({ "game": "urim" }),
    ] {
        let answer = make_with_key(&server, &ann, "k", &other).await;
        assert_eq!(answer.problem(), problem(422, "key_reused"), "{other}");
    }
    // A seat that was taken since is no part of what was asked for.
    let ben = server.guest("Ben").await;
    let free = json!({ "game": "urim" });
    let made: MatchMade = make_with_key(&server, &ben, "k", &free).await.json();
    let seat = json!({ "side": "south" });
    let seated: MatchView = sit(&server, made.view.r#match, &ben, seat).await.json();
    let again: MatchMade = make_with_key(&server, &ben, "k", &free).await.json();
    assert_eq!(again.view, seated);
    let answer = make_with_key(&server, &ben, "k", &wanted).await;
    assert_eq!(answer.problem(), problem(422, "key_reused"));
    for key in ["", "with space", &"k".repeat(37)] {
        let answer = make_with_key(&server, &ann, key, &wanted).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{key}");
    }
}

#[tokio::test]
async fn who_one_is_takes_a_token_that_is_known() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let me = |request: Request| server.send(request);
    let player: PlayerView = me(Request::get("/api/v1/me").token(&ann)).await.json();
    assert_eq!(player.name, "Ann");
    let nobody = me(Request::get("/api/v1/me")).await;
    assert_eq!(nobody.problem(), problem(401, "sign_in_needed"));
    let unknown = me(Request::get("/api/v1/me").token(&"x".repeat(43))).await;
    assert_eq!(unknown.problem(), problem(401, "bad_token"));
    let odd = me(Request::get("/api/v1/me").header("authorization", "Basic QQ==")).await;
    assert_eq!(odd.problem(), problem(401, "bad_token"));
    let made = Request::post("/api/v1/matches", &json!({ "game": "urim" }));
    let made = server.send(made).await;
    assert_eq!(made.problem(), problem(401, "sign_in_needed"));

    let mut stranger = Client::new(Some("no such token".to_owned()));
    let lost = stranger.connect(server.address()).await.unwrap_err();
    assert_eq!(lost, Lost::with("bad_token", 4003));
}

/// A browser's cookie, as the server set it.
async fn cookie(server: &ServerProcess) -> String {
    let answer = server
        .send(Request::post("/api/v1/guests", &json!({ "name": "Web" })))
        .await;
    let cookie = answer.header("set-cookie");
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let (cookie, _) = cookie.split_once(';').unwrap();
    let (_, token) = cookie.split_once('=').unwrap();
    server.keep_secret(token);
    cookie.to_owned()
}

#[tokio::test]
async fn a_cookie_counts_on_the_servers_own_pages_alone() {
    let server = ServerProcess::start();
    let cookie = cookie(&server).await;
    let own = server.origin();
    let post = |origin: Option<&str>| {
        let request = Request::post("/api/v1/matches", &json!({ "game": "urim" }));
        let request = request.header("cookie", &format!("theme=dark; {cookie}"));
        match origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        }
    };
    assert_eq!(server.send(post(Some(&own))).await.status, 201);
    let foreign = ["http://evil.example", "null", "", &format!("{own}.evil")];
    for origin in foreign.map(Some).into_iter().chain([None]) {
        let refused = server.send(post(origin)).await;
        assert_eq!(refused.problem(), problem(403, "bad_origin"), "{origin:?}");

        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(origin.map(|origin| ("origin", origin)));
        let refused = open_socket(server.address(), &headers).await.unwrap_err();
        let tungstenite::Error::Http(answer) = refused else {
            panic!("{refused}");
        };
        assert_eq!(answer.status(), 403, "{origin:?}");
    }
    // Reading changes nothing, so any page may be told who asks; browsers hide the answer.
    let me = Request::get("/api/v1/me").header("cookie", &cookie);
    assert_eq!(server.send(me).await.json::<PlayerView>().name, "Web");
}

#[tokio::test]
async fn a_cookie_is_enough_to_greet_and_a_token_beside_it_too_much() {
    use futures_util::{SinkExt as _, StreamExt as _};
    let server = ServerProcess::start();
    let cookie = cookie(&server).await;
    let own = server.origin();
    let ann = server.guest("Ann").await;
    let headers = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    let greet = async |hello: Value| {
        let mut socket = open_socket(server.address(), &headers).await.unwrap();
        let hello = tungstenite::Message::text(hello.to_string());
        socket.send(hello).await.unwrap();
        let answer = socket.next().await.unwrap().unwrap();
        serde_json::from_str::<Value>(answer.to_text().unwrap()).unwrap()
    };
    let welcome = greet(json!({ "type": "hello" })).await;
    assert_eq!(welcome["user"]["name"], "Web");
    let bye = greet(json!({ "type": "hello", "token": ann })).await;
    assert_eq!(
        (&bye["type"], &bye["code"]),
        (&json!("bye"), &json!("two_tokens"))
    );
    let both = Request::get("/api/v1/me")
        .token(&ann)
        .header("cookie", &cookie);
    assert_eq!(
        server.send(both).await.problem(),
        problem(400, "two_tokens")
    );
}

#[tokio::test]
async fn nobody_acts_without_a_token_without_a_seat_or_for_another() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let before = mover.followed[&name].view().clone();
    let sow = vec![WireAction(Action::sow(Pit(2)))];

    let mut nobody = Client::nobody(&server).await;
    nobody.join(name).await;
    assert_eq!(
        code_of(&nobody.act(name, sow.clone()).await),
        "sign_in_needed"
    );
    assert_eq!(
        code_of(&nobody.request(name, Ask::ResignMatch).await),
        "sign_in_needed"
    );
    let mut stranger = Client::guest(&server, "Cid").await;
    stranger.join(name).await;
    assert_eq!(
        code_of(&stranger.act(name, sow.clone()).await),
        "not_seated"
    );
    assert_eq!(
        code_of(&stranger.request(name, Ask::Offer(OfferKind::Draw)).await),
        "not_seated"
    );
    assert_eq!(
        code_of(&other.act(name, sow.clone()).await),
        "not_your_turn"
    );

    // One who has not joined, and a match that is not there.
    let mut away = Client::connected(&server, mover.token.clone()).await;
    let number = before.next_number;
    let act = away.act_message(name, number, sow.clone());
    assert_eq!(code_of(&away.ask(&act).await.unwrap()), "not_joined");
    let leave = ClientMessage::Leave {
        id: Some(70),
        r#match: name,
    };
    assert_eq!(code_of(&away.ask(&leave).await.unwrap()), "not_joined");
    let none = PublicId::from_number(1);
    let joined = away.join_since(none, None).await.unwrap();
    assert_eq!(code_of(&joined), "no_such_match");

    mover.join(name).await;
    assert_eq!(*mover.followed[&name].view(), before);
}

#[tokio::test]
async fn who_leaves_hears_no_more_and_may_join_again() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    let mut spectator = Client::nobody(&server).await;
    spectator.join(pair.name).await;
    let leave = ClientMessage::Leave {
        id: Some(5),
        r#match: pair.name,
    };
    spectator.ask(&leave).await.unwrap();
    pair.play(3).await;
    // All that was on its way has come before this answer.
    spectator
        .ask(&ClientMessage::Ping { id: Some(6) })
        .await
        .unwrap();
    let seq = pair.south.followed[&pair.name].view().seq;
    assert_eq!(spectator.join(pair.name).await.view().seq, seq);
}

#[tokio::test]
async fn a_socket_joins_64_matches_and_no_more() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let mut spectator = Client::nobody(&server).await;
    let mut names = Vec::new();
    for _ in 0..=MATCHES_A_SOCKET_MAX {
        let made = server.make(&ann, &json!({ "game": "urim" })).await;
        names.push(made.view.r#match);
    }
    let last = names.pop().unwrap();
    for &name in &names {
        spectator.join(name).await;
    }
    let refused = spectator.join_since(last, None).await.unwrap();
    assert_eq!(code_of(&refused), "too_many_matches");
    // Joining again one that is joined is no new one; and who leaves one has room.
    spectator.join(names[0]).await;
    let leave = ClientMessage::Leave {
        id: Some(5_000),
        r#match: names[0],
    };
    spectator.ask(&leave).await.unwrap();
    spectator.join(last).await;
}

#[tokio::test]
async fn public_matches_are_listed_page_by_page_newest_first() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(
            server
                .make(&ann, &json!({ "game": "urim" }))
                .await
                .view
                .r#match,
        );
        server
            .make(&ann, &json!({ "game": "urim", "access": "link" }))
            .await;
    }
    let mut listed = Vec::new();
    let mut path = "/api/v1/matches?limit=3".to_owned();
    let mut pages = 0;
    loop {
        let page: MatchList = server.get(&path).await.json();
        listed.extend(page.matches);
        pages += 1;
        match page.next {
            Some(next) => path = format!("/api/v1/matches?limit=3&after={next}"),
            None => break,
        }
    }
    assert_eq!(pages, 3);
    assert!(listed.is_sorted_by(|one, two| one.created_ms >= two.created_ms));
    let mut names: Vec<_> = listed.iter().map(|one| one.r#match).collect();
    names.sort();
    made.sort();
    assert_eq!(names, made);

    let most = MATCHES_A_PAGE_MAX;
    for query in [
        "limit=0",
        &format!("limit={}", most + 1),
        "limit=-1",
        "after=nonsense",
        "after=1-",
        "colour=red",
    ] {
        let answer = server.get(&format!("/api/v1/matches?{query}")).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{query}");
    }

    // One that is over is on no list.
    let mut ann = Client::connected(&server, Some(ann)).await;
    let seat = json!({ "side": "south" });
    let name = made[0];
    let seated = sit(&server, name, ann.token(), seat).await;
    assert_eq!(seated.status, 200);
    ann.join(name).await;
    ann.request(name, Ask::Abort).await;
    let list: MatchList = server.get("/api/v1/matches").await.json();
    assert_eq!(list.matches.len(), 6);
    assert!(list.matches.iter().all(|one| one.r#match != name));
}
