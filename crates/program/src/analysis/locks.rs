//! Which locks a thread certainly holds where.
//!
//! A *lock* is a global variable that is used in one way only: a thread that does not hold it
//! waits until it is zero (or false) and gives it another value in the same step; the thread
//! that holds it sets it back to zero; nobody else writes to it. Then at most one thread holds
//! it at a time. By induction over the steps of a run: while a thread holds the lock, it is not
//! zero. Nobody takes a lock that is not zero, and only the thread that holds it makes it zero.
//!
//! What a thread holds at a location is what it holds on every way there.

use super::{IdSet, constants_if};
use crate::expr::Expr;
use crate::ir::{EdgeId, LocationId, Op, Place, Program, VarId};
use rely_base::Arena;

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

    /// The locks that a thread holds before it takes the edge, or takes on its way: while
    /// another thread holds one of them, the edge cannot be taken.
    pub fn needed_for(&self, program: &Program, edge: EdgeId) -> IdSet<VarId> {
        let edge = &program.edges[edge];
        let mut needed = self.held[edge.source].clone();
        let walk = Walk::along(&self.locks, &edge.ops, needed.clone());
        needed.union_with(&walk.taken);
        needed
    }
}

/// The variables to which nothing else is ever assigned than numbers and handles, and that
/// somebody takes as one takes a lock.
fn candidates(program: &Program) -> IdSet<VarId> {
    let globals = program.vars.iter().filter(|(_, var)| var.is_global() && var.length.is_none());
    let globals: IdSet<VarId> = globals.map(|(id, _)| id).collect();
    let mut candidates = IdSet::new();
    for edge in program.edges.values() {
        candidates.union_with(&Walk::along(&globals, &edge.ops, IdSet::new()).taken);
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
    /// The locks of which it is known that nobody holds them.
    free: IdSet<VarId>,
    /// The locks that were taken on the way.
    taken: IdSet<VarId>,
    misused: IdSet<VarId>,
}

impl<'c> Walk<'c> {
    fn along(candidates: &'c IdSet<VarId>, ops: &[Op], held: IdSet<VarId>) -> Self {
        let (free, taken, misused) = (IdSet::new(), IdSet::new(), IdSet::new());
        let mut walk = Self { candidates, held, free, taken, misused };
        ops.iter().for_each(|op| walk.step(op));
        walk
    }

    fn step(&mut self, op: &Op) {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                constants_if(condition, &mut |var, value| {
                    if is_zero(value) == Some(true) {
                        self.free.insert(var);
                    }
                });
            }
            Op::Assign(assignments) => {
                for (index, (place, value)) in assignments.iter().enumerate() {
                    let is_repeated =
                        || assignments[..index].iter().any(|(other, _)| other.var() == place.var());
                    match place {
                        Place::Scalar(var) if self.candidates.contains(*var) => {
                            let value = is_zero(value).filter(|_| !is_repeated());
                            self.assign(*var, value);
                        }
                        _ => {}
                    }
                }
            }
            Op::Havoc(..) | Op::Spawn { .. } | Op::Join(_) | Op::Halt => {}
        }
    }

    /// An assignment of zero, of something else, or of nobody knows what.
    fn assign(&mut self, lock: VarId, is_zero: Option<bool>) {
        let (held, free) = (self.held.contains(lock), self.free.contains(lock));
        match is_zero {
            Some(true) if held => {
                self.held.remove(lock);
                self.free.insert(lock);
            }
            Some(false) if free && !held => {
                self.free.remove(lock);
                self.held.insert(lock);
                self.taken.insert(lock);
            }
            _ => {
                self.misused.insert(lock);
                self.held.remove(lock);
                self.free.remove(lock);
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
