//! Which statements take and release a lock.
//!
//! A lock of the intermediate program is a variable: the handle of the thread that has it, or 0.

use super::invariants::ProofContext;
use super::statements::Statement;
use rely_program::analysis::Access;
use rely_program::{EdgeId, Expr, Op, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The statements that take or release a lock, with whether it is taken then; `None` if something
/// else may happen to the lock as well.
pub(super) fn lock_uses(
    context: &ProofContext<'_>,
    lock: VarId,
    watched: &[Statement],
) -> Option<BTreeMap<usize, i64>> {
    let mut uses: BTreeMap<usize, i64> = BTreeMap::new();
    for (id, edge) in context.program.edges().iter() {
        if !Access::of_ops(&edge.ops).writes.contains(lock) {
            continue;
        }
        let statement = watched.iter().position(|statement| statement.edges.contains(&id))?;
        // All copies of the statement must do the same.
        let values: BTreeSet<Option<i64>> =
            watched[statement].edges.iter().map(|&copy| lock_value(context, lock, copy)).collect();
        let (Some(Some(value)), 1) = (values.first().copied(), values.len()) else { return None };
        uses.insert(statement, value);
    }
    Some(uses)
}

/// Whether a lock is taken after an edge that writes nothing but it and what is no lock.
fn lock_value(context: &ProofContext<'_>, lock: VarId, edge: EdgeId) -> Option<i64> {
    let assignments = context.program.edges()[edge].ops.iter().filter_map(|op| match op {
        Op::Assign(assignments) => Some(assignments),
        _ => None,
    });
    let mut written = assignments.flatten().filter(|(place, _)| place.var() == lock);
    let (Some((_, value)), None) = (written.next(), written.next()) else { return None };
    match value {
        Expr::Int(value) => Some(i64::from(*value != 0)),
        Expr::This => Some(1),
        _ => None,
    }
}
