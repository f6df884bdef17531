//! All complete steps of a thread, and what a thread that makes none is waiting for.

use super::Semantics;
use super::state::{SlotId, SlotStatus, State};
use super::step::{Outcome, StepError};
use crate::ir::{Blocking, CheckId, EdgeId};
use crate::types::{Domain, Value};
use rustc_hash::FxHashSet;

/// Chooses which values of a domain are tried.
pub trait Chooser {
    /// Appends values of `domain` to `values` and returns whether these are all there are.
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool;
}

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
    /// At least one step leads somewhere.
    pub moved: bool,
    /// Some edge was blocked by a condition without which the run does not count.
    pub abandoned: bool,
    /// Not all values of some domain were tried.
    pub incomplete: bool,
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

/// How many edges a thread may take inside one atomic block before we give up.
const ATOMIC_BLOCK_LIMIT: usize = 1_000_000;

impl Semantics<'_> {
    /// Calls `visit` for each complete step of the thread in `slot`: one edge, and on through
    /// the atomic locations that it enters until it has left them again. Steps that get stuck
    /// in an atomic block are not reported.
    ///
    /// `visit` receives the edges taken and where they lead.
    pub fn successors(
        &self,
        state: &State,
        slot: SlotId,
        chooser: &dyn Chooser,
        visit: &mut dyn FnMut(&[Taken], Reached<'_>),
    ) -> Result<Summary, StepError> {
        let mut search = Search {
            semantics: self,
            slot,
            chooser,
            visit,
            path: Vec::new(),
            inside: FxHashSet::default(),
            summary: Summary::default(),
        };
        search.expand(state)?;
        Ok(search.summary)
    }

    /// What the thread in `slot` is doing, together with whether that is certain: if not all
    /// values of a domain were tried, a thread that seems stuck may still be able to move.
    pub fn progress(
        &self,
        state: &State,
        slot: SlotId,
        chooser: &dyn Chooser,
    ) -> Result<(ThreadProgress, bool), StepError> {
        match self.status(state, slot) {
            SlotStatus::NotStarted => return Ok((ThreadProgress::NotStarted, true)),
            SlotStatus::Ended => return Ok((ThreadProgress::Ended, true)),
            SlotStatus::Running => {}
        }
        let mut fails = false;
        let summary = self.successors(state, slot, chooser, &mut |_, reached| {
            fails |= matches!(reached, Reached::Failure(_));
        })?;
        Ok(match summary {
            Summary { moved: true, .. } => (ThreadProgress::CanMove, true),
            _ if fails => (ThreadProgress::CanMove, true),
            Summary { abandoned: true, incomplete, .. } => (ThreadProgress::Abandoned, !incomplete),
            Summary { incomplete, .. } => (ThreadProgress::Waiting, !incomplete),
        })
    }

    /// Whether the program stands still although it has not ended: no thread can move, none
    /// stands at a condition without which the run does not count, and one waits. `None` if
    /// that is not certain.
    pub fn is_deadlock(&self, state: &State, chooser: &dyn Chooser) -> Result<Option<bool>, StepError> {
        if state.halted() || self.atomic_slot(state).is_some() {
            return Ok(Some(false));
        }
        let mut waiting = false;
        let mut certain = true;
        for slot in state.slots() {
            match self.progress(state, slot, chooser)? {
                (ThreadProgress::CanMove | ThreadProgress::Abandoned, true) => return Ok(Some(false)),
                (ThreadProgress::Waiting, known) => {
                    waiting = true;
                    certain &= known;
                }
                (_, known) => certain &= known,
            }
        }
        Ok(if !waiting { Some(false) } else { certain.then_some(true) })
    }
}

struct Search<'a, 'p> {
    semantics: &'a Semantics<'p>,
    slot: SlotId,
    chooser: &'a dyn Chooser,
    visit: &'a mut dyn FnMut(&[Taken], Reached<'_>),
    path: Vec<Taken>,
    /// States inside the atomic block that were expanded, so that loops in it end.
    inside: FxHashSet<State>,
    summary: Summary,
}

impl Search<'_, '_> {
    /// Tries all steps from `state`, and from the states inside atomic blocks they lead to.
    /// The pending states are kept in a list, not on the stack: blocks may be long.
    fn expand(&mut self, state: &State) -> Result<(), StepError> {
        let mut pending = Vec::new();
        self.expand_one(state, &mut pending)?;
        while let Some((path, state)) = pending.pop() {
            self.path = path;
            self.expand_one(&state, &mut pending)?;
        }
        Ok(())
    }

    fn expand_one(&mut self, state: &State, pending: &mut Vec<(Vec<Taken>, State)>) -> Result<(), StepError> {
        let semantics = self.semantics;
        let Some(location) = state.location(self.slot) else { return Ok(()) };
        let mut next = state.clone();
        for &edge in semantics.program.outgoing(location) {
            let mut vectors = ChoiceVectors::new(semantics.choices(edge), self.chooser);
            self.summary.incomplete |= !vectors.complete;
            while let Some(choices) = vectors.next() {
                next.clone_from(state);
                let outcome = semantics.step_in_place(&mut next, self.slot, edge, choices)?;
                self.path.push(Taken { edge, choices: choices.to_vec() });
                self.reached(outcome, &next, pending)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    fn reached(
        &mut self,
        outcome: Outcome<()>,
        next: &State,
        pending: &mut Vec<(Vec<Taken>, State)>,
    ) -> Result<(), StepError> {
        match outcome {
            Outcome::Blocked(Blocking::Abandon) => self.summary.abandoned = true,
            Outcome::Blocked(Blocking::Wait) => {}
            Outcome::Failed(check) => (self.visit)(&self.path, Reached::Failure(check)),
            Outcome::Moved(()) if !next.halted() && self.semantics.atomic_slot(next) == Some(self.slot) => {
                if self.inside.insert(next.clone()) {
                    if self.inside.len() > ATOMIC_BLOCK_LIMIT {
                        return Err(StepError::EndlessAtomicBlock);
                    }
                    pending.push((self.path.clone(), next.clone()));
                }
            }
            Outcome::Moved(()) => {
                self.summary.moved = true;
                (self.visit)(&self.path, Reached::State(next));
            }
        }
        Ok(())
    }
}

/// All combinations of the values of some domains, in lexicographic order.
struct ChoiceVectors {
    values: Vec<Vec<Value>>,
    positions: Vec<usize>,
    current: Vec<Value>,
    complete: bool,
    exhausted: bool,
}

impl ChoiceVectors {
    fn new(domains: impl Iterator<Item = Domain>, chooser: &dyn Chooser) -> Self {
        let mut complete = true;
        let values: Vec<Vec<Value>> = domains
            .map(|domain| {
                let mut values = Vec::new();
                complete &= chooser.choose(domain, &mut values);
                values
            })
            .collect();
        let exhausted = values.iter().any(Vec::is_empty);
        Self { positions: vec![0; values.len()], current: Vec::new(), values, complete, exhausted }
    }

    fn next(&mut self) -> Option<&[Value]> {
        if self.exhausted {
            return None;
        }
        self.current.clear();
        self.current.extend(self.values.iter().zip(&self.positions).map(|(values, &at)| values[at]));
        self.advance();
        Some(&self.current)
    }

    fn advance(&mut self) {
        for index in (0..self.positions.len()).rev() {
            self.positions[index] += 1;
            if self.positions[index] < self.values[index].len() {
                return;
            }
            self.positions[index] = 0;
        }
        self.exhausted = true;
    }
}
