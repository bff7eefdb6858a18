//! The inputs that fuzzing has kept, through the checks of their fuzz targets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use support::{laws, record};

/// Puts every file of a target's corpus through its check; there must be some.
fn replay(target: &str, check: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus_kept");
    let mut files = 0;
    for entry in fs::read_dir(corpus.join(target)).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        let kept = catch_unwind(|| check(&bytes)).is_ok();
        assert!(kept, "{target}/{:?}", entry.file_name());
        files += 1;
    }
    assert!(files > 0, "no corpus of {target}");
}

#[test]
fn position() {
    replay("position", laws::check_setup);
}

#[test]
fn action() {
    replay("action", laws::check_action);
}

#[test]
fn play() {
    replay("play", laws::check_game);
}

#[test]
fn record_text() {
    replay("record", record::check_record);
}
