//! Passes: programs into simpler programs, each with its way back.
//!
//! A [`Pass`] takes a program and returns a new one together with a [`BackMap`], which turns a
//! trace of the new program into one of the old. What a pass must preserve:
//!
//! * whether some check or property is violated,
//! * whether a deadlock can be reached (unless told to [ignore](Deadlocks) that),
//! * and every trace of the new program stands for one of the old one that shows the same.
//!
//! Data races come first: [`watch_races`] makes them properties.
//!
//! There are four groups of them:
//!
//! * `simplify`: data and conditions of each thread,
//! * `threads`: which threads there are, and where they start,
//! * `slicing`: leaving out what the goal does not depend on,
//! * `reduction`: one step instead of several.
//!
//! [`prepare`] is what engines and the command use: it brings a program into the best shape
//! for one goal, by the [`Pipeline`] for that goal. What a pass finds out about a program it asks
//! [`rely_program::analysis`]; it changes a draft of the program, which keeps the book about what its
//! parts were before.

mod back;
mod choices;
mod draft;
mod pass;
mod pipeline;
mod reduction;
mod simplify;
mod slicing;
mod statistics;
mod threads;
mod watch_races;

pub use back::{BackMap, Restored, VarValues};
pub use pass::{Pass, Size};
pub use pipeline::{Applied, Pipeline, prepare, prepare_with, simplify};
pub use reduction::{Compress, CriticalSections, Deadlocks, MergeAtomicBlocks, forget, forgettable};
pub use simplify::{
    DropIdleLoops, DropOwnerChecks, FoldConstants, InsertConstants, MergeCopies, RemoveDeadVariables,
    SeparateValues, SplitArrays, UseRanges,
};
pub use slicing::{Focus, SliceSuffixes, SliceThreads, without_checks};
pub use statistics::{PassRun, PassStatistics, Shown};
pub use threads::{BeginInitialised, Instantiate, StartLater, Unroll};
pub use watch_races::{Watched, watch_races};
