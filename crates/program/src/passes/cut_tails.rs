//! Ends threads where nothing they still do matters.
//!
//! The last steps of a thread often concern nobody: `main` waits for the others and ends the
//! process. A location is *idle* if whatever the thread can do from there on changes nothing
//! that others or properties see, starts nobody and fails nothing; it may wait, compute for
//! itself, and halt the program. A thread that comes to an idle location has ended in the new
//! program.
//!
//! In a run of the old program the steps from idle locations can be left out: others do not see
//! them, and those whom a halt would have stopped have made their steps before it. A run of the
//! new program is one of the old in which the thread rests at the idle location. Both violate
//! the same checks and conditions of states. What is seen of the end of a thread must not have
//! changed: nobody else joins it, no property is about the end of the program, counts the
//! thread's kind, or those at its exit. Deadlocks and whether every run ends are not preserved.

use super::BackMap;
use super::draft::Draft;
use crate::analysis::{IdSet, Visibility};
use crate::expr::Expr;
use crate::ir::{Edge, LocationId, Op, Program, ThreadId, ThreadKind};
use crate::property::Claimed;

/// The program in which threads end as soon as nothing they do matters any more, except for
/// deadlocks and termination.
pub fn cut_tails(program: &Program) -> (Program, BackMap) {
    let mut draft = Draft::new(program);
    if !asks_for_the_end(program) {
        let visibility = Visibility::new(program);
        for thread in program.threads.ids().filter(|&thread| !may_be_joined(program, thread)) {
            cut(program, &mut draft, thread, &idle_locations(program, &visibility, thread));
        }
    }
    draft.finish()
}

/// Whether a property is about the end of the program.
pub(super) fn asks_for_the_end(program: &Program) -> bool {
    program.properties().iter().any(|property| matches!(property.claimed, Claimed::AtEnd(_)))
}

/// Ends a thread where it comes to one of some locations.
pub(super) fn cut(program: &Program, draft: &mut Draft<'_>, thread: ThreadId, idle: &IdSet<LocationId>) {
    let declaration = &program.threads[thread];
    if !idle.contains(declaration.exit) {
        return;
    }
    for (id, edge) in program.edges.iter() {
        if idle.contains(edge.source) {
            draft.remove_edge(id);
        } else if idle.contains(edge.target) {
            draft.program.edges[id].target = declaration.exit;
        }
    }
    for location in idle.iter() {
        if location != declaration.entry && location != declaration.exit {
            draft.remove_location(location);
        }
    }
}

/// Whether another thread may wait for the end of this one. Of a template, every thread that
/// is started is another one.
pub(super) fn may_be_joined(program: &Program, thread: ThreadId) -> bool {
    let is_instance = program.threads[thread].kind != ThreadKind::Template;
    let others =
        program.edges.values().filter(|edge| !is_instance || program.locations[edge.source].thread != thread);
    others.flat_map(|edge| &edge.ops).any(|op| match op {
        Op::Join(Expr::Int(handle)) => {
            let joined = program.instance_with_handle(*handle);
            joined.is_none_or(|joined| joined == thread)
        }
        op => matches!(op, Op::Join(_)),
    })
}

/// The locations of a thread from which on nothing matters.
fn idle_locations(program: &Program, visibility: &Visibility, thread: ThreadId) -> IdSet<LocationId> {
    let own = |location: &LocationId| program.locations[*location].thread == thread;
    let may_rest = |location: &LocationId| {
        !program.locations[*location].atomic && !visibility.is_watched_location(program, *location)
    };
    let mut idle: IdSet<LocationId> = program.locations.ids().filter(own).filter(may_rest).collect();
    loop {
        let does_something = |&location: &LocationId| {
            let mut leaving = program.outgoing(location).iter().map(|&edge| &program.edges[edge]);
            leaving.any(|edge| !idle.contains(edge.target) || !is_idle(program, visibility, edge))
        };
        let leaving: Vec<LocationId> = idle.iter().filter(does_something).collect();
        if leaving.is_empty() {
            return idle;
        }
        leaving.iter().for_each(|&location| idle.remove(location));
    }
}

fn is_idle(program: &Program, visibility: &Visibility, edge: &Edge) -> bool {
    let may_fail = edge.ops.iter().any(|op| matches!(op, Op::Check(..)));
    let without_halt = Edge {
        ops: edge.ops.iter().filter(|op| **op != Op::Halt).cloned().collect(),
        source: edge.source,
        target: edge.target,
        span: edge.span,
    };
    !may_fail && visibility.has_no_effect(program, &without_halt)
}
