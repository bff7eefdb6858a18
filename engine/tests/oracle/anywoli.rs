//! Anywoli: two rows of twelve, fours are captured as they come about.

use super::state::{Ending, MOST_LAPS, Phase, Side, State, Step};

const COLUMNS: usize = 12;
/// All seeds of the game.
pub(crate) const SEEDS: u64 = 96;

/// Who gets the last four seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastFour {
    LastCapture,
    LastSeed,
    Lottery,
}

/// Four seeds in every pit.
pub(crate) fn start(first: Side) -> State {
    State::first(vec![4; COLUMNS], first)
}

/// Any non-empty pit of one's own row may be sown, forward only.
pub(crate) fn check_sow(state: &State, pit: u64, reverse: bool) -> Result<(), &'static str> {
    if pit >= COLUMNS as u64 {
        return Err("no_such_pit");
    }
    if state.at(state.to_move, pit as usize) == 0 {
        return Err("empty_pit");
    }
    if reverse {
        return Err("not_allowed");
    }
    Ok(())
}

/// The following pit of all 24.
pub(crate) fn next_pit(columns: usize, side: Side, pit: usize) -> (Side, usize) {
    if pit == columns - 1 {
        (side.other(), 0)
    } else {
        (side, pit + 1)
    }
}

/// Plays a turn: laps with relays, captures at once where a pit comes to four.
pub(crate) fn sow(last_four: LastFour, state: &mut State, pit: usize) -> Step {
    let me = state.to_move;
    let last_seed_before = state.last_seed;
    let mut from = (me, pit);
    let mut laps = 0;
    let mut captured = false;
    loop {
        if laps == MOST_LAPS {
            return Step::NeverEnding;
        }
        laps += 1;
        let mut hand = state.lift(from.0, from.1);
        let mut at = from;
        while hand > 0 {
            at = next_pit(COLUMNS, at.0, at.1);
            state.pits[at.0.index()][at.1] += 1;
            hand -= 1;
            if state.at(at.0, at.1) != 4 {
                continue;
            }
            // A four made by the last seed is the mover's, any other the pit owner's.
            let is_last = hand == 0;
            let owner = if is_last { me } else { at.0 };
            captured = true;
            let taken = state.lift(at.0, at.1);
            state.stores[owner.index()] += taken;
            if is_last {
                state.last_seed = Some(me);
            }
            if state.seeds_on_board() + u64::from(hand) == 4 {
                return four_left(last_four, state, owner, last_seed_before);
            }
            if is_last {
                // The lap ends, and the mover has another turn at once.
                return Step::TurnOver {
                    captured,
                    next: me,
                    end: None,
                };
            }
        }
        if state.at(at.0, at.1) == 1 {
            // Last seed in an empty pit: the turn is over.
            return Step::TurnOver {
                captured,
                next: me.other(),
                end: None,
            };
        }
        from = at;
    }
}

/// Only four seeds are in play: the turn stops and they go to a store, or to a draw by lot,
/// for which all but pits and stores is as before the turn.
fn four_left(
    last_four: LastFour,
    state: &mut State,
    owner: Side,
    last_seed_before: Option<Side>,
) -> Step {
    for side in Side::BOTH {
        for pit in 0..COLUMNS {
            state.lift(side, pit);
        }
    }
    let to = match last_four {
        LastFour::LastCapture => owner,
        LastFour::LastSeed => state.last_seed.unwrap_or(owner),
        LastFour::Lottery => {
            state.last_seed = last_seed_before;
            state.phase = Phase::Lottery;
            return Step::Open;
        }
    };
    give_last_four(state, to)
}

/// The last four seeds go to a store, and the stores are counted.
pub(crate) fn give_last_four(state: &mut State, to: Side) -> Step {
    state.stores[to.index()] += 4;
    Step::TurnOver {
        captured: true,
        next: state.to_move.other(),
        end: Some(count(state.stores, "last_four")),
    }
}

/// More seeds wins, one point; as many on both sides is a draw.
pub(crate) fn count(stores: [u32; 2], reason: &'static str) -> Ending {
    for side in Side::BOTH {
        if stores[side.index()] > stores[side.other().index()] {
            return Ending::win(side, 1, reason);
        }
    }
    Ending::draw(reason)
}

/// More than four seeds are on the board, and what was captured was captured by fours.
pub(crate) fn play_can_stand(state: &State) -> bool {
    state.seeds_on_board() > 4 && stores_are_fours(state)
}

/// The draw is due: no seed on the board, all but four in the stores.
pub(crate) fn lottery_can_stand(last_four: LastFour, state: &State) -> bool {
    last_four == LastFour::Lottery
        && state.seeds_on_board() == 0
        && state.seeds_in_stores() == SEEDS - 4
        && stores_are_fours(state)
}

fn stores_are_fours(state: &State) -> bool {
    state.stores[0].is_multiple_of(4) && state.stores[1].is_multiple_of(4)
}
