//! Bounded exploration while a proof is looked for.
//!
//! States cost much less than nodes of abstract trees, so some of them are looked at in between, and more
//! each time.

use super::limits::TurnLimits;
use rely_base::{Budget, Silent};
use rely_engines::rely_guarantee::Falsifier;
use rely_engines::{Engine, Explore, ExploreOptions, explore};
use rely_evidence::Claim;
use rely_program::{Goal, Program, Trace};

/// Looks for violations in the program itself while trees grow.
pub(super) struct BoundedExploration<'l> {
    /// The size of the trees at which to look again; the largest number if all states were looked at.
    next: usize,
    states_per_node: usize,
    /// Looks at so many states.
    look: &'l dyn Fn(usize) -> Sight,
}

/// What is seen in some states.
pub(super) enum Sight {
    Violation(Trace),
    /// These were all states.
    NothingAnywhere,
    NothingYet,
}

impl<'l> BoundedExploration<'l> {
    pub(super) fn new(limits: TurnLimits, look: &'l dyn Fn(usize) -> Sight) -> Self {
        let TurnLimits { nodes_before_exploration: next, states_per_node, .. } = limits;
        BoundedExploration { next, states_per_node, look }
    }
}

impl Falsifier for BoundedExploration<'_> {
    fn due(&self) -> usize {
        self.next
    }

    fn look(&mut self) -> Option<Trace> {
        if self.next == usize::MAX {
            return None;
        }
        let states = self.next.saturating_mul(self.states_per_node);
        // Each time everything is looked at again: so all looks together cost little more than the last.
        self.next = self.next.saturating_mul(4);
        match (self.look)(states) {
            Sight::Violation(trace) => return Some(trace),
            Sight::NothingAnywhere => self.next = usize::MAX,
            Sight::NothingYet => {}
        }
        None
    }
}

/// Looks at so many states.
pub(super) fn look_nearby(
    program: &Program,
    goal: Goal,
    (most_states, limits): (usize, explore::Limits),
    budget: &Budget,
) -> Sight {
    let max_states = Some(most_states as u64);
    let options = ExploreOptions { max_states, shortest: false, limits, ..Default::default() };
    let explore = Explore { options };
    match explore.run(program, goal, budget, &Silent) {
        Claim::Unsafe(trace) => Sight::Violation(trace),
        Claim::Safe(_) => Sight::NothingAnywhere,
        Claim::Unknown(_) => Sight::NothingYet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn nobody_looks_again_when_everything_was_seen() {
        let seen = Cell::new(0);
        let limits = TurnLimits::default();
        let at_first = limits.nodes_before_exploration * limits.states_per_node;
        let look = |states: usize| {
            seen.set(seen.get() + states);
            if states < 16 * at_first { Sight::NothingYet } else { Sight::NothingAnywhere }
        };
        let mut exploration = BoundedExploration::new(limits, &look);
        for _ in 0..9 {
            assert!(exploration.look().is_none());
        }
        assert_eq!(seen.get(), (1 + 4 + 16) * at_first);
    }
}
