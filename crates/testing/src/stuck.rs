//! Threads that wait for ever, looked for in the plainest way.
//!
//! A thread is stuck in a state if it waits there and in all states that can follow, and the program ends in none of
//! them. States from which only runs lead on that do not count are left out first. Everything is done by going over
//! all states until nothing changes.

use crate::reference::{Reference, State};
use std::collections::HashMap;

/// What is known of a state.
struct Standing {
    waiting: Vec<usize>,
    next: Vec<usize>,
    /// The run goes on from here or is one that counts.
    counts: bool,
}

impl Reference<'_> {
    /// Whether a thread waits for ever in one of the states, which are all that can be reached.
    pub(crate) fn has_stuck_thread<'s>(&self, states: impl Iterator<Item = &'s State>) -> bool {
        let states: Vec<&State> = states.collect();
        let numbers: HashMap<&State, usize> =
            states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
        let mut all: Vec<Standing> = states.iter().map(|state| self.standing(state, &numbers)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..all.len()).rev() {
                if all[at].counts && leads_nowhere(&all, at) {
                    all[at].counts = false;
                    changed = true;
                }
            }
        }
        let threads = all.iter().flat_map(|standing| &standing.waiting).max().map_or(0, |most| most + 1);
        (0..threads).any(|thread| is_ever_stuck(&all, thread))
    }

    fn standing(&self, state: &State, numbers: &HashMap<&State, usize>) -> Standing {
        let (mut waiting, mut next, mut is_void) = (Vec::new(), Vec::new(), false);
        for (slot, outcomes) in self.outcomes(state) {
            is_void |= outcomes.abandoned || !outcomes.failed.is_empty();
            if outcomes.is_waiting() {
                waiting.push(slot);
            }
            next.extend(outcomes.moved.iter().map(|state| numbers[state]));
        }
        let counts = !is_void || !next.is_empty();
        Standing { waiting, next, counts }
    }
}

fn leads_nowhere(all: &[Standing], at: usize) -> bool {
    !all[at].next.is_empty() && all[at].next.iter().all(|&next| !all[next].counts)
}

fn is_ever_stuck(all: &[Standing], thread: usize) -> bool {
    let mut goes_on: Vec<bool> =
        all.iter().map(|standing| standing.counts && !standing.waiting.contains(&thread)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..all.len()).rev().filter(|&at| all[at].counts) {
            if !goes_on[at] && all[at].next.iter().any(|&next| goes_on[next]) {
                goes_on[at] = true;
                changed = true;
            }
        }
    }
    (0..all.len()).any(|at| all[at].counts && !goes_on[at])
}
