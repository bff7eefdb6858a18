//! Schemas of all messages and bodies, by the rules of JSON Schema 2020-12.

use crate::challenge::{NewTeamChallenge, TeamChallenge, TeamChallengeList, TeamMatchList};
use crate::invite::{Invitation, InvitationList, Link, Me, NewInvitation, NewLink};
use crate::rest::{
    EndMatch, Guest, MatchList, MatchMade, NewGuest, NewMatch, Problem, RemoveLine, ReportList,
    TakeSeat, TalkPage,
};
use crate::standing::{
    ComeToTeam, NewCaptain, NewStandingTeam, StandingTeam, StandingTeamList, TeamLink,
};
use crate::{ClientMessage, MatchView, ServerMessage};
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// Each message and body in a schema of its own, by the name of its file.
pub(super) fn files() -> Vec<(&'static str, Value)> {
    vec![
        (
            "client-message",
            root::<ClientMessage>(Contract::Deserialize),
        ),
        ("server-message", root::<ServerMessage>(Contract::Serialize)),
        ("new-guest", root::<NewGuest>(Contract::Deserialize)),
        ("guest", root::<Guest>(Contract::Serialize)),
        ("me", root::<Me>(Contract::Serialize)),
        ("new-link", root::<NewLink>(Contract::Deserialize)),
        ("link", root::<Link>(Contract::Serialize)),
        (
            "new-invitation",
            root::<NewInvitation>(Contract::Deserialize),
        ),
        (
            "new-standing-team",
            root::<NewStandingTeam>(Contract::Deserialize),
        ),
        ("standing-team", root::<StandingTeam>(Contract::Serialize)),
        (
            "standing-team-list",
            root::<StandingTeamList>(Contract::Serialize),
        ),
        (
            "new-team-challenge",
            root::<NewTeamChallenge>(Contract::Deserialize),
        ),
        ("team-challenge", root::<TeamChallenge>(Contract::Serialize)),
        (
            "team-challenge-list",
            root::<TeamChallengeList>(Contract::Serialize),
        ),
        (
            "team-match-list",
            root::<TeamMatchList>(Contract::Serialize),
        ),
        ("team-link", root::<TeamLink>(Contract::Serialize)),
        ("come-to-team", root::<ComeToTeam>(Contract::Deserialize)),
        ("new-captain", root::<NewCaptain>(Contract::Deserialize)),
        ("invitation", root::<Invitation>(Contract::Serialize)),
        (
            "invitation-list",
            root::<InvitationList>(Contract::Serialize),
        ),
        ("new-match", root::<NewMatch>(Contract::Deserialize)),
        ("match-made", root::<MatchMade>(Contract::Serialize)),
        ("match-list", root::<MatchList>(Contract::Serialize)),
        ("match-view", root::<MatchView>(Contract::Serialize)),
        ("take-seat", root::<TakeSeat>(Contract::Deserialize)),
        ("end-match", root::<EndMatch>(Contract::Deserialize)),
        ("remove-line", root::<RemoveLine>(Contract::Deserialize)),
        ("talk-page", root::<TalkPage>(Contract::Serialize)),
        ("report-list", root::<ReportList>(Contract::Serialize)),
        ("problem", root::<Problem>(Contract::Serialize)),
    ]
}

fn root<T: JsonSchema>(contract: Contract) -> Value {
    generator(contract, "/$defs")
        .into_root_schema_for::<T>()
        .to_value()
}

/// The schemas of the socket, for a document that keeps them at this place.
pub(super) fn of_the_socket(path: &str) -> Map<String, Value> {
    let mut asked = generator(Contract::Deserialize, path);
    asked.subschema_for::<ClientMessage>();
    let mut said = generator(Contract::Serialize, path);
    said.subschema_for::<ServerMessage>();
    together([asked, said])
}

/// The schemas of REST, for a document that keeps them at this place.
pub(super) fn of_rest(path: &str) -> Map<String, Value> {
    let mut asked = generator(Contract::Deserialize, path);
    asked.subschema_for::<NewGuest>();
    asked.subschema_for::<NewMatch>();
    asked.subschema_for::<TakeSeat>();
    asked.subschema_for::<EndMatch>();
    asked.subschema_for::<NewLink>();
    asked.subschema_for::<NewStandingTeam>();
    asked.subschema_for::<ComeToTeam>();
    asked.subschema_for::<NewCaptain>();
    asked.subschema_for::<NewTeamChallenge>();
    asked.subschema_for::<NewInvitation>();
    asked.subschema_for::<RemoveLine>();
    let mut said = generator(Contract::Serialize, path);
    said.subschema_for::<Guest>();
    said.subschema_for::<MatchMade>();
    said.subschema_for::<MatchList>();
    said.subschema_for::<MatchView>();
    said.subschema_for::<Me>();
    said.subschema_for::<Link>();
    said.subschema_for::<StandingTeam>();
    said.subschema_for::<StandingTeamList>();
    said.subschema_for::<TeamLink>();
    said.subschema_for::<TeamChallenge>();
    said.subschema_for::<TeamChallengeList>();
    said.subschema_for::<TeamMatchList>();
    said.subschema_for::<Invitation>();
    said.subschema_for::<InvitationList>();
    said.subschema_for::<TalkPage>();
    said.subschema_for::<ReportList>();
    said.subschema_for::<Problem>();
    together([asked, said])
}

fn together(generators: [SchemaGenerator; 2]) -> Map<String, Value> {
    let mut all = Map::new();
    for mut generator in generators {
        for (name, schema) in generator.take_definitions(true) {
            let before = all.insert(name.clone(), schema.clone());
            assert!(
                before.is_none_or(|before| before == schema),
                "`{name}` is read in another form than it is written"
            );
        }
    }
    all
}

fn generator(contract: Contract, path: &str) -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.contract = contract;
            settings.definitions_path = path.to_owned().into();
        })
        .with_transform(Plain)
        .into_generator()
}

/// Takes away what says more about Rust than about JSON: the names of kinds of numbers, the ends of
/// a comment's lines and the examples in it, and `null` for what is simply left out.
#[derive(Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else {
            return;
        };
        if let Some(Value::String(format)) = object.get("format")
            && (format.starts_with("uint") || format.starts_with("int"))
        {
            let most = match &**format {
                "uint8" => Some(u64::from(u8::MAX)),
                "uint32" => Some(u64::from(u32::MAX)),
                _ => None,
            };
            object.remove("format");
            if let Some(most) = most {
                object.entry("maximum").or_insert(most.into());
            }
        }
        if let Some(Value::String(description)) = object.get_mut("description") {
            *description = super::paragraph(&without_code(description));
        }
        let required = object.get("required").cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = object.get_mut("properties") else {
            return;
        };
        for (name, property) in properties {
            let required = required.as_array();
            let required = required.is_some_and(|names| names.iter().any(|other| other == name));
            if let Value::Object(property) = property
                && !required
            {
                leave_out_null(property);
            }
        }
    }
}

/// A comment without the examples in it, which are written in Rust.
fn without_code(text: &str) -> String {
    let parts = text.split("```");
    parts.step_by(2).collect()
}

fn leave_out_null(property: &mut Map<String, Value>) {
    if property.get("default") == Some(&Value::Null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            property.insert("type".to_owned(), one);
        }
    }
    let Some(Value::Array(any_of)) = property.get_mut("anyOf") else {
        return;
    };
    any_of.retain(|schema| schema["type"] != "null");
    if let [Value::Object(one)] = any_of.as_mut_slice() {
        let one = std::mem::take(one);
        property.remove("anyOf");
        property.extend(one);
    }
}
