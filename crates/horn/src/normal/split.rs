//! Disjunctions as rules of their own, and equalities solved.

use rely_base::Arena;
use rely_logic::interpolate::UnknownId;
use rely_logic::{Integer, Node, TermId, TermPool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::encode::Encoded;
use super::{Predicate, Rule};
use crate::limits::Limits;

/// The rules that together are the clause.
pub(super) fn split(limits: &Limits, pool: &mut TermPool, encoded: Encoded) -> Vec<Rule> {
    let Encoded { constraint, body, head, clause, originals } = encoded;
    let cubes = match pool.cubes(constraint, limits.cases) {
        Ok(cubes) => cubes,
        Err(_) => match pool.node(constraint) {
            Node::And(parts) => vec![parts.to_vec()],
            _ => vec![vec![constraint]],
        },
    };
    let rule = |literals: Vec<TermId>| Rule {
        literals,
        body: body.clone(),
        head: head.clone(),
        clause,
        originals: originals.clone(),
    };
    let rules: Vec<Rule> = cubes.into_iter().map(rule).collect();
    rules.into_iter().filter_map(|rule| solve_equalities(pool, rule)).collect()
}

/// Replaces variables by what equalities say they are. Arguments of the body remain variables, and so
/// do the equalities that say something about them. `None` if the rule says nothing.
fn solve_equalities(pool: &mut TermPool, mut rule: Rule) -> Option<Rule> {
    let arguments: FxHashSet<VarId> =
        rule.body.iter().flat_map(|used| used.arguments.iter().copied()).collect();
    let mut solved: FxHashSet<VarId> = FxHashSet::default();
    loop {
        let candidates = [false, true].into_iter().flat_map(|of_body| {
            rule.literals.iter().enumerate().map(move |(position, &literal)| (of_body, position, literal))
        });
        let found = candidates.into_iter().find_map(|(of_body, position, literal)| {
            let eligible = |variable| arguments.contains(&variable) == of_body && !solved.contains(&variable);
            let (variable, value) = solve_for(pool, literal, eligible)?;
            Some((of_body, position, variable, value))
        });
        let Some((of_body, position, variable, value)) = found else { break };
        let equality = rule.literals.swap_remove(position);
        replace(pool, &mut rule, variable, value);
        if of_body {
            rule.literals.push(equality);
            solved.insert(variable);
        }
    }
    let conjunction = pool.and(rule.literals.iter().copied());
    rule.literals = match pool.node(conjunction) {
        Node::Bool(true) => Vec::new(),
        Node::Bool(false) => return None,
        Node::And(parts) => parts.to_vec(),
        _ => vec![conjunction],
    };
    Some(rule)
}

/// The variable that an equality determines, with its value, which does not mention it.
fn solve_for(
    pool: &mut TermPool,
    literal: TermId,
    eligible: impl Fn(VarId) -> bool,
) -> Option<(VarId, TermId)> {
    let Node::EqZero(form) = *pool.node(literal) else { return None };
    if let Some(variable) = pool.as_var(form) {
        return eligible(variable).then(|| (variable, pool.int(0)));
    }
    let Node::Sum(sum) = pool.node(form).clone() else { return None };
    let (variable, factor) = sum.terms.iter().find_map(|(term, factor)| {
        let variable = pool.as_var(*term).filter(|&variable| factor.is_unit() && eligible(variable))?;
        Some((variable, factor.clone()))
    })?;
    // factor * variable + rest = 0; the factor is its own inverse.
    let term = pool.var(variable);
    let rest = pool.sum([(form, Integer::ONE), (term, -&factor)], Integer::ZERO);
    let value = pool.scale(-factor, rest);
    let mentions = pool.free_variables(value).contains(&variable);
    (!mentions).then_some((variable, value))
}

fn replace(pool: &mut TermPool, rule: &mut Rule, variable: VarId, value: TermId) {
    let replacements: FxHashMap<TermId, TermId> = [(pool.var(variable), value)].into_iter().collect();
    let mut terms: Vec<&mut TermId> = rule.literals.iter_mut().collect();
    terms.extend(rule.head.iter_mut().flat_map(|head| &mut head.arguments));
    terms.extend(rule.originals.iter_mut().map(|(_, term)| term));
    for term in terms {
        *term = pool.substitute(*term, &replacements);
    }
}

/// A disequality of what takes infinitely many values is less or greater: abstraction by conjunctions
/// cannot express the gap.
pub(super) fn split_distinct(
    limits: &Limits,
    pool: &mut TermPool,
    predicates: &Arena<UnknownId, Predicate>,
    rule: Rule,
) -> Vec<Rule> {
    let mut finite: FxHashSet<VarId> = FxHashSet::default();
    for used in &rule.body {
        let domains = &predicates[used.unknown].domains;
        let pairs = used.arguments.iter().zip(domains);
        finite.extend(pairs.filter(|(_, domain)| domain.is_some()).map(|(&argument, _)| argument));
    }
    let mut rules = vec![rule];
    for _ in 0..limits.distinct {
        let mut next = Vec::new();
        let mut changed = false;
        for rule in rules {
            let gap = rule.literals.iter().position(|&literal| gap_form(pool, literal, &finite).is_some());
            let Some(position) = gap else {
                next.push(rule);
                continue;
            };
            let Some(form) = gap_form(pool, rule.literals[position], &finite) else { continue };
            changed = true;
            let zero = pool.int(0);
            for side in [pool.lt(form, zero), pool.gt(form, zero)] {
                let mut case = rule.clone();
                case.literals[position] = side;
                next.push(case);
            }
        }
        rules = next;
        if !changed {
            break;
        }
    }
    rules
}

fn gap_form(pool: &TermPool, literal: TermId, finite: &FxHashSet<VarId>) -> Option<TermId> {
    let Node::Not(inner) = *pool.node(literal) else { return None };
    let Node::EqZero(form) = *pool.node(inner) else { return None };
    let variables = pool.free_variables(form);
    (!variables.iter().all(|variable| finite.contains(variable))).then_some(form)
}
