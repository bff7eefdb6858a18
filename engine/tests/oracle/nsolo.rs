//! Nsolo: four rows of 8 to 36; after a capture as many seeds again are stripped.

use super::bao_kigogo::{facing_with_seeds, has_move, sow_laps};
use super::state::{Ending, Phase, Side, State, Step};

/// Two seeds in every pit but the rightmost inner pit of each side.
pub(crate) fn start(columns: usize, first: Side) -> State {
    let mut pits = vec![2; 2 * columns];
    pits[columns] = 0;
    State::first(pits, first)
}

/// Plays a turn up to its end or up to the strip.
pub(crate) fn sow(columns: usize, state: &mut State, pit: usize) -> Step {
    let me = state.to_move;
    let opponent = me.other();
    let Some(last) = sow_laps(columns, state, pit) else {
        return Step::NeverEnding;
    };
    let Some(facing) = facing_with_seeds(columns, state, last) else {
        return turn_over(columns, state, false);
    };
    let taken = state.lift(opponent, facing);
    state.stores[me.index()] += taken;
    if state.seeds_of(opponent) <= u64::from(taken) {
        // As many or fewer are left: all of them go, without asking.
        for pit in 0..2 * columns {
            let seeds = state.lift(opponent, pit);
            state.stores[me.index()] += seeds;
        }
        return turn_over(columns, state, true);
    }
    state.phase = Phase::Strip { seeds: taken };
    Step::Open
}

/// Takes the seeds of the strip off the opponent's side, from any pits, in any split.
pub(crate) fn strip(
    columns: usize,
    state: &mut State,
    due: u32,
    take: &[(u64, u64)],
) -> Result<Step, &'static str> {
    let me = state.to_move;
    let opponent = me.other();
    check_strip(columns, state, due, take)?;
    for &(pit, seeds) in take {
        state.pits[opponent.index()][pit as usize] -= seeds as u32;
        state.stores[me.index()] += seeds as u32;
    }
    state.phase = Phase::Play;
    Ok(turn_over(columns, state, true))
}

/// Each pit is there, is named once, gives one seed or more but not more than it holds, and the sum
/// is what is due.
fn check_strip(
    columns: usize,
    state: &State,
    due: u32,
    take: &[(u64, u64)],
) -> Result<(), &'static str> {
    let opponent = state.to_move.other();
    let mut named = Vec::new();
    let mut sum = 0;
    for &(pit, seeds) in take {
        if pit >= 2 * columns as u64 || named.contains(&pit) {
            return Err("bad_strip");
        }
        named.push(pit);
        let holds = u64::from(state.at(opponent, pit as usize));
        if seeds == 0 || seeds > holds {
            return Err("bad_strip");
        }
        sum += seeds;
    }
    if sum != u64::from(due) {
        return Err("bad_strip");
    }
    Ok(())
}

/// The strip that takes from the lowest-numbered pits.
pub(crate) fn lowest_strip(columns: usize, state: &State, due: u32) -> Vec<(u64, u64)> {
    let opponent = state.to_move.other();
    let mut take = Vec::new();
    let mut left = due;
    for pit in 0..2 * columns {
        let seeds = left.min(state.at(opponent, pit));
        if seeds > 0 {
            take.push((pit as u64, u64::from(seeds)));
            left -= seeds;
        }
    }
    take
}

/// A strip leaves the opponent something, and what was captured before it is in the mover's store.
pub(crate) fn strip_can_stand(state: &State, due: u32) -> bool {
    let me = state.to_move;
    due >= 1 && state.seeds_of(me.other()) > u64::from(due) && state.stores[me.index()] >= due
}

fn turn_over(columns: usize, state: &State, captured: bool) -> Step {
    Step::TurnOver {
        captured,
        next: state.to_move.other(),
        end: end(columns, state),
    }
}

/// A side with no seeds left loses; where neither side has a move it is a draw.
fn end(columns: usize, state: &State) -> Option<Ending> {
    let me = state.to_move;
    if state.row_is_empty(me.other()) {
        return Some(Ending::win(me, 1, "all_captured"));
    }
    if !has_move(columns, state, me) && !has_move(columns, state, me.other()) {
        return Some(Ending::draw("both_stuck"));
    }
    None
}
