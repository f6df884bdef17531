//! Runs that do not count.

use crate::ir::{Blocking, Op, Program};

/// Whether a run of the program may get to where it does not count any more: a condition without which it does not,
/// or a check, whose failure ends it. If not, every run goes on until all threads have ended or wait.
pub fn has_void_runs(program: &Program) -> bool {
    let mut ops = program.edges.values().flat_map(|edge| &edge.ops);
    ops.any(|op| matches!(op, Op::Assume(_, Blocking::Abandon) | Op::Check(..)))
}
