//! Integer solutions of linear equations.
//!
//! Equations `A x = b` have an integer solution unless some rational combination of them has
//! integer coefficients and a constant that is no integer. The search for that combination brings
//! `A` into Hermite normal form by column operations, row by row; each row then determines one of
//! the transformed unknowns, and the first one that is no integer names the combination. If there
//! is none, the transformed unknowns that are left free are coordinates of the solutions: `x` is
//! an integer solution exactly if all of them are integers.

use crate::arith::{Integer, Rational};
use crate::linear::{LinearForm, VarId};

/// A combination of equations without integer solution: the sum of the equations with these
/// weights has coefficients that are all multiples of `divisor`, and a constant that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IntegerConflict {
    /// By number of the equation; only weights other than zero.
    pub(super) weights: Vec<(usize, Integer)>,
    /// Greater than one.
    pub(super) divisor: Integer,
}

/// One unknown of the transformed system, as a combination of the right-hand sides.
struct Solved {
    weights: Vec<Rational>,
    value: Rational,
}

/// The integer solutions of some equations.
pub(super) enum Lattice {
    /// There are none.
    Empty(IntegerConflict),
    /// Linear forms that are integers at exactly the integer solutions among the rational ones.
    Coordinates(Vec<LinearForm>),
}

/// Normal forms of larger matrices take too long, and their numbers grow too large.
const MATRIX_LIMIT: usize = 2_500;

/// The integer solutions of `form = 0` for all forms. Equations that contradict each other even
/// over the rationals are not looked for. `None` for systems that are large.
pub(super) fn solve(equations: &[&LinearForm]) -> Option<Lattice> {
    let mut variables: Vec<VarId> = equations.iter().flat_map(|form| form.variables()).collect();
    variables.sort_unstable();
    variables.dedup();
    if variables.len().saturating_mul(equations.len()) > MATRIX_LIMIT {
        return None;
    }
    let mut system = System {
        matrix: dense(equations, &variables),
        coordinates: variables.iter().map(|&variable| LinearForm::variable(variable)).collect(),
    };
    let mut solved: Vec<Solved> = Vec::new();
    for row in 0..equations.len() {
        if solved.len() == variables.len() || !system.clear_row(row, solved.len()) {
            continue;
        }
        let Some(unknown) = solve_row(&system.matrix[row], row, equations, &solved) else { continue };
        if !unknown.value.is_integer() {
            return Some(Lattice::Empty(scaled_conflict(&unknown)));
        }
        solved.push(unknown);
    }
    Some(Lattice::Coordinates(system.coordinates.split_off(solved.len())))
}

/// Equations over transformed unknowns, and what these are in terms of the original ones.
struct System {
    matrix: Vec<Vec<Integer>>,
    coordinates: Vec<LinearForm>,
}

/// The coefficients as a dense matrix over the variables that occur.
fn dense(equations: &[&LinearForm], variables: &[VarId]) -> Vec<Vec<Integer>> {
    let row = |form: &&LinearForm| {
        let mut row = vec![Integer::ZERO; variables.len()];
        for (variable, coefficient) in form.terms() {
            if let Ok(column) = variables.binary_search(variable) {
                row[column] = coefficient.clone();
            }
        }
        row
    };
    equations.iter().map(row).collect()
}

impl System {
    /// Combines the columns from `first` on until only `first` is not zero in this row; tells
    /// whether there is such a column. Rows above are zero in all these columns.
    fn clear_row(&mut self, row: usize, first: usize) -> bool {
        loop {
            let smallest = (first..self.coordinates.len())
                .filter(|&column| !self.matrix[row][column].is_zero())
                .min_by_key(|&column| self.matrix[row][column].abs());
            let Some(pivot) = smallest else { return false };
            for line in &mut self.matrix[row..] {
                line.swap(first, pivot);
            }
            self.coordinates.swap(first, pivot);
            for column in first + 1..self.coordinates.len() {
                let quotient = self.matrix[row][column].div_floor(&self.matrix[row][first]);
                if let Some(quotient) = quotient.filter(|quotient| !quotient.is_zero()) {
                    self.subtract_column(row, column, &quotient, first);
                }
            }
            if self.matrix[row][first + 1..].iter().all(Integer::is_zero) {
                return true;
            }
        }
    }

    /// `column -= factor * other`. What was multiplied by the other column is now multiplied by
    /// less of it, so its unknown grows in return.
    fn subtract_column(&mut self, row: usize, column: usize, factor: &Integer, other: usize) {
        for line in &mut self.matrix[row..] {
            let change = &line[other] * factor;
            line[column] -= change;
        }
        self.coordinates[other] = self.coordinates[other].add_scaled(factor, &self.coordinates[column]);
    }
}

/// The unknown that a row determines, given those before it.
fn solve_row(row: &[Integer], number: usize, equations: &[&LinearForm], solved: &[Solved]) -> Option<Solved> {
    let mut weights = vec![Rational::ZERO; equations.len()];
    weights[number] = Rational::ONE;
    let mut value = Rational::from(-equations[number].constant_term());
    for (coefficient, known) in row.iter().zip(solved).filter(|(coefficient, _)| !coefficient.is_zero()) {
        let factor = Rational::from(-coefficient);
        for (weight, part) in weights.iter_mut().zip(&known.weights) {
            *weight += &(&factor * part);
        }
        value += &(&factor * &known.value);
    }
    let pivot = Rational::from(row[solved.len()].clone()).recip()?;
    for weight in &mut weights {
        *weight *= &pivot;
    }
    value *= &pivot;
    Some(Solved { weights, value })
}

fn scaled_conflict(unknown: &Solved) -> IntegerConflict {
    let divisor = unknown.weights.iter().fold(Integer::ONE, |common, weight| {
        let shared = common.gcd(weight.denominator());
        common * weight.denominator().div_exact(&shared).unwrap_or(Integer::ONE)
    });
    let scale = Rational::from(divisor.clone());
    let weights = unknown
        .weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| !weight.is_zero())
        .filter_map(|(number, weight)| Some((number, (weight * &scale).to_integer()?)))
        .collect();
    IntegerConflict { weights, divisor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rely_base::Id;

    fn equation(coefficients: &[i64], constant: i64) -> LinearForm {
        LinearForm::new(
            coefficients.iter().enumerate().map(|(index, c)| (VarId::from_index(index), *c)),
            constant,
        )
    }

    fn check_conflict(equations: &[LinearForm]) -> bool {
        let references: Vec<&LinearForm> = equations.iter().collect();
        let conflict = match solve(&references).expect("a small system") {
            Lattice::Empty(conflict) => conflict,
            Lattice::Coordinates(coordinates) => {
                assert!(coordinates.iter().all(|form| form.content().is_one()), "{coordinates:?}");
                return false;
            }
        };
        let sum = conflict
            .weights
            .iter()
            .fold(LinearForm::default(), |sum, (number, weight)| sum.add_scaled(weight, &equations[*number]));
        assert!(sum.content().is_multiple_of(&conflict.divisor), "{equations:?} {conflict:?}");
        assert!(!sum.constant_term().is_multiple_of(&conflict.divisor), "{equations:?} {conflict:?}");
        true
    }

    #[test]
    fn parity_conflicts_are_found() {
        // x = 2y + 1, x = 2z.
        assert!(check_conflict(&[equation(&[1, -2, 0], -1), equation(&[1, 0, -2], 0)]));
        assert!(check_conflict(&[equation(&[3, 6, 9], 1)]));
        assert!(!check_conflict(&[equation(&[3, 5], -1)]));
        assert!(!check_conflict(&[equation(&[2, 3, 0], -1), equation(&[0, 3, 5], -2)]));
    }

    #[test]
    fn coordinates_parametrise_the_solutions() {
        // 2x + 3y = 1: the rational solution (2, -1) + t (3, -2) is integral iff t is, and the
        // one coordinate tells t.
        let line = equation(&[2, 3], -1);
        let Some(Lattice::Coordinates(coordinates)) = solve(&[&line]) else { panic!("there are solutions") };
        let [coordinate] = coordinates.as_slice() else { panic!("a line has one coordinate") };
        let third = Rational::new(Integer::ONE, Integer::from(3)).unwrap();
        for steps in -6i64..=6 {
            let t = &Rational::from(steps) * &third;
            let point = [
                &Rational::from(2) + &(&t * &Rational::from(3)),
                &Rational::from(-1) + &(&t * &Rational::from(-2)),
            ];
            let value = coordinate.evaluate_rational(|variable| point[variable.index()].clone());
            assert_eq!(value.is_integer(), t.is_integer(), "{coordinate} at {point:?}");
        }
    }

    proptest! {
        #[test]
        fn systems_with_a_solution_have_no_conflict(
            rows in prop::collection::vec(prop::array::uniform4(-5i64..=5), 1..5),
            point in prop::array::uniform4(-9i64..=9),
        ) {
            let equations: Vec<LinearForm> = rows
                .iter()
                .map(|row| equation(row, -row.iter().zip(point).map(|(c, x)| c * x).sum::<i64>()))
                .collect();
            prop_assert!(!check_conflict(&equations));
        }

        #[test]
        fn conflicts_are_sound(
            rows in prop::collection::vec((prop::array::uniform3(-6i64..=6), -9i64..=9), 1..4),
        ) {
            let equations: Vec<LinearForm> = rows.iter().map(|(row, c)| equation(row, *c)).collect();
            check_conflict(&equations);
        }
    }
}
