//! What is due in a match happens by itself: with nobody connected, after a crash, and when
//! the disk is slow or takes nothing.

use crate::service::{
    DAY, HOUR, MINUTE, SECOND, Service, code, correspondence, lost_on_time, pass, per_move, spent,
};
use futures_util::SinkExt as _;
use mancala_engine::{Action, Side};
use mancala_play::{Control, Event, OfferKind, Request as Wish};
use mancala_server::store::Store;
use mancala_tests::logs::append;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

#[tokio::test(start_paused = true)]
async fn a_deadline_comes_with_nobody_connected() {
    let service = Service::new(correspondence()).await;
    pass(DAY).await;
    assert!(
        !service.is_over().await,
        "there is a second more for the way"
    );
    pass(2 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
    assert!(service.is_over().await);
}

/// An absent player is never flagged until somebody looks, over a restart: pychess-variants#1767,
/// lila#20758.
#[tokio::test(start_paused = true)]
async fn a_deadline_comes_after_a_crash_and_nobody_is_charged_for_the_time_between() {
    let mut service = Service::new(correspondence()).await;
    pass(20 * HOUR).await;
    service.crash();
    pass(10 * DAY).await;
    service.start().await;
    pass(4 * HOUR - 2 * SECOND).await;
    assert!(!service.is_over().await);
    // What went by since it was noted last, before the crash, is given once more.
    pass(5 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

/// A deadline that has passed at the last moment before the crash is due at once after it.
#[tokio::test(start_paused = true)]
async fn what_was_due_while_nothing_could_be_written_happens_after_a_crash() {
    let mut service = Service::new(correspondence()).await;
    pass(DAY).await;
    service.sky.nothing_is_written();
    pass(MINUTE).await;
    assert!(!service.is_over().await);
    service.crash();
    service.sky.clears();
    service.start().await;
    pass(5 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

#[tokio::test(start_paused = true)]
async fn turns_are_lost_one_after_another() {
    let service = Service::new(Control::BLITZ).await;
    pass(21 * SECOND).await;
    let events = service.events().await;
    // Three seconds, and the way: a second at first, of which 600 ms come back with each turn.
    assert!((5..=7).contains(&events.len()), "{events:?}");
    for (event, next) in events.iter().zip(events.iter().skip(1)) {
        let sides = [event, next].map(|event| match event {
            Event::Acted {
                side,
                action: Action::LoseTurn,
                ..
            } => *side,
            other => panic!("{other:?}"),
        });
        assert_eq!(sides[0].map(Side::other), sides[1]);
    }
}

/// The match has its task while somebody is there, and a timer afterwards.
#[tokio::test(start_paused = true)]
async fn a_deadline_moves_with_each_turn() {
    let service = Service::new(per_move(600)).await;
    for minutes in [9, 2, 9] {
        let side = service.play().await.to_move().unwrap();
        let mut player = service.join(side).await;
        player.listen(minutes * MINUTE).await;
        let action = service.first_action().await;
        assert_eq!(player.ask(action).await["type"], "done");
    }
    let spent: Vec<u64> = service
        .events()
        .await
        .iter()
        .map(|event| spent(event).elapsed_ms.cast_unsigned() / MINUTE)
        .collect();
    assert_eq!(spent, [9, 2, 9]);
    pass(10 * MINUTE).await;
    assert!(!service.is_over().await);
    pass(2 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

/// The last mover lost on time after a lost message: lila#5921. Here a slow disk holds up what
/// arrived in time.
#[tokio::test(start_paused = true)]
async fn who_arrives_in_time_is_in_time_however_long_he_waits() {
    for (arrives_ms, in_time) in [(3_900, true), (4_100, false)] {
        let service = Service::new(Control::BLITZ).await;
        let side = service.play().await.to_move().unwrap();
        let action = service.first_action().await;
        let mut mover = service.join(side).await;
        let mut other = service.join(side.other()).await;
        service.sky.writes_take(20 * SECOND);
        pass(SECOND).await;
        other.offer("a draw").await;
        pass(arrives_ms - SECOND - 2).await;
        mover.say(action).await;
        let answer = mover.answer().await;
        let acted = service
            .events()
            .await
            .into_iter()
            .find(|event| matches!(event, Event::Acted { .. }));
        let Some(Event::Acted { action, spent, .. }) = acted else {
            panic!("nothing came of it")
        };
        assert_eq!(action == Action::LoseTurn, !in_time);
        if in_time {
            assert_eq!(answer["type"], "done");
            assert!((3_890..=3_910).contains(&spent.elapsed_ms), "{spent:?}");
        } else {
            assert_eq!(code(&answer), "already_played");
        }
    }
}

/// What comes after something was due does not come before it, however much of it there is.
#[tokio::test(start_paused = true)]
async fn who_keeps_the_mailbox_full_cannot_hold_up_his_loss() {
    let service = Service::new(per_move(10)).await;
    let side = service.play().await.to_move().unwrap();
    let mut loser = service.join(side).await;
    // To answer takes longer than to ask.
    service.sky.reads_take(100);
    let game = loser.game.clone();
    // It hears the same events again and again.
    loser.followed = None;
    for _ in 0..300 {
        let join = json!({ "type": "join", "match": game, "since": 1 });
        loser.say(join).await;
        loser.listen(100).await;
    }
    assert!(lost_on_time(&service.events().await));
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_takes_nothing_costs_nobody_time() {
    let service = Service::new(Control::BLITZ).await;
    let side = service.play().await.to_move().unwrap();
    let action = service.first_action().await;
    let mut mover = service.join(side).await;
    pass(2 * SECOND).await;
    service.sky.nothing_is_written();
    let refused = mover.ask(action.clone()).await;
    assert_eq!(code(&refused), "storage_unavailable");
    mover.listen(10 * MINUTE).await;
    assert_eq!(service.events().await, []);
    service.sky.clears();
    mover.listen(SECOND).await;
    assert_eq!(mover.ask(action).await["type"], "done");
    let spent = spent(&service.events().await[0]);
    assert!((2_900..=3_100).contains(&spent.elapsed_ms), "{spent:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_due_while_the_disk_takes_nothing_happens_when_it_does() {
    let service = Service::new(per_move(10)).await;
    // Both are here: that somebody is gone would be written before anything is due.
    let _mover = service.join(Side::South).await;
    let _other = service.join(Side::North).await;
    pass(5 * SECOND).await;
    service.sky.nothing_is_written();
    let before = service.sky.writes();
    pass(MINUTE).await;
    assert!(!service.is_over().await);
    // It is tried again, but not without a pause.
    let tries = service.sky.writes() - before;
    assert!((10..5_000).contains(&tries), "{tries}");
    service.sky.clears();
    // Time has stood meanwhile: five seconds of ten, and a second for the way, are left.
    pass(4 * SECOND).await;
    assert!(!service.is_over().await);
    pass(4 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

/// Nor does a crash after it charge what the disk cost.
#[tokio::test(start_paused = true)]
async fn a_disk_that_took_nothing_costs_nobody_time_over_a_crash() {
    let mut service = Service::new(per_move(600)).await;
    let side = service.play().await.to_move().unwrap();
    let action = service.first_action().await;
    let mut mover = service.join(side).await;
    mover.listen(MINUTE).await;
    service.sky.nothing_is_written();
    mover.listen(5 * MINUTE).await;
    service.sky.clears();
    mover.listen(MINUTE).await;
    service.crash();
    pass(HOUR).await;
    service.start().await;
    let mut mover = service.join(side).await;
    assert_eq!(mover.ask(action).await["type"], "done");
    let spent = spent(&service.events().await[0]);
    let minutes = 117_000..=123_000;
    assert!(minutes.contains(&spent.elapsed_ms), "{spent:?}");
}

#[tokio::test(start_paused = true)]
async fn a_match_that_cannot_be_loaded_when_something_is_due_is_loaded_again() {
    let service = Service::new(correspondence()).await;
    pass(HOUR).await;
    service.sky.nothing_is_read();
    pass(DAY).await;
    assert!(!service.is_over().await);
    service.sky.clears();
    pass(5 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

#[tokio::test(start_paused = true)]
async fn a_match_that_is_set_aside_holds_nobody_up() {
    let service = Service::new(correspondence()).await;
    let store = Store::Memory(service.disk.clone());
    pass(HOUR).await;
    store.set_aside(service.played.id, "a test").await.unwrap();
    pass(DAY).await;
    let before = service.sky.writes();
    pass(HOUR).await;
    assert_eq!(service.sky.writes(), before, "nothing is due any more");
}

/// Its task ends when it finds that somebody else has written; what is due stays due.
#[tokio::test(start_paused = true)]
async fn a_deadline_outlives_the_task_of_its_match() {
    let service = Service::new(per_move(600)).await;
    let mut player = service.join(Side::South).await;
    player.listen(SECOND).await;
    // As another owner of the match would do it.
    let store = Store::Memory(service.disk.clone());
    let mut ahead = service.play().await;
    let asked = mancala_play::Asked {
        side: Side::South,
        request: Wish::Offer(OfferKind::Draw),
        number: None,
        key: "elsewhere".parse().unwrap(),
        by: None,
    };
    let mut written = append(service.played.id, ahead.seq(), 1);
    let event = Event::Offered { asked };
    ahead.apply(&event);
    written.rows[0].event = event;
    written.rows[0].digest = ahead.digest();
    written.rows[0].deadline_ms = service.log().await.last().unwrap().deadline_ms;
    store.append(written).await.unwrap();
    pass(10 * MINUTE + 10 * SECOND).await;
    assert!(lost_on_time(&service.events().await));
}

/// While nothing is due the service time decides nothing, and is not written.
#[tokio::test(start_paused = true)]
async fn a_server_without_deadlines_writes_nothing() {
    let service = Service::new(Control::UNTIMED).await;
    // Both are here: that somebody is gone would be an event.
    let [mut south, mut north] = [
        service.join(Side::South).await,
        service.join(Side::North).await,
    ];
    tokio::join!(south.listen(HOUR), north.listen(HOUR));
    assert_eq!(service.sky.writes(), 0);
    let service = Service::new(correspondence()).await;
    pass(HOUR).await;
    let writes = service.sky.writes();
    assert!((3_590..=3_610).contains(&writes), "{writes}");
    let noted = Store::Memory(service.disk.clone())
        .service_ms()
        .await
        .unwrap();
    assert!((3_598_000..=3_601_000).contains(&noted), "{noted}");
}

#[tokio::test(start_paused = true)]
async fn the_way_is_measured_and_what_is_forged_counts_for_nothing() {
    // How long the pong takes, and what the client says beside it without having been asked.
    for (way_ms, forged) in [(150, 0), (0, 5)] {
        let service = Service::new(per_move(60)).await;
        let mut players = Vec::new();
        for side in Side::ALL {
            players.push(service.join(side).await);
        }
        for _ in 0..4 {
            let side = service.play().await.to_move().unwrap();
            let player = &mut players[side as usize];
            // Nothing is read meanwhile, so nothing is answered.
            pass(way_ms).await;
            player.listen(SECOND).await;
            for number in 0..forged {
                pass(100).await;
                let pong = Message::Pong(vec![number; 8].into());
                player.socket.send(pong).await.unwrap();
            }
            let action = service.first_action().await;
            player.say(action).await;
            player.answer().await;
        }
        for event in service.events().await {
            let spent = spent(&event);
            let way_ms = i64::try_from(way_ms).unwrap();
            assert!((way_ms..=way_ms + 2).contains(&spent.lag_ms), "{spent:?}");
        }
    }
}
