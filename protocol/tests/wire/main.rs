//! The words on the wire, seen from outside: as text that comes and goes.

mod client;
mod laws;
mod random;
mod random_match;
mod sizes;
