//! Clauses as cubes, which is how proofs are written.

use super::signs::Signs;
use super::vocabulary::Vocabulary;

/// Cubes of which one holds exactly if all clauses do; `None` if there are too many.
pub(super) fn cubes(vocabulary: &Vocabulary, clauses: &[Signs], most: usize) -> Option<Vec<Signs>> {
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
        if next.len() > most {
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
