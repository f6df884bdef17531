//! Replays traces in the concrete semantics.

use crate::approximation;
use crate::data::{Obstacle, ProofDefect, Reason, Rejection, TraceDefect};
use crate::exhaustion::stuck_in;
use crate::recurrence::{Recurrence, recurrence};
use rely_base::Budget;
use rely_program::race::{Race, Racer};
use rely_program::{
    AllValues, CheckId, Goal, Outcome, Program, PropertyKind, Reached, SearchError, Semantics, SlotId, State,
    Successors, ThreadProgress, Trace, Violation,
};

use std::ops::ControlFlow;

/// Domains with more values than this are not searched for a way out of an atomic block.
const MOST_VALUES: u128 = 1 << 16;

/// So many states that may follow are visited to make sure that a thread waits for ever.
const MOST_STATES: usize = 1_000_000;

/// A trace that was replayed and does violate its goal. Only [`replay`] makes one.
#[derive(Clone, Debug)]
pub struct Replay {
    goal: Goal,
    trace: Trace,
    states: Vec<State>,
    stuck: Vec<SlotId>,
    loop_is_fair: bool,
    recurrence: Option<Recurrence>,
}

impl Replay {
    /// What is violated.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The initial state and the state after each step. A last step that fails a check leads
    /// to no state.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The threads that wait at the end and will do so for ever; none if something else is wrong.
    pub fn stuck(&self) -> &[SlotId] {
        &self.stuck
    }

    /// Whether the run is a lasso that leaves nobody out: each thread moves in its loop, or cannot move in some
    /// state of it.
    pub fn loop_is_fair(&self) -> bool {
        self.loop_is_fair
    }

    /// The set of states in which the loop of a lasso begins again and again, if it does not lead back to the same state.
    pub fn recurrence(&self) -> Option<&Recurrence> {
        self.recurrence.as_ref()
    }

    /// What is wrong at the end.
    pub fn violation(&self) -> Violation {
        self.trace.violation
    }
}

/// Repeats a trace step by step and makes sure that it is a run of the program at whose end the
/// goal is violated as claimed. Nothing in the trace is trusted.
pub fn replay(program: &Program, goal: Goal, mut trace: Trace, budget: &Budget) -> Result<Replay, Reason> {
    let semantics = Semantics::new(program);
    belongs_to_goal(program, goal, trace.violation)?;
    let initial = semantics.initial(&trace.initial).map_err(TraceDefect::NoInitialState)?;
    let mut states = vec![initial];
    let failed = run(&semantics, &trace, budget, &mut states)?;
    let (mut loop_is_fair, mut recurrence) = (false, None);
    if let (Violation::Lasso(repeated), None) = (trace.violation, failed) {
        let repetition = recurs(&semantics, &mut trace, repeated, budget, &mut states)?;
        loop_is_fair = match &repetition {
            Repetition::OfState(repeated) => is_fair(&semantics, &trace, *repeated, budget, &states)?,
            Repetition::OfSet(set) => set.is_fair(),
        };
        if let Repetition::OfSet(set) = repetition {
            recurrence = Some(set);
        }
        if goal == Goal::FairTermination && !loop_is_fair {
            return Err(Reason::UnfairLoop);
        }
    }
    let last = &states[states.len() - 1];
    let mut stuck = Vec::new();
    match (trace.violation, failed) {
        (Violation::Check(claimed), Some(found)) if claimed == found => {}
        (_, Some(found)) => return Err(TraceDefect::FailsOtherwise(found).into()),
        (Violation::Check(claimed), None) => return Err(TraceDefect::DoesNotFail(claimed).into()),
        (Violation::Property(index), None) => violates_property(&semantics, index, last)?,
        // That was looked at.
        (Violation::Lasso(_), None) => {}
        (Violation::Deadlock, None) => stuck = stuck_threads(&semantics, last, budget)?,
        (Violation::Race(racers), None) => is_race(&semantics, last, racers, budget)?,
    }
    match approximation::dependence(program, &trace, &states) {
        Some(construct) => Err(Reason::Approximate(construct.to_owned())),
        None => Ok(Replay { goal, trace, states, stuck, loop_is_fair, recurrence }),
    }
}

impl From<TraceDefect> for Reason {
    fn from(defect: TraceDefect) -> Self {
        Reason::Rejected(Rejection::Trace(defect))
    }
}

fn belongs_to_goal(program: &Program, goal: Goal, violation: Violation) -> Result<(), TraceDefect> {
    let violates = match violation {
        Violation::Check(check) => {
            goal.includes(program.checks().get(check).ok_or(TraceDefect::NoSuchViolation)?.kind)
        }
        Violation::Property(index) => {
            let property = program.properties().get(index).ok_or(TraceDefect::NoSuchViolation)?;
            // Deadlocks and endless runs have violations of their own.
            goal == Goal::Assert && property.kind.goal() == Goal::Assert
        }
        Violation::Deadlock => goal == Goal::Deadlock || goal.is_termination(),
        Violation::Lasso(_) => goal.is_termination(),
        Violation::Race(_) => goal == Goal::Race,
    };
    if violates { Ok(()) } else { Err(TraceDefect::OtherGoal(goal)) }
}

/// Makes all steps. Returns the check that the last step fails, if it fails one.
fn run(
    semantics: &Semantics<'_>,
    trace: &Trace,
    budget: &Budget,
    states: &mut Vec<State>,
) -> Result<Option<CheckId>, Reason> {
    for (index, step) in trace.steps.iter().enumerate() {
        budget.check().map_err(Reason::Unchecked)?;
        let number = index + 1;
        let state = &states[index];
        match semantics.step(state, step.slot, step.edge, &step.choices) {
            Err(error) => return Err(TraceDefect::NoStep { number, error }.into()),
            Ok(Outcome::Blocked(_)) => return Err(TraceDefect::Blocked { number }.into()),
            Ok(Outcome::Failed(check)) if number == trace.steps.len() => return Ok(Some(check)),
            Ok(Outcome::Failed(_)) => return Err(TraceDefect::FailsEarly { number }.into()),
            Ok(Outcome::Moved(next)) => states.push(next),
        }
    }
    Ok(None)
}

/// How often steps are repeated until their state recurs. Variables that the engine did not see may need some rounds for
/// that: a counter that nobody asks for goes through all values of its type.
const MOST_REPETITIONS: usize = 600;

/// After so many rounds at most begins a loop that leads to other states for ever.
const MOST_ROUNDS_BEFORE: usize = 3;

/// What a loop leads back to.
enum Repetition {
    /// The state in which its last so many steps began.
    OfState(usize),
    /// One of a set of states.
    OfSet(Recurrence),
}

/// The last steps lead back to a state from which they were made, maybe after they were repeated: then the trace goes on
/// so far, and several rounds may be its loop. Or they can be [repeated for ever](recurrence) anyway.
fn recurs(
    semantics: &Semantics<'_>,
    trace: &mut Trace,
    repeated: usize,
    budget: &Budget,
    states: &mut Vec<State>,
) -> Result<Repetition, Reason> {
    let stem = trace.steps.len().checked_sub(repeated).ok_or(TraceDefect::NoLoop)?;
    if repeated == 0 {
        return Err(TraceDefect::NoLoop.into());
    }
    let round = trace.steps[stem..].to_vec();
    // The state with which others are compared moves on after 1, 2, 4, ... rounds, so that a stem of any length is left.
    let (mut compared, mut rounds, mut patience) = (stem, 1, 1);
    loop {
        let end = states.len() - 1;
        if states[end] == states[compared] {
            let around = end - compared;
            let returns = |&start: &usize| states[start] == states[start + around];
            let start = (stem..compared).step_by(repeated).find(returns).unwrap_or(compared);
            states.truncate(start + around + 1);
            trace.steps.truncate(start + around);
            trace.violation = Violation::Lasso(around);
            return Ok(Repetition::OfState(around));
        }
        if rounds > MOST_REPETITIONS {
            return goes_on(semantics, trace, (stem, repeated), states);
        }
        if rounds == patience {
            (compared, patience) = (end, 2 * patience);
        }
        for step in &round {
            budget.check().map_err(Reason::Unchecked)?;
            let state = &states[states.len() - 1];
            match semantics.step(state, step.slot, step.edge, &step.choices) {
                Ok(Outcome::Moved(next)) => states.push(next),
                _ => return goes_on(semantics, trace, (stem, repeated), states),
            }
        }
        trace.steps.extend_from_slice(&round);
        rounds += 1;
    }
}

/// The last steps of a trace, which were repeated, can be repeated for ever.
fn goes_on(
    semantics: &Semantics<'_>,
    trace: &mut Trace,
    (stem, repeated): (usize, usize),
    states: &mut Vec<State>,
) -> Result<Repetition, Reason> {
    let starts = (stem..=trace.steps.len() - repeated).step_by(repeated);
    for start in starts.take(MOST_ROUNDS_BEFORE + 1) {
        let end = start + repeated;
        if let Some(set) = recurrence(semantics, &states[start], &trace.steps[start..end]) {
            states.truncate(end + 1);
            trace.steps.truncate(end);
            trace.violation = Violation::Lasso(repeated);
            return Ok(Repetition::OfSet(set));
        }
    }
    Err(Reason::NoRecurrence)
}

/// Whether each thread moves in the loop of a lasso, or cannot move in some state of it (weak fairness). While somebody
/// is inside of an atomic block, nobody asks whether the others could move, unless the loop never leaves it.
fn is_fair(
    semantics: &Semantics<'_>,
    trace: &Trace,
    repeated: usize,
    budget: &Budget,
    states: &[State],
) -> Result<bool, Reason> {
    let all_values = AllValues { limit: MOST_VALUES };
    let mut successors = Successors::new(semantics, &all_values, budget);
    let around = &states[states.len() - repeated..];
    let between: Vec<&State> = around.iter().filter(|state| semantics.atomic_slot(state).is_none()).collect();
    if between.is_empty() {
        return Ok(true);
    }
    let moving = &trace.steps[trace.steps.len() - repeated..];
    for slot in around[0].slots().filter(|&slot| !moving.iter().any(|step| step.slot == slot)) {
        let mut rests = false;
        for state in &between {
            // Who is not certain to be stuck may be able to move.
            rests |= match successors.progress(state, slot) {
                Ok((ThreadProgress::CanMove, _) | (_, false)) | Err(SearchError::Step(_)) => false,
                Ok((_, true)) => true,
                Err(SearchError::Stopped(reason)) => return Err(Reason::Unchecked(reason)),
            };
        }
        if !rests {
            return Ok(false);
        }
    }
    Ok(true)
}

fn violates_property(semantics: &Semantics<'_>, index: usize, state: &State) -> Result<(), TraceDefect> {
    if semantics.atomic_slot(state).is_some() {
        return Err(TraceDefect::InsideAtomicBlock);
    }
    let (looked_at, condition) = match &semantics.program().properties()[index].kind {
        PropertyKind::Always(condition) => (true, condition),
        PropertyKind::AtEnd(condition) => (semantics.has_ended(state), condition),
        PropertyKind::DeadlockFree | PropertyKind::Terminates => return Err(TraceDefect::NoSuchViolation),
    };
    if !looked_at || semantics.holds(state, condition).map_err(TraceDefect::PropertyUndefined)? {
        return Err(TraceDefect::PropertyHolds);
    }
    Ok(())
}

/// The threads that wait in the state and in all that can follow: at least one.
///
/// If nothing moves, that is all there is to see. Otherwise every state that can follow is visited.
fn stuck_threads(semantics: &Semantics<'_>, state: &State, budget: &Budget) -> Result<Vec<SlotId>, Reason> {
    if semantics.atomic_slot(state).is_some() {
        return Err(TraceDefect::InsideAtomicBlock.into());
    }
    match stuck_in(semantics, state, budget, MOST_STATES) {
        Ok(Some(stuck)) if stuck.is_empty() => Err(TraceDefect::NoDeadlock.into()),
        Ok(Some(stuck)) => Ok(stuck),
        Ok(None) => Err(Reason::StateLimit(MOST_STATES as u64)),
        Err(Obstacle::Stopped(reason)) => Err(Reason::Unchecked(reason)),
        Err(Obstacle::Defect(ProofDefect::NoMeaning(error))) => {
            Err(TraceDefect::MeaninglessDeadlock(error).into())
        }
        Err(Obstacle::Defect(_)) => Err(TraceDefect::UncertainDeadlock.into()),
    }
}

/// Both threads are about to make accesses that conflict. One of them may be inside of an atomic block;
/// then it can finish the block, or else the run would not be one.
fn is_race(
    semantics: &Semantics<'_>,
    state: &State,
    racers: [Racer; 2],
    budget: &Budget,
) -> Result<(), Reason> {
    match Race::of(semantics, state, racers) {
        Ok(Some(_)) => {}
        Ok(None) => return Err(TraceDefect::NoRace.into()),
        Err(error) => return Err(TraceDefect::PropertyUndefined(error).into()),
    }
    let Some(holder) = semantics.atomic_slot(state) else { return Ok(()) };
    let all_values = AllValues { limit: MOST_VALUES };
    let mut ends = false;
    let mut successors = Successors::new(semantics, &all_values, budget);
    let searched = successors.for_each(state, holder, &mut |step| {
        ends |= matches!(step.reached, Reached::State(_));
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match searched {
        _ if ends => Ok(()),
        Ok(_) => Err(TraceDefect::EndlessBlock.into()),
        Err(SearchError::Step(_)) => Err(TraceDefect::EndlessBlock.into()),
        Err(SearchError::Stopped(reason)) => Err(Reason::Unchecked(reason)),
    }
}
