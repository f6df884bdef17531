//! Making a solution simpler, one predicate at a time.
//!
//! A solution from a refutation is right but need not be pretty. For every predicate, from those
//! that false depends on directly to the others, alternatives are tried: the formula without one of
//! its parts, welcome candidates, and atoms that occur in the clauses around. An alternative is
//! taken if it is simpler and all clauses that mention the predicate are still valid.

use rustc_hash::{FxHashMap, FxHashSet};

use super::system::{Application, Clause, HornSystem, Solution, UnknownId};
use super::validity::{Oracle, is_in_vocabulary};
use crate::interpolate::limits::Limits;
use crate::interpolate::rank::cost;
use crate::interpolate::simplify::simplified;
use crate::linear::{Constraint, Relation, VarId};
use crate::term::{Node, TermId, TermPool};

/// Improves a solution; `questions` limits how many alternatives are tried.
pub(super) fn improve(
    pool: &mut TermPool,
    system: &HornSystem,
    order: &[UnknownId],
    solution: &mut Solution,
    oracle: Oracle<'_>,
    mut questions: usize,
) {
    for &unknown in order.iter().rev() {
        solution[unknown] = simplified(pool, solution[unknown]);
        let welcome = welcome_atoms(pool, system, unknown);
        let familiar: FxHashSet<TermId> = welcome.iter().copied().collect();
        let candidates = &system.unknowns[unknown].candidates;
        loop {
            let present = cost(pool, solution[unknown], candidates, &familiar);
            let alternatives = alternatives(pool, solution[unknown], &welcome, oracle.limits);
            let taken = alternatives.into_iter().find(|&alternative| {
                let is_better = cost(pool, alternative, candidates, &familiar) < present;
                is_better && questions > 0 && {
                    questions -= 1;
                    let before = std::mem::replace(&mut solution[unknown], alternative);
                    let valid = oracle.is_valid_around(pool, system, unknown, solution);
                    solution[unknown] = before;
                    valid
                }
            });
            match taken {
                Some(alternative) => solution[unknown] = alternative,
                None => break,
            }
        }
    }
}

/// Formulas that may take the place of another one.
fn alternatives(pool: &mut TermPool, formula: TermId, welcome: &[TermId], limits: &Limits) -> Vec<TermId> {
    let mut alternatives = welcome.to_vec();
    match pool.node(formula).clone() {
        Node::And(parts) => {
            alternatives.extend(with_parts_changed(pool, &parts, limits, TermPool::and));
        }
        Node::Or(parts) => {
            alternatives.extend(with_parts_changed(pool, &parts, limits, TermPool::or));
        }
        _ => alternatives.extend(atom_alternatives(pool, formula, limits)),
    }
    alternatives
}

/// Conjunctions or disjunctions with one part left out, or another one in its place.
fn with_parts_changed(
    pool: &mut TermPool,
    parts: &[TermId],
    limits: &Limits,
    join: impl Fn(&mut TermPool, Vec<TermId>) -> TermId,
) -> Vec<TermId> {
    let mut changed = Vec::new();
    for position in 0..parts.len() {
        let mut rest = parts.to_vec();
        rest.remove(position);
        changed.push(join(pool, rest));
    }
    for (position, &part) in parts.iter().enumerate() {
        for alternative in atom_alternatives(pool, part, limits) {
            let mut others = parts.to_vec();
            others[position] = alternative;
            changed.push(join(pool, others));
        }
    }
    changed
}

/// Atoms that may do instead of another one: bounds instead of an equality, remainders instead of
/// quotients by small numbers.
fn atom_alternatives(pool: &mut TermPool, atom: TermId, limits: &Limits) -> Vec<TermId> {
    if let Some(constraint) = pool.constraint(atom) {
        if constraint.relation() != Relation::Eq {
            return Vec::new();
        }
        let form = constraint.form();
        return [form.clone(), form.negated()]
            .map(|form| pool.constraint_term(&Constraint::new(form, Relation::Le)))
            .to_vec();
    }
    let mut remainders = Vec::new();
    for part in pool.subterms([atom]) {
        let Node::Div(inner, divisor) = pool.node(part).clone() else { continue };
        let is_small = |divisor: &i64| usize::try_from(*divisor).is_ok_and(|d| d <= limits.tried_remainders);
        let Some(limit) = divisor.to_i64().filter(is_small) else { continue };
        // Constants and common factors only move the remainders around.
        let Some(form) = pool.linear_form(inner) else { continue };
        let Some(form) = form.div_terms_exact(&form.content()) else { continue };
        let plain = pool.form_term(&form);
        let Some(remainder) = pool.modulo(plain, divisor) else { continue };
        for value in 0..limit {
            let value = pool.int(value);
            let equal = pool.eq(remainder, value);
            remainders.extend([equal, pool.not(equal)]);
        }
    }
    remainders
}

/// The candidates of a predicate, then the atoms around it: those that clauses imply it with, and
/// the negations of those that clauses use it with.
fn welcome_atoms(pool: &mut TermPool, system: &HornSystem, unknown: UnknownId) -> Vec<TermId> {
    let mut atoms = system.unknowns[unknown].candidates.clone();
    for clause in system.clauses.values() {
        for head in clause.head.iter().filter(|head| head.unknown == unknown) {
            atoms.extend(atoms_at(pool, system, clause, head));
        }
    }
    for clause in system.clauses.values() {
        for application in clause.body.iter().filter(|application| application.unknown == unknown) {
            let found = atoms_at(pool, system, clause, application);
            atoms.extend(found.into_iter().map(|atom| pool.not(atom)));
        }
    }
    let mut seen = FxHashSet::default();
    atoms.retain(|&atom| seen.insert(atom) && is_in_vocabulary(pool, system, unknown, atom));
    atoms
}

/// The literals of a clause's constraint that speak of the arguments of an application, in terms
/// of the parameters.
fn atoms_at(
    pool: &mut TermPool,
    system: &HornSystem,
    clause: &Clause,
    application: &Application,
) -> Vec<TermId> {
    let parameters = &system.unknowns[application.unknown].parameters;
    let mut names: FxHashMap<VarId, VarId> = FxHashMap::default();
    for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
        if let Some(variable) = pool.as_var(argument) {
            names.entry(variable).or_insert(parameter);
        }
    }
    let normal = pool.negation_normal_form(clause.constraint);
    let mut literals = Vec::new();
    let mut stack = vec![normal];
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Node::And(parts) | Node::Or(parts) => stack.extend(parts.iter().rev()),
            Node::Bool(_) => {}
            _ => literals.push(term),
        }
    }
    literals
        .retain(|&literal| pool.free_variables(literal).iter().all(|variable| names.contains_key(variable)));
    literals.into_iter().map(|literal| pool.rename(literal, |_, variable| names[&variable])).collect()
}
