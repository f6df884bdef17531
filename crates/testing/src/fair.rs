//! Fair runs that go on for ever, looked for in the plainest way.
//!
//! From a set of states a fair run can stay in it for ever if from each of them a step leads to another one, and, for each
//! thread, a way leads to one where the thread cannot move, or has a step inside of the set. The greatest such set is
//! what is left when states of which this is not so are taken away again and again. Steps are complete here: while
//! somebody is inside of an atomic block, nobody asks the others.

use crate::reference::{Reference, State};
use std::collections::HashMap;

/// What threads can do in a state.
struct Choices {
    /// Who can move.
    able: Vec<usize>,
    /// Who leads where.
    steps: Vec<(usize, usize)>,
}

impl Reference<'_> {
    /// Whether some fair run of complete steps goes on for ever; `None` if there are more states than `limit`.
    pub(crate) fn goes_on_fairly(&self, limit: usize) -> Option<bool> {
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states: Vec<State> = Vec::new();
        let mut number = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        for state in self.initial_states() {
            number(state, &mut states);
        }
        let mut all: Vec<Choices> = Vec::new();
        while all.len() < states.len() {
            if states.len() > limit {
                return None;
            }
            let mut choices = Choices { able: Vec::new(), steps: Vec::new() };
            for (slot, outcomes) in self.outcomes(&states[all.len()].clone()) {
                if !outcomes.moved.is_empty() || !outcomes.failed.is_empty() {
                    choices.able.push(slot);
                }
                let moved = outcomes.moved.into_iter();
                choices.steps.extend(moved.map(|next| (slot, number(next, &mut states))));
            }
            all.push(choices);
        }
        Some(some_stay(&all))
    }
}

fn some_stay(all: &[Choices]) -> bool {
    let threads = all.iter().flat_map(|choices| &choices.able).max().map_or(0, |last| last + 1);
    let mut stays = vec![true; all.len()];
    loop {
        let before = stays.iter().filter(|&&is| is).count();
        for (at, choices) in all.iter().enumerate() {
            stays[at] &= choices.steps.iter().any(|&(_, next)| stays[next]);
        }
        for thread in 0..threads {
            let mut reaches: Vec<bool> = all
                .iter()
                .map(|choices| {
                    let moves = |&(slot, next): &(usize, usize)| slot == thread && stays[next];
                    !choices.able.contains(&thread) || choices.steps.iter().any(moves)
                })
                .collect();
            while spread(all, &stays, &mut reaches) {}
            stays.iter_mut().zip(&reaches).for_each(|(stays, &reaches)| *stays &= reaches);
        }
        if before == stays.iter().filter(|&&is| is).count() {
            return before > 0;
        }
    }
}

/// Adds the states that stay and have a step to one of the set; says whether there were any.
fn spread(all: &[Choices], stays: &[bool], reaches: &mut [bool]) -> bool {
    let mut changed = false;
    for at in (0..all.len()).rev().filter(|&at| stays[at]) {
        let leads = |&(_, next): &(usize, usize)| stays[next] && reaches[next];
        if !reaches[at] && all[at].steps.iter().any(leads) {
            reaches[at] = true;
            changed = true;
        }
    }
    changed
}
