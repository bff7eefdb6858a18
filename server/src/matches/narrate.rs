//! The events of a match told again from its log.

use crate::hub::{Frame, frame};
use crate::ids::PublicId;
use crate::limits::LOG_PAGE;
use crate::store::{LogRow, Store, StoreError};
use mancala_engine::Position as _;
use mancala_play::{Event, Match, MatchId, UserId};
use mancala_protocol::convert;
use std::collections::BTreeMap;

/// Reads the whole log of a match.
pub(super) async fn whole_log(store: &Store, id: MatchId) -> Result<Vec<LogRow>, StoreError> {
    let mut log: Vec<LogRow> = Vec::new();
    loop {
        let after = log.last().map_or(0, |row| row.seq);
        let page = store.log_after(id, after, LOG_PAGE).await?;
        let last = page.len() < LOG_PAGE as usize;
        log.extend(page);
        if last {
            return Ok(log);
        }
    }
}

/// The frames of all events after `since`, played from the first row on.
pub(super) fn frames_after(
    name: PublicId,
    log: &[LogRow],
    since: u64,
    names: &BTreeMap<UserId, String>,
) -> Vec<Frame> {
    let Some((Event::Created { spec }, rest)) =
        log.split_first().map(|(first, rest)| (&first.event, rest))
    else {
        return Vec::new();
    };
    let mut play = Match::create(spec.clone());
    let mut frames = Vec::new();
    for row in rest {
        let told = apply(&mut play, name, &row.event, names);
        if row.seq > since {
            frames.extend(told);
        }
    }
    frames
}

/// Makes an event true, and tells it.
pub(super) fn apply(
    play: &mut Match,
    name: PublicId,
    event: &Event,
    names: &BTreeMap<UserId, String>,
) -> Option<Frame> {
    let before = play.play().map(|play| play.game().position().extra());
    let moved = play.apply(event);
    let name_of = |user: UserId| name_of(names, user);
    let told = convert::event_frame(name, event, before, play, moved.as_ref(), &name_of)?;
    Some(frame(&told))
}

/// The name of somebody who has a seat.
pub(super) fn name_of(names: &BTreeMap<UserId, String>, user: UserId) -> String {
    names.get(&user).cloned().unwrap_or_else(|| "?".to_owned())
}
