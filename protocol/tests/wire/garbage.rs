//! Whatever comes in place of a client's message: any bytes, messages gone wrong, JSON that
//! means nothing. `PROPTEST_CASES` says how much of it.

use crate::golden::golden;
use crate::message::check_message;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// The words of the protocol, which garbage has to use to get anywhere.
const WORDS: [&str; 54] = [
    "type",
    "id",
    "token",
    "client",
    "match",
    "since",
    "number",
    "actions",
    "key",
    "what",
    "hello",
    "join",
    "leave",
    "act",
    "preview",
    "ask",
    "ping",
    "listen",
    "unlisten",
    "say",
    "moderate",
    "report",
    "sow",
    "pit",
    "dir",
    "reverse",
    "forward",
    "strip",
    "take",
    "arrange",
    "pits",
    "direction",
    "koneeza",
    "lottery",
    "to",
    "south",
    "north",
    "lose_turn",
    "resign_match",
    "resign_game",
    "abort",
    "offer_draw",
    "accept_draw",
    "decline_takeback",
    "claim_win",
    "sign",
    "resume",
    "k3J9sPq0Zx",
    "key-1",
    "room",
    "public",
    "text",
    "line",
    "mute",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => select(&WORDS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..20).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec((word(), inner), 0..8).prop_map(|fields| Value::from(Map::from_iter(fields))),
        ]
    })
}

/// A message as the golden files have it, of any kind.
fn message() -> impl Strategy<Value = String> {
    let messages = golden().into_iter();
    let messages: Vec<_> = messages
        .filter(|(name, _)| name.starts_with("client."))
        .map(|(_, text)| text.trim_end().to_owned())
        .collect();
    select(messages)
}

/// What may happen to bytes on their way.
#[derive(Clone, Debug)]
enum Mishap {
    Changed(Index, u8),
    Gone(Index, Index),
    Doubled(Index, Index),
    Put(Index, String),
}

fn mishap() -> impl Strategy<Value = Mishap> {
    let any = any::<Index>;
    let sign = select(&b"{}[]\",:0123456789eE+-.\\u\x00\xff"[..]);
    let text = prop_oneof![word(), any_json().prop_map(|json| json.to_string())];
    prop_oneof![
        (any(), prop_oneof![sign, proptest::num::u8::ANY])
            .prop_map(|(at, to)| Mishap::Changed(at, to)),
        (any(), any()).prop_map(|(from, to)| Mishap::Gone(from, to)),
        (any(), any()).prop_map(|(from, to)| Mishap::Doubled(from, to)),
        (any(), text).prop_map(|(at, text)| Mishap::Put(at, text)),
    ]
}

impl Mishap {
    fn befall(&self, bytes: &mut Vec<u8>) {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match self {
            Mishap::Changed(at, to) => {
                let at = place(at);
                bytes.splice(at..bytes.len().min(at + 1), [*to]);
            }
            Mishap::Gone(from, to) => {
                let (from, to) = (place(from), place(to));
                bytes.drain(from.min(to)..from.max(to));
            }
            Mishap::Doubled(from, to) => {
                let (from, to) = (place(from), place(to));
                let part = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.splice(from..from, part);
            }
            Mishap::Put(at, text) => {
                let at = place(at);
                bytes.splice(at..at, text.bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        check_message(&bytes);
    }

    #[test]
    fn messages_gone_wrong(message in message(), mishaps in vec(mishap(), 0..4)) {
        let mut bytes = message.into_bytes();
        for mishap in mishaps {
            mishap.befall(&mut bytes);
        }
        check_message(&bytes);
    }

    #[test]
    fn json_that_means_nothing(json in any_json()) {
        check_message(json.to_string().as_bytes());
    }

    /// With a type, and so further on in the reading.
    #[test]
    fn fields_of_any_kind(kind in select(&WORDS[10..22]), fields in vec((word(), any_json()), 0..6)) {
        let mut message = Value::from(Map::from_iter(fields));
        message["type"] = json!(kind);
        check_message(message.to_string().as_bytes());
    }

    /// A message with one field that is something else.
    #[test]
    fn a_field_of_any_kind(message in message(), field in any::<Index>(), json in any_json()) {
        let mut message: Value = serde_json::from_str(&message).unwrap();
        let fields = message.as_object_mut().unwrap();
        let field = field.index(fields.len());
        *fields.values_mut().nth(field).unwrap() = json;
        check_message(message.to_string().as_bytes());
    }
}

/// What fuzzing has kept.
#[test]
fn the_kept_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus_kept/message");
    let mut files = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        let kept = catch_unwind(|| check_message(&bytes)).is_ok();
        assert!(kept, "message/{:?}", entry.file_name());
        files += 1;
    }
    assert!(files > 0, "no corpus of messages");
}
