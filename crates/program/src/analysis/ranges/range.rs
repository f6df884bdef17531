//! Ranges of integers, and what operators make of them.
//!
//! A range errs on one side: it may contain values that are never there. Booleans are 0 and 1.

use super::congruence::Congruence;
use crate::expr::BinaryOp;
use crate::types::{Domain, IntType, Value};
use std::fmt;

/// The integers from `low` to `high`, both included, that leave a certain remainder; no bound
/// where it is `None`. Never empty, and the bounds are part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    low: Option<Value>,
    high: Option<Value>,
    congruence: Congruence,
}

impl Range {
    /// All integers.
    pub const ALL: Range = Range::between(None, None);
    /// The values of booleans.
    pub const BOOL: Range = Range::between(Some(0), Some(1));

    /// The integers between two bounds, of which the first is not greater. (One that has a single
    /// value is better made by `only`, which knows its remainder.)
    pub const fn between(low: Option<Value>, high: Option<Value>) -> Self {
        Self { low, high, congruence: Congruence::ALL }
    }

    /// A single value.
    pub fn only(value: Value) -> Self {
        Self { low: Some(value), high: Some(value), congruence: Congruence::only(value) }
    }

    /// The integers between two bounds that leave a remainder; `None` if there are none.
    fn new(low: Option<Value>, high: Option<Value>, congruence: Congruence) -> Option<Self> {
        if let Some(value) = congruence.single() {
            let is_inside = low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high);
            return is_inside.then(|| Self::only(value));
        }
        let low = low.map(|low| congruence.first_from(low).unwrap_or(low));
        let high = high.map(|high| congruence.last_until(high).unwrap_or(high));
        match (low, high) {
            (Some(low), Some(high)) if low > high => None,
            (Some(low), Some(high)) if low == high => Some(Self::only(low)),
            _ => Some(Self { low, high, congruence }),
        }
    }

    /// The same when it is known that there are some; what the remainder says is given up if not.
    fn made(low: Option<Value>, high: Option<Value>, congruence: Congruence) -> Self {
        Self::new(low, high, congruence).unwrap_or(Self::between(low, high))
    }

    /// The values of a domain.
    pub fn of_domain(domain: Domain) -> Self {
        match domain {
            Domain::Bool => Self::BOOL,
            Domain::Range { low, high } => Self::made(Some(low), Some(high), Congruence::ALL),
            Domain::AllInts => Self::ALL,
        }
    }

    /// The least value, if there is one.
    pub fn low(self) -> Option<Value> {
        self.low
    }

    /// The greatest value, if there is one.
    pub fn high(self) -> Option<Value> {
        self.high
    }

    /// The only value in the range.
    pub fn single(self) -> Option<Value> {
        self.low.filter(|_| self.low == self.high)
    }

    /// Whether all values are ones of the type.
    pub fn fits(self, int_type: IntType) -> bool {
        self.low.is_some_and(|low| int_type.contains(low))
            && self.high.is_some_and(|high| int_type.contains(high))
    }

    /// What becomes of the values when they are reduced to a machine type.
    pub fn wrapped(self, int_type: IntType) -> Range {
        if self.fits(int_type) {
            return self;
        }
        let congruence = self.congruence.modulo(1 << int_type.bits);
        Self::made(Some(int_type.min()), Some(int_type.max()), congruence)
    }

    /// The least range that contains both.
    pub fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.zip(other.low).map(|(left, right)| left.min(right)),
            high: self.high.zip(other.high).map(|(left, right)| left.max(right)),
            congruence: self.congruence.hull(other.congruence),
        }
    }

    /// What is in both; `None` if nothing is.
    pub fn intersection(self, other: Range) -> Option<Range> {
        let low = tighter(self.low, other.low, Value::max);
        let high = tighter(self.high, other.high, Value::min);
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return None;
        }
        Self::new(low, high, self.congruence.intersection(other.congruence)?)
    }

    /// The range without a value, if that is one of its bounds; `None` if nothing is left.
    pub fn without(self, value: Value) -> Option<Range> {
        let low = if self.low == Some(value) { value.checked_add(1) } else { self.low };
        let high = if self.high == Some(value) { value.checked_sub(1) } else { self.high };
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return None;
        }
        Self::new(low, high, self.congruence)
    }

    /// A range that contains both, without the bounds that had to move, so that no sequence of
    /// these goes on for ever.
    pub fn widened(self, other: Range) -> Range {
        let hull = self.hull(other);
        Range {
            low: self.low.filter(|_| hull.low == self.low),
            high: self.high.filter(|_| hull.high == self.high),
            congruence: hull.congruence,
        }
    }

    /// The negated values.
    pub fn negated(self) -> Range {
        Range {
            low: self.high.and_then(Value::checked_neg),
            high: self.low.and_then(Value::checked_neg),
            congruence: self.congruence.negated(),
        }
    }

    /// The values of an operator for operands of these ranges.
    pub fn apply(op: BinaryOp, left: Range, right: Range) -> Range {
        use BinaryOp::*;
        let bool_of =
            |decided: Option<bool>| decided.map_or(Range::BOOL, |holds| Range::only(Value::from(holds)));
        let (yes, no) = (Some(1), Some(0));
        match op {
            Add => left.plus(right),
            Sub => left.minus(right),
            Mul => left.times(right),
            Div => left.divided_by(right),
            Rem => left.remainder_by(right),
            BitAnd => left.bits_in_both(right),
            BitOr | BitXor => left.bits_in_any(right),
            Shl => right.power_of_two().map_or(Range::ALL, |factor| left.times(Range::only(factor))),
            Shr => left.shifted_down(right),
            Lt => bool_of(left.is_below(right)),
            Ge => bool_of(left.is_below(right).map(|holds| !holds)),
            Gt => bool_of(right.is_below(left)),
            Le => bool_of(right.is_below(left).map(|holds| !holds)),
            Eq => bool_of(left.equals(right)),
            Ne => bool_of(left.equals(right).map(|holds| !holds)),
            And if left.single() == no || right.single() == no => Range::only(0),
            And if left.single() == yes && right.single() == yes => Range::only(1),
            Or if left.single() == yes || right.single() == yes => Range::only(1),
            Or if left.single() == no && right.single() == no => Range::only(0),
            Implies if left.single() == no || right.single() == yes => Range::only(1),
            Implies if left.single() == yes && right.single() == no => Range::only(0),
            And | Or | Implies => Range::BOOL,
        }
    }

    /// `self - other`.
    pub fn minus(self, other: Range) -> Range {
        self.plus(other.negated())
    }

    /// `self + other`.
    pub fn plus(self, other: Range) -> Range {
        let sum = |left: Option<Value>, right: Option<Value>| left?.checked_add(right?);
        let congruence = self.congruence.plus(other.congruence);
        Self::made(sum(self.low, other.low), sum(self.high, other.high), congruence)
    }

    fn times(self, other: Range) -> Range {
        let corners = || {
            let ends = [
                (self.low?, other.low?),
                (self.low?, other.high?),
                (self.high?, other.low?),
                (self.high?, other.high?),
            ];
            ends.into_iter().map(|(left, right)| left.checked_mul(right)).collect::<Option<Vec<Value>>>()
        };
        let corners = corners().unwrap_or_default();
        let (low, high) = (corners.iter().min().copied(), corners.iter().max().copied());
        Self::made(low, high, self.congruence.times(other.congruence))
    }

    fn is_natural(self) -> bool {
        self.low.is_some_and(|low| low >= 0)
    }

    /// Division that rounds towards zero. By zero there is no result.
    fn divided_by(self, divisor: Range) -> Range {
        match divisor.single() {
            Some(number) if number > 0 => {
                let divided = |bound: Option<Value>| bound.map(|bound| bound / number);
                Self::made(divided(self.low), divided(self.high), Congruence::ALL)
            }
            _ if self.is_natural() && divisor.is_natural() => Self::made(Some(0), self.high, Congruence::ALL),
            _ => Range::ALL,
        }
    }

    /// The remainder has the sign of the dividend, and is no further from zero.
    fn remainder_by(self, divisor: Range) -> Range {
        let Some(number) = divisor.single().and_then(Value::checked_abs).filter(|&number| number > 0) else {
            return if self.is_natural() {
                Self::made(Some(0), self.high, Congruence::ALL)
            } else {
                Range::ALL
            };
        };
        let last = number - 1;
        if self.is_natural() && self.high.is_some_and(|high| high <= last) {
            return self;
        }
        match self.congruence.remainder(number) {
            Some(remainder) if remainder == 0 || self.is_natural() => return Range::only(remainder),
            _ => {}
        }
        let low = if self.is_natural() { 0 } else { self.low.map_or(-last, |low| low.max(-last)) };
        let high = self.high.map_or(last, |high| high.clamp(0, last));
        Self::made(Some(low), Some(high), self.congruence.modulo(number))
    }

    /// A number that is not negative has no more bits in common with another than it has.
    fn bits_in_both(self, other: Range) -> Range {
        let naturals = [self, other].into_iter().filter(|range| range.is_natural());
        match naturals.map(|range| range.high).reduce(|left, right| tighter(left, right, Value::min)) {
            Some(high) => Self::made(Some(0), high, Congruence::ALL),
            None => Range::ALL,
        }
    }

    fn bits_in_any(self, other: Range) -> Range {
        if !self.is_natural() || !other.is_natural() {
            return Range::ALL;
        }
        let all_ones = |number: Value| Value::MAX >> (number.leading_zeros() - 1);
        let high = self.high.zip(other.high).map(|(left, right)| all_ones(left | right | 1));
        Self::made(Some(0), high, Congruence::ALL)
    }

    fn shifted_down(self, by: Range) -> Range {
        match by.single() {
            Some(by @ 0..64) => {
                let shifted = |bound: Option<Value>| bound.map(|bound| bound >> by);
                Self::made(shifted(self.low), shifted(self.high), Congruence::ALL)
            }
            _ if self.is_natural() => Self::made(Some(0), self.high, Congruence::ALL),
            _ => Range::ALL,
        }
    }

    fn power_of_two(self) -> Option<Value> {
        self.single().filter(|by| (0..64).contains(by)).map(|by| 1 << by)
    }

    /// Whether each value is less than each of the other, or none is than any.
    fn is_below(self, other: Range) -> Option<bool> {
        let always = self.high.zip(other.low).is_some_and(|(high, low)| high < low);
        let never = self.low.zip(other.high).is_some_and(|(low, high)| low >= high);
        if always || never { Some(always) } else { None }
    }

    fn equals(self, other: Range) -> Option<bool> {
        match (self.single(), other.single()) {
            (Some(left), Some(right)) => Some(left == right),
            _ if self.intersection(other).is_none() => Some(false),
            _ => None,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => return write!(f, "{low}"),
            (Some(low), Some(high)) => write!(f, "{low} to {high}")?,
            (Some(low), None) => write!(f, "at least {low}")?,
            (None, Some(high)) => write!(f, "at most {high}")?,
            (None, None) => write!(f, "any number")?,
        }
        match self.congruence.classes() {
            Some((modulus, residue)) => write!(f, ", with the remainder {residue} of {modulus}"),
            None => Ok(()),
        }
    }
}

/// The tighter one of two bounds.
fn tighter(left: Option<Value>, right: Option<Value>, choose: fn(Value, Value) -> Value) -> Option<Value> {
    left.zip(right).map(|(left, right)| choose(left, right)).or(left).or(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::apply_binary;

    /// Bounds and steps of many kinds, each with its values from -16 to 16.
    fn all() -> Vec<(Range, Vec<Value>)> {
        let bounds = [None, Some(-5), Some(-1), Some(0), Some(1), Some(3), Some(8)];
        let steps = [
            Congruence::ALL,
            Congruence::only(0).hull(Congruence::only(2)),
            Congruence::only(1).hull(Congruence::only(4)),
        ];
        let mut ranges = Vec::new();
        for (low, high) in bounds.iter().flat_map(|low| bounds.iter().map(move |high| (*low, *high))) {
            if low.zip(high).is_none_or(|(low, high)| low <= high) {
                ranges.extend(steps.iter().filter_map(|&steps| Range::new(low, high, steps)));
            }
        }
        let values = |range: Range| (-16..=16).filter(|&value| contains(range, value)).collect();
        ranges.into_iter().map(|range| (range, values(range))).collect()
    }

    fn contains(range: Range, value: Value) -> bool {
        range.intersection(Range::only(value)).is_some()
    }

    #[test]
    fn operators_contain_what_they_compute() {
        use BinaryOp::*;
        let all = all();
        for op in [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Lt, Le, Gt, Ge, Eq, Ne] {
            for ((left, left_values), (right, right_values)) in
                all.iter().flat_map(|left| all.iter().map(move |right| (left, right)))
            {
                let result = Range::apply(op, *left, *right);
                for (&x, &y) in left_values.iter().flat_map(|x| right_values.iter().map(move |y| (x, y))) {
                    if let Ok(value) = apply_binary(op, x, y) {
                        assert!(
                            contains(result, value),
                            "{op:?} of {x} in {left:?} and {y} in {right:?}: {value} is not in {result:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn joins_and_meets_contain_their_parts() {
        let all = all();
        let byte = IntType { bits: 3, signed: true };
        for ((left, left_values), (right, right_values)) in
            all.iter().flat_map(|left| all.iter().map(move |right| (left, right)))
        {
            for &value in left_values {
                assert!(contains(left.hull(*right), value) && contains(right.widened(*left), value));
                assert!(contains(left.wrapped(byte), byte.wrap(value)), "{value} in {left:?}");
                assert!(contains(left.negated(), -value));
                let both = right_values.contains(&value);
                assert!(!both || left.intersection(*right).is_some_and(|both| contains(both, value)));
                let other = right.single().filter(|&other| other != value);
                assert!(
                    other.is_none_or(|other| left.without(other).is_some_and(|rest| contains(rest, value)))
                );
            }
        }
    }

    #[track_caller]
    fn check(op: BinaryOp, left: (Value, Value), right: Value, expected: (Value, Value)) {
        let between = |(low, high)| Range::made(Some(low), Some(high), Congruence::ALL);
        let result = Range::apply(op, between(left), Range::only(right));
        assert_eq!((result.low(), result.high()), (Some(expected.0), Some(expected.1)));
    }

    #[test]
    fn ranges_can_be_read() {
        let odd = Range::only(1).hull(Range::only(3));
        assert_eq!(odd.to_string(), "1 to 3, with the remainder 1 of 2");
        assert_eq!(odd.widened(Range::only(7)).to_string(), "at least 1, with the remainder 1 of 2");
        assert_eq!([Range::BOOL, Range::only(-4)].map(|range| range.to_string()), ["0 to 1", "-4"]);
        assert_eq!(Range::between(None, Some(5)).to_string(), "at most 5");
        assert_eq!(Range::ALL.to_string(), "any number");
    }

    #[test]
    fn results_are_no_larger_than_they_must_be() {
        check(BinaryOp::Rem, (0, 100), 5, (0, 4));
        check(BinaryOp::Rem, (-100, 3), 5, (-4, 3));
        check(BinaryOp::Rem, (1, 3), 5, (1, 3));
        check(BinaryOp::Div, (-7, 9), 2, (-3, 4));
        check(BinaryOp::BitAnd, (-7, 900), 12, (0, 12));
        check(BinaryOp::BitOr, (0, 9), 3, (0, 15));
        check(BinaryOp::Shr, (-7, 9), 1, (-4, 4));
        check(BinaryOp::Shl, (-7, 9), 1, (-14, 18));
        let quadruple = Range::ALL.times(Range::only(4));
        assert_eq!(Range::apply(BinaryOp::Rem, quadruple, Range::only(4)), Range::only(0));
        let odd = quadruple.plus(Range::only(1)).intersection(Range::between(Some(2), Some(64)));
        assert_eq!(odd.map(|odd| (odd.low(), odd.high())), Some((Some(5), Some(61))));
    }
}
