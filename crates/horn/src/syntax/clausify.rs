//! From an asserted formula to Horn clauses.
//!
//! The formula is brought into negation normal form and multiplied out, but only as far as predicates
//! occur: what has none is a constraint and stays as it is.

use rely_logic::interpolate::{Application, Clause, UnknownId};
use rely_logic::{FunctionId, Node, Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// More clauses than this from one assertion are refused.
const MOST_CLAUSES: usize = 10_000;

/// Why an assertion is not Horn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotHorn {
    #[error("this is not a Horn clause: two predicates are implied at once")]
    TwoHeads,
    #[error("this is not a Horn clause: a predicate occurs inside of a term")]
    Nested,
    #[error("this has more than {MOST_CLAUSES} Horn clauses; name parts of it by predicates")]
    TooMany,
}

/// The predicates as functions of the pool.
pub(super) type Predicates = FxHashMap<FunctionId, (UnknownId, Vec<Sort>)>;

/// A clause as a disjunction: some of its disjuncts, and those that are still to be looked at.
#[derive(Clone, Default)]
struct Partial {
    constraints: Vec<TermId>,
    body: Vec<Application>,
    head: Option<Application>,
    pending: Vec<TermId>,
}

/// The clauses whose conjunction is the formula.
pub(super) fn clausify(
    pool: &mut TermPool,
    formula: TermId,
    predicates: &Predicates,
) -> Result<Vec<Clause>, NotHorn> {
    let normal = pool.negation_normal_form(formula);
    let unknown_parts = mentioning(pool, normal, predicates);
    let mut done = Vec::new();
    let mut open = vec![Partial { pending: vec![normal], ..Partial::default() }];
    while let Some(mut partial) = open.pop() {
        let Some(next) = partial.pending.pop() else {
            done.extend(finish(pool, partial));
            continue;
        };
        if !unknown_parts.contains(&next) {
            partial.constraints.push(next);
            open.push(partial);
            continue;
        }
        match pool.node(next).clone() {
            Node::Or(parts) => {
                partial.pending.extend_from_slice(&parts);
                open.push(partial);
            }
            Node::And(parts) => {
                if done.len() + open.len() + parts.len() > MOST_CLAUSES {
                    return Err(NotHorn::TooMany);
                }
                for &part in parts.iter().rev() {
                    let mut fork = partial.clone();
                    fork.pending.push(part);
                    open.push(fork);
                }
            }
            Node::Not(inner) => {
                let application = application(pool, inner, predicates, &unknown_parts)?;
                partial.body.push(application);
                open.push(partial);
            }
            _ => {
                let application = application(pool, next, predicates, &unknown_parts)?;
                if partial.head.replace(application).is_some() {
                    return Err(NotHorn::TwoHeads);
                }
                open.push(partial);
            }
        }
    }
    Ok(done)
}

/// The subterms in which predicates occur.
fn mentioning(pool: &TermPool, formula: TermId, predicates: &Predicates) -> FxHashSet<TermId> {
    let mut found: FxHashSet<TermId> = FxHashSet::default();
    for term in pool.subterms([formula]) {
        let mut mentions =
            matches!(pool.node(term), Node::Apply(function, _) if predicates.contains_key(function));
        pool.for_each_child(term, |child| mentions |= found.contains(&child));
        if mentions {
            found.insert(term);
        }
    }
    found
}

fn finish(pool: &mut TermPool, partial: Partial) -> Option<Clause> {
    let conclusion = pool.or(partial.constraints);
    let constraint = pool.not(conclusion);
    let is_true = pool.as_truth(constraint) == Some(false);
    (!is_true).then_some(Clause { constraint, body: partial.body, head: partial.head })
}

fn application(
    pool: &mut TermPool,
    term: TermId,
    predicates: &Predicates,
    unknown_parts: &FxHashSet<TermId>,
) -> Result<Application, NotHorn> {
    let Node::Apply(function, arguments) = pool.node(term).clone() else { return Err(NotHorn::Nested) };
    let Some((unknown, sorts)) = predicates.get(&function) else { return Err(NotHorn::Nested) };
    if arguments.iter().any(|argument| unknown_parts.contains(argument)) {
        return Err(NotHorn::Nested);
    }
    let decoded = arguments.iter().zip(sorts).map(|(&argument, sort)| match sort {
        Sort::Bool => as_formula(pool, argument),
        _ => argument,
    });
    Ok(Application { unknown: *unknown, arguments: decoded.collect() })
}

/// The truth value that was passed as 1 or 0.
fn as_formula(pool: &mut TermPool, passed: TermId) -> TermId {
    match *pool.node(passed) {
        Node::Ite(condition, then, _) if pool.as_int(then).is_some_and(|value| !value.is_zero()) => condition,
        Node::Ite(condition, _, _) => pool.not(condition),
        _ => {
            let zero = pool.int(0);
            pool.ne(passed, zero)
        }
    }
}
