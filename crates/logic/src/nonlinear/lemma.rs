//! Facts about operations that are not linear.
//!
//! Each lemma is an instance of a scheme that holds for all integers (and arrays), stated as a
//! formula over the very terms it is about. The search for a contradiction picks instances; the
//! checker of refutations states them again from the same data and compares. So what has to be
//! believed is this file, and every scheme is short enough to be.

use rely_base::Id;

use super::bits;
use super::polynomial::multiplied_out;
use super::product::{self, Product};
use crate::arith::Integer;
use crate::term::{Node, Sort, TermId, TermPool};

/// An instance of a scheme; the terms are those it speaks about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lemma {
    /// For `t = (c ? a : b)`: `c -> t = a` and `!c -> t = b`.
    Choice(TermId),
    /// For `q = x div d`: `d*q <= x < d*q + d`.
    Quotient(TermId),
    /// For `r = x mod d`: `r = x - d*(x div d)`.
    Remainder(TermId),
    /// For `s = select(store(a, i, v), j)`: `i = j -> s = v` and `i != j -> s = select(a, j)`.
    ReadOverWrite(TermId),
    /// For `s = select(c ? a : b, j)`: `c -> s = select(a, j)` and `!c -> s = select(b, j)`.
    ReadOverChoice(TermId),
    /// For an equality of arrays: `a = b -> select(a, j) = select(b, j)`.
    EqualElements {
        /// `a = b`.
        equality: TermId,
        /// `j`.
        index: TermId,
    },
    /// For an equality of arrays: `a != b -> select(a, w) != select(b, w)`, where `w` is a
    /// constant that stands for an index at which they differ and occurs nowhere else.
    Witness(TermId),
    /// Equal arguments, equal results: of one function, or of reads from one array.
    Congruence(TermId, TermId),
    /// A product is the sum of its monomials.
    Polynomial(TermId),
    /// For `m = a*b`: `m = 0` exactly if `a = 0` or `b = 0`.
    ProductZero(TermId),
    /// For `m = a*b` and signs `s`, `t`: if `s*a >= 1` and `t*b >= 1` then
    /// `s*t*m >= s*a + t*b - 1`, since `(s*a - 1)*(t*b - 1) >= 0`.
    ProductSign {
        /// `a*b`.
        product: TermId,
        /// Whether `s` is 1 (or -1).
        first_positive: bool,
        /// Whether `t` is 1 (or -1).
        second_positive: bool,
    },
    /// For `m = a*b`: `a = v -> m = v*b`.
    ProductValue {
        /// `a*b`.
        product: TermId,
        /// Whether it is the first factor that has the value.
        first: bool,
        /// `v`.
        value: Integer,
    },
    /// For `m = a*b`: the plane `v*a + u*b - u*v` lies below `m` where `a - u` and `b - v` have
    /// the same sign, and above where they have opposite signs.
    ProductTangent {
        /// `a*b`.
        product: TermId,
        /// `u` and `v`.
        at: (Integer, Integer),
    },
    /// For `m = a*a`: `m >= (2v + 1)*a - v*(v + 1)`, since no integer lies between `v` and `v + 1`.
    Square {
        /// `a*a`.
        product: TermId,
        /// `v`.
        at: Integer,
    },
    /// For `m = a*b` and `n = a*c`: multiplying by `a` keeps or reverses the order of `b` and `c`.
    ProductMonotone(TermId, TermId),
    /// For `t = x & y`: `y >= 0 -> 0 <= t <= y`, `y < 0 -> t <= x`, the same with `x` and `y`
    /// exchanged, and `t < 0` if both are negative.
    AndRange(TermId),
    /// For `t = x & y`: bit number `bit` of `t` is set exactly if it is in both operands.
    AndBit {
        /// `x & y`.
        term: TermId,
        /// The number of the bit.
        bit: u32,
    },
    /// For `t = x & y`: `x = v -> t = v & y`, where `v & y` is linear in remainders of `y`.
    AndValue {
        /// `x & y`.
        term: TermId,
        /// Whether it is the first operand that has the value.
        first: bool,
        /// `v`.
        value: Integer,
    },
    /// For `s = x >> y`: `y < 0 -> s = 0`; else `s` lies between `x` and 0, or -1 if `x < 0`.
    ShiftRange(TermId),
    /// For `s = x >> y`: `y = v -> s = x div 2^v`.
    ShiftValue {
        /// `x >> y`.
        term: TermId,
        /// `v`, not negative.
        value: u32,
    },
    /// For `p = 2^y`: `y < 0 -> p = 0` and `y >= 0 -> p >= y + 1`.
    PowerRange(TermId),
    /// For `p = 2^y`: `y = v -> p = 2^v`, `y > v -> p >= 2^(v + 1)`, `y < v -> 2p <= 2^v`.
    PowerValue {
        /// `2^y`.
        term: TermId,
        /// `v`, not negative.
        value: u32,
    },
}

impl Lemma {
    /// The terms that the lemma is about.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Lemma::Choice(term)
            | Lemma::Quotient(term)
            | Lemma::Remainder(term)
            | Lemma::ReadOverWrite(term)
            | Lemma::ReadOverChoice(term)
            | Lemma::Witness(term)
            | Lemma::Polynomial(term)
            | Lemma::ProductZero(term)
            | Lemma::AndRange(term)
            | Lemma::ShiftRange(term)
            | Lemma::PowerRange(term)
            | Lemma::ProductSign { product: term, .. }
            | Lemma::ProductValue { product: term, .. }
            | Lemma::ProductTangent { product: term, .. }
            | Lemma::Square { product: term, .. }
            | Lemma::AndBit { term, .. }
            | Lemma::AndValue { term, .. }
            | Lemma::ShiftValue { term, .. }
            | Lemma::PowerValue { term, .. } => vec![*term],
            Lemma::EqualElements { equality: one, index: other }
            | Lemma::Congruence(one, other)
            | Lemma::ProductMonotone(one, other) => vec![*one, *other],
        }
    }

    /// The formula. `None` if the terms are not what the scheme is about.
    pub fn statement(&self, pool: &mut TermPool) -> Option<TermId> {
        match self {
            Lemma::Choice(term) => choice(pool, *term),
            Lemma::Quotient(term) => quotient(pool, *term),
            Lemma::Remainder(term) => remainder(pool, *term),
            Lemma::ReadOverWrite(term) => read_over_write(pool, *term),
            Lemma::ReadOverChoice(term) => read_over_choice(pool, *term),
            Lemma::EqualElements { equality, index } => equal_elements(pool, *equality, *index),
            Lemma::Witness(equality) => different_at_witness(pool, *equality),
            Lemma::Congruence(left, right) => congruence(pool, *left, *right),
            Lemma::Polynomial(product) => {
                let sum = multiplied_out(pool, *product)?;
                Some(pool.eq(*product, sum))
            }
            Lemma::ProductZero(product) => Some(Product::of(pool, *product)?.zero(pool)),
            Lemma::ProductSign { product, first_positive, second_positive } => {
                Some(Product::of(pool, *product)?.sign(pool, *first_positive, *second_positive))
            }
            Lemma::ProductValue { product, first, value } => {
                Some(Product::of(pool, *product)?.value(pool, *first, value))
            }
            Lemma::ProductTangent { product, at } => Some(Product::of(pool, *product)?.tangent(pool, at)),
            Lemma::Square { product, at } => Product::of(pool, *product)?.square(pool, at),
            Lemma::ProductMonotone(left, right) => product::monotone(pool, *left, *right),
            Lemma::AndRange(term) => bits::and_range(pool, *term),
            Lemma::AndBit { term, bit } => bits::and_bit(pool, *term, *bit),
            Lemma::AndValue { term, first, value } => bits::and_value(pool, *term, *first, value),
            Lemma::ShiftRange(term) => bits::shift_range(pool, *term),
            Lemma::ShiftValue { term, value } => bits::shift_value(pool, *term, *value),
            Lemma::PowerRange(term) => bits::power_range(pool, *term),
            Lemma::PowerValue { term, value } => bits::power_value(pool, *term, *value),
        }
    }
}

/// `condition -> conclusion` and `!condition -> alternative`.
fn either_way(pool: &mut TermPool, condition: TermId, conclusion: TermId, alternative: TermId) -> TermId {
    let otherwise = pool.not(condition);
    let first = pool.implies(condition, conclusion);
    let second = pool.implies(otherwise, alternative);
    pool.and([first, second])
}

fn choice(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let Node::Ite(condition, then, otherwise) = *pool.node(term) else { return None };
    if pool.sort(term) != Sort::Int {
        return None;
    }
    let (first, second) = (pool.eq(term, then), pool.eq(term, otherwise));
    Some(either_way(pool, condition, first, second))
}

fn quotient(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let Node::Div(dividend, divisor) = pool.node(term).clone() else { return None };
    let multiple = pool.scale(divisor.clone(), term);
    let end = pool.sum([(multiple, Integer::ONE)], divisor);
    let (low, high) = (pool.le(multiple, dividend), pool.lt(dividend, end));
    Some(pool.and([low, high]))
}

fn remainder(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let Node::Mod(dividend, divisor) = pool.node(term).clone() else { return None };
    let quotient = pool.div(dividend, divisor.clone())?;
    let multiple = pool.scale(divisor, quotient);
    let rest = pool.sub(dividend, multiple);
    Some(pool.eq(term, rest))
}

fn read_over_write(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let Node::Select(array, index) = *pool.node(term) else { return None };
    let Node::Store(inner, written, value) = *pool.node(array) else { return None };
    let hit = pool.eq(written, index);
    let other = pool.select(inner, index);
    let (new, old) = (pool.eq(term, value), pool.eq(term, other));
    Some(either_way(pool, hit, new, old))
}

fn read_over_choice(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let Node::Select(array, index) = *pool.node(term) else { return None };
    let Node::Ite(condition, then, otherwise) = *pool.node(array) else { return None };
    let (first, second) = (pool.select(then, index), pool.select(otherwise, index));
    let (first, second) = (pool.eq(term, first), pool.eq(term, second));
    Some(either_way(pool, condition, first, second))
}

fn equal_reads(pool: &mut TermPool, equality: TermId, index: TermId) -> Option<TermId> {
    let Node::EqArray(left, right) = *pool.node(equality) else { return None };
    let (left, right) = (pool.select(left, index), pool.select(right, index));
    Some(pool.eq(left, right))
}

fn equal_elements(pool: &mut TermPool, equality: TermId, index: TermId) -> Option<TermId> {
    let same = equal_reads(pool, equality, index)?;
    Some(pool.implies(equality, same))
}

fn different_at_witness(pool: &mut TermPool, equality: TermId) -> Option<TermId> {
    let index = witness(pool, equality);
    let same = equal_reads(pool, equality, index)?;
    let different = pool.not(same);
    Some(pool.or([equality, different]))
}

/// The constant that stands for an index at which two arrays differ, if they do.
pub(super) fn witness(pool: &mut TermPool, equality: TermId) -> TermId {
    let name = format!("witness!{}", equality.index());
    let function = pool.function(&name, 0, Sort::Int);
    match pool.apply(function, &[]) {
        Some(constant) => constant,
        None => unreachable!("a constant has no arguments"),
    }
}

fn congruence(pool: &mut TermPool, left: TermId, right: TermId) -> Option<TermId> {
    let pairs: Vec<(TermId, TermId)> = match (pool.node(left), pool.node(right)) {
        (Node::Select(first, i), Node::Select(second, j)) if first == second => vec![(*i, *j)],
        (Node::Apply(f, first), Node::Apply(g, second)) if f == g => {
            first.iter().copied().zip(second.iter().copied()).collect()
        }
        _ => return None,
    };
    let mut parts = vec![pool.eq(left, right)];
    for (one, other) in pairs {
        parts.push(pool.ne(one, other));
    }
    Some(pool.or(parts))
}
