//! The socket as an AsyncAPI document.

use super::{VERSION, examples, paragraph, schemas};
use crate::{CloseCode, SUBPROTOCOL, all_codes, limits};
use serde_json::{Map, Value, json};

const FORMAT: &str = "application/schema+json;version=draft-2020-12";

/// What a client says, and what the server answers.
const ANSWERS: [(&str, &[&str]); 15] = [
    ("hello", &["welcome", "bye"]),
    ("join", &["joined", "refused"]),
    ("leave", &["left", "refused"]),
    ("act", &["done", "refused"]),
    ("preview", &["previewed", "refused"]),
    ("propose", &["done", "refused"]),
    ("vote", &["done", "refused"]),
    ("team", &["done", "refused"]),
    ("ask", &["done", "refused"]),
    ("listen", &["talk", "refused"]),
    ("unlisten", &["noted", "refused"]),
    ("say", &["noted", "refused"]),
    ("moderate", &["noted", "refused"]),
    ("report", &["noted", "refused"]),
    ("ping", &["pong"]),
];

/// What the server says unasked.
const UNASKED: [&str; 9] = [
    "event",
    "legal",
    "presence",
    "joined",
    "invited",
    "team_challenge",
    "said",
    "talk_changed",
    "bye",
];

/// The socket as an AsyncAPI 3 document.
///
/// ```
/// let document = mancala_protocol::documents::asyncapi();
/// assert_eq!(document["asyncapi"], "3.0.0");
/// ```
#[must_use]
pub fn asyncapi() -> Value {
    let schemas = in_their_places(schemas::of_the_socket("/components/schemas"));
    let mut messages = Map::new();
    for (side, name) in [("client", "ClientMessage"), ("server", "ServerMessage")] {
        messages.extend(messages_of(side, &schemas[name]["schema"]));
    }
    let in_channel = messages.keys().map(|name| {
        let reference = reference(&format!("/components/messages/{name}"));
        (name.clone(), reference)
    });
    let in_channel: Map<String, Value> = in_channel.collect();
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Mancala: the socket",
            "version": VERSION,
            "description": description(),
            "license": { "name": "MIT" }
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": { "host": "127.0.0.1:7070", "protocol": "ws" }
        },
        "channels": {
            "socket": {
                "address": "/ws",
                "title": "The socket",
                "description": paragraph(&format!(
                    "Text frames, each one message in JSON. The client asks for the subprotocol \
                     `{SUBPROTOCOL}` and greets with `hello` within {} seconds.",
                    limits::HELLO_SECONDS_MAX
                )),
                "messages": in_channel,
                "bindings": {
                    "ws": {
                        "method": "GET",
                        "headers": {
                            "type": "object",
                            "properties": {
                                "Sec-WebSocket-Protocol": { "type": "string", "const": SUBPROTOCOL }
                            }
                        }
                    }
                }
            }
        },
        "operations": operations(),
        "components": { "messages": messages, "schemas": schemas },
        "x-codes": all_codes(),
        "x-close-codes": close_codes()
    })
}

fn description() -> String {
    paragraph(
        "Matches of five African mancalas over a WebSocket. The document speaks from the \
         server's side: what it receives, clients send. What it all means is told in \
         protocol.md; positions and actions in rules.md. Clients ignore fields they do not \
         know, and count events of a kind they do not know without acting on them. `x-codes` \
         lists the codes of `refused` and `bye`, `x-close-codes` the numbers with which \
         sockets are closed.",
    )
}

/// Schemas of a draft other than AsyncAPI's own say so, and stand one step deeper.
fn in_their_places(schemas: Map<String, Value>) -> Map<String, Value> {
    schemas
        .into_iter()
        .map(|(name, mut schema)| {
            deepen(&mut schema);
            (name, with_format(schema))
        })
        .collect()
}

fn with_format(schema: Value) -> Value {
    json!({ "schemaFormat": FORMAT, "schema": schema })
}

fn deepen(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(target) if key == "$ref" => target.push_str("/schema"),
                    other => deepen(other),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(deepen),
        _ => {}
    }
}

/// The messages of one side, one for each variant of its schema.
fn messages_of(side: &str, schema: &Value) -> Map<String, Value> {
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    variants
        .filter_map(|variant| {
            let name = variant["properties"]["type"]["const"].as_str()?;
            let examples: Vec<Value> = examples::named(&format!("{side}.{name}"))
                .filter(|(rest, _)| rest.is_empty() || rest.starts_with('.'))
                .map(|(rest, payload)| {
                    let kind = rest.strip_prefix('.').unwrap_or(name);
                    json!({ "name": kind, "payload": payload })
                })
                .collect();
            let message = json!({
                "name": name,
                "title": name,
                "summary": variant["description"],
                "contentType": "application/json",
                "payload": with_format(variant.clone()),
                "examples": examples
            });
            Some((name.to_owned(), message))
        })
        .collect()
}

fn operations() -> Map<String, Value> {
    let channel = || reference("/channels/socket");
    let messages = |names: &[&str]| -> Vec<Value> {
        names
            .iter()
            .map(|name| reference(&format!("/channels/socket/messages/{name}")))
            .collect()
    };
    let asked = ANSWERS.iter().map(|(name, answers)| {
        let operation = json!({
            "action": "receive",
            "title": name,
            "channel": channel(),
            "messages": messages(&[*name]),
            "reply": { "channel": channel(), "messages": messages(answers) }
        });
        (format!("receive_{name}"), operation)
    });
    let unasked = UNASKED.iter().map(|name| {
        let operation = json!({
            "action": "send",
            "title": name,
            "channel": channel(),
            "messages": messages(&[*name])
        });
        (format!("send_{name}"), operation)
    });
    asked.chain(unasked).collect()
}

fn close_codes() -> Vec<Value> {
    CloseCode::ALL
        .iter()
        .map(|code| json!({ "number": code.number(), "resume": code.may_resume() }))
        .collect()
}

fn reference(pointer: &str) -> Value {
    json!({ "$ref": format!("#{pointer}") })
}
