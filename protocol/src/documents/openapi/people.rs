//! Who one is.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked, header};
use super::shared_parameter;
use crate::Code;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/guests": { "post": post_guests() },
        "/api/v1/me": { "get": get_me() }
    })
}

fn post_guests() -> Value {
    let cookie = header(
        "The token for browsers: `mancala_token`, HttpOnly, SameSite=Lax, and Secure where the \
         server is known by an address with https.",
        &json!({ "type": "string", "pattern": "^mancala_token=[0-9a-f]{64}; " }),
        "mancala_token=9f3c1a7e5b2d48f06a9c3e1d7b5f2048c6a1e9d3b7f5082461ce9a3d7f1b5e02; \
         Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000",
    );
    let mut created = answer("The guest.", "Guest", "rest.guest");
    created["headers"] = json!({ "Set-Cookie": cookie });
    Operation {
        id: "makeGuest",
        tag: "people",
        summary: "Become a guest",
        description: "A guest may make matches and take seats. The token is shown this once, and \
                      the server keeps only its hash; whoever has it is this guest. To watch \
                      and to read, nobody need be anyone.",
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewGuest",
            &[
                ("named", "With a name", example("rest.new_guest")),
                ("nameless", "Under a made-up name", json!({})),
            ],
        )),
        success: (201, created),
        codes: &[
            Code::BadMessage,
            Code::BadOrigin,
            Code::TooLarge,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

fn get_me() -> Value {
    Operation {
        id: "getMe",
        tag: "people",
        summary: "Who am I",
        description: "The guest whose token this is.",
        who: Who::SignedIn,
        success: (200, answer("Who one is.", "Me", "rest.me")),
        codes: &[
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}
