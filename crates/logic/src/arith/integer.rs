//! Mathematical integers that live in a machine word while they fit.
//!
//! The representation is canonical: a value that fits an `i64` is always stored as one, so
//! equality and hashing are structural. Every operation on words is checked; the overflow
//! path goes through arbitrary precision and shrinks back when it can.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest, DivRemEuclid, Gcd};

/// An integer of any size.
///
/// ```
/// use rely_logic::Integer;
///
/// let big = Integer::from(i64::MAX) + Integer::from(1);
/// assert_eq!(big.to_string(), "9223372036854775808");
/// assert_eq!((big - Integer::from(1)).to_i64(), Some(i64::MAX));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

/// `Big` never holds a value that fits an `i64`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<IBig>),
}

/// A text that is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number")]
pub struct ParseNumberError(pub(super) String);

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Repr::Small(0));
    /// One.
    pub const ONE: Integer = Integer(Repr::Small(1));
    /// Minus one.
    pub const MINUS_ONE: Integer = Integer(Repr::Small(-1));

    /// The canonical integer with this value.
    pub fn from_big(value: IBig) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Integer(Repr::Small(small)),
            Err(_) => Integer(Repr::Big(Box::new(value))),
        }
    }

    /// The value in arbitrary precision.
    pub fn to_big(&self) -> IBig {
        match &self.0 {
            Repr::Small(value) => IBig::from(*value),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// The value as a machine word, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Big(_) => None,
        }
    }

    /// How many machine words the value takes, a measure of what working with it costs.
    pub fn words(&self) -> u64 {
        match &self.0 {
            Repr::Small(_) => 1,
            Repr::Big(value) => value.bit_len() as u64 / 64 + 1,
        }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether this is one.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// Whether this is one or minus one.
    pub fn is_unit(&self) -> bool {
        matches!(self.0, Repr::Small(1 | -1))
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(value) => value.signum() as i32,
            Repr::Big(value) if **value > IBig::ZERO => 1,
            Repr::Big(_) => -1,
        }
    }

    /// Whether this is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether this is less than zero.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Integer {
        match &self.0 {
            Repr::Small(value) => match value.checked_abs() {
                Some(value) => Integer(Repr::Small(value)),
                None => Integer::from_big(IBig::from(*value).abs()),
            },
            Repr::Big(value) => Integer::from_big((**value).clone().abs()),
        }
    }

    /// The greatest common divisor, never negative; `gcd(0, 0)` is 0.
    pub fn gcd(&self, other: &Integer) -> Integer {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => {
                Integer::from(gcd_u64(left.unsigned_abs(), right.unsigned_abs()))
            }
            _ if self.is_zero() => other.abs(),
            _ if other.is_zero() => self.abs(),
            _ => Integer::from_big(IBig::from(self.to_big().gcd(other.to_big()))),
        }
    }

    /// Quotient and remainder with `0 <= remainder < |divisor|`, as SMT-LIB defines `div` and
    /// `mod`; `None` for the divisor zero.
    pub fn div_rem_euclid(&self, divisor: &Integer) -> Option<(Integer, Integer)> {
        if divisor.is_zero() {
            return None;
        }
        if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &divisor.0)
            && let Some(quotient) = left.checked_div_euclid(*right)
        {
            return Some((Integer(Repr::Small(quotient)), Integer(Repr::Small(left.rem_euclid(*right)))));
        }
        let (quotient, remainder) = self.to_big().div_rem_euclid(divisor.to_big());
        Some((Integer::from_big(quotient), Integer::from_big(IBig::from(remainder))))
    }

    /// The greatest integer at most `self / divisor`; `None` for the divisor zero.
    pub fn div_floor(&self, divisor: &Integer) -> Option<Integer> {
        let (quotient, remainder) = self.div_rem_euclid(divisor)?;
        Some(if divisor.is_negative() && !remainder.is_zero() { quotient - Integer::ONE } else { quotient })
    }

    /// The least integer at least `self / divisor`; `None` for the divisor zero.
    pub fn div_ceil(&self, divisor: &Integer) -> Option<Integer> {
        let (quotient, remainder) = self.div_rem_euclid(divisor)?;
        Some(if divisor.is_positive() && !remainder.is_zero() { quotient + Integer::ONE } else { quotient })
    }

    /// The quotient if `divisor` divides this, else `None`.
    pub fn div_exact(&self, divisor: &Integer) -> Option<Integer> {
        let (quotient, remainder) = self.div_rem_euclid(divisor)?;
        remainder.is_zero().then_some(quotient)
    }

    /// Whether `self` is a multiple of `divisor`; only zero is a multiple of zero.
    pub fn is_multiple_of(&self, divisor: &Integer) -> bool {
        match self.div_rem_euclid(divisor) {
            Some((_, remainder)) => remainder.is_zero(),
            None => self.is_zero(),
        }
    }

    /// `self` to the power of `exponent`.
    pub fn pow(&self, exponent: u32) -> Integer {
        match self.to_i64().and_then(|value| value.checked_pow(exponent)) {
            Some(value) => Integer(Repr::Small(value)),
            None => Integer::from_big(self.to_big().pow(exponent as usize)),
        }
    }
}

/// The greatest common divisor of two words by the binary algorithm.
pub(crate) fn gcd_u64(mut left: u64, mut right: u64) -> u64 {
    if left == 0 || right == 0 {
        return left | right;
    }
    let common_twos = (left | right).trailing_zeros();
    left >>= left.trailing_zeros();
    loop {
        right >>= right.trailing_zeros();
        if left > right {
            std::mem::swap(&mut left, &mut right);
        }
        right -= left;
        if right == 0 {
            return left << common_twos;
        }
    }
}

macro_rules! from_primitive {
    ($($small:ty)*; $($wide:ty)*) => {
        $(impl From<$small> for Integer {
            fn from(value: $small) -> Self {
                Integer(Repr::Small(i64::from(value)))
            }
        })*
        $(impl From<$wide> for Integer {
            fn from(value: $wide) -> Self {
                match i64::try_from(value) {
                    Ok(small) => Integer(Repr::Small(small)),
                    Err(_) => Integer(Repr::Big(Box::new(IBig::from(value)))),
                }
            }
        })*
    };
}
from_primitive!(i8 i16 i32 i64 u8 u16 u32; u64 usize i128 u128);

impl From<IBig> for Integer {
    fn from(value: IBig) -> Self {
        Integer::from_big(value)
    }
}

macro_rules! binary_operation {
    ($Trait:ident, $method:ident, $AssignTrait:ident, $assign:ident, $checked:ident) => {
        impl $Trait<&Integer> for &Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: &Integer) -> Integer {
                if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &other.0)
                    && let Some(value) = left.$checked(*right)
                {
                    return Integer(Repr::Small(value));
                }
                Integer::from_big($Trait::$method(self.to_big(), other.to_big()))
            }
        }
        impl $Trait<Integer> for Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: Integer) -> Integer {
                (&self).$method(&other)
            }
        }
        impl $Trait<&Integer> for Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: &Integer) -> Integer {
                (&self).$method(other)
            }
        }
        impl $Trait<Integer> for &Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: Integer) -> Integer {
                self.$method(&other)
            }
        }
        impl $AssignTrait<&Integer> for Integer {
            #[inline]
            fn $assign(&mut self, other: &Integer) {
                *self = (&*self).$method(other);
            }
        }
        impl $AssignTrait<Integer> for Integer {
            #[inline]
            fn $assign(&mut self, other: Integer) {
                *self = (&*self).$method(&other);
            }
        }
    };
}
binary_operation!(Add, add, AddAssign, add_assign, checked_add);
binary_operation!(Sub, sub, SubAssign, sub_assign, checked_sub);
binary_operation!(Mul, mul, MulAssign, mul_assign, checked_mul);

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        match &self.0 {
            Repr::Small(value) => match value.checked_neg() {
                Some(value) => Integer(Repr::Small(value)),
                None => Integer::from_big(-IBig::from(*value)),
            },
            Repr::Big(value) => Integer::from_big(-(**value).clone()),
        }
    }
}

impl Neg for Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        -&self
    }
}

impl Sum for Integer {
    fn sum<Items: Iterator<Item = Integer>>(items: Items) -> Integer {
        items.fold(Integer::ZERO, |total, item| total + item)
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => left.cmp(right),
            (Repr::Big(left), Repr::Big(right)) => left.cmp(right),
            // A big value lies outside the range of words, on the side of its sign.
            (Repr::Small(_), Repr::Big(_)) => 0.cmp(&other.signum()),
            (Repr::Big(_), Repr::Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl Default for Integer {
    fn default() -> Self {
        Integer::ZERO
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => fmt::Display::fmt(value, f),
            Repr::Big(value) => fmt::Display::fmt(value, f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Integer {
    type Err = ParseNumberError;
    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseNumberError(text.to_string()));
        }
        text.parse::<IBig>().map(Integer::from_big).map_err(|_| ParseNumberError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values around zero, around the ends of a word, and far beyond.
    pub(crate) fn any_integer() -> impl Strategy<Value = Integer> {
        prop_oneof![
            (-6i64..=6).prop_map(Integer::from),
            any::<i64>().prop_map(Integer::from),
            (0i64..4).prop_map(|offset| Integer::from(i64::MAX - offset)),
            (0i64..4).prop_map(|offset| Integer::from(i64::MIN + offset)),
            (any::<i128>(), any::<i64>()).prop_map(|(a, b)| Integer::from(a) * Integer::from(b)),
        ]
    }

    fn check_canonical(value: &Integer, expected: IBig) {
        assert_eq!(value.to_big(), expected);
        assert_eq!(value.to_i64().is_some(), i64::try_from(&expected).is_ok());
        assert_eq!(value, &Integer::from_big(expected));
    }

    proptest! {
        #[test]
        fn ring_operations_agree_with_arbitrary_precision(a in any_integer(), b in any_integer()) {
            check_canonical(&(&a + &b), a.to_big() + b.to_big());
            check_canonical(&(&a - &b), a.to_big() - b.to_big());
            check_canonical(&(&a * &b), a.to_big() * b.to_big());
            check_canonical(&-&a, -a.to_big());
            check_canonical(&a.abs(), a.to_big().abs());
            prop_assert_eq!(a.cmp(&b), a.to_big().cmp(&b.to_big()));
            prop_assert_eq!(a.signum(), a.to_big().cmp(&IBig::ZERO) as i32);
        }

        #[test]
        fn division_rounds_as_named(a in any_integer(), b in any_integer()) {
            prop_assume!(!b.is_zero());
            let (quotient, remainder) = a.div_rem_euclid(&b).unwrap();
            prop_assert_eq!(&quotient * &b + &remainder, a.clone());
            prop_assert!(!remainder.is_negative() && remainder < b.abs());
            let floor = a.div_floor(&b).unwrap();
            let ceil = a.div_ceil(&b).unwrap();
            // Compare `quotient * b` with `a` in the direction of b's sign.
            let sign = Integer::from(b.signum());
            prop_assert!(&floor * &b * &sign <= &a * &sign);
            prop_assert!((&floor + &Integer::ONE) * &b * &sign > &a * &sign);
            prop_assert_eq!(&ceil - &floor, Integer::from(i64::from(!a.is_multiple_of(&b))));
            prop_assert_eq!(a.div_exact(&b).is_some(), a.is_multiple_of(&b));
        }

        #[test]
        fn gcd_divides_and_text_round_trips(a in any_integer(), b in any_integer()) {
            let divisor = a.gcd(&b);
            if divisor.is_zero() {
                prop_assert!(a.is_zero() && b.is_zero());
            } else {
                prop_assert!(a.is_multiple_of(&divisor) && b.is_multiple_of(&divisor));
                let coprime = a.div_exact(&divisor).unwrap().gcd(&b.div_exact(&divisor).unwrap());
                prop_assert!(coprime.is_one());
            }
            prop_assert_eq!(a.to_string().parse::<Integer>().unwrap(), a);
        }
    }

    #[test]
    fn texts_that_are_no_integers_are_refused() {
        for text in ["", "-", "1_000", "0x10", "--1", "1.5", "+3"] {
            assert!(text.parse::<Integer>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_divisor_of_zero_has_no_quotient() {
        assert_eq!(Integer::ONE.div_rem_euclid(&Integer::ZERO), None);
        assert_eq!(Integer::ONE.div_floor(&Integer::ZERO), None);
        assert_eq!(Integer::ONE.div_exact(&Integer::ZERO), None);
    }
}
