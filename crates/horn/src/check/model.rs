//! Models: every clause is valid.

use rely_base::Budget;
use rely_logic::interpolate::{Clause, ClauseId};
use rely_logic::{Satisfiability, Sort, TermId, TermPool, satisfiable};

use crate::clauses::{Model, System};

/// Why a model is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongModel {
    /// Some predicate has no formula, or there are formulas for others.
    #[error("the model has {found} formulas for {expected} predicates")]
    Count {
        /// How many predicates there are.
        expected: usize,
        /// How many formulas.
        found: usize,
    },
    /// A formula is none, or mentions something else than the parameters.
    #[error("what the model says of `{0}` is no formula over its parameters")]
    Foreign(String),
    /// A clause is not valid.
    #[error("clause {} is not valid in the model", rely_base::Id::index(*.0) + 1)]
    Invalid(ClauseId),
    /// It was not found out whether a clause is valid.
    #[error("whether clause {} is valid was not found out: {reason}", rely_base::Id::index(*clause) + 1)]
    Undecided {
        /// Which clause.
        clause: ClauseId,
        /// Why.
        reason: String,
    },
}

/// Whether all clauses are valid if the predicates are the formulas of the model.
pub fn check_model(
    pool: &mut TermPool,
    system: &System,
    model: &Model,
    budget: &Budget,
) -> Result<(), WrongModel> {
    if model.len() != system.unknowns().len() {
        return Err(WrongModel::Count { expected: system.unknowns().len(), found: model.len() });
    }
    for (id, unknown) in system.unknowns().iter() {
        let is_formula = pool.sort(model[id]) == Sort::Bool;
        let mut variables = pool.free_variables(model[id]).into_iter();
        if !is_formula || !variables.all(|variable| unknown.parameters.contains(&variable)) {
            return Err(WrongModel::Foreign(unknown.name.clone()));
        }
    }
    for (id, clause) in system.clauses().iter() {
        check_clause(pool, system, model, id, clause, budget)?;
    }
    Ok(())
}

fn check_clause(
    pool: &mut TermPool,
    system: &System,
    model: &Model,
    id: ClauseId,
    clause: &Clause,
    budget: &Budget,
) -> Result<(), WrongModel> {
    let mut parts: Vec<TermId> = vec![clause.constraint];
    for application in &clause.body {
        parts.push(system.instance(pool, application, model[application.unknown]));
    }
    if let Some(head) = &clause.head {
        let conclusion = system.instance(pool, head, model[head.unknown]);
        parts.push(pool.not(conclusion));
    }
    let undecided = |reason| WrongModel::Undecided { clause: id, reason };
    let violation = [pool.and(parts)];
    match satisfiable(pool, &violation, budget).satisfiability {
        Satisfiability::Unsat(refutation) => {
            refutation.check(pool, &violation).map_err(|error| undecided(error.to_string()))
        }
        Satisfiability::Sat(_) => Err(WrongModel::Invalid(id)),
        Satisfiability::Unknown(obstacle) => Err(undecided(obstacle.to_string())),
    }
}
