//! Between the formulas that people ask about and the linear ones that are refuted.
//!
//! A problem is solved in a pool of its own, over variables of its own. On the way in, truth values
//! become integers that are compared with one, quotients and remainders by constants become
//! linear constraints on a new variable, conditional integers become case distinctions, and what is
//! not linear (products, functions, arrays) becomes a variable: equal terms, equal variables, and
//! nothing else is known about them. On the way out all of this is undone.

use rustc_hash::FxHashMap;

use super::parts::{PartId, PartTree};
use super::simplify::simplified;
use crate::arith::Integer;
use crate::linear::{Relation, VarId};
use crate::term::{Node, Sort, TermId, TermPool};

/// Remainders by divisors up to this are listed.
const LISTED_REMAINDERS: i64 = 12;

/// What a variable of the private pool stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// An integer.
    Integer,
    /// A truth value: true if at least one.
    Truth,
    /// An integer term of the private pool that is not linear.
    Opaque(TermId),
    /// Likewise a truth value.
    OpaqueTruth(TermId),
}

/// What the variables of one formula are called in the private pool.
pub(super) type Names = FxHashMap<VarId, VarId>;

/// A tree of linear formulas, in negation normal form, in a pool of their own.
pub(super) struct Problem {
    pub(super) pool: TermPool,
    pub(super) tree: PartTree,
    /// The formula of each part.
    pub(super) formulas: Vec<TermId>,
    meanings: FxHashMap<VarId, Meaning>,
    /// The variables of terms that are not linear, in the order of their making.
    opaque: Vec<(TermId, VarId)>,
}

impl Problem {
    /// The problem whose parts say nothing yet.
    pub(super) fn new(tree: PartTree) -> Self {
        let mut pool = TermPool::new();
        let truth = pool.truth(true);
        let formulas = vec![truth; tree.len()];
        Self { pool, tree, formulas, meanings: FxHashMap::default(), opaque: Vec::new() }
    }

    /// A variable of the private pool, for an integer or a truth value.
    pub(super) fn fresh(&mut self, sort: Sort) -> VarId {
        self.fresh_meaning(if sort == Sort::Bool { Meaning::Truth } else { Meaning::Integer })
    }

    fn fresh_meaning(&mut self, meaning: Meaning) -> VarId {
        let variable = self.pool.fresh_variable("v", Sort::Int);
        self.meanings.insert(variable, meaning);
        variable
    }

    /// Whether something in the problem was replaced by a variable that is not bound by its meaning.
    pub(super) fn is_abstract(&self) -> bool {
        !self.opaque.is_empty()
    }

    /// The formula that a truth value's variable stands for.
    pub(super) fn truth_of(&mut self, variable: VarId) -> TermId {
        let term = self.pool.var(variable);
        let one = self.pool.int(1);
        self.pool.ge(term, one)
    }

    /// Adds a conjunct to a part. It is linear already.
    pub(super) fn conjoin(&mut self, part: PartId, formula: TermId) {
        let position = rely_base::Id::index(part);
        let normal = self.pool.negation_normal_form(formula);
        let whole = self.pool.and([self.formulas[position], normal]);
        self.formulas[position] = simplified(&mut self.pool, whole);
    }

    /// Translates a term of another pool. Side conditions are added to `sides`.
    pub(super) fn import(
        &mut self,
        source: &TermPool,
        term: TermId,
        names: &mut Names,
        sides: &mut Vec<TermId>,
    ) -> TermId {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for subterm in source.subterms([term]) {
            let translated = self.import_node(source, subterm, &image, names, sides);
            image.insert(subterm, translated);
        }
        image[&term]
    }

    /// The private variable of a variable of another pool.
    pub(super) fn import_variable(&mut self, source: &TermPool, variable: VarId, names: &mut Names) -> VarId {
        let sort = source.variable(variable).sort;
        *names.entry(variable).or_insert_with(|| match sort {
            Sort::Array => self.pool.fresh_variable("array", Sort::Array),
            _ => self.fresh(sort),
        })
    }

    fn import_node(
        &mut self,
        source: &TermPool,
        term: TermId,
        image: &FxHashMap<TermId, TermId>,
        names: &mut Names,
        sides: &mut Vec<TermId>,
    ) -> TermId {
        match source.node(term) {
            Node::Bool(value) => self.pool.truth(*value),
            Node::Int(value) => self.pool.int(value.clone()),
            Node::Var(variable) => {
                let private = self.import_variable(source, *variable, names);
                if source.sort(term) == Sort::Bool { self.truth_of(private) } else { self.pool.var(private) }
            }
            Node::Sum(sum) => {
                let terms: Vec<_> = sum.terms.iter().map(|(child, c)| (image[child], c.clone())).collect();
                self.pool.sum(terms, sum.constant.clone())
            }
            Node::Mul(left, right) => {
                let product = self.pool.mul(image[left], image[right]);
                self.opaque_products(product)
            }
            Node::Div(inner, divisor) => self.quotient(image[inner], divisor, sides),
            Node::Mod(inner, divisor) => {
                let quotient = self.quotient(image[inner], divisor, sides);
                self.pool.sum([(image[inner], Integer::ONE), (quotient, -divisor)], Integer::ZERO)
            }
            Node::Ite(condition, then, otherwise) if source.sort(term) == Sort::Int => {
                self.conditional(image[condition], image[then], image[otherwise], sides)
            }
            Node::Ite(condition, then, otherwise) => {
                self.pool.ite(image[condition], image[then], image[otherwise])
            }
            Node::LeZero(inner) => self.pool.le_zero(image[inner]),
            Node::EqZero(inner) => self.pool.eq_zero(image[inner]),
            Node::EqArray(left, right) => {
                let equal = self.pool.eq(image[left], image[right]);
                if self.pool.as_truth(equal).is_some() { equal } else { self.opaque_truth(equal) }
            }
            Node::Not(inner) => self.pool.not(image[inner]),
            Node::And(parts) => self.pool.and(parts.iter().map(|part| image[part])),
            Node::Or(parts) => self.pool.or(parts.iter().map(|part| image[part])),
            Node::Iff(left, right) => self.pool.iff(image[left], image[right]),
            Node::Apply(function, arguments) => {
                let arguments: Vec<TermId> = arguments.iter().map(|argument| image[argument]).collect();
                let sort = source.sort(term);
                let name = source.function_name(*function);
                let function = self.pool.function(name, arguments.len(), sort);
                match self.pool.apply(function, &arguments) {
                    Some(applied) if sort == Sort::Bool => self.opaque_truth(applied),
                    Some(applied) => self.opaque_integer(applied),
                    // The arity is that of the arguments.
                    None => self.pool.truth(true),
                }
            }
            Node::Select(array, index) => {
                let element = self.pool.select(image[array], image[index]);
                if matches!(self.pool.node(element), Node::Select(..)) {
                    self.opaque_integer(element)
                } else {
                    element
                }
            }
            Node::Store(array, index, value) => self.pool.store(image[array], image[index], image[value]),
        }
    }

    /// The quotient is a new variable between its bounds.
    fn quotient(&mut self, term: TermId, divisor: &Integer, sides: &mut Vec<TermId>) -> TermId {
        if let Some(value) = self.pool.as_int(term).and_then(|value| value.div_floor(divisor)) {
            return self.pool.int(value);
        }
        let variable = self.fresh(Sort::Int);
        let quotient = self.pool.var(variable);
        let remainder = self.pool.sum([(term, Integer::ONE), (quotient, -divisor)], Integer::ZERO);
        let negated = self.pool.neg(remainder);
        let excess = self.pool.sum([(remainder, Integer::ONE)], Integer::ONE - divisor);
        sides.push(self.pool.le_zero(negated));
        sides.push(self.pool.le_zero(excess));
        self.remainders(remainder, divisor, sides);
        quotient
    }

    /// Says which remainders there are. This adds nothing to the bounds, but where the solver does
    /// not get along with them, it is a case distinction that helps.
    fn remainders(&mut self, remainder: TermId, divisor: &Integer, sides: &mut Vec<TermId>) {
        let Some(divisor) = divisor.to_i64().filter(|&divisor| divisor <= LISTED_REMAINDERS) else { return };
        let mut cases = Vec::new();
        for value in 0..divisor {
            let value = self.pool.int(value);
            cases.push(self.pool.eq(remainder, value));
        }
        sides.push(self.pool.or(cases));
    }

    /// A conditional integer is a new variable with one of two values.
    fn conditional(
        &mut self,
        condition: TermId,
        then: TermId,
        otherwise: TermId,
        sides: &mut Vec<TermId>,
    ) -> TermId {
        let chosen = self.pool.ite(condition, then, otherwise);
        if !matches!(self.pool.node(chosen), Node::Ite(..)) {
            return chosen;
        }
        let variable = self.fresh(Sort::Int);
        let value = self.pool.var(variable);
        let first = self.pool.eq(value, then);
        let second = self.pool.eq(value, otherwise);
        let negated = self.pool.not(condition);
        let taken = self.pool.and([condition, first]);
        let not_taken = self.pool.and([negated, second]);
        sides.push(self.pool.or([taken, not_taken]));
        value
    }

    /// A sum of products with each product replaced by its variable.
    fn opaque_products(&mut self, term: TermId) -> TermId {
        match self.pool.node(term).clone() {
            Node::Mul(..) => self.opaque_integer(term),
            Node::Sum(sum) => {
                let terms: Vec<_> = sum
                    .terms
                    .iter()
                    .map(|(child, factor)| (self.opaque_products(*child), factor.clone()))
                    .collect();
                self.pool.sum(terms, sum.constant)
            }
            _ => term,
        }
    }

    fn opaque_integer(&mut self, term: TermId) -> TermId {
        let variable = self.opaque_variable(term, Meaning::Opaque(term));
        self.pool.var(variable)
    }

    fn opaque_truth(&mut self, term: TermId) -> TermId {
        let variable = self.opaque_variable(term, Meaning::OpaqueTruth(term));
        self.truth_of(variable)
    }

    fn opaque_variable(&mut self, term: TermId, meaning: Meaning) -> VarId {
        if let Some((_, variable)) = self.opaque.iter().find(|entry| entry.0 == term) {
            return *variable;
        }
        let variable = self.fresh_meaning(meaning);
        self.opaque.push((term, variable));
        variable
    }

    /// Translates a formula back. Variables become the given terms of the target pool.
    /// `None` if the formula mentions another variable.
    pub(super) fn export(
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

    fn node(&mut self, term: TermId) -> Option<TermId> {
        if let Some(truth) = self.truth_atom(term) {
            return truth;
        }
        let problem = self.problem;
        let image = |term: &TermId| self.image.get(term).copied();
        Some(match problem.pool.node(term) {
            Node::Bool(value) => self.target.truth(*value),
            Node::Int(value) => self.target.int(value.clone()),
            Node::Var(variable) => return self.variable(*variable),
            Node::Sum(sum) => {
                let terms = sum
                    .terms
                    .iter()
                    .map(|(child, factor)| Some((image(child)?, factor.clone())))
                    .collect::<Option<Vec<_>>>()?;
                self.target.sum(terms, sum.constant.clone())
            }
            Node::Mul(left, right) => {
                let (left, right) = (image(left)?, image(right)?);
                self.target.mul(left, right)
            }
            Node::Div(inner, divisor) => {
                let inner = image(inner)?;
                self.target.div(inner, divisor.clone())?
            }
            Node::Mod(inner, divisor) => {
                let inner = image(inner)?;
                self.target.modulo(inner, divisor.clone())?
            }
            Node::Ite(condition, then, otherwise) => {
                let (condition, then, otherwise) = (image(condition)?, image(then)?, image(otherwise)?);
                self.target.ite(condition, then, otherwise)
            }
            Node::LeZero(inner) => {
                let inner = image(inner)?;
                self.target.le_zero(inner)
            }
            Node::EqZero(inner) => {
                let inner = image(inner)?;
                self.target.eq_zero(inner)
            }
            Node::Not(inner) => {
                let inner = image(inner)?;
                self.target.not(inner)
            }
            Node::And(parts) => {
                let parts = parts.iter().map(image).collect::<Option<Vec<_>>>()?;
                self.target.and(parts)
            }
            Node::Or(parts) => {
                let parts = parts.iter().map(image).collect::<Option<Vec<_>>>()?;
                self.target.or(parts)
            }
            Node::EqArray(left, right) | Node::Iff(left, right) => {
                let (left, right) = (image(left)?, image(right)?);
                self.target.eq(left, right)
            }
            Node::Apply(function, arguments) => {
                let arguments = arguments.iter().map(image).collect::<Option<Vec<_>>>()?;
                let name = problem.pool.function_name(*function);
                let function = self.target.function(name, arguments.len(), problem.pool.sort(term));
                self.target.apply(function, &arguments)?
            }
            Node::Select(array, index) => {
                let (array, index) = (image(array)?, image(index)?);
                self.target.select(array, index)
            }
            Node::Store(array, index, value) => {
                let (array, index, value) = (image(array)?, image(index)?, image(value)?);
                self.target.store(array, index, value)
            }
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
