//! The arithmetic of clocks: tables of what happens, and what holds whatever happens.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::{BySide, Side};
use mancala_play::{
    Clocks, Control, ControlForm, Entry, LAG_QUOTA_AN_ACTION_MS, LAG_QUOTA_MS, Spent, WhenOut, Why,
};
use proptest::prelude::*;
use std::cmp::Ordering;

fn control(form: ControlForm) -> Control {
    form.try_into().unwrap()
}

fn per_move(seconds: u32) -> Control {
    let out = WhenOut::LosesTurn;
    control(ControlForm::PerMove { seconds, out })
}

fn byo_yomi(main: u32, period: u32, periods: u32) -> Control {
    control(ControlForm::ByoYomi {
        main,
        period,
        periods,
    })
}

/// One thing that happens to a clock.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The side whose clock runs has spent so much, of which so much was lag.
    Spend(i64, i64),
    /// It did so and its turn is over; the other side's clock runs.
    Turn(i64, i64),
    /// It is out of time, and the turn goes to the other side.
    RunOut,
    /// The clocks are stopped after so much, and run on for the same side.
    Pause(i64),
    /// A side is given so much.
    Give(Side, u32),
}

/// What a clock and its ledger come to.
struct Run {
    clocks: Clocks,
    ledger: Vec<Entry>,
}

impl Run {
    fn new(control: Control) -> Run {
        let (mut clocks, ledger) = Clocks::new(control);
        clocks.start(Side::South);
        Run { clocks, ledger }
    }

    fn step(&mut self, step: Step) {
        let clocks = &mut self.clocks;
        let side = clocks.running().unwrap();
        match step {
            Step::Spend(elapsed, lag) => self
                .ledger
                .extend(clocks.spend(Spent::new(elapsed, lag), Why::Thinking)),
            Step::Turn(elapsed, lag) => {
                self.ledger
                    .extend(clocks.spend(Spent::new(elapsed, lag), Why::Thinking));
                self.ledger.extend(clocks.end_turn(false));
                clocks.start(side.other());
            }
            Step::RunOut => {
                self.ledger
                    .extend(clocks.spend(clocks.all_left(), Why::LostTurn));
                self.ledger.extend(clocks.end_turn(false));
                clocks.start(side.other());
            }
            Step::Pause(elapsed) => {
                self.ledger
                    .extend(clocks.spend(Spent::new(elapsed, 0), Why::Pause));
                clocks.stop();
                assert_eq!(clocks.deadline_ms(), None, "no time goes by");
                clocks.start(side);
            }
            Step::Give(side, ms) => self.ledger.extend(clocks.give(side, ms)),
        }
    }

    fn of(control: Control, steps: &[Step]) -> Run {
        let mut run = Run::new(control);
        steps.iter().for_each(|step| run.step(*step));
        run
    }

    fn balance(&self, side: Side) -> i64 {
        let of_side = self.ledger.iter().filter(|entry| entry.side == side);
        of_side.map(|entry| entry.ms).sum()
    }

    fn left(&self) -> BySide<i64> {
        BySide::from_fn(|side| self.clocks.left_ms(side).unwrap())
    }

    fn words(&self, side: Side) -> Vec<(Why, i64)> {
        let of_side = self.ledger.iter().filter(|entry| entry.side == side);
        of_side.map(|entry| (entry.why, entry.ms)).collect()
    }
}

/// Each kind of clock, and what is left of both sides after each list of steps.
#[test]
fn clocks_by_steps() {
    use Step::{Give, Pause, RunOut, Spend, Turn};
    let fischer = Control::fischer(60, 5).unwrap();
    let days = Control::correspondence(1).unwrap();
    let day = 24 * 3_600_000;
    for (control, steps, south, north) in [
        (fischer, &[][..], 60_000, 60_000),
        (fischer, &[Turn(10_000, 0)], 55_000, 60_000),
        (fischer, &[Turn(10_000, 300)], 55_300, 60_000),
        (fischer, &[Turn(10_000, 0), Turn(1_000, 0)], 55_000, 64_000),
        (fischer, &[Spend(2_000, 0), Turn(3_000, 0)], 60_000, 60_000),
        (fischer, &[Turn(60_400, 0)], 5_000, 60_000),
        (fischer, &[RunOut], 5_000, 60_000),
        (fischer, &[Pause(7_000), Pause(0)], 53_000, 60_000),
        (fischer, &[Give(Side::North, 15_000)], 60_000, 75_000),
        (per_move(3), &[Turn(2_900, 0)], 3_000, 3_000),
        (per_move(3), &[Spend(1_000, 0)], 2_000, 3_000),
        (
            per_move(3),
            &[Spend(1_000, 0), Spend(1_900, 100)],
            200,
            3_000,
        ),
        (per_move(3), &[RunOut, RunOut], 3_000, 3_000),
        (per_move(3), &[Pause(2_000)], 1_000, 3_000),
        (
            per_move(3),
            &[Give(Side::South, 1_000), Turn(500, 0)],
            3_000,
            3_000,
        ),
        (byo_yomi(60, 10, 3), &[], 90_000, 90_000),
        (byo_yomi(60, 10, 3), &[Turn(50_000, 0)], 40_000, 90_000),
        (byo_yomi(60, 10, 3), &[Turn(65_000, 0)], 30_000, 90_000),
        (byo_yomi(60, 10, 3), &[Turn(72_000, 0)], 20_000, 90_000),
        (
            byo_yomi(60, 10, 3),
            &[Turn(72_000, 0), Turn(0, 0), Turn(9_000, 0)],
            20_000,
            90_000,
        ),
        (byo_yomi(60, 10, 3), &[Turn(89_999, 0)], 10_000, 90_000),
        (byo_yomi(60, 10, 3), &[Pause(89_000)], 1_000, 90_000),
        (byo_yomi(0, 10, 1), &[Turn(4_000, 0)], 10_000, 10_000),
        (days, &[Turn(3_600_000, 0)], day, day),
        (days, &[Spend(3_600_000, 0)], day - 3_600_000, day),
    ] {
        let run = Run::of(control, steps);
        assert_eq!(run.left(), BySide { south, north }, "{control:?} {steps:?}");
    }
}

#[test]
fn an_untimed_match_has_no_deadline_and_no_ledger() {
    let mut run = Run::of(Control::UNTIMED, &[Step::Turn(100_000, 0), Step::RunOut]);
    run.step(Step::Give(Side::South, 1_000));
    assert_eq!(run.clocks.deadline_ms(), None);
    assert_eq!(run.clocks.left_ms(Side::South), None);
    assert_eq!(run.ledger, []);
}

#[test]
fn a_ledger_says_why() {
    let run = Run::of(byo_yomi(10, 5, 2), &[Step::Turn(12_000, 150)]);
    assert_eq!(
        run.words(Side::South),
        [
            (Why::Begun, 10_000),
            (Why::Thinking, -12_000),
            (Why::Lag, 150),
            (Why::Period, 5_000),
            (Why::Anew, 1_850),
        ]
    );
    assert_eq!(run.words(Side::North), [(Why::Begun, 10_000)]);
}

/// Whoever lies about his way has the quota and what comes back to it, and no more.
#[test]
fn who_forges_his_lag_gains_the_quota() {
    let forged = Control::fischer(600, 0).unwrap();
    let turns = 20;
    let mut run = Run::new(forged);
    for _ in 0..turns {
        run.step(Step::Turn(5_000, 1_000_000));
        run.step(Step::Turn(5_000, 0));
    }
    let gained = run.balance(Side::South) - run.balance(Side::North);
    assert_eq!(gained, LAG_QUOTA_MS + (turns - 1) * LAG_QUOTA_AN_ACTION_MS);
    // Nothing that a client says is less than nothing.
    run.step(Step::Turn(5_000, -1_000_000));
    assert_eq!(
        run.words(Side::South).last(),
        Some(&(Why::Thinking, -5_000))
    );
    // Nor is time gained by moving before one could.
    let before = run.balance(Side::North);
    run.step(Step::Turn(-5_000, 1_000_000));
    assert_eq!(run.balance(Side::North), before);
}

/// At three seconds a move over a network whose way takes up to 300 ms each way, whoever
/// thinks up to three seconds loses no turn, though what is measured is too little.
#[test]
fn a_slow_way_alone_loses_no_turn() {
    let mut run = Run::new(Control::BLITZ);
    for turn in 0..1_000_i64 {
        let way = 200 + turn * 37 % 401;
        let elapsed = 3_000 + way;
        assert!(elapsed <= run.clocks.deadline_ms().unwrap(), "turn {turn}");
        run.step(Step::Turn(elapsed, way / 2));
    }
}

fn a_control() -> impl Strategy<Value = Control> {
    let out = || prop_oneof![Just(WhenOut::LosesTurn), Just(WhenOut::LosesGame)];
    prop_oneof![
        (1..=3_600_u32, out()).prop_map(|(seconds, out)| ControlForm::PerMove { seconds, out }),
        (0..=10_800_u32, 0..=180_u32).prop_map(|(initial, increment)| ControlForm::Fischer {
            initial: initial.max(u32::from(increment == 0)),
            increment,
        }),
        (0..=10_800_u32, 1..=3_600_u32, 1..=25_u32).prop_map(|(main, period, periods)| {
            ControlForm::ByoYomi {
                main,
                period,
                periods,
            }
        }),
        (1..=14_u32).prop_map(|days| ControlForm::Correspondence { days }),
    ]
    .prop_map(control)
}

fn a_step() -> impl Strategy<Value = Step> {
    let elapsed = || prop_oneof![4 => 0..20_000_i64, 1 => -5_000..3_000_000_000_i64];
    let lag = || prop_oneof![4 => 0..700_i64, 1 => any::<i64>()];
    let side = prop_oneof![Just(Side::South), Just(Side::North)];
    prop_oneof![
        3 => (elapsed(), lag()).prop_map(|(elapsed, lag)| Step::Spend(elapsed, lag)),
        8 => (elapsed(), lag()).prop_map(|(elapsed, lag)| Step::Turn(elapsed, lag)),
        1 => Just(Step::RunOut),
        2 => elapsed().prop_map(Step::Pause),
        1 => (side, 0..1_000_000_u32).prop_map(|(side, ms)| Step::Give(side, ms)),
    ]
}

proptest! {
    /// The balance is the sum of the entries; no clock is below nothing; there is a deadline
    /// while a clock runs; time comes from what was agreed or given alone, and what a pause
    /// leaves is what was there.
    #[test]
    fn no_time_is_made_and_no_deadline_lost(
        control in a_control(),
        steps in prop::collection::vec(a_step(), 0..60),
    ) {
        let mut run = Run::new(control);
        for step in steps {
            let before = (run.left(), run.ledger.len());
            let mover = run.clocks.running().unwrap();
            let deadline = run.clocks.deadline_ms();
            run.step(step);
            let after = run.left();
            let entries = &run.ledger[before.1..];
            prop_assert!(entries.iter().all(|entry| entry.ms != 0));
            for side in Side::ALL {
                let periods = i64::from(run.clocks.periods(side));
                let period_ms = match control.form() {
                    ControlForm::ByoYomi { period, .. } => i64::from(period) * 1_000,
                    _ => 0,
                };
                prop_assert_eq!(after[side], run.balance(side) + periods * period_ms);
                prop_assert!(run.balance(side) >= 0 && after[side] >= 0);
                let ledger = run.clocks.ledger(side).unwrap();
                prop_assert_eq!(ledger.balance_ms(), run.balance(side));
                for why in Why::ALL {
                    let entries = run.words(side).into_iter().filter(|entry| entry.0 == why);
                    prop_assert_eq!(ledger.of(why), entries.map(|(_, ms)| ms).sum::<i64>());
                }
                let of_side = entries.iter().filter(|entry| entry.side == side);
                let agreed: i64 = of_side
                    .filter(|entry| matches!(entry.why, Why::Increment | Why::Anew | Why::Given))
                    .map(|entry| entry.ms)
                    .sum();
                prop_assert!(after[side] <= before.0[side] + agreed.max(0), "{step:?}");
                if side != mover && !matches!(step, Step::Give(..)) {
                    prop_assert_eq!(after[side], before.0[side], "only the clock that runs changes");
                }
            }
            if let Step::Pause(elapsed) = step {
                let spent = elapsed.clamp(0, before.0[mover]);
                prop_assert_eq!(after[mover], before.0[mover] - spent);
                let later = run.clocks.deadline_ms().cmp(&deadline);
                prop_assert_ne!(later, Ordering::Greater, "a pause gives no time");
            }
            prop_assert!(run.clocks.deadline_ms().is_some_and(|ms| ms >= 0));
        }
    }

    /// What is kept of clocks is all of them.
    #[test]
    fn clocks_are_read_back(control in a_control(), steps in prop::collection::vec(a_step(), 0..9)) {
        let run = Run::of(control, &steps);
        let json = serde_json::to_string(&run.clocks).unwrap();
        prop_assert_eq!(serde_json::from_str::<Clocks>(&json).unwrap(), run.clocks);
    }
}
