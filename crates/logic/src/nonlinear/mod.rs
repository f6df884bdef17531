//! Formulas with any operations: choices, division, products, bits, functions, arrays.
//!
//! [`satisfiable`] takes any formulas. What is linear goes to the linear [`Solver`](crate::Solver)
//! as it is; every other term becomes a variable there, and lemmas say what is known about it:
//!
//! - choices, and division and remainder by constants: exactly, from the start;
//! - reads from changed arrays: by case distinction over the index; equality of arrays: equal
//!   elements at all indices that occur, or different ones at a witness;
//! - functions and reads from one array: congruence, where a model violates it;
//! - products of variables: multiplied out from the start; zeros, signs, order and tangent planes, where a model violates them;
//! - bit operations: exactly where one operand is a constant (the [`TermPool`] does that), else
//!   ranges from the start and single bits where a model has them wrong.
//!
//! A model of the abstraction is evaluated on the original formulas before it counts. If it is
//! none, lemmas that it violates are added, and so on; when no lemma helps any more or there were
//! too many rounds, the answer is `Unknown`. A refutation lists its lemmas, and
//! [`Refutation::check`] states them again on its own.
//!
//! ```
//! use rely_base::Budget;
//! use rely_logic::{Satisfiability, TermPool, satisfiable};
//!
//! let mut pool = TermPool::new();
//! let (x, y) = (pool.int_var("x"), pool.int_var("y"));
//! let budget = Budget::unlimited();
//!
//! // The remainder of a square modulo 4 is never 2 or 3; x*x = 2 has no solution.
//! let square = pool.mul(x, x);
//! let two = pool.int(2);
//! let formulas = [pool.eq(square, two)];
//! let answer = satisfiable(&mut pool, &formulas, &budget);
//! let Satisfiability::Unsat(refutation) = &answer.satisfiability else { panic!("{answer:?}") };
//! assert_eq!(refutation.check(&mut pool, &formulas), Ok(()));
//!
//! // x*y = 12 and x & 5 = 4 has one.
//! let product = pool.mul(x, y);
//! let (twelve, five, four) = (pool.int(12), pool.int(5), pool.int(4));
//! let bits = pool.bit_and(x, five);
//! let formulas = [pool.eq(product, twelve), pool.eq(bits, four)];
//! let answer = satisfiable(&mut pool, &formulas, &budget);
//! let Satisfiability::Sat(model) = &answer.satisfiability else { panic!("{answer:?}") };
//! assert!(model.satisfies(&pool, formulas[0]) && model.satisfies(&pool, formulas[1]));
//! ```

mod abstraction;
mod bits;
mod lemma;
mod memo;
mod polynomial;
mod product;
mod refine;
mod refutation;
mod solve;

pub use lemma::Lemma;
pub use memo::FormulaSolver;
pub use refutation::{Refutation, RefutationError};

use rely_base::Budget;

use crate::sat::{Interpretation, Obstacle, SearchStatistics};
use crate::term::{TermId, TermPool};

/// Whether formulas have a common model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// They have, and it was evaluated.
    Sat(Interpretation),
    /// They have none.
    Unsat(Refutation),
    /// It was not found out.
    Unknown(Obstacle),
}

/// An answer with the effort it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaAnswer {
    /// The answer.
    pub satisfiability: Satisfiability,
    /// The work of the linear solver.
    pub statistics: SearchStatistics,
    /// The number of lemmas about terms that are not linear.
    pub lemmas: u64,
}

/// Whether the formulas have a common model, whatever operations they use. For many questions, a
/// [`FormulaSolver`] saves setting up and answering twice.
pub fn satisfiable(pool: &mut TermPool, formulas: &[TermId], budget: &Budget) -> FormulaAnswer {
    solve::Workshop::default().solve(pool, formulas, budget)
}

#[cfg(test)]
mod tests;
