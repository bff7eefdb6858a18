//! The arguments of the program.
//!
//! May know what can be asked for, never how it is done.

use crate::source::Source;
use clap::{Args, Parser, Subcommand, ValueEnum};
use mancala_play::{Note, Room};
use mancala_protocol::PublicId;
use mancala_protocol::rest::RulingWord;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;

/// Five African mancalas: Omweso, Anywoli, Urim, Bao Kigogo and Nsolo
///
/// Without a command this is the server: it listens, keeps its data in a folder, and goes
/// on until it is told to stop (Ctrl-C, or SIGTERM).
#[derive(Debug, Parser)]
#[command(name = "mancala", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// How to serve, where there is no command.
    #[command(flatten)]
    pub(crate) serve: Serve,
}

/// Where a server listens that was told nothing.
const LISTEN: &str = "127.0.0.1:7070";

/// How to serve.
#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes any free one
    #[arg(
        long,
        env = "MANCALA_LISTEN",
        value_name = "ADDRESS",
        default_value = LISTEN
    )]
    pub(crate) listen: SocketAddr,
    /// The folder of the data; made if it is missing
    #[arg(
        long,
        env = "MANCALA_DATA",
        value_name = "FOLDER",
        default_value = "data"
    )]
    pub(crate) data: PathBuf,
    /// Keep nothing on disk: for trying things, everything is forgotten at the end
    #[arg(long, env = "MANCALA_EPHEMERAL")]
    pub(crate) ephemeral: bool,
    /// The address by which browsers know this server, such as `https://mancala.example`;
    /// left out, whichever they came by
    #[arg(long, env = "MANCALA_PUBLIC_URL", value_name = "URL", value_parser = origin)]
    pub(crate) public_url: Option<String>,
    /// Where to serve what is counted and measured, for Prometheus, such as 127.0.0.1:9070;
    /// left out, nothing is kept. It is not for the world to read
    #[arg(long, env = "MANCALA_METRICS_LISTEN", value_name = "ADDRESS")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// What to log: error, warn, info, debug or trace, also for parts alone, as in
    /// info,mancala_server::ws=debug
    #[arg(
        long,
        env = "MANCALA_LOG",
        value_name = "FILTER",
        default_value = "info",
        value_parser = log_filter
    )]
    pub(crate) log: String,
    /// How to log, to standard error: lines for people, or JSON
    #[arg(
        long,
        env = "MANCALA_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "text"
    )]
    pub(crate) log_format: LogFormat,
}

/// An address as browsers write it in `Origin`: a scheme and a host, with a port where it is
/// not the usual one.
fn origin(text: &str) -> Result<String, String> {
    let wanted = "wanted is http:// or https:// and a host, such as https://mancala.example, \
                  with no path and no name of a user";
    let lower = text.trim_end_matches('/').to_ascii_lowercase();
    let (scheme, place, usual) = match lower.split_once("://") {
        Some(("http", place)) => ("http", place, ":80"),
        Some(("https", place)) => ("https", place, ":443"),
        _ => return Err(wanted.to_owned()),
    };
    let place = place.strip_suffix(usual).unwrap_or(place);
    let port = |text: &str| text.parse::<u16>().is_ok() && !text.starts_with('+');
    let host = match place.rsplit_once(':') {
        Some((host, text)) if port(text) => host,
        _ => place,
    };
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let name = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let good = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(name),
    };
    if good {
        Ok(format!("{scheme}://{place}"))
    } else {
        Err(wanted.to_owned())
    }
}

/// What to log. A word alone that is no level would be taken for a part of the program, and
/// nothing would be logged at all.
fn log_filter(text: &str) -> Result<String, String> {
    let level = |word: &str| word.parse::<tracing::Level>().is_ok() || word == "off";
    let known = |part: &str| level(part.rsplit_once('=').map_or(part, |(_, level)| level));
    if text.split(',').all(|part| known(part.trim())) {
        Ok(text.to_owned())
    } else {
        let wanted = "wanted are error, warn, info, debug, trace or off, or part=level, with \
                      commas between";
        Err(wanted.to_owned())
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a server on this machine whether it runs: the exit code is 0 if it does, else 1
    ///
    /// It asks for /healthz at the address on which the server was told to listen.
    Health {
        /// Where the server listens
        #[arg(
            long,
            env = "MANCALA_LISTEN",
            value_name = "ADDRESS",
            default_value = LISTEN
        )]
        listen: SocketAddr,
    },
    /// Copy the database into a file, also while a server is at work on it
    ///
    /// The copy is of one moment. A file that is there already is replaced once the copy is
    /// whole. To go back to it, put it into an empty data folder as `mancala.sqlite`, as the
    /// user that runs the server.
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup {
        /// The folder of the data
        #[arg(
            long,
            env = "MANCALA_DATA",
            value_name = "FOLDER",
            default_value = "data"
        )]
        data: PathBuf,
        /// Where the copy goes
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
    /// Ask something of the server that runs, as whoever runs it
    ///
    /// It speaks to the server on this machine that runs on the data folder, as a user who may
    /// read that folder. A server that was started with --ephemeral has none and cannot be
    /// asked.
    #[command(after_help = ADMIN_EXAMPLES)]
    Admin(Admin),
    /// Answer questions about the rules: JSON lines in, JSON lines out
    ///
    /// Reads one JSON object a line from standard input and writes one a line to
    /// standard output, in order. The kinds of question are `move`, `line`, `game` and
    /// `perft`; proto-docs/referee.md describes them, and proto-docs/rules.md the games.
    #[command(after_help = REFEREE_EXAMPLES)]
    Referee,
    /// Check and show records of matches
    #[command(subcommand)]
    Record(RecordCommand),
}

/// What is asked of which server.
#[derive(Args, Debug)]
pub(crate) struct Admin {
    /// The folder of the data
    #[arg(
        long,
        global = true,
        env = "MANCALA_DATA",
        value_name = "FOLDER",
        default_value = "data"
    )]
    pub(crate) data: PathBuf,
    /// What is asked.
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

/// What can be asked of a server by whoever runs it.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// End a match from outside, whatever its players are about to do; there is no way back
    EndMatch {
        /// The match: the ten characters of its name
        #[arg(value_name = "MATCH")]
        name: PublicId,
        /// As what it ends
        #[arg(long, value_name = "END")]
        r#as: Ruling,
        /// Why: everybody who sees the match reads it
        #[arg(long, value_name = "TEXT")]
        note: Note,
    },
    /// Show what was reported of people's talk, newest first, a hundred at a time
    ///
    /// Each report has the line, marked by `>`, and up to ten before it, as they stood when it
    /// was reported. Times are milliseconds since 1970.
    Reports {
        /// Only those before the one of this number
        #[arg(long, value_name = "N")]
        before: Option<u64>,
    },
    /// Take the text of a line of talk away; whoever reads it from now on sees that it is gone
    RemoveLine {
        /// The match: the ten characters of its name
        #[arg(value_name = "MATCH")]
        name: PublicId,
        /// The room: public, south or north
        #[arg(value_name = "ROOM")]
        room: Room,
        /// The number of the line
        #[arg(value_name = "N")]
        line: u32,
    },
    /// Delete all talk of a match, in all its rooms, but for what was reported; there is no way
    /// back
    ClearTalk {
        /// The match: the ten characters of its name
        #[arg(value_name = "MATCH")]
        name: PublicId,
    },
}

/// As what a match is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ruling {
    /// It does not count
    Aborted,
    /// Nobody has won
    Drawn,
    /// South has won
    South,
    /// North has won
    North,
}

impl From<Ruling> for RulingWord {
    fn from(ruling: Ruling) -> RulingWord {
        match ruling {
            Ruling::Aborted => RulingWord::Aborted,
            Ruling::Drawn => RulingWord::Drawn,
            Ruling::South => RulingWord::South,
            Ruling::North => RulingWord::North,
        }
    }
}

/// What can be done with records.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Replay records: was every action legal, and is the result true?
    ///
    /// Prints a line for each record in each file. Where it is at fault, the line begins
    /// with the place of the first fault, `FILE:LINE:COLUMN:`, and the exit code is 1. A
    /// result is true if the board shows it, or else only stated: somebody resigned, ran
    /// out of time, agreed.
    Check {
        /// Files of records, each at most 256 MiB; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<Source>,
    },
    /// Draw the board as it stood at a moment of a match
    Show {
        /// A file of records, at most 256 MiB; `-` is standard input
        #[arg(value_name = "FILE")]
        file: Source,
        /// How many actions have been played, counted over the whole match; left out, all
        #[arg(long, value_name = "N")]
        at: Option<usize>,
        /// Which record of the file
        #[arg(long, value_name = "N", default_value_t = 1)]
        record: usize,
    },
}

const EXAMPLES: &str = "\
Examples:
  Serve on every address of this machine, with the data in /var/lib/mancala:
    mancala --listen 0.0.0.0:7070 --data /var/lib/mancala --public-url https://mancala.example
  How many ways are there to begin a game of Urim?
    echo '{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}' | mancala referee
  prints
    {\"count\":6}
";

const BACKUP_EXAMPLES: &str = "\
Example:
  mancala backup --data /var/lib/mancala /var/backups/mancala-$(date +%F).sqlite";

const ADMIN_EXAMPLES: &str = "\
Examples:
  mancala admin --data /var/lib/mancala end-match k3J9sPq0Zx --as drawn --note 'The hall closes.'
  mancala admin --data /var/lib/mancala reports
  mancala admin --data /var/lib/mancala remove-line k3J9sPq0Zx public 7";

const REFEREE_EXAMPLES: &str = "\
Examples:
  A game from its start, two turns long; the answer is the position after them:
    {\"kind\":\"game\",\"game\":\"omweso\",\"first\":\"south\",\"actions\":[{\"type\":\"sow\",\"pit\":4},{\"type\":\"sow\",\"pit\":0}]}
  The number of ways to play three actions:
    {\"kind\":\"perft\",\"game\":\"nsolo\",\"options\":{\"columns\":9},\"first\":\"north\",\"depth\":3}
";

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }
}
