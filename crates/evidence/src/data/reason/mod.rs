//! Why there is no verdict.

mod reduced;

pub use reduced::{BlockRule, ReducedDefect};

use super::RelyGuaranteeDefect;
use rely_base::{Id, Interrupted, StopReason};
use rely_program::{CheckId, EvalError, Goal, InitialError, StepError};

/// Why nobody knows whether a goal holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The budget was used up.
    #[error("{0}")]
    Stopped(StopReason),
    /// The budget was used up before an engine could begin.
    #[error("{0}")]
    NotBegun(Interrupted),
    /// More states than the engine was allowed to visit.
    #[error("more than {0} states were found")]
    StateLimit(u64),
    /// Only some of the possible values were tried, and with them nothing went wrong.
    #[error(
        "not all values of a nondeterministic choice can be tried; those that were sampled show no violation"
    )]
    Sampled,
    /// A run does something that has no meaning, so what follows is not known.
    #[error("a run cannot be continued: {0}")]
    NoMeaning(StepError),
    /// A property has no value in some state.
    #[error("a property cannot be evaluated: {0}")]
    UndefinedProperty(EvalError),
    /// A precondition has no value for some initial values.
    #[error("the precondition cannot be evaluated: {0}")]
    UndefinedPrecondition(InitialError),
    /// The engine does not decide goals of this kind.
    #[error("the engine `{engine}` does not decide the property `{goal}`")]
    UnsupportedGoal {
        /// The engine.
        engine: &'static str,
        /// The goal.
        goal: Goal,
    },
    /// The engine does not know something that the program uses.
    #[error("the engine `{engine}` does not support {construct}")]
    UnsupportedConstruct {
        /// The engine.
        engine: &'static str,
        /// What it does not support, for a person: "threads without a bound".
        construct: String,
    },
    /// The engine has tried everything it knows.
    #[error("the engine `{engine}` gave up: {why}")]
    GaveUp {
        /// The engine.
        engine: &'static str,
        /// What it lacks, for a person: "no predicates were found that exclude a counterexample".
        why: String,
    },
    /// Some steps can be repeated in the program that the engine saw, but variables that it leaves out do not
    /// get back to their values.
    #[error("some steps may be repeated for ever, but the states in which they begin are not the same")]
    NoRecurrence,
    /// Some steps can be repeated for ever, but only if a thread that could always go on never does.
    #[error("some steps may be repeated for ever, but a thread that could always go on is left out")]
    UnfairLoop,
    /// The program waits on condition variables, and what follows from that is not modelled exactly.
    #[error(
        "the program waits on condition variables, and waits that may end at any time say nothing about the property `{0}`"
    )]
    InexactWaits(Goal),
    /// Some run may come to a point beyond which the front end has not translated the program.
    #[error("not all of the program was translated: {0}")]
    Limit(String),
    /// A certificate does not say that no run leaves what was translated.
    #[error("a certificate does not show that no run leaves what was translated of the program")]
    CertifiedLimit,
    /// A run violates the goal, but only for values that the source may never have there.
    #[error(
        "a run was found that violates the property, but it depends on {0}, which is not modelled exactly"
    )]
    Approximate(String),
    /// There is a proof, but of a program that passes have made, and nothing may be trusted.
    #[error("there is a proof, but it trusts passes that nobody has checked: {0}")]
    Trusting(String),
    /// There was evidence, and it was wrong: a bug of the engine.
    #[error("the evidence was rejected: {0}")]
    Rejected(Rejection),
    /// There was evidence, and there was no time or memory to check it.
    #[error("the evidence could not be checked: {0}")]
    Unchecked(StopReason),
}

/// What is wrong with evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The trace is not a run that violates the goal.
    #[error(transparent)]
    Trace(#[from] TraceDefect),
    /// The proof does not prove the goal.
    #[error(transparent)]
    Proof(#[from] ProofDefect),
}

/// What is wrong with a trace. Steps are counted from one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceDefect {
    /// The initial values are impossible.
    #[error("the trace does not start: {0}")]
    NoInitialState(InitialError),
    /// A step is not one of the program.
    #[error("step {number} of the trace does not exist: {error}")]
    NoStep {
        /// Which step.
        number: usize,
        /// Why.
        error: StepError,
    },
    /// A step is blocked.
    #[error("step {number} of the trace is blocked")]
    Blocked {
        /// Which step.
        number: usize,
    },
    /// A step before the last one fails a check, so the run ends there.
    #[error("step {number} of the trace already fails a check")]
    FailsEarly {
        /// Which step.
        number: usize,
    },
    /// The last step fails another check than the claimed one, or fails one although
    /// something else is claimed to be wrong.
    #[error("the last step of the trace fails check {}, which is not the claimed violation", .0.index())]
    FailsOtherwise(CheckId),
    /// The claimed check does not fail.
    #[error("the last step of the trace does not fail check {}", .0.index())]
    DoesNotFail(CheckId),
    /// The violation is not one of the goal.
    #[error("the claimed violation does not violate the property `{0}`")]
    OtherGoal(Goal),
    /// The violation names a check or a property that does not exist.
    #[error("the program has no such check or property")]
    NoSuchViolation,
    /// The last state satisfies the property.
    #[error("the last state of the trace satisfies the property")]
    PropertyHolds,
    /// The property has no value in the last state.
    #[error("the property is undefined in the last state of the trace: {0}")]
    PropertyUndefined(EvalError),
    /// The last state is inside an atomic block, where properties are not looked at.
    #[error("the trace ends inside an atomic block")]
    InsideAtomicBlock,
    /// Something can still move, or everything has ended.
    #[error("the last state of the trace is not a deadlock")]
    NoDeadlock,
    /// A thread has too many nondeterministic values to be sure that it cannot move.
    #[error("it is not certain that the last state of the trace is a deadlock")]
    UncertainDeadlock,
    /// The two threads are not about to make accesses that race.
    #[error("no two threads race in its last state")]
    NoRace,
    /// One of two threads that race is inside of an atomic block that it cannot finish.
    #[error("its last state is inside an atomic block that cannot be finished")]
    EndlessBlock,
    /// Whether a thread can move has no answer.
    #[error("whether the last state of the trace is a deadlock is undefined: {0}")]
    MeaninglessDeadlock(StepError),
    /// The loop of a lasso has no steps, or more than the trace.
    #[error("the trace does not have the steps of its loop")]
    NoLoop,
}

/// What is wrong with a proof. The states of a proof by exhaustion are counted from zero, in their
/// order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofDefect {
    /// The proof is of a kind that says nothing about this goal.
    #[error("a proof of this kind does not prove the property `{0}`")]
    UnsupportedGoal(Goal),
    /// Not all values of a nondeterministic choice can be tried.
    #[error("a nondeterministic choice has too many values to try them all")]
    TooManyChoices,
    /// A step has no meaning.
    #[error("a step is undefined: {0}")]
    NoMeaning(StepError),
    /// A precondition has no value.
    #[error("the precondition is undefined: {0}")]
    UndefinedPrecondition(InitialError),
    /// A property has no value.
    #[error("a property is undefined: {0}")]
    UndefinedProperty(EvalError),
    /// A reachable state, or a listed one, violates the goal.
    #[error("a violation was found")]
    Violation,
    /// There are not as many states as claimed.
    #[error("the number of states is {found}, not {claimed} as claimed")]
    StateCount {
        /// In the claim.
        claimed: u64,
        /// By the checker.
        found: u64,
    },
    /// A reduced exploration claims more states than there are.
    #[error("the number of states is only {found}, not {claimed} as claimed")]
    TooManyStates {
        /// In the claim.
        claimed: u64,
        /// By the checker.
        found: u64,
    },
    /// An initial state is not in the list.
    #[error("an initial state is missing")]
    InitialStateMissing,
    /// A listed byte string is no state.
    #[error("entry {0} of the list of states is not a state")]
    NotAState(usize),
    /// A state is listed twice.
    #[error("entry {0} of the list of states repeats an earlier one")]
    Repeated(usize),
    /// A state is not the one that its encoding gives back.
    #[error("a state cannot be encoded exactly")]
    Inexact,
    /// Too many of the steps of a listed state lead out of the list.
    #[error("steps from entry {0} of the list of states lead out of it")]
    NotClosed(usize),
    /// There are too many states to explore them again, and the proof does not list them.
    #[error("the proof lists no states, and there are too many to find them again")]
    NoList,
    /// A rely-guarantee proof leaves an obligation open.
    #[error(transparent)]
    RelyGuarantee(#[from] RelyGuaranteeDefect),
    /// A reduction, or the proof about the reduced program, is wrong.
    #[error(transparent)]
    Reduced(#[from] ReducedDefect),
}
