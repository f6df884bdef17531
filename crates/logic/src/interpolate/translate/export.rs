//! The way out.

use rustc_hash::FxHashMap;

use super::{Meaning, Problem};
use crate::arith::Integer;
use crate::linear::{Relation, VarId};
use crate::term::{Node, Sort, TermId, TermPool};

impl Problem {
    /// Translates a formula back. Variables become the given terms of the target pool.
    /// `None` if the formula mentions another variable.
    pub(in crate::interpolate) fn export(
        &self,
        target: &mut TermPool,
        term: TermId,
        names: &FxHashMap<VarId, TermId>,
    ) -> Option<TermId> {
        Exporter { problem: self, target, names, image: FxHashMap::default() }.term(term)
    }
}

struct Exporter<'a> {
    problem: &'a Problem,
    target: &'a mut TermPool,
    names: &'a FxHashMap<VarId, TermId>,
    image: FxHashMap<TermId, TermId>,
}

impl Exporter<'_> {
    fn term(&mut self, root: TermId) -> Option<TermId> {
        for term in self.problem.pool.subterms([root]) {
            if !self.image.contains_key(&term) {
                // Parts of an atom about a truth value have no image of their own.
                if let Some(translated) = self.node(term) {
                    self.image.insert(term, translated);
                }
            }
        }
        self.image.get(&root).copied()
    }

    /// The image of a term whose children have images; `None` if one of them has none.
    fn node(&mut self, term: TermId) -> Option<TermId> {
        if let Some(truth) = self.truth_atom(term) {
            return truth;
        }
        let pool = &self.problem.pool;
        let mut are_known = true;
        pool.for_each_child(term, |child| are_known &= self.image.contains_key(&child));
        if !are_known {
            return None;
        }
        let image = |term: &TermId| self.image[term];
        Some(match pool.node(term) {
            Node::Bool(value) => self.target.truth(*value),
            Node::Int(value) => self.target.int(value.clone()),
            Node::Var(variable) => return self.variable(*variable),
            Node::Sum(sum) => {
                let terms: Vec<_> = sum.terms.iter().map(|(child, c)| (image(child), c.clone())).collect();
                self.target.sum(terms, sum.constant.clone())
            }
            Node::Mul(left, right) => self.target.mul(image(left), image(right)),
            Node::Div(inner, divisor) => self.target.div(image(inner), divisor.clone())?,
            Node::Mod(inner, divisor) => self.target.modulo(image(inner), divisor.clone())?,
            Node::Ite(condition, then, otherwise) => {
                self.target.ite(image(condition), image(then), image(otherwise))
            }
            Node::LeZero(inner) => self.target.le_zero(image(inner)),
            Node::EqZero(inner) => self.target.eq_zero(image(inner)),
            Node::Not(inner) => self.target.not(image(inner)),
            Node::And(parts) => self.target.and(parts.iter().map(image)),
            Node::Or(parts) => self.target.or(parts.iter().map(image)),
            Node::EqArray(left, right) | Node::Iff(left, right) => self.target.eq(image(left), image(right)),
            Node::Apply(function, arguments) => {
                let arguments: Vec<TermId> = arguments.iter().map(image).collect();
                let name = pool.function_name(*function);
                let function = self.target.function(name, arguments.len(), pool.sort(term));
                self.target.apply(function, &arguments)?
            }
            Node::Select(array, index) => self.target.select(image(array), image(index)),
            Node::Store(array, index, value) => self.target.store(image(array), image(index), image(value)),
        })
    }

    /// The meaning of a variable, as an integer if it is a truth value.
    fn variable(&mut self, variable: VarId) -> Option<TermId> {
        match self.problem.meanings.get(&variable) {
            Some(Meaning::Opaque(term)) => self.term(*term),
            Some(Meaning::Truth | Meaning::OpaqueTruth(_)) => {
                let condition = self.truth(variable)?;
                let (one, zero) = (self.target.int(1), self.target.int(0));
                Some(self.target.ite(condition, one, zero))
            }
            _ => self.names.get(&variable).copied(),
        }
    }

    fn truth(&mut self, variable: VarId) -> Option<TermId> {
        match self.problem.meanings.get(&variable) {
            Some(Meaning::OpaqueTruth(term)) => self.term(*term),
            _ => self.names.get(&variable).copied(),
        }
    }

    /// A comparison of a truth value's variable alone says that it is true, or false, or nothing,
    /// or both. The outer `None` means that the term is something else.
    fn truth_atom(&mut self, term: TermId) -> Option<Option<TermId>> {
        if self.problem.pool.sort(term) != Sort::Bool {
            return None;
        }
        let constraint = self.problem.pool.constraint(term)?;
        let [(variable, _)] = constraint.form().terms() else { return None };
        let variable = *variable;
        if !matches!(self.problem.meanings.get(&variable), Some(Meaning::Truth | Meaning::OpaqueTruth(_))) {
            return None;
        }
        debug_assert_ne!(constraint.relation(), Relation::Lt);
        let holds_at = |value: i64| constraint.holds(|_| Integer::from(value));
        Some(match (holds_at(0), holds_at(1)) {
            (true, true) => Some(self.target.truth(true)),
            (false, false) => Some(self.target.truth(false)),
            (false, true) => self.truth(variable),
            (true, false) => self.truth(variable).map(|condition| self.target.not(condition)),
        })
    }
}
