//! Leaves only what one goal asks for.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_base::Id;
use rely_program::{Blocking, CheckKind, Goal, Op, Program};

/// The program for which only one goal matters. Runs that fail checks of other goals are
/// assumed not to happen: those checks become assumptions. Properties of other goals go.
///
/// If the question is who goes on or ends, a failed assertion and an overflow end none: those checks go, and numbers grow
/// without bounds.
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
        if goal.is_about_going_on() {
            remove_checks(&mut draft, &[CheckKind::Assertion, CheckKind::Overflow]);
        }
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

fn remove_checks(draft: &mut Draft, kinds: &[CheckKind]) {
    let checks: Vec<bool> =
        draft.program.checks().iter().map(|(_, check)| kinds.contains(&check.kind)).collect();
    for (_, edge) in draft.program.edges_mut().iter_mut() {
        edge.ops.retain(|op| !matches!(op, Op::Check(_, check) if checks[check.index()]));
    }
}

/// The same program without checks of some kinds: edges and locations, variables and choices stay.
pub fn without_checks(program: &Program, kinds: &[CheckKind]) -> Program {
    let mut draft = Draft::new(program);
    remove_checks(&mut draft, kinds);
    draft.finish().0
}
