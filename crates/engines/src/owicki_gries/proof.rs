//! A model of the clauses as a proof. What a model says of blocks becomes assertions, too (`summaries`).
//!
//! The formula of each assertion is a disjunction of cubes (`cubes`). Those that differ in where a single thread is
//! become one.

use super::Limits;
use super::cubes::{Cube, Cubes, FIRST_QUOTIENT, NO_TIME, Reader};
use super::summaries::{self, Inside};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_horn::Model;
use rely_logic::Constraint;
use rely_proof_rules::{Assertion, ProofClauses};
use rely_symbolic::System;
use rely_symbolic::outline::{self, Known, Outline};
use rustc_hash::FxHashMap;

/// The proof that a model is, or why it cannot be written down.
pub(super) fn written(
    system: &System<'_>,
    clauses: &mut ProofClauses,
    model: &Model,
    limits: Limits,
    budget: &Budget,
) -> Result<RelyGuarantee, &'static str> {
    let inside = Inside::new(system, clauses);
    let mut at: Cubes = system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect();
    for number in 0..clauses.assertions.len() {
        if budget.check().is_err() {
            return Err(NO_TIME);
        }
        let Assertion { unknown, thread, point, ref arguments } = clauses.assertions[number];
        let parameters = &clauses.system.unknowns()[unknown].parameters;
        let reader = Reader { system, limits, arguments, parameters, first_quotient: FIRST_QUOTIENT };
        let cubes = reader.cubes(&mut clauses.pool, model[unknown])?;
        let point = system.point(thread, point);
        at[thread.index()][point.index()] =
            cubes.into_iter().filter_map(|cube| inside.nobody(cube)).collect();
    }
    summaries::add(system, clauses, model, (limits, &inside), &mut at, budget)?;
    let merged = |cubes: Vec<Vec<Cube>>| cubes.into_iter().map(|cubes| merged(system, cubes)).collect();
    let at: Vec<Vec<Vec<Known>>> = at.into_iter().map(merged).collect();
    let all = || at.iter().flatten().flatten();
    let mut predicates: Vec<[Constraint; 2]> = Vec::new();
    let is_cell = |variable| system.cells.is_cell(variable);
    let constraints = all().flat_map(|known| &known.constraints);
    for constraint in constraints.filter(|constraint| constraint.form().variables().all(is_cell)) {
        if !predicates.iter().any(|sides| sides.contains(constraint)) {
            predicates.push([constraint.clone(), constraint.negated()]);
        }
    }
    let tells_places = all().any(|known| !known.others.is_empty());
    let outline = Outline { at, told: None, predicates, tells_places };
    outline::write(system, &outline, budget).ok_or("an assertion cannot be written down")
}

/// The cubes, those together that differ in the place of one thread; and no word about places that may be any.
fn merged(system: &System<'_>, mut cubes: Vec<Cube>) -> Vec<Known> {
    let count = cubes.first().map_or(0, |(_, others)| others.len());
    for position in 0..count {
        cubes = merged_at(cubes, position);
    }
    let known = cubes.into_iter().map(|(constraints, mut others)| {
        others.retain(|(thread, points)| points.len() < system.thread(*thread).points.len());
        Known { constraints, others }
    });
    known.collect()
}

/// The cubes, those together that differ in the places at one position.
fn merged_at(cubes: Vec<Cube>, position: usize) -> Vec<Cube> {
    let mut order: Vec<Cube> = Vec::new();
    let mut known: FxHashMap<Cube, usize> = FxHashMap::default();
    for cube in cubes {
        let mut key = cube.clone();
        key.1[position].1.clear();
        match known.get(&key) {
            Some(&first) => {
                let points = &mut order[first].1[position].1;
                points.extend(&cube.1[position].1);
                points.sort_unstable();
                points.dedup();
            }
            None => {
                known.insert(key, order.len());
                order.push(cube);
            }
        }
    }
    order
}
