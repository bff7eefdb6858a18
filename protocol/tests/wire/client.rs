//! A client that knows JSON, the walk round a board and no rule: the reading that
//! `proto-docs/protocol.md` describes, once more in few lines.

use serde_json::{Value, json};

const SIDES: [&str; 2] = ["south", "north"];

fn other(side: &str) -> &'static str {
    if side == "south" { "north" } else { "south" }
}

/// The kinds of events that leave an offer as it is.
const LEAVES_OFFER: [&str; 6] = ["seated", "signed", "resumed", "counted", "gone", "back"];

/// Carries an event into a view.
pub(crate) fn fold(view: &mut Value, event: &Value) {
    assert_eq!(event["match"], view["match"]);
    let seq = view["seq"].as_u64().unwrap() + 1;
    assert_eq!(event["seq"], seq, "a gap");
    view["seq"] = seq.into();
    if let Some(number) = event.get("number").and_then(Value::as_u64) {
        assert_eq!(view["next_number"], number);
        view["next_number"] = (number + 1).into();
    }
    if let Some(score) = event.get("score") {
        view["score"] = score.clone();
    }
    let kind = event["kind"].as_str().unwrap();
    let side = event["side"].as_str().unwrap_or_default();
    if !LEAVES_OFFER.contains(&kind) {
        remove(view, "offer");
    }
    match kind {
        "seated" => view["players"][side] = event["player"].clone(),
        "signed" => view["signed"][side] = true.into(),
        "game_began" => {
            view["stage"] = "playing".into();
            view["game_number"] = event["game"].clone();
            take_position(view, event);
            if let Some(clocks) = event.get("clocks") {
                view["clocks"] = clocks.clone();
            }
            remove(view, "count");
        }
        "acted" => act(view, event),
        "taken_back" => {
            take_position(view, event);
            remove(view, "count");
        }
        "offered" => {
            assert_eq!(event["due"], view["next_number"]);
            view["offer"] = json!({ "side": side, "offer": event["offer"], "due": event["due"] });
        }
        "paused" => view["pause"] = event["why"].clone(),
        "resumed" | "game_ended" => remove(view, "pause"),
        "counted" => {
            assert_eq!(event["side"], view["position"]["to_move"]);
            view["count"] = event["count"].clone();
        }
        "gone" => {
            view["away"][side] = json!({ "how": event["how"], "grace_ms": event["grace_ms"] });
        }
        "back" => {
            remove(&mut view["away"], side);
            if view["away"] == json!({}) {
                remove(view, "away");
            }
        }
        "match_ended" => {
            view["stage"] = "over".into();
            let mut ended = json!({ "winner": event["winner"], "reason": event["reason"] });
            if let Some(note) = event.get("note") {
                ended["note"] = note.clone();
            }
            view["ended"] = ended;
            for field in ["pause", "count", "away"] {
                remove(view, field);
            }
            if let Some(clocks) = view.get_mut("clocks") {
                remove(clocks, "running");
            }
        }
        "rematched" => view["rematch"] = event["next"].clone(),
        "declined" | "time_given" => {}
        other => panic!("what is {other}?"),
    }
    if let Some(change) = event.get("clock") {
        change_clocks(view, change, kind);
    }
}

fn remove(object: &mut Value, field: &str) {
    object.as_object_mut().unwrap().remove(field);
}

fn take_position(view: &mut Value, event: &Value) {
    view["position"] = event["position"].clone();
    view["checksum"] = event["checksum"].clone();
}

fn change_clocks(view: &mut Value, change: &Value, kind: &str) {
    let to_move = view["position"]["to_move"].clone();
    let clocks = &mut view["clocks"];
    for side in SIDES {
        let entries = change.get(side).and_then(Value::as_object);
        for (why, value) in entries.into_iter().flatten() {
            if why == "periods" {
                clocks[side]["periods"] = value.clone();
            } else {
                let ms = value.as_i64().unwrap();
                add(&mut clocks[side]["ms"], ms);
                let ledger = clocks[side]["ledger"].as_object_mut().unwrap();
                let sum = ms + ledger.get(why).and_then(Value::as_i64).unwrap_or(0);
                ledger.insert(why.clone(), json!(sum));
                ledger.retain(|_, sum| *sum != json!(0));
            }
        }
    }
    if kind == "time_given" {
        return;
    }
    if change["stands"] == true {
        remove(clocks, "running");
    } else {
        clocks["running"] = to_move;
    }
}

/// A view without what goes by while nothing happens.
pub(crate) fn timeless(view: &Value) -> Value {
    let mut view = view.clone();
    if let Some(clocks) = view.get_mut("clocks") {
        remove(clocks, "elapsed_ms");
        clocks.as_object_mut().unwrap().remove("due_ms");
    }
    for side in SIDES {
        if let Some(away) = view.get_mut("away").and_then(|away| away.get_mut(side)) {
            remove(away, "grace_ms");
        }
    }
    view
}

fn act(view: &mut Value, event: &Value) {
    let rows = match view["game"].as_str().unwrap() {
        "anywoli" | "urim" => 1,
        _ => 2,
    };
    let position = &mut view["position"];
    let same_turn = ["turn", "to_move"]
        .iter()
        .all(|&field| position[field] == event[field]);
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
    if !same_turn {
        remove(view, "count");
    }
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
