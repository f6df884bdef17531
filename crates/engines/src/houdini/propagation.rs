//! What follows from clauses by propagation of single literals.

use super::signs::{AtomId, MOST_ATOMS, Signs};
use super::vocabulary::Vocabulary;
use rely_base::Id;

/// Clauses that can be found by what they contain: those that do not contain the negation of
/// something that has just become known need not be looked at.
#[derive(Default)]
pub(super) struct Indexed {
    clauses: Vec<Signs>,
    /// The clauses that contain each signed atom.
    containing: Vec<Vec<u32>>,
}

impl Indexed {
    pub(super) fn new(clauses: impl Iterator<Item = Signs>) -> Self {
        let mut indexed =
            Indexed { clauses: clauses.collect(), containing: vec![Vec::new(); 2 * MOST_ATOMS] };
        for (number, clause) in indexed.clauses.iter().enumerate() {
            for sign in clause.iter() {
                indexed.containing[position(sign)].push(number as u32);
            }
        }
        indexed
    }

    fn containing(&self, sign: (AtomId, bool)) -> impl Iterator<Item = Signs> {
        let numbers = self.containing.get(position(sign)).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|&number| self.clauses[number as usize])
    }
}

fn position((atom, holds): (AtomId, bool)) -> usize {
    2 * atom.index() + usize::from(holds)
}

/// All that follows from what is known and some clauses; `None` if they contradict each other.
pub(super) fn settled(vocabulary: &Vocabulary, known: Signs, lists: &[&Indexed]) -> Option<Signs> {
    (!known.is_contradiction()).then_some(())?;
    let mut propagation = Propagation { vocabulary, known, fresh: Signs::default() };
    for &clause in lists.iter().flat_map(|list| &list.clauses) {
        propagation.use_clause(clause)?;
    }
    propagation.finish(lists)
}

/// All that follows if more is known than what is settled already.
pub(super) fn extended(
    vocabulary: &Vocabulary,
    settled: Signs,
    more: Signs,
    lists: &[&Indexed],
) -> Option<Signs> {
    let (known, fresh) = (settled.union(more), more.without(settled));
    (!known.is_contradiction()).then_some(())?;
    Propagation { vocabulary, known, fresh }.finish(lists)
}

struct Propagation<'v> {
    vocabulary: &'v Vocabulary,
    known: Signs,
    /// What has become known, and not every clause that it may concern was looked at since.
    fresh: Signs,
}

impl Propagation<'_> {
    fn finish(mut self, lists: &[&Indexed]) -> Option<Signs> {
        while let Some((atom, holds)) = self.fresh.iter().next() {
            self.fresh = self.fresh.without(Signs::one(atom, holds));
            for clause in lists.iter().flat_map(|list| list.containing((atom, !holds))) {
                self.use_clause(clause)?;
            }
        }
        Some(self.known)
    }

    /// If only one atom of a clause is open, it must hold; `None` if there is none.
    fn use_clause(&mut self, clause: Signs) -> Option<()> {
        if clause.intersects(self.known) {
            return Some(());
        }
        let open = clause.without(self.known.negated());
        let sign = open.iter().next()?;
        if open.is_single() {
            let more = self.vocabulary.follows(sign);
            self.fresh = self.fresh.union(more.without(self.known));
            self.known = self.known.union(more);
        }
        (!self.known.is_contradiction()).then_some(())
    }
}
