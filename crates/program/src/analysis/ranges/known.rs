//! What a thread knows at one place.

use super::Range;
use crate::analysis::var_map::VarMap;
use crate::ir::VarId;

/// The ranges of the variables that a thread follows: the same variables at all of its locations. Most
/// steps change few of them, so locations share them.
#[derive(Clone, Debug)]
pub struct Known {
    ranges: VarMap<Range>,
}

impl Known {
    pub(super) fn new(ranges: impl IntoIterator<Item = (VarId, Range)>) -> Self {
        let mut known = VarMap::default();
        for (var, range) in ranges {
            known.set(var, Some(range));
        }
        Self { ranges: known }
    }

    pub(super) fn get(&self, var: VarId) -> Option<Range> {
        self.ranges.get(var)
    }

    /// Remembers the range of a variable, if it is one of those that are followed.
    pub fn set(&mut self, var: VarId, range: Range) {
        if self.get(var).is_some() {
            self.ranges.set(var, Some(range));
        }
    }

    /// Adds what a variable may hold besides.
    pub(super) fn add(&mut self, var: VarId, more: Range) {
        if let Some(range) = self.get(var) {
            self.ranges.set(var, Some(range.hull(more)));
        }
    }

    /// Adds what is known on one more way to the same place; whether that was something new.
    pub(super) fn join(&mut self, more: &Known, widen: bool) -> bool {
        self.ranges.merge(&more.ranges, &mut |range, other| {
            debug_assert!(other.is_some(), "a thread follows the same variables everywhere");
            let other = other?;
            Some(if widen { range.widened(other) } else { range.hull(other) })
        })
    }
}
