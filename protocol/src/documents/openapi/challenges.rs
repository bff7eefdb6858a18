//! Challenges between the teams that stand on their own, and their matches.

use super::super::examples::example;
use super::super::operation::{Operation, Who, answer, asked, done, header, schema_of};
use super::teams::{OF_TEAMS, of_teams, team_parameter};
use super::{NOT_FOR_YOU, page_parameters, shared_parameter};
use crate::Code;
use serde_json::{Value, json};

/// The paths, and what may be done at them.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/teams/{team}/matches": {
            "parameters": [team_parameter()],
            "get": get_team_matches()
        },
        "/api/v1/teams/{team}/challenges": {
            "parameters": [team_parameter()],
            "post": post_challenges(),
            "get": get_challenges()
        },
        "/api/v1/teams/{team}/challenges/{challenge}": {
            "parameters": [team_parameter(), challenge_parameter()],
            "delete": delete_challenge()
        },
        "/api/v1/teams/{team}/challenges/{challenge}/accept": {
            "parameters": [team_parameter(), challenge_parameter()],
            "post": post_accept()
        }
    })
}

fn challenge_parameter() -> Value {
    json!({
        "name": "challenge",
        "in": "path",
        "required": true,
        "description": "The short public name of the challenge.",
        "schema": schema_of("PublicId"),
        "example": "k3J9sPq0Zx"
    })
}

fn get_team_matches() -> Value {
    let mut parameters = page_parameters(&example("rest.match_list")["next"]);
    parameters[1]["description"] = "How many matches at most.".into();
    Operation {
        id: "listTeamMatches",
        tag: "teams",
        summary: "The matches of a team",
        description: "Those between teams that stand on their own, with what came of them for \
                      this one, the newest first, a page at a time.",
        parameters,
        success: (
            200,
            answer("A page of them.", "TeamMatchList", "rest.team_match_list"),
        ),
        codes: &[
            Code::BadMessage,
            Code::NoSuchTeam,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        ..Operation::default()
    }
    .into_value()
}

fn post_challenges() -> Value {
    Operation {
        id: "challengeTeam",
        tag: "teams",
        summary: "Challenge a team",
        description: "For the captain of the team that challenges. All members of both are told \
                      on their sockets. One waits from a team to another at a time; the same \
                      sent again is the same.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        body: Some(asked(
            "NewTeamChallenge",
            &[(
                "nsolo",
                "To a match by vote",
                example("rest.new_team_challenge"),
            )],
        )),
        success: (
            201,
            answer("The challenge.", "TeamChallenge", "rest.team_challenge"),
        ),
        codes: &of_teams(&[
            Code::BadMessage,
            Code::TooLarge,
            Code::BadOptions,
            Code::NoSuchTeam,
            Code::Full,
            Code::SlowDown,
        ]),
        refusals: &[NOT_FOR_YOU],
    }
    .into_value()
}

fn get_challenges() -> Value {
    Operation {
        id: "listChallenges",
        tag: "teams",
        summary: "The challenges of a team",
        description: "All that wait for an answer, from it and to it, the newest first. For its \
                      members.",
        who: Who::SignedIn,
        success: (
            200,
            answer(
                "All of them.",
                "TeamChallengeList",
                "rest.team_challenge_list",
            ),
        ),
        codes: &[
            Code::TwoTokens,
            Code::SignInNeeded,
            Code::BadToken,
            Code::NoSuchTeam,
            Code::StorageUnavailable,
            Code::TimedOut,
        ],
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}

fn delete_challenge() -> Value {
    Operation {
        id: "endChallenge",
        tag: "teams",
        summary: "Decline a challenge, or take it back",
        description: "The captain of the challenged team declines it, that of the other takes it \
                      back. All members of both are told on their sockets.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (204, done("It waits no more.")),
        codes: &of_teams(&[Code::NoSuchTeam, Code::NoSuchChallenge]),
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}

fn post_accept() -> Value {
    let place = header(
        "Where the match is.",
        &json!({ "type": "string", "pattern": "^/api/v1/matches/[0-9A-Za-z]{10}$" }),
        "/api/v1/matches/k3J9sPq0Zx",
    );
    let mut created = answer("The match.", "MatchView", "rest.match_view.teams");
    created["headers"] = json!({ "Location": place });
    Operation {
        id: "acceptChallenge",
        tag: "teams",
        summary: "Accept a challenge",
        description: "For the captain of the team that is challenged. The match is made, with \
                      the name of the challenge; its seats are for the members of the teams. \
                      Sent again, it is the same match.",
        who: Who::SignedIn,
        parameters: vec![shared_parameter("origin")],
        success: (201, created),
        codes: &[
            OF_TEAMS,
            &[
                Code::NoSuchTeam,
                Code::NoSuchChallenge,
                Code::SetAside,
                Code::Busy,
            ],
        ]
        .concat(),
        refusals: &[NOT_FOR_YOU],
        ..Operation::default()
    }
    .into_value()
}
