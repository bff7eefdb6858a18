//! Replays a record: is what it says true?

use super::{GameEnd, MatchResult, RULES_VERSION, Record, RecordedGame, Turn};
use crate::{
    AnyPosition, BadPosition, BySide, Game, Outcome, Phase, Position, Refusal, Series, SeriesEnd,
    Side, Standing,
};
use std::fmt;

/// A place in a record. Games and actions count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// The version of the rules.
    Rules,
    /// Who begins the match.
    Begins,
    /// The score of the match.
    Score,
    /// The result of the match.
    Result,
    /// The line that begins this game.
    Game(usize),
    /// The position that this game starts from.
    Start(usize),
    /// This action of this game.
    Action {
        /// The game.
        game: usize,
        /// The action within the game.
        action: usize,
    },
    /// The result of this game.
    End(usize),
}

/// What is not as it must be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub spot: Spot,
    /// What.
    pub problem: Problem,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Fault {}

/// What can be wrong with a record that was well written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It was played by a version of the rules that this engine does not know.
    OtherRules(u32),
    /// The start position cannot stand in a game with these options.
    BadStart(BadPosition),
    /// The game was over on the board before this action.
    Over(Outcome),
    /// It was for another turn, or for another kind of action.
    NotDue(Due),
    /// The action was not legal.
    Illegal(Refusal),
    /// The board shows no end of the game.
    NotOver(Due),
    /// The board shows this end of the game.
    OtherOutcome(Outcome),
    /// It was for this side to begin.
    OtherBeginner(Side),
    /// The match was over before this game.
    MatchOver,
    /// A game is unfinished, and another follows.
    Unfinished,
    /// The games add up to another score.
    OtherScore {
        /// What the record states.
        stated: BySide<u32>,
        /// What the games add up to.
        games: BySide<u32>,
    },
    /// The games decide the match otherwise, or not at all.
    OtherResult {
        /// What the record states; where it states nothing, that it is unfinished.
        stated: MatchResult,
        /// How the games decide it.
        games: Option<SeriesEnd>,
    },
}

/// What may be recorded next of a game that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The turn.
    pub turn: Turn,
    /// What kind of action.
    pub phase: Phase,
}

impl From<&Standing> for Due {
    fn from(standing: &Standing) -> Due {
        Due {
            turn: standing.into(),
            phase: standing.phase,
        }
    }
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Due { turn, phase } = self;
        match phase {
            Phase::Arrange => write!(
                f,
                "turn `{turn}` is due, in which {} lays out its seeds, as in `(16x2)`",
                turn.side
            ),
            Phase::Play => write!(f, "turn `{turn}` is due, and a pit to sow, as in `A5`"),
            Phase::Direction(_) => {
                write!(f, "turn `{turn}` goes on: a direction is due, `>` or `<`")
            }
            Phase::Strip { seeds } => write!(
                f,
                "turn `{turn}` goes on: a strip is due, of {seeds} in all, as in `xA3.2+B1`"
            ),
            Phase::Lottery => write!(
                f,
                "turn `{turn}` goes on: the lot is due, `lot=south` or `lot=north`"
            ),
            Phase::Over(outcome) => outcome.fmt(f),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::OtherRules(version) => write!(
                f,
                "played by version {version} of the rules; this engine plays {RULES_VERSION}"
            ),
            Problem::BadStart(error) => write!(f, "no game starts from here: {error}"),
            Problem::Over(outcome) => write!(
                f,
                "before this the game ended on the board: `{}`",
                GameEnd::Board(*outcome)
            ),
            Problem::NotDue(due) => write!(f, "not due here: {due}"),
            Problem::Illegal(refusal) => write!(f, "not legal: {refusal}"),
            Problem::NotOver(due) => write!(
                f,
                "on the board the game is not over: {due}; a result from outside is stated \
                 with `~`"
            ),
            Problem::OtherOutcome(outcome) => {
                write!(
                    f,
                    "on the board the game ended so: `{}`",
                    GameEnd::Board(*outcome)
                )
            }
            Problem::OtherBeginner(side) => write!(f, "it was for {side} to begin"),
            Problem::MatchOver => f.write_str("the match was over before this game"),
            Problem::Unfinished => f.write_str("this game is unfinished, and another follows"),
            Problem::OtherScore { stated, games } => write!(
                f,
                "the tag `score` says {}-{}, and the games add up to {}-{}",
                stated.south, stated.north, games.south, games.north
            ),
            Problem::OtherResult { stated, games } => {
                match stated {
                    MatchResult::Unfinished => {
                        f.write_str("the tag `result` is `*`, as it is where it is missing")?;
                    }
                    stated => write!(f, "the tag `result` says `{stated}`")?,
                }
                match games {
                    Some(end) => write!(
                        f,
                        ", and the games decide the match; write `[result \"{}\"]`",
                        MatchResult::Played(*end)
                    ),
                    None => f.write_str(
                        ", and the games do not decide the match; write `*`, or a reason \
                         behind it, as in `north resigned`",
                    ),
                }
            }
        }
    }
}

/// What replaying one game has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameReport {
    /// How many actions were legal, up to the first that was not.
    pub legal_actions: usize,
    /// The end that the board shows.
    pub on_board: Option<Outcome>,
    /// The first thing that is wrong with the game by itself.
    pub fault: Option<Fault>,
}

impl GameReport {
    /// Is every action legal, and the end that is recorded the one on the board?
    #[must_use]
    pub const fn is_true_on_board(&self) -> bool {
        self.fault.is_none() && self.on_board.is_some()
    }
}

/// What replaying a whole record has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Each game by itself.
    pub games: Vec<GameReport>,
    /// The match as its games add up, as far as they do.
    pub series: Series,
    /// What is wrong with the match, in order: the rules, who begins which game, games
    /// too many or unfinished, the score and the result.
    pub faults: Vec<Fault>,
}

impl Report {
    /// What is wrong first: with the rules' version, then with the games in their order,
    /// then with the match.
    #[must_use]
    pub fn first_fault(&self) -> Option<&Fault> {
        let rules = self.faults.iter().filter(|fault| fault.spot == Spot::Rules);
        let games = self.games.iter().filter_map(|game| game.fault.as_ref());
        rules.chain(games).chain(&self.faults).next()
    }
}

/// A position at a moment of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The number of the game, from 1.
    pub game: usize,
    /// The position.
    pub position: AnyPosition,
}

/// Why there is no such moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtError {
    /// The record has no game.
    NoGame,
    /// It has fewer actions: so many.
    Beyond(usize),
    /// The game cannot be replayed so far.
    Fault(Fault),
}

impl fmt::Display for AtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtError::NoGame => f.write_str("the record has no game"),
            AtError::Beyond(0) => f.write_str("the record has no actions"),
            AtError::Beyond(1) => f.write_str("the record has 1 action"),
            AtError::Beyond(actions) => write!(f, "the record has {actions} actions"),
            AtError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for AtError {}

impl Record {
    /// Replays every game and adds up the match.
    ///
    /// ```
    /// use mancala_engine::record::Record;
    /// let record: Record = "[record \"1\"] [game \"urim\"] [begins \"south\"]
    ///     game 1 south 1s. A1 2s. A2 ~ south 1 resigned".parse()?;
    /// let report = record.check();
    /// assert_eq!(report.games[0].legal_actions, 1);
    /// assert_eq!(
    ///     report.first_fault().unwrap().to_string(),
    ///     "not due here: turn `2n.` is due, and a pit to sow, as in `A5`"
    /// );
    /// # Ok::<(), mancala_engine::record::ParseRecordError>(())
    /// ```
    #[must_use]
    pub fn check(&self) -> Report {
        let games = self.games.iter().enumerate();
        let games = games
            .map(|(index, game)| self.check_game(index, game))
            .collect();
        let mut faults = Vec::new();
        if self.rules != RULES_VERSION {
            faults.push(Fault {
                spot: Spot::Rules,
                problem: Problem::OtherRules(self.rules),
            });
        }
        let series = self.add_up(&mut faults);
        Report {
            games,
            series,
            faults,
        }
    }

    fn check_game(&self, index: usize, recorded: &RecordedGame) -> GameReport {
        let mut report = GameReport {
            legal_actions: 0,
            on_board: None,
            fault: None,
        };
        let replayed = self.replay(index, recorded.actions.len(), &mut report.legal_actions);
        report.fault = match replayed {
            Err(fault) => Some(fault),
            Ok(game) => {
                report.on_board = game.outcome().copied();
                let problem = match (report.on_board, &recorded.end) {
                    (None, Some(GameEnd::Board(_))) => {
                        Some(Problem::NotOver(game.position().standing().into()))
                    }
                    (Some(outcome), end) if *end != Some(GameEnd::Board(outcome)) => {
                        Some(Problem::OtherOutcome(outcome))
                    }
                    _ => None,
                };
                problem.map(|problem| Fault {
                    spot: Spot::End(index),
                    problem,
                })
            }
        };
        report
    }

    /// Plays the first actions of a game, and counts those that were legal.
    fn replay(
        &self,
        index: usize,
        actions: usize,
        legal: &mut usize,
    ) -> Result<Game<AnyPosition>, Fault> {
        let recorded = &self.games[index];
        let mut game: Game<AnyPosition> = match &recorded.start {
            None => Game::start(self.options, recorded.begins),
            Some(setup) => Game::from_setup(self.options, setup).map_err(|error| Fault {
                spot: Spot::Start(index),
                problem: Problem::BadStart(error),
            })?,
        };
        for (action, played) in recorded.actions.iter().take(actions).enumerate() {
            let fault = |problem| Fault {
                spot: Spot::Action {
                    game: index,
                    action,
                },
                problem,
            };
            if let Some(&outcome) = game.outcome() {
                return Err(fault(Problem::Over(outcome)));
            }
            // What is due says more than that the turn is another: most often a choice
            // within the turn before was forgotten.
            let due = Due::from(game.position().standing());
            if due.turn != played.turn {
                return Err(fault(Problem::NotDue(due)));
            }
            game.check(&played.action).map_err(|refusal| {
                fault(match refusal {
                    Refusal::WrongPhase => Problem::NotDue(due),
                    refusal => Problem::Illegal(refusal),
                })
            })?;
            game.play_unchecked(&played.action);
            *legal += 1;
        }
        Ok(game)
    }

    /// Who begins, whether games follow that should not, and what they come to.
    fn add_up(&self, faults: &mut Vec<Fault>) -> Series {
        let mut series = Series::new(self.format, self.begins);
        for (index, game) in self.games.iter().enumerate() {
            let spot = Spot::Game(index);
            if series.end().is_some() {
                faults.push(Fault {
                    spot,
                    problem: Problem::MatchOver,
                });
                return series;
            }
            if game.begins != series.begins() {
                let problem = Problem::OtherBeginner(series.begins());
                faults.push(Fault { spot, problem });
            }
            match &game.end {
                Some(end) => {
                    let recorded = series.record(end.result());
                    debug_assert!(recorded.is_ok(), "the match was not over");
                }
                None if index + 1 < self.games.len() => {
                    let spot = Spot::End(index);
                    faults.push(Fault {
                        spot,
                        problem: Problem::Unfinished,
                    });
                    return series;
                }
                None => {}
            }
        }
        let games = series.score();
        if let Some(stated) = self.score.filter(|&stated| stated != games) {
            let problem = Problem::OtherScore { stated, games };
            faults.push(Fault {
                spot: Spot::Score,
                problem,
            });
        }
        let agrees = match &self.result {
            MatchResult::Unfinished | MatchResult::Stated { .. } => series.end().is_none(),
            MatchResult::Played(end) => series.end() == Some(*end),
        };
        if !agrees {
            let problem = Problem::OtherResult {
                stated: self.result.clone(),
                games: series.end(),
            };
            faults.push(Fault {
                spot: Spot::Result,
                problem,
            });
        }
        series
    }

    /// The position after so many actions, counted over the whole match; 0 is the start.
    ///
    /// # Errors
    /// There are not so many, or the game cannot be replayed so far.
    ///
    /// ```
    /// use mancala_engine::record::Record;
    /// use mancala_engine::{Position, Side};
    /// let record: Record = "[record \"1\"] [game \"urim\"] [begins \"south\"]
    ///     game 1 south 1s. A1 2n. A2 *".parse()?;
    /// assert_eq!(record.at(1).unwrap().position.standing().to_move, Side::North);
    /// assert_eq!(record.at(3).unwrap_err().to_string(), "the record has 2 actions");
    /// # Ok::<(), mancala_engine::record::ParseRecordError>(())
    /// ```
    pub fn at(&self, actions: usize) -> Result<Moment, AtError> {
        let mut before = 0;
        for (index, game) in self.games.iter().enumerate() {
            let within = actions - before;
            if within <= game.actions.len() {
                let replayed = self.replay(index, within, &mut 0).map_err(AtError::Fault)?;
                let position = replayed.position().clone();
                return Ok(Moment {
                    game: index + 1,
                    position,
                });
            }
            before += game.actions.len();
        }
        Err(match self.games.is_empty() {
            true => AtError::NoGame,
            false => AtError::Beyond(before),
        })
    }
}
