//! What a command leads to.

use crate::key::{content_of_acts, content_of_request};
use crate::{
    ACTIONS_MAX, Asked, Command, Context, Decision, Digest, Event, GameOutcome, Key, Match,
    MatchEnd, MatchSpec, Note, OutsideReason, Play, Receipt, Refusal, Request, Ruling, Spent,
    Stage, UserId, Way,
};
use mancala_engine::{Action, GameResult, Phase, Position, SeriesEnd, SeriesOver, Side};
use std::cmp::Ordering;

impl Match {
    /// What a command of `user` leads to. Changes nothing. All events of earlier decisions
    /// must have been applied: between two of one decision there is nothing to decide.
    ///
    /// # Errors
    /// The command is refused.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options, Side};
    /// use mancala_play::{Command, Context, Decision, Event, Match, MatchSpec, Refusal, UserId};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let play = Match::create(spec);
    /// let user = UserId(uuid::Uuid::from_u128(1));
    /// let context = Context::untimed(Side::North);
    /// let side = Side::South;
    /// assert_eq!(
    ///     play.decide(user, &Command::Sit { side, asked_for: false }, &context),
    ///     Ok(Decision::Do(vec![Event::Seated { side, user }]))
    /// );
    /// let sow = Command::act(1, vec![], "k1".parse().unwrap());
    /// assert_eq!(play.decide(user, &sow, &context), Err(Refusal::NotSeated));
    /// ```
    pub fn decide(
        &self,
        user: UserId,
        command: &Command,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        match command {
            Command::Sit { side, asked_for } => {
                let events = self.decide_sit(user, *side, *asked_for, context)?;
                Ok(Decision::Do(events))
            }
            Command::Act {
                number,
                actions,
                key,
            } => self.decide_once(user, key, content_of_acts(*number, actions), |side| {
                self.ensure_may_play(user, side)?;
                let by = self.member(user);
                let events = self.decide_acts(side, *number, actions, Some(key), by, context)?;
                self.with_what_follows(events, context).map(Decision::Do)
            }),
            Command::Team { side, request, key } => {
                self.decide_team(user, *side, request, key, context)
            }
            Command::Other {
                request,
                number,
                key,
            } => self.decide_once(user, key, content_of_request(*request, *number), |side| {
                let asked = Asked {
                    side,
                    request: *request,
                    number: *number,
                    key: key.clone(),
                    by: self.member(user),
                };
                match self.decide_as_team(user, asked, context)? {
                    Decision::Do(events) => {
                        self.with_what_follows(events, context).map(Decision::Do)
                    }
                    other => Ok(other),
                }
            }),
        }
    }

    /// Decides a command with a key, unless it was done before.
    fn decide_once(
        &self,
        user: UserId,
        key: &Key,
        content: Digest,
        decide: impl FnOnce(Side) -> Result<Decision, Refusal>,
    ) -> Result<Decision, Refusal> {
        let side = self.side_of(user).ok_or(Refusal::NotSeated)?;
        match self.done_before(side, user, key, content)? {
            Some(receipt) => Ok(Decision::Done(receipt)),
            None => decide(side),
        }
    }

    /// What this very command came to, if it was done before.
    pub(crate) fn done_before(
        &self,
        side: Side,
        user: UserId,
        key: &Key,
        content: Digest,
    ) -> Result<Option<Receipt>, Refusal> {
        match self.keys[side].get(self.member(user), key) {
            Some(bound) if bound.content == content => Ok(Some(bound.receipt(side))),
            Some(_) => Err(Refusal::KeyReused),
            None => Ok(None),
        }
    }

    fn decide_sit(
        &self,
        user: UserId,
        side: Side,
        asked_for: bool,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        if self.teams.is_some() {
            let what = self.decide_come(user, side, asked_for)?;
            return self.with_what_follows(vec![Event::team(side, what)], context);
        }
        if self.side_of(user).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        if let Stage::Over { .. } = self.stage {
            return Err(Refusal::MatchOver);
        }
        if self.seats[side].is_some() {
            return Err(Refusal::SeatTaken);
        }
        let mut events = vec![Event::Seated { side, user }];
        if self.seats[side.other()].is_some() && self.spec.way != Some(Way::Contract) {
            events.push(self.first_game(context));
        }
        Ok(events)
    }

    pub(crate) fn first_game(&self, context: &Context) -> Event {
        Event::GameBegan {
            game: 1,
            begins: self.spec.begins().unwrap_or(context.lot),
        }
    }

    /// Is it the action with this number that is due?
    pub(crate) fn ensure_due(&self, number: u32) -> Result<(), Refusal> {
        let next = self.next_number;
        match number.cmp(&next) {
            Ordering::Less => Err(Refusal::AlreadyPlayed { next }),
            Ordering::Greater => Err(Refusal::NumberAhead { next }),
            Ordering::Equal => Ok(()),
        }
    }

    /// What it leads to that a side plays these actions; in a team, as somebody chose.
    pub(crate) fn decide_acts(
        &self,
        side: Side,
        number: u32,
        actions: &[Action],
        key: Option<&Key>,
        by: Option<UserId>,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let play = self.playing()?;
        self.ensure_due(number)?;
        if !(1..=ACTIONS_MAX).contains(&actions.len()) {
            return Err(Refusal::ActionCount);
        }
        let mut game = play.game.clone();
        let mut events = Vec::with_capacity(actions.len() + 2);
        // Whoever moves goes on.
        events.extend(play.resumption(side));
        let mut spent = play.clocks.counts(context.spent);
        for (part, action) in (0..).zip(actions) {
            if matches!(action, Action::Lottery { .. } | Action::LoseTurn) {
                return Err(Refusal::NotForPlayers);
            }
            // Where the game is over it is nobody's turn, and the rules say so.
            if game.outcome().is_none() && game.to_move() != side {
                return Err(match part as usize {
                    0 => Refusal::NotYourTurn,
                    at => Refusal::TurnOver { at },
                });
            }
            game.check(action).map_err(|refusal| Refusal::Rules {
                refusal,
                at: part as usize,
            })?;
            game.play_unchecked(action);
            events.push(Event::Acted {
                side: Some(side),
                action: action.clone(),
                key: key.cloned(),
                part,
                by,
                spent: std::mem::take(&mut spent),
            });
        }
        if game.position().standing().phase == Phase::Lottery {
            let action = Action::Lottery { to: context.lot };
            game.play_unchecked(&action);
            events.push(Event::Acted {
                side: None,
                action,
                key: None,
                part: 0,
                by: None,
                spent,
            });
        }
        if let Some(outcome) = game.outcome() {
            let ended = GameOutcome::Board(*outcome);
            events.extend(play.game_end(ended, None, Spent::NOTHING)?);
        }
        Ok(events)
    }

    pub(crate) fn decide_other(
        &self,
        asked: Asked,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        if let Some(number) = asked.number {
            self.ensure_due(number)?;
        }
        let side = asked.side;
        let events = match asked.request {
            Request::Offer(kind) => return self.decide_offer(kind, asked, context),
            Request::Accept(kind) => return self.decide_accept(kind, asked, context),
            Request::Decline(kind) => return self.decide_decline(kind, asked),
            Request::Abort => self.decide_abort(asked, context)?,
            Request::Sign => self.decide_sign(asked, context)?,
            Request::ResignGame => {
                let play = self.playing()?;
                if play.game.to_move() != side {
                    return Err(Refusal::ResignOnYourTurn);
                }
                let outcome = OutsideReason::Resigned.won_by(side.other());
                play.game_end(outcome, Some(asked), play.clocks.counts(context.spent))?
            }
            Request::ResignMatch => {
                self.playing()?;
                let winner = side.other();
                let end = MatchEnd::Resigned { winner };
                vec![self.broken_off(end, Some(asked), None, context)]
            }
            Request::Resume => match self.playing()?.pause {
                Some(_) => vec![Event::Resumed {
                    side: Some(side),
                    asked: Some(asked),
                }],
                None => return Err(Refusal::NotPaused),
            },
            Request::Publish => return self.decide_publish(asked),
            Request::ClaimWin => self.decide_claim(asked, Some(side), context)?,
            Request::ClaimDraw => self.decide_claim(asked, None, context)?,
        };
        Ok(Decision::Do(events))
    }

    fn decide_abort(&self, asked: Asked, context: &Context) -> Result<Vec<Event>, Refusal> {
        if !matches!(self.stage, Stage::Gathering) {
            let play = self.playing()?;
            if self.spec.way == Some(Way::Contract) {
                return Err(Refusal::NotInThisMatch);
            }
            let has_begun = play.moved.south && play.moved.north;
            if play.series.game() > 1 || has_begun {
                return Err(Refusal::TooLateToAbort);
            }
        }
        let end = MatchEnd::Aborted;
        Ok(vec![self.broken_off(end, Some(asked), None, context)])
    }

    fn decide_sign(&self, asked: Asked, context: &Context) -> Result<Vec<Event>, Refusal> {
        let to_sign = matches!(self.stage, Stage::Gathering)
            && self.spec.way == Some(Way::Contract)
            && !self.signed[asked.side];
        if !to_sign {
            return Err(Refusal::NothingToSign);
        }
        let is_last = self.teams.is_none() && self.both_seated() && self.signed[asked.side.other()];
        let mut events = vec![Event::Signed { asked }];
        events.extend(is_last.then(|| self.first_game(context)));
        Ok(events)
    }

    /// Ends the match as somebody says who runs the server, and why.
    ///
    /// # Errors
    /// It is over already.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options, Side};
    /// use mancala_play::{Context, Match, MatchEnd, MatchSpec, Refusal, Ruling};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let mut play = Match::create(spec);
    /// let note = "Both asked for it.".parse().unwrap();
    /// let context = Context::untimed(Side::South);
    /// for event in play.decide_ruling(Ruling::Aborted, note, &context)? {
    ///     play.apply(&event);
    /// }
    /// assert_eq!(play.end(), Some(MatchEnd::Ruled(Ruling::Aborted)));
    /// # Ok::<(), Refusal>(())
    /// ```
    pub fn decide_ruling(
        &self,
        ruling: Ruling,
        note: Note,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        if self.end().is_some() {
            return Err(Refusal::MatchOver);
        }
        let end = MatchEnd::Ruled(ruling);
        Ok(vec![self.broken_off(end, None, Some(note), context)])
    }

    /// The match ends, however far its game has come.
    pub(crate) fn broken_off(
        &self,
        end: MatchEnd,
        asked: Option<Asked>,
        note: Option<Note>,
        context: &Context,
    ) -> Event {
        let spent = match &self.stage {
            Stage::Playing(play) => play.clocks.counts(context.spent),
            Stage::Gathering | Stage::Over { .. } => Spent::NOTHING,
        };
        Event::MatchEnded {
            end,
            asked,
            note,
            spent,
        }
    }

    /// A match to which these people come at once, one after another, and the beginning of its
    /// log. Whoever cannot come to the side that is said does not.
    ///
    /// ```
    /// use mancala_engine::{Format, Mancala, Options, Side};
    /// use mancala_play::{Context, Match, MatchSpec, UserId};
    /// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// let ann = UserId(uuid::Uuid::from_u128(1));
    /// let context = Context::untimed(Side::South);
    /// let (play, log) = Match::begin(spec, [(ann, Side::North)], &context);
    /// assert_eq!((play.side_of(ann), log.len()), (Some(Side::North), 2));
    /// ```
    #[must_use]
    pub fn begin(
        spec: MatchSpec,
        comers: impl IntoIterator<Item = (UserId, Side)>,
        context: &Context,
    ) -> (Match, Vec<Event>) {
        let mut play = Match::create(spec.clone());
        let mut log = vec![Event::Created { spec }];
        for (user, side) in comers {
            for event in play
                .decide_sit(user, side, true, context)
                .unwrap_or_default()
            {
                play.apply(&event);
                log.push(event);
            }
        }
        (play, log)
    }

    /// What actions would lead to, if they were played now: whoever plays, for a side or in its
    /// team, may know that.
    ///
    /// # Errors
    /// They could not be played.
    pub fn foresee(
        &self,
        user: UserId,
        number: u32,
        actions: &[Action],
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let side = self.side_of(user).ok_or(Refusal::NotSeated)?;
        self.decide_acts(side, number, actions, None, None, context)
    }

    /// The beginning of the log of the match in which both play again, with the sides
    /// exchanged and by the rules of today; nothing, where a seat was never taken.
    #[must_use]
    pub fn rematch(&self, context: &Context, stays: impl Fn(UserId, Side) -> bool) -> Vec<Event> {
        let mut spec = MatchSpec {
            rules: mancala_engine::RULES_VERSION,
            ..self.spec.clone()
        };
        if let Some(teams) = &mut spec.teams {
            std::mem::swap(&mut teams.seats.south, &mut teams.seats.north);
            std::mem::swap(&mut teams.names.south, &mut teams.names.north);
            if let Some(standing) = &mut teams.standing {
                std::mem::swap(&mut standing.south, &mut standing.north);
            }
        }
        let of_teams = spec.teams.as_ref();
        let of_standing_teams = of_teams.is_some_and(|teams| teams.standing.is_some());
        let mut comers = self.comers();
        for side in Side::ALL {
            comers.extend(self.seats[side.other()].map(|user| (user, side)));
        }
        comers.retain(|(user, side)| stays(*user, *side));
        let (next, events) = Match::begin(spec, comers, context);
        // Who plays for a team that stands on its own may yet come to it.
        if next.both_seated() || of_standing_teams {
            events
        } else {
            Vec::new()
        }
    }

    pub(crate) fn playing(&self) -> Result<&Play, Refusal> {
        match &self.stage {
            Stage::Playing(play) if !play.ended => Ok(play),
            Stage::Gathering | Stage::Playing(_) => Err(Refusal::NotBegun),
            Stage::Over { .. } => Err(Refusal::MatchOver),
        }
    }
}

impl GameOutcome {
    /// What the game means for its match.
    ///
    /// ```
    /// use mancala_engine::{GameResult, Side};
    /// use mancala_play::{GameOutcome, OutsideReason};
    /// let winner = Some(Side::North);
    /// let resigned = GameOutcome::Outside { winner, reason: OutsideReason::Resigned };
    /// assert_eq!(resigned.result(), GameResult::Win { side: Side::North, points: 1 });
    /// ```
    #[must_use]
    pub fn result(&self) -> GameResult {
        match self {
            GameOutcome::Board(outcome) => outcome.into(),
            GameOutcome::Outside {
                winner: Some(side), ..
            } => GameResult::won_from_outside(*side),
            GameOutcome::Outside { winner: None, .. } => GameResult::Draw,
        }
    }
}

impl Play {
    /// The pause ends, if there is one, because this side goes on.
    pub(crate) fn resumption(&self, side: Side) -> Option<Event> {
        self.pause.map(|_| Event::Resumed {
            side: Some(side),
            asked: None,
        })
    }

    /// The game ends, and with it the match, or the next game begins.
    pub(crate) fn game_end(
        &self,
        outcome: GameOutcome,
        asked: Option<Asked>,
        spent: Spent,
    ) -> Result<Vec<Event>, Refusal> {
        let mut series = self.series;
        let recorded = series.record(outcome.result());
        recorded.map_err(|SeriesOver| Refusal::MatchOver)?;
        let ended = Event::GameEnded {
            outcome,
            asked,
            spent,
        };
        let next = match series.end() {
            Some(end) => Event::MatchEnded {
                end: MatchEnd::Played {
                    winner: match end {
                        SeriesEnd::Won(side) => Some(side),
                        SeriesEnd::Drawn => None,
                    },
                },
                asked: None,
                note: None,
                spent: Spent::NOTHING,
            },
            None => Event::GameBegan {
                game: series.game(),
                begins: series.begins(),
            },
        };
        Ok(vec![ended, next])
    }
}
