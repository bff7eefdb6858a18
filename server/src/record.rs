//! Records of matches on the command line: checked, and shown as a board.
//!
//! May know the engine's records and how people want to read of them, never how a record
//! is written or replayed.

use crate::source::{ReadError, Source};
use anyhow::{Context as _, anyhow};
use mancala_engine::record::{AtError, GameEnd, LineColumn, MatchResult, Record};
use mancala_engine::{ParsedRecord, Side, diagram};
use std::fmt;
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
                writeln!(output, "{}", unreadable(source, &error))?;
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
            "{actions} actions, all legal; {}",
            result(&parsed.record)
        )),
        Some(fault) if legal == actions => Err((
            parsed.locate(fault.spot),
            format!("{fault} ({actions} actions, all legal)"),
        )),
        Some(fault) => Err((parsed.locate(fault.spot), fault.to_string())),
    }
}

/// How many stated ends are told one by one.
const STATED_TOLD_MAX: usize = 3;

/// Is the result true on the board, or only stated?
fn result(record: &Record) -> String {
    let mut stated: Vec<String> = Vec::new();
    for (number, game) in (1..).zip(record.games()) {
        if let Some(GameEnd::Stated { reason, .. }) = game.end() {
            stated.push(format!("game {number} {reason}"));
        }
    }
    if let MatchResult::Stated { reason, .. } = record.result() {
        stated.push(format!("the match {reason}"));
    }
    let more = stated.len().saturating_sub(STATED_TOLD_MAX);
    stated.truncate(STATED_TOLD_MAX);
    if more > 0 {
        stated.push(format!("{more} more"));
    }
    let stated = stated.join(", ");
    match record.result() {
        MatchResult::Unfinished if stated.is_empty() => "unfinished".to_owned(),
        MatchResult::Unfinished => format!("unfinished; only stated: {stated}"),
        result if stated.is_empty() => format!("result `{result}` true on the board"),
        result => format!("result `{result}` only stated: {stated}"),
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
        .map_err(|error| anyhow!(unreadable(source, &error)))?;
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
        None => writeln!(output, "before the first of {actions} actions")?,
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

fn unreadable(source: &Source, error: &ReadError) -> String {
    match error {
        ReadError::NotUtf8(at) => complaint(source, *at, &error.to_string()),
        _ => format!("{source}: {error}"),
    }
}

/// A text from a record, which may come from anyone, on its way to a terminal: without the
/// control characters that a terminal would obey.
struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            let shown = if letter.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                letter
            };
            write!(f, "{shown}")?;
        }
        Ok(())
    }
}
