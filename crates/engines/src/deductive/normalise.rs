//! Conjunctions in a form in which equal regions mostly look equal: equalities are solved and substituted, pairs of
//! opposite bounds are equalities, and of parallel bounds the strongest is kept.

use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};

/// Whether each constraint but the solved equalities bounds a single variable: then there is a
/// solution (bounds of one variable do not contradict each other), and nothing is redundant.
/// The constraints must have been through [`substitute_equalities`] and [`unite_opposites`].
pub(super) fn is_box(constraints: &[Constraint]) -> bool {
    constraints.iter().all(|constraint| match constraint.relation() {
        Relation::Eq => solved_variable(constraint).is_some(),
        Relation::Le => constraint.form().terms().len() == 1,
        Relation::Lt | Relation::Ne => false,
    })
}

/// The variable for which an equality is solved: the first one with a unit coefficient, so that shared
/// variables are explained by the locals that the threads count with.
pub(super) fn solved_variable(equality: &Constraint) -> Option<VarId> {
    equality.form().terms().iter().find(|(_, factor)| factor.is_unit()).map(|(variable, _)| *variable)
}

/// What a variable with a unit coefficient equals, by an equality.
pub(super) fn solution(equality: &Constraint, variable: VarId) -> LinearForm {
    let factor = equality.form().coefficient(variable);
    let rest = equality.form().minus(&LinearForm::new([(variable, factor.clone())], Integer::ZERO));
    if factor.is_positive() { rest.negated() } else { rest }
}

pub(super) fn substitute(constraints: &mut [Constraint], variable: VarId, value: &LinearForm) {
    for constraint in constraints.iter_mut().filter(|constraint| constraint.form().contains(variable)) {
        *constraint = constraint.substitute(variable, value);
    }
}

/// Solves each equality for a variable and eliminates it from all other constraints; of
/// inequalities in one direction keeps the strongest.
pub(super) fn substitute_equalities(constraints: &mut Vec<Constraint>) {
    let mut index = 0;
    while index < constraints.len() {
        let variable =
            (constraints[index].relation() == Relation::Eq).then(|| solved_variable(&constraints[index]));
        if let Some(Some(variable)) = variable {
            let equality = constraints[index].clone();
            let value = solution(&equality, variable);
            substitute(constraints, variable, &value);
            constraints[index] = equality;
        }
        index += 1;
    }
    constraints.retain(|constraint| !constraint.is_true());
    constraints.sort();
    constraints.dedup();
    keep_strongest(constraints);
}

/// Finds an inequality whose opposite holds too and makes both an equality; or finds that two
/// bounds contradict each other. Whether something has changed.
pub(super) fn unite_opposites(constraints: &mut Vec<Constraint>) -> bool {
    let inequalities = constraints.iter().enumerate().filter(|(_, held)| held.relation() == Relation::Le);
    for (index, constraint) in inequalities {
        let opposite = constraint.form().negated();
        let other = constraints
            .iter()
            .position(|other| other.relation() == Relation::Le && other.form().terms() == opposite.terms());
        let Some(other) = other else { continue };
        // form + a <= 0 and -form + b <= 0: the sum of the constants tells.
        let gap = constraints[other].form().constant_term() + constraint.form().constant_term();
        if gap.is_zero() {
            constraints[index] = Constraint::new(constraint.form().clone(), Relation::Eq);
            constraints.swap_remove(other);
            return true;
        }
        if gap.is_positive() {
            *constraints = vec![Constraint::truth(false)];
            return true;
        }
    }
    false
}

/// Of inequalities in one direction keeps the strongest. The constraints must be sorted.
pub(super) fn keep_strongest(constraints: &mut Vec<Constraint>) {
    let mut kept: Vec<Constraint> = Vec::with_capacity(constraints.len());
    for constraint in constraints.drain(..) {
        let is_inequality = constraint.relation() == Relation::Le;
        let rival = kept.iter_mut().find(|other| {
            is_inequality
                && other.relation() == Relation::Le
                && other.form().terms() == constraint.form().terms()
        });
        match rival {
            Some(rival) if rival.form().constant_term() < constraint.form().constant_term() => {
                *rival = constraint;
            }
            Some(_) => {}
            None => kept.push(constraint),
        }
    }
    *constraints = kept;
}
