//! Who of those who hold the seats of a match is here, and since when the others are not.
//!
//! May know sides and times, never sockets. Presence itself is told as it is; this is about
//! when it has consequences for the match.

use crate::limits::GONE_MS;
use mancala_engine::{BySide, Side};
use mancala_play::{Leaving, Match};

/// The seats of a match.
#[derive(Debug)]
pub(super) struct Seats {
    away: BySide<Option<Away>>,
    /// Somebody of the side has come, and what comes of that is not written yet.
    came: BySide<bool>,
}

/// Nobody of a side is here.
#[derive(Clone, Copy, Debug)]
struct Away {
    /// From this service time on.
    since_ms: i64,
    how: Leaving,
}

impl Seats {
    /// When a match is loaded, nobody is here yet: whoever was, has lost the line with the
    /// process before this one, and is not charged for the time in between.
    pub(super) const fn empty(now_ms: i64) -> Seats {
        let away = Some(Away {
            since_ms: now_ms,
            how: Leaving::Dropped,
        });
        Seats {
            away: BySide {
                south: away,
                north: away,
            },
            came: BySide {
                south: false,
                north: false,
            },
        }
    }

    /// Who holds the seat of a side is here.
    pub(super) fn sit(&mut self, side: Side) {
        self.away[side] = None;
    }

    /// Somebody of a side has come, perhaps again.
    pub(super) fn come(&mut self, side: Side) {
        self.away[side] = None;
        self.came[side] = true;
    }

    /// What comes of it that somebody of a side has come is written.
    pub(super) fn has_come(&mut self, side: Side) {
        self.came[side] = false;
    }

    /// The last of a side has left, if that is not known yet.
    pub(super) fn leave(&mut self, side: Side, how: Leaving, now_ms: i64) {
        self.came[side] = false;
        self.away[side].get_or_insert(Away {
            since_ms: now_ms,
            how,
        });
    }

    /// Is somebody of a side here, as far as is known, who is not only just coming?
    pub(super) fn is_here(&self, side: Side) -> bool {
        self.away[side].is_none() && !self.came[side]
    }

    /// That a side is gone has become an event: from now on its grace runs.
    pub(super) fn gone_again(&mut self, side: Side, now_ms: i64) {
        if let Some(away) = &mut self.away[side] {
            away.since_ms = now_ms;
        }
    }

    /// Whoever is away has a grace that runs from now on.
    pub(super) fn renew(&mut self, now_ms: i64) {
        for side in Side::ALL {
            self.gone_again(side, now_ms);
        }
    }

    /// For how long each side has been away.
    pub(super) fn away_ms(&self, now_ms: i64) -> BySide<i64> {
        BySide::from_fn(|side| self.away[side].map_or(0, |away| (now_ms - away.since_ms).max(0)))
    }

    /// When something comes of it that somebody has come or left, should nothing happen before:
    /// of who has come, at once.
    pub(super) fn next_ms(&self, play: &Match) -> Option<i64> {
        if self.back(play).is_some() {
            return Some(i64::MIN);
        }
        self.going(play)
            .map(|(_, away)| away.since_ms + GONE_MS)
            .min()
    }

    /// A side that has come and of which the match has to be told.
    pub(super) fn back(&self, play: &Match) -> Option<Side> {
        let matters = |side: &Side| self.came[*side] && !play.decide_back(*side).is_empty();
        Side::ALL.into_iter().find(matters)
    }

    /// A side of which it is an event by now that it is gone, and how it went.
    pub(super) fn gone_by(&self, now_ms: i64, play: &Match) -> Option<(Side, Leaving)> {
        let mut going = self.going(play);
        let (side, away) = going.find(|(_, away)| away.since_ms + GONE_MS <= now_ms)?;
        Some((side, away.how))
    }

    /// The sides whose absence is about to matter: to somebody of the other side who is here.
    fn going(&self, play: &Match) -> impl Iterator<Item = (Side, Away)> {
        Side::ALL.into_iter().filter_map(|side| {
            let away = self.away[side]?;
            let matters =
                self.away[side.other()].is_none() && !play.decide_gone(side, away.how).is_empty();
            matters.then_some((side, away))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_engine::{Format, Mancala, Options};
    use mancala_play::{Event, MatchSpec, UserId};
    use uuid::Uuid;

    fn begun() -> Match {
        let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
        let mut play = Match::create(spec);
        for (side, number) in [(Side::South, 1), (Side::North, 2)] {
            let user = UserId(Uuid::from_u128(number));
            play.apply(&Event::Seated { side, user });
        }
        play.apply(&Event::GameBegan {
            game: 1,
            begins: Side::South,
        });
        play
    }

    #[test]
    fn a_side_is_gone_a_little_after_it_left_and_to_somebody() {
        let mut play = begun();
        let mut seats = Seats::empty(1_000);
        assert_eq!(seats.next_ms(&play), None, "nobody is here to care");
        seats.come(Side::South);
        assert_eq!(seats.next_ms(&play), Some(1_000 + GONE_MS));
        seats.come(Side::North);
        assert_eq!(seats.next_ms(&play), None);
        seats.leave(Side::North, Leaving::Closed, 20_000);
        // A second device of the same side that leaves later changes nothing.
        seats.leave(Side::North, Leaving::Dropped, 21_000);
        let due_ms = 20_000 + GONE_MS;
        assert_eq!(seats.gone_by(due_ms - 1, &play), None);
        let gone = seats.gone_by(due_ms, &play);
        assert_eq!(gone, Some((Side::North, Leaving::Closed)));
        for event in play.decide_gone(Side::North, Leaving::Closed) {
            play.apply(&event);
        }
        seats.gone_again(Side::North, due_ms);
        assert_eq!(seats.gone_by(due_ms + 1_000, &play), None, "once");
        assert_eq!(seats.away_ms(due_ms + 1_000).north, 1_000);
        assert_eq!(seats.away_ms(due_ms + 1_000).south, 0);
        seats.come(Side::North);
        assert_eq!(seats.back(&play), Some(Side::North), "until it is written");
        assert!(seats.next_ms(&play).is_some_and(|at_ms| at_ms < due_ms));
        seats.leave(Side::North, Leaving::Dropped, 30_000);
        assert_eq!(seats.back(&play), None, "it has left before it was");
        seats.come(Side::North);
        seats.has_come(Side::North);
        assert_eq!(seats.next_ms(&play), None);
    }
}
