//! Who and what is meant, as types that cannot be mixed up.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A person or a program that plays, guest or not.
    ///
    /// ```
    /// use mancala_play::UserId;
    /// let user = UserId(uuid::Uuid::from_u128(7));
    /// assert!(user.to_string().ends_with("7"));
    /// ```
    UserId
}

id! {
    /// A match, inside the server. On the wire it has a short public id.
    ///
    /// ```
    /// use mancala_play::MatchId;
    /// assert_ne!(MatchId(uuid::Uuid::from_u128(1)), MatchId(uuid::Uuid::from_u128(2)));
    /// ```
    MatchId
}
