//! Comparisons with zero, written with two sides.
//!
//! Normal forms compare a sum with zero; people write `x < y` and `x = y + 1`. All factors on both
//! sides are positive, and so is the constant, unless it stands alone. The first variable stays
//! on the left of an inequality; an equality has its constant on the right, and a lone variable on
//! the left if there is one.

use std::fmt;

use super::constraint::Relation;
use super::form::write_sum;
use crate::arith::Integer;

/// A sum: terms with positive factors, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side<T> {
    pub(crate) terms: Vec<(T, Integer)>,
    pub(crate) constant: Integer,
}

/// The comparison between the sides, read from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Le,
    Lt,
    Eq,
    Ne,
    Ge,
    Gt,
}

/// A comparison with two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides<T> {
    pub(crate) left: Side<T>,
    pub(crate) comparison: Comparison,
    pub(crate) right: Side<T>,
}

impl<T: Clone> Sides<T> {
    /// The sum `terms + constant`, compared with zero. If the values are integers, `x + 1 <= y`
    /// becomes `x < y`.
    pub(crate) fn new(
        terms: &[(T, Integer)],
        constant: &Integer,
        relation: Relation,
        integers: bool,
    ) -> Self {
        let (above, below): (Vec<_>, Vec<_>) =
            terms.iter().cloned().partition(|(_, factor)| !factor.is_negative());
        let below: Vec<_> = below.into_iter().map(|(term, factor)| (term, -factor)).collect();
        let mut comparison = Comparison::from(relation);
        if below.is_empty() || above.is_empty() {
            return Self::with_lone_constant(above, comparison, below, constant);
        }
        let mut constant = constant.clone();
        if integers && comparison == Comparison::Le && constant.is_one() {
            (comparison, constant) = (Comparison::Lt, Integer::ZERO);
        }
        let is_swapped = match comparison {
            Comparison::Eq | Comparison::Ne if !constant.is_zero() => !constant.is_negative(),
            Comparison::Eq | Comparison::Ne if is_lone(&above) != is_lone(&below) => is_lone(&below),
            _ => terms.first().is_some_and(|(_, factor)| factor.is_negative()),
        };
        let (more, less) =
            if constant.is_negative() { (Integer::ZERO, -constant) } else { (constant, Integer::ZERO) };
        let sides = Self {
            left: Side { terms: above, constant: more },
            comparison,
            right: Side { terms: below, constant: less },
        };
        if is_swapped { sides.swapped() } else { sides }
    }

    /// `x <= 3` and `x >= -3`: the constant is on its own.
    fn with_lone_constant(
        above: Vec<(T, Integer)>,
        comparison: Comparison,
        below: Vec<(T, Integer)>,
        constant: &Integer,
    ) -> Self {
        let lone = |constant: Integer| Side { terms: Vec::new(), constant };
        let summed = |terms| Side { terms, constant: Integer::ZERO };
        if above.is_empty() {
            Self { left: lone(constant.clone()), comparison, right: summed(below) }.swapped()
        } else {
            Self { left: summed(above), comparison, right: lone(-constant) }
        }
    }

    fn swapped(self) -> Self {
        let comparison = match self.comparison {
            Comparison::Le => Comparison::Ge,
            Comparison::Lt => Comparison::Gt,
            Comparison::Ge => Comparison::Le,
            Comparison::Gt => Comparison::Lt,
            same @ (Comparison::Eq | Comparison::Ne) => same,
        };
        Self { left: self.right, comparison, right: self.left }
    }

    /// Writes both sides.
    pub(crate) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        write_term: &mut dyn FnMut(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        write_sum(f, &self.left.terms, &self.left.constant, write_term)?;
        write!(f, " {} ", self.comparison.symbol())?;
        write_sum(f, &self.right.terms, &self.right.constant, write_term)
    }
}

/// Whether a side is a term without a factor.
fn is_lone<T>(terms: &[(T, Integer)]) -> bool {
    matches!(terms, [(_, factor)] if factor.is_one())
}

impl Comparison {
    fn symbol(self) -> &'static str {
        match self {
            Comparison::Le => "<=",
            Comparison::Lt => "<",
            Comparison::Eq => "=",
            Comparison::Ne => "!=",
            Comparison::Ge => ">=",
            Comparison::Gt => ">",
        }
    }
}

impl From<Relation> for Comparison {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Le => Comparison::Le,
            Relation::Lt => Comparison::Lt,
            Relation::Eq => Comparison::Eq,
            Relation::Ne => Comparison::Ne,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(factors: &[(&str, i64)], constant: i64, relation: Relation, expected: &str) {
        let terms: Vec<(&str, Integer)> =
            factors.iter().map(|&(name, factor)| (name, Integer::from(factor))).collect();
        struct Shown<'a>(Sides<&'a str>);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, &mut |name, f| f.write_str(name))
            }
        }
        let sides = Sides::new(&terms, &Integer::from(constant), relation, true);
        assert_eq!(Shown(sides).to_string(), expected);
    }

    #[test]
    fn bounds_compare_with_a_constant() {
        check(&[("x", 1)], -3, Relation::Le, "x <= 3");
        check(&[("x", -1)], -3, Relation::Le, "x >= -3");
        check(&[("x", -1)], 1, Relation::Le, "x >= 1");
        check(&[("x", 1)], 0, Relation::Ne, "x != 0");
        check(&[("x", 2), ("y", 3)], 4, Relation::Eq, "2*x + 3*y = -4");
        check(&[], 4, Relation::Le, "0 >= 4");
    }

    #[test]
    fn inequalities_keep_the_first_variable_on_the_left() {
        check(&[("x", 1), ("y", -1)], 0, Relation::Le, "x <= y");
        check(&[("x", 1), ("y", -1)], 1, Relation::Le, "x < y");
        check(&[("x", 1), ("y", -1)], 2, Relation::Le, "x + 2 <= y");
        check(&[("x", 1), ("y", -1)], -2, Relation::Le, "x <= y + 2");
        check(&[("x", -1), ("y", 1)], 1, Relation::Le, "x > y");
        check(&[("x", -1), ("y", 1)], 2, Relation::Le, "x >= y + 2");
        check(&[("x", -1), ("y", 1), ("z", -3)], -2, Relation::Lt, "x + 3*z + 2 > y");
    }

    #[test]
    fn equalities_say_what_one_variable_is() {
        check(&[("x", 1), ("y", -1)], 0, Relation::Eq, "x = y");
        check(&[("x", 1), ("y", -1)], 0, Relation::Ne, "x != y");
        check(&[("x", 1), ("y", -1)], 1, Relation::Eq, "y = x + 1");
        check(&[("x", 2), ("y", -1)], 0, Relation::Eq, "y = 2*x");
        check(&[("x", 1), ("y", 1), ("z", -1)], 0, Relation::Eq, "z = x + y");
        check(&[("x", 2), ("y", -3)], -5, Relation::Ne, "2*x != 3*y + 5");
    }
}
