//! Omweso: four rows of eight, captured seeds go on being sown.

use super::state::{Choice, Ending, MOST_LAPS, Phase, Side, State, Step};

const COLUMNS: usize = 8;
const PITS: usize = 16;
const SEEDS_A_SIDE: u64 = 32;
/// All seeds of the game.
pub(crate) const SEEDS: u64 = 64;
/// The leftmost pits A1, A2, B2, B1.
const LEFTMOST: [usize; 4] = [0, 1, 14, 15];

/// In which turns nothing can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    FirstTurn,
    EachPlayersFirstTurn,
    Off,
}

/// The options of Omweso.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The sides lay out their seeds themselves.
    pub(crate) free: bool,
    /// The most seeds in a pit when laying out.
    pub(crate) cap: Option<u64>,
    pub(crate) opening: Opening,
    pub(crate) akakyala: bool,
}

/// A lap about to be sown.
#[derive(Clone)]
struct Lap {
    pit: usize,
    seeds: u32,
    held: bool,
}

/// How a lap ended.
enum LapEnd {
    /// In an empty pit.
    Empty,
    /// In an occupied inner pit with both pits of the opponent's column full.
    Capture { pit: usize },
    /// In any other occupied pit.
    Relay { pit: usize },
}

/// Standard: four seeds in each outer pit. Free: empty pits, the first side lays out.
pub(crate) fn start(options: &Options, first: Side) -> State {
    let mut pits = vec![0; PITS];
    if !options.free {
        for pit in pits.iter_mut().take(COLUMNS) {
            *pit = 4;
        }
    }
    let mut state = State::first(pits, first);
    if options.free {
        state.phase = Phase::Arrange;
    }
    state
}

/// First the side that moves first lays out its 32 seeds, then the other; then the first moves.
pub(crate) fn arrange(
    options: &Options,
    state: &mut State,
    pits: &[u64],
) -> Result<Step, &'static str> {
    if !is_arrangement(options, pits) {
        return Err("bad_arrangement");
    }
    let me = state.to_move;
    for (pit, &seeds) in pits.iter().enumerate() {
        state.pits[me.index()][pit] = seeds as u32;
    }
    state.to_move = me.other();
    if state.row_is_empty(me.other()) {
        return Ok(Step::Open);
    }
    state.phase = Phase::Play;
    Ok(Step::Begins)
}

/// Sixteen numbers, 32 seeds together, none above the cap.
fn is_arrangement(options: &Options, pits: &[u64]) -> bool {
    if pits.len() != PITS {
        return false;
    }
    let mut sum: u64 = 0;
    for &seeds in pits {
        if seeds > SEEDS_A_SIDE {
            return false;
        }
        if options.cap.is_some_and(|cap| seeds > cap) {
            return false;
        }
        sum += seeds;
    }
    sum == SEEDS_A_SIDE
}

/// A pit of two or more may be sown forward; in reverse only where that lap itself captures.
pub(crate) fn check_sow(
    options: &Options,
    state: &State,
    pit: u64,
    reverse: bool,
) -> Result<(), &'static str> {
    let pit = check_pit(state, pit)?;
    let lap = Lap {
        pit,
        seeds: state.at(state.to_move, pit),
        held: false,
    };
    if reverse && !reverse_possible(options, state, &lap) {
        return Err("no_direct_capture");
    }
    Ok(())
}

/// Until the first capture of the game a pit of exactly three may be sown two and one.
pub(crate) fn check_koneeza(state: &State, pit: u64) -> Result<(), &'static str> {
    let pit = check_pit(state, pit)?;
    if state.captured || state.at(state.to_move, pit) != 3 {
        return Err("not_allowed");
    }
    Ok(())
}

/// The pit must be there and hold two or more.
fn check_pit(state: &State, pit: u64) -> Result<usize, &'static str> {
    if pit >= PITS as u64 {
        return Err("no_such_pit");
    }
    let pit = pit as usize;
    match state.at(state.to_move, pit) {
        0 => Err("empty_pit"),
        1 => Err("singleton"),
        _ => Ok(pit),
    }
}

/// Plays a turn from its first lap; the direction of that lap is part of the action.
pub(crate) fn sow(options: &Options, state: &mut State, pit: usize, reverse: bool) -> Step {
    let lap = Lap {
        pit,
        seeds: state.at(state.to_move, pit),
        held: false,
    };
    sow_laps(options, state, lap, Some(reverse), Vec::new(), 0)
}

/// Goes on with a turn that waited for a direction.
pub(crate) fn direction(
    options: &Options,
    state: &mut State,
    choice: Choice,
    reverse: bool,
) -> Step {
    let lap = Lap {
        pit: choice.pit,
        seeds: choice.seeds,
        held: choice.held,
    };
    sow_laps(
        options,
        state,
        lap,
        Some(reverse),
        choice.columns,
        choice.laps,
    )
}

/// Two seeds into the next pit, one into the pit after that, and the turn is over.
pub(crate) fn koneeza(options: &Options, state: &mut State, pit: usize) -> Step {
    let me = state.to_move;
    state.lift(me, pit);
    let one = next_pit(pit, false);
    state.pits[me.index()][one] += 1;
    state.pits[me.index()][one] += 1;
    let two = next_pit(one, false);
    state.pits[me.index()][two] += 1;
    turn_over(options, state, &[])
}

/// Sows lap after lap until one ends in an empty pit or the player has to choose.
fn sow_laps(
    options: &Options,
    state: &mut State,
    first_lap: Lap,
    first_direction: Option<bool>,
    columns_so_far: Vec<u64>,
    laps_so_far: u64,
) -> Step {
    let mut lap = first_lap;
    let mut direction = first_direction;
    let mut columns = columns_so_far;
    let mut laps = laps_so_far;
    loop {
        if laps == MOST_LAPS {
            return Step::NeverEnding;
        }
        let reverse = match direction.take() {
            Some(reverse) => reverse,
            None => {
                if reverse_possible(options, state, &lap) {
                    state.phase = Phase::Direction(Choice {
                        pit: lap.pit,
                        seeds: lap.seeds,
                        held: lap.held,
                        columns,
                        laps,
                    });
                    return Step::Open;
                }
                false
            }
        };
        laps += 1;
        let last = sow_lap(state, &lap, reverse);
        match lap_end(options, state, last) {
            LapEnd::Empty => return turn_over(options, state, &columns),
            LapEnd::Capture { pit } => {
                let seeds = capture(state, pit);
                columns.push(column_facing(pit));
                lap = Lap {
                    pit: lap.pit,
                    seeds,
                    held: true,
                };
            }
            LapEnd::Relay { pit } => {
                lap = Lap {
                    pit,
                    seeds: state.at(state.to_move, pit),
                    held: false,
                };
            }
        }
    }
}

/// Sows one lap, seed by seed, and tells where the last one fell. Seeds in hand are sown from the
/// starting pit without lifting what lies in it.
fn sow_lap(state: &mut State, lap: &Lap, reverse: bool) -> usize {
    let me = state.to_move;
    let mut hand = lap.seeds;
    if !lap.held {
        hand = state.lift(me, lap.pit);
    }
    let mut at = lap.pit;
    while hand > 0 {
        at = next_pit(at, reverse);
        state.pits[me.index()][at] += 1;
        hand -= 1;
    }
    at
}

/// The following pit, forward or backward.
fn next_pit(pit: usize, reverse: bool) -> usize {
    if reverse {
        if pit == 0 { PITS - 1 } else { pit - 1 }
    } else if pit == PITS - 1 {
        0
    } else {
        pit + 1
    }
}

/// Looks at the pit of the last seed, which has fallen.
fn lap_end(options: &Options, state: &State, last: usize) -> LapEnd {
    let me = state.to_move;
    if state.at(me, last) == 1 {
        return LapEnd::Empty;
    }
    if is_inner(last) && column_is_full(state, last) && captures_allowed(options, state.turn) {
        return LapEnd::Capture { pit: last };
    }
    LapEnd::Relay { pit: last }
}

/// Pits 8 to 15 are the inner row.
fn is_inner(pit: usize) -> bool {
    pit >= COLUMNS
}

/// The opponent's inner pit that an inner pit faces.
fn facing_inner(pit: usize) -> usize {
    3 * COLUMNS - 1 - pit
}

/// The opponent's outer pit behind it.
fn facing_outer(pit: usize) -> usize {
    pit - COLUMNS
}

/// The opponent's column, counted 1 to 8 from the opponent's left, that an inner pit faces.
fn column_facing(pit: usize) -> u64 {
    facing_outer(pit) as u64 + 1
}

/// Do both pits of the opponent's column hold seeds?
fn column_is_full(state: &State, pit: usize) -> bool {
    let opponent = state.to_move.other();
    state.at(opponent, facing_inner(pit)) > 0 && state.at(opponent, facing_outer(pit)) > 0
}

/// `first_turn`: no capture in turn 1; `each_players_first_turn`: none in turns 1 and 2.
fn captures_allowed(options: &Options, turn: u64) -> bool {
    match options.opening {
        Opening::Off => true,
        Opening::FirstTurn => turn != 1,
        Opening::EachPlayersFirstTurn => turn != 1 && turn != 2,
    }
}

/// Takes the seeds of both pits of the opponent's column in hand.
fn capture(state: &mut State, pit: usize) -> u32 {
    let opponent = state.to_move.other();
    state.captured = true;
    let inner = state.lift(opponent, facing_inner(pit));
    let outer = state.lift(opponent, facing_outer(pit));
    inner + outer
}

/// A lap from one of the four leftmost pits may be sown clockwise if it then ends in a capture.
fn reverse_possible(options: &Options, state: &State, lap: &Lap) -> bool {
    if !LEFTMOST.contains(&lap.pit) {
        return false;
    }
    let mut trial = state.clone();
    let last = sow_lap(&mut trial, lap, true);
    matches!(lap_end(options, &trial, last), LapEnd::Capture { .. })
}

/// Is this direction choice one that a game could be waiting for?
pub(crate) fn choice_can_stand(options: &Options, state: &State, choice: &Choice) -> bool {
    if choice.pit >= PITS || choice.seeds < 2 {
        return false;
    }
    if choice.laps == 0 || choice.laps >= MOST_LAPS {
        return false;
    }
    if choice
        .columns
        .iter()
        .any(|&column| !(1..=8).contains(&column))
    {
        return false;
    }
    if choice.columns.len() as u64 > choice.laps {
        return false;
    }
    if choice.held {
        if choice.columns.is_empty() {
            return false;
        }
    } else if state.at(state.to_move, choice.pit) != choice.seeds {
        return false;
    }
    let lap = Lap {
        pit: choice.pit,
        seeds: choice.seeds,
        held: choice.held,
    };
    reverse_possible(options, state, &lap)
}

/// Ends the turn: counts a turn with a capture and looks for an end of the game.
fn turn_over(options: &Options, state: &mut State, columns: &[u64]) -> Step {
    let me = state.to_move;
    if !columns.is_empty() {
        state.captures[me.index()] += 1;
    }
    state.phase = Phase::Play;
    Step::TurnOver {
        captured: !columns.is_empty(),
        next: me.other(),
        end: end(options, state, columns),
    }
}

/// The first end that fits: akawumbi, okutema, akakyala, bulijo.
fn end(options: &Options, state: &State, columns: &[u64]) -> Option<Ending> {
    let me = state.to_move;
    if is_akawumbi(state, columns) {
        return Some(Ending::win(me, 12, "akawumbi"));
    }
    if is_okutema(state, columns) {
        return Some(Ending::win(me, 2, "okutema"));
    }
    if options.akakyala && is_akakyala(state.captures, me) {
        return Some(Ending::win(me, 2, "akakyala"));
    }
    if !has_pit_of_two(state, me.other()) {
        return Some(Ending::win(me, 1, "bulijo"));
    }
    None
}

/// Columns 1 and 8 are the end columns.
fn is_end_column(column: u64) -> bool {
    column == 1 || column == 8
}

/// The opponent has no seed left and the last capture of the turn was in an end column.
fn is_akawumbi(state: &State, columns: &[u64]) -> bool {
    state.row_is_empty(state.to_move.other())
        && columns.last().is_some_and(|&column| is_end_column(column))
}

/// No seed left otherwise; or both end columns captured in this turn; or a capture in this turn and
/// the opponent's inner row now empty.
fn is_okutema(state: &State, columns: &[u64]) -> bool {
    let opponent = state.to_move.other();
    let no_seed_left = state.row_is_empty(opponent);
    let two_heads = columns.contains(&1) && columns.contains(&8);
    let inner_row_empty = (COLUMNS..PITS).all(|pit| state.at(opponent, pit) == 0);
    no_seed_left || two_heads || (!columns.is_empty() && inner_row_empty)
}

/// One side has captured in two turns of the game, the other in none.
pub(crate) fn is_akakyala(captures: [u64; 2], side: Side) -> bool {
    captures[side.index()] >= 2 && captures[side.other().index()] == 0
}

/// Has this side a pit of two or more?
fn has_pit_of_two(state: &State, side: Side) -> bool {
    (0..PITS).any(|pit| state.at(side, pit) >= 2)
}

/// While the seeds are laid out: turn 1, nothing played, and only the first side may be done.
pub(crate) fn arrangement_can_stand(options: &Options, state: &State) -> bool {
    if !options.free || state.turn != 1 || state.quiet != 0 {
        return false;
    }
    if state.captured || state.captures != [0, 0] {
        return false;
    }
    if !state.row_is_empty(state.to_move) {
        return false;
    }
    let laid_out: Vec<u64> = state.pits[state.to_move.other().index()]
        .iter()
        .map(|&seeds| u64::from(seeds))
        .collect();
    state.row_is_empty(state.to_move.other()) || is_arrangement(options, &laid_out)
}
