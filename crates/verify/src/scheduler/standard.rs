//! The strategy for users who do not choose one.
//!
//! A little exploration comes first: a violation of a small program shows at once, with a shortest trace, and a
//! program with few states is done, with evidence that can be compared with the program as it was before any pass.
//! What is larger is [reduced](super::ReductionStrategy), and the [portfolio](Portfolio) proves or refutes what is
//! left. So nobody has to believe that critical sections can be taken for one step: the checker is shown.
//!
//! Reduction keeps what can go wrong, not that something will happen: about deadlocks and termination the portfolio
//! decides alone.

use super::{Attributed, Decision, Judge, Portfolio, ReductionStrategy, Strategy, Task};
use rely_base::Budget;
use rely_engines::reduction;
use rely_evidence::{Claim, Verdict};
use rely_program::Goal;
use rely_program::analysis::IdSet;

/// Exploration, then reduction and the portfolio.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard {
    /// Who proves and refutes.
    pub portfolio: Portfolio,
    /// What the inference of blocks may cost.
    pub reduction: reduction::Limits,
}

impl Strategy for Standard {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn reduces(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory | Goal::Race)
    }

    fn takes_easy_proofs(&self) -> bool {
        true
    }

    fn without_reduction(&self) -> Option<&dyn Strategy> {
        Some(&self.portfolio)
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        let Ok(reduced) = self.reducing().reduce(task, IdSet::new(), budget) else {
            return self.portfolio.claim(task, budget);
        };
        let claimed = self.portfolio.explore_at_first(task, budget);
        match claimed.claim {
            Claim::Unknown(_) => reduced.claim(&self.portfolio, task, budget),
            _ => claimed,
        }
    }

    fn decide(&self, task: Task<'_>, budget: &Budget, judge: &Judge<'_>) -> Decision {
        let Ok(reduced) = self.reducing().reduce_forgetting(task, budget) else {
            return self.portfolio.decide(task, budget, judge);
        };
        let claimed = self.portfolio.explore_at_first(task, budget);
        let hasty = self.portfolio.hasty(budget);
        let first = match claimed.claim {
            Claim::Safe(_) => Decision::of(claimed, &hasty, judge),
            _ => Decision::of(claimed, budget, judge),
        };
        match first.verdict {
            Verdict::Unknown(_) => self.reducing().settle(&reduced, task, budget, judge),
            _ => first,
        }
    }
}

impl Standard {
    fn reducing(&self) -> ReductionStrategy {
        ReductionStrategy::new(self.portfolio, self.reduction)
    }
}
