//! Names and hashes that the server gives out or keeps, beside the ids of `play`.
//!
//! May know how they are written and checked, never where randomness comes from: it is
//! passed in.

use mancala_play::MatchId;
use sha2::{Digest as _, Sha256};
use std::fmt;

pub use mancala_protocol::{ParsePublicIdError, PublicId};

/// The number from which the name of a match's rematch is made. It follows from the match, so
/// that a rematch that was made already, before a crash, is found again.
///
/// ```
/// use mancala_play::MatchId;
/// use mancala_server::ids::rematch_number;
/// let [one, other] = [1, 2].map(|id| rematch_number(MatchId(uuid::Uuid::from_u128(id))));
/// assert_ne!(one, other);
/// ```
#[must_use]
pub fn rematch_number(id: MatchId) -> u64 {
    let mut hash = Sha256::new();
    hash.update("rematch\n");
    hash.update(id.0.as_bytes());
    let hash: [u8; 32] = hash.finalize().into();
    hash.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

macro_rules! hash {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// The hash of these bytes. Secrets are 256 random bits, so nobody finds one by
            /// trying, and a fast hash is enough.
            #[must_use]
            pub fn of(bytes: &[u8]) -> $name {
                $name(Sha256::digest(bytes).into())
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

hash! {
    /// The SHA-256 of the secret by which a server knows its host.
    ///
    /// ```
    /// use mancala_server::ids::HostHash;
    /// assert_eq!(HostHash::of(b"one"), HostHash::of(b"one"));
    /// ```
    HostHash
}

hash! {
    /// The SHA-256 of what a request asked for.
    ///
    /// ```
    /// use mancala_server::ids::RequestHash;
    /// assert_ne!(RequestHash::of(b"south"), RequestHash::of(b"north"));
    /// ```
    RequestHash
}
