//! Signed atoms and the store of clauses.
//!
//! A clause that was ever derived is never thrown away while something may depend on it: it only
//! leaves the watch lists. That is what makes a proof available at the end for the price of a
//! chain of numbers per learnt clause.

use rely_base::{Arena, Id, define_id};

use super::bounds::BoundLemma;
use crate::certificate::Proof;
use crate::term::TermId;

define_id!(
    /// A propositional variable of the search.
    pub(super) struct AtomId
);
define_id!(
    /// A clause of a proof.
    pub struct ClauseId
);

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Signed(u32);

impl Signed {
    pub(super) fn new(atom: AtomId, positive: bool) -> Self {
        Signed((atom.index() as u32) << 1 | u32::from(!positive))
    }

    pub(super) fn atom(self) -> AtomId {
        AtomId::from_index((self.0 >> 1) as usize)
    }

    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    pub(super) fn negated(self) -> Self {
        Signed(self.0 ^ 1)
    }

    /// The same literal or its negation.
    pub(super) fn with_sign(self, keep: bool) -> Self {
        if keep { self } else { self.negated() }
    }

    /// A number of its own for every literal, from 0 up.
    pub(super) fn code(self) -> usize {
        self.0 as usize
    }
}

/// The depth of the scope that a clause needs: it goes when that scope is left.
pub(super) type Scope = u32;

/// The scope of clauses that are no consequences of anything: they block an assignment that the
/// theory could not decide, and go at the end of the question.
pub(super) const UNFOUNDED: Scope = Scope::MAX;

/// Where a clause comes from.
#[derive(Clone, Debug)]
pub(super) enum Derivation {
    /// A formula itself (no conjunct), or one of its conjuncts.
    Input { formula: u32, conjunct: Option<u32> },
    /// The meaning of a connective, perhaps with respect to a single operand.
    Definition { term: TermId, operand: Option<u32> },
    /// The negated literals, in this order the inputs of the proof, contradict each other in the
    /// theory. (The clause's own order changes with its watches.)
    Lemma { literals: Box<[Signed]>, proof: Box<Proof> },
    /// A lemma about comparisons of one form.
    Bound(BoundLemma),
    /// A part of the chain store: the first clause, then the ones it is resolved with.
    Chain { first: ClauseId, start: u32, length: u32 },
    /// Nothing at all; see [`UNFOUNDED`].
    Blocked,
}

/// A clause without its literals.
#[derive(Clone, Debug)]
pub(super) struct Record {
    start: u32,
    length: u32,
    pub(super) scope: Scope,
    pub(super) derivation: Derivation,
    /// Literal block distance when learnt: how many levels the clause ties together.
    pub(super) distance: u32,
    /// Whether the clause may leave the watch lists when there are too many.
    pub(super) removable: bool,
    /// Whether the clause has left the watch lists.
    pub(super) detached: bool,
}

/// All clauses, in the order of their derivation.
#[derive(Clone, Debug, Default)]
pub(super) struct Clauses {
    literals: Vec<Signed>,
    records: Arena<ClauseId, Record>,
    chains: Vec<(AtomId, ClauseId)>,
}

impl Clauses {
    pub(super) fn push(&mut self, literals: &[Signed], derivation: Derivation, scope: Scope) -> ClauseId {
        let start = self.literals.len() as u32;
        self.literals.extend_from_slice(literals);
        let length = literals.len() as u32;
        let (distance, removable, detached) = (length, false, false);
        self.records.push(Record { start, length, scope, derivation, distance, removable, detached })
    }

    pub(super) fn clear(&mut self) {
        self.literals.clear();
        self.records.clear();
        self.chains.clear();
    }

    /// Stores a derivation by resolution.
    pub(super) fn chain(&mut self, first: ClauseId, steps: &[(AtomId, ClauseId)]) -> Derivation {
        let start = self.chains.len() as u32;
        self.chains.extend_from_slice(steps);
        Derivation::Chain { first, start, length: steps.len() as u32 }
    }

    /// The scope of a clause derived from others: the deepest of theirs.
    pub(super) fn chain_scope(&self, first: ClauseId, steps: &[(AtomId, ClauseId)]) -> Scope {
        steps.iter().fold(self.records[first].scope, |scope, (_, id)| scope.max(self.records[*id].scope))
    }

    pub(super) fn steps(&self, start: u32, length: u32) -> &[(AtomId, ClauseId)] {
        &self.chains[start as usize..(start + length) as usize]
    }

    pub(super) fn literals(&self, id: ClauseId) -> &[Signed] {
        let record = &self.records[id];
        &self.literals[record.start as usize..(record.start + record.length) as usize]
    }

    pub(super) fn literals_mut(&mut self, id: ClauseId) -> &mut [Signed] {
        let record = &self.records[id];
        &mut self.literals[record.start as usize..(record.start + record.length) as usize]
    }

    pub(super) fn record(&self, id: ClauseId) -> &Record {
        &self.records[id]
    }

    pub(super) fn record_mut(&mut self, id: ClauseId) -> &mut Record {
        &mut self.records[id]
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = ClauseId> + use<> {
        self.records.ids()
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Roughly how much memory the clauses take, the proofs of lemmas not counted.
    pub(super) fn bytes(&self) -> usize {
        self.literals.len() * size_of::<Signed>()
            + self.records.len() * size_of::<Record>()
            + self.chains.len() * size_of::<(AtomId, ClauseId)>()
    }

    /// Drops all clauses for which `keep` is false, and renumbers the others. A clause that is
    /// kept must only be derived from such.
    pub(super) fn retain(&mut self, keep: impl Fn(&Record) -> bool) {
        let old = std::mem::take(self);
        let mut renamed: Vec<Option<ClauseId>> = Vec::with_capacity(old.records.len());
        for (id, record) in old.records.iter() {
            if !keep(record) {
                renamed.push(None);
                continue;
            }
            let rename = |id: ClauseId| renamed[id.index()].expect("kept clauses depend on kept ones");
            let derivation = match &record.derivation {
                Derivation::Chain { first, start, length } => {
                    let steps = old.steps(*start, *length);
                    let steps: Vec<_> = steps.iter().map(|(pivot, id)| (*pivot, rename(*id))).collect();
                    let first = rename(*first);
                    self.chain(first, &steps)
                }
                other => other.clone(),
            };
            let new = self.push(old.literals(id), derivation, record.scope);
            let Record { distance, removable, detached, .. } = *record;
            let kept = self.record_mut(new);
            (kept.distance, kept.removable, kept.detached) = (distance, removable, detached);
            renamed.push(Some(new));
        }
    }
}
