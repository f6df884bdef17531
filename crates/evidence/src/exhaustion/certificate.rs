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
//! properties; and it does not end in the end of all threads, since the
//! thread of that step can still move. A run of the same length from `sj` with `j > i`: a
//! contradiction.
//!
//! For threads that wait for ever, a violation is a state in which a thread is stuck (see `waits`), and no state of
//! the list may be one, as far as its steps inside of the list show. The argument above applies: being stuck is not
//! noticed before it is looked at, and once stuck, a thread stays so whatever others do. The run `w` leads to a
//! state in which a thread `t` is stuck. If no thread of the set moves in `w`, the step to `sj` is none of `t`, which
//! could still make it behind `w`, and behind that step `t` is stuck as before. So a listed state is one in which a
//! thread is stuck; but from each state in which a thread waits, steps inside of the list, which are steps of the
//! program, lead to one in which it does not. This needs that every run counts, or the step to `sj` might lead to where
//! none does; so of programs with conditions without which runs do not count, only complete lists are accepted.
//!
//! This is the theory of persistent sets (Godefroid) with the condition against ignored
//! threads in its form for breadth-first search (Bošnački and Holzmann): along the order of
//! the list, no thread is put off forever.

use super::independence::Independence;
use super::inspection::{Inspector, Stands};
use super::waits::Waits;
use crate::data::{Obstacle, ProofDefect, StateList};
use rely_base::Budget;
use rely_program::analysis::has_void_runs;
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
    if goal == Goal::Deadlock && reduced && has_void_runs(program) {
        return Err(ProofDefect::UnsupportedGoal(goal).into());
    }
    let semantics = Semantics::new(program);
    let mut checker = Checker {
        semantics: &semantics,
        inspector: Inspector::new(&semantics, goal, budget)?,
        interference: reduced.then(|| Independence::new(program, goal)),
        places: index(list, budget)?,
        waits: (goal == Goal::Deadlock).then(Waits::default),
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
    let is_stuck = checker.waits.is_some_and(|waits| !waits.stuck(list.len()).is_empty());
    if is_stuck { Err(ProofDefect::Violation.into()) } else { Ok(()) }
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
    /// If the goal is about threads that wait for ever: the steps inside of the list.
    waits: Option<Waits>,
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
        let (mut stands, mut is_last) = (Stands::default(), true);
        let mut threads = Vec::new();
        let mut reached = Vec::new();
        for slot in state.slots() {
            let summary = self.inspector.steps(state, slot, &mut reached)?;
            stands.add(self.semantics, state, slot, summary);
            is_last &= reached.is_empty();
            let mut steps = Steps { slot, all_in_list: true, one_leads_further: false };
            for next in reached.drain(..) {
                self.inspector.pack(&next, &mut self.bytes, &mut self.back)?;
                let place = self.places.get(self.bytes.as_slice());
                steps.all_in_list &= place.is_some();
                steps.one_leads_further |= place.is_some_and(|&place| place > at);
                if let (Some(waits), Some(&place)) = (&mut self.waits, place) {
                    waits.add_step(at, place);
                }
            }
            threads.push(steps);
        }
        if let Some(waits) = &mut self.waits {
            stands.note(at, is_last, waits);
            self.inspector.check_memory(waits.memory_bytes())?;
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
