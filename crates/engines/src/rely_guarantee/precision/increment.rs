//! What a refinement adds to a precision.

use super::Precision;
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::ControlPointId;

/// Something to track from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PrecisionIncrement {
    /// A predicate of a thread, which needs it at a control point.
    Predicate { thread: ThreadId, point: ControlPointId, constraint: Constraint },
    /// Whether another thread is at one of some control points.
    Place { observer: ThreadId, observed: ThreadId, points: Vec<ControlPointId> },
    /// That a cell counts threads.
    Count(VarId),
}

impl PrecisionIncrement {
    pub(crate) fn is_place(&self) -> bool {
        matches!(self, PrecisionIncrement::Place { .. })
    }

    /// Makes it part of the precision; says whether it is new there.
    pub(crate) fn apply(&self, precision: &mut Precision) -> bool {
        match self {
            PrecisionIncrement::Predicate { thread, point, constraint } => {
                precision.track(*thread, *point, constraint)
            }
            PrecisionIncrement::Place { observer, observed, points } => {
                precision.tell_apart(*observer, *observed, points)
            }
            PrecisionIncrement::Count(cell) => precision.count(*cell),
        }
    }
}
