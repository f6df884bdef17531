//! What is wrong with a model of the abstraction, and the lemmas that say so.

use rustc_hash::FxHashMap;

use super::abstraction::Abstraction;
use super::lemma::Lemma;
use super::product::Product;
use crate::arith::Integer;
use crate::linear::{Constraint, VarId};
use crate::sat::Interpretation;
use crate::term::{BitOperation, FunctionId, Node, TermId, TermPool, Value};

/// Values as large as this are not used as shift amounts or exponents in lemmas.
const LARGEST_EXPONENT: i64 = 4096;

/// A model of the abstraction, read as a model of the original terms.
pub(super) struct Reading<'a> {
    pub(super) pool: &'a TermPool,
    pub(super) abstraction: &'a Abstraction,
    /// Values for all variables, those that stand for terms included.
    pub(super) model: &'a Interpretation,
    /// The same values for the original variables; functions and arrays as far as the terms say.
    pub(super) candidate: Interpretation,
    /// Terms that contradict each other as values of one function at one point.
    clashes: Vec<Lemma>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(pool: &'a TermPool, abstraction: &'a Abstraction, model: &'a Interpretation) -> Self {
        let candidate = Interpretation::default();
        let mut reading = Self { pool, abstraction, model, candidate, clashes: Vec::new() };
        reading.read_variables();
        reading.read_tables();
        reading
    }

    fn read_variables(&mut self) {
        self.candidate.variables = self.model.variables.clone();
        for (variable, _) in &self.abstraction.definitions {
            self.candidate.variables.remove(variable);
        }
    }

    /// The value of an original term according to the variable that stands for it, or to the
    /// values of its parts.
    fn value(&self, term: TermId) -> Option<Value> {
        self.model.evaluate(self.pool, self.abstraction.image(term)?)
    }

    fn int(&self, term: TermId) -> Option<Integer> {
        self.value(term)?.as_int().cloned()
    }

    /// Tables of functions and arrays from the values of their applications.
    fn read_tables(&mut self) {
        let mut applied: FxHashMap<(FunctionId, Vec<Integer>), TermId> = FxHashMap::default();
        let mut selected: FxHashMap<(VarId, Integer), TermId> = FxHashMap::default();
        for &(variable, term) in &self.abstraction.definitions {
            let value = self.model.value(variable, self.pool.sort(term));
            let known = match self.pool.node(term) {
                Node::Apply(function, arguments) if self.pool.bit_operation(*function).is_none() => {
                    let arguments: Option<Vec<Integer>> = arguments.iter().map(|&a| self.int(a)).collect();
                    let Some(arguments) = arguments else { continue };
                    let key = (*function, arguments);
                    let known = *applied.entry(key.clone()).or_insert(term);
                    if known == term {
                        self.candidate.functions.insert(key, value.clone());
                    }
                    known
                }
                Node::Select(array, index) => {
                    let (Some(array), Some(index)) = (self.pool.as_var(*array), self.int(*index)) else {
                        continue;
                    };
                    let known = *selected.entry((array, index.clone())).or_insert(term);
                    if known == term
                        && let Some(element) = value.as_int()
                    {
                        self.write(array, index, element.clone());
                    }
                    known
                }
                _ => continue,
            };
            if known != term && self.value(known) != Some(value) {
                self.clashes.push(Lemma::Congruence(known, term));
            }
        }
    }

    /// Notes an element of an array whose other elements are zero.
    fn write(&mut self, array: VarId, index: Integer, element: Integer) {
        if element.is_zero() {
            return;
        }
        let entry = self
            .candidate
            .variables
            .entry(array)
            .or_insert_with(|| Value::Array { default: Integer::ZERO, elements: FxHashMap::default() });
        if let Value::Array { elements, .. } = entry {
            elements.insert(index, element);
        }
    }

    /// Lemmas that exclude this model. None if it can be no better.
    pub(super) fn objections(&self, bounds: &ConstantBounds) -> Vec<Vec<Lemma>> {
        let mut objections: Vec<Vec<Lemma>> = self.clashes.iter().map(|lemma| vec![lemma.clone()]).collect();
        for &(_, term) in &self.abstraction.definitions {
            match self.pool.node(term) {
                Node::Mul(..) => objections.extend(self.product_objections(term, bounds)),
                Node::EqArray(left, right) => {
                    objections.extend(self.array_objections(term, *left, *right));
                }
                Node::Apply(function, operands) => {
                    if let Some(operation) = self.pool.bit_operation(*function) {
                        objections.extend(self.bit_objections(term, operation, operands));
                    }
                }
                _ => {}
            }
        }
        objections
    }

    /// Lemmas about a product with a wrong value, the more general ones first.
    fn product_objections(&self, term: TermId, bounds: &ConstantBounds) -> Option<Vec<Lemma>> {
        let Product { first, second, .. } = Product::of(self.pool, term)?;
        let (a, b, value) = (self.int(first)?, self.int(second)?, self.int(term)?);
        if value == &a * &b {
            return None;
        }
        let mut lemmas = vec![
            Lemma::ProductZero(term),
            Lemma::ProductSign {
                product: term,
                first_positive: a.is_positive(),
                second_positive: b.is_positive(),
            },
        ];
        if first == second {
            let below = &a - &Integer::ONE;
            lemmas.push(Lemma::Square { product: term, at: a.clone() });
            lemmas.push(Lemma::Square { product: term, at: below });
        }
        lemmas.extend(self.corners(term, first, second, bounds));
        lemmas.extend(self.order_lemmas(term, &value));
        lemmas.push(Lemma::ProductValue { product: term, first: true, value: a.clone() });
        lemmas.push(Lemma::ProductValue { product: term, first: false, value: b.clone() });
        lemmas.push(Lemma::ProductTangent { product: term, at: (a, b) });
        Some(lemmas)
    }

    /// Planes through the corners of the box that constant bounds describe.
    fn corners(&self, product: TermId, first: TermId, second: TermId, bounds: &ConstantBounds) -> Vec<Lemma> {
        let sides = |factor: TermId| match self.abstraction.image(factor).and_then(|t| self.pool.as_var(t)) {
            Some(variable) => bounds.of(variable),
            None => Vec::new(),
        };
        let (left, right) = (sides(first), sides(second));
        let corner = |u: &Integer, v: &Integer| Lemma::ProductTangent { product, at: (u.clone(), v.clone()) };
        left.iter().flat_map(|u| right.iter().map(move |v| corner(u, v))).collect()
    }

    /// Comparisons with other products that share a factor.
    fn order_lemmas(&self, term: TermId, value: &Integer) -> Vec<Lemma> {
        let others = self.abstraction.definitions.iter().filter(|(_, other)| *other != term);
        others
            .filter(|(_, other)| shares_factor(self.pool, term, *other))
            .filter(|(_, other)| self.int(*other).is_some_and(|known| known != *value))
            .map(|(_, other)| Lemma::ProductMonotone(term, *other))
            .collect()
    }

    /// An index at which arrays differ that should be equal.
    fn array_objections(&self, equality: TermId, left: TermId, right: TermId) -> Vec<Vec<Lemma>> {
        if self.value(equality) != Some(Value::Bool(true)) {
            return Vec::new();
        }
        let array = |term| self.candidate.evaluate(self.pool, term);
        let (Some(left), Some(right)) = (array(left), array(right)) else { return Vec::new() };
        let at = |array: &Value, index: &Integer| match array {
            Value::Array { default, elements } => elements.get(index).unwrap_or(default).clone(),
            _ => Integer::ZERO,
        };
        let indices = self.abstraction.indices.iter();
        let differ = indices
            .filter(|&&index| self.int(index).is_some_and(|index| at(&left, &index) != at(&right, &index)));
        // One list of alternatives: a few indices at a time go a long way.
        vec![differ.map(|&index| Lemma::EqualElements { equality, index }).collect()]
    }

    /// Lemmas about an operation on bits with a wrong value.
    fn bit_objections(
        &self,
        term: TermId,
        operation: BitOperation,
        operands: &[TermId],
    ) -> Option<Vec<Lemma>> {
        let operands: Vec<Integer> = operands.iter().map(|&o| self.int(o)).collect::<Option<_>>()?;
        let value = self.int(term)?;
        let right = operation.evaluate(&operands)?;
        if value == right {
            return None;
        }
        let small = |value: &Integer| value.to_i64().filter(|v| (0..=LARGEST_EXPONENT).contains(v));
        match operation {
            BitOperation::And => {
                let bit = lowest_different_bit(&value, &right);
                let first = operands[0].abs() <= operands[1].abs();
                let mask = operands[usize::from(!first)].clone();
                Some(vec![Lemma::AndBit { term, bit }, Lemma::AndValue { term, first, value: mask }])
            }
            BitOperation::ShiftRight => {
                Some(vec![Lemma::ShiftValue { term, value: small(&operands[1])? as u32 }])
            }
            BitOperation::PowerOfTwo => {
                Some(vec![Lemma::PowerValue { term, value: small(&operands[0])? as u32 }])
            }
        }
    }
}

fn shares_factor(pool: &TermPool, left: TermId, right: TermId) -> bool {
    let (Some(left), Some(right)) = (Product::of(pool, left), Product::of(pool, right)) else { return false };
    [left.first, left.second].iter().any(|factor| [right.first, right.second].contains(factor))
}

/// The first bit, from the lowest, in which two different numbers differ.
fn lowest_different_bit(left: &Integer, right: &Integer) -> u32 {
    let two = Integer::from(2);
    let mut difference = left - right;
    let mut bit = 0;
    while let Some((half, remainder)) = difference.div_rem_euclid(&two)
        && remainder.is_zero()
        && !half.is_zero()
    {
        difference = half;
        bit += 1;
    }
    bit
}

/// Constant bounds of variables, as far as formulas say them outright.
#[derive(Debug, Default)]
pub(super) struct ConstantBounds(FxHashMap<VarId, Vec<Integer>>);

impl ConstantBounds {
    /// Takes the bounds among the conjuncts of a linear formula in.
    pub(super) fn read(&mut self, pool: &TermPool, formula: TermId) {
        let conjuncts = match pool.node(formula) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![formula],
        };
        for constraint in conjuncts.into_iter().filter_map(|part| pool.constraint(part)) {
            self.add(&constraint);
        }
    }

    fn add(&mut self, constraint: &Constraint) {
        let [(variable, factor)] = constraint.form().terms() else { return };
        // Normal form: the factor is 1 or -1.
        let bound = -(constraint.form().constant_term() * factor);
        let known = self.0.entry(*variable).or_default();
        if !known.contains(&bound) && known.len() < 4 {
            known.push(bound);
        }
    }

    fn of(&self, variable: VarId) -> Vec<Integer> {
        self.0.get(&variable).cloned().unwrap_or_default()
    }
}
