//! Leaves out conditions that always, or never, hold.
//!
//! Which ones these are follows from the ranges in which the values of variables stay, see
//! [`Ranges`]. An index that is 0 or 1 needs no check that it is inside of an array with two
//! cells; where `x > 1` was just passed, a branch under `x <= 1` is never taken; and what fits
//! its machine type is not reduced to it.
//!
//! In every state that a run reaches, an expression has the value it had, and it is defined if
//! it was: a comparison is replaced only if it is always defined. So all steps are the same.

use super::BackMap;
use super::draft::Draft;
use super::rename::map_exprs;
use crate::analysis::{Known, Ranges, is_defined};
use crate::expr::Expr;
use crate::ir::Program;
use crate::types::Sort;

/// The program with comparisons replaced whose outcome follows from the ranges of variables.
pub fn use_ranges(program: &Program) -> (Program, BackMap) {
    let ranges = Ranges::new(program);
    let mut draft = Draft::new(program);
    for (id, edge) in program.edges.iter() {
        let Some(mut known) = ranges.at(edge.source).cloned() else { continue };
        let thread = program.locations[edge.source].thread;
        for (index, op) in edge.ops.iter().enumerate() {
            draft.program.edges[id].ops[index] = map_exprs(op, |expr| decide(program, &ranges, &known, expr));
            if !ranges.step(thread, &mut known, op) {
                break;
            }
        }
    }
    draft.finish()
}

fn decide(program: &Program, ranges: &Ranges<'_>, known: &Known, expr: &Expr) -> Expr {
    match expr {
        Expr::Binary(op, _) if op.sort() == Sort::Bool => {
            if let (Some(value), true) = (ranges.of(known, expr).single(), is_defined(program, expr)) {
                return Expr::Bool(value != 0);
            }
        }
        Expr::Wrap(int_type, operand) if ranges.of(known, operand).fits(*int_type) => {
            return decide(program, ranges, known, operand);
        }
        _ => {}
    }
    expr.map_children(|child| decide(program, ranges, known, child))
}
