//! What the steps of a thread look like to the others, and where threads are.

use super::assertion::DisjunctId;
use super::model::{Model, Step, StepId};
use super::transition::Transition;
use rely_base::Arena;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::ThreadId;
use rely_symbolic::PlaceTest;

/// Where each thread is.
pub(super) type Places = Arena<ThreadId, ControlPoint>;

/// A thread at one of its control points.
pub(super) type Point = (ThreadId, ControlPoint);

/// One transition of a guarantee: what a step from one disjunct looks like to the others.
#[derive(Clone, Debug)]
pub(super) struct Guarantee {
    pub(super) step: StepId,
    /// The disjunct of the acting thread's assertion from which it starts.
    pub(super) origin: DisjunctId,
    pub(super) transition: Transition,
}

/// Whether other threads can notice a step.
pub(super) fn is_visible(model: &Model<'_>, step: &Step) -> bool {
    let writes_global =
        step.transition.written.iter().any(|(before, _)| model.cells.owner(*before).is_none());
    writes_global || !step.started.is_empty() || !step.spawned.is_empty()
}

/// Whether a thread at a control point is where the tests want it, as far as they speak of it.
pub(super) fn admits(places: &[PlaceTest], thread: ThreadId, point: ControlPoint) -> bool {
    places.iter().all(|test| test.thread != thread || test.points.contains(&point))
}
