//! A client that knows JSON, the walk round a board and no rule: the reading that
//! `proto-docs/protocol.md` describes, once more in few lines.

use serde_json::{Value, json};

const SIDES: [&str; 2] = ["south", "north"];

fn other(side: &str) -> &'static str {
    if side == "south" { "north" } else { "south" }
}

/// Carries an event into a view.
pub(crate) fn fold(view: &mut Value, event: &Value) {
    assert_eq!(event["match"], view["match"]);
    let seq = view["seq"].as_u64().unwrap() + 1;
    assert_eq!(event["seq"], seq, "a gap");
    view["seq"] = seq.into();
    let kind = event["kind"].as_str().unwrap();
    match kind {
        "seated" => {
            let side = event["side"].as_str().unwrap();
            view["players"][side] = event["player"].clone();
        }
        "game_began" => {
            view["stage"] = "playing".into();
            view["game_number"] = event["game"].clone();
            view["position"] = event["position"].clone();
            view["checksum"] = event["checksum"].clone();
        }
        "acted" => act(view, event),
        "draw_offered" => view["draw_offer"] = event["side"].clone(),
        "game_ended" => view["score"] = event["score"].clone(),
        "match_ended" => {
            view["stage"] = "over".into();
            view["score"] = event["score"].clone();
            view["ended"] = json!({ "winner": event["winner"], "reason": event["reason"] });
        }
        "draw_declined" => {}
        _ => return,
    }
    if let Some(number) = event.get("number").and_then(Value::as_u64) {
        assert_eq!(view["next_number"], number);
        view["next_number"] = (number + 1).into();
    }
    // An offer stands until something else happens in the game or to the match.
    if !["draw_offered", "seated"].contains(&kind) {
        view.as_object_mut().unwrap().remove("draw_offer");
    }
}

fn act(view: &mut Value, event: &Value) {
    let rows = match view["game"].as_str().unwrap() {
        "anywoli" | "urim" => 1,
        _ => 2,
    };
    let position = &mut view["position"];
    let to_move = event["to_move"].as_str().unwrap();
    let mover = event["side"].as_str().unwrap_or(to_move);
    for step in event["trace"].as_array().unwrap() {
        move_seeds(position, step, mover, rows);
    }
    for field in ["to_move", "turn", "quiet"] {
        position[field] = event[field].clone();
    }
    let play = || json!({ "kind": "play" });
    position["phase"] = event.get("phase").cloned().unwrap_or_else(play);
    for field in ["captured", "captures", "last_seed"] {
        if let Some(value) = event.get(field) {
            position[field] = value.clone();
        }
    }
    view["checksum"] = event["checksum"].clone();
    view["score"] = event["score"].clone();
}

fn add(value: &mut Value, seeds: i64) {
    *value = (value.as_i64().unwrap() + seeds).into();
}

/// A list of pairs of numbers.
fn pairs(value: &Value) -> Vec<(usize, i64)> {
    let pair = |pair: &Value| {
        (
            pair[0].as_u64().unwrap() as usize,
            pair[1].as_i64().unwrap(),
        )
    };
    value.as_array().unwrap().iter().map(pair).collect()
}

/// Moves seeds as a step says, on the position of a board with so many rows a side.
pub(crate) fn move_seeds(position: &mut Value, step: &Value, mover: &str, rows: usize) {
    let side = |field: &str, usual: &'static str| match step[field].as_str() {
        Some(side) => SIDES.into_iter().find(|&known| known == side).unwrap(),
        None => usual,
    };
    let mover = SIDES.into_iter().find(|&side| side == mover).unwrap();
    if let Some(lap) = step.get("lap") {
        sow(position, step, lap, side("side", mover), rows);
    } else if let Some(pits) = step.get("capture") {
        let (by, from) = (side("by", mover), side("from", other(mover)));
        for (pit, seeds) in pairs(pits) {
            add(&mut position["pits"][from][pit], -seeds);
            if step["hand"] != true {
                add(&mut position["stores"][by], seeds);
            }
        }
    } else if let Some(pits) = step.get("strip") {
        for (pit, seeds) in pairs(pits) {
            add(&mut position["pits"][other(mover)][pit], -seeds);
            add(&mut position["stores"][mover], seeds);
        }
    } else if let Some(pit) = step.get("koneeza") {
        position["pits"][mover][pit.as_u64().unwrap() as usize] = 0.into();
        for (pit, seeds) in pairs(&step["drops"]) {
            add(&mut position["pits"][mover][pit], seeds);
        }
    } else if let Some(pits) = step.get("arrange") {
        position["pits"][mover] = pits.clone();
    } else if let Some(from) = step.get("sweep") {
        if let Some(pits) = position["pits"].get_mut(from.as_str().unwrap()) {
            pits.as_array_mut().unwrap().fill(0.into());
        }
        if let Some(to) = step.get("to") {
            let seeds = step["seeds"].as_i64().unwrap();
            add(&mut position["stores"][to.as_str().unwrap()], seeds);
        }
    } else if let Some(pits) = step.get("pits") {
        position["pits"] = pits.clone();
        position["stores"] = step["stores"].clone();
    }
}

fn sow(position: &mut Value, step: &Value, lap: &Value, mut side: &'static str, rows: usize) {
    let mut pit = lap[0].as_u64().unwrap() as usize;
    let held = lap[1].as_u64().unwrap();
    if step["held"] != true {
        add(&mut position["pits"][side][pit], -(held as i64));
    }
    let size = position["pits"][side].as_array().unwrap().len();
    let none = Vec::new();
    let passed = step["passed"].as_array().unwrap_or(&none);
    let mut fallen = 0;
    while fallen < step["sown"].as_u64().unwrap_or(held) {
        let over_the_end = if step["reverse"] == true {
            pit == 0
        } else {
            pit + 1 == size
        };
        pit = if step["reverse"] == true {
            (pit + size - 1) % size
        } else {
            (pit + 1) % size
        };
        if over_the_end && rows == 1 {
            side = other(side);
        }
        if !passed.contains(&json!([fallen, side, pit])) {
            add(&mut position["pits"][side][pit], 1);
            fallen += 1;
        }
    }
    assert_eq!(
        pit as u64,
        lap[2].as_u64().unwrap(),
        "the lap ends elsewhere"
    );
}

/// The checksum of a position, as the wire writes it.
pub(crate) fn checksum(position: &Value) -> String {
    let numbers = |list: &[&Value]| {
        let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
        texts.join(",")
    };
    let pits = |side: &str| {
        let pits = position["pits"][side].as_array().unwrap();
        numbers(&pits.iter().collect::<Vec<_>>())
    };
    let stores = SIDES.map(|side| &position["stores"][side]);
    let to_move = position["to_move"].as_str().unwrap();
    let (south, north, stores) = (pits("south"), pits("north"), numbers(&stores));
    format!(
        "{:08x}",
        crc32(&format!("{south}|{north}|{stores}|{to_move}"))
    )
}

fn crc32(text: &str) -> u32 {
    let mut crc = !0_u32;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}
