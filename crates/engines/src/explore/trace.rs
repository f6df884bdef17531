//! From a violation in the store back to the run that leads there.
//!
//! The store only remembers from which state each one was found; which thread moved, along
//! which edges and with which values, is found again by trying the steps of that state.

use super::search::Found;
use super::store::{StateId, StateStore};
use crate::values::Values;
use rely_base::{Budget, StopReason};
use rely_program::{
    InitialStatesError, Reached, SearchError, Semantics, State, Successors, Trace, TraceStep, Value,
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
    let mut way = vec![found.at];
    while let Some(parent) = store.parent(way[way.len() - 1]) {
        way.push(parent);
    }
    way.reverse();
    let initial = initial_choices(semantics, values, store.bytes(way[0]), budget)?;
    let mut successors = Successors::new(semantics, values, budget);
    let mut steps = Vec::new();
    for link in way.windows(2) {
        steps.extend(step_between(semantics, &mut successors, store, link[0], link[1])?);
    }
    steps.extend(found.last_step);
    Ok(Trace { initial, steps, violation: found.violation })
}

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

/// The edges of a complete step from one state to another.
fn step_between(
    semantics: &Semantics<'_>,
    successors: &mut Successors<'_, '_>,
    store: &StateStore,
    from: StateId,
    to: StateId,
) -> Result<Vec<TraceStep>, StopReason> {
    let mut state = State::default();
    semantics.unpack(store.bytes(from), &mut state).expect("the store holds what was packed");
    let (mut steps, mut packed) = (Vec::new(), Vec::new());
    for slot in state.slots() {
        let searched = successors.for_each(&state, slot, &mut |step| {
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
