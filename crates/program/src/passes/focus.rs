//! Leaves only what one goal asks for.

use super::BackMap;
use super::draft::Draft;
use crate::ir::{Blocking, Op, Program};
use crate::property::Goal;

/// The program for which only one goal matters. Runs that fail checks of other goals are
/// assumed not to happen: those checks become assumptions. Properties of other goals go.
pub fn focus(program: &Program, goal: Goal) -> (Program, BackMap) {
    let mut draft = Draft::new(program);
    for (_, edge) in draft.program.edges.iter_mut() {
        for op in &mut edge.ops {
            if let Op::Check(condition, check) = op
                && !goal.includes(program.checks[*check].kind)
            {
                *op = Op::Assume(condition.clone(), Blocking::Abandon);
            }
        }
    }
    draft.retain_properties(|property| property.claimed.goal() == goal);
    draft.finish()
}
