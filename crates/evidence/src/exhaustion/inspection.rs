//! What the checkers of proofs by exhaustion ask of one state.

use crate::data::{Obstacle, ProofDefect};
use rely_base::Budget;
use rely_program::{
    AllValues, CompleteStep, Goal, InitialStatesError, Reached, Semantics, SlotId, State, Successors, Summary,
};
use std::ops::ControlFlow;

/// Domains with more values than this are not enumerated, so proofs about them are rejected.
const MOST_VALUES: u128 = 1 << 16;

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
            Goal::Assert | Goal::Deadlock | Goal::Overflow | Goal::Memory | Goal::Termination => {}
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
            Goal::Termination => self.successors.for_each_edge(state, slot, visit)?,
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

    /// Makes sure that a state in which no thread can move is no deadlock, if that is the goal.
    pub(crate) fn may_stand_still(&mut self, state: &State) -> Result<(), Obstacle> {
        if matches!(self.goal, Goal::Deadlock | Goal::Termination)
            && self.successors.is_deadlock(state)? != Some(false)
        {
            return Err(ProofDefect::Violation.into());
        }
        Ok(())
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
