//! What happens in a match by itself, because time goes by.

use crate::apply::turn_of;
use crate::{
    Context, Event, Match, MatchEnd, OutsideReason, PauseWhy, Play, Refusal, Spent, Stage,
    TeamEvent, Way, WhenOut,
};
use mancala_engine::{
    Action, AnyPosition, Direction, Game, Options, Phase, Pit, Position as _, Setup, Side,
};

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 24 * 60 * 60 * SECOND_MS;

/// How long clocks may stand by agreement, in milliseconds; then they go on.
const PAUSE_MS: i64 = 14 * DAY_MS;

/// How long a match waits for players who both stay away, in milliseconds; then it is over.
const ABANDONED_MS: i64 = DAY_MS;

/// So many turns lost in a row by both sides, and nobody plays: the clocks stand.
const LOST_BY_BOTH: u8 = 5;

/// So many turns lost in a row by one side, and the game is lost.
const LOST_BY_ONE: u8 = 10;

/// The referee counts *emu* and *bbiri*.
const COUNTS: u8 = 2;

/// Something that happens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A side has not laid out its seeds.
    Arrangement,
    /// A side has not made its first move.
    FirstMove,
    /// The referee counts on.
    Count,
    /// The side to move is out of time.
    OutOfTime,
    /// The clocks go on.
    Resumption,
    /// Nobody has come back.
    Abandonment,
    /// The window in which a team votes closes.
    Window,
}

impl Match {
    /// How long after the last event that [settled](Event::settles) its time something happens
    /// by itself, in milliseconds. None where nothing does.
    #[must_use]
    pub fn deadline_ms(&self) -> Option<i64> {
        self.next_due().map(|(_, ms)| ms)
    }

    /// What happens next by itself, and when.
    fn next_due(&self) -> Option<(Due, i64)> {
        let Stage::Playing(play) = &self.stage else {
            return None;
        };
        let due = self.next_of_side(play);
        let window = self.window_ms(play).map(|ms| (Due::Window, ms));
        match (due, window) {
            (Some(due), Some(window)) if due.1 <= window.1 => Some(due),
            (due, None) => due,
            (_, window) => window,
        }
    }

    /// How long after the last event that [settled](Event::settles) its time the window closes
    /// in which the team of this side votes; none where no such is open.
    #[must_use]
    pub fn window_of(&self, side: Side) -> Option<i64> {
        let play = self.playing().ok()?;
        self.window_ms(play).filter(|_| play.game.to_move() == side)
    }

    /// When the window of the team to move closes, if it is open and nobody waits.
    fn window_ms(&self, play: &Play) -> Option<i64> {
        let window_ms = self.spec.teams.as_ref()?.window_ms()?;
        let team = &self.teams()?[play.game.to_move()];
        let is_open = play.pause.is_none() && !team.council.is_window_over();
        is_open.then_some(window_ms)
    }

    fn next_of_side(&self, play: &Play) -> Option<(Due, i64)> {
        match play.pause {
            Some(PauseWhy::Agreed) => return Some((Due::Resumption, PAUSE_MS)),
            Some(PauseWhy::Absent) => return Some((Due::Abandonment, ABANDONED_MS)),
            None => {}
        }
        if play.is_opening() {
            let due = match play.game.position().standing().phase {
                Phase::Arrange => Due::Arrangement,
                _ => Due::FirstMove,
            };
            // A team has the time of its window beside that to come together.
            let teams = self.spec.teams.as_ref();
            let window_ms = teams.and_then(|teams| teams.window_ms()).unwrap_or(0);
            return Some((due, play.clocks.control().first_move_ms()? + window_ms));
        }
        let counts_left = i64::from(COUNTS.saturating_sub(play.count));
        if self.spec.way == Some(Way::Blitz) && counts_left > 0 {
            let left_ms = play.clocks.left_ms(play.clocks.running()?)?;
            return Some((Due::Count, (left_ms - counts_left * SECOND_MS).max(0)));
        }
        Some((Due::OutOfTime, play.clocks.deadline_ms()?))
    }

    /// What comes of it that [`deadline_ms`](Match::deadline_ms) is over. Nothing where
    /// nothing happens by itself.
    ///
    /// Who has begun his turn and only had to choose is taken to have chosen: forward for a
    /// direction, the fullest pits first for a strip, the standard rows for an arrangement.
    ///
    /// ```
    /// use mancala_engine::{Action, Format, Mancala, Options, Pit, Side};
    /// use mancala_play::{Context, Control, Event, Match, MatchSpec, UserId};
    /// let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// spec.clock = Control::BLITZ;
    /// let mut play = Match::create(spec);
    /// for (side, number) in [(Side::South, 1), (Side::North, 2)] {
    ///     play.apply(&Event::Seated { side, user: UserId(uuid::Uuid::from_u128(number)) });
    /// }
    /// play.apply(&Event::GameBegan { game: 1, begins: Side::North });
    /// // Half a minute for the first move, while the clock stands. Without it there is no match.
    /// assert_eq!(play.deadline_ms(), Some(30_000));
    /// let events = play.decide_due(&Context::untimed(Side::South));
    /// assert!(matches!(events[..], [Event::MatchEnded { .. }]));
    /// ```
    #[must_use]
    pub fn decide_due(&self, context: &Context) -> Vec<Event> {
        let (Some((due, _)), Ok(play)) = (self.next_due(), self.playing()) else {
            return Vec::new();
        };
        let decided = match due {
            Due::Resumption => Ok(vec![Event::Resumed {
                side: None,
                asked: None,
            }]),
            Due::Abandonment => Ok(ended(MatchEnd::Abandoned)),
            Due::Count => Ok(vec![Event::Counted {
                count: play.count + 1,
            }]),
            Due::Arrangement => self.decide_for_who_does_not_choose(play, context),
            Due::Window => self.decide_window(play.game.to_move(), context),
            Due::FirstMove if self.may_be_no_match(play) => Ok(ended(MatchEnd::Aborted)),
            Due::FirstMove => play.lost_on_time(),
            Due::OutOfTime => match play.clocks.control().when_out() {
                WhenOut::LosesGame => play.lost_on_time(),
                WhenOut::LosesTurn => self.decide_for_who_does_not_choose(play, context),
            },
        };
        let decided = decided.and_then(|events| self.with_what_follows(events, context));
        // While a game is being played its series is not over.
        decided.unwrap_or_default()
    }

    /// The window of a team closes: what it has voted for is played, if there is such.
    fn decide_window(&self, side: Side, context: &Context) -> Result<Vec<Event>, Refusal> {
        let teams = self.spec.teams.as_ref();
        let window_ms = teams.and_then(|teams| teams.window_ms()).unwrap_or(0);
        let context = Context {
            spent: Spent::new(window_ms, 0),
            ..*context
        };
        let closes = vec![Event::team(side, TeamEvent::WindowClosed)];
        self.with_what_follows(closes, &context)
    }

    /// The turn goes on without the side to move, or away from it.
    fn decide_for_who_does_not_choose(
        &self,
        play: &Play,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let side = play.game.to_move();
        let mut spent = play.clocks.all_left();
        let mut events = Vec::new();
        let mut game = play.game.clone();
        let turn = turn_of(&game);
        loop {
            let by_lot = game.position().standing().phase == Phase::Lottery;
            if game.outcome().is_some() || turn_of(&game) != turn && !by_lot {
                break;
            }
            let action = taken_for_chosen(&game, context);
            game.play_unchecked(&action);
            events.push(Event::Acted {
                side: (!by_lot).then_some(side),
                action,
                key: None,
                part: 0,
                by: None,
                spent: std::mem::take(&mut spent),
            });
        }
        if let Some(outcome) = game.outcome() {
            let ended = crate::GameOutcome::Board(*outcome);
            events.extend(play.game_end(ended, None, Spent::NOTHING)?);
            return Ok(events);
        }
        let lost_turn = |event: &Event| {
            matches!(
                event,
                Event::Acted {
                    action: Action::LoseTurn,
                    ..
                }
            )
        };
        if events.iter().any(lost_turn) {
            let mut lost = play.lost;
            lost[side] = lost[side].saturating_add(1);
            if lost[side] >= LOST_BY_ONE {
                events.extend(play.lost_by(side, Spent::NOTHING)?);
            } else if lost.south.min(lost.north) >= LOST_BY_BOTH {
                events.push(Event::Paused {
                    why: PauseWhy::Absent,
                    asked: None,
                    spent: Spent::NOTHING,
                });
            }
        }
        Ok(events)
    }
}

impl Play {
    /// The side to move has lost the game by its time.
    fn lost_on_time(&self) -> Result<Vec<Event>, Refusal> {
        self.lost_by(self.game.to_move(), self.clocks.all_left())
    }

    fn lost_by(&self, side: Side, spent: Spent) -> Result<Vec<Event>, Refusal> {
        let outcome = OutsideReason::Time.won_by(side.other());
        self.game_end(outcome, None, spent)
    }
}

/// Ends the match while no clock runs.
fn ended(end: MatchEnd) -> Vec<Event> {
    vec![Event::MatchEnded {
        end,
        asked: None,
        note: None,
        spent: Spent::NOTHING,
    }]
}

/// What goes on where nobody chooses.
fn taken_for_chosen(game: &Game<AnyPosition>, context: &Context) -> Action {
    let setup = game.position().setup();
    match setup.standing.phase {
        Phase::Direction(_) => Action::Direction {
            dir: Direction::Forward,
        },
        Phase::Strip { seeds } => Action::Strip {
            take: fullest(&setup, seeds),
        },
        Phase::Arrange => Action::Arrange {
            pits: standard_rows(game.position().options()),
        },
        Phase::Lottery => Action::Lottery { to: context.lot },
        Phase::Play | Phase::Over(_) => Action::LoseTurn,
    }
}

/// So many seeds of the side that does not move, from its fullest pits; of two that are as
/// full, from the one with the smaller number.
fn fullest(setup: &Setup, mut seeds: u32) -> Vec<(Pit, u32)> {
    let pits = &setup.board.pits[setup.standing.to_move.other()];
    let mut pits: Vec<(u16, u32)> = (0..).zip(pits.iter().copied()).collect();
    pits.sort_by_key(|&(pit, there)| (std::cmp::Reverse(there), pit));
    let mut take = Vec::new();
    for (pit, there) in pits {
        let taken = there.min(seeds);
        if taken > 0 {
            take.push((Pit(pit), taken));
            seeds -= taken;
        }
    }
    take
}

/// Four seeds in each pit of the outer row; where the cap does not allow that, as many as it
/// does, and the rest in the inner row, from its first pit on.
fn standard_rows(options: Options) -> Vec<u32> {
    let cap = match options {
        Options::Omweso(options) => options.cap.map_or(u32::MAX, |cap| cap.get()),
        _ => u32::MAX,
    };
    let mut seeds = 32;
    let row = |most: u32| std::iter::repeat_n(most.min(cap), 8);
    let full = row(4).chain(row(u32::MAX));
    full.map(|most| {
        let laid = most.min(seeds);
        seeds -= laid;
        laid
    })
    .collect()
}
