//! Reduction first, then somebody else.
//!
//! Steps that commute with those of others are taken for one step (see [`rely_engines::reduction`]), and
//! another strategy proves or refutes what is left. A proof becomes a [`Proof::Reduced`] about the program with
//! its single steps, so that the checker judges the reduction, too; a trace is led back to single steps.

use super::{Attributed, Decision, Judge, Portfolio, Strategy, Task};
use rely_base::Budget;
use rely_engines::reduction::{self, Blocks};
use rely_evidence::reduction::reduced_program;
use rely_evidence::{Claim, Proof, Reason};
use rely_passes::BackMap;
use rely_program::{Goal, Program};

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

    fn reduces(&self, _: Goal) -> bool {
        true
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        match self.reduce(task, budget) {
            Ok(reduced) => reduced.claim(&self.rest, task, budget),
            Err(NotReduced::Goal(reason)) => {
                Attributed { claim: Claim::Unknown(reason), engine: self.name() }
            }
            Err(NotReduced::NoBlocks) => self.rest.claim(task, budget),
        }
    }

    fn decide(&self, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        match self.reduce(task, budget) {
            Ok(reduced) => reduced.decide(&self.rest, task, budget, judge),
            Err(NotReduced::Goal(reason)) => Decision::unknown(reason),
            Err(NotReduced::NoBlocks) => self.rest.decide(task, budget, judge),
        }
    }
}

/// Why there is no program with blocks.
pub(super) enum NotReduced {
    /// Reduction does not keep what the goal asks about.
    Goal(Reason),
    /// There is nothing to take for one step.
    NoBlocks,
}

/// The program in which blocks are single steps.
pub(super) struct Reduced {
    blocks: Blocks,
    smaller: Program,
    back: BackMap,
}

impl ReductionStrategy {
    /// Takes blocks for one step.
    pub(super) fn reduce(&self, task: Task<'_>, budget: &Budget) -> Result<Reduced, NotReduced> {
        let Task { program, goal, .. } = task;
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Err(NotReduced::Goal(Reason::UnsupportedGoal { engine: self.name(), goal }));
        }
        let blocks = Blocks::infer(program, goal, (self.limits, self.rest.rely_guarantee.symbolic), budget);
        let inside = blocks.inside.iter().map(|(location, _)| *location);
        // Locations of this program are locations of this program.
        match reduced_program(program, inside) {
            Ok((smaller, back)) if !blocks.inside.is_empty() => Ok(Reduced { blocks, smaller, back }),
            _ => Err(NotReduced::NoBlocks),
        }
    }
}

impl Reduced {
    /// What somebody claims who sees the program with blocks.
    pub(super) fn claim(&self, rest: &dyn Strategy, task: Task<'_>, budget: &Budget) -> Attributed {
        let Attributed { claim, engine } = rest.claim(Task { program: &self.smaller, ..task }, budget);
        Attributed { claim: self.about_all(task.program, claim), engine }
    }

    /// What comes out if somebody sees the program with blocks, and the judge the one with single steps.
    pub(super) fn decide(
        &self,
        rest: &dyn Strategy,
        task: Task<'_>,
        budget: &Budget,
        judge: &Judge<'_>,
    ) -> Decision {
        let judge = |claim, budget: &Budget| judge(self.about_all(task.program, claim), budget);
        rest.decide(Task { program: &self.smaller, ..task }, budget, &judge)
    }

    /// What is claimed about the program with blocks as a claim about the one with single steps.
    fn about_all(&self, program: &Program, claim: Claim) -> Claim {
        match claim {
            Claim::Safe(proof) => Claim::Safe(Proof::Reduced(self.blocks.clone().proved(program, proof))),
            Claim::Unsafe(trace) => match self.back.trace(&trace) {
                Some(trace) => Claim::Unsafe(trace),
                None => Claim::Unknown(no_way_back()),
            },
            unknown => unknown,
        }
    }
}

fn no_way_back() -> Reason {
    let why = "a trace of the reduced program has no way back".to_owned();
    Reason::GaveUp { engine: "reduction", why }
}
