//! Solutions that are boolean combinations of given formulas.
//!
//! Where no conjunction of candidates suffices, a disjunction of conjunctions may. It is found from
//! counterexamples: a point that a clause allows and the formula does not contributes the
//! conjunction of what the candidates say about it. In the end every literal that is not needed is
//! left out.

use rely_base::Arena;

use super::system::{Clause, HornSystem, Solution, UnknownId};
use super::validity::{Oracle, instance, is_in_vocabulary};
use crate::interpolate::simplify::simplified;
use crate::term::{Sort, TermId, TermPool, Value};

/// A disjunction of conjunctions of literals, for every predicate.
type Combinations = Arena<UnknownId, Vec<Vec<TermId>>>;

/// A solution whose formulas are boolean combinations of few candidates.
pub(super) fn from_combinations(
    pool: &mut TermPool,
    system: &HornSystem,
    order: &[UnknownId],
    oracle: Oracle<'_>,
) -> Option<Solution> {
    let counts = || system.unknowns.values().map(|declaration| declaration.candidates.len());
    if counts().all(|count| count < 2) || counts().any(|count| count > oracle.limits.combined_candidates) {
        return None;
    }
    let mut combinations: Combinations = system.unknowns.ids().map(|_| Vec::new()).collect();
    let falsehood = pool.truth(false);
    let mut solution: Solution = system.unknowns.ids().map(|_| falsehood).collect();
    for &unknown in order {
        for clause in system.implying(Some(unknown)) {
            let clause = &system.clauses[clause];
            cover(pool, system, clause, &mut combinations, &mut solution, oracle)?;
        }
    }
    for clause in system.implying(None) {
        let clause = &system.clauses[clause];
        if oracle.is_valid(pool, system, clause, &solution) != Ok(true) {
            return None;
        }
    }
    for &unknown in order.iter().rev() {
        weaken(pool, system, unknown, &mut combinations, &mut solution, oracle);
    }
    Some(solution.values().map(|&formula| simplified(pool, formula)).collect())
}

/// Adds conjunctions to the head's formula until a clause is valid.
fn cover(
    pool: &mut TermPool,
    system: &HornSystem,
    clause: &Clause,
    combinations: &mut Combinations,
    solution: &mut Solution,
    oracle: Oracle<'_>,
) -> Option<()> {
    let head = clause.head.as_ref()?;
    let unknown = head.unknown;
    let candidates: Vec<TermId> = system.unknowns[unknown]
        .candidates
        .iter()
        .copied()
        .filter(|&candidate| is_in_vocabulary(pool, system, unknown, candidate))
        .collect();
    let at_head: Vec<TermId> =
        candidates.iter().map(|&candidate| instance(pool, system, head, candidate)).collect();
    loop {
        let violation = oracle.violation(pool, system, clause, solution);
        let Some(point) = oracle.model(pool, violation).ok()? else { return Some(()) };
        if combinations[unknown].len() >= oracle.limits.joined_cubes {
            return None;
        }
        let mut cube = Vec::with_capacity(candidates.len());
        for (&candidate, &at_head) in candidates.iter().zip(&at_head) {
            // Variables that the question did not mention can have any value.
            let value = |variable| {
                let sort = pool.variable(variable).sort;
                point.get(&variable).cloned().or_else(|| default_value(sort))
            };
            let holds = pool.evaluate(at_head, &value)?.as_bool()?;
            cube.push(if holds { candidate } else { pool.not(candidate) });
        }
        combinations[unknown].push(cube);
        solution[unknown] = formula(pool, &combinations[unknown]);
    }
}

fn default_value(sort: Sort) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(0.into())),
        Sort::Bool => Some(Value::Bool(false)),
        Sort::Array => None,
    }
}

fn formula(pool: &mut TermPool, cubes: &[Vec<TermId>]) -> TermId {
    let cubes: Vec<TermId> = cubes.iter().map(|cube| pool.and(cube.iter().copied())).collect();
    pool.or(cubes)
}

/// Leaves out literals that are not needed, the least welcome ones first.
fn weaken(
    pool: &mut TermPool,
    system: &HornSystem,
    unknown: UnknownId,
    combinations: &mut Combinations,
    solution: &mut Solution,
    oracle: Oracle<'_>,
) {
    for number in 0..combinations[unknown].len() {
        let mut position = combinations[unknown][number].len();
        while position > 0 {
            position -= 1;
            let literal = combinations[unknown][number].remove(position);
            let before = solution[unknown];
            solution[unknown] = formula(pool, &combinations[unknown]);
            if !oracle.is_valid_around(pool, system, unknown, solution) {
                combinations[unknown][number].insert(position, literal);
                solution[unknown] = before;
            }
        }
    }
}
