//! What the checkers of proofs by exhaustion ask of one state.

use super::waits::Waits;
use crate::data::{Obstacle, ProofDefect};
use rely_base::Budget;
use rely_program::{
    AllValues, CompleteStep, Goal, InitialStatesError, Reached, Semantics, SlotId, SlotStatus, State,
    Successors, Summary, ThreadProgress,
};
use std::ops::ControlFlow;

/// Domains with more values than this are not enumerated, so proofs about them are rejected.
pub(super) const MOST_VALUES: u128 = 1 << 16;

/// Looks at states and their steps for anything that a proof must not overlook.
pub(crate) struct Inspector<'a, 'p> {
    semantics: &'a Semantics<'p>,
    budget: &'a Budget,
    goal: Goal,
    successors: Successors<'a, 'p>,
}

impl<'a, 'p> Inspector<'a, 'p> {
    pub(crate) fn new(
        semantics: &'a Semantics<'p>,
        goal: Goal,
        budget: &'a Budget,
    ) -> Result<Self, Obstacle> {
        match goal {
            Goal::Assert
            | Goal::Deadlock
            | Goal::Overflow
            | Goal::Memory
            | Goal::Termination
            | Goal::FairTermination => {}
            Goal::Race => return Err(ProofDefect::UnsupportedGoal(goal).into()),
        }
        let successors = Successors::new(semantics, &AllValues { limit: MOST_VALUES }, budget);
        Ok(Self { semantics, budget, goal, successors })
    }

    /// Calls `visit` with every initial state.
    pub(crate) fn initial_states(
        &self,
        visit: &mut dyn FnMut(&State) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let mut outcome = Ok(());
        let all_values = AllValues { limit: MOST_VALUES };
        let complete = self.semantics.initial_states(&all_values, self.budget, &mut |_, state| {
            outcome = visit(state);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome?;
        match complete {
            Ok(true) => Ok(()),
            Ok(false) => Err(ProofDefect::TooManyChoices.into()),
            Err(InitialStatesError::Precondition(error)) => {
                Err(ProofDefect::UndefinedPrecondition(error).into())
            }
            Err(InitialStatesError::Search(error)) => Err(error.into()),
        }
    }

    /// Makes sure that a state satisfies all properties of the goal.
    pub(crate) fn properties_hold(&self, state: &State) -> Result<(), Obstacle> {
        if self.goal != Goal::Assert {
            return Ok(());
        }
        match self.semantics.violated_property(state) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(ProofDefect::Violation.into()),
            Err(error) => Err(ProofDefect::UndefinedProperty(error).into()),
        }
    }

    pub(crate) fn semantics(&self) -> &'a Semantics<'p> {
        self.semantics
    }

    pub(crate) fn check_memory(&self, bytes: usize) -> Result<(), Obstacle> {
        Ok(self.budget.check_memory(bytes)?)
    }

    /// The steps of all threads, as [`Inspector::steps`], with who makes each of them, and what each thread does in
    /// the state.
    pub(crate) fn all_steps(
        &mut self,
        state: &State,
        reached: &mut Vec<State>,
        moved: &mut Vec<SlotId>,
    ) -> Result<Stands, Obstacle> {
        let mut stands = Stands::default();
        for slot in state.slots() {
            let summary = self.steps(state, slot, reached)?;
            moved.resize(reached.len(), slot);
            stands.add(self.semantics, state, slot, summary);
        }
        Ok(stands)
    }

    /// Appends every state to which a complete step of one thread leads, or a single edge if endless runs
    /// are the question: they can be inside of an atomic block. Makes sure that
    /// no step violates the goal and that none was overlooked.
    pub(crate) fn steps(
        &mut self,
        state: &State,
        slot: SlotId,
        reached: &mut Vec<State>,
    ) -> Result<Summary, Obstacle> {
        if state.halted() {
            return Ok(Summary::default());
        }
        let mut violated = false;
        let (goal, checks) = (self.goal, self.semantics.program().checks());
        let visit = &mut |step: CompleteStep<'_>| {
            match step.reached {
                Reached::State(next) => reached.push(next.clone()),
                Reached::Failure(check) => violated |= goal.includes(checks[check].kind),
            }
            if violated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let summary = match goal {
            Goal::Termination | Goal::FairTermination => self.successors.for_each_edge(state, slot, visit)?,
            _ => self.successors.for_each(state, slot, visit)?,
        };
        if violated {
            Err(ProofDefect::Violation.into())
        } else if summary.incomplete {
            Err(ProofDefect::TooManyChoices.into())
        } else {
            Ok(summary)
        }
    }

    /// Makes sure that a state in which no thread can move is no deadlock, if runs must end.
    pub(crate) fn may_stand_still(&mut self, state: &State) -> Result<(), Obstacle> {
        if self.goal.is_termination() && self.successors.is_deadlock(state)? != Some(false) {
            return Err(ProofDefect::Violation.into());
        }
        Ok(())
    }

    /// Whether a thread can make a complete step in a state, or might fail a check.
    pub(crate) fn can_move(&mut self, state: &State, slot: SlotId) -> Result<bool, Obstacle> {
        match self.successors.progress(state, slot)? {
            (ThreadProgress::CanMove, _) => Ok(true),
            (_, true) => Ok(false),
            (_, false) => Err(ProofDefect::TooManyChoices.into()),
        }
    }

    /// The encoding of a state, of which the state can be read back.
    pub(crate) fn pack(&self, state: &State, bytes: &mut Vec<u8>, back: &mut State) -> Result<(), Obstacle> {
        bytes.clear();
        self.semantics.pack(state, bytes);
        match self.semantics.unpack(bytes, back) {
            Ok(()) if back == state => Ok(()),
            _ => Err(ProofDefect::Inexact.into()),
        }
    }
}

/// How threads stand in a state.
#[derive(Debug, Default)]
pub(crate) struct Stands {
    waiting: Vec<SlotId>,
    /// A thread stands at a condition without which the run does not count.
    abandons: bool,
    /// A step of a thread fails a check.
    fails: bool,
}

impl Stands {
    /// Adds one of which all steps were tried.
    pub(crate) fn add(&mut self, semantics: &Semantics<'_>, state: &State, slot: SlotId, summary: Summary) {
        if state.halted() || semantics.status(state, slot) != SlotStatus::Running {
            return;
        }
        self.abandons |= summary.abandoned;
        self.fails |= summary.failed;
        if summary.progress().0 == ThreadProgress::Waiting {
            self.waiting.push(slot);
        }
    }

    /// Notes who waits in the state with this number, from which no step leads on if it `is_last`.
    pub(crate) fn note(&self, number: usize, is_last: bool, waits: &mut Waits) {
        self.waiting.iter().for_each(|&slot| waits.add_waiting(slot, number));
        if is_last && (self.abandons || self.fails) {
            waits.add_void(number);
        }
    }
}
