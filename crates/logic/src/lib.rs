//! Linear integer arithmetic, exact, fast, and with reasons.
//!
//! Verifiers live on small questions about linear constraints over integers: is this conjunction
//! satisfiable, does it entail that predicate, and why? This crate answers them in microseconds,
//! in exact arithmetic, and every `unsat` comes with a proof that a checker of its own accepts.
//!
//! Numbers never wrap ([`Integer`], [`Rational`]); constraints are [`LinearForm`]s compared with
//! zero in a normal form ([`Constraint`]); formulas are hash-consed terms ([`TermPool`]). The
//! solver for conjunctions is [`Conjunction`], with [`Memo`] for questions that repeat.
//!
//! # Satisfiability
//!
//! ```
//! use rely_base::Budget;
//! use rely_logic::{Conjunction, Domain, TermPool, Verdict};
//!
//! let mut pool = TermPool::new();
//! let (x, y, two) = (pool.int_var("x"), pool.int_var("y"), pool.int(2));
//! let (above, doubled) = (pool.gt(x, two), pool.scale(2, y));
//! let even = pool.eq(x, doubled);
//! let formula = pool.and([above, even]);
//!
//! let mut solver = Conjunction::new(Domain::Integers);
//! for constraint in pool.constraints(formula).expect("a linear conjunction") {
//!     solver.assert(&constraint);
//! }
//! assert_eq!(solver.check(&Budget::unlimited()), Verdict::Sat);
//! let model = solver.model().expect("a solution");
//! let value = model.integer(pool.as_var(x).expect("a variable"));
//! assert_eq!(value, Some(4.into()));
//! ```
//!
//! # Entailment series
//!
//! Many predicates against one conjunction: the solver keeps its tableau, and a model found for
//! one question refutes others for nothing.
//!
//! ```
//! use rely_base::{Budget, Id};
//! use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, VarId};
//!
//! let [x, y, z] = [0, 1, 2].map(|index| LinearForm::variable(VarId::from_index(index)));
//! let budget = Budget::unlimited();
//! let mut context = Conjunction::new(Domain::Integers);
//! context.assert(&Constraint::lt(&x, &y));
//! context.assert(&Constraint::lt(&y, &z));
//! let predicates = [Constraint::lt(&x, &z), Constraint::ne(&x, &y), Constraint::eq(&x, &z)];
//! let answers = predicates.map(|predicate| context.entails(&predicate, &budget));
//! assert_eq!(answers, [Entailment::Yes, Entailment::Yes, Entailment::No]);
//! ```
//!
//! # Interpolation
//!
//! Why do two formulas contradict each other? The answer follows from the first, contradicts the
//! second, and mentions only what both know. [`interpolate`] has more: sequences, trees, Horn
//! clauses, wishes.
//!
//! ```
//! use rely_base::Budget;
//! use rely_logic::interpolate::{Interpolation, Preferences, interpolate};
//! use rely_logic::{Notation, TermPool};
//!
//! let mut pool = TermPool::new();
//! let [lo, i, hi, k] = ["lo", "i", "hi", "k"].map(|name| pool.int_var(name));
//! // lo <= i and i < hi, but hi = k and k <= lo.
//! let (low, high) = (pool.le(lo, i), pool.lt(i, hi));
//! let (equal, turned) = (pool.eq(hi, k), pool.le(k, lo));
//! let (inside, outside) = (pool.and([low, high]), pool.and([equal, turned]));
//! let answer =
//!     interpolate(&mut pool, inside, outside, &Preferences::default(), &Budget::unlimited());
//! let Interpolation::Found(reason) = answer else { panic!("{answer:?}") };
//! assert_eq!(pool.display(reason, Notation::Mathematics).to_string(), "lo < hi");
//! ```
//!
//! # Certificates
//!
//! ```
//! use rely_base::{Budget, Id};
//! use rely_logic::{Conjunction, Constraint, Domain, LinearForm, Relation, VarId, Verdict};
//!
//! // 3x = 2y + 1 and x = 2y: the lines meet at x = 1/2.
//! let [x, y] = [0, 1].map(VarId::from_index);
//! let inputs = [
//!     Constraint::new(LinearForm::new([(x, 3), (y, -2)], -1), Relation::Eq),
//!     Constraint::new(LinearForm::new([(x, 1), (y, -2)], 0), Relation::Eq),
//! ];
//! let mut solver = Conjunction::new(Domain::Integers);
//! for input in &inputs {
//!     solver.assert(input);
//! }
//! assert_eq!(solver.check(&Budget::unlimited()), Verdict::Unsat);
//! let proof = solver.proof().expect("a refutation");
//! assert_eq!(proof.check(Domain::Integers, &inputs), Ok(()));
//! // Without the second constraint, the proof proves nothing.
//! assert!(proof.check(Domain::Integers, &inputs[..1]).is_err());
//! ```

pub mod arith;
pub mod certificate;
pub mod conjunction;
pub mod domains;
pub mod interpolate;
pub mod linear;
pub mod nonlinear;
pub mod project;
pub mod sat;
pub mod smtlib;
pub mod term;

pub use arith::{Integer, ParseNumberError, Rational};
pub use certificate::{Combination, Hypothesis, Proof, ProofError, ProofNode, ProofNodeId};
pub use conjunction::{Answer, Conjunction, Entailment, Limits, Memo, Model, Reason, Statistics, Verdict};
pub use linear::{Constraint, Domain, LinearForm, NumberedNames, Relation, VarId, VarNames};
pub use nonlinear::{
    FormulaAnswer, FormulaSolver, Lemma, Refutation, RefutationError, Satisfiability, satisfiable,
};
pub use sat::{
    BooleanProof, BooleanProofError, ClauseId, Interpretation, Literal, NotLinear, Obstacle, Origin, Outcome,
    ProofClause, SearchStatistics, Solver,
};
pub use term::{
    Assignment, BitOperation, FunctionId, Node, Notation, Sort, Sum, SymbolId, TermId, TermPool,
    TooManyCubes, Value, Variable,
};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
