//! A slow and plain second engine, to compare the fast one with.
//!
//! Written from the rules alone, by somebody who had not seen the fast one: seed by
//! seed, nothing precomputed, nothing remembered but the position and those before it.
//! It may know JSON and the rules, and nothing of the crate under test.

#![allow(dead_code, reason = "each test that includes it uses a part")]

mod anywoli;
mod bao_kigogo;
mod json;
mod nsolo;
mod omweso;
mod state;
mod table;
mod urim;

pub(crate) use table::Table;
