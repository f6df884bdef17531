//! Steps that change nothing, for [rankings](crate::ranking) of fair runs: a thread that waits in a loop goes round.
//!
//! If a run consists of nothing but rounds at last, it stays in one state. There it is unfair if some thread can go on
//! without going round, and cannot go round as well: that thread never moves.

use super::Generator;
use super::outline::Outline;
use super::step::Step;
use crate::data::ControlPoint;
use rely_logic::TermId;
use rely_program::{EdgeId, LocationId, Op, Program};

/// Whether an edge leads back to where it starts, with nothing changed.
pub(crate) fn is_round(program: &Program, edge: EdgeId) -> bool {
    let edge = &program.edges()[edge];
    let changes_nothing = |op: &Op| matches!(op, Op::Assume(..) | Op::Check(..));
    edge.source == edge.target
        && !program.locations()[edge.source].atomic
        && edge.ops.iter().all(changes_nothing)
}

/// Whether a thread can ever be where it can go round.
pub(crate) fn has_rounds(outline: &Outline<'_>) -> bool {
    let program = outline.program;
    let is_reached = |edge: EdgeId| {
        let source = ControlPoint::At(program.edges()[edge].source);
        !outline.at(outline.actor(edge), source).is_empty()
    };
    program.edges().ids().any(|edge| is_round(program, edge) && is_reached(edge))
}

/// That a thread at a location cannot go round, for each way in which it might.
pub(crate) fn cannot_go_round(generator: &mut Generator<'_>, location: LocationId) -> Vec<TermId> {
    let program = generator.outline.program;
    let rounds = program.outgoing(location).iter().filter(|&&edge| is_round(program, edge));
    let blocked = rounds.map(|&edge| {
        let Generator { encoder, outline, structure, goal, .. } = generator;
        let step = Step::new(encoder, outline, structure, *goal, edge);
        let can = encoder.pool.and(step.conditions);
        encoder.pool.not(can)
    });
    blocked.collect()
}
