//! A match as time goes by: deadlines, lag, absence, and what crosses. A whole server in this
//! process, in virtual time, so a day passes at once and nothing depends on the machine.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod absence;
mod deadlines;
mod lag;
mod line;
mod offers;
mod referee;
mod rulings;
mod service;
mod talk;
mod thinker;
