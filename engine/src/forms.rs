//! What may be read as one of the engine's JSON forms: an object only from an object
//! with exactly the fields of its form, a word only from a string.
//!
//! The readers that serde derives take more than that: a list of the fields' values for
//! a struct, `{"south": null}` for `"south"`. So those that are derived here are asked
//! through [`Object`] and [`word!`].

use crate::{
    AnywoliOptions, BaoKigogoOptions, Board, BySide, Direction, FullPit, LastFour, Mancala,
    NsoloOptions, OmwesoOptions, OmwesoSetup, Opening, PendingLap, Reason, Side, Standing,
    UrimOptions,
};
use serde::de::{DeserializeOwned, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use std::fmt;

/// Whatever is asked of it, hands over an object or nothing.
pub(crate) struct Object<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Fields(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

/// Takes the fields of an object, and nothing else.
struct Fields<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Fields<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}

/// A field that may be left out. Where it stands it holds a value: `null` is none, unless
/// the form has it.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a struct from an object with these fields: all of them, or, for options, those
/// that are not to be standard.
// Each field of the form is of a type of its own, which is found out from the struct.
macro_rules! object {
    ($type:ident $(<$of:ident>)? { $($field:ident),+ }) => {
        impl<'de $(, $of: Deserialize<'de>)?> Deserialize<'de> for $type $(<$of>)? {
            #[allow(non_camel_case_types, reason = "the fields' types are named after them")]
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Form<$($field),+> {
                    $($field: $field),+
                }
                let form = Form::deserialize(Object(deserializer))?;
                Ok($type { $($field: form.$field),+ })
            }
        }
    };
    ($type:ident { $($field:ident),+ } or standard) => {
        impl<'de> Deserialize<'de> for $type {
            #[allow(non_camel_case_types, reason = "the fields' types are named after them")]
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields, bound = "")]
                struct Form<$($field: DeserializeOwned),+> {
                    $(#[serde(default, deserialize_with = "present")]
                    $field: Option<$field>),+
                }
                let form = Form::deserialize(Object(deserializer))?;
                let standard = $type::default();
                Ok($type { $($field: form.$field.unwrap_or(standard.$field)),+ })
            }
        }
    };
}

/// Reads a unit enum from a string: the name of one of these variants in snake case.
macro_rules! word {
    ($type:ident { $($variant:ident),+ }) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(rename_all = "snake_case")]
                enum Form {
                    $($variant),+
                }
                // Does not compile where a variant is missing from the list.
                const _: fn($type) = |word| match word { $($type::$variant => ()),+ };
                let word = String::deserialize(deserializer)?;
                Ok(match Form::deserialize(word.into_deserializer())? {
                    $(Form::$variant => $type::$variant),+
                })
            }
        }
    };
}

object!(BySide<T> { south, north });
object!(Board { pits, stores });
object!(Standing {
    to_move,
    turn,
    quiet,
    phase
});
object!(PendingLap {
    pit,
    seeds,
    held,
    columns,
    laps
});

object!(OmwesoOptions { setup, cap, opening, akakyala, quiet_limit } or standard);
object!(AnywoliOptions { last_four, quiet_limit } or standard);
object!(UrimOptions { columns, full_pit, quiet_limit } or standard);
object!(BaoKigogoOptions { quiet_limit } or standard);
object!(NsoloOptions { columns, quiet_limit } or standard);

word!(Side { South, North });
word!(Direction { Forward, Reverse });
word!(Mancala {
    Omweso,
    Anywoli,
    Urim,
    BaoKigogo,
    Nsolo
});
word!(OmwesoSetup { Standard, Free });
word!(Opening {
    FirstTurn,
    EachPlayersFirstTurn,
    Off
});
word!(LastFour {
    LastCapture,
    LastSeed,
    Lottery
});
word!(FullPit { Skip, Forbid });
word!(Reason {
    Akawumbi,
    Okutema,
    Akakyala,
    Bulijo,
    LastFour,
    NoMove,
    AllCaptured,
    Immobilised,
    BothStuck,
    NeverEnding,
    Repetition,
    Quiet
});

pub(crate) use word;
