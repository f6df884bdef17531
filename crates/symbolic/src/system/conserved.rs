//! Sums that no step changes.
//!
//! Where every step that changes some cells changes them by constants, linear algebra finds all sums
//! of them that stay what they were: the kernel of the matrix of these changes. Unlike octagons,
//! such sums may have any number of cells, as in `sent = received + waiting`, and their
//! value may be unknown: what it is initially, expressed in cells that nobody writes.

use super::{Move, System, updated};
use rely_base::Id;
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};
use std::iter::once;

/// Equations that hold initially and after every step.
pub(super) fn sums(system: &System<'_>) -> Vec<Constraint> {
    let cells = stepping_cells(system);
    let Some(changes) = changes(system, &cells) else { return Vec::new() };
    let solved = eliminated(changes);
    let is_pivot = |cell: VarId| solved.iter().any(|(pivot, _)| *pivot == cell);
    let sums = cells.iter().filter(|&&cell| !is_pivot(cell)).map(|&free| kernel_vector(&solved, free));
    sums.filter_map(|sum| with_initial_value(system, &sum)).collect()
}

/// The cells that change, always by a constant. Those of templates exist any number of times.
fn stepping_cells(system: &System<'_>) -> Vec<VarId> {
    let mut is_changed = vec![false; system.cells.count()];
    let mut is_followed = vec![true; system.cells.count()];
    for by in &system.moves {
        for (cell, value) in &by.branch.updates {
            is_changed[cell.index()] = true;
            is_followed[cell.index()] &= added(by, *cell, value).is_some();
        }
    }
    let is_single =
        |cell: VarId| system.cells.owner(cell).is_none_or(|owner| !system.thread(owner).is_template);
    let cells = system.cells.all();
    cells.filter(|&cell| is_changed[cell.index()] && is_followed[cell.index()] && is_single(cell)).collect()
}

/// What a step adds to a cell; `None` if that is not always the same. Who tests that `x` is still
/// `old` and then writes `old + 1` adds one.
fn added(by: &Move, cell: VarId, value: &LinearForm) -> Option<Integer> {
    let difference = value.minus(&LinearForm::variable(cell));
    let equations = by.branch.guard.iter().filter(|test| test.relation() == Relation::Eq);
    let zeros = equations.flat_map(|test| [test.form().clone(), test.form().negated()]);
    let mut equal = once(difference.clone()).chain(zeros.map(|zero| difference.plus(&zero)));
    equal.find(LinearForm::is_constant).map(|constant| constant.constant_term().clone())
}

/// What each step adds to the cells, without repetition; `None` if that is too much or nothing.
fn changes(system: &System<'_>, cells: &[VarId]) -> Option<Vec<LinearForm>> {
    if cells.len() < 2 || cells.len() > system.limits.translation.conserved_cells {
        return None;
    }
    let mut changes: Vec<LinearForm> = Vec::new();
    for by in &system.moves {
        let added = cells.iter().filter_map(|&cell| {
            let value = updated(&by.branch.updates, cell)?;
            Some((cell, added(by, cell, value)?))
        });
        let change = LinearForm::new(added, 0);
        if !change.is_constant() && !changes.contains(&change) {
            changes.push(change);
        }
    }
    (changes.len() <= system.limits.translation.conserved_changes).then_some(changes)
}

/// The forms as equations `form = 0`, each solved for one variable that no other one mentions.
fn eliminated(forms: Vec<LinearForm>) -> Vec<(VarId, LinearForm)> {
    let mut solved: Vec<(VarId, LinearForm)> = Vec::new();
    for mut form in forms {
        for (pivot, equation) in &solved {
            form = without(&form, *pivot, equation);
        }
        let Some(pivot) = form.variables().next() else { continue };
        for (_, equation) in &mut solved {
            *equation = without(equation, pivot, &form);
        }
        solved.push((pivot, form));
    }
    solved
}

/// A form that is zero where both are, without a variable.
fn without(form: &LinearForm, variable: VarId, equation: &LinearForm) -> LinearForm {
    let factor = form.coefficient(variable);
    if factor.is_zero() {
        return form.clone();
    }
    let combined = form.scaled(&equation.coefficient(variable)).add_scaled(&-&factor, equation);
    combined.div_terms_exact(&combined.content()).unwrap_or(combined)
}

/// The solution of the equations in which one of the free variables is not zero and all others are,
/// as the coefficients of a sum.
fn kernel_vector(solved: &[(VarId, LinearForm)], free: VarId) -> LinearForm {
    let concerned = || solved.iter().filter(|(_, equation)| equation.contains(free));
    let scale =
        concerned().fold(Integer::ONE, |scale, (pivot, equation)| &scale * &equation.coefficient(*pivot));
    let mut sum = LinearForm::variable(free).scaled(&scale);
    for (pivot, equation) in concerned() {
        let share = (&scale * &equation.coefficient(free)).div_exact(&equation.coefficient(*pivot));
        let share = share.unwrap_or(Integer::ZERO); // the scale is a multiple of each pivot's factor
        sum = sum.add_scaled(&-&share, &LinearForm::variable(*pivot));
    }
    sum.div_terms_exact(&sum.content()).unwrap_or(sum)
}

/// That a sum is what it is initially; `None` if that cannot be told by a constant or by cells that
/// nobody writes.
fn with_initial_value(system: &System<'_>, sum: &LinearForm) -> Option<Constraint> {
    let [initial] = system.initial.as_slice() else { return None };
    let is_written = |cell: VarId| system.moves.iter().any(|by| updated(&by.branch.updates, cell).is_some());
    let mut value = sum.clone();
    for cell in sum.variables() {
        let is_solution = |constraint: &&Constraint| {
            let is_known = |other: VarId| other == cell || !is_written(other);
            let (form, relation) = (constraint.form(), constraint.relation());
            relation == Relation::Eq && form.coefficient(cell).is_unit() && form.variables().all(is_known)
        };
        let equation = initial.iter().find(is_solution)?.form();
        let of_cell = LinearForm::variable(cell).add_scaled(&-&equation.coefficient(cell), equation);
        value = value.substitute(cell, &of_cell);
    }
    Some(Constraint::eq(sum, &value))
}
