//! What a side may do, in the form in which programs say it.

use crate::{Pit, Side};
use std::fmt;

/// The way a lap is sown.
///
/// ```
/// use mancala_engine::Direction;
/// assert_eq!(Direction::Reverse.to_string(), "reverse");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Direction {
    /// Counter-clockwise seen from above: towards higher pit numbers.
    #[default]
    Forward,
    /// Clockwise: towards lower pit numbers. Omweso only.
    Reverse,
}

impl Direction {
    /// The name used in every text form: `forward` or `reverse`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Reverse => "reverse",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One thing a side does. Whether it may is for [`Game::check`](crate::Game::check)
/// to say; an `Action` only has the form of one.
///
/// Numbers are natural; those beyond what the type holds are kept as its largest
/// value, which no board has or can bear.
///
/// ```
/// use mancala_engine::{Action, Pit};
/// let action = Action::sow(Pit(3));
/// assert!(matches!(action, Action::Sow { pit: Pit(3), .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Lift the seeds of a pit of one's own and sow them.
    Sow {
        /// The pit to lift.
        pit: Pit,
        /// The way to sow; [`Direction::Reverse`] exists in Omweso only.
        dir: Direction,
    },
    /// Omweso's okukoneeza: two seeds into the next pit, one into the one after.
    Koneeza {
        /// The pit with three seeds.
        pit: Pit,
    },
    /// Omweso: the way the lap about to start is sown, where both are possible.
    Direction {
        /// The way chosen.
        dir: Direction,
    },
    /// Omweso with free setup: the seeds for one's own sixteen pits, in pit order.
    Arrange {
        /// Seeds for pit 0, 1, ..
        pits: Vec<u32>,
    },
    /// Nsolo: which seeds of the opponent go with a capture.
    Strip {
        /// Pits of the opponent, and how many seeds to take from each.
        take: Vec<(Pit, u32)>,
    },
    /// Anywoli with `last_four` lottery: the lot's answer. The lot is drawn outside.
    Lottery {
        /// The side that gets the last four seeds.
        to: Side,
    },
    /// The side to move loses its turn; only a clock brings this.
    LoseTurn,
}

impl Action {
    /// Sowing forward from `pit`.
    #[must_use]
    pub const fn sow(pit: Pit) -> Action {
        Action::Sow {
            pit,
            dir: Direction::Forward,
        }
    }

    /// Sowing in reverse from `pit`.
    #[must_use]
    pub const fn sow_reverse(pit: Pit) -> Action {
        Action::Sow {
            pit,
            dir: Direction::Reverse,
        }
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;
    use crate::Printable;
    use crate::forms::{Object, present};
    use serde::de::{Error as _, Visitor};
    use serde::ser::SerializeMap;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// The most characters that are shown of a type that no action has.
    const KIND_SHOWN_MAX: usize = 40;

    /// A natural number of any size; what is beyond `u64` is read as `u64::MAX`.
    struct Natural(u64);

    impl<'de> Deserialize<'de> for Natural {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Natural, D::Error> {
            struct NaturalVisitor;
            impl Visitor<'_> for NaturalVisitor {
                type Value = Natural;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a natural number")
                }

                fn visit_u64<E>(self, number: u64) -> Result<Natural, E> {
                    Ok(Natural(number))
                }

                fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Natural, E> {
                    u64::try_from(number)
                        .map(Natural)
                        .map_err(|_| E::custom(format_args!("{number} is no natural number")))
                }

                fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Natural, E> {
                    // JSON readers hand integers beyond 64 bits over as floats.
                    if number >= u64::MAX as f64 {
                        Ok(Natural(u64::MAX))
                    } else {
                        Err(E::custom(format_args!("{number} is no natural number")))
                    }
                }
            }
            deserializer.deserialize_u64(NaturalVisitor)
        }
    }

    impl From<Natural> for u32 {
        fn from(Natural(number): Natural) -> u32 {
            u32::try_from(number).unwrap_or(u32::MAX)
        }
    }

    impl<'de> Deserialize<'de> for Pit {
        /// Any natural number; see [`Pit::NOWHERE`].
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pit, D::Error> {
            Natural::deserialize(deserializer).map(|Natural(number)| Pit::from(number))
        }
    }

    /// All the fields that actions have; which of them go together is checked after.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        r#type: String,
        #[serde(default, deserialize_with = "present")]
        pit: Option<Pit>,
        #[serde(default, deserialize_with = "present")]
        dir: Option<Direction>,
        #[serde(default, deserialize_with = "present")]
        pits: Option<Vec<Natural>>,
        #[serde(default, deserialize_with = "present")]
        take: Option<Vec<(Pit, Natural)>>,
        #[serde(default, deserialize_with = "present")]
        to: Option<Side>,
    }

    impl<'de> Deserialize<'de> for Action {
        /// Reads `{"type": "sow", "pit": 3}` and its like. Whatever cannot be read is
        /// [`Refusal::BadAction`](crate::Refusal::BadAction).
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
            let form = Form::deserialize(Object(deserializer))?;
            let kind = form.r#type.as_str();
            match (kind, form.pit, form.dir, form.pits, form.take, form.to) {
                ("sow", Some(pit), dir, None, None, None) => Ok(Action::Sow {
                    pit,
                    dir: dir.unwrap_or_default(),
                }),
                ("koneeza", Some(pit), None, None, None, None) => Ok(Action::Koneeza { pit }),
                ("direction", None, Some(dir), None, None, None) => Ok(Action::Direction { dir }),
                ("arrange", None, None, Some(pits), None, None) => Ok(Action::Arrange {
                    pits: pits.into_iter().map(u32::from).collect(),
                }),
                ("strip", None, None, None, Some(take), None) => Ok(Action::Strip {
                    take: take
                        .into_iter()
                        .map(|(pit, seeds)| (pit, seeds.into()))
                        .collect(),
                }),
                ("lottery", None, None, None, None, Some(to)) => Ok(Action::Lottery { to }),
                ("lose_turn", None, None, None, None, None) => Ok(Action::LoseTurn),
                _ => Err(D::Error::custom(format_args!(
                    "an action of type `{}` with these fields does not exist",
                    Printable(kind).cut(KIND_SHOWN_MAX)
                ))),
            }
        }
    }

    impl Serialize for Action {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            match self {
                Action::Sow { pit, dir } => {
                    map.serialize_entry("type", "sow")?;
                    map.serialize_entry("pit", pit)?;
                    if *dir == Direction::Reverse {
                        map.serialize_entry("dir", dir)?;
                    }
                }
                Action::Koneeza { pit } => {
                    map.serialize_entry("type", "koneeza")?;
                    map.serialize_entry("pit", pit)?;
                }
                Action::Direction { dir } => {
                    map.serialize_entry("type", "direction")?;
                    map.serialize_entry("dir", dir)?;
                }
                Action::Arrange { pits } => {
                    map.serialize_entry("type", "arrange")?;
                    map.serialize_entry("pits", pits)?;
                }
                Action::Strip { take } => {
                    map.serialize_entry("type", "strip")?;
                    map.serialize_entry("take", take)?;
                }
                Action::Lottery { to } => {
                    map.serialize_entry("type", "lottery")?;
                    map.serialize_entry("to", to)?;
                }
                Action::LoseTurn => map.serialize_entry("type", "lose_turn")?,
            }
            map.end()
        }
    }
}
