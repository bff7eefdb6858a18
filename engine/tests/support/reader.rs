//! A reader of traces that knows no rules, and no type of the engine: what a client in
//! another language would write. All it knows is the walk round the board.

use serde_json::{Value, json};

/// Where a lap goes after the last pit of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Four rows: on at the same side's pit 0.
    OneSide,
    /// Two rows: on at the other side's pit 0.
    BothSides,
}

/// The position after a trace, from the position before it.
pub fn read(before: &Value, trace: &Value, walk: Walk) -> Value {
    let mut position = before.clone();
    for step in trace["steps"].as_array().unwrap() {
        move_seeds(&mut position, step, walk);
    }
    for part in ["standing", "extra"] {
        for (name, value) in trace[part].as_object().unwrap() {
            position[name] = value.clone();
        }
    }
    position
}

fn move_seeds(position: &mut Value, step: &Value, walk: Walk) {
    match text(&step["type"]) {
        "lap" => sow(position, step, walk),
        "capture" => {
            let taken = take(position, text(&step["side"]), &step["pits"]);
            if step["to"] == "store" {
                add(&mut position["stores"][text(&step["by"])], taken);
            }
        }
        "strip" => {
            let by = text(&step["by"]);
            let taken = take(position, other(by), &step["pits"]);
            add(&mut position["stores"][by], taken);
        }
        "koneeza" => {
            let pits = &mut position["pits"][text(&step["side"])];
            pits[index(&step["pit"])] = json!(0);
            for drop in step["drops"].as_array().unwrap() {
                add(&mut pits[index(&drop[0])], number(&drop[1]));
            }
        }
        "arrange" => position["pits"][text(&step["side"])] = step["pits"].clone(),
        "sweep" => {
            let from = text(&step["from"]);
            if let Some(pits) = position["pits"].get_mut(from) {
                let pits = pits.as_array_mut().unwrap();
                let swept: u64 = pits.iter().map(number).sum();
                assert_eq!(swept, number(&step["seeds"]), "{step}");
                pits.fill(json!(0));
            }
            if let Some(side) = step["to"].as_str() {
                add(&mut position["stores"][side], number(&step["seeds"]));
            }
        }
        "turn" | "extra_turn" | "pass" | "lost_turn" | "choice" | "over" => {}
        unknown => panic!("unknown step {unknown}"),
    }
}

fn sow(position: &mut Value, lap: &Value, walk: Walk) {
    let (mut side, mut pit) = (text(&lap["side"]), index(&lap["pit"]));
    if lap["lifted"] == true {
        assert_eq!(position["pits"][side][pit], lap["seeds"], "{lap}");
        position["pits"][side][pit] = json!(0);
    }
    let mut passed = lap["passed"].as_array().unwrap().iter().peekable();
    for fallen in 0..number(&lap["sown"]) {
        loop {
            let pits = position["pits"][side].as_array().unwrap().len();
            (side, pit) = match (lap["dir"] == "forward", walk) {
                (true, _) if pit + 1 < pits => (side, pit + 1),
                (false, _) if pit > 0 => (side, pit - 1),
                (true, Walk::OneSide) => (side, 0),
                (true, Walk::BothSides) => (other(side), 0),
                (false, Walk::OneSide) => (side, pits - 1),
                (false, Walk::BothSides) => (other(side), pits - 1),
            };
            let here = json!({"after": fallen, "place": {"side": side, "pit": pit}});
            if passed.next_if(|&next| *next == here).is_none() {
                break;
            }
        }
        add(&mut position["pits"][side][pit], 1);
    }
    assert!(passed.next().is_none(), "{lap}");
    assert_eq!(lap["end"], json!({"side": side, "pit": pit}), "{lap}");
}

/// Takes seeds out of pits, which must hold them.
fn take(position: &mut Value, side: &str, pits: &Value) -> u64 {
    let mut taken = 0;
    for pair in pits.as_array().unwrap() {
        let held = &mut position["pits"][side][index(&pair[0])];
        *held = json!(number(held).checked_sub(number(&pair[1])).unwrap());
        taken += number(&pair[1]);
    }
    taken
}

/// Whose turn it is, which one and what is due, from what the steps announce alone.
pub fn narrated(before: &Value, trace: &Value) -> Value {
    let mut side = text(&before["to_move"]);
    let mut turn = number(&before["turn"]);
    let mut phase = before["phase"].clone();
    let mut arranging = false;
    for step in trace["steps"].as_array().unwrap() {
        let play = json!({"kind": "play"});
        match text(&step["type"]) {
            "arrange" => arranging = true,
            "turn" if arranging => {
                // Not a turn yet; and who arranges next is seen from the pits.
                side = text(&step["side"]);
                phase = trace["standing"]["phase"].clone();
            }
            "turn" => {
                assert_ne!(step["side"], side);
                (side, turn, phase) = (other(side), turn + 1, play);
            }
            "extra_turn" => {
                assert_eq!(step["side"], side);
                (turn, phase) = (turn + 1, play);
            }
            "pass" | "lost_turn" => {
                assert_eq!(step["side"], side);
                (side, turn, phase) = (other(side), turn + 1, play);
            }
            "choice" => phase = step["phase"].clone(),
            "over" => {
                phase = step["outcome"].clone();
                phase["kind"] = json!("over");
            }
            _ => {}
        }
    }
    json!({"to_move": side, "turn": turn, "phase": phase})
}

/// The checksum of a position: CRC-32, bit by bit, over its pits, stores and side to move.
pub fn checksum(position: &Value) -> u32 {
    let list = |numbers: &Value| numbers.to_string().replace(['[', ']'], "");
    let (pits, stores) = (&position["pits"], &position["stores"]);
    let text = format!(
        "{}|{}|{},{}|{}",
        list(&pits["south"]),
        list(&pits["north"]),
        stores["south"],
        stores["north"],
        text(&position["to_move"])
    );
    !text.bytes().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ ((crc & 1) * 0xedb8_8320)
        })
    })
}

fn add(seeds: &mut Value, more: u64) {
    *seeds = json!(number(seeds) + more);
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn index(value: &Value) -> usize {
    number(value) as usize
}

fn other(side: &str) -> &'static str {
    if side == "south" { "north" } else { "south" }
}
