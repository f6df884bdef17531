//! Reduction first, then somebody else.
//!
//! Steps that commute with those of others are taken for one step (see [`rely_engines::reduction`]), and
//! another strategy proves or refutes what is left. A proof becomes a [`Proof::Reduced`] about the program with
//! its single steps, so that the checker judges the reduction, too; a trace is led back to single steps.

use super::{Attributed, Portfolio, Strategy, Task};
use rely_base::Budget;
use rely_engines::reduction::{self, Blocks};
use rely_evidence::reduction::reduced_program;
use rely_evidence::{Claim, Proof, Reason};
use rely_program::Goal;

/// Reduction, and a strategy for the rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReductionStrategy {
    /// Who proves the program in which blocks are single steps.
    pub rest: Portfolio,
    /// What the inference of blocks may cost.
    pub limits: reduction::Limits,
}

impl Strategy for ReductionStrategy {
    fn name(&self) -> &'static str {
        "reduction"
    }

    fn takes_easy_proofs(&self) -> bool {
        true
    }

    fn reduces(&self) -> bool {
        true
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        let Task { program, goal, observer } = task;
        if !matches!(goal, Goal::Assert | Goal::Overflow) {
            return self.unknown(Reason::UnsupportedGoal { engine: self.name(), goal });
        }
        let blocks = Blocks::infer(program, goal, (self.limits, self.rest.rely_guarantee.symbolic), budget);
        let inside = blocks.inside.iter().map(|(location, _)| *location);
        // Locations of this program are locations of this program.
        let Ok((smaller, back)) = reduced_program(program, inside) else {
            return self.rest.claim(task, budget);
        };
        let Attributed { claim, engine } =
            self.rest.claim(Task { program: &smaller, goal, observer }, budget);
        let claim = match claim {
            Claim::Safe(proof) => Claim::Safe(Proof::Reduced(blocks.proved(program, proof))),
            Claim::Unsafe(trace) => match back.trace(&trace) {
                Some(trace) => Claim::Unsafe(trace),
                None => return self.unknown(self.no_way_back()),
            },
            unknown => unknown,
        };
        Attributed { claim, engine }
    }
}

impl ReductionStrategy {
    fn no_way_back(&self) -> Reason {
        let why = "a trace of the reduced program has no way back".to_owned();
        Reason::GaveUp { engine: self.name(), why }
    }

    fn unknown(&self, reason: Reason) -> Attributed {
        Attributed { claim: Claim::Unknown(reason), engine: self.name() }
    }
}
