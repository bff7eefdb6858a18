//! Making an event true.

use crate::command::Receipt;
use crate::key::{Bound, content_of_number, content_of_request, content_with};
use crate::{Digest, Event, Match, Play, Stage};
use mancala_engine::{AnyPosition, BySide, Game, Position, Series, Trace};
use std::fmt;

/// How the seeds moved by an event, where they did.
pub type Moved = Option<Trace>;

impl Match {
    /// Makes an event true that was decided on this very state, and says how the seeds
    /// moved. Reads no clock and draws no lot.
    ///
    /// # Panics
    /// Where the event does not follow from the state. That is a fault of the program or
    /// of the disk, and ends this match alone: it is started again from its log.
    pub fn apply(&mut self, event: &Event) -> Moved {
        self.seq += 1;
        self.bind_key(event);
        let moved = self.make_true(event);
        if event.is_numbered() {
            self.next_number += 1;
        }
        self.digest = self.next_digest();
        moved
    }

    /// Reads a match from its log: all its events and the digest after the last of them.
    ///
    /// # Errors
    /// The log is damaged, or the rules have changed under it.
    pub fn replay(events: &[Event], digest: Digest) -> Result<Match, Damage> {
        let Some((Event::Created { spec }, rest)) = events.split_first() else {
            return Err(Damage::NoBeginning);
        };
        let mut replayed = Match::create(spec.clone());
        for event in rest {
            if !replayed.follows(event) {
                let seq = replayed.seq + 1;
                return Err(Damage::DoesNotFollow { seq });
            }
            replayed.apply(event);
        }
        if replayed.digest == digest {
            Ok(replayed)
        } else {
            Err(Damage::OtherDigest {
                expected: digest,
                found: replayed.digest,
            })
        }
    }

    /// Can this event stand next in the log?
    fn follows(&self, event: &Event) -> bool {
        match (event, &self.stage) {
            (Event::Seated { side, .. }, Stage::Gathering) => self.seats[*side].is_none(),
            (Event::GameBegan { game: 1, .. }, Stage::Gathering) => {
                self.seats.south.is_some() && self.seats.north.is_some()
            }
            (Event::GameBegan { game, begins }, Stage::Playing(play)) => {
                let series = &play.series;
                (*game, *begins) == (series.game(), series.begins()) && series.end().is_none()
            }
            (Event::Acted { action, .. }, Stage::Playing(play)) => play.game.check(action).is_ok(),
            (Event::GameEnded { .. }, Stage::Playing(play)) => play.series.end().is_none(),
            (Event::DrawOffered { .. } | Event::DrawDeclined { .. }, Stage::Playing(_)) => true,
            (Event::MatchEnded { .. }, Stage::Gathering | Stage::Playing(_)) => true,
            _ => false,
        }
    }

    fn make_true(&mut self, event: &Event) -> Moved {
        match event {
            Event::Created { .. } => panic!("a match is created once"),
            Event::Seated { side, user } => self.seats[*side] = Some(*user),
            Event::GameBegan { game, begins } => {
                let position = AnyPosition::start(self.spec.options, *begins);
                let series = match &self.stage {
                    Stage::Playing(play) => play.series,
                    _ => Series::new(self.spec.format, *begins),
                };
                assert_eq!(*game, series.game(), "games are numbered one after another");
                self.stage = Stage::Playing(Play {
                    series,
                    game: Game::from_position(position),
                    moved: BySide::both(false),
                    offer: None,
                });
            }
            Event::Acted { side, action, .. } => {
                let play = self.play_mut();
                let trace = play.game.play(action).expect("a decided action is legal");
                if let Some(side) = side {
                    play.moved[*side] = true;
                }
                play.offer = None;
                return Some(trace);
            }
            Event::DrawOffered { asked } => self.play_mut().offer = Some(asked.side),
            Event::DrawDeclined { .. } => self.play_mut().offer = None,
            Event::GameEnded { outcome, .. } => {
                let play = self.play_mut();
                play.offer = None;
                play.series
                    .record(outcome.result())
                    .expect("a match that is being played is not over");
            }
            Event::MatchEnded { end, .. } => {
                let last = match std::mem::replace(&mut self.stage, Stage::Gathering) {
                    Stage::Playing(mut play) => {
                        play.offer = None;
                        Some(play)
                    }
                    Stage::Gathering => None,
                    Stage::Over { .. } => panic!("a match ends once"),
                };
                self.stage = Stage::Over { last, end: *end };
            }
        }
        None
    }

    /// Remembers the key of the command behind an event.
    fn bind_key(&mut self, event: &Event) {
        let receipt = Receipt {
            number: self.next_number,
            actions: 0,
            seq: self.seq,
        };
        match event {
            Event::Acted {
                side: Some(side),
                action,
                key: Some(key),
                part,
            } => {
                if *part > 0 {
                    self.keys.extend_act(*side, key, action);
                } else {
                    let content = content_with(content_of_number(self.next_number), action);
                    let receipt = Receipt {
                        actions: 1,
                        ..receipt
                    };
                    self.keys.bind_act(*side, key, Bound { content, receipt });
                }
            }
            _ => {
                if let Some(asked) = event.asked() {
                    let content = content_of_request(asked.request);
                    let bound = Bound { content, receipt };
                    self.keys.bind_other(asked.side, &asked.key, bound);
                }
            }
        }
    }

    fn play_mut(&mut self) -> &mut Play {
        match &mut self.stage {
            Stage::Playing(play) => play,
            _ => panic!("only a match that is being played has such events"),
        }
    }
}

/// Why a log cannot be read as a match. A person must look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The first event is not that the match was created.
    NoBeginning,
    /// An event does not follow from those before it.
    DoesNotFollow {
        /// Its place in the log.
        seq: u64,
    },
    /// The events lead to another state than was written down.
    OtherDigest {
        /// What was written down.
        expected: Digest,
        /// What they lead to.
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
            Damage::OtherDigest { expected, found } => write!(
                f,
                "the events lead to digest {found}, the log says {expected}"
            ),
        }
    }
}

impl std::error::Error for Damage {}
