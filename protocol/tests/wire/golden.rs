//! A golden file for each word of the protocol: read, and written back byte for byte.

use mancala_protocol::challenge::{
    NewTeamChallenge, TeamChallenge, TeamChallengeList, TeamMatchList,
};
use mancala_protocol::invite::{Invitation, InvitationList, Link, Me, NewInvitation, NewLink};
use mancala_protocol::rest::{
    EndMatch, Guest, MatchList, MatchMade, NewGuest, NewMatch, Problem, RemoveLine, ReportList,
    TakeSeat, TalkPage,
};
use mancala_protocol::standing::{
    ComeToTeam, NewCaptain, NewStandingTeam, StandingTeam, StandingTeamList, TeamLink,
};
use mancala_protocol::{ClientMessage, MatchView, ServerMessage, WireAction, WireStep, documents};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// All golden files: their contents by their names.
pub(crate) fn golden() -> BTreeMap<String, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        files.insert(name, std::fs::read_to_string(path).unwrap());
    }
    files
}

/// The word of which a file is an example; there may be several, `server.event.acted.timed`
/// beside `server.event.acted`.
pub(crate) fn word_of(name: &str) -> String {
    let parts = if name.starts_with("server.event.") {
        3
    } else {
        2
    };
    let parts: Vec<&str> = name.split('.').take(parts).collect();
    parts.join(".")
}

fn rewritten<T: Serialize + DeserializeOwned>(name: &str, text: &str) -> String {
    let read: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::to_string(&read).unwrap() + "\n"
}

#[test]
fn golden_files_come_back_byte_for_byte() {
    for (name, text) in golden() {
        let word = word_of(&name);
        let (kind, rest) = word.split_once('.').unwrap();
        let rewrite = match (kind, rest) {
            ("client", _) => rewritten::<ClientMessage>,
            ("server", _) => rewritten::<ServerMessage>,
            ("step", _) => rewritten::<WireStep>,
            ("action", _) => rewritten::<WireAction>,
            ("rest", "new_guest") => rewritten::<NewGuest>,
            ("rest", "end_match") => rewritten::<EndMatch>,
            ("rest", "guest") => rewritten::<Guest>,
            ("rest", "come_to_team") => rewritten::<ComeToTeam>,
            ("rest", "new_team_challenge") => rewritten::<NewTeamChallenge>,
            ("rest", "team_challenge") => rewritten::<TeamChallenge>,
            ("rest", "team_challenge_list") => rewritten::<TeamChallengeList>,
            ("rest", "team_match_list") => rewritten::<TeamMatchList>,
            ("rest", "team_link") => rewritten::<TeamLink>,
            ("rest", "new_captain") => rewritten::<NewCaptain>,
            ("rest", "new_standing_team") => rewritten::<NewStandingTeam>,
            ("rest", "standing_team") => rewritten::<StandingTeam>,
            ("rest", "standing_team_list") => rewritten::<StandingTeamList>,
            ("rest", "me") => rewritten::<Me>,
            ("rest", "link") => rewritten::<Link>,
            ("rest", "new_link") => rewritten::<NewLink>,
            ("rest", "invitation") => rewritten::<Invitation>,
            ("rest", "invitation_list") => rewritten::<InvitationList>,
            ("rest", "new_invitation") => rewritten::<NewInvitation>,
            ("rest", "new_match") => rewritten::<NewMatch>,
            ("rest", "match_made") => rewritten::<MatchMade>,
            ("rest", "match_view") => rewritten::<MatchView>,
            ("rest", "match_list") => rewritten::<MatchList>,
            ("rest", "take_seat") => rewritten::<TakeSeat>,
            ("rest", "remove_line") => rewritten::<RemoveLine>,
            ("rest", "talk_page") => rewritten::<TalkPage>,
            ("rest", "report_list") => rewritten::<ReportList>,
            ("rest", "problem") => rewritten::<Problem>,
            _ => panic!("what is {name}?"),
        };
        assert_eq!(rewrite(&name, &text), text, "{name}");
    }
}

/// What the schemas know, there is a golden file of, and the other way round.
#[test]
fn each_word_has_its_golden_file() {
    let files: BTreeMap<String, Value> = documents::files().into_iter().collect();
    let client = &files["schemas/client-message.json"];
    let server = &files["schemas/server-message.json"];
    let mut expected = BTreeSet::new();
    for name in tags(client, "type") {
        expected.insert(format!("client.{name}"));
    }
    for name in tags(server, "type") {
        expected.insert(format!("server.{name}"));
    }
    assert!(expected.remove("server.event"));
    let event = variants(server).find(|variant| tag(variant, "type") == "event");
    for name in tags(event.unwrap(), "kind") {
        expected.insert(format!("server.event.{name}"));
    }
    for name in tags(&server["$defs"]["Action"], "type") {
        expected.insert(format!("action.{name}"));
    }
    for step in server["$defs"]["Step"]["anyOf"].as_array().unwrap() {
        let name = step["required"][0].as_str().unwrap();
        expected.insert(format!("step.{name}"));
    }
    for path in files.keys() {
        let name = path.strip_prefix("schemas/");
        let name = name.and_then(|name| name.strip_suffix(".json"));
        if let Some(name) = name.filter(|name| !name.ends_with("-message")) {
            expected.insert(format!("rest.{}", name.replace('-', "_")));
        }
    }
    let found: BTreeSet<String> = golden().keys().map(|name| word_of(name)).collect();
    assert_eq!(found, expected);
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().unwrap().iter()
}

fn tag(variant: &Value, field: &str) -> String {
    let word = &variant["properties"][field]["const"];
    word.as_str().unwrap().to_owned()
}

fn tags(schema: &Value, field: &str) -> Vec<String> {
    variants(schema)
        .map(|variant| tag(variant, field))
        .collect()
}
