//! What a store in memory goes through, where a test wants it to go through something.
//!
//! May know requests by whether they read or write, never what they are about.

use std::fmt;
use std::time::Duration;

/// Decides what becomes of the requests to a store in memory: a test's hand on a disk that
/// is slow, full or failing.
///
/// ```
/// use mancala_server::store::{Fate, Memory, RequestKind, Store, Weather};
/// use std::sync::Arc;
///
/// /// A disk that takes nothing.
/// #[derive(Debug)]
/// struct Full;
///
/// impl Weather for Full {
///     fn fate(&self, kind: RequestKind) -> Fate {
///         match kind {
///             RequestKind::Read => Fate::default(),
///             RequestKind::Write => Fate::not_done(),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let store = Store::Memory(Memory::default().reopened(Some(Arc::new(Full))));
/// assert!(store.ready().await.is_err());
/// assert_eq!(store.unfinished().await, Ok(vec![]));
/// # }
/// ```
pub trait Weather: fmt::Debug + Send + Sync {
    /// What becomes of the next request. Asked once for each, in the order in which they
    /// are made.
    fn fate(&self, kind: RequestKind) -> Fate;
}

/// Does a request change what is stored?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// No.
    Read,
    /// Yes.
    Write,
}

/// What becomes of a request: how long it takes, and how it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// How long it takes to be done: up to here, a crash undoes it.
    pub before: Duration,
    /// What happens then.
    pub end: FateEnd,
    /// How long the answer takes: from here on, a crash only takes the answer away.
    pub after: Duration,
}

/// How a request ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FateEnd {
    /// It is done, and answered.
    #[default]
    Done,
    /// It is not done, and answered `Unavailable`.
    NotDone,
    /// It is done and yet answered `Unavailable`, as after a COMMIT of which nobody knows
    /// what became.
    Unknown,
}

impl Fate {
    /// It fails at once.
    #[must_use]
    pub fn not_done() -> Fate {
        Fate {
            end: FateEnd::NotDone,
            ..Fate::default()
        }
    }
}
