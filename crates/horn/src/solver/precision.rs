//! What is tracked: literals and formulas over the parameters of each predicate.

use rely_base::Arena;
use rely_logic::interpolate::UnknownId;
use rely_logic::{Node, TermId, TermPool};
use rustc_hash::FxHashSet;

/// The tracked formulas of each predicate, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Precision {
    tracked: Arena<UnknownId, Vec<TermId>>,
    known: FxHashSet<(UnknownId, TermId)>,
}

impl Precision {
    pub(super) fn new(predicates: usize) -> Self {
        Self { tracked: (0..predicates).map(|_| Vec::new()).collect(), known: FxHashSet::default() }
    }

    pub(super) fn of(&self, unknown: UnknownId) -> &[TermId] {
        &self.tracked[unknown]
    }

    /// How many formulas are tracked.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Tracks the comparisons of a formula, each from both sides. Whether one of them is new.
    pub(super) fn add_atoms(&mut self, pool: &mut TermPool, unknown: UnknownId, formula: TermId) -> bool {
        let before = self.known.len();
        for literal in literals(pool, formula) {
            self.add(pool, unknown, literal);
        }
        self.known.len() > before
    }

    /// Tracks a formula as it is, conjunct by conjunct. Whether one of them is new.
    pub(super) fn add_whole(&mut self, pool: &mut TermPool, unknown: UnknownId, formula: TermId) -> bool {
        let before = self.known.len();
        match pool.node(formula).clone() {
            Node::And(parts) => parts.iter().for_each(|&part| self.add(pool, unknown, part)),
            _ => self.add(pool, unknown, formula),
        }
        self.known.len() > before
    }

    fn add(&mut self, pool: &TermPool, unknown: UnknownId, formula: TermId) {
        if pool.as_truth(formula).is_none() && self.known.insert((unknown, formula)) {
            self.tracked[unknown].push(formula);
        }
    }
}

/// What is tracked for a formula: the comparisons in it and what is beyond them. Of an equality both
/// bounds are tracked, so that one of them survives where the other does not.
pub(super) fn literals(pool: &mut TermPool, formula: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut stack = vec![formula];
    while let Some(next) = stack.pop() {
        match pool.node(next).clone() {
            Node::And(parts) | Node::Or(parts) => stack.extend_from_slice(&parts),
            Node::Iff(left, right) => stack.extend([left, right]),
            Node::Not(inner) if !matches!(pool.node(inner), Node::EqZero(_)) => stack.push(inner),
            Node::Bool(_) => {}
            Node::LeZero(_) => found.extend([next, pool.not(next)]),
            Node::EqZero(form) if pool.linear_form(form).is_some() => {
                let negated = pool.neg(form);
                found.extend([pool.le_zero(form), pool.le_zero(negated)]);
            }
            Node::Not(inner) => match *pool.node(inner) {
                Node::EqZero(form) if pool.linear_form(form).is_some() => {
                    let zero = pool.int(0);
                    found.extend([pool.lt(form, zero), pool.gt(form, zero)]);
                }
                _ => found.extend([next, inner]),
            },
            _ => found.extend([next, pool.not(next)]),
        }
    }
    found
}
