//! The arguments of the program.
//!
//! May know what can be measured, never how it is done.

use crate::engine::{Length, Plan};
use crate::server;
use anyhow::{Context as _, bail, ensure};
use clap::{Args, Parser, Subcommand};
use mancala_engine::{Mancala, NsoloColumns, NsoloOptions, Options, UrimColumns, UrimOptions};
use serde_json::{Value, json};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
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
    /// How many moves a second a running server takes, how soon they are seen, and what it
    /// needs for that
    ///
    /// Plays random matches at many tables, each a match after another, by the server's own
    /// lists of what may be played. Every number, trace and checksum is held against what
    /// came before; where one is wrong, the run fails and says where. Build with
    /// `--release`, or the figures mean nothing.
    #[command(after_help = SERVER_EXAMPLES)]
    Server(Box<ServerArguments>),
}

const ENGINE_EXAMPLES: &str = "\
Examples:
  mancala-bench engine --game omweso --seconds 5
  mancala-bench engine --game nsolo --columns 36 --seconds 2 --runs 3
  mancala-bench engine --game all --playouts 1000 --seed 7
";

const SERVER_EXAMPLES: &str = "\
Examples:
  Durable moves a second, the server on one core and the driver on the other:
    mancala-bench server --spawn target/release/mancala --server-core 0 --core 1 --matches 200
  How soon a move is seen, at a fixed rate and with two spectators each:
    mancala-bench server --spawn target/release/mancala --matches 500 --spectators 2 --rate 2000
  Memory of idle sockets, of a server that runs already:
    mancala-bench server --url http://127.0.0.1:7070 --pid 4711 --idle 10000 --matches 1
  Two teams of ten on the largest board, and how soon the last of a crowd sees a move:
    mancala-bench server --spawn target/release/mancala --game nsolo --columns 36 --matches 1 \
      --teams 10 --spectators 2000 --rate 5
  More for the server after `--`:
    mancala-bench server --spawn target/release/mancala -- --ephemeral
";

/// Arguments of `mancala-bench server`.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// A server that runs, such as http://127.0.0.1:7070
    #[arg(long, value_name = "URL", required_unless_present = "spawn")]
    url: Option<String>,
    /// The number of its process, so that its memory and CPU can be read
    #[arg(long, requires = "url")]
    pid: Option<u32>,
    /// The program of a server to start instead, for each run anew
    #[arg(long, value_name = "PROGRAM", conflicts_with = "url")]
    spawn: Option<PathBuf>,
    /// Where the server that is started has its data, in a folder that is removed at the
    /// end; left out, among temporary files
    #[arg(long, value_name = "FOLDER", requires = "spawn")]
    data: Option<PathBuf>,
    /// Keep the server that is started on this core
    #[arg(long, value_name = "CORE", requires = "spawn")]
    server_core: Option<usize>,
    /// Keep the driver on this core
    #[arg(long)]
    core: Option<usize>,
    /// Threads of the driver
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// A game's key (omweso, anywoli, urim, bao_kigogo, nsolo), or `all` for one after the
    /// other
    #[arg(long, default_value = "omweso")]
    game: String,
    /// Options of the game, as JSON
    #[arg(long, value_name = "JSON")]
    options: Option<String>,
    /// How the time of the matches is kept, as JSON: `{"type":"fischer","initial":300,
    /// "increment":5}`; without a clock, where it is left out
    #[arg(long, value_name = "JSON")]
    clock: Option<String>,
    /// How long a match is: `single` or `first_to N`; left out, as the server has it
    #[arg(long)]
    format: Option<String>,
    /// Matches that are played at the same time
    #[arg(long, default_value_t = 200)]
    matches: usize,
    /// Members of each side, which is a team then: everybody plays and is told as a member is
    #[arg(long, value_name = "MEMBERS")]
    teams: Option<usize>,
    /// How a team decides. In a vote one proposes, and all of the team vote for that
    #[arg(long, requires = "teams", default_value = "first")]
    decides: server::Decides,
    /// Pits in a row: 6 or 7 in Urim, 8 to 36 in Nsolo
    #[arg(long, conflicts_with = "options")]
    columns: Option<u32>,
    /// Who watches each match
    #[arg(long, default_value_t = 0)]
    spectators: usize,
    /// Sockets that have greeted and say nothing
    #[arg(long, default_value_t = 0)]
    idle: usize,
    /// Moves a second over all matches, at moments fixed beforehand; left out, each player
    /// moves as soon as it may
    #[arg(long)]
    rate: Option<f64>,
    /// Seconds that are measured
    #[arg(long, default_value_t = 10.0, conflicts_with = "moves")]
    seconds: f64,
    /// Moves that are measured, instead of a time
    #[arg(long)]
    moves: Option<u64>,
    /// Seconds before what is measured
    #[arg(long, default_value_t = 2.0)]
    warmup: f64,
    /// Runs; each figure is the median of theirs
    #[arg(long, default_value_t = 1)]
    runs: u32,
    /// Where the random choices begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show a table too, on standard error
    #[arg(long)]
    pub(crate) human: bool,
    /// What the server that is started is told beside its address and its folder
    #[arg(last = true, value_name = "ARGUMENT", requires = "spawn")]
    server_arguments: Vec<String>,
}

/// Tables beyond this have no ports to come from.
const MATCHES_MAX: usize = 100_000;
/// Idle sockets beyond this have none either.
const IDLE_MAX: usize = 400_000;
/// More seats a team has not.
const SEATS_MAX: usize = 50;
/// Spectators of a match: a crowd.
const SPECTATORS_MAX: usize = 10_000;
/// Far more than one driver can send.
const RATE_MAX: f64 = 1e6;
/// More threads than any machine has cores.
const THREADS_MAX: usize = 1_024;

impl ServerArguments {
    /// What is to be measured.
    pub(crate) fn plan(self) -> anyhow::Result<server::Plan> {
        let bounds = [
            ("--matches", self.matches, 1, MATCHES_MAX),
            ("--spectators", self.spectators, 0, SPECTATORS_MAX),
            ("--idle", self.idle, 0, IDLE_MAX),
            ("--threads", self.threads, 1, THREADS_MAX),
            ("--runs", self.runs as usize, 1, RUNS_MAX as usize),
        ];
        for (name, value, least, most) in bounds {
            let fits = (least..=most).contains(&value);
            ensure!(fits, "`{name}` is from {least} to {most}");
        }
        if let Some(teams) = self.teams {
            let fits = (1..=SEATS_MAX).contains(&teams);
            ensure!(fits, "`--teams` is from 1 to {SEATS_MAX}");
        }
        if let Some(rate) = self.rate {
            let fits = rate > 0.0 && rate <= RATE_MAX;
            ensure!(fits, "`--rate` is above 0 and at most {RATE_MAX}");
        }
        let games = match self.game.as_str() {
            "all" => Mancala::ALL.to_vec(),
            key => vec![key.parse()?],
        };
        ensure!(
            games.len() == 1 || self.options.is_none() && self.columns.is_none(),
            "`--options` and `--columns` go with one game, not with all"
        );
        let columns = self
            .columns
            .map(|columns| Ok(json!({ "columns": columns })));
        let options = self.options.as_deref().map(serde_json::from_str::<Value>);
        let options = options.or(columns);
        let clock = self.clock.as_deref().map(serde_json::from_str::<Value>);
        Ok(server::Plan {
            games,
            options: options.transpose().context("`--options` is not JSON")?,
            clock: clock.transpose().context("`--clock` is not JSON")?,
            format: self.format,
            matches: self.matches,
            teams: self.teams.map(|members| server::Teams {
                members,
                decides: self.decides,
            }),
            spectators: self.spectators,
            idle: self.idle,
            rate: self.rate,
            length: match self.moves {
                Some(0) => bail!("`--moves` is at least 1"),
                Some(moves) => server::Length::Moves(moves),
                None => {
                    ensure!(self.seconds > 0.0, "`--seconds` is above 0");
                    server::Length::Time(seconds("--seconds", self.seconds)?)
                }
            },
            warmup: seconds("--warmup", self.warmup)?,
            runs: self.runs,
            seed: self.seed,
            threads: self.threads,
            core: self.core,
            target: match (self.url, self.spawn) {
                (Some(url), _) => server::Target::Running {
                    address: address_of(&url)?,
                    pid: self.pid,
                },
                (None, Some(program)) => server::Target::Spawn {
                    program,
                    arguments: self.server_arguments,
                    data: self.data.unwrap_or_else(std::env::temp_dir),
                    core: self.server_core,
                },
                (None, None) => bail!("one of `--url` and `--spawn` is needed"),
            },
        })
    }
}

fn seconds(name: &str, seconds: f64) -> anyhow::Result<Duration> {
    ensure!(
        (0.0..=SECONDS_MAX).contains(&seconds),
        "`{name}` is from 0 to {SECONDS_MAX}"
    );
    Ok(Duration::from_secs_f64(seconds))
}

/// Where a server is by its URL. What is measured is the server, so a proxy with TLS before
/// it is left out.
fn address_of(url: &str) -> anyhow::Result<SocketAddr> {
    let rest = url.strip_prefix("http://");
    let place = rest.with_context(|| format!("`{url}` does not begin with http://"))?;
    let place = place.trim_end_matches('/');
    let place = match place.parse::<SocketAddr>() {
        Ok(address) => return Ok(address),
        Err(_) if place.contains(':') => place.to_owned(),
        Err(_) => format!("{place}:80"),
    };
    let mut found = place
        .to_socket_addrs()
        .with_context(|| format!("`{place}` is not known"))?;
    found
        .next()
        .with_context(|| format!("`{place}` has no address"))
}

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
        let Command::Engine(arguments) = parsed.command else {
            panic!("not the engine");
        };
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

    fn server(arguments: &str) -> anyhow::Result<server::Plan> {
        let words = ["mancala-bench", "server"].into_iter();
        let parsed = Arguments::try_parse_from(words.chain(arguments.split_whitespace()))?;
        let Command::Server(arguments) = parsed.command else {
            panic!("not the server");
        };
        arguments.plan()
    }

    #[test]
    fn a_server_that_runs_or_one_that_is_started() {
        let plan = server("--url http://127.0.0.1:7070/ --pid 7 --game all").unwrap();
        let server::Target::Running { address, pid } = plan.target else {
            panic!("not one that runs: {plan:?}");
        };
        assert_eq!((address.port(), pid), (7070, Some(7)));
        assert_eq!(plan.games.len(), 5);
        let plan = server("--spawn mancala --server-core 0 -- --ephemeral").unwrap();
        let server::Target::Spawn { arguments, .. } = plan.target else {
            panic!("not one that is started: {plan:?}");
        };
        assert_eq!(arguments, ["--ephemeral"]);
    }

    #[test]
    fn plans_for_a_server_are_bounded() {
        for wrong in [
            "--url http://127.0.0.1:7070 --spawn mancala",
            "--url https://127.0.0.1:7070",
            "--spawn mancala --matches 0",
            "--spawn mancala --idle 1000000",
            "--spawn mancala --rate 0",
            "--spawn mancala --rate NaN",
            "--spawn mancala --seconds -1",
            "--spawn mancala --seconds 0",
            "--spawn mancala --moves 0",
            "--spawn mancala --moves 1 --seconds 1",
            "--spawn mancala --threads 0",
            "--spawn mancala --teams 0",
            "--spawn mancala --teams 51",
            "--spawn mancala --decides vote",
            "--spawn mancala --teams 3 --decides lot",
            "--spawn mancala --game all --columns 8",
            "--spawn mancala --runs 0",
            "--spawn mancala --game chess",
            "--spawn mancala --game all --options {}",
            "--spawn mancala --options {",
            "--spawn mancala --clock {",
            "",
        ] {
            assert!(server(wrong).is_err(), "{wrong}");
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
