//! Derivations: every step follows, and the last one is false.

use rely_logic::interpolate::{Application, UnknownId};
use rely_logic::{Sort, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

use crate::clauses::{Derivation, System};

/// Why a derivation is not accepted. Steps are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongStep {
    /// The last step derives something else than false, or there is none.
    #[error("false is not derived")]
    NotFalse,
    /// A step applies a clause that does not exist.
    #[error("step {} applies no clause of the system", .0 + 1)]
    NoClause(usize),
    /// A variable of the clause has no value, or one of another sort.
    #[error("step {} has no values for its clause", .0 + 1)]
    NoValue(usize),
    /// The constraint of the clause is false.
    #[error("step {} violates the constraint of its clause", .0 + 1)]
    Constraint(usize),
    /// A premise is not an earlier step that derives what the body assumes.
    #[error("step {} assumes what was not derived", .0 + 1)]
    Premise(usize),
}

/// What a step derives: false, or a predicate at values.
type Derived = Option<(UnknownId, Vec<Value>)>;

/// Whether a derivation derives false.
pub fn check_derivation(pool: &TermPool, system: &System, derivation: &Derivation) -> Result<(), WrongStep> {
    let mut derived: Vec<Derived> = Vec::with_capacity(derivation.steps.len());
    for (number, step) in derivation.steps.iter().enumerate() {
        let clause = system.clauses().get(step.clause).ok_or(WrongStep::NoClause(number))?;
        let values: FxHashMap<VarId, Value> = step.values.iter().cloned().collect();
        let is_sorted = |(variable, value): (&VarId, &Value)| match pool.variable(*variable).sort {
            Sort::Int => value.as_int().is_some(),
            Sort::Bool => value.as_bool().is_some(),
            Sort::Array => false,
        };
        if !values.iter().all(is_sorted) {
            return Err(WrongStep::NoValue(number));
        }
        match pool.evaluate(clause.constraint, &values) {
            Some(Value::Bool(true)) => {}
            Some(_) => return Err(WrongStep::Constraint(number)),
            None => return Err(WrongStep::NoValue(number)),
        }
        if clause.body.len() != step.premises.len() {
            return Err(WrongStep::Premise(number));
        }
        for (application, &premise) in clause.body.iter().zip(&step.premises) {
            let assumed = ground(pool, application, &values).ok_or(WrongStep::NoValue(number))?;
            if derived.get(premise) != Some(&Some(assumed)) {
                return Err(WrongStep::Premise(number));
            }
        }
        derived.push(match &clause.head {
            None => None,
            Some(head) => Some(ground(pool, head, &values).ok_or(WrongStep::NoValue(number))?),
        });
    }
    if derived.last() == Some(&None) { Ok(()) } else { Err(WrongStep::NotFalse) }
}

fn ground(
    pool: &TermPool,
    application: &Application,
    values: &FxHashMap<VarId, Value>,
) -> Option<(UnknownId, Vec<Value>)> {
    let arguments = application.arguments.iter().map(|&argument| pool.evaluate(argument, values));
    Some((application.unknown, arguments.collect::<Option<Vec<Value>>>()?))
}
