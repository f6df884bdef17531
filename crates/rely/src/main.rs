//! The rely command.
fn main() {}
