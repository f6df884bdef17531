//! A linear form compared with zero.

use std::fmt;

use super::sides::Sides;
use super::{Domain, LinearForm, NumberedNames, VarId, VarNames};
use crate::arith::{Integer, Rational};

/// How a form is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// At most zero.
    Le,
    /// Less than zero; only over the rationals, where it cannot be tightened.
    Lt,
    /// Equal to zero.
    Eq,
    /// Different from zero.
    Ne,
}

impl Relation {
    /// Whether a value of this sign (-1, 0, 1) satisfies the relation.
    pub fn admits(self, sign: i32) -> bool {
        match self {
            Relation::Le => sign <= 0,
            Relation::Lt => sign < 0,
            Relation::Eq => sign == 0,
            Relation::Ne => sign != 0,
        }
    }

    /// The relation as mathematics writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Le => "<=",
            Relation::Lt => "<",
            Relation::Eq => "=",
            Relation::Ne => "!=",
        }
    }
}

/// `form REL 0`, in normal form.
///
/// Over the integers the coefficients have no common divisor, the constant is tightened
/// (`2x - 5 <= 0` becomes `x - 2 <= 0`) and strict inequalities are gone. Over the rationals
/// coefficients and constant together have no common divisor. Equalities and disequalities start
/// with a positive coefficient. A constraint without variables is `0 <= 0` (true) or `1 <= 0`
/// (false).
///
/// ```
/// use rely_base::Id;
/// use rely_logic::{Constraint, LinearForm, Relation, VarId};
///
/// let x = VarId::from_index(0);
/// let constraint = Constraint::new(LinearForm::new([(x, 2)], -5), Relation::Le);
/// assert_eq!(constraint.to_string(), "v0 <= 2");
/// assert_eq!(constraint.negated().to_string(), "v0 >= 3");
/// assert!(Constraint::new(LinearForm::new([(x, 2)], -5), Relation::Eq).is_false());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    form: LinearForm,
    relation: Relation,
}

impl Constraint {
    /// The constraint over the integers.
    pub fn new(form: LinearForm, relation: Relation) -> Self {
        Self::over(Domain::Integers, form, relation)
    }

    /// The constraint over the given numbers.
    pub fn over(domain: Domain, form: LinearForm, relation: Relation) -> Self {
        if form.is_constant() {
            return Self::truth(relation.admits(form.constant_term().signum()));
        }
        match domain {
            Domain::Integers => Self::tightened(form, relation),
            Domain::Rationals => {
                let divisor = form.content().gcd(form.constant_term());
                let form = form.div_exact(&divisor).unwrap_or(form);
                Self { form: with_canonical_sign(form, relation), relation }
            }
        }
    }

    fn tightened(mut form: LinearForm, relation: Relation) -> Self {
        let divisor = form.content();
        if relation == Relation::Lt {
            form.add_constant(&Integer::ONE);
        }
        let relation = if relation == Relation::Lt { Relation::Le } else { relation };
        if !divisor.is_one() {
            let constant = match relation {
                Relation::Le | Relation::Lt => form.constant_term().div_ceil(&divisor),
                Relation::Eq | Relation::Ne => form.constant_term().div_exact(&divisor),
            };
            match (constant, form.div_terms_exact(&divisor)) {
                (Some(constant), Some(divided)) => form = divided.with_constant(constant),
                // The divisor does not divide the constant: the form is never zero.
                _ => return Self::truth(relation == Relation::Ne),
            }
        }
        Self { form: with_canonical_sign(form, relation), relation }
    }

    /// The constraint that always or never holds.
    pub fn truth(value: bool) -> Self {
        Self { form: LinearForm::constant(i64::from(!value)), relation: Relation::Le }
    }

    /// `left <= right` over the integers.
    pub fn le(left: &LinearForm, right: &LinearForm) -> Self {
        Self::new(left.minus(right), Relation::Le)
    }

    /// `left < right` over the integers.
    pub fn lt(left: &LinearForm, right: &LinearForm) -> Self {
        Self::new(left.minus(right), Relation::Lt)
    }

    /// `left >= right` over the integers.
    pub fn ge(left: &LinearForm, right: &LinearForm) -> Self {
        Self::le(right, left)
    }

    /// `left > right` over the integers.
    pub fn gt(left: &LinearForm, right: &LinearForm) -> Self {
        Self::lt(right, left)
    }

    /// `left = right` over the integers.
    pub fn eq(left: &LinearForm, right: &LinearForm) -> Self {
        Self::new(left.minus(right), Relation::Eq)
    }

    /// `left != right` over the integers.
    pub fn ne(left: &LinearForm, right: &LinearForm) -> Self {
        Self::new(left.minus(right), Relation::Ne)
    }

    /// The form that is compared with zero.
    pub fn form(&self) -> &LinearForm {
        &self.form
    }

    /// How it is compared.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// Whether this is the constraint that always holds.
    pub fn is_true(&self) -> bool {
        self.form.is_constant() && self.relation.admits(self.form.constant_term().signum())
    }

    /// Whether this is the constraint that never holds.
    pub fn is_false(&self) -> bool {
        self.form.is_constant() && !self.relation.admits(self.form.constant_term().signum())
    }

    /// The negation over the integers.
    pub fn negated(&self) -> Self {
        self.negated_over(Domain::Integers)
    }

    /// The negation over the given numbers.
    pub fn negated_over(&self, domain: Domain) -> Self {
        match self.relation {
            Relation::Eq => Self { form: self.form.clone(), relation: Relation::Ne },
            Relation::Ne => Self { form: self.form.clone(), relation: Relation::Eq },
            Relation::Le => Self::over(domain, self.form.negated(), Relation::Lt),
            Relation::Lt => Self::over(domain, self.form.negated(), Relation::Le),
        }
    }

    /// Whether the constraint holds at a point with integer coordinates.
    pub fn holds(&self, value: impl FnMut(VarId) -> Integer) -> bool {
        self.relation.admits(self.form.evaluate(value).signum())
    }

    /// Whether the constraint holds at a point with rational coordinates.
    pub fn holds_rational(&self, value: impl FnMut(VarId) -> Rational) -> bool {
        self.relation.admits(self.form.evaluate_rational(value).signum())
    }

    /// The constraint with a variable replaced by a form, over the integers.
    pub fn substitute(&self, variable: VarId, replacement: &LinearForm) -> Self {
        Self::new(self.form.substitute(variable, replacement), self.relation)
    }

    /// The constraint with every variable renamed, over the integers.
    pub fn rename(&self, name: impl FnMut(VarId) -> VarId) -> Self {
        Self::new(self.form.rename(name), self.relation)
    }

    /// The constraint as text, with the variables' names: variables left, the constant right.
    pub fn display<'a>(&'a self, names: &'a dyn VarNames) -> impl fmt::Display + 'a {
        DisplayConstraint { constraint: self, names }
    }
}

/// Equalities and disequalities are the same with all signs changed: start with a positive one.
fn with_canonical_sign(form: LinearForm, relation: Relation) -> LinearForm {
    let symmetric = matches!(relation, Relation::Eq | Relation::Ne);
    if symmetric && form.terms().first().is_some_and(|term| term.1.is_negative()) {
        form.negated()
    } else {
        form
    }
}

struct DisplayConstraint<'a> {
    constraint: &'a Constraint,
    names: &'a dyn VarNames,
}

impl fmt::Display for DisplayConstraint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Constraint { form, relation } = self.constraint;
        if form.is_constant() {
            return write!(f, "{form} {} 0", relation.symbol());
        }
        // Over which numbers the constraint is meant is not known here.
        let sides = Sides::new(form.terms(), form.constant_term(), *relation, false);
        sides.write(f, &mut |variable, f| self.names.write_name(*variable, f))
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(&NumberedNames).fmt(f)
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rely_base::Id;

    fn any_relation() -> impl Strategy<Value = Relation> {
        prop_oneof![Just(Relation::Le), Just(Relation::Lt), Just(Relation::Eq), Just(Relation::Ne)]
    }

    fn any_form() -> impl Strategy<Value = LinearForm> {
        (prop::collection::vec((0usize..3, -6i64..=6), 0..4), -20i64..=20).prop_map(|(terms, constant)| {
            LinearForm::new(terms.into_iter().map(|(index, c)| (VarId::from_index(index), c)), constant)
        })
    }

    proptest! {
        #[test]
        fn normal_forms_keep_the_meaning(
            form in any_form(),
            relation in any_relation(),
            point in prop::array::uniform3(-9i64..=9),
        ) {
            let value = |variable: VarId| Integer::from(point[variable.index()]);
            let expected = relation.admits(form.evaluate(value).signum());
            for domain in [Domain::Integers, Domain::Rationals] {
                let constraint = Constraint::over(domain, form.clone(), relation);
                prop_assert_eq!(constraint.holds(value), expected);
                prop_assert_eq!(constraint.negated_over(domain).holds(value), !expected);
                prop_assert_eq!(constraint.negated_over(domain).negated_over(domain), constraint.clone());
                // Scaling does not change the normal form.
                let scaled = Constraint::over(domain, form.scaled(&Integer::from(3)), relation);
                if domain == Domain::Rationals || relation != Relation::Lt {
                    prop_assert_eq!(scaled, constraint);
                } else {
                    prop_assert_eq!(scaled.holds(value), expected);
                }
            }
        }
    }

    fn check(form: LinearForm, relation: Relation, expected: &str) {
        assert_eq!(Constraint::new(form, relation).to_string(), expected);
    }

    #[test]
    fn integer_constraints_are_tightened() {
        let (x, y) = (VarId::from_index(0), VarId::from_index(1));
        check(LinearForm::new([(x, 2)], -5), Relation::Le, "v0 <= 2");
        check(LinearForm::new([(x, -2)], 5), Relation::Le, "v0 >= 3");
        check(LinearForm::new([(x, 4), (y, -6)], 3), Relation::Lt, "2*v0 + 2 <= 3*v1");
        check(LinearForm::new([(x, -2), (y, 2)], 4), Relation::Eq, "v0 = v1 + 2");
        check(LinearForm::new([(x, 2), (y, 2)], 1), Relation::Eq, "1 <= 0");
        check(LinearForm::new([(x, 2), (y, 2)], 1), Relation::Ne, "0 <= 0");
        check(LinearForm::constant(-3), Relation::Ne, "0 <= 0");
    }
}
