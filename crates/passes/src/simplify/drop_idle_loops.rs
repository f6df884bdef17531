//! Leaves out loops in which a thread only waits, and looks again and again.
//!
//! A thread that takes a spin lock by `while (test_and_set(&lock));` writes while it waits. As long as somebody else has
//! the lock, it finds there what it writes, and is then where it was before. Such steps are *idle*: behind them
//! all shared variables have the values that they had before, and so has every local variable of the thread that matters
//! where the loop begins. Without them the thread waits as it does for a mutex, and that is something
//! that commutes with what others do; a test that fails does not commute with the release of the lock.
//!
//! From the head of such a loop, idle steps lead to the head again, or to locations inside from which only idle
//! steps lead anywhere, inside or to the head. Take a run of the program. While the thread is inside, let it stand at the head
//! instead: nobody can tell the difference, since no property asks where it is, and nothing can go wrong inside. When
//! it comes back to the head, it is in the same state. So the run without these steps is one of the program without
//! the first steps of such loops, with the same values all the time. Conversely these runs are runs of the program.
//! With fewer steps there are no fewer idle loops, so all of them can be left out, one after the other.
//!
//! A thread that waits for ever for a spin lock is blocked then, so this is only for goals that do not ask for
//! deadlocks or for the end of runs.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{IdSet, Liveness, Ranges, Visibility};
use rely_program::{Edge, EdgeId, Expr, LocationId, Op, Place, Program, Sort, Value, VarId, definedness};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program in which threads do not look again while they wait.
#[derive(Clone, Copy, Debug)]
pub struct DropIdleLoops;

impl Pass for DropIdleLoops {
    fn name(&self) -> &'static str {
        "drop_idle_loops"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let loops = idle_loops(program);
        if loops.is_empty() {
            return (program.clone(), BackMap::identity());
        }
        let mut draft = Draft::new(program);
        loops.into_iter().for_each(|edge| draft.drop_edge(edge));
        draft.finish()
    }
}

/// The edges that begin idle loops.
fn idle_loops(program: &Program) -> Vec<EdgeId> {
    let steps = |is_wanted: &dyn Fn(&Step) -> bool| -> IdSet<EdgeId> {
        let edges = program.edges().iter();
        edges
            .filter(|(_, edge)| Step::of(program, edge).is_some_and(|step| is_wanted(&step)))
            .map(|(id, _)| id)
            .collect()
    };
    let reading = Idle::new(program, steps(&|step| step.written.is_empty()));
    let loops = reading.all_loops();
    let writing = Idle { still: steps(&|_| true), ..reading };
    // Few programs write while they wait, and ranges take longer than all the rest.
    if writing.all_loops() == loops {
        return loops;
    }
    let ranges = Ranges::new(program);
    let still = writing.still.iter().filter(|&edge| is_still(program, &ranges, &program.edges()[edge]));
    Idle { still: still.collect(), ..writing }.all_loops()
}

struct Idle<'p> {
    program: &'p Program,
    visibility: Visibility,
    liveness: Liveness,
    /// The edges that change no shared variable and cannot go wrong.
    still: IdSet<EdgeId>,
}

impl<'p> Idle<'p> {
    fn new(program: &'p Program, still: IdSet<EdgeId>) -> Self {
        Self { program, visibility: Visibility::new(program), liveness: Liveness::new(program), still }
    }

    fn all_loops(&self) -> Vec<EdgeId> {
        let heads = self.program.locations().ids().filter(|&head| self.can_stand_at(head));
        heads.flat_map(|head| self.loops(head)).collect()
    }

    /// Whether others may take it that a thread stands here while it is somewhere else.
    fn can_stand_at(&self, location: LocationId) -> bool {
        let thread = self.program.thread_of(location);
        !self.program.locations()[location].atomic
            && !self.visibility.is_watched_location(self.program, location)
            && location != thread.exit
    }

    /// The edges that begin idle loops at a location.
    fn loops(&self, head: LocationId) -> Vec<EdgeId> {
        let is_idle = |edge: &EdgeId| self.is_idle(*edge, head);
        let first: Vec<EdgeId> = self.program.outgoing(head).iter().copied().filter(is_idle).collect();
        let inside = self.inside(head, &first);
        let stays = |edge: &EdgeId| {
            let target = self.program.edges()[*edge].target;
            target == head || inside.contains(target)
        };
        first.into_iter().filter(stays).collect()
    }

    /// The locations behind some edges from which only idle steps lead anywhere, and none out of here but to the head.
    fn inside(&self, head: LocationId, first: &[EdgeId]) -> IdSet<LocationId> {
        let mut inside: IdSet<LocationId> = IdSet::new();
        let target = |edge: EdgeId| self.program.edges()[edge].target;
        let mut found: Vec<LocationId> = first.iter().map(|&edge| target(edge)).collect();
        while let Some(location) = found.pop() {
            if location != head && self.can_stand_at(location) && inside.insert(location) {
                let idle = self.program.outgoing(location).iter().filter(|edge| self.is_idle(**edge, head));
                found.extend(idle.map(|&edge| target(edge)));
            }
        }
        let stays = |inside: &IdSet<LocationId>, location: LocationId| {
            let mut edges = self.program.outgoing(location).iter();
            edges.all(|&edge| {
                self.is_idle(edge, head) && (target(edge) == head || inside.contains(target(edge)))
            })
        };
        loop {
            let leaves = inside.iter().find(|&location| !stays(&inside, location));
            let Some(leaves) = leaves else { break };
            inside.remove(leaves);
        }
        inside
    }

    /// Whether a step is not seen by others, nor by its thread when it is at the head of the loop again.
    fn is_idle(&self, edge: EdgeId, head: LocationId) -> bool {
        let is_forgotten = |place: &Place| {
            self.program.vars()[place.var()].is_global() || !self.liveness.is_live(head, place.var())
        };
        let assignments = self.program.edges()[edge].ops.iter().filter_map(|op| match op {
            Op::Assign(assignments) => Some(assignments),
            _ => None,
        });
        self.still.contains(edge) && assignments.flatten().all(|(place, _)| is_forgotten(place))
    }
}

/// A step that does nothing but tests and assignments of local variables, and of numbers to shared ones.
struct Step {
    /// What is tested on the way, in terms of what variables held before the step.
    tests: Vec<Op>,
    /// What shared variables hold behind it.
    written: Vec<(VarId, Value)>,
}

impl Step {
    fn of(program: &Program, edge: &Edge) -> Option<Step> {
        // What variables hold, in terms of what they held before the step.
        let mut now: FxHashMap<VarId, Expr> = FxHashMap::default();
        let mut tests: Vec<Op> = Vec::new();
        let is_defined = |expr: &Expr| definedness(program, expr).is_empty();
        for op in &edge.ops {
            match op {
                Op::Assume(condition, kind) if is_defined(condition) => {
                    tests.push(Op::Assume(in_terms_of_before(&now, condition), *kind));
                }
                Op::Assign(assignments) => {
                    let mut values = Vec::new();
                    for (place, value) in assignments {
                        let Place::Scalar(var) = place else { return None };
                        if !is_defined(value) {
                            return None;
                        }
                        values.push((*var, in_terms_of_before(&now, value)));
                    }
                    now.extend(values);
                }
                _ => return None,
            }
        }
        let is_shared = |var: VarId| program.vars()[var].is_global();
        let written = now.iter().filter(|&(&var, value)| is_shared(var) && *value != Expr::Var(var));
        // What it holds already is known from a test only: others may change it between two steps.
        let mut tested: FxHashSet<VarId> = FxHashSet::default();
        for test in &tests {
            if let Op::Assume(condition, _) = test {
                condition.for_each_var(|var| _ = tested.insert(var));
            }
        }
        let written: Option<Vec<_>> = written
            .map(|(&var, value)| {
                Some((var, constant(program, var, value).filter(|_| tested.contains(&var))?))
            })
            .collect();
        Some(Step { tests, written: written? })
    }
}

/// Whether an edge leaves all shared variables as they are.
fn is_still(program: &Program, ranges: &Ranges<'_>, edge: &Edge) -> bool {
    let Some(step) = Step::of(program, edge) else { return false };
    if step.written.is_empty() {
        return true;
    }
    let Some(mut known) = ranges.at(edge.source).cloned() else { return false };
    // A step that is never taken is left to others.
    step.tests.iter().all(|test| ranges.step(&mut known, test))
        && step.written.iter().all(|&(var, value)| {
            let there = ranges.of(&known, &Expr::Var(var)).single();
            there == Some(value)
        })
}

/// The value, if it is a number or a truth value.
fn constant(program: &Program, var: VarId, value: &Expr) -> Option<Value> {
    match (value, program.vars()[var].sort) {
        (Expr::Int(value), Sort::Int) => Some(*value),
        (Expr::Bool(value), Sort::Bool) => Some(Value::from(*value)),
        _ => None,
    }
}

fn in_terms_of_before(now: &FxHashMap<VarId, Expr>, expr: &Expr) -> Expr {
    match expr {
        Expr::Var(var) => now.get(var).cloned().unwrap_or_else(|| expr.clone()),
        _ => expr.map_children(|child| in_terms_of_before(now, child)),
    }
}
