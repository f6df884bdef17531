//! Lemmas between comparisons of one and the same linear form.
//!
//! `x <= 3` implies `x <= 5`, contradicts `x = 4`, and so on. These implications are clauses from
//! the start, so that unit propagation does what would otherwise take many conflicts of the
//! theory. Each bound is linked to its neighbours only; the rest follows by propagation.

use rely_base::{Arena, Id};

use super::clause::{Derivation, Signed};
use super::solver::Solver;
use crate::arith::Integer;
use crate::certificate::{Hypothesis, Proof, ProofNode};
use crate::linear::{Constraint, Relation};
use crate::term::TermId;

/// The literals over one linear form, by ascending constant. The first coefficient of the form is
/// positive.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Literals that say `form <= constant`. The atom is that, or its negation `form > constant`.
    upper: Vec<(Integer, Signed)>,
    /// Literals that say `form = constant`.
    equal: Vec<(Integer, Signed)>,
}

impl Bounds {
    /// Forgets atoms from a number on; false if nothing is left.
    pub(super) fn truncate(&mut self, atoms: usize) -> bool {
        self.upper.retain(|(_, literal)| literal.atom().index() < atoms);
        self.equal.retain(|(_, literal)| literal.atom().index() < atoms);
        !(self.upper.is_empty() && self.equal.is_empty())
    }
}

/// Equalities over one form are told apart from each other pairwise only up to this many; beyond
/// that it is left to the theory.
const PAIRWISE_EQUALITIES: usize = 24;

impl Solver {
    /// The literal of a comparison. If neither it nor its negation is known, the term becomes an
    /// atom and is related to the others over its form.
    pub(super) fn comparison_literal(&mut self, term: TermId, constraint: Constraint) -> Signed {
        let form = constraint.form();
        // f >= c is the negation of f <= c - 1.
        let flipped = form.terms().first().is_some_and(|(_, leading)| leading.is_negative());
        let (form, constant) = if flipped {
            (form.negated(), form.constant_term() - &Integer::ONE)
        } else {
            (form.clone(), -form.constant_term())
        };
        let is_equality = constraint.relation() == Relation::Eq;
        let next = self.search.next_atom();
        let bounds = self.bounds.entry(form.with_constant(0)).or_default();
        let list = if is_equality { &mut bounds.equal } else { &mut bounds.upper };
        let place = match list.binary_search_by(|(other, _)| other.cmp(&constant)) {
            Ok(place) => return list[place].1.with_sign(!flipped),
            Err(place) => place,
        };
        list.insert(place, (constant, Signed::new(next, !flipped)));
        let mut lemmas = Vec::new();
        if is_equality {
            equality_lemmas(bounds, place, &mut lemmas);
        } else {
            upper_bound_lemmas(bounds, place, &mut lemmas);
        }
        let atom = self.add_atom(term, Some(constraint));
        let scope = self.scope();
        for lemma in lemmas {
            self.search.add_clause(lemma.literals(), Derivation::Bound(lemma), scope);
        }
        Signed::new(atom, true)
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

/// `form <= c` implies the next greater bound and is implied by the next smaller one; equalities
/// between these neighbours have it as their nearest bound.
fn upper_bound_lemmas(bounds: &Bounds, place: usize, lemmas: &mut Vec<BoundLemma>) {
    let (constant, literal) = &bounds.upper[place];
    let mut implies = |smaller: Signed, greater: Signed| {
        lemmas.push(BoundLemma::Pair([smaller.negated(), greater], [1, 1]));
    };
    let next = bounds.upper.get(place + 1);
    let previous = place.checked_sub(1).map(|before| &bounds.upper[before]);
    if let Some((_, greater)) = next {
        implies(*literal, *greater);
    }
    if let Some((_, smaller)) = previous {
        implies(*smaller, *literal);
    }
    let from = previous.map_or(0, |(low, _)| bounds.equal.partition_point(|(value, _)| value <= low));
    let near = bounds.equal[from..].iter();
    for (value, equal) in near.take_while(|(value, _)| next.is_none_or(|(high, _)| value <= high)) {
        lemmas.push(equality_and_bound(*equal, value, *literal, constant));
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
    let (value, literal) = &bounds.equal[place];
    let above = bounds.upper.partition_point(|(constant, _)| constant < value);
    if let Some((constant, upper)) = bounds.upper.get(above) {
        lemmas.push(equality_and_bound(*literal, value, *upper, constant));
    }
    if let Some((constant, upper)) = above.checked_sub(1).map(|below| &bounds.upper[below]) {
        lemmas.push(equality_and_bound(*literal, value, *upper, constant));
    }
    if bounds.equal.len() <= PAIRWISE_EQUALITIES {
        let others = bounds.equal.iter().filter(|(_, other)| other != literal);
        let excludes =
            |(_, other): &(Integer, Signed)| BoundLemma::Pair([literal.negated(), other.negated()], [1, -1]);
        lemmas.extend(others.map(excludes));
    }
    lemmas.extend(squeezed(bounds, value, *literal));
}

/// `form = value` implies or excludes `form <= constant`.
fn equality_and_bound(equal: Signed, value: &Integer, upper: Signed, constant: &Integer) -> BoundLemma {
    if value <= constant {
        BoundLemma::Pair([equal.negated(), upper], [1, 1])
    } else {
        BoundLemma::Pair([equal.negated(), upper.negated()], [-1, 1])
    }
}

/// The lemma that both bounds around a value make it equal, if both are there.
fn squeezed(bounds: &Bounds, value: &Integer, equal: Signed) -> Option<BoundLemma> {
    let find = |constant: &Integer| {
        let place = bounds.upper.binary_search_by(|(other, _)| other.cmp(constant)).ok()?;
        Some(bounds.upper[place].1)
    };
    let upper = find(value)?;
    let below = find(&(value - &Integer::ONE))?;
    Some(BoundLemma::Squeeze([upper.negated(), below, equal]))
}
