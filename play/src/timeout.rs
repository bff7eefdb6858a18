//! What comes of it that a side is out of time.

use crate::apply::turn_of;
use crate::decide::push_game_end;
use crate::{Context, Event, GameOutcome, Match, OutsideReason, Spent, WhenOut};
use mancala_engine::{
    Action, AnyPosition, Direction, Game, Options, Phase, Pit, Position as _, Setup,
};

impl Match {
    /// What comes of it that the side to move is out of time, as
    /// [`deadline_ms`](Match::deadline_ms) said when: its turn is over, or the game. Nothing
    /// where no clock runs.
    ///
    /// Who has begun his turn and only had to choose is taken to have chosen: forward for a
    /// direction, the fullest pits first for a strip, the standard rows for an arrangement.
    ///
    /// ```
    /// use mancala_engine::{Action, Format, Mancala, Options, Side};
    /// use mancala_play::{Context, Control, Event, Match, MatchSpec, UserId};
    /// let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    /// spec.clock = Control::BLITZ;
    /// let mut play = Match::create(spec);
    /// for (side, number) in [(Side::South, 1), (Side::North, 2)] {
    ///     play.apply(&Event::Seated { side, user: UserId(uuid::Uuid::from_u128(number)) });
    /// }
    /// play.apply(&Event::GameBegan { game: 1, begins: Side::North });
    /// assert_eq!(play.deadline_ms(), Some(4_000));
    /// let events = play.decide_out_of_time(&Context::untimed(Side::South));
    /// assert!(matches!(events[..], [Event::Acted { action: Action::LoseTurn, .. }]));
    /// play.apply(&events[0]);
    /// assert_eq!(play.to_move(), Some(Side::South));
    /// ```
    #[must_use]
    pub fn decide_out_of_time(&self, context: &Context) -> Vec<Event> {
        let mut events = Vec::new();
        let Ok(play) = self.playing() else {
            return events;
        };
        let clocks = &play.clocks;
        let Some((side, left_ms)) = clocks.running().and_then(|side| {
            let left_ms = clocks.left_ms(side)?;
            Some((side, left_ms))
        }) else {
            return events;
        };
        let ended = match clocks.control().when_out() {
            WhenOut::LosesGame => Some(GameOutcome::Outside {
                winner: Some(side.other()),
                reason: OutsideReason::Time,
            }),
            WhenOut::LosesTurn => {
                let mut game = play.game.clone();
                let turn = turn_of(&game);
                let mut spent = Spent::new(left_ms, 0);
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
                        spent: std::mem::take(&mut spent),
                    });
                }
                game.outcome().copied().map(GameOutcome::Board)
            }
        };
        if let Some(ended) = ended {
            // While a game is being played its series is not over.
            _ = push_game_end(&mut events, play, ended, None);
        }
        events
    }
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
