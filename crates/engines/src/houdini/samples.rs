//! States that random walks have seen: a clause that does not hold in one of them need not be tried.

use super::signs::Signs;
use super::vocabulary::{Atom, Vocabulary};
use crate::random_walk::random_walks;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::Spot;
use rely_logic::{Integer, VarId};
use rely_program::{Scope, Semantics, SlotId, State, ThreadId, Trace};
use rely_symbolic::{SpotId, System};
use rustc_hash::FxHashSet;

/// So many steps are walked.
const STEPS: u64 = 200_000;
/// So many different states are kept of each spot.
const MOST_PER_SPOT: usize = 4_096;

/// What was seen when a thread was at a spot.
pub(super) struct Samples {
    at: Vec<Vec<FxHashSet<u128>>>,
}

impl Samples {
    /// What walks see; or the run that violates the property, if one does.
    pub(super) fn new(system: &System<'_>, vocabulary: &Vocabulary, budget: &Budget) -> Result<Self, Trace> {
        let spots = system.threads.iter().map(|thread| vec![FxHashSet::default(); thread.spots.len()]);
        let mut samples = Samples { at: spots.collect() };
        let semantics = Semantics::new(system.program);
        let eye = Eye { system, semantics: &semantics };
        let see = &mut |state: &State| samples.see(&eye, vocabulary, state);
        match random_walks(system.program, system.goal, budget, STEPS, see) {
            Some(trace) => Err(trace),
            None => Ok(samples),
        }
    }

    /// The states that were seen at a spot, each as the atoms that held.
    pub(super) fn at(&self, thread: ThreadId, spot: SpotId) -> &FxHashSet<u128> {
        &self.at[thread.index()][spot.index()]
    }

    fn see(&mut self, eye: &Eye<'_, '_>, vocabulary: &Vocabulary, state: &State) {
        let places: Vec<SpotId> = eye.places(state);
        let mut holding = 0;
        for (id, atom) in vocabulary.atoms.iter() {
            let holds = match atom {
                Atom::Value(constraint) => constraint.holds(|cell| eye.value(state, cell)),
                Atom::Place { thread, spot } => places[thread.index()] == *spot,
            };
            if holds {
                holding |= Signs::one(id, true).holding();
            }
        }
        for (thread, spot) in places.into_iter().enumerate() {
            let seen = &mut self.at[thread][spot.index()];
            if seen.len() < MOST_PER_SPOT {
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
    fn places(&self, state: &State) -> Vec<SpotId> {
        let place = |thread: ThreadId| {
            let location = slot_of(state, thread).and_then(|slot| state.location(slot));
            self.system.spot(thread, location.map_or(Spot::Unstarted, Spot::At))
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
