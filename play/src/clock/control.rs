//! How the time of a match is kept, as it was agreed.

use crate::Leaving;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the time of a match is kept. Within its bounds always: others are not read and not
/// made.
///
/// ```
/// use mancala_play::{BadControl, Control, WhenOut};
/// let blitz: Control = serde_json::from_str(
///     r#"{"type":"per_move","seconds":3,"out":"loses_turn"}"#,
/// )?;
/// assert_eq!(blitz, Control::BLITZ);
/// assert_eq!(Control::correspondence(15), Err(BadControl::Days));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Control(Form);

/// What a control is, in the bounds of [`Control`]. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Form {
    /// Nobody looks at a clock.
    Untimed {},
    /// So long for each turn, 1 second to an hour.
    PerMove {
        /// For a turn.
        seconds: u32,
        /// What happens when they are over.
        out: WhenOut,
    },
    /// A stock, up to three hours, and something for each turn, up to three minutes; not
    /// nothing of both.
    Fischer {
        /// At the beginning.
        initial: u32,
        /// After each turn.
        increment: u32,
    },
    /// A stock, up to three hours, and then periods, 1 to 25 of a second to an hour each: one
    /// that is used up is gone, one in which a turn ends begins anew.
    ByoYomi {
        /// The stock.
        main: u32,
        /// The length of a period.
        period: u32,
        /// How many there are.
        periods: u32,
    },
    /// So many days for each turn, 1 to 14.
    Correspondence {
        /// For a turn.
        days: u32,
    },
}

/// What it means that a side is out of time.
///
/// ```
/// use mancala_play::{Control, WhenOut};
/// assert_eq!(Control::BLITZ.when_out(), WhenOut::LosesTurn);
/// assert_eq!(Control::correspondence(3)?.when_out(), WhenOut::LosesGame);
/// # Ok::<(), mancala_play::BadControl>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenOut {
    /// The turn goes to the other side.
    LosesTurn,
    /// The other side wins the game.
    LosesGame,
}

/// A bound of [`Form`] is not kept.
///
/// ```
/// use mancala_play::{BadControl, Control};
/// assert_eq!(Control::fischer(0, 0), Err(BadControl::Nothing));
/// assert_eq!(BadControl::Days.to_string(), "a turn takes 1 to 14 days");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadControl {
    /// The seconds of a turn or of a period.
    Seconds,
    /// The stock.
    Stock,
    /// The increment.
    Increment,
    /// Neither a stock nor an increment.
    Nothing,
    /// The number of periods.
    Periods,
    /// The days of a turn.
    Days,
}

impl fmt::Display for BadControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadControl::Seconds => "a turn or a period takes 1 to 3600 seconds",
            BadControl::Stock => "a stock of time is at most 10800 seconds",
            BadControl::Increment => "an increment is at most 180 seconds",
            BadControl::Nothing => "a clock begins with some time: a stock, an increment or both",
            BadControl::Periods => "there are 1 to 25 periods",
            BadControl::Days => "a turn takes 1 to 14 days",
        })
    }
}

impl std::error::Error for BadControl {}

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;

/// Time to look at the board, which may just have been laid out anew.
const FIRST_MOVE_MS: i64 = 30 * SECOND_MS;
const DAY_MS: i64 = 24 * 60 * 60 * SECOND_MS;

impl Control {
    /// Nobody looks at a clock.
    pub const UNTIMED: Control = Control(Form::Untimed {});

    /// Omweso's *ekyobutabala*: three seconds a turn, and then the turn is lost.
    pub const BLITZ: Control = Control(Form::PerMove {
        seconds: 3,
        out: WhenOut::LosesTurn,
    });

    /// A stock, and something for each turn, in seconds.
    ///
    /// # Errors
    /// A bound is not kept.
    pub fn fischer(initial: u32, increment: u32) -> Result<Control, BadControl> {
        Form::Fischer { initial, increment }.try_into()
    }

    /// So many days for each turn.
    ///
    /// # Errors
    /// They are not 1 to 14.
    pub fn correspondence(days: u32) -> Result<Control, BadControl> {
        Form::Correspondence { days }.try_into()
    }

    /// What it is.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.0
    }

    /// Does nobody look at a clock?
    #[must_use]
    pub const fn is_untimed(&self) -> bool {
        matches!(self.0, Form::Untimed {})
    }

    /// Has each turn days?
    #[must_use]
    pub const fn is_correspondence(&self) -> bool {
        matches!(self.0, Form::Correspondence { .. })
    }

    /// How long a side has for its first move of a game, in milliseconds, while its clock
    /// stands; as long as for any other, where that is more. Nothing of an untimed match.
    #[must_use]
    pub fn first_move_ms(&self) -> Option<i64> {
        match self.0 {
            Form::Untimed {} => None,
            _ => Some(self.turn_ms().unwrap_or(0).max(FIRST_MOVE_MS)),
        }
    }

    /// What a side gets that asks for more time and is given it, in milliseconds: another
    /// turn's time, or a minute.
    #[must_use]
    pub fn more_ms(&self) -> u32 {
        let ms = self.turn_ms().unwrap_or(MINUTE_MS);
        u32::try_from(ms).unwrap_or(u32::MAX)
    }

    /// How long a side may be away at first, in milliseconds: longer where the line was lost,
    /// which may come back by itself, and where no clock hurries anybody.
    #[must_use]
    pub const fn grace_ms(&self, how: Leaving) -> i64 {
        match (self.0, how) {
            (Form::Untimed {}, Leaving::Dropped) => 3 * MINUTE_MS,
            (Form::Untimed {}, Leaving::Closed) | (_, Leaving::Dropped) => MINUTE_MS,
            (_, Leaving::Closed) => 20 * SECOND_MS,
        }
    }

    /// What happens to a side that is out of time.
    #[must_use]
    pub const fn when_out(&self) -> WhenOut {
        match self.0 {
            Form::PerMove { out, .. } => out,
            _ => WhenOut::LosesGame,
        }
    }

    /// What each side has at first, in milliseconds, and how many periods beside it; nothing
    /// of an untimed match.
    pub(super) fn beginning(self) -> Option<(i64, u32)> {
        match self.0 {
            Form::Untimed {} => None,
            Form::Fischer {
                initial: 0,
                increment,
            } => Some((i64::from(increment) * SECOND_MS, 0)),
            Form::Fischer { initial, .. } => Some((i64::from(initial) * SECOND_MS, 0)),
            Form::ByoYomi { main, periods, .. } => Some((i64::from(main) * SECOND_MS, periods)),
            Form::PerMove { .. } | Form::Correspondence { .. } => self.turn_ms().map(|ms| (ms, 0)),
        }
    }

    /// What every turn has, where one is like another.
    pub(super) fn turn_ms(self) -> Option<i64> {
        match self.0 {
            Form::PerMove { seconds, .. } => Some(i64::from(seconds) * SECOND_MS),
            Form::Correspondence { days } => Some(i64::from(days) * DAY_MS),
            _ => None,
        }
    }

    pub(super) fn increment_ms(self) -> i64 {
        match self.0 {
            Form::Fischer { increment, .. } => i64::from(increment) * SECOND_MS,
            _ => 0,
        }
    }

    pub(super) fn period_ms(self) -> i64 {
        match self.0 {
            Form::ByoYomi { period, .. } => i64::from(period) * SECOND_MS,
            _ => 0,
        }
    }

    pub(super) const fn periods(self) -> u32 {
        match self.0 {
            Form::ByoYomi { periods, .. } => periods,
            _ => 0,
        }
    }
}

impl Default for Control {
    /// Nobody looks at a clock.
    fn default() -> Control {
        Control::UNTIMED
    }
}

impl fmt::Display for Control {
    /// For people and records: `300+5`, `3 a turn, loses turn`, `600+5x30`, `3 days a turn`,
    /// `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Untimed {} => f.write_str("none"),
            Form::PerMove { seconds, out } => write!(
                f,
                "{seconds} a turn, {}",
                match out {
                    WhenOut::LosesTurn => "loses turn",
                    WhenOut::LosesGame => "loses game",
                }
            ),
            Form::Fischer { initial, increment } => write!(f, "{initial}+{increment}"),
            Form::ByoYomi {
                main,
                period,
                periods,
            } => write!(f, "{main}+{periods}x{period}"),
            Form::Correspondence { days } => write!(f, "{days} days a turn"),
        }
    }
}

impl From<Control> for Form {
    fn from(control: Control) -> Form {
        control.0
    }
}

impl TryFrom<Form> for Control {
    type Error = BadControl;

    fn try_from(form: Form) -> Result<Control, BadControl> {
        let ensure = |holds: bool, bad| if holds { Ok(()) } else { Err(bad) };
        let stock = |seconds: u32| ensure(seconds <= 10_800, BadControl::Stock);
        let turn = |seconds: u32| ensure((1..=3_600).contains(&seconds), BadControl::Seconds);
        match form {
            Form::Untimed {} => {}
            Form::PerMove { seconds, .. } => turn(seconds)?,
            Form::Fischer { initial, increment } => {
                stock(initial)?;
                ensure(increment <= 180, BadControl::Increment)?;
                ensure(initial + increment > 0, BadControl::Nothing)?;
            }
            Form::ByoYomi {
                main,
                period,
                periods,
            } => {
                stock(main)?;
                turn(period)?;
                ensure((1..=25).contains(&periods), BadControl::Periods)?;
            }
            Form::Correspondence { days } => ensure((1..=14).contains(&days), BadControl::Days)?,
        }
        Ok(Control(form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_kept() {
        let refused = |text: &str| {
            let error = serde_json::from_str::<Control>(text).unwrap_err();
            error.to_string()
        };
        for (text, bad) in [
            (
                r#"{"type":"per_move","seconds":0,"out":"loses_turn"}"#,
                BadControl::Seconds,
            ),
            (
                r#"{"type":"per_move","seconds":3601,"out":"loses_game"}"#,
                BadControl::Seconds,
            ),
            (
                r#"{"type":"fischer","initial":10801,"increment":0}"#,
                BadControl::Stock,
            ),
            (
                r#"{"type":"fischer","initial":1,"increment":181}"#,
                BadControl::Increment,
            ),
            (
                r#"{"type":"fischer","initial":0,"increment":0}"#,
                BadControl::Nothing,
            ),
            (
                r#"{"type":"byo_yomi","main":0,"period":0,"periods":1}"#,
                BadControl::Seconds,
            ),
            (
                r#"{"type":"byo_yomi","main":0,"period":1,"periods":0}"#,
                BadControl::Periods,
            ),
            (
                r#"{"type":"byo_yomi","main":0,"period":1,"periods":26}"#,
                BadControl::Periods,
            ),
            (r#"{"type":"correspondence","days":0}"#, BadControl::Days),
        ] {
            assert_eq!(refused(text), bad.to_string(), "{text}");
        }
        assert!(refused(r#"{"type":"correspondence","days":3,"hours":1}"#).contains("hours"));
        assert!(refused(r#"{"type":"correspondence","days":-1}"#).contains("-1"));
        assert!(refused(r#"{"type":"untimed","seconds":3}"#).contains("seconds"));
    }

    #[test]
    fn forms_are_read_back() {
        for text in [
            r#"{"type":"untimed"}"#,
            r#"{"type":"per_move","seconds":3,"out":"loses_turn"}"#,
            r#"{"type":"fischer","initial":300,"increment":5}"#,
            r#"{"type":"byo_yomi","main":600,"period":30,"periods":5}"#,
            r#"{"type":"correspondence","days":14}"#,
        ] {
            let control: Control = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&control).unwrap(), text);
        }
    }
}
