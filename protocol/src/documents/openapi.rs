//! REST as an OpenAPI document.

use super::examples::example;
use super::operation::{Operation, Who, answer, asked, done, header, schema_of, text};
use super::{VERSION, paragraph, schemas};
use crate::{Code, limits};
use mancala_play::{Key, Refusal, TeamRefusal};
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
        "paths": {
            "/api/v1/guests": { "post": post_guests() },
            "/api/v1/me": { "get": get_me() },
            "/api/v1/me/invitations": { "get": get_invitations() },
            "/api/v1/me/teams": { "get": get_my_teams() },
            "/api/v1/teams": { "post": post_teams(), "get": get_teams() },
            "/api/v1/teams/{team}": {
                "parameters": [team_parameter()],
                "get": get_team()
            },
            "/api/v1/teams/{team}/link": {
                "parameters": [team_parameter()],
                "post": post_team_link(),
                "delete": delete_team_link()
            },
            "/api/v1/teams/{team}/members": {
                "parameters": [team_parameter()],
                "post": post_members()
            },
            "/api/v1/teams/{team}/members/{number}": {
                "parameters": [team_parameter(), number_parameter()],
                "delete": delete_member()
            },
            "/api/v1/teams/{team}/captain": {
                "parameters": [team_parameter()],
                "post": post_captain()
            },
            "/api/v1/matches": { "post": post_matches(), "get": get_matches() },
            "/api/v1/matches/{match}": {
                "parameters": [shared_parameter("match")],
                "get": get_match()
            },
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
            },
            "/api/v1/matches/{match}/record": {
                "parameters": [shared_parameter("match")],
                "get": get_record()
            },
            "/api/v1/matches/{match}/log": {
                "parameters": [shared_parameter("match")],
                "get": get_log()
            },
            "/api/v1/matches/{match}/talk": {
                "parameters": [shared_parameter("match")],
                "get": get_talk()
            },
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
            "/api/admin/reports": { "get": get_reports() },
            "/api/v1/openapi.json": { "get": get_openapi() },
            "/api/v1/openapi.html": { "get": get_openapi_page() },
            "/healthz": { "get": get_healthz() },
            "/readyz": { "get": get_readyz() }
        },
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

const NOT_FOR_YOU: Refusal = Refusal::Team(TeamRefusal::NotForYou);

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
        codes: &bringing(&[Code::BadMessage, Code::TooLarge, Code::Full]),
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

fn team_parameter() -> Value {
    json!({
        "name": "team",
        "in": "path",
        "required": true,
        "description": "The short public name of the team.",
        "schema": schema_of("PublicId"),
        "example": "k3J9sPq0Zx"
    })
}

fn number_parameter() -> Value {
    json!({
        "name": "number",
        "in": "path",
        "required": true,
        "description": "The number of the member.",
        "schema": { "type": "integer", "minimum": 1, "maximum": u32::MAX },
        "example": 2
    })
}

/// Why nothing is done about a team, beside what is wrong with what was sent.
const OF_TEAMS: &[Code] = &[
    Code::TwoTokens,
    Code::SignInNeeded,
    Code::BadToken,
    Code::BadOrigin,
    Code::StorageUnavailable,
    Code::TimedOut,
];

fn of_teams(more: &[Code]) -> Vec<Code> {
    [OF_TEAMS, more].concat()
}

fn post_teams() -> Value {
    let place = header(
        "Where the team is.",
        &json!({ "type": "string", "pattern": "^/api/v1/teams/[0-9A-Za-z]{10}$" }),
        "/api/v1/teams/k3J9sPq0Zx",
    );
    let mut created = answer("The team.", "StandingTeam", "rest.standing_team");
    created["headers"] = json!({ "Location": place });
    Operation {
        id: "foundTeam",
        tag: "teams",
        summary: "Found a team",
        description: "Whoever founds it is its captain. It has no link yet. Sent again, it is \
                      answered with `name_taken`.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewStandingTeam",
            &[("team", "A team", example("rest.new_standing_team"))],
        )),
        success: (201, created),
        codes: &of_teams(&[
            Code::BadMessage,
            Code::TooLarge,
            Code::NameTaken,
            Code::Full,
        ]),
        ..Operation::default()
    }
    .into_value()
}

fn get_teams() -> Value {
    let mut parameters = page_parameters(&example("rest.match_list")["next"]);
    parameters[1]["description"] = "How many teams at most.".into();
    Operation {
        id: "listTeams",
        tag: "teams",
        summary: "List teams",
        description: "The newest first, a page at a time.",
        parameters,
        success: (
            200,
            answer(
                "A page of them.",
                "StandingTeamList",
                "rest.standing_team_list",
            ),
        ),
        codes: &[Code::BadMessage, Code::StorageUnavailable, Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

fn get_my_teams() -> Value {
    Operation {
        id: "listMyTeams",
        tag: "teams",
        summary: "My teams",
        description: "All that one is in, the newest first.",
        who: Who::SignedIn,
        success: (
            200,
            answer(
                "All of them.",
                "StandingTeamList",
                "rest.standing_team_list",
            ),
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

fn get_team() -> Value {
    Operation {
        id: "getTeam",
        tag: "teams",
        summary: "See a team",
        description: "Who is in it, and who leads it.",
        success: (
            200,
            answer("The team.", "StandingTeam", "rest.standing_team"),
        ),
        codes: &[Code::NoSuchTeam, Code::StorageUnavailable, Code::TimedOut],
        ..Operation::default()
    }
    .into_value()
}

fn post_team_link() -> Value {
    Operation {
        id: "makeTeamLink",
        tag: "teams",
        summary: "Make a link to a team",
        description: "Whoever has its secret may come to the team. A second one takes the place \
                      of the first. For the captain. The secret is shown this once.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (201, answer("The link.", "TeamLink", "rest.team_link")),
        codes: &of_teams(&[Code::NoSuchTeam]),
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}

fn delete_team_link() -> Value {
    Operation {
        id: "removeTeamLink",
        tag: "teams",
        summary: "Take the link to a team back",
        description: "It admits nobody any more. For the captain.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (204, done("There is none now.")),
        codes: &of_teams(&[Code::NoSuchTeam]),
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}

fn post_members() -> Value {
    Operation {
        id: "comeToTeam",
        tag: "teams",
        summary: "Come to a team",
        description: "By its link. Whoever is in it already is still, whatever he sends.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "ComeToTeam",
            &[("by_link", "By link", example("rest.come_to_team"))],
        )),
        success: (
            200,
            answer("The team.", "StandingTeam", "rest.standing_team"),
        ),
        codes: &of_teams(&[
            Code::BadMessage,
            Code::TooLarge,
            Code::BadSecret,
            Code::NoSuchTeam,
            Code::Full,
        ]),
        ..Operation::default()
    }
    .into_value()
}

fn delete_member() -> Value {
    Operation {
        id: "leaveTeam",
        tag: "teams",
        summary: "Leave a team, or take a member out",
        description: "Everybody may leave; the captain may take others out. If the captain \
                      leaves, whoever has been there longest is captain.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (204, done("He is in it no more.")),
        codes: &of_teams(&[Code::NoSuchTeam, Code::NotFound]),
        refusals: &[NOT_FOR_YOU, Refusal::Team(TeamRefusal::NoSuchMember)],
        ..Operation::default()
    }
    .into_value()
}

fn post_captain() -> Value {
    Operation {
        id: "leadTeam",
        tag: "teams",
        summary: "Make a member the captain",
        description: "For the captain.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewCaptain",
            &[("second", "The second to come", example("rest.new_captain"))],
        )),
        success: (
            200,
            answer("The team.", "StandingTeam", "rest.standing_team"),
        ),
        codes: &of_teams(&[Code::BadMessage, Code::TooLarge, Code::NoSuchTeam]),
        refusals: &[NOT_FOR_YOU, Refusal::Team(TeamRefusal::NoSuchMember)],
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
