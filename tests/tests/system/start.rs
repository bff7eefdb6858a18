//! What a server says when it starts, what it is asked first, and its log.

use mancala_protocol::MatchView;
use mancala_protocol::rest::MatchList;
use mancala_tests::players::Pair;
use mancala_tests::server::program;
use mancala_tests::{Client, Port, Request, ServerProcess};
use serde_json::{Value, json};
use std::process::Command;

#[tokio::test]
async fn it_says_in_three_lines_where_it_is_and_nothing_more() {
    let mut server = ServerProcess::start();
    let url = server.origin();
    let expected = [
        format!("open   {url}\n"),
        format!("data   in {}\n", server.data().display()),
        format!("docs   {url}/api/v1/openapi.html, and the folder proto-docs\n"),
    ];
    assert_eq!(server.first_lines(), &expected);
    server.terminate();
    assert!(server.ended().await.success());
    assert_eq!(server.last_lines(), "");
}

#[test]
fn help_names_every_flag_with_its_variable() {
    let output = Command::new(program()).arg("--help").output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    for flag in [
        "--listen",
        "--data",
        "--ephemeral",
        "--public-url",
        "--metrics-listen",
        "--log",
        "--log-format",
    ] {
        assert!(help.contains(&format!("      {flag}")), "{flag}");
        let variable = flag.trim_start_matches('-').replace('-', "_");
        let variable = format!("[env: MANCALA_{}=", variable.to_uppercase());
        assert!(help.contains(&variable), "{variable}");
    }
    for command in ["admin", "referee", "record"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
    }
    let wrong = Command::new(program()).arg("--lisen").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(said.contains("--listen"), "it knows what was meant: {said}");
}

#[tokio::test]
async fn an_address_in_use_is_refused_in_a_sentence() {
    let server = ServerProcess::start();
    let output = Command::new(program())
        .args(["--ephemeral", "--log", "error", "--listen"])
        .arg(server.address().to_string())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("something listens there already; choose another port"),
        "{said}"
    );
    assert_eq!(said.trim().lines().count(), 1, "{said}");
}

#[tokio::test]
async fn ephemeral_it_plays_and_keeps_nothing() {
    let mut server = ServerProcess::start_with(&["--ephemeral"]);
    assert!(server.first_lines()[1].contains("nowhere"));
    let mut pair = Pair::meet(&server, json!({ "game": "omweso" })).await;
    pair.play(6).await;
    let path = format!("/api/v1/matches/{}", pair.name);
    let view: MatchView = server.get(&path).await.json();
    assert_eq!(view, *pair.south.followed[&pair.name].view());
    assert!(!server.data().exists());
    server.terminate();
    assert!(server.ended().await.success());
    server.restart(Port::New);
    let gone = (404, "no_such_match".to_owned());
    assert_eq!(server.get(&path).await.problem(), gone);
    let list: MatchList = server.get("/api/v1/matches").await.json();
    assert!(list.matches.is_empty());
    let me = Request::get("/api/v1/me").token(pair.south.token());
    assert_eq!(
        server.send(me).await.problem(),
        (401, "bad_token".to_owned())
    );
}

#[tokio::test]
async fn its_first_page_can_be_read_and_loads_nothing_from_elsewhere() {
    let server = ServerProcess::start();
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(page.text().contains("<h1>Mancala</h1>"));
    // Where it leads to is there.
    let mut links = 0;
    for link in page.text().split("href=\"").skip(1) {
        let (path, _) = link.split_once('"').unwrap();
        assert_eq!(server.get(path).await.status, 200, "{path}");
        links += 1;
    }
    assert!(links > 0);
}

#[tokio::test]
async fn it_says_that_it_is_alive_and_ready() {
    let server = ServerProcess::start();
    for path in ["/healthz", "/readyz"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.text()), (200, "ok\n"), "{path}");
    }
    let openapi: Value = server.get("/api/v1/openapi.json").await.json();
    assert_eq!(openapi["openapi"], "3.1.0");
}

/// Every line of the log is an object that says of which session and match it is.
#[tokio::test]
async fn json_log_lines_can_be_read_and_name_session_and_match() {
    let mut server = ServerProcess::start_with(&["--log-format", "json"]);
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name.to_string();
    let mut stranger = Client::nobody(&server).await;
    stranger.join(pair.name).await;
    stranger.say_text("nonsense").await.unwrap();
    pair.play(3).await;
    // A command that is refused: the number is taken.
    let action = serde_json::from_value(json!({ "type": "sow", "pit": 0 })).unwrap();
    let late = pair.south.act_message(pair.name, 2, vec![action]);
    pair.south.ask(&late).await.unwrap();
    server.terminate();
    assert!(server.ended().await.success());

    let log = server.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let in_span = |line: &Value, span: &str, field: &str, value: &str| {
        let spans = line["spans"].as_array().into_iter().flatten();
        spans
            .filter(|it| it["name"] == span)
            .any(|it| it[field] == value)
    };
    for line in &lines {
        for field in ["timestamp", "level", "message", "target"] {
            assert!(line[field].is_string(), "{field}: {line}");
        }
        let target = line["target"].as_str().unwrap();
        if target.ends_with("matches::actor") {
            assert!(in_span(line, "match", "match.name", &name), "{line}");
            let id = |it: &Value| it["match.id"].as_str().is_some_and(|id| id.len() == 36);
            assert!(line["spans"].as_array().unwrap().iter().any(id), "{line}");
        }
        if target.ends_with("ws::session") {
            let known = [&pair.south, &pair.north, &stranger];
            let known = known
                .iter()
                .any(|client| in_span(line, "session", "session.id", &client.session));
            assert!(known, "{line}");
        }
    }
    let said = |message: &str, client: &Client| {
        lines.iter().any(|line| {
            line["message"] == message && in_span(line, "session", "session.id", &client.session)
        })
    };
    assert!(said("greeted", &pair.south) && said("greeted", &stranger));
    assert!(said("message refused", &stranger));
    let of_match = |message: &str| {
        let mut lines = lines.iter();
        lines.any(|line| line["message"] == message && in_span(line, "match", "match.name", &name))
    };
    assert!(of_match("match loaded") && of_match("command refused"));
}
