//! Formulas as disjunctions of cubes, where somebody asks for it.

use std::collections::BTreeSet;

use super::pool::{Node, TermId, TermPool};

/// The disjunctive normal form would exceed the given number of cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the formula has more than {limit} cubes")]
pub struct TooManyCubes {
    /// The number that was allowed.
    pub limit: usize,
}

impl TermPool {
    /// The cubes (conjunctions of literals, each sorted) whose disjunction is the formula. False
    /// has none; true has the empty one. Cubes that are visibly contradictory or contain another
    /// cube are dropped.
    pub fn cubes(&mut self, formula: TermId, limit: usize) -> Result<Vec<Vec<TermId>>, TooManyCubes> {
        let normal = self.negation_normal_form(formula);
        let mut done: BTreeSet<Vec<TermId>> = BTreeSet::new();
        // A partial cube: literals so far, and what is still to be multiplied in.
        let mut open: Vec<(Vec<TermId>, Vec<TermId>)> = vec![(Vec::new(), vec![normal])];
        while let Some((literals, mut pending)) = open.pop() {
            let Some(next) = pending.pop() else {
                insert_minimal(&mut done, literals);
                if done.len() > limit {
                    return Err(TooManyCubes { limit });
                }
                continue;
            };
            match self.node(next) {
                Node::And(parts) => {
                    pending.extend_from_slice(parts);
                    open.push((literals, pending));
                }
                Node::Or(parts) => {
                    if open.len() + parts.len() > limit.saturating_mul(2).saturating_add(16) {
                        return Err(TooManyCubes { limit });
                    }
                    for &part in parts {
                        let mut rest = pending.clone();
                        rest.push(part);
                        open.push((literals.clone(), rest));
                    }
                }
                Node::Bool(true) => open.push((literals, pending)),
                Node::Bool(false) => {}
                _ => {
                    let negation = self.not(next);
                    if let Some(extended) = with_literal(literals, next, negation) {
                        open.push((extended, pending));
                    }
                }
            }
        }
        Ok(done.into_iter().collect())
    }
}

/// The cube with one literal more, or `None` if it contains the negation.
fn with_literal(mut cube: Vec<TermId>, literal: TermId, negation: TermId) -> Option<Vec<TermId>> {
    if cube.binary_search(&negation).is_ok() {
        return None;
    }
    if let Err(position) = cube.binary_search(&literal) {
        cube.insert(position, literal);
    }
    Some(cube)
}

/// Adds a cube unless a weaker one is there, and removes those that it makes superfluous.
fn insert_minimal(cubes: &mut BTreeSet<Vec<TermId>>, cube: Vec<TermId>) {
    let contains =
        |large: &[TermId], small: &[TermId]| small.iter().all(|literal| large.binary_search(literal).is_ok());
    if cubes.iter().any(|known| contains(&cube, known)) {
        return;
    }
    cubes.retain(|known| !contains(known, &cube));
    cubes.insert(cube);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_minimal_and_bounded() {
        let mut pool = TermPool::new();
        let letters: Vec<TermId> = ["a", "b", "c", "d"].iter().map(|name| pool.bool_var(name)).collect();
        let left = pool.or([letters[0], letters[1]]);
        let right = pool.or([letters[0], letters[2]]);
        let both = pool.and([left, right]);
        // (a|b) & (a|c) is a | b&c.
        assert_eq!(pool.cubes(both, 10).unwrap(), [vec![letters[0]], vec![letters[1], letters[2]]]);
        let truth = pool.truth(true);
        assert_eq!(pool.cubes(truth, 10).unwrap(), [Vec::<TermId>::new()]);
        let falsity = pool.truth(false);
        assert!(pool.cubes(falsity, 10).unwrap().is_empty());
    }

    #[test]
    fn an_exponential_form_is_refused() {
        let mut pool = TermPool::new();
        let clauses: Vec<TermId> = (0..40)
            .map(|index| {
                let a = pool.bool_var(&format!("a{index}"));
                let b = pool.bool_var(&format!("b{index}"));
                pool.or([a, b])
            })
            .collect();
        let formula = pool.and(clauses);
        assert_eq!(pool.cubes(formula, 100), Err(TooManyCubes { limit: 100 }));
    }
}
