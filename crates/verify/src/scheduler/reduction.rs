//! Reduction first, then somebody else.
//!
//! Steps that commute with those of others are taken for one step (see [`rely_engines::reduction`]), and
//! another strategy proves or refutes what is left. A proof becomes a [`Proof::Reduced`] about the program with
//! its single steps, so that the checker judges the reduction, too; a trace is led back to single steps.
//!
//! Variables that nothing but assumptions looks at are [forgotten](rely_passes::forget) first, so that the accesses to
//! them are no matter. The program has more runs then. If one of these is a violation that is none in the program, or
//! if nobody finds out anything, then everything is remembered and the work begins again.

use super::{Attributed, Decision, Judge, Portfolio, Strategy, Task};
use rely_base::{Budget, CancelToken};
use rely_engines::reduction::{self, Blocks};
use rely_engines::{OwickiGries, SymbolicLimits};
use rely_evidence::reduction::reduced_program;
use rely_evidence::{Claim, Proof, Reason, Verdict};
use rely_passes::{BackMap, forget, forgettable};
use rely_program::analysis::IdSet;
use rely_program::{Goal, Program, VarId};

/// Reduction, and a strategy for the rest.
#[derive(Clone, Copy, Debug)]
pub struct ReductionStrategy<S = Portfolio> {
    /// What it is called.
    pub name: &'static str,
    /// Who proves the program in which blocks are single steps.
    pub rest: S,
    /// What the inference of blocks may cost.
    pub limits: reduction::Limits,
    /// What the translation of steps may cost.
    pub symbolic: SymbolicLimits,
}

impl ReductionStrategy {
    /// Reduction, and several engines for the rest.
    pub fn new(rest: Portfolio, limits: reduction::Limits) -> Self {
        Self { name: "reduction", rest, limits, symbolic: rest.rely_guarantee.symbolic }
    }
}

impl ReductionStrategy<OwickiGries> {
    /// Reduction, and Horn clauses for the rest.
    pub fn by_clauses(rest: OwickiGries, limits: reduction::Limits) -> Self {
        let rest = OwickiGries { summarising: true, ..rest };
        Self { name: "rule-safety", rest, limits, symbolic: rest.symbolic }
    }
}

impl Default for ReductionStrategy {
    fn default() -> Self {
        Self::new(Portfolio::default(), reduction::Limits::default())
    }
}

impl<S: Strategy> Strategy for ReductionStrategy<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn takes_easy_proofs(&self) -> bool {
        true
    }

    fn reduces(&self, _: Goal) -> bool {
        true
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        match self.reduce(task, IdSet::new(), budget) {
            Ok(reduced) => reduced.claim(&self.rest, task, budget),
            Err(NotReduced::Goal(reason)) => Attributed { claim: Claim::Unknown(reason), engine: self.name },
            Err(NotReduced::NoBlocks) => self.rest.claim(task, budget),
        }
    }

    fn decide(&self, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        match self.reduce_forgetting(task, budget) {
            Ok(reduced) => self.settle(&reduced, task, budget, judge),
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
    forgotten: IdSet<VarId>,
    blocks: Blocks,
    smaller: Program,
    back: BackMap,
}

impl<S: Strategy> ReductionStrategy<S> {
    /// Forgets what can be forgotten, and takes blocks for one step.
    pub(super) fn reduce_forgetting(&self, task: Task<'_>, budget: &Budget) -> Result<Reduced, NotReduced> {
        self.reduce(task, forgettable(task.program), budget)
    }

    /// Takes blocks for one step; who claims something and has nobody to judge it forgets nothing.
    pub(super) fn reduce(
        &self,
        task: Task<'_>,
        forgotten: IdSet<VarId>,
        budget: &Budget,
    ) -> Result<Reduced, NotReduced> {
        let Task { program, goal, .. } = task;
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Err(NotReduced::Goal(Reason::UnsupportedGoal { engine: self.name, goal }));
        }
        let Ok((forgetful, back)) = forget(program, &forgotten) else { return Err(NotReduced::NoBlocks) };
        let limits = (self.limits, self.symbolic);
        let blocks = Blocks::infer(&forgetful, goal, limits, budget);
        if blocks.inside.is_empty() && forgotten.is_empty() {
            return Err(NotReduced::NoBlocks);
        }
        // Locations of this program are locations of this program.
        let inside = blocks.inside.iter().map(|(location, _)| *location);
        let (smaller, joined) = reduced_program(&forgetful, inside).map_err(|_| NotReduced::NoBlocks)?;
        Ok(Reduced { forgotten, blocks, smaller, back: back.then(joined) })
    }

    /// What comes out of the reduced program; or of the one that has forgotten nothing, if that is nothing.
    pub(super) fn settle(
        &self,
        reduced: &Reduced,
        task: Task<'_>,
        budget: &Budget,
        judge: &Judge<'_>,
    ) -> Decision {
        let decision = reduced.decide(&self.rest, task, budget, judge);
        let is_settled = !matches!(decision.verdict, Verdict::Unknown(_)) || reduced.forgotten.is_empty();
        if is_settled || budget.check_now().is_err() {
            return decision;
        }
        match self.reduce(task, IdSet::new(), budget) {
            Ok(reduced) => reduced.decide(&self.rest, task, budget, judge),
            Err(_) => self.rest.decide(task, budget, judge),
        }
    }
}

impl Reduced {
    /// What somebody claims who sees the program with blocks.
    pub(super) fn claim(&self, rest: &dyn Strategy, task: Task<'_>, budget: &Budget) -> Attributed {
        let Attributed { claim, engine } = rest.claim(Task { program: &self.smaller, ..task }, budget);
        Attributed { claim: self.about_all(task.program, claim), engine }
    }

    /// What comes out if somebody sees the program with blocks, and the judge the one with single steps. A violation
    /// that is only there because something was forgotten ends the work: there will be more of them.
    fn decide(&self, rest: &dyn Strategy, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        let too_forgetful = CancelToken::new();
        let judge = |claim, budget: &Budget| {
            let claim = self.about_all(task.program, claim);
            let is_trace = matches!(claim, Claim::Unsafe(_));
            let verdict = judge(claim, budget);
            if is_trace && !self.forgotten.is_empty() && matches!(verdict, Verdict::Unknown(_)) {
                too_forgetful.cancel();
            }
            verdict
        };
        let budget = budget.with_token(too_forgetful.clone());
        rest.decide(Task { program: &self.smaller, ..task }, &budget, &judge)
    }

    /// What is claimed about the program with blocks as a claim about the one with single steps.
    fn about_all(&self, program: &Program, claim: Claim) -> Claim {
        match claim {
            Claim::Safe(proof) => {
                let reduced = self.blocks.clone().proved(program, self.forgotten.iter().collect(), proof);
                Claim::Safe(Proof::Reduced(reduced))
            }
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
