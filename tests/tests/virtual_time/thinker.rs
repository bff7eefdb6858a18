//! Who plays by what it is told, and thinks about each turn.

use crate::service::Player;
use mancala_tests::Random;
use mancala_tests::players::choose;
use serde_json::{Value, json};
use std::ops::Range;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long somebody thinks about a turn, in milliseconds, from when he has seen that it is
/// his.
pub(crate) type Thinking = Range<usize>;

/// Just below three seconds, more often than not.
pub(crate) const AS_AT_A_TABLE: Thinking = 0..3_000;

/// Plays a side until so many numbers have been used.
pub(crate) async fn play(player: &mut Player, seed: u64, thinking: Thinking, numbers: u32) {
    let mut random = Random::from_seed(seed);
    let mut turn = None;
    let mut left_ms = 0;
    let mut due: Option<(Instant, Value)> = None;
    let mut last = 0;
    while player.view().next_number < numbers && !player.followed.as_ref().unwrap().is_over() {
        let at = due.as_ref().map_or_else(Instant::now, |(at, _)| *at);
        tokio::select! {
            biased;
            heard = player.hear() => {
                let heard = heard.expect("a socket that is open");
                if heard["type"] != "legal" {
                    continue;
                }
            }
            () = sleep_until(at), if due.is_some() => {
                if let Some((_, act)) = due.take() {
                    player.say(act).await;
                }
                continue;
            }
        }
        let view = player.view();
        let number = view.next_number;
        // It comes again with each word of the referee.
        if std::mem::replace(&mut last, number) == number {
            continue;
        }
        let standing = view.position.as_ref().unwrap().standing;
        if turn != Some((view.game_number, standing.turn)) {
            turn = Some((view.game_number, standing.turn));
            left_ms = thinking.end
                - 1
                - match random.below(3) {
                    0 => random.below(thinking.len()),
                    _ => random.below(thinking.len().min(100)),
                };
        }
        // What is not needed for this choice is left for the next one of the same turn.
        let thinks_ms = match thinking.len() {
            2.. if random.below(4) == 0 => random.below(left_ms + 1),
            _ => left_ms,
        };
        left_ms -= thinks_ms;
        let action = choose(player.followed.as_ref().unwrap(), &mut random);
        let act = json!({
            "type": "act", "match": player.game, "number": number, "actions": [action],
            "key": format!("k{number}"),
        });
        due = Some((
            Instant::now() + Duration::from_millis(thinks_ms as u64),
            act,
        ));
    }
}
