//! States in which no thread can move forward, as a formula about states of the counter machine.
//!
//! The paper's deadlock: nobody is at a place from which a step can be made, `#(l && enabled) == 0` for all `l`, and not
//! all have ended. That is no upward-closed set, since one more thread might be able to move. Here it is asked for edges
//! forward, which close no circle, and of those who are left whether they can move back: see [`Rule::Stuck`] for why
//! nobody waits for ever then, whatever the others do.
//!
//! Whether a step can be made is asked of shared variables and counters alone. One that also depends on locals of the
//! thread, or on values that are chosen, is not counted on.
//!
//! [`Rule::Stuck`]: rely_evidence::rely_guarantee::Rule::Stuck

use super::machine::{Machine, sum};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, TermId};
use rely_program::analysis::IdSet;
use rely_program::{EdgeId, LocationId, Op, Program, ThreadId};
use rely_symbolic::{BranchEnd, ControlPointId, Move};

/// The states in which nobody can move forward, and somebody can neither move back nor has ended.
pub(super) fn stuck(machine: &mut Machine<'_, '_>) -> TermId {
    let program = machine.system.program;
    let forward = forward_edges(program);
    let mut states: Vec<TermId> =
        machine.undisturbed(None).iter().map(|constraint| machine.pool.constraint_term(constraint)).collect();
    let mut waiting = Vec::new();
    for (location, declaration) in program.locations().iter() {
        if declaration.atomic || location == program.threads()[declaration.thread].exit {
            continue;
        }
        let none = Constraint::le(&LinearForm::variable(machine.at(location)), &LinearForm::constant(0));
        let nobody = machine.pool.constraint_term(&none);
        let somebody = machine.pool.constraint_term(&none.negated());
        let no_way_on = no_way(machine, location, |edge| forward.contains(edge));
        states.push(machine.pool.or([nobody, no_way_on]));
        let no_way_back = no_way(machine, location, |edge| !forward.contains(edge));
        waiting.push(machine.pool.and([somebody, no_way_back]));
    }
    states.push(machine.pool.or(waiting));
    machine.pool.and(states)
}

/// That none of some edges from a location can be taken, as far as the state tells.
fn no_way(machine: &mut Machine<'_, '_>, location: LocationId, is_meant: impl Fn(EdgeId) -> bool) -> TermId {
    let moves = moves_from(machine, location, is_meant);
    let pool = &mut machine.pool;
    let mut blocked = Vec::new();
    for needed in moves {
        let needed: Vec<TermId> = needed.iter().map(|it| pool.constraint_term(it)).collect();
        let possible = pool.and(needed);
        blocked.push(pool.not(possible));
    }
    pool.and(blocked)
}

/// What the steps from a location along some edges need, as far as the state tells.
fn moves_from(
    machine: &Machine<'_, '_>,
    location: LocationId,
    is_meant: impl Fn(EdgeId) -> bool,
) -> Vec<Vec<Constraint>> {
    let (system, program) = (machine.system, machine.system.program);
    let thread = program.locations()[location].thread;
    let here = system.point(thread, ControlPoint::At(location));
    let goes_on = |by: &Move| matches!(by.branch.ending, BranchEnd::Moves | BranchEnd::Halts);
    let is_clear = |by: &&Move| {
        let edge = &program.edges()[by.edge];
        let leads_into_block = program.locations()[edge.target].atomic;
        is_meant(by.edge) && !leads_into_block && waits_clearly(&edge.ops, by) && goes_on(by)
    };
    let moves = system.moves.iter().filter(|by| by.thread == thread && by.source == here).filter(is_clear);
    moves.filter_map(|by| needed(machine, by)).collect()
}

/// Whether nothing is waited for behind a start, and no thread joined whose end is not a place of an instance.
fn waits_clearly(ops: &[Op], by: &Move) -> bool {
    let starts = ops.iter().position(|op| matches!(op, Op::Spawn { .. })).unwrap_or(ops.len());
    let waits = |op: &Op| matches!(op, Op::Assume(..) | Op::Check(..) | Op::Join(_));
    let joins = ops.iter().filter(|op| matches!(op, Op::Join(_))).count();
    !ops[starts..].iter().any(waits) && joins <= by.branch.places.len()
}

/// The condition of a move, if it is one on the state alone.
fn needed(machine: &Machine<'_, '_>, by: &Move) -> Option<Vec<Constraint>> {
    let places = by.places.iter().map(|(thread, points)| at_one_of(machine, *thread, points));
    let needed: Vec<Constraint> = by.branch.guard.iter().cloned().chain(places).collect();
    let is_known = needed.iter().all(|it| it.form().variables().all(|variable| machine.is_state(variable)));
    is_known.then_some(needed)
}

fn at_one_of(machine: &Machine<'_, '_>, thread: ThreadId, points: &[ControlPointId]) -> Constraint {
    let counters: Vec<_> = points.iter().map(|&point| machine.counter(thread, point)).collect();
    Constraint::eq(&sum(&counters), &LinearForm::constant(1))
}

/// The edges that close no circle in a search from the entries of the threads.
fn forward_edges(program: &Program) -> IdSet<EdgeId> {
    let (mut forward, mut seen) = (IdSet::new(), IdSet::new());
    for thread in program.threads().values() {
        // Each location of the way from the entry, with how many of its edges were looked at.
        let mut way: Vec<(LocationId, usize)> = vec![(thread.entry, 0)];
        seen.insert(thread.entry);
        while let Some((location, next)) = way.pop() {
            let Some(&edge) = program.outgoing(location).get(next) else { continue };
            way.push((location, next + 1));
            let target = program.edges()[edge].target;
            if way.iter().any(|(open, _)| *open == target) {
                continue;
            }
            forward.insert(edge);
            if seen.insert(target) {
                way.push((target, 0));
            }
        }
    }
    forward
}
