//! What other threads can do while a thread stands at a location.
//!
//! Without knowing anything, all that is in their code. But nobody takes an edge for which it
//! needs a [lock](Locks) that the thread holds; and whoever has not been started yet, or has
//! been waited for, does nothing. What is left errs on one side: steps that are listed may still
//! be impossible.
//!
//! An edge that cannot be taken for want of a lock writes nothing, but it may still fail a check in
//! front of the test of the lock. So what it [reads up to there](Locks::prelude) counts.

use super::{Access, IdSet, Locks};
use crate::expr::Expr;
use crate::ir::{EdgeId, LocationId, Op, Program, ThreadId, ThreadKind, VarId};
use rely_base::Arena;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What others may read and write, for each location of a thread.
#[derive(Debug)]
pub struct Concurrency {
    meanwhile: Arena<LocationId, Rc<Access>>,
}

/// All that matters about a location: its thread, the locks held there, who does not run then.
type Situation = (ThreadId, Vec<VarId>, Vec<ThreadId>);

impl Concurrency {
    /// Looks at all edges of the program.
    pub fn new(program: &Program) -> Self {
        let locks = Locks::new(program);
        let absent = Absence::new(program);
        let edges: Vec<OneStep> = program.edges.ids().map(|edge| OneStep::new(program, edge)).collect();
        let mut known: FxHashMap<Situation, Rc<Access>> = FxHashMap::default();
        let meanwhile = |location: LocationId| {
            let thread = program.locations[location].thread;
            let (held, away) = (locks.held_at(location), absent.at(location));
            let situation = (thread, held.iter().collect(), away.iter().collect());
            let access = known.entry(situation).or_insert_with(|| {
                let mut all = Access::default();
                for step in &edges {
                    let is_other = step.thread != thread || step.is_copied;
                    let is_possible = is_other
                        && !locks.excludes(program, held, step.edge)
                        && !away.contains(step.thread)
                        && !absent.at(step.source).contains(thread);
                    if !is_possible {
                        continue;
                    }
                    match locks.prelude(program, held, step.edge) {
                        Some(reads) => {
                            let shared = reads.iter().filter(|&var| program.vars[var].is_global());
                            all.reads.extend(shared);
                        }
                        None => {
                            all.reads.union_with(&step.access.reads);
                            all.writes.union_with(&step.access.writes);
                        }
                    }
                }
                Rc::new(all)
            });
            Rc::clone(access)
        };
        Self { meanwhile: program.locations.ids().map(meanwhile).collect() }
    }

    /// What others may read and write while a thread stands at the location. Only globals are
    /// listed: nobody else accesses the locals of a thread.
    pub fn meanwhile(&self, location: LocationId) -> &Access {
        &self.meanwhile[location]
    }
}

/// An edge as others see it.
struct OneStep {
    thread: ThreadId,
    /// Whether there may be several threads of this kind.
    is_copied: bool,
    edge: EdgeId,
    source: LocationId,
    access: Access,
}

impl OneStep {
    fn new(program: &Program, edge: EdgeId) -> Self {
        let source = program.edges[edge].source;
        let thread = program.locations[source].thread;
        let mut access = Access::of_edge(program, edge);
        for set in [&mut access.reads, &mut access.writes] {
            *set = set.iter().filter(|&var| program.vars[var].is_global()).collect();
        }
        Self { thread, is_copied: program.threads[thread].kind == ThreadKind::Template, edge, source, access }
    }
}

/// Who certainly does not run while an instance stands at a location.
struct Absence {
    absent: Arena<LocationId, IdSet<ThreadId>>,
}

impl Absence {
    fn new(program: &Program) -> Self {
        let mut absent: Arena<LocationId, IdSet<ThreadId>> =
            program.locations.ids().map(|_| IdSet::new()).collect();
        // The thread can only run while the observer is at one of these locations.
        let mut mark = |observer: ThreadId, present: &IdSet<LocationId>, thread: ThreadId| {
            for (location, declaration) in program.locations.iter() {
                if declaration.thread == observer && !present.contains(location) {
                    absent[location].insert(thread);
                }
            }
        };
        for thread in program.threads.ids() {
            let Some(starter) = only_starter(program, thread) else { continue };
            let behind = |edge: EdgeId| starts(program, edge, thread).then_some(program.edges[edge].target);
            let started = reachable(program, program.edges.ids().filter_map(behind).collect(), |_| true);
            mark(starter, &started, thread);
        }
        for (waiter, thread) in waits(program) {
            let entry = vec![program.threads[waiter].entry];
            let before = reachable(program, entry, |edge| !waits_for(program, edge, thread));
            mark(waiter, &before, thread);
        }
        Self { absent }
    }

    fn at(&self, location: LocationId) -> &IdSet<ThreadId> {
        &self.absent[location]
    }
}

/// The one instance that starts a thread, if there is only one and the thread does not run from
/// the beginning.
fn only_starter(program: &Program, thread: ThreadId) -> Option<ThreadId> {
    if program.threads[thread].kind == (ThreadKind::Instance { running: true }) {
        return None;
    }
    let edges = program.edges.ids().filter(|&edge| starts(program, edge, thread));
    let mut starters = edges.map(|edge| program.locations[program.edges[edge].source].thread);
    let first = starters.next()?;
    let is_instance = program.threads[first].kind != ThreadKind::Template;
    (is_instance && first != thread && starters.all(|other| other == first)).then_some(first)
}

fn starts(program: &Program, edge: EdgeId, thread: ThreadId) -> bool {
    let mut ops = program.edges[edge].ops.iter();
    ops.any(|op| matches!(op, Op::Spawn { thread: started, .. } if *started == thread))
}

/// Which instances wait for which others somewhere.
fn waits(program: &Program) -> FxHashSet<(ThreadId, ThreadId)> {
    let mut waits = FxHashSet::default();
    for edge in program.edges.values() {
        let waiter = program.locations[edge.source].thread;
        if program.threads[waiter].kind == ThreadKind::Template {
            continue;
        }
        for op in &edge.ops {
            if let Op::Join(Expr::Int(handle)) = op {
                waits.extend(program.instance_with_handle(*handle).map(|thread| (waiter, thread)));
            }
        }
    }
    waits
}

/// Whether the edge is only passed when the instance has ended.
fn waits_for(program: &Program, edge: EdgeId, thread: ThreadId) -> bool {
    let handle = program.instance_handle(thread);
    let mut ops = program.edges[edge].ops.iter();
    ops.any(|op| matches!(op, Op::Join(Expr::Int(joined)) if Some(*joined) == handle))
}

/// The locations to which edges lead that may be passed.
fn reachable(
    program: &Program,
    mut pending: Vec<LocationId>,
    may_pass: impl Fn(EdgeId) -> bool,
) -> IdSet<LocationId> {
    let mut seen = IdSet::new();
    while let Some(location) = pending.pop() {
        if seen.insert(location) {
            let edges = program.outgoing(location).iter().filter(|&&edge| may_pass(edge));
            pending.extend(edges.map(|&edge| program.edges[edge].target));
        }
    }
    seen
}
