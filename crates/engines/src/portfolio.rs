//! The engine for users who do not choose one.
//!
//! A little exploration comes first: a violation of a small program shows at once, with a shortest
//! trace, and a program with few states is done. Then the engines that fit the goal run at the same
//! time, on as many cores as there are; exploration begins with random walks, which find what lies
//! deep. The first whose evidence convinces ends the others; one whose evidence is rejected ends
//! nobody.

use crate::{Deductive, Engine, Explore, ExploreOptions, Judge, Parameterized, RelyGuaranteeEngine};
use rely_base::{Budget, CancelToken, Observer, Progress, Round, StopReason, Tree};
use rely_evidence::{Claim, Reason, Verdict};
use rely_program::{Goal, Program};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many states are explored before anything else is tried.
const STATES_AT_FIRST: u64 = 10_000;
/// How many steps are tried for that. States with ever more threads have ever more steps.
const STEPS_AT_FIRST: u32 = 1_000_000;
/// How many steps the check of what exploration claims may take before a proof is looked for meanwhile:
/// the check explores the program as it was before any reduction, which may have far more states. Steps
/// and not seconds, so that the evidence does not depend on how busy the machine is.
const STEPS_OF_CHECK_AT_FIRST: u32 = 8_000;
/// How many steps of random walks come next.
const STEPS_OF_WALKS: u64 = 50_000;

const OUT_OF_STEPS: Reason = Reason::Stopped(StopReason::Steps);

/// Exploration, rely-guarantee reasoning and deduction together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portfolio {
    /// The exploration.
    pub explore: ExploreOptions,
    /// The rely-guarantee reasoning.
    pub rely_guarantee: RelyGuaranteeEngine,
}

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        let accept = |claim: Claim, _: &Budget| match claim {
            Claim::Unknown(reason) => Err(reason),
            claim => Ok(claim),
        };
        self.decide(Task { program, goal, observer }, budget, &accept).unwrap_or_else(Claim::Unknown)
    }

    fn verify(
        &self,
        program: &Program,
        goal: Goal,
        budget: &Budget,
        observer: &dyn Observer,
        judge: &Judge<'_>,
    ) -> Verdict {
        let accept = |claim: Claim, budget: &Budget| match judge(claim, budget) {
            Verdict::Unknown(reason) => Err(reason),
            verdict => Ok(verdict),
        };
        self.decide(Task { program, goal, observer }, budget, &accept).unwrap_or_else(Verdict::Unknown)
    }
}

/// What is to be decided.
#[derive(Clone, Copy)]
struct Task<'t> {
    program: &'t Program,
    goal: Goal,
    observer: &'t dyn Observer,
}

impl Task<'_> {
    fn run(&self, engine: &dyn Engine, budget: &Budget, observer: &dyn Observer) -> Claim {
        engine.run(self.program, self.goal, budget, observer)
    }
}

/// Whether a claim convinces, and of what.
type Accept<'a, T> = dyn Fn(Claim, &Budget) -> Result<T, Reason> + Sync + 'a;

impl Portfolio {
    fn decide<T: Send>(&self, task: Task<'_>, budget: &Budget, accept: &Accept<'_, T>) -> Result<T, Reason> {
        let limit = self.explore.max_states.map_or(STATES_AT_FIRST, |limit| limit.min(STATES_AT_FIRST));
        let first = Explore { options: ExploreOptions { max_states: Some(limit), ..self.explore } };
        let explore = Explore { options: ExploreOptions { steps_of_walks: STEPS_OF_WALKS, ..self.explore } };
        let provable = matches!(task.goal, Goal::Assert | Goal::Overflow);
        match task.run(&first, &budget.with_step_limit(STEPS_AT_FIRST), task.observer) {
            claim @ Claim::Safe(_) if provable => {
                let hasty = budget.with_step_limit(STEPS_OF_CHECK_AT_FIRST);
                accept(claim.clone(), &hasty)
                    .or_else(|_| Race::new(task, accept).run(self, budget, |_| claim))
            }
            Claim::Unknown(Reason::StateLimit(_) | Reason::Sampled | Reason::NoMeaning(_) | OUT_OF_STEPS)
                if provable =>
            {
                let explore = |budget: &Budget| task.run(&explore, budget, task.observer);
                Race::new(task, accept).run(self, budget, explore)
            }
            Claim::Unknown(Reason::StateLimit(_) | OUT_OF_STEPS) => {
                accept(task.run(&explore, budget, task.observer), budget)
            }
            claim => accept(claim, budget),
        }
    }
}

/// Engines that run at the same time.
struct Race<'r, T> {
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
    fn new(task: Task<'r>, accept: &'r Accept<'r, T>) -> Self {
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
    fn run(
        self,
        engines: &Portfolio,
        budget: &Budget,
        explore: impl FnOnce(&Budget) -> Claim,
    ) -> Result<T, Reason> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let budgets = [(); 3].map(|()| budget.with_token(self.decided.clone()));
        let (race, [own, second, third]) = (&self, budgets);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                race.enter(&engines.rely_guarantee, &Quiet(race), &second);
                race.count(&second);
                race.deduce(&second);
            });
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

    /// Few programs start any number of threads, and counting these is done soon or never: what keeps
    /// it from a proof is not worth telling.
    fn count(&self, budget: &Budget) {
        if self.decided.is_cancelled() {
            return;
        }
        let claim = self.task.run(&Parameterized, budget, &Quiet(self));
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

    /// Lets an engine take part.
    fn enter(&self, engine: &dyn Engine, observer: &dyn Observer, budget: &Budget) {
        self.settle(self.task.run(engine, budget, observer), budget);
    }

    /// Looks at a claim, and ends everybody if it convinces.
    fn settle(&self, claim: Claim, budget: &Budget) {
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
