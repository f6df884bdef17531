//! Counters of the work of the search.

use crate::conjunction::Statistics;

/// How much work a solver has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStatistics {
    /// Questions asked.
    pub queries: u64,
    /// Values tried.
    pub decisions: u64,
    /// Dead ends.
    pub conflicts: u64,
    /// Values that followed from others.
    pub propagations: u64,
    /// Times the search started over with what it had learnt.
    pub restarts: u64,
    /// Questions to the theory.
    pub theory_checks: u64,
    /// Of these, answered with a contradiction.
    pub theory_conflicts: u64,
    /// Clauses stored at present, learnt ones included.
    pub clauses: u64,
    /// The work of the theory.
    pub conjunction: Statistics,
}

impl SearchStatistics {
    /// The work since an earlier reading of the same counters.
    pub fn since(&self, earlier: &SearchStatistics) -> SearchStatistics {
        SearchStatistics {
            queries: self.queries - earlier.queries,
            decisions: self.decisions - earlier.decisions,
            conflicts: self.conflicts - earlier.conflicts,
            propagations: self.propagations - earlier.propagations,
            restarts: self.restarts - earlier.restarts,
            theory_checks: self.theory_checks - earlier.theory_checks,
            theory_conflicts: self.theory_conflicts - earlier.theory_conflicts,
            clauses: self.clauses,
            conjunction: conjunction_since(&self.conjunction, &earlier.conjunction),
        }
    }
}

fn conjunction_since(now: &Statistics, earlier: &Statistics) -> Statistics {
    Statistics {
        queries: now.queries - earlier.queries,
        model_hits: now.model_hits - earlier.model_hits,
        memo_hits: now.memo_hits - earlier.memo_hits,
        pivots: now.pivots - earlier.pivots,
        cuts: now.cuts - earlier.cuts,
        splits: now.splits - earlier.splits,
        overflows: now.overflows - earlier.overflows,
    }
}
