//! Who is away, how long that is borne, and what the other side may make of it.

use crate::service::{DAY, HOUR, MINUTE, Player, SECOND, Service, correspondence, pass};
use mancala_engine::Side;
use mancala_play::{Control, Event};
use serde_json::{Value, json};

const PRESENCE: [&str; 2] = ["gone", "back"];

/// A match of five minutes in which both have moved, the side to move, and both players: the
/// one who is to move, and the other.
async fn five_minutes() -> (Service, Side, Player, Player) {
    with(Control::fischer(300, 5).unwrap()).await
}

async fn with(clock: Control) -> (Service, Side, Player, Player) {
    let service = Service::new(clock).await;
    let side = service.play().await.to_move().unwrap();
    let mover = service.join(side).await;
    let other = service.join(side.other()).await;
    (service, side, mover, other)
}

#[tokio::test(start_paused = true)]
async fn a_lost_line_and_a_closed_page_are_told_apart() {
    for way in ["silent", "cut", "closed", "left"] {
        for clock in [Control::fischer(300, 5).unwrap(), Control::UNTIMED] {
            let (_service, side, mut mover, mut other) = with(clock).await;
            let mut silent = None;
            match way {
                "silent" => silent = Some(mover),
                "cut" => drop(mover),
                "closed" => mover.close().await,
                _ => {
                    let leave = json!({ "type": "leave", "match": mover.game });
                    assert_eq!(mover.ask(leave).await["type"], "left");
                }
            }
            let until_gone = if way == "silent" { 60 * SECOND } else { 0 };
            other.listen(until_gone + 4_900).await;
            assert_eq!(other.kinds(&PRESENCE), [""; 0], "{way}");
            other.listen(500).await;
            let (how, grace_ms) = match (way, clock.is_untimed()) {
                ("silent" | "cut", false) => ("dropped", 60_000),
                ("silent" | "cut", true) => ("dropped", 180_000),
                (_, false) => ("closed", 20_000),
                (_, true) => ("closed", 60_000),
            };
            let gone = other.last("gone");
            assert_eq!(gone["side"], json!(side));
            assert_eq!(
                (&gone["how"], &gone["grace_ms"]),
                (&json!(how), &json!(grace_ms))
            );
            drop(silent);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_loaded_anew_is_no_event_and_nor_is_one_of_two_devices() {
    let (service, side, mover, mut other) = five_minutes().await;
    mover.close().await;
    other.listen(4_500).await;
    let phone = service.join(side).await;
    other.listen(MINUTE / 2).await;
    let tablet = service.join(side).await;
    drop(phone);
    other.listen(MINUTE / 2).await;
    assert_eq!(other.kinds(&PRESENCE), [""; 0]);
    let here = &other.followed.as_ref().unwrap().presence;
    let here = serde_json::to_value(here).unwrap();
    assert_eq!(here["players"], json!({ "south": true, "north": true }));
    drop(tablet);
    other.listen(6 * SECOND).await;
    assert_eq!(other.kinds(&PRESENCE), ["gone"]);
    let _back = service.join(side).await;
    other.listen(SECOND).await;
    assert_eq!(other.kinds(&PRESENCE), ["gone", "back"]);
    assert!(other.view().away.is_empty());
}

/// What presence says is left of the grace of a side, to somebody who comes now.
async fn grace_ms(service: &Service, side: Side) -> Option<i64> {
    let mut spectator = service.watch().await;
    spectator.listen(10).await;
    let presence = serde_json::to_value(&spectator.followed.as_ref().unwrap().presence).unwrap();
    presence["grace_ms"][side.name()].as_i64()
}

#[tokio::test(start_paused = true)]
async fn the_grace_counts_down_and_then_a_claim_is_accepted() {
    for (claim, winner) in [("claim_win", true), ("claim_draw", false)] {
        let (service, side, mover, mut other) = five_minutes().await;
        drop(mover);
        other.listen(5_100).await;
        let left_ms = grace_ms(&service, side).await.unwrap();
        assert!((59_000..=60_000).contains(&left_ms), "{left_ms}");
        assert_eq!(other.want(claim, "at-once").await, "no_claim");
        other.listen(40 * SECOND).await;
        let later_ms = grace_ms(&service, side).await.unwrap();
        assert!(
            (39_000..=40_100).contains(&(left_ms - later_ms)),
            "{later_ms}"
        );
        other.listen(later_ms.cast_unsigned() - 500).await;
        assert_eq!(other.want(claim, "too-soon").await, "no_claim");
        other.listen(SECOND).await;
        assert_eq!(other.want(claim, "claim").await, "done");
        let ended = other.last("game_ended");
        assert_eq!(ended["reason"], "claimed");
        let expected = if winner {
            json!(side.other())
        } else {
            Value::Null
        };
        assert_eq!(ended["winner"], expected);
        assert!(service.is_over().await);
        // Once more is the same, and is done once.
        assert_eq!(other.want(claim, "claim").await, "done");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_claims_against_who_is_back() {
    let (service, side, mover, mut other) = five_minutes().await;
    mover.close().await;
    other.listen(MINUTE).await;
    let _back = service.join(side).await;
    assert_eq!(other.want("claim_win", "1").await, "no_claim");
    assert_eq!(other.want("claim_draw", "2").await, "no_claim");
    // He has left for a second time, and is not away yet.
    drop(_back);
    other.listen(MINUTE / 2).await;
    assert_eq!(other.want("claim_win", "3").await, "no_claim");
    assert!(!service.is_over().await);
}

/// Claiming was offered to who was to move himself: lila#3170, #4929.
#[tokio::test(start_paused = true)]
async fn nobody_claims_on_his_own_turn() {
    let (service, side, mut mover, other) = five_minutes().await;
    other.close().await;
    mover.listen(2 * MINUTE).await;
    assert_eq!(mover.kinds(&PRESENCE), ["gone"]);
    assert_eq!(mover.want("claim_win", "1").await, "no_claim");
    assert_eq!(mover.want("claim_draw", "2").await, "no_claim");
    // Once he has moved he may, since the grace is over: his own thinking was no trick.
    let action = service.first_action().await;
    assert_eq!(mover.ask(action).await["type"], "done");
    assert_eq!(service.play().await.to_move(), Some(side.other()));
    assert_eq!(mover.want("claim_win", "3").await, "done");
}

#[tokio::test(start_paused = true)]
async fn who_leaves_again_and_again_has_less_time_each_time() {
    let (service, side, mover, mut other) = with(Control::UNTIMED).await;
    drop(mover);
    let mut graces = Vec::new();
    for leaving in 0..6 {
        other.listen(6 * SECOND).await;
        let gone = other.last("gone");
        graces.push((gone["how"].clone(), gone["grace_ms"].clone()));
        let back = service.join(side).await;
        other.listen(SECOND).await;
        if leaving % 2 == 0 {
            back.close().await;
        }
    }
    let expected = [
        ("dropped", 180_000),
        ("closed", 60_000),
        ("dropped", 90_000),
        ("closed", 15_000),
        ("dropped", 22_500),
        ("closed", 10_000),
    ];
    assert_eq!(graces, expected.map(|(how, ms)| (json!(how), json!(ms))));
}

#[tokio::test(start_paused = true)]
async fn in_correspondence_nothing_but_the_deadline_counts() {
    let (service, side, mover, mut other) = with(correspondence()).await;
    mover.close().await;
    other.listen(HOUR).await;
    assert_eq!(other.kinds(&PRESENCE), [""; 0]);
    assert_eq!(other.want("claim_win", "1").await, "no_claim");
    assert_eq!(grace_ms(&service, side).await, None);
    assert!(other.view().away.is_empty());
}

/// Who was away, and who lost the line with the server: both have their whole grace from when
/// the match is there again.
#[tokio::test(start_paused = true)]
async fn after_a_crash_nobody_is_charged_and_only_who_does_not_return_is_gone() {
    // Was the mover away before?
    for was_gone in [false, true] {
        for returns in [false, true] {
            let (mut service, side, mover, mut other) = with(Control::UNTIMED).await;
            let mover = match was_gone {
                true => {
                    drop(mover);
                    other.listen(100 * SECOND).await;
                    None
                }
                false => Some(mover),
            };
            service.crash();
            drop((mover, other));
            pass(10 * DAY).await;
            service.start().await;
            let mut other = service.join(side.other()).await;
            let mover = match returns {
                true => Some(service.join(side).await),
                false => None,
            };
            other.listen(10 * SECOND).await;
            let kinds = other.kinds(&PRESENCE);
            match (was_gone, returns) {
                // That he is gone is known, and told by the view.
                (true, false) | (false, true) => assert_eq!(kinds, [""; 0]),
                (true, true) => assert_eq!(kinds, ["back"]),
                (false, false) => assert_eq!(kinds, ["gone"]),
            }
            assert_eq!(other.view().away.get(side).is_some(), !returns);
            let log = service.log().await;
            let gone = log.iter().filter(|row| is_gone(&row.event));
            assert_eq!(gone.count(), usize::from(was_gone || !returns));
            if !returns {
                other.listen(165 * SECOND).await;
                assert_eq!(other.want("claim_win", "1").await, "no_claim");
                other.listen(21 * SECOND).await;
                assert_eq!(other.want("claim_win", "2").await, "done");
            }
            drop(mover);
        }
    }
}

/// It was given up after one try, and who was here stayed away for everybody.
#[tokio::test(start_paused = true)]
async fn that_somebody_is_back_is_written_when_the_disk_takes_it() {
    let (service, side, mover, mut other) = five_minutes().await;
    drop(mover);
    other.listen(10 * SECOND).await;
    service.sky.nothing_is_written();
    let mut back = service.join(side).await;
    tokio::join!(other.listen(MINUTE), back.listen(MINUTE));
    assert_eq!(other.kinds(&PRESENCE), ["gone"]);
    service.sky.clears();
    tokio::join!(other.listen(SECOND), back.listen(SECOND));
    assert_eq!(other.kinds(&PRESENCE), ["gone", "back"]);
    assert!(back.view().away.is_empty());
}

const fn is_gone(event: &Event) -> bool {
    matches!(event, Event::Gone { .. })
}

/// The disk wrote that somebody is gone, and did not say so; then the time before counted, and the
/// game could be claimed at once.
#[tokio::test(start_paused = true)]
async fn the_grace_begins_when_it_is_known_that_somebody_is_gone() {
    let (service, side, mover, mut other) = five_minutes().await;
    drop(mover);
    other.listen(4_900).await;
    service.sky.writes_are_unknown();
    other.listen(300).await;
    service.sky.nothing_is_read();
    other.listen(MINUTE).await;
    service.sky.clears();
    other.listen(SECOND).await;
    assert_eq!(other.kinds(&PRESENCE), ["gone"]);
    assert_eq!(other.want("claim_win", "1").await, "no_claim");
    assert!(grace_ms(&service, side).await.unwrap() > 58_000);
}
