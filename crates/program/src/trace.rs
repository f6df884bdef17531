//! Traces: the schedule and the inputs that lead to a violation, as plain data.

use crate::ir::{CheckId, EdgeId};
use crate::race::Racer;
use crate::semantics::SlotId;
use crate::types::Value;

/// A run of a program that ends in a violation. It is only a claim until it was replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The values of the variables that start with any value, as
    /// [`Semantics::initial`](crate::Semantics::initial) takes them.
    pub initial: Vec<Value>,
    /// The steps in order.
    pub steps: Vec<TraceStep>,
    /// What is wrong after, or in, the last step.
    pub violation: Violation,
}

/// One edge taken by one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Who moves.
    pub slot: SlotId,
    /// Along which edge.
    pub edge: EdgeId,
    /// The nondeterministic values, as [`Semantics::step`](crate::Semantics::step) takes them.
    pub choices: Vec<Value>,
}

/// What a trace shows to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The last step fails this check.
    Check(CheckId),
    /// The last state violates the property with this index in
    /// [`Program::properties`](crate::Program::properties).
    Property(usize),
    /// In the last state a thread waits, and it does so in all that can follow, whether or not others go on.
    Deadlock,
    /// In the last state two threads are about to make accesses that [race](crate::race).
    Race([Racer; 2]),
    /// The trace is a lasso: its last so many steps, at least one, are a loop that leads back to the state before it
    /// and can be repeated for ever. The steps before it are the stem.
    Lasso(usize),
}
