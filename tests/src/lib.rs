//! What the tests of the parts together share.
//!
//! The whole system is tested from outside: a [`ServerProcess`] is the real program on a
//! folder of its own, a [`Client`] a real socket to it that knows no rules.

pub mod client;
pub mod disk;
pub mod follow;
pub mod logs;
pub mod players;
pub mod random;
pub mod rest;
pub mod server;

pub use client::{Client, Lost};
pub use disk::Disk;
pub use follow::{Followed, timeless};
pub use random::Random;
pub use rest::{Answer, Request};
pub use server::{Port, ServerProcess, Signal};

use std::time::Duration;

/// How long a test waits for what has to come. Nothing is asserted by it: it only turns a
/// test that would hang into one that fails, so it is far above what a slow machine needs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for what has to come.
///
/// # Panics
/// If it does not come.
pub async fn patiently<T>(what: &str, coming: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, coming).await {
        Ok(came) => came,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

/// A number that whoever runs a test may choose, in the environment.
#[must_use]
pub fn chosen(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| match text.parse() {
        Ok(number) => number,
        Err(error) => panic!("{name} is {text}: {error}"),
    })
}
