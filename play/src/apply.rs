//! Making an event true.

use crate::absence::BACKS_TOLD;
use crate::{
    Absence, Clocks, Digest, Entry, Event, GameOutcome, Match, MatchEnd, Offer, OfferKind, Play,
    Request, Stage, Way, Why,
};
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

impl From<Vec<Entry>> for Effect {
    /// What changes the clocks alone.
    fn from(ledger: Vec<Entry>) -> Effect {
        Effect {
            trace: None,
            ledger,
        }
    }
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

    /// Reads on where nobody knows the digest. After an error this is no state of the match.
    pub(crate) fn read_on_trust(&mut self, event: &Event) -> Result<Effect, Damage> {
        self.follow_in_log(event)
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

    /// Makes an event true if it can stand next in the log. After an error this is no state of
    /// the match.
    fn follow(&mut self, event: &Event) -> Result<Effect, DoesNotFollow> {
        let effect = self.make_true(event)?;
        self.seq += 1;
        self.bind_key(event);
        if event.is_numbered() {
            self.next_number += 1;
        }
        if event.settles() || matches!(event, Event::MatchEnded { .. }) {
            self.end_councils();
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
                ensure(self.teams.is_none())?;
                self.seats[*side] = Some(*user);
            }
            Event::Signed { asked } => {
                let is_contract = self.spec.way == Some(Way::Contract);
                ensure(is_contract && matches!(self.stage, Stage::Gathering))?;
                ensure(!std::mem::replace(&mut self.signed[asked.side], true))?;
            }
            Event::GameBegan { game, begins } => return self.begin_game(*game, *begins),
            Event::Acted { .. } => return self.act(event),
            Event::TakenBack {
                to, earlier, spent, ..
            } => {
                ensure(*to < self.next_number)?;
                self.offer = None;
                let play = self.being_played()?;
                ensure(play.pause.is_none())?;
                let mut ledger = play.clocks.spend(*spent, Why::Thinking);
                ledger.extend(play.clocks.end_turn(true));
                play.game = earlier.game(play).ok_or(DoesNotFollow)?;
                play.moved = earlier.moved;
                play.turn_began = earlier.turn_began;
                // Both are here: one asked, the other agreed.
                play.lost = BySide::both(0);
                play.count = 0;
                play.run_clock();
                if let Some(teams) = self.teams.as_deref_mut() {
                    for side in Side::ALL {
                        // Whoever has left meanwhile has handed his turn on.
                        if let Some(user) = earlier.at_turn[side] {
                            teams[side].roster.turn_to(user);
                        }
                    }
                }
                return Ok(ledger.into());
            }
            Event::Offered { asked } => {
                let Request::Offer(kind) = asked.request else {
                    return Err(DoesNotFollow);
                };
                if kind == OfferKind::Rematch {
                    ensure(matches!(self.stage, Stage::Over { rematch: None, .. }))?;
                } else {
                    self.being_played()?;
                }
                ensure(self.offer.is_none())?;
                let number = self.next_number;
                self.offered[asked.side][kind as usize] = number;
                self.offer = Some(Offer {
                    side: asked.side,
                    kind,
                    number,
                });
            }
            Event::Declined { .. } => ensure(self.offer.take().is_some())?,
            Event::TimeGiven { ms, asked } => {
                self.offer = None;
                let play = self.being_played()?;
                return Ok(play.clocks.give(asked.side.other(), *ms).into());
            }
            Event::Paused { why, spent, .. } => {
                self.offer = None;
                let play = self.being_played()?;
                ensure(play.pause.is_none() && !play.clocks.control().is_untimed())?;
                ensure(!play.is_opening())?;
                let ledger = play.clocks.spend(*spent, Why::Pause);
                play.clocks.stop();
                play.pause = Some(*why);
                return Ok(ledger.into());
            }
            Event::Resumed { side, .. } => {
                let play = self.being_played()?;
                ensure(play.pause.take().is_some())?;
                if let Some(side) = side {
                    play.lost[*side] = 0;
                }
                play.run_clock();
            }
            Event::Counted { count } => {
                let play = self.being_played()?;
                ensure(*count == play.count.saturating_add(1))?;
                play.count = *count;
            }
            Event::Gone {
                side,
                how,
                grace_ms,
            } => {
                self.being_played()?;
                let absence = Absence {
                    how: *how,
                    grace_ms: *grace_ms,
                };
                ensure(self.absences[*side].replace(absence).is_none())?;
                self.leaves[*side] = self.leaves[*side].saturating_add(1);
            }
            Event::Back { side } => ensure(self.absences[*side].take().is_some())?,
            Event::GameEnded { outcome, spent, .. } => {
                let play = self.being_played()?;
                ensure(match outcome {
                    GameOutcome::Board(outcome) => play.game.outcome() == Some(outcome),
                    GameOutcome::Outside { .. } => play.game.outcome().is_none(),
                })?;
                let recorded = play.series.record(outcome.result());
                recorded.map_err(|SeriesOver| DoesNotFollow)?;
                let ledger = play.clocks.spend(*spent, Why::Thinking);
                play.ended = true;
                play.pause = None;
                play.clocks.stop();
                self.offer = None;
                return Ok(ledger.into());
            }
            Event::MatchEnded {
                end, note, spent, ..
            } => {
                ensure(match (&self.stage, end) {
                    (Stage::Over { .. }, _) => false,
                    (_, MatchEnd::Ruled(_)) | (Stage::Gathering, MatchEnd::Aborted) => true,
                    (Stage::Playing(play), MatchEnd::Played { winner }) => {
                        let end = play.series.end();
                        end.is_some_and(|end| {
                            end == winner.map_or(SeriesEnd::Drawn, SeriesEnd::Won)
                        })
                    }
                    (
                        Stage::Playing(play),
                        MatchEnd::Resigned { .. } | MatchEnd::Aborted | MatchEnd::Abandoned,
                    ) => !play.ended,
                    (Stage::Gathering, _) => false,
                })?;
                let mut ledger = Vec::new();
                let last = match std::mem::replace(&mut self.stage, Stage::Gathering) {
                    Stage::Playing(mut play) => {
                        ledger = play.clocks.spend(*spent, Why::Thinking);
                        play.pause = None;
                        play.clocks.stop();
                        Some(play)
                    }
                    _ => None,
                };
                self.offer = None;
                self.absences = BySide::both(None);
                self.stage = Stage::Over {
                    last,
                    end: *end,
                    note: note.clone(),
                    rematch: None,
                };
                return Ok(ledger.into());
            }
            Event::Team { side, what, told } => {
                ensure(self.follow_team(*side, what, told.as_ref()))?;
            }
            Event::Rematched { next, .. } => {
                let Stage::Over { rematch, .. } = &mut self.stage else {
                    return Err(DoesNotFollow);
                };
                ensure(rematch.replace(*next).is_none())?;
                self.offer = None;
            }
        }
        Ok(Effect::default())
    }

    fn begin_game(&mut self, game: u32, begins: Side) -> Result<Effect, DoesNotFollow> {
        let series = match &self.stage {
            Stage::Gathering => {
                ensure(self.both_seated())?;
                let is_contract = self.spec.way == Some(Way::Contract);
                ensure(!is_contract || self.signed == BySide::both(true))?;
                Series::new(self.spec.format, begins)
            }
            Stage::Playing(play) => {
                ensure(play.ended && play.series.end().is_none())?;
                play.series
            }
            Stage::Over { .. } => return Err(DoesNotFollow),
        };
        ensure((game, begins) == (series.game(), series.begins()))?;
        let (clocks, ledger) = Clocks::new(self.spec.clock);
        let mut play = Play {
            series,
            game: Game::from_position(self.spec.start_for(begins)),
            clocks,
            moved: BySide::both(false),
            turn_began: BySide::both(0),
            lost: BySide::both(0),
            count: 0,
            paid_turn: 0,
            pause: None,
            ended: false,
        };
        play.run_clock();
        self.stage = Stage::Playing(play);
        for side in Side::ALL {
            // Whose coming back was not told any more is told of anew, if he is not here.
            if self.leaves[side] > BACKS_TOLD {
                self.absences[side] = None;
            }
        }
        self.leaves = BySide::both(0);
        if let Some(teams) = self.teams.as_deref_mut() {
            teams.south.roster.game_begins();
            teams.north.roster.game_begins();
        }
        Ok(ledger.into())
    }

    fn act(&mut self, event: &Event) -> Result<Effect, DoesNotFollow> {
        let Event::Acted {
            side,
            action,
            key,
            part,
            by,
            spent,
        } = event
        else {
            return Err(DoesNotFollow);
        };
        let number = self.next_number;
        if let (Some(side), 1..) = (side, part) {
            let before = self.keys[*side].act_before(number);
            // What a team voted for has no key.
            ensure(match key {
                Some(key) => before.is_some_and(|bound| bound.goes_on(*by, key, *part)),
                None => by.is_some(),
            })?;
        }
        ensure(by.is_none() || self.teams.is_some())?;
        let play = self.being_played()?;
        ensure(play.pause.is_none())?;
        let standing = *play.game.position().standing();
        let turn = (standing.turn, standing.to_move);
        let mover = (standing.phase != Phase::Lottery).then_some(standing.to_move);
        ensure(*side == mover)?;
        let trace = play.game.play(action).map_err(|_| DoesNotFollow)?;
        let is_lost = *action == Action::LoseTurn;
        let why = if is_lost {
            Why::LostTurn
        } else {
            Why::Thinking
        };
        let mut ledger = play.clocks.spend(*spent, why);
        if let Some(side) = *side {
            if is_lost {
                play.lost[side] = play.lost[side].saturating_add(1);
            } else if standing.phase == Phase::Play {
                if !std::mem::replace(&mut play.moved[side], true) {
                    // The clock stood when this turn began, however many choices follow.
                    play.paid_turn = play.paid_turn.max(standing.turn);
                }
                play.turn_began[side] = number;
            }
            if key.is_some() || by.is_some() {
                play.lost[side] = 0;
            }
        }
        if play.game.outcome().is_some() {
            play.clocks.stop();
        } else if turn_of(&play.game) != turn {
            let played_again = standing.turn <= play.paid_turn;
            ledger.extend(play.clocks.end_turn(played_again));
            play.paid_turn = play.paid_turn.max(standing.turn);
            play.count = 0;
            play.run_clock();
            if let Some(teams) = self.teams.as_deref_mut() {
                teams[standing.to_move].roster.rotate();
            }
        } else {
            if play.game.position().standing().phase != Phase::Lottery {
                play.clocks.go_on();
            }
            play.run_clock();
        }
        self.offer = None;
        Ok(Effect {
            trace: Some(trace),
            ledger,
        })
    }

    /// Remembers the key of the command behind an event.
    fn bind_key(&mut self, event: &Event) {
        let number = self.next_number;
        // A place in the stream of those who are told of it.
        let seq = match event.only_for() {
            Some(side) => self.teams().map_or(0, |teams| teams[side].seq),
            None => self.public_seq(),
        };
        match event {
            Event::Acted {
                side: Some(side),
                action,
                key: Some(key),
                part,
                by,
                ..
            } => {
                let keys = &mut self.keys[*side];
                match keys.act_before(number).filter(|_| *part > 0) {
                    Some(bound) => bound.extend(action),
                    None => keys.bind_act((*by, key), action, number, seq),
                }
            }
            // The lot answers the command that called for it, and counts with it.
            Event::Acted { side: None, .. } => {
                for side in Side::ALL {
                    if let Some(bound) = self.keys[side].act_before(number) {
                        bound.answered();
                    }
                }
            }
            Event::Team {
                side,
                told: Some(told),
                ..
            } => {
                let alone = event.only_for().is_some();
                self.keys[*side].bind_told(told, number, (alone, seq));
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

impl Play {
    /// The clock of the side to move runs once it has made its first move; none does before.
    fn run_clock(&mut self) {
        if self.is_opening() {
            self.clocks.stop();
        } else {
            self.clocks.start(self.game.to_move());
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
