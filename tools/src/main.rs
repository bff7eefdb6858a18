//! The program `mancala-bench`: measures, and prints what it measured as JSON lines.
//!
//! May know the engine by its public side, never the server's parts.

mod cli;
mod engine;
mod playout;
mod random;

use clap::Parser;
use cli::{Arguments, Command};
use std::io::{self, Write as _};

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Engine(arguments) => {
            let plan = arguments.plan()?;
            for game in arguments.games()? {
                let report = engine::measure(game, &plan);
                let mut stdout = io::stdout().lock();
                serde_json::to_writer(&mut stdout, &report)?;
                writeln!(stdout)?;
            }
        }
    }
    Ok(())
}
