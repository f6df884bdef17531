//! Linear spaces, with numbers modulo a large prime.
//!
//! Coefficients of invariants are small fractions. Modulo a prime they stay small while one computes with them, and are
//! recovered from their remainders in the end. Should one be wrong, the proof is refused where it is checked.

use rely_logic::{Integer, LinearForm, VarId};

pub(super) type Vector = Vec<u64>;

/// A linear space, by a basis in reduced echelon form.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    pub(super) rows: Vec<Vector>,
    pivots: Vec<usize>,
}

impl Space {
    /// Adds a vector; whether it was not there before.
    pub(super) fn insert(&mut self, mut vector: Vector) -> bool {
        for (row, &pivot) in self.rows.iter().zip(&self.pivots) {
            let factor = vector[pivot];
            subtract(&mut vector, factor, row);
        }
        let Some(pivot) = vector.iter().position(|&entry| entry != 0) else { return false };
        let inverse = inverted(vector[pivot]);
        vector.iter_mut().for_each(|entry| *entry = times(*entry, inverse));
        for row in &mut self.rows {
            let factor = row[pivot];
            subtract(row, factor, &vector);
        }
        self.rows.push(vector);
        self.pivots.push(pivot);
        true
    }

    /// A basis of the equations that all vectors satisfy.
    pub(super) fn annihilators(&self, size: usize) -> Vec<Vector> {
        let free = (0..size).filter(|position| !self.pivots.contains(position));
        let equation = |position: usize| {
            let mut equation = unit(position, size);
            for (row, &pivot) in self.rows.iter().zip(&self.pivots) {
                equation[pivot] = minus(0, row[position]);
            }
            equation
        };
        free.map(equation).collect()
    }
}

/// The prime: 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;
/// Numerators and denominators of coefficients are at most this large.
const LARGEST: u64 = 1 << 20;

pub(super) fn plus(left: u64, right: u64) -> u64 {
    (left + right) % PRIME
}

pub(super) fn minus(left: u64, right: u64) -> u64 {
    (left + PRIME - right) % PRIME
}

pub(super) fn times(left: u64, right: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(PRIME)) as u64
}

/// By Fermat's little theorem.
pub(super) fn inverted(number: u64) -> u64 {
    let (mut result, mut power, mut exponent) = (1, number, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, power);
        }
        power = times(power, power);
        exponent >>= 1;
    }
    result
}

pub(super) fn residue(number: &Integer) -> u64 {
    let number = number.to_i64().unwrap_or(0);
    i128::from(number).rem_euclid(i128::from(PRIME)) as u64
}

pub(super) fn unit(position: usize, size: usize) -> Vector {
    (0..size).map(|index| u64::from(index == position)).collect()
}

pub(super) fn padded(row: &Vector, size: usize) -> Vector {
    row.iter().copied().chain(std::iter::repeat(0)).take(size).collect()
}

pub(super) fn product(covector: &[u64], vector: &[u64]) -> u64 {
    let terms = covector.iter().zip(vector).filter(|(left, right)| **left != 0 && **right != 0);
    terms.fold(0, |sum, (&left, &right)| plus(sum, times(left, right)))
}

pub(super) fn subtract(row: &mut Vector, factor: u64, other: &Vector) {
    if factor != 0 {
        for (entry, other) in row.iter_mut().zip(other).filter(|(_, other)| **other != 0) {
            *entry = minus(*entry, times(factor, *other));
        }
    }
}

/// The fraction with a small numerator and denominator that has a remainder, by the extended Euclidean algorithm.
fn fraction(remainder: u64) -> Option<(i64, i64)> {
    let (mut low, mut high) = (i128::from(PRIME), i128::from(remainder));
    let (mut before, mut denominator) = (0_i128, 1_i128);
    while high > i128::from(LARGEST) {
        let quotient = low / high;
        (low, high) = (high, low - quotient * high);
        (before, denominator) = (denominator, before - quotient * denominator);
    }
    let _ = low;
    let sign = if denominator < 0 { -1 } else { 1 };
    let fits = denominator.unsigned_abs() <= u128::from(LARGEST);
    fits.then_some(((sign * high) as i64, (sign * denominator) as i64))
}

/// An equation with integer coefficients.
pub(super) fn recovered(equation: &Vector, names: &[Option<VarId>]) -> Option<LinearForm> {
    let fractions = equation.iter().map(|&entry| fraction(entry)).collect::<Option<Vec<_>>>()?;
    let common = fractions.iter().try_fold(1_i64, |common, &(_, denominator)| {
        common.checked_mul(denominator / divisor(common, denominator))
    })?;
    let integer = |&(numerator, denominator): &(i64, i64)| numerator.checked_mul(common / denominator);
    let integers = fractions.iter().map(integer).collect::<Option<Vec<i64>>>()?;
    let terms = integers.iter().zip(names).filter_map(|(&factor, name)| Some(((*name)?, factor)));
    Some(LinearForm::new(terms.collect::<Vec<_>>(), integers[0]))
}

fn divisor(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { divisor(right, left % right) }
}
