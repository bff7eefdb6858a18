//! What tests and fuzz targets share. Games are drawn as JSON, so that the same draw
//! can be put before the engine, before the oracle and before a file.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "each test uses a part, the fuzz crate all of it; a check fails by panicking"
)]

pub mod draw;
pub mod laws;
pub mod lot;
pub mod reader;
pub mod record;
