//! Smart constructors for integers and arrays.

use super::bits::BitOperation;
use super::pool::{FunctionId, Node, Sort, Sum, TermId, TermPool, Variable};
use crate::arith::Integer;
use crate::linear::VarId;

impl TermPool {
    /// An integer constant.
    pub fn int(&mut self, value: impl Into<Integer>) -> TermId {
        self.intern(Node::Int(value.into()), Sort::Int)
    }

    /// The term that is a variable.
    pub fn var(&mut self, variable: VarId) -> TermId {
        let sort = self.variable(variable).sort;
        self.intern(Node::Var(variable), sort)
    }

    /// The integer variable with this name.
    pub fn int_var(&mut self, name: &str) -> TermId {
        self.named_var(name, Sort::Int)
    }

    /// The boolean variable with this name.
    pub fn bool_var(&mut self, name: &str) -> TermId {
        self.named_var(name, Sort::Bool)
    }

    /// The array variable with this name.
    pub fn array_var(&mut self, name: &str) -> TermId {
        self.named_var(name, Sort::Array)
    }

    fn named_var(&mut self, name: &str, sort: Sort) -> TermId {
        let symbol = self.symbol(name);
        let variable = self.variable_id(Variable { symbol, copy: 0, sort });
        self.var(variable)
    }

    /// The value of an integer constant.
    pub fn as_int(&self, term: TermId) -> Option<&Integer> {
        match self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The variable, if the term is one.
    pub fn as_var(&self, term: TermId) -> Option<VarId> {
        match self.node(term) {
            Node::Var(variable) => Some(*variable),
            _ => None,
        }
    }

    /// `constant + factor * term + ...`, where the terms may be sums and constants themselves.
    pub fn sum(&mut self, terms: impl IntoIterator<Item = (TermId, Integer)>, constant: Integer) -> TermId {
        let mut total = SumBuilder { terms: Vec::new(), constant };
        for (term, factor) in terms {
            total.add(self, term, &factor);
        }
        total.finish(self)
    }

    /// `left + right`.
    pub fn add(&mut self, left: TermId, right: TermId) -> TermId {
        self.sum([(left, Integer::ONE), (right, Integer::ONE)], Integer::ZERO)
    }

    /// `left - right`.
    pub fn sub(&mut self, left: TermId, right: TermId) -> TermId {
        self.sum([(left, Integer::ONE), (right, Integer::MINUS_ONE)], Integer::ZERO)
    }

    /// `-term`.
    pub fn neg(&mut self, term: TermId) -> TermId {
        self.sum([(term, Integer::MINUS_ONE)], Integer::ZERO)
    }

    /// `factor * term`.
    pub fn scale(&mut self, factor: impl Into<Integer>, term: TermId) -> TermId {
        self.sum([(term, factor.into())], Integer::ZERO)
    }

    /// `left * right`; linear if one of them is a constant.
    pub fn mul(&mut self, left: TermId, right: TermId) -> TermId {
        if let Some(factor) = self.as_int(left).cloned() {
            return self.scale(factor, right);
        }
        if let Some(factor) = self.as_int(right).cloned() {
            return self.scale(factor, left);
        }
        // A common factor of a side is moved out, so that (2x)*y and x*(2y) are one term.
        let (left_factor, left) = self.primitive_part(left);
        let (right_factor, right) = self.primitive_part(right);
        let product = self.intern(Node::Mul(left.min(right), left.max(right)), Sort::Int);
        self.scale(left_factor * right_factor, product)
    }

    /// A term that is no constant as `factor * primitive`, with a positive first coefficient.
    fn primitive_part(&mut self, term: TermId) -> (Integer, TermId) {
        let Node::Sum(sum) = self.node(term) else { return (Integer::ONE, term) };
        let mut factor = sum.terms.iter().fold(sum.constant.clone(), |divisor, (_, c)| divisor.gcd(c)).abs();
        if sum.terms[0].1.is_negative() {
            factor = -factor;
        }
        if factor.is_one() {
            return (factor, term);
        }
        let exact = |value: &Integer| value.div_exact(&factor).unwrap_or_default();
        let terms: Vec<_> = sum.terms.iter().map(|(child, c)| (*child, exact(c))).collect();
        let constant = exact(&sum.constant);
        (factor.clone(), self.sum(terms, constant))
    }

    /// The quotient by a constant as SMT-LIB defines it: the remainder is never negative.
    /// `None` for the divisor zero.
    pub fn div(&mut self, term: TermId, divisor: impl Into<Integer>) -> Option<TermId> {
        let divisor = divisor.into();
        if divisor.is_zero() {
            return None;
        }
        if divisor.is_negative() {
            let quotient = self.div_positive(term, -divisor);
            return Some(self.neg(quotient));
        }
        Some(self.div_positive(term, divisor))
    }

    fn div_positive(&mut self, term: TermId, divisor: Integer) -> TermId {
        if divisor.is_one() {
            return term;
        }
        let (whole, rest) = self.split_multiples(term, &divisor);
        let quotient = match self.as_int(rest).and_then(|value| value.div_floor(&divisor)) {
            Some(value) => self.int(value),
            None => self.intern(Node::Div(rest, divisor), Sort::Int),
        };
        self.add(whole, quotient)
    }

    /// The remainder modulo a constant as SMT-LIB defines it: never negative.
    /// `None` for the divisor zero.
    pub fn modulo(&mut self, term: TermId, divisor: impl Into<Integer>) -> Option<TermId> {
        let divisor = divisor.into().abs();
        if divisor.is_zero() {
            return None;
        }
        if divisor.is_one() {
            return Some(self.int(0));
        }
        let (_, rest) = self.split_multiples(term, &divisor);
        let value = self.as_int(rest).and_then(|value| value.div_rem_euclid(&divisor));
        Some(match value {
            Some((_, remainder)) => self.int(remainder),
            None => self.intern(Node::Mod(rest, divisor), Sort::Int),
        })
    }

    /// `term = divisor * whole + rest`, with all coefficients of `rest` in `0..divisor`.
    fn split_multiples(&mut self, term: TermId, divisor: &Integer) -> (TermId, TermId) {
        let (terms, constant) = match self.node(term) {
            Node::Sum(sum) => (sum.terms.to_vec(), sum.constant.clone()),
            Node::Int(value) => (Vec::new(), value.clone()),
            _ => (vec![(term, Integer::ONE)], Integer::ZERO),
        };
        let split = |value: &Integer| value.div_rem_euclid(divisor).unwrap_or_default();
        let mut whole = Vec::new();
        let mut rest = Vec::new();
        for (child, factor) in terms {
            let (quotient, remainder) = split(&factor);
            whole.push((child, quotient));
            rest.push((child, remainder));
        }
        let (quotient, remainder) = split(&constant);
        (self.sum(whole, quotient), self.sum(rest, remainder))
    }

    /// `condition ? then : otherwise`, for any sort.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        if then == otherwise {
            return then;
        }
        match self.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return otherwise,
            Node::Not(inner) => return self.ite(*inner, otherwise, then),
            _ => {}
        }
        let sort = self.sort(then);
        if sort == Sort::Bool {
            let negated = self.not(condition);
            let left = self.or([negated, then]);
            let right = self.or([condition, otherwise]);
            return self.and([left, right]);
        }
        self.intern(Node::Ite(condition, then, otherwise), sort)
    }

    /// A function applied to integers. `None` if the number of arguments is wrong.
    pub fn apply(&mut self, function: FunctionId, arguments: &[TermId]) -> Option<TermId> {
        if self.functions[function].arity != arguments.len() {
            return None;
        }
        Some(match (self.bit_operation(function), arguments) {
            (Some(BitOperation::And), &[left, right]) => self.bit_and(left, right),
            (Some(BitOperation::ShiftRight), &[term, shift]) => self.shift_right(term, shift),
            (Some(BitOperation::PowerOfTwo), &[exponent]) => self.power_of_two(exponent),
            _ => self.apply_known(function, arguments),
        })
    }

    /// A function applied to as many integers as it takes.
    pub(super) fn apply_known(&mut self, function: FunctionId, arguments: &[TermId]) -> TermId {
        let result = self.functions[function].result;
        self.intern(Node::Apply(function, arguments.into()), result)
    }

    /// The element of an array at an index.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let mut current = array;
        // Writes at an index that is certainly the same or certainly another one are resolved.
        while let Node::Store(inner, written, value) = *self.node(current) {
            if written == index {
                return value;
            }
            if !self.certainly_different(written, index) {
                break;
            }
            current = inner;
        }
        self.intern(Node::Select(current, index), Sort::Int)
    }

    /// The array with the element at an index changed.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        match *self.node(array) {
            Node::Store(inner, written, _) if written == index => self.store_node(inner, index, value),
            _ => self.store_node(array, index, value),
        }
    }

    fn store_node(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        match *self.node(value) {
            Node::Select(source, read) if source == array && read == index => array,
            _ => self.intern(Node::Store(array, index, value), Sort::Array),
        }
    }

    /// Whether two integer terms differ by a constant other than zero.
    fn certainly_different(&mut self, left: TermId, right: TermId) -> bool {
        let difference = self.sub(left, right);
        self.as_int(difference).is_some_and(|value| !value.is_zero())
    }
}

/// Collects a linear sum and normalises it once, at the end.
struct SumBuilder {
    terms: Vec<(TermId, Integer)>,
    constant: Integer,
}

impl SumBuilder {
    fn add(&mut self, pool: &TermPool, term: TermId, factor: &Integer) {
        match pool.node(term) {
            Node::Int(value) => self.constant += value * factor,
            Node::Sum(sum) => {
                self.constant += &sum.constant * factor;
                self.terms.extend(sum.terms.iter().map(|(child, c)| (*child, c * factor)));
            }
            _ => self.terms.push((term, factor.clone())),
        }
    }

    fn finish(mut self, pool: &mut TermPool) -> TermId {
        self.terms.sort_by_key(|term| term.0);
        self.terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        self.terms.retain(|(_, factor)| !factor.is_zero());
        match self.terms.as_slice() {
            [] => pool.int(self.constant),
            [(term, factor)] if factor.is_one() && self.constant.is_zero() => *term,
            _ => {
                let sum = Sum { terms: self.terms.into_boxed_slice(), constant: self.constant };
                pool.intern(Node::Sum(sum), Sort::Int)
            }
        }
    }
}
