//! Leaves only what one goal asks for.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::{Blocking, Goal, Op, Program};

/// The program for which only one goal matters. Runs that fail checks of other goals are
/// assumed not to happen: those checks become assumptions. Properties of other goals go.
#[derive(Clone, Copy, Debug)]
pub struct Focus {
    /// The goal that matters.
    pub goal: Goal,
}

impl Pass for Focus {
    fn name(&self) -> &'static str {
        "focus"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let goal = self.goal;
        let mut draft = Draft::new(program);
        for (_, edge) in draft.program.edges_mut().iter_mut() {
            for op in &mut edge.ops {
                if let Op::Check(condition, check) = op
                    && !goal.includes(program.checks()[*check].kind)
                {
                    *op = Op::Assume(condition.clone(), Blocking::Abandon);
                }
            }
        }
        // That every run ends is declared; that every fair one does is asked.
        let declared = if goal == Goal::FairTermination { Goal::Termination } else { goal };
        draft.retain_properties(|property| property.kind.goal() == declared);
        draft.finish()
    }
}
