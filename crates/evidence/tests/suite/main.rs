//! Tests of the checkers: right evidence is accepted, wrong evidence is rejected for its reason, and what
//! is accepted is true.

mod basics;
mod common;
mod counting;
mod counting_notation;
mod explicit;
mod helping;
mod lassos;
mod notation;
mod ranking;
mod recurrences;
mod reduced;
mod rely_guarantee;
mod solvers;
