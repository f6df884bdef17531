//! The breadth-first search itself.
//!
//! States are expanded in the order in which they were found, so the first violation is one
//! after as few complete steps as possible (of those steps that are looked at: with reduction,
//! a shorter way may exist).

use super::partial_order::{PartialOrder, SlotSet};
use super::store::{Insertion, StateId, StateStore};
use super::waits::{MOST_THREADS, Waits};
use crate::values::Values;
use rely_base::{Budget, Id, Observer, Progress};
use rely_evidence::Reason;
use rely_program::{
    Goal, InitialStatesError, PropertyKind, Reached, SearchError, Semantics, SlotId, SlotStatus, State,
    StepError, Successors, Summary, ThreadProgress, TraceStep, Violation,
};
use std::ops::ControlFlow;

/// How often progress is reported, in states.
const STATES_PER_REPORT: usize = 1 << 14;

/// How often memory is measured, in states.
const STATES_PER_MEASUREMENT: usize = 1 << 6;

/// What to search for, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) goal: Goal,
    pub(super) reduction: bool,
    pub(super) max_states: Option<u64>,
    /// Only violations after fewer complete steps than this are of interest.
    pub(super) max_depth: Option<u64>,
    /// Only states with so many threads are of interest.
    pub(super) max_threads: Option<usize>,
}

/// Why a search has ended.
#[derive(Debug)]
pub(super) enum End {
    /// Every state within the scope was expanded.
    Exhausted,
    /// Something is wrong.
    Violated(Found),
    /// It had to stop.
    Stopped(Reason),
}

/// A violation: after the state `at` and then, if it is in a step, these edges.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) at: StateId,
    pub(super) last_step: Vec<TraceStep>,
    pub(super) violation: Violation,
}

/// A search and all that it has found out.
pub(super) struct Search<'a, 'p> {
    semantics: &'a Semantics<'p>,
    scope: Scope,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    successors: Successors<'a, 'p>,
    partial_order: Option<PartialOrder<'p>>,
    pub(super) findings: Findings,
}

/// What a search has found out so far.
pub(super) struct Findings {
    pub(super) store: StateStore,
    pub(super) transitions: u64,
    /// The number of complete steps to the states that are being expanded.
    pub(super) depth: u64,
    /// Some values were not tried.
    pub(super) sampled: bool,
    /// In some state not all threads were expanded.
    pub(super) reduced: bool,
    /// The first thing without a meaning that some run has met.
    pub(super) trouble: Option<Reason>,
    /// If the goal is about threads that wait for ever.
    pub(super) waits: Option<Waits>,
    has_properties: bool,
    packed: Vec<u8>,
}

/// What came of expanding some threads in a state.
#[derive(Default)]
struct Expansion {
    /// Who was expanded.
    done: SlotSet,
    /// A step leads to a state that is still to be expanded.
    leads_further: bool,
    /// A step leads to a state at all.
    leads_on: bool,
    /// Who does not wait, of those that were expanded.
    goes_on: SlotSet,
    fails: bool,
    can_move: bool,
    waits: bool,
    abandoned: bool,
    uncertain: bool,
}

impl<'a, 'p> Search<'a, 'p> {
    pub(super) fn new(
        semantics: &'a Semantics<'p>,
        values: &Values,
        scope: Scope,
        budget: &'a Budget,
        observer: &'a dyn Observer,
    ) -> Self {
        let program = semantics.program();
        let is_state_property =
            |kind: &PropertyKind| matches!(kind, PropertyKind::Always(_) | PropertyKind::AtEnd(_));
        let findings = Findings {
            store: StateStore::new(),
            transitions: 0,
            depth: 0,
            sampled: false,
            reduced: false,
            trouble: None,
            waits: (scope.goal == Goal::Deadlock && scope.max_depth.is_none()).then(Waits::default),
            has_properties: scope.goal == Goal::Assert
                && program.properties().iter().any(|property| is_state_property(&property.kind)),
            packed: Vec::new(),
        };
        Self {
            semantics,
            scope,
            budget,
            observer,
            successors: Successors::new(semantics, values, budget),
            partial_order: scope.reduction.then(|| PartialOrder::new(program, scope.goal)),
            findings,
        }
    }

    /// Searches until something is wrong, nothing is left, or it has to stop.
    pub(super) fn run(&mut self, values: &Values) -> End {
        match self.start(values).and_then(|()| self.expand_all()) {
            Ok(()) => End::Exhausted,
            Err(end) => end,
        }
    }

    fn start(&mut self, values: &Values) -> Result<(), End> {
        let Self { semantics, findings, scope, budget, .. } = self;
        let mut end = None;
        let complete = semantics.initial_states(values, budget, &mut |_, state| match findings
            .add(semantics, state, None)
        {
            Ok(_) => within_limits(findings, *scope, budget, &mut end),
            Err(ended) => {
                end = Some(ended);
                ControlFlow::Break(())
            }
        });
        match (end, complete) {
            (Some(end), _) => Err(end),
            (None, Ok(complete)) => {
                findings.sampled |= !complete;
                Ok(())
            }
            (None, Err(InitialStatesError::Precondition(error))) => {
                Err(End::Stopped(Reason::UndefinedPrecondition(error)))
            }
            (None, Err(InitialStatesError::Search(error))) => Err(stopped(error)),
        }
    }

    fn expand_all(&mut self) -> Result<(), End> {
        let mut state = State::default();
        let mut candidates = Vec::new();
        let mut level_end = self.findings.store.len();
        let mut index = 0;
        while let Some((id, bytes)) = self.findings.store.get(index) {
            if index == level_end {
                self.findings.depth += 1;
                level_end = self.findings.store.len();
            }
            if self.scope.max_depth.is_some_and(|limit| self.findings.depth >= limit) {
                return Ok(());
            }
            self.semantics.unpack(bytes, &mut state).expect("the store holds what was packed");
            if index.is_multiple_of(STATES_PER_REPORT) {
                self.budget.check_now().map_err(|reason| End::Stopped(Reason::Stopped(reason)))?;
                self.report(index);
            }
            match state.halted() {
                true => self.findings.note_waits(id, 0, false),
                false => self.expand(id, &state, &mut candidates)?,
            }
            index += 1;
        }
        self.report(index);
        Ok(())
    }

    /// Expands as many threads of a state as are needed.
    fn expand(&mut self, id: StateId, state: &State, candidates: &mut Vec<SlotSet>) -> Result<(), End> {
        let mut expansion = Expansion::default();
        if let Some(partial_order) = &mut self.partial_order {
            partial_order.candidates(self.semantics, state, candidates);
            for &cluster in candidates.iter() {
                for slot in state.slots().filter(|slot| cluster >> slot.index() & 1 == 1) {
                    self.expand_slot(id, state, slot, &mut expansion)?;
                }
                if expansion.leads_further {
                    self.findings.reduced = true;
                    self.note_waits(id, state, &expansion);
                    return Ok(());
                }
            }
        }
        for slot in state.slots() {
            self.expand_slot(id, state, slot, &mut expansion)?;
        }
        self.note_waits(id, state, &expansion);
        let stands_still = !expansion.can_move && !expansion.abandoned && expansion.waits;
        if self.scope.goal == Goal::Deadlock && stands_still && !expansion.uncertain {
            return Err(End::Violated(Found { at: id, last_step: vec![], violation: Violation::Deadlock }));
        }
        Ok(())
    }

    /// Keeps in mind who waits in a state, as far as it is known.
    fn note_waits(&mut self, id: StateId, state: &State, expansion: &Expansion) {
        if self.findings.waits.is_none() {
            return;
        }
        if state.slots().len() > MOST_THREADS {
            let why = format!("more than {MOST_THREADS} threads, and whether one of them waits for ever");
            self.findings.trouble.get_or_insert(Reason::GaveUp { engine: "explore", why });
        }
        let runs = |slot: &SlotId| self.semantics.status(state, *slot) == SlotStatus::Running;
        let running = state.slots().filter(runs).fold(0, |threads, slot| threads | bit(slot));
        let is_void = !expansion.leads_on && (expansion.abandoned || expansion.fails);
        self.findings.note_waits(id, running & !expansion.goes_on, is_void);
    }

    /// Adds all states to which one thread can step, unless that was done.
    fn expand_slot(
        &mut self,
        id: StateId,
        state: &State,
        slot: SlotId,
        expansion: &mut Expansion,
    ) -> Result<(), End> {
        let seen = bit(slot);
        if expansion.done & seen != 0 || self.semantics.status(state, slot) != SlotStatus::Running {
            return Ok(());
        }
        expansion.done |= seen;
        let Self { semantics, findings, scope, budget, .. } = self;
        let checks = semantics.program().checks();
        let mut end = None;
        let summary = self.successors.for_each(state, slot, &mut |step| {
            findings.transitions += 1;
            match step.reached {
                Reached::State(next) if scope.max_threads.is_some_and(|most| next.slots().len() > most) => {
                    expansion.leads_on = true;
                    findings.sampled = true;
                }
                Reached::State(next) => match findings.add(semantics, next, Some(id)) {
                    Ok(found) => {
                        expansion.leads_on = true;
                        expansion.leads_further |= found > id;
                        if let Some(waits) = &mut findings.waits {
                            waits.add_step(id, found);
                        }
                    }
                    Err(ended) => end = Some(ended),
                },
                Reached::Failure(check) if scope.goal.includes(checks[check].kind) => {
                    let taken = step.path().into_iter();
                    let last_step = taken
                        .map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices })
                        .collect();
                    end =
                        Some(End::Violated(Found { at: id, last_step, violation: Violation::Check(check) }));
                }
                Reached::Failure(_) => {}
            }
            within_limits(findings, *scope, budget, &mut end)
        });
        match end {
            Some(end) => Err(end),
            None => self.take_summary(slot, summary, expansion),
        }
    }

    fn take_summary(
        &mut self,
        slot: SlotId,
        summary: Result<Summary, SearchError>,
        expansion: &mut Expansion,
    ) -> Result<(), End> {
        match summary {
            Ok(summary) => {
                self.findings.sampled |= summary.incomplete;
                let (progress, certain) = summary.progress();
                expansion.can_move |= progress == ThreadProgress::CanMove;
                expansion.abandoned |= progress == ThreadProgress::Abandoned;
                expansion.waits |= progress == ThreadProgress::Waiting;
                expansion.fails |= summary.failed;
                if progress != ThreadProgress::Waiting {
                    expansion.goes_on |= bit(slot);
                }
                expansion.uncertain |= !certain;
                Ok(())
            }
            Err(SearchError::Step(error)) => {
                expansion.uncertain = true;
                self.findings.meets(error);
                Ok(())
            }
            Err(error @ SearchError::Stopped(_)) => Err(stopped(error)),
        }
    }

    fn report(&self, expanded: usize) {
        let findings = &self.findings;
        let states = findings.store.len();
        self.observer.progress(&Progress {
            activity: "exploring",
            counts: vec![
                ("states", states as u64),
                ("transitions", findings.transitions),
                ("frontier", (states - expanded) as u64),
                ("depth", findings.depth),
                ("bytes", findings.memory_bytes() as u64),
            ],
        });
    }
}

impl Findings {
    /// Adds a state that was reached; if it is new, it must satisfy the properties.
    fn add(
        &mut self,
        semantics: &Semantics<'_>,
        state: &State,
        parent: Option<StateId>,
    ) -> Result<StateId, End> {
        self.packed.clear();
        semantics.pack(state, &mut self.packed);
        match self.store.insert(&self.packed, parent) {
            Insertion::Known(id) => Ok(id),
            Insertion::Full => Err(End::Stopped(Reason::StateLimit(self.store.len() as u64))),
            Insertion::New(id) if !self.has_properties => Ok(id),
            Insertion::New(id) => match semantics.violated_property(state) {
                Ok(None) => Ok(id),
                Ok(Some(index)) => {
                    let violation = Violation::Property(index);
                    Err(End::Violated(Found { at: id, last_step: vec![], violation }))
                }
                Err(error) => {
                    self.trouble.get_or_insert(Reason::UndefinedProperty(error));
                    Ok(id)
                }
            },
        }
    }

    /// How much memory it takes to know all this.
    fn memory_bytes(&self) -> usize {
        self.store.memory_bytes() + self.waits.as_ref().map_or(0, Waits::memory_bytes)
    }

    fn note_waits(&mut self, state: StateId, waiting: SlotSet, is_void: bool) {
        if let Some(waits) = &mut self.waits {
            waits.add_state(state, waiting, is_void);
        }
    }

    fn meets(&mut self, error: StepError) {
        self.trouble.get_or_insert(Reason::NoMeaning(error));
    }
}

/// The set of one thread; empty if it has no place in such sets.
fn bit(slot: SlotId) -> SlotSet {
    1_u64.checked_shl(slot.index() as u32).unwrap_or(0)
}

/// Looks at the limits now and then while states are added.
fn within_limits(
    findings: &Findings,
    scope: Scope,
    budget: &Budget,
    end: &mut Option<End>,
) -> ControlFlow<()> {
    let states = findings.store.len();
    if end.is_none() && scope.max_states.is_some_and(|limit| states as u64 > limit) {
        *end = Some(End::Stopped(Reason::StateLimit(states as u64 - 1)));
    } else if end.is_none()
        && states.is_multiple_of(STATES_PER_MEASUREMENT)
        && let Err(reason) = budget.check_memory(findings.memory_bytes())
    {
        *end = Some(End::Stopped(Reason::Stopped(reason)));
    }
    if end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn stopped(error: SearchError) -> End {
    End::Stopped(match error {
        SearchError::Step(error) => Reason::NoMeaning(error),
        SearchError::Stopped(reason) => Reason::Stopped(reason),
    })
}
