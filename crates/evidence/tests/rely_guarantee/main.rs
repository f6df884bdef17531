//! Tests of the checker of rely-guarantee proofs: right proofs are accepted, wrong ones rejected
//! for their reason.

mod differential;
mod explicit;
