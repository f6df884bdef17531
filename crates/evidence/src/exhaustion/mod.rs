//! Confirms a proof by exhaustion by exploring all states again.
//!
//! This is on purpose the plainest exploration there is: a set of states, every step of every
//! thread, no reduction. It shares with the engine that made the claim only the semantics.
//!
//! If the question is whether every run ends, every edge is a step of its own, and the graph of the states must
//! have no cycle: a run without end would visit one of its finitely many states twice. If only fair runs count, no
//! cycle may be [fair](fairness). If the question is whether a thread waits for ever, the graph must have no state from
//! which that is so (`waits`).
//!
//! A choice of a value that nobody looks at is not tried out (`unread`).

pub(crate) mod certificate;
mod cycles;
mod fairness;
mod independence;
mod inspection;
mod unread;
mod waits;

use crate::data::{Obstacle, ProofDefect};
use cycles::Graph;
use fairness::has_fair_cycle;
use indexmap::IndexSet;
use inspection::Inspector;
use rely_base::Budget;
use rely_program::{Goal, Program, Semantics, SlotId, State};
use rustc_hash::FxBuildHasher;
use waits::Waits;

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
    let program = unread::without_unread_choices(program, inspection::MOST_VALUES);
    let semantics = Semantics::new(&program);
    let mut inspector = Inspector::new(&semantics, goal, budget)?;
    let mut seen = Seen::default();
    inspector.initial_states(&mut |state| {
        // One state beyond the limit is enough to know that there are too many.
        if seen.states.len() <= limit { seen.add(&inspector, state).map(|_| ()) } else { Ok(()) }
    })?;
    let mut relations = Relations::new(goal);
    let Some(transitions) = expand_all(&mut inspector, &mut seen, &mut relations, limit, held_bytes)? else {
        return Ok(None);
    };
    let states = seen.states.len();
    let mut is_violated = relations.waits.is_some_and(|waits| !waits.stuck(states).is_empty());
    if let Some(graph) = relations.cycles {
        is_violated |= runs_for_ever(&semantics, &mut inspector, graph, goal, &seen)?;
    }
    if is_violated {
        return Err(ProofDefect::Violation.into());
    }
    Ok(Some(Explored { states: states as u64, transitions }))
}

/// The threads that wait in a state and will do so for ever; `None` if more than `limit` states can follow.
pub(crate) fn stuck_in(
    semantics: &Semantics<'_>,
    state: &State,
    budget: &Budget,
    limit: usize,
) -> Result<Option<Vec<SlotId>>, Obstacle> {
    let mut inspector = Inspector::new(semantics, Goal::Deadlock, budget)?;
    let mut seen = Seen::default();
    let first = seen.add(&inspector, state)?;
    let mut relations = Relations::new(Goal::Deadlock);
    if expand_all(&mut inspector, &mut seen, &mut relations, limit, 0)?.is_none() {
        return Ok(None);
    }
    let stuck = relations.waits.map_or(Vec::new(), |waits| waits.stuck(seen.states.len()));
    Ok(Some(stuck.into_iter().filter(|&(_, state)| state == first).map(|(slot, _)| slot).collect()))
}

/// What one has to know of the steps between states, besides where they lead.
struct Relations {
    /// Whether runs end.
    cycles: Option<Graph>,
    /// Whether threads wait for ever.
    waits: Option<Waits>,
}

impl Relations {
    fn new(goal: Goal) -> Self {
        Self {
            cycles: goal.is_termination().then(Graph::default),
            waits: (goal == Goal::Deadlock).then(Waits::default),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.cycles.as_ref().map_or(0, Graph::memory_bytes)
            + self.waits.as_ref().map_or(0, Waits::memory_bytes)
    }

    fn add_step(&mut self, from: usize, slot: SlotId, to: usize) {
        if let Some(graph) = &mut self.cycles {
            graph.add(from, slot, to);
        }
        if let Some(waits) = &mut self.waits {
            waits.add_step(from, to);
        }
    }
}

/// Visits all states that follow from those seen. The number of steps, or `None` if there are too many states.
fn expand_all(
    inspector: &mut Inspector<'_, '_>,
    seen: &mut Seen,
    relations: &mut Relations,
    limit: usize,
    held_bytes: usize,
) -> Result<Option<u64>, Obstacle> {
    let semantics = inspector.semantics();
    let (mut transitions, mut index) = (0, 0);
    let (mut state, mut reached, mut moved) = (State::default(), Vec::new(), Vec::new());
    while let Some(bytes) = seen.states.get_index(index) {
        if seen.states.len() > limit {
            return Ok(None);
        }
        inspector.check_memory(held_bytes + seen.memory_bytes() + relations.memory_bytes())?;
        semantics.unpack(bytes, &mut state).map_err(|_| ProofDefect::Inexact)?;
        let stands = inspector.all_steps(&state, &mut reached, &mut moved)?;
        if let Some(waits) = &mut relations.waits {
            stands.note(index, reached.is_empty(), waits);
        }
        // Who gets stuck inside of an atomic block has not moved.
        let is_inside = |next: &State| semantics.atomic_slot(next).is_some();
        if relations.cycles.is_some() && reached.iter().all(is_inside) {
            inspector.may_stand_still(&state)?;
        }
        transitions += reached.len() as u64;
        for (next, slot) in reached.drain(..).zip(moved.drain(..)) {
            let target = seen.add(inspector, &next)?;
            relations.add_step(index, slot, target);
        }
        index += 1;
    }
    Ok(Some(transitions))
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
