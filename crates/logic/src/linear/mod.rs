//! Linear forms over typed variables, and the constraints made of them.
//!
//! Every question that reaches the solver is a set of [`Constraint`]s: a [`LinearForm`] compared
//! with zero, in a normal form that two equal constraints share.

mod constraint;
mod form;
mod sides;

pub use constraint::{Constraint, Relation};
pub use form::{LinearForm, NumberedNames, VarNames};
pub(crate) use sides::{Comparison, Side, Sides};

rely_base::define_id!(
    /// A variable. Its name, sort and copy live in the [`TermPool`](crate::TermPool) that made it;
    /// linear forms and the solver need the number alone.
    pub struct VarId
);

/// Over which numbers a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Domain {
    /// Every variable is an integer; constraints are tightened accordingly.
    #[default]
    Integers,
    /// Every variable is a rational; strict inequalities stay strict.
    Rationals,
}
