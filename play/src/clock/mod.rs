//! The clocks of a match: what each side has left, and why.
//!
//! A clock is never a counter that ticks. It is a balance, and while a side is to move the
//! moment since which it is; so there is one moment at which its time is over, and whoever
//! waits for that waits for nothing else. Only lengths of time come in here, never moments:
//! the caller measures them.

mod control;
mod ledger;

pub use control::{BadControl, Control, Form as ControlForm, WhenOut};
pub use ledger::{Entry, Ledger, Why};

use mancala_engine::{BySide, Side};
use serde::{Deserialize, Serialize};

/// The most that a side is credited for the way that its moves take, in milliseconds, before
/// it has waited for more: as much as a slow mobile network takes there and back, and a
/// hiccup of it.
pub const LAG_QUOTA_MS: i64 = 1_000;

/// What comes back to that with each action, whether a turn is over with it or a choice in it
/// follows, which comes the same way: what such a network takes each time.
pub const LAG_QUOTA_AN_ACTION_MS: i64 = 600;

/// How long a side was to move until something came of it.
///
/// ```
/// use mancala_play::Spent;
/// assert_eq!(Spent { elapsed_ms: 2_400, lag_ms: 180 }, Spent::new(2_400, 180));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// From the moment at which it could know that it was to move, as the server saw it.
    pub elapsed_ms: i64,
    /// How much of that the way took there and back, as the server measured it.
    pub lag_ms: i64,
}

impl Spent {
    /// Nothing: what takes no time, or a match in which nobody looks.
    pub const NOTHING: Spent = Spent::new(0, 0);

    pub(crate) fn is_nothing(&self) -> bool {
        *self == Spent::NOTHING
    }

    /// Both in milliseconds.
    #[must_use]
    pub const fn new(elapsed_ms: i64, lag_ms: i64) -> Spent {
        Spent { elapsed_ms, lag_ms }
    }
}

/// What one side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Clock {
    ledger: Ledger,
    /// Periods that have not begun.
    periods: u32,
    /// How much it may yet be credited for lag.
    quota_ms: i64,
}

/// The clocks of both sides.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Clocks, Control, Spent, Why};
/// // Five minutes, and five seconds more after each turn.
/// let (mut clocks, mut ledger) = Clocks::new(Control::fischer(300, 5)?);
/// clocks.start(Side::South);
/// assert_eq!(clocks.left_ms(Side::South), Some(300_000));
/// // Time is over a second later than that, if the way of the last move takes so long.
/// assert_eq!(clocks.deadline_ms(), Some(301_000));
/// ledger.extend(clocks.spend(Spent::new(20_000, 200), Why::Thinking));
/// ledger.extend(clocks.end_turn(false));
/// assert_eq!(clocks.left_ms(Side::South), Some(300_000 - 20_000 + 200 + 5_000));
/// let of_south = ledger.iter().filter(|entry| entry.side == Side::South);
/// assert_eq!(of_south.map(|entry| entry.ms).sum::<i64>(), 285_200);
/// # Ok::<(), mancala_play::BadControl>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    control: Control,
    /// None in an untimed match.
    sides: Option<BySide<Clock>>,
    /// The side whose clock runs.
    running: Option<Side>,
}

impl Clocks {
    /// Clocks that stand, with what each side has at the beginning of a game.
    #[must_use]
    pub fn new(control: Control) -> (Clocks, Vec<Entry>) {
        let beginning = control.beginning();
        let mut entries = Vec::new();
        let sides = beginning.map(|(ms, periods)| {
            let mut sides = BySide::both(Clock {
                ledger: Ledger::default(),
                periods,
                quota_ms: LAG_QUOTA_MS,
            });
            for side in Side::ALL {
                sides[side].enter(&mut entries, side, Why::Begun, ms);
            }
            sides
        });
        let clocks = Clocks {
            control,
            sides,
            running: None,
        };
        (clocks, entries)
    }

    /// What was agreed.
    #[must_use]
    pub const fn control(&self) -> Control {
        self.control
    }

    /// The side whose clock runs.
    #[must_use]
    pub const fn running(&self) -> Option<Side> {
        self.running
    }

    /// How long the side may yet think, its periods and all, in milliseconds; for the side
    /// whose clock runs, from the last settlement on. None in an untimed match.
    #[must_use]
    pub fn left_ms(&self, side: Side) -> Option<i64> {
        let clock = &self.sides.as_ref()?[side];
        Some(clock.left_ms(self.control.period_ms()))
    }

    /// Why the clock of the side shows what it does. None in an untimed match.
    #[must_use]
    pub fn ledger(&self, side: Side) -> Option<&Ledger> {
        self.sides.as_ref().map(|sides| &sides[side].ledger)
    }

    /// What the clock of the side shows, in milliseconds: the sum of its entries, without the
    /// periods that have not begun. None in an untimed match.
    #[must_use]
    pub fn balance_ms(&self, side: Side) -> Option<i64> {
        self.ledger(side).map(Ledger::balance_ms)
    }

    /// The periods of the side that have not begun.
    #[must_use]
    pub fn periods(&self, side: Side) -> u32 {
        self.sides.as_ref().map_or(0, |sides| sides[side].periods)
    }

    /// How long after the last settlement the side whose clock runs is out of time, in
    /// milliseconds: what it has, and what it may be credited for lag.
    #[must_use]
    pub fn deadline_ms(&self) -> Option<i64> {
        let side = self.running?;
        let quota_ms = self.sides.as_ref()?[side].quota_ms;
        Some(self.left_ms(side)? + quota_ms)
    }

    /// What of this has to be written down: nothing, where nobody looks at a clock, or none
    /// runs.
    pub(crate) const fn counts(&self, spent: Spent) -> Spent {
        if self.control.is_untimed() || self.running.is_none() {
            Spent::NOTHING
        } else {
            spent
        }
    }

    /// All that there is of a side, for a digest.
    pub(crate) fn numbers(&self, side: Side) -> [i64; 3] {
        self.sides.as_ref().map_or([0; 3], |sides| {
            let clock = sides[side];
            [
                clock.ledger.balance_ms(),
                clock.periods.into(),
                clock.quota_ms,
            ]
        })
    }

    /// The clock of this side runs, and no other.
    pub const fn start(&mut self, side: Side) {
        self.running = Some(side);
    }

    /// No clock runs. What the side to move has spent is settled before.
    pub const fn stop(&mut self) {
        self.running = None;
    }

    /// Settles what the side whose clock runs has spent since it was settled last, because it
    /// has done something, or its clock is stopped. Its turn goes on. The entry stands for
    /// [`Why::Thinking`], or for what stopped the clock: [`Why::Pause`], [`Why::LostTurn`].
    ///
    /// It is credited for lag what was measured, and what it takes for its time not to be
    /// over, as far as its quota goes: so nobody is late by the way alone, and who makes his
    /// way look longer than it is gains no more than the quota.
    pub fn spend(&mut self, spent: Spent, why: Why) -> Vec<Entry> {
        let period_ms = self.control.period_ms();
        let (Some(side), Some(sides)) = (self.running, &mut self.sides) else {
            return Vec::new();
        };
        let clock = &mut sides[side];
        let left_ms = clock.left_ms(period_ms);
        let elapsed_ms = spent.elapsed_ms.clamp(0, left_ms + clock.quota_ms);
        let measured_ms = spent.lag_ms.clamp(0, elapsed_ms);
        let needed_ms = elapsed_ms - left_ms;
        let credit_ms = measured_ms.min(clock.quota_ms).max(needed_ms);
        clock.quota_ms -= credit_ms;
        let mut entries = Vec::new();
        clock.enter(&mut entries, side, why, -elapsed_ms);
        clock.enter(&mut entries, side, Why::Lag, credit_ms);
        while clock.ledger.balance_ms() < 0 && clock.periods > 0 {
            clock.periods -= 1;
            clock.enter(&mut entries, side, Why::Period, period_ms);
        }
        entries
    }

    /// What the side whose clock runs has spent when its time is over: all that it has, for
    /// what it might have been credited for lag was not measured.
    #[must_use]
    pub fn all_left(&self) -> Spent {
        let left_ms = self.running.and_then(|side| self.left_ms(side));
        Spent::new(left_ms.unwrap_or(0), 0)
    }

    /// The turn of the side whose clock runs is over, and what it has spent is settled. No
    /// clock runs then. A turn that is `played_again` after a takeback brings no increment.
    pub fn end_turn(&mut self, played_again: bool) -> Vec<Entry> {
        let control = self.control;
        let (Some(side), Some(sides)) = (self.running.take(), &mut self.sides) else {
            return Vec::new();
        };
        let clock = &mut sides[side];
        clock.refill_quota();
        let mut entries = Vec::new();
        if !played_again {
            clock.enter(&mut entries, side, Why::Increment, control.increment_ms());
        }
        let in_period = clock.periods < control.periods();
        let anew = control.turn_ms().or(in_period.then(|| control.period_ms()));
        if let Some(anew_ms) = anew {
            let missing_ms = anew_ms - clock.ledger.balance_ms();
            clock.enter(&mut entries, side, Why::Anew, missing_ms);
        }
        entries
    }

    /// The side whose clock runs has played an action, and something is left to choose in its
    /// turn, which goes on.
    pub(crate) fn go_on(&mut self) {
        if let (Some(side), Some(sides)) = (self.running, &mut self.sides) {
            sides[side].refill_quota();
        }
    }

    /// A side is given time by the other.
    pub fn give(&mut self, side: Side, ms: u32) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Some(sides) = &mut self.sides {
            sides[side].enter(&mut entries, side, Why::Given, i64::from(ms));
        }
        entries
    }
}

impl Clock {
    fn left_ms(&self, period_ms: i64) -> i64 {
        self.ledger.balance_ms() + i64::from(self.periods) * period_ms
    }

    fn refill_quota(&mut self) {
        self.quota_ms = (self.quota_ms + LAG_QUOTA_AN_ACTION_MS).min(LAG_QUOTA_MS);
    }

    /// Enters a change, and says so, if it is one.
    fn enter(&mut self, entries: &mut Vec<Entry>, side: Side, why: Why, ms: i64) {
        if ms != 0 {
            self.ledger.enter(why, ms);
            entries.push(Entry::new(side, why, ms));
        }
    }
}
