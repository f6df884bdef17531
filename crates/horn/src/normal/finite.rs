//! Arguments that take finitely many values.
//!
//! An argument is finite if every rule gives it a constant, or an argument of its body that is finite.
//! Truth values are finite from the start. The values are collected along the same way.

use std::collections::BTreeSet;

use rely_base::Arena;
use rely_logic::interpolate::UnknownId;
use rely_logic::{Integer, Sort, TermId, TermPool, VarId};

use super::{Predicate, Rule};
use crate::clauses::System;
use crate::limits::Limits;

type Domains = Arena<UnknownId, Vec<Option<BTreeSet<Integer>>>>;

/// Fills in the domains of the predicates.
pub(super) fn find_domains(
    limits: &Limits,
    pool: &TermPool,
    system: &System,
    predicates: &mut Arena<UnknownId, Predicate>,
    rules: &[Rule],
) {
    let mut domains: Domains = predicates
        .values()
        .map(|predicate| vec![Some(BTreeSet::new()); predicate.parameters.len()])
        .collect();
    let is_flag = |unknown: UnknownId, position: usize| {
        pool.variable(system.unknowns()[unknown].parameters[position]).sort == Sort::Bool
    };
    for (unknown, positions) in domains.iter_mut() {
        for (position, domain) in positions.iter_mut().enumerate() {
            if is_flag(unknown, position) {
                *domain = Some([Integer::ZERO, Integer::ONE].into_iter().collect());
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for rule in rules {
            changed |= propagate(limits, pool, &mut domains, rule, &is_flag);
        }
    }
    for (unknown, predicate) in predicates.iter_mut() {
        let found =
            domains[unknown].iter().map(|domain| domain.clone().map(|values| values.into_iter().collect()));
        predicate.domains = found.collect();
    }
}

/// Lets a rule give its values to its head; whether anything changed.
fn propagate(
    limits: &Limits,
    pool: &TermPool,
    domains: &mut Domains,
    rule: &Rule,
    is_flag: &dyn Fn(UnknownId, usize) -> bool,
) -> bool {
    let Some(head) = &rule.head else { return false };
    let mut changed = false;
    for (position, &argument) in head.arguments.iter().enumerate() {
        if is_flag(head.unknown, position) {
            continue;
        }
        let Some(known) = domains[head.unknown][position].clone() else { continue };
        let joined = values(pool, domains, rule, argument)
            .map(|values| known.union(&values).cloned().collect::<BTreeSet<Integer>>())
            .filter(|joined| joined.len() <= limits.values);
        if joined.as_ref() != Some(&known) {
            domains[head.unknown][position] = joined;
            changed = true;
        }
    }
    changed
}

/// The values of an argument of a head, if they are finitely many.
fn values(pool: &TermPool, domains: &Domains, rule: &Rule, argument: TermId) -> Option<BTreeSet<Integer>> {
    if let Some(value) = pool.as_int(argument) {
        return Some([value.clone()].into_iter().collect());
    }
    let variable: VarId = pool.as_var(argument)?;
    rule.body.iter().find_map(|used| {
        let position = used.arguments.iter().position(|&argument| argument == variable)?;
        domains[used.unknown][position].clone()
    })
}
