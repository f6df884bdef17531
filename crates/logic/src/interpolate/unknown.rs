//! Why there is no answer.

use std::fmt;

use crate::conjunction::Reason;

/// Why an interpolation problem was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// The solver gave up on a question that had to be answered.
    Solver(Reason),
    /// There are too many cases to distinguish.
    Cases,
    /// The clauses unfold into too many parts.
    Parts,
    /// The clauses are recursive.
    Recursive,
    /// Products, functions or arrays take part, and what was assumed about them does not suffice.
    Nonlinear,
    /// A refutation was found, but it cannot be divided among the parts.
    Indivisible,
    /// What was found did not pass the final check.
    Rejected,
}

impl From<Reason> for Unknown {
    fn from(reason: Reason) -> Self {
        Unknown::Solver(reason)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Solver(reason) => write!(f, "{reason}"),
            Unknown::Cases => f.write_str("there are too many cases"),
            Unknown::Parts => f.write_str("the clauses unfold into too many parts"),
            Unknown::Recursive => f.write_str("the clauses are recursive"),
            Unknown::Nonlinear => f.write_str("it needs more than linear arithmetic"),
            Unknown::Indivisible => f.write_str("the refutation cannot be divided among the parts"),
            Unknown::Rejected => f.write_str("what was found did not pass the check"),
        }
    }
}
