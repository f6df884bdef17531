//! Tests of the checker of rely-guarantee proofs: right proofs are accepted, wrong ones rejected
//! for their reason.

mod by_hand;
mod certificates;
mod differential;
mod models;
