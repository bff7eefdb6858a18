//! What the tests of the parts together share.

pub mod logs;
