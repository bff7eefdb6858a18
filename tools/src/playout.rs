//! One random game, from its start to its end.

use crate::random::Random;
use mancala_engine::{Action, Game, Outcome, Phase, Pit, Position, Side};

/// What came of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Playout {
    /// The turns played: the number of the turn in which the game ended. Passes and another
    /// turn in Anywoli have numbers of their own and so are counted.
    pub(crate) turns: u32,
    /// How it ended.
    pub(crate) outcome: Outcome,
}

/// Plays a game to its end, each action chosen uniformly among the legal ones. A strip
/// takes the seeds due one by one, each uniformly among the seeds the opponent has left;
/// the lot is a coin.
pub(crate) fn play<P: Position>(mut game: Game<P>, random: &mut Random) -> Playout {
    let mut turns = 0;
    loop {
        let moves = game.moves();
        if !moves.is_empty() {
            turns = game.position().standing().turn;
            // Played apart from the rest, so that the compiler sees an action without a
            // list that would have to be dropped.
            game.play_unchecked(&moves.nth(random.below(moves.len())));
            continue;
        }
        let standing = game.position().standing();
        match standing.phase {
            Phase::Over(outcome) => return Playout { turns, outcome },
            Phase::Strip { seeds } => {
                let pits = game.position().setup().board.pits;
                let pits = match standing.to_move.other() {
                    Side::South => pits.south,
                    Side::North => pits.north,
                };
                let take = choose_seeds(pits, seeds, random);
                game.play_unchecked(&Action::Strip { take });
            }
            Phase::Lottery => {
                let to = Side::ALL[random.below(2)];
                game.play_unchecked(&Action::Lottery { to });
            }
            Phase::Play | Phase::Direction(_) | Phase::Arrange => {
                unreachable!("a standard start is laid out, and who is to move has a move");
            }
        }
    }
}

/// Takes `due` seeds from pits, one by one, each seed with the same chance.
pub(crate) fn choose_seeds(mut pits: Vec<u32>, due: u32, random: &mut Random) -> Vec<(Pit, u32)> {
    let mut taken = vec![0; pits.len()];
    let left: u32 = pits.iter().sum();
    for left in (left - due + 1..=left).rev() {
        let mut rank = random.below(left as usize) as u32;
        for (held, taken) in pits.iter_mut().zip(&mut taken) {
            if rank < *held {
                *held -= 1;
                *taken += 1;
                break;
            }
            rank -= *held;
        }
    }
    let taken = (0..).map(Pit).zip(taken);
    taken.filter(|&(_, seeds)| seeds > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_engine::{
        AnyPosition, Mancala, Nsolo, NsoloColumns, NsoloOptions, Omweso, OmwesoOptions, Options,
        Reason,
    };
    use std::collections::BTreeMap;

    /// Sums counts of equally likely things into chi-square, and says how many deviations
    /// it lies above its mean.
    fn deviations(counts: &[u32]) -> f64 {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        let squares = counts
            .iter()
            .map(|&count| (f64::from(count) - mean).powi(2));
        let freedom = counts.len() as f64 - 1.0;
        (squares.sum::<f64>() / mean - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn every_legal_action_is_chosen_as_often() {
        let game = Game::<Omweso>::start(OmwesoOptions::default(), Side::South);
        let moves = game.moves();
        let mut random = Random::from_seed(1);
        let mut counts = vec![0; moves.len()];
        for _ in 0..8_000 {
            counts[random.below(moves.len())] += 1;
        }
        assert_eq!(counts.len(), 8);
        assert!(deviations(&counts) < 5.0, "{counts:?}");
    }

    #[test]
    fn every_seed_is_stripped_as_often() {
        let pits = vec![3, 0, 1, 5, 0, 1];
        let mut random = Random::from_seed(2);
        let mut counts = vec![0_u32; pits.len()];
        for _ in 0..10_000 {
            let take = choose_seeds(pits.clone(), 4, &mut random);
            assert_eq!(take.iter().map(|&(_, seeds)| seeds).sum::<u32>(), 4);
            for (pit, seeds) in take {
                assert!((1..=pits[pit.index()]).contains(&seeds));
                counts[pit.index()] += seeds;
            }
        }
        // Four of the ten seeds go, so each in four strips of ten.
        for (&held, &count) in pits.iter().zip(&counts) {
            let expected = 4_000.0 * f64::from(held);
            assert!(
                (f64::from(count) - expected).abs() <= 0.03 * expected,
                "{counts:?}"
            );
        }
    }

    #[test]
    fn all_seeds_but_one_may_be_due() {
        let take = choose_seeds(vec![1, 1, 2], 3, &mut Random::from_seed(3));
        assert_eq!(take.iter().map(|&(_, seeds)| seeds).sum::<u32>(), 3);
    }

    #[test]
    fn every_action_of_a_playout_is_legal() {
        // The same choices, played with checks, over all games: the counterpart of
        // `play`, which leaves the checks out.
        for mancala in Mancala::ALL {
            let start = Game::<AnyPosition>::start(Options::standard(mancala), Side::South);
            for seed in 0..50 {
                let playout = play(start.clone(), &mut Random::from_seed(seed));
                let mut random = Random::from_seed(seed);
                let mut game = start.clone();
                let mut turns = 0;
                while game.outcome().is_none() {
                    let standing = *game.position().standing();
                    let moves = game.moves();
                    let action = match standing.phase {
                        Phase::Strip { seeds } => Action::Strip {
                            take: choose_seeds(
                                game.position().setup().board.pits[standing.to_move.other()]
                                    .clone(),
                                seeds,
                                &mut random,
                            ),
                        },
                        _ => moves.nth(random.below(moves.len())),
                    };
                    turns = standing.turn;
                    game.play(&action).unwrap();
                }
                let outcome = *game.outcome().unwrap();
                assert_eq!(
                    playout,
                    Playout { turns, outcome },
                    "{mancala}, seed {seed}"
                );
            }
        }
    }

    #[test]
    fn the_largest_board_ends_too() {
        let columns = NsoloColumns::new(36).unwrap();
        let options = NsoloOptions {
            columns,
            ..NsoloOptions::default()
        };
        let mut random = Random::from_seed(4);
        let mut ends = BTreeMap::<Reason, u32>::new();
        for _ in 0..20 {
            let game = Game::<Nsolo>::start(options, Side::South);
            *ends
                .entry(play(game, &mut random).outcome.reason())
                .or_default() += 1;
        }
        assert_eq!(ends.values().sum::<u32>(), 20);
    }
}
