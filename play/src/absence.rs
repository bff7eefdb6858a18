//! Who is away, and what the other side may make of it.

use crate::{Asked, Context, Event, Match, OutsideReason, PauseWhy, Play, Refusal, Stage, Way};
use mancala_engine::{BySide, Side};
use serde::{Deserialize, Serialize};

/// How somebody went away.
///
/// ```
/// use mancala_play::Leaving;
/// assert_eq!(serde_json::to_string(&Leaving::Dropped)?, r#""dropped""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    /// The line was lost; it may come back by itself.
    Dropped,
    /// The page or the program was closed.
    Closed,
}

/// A side that is away.
///
/// ```
/// use mancala_play::{Absence, Leaving};
/// let absence = Absence { how: Leaving::Closed, grace_ms: 20_000 };
/// assert!(absence.is_over(20_000) && !absence.is_over(19_999));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Absence {
    /// How it went.
    pub how: Leaving,
    /// How long it may be away before the other side may claim something, in milliseconds.
    pub grace_ms: i64,
}

impl Absence {
    /// Has the side been away for longer than it may?
    #[must_use]
    pub const fn is_over(&self, away_ms: i64) -> bool {
        away_ms >= self.grace_ms
    }
}

/// The shortest grace, in milliseconds: as long as a phone takes from one network to another.
const GRACE_MS_MIN: i64 = 10_000;

/// How often a side may go away in a game with its whole grace; each time after that has half
/// of the one before.
const LEAVES_FREE: u8 = 2;

/// How often it is an event that a side is back. Whoever comes and goes more often in a game
/// counts as away, with the shortest grace, whenever he is not here: so nobody fills a log by
/// that.
pub(crate) const BACKS_TOLD: u8 = 20;

impl Match {
    /// Which sides are away, as far as it has consequences.
    #[must_use]
    pub const fn absences(&self) -> &BySide<Option<Absence>> {
        &self.absences
    }

    /// What comes of it that nobody of a side is here any more: nothing where presence does
    /// not count, as in correspondence, where nobody is expected to sit and wait.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options, Side};
    /// use mancala_play::{Event, Leaving, Match, MatchSpec, UserId};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let mut play = Match::create(spec);
    /// for (side, number) in [(Side::South, 1), (Side::North, 2)] {
    ///     play.apply(&Event::Seated { side, user: UserId(uuid::Uuid::from_u128(number)) });
    /// }
    /// assert_eq!(play.decide_gone(Side::South, Leaving::Closed), []);
    /// play.apply(&Event::GameBegan { game: 1, begins: Side::South });
    /// let gone = play.decide_gone(Side::South, Leaving::Closed);
    /// assert!(matches!(gone[..], [Event::Gone { side: Side::South, .. }]));
    /// ```
    #[must_use]
    pub fn decide_gone(&self, side: Side, how: Leaving) -> Vec<Event> {
        let counts = matches!(self.stage, Stage::Playing(_)) && self.presence_counts();
        if !counts || self.absences[side].is_some() {
            return Vec::new();
        }
        let times = self.leaves[side].saturating_add(1);
        let shorter = times.saturating_sub(LEAVES_FREE).min(8);
        let grace_ms = self.spec.clock.grace_ms(how) >> shorter;
        vec![Event::Gone {
            side,
            how,
            grace_ms: grace_ms.max(GRACE_MS_MIN),
        }]
    }

    /// What comes of it that somebody of a side is here: it is no longer away, and a match
    /// that stood because both were goes on.
    #[must_use]
    pub fn decide_back(&self, side: Side) -> Vec<Event> {
        let mut events = Vec::new();
        if self.absences[side].is_some() && self.leaves[side] <= BACKS_TOLD {
            events.push(Event::Back { side });
        }
        let pause = self.playing().ok().and_then(|play| play.pause);
        if pause == Some(PauseWhy::Absent) {
            events.push(Event::Resumed {
                side: Some(side),
                asked: None,
            });
        }
        events
    }

    /// Does it matter whether the players are here? In correspondence nothing but the
    /// deadline counts.
    #[must_use]
    pub const fn presence_counts(&self) -> bool {
        !self.spec.clock.is_correspondence()
    }

    /// May this side claim the game, the other side having been away for so long, in
    /// milliseconds, [since it was waited for](Event::renews_grace)? It has to be the absent
    /// side's turn.
    #[must_use]
    pub fn may_claim(&self, side: Side, away_ms: i64) -> bool {
        let other = side.other();
        let waited_for = match self.playing() {
            Ok(play) => {
                let is_waited_for = play.pause.is_none() && play.game.to_move() == other;
                is_waited_for && !self.may_be_no_match(play)
            }
            Err(_) => false,
        };
        let away = self.absences[other];
        waited_for && self.presence_counts() && away.is_some_and(|away| away.is_over(away_ms))
    }

    /// Is a side yet to make its first move, without which there is no match, and nothing to
    /// be won?
    pub(crate) fn may_be_no_match(&self, play: &Play) -> bool {
        let has_moved = play.moved[play.game.to_move()];
        let is_first_game = play.series.game() == 1;
        !has_moved && is_first_game && self.spec.way != Some(Way::Contract)
    }

    pub(crate) fn decide_claim(
        &self,
        asked: Asked,
        winner: Option<Side>,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let play = self.playing()?;
        if !self.may_claim(asked.side, context.away_ms[asked.side.other()]) {
            return Err(Refusal::NoClaim);
        }
        let outcome = OutsideReason::Claimed.outcome(winner);
        let spent = play.clocks.counts(context.spent);
        play.game_end(outcome, Some(asked), spent)
    }
}
