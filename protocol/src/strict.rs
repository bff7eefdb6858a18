//! Reading as strictly as the schemas say. What serde derives also takes a list of the
//! fields' values for an object, and an object for a word; nobody is told of these forms,
//! so nobody shall come to rely on them.

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, Deserializer, Visitor};
use std::borrow::Cow;

/// A deserializer that gives objects only.
pub(crate) struct Object<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

/// Reads a word from a string.
pub(crate) fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = <Cow<'de, str>>::deserialize(deserializer)?;
    T::deserialize(StrDeserializer::new(&text))
}

/// Reads a word that may be left out from a string.
pub(crate) fn word_if_any<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let text = <Option<Cow<'de, str>>>::deserialize(deserializer)?;
    let read = |text: Cow<'_, str>| T::deserialize(StrDeserializer::new(&text));
    text.map(read).transpose()
}

/// Makes a type that derives `#[serde(remote = "Self")]` be read from objects only.
macro_rules! read_from_objects {
    ($($name:ty),* $(,)?) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$name>::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$name>::deserialize($crate::strict::Object(deserializer))
            }
        }
    )*};
}
pub(crate) use read_from_objects;
