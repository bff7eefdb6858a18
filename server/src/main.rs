//! The program `mancala`: reads its arguments and calls what they name.
//!
//! May know every part of this crate by its entry, never how a part works.

mod admin;
mod cli;
mod health;
mod lines;
mod record;
mod referee;
mod serve;
mod source;

use clap::Parser;
use cli::{Arguments, Command, RecordCommand};
use record::{Finding, Wanted};
use std::io::{self, BufWriter};
use std::process::ExitCode;

/// Serves many small pieces of much the same size, from several threads, in less time and
/// with less left over than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        // Whoever reads our answers has had enough of them, as `head` has.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // With its causes, but never a backtrace: it is about input, not about us.
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let stdout = io::stdout().lock();
    match arguments.command {
        None => serve::run(arguments.serve)?,
        Some(Command::Health { listen }) => health::run(listen)?,
        Some(Command::Backup { data, to }) => serve::back_up(&data, &to)?,
        Some(Command::Admin(arguments)) => admin::run(arguments, stdout)?,
        Some(Command::Referee) => referee::run(io::stdin().lock(), stdout)?,
        Some(Command::Record(RecordCommand::Check { files })) => {
            if record::check(&files, &mut BufWriter::new(stdout))? == Finding::AtFault {
                return Ok(ExitCode::FAILURE);
            }
        }
        Some(Command::Record(RecordCommand::Show { file, at, record })) => {
            record::show(&file, Wanted { record, at }, &mut BufWriter::new(stdout))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
