//! The example clients of proto-docs play whole matches, each against its like and against
//! the other one, and are watched by both. `tests/install` installs what they need.

use mancala_protocol::{MatchView, PublicId, TeamView};
use mancala_tests::server::{target, until};
use mancala_tests::{Request, ServerProcess};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    JavaScript,
}

use Language::{JavaScript, Python};

/// Where `tests/install` puts what the clients need.
fn installed() -> PathBuf {
    target().join("example-clients")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto-docs/examples")
}

/// A Python that has `websockets`.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let own = installed().join("python/bin/python3");
        let can = |python: &PathBuf| {
            let mut import = Command::new(python);
            import.args(["-c", "import websockets.sync.client"]);
            import.output().is_ok_and(|output| output.status.success())
        };
        let found = [own, "python3".into()].into_iter().find(can);
        found.expect("no Python has `websockets`: tests/install installs it")
    })
}

/// A copy of the client in a folder from where Node finds `ws`.
fn javascript() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    static CLIENT: OnceLock<PathBuf> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let folder = FOLDER.get_or_init(|| tempfile::tempdir().unwrap()).path();
        let client = folder.join("client.mjs");
        fs::copy(examples().join("javascript/client.mjs"), &client).unwrap();
        let modules = installed().join("node_modules");
        if modules.exists() {
            std::os::unix::fs::symlink(modules, folder.join("node_modules")).unwrap();
        }
        let has_socket = "if (typeof WebSocket !== 'function') await import('ws')";
        let import = Command::new("node")
            .args(["--input-type=module", "-e", has_socket])
            .current_dir(folder)
            .output();
        assert!(
            import.is_ok_and(|output| output.status.success()),
            "there is no Node, or it has no WebSocket: tests/install installs both"
        );
        client
    })
}

/// A program of the examples in Python.
fn with_python(file: &str) -> Command {
    let mut command = Command::new(python());
    command
        .arg(examples().join("python").join(file))
        // What one of them has from the other is not kept beside them in another form.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// A client at work.
struct Player {
    language: Language,
    child: Child,
    stdout: BufReader<ChildStdout>,
    errors: PathBuf,
}

impl Player {
    fn start(server: &ServerProcess, language: Language, arguments: &[&str]) -> Player {
        let command = match language {
            Python => with_python("client.py"),
            JavaScript => {
                let mut command = Command::new("node");
                command.arg(javascript());
                command
            }
        };
        Player::of(command, server, language, arguments)
    }

    /// A member of a team.
    fn in_team(server: &ServerProcess, arguments: &[&str]) -> Player {
        Player::of(with_python("team.py"), server, Python, arguments)
    }

    fn of(
        mut command: Command,
        server: &ServerProcess,
        language: Language,
        arguments: &[&str],
    ) -> Player {
        let (errors, path) = tempfile::NamedTempFile::new().unwrap().keep().unwrap();
        let mut child = command
            .args(["--server", &server.origin()])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        Player {
            language,
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            errors: path,
        }
    }

    /// The name of the match that it says it has made.
    fn made(&mut self) -> PublicId {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let name = line.strip_prefix("made match ").and_then(|it| it.get(..10));
        let name = name.unwrap_or_else(|| panic!("{line}{}", self.errors()));
        name.parse().unwrap()
    }

    /// What it says of the match at the end.
    async fn ended(mut self) -> Value {
        // As long as it takes: a client that can keep up is no part of what is promised.
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let mut said = String::new();
        self.stdout.read_to_string(&mut said).unwrap();
        let language = self.language;
        assert!(status.success(), "{language:?}: {said}{}", self.errors());
        serde_json::from_str(said.lines().last().unwrap()).unwrap()
    }

    fn errors(&self) -> String {
        let mut errors = String::new();
        let mut file = File::open(&self.errors).unwrap();
        file.read_to_string(&mut errors).unwrap();
        errors
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_file(&self.errors);
    }
}

/// Both watch until the end; then all, and the server, have to say the same.
async fn ends_the_same(server: &ServerProcess, name: PublicId, players: [Player; 2]) {
    let text = name.to_string();
    let watchers =
        [Python, JavaScript].map(|language| Player::start(server, language, &["--watch", &text]));
    let mut said = Vec::new();
    for client in players.into_iter().chain(watchers) {
        said.push(client.ended().await);
    }
    let view: MatchView = server.get(&format!("/api/v1/matches/{name}")).await.json();
    let ended = view.ended.expect("the match is over");
    let expected = json!({
        "match": name, "seq": view.seq, "score": view.score, "ended": ended,
        "checksum": view.checksum,
    });
    assert_eq!(said, vec![expected; 4]);
}

/// One makes a match of this kind, the other one joins. Both lose their sockets at every so
/// many moves; 0 is never.
async fn play([south, north]: [Language; 2], game: &str, options: Value, format: &str, cut: u32) {
    let server = ServerProcess::start();
    let (options, cut) = (options.to_string(), cut.to_string());
    let make = [
        "--game",
        game,
        "--options",
        &options,
        "--format",
        format,
        "--cut",
        &cut,
    ];
    let mut south = Player::start(&server, south, &make);
    let name = south.made();
    let join = ["--join", &name.to_string(), "--cut", &cut];
    let north = Player::start(&server, north, &join);
    ends_the_same(&server, name, [south, north]).await;
}

#[tokio::test]
async fn python_plays_python() {
    let options = json!({ "setup": "free", "cap": 6 });
    play([Python, Python], "omweso", options, "first_to 2", 0).await;
}

#[tokio::test]
async fn javascript_plays_javascript() {
    play([JavaScript, JavaScript], "nsolo", json!({}), "single", 0).await;
}

#[tokio::test]
async fn python_plays_javascript_and_both_lose_their_sockets() {
    let options = json!({ "last_four": "lottery" });
    play([Python, JavaScript], "anywoli", options, "first_to 2", 25).await;
}

#[tokio::test]
async fn javascript_plays_python_and_both_lose_their_sockets() {
    play([JavaScript, Python], "bao_kigogo", json!({}), "single", 5).await;
}

#[tokio::test]
async fn they_join_a_match_by_its_link() {
    let server = ServerProcess::start();
    let ann = server.guest("Ann").await;
    let made = server
        .make(&ann, &json!({ "game": "urim", "access": "link" }))
        .await;
    let name = made.view.r#match;
    let secret = made.secret.unwrap();
    let text = name.to_string();
    let join = ["--join", &text, "--secret", &secret];
    let south = Player::start(&server, JavaScript, &join);
    until("the first one is seated", async || {
        let view = server.send(Request::get(format!("/api/v1/matches/{name}")));
        view.await.json::<MatchView>().players.south.is_some()
    })
    .await;
    let north = Player::start(&server, Python, &join);
    ends_the_same(&server, name, [south, north]).await;
}

/// Two a side play a match of teams to its end, and lose their sockets now and then; both
/// watchers see the same end.
async fn play_in_teams(way: &str) {
    let server = ServerProcess::start();
    let mut first = Player::in_team(&server, &["--make", way, "--cut", "17"]);
    let name = first.made();
    let text = name.to_string();
    let join = |side| Player::in_team(&server, &["--join", &text, "--side", side, "--cut", "23"]);
    let others = ["south", "north", "north"].map(join);
    let mut said = Vec::new();
    for player in std::iter::once(first).chain(others) {
        said.push(player.ended().await);
    }
    let view: MatchView = server.get(&format!("/api/v1/matches/{name}")).await.json();
    let teams = view.teams.unwrap();
    let names = |team: &TeamView| -> Vec<String> {
        let members = team.members.iter();
        members.map(|member| member.person.name.clone()).collect()
    };
    let expected = json!({
        "match": name, "seq": view.seq, "score": view.score, "ended": view.ended.unwrap(),
        "members": { "south": names(&teams.south), "north": names(&teams.north) },
        "checksum": view.checksum,
    });
    assert_eq!(said, vec![expected; 4]);
    for language in [Python, JavaScript] {
        let watched = Player::start(&server, language, &["--watch", &text])
            .ended()
            .await;
        assert_eq!(watched["checksum"], said[0]["checksum"]);
    }
}

#[tokio::test]
async fn members_of_teams_play_by_vote() {
    play_in_teams("vote").await;
}

#[tokio::test]
async fn members_of_teams_play_as_their_captain_does() {
    play_in_teams("captain").await;
}

#[tokio::test]
async fn members_of_teams_play_in_rotation() {
    play_in_teams("rotation").await;
}

#[tokio::test]
async fn members_of_teams_play_whoever_is_first() {
    play_in_teams("first").await;
}
