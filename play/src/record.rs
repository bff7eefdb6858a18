//! The record of a match, from its log.

use crate::{Event, GameOutcome, MatchEnd};
use mancala_engine::record::{GameEnd, MatchResult, Record, RecordError, StatedReason, Turn};
use mancala_engine::{
    AnyPosition, BySide, Format, Game, GameResult, Position, SeriesEnd, Side, Verdict,
};

/// The record of a match whose log this is, as far as it has gone. Whether the log is
/// sound is not asked: where it is not, [`Record::check`] finds what is wrong.
///
/// # Errors
/// The log does not begin as a match's does, or the match is longer than a record may be.
///
/// ```
/// use mancala_engine::{BySide, Format, Mancala, Options};
/// use mancala_play::{Event, MatchSpec, record};
/// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
/// let names = BySide { south: Some("Amina"), north: None };
/// let record = record(&[Event::Created { spec }], names)?;
/// assert!(record.to_string().contains("Amina"));
/// assert_eq!(record.check().first_fault(), None);
/// # Ok::<(), mancala_engine::record::RecordError>(())
/// ```
pub fn record(events: &[Event], names: BySide<Option<&str>>) -> Result<Record, RecordError> {
    let Some(Event::Created { spec }) = events.first() else {
        return Err(RecordError::NoGame);
    };
    let first = events.iter().find_map(|event| match event {
        Event::GameBegan { begins, .. } => Some(*begins),
        _ => None,
    });
    let begins = first.unwrap_or(Side::South);
    let mut record = Record::new(spec.options, spec.format, begins);
    record.set_rules(spec.rules);
    for side in Side::ALL {
        record.set_name(side, names[side])?;
    }
    let mut score = BySide::both(0);
    let mut game = None;
    let mut result = MatchResult::Unfinished;
    for event in events {
        match event {
            Event::GameBegan { begins, .. } => {
                record.begin_game(*begins, None)?;
                let position = AnyPosition::start(spec.options, *begins);
                game = Some(Game::from_position(position));
            }
            Event::Acted { action, .. } => {
                let game = game.as_mut().ok_or(RecordError::NoGame)?;
                let turn = Turn::from(game.position().standing());
                record.push_action(turn, action.clone())?;
                // What was not legal is recorded all the same: the record's check names it.
                if game.check(action).is_ok() {
                    game.play_unchecked(action);
                }
            }
            Event::GameEnded { outcome, .. } => {
                record.end_game(end_of_game(outcome)?)?;
                if let GameResult::Win { side, points } = outcome.result() {
                    score[side] += u32::from(points);
                }
            }
            Event::MatchEnded { end, .. } => result = end_of_match(*end)?,
            _ => {}
        }
    }
    let shown = matches!(spec.format, Format::FirstTo(_)) || result != MatchResult::Unfinished;
    record.set_result(shown.then_some(score), result);
    Ok(record)
}

fn end_of_game(outcome: &GameOutcome) -> Result<GameEnd, RecordError> {
    Ok(match outcome {
        GameOutcome::Board(board) => GameEnd::from(board),
        GameOutcome::Outside { reason, .. } => GameEnd::Stated {
            result: outcome.result(),
            reason: reason.code().parse()?,
        },
    })
}

fn end_of_match(end: MatchEnd) -> Result<MatchResult, RecordError> {
    let stated = |verdict, reason: &str| {
        let reason: StatedReason = reason.parse()?;
        Ok(MatchResult::Stated { verdict, reason })
    };
    match end {
        MatchEnd::Played { winner: Some(side) } => Ok(MatchResult::Played(SeriesEnd::Won(side))),
        MatchEnd::Played { winner: None } => Ok(MatchResult::Played(SeriesEnd::Drawn)),
        MatchEnd::Resigned { winner } => stated(Verdict::Win(winner), "resigned"),
        MatchEnd::Aborted => stated(Verdict::Void, "aborted"),
    }
}
