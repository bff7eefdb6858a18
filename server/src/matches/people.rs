//! Who of the people in the teams of a match is here, and since when the others are not.
//!
//! May know people and times, never sockets. When somebody has been away for so long that his
//! team goes on without him, and when he is back, is an event; this is about when.

use mancala_play::{Match, UserId};
use std::collections::BTreeMap;

/// The people of the teams who are not here, and since which service time. Nobody, where the
/// sides of the match are no teams.
#[derive(Debug, Default)]
pub(super) struct People {
    away_since_ms: BTreeMap<UserId, i64>,
}

impl People {
    /// Looks who is here, at this service time.
    pub(super) fn meet(&mut self, play: &Match, is_here: impl Fn(UserId) -> bool, now_ms: i64) {
        let mut away = BTreeMap::new();
        for (user, _) in play.waited_for() {
            if !is_here(user) {
                let since_ms = self.away_since_ms.get(&user).copied();
                away.insert(user, since_ms.unwrap_or(now_ms));
            }
        }
        self.away_since_ms = away;
    }

    /// When somebody is to be missed, or has to be told to be back, should nothing happen
    /// before: of who is back, at once.
    pub(super) fn next_ms(&self, play: &Match) -> Option<i64> {
        let changes = self.changes(play).map(|(_, at_ms)| at_ms);
        changes.min()
    }

    /// Somebody who is to be missed by now, or to be told to be back.
    pub(super) fn changed_by(&self, now_ms: i64, play: &Match) -> Option<UserId> {
        let mut changes = self.changes(play);
        changes
            .find(|(_, at_ms)| *at_ms <= now_ms)
            .map(|(user, _)| user)
    }

    /// Is he away?
    pub(super) fn is_away(&self, user: UserId) -> bool {
        self.away_since_ms.contains_key(&user)
    }

    fn changes(&self, play: &Match) -> impl Iterator<Item = (UserId, i64)> {
        let grace_ms = play
            .spec()
            .teams
            .as_ref()
            .map_or(0, |teams| teams.grace_ms());
        let people = play.teams().map_or_else(Vec::new, |_| play.waited_for());
        people.into_iter().filter_map(move |(user, absent)| {
            match (self.away_since_ms.get(&user), absent) {
                (Some(since_ms), false) => Some((user, since_ms + grace_ms)),
                (None, true) => Some((user, i64::MIN)),
                (Some(_), true) | (None, false) => None,
            }
        })
    }
}
