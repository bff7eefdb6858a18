//! A game in progress: a position, and the positions that stood before it.

use crate::history::History;
use crate::{
    Action, BadPosition, Moves, Outcome, Phase, Position, Reason, Recorder, Refusal, Setup, Side,
    Silent, Step, Trace,
};

/// A game in progress. It plays actions, checked or not, and adds to what a
/// [`Position`] knows the one rule that looks back: repetition.
///
/// ```
/// use mancala_engine::{Action, BaoKigogo, BaoKigogoOptions, Game, Pit, Position, Refusal, Side};
/// let mut game = Game::<BaoKigogo>::start(BaoKigogoOptions::default(), Side::South);
/// let trace = game.play(&Action::sow(Pit(4)))?;
/// assert_eq!(trace.standing.to_move, Side::North);
/// assert_eq!(game.play(&Action::sow(Pit(99))), Err(Refusal::NoSuchPit));
/// # Ok::<(), Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game<P> {
    position: P,
    history: History,
}

impl<P: Position> Game<P> {
    /// A game from its start. `first` is the side that begins.
    #[must_use]
    pub fn start(options: P::Options, first: Side) -> Game<P> {
        Game::from_position(P::start(options, first))
    }

    /// A game from a position given as plain data, which is the first of its history.
    ///
    /// # Errors
    /// Every reason why the position cannot stand in a game with these options.
    pub fn from_setup(options: P::Options, setup: &Setup) -> Result<Game<P>, BadPosition> {
        P::from_setup(options, setup).map(Game::from_position)
    }

    /// A game from a position, which is the first of its history.
    #[must_use]
    pub fn from_position(position: P) -> Game<P> {
        let mut history = History::default();
        if position.standing().phase == Phase::Play {
            history.note(position.key());
        }
        Game { position, history }
    }

    /// A game from a position and the [`history_keys`](Game::history_keys) that were kept
    /// with it.
    #[must_use]
    pub fn resume(position: P, history_keys: Vec<u64>) -> Game<P> {
        Game {
            position,
            history: History::from(history_keys),
        }
    }

    /// The position as it stands.
    #[must_use]
    pub const fn position(&self) -> &P {
        &self.position
    }

    /// The side to move.
    #[must_use]
    pub fn to_move(&self) -> Side {
        self.position.standing().to_move
    }

    /// How the game ended, if it has.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.position.standing().phase.outcome()
    }

    /// What may be played now.
    #[must_use]
    pub fn moves(&self) -> Moves {
        self.position.moves()
    }

    /// May this action be played now?
    ///
    /// # Errors
    /// The first reason why not, in the order of [`Refusal`].
    pub fn check(&self, action: &Action) -> Result<(), Refusal> {
        self.position.check(action)
    }

    /// Plays an action and says how the seeds moved.
    ///
    /// # Errors
    /// The reason why the action is refused; nothing has changed then.
    pub fn play(&mut self, action: &Action) -> Result<Trace, Refusal> {
        self.check(action)?;
        let mut steps: Vec<Step> = Vec::new();
        self.play_recorded(action, &mut steps);
        let after = self.position.setup();
        Ok(Trace {
            steps,
            standing: after.standing,
            extra: after.extra,
        })
    }

    /// Plays an action known to be legal, without a trace. This is the fast way: for
    /// search, playouts and replay of a log that was checked when it was written.
    ///
    /// # Panics
    /// It may, if [`check`](Game::check) would refuse the action; or the action leads to a
    /// position that no game has. The work is bounded all the same.
    #[inline]
    pub fn play_unchecked(&mut self, action: &Action) {
        self.play_recorded(action, &mut Silent);
    }

    #[inline]
    fn play_recorded<R: Recorder>(&mut self, action: &Action, recorder: &mut R) {
        let played = self.position.play_unchecked(action, recorder);
        if played.forget {
            self.history.clear();
        }
        if played.occurrence {
            let stood_before = self.history.note(self.position.key());
            if stood_before + 1 >= self.position.occurrences_to_end() {
                self.position.end_by(Reason::Repetition, recorder);
            }
        }
    }

    /// The keys of the positions that may still count for repetition, oldest first:
    /// with the position, the whole state of a game.
    #[must_use]
    pub fn history_keys(&self) -> &[u64] {
        self.history.keys()
    }
}
