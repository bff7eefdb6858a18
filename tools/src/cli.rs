//! The arguments of the program.
//!
//! May know what can be measured, never how it is done.

use crate::engine::{Length, Plan};
use anyhow::{bail, ensure};
use clap::{Args, Parser, Subcommand};
use mancala_engine::{Mancala, NsoloColumns, NsoloOptions, Options, UrimColumns, UrimOptions};
use std::time::Duration;

/// Measures the parts of the mancala server; prints JSON lines
#[derive(Debug, Parser)]
#[command(name = "mancala-bench", version)]
pub(crate) struct Arguments {
    /// What to measure.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// How many turns of random complete games the engine plays a CPU second
    ///
    /// Plays games from the standard start on one thread, each action chosen uniformly
    /// among the legal ones, with every rule on: repetition, quiet limit, never-ending
    /// turns. Build with `--release`, or the figures mean nothing.
    #[command(after_help = ENGINE_EXAMPLES)]
    Engine(EngineArguments),
}

const ENGINE_EXAMPLES: &str = "\
Examples:
  mancala-bench engine --game omweso --seconds 5
  mancala-bench engine --game nsolo --columns 36 --seconds 2 --runs 3
  mancala-bench engine --game all --playouts 1000 --seed 7
";

/// Arguments of `mancala-bench engine`.
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// A game's key (omweso, anywoli, urim, bao_kigogo, nsolo) or `all`
    #[arg(long)]
    game: String,
    /// CPU seconds of each run
    #[arg(long, default_value_t = 5.0, conflicts_with = "playouts")]
    seconds: f64,
    /// Games of each run, instead of a time: the same seed then gives the same counts
    #[arg(long)]
    playouts: Option<u64>,
    /// Pits in a row: 6 or 7 in Urim, 8 to 36 in Nsolo
    #[arg(long)]
    columns: Option<u32>,
    /// Runs; the figures are their medians
    #[arg(long, default_value_t = 5)]
    runs: u32,
    /// Where the random choices begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The longest run: a day.
const SECONDS_MAX: f64 = 86_400.0;
/// More runs than anyone needs for a median.
const RUNS_MAX: u32 = 1_000;

impl EngineArguments {
    /// How much to play.
    pub(crate) fn plan(&self) -> anyhow::Result<Plan> {
        ensure!(
            (1..=RUNS_MAX).contains(&self.runs),
            "`--runs` is from 1 to {RUNS_MAX}"
        );
        let length = match self.playouts {
            Some(0) => bail!("`--playouts` is at least 1"),
            Some(playouts) => Length::Playouts(playouts),
            None => {
                ensure!(
                    self.seconds > 0.0 && self.seconds <= SECONDS_MAX,
                    "`--seconds` is above 0 and at most {SECONDS_MAX}"
                );
                Length::CpuTime(Duration::from_secs_f64(self.seconds))
            }
        };
        Ok(Plan {
            length,
            runs: self.runs,
            seed: self.seed,
        })
    }

    /// The games to measure, with their options.
    pub(crate) fn games(&self) -> anyhow::Result<Vec<Options>> {
        if self.game == "all" {
            ensure!(
                self.columns.is_none(),
                "`--columns` goes with one game, not with all"
            );
            return Ok(Mancala::ALL.map(Options::standard).to_vec());
        }
        let mancala: Mancala = self.game.parse()?;
        let options = match (mancala, self.columns) {
            (_, None) => Options::standard(mancala),
            (Mancala::Urim, Some(columns)) => Options::Urim(UrimOptions {
                columns: UrimColumns::new(columns)?,
                ..UrimOptions::default()
            }),
            (Mancala::Nsolo, Some(columns)) => Options::Nsolo(NsoloOptions {
                columns: NsoloColumns::new(columns)?,
                ..NsoloOptions::default()
            }),
            _ => bail!("`--columns` goes with urim and nsolo only"),
        };
        Ok(vec![options])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn engine(arguments: &str) -> EngineArguments {
        let words = ["mancala-bench", "engine"].into_iter();
        let parsed = Arguments::try_parse_from(words.chain(arguments.split_whitespace())).unwrap();
        let Command::Engine(arguments) = parsed.command;
        arguments
    }

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn games_and_columns() {
        let games = |arguments| engine(arguments).games();
        assert_eq!(games("--game all").unwrap().len(), 5);
        let [Options::Nsolo(options)] = games("--game nsolo --columns 36").unwrap()[..] else {
            panic!("not Nsolo alone");
        };
        assert_eq!(options.columns.get(), 36);
        for wrong in [
            "--game chess",
            "--game all --columns 8",
            "--game omweso --columns 8",
            "--game urim --columns 8",
        ] {
            assert!(games(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn plans_are_bounded() {
        for wrong in [
            "--runs 0",
            "--runs 1001",
            "--playouts 0",
            "--seconds 0",
            "--seconds NaN",
            "--seconds inf",
        ] {
            let arguments = engine(&format!("--game urim {wrong}"));
            assert!(arguments.plan().is_err(), "{wrong}");
        }
    }
}
