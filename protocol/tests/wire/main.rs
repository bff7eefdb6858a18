//! The words on the wire, seen from outside: as text that comes and goes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod documents;
mod garbage;
mod golden;
mod hostile;
mod laws;
#[path = "../support/message.rs"]
mod message;
mod pages;
mod random;
mod random_match;
mod sizes;
mod teams;
mod told;
