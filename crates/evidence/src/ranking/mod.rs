//! Proofs that every run ends: their form. Their obligations are made where those of
//! rely-guarantee proofs are.
//!
//! # What is proved
//!
//! *Every run ends*: no run goes on for ever, and none stands still before its end. A run that
//! fails a check ends there, as does one that halts the program; a run that gets to a condition
//! without which it does not count is nobody's concern. Nothing is assumed about the scheduler: a
//! thread that waits in a loop for another one can be the only one that ever moves.
//!
//! # The rule
//!
//! A [`Ranking`] has the assertions and effects of a rely-guarantee proof, which say what is true
//! whenever a thread is somewhere, and gives each thread at each of its places a *rank*: a tuple
//! of sums over the variables. A sum that is negative counts as zero, so a rank is a tuple of
//! natural numbers. The rank of a state is the sum of the ranks of all its threads, component by
//! component. To be shown are
//!
//! * everything that a rely-guarantee proof owes for its assertions
//!   ([`Initially`](Rule::Initially), [`OwnStep`](Rule::OwnStep), [`Start`](Rule::Start),
//!   [`Guarantee`](Rule::Guarantee), [`Interference`](Rule::Interference),
//!   [`Meaning`](Rule::Meaning));
//! * [`Descent`](Rule::Descent): each step makes the rank of the state smaller in the
//!   lexicographic order: some component gets smaller, and none before it gets greater. Which one
//!   may depend on the values. What is known is the assertion of the thread that moves, and, for
//!   every other instance whose rank the step may change, that it is somewhere where its own
//!   assertion holds;
//! * [`Progress`](Rule::Progress): a thread that has not ended can move, or some instance can.
//!
//! # Why that is a proof
//!
//! Tuples of natural numbers have no infinite descending sequence in the lexicographic order. The
//! assertions hold in every state that is reached (that is the induction of the rely-guarantee
//! rule), so every step of a run, along whatever edge, in whatever order of the threads, makes the
//! rank of the state smaller. Hence a run has finitely many steps. A step that halts the program is
//! the last one and need not make anything smaller. If a run stood still before its end, some
//! thread in its last state would be neither unstarted nor at its exit, and by `progress` somebody
//! could move.
//!
//! Threads made from a template can be any number, but there are finitely many in each state. A new
//! one adds its rank at its entry, for which the step that makes it has to pay. The rank of such
//! a thread may only depend on its own variables, which nobody else writes; so a step changes the
//! ranks of none but those that it moves or makes, and it does not matter how many others there
//! are.
//!
//! # Compared with the paper
//!
//! The rule RULETERMINATION (Popeea, Rybalchenko, Wilhelm: RedComp) asks for a transition
//! relation that is disjunctively well-founded, closed under composition. Here the well-founded
//! relation is given outright, by cases and components, and each step is compared with it once:
//! nothing has to be closed, and every obligation is about one step. Also, the paper's theorem
//! excludes infinite runs only; `progress` is ours.

mod format;

use crate::rely_guarantee::{Atom, Quantity, RelyGuarantee, Spot};
use rely_program::{Program, ThreadId, Value};

pub(crate) use format::RankingRecord;

#[cfg(doc)]
use crate::rely_guarantee::Rule;

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
    pub at: Vec<(Spot, Vec<RankCase>)>,
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
    pub fn at(&self, thread: ThreadId, spot: Spot) -> &[RankCase] {
        let entries = self.ranks.iter().filter(|entry| entry.thread == thread);
        let mut places = entries.flat_map(|entry| &entry.at);
        places.find(|(place, _)| *place == spot).map_or(&[], |(_, cases)| cases)
    }
}

impl RankCase {
    /// Everything that the case mentions.
    pub(crate) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        let conditions = self.when.iter().flat_map(|atom| &atom.terms);
        conditions.chain(self.rank.iter().flat_map(|sum| &sum.terms)).map(|(_, quantity)| quantity)
    }
}
