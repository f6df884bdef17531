//! Bounds at which growing invariants stop first (Halbwachs' widening up to a limit): what the guards of steps say, before
//! the step and behind it. What is widened loses a bound, and narrowing brings back only what each thread says of its own
//! steps; of a variable that another thread counts, nobody would know the last value any more.

use rely_logic::domains::NumericDomain;
use rely_logic::{Constraint, LinearForm, Relation};
use rely_symbolic::{Move, System, updated};

/// How far what is known may grow when more is known to be possible.
#[derive(Clone, Copy)]
pub(super) enum Growth<'l> {
    /// As far as that.
    Exact,
    /// To the next of these bounds.
    UpTo(&'l [Constraint]),
    /// Over all bounds that move.
    Free,
}

/// All bounds of a program, so many at most.
pub(super) fn landmarks(system: &System<'_>, most: usize) -> Vec<Constraint> {
    let is_bound = |constraint: &Constraint| {
        constraint.form().variables().all(|variable| system.cells.is_cell(variable))
            && !constraint.form().is_constant()
    };
    let mut found: Vec<Constraint> = Vec::new();
    for by in &system.moves {
        for guard in by.branch.guard.iter().flat_map(sides).filter(is_bound) {
            let behind = behind(&guard, by);
            for bound in std::iter::once(guard).chain(behind) {
                if !found.contains(&bound) && found.len() < most {
                    found.push(bound);
                }
            }
        }
    }
    found
}

/// The inequalities of a guard.
fn sides(guard: &Constraint) -> Vec<Constraint> {
    let zero = LinearForm::constant(0);
    match guard.relation() {
        Relation::Eq => vec![Constraint::le(guard.form(), &zero), Constraint::ge(guard.form(), &zero)],
        Relation::Ne => Vec::new(),
        _ => vec![guard.clone()],
    }
}

/// What a guard says of the values behind a step, if the step only adds constants to them.
fn behind(guard: &Constraint, by: &Move) -> Option<Constraint> {
    let mut result = guard.clone();
    for variable in guard.form().variables() {
        let Some(value) = updated(&by.branch.updates, variable) else { continue };
        let change = value.minus(&LinearForm::variable(variable));
        if !change.is_constant() {
            return None;
        }
        result = result.substitute(variable, &LinearForm::variable(variable).minus(&change));
    }
    Some(result)
}

impl Growth<'_> {
    /// What is known when it was `known` and `joined` is possible, too.
    pub(super) fn apply<D: NumericDomain>(self, known: &D, joined: D) -> D {
        match self {
            Growth::Exact => joined,
            Growth::Free => known.widen(&joined),
            Growth::UpTo(bounds) => {
                let mut widened = known.widen(&joined);
                for bound in bounds.iter().filter(|bound| joined.entails(bound)) {
                    if !widened.entails(bound) {
                        widened.meet(bound);
                    }
                }
                widened
            }
        }
    }
}
