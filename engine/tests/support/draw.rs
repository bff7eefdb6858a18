//! Options, positions and actions drawn by lot, as JSON.

use super::lot::Lot;
use mancala_engine::Mancala;
use serde_json::{Value, json};

/// Options in bounds, standard ones often.
pub fn options(lot: &mut Lot<'_>, mancala: Mancala) -> Value {
    let mut options = json!({});
    if lot.once_in(2) {
        options["quiet_limit"] = json!(lot.one_of(&[10, 11, 30, 300, 10_000]));
    }
    match mancala {
        Mancala::Omweso => {
            options["setup"] = json!(lot.one_of(&["standard", "free"]));
            options["cap"] = lot
                .one_of(&[json!(10), json!(null), json!(2), json!(3), json!(32)])
                .clone();
            options["opening"] =
                json!(lot.one_of(&["first_turn", "each_players_first_turn", "off"]));
            options["akakyala"] = json!(lot.once_in(2));
        }
        Mancala::Anywoli => {
            options["last_four"] = json!(lot.one_of(&["last_capture", "last_seed", "lottery"]));
        }
        Mancala::Urim => {
            options["columns"] = json!(6 + lot.below(2));
            options["full_pit"] = json!(lot.one_of(&["skip", "forbid"]));
        }
        Mancala::BaoKigogo => {}
        Mancala::Nsolo => options["columns"] = json!(lot.one_of(&[8, 9, 8, 12, 17, 36])),
    }
    options
}

/// The board of a game with these options.
struct Size {
    pits: usize,
    seeds: u64,
    /// What a pit can hold.
    most: u64,
}

fn size(mancala: Mancala, options: &Value) -> Size {
    let columns = |standard: u64| options["columns"].as_u64().unwrap_or(standard);
    let (pits, seeds, most) = match mancala {
        Mancala::Omweso => (16, 64, 64),
        Mancala::Anywoli => (12, 96, 96),
        Mancala::Urim => (columns(6) as usize, 6 * columns(6), 17),
        Mancala::BaoKigogo => (24, 92, 92),
        Mancala::Nsolo => (
            2 * columns(8) as usize,
            8 * columns(8) - 4,
            8 * columns(8) - 4,
        ),
    };
    Size { pits, seeds, most }
}

/// A position that has a good chance to be sound, and to be a rare one: full boards and
/// bare ones, heaps, singles, late turns, choices that are due.
pub fn position(lot: &mut Lot<'_>, mancala: Mancala, options: &Value) -> Value {
    let size = size(mancala, options);
    let in_play = match mancala {
        Mancala::Omweso => size.seeds,
        Mancala::Anywoli => 4 * (2 + lot.below(23) as u64),
        _ if lot.once_in(3) => size.seeds,
        _ => 2 + lot.below(size.seeds as usize - 1) as u64,
    };
    let south = match lot.below(4) {
        0 => lot.below(8) as u64,
        1 => in_play.saturating_sub(lot.below(8) as u64),
        2 => in_play / 2,
        _ => lot.below(in_play as usize + 1) as u64,
    }
    .min(in_play);
    let mut pits = [south, in_play - south].map(|seeds| lay_out(lot, &size, seeds));
    match mancala {
        Mancala::Omweso if lot.once_in(4) => pits = nearly_captured_out(lot, &size),
        Mancala::BaoKigogo | Mancala::Nsolo if lot.once_in(8) => {
            // A side that cannot move holds one seed in every pit.
            let other: u64 = pits[1].iter().sum();
            if other + size.pits as u64 <= size.seeds {
                pits[0] = vec![1; size.pits];
            }
        }
        _ => {}
    }
    if lot.once_in(2) {
        pits.reverse();
    }
    let on_board: u64 = pits.iter().flatten().sum();
    let unit = if mancala == Mancala::Anywoli { 4 } else { 1 };
    let stored = size.seeds - on_board;
    let store = unit * lot.below((stored / unit) as usize + 1) as u64;
    let limit = match mancala {
        Mancala::Anywoli | Mancala::Urim => 100,
        _ => 200,
    };
    let limit = options["quiet_limit"].as_u64().unwrap_or(limit);
    let quiet = *lot.one_of(&[0, limit - 1, limit / 2]);
    let [south, north] = pits;
    let mut position = json!({
        "pits": {"south": south, "north": north},
        "stores": {"south": store, "north": stored - store},
        "to_move": lot.one_of(&["south", "north"]),
        "turn": lot.one_of(&[9, 1, 2, 3, 400]),
        "quiet": quiet,
        "phase": {"kind": "play"},
    });
    match mancala {
        Mancala::Omweso => add_omweso(lot, options, &mut position),
        Mancala::Anywoli => {
            position["last_seed"] = lot
                .one_of(&[json!(null), json!("south"), json!("north")])
                .clone();
            if options["last_four"] == "lottery" && lot.once_in(8) {
                let store = 4 * lot.below(24);
                position["pits"] = json!({"south": vec![0; 12], "north": vec![0; 12]});
                position["stores"] = json!({"south": store, "north": 92 - store});
                position["phase"] = json!({"kind": "lottery"});
            }
        }
        Mancala::Nsolo if lot.once_in(8) => {
            let opponent = other(&position);
            let left: u64 = numbers(&position["pits"][opponent]).iter().sum();
            position["phase"] = json!({"kind": "strip", "seeds": lot.below(left as usize + 1)});
        }
        _ => {}
    }
    position
}

fn add_omweso(lot: &mut Lot<'_>, options: &Value, position: &mut Value) {
    let captures = *lot.one_of(&[[0, 0], [1, 0], [0, 1], [3, 4], [2, 0]]);
    position["captures"] = json!({"south": captures[0], "north": captures[1]});
    position["captured"] = json!(captures != [0, 0]);
    if options["setup"] == "free" && lot.once_in(8) {
        let arranged = *lot.one_of(&["south", "north"]);
        for side in ["south", "north"] {
            position["pits"][side] = json!(vec![0; 16]);
        }
        if lot.once_in(2) {
            position["pits"][arranged] = arrangement(lot, options);
        }
        position["to_move"] = json!(if arranged == "south" {
            "north"
        } else {
            "south"
        });
        position["turn"] = json!(1);
        position["quiet"] = json!(0);
        position["phase"] = json!({"kind": "arrange"});
    } else if lot.once_in(4) {
        add_direction(lot, position);
    }
}

/// A lap about to start from one of the leftmost pits.
fn add_direction(lot: &mut Lot<'_>, position: &mut Value) {
    let (mover, opponent) = (mover(position), other(position));
    let pit = *lot.one_of(&[0, 1, 14, 15]);
    let mut seeds = position["pits"][mover][pit].as_u64().unwrap();
    let held = lot.once_in(2);
    let mut columns = Vec::new();
    if held {
        let column = lot.below(8);
        columns.push(column + 1);
        let taken = [column, 15 - column].map(|pit| {
            std::mem::replace(&mut position["pits"][opponent][pit], json!(0))
                .as_u64()
                .unwrap()
        });
        seeds = taken.iter().sum();
        position["captured"] = json!(true);
    }
    let laps = *lot.one_of(&[1, 2, 17, 9_998, 9_999]);
    position["phase"] = json!({"kind": "direction", "pit": pit, "seeds": seeds, "held": held,
        "columns": columns, "laps": laps});
}

/// Seeds in the pits of a side, in one of the shapes that matter.
fn lay_out(lot: &mut Lot<'_>, size: &Size, seeds: u64) -> Vec<u64> {
    let mut pits = vec![0; size.pits];
    let window = match lot.below(4) {
        0 => 1,
        1 => 1 + lot.below(4),
        _ => size.pits,
    };
    let first = lot.below(size.pits);
    let singles = lot.once_in(3);
    for number in 0..seeds {
        let offset = if singles {
            (number as usize * 2) % size.pits
        } else {
            lot.below(window)
        };
        let place = (0..size.pits)
            .map(|step| (first + offset + step) % size.pits)
            .find(|&pit| pits[pit] < size.most);
        if let Some(pit) = place {
            pits[pit] += 1;
        }
    }
    pits
}

/// Omweso: one side has seeds in one to three columns only, which may all be captured.
fn nearly_captured_out(lot: &mut Lot<'_>, size: &Size) -> [Vec<u64>; 2] {
    let mut few = vec![0; size.pits];
    for _ in 0..=lot.below(3) {
        let column = *lot.one_of(&[0, 7, 0, 7, 1, 2, 3, 4, 5, 6]);
        for pit in [column, 15 - column] {
            few[pit] = 1 + lot.below(3) as u64;
        }
    }
    let rest = size.seeds - few.iter().sum::<u64>();
    [few, lay_out(lot, size, rest)]
}

/// Makes nonsense of a sound position, or another sound one, by one small change.
pub fn spoil(lot: &mut Lot<'_>, position: &mut Value) {
    let side = *lot.one_of(&["south", "north"]);
    let odd_numbers = [
        json!(0),
        json!(1),
        json!(2),
        json!(17),
        json!(18),
        json!(200),
        json!(10_000),
        json!(1_000_000_001),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(-1),
        json!(1.5),
        json!("1"),
        json!(null),
    ];
    let odd_phases = [
        json!({"kind": "play"}),
        json!({"kind": "arrange"}),
        json!({"kind": "lottery"}),
        json!({"kind": "strip", "seeds": 0}),
        json!({"kind": "strip", "seeds": 1}),
        json!({"kind": "strip", "seeds": 2}),
        json!({"kind": "strip", "seeds": u32::MAX}),
        json!({"kind": "direction", "pit": 15, "seeds": 3, "held": false, "columns": [], "laps": 1}),
        json!({"kind": "direction", "pit": 3, "seeds": 3, "held": false, "columns": [], "laps": 1}),
        json!({"kind": "direction", "pit": 99, "seeds": 3, "held": true, "columns": [1], "laps": 1}),
        json!({"kind": "over", "outcome": "draw", "winner": null, "reason": "quiet",
            "points": {"south": 0, "north": 0}}),
        json!({"kind": "over", "outcome": "win", "winner": "south", "reason": "bulijo",
            "points": {"south": 1, "north": 0}}),
        json!({"kind": "over"}),
        json!({"kind": "nap"}),
        json!("play"),
    ];
    let number = lot.one_of(&odd_numbers).clone();
    match lot.below(16) {
        0 => position["pits"][side] = json!([1, 2, 3]),
        1 | 2 => {
            if let Some(pits) = position["pits"][side].as_array_mut() {
                let pit = lot.below(pits.len());
                pits[pit] = number;
            }
        }
        3 => position["stores"][side] = number,
        4 => position["turn"] = number,
        5 => position["quiet"] = number,
        6 => position["phase"] = lot.one_of(&odd_phases).clone(),
        7 => {
            position["to_move"] = lot
                .one_of(&[json!("south"), json!("west"), json!(0)])
                .clone()
        }
        8 | 9 => move_seeds(lot, position),
        10 => swap_sides(position),
        11 => {
            let values = [json!(true), json!(false), json!(1), json!(null)];
            position["captured"] = lot.one_of(&values).clone();
        }
        12 => position["captures"] = json!({"south": number, "north": lot.below(3)}),
        13 => position["last_seed"] = lot.one_of(&[json!("south"), json!(null), json!(7)]).clone(),
        14 if position["phase"]["kind"] == "direction" => {
            let columns = [
                json!([]),
                json!([1]),
                json!([8, 1]),
                json!([2, 2]),
                json!([9]),
                json!([0]),
                json!([1, 2, 3, 4, 5, 6, 7, 8, 1]),
            ];
            match lot.below(4) {
                0 => position["phase"]["columns"] = lot.one_of(&columns).clone(),
                1 => position["phase"]["laps"] = number,
                2 => position["phase"]["seeds"] = number,
                _ => position["phase"]["pit"] = number,
            }
        }
        _ => {
            let fields = position.as_object_mut().unwrap();
            let names: Vec<String> = fields.keys().cloned().collect();
            match lot.below(3) {
                0 => drop(fields.remove(lot.one_of(&names))),
                1 => drop(fields.insert("colour".into(), json!("red"))),
                _ if fields.get("phase").is_some_and(Value::is_object) => {
                    fields["phase"]["colour"] = json!("red");
                }
                _ => {}
            }
        }
    }
}

/// Moves all seeds of a pit or store to another, so that they still add up.
fn move_seeds(lot: &mut Lot<'_>, position: &mut Value) {
    let mut places = Vec::new();
    for side in ["south", "north"] {
        let pits = position["pits"][side].as_array().map_or(0, Vec::len);
        places.extend((0..pits).map(|pit| format!("/pits/{side}/{pit}")));
        places.push(format!("/stores/{side}"));
    }
    let (from, to) = (lot.one_of(&places), lot.one_of(&places));
    let Some(seeds) = position.pointer(from).and_then(Value::as_u64) else {
        return;
    };
    *position.pointer_mut(from).unwrap() = json!(0);
    if let Some(to) = position.pointer_mut(to) {
        *to = json!(to.as_u64().unwrap_or(0).saturating_add(seeds));
    }
}

fn swap_sides(position: &mut Value) {
    let south = position["pits"]["south"].take();
    let north = std::mem::replace(&mut position["pits"]["north"], south);
    position["pits"]["south"] = north;
}

/// How somebody plays who knows no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    Random,
    /// Always the first, or last, of the list: with both, games go round in circles.
    First,
    Last,
    /// The fullest pit, and never a turn lost: for positions chosen for what follows.
    Fullest,
}

/// An action that may be played where `legal` is the list of the others.
pub fn action(
    lot: &mut Lot<'_>,
    habit: Habit,
    options: &Value,
    position: &Value,
    legal: &[Value],
) -> Value {
    match position["phase"]["kind"].as_str().unwrap() {
        "arrange" => json!({"type": "arrange", "pits": arrangement(lot, options)}),
        "strip" => strip(lot, position),
        "lottery" => json!({"type": "lottery", "to": lot.one_of(&["south", "north"])}),
        "play" if legal.is_empty() || habit != Habit::Fullest && lot.once_in(40) => {
            json!({"type": "lose_turn"})
        }
        _ => match habit {
            Habit::Random => lot.one_of(legal).clone(),
            Habit::First => legal[0].clone(),
            Habit::Last => legal[legal.len() - 1].clone(),
            Habit::Fullest => {
                let pits = &position["pits"][mover(position)];
                let seeds = |action: &&Value| {
                    action["pit"]
                        .as_u64()
                        .and_then(|pit| pits[pit as usize].as_u64())
                };
                // The first of several as full: forward comes before reverse.
                legal.iter().rev().max_by_key(seeds).unwrap().clone()
            }
        },
    }
}

fn arrangement(lot: &mut Lot<'_>, options: &Value) -> Value {
    let cap = match options.get("cap") {
        None => 10,
        Some(cap) => cap.as_u64().unwrap_or(32),
    };
    let size = Size {
        pits: 16,
        seeds: 64,
        most: cap,
    };
    json!(lay_out(lot, &size, 32))
}

/// The seeds due, one by one from pits of the opponent, named in any order.
fn strip(lot: &mut Lot<'_>, position: &Value) -> Value {
    let mut held = numbers(&position["pits"][other(position)]);
    let mut take: Vec<(usize, u64)> = Vec::new();
    for _ in 0..position["phase"]["seeds"].as_u64().unwrap() {
        let first = lot.below(held.len());
        let pit = (0..held.len())
            .map(|step| (first + step) % held.len())
            .find(|&pit| held[pit] > 0)
            .unwrap();
        held[pit] -= 1;
        match take.iter_mut().find(|(named, _)| *named == pit) {
            Some((_, seeds)) => *seeds += 1,
            None => take.push((pit, 1)),
        }
    }
    json!({"type": "strip", "take": take})
}

/// Actions that are mostly refused: every pit and some beyond, both ways, and the like.
pub fn strays(position: &Value) -> Vec<Value> {
    let pits = position["pits"]["south"].as_array().unwrap().len();
    let mut strays = Vec::new();
    for pit in (0..pits + 3).chain([127, 128, 65_535, 65_536, usize::MAX]) {
        strays.push(json!({"type": "sow", "pit": pit}));
        strays.push(json!({"type": "sow", "pit": pit, "dir": "reverse"}));
        strays.push(json!({"type": "koneeza", "pit": pit}));
    }
    let opponent = numbers(&position["pits"][other(position)]);
    let due = position["phase"]["seeds"].as_u64().unwrap_or(2);
    let fullest = (0..pits).max_by_key(|&pit| opponent[pit]).unwrap();
    let empty = opponent.iter().position(|&seeds| seeds == 0).unwrap_or(0);
    let half = due / 2;
    for take in [
        json!([]),
        json!([[fullest, due]]),
        json!([[fullest, due + 1]]),
        json!([[fullest, due - due.min(1)]]),
        json!([[fullest, half], [fullest, due - half]]),
        json!([[fullest, due], [empty, 0]]),
        json!([[empty, due]]),
        json!([[pits, due]]),
        json!([[200, due]]),
        json!([[fullest, u64::MAX]]),
        json!([[u64::MAX, 1]]),
    ] {
        strays.push(json!({"type": "strip", "take": take}));
    }
    for arranged in [
        json!([]),
        json!(vec![2; 16]),
        json!(vec![2; 15]),
        json!(vec![2; 17]),
        json!(vec![3; 16]),
        json!([32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        json!([10, 10, 10, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        json!([11, 10, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        json!([
            4_294_967_297_u64,
            31,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0
        ]),
    ] {
        strays.push(json!({"type": "arrange", "pits": arranged}));
    }
    for dir in ["forward", "reverse"] {
        strays.push(json!({"type": "direction", "dir": dir}));
    }
    for to in ["south", "north"] {
        strays.push(json!({"type": "lottery", "to": to}));
    }
    strays.push(json!({"type": "lose_turn"}));
    strays.extend(malformed());
    strays
}

/// What is not the form of any action.
fn malformed() -> [Value; 22] {
    [
        json!(null),
        json!([]),
        json!("sow"),
        json!({}),
        json!({"type": "sow"}),
        json!({"type": "sow", "pit": null}),
        json!({"type": "sow", "pit": -1}),
        json!({"type": "sow", "pit": 1.5}),
        json!({"type": "sow", "pit": "1"}),
        json!({"type": "sow", "pit": 1, "dir": "sideways"}),
        json!({"type": "sow", "pit": 1, "dir": null}),
        json!({"type": "sow", "pit": 1, "by": "south"}),
        json!({"type": "koneeza", "pit": 1, "dir": "forward"}),
        json!({"type": "direction"}),
        json!({"type": "direction", "dir": "forward", "pit": 1}),
        json!({"type": "arrange", "pits": [-1]}),
        json!({"type": "strip", "take": [[1]]}),
        json!({"type": "strip", "take": [[1, 1, 1]]}),
        json!({"type": "strip", "take": [[1, -1]]}),
        json!({"type": "lottery", "to": "east"}),
        json!({"type": "lose_turn", "pit": 1}),
        json!({"type": "resign"}),
    ]
}

fn mover(position: &Value) -> &'static str {
    if position["to_move"] == "south" {
        "south"
    } else {
        "north"
    }
}

fn other(position: &Value) -> &'static str {
    if position["to_move"] == "south" {
        "north"
    } else {
        "south"
    }
}

fn numbers(list: &Value) -> Vec<u64> {
    let numbers = list.as_array().unwrap().iter();
    numbers.map(|number| number.as_u64().unwrap()).collect()
}
