//! Numeric abstract domains: sets of integer points described by simple constraints.
//!
//! | domain | constraints | cost |
//! |---|---|---|
//! | [`Intervals`] | `low <= x <= high` | linear |
//! | [`Octagons`] | `±x ± y <= c` | cubic in the number of related variables |
//! | [`Polyhedra`] | any linear ones | simplex and Fourier-Motzkin |
//!
//! All of them over-approximate: an operation never loses a point, and
//! [`entails`](NumericDomain::entails) says yes only if it is so. That is what property tests check, point
//! by point.

mod interval;
mod octagon;
mod polyhedron;

pub use interval::{Interval, Intervals};
pub use octagon::Octagons;
pub use polyhedron::Polyhedra;

use crate::linear::{Constraint, LinearForm, VarId};

/// A set of integer points that can be joined, widened and asked.
///
/// ```
/// use rely_base::Id;
/// use rely_logic::domains::{NumericDomain, Octagons};
/// use rely_logic::{Constraint, LinearForm, VarId};
///
/// let [i, n] = [0, 1].map(VarId::from_index);
/// // i := 0; while i < n { i := i + 1 }, looked at from the head of the loop
/// let mut entry = Octagons::top();
/// entry.meet(&Constraint::ge(&LinearForm::variable(n), &LinearForm::constant(0)));
/// entry.assign(i, &LinearForm::constant(0));
/// let mut head = entry.clone();
/// loop {
///     let mut body = head.clone();
///     body.meet(&Constraint::lt(&LinearForm::variable(i), &LinearForm::variable(n)));
///     body.assign(i, &LinearForm::new([(i, 1)], 1));
///     let next = head.join(&body);
///     if head.includes(&next) {
///         break;
///     }
///     head = head.widen(&next);
/// }
/// assert!(head.entails(&Constraint::le(&LinearForm::variable(i), &LinearForm::variable(n))));
/// ```
pub trait NumericDomain: Clone + std::fmt::Debug {
    /// All points.
    fn top() -> Self;

    /// No point.
    fn bottom() -> Self;

    /// Whether there is certainly no point.
    fn is_bottom(&self) -> bool;

    /// Keeps the points that satisfy the constraint (and perhaps more, never fewer).
    fn meet(&mut self, constraint: &Constraint);

    /// The variable may have any value.
    fn forget(&mut self, variable: VarId);

    /// The variable gets a new value, which may depend on its old one.
    fn assign(&mut self, variable: VarId, value: &LinearForm);

    /// Contains all points of both.
    fn join(&self, other: &Self) -> Self;

    /// Contains all points of both, and a chain of widenings ends.
    fn widen(&self, next: &Self) -> Self;

    /// For a `next` inside of this: something between the two; a chain of narrowings by
    /// descending elements ends.
    fn narrow(&self, next: &Self) -> Self;

    /// Whether every point certainly satisfies the constraint.
    fn entails(&self, constraint: &Constraint) -> bool;

    /// Constraints that describe exactly this set.
    fn constraints(&self) -> Vec<Constraint>;

    /// Whether every point of `other` is certainly one of this.
    fn includes(&self, other: &Self) -> bool {
        other.is_bottom() || self.constraints().iter().all(|constraint| other.entails(constraint))
    }
}

#[cfg(test)]
mod tests;
