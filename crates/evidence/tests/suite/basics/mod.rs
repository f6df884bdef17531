//! Traces, and proofs by visiting all states.

mod mutations;
mod proofs;
mod support;
mod traces;
mod waits;
