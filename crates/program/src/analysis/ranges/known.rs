//! What a thread knows at one place.

use super::Range;
use crate::ir::VarId;
use std::rc::Rc;

/// The ranges of the variables that a thread follows. Most steps change few of them, so many
/// locations share one list.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Ascending by variable; the same variables at all locations of a thread.
    ranges: Rc<Vec<(VarId, Range)>>,
}

impl Known {
    pub(super) fn new(mut ranges: Vec<(VarId, Range)>) -> Self {
        ranges.sort_by_key(|entry| entry.0);
        Self { ranges: Rc::new(ranges) }
    }

    fn position(&self, var: VarId) -> Option<usize> {
        self.ranges.binary_search_by_key(&var, |entry| entry.0).ok()
    }

    pub(super) fn get(&self, var: VarId) -> Option<Range> {
        self.position(var).map(|position| self.ranges[position].1)
    }

    /// Remembers the range of a variable, if it is one of those that are followed.
    pub(crate) fn set(&mut self, var: VarId, range: Range) {
        if let Some(position) = self.position(var) {
            self.set_at(position, range);
        }
    }

    /// Adds what a variable may hold besides.
    pub(super) fn add(&mut self, var: VarId, more: Range) {
        if let Some(position) = self.position(var) {
            self.set_at(position, self.ranges[position].1.hull(more));
        }
    }

    /// Whether that was something new.
    fn set_at(&mut self, position: usize, range: Range) -> bool {
        let is_new = self.ranges[position].1 != range;
        if is_new {
            Rc::make_mut(&mut self.ranges)[position].1 = range;
        }
        is_new
    }

    /// Adds what is known on one more way to the same place; whether that was something new.
    pub(super) fn join(&mut self, more: &Known, give_up_bounds: bool) -> bool {
        if Rc::ptr_eq(&self.ranges, &more.ranges) {
            return false;
        }
        let mut has_grown = false;
        for position in 0..self.ranges.len() {
            let (var, range) = self.ranges[position];
            let (other_var, other) = more.ranges[position];
            debug_assert_eq!(var, other_var, "a thread follows the same variables everywhere");
            let joined = if give_up_bounds { range.widened(other) } else { range.hull(other) };
            has_grown |= self.set_at(position, joined);
        }
        has_grown
    }
}
