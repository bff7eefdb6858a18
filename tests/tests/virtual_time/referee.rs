//! Blitz: the referee counts, and turns are lost, before everybody's eyes.

use crate::service::{HOUR, MINUTE, SECOND, Service};
use crate::thinker::play;
use mancala_engine::{Action, Side};
use mancala_play::Event;
use mancala_server::store::LogRow;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

const SEEN: [&str; 6] = [
    "counted",
    "acted",
    "paused",
    "resumed",
    "game_ended",
    "game_began",
];

#[tokio::test(start_paused = true)]
async fn a_spectator_hears_emu_and_bbiri_and_then_the_turn_is_lost() {
    let service = Service::blitz(4).await;
    let silent = service.play().await.to_move().unwrap();
    let mut spectator = service.watch().await;
    let _here = [
        service.join(Side::South).await,
        service.join(Side::North).await,
    ];
    spectator.listen(4_500).await;
    assert_eq!(spectator.kinds(&SEEN), ["counted", "counted", "acted"]);
    let told = &spectator.events;
    let expected = [
        json!({ "side": silent, "count": 1, "word": "emu" }),
        json!({ "side": silent, "count": 2, "word": "bbiri" }),
        json!({ "side": silent, "action": { "type": "lose_turn" } }),
    ];
    for (told, expected) in told.iter().zip(&expected) {
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&told[field], value, "{told}");
        }
    }
    // Each to the second: of service time, which began with the turn. The quota for lag comes
    // after the third.
    let log = service.log().await;
    let at_ms: Vec<i64> = log[6..]
        .iter()
        .map(|row| row.at_ms - log[6].at_ms)
        .collect();
    assert_eq!(at_ms, [0, 1_000, 3_000]);
    assert_eq!(log[6].deadline_ms, Some(2_000));
    assert_eq!(log[7].deadline_ms, Some(4_000));
}

#[tokio::test(start_paused = true)]
async fn five_lost_turns_each_pause_the_match_until_somebody_comes() {
    for here_before in [false, true] {
        let mut service = Service::blitz(4).await;
        let mut spectator = service.watch().await;
        // Whoever is here and says nothing is no better than who is not.
        let silent = match here_before {
            true => Some([
                service.join(Side::South).await,
                service.join(Side::North).await,
            ]),
            false => None,
        };
        spectator.listen(45 * SECOND).await;
        let mut expected = ["counted", "counted", "acted"].repeat(10);
        expected.push("paused");
        assert_eq!(spectator.kinds(&SEEN), expected);
        assert_eq!(spectator.last("paused")["why"], "absent");
        assert_eq!(spectator.last("paused")["clock"]["stands"], true);
        // Nothing happens, over a restart too.
        spectator.listen(HOUR).await;
        assert_eq!(spectator.kinds(&SEEN), expected);
        if !here_before {
            service.crash();
            service.start().await;
            spectator = service.watch().await;
            spectator.listen(HOUR).await;
            assert_eq!(spectator.events.len(), 0);
        }
        let _back = service.join(Side::South).await;
        spectator.listen(500).await;
        assert_eq!(spectator.kinds(&SEEN).last(), Some(&"resumed"));
        // Then the referee counts for the turn that was due, from the beginning.
        spectator.listen(1_200).await;
        assert_eq!(spectator.kinds(&SEEN).last(), Some(&"counted"));
        assert_eq!(spectator.last("counted")["count"], 1);
        drop(silent);
    }
}

#[tokio::test(start_paused = true)]
async fn who_loses_ten_turns_in_a_row_has_lost_the_game() {
    let mut by_time = 0;
    for seed in 0..12 {
        let service = Service::blitz(4).await;
        let mut spectator = service.watch().await;
        let mut plays = service.join(Side::South).await;
        let mut silent = service.join(Side::North).await;
        let minute = Duration::from_millis(MINUTE);
        let (_, (), ()) = tokio::join!(
            timeout(minute, play(&mut plays, seed, 100..101, 900)),
            spectator.listen(MINUTE),
            silent.listen(MINUTE),
        );
        let ended = spectator.first("game_ended");
        assert_eq!(ended["winner"], "south", "who plays alone does not lose");
        let lost = |row: &LogRow| {
            let north = Some(Side::North);
            matches!(row.event, Event::Acted { side, action: Action::LoseTurn, .. } if side == north)
        };
        let log = service.log().await;
        let end = log
            .iter()
            .position(|row| matches!(row.event, Event::GameEnded { .. }));
        let lost = log[..end.unwrap()].iter().filter(|row| lost(row)).count();
        if ended["reason"] == "time" {
            assert_eq!(lost, 10);
            assert_eq!(ended["points"], 1);
            by_time += 1;
        } else {
            // Alone one may win on the board before that.
            assert!(lost < 10, "{ended}");
        }
    }
    assert!(by_time > 0);
}
