//! What people write and others read: names, and lines of text.
//!
//! May know Unicode, never who writes, nor where.

mod name;
mod sound;

pub(crate) use name::{keys, sound_name};
pub(crate) use sound::{Unsound, sound_line};
