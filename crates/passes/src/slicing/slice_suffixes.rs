//! Leaves out the last steps of threads, where no check and no property depends on them.
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

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_base::Arena;
use rely_program::analysis::{Graph, IdSet, Visibility};
use rely_program::{Edge, Expr, LocationId, Op, Program, PropertyKind, ThreadId, ThreadKind};
use rustc_hash::FxHashMap;

/// The program in which threads end as soon as nothing they do matters any more, except for
/// deadlocks and termination.
#[derive(Clone, Copy, Debug)]
pub struct SliceSuffixes;

impl Pass for SliceSuffixes {
    fn name(&self) -> &'static str {
        "slice_suffixes"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let mut draft = Draft::new(program);
        if !asks_for_the_end(program) {
            let facts = Facts { program, visibility: Visibility::new(program), graph: Graph::new(program) };
            let joins = Joins::new(program);
            for (thread, own) in locations_by_thread(program).iter() {
                if !joins.may_be_joined(program, thread) {
                    cut(program, &mut draft, thread, own, &facts.idle_locations(own));
                }
            }
        }
        draft.finish()
    }
}

/// The locations of each thread.
pub(crate) fn locations_by_thread(program: &Program) -> Arena<ThreadId, Vec<LocationId>> {
    let mut own: Arena<ThreadId, Vec<LocationId>> = program.threads().ids().map(|_| Vec::new()).collect();
    for (id, location) in program.locations().iter() {
        own[location.thread].push(id);
    }
    own
}

/// Whether a property is about the end of the program.
pub(crate) fn asks_for_the_end(program: &Program) -> bool {
    program.properties().iter().any(|property| matches!(property.kind, PropertyKind::AtEnd(_)))
}

/// Ends a thread, which has these locations of its own, where it comes to one of some of them.
pub(crate) fn cut(
    program: &Program,
    draft: &mut Draft<'_>,
    thread: ThreadId,
    own: &[LocationId],
    idle: &IdSet<LocationId>,
) {
    let declaration = &program.threads()[thread];
    if !idle.contains(declaration.exit) {
        return;
    }
    for &location in own {
        for &id in program.outgoing(location) {
            let edge = &program.edges()[id];
            if idle.contains(edge.source) {
                draft.remove_edge(id);
            } else if idle.contains(edge.target) {
                draft.program.edges_mut()[id].target = declaration.exit;
            }
        }
    }
    for location in own.iter().copied().filter(|&location| idle.contains(location)) {
        if location != declaration.entry && location != declaration.exit {
            draft.remove_location(location);
        }
    }
}

/// Who waits for the end of whom.
pub(crate) struct Joins {
    /// Those who wait for somebody of whom it is not known who it is.
    for_anybody: IdSet<ThreadId>,
    /// Who waits for an instance.
    of: FxHashMap<ThreadId, IdSet<ThreadId>>,
}

impl Joins {
    pub(crate) fn new(program: &Program) -> Self {
        let mut joins = Joins { for_anybody: IdSet::new(), of: FxHashMap::default() };
        for edge in program.edges().values() {
            let waiter = program.locations()[edge.source].thread;
            for op in &edge.ops {
                let Op::Join(handle) = op else { continue };
                let joined = match handle {
                    Expr::Int(handle) => program.instance_with_handle(*handle),
                    _ => None,
                };
                let waiters = match joined {
                    Some(joined) => joins.of.entry(joined).or_default(),
                    None => &mut joins.for_anybody,
                };
                waiters.insert(waiter);
            }
        }
        joins
    }

    /// Whether another thread may wait for the end of this one. Of a template, every thread that
    /// is started is another one.
    pub(crate) fn may_be_joined(&self, program: &Program, thread: ThreadId) -> bool {
        let is_instance = program.threads()[thread].kind != ThreadKind::Template;
        let is_another = |waiter: ThreadId| !is_instance || waiter != thread;
        let known = self.of.get(&thread).into_iter().flat_map(IdSet::iter);
        known.chain(self.for_anybody.iter()).any(is_another)
    }
}

struct Facts<'p> {
    program: &'p Program,
    visibility: Visibility,
    graph: Graph,
}

impl Facts<'_> {
    /// Those locations of a thread from which on nothing matters: all that may rest, but for those from
    /// which something is done, or that lead to one where that is so.
    fn idle_locations(&self, own: &[LocationId]) -> IdSet<LocationId> {
        let Facts { program, visibility, graph } = self;
        let may_rest = |location: LocationId| {
            !program.locations()[location].atomic && !visibility.is_watched_location(program, location)
        };
        let does_something = |location: LocationId| {
            let mut leaving = program.outgoing(location).iter().map(|&edge| &program.edges()[edge]);
            leaving.any(|edge| !is_idle(program, visibility, edge))
        };
        let mut idle: IdSet<LocationId> = own.iter().copied().collect();
        let mut pending: Vec<LocationId> = own.to_vec();
        pending.retain(|&location| !may_rest(location) || does_something(location));
        while let Some(location) = pending.pop() {
            if idle.contains(location) {
                idle.remove(location);
                pending.extend(graph.incoming(location).iter().map(|&edge| program.edges()[edge].source));
            }
        }
        idle
    }
}

fn is_idle(program: &Program, visibility: &Visibility, edge: &Edge) -> bool {
    let may_fail = edge.ops.iter().any(|op| matches!(op, Op::Check(..)));
    let without_halt = Edge {
        ops: edge.ops.iter().filter(|op| **op != Op::Halt).cloned().collect(),
        source: edge.source,
        target: edge.target,
        span: edge.span,
        atomic: edge.atomic,
    };
    !may_fail && visibility.has_no_effect(program, &without_halt)
}
