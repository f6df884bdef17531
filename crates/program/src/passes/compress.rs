//! Makes one step of runs of local steps.
//!
//! A location `m` of a thread is removed by joining each edge `e` to it with each edge `f`
//! from it. That others cannot act between `e` and `f` any more must make no difference.
//! For each `e`, one of these reasons is needed ("local" and "without effect" are defined in
//! [`Visibility`]):
//!
//! 1. `e` is local. In any run it can be put off until right before `f`, or, if no `f`
//!    follows, left out.
//! 2. `e` has no effect, and all edges from `m` are local. `f` can be brought forward to right
//!    behind `e`; where no `f` follows, `e` can be left out.
//! 3. All edges from `m` are local, and one of them can always be taken or fails. Then `f`
//!    can be brought forward; where no `f` follows, one can be added. If it fails a check, the
//!    violation found in its place must be as good as anything that others could have done
//!    meanwhile: the program must be about one goal only.
//!
//! The end of a thread is visible to joins and to properties about the end of the program. It
//! may still be brought forward (reasons 2 and 3): a join that could be made with the thread
//! still running can be made as well when it has ended, and the program has not ended before
//! the other threads' steps are done. If a property counts running threads, it is watched.
//!
//! Deadlocks need more care under reasons 1 and 2. A thread that waits at `m` for ever must
//! wait for ever before `e` in the new program, too, and one that waits before the joined edge
//! must have been waiting in the old one. Either
//!
//! * no thread ever waits at `m`: one of the edges from `m` can be taken, fails, or is
//!   abandoned, or
//! * (only under reason 1) `e` leaves no choice: whenever it can be taken, it is the only edge
//!   from its source that can, in the only way, and the others wait. A thread that waits at
//!   `m` in the old program then waits at the source of `e` in the new one, and a trace to
//!   the deadlock gets these steps back at its end.
//!
//! Loop heads stay, so that no loop disappears into an edge that would have to go on for ever.

use super::BackMap;
use super::draft::Draft;
use super::eliminate::Eliminator;
use crate::analysis::{Graph, Visibility};
use crate::expr::Expr;
use crate::ir::{Blocking, Edge, LocationId, Op, Program};
use crate::property::{Claimed, Goal};

/// What compression must preserve besides violations of checks and properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlocks {
    /// Deadlocks are reachable if and only if they were.
    Preserve,
    /// Nobody asks for deadlocks.
    Ignore,
}

/// The program with runs of local steps joined with the steps around them.
pub fn compress(program: &Program, deadlocks: Deadlocks) -> (Program, BackMap) {
    let mut draft = Draft::new(program);
    for location in program.locations.ids() {
        make_branch_wait(program, &mut draft, location);
    }
    let mut compression = Compression {
        visibility: Visibility::new(program),
        eliminator: Eliminator::new(draft),
        deadlocks,
        one_goal: is_about_one_goal(program),
    };
    let graph = Graph::new(program);
    let mut changed = true;
    while changed {
        changed = false;
        for location in program.locations.ids().filter(|&location| !graph.is_loop_head(location)) {
            changed |= compression.try_remove(location);
        }
    }
    compression.eliminator.draft.finish()
}

/// Whether all violations count for the same goal, so that any one is as good as another.
fn is_about_one_goal(program: &Program) -> bool {
    let checks = program.checks().values().map(|check| check.kind);
    let claims = program.properties().iter().map(|property| &property.claimed);
    let claims_state =
        claims.clone().any(|claimed| matches!(claimed, Claimed::Always(_) | Claimed::AtEnd(_)));
    let mut overflow = false;
    let mut other = claims_state;
    for kind in checks {
        let is_overflow = Goal::Overflow.includes(kind);
        overflow |= is_overflow;
        other |= !is_overflow;
    }
    !(overflow && other)
}

/// Two edges under opposite conditions: which blocking the conditions have makes no
/// difference as long as nothing behind them waits. We say that they wait, so that it makes
/// none either when something is joined that does.
fn make_branch_wait(program: &Program, draft: &mut Draft<'_>, location: LocationId) {
    let edges = program.outgoing(location);
    let ends_outside = edges.iter().all(|&edge| !program.locations[program.edges[edge].target].atomic);
    let own: Vec<&Edge> = edges.iter().map(|&edge| &program.edges[edge]).collect();
    let never_waits = |edge: &&Edge| edge.ops.iter().skip(1).all(|op| !may_wait(op));
    if ends_outside && is_branch(&own) && own.iter().all(never_waits) {
        for &edge in edges {
            if let Some(Op::Assume(_, blocking)) = draft.program.edges[edge].ops.first_mut() {
                *blocking = Blocking::Wait;
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

/// Whether there are two edges that begin with opposite conditions.
fn is_branch(edges: &[&Edge]) -> bool {
    match edges {
        [yes, no] => match (yes.ops.first(), no.ops.first()) {
            (Some(Op::Assume(first, _)), Some(Op::Assume(second, _))) => are_opposite(first, second),
            _ => false,
        },
        _ => false,
    }
}

fn are_opposite(first: &Expr, second: &Expr) -> bool {
    first.clone().negate() == *second || second.clone().negate() == *first
}

struct Compression<'p> {
    visibility: Visibility,
    eliminator: Eliminator<'p>,
    deadlocks: Deadlocks,
    one_goal: bool,
}

/// What is known about all edges that leave a location.
struct Leaving {
    all_local: bool,
    /// Some edge can be taken, fails, or is abandoned.
    never_waits: bool,
    /// Some edge can be taken or fails.
    never_blocks: bool,
    checks: bool,
}

impl Compression<'_> {
    fn try_remove(&mut self, location: LocationId) -> bool {
        let program = &self.eliminator.draft.program;
        let fits = !program.locations[location].atomic
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
        // Of a branch, one side is open; of several other edges we only look at one at a time.
        let conditions = usize::from(is_branch(&edges));
        let is_open = |edge: &&Edge, blocks: fn(&Op) -> bool| {
            !program.locations[edge.target].atomic && !edge.ops.iter().skip(conditions).any(blocks)
        };
        let (never_waits, never_blocks) = match conditions {
            0 => (
                edges.iter().any(|edge| is_open(edge, may_wait)),
                edges.iter().any(|edge| is_open(edge, may_block)),
            ),
            _ => (
                edges.iter().all(|edge| is_open(edge, may_wait)),
                edges.iter().all(|edge| is_open(edge, may_block)),
            ),
        };
        Leaving {
            all_local: edges.iter().all(|edge| self.visibility.is_local(program, edge)),
            never_waits,
            never_blocks,
            checks: edges.iter().any(|edge| edge.ops.iter().any(|op| matches!(op, Op::Check(..)))),
        }
    }

    /// Whether one of the reasons in the module's documentation holds for an edge.
    fn can_join(&self, edge: &Edge, leaving: &Leaving) -> bool {
        let program = &self.eliminator.draft.program;
        let ignore_deadlocks = self.deadlocks == Deadlocks::Ignore;
        let put_off = || {
            self.visibility.is_local(program, edge)
                && (ignore_deadlocks || leaving.never_waits || self.leaves_no_choice(edge))
        };
        let without_effect = || {
            leaving.all_local
                && self.visibility.has_no_effect(program, edge)
                && (ignore_deadlocks || leaving.never_waits)
        };
        let always_goes_on =
            || leaving.all_local && leaving.never_blocks && (self.one_goal || !leaving.checks);
        put_off() || without_effect() || always_goes_on()
    }

    /// Whether the edge, when it can be taken, can be taken in one way only, and all others
    /// from its source wait.
    fn leaves_no_choice(&self, edge: &Edge) -> bool {
        let siblings: Vec<&Edge> = self.eliminator.outgoing(edge.source).collect();
        let waits_first = |edge: &&Edge| matches!(edge.ops.first(), Some(Op::Assume(_, Blocking::Wait)));
        let is_only = siblings.len() == 1 || (is_branch(&siblings) && siblings.iter().all(waits_first));
        is_only && !edge.ops.iter().any(|op| matches!(op, Op::Havoc(..)))
    }
}
