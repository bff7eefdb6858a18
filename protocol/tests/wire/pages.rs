//! What `proto-docs/protocol.md` says is so, and the example clients read what comes.

use crate::random_match::{RandomMatch, all_agreed};
use mancala_play::Control;
use mancala_protocol::challenge::{NewTeamChallenge, TeamMatchList};
use mancala_protocol::invite::{Link, NewInvitation, NewLink};
use mancala_protocol::rest::{
    EndMatch, Guest, NewMatch, Problem, RemoveLine, ReportList, TakeSeat, TalkPage,
};
use mancala_protocol::standing::{ComeToTeam, NewCaptain, NewStandingTeam, StandingTeam};
use mancala_protocol::{
    ClientMessage, CloseCode, Code, MatchView, ServerMessage, WireStep, all_codes, limits,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto-docs");

pub(crate) fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(DOCS).join(name)).unwrap()
}

/// The fenced blocks of a page: the words after the fence, and the lines.
pub(crate) fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("```") {
            let block = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((words, block.collect()));
        }
    }
    blocks
}

/// The rows of all tables, as cells.
fn rows(page: &str) -> Vec<Vec<&str>> {
    page.lines()
        .filter(|line| line.starts_with("| "))
        .map(cells)
        .collect()
}

/// The cells of a line, if it is the row of a table.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    let inner = line
        .strip_prefix('|')
        .and_then(|line| line.strip_suffix('|'));
    inner.map_or_else(Vec::new, |inner| inner.split('|').map(str::trim).collect())
}

fn plain(cell: &str) -> &str {
    cell.trim_matches('`')
}

fn same<T: Serialize + DeserializeOwned>(line: &str) -> String {
    let read: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    serde_json::to_string(&read).unwrap()
}

/// Where the order of fields is lost in reading, the line stands for what it says.
fn same_value<T: Serialize + DeserializeOwned>(line: &str) -> String {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&same::<T>(line)), value(line));
    line.to_owned()
}

/// Every example comes back as it stands there.
#[test]
fn examples_are_messages() {
    let pages = ["protocol.md", "teams.md", "talk.md"].map(page);
    let mut found = BTreeSet::new();
    for (words, lines) in pages.iter().flat_map(|page| blocks(page)) {
        let rewrite = match words {
            "json client" => same::<ClientMessage>,
            "json server" | "json server timed" | "json server contract" | "json server blitz" => {
                same::<ServerMessage>
            }
            "json clock" => same::<Control>,
            "json step" => same::<WireStep>,
            "json rest guest" => same::<Guest>,
            "json rest new_match" => same_value::<NewMatch>,
            "json rest match_view" => same::<MatchView>,
            "json rest take_seat" => same::<TakeSeat>,
            "json rest new_standing_team" => same::<NewStandingTeam>,
            "json rest standing_team" => same::<StandingTeam>,
            "json rest new_team_challenge" => same_value::<NewTeamChallenge>,
            "json rest team_match_list" => same::<TeamMatchList>,
            "json rest come_to_team" => same::<ComeToTeam>,
            "json rest new_captain" => same::<NewCaptain>,
            "json rest new_link" => same::<NewLink>,
            "json rest link" => same::<Link>,
            "json rest new_invitation" => same::<NewInvitation>,
            "json rest end_match" => same::<EndMatch>,
            "json rest talk_page" => same::<TalkPage>,
            "json rest remove_line" => same::<RemoveLine>,
            "json rest report_list" => same::<ReportList>,
            "json rest problem" => same::<Problem>,
            "sh" | "python checksum" => continue,
            other => panic!("what is a block of {other}?"),
        };
        for line in lines {
            assert_eq!(rewrite(line), line);
            if let Some((_, rest)) = line.split_once(r#""type":""#) {
                found.insert(rest.split('"').next().unwrap().to_owned());
            }
        }
    }
    for word in [
        "hello",
        "act",
        "preview",
        "ask",
        "welcome",
        "joined",
        "legal",
        "previewed",
    ] {
        assert!(found.contains(word), "no example of {word}");
    }
}

#[test]
fn every_code_has_its_row_and_no_other() {
    let page = page("protocol.md");
    let (_, errors) = page.split_once("\n## Errors\n").unwrap();
    let (errors, _) = errors.split_once("\n## Limits\n").unwrap();
    let rows = rows(errors);
    let rows = rows.iter().filter(|row| row[0].starts_with('`'));
    let told: BTreeMap<&str, &Vec<&str>> = rows.map(|row| (plain(row[0]), row)).collect();
    assert!(told.keys().eq(all_codes().keys()), "{:?}", told.keys());
    for code in Code::ALL {
        assert_eq!(
            told[code.as_str()][1],
            code.status().to_string(),
            "{code:?}"
        );
    }
}

#[test]
fn limits_are_those_of_the_code() {
    macro_rules! limits {
        ($($name:ident),* $(,)?) => {
            BTreeMap::from([$((
                stringify!($name).to_lowercase(),
                limits::$name.to_string(),
            )),*])
        };
    }
    let limits = limits![
        CLIENT_FRAME_BYTES_MAX,
        BODY_BYTES_MAX,
        MATCHES_A_PAGE_MAX,
        IDEMPOTENCY_HOURS,
        MATCHES_A_SOCKET_MAX,
        MISSED_EVENTS_MAX,
        LAPS_TOLD_MAX,
        HELLO_SECONDS_MAX,
        PING_SECONDS,
        MESSAGES_A_SECOND_MAX,
        MESSAGES_BURST_MAX,
        NAME_CHARACTERS_MAX,
        NAME_BYTES_MAX,
        LINE_CHARACTERS_MAX,
        LINE_BYTES_MAX,
        TALK_LINES_TOLD_MAX,
        TALK_LINES_A_PAGE_MAX,
        TALK_LINES_A_ROOM_MAX,
        TALK_LINES_FOR_PLAYERS,
        TALK_LINES_A_SECOND_MAX,
        TALK_BURST_MAX,
        TALK_SECONDS_A_LINE,
        REPORTS_A_DAY_MAX,
        SEATS_A_TEAM_MAX,
        WAITING_A_TEAM_MAX,
        ARRIVALS_A_TEAM_MAX,
        ARRIVALS_A_PERSON_MAX,
        PROPOSALS_A_MEMBER_MAX,
        LINKS_A_MATCH_MAX,
        INVITATIONS_A_MATCH_MAX,
        INVITATIONS_A_PERSON_MAX,
        MEMBERS_A_STANDING_TEAM_MAX,
        STANDING_TEAMS_A_PERSON_MAX,
        CHALLENGES_FROM_A_TEAM_MAX,
        CHALLENGES_TO_A_TEAM_MAX,
    ];
    let source = include_str!("../../src/limits.rs");
    assert_eq!(source.matches("pub const ").count(), limits.len());
    let page = page("protocol.md");
    let (_, table) = page.split_once("\n## Limits\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows = rows(table);
    let rows = rows.iter().filter(|row| row[0].starts_with('`'));
    let told: BTreeMap<String, String> = rows
        .map(|row| (plain(row[0]).to_owned(), row[1].to_owned()))
        .collect();
    assert_eq!(told, limits);
}

#[test]
fn close_codes_are_those_of_the_code() {
    let page = page("protocol.md");
    let (_, table) = page.split_once("\n## How sockets end\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows = rows(table);
    let told: BTreeMap<u16, &Vec<&str>> = rows
        .iter()
        .filter_map(|row| Some((row[0].parse().ok()?, row)))
        .collect();
    assert!(
        told.keys()
            .copied()
            .eq(CloseCode::ALL.map(CloseCode::number))
    );
    for close in CloseCode::ALL {
        let row = told[&close.number()];
        let codes = Code::ALL
            .iter()
            .filter(|code| CloseCode::for_code(**code) == Some(close));
        let codes: BTreeSet<&str> = codes.map(|code| code.as_str()).collect();
        let words = row[1].split(", ").map(plain);
        let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
        assert_eq!(words, codes, "{close:?}");
        assert_eq!(row[2].starts_with("yes"), close.may_resume(), "{close:?}");
    }
}

/// Links within the docs lead to files and headings that are there.
#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for entry in std::fs::read_dir(DOCS).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        for rest in page(name).split("](").skip(1) {
            let target = rest.split(')').next().unwrap();
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { name } else { file };
            let place = path.parent().unwrap().join(file);
            assert!(place.exists(), "{name}: {target}");
            if !heading.is_empty() {
                let page = std::fs::read_to_string(place).unwrap();
                let mut headings = page.lines().filter(|line| line.starts_with('#'));
                assert!(
                    headings.any(|line| anchor(line) == heading),
                    "{name}: {target}"
                );
            }
            links += 1;
        }
    }
    assert!(links > 40, "only {links}");
}

/// The anchor that a heading gets on the page.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .chars()
        .filter(|&letter| letter.is_alphanumeric() || " -_".contains(letter))
        .map(|letter| {
            if letter == ' ' {
                '-'
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect()
}

fn output(mut command: Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn python_checksum() {
    let page = page("protocol.md");
    let blocks = blocks(&page);
    let (_, block) = blocks
        .iter()
        .find(|(words, _)| *words == "python checksum")
        .unwrap();
    let program = format!(
        "{}\nimport json\nprint(checksum(json.loads(input())))",
        block.join("\n")
    );
    let mut python = Command::new("python3");
    python.args(["-c", &program]);
    let start = r#"{"pits":{"south":[3,3,3,3,3,3],"north":[3,3,3,3,3,3]},"stores":{"south":0,"north":0},"to_move":"south"}"#;
    assert_eq!(output(python, &format!("{start}\n")).trim(), "1065722b");
}

/// For each of some random matches, lines of JSON: the view at its beginning, its events,
/// and the view at its end.
fn whole_matches() -> String {
    let mut text = String::new();
    for spec in all_agreed() {
        let mut played = RandomMatch::of(spec, 5);
        let mut lines = vec![serde_json::to_string(&played.view()).unwrap()];
        while let Some(batch) = played.step() {
            lines.extend(
                batch
                    .frames
                    .iter()
                    .map(|frame| serde_json::to_string(frame).unwrap()),
            );
        }
        lines.push(serde_json::to_string(&played.view()).unwrap());
        text += &format!("[{}]\n", lines.join(","));
    }
    text
}

fn example(path: &str) -> PathBuf {
    Path::new(DOCS).join("examples").join(path)
}

/// The Python client comes to the server's view of whole matches, from their events alone.
#[test]
fn python_client_reads_whole_matches() {
    let program = r#"
import json, sys, types
sys.dont_write_bytecode = True
for name, word in [("websockets.exceptions", "WebSocketException"), ("websockets.sync.client", "connect")]:
    sys.modules[name] = types.ModuleType(name)
    setattr(sys.modules[name], word, Exception)
sys.path.insert(0, sys.argv[1])
import client
for line in sys.stdin:
    view, *events, expected = json.loads(line)
    for event in events:
        client.take_in(view, event)
    for one in (view, expected):
        one.pop("checksum", None)
        for field in ("elapsed_ms", "due_ms"):
            one.get("clocks", {}).pop(field, None)
        one["away"] = {side: away["how"] for side, away in one.get("away", {}).items()}
    assert view == expected, (view, expected)
    print(len(events))
"#;
    let mut python = Command::new("python3");
    let folder = example("python");
    python.args(["-c", program, folder.to_str().unwrap()]);
    check_counts(&output(python, &whole_matches()));
}

/// So does the JavaScript client, where there is a Node to run it.
#[test]
fn javascript_client_reads_whole_matches() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("no node here: the JavaScript client was not run");
        return;
    }
    let program = r#"
import assert from "node:assert";
import { readFileSync } from "node:fs";
globalThis.WebSocket ??= class {};
const { takeIn } = await import(process.env.CLIENT);
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const all = JSON.parse(line);
  const [view, expected] = [all.shift(), all.pop()];
  for (const event of all) takeIn(view, event);
  for (const one of [view, expected]) {
    delete one.checksum;
    for (const field of ["elapsed_ms", "due_ms"]) delete one.clocks?.[field];
    one.away = Object.entries(one.away ?? {}).map(([side, { how }]) => [side, how]);
  }
  assert.deepStrictEqual(view, expected);
  console.log(all.length);
}
"#;
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", program]);
    node.env(
        "CLIENT",
        example("javascript/client.mjs").canonicalize().unwrap(),
    );
    check_counts(&output(node, &whole_matches()));
}

fn check_counts(printed: &str) {
    let counts: Vec<usize> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(counts.len(), all_agreed().len());
    assert!(counts.iter().sum::<usize>() > 300, "{counts:?}");
}
