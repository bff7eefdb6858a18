//! The clocks of a match on the wire.

use crate::forms::Which;
use mancala_engine::{BySide, Side};
use mancala_play::{Clocks, ControlForm, Entry, Ledger, Why};
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
    /// What it shows, in milliseconds: the sum of its ledger. What it has is that and its
    /// periods.
    pub ms: i64,
    /// Periods that have not begun; left out where the clock knows no periods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
    /// Every change of it in this game, summed up by reasons.
    pub ledger: Entries,
}

/// How an event changed the clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockChange {
    /// Of south.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub south: Option<SideChange>,
    /// Of north.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub north: Option<SideChange>,
    /// Does no clock run after it? Else that of the side to move does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands: bool,
}

/// How an event changed the clock of a side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Change")]
pub struct SideChange {
    /// Each is added to the clock.
    #[serde(flatten)]
    pub entries: Entries,
    /// How many periods have yet to begin, where one began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
}

/// Entries of the ledger of one side, in milliseconds, by reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entries {
    /// What the side has when the game begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<i64>,
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
    /// The side was to move until the clocks stood for a pause. Less than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<i64>,
    /// The side was to move until its turn was lost. Less than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_turn: Option<i64>,
}

impl Entries {
    /// By how much the clock changes.
    #[must_use]
    pub fn sum(&self) -> i64 {
        Why::ALL.into_iter().filter_map(|why| self.get(why)).sum()
    }

    /// The entries of this reason together.
    #[must_use]
    pub const fn get(&self, why: Why) -> Option<i64> {
        match why {
            Why::Begun => self.begun,
            Why::Thinking => self.thinking,
            Why::Lag => self.lag,
            Why::Increment => self.increment,
            Why::Period => self.period,
            Why::Anew => self.anew,
            Why::Given => self.given,
            Why::Pause => self.pause,
            Why::LostTurn => self.lost_turn,
        }
    }

    fn enter(&mut self, why: Why, ms: i64) {
        let place = match why {
            Why::Begun => &mut self.begun,
            Why::Thinking => &mut self.thinking,
            Why::Lag => &mut self.lag,
            Why::Increment => &mut self.increment,
            Why::Period => &mut self.period,
            Why::Anew => &mut self.anew,
            Why::Given => &mut self.given,
            Why::Pause => &mut self.pause,
            Why::LostTurn => &mut self.lost_turn,
        };
        // What comes to nothing is left out, whichever way it came to that.
        *place = Some(place.unwrap_or(0) + ms).filter(|ms| *ms != 0);
    }
}

impl From<&Ledger> for Entries {
    fn from(ledger: &Ledger) -> Entries {
        let mut entries = Entries::default();
        for why in Why::ALL {
            match ledger.of(why) {
                0 => {}
                ms => entries.enter(why, ms),
            }
        }
        entries
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
            let of_side = change.place(entry.side).get_or_insert_default();
            of_side.entries.enter(entry.why, entry.ms);
            if entry.why == Why::Period {
                of_side.periods = Some(after.periods(entry.side));
            }
        }
        Some(change)
    }

    const fn place(&mut self, side: Side) -> &mut Option<SideChange> {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }

    const fn get(&self, side: Side) -> Option<&SideChange> {
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
                ledger: clocks.ledger(side)?.into(),
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
            if let Some(of_side) = change.get(side) {
                clock.ms += of_side.entries.sum();
                clock.periods = of_side.periods.or(clock.periods);
                for why in Why::ALL {
                    if let Some(ms) = of_side.entries.get(why) {
                        clock.ledger.enter(why, ms);
                    }
                }
            }
        }
    }
}
