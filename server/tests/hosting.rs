//! What people start the server with, beside a shell: the files name only what the program
//! knows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

const DOCKERFILE: &str = include_str!("../../Dockerfile");
const COMPOSE: &str = include_str!("../../docker-compose.yml");
const README: &str = include_str!("../../README.md");
const TOOLCHAIN: &str = include_str!("../../rust-toolchain.toml");

fn mancala() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mancala"))
}

fn help() -> String {
    let output = mancala().arg("--help").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The words of a text that begin so, as far as they are of these letters.
fn words<'a>(text: &'a str, beginning: &str) -> BTreeSet<&'a str> {
    let starts = text.match_indices(beginning).map(|(at, _)| &text[at..]);
    let ended = |letter: char| !letter.is_ascii_alphabetic() && !"-_".contains(letter);
    starts
        .map(|text| text.split(ended).next().unwrap())
        .collect()
}

#[test]
fn variables_are_known() {
    let help = help();
    let known = words(&help, "MANCALA_");
    assert!(known.contains("MANCALA_LISTEN"), "{known:?}");
    for (file, text) in [
        ("Dockerfile", DOCKERFILE),
        ("docker-compose.yml", COMPOSE),
        ("README.md", README),
    ] {
        let named = words(text, "MANCALA_");
        assert!(named.contains("MANCALA_PUBLIC_URL") || named.contains("MANCALA_DATA"));
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{file} has {unknown:?}");
    }
}

#[test]
fn the_image_is_built_by_the_toolchain_of_the_project() {
    let (_, version) = TOOLCHAIN.split_once("channel = \"").unwrap();
    let (version, _) = version.split_once('"').unwrap();
    assert!(DOCKERFILE.contains(&format!("FROM rust:{version}-slim-bookworm AS build")));
}

/// The image's variables, its entry point and its check of health, on this machine and
/// another port.
#[test]
fn the_check_of_health_finds_the_server_that_runs_and_no_other() {
    assert!(DOCKERFILE.contains("ENTRYPOINT [\"mancala\"]"));
    assert!(DOCKERFILE.contains("CMD [\"mancala\", \"health\"]"));
    let folder = tempfile::tempdir().unwrap();
    let mut server = mancala()
        .env("MANCALA_LISTEN", "127.0.0.1:0")
        .env("MANCALA_DATA", folder.path().join("data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut stdout = BufReader::new(server.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    let (_, address) = first.trim_end().rsplit_once("http://").unwrap();
    let (_, port) = address.rsplit_once(':').unwrap();
    let ask = |listen: String| {
        let mut health = mancala();
        health.arg("health").env("MANCALA_LISTEN", listen);
        // What else the image sets is no obstacle.
        health.env("MANCALA_DATA", folder.path());
        health.output().unwrap()
    };
    for ip in ["127.0.0.1", "0.0.0.0"] {
        let well = ask(format!("{ip}:{port}"));
        assert!(well.status.success(), "{well:?}");
        assert!(well.stdout.is_empty() && well.stderr.is_empty());
    }
    server.kill().unwrap();
    server.wait().unwrap();
    let gone = ask(address.to_owned());
    assert_eq!(gone.status.code(), Some(1));
    let said = String::from_utf8(gone.stderr).unwrap();
    assert!(
        said.starts_with(&format!("no server listens on {address}: ")),
        "{said}"
    );
}
