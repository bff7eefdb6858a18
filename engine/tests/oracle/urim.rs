//! Urim: two rows, one lap a turn, twos and threes are captured.

use super::anywoli::next_pit;
use super::state::{Ending, Side, State, Step};

/// A pit never holds more than this.
pub(crate) const FULL: u32 = 17;

/// The options of Urim.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) columns: usize,
    /// A lap that would bring a pit to 18 may not be played; otherwise full pits are passed over.
    pub(crate) forbid: bool,
}

impl Options {
    /// All seeds of the game: three a pit.
    pub(crate) fn seeds(&self) -> u64 {
        6 * self.columns as u64
    }
}

/// Three seeds in every pit.
pub(crate) fn start(options: &Options, first: Side) -> State {
    State::first(vec![3; options.columns], first)
}

/// A non-empty pit of one's own row, forward, filling no pit beyond 17, feeding where that is due.
pub(crate) fn check_sow(
    options: &Options,
    state: &State,
    pit: u64,
    reverse: bool,
) -> Result<(), &'static str> {
    if pit >= options.columns as u64 {
        return Err("no_such_pit");
    }
    let pit = pit as usize;
    if state.at(state.to_move, pit) == 0 {
        return Err("empty_pit");
    }
    let opponent = state.to_move.other();
    let mut trial = state.clone();
    move_seeds(options, &mut trial, pit)?;
    if state.row_is_empty(opponent) && trial.row_is_empty(opponent) {
        return Err("must_feed");
    }
    if reverse {
        return Err("not_allowed");
    }
    Ok(())
}

/// Plays a turn that has been checked.
pub(crate) fn sow(options: &Options, state: &mut State, pit: usize) -> Step {
    let me = state.to_move;
    let captured = match move_seeds(options, state, pit) {
        Ok(taken) => taken > 0,
        Err(code) => unreachable!("a checked move was refused: {code}"),
    };
    let end = end(options, state);
    Step::TurnOver {
        captured,
        next: me.other(),
        end,
    }
}

/// One lap, then the captures; tells how many seeds were captured.
fn move_seeds(options: &Options, state: &mut State, pit: usize) -> Result<u32, &'static str> {
    let last = sow_lap(options, state, pit)?;
    Ok(capture(state, last))
}

/// Sows one lap. The pit just lifted is skipped; a pit of 17 is passed over or forbids the lap.
fn sow_lap(
    options: &Options,
    state: &mut State,
    pit: usize,
) -> Result<(Side, usize), &'static str> {
    let from = (state.to_move, pit);
    let mut hand = state.lift(from.0, from.1);
    let mut at = from;
    while hand > 0 {
        at = next_pit(options.columns, at.0, at.1);
        if at == from {
            continue;
        }
        if state.at(at.0, at.1) == FULL {
            if options.forbid {
                return Err("pit_full");
            }
            continue;
        }
        state.pits[at.0.index()][at.1] += 1;
        hand -= 1;
    }
    Ok(at)
}

/// Where the last seed makes two or three in an opponent's pit, those are taken, and, going back,
/// each adjoining opponent's pit of two, three or four.
fn capture(state: &mut State, last: (Side, usize)) -> u32 {
    let me = state.to_move;
    let (side, pit) = last;
    if side == me {
        return 0;
    }
    let made = state.at(side, pit);
    if made != 2 && made != 3 {
        return 0;
    }
    let mut taken = state.lift(side, pit);
    let mut back = pit;
    while back > 0 {
        back -= 1;
        let held = state.at(side, back);
        if held != 2 && held != 3 && held != 4 {
            break;
        }
        taken += state.lift(side, back);
    }
    state.stores[me.index()] += taken;
    taken
}

/// All seeds captured; or the opponent, to move, has no move they may play: rows to the stores.
fn end(options: &Options, state: &mut State) -> Option<Ending> {
    if state.seeds_on_board() == 0 {
        return Some(count(options, state.stores, "all_captured"));
    }
    let mut next = state.clone();
    next.to_move = state.to_move.other();
    if !has_move(options, &next) {
        state.rows_to_stores();
        return Some(count(options, state.stores, "no_move"));
    }
    None
}

/// Has the side to move a move it may play?
fn has_move(options: &Options, state: &State) -> bool {
    (0..options.columns).any(|pit| check_sow(options, state, pit as u64, false).is_ok())
}

/// Three quarters of all seeds or more: two points; more than half: one; equal: a draw.
pub(crate) fn count(options: &Options, stores: [u32; 2], reason: &'static str) -> Ending {
    let all = options.seeds();
    for side in Side::BOTH {
        let mine = u64::from(stores[side.index()]);
        if 4 * mine >= 3 * all {
            return Ending::win(side, 2, reason);
        }
        if 2 * mine > all {
            return Ending::win(side, 1, reason);
        }
    }
    Ending::draw(reason)
}
