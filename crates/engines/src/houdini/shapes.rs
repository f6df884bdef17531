//! Which clauses are worth trying: they grow by what breaks them.
//!
//! A thread that has seen that nobody competes knows *the other one does not compete*, until the other
//! one does. That step breaks the clause, but it establishes something else: *the other one has only
//! just begun*. And the step that breaks this one may establish *somebody came after me*. So a clause
//! that a step breaks is tried again together with what that step establishes, and where ways through
//! the program meet, with what was established on the other one.

use super::obligations::Frame;
use super::signs::{AtomId, Signs};
use rely_base::{Budget, StopReason};
use rely_program::ThreadId;
use rely_symbolic::MoveId;
use rustc_hash::FxHashSet;

/// The clauses that are worth trying for a thread, by their width.
pub(super) fn shapes(
    frame: &Frame<'_, '_>,
    thread: ThreadId,
    widest: usize,
    budget: &Budget,
) -> Result<Vec<Vec<Signs>>, StopReason> {
    let vocabulary = frame.vocabulary;
    let single = |(atom, holds)| Signs::one(atom, holds);
    let combinable = vocabulary.combinable(thread);
    let mut growth = Growth { frame, combinable, seen: FxHashSet::default(), found: Vec::new() };
    let mut shapes =
        vec![vec![Signs::default()], vocabulary.readable(thread).iter().map(single).collect::<Vec<_>>()];
    let mut narrow: Vec<Signs> = combinable.iter().map(single).collect();
    while shapes.len() <= widest {
        for &clause in &narrow {
            budget.check_now()?;
            growth.grow(thread, clause);
        }
        narrow = std::mem::take(&mut growth.found);
        shapes.push(narrow.clone());
    }
    Ok(shapes)
}

/// The search for wider clauses.
struct Growth<'g, 'f, 'p> {
    frame: &'g Frame<'f, 'p>,
    combinable: Signs,
    seen: FxHashSet<Signs>,
    found: Vec<Signs>,
}

impl Growth<'_, '_, '_> {
    /// Makes a clause of a thread wider.
    fn grow(&mut self, thread: ThreadId, clause: Signs) {
        let frame = self.frame;
        for &by in frame.moves_of_others(thread) {
            if frame.steps.touches(by, clause) && self.is_broken(by, clause) {
                self.add_established(by, clause);
            }
        }
        for arriving in frame.arriving(thread) {
            let breaks = |by| !self.frame.steps.established(by).intersects(clause);
            let broken: Vec<MoveId> =
                arriving.iter().map(|arrival| arrival.by).filter(|&by| breaks(by)).collect();
            let is_way = broken.len() < arriving.len();
            for by in broken {
                if is_way || frame.steps.touches(by, clause) {
                    self.add_established(by, clause);
                }
            }
        }
    }

    /// Whether a clause need not hold after a step even if it held before.
    fn is_broken(&self, by: MoveId, clause: Signs) -> bool {
        let before = self.frame.steps.before(by);
        let missed = self.frame.steps.missed(by, clause, self.frame.vocabulary);
        before.zip(missed).is_some_and(|(before, missed)| !before.union(missed).is_contradiction())
    }

    /// Adds to a clause what a step establishes.
    fn add_established(&mut self, by: MoveId, clause: Signs) {
        for (atom, holds) in self.frame.steps.established(by).intersection(self.combinable).iter() {
            let wider = clause.union(Signs::one(atom, holds));
            let is_wanted =
                self.seen.len() < self.frame.limits.shapes && !self.is_redundant(clause, (atom, holds));
            if is_wanted && self.seen.insert(wider) {
                self.found.push(wider);
            }
        }
    }

    /// Whether a literal adds nothing to a clause, or makes it say nothing.
    fn is_redundant(&self, clause: Signs, literal: (AtomId, bool)) -> bool {
        let vocabulary = self.frame.vocabulary;
        let (own, opposite) = (vocabulary.follows(literal), vocabulary.follows((literal.0, !literal.1)));
        let implies = |other| vocabulary.follows(other).intersects(Signs::one(literal.0, literal.1));
        own.intersects(clause) || opposite.intersects(clause) || clause.iter().any(implies)
    }
}
