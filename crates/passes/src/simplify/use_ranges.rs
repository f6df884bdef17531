//! Leaves out conditions that always, or never, hold, and what has only one value.
//!
//! Which ones these are follows from the ranges in which the values of variables stay, see
//! [`Ranges`]. An index that is 0 or 1 needs no check that it is inside of an array with two
//! cells; where `x > 1` was just passed, a branch under `x <= 1` is never taken; what fits
//! its machine type is not reduced to it; a product of variables that have one value each is
//! a number; and what a variable holds already is not written to it again.
//!
//! In every state that a run reaches, an expression has the value it had, and it is defined if
//! it was: one is replaced by its value only if it is always defined. So all steps are the same.
//!
//! A write of what is there already is left out only if somebody looks at the variable before it anyway.
//! Otherwise the value before it would begin to matter, and an earlier pass, which saw that it did not,
//! may have left out what the source had written there: the way back would promise too much.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::draft::rename::map_exprs;
use crate::pass::Pass;
use rely_program::analysis::{Access, Known, Liveness, Ranges, constant, is_defined};
use rely_program::{Edge, Expr, Op, Place, Program, Sort, UnaryOp, VarId};

/// The program with expressions replaced whose value follows from the ranges of variables.
#[derive(Clone, Copy, Debug)]
pub struct UseRanges;

impl Pass for UseRanges {
    fn name(&self) -> &'static str {
        "use_ranges"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let ranges = Ranges::new(program);
        let mut liveness = None;
        let mut draft = Draft::new(program);
        for (id, edge) in program.edges().iter() {
            let Some(mut known) = ranges.at(edge.source).cloned() else { continue };
            let mut is_kept = vec![true; edge.ops.len()];
            for (index, op) in edge.ops.iter().enumerate() {
                draft.program.edges_mut()[id].ops[index] =
                    map_exprs(op, |expr| decide(program, &ranges, &known, expr));
                is_kept[index] = !is_there(program, &ranges, &known, op).is_some_and(|var| {
                    let liveness = liveness.get_or_insert_with(|| Liveness::new(program));
                    matters_before(liveness, edge, index, var)
                });
                if !ranges.step(&mut known, op) {
                    break;
                }
            }
            let mut is_kept = is_kept.into_iter();
            draft.program.edges_mut()[id].ops.retain(|_| is_kept.next().unwrap_or(true));
        }
        draft.finish()
    }
}

/// The variable to which an operation writes the only value that it can have there.
fn is_there(program: &Program, ranges: &Ranges<'_>, known: &Known, op: &Op) -> Option<VarId> {
    let Op::Assign(assignments) = op else { return None };
    let [(Place::Scalar(var), value)] = assignments.as_slice() else { return None };
    let there = ranges.of(known, &Expr::Var(*var)).single();
    let is_there = there.is_some() && there == ranges.of(known, value).single() && is_defined(program, value);
    is_there.then_some(*var)
}

/// Whether the value that a variable has before an operation of an edge matters, or comes from the edge.
fn matters_before(liveness: &Liveness, edge: &Edge, index: usize, var: VarId) -> bool {
    let before = Access::of_ops(&edge.ops[..index]);
    liveness.is_live(edge.source, var) || before.reads.contains(var) || before.writes.contains(var)
}

fn decide(program: &Program, ranges: &Ranges<'_>, known: &Known, expr: &Expr) -> Expr {
    let sort = match expr {
        Expr::Int(_) | Expr::Bool(_) => return expr.clone(),
        Expr::Var(var) => program.vars()[*var].sort,
        Expr::Binary(op, _) => op.sort(),
        Expr::Unary(UnaryOp::Not, _) => Sort::Bool,
        Expr::Unary(..) | Expr::Wrap(..) => Sort::Int,
        Expr::Element(..) | Expr::This | Expr::Ite(_) | Expr::CountAt(_) | Expr::CountRunning(_) => {
            return expr.map_children(|child| decide(program, ranges, known, child));
        }
    };
    let range = ranges.of(known, expr);
    match (range.single(), expr) {
        (Some(value), _) if is_defined(program, expr) => constant(sort, value),
        (_, Expr::Wrap(int_type, operand)) if ranges.of(known, operand).fits(*int_type) => {
            decide(program, ranges, known, operand)
        }
        _ => expr.map_children(|child| decide(program, ranges, known, child)),
    }
}
