//! The clocks of a match on the wire.

use crate::forms::Which;
use mancala_engine::{BySide, Side};
use mancala_play::{Clocks, ControlForm, Entry, Why};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value for each side that has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Some_of_{T}")]
pub struct SomeSides<T> {
    /// Of south.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub south: Option<T>,
    /// Of north.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub north: Option<T>,
}

impl<T> Default for SomeSides<T> {
    /// Neither side has one.
    fn default() -> SomeSides<T> {
        SomeSides {
            south: None,
            north: None,
        }
    }
}

impl<T> SomeSides<T> {
    /// The value of a side, if it has one.
    pub const fn get(&self, side: Side) -> Option<&T> {
        match side {
            Side::South => self.south.as_ref(),
            Side::North => self.north.as_ref(),
        }
    }

    /// The place of a side's value.
    pub const fn place(&mut self, side: Side) -> &mut Option<T> {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }

    /// Has no side a value?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.south.is_none() && self.north.is_none()
    }
}

impl<T> From<BySide<Option<T>>> for SomeSides<T> {
    fn from(both: BySide<Option<T>>) -> SomeSides<T> {
        SomeSides {
            south: both.south,
            north: both.north,
        }
    }
}

/// The clocks of both sides at a moment. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Clocks")]
pub struct ClocksView {
    /// Of south.
    pub south: ClockView,
    /// Of north.
    pub north: ClockView,
    /// The side whose clock runs; left out while both stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Which>")]
    pub running: Option<Side>,
    /// How long the match has waited since its clocks changed last: the clock that runs has so
    /// much less than it says.
    pub elapsed_ms: i64,
    /// How long until something happens by itself, if nothing else does before; left out where
    /// nothing would. An event that changes the clocks makes it out of date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ms: Option<i64>,
}

/// The clock of a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Clock")]
pub struct ClockView {
    /// What it shows, in milliseconds: the sum of its entries in the ledger. What it has is
    /// that and its periods.
    pub ms: i64,
    /// Periods that have not begun; left out where the clock knows no periods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
}

/// How an event changed the clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockChange {
    /// Of south.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub south: Option<Entries>,
    /// Of north.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub north: Option<Entries>,
    /// Does no clock run after it? Else that of the side to move does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands: bool,
}

/// Entries of the ledger of one side, in milliseconds; each is added to its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entries {
    /// The side was to move. Less than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<i64>,
    /// Some of that the way took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<i64>,
    /// For a turn, as agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment: Option<i64>,
    /// One or more periods began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<i64>,
    /// What a turn or a period has is there again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anew: Option<i64>,
    /// The other side gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<i64>,
    /// How many periods have yet to begin, where one began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
}

impl Entries {
    /// By how much the clock changes.
    #[must_use]
    pub fn sum(&self) -> i64 {
        let all = [
            self.thinking,
            self.lag,
            self.increment,
            self.period,
            self.anew,
            self.given,
        ];
        all.into_iter().flatten().sum()
    }

    fn add(&mut self, entry: &Entry) {
        let place = match entry.why {
            Why::Thinking => &mut self.thinking,
            Why::Lag => &mut self.lag,
            Why::Increment => &mut self.increment,
            Why::Period => &mut self.period,
            // What a game begins with is told with its clocks as a whole.
            Why::Anew | Why::Begun => &mut self.anew,
            Why::Given => &mut self.given,
        };
        *place = Some(place.unwrap_or(0) + entry.ms);
    }
}

impl ClockChange {
    /// What an event changed, and how the clocks are after it. Nothing in an untimed match.
    pub(crate) fn of(ledger: &[Entry], after: &Clocks) -> Option<ClockChange> {
        if after.control().is_untimed() {
            return None;
        }
        let mut change = ClockChange {
            stands: after.running().is_none(),
            ..ClockChange::default()
        };
        for entry in ledger {
            let entries = change.place(entry.side).get_or_insert_default();
            entries.add(entry);
            if entry.why == Why::Period {
                entries.periods = Some(after.periods(entry.side));
            }
        }
        Some(change)
    }

    const fn place(&mut self, side: Side) -> &mut Option<Entries> {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }

    const fn get(&self, side: Side) -> Option<&Entries> {
        match side {
            Side::South => self.south.as_ref(),
            Side::North => self.north.as_ref(),
        }
    }
}

impl ClocksView {
    pub(crate) fn of(clocks: &Clocks, elapsed_ms: i64, due_ms: Option<i64>) -> Option<ClocksView> {
        let has_periods = matches!(clocks.control().form(), ControlForm::ByoYomi { .. });
        let clock = |side| {
            Some(ClockView {
                ms: clocks.balance_ms(side)?,
                periods: has_periods.then(|| clocks.periods(side)),
            })
        };
        Some(ClocksView {
            south: clock(Side::South)?,
            north: clock(Side::North)?,
            running: clocks.running(),
            elapsed_ms,
            due_ms,
        })
    }

    /// Carries a change into the clocks: `to_move` is the side to move after it.
    pub(crate) fn take(&mut self, change: &ClockChange, to_move: Side) {
        self.add(change);
        self.running = (!change.stands).then_some(to_move);
        self.elapsed_ms = 0;
        self.due_ms = None;
    }

    /// No clock runs any more, and nothing is due.
    pub(crate) const fn stop(&mut self) {
        self.running = None;
        self.elapsed_ms = 0;
        self.due_ms = None;
    }

    /// Time was given: the clock that runs goes on from where it is.
    pub(crate) fn take_given(&mut self, change: &ClockChange) {
        self.add(change);
        self.due_ms = None;
    }

    fn add(&mut self, change: &ClockChange) {
        for (side, clock) in [
            (Side::South, &mut self.south),
            (Side::North, &mut self.north),
        ] {
            if let Some(entries) = change.get(side) {
                clock.ms += entries.sum();
                clock.periods = entries.periods.or(clock.periods);
            }
        }
    }
}
