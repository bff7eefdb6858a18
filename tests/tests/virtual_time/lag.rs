//! Lag: who plays over a slow network has the time that he would have at a table, and who
//! forges his pongs gains no more than a quota.

use crate::line::{Line, Pongs};
use crate::service::{Player, Service};
use mancala_engine::{Action, BySide, Format, Mancala, Options, Position as _, Side};
use mancala_play::{
    Control, ControlForm, Event, LAG_QUOTA_A_TURN_MS, LAG_QUOTA_MS, Match, MatchSpec, Way, Why,
};
use mancala_tests::Random;
use mancala_tests::logs::Played;
use mancala_tests::players::choose;
use serde_json::json;
use std::ops::Range;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long somebody thinks about a turn, in milliseconds, from when he has seen that it is
/// his.
type Thinking = Range<usize>;

/// Just below three seconds, more often than not.
const AS_AT_A_TABLE: Thinking = 0..3_000;

/// Plays a side until so many numbers have been used.
async fn play(player: &mut Player, seed: u64, thinking: Thinking, numbers: u32) {
    let mut random = Random::from_seed(seed);
    let mut turn = None;
    let mut left_ms = 0;
    let mut due: Option<(Instant, serde_json::Value)> = None;
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
        let thinks_ms = if random.below(4) == 0 {
            random.below(left_ms + 1)
        } else {
            left_ms
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

/// What the ledger says of a side.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    turns: i64,
    lost: i64,
    games: i64,
    /// Turns that would have been lost without credit.
    saved: i64,
    lag_ms: i64,
    /// By how much all turns took longer than three seconds.
    over_ms: i64,
    /// What was measured, at least and at most.
    measured_ms: Option<(i64, i64)>,
    choices: i64,
}

/// Reads the log, and holds each credit against what was measured and what was needed.
async fn account(service: &Service, turn_ms: i64) -> BySide<Account> {
    let mut accounts = BySide::both(Account::default());
    let mut log = service.log().await.into_iter().map(|row| row.event);
    let Some(Event::Created { spec }) = log.next() else {
        panic!("a log begins with its match")
    };
    let mut play = Match::create(spec);
    let mut elapsed = BySide::both(0);
    for event in log {
        let before = play.clone();
        let ledger = play.apply(&event).ledger;
        if let Event::GameBegan { .. } = event {
            accounts.south.games += 1;
            accounts.north.games += 1;
            elapsed = BySide::both(0);
        }
        let Event::Acted {
            side: Some(side),
            action,
            spent,
            ..
        } = event
        else {
            continue;
        };
        let clocks = before.play().unwrap().clocks();
        if clocks.running() != Some(side) {
            continue;
        }
        let left_ms = clocks.left_ms(side).unwrap();
        let quota_ms = clocks.deadline_ms().unwrap() - left_ms;
        let of_lag = ledger.iter().filter(|entry| entry.why == Why::Lag);
        let credit_ms: i64 = of_lag.map(|entry| entry.ms).sum();
        let needed_ms = (spent.elapsed_ms - left_ms).max(0);
        assert!(credit_ms <= quota_ms, "{credit_ms} of {quota_ms}");
        assert!(credit_ms <= spent.lag_ms.max(needed_ms), "{spent:?}");
        let account = &mut accounts[side];
        account.lag_ms += credit_ms;
        if action == Action::LoseTurn {
            account.lost += 1;
        } else {
            let (least, most) = account.measured_ms.unwrap_or((spent.lag_ms, spent.lag_ms));
            account.measured_ms = Some((least.min(spent.lag_ms), most.max(spent.lag_ms)));
        }
        elapsed[side] += spent.elapsed_ms;
        account.choices += 1;
        let turn = |play: &Match| {
            let standing = play
                .play()
                .map(|play| play.game().position().standing().to_owned());
            standing.map(|standing| (standing.turn, standing.to_move))
        };
        if turn(&before) != turn(&play) {
            account.turns += 1;
            let over_ms = (std::mem::take(&mut elapsed[side]) - turn_ms).max(0);
            account.over_ms += over_ms;
            account.saved += i64::from(over_ms > 0);
        }
    }
    accounts
}

/// A blitz of Omweso that has just begun: the first moves have half a minute.
async fn blitz() -> Service {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
    spec.way = Some(Way::Blitz);
    spec.clock = Control::BLITZ;
    Service::with(Played::of(1, spec), 2).await
}

/// Plays between two lines, and returns what the ledger says.
async fn played(
    service: &Service,
    lines: BySide<Line>,
    thinking: BySide<Thinking>,
    numbers: u32,
) -> BySide<Account> {
    let plays = |side: Side| {
        let (line, thinking) = (lines[side], thinking[side].clone());
        async move {
            let mut player = service.join_on(side, line).await;
            play(&mut player, line.seed ^ 0xabc, thinking, numbers).await;
        }
    };
    tokio::join!(plays(Side::South), plays(Side::North));
    account(service, 3_000).await
}

#[tokio::test(start_paused = true)]
async fn over_a_mobile_network_no_turn_is_lost_that_would_not_be_at_a_table() {
    let mut all = Account::default();
    for seed in 0..60 {
        let service = blitz().await;
        let lines = BySide {
            south: Line::mobile(2 * seed, Pongs::Honest),
            north: Line::mobile(2 * seed + 1, Pongs::Honest),
        };
        let thinking = BySide::both(AS_AT_A_TABLE);
        let accounts = played(&service, lines, thinking, 120).await;
        for account in [accounts.south, accounts.north] {
            eprintln!("seed {seed}: {account:?}");
            assert_eq!(account.lost, 0, "seed {seed}: {account:?}");
            all.turns += account.turns;
            all.choices += account.choices;
            all.saved += account.saved;
            all.lag_ms += account.lag_ms;
            let (least, most) = account.measured_ms.unwrap();
            assert!(least == 0 || least >= 200, "{account:?}");
            assert!(most <= 601, "{account:?}");
        }
    }
    eprintln!("{all:?}");
    // At a table all of them would have been in time; without credit these would not.
    assert!(all.turns > 500 && all.saved > all.turns / 4, "{all:?}");
}
