//! A first look at a frame: what kind it is, and its numbers.
//!
//! May know the words of the protocol by their names alone. A driver hears a hundred
//! thousand frames a second, and most of them say nothing that another has not said.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What is read of every frame; the rest is passed over.
#[derive(Debug, Deserialize)]
pub(crate) struct Glance<'a> {
    #[serde(borrow)]
    pub(crate) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) r#match: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) id: Option<u32>,
    pub(crate) seq: Option<u64>,
    /// The team that alone is told.
    #[serde(borrow)]
    pub(crate) only: Option<Cow<'a, str>>,
    pub(crate) number: Option<u32>,
    #[serde(borrow)]
    pub(crate) code: Option<Cow<'a, str>>,
    /// A list in `legal`, a number in `done`.
    #[serde(borrow)]
    pub(crate) actions: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_at_what_the_protocol_shows() {
        let legal = r#"{"type":"legal","match":"k3J9sPq0Zx","number":2,"phase":"play","actions":[{"type":"sow","pit":0}]}"#;
        let glance: Glance<'_> = serde_json::from_str(legal).unwrap();
        assert_eq!((&*glance.r#type, glance.number), ("legal", Some(2)));
        assert_eq!(glance.actions.unwrap().get(), r#"[{"type":"sow","pit":0}]"#);
        let done = r#"{"type":"done","id":4,"match":"k3J9sPq0Zx","number":2,"actions":1,"seq":5}"#;
        let glance: Glance<'_> = serde_json::from_str(done).unwrap();
        assert_eq!((glance.id, glance.seq), (Some(4), Some(5)));
    }
}
