//! What clients may send in error or in malice: it is refused, and nothing worse happens.

use crate::golden::golden;
use mancala_protocol::rest::{EndMatch, NewGuest, NewMatch, TakeSeat};
use mancala_protocol::{ClientMessage, NewTeams, limits};
use serde_json::{Value, json};

fn client_messages() -> Vec<(String, Value)> {
    let files = golden().into_iter();
    files
        .filter(|(name, _)| name.starts_with("client."))
        .map(|(name, text)| (name, serde_json::from_str(&text).unwrap()))
        .collect()
}

fn is_read(message: &Value) -> bool {
    serde_json::from_str::<ClientMessage>(&message.to_string()).is_ok()
}

#[test]
fn unknown_fields_are_refused() {
    for (name, message) in client_messages() {
        assert!(is_read(&message), "{name}");
        for (field, value) in [("more", json!(1)), ("seq", json!(null)), ("Id", json!(1))] {
            let mut message = message.clone();
            message[field] = value;
            assert!(!is_read(&message), "{name} with {field}");
        }
    }
    for bad in [r#"{"name":"Ann","x":1}"#, r#"{"name":1}"#, "[]", "null"] {
        assert!(serde_json::from_str::<NewGuest>(bad).is_err(), "{bad}");
    }
    for bad in [
        r#"{"game":"urim","clock":1}"#,
        r#"{"game":"urim","colour":1}"#,
        r#"{"game":"omweso","way":"bulijo"}"#,
        r#"{"game":"urim","rated":"yes"}"#,
        r#"{"game":"urim","start":[]}"#,
        r#"{"game":"urim","clock":{"type":"untimed","type":"untimed"}}"#,
        "{}",
        r#"{"game":"urim","seat":"east"}"#,
    ] {
        assert!(serde_json::from_str::<NewMatch>(bad).is_err(), "{bad}");
    }
    for bad in [r#"{"side":"south","x":1}"#, r#"{"side":0}"#, "{}"] {
        assert!(serde_json::from_str::<TakeSeat>(bad).is_err(), "{bad}");
    }
    let long = format!(r#"{{"as":"drawn","note":"{}"}}"#, "a".repeat(1_001));
    for bad in [
        r#"{"as":"drawn","note":"So it is.","x":1}"#,
        r#"{"as":"drawn"}"#,
        r#"{"note":"So it is."}"#,
        r#"{"as":"won","note":"So it is."}"#,
        r#"{"as":"drawn","note":""}"#,
        r#"{"as":"drawn","note":"a\nb"}"#,
        r#"{"as":"drawn","note":5}"#,
        &long,
        "{}",
    ] {
        assert!(serde_json::from_str::<EndMatch>(bad).is_err(), "{bad}");
    }
}

/// Each field takes values of its own type only.
#[test]
fn wrong_types_are_refused() {
    let wrong = [
        json!(true),
        json!(-1),
        json!(1.5),
        json!({ "a": 1 }),
        json!([[1]]),
        json!("\u{0}"),
    ];
    for (name, message) in client_messages() {
        for field in message.as_object().unwrap().keys() {
            for value in &wrong {
                // A token or a program's name may be any text.
                if value.is_string() && ["token", "client"].contains(&field.as_str()) {
                    continue;
                }
                let mut message = message.clone();
                message[field] = value.clone();
                assert!(!is_read(&message), "{name} with {field} {value}");
            }
            let mut without = message.clone();
            without.as_object_mut().unwrap().remove(field);
            let may_lack = ["id", "token", "client", "since", "after"].contains(&field.as_str())
                || (name == "client.ask" && field == "number");
            assert_eq!(is_read(&without), may_lack, "{name} without {field}");
        }
    }
}

/// What is said is one line of some length; a room has one of three names. What people cannot see
/// is read here, as it is from old logs: the server looks at that.
#[test]
fn what_is_said_is_a_line_in_a_room() {
    let say = |room: &str, text: &str| json!({ "type": "say", "match": "k3J9sPq0Zx", "room": room, "text": text, "key": "k" });
    for text in ["a", " ", "a\u{202e}b", &"\u{1f600}".repeat(200)] {
        assert!(is_read(&say("north", text)), "{text:?}");
    }
    for text in [
        "",
        "a\nb",
        "a\u{1b}[2J",
        "\u{85}",
        &"a".repeat(1_001),
        &"a".repeat(10_000),
    ] {
        assert!(!is_read(&say("public", text)), "{text:?}");
    }
    for room in ["", "east", "Public", "public ", "team"] {
        assert!(!is_read(&say(room, "a")), "{room:?}");
    }
    let moderate = |what: Value| json!({ "type": "moderate", "match": "k3J9sPq0Zx", "room": "south", "what": what });
    assert!(is_read(&moderate(
        json!({ "type": "unmute_person", "person": 2 })
    )));
    for what in [
        json!({ "type": "mute" }),
        json!({ "type": "mute", "person": 2 }),
        json!({ "type": "mute", "line": 2, "person": 2 }),
        json!({ "type": "remove", "line": -1 }),
        json!({ "type": "ban", "line": 1 }),
        json!({ "type": "close", "line": 1 }),
        json!("close"),
        json!(["close"]),
    ] {
        assert!(!is_read(&moderate(what.clone())), "{what}");
    }
}

/// An object is not a list of its values, and a word is not an object.
#[test]
fn other_forms_that_serde_knows_are_refused() {
    let ask = json!({ "type": "ask", "match": "k3J9sPq0Zx", "what": "abort", "key": "k" });
    assert!(is_read(&ask));
    for what in [json!({ "abort": null }), json!(["abort"]), json!(5)] {
        let mut ask = ask.clone();
        ask["what"] = what;
        assert!(!is_read(&ask), "{ask}");
    }
    let team =
        json!({ "type": "team", "match": "k3J9sPq0Zx", "what": { "type": "leave" }, "key": "k" });
    assert!(is_read(&team));
    for what in [json!(["leave"]), json!({ "type": "leave", "person": 1 })] {
        let mut team = team.clone();
        team["what"] = what;
        assert!(!is_read(&team), "{team}");
    }
    for list in [
        json!(["ping"]),
        json!(["ping", 3]),
        json!("ping"),
        json!(null),
    ] {
        assert!(!is_read(&list), "{list}");
    }
    for bad in [r#"["south"]"#, r#"{"side":{"south":null}}"#] {
        assert!(serde_json::from_str::<TakeSeat>(bad).is_err(), "{bad}");
    }
    for bad in [
        r#"["drawn","So it is."]"#,
        r#"{"as":{"drawn":null},"note":"So it is."}"#,
        r#"{"as":"drawn","note":["So it is."]}"#,
    ] {
        assert!(serde_json::from_str::<EndMatch>(bad).is_err(), "{bad}");
    }
    let seat = r#"{"game":"urim","seat":{"south":null}}"#;
    let access = r#"{"game":"urim","access":{"link":null}}"#;
    for bad in [seat, access, r#"["urim"]"#] {
        assert!(serde_json::from_str::<NewMatch>(bad).is_err(), "{bad}");
    }
}

/// A field that is left out is not there: `null` is no value, as the schemas say.
#[test]
fn null_is_not_left_out() {
    for (name, message) in client_messages() {
        for field in message.as_object().unwrap().keys() {
            let mut message = message.clone();
            message[field] = Value::Null;
            assert!(!is_read(&message), "{name} with {field}");
        }
    }
    assert!(serde_json::from_str::<NewGuest>(r#"{"name":null}"#).is_err());
    let fields = [
        "options", "format", "access", "seat", "preview", "clock", "way", "rated", "start",
    ];
    for field in fields {
        let text = json!({ "game": "urim", field: null }).to_string();
        assert!(serde_json::from_str::<NewMatch>(&text).is_err(), "{text}");
    }
    let text = r#"{"side":"south","secret":null}"#;
    assert!(serde_json::from_str::<TakeSeat>(text).is_err());
}

/// For JSON Schema 6.0 is an integer, and so it is in options.
#[test]
fn a_whole_number_with_a_fraction_is_an_integer_in_options() {
    let text = r#"{"game":"nsolo","options":{"columns":9.0,"a":-2.0,"b":0.5,"c":1e300}}"#;
    let wanted: NewMatch = serde_json::from_str(text).unwrap();
    let options = json!({ "columns": 9, "a": -2, "b": 0.5, "c": 1e300 });
    assert_eq!(wanted.options, Some(options));
    // However deep it stands.
    let text = r#"{"game":"nsolo","teams":{"seats":{"south":9.0},"list":[1.0,0.5]}}"#;
    let wanted: NewMatch = serde_json::from_str(text).unwrap();
    let teams = json!({ "seats": { "south": 9 }, "list": [1, 0.5] });
    assert_eq!(wanted.teams, Some(teams));
}

/// A field that stands twice is not read as one or the other.
#[test]
fn a_field_twice_is_refused() {
    for (name, message) in client_messages() {
        for (field, value) in message.as_object().unwrap() {
            let text = message.to_string();
            let twice = format!("{},\"{field}\":{value}}}", text.strip_suffix('}').unwrap());
            assert!(
                serde_json::from_str::<ClientMessage>(&twice).is_err(),
                "{name}: {twice}"
            );
        }
    }
}

/// How a team decides is read as strictly as a clock: also deep in a body no field stands twice, and
/// none that is not known.
#[test]
fn how_a_team_decides_is_read_strictly() {
    let read = |decides: &str| {
        let text = format!(
            r#"{{"game":"urim","teams":{{"seats":{{"south":2,"north":2}},"decides":{decides}}}}}"#
        );
        let wanted = serde_json::from_str::<NewMatch>(&text).ok()?;
        serde_json::from_value::<NewTeams>(wanted.teams?).ok()
    };
    for decides in [
        r#"{"type":"first"}"#,
        r#"{"type":"rotation"}"#,
        r#"{"type":"captain"}"#,
        r#"{"type":"vote","window":9}"#,
        r#"{"window":9.0,"type":"vote"}"#,
    ] {
        assert!(read(decides).is_some(), "{decides}");
    }
    for decides in [
        r#"{"type":"first","type":"vote","window":9}"#,
        r#"{"type":"captain","foo":[1]}"#,
        r#"{"type":"rotation","window":9}"#,
        r#"{"type":"vote","window":9,"foo":1}"#,
        r#"{"type":"vote","window":9,"window":10}"#,
        r#"{"type":"vote"}"#,
        r#"["vote",9]"#,
        r#""first""#,
    ] {
        assert!(read(decides).is_none(), "{decides}");
    }
}

#[test]
fn depth_and_size_do_no_harm() {
    let depth = limits::CLIENT_FRAME_BYTES_MAX;
    let digits = "9".repeat(1_000);
    let texts = [
        "[".repeat(depth),
        "{\"a\":".repeat(depth / 5),
        format!(r#"{{"type":"ping","id":{}"#, "[".repeat(depth)),
        format!(r#"{{"type":"ping","id":{digits}}}"#),
        format!(r#"{{"type":"ping","id":1e{digits}}}"#),
        format!(r#"{{"type":"ping","id":-{digits}}}"#),
        r#"{"type":"ping","id":4294967296}"#.to_owned(),
        r#"{"type":"ping","id":1e999}"#.to_owned(),
        r#"{"type":"join","match":"k3J9sPq0Z\u0000"}"#.to_owned(),
        r#"{"type":"join","match":"kéJ9sPq0Z"}"#.to_owned(),
        "\u{feff}{\"type\":\"ping\"}".to_owned(),
        r#"{"type":"ping"} {}"#.to_owned(),
        String::new(),
    ];
    for text in texts {
        let read = serde_json::from_str::<ClientMessage>(&text);
        assert!(read.is_err(), "{}", &text[..text.len().min(60)]);
    }
    // Numbers of an action may be of any size: the rules answer them.
    let action = format!(
        r#"{{"type":"act","match":"k3J9sPq0Zx","number":1,"key":"k","actions":[{{"type":"sow","pit":{digits}}}]}}"#
    );
    assert!(serde_json::from_str::<ClientMessage>(&action.replace(&digits, "99999999999")).is_ok());
    assert!(serde_json::from_str::<ClientMessage>(&action.replace(&digits, "-1")).is_err());
    // Beyond what a float can hold it is no JSON number for us.
    assert!(serde_json::from_str::<ClientMessage>(&action).is_err());
}
