//! Which locations are inside of blocks.
//!
//! A location can be before the commit of a block if all edges that lead there are right movers, and after
//! it if all that leave it are left movers and one of them can always be taken. A location that could be both
//! is before the commit, unless it follows one after it; where neither fits, a block ends. After a commit, a thread must
//! come to the end of its block, so cycles are cut there. Before it they need not be: a thread that goes round in
//! circles for ever has done nothing that others could see, and a loop in front of the commit, such as one under a lock,
//! is part of the block.

use super::movers::Movers;
use rely_base::Id;
use rely_evidence::reduction::Phase;
use rely_program::analysis::Graph;
use rely_program::{Expr, Goal, LocationId, Op, Program};

/// The locations inside of blocks, with their phases.
pub(super) fn inside(program: &Program, goal: Goal, movers: &Movers) -> Vec<(LocationId, Phase)> {
    let graph = Graph::new(program);
    let is_border = |location: LocationId| {
        let thread = program.thread_of(location);
        location == thread.entry
            || location == thread.exit
            || program.locations()[location].atomic
            || touches_atomic_block(program, &graph, location)
    };
    let can_be_before =
        |location: LocationId| graph.incoming(location).iter().all(|&edge| movers.is_right(edge));
    let can_be_after = |location: LocationId| {
        !graph.is_loop_head(location)
            && program.outgoing(location).iter().all(|&edge| movers.is_left(edge))
            && is_left_for_certain(program, goal, location)
    };
    let choose = |location: LocationId| match location {
        location if is_border(location) => None,
        location if can_be_before(location) => Some(Phase::BeforeCommit),
        location if can_be_after(location) => Some(Phase::AfterCommit),
        _ => None,
    };
    let mut phases: Vec<Option<Phase>> = program.locations().ids().map(choose).collect();
    // No edge leads back from after the commit.
    while let Some(behind) = one_commit_too_many(program, &phases) {
        phases[behind.index()] = can_be_after(behind).then_some(Phase::AfterCommit);
    }
    let joins_something = |location: &LocationId| !graph.incoming(*location).is_empty();
    let inside = program.locations().ids().filter(joins_something);
    inside.filter_map(|location| Some((location, phases[location.index()]?))).collect()
}

fn one_commit_too_many(program: &Program, phases: &[Option<Phase>]) -> Option<LocationId> {
    let leads_back = |ends: [LocationId; 2]| {
        ends.map(|end| phases[end.index()]) == [Some(Phase::AfterCommit), Some(Phase::BeforeCommit)]
    };
    program.edges().values().find(|edge| leads_back([edge.source, edge.target])).map(|edge| edge.target)
}

fn touches_atomic_block(program: &Program, graph: &Graph, location: LocationId) -> bool {
    let is_atomic = |end: LocationId| program.locations()[end].atomic;
    graph.incoming(location).iter().any(|&edge| is_atomic(program.edges()[edge].source))
        || program.outgoing(location).iter().any(|&edge| is_atomic(program.edges()[edge].target))
}

/// Whether some edge can always be taken, or goes wrong.
fn is_left_for_certain(program: &Program, goal: Goal, location: LocationId) -> bool {
    let edges = program.outgoing(location);
    let conditions = |edge| program.edges()[edge].ops.iter().filter_map(|op| condition(program, goal, op));
    // The only condition, with which the edge begins.
    let test = |edge| match program.edges()[edge].ops.first() {
        Some(Op::Assume(test, _)) if conditions(edge).count() == 1 => Some(test),
        _ => None,
    };
    let are_opposite = |one: &Expr, other: &Expr| one.clone().negate() == *other;
    let tests: Vec<&Expr> = edges.iter().filter_map(|&edge| test(edge)).collect();
    edges.iter().any(|&edge| conditions(edge).next().is_none())
        || tests.iter().any(|one| tests.iter().any(|other| are_opposite(one, other)))
}

/// Without what a run does not go on here. A check that the goal does not ask for is assumed.
fn condition<'p>(program: &Program, goal: Goal, op: &'p Op) -> Option<&'p Expr> {
    match op {
        Op::Assume(condition, _) => Some(condition),
        Op::Check(condition, check) if !goal.includes(program.checks()[*check].kind) => Some(condition),
        _ => None,
    }
}
