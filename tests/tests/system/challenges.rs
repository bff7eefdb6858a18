//! Challenges between teams that stand on their own, and the matches that come of them.

use mancala_engine::Side;
use mancala_play::{OfferKind, Request as Ask};
use mancala_protocol::challenge::{
    ChallengeState, TeamChallenge, TeamChallengeList, TeamMatchList, TeamResult, TeamResults,
};
use mancala_protocol::standing::{StandingTeam, TeamLink};
use mancala_protocol::{ClientMessage, MatchView, PublicId, ServerMessage, StageView};
use mancala_server::limits::CHALLENGES_BURST;
use mancala_tests::{Answer, Client, Port, Request, ServerProcess};
use serde_json::{Value, json};
use std::slice;

/// A team, and the people in it: its captain first.
struct Team {
    id: PublicId,
    path: String,
    people: Vec<Client>,
}

impl Team {
    /// A team of so many people, who are all here.
    async fn found(server: &ServerProcess, name: &str, people: usize) -> Team {
        let captain = Client::guest(server, name).await;
        let token = captain.token().to_owned();
        let founded = post(server, &token, "/api/v1/teams", json!({ "name": name })).await;
        let id = founded.json::<StandingTeam>().team;
        let path = format!("/api/v1/teams/{id}");
        let link = post(server, &token, &format!("{path}/link"), json!({})).await;
        let link: TeamLink = link.json();
        server.keep_secret(&link.secret);
        let mut team = Team {
            id,
            path,
            people: vec![captain],
        };
        for number in 1..people {
            let member = Client::guest(server, &format!("{name} {number}")).await;
            let members = format!("{}/members", team.path);
            let came = post(server, member.token(), &members, json!(link)).await;
            assert_eq!(came.status, 200);
            team.people.push(member);
        }
        team
    }

    fn captain(&self) -> String {
        self.people[0].token().to_owned()
    }

    /// What all who are in it are told next of a challenge.
    async fn told(&mut self) -> TeamChallenge {
        let mut told = Vec::new();
        for member in &mut self.people {
            match member.hear().await.unwrap() {
                ServerMessage::TeamChallenge { challenge } => told.push(challenge),
                other => panic!("{other:?}"),
            }
        }
        assert!(told.windows(2).all(|pair| pair[0] == pair[1]));
        told.pop().unwrap()
    }
}

async fn post(server: &ServerProcess, token: &str, path: &str, body: Value) -> Answer {
    server.send(Request::post(path, &body).token(token)).await
}

async fn delete(server: &ServerProcess, token: &str, path: &str) -> Answer {
    server.send(Request::new("DELETE", path).token(token)).await
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn nsolo(from: PublicId) -> Value {
    json!({
        "from": from,
        "side": "north",
        "wanted": {
            "game": "nsolo", "access": "public", "options": { "columns": 8 },
            "teams": { "seats": { "south": 2, "north": 2 }, "decides": { "type": "first" } },
        },
    })
}

/// The match of one a side to which the first team, in north, has challenged the other.
async fn agreed(server: &ServerProcess, from: &Team, to: &Team) -> PublicId {
    let path = format!("{}/challenges", to.path);
    let mut wanted = nsolo(from.id);
    wanted["wanted"]["teams"]["seats"] = json!({ "south": 1, "north": 1 });
    let made = post(server, &from.captain(), &path, wanted).await;
    let name = made.json::<TeamChallenge>().challenge;
    let accept = format!("{path}/{name}/accept");
    let accepted = post(server, &to.captain(), &accept, json!({})).await;
    assert_eq!(accepted.status, 201);
    name
}

async fn waiting(server: &ServerProcess, team: &Team) -> Vec<TeamChallenge> {
    let path = format!("{}/challenges", team.path);
    let list = server.send(Request::get(path).token(&team.captain())).await;
    list.json::<TeamChallengeList>().challenges
}

#[tokio::test]
async fn a_challenge_that_is_accepted_becomes_a_match_of_the_two_teams() {
    let mut server = ServerProcess::start();
    let mut jinja = Team::found(&server, "Jinja", 2).await;
    let mut buganda = Team::found(&server, "Buganda", 2).await;
    let to = format!("{}/challenges", buganda.path);
    let made = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let challenge: TeamChallenge = made.json();
    assert_eq!(
        (&*challenge.from.name, &*challenge.to.name),
        ("Jinja", "Buganda")
    );
    assert_eq!(challenge.state, ChallengeState::Open);
    assert_eq!(jinja.told().await, challenge);
    assert_eq!(buganda.told().await, challenge);
    // Sent again because the answer was lost, it is the same; another one has to wait.
    let again = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
    assert_eq!(again.json::<TeamChallenge>(), challenge);
    let mut other = nsolo(jinja.id);
    other["side"] = "south".into();
    let refused = post(&server, &jinja.captain(), &to, other).await;
    assert_eq!(refused.problem(), problem(409, "full"));
    for team in [&jinja, &buganda] {
        assert_eq!(waiting(&server, team).await, slice::from_ref(&challenge));
    }

    // It is there after a crash, and is accepted by the one captain alone.
    server.kill();
    server.restart(Port::New);
    let accept = format!("{to}/{}/accept", challenge.challenge);
    let who = [
        jinja.captain(),
        buganda.people[1].token().to_owned(),
        server.guest("Stranger").await,
    ];
    for token in who {
        let refused = post(&server, &token, &accept, json!({})).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
    }
    for team in [&mut jinja, &mut buganda] {
        for member in &mut team.people {
            member.come_back(server.address()).await.unwrap();
        }
    }
    let accepted = post(&server, &buganda.captain(), &accept, json!({})).await;
    assert_eq!(accepted.status, 201, "{}", accepted.text());
    let place = format!("/api/v1/matches/{}", challenge.challenge);
    assert_eq!(accepted.header("location"), place);
    let view: MatchView = accepted.json();
    assert_eq!(view.r#match, challenge.challenge);
    let teams = view.teams.clone().unwrap();
    assert_eq!(
        (teams.north.team, teams.south.team),
        (Some(jinja.id), Some(buganda.id))
    );
    assert_eq!(teams.north.name.as_deref(), Some("Jinja"));
    assert!(teams.north.members.is_empty() && teams.south.members.is_empty());
    let mut expected = challenge.clone();
    expected.state = ChallengeState::Accepted;
    assert_eq!(jinja.told().await, expected);
    assert_eq!(buganda.told().await, expected);
    // Accepted again, and after a crash, it is the same match.
    server.kill();
    server.restart(Port::New);
    let again = post(&server, &buganda.captain(), &accept, json!({})).await;
    assert_eq!(again.json::<MatchView>().timeless(), view.timeless());
    assert_eq!(waiting(&server, &jinja).await, []);
    let gone = delete(&server, &jinja.captain(), &accept.replace("/accept", "")).await;
    assert_eq!(gone.problem(), problem(404, "no_such_challenge"));

    // A side is for the members of its team.
    let seats = format!("{place}/seats");
    let stranger = server.guest("Stranger").await;
    for (token, side) in [
        (stranger.as_str(), "south"),
        (jinja.people[1].token(), "south"),
        (buganda.people[1].token(), "north"),
    ] {
        let refused = post(&server, token, &seats, json!({ "side": side })).await;
        assert_eq!(refused.problem(), problem(403, "members_only"));
    }
    // Whoever was not asked has not accepted it, though it is made.
    for token in [stranger.as_str(), &jinja.captain()] {
        let refused = post(&server, token, &accept, json!({})).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
    }
    // Nobody is host, and brings somebody else.
    let body = json!({ "side": "south", "person": "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e" });
    let refused = post(&server, &buganda.captain(), &seats, body).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    for (team, side) in [(&jinja, "north"), (&buganda, "south")] {
        for member in &team.people {
            let sat = post(&server, member.token(), &seats, json!({ "side": side })).await;
            assert_eq!(sat.status, 200, "{}", sat.text());
        }
    }
    let view: MatchView = server.get(&place).await.json();
    assert_eq!(view.stage, StageView::Playing);
    // No link and no invitation brings somebody else.
    let links = format!("{place}/links");
    let refused = post(
        &server,
        &buganda.captain(),
        &links,
        json!({ "side": "south" }),
    )
    .await;
    assert_eq!(refused.problem(), problem(403, "members_only"));
    let me = server
        .send(Request::get("/api/v1/me").token(&stranger))
        .await;
    let me: Value = me.json();
    let invite = format!("{place}/invitations");
    let body = json!({ "side": "south", "person": me["id"] });
    let refused = post(&server, &buganda.captain(), &invite, body).await;
    assert_eq!(refused.problem(), problem(403, "members_only"));

    // What comes of it stands with both.
    let matches = async |team: &Team| -> TeamMatchList {
        let list = server.get(&format!("{}/matches", team.path)).await;
        list.json()
    };
    let list = matches(&jinja).await;
    assert_eq!(list.matches[0].result, None);
    assert_eq!(list.matches[0].against.name, "Buganda");
    let captain = &mut jinja.people[0];
    captain.come_back(server.address()).await.unwrap();
    captain.join(view.r#match).await;
    let resign = ClientMessage::Ask {
        id: Some(7),
        number: None,
        r#match: view.r#match,
        key: "resign".parse().unwrap(),
        what: Ask::ResignMatch,
    };
    captain.say(&resign).await.unwrap();
    captain
        .hear_until(view.r#match, |followed| {
            followed.view().stage == StageView::Over
        })
        .await;
    for (team, result, results) in [
        (&jinja, TeamResult::Lost, (0, 1, 0)),
        (&buganda, TeamResult::Won, (1, 0, 0)),
    ] {
        let list = matches(team).await;
        assert_eq!(list.matches[0].r#match, view.r#match);
        assert_eq!(list.matches[0].result, Some(result));
        let (won, lost, drawn) = results;
        let team: StandingTeam = server.get(&team.path).await.json();
        assert_eq!(team.results, TeamResults { won, lost, drawn });
    }
}

#[tokio::test]
async fn a_challenge_is_declined_or_taken_back_by_a_captain() {
    let server = ServerProcess::start();
    let mut jinja = Team::found(&server, "Jinja", 2).await;
    let mut buganda = Team::found(&server, "Buganda", 1).await;
    let to = format!("{}/challenges", buganda.path);
    for (state, by) in [
        (ChallengeState::Declined, buganda.captain()),
        (ChallengeState::Withdrawn, jinja.captain()),
    ] {
        let made = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
        let challenge: TeamChallenge = made.json();
        jinja.told().await;
        buganda.told().await;
        let path = format!("{to}/{}", challenge.challenge);
        let stranger = server.guest("Stranger").await;
        for token in [stranger.as_str(), jinja.people[1].token()] {
            let refused = delete(&server, token, &path).await;
            assert_eq!(refused.problem(), problem(409, "not_for_you"));
        }
        assert_eq!(delete(&server, &by, &path).await.status, 204);
        let gone = delete(&server, &by, &path).await;
        assert_eq!(gone.problem(), problem(404, "no_such_challenge"));
        let mut expected = challenge;
        expected.state = state;
        assert_eq!(jinja.told().await, expected);
        assert_eq!(buganda.told().await, expected);
        let accept = format!("{path}/accept");
        let late = post(&server, &buganda.captain(), &accept, json!({})).await;
        assert_eq!(late.problem(), problem(404, "no_such_challenge"));
    }
}

/// Whatever comes first, the other is told that it is too late.
#[tokio::test]
async fn a_challenge_is_either_accepted_or_taken_back() {
    let server = ServerProcess::start();
    let jinja = Team::found(&server, "Jinja", 1).await;
    let buganda = Team::found(&server, "Buganda", 1).await;
    let to = format!("{}/challenges", buganda.path);
    let (mut accepted, mut withdrawn) = (0, 0);
    for turn in 0..40 {
        let made = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
        let path = format!("{to}/{}", made.json::<TeamChallenge>().challenge);
        let accept_path = format!("{path}/accept");
        let (by, from) = (buganda.captain(), jinja.captain());
        let accept = post(&server, &by, &accept_path, json!({}));
        let withdraw = delete(&server, &from, &path);
        let (accept, withdraw) = if turn % 2 == 0 {
            tokio::join!(accept, withdraw)
        } else {
            let (withdraw, accept) = tokio::join!(withdraw, accept);
            (accept, withdraw)
        };
        let too_late = problem(404, "no_such_challenge");
        match (accept.status, withdraw.status) {
            (201, _) => {
                assert_eq!(withdraw.problem(), too_late);
                accepted += 1;
            }
            (_, 204) => {
                assert_eq!(accept.problem(), too_late);
                withdrawn += 1;
            }
            neither => panic!("{neither:?}"),
        }
        assert_eq!(waiting(&server, &jinja).await, []);
    }
    assert_eq!(accepted + withdrawn, 40);
    let list = server.get(&format!("{}/matches", jinja.path)).await;
    assert_eq!(list.json::<TeamMatchList>().matches.len(), accepted);
}

/// They change sides, and whoever wins then wins for his team.
#[tokio::test]
async fn a_rematch_of_two_teams_counts_for_them_too() {
    let server = ServerProcess::start();
    let mut jinja = Team::found(&server, "Jinja", 1).await;
    let mut buganda = Team::found(&server, "Buganda", 1).await;
    let name = agreed(&server, &jinja, &buganda).await;
    for (team, side) in [(&mut jinja, "north"), (&mut buganda, "south")] {
        let seats = format!("/api/v1/matches/{name}/seats");
        post(&server, &team.captain(), &seats, json!({ "side": side })).await;
        team.people[0].join(name).await;
    }
    let [one, other] = [&mut jinja.people[0], &mut buganda.people[0]];
    one.request(name, Ask::ResignMatch).await;
    one.request(name, Ask::Offer(OfferKind::Rematch)).await;
    other.catch_up().await;
    other.request(name, Ask::Accept(OfferKind::Rematch)).await;
    let path = format!("{}/matches", jinja.path);
    let list: TeamMatchList = server.get(&path).await.json();
    let [next, first] = &list.matches[..] else {
        panic!("{list:?}");
    };
    assert_eq!((first.r#match, first.side), (name, Side::North));
    assert_eq!((next.side, next.result), (Side::South, None));
    assert_eq!(next.against.team, buganda.id);
    let next = next.r#match;
    other.join(next).await;
    other.request(next, Ask::ResignMatch).await;
    for team in [&jinja, &buganda] {
        let team: StandingTeam = server.get(&team.path).await.json();
        let even = TeamResults {
            won: 1,
            lost: 1,
            drawn: 0,
        };
        assert_eq!(team.results, even);
    }
}

/// Whoever has left his team, or was taken out of it, plays for it no more.
#[tokio::test]
async fn a_rematch_is_for_those_who_are_members_still() {
    let server = ServerProcess::start();
    let mut jinja = Team::found(&server, "Jinja", 2).await;
    let mut buganda = Team::found(&server, "Buganda", 1).await;
    let name = agreed(&server, &jinja, &buganda).await;
    let seats = format!("/api/v1/matches/{name}/seats");
    let (captain, leaver) = (jinja.captain(), jinja.people[1].token().to_owned());
    post(&server, &leaver, &seats, json!({ "side": "north" })).await;
    post(
        &server,
        &buganda.captain(),
        &seats,
        json!({ "side": "south" }),
    )
    .await;
    let gone = delete(&server, &captain, &format!("{}/members/2", jinja.path)).await;
    assert_eq!(gone.status, 204);
    let [one, other] = [&mut jinja.people[1], &mut buganda.people[0]];
    for client in [&mut *one, &mut *other] {
        client.join(name).await;
    }
    one.request(name, Ask::ResignMatch).await;
    one.request(name, Ask::Offer(OfferKind::Rematch)).await;
    other.catch_up().await;
    other.request(name, Ask::Accept(OfferKind::Rematch)).await;
    let list = server.get(&format!("{}/matches", jinja.path)).await;
    let next = &list.json::<TeamMatchList>().matches[0];
    assert_eq!((next.side, next.stage), (Side::South, StageView::Gathering));
    let path = format!("/api/v1/matches/{}", next.r#match);
    let view: MatchView = server.get(&path).await.json();
    let teams = view.teams.unwrap();
    assert!(teams.south.members.is_empty() && teams.north.members.len() == 1);
    let seats = format!("{path}/seats");
    let refused = post(&server, &leaver, &seats, json!({ "side": "south" })).await;
    assert_eq!(refused.problem(), problem(403, "members_only"));
    let sat = post(&server, &captain, &seats, json!({ "side": "south" })).await;
    assert_eq!(sat.json::<MatchView>().stage, StageView::Playing);
}

/// Nobody is there who could answer, or sit.
#[tokio::test]
async fn a_team_that_all_have_left_neither_challenges_nor_is_challenged() {
    let server = ServerProcess::start();
    let jinja = Team::found(&server, "Jinja", 1).await;
    let buganda = Team::found(&server, "Buganda", 1).await;
    let to = format!("{}/challenges", buganda.path);
    let made = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
    let path = format!("{to}/{}", made.json::<TeamChallenge>().challenge);
    let last = delete(
        &server,
        &jinja.captain(),
        &format!("{}/members/1", jinja.path),
    )
    .await;
    assert_eq!(last.status, 204);
    assert_eq!(waiting(&server, &buganda).await, []);
    let late = post(
        &server,
        &buganda.captain(),
        &format!("{path}/accept"),
        json!({}),
    )
    .await;
    assert_eq!(late.problem(), problem(404, "no_such_challenge"));
    let to = format!("{}/challenges", jinja.path);
    let refused = post(&server, &buganda.captain(), &to, nsolo(buganda.id)).await;
    assert_eq!(refused.problem(), problem(404, "no_such_team"));
}

#[tokio::test]
async fn what_could_not_be_made_is_asked_of_nobody() {
    let server = ServerProcess::start();
    let jinja = Team::found(&server, "Jinja", 2).await;
    let buganda = Team::found(&server, "Buganda", 1).await;
    let to = format!("{}/challenges", buganda.path);
    let with = |field: &str, value: Value| {
        let mut wanted = nsolo(jinja.id);
        *wanted.pointer_mut(field).unwrap() = value;
        wanted
    };
    let mut seated = nsolo(jinja.id);
    seated["wanted"]["seat"] = "south".into();
    let mut named = nsolo(jinja.id);
    named["wanted"]["teams"]["names"] = json!({ "south": "Others" });
    let mut alone = nsolo(jinja.id);
    alone["wanted"].as_object_mut().unwrap().remove("teams");
    for (wanted, expected) in [
        (with("/wanted/game", "chess".into()), (422, "bad_options")),
        (with("/wanted/access", "link".into()), (422, "bad_options")),
        (
            with("/wanted/teams/seats/south", 0.into()),
            (422, "bad_options"),
        ),
        (seated, (422, "bad_options")),
        (named, (422, "bad_options")),
        (alone, (422, "bad_options")),
        (
            with("/from", buganda.id.to_string().into()),
            (422, "bad_options"),
        ),
        (with("/from", "nosuchname".into()), (404, "no_such_team")),
        (with("/from", "short".into()), (400, "bad_message")),
        (with("/side", "east".into()), (400, "bad_message")),
        (with("/wanted", json!([])), (400, "bad_message")),
    ] {
        let refused = post(&server, &jinja.captain(), &to, wanted.clone()).await;
        assert_eq!(
            refused.problem(),
            problem(expected.0, expected.1),
            "{wanted}"
        );
    }
    // Nor is it asked by whoever does not lead the team.
    for token in [jinja.people[1].token(), &buganda.captain()] {
        let refused = post(&server, token, &to, nsolo(jinja.id)).await;
        assert_eq!(refused.problem(), problem(409, "not_for_you"));
    }
    assert_eq!(waiting(&server, &buganda).await, []);
    // What waits is for members to know.
    let stranger = server.guest("Stranger").await;
    let list = server.send(Request::get(to).token(&stranger)).await;
    assert_eq!(list.problem(), problem(409, "not_for_you"));
}

/// All members of both are told of each: so nobody goes on and on.
#[tokio::test]
async fn challenges_have_a_pace() {
    let server = ServerProcess::start();
    let jinja = Team::found(&server, "Jinja", 1).await;
    let buganda = Team::found(&server, "Buganda", 1).await;
    let to = format!("{}/challenges", buganda.path);
    let mut made = 0;
    let refused = loop {
        assert!(made < 500, "nothing stops him");
        let answer = post(&server, &jinja.captain(), &to, nsolo(jinja.id)).await;
        if answer.status != 201 {
            break answer;
        }
        let path = format!("{to}/{}", answer.json::<TeamChallenge>().challenge);
        assert_eq!(delete(&server, &jinja.captain(), &path).await.status, 204);
        made += 1;
    };
    assert_eq!(refused.problem(), problem(429, "slow_down"));
    assert!(made >= CHALLENGES_BURST);
    // Another is not concerned.
    let back = format!("{}/challenges", jinja.path);
    let answer = post(&server, &buganda.captain(), &back, nsolo(buganda.id)).await;
    assert_eq!(answer.status, 201);
}
