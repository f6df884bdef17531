//! Solutions made of given formulas alone.
//!
//! The strongest conjunction of candidates is computed predicate by predicate, in the order in
//! which they depend on each other; if it refutes what implies false, what is not needed for that
//! is left out again, the least welcome candidates first.

use super::system::{Clause, HornSystem, Solution, UnknownId};
use super::validity::{Assumptions, Oracle, instance, is_in_vocabulary};
use rely_base::Arena;

use crate::term::{TermId, TermPool};

/// The conjuncts of every predicate, the most welcome ones first.
type Conjuncts = Arena<UnknownId, Vec<TermId>>;

/// A solution whose formulas are conjunctions of candidates and of their negations.
pub(super) fn from_candidates(
    pool: &mut TermPool,
    system: &HornSystem,
    order: &[UnknownId],
    oracle: Oracle<'_>,
) -> Option<Solution> {
    if system.unknowns.values().all(|declaration| declaration.candidates.is_empty()) {
        return None;
    }
    let mut strongest: Conjuncts = system.unknowns.ids().map(|_| Vec::new()).collect();
    for &unknown in order {
        strongest[unknown] = implied_candidates(pool, system, unknown, &strongest, oracle);
    }
    let mut needed: Conjuncts = system.unknowns.ids().map(|_| Vec::new()).collect();
    let falsehood = pool.truth(false);
    for clause in system.implying(None) {
        let clause = &system.clauses[clause];
        if !premises(pool, system, clause, &strongest, oracle).imply(pool, falsehood) {
            return None;
        }
        add_needed(pool, system, clause, falsehood, &strongest, &mut needed, oracle);
    }
    for &unknown in order.iter().rev() {
        // Welcome order, not the order in which the needs were found.
        let wanted: Vec<TermId> =
            strongest[unknown].iter().copied().filter(|formula| needed[unknown].contains(formula)).collect();
        needed[unknown] = wanted;
        for clause in system.implying(Some(unknown)) {
            let clause = &system.clauses[clause];
            let Some(head) = &clause.head else { continue };
            let goal = pool.and(needed[unknown].iter().copied());
            let goal = instance(pool, system, head, goal);
            add_needed(pool, system, clause, goal, &strongest, &mut needed, oracle);
        }
    }
    Some(needed.values().map(|formulas| pool.and(formulas.iter().copied())).collect())
}

/// The candidates and negated candidates that all clauses with the predicate as head imply.
fn implied_candidates(
    pool: &mut TermPool,
    system: &HornSystem,
    unknown: UnknownId,
    known: &Conjuncts,
    oracle: Oracle<'_>,
) -> Vec<TermId> {
    let given = system.unknowns[unknown].candidates.clone();
    let negated: Vec<TermId> = given.iter().map(|&candidate| pool.not(candidate)).collect();
    let mut kept: Vec<TermId> = Vec::new();
    for candidate in given.into_iter().chain(negated) {
        if !kept.contains(&candidate) && is_in_vocabulary(pool, system, unknown, candidate) {
            kept.push(candidate);
        }
    }
    for clause in system.implying(Some(unknown)) {
        let clause = &system.clauses[clause];
        let Some(head) = &clause.head else { continue };
        let mut premises = premises(pool, system, clause, known, oracle);
        kept.retain(|&candidate| {
            let goal = instance(pool, system, head, candidate);
            premises.imply(pool, goal)
        });
    }
    kept
}

/// The constraint and the body of a clause.
fn premises<'a>(
    pool: &mut TermPool,
    system: &HornSystem,
    clause: &Clause,
    conjuncts: &Conjuncts,
    oracle: Oracle<'a>,
) -> Assumptions<'a> {
    let mut premises = vec![clause.constraint];
    for application in &clause.body {
        for &formula in &conjuncts[application.unknown] {
            premises.push(instance(pool, system, application, formula));
        }
    }
    Assumptions::new(pool, premises, oracle)
}

/// Adds the conjuncts of the body that a goal needs, trying to do without the least welcome first.
fn add_needed(
    pool: &mut TermPool,
    system: &HornSystem,
    clause: &Clause,
    goal: TermId,
    strongest: &Conjuncts,
    needed: &mut Conjuncts,
    oracle: Oracle<'_>,
) {
    let mut premises: Vec<(UnknownId, TermId, TermId)> = Vec::new();
    for application in &clause.body {
        for &formula in &strongest[application.unknown] {
            let at_arguments = instance(pool, system, application, formula);
            premises.push((application.unknown, formula, at_arguments));
        }
    }
    let mut position = premises.len();
    while position > 0 {
        position -= 1;
        let (unknown, formula, _) = premises[position];
        if needed[unknown].contains(&formula) {
            continue;
        }
        let others = premises.iter().enumerate().filter(|(other, _)| *other != position);
        let mut assumptions: Vec<TermId> = others.map(|(_, premise)| premise.2).collect();
        assumptions.push(clause.constraint);
        if Assumptions::new(pool, assumptions, oracle).imply(pool, goal) {
            premises.remove(position);
        }
    }
    for (unknown, formula, _) in premises {
        if !needed[unknown].contains(&formula) {
            needed[unknown].push(formula);
        }
    }
}
