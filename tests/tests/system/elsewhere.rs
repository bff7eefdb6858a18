//! What went wrong on other servers of turn-based games does not go wrong here. Each test has
//! the name of the report that tells of it.

use super::hostile::{MUCH, deaf, end_of, hear_view, serves};
use futures_util::SinkExt as _;
use mancala_engine::Side;
use mancala_play::{OfferKind, Request as Ask};
use mancala_protocol::{
    ClientMessage, EventBody, MatchView, PublicId, Role, ServerMessage, StageView, WireAction,
};
use mancala_tests::client::{code_of, open_socket};
use mancala_tests::players::{Pair, choose, play_up_to};
use mancala_tests::server::until;
use mancala_tests::{Answer, Client, Lost, Port, Random, Request, ServerProcess};
use serde_json::json;
use std::collections::BTreeMap;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

/// The log of a match, one event a line.
async fn log(server: &ServerProcess, name: PublicId) -> Vec<ServerMessage> {
    let answer = server.get(&format!("/api/v1/matches/{name}/log")).await;
    let lines = answer.text().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What was played in a match, by number. No number stands there twice.
async fn played(server: &ServerProcess, name: PublicId) -> BTreeMap<u32, WireAction> {
    let mut played = BTreeMap::new();
    for event in log(server, name).await {
        if let ServerMessage::Event {
            body: EventBody::Acted { number, acted, .. },
            ..
        } = event
        {
            assert_eq!(played.insert(number, acted.action), None, "number {number}");
        }
    }
    played
}

async fn take_seat(server: &ServerProcess, name: PublicId, token: &str) -> Answer {
    let path = format!("/api/v1/matches/{name}/seats");
    let request = Request::post(path, &json!({ "side": "north" })).token(token);
    server.send(request).await
}

/// lichess-org/lila#5681: a move sent around a cut link was played, and the one sent after it
/// as well, as the answer to a position that its player had not seen.
///
/// Two commands for one number, sent before and after a cut, in any order and more than once:
/// one of them is played, and each has one answer, however often it is sent.
#[tokio::test]
async fn lila_5681_of_two_moves_around_a_cut_link_one_is_played() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    let name = pair.name;
    for round in 0..12 {
        let mut random = Random::from_seed(round);
        let (mover, _) = pair.mover().await;
        let number = mover.followed[&name].view().next_number;
        let mut acts = Vec::new();
        for _ in 0..2 {
            let action = choose(&mover.followed[&name], &mut random);
            acts.push(mover.act_message(name, number, vec![action]));
        }
        let early = random.any(&acts).clone();
        mover.say(&early).await.unwrap();
        mover.come_back(server.address()).await.unwrap();
        let mut answers: [Option<ServerMessage>; 2] = [None, None];
        let mut order = [0, 1, 0, 1, 0, 1];
        for place in (1..order.len()).rev() {
            order.swap(place, random.below(place + 1));
        }
        for which in order {
            let answer = mover.ask(&acts[which]).await.unwrap();
            let first = answers[which].get_or_insert(answer.clone());
            assert_eq!(answer, *first, "another answer to the same");
        }
        let (done, refused): (Vec<_>, Vec<_>) = answers
            .iter()
            .flatten()
            .partition(|answer| matches!(answer, ServerMessage::Done { .. }));
        assert_eq!(done.len(), 1, "{answers:?}");
        assert_eq!(code_of(refused[0]), "already_played");
        let (ServerMessage::Done { id, .. }, played) = (done[0], played(&server, name).await)
        else {
            unreachable!()
        };
        let ClientMessage::Act { actions, .. } = acts.iter().find(|act| act.id() == *id).unwrap()
        else {
            unreachable!()
        };
        assert_eq!(played[&number], actions[0]);
    }
}

/// lichess-org/mobile#2525 and lichess-org/lila#18351: who moved and lost the line before the
/// answer was shown an old position when it came back, and asked to move again.
///
/// Who resumes hears first what it missed: its own move, the answer to it, and only then
/// whose turn it is; also over a restart.
#[tokio::test]
async fn mobile_2525_lila_18351_who_resumes_hears_the_truth_first() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    let name = pair.name;
    for round in 0..6 {
        let (mover, other) = pair.mover().await;
        let since = mover.followed[&name].view().seq;
        let number = mover.followed[&name].view().next_number;
        let action = choose(&mover.followed[&name], &mut Random::from_seed(round));
        let act = mover.act_message(name, number, vec![action]);
        mover.say(&act).await.unwrap();
        other
            .hear_until(name, |followed| followed.view().next_number > number)
            .await;
        mover.cut();
        // Meanwhile the other moves as well.
        while other.followed[&name].turn().is_none() {
            other.hear().await.unwrap();
        }
        let action = choose(&other.followed[&name], &mut Random::from_seed(round));
        let answer = other.act(name, vec![action]).await;
        assert!(matches!(answer, ServerMessage::Done { .. }), "{answer:?}");
        let last = other.followed[&name].view().seq;
        if round % 2 == 1 {
            server.kill();
            server.restart(Port::New);
            other.come_back(server.address()).await.unwrap();
        }

        mover.connect(server.address()).await.unwrap();
        let joined = mover.join_since(name, Some(since)).await.unwrap();
        let ServerMessage::Joined { seq, view, .. } = joined else {
            panic!("{joined:?}");
        };
        assert_eq!((seq, view), (since, None));
        for missed in since + 1..=last {
            let told = mover.hear().await.unwrap();
            let ServerMessage::Event { seq, .. } = told else {
                panic!("{told:?} before event {missed}");
            };
            assert_eq!(seq, missed);
        }
        let told = mover.hear().await.unwrap();
        assert!(matches!(told, ServerMessage::Presence { .. }), "{told:?}");
        // The answer it missed is still the answer, and nothing more is played for it.
        let done = mover.ask(&act).await.unwrap();
        assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
        assert_eq!(mover.followed[&name].view(), other.followed[&name].view());
    }
}

/// colyseus/colyseus#917 and #935: what changed while nobody was connected, or on the way out
/// of the last one, was not in the state that the next one got.
#[tokio::test]
async fn colyseus_917_935_the_next_to_come_sees_what_happened_while_nobody_was_there() {
    let mut server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    let wanted = json!({ "game": "urim", "seat": "south", "format": "first_to 3" });
    let name = server.make(&ann, &wanted).await.view.r#match;
    // A first visit, so that there is a state that nobody is told of any more.
    let mut visitor = Client::nobody(&server).await;
    assert_eq!(visitor.join(name).await.view().stage, StageView::Gathering);
    visitor.cut();
    assert_eq!(take_seat(&server, name, &ben).await.status, 200);
    let mut late = Client::nobody(&server).await;
    let view = &late.join(name).await.view();
    assert_eq!((view.stage, view.seq), (StageView::Playing, 4));
    assert_eq!(view.players[Side::North].as_ref().unwrap().name, "Ben");
    late.cut();

    // Both say something and are gone before they hear of it.
    let mut south = Client::connected(&server, Some(ann)).await;
    let mut north = Client::connected(&server, Some(ben)).await;
    for client in [&mut south, &mut north] {
        client.join(name).await;
    }
    let offer = ClientMessage::Ask {
        id: Some(900),
        r#match: name,
        number: None,
        what: Ask::Offer(OfferKind::Draw),
        key: south.next_key(),
    };
    south.say(&offer).await.unwrap();
    let ServerMessage::Done { seq, .. } = south.answer(900).await.unwrap() else {
        panic!("no offer");
    };
    let resign = ClientMessage::Ask {
        id: Some(901),
        r#match: name,
        number: None,
        what: Ask::ResignMatch,
        key: north.next_key(),
    };
    north.say(&resign).await.unwrap();
    south.cut();
    // A closed socket ends after what was said on it, unlike a cut one.
    north.socket().close(None).await.unwrap();
    until("the last word has been heard", async || {
        let view = server.get(&format!("/api/v1/matches/{name}")).await;
        view.json::<MatchView>().stage == StageView::Over
    })
    .await;
    for restarted in [false, true] {
        if restarted {
            server.kill();
            server.restart(Port::New);
        }
        let mut late = Client::nobody(&server).await;
        let view = late.join(name).await.view().clone();
        assert_eq!(view.ended.as_ref().unwrap().winner, Some(Side::South));
        assert!(view.seq > seq);
        // And who was here before gets the same, as events.
        visitor.come_back(server.address()).await.unwrap();
        visitor
            .hear_until(name, |followed| followed.view().seq == view.seq)
            .await;
        assert_eq!(*visitor.followed[&name].view(), view);
        visitor.cut();
    }
}

/// boardgameio/boardgame.io#1100 and colyseus/colyseus#678: of several who came for the last
/// seat at once, more than one got it, or those who did not got an error of the server.
#[tokio::test]
async fn boardgame_io_1100_colyseus_678_of_many_who_want_the_last_seat_one_gets_it() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let made = server
        .make(&ann, &json!({ "game": "urim", "seat": "south" }))
        .await;
    let name = made.view.r#match;
    let mut tokens = Vec::new();
    for number in 0..30 {
        tokens.push(server.guest(&format!("Guest {number}")).await);
    }
    let mut asked = JoinSet::new();
    // Each asks twice, as an impatient client does.
    for token in tokens.iter().chain(&tokens) {
        let path = format!("/api/v1/matches/{name}/seats");
        let request = Request::post(path, &json!({ "side": "north" })).token(token);
        let (token, address) = (token.clone(), server.address());
        asked.spawn(async move { (token, request.send(address).await.unwrap()) });
    }
    let mut got = Vec::new();
    for (token, answer) in asked.join_all().await {
        if answer.status == 200 {
            got.push(token);
        } else {
            assert_eq!(answer.problem(), (409, "seat_taken".to_owned()));
        }
    }
    assert!(got.len() == 2 && got[0] == got[1], "{} got it", got.len());
    let mut spectator = Client::nobody(&server).await;
    let followed = spectator.join(name).await;
    assert_eq!(followed.role, Role::Spectator);
    assert_eq!(followed.view().seq, 4, "made, two seated, begun");
    let mut winner = Client::connected(&server, Some(got.remove(0))).await;
    assert_eq!(winner.join(name).await.role, Role::North);
}

/// 200 sockets that never read, during a match of a thousand moves: the memory for them stays
/// bounded, and every other reader gets everything, in order.
#[tokio::test]
async fn two_hundred_who_never_read_hold_nobody_up() {
    let server = ServerProcess::start();
    // How long a match is lies with the lot: this one does not end before there was enough.
    let wanted = json!({ "game": "omweso", "format": "first_to 255" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let mut crowd = Vec::new();
    for _ in 0..200 {
        crowd.push(deaf(&server, &name.to_string()).await);
    }
    let before = server.resident_bytes();
    let mut spectator = Client::nobody(&server).await;
    spectator.join(name).await;
    tokio::join!(
        play_up_to(&mut pair.south, name, MUCH, Random::from_seed(11)),
        play_up_to(&mut pair.north, name, MUCH, Random::from_seed(12)),
        spectator.hear_until(name, |followed| followed.view().seq >= MUCH),
    );
    let seen = &spectator.followed[&name];
    assert_eq!(seen.skips, 0, "who reads skips nothing");
    assert!(played(&server, name).await.len() > 1_000);
    // The deaf share the frames: a copy of a full queue for each would be 60 MB.
    let grown = server.resident_bytes().saturating_sub(before);
    assert!(grown < 30 << 20, "{grown} bytes more");
    let log = log(&server, name).await;
    let heard: Vec<_> = seen.events.values().collect();
    let from = usize::try_from(*seen.events.keys().next().unwrap()).unwrap() - 2;
    assert!(
        log[from..]
            .iter()
            .zip(&heard)
            .all(|(told, heard)| told == *heard)
    );
    assert!(heard.len() > 1_000);
    // They were full indeed, and each of them finds its way back by itself.
    let mut views = JoinSet::new();
    for mut stream in crowd {
        views.spawn(async move { hear_view(&mut stream).await });
    }
    views.join_all().await;
    serves(&server).await;
}

/// boardgameio/boardgame.io#218: a client that had moved while the server was away sent its
/// move when it was back, and again; it was played twice.
#[tokio::test]
async fn boardgame_io_218_a_move_made_while_the_server_was_down_is_one_move() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    let name = pair.name;
    for round in 0..4 {
        let (mover, other) = pair.mover().await;
        let number = mover.followed[&name].view().next_number;
        let action = choose(&mover.followed[&name], &mut Random::from_seed(round));
        let act = mover.act_message(name, number, vec![action.clone()]);
        // Just before it goes, or when it is gone; into a socket that nobody reads.
        let said_before = round % 2 == 0;
        if said_before {
            mover.say(&act).await.unwrap();
        }
        server.kill();
        if !said_before {
            _ = mover.say(&act).await;
        }
        mover.end().await;
        server.restart(Port::Same);
        mover.come_back(server.address()).await.unwrap();
        for _ in 0..3 {
            mover.say(&act).await.unwrap();
        }
        let done = mover.ask(&act).await.unwrap();
        assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
        other.end().await;
        other.come_back(server.address()).await.unwrap();
        pair.mover().await;
        assert_eq!(played(&server, name).await[&number], action);
        assert_eq!(
            pair.south.followed[&name].view(),
            pair.north.followed[&name].view()
        );
    }
}

/// colyseus/colyseus#962: one who came back with a wrong token took the place away from the
/// rightful one.
#[tokio::test]
async fn colyseus_962_a_wrong_token_locks_nobody_out_and_frees_no_seat() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let wrong = pair.north.token().chars().rev().collect::<String>();
    let cleo = server.guest("Cleo").await;
    let break_in = async || {
        for token in [wrong.as_str(), "", "x"] {
            let mut socket = open_socket(server.address(), &[]).await.unwrap();
            let hello = json!({ "type": "hello", "token": token }).to_string();
            socket.send(Message::text(hello)).await.unwrap();
            let refused = Lost::with("bad_token", 4003);
            assert_eq!(end_of(socket).await, refused, "{token}");
            let refused = take_seat(&server, name, token).await;
            assert_eq!(refused.problem(), (401, "bad_token".to_owned()));
        }
        let refused = take_seat(&server, name, &cleo).await;
        assert_eq!(refused.problem(), (409, "seat_taken".to_owned()));
    };
    // While the rightful one is there, and notices nothing; and while it is away.
    for _ in 0..10 {
        break_in().await;
    }
    pair.play(2).await;
    pair.north.cut();
    for _ in 0..10 {
        break_in().await;
    }
    pair.north.come_back(server.address()).await.unwrap();
    assert_eq!(pair.north.followed[&name].role, Role::North);
    pair.play(2).await;

    // Nor does a wrong secret use up the link of a seat.
    let wanted = json!({ "game": "urim", "access": "link", "seat": "south" });
    let made = server.make(pair.south.token(), &wanted).await;
    let path = format!("/api/v1/matches/{}/seats", made.view.r#match);
    let sit = async |secret: &str| {
        let seat = json!({ "side": "north", "secret": secret });
        server.send(Request::post(&path, &seat).token(&cleo)).await
    };
    for _ in 0..20 {
        assert_eq!(sit("wrong").await.problem(), (403, "bad_secret".to_owned()));
    }
    assert_eq!(sit(&made.secret.unwrap()).await.status, 200);
}
