//! Fewer abstract states that say the same, for proofs that are shorter to check and to read.
//!
//! Two states are put together only if their union is again a state: if they differ in whether one
//! predicate holds, or in the places of one thread.

use super::relevance::Class;
use crate::rely_guarantee::precision::BlockId;
use crate::rely_guarantee::precision::literals::Literals;

/// A set of states of a thread at one control point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    /// In which blocks each thread may be, ascending.
    pub(crate) blocks: Vec<Vec<BlockId>>,
    /// What holds.
    pub(crate) literals: Literals,
}

/// States that together are the same as the classes. With more than some number of them, only few are worth
/// comparing with each other.
pub(crate) fn merged(classes: &[Class], most_states: usize) -> Vec<Merged> {
    let mut states: Vec<Merged> = Vec::new();
    for class in classes {
        let blocks = class.common.blocks.iter().map(|&block| vec![block]).collect();
        let state = Merged { blocks, literals: class.common.literals.clone() };
        if states.len() < most_states {
            add(&mut states, state);
        } else {
            states.push(state);
        }
    }
    states
}

/// Adds a state, merged with others as often as possible.
fn add(states: &mut Vec<Merged>, mut state: Merged) {
    loop {
        if states.iter().any(|known| known.covers(&state)) {
            return;
        }
        states.retain(|known| !state.covers(known));
        let Some((position, union)) =
            states.iter().enumerate().find_map(|(position, known)| Some((position, known.union(&state)?)))
        else {
            break;
        };
        states.swap_remove(position);
        state = union;
    }
    states.push(state);
}

impl Merged {
    fn covers(&self, other: &Merged) -> bool {
        let within =
            |(mine, theirs): (&Vec<BlockId>, &Vec<BlockId>)| theirs.iter().all(|block| mine.contains(block));
        self.literals.is_subset(&other.literals) && self.blocks.iter().zip(&other.blocks).all(within)
    }

    /// The union, if it is a state.
    fn union(&self, other: &Merged) -> Option<Merged> {
        if self.blocks == other.blocks {
            let literals = self.literals.resolved(&other.literals)?;
            return Some(Merged { blocks: self.blocks.clone(), literals });
        }
        if self.literals != other.literals {
            return None;
        }
        let mut different =
            (0..self.blocks.len()).filter(|&thread| self.blocks[thread] != other.blocks[thread]);
        let (thread, None) = (different.next()?, different.next()) else { return None };
        let mut union = self.clone();
        union.blocks[thread].extend(&other.blocks[thread]);
        union.blocks[thread].sort_unstable();
        union.blocks[thread].dedup();
        Some(union)
    }
}
