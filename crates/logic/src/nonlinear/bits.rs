//! Lemmas about `x & y`, `x >> y` and `2^y`.

use crate::arith::Integer;
use crate::term::{BitOperation, Node, TermId, TermPool};

/// The operands, if the term is this operation.
fn operands<const COUNT: usize>(
    pool: &TermPool,
    term: TermId,
    operation: BitOperation,
) -> Option<[TermId; COUNT]> {
    match pool.node(term) {
        Node::Apply(function, operands) if pool.bit_operation(*function) == Some(operation) => {
            <[TermId; COUNT]>::try_from(&**operands).ok()
        }
        _ => None,
    }
}

pub(super) fn and_range(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let [x, y] = operands(pool, term, BitOperation::And)?;
    let zero = pool.int(0);
    let not_negative = pool.ge(term, zero);
    let mut parts = Vec::new();
    for (one, other) in [(x, y), (y, x)] {
        let (negative, positive) = (pool.lt(other, zero), pool.ge(other, zero));
        let (below_other, below_one) = (pool.le(term, other), pool.le(term, one));
        parts.push(pool.or([negative, not_negative]));
        parts.push(pool.or([negative, below_other]));
        parts.push(pool.or([positive, below_one]));
    }
    let some_positive = [pool.ge(x, zero), pool.ge(y, zero)];
    let negative = pool.lt(term, zero);
    parts.push(pool.or([some_positive[0], some_positive[1], negative]));
    Some(pool.and(parts))
}

pub(super) fn and_bit(pool: &mut TermPool, term: TermId, bit: u32) -> Option<TermId> {
    let [x, y] = operands(pool, term, BitOperation::And)?;
    let mut is_set = |number: TermId| {
        let shifted = pool.div(number, Integer::from(2).pow(bit))?;
        let lowest = pool.modulo(shifted, 2)?;
        let one = pool.int(1);
        Some(pool.eq(lowest, one))
    };
    let (result, first, second) = (is_set(term)?, is_set(x)?, is_set(y)?);
    let both = pool.and([first, second]);
    Some(pool.iff(result, both))
}

pub(super) fn and_value(pool: &mut TermPool, term: TermId, first: bool, value: &Integer) -> Option<TermId> {
    let [x, y] = operands(pool, term, BitOperation::And)?;
    let (known, other) = if first { (x, y) } else { (y, x) };
    let mask = pool.int(value.clone());
    let masked = pool.bit_and(mask, other);
    let parts = [pool.ne(known, mask), pool.eq(term, masked)];
    Some(pool.or(parts))
}

pub(super) fn shift_range(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let [x, y] = operands(pool, term, BitOperation::ShiftRight)?;
    let (zero, minus_one) = (pool.int(0), pool.int(-1));
    let (negative_shift, shift) = (pool.lt(y, zero), pool.ge(y, zero));
    let (negative, positive) = (pool.lt(x, zero), pool.ge(x, zero));
    let nothing = pool.eq(term, zero);
    let (low, high) = (pool.ge(term, zero), pool.le(term, x));
    let (low_negative, high_negative) = (pool.ge(term, x), pool.le(term, minus_one));
    let parts = [
        pool.or([shift, nothing]),
        pool.or([negative_shift, negative, low]),
        pool.or([negative_shift, negative, high]),
        pool.or([negative_shift, positive, low_negative]),
        pool.or([negative_shift, positive, high_negative]),
    ];
    Some(pool.and(parts))
}

pub(super) fn shift_value(pool: &mut TermPool, term: TermId, value: u32) -> Option<TermId> {
    let [x, y] = operands(pool, term, BitOperation::ShiftRight)?;
    let amount = pool.int(value);
    let quotient = pool.div(x, Integer::from(2).pow(value))?;
    let parts = [pool.ne(y, amount), pool.eq(term, quotient)];
    Some(pool.or(parts))
}

pub(super) fn power_range(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let [y] = operands(pool, term, BitOperation::PowerOfTwo)?;
    let zero = pool.int(0);
    let (negative, positive) = (pool.lt(y, zero), pool.ge(y, zero));
    let (nothing, greater) = (pool.eq(term, zero), pool.gt(term, y));
    let parts = [pool.or([positive, nothing]), pool.or([negative, greater])];
    Some(pool.and(parts))
}

pub(super) fn power_value(pool: &mut TermPool, term: TermId, value: u32) -> Option<TermId> {
    let [y] = operands(pool, term, BitOperation::PowerOfTwo)?;
    let exponent = pool.int(value);
    let power = pool.int(Integer::from(2).pow(value));
    let (double, double_power) = (pool.scale(2, term), pool.scale(2, power));
    let (less, equal, greater) = (pool.lt(y, exponent), pool.eq(y, exponent), pool.gt(y, exponent));
    let (at_most, exactly) = (pool.le(double, power), pool.eq(term, power));
    let at_least = pool.ge(term, double_power);
    let parts = [pool.implies(less, at_most), pool.implies(equal, exactly), pool.implies(greater, at_least)];
    Some(pool.and(parts))
}
