//! Data races: which accesses there are, which of them conflict, and when two of them race.
//!
//! An *access* is a read or write of a shared cell by an edge. It is *atomic* if its variable or its edge
//! says so, or if the edge belongs to an atomic block. Two accesses of different threads *conflict* if they
//! may be to the same cell, at least one of them writes, and at least one of them is not atomic. A *race* is
//! a state that can be reached and in which two threads are both about to make accesses that conflict, to
//! the same cell.
//!
//! A thread is *about to* make an access if it stands where the edge starts and nothing in front of the
//! access in that edge keeps it from getting there. What is in front of it is a condition on the state in
//! which it stands: the *guard* of the access. A condition reads its variables whether it holds or not: who
//! waits for a variable looks at it all the time. Where that condition or the index cannot be said in terms
//! of the state (it depends on a value that is chosen, or on the end of another thread, in the same step),
//! the access is not *clear*, and nothing is known of races with it.
//!
//! Mutexes and their like are variables that are only accessed atomically, so that nothing about them
//! needs to be said here. Fields and elements are variables and cells of their own; front ends refuse what
//! overlaps.

mod collect;
mod conflict;
mod semantics;

pub use conflict::{Conflict, Conflicts};
pub use semantics::{Race, Racer};

use crate::expr::Expr;
use crate::ir::{EdgeId, LocationId, Program, VarId};
use rely_base::{Arena, define_id};

define_id!(
    /// An access; accesses that differ in nothing but their edge are one.
    pub struct AccessId
);

/// A read or write of a shared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where the thread stands that is about to make it.
    pub location: LocationId,
    /// An edge that makes it.
    pub edge: EdgeId,
    /// What is accessed.
    pub var: VarId,
    /// Which cell of an array, in terms of the state in front of the edge.
    pub index: Option<Expr>,
    /// Whether it writes.
    pub is_write: bool,
    /// Whether it is atomic.
    pub is_atomic: bool,
    /// What must hold in front of the edge for the access to be made.
    pub guard: Vec<Expr>,
    /// Whether guard and index say all there is to say.
    pub is_clear: bool,
}

/// All accesses of a program to shared variables.
pub fn accesses(program: &Program) -> Arena<AccessId, Access> {
    collect::accesses(program)
}
