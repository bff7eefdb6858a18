//! For whoever runs the server.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked};
use super::{limit_of_lines, shared_parameter};
use crate::Code;
use mancala_play::Refusal;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/admin/matches/{match}/end": {
            "parameters": [shared_parameter("match")],
            "post": post_end()
        },
        "/api/admin/matches/{match}/remove-line": {
            "parameters": [shared_parameter("match")],
            "post": post_remove_line()
        },
        "/api/admin/matches/{match}/clear-talk": {
            "parameters": [shared_parameter("match")],
            "post": post_clear_talk()
        },
        "/api/admin/reports": { "get": get_reports() }
    })
}

fn post_end() -> Value {
    Operation {
        id: "endMatch",
        tag: "host",
        summary: "End a match",
        description: "From outside, as it cannot end by itself. Everybody who sees the match is \
                      told as what and why: its reason is `administrator`, or `aborted`. There \
                      is no way back.",
        who: Who::Host,
        body: Some(asked(
            "EndMatch",
            &[
                ("won", "Won by a side", example("rest.end_match")),
                (
                    "aborted",
                    "As if it had never begun",
                    json!({ "as": "aborted", "note": "Both asked for it." }),
                ),
            ],
        )),
        success: (200, answer("The match.", "MatchView", "rest.match_view")),
        codes: &[
            Code::BadMessage,
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::Forbidden,
            Code::NoSuchMatch,
            Code::TooLarge,
            Code::SetAside,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        refusals: &[Refusal::MatchOver],
        ..Operation::default()
    }
    .into_value()
}

/// What everybody may be refused who asks as the host.
const HOSTING: &[Code] = &[
    Code::BadMessage,
    Code::TwoTokens,
    Code::SignInNeeded,
    Code::BadToken,
    Code::BadOrigin,
    Code::Forbidden,
    Code::StorageUnavailable,
    Code::TimedOut,
];

fn get_reports() -> Value {
    let before = json!({
        "name": "before",
        "in": "query",
        "required": false,
        "description": "`next` of the page before; left out, it is the first page.",
        "schema": { "type": "integer", "minimum": 0, "maximum": i64::MAX },
        "example": 3
    });
    Operation {
        id: "listReports",
        tag: "host",
        summary: "Read what was reported",
        description: "Lines of talk that somebody has reported, newest first, a page at a time, \
                      each with the ten before it, as they stood when it was reported.",
        who: Who::Host,
        parameters: vec![before, limit_of_lines()],
        success: (
            200,
            answer("A page of it.", "ReportList", "rest.report_list"),
        ),
        codes: HOSTING,
        ..Operation::default()
    }
    .into_value()
}

fn post_remove_line() -> Value {
    Operation {
        id: "removeLine",
        tag: "host",
        summary: "Remove a line of talk",
        description: "Takes its text away; its number stays. Those who listen are told. What was \
                      reported keeps it.",
        who: Who::Host,
        body: Some(asked(
            "RemoveLine",
            &[("one", "Line 7", example("rest.remove_line"))],
        )),
        success: (204, json!({ "description": "It is removed." })),
        codes: &[
            Code::BadMessage,
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::Forbidden,
            Code::NoSuchMatch,
            Code::NoSuchRoom,
            Code::NoSuchLine,
            Code::TooLarge,
            Code::SetAside,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

fn post_clear_talk() -> Value {
    Operation {
        id: "clearTalk",
        tag: "host",
        summary: "Delete all talk of a match",
        description: "Of all its rooms, with who said it. Those who listen are told, and lines \
                      are numbered anew. Who may not speak may not yet, and what was reported \
                      stays. There is no way back.",
        who: Who::Host,
        success: (204, json!({ "description": "It is deleted." })),
        codes: &[
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::Forbidden,
            Code::NoSuchMatch,
            Code::SetAside,
            Code::ShuttingDown,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}
