//! The tests of this crate that look at whole programs.

mod analysis;
mod definedness;
mod semantics;
mod wellformed;
