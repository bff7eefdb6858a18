//! Reading as strictly as the schemas say. What serde derives also takes a list of the
//! fields' values for an object, and an object for a word; nobody is told of these forms,
//! so nobody shall come to rely on them.

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
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

/// Reads a whole number. One such as `6.0` is 6, as in [`given_object`].
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = whole(Value::deserialize(deserializer)?);
    u32::deserialize(value).map_err(D::Error::custom)
}

/// Reads an object that tells its kinds apart by a field.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(Object(deserializer))
}

/// Reads a word from a string.
pub(crate) fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = <Cow<'de, str>>::deserialize(deserializer)?;
    T::deserialize(StrDeserializer::new(&text))
}

/// Reads what may be left out, but not be `null`.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a word that may be left out from a string.
pub(crate) fn given_word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    word(deserializer).map(Some)
}

/// Reads an object that may be left out, in which, however deep, no name stands twice in one
/// object: of two values for it, one would be ignored in silence. A number such as `6.0` in it is 6: for JSON Schema,
/// and for languages that know floats only, they are the same.
pub(crate) fn given_object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    deserializer.deserialize_map(Distinct).map(Some)
}

struct Distinct;

impl<'de> Visitor<'de> for Distinct {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = serde_json::Map::new();
        while let Some((name, Deep(value))) = entries.next_entry::<String, Deep>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!(
                    "the field `{name}` stands twice"
                )));
            }
            object.insert(name, whole(value));
        }
        Ok(Value::Object(object))
    }
}

/// Any value, with such objects in it.
struct Deep(Value);

impl<'de> Deserialize<'de> for Deep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Deep, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Deep)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        Distinct.visit_map(entries)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Deep(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// The value, an integer where it is a whole number, and so with all in it. Up to here a float
/// tells each integer from the next.
fn whole(value: Value) -> Value {
    let value = match value {
        Value::Array(list) => return list.into_iter().map(whole).collect(),
        Value::Object(object) => {
            let whole = |(name, value)| (name, whole(value));
            return object.into_iter().map(whole).collect();
        }
        value => value,
    };
    let float = value.as_f64().filter(|_| value.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() < 2f64.powi(53)) {
        Some(whole) => (whole as i64).into(),
        None => value,
    }
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
