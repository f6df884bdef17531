//! Explicit-state exploration: visits every state that matters, one by one.
//!
//! A violation comes with a shortest trace. If all states were visited and nothing is wrong,
//! that is a proof, and the states are its certificate. The method knows nothing of the program
//! but its semantics; it is exact, and its only enemy is the number of states.
//!
//! * `search`: breadth-first search over complete steps;
//! * `store`: the states, exactly, in a few dozen bytes each;
//! * `partial_order`, `effects`: which threads need not be looked at in a state;
//! * `lasso`, `cycles`, `fair`: for the question whether every run ends, a search of its own;
//! * `waits`: threads that wait for ever while others go on;
//! * `trace`: from a violation back to the run.
//!
//! Of nondeterministic values a sample is tried where there are many; then there is no proof. Before
//! all that, if wanted, come some runs that are chosen by chance.

mod cycles;
mod effects;
mod fair;
mod growing;
mod lasso;
mod limits;
mod partial_order;
mod search;
mod store;
mod trace;
mod waits;

pub use limits::Limits;

use crate::Engine;
use crate::random_walk::{WalkLimits, random_walks};
use crate::values::Values;
use lasso::LassoSearch;
use rely_base::{Budget, Observer};
use rely_evidence::{Claim, Exhausted, Proof, Reason, Reduction, replay};
use rely_program::analysis::has_void_runs;
use rely_program::{Goal, Program, Semantics, ThreadKind, Trace, Violation};
use search::{End, Findings, Found, Scope, Search};
use waits::Waits;

/// What the exploration may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExploreOptions {
    /// Leave out steps whose order with others does not matter.
    pub reduction: bool,
    /// Stop when more states than this are found.
    pub max_states: Option<u64>,
    /// After a violation was found with reduction, look without reduction for a shorter trace,
    /// if that is affordable.
    pub shortest: bool,
    /// How many steps are spent on random walks before the search begins. A violation that a walk
    /// shows is reported as it is if no search for a shorter trace is affordable.
    pub steps_of_walks: u64,
    /// What else it may do.
    pub limits: Limits,
    /// What each of these walks may do.
    pub walks: WalkLimits,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            reduction: true,
            max_states: None,
            shortest: true,
            steps_of_walks: 0,
            limits: Limits::default(),
            walks: WalkLimits::default(),
        }
    }
}

/// The exploration as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explore {
    /// What it may do.
    pub options: ExploreOptions,
}

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        match goal {
            Goal::Assert
            | Goal::Deadlock
            | Goal::Overflow
            | Goal::Memory
            | Goal::Termination
            | Goal::FairTermination => {}
            Goal::Race => {
                return Claim::Unknown(Reason::UnsupportedGoal { engine: self.name(), goal });
            }
        }
        Exploration { options: self.options, goal, budget, observer }.run(program)
    }
}

/// One run of the engine.
struct Exploration<'a> {
    options: ExploreOptions,
    goal: Goal,
    budget: &'a Budget,
    observer: &'a dyn Observer,
}

impl Exploration<'_> {
    fn run(&self, program: &Program) -> Claim {
        let semantics = Semantics::new(program);
        let values = Values::new(program, self.options.limits.choices);
        if self.goal.is_termination() {
            let most_states = self.options.limits.states_for_termination as u64;
            let max_states = self.options.max_states.map_or(most_states, |limit| limit.min(most_states));
            let scope = lasso::Scope { max_states, fair: self.goal == Goal::FairTermination };
            return LassoSearch::new(&semantics, &values, scope, self.budget, self.observer).run();
        }
        if let Some(trace) = self.walk(program) {
            let depth = trace.steps.len() as u64;
            let shorter =
                self.shorter_trace(&semantics, &values, depth, self.options.limits.states_after_walk);
            return Claim::Unsafe(shorter.unwrap_or(trace));
        }
        if let Some(claim) = self.deadlock_of_few(program, &semantics, &values) {
            return claim;
        }
        let ExploreOptions { reduction, max_states, shortest, .. } = self.options;
        let scope = Scope { goal: self.goal, reduction, max_states, max_depth: None, max_threads: None };
        let mut search = Search::new(&semantics, &values, scope, self.budget, self.observer);
        let found = match search.run(&values) {
            End::Stopped(reason) => return Claim::Unknown(reason),
            End::Exhausted => return self.exhausted(program, &semantics, &values, search.findings),
            End::Violated(found) => found,
        };
        let findings = search.findings;
        match trace::rebuild(&semantics, &values, &findings.store, found, self.budget) {
            Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
            Ok(trace) if shortest && findings.reduced => {
                let depth = findings.depth;
                drop(findings);
                let most_states = self.options.limits.states_for_shorter_trace;
                let shorter = self.shorter_trace(&semantics, &values, depth, most_states);
                Claim::Unsafe(shorter.unwrap_or(trace))
            }
            Ok(trace) => Claim::Unsafe(trace),
        }
    }

    /// What follows if all states were visited, and in none of them a step is wrong or nothing moves.
    fn exhausted(
        &self,
        program: &Program,
        semantics: &Semantics<'_>,
        values: &Values,
        mut findings: Findings,
    ) -> Claim {
        if let Some(trouble) = findings.trouble {
            return Claim::Unknown(trouble);
        }
        if findings.sampled {
            return self.seen_to_wait(program, semantics, values, findings);
        }
        if self.goal == Goal::Deadlock && findings.reduced && has_void_runs(program) {
            drop(findings);
            let options = ExploreOptions { reduction: false, ..self.options };
            return Exploration { options, ..*self }.run(program);
        }
        match findings.waits.take().and_then(Waits::first_stuck) {
            None => proved(findings),
            Some(at) => {
                let found = Found { at, last_step: vec![], violation: Violation::Deadlock };
                match trace::rebuild(semantics, values, &findings.store, found, self.budget) {
                    Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
                    Ok(trace) => Claim::Unsafe(trace),
                }
            }
        }
    }

    /// Not all that can follow was seen. If a thread waits in all that was, the checker may be able to see the rest.
    fn seen_to_wait(
        &self,
        program: &Program,
        semantics: &Semantics<'_>,
        values: &Values,
        mut findings: Findings,
    ) -> Claim {
        let stuck = findings.waits.take().and_then(Waits::first_stuck);
        let trace = stuck.and_then(|at| {
            let found = Found { at, last_step: vec![], violation: Violation::Deadlock };
            trace::rebuild(semantics, values, &findings.store, found, self.budget).ok()
        });
        let is_right = |trace: &Trace| replay(program, self.goal, trace.clone(), self.budget).is_ok();
        trace.filter(is_right).map_or(Claim::Unknown(Reason::Sampled), Claim::Unsafe)
    }

    /// A deadlock of a few threads, if there can be any number: among all states those of one more thread are
    /// always nearer than those in which all stand still.
    fn deadlock_of_few(
        &self,
        program: &Program,
        semantics: &Semantics<'_>,
        values: &Values,
    ) -> Option<Claim> {
        let (known, templates): (Vec<_>, Vec<_>) =
            program.threads().values().partition(|thread| thread.kind != ThreadKind::Template);
        if self.goal != Goal::Deadlock || templates.is_empty() {
            return None;
        }
        let Limits { few_threads, states_of_few_threads, .. } = self.options.limits;
        let max_states = Some(self.options.max_states.unwrap_or(u64::MAX).min(states_of_few_threads as u64));
        (1..=few_threads).find_map(|few| {
            let max_threads = Some(known.len() + few);
            let scope = Scope { goal: self.goal, reduction: true, max_states, max_depth: None, max_threads };
            let mut search = Search::new(semantics, values, scope, self.budget, self.observer);
            match search.run(values) {
                End::Violated(found) => {
                    trace::rebuild(semantics, values, &search.findings.store, found, self.budget)
                        .ok()
                        .map(Claim::Unsafe)
                }
                End::Exhausted | End::Stopped(_) => None,
            }
        })
    }

    /// A violation that is seen on random walks.
    fn walk(&self, program: &Program) -> Option<Trace> {
        match self.goal {
            Goal::Assert | Goal::Overflow | Goal::Memory => {
                let ExploreOptions { steps_of_walks, walks, .. } = self.options;
                random_walks(program, self.goal, walks, self.budget, steps_of_walks, &mut |_| {})
            }
            Goal::Deadlock | Goal::Race | Goal::Termination | Goal::FairTermination => None,
        }
    }

    /// Looks without reduction for a violation that is found at a smaller depth.
    fn shorter_trace(
        &self,
        semantics: &Semantics<'_>,
        values: &Values,
        depth: u64,
        most_states: usize,
    ) -> Option<Trace> {
        let budget = match self.budget.remaining() {
            Some(remaining) => self.budget.with_time_limit(remaining / 2),
            None => self.budget.clone(),
        };
        let max_states = Some(self.options.max_states.unwrap_or(u64::MAX).min(most_states as u64));
        let max_depth = Some(depth);
        let scope = Scope { goal: self.goal, reduction: false, max_states, max_depth, max_threads: None };
        let mut search = Search::new(semantics, values, scope, &budget, self.observer);
        match search.run(values) {
            End::Violated(found) => {
                trace::rebuild(semantics, values, &search.findings.store, found, &budget).ok()
            }
            End::Exhausted | End::Stopped(_) => None,
        }
    }
}

/// All states were visited and none is wrong.
fn proved(findings: Findings) -> Claim {
    Claim::Safe(Proof::Exhausted(Exhausted {
        states: findings.store.len() as u64,
        transitions: findings.transitions,
        reduction: if findings.reduced { Reduction::PartialOrder } else { Reduction::None },
        visited: Some(findings.store.into_states()),
    }))
}
