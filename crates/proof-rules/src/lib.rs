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
//! the places ([`Sight::Plain`]) it is not. Two threads that each do `x := x + 1` from `x = 0` end with `x = 2`, but
//! no assertions over `x` alone show it: that `x = 1` at the end of the first thread is possible only as long
//! as the second has not moved. Even with places, locals that carry more than the place does may have to be
//! made global; this is the classic remark that auxiliary variables are needed. With [`Sight::Everything`] assertions
//! speak of whole states; then `unsat` clauses derive a run that violates an assertion.
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
//! # Reduction
//!
//! The rule RULESAFETY of the reduction paper (Popeea, Rybalchenko, Wilhelm: *Reduction for compositional
//! verification of multi-threaded programs*, FMCAD 2014, Fig. 2): Owicki-Gries, but what nobody interrupts
//! has no assertions inside. A block that begins at place `b` of thread `i` has a summary `L_(i,b,p)` for each
//! place `p` inside of it, from what holds at its beginning to what holds at `p`:
//!
//! ```text
//! S1  init                                                          -> I_(i,start)
//! S2  I_(i,b)(g, l_i, q) ∧ step_i into the block                    -> L_(i,b,p)(g, l_i, g', l_i')
//! S3  L_(i,b,p)(g, l_i, g', l_i') ∧ step_i inside                   -> L_(i,b,p')(g, l_i, g'', l_i'')
//! S4  I_(i,b)(g, l_i, q) ∧ L_(i,b,p)(g, l_i, g', l_i') ∧ step_i out -> I_(i,p')(g'', l_i'', q)
//! S5  I_(i,p)(g, l_i, q) ∧ step_i outside                           -> I_(i,p')(g', l_i', q)
//! S6  I_(j,r)(g, l_j, q') ∧ the body of S4 or S5                    -> I_(j,r)(g'', l_j, q'[i := p'])
//! S7  assertions of threads ∧ a violation                           -> false
//! ```
//!
//! The paper's `IStep` is what the bodies of S4 and S5 say of the step; it occurs in the head of those and in
//! the body of S6 alone, so it is resolved away. A step inside of a block that violates an assertion is a
//! clause of S7 with a summary. Places where others are occur in a summary if a step inside tests them.
//! Without blocks there are no summaries, and S1, S5, S6, S7 are the clauses of Owicki-Gries.
//!
//! The rule knows atomic blocks alone: those of the program, and those that somebody has
//! [found](Program::with_atomic) to be as good as atomic. A place where a thread starts, or next to a step that starts
//! another one, keeps its assertion although it is atomic; nobody else moves there.
//!
//! Templates, any number of threads, are refused, and so is a program that ends as a whole while there are
//! properties of states. What is not linear gets any value, which is [said](ProofClauses::over_approximates):
//! then `unsat` means nothing.

mod blocks;
mod owicki_gries;
mod reach_env;
mod view;

pub use rely_symbolic::Limits;

use rely_base::{Arena, Budget, StopReason};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_horn::{ClauseId, System, TermPool, UnknownId};
use rely_logic::{TermId, VarId};
use rely_program::{EdgeId, Goal, Program, ThreadId};
use rely_symbolic::{BranchEnd, TooManyCases};

/// A proof rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofRule {
    /// Assertions at places that no step of another thread invalidates.
    OwickiGries,
    /// What threads reach, and what their steps do to others.
    ReachEnv,
    /// Assertions at places outside of atomic blocks, and summaries of these.
    Reduction,
}

/// What is known of a thread, besides the globals and its own locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Nothing.
    Plain,
    /// Where the other threads are.
    Places,
    /// Where they are, and their locals: whole states. Then the rule is complete.
    Everything,
}

/// How to write the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofRuleOptions {
    /// Which rule.
    pub rule: ProofRule,
    /// What assertions may speak of.
    pub sight: Sight,
    /// What the translation of the program may cost.
    pub limits: Limits,
}

impl ProofRuleOptions {
    /// A rule and what its assertions may speak of.
    pub fn new(rule: ProofRule, sight: Sight) -> Self {
        Self { rule, sight, limits: Limits::default() }
    }
}

/// The clauses of a proof rule for a program.
#[derive(Debug)]
pub struct ProofClauses {
    /// Their terms.
    pub pool: TermPool,
    /// The clauses.
    pub system: System,
    /// What each clause says.
    pub origins: Arena<ClauseId, Origin>,
    /// What the predicates of Owicki-Gries and of the reduction rule say, summaries excepted.
    pub assertions: Vec<Assertion>,
    /// What the summaries of the reduction rule say.
    pub summaries: Vec<Summary>,
    /// Whether some step allows more than the program does.
    pub over_approximates: bool,
}

/// A predicate that is the assertion of a thread at a control point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The predicate.
    pub unknown: UnknownId,
    /// The thread.
    pub thread: ThreadId,
    /// Where it is.
    pub point: ControlPoint,
    /// What the arguments are.
    pub arguments: Vec<Argument>,
}

/// A predicate that is the summary of a block from its beginning up to a control point inside. Its arguments are the
/// values of the cells when the block begins, where the others are then, and the values of the cells now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The predicate.
    pub unknown: UnknownId,
    /// The thread.
    pub thread: ThreadId,
    /// Where the block begins.
    pub beginning: ControlPoint,
    /// Where the thread is.
    pub point: ControlPoint,
    /// Which [cells](rely_symbolic::Cells).
    pub cells: Vec<VarId>,
    /// Whose places.
    pub places: Vec<ThreadId>,
}

/// What an argument of an assertion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The value of a cell of the [program](rely_symbolic::Cells).
    Cell(VarId),
    /// Where another thread is, as the position in the list of [all](ControlPoint::all) its control points.
    Place(ThreadId),
}

/// What a clause says. The first predicate of its body is that of the thread whose assertion its head is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// What holds initially; with the values of all cells.
    Initial(Vec<(VarId, TermId)>),
    /// A step.
    Step {
        /// Whose.
        thread: ThreadId,
        /// Along which edge.
        edge: EdgeId,
        /// How it ends.
        ending: BranchEnd,
        /// The nondeterministic values that it takes, in their order.
        inputs: Vec<TermId>,
    },
    /// Whatever the step of another thread is.
    Observed,
    /// That a state violates a property.
    Property {
        /// The index of the property.
        property: usize,
        /// Whether it has no value rather than the value false.
        undefined: bool,
    },
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
    let mut view = view::View::new(program, goal, options, budget)?;
    let (assertions, summaries) = match options.rule {
        ProofRule::OwickiGries => owicki_gries::write(&mut view, false)?,
        ProofRule::Reduction => owicki_gries::write(&mut view, true)?,
        ProofRule::ReachEnv => reach_env::write(&mut view).map(|()| Default::default())?,
    };
    let view::View { pool, system, origins, over_approximates, .. } = view;
    Ok(ProofClauses { pool, system, origins, assertions, summaries, over_approximates })
}
