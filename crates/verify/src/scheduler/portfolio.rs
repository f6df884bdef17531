//! Engines together.
//!
//! A little exploration comes first: a violation of a small program shows at once, with a shortest
//! trace, and a program with few states is done. Then the engines that fit the goal run at the same
//! time, on as many cores as there are; exploration begins with random walks, which find what lies
//! deep. The first whose evidence convinces ends the others; one whose evidence is rejected ends
//! nobody.

use super::limits::PortfolioLimits;
use super::race::{Accept, Entrants, Race};
use super::{Attributed, Decision, Judge, RelyGuaranteeStrategy, Strategy, Task};
use rely_base::{Budget, StopReason};
use rely_engines::{Engine, Explore, ExploreOptions, Helping, Parameterized, Termination};
use rely_evidence::{Claim, Reason, Verdict};
use rely_program::{Goal, ThreadKind};

const OUT_OF_STEPS: Reason = Reason::Stopped(StopReason::Steps);
const OUT_OF_MEMORY: Reason = Reason::Stopped(StopReason::Memory);

/// Exploration, rely-guarantee reasoning and deduction together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portfolio {
    /// The exploration.
    pub explore: ExploreOptions,
    /// The rely-guarantee reasoning.
    pub rely_guarantee: RelyGuaranteeStrategy,
    /// The counting of threads.
    pub parameterized: Parameterized,
    /// The search for rankings.
    pub termination: Termination,
    /// The search for steps that help whoever waits.
    pub helping: Helping,
    /// What comes first, and for how long.
    pub limits: PortfolioLimits,
}

impl Strategy for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn takes_easy_proofs(&self) -> bool {
        true
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        let accept = |claimed: Attributed, _: &Budget| match claimed.claim {
            Claim::Unknown(reason) => Err(reason),
            _ => Ok(claimed),
        };
        self.settle(task, budget, &accept)
            .unwrap_or_else(|reason| Attributed { claim: Claim::Unknown(reason), engine: self.name() })
    }

    fn decide(&self, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        let accept = |claimed: Attributed, budget: &Budget| match Decision::of(claimed, budget, judge) {
            Decision { verdict: Verdict::Unknown(reason), .. } => Err(reason),
            decision => Ok(decision),
        };
        self.settle(task, budget, &accept).unwrap_or_else(Decision::unknown)
    }
}

/// Half of the time that is left: who looks for a proof in vain must leave time for the search for violations, which may
/// also visit all states.
fn half(budget: &Budget) -> Budget {
    match budget.remaining() {
        Some(remaining) => budget.with_time_limit(remaining / 2),
        None => budget.clone(),
    }
}

fn steps(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}

impl Portfolio {
    /// What exploration claims of a program with few states.
    pub(super) fn explore_at_first(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        let states = self.limits.states_at_first as u64;
        let limit = self.explore.max_states.map_or(states, |limit| limit.min(states));
        let first = Explore { options: ExploreOptions { max_states: Some(limit), ..self.explore } };
        task.run(&first, &budget.with_step_limit(steps(self.limits.steps_at_first)), task.observer)
    }

    /// The budget for the check of what exploration claims at first.
    pub(super) fn hasty(&self, budget: &Budget) -> Budget {
        budget.with_step_limit(steps(self.limits.check_steps_at_first))
    }

    /// That nobody waits for ever needs no ranking: threads are counted, if there is any number of them, or somebody
    /// helps.
    fn without_ranking<T>(&self, task: Task<'_>, budget: &Budget, accept: &Accept<'_, T>) -> Option<T> {
        let is_any_number = task.program.threads().values().any(|thread| thread.kind == ThreadKind::Template);
        let engines: [&dyn Engine; 2] = [&self.parameterized, &self.helping];
        let mut engines = engines.into_iter().skip(usize::from(!is_any_number));
        engines.find_map(|engine| accept(task.run(engine, &half(budget), task.observer), budget).ok())
    }

    fn settle<T: Send>(&self, task: Task<'_>, budget: &Budget, accept: &Accept<'_, T>) -> Result<T, Reason> {
        let explore = Explore {
            options: ExploreOptions { steps_of_walks: self.limits.walk_steps as u64, ..self.explore },
        };
        let Portfolio { rely_guarantee, parameterized, .. } = *self;
        let deduction_steps = steps(self.limits.deduction_steps_at_first);
        let deduction_threads = self.limits.threads_of_deduction_at_first;
        let entrants = Entrants { rely_guarantee, parameterized, deduction_steps, deduction_threads };
        let provable = matches!(task.goal, Goal::Assert | Goal::Overflow | Goal::Memory);
        let claimed = self.explore_at_first(task, budget);
        match claimed.claim {
            Claim::Safe(_) if provable => accept(claimed.clone(), &self.hasty(budget))
                .or_else(|_| Race::new(task, accept).run(entrants, budget, |_| claimed)),
            Claim::Unknown(Reason::StateLimit(_) | Reason::Sampled | Reason::NoMeaning(_) | OUT_OF_STEPS)
                if provable =>
            {
                let explore = |budget: &Budget| task.run(&explore, budget, task.observer);
                Race::new(task, accept).run(entrants, budget, explore)
            }
            // A proof needs no room for states.
            Claim::Unknown(
                Reason::StateLimit(_) | Reason::Sampled | Reason::NoMeaning(_) | OUT_OF_STEPS | OUT_OF_MEMORY,
            ) => {
                let helped = match task.goal {
                    Goal::Deadlock => self.without_ranking(task, budget, accept),
                    _ => None,
                };
                let ranked = || accept(task.run(&self.termination, &half(budget), task.observer), budget);
                helped.map_or_else(ranked, Ok).or_else(|why| {
                    let explored = accept(task.run(&explore, budget, task.observer), budget);
                    // That not all values were tried says less than why there is no proof.
                    explored.map_err(|reason| if reason == Reason::Sampled { why } else { reason })
                })
            }
            _ => accept(claimed, budget),
        }
    }
}
