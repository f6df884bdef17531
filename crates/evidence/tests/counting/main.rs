//! Tests of counting proofs: right ones are accepted, wrong ones rejected for their reason, and what
//! is accepted is true of every state that can be reached.

mod by_hand;
mod certificates;
mod differential;
#[path = "../rely_guarantee/explicit.rs"]
mod explicit;
mod generated;
mod models;
mod notation;
#[path = "../rely_guarantee/notation.rs"]
mod rely_guarantee_notation;
#[path = "../rely_guarantee/solvers.rs"]
mod solvers;
