//! A point that satisfies a conjunction.

use std::fmt;

use rely_base::Id;

use crate::arith::{Integer, Rational};
use crate::linear::{Constraint, LinearForm, VarId};

/// Values for variables; those that are not listed are zero.
///
/// All values share one denominator, so that constraints are evaluated in integers.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// Ascending by variable.
    numerators: Vec<(VarId, Integer)>,
    /// Positive.
    denominator: Integer,
}

impl Model {
    /// The model with these integer values.
    pub fn of_integers(values: impl IntoIterator<Item = (VarId, Integer)>) -> Self {
        let mut numerators: Vec<_> = values.into_iter().collect();
        numerators.sort_by_key(|entry| entry.0);
        Self { numerators, denominator: Integer::ONE }
    }

    /// The model with these rational values.
    pub fn of_rationals(values: impl IntoIterator<Item = (VarId, Rational)>) -> Self {
        let values: Vec<_> = values.into_iter().collect();
        let denominator = values.iter().fold(Integer::ONE, |common, (_, value)| {
            let divisor = common.gcd(value.denominator());
            common * value.denominator().div_exact(&divisor).unwrap_or(Integer::ONE)
        });
        let numerator = |value: &Rational| {
            value.numerator() * denominator.div_exact(value.denominator()).unwrap_or(Integer::ONE)
        };
        let numerators = values.iter().map(|(variable, value)| (*variable, numerator(value)));
        let mut model = Self::of_integers(numerators);
        model.denominator = denominator;
        model
    }

    fn numerator(&self, variable: VarId) -> Option<&Integer> {
        let position = self.numerators.binary_search_by_key(&variable, |entry| entry.0).ok()?;
        Some(&self.numerators[position].1)
    }

    /// The value of a variable.
    pub fn value(&self, variable: VarId) -> Rational {
        self.numerator(variable)
            .and_then(|numerator| Rational::new(numerator.clone(), self.denominator.clone()))
            .unwrap_or_default()
    }

    /// The value of a variable, if it is an integer.
    pub fn integer(&self, variable: VarId) -> Option<Integer> {
        self.value(variable).to_integer()
    }

    /// The variables that have a value, ascending.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.numerators.iter().map(|entry| entry.0)
    }

    /// Whether all values are integers.
    pub fn is_integral(&self) -> bool {
        self.numerators.iter().all(|(_, numerator)| numerator.is_multiple_of(&self.denominator))
    }

    /// The common denominator of all values, positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// The form's value times the common denominator, which has the sign of the value.
    pub fn scaled_value(&self, form: &LinearForm) -> Integer {
        let mut total = form.constant_term() * &self.denominator;
        for (variable, coefficient) in form.terms() {
            if let Some(numerator) = self.numerator(*variable) {
                total += coefficient * numerator;
            }
        }
        total
    }

    /// Whether a constraint holds.
    pub fn satisfies(&self, constraint: &Constraint) -> bool {
        constraint.relation().admits(self.scaled_value(constraint.form()).signum())
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.variables().map(|variable| (variable.index(), self.value(variable)));
        f.debug_map().entries(entries).finish()
    }
}
