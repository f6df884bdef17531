//! Makes one step of runs of local steps, and of what is done under a lock.
//!
//! A location `m` of a thread is removed by joining each edge `e` to it with each edge `f`
//! from it. That others cannot act between `e` and `f` any more must make no difference.
//! For each `e`, one of these reasons is needed ("local" and "without effect" are defined in
//! [`Visibility`], with respect to what others can do while the thread stands at `m`, which
//! [`Concurrency`] knows):
//!
//! 1. `e` is local. In any run it can be put off until right before `f`, or, if no `f`
//!    follows, left out.
//! 2. `e` has no effect, and all edges from `m` can come forward. `f` is brought forward to
//!    right behind `e`; where no `f` follows, `e` can be left out.
//! 3. All edges from `m` can come forward, and one of them can always be taken or fails. Then
//!    `f` is brought forward; where no `f` follows, one can be added. If it fails a check, the
//!    violation found in its place must be as good as anything that others could have done
//!    meanwhile: the program must be about one goal only.
//!
//! An edge can come forward over the steps of others if it is local, or local but for starts
//! that nobody sees: others do the same whether that thread has been started and has not moved
//! yet, or has not been started. This makes one step of `spawn a; spawn b; spawn c`.
//!
//! With locks this is the reduction of Lipton: a lock can be taken later (reason 1: it is a right
//! mover), since whoever moves meanwhile neither takes it nor looks at it; what the lock protects
//! can be accessed later or earlier (a both mover); and the lock can be released earlier (reason 3:
//! a left mover). So a section whose variables are all protected becomes one edge, and one access
//! that is not protected splits it in two.
//!
//! "Moves meanwhile" includes steps that go wrong. A step of another thread that would take the
//! lock itself does not come to its end while the lock is held, but a check in front of its test of
//! the lock can fail: a range, an index, a divisor, or an assertion in the same atomic block. The
//! violation must not depend on whether `e` has been done, so what such a step reads up to its last
//! check in front of the test counts as read meanwhile ([`Concurrency`], [`Locks`]). It
//! writes nothing, since a run ends with its violation. Then, if `e` was done before the violation,
//! it can be left out (reasons 1 and 2), or be followed by an `f` that the violation does not
//! depend on either (reason 3).
//!
//! What is known about others is computed once, of the program that comes in. It stays true while
//! locations are removed: what the smaller program can do, the larger one can, step by step.
//!
//! The end of a thread is visible to joins and to properties about the end of the program. It
//! may still be brought forward (reasons 2 and 3): a join that could be made with the thread
//! still running can be made as well when it has ended, and the program has not ended before
//! the other threads' steps are done. If a property counts running threads, it is watched.
//!
//! Deadlocks, which are threads that wait for ever whether or not others go on, need more care under reasons 1 and 2.
//! A thread that waits at `m` for ever must
//! wait for ever before `e` in the new program, too, and one that waits before the joined edge
//! must have been waiting in the old one. Either
//!
//! * no thread ever waits at `m`: one of the edges from `m` can be taken, fails, or is
//!   abandoned, or
//! * (only under reason 1) `e` is local whatever others do, and leaves no choice: whenever it
//!   can be taken, it is the only edge from its source that can, in the only way, and the others
//!   wait. A thread that waits at `m` in the old program then waits at the source of `e` in the
//!   new one, and a trace to the deadlock gets these steps back at its end. (A lock that was
//!   taken is not enough: others may wait for it.)
//!
//! Loop heads stay, so that no loop disappears into an edge that would have to go on for ever.

use super::decision::decision;
use super::eliminate::Eliminator;
use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
#[cfg(doc)]
use rely_program::analysis::Locks;
use rely_program::analysis::{Access, Concurrency, Graph, Visibility};
use rely_program::{Blocking, Edge, Goal, LocationId, Op, Program, PropertyKind};

/// What compression must preserve besides violations of checks and properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlocks {
    /// Deadlocks are reachable if and only if they were.
    Preserve,
    /// Nobody asks for deadlocks.
    Ignore,
}

/// How critical sections, what is done under a lock, are executed in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CriticalSections {
    /// In one step, as far as the lock protects what they access. What is known about the result
    /// holds of the program whenever no thread is inside of a critical section.
    Atomic,
    /// In as many steps as in the program, interleaved with those of others: what is known about the
    /// result always holds.
    Interleaved,
}

/// The program with runs of local steps, and sections under locks, joined with the steps around
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Compress {
    /// Whether deadlocks matter.
    pub deadlocks: Deadlocks,
    /// Whether critical sections become atomic.
    pub sections: CriticalSections,
}

impl Pass for Compress {
    fn name(&self) -> &'static str {
        "compress"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let Self { deadlocks, sections } = *self;
        let mut draft = Draft::new(program);
        for location in program.locations().ids() {
            make_branch_wait(program, &mut draft, location);
        }
        let mut compression = Compression {
            visibility: Visibility::new(program),
            concurrency: (sections == CriticalSections::Atomic).then(|| Concurrency::new(program)),
            eliminator: Eliminator::new(draft),
            deadlocks,
            one_goal: is_about_one_goal(program),
        };
        let graph = Graph::new(program);
        let mut changed = true;
        while changed {
            changed = false;
            for location in program.locations().ids().filter(|&location| !graph.is_loop_head(location)) {
                changed |= compression.try_remove(location);
            }
        }
        compression.eliminator.draft.finish()
    }
}

/// Whether all violations count for the same goal, so that any one is as good as another.
fn is_about_one_goal(program: &Program) -> bool {
    let checks = program.checks().values().map(|check| check.kind);
    let claims = program.properties().iter().map(|property| &property.kind);
    let claims_state =
        claims.clone().any(|kind| matches!(kind, PropertyKind::Always(_) | PropertyKind::AtEnd(_)));
    let mut overflow = false;
    let mut other = claims_state;
    for kind in checks {
        let is_overflow = Goal::Overflow.includes(kind);
        overflow |= is_overflow;
        other |= !is_overflow;
    }
    !(overflow && other)
}

/// Edges under opposite conditions: which blocking the conditions have makes no difference as
/// long as nothing else waits, since one of them holds. We say that they wait, so that it
/// makes none either when something is joined that does.
fn make_branch_wait(program: &Program, draft: &mut Draft<'_>, location: LocationId) {
    let edges = program.outgoing(location);
    let own: Vec<&Edge> = edges.iter().map(|&edge| &program.edges()[edge]).collect();
    let Some(conditions) = decision(&own) else { return };
    let never_wait =
        own.iter().zip(&conditions).all(|(edge, conditions)| is_open(program, edge, conditions, may_wait));
    if never_wait {
        for (&edge, conditions) in edges.iter().zip(&conditions) {
            for &position in conditions {
                if let Op::Assume(_, blocking) = &mut draft.program.edges_mut()[edge].ops[position] {
                    *blocking = Blocking::Wait;
                }
            }
        }
    }
}

fn may_wait(op: &Op) -> bool {
    matches!(op, Op::Assume(_, Blocking::Wait) | Op::Join(_))
}

fn may_block(op: &Op) -> bool {
    matches!(op, Op::Assume(..) | Op::Join(_))
}

/// Whether nothing blocks the edge if its deciding conditions hold.
fn is_open(program: &Program, edge: &Edge, conditions: &[usize], blocks: fn(&Op) -> bool) -> bool {
    let is_other_block = |(position, op): (usize, &Op)| blocks(op) && !conditions.contains(&position);
    !program.locations()[edge.target].atomic && !edge.ops.iter().enumerate().any(is_other_block)
}

struct Compression<'p> {
    visibility: Visibility,
    /// Nothing is known of the others, or what they can do meanwhile.
    concurrency: Option<Concurrency>,
    eliminator: Eliminator<'p>,
    deadlocks: Deadlocks,
    one_goal: bool,
}

/// What is known about all edges that leave a location.
struct Leaving {
    all_come_forward: bool,
    /// Some edge can be taken, fails, or is abandoned.
    never_waits: bool,
    /// Some edge can be taken or fails.
    never_blocks: bool,
    checks: bool,
}

impl Compression<'_> {
    fn try_remove(&mut self, location: LocationId) -> bool {
        let program = &self.eliminator.draft.program;
        let fits = !program.locations()[location].atomic
            && !self.visibility.is_watched_location(program, location)
            && self.eliminator.is_removable(location);
        if !fits {
            return false;
        }
        let leaving = self.leaving(location);
        if !self.eliminator.incoming(location).all(|edge| self.can_join(edge, &leaving)) {
            return false;
        }
        if self.deadlocks == Deadlocks::Preserve && !leaving.never_waits {
            for edge in self.eliminator.incoming_ids(location).to_vec() {
                self.eliminator.settle(edge);
            }
        }
        self.eliminator.remove(location);
        true
    }

    fn leaving(&self, location: LocationId) -> Leaving {
        let program = &self.eliminator.draft.program;
        let edges: Vec<&Edge> = self.eliminator.outgoing(location).collect();
        // One edge of a decision can be taken, so all must be open; else one is enough.
        let decision = decision(&edges);
        let is_open_for = |blocks: fn(&Op) -> bool| match &decision {
            Some(conditions) => edges
                .iter()
                .zip(conditions)
                .all(|(edge, conditions)| is_open(program, edge, conditions, blocks)),
            None => edges.iter().any(|edge| is_open(program, edge, &[], blocks)),
        };
        let (never_waits, never_blocks) = (is_open_for(may_wait), is_open_for(may_block));
        let others = self.meanwhile(location);
        let comes_forward = |edge: &&Edge| self.visibility.can_come_forward(program, edge, others);
        Leaving {
            all_come_forward: edges.iter().all(comes_forward),
            never_waits,
            never_blocks,
            checks: edges.iter().any(|edge| edge.ops.iter().any(|op| matches!(op, Op::Check(..)))),
        }
    }

    fn meanwhile(&self, location: LocationId) -> Option<&Access> {
        self.concurrency.as_ref().map(|concurrency| concurrency.meanwhile(location))
    }

    /// Whether one of the reasons in the module's documentation holds for an edge.
    fn can_join(&self, edge: &Edge, leaving: &Leaving) -> bool {
        let program = &self.eliminator.draft.program;
        let ignore_deadlocks = self.deadlocks == Deadlocks::Ignore;
        let others = self.meanwhile(edge.target);
        let put_off = || {
            let holds_up_nobody = || {
                ignore_deadlocks
                    || leaving.never_waits
                    || self.visibility.is_local(program, edge) && self.leaves_no_choice(edge)
            };
            self.visibility.is_local_during(program, edge, others) && holds_up_nobody()
        };
        let without_effect = || {
            leaving.all_come_forward
                && self.visibility.has_no_effect_during(program, edge, others)
                && (ignore_deadlocks || leaving.never_waits)
        };
        let always_goes_on =
            || leaving.all_come_forward && leaving.never_blocks && (self.one_goal || !leaving.checks);
        put_off() || without_effect() || always_goes_on()
    }

    /// Whether the edge, when it can be taken, can be taken in one way only, and all others
    /// from its source wait.
    fn leaves_no_choice(&self, edge: &Edge) -> bool {
        let siblings: Vec<&Edge> = self.eliminator.outgoing(edge.source).collect();
        let waits = |(sibling, conditions): (&&Edge, &Vec<usize>)| {
            conditions.iter().all(|&at| matches!(sibling.ops[at], Op::Assume(_, Blocking::Wait)))
        };
        let is_only =
            decision(&siblings).is_some_and(|conditions| siblings.iter().zip(&conditions).all(waits));
        is_only && !edge.ops.iter().any(|op| matches!(op, Op::Havoc(..)))
    }
}
