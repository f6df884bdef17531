//! Proofs by reduction: right ones, wrong ones, and a great many that nobody has looked at.

mod by_hand;
mod certificates;
mod differential;
#[path = "../rely_guarantee/explicit.rs"]
mod explicit;
mod generator;
mod models;
#[path = "../rely_guarantee/notation.rs"]
mod notation;
mod reductions;
#[path = "../rely_guarantee/solvers.rs"]
mod solvers;
