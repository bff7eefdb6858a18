//! Names and hashes that the server gives out or keeps, beside the ids of `play`.
//!
//! May know how they are written and checked, never where randomness comes from: it is
//! passed in.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// The public name of a match: ten of the characters `0-9 A-Z a-z`. It is what frames and
/// addresses say; the [`MatchId`](mancala_play::MatchId) stays inside.
///
/// ```
/// use mancala_server::ids::PublicId;
/// let id: PublicId = "00000003dZ".parse()?;
/// assert_eq!(id.to_string(), "00000003dZ");
/// assert!("too short".parse::<PublicId>().is_err());
/// # Ok::<(), mancala_server::ids::ParsePublicIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicId([u8; PublicId::LENGTH]);

impl PublicId {
    /// How many characters it has.
    pub const LENGTH: usize = 10;

    const DIGITS: &'static [u8; 62] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /// The name that a number stands for, which should be 64 random bits. Some 59 of them
    /// are kept: two of a million matches have the same name once in two million times, and
    /// the store notices.
    ///
    /// ```
    /// use mancala_server::ids::PublicId;
    /// assert_eq!(PublicId::from_number(61).to_string(), "000000000z");
    /// ```
    #[must_use]
    pub const fn from_number(mut number: u64) -> PublicId {
        let mut characters = [0; PublicId::LENGTH];
        let mut index = PublicId::LENGTH;
        while index > 0 {
            index -= 1;
            characters[index] = PublicId::DIGITS[(number % 62) as usize];
            number /= 62;
        }
        PublicId(characters)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("its characters are letters and digits of ASCII")
    }
}

impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicId({self})")
    }
}

/// The text is no public name of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a match is named by {} of the characters 0-9, A-Z and a-z",
    PublicId::LENGTH
)]
pub struct ParsePublicIdError;

impl FromStr for PublicId {
    type Err = ParsePublicIdError;

    fn from_str(text: &str) -> Result<PublicId, ParsePublicIdError> {
        let characters: [u8; PublicId::LENGTH] =
            text.as_bytes().try_into().map_err(|_| ParsePublicIdError)?;
        if characters.iter().all(u8::is_ascii_alphanumeric) {
            Ok(PublicId(characters))
        } else {
            Err(ParsePublicIdError)
        }
    }
}

impl TryFrom<String> for PublicId {
    type Error = ParsePublicIdError;

    fn try_from(text: String) -> Result<PublicId, ParsePublicIdError> {
        text.parse()
    }
}

impl From<PublicId> for String {
    fn from(id: PublicId) -> String {
        id.as_str().to_owned()
    }
}

macro_rules! hash {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// The hash of a secret. The secrets are 256 random bits, so nobody finds one
            /// by trying, and a fast hash is enough.
            #[must_use]
            pub fn of(secret: &[u8]) -> $name {
                $name(Sha256::digest(secret).into())
            }
        }

        /// Only its beginning: enough to tell two apart.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [a, b, c, ..] = self.0;
                write!(f, concat!(stringify!($name), "({:02x}{:02x}{:02x}..)"), a, b, c)
            }
        }
    };
}

hash! {
    /// The SHA-256 of a token with which somebody signs in.
    ///
    /// ```
    /// use mancala_server::ids::TokenHash;
    /// assert_eq!(format!("{:?}", TokenHash::of(b"abc")), "TokenHash(ba7816..)");
    /// ```
    TokenHash
}

hash! {
    /// The SHA-256 of the secret in the link to a seat.
    ///
    /// ```
    /// use mancala_server::ids::SecretHash;
    /// assert_ne!(SecretHash::of(b"one"), SecretHash::of(b"two"));
    /// ```
    SecretHash
}

#[cfg(test)]
mod tests {
    use super::PublicId;

    #[test]
    fn public_ids_read_back_as_they_were_written() {
        for number in [0, 1, 61, 62, 62_u64.pow(9), u64::MAX] {
            let id = PublicId::from_number(number);
            assert_eq!(id.to_string().parse(), Ok(id));
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
