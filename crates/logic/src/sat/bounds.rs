//! Lemmas between comparisons of one and the same linear form.
//!
//! `x <= 3` implies `x <= 5`, contradicts `x = 4`, and so on. These implications are clauses from
//! the start, so that unit propagation does what would otherwise take many conflicts of the
//! theory. Each bound is linked to its neighbours only; the rest follows by propagation.

use rely_base::{Arena, Id};

use super::clause::{AtomId, Derivation, Signed};
use super::solver::Solver;
use crate::arith::Integer;
use crate::certificate::{Hypothesis, Proof, ProofNode};
use crate::linear::{LinearForm, Relation};

/// The atoms over one linear form, by ascending constant.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Atoms `form <= constant`.
    upper: Vec<(Integer, AtomId)>,
    /// Atoms `form = constant`.
    equal: Vec<(Integer, AtomId)>,
}

impl Bounds {
    /// Forgets atoms from a number on; false if nothing is left.
    pub(super) fn truncate(&mut self, atoms: usize) -> bool {
        self.upper.retain(|(_, atom)| atom.index() < atoms);
        self.equal.retain(|(_, atom)| atom.index() < atoms);
        !(self.upper.is_empty() && self.equal.is_empty())
    }
}

/// Equalities over one form are told apart from each other pairwise only up to this many; beyond
/// that it is left to the theory.
const PAIRWISE_EQUALITIES: usize = 24;

impl Solver {
    /// Relates a new comparison to those over the same form.
    pub(super) fn link_bounds(&mut self, atom: AtomId) {
        let Some(constraints) = &self.atoms[atom.index()].constraints else { return };
        let (form, relation) = (constraints[0].form(), constraints[0].relation());
        let constant = -form.constant_term();
        let key: LinearForm = form.clone().with_constant(0);
        let bounds = self.bounds.entry(key).or_default();
        let list = if relation == Relation::Eq { &mut bounds.equal } else { &mut bounds.upper };
        let place = list.partition_point(|(other, _)| *other < constant);
        list.insert(place, (constant.clone(), atom));
        let mut lemmas = Vec::new();
        if relation == Relation::Eq {
            equality_lemmas(bounds, place, &mut lemmas);
        } else {
            upper_bound_lemmas(bounds, place, &mut lemmas);
        }
        let scope = self.scope();
        for lemma in lemmas {
            self.search.add_clause(lemma.literals(), Derivation::Bound(lemma), scope);
        }
    }
}

/// A lemma about comparisons of one form. Its proof is written down only when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundLemma {
    /// The negations of the two literals cancel out with these weights.
    Pair([Signed; 2], [i8; 2]),
    /// `form <= value` without `form <= value - 1` is `form = value`.
    Squeeze([Signed; 3]),
}

impl BoundLemma {
    pub(super) fn literals(&self) -> &[Signed] {
        match self {
            BoundLemma::Pair(literals, _) => literals,
            BoundLemma::Squeeze(literals) => literals,
        }
    }

    pub(super) fn proof(&self) -> Proof {
        let one = Integer::ONE;
        match self {
            BoundLemma::Pair(_, weights) => {
                let [left, right] = weights.map(Integer::from);
                Proof::farkas(vec![(Hypothesis(0), left), (Hypothesis(1), right)])
            }
            // Inputs: form <= value (0), form >= value (1), form != value (2); then number 3.
            BoundLemma::Squeeze(_) => {
                let mut nodes = Arena::new();
                let mut close = |with: u32| {
                    let sum = vec![(Hypothesis(with), one.clone()), (Hypothesis(3), one.clone())];
                    nodes.push(ProofNode::Farkas(sum))
                };
                let (below, above) = (close(1), close(0));
                let root = nodes.push(ProofNode::Distinct { hypothesis: Hypothesis(2), below, above });
                Proof::new(nodes, root)
            }
        }
    }
}

fn positive(atom: AtomId) -> Signed {
    Signed::new(atom, true)
}

fn negative(atom: AtomId) -> Signed {
    Signed::new(atom, false)
}

/// `form <= c` implies the next greater bound and is implied by the next smaller one; equalities
/// between these neighbours have it as their nearest bound.
fn upper_bound_lemmas(bounds: &Bounds, place: usize, lemmas: &mut Vec<BoundLemma>) {
    let (constant, atom) = &bounds.upper[place];
    let mut implies = |smaller: AtomId, greater: AtomId| {
        lemmas.push(BoundLemma::Pair([negative(smaller), positive(greater)], [1, 1]));
    };
    let next = bounds.upper.get(place + 1);
    let previous = place.checked_sub(1).map(|before| &bounds.upper[before]);
    if let Some((_, greater)) = next {
        implies(*atom, *greater);
    }
    if let Some((_, smaller)) = previous {
        implies(*smaller, *atom);
    }
    let from = previous.map_or(0, |(low, _)| bounds.equal.partition_point(|(value, _)| value <= low));
    let near = bounds.equal[from..].iter();
    for (value, equal) in near.take_while(|(value, _)| next.is_none_or(|(high, _)| value <= high)) {
        lemmas.push(equality_and_bound(*equal, value, *atom, constant));
    }
    for offset in [0, 1] {
        let value = constant + &Integer::from(offset);
        if let Ok(found) = bounds.equal.binary_search_by(|(other, _)| other.cmp(&value)) {
            lemmas.extend(squeezed(bounds, &value, bounds.equal[found].1));
        }
    }
}

/// `form = c` decides the nearest bounds on both sides and excludes other values.
fn equality_lemmas(bounds: &Bounds, place: usize, lemmas: &mut Vec<BoundLemma>) {
    let (value, atom) = &bounds.equal[place];
    let above = bounds.upper.partition_point(|(constant, _)| constant < value);
    if let Some((constant, upper)) = bounds.upper.get(above) {
        lemmas.push(equality_and_bound(*atom, value, *upper, constant));
    }
    if let Some((constant, upper)) = above.checked_sub(1).map(|below| &bounds.upper[below]) {
        lemmas.push(equality_and_bound(*atom, value, *upper, constant));
    }
    if bounds.equal.len() <= PAIRWISE_EQUALITIES {
        let others = bounds.equal.iter().filter(|(_, other)| other != atom);
        let excludes =
            |(_, other): &(Integer, AtomId)| BoundLemma::Pair([negative(*atom), negative(*other)], [1, -1]);
        lemmas.extend(others.map(excludes));
    }
    lemmas.extend(squeezed(bounds, value, *atom));
}

/// `form = value` implies or excludes `form <= constant`.
fn equality_and_bound(equal: AtomId, value: &Integer, upper: AtomId, constant: &Integer) -> BoundLemma {
    if value <= constant {
        BoundLemma::Pair([negative(equal), positive(upper)], [1, 1])
    } else {
        BoundLemma::Pair([negative(equal), negative(upper)], [-1, 1])
    }
}

/// The lemma that both bounds around a value make it equal, if both are there.
fn squeezed(bounds: &Bounds, value: &Integer, equal: AtomId) -> Option<BoundLemma> {
    let find = |constant: &Integer| {
        let place = bounds.upper.binary_search_by(|(other, _)| other.cmp(constant)).ok()?;
        Some(bounds.upper[place].1)
    };
    let upper = find(value)?;
    let below = find(&(value - &Integer::ONE))?;
    Some(BoundLemma::Squeeze([negative(upper), positive(below), positive(equal)]))
}
