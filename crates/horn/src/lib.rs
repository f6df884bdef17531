//! Recursive Horn clauses over linear integer arithmetic, with answers that are checked.
//!
//! A clause says that a constraint and some unknown predicates imply another one, or false. Safety of
//! programs, sequential or concurrent, with procedures or without, is the question whether such clauses
//! have a model. This crate reads them from text ([`parse`]), [`solve`]s them in the manner of HSF, and
//! checks what comes out before it is given: a *model* is a formula for every predicate that makes all
//! clauses valid, a *derivation* is a ground proof of false.
//!
//! ```
//! use rely_base::{Budget, Silent};
//! use rely_horn::{Answer, model_text, parse, solve};
//! use rely_logic::TermPool;
//!
//! let text = "
//!     (set-logic HORN)
//!     (declare-fun loop (Int Int) Bool)
//!     (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (loop x y))))
//!     (assert (forall ((x Int) (y Int)) (=> (and (loop x y) (< x 10)) (loop (+ x 1) (+ y 2)))))
//!     (assert (forall ((x Int) (y Int)) (=> (and (loop x y) (>= x 10) (not (= y 20))) false)))";
//! let mut pool = TermPool::new();
//! let system = parse(&mut pool, text)?;
//! let answer = solve(&mut pool, &system, None, &Budget::unlimited(), &Silent);
//! let Answer::Sat(model) = answer else { panic!("{answer:?}") };
//! assert!(model_text(&pool, &system, &model).starts_with("(define-fun loop ((p Int) (p@1 Int)) Bool "));
//! # Ok::<(), rely_horn::SyntaxError>(())
//! ```
//!
//! What the solver does is told in its module and in the book. `cargo run --release -p rely-horn --example compare
//! -- --random 100 FILE...` measures it beside z3.
//!
//! # Why recursion-free clauses are solved elsewhere
//!
//! Refinement needs solutions of Horn clauses without recursion. These are tree interpolants, and
//! [`rely_logic::interpolate`] computes all its interpolants as such solutions: the two cannot be divided,
//! and engines and proofs use interpolants without knowing recursive clauses. So they stay there, and this
//! crate shares their vocabulary ([`Application`], [`Clause`]).

pub mod check;
mod clauses;
mod limits;
mod normal;
mod solver;
mod syntax;

pub use clauses::{Derivation, DerivationStep, Malformed, Model, System, Unknown, variables};
pub use limits::Limits;
pub use rely_logic::TermPool;
pub use rely_logic::interpolate::{Application, Clause, ClauseId, UnknownId};
pub use solver::Hints;
pub use syntax::{SyntaxError, derivation_text, model_text, parse, parse_model, system_text};

use rely_base::{Budget, Observer};
use solver::Found;

/// What is known about a system. Models and derivations were checked.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It has this model.
    Sat(Model),
    /// It has none: this derives false.
    Unsat(Derivation),
    /// Neither is known, for this reason.
    Unknown(String),
}

impl Answer {
    /// The answer as solvers print it.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// Finds a model or a derivation of false, and checks it. `hints` are formulas over the parameters of each
/// predicate that would be welcome in a model.
pub fn solve(
    pool: &mut TermPool,
    system: &System,
    hints: Option<&Hints>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Answer {
    solve_within(&Limits::default(), pool, system, hints, budget, observer)
}

/// The same with other limits than usual.
pub fn solve_within(
    limits: &Limits,
    pool: &mut TermPool,
    system: &System,
    hints: Option<&Hints>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Answer {
    match solver::search(limits, pool, system, hints, budget, observer) {
        Found::Model(model) => match check::check_model(pool, system, &model, budget) {
            Ok(()) => Answer::Sat(model),
            Err(wrong) => Answer::Unknown(format!("a model was found, but not accepted: {wrong}")),
        },
        Found::Derivation(derivation) => match check::check_derivation(pool, system, &derivation) {
            Ok(()) => Answer::Unsat(derivation),
            Err(wrong) => Answer::Unknown(format!("a derivation was found, but not accepted: {wrong}")),
        },
        Found::Unknown(reason) => Answer::Unknown(reason),
    }
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
