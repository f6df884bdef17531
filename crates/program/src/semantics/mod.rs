//! What programs do: initial states, steps, and which threads can move.
//!
//! A state gives each global and each local of each thread a value, and each thread a
//! location. Threads are kept in slots: first one for every instance, in the order of
//! [`Program::threads`], then one for each thread spawned from a template, in the order of
//! their creation. A thread's handle is the number of its slot, from one.
//!
//! * [`Semantics::step`]: one thread takes one edge. This is the definition of the language.
//! * [`Semantics::successors`]: all steps of one thread, each followed through the atomic
//!   locations it enters, since what happens inside an atomic block is one step for
//!   everybody else, and a block that cannot be finished is not entered.
//! * [`Semantics::progress`]: what a thread is doing, from which deadlock is defined.

mod choices;
mod eval;
mod initial;
mod layout;
mod packed;
mod state;
mod step;
mod successors;

pub use choices::{AllValues, Chooser};
pub use eval::EvalError;
pub(crate) use eval::{apply_binary, apply_unary};
pub use initial::InitialStatesError;
pub use packed::NotAState;
pub use state::{SlotId, SlotStatus, State};
pub use step::{Outcome, StepError};
pub use successors::{CompleteStep, Reached, SearchError, Successors, Summary, Taken, ThreadProgress};

use crate::expr::Expr;
use crate::ir::{LocationId, Program, ThreadKind, VarId};
use crate::property::PropertyKind;
use crate::types::{Domain, Value};
use layout::Layout;

/// The concrete semantics of one program.
#[derive(Debug)]
pub struct Semantics<'p> {
    program: &'p Program,
    layout: Layout,
}

/// Why there is no initial state with some values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InitialError {
    /// The number of values is wrong.
    #[error("{given} initial values for {expected} undetermined cells")]
    Count {
        /// How many were given.
        given: usize,
        /// How many were needed.
        expected: usize,
    },
    /// A value is not in the domain of its variable.
    #[error("the initial value {0} is outside of its domain")]
    OutsideDomain(Value),
    /// The `requires` conditions do not hold.
    #[error("the initial values do not satisfy the precondition")]
    NotRequired,
    /// A `requires` condition has no value.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl<'p> Semantics<'p> {
    /// Prepares to run the program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, layout: Layout::new(program) }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The cells whose initial value is not determined, with their domains: globals first,
    /// then the locals of the instances.
    pub fn initial_choices(&self) -> &[(VarId, Domain)] {
        &self.layout.initial_choices
    }

    /// The initial state in which the undetermined cells have the given values.
    pub fn initial(&self, choices: &[Value]) -> Result<State, InitialError> {
        let expected = self.layout.initial_choices.len();
        if choices.len() != expected {
            return Err(InitialError::Count { given: choices.len(), expected });
        }
        for (&value, (_, domain)) in choices.iter().zip(&self.layout.initial_choices) {
            if !domain.contains(value) {
                return Err(InitialError::OutsideDomain(value));
            }
        }
        let mut state = self.unconstrained_initial();
        for (&value, &cell) in choices.iter().zip(&self.layout.initial_choice_cells) {
            state.cells[cell] = value;
        }
        for condition in self.program.requires() {
            if !self.holds(&state, condition)? {
                return Err(InitialError::NotRequired);
            }
        }
        Ok(state)
    }

    /// An initial state in which the undetermined cells have some value of their domains.
    fn unconstrained_initial(&self) -> State {
        let mut state = State::new(self.layout.initial_globals.clone());
        for (thread, declaration) in self.program.threads.iter() {
            if let ThreadKind::Instance { running } = declaration.kind {
                let location = running.then_some(declaration.entry);
                state.add_slot(thread, location, self.layout.initial_locals(thread));
            }
        }
        state
    }

    /// The values of a global: one, or one for each cell of an array.
    pub fn global<'s>(&self, state: &'s State, var: VarId) -> &'s [Value] {
        &state.cells[self.layout.cells_of(var, 0)]
    }

    /// The values of a local in one slot. The slot must be one of the variable's thread.
    pub fn local<'s>(&self, state: &'s State, slot: SlotId, var: VarId) -> &'s [Value] {
        &state.cells[self.layout.cells_of(var, state.slot(slot).first_cell)]
    }

    /// The value of a property's expression in a state.
    pub fn evaluate(&self, state: &State, expr: &Expr) -> Result<Value, EvalError> {
        self.observer(state).eval(expr)
    }

    /// Whether a condition of a property holds in a state.
    pub fn holds(&self, state: &State, condition: &Expr) -> Result<bool, EvalError> {
        Ok(self.evaluate(state, condition)? != 0)
    }

    /// The value that an expression has for the thread in a slot.
    pub fn evaluate_for(&self, state: &State, slot: SlotId, expr: &Expr) -> Result<Value, EvalError> {
        self.participant(state, slot).eval(expr)
    }

    /// The first property of the kind "always" or "at the end" that the state violates, by
    /// its index. States inside atomic blocks are not looked at, so they violate none.
    pub fn violated_property(&self, state: &State) -> Result<Option<usize>, EvalError> {
        if self.atomic_slot(state).is_some() {
            return Ok(None);
        }
        let mut ended = None;
        for (index, property) in self.program.properties().iter().enumerate() {
            let holds = match &property.kind {
                PropertyKind::Always(condition) => self.holds(state, condition)?,
                PropertyKind::AtEnd(condition) => {
                    !*ended.get_or_insert_with(|| self.has_ended(state)) || self.holds(state, condition)?
                }
                PropertyKind::DeadlockFree | PropertyKind::Terminates => true,
            };
            if !holds {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether every thread that ever started has ended by itself.
    pub fn has_ended(&self, state: &State) -> bool {
        !state.halted() && state.slots().all(|slot| self.status(state, slot) != SlotStatus::Running)
    }

    /// Whether the thread in a slot has not started, runs, or has ended.
    pub fn status(&self, state: &State, slot: SlotId) -> SlotStatus {
        let entry = state.slot(slot);
        match entry.location {
            None => SlotStatus::NotStarted,
            Some(location) if location == self.program.threads[entry.thread].exit => SlotStatus::Ended,
            Some(_) => SlotStatus::Running,
        }
    }

    /// The thread that stands inside an atomic block, if one does: only it may move.
    pub fn atomic_slot(&self, state: &State) -> Option<SlotId> {
        if !self.layout.has_atomic_locations {
            return None;
        }
        state.slots().find(|&slot| state.location(slot).is_some_and(|at| self.is_atomic(at)))
    }

    fn is_atomic(&self, location: LocationId) -> bool {
        self.program.locations[location].atomic
    }
}
