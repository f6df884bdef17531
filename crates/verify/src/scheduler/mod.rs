//! Who runs engines.
//!
//! An [`Engine`] makes a claim and knows no other engine. A [`Strategy`] decides which engines run, in
//! which order and with what limits, has their claims judged, and goes on as long as none convinces. The
//! simplest strategy is to run a single engine once; so every engine is one.
//!
//! * [`standard`]: what runs unless something else is chosen: a little exploration, then reduction and the portfolio;
//! * [`portfolio`]: several engines; [`race`]: at the same time;
//! * [`rely_guarantee`]: attempts with different biases that take turns, with exploration and clausal proofs
//!   in between; [`falsify`]: that exploration;
//! * [`reduction`]: any other strategy, on the program in which blocks of steps are one step;
//! * [`limits`]: how much of it all.

mod falsify;
mod limits;
mod portfolio;
mod race;
mod reduction;
mod rely_guarantee;
mod standard;

pub use limits::{Limits, PortfolioLimits, TurnLimits};
pub use portfolio::Portfolio;
pub use reduction::ReductionStrategy;
pub use rely_guarantee::RelyGuaranteeStrategy;
pub use standard::Standard;

use rely_base::{Budget, Observer};
use rely_engines::Engine;
use rely_evidence::{Claim, Reason, Verdict};
use rely_program::{Goal, Program};

/// Who looks at the evidence of a claim, within a budget.
pub type Judge<'j> = dyn Fn(Claim, &Budget) -> Verdict + Sync + 'j;

/// What is to be decided.
#[derive(Clone, Copy)]
pub struct Task<'t> {
    /// The program, focused on the goal.
    pub program: &'t Program,
    /// The property.
    pub goal: Goal,
    /// Who hears how far the work is.
    pub observer: &'t dyn Observer,
}

impl Task<'_> {
    /// What an engine claims, with somebody else listening.
    fn run(&self, engine: &dyn Engine, budget: &Budget, observer: &dyn Observer) -> Attributed {
        let claim = engine.run(self.program, self.goal, budget, observer);
        Attributed { claim, engine: engine.name() }
    }
}

/// A claim, and the engine that makes it.
#[derive(Clone, Debug)]
pub struct Attributed {
    /// What is claimed.
    pub claim: Claim,
    /// By whom.
    pub engine: &'static str,
}

/// A verdict, and the engine whose claim it confirms.
#[derive(Debug)]
pub struct Decision {
    /// What is known.
    pub verdict: Verdict,
    /// Who proved or refuted it; nobody if it is unknown.
    pub engine: Option<&'static str>,
}

impl Decision {
    /// What a judge makes of a claim.
    fn of(claimed: Attributed, budget: &Budget, judge: &Judge<'_>) -> Self {
        let engine = claimed.engine;
        match judge(claimed.claim, budget) {
            Verdict::Unknown(reason) => Decision::unknown(reason),
            verdict => Decision { verdict, engine: Some(engine) },
        }
    }

    fn unknown(reason: Reason) -> Self {
        Decision { verdict: Verdict::Unknown(reason), engine: None }
    }
}

/// A way to come to a verdict with one or several engines.
pub trait Strategy: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Whether the strategy takes several steps for one by itself for some goals, and proves it. Then no pass should.
    fn reduces(&self, _: Goal) -> bool {
        false
    }

    /// Whether data races that need no engine may be proved without one.
    fn takes_easy_proofs(&self) -> bool {
        false
    }

    /// The same strategy for who wants the single steps of the program, if there is one.
    fn without_reduction(&self) -> Option<&dyn Strategy> {
        None
    }

    /// The first claim that is not `Unknown`, whatever its evidence is worth.
    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed;

    /// From the program to what the judge makes of the claims. Who has several to choose from goes on as
    /// long as none convinces.
    fn decide(&self, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        Decision::of(self.claim(task, budget), budget, judge)
    }
}

/// One engine, once.
impl<E: Engine> Strategy for E {
    fn name(&self) -> &'static str {
        Engine::name(self)
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        task.run(self, budget, task.observer)
    }
}
