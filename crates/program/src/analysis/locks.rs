//! Which locks a thread certainly holds where.
//!
//! A *lock* is a global variable that is used in one way only: a thread that does not hold it
//! waits until it is zero (or false) and gives it another value in the same step; the thread
//! that holds it sets it back to zero; nobody else writes to it. Then at most one thread holds
//! it at a time. By induction over the steps of a run: while a thread holds the lock, it is not
//! zero. Nobody takes a lock that is not zero, and only the thread that holds it makes it zero.
//!
//! What a thread holds at a location is what it holds on every way there.
//!
//! While one thread holds a lock, what can another do whose edge takes it? It cannot pass the edge,
//! so nothing of it happens. But the operations *before* the test of the lock are looked at all the
//! same, and a check among them can fail: that is a violation, and it depends on all that was read
//! up to there. A range, an index or a divisor in the same step is such a check, since front ends
//! put them in front of what needs them. If the lock itself is tested by a check
//! (`assert m == 0; m := 1`), this check fails whenever somebody else holds the lock. What can be
//! seen of an edge in this way is its [prelude](Locks::prelude).

use super::{Access, IdSet, constants_if};
use crate::expr::{BinaryOp, Expr};
use crate::ir::{EdgeId, LocationId, Op, Place, Program, VarId};
use rely_base::Arena;
use rustc_hash::FxHashMap;

/// What threads hold at their locations. A lock that is missing here may still be held.
#[derive(Debug)]
pub struct Locks {
    locks: IdSet<VarId>,
    held: Arena<LocationId, IdSet<VarId>>,
}

impl Locks {
    /// Looks for the locks of the program, and for where they are held.
    pub fn new(program: &Program) -> Self {
        let mut locks = candidates(program);
        loop {
            let held = certainly_held(program, &locks);
            let misused = misused(program, &locks, &held);
            if misused.is_empty() {
                return Self { locks, held };
            }
            misused.iter().for_each(|lock| locks.remove(lock));
        }
    }

    /// The locks that a thread holds whenever it is at the location.
    pub fn held_at(&self, location: LocationId) -> &IdSet<VarId> {
        &self.held[location]
    }

    /// Whether two threads that hold these locks, or are about to take an edge, exclude each other:
    /// whoever takes the edge holds one of the locks before.
    pub fn excludes(&self, program: &Program, held: &IdSet<VarId>, edge: EdgeId) -> bool {
        self.held[program.edges[edge].source].intersects(held)
    }

    /// What an edge that takes one of these locks on its way reads at most while another thread
    /// holds them: it does not come to its end, but checks in front of the test of a lock may fail.
    /// `None` if it takes none of them.
    pub fn prelude(&self, program: &Program, held: &IdSet<VarId>, edge: EdgeId) -> Option<IdSet<VarId>> {
        let edge = &program.edges[edge];
        let walk = Walk::along(&self.locks, &edge.ops, self.held[edge.source].clone());
        // It gets no further than to the first test that does not hold.
        let taken = walk.taken.iter().filter(|(lock, _)| held.contains(*lock));
        let &(_, tested) = taken.min_by_key(|(_, tested)| *tested)?;
        let mut looked_at = &edge.ops[..=tested];
        while let [earlier @ .., last] = looked_at {
            if can_fail(last, held) {
                break;
            }
            looked_at = earlier;
        }
        Some(Access::of_ops(looked_at).reads)
    }
}

/// Whether an operation can be a violation while all of these locks are held, so not zero.
fn can_fail(op: &Op, held: &IdSet<VarId>) -> bool {
    let Op::Check(condition, _) = op else { return false };
    // What must only hold if the lock is free.
    if let Expr::Binary(BinaryOp::Implies, sides) = condition {
        let mut needs_free_lock = false;
        constants_if(&sides[0], &mut |var, value| {
            needs_free_lock |= held.contains(var) && is_zero(value) == Some(true);
        });
        return !needs_free_lock;
    }
    true
}

/// The variables to which nothing else is ever assigned than numbers and handles, and that
/// somebody takes as one takes a lock.
fn candidates(program: &Program) -> IdSet<VarId> {
    let globals = program.vars.iter().filter(|(_, var)| var.is_global() && var.length.is_none());
    let globals: IdSet<VarId> = globals.map(|(id, _)| id).collect();
    let mut candidates = IdSet::new();
    for edge in program.edges.values() {
        candidates.extend(Walk::along(&globals, &edge.ops, IdSet::new()).taken.iter().map(|(lock, _)| *lock));
    }
    for op in program.edges.values().flat_map(|edge| &edge.ops) {
        match op {
            Op::Assign(assignments) => {
                let unusual = assignments.iter().filter(|(_, value)| is_zero(value).is_none());
                unusual.for_each(|(place, _)| candidates.remove(place.var()));
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => candidates.remove(place.var()),
            _ => {}
        }
    }
    candidates
}

/// The greatest sets that no edge contradicts: nobody holds anything at the entry.
fn certainly_held(program: &Program, candidates: &IdSet<VarId>) -> Arena<LocationId, IdSet<VarId>> {
    let mut held: Arena<LocationId, IdSet<VarId>> =
        program.locations.ids().map(|_| candidates.clone()).collect();
    let mut pending: Vec<LocationId> = program.threads.values().map(|thread| thread.entry).collect();
    for &entry in &pending {
        held[entry] = IdSet::new();
    }
    let mut visited: IdSet<LocationId> = pending.iter().copied().collect();
    while let Some(location) = pending.pop() {
        for &edge in program.outgoing(location) {
            let edge = &program.edges[edge];
            let after = Walk::along(candidates, &edge.ops, held[location].clone()).held;
            let lost: Vec<VarId> = held[edge.target].iter().filter(|&lock| !after.contains(lock)).collect();
            for &lock in &lost {
                held[edge.target].remove(lock);
            }
            if !lost.is_empty() | visited.insert(edge.target) {
                pending.push(edge.target);
            }
        }
    }
    held
}

/// The candidates that some edge does not treat as a lock.
fn misused(
    program: &Program,
    candidates: &IdSet<VarId>,
    held: &Arena<LocationId, IdSet<VarId>>,
) -> IdSet<VarId> {
    let mut misused = IdSet::new();
    for edge in program.edges.values() {
        let walk = Walk::along(candidates, &edge.ops, held[edge.source].clone());
        misused.union_with(&walk.misused);
    }
    misused
}

/// What happens to locks along an edge.
struct Walk<'c> {
    candidates: &'c IdSet<VarId>,
    held: IdSet<VarId>,
    /// The locks of which it is known that nobody holds them, with the operation that shows it.
    free: FxHashMap<VarId, usize>,
    /// The locks that were taken on the way, with the operation that tested them.
    taken: Vec<(VarId, usize)>,
    misused: IdSet<VarId>,
}

impl<'c> Walk<'c> {
    fn along(candidates: &'c IdSet<VarId>, ops: &[Op], held: IdSet<VarId>) -> Self {
        let (free, taken, misused) = (FxHashMap::default(), Vec::new(), IdSet::new());
        let mut walk = Self { candidates, held, free, taken, misused };
        ops.iter().enumerate().for_each(|(index, op)| walk.step(index, op));
        walk
    }

    fn step(&mut self, index: usize, op: &Op) {
        match op {
            // Behind a check as well as behind a condition the lock is free; that a check does
            // something else if it is not is what preludes are about.
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                constants_if(condition, &mut |var, value| {
                    if is_zero(value) == Some(true) {
                        self.free.entry(var).or_insert(index);
                    }
                });
            }
            Op::Assign(assignments) => {
                for (number, (place, value)) in assignments.iter().enumerate() {
                    let is_repeated =
                        || assignments[..number].iter().any(|(other, _)| other.var() == place.var());
                    match place {
                        Place::Scalar(var) if self.candidates.contains(*var) => {
                            let value = is_zero(value).filter(|_| !is_repeated());
                            self.assign(index, *var, value);
                        }
                        _ => {}
                    }
                }
            }
            Op::Havoc(..) | Op::Spawn { .. } | Op::Join(_) | Op::Halt => {}
        }
    }

    /// An assignment of zero, of something else, or of nobody knows what.
    fn assign(&mut self, index: usize, lock: VarId, is_zero: Option<bool>) {
        let held = self.held.contains(lock);
        let tested = self.free.remove(&lock);
        match (is_zero, tested) {
            (Some(true), _) if held => {
                self.held.remove(lock);
                self.free.insert(lock, index);
            }
            (Some(false), Some(tested)) if !held => {
                self.held.insert(lock);
                self.taken.push((lock, tested));
            }
            _ => {
                self.misused.insert(lock);
                self.held.remove(lock);
            }
        }
    }
}

/// Whether a value is zero (or false), if that is known. Handles are positive.
fn is_zero(value: &Expr) -> Option<bool> {
    match value {
        Expr::Int(value) => Some(*value == 0),
        Expr::Bool(value) => Some(!value),
        Expr::This => Some(false),
        _ => None,
    }
}
