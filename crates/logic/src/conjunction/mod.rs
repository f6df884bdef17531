//! Conjunctions of linear constraints: satisfiable, and where? Or not, and why?
//!
//! [`Conjunction`] is the solver. Underneath are a general simplex on integer tableaus
//! (`tableau`, `simplex`, `feasibility`), shortest paths for large systems of differences (`differences`), the search for integers by cuts and case distinctions (`rounding`,
//! `lattice`, `search`), all generic in the numbers (`number`): machine words first, integers of
//! any size when a result does not fit.

mod differences;
mod effort;
mod feasibility;
mod lattice;
mod memo;
mod model;
mod number;
mod rounding;
mod search;
mod simplex;
mod solver;
mod tableau;

pub use effort::{Limits, Reason, Statistics};
pub use memo::{Answer, Memo};
pub use model::Model;
pub use solver::{Conjunction, Entailment, Verdict};

#[cfg(test)]
mod tests;
