//! REST as an OpenAPI document.

mod challenges;
mod host;
mod joining;
mod matches;
mod people;
mod server;
mod talk;
mod teams;

use super::operation::schema_of;
use super::{VERSION, paragraph, schemas};
use crate::limits;
use mancala_play::{Refusal, TeamRefusal};
use serde_json::{Value, json};

/// REST as an OpenAPI 3.1 document.
///
/// ```
/// let document = mancala_protocol::documents::openapi();
/// assert_eq!(document["openapi"], "3.1.0");
/// ```
#[must_use]
pub fn openapi() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mancala: REST",
            "version": VERSION,
            "summary": "Guests, matches and records of a server for five African mancalas.",
            "description": description(),
            "license": { "name": "MIT", "identifier": "MIT" }
        },
        "servers": [
            { "url": "/", "description": "The server that gives out this document." },
            {
                "url": "http://127.0.0.1:7070",
                "description": "A server on one's own machine, started without any flags."
            }
        ],
        "tags": [
            { "name": "people", "description": "Who one is." },
            { "name": "teams", "description": "Teams that stand on their own." },
            { "name": "matches", "description": "Making, finding and reading matches." },
            { "name": "host", "description": "For whoever runs the server." },
            { "name": "server", "description": "About the server itself." }
        ],
        "paths": paths(),
        "components": {
            "schemas": schemas::of_rest("/components/schemas"),
            "parameters": { "match": match_parameter(), "origin": origin_parameter() },
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a guest, as programs send it: \
                                    `Authorization: Bearer TOKEN`. Beside the cookie of \
                                    another guest it is refused."
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "mancala_token",
                    "description": "The same token, as browsers send it. Where a request \
                                    changes something, it counts from this server's own \
                                    pages only: see the header `Origin`."
                },
                "host": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The `secret` in `host.json`, which a server that runs has \
                                    in its data folder, and which is another one after each \
                                    start: `Authorization: Bearer SECRET`. No cookie comes \
                                    beside it. `mancala admin` sends it by itself."
                }
            }
        }
    })
}

/// All paths, each from the file of what it is about.
fn paths() -> Value {
    let parts = [
        people::paths(),
        teams::paths(),
        challenges::paths(),
        matches::paths(),
        joining::paths(),
        talk::paths(),
        host::paths(),
        server::paths(),
    ];
    let entries = parts.into_iter().flat_map(|part| match part {
        Value::Object(entries) => entries,
        _ => serde_json::Map::new(),
    });
    Value::Object(entries.collect())
}

fn description() -> String {
    let paragraphs = [
        "Guests, matches and records. Matches are played over the socket at `/ws`, which \
         asyncapi.json describes; protocol.md tells how it all goes together.",
        "Every error is a problem (RFC 9457) in `application/problem+json`. Programs may rely \
         on its `code`; the sentence in `detail` is for people, and often says more than is shown \
         here.",
        "An address that is not described here is answered with 404 and `not_found`; another \
         method than those that an address has, with 405, `method_not_allowed` and the header \
         `Allow`. `HEAD` goes wherever `GET` does.",
        &format!(
            "Bodies are objects in JSON of at most {} bytes, sent with `Content-Type: \
             application/json`. They are read strictly: a field that is not known, or that is \
             `null` where it should be left out, makes a `bad_message`. Answers may get new \
             fields, which clients pass over, and there may be new codes.",
            limits::BODY_BYTES_MAX
        ),
    ];
    paragraphs.map(paragraph).join("\n\n")
}

fn shared_parameter(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

fn match_parameter() -> Value {
    json!({
        "name": "match",
        "in": "path",
        "required": true,
        "description": "The short public name of the match.",
        "schema": schema_of("PublicId"),
        "example": "k3J9sPq0Zx"
    })
}

fn origin_parameter() -> Value {
    json!({
        "name": "Origin",
        "in": "header",
        "required": false,
        "description": "The page that asks; browsers set it by themselves. It has to be this \
                        server's own, which `--public-url` names, where a cookie is sent or \
                        set. With a token in `Authorization` it does not matter.",
        "schema": { "type": "string" },
        "example": "http://127.0.0.1:7070"
    })
}

/// Where a page of a list begins, and how long it is.
fn page_parameters(next: &Value) -> Vec<Value> {
    let after = json!({
        "name": "after",
        "in": "query",
        "required": false,
        "description": "`next` of the page before; left out, it is the first page.",
        "schema": schema_of("Cursor"),
        "example": next
    });
    let limit = json!({
        "name": "limit",
        "in": "query",
        "required": false,
        "description": "How many matches at most.",
        "schema": {
            "type": "integer",
            "minimum": 1,
            "maximum": limits::MATCHES_A_PAGE_MAX,
            "default": limits::MATCHES_A_PAGE_MAX
        },
        "example": 20
    });
    vec![after, limit]
}

const NOT_FOR_YOU: Refusal = Refusal::Team(TeamRefusal::NotForYou);

fn limit_of_lines() -> Value {
    json!({
        "name": "limit",
        "in": "query",
        "required": false,
        "description": "How many at most.",
        "schema": {
            "type": "integer",
            "minimum": 1,
            "maximum": limits::TALK_LINES_A_PAGE_MAX,
            "default": limits::TALK_LINES_A_PAGE_MAX
        },
        "example": 20
    })
}
