//! Formulas with every operation that is not linear replaced by a variable.
//!
//! The variable of a term has a name made of the term's number, so asking about the same terms
//! again makes no new variables. The definitions are kept: putting the terms back in for their
//! variables gives the original formula, which is how the checker of refutations convinces itself.

use rely_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::lemma::{Lemma, witness};
use crate::linear::VarId;
use crate::term::{BitOperation, Node, Sort, TermId, TermPool, Variable};

/// The abstraction of some formulas and lemmas.
#[derive(Debug, Default)]
pub(super) struct Abstraction {
    /// Linear images of terms.
    image: FxHashMap<TermId, TermId>,
    /// What the new variables stand for, in the order of their making.
    pub(super) definitions: Vec<(VarId, TermId)>,
    /// Variables of the original formulas, which must not get a second meaning.
    reserved: FxHashSet<VarId>,
    /// Lemmas that hold from the start, not asserted yet.
    pub(super) pending: Vec<Lemma>,
    /// Indices at which arrays are read or written.
    pub(super) indices: Vec<TermId>,
    /// How many definitions and indices have been looked into.
    covered_definitions: usize,
    covered_indices: usize,
}

impl Abstraction {
    /// Notes which variables the original formulas use and which indices of arrays they mention.
    pub(super) fn survey(&mut self, pool: &TermPool, formulas: &[TermId]) {
        for term in pool.subterms(formulas.iter().copied()) {
            match *pool.node(term) {
                Node::Var(variable) => {
                    self.reserved.insert(variable);
                }
                Node::Select(_, index) | Node::Store(_, index, _) => self.add_index(index),
                _ => {}
            }
        }
    }

    fn add_index(&mut self, index: TermId) {
        if !self.indices.contains(&index) {
            self.indices.push(index);
        }
    }

    /// The linear image of a term.
    pub(super) fn linear(&mut self, pool: &mut TermPool, term: TermId) -> TermId {
        if let Some(&image) = self.image.get(&term) {
            return image;
        }
        let mut reached: Vec<TermId> = Vec::new();
        let mut stack = vec![term];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(next) = stack.pop() {
            if self.image.contains_key(&next) || !seen.insert(next) {
                continue;
            }
            reached.push(next);
            if is_structure(pool, next) {
                pool.for_each_child(next, |child| stack.push(child));
            }
        }
        // Children have smaller numbers.
        reached.sort_unstable();
        for next in reached {
            let image = if is_structure(pool, next) {
                self.rebuilt(pool, next)
            } else {
                self.variable_for(pool, next)
            };
            self.image.insert(next, image);
        }
        self.image[&term]
    }

    /// A connective, comparison or sum over the images of its parts.
    fn rebuilt(&self, pool: &mut TermPool, term: TermId) -> TermId {
        match pool.node(term).clone() {
            Node::Sum(sum) => {
                let terms: Vec<_> =
                    sum.terms.iter().map(|(t, factor)| (self.image[t], factor.clone())).collect();
                pool.sum(terms, sum.constant)
            }
            Node::LeZero(inner) => pool.le_zero(self.image[&inner]),
            Node::EqZero(inner) => pool.eq_zero(self.image[&inner]),
            Node::Not(inner) => pool.not(self.image[&inner]),
            Node::And(parts) => pool.and(parts.iter().map(|part| self.image[part])),
            Node::Or(parts) => pool.or(parts.iter().map(|part| self.image[part])),
            Node::Iff(left, right) => pool.iff(self.image[&left], self.image[&right]),
            _ => term,
        }
    }

    /// The variable that stands for a term, with the lemmas that describe it.
    fn variable_for(&mut self, pool: &mut TermPool, term: TermId) -> TermId {
        let symbol = pool.symbol(&format!("term!{}", term.index()));
        let sort = pool.sort(term);
        let mut copy = 0;
        let variable = loop {
            let variable = pool.variable_id(Variable { symbol, copy, sort });
            if !self.reserved.contains(&variable) {
                break variable;
            }
            copy += 1;
        };
        self.definitions.push((variable, term));
        self.describe(pool, term);
        pool.var(variable)
    }

    /// Queues the lemmas that a term needs in any case.
    fn describe(&mut self, pool: &mut TermPool, term: TermId) {
        let lemma = match pool.node(term) {
            Node::Ite(..) => Lemma::Choice(term),
            Node::Div(..) => Lemma::Quotient(term),
            Node::Mod(..) => Lemma::Remainder(term),
            Node::Mul(..) => Lemma::Polynomial(term),
            Node::EqArray(..) => {
                let index = witness(pool, term);
                self.add_index(index);
                Lemma::Witness(term)
            }
            Node::Select(array, index) => {
                let (array, index) = (*array, *index);
                self.add_index(index);
                match pool.node(array) {
                    Node::Store(..) => Lemma::ReadOverWrite(term),
                    Node::Ite(..) => Lemma::ReadOverChoice(term),
                    _ => return,
                }
            }
            Node::Apply(function, _) => match pool.bit_operation(*function) {
                Some(BitOperation::And) => Lemma::AndRange(term),
                Some(BitOperation::ShiftRight) => Lemma::ShiftRange(term),
                Some(BitOperation::PowerOfTwo) => Lemma::PowerRange(term),
                None => return,
            },
            _ => return,
        };
        self.pending.push(lemma);
    }

    /// Gives the operands of new terms and the indices of arrays their images too, so that their
    /// values are known in every model.
    pub(super) fn cover_operands(&mut self, pool: &mut TermPool) {
        while self.covered_definitions < self.definitions.len() || self.covered_indices < self.indices.len() {
            if let Some(&(_, term)) = self.definitions.get(self.covered_definitions) {
                self.covered_definitions += 1;
                let mut operands = Vec::new();
                pool.for_each_child(term, |child| operands.push(child));
                operands.retain(|&operand| pool.sort(operand) != Sort::Array);
                for operand in operands {
                    self.linear(pool, operand);
                }
            }
            if let Some(&index) = self.indices.get(self.covered_indices) {
                self.covered_indices += 1;
                self.linear(pool, index);
            }
        }
    }

    /// The image of a term that [`linear`](Self::linear) has seen.
    pub(super) fn image(&self, term: TermId) -> Option<TermId> {
        self.image.get(&term).copied()
    }
}

/// Whether the linear solver understands the node, given that it understands its children.
fn is_structure(pool: &TermPool, term: TermId) -> bool {
    match pool.node(term) {
        Node::Bool(_)
        | Node::Int(_)
        | Node::Sum(_)
        | Node::LeZero(_)
        | Node::EqZero(_)
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Iff(..) => true,
        Node::Var(_) => pool.sort(term) != Sort::Array,
        _ => false,
    }
}
