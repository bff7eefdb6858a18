//! Who somebody is: guests and their tokens.
//!
//! May know users and the hashes of tokens, never a token for longer than it takes to hash
//! it. What a user may do in a match is the match's to say.

use crate::ids::TokenHash;
use crate::store::{Store, StoreError, UserRow};
use crate::text::{Unsound, sound_name};
use crate::world::World;
use mancala_play::UserId;
use mancala_protocol::Code;

/// Guests and their tokens.
#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    store: Store,
    world: World,
}

/// Why nobody, or nothing, of a name was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotMade {
    /// Such a name nobody may have.
    Name(Unsound),
    /// Another reason.
    Code(Code),
}

impl From<Unsound> for NotMade {
    fn from(why: Unsound) -> NotMade {
        NotMade::Name(why)
    }
}

impl From<Code> for NotMade {
    fn from(code: Code) -> NotMade {
        NotMade::Code(code)
    }
}

impl Accounts {
    pub(crate) const fn new(store: Store, world: World) -> Accounts {
        Accounts { store, world }
    }

    /// Makes a guest, and its token, which is shown this once.
    ///
    /// # Errors
    /// The name cannot be, or the store does not take it.
    pub(crate) async fn create_guest(
        &self,
        name: Option<&str>,
    ) -> Result<(String, UserRow), NotMade> {
        let World { clock, chance } = &self.world;
        let name = match name {
            Some(name) => sound_name(name)?,
            None => format!("Guest {:04}", chance.number() % 10_000),
        };
        let token = chance.secret();
        let created_ms = clock.now_ms();
        let user = UserRow {
            id: UserId(chance.id(created_ms)),
            name,
            created_ms,
        };
        let hash = TokenHash::of(token.as_bytes());
        self.store
            .create_user(user.clone(), hash)
            .await
            .map_err(|error| code_of(&error))?;
        Ok((token, user))
    }

    /// The people with these ids, each once; nobody for those that are nobody's.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn people(&self, ids: &[UserId]) -> Result<Vec<UserRow>, Code> {
        let found = self.store.users(ids).await;
        found.map_err(|error| code_of(&error))
    }

    /// Somebody who is brought to a match, or a team.
    ///
    /// # Errors
    /// [`Code::NoSuchPerson`] if the id is nobody's.
    pub(crate) async fn person(&self, id: UserId) -> Result<UserRow, Code> {
        let found = self.people(&[id]).await?;
        found.into_iter().next().ok_or(Code::NoSuchPerson)
    }

    /// Whose token this is.
    ///
    /// # Errors
    /// [`Code::BadToken`] if it is nobody's.
    pub(crate) async fn user_of(&self, token: &str) -> Result<UserRow, Code> {
        let hash = TokenHash::of(token.as_bytes());
        let found = self.store.user_by_token(hash).await;
        found
            .map_err(|error| code_of(&error))?
            .ok_or(Code::BadToken)
    }
}

/// What a client is told of a fault of the store; the host finds more in the log.
pub(crate) fn code_of(error: &StoreError) -> Code {
    match error {
        StoreError::Unavailable => Code::StorageUnavailable,
        StoreError::NoSuchMatch => Code::NoSuchMatch,
        StoreError::Full => Code::Full,
        // Whoever asks for such a thing tells it in his own words.
        StoreError::Refused => Code::Forbidden,
        StoreError::NoSuchLine => Code::NoSuchLine,
        StoreError::ReportsOver => Code::ReportsOver,
        StoreError::Taken | StoreError::Malformed | StoreError::Damaged(_) => {
            tracing::error!(%error, "the store could not do what was asked");
            Code::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_is_its_guests_and_no_other_text_is() {
        let accounts = Accounts::new(Store::memory(), World::real());
        let (token, ann) = accounts.create_guest(Some("Ann")).await.unwrap();
        assert_eq!(token.len(), 64, "256 bits in hexadecimal");
        assert_eq!(accounts.user_of(&token).await, Ok(ann));
        let wrong = token.replace(&token[..1], "_");
        assert_eq!(accounts.user_of(&wrong).await, Err(Code::BadToken));
    }
}
