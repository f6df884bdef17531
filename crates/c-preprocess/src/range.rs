//! Numbers of `#if` that need not be known exactly.
//!
//! Headers ask for the compiler's version and for what it can do, mostly in ways that do not
//! depend on the details: `__GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ > 2)` holds for any
//! compiler of version 12. So a value is a range. A condition whose range has both zero and
//! other numbers is not decided here.
//!
//! Unlike other ranges of the project these wrap around at 64 bits and know whether they are unsigned, as the
//! preprocessor's numbers do, and this crate knows no programs.

use crate::Declined;

/// All numbers from `low` to `high`, as 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    low: i128,
    high: i128,
    is_unsigned: bool,
}

/// What is known about a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    Unknown,
}

/// Operators with two operands that are always both evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

const SIGNED: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED: (i128, i128) = (0, u64::MAX as i128);
const OVERFLOW: Declined = Declined::Error("an overflow in a condition");

impl Range {
    pub(crate) fn signed(value: i64) -> Self {
        Self { low: value.into(), high: value.into(), is_unsigned: false }
    }

    pub(crate) fn unsigned(value: u64) -> Self {
        Self { low: value.into(), high: value.into(), is_unsigned: true }
    }

    pub(crate) fn truth_value(value: bool) -> Self {
        Self::signed(value.into())
    }

    /// Any number from zero to this one.
    pub(crate) fn at_most(high: i64) -> Self {
        Self { low: 0, high: high.into(), is_unsigned: false }
    }

    fn of_truth(truth: Truth) -> Self {
        match truth {
            Truth::Yes => Self::truth_value(true),
            Truth::No => Self::truth_value(false),
            Truth::Unknown => Self::at_most(1),
        }
    }

    fn limits(is_unsigned: bool) -> (i128, i128) {
        if is_unsigned { UNSIGNED } else { SIGNED }
    }

    fn anything(is_unsigned: bool) -> Self {
        let (low, high) = Self::limits(is_unsigned);
        Self { low, high, is_unsigned }
    }

    fn exact(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(crate) fn truth(self) -> Truth {
        match (self.low, self.high) {
            (0, 0) => Truth::No,
            (low, high) if low > 0 || high < 0 => Truth::Yes,
            _ => Truth::Unknown,
        }
    }

    pub(crate) fn not(self) -> Self {
        Self::of_truth(match self.truth() {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        })
    }

    /// `&&`; the right operand is evaluated even if it does not matter, and then ignored.
    pub(crate) fn and(self, right: Self) -> Self {
        Self::of_truth(match (self.truth(), right.truth()) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Unknown,
        })
    }

    pub(crate) fn or(self, right: Self) -> Self {
        Self::of_truth(match (self.truth(), right.truth()) {
            (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
            (Truth::No, Truth::No) => Truth::No,
            _ => Truth::Unknown,
        })
    }

    /// `self ? then : otherwise`
    pub(crate) fn choose(self, then: Self, otherwise: Self) -> Self {
        let is_unsigned = then.is_unsigned || otherwise.is_unsigned;
        let (then, otherwise) = (then.convert(is_unsigned), otherwise.convert(is_unsigned));
        match self.truth() {
            Truth::Yes => then,
            Truth::No => otherwise,
            Truth::Unknown => {
                let (low, high) = (then.low.min(otherwise.low), then.high.max(otherwise.high));
                Self { low, high, is_unsigned }
            }
        }
    }

    /// The same bits as another type.
    fn convert(self, is_unsigned: bool) -> Self {
        let (low, high) = Self::limits(is_unsigned);
        if self.low >= low && self.high <= high {
            return Self { is_unsigned, ..self };
        }
        match self.exact() {
            Some(value) if is_unsigned => Self::unsigned(value as u64),
            Some(value) => Self::signed(value as i64),
            None => Self::anything(is_unsigned),
        }
    }

    /// A result that must fit if its type is signed, and wraps if it is not.
    fn result(low: i128, high: i128, is_unsigned: bool) -> Result<Self, Declined> {
        let (least, greatest) = Self::limits(is_unsigned);
        match (low >= least && high <= greatest, is_unsigned) {
            (true, _) => Ok(Self { low, high, is_unsigned }),
            (false, true) if low == high => Ok(Self::unsigned(low as u64)),
            (false, true) => Ok(Self::anything(true)),
            (false, false) => Err(OVERFLOW),
        }
    }

    pub(crate) fn complement(self) -> Self {
        match (self.exact(), self.is_unsigned) {
            (Some(value), true) => Self::unsigned(!(value as u64)),
            (Some(value), false) => Self::signed(!(value as i64)),
            (None, is_unsigned) => Self::anything(is_unsigned),
        }
    }

    pub(crate) fn binary(self, operator: Binary, right: Self) -> Result<Self, Declined> {
        if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) {
            return self.shift(operator, right);
        }
        let is_unsigned = self.is_unsigned || right.is_unsigned;
        let (a, b) = (self.convert(is_unsigned), right.convert(is_unsigned));
        match operator {
            Binary::Add => Self::result(a.low + b.low, a.high + b.high, is_unsigned),
            Binary::Subtract => Self::result(a.low - b.high, a.high - b.low, is_unsigned),
            Binary::Less => Ok(a.is_less(b)),
            Binary::GreaterEqual => Ok(a.is_less(b).not()),
            Binary::Greater => Ok(b.is_less(a)),
            Binary::LessEqual => Ok(b.is_less(a).not()),
            Binary::Equal => Ok(a.is_equal(b)),
            Binary::NotEqual => Ok(a.is_equal(b).not()),
            _ => match (a.exact(), b.exact()) {
                (Some(a), Some(b)) => Self::compute(operator, a, b, is_unsigned),
                _ => Ok(Self::anything(is_unsigned)),
            },
        }
    }

    fn compute(operator: Binary, a: i128, b: i128, is_unsigned: bool) -> Result<Self, Declined> {
        let value = match operator {
            Binary::Multiply => a.checked_mul(b).ok_or(OVERFLOW)?,
            Binary::Divide | Binary::Remainder if b == 0 => {
                return Err(Declined::Error("a division by zero in a condition"));
            }
            Binary::Divide => a / b,
            Binary::Remainder => a % b,
            Binary::And => a & b,
            Binary::Or => a | b,
            _ => a ^ b,
        };
        Self::result(value, value, is_unsigned)
    }

    fn is_less(self, right: Self) -> Self {
        Self::of_truth(if self.high < right.low {
            Truth::Yes
        } else if self.low >= right.high {
            Truth::No
        } else {
            Truth::Unknown
        })
    }

    fn is_equal(self, right: Self) -> Self {
        Self::of_truth(match (self.exact(), right.exact()) {
            (Some(a), Some(b)) if a == b => Truth::Yes,
            _ if self.high < right.low || right.high < self.low => Truth::No,
            _ => Truth::Unknown,
        })
    }

    /// The type is that of the left operand; only usual distances are computed.
    fn shift(self, operator: Binary, right: Self) -> Result<Self, Declined> {
        let distance = match right.exact() {
            Some(distance @ 0..=63) => distance as u32,
            _ => return Err(OVERFLOW),
        };
        match operator {
            Binary::ShiftLeft => Self::result(self.low << distance, self.high << distance, self.is_unsigned),
            _ => Ok(Self { low: self.low >> distance, high: self.high >> distance, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_without_their_details() {
        let version = |major: i64, minor: Range| {
            let major = Range::signed(major).binary(Binary::ShiftLeft, Range::signed(16));
            major.and_then(|major| major.binary(Binary::Add, minor)).expect("no overflow")
        };
        let ours = version(12, Range::at_most(20));
        let at_least = |major, minor| {
            ours.binary(Binary::GreaterEqual, version(major, Range::signed(minor))).map(Range::truth)
        };
        assert_eq!(at_least(4, 3), Ok(Truth::Yes));
        assert_eq!(at_least(12, 0), Ok(Truth::Yes));
        assert_eq!(at_least(12, 1), Ok(Truth::Unknown));
        assert_eq!(at_least(12, 21), Ok(Truth::No));
        assert_eq!(at_least(13, 0), Ok(Truth::No));
    }

    #[test]
    fn signs_follow_the_types() {
        let minus_one = Range::signed(-1);
        assert_eq!(minus_one.binary(Binary::Less, Range::signed(0)).map(Range::truth), Ok(Truth::Yes));
        assert_eq!(minus_one.binary(Binary::Less, Range::unsigned(0)).map(Range::truth), Ok(Truth::No));
        assert_eq!(Range::unsigned(0).complement(), Range::unsigned(u64::MAX));
        assert_eq!(
            Range::unsigned(0).binary(Binary::Subtract, Range::signed(1)),
            Ok(Range::unsigned(u64::MAX))
        );
        assert_eq!(Range::signed(i64::MAX).binary(Binary::Add, Range::signed(1)), Err(OVERFLOW));
        assert_eq!(Range::signed(-7).binary(Binary::Divide, Range::signed(2)), Ok(Range::signed(-3)));
    }

    #[test]
    fn unknown_operands_need_not_matter() {
        let unknown = Range::at_most(1);
        assert_eq!(unknown.or(Range::signed(2)).truth(), Truth::Yes);
        assert_eq!(unknown.and(Range::signed(0)).truth(), Truth::No);
        assert_eq!(unknown.and(Range::signed(2)).truth(), Truth::Unknown);
        assert_eq!(unknown.choose(Range::signed(3), Range::signed(4)).truth(), Truth::Yes);
        assert_eq!(unknown.not().truth(), Truth::Unknown);
    }
}
