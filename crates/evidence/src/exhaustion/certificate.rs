//! Checks a proof by exhaustion against the list of states that it carries.
//!
//! # What is checked
//!
//! The list `s0, s1, ...` is accepted if every initial state is in it, no state in it and no
//! step from one violates the goal, and for each `si` one of these holds:
//!
//! * every step from `si` leads into the list; or
//! * there is a set of threads, of which one has a step from `si` to an `sj` with `j > i`, such
//!   that all their steps from `si` lead into the list, none of these steps can be noticed by a
//!   property that must always hold or ends the program, and nothing that the other threads may
//!   do before one of these moves reads or writes what their steps write, or writes what they
//!   read (see [`Independence::cluster`]).
//!
//! # Why that is a proof
//!
//! Suppose that a violation can be reached from some `si`; take one whose run `w` from `si` is
//! shortest, and among those the greatest `i`. `w` is not empty, since `si` was looked at. In
//! the first case its first step leads to a listed state with a shorter run: a contradiction.
//! In the second case, if threads of the set move in `w`, the first of their moves commutes
//! with all moves before it, so it could as well be the first: again a shorter run from a
//! listed state. If none of them moves in `w`, the step to `sj` commutes with all of `w`, so `w` can
//! also be run from `sj`: it fails the same check, or its last state satisfies the same
//! properties; and it does not end in a deadlock or in the end of all threads, since the
//! thread of that step can still move. A run of the same length from `sj` with `j > i`: a
//! contradiction.
//!
//! This is the theory of persistent sets (Godefroid) with the condition against ignored
//! threads in its form for breadth-first search (Bošnački and Holzmann): along the order of
//! the list, no thread is put off forever.

use super::independence::Independence;
use super::inspection::Inspector;
use crate::data::{Obstacle, ProofDefect, StateList};
use rely_base::Budget;
use rely_program::{Goal, Program, Semantics, SlotId, State};
use rustc_hash::FxHashMap;

/// Makes sure that the listed states are a proof of the goal; with `reduced`, steps may be
/// left out where their order with others does not matter.
pub(crate) fn check(
    program: &Program,
    goal: Goal,
    list: &StateList,
    reduced: bool,
    budget: &Budget,
) -> Result<(), Obstacle> {
    if goal.is_termination() {
        // A closed list says nothing about cycles in it.
        return Err(ProofDefect::UnsupportedGoal(goal).into());
    }
    let semantics = Semantics::new(program);
    let mut checker = Checker {
        semantics: &semantics,
        inspector: Inspector::new(&semantics, goal, budget)?,
        interference: reduced.then(|| Independence::new(program, goal)),
        places: index(list, budget)?,
        bytes: Vec::new(),
        back: State::default(),
    };
    checker.starts_in_list()?;
    let mut state = State::default();
    for (at, bytes) in list.iter().enumerate() {
        semantics.unpack(bytes, &mut state).map_err(|_| ProofDefect::NotAState(at))?;
        checker.inspector.properties_hold(&state)?;
        checker.stays_in_list(at, &state)?;
    }
    Ok(())
}

/// Where each state is in the list.
fn index<'l>(list: &'l StateList, budget: &Budget) -> Result<FxHashMap<&'l [u8], usize>, Obstacle> {
    const PER_ENTRY: usize = size_of::<(&[u8], usize)>() + 1;
    // A hash map has room for up to twice as many entries as it holds.
    budget.check_memory(list.memory_bytes() + 2 * list.len() * PER_ENTRY)?;
    let mut places = FxHashMap::default();
    for (at, bytes) in list.iter().enumerate() {
        budget.check()?;
        if places.insert(bytes, at).is_some() {
            return Err(ProofDefect::Repeated(at).into());
        }
    }
    Ok(places)
}

struct Checker<'a, 'p> {
    semantics: &'a Semantics<'p>,
    inspector: Inspector<'a, 'p>,
    interference: Option<Independence>,
    places: FxHashMap<&'a [u8], usize>,
    bytes: Vec<u8>,
    back: State,
}

/// Where the steps of one thread lead.
struct Steps {
    slot: SlotId,
    all_in_list: bool,
    one_leads_further: bool,
}

impl Checker<'_, '_> {
    fn starts_in_list(&mut self) -> Result<(), Obstacle> {
        let Self { inspector, places, bytes, back, .. } = self;
        inspector.initial_states(&mut |state| {
            inspector.pack(state, bytes, back)?;
            if places.contains_key(bytes.as_slice()) {
                Ok(())
            } else {
                Err(ProofDefect::InitialStateMissing.into())
            }
        })
    }

    fn stays_in_list(&mut self, at: usize, state: &State) -> Result<(), Obstacle> {
        let mut stuck = true;
        let mut threads = Vec::new();
        let mut reached = Vec::new();
        for slot in state.slots() {
            let summary = self.inspector.steps(state, slot, &mut reached)?;
            stuck &= !summary.moved && !summary.failed;
            let mut steps = Steps { slot, all_in_list: true, one_leads_further: false };
            for next in reached.drain(..) {
                self.inspector.pack(&next, &mut self.bytes, &mut self.back)?;
                let place = self.places.get(self.bytes.as_slice());
                steps.all_in_list &= place.is_some();
                steps.one_leads_further |= place.is_some_and(|&place| place > at);
            }
            threads.push(steps);
        }
        if stuck {
            self.inspector.may_stand_still(state)?;
        }
        if threads.iter().all(|steps| steps.all_in_list) || self.others_may_wait(state, &threads) {
            Ok(())
        } else {
            Err(ProofDefect::NotClosed(at).into())
        }
    }

    /// Whether the steps of some threads may be left out in this state.
    fn others_may_wait(&self, state: &State, threads: &[Steps]) -> bool {
        let Some(interference) = &self.interference else { return false };
        state.slots().filter_map(|first| interference.cluster(self.semantics, state, first)).any(|cluster| {
            let mut members = threads.iter().filter(|steps| cluster.contains(&steps.slot));
            members.clone().all(|steps| steps.all_in_list) && members.any(|steps| steps.one_leads_further)
        })
    }
}
