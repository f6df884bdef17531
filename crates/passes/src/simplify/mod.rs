//! Passes that leave every thread as it is and make its data and conditions simpler.

mod drop_idle_loops;
mod drop_owner_checks;
mod fold_constants;
mod insert_constants;
mod merge_copies;
mod remove_dead_variables;
mod separate_values;
mod split_arrays;
mod use_ranges;

pub use drop_idle_loops::DropIdleLoops;
pub use drop_owner_checks::DropOwnerChecks;
pub use fold_constants::FoldConstants;
pub use insert_constants::InsertConstants;
pub use merge_copies::MergeCopies;
pub use remove_dead_variables::RemoveDeadVariables;
pub use separate_values::SeparateValues;
pub use split_arrays::SplitArrays;
pub use use_ranges::UseRanges;
