//! Sums of scaled variables plus a constant.

use std::fmt;

use rely_base::Id;

use super::VarId;
use crate::arith::{Integer, Rational};

/// `coefficient * variable + ... + constant`, with integer coefficients.
///
/// Variables are in ascending order and no coefficient is zero, so equal forms are equal values.
///
/// ```
/// use rely_base::Id;
/// use rely_logic::{LinearForm, VarId};
///
/// let (x, y) = (VarId::from_index(0), VarId::from_index(1));
/// let form = LinearForm::new([(y, 2), (x, 1), (y, -2)], 3);
/// assert_eq!(form.to_string(), "v0 + 3");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LinearForm {
    terms: Vec<(VarId, Integer)>,
    constant: Integer,
}

impl LinearForm {
    /// The form with these terms, in any order; terms over one variable are added up.
    pub fn new<Coefficient: Into<Integer>>(
        terms: impl IntoIterator<Item = (VarId, Coefficient)>,
        constant: impl Into<Integer>,
    ) -> Self {
        let terms = terms.into_iter().map(|(variable, factor)| (variable, factor.into())).collect();
        Self::from_unsorted(terms, constant.into())
    }

    fn from_unsorted(mut terms: Vec<(VarId, Integer)>, constant: Integer) -> Self {
        if !terms.is_sorted_by(|left, right| left.0 < right.0) {
            terms.sort_by_key(|term| term.0);
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += &next.1;
                }
                same
            });
        }
        terms.retain(|(_, factor)| !factor.is_zero());
        Self { terms, constant }
    }

    /// The form that is this number.
    pub fn constant(value: impl Into<Integer>) -> Self {
        Self { terms: Vec::new(), constant: value.into() }
    }

    /// The form that is this variable.
    pub fn variable(variable: VarId) -> Self {
        Self { terms: vec![(variable, Integer::ONE)], constant: Integer::ZERO }
    }

    /// `left - right`, the form of a difference constraint.
    pub fn difference(left: VarId, right: VarId) -> Self {
        Self::new([(left, 1), (right, -1)], 0)
    }

    /// Variables with their coefficients, by ascending variable.
    pub fn terms(&self) -> &[(VarId, Integer)] {
        &self.terms
    }

    /// The constant summand.
    pub fn constant_term(&self) -> &Integer {
        &self.constant
    }

    /// The variables, ascending.
    pub fn variables(&self) -> impl DoubleEndedIterator<Item = VarId> + '_ {
        self.terms.iter().map(|&(variable, _)| variable)
    }

    /// The coefficient of a variable, zero if it does not occur.
    pub fn coefficient(&self, variable: VarId) -> Integer {
        match self.terms.binary_search_by_key(&variable, |term| term.0) {
            Ok(position) => self.terms[position].1.clone(),
            Err(_) => Integer::ZERO,
        }
    }

    /// Whether the variable occurs.
    pub fn contains(&self, variable: VarId) -> bool {
        self.terms.binary_search_by_key(&variable, |term| term.0).is_ok()
    }

    /// Whether no variable occurs.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The greatest common divisor of the variables' coefficients; zero for a constant.
    pub fn content(&self) -> Integer {
        let mut divisor = Integer::ZERO;
        for (_, factor) in &self.terms {
            divisor = divisor.gcd(factor);
            if divisor.is_one() {
                break;
            }
        }
        divisor
    }

    /// The same sum with another constant.
    pub fn with_constant(mut self, constant: impl Into<Integer>) -> Self {
        self.constant = constant.into();
        self
    }

    /// Adds a number.
    pub fn add_constant(&mut self, value: &Integer) {
        self.constant += value;
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, factor: &Integer, other: &LinearForm) -> LinearForm {
        if factor.is_zero() {
            return self.clone();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let mut pending = self.terms.as_slice();
        for (variable, c) in &other.terms {
            let before = pending.partition_point(|term| term.0 < *variable);
            terms.extend_from_slice(&pending[..before]);
            pending = &pending[before..];
            let mut sum = c * factor;
            if let Some(((_, present), rest)) = pending.split_first().filter(|(term, _)| term.0 == *variable)
            {
                sum += present;
                pending = rest;
            }
            if !sum.is_zero() {
                terms.push((*variable, sum));
            }
        }
        terms.extend_from_slice(pending);
        LinearForm { terms, constant: &self.constant + &other.constant * factor }
    }

    /// `self + other`.
    pub fn plus(&self, other: &LinearForm) -> LinearForm {
        self.add_scaled(&Integer::ONE, other)
    }

    /// `self - other`.
    pub fn minus(&self, other: &LinearForm) -> LinearForm {
        self.add_scaled(&Integer::MINUS_ONE, other)
    }

    /// `factor * self`.
    pub fn scaled(&self, factor: &Integer) -> LinearForm {
        if factor.is_zero() {
            return LinearForm::default();
        }
        let terms = self.terms.iter().map(|(variable, c)| (*variable, c * factor)).collect();
        LinearForm { terms, constant: &self.constant * factor }
    }

    /// `-self`.
    pub fn negated(&self) -> LinearForm {
        let terms = self.terms.iter().map(|(variable, c)| (*variable, -c)).collect();
        LinearForm { terms, constant: -&self.constant }
    }

    /// The form divided by `divisor`, if all coefficients and the constant are multiples of it.
    pub fn div_exact(&self, divisor: &Integer) -> Option<LinearForm> {
        let constant = self.constant.div_exact(divisor)?;
        self.div_terms_exact(divisor).map(|form| form.with_constant(constant))
    }

    /// The variables' part divided by `divisor`, with the constant zero, if all coefficients are
    /// multiples of it.
    pub fn div_terms_exact(&self, divisor: &Integer) -> Option<LinearForm> {
        let terms = self
            .terms
            .iter()
            .map(|(variable, c)| Some((*variable, c.div_exact(divisor)?)))
            .collect::<Option<Vec<_>>>()?;
        Some(LinearForm { terms, constant: Integer::ZERO })
    }

    /// The form with a variable replaced by another form.
    pub fn substitute(&self, variable: VarId, replacement: &LinearForm) -> LinearForm {
        let factor = self.coefficient(variable);
        if factor.is_zero() {
            return self.clone();
        }
        let rest = LinearForm {
            terms: self.terms.iter().filter(|term| term.0 != variable).cloned().collect(),
            constant: self.constant.clone(),
        };
        rest.add_scaled(&factor, replacement)
    }

    /// The form with every variable renamed; variables that meet are added up.
    pub fn rename(&self, mut name: impl FnMut(VarId) -> VarId) -> LinearForm {
        let terms = self.terms.iter().map(|(variable, c)| (name(*variable), c.clone())).collect();
        Self::from_unsorted(terms, self.constant.clone())
    }

    /// The value under an assignment of integers.
    pub fn evaluate(&self, mut value: impl FnMut(VarId) -> Integer) -> Integer {
        self.terms.iter().fold(self.constant.clone(), |total, (variable, c)| total + c * value(*variable))
    }

    /// The value under an assignment of rationals.
    pub fn evaluate_rational(&self, mut value: impl FnMut(VarId) -> Rational) -> Rational {
        let mut total = Rational::from(self.constant.clone());
        for (variable, factor) in &self.terms {
            total += &(&Rational::from(factor.clone()) * &value(*variable));
        }
        total
    }

    /// The form as text, with the variables' names.
    pub fn display<'a>(&'a self, names: &'a dyn VarNames) -> impl fmt::Display + 'a {
        DisplayForm { form: self, names }
    }
}

/// Names of variables, for printing.
pub trait VarNames {
    /// Writes the name of a variable.
    fn write_name(&self, variable: VarId, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// Names that are the variables' numbers: `v0`, `v1`, ...
pub struct NumberedNames;

impl VarNames for NumberedNames {
    fn write_name(&self, variable: VarId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", variable.index())
    }
}

struct DisplayForm<'a> {
    form: &'a LinearForm,
    names: &'a dyn VarNames,
}

impl fmt::Display for DisplayForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_sum(f, &self.form.terms, &self.form.constant, &mut |variable, f| {
            self.names.write_name(*variable, f)
        })
    }
}

/// Writes `a*x - y + 3`: signs between the summands, no factor one, no summand zero.
pub(super) fn write_sum<T>(
    f: &mut fmt::Formatter<'_>,
    terms: &[(T, Integer)],
    constant: &Integer,
    write_term: &mut dyn FnMut(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (position, (term, factor)) in terms.iter().enumerate() {
        match (position == 0, factor.is_negative()) {
            (true, true) => f.write_str("-")?,
            (true, false) => {}
            (false, true) => f.write_str(" - ")?,
            (false, false) => f.write_str(" + ")?,
        }
        if !factor.is_unit() {
            write!(f, "{}*", factor.abs())?;
        }
        write_term(term, f)?;
    }
    if terms.is_empty() {
        write!(f, "{constant}")
    } else if constant.is_zero() {
        Ok(())
    } else {
        write!(f, " {} {}", if constant.is_negative() { "-" } else { "+" }, constant.abs())
    }
}

impl fmt::Display for LinearForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(&NumberedNames).fmt(f)
    }
}

impl fmt::Debug for LinearForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_form() -> impl Strategy<Value = LinearForm> {
        (prop::collection::vec((0usize..5, -4i64..=4), 0..6), -9i64..=9).prop_map(|(terms, constant)| {
            LinearForm::new(terms.into_iter().map(|(index, c)| (VarId::from_index(index), c)), constant)
        })
    }

    fn value_at(point: &[i64], form: &LinearForm) -> Integer {
        form.evaluate(|variable| Integer::from(point[variable.index()]))
    }

    proptest! {
        #[test]
        fn operations_are_pointwise(
            a in any_form(),
            b in any_form(),
            factor in -3i64..=3,
            point in prop::array::uniform5(-9i64..=9),
        ) {
            let scale = Integer::from(factor);
            let sum = a.add_scaled(&scale, &b);
            prop_assert!(sum.terms().is_sorted_by(|l, r| l.0 < r.0));
            prop_assert!(sum.terms().iter().all(|(_, c)| !c.is_zero()));
            prop_assert_eq!(value_at(&point, &sum), value_at(&point, &a) + &scale * value_at(&point, &b));
            prop_assert_eq!(value_at(&point, &a.scaled(&scale)), &scale * value_at(&point, &a));
            prop_assert_eq!(a.minus(&b), a.plus(&b.negated()));
            let x = VarId::from_index(2);
            let mut moved = point.map(Integer::from);
            moved[2] = value_at(&point, &b);
            let expected = a.evaluate(|variable| moved[variable.index()].clone());
            prop_assert_eq!(value_at(&point, &a.substitute(x, &b)), expected);
        }

        #[test]
        fn renaming_adds_up_what_meets(a in any_form(), point in prop::array::uniform5(-9i64..=9)) {
            let onto = |variable: VarId| VarId::from_index(variable.index() / 2);
            let expected = a.evaluate(|variable| Integer::from(point[variable.index() / 2]));
            prop_assert_eq!(value_at(&point, &a.rename(onto)), expected);
        }
    }
}
