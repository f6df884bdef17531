//! What engines say.

mod reduced;

pub use reduced::{Mover, Phase, Reduced, reduced_program};

use super::{Counting, Helping, Ranking, Reason, RelyGuarantee, StateList};
use rely_program::Trace;

/// What an engine says about a program and a goal. Nobody has to believe it.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The goal is violated, and this run shows it.
    Unsafe(Trace),
    /// The goal holds, and this proves it.
    Safe(Proof),
    /// The engine does not know.
    Unknown(Reason),
}

/// A proof that no run violates the goal. Each method of proof has its own kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Proof {
    /// All states that matter have been visited.
    Exhausted(Exhausted),
    /// Assertions about each thread that no step invalidates.
    RelyGuarantee(RelyGuarantee),
    /// Ranks that every step makes smaller.
    Ranking(Ranking),
    /// Steps that bring whoever waits nearer to where it goes on.
    Helping(Helping),
    /// Assertions, and relations between variables and numbers of threads.
    Counting(Counting),
    /// Blocks of steps that may be taken for one step, and a proof about the program in which they
    /// are.
    Reduced(Reduced),
}

/// The proof by exhaustion: these are all states, and nothing is wrong in any of them.
#[derive(Clone, Debug)]
pub struct Exhausted {
    /// How many states were visited.
    pub states: u64,
    /// How many complete steps were tried from them.
    pub transitions: u64,
    /// Which steps were left out.
    pub reduction: Reduction,
    /// The states themselves, in the order in which their steps were tried, encoded by
    /// [`Semantics::pack`](rely_program::Semantics::pack). With them the proof can be checked
    /// where exploring again would be too expensive.
    pub visited: Option<StateList>,
}

/// Which steps an exploration leaves out because their effect is seen elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// None.
    None,
    /// In some states, the steps of threads whose order with the others' does not matter.
    PartialOrder,
}
