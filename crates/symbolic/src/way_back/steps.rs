//! What holds at control points of which the simplified program knows nothing: what follows from where threads come from.

use super::Assertions;
use super::places::Places;
use crate::outline::Known;
use crate::system::{ControlPointId, Move, System, updated};
use rely_base::{Budget, Id};
use rely_logic::project::project;
use rely_logic::{Conjunction, Constraint, Domain, LinearForm, VarId, Verdict};
use rely_program::ThreadId;

/// A place with more cases than this says nothing: whoever needs so many needs something else.
const MOST_CASES: usize = 64;

/// Adds what holds at the other control points: the strongest postcondition of all ways that lead there, and anything
/// at all where such ways go round in circles.
pub(super) fn fill(system: &System<'_>, places: &Places, at: &mut Assertions, budget: &Budget) {
    for thread in system.thread_ids() {
        let known: Vec<ControlPointId> =
            places.corresponding().filter(|(owner, _)| *owner == thread).map(|(_, number)| number).collect();
        begin(system, thread, at);
        let mut open = open_points(system, thread, at);
        while !open.is_empty() {
            let ready = open.iter().copied().find(|&number| is_ready(system, thread, number, at));
            let number = ready.unwrap_or(open[0]);
            let holds = match ready {
                Some(number) => arriving(system, thread, number, at, budget),
                None => vec![Known::default()],
            };
            at[thread.index()][number.index()] = Some(holds);
            open.retain(|&other| other != number);
        }
        debug_assert!(known.iter().all(|number| at[thread.index()][number.index()].is_some()));
    }
}

/// What holds where a thread is at first.
fn begin(system: &System<'_>, thread: ThreadId, at: &mut Assertions) {
    let view = system.thread(thread);
    let Some(start) = view.start else {
        // Whoever is made of a template starts with anything.
        at[thread.index()][view.entry.index()].get_or_insert_with(|| vec![Known::default()]);
        return;
    };
    let is_seen = |constraint: &&Constraint| {
        constraint.form().variables().all(|cell| match system.cells.owner(cell) {
            Some(owner) => owner == thread || !system.thread(owner).is_template,
            None => true,
        })
    };
    let is_running = start == view.entry;
    let holds = || match is_running {
        true => {
            let cases = system.initial.iter();
            let case = |case: &Vec<Constraint>| case.iter().filter(is_seen).cloned().collect();
            cases.map(|one| Known { constraints: case(one), others: Vec::new() }).collect()
        }
        false => vec![Known::default()],
    };
    at[thread.index()][start.index()].get_or_insert_with(holds);
    at[thread.index()][view.entry.index()].get_or_insert_with(|| vec![Known::default()]);
}

fn open_points(system: &System<'_>, thread: ThreadId, at: &Assertions) -> Vec<ControlPointId> {
    let count = system.thread(thread).points.len();
    let all = (0..count).map(ControlPointId::from_index);
    all.filter(|number| at[thread.index()][number.index()].is_none()).collect()
}

fn arrivals<'s>(
    system: &'s System<'_>,
    thread: ThreadId,
    number: ControlPointId,
) -> impl Iterator<Item = &'s Move> {
    let moves = system.thread(thread).moves.iter().flatten().map(|by| system.get(*by));
    moves.filter(move |by| by.target == number && by.leads_on(system))
}

fn is_ready(system: &System<'_>, thread: ThreadId, number: ControlPointId, at: &Assertions) -> bool {
    arrivals(system, thread, number).all(|by| at[thread.index()][by.source.index()].is_some())
}

/// What holds behind all steps that lead somewhere.
fn arriving(
    system: &System<'_>,
    thread: ThreadId,
    number: ControlPointId,
    at: &Assertions,
    budget: &Budget,
) -> Vec<Known> {
    let mut cases: Vec<Known> = Vec::new();
    for by in arrivals(system, thread, number) {
        for before in at[thread.index()][by.source.index()].iter().flatten() {
            let Some(after) = behind(system, before, by, budget) else { continue };
            if !cases.contains(&after) {
                cases.push(after);
            }
            if cases.len() > MOST_CASES {
                return vec![Known::default()];
            }
        }
    }
    cases
}

/// What holds behind a step; `None` if it cannot be made.
fn behind(system: &System<'_>, before: &Known, by: &Move, budget: &Budget) -> Option<Known> {
    let cells = &system.cells;
    let mut constraints = before.constraints.clone();
    constraints.extend(by.branch.guard.iter().cloned());
    let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
    solver.set_proofs(false);
    for constraint in &constraints {
        solver.assert(constraint);
    }
    if solver.check(budget) == Verdict::Unsat {
        return None;
    }
    for (cell, value) in &by.branch.updates {
        constraints.push(Constraint::eq(&LinearForm::variable(cells.after(*cell)), value));
    }
    let is_gone = |variable: VarId| {
        updated(&by.branch.updates, variable).is_some() || variable.index() >= 3 * cells.count()
    };
    let mut gone: Vec<VarId> = constraints.iter().flat_map(|it| it.form().variables()).collect();
    gone.sort_unstable();
    gone.dedup();
    gone.retain(|&variable| is_gone(variable));
    let left = project(Domain::Integers, &constraints, &gone, budget).constraints;
    let now = |variable: VarId| {
        let is_after = variable.index() >= 2 * cells.count();
        if is_after { VarId::from_index(variable.index() - 2 * cells.count()) } else { variable }
    };
    let left = left.into_iter().filter(|constraint| !constraint.is_true());
    let constraints = left.map(|constraint| constraint.rename(now)).collect();
    let is_elsewhere = |other: &ThreadId| by.branch.started.contains(other);
    let others = before.others.iter().filter(|(other, _)| !is_elsewhere(other)).cloned();
    Some(Known { constraints, others: others.collect() })
}
