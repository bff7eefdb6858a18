//! Making, finding and reading matches.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked, header, text};
use super::super::paragraph;
use super::{page_parameters, shared_parameter};
use crate::{Code, limits};
use mancala_play::Key;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/matches": { "post": post_matches(), "get": get_matches() },
        "/api/v1/matches/{match}": {
            "parameters": [shared_parameter("match")],
            "get": get_match()
        },
        "/api/v1/matches/{match}/record": {
            "parameters": [shared_parameter("match")],
            "get": get_record()
        },
        "/api/v1/matches/{match}/log": {
            "parameters": [shared_parameter("match")],
            "get": get_log()
        }
    })
}

fn post_matches() -> Value {
    let place = header(
        "Where the match is.",
        &json!({ "type": "string", "pattern": "^/api/v1/matches/[0-9A-Za-z]{10}$" }),
        "/api/v1/matches/k3J9sPq0Zx",
    );
    let link = |operation: &str, description: &str| {
        json!({
            "operationId": operation,
            "parameters": { "match": "$response.body#/view/match" },
            "description": description
        })
    };
    let mut created = answer("The match.", "MatchMade", "rest.match_made");
    created["headers"] = json!({ "Location": place });
    created["links"] = json!({
        "match": link("getMatch", "The match as it stands."),
        "seats": link("takeSeat", "Its free seats."),
        "record": link("getRecord", "Its record."),
        "log": link("getLog", "Its events."),
        "talk": link("getTalk", "What is said.")
    });
    let key = json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": paragraph(&format!(
            "The client's own name for this request, a UUID say. Sent again with the same body \
             within {} hours, because the answer was lost, it gets the same match, and the \
             same secret, and no second match is made.",
            limits::IDEMPOTENCY_HOURS
        )),
        "schema": {
            "type": "string",
            "pattern": format!("^[0-9A-Za-z_-]{{1,{}}}$", Key::LENGTH_MAX)
        },
        "example": "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e"
    });
    Operation {
        id: "makeMatch",
        tag: "matches",
        summary: "Make a match",
        description: "It begins when both seats are taken, by contract when both sides have \
                      signed; whoever makes it may take one at once. The secret of a match by \
                      link is shown this once.",
        who: Who::SignedIn,
        parameters: vec![key, shared_parameter("origin")],
        body: Some(asked(
            "NewMatch",
            &[
                (
                    "by_link",
                    "With a friend, by link",
                    example("rest.new_match"),
                ),
                (
                    "listed",
                    "With anyone, by the standard options",
                    json!({ "game": "nsolo", "seat": "north" }),
                ),
                (
                    "for_others",
                    "Between two others",
                    json!({ "game": "omweso", "format": "first_to 6" }),
                ),
                (
                    "contract",
                    "Rated, three days a turn, by contract",
                    example("rest.new_match.timed"),
                ),
                (
                    "blitz",
                    "Omweso's blitz, which brings its clock",
                    json!({ "game": "omweso", "way": "blitz", "seat": "south" }),
                ),
            ],
        )),
        success: (201, created),
        codes: &[
            Code::BadMessage,
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::TooLarge,
            Code::BadOptions,
            Code::KeyReused,
            Code::SetAside,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

fn get_matches() -> Value {
    Operation {
        id: "listMatches",
        tag: "matches",
        summary: "List matches",
        description: "Public matches that are not over, newest first, a page at a time. Parameters \
                      that are not known are refused.",
        parameters: page_parameters(&example("rest.match_list")["next"]),
        success: (
            200,
            answer("A page of them.", "MatchList", "rest.match_list"),
        ),
        codes: &[Code::BadMessage, Code::StorageUnavailable, Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

fn get_match() -> Value {
    Operation {
        id: "getMatch",
        tag: "matches",
        summary: "See a match",
        description: "As it stands. Whoever knows the name of a match may watch it, one by link \
                      too.",
        success: (200, answer("The match.", "MatchView", "rest.match_view")),
        codes: &[
            Code::NoSuchMatch,
            Code::SetAside,
            Code::StorageUnavailable,
            Code::Busy,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

/// Why what was written down of a match cannot be read.
const READING: &[Code] = &[
    Code::NoSuchMatch,
    Code::SetAside,
    Code::StorageUnavailable,
    Code::TimedOut,
];

/// A match of Urim after its first turn.
const RECORD: &str = "\
[record \"1\"]
[game \"urim\"]
[format \"single\"]
[rules \"1\"]
[begins \"south\"]
[south \"Ann\"]
[north \"Ben\"]
[score \"0-0\"]
[result \"*\"]

game 1 south
1s. A5
*
";

fn get_record() -> Value {
    Operation {
        id: "getRecord",
        tag: "matches",
        summary: "Read a record",
        description: "The match as text for people and programs, as far as it has gone; its form \
                      is told in records.md.",
        success: (200, text("The record.", "text/plain", RECORD)),
        codes: READING,
        ..Operation::default()
    }
    .into_value()
}

fn get_log() -> Value {
    let lines = ["seated", "game_began", "acted"]
        .map(|kind| example(&format!("server.event.{kind}")).to_string() + "\n");
    Operation {
        id: "getLog",
        tag: "matches",
        summary: "Read the events",
        description: "All that has happened in the match, as far as it has gone: one `event` frame \
                      of the socket a line. The first has the `seq` 2; event 1 is that the \
                      match was made, and has no frame.",
        success: (
            200,
            text("The events.", "application/x-ndjson", &lines.concat()),
        ),
        codes: READING,
        ..Operation::default()
    }
    .into_value()
}
