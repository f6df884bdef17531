//! Engines that run at the same time: the first whose evidence convinces ends the others.

use super::{Attributed, RelyGuaranteeStrategy, Strategy, Task};
use rely_base::{Budget, CancelToken, Observer, Progress, Round, StopReason, Tree};
use rely_engines::{Deductive, Engine, Parameterized};
use rely_evidence::Reason;
use rely_program::ThreadKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether a claim convinces, and of what.
pub(super) type Accept<'a, T> = dyn Fn(Attributed, &Budget) -> Result<T, Reason> + Sync + 'a;

/// Who runs beside exploration and deduction.
#[derive(Clone, Copy)]
pub(super) struct Entrants {
    pub(super) rely_guarantee: RelyGuaranteeStrategy,
    pub(super) parameterized: Parameterized,
    /// How long deduction is tried first if there are only two cores.
    pub(super) deduction_steps: u32,
    /// Of how many threads it is tried before they are counted.
    pub(super) deduction_threads: usize,
}

/// Engines that run at the same time.
pub(super) struct Race<'r, T> {
    task: Task<'r>,
    accept: &'r Accept<'r, T>,
    /// Ends everybody.
    decided: CancelToken,
    /// Whether somebody has begun with deduction.
    deducing: AtomicBool,
    /// Whether exploration, whose counts say most, has stopped to tell them.
    explored: AtomicBool,
    outcome: Mutex<Option<Result<T, Reason>>>,
}

impl<'r, T: Send> Race<'r, T> {
    pub(super) fn new(task: Task<'r>, accept: &'r Accept<'r, T>) -> Self {
        Race {
            task,
            accept,
            decided: CancelToken::new(),
            deducing: AtomicBool::new(false),
            explored: AtomicBool::new(false),
            outcome: Mutex::new(None),
        }
    }

    /// `explore` is what exploration claims, or has claimed already.
    pub(super) fn run(
        self,
        engines: Entrants,
        budget: &Budget,
        explore: impl FnOnce(&Budget) -> Attributed,
    ) -> Result<T, Reason> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let budgets = [(); 4].map(|()| budget.with_token(self.decided.clone()));
        let (race, [own, second, third, fourth]) = (&self, budgets);
        let mut threads = race.task.program.threads().values();
        let any_number = threads.any(|thread| thread.kind == ThreadKind::Template);
        let has_many = race.task.program.threads().len() > engines.deduction_threads;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let count = || race.try_quickly(&engines.parameterized, &second);
                // Of known threads counting looks for a simple proof only, which is there at once or not at all.
                if !any_number && has_many {
                    count();
                }
                if cores <= 2 {
                    let quick = second.with_step_limit(engines.deduction_steps);
                    race.try_quickly(&Deductive::default(), &quick);
                }
                if !any_number && !has_many {
                    count();
                }
                race.enter(&engines.rely_guarantee, &Quiet(race), &second);
                race.deduce(&second);
            });
            // Who counts threads is done soon, or never; whoever proves one thread at a time may not be done at all.
            if any_number {
                scope.spawn(move || race.try_quickly(&engines.parameterized, &fourth));
            }
            if cores > 2 {
                scope.spawn(move || race.deduce(&third));
            }
            let claim = explore(&own);
            race.explored.store(true, Ordering::Relaxed);
            race.settle(claim, &own);
            race.deduce(&own);
        });
        let outcome = self.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.unwrap_or(Err(Reason::Stopped(StopReason::Cancelled)))
    }

    /// Lets somebody take part who is done soon or never: what keeps it from a proof is not worth telling.
    fn try_quickly(&self, engine: &dyn Engine, budget: &Budget) {
        if self.decided.is_cancelled() {
            return;
        }
        let claim = self.task.run(engine, budget, &Quiet(self));
        let patience = budget.remaining().map(|left| budget.with_time_limit(left / 2));
        if let Ok(known) = (self.accept)(claim, patience.as_ref().unwrap_or(budget)) {
            let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(*outcome, Some(Ok(_))) {
                self.decided.cancel();
                *outcome = Some(Ok(known));
            }
        }
    }

    /// Deduction is for whoever has nothing else to do first.
    fn deduce(&self, budget: &Budget) {
        if !self.decided.is_cancelled() && !self.deducing.swap(true, Ordering::Relaxed) {
            self.enter(&Deductive::default(), &Quiet(self), budget);
        }
    }

    /// Lets somebody take part.
    fn enter(&self, strategy: &dyn Strategy, observer: &dyn Observer, budget: &Budget) {
        let task = Task { observer, ..self.task };
        self.settle(strategy.claim(task, budget), budget);
    }

    /// Looks at a claim, and ends everybody if it convinces.
    fn settle(&self, claim: Attributed, budget: &Budget) {
        let result = (self.accept)(claim, budget);
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*outcome, Some(Ok(_))) {
            return;
        }
        match result {
            Ok(known) => {
                self.decided.cancel();
                *outcome = Some(Ok(known));
            }
            Err(reason) => {
                let rank = |reason: &Reason| matches!(reason, Reason::Stopped(StopReason::Cancelled));
                let is_better = match &*outcome {
                    Some(Err(known)) => rank(known) && !rank(&reason),
                    _ => true,
                };
                if is_better {
                    *outcome = Some(Err(reason));
                }
            }
        }
    }
}

/// Listens to an engine that runs beside exploration: its progress is told when exploration has
/// ended, its history always.
struct Quiet<'q, 'r, T>(&'q Race<'r, T>);

impl<T: Send> Observer for Quiet<'_, '_, T> {
    fn progress(&self, progress: &Progress) {
        if self.0.explored.load(Ordering::Relaxed) {
            self.0.task.observer.progress(progress);
        }
    }

    fn wants_history(&self) -> bool {
        self.0.task.observer.wants_history()
    }

    fn round(&self, round: Round) {
        self.0.task.observer.round(round);
    }

    fn trees(&self, trees: Vec<Tree>) {
        self.0.task.observer.trees(trees);
    }
}
