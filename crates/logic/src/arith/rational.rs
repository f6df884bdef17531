//! Exact fractions, always reduced, with a positive denominator.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use super::{Integer, ParseNumberError};

/// An exact rational number.
///
/// ```
/// use rely_logic::{Integer, Rational};
///
/// let half = Rational::new(Integer::from(2), Integer::from(4)).unwrap();
/// assert_eq!(half.to_string(), "1/2");
/// assert_eq!((&half + &half).to_integer(), Some(Integer::ONE));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Integer,
    denominator: Integer,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { numerator: Integer::ZERO, denominator: Integer::ONE };
    /// One.
    pub const ONE: Rational = Rational { numerator: Integer::ONE, denominator: Integer::ONE };

    /// The reduced fraction; `None` if the denominator is zero.
    pub fn new(numerator: Integer, denominator: Integer) -> Option<Self> {
        if denominator.is_zero() {
            return None;
        }
        let (numerator, denominator) =
            if denominator.is_negative() { (-numerator, -denominator) } else { (numerator, denominator) };
        Some(Self::reduce(numerator, denominator))
    }

    /// Reduces a fraction whose denominator is positive.
    fn reduce(numerator: Integer, denominator: Integer) -> Self {
        if denominator.is_one() {
            return Rational { numerator, denominator };
        }
        let divisor = numerator.gcd(&denominator);
        if divisor.is_one() {
            return Rational { numerator, denominator };
        }
        let exact = |value: Integer| value.div_exact(&divisor).unwrap_or(value);
        Rational { numerator: exact(numerator), denominator: exact(denominator) }
    }

    /// The numerator of the reduced fraction.
    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    /// The denominator of the reduced fraction, which is positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Whether this is an integer.
    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// The value as an integer, if it is one.
    pub fn to_integer(&self) -> Option<Integer> {
        self.is_integer().then(|| self.numerator.clone())
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        self.numerator.signum()
    }

    /// The greatest integer that is not above this.
    pub fn floor(&self) -> Integer {
        self.numerator.div_floor(&self.denominator).unwrap_or_default()
    }

    /// The least integer that is not below this.
    pub fn ceil(&self) -> Integer {
        self.numerator.div_ceil(&self.denominator).unwrap_or_default()
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        Rational { numerator: self.numerator.abs(), denominator: self.denominator.clone() }
    }

    /// One over this; `None` for zero.
    pub fn recip(&self) -> Option<Rational> {
        Rational::new(self.denominator.clone(), self.numerator.clone())
    }

    /// The quotient; `None` for the divisor zero.
    pub fn checked_div(&self, divisor: &Rational) -> Option<Rational> {
        Some(self * &divisor.recip()?)
    }
}

impl From<Integer> for Rational {
    fn from(value: Integer) -> Self {
        Rational { numerator: value, denominator: Integer::ONE }
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational::from(Integer::from(value))
    }
}

impl Add<&Rational> for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        if self.denominator == other.denominator {
            return Rational::reduce(&self.numerator + &other.numerator, self.denominator.clone());
        }
        Rational::reduce(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Sub<&Rational> for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul<&Rational> for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        Rational::reduce(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

macro_rules! owned_operation {
    ($Trait:ident, $method:ident, $AssignTrait:ident, $assign:ident) => {
        impl $Trait<Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                (&self).$method(&other)
            }
        }
        impl $AssignTrait<&Rational> for Rational {
            fn $assign(&mut self, other: &Rational) {
                *self = (&*self).$method(other);
            }
        }
    };
}
owned_operation!(Add, add, AddAssign, add_assign);
owned_operation!(Sub, sub, SubAssign, sub_assign);
owned_operation!(Mul, mul, MulAssign, mul_assign);

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Rational {
    type Err = ParseNumberError;
    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        Rational::new(numerator.parse()?, denominator.parse()?)
            .ok_or_else(|| ParseNumberError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_rational() -> impl Strategy<Value = Rational> {
        let part = prop_oneof![(-9i128..=9), any::<i64>().prop_map(i128::from), any::<i128>()];
        (part.clone(), part).prop_filter_map("a denominator of zero", |(numerator, denominator)| {
            Rational::new(Integer::from(numerator), Integer::from(denominator))
        })
    }

    fn check_reduced(value: &Rational) {
        assert!(value.denominator().is_positive());
        assert!(value.numerator().gcd(value.denominator()).is_one());
    }

    proptest! {
        #[test]
        fn field_laws(a in any_rational(), b in any_rational(), c in any_rational()) {
            for value in [&a + &b, &a - &b, &a * &b, -&a] {
                check_reduced(&value);
            }
            prop_assert_eq!(&(&a + &b) * &c, &(&a * &c) + &(&b * &c));
            prop_assert_eq!(&(&a - &b) + &b, a.clone());
            if let Some(quotient) = a.checked_div(&b) {
                prop_assert_eq!(&quotient * &b, a.clone());
            }
            prop_assert_eq!(a.cmp(&b), (&a - &b).signum().cmp(&0));
        }

        #[test]
        fn floor_and_ceil_enclose(a in any_rational()) {
            let (floor, ceil) = (Rational::from(a.floor()), Rational::from(a.ceil()));
            prop_assert!(floor <= a && a < &floor + &Rational::ONE);
            prop_assert!(ceil >= a && a > &ceil - &Rational::ONE);
            prop_assert_eq!(a.to_string().parse::<Rational>().unwrap(), a);
        }
    }

    #[test]
    fn a_denominator_of_zero_is_no_number() {
        assert_eq!(Rational::new(Integer::ONE, Integer::ZERO), None);
        assert!("1/0".parse::<Rational>().is_err());
        assert_eq!(Rational::ZERO.recip(), None);
    }
}
