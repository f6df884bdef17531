//! Edges along which every run ends.
//!
//! That no thread waits for ever is more than that somebody can always move: those who move may go round for ever
//! while one waits. But whoever waits need only have *some* future in which it goes on. So it is enough that from
//! every reachable state one such future can be told: all threads move along *forward* edges only, which lead back to
//! no place of their thread. Such a run ends. If whenever a thread has not ended somebody can move forward
//! ([`Progress`](Rule::Progress)), it ends with the end of all threads, so each of
//! them goes on. It is enough that whoever has not ended where nobody can move forward can move at all, say back to the
//! beginning of a loop ([`Stuck`](Rule::Stuck)): it has gone on before, or goes on then.
//!
//! An edge is forward if it is none of those that close a circle in a search from the entry of the thread. A loop that
//! can be left at any time has a way forward; one that goes on while a condition holds has none, and needs a
//! [ranking](crate::ranking). In a run along forward edges a thread of a template may start others, which is no way to
//! go on for ever if no template starts itself again, directly or through others. And the run must count: a step
//! forward is one on which no check fails and every condition holds.

#[cfg(doc)]
use crate::data::Rule;
use rely_base::Id;
use rely_program::analysis::IdSet;
use rely_program::{EdgeId, LocationId, Op, Program, ThreadId};

/// The edges that close no circle.
pub(crate) fn forward_edges(program: &Program) -> IdSet<EdgeId> {
    let mut marks = vec![Mark::New; program.locations().len()];
    let mut forward = IdSet::new();
    for thread in program.threads().values() {
        search(program, thread.entry, &mut marks, &mut forward);
    }
    forward
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// On the way from the entry to where the search is.
    Open,
    Done,
}

/// Depth first, with a stack of its own: each location with how many of its edges were taken.
fn search(program: &Program, entry: LocationId, marks: &mut [Mark], forward: &mut IdSet<EdgeId>) {
    let mut way = vec![(entry, 0)];
    marks[entry.index()] = Mark::Open;
    while let Some((location, taken)) = way.pop() {
        let Some(&edge) = program.outgoing(location).get(taken) else {
            marks[location.index()] = Mark::Done;
            continue;
        };
        way.push((location, taken + 1));
        let target = program.edges()[edge].target;
        match marks[target.index()] {
            Mark::Open => continue,
            Mark::Done => {}
            Mark::New => {
                marks[target.index()] = Mark::Open;
                way.push((target, 0));
            }
        }
        forward.insert(edge);
    }
}

/// Whether a thread may start, directly or through others, a thread of the same kind.
pub(crate) fn starts_for_ever(program: &Program) -> bool {
    let started_by = |thread: ThreadId| -> Vec<ThreadId> {
        let own = program.edges().values().filter(|edge| program.locations()[edge.source].thread == thread);
        own.flat_map(|edge| &edge.ops)
            .filter_map(|op| match op {
                Op::Spawn { thread, .. } => Some(*thread),
                _ => None,
            })
            .collect()
    };
    program.threads().ids().any(|thread| {
        let mut seen = IdSet::new();
        let mut pending = started_by(thread);
        while let Some(next) = pending.pop() {
            if seen.insert(next) {
                pending.extend(started_by(next));
            }
        }
        seen.contains(thread)
    })
}
