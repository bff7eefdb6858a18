//! The documents in `proto-docs` are those that the types give, and hold together.

use crate::golden::{golden, word_of};
use crate::random_match::{RandomMatch, all_agreed};
use mancala_engine::record::Record;
use mancala_play::Control;
use mancala_protocol::{ServerMessage, documents};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto-docs");

fn documents() -> BTreeMap<String, Value> {
    documents::files().into_iter().collect()
}

/// What a comment has beside, an example that runs, is for those who read Rust.
#[test]
fn no_description_has_code_in_it() {
    let mut places = Vec::new();
    for (name, document) in documents() {
        let mut rest = vec![&document];
        while let Some(value) = rest.pop() {
            match value {
                Value::Object(fields) => {
                    let description = fields.get("description").and_then(Value::as_str);
                    if description.is_some_and(|text| text.contains("```")) {
                        places.push((name.clone(), description.map(str::to_owned)));
                    }
                    rest.extend(fields.values());
                }
                Value::Array(list) => rest.extend(list),
                _ => {}
            }
        }
    }
    assert_eq!(places, []);
    assert!(!documents::openapi_page().contains("```"));
}

/// With `UPDATE=1` in the environment the files are written instead.
#[test]
fn the_files_are_those_that_the_types_give() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut names = BTreeSet::new();
    let texts = documents().into_iter().map(|(name, document)| {
        (
            name,
            serde_json::to_string_pretty(&document).unwrap() + "\n",
        )
    });
    let page = ("openapi.html".to_owned(), documents::openapi_page());
    for (name, text) in texts.chain([page]) {
        let path = Path::new(DOCS).join(&name);
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "proto-docs/{name} is not what the types give; \
             `UPDATE=1 cargo test -p mancala-protocol --test wire` writes it"
        );
        names.insert(name);
    }
    for entry in std::fs::read_dir(Path::new(DOCS).join("schemas")).unwrap() {
        let name = entry.unwrap().file_name();
        let name = format!("schemas/{}", name.to_str().unwrap());
        assert!(names.contains(&name), "proto-docs/{name} is no longer made");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for (name, document) in documents() {
        let mut references = 0;
        each_object(&document, &mut |object| {
            if let Some(reference) = object.get("$ref") {
                let pointer = reference.as_str().unwrap().strip_prefix('#');
                let target = document.pointer(pointer.unwrap());
                assert!(target.is_some(), "{name}: {reference}");
                references += 1;
            }
        });
        let flat = [
            "schemas/come-to-team.json",
            "schemas/new-captain.json",
            "schemas/new-guest.json",
            "schemas/new-standing-team.json",
            "schemas/problem.json",
            "schemas/team-link.json",
        ];
        assert!(references > 0 || flat.contains(&name.as_str()), "{name}");
    }
}

fn each_object(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(object) => {
            visit(value);
            object.values().for_each(|value| each_object(value, visit));
        }
        Value::Array(list) => list.iter().for_each(|value| each_object(value, visit)),
        _ => {}
    }
}

fn validator(schema: &Value) -> jsonschema::Validator {
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

/// The schema of a file with other words, such as `step.lap`.
fn schema_for(name: &str, documents: &BTreeMap<String, Value>) -> Value {
    let word = word_of(name);
    let (kind, rest) = word.split_once('.').unwrap();
    let file = match kind {
        "client" => "client-message".to_owned(),
        "rest" => rest.replace('_', "-"),
        _ => "server-message".to_owned(),
    };
    let schema = documents[&format!("schemas/{file}.json")].clone();
    let part = match kind {
        "step" => "Step",
        "action" => "Action",
        _ => return schema,
    };
    json!({
        "$schema": schema["$schema"],
        "$ref": format!("#/$defs/{part}"),
        "$defs": schema["$defs"]
    })
}

#[test]
fn golden_files_fit_their_schemas() {
    let documents = documents();
    for (name, text) in golden() {
        let value: Value = serde_json::from_str(&text).unwrap();
        let schema = validator(&schema_for(&name, &documents));
        if let Err(error) = schema.validate(&value) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
        // What is not an object is none of these.
        assert!(!schema.is_valid(&json!([value])), "{name}");
    }
}

/// A schema of what clients send refuses what the reader refuses.
#[test]
fn schemas_of_clients_are_strict() {
    let documents = documents();
    for (name, text) in golden() {
        let asked = [
            "rest.end_match",
            "rest.new_guest",
            "rest.new_match",
            "rest.remove_line",
            "rest.take_seat",
        ];
        if !name.starts_with("client.") && !asked.contains(&name.as_str()) {
            continue;
        }
        let schema = validator(&schema_for(&name, &documents));
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut more = value.clone();
        more["more"] = 1.into();
        assert!(!schema.is_valid(&more), "{name}");
        for field in value.as_object().unwrap().keys() {
            let mut other = value.clone();
            other[field] = json!({ "a": -1 });
            assert!(!schema.is_valid(&other), "{name} {field}");
        }
    }
}

/// The schema of a clock knows the same bounds as its reader.
#[test]
fn a_clock_has_the_bounds_of_its_schema() {
    let schema = validator(&documents()["schemas/new-match.json"]);
    let per_move = |seconds| json!({ "type": "per_move", "seconds": seconds, "out": "loses_turn" });
    let byo_yomi = |main, period, periods| json!({ "type": "byo_yomi", "main": main, "period": period, "periods": periods });
    let fischer = |initial, increment| json!({ "type": "fischer", "initial": initial, "increment": increment });
    let mut clocks = vec![json!({ "type": "untimed" }), json!({ "type": "hourglass" })];
    clocks.push(json!({ "type": "per_move", "seconds": 3, "out": "loses_match" }));
    clocks.extend([-1, 0, 1, 3_600, 3_601].map(per_move));
    clocks.extend([-1, 0, 1, 10_800, 10_801].map(|initial| fischer(initial, 1)));
    clocks.extend([-1, 0, 1, 180, 181].map(|increment| fischer(1, increment)));
    clocks.extend([-1, 0, 1, 10_800, 10_801].map(|main| byo_yomi(main, 1, 1)));
    clocks.extend([-1, 0, 1, 3_600, 3_601].map(|period| byo_yomi(1, period, 1)));
    clocks.extend([-1, 0, 1, 25, 26].map(|periods| byo_yomi(1, 1, periods)));
    let days = |days| json!({ "type": "correspondence", "days": days });
    clocks.extend([-1, 0, 1, 14, 15].map(days));
    for clock in clocks {
        let fits = schema.is_valid(&json!({ "game": "urim", "clock": clock }));
        let reads = serde_json::from_value::<Control>(clock.clone()).is_ok();
        assert_eq!(fits, reads, "{clock}");
    }
}

/// Whatever comes up in random matches fits the schemas too.
#[test]
fn frames_of_random_matches_fit_the_schema() {
    let documents = documents();
    let schema = validator(&documents["schemas/server-message.json"]);
    let view = validator(&documents["schemas/match-view.json"]);
    for spec in all_agreed() {
        let mut played = RandomMatch::of(spec, 3);
        while let Some(batch) = played.step() {
            for frame in &batch.frames {
                let frame = serde_json::to_value(frame).unwrap();
                assert!(schema.is_valid(&frame), "{frame}");
            }
            for frame in played.legal() {
                let frame = serde_json::to_value(frame).unwrap();
                assert!(schema.is_valid(&frame), "{frame}");
            }
            let value = serde_json::to_value(&batch.view).unwrap();
            assert!(view.is_valid(&value), "{value}");
        }
    }
}

#[test]
fn openapi_holds_together() {
    let document = documents::openapi();
    let mut ids = BTreeSet::new();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if method == "parameters" {
                continue;
            }
            operations += 1;
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{id} stands twice");
            assert!(operation["summary"].is_string(), "{id}");
            let tag = &operation["tags"][0];
            let mut tags = document["tags"].as_array().unwrap().iter();
            assert!(tags.any(|known| known["name"] == *tag), "{id}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(
                responses.keys().any(|status| status.starts_with('2')),
                "{id}"
            );
            for (status, response) in responses {
                assert!(response["description"].is_string(), "{id} {status}");
                check_problems(id, status, response);
            }
            check_parameters(&document, path, item, operation);
            for requirement in operation["security"].as_array().into_iter().flatten() {
                for scheme in requirement.as_object().unwrap().keys() {
                    assert!(document["components"]["securitySchemes"][scheme].is_object());
                }
            }
        }
    }
    assert_eq!(operations, 36);
    check_examples(&document);
}

/// Each part of the path in braces is a parameter, and each parameter has an example that
/// fits its schema.
fn check_parameters(document: &Value, path: &str, item: &Value, operation: &Value) {
    let mut of_path = BTreeSet::new();
    let lists = [&item["parameters"], &operation["parameters"]];
    for parameter in lists.iter().flat_map(|list| list.as_array()).flatten() {
        let parameter = match parameter["$ref"].as_str() {
            Some(pointer) => document.pointer(&pointer[1..]).unwrap(),
            None => parameter,
        };
        let name = parameter["name"].as_str().unwrap();
        if parameter["in"] == "path" {
            of_path.insert(format!("{{{name}}}"));
        }
        assert!(parameter["description"].is_string(), "{path} {name}");
        check_example(document, &parameter["schema"], &parameter["example"], name);
    }
    let in_braces = path.split('/').filter(|part| part.starts_with('{'));
    assert_eq!(of_path, in_braces.map(str::to_owned).collect(), "{path}");
}

/// An example fits the schema beside it, wherever in the document that leads.
fn check_example(document: &Value, schema: &Value, example: &Value, what: &str) {
    let schema = json!({ "allOf": [schema], "components": document["components"] });
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    assert!(schema.is_valid(example), "{what}: {example}");
}

/// Examples of problems have the status and the code under which they stand.
fn check_problems(id: &str, status: &str, response: &Value) {
    let content = &response["content"]["application/problem+json"];
    let Some(examples) = content["examples"].as_object() else {
        return;
    };
    for (code, example) in examples {
        let problem = &example["value"];
        assert_eq!(problem["code"], **code, "{id}");
        assert_eq!(problem["status"].to_string(), status, "{id} {code}");
        assert!(
            response["description"]
                .as_str()
                .unwrap()
                .contains(code.as_str())
        );
        assert!(
            mancala_protocol::all_codes().contains_key(code.as_str()),
            "{id} {code}"
        );
    }
}

/// Every example that stands beside a schema fits it, and each schema of a body, parameter
/// or header has one, but for that of the document itself.
fn check_examples(document: &Value) {
    let mut checked = 0;
    let mut without = 0;
    each_object(document, &mut |object| {
        let schema = &object["schema"];
        if !schema.is_object() {
            return;
        }
        let listed = object["examples"].as_object().into_iter().flatten();
        let listed: Vec<&Value> = listed.map(|(_, example)| &example["value"]).collect();
        for example in listed.iter().copied().chain(object.get("example")) {
            check_example(document, schema, example, &schema.to_string());
            checked += 1;
        }
        without += u32::from(listed.is_empty() && object.get("example").is_none());
    });
    assert!(checked > 60, "only {checked}");
    assert_eq!(without, 1);
}

/// The texts that stand as examples are what they are said to be.
#[test]
fn openapi_texts_can_be_read() {
    let document = documents::openapi();
    let example = |name: &str, media_type: &str| {
        let operation = &document["paths"][format!("/api/v1/matches/{{match}}/{name}")]["get"];
        let example = &operation["responses"]["200"]["content"][media_type]["example"];
        example.as_str().unwrap().to_owned()
    };
    let record = example("record", "text/plain");
    let parsed: Record = record.parse().unwrap();
    assert_eq!(parsed.to_string(), record);
    assert!(parsed.check().first_fault().is_none());
    let log = example("log", "application/x-ndjson");
    let mut next = 3;
    for line in log.lines() {
        let frame: ServerMessage = serde_json::from_str(line).unwrap();
        assert!(
            matches!(frame, ServerMessage::Event { seq, .. } if seq == next),
            "{line}"
        );
        next += 1;
    }
    assert_eq!(next, 6);
}

/// The page loads nothing, has everything that the document has, and each link within it
/// leads somewhere.
#[test]
fn the_page_is_whole_and_loads_nothing() {
    let page = documents::openapi_page();
    for word in [
        "<script",
        "<link",
        "<img",
        "src=",
        "url(",
        "@import",
        "http-equiv",
        "<base",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    let ids: Vec<&str> = quoted_after(&page, " id=\"");
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id stands twice");
    for target in quoted_after(&page, "href=\"") {
        let known = target
            .strip_prefix('#')
            .is_some_and(|id| unique.contains(id));
        assert!(known || target == "openapi.json", "{target}");
    }
    let document = documents::openapi();
    for name in document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
    {
        let shown = unique.contains(name.as_str());
        let of_request = [
            "ComeToTeam",
            "EndMatch",
            "NewCaptain",
            "NewGuest",
            "NewInvitation",
            "NewLink",
            "NewStandingTeam",
            "NewTeamChallenge",
            "RemoveLine",
            "TakeSeat",
        ]
        .contains(&name.as_str());
        assert_ne!(shown, of_request, "{name}");
    }
    for (_, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "delete"] {
            if let Some(id) = item[method]["operationId"].as_str() {
                assert!(unique.contains(id), "{id}");
            }
        }
    }
    each_object(&document["paths"], &mut |object| {
        for code in object["examples"]
            .as_object()
            .into_iter()
            .flat_map(|codes| codes.keys())
        {
            let known = mancala_protocol::all_codes().contains_key(code.as_str());
            assert!(
                !known || page.contains(&format!("<code>{code}</code>")),
                "{code}"
            );
        }
    });
}

fn quoted_after<'a>(page: &'a str, opening: &str) -> Vec<&'a str> {
    let pieces = page.split(opening).skip(1);
    pieces.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn asyncapi_holds_together() {
    let document = documents::asyncapi();
    let messages = document["components"]["messages"].as_object().unwrap();
    let channel = document["channels"]["socket"]["messages"]
        .as_object()
        .unwrap();
    assert!(messages.keys().eq(channel.keys()));
    let mut used = BTreeSet::new();
    for (name, operation) in document["operations"].as_object().unwrap() {
        let receives = operation["action"] == "receive";
        assert!(receives || operation["action"] == "send", "{name}");
        assert_eq!(receives, operation["reply"].is_object(), "{name}");
        let own = operation["messages"].as_array().unwrap();
        let reply = operation["reply"]["messages"].as_array();
        for message in own.iter().chain(reply.into_iter().flatten()) {
            let pointer = message["$ref"].as_str().unwrap();
            used.insert(pointer.rsplit('/').next().unwrap().to_owned());
        }
    }
    assert!(used.iter().eq(messages.keys()), "{used:?}");
    for (name, message) in messages {
        let mut schema = message["payload"]["schema"].clone();
        schema["components"] = document["components"].clone();
        let schema = jsonschema::draft202012::new(&schema).unwrap();
        let examples = message["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "{name}");
        for example in examples {
            assert!(schema.is_valid(&example["payload"]), "{name}: {example}");
        }
        assert!(message["summary"].is_string(), "{name}");
    }
    let event = messages["event"]["examples"].as_array().unwrap();
    let kinds = event.iter().map(|event| event["payload"]["kind"].as_str());
    let kinds: BTreeSet<Option<&str>> = kinds.collect();
    assert_eq!(kinds.len(), 17, "one of each kind at least");
}
