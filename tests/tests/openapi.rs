//! What the OpenAPI document says is what the server does: every request that is shown
//! works, and whatever comes back is described.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mancala_play::{Request as Ask, Room};
use mancala_protocol::TeamAsk;
use mancala_protocol::limits::BODY_BYTES_MAX;
use mancala_protocol::rest::MatchMade;
use mancala_tests::players::Pair;
use mancala_tests::{Answer, Client, Request, ServerProcess};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// Codes that take a fault, a moment that no request can choose, or a thousand requests.
const FAULTS: [&str; 7] = [
    "arrivals_over",
    "busy",
    "internal",
    "set_aside",
    "shutting_down",
    "storage_unavailable",
    "timed_out",
];

/// The document, and which of the answers in it have come.
struct Described {
    document: Value,
    come: BTreeSet<(String, u16, String)>,
}

impl Described {
    async fn by(server: &ServerProcess) -> Described {
        Described {
            document: server.get("/api/v1/openapi.json").await.json(),
            come: BTreeSet::new(),
        }
    }

    fn operations(&self) -> impl Iterator<Item = &Value> {
        let paths = self.document["paths"].as_object().unwrap();
        let methods = ["get", "post", "delete"];
        let operations = paths
            .values()
            .flat_map(move |item| methods.map(|method| &item[method]));
        operations.filter(|operation| operation.is_object())
    }

    fn operation(&self, id: &str) -> &Value {
        let mut operations = self.operations();
        operations
            .find(|operation| operation["operationId"] == *id)
            .unwrap()
    }

    /// The bodies that are shown for an operation, by name.
    fn bodies(&self, id: &str) -> Vec<(String, Value)> {
        let content = &self.operation(id)["requestBody"]["content"]["application/json"];
        let examples = content["examples"].as_object().unwrap().iter();
        examples
            .map(|(name, example)| (name.clone(), example["value"].clone()))
            .collect()
    }

    fn assert_fits(&self, schema: &Value, value: &Value, what: &str) {
        let schema = json!({ "allOf": [schema], "components": self.document["components"] });
        let schema = jsonschema::draft202012::new(&schema).unwrap();
        if let Err(error) = schema.validate(value) {
            panic!("{what}: {error} in {value}");
        }
    }

    /// Holds an answer against its description.
    fn check(&mut self, id: &str, answer: &Answer) {
        let what = format!("{id} {}", answer.status);
        let response = self.operation(id)["responses"][answer.status.to_string()].clone();
        assert!(
            response.is_object(),
            "{what} is not described: {}",
            answer.text()
        );
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let value = match header["schema"]["type"].as_str() {
                Some("integer") => answer.header(name).parse::<u64>().unwrap().into(),
                _ => answer.header(name).into(),
            };
            self.assert_fits(&header["schema"], &value, &format!("{what} {name}"));
        }
        let kind = answer.header("content-type").split(';').next().unwrap();
        if answer.body.is_empty() && response["content"].is_null() {
            self.come
                .insert((id.to_owned(), answer.status, String::new()));
            return;
        }
        let content = &response["content"][kind];
        assert!(content.is_object(), "{what} is not described as {kind}");
        let body = match kind {
            "application/json" | "application/problem+json" => {
                serde_json::from_slice(&answer.body).unwrap()
            }
            _ => answer.text().into(),
        };
        self.assert_fits(&content["schema"], &body, &what);
        let mut code = String::new();
        if kind == "application/problem+json" {
            body["code"].as_str().unwrap().clone_into(&mut code);
            let example = &content["examples"][&code]["value"];
            for field in ["type", "title", "status"] {
                assert_eq!(body[field], example[field], "{what} {code}");
            }
        }
        self.come.insert((id.to_owned(), answer.status, code));
    }

    /// What is described and has not come.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for operation in self.operations() {
            let id = operation["operationId"].as_str().unwrap();
            for (status, response) in operation["responses"].as_object().unwrap() {
                let problem = &response["content"]["application/problem+json"];
                let codes: Vec<&str> = match problem["examples"].as_object() {
                    Some(codes) => codes.keys().map(String::as_str).collect(),
                    None => vec![""],
                };
                for code in codes {
                    let answer = (id.to_owned(), status.parse().unwrap(), code.to_owned());
                    if !FAULTS.contains(&code) && !self.come.contains(&answer) {
                        missing.push(format!("{id} {status} {code}"));
                    }
                }
            }
        }
        missing
    }
}

#[tokio::test]
async fn every_answer_that_is_described_comes_and_no_other() {
    let server = ServerProcess::start();
    let mut described = Described::by(&server).await;
    let (ann, ben) = (server.guest("Ann").await, server.guest("Ben").await);
    let cookie = {
        let guest = Request::post("/api/v1/guests", &json!({ "name": "Web" }));
        let answer = server.send(guest).await;
        let (cookie, _) = answer.header("set-cookie").split_once(';').unwrap();
        server.keep_secret(cookie.split_once('=').unwrap().1);
        cookie.to_owned()
    };
    let huge = format!(r#"{{"name":"{}"}}"#, "a".repeat(BODY_BYTES_MAX));

    for (path, id) in [
        ("/api/v1/openapi.json", "getOpenapi"),
        ("/api/v1/openapi.html", "getOpenapiPage"),
        ("/healthz", "getHealth"),
        ("/readyz", "getReadiness"),
    ] {
        described.check(id, &server.get(path).await);
    }

    // Guests.
    for (_, body) in described.bodies("makeGuest") {
        let answer = server.send(Request::post("/api/v1/guests", &body)).await;
        described.check("makeGuest", &answer);
        assert_eq!(answer.status, 201);
    }
    for body in ["", "[]", "{", r#"{"name":null}"#, r#"{"name":" "}"#, &huge] {
        let request = Request::new("POST", "/api/v1/guests")
            .header("content-type", "application/json")
            .body(body.to_owned());
        described.check("makeGuest", &server.send(request).await);
    }

    let foreign = Request::post("/api/v1/guests", &json!({}));
    let foreign = foreign.header("origin", "https://elsewhere.example");
    described.check("makeGuest", &server.send(foreign).await);

    // Who one is, for every operation that wants to know.
    for (method, path, id) in [
        ("GET", "/api/v1/me", "getMe"),
        ("POST", "/api/v1/matches", "makeMatch"),
        ("POST", "/api/v1/matches/k3J9sPq0Zx/seats", "takeSeat"),
    ] {
        let nobody = Request::new(method, path)
            .header("content-type", "application/json")
            .body(r#"{"game":"urim"}"#);
        let nobody = match id {
            "takeSeat" => nobody.body(r#"{"side":"south"}"#),
            _ => nobody,
        };
        for request in [
            nobody.clone(),
            nobody.clone().token("nonsense"),
            nobody.clone().header("authorization", "Basic YTpi"),
            nobody.clone().header("cookie", &cookie),
            nobody.clone().header("cookie", &cookie).token(&ann),
            nobody.clone().token(&ann).body(huge.clone()),
            nobody.clone().token(&ann).body("{"),
        ] {
            described.check(id, &server.send(request).await);
        }
        let own = nobody.header("cookie", &cookie);
        let own = own.header("origin", &server.origin());
        described.check(id, &server.send(own).await);
    }

    // Matches.
    for (_, body) in described.bodies("makeMatch") {
        let request = Request::post("/api/v1/matches", &body).token(&ann);
        let answer = server.send(request).await;
        described.check("makeMatch", &answer);
        assert_eq!(answer.status, 201);
    }
    for body in [json!({ "game": "urim" }), json!({ "game": "nsolo" })] {
        let request = Request::post("/api/v1/matches", &body).token(&ann);
        let request = request.header("idempotency-key", "k");
        described.check("makeMatch", &server.send(request).await);
    }
    let bad = Request::post("/api/v1/matches", &json!({ "game": "chess" }));
    described.check("makeMatch", &server.send(bad.token(&ann)).await);
    for query in ["", "?limit=1", "?limit=0", "?after=x", "?x=1"] {
        let page = server.get(&format!("/api/v1/matches{query}")).await;
        described.check("listMatches", &page);
    }

    // Seats.
    for (name, mut body) in described.bodies("takeSeat") {
        let access = if name == "by_link" { "link" } else { "public" };
        let wanted = json!({ "game": "urim", "access": access, "seat": "south" });
        let made: MatchMade = server.make(&ann, &wanted).await;
        let path = format!("/api/v1/matches/{}/seats", made.view.r#match);
        if let Some(secret) = made.secret {
            let wrong = Request::post(&path, &body).token(&ben);
            described.check("takeSeat", &server.send(wrong).await);
            body["secret"] = secret.into();
        }
        let second = Request::post(&path, &body).token(&ann);
        described.check("takeSeat", &server.send(second).await);
        let answer = server.send(Request::post(&path, &body).token(&ben)).await;
        described.check("takeSeat", &answer);
        assert_eq!(answer.status, 200);
        let mut taken = body.clone();
        taken["side"] = "south".into();
        let taken = Request::post(&path, &taken).token(&server.guest("Cid").await);
        described.check("takeSeat", &server.send(taken).await);
        for (part, id) in [
            ("", "getMatch"),
            ("/record", "getRecord"),
            ("/log", "getLog"),
        ] {
            let path = format!("/api/v1/matches/{}{part}", made.view.r#match);
            described.check(id, &server.get(&path).await);
            let nowhere = format!("/api/v1/matches/nosuchname{part}");
            described.check(id, &server.get(&nowhere).await);
        }
    }
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    pair.south.request(pair.name, Ask::ResignMatch).await;
    let late = format!("/api/v1/matches/{}/seats", pair.name);
    let late = Request::post(late, &json!({ "side": "north" })).token(&ann);
    described.check("takeSeat", &server.send(late).await);

    // What the host alone may do.
    let host: Value =
        serde_json::from_slice(&fs::read(server.data().join("host.json")).unwrap()).unwrap();
    let host = host["secret"].as_str().unwrap();
    server.keep_secret(host);
    for (_, body) in described.bodies("endMatch") {
        let name = Pair::meet(&server, json!({ "game": "urim" })).await.name;
        let path = format!("/api/admin/matches/{name}/end");
        let ask = Request::post(&path, &body);
        let nowhere = Request::post("/api/admin/matches/nosuchname/end", &body);
        for request in [
            ask.clone(),
            ask.clone().token("nonsense"),
            ask.clone().token(&ann),
            ask.clone().header("cookie", &cookie),
            ask.clone().header("cookie", &cookie).token(host),
            ask.clone().token(host).body("{"),
            ask.clone().token(host).body(huge.clone()),
            nowhere.token(host),
        ] {
            let answer = server.send(request).await;
            described.check("endMatch", &answer);
            assert!(answer.status >= 400);
        }
        for status in [200, 409] {
            let answer = server.send(ask.clone().token(host)).await;
            described.check("endMatch", &answer);
            assert_eq!(answer.status, status);
        }
    }

    // What people said.
    let talking = Pair::meet(&server, json!({ "game": "urim" })).await;
    let mut speaker = Client::connected(&server, Some(talking.south.token().to_owned())).await;
    speaker.join(talking.name).await;
    speaker
        .say_in(talking.name, Room::Public, "A good move.")
        .await;
    speaker.report(talking.name, Room::Public, 1).await;
    let talk = |name: &str, query: &str| {
        let path = format!("/api/v1/matches/{name}/talk?{query}");
        Request::get(path)
    };
    let of_match = talking.name.to_string();
    let teams = json!({
        "game": "urim",
        "teams": { "seats": { "south": 1, "north": 1 }, "decides": { "type": "first" } },
    });
    let of_teams = server.make(&ann, &teams).await.view.r#match.to_string();
    for request in [
        talk(&of_match, "room=public"),
        talk(&of_match, "room=south"),
        talk(&of_match, "room=east"),
        talk(&of_match, "room=public").token("nonsense"),
        talk(&of_match, "room=public")
            .header("cookie", &cookie)
            .token(&ann),
        talk(&of_teams, "room=south"),
        talk("nosuchname", "room=public"),
    ] {
        described.check("getTalk", &server.send(request).await);
    }
    let admin = |part: &str| format!("/api/admin/matches/{part}");
    let line = json!({ "room": "public", "line": 1 });
    for (id, ask) in [
        ("listReports", Request::get("/api/admin/reports")),
        (
            "removeLine",
            Request::post(admin(&format!("{of_match}/remove-line")), &line),
        ),
        (
            "clearTalk",
            Request::post(admin(&format!("{of_match}/clear-talk")), &json!({})),
        ),
    ] {
        for request in [
            ask.clone(),
            ask.clone().token("nonsense"),
            ask.clone().token(&ann),
            ask.clone().header("cookie", &cookie),
            ask.clone().header("cookie", &cookie).token(host),
            ask.clone().token(host),
            ask.token(host),
        ] {
            described.check(id, &server.send(request).await);
        }
    }
    let strange = Request::get("/api/admin/reports?limit=0").token(host);
    described.check("listReports", &server.send(strange).await);
    let remove = |name: &str, body: &str| {
        Request::new("POST", admin(&format!("{name}/remove-line")))
            .header("content-type", "application/json")
            .token(host)
            .body(body.to_owned())
    };
    for (name, body) in [
        (&*of_match, "{"),
        (&of_match, &huge),
        (&of_match, r#"{"room":"south","line":1}"#),
        ("nosuchname", r#"{"room":"public","line":1}"#),
    ] {
        described.check("removeLine", &server.send(remove(name, body)).await);
    }
    let nowhere = Request::post(admin("nosuchname/clear-talk"), &json!({})).token(host);
    described.check("clearTalk", &server.send(nowhere).await);

    let me = Request::get("/api/v1/me").token(&ann);
    let me = server.send(me).await;
    described.check("getMe", &me);
    let ann_is = me.json::<Value>()["id"].as_str().unwrap().to_owned();

    // Teams that stand on their own.
    let team = json!({ "name": "Buganda" });
    let found = Request::post("/api/v1/teams", &team);
    let founded = server.send(found.clone().token(&ann)).await;
    described.check("foundTeam", &founded);
    let founded: Value = founded.json();
    let path = format!("/api/v1/teams/{}", founded["team"].as_str().unwrap());
    let nowhere = "/api/v1/teams/nosuchname".to_owned();
    let link = Request::new("POST", format!("{path}/link")).token(&ann);
    let link = server.send(link).await;
    described.check("makeTeamLink", &link);
    let secret: Value = link.json();
    server.keep_secret(secret["secret"].as_str().unwrap());
    let second = Request::post(format!("{path}/members"), &secret);
    let second = second.token(&server.guest("Second").await);
    described.check("comeToTeam", &server.send(second).await);
    for (method, part, id, body) in [
        ("POST", "", "foundTeam", team),
        ("POST", "/link", "makeTeamLink", Value::Null),
        ("POST", "/members", "comeToTeam", secret),
        ("POST", "/captain", "leadTeam", json!({ "member": 1 })),
        ("DELETE", "/members/2", "leaveTeam", Value::Null),
        ("DELETE", "/link", "removeTeamLink", Value::Null),
        ("GET", "/me", "listMyTeams", Value::Null),
    ] {
        let of = |path: &str| match id {
            "foundTeam" => "/api/v1/teams".to_owned(),
            "listMyTeams" => "/api/v1/me/teams".to_owned(),
            _ => format!("{path}{part}"),
        };
        let ask = |path: &str| match &body {
            Value::Null => Request::new(method, of(path)),
            body => Request::post(of(path), body),
        };
        for request in [
            ask(&path),
            ask(&path).token("nonsense"),
            ask(&path).header("cookie", &cookie),
            ask(&path).header("cookie", &cookie).token(&ann),
            ask(&path).token(&ben),
            ask(&path).token(&ann),
            ask(&nowhere).token(&ann),
        ] {
            described.check(id, &server.send(request).await);
        }
        if !body.is_null() {
            for body in [&huge, "{"] {
                let request = ask(&path).token(&ann).body(body.to_owned());
                described.check(id, &server.send(request).await);
            }
        }
    }
    let elsewhere = Request::post(format!("{path}/members"), &json!({ "secret": "no" }));
    described.check(
        "comeToTeam",
        &server
            .send(elsewhere.token(&server.guest("Eve").await))
            .await,
    );
    let ninth = Request::post(format!("{path}/captain"), &json!({ "member": 9 }));
    described.check("leadTeam", &server.send(ninth.token(&ann)).await);
    let second = Request::new("DELETE", format!("{path}/members/1")).token(&ben);
    described.check("leaveTeam", &server.send(second).await);
    let gone = Request::new("DELETE", format!("{path}/members/9")).token(&ann);
    described.check("leaveTeam", &server.send(gone).await);
    let word = Request::new("DELETE", format!("{path}/members/one")).token(&ann);
    described.check("leaveTeam", &server.send(word).await);
    for number in 0..21 {
        let team = json!({ "name": format!("Team {number}") });
        let found = Request::post("/api/v1/teams", &team).token(&ann);
        described.check("foundTeam", &server.send(found).await);
    }
    for path in [&path, &nowhere] {
        described.check("getTeam", &server.get(path).await);
    }
    let see = || Request::get(&path);
    for request in [
        see().token(&ann),
        see().token("nonsense"),
        see().token(&ann).header("cookie", &cookie),
    ] {
        described.check("getTeam", &server.send(request).await);
    }
    for query in ["", "?limit=1", "?limit=0"] {
        let page = server.get(&format!("/api/v1/teams{query}")).await;
        described.check("listTeams", &page);
    }
    // A team of Ben's, to which Ann comes in vain, for she is in as many as she may.
    let bens = Request::post("/api/v1/teams", &json!({ "name": "Jinja" })).token(&ben);
    let bens: Value = server.send(bens).await.json();
    let bens = format!("/api/v1/teams/{}", bens["team"].as_str().unwrap());
    let link = Request::new("POST", format!("{bens}/link")).token(&ben);
    let secret: Value = server.send(link).await.json();
    let come = Request::post(format!("{bens}/members"), &secret).token(&ann);
    described.check("comeToTeam", &server.send(come).await);

    // Challenges.
    let (anns, cid) = (founded["team"].clone(), server.guest("Cid").await);
    let cids = Request::post("/api/v1/teams", &json!({ "name": "Toro" })).token(&cid);
    let cids: Value = server.send(cids).await.json();
    let cids = format!("/api/v1/teams/{}", cids["team"].as_str().unwrap());
    let mut wanted = described.bodies("challengeTeam").remove(0).1;
    wanted["from"] = anns;
    let challenge = |wanted: &Value| Request::post(format!("{cids}/challenges"), wanted);
    let waits = server.send(challenge(&wanted).token(&ann)).await;
    described.check("challengeTeam", &waits);
    let waits: Value = waits.json();
    let waits = format!("/challenges/{}", waits["challenge"].as_str().unwrap());
    let mut unlike = wanted.clone();
    unlike["side"] = "north".into();
    described.check(
        "challengeTeam",
        &server.send(challenge(&unlike).token(&ann)).await,
    );
    unlike["wanted"]["seat"] = "south".into();
    described.check(
        "challengeTeam",
        &server.send(challenge(&unlike).token(&ann)).await,
    );
    let accept = format!("{waits}/accept");
    let second = "/challenges/9aZ0b1C2d3".to_owned();
    for (method, part, id, body) in [
        ("POST", "/challenges", "challengeTeam", wanted.clone()),
        ("GET", "/challenges", "listChallenges", Value::Null),
        ("POST", &accept, "acceptChallenge", Value::Null),
        ("DELETE", &second, "endChallenge", Value::Null),
    ] {
        let ask = |team: &str| match &body {
            Value::Null => Request::new(method, format!("{team}{part}")),
            body => Request::post(format!("{team}{part}"), body),
        };
        for request in [
            ask(&cids),
            ask(&cids).token("nonsense"),
            ask(&cids).header("cookie", &cookie),
            ask(&cids).header("cookie", &cookie).token(&ann),
            ask(&cids).token(&ben),
            ask(&cids).token(&cid),
            ask(&nowhere).token(&cid),
        ] {
            described.check(id, &server.send(request).await);
        }
        if !body.is_null() {
            for body in [&huge, "{"] {
                let request = ask(&cids).token(&ann).body(body.to_owned());
                described.check(id, &server.send(request).await);
            }
        }
    }
    let none = Request::new("POST", format!("{cids}{second}/accept")).token(&cid);
    described.check("acceptChallenge", &server.send(none).await);
    let again: Value = server.send(challenge(&wanted).token(&ann)).await.json();
    let again = format!("{cids}/challenges/{}", again["challenge"].as_str().unwrap());
    for who in [&ben, &cid] {
        let end = Request::new("DELETE", &again).token(who);
        described.check("endChallenge", &server.send(end).await);
    }
    for path in [&cids, &nowhere] {
        let matches = server.get(&format!("{path}/matches")).await;
        described.check("listTeamMatches", &matches);
    }
    let page = server.get(&format!("{cids}/matches?limit=0")).await;
    described.check("listTeamMatches", &page);

    // Nobody challenges on and on.
    for _ in 0..70 {
        let made = server.send(challenge(&wanted).token(&ann)).await;
        described.check("challengeTeam", &made);
    }

    // A side of theirs is for the members alone.
    let seats = format!(
        "/api/v1/matches/{}/seats",
        waits.rsplit('/').next().unwrap()
    );
    let seat = Request::post(seats, &json!({ "side": "south" })).token(&ben);
    described.check("takeSeat", &server.send(seat).await);
    let of_teams = format!("/api/v1/matches/{}", waits.rsplit('/').next().unwrap());
    let seat = Request::post(format!("{of_teams}/seats"), &json!({ "side": "north" }));
    server.send(seat.token(&cid)).await;
    for (part, id, body) in [
        ("links", "makeLink", json!({ "side": "north" })),
        (
            "invitations",
            "invite",
            json!({ "side": "north", "person": ann_is }),
        ),
    ] {
        let ask = Request::post(format!("{of_teams}/{part}"), &body).token(&cid);
        described.check(id, &server.send(ask).await);
    }

    // Bringing people.
    let teams = json!({
        "game": "urim", "access": "link",
        "teams": { "seats": { "south": 1, "north": 1 }, "decides": { "type": "first" } },
    });
    let made = server.make(&ann, &teams).await;
    let name = made.view.r#match;
    let path = format!("/api/v1/matches/{name}");
    let over = format!("/api/v1/matches/{}", pair.name);
    let nowhere = "/api/v1/matches/nosuchname".to_owned();
    let mine = format!("/invitations/{ann_is}");
    for (method, of_match, id, body) in [
        ("POST", "/links", "makeLink", json!({ "side": "south" })),
        ("DELETE", "/links/south", "removeLinks", Value::Null),
        (
            "POST",
            "/invitations",
            "invite",
            json!({ "side": "south", "person": ann_is }),
        ),
        ("DELETE", &mine, "uninvite", Value::Null),
        ("GET", "", "listInvitations", Value::Null),
    ] {
        let path = match id {
            "listInvitations" => "/api/v1/me/invitations".to_owned(),
            _ => format!("{path}{of_match}"),
        };
        let ask = |path: &str| match &body {
            Value::Null => Request::new(method, path),
            body => Request::post(path, body),
        };
        for request in [
            ask(&path),
            ask(&path).token("nonsense"),
            ask(&path).header("cookie", &cookie),
            ask(&path).header("cookie", &cookie).token(&ann),
            ask(&path).token(&ben),
            ask(&path).token(&ann),
        ] {
            described.check(id, &server.send(request).await);
        }
        if id != "listInvitations" {
            let nowhere = ask(&format!("{nowhere}{of_match}")).token(&ann);
            let over = ask(&format!("{over}{of_match}")).token(pair.south.token());
            for request in [nowhere, over] {
                described.check(id, &server.send(request).await);
            }
        }
        if !body.is_null() {
            let most = if id == "makeLink" { 20 } else { 1 };
            for body in [&huge, "{"] {
                let request = ask(&path).token(&ann).body(body.to_owned());
                described.check(id, &server.send(request).await);
            }
            for _ in 0..most {
                described.check(id, &server.send(ask(&path).token(&ann)).await);
            }
        }
    }
    // An invitation of another is not one's own to take back.
    let ben_is = {
        let me = server.send(Request::get("/api/v1/me").token(&ben)).await;
        me.json::<Value>()["id"].as_str().unwrap().to_owned()
    };
    let invite = |person: &str| {
        let body = json!({ "side": "south", "person": person });
        Request::post(format!("{path}/invitations"), &body).token(&ann)
    };
    described.check("invite", &server.send(invite(&ben_is)).await);
    let stranger = Request::new("DELETE", format!("{path}/invitations/{ben_is}"));
    let stranger = stranger.token(&server.guest("Eve").await);
    described.check("uninvite", &server.send(stranger).await);
    let nobody = "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e";
    described.check("invite", &server.send(invite(nobody)).await);
    let nobody = Request::new("DELETE", format!("{path}/invitations/nobody"));
    described.check("uninvite", &server.send(nobody.token(&ann)).await);
    let east = Request::new("DELETE", format!("{path}/links/east")).token(&ann);
    described.check("removeLinks", &server.send(east).await);
    // So many are invited, and wait for a seat.
    let (mut captain, mut second) = (None, String::new());
    for number in 0..=260 {
        let token = server.guest(&format!("V{number}")).await;
        let me = server.send(Request::get("/api/v1/me").token(&token)).await;
        let id = me.json::<Value>()["id"].as_str().unwrap().to_owned();
        described.check("invite", &server.send(invite(&id)).await);
        if number > 52 {
            continue;
        }
        for side in ["south", "north"] {
            let seat = json!({ "side": side, "person": id });
            let put = Request::post(format!("{path}/seats"), &seat);
            for who in [&ann, &ben] {
                described.check("takeSeat", &server.send(put.clone().token(who)).await);
            }
        }
        if number == 0 {
            captain = Some((token, id));
        } else if number == 1 {
            second = token;
        }
    }
    // Whom the host has invited to one side, a captain does not invite to the other.
    for (side, who) in [("north", &ann), ("south", &captain.as_ref().unwrap().0)] {
        let body = json!({ "side": side, "person": ben_is });
        let invite = Request::post(format!("{path}/invitations"), &body).token(who);
        described.check("invite", &server.send(invite).await);
    }
    // Nobody asks the same person on and on, nor puts him there.
    for turn in 0..12 {
        let side = ["south", "north"][turn % 2];
        let body = json!({ "side": side, "person": ben_is });
        let invite = Request::post(format!("{path}/invitations"), &body).token(&ann);
        described.check("invite", &server.send(invite).await);
        let put = Request::post(format!("{path}/seats"), &body).token(&ann);
        described.check("takeSeat", &server.send(put).await);
    }
    // Whoever was taken out does not come again, and nobody to the other team.
    let (token, id) = captain.unwrap();
    let mut captain = Client::connected(&server, Some(token)).await;
    captain.join(name).await;
    captain.team(name, TeamAsk::Remove { person: 2 }).await;
    captain.team(name, TeamAsk::Leave {}).await;
    let seat = json!({ "side": "south", "secret": made.secret });
    let again = Request::post(format!("{path}/seats"), &seat).token(&second);
    described.check("takeSeat", &server.send(again).await);
    let seat = json!({ "side": "north", "person": id });
    let crosses = Request::post(format!("{path}/seats"), &seat).token(&ann);
    described.check("takeSeat", &server.send(crosses).await);
    let seat = json!({ "side": "south", "person": "0191f7c4-4a1e-7c3b-9d52-6f0a8b1c2d3e" });
    let put = Request::post(format!("{path}/seats"), &seat).token(&ann);
    described.check("takeSeat", &server.send(put).await);
    assert_eq!(described.missing(), <[String; 0]>::default());
}
