//! What is played, so that a game on the largest board comes to its end before long.

use super::ear::Legal;
use mancala_engine::{Action, AnyPosition, Game, Options, Position as _, Side, sample_choices};
use mancala_protocol::{MatchView, WireAction};
use mancala_tests::Random;

/// How many actions a turn of Nsolo has at most: a sowing and its strip.
const A_TURN: usize = 2;

/// How many of a hundred choices are of what leaves the opponent the fewest seeds. With random
/// ones alone a game takes half as long again.
const GREED: usize = 90;

/// A sowing, and mostly the strip that belongs to it.
pub(super) fn choose(view: &MatchView, legal: &Legal, random: &mut Random) -> Vec<WireAction> {
    let options = Options::deserialize(view.game, &view.options).unwrap();
    let position = view.position.as_ref().unwrap();
    let mut game = Game::<AnyPosition>::from_setup(options, position).unwrap();
    let mover = game.to_move();
    let mut choices: Vec<Action> = legal.actions.iter().map(|one| one.0.clone()).collect();
    let mut list = Vec::new();
    let most = if random.below(4) == 0 { 1 } else { A_TURN };
    loop {
        if choices.is_empty() {
            choices = sample_choices(game.position());
        }
        let action = if random.below(100) < GREED {
            best(&game, &choices, mover, random)
        } else {
            random.any(&choices).clone()
        };
        list.push(WireAction(action.clone()));
        // The position alone does not tell of repetitions, so the server may know better.
        if list.len() == most
            || game.play(&action).is_err()
            || game.outcome().is_some()
            || game.to_move() != mover
        {
            return list;
        }
        choices = game.moves().iter().collect();
    }
}

/// One of those actions that leave the opponent the fewest seeds.
fn best(game: &Game<AnyPosition>, choices: &[Action], mover: Side, random: &mut Random) -> Action {
    let left = |action: &Action| {
        let mut then = game.clone();
        then.play(action).unwrap();
        let pits = &then.position().setup().board.pits;
        pits[mover.other()].iter().sum::<u32>()
    };
    let left: Vec<u32> = choices.iter().map(left).collect();
    let fewest = left.iter().min();
    let places = (0..choices.len()).filter(|at| Some(&left[*at]) == fewest);
    let places: Vec<usize> = places.collect();
    choices[*random.any(&places)].clone()
}
