//! Reading a vertex of the rational relaxation: which values are no integers, which bounds hold
//! the vertex in place, and which combination of them can be rounded.

use super::model::Model;
use super::number::{Number, Overflow};
use super::simplex::{Bound, Place, Side, Simplex, Slot, combine, weighted};
use super::tableau::{Column, Row, Tableau};
use crate::arith::{Integer, Rational};
use crate::certificate::{Combination, Hypothesis};
use crate::linear::VarId;

/// A problem variable whose value is no integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fractional {
    pub(super) row: Row,
    pub(super) variable: VarId,
}

/// Which way a cut is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

impl<N: Number, T: Tableau<N>> Simplex<N, T> {
    /// The problem variables whose values are no integers.
    pub(super) fn fractional(&self) -> impl Iterator<Item = Fractional> + '_ {
        (0..self.tableau.rows()).filter_map(|row| {
            let denominator = self.tableau.denominator(row);
            if denominator.is_one() {
                return None;
            }
            let variable = self.variable_of(self.basic[row])?;
            let whole = self.tableau.value(row).rem_floor(denominator).is_zero();
            (!whole).then_some(Fractional { row, variable })
        })
    }

    /// The greatest integer below the value of a fractional variable, and whether the value is
    /// nearer to it than to the next one.
    pub(super) fn floor(&self, fractional: Fractional) -> (Integer, bool) {
        let (value, denominator) =
            (self.tableau.value(fractional.row), self.tableau.denominator(fractional.row));
        let remainder = value.rem_floor(denominator);
        let below_half = denominator.sub(&remainder).is_ok_and(|rest| remainder <= rest);
        (value.div_floor(denominator).to_integer(), below_half)
    }

    /// The hypotheses that hold the vertex: one for each nonbasic variable that sits at a bound,
    /// those of equalities first.
    pub(super) fn tight(&self) -> Vec<Hypothesis> {
        let mut equalities = Vec::new();
        let mut inequalities = Vec::new();
        for &slot in &self.nonbasic {
            match self.tight_bound(slot) {
                Some((bound, _)) if bound.equality => equalities.push(bound.reason),
                Some((bound, _)) => inequalities.push(bound.reason),
                None => {}
            }
        }
        equalities.append(&mut inequalities);
        equalities
    }

    fn tight_bound(&self, slot: Slot) -> Option<(&Bound<N>, Side)> {
        let at = |bound: &&Bound<N>| bound.value == self.values[slot];
        let upper = self.upper[slot].as_ref().filter(at).map(|bound| (bound, Side::Upper));
        upper.or_else(|| self.lower[slot].as_ref().filter(at).map(|bound| (bound, Side::Lower)))
    }

    /// The combination of tight bounds that, rounded, cuts off the present vertex: Gomory's
    /// fractional cut, in the form of Chvátal. The row says `d*x = sum of a*y`; replacing each
    /// `a` by its remainder modulo `d`, of the sign that the tight bound of `y` allows, leaves a
    /// combination of integers that is bounded by a fraction. `None` if some `y` that is needed
    /// is not at a bound.
    pub(super) fn cut(&self, row: Row, direction: Direction) -> Result<Option<Combination>, Overflow> {
        let denominator = self.tableau.denominator(row);
        let mut parts = Vec::new();
        for (column, coefficient) in self.tableau.row(row) {
            let remainder = coefficient.rem_floor(denominator);
            if remainder.is_zero() {
                continue;
            }
            let Some((bound, side)) = self.tight_bound(self.nonbasic[column]) else { return Ok(None) };
            // From below when rounding up: positive remainders need lower bounds.
            let positive = (side == Side::Lower) == (direction == Direction::Up);
            let weight = if positive { remainder } else { denominator.sub(&remainder)? };
            parts.push(weighted(bound, side, &weight));
        }
        Ok(Some(combine(parts)))
    }

    /// The values of all problem variables.
    pub(super) fn assignment(&self) -> impl Iterator<Item = Coordinate<'_, N>> + '_ {
        let infinitesimal = self.infinitesimal_column();
        self.places.iter().enumerate().filter_map(move |(slot, place)| {
            let variable = self.variable_of(slot)?;
            Some(match *place {
                Place::Nonbasic(_) => {
                    Coordinate { variable, numerator: &self.values[slot], denominator: None, small: None }
                }
                Place::Basic(row) => Coordinate {
                    variable,
                    numerator: self.tableau.value(row),
                    denominator: Some(self.tableau.denominator(row)),
                    small: infinitesimal.map(|column| self.tableau.coefficient(row, column)),
                },
            })
        })
    }

    /// The present point.
    pub(super) fn rational_point(&self) -> Model {
        let small = self.infinitesimal_value();
        Model::of_rationals(self.assignment().map(|at| (at.variable, at.rational(&small))))
    }

    /// A positive number that can stand for the infinitesimal in the present point.
    fn infinitesimal_value(&self) -> Rational {
        let mut value = Rational::ONE;
        let Some(column) = self.infinitesimal_column() else { return value };
        for row in 0..self.tableau.rows() {
            let part = self.tableau.coefficient(row, column);
            let slot = self.basic[row];
            let bound = match part.signum() {
                0 => continue,
                1 => &self.upper[slot],
                _ => &self.lower[slot],
            };
            let Some(bound) = bound else { continue };
            let scaled = bound.value.to_integer() * self.tableau.denominator(row).to_integer();
            let room = scaled - self.tableau.value(row).to_integer();
            if let Some(most) = Rational::new(room, part.to_integer())
                && most < value
            {
                value = most;
            }
        }
        value
    }

    fn infinitesimal_column(&self) -> Option<Column> {
        match self.places[self.infinitesimal?] {
            Place::Nonbasic(column) => Some(column),
            Place::Basic(_) => None,
        }
    }
}

/// The value of a problem variable: `(numerator + small * infinitesimal) / denominator`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate<'a, N> {
    pub(super) variable: VarId,
    numerator: &'a N,
    /// One, if absent.
    denominator: Option<&'a N>,
    /// Zero, if absent.
    small: Option<&'a N>,
}

impl<N: Number> Coordinate<'_, N> {
    /// The value, given that it is an integer.
    pub(super) fn integer(&self) -> Integer {
        match self.denominator {
            Some(denominator) => self.numerator.div_exact(denominator).to_integer(),
            None => self.numerator.to_integer(),
        }
    }

    /// The value with a number in place of the infinitesimal.
    fn rational(&self, infinitesimal: &Rational) -> Rational {
        let over = |number: &N| {
            let denominator = self.denominator.map_or(Integer::ONE, N::to_integer);
            Rational::new(number.to_integer(), denominator).unwrap_or_default()
        };
        let small = self.small.map_or(Rational::ZERO, |small| &over(small) * infinitesimal);
        over(self.numerator) + small
    }
}
