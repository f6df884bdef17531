//! What stays true: comparisons that do not follow from the others before every step are dropped, until all do.

use super::arrivals::Arrival;
use super::cases::{CaseId, Table};
use crate::System;
use crate::system::{before, updated};
use rely_base::Budget;
use rely_logic::{Conjunction, Constraint, Domain, Entailment, Verdict};
use rely_program::ThreadId;

/// Drops what is not inductive. `None` if a step would be possible that leads to no case, or the budget ends.
pub(super) fn induct(
    system: &System<'_>,
    table: &mut Table,
    ways: &[Arrival],
    budget: &Budget,
) -> Option<()> {
    begin(system, table, budget);
    loop {
        let mut has_changed = false;
        for way in ways {
            budget.check_now().ok()?;
            has_changed |= look(system, table, way, budget)?;
        }
        if !has_changed {
            return Some(());
        }
    }
}

/// Drops what does not hold initially where threads are then.
fn begin(system: &System<'_>, table: &mut Table, budget: &Budget) {
    let start = |thread: ThreadId| system.thread(thread).start;
    let is_start = |id: &CaseId| {
        let key = table.told.iter().zip(&table.get(*id).key);
        start(id.thread) == Some(id.point) && key.into_iter().all(|(thread, at)| start(*thread) == Some(*at))
    };
    let cases: Vec<CaseId> =
        system.thread_ids().flat_map(|thread| table.cases(thread)).filter(is_start).collect();
    for case in &system.initial {
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        for constraint in case {
            solver.assert(constraint);
        }
        for id in &cases {
            for number in 0..table.get(*id).atoms.len() {
                let constraint = table.get(*id).atoms[number].constraint.clone();
                if solver.entails(&constraint, budget) != Entailment::Yes {
                    table.atom_mut(*id, number).is_held = false;
                }
            }
        }
    }
}

/// Drops what does not hold behind a step; whether something was dropped.
fn look(system: &System<'_>, table: &mut Table, way: &Arrival, budget: &Budget) -> Option<bool> {
    let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
    solver.set_proofs(false);
    let open = match way.target {
        Some(target) => {
            let atoms = table.get(target).atoms.iter().enumerate();
            let open = atoms.filter(|(_, atom)| atom.is_held && !is_kept(table, way, &atom.constraint));
            open.map(|(number, atom)| (number, before(&atom.constraint, &way.updates))).collect()
        }
        None => Vec::new(),
    };
    if open.is_empty() && way.target.is_some() {
        return Some(false);
    }
    for constraint in &way.guard {
        solver.assert(constraint);
    }
    for (source, id) in way.sources.iter().enumerate() {
        for atom in table.get(*id).atoms.iter().filter(|atom| atom.is_held) {
            solver.assert(&way.seen(system, source, &atom.constraint));
        }
    }
    if solver.check(budget) == Verdict::Unsat {
        return Some(false);
    }
    let target = way.target?;
    let mut has_changed = false;
    for (number, constraint) in open {
        if solver.entails(&constraint, budget) != Entailment::Yes {
            table.atom_mut(target, number).is_held = false;
            has_changed = true;
        }
    }
    Some(has_changed)
}

/// Whether a comparison is known before the step, and the step does not change what it speaks of.
pub(super) fn is_kept(table: &Table, way: &Arrival, constraint: &Constraint) -> bool {
    kept(table, way, constraint).is_some()
}

/// The number of a comparison before the step, if the step does not change what it speaks of.
pub(super) fn kept(table: &Table, way: &Arrival, constraint: &Constraint) -> Option<usize> {
    if constraint.form().variables().any(|cell| updated(&way.updates, cell).is_some()) {
        return None;
    }
    let source = table.get(*way.sources.last()?);
    source.atoms.iter().position(|atom| atom.is_held && atom.constraint == *constraint)
}
