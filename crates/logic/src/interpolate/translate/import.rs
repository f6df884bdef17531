//! The way in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Meaning, Names, Problem};
use crate::arith::Integer;
use crate::linear::VarId;
use crate::term::{Node, Sort, TermId, TermPool};

impl Problem {
    /// Translates a term of another pool. Side conditions are added to `sides`.
    pub(in crate::interpolate) fn import(
        &mut self,
        source: &TermPool,
        term: TermId,
        names: &mut Names,
        sides: &mut Vec<TermId>,
    ) -> TermId {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        let subterms = source.subterms([term]);
        let remainders = known_remainders(source, &subterms);
        for subterm in subterms {
            if remainders.inner.contains(&subterm) {
                continue;
            }
            let translated = match remainders.atoms.get(&subterm) {
                Some((inner, divisor, expected)) => {
                    self.remainder_atom(image[inner], divisor, expected, sides)
                }
                None => self.import_node(source, subterm, &image, names, sides),
            };
            image.insert(subterm, translated);
        }
        image[&term]
    }

    /// `term mod divisor = expected`: what is left after subtracting the remainder is a multiple.
    /// So the negation is an interval, not a disequality, which is easier to refute.
    fn remainder_atom(
        &mut self,
        term: TermId,
        divisor: &Integer,
        expected: &Integer,
        sides: &mut Vec<TermId>,
    ) -> TermId {
        let shifted = self.pool.sum([(term, Integer::ONE)], -expected);
        let quotient = self.quotient(shifted, divisor, sides);
        let rest = self.pool.sum([(shifted, Integer::ONE), (quotient, -divisor)], Integer::ZERO);
        self.pool.eq_zero(rest)
    }

    /// The private variable of a variable of another pool.
    pub(in crate::interpolate) fn import_variable(
        &mut self,
        source: &TermPool,
        variable: VarId,
        names: &mut Names,
    ) -> VarId {
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
                self.application(source.function_name(*function), &arguments, source.sort(term))
            }
            Node::Select(array, index) => self.element(image[array], image[index]),
            Node::Store(array, index, value) => self.pool.store(image[array], image[index], image[value]),
        }
    }

    /// What a function that means nothing here yields is opaque.
    fn application(&mut self, name: &str, arguments: &[TermId], sort: Sort) -> TermId {
        let function = self.pool.function(name, arguments.len(), sort);
        match self.pool.apply(function, arguments) {
            Some(applied) if sort == Sort::Bool => self.opaque_truth(applied),
            Some(applied) => self.opaque_integer(applied),
            // The arity is that of the arguments.
            None => self.pool.truth(true),
        }
    }

    /// What an array has at an index is opaque, unless a store says what it is.
    fn element(&mut self, array: TermId, index: TermId) -> TermId {
        let element = self.pool.select(array, index);
        match self.pool.node(element) {
            Node::Select(..) => self.opaque_integer(element),
            _ => element,
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
        let is_small = |divisor: &i64| usize::try_from(*divisor).is_ok_and(|d| d <= self.listed_remainders);
        let Some(divisor) = divisor.to_i64().filter(is_small) else { return };
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
}

/// Atoms that compare a remainder with a constant.
#[derive(Default)]
struct Remainders {
    /// What is divided, by what, and which remainder is expected.
    atoms: FxHashMap<TermId, (TermId, Integer, Integer)>,
    /// Terms that occur in such atoms only, between the atom and what is divided.
    inner: FxHashSet<TermId>,
}

/// The atoms among some terms, which are closed under subterms, that compare a remainder with one
/// of the constants it can be equal to.
fn known_remainders(pool: &TermPool, terms: &[TermId]) -> Remainders {
    let mut found = Remainders::default();
    for &term in terms {
        let Node::EqZero(difference) = pool.node(term) else { continue };
        let (remainder, expected) = match pool.node(*difference) {
            Node::Mod(..) => (*difference, Integer::ZERO),
            Node::Sum(sum) => match &*sum.terms {
                [(remainder, factor)] if factor.is_one() => (*remainder, -&sum.constant),
                _ => continue,
            },
            _ => continue,
        };
        let Node::Mod(inner, divisor) = pool.node(remainder) else { continue };
        if !expected.is_negative() && expected < *divisor {
            found.atoms.insert(term, (*inner, divisor.clone(), expected));
            found.inner.extend([*difference, remainder]);
        }
    }
    // What occurs elsewhere is needed for itself; parents have larger ids than their children.
    for &term in terms.iter().rev() {
        if !found.atoms.contains_key(&term) && !found.inner.contains(&term) {
            pool.for_each_child(term, |child| {
                found.inner.remove(&child);
            });
        }
    }
    found
}
