//! One worker per core: what is independent is done at the same time.
//!
//! The paper builds and checks the proofs of the threads in parallel, and synchronizes when the
//! relies are put together. Here each item of work has its own state and its own questions; results
//! come back in the order of the items, and limits are looked at between the phases. So answers do
//! not depend on how many workers there are.

use super::region::Reasoner;
use rely_base::Budget;

/// Less questions than this are answered before another worker has started.
const WORTH_SHARING: usize = 1_000;

/// Reasoners that work side by side.
pub(super) struct Team {
    /// At least one.
    reasoners: Vec<Reasoner>,
    /// How many there should be when there is something to share.
    wanted: Option<usize>,
    budget: Budget,
    limits: rely_logic::Limits,
}

impl Team {
    /// A team of so many workers, or of one for each core.
    pub(super) fn new(budget: &Budget, limits: rely_logic::Limits, wanted: Option<usize>) -> Self {
        let reasoners = vec![Reasoner::with_limits(budget, limits)];
        Self { reasoners, wanted, budget: budget.clone(), limits }
    }

    /// Calls the others, who are not there as long as there is nothing to share.
    fn gather(&mut self) {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let wanted = *self.wanted.get_or_insert_with(cores);
        while self.reasoners.len() < wanted {
            self.reasoners.push(Reasoner::with_limits(&self.budget, self.limits));
        }
    }

    /// The one who works alone when there is nothing to share.
    pub(super) fn lead(&mut self) -> &mut Reasoner {
        &mut self.reasoners[0]
    }

    /// How many constraints all of them asked so far.
    pub(super) fn questions(&self) -> u64 {
        self.reasoners.iter().map(Reasoner::questions).sum()
    }

    /// Does something with each of the items, of which each leads to about `weight` questions.
    /// The results are in the order of the items.
    pub(super) fn for_each<T: Send, R: Send>(
        &mut self,
        items: &mut [T],
        weight: usize,
        work: impl Fn(&mut T, &mut Reasoner) -> R + Sync,
    ) -> Vec<R> {
        let is_worth_sharing = items.len() > 1 && items.len().saturating_mul(weight) >= WORTH_SHARING;
        if is_worth_sharing {
            self.gather();
        }
        let workers = self.reasoners.len().min(items.len());
        if !is_worth_sharing || workers < 2 {
            let lead = self.lead();
            return items.iter_mut().map(|item| work(item, lead)).collect();
        }
        let shares = items.chunks_mut(items.len().div_ceil(workers));
        let work = &work;
        std::thread::scope(|scope| {
            let running: Vec<_> = shares
                .zip(&mut self.reasoners)
                .map(|(share, reasoner)| {
                    scope.spawn(move || share.iter_mut().map(|item| work(item, reasoner)).collect::<Vec<R>>())
                })
                .collect();
            let finished = running.into_iter().flat_map(|worker| match worker.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            finished.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let budget = Budget::unlimited();
        for workers in 1..5 {
            let mut team = Team::new(&budget, rely_logic::Limits::default(), Some(workers));
            let mut items: Vec<usize> = (0..10).collect();
            let doubled = team.for_each(&mut items, 1_000, |item, _| {
                *item += 1;
                *item * 2
            });
            assert_eq!(items, (1..11).collect::<Vec<_>>());
            assert_eq!(doubled, (1..11).map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
