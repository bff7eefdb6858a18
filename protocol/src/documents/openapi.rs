//! REST as an OpenAPI document.

use super::examples::example;
use super::{VERSION, paragraph, schemas};
use crate::rest::REFUSED;
use crate::{Code, limits};
use mancala_play::{Key, Refusal};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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
            "description": paragraph(
                "Guests, matches and records. Matches are played over the socket `/ws`, which \
                 asyncapi.json describes; protocol.md tells how it all goes together. Every \
                 error is a problem (RFC 9457) whose `code` programs may rely on.",
            ),
            "license": { "name": "MIT", "identifier": "MIT" }
        },
        "servers": [{ "url": "http://127.0.0.1:7070" }],
        "tags": [
            { "name": "people", "description": "Who one is." },
            { "name": "matches", "description": "Making, finding and reading matches." },
            { "name": "server", "description": "About the server itself." }
        ],
        "paths": {
            "/api/v1/guests": { "post": post_guests() },
            "/api/v1/me": { "get": get_me() },
            "/api/v1/matches": { "post": post_matches(), "get": get_matches() },
            "/api/v1/matches/{match}": {
                "parameters": [match_parameter()],
                "get": get_match()
            },
            "/api/v1/matches/{match}/seats": {
                "parameters": [match_parameter()],
                "post": post_seats()
            },
            "/api/v1/matches/{match}/record": {
                "parameters": [match_parameter()],
                "get": get_record()
            },
            "/api/v1/matches/{match}/log": {
                "parameters": [match_parameter()],
                "get": get_log()
            },
            "/api/v1/openapi.json": { "get": get_openapi() },
            "/healthz": { "get": get_healthz() },
            "/readyz": { "get": get_readyz() }
        },
        "components": {
            "schemas": schemas::of_rest("/components/schemas"),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a guest. Programs use it."
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "mancala_token",
                    "description": "The same token, for browsers."
                }
            }
        }
    })
}

fn post_guests() -> Value {
    let mut created = body("The guest.", "Guest", "rest.guest");
    created["headers"] = json!({
        "Set-Cookie": {
            "description": "`mancala_token`, for browsers: HttpOnly, SameSite=Lax.",
            "schema": { "type": "string" }
        }
    });
    Operation {
        id: "makeGuest",
        tag: "people",
        summary: "Become a guest",
        description: "The token is shown this once; the server keeps only its hash.",
        success: (201, created),
        codes: &[
            Code::BadMessage,
            Code::BadOrigin,
            Code::TooLarge,
            Code::TooFast,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .with_body("NewGuest", "rest.new_guest")
}

fn get_me() -> Value {
    Operation {
        id: "getMe",
        tag: "people",
        summary: "Who am I",
        signed_in: true,
        success: (200, body("Who one is.", "Player", "rest.player")),
        codes: &[
            Code::SignInNeeded,
            Code::BadToken,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

fn post_matches() -> Value {
    let mut created = body("The match.", "MatchMade", "rest.match_made");
    created["headers"] = json!({
        "Location": {
            "description": "Where the match is: `/api/v1/matches/` and its name.",
            "schema": { "type": "string" }
        }
    });
    let key = json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": paragraph(&format!(
            "The client's own name for this request. Sent again with the same body within {} \
             hours, it gets the same answer and no second match is made.",
            limits::IDEMPOTENCY_HOURS
        )),
        "schema": {
            "type": "string",
            "pattern": format!("^[0-9A-Za-z_-]{{1,{}}}$", Key::LENGTH_MAX)
        }
    });
    Operation {
        id: "makeMatch",
        tag: "matches",
        summary: "Make a match",
        description: "It begins when both seats are taken. The secret of a match by link is \
                      shown this once.",
        signed_in: true,
        parameters: vec![key],
        success: (201, created),
        codes: &[
            Code::BadMessage,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::TooLarge,
            Code::BadOptions,
            Code::KeyReused,
            Code::TooFast,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .with_body("NewMatch", "rest.new_match")
}

fn get_matches() -> Value {
    let after = json!({
        "name": "after",
        "in": "query",
        "required": false,
        "description": "`next` of the page before.",
        "schema": { "type": "string" }
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
        }
    });
    Operation {
        id: "listMatches",
        tag: "matches",
        summary: "Public matches that are not over, newest first",
        parameters: vec![after, limit],
        success: (200, body("A page of them.", "MatchList", "rest.match_list")),
        codes: &[Code::BadMessage, Code::StorageUnavailable, Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

/// Why a match cannot be read.
const READING: &[Code] = &[
    Code::NoSuchMatch,
    Code::SetAside,
    Code::StorageUnavailable,
    Code::Busy,
    Code::TimedOut,
];

fn get_match() -> Value {
    Operation {
        id: "getMatch",
        tag: "matches",
        summary: "A match as it stands",
        description: "Whoever knows the name of a match may watch it, one by link too.",
        success: (200, body("The match.", "MatchView", "rest.match_view")),
        codes: READING,
        ..Operation::default()
    }
    .into_value()
}

fn post_seats() -> Value {
    Operation {
        id: "takeSeat",
        tag: "matches",
        summary: "Take a free seat",
        description: "The second seat taken begins the match; the lot says which side begins.",
        signed_in: true,
        success: (200, body("The match.", "MatchView", "rest.match_view")),
        codes: &[
            Code::BadMessage,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::BadSecret,
            Code::NoSuchMatch,
            Code::TooLarge,
            Code::TooFast,
            Code::SetAside,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        refusals: &[
            Refusal::SeatTaken,
            Refusal::AlreadySeated,
            Refusal::MatchOver,
        ],
        ..Operation::default()
    }
    .with_body("TakeSeat", "rest.take_seat")
}

fn get_record() -> Value {
    let record = text(
        "The record, as records.md describes it.",
        "text/plain",
        Value::Null,
    );
    Operation {
        id: "getRecord",
        tag: "matches",
        summary: "The record of a match, as far as it has gone",
        success: (200, record),
        codes: READING,
        ..Operation::default()
    }
    .into_value()
}

fn get_log() -> Value {
    let lines = ["seated", "game_began", "acted"]
        .map(|kind| example(&format!("server.event.{kind}")).to_string());
    let log = text(
        "One `event` frame of the socket a line, from the first one on.",
        "application/x-ndjson",
        (lines.join("\n") + "\n").into(),
    );
    Operation {
        id: "getLog",
        tag: "matches",
        summary: "All events of a match, as far as it has gone",
        success: (200, log),
        codes: READING,
        ..Operation::default()
    }
    .into_value()
}

fn get_openapi() -> Value {
    let document = json!({
        "description": "The document.",
        "content": { "application/json": { "schema": { "type": "object" } } }
    });
    Operation {
        id: "getOpenapi",
        tag: "server",
        summary: "This document",
        success: (200, document),
        ..Operation::default()
    }
    .into_value()
}

fn get_healthz() -> Value {
    Operation {
        id: "getHealth",
        tag: "server",
        summary: "Does the process run?",
        success: (200, json!({ "description": "It does." })),
        ..Operation::default()
    }
    .into_value()
}

fn get_readyz() -> Value {
    Operation {
        id: "getReadiness",
        tag: "server",
        summary: "Does the server take commands?",
        success: (200, json!({ "description": "It does." })),
        codes: &[Code::ShuttingDown, Code::StorageUnavailable],
        ..Operation::default()
    }
    .into_value()
}

/// An operation, before it is JSON.
#[derive(Default)]
struct Operation {
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    description: &'static str,
    /// Does it need a token?
    signed_in: bool,
    parameters: Vec<Value>,
    success: (u16, Value),
    codes: &'static [Code],
    refusals: &'static [Refusal],
}

impl Operation {
    fn with_body(self, schema: &str, name: &str) -> Value {
        let mut operation = self.into_value();
        operation["requestBody"] = json!({
            "required": true,
            "content": json_content(schema, name)
        });
        operation
    }

    fn into_value(self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "responses": responses(self.success, self.codes, self.refusals)
        });
        if !self.description.is_empty() {
            operation["description"] = self.description.into();
        }
        if !self.parameters.is_empty() {
            operation["parameters"] = self.parameters.into();
        }
        if self.signed_in {
            operation["security"] = json!([{ "token": [] }, { "cookie": [] }]);
        }
        operation
    }
}

fn match_parameter() -> Value {
    json!({
        "name": "match",
        "in": "path",
        "required": true,
        "description": "The short public name of the match.",
        "schema": { "$ref": "#/components/schemas/PublicId" }
    })
}

fn body(description: &str, schema: &str, name: &str) -> Value {
    json!({ "description": description, "content": json_content(schema, name) })
}

fn json_content(schema: &str, name: &str) -> Value {
    json!({
        "application/json": {
            "schema": { "$ref": format!("#/components/schemas/{schema}") },
            "example": example(name)
        }
    })
}

fn text(description: &str, media_type: &str, example: Value) -> Value {
    let mut content = json!({ "schema": { "type": "string" } });
    if !example.is_null() {
        content["example"] = example;
    }
    json!({ "description": description, "content": { media_type: content } })
}

/// What may come back: the success, each error under its status, and a fault.
fn responses((status, success): (u16, Value), codes: &[Code], refusals: &[Refusal]) -> Value {
    let mut by_status: BTreeMap<u16, Vec<(&str, String)>> = BTreeMap::new();
    let own = codes
        .iter()
        .map(|code| (code.status(), code.as_str(), code.to_string()));
    let of_matches = refusals
        .iter()
        .map(|refusal| (REFUSED, refusal.code(), refusal.to_string()));
    for (status, code, detail) in own.chain(of_matches) {
        by_status.entry(status).or_default().push((code, detail));
    }
    let mut responses = Map::new();
    responses.insert(status.to_string(), success);
    for (status, problems) in by_status {
        responses.insert(status.to_string(), problem(status, &problems));
    }
    let internal = Code::Internal;
    let fault = problem(
        internal.status(),
        &[(internal.as_str(), internal.to_string())],
    );
    responses.insert("default".to_owned(), fault);
    responses.into()
}

fn problem(status: u16, problems: &[(&str, String)]) -> Value {
    let examples: Map<String, Value> = problems
        .iter()
        .map(|(code, detail)| {
            let value = json!({
                "type": "about:blank",
                "title": phrase(status),
                "status": status,
                "code": code,
                "detail": detail
            });
            ((*code).to_owned(), json!({ "value": value }))
        })
        .collect();
    let codes: Vec<String> = problems
        .iter()
        .map(|(code, _)| format!("`{code}`"))
        .collect();
    json!({
        "description": codes.join(", "),
        "content": {
            "application/problem+json": {
                "schema": { "$ref": "#/components/schemas/Problem" },
                "examples": examples
            }
        }
    })
}

/// The reason phrase of a status that this protocol uses.
const fn phrase(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
