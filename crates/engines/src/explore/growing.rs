//! The search for loops that lead to other states for ever, among the states that were visited.
//!
//! If values grow, or take long to come back, no cycle of states shows a run without end. So from some of the states one
//! looks back along the run on which they were found: where all threads stood as they do now, a loop may begin. Whether
//! the steps since then can be repeated for ever, [`recurrence`] says, and so will the checker, of the program as it was
//! before passes.

use super::store::{StateId, StateStore};
use super::trace;
use crate::values::Values;
use rely_base::{Budget, Id, StopReason};
use rely_evidence::recurrence;
use rely_program::{Semantics, SlotId, State};

/// So many steps at most has a loop.
const LONGEST_LOOP: usize = 200;

/// So many loops at most that lead to one state are tried, the shortest ones first.
const MOST_LOOPS: usize = 6;

/// A loop, as the state to which it leads and the number of its steps.
pub(super) type Loop = (StateId, usize);

/// From which states one looks back: the first ones, and then in distances that grow with what was visited, so that all of them
/// together cost little, and loops are found early.
#[derive(Debug, Default)]
pub(super) struct Samples {
    next: usize,
}

impl Samples {
    /// A loop that can be repeated for ever and leads to one of the states that were not looked at before.
    pub(super) fn look(
        &mut self,
        semantics: &Semantics<'_>,
        values: &Values,
        store: &StateStore,
        fair: bool,
        budget: &Budget,
    ) -> Result<Option<Loop>, StopReason> {
        while self.next < store.len() {
            budget.check_now()?;
            let state = StateId::from_index(self.next);
            self.next += self.next / 16 + 1;
            if let Some(repeated) = repeated(semantics, values, store, (state, fair), budget)? {
                return Ok(Some((state, repeated)));
            }
        }
        Ok(None)
    }
}

/// How many of the last steps to a state can be repeated for ever.
fn repeated(
    semantics: &Semantics<'_>,
    values: &Values,
    store: &StateStore,
    (last, fair): (StateId, bool),
    budget: &Budget,
) -> Result<Option<usize>, StopReason> {
    let unpacked = |state: StateId| {
        let mut result = State::default();
        semantics.unpack(store.bytes(state), &mut result).expect("the store holds what was packed");
        result
    };
    let end = unpacked(last);
    let (mut way, mut tried) = (vec![(last, None::<SlotId>)], 0);
    while let Some(before) = store.parent(way[way.len() - 1].0) {
        way.push((before, None));
        let begin = unpacked(before);
        if way.len() > LONGEST_LOOP || tried == MOST_LOOPS {
            break;
        }
        if !has_same_places(&begin, &end) {
            continue;
        }
        tried += 1;
        let around: Vec<_> = way.iter().rev().copied().collect();
        let steps = trace::steps_along(semantics, values, store, &around, budget)?;
        if recurrence(semantics, &begin, &steps).is_some_and(|set| set.is_fair() || !fair) {
            return Ok(Some(steps.len()));
        }
    }
    Ok(None)
}

/// Whether threads stand where they stood before; there may be new ones.
fn has_same_places(before: &State, now: &State) -> bool {
    now.slots().len() >= before.slots().len()
        && before.slots().all(|slot| before.location(slot) == now.location(slot))
}
