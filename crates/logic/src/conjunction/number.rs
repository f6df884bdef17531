//! The numbers a tableau is made of.
//!
//! The solver is written once and runs on machine words; when a result does not fit, the whole
//! question is asked again on integers of any size. [`Overflow`] carries that request upwards.

use std::fmt::Debug;
use std::hash::Hash;

use crate::arith::{Integer, gcd_u64};

/// A result did not fit the number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

/// Exact integers, of which some types have only finitely many.
pub(super) trait Number: Clone + Ord + Hash + Default + Debug {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    fn from_integer(value: &Integer) -> Result<Self, Overflow>;
    fn to_integer(&self) -> Integer;
    fn signum(&self) -> i32;

    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
    fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// Whether this is one or minus one.
    fn is_unit(&self) -> bool;
    fn neg(&self) -> Result<Self, Overflow>;
    fn sub(&self, other: &Self) -> Result<Self, Overflow>;
    fn mul(&self, other: &Self) -> Result<Self, Overflow>;
    /// `self + factor * other`.
    fn add_mul(&self, factor: &Self, other: &Self) -> Result<Self, Overflow>;
    /// `scale * self + factor * other`.
    fn scale_add_mul(&self, scale: &Self, factor: &Self, other: &Self) -> Result<Self, Overflow>;
    /// The greatest common divisor, never negative.
    fn gcd(&self, other: &Self) -> Result<Self, Overflow>;
    /// The quotient by a positive number that is known to divide this one.
    fn div_exact(&self, divisor: &Self) -> Self;
    /// The quotient by a positive number, rounded down.
    fn div_floor(&self, divisor: &Self) -> Self;
    /// How many machine words the number takes.
    fn words(&self) -> u64;
    /// The remainder, `0 <= remainder < divisor`, for a positive divisor.
    fn rem_floor(&self, divisor: &Self) -> Self;
}

impl Number for i64 {
    const ZERO: i64 = 0;
    const ONE: i64 = 1;

    fn from_integer(value: &Integer) -> Result<i64, Overflow> {
        value.to_i64().ok_or(Overflow)
    }
    fn to_integer(&self) -> Integer {
        Integer::from(*self)
    }
    #[inline]
    fn signum(&self) -> i32 {
        i64::signum(*self) as i32
    }
    #[inline]
    fn is_unit(&self) -> bool {
        matches!(self, 1 | -1)
    }
    #[inline]
    fn neg(&self) -> Result<i64, Overflow> {
        self.checked_neg().ok_or(Overflow)
    }
    #[inline]
    fn sub(&self, other: &i64) -> Result<i64, Overflow> {
        self.checked_sub(*other).ok_or(Overflow)
    }
    #[inline]
    fn mul(&self, other: &i64) -> Result<i64, Overflow> {
        self.checked_mul(*other).ok_or(Overflow)
    }
    #[inline]
    fn add_mul(&self, factor: &i64, other: &i64) -> Result<i64, Overflow> {
        factor.checked_mul(*other).and_then(|product| self.checked_add(product)).ok_or(Overflow)
    }
    #[inline]
    fn scale_add_mul(&self, scale: &i64, factor: &i64, other: &i64) -> Result<i64, Overflow> {
        let scaled = self.checked_mul(*scale).ok_or(Overflow)?;
        scaled.add_mul(factor, other)
    }
    #[inline]
    fn gcd(&self, other: &i64) -> Result<i64, Overflow> {
        i64::try_from(gcd_u64(self.unsigned_abs(), other.unsigned_abs())).map_err(|_| Overflow)
    }
    #[inline]
    fn div_exact(&self, divisor: &i64) -> i64 {
        self / divisor
    }
    #[inline]
    fn div_floor(&self, divisor: &i64) -> i64 {
        self.div_euclid(*divisor)
    }
    #[inline]
    fn words(&self) -> u64 {
        1
    }
    #[inline]
    fn rem_floor(&self, divisor: &i64) -> i64 {
        self.rem_euclid(*divisor)
    }
}

impl Number for Integer {
    const ZERO: Integer = Integer::ZERO;
    const ONE: Integer = Integer::ONE;

    fn from_integer(value: &Integer) -> Result<Integer, Overflow> {
        Ok(value.clone())
    }
    fn to_integer(&self) -> Integer {
        self.clone()
    }
    fn signum(&self) -> i32 {
        Integer::signum(self)
    }
    fn is_unit(&self) -> bool {
        Integer::is_unit(self)
    }
    fn neg(&self) -> Result<Integer, Overflow> {
        Ok(-self)
    }
    fn sub(&self, other: &Integer) -> Result<Integer, Overflow> {
        Ok(self - other)
    }
    fn mul(&self, other: &Integer) -> Result<Integer, Overflow> {
        Ok(self * other)
    }
    fn add_mul(&self, factor: &Integer, other: &Integer) -> Result<Integer, Overflow> {
        Ok(self + factor * other)
    }
    fn scale_add_mul(&self, scale: &Integer, factor: &Integer, other: &Integer) -> Result<Integer, Overflow> {
        Ok(self * scale + factor * other)
    }
    fn gcd(&self, other: &Integer) -> Result<Integer, Overflow> {
        Ok(Integer::gcd(self, other))
    }
    fn div_exact(&self, divisor: &Integer) -> Integer {
        Integer::div_floor(self, divisor).unwrap_or_default()
    }
    fn div_floor(&self, divisor: &Integer) -> Integer {
        Integer::div_floor(self, divisor).unwrap_or_default()
    }
    fn words(&self) -> u64 {
        Integer::words(self)
    }
    fn rem_floor(&self, divisor: &Integer) -> Integer {
        self.div_rem_euclid(divisor).unwrap_or_default().1
    }
}
