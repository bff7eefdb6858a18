//! Teams that stand on their own.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked, done, header, schema_of};
use super::{NOT_FOR_YOU, page_parameters, shared_parameter};
use crate::Code;
use mancala_play::{Refusal, TeamRefusal};
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
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
        }
    })
}

pub(super) fn team_parameter() -> Value {
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
pub(super) const OF_TEAMS: &[Code] = &[
    Code::TwoTokens,
    Code::SignInNeeded,
    Code::BadToken,
    Code::BadOrigin,
    Code::StorageUnavailable,
    Code::TimedOut,
];

pub(super) fn of_teams(more: &[Code]) -> Vec<Code> {
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
        description: "Who is in it, and who leads it. Whoever sends a token is told his own \
                      number.",
        success: (
            200,
            answer("The team.", "StandingTeam", "rest.standing_team"),
        ),
        codes: &[
            Code::TwoTokens,
            Code::BadToken,
            Code::NoSuchTeam,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
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
