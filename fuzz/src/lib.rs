//! The checks that the fuzz targets share with the tests of the engine and of the
//! protocol.
//!
//! ```text
//! cargo install cargo-fuzz --locked
//! cargo +nightly fuzz run play fuzz/corpus/play fuzz/corpus_kept/play -- -max_total_time=600
//! ```
//!
//! What a run finds goes, minimised (`cargo +nightly fuzz tmin`), into `corpus_kept/`:
//! a test beside each check puts every file there through the same checks.

#[path = "../../engine/tests/support/mod.rs"]
pub mod support;

#[path = "../../protocol/tests/support/message.rs"]
pub mod message;
