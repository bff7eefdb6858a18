//! What those do who run a server: `mancala admin`, and the route behind it.

use mancala_engine::Side;
use mancala_play::{OfferKind, Request as Ask};
use mancala_protocol::limits::BODY_BYTES_MAX;
use mancala_protocol::rest::MatchList;
use mancala_protocol::{EndReason, EventBody, MatchView, PublicId, ServerMessage, StageView};
use mancala_tests::client::code_of;
use mancala_tests::players::{Pair, make_between};
use mancala_tests::server::program;
use mancala_tests::{Answer, Client, Port, Request, ServerProcess};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const NOTE: &str = "The lamp went out.";

/// The secret by which a server knows its host. It must never stand in its log.
pub(crate) fn secret(server: &ServerProcess) -> String {
    let text = fs::read_to_string(server.data().join("host.json")).unwrap();
    let host: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(host["address"], server.address().to_string());
    let secret = host["secret"].as_str().unwrap();
    assert_eq!(secret.len(), 64, "256 bits in hexadecimal");
    server.keep_secret(secret);
    secret.to_owned()
}

fn path(name: PublicId) -> String {
    format!("/api/admin/matches/{name}/end")
}

/// Ends a match as the host does, by a request.
async fn end(server: &ServerProcess, name: PublicId, body: Value) -> Answer {
    let request = Request::post(path(name), &body).token(&secret(server));
    server.send(request).await
}

/// Runs `mancala admin` on a folder.
pub(crate) fn admin(data: &Path, arguments: &[&str]) -> Output {
    let mut admin = Command::new(program());
    admin.args(["admin", "--data"]).arg(data).args(arguments);
    admin.output().unwrap()
}

/// What it says where it does not do what it is asked for: one line.
pub(crate) fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    said
}

async fn text(server: &ServerProcess, path: String) -> String {
    let answer = server.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().to_owned()
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// A match as it was ended, without what goes by.
fn assert_ended(view: &MatchView, reason: EndReason, winner: Option<Side>) {
    assert_eq!(view.stage, StageView::Over);
    let ended = view.ended.as_ref().unwrap();
    assert_eq!((ended.reason, ended.winner), (reason, winner));
    assert_eq!(ended.note.as_deref(), Some(NOTE));
}

/// Over the socket, over REST and in the record it is the same, for players and those who watch,
/// and after a restart; and nothing can be played any more.
#[tokio::test]
async fn a_match_is_ended_as_the_host_says() {
    for (word, reason, winner, result) in [
        ("aborted", EndReason::Aborted, None, "void administrator"),
        (
            "drawn",
            EndReason::Administrator,
            None,
            "draw administrator",
        ),
        (
            "south",
            EndReason::Administrator,
            Some(Side::South),
            "south administrator",
        ),
        (
            "north",
            EndReason::Administrator,
            Some(Side::North),
            "north administrator",
        ),
    ] {
        let mut server = ServerProcess::start();
        let clock = json!({ "type": "fischer", "initial": 300, "increment": 5 });
        let wanted = json!({ "game": "urim", "format": "first_to 3", "clock": clock });
        let mut pair = Pair::meet(&server, wanted).await;
        let name = pair.name;
        let mut spectator = Client::nobody(&server).await;
        spectator.join(name).await;
        pair.play(3).await;
        let next = pair.south.followed[&name].view().seq + 1;

        let body = json!({ "as": word, "note": NOTE });
        let view: MatchView = end(&server, name, body).await.json();
        assert_ended(&view, reason, winner);
        assert_eq!(view.seq, next, "one event, and nothing else");
        for client in [&mut pair.south, &mut pair.north, &mut spectator] {
            client.hear_until(name, |followed| followed.is_over()).await;
            let followed = &client.followed[&name];
            assert_ended(followed.view(), reason, winner);
            assert_eq!(followed.view().seq, next);
            let ServerMessage::Event { body, .. } = &followed.events[&next] else {
                panic!("no event");
            };
            let EventBody::MatchEnded { note, .. } = body else {
                panic!("{body:?}");
            };
            assert_eq!(note.as_deref(), Some(NOTE));
        }
        for ask in [Ask::ResignMatch, Ask::Offer(OfferKind::Draw)] {
            let answer = pair.south.request(name, ask).await;
            assert_eq!(code_of(&answer), "match_over");
        }
        let list: MatchList = server.get("/api/v1/matches").await.json();
        assert_eq!(list.matches, []);
        let parts = ["", "/record", "/log"].map(|part| format!("/api/v1/matches/{name}{part}"));
        let mut before = Vec::new();
        for part in &parts {
            before.push(text(&server, part.clone()).await);
        }
        assert!(
            before[1].contains(&format!("[result \"{result}\"]")),
            "{}",
            before[1]
        );
        let lines = server.log();
        let lines: Vec<&str> = lines
            .lines()
            .filter(|line| line.contains("the host has ended the match"))
            .collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains(" INFO ") && lines[0].contains(&name.to_string()));

        server.kill();
        server.restart(Port::New);
        for (part, before) in parts.iter().zip(&before) {
            assert_eq!(text(&server, part.clone()).await, *before);
        }
        spectator.come_back(server.address()).await.unwrap();
        assert_ended(spectator.followed[&name].view(), reason, winner);
        let body = json!({ "as": word, "note": NOTE });
        let again = end(&server, name, body).await;
        assert_eq!(again.problem(), problem(409, "match_over"));
    }
}

/// Before it has begun, by contract before it is signed, in a pause, while an offer stands, and
/// while nobody has it loaded.
#[tokio::test]
async fn a_match_is_ended_wherever_it_stands() {
    let mut server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    let waiting = json!({ "game": "omweso", "seat": "south" });
    let waiting = server.make(&ann, &waiting).await.view.r#match;
    let clock = json!({ "type": "correspondence", "days": 3 });
    let contract = json!({ "game": "omweso", "way": "contract", "clock": clock });
    let contract = make_between(&server, &ann, &ben, contract).await;
    let clock = json!({ "type": "fischer", "initial": 60, "increment": 0 });
    let wanted = json!({ "game": "bao_kigogo", "clock": clock });
    let mut paused = Pair::meet(&server, wanted.clone()).await;
    paused.play(2).await;
    let name = paused.name;
    paused
        .south
        .request(name, Ask::Offer(OfferKind::Pause))
        .await;
    paused
        .north
        .request(name, Ask::Accept(OfferKind::Pause))
        .await;
    let view: MatchView = server.get(&format!("/api/v1/matches/{name}")).await.json();
    assert!(view.pause.is_some());
    let mut offered = Pair::meet(&server, wanted).await;
    offered.play(2).await;
    let draw = Ask::Offer(OfferKind::Draw);
    offered.south.request(offered.name, draw).await;
    // Nobody has any of them loaded now.
    server.kill();
    server.restart(Port::New);

    for name in [waiting, contract, paused.name, offered.name] {
        let body = json!({ "as": "drawn", "note": NOTE });
        let view: MatchView = end(&server, name, body).await.json();
        assert_ended(&view, EndReason::Administrator, None);
        let record = text(&server, format!("/api/v1/matches/{name}/record")).await;
        assert!(
            record.contains("[result \"draw administrator\"]"),
            "{record}"
        );
    }
    let seat = json!({ "side": "north" });
    let seat = Request::post(format!("/api/v1/matches/{waiting}/seats"), &seat);
    let late = server.send(seat.token(&ben)).await;
    assert_eq!(late.problem(), problem(409, "match_over"));
    for pair in [&mut paused, &mut offered] {
        let (south, name) = (&mut pair.south, pair.name);
        south.come_back(server.address()).await.unwrap();
        south.hear_until(name, |followed| followed.is_over()).await;
        let view = south.followed[&name].view();
        assert_ended(view, EndReason::Administrator, None);
    }
    let list: MatchList = server.get("/api/v1/matches").await.json();
    assert_eq!(list.matches, []);
}

#[tokio::test]
async fn nobody_else_ends_a_match() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    let host = secret(&server);
    let (ann, cookie) = (pair.south.token().to_owned(), |token: &str| {
        format!("mancala_token={token}")
    });
    let body = json!({ "as": "south", "note": NOTE });
    let nobody = Request::post(path(name), &body);
    let own = nobody.clone().header("origin", &server.origin());
    let mut wrong = host.clone();
    let last = wrong.pop();
    wrong.push(if last == Some('0') { '1' } else { '0' });
    for (request, status, code) in [
        (nobody.clone(), 401, "sign_in_needed"),
        (nobody.clone().token(&wrong), 401, "bad_token"),
        (nobody.clone().token(&host[1..]), 401, "bad_token"),
        (nobody.clone().token(""), 401, "bad_token"),
        (
            nobody.clone().header("authorization", &host),
            401,
            "bad_token",
        ),
        (nobody.clone().token(&ann), 403, "forbidden"),
        (
            nobody.clone().header("cookie", &cookie(&ann)),
            403,
            "bad_origin",
        ),
        (
            own.clone().header("cookie", &cookie(&ann)),
            403,
            "forbidden",
        ),
        // A page of this server's own has no way to be the host.
        (
            own.clone().header("cookie", &cookie(&host)),
            401,
            "bad_token",
        ),
        (
            nobody.clone().header("cookie", &cookie(&ann)).token(&host),
            400,
            "two_tokens",
        ),
    ] {
        let refused = server.send(request.clone()).await;
        assert_eq!(refused.problem(), problem(status, code), "{request:?}");
        assert!(!refused.text().contains(&host));
    }
    // Nor is the host anybody elsewhere.
    let me = Request::get("/api/v1/me").token(&host);
    assert_eq!(server.send(me).await.problem(), problem(401, "bad_token"));
    let get = Request::get(path(name)).token(&host);
    let get = server.send(get).await;
    assert_eq!(get.problem(), problem(405, "method_not_allowed"));
    pair.play(2).await;

    // The next life has another secret.
    server.terminate();
    assert!(server.ended().await.success());
    server.restart(Port::New);
    assert_ne!(secret(&server), host);
    let old = server.send(nobody.token(&host)).await;
    assert_eq!(old.problem(), problem(401, "bad_token"));
    let ended: MatchView = end(&server, name, body).await.json();
    assert_ended(&ended, EndReason::Administrator, Some(Side::South));
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_changes_nothing() {
    let server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let host = secret(&server);
    let well = json!({ "as": "drawn", "note": "ä".repeat(200) });
    for name in ["nosuchname", "none", "%00"] {
        let request = Request::post(format!("/api/admin/matches/{name}/end"), &well);
        let answer = server.send(request.token(&host)).await;
        assert_eq!(answer.problem(), problem(404, "no_such_match"), "{name}");
    }
    for body in [
        json!({ "as": "drawn", "note": "ä".repeat(201) }),
        json!({ "as": "drawn", "note": "" }),
        json!({ "as": "drawn", "note": "a\nb" }),
        json!({ "as": "drawn", "note": "a\u{1b}[2J" }),
        json!({ "as": "drawn", "note": "  " }),
        json!({ "as": "drawn", "note": "\u{200b}" }),
        json!({ "as": "drawn", "note": "\u{202e}abc" }),
        json!({ "as": "drawn", "note": "D\u{2028}E" }),
        json!({ "as": "drawn", "note": "\u{301}".repeat(200) }),
        json!({ "as": "drawn", "note": null }),
        json!({ "as": "drawn" }),
        json!({ "as": "won", "note": NOTE }),
        json!({ "as": { "drawn": null }, "note": NOTE }),
        json!({ "as": "drawn", "note": NOTE, "winner": "south" }),
        json!([]),
    ] {
        let answer = end(&server, pair.name, body.clone()).await;
        assert_eq!(answer.problem(), problem(400, "bad_message"), "{body}");
    }
    let huge = json!({ "as": "drawn", "note": "a".repeat(BODY_BYTES_MAX) });
    let answer = end(&server, pair.name, huge).await;
    assert_eq!(answer.problem(), problem(413, "too_large"));
    pair.play(2).await;
    // The longest note there is.
    let view: MatchView = end(&server, pair.name, well.clone()).await.json();
    assert_eq!(json!(view.ended.unwrap().note), well["note"]);
    let again = end(&server, pair.name, well).await;
    assert_eq!(again.problem(), problem(409, "match_over"));
}

/// What the disk does not have is told to nobody; once it is well, the match is ended.
#[tokio::test]
async fn while_nothing_can_be_written_no_match_is_ended() {
    let server = ServerProcess::start_on_disk();
    let disk = server.disk();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    pair.play(2).await;
    let seq = pair.south.followed[&pair.name].view().seq;
    disk.leave_room(0);
    let body = json!({ "as": "north", "note": NOTE });
    let answer = end(&server, pair.name, body.clone()).await;
    assert_eq!(answer.problem(), problem(503, "storage_unavailable"));
    let path = format!("/api/v1/matches/{}", pair.name);
    let view: MatchView = server.get(&path).await.json();
    assert_eq!((view.stage, view.seq), (StageView::Playing, seq));
    disk.mend();
    // They have heard nothing of it: each move is the next event.
    pair.play(2).await;
    assert_eq!(pair.south.followed[&pair.name].view().seq, seq + 2);
    let view: MatchView = end(&server, pair.name, body).await.json();
    assert_ended(&view, EndReason::Administrator, Some(Side::North));
    assert_eq!(view.seq, seq + 3);
}

/// Only the user who runs the server can be its host, and only while it runs.
#[tokio::test]
async fn the_secret_is_for_the_servers_user_alone_and_goes_with_the_server() {
    let mut server = ServerProcess::start();
    let file = server.data().join("host.json");
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert!(!server.data().join("host.json.partial").exists());
    let first = secret(&server);
    // After a crash it is left behind, perhaps half written, and the next start replaces it.
    server.kill();
    assert!(file.exists());
    fs::write(server.data().join("host.json.partial"), "{").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    server.restart(Port::New);
    assert_eq!(mode(&file), 0o600);
    assert!(!server.data().join("host.json.partial").exists());
    assert_ne!(secret(&server), first);
    // Another start that does not come about leaves it alone.
    let second = secret(&server);
    assert!(server.refused_start().contains("in use by another server"));
    assert_eq!(secret(&server), second);
    server.terminate();
    assert!(server.ended().await.success());
    assert!(!file.exists());
    for said in server.first_lines() {
        assert!(!said.contains(&second));
    }
    assert_eq!(server.last_lines(), "");
}

/// Whoever can read the folder says one line, and it is done.
#[tokio::test]
async fn the_command_line_ends_a_match() {
    let server = ServerProcess::start();
    secret(&server);
    let mut pair = Pair::meet(&server, json!({ "game": "nsolo" })).await;
    pair.play(2).await;
    let name = pair.name.to_string();
    let end = |note: &str| {
        let arguments = ["end-match", &name, "--as", "north", "--note", note];
        admin(&server.data(), &arguments)
    };
    let done = end(NOTE);
    assert!(done.status.success(), "{done:?}");
    assert!(done.stderr.is_empty(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(said, format!("the match {name} is over\n"));
    for client in [&mut pair.south, &mut pair.north] {
        client
            .hear_until(pair.name, |followed| followed.is_over())
            .await;
        let view = client.followed[&pair.name].view();
        assert_ended(view, EndReason::Administrator, Some(Side::North));
    }
    let said = refused(&end(NOTE));
    assert_eq!(said, "the match is over (match_over)\n");
    let other = ["end-match", "nosuchname", "--as", "aborted", "--note", "x"];
    let said = refused(&admin(&server.data(), &other));
    assert_eq!(said, "there is no match of this name (no_such_match)\n");
    // What cannot be is not even asked for.
    for note in ["", "a\nb", &"a".repeat(1_001)] {
        let output = end(note);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("up to 200 characters"), "{said}");
    }
}

/// Where there is nobody to ask, it says what to do.
#[tokio::test]
async fn the_command_line_says_why_there_is_no_server_to_ask() {
    let end = |data: &Path| {
        let arguments = ["end-match", "k3J9sPq0Zx", "--as", "drawn", "--note", NOTE];
        refused(&admin(data, &arguments))
    };
    let ephemeral = ServerProcess::start_with(&["--ephemeral"]);
    let said = end(&ephemeral.data());
    assert!(said.starts_with("no server runs on the folder "), "{said}");
    assert!(said.contains("--data") && said.contains("--ephemeral"));
    let guess = Request::post(
        "/api/admin/matches/k3J9sPq0Zx/end",
        &json!({ "as": "drawn", "note": NOTE }),
    );
    let nobody = ephemeral.send(guess.token("")).await;
    assert_eq!(nobody.problem(), problem(401, "bad_token"));

    let mut server = ServerProcess::start();
    let host = secret(&server);
    let file = server.data().join("host.json");
    let text = fs::read_to_string(&file).unwrap();
    // What listens where that server did is another one.
    let elsewhere = text.replace(
        &server.address().to_string(),
        &ephemeral.address().to_string(),
    );
    fs::write(&file, elsewhere).unwrap();
    let said = end(&server.data());
    assert!(
        said.contains("is another one than that which wrote"),
        "{said}"
    );
    assert!(!said.contains(&host));
    fs::write(&file, text.replace('"', "")).unwrap();
    let said = end(&server.data());
    assert!(said.contains("is not as a server writes it"), "{said}");
    assert!(!said.contains(&host));
    fs::write(&file, text).unwrap();
    server.kill();
    let said = end(&server.data());
    let expected = format!("no server listens on {}", server.address());
    assert!(said.starts_with(&expected), "{said}");
    assert!(!said.contains(&host));
    server.restart(Port::New);
    server.terminate();
    assert!(server.ended().await.success());
    let said = end(&server.data());
    assert!(said.starts_with("no server runs on the folder "), "{said}");
}
