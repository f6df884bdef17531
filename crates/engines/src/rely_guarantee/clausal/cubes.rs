//! Clauses as cubes, which is how proofs are written.

use super::signs::Signs;
use super::vocabulary::{Atom, Vocabulary};
use crate::rely_guarantee::abstraction::{Abstraction, BlockId};
use crate::rely_guarantee::literals::Literals;
use crate::rely_guarantee::merge::Merged;
use crate::rely_guarantee::system::System;
use rely_base::Id;
use rely_program::ThreadId;

/// Assertions with more cubes than this are not written.
const MOST_CUBES: usize = 2_000;

/// Cubes of which one holds exactly if all clauses do; `None` if there are too many.
pub(super) fn cubes(vocabulary: &Vocabulary, clauses: &[Signs]) -> Option<Vec<Signs>> {
    let mut cubes = vec![Signs::default()];
    let mut clauses = clauses.to_vec();
    clauses.sort_by_key(|clause| clause.count());
    for clause in clauses {
        let mut next: Vec<Signs> = Vec::new();
        for cube in cubes {
            if closed(vocabulary, cube).intersects(clause) {
                add(&mut next, cube);
                continue;
            }
            for (atom, holds) in clause.iter() {
                let longer = cube.union(Signs::one(atom, holds));
                if !closed(vocabulary, longer).is_contradiction() {
                    add(&mut next, longer);
                }
            }
        }
        if next.len() > MOST_CUBES {
            return None;
        }
        cubes = next;
    }
    Some(cubes)
}

/// A cube with all that follows from it.
fn closed(vocabulary: &Vocabulary, cube: Signs) -> Signs {
    cube.iter().map(|sign| vocabulary.follows(sign)).collect()
}

/// Adds a cube, unless another one covers it.
fn add(cubes: &mut Vec<Signs>, cube: Signs) {
    if cubes.iter().any(|known| known.is_subset(cube)) {
        return;
    }
    cubes.retain(|known| !cube.is_subset(*known));
    cubes.push(cube);
}

/// An abstraction that tracks all atoms of some cubes.
pub(super) fn abstraction<'c>(
    system: &System<'_>,
    vocabulary: &Vocabulary,
    cubes: impl Iterator<Item = (ThreadId, &'c Signs)>,
) -> Abstraction {
    let mut abstraction = Abstraction::new(system);
    for (thread, cube) in cubes {
        for (atom, _) in cube.iter() {
            match &vocabulary.atoms[atom] {
                Atom::Value(constraint) => drop(abstraction.add(thread, constraint)),
                Atom::Place { thread: other, spot } => drop(abstraction.tell_apart(thread, *other, &[*spot])),
            }
        }
    }
    abstraction
}

/// A cube of a thread as a state of an abstraction.
pub(super) fn state(
    system: &System<'_>,
    vocabulary: &Vocabulary,
    abstraction: &Abstraction,
    (thread, cube): (ThreadId, Signs),
) -> Merged {
    let all = |other| (0..abstraction.partition(thread, other).len()).map(BlockId::from_index).collect();
    let mut blocks: Vec<Vec<BlockId>> = system.thread_ids().map(all).collect();
    let mut literals = Literals::default();
    for (atom, holds) in cube.iter() {
        match &vocabulary.atoms[atom] {
            Atom::Value(constraint) => {
                let literal = if holds { constraint.clone() } else { constraint.negated() };
                abstraction.literal(&literal).into_iter().for_each(|literal| literals.insert(literal));
            }
            Atom::Place { thread: other, spot } => {
                let block = abstraction.partition(thread, *other).block_of(*spot);
                blocks[other.index()].retain(|&possible| (possible == block) == holds);
            }
        }
    }
    Merged { blocks, literals }
}
