//! What a command leads to.

use crate::key::{content_of_acts, content_of_request};
use crate::{
    ACTIONS_MAX, Asked, Command, Context, Decision, Digest, Event, GameOutcome, Key, Match,
    MatchEnd, OutsideReason, Play, Refusal, Request, Stage, UserId,
};
use mancala_engine::{Action, GameResult, Phase, Position, SeriesEnd, SeriesOver, Side};

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
    ///     play.decide(user, &Command::Sit { side }, &context),
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
            Command::Sit { side } => self.decide_sit(user, *side, context).map(Decision::Do),
            Command::Act {
                number,
                actions,
                key,
            } => self.decide_once(user, key, content_of_acts(*number, actions), |side| {
                self.decide_act(side, *number, actions, key, context)
            }),
            Command::Other { request, key } => {
                self.decide_once(user, key, content_of_request(*request), |side| {
                    self.decide_other(Asked {
                        side,
                        request: *request,
                        key: key.clone(),
                    })
                })
            }
        }
    }

    /// Decides a command with a key, unless it was done before.
    fn decide_once(
        &self,
        user: UserId,
        key: &Key,
        content: Digest,
        decide: impl FnOnce(Side) -> Result<Vec<Event>, Refusal>,
    ) -> Result<Decision, Refusal> {
        let side = self.side_of(user).ok_or(Refusal::NotSeated)?;
        match self.keys[side].get(key) {
            Some(bound) if bound.content == content => Ok(Decision::Done(bound.receipt)),
            Some(_) => Err(Refusal::KeyReused),
            None => decide(side).map(Decision::Do),
        }
    }

    fn decide_sit(
        &self,
        user: UserId,
        side: Side,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
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
        if self.seats[side.other()].is_some() {
            events.push(Event::GameBegan {
                game: 1,
                begins: context.lot,
            });
        }
        Ok(events)
    }

    fn decide_act(
        &self,
        side: Side,
        number: u32,
        actions: &[Action],
        key: &Key,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let play = self.playing()?;
        let next = self.next_number;
        if number < next {
            return Err(Refusal::AlreadyPlayed { next });
        }
        if number > next {
            return Err(Refusal::NumberAhead { next });
        }
        if !(1..=ACTIONS_MAX).contains(&actions.len()) {
            return Err(Refusal::ActionCount);
        }
        let mut game = play.game.clone();
        let mut events = Vec::with_capacity(actions.len() + 2);
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
                key: Some(key.clone()),
                part,
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
                spent,
            });
        }
        if let Some(outcome) = game.outcome() {
            let ended = GameOutcome::Board(*outcome);
            push_game_end(&mut events, play, ended, None)?;
        }
        Ok(events)
    }

    fn decide_other(&self, asked: Asked) -> Result<Vec<Event>, Refusal> {
        let side = asked.side;
        if let (Request::Abort, Stage::Gathering) = (asked.request, &self.stage) {
            return Ok(vec![Event::MatchEnded {
                end: MatchEnd::Aborted,
                asked: Some(asked),
            }]);
        }
        let play = self.playing()?;
        let mut events = Vec::new();
        match asked.request {
            Request::ResignGame => {
                if play.game.to_move() != side {
                    return Err(Refusal::ResignOnYourTurn);
                }
                let ended = GameOutcome::Outside {
                    winner: Some(side.other()),
                    reason: OutsideReason::Resigned,
                };
                push_game_end(&mut events, play, ended, Some(asked))?;
            }
            Request::ResignMatch => events.push(Event::MatchEnded {
                end: MatchEnd::Resigned {
                    winner: side.other(),
                },
                asked: Some(asked),
            }),
            Request::Abort => {
                let too_late = play.series.game() > 1 || play.moved.south && play.moved.north;
                if too_late {
                    return Err(Refusal::TooLateToAbort);
                }
                events.push(Event::MatchEnded {
                    end: MatchEnd::Aborted,
                    asked: Some(asked),
                });
            }
            Request::OfferDraw => match play.offer {
                // Two offers that cross are an agreement.
                Some(offered) if offered != side => push_agreed_draw(&mut events, play, asked)?,
                Some(_) => return Err(Refusal::OfferOpen),
                // So that nobody nags, and the log of a match is bounded by its actions.
                None if play.offered[side] == self.next_number => {
                    return Err(Refusal::OfferedAlready);
                }
                None => events.push(Event::DrawOffered { asked }),
            },
            Request::AcceptDraw => match play.offer {
                Some(offered) if offered != side => push_agreed_draw(&mut events, play, asked)?,
                _ => return Err(Refusal::NoOffer),
            },
            Request::DeclineDraw => match play.offer {
                Some(_) => events.push(Event::DrawDeclined { asked }),
                None => return Err(Refusal::NoOffer),
            },
        }
        Ok(events)
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

fn push_agreed_draw(events: &mut Vec<Event>, play: &Play, asked: Asked) -> Result<(), Refusal> {
    let ended = GameOutcome::Outside {
        winner: None,
        reason: OutsideReason::Agreed,
    };
    push_game_end(events, play, ended, Some(asked))
}

/// The game ends, and with it the match, or the next game begins.
pub(crate) fn push_game_end(
    events: &mut Vec<Event>,
    play: &Play,
    outcome: GameOutcome,
    asked: Option<Asked>,
) -> Result<(), Refusal> {
    let mut series = play.series;
    let recorded = series.record(outcome.result());
    recorded.map_err(|SeriesOver| Refusal::MatchOver)?;
    events.push(Event::GameEnded { outcome, asked });
    events.push(match series.end() {
        Some(end) => Event::MatchEnded {
            end: MatchEnd::Played {
                winner: match end {
                    SeriesEnd::Won(side) => Some(side),
                    SeriesEnd::Drawn => None,
                },
            },
            asked: None,
        },
        None => Event::GameBegan {
            game: series.game(),
            begins: series.begins(),
        },
    });
    Ok(())
}
