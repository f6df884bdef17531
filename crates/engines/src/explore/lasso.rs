//! The search for lassos: runs that get to a state (the stem) and from there back to it (the loop).
//!
//! Every edge is a step of its own, since a thread can go round inside of an atomic block for ever, and no step is
//! left out: an order that does not matter for where a run leads can matter for whether it ends. The steps between
//! states are kept. A cycle of them, with the way to it, is a run that never ends; a state in
//! which nothing moves, and not all has ended, is wrong as well. A loop need not come back to a state (see
//! [`growing`](super::growing)). If all states were visited and there is neither,
//! every run ends.

use super::cycles::{Graph, Link};
use super::fair::{Resting, fair_cycle};
use super::growing::Samples;
use super::store::{Insertion, StateId, StateStore};
use super::trace;
use crate::values::Values;
use rely_base::{Budget, Id, Observer, Progress};
use rely_evidence::{Claim, Exhausted, Proof, Reason, Reduction};
use rely_program::{
    InitialStatesError, Reached, SearchError, Semantics, SlotId, SlotStatus, State, Successors,
    ThreadProgress, Violation,
};
use std::ops::ControlFlow;

/// How often progress is reported and memory measured, in states.
const STATES_PER_REPORT: usize = 1 << 10;

/// After so many states one looks for cycles for the first time, and again whenever they have doubled: a
/// program with very many states may go round among the first.
const STATES_AT_FIRST: usize = 1 << 10;

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// So many states at most.
    pub(super) max_states: u64,
    /// Only fair runs count.
    pub(super) fair: bool,
}

/// The search and all that it has found out.
pub(super) struct LassoSearch<'a, 'p> {
    semantics: &'a Semantics<'p>,
    values: &'a Values,
    scope: Scope,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    store: StateStore,
    graph: Graph,
    packed: Vec<u8>,
    /// Some values were not tried.
    sampled: bool,
    /// The first thing without a meaning that some run has met.
    trouble: Option<Reason>,
    /// Where one has looked for loops that lead to other states for ever.
    samples: Samples,
}

impl<'a, 'p> LassoSearch<'a, 'p> {
    pub(super) fn new(
        semantics: &'a Semantics<'p>,
        values: &'a Values,
        scope: Scope,
        budget: &'a Budget,
        observer: &'a dyn Observer,
    ) -> Self {
        let (store, graph) = (StateStore::new(), Graph::default());
        let (packed, samples) = (Vec::new(), Samples::default());
        Self {
            semantics,
            values,
            scope,
            budget,
            observer,
            store,
            graph,
            packed,
            sampled: false,
            trouble: None,
            samples,
        }
    }

    /// Searches until a run does not end, nothing is left, or it has to stop.
    pub(super) fn run(mut self) -> Claim {
        match self.start().and_then(|()| self.expand_all()) {
            Err(claim) => *claim,
            Ok(()) => self.exhausted(),
        }
    }

    fn start(&mut self) -> Result<(), Box<Claim>> {
        let (semantics, values, budget) = (self.semantics, self.values, self.budget);
        let mut stop = None;
        let complete =
            semantics.initial_states(values, budget, &mut |_, state| match self.add(state, None) {
                Ok(_) => ControlFlow::Continue(()),
                Err(reason) => {
                    stop = Some(reason);
                    ControlFlow::Break(())
                }
            });
        match (stop, complete) {
            (Some(reason), _) => Err(Box::new(Claim::Unknown(reason))),
            (None, Ok(complete)) => {
                self.sampled |= !complete;
                Ok(())
            }
            (None, Err(InitialStatesError::Precondition(error))) => {
                Err(Box::new(Claim::Unknown(Reason::UndefinedPrecondition(error))))
            }
            (None, Err(InitialStatesError::Search(error))) => Err(stopped(error)),
        }
    }

    fn add(&mut self, state: &State, parent: Option<StateId>) -> Result<StateId, Reason> {
        self.packed.clear();
        self.semantics.pack(state, &mut self.packed);
        match self.store.insert(&self.packed, parent) {
            Insertion::Known(id) => Ok(id),
            Insertion::New(id) if self.store.len() as u64 <= self.scope.max_states => Ok(id),
            Insertion::New(_) | Insertion::Full => Err(Reason::StateLimit(self.store.len() as u64 - 1)),
        }
    }

    fn expand_all(&mut self) -> Result<(), Box<Claim>> {
        let (semantics, budget) = (self.semantics, self.budget);
        let mut successors = Successors::new(semantics, self.values, budget);
        let mut state = State::default();
        let (mut index, mut next_look) = (0, STATES_AT_FIRST);
        while let Some((id, bytes)) = self.store.get(index) {
            semantics.unpack(bytes, &mut state).expect("the store holds what was packed");
            if index.is_multiple_of(STATES_PER_REPORT)
                && let Err(claim) = self.report(index)
            {
                // What was seen until here may be enough.
                self.look_for_cycle()?;
                return Err(claim);
            }
            if index == next_look {
                next_look *= 2;
                self.look_for_cycle()?;
            }
            if let Err(claim) = self.expand(id, &state, &mut successors) {
                self.look_for_cycle()?;
                return Err(claim);
            }
            index += 1;
        }
        self.report(index)?;
        self.look_for_cycle()
    }

    fn expand(
        &mut self,
        id: StateId,
        state: &State,
        successors: &mut Successors<'_, '_>,
    ) -> Result<(), Box<Claim>> {
        let semantics = self.semantics;
        let mut leaves_blocks = false;
        for slot in state.slots().filter(|&slot| semantics.status(state, slot) == SlotStatus::Running) {
            let mut stop = None;
            let summary = successors.for_each_edge(state, slot, &mut |step| {
                let Reached::State(next) = step.reached else {
                    leaves_blocks = true;
                    return ControlFlow::Continue(());
                };
                leaves_blocks |= semantics.atomic_slot(next).is_none();
                match self.add(next, Some(id)) {
                    Ok(target) => {
                        self.graph.add(id.index(), slot, target.index());
                        ControlFlow::Continue(())
                    }
                    Err(reason) => {
                        stop = Some(reason);
                        ControlFlow::Break(())
                    }
                }
            });
            match (stop, summary) {
                (Some(reason), _) => return Err(Box::new(Claim::Unknown(reason))),
                (None, Ok(summary)) => self.sampled |= summary.incomplete,
                (None, Err(error)) => self.meets(error)?,
            }
        }
        if leaves_blocks { Ok(()) } else { self.may_stand_still(id, state, successors) }
    }

    fn may_stand_still(
        &mut self,
        id: StateId,
        state: &State,
        successors: &mut Successors<'_, '_>,
    ) -> Result<(), Box<Claim>> {
        match successors.is_deadlock(state) {
            Ok(Some(true)) => Err(Box::new(self.shown(&self.way_to(id), Violation::Deadlock))),
            Ok(Some(false)) => Ok(()),
            Ok(None) => {
                self.sampled = true;
                Ok(())
            }
            Err(error) => self.meets(error),
        }
    }

    fn meets(&mut self, error: SearchError) -> Result<(), Box<Claim>> {
        match error {
            SearchError::Step(error) => {
                self.trouble.get_or_insert(Reason::NoMeaning(error));
                Ok(())
            }
            error @ SearchError::Stopped(_) => Err(stopped(error)),
        }
    }

    fn look_for_cycle(&mut self) -> Result<(), Box<Claim>> {
        let Some((first, cycle)) = self.cycle()? else { return self.look_for_growth() };
        let mut way = self.way_to(StateId::from_index(first));
        way.extend(cycle.iter().map(|&(state, slot)| (StateId::from_index(state), slot)));
        Err(Box::new(self.shown(&way, Violation::Lasso(cycle.len()))))
    }

    /// Looks for a loop that can be repeated for ever although it leads to other states.
    fn look_for_growth(&mut self) -> Result<(), Box<Claim>> {
        let stop = |reason| Box::new(Claim::Unknown(Reason::Stopped(reason)));
        let LassoSearch { semantics, values, budget, store, .. } = self;
        let found = self.samples.look(semantics, values, store, self.scope.fair, budget).map_err(stop)?;
        let Some((last, repeated)) = found else { return Ok(()) };
        Err(Box::new(self.shown(&self.way_to(last), Violation::Lasso(repeated))))
    }

    /// The first state of a cycle that counts, and the steps that lead back to it.
    fn cycle(&self) -> Result<Option<(usize, Vec<Link>)>, Box<Claim>> {
        let states = self.store.len();
        if self.scope.fair {
            let successors = Successors::new(self.semantics, self.values, self.budget);
            let mut resting = Stored { search: self, successors, state: State::default() };
            return fair_cycle(&self.graph, states, &mut resting);
        }
        let components = self.graph.components(states, |_| true);
        let first = components.cyclic().first().map(|members| members[0]);
        Ok(first.map(|first| (first, components.cycle_through(first))))
    }

    fn way_to(&self, state: StateId) -> Vec<(StateId, Option<SlotId>)> {
        trace::way_to(&self.store, state).into_iter().map(|state| (state, None)).collect()
    }

    fn shown(&self, way: &[(StateId, Option<SlotId>)], violation: Violation) -> Claim {
        let run = trace::along(self.semantics, self.values, &self.store, way, self.budget);
        match run {
            Ok((initial, steps)) => Claim::Unsafe(rely_program::Trace { initial, steps, violation }),
            Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
        }
    }

    fn exhausted(self) -> Claim {
        if let Some(trouble) = self.trouble {
            return Claim::Unknown(trouble);
        }
        if self.sampled {
            return Claim::Unknown(Reason::Sampled);
        }
        Claim::Safe(Proof::Exhausted(Exhausted {
            states: self.store.len() as u64,
            transitions: self.graph.len() as u64,
            reduction: Reduction::None,
            visited: None,
        }))
    }

    fn report(&self, expanded: usize) -> Result<(), Box<Claim>> {
        let stop = |reason| Box::new(Claim::Unknown(Reason::Stopped(reason)));
        let bytes = self.store.memory_bytes() + self.graph.memory_bytes();
        self.budget.check_now().map_err(stop)?;
        self.budget.check_memory(bytes).map_err(stop)?;
        let states = self.store.len();
        self.observer.progress(&Progress {
            activity: "exploring",
            counts: vec![
                ("states", states as u64),
                ("transitions", self.graph.len() as u64),
                ("frontier", (states - expanded) as u64),
                ("bytes", bytes as u64),
            ],
        });
        Ok(())
    }
}

/// The stored states, of which some are looked at again.
struct Stored<'s, 'a, 'p> {
    search: &'s LassoSearch<'a, 'p>,
    successors: Successors<'s, 'p>,
    state: State,
}

impl Stored<'_, '_, '_> {
    fn unpack(&mut self, state: usize) {
        let bytes = self.search.store.bytes(StateId::from_index(state));
        self.search.semantics.unpack(bytes, &mut self.state).expect("the store holds what was packed");
    }
}

impl Resting for Stored<'_, '_, '_> {
    type Stop = Box<Claim>;

    fn is_inside_block(&mut self, state: usize) -> bool {
        self.unpack(state);
        self.search.semantics.atomic_slot(&self.state).is_some()
    }

    fn slots(&mut self, state: usize) -> Vec<SlotId> {
        self.unpack(state);
        self.state.slots().collect()
    }

    fn rests(&mut self, state: usize, slot: SlotId) -> Result<bool, Box<Claim>> {
        self.unpack(state);
        match self.successors.progress(&self.state, slot) {
            Ok((ThreadProgress::CanMove, _) | (_, false)) | Err(SearchError::Step(_)) => Ok(false),
            Ok((_, true)) => Ok(true),
            Err(error) => Err(stopped(error)),
        }
    }
}

fn stopped(error: SearchError) -> Box<Claim> {
    Box::new(Claim::Unknown(match error {
        SearchError::Step(error) => Reason::NoMeaning(error),
        SearchError::Stopped(reason) => Reason::Stopped(reason),
    }))
}
