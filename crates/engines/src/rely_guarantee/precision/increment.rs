//! What a refinement adds to a precision.

use super::Precision;
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::SpotId;

/// Something to track from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PrecisionIncrement {
    /// A predicate of a thread, which needs it at a spot.
    Predicate { thread: ThreadId, spot: SpotId, constraint: Constraint },
    /// Whether another thread is at one of some spots.
    Place { observer: ThreadId, observed: ThreadId, spots: Vec<SpotId> },
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
            PrecisionIncrement::Predicate { thread, spot, constraint } => {
                precision.track(*thread, *spot, constraint)
            }
            PrecisionIncrement::Place { observer, observed, spots } => {
                precision.tell_apart(*observer, *observed, spots)
            }
            PrecisionIncrement::Count(cell) => precision.count(*cell),
        }
    }
}
