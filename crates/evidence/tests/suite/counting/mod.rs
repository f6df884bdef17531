//! Tests of counting proofs: right ones are accepted, wrong ones rejected for their reason, and what
//! is accepted is true of every state that can be reached.

mod by_hand;
mod certificates;
mod differential;
mod generated;
mod models;
