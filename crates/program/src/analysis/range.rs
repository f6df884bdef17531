//! Ranges of integers, and what operators make of them.
//!
//! A range errs on one side: it may contain values that are never there. Booleans are 0 and 1.

use crate::expr::BinaryOp;
use crate::types::{Domain, IntType, Value};

/// The integers from `low` to `high`, both included; no bound where it is `None`. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: Option<Value>,
    pub(crate) high: Option<Value>,
}

impl Range {
    pub(crate) const ALL: Range = Range { low: None, high: None };
    pub(crate) const BOOL: Range = Range { low: Some(0), high: Some(1) };

    pub(crate) fn only(value: Value) -> Self {
        Self { low: Some(value), high: Some(value) }
    }

    pub(crate) fn of_domain(domain: Domain) -> Self {
        match domain {
            Domain::Bool => Self::BOOL,
            Domain::Range { low, high } => Self { low: Some(low), high: Some(high) },
            Domain::AllInts => Self::ALL,
        }
    }

    /// The only value in the range.
    pub(crate) fn single(self) -> Option<Value> {
        self.low.filter(|_| self.low == self.high)
    }

    /// Whether all values are ones of the type.
    pub(crate) fn fits(self, int_type: IntType) -> bool {
        self.low.is_some_and(|low| int_type.contains(low))
            && self.high.is_some_and(|high| int_type.contains(high))
    }

    /// The least range that contains both.
    pub(crate) fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.zip(other.low).map(|(left, right)| left.min(right)),
            high: self.high.zip(other.high).map(|(left, right)| left.max(right)),
        }
    }

    /// What is in both; `None` if nothing is.
    pub(crate) fn intersection(self, other: Range) -> Option<Range> {
        let tighter = |left: Option<Value>, right: Option<Value>, choose: fn(Value, Value) -> Value| {
            left.zip(right).map(|(left, right)| choose(left, right)).or(left).or(right)
        };
        let low = tighter(self.low, other.low, Value::max);
        let high = tighter(self.high, other.high, Value::min);
        let is_empty = low.zip(high).is_some_and(|(low, high)| low > high);
        (!is_empty).then_some(Range { low, high })
    }

    /// A range that contains both, without the bounds that had to move, so that no sequence of
    /// these goes on for ever.
    pub(crate) fn widened(self, other: Range) -> Range {
        let hull = self.hull(other);
        Range {
            low: self.low.filter(|_| hull.low == self.low),
            high: self.high.filter(|_| hull.high == self.high),
        }
    }

    pub(crate) fn negated(self) -> Range {
        Range { low: self.high.and_then(Value::checked_neg), high: self.low.and_then(Value::checked_neg) }
    }

    /// The values of an operator for operands of these ranges.
    pub(crate) fn apply(op: BinaryOp, left: Range, right: Range) -> Range {
        use BinaryOp::*;
        let bool_of =
            |decided: Option<bool>| decided.map_or(Range::BOOL, |holds| Range::only(Value::from(holds)));
        let (yes, no) = (Some(1), Some(0));
        match op {
            Add => left.plus(right),
            Sub => left.minus(right),
            Mul => left.times(right),
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
            Div | Rem | BitAnd | BitOr | BitXor | Shl | Shr => Range::ALL,
        }
    }

    /// `self - other`.
    pub(crate) fn minus(self, other: Range) -> Range {
        self.plus(other.negated())
    }

    fn plus(self, other: Range) -> Range {
        let sum = |left: Option<Value>, right: Option<Value>| left?.checked_add(right?);
        Range { low: sum(self.low, other.low), high: sum(self.high, other.high) }
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
        corners().map_or(Range::ALL, |corners| Range {
            low: corners.iter().min().copied(),
            high: corners.iter().max().copied(),
        })
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
