//! From a violation in the store back to the run that leads there.
//!
//! The store only remembers from which state each one was found; which thread moved, along
//! which edges and with which values, is found again by trying the steps of that state.

use super::search::Found;
use super::store::{StateId, StateStore};
use crate::values::Values;
use rely_base::{Budget, StopReason};
use rely_program::{
    CompleteStep, InitialStatesError, Reached, SearchError, Semantics, SlotId, State, Successors, Summary,
    Trace, TraceStep, Value,
};
use std::ops::ControlFlow;

/// The run to a violation that was found, unless the budget ends.
pub(super) fn rebuild(
    semantics: &Semantics<'_>,
    values: &Values,
    store: &StateStore,
    found: Found,
    budget: &Budget,
) -> Result<Trace, StopReason> {
    let way = way_to(store, found.at);
    let initial = initial_choices(semantics, values, store.bytes(way[0]), budget)?;
    let mut successors = Successors::new(semantics, values, budget);
    let mut steps = Vec::new();
    for link in way.windows(2) {
        let step = &mut |state: &State, slot, visit: Visit<'_>| successors.for_each(state, slot, visit);
        steps.extend(step_between(semantics, step, store, link[0], link[1])?);
    }
    steps.extend(found.last_step);
    Ok(Trace { initial, steps, violation: found.violation })
}

/// The states through which a state was found first.
pub(super) fn way_to(store: &StateStore, state: StateId) -> Vec<StateId> {
    let mut way = vec![state];
    while let Some(parent) = store.parent(way[way.len() - 1]) {
        way.push(parent);
    }
    way.reverse();
    way
}

/// The run through the given states, from each to the next along a single edge, of the given thread if one is given:
/// its initial values and its steps.
pub(super) fn along(
    semantics: &Semantics<'_>,
    values: &Values,
    store: &StateStore,
    way: &[(StateId, Option<SlotId>)],
    budget: &Budget,
) -> Result<(Vec<Value>, Vec<TraceStep>), StopReason> {
    let initial = initial_choices(semantics, values, store.bytes(way[0].0), budget)?;
    Ok((initial, steps_along(semantics, values, store, way, budget)?))
}

/// The steps of such a run alone, which may begin anywhere.
pub(super) fn steps_along(
    semantics: &Semantics<'_>,
    values: &Values,
    store: &StateStore,
    way: &[(StateId, Option<SlotId>)],
    budget: &Budget,
) -> Result<Vec<TraceStep>, StopReason> {
    let mut successors = Successors::new(semantics, values, budget);
    let mut steps = Vec::new();
    for link in way.windows(2) {
        let (to, by) = link[1];
        let step = &mut |state: &State, slot, visit: Visit<'_>| match by {
            Some(by) if by != slot => Ok(Summary::default()),
            _ => successors.for_each_edge(state, slot, visit),
        };
        steps.extend(step_between(semantics, step, store, link[0].0, to)?);
    }
    Ok(steps)
}

/// What is called with each step.
type Visit<'v> = &'v mut dyn FnMut(CompleteStep<'_>) -> ControlFlow<()>;

/// Calls it with all steps of a thread in a state.
type ForEach<'f> = dyn FnMut(&State, SlotId, Visit<'_>) -> Result<Summary, SearchError> + 'f;

fn initial_choices(
    semantics: &Semantics<'_>,
    values: &Values,
    wanted: &[u8],
    budget: &Budget,
) -> Result<Vec<Value>, StopReason> {
    let mut choices = Vec::new();
    let mut packed = Vec::new();
    let searched = semantics.initial_states(values, budget, &mut |chosen, state| {
        packed.clear();
        semantics.pack(state, &mut packed);
        if packed != wanted {
            return ControlFlow::Continue(());
        }
        choices = chosen.to_vec();
        ControlFlow::Break(())
    });
    match searched {
        Err(InitialStatesError::Search(SearchError::Stopped(reason))) => Err(reason),
        _ => Ok(choices),
    }
}

/// The edges of a step from one state to another.
fn step_between(
    semantics: &Semantics<'_>,
    for_each: &mut ForEach<'_>,
    store: &StateStore,
    from: StateId,
    to: StateId,
) -> Result<Vec<TraceStep>, StopReason> {
    let mut state = State::default();
    semantics.unpack(store.bytes(from), &mut state).expect("the store holds what was packed");
    let (mut steps, mut packed) = (Vec::new(), Vec::new());
    for slot in state.slots() {
        let searched = for_each(&state, slot, &mut |step| {
            let Reached::State(next) = step.reached else { return ControlFlow::Continue(()) };
            packed.clear();
            semantics.pack(next, &mut packed);
            if packed != store.bytes(to) {
                return ControlFlow::Continue(());
            }
            let taken = step.path().into_iter();
            steps = taken.map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices }).collect();
            ControlFlow::Break(())
        });
        if let Err(SearchError::Stopped(reason)) = searched {
            return Err(reason);
        }
        if !steps.is_empty() {
            break;
        }
    }
    Ok(steps)
}
