//! The whole system, from outside: the real program, real sockets, a real file.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod access;
mod admin;
mod backup;
mod bench;
mod challenges;
mod contests;
mod damage;
mod disk;
mod elsewhere;
mod examples;
mod hostile;
mod joining;
mod keys;
mod kills;
mod manners;
mod matches;
mod metrics;
mod names;
mod power;
mod problems;
mod snapshots;
mod standing;
mod start;
mod stop;
mod talk;
mod teams;
