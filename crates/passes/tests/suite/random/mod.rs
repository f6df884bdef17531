//! A plain exploration of all runs of a program that uses nothing but the semantics, and what it means that a pass preserves what they can do.

pub mod explorer;
pub mod preservation;
