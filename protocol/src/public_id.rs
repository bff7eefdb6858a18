//! The short public name of a match or a team.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The short public name of a match: ten of the characters `A-Z a-z 0-9`. It names the
/// match in frames and in addresses.
///
/// ```
/// use mancala_protocol::PublicId;
/// let id: PublicId = "k3J9sPq0Zx".parse()?;
/// assert_eq!(id.to_string(), "k3J9sPq0Zx");
/// assert!("too-short".parse::<PublicId>().is_err());
/// # Ok::<(), mancala_protocol::ParsePublicIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "std::borrow::Cow<'_, str>")]
pub struct PublicId([u8; PublicId::LENGTH]);

impl PublicId {
    /// Its length in characters.
    pub const LENGTH: usize = 10;

    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /// The name that a number stands for, which should be 64 random bits. Some 59 of them
    /// are kept: two of a million matches have the same name once in a million times.
    ///
    /// ```
    /// use mancala_protocol::PublicId;
    /// assert_eq!(PublicId::from_number(61).to_string(), "000000000z");
    /// ```
    #[must_use]
    pub const fn from_number(mut number: u64) -> PublicId {
        let mut characters = [0; PublicId::LENGTH];
        let mut index = PublicId::LENGTH;
        while index > 0 {
            index -= 1;
            characters[index] = PublicId::ALPHABET[(number % 62) as usize];
            number /= 62;
        }
        PublicId(characters)
    }

    /// The number from which this name is made, the smallest of them.
    ///
    /// ```
    /// use mancala_protocol::PublicId;
    /// let id: PublicId = "k3J9sPq0Zx".parse()?;
    /// assert_eq!(PublicId::from_number(id.number()), id);
    /// # Ok::<(), mancala_protocol::ParsePublicIdError>(())
    /// ```
    #[must_use]
    pub fn number(self) -> u64 {
        let place = |character| {
            PublicId::ALPHABET
                .iter()
                .position(|&other| other == character)
        };
        self.0.into_iter().fold(0, |number, character| {
            number * 62 + place(character).unwrap_or_default() as u64
        })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is no name of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsePublicIdError;

impl fmt::Display for ParsePublicIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a match is named by ten of the characters A-Z, a-z and 0-9")
    }
}

impl std::error::Error for ParsePublicIdError {}

impl FromStr for PublicId {
    type Err = ParsePublicIdError;

    fn from_str(text: &str) -> Result<PublicId, ParsePublicIdError> {
        let bytes: [u8; PublicId::LENGTH] =
            text.as_bytes().try_into().map_err(|_| ParsePublicIdError)?;
        if bytes.iter().all(u8::is_ascii_alphanumeric) {
            Ok(PublicId(bytes))
        } else {
            Err(ParsePublicIdError)
        }
    }
}

impl TryFrom<std::borrow::Cow<'_, str>> for PublicId {
    type Error = ParsePublicIdError;

    fn try_from(text: std::borrow::Cow<'_, str>) -> Result<PublicId, ParsePublicIdError> {
        text.parse()
    }
}

impl Serialize for PublicId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl From<PublicId> for String {
    fn from(id: PublicId) -> String {
        id.to_string()
    }
}

impl JsonSchema for PublicId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PublicId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The short public name of a match.",
            "type": "string",
            "pattern": "^[0-9A-Za-z]{10}$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PublicId;

    #[test]
    fn public_ids_read_back_as_they_were_written() {
        for number in [0, 1, 61, 62, 62_u64.pow(9), u64::MAX] {
            let id = PublicId::from_number(number);
            assert_eq!(id.to_string().parse(), Ok(id));
            assert_eq!(id.number(), number % 62_u64.pow(10));
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(json, format!("\"{id}\""));
            assert_eq!(serde_json::from_str::<PublicId>(&json).unwrap(), id);
        }
        assert_eq!(PublicId::from_number(62).to_string(), "0000000010");
    }

    #[test]
    fn other_texts_are_no_public_ids() {
        for text in [
            "",
            "123456789",
            "12345678901",
            "12345-7890",
            "12345678 9",
            "ééééé",
        ] {
            assert!(text.parse::<PublicId>().is_err(), "{text}");
        }
    }
}
