//! Teams that stand on their own, over REST.

use mancala_protocol::standing::{StandingTeam, StandingTeamList, TeamLink};
use mancala_tests::{Answer, Port, Request, ServerProcess};
use serde_json::{Value, json};

async fn post(server: &ServerProcess, token: &str, path: &str, body: Value) -> Answer {
    server.send(Request::post(path, &body).token(token)).await
}

async fn delete(server: &ServerProcess, token: &str, path: &str) -> Answer {
    server.send(Request::new("DELETE", path).token(token)).await
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn names(team: &StandingTeam) -> Vec<(u32, &str)> {
    let members = team.members.iter();
    members
        .map(|member| (member.number, member.name.as_str()))
        .collect()
}

#[tokio::test]
async fn people_come_to_a_team_by_its_link_and_go_as_they_like() {
    let mut server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    let cid = server.guest("Cid").await;
    let founded = post(
        &server,
        &ann,
        "/api/v1/teams",
        json!({ "name": " Buganda " }),
    )
    .await;
    assert_eq!(founded.status, 201);
    let team: StandingTeam = founded.json();
    assert_eq!(
        founded.header("location"),
        format!("/api/v1/teams/{}", team.team)
    );
    assert_eq!((&*team.name, team.captain), ("Buganda", Some(1)));
    assert_eq!(names(&team), [(1, "Ann")]);
    for name in ["buganda", "BUGANDA"] {
        let taken = post(&server, &ben, "/api/v1/teams", json!({ "name": name })).await;
        assert_eq!(taken.problem(), problem(409, "name_taken"));
    }
    for name in ["", "  ", "...", "a\nb", "\u{202e}evil", &"x".repeat(41)] {
        let refused = post(&server, &ben, "/api/v1/teams", json!({ "name": name })).await;
        assert_eq!(refused.problem(), problem(400, "bad_message"), "{name:?}");
    }
    let path = format!("/api/v1/teams/{}", team.team);
    let (link, members) = (format!("{path}/link"), format!("{path}/members"));

    // Nobody comes without the link, and it is the captain's.
    let nothing = post(&server, &ben, &members, json!({ "secret": "" })).await;
    assert_eq!(nothing.problem(), problem(403, "bad_secret"));
    let refused = post(&server, &ben, &link, json!({})).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let made = post(&server, &ann, &link, json!({})).await;
    assert_eq!(made.header("cache-control"), "no-store");
    let old: TeamLink = made.json();
    server.keep_secret(&old.secret);
    let new: TeamLink = post(&server, &ann, &link, json!({})).await.json();
    server.keep_secret(&new.secret);
    let by_old = post(&server, &ben, &members, json!(old)).await;
    assert_eq!(by_old.problem(), problem(403, "bad_secret"));
    let team: StandingTeam = post(&server, &ben, &members, json!(new)).await.json();
    assert_eq!(names(&team), [(1, "Ann"), (2, "Ben")]);
    // Sent again because the answer was lost, it is the same, and after another start too.
    server.kill();
    server.restart(Port::New);
    let again: StandingTeam = post(&server, &ben, &members, json!(new)).await.json();
    assert_eq!(again, team);
    post(&server, &cid, &members, json!(new)).await;
    assert_eq!(delete(&server, &ann, &link).await.status, 204);
    let late = server.guest("Late").await;
    let refused = post(&server, &late, &members, json!(new)).await;
    assert_eq!(refused.problem(), problem(403, "bad_secret"));

    // Others are taken out by the captain alone.
    let third = format!("{members}/3");
    let refused = delete(&server, &ben, &third).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let refused = delete(&server, &ann, &format!("{members}/9")).await;
    assert_eq!(refused.problem(), problem(409, "no_such_member"));
    let captain = format!("{path}/captain");
    let refused = post(&server, &ben, &captain, json!({ "member": 2 })).await;
    assert_eq!(refused.problem(), problem(409, "not_for_you"));
    let team: StandingTeam = post(&server, &ann, &captain, json!({ "member": 2.0 }))
        .await
        .json();
    assert_eq!(team.captain, Some(2));
    assert_eq!(delete(&server, &ben, &third).await.status, 204);
    assert_eq!(
        delete(&server, &ben, &format!("{members}/2")).await.status,
        204
    );
    let team: StandingTeam = server.get(&path).await.json();
    assert_eq!((names(&team), team.captain), (vec![(1, "Ann")], Some(1)));

    let mine = server
        .send(Request::get("/api/v1/me/teams").token(&ann))
        .await;
    let mine: StandingTeamList = mine.json();
    let all: StandingTeamList = server.get("/api/v1/teams").await.json();
    assert_eq!(mine, all);
    assert_eq!(all.teams[0].team, team.team);
    let none = server
        .send(Request::get("/api/v1/me/teams").token(&ben))
        .await;
    assert_eq!(none.json::<StandingTeamList>().teams, []);
}

#[tokio::test]
async fn lists_of_teams_go_on_where_they_ended() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for number in 0..5 {
        let name = format!("Team {number}");
        post(&server, &ann, "/api/v1/teams", json!({ "name": name })).await;
    }
    let mut names = Vec::new();
    let mut after = String::new();
    loop {
        let path = format!("/api/v1/teams?limit=2{after}");
        let page: StandingTeamList = server.get(&path).await.json();
        names.extend(page.teams.into_iter().map(|team| team.name));
        match page.next {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    names.sort_unstable();
    assert_eq!(names, ["Team 0", "Team 1", "Team 2", "Team 3", "Team 4"]);
}

#[tokio::test]
async fn everybody_is_told_his_own_number_and_nobody_elses() {
    let server = ServerProcess::start();
    let (ann, namesake) = (server.guest("Ann").await, server.guest("Ann").await);
    let founded = post(&server, &ann, "/api/v1/teams", json!({ "name": "Buganda" })).await;
    let founded: StandingTeam = founded.json();
    assert_eq!(founded.you, Some(1));
    let path = format!("/api/v1/teams/{}", founded.team);
    let link = post(&server, &ann, &format!("{path}/link"), json!({})).await;
    let link: TeamLink = link.json();
    server.keep_secret(&link.secret);
    let members = format!("{path}/members");
    let came = post(&server, &namesake, &members, json!(link)).await;
    assert_eq!(came.json::<StandingTeam>().you, Some(2));
    let stranger = server.guest("Ann").await;
    for (token, you) in [(&ann, Some(1)), (&namesake, Some(2)), (&stranger, None)] {
        let seen = server.send(Request::get(&path).token(token)).await;
        assert_eq!(seen.json::<StandingTeam>().you, you);
    }
    assert_eq!(server.get(&path).await.json::<StandingTeam>().you, None);
    // A number is what it is told as.
    for number in ["02", "+2", "2.0", " 2"] {
        let path = format!("{members}/{}", number.replace(' ', "%20"));
        let nobody = delete(&server, &ann, &path).await;
        assert_eq!(nobody.problem(), problem(404, "not_found"), "{number:?}");
    }
}

#[tokio::test]
async fn a_link_ends_with_whoever_knew_it() {
    let server = ServerProcess::start();
    let (ann, ben) = (server.guest("Ann").await, server.guest("Ben").await);
    let founded = post(&server, &ann, "/api/v1/teams", json!({ "name": "Buganda" })).await;
    let path = format!("/api/v1/teams/{}", founded.json::<StandingTeam>().team);
    let members = format!("{path}/members");
    let link = async |by: &str| -> TeamLink {
        let link = post(&server, by, &format!("{path}/link"), json!({})).await;
        let link: TeamLink = link.json();
        server.keep_secret(&link.secret);
        link
    };
    // Whoever was taken out does not come back by the link that he knows.
    let known = link(&ann).await;
    post(&server, &ben, &members, json!(known)).await;
    assert_eq!(
        delete(&server, &ann, &format!("{members}/2")).await.status,
        204
    );
    let refused = post(&server, &ben, &members, json!(known)).await;
    assert_eq!(refused.problem(), problem(403, "bad_secret"));
    // Nor does a captain that is one no more.
    let known = link(&ann).await;
    post(&server, &ben, &members, json!(known)).await;
    let led = post(
        &server,
        &ann,
        &format!("{path}/captain"),
        json!({ "member": 3 }),
    )
    .await;
    assert_eq!(led.json::<StandingTeam>().captain, Some(3));
    assert_eq!(
        delete(&server, &ben, &format!("{members}/1")).await.status,
        204
    );
    let refused = post(&server, &ann, &members, json!(known)).await;
    assert_eq!(refused.problem(), problem(403, "bad_secret"));
    // A team that all have left has no link, is in no list, and its name is free.
    let known = link(&ben).await;
    assert_eq!(
        delete(&server, &ben, &format!("{members}/3")).await.status,
        204
    );
    let refused = post(&server, &ann, &members, json!(known)).await;
    assert_eq!(refused.problem(), problem(403, "bad_secret"));
    let all: StandingTeamList = server.get("/api/v1/teams").await.json();
    assert_eq!(all.teams, []);
    assert_eq!(
        server.get(&path).await.status,
        200,
        "whoever knows it sees it still"
    );
    let again = post(&server, &ann, "/api/v1/teams", json!({ "name": "BUGANDA" })).await;
    assert_eq!(again.status, 201);
}

#[tokio::test]
async fn nobody_founds_team_after_team() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    for number in 0..=20 {
        let name = json!({ "name": format!("Team {number}") });
        let founded = post(&server, &ann, "/api/v1/teams", name).await;
        if number == 20 {
            assert_eq!(founded.problem(), problem(409, "full"));
        } else {
            let team: StandingTeam = founded.json();
            let me = format!("/api/v1/teams/{}/members/1", team.team);
            assert_eq!(delete(&server, &ann, &me).await.status, 204);
        }
    }
}
