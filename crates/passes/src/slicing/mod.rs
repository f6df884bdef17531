//! Passes that leave out what the goal does not depend on.

mod focus;
mod slice_suffixes;
mod slice_threads;

pub use focus::{Focus, without_checks};
pub use slice_suffixes::SliceSuffixes;
pub use slice_threads::SliceThreads;
