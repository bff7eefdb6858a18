//! Making an event true.

use crate::{Clocks, Digest, Entry, Event, GameOutcome, Match, MatchEnd, Play, Stage};
use mancala_engine::{
    Action, AnyPosition, BySide, Game, Phase, Position, Series, SeriesEnd, SeriesOver, Side, Trace,
};
use std::fmt;

/// What an event changes beside what it says.
///
/// ```
/// use mancala_play::Effect;
/// assert_eq!(Effect::default(), Effect { trace: None, ledger: vec![] });
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// How the seeds moved. Events of another kind than [`Event::Acted`] move none.
    pub trace: Option<Trace>,
    /// How the clocks changed.
    pub ledger: Vec<Entry>,
}

/// Whose turn it is, and which: the same side has another where the other cannot move, and
/// arrangements are not counted.
pub(crate) fn turn_of(game: &Game<AnyPosition>) -> (u32, Side) {
    let standing = game.position().standing();
    (standing.turn, standing.to_move)
}

/// The event cannot stand next in the log.
struct DoesNotFollow;

fn ensure(holds: bool) -> Result<(), DoesNotFollow> {
    if holds { Ok(()) } else { Err(DoesNotFollow) }
}

impl Match {
    /// Makes an event true that was decided on this very state, and says what
    /// changed. Reads no clock and draws no lot.
    ///
    /// # Panics
    /// Where the event does not follow from the state. That is a fault of the program,
    /// and ends this match alone: it is started again from its log.
    pub fn apply(&mut self, event: &Event) -> Effect {
        let seq = self.seq + 1;
        self.follow(event)
            .unwrap_or_else(|DoesNotFollow| panic!("event {seq} was not decided here: {event:?}"))
    }

    /// Reads a match from its log, or from the beginning of it: the events, and the digest
    /// after the last of them.
    ///
    /// # Errors
    /// The log is damaged, or the rules have changed under it.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options};
    /// use mancala_play::{Damage, Event, Match, MatchSpec};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let play = Match::create(spec.clone());
    /// let log = [Event::Created { spec }];
    /// assert_eq!(Match::replay(&log, play.digest()).as_ref(), Ok(&play));
    /// assert_eq!(Match::replay(&[], play.digest()), Err(Damage::NoBeginning));
    /// ```
    pub fn replay(events: &[Event], digest: Digest) -> Result<Match, Damage> {
        let Some((Event::Created { spec }, rest)) = events.split_first() else {
            return Err(Damage::NoBeginning);
        };
        let mut replayed = Match::create(spec.clone());
        for event in rest {
            replayed.follow_in_log(event)?;
        }
        replayed.ensure_digest(digest)?;
        Ok(replayed)
    }

    /// Reads on in the log: the next event, and the digest after it. Says how the seeds
    /// moved. After an error this is no state of the match.
    ///
    /// # Errors
    /// The log is damaged, or the rules have changed under it.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options, Side};
    /// use mancala_play::{Damage, Effect, Event, Match, MatchSpec, UserId};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let mut play = Match::create(spec);
    /// let mut read = play.clone();
    /// let seated = Event::Seated { side: Side::South, user: UserId(uuid::Uuid::from_u128(1)) };
    /// play.apply(&seated);
    /// assert_eq!(read.read_next(&seated, play.digest()), Ok(Effect::default()));
    /// assert_eq!(read, play);
    /// // A seat is not taken twice.
    /// let again = read.read_next(&seated, play.digest());
    /// assert_eq!(again, Err(Damage::DoesNotFollow { seq: 3 }));
    /// ```
    pub fn read_next(&mut self, event: &Event, digest: Digest) -> Result<Effect, Damage> {
        let effect = self.follow_in_log(event)?;
        self.ensure_digest(digest)?;
        Ok(effect)
    }

    fn follow_in_log(&mut self, event: &Event) -> Result<Effect, Damage> {
        let seq = self.seq + 1;
        self.follow(event)
            .map_err(|DoesNotFollow| Damage::DoesNotFollow { seq })
    }

    fn ensure_digest(&self, expected: Digest) -> Result<(), Damage> {
        let (seq, found) = (self.seq, self.digest);
        if found == expected {
            Ok(())
        } else {
            Err(Damage::OtherDigest {
                seq,
                expected,
                found,
            })
        }
    }

    /// Makes an event true if it can stand next in the log; changes nothing if not.
    fn follow(&mut self, event: &Event) -> Result<Effect, DoesNotFollow> {
        let effect = self.make_true(event)?;
        self.seq += 1;
        self.bind_key(event);
        if event.is_numbered() {
            self.next_number += 1;
        }
        self.digest = self.digest.after_event(event, self);
        Ok(effect)
    }

    fn make_true(&mut self, event: &Event) -> Result<Effect, DoesNotFollow> {
        match event {
            Event::Created { .. } => return Err(DoesNotFollow),
            Event::Seated { side, user } => {
                ensure(matches!(self.stage, Stage::Gathering))?;
                ensure(self.seats[*side].is_none() && self.side_of(*user).is_none())?;
                self.seats[*side] = Some(*user);
            }
            Event::GameBegan { game, begins } => {
                let series = match &self.stage {
                    Stage::Gathering => {
                        ensure(self.seats.south.is_some() && self.seats.north.is_some())?;
                        Series::new(self.spec.format, *begins)
                    }
                    Stage::Playing(play) => {
                        ensure(play.ended && play.series.end().is_none())?;
                        play.series
                    }
                    Stage::Over { .. } => return Err(DoesNotFollow),
                };
                ensure((*game, *begins) == (series.game(), series.begins()))?;
                let game = Game::from_position(AnyPosition::start(self.spec.options, *begins));
                let (mut clocks, ledger) = Clocks::new(self.spec.clock);
                clocks.start(game.to_move());
                self.stage = Stage::Playing(Play {
                    series,
                    game,
                    clocks,
                    moved: BySide::both(false),
                    offer: None,
                    offered: BySide::both(0),
                    ended: false,
                });
                return Ok(Effect {
                    trace: None,
                    ledger,
                });
            }
            Event::Acted {
                side,
                action,
                key,
                part,
                spent,
            } => {
                if let (Some(side), 1..) = (side, part) {
                    let before = self.keys[*side].act_before(self.next_number);
                    let key = key.as_ref().ok_or(DoesNotFollow)?;
                    ensure(before.is_some_and(|bound| bound.goes_on(key, *part)))?;
                }
                let play = self.being_played()?;
                let standing = play.game.position().standing();
                let turn = (standing.turn, standing.to_move);
                let mover = (standing.phase != Phase::Lottery).then_some(standing.to_move);
                ensure(*side == mover)?;
                let trace = play.game.play(action).map_err(|_| DoesNotFollow)?;
                if let Some(side) = side
                    && *action != Action::LoseTurn
                {
                    play.moved[*side] = true;
                }
                play.offer = None;
                let mut ledger = play.clocks.spend(*spent);
                if play.game.outcome().is_some() {
                    play.clocks.stop();
                } else if turn_of(&play.game) != turn {
                    ledger.extend(play.clocks.end_turn());
                    play.clocks.start(play.game.to_move());
                }
                return Ok(Effect {
                    trace: Some(trace),
                    ledger,
                });
            }
            Event::DrawOffered { asked } => {
                let number = self.next_number;
                let play = self.being_played()?;
                ensure(play.offer.is_none())?;
                play.offer = Some(asked.side);
                play.offered[asked.side] = number;
            }
            Event::DrawDeclined { .. } => {
                let play = self.being_played()?;
                ensure(play.offer.is_some())?;
                play.offer = None;
            }
            Event::GameEnded { outcome, .. } => {
                let play = self.being_played()?;
                ensure(match outcome {
                    GameOutcome::Board(outcome) => play.game.outcome() == Some(outcome),
                    GameOutcome::Outside { .. } => play.game.outcome().is_none(),
                })?;
                let recorded = play.series.record(outcome.result());
                recorded.map_err(|SeriesOver| DoesNotFollow)?;
                play.offer = None;
                play.ended = true;
                play.clocks.stop();
            }
            Event::MatchEnded { end, .. } => {
                ensure(match (&self.stage, end) {
                    (Stage::Gathering, MatchEnd::Aborted) => true,
                    (Stage::Playing(play), MatchEnd::Played { winner }) => {
                        let end = play.series.end();
                        end.is_some_and(|end| {
                            end == winner.map_or(SeriesEnd::Drawn, SeriesEnd::Won)
                        })
                    }
                    (Stage::Playing(play), MatchEnd::Resigned { .. } | MatchEnd::Aborted) => {
                        !play.ended
                    }
                    _ => false,
                })?;
                let last = match std::mem::replace(&mut self.stage, Stage::Gathering) {
                    Stage::Playing(mut play) => {
                        play.offer = None;
                        play.clocks.stop();
                        Some(play)
                    }
                    _ => None,
                };
                self.stage = Stage::Over { last, end: *end };
            }
        }
        Ok(Effect::default())
    }

    /// Remembers the key of the command behind an event.
    fn bind_key(&mut self, event: &Event) {
        let (number, seq) = (self.next_number, self.seq);
        match event {
            Event::Acted {
                side: Some(side),
                action,
                key: Some(key),
                part,
                ..
            } => {
                let keys = &mut self.keys[*side];
                match keys.act_before(number).filter(|_| *part > 0) {
                    Some(bound) => bound.extend(action),
                    None => keys.bind_act(key, action, number, seq),
                }
            }
            // The lot answers the command that called for it, and counts with it.
            Event::Acted { side: None, .. } => {
                for side in Side::ALL {
                    if let Some(bound) = self.keys[side].act_before(number) {
                        bound.receipt.actions += 1;
                    }
                }
            }
            _ => {
                if let Some(asked) = event.asked() {
                    self.keys[asked.side].bind_other(asked, number, seq);
                }
            }
        }
    }

    fn being_played(&mut self) -> Result<&mut Play, DoesNotFollow> {
        match &mut self.stage {
            Stage::Playing(play) if !play.ended => Ok(play),
            _ => Err(DoesNotFollow),
        }
    }
}

/// Why a log cannot be read as a match. A person must look at it.
///
/// ```
/// use mancala_play::Damage;
/// let damage = Damage::DoesNotFollow { seq: 9 };
/// assert_eq!(damage.to_string(), "event 9 does not follow from those before it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The first event is not that the match was created.
    NoBeginning,
    /// An event does not follow from those before it.
    DoesNotFollow {
        /// Its place in the log.
        seq: u64,
    },
    /// An event leads to another state than was written down.
    OtherDigest {
        /// Its place in the log.
        seq: u64,
        /// What was written down.
        expected: Digest,
        /// What it leads to.
        found: Digest,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NoBeginning => f.write_str("the log does not begin with the match's creation"),
            Damage::DoesNotFollow { seq } => {
                write!(f, "event {seq} does not follow from those before it")
            }
            Damage::OtherDigest {
                seq,
                expected,
                found,
            } => write!(
                f,
                "event {seq} leads to digest {found}, the log says {expected}"
            ),
        }
    }
}

impl std::error::Error for Damage {}
