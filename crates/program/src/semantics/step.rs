//! The step function: what one thread does when it takes one edge.

use super::eval::EvalError;
use super::state::{SlotId, SlotStatus, State};
use super::{LocationId, Semantics};
use crate::ir::{Blocking, CheckId, EdgeId, Op, Place, ThreadId, ThreadKind};
use crate::types::{Domain, Value};
use rely_base::Id;

/// What came of an attempt to take an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<S = State> {
    /// The step was made.
    Moved(S),
    /// A condition does not hold; nothing has happened.
    Blocked(Blocking),
    /// The step violates a check; the run ends here.
    Failed(CheckId),
}

/// Why there is no such step, as opposed to one that blocks or fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The slot holds no thread.
    #[error("there is no thread in slot {}", .0.index())]
    NoSuchThread(SlotId),
    /// There is no such edge.
    #[error("the program has no edge {}", .0.index())]
    NoSuchEdge(EdgeId),
    /// The thread is not where the edge starts.
    #[error("the thread in slot {} is not at the source of edge {}", .0.index(), .1.index())]
    Elsewhere(SlotId, EdgeId),
    /// Another thread is inside an atomic block, or the program has halted.
    #[error("the thread in slot {} may not move now", .0.index())]
    NotItsTurn(SlotId),
    /// The number of choices is not that of the edge's nondeterministic values.
    #[error("{given} choices for {expected} nondeterministic values")]
    ChoiceCount {
        /// How many were given.
        given: usize,
        /// How many were needed.
        expected: usize,
    },
    /// A choice is not in its domain.
    #[error("the choice {0} is outside of its domain")]
    OutsideDomain(Value),
    /// An expression has no value.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A second start of a thread of which there is only one.
    #[error("a thread that can start only once is started again")]
    AlreadyStarted(ThreadId),
    /// An atomic block that goes on for too long.
    #[error("an atomic block takes too many steps")]
    EndlessAtomicBlock,
}

impl Semantics<'_> {
    /// **The meaning of programs.** The thread in `slot` takes `edge`: its operations are done
    /// in order, in one go.
    ///
    /// * The thread stands at the source of the edge, the program has not halted, and no other
    ///   thread is inside an atomic block; otherwise this is no step ([`StepError`]).
    /// * `choices` has one value for each value of [`choices`](Self::choices), in order.
    /// * The first operation that blocks or fails decides: a condition that does not hold, or a
    ///   join of a thread that has not ended, or of a number that is no thread's, blocks the whole
    ///   edge; a violated check fails.
    /// * Otherwise the thread stands at the target of the edge, and the variables have their
    ///   new values. If the last operation halts the program, this was its last step.
    pub fn step(
        &self,
        state: &State,
        slot: SlotId,
        edge: EdgeId,
        choices: &[Value],
    ) -> Result<Outcome, StepError> {
        let mut next = state.clone();
        Ok(match self.step_in_place(&mut next, slot, edge, choices)? {
            Outcome::Moved(()) => Outcome::Moved(next),
            Outcome::Blocked(blocking) => Outcome::Blocked(blocking),
            Outcome::Failed(check) => Outcome::Failed(check),
        })
    }

    /// [`step`](Self::step) that changes `state` itself, for those who have made a copy. The
    /// state is of no use any more unless the outcome is [`Outcome::Moved`].
    pub fn step_in_place(
        &self,
        state: &mut State,
        slot: SlotId,
        edge: EdgeId,
        choices: &[Value],
    ) -> Result<Outcome<()>, StepError> {
        self.check_turn(state, slot, edge)?;
        let edge = &self.program.edges[edge];
        let mut choices = Choices { values: choices, used: 0 };
        for op in &edge.ops {
            match self.execute(state, slot, op, &mut choices)? {
                Outcome::Moved(()) => {}
                stopped => return Ok(stopped),
            }
        }
        choices.all_used()?;
        state.slots[slot.index()].location = Some(edge.target);
        Ok(Outcome::Moved(()))
    }

    /// The domains of the nondeterministic values of an edge, in the order in which
    /// [`step`](Self::step) takes them.
    pub fn choices(&self, edge: EdgeId) -> impl Iterator<Item = Domain> + '_ {
        self.program.edges[edge].ops.iter().flat_map(|op| {
            let (havoc, spawned) = match op {
                Op::Havoc(_, domain) => (Some(*domain), None),
                Op::Spawn { thread, .. } => (None, Some(self.layout.spawn_choices(*thread))),
                _ => (None, None),
            };
            havoc.into_iter().chain(spawned.into_iter().flatten().map(|(_, _, domain)| *domain))
        })
    }

    /// Whether the thread cannot take an edge because of what it waits for first, before anything is chosen or changed.
    pub(super) fn is_blocked_at_once(&self, state: &State, slot: SlotId, edge: EdgeId) -> bool {
        let first = self.program.edges[edge].ops.first();
        match first {
            Some(Op::Assume(condition, _)) => {
                matches!(self.participant(state, slot).holds(condition), Ok(false))
            }
            _ => false,
        }
    }

    fn check_turn(&self, state: &State, slot: SlotId, edge: EdgeId) -> Result<(), StepError> {
        if slot.index() >= state.slots.len() {
            return Err(StepError::NoSuchThread(slot));
        }
        let source = self.program.edges.get(edge).ok_or(StepError::NoSuchEdge(edge))?.source;
        if state.location(slot) != Some(source) {
            return Err(StepError::Elsewhere(slot, edge));
        }
        let others_turn = self.atomic_slot(state).is_some_and(|holder| holder != slot);
        if state.halted || others_turn { Err(StepError::NotItsTurn(slot)) } else { Ok(()) }
    }

    fn execute(
        &self,
        state: &mut State,
        slot: SlotId,
        op: &Op,
        choices: &mut Choices<'_>,
    ) -> Result<Outcome<()>, StepError> {
        match op {
            Op::Assume(condition, blocking) => {
                if !self.participant(state, slot).holds(condition)? {
                    return Ok(Outcome::Blocked(*blocking));
                }
            }
            Op::Check(condition, check) => {
                if !self.participant(state, slot).holds(condition)? {
                    return Ok(Outcome::Failed(*check));
                }
            }
            Op::Assign(assignments) => self.assign(state, slot, assignments)?,
            Op::Havoc(place, domain) => {
                let value = choices.next(*domain)?;
                let cell = self.resolve(state, slot, place)?;
                state.cells[cell] = value;
            }
            Op::Spawn { thread, arguments, handle } => {
                let arguments = self.values(state, slot, arguments)?;
                let handle = handle.as_ref().map(|place| self.resolve(state, slot, place)).transpose()?;
                let spawned = self.spawn(state, *thread, &arguments, choices)?;
                if let Some(cell) = handle {
                    state.cells[cell] = spawned.handle();
                }
            }
            Op::Join(handle) => {
                let handle = self.participant(state, slot).eval(handle)?;
                let joined = state.slots().find(|slot| slot.handle() == handle);
                if joined.is_none_or(|joined| self.status(state, joined) != SlotStatus::Ended) {
                    return Ok(Outcome::Blocked(Blocking::Wait));
                }
            }
            Op::Halt => state.halted = true,
        }
        Ok(Outcome::Moved(()))
    }

    fn assign(
        &self,
        state: &mut State,
        slot: SlotId,
        assignments: &[(Place, crate::Expr)],
    ) -> Result<(), StepError> {
        // The common case needs no buffer.
        if let [(place, value)] = assignments {
            let value = self.participant(state, slot).eval(value)?;
            let cell = self.resolve(state, slot, place)?;
            state.cells[cell] = value;
            return Ok(());
        }
        let mut writes = Vec::with_capacity(assignments.len());
        for (place, value) in assignments {
            let value = self.participant(state, slot).eval(value)?;
            writes.push((self.resolve(state, slot, place)?, value));
        }
        for (cell, value) in writes {
            state.cells[cell] = value;
        }
        Ok(())
    }

    fn values(&self, state: &State, slot: SlotId, exprs: &[crate::Expr]) -> Result<Vec<Value>, StepError> {
        let evaluator = self.participant(state, slot);
        exprs.iter().map(|expr| Ok(evaluator.eval(expr)?)).collect()
    }

    fn resolve(&self, state: &State, slot: SlotId, place: &Place) -> Result<usize, StepError> {
        let evaluator = self.participant(state, slot);
        match place {
            Place::Scalar(var) => Ok(evaluator.first_cell(*var)),
            Place::Element(array, index) => Ok(evaluator.cell(*array, evaluator.eval(index)?)?),
        }
    }

    fn spawn(
        &self,
        state: &mut State,
        thread: ThreadId,
        arguments: &[Value],
        choices: &mut Choices<'_>,
    ) -> Result<SlotId, StepError> {
        let declaration = &self.program.threads[thread];
        let entry: LocationId = declaration.entry;
        let spawned = match declaration.kind {
            ThreadKind::Template => state.add_slot(thread, Some(entry), self.layout.initial_locals(thread)),
            ThreadKind::Instance { .. } => {
                let slot = self.layout.instance_slot(thread).ok_or(StepError::AlreadyStarted(thread))?;
                if state.slots[slot].location.is_some() {
                    return Err(StepError::AlreadyStarted(thread));
                }
                state.slots[slot].location = Some(entry);
                SlotId::from_index(slot)
            }
        };
        let first_cell = state.slot(spawned).first_cell;
        for &(offset, _, domain) in self.layout.spawn_choices(thread) {
            state.cells[(first_cell + offset) as usize] = choices.next(domain)?;
        }
        for (&parameter, &argument) in declaration.parameters.iter().zip(arguments) {
            let cell = self.layout.cells_of(parameter, first_cell).start;
            state.cells[cell] = argument;
        }
        Ok(spawned)
    }
}

/// The nondeterministic values of one step, taken one by one.
struct Choices<'c> {
    values: &'c [Value],
    used: usize,
}

impl Choices<'_> {
    fn next(&mut self, domain: Domain) -> Result<Value, StepError> {
        let given = self.values.len();
        let value =
            *self.values.get(self.used).ok_or(StepError::ChoiceCount { given, expected: given + 1 })?;
        if !domain.contains(value) {
            return Err(StepError::OutsideDomain(value));
        }
        self.used += 1;
        Ok(value)
    }

    fn all_used(&self) -> Result<(), StepError> {
        match self.values.len() {
            given if given == self.used => Ok(()),
            given => Err(StepError::ChoiceCount { given, expected: self.used }),
        }
    }
}
