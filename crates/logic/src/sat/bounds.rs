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
        let lemmas = if relation == Relation::Eq {
            equality_lemmas(bounds, place)
        } else {
            upper_bound_lemmas(bounds, place)
        };
        let scope = self.scope();
        for (clause, proof) in lemmas {
            let derivation = Derivation::Lemma { literals: clause.as_slice().into(), proof: Box::new(proof) };
            self.search.add_clause(&clause, derivation, scope);
        }
    }
}

type Lemma = (Vec<Signed>, Proof);

fn positive(atom: AtomId) -> Signed {
    Signed::new(atom, true)
}

fn negative(atom: AtomId) -> Signed {
    Signed::new(atom, false)
}

/// A lemma of two literals whose negations cancel out with these weights.
fn pair(first: Signed, second: Signed, weights: [i64; 2]) -> Lemma {
    let [left, right] = weights.map(Integer::from);
    (vec![first, second], Proof::farkas(vec![(Hypothesis(0), left), (Hypothesis(1), right)]))
}

/// `form <= c` implies the next greater bound and is implied by the next smaller one.
fn upper_bound_lemmas(bounds: &Bounds, place: usize) -> Vec<Lemma> {
    let (constant, atom) = &bounds.upper[place];
    let mut lemmas = Vec::new();
    let mut implies = |smaller: AtomId, greater: AtomId| {
        lemmas.push(pair(negative(smaller), positive(greater), [1, 1]));
    };
    if let Some((_, greater)) = bounds.upper.get(place + 1) {
        implies(*atom, *greater);
    }
    if let Some((_, smaller)) = place.checked_sub(1).map(|before| &bounds.upper[before]) {
        implies(*smaller, *atom);
    }
    for (value, equal) in &bounds.equal {
        lemmas.push(equality_and_bound(*equal, value, *atom, constant));
    }
    for &(ref value, equal) in &bounds.equal {
        lemmas.extend(squeezed(bounds, value, equal).filter(|(clause, _)| mentions(clause, *atom)));
    }
    lemmas
}

/// `form = c` decides the nearest bounds on both sides and excludes other values.
fn equality_lemmas(bounds: &Bounds, place: usize) -> Vec<Lemma> {
    let (value, atom) = &bounds.equal[place];
    let mut lemmas = Vec::new();
    let above = bounds.upper.partition_point(|(constant, _)| constant < value);
    if let Some((constant, upper)) = bounds.upper.get(above) {
        lemmas.push(equality_and_bound(*atom, value, *upper, constant));
    }
    if let Some((constant, upper)) = above.checked_sub(1).map(|below| &bounds.upper[below]) {
        lemmas.push(equality_and_bound(*atom, value, *upper, constant));
    }
    if bounds.equal.len() <= PAIRWISE_EQUALITIES {
        let others = bounds.equal.iter().filter(|(_, other)| other != atom);
        lemmas.extend(others.map(|(_, other)| pair(negative(*atom), negative(*other), [1, -1])));
    }
    lemmas.extend(squeezed(bounds, value, *atom));
    lemmas
}

/// `form = value` implies or excludes `form <= constant`.
fn equality_and_bound(equal: AtomId, value: &Integer, upper: AtomId, constant: &Integer) -> Lemma {
    if value <= constant {
        pair(negative(equal), positive(upper), [1, 1])
    } else {
        pair(negative(equal), negative(upper), [-1, 1])
    }
}

/// `form <= value` without `form <= value - 1` is `form = value`.
fn squeezed(bounds: &Bounds, value: &Integer, equal: AtomId) -> Option<Lemma> {
    let find = |constant: &Integer| {
        let place = bounds.upper.binary_search_by(|(other, _)| other.cmp(constant)).ok()?;
        Some(bounds.upper[place].1)
    };
    let upper = find(value)?;
    let below = find(&(value - &Integer::ONE))?;
    let clause = vec![negative(upper), positive(below), positive(equal)];
    // Inputs: form <= value (0), form >= value (1), form != value (2); the split adds number 3.
    let close =
        |with: u32| ProofNode::Farkas(vec![(Hypothesis(with), Integer::ONE), (Hypothesis(3), Integer::ONE)]);
    let mut nodes = Arena::new();
    let less = nodes.push(close(1));
    let greater = nodes.push(close(0));
    let root = nodes.push(ProofNode::Distinct { hypothesis: Hypothesis(2), below: less, above: greater });
    Some((clause, Proof::new(nodes, root)))
}

fn mentions(clause: &[Signed], atom: AtomId) -> bool {
    clause.iter().any(|literal| literal.atom() == atom)
}
