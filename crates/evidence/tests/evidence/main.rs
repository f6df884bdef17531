//! Tests of the checkers: right evidence is accepted, wrong evidence rejected for its reason.

mod proofs;
mod support;
mod traces;
