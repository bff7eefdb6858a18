//! Bao Kigogo: four rows of twelve. The sowing here is that of Nsolo too.

use super::state::{Ending, MOST_LAPS, Side, State, Step};

/// The columns of Bao Kigogo.
pub(crate) const COLUMNS: usize = 12;

/// All seeds of a board of this many columns: two a pit, one pit of each side empty.
pub(crate) fn seeds(columns: usize) -> u64 {
    2 * (2 * (2 * columns as u64 - 1))
}

/// Two seeds in every pit but the last of each side (`B1`, the inner pit furthest to the left).
pub(crate) fn start(first: Side) -> State {
    let mut pits = vec![2; 2 * COLUMNS];
    pits[2 * COLUMNS - 1] = 0;
    State::first(pits, first)
}

/// The following pit of one's own circuit.
fn next_pit(columns: usize, pit: usize) -> usize {
    if pit == 2 * columns - 1 { 0 } else { pit + 1 }
}

/// A pit of two or more; a single seed only where the side has no such pit, and only into an empty
/// pit. Forward only.
pub(crate) fn check_sow(
    columns: usize,
    state: &State,
    pit: u64,
    reverse: bool,
) -> Result<(), &'static str> {
    if pit >= 2 * columns as u64 {
        return Err("no_such_pit");
    }
    let me = state.to_move;
    let pit = pit as usize;
    if state.at(me, pit) == 0 {
        return Err("empty_pit");
    }
    if state.at(me, pit) == 1 {
        if has_pit_of_two(columns, state, me) {
            return Err("singleton");
        }
        if state.at(me, next_pit(columns, pit)) != 0 {
            return Err("singleton_blocked");
        }
    }
    if reverse {
        return Err("not_allowed");
    }
    Ok(())
}

fn has_pit_of_two(columns: usize, state: &State, side: Side) -> bool {
    (0..2 * columns).any(|pit| state.at(side, pit) >= 2)
}

/// Has this side a move it may play, if it is to move?
pub(crate) fn has_move(columns: usize, state: &State, side: Side) -> bool {
    let mut trial = state.clone();
    trial.to_move = side;
    (0..2 * columns).any(|pit| check_sow(columns, &trial, pit as u64, false).is_ok())
}

/// Sows with relays until a last seed falls into an empty pit, and tells which; `None` where the
/// turn would need more laps than a turn may hold.
pub(crate) fn sow_laps(columns: usize, state: &mut State, pit: usize) -> Option<usize> {
    let me = state.to_move;
    let mut from = pit;
    let mut laps = 0;
    loop {
        if laps == MOST_LAPS {
            return None;
        }
        laps += 1;
        let mut hand = state.lift(me, from);
        let mut at = from;
        while hand > 0 {
            at = next_pit(columns, at);
            state.pits[me.index()][at] += 1;
            hand -= 1;
        }
        if state.at(me, at) == 1 {
            return Some(at);
        }
        from = at;
    }
}

/// The opponent's inner pit that an inner pit faces, if this is an inner pit and that one holds seeds.
pub(crate) fn facing_with_seeds(columns: usize, state: &State, pit: usize) -> Option<usize> {
    if pit < columns {
        return None;
    }
    let facing = 3 * columns - 1 - pit;
    if state.at(state.to_move.other(), facing) == 0 {
        return None;
    }
    Some(facing)
}

/// Plays a turn.
pub(crate) fn sow(state: &mut State, pit: usize) -> Step {
    let me = state.to_move;
    let Some(last) = sow_laps(COLUMNS, state, pit) else {
        return Step::NeverEnding;
    };
    let captured = capture(state, last);
    Step::TurnOver {
        captured,
        next: me.other(),
        end: end(state),
    }
}

/// Takes the opponent's inner pit facing the last seed and the outer pit behind it.
fn capture(state: &mut State, last: usize) -> bool {
    let me = state.to_move;
    let Some(facing) = facing_with_seeds(COLUMNS, state, last) else {
        return false;
    };
    let inner = state.lift(me.other(), facing);
    let outer = state.lift(me.other(), last - COLUMNS);
    state.stores[me.index()] += inner;
    state.stores[me.index()] += outer;
    true
}

/// A side with no seeds left, or to move with no move it may play, loses.
fn end(state: &State) -> Option<Ending> {
    let me = state.to_move;
    if state.row_is_empty(me.other()) {
        return Some(Ending::win(me, 1, "all_captured"));
    }
    if !has_move(COLUMNS, state, me.other()) {
        return Some(Ending::win(me, 1, "immobilised"));
    }
    None
}
