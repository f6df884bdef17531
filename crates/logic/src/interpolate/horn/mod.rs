//! Recursion-free Horn clauses, solved for their unknown predicates.
//!
//! A clause says what follows from known constraints and unknown predicates; a solution gives a
//! formula for each predicate such that all clauses are valid. Interpolation in all its forms is
//! the special case in which the clauses form a pair, a chain or a tree.

mod candidates;
mod cubes;
mod improve;
mod solve;
mod system;
mod unwind;
mod validity;

pub use system::{
    Application, Clause, ClauseError, ClauseId, Derivation, HornOutcome, HornSystem, Solution, UnknownId,
};
