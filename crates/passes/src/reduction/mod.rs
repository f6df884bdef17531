//! Passes that make one step of several, so that fewer interleavings are left (see Lipton, "Reduction").

mod compress;
mod decision;
mod eliminate;
mod forget;
mod merge_atomic_blocks;

pub use compress::{Compress, CriticalSections, Deadlocks};
pub use forget::{forget, forgettable};
pub use merge_atomic_blocks::MergeAtomicBlocks;
