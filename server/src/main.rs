//! The program `mancala`: reads its arguments and calls what they name.
//!
//! May know every part of this crate by its entry, never how a part works.

mod cli;
mod lines;
mod referee;

use clap::{CommandFactory, Parser};
use cli::{Arguments, Command};
use std::io;

fn main() -> anyhow::Result<()> {
    let done = match Arguments::parse().command {
        None => Arguments::command().print_help(),
        Some(Command::Referee) => referee::run(io::stdin().lock(), io::stdout().lock()),
    };
    match done {
        // Whoever reads our answers has had enough of them, as `head` has.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}
