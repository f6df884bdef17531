//! Random programs, a plain exploration of all their runs that uses nothing but the semantics,
//! and what it means that a pass preserves what they can do.

pub mod edits;
pub mod explorer;
pub mod generator;
pub mod preservation;
