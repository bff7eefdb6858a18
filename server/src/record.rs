//! Records of matches on the command line: checked, and shown as a board.
//!
//! May know the engine's records and how people want to read of them, never how a record
//! is written or replayed.

use crate::source::Source;
use anyhow::{Context as _, anyhow};
use mancala_engine::record::{AtError, GameEnd, LineColumn, MatchResult, Record};
use mancala_engine::{ParsedRecord, Printable, Side, diagram};
use std::io::{self, Write};

/// What came of checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Every record is as it must be.
    Sound,
    /// At least one is not, or could not be read.
    AtFault,
}

/// Says of each record of each source whether its actions are legal and its result is true:
/// one line each, that of a fault beginning with `SOURCE:LINE:COLUMN: `.
///
/// # Errors
/// Where writing fails.
pub(crate) fn check(sources: &[Source], output: &mut impl Write) -> io::Result<Finding> {
    let mut finding = Finding::Sound;
    for source in sources {
        let mut number = 0;
        let text = match source.read() {
            Ok(text) => text,
            Err(error) => {
                finding = Finding::AtFault;
                writeln!(output, "{source}: {error}")?;
                continue;
            }
        };
        for parsed in Record::parse_many(&text) {
            number += 1;
            let judged = match parsed {
                Ok(parsed) => judge(&parsed),
                Err(error) => Err((error.at, error.message)),
            };
            match judged {
                Ok(praise) => writeln!(output, "{source}: record {number}: {praise}")?,
                Err((at, message)) => {
                    finding = Finding::AtFault;
                    let message = format!("record {number}: {message}");
                    writeln!(output, "{}", complaint(source, at, &message))?;
                }
            }
        }
        if number == 0 {
            finding = Finding::AtFault;
            let beginning = LineColumn { line: 1, column: 1 };
            writeln!(
                output,
                "{}",
                complaint(source, beginning, "no record is here")
            )?;
        }
    }
    output.flush()?;
    Ok(finding)
}

/// What there is to say of a record that is as it must be; otherwise its first fault.
fn judge(parsed: &ParsedRecord) -> Result<String, (LineColumn, String)> {
    let report = parsed.check();
    let legal: usize = report.games.iter().map(|game| game.legal_actions).sum();
    let actions = action_count(&parsed.record);
    match report.first_fault() {
        None => Ok(format!(
            "{}; {}",
            all_legal(actions),
            result(&parsed.record)
        )),
        Some(fault) if legal == actions && actions > 0 => Err((
            parsed.locate(fault.spot),
            format!("{fault} ({})", all_legal(actions)),
        )),
        Some(fault) => Err((parsed.locate(fault.spot), fault.to_string())),
    }
}

/// So many actions, none of which was found illegal.
fn all_legal(actions: usize) -> String {
    match actions {
        0 => "no actions".to_owned(),
        1 => "1 action, legal".to_owned(),
        _ => format!("{actions} actions, all legal"),
    }
}

/// How many stated ends of games are told one by one.
const STATED_TOLD_MAX: usize = 3;

/// Is the result true on the board, or only stated?
fn result(record: &Record) -> String {
    let mut stated: Vec<String> = Vec::new();
    for (number, game) in (1..).zip(record.games()) {
        if let Some(GameEnd::Stated { reason, .. }) = game.end() {
            stated.push(format!("game {number}: {reason}"));
        }
    }
    let more = stated.len().saturating_sub(STATED_TOLD_MAX);
    stated.truncate(STATED_TOLD_MAX);
    if more > 0 {
        stated.push(format!("{more} more"));
    }
    let result = match record.result() {
        MatchResult::Unfinished => "unfinished".to_owned(),
        result => format!("result `{result}`"),
    };
    // The reason of a match that was itself stated stands in its result.
    match (record.result(), stated.join(", ")) {
        (MatchResult::Unfinished, games) if games.is_empty() => result,
        (MatchResult::Played(_), games) if games.is_empty() => {
            format!("{result}, true on the board")
        }
        (MatchResult::Stated { .. }, games) if games.is_empty() => {
            format!("{result}, only stated")
        }
        (MatchResult::Unfinished, games) => format!("{result}, so far only stated ({games})"),
        (_, games) => format!("{result}, only stated ({games})"),
    }
}

fn action_count(record: &Record) -> usize {
    record.games().iter().map(|game| game.actions().len()).sum()
}

/// Which moment of which record to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The record of the source, from 1.
    pub(crate) record: usize,
    /// The actions played, counted over the whole match; all there are, if `None`.
    pub(crate) at: Option<usize>,
}

/// Draws the board of a record as it stood after so many actions, under a line that says
/// which game and action that is.
///
/// # Errors
/// There is no such record or action, or it cannot be replayed so far; or writing fails.
pub(crate) fn show(source: &Source, wanted: Wanted, output: &mut impl Write) -> anyhow::Result<()> {
    let text = source
        .read()
        .map_err(|error| anyhow!("{source}: {error}"))?;
    let index = wanted
        .record
        .checked_sub(1)
        .context("records count from 1")?;
    let parsed = Record::parse_many(&text)
        .nth(index)
        .with_context(|| format!("{source} has no record {}", wanted.record))?
        .map_err(|error| anyhow!(complaint(source, error.at, &error.message)))?;
    let record = &parsed.record;
    let actions = action_count(record);
    let at = wanted.at.unwrap_or(actions);
    let moment = record.at(at).map_err(|error| match error {
        AtError::Fault(fault) => {
            let place = parsed.locate(fault.spot);
            anyhow!(complaint(source, place, &fault.to_string()))
        }
        error => anyhow!("{source}: {error}"),
    })?;
    write!(output, "{}", record.options().mancala())?;
    for side in Side::ALL {
        if let Some(name) = record.name(side) {
            write!(output, ", {side} {}", Printable(name))?;
        }
    }
    write!(output, "\ngame {}, ", moment.game)?;
    let mut played = record.games().iter().flat_map(|game| game.actions());
    match at.checked_sub(1).and_then(|last| played.nth(last)) {
        None => match actions {
            0 => writeln!(output, "no actions")?,
            1 => writeln!(output, "before its action")?,
            _ => writeln!(output, "before the first of {actions} actions")?,
        },
        Some(last) => {
            let notation = last.action().to_notation(record.shape())?;
            writeln!(
                output,
                "action {at} of {actions}: {} {notation}",
                last.turn()
            )?;
        }
    }
    write!(output, "\n{}", diagram(&moment.position))?;
    output.flush()?;
    Ok(())
}

fn complaint(source: &Source, at: LineColumn, message: &str) -> String {
    let LineColumn { line, column } = at;
    format!("{source}:{line}:{column}: {}", Printable(message))
}
