//! What threads can still do at the end of a run.

use super::record::{Cell, Record};
use rely_program::{Blocking, EdgeId, LocationId, Op, Program, SlotId};
use std::collections::{BTreeSet, VecDeque};

/// The other threads that can still come to a step that changes a cell, or that starts a thread, which may do it; with
/// the line of that step.
pub(super) fn helpers(record: &Record<'_>, waiting: SlotId, cell: Cell) -> Vec<(SlotId, Option<u32>)> {
    threads_ahead(record, waiting, |ops| {
        ops.iter().any(|op| matches!(op, Op::Spawn { .. })) || changes(ops, cell)
    })
}

/// The other threads that can still come to a step that writes a cell, with the line of that step.
pub(super) fn writers(record: &Record<'_>, reader: SlotId, cell: Cell) -> Vec<(SlotId, Option<u32>)> {
    threads_ahead(record, reader, |ops| changes(ops, cell))
}

fn threads_ahead(
    record: &Record<'_>,
    except: SlotId,
    is_meant: impl Fn(&[Op]) -> bool,
) -> Vec<(SlotId, Option<u32>)> {
    let state = record.last_state();
    let others = state.slots().filter(|&slot| slot != except);
    let able = others.filter_map(|slot| {
        let ahead = edges_ahead(record.program, state.location(slot)?);
        let edge = ahead.into_iter().find(|&edge| is_meant(&record.program.edges()[edge].ops))?;
        Some((slot, record.line(edge)))
    });
    able.collect()
}

/// Whether the operations write a cell, and do not wait for it themselves.
fn changes(ops: &[Op], cell: Cell) -> bool {
    let waits = |op: &Op| match op {
        Op::Assume(condition, Blocking::Wait) => {
            let mut looks_at = false;
            condition.for_each_var(|var| looks_at |= var == cell.var);
            looks_at
        }
        _ => false,
    };
    let writes = |op: &Op| match op {
        Op::Assign(parts) => parts.iter().any(|(place, _)| place.var() == cell.var),
        Op::Havoc(place, _) => place.var() == cell.var,
        Op::Spawn { .. } | Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => false,
    };
    ops.iter().any(writes) && !ops.iter().any(waits)
}

/// The edges that a thread may still take, the nearest first.
fn edges_ahead(program: &Program, start: LocationId) -> Vec<EdgeId> {
    let (mut seen, mut ahead) = (BTreeSet::from([start]), Vec::new());
    let mut open = VecDeque::from([start]);
    while let Some(location) = open.pop_front() {
        for &edge in program.outgoing(location) {
            ahead.push(edge);
            let target = program.edges()[edge].target;
            if seen.insert(target) {
                open.push_back(target);
            }
        }
    }
    ahead
}
