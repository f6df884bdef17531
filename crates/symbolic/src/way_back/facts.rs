//! What analyses know of variables, as facts at places: passes have used it, and a proof need not say it again.

use super::{Assertions, Made};
use crate::system::System;
use rely_base::Id;
use rely_evidence::rely_guarantee::{ControlPoint, Quantity, RelyGuarantee};
use rely_logic::{Constraint, Integer, LinearForm, VarId};
use rely_program::analysis::Ranges;
use rely_program::{Expr, LocationId, Scope, ThreadId, Value};
use rustc_hash::FxHashSet;

/// Bounds beyond this are those of a type, and nothing that was found out.
const WIDE: Value = 1 << 30;

/// Adds to each assertion the ranges of variables that the thread looks at, and what is held there.
pub(super) fn add(
    system: &System<'_>,
    target: Made<'_>,
    held: Option<&RelyGuarantee>,
    at: &mut Assertions,
) {
    let ranges = Ranges::new(target.program);
    let looked_at = looked_at(system);
    for thread in system.thread_ids() {
        for (number, point) in system.thread(thread).points.iter().enumerate() {
            let ControlPoint::At(location) = point else { continue };
            let Some(cases) = &mut at[thread.index()][number] else { continue };
            let mut facts = of_ranges(system, &ranges, &looked_at, (thread, *location));
            facts.extend(of_held(system, held, (thread, target.back.location(*location))));
            for known in cases {
                let news = facts.iter().filter(|fact| !known.constraints.contains(fact));
                let news: Vec<Constraint> = news.cloned().collect();
                known.constraints.extend(news);
            }
        }
    }
}

/// The cells that conditions of steps and of violations mention.
fn looked_at(system: &System<'_>) -> FxHashSet<VarId> {
    let guards = system.moves.iter().flat_map(|by| &by.branch.guard);
    let violated = system.violations.iter().flat_map(|violation| &violation.guard);
    guards.chain(violated).flat_map(|constraint| constraint.form().variables()).collect()
}

fn of_ranges(
    system: &System<'_>,
    ranges: &Ranges<'_>,
    looked_at: &FxHashSet<VarId>,
    (thread, location): (ThreadId, LocationId),
) -> Vec<Constraint> {
    let Some(known) = ranges.at(location) else { return Vec::new() };
    let mut facts = Vec::new();
    for (var, declaration) in system.program.vars().iter() {
        let is_own = matches!(declaration.scope, Scope::Local(owner) if owner == thread);
        let cell = system.cells.cell(var, 0);
        let is_said = (is_own || declaration.is_global())
            && declaration.length.is_none()
            && looked_at.contains(&cell)
            && system.is_live(thread, system.point(thread, ControlPoint::At(location)), cell);
        if !is_said {
            continue;
        }
        let range = ranges.of(known, &Expr::Var(var));
        let form = LinearForm::variable(cell);
        let bound = |value: Option<Value>| {
            let value = value.filter(|value| (-WIDE..=WIDE).contains(value))?;
            Some(LinearForm::constant(Integer::from(value)))
        };
        facts.extend(bound(range.low()).map(|low| Constraint::ge(&form, &low)));
        facts.extend(bound(range.high()).map(|high| Constraint::le(&form, &high)));
    }
    facts
}

/// What holds at a location of the source as long as nothing goes wrong, as far as it is one case.
fn of_held(
    system: &System<'_>,
    held: Option<&RelyGuarantee>,
    (thread, location): (ThreadId, LocationId),
) -> Vec<Constraint> {
    let own = held.into_iter().flat_map(|held| &held.threads).find(|entry| entry.thread == thread);
    let here = own.into_iter().flat_map(|entry| &entry.at);
    let Some((_, cubes)) = here.into_iter().find(|(point, _)| *point == ControlPoint::At(location)) else {
        return Vec::new();
    };
    let [cube] = cubes.as_slice() else { return Vec::new() };
    cube.atoms.iter().filter_map(|atom| plain(system, thread, atom)).collect()
}

/// An atom about the target's own variables as a constraint.
fn plain(
    system: &System<'_>,
    thread: ThreadId,
    atom: &rely_evidence::rely_guarantee::Atom,
) -> Option<Constraint> {
    use rely_evidence::rely_guarantee::Comparison::{Eq, Le, MultipleOf, Ne};
    let mut form = LinearForm::constant(Integer::from(atom.constant));
    for (factor, quantity) in &atom.terms {
        let value = match *quantity {
            Quantity::Handle => system.cells.handle(thread),
            Quantity::Cell { var, index, .. } => LinearForm::variable(system.cells.cell(var, index as usize)),
        };
        form = form.add_scaled(&Integer::from(*factor), &value);
    }
    let zero = LinearForm::constant(0);
    match atom.comparison {
        Le => Some(Constraint::le(&form, &zero)),
        Eq => Some(Constraint::eq(&form, &zero)),
        Ne => Some(Constraint::ne(&form, &zero)),
        MultipleOf(_) => None,
    }
}
