//! Tests of the checkers: right evidence is accepted, wrong evidence rejected for its reason.

mod mutations;
mod proofs;
mod support;
mod traces;
