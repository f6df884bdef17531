//! Bit operations on integers, exact and without a width.
//!
//! An integer is read as its infinite two's complement, so there is no width to be wrong about:
//! wrapping to `n` bits is a remainder, complement is `-x - 1`, shifting by a constant is
//! multiplication or division by a power of two, and with `x & y` the other connectives are
//! linear: `x | y = x + y - (x & y)` and `x ^ y = x + y - 2 (x & y)`. A conjunction with a
//! constant mask is a sum of remainders, one for each run of ones in the mask. What is left, and
//! is a function of its own, is `x & y`, `x >> y` and `2^y` for operands that are no constants.

use super::pool::{FunctionId, Sort, TermId, TermPool};
use crate::arith::Integer;

/// An operation on bits that is not linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BitOperation {
    /// `x & y`.
    And,
    /// `x >> y`: the quotient of `x` by `2^y`, rounded down; zero if `y` is negative.
    ShiftRight,
    /// `2^x`; zero if `x` is negative.
    PowerOfTwo,
}

/// Exponents beyond this are not evaluated.
const LARGEST_EXPONENT: i64 = 1 << 16;

impl BitOperation {
    /// All of them.
    pub const ALL: [BitOperation; 3] =
        [BitOperation::And, BitOperation::ShiftRight, BitOperation::PowerOfTwo];

    /// The name of the function. No identifier looks like this.
    pub fn name(self) -> &'static str {
        match self {
            BitOperation::And => "&",
            BitOperation::ShiftRight => ">>",
            BitOperation::PowerOfTwo => "2^",
        }
    }

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            BitOperation::And | BitOperation::ShiftRight => 2,
            BitOperation::PowerOfTwo => 1,
        }
    }

    /// The value at some operands; `None` if there are too few or too many of them, or if the
    /// value is astronomic.
    pub fn evaluate(self, operands: &[Integer]) -> Option<Integer> {
        match (self, operands) {
            (BitOperation::And, [left, right]) => Some(and(left, right)),
            (BitOperation::PowerOfTwo, [exponent]) => power_of_two(exponent),
            (BitOperation::ShiftRight, [_, shift]) if shift.is_negative() => Some(Integer::ZERO),
            (BitOperation::ShiftRight, [value, shift]) => match power_of_two(shift) {
                Some(divisor) => value.div_floor(&divisor),
                None => None,
            },
            _ => None,
        }
    }
}

fn and(left: &Integer, right: &Integer) -> Integer {
    match (left.to_i64(), right.to_i64()) {
        (Some(left), Some(right)) => Integer::from(left & right),
        _ => Integer::from_big(left.to_big() & right.to_big()),
    }
}

fn power_of_two(exponent: &Integer) -> Option<Integer> {
    if exponent.is_negative() {
        return Some(Integer::ZERO);
    }
    let exponent = exponent.to_i64().filter(|&exponent| exponent <= LARGEST_EXPONENT)?;
    Some(Integer::from(2).pow(exponent as u32))
}

impl TermPool {
    /// The function that stands for an operation on bits.
    pub fn bit_function(&mut self, operation: BitOperation) -> FunctionId {
        let function = self.function(operation.name(), operation.arity(), Sort::Int);
        self.bit_operations.insert(function, operation);
        function
    }

    /// The operation on bits that a function stands for.
    pub fn bit_operation(&self, function: FunctionId) -> Option<BitOperation> {
        self.bit_operations.get(&function).copied()
    }

    /// `left & right` of two integers.
    pub fn bit_and(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right {
            return left;
        }
        match (self.as_int(left).cloned(), self.as_int(right).cloned()) {
            (Some(left), Some(right)) => self.int(and(&left, &right)),
            (Some(mask), None) => self.masked(right, mask),
            (None, Some(mask)) => self.masked(left, mask),
            (None, None) => self.bit_term(BitOperation::And, &[left.min(right), left.max(right)]),
        }
    }

    /// `left | right` of two integers.
    pub fn bit_or(&mut self, left: TermId, right: TermId) -> TermId {
        self.sum_without_common_bits(left, right, -1)
    }

    /// `left ^ right` of two integers.
    pub fn bit_xor(&mut self, left: TermId, right: TermId) -> TermId {
        self.sum_without_common_bits(left, right, -2)
    }

    fn sum_without_common_bits(&mut self, left: TermId, right: TermId, factor: i64) -> TermId {
        let common = self.bit_and(left, right);
        let one = Integer::ONE;
        self.sum([(left, one.clone()), (right, one), (common, Integer::from(factor))], Integer::ZERO)
    }

    /// `~term` of an integer.
    pub fn bit_not(&mut self, term: TermId) -> TermId {
        self.sum([(term, Integer::MINUS_ONE)], Integer::MINUS_ONE)
    }

    /// `term << shift`, without loss of bits: the product with `2^shift`; zero if the shift is
    /// negative.
    pub fn shift_left(&mut self, term: TermId, shift: TermId) -> TermId {
        let factor = self.power_of_two(shift);
        self.mul(term, factor)
    }

    /// `term >> shift`: the quotient by `2^shift`, rounded down; zero if the shift is negative.
    pub fn shift_right(&mut self, term: TermId, shift: TermId) -> TermId {
        let divisor = self.as_int(shift).cloned().and_then(|shift| power_of_two(&shift));
        match divisor {
            Some(divisor) if divisor.is_zero() => self.int(0),
            Some(divisor) => self.quotient(term, divisor),
            None => self.bit_term(BitOperation::ShiftRight, &[term, shift]),
        }
    }

    /// `2^exponent`; zero if the exponent is negative.
    pub fn power_of_two(&mut self, exponent: TermId) -> TermId {
        match self.as_int(exponent).cloned().and_then(|exponent| power_of_two(&exponent)) {
            Some(value) => self.int(value),
            None => self.bit_term(BitOperation::PowerOfTwo, &[exponent]),
        }
    }

    /// The value modulo `2^width` from `0` on.
    pub fn wrap_unsigned(&mut self, term: TermId, width: u32) -> TermId {
        self.remainder(term, Integer::from(2).pow(width))
    }

    /// The value modulo `2^width` from `-2^(width - 1)` on; `width` is at least one.
    pub fn wrap_signed(&mut self, term: TermId, width: u32) -> TermId {
        let half = Integer::from(2).pow(width.saturating_sub(1));
        let shifted = self.sum([(term, Integer::ONE)], half.clone());
        let wrapped = self.wrap_unsigned(shifted, width);
        self.sum([(wrapped, Integer::ONE)], -half)
    }

    fn bit_term(&mut self, operation: BitOperation, operands: &[TermId]) -> TermId {
        let function = self.bit_function(operation);
        self.apply_known(function, operands)
    }

    /// `term & mask`: each run of ones in the mask, from bit `low` up to below `high`, contributes
    /// what `term` has modulo `2^high` but not modulo `2^low`.
    fn masked(&mut self, term: TermId, mask: Integer) -> TermId {
        if mask.is_negative() {
            // x & ~m = x - (x & m).
            let complement = -(mask + Integer::ONE);
            let removed = self.masked(term, complement);
            return self.sub(term, removed);
        }
        let mut total = Vec::new();
        for (low, high) in runs_of_ones(&mask) {
            total.push((self.remainder(term, Integer::from(2).pow(high)), Integer::ONE));
            total.push((self.remainder(term, Integer::from(2).pow(low)), Integer::MINUS_ONE));
        }
        self.sum(total, Integer::ZERO)
    }

    /// The quotient by a divisor that is not zero.
    fn quotient(&mut self, term: TermId, divisor: Integer) -> TermId {
        self.div(term, divisor).unwrap_or(term)
    }

    /// The remainder modulo a number that is not zero.
    fn remainder(&mut self, term: TermId, divisor: Integer) -> TermId {
        self.modulo(term, divisor).unwrap_or(term)
    }
}

/// The runs of ones of a number that is not negative, as bit ranges `low .. high`.
fn runs_of_ones(mask: &Integer) -> Vec<(u32, u32)> {
    let two = Integer::from(2);
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let mut rest = mask.clone();
    let mut bit = 0;
    while rest.is_positive() {
        let Some((half, remainder)) = rest.div_rem_euclid(&two) else { break };
        if remainder.is_one() {
            match runs.last_mut() {
                Some((_, high)) if *high == bit => *high = bit + 1,
                _ => runs.push((bit, bit + 1)),
            }
        }
        rest = half;
        bit += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::VarId;
    use crate::term::Value;
    use proptest::prelude::*;
    use rely_base::Id;

    fn value_at(pool: &TermPool, term: TermId, x: i64, y: i64) -> i64 {
        let assignment = |variable: VarId| Some(Value::Int(Integer::from([x, y][variable.index()])));
        let value = pool.evaluate(term, &assignment).expect("all is assigned");
        value.as_int().and_then(Integer::to_i64).expect("a small number")
    }

    proptest! {
        #[test]
        fn operations_are_those_of_the_machine(x in -5000i64..5000, y in -5000i64..5000, shift in 0i64..20) {
            let mut pool = TermPool::new();
            let (left, right) = (pool.int_var("x"), pool.int_var("y"));
            // With a variable and with a constant as the second operand.
            let (constant, by) = (pool.int(y), pool.int(shift));
            for second in [right, constant] {
                let terms = [pool.bit_and(left, second), pool.bit_or(left, second), pool.bit_xor(left, second)];
                let values = terms.map(|term| value_at(&pool, term, x, y));
                prop_assert_eq!(values, [x & y, x | y, x ^ y]);
            }
            let not = pool.bit_not(left);
            prop_assert_eq!(value_at(&pool, not, x, y), !x);
            for amount in [by, right] {
                let (up, down) = (pool.shift_left(left, amount), pool.shift_right(left, amount));
                prop_assert_eq!(value_at(&pool, up, x, shift), x << shift);
                prop_assert_eq!(value_at(&pool, down, x, shift), x >> shift);
            }
            let unsigned = pool.wrap_unsigned(left, 8);
            prop_assert_eq!(value_at(&pool, unsigned, x, y), i64::from(x as u8));
            let signed = pool.wrap_signed(left, 8);
            prop_assert_eq!(value_at(&pool, signed, x, y), i64::from(x as i8));
        }
    }

    #[test]
    fn masks_are_linear() {
        let mut pool = TermPool::new();
        let x = pool.int_var("x");
        let mask = pool.int(255);
        let low_byte = pool.bit_and(x, mask);
        assert_eq!(Some(low_byte), pool.modulo(x, 256));
        let all = pool.int(-1);
        assert_eq!(pool.bit_and(x, all), x);
        assert_eq!(pool.bit_and(x, x), x);
        let nothing = pool.int(0);
        assert_eq!(pool.bit_and(x, nothing), nothing);
        let minus_one = pool.int(-1);
        assert_eq!(pool.shift_right(x, minus_one), nothing);
    }

    #[test]
    fn astronomic_powers_are_not_evaluated() {
        let huge = Integer::from(1i64 << 40);
        assert_eq!(BitOperation::PowerOfTwo.evaluate(std::slice::from_ref(&huge)), None);
        assert_eq!(BitOperation::ShiftRight.evaluate(&[Integer::ONE, huge]), None);
        assert_eq!(BitOperation::And.evaluate(&[Integer::ONE]), None);
        let big = Integer::from(2).pow(100);
        let mixed = BitOperation::And.evaluate(&[big.clone(), Integer::MINUS_ONE]);
        assert_eq!(mixed, Some(big));
    }
}
