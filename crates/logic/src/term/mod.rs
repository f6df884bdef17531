//! Hash-consed terms: one id for one meaning, as far as normal forms reach.
//!
//! A [`TermPool`] owns all terms, variables and functions of a problem. Terms are built by smart
//! constructors that fold constants, flatten, sort and normalise; linear arithmetic is always a
//! sum with integer coefficients compared with zero, divided by its common divisor and tightened
//! to the integers. The children of a term always have smaller ids than the term itself, so every
//! traversal can be a loop over ids and no term, however deep, can exhaust the stack.

mod bits;
mod build;
mod build_bool;
mod cubes;
mod eval;
mod linear;
mod pool;
mod print;
mod transform;

pub use bits::BitOperation;
pub use cubes::TooManyCubes;
pub use eval::{Assignment, Value};
pub use pool::{FunctionId, Node, Sort, Sum, SymbolId, TermId, TermPool, Variable};
pub use print::Notation;

#[cfg(test)]
mod tests;
