//! The checks that the fuzz targets share with the engine's own tests.
//!
//! ```text
//! cargo install cargo-fuzz --locked
//! cargo +nightly fuzz run play fuzz/corpus/play fuzz/corpus_kept/play -- -max_total_time=600
//! ```
//!
//! What a run finds goes, minimised (`cargo +nightly fuzz tmin`), into `corpus_kept/`:
//! a test of the engine puts every file there through the same checks.

#[path = "../../engine/tests/support/mod.rs"]
pub mod support;
