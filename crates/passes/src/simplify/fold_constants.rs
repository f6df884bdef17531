//! Computes what is known in advance, and removes what cannot happen.
//!
//! An edge that no run passes can still fail a check, or tell an abandoned run from a waiting
//! one. It goes nevertheless if another edge from the same location begins with the same
//! operations, up to the last one of these: that one fails and is abandoned wherever this one
//! is. Such edges are left when a branch is joined with what stands before it.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::draft::rename::map_exprs;
use crate::pass::Pass;
use rely_program::analysis::{Constants, Env, IdSet, fold};
use rely_program::{Blocking, EdgeId, Expr, Initial, LocationId, Op, Program, PropertyKind};

/// The program with constant parts of expressions computed, variables replaced where their
/// value is known, and without the edges that never move, fail or matter for deadlocks and the
/// locations that cannot be reached.
#[derive(Clone, Copy, Debug)]
pub struct FoldConstants;

impl Pass for FoldConstants {
    fn name(&self) -> &'static str {
        "fold_constants"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let constants = Constants::new(program);
        let mut draft = Draft::new(program);
        let mut occupied: IdSet<LocationId> = IdSet::new();
        for thread in program.threads().values() {
            occupied.insert(thread.entry);
            occupied.insert(thread.exit);
        }
        for id in program.edges().ids() {
            match fold_edge(program, &constants, id) {
                Folded::Moves(ops) => {
                    occupied.insert(program.edges()[id].target);
                    draft.program.edges_mut()[id].ops = ops;
                }
                Folded::OnlyBlocksOrFails { deciding, .. }
                    if has_same_start(program, &draft, id, deciding) =>
                {
                    draft.remove_edge(id);
                }
                Folded::OnlyBlocksOrFails { ops, looked_at, .. } => {
                    draft.drop_choices(id, |choice| choice.op >= looked_at);
                    // It never gets anywhere, so it may lead to where there is always a location.
                    draft.program.edges_mut()[id].ops = ops;
                    draft.program.edges_mut()[id].target = program.thread_of(program.edges()[id].source).exit;
                }
                Folded::Nothing => draft.remove_edge(id),
            }
        }
        fold_conditions(program, &constants, &occupied, &mut draft);
        for location in program.locations().ids().filter(|&location| !occupied.contains(location)) {
            draft.remove_location(location);
        }
        draft.finish()
    }
}

/// What is left of an edge.
enum Folded {
    Moves(Vec<Op>),
    /// No run passes it, but it can fail a check, or be what tells an abandoned run from a
    /// waiting one.
    OnlyBlocksOrFails {
        ops: Vec<Op>,
        /// How many of the old operations a run can get to.
        looked_at: usize,
        /// How many of the old operations there are up to the last that makes a difference.
        deciding: usize,
    },
    Nothing,
}

/// Whether a failed check or an abandoned run shows that the operation was there.
fn shows(op: &Op) -> bool {
    matches!(op, Op::Check(..) | Op::Assume(_, Blocking::Abandon))
}

/// Whether another edge, of those that are still there, begins with the same operations.
fn has_same_start(program: &Program, draft: &Draft<'_>, edge: EdgeId, length: usize) -> bool {
    let own = &program.edges()[edge];
    let same = |(left, right): (&Op, &Op)| match (left, right) {
        (Op::Check(condition, check), Op::Check(other, other_check)) => {
            condition == other && program.checks()[*check] == program.checks()[*other_check]
        }
        (left, right) => left == right,
    };
    draft.edges().any(|(id, _)| {
        let other = &program.edges()[id];
        id != edge
            && other.source == own.source
            && other.ops.len() >= length
            && own.ops[..length].iter().zip(&other.ops).all(same)
    })
}

fn fold_edge(program: &Program, constants: &Constants, id: EdgeId) -> Folded {
    let edge = &program.edges()[id];
    let thread = program.locations()[edge.source].thread;
    let Some(mut env) = constants.at(edge.source).cloned() else { return Folded::Nothing };
    let mut ops = Vec::new();
    let mut deciding = 0;
    for (index, op) in edge.ops.iter().enumerate() {
        let folded = map_exprs(op, |expr| fold(program, &env, expr));
        let passes = constants.step(program, thread, &mut env, op);
        if !matches!(folded, Op::Assume(Expr::Bool(true), _) | Op::Check(Expr::Bool(true), _)) {
            if shows(&folded) {
                deciding = index + 1;
            }
            ops.push(folded);
        }
        if !passes {
            return match deciding {
                0 => Folded::Nothing,
                deciding => Folded::OnlyBlocksOrFails { ops, looked_at: index + 1, deciding },
            };
        }
    }
    Folded::Moves(ops)
}

/// Properties see only what never changes as constant, the precondition all initial values.
fn fold_conditions(
    program: &Program,
    constants: &Constants,
    occupied: &IdSet<LocationId>,
    draft: &mut Draft<'_>,
) {
    for property in draft.program.properties_mut() {
        if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &mut property.kind {
            let counted = without_empty_locations(condition, occupied);
            *condition = fold(program, &constants.fixed, &counted);
        }
    }
    let mut initial = Env::default();
    for (id, var) in program.vars().iter() {
        if let (Initial::Values(values), None) = (&var.initial, var.length) {
            initial.set(id, values.first().copied());
        }
    }
    for condition in draft.program.requires_mut() {
        *condition = fold(program, &initial, &without_empty_locations(condition, occupied));
    }
    draft.program.requires_mut().retain(|condition| *condition != Expr::Bool(true));
}

/// Nobody ever stands where nobody can come.
fn without_empty_locations(expr: &Expr, occupied: &IdSet<LocationId>) -> Expr {
    match expr {
        Expr::CountAt(location) if !occupied.contains(*location) => Expr::Int(0),
        other => other.map_children(|child| without_empty_locations(child, occupied)),
    }
}
