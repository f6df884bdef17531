//! Tests of the checker of rankings: right ones are accepted, wrong ones rejected for their
//! reason, and none is accepted of a program that has a run without end.

mod by_hand;
mod certificates;
mod differential;
mod fair;
mod models;
mod mutants;
pub mod ranks;
