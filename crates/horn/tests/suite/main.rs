//! The solver as its users meet it: texts in, checked answers out.

mod agreement;
mod checkers;
mod errors;
mod problems;
mod random;
mod round_trip;
mod support;
