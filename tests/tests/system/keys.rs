//! Keys, numbers, lists, previews and ways out, as the protocol's page tells them.

use mancala_engine::{Action, Pit, Side};
use mancala_play::{KEYS_KEPT, OfferKind, Request};
use mancala_protocol::{
    ClientMessage, EndReason, EventBody, OutcomeWord, Role, ServerMessage, StageView, WireAction,
};
use mancala_tests::client::{code_of, id_of};
use mancala_tests::players::{Pair, choose};
use mancala_tests::{Client, Port, Random, ServerProcess};
use serde_json::json;

fn done(message: &ServerMessage) -> (u32, u32, u64) {
    match message {
        ServerMessage::Done {
            number,
            actions,
            seq,
            ..
        } => (*number, *actions, *seq),
        other => panic!("not done: {other:?}"),
    }
}

/// Someone's action that is legal now, with its number.
fn next(client: &Client, pair: mancala_protocol::PublicId) -> (u32, WireAction) {
    let followed = &client.followed[&pair];
    let action = choose(followed, &mut Random::from_seed(3));
    (followed.view().next_number, action)
}

#[tokio::test]
async fn a_command_sent_again_is_done_once_over_a_cut_and_over_a_restart() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    let (number, action) = next(mover, name);
    let act = mover.act_message(name, number, vec![action]);
    let first = mover.ask(&act).await.unwrap();
    let after = mover.followed[&name].view().clone();

    assert_eq!(
        mover.ask(&act).await.unwrap(),
        first,
        "again on the same socket"
    );
    mover.come_back(server.address()).await.unwrap();
    assert_eq!(mover.ask(&act).await.unwrap(), first, "again after a cut");
    // The answer may be lost where the command was not: it was sent, and then came the cut.
    mover.say(&act).await.unwrap();
    mover.come_back(server.address()).await.unwrap();
    for port in [Port::Same, Port::New] {
        server.kill();
        server.restart(port);
        mover.come_back(server.address()).await.unwrap();
        assert_eq!(
            mover.ask(&act).await.unwrap(),
            first,
            "again after a restart"
        );
    }
    assert_eq!(*mover.followed[&name].view(), after, "it was done once");
}

/// A command to act is known again however long ago it was, also over a restart and when the
/// match is over; another one of its number is refused as ever.
#[tokio::test]
async fn a_command_of_long_ago_is_known_again() {
    let mut server = ServerProcess::start();
    let wanted = json!({ "game": "omweso", "format": "first_to 30" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    let (number, action) = next(mover, name);
    let act = mover.act_message(name, number, vec![action.clone()]);
    let first = mover.ask(&act).await.unwrap();
    let south_was_first = first == pair.south.ask(&act).await.unwrap();
    // Neither seat remembers it after so many of its own.
    pair.play(4 * KEYS_KEPT).await;
    let (mover, other) = match south_was_first {
        true => (&mut pair.south, &mut pair.north),
        false => (&mut pair.north, &mut pair.south),
    };
    let other_key = mover.act_message(name, number, vec![action.clone()]);
    let ClientMessage::Act { id, key, .. } = act.clone() else {
        unreachable!("it is one to act")
    };
    let other_content = ClientMessage::Act {
        id,
        r#match: name,
        number,
        actions: vec![action.clone(), action],
        key,
    };
    let check = async |mover: &mut Client, refused: &str| {
        assert_eq!(mover.ask(&act).await.unwrap(), first);
        for message in [&other_key, &other_content] {
            let answer = mover.ask(message).await.unwrap();
            assert_eq!(code_of(&answer), refused);
        }
    };
    check(mover, "already_played").await;
    server.kill();
    server.restart(Port::Same);
    mover.come_back(server.address()).await.unwrap();
    check(mover, "already_played").await;
    other.come_back(server.address()).await.unwrap();
    other.request(name, Request::ResignMatch).await;
    check(mover, "match_over").await;
}

#[tokio::test]
async fn keys_of_requests_outlive_a_restart_too() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let key = pair.south.next_key();
    let offer = |what| ClientMessage::Ask {
        id: Some(99),
        r#match: name,
        number: None,
        what,
        key: key.clone(),
    };
    let first = pair
        .south
        .ask(&offer(Request::Offer(OfferKind::Draw)))
        .await
        .unwrap();
    assert_eq!(done(&first).1, 0, "an offer is no action");
    server.kill();
    server.restart(Port::Same);
    pair.south.come_back(server.address()).await.unwrap();
    let again = pair
        .south
        .ask(&offer(Request::Offer(OfferKind::Draw)))
        .await
        .unwrap();
    assert_eq!(again, first);
    let other = pair.south.ask(&offer(Request::ResignMatch)).await.unwrap();
    assert_eq!(code_of(&other), "key_reused");
    assert_eq!(
        pair.south.followed[&name]
            .view()
            .offer
            .map(|offer| offer.side),
        Some(Side::South)
    );
}

#[tokio::test]
async fn keys_belong_to_a_seat_and_numbers_to_the_match() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let (number, action) = next(mover, name);
    let act = |id, number, pit, key: &str| ClientMessage::Act {
        id: Some(id),
        r#match: name,
        number,
        actions: vec![WireAction(Action::sow(Pit(pit)))],
        key: key.parse().unwrap(),
    };
    let Action::Sow { pit, .. } = action.0 else {
        panic!("{action:?}");
    };

    let ahead = mover.ask(&act(1, number + 1, pit.0, "a")).await.unwrap();
    assert_eq!(code_of(&ahead), "number_ahead");
    let ServerMessage::Refused { next_number, .. } = ahead else {
        unreachable!()
    };
    assert_eq!(next_number, Some(number));
    let no_pit = mover.ask(&act(2, number, 6, "a")).await.unwrap();
    assert_eq!(code_of(&no_pit), "no_such_pit");
    let early = other.ask(&act(3, number, pit.0, "a")).await.unwrap();
    assert_eq!(code_of(&early), "not_your_turn");
    // A refused command has not used its key up.
    let played = mover.ask(&act(4, number, pit.0, "a")).await.unwrap();
    assert_eq!(done(&played).0, number);
    let reused = mover.ask(&act(5, number, pit.0 + 1, "a")).await.unwrap();
    assert_eq!(code_of(&reused), "key_reused");
    let reused = mover.ask(&act(6, number + 1, pit.0, "a")).await.unwrap();
    assert_eq!(code_of(&reused), "key_reused");
    let late = mover.ask(&act(7, number, pit.0, "b")).await.unwrap();
    assert_eq!(code_of(&late), "already_played");
    let ServerMessage::Refused { next_number, .. } = late else {
        unreachable!()
    };
    assert_eq!(next_number, Some(number + 1));
    // The other seat's key of the same name is another key.
    let late = other.ask(&act(8, number, pit.0, "a")).await.unwrap();
    assert_eq!(code_of(&late), "already_played");
}

#[tokio::test]
async fn a_list_is_played_all_or_none() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    let (_, action) = next(mover, name);
    let before = mover.followed[&name].view().clone();
    let bad = WireAction(Action::sow(Pit(77)));
    for (list, code) in [
        (vec![action.clone(), bad.clone()], None),
        (vec![bad.clone(), action.clone()], Some("no_such_pit")),
        (vec![], Some("action_count")),
        (vec![action.clone(); 9], Some("action_count")),
        (
            vec![WireAction(Action::Lottery { to: Side::South })],
            Some("not_for_players"),
        ),
        (
            vec![action.clone(), WireAction(Action::LoseTurn)],
            Some("not_for_players"),
        ),
    ] {
        let refused = mover.act(name, list).await;
        // After the first sowing it is the other's turn, unless that won another one.
        let found = code_of(&refused);
        let expected = code.map_or(["turn_over", "no_such_pit"].contains(&found), |code| {
            code == found
        });
        assert!(expected, "{found} instead of {code:?}");
    }
    mover.join(name).await;
    assert_eq!(*mover.followed[&name].view(), before);
}

#[tokio::test]
async fn two_sockets_on_one_seat_hear_the_same_and_one_of_them_is_answered() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let mut phone = Client::connected(&server, mover.token.clone()).await;
    let followed = phone.join(name).await;
    assert_eq!(followed.role, mover.followed[&name].role);
    phone
        .hear_until(name, |followed| followed.turn().is_some())
        .await;
    let (number, action) = next(&phone, name);
    let act = phone.act_message(name, number, vec![action]);
    phone.say(&act).await.unwrap();
    mover
        .hear_until(name, |followed| followed.view().next_number > number)
        .await;
    // Whoever acts on either is the same seat, so the same command is the same.
    assert_eq!(
        done(&mover.ask(&act).await.unwrap()),
        done(&phone.answer(act.id().unwrap()).await.unwrap())
    );
    assert_eq!(mover.followed[&name].view(), phone.followed[&name].view());
    // One of them goes; the seat is still connected.
    phone.cut();
    let side = mover.followed[&name].side().unwrap();
    other.join(name).await;
    loop {
        if let ServerMessage::Presence { players, .. } = other.hear().await.unwrap() {
            assert!(players[side]);
            break;
        }
    }
}

/// Events, then `done`, and in between nothing that is about another command.
#[tokio::test]
async fn the_one_who_commands_gets_the_event_and_then_the_answer() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let (number, action) = next(mover, name);
    let act = mover.act_message(name, number, vec![action]);
    mover.say(&act).await.unwrap();
    let mut numbered = Vec::new();
    loop {
        let message = mover.hear().await.unwrap();
        match &message {
            ServerMessage::Event { seq, .. } => numbered.push(*seq),
            ServerMessage::Done { seq, .. } => {
                assert_eq!(id_of(&message), act.id());
                assert_eq!(numbered, [*seq]);
                break;
            }
            ServerMessage::Legal { .. } | ServerMessage::Presence { .. } => {}
            other => panic!("{other:?} in between"),
        }
    }
    // The other gets the event, and no answer.
    let mut kinds = Vec::new();
    while other.followed[&name].view().next_number == number {
        kinds.push(other.hear().await.unwrap());
    }
    assert!(kinds.iter().all(|message| id_of(message).is_none()));
}

#[tokio::test]
async fn a_preview_tells_and_changes_nothing() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "omweso" })).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let (number, action) = next(mover, name);
    let before = mover.followed[&name].view().clone();
    let preview = |id, number, pit| ClientMessage::Preview {
        id: Some(id),
        r#match: name,
        number,
        actions: pit,
    };
    let answer = mover
        .ask(&preview(900, number, vec![action.clone()]))
        .await
        .unwrap();
    let ServerMessage::Previewed { acted, .. } = answer else {
        panic!("{answer:?}");
    };
    let bad = vec![action.clone(), WireAction(Action::sow(Pit(99)))];
    mover.ask(&preview(901, number, bad)).await.unwrap();
    let refused = other
        .ask(&preview(902, number, vec![action.clone()]))
        .await
        .unwrap();
    assert_eq!(code_of(&refused), "not_your_turn");
    let refused = mover
        .ask(&preview(903, number + 5, vec![action.clone()]))
        .await
        .unwrap();
    assert_eq!(code_of(&refused), "number_ahead");
    let mut spectator = Client::nobody(&server).await;
    spectator.join(name).await;
    let refused = spectator
        .ask(&preview(904, number, vec![action.clone()]))
        .await
        .unwrap();
    assert_eq!(code_of(&refused), "sign_in_needed");
    for client in [&mut *mover, other, &mut spectator] {
        client.join(name).await;
        assert_eq!(*client.followed[&name].view(), before);
    }
    // And what was foretold comes.
    mover
        .hear_until(name, |followed| followed.turn().is_some())
        .await;
    mover.act(name, vec![action]).await;
    let told = mover.followed[&name].events.values().find_map(|message| {
        let ServerMessage::Event {
            body: EventBody::Acted {
                number: of, acted, ..
            },
            ..
        } = message
        else {
            return None;
        };
        (*of == number).then(|| acted.clone())
    });
    assert_eq!(acted, [told.unwrap()]);
}

#[tokio::test]
async fn a_match_may_have_no_previews() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "urim", "preview": false });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    assert!(!mover.followed[&name].view().preview);
    let (number, action) = next(mover, name);
    let preview = ClientMessage::Preview {
        id: Some(1_000),
        r#match: name,
        number,
        actions: vec![action],
    };
    let refused = mover.ask(&preview).await.unwrap();
    assert_eq!(code_of(&refused), "no_preview");
}

/// The reason of the last game that a client saw end, and how.
fn last_game(client: &Client, name: mancala_protocol::PublicId) -> (OutcomeWord, String) {
    let ended = client.followed[&name].events.values().rev();
    ended
        .filter_map(|message| match message {
            ServerMessage::Event {
                body:
                    EventBody::GameEnded {
                        outcome, reason, ..
                    },
                ..
            } => Some((*outcome, reason.clone())),
            _ => None,
        })
        .next()
        .unwrap()
}

#[tokio::test]
async fn a_game_is_resigned_on_ones_own_turn_and_the_match_at_any_time() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "urim", "format": "first_to 3" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let side = mover.followed[&name].side().unwrap();
    let refused = other.request(name, Request::ResignGame).await;
    assert_eq!(code_of(&refused), "resign_on_your_turn");
    done(&mover.request(name, Request::ResignGame).await);
    let view = &mover.followed[&name].view();
    assert_eq!(view.score[side.other()], 1);
    assert_eq!((view.stage, view.game_number), (StageView::Playing, 2));
    assert_eq!(
        last_game(mover, name),
        (OutcomeWord::Win, "resigned".to_owned())
    );
    // The other begins the second game, and gives up the match though it is ahead in it.
    done(&other.request(name, Request::ResignMatch).await);
    let ended = other.followed[&name].view().ended.as_ref().unwrap();
    assert_eq!(
        (ended.winner, ended.reason),
        (Some(side), EndReason::Resigned)
    );
    let over = other.request(name, Request::ResignMatch).await;
    assert_eq!(code_of(&over), "match_over");
}

#[tokio::test]
async fn draws_are_offered_taken_declined_withdrawn_and_forgotten() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "urim", "format": "first_to 3" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    for what in [
        Request::Accept(OfferKind::Draw),
        Request::Decline(OfferKind::Draw),
    ] {
        assert_eq!(code_of(&other.request(name, what).await), "no_offer");
    }
    done(&mover.request(name, Request::Offer(OfferKind::Draw)).await);
    let again = mover.request(name, Request::Offer(OfferKind::Draw)).await;
    assert_eq!(code_of(&again), "offer_open");
    let own = mover.request(name, Request::Accept(OfferKind::Draw)).await;
    assert_eq!(code_of(&own), "no_offer");
    done(&other.request(name, Request::Decline(OfferKind::Draw)).await);
    let again = mover.request(name, Request::Offer(OfferKind::Draw)).await;
    assert_eq!(code_of(&again), "offered_already");
    done(&other.request(name, Request::Offer(OfferKind::Draw)).await);
    done(&other.request(name, Request::Decline(OfferKind::Draw)).await);
    // An action settles what was offered.
    let (_, action) = {
        mover
            .hear_until(name, |followed| followed.view().offer.is_none())
            .await;
        next(mover, name)
    };
    done(&mover.act(name, vec![action]).await);
    done(&mover.request(name, Request::Offer(OfferKind::Draw)).await);
    done(&other.request(name, Request::Accept(OfferKind::Draw)).await);
    assert_eq!(
        last_game(other, name),
        (OutcomeWord::Draw, "agreed".to_owned())
    );
    assert_eq!(other.followed[&name].view().game_number, 2);
}

/// Two offers on their way at once are an agreement, whichever came first.
#[tokio::test]
async fn offers_that_cross_are_an_agreement() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    let name = pair.name;
    let (one, two) = tokio::join!(
        pair.south.request(name, Request::Offer(OfferKind::Draw)),
        pair.north.request(name, Request::Offer(OfferKind::Draw)),
    );
    done(&one);
    done(&two);
    pair.south
        .hear_until(name, |followed| followed.is_over())
        .await;
    let ended = pair.south.followed[&name].view().ended.as_ref().unwrap();
    assert_eq!((ended.winner, ended.reason), (None, EndReason::Played));
}

#[tokio::test]
async fn a_match_is_aborted_before_both_have_moved_and_not_later() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    pair.play(1).await;
    done(&pair.north.request(pair.name, Request::Abort).await);
    let view = &pair.north.followed[&pair.name].view();
    let ended = view.ended.as_ref().unwrap();
    assert_eq!((ended.winner, ended.reason), (None, EndReason::Aborted));

    let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
    pair.play(8).await;
    let late = pair.north.request(pair.name, Request::Abort).await;
    assert_eq!(code_of(&late), "too_late_to_abort");

    // Before anybody else has come.
    let mut alone = Client::guest(&server, "Ann").await;
    let made = server
        .make(alone.token(), &json!({ "game": "urim", "seat": "north" }))
        .await;
    let name = made.view.r#match;
    let followed = alone.join(name).await;
    assert_eq!(followed.role, Role::North);
    let early = alone.request(name, Request::ResignMatch).await;
    assert_eq!(code_of(&early), "not_begun");
    done(&alone.request(name, Request::Abort).await);
    assert!(alone.followed[&name].is_over());
}
