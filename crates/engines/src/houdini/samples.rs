//! States that random walks have seen: a clause that does not hold in one of them need not be tried.

use super::limits::Limits;
use super::signs::Signs;
use super::vocabulary::{Atom, Vocabulary};
use crate::random_walk::{WalkLimits, random_walks};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Integer, VarId};
use rely_program::{Scope, Semantics, SlotId, State, ThreadId, Trace};
use rely_symbolic::{ControlPointId, System};
use rustc_hash::FxHashSet;

/// What was seen when a thread was at a control point.
pub(super) struct Samples {
    most_per_point: usize,
    at: Vec<Vec<FxHashSet<u128>>>,
}

impl Samples {
    /// What walks see; or the run that violates the property, if one does.
    pub(super) fn new(
        system: &System<'_>,
        vocabulary: &Vocabulary,
        limits: Limits,
        walks: WalkLimits,
        budget: &Budget,
    ) -> Result<Self, Trace> {
        let points = system.threads.iter().map(|thread| vec![FxHashSet::default(); thread.points.len()]);
        let mut samples = Samples { at: points.collect(), most_per_point: limits.samples_per_point };
        let semantics = Semantics::new(system.program);
        let eye = Eye { system, semantics: &semantics };
        let see = &mut |state: &State| samples.see(&eye, vocabulary, state);
        match random_walks(system.program, system.goal, walks, budget, limits.walk_steps as u64, see) {
            Some(trace) => Err(trace),
            None => Ok(samples),
        }
    }

    /// The states that were seen at a control point, each as the atoms that held.
    pub(super) fn at(&self, thread: ThreadId, point: ControlPointId) -> &FxHashSet<u128> {
        &self.at[thread.index()][point.index()]
    }

    fn see(&mut self, eye: &Eye<'_, '_>, vocabulary: &Vocabulary, state: &State) {
        let places: Vec<ControlPointId> = eye.places(state);
        let mut holding = 0;
        for (id, atom) in vocabulary.atoms.iter() {
            let holds = match atom {
                Atom::Value(constraint) => constraint.holds(|cell| eye.value(state, cell)),
                Atom::Place { thread, point } => places[thread.index()] == *point,
            };
            if holds {
                holding |= Signs::one(id, true).holding();
            }
        }
        for (thread, point) in places.into_iter().enumerate() {
            let seen = &mut self.at[thread][point.index()];
            if seen.len() < self.most_per_point {
                seen.insert(holding);
            }
        }
    }
}

/// Looks at states of a program without templates.
struct Eye<'e, 'p> {
    system: &'e System<'p>,
    semantics: &'e Semantics<'p>,
}

impl Eye<'_, '_> {
    /// Where each thread is.
    fn places(&self, state: &State) -> Vec<ControlPointId> {
        let place = |thread: ThreadId| {
            let location = slot_of(state, thread).and_then(|slot| state.location(slot));
            self.system.point(thread, location.map_or(ControlPoint::Unstarted, ControlPoint::At))
        };
        self.system.thread_ids().map(place).collect()
    }

    fn value(&self, state: &State, cell: VarId) -> Integer {
        let Some((var, index)) = self.system.cells.variable(cell) else { return Integer::default() };
        let values = match self.system.program.vars()[var].scope {
            Scope::Global => self.semantics.global(state, var),
            Scope::Local(thread) => match slot_of(state, thread) {
                Some(slot) => self.semantics.local(state, slot, var),
                None => &[],
            },
        };
        values.get(index).copied().map_or_else(Integer::default, Integer::from)
    }
}

/// The slot of an instance.
fn slot_of(state: &State, thread: ThreadId) -> Option<SlotId> {
    state.slots().find(|&slot| state.thread(slot) == thread)
}
