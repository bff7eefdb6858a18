//! Counting action sequences: the classic check of a rules engine.

use crate::{Action, Game, Phase, Pit, Position, Side};

/// The number of action sequences of `depth` actions; one that ends the game early
/// counts once. An arrangement counts as one action, two seeds in every pit; a strip as
/// one, taken from the lowest-numbered pits; the lot as two. Lost turns are not played.
///
/// ```
/// use mancala_engine::{Game, Position, Side, Urim, UrimOptions, perft};
/// let game = Game::<Urim>::start(UrimOptions::default(), Side::South);
/// assert_eq!(perft(&game, 3), 186);
/// ```
#[must_use]
pub fn perft<P: Position>(game: &Game<P>, depth: u32) -> u64 {
    if depth == 0 || game.outcome().is_some() {
        return 1;
    }
    let moves = game.moves();
    if depth == 1 && !moves.is_empty() {
        return moves.len() as u64;
    }
    let next = |action: &Action| {
        let mut after = game.clone();
        after.play_unchecked(action);
        perft(&after, depth - 1)
    };
    moves.iter().map(|action| next(&action)).sum::<u64>()
        + sample_choices(game.position())
            .iter()
            .map(next)
            .sum::<u64>()
}

/// The actions that stand for all others where a phase has too many to list: one
/// arrangement, one strip; and both answers of the lot.
///
/// ```
/// use mancala_engine::{AnyPosition, Mancala, Options, Position, Side, sample_choices};
/// let position = AnyPosition::start(Options::standard(Mancala::Urim), Side::South);
/// assert!(sample_choices(&position).is_empty());
/// ```
#[must_use]
pub fn sample_choices<P: Position>(position: &P) -> Vec<Action> {
    let standing = position.standing();
    match standing.phase {
        Phase::Arrange => vec![Action::Arrange { pits: vec![2; 16] }],
        Phase::Strip { seeds } => {
            let pits = &position.setup().board.pits[standing.to_move.other()];
            vec![Action::Strip {
                take: lowest_pits(pits, seeds),
            }]
        }
        Phase::Lottery => Side::ALL.map(|to| Action::Lottery { to }).to_vec(),
        Phase::Play | Phase::Direction(_) | Phase::Over(_) => Vec::new(),
    }
}

/// `seeds` seeds from the lowest-numbered pits.
fn lowest_pits(pits: &[u32], seeds: u32) -> Vec<(Pit, u32)> {
    let mut due = seeds;
    let mut take = Vec::new();
    for (number, &held) in (0..).zip(pits) {
        let taken = held.min(due);
        if taken > 0 {
            take.push((Pit(number), taken));
            due -= taken;
        }
    }
    take
}
