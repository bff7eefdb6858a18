//! The events of a match as the people in it are told of them.

use crate::hub::{Frame, frame};
use crate::ids::PublicId;
use mancala_engine::{Extra, Position as _};
use mancala_play::{Effect, Event, Match, UserId};
use mancala_protocol::convert;
use std::collections::BTreeMap;

/// Makes an event true, and tells it.
pub(super) fn apply(
    play: &mut Match,
    name: PublicId,
    event: &Event,
    names: &BTreeMap<UserId, String>,
) -> Option<Frame> {
    let before = extra(play);
    let effect = play.apply(event);
    tell(name, event, before, play, &effect, names)
}

/// What a position has beside its pits and stores, of which an event tells what changed.
pub(super) fn extra(play: &Match) -> Option<Extra> {
    play.play().map(|play| play.game().position().extra())
}

/// Tells an event that has just been made true, if people are told of it.
pub(super) fn tell(
    name: PublicId,
    event: &Event,
    before: Option<Extra>,
    after: &Match,
    effect: &Effect,
    names: &BTreeMap<UserId, String>,
) -> Option<Frame> {
    let name_of = |user: UserId| name_of(names, user);
    let told = convert::event_frame(name, event, before, after, effect, &name_of)?;
    Some(frame(&told))
}

/// The name of somebody who has a seat.
pub(super) fn name_of(names: &BTreeMap<UserId, String>, user: UserId) -> String {
    names.get(&user).cloned().unwrap_or_else(|| "?".to_owned())
}
