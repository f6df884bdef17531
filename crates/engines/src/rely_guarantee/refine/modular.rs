//! Refinement by predicates in which a thread speaks of globals and its own locals only.

use super::derivation::{Form, solve};
use super::{Found, Refinement};
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::precision::PrecisionIncrement;
use crate::rely_guarantee::reach::{Counterexample, Trees};
use rely_base::Budget;
use rely_logic::VarId;

/// Looks for modular predicates that exclude the counterexample. If there are none, it may help to
/// know that some cells count threads.
pub(crate) fn refine(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    candidates: &Candidates,
    budget: &Budget,
) -> Refinement {
    let refine_with =
        |cells: &[VarId]| solve(trees, counterexample, Form::Modular, cells, (candidates, budget));
    match refine_with(trees.counted()) {
        Refinement::Impossible => match refine_by_counting(trees, refine_with) {
            Some(found) => Refinement::Track(found),
            None => Refinement::Impossible,
        },
        refinement => refinement,
    }
}

/// As few cells as possible that exclude the counterexample if they count threads, and the predicates
/// that are needed then.
fn refine_by_counting(trees: &Trees<'_, '_>, refine_with: impl Fn(&[VarId]) -> Refinement) -> Option<Found> {
    let mut counted = trees.counted().to_vec();
    let known = counted.len();
    counted.extend(trees.system().counting.cells().filter(|cell| !trees.counted().contains(cell)));
    if counted.len() == known {
        return None;
    }
    let Refinement::Track(mut found) = refine_with(&counted) else { return None };
    let mut position = known;
    while position < counted.len() && counted.len() > known + 1 {
        let fewer = [&counted[..position], &counted[position + 1..]].concat();
        match refine_with(&fewer) {
            Refinement::Track(sufficient) => (found, counted) = (sufficient, fewer),
            _ => position += 1,
        }
    }
    let counts = counted[known..].iter().map(|&cell| PrecisionIncrement::Count(cell));
    let increments = counts.chain(found.increments).collect();
    Some(Found { increments, is_final: found.is_final })
}
