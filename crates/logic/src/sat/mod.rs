//! Boolean structure over linear comparisons: models, proofs, assumptions.
//!
//! A [`Solver`] answers whether formulas of any boolean structure have a common model, by
//! conflict-driven clause learning over the [`Conjunction`](crate::Conjunction) solver. A model is
//! evaluated on the original formulas before it is given out. A refutation is a [`BooleanProof`]:
//! clauses of the formulas, definitions of connectives and lemmas of linear arithmetic, resolved
//! down to the empty clause, which [`BooleanProof::check`] replays without knowing the search.
//!
//! ```
//! use rely_base::Budget;
//! use rely_logic::{Outcome, Solver, TermPool};
//!
//! let mut pool = TermPool::new();
//! let (x, y) = (pool.int_var("x"), pool.int_var("y"));
//! let (zero, ten) = (pool.int(0), pool.int(10));
//! // x < y or x > y + 10, and x = y or y >= 0.
//! let less = pool.lt(x, y);
//! let far = pool.add(y, ten);
//! let beyond = pool.gt(x, far);
//! let apart = pool.or([less, beyond]);
//! let equal = pool.eq(x, y);
//! let positive = pool.ge(y, zero);
//! let either = pool.or([equal, positive]);
//!
//! let budget = Budget::unlimited();
//! let mut solver = Solver::new();
//! solver.assert(&mut pool, apart)?;
//! solver.assert(&mut pool, either)?;
//! assert_eq!(solver.check(&pool, &budget), Outcome::Sat);
//! let model = solver.interpretation().expect("there is one");
//! assert!(model.satisfies(&pool, apart) && model.satisfies(&pool, either));
//!
//! // Together with x = 5 and y < 0 there is no model, and there is a proof of that.
//! let five = pool.int(5);
//! let assumptions = [pool.eq(x, five), pool.lt(y, zero)];
//! assert_eq!(solver.check_assuming(&mut pool, &assumptions, &budget)?, Outcome::Unsat);
//! let proof = solver.proof().expect("there is one");
//! let formulas = [apart, either, assumptions[0], assumptions[1]];
//! assert_eq!(proof.check(&pool, &formulas), Ok(()));
//! # Ok::<(), rely_logic::NotLinear>(())
//! ```
//!
//! # Why a search of our own
//!
//! Interpolation needs resolution proofs: for every learnt clause the clauses it was derived
//! from, in order, with the pivots. Ready-made solvers with a theory hook report learnt clauses
//! but not their antecedents, so each would have to be found again by propagation, at the price
//! of a second solver. Recording them during analysis costs one pair of numbers per resolution
//! step. The rest is small as well, because the questions are: tens of atoms, where starting up
//! in microseconds counts for more than inprocessing. So the search has what matters at that
//! size (watched literals, learning at the first unique implication point with minimisation,
//! activities, saved phases, restarts) and no more.
//!
//! # How theory and search meet
//!
//! Comparisons of one linear form are related by lemmas from the start (`bounds`), so that
//! `x <= 3` propagates `x <= 5`. After each round of propagation the conjunction of the literals
//! assigned so far is checked, and a contradiction is learnt from as a lemma of those literals
//! that its proof uses. Most of these checks cost one evaluation, because a model of before still
//! holds. A literal that occurs in no clause with its sign is not told to the theory at all: no
//! clause becomes true by it.

mod analyze;
mod bounds;
mod check;
mod clause;
mod direct;
mod encode;
mod extract;
mod interpretation;
mod order;
mod proof;
mod search;
mod solver;
mod statistics;
mod theory;

pub use check::BooleanProofError;
pub use clause::ClauseId;
pub(crate) use direct::{Direct, decide_conjunction};
pub use encode::NotLinear;
pub use interpretation::Interpretation;
pub use proof::{BooleanProof, Literal, Origin, ProofClause};
pub use solver::{Obstacle, Outcome, Solver};
pub use statistics::SearchStatistics;

#[cfg(test)]
pub(crate) mod tests;
