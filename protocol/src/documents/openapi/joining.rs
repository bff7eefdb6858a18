//! How people come to matches.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked, done, schema_of};
use super::{NOT_FOR_YOU, shared_parameter};
use crate::Code;
use mancala_play::{Refusal, TeamRefusal};
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/me/invitations": { "get": get_invitations() },
        "/api/v1/matches/{match}/seats": {
            "parameters": [shared_parameter("match")],
            "post": post_seats()
        },
        "/api/v1/matches/{match}/links": {
            "parameters": [shared_parameter("match")],
            "post": post_links()
        },
        "/api/v1/matches/{match}/links/{side}": {
            "parameters": [shared_parameter("match"), side_parameter()],
            "delete": delete_links()
        },
        "/api/v1/matches/{match}/invitations": {
            "parameters": [shared_parameter("match")],
            "post": post_invitations()
        },
        "/api/v1/matches/{match}/invitations/{person}": {
            "parameters": [shared_parameter("match"), person_parameter()],
            "delete": delete_invitation()
        }
    })
}

fn post_seats() -> Value {
    Operation {
        id: "takeSeat",
        tag: "matches",
        summary: "Take a seat",
        description: "One that is free; of a match by link it takes the secret of the link, except \
                      from whoever made it or is invited to that side. Whoever made a match of \
                      teams puts others there, whom he names as `person`. The second seat taken begins the match, and the lot \
                      says which side begins. Sent again because the answer was lost, it is \
                      answered alike.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "TakeSeat",
            &[
                ("listed", "In a public match", json!({ "side": "north" })),
                ("by_link", "In a match by link", example("rest.take_seat")),
            ],
        )),
        success: (200, answer("The match.", "MatchView", "rest.match_view")),
        codes: &[
            Code::BadMessage,
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::BadOrigin,
            Code::BadSecret,
            Code::MembersOnly,
            Code::SlowDown,
            Code::NoSuchMatch,
            Code::NoSuchPerson,
            Code::TooLarge,
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
            NOT_FOR_YOU,
            Refusal::Team(TeamRefusal::AlreadyInTeam),
            Refusal::Team(TeamRefusal::WasInOtherTeam),
            Refusal::Team(TeamRefusal::TakenOut),
            Refusal::Team(TeamRefusal::WaitingFull),
            Refusal::Team(TeamRefusal::ArrivalsOver),
        ],
    }
    .into_value()
}

fn side_parameter() -> Value {
    json!({
        "name": "side",
        "in": "path",
        "required": true,
        "description": "The side.",
        "schema": schema_of("Side"),
        "example": "south"
    })
}

fn person_parameter() -> Value {
    json!({
        "name": "person",
        "in": "path",
        "required": true,
        "description": "The `id` of who is invited.",
        "schema": schema_of("PersonId"),
        "example": "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e"
    })
}

/// Why somebody may not bring people to a match, beside what is wrong with what he sent.
const BRINGING: &[Code] = &[
    Code::TwoTokens,
    Code::SignInNeeded,
    Code::BadToken,
    Code::BadOrigin,
    Code::NoSuchMatch,
    Code::SetAside,
    Code::ShuttingDown,
    Code::StorageUnavailable,
    Code::Busy,
    Code::TimedOut,
];

fn bringing(more: &[Code]) -> Vec<Code> {
    [BRINGING, more].concat()
}

fn post_links() -> Value {
    Operation {
        id: "makeLink",
        tag: "matches",
        summary: "Make a link to a side",
        description: "Whoever has its secret may come to that side of a match by link, and to \
                      no other. For whoever made the match, and for the captain of a team to \
                      his own. The secret is shown this once; sent again, it is another link.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewLink",
            &[("south", "To south", example("rest.new_link"))],
        )),
        success: (201, answer("The link.", "Link", "rest.link")),
        codes: &bringing(&[
            Code::BadMessage,
            Code::TooLarge,
            Code::Full,
            Code::MembersOnly,
        ]),
        refusals: &[NOT_FOR_YOU, Refusal::MatchOver],
    }
    .into_value()
}

fn delete_links() -> Value {
    Operation {
        id: "removeLinks",
        tag: "matches",
        summary: "Take the links to a side back",
        description: "All that were made to this side: they admit nobody any more. The link \
                      that was made with the match, which is to both sides, stays.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (204, done("They are forgotten.")),
        codes: &bringing(&[Code::NotFound]),
        refusals: &[NOT_FOR_YOU, Refusal::MatchOver],
        ..Operation::default()
    }
    .into_value()
}

fn post_invitations() -> Value {
    Operation {
        id: "invite",
        tag: "matches",
        summary: "Invite somebody",
        description: "He may come to that side without a link, and is told by `invited` on \
                      every socket of his. For whoever made the match, and for the captain of \
                      a team to his own. A second one for the same person takes the place of \
                      the first.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewInvitation",
            &[("south", "To south", example("rest.new_invitation"))],
        )),
        success: (
            201,
            answer("The invitation.", "Invitation", "rest.invitation"),
        ),
        codes: &bringing(&[
            Code::BadMessage,
            Code::TooLarge,
            Code::NoSuchPerson,
            Code::Full,
            Code::InvitedAlready,
            Code::SlowDown,
            Code::MembersOnly,
        ]),
        refusals: &[NOT_FOR_YOU, Refusal::MatchOver],
    }
    .into_value()
}

fn delete_invitation() -> Value {
    Operation {
        id: "uninvite",
        tag: "matches",
        summary: "Decline an invitation, or take it back",
        description: "Whoever is invited declines it; whoever may invite to that side takes it \
                      back. Where there is none, nothing happens.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (204, done("There is none now.")),
        codes: &bringing(&[Code::NoSuchPerson]),
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}

fn get_invitations() -> Value {
    Operation {
        id: "listInvitations",
        tag: "people",
        summary: "My invitations",
        description: "To matches that are not over, the newest first. One is accepted by taking \
                      a seat.",
        who: Who::SignedIn,
        success: (
            200,
            answer("All of them.", "InvitationList", "rest.invitation_list"),
        ),
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
