//! Tests of the checker of rankings: right ones are accepted, wrong ones rejected for their
//! reason, and none is accepted of a program that has a run without end.

mod by_hand;
mod certificates;
mod differential;
mod models;
#[path = "../rely_guarantee/notation.rs"]
mod notation;
mod ranks;
#[path = "../rely_guarantee/solvers.rs"]
mod solvers;
