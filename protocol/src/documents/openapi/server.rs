//! About the server itself.

use super::super::operation::{Operation, text};
use crate::Code;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/openapi.json": { "get": get_openapi() },
        "/api/v1/openapi.html": { "get": get_openapi_page() },
        "/healthz": { "get": get_healthz() },
        "/readyz": { "get": get_readyz() }
    })
}

fn get_openapi() -> Value {
    let document = json!({
        "description": "The document.",
        "content": {
            "application/json": {
                "schema": { "type": "object", "required": ["openapi", "info", "paths"] }
            }
        }
    });
    Operation {
        id: "getOpenapi",
        tag: "server",
        summary: "This document",
        description: "REST for programs, in OpenAPI 3.1.",
        success: (200, document),
        codes: &[Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

fn get_openapi_page() -> Value {
    let page = text("The page.", "text/html", "<!doctype html>");
    Operation {
        id: "getOpenapiPage",
        tag: "server",
        summary: "This document as a page",
        description: "The same for people. It loads nothing else, so it can be kept as a file.",
        success: (200, page),
        codes: &[Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

fn get_healthz() -> Value {
    Operation {
        id: "getHealth",
        tag: "server",
        summary: "Does the process run?",
        description: "For whoever would start it anew if it did not.",
        success: (200, text("It does.", "text/plain", "ok\n")),
        ..Operation::default()
    }
    .into_value()
}

fn get_readyz() -> Value {
    Operation {
        id: "getReadiness",
        tag: "server",
        summary: "Does the server take moves?",
        description: "For whoever would send people elsewhere if it did not.",
        success: (200, text("It does.", "text/plain", "ok\n")),
        codes: &[Code::ShuttingDown, Code::StorageUnavailable],
        ..Operation::default()
    }
    .into_value()
}
