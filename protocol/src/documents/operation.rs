//! An operation of REST, before it is JSON: what it takes and everything that may come
//! back.

use super::examples::example;
use super::paragraph;
use crate::Code;
use crate::rest::REFUSED;
use mancala_play::Refusal;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Who may ask for something.
#[derive(Clone, Copy, Default)]
pub(super) enum Who {
    /// Anyone.
    #[default]
    Anyone,
    /// Whoever has a token.
    SignedIn,
    /// Somebody who runs the server.
    Host,
}

/// An operation.
#[derive(Default)]
pub(super) struct Operation<'a> {
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) who: Who,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    /// What comes back where all goes well.
    pub(super) success: (u16, Value),
    /// Why it may not go well, beside a fault of the server.
    pub(super) codes: &'a [Code],
    /// Why the match may refuse it.
    pub(super) refusals: &'static [Refusal],
}

impl Operation<'_> {
    pub(super) fn into_value(self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "description": paragraph(self.description),
            "responses": self.responses()
        });
        if !self.parameters.is_empty() {
            operation["parameters"] = self.parameters.into();
        }
        if let Some(body) = self.body {
            operation["requestBody"] = body;
        }
        match self.who {
            Who::Anyone => {}
            Who::SignedIn => operation["security"] = json!([{ "token": [] }, { "cookie": [] }]),
            Who::Host => operation["security"] = json!([{ "host": [] }]),
        }
        operation
    }

    /// The success, and each error under its status.
    fn responses(&self) -> Value {
        let own = self.codes.iter().chain(&[Code::Internal]);
        let own = own.map(|code| (code.status(), code.as_str(), code.to_string()));
        let refusals = self.refusals.iter();
        let of_match = refusals.map(|refusal| (REFUSED, refusal.code(), refusal.to_string()));
        let mut by_status: BTreeMap<u16, Vec<(&str, String)>> = BTreeMap::new();
        for (status, code, detail) in own.chain(of_match) {
            by_status.entry(status).or_default().push((code, detail));
        }
        let problems = by_status
            .iter()
            .map(|(status, codes)| (status.to_string(), problem(*status, codes)));
        let (status, success) = &self.success;
        let mut responses: Map<String, Value> = problems.collect();
        responses.insert(status.to_string(), success.clone());
        responses.into()
    }
}

/// What a request is sent with; each example has its summary and the name of its golden
/// file, or the body itself.
pub(super) fn asked(schema: &str, examples: &[(&str, &str, Value)]) -> Value {
    let examples: Map<String, Value> = examples
        .iter()
        .map(|(name, summary, value)| {
            let example = json!({ "summary": summary, "value": value });
            ((*name).to_owned(), example)
        })
        .collect();
    json!({
        "required": true,
        "content": { "application/json": { "schema": schema_of(schema), "examples": examples } }
    })
}

/// A body in JSON that comes back, with its golden file as an example.
pub(super) fn answer(description: &str, schema: &str, golden: &str) -> Value {
    json!({
        "description": description,
        "content": {
            "application/json": { "schema": schema_of(schema), "example": example(golden) }
        }
    })
}

/// A text that comes back.
pub(super) fn text(description: &str, media_type: &str, example: &str) -> Value {
    json!({
        "description": description,
        "content": { media_type: { "schema": { "type": "string" }, "example": example } }
    })
}

/// Nothing comes back but that it is done.
pub(super) fn done(description: &str) -> Value {
    json!({ "description": description })
}

/// A header that always comes back.
pub(super) fn header(description: &str, schema: &Value, example: impl Into<Value>) -> Value {
    json!({
        "description": paragraph(description),
        "required": true,
        "schema": schema,
        "example": example.into()
    })
}

pub(super) fn schema_of(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn problem(status: u16, codes: &[(&str, String)]) -> Value {
    let reasons = codes
        .iter()
        .map(|(code, detail)| format!("- `{code}`: {detail}"));
    let examples = codes.iter().map(|(code, detail)| {
        let value = json!({
            "type": "about:blank",
            "title": phrase(status),
            "status": status,
            "code": code,
            "detail": detail
        });
        ((*code).to_owned(), json!({ "value": value }))
    });
    let mut problem = json!({
        "description": reasons.collect::<Vec<_>>().join("\n"),
        "content": {
            "application/problem+json": {
                "schema": schema_of("Problem"),
                "examples": examples.collect::<Map<_, _>>()
            }
        }
    });
    if status == 401 {
        let schema = json!({ "type": "string", "const": "Bearer" });
        let header = header("How to say who one is.", &schema, "Bearer");
        problem["headers"] = json!({ "WWW-Authenticate": header });
    }
    if status == 503 {
        let schema = json!({ "type": "integer", "minimum": 1 });
        let header = header("When to try again, in seconds.", &schema, 1);
        problem["headers"] = json!({ "Retry-After": header });
    }
    problem
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
        413 => "Payload Too Large",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
