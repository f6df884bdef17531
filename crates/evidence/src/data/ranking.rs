//! Rankings as plain data.

use super::{Atom, ControlPoint, Quantity, RelyGuarantee};
use rely_program::{Program, ThreadId, Value};

/// More components than this are nothing that anyone would call a proof; the obligations grow
/// with their square.
pub(crate) const MOST_COMPONENTS: usize = 64;

/// More cases than this of one rank are none either; each is part of a term inside of the next.
pub(crate) const MOST_CASES: usize = 256;

/// A proof that every run ends.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ranking {
    /// How many numbers a rank consists of.
    pub components: usize,
    /// The ranks, one entry for each thread.
    pub ranks: Vec<ThreadRanks>,
    /// What is true where, which the ranks rely on.
    pub proof: RelyGuarantee,
}

/// How far one thread is from its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRanks {
    /// The thread; of a template, any of its instances.
    pub thread: ThreadId,
    /// The ranks at its places. Where the proof has an assertion, there must be a rank.
    pub at: Vec<(ControlPoint, Vec<RankCase>)>,
}

/// A rank, and when it counts: it does if all atoms hold and no earlier case counts. If none
/// counts, all components are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCase {
    /// What must hold.
    pub when: Vec<Atom>,
    /// The components, the most significant one first.
    pub rank: Vec<Sum>,
}

/// A sum of multiples and a constant; where it is negative it counts as zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sum {
    /// Coefficients and what they are multiplied with.
    pub terms: Vec<(Value, Quantity)>,
    /// The constant summand.
    pub constant: Value,
}

impl Ranking {
    /// Whether each thread can be understood without the others: its assertions and its ranks
    /// mention only globals and its own locals.
    pub fn is_modular(&self, program: &Program) -> bool {
        let visible = |thread: ThreadId, quantity: &Quantity| quantity.is_visible_to(program, Some(thread));
        self.proof.is_modular(program)
            && self.ranks.iter().all(|entry| {
                let mut cases = entry.at.iter().flat_map(|(_, cases)| cases);
                cases.all(|case| case.quantities().all(|quantity| visible(entry.thread, quantity)))
            })
    }

    /// How many places have a rank.
    pub fn rank_count(&self) -> usize {
        self.ranks.iter().map(|entry| entry.at.len()).sum()
    }

    /// The rank of a thread at a place; empty if there is none.
    pub fn at(&self, thread: ThreadId, point: ControlPoint) -> &[RankCase] {
        let entries = self.ranks.iter().filter(|entry| entry.thread == thread);
        let mut places = entries.flat_map(|entry| &entry.at);
        places.find(|(place, _)| *place == point).map_or(&[], |(_, cases)| cases)
    }
}

impl RankCase {
    /// Everything that the case mentions.
    pub(crate) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        let conditions = self.when.iter().flat_map(|atom| &atom.terms);
        conditions.chain(self.rank.iter().flat_map(|sum| &sum.terms)).map(|(_, quantity)| quantity)
    }
}
