//! Confirms a proof by exhaustion by exploring all states again.
//!
//! This is on purpose the plainest exploration there is: a set of states, every step of every
//! thread, no reduction. It shares with the engine that made the claim only the semantics.
//!
//! If the question is whether every run ends, every edge is a step of its own, and the graph of the states must
//! have no cycle: a run without end would visit one of its finitely many states twice. If only fair runs count, no
//! cycle may be [fair](fairness).

pub(crate) mod certificate;
mod cycles;
mod fairness;
mod independence;
mod inspection;

use crate::data::{Obstacle, ProofDefect};
use cycles::Graph;
use fairness::has_fair_cycle;
use indexmap::IndexSet;
use inspection::Inspector;
use rely_base::Budget;
use rely_program::{Goal, Program, Semantics, State};
use rustc_hash::FxBuildHasher;

/// What exploring all states has found when nothing was wrong.
#[derive(Debug)]
pub(crate) struct Explored {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
}

/// Explores at most `limit` states; `None` if there are more. The memory of what is being
/// checked, `held_bytes`, counts as well.
pub(crate) fn explore(
    program: &Program,
    goal: Goal,
    budget: &Budget,
    limit: usize,
    held_bytes: usize,
) -> Result<Option<Explored>, Obstacle> {
    let semantics = Semantics::new(program);
    let mut inspector = Inspector::new(&semantics, goal, budget)?;
    let mut seen = Seen::default();
    inspector.initial_states(&mut |state| {
        // One state beyond the limit is enough to know that there are too many.
        if seen.states.len() <= limit { seen.add(&inspector, state).map(|_| ()) } else { Ok(()) }
    })?;
    let (mut transitions, mut index) = (0, 0);
    let mut graph = goal.is_termination().then(Graph::default);
    let (mut state, mut reached, mut moved) = (State::default(), Vec::new(), Vec::new());
    while let Some(bytes) = seen.states.get_index(index) {
        if seen.states.len() > limit {
            return Ok(None);
        }
        let graph_bytes = graph.as_ref().map_or(0, Graph::memory_bytes);
        budget.check_memory(held_bytes + seen.memory_bytes() + graph_bytes)?;
        semantics.unpack(bytes, &mut state).map_err(|_| ProofDefect::Inexact)?;
        let mut stuck = true;
        for slot in state.slots() {
            let summary = inspector.steps(&state, slot, &mut reached)?;
            stuck &= !summary.moved && !summary.failed;
            moved.resize(reached.len(), slot);
        }
        // Who gets stuck inside of an atomic block has not moved.
        let is_inside = |next: &State| semantics.atomic_slot(next).is_some();
        if stuck || (graph.is_some() && reached.iter().all(is_inside)) {
            inspector.may_stand_still(&state)?;
        }
        transitions += reached.len() as u64;
        for (next, slot) in reached.drain(..).zip(moved.drain(..)) {
            let target = seen.add(&inspector, &next)?;
            if let Some(graph) = &mut graph {
                graph.add(index, slot, target);
            }
        }
        index += 1;
    }
    if let Some(graph) = graph
        && runs_for_ever(&semantics, &mut inspector, graph, goal, &seen)?
    {
        return Err(ProofDefect::Violation.into());
    }
    Ok(Some(Explored { states: seen.states.len() as u64, transitions }))
}

/// Whether some run that counts goes on for ever.
fn runs_for_ever(
    semantics: &Semantics<'_>,
    inspector: &mut Inspector<'_, '_>,
    mut graph: Graph,
    goal: Goal,
    seen: &Seen,
) -> Result<bool, Obstacle> {
    let count = seen.states.len();
    if goal != Goal::FairTermination || !graph.has_cycle(count) {
        return Ok(graph.has_cycle(count));
    }
    let states = |number: usize, state: &mut State| -> Result<(), Obstacle> {
        let bytes = seen.states.get_index(number).ok_or(ProofDefect::Inexact)?;
        Ok(semantics.unpack(bytes, state).map_err(|_| ProofDefect::Inexact)?)
    };
    has_fair_cycle(semantics, inspector, &graph, (count, &states))
}

/// The states found so far, encoded, in the order in which they are expanded.
#[derive(Default)]
struct Seen {
    states: IndexSet<Box<[u8]>, FxBuildHasher>,
    string_bytes: usize,
    bytes: Vec<u8>,
    back: State,
}

impl Seen {
    /// The number of a state, which is new if it was not seen yet.
    fn add(&mut self, inspector: &Inspector<'_, '_>, state: &State) -> Result<usize, Obstacle> {
        inspector.pack(state, &mut self.bytes, &mut self.back)?;
        if let Some(index) = self.states.get_index_of(self.bytes.as_slice()) {
            return Ok(index);
        }
        inspector.properties_hold(state)?;
        self.string_bytes += self.bytes.len();
        Ok(self.states.insert_full(self.bytes.as_slice().into()).0)
    }

    /// An estimate: each string is an allocation of its own with an entry in the set.
    fn memory_bytes(&self) -> usize {
        const PER_ALLOCATION: usize = 16;
        const PER_ENTRY: usize = size_of::<(Box<[u8]>, u64)>() + size_of::<u64>();
        self.string_bytes + self.states.len() * PER_ALLOCATION + self.states.capacity() * PER_ENTRY
    }
}
