//! Lag: who plays over a slow network has the time that he would have at a table, and who
//! forges his pongs gains no more than a quota.

use crate::line::{Line, Pongs};
use crate::service::Service;
use crate::thinker::{AS_AT_A_TABLE, Thinking, play};
use mancala_engine::{BySide, Format, Mancala, Options, Position as _, Side};
use mancala_play::{Control, Event, LAG_QUOTA_AN_ACTION_MS, LAG_QUOTA_MS, Match, MatchSpec, Why};
use mancala_tests::logs::Played;

/// How many matches are played.
const SEEDS: u64 = 20;

/// What the log says of a side, from its first turn on the clock on.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    games: i64,
    turns: i64,
    /// Turns in which there was more than one choice.
    chosen_in: i64,
    actions: i64,
    /// Turns that were lost, and choices that were not made in time.
    lost: i64,
    /// Turns that took longer than a turn has, and were not lost.
    late: i64,
    /// By how much these took longer.
    late_ms: i64,
    /// All that was given back for lag.
    lag_ms: i64,
    /// The least and the most that was measured at a time.
    measured_ms: Option<(i64, i64)>,
}

impl Account {
    /// The most that may be given back.
    fn quota_ms(&self) -> i64 {
        LAG_QUOTA_MS * self.games + LAG_QUOTA_AN_ACTION_MS * self.actions
    }

    fn add(&mut self, other: Account) {
        self.games += other.games;
        self.turns += other.turns;
        self.chosen_in += other.chosen_in;
        self.actions += other.actions;
        self.lost += other.lost;
        self.late += other.late;
        self.late_ms += other.late_ms;
        self.lag_ms += other.lag_ms;
        self.measured_ms = match (self.measured_ms, other.measured_ms) {
            (Some((least, most)), Some((l, m))) => Some((least.min(l), most.max(m))),
            (one, other) => one.or(other),
        };
    }
}

/// Reads the log, and holds each credit against what was measured and what was needed.
async fn accounts(service: &Service) -> BySide<Account> {
    let mut accounts = BySide::both(Account::default());
    let mut log = service.log().await.into_iter().map(|row| row.event);
    let Some(Event::Created { spec }) = log.next() else {
        panic!("a log begins with its match")
    };
    let mut play = Match::create(spec);
    // What a turn has taken and had, and its choices, until it is over.
    let mut turn = (0, 0, 0);
    for event in log {
        let before = play.clone();
        let ledger = play.apply(&event).ledger;
        if let Event::GameBegan { .. } = event {
            accounts.south.games += 1;
            accounts.north.games += 1;
            turn = (0, 0, 0);
        }
        let Event::Acted {
            side: Some(side),
            spent,
            key,
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
        account.actions += 1;
        if key.is_none() {
            account.lost += 1;
        } else {
            let (least, most) = account.measured_ms.unwrap_or((i64::MAX, 0));
            let measured_ms = (least.min(spent.lag_ms), most.max(spent.lag_ms));
            account.measured_ms = Some(measured_ms);
        }
        let (took_ms, had_ms, choices) = turn;
        let had_ms = if choices == 0 { left_ms } else { had_ms };
        turn = (took_ms + spent.elapsed_ms, had_ms, choices + 1);
        let turn_of = |play: &Match| {
            let game = play.play().map(|play| play.game());
            game.map(|game| {
                let standing = game.position().standing();
                (standing.turn, standing.to_move)
            })
        };
        if turn_of(&before) != turn_of(&play) {
            let (took_ms, had_ms, choices) = std::mem::take(&mut turn);
            account.turns += 1;
            account.chosen_in += i64::from(choices > 1);
            account.late += i64::from(took_ms > had_ms);
            account.late_ms += (took_ms - had_ms).max(0);
        }
    }
    accounts
}

/// Both play, each on a line and thinking so long, until so many numbers have been used.
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
    accounts(service).await
}

#[tokio::test(start_paused = true)]
async fn over_a_mobile_network_no_turn_is_lost_that_would_not_be_at_a_table() {
    let mut all = Account::default();
    for seed in 0..SEEDS {
        let service = Service::blitz(2).await;
        let lines = BySide {
            south: Line::mobile(2 * seed, Pongs::Honest),
            north: Line::mobile(2 * seed + 1, Pongs::Honest),
        };
        let thinking = BySide::both(AS_AT_A_TABLE);
        let accounts = played(&service, lines, thinking, 120).await;
        for account in [accounts.south, accounts.north] {
            assert_eq!(account.lost, 0, "seed {seed}: {account:?}");
            all.add(account);
        }
    }
    let (_, most_ms) = all.measured_ms.unwrap();
    assert!(most_ms <= 601, "the way is measured, and nothing beside it");
    // Without credit, these turns would have been lost.
    assert!(all.turns > 500 && all.late > all.turns / 4, "{all:?}");
    assert!(
        all.chosen_in > 50,
        "a turn may be more than one choice: {all:?}"
    );
}

/// Who thinks longer than a turn has, and the way may take, loses it, and who plays against
/// him does not.
#[tokio::test(start_paused = true)]
async fn who_thinks_for_longer_than_a_turn_and_the_quota_loses_it() {
    for line in [Line::GOOD, Line::mobile(7, Pongs::Honest)] {
        let service = Service::blitz(2).await;
        let lines = BySide::both(line);
        let thinking = BySide {
            south: 4_001..4_002,
            north: AS_AT_A_TABLE,
        };
        let accounts = played(&service, lines, thinking, 21).await;
        let [south, north] = [accounts.south, accounts.north];
        assert!(south.turns >= 8 && south.lost == south.turns, "{south:?}");
        assert_eq!((south.late_ms, south.lag_ms), (0, 0));
        assert_eq!(north.lost, 0, "{north:?}");
    }
}

/// All who do not answer pings as they should.
const FORGERS: [Pongs; 7] = [
    Pongs::Late(700),
    Pongs::Late(2_000),
    Pongs::Late(8_000),
    Pongs::Other,
    Pongs::Twice,
    Pongs::Flood,
    Pongs::Never,
];

/// In blitz a turn that is late by less than the quota is in time, measured or not; so nobody
/// gains anything by forging.
#[tokio::test(start_paused = true)]
async fn who_forges_his_pongs_gains_no_more_than_the_quota() {
    for (seed, pongs) in (1..).zip(FORGERS) {
        // As late as can be: he hopes for all that there is. Later than the quota refills, too.
        for thinks_ms in [2_999, 3_550, 3_900] {
            let service = Service::blitz(2).await;
            let honest = Line::mobile(seed, Pongs::Honest);
            let lines = BySide {
                south: Line {
                    pongs,
                    least_ms: 0,
                    most_ms: 0,
                    ..honest
                },
                north: honest,
            };
            let thinking = BySide {
                south: thinks_ms..thinks_ms + 1,
                north: AS_AT_A_TABLE,
            };
            let accounts = played(&service, lines, thinking, 60).await;
            let forger = accounts.south;
            assert!(forger.turns >= 15, "{forger:?}");
            assert!(forger.lag_ms <= forger.quota_ms(), "{pongs:?}: {forger:?}");
            assert!(forger.late_ms <= forger.quota_ms(), "{pongs:?}: {forger:?}");
            // So long nobody thinks in each turn, whatever he forges.
            assert!(
                thinks_ms <= 3_600 || forger.lost > 5,
                "{pongs:?}: {forger:?}"
            );
            assert_eq!(accounts.north.lost, 0);
            let (_, measured_ms) = forger.measured_ms.unwrap_or_default();
            match pongs {
                Pongs::Late(ms) => assert!(measured_ms >= i64::try_from(ms).unwrap() - 1),
                _ => assert!(measured_ms <= 1, "{pongs:?}: {forger:?}"),
            }
        }
    }
}

/// With time for the whole game what is measured is given back each time: who makes his way
/// longer gains as much as the quota refills, and not a millisecond more.
#[tokio::test(start_paused = true)]
async fn with_time_for_a_game_too_a_forger_gains_no_more_than_the_quota() {
    let mut gained = Vec::new();
    for (seed, pongs) in (1..).zip(FORGERS) {
        let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
        spec.clock = Control::fischer(120, 2).unwrap();
        let service = Service::with(Played::of(1, spec), 2).await;
        let forged = Line {
            seed,
            pongs,
            ..Line::GOOD
        };
        let lines = BySide {
            south: forged,
            north: Line::mobile(seed, Pongs::Honest),
        };
        let accounts = played(&service, lines, BySide::both(500..2_500), 100).await;
        let [forger, honest] = [accounts.south, accounts.north];
        assert!(forger.turns >= 30 && forger.lost + honest.lost == 0);
        assert!(forger.lag_ms <= forger.quota_ms(), "{pongs:?}: {forger:?}");
        assert!(honest.lag_ms <= 601 * (honest.turns + honest.chosen_in * 3));
        assert!(honest.lag_ms >= 200 * (honest.turns - honest.games - 5));
        gained.push((pongs, forger.lag_ms, forger.quota_ms()));
    }
    for (pongs, lag_ms, quota_ms) in gained {
        match pongs {
            // It is worth something to him, and costs the other side no more than was agreed.
            Pongs::Late(_) => assert!(lag_ms > quota_ms / 2, "{pongs:?}: {lag_ms}"),
            _ => assert!(lag_ms <= 100, "{pongs:?}: {lag_ms}"),
        }
    }
}
