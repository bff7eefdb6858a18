//! What is said in matches.

use super::super::operation::{Operation, answer, schema_of};
use super::{limit_of_lines, shared_parameter};
use crate::Code;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/matches/{match}/talk": {
            "parameters": [shared_parameter("match")],
            "get": get_talk()
        }
    })
}

fn get_talk() -> Value {
    let room = json!({
        "name": "room",
        "in": "query",
        "required": true,
        "description": "The room: `public`, or in a match of teams `south` or `north`.",
        "schema": schema_of("Room"),
        "example": "public"
    });
    let after = json!({
        "name": "after",
        "in": "query",
        "required": false,
        "description": "`next` of the page before, or the number of the last line one has.",
        "schema": { "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": 0 },
        "example": 7
    });
    Operation {
        id: "getTalk",
        tag: "matches",
        summary: "Read what was said",
        description: "In a room of the match, oldest first, a page at a time. The public one is \
                      for everybody; a team's is for its members, with the token, until they \
                      have published it. Parameters that are not known are refused.",
        parameters: vec![room, after, limit_of_lines()],
        success: (200, answer("A page of it.", "TalkPage", "rest.talk_page")),
        codes: &[
            Code::BadMessage,
            Code::TwoTokens,
            Code::BadToken,
            Code::NotYourRoom,
            Code::NoSuchMatch,
            Code::NoSuchRoom,
            Code::SetAside,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}
