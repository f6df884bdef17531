//! What can be read off a program without running it: who accesses which variables, which
//! steps concern nobody else, which values are still needed, and where the loops are.
//!
//! Passes stand on these facts, and engines may: a wrong answer here is a wrong verdict, so
//! all of them err on one side only, which each says.

mod access;
mod concurrency;
mod constants;
mod equalities;
mod fold;
mod graph;
mod handles;
mod id_set;
mod liveness;
mod locks;
mod ranges;
mod signatures;
mod var_map;
mod visibility;
mod void_runs;

pub use access::Access;
pub use concurrency::Concurrency;
pub use graph::Graph;
pub use handles::handles_are_opaque;
pub use id_set::IdSet;
pub use liveness::{Liveness, needed_vars};
pub use locks::Locks;
pub use signatures::signatures;
pub use visibility::Visibility;
pub use void_runs::has_void_runs;

pub use constants::{Constants, Env};
pub use equalities::constants_if;
pub use fold::{constant, fold, is_defined};
pub use ranges::{Known, Range, Ranges};
