//! Smart constructors for truth values.

use super::pool::{Node, Sort, TermId, TermPool};
use crate::arith::Integer;

impl TermPool {
    /// True or false.
    pub fn truth(&mut self, value: bool) -> TermId {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// The value of a boolean constant.
    pub fn as_truth(&self, term: TermId) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// `left <= right`.
    pub fn le(&mut self, left: TermId, right: TermId) -> TermId {
        let difference = self.sub(left, right);
        self.le_zero(difference)
    }

    /// `left < right`.
    pub fn lt(&mut self, left: TermId, right: TermId) -> TermId {
        let difference = self.sum([(left, Integer::ONE), (right, Integer::MINUS_ONE)], Integer::ONE);
        self.le_zero(difference)
    }

    /// `left >= right`.
    pub fn ge(&mut self, left: TermId, right: TermId) -> TermId {
        self.le(right, left)
    }

    /// `left > right`.
    pub fn gt(&mut self, left: TermId, right: TermId) -> TermId {
        self.lt(right, left)
    }

    /// `term <= 0`.
    pub fn le_zero(&mut self, term: TermId) -> TermId {
        let (terms, constant) = match self.node(term) {
            Node::Int(value) => {
                let holds = !value.is_positive();
                return self.truth(holds);
            }
            Node::Sum(sum) => (&sum.terms, &sum.constant),
            _ => return self.intern(Node::LeZero(term), Sort::Bool),
        };
        let divisor = content(terms);
        if divisor.is_one() {
            return self.intern(Node::LeZero(term), Sort::Bool);
        }
        let constant = constant.div_ceil(&divisor).unwrap_or_default();
        let terms = divide(terms, &divisor);
        let tightened = self.sum(terms, constant);
        self.intern(Node::LeZero(tightened), Sort::Bool)
    }

    /// `left = right`, for two terms of one sort.
    pub fn eq(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right {
            return self.truth(true);
        }
        match self.sort(left) {
            Sort::Bool => self.iff(left, right),
            Sort::Array => self.intern(Node::EqArray(left.min(right), left.max(right)), Sort::Bool),
            Sort::Int => {
                let difference = self.sub(left, right);
                self.eq_zero(difference)
            }
        }
    }

    /// `left != right`, for two terms of one sort.
    pub fn ne(&mut self, left: TermId, right: TermId) -> TermId {
        let equal = self.eq(left, right);
        self.not(equal)
    }

    /// `term = 0`.
    pub fn eq_zero(&mut self, term: TermId) -> TermId {
        let (terms, constant) = match self.node(term) {
            Node::Int(value) => {
                let holds = value.is_zero();
                return self.truth(holds);
            }
            Node::Sum(sum) => (&sum.terms, &sum.constant),
            _ => return self.intern(Node::EqZero(term), Sort::Bool),
        };
        let mut divisor = content(terms);
        if terms[0].1.is_negative() {
            divisor = -divisor;
        }
        if divisor.is_one() {
            return self.intern(Node::EqZero(term), Sort::Bool);
        }
        let Some(constant) = constant.div_exact(&divisor) else { return self.truth(false) };
        let terms = divide(terms, &divisor);
        let normal = self.sum(terms, constant);
        self.intern(Node::EqZero(normal), Sort::Bool)
    }

    /// `!term`.
    pub fn not(&mut self, term: TermId) -> TermId {
        match *self.node(term) {
            Node::Bool(value) => self.truth(!value),
            Node::Not(inner) => inner,
            Node::LeZero(inner) => {
                // Over the integers, t > 0 is 1 - t <= 0.
                let negated = self.sum([(inner, Integer::MINUS_ONE)], Integer::ONE);
                self.le_zero(negated)
            }
            _ => self.intern(Node::Not(term), Sort::Bool),
        }
    }

    /// The conjunction of any number of terms.
    pub fn and(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(terms, true)
    }

    /// The disjunction of any number of terms.
    pub fn or(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(terms, false)
    }

    /// Conjunction (`neutral` is true) or disjunction: flattened, sorted, without duplicates.
    fn junction(&mut self, terms: impl IntoIterator<Item = TermId>, neutral: bool) -> TermId {
        let mut parts: Vec<TermId> = Vec::new();
        for term in terms {
            match self.node(term) {
                Node::Bool(value) if *value == neutral => {}
                Node::Bool(_) => return term,
                Node::And(inner) if neutral => parts.extend_from_slice(inner),
                Node::Or(inner) if !neutral => parts.extend_from_slice(inner),
                _ => parts.push(term),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.len() > 1 && self.has_complementary_pair(&parts) {
            return self.truth(!neutral);
        }
        match parts.as_slice() {
            [] => self.truth(neutral),
            [only] => *only,
            _ if neutral => self.intern(Node::And(parts.into()), Sort::Bool),
            _ => self.intern(Node::Or(parts.into()), Sort::Bool),
        }
    }

    /// Whether some part is the negation of another. Negated inequalities are inequalities and
    /// are recognised by the solver instead.
    fn has_complementary_pair(&self, parts: &[TermId]) -> bool {
        parts.iter().any(|&part| match self.node(part) {
            Node::Not(inner) => parts.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    /// `left -> right`.
    pub fn implies(&mut self, left: TermId, right: TermId) -> TermId {
        let negated = self.not(left);
        self.or([negated, right])
    }

    /// `left <-> right`.
    pub fn iff(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right {
            return self.truth(true);
        }
        match (self.node(left), self.node(right)) {
            (Node::Bool(true), _) => return right,
            (_, Node::Bool(true)) => return left,
            (Node::Bool(false), _) => return self.not(right),
            (_, Node::Bool(false)) => return self.not(left),
            _ => {}
        }
        let (left_negated, left) = self.strip_not(left);
        let (right_negated, right) = self.strip_not(right);
        let both_ways = if left == right {
            self.truth(true)
        } else {
            self.intern(Node::Iff(left.min(right), left.max(right)), Sort::Bool)
        };
        if left_negated == right_negated { both_ways } else { self.not(both_ways) }
    }

    fn strip_not(&self, term: TermId) -> (bool, TermId) {
        match self.node(term) {
            Node::Not(inner) => (true, *inner),
            _ => (false, term),
        }
    }
}

/// The greatest common divisor of the coefficients.
fn content(terms: &[(TermId, Integer)]) -> Integer {
    terms.iter().fold(Integer::ZERO, |divisor, (_, factor)| divisor.gcd(factor))
}

fn divide(terms: &[(TermId, Integer)], divisor: &Integer) -> Vec<(TermId, Integer)> {
    terms.iter().map(|(term, c)| (*term, c.div_exact(divisor).unwrap_or_default())).collect()
}
