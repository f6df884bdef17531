//! Substitution, renaming and negation normal form.
//!
//! All of them are loops: children have smaller ids than their parents, so rebuilding the
//! subterms in ascending order meets every child before its parent.

use rustc_hash::FxHashMap;

use super::pool::{Node, TermId, TermPool};
use crate::linear::VarId;

impl TermPool {
    /// The term with terms (variables or any others) replaced, all at once.
    pub fn substitute(&mut self, term: TermId, replacements: &FxHashMap<TermId, TermId>) -> TermId {
        if replacements.is_empty() {
            return term;
        }
        match self.substitute_in_comparison(term, replacements) {
            Some(replaced) => replaced,
            None => self.rebuild(term, |_, subterm| replacements.get(&subterm).copied()),
        }
    }

    /// Most terms are comparisons of sums of variables, for which nothing has to be remembered;
    /// `None` for any other.
    fn substitute_in_comparison(
        &mut self,
        term: TermId,
        replacements: &FxHashMap<TermId, TermId>,
    ) -> Option<TermId> {
        if let Some(&replacement) = replacements.get(&term) {
            return Some(replacement);
        }
        match *self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Var(_) => Some(term),
            Node::Sum(ref sum) => {
                if !sum.terms.iter().all(|(child, _)| self.as_var(*child).is_some()) {
                    return None;
                }
                let image = |child: &TermId| replacements.get(child).copied().unwrap_or(*child);
                if sum.terms.iter().all(|(child, _)| image(child) == *child) {
                    return Some(term);
                }
                let terms: Vec<_> = sum.terms.iter().map(|(child, c)| (image(child), c.clone())).collect();
                let constant = sum.constant.clone();
                Some(self.sum(terms, constant))
            }
            Node::LeZero(inner) => {
                let replaced = self.substitute_in_comparison(inner, replacements)?;
                Some(if replaced == inner { term } else { self.le_zero(replaced) })
            }
            Node::EqZero(inner) => {
                let replaced = self.substitute_in_comparison(inner, replacements)?;
                Some(if replaced == inner { term } else { self.eq_zero(replaced) })
            }
            Node::Not(inner) => {
                let replaced = self.substitute_in_comparison(inner, replacements)?;
                Some(if replaced == inner { term } else { self.not(replaced) })
            }
            _ => None,
        }
    }

    /// The term with every variable renamed.
    pub fn rename(&mut self, term: TermId, mut name: impl FnMut(&mut TermPool, VarId) -> VarId) -> TermId {
        self.rebuild(term, |pool, subterm| {
            let variable = pool.as_var(subterm)?;
            let renamed = name(pool, variable);
            Some(pool.var(renamed))
        })
    }

    /// The term over another copy of each of its variables, say the primed ones.
    pub fn with_copy(&mut self, term: TermId, copy: u32) -> TermId {
        self.rename(term, |pool, variable| pool.copy_of(variable, copy))
    }

    /// Rebuilds a term bottom-up; where `replace` has an answer, it is taken.
    fn rebuild(
        &mut self,
        root: TermId,
        mut replace: impl FnMut(&mut TermPool, TermId) -> Option<TermId>,
    ) -> TermId {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in self.subterms([root]) {
            let rebuilt = match replace(self, term) {
                Some(replacement) => replacement,
                None => self.rebuild_node(term, &image),
            };
            image.insert(term, rebuilt);
        }
        image[&root]
    }

    /// The term with its children replaced by their images.
    fn rebuild_node(&mut self, term: TermId, image: &FxHashMap<TermId, TermId>) -> TermId {
        let mut changed = false;
        self.for_each_child(term, |child| changed |= image[&child] != child);
        if !changed {
            return term;
        }
        match self.node(term).clone() {
            Node::Bool(_) | Node::Int(_) | Node::Var(_) => term,
            Node::Sum(sum) => {
                let terms: Vec<_> = sum.terms.iter().map(|(child, c)| (image[child], c.clone())).collect();
                self.sum(terms, sum.constant)
            }
            Node::Mul(left, right) => self.mul(image[&left], image[&right]),
            // The divisor is a positive constant already, so there is a quotient.
            Node::Div(inner, divisor) => self.div(image[&inner], divisor).unwrap_or(term),
            Node::Mod(inner, divisor) => self.modulo(image[&inner], divisor).unwrap_or(term),
            Node::Ite(condition, then, otherwise) => {
                self.ite(image[&condition], image[&then], image[&otherwise])
            }
            Node::LeZero(inner) => self.le_zero(image[&inner]),
            Node::EqZero(inner) => self.eq_zero(image[&inner]),
            Node::EqArray(left, right) => self.eq(image[&left], image[&right]),
            Node::Not(inner) => self.not(image[&inner]),
            Node::And(parts) => self.and(parts.iter().map(|part| image[part])),
            Node::Or(parts) => self.or(parts.iter().map(|part| image[part])),
            Node::Iff(left, right) => self.iff(image[&left], image[&right]),
            Node::Apply(function, arguments) => {
                let arguments: Vec<TermId> = arguments.iter().map(|argument| image[argument]).collect();
                self.apply(function, &arguments).unwrap_or(term)
            }
            Node::Select(array, index) => self.select(image[&array], image[&index]),
            Node::Store(array, index, value) => self.store(image[&array], image[&index], image[&value]),
        }
    }

    /// The formula in negation normal form: only `and`, `or` and literals; a disequality of
    /// integers is a literal. Conditions inside integer terms stay as they are.
    pub fn negation_normal_form(&mut self, formula: TermId) -> TermId {
        let mut done: FxHashMap<(TermId, bool), TermId> = FxHashMap::default();
        let mut stack = vec![(formula, true)];
        while let Some(&(term, positive)) = stack.last() {
            if done.contains_key(&(term, positive)) {
                stack.pop();
                continue;
            }
            let needed = self.normal_form_children(term, positive);
            let missing = needed.iter().copied().filter(|need| !done.contains_key(need));
            let before = stack.len();
            stack.extend(missing);
            if stack.len() == before {
                stack.pop();
                let normal = self.normal_form_node(term, positive, &done);
                done.insert((term, positive), normal);
            }
        }
        done[&(formula, true)]
    }

    /// Which subformulas, in which polarity, the normal form of a formula is made of.
    fn normal_form_children(&self, term: TermId, positive: bool) -> Vec<(TermId, bool)> {
        match self.node(term) {
            Node::Not(inner) => vec![(*inner, !positive)],
            Node::And(parts) | Node::Or(parts) => parts.iter().map(|&part| (part, positive)).collect(),
            Node::Iff(left, right) => {
                vec![(*left, true), (*left, false), (*right, true), (*right, false)]
            }
            _ => Vec::new(),
        }
    }

    fn normal_form_node(
        &mut self,
        term: TermId,
        positive: bool,
        done: &FxHashMap<(TermId, bool), TermId>,
    ) -> TermId {
        match self.node(term).clone() {
            Node::Not(inner) => done[&(inner, !positive)],
            Node::And(parts) | Node::Or(parts) => {
                let conjunctive = matches!(self.node(term), Node::And(_)) == positive;
                let images: Vec<TermId> = parts.iter().map(|&part| done[&(part, positive)]).collect();
                if conjunctive { self.and(images) } else { self.or(images) }
            }
            Node::Iff(left, right) => {
                let same = self.and([done[&(left, true)], done[&(right, positive)]]);
                let other = self.and([done[&(left, false)], done[&(right, !positive)]]);
                self.or([same, other])
            }
            _ if positive => term,
            _ => self.not(term),
        }
    }
}
