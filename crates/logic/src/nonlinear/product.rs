//! Lemmas about products of two terms that are no constants.
//!
//! They are those of incremental linearisation (Cimatti, Griggio, Irfan, Roveri, Sebastiani):
//! zeros, signs, order, and planes that touch the surface `m = a*b`.

use crate::arith::Integer;
use crate::term::{Node, TermId, TermPool};

/// `term = first * second`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) term: TermId,
    pub(super) first: TermId,
    pub(super) second: TermId,
}

impl Product {
    pub(super) fn of(pool: &TermPool, term: TermId) -> Option<Self> {
        match *pool.node(term) {
            Node::Mul(first, second) => Some(Self { term, first, second }),
            _ => None,
        }
    }

    pub(super) fn zero(self, pool: &mut TermPool) -> TermId {
        let [product, first, second] = [self.term, self.first, self.second].map(|term| pool.eq_zero(term));
        let some = pool.or([first, second]);
        pool.iff(product, some)
    }

    pub(super) fn sign(self, pool: &mut TermPool, first_positive: bool, second_positive: bool) -> TermId {
        let sign = |positive: bool| Integer::from(if positive { 1 } else { -1 });
        let (s, t) = (sign(first_positive), sign(second_positive));
        let first = pool.scale(s.clone(), self.first);
        let second = pool.scale(t.clone(), self.second);
        let product = pool.scale(&s * &t, self.term);
        let one = pool.int(1);
        let bound = pool.sum([(first, Integer::ONE), (second, Integer::ONE)], Integer::MINUS_ONE);
        let parts = [pool.lt(first, one), pool.lt(second, one), pool.ge(product, bound)];
        pool.or(parts)
    }

    pub(super) fn value(self, pool: &mut TermPool, first: bool, value: &Integer) -> TermId {
        let (known, other) = if first { (self.first, self.second) } else { (self.second, self.first) };
        let constant = pool.int(value.clone());
        let scaled = pool.scale(value.clone(), other);
        let parts = [pool.ne(known, constant), pool.eq(self.term, scaled)];
        pool.or(parts)
    }

    pub(super) fn tangent(self, pool: &mut TermPool, (u, v): &(Integer, Integer)) -> TermId {
        let plane = pool.sum([(self.first, v.clone()), (self.second, u.clone())], -(u * v));
        let (at_first, at_second) = (pool.int(u.clone()), pool.int(v.clone()));
        let (above, below) = (pool.ge(self.term, plane), pool.le(self.term, plane));
        let less = [pool.lt(self.first, at_first), pool.lt(self.second, at_second)];
        let greater = [pool.gt(self.first, at_first), pool.gt(self.second, at_second)];
        let parts = [
            pool.or([greater[0], greater[1], above]),
            pool.or([less[0], less[1], above]),
            pool.or([greater[0], less[1], below]),
            pool.or([less[0], greater[1], below]),
        ];
        pool.and(parts)
    }

    /// `None` if the factors are not the same.
    pub(super) fn square(self, pool: &mut TermPool, at: &Integer) -> Option<TermId> {
        if self.first != self.second {
            return None;
        }
        let next = at + &Integer::ONE;
        let chord = pool.sum([(self.first, at + &next)], -(at * &next));
        Some(pool.ge(self.term, chord))
    }
}

/// For products with a common factor.
pub(super) fn monotone(pool: &mut TermPool, left: TermId, right: TermId) -> Option<TermId> {
    let (left, right) = (Product::of(pool, left)?, Product::of(pool, right)?);
    let (common, first, second) = if left.first == right.first {
        (left.first, left.second, right.second)
    } else if left.second == right.second {
        (left.second, left.first, right.first)
    } else if left.first == right.second {
        (left.first, left.second, right.first)
    } else if left.second == right.first {
        (left.second, left.first, right.second)
    } else {
        return None;
    };
    let zero = pool.int(0);
    let (negative, positive) = (pool.lt(common, zero), pool.gt(common, zero));
    let (less, greater) = (pool.lt(first, second), pool.gt(first, second));
    let (at_most, at_least) = (pool.le(left.term, right.term), pool.ge(left.term, right.term));
    let parts = [
        pool.or([negative, greater, at_most]),
        pool.or([negative, less, at_least]),
        pool.or([positive, greater, at_least]),
        pool.or([positive, less, at_most]),
    ];
    Some(pool.and(parts))
}
