//! Counterexamples that were excluded, and stay so when fewer places are told apart.
//!
//! That a thread cannot be where a counterexample needs it is a reason that is found quickly, and
//! often a poor one: a predicate that is found later would have done, and each place that is told
//! apart multiplies abstract states. So places are refined non-monotonically (Gupta, Popeea,
//! Rybalchenko, *Non-monotonic refinement of control abstraction for concurrent programs*, ATVA
//! 2010): all counterexamples are kept, and when a predicate is found, only those places are told
//! apart from then on that exclude one of them which nothing else does. Nothing comes back because
//! places were forgotten. One may come back where a step is not exact for those who track more: that costs a round, and
//! the limits of the engine bound how many there are.

use crate::rely_guarantee::precision::{Precision, PrecisionIncrement};
use crate::rely_guarantee::reach::decide::Decider;
use crate::rely_guarantee::reach::{Derivation, Trees};
use rely_base::Budget;
use rely_symbolic::System;

/// All counterexamples so far.
#[derive(Default)]
pub(crate) struct Excluded {
    list: Vec<Entry>,
    /// Whether one was too large to be kept.
    is_incomplete: bool,
    /// How many of them were excluded when places were forgotten last.
    settled: usize,
}

struct Entry {
    derivation: Derivation,
    /// What was found about places against it.
    places: Vec<PrecisionIncrement>,
}

impl Excluded {
    /// One more counterexample, unless it is too large, and what was found against it.
    pub(crate) fn add(&mut self, derivation: Option<Derivation>, found: &[PrecisionIncrement]) {
        let Some(derivation) = derivation else {
            self.is_incomplete = true;
            return;
        };
        debug_assert!(
            self.list[..self.settled].iter().all(|entry| entry.derivation != derivation),
            "no counterexample comes back because places were forgotten"
        );
        let places = found.iter().filter(|one| one.is_place()).cloned().collect();
        self.list.push(Entry { derivation, places });
    }

    /// Predicates may be tracked in fewer control points from now on, so that counterexamples can come back.
    pub(crate) fn unsettle(&mut self) {
        self.settled = 0;
    }

    /// An precision with the same predicates and fewer places that excludes all counterexamples,
    /// too, if one is found.
    pub(crate) fn with_fewer_places<'p>(
        &mut self,
        system: &'p System<'p>,
        precision: &Precision,
        decider: &mut Decider<'p>,
        budget: &Budget,
    ) -> Option<Precision> {
        if self.is_incomplete {
            return None;
        }
        let mut coarser = precision.without_places(system);
        let mut next = 0;
        loop {
            budget.check_now().ok()?;
            let mut trees = Trees::new(system, &coarser, decider, budget);
            let mut rest = self.list[next..].iter();
            let Some(needed) = rest.position(|entry| entry.derivation.is_possible(&mut trees)) else {
                if coarser.count_blocks() == precision.count_blocks() {
                    return None;
                }
                self.settled = self.list.len();
                return Some(coarser);
            };
            next += needed;
            let places = self.list[next].places.iter();
            // It may take places that were found against other counterexamples.
            if places.filter(|place| place.apply(&mut coarser)).count() == 0 {
                return None;
            }
        }
    }

    /// Whether none of them is possible with the precision of some trees.
    #[cfg(test)]
    pub(crate) fn are_impossible(&self, trees: &mut Trees<'_, '_>) -> bool {
        !self.is_incomplete && self.list.iter().all(|entry| !entry.derivation.is_possible(trees))
    }
}
