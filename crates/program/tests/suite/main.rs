//! The tests of this crate that look at whole programs.

mod analysis;
mod definedness;
mod passes;
mod preservation;
mod random;
mod semantics;
mod sketch;
mod wellformed;
