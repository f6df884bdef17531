//! All complete steps of a thread, and what a thread that makes none is waiting for.
//!
//! A [`Successors`] is made once and asked about many states: it knows the values of every
//! nondeterministic choice in advance and keeps its buffers, so that asking about an ordinary
//! edge allocates nothing.

use super::Semantics;
use super::choices::{ChoiceTable, ChoiceVectors, Chooser};
use super::state::{SlotId, SlotStatus, State};
use super::step::{Outcome, StepError};
use crate::ir::{Blocking, CheckId, EdgeId};
use crate::types::Value;
use rely_base::{Budget, StopReason};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// One edge of a complete step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The edge.
    pub edge: EdgeId,
    /// Its nondeterministic values.
    pub choices: Vec<Value>,
}

/// Where a complete step leads.
#[derive(Clone, Copy, Debug)]
pub enum Reached<'s> {
    /// To this state, in which the thread is in no atomic block.
    State(&'s State),
    /// To a violation.
    Failure(CheckId),
}

/// What is known of a thread after all its steps were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// At least one step leads to a state.
    pub moved: bool,
    /// At least one step violates a check.
    pub failed: bool,
    /// Some edge was blocked by a condition without which the run does not count.
    pub abandoned: bool,
    /// Not all values of some domain were tried.
    pub incomplete: bool,
}

impl Summary {
    /// What a running thread of which this is known is doing, and whether that is certain: if
    /// not all values were tried, a thread that seems stuck may still be able to move.
    pub fn progress(self) -> (ThreadProgress, bool) {
        if self.moved || self.failed {
            (ThreadProgress::CanMove, true)
        } else if self.abandoned {
            (ThreadProgress::Abandoned, !self.incomplete)
        } else {
            (ThreadProgress::Waiting, !self.incomplete)
        }
    }
}

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadProgress {
    /// Nobody has started it.
    NotStarted,
    /// It has ended.
    Ended,
    /// It can make a step.
    CanMove,
    /// It waits for a condition or for the end of another thread.
    Waiting,
    /// It stands at a condition without which the run does not count.
    Abandoned,
}

/// Why the search for steps did not find all of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// A step has no meaning; all others were reported.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The budget is used up.
    #[error("{0}")]
    Stopped(StopReason),
}

/// How many states a thread may pass inside one atomic block before we give up.
const ATOMIC_BLOCK_LIMIT: usize = 100_000;

impl Semantics<'_> {
    /// Calls `visit` for each complete step of the thread in `slot`: one edge, and on through
    /// the atomic locations that it enters until it has left them again. Steps that get stuck
    /// in an atomic block are not reported.
    ///
    /// `visit` receives the edges taken and where they lead. To ask about many states, make a
    /// [`Successors`].
    pub fn successors(
        &self,
        state: &State,
        slot: SlotId,
        chooser: &dyn Chooser,
        visit: &mut dyn FnMut(&[Taken], Reached<'_>),
    ) -> Result<Summary, StepError> {
        let budget = Budget::unlimited();
        let mut successors = Successors::new(self, chooser, &budget);
        unlimited(successors.for_each(state, slot, &mut |step| {
            visit(&step.path(), step.reached);
            ControlFlow::Continue(())
        }))
    }

    /// What the thread in `slot` is doing, together with whether that is certain: if not all
    /// values of a domain were tried, a thread that seems stuck may still be able to move.
    pub fn progress(
        &self,
        state: &State,
        slot: SlotId,
        chooser: &dyn Chooser,
    ) -> Result<(ThreadProgress, bool), StepError> {
        let budget = Budget::unlimited();
        unlimited(Successors::new(self, chooser, &budget).progress(state, slot))
    }

    /// Whether the program is in a deadlock: no thread can move, none
    /// stands at a condition without which the run does not count, and one waits. `None` if
    /// that is not certain.
    pub fn is_deadlock(&self, state: &State, chooser: &dyn Chooser) -> Result<Option<bool>, StepError> {
        let budget = Budget::unlimited();
        unlimited(Successors::new(self, chooser, &budget).is_deadlock(state))
    }
}

fn unlimited<T>(result: Result<T, SearchError>) -> Result<T, StepError> {
    result.map_err(|error| match error {
        SearchError::Step(error) => error,
        SearchError::Stopped(reason) => unreachable!("an unlimited budget ended: {reason}"),
    })
}

/// Finds the complete steps from any number of states.
///
/// ```
/// use rely_base::Budget;
/// use rely_program::{AllValues, Expr, Op, Place, ProgramBuilder, Semantics, Sort, Successors, ThreadKind};
/// use std::ops::ControlFlow;
///
/// // var x: int = 0;  thread T { x := x + 1; }
/// let mut builder = ProgramBuilder::new("increment");
/// let x = builder.global("x", Sort::Int, 0);
/// let thread = builder.thread("T", ThreadKind::Instance { running: true });
/// let increment = Op::assign(Place::Scalar(x), Expr::var(x).add(Expr::int(1)));
/// builder.edge(builder.entry(thread), builder.exit(thread), vec![increment], None);
/// let program = builder.finish()?;
///
/// let semantics = Semantics::new(&program);
/// let (budget, all_values) = (Budget::unlimited(), AllValues { limit: 256 });
/// let mut successors = Successors::new(&semantics, &all_values, &budget);
/// let start = semantics.initial(&[])?;
/// let mut edges = Vec::new();
/// for slot in start.slots() {
///     successors.for_each(&start, slot, &mut |step| {
///         edges.extend(step.path());
///         ControlFlow::Continue(())
///     })?;
/// }
/// assert_eq!(edges.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Successors<'a, 'p> {
    semantics: &'a Semantics<'p>,
    budget: &'a Budget,
    choices: ChoiceTable,
    /// The state that the current attempt changes.
    next: State,
    block: Block,
}

/// The states that one thread has entered inside an atomic block, in breadth-first order.
#[derive(Debug, Default)]
struct Block {
    entered: Vec<Entered>,
    seen: FxHashSet<State>,
}

#[derive(Debug)]
struct Entered {
    state: State,
    taken: Taken,
    before: Option<usize>,
}

/// A complete step that [`Successors::for_each`] has found.
#[derive(Debug)]
pub struct CompleteStep<'s> {
    /// Where it leads.
    pub reached: Reached<'s>,
    block: &'s Block,
    before: Option<usize>,
    last_edge: EdgeId,
    last_choices: &'s [Value],
}

impl CompleteStep<'_> {
    /// The edges of the step in order: one, or more if it runs through an atomic block.
    pub fn path(&self) -> Vec<Taken> {
        let mut path = vec![Taken { edge: self.last_edge, choices: self.last_choices.to_vec() }];
        let mut before = self.before;
        while let Some(index) = before {
            path.push(self.block.entered[index].taken.clone());
            before = self.block.entered[index].before;
        }
        path.reverse();
        path
    }
}

impl<'a, 'p> Successors<'a, 'p> {
    /// Prepares to search under a budget, with the values that `chooser` gives.
    pub fn new(semantics: &'a Semantics<'p>, chooser: &dyn Chooser, budget: &'a Budget) -> Self {
        Self {
            semantics,
            budget,
            choices: ChoiceTable::new(semantics, chooser),
            next: State::default(),
            block: Block::default(),
        }
    }

    /// Calls `visit` for each complete step of the thread in `slot` until it breaks; see
    /// [`Semantics::successors`]. A step without a meaning is an error after all others have
    /// been visited; an exhausted budget ends the search at once. If `visit` breaks, the
    /// summary speaks of what was tried until then.
    pub fn for_each(
        &mut self,
        state: &State,
        slot: SlotId,
        visit: &mut dyn FnMut(CompleteStep<'_>) -> ControlFlow<()>,
    ) -> Result<Summary, SearchError> {
        let mut search = Search::new(slot, visit);
        if !self.block.entered.is_empty() {
            self.block.entered.clear();
            self.block.seen.clear();
        }
        let mut flow = self.expand(state, &mut search)?;
        let mut index = 0;
        while flow.is_continue() && index < self.block.entered.len() {
            let inside = std::mem::take(&mut self.block.entered[index].state);
            search.before = Some(index);
            flow = self.expand(&inside, &mut search)?;
            index += 1;
        }
        match search.error {
            Some(error) => Err(SearchError::Step(error)),
            None => Ok(search.summary),
        }
    }

    /// Calls `visit` for each single edge that the thread in `slot` can take until it breaks, also for those
    /// that lead into, through or out of an atomic block: to go round inside of a block for ever is a run, too.
    /// In a state in which another thread is inside of a block, or the program has halted, there are none.
    pub fn for_each_edge(
        &mut self,
        state: &State,
        slot: SlotId,
        visit: &mut dyn FnMut(CompleteStep<'_>) -> ControlFlow<()>,
    ) -> Result<Summary, SearchError> {
        if state.halted() || self.semantics.atomic_slot(state).is_some_and(|holder| holder != slot) {
            return Ok(Summary::default());
        }
        self.block.entered.clear();
        self.block.seen.clear();
        let mut search = Search { stops_in_blocks: true, ..Search::new(slot, visit) };
        let _: ControlFlow<()> = self.expand(state, &mut search)?;
        match search.error {
            Some(error) => Err(SearchError::Step(error)),
            None => Ok(search.summary),
        }
    }

    /// What the thread in `slot` is doing; see [`Semantics::progress`].
    pub fn progress(&mut self, state: &State, slot: SlotId) -> Result<(ThreadProgress, bool), SearchError> {
        match self.semantics.status(state, slot) {
            SlotStatus::NotStarted => Ok((ThreadProgress::NotStarted, true)),
            SlotStatus::Ended => Ok((ThreadProgress::Ended, true)),
            SlotStatus::Running => {
                Ok(self.for_each(state, slot, &mut |_| ControlFlow::Continue(()))?.progress())
            }
        }
    }

    /// Whether the program is in a deadlock; see
    /// [`Semantics::is_deadlock`].
    pub fn is_deadlock(&mut self, state: &State) -> Result<Option<bool>, SearchError> {
        if state.halted() || self.semantics.atomic_slot(state).is_some() {
            return Ok(Some(false));
        }
        let mut waiting = false;
        let mut certain = true;
        for slot in state.slots() {
            match self.progress(state, slot)? {
                // Abandoned for some values, it may still move with others: no deadlock either way.
                (ThreadProgress::CanMove | ThreadProgress::Abandoned, _) => return Ok(Some(false)),
                (ThreadProgress::Waiting, known) => {
                    waiting = true;
                    certain &= known;
                }
                (ThreadProgress::NotStarted | ThreadProgress::Ended, _) => {}
            }
        }
        Ok(if !waiting { Some(false) } else { certain.then_some(true) })
    }

    /// Tries all edges of the searched thread from one state.
    fn expand(&mut self, state: &State, search: &mut Search<'_>) -> Result<ControlFlow<()>, SearchError> {
        let Some(location) = state.location(search.slot) else { return Ok(ControlFlow::Continue(())) };
        let semantics = self.semantics;
        for &edge in semantics.program.outgoing(location) {
            let choices = self.choices.of_edge(edge);
            search.summary.incomplete |=
                !choices.complete && !semantics.is_blocked_at_once(state, search.slot, edge);
            if choices.is_deterministic() {
                if self.attempt(state, edge, &[], search)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                continue;
            }
            let mut vectors = ChoiceVectors::new(choices);
            while let Some(values) = vectors.next() {
                if self.attempt(state, edge, values, search)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn attempt(
        &mut self,
        state: &State,
        edge: EdgeId,
        choices: &[Value],
        search: &mut Search<'_>,
    ) -> Result<ControlFlow<()>, SearchError> {
        self.budget.check().map_err(SearchError::Stopped)?;
        self.next.clone_from(state);
        let reached = match self.semantics.step_in_place(&mut self.next, search.slot, edge, choices) {
            Ok(Outcome::Moved(())) if search.stops_in_blocks || !self.is_inside_block(search.slot) => {
                search.summary.moved = true;
                Reached::State(&self.next)
            }
            Ok(Outcome::Moved(())) => {
                self.enter(edge, choices, search);
                return Ok(ControlFlow::Continue(()));
            }
            Ok(Outcome::Blocked(blocking)) => {
                search.summary.abandoned |= blocking == Blocking::Abandon;
                return Ok(ControlFlow::Continue(()));
            }
            Ok(Outcome::Failed(check)) => {
                search.summary.failed = true;
                Reached::Failure(check)
            }
            Err(error) => {
                search.error.get_or_insert(error);
                return Ok(ControlFlow::Continue(()));
            }
        };
        let (block, before) = (&self.block, search.before);
        let step = CompleteStep { reached, block, before, last_edge: edge, last_choices: choices };
        Ok((search.visit)(step))
    }

    fn is_inside_block(&self, slot: SlotId) -> bool {
        !self.next.halted() && self.next.location(slot).is_some_and(|at| self.semantics.is_atomic(at))
    }

    /// Remembers the state inside an atomic block from which the step goes on.
    fn enter(&mut self, edge: EdgeId, choices: &[Value], search: &mut Search<'_>) {
        if self.block.entered.len() >= ATOMIC_BLOCK_LIMIT {
            search.error.get_or_insert(StepError::EndlessAtomicBlock);
        } else if self.block.seen.insert(self.next.clone()) {
            let taken = Taken { edge, choices: choices.to_vec() };
            self.block.entered.push(Entered { state: self.next.clone(), taken, before: search.before });
        }
    }
}

/// One question to [`Successors::for_each`].
struct Search<'v> {
    slot: SlotId,
    visit: &'v mut dyn FnMut(CompleteStep<'_>) -> ControlFlow<()>,
    /// The state inside an atomic block that is being expanded.
    before: Option<usize>,
    /// Every edge is a step of its own.
    stops_in_blocks: bool,
    summary: Summary,
    error: Option<StepError>,
}

impl<'v> Search<'v> {
    fn new(slot: SlotId, visit: &'v mut dyn FnMut(CompleteStep<'_>) -> ControlFlow<()>) -> Self {
        Self { slot, visit, before: None, stops_in_blocks: false, summary: Summary::default(), error: None }
    }
}
