//! Proof rules for multi-threaded programs as Horn clauses, for any solver of them.
//!
//! The clauses say what a proof must say; a model of them is one. So `sat` means that every assertion of
//! the program holds. A program with threads `1..n` has globals `g`, locals `l_i` and places `p_i` (program
//! counters); `step_j(p_j, g, l_j, p_j', g', l_j')` is a step of thread `j`.
//!
//! # Owicki-Gries
//!
//! An assertion `I_(i,p)` for each place `p` of each thread `i`, over `g`, `l_i` and, as auxiliary variables,
//! the places of the other threads:
//!
//! ```text
//! init(g, l_i)                                                     -> I_(i,start)(g, l_i, starts)
//! I_(i,p)(g, l_i, q) ∧ step_i(p, g, l_i, p', g', l_i')             -> I_(i,p')(g', l_i', q)
//! I_(i,p)(g, l_i, q) ∧ I_(j,r)(g, l_j, q') ∧ step_j(r, g, l_j, r', g', l_j')
//!                                                                  -> I_(i,p)(g', l_i, q[j := r'])
//! I_(i,p)(g, l_i, q) ∧ a step of i violates an assertion           -> false
//! ```
//!
//! where `q` has `r` for thread `j`, `q'` has `p` for thread `i`, and both agree on all others.
//!
//! *Sound*: by induction on the length of a run, in every reachable state each thread's assertion holds at
//! its place: the first clause for the initial state, the second for the thread that moves, the third for all
//! others. *Complete* relative to what formulas can say of `g`, one thread's locals, and places: without
//! the places (`plain`) it is not. Two threads that each do `x := x + 1` from `x = 0` end with `x = 2`, but
//! no assertions over `x` alone show it: that `x = 1` at the end of the first thread is possible only as long
//! as the second has not moved. Even with places, locals that carry more than the place does may have to be
//! made global; this is the classic remark that auxiliary variables are needed.
//!
//! # Reach and environment
//!
//! What thread `i` reaches, and what its steps do to what others see (Gupta, Popeea, Rybalchenko: POPL
//! 2011):
//!
//! ```text
//! init(g, l_i)                                                     -> reach_i(start, g, l_i, starts)
//! reach_i(p, g, l_i, q) ∧ step_i(p, g, l_i, p', g', l_i')          -> reach_i(p', g', l_i', q)
//! reach_j(p, g, l_j, q) ∧ step_j(p, g, l_j, p', g', l_j')          -> env_j(g, places, g', places')
//! reach_i(p, g, l_i, q) ∧ env_j(g, places, g', places')            -> reach_i(p, g', l_i, places')
//! ```
//!
//! A step that starts a thread or gives it arguments is a clause about both threads at once in either rule.
//! Nobody else moves while a thread is inside of an atomic block.
//!
//! Templates, any number of threads, are refused, and so is a program that ends as a whole while there are
//! properties of states. What is not linear gets any value, which is [said](ProofClauses::over_approximates):
//! then `unsat` means nothing.

mod owicki_gries;
mod reach_env;
mod view;

use rely_base::{Budget, StopReason};
use rely_horn::{System, TermPool};
use rely_program::{Goal, Program};
use rely_symbolic::TooManyCases;

/// A proof rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofRule {
    /// Assertions at places that no step of another thread invalidates.
    OwickiGries,
    /// What threads reach, and what their steps do to others.
    ReachEnv,
}

/// How to write the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofRuleOptions {
    /// Which rule.
    pub rule: ProofRule,
    /// Whether assertions may speak of the places of other threads.
    pub places: bool,
}

/// The clauses of a proof rule for a program.
#[derive(Debug)]
pub struct ProofClauses {
    /// Their terms.
    pub pool: TermPool,
    /// The clauses.
    pub system: System,
    /// Whether some step allows more than the program does.
    pub over_approximates: bool,
}

/// Why there are no clauses for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoClauses {
    /// Any number of threads.
    #[error("`{0}` may run any number of times; the rules are about a fixed number of threads")]
    Template(String),
    /// The end of the whole program, and properties of states.
    #[error("the program ends as a whole in one place, and there are properties of states")]
    Halts,
    /// A step or property with too many cases.
    #[error("a step or property of the program has too many cases")]
    TooManyCases,
    /// A clause that does not fit its predicates.
    #[error("the clauses do not fit together: {0}")]
    Malformed(#[from] rely_horn::Malformed),
    /// The budget ended.
    #[error("{0}")]
    Stopped(StopReason),
}

impl From<TooManyCases> for NoClauses {
    fn from(_: TooManyCases) -> Self {
        NoClauses::TooManyCases
    }
}

/// The clauses of a rule for the assertions of a program.
pub fn proof_clauses(
    program: &Program,
    goal: Goal,
    options: ProofRuleOptions,
    budget: &Budget,
) -> Result<ProofClauses, NoClauses> {
    let mut view = view::View::new(program, goal, options.places, budget)?;
    match options.rule {
        ProofRule::OwickiGries => owicki_gries::write(&mut view)?,
        ProofRule::ReachEnv => reach_env::write(&mut view)?,
    }
    Ok(ProofClauses { over_approximates: view.over_approximates, pool: view.pool, system: view.system })
}
