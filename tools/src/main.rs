//! The program `mancala-bench`: measures, and prints what it measured as JSON lines.
//!
//! May know the engine by its public side and the server by its protocol, never the
//! server's parts.

mod cli;
mod engine;
mod playout;
mod random;
mod server;

use clap::Parser;
use cli::{Arguments, Command};
use serde::Serialize;
use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            // With its causes, but never a backtrace: it is about what was asked for.
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Engine(arguments) => {
            let plan = arguments.plan()?;
            for game in arguments.games()? {
                print_line(&engine::measure(game, &plan))?;
            }
        }
        Command::Server(arguments) => {
            let human = arguments.human;
            let plan = arguments.plan()?;
            for &game in &plan.games {
                let report = server::median(&plan.measure(game)?);
                print_line(&report)?;
                if human {
                    eprintln!("{}", server::table(&report));
                }
                let errors = report["errors"].as_array();
                if errors.is_none_or(|errors| !errors.is_empty()) {
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_line(report: &impl Serialize) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, report)?;
    writeln!(stdout)?;
    Ok(())
}
