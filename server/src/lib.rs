//! All of the server that touches the world, as a library: the program `mancala` and the
//! tests of the whole system are built on it.
//!
//! May know the clock, files and sockets, each in its own module; never a rule of a game
//! or of a match, which are `mancala-engine`'s and `mancala-play`'s. What stands left may
//! use what stands right: `app` → `http`, `ws` → `matches`, `accounts`, `joining`, `standing`, `challenges` → `online`, `hub`, `store`.

mod accounts;
mod app;
mod challenges;
mod chance;
mod clock;
pub mod host;
mod http;
mod hub;
pub mod ids;
mod joining;
pub mod limits;
mod matches;
mod meters;
pub mod metrics;
mod online;
mod standing;
pub mod store;
mod text;
pub mod wording;
mod world;
mod ws;

pub use app::{Config, Parts, Server, StartError};
pub use http::Incoming;
pub use world::World;
