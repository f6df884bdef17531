//! How the runs of a program end, for those who want to know whether they all do.
//!
//! Every edge is a step of its own here, also inside of atomic blocks: a block that goes round for
//! ever is a run without end. All states and steps are listed, and states without steps are taken
//! away until none is left. If some stay, each of them has a step to another one that stays, and
//! the program can go on for ever. (There are finitely many, so this is a cycle.)

use crate::reference::{Outcomes, Reference, State};
use rely_program::Goal;
use std::collections::HashMap;

/// How runs end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// Every run ends.
    Always,
    /// Some run goes on for ever; a fair one, if only fair ones count.
    Never,
    /// No run goes on for ever, but one ends in a deadlock.
    Deadlocks,
    /// Something has no meaning, and nothing else is wrong.
    Meaningless,
    /// There are more states than allowed.
    TooMany,
}

impl Reference<'_> {
    /// Looks at all runs, through at most `limit` states.
    pub fn ending(&self, limit: usize) -> Termination {
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states: Vec<State> = Vec::new();
        for state in self.initial_states() {
            number_of(state, &mut numbers, &mut states);
        }
        let mut steps: Vec<Vec<usize>> = Vec::new();
        let mut inside_block = Vec::new();
        let (mut stuck, mut meaningless) = (false, false);
        while steps.len() < states.len() {
            if states.len() > limit {
                return Termination::TooMany;
            }
            let state = states[steps.len()].clone();
            inside_block.push(self.is_in_block(&state));
            stuck |= !self.is_in_block(&state) && self.stands_still(&state, &mut meaningless);
            let reached = self.single_steps(&state, &mut meaningless);
            let reached = reached.into_iter().map(|next| number_of(next, &mut numbers, &mut states));
            steps.push(reached.collect());
        }
        let is_endless = if self.goal() == Goal::FairTermination {
            // Whoever goes round inside of a block leaves nobody out: nobody else could go on.
            keep_inside(&mut steps, &inside_block);
            has_cycle(&steps) || self.goes_on_fairly(limit).unwrap_or_default()
        } else {
            has_cycle(&steps)
        };
        match () {
            () if is_endless => Termination::Never,
            () if stuck => Termination::Deadlocks,
            () if meaningless => Termination::Meaningless,
            () => Termination::Always,
        }
    }

    /// All states after one edge of a thread that may move.
    fn single_steps(&self, state: &State, meaningless: &mut bool) -> Vec<State> {
        let mut outcomes = Outcomes::default();
        let mut reached = Vec::new();
        for slot in self.movable(state) {
            reached.extend(
                self.edges_from(state, slot)
                    .flat_map(|edge| self.take(state, slot, edge, &mut outcomes))
                    .collect::<Vec<_>>(),
            );
        }
        *meaningless |= outcomes.meaningless;
        reached
    }
}

fn number_of(state: State, numbers: &mut HashMap<State, usize>, states: &mut Vec<State>) -> usize {
    *numbers.entry(state).or_insert_with_key(|state| {
        states.push(state.clone());
        states.len() - 1
    })
}

/// Leaves only steps between states inside of blocks.
fn keep_inside(steps: &mut [Vec<usize>], inside_block: &[bool]) {
    for (targets, is_inside) in steps.iter_mut().zip(inside_block) {
        targets.retain(|&target| *is_inside && inside_block[target]);
    }
}

/// Whether something is left when states without steps are taken away again and again.
fn has_cycle(steps: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = steps.iter().map(Vec::len).collect();
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (state, targets) in steps.iter().enumerate() {
        targets.iter().for_each(|&target| from[target].push(state));
    }
    let mut pending: Vec<usize> = (0..steps.len()).filter(|&state| left[state] == 0).collect();
    let mut gone = 0;
    while let Some(state) = pending.pop() {
        gone += 1;
        for &source in &from[state] {
            left[source] -= 1;
            if left[source] == 0 {
                pending.push(source);
            }
        }
    }
    gone < steps.len()
}
