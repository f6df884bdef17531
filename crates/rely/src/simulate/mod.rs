//! One concrete run of a program, under a random or a given schedule.
//!
//! Nothing is proved here; a run gives a feel for a program. It is made of the same steps as
//! every trace, those of [`Semantics::step`].

mod random;
mod schedule;

pub use schedule::{Schedule, ScheduleError};

use random::RandomValues;
use rely_base::{Budget, Id, Random, StopReason};
use rely_program::{
    CheckId, EdgeId, InitialStatesError, Outcome, Program, Reached, SearchError, Semantics, SlotId, State,
    Successors, Taken, Value, Violation,
};
use rely_report::thread_name;
use std::ops::ControlFlow;

/// What to do at most, and how.
#[derive(Debug)]
pub struct Options {
    /// Where the random choices start.
    pub seed: u64,
    /// Who moves when; without it the random choices decide.
    pub schedule: Option<Schedule>,
    /// How many steps the run has at most.
    pub steps: usize,
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// Where it starts.
    pub initial: State,
    /// What happens.
    pub steps: Vec<RunStep>,
    /// Why it goes no further.
    pub ending: RunEnd,
}

impl Run {
    /// The state in which the run ends, or in which its last step fails.
    pub fn last_state(&self) -> &State {
        self.steps.iter().rev().find_map(|step| step.after.as_ref()).unwrap_or(&self.initial)
    }
}

/// One edge taken by one thread.
#[derive(Debug)]
pub struct RunStep {
    /// Who moves.
    pub slot: SlotId,
    /// Along which edge.
    pub edge: EdgeId,
    /// The state after it; `None` if the step fails.
    pub after: Option<State>,
}

/// Why a run goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every thread has ended.
    Ended,
    /// The program ended itself.
    Halted,
    /// Something is wrong.
    Violation(Violation),
    /// Every thread that could move stands at an assumption that does not hold, or at a value
    /// that was not guessed.
    Stuck,
    /// The run is as long as it was allowed to be.
    StepLimit,
    /// The schedule is at its end.
    ScheduleEnd,
    /// The thread that is next in the schedule cannot move.
    CannotMove(String),
    /// No step has a meaning, for this reason.
    Meaningless(String),
    /// The user or a limit stopped it.
    Stopped(StopReason),
}

/// Why there is no run at all.
#[derive(Debug, thiserror::Error)]
pub enum NoRun {
    /// No initial state was found.
    #[error("no initial values that satisfy the precondition were found")]
    NoInitialState,
    /// The precondition has no value.
    #[error(transparent)]
    Initial(#[from] InitialStatesError),
    /// The schedule names a thread that does not exist (yet).
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

/// Runs the program once.
pub fn run<'p>(program: &'p Program, options: &Options, budget: &'p Budget) -> Result<Run, NoRun> {
    let semantics = Semantics::new(program);
    let values = RandomValues::new(program, Random::new(options.seed));
    let initial = initial_state(&semantics, &values, budget)?;
    let mut simulation = Simulation {
        semantics,
        budget,
        values,
        random: Random::new(options.seed.wrapping_add(1)),
        state: initial.clone(),
        steps: Vec::new(),
    };
    let ending = simulation.go(options)?;
    Ok(Run { initial, steps: simulation.steps, ending })
}

/// A random initial state; if guessing does not find one, the first that searching finds.
fn initial_state(semantics: &Semantics<'_>, values: &RandomValues, budget: &Budget) -> Result<State, NoRun> {
    let domains = semantics.initial_domains();
    for _ in 0..INITIAL_GUESSES {
        let choices: Option<Vec<Value>> = domains.iter().map(|&domain| values.sample(domain)).collect();
        if let Some(state) = choices.and_then(|choices| semantics.initial(&choices).ok()) {
            return Ok(state);
        }
    }
    let mut found = None;
    semantics.initial_states(values, budget, &mut |_, state| {
        found = Some(state.clone());
        ControlFlow::Break(())
    })?;
    found.ok_or(NoRun::NoInitialState)
}

/// How often initial values are guessed before they are searched for.
const INITIAL_GUESSES: usize = 100;

/// Of so many steps of one thread one is chosen; inputs may give it many more.
const MOST_CANDIDATES: usize = 256;

struct Simulation<'p> {
    semantics: Semantics<'p>,
    budget: &'p Budget,
    values: RandomValues,
    random: Random,
    state: State,
    steps: Vec<RunStep>,
}

/// The edges of a complete step, and the check that the last one fails, if it does.
type Candidate = (Vec<Taken>, Option<CheckId>);

impl Simulation<'_> {
    fn go(&mut self, options: &Options) -> Result<RunEnd, NoRun> {
        let mut schedule = options.schedule.iter().flat_map(Schedule::turns);
        loop {
            if let Err(reason) = self.budget.check_now() {
                return Ok(RunEnd::Stopped(reason));
            }
            if let Some(ending) = self.ending_here() {
                return Ok(ending);
            }
            if self.steps.len() >= options.steps {
                return Ok(RunEnd::StepLimit);
            }
            let candidates = if options.schedule.is_some() {
                let Some(turn) = schedule.next() else { return Ok(RunEnd::ScheduleEnd) };
                let slot = self.slot_named(turn)?;
                self.candidates(slot).map(|candidates| (slot, candidates))
            } else {
                self.random_candidates()
            };
            match candidates {
                Err(SearchError::Stopped(reason)) => return Ok(RunEnd::Stopped(reason)),
                Err(SearchError::Step(error)) => return Ok(RunEnd::Meaningless(error.to_string())),
                Ok((slot, candidates)) if candidates.is_empty() => return Ok(self.standstill(slot, options)),
                Ok((slot, mut candidates)) => {
                    let chosen = candidates.swap_remove(self.random.below(candidates.len()));
                    if let Some(ending) = self.take(slot, chosen) {
                        return Ok(ending);
                    }
                }
            }
        }
    }

    /// Whether the run is over in this state, whatever comes next.
    fn ending_here(&self) -> Option<RunEnd> {
        match self.semantics.violated_property(&self.state) {
            Ok(Some(index)) => return Some(RunEnd::Violation(Violation::Property(index))),
            Ok(None) => {}
            Err(error) => return Some(RunEnd::Meaningless(error.to_string())),
        }
        if self.state.halted() {
            return Some(RunEnd::Halted);
        }
        self.semantics.has_ended(&self.state).then_some(RunEnd::Ended)
    }

    fn slot_named(&self, name: &str) -> Result<SlotId, ScheduleError> {
        let names = |slot: SlotId| thread_name(self.semantics.program(), &self.state, slot);
        self.state.slots().find(|&slot| names(slot) == name).ok_or_else(|| ScheduleError::NoSuchThread {
            name: name.to_owned(),
            known: self.state.slots().map(names).collect(),
        })
    }

    /// The steps of the first thread, in a random order, that has some.
    fn random_candidates(&mut self) -> Result<(SlotId, Vec<Candidate>), SearchError> {
        let mut slots: Vec<SlotId> = self.state.slots().collect();
        let mut problem = None;
        while !slots.is_empty() {
            let slot = slots.swap_remove(self.random.below(slots.len()));
            match self.candidates(slot) {
                Ok(candidates) if candidates.is_empty() => {}
                Ok(candidates) => return Ok((slot, candidates)),
                Err(error) => problem = Some(error),
            }
        }
        match problem {
            Some(error) => Err(error),
            None => Ok((SlotId::from_index(0), Vec::new())),
        }
    }

    /// Steps of a thread, enough to choose from. One that has no meaning counts only if there
    /// is no other.
    fn candidates(&self, slot: SlotId) -> Result<Vec<Candidate>, SearchError> {
        let mut candidates = Vec::new();
        let mut successors = Successors::new(&self.semantics, &self.values, self.budget);
        let found = successors.for_each(&self.state, slot, &mut |step| {
            let failure = match step.reached {
                Reached::Failure(check) => Some(check),
                Reached::State(_) => None,
            };
            candidates.push((step.path(), failure));
            if candidates.len() < MOST_CANDIDATES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        match found {
            Err(error) if candidates.is_empty() => Err(error),
            Err(_) | Ok(_) => Ok(candidates),
        }
    }

    /// Makes a complete step; says so if the run ends with it.
    fn take(&mut self, slot: SlotId, (path, failure): Candidate) -> Option<RunEnd> {
        for taken in path {
            let after = match self.semantics.step(&self.state, slot, taken.edge, &taken.choices) {
                Ok(Outcome::Moved(next)) => Some(next),
                Ok(Outcome::Failed(_)) => None,
                Ok(Outcome::Blocked(_)) => return Some(RunEnd::Stuck),
                Err(error) => return Some(RunEnd::Meaningless(error.to_string())),
            };
            self.steps.push(RunStep { slot, edge: taken.edge, after: after.clone() });
            self.state = after.unwrap_or_else(|| self.state.clone());
        }
        failure.map(|check| RunEnd::Violation(Violation::Check(check)))
    }

    /// What it means that nobody, or the one whose turn it is, can move.
    fn standstill(&self, slot: SlotId, options: &Options) -> RunEnd {
        match Successors::new(&self.semantics, &self.values, self.budget).is_deadlock(&self.state) {
            Ok(Some(true)) => RunEnd::Violation(Violation::Deadlock),
            Err(SearchError::Stopped(reason)) => RunEnd::Stopped(reason),
            Err(SearchError::Step(error)) => RunEnd::Meaningless(error.to_string()),
            Ok(_) if options.schedule.is_some() => {
                RunEnd::CannotMove(thread_name(self.semantics.program(), &self.state, slot))
            }
            Ok(_) => RunEnd::Stuck,
        }
    }
}
