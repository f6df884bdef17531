//! States in which threads of templates are only counted, and their steps.

use super::failure::Failure;
use super::live::Live;
use rely_base::{Budget, Id, define_id};
use rely_program::{
    AllValues, Goal, LocationId, Program, Reached, SearchError, Semantics, SlotId, SlotStatus, State,
    Successors, ThreadId, ThreadKind, Value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

define_id!(
    /// A local state of a thread of a template.
    pub(super) struct LocalId
);

/// Where a thread of a template stands, with the values of its locals; zero where they do not
/// matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Local {
    pub(super) thread: ThreadId,
    pub(super) location: LocationId,
    pub(super) values: Vec<Value>,
}

/// How many threads there are at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Count {
    Exactly(u32),
    AnyNumber,
}

impl Count {
    fn one_more(self) -> Self {
        match self {
            Count::Exactly(count) => Count::Exactly(count.saturating_add(1)),
            Count::AnyNumber => Count::AnyNumber,
        }
    }
}

/// All states with these globals and instances, and at most as many threads of templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OmegaConfiguration {
    /// Without threads of templates.
    pub(super) base: State,
    /// No entry is zero.
    pub(super) counts: BTreeMap<LocalId, Count>,
}

impl OmegaConfiguration {
    /// Whether the other one has no threads that this one has not.
    pub(super) fn covers(&self, other: &OmegaConfiguration) -> bool {
        self.base == other.base
            && other
                .counts
                .iter()
                .all(|(local, count)| self.counts.get(local).is_some_and(|own| own >= count))
    }

    /// Assumes of all threads that `earlier`, which led here, has fewer of, that there is any
    /// number of them. Whether something has changed.
    pub(super) fn accelerate(&mut self, earlier: &OmegaConfiguration) -> bool {
        if !self.covers(earlier) {
            return false;
        }
        let mut changed = false;
        for (local, count) in &mut self.counts {
            let grew = earlier.counts.get(local).is_none_or(|before| before < count);
            changed |= grew && *count != Count::AnyNumber;
            if grew {
                *count = Count::AnyNumber;
            }
        }
        changed
    }

    fn add(&mut self, local: LocalId) {
        let count = self.counts.entry(local).or_insert(Count::Exactly(0));
        *count = count.one_more();
    }

    fn take(&mut self, local: LocalId) {
        match self.counts.get_mut(&local) {
            Some(Count::Exactly(count)) if *count > 1 => *count -= 1,
            Some(Count::Exactly(_)) => {
                self.counts.remove(&local);
            }
            Some(Count::AnyNumber) | None => {}
        }
    }
}

/// All local states that were seen.
#[derive(Debug, Default)]
pub(super) struct Locals {
    list: Vec<Local>,
    numbers: FxHashMap<Local, LocalId>,
}

impl Locals {
    pub(super) fn get(&self, local: LocalId) -> &Local {
        &self.list[local.index()]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (LocalId, &Local)> {
        self.list.iter().enumerate().map(|(index, local)| (LocalId::from_index(index), local))
    }

    fn number(&mut self, local: Local) -> LocalId {
        if let Some(&known) = self.numbers.get(&local) {
            return known;
        }
        let id = LocalId::from_index(self.list.len());
        self.list.push(local.clone());
        self.numbers.insert(local, id);
        id
    }
}

/// Finds the steps of omega configurations.
pub(super) struct Steps<'a, 'p> {
    program: &'p Program,
    semantics: &'a Semantics<'p>,
    goal: Goal,
    successors: Successors<'a, 'p>,
    /// Domains with more values than this are not enumerated.
    most_values: u128,
    instances: usize,
    pub(super) live: Live,
    pub(super) locals: Locals,
}

impl<'a, 'p> Steps<'a, 'p> {
    pub(super) fn new(
        semantics: &'a Semantics<'p>,
        goal: Goal,
        most_values: u128,
        budget: &'a Budget,
    ) -> Self {
        let program = semantics.program();
        let is_instance = |thread: &&rely_program::Thread| thread.kind != ThreadKind::Template;
        Self {
            program,
            semantics,
            goal,
            successors: Successors::new(semantics, &AllValues { limit: most_values }, budget),
            most_values,
            instances: program.threads().values().filter(is_instance).count(),
            live: Live::new(program),
            locals: Locals::default(),
        }
    }

    /// The omega configurations with which the program can begin.
    pub(super) fn initial(&self, budget: &Budget) -> Result<Vec<OmegaConfiguration>, Failure> {
        let mut configurations = Vec::new();
        let all = AllValues { limit: self.most_values };
        let complete = self.semantics.initial_states(&all, budget, &mut |_, state| {
            configurations.push(OmegaConfiguration { base: state.clone(), counts: BTreeMap::new() });
            ControlFlow::Continue(())
        });
        match complete {
            Ok(true) => Ok(configurations),
            Ok(false) => Err(Failure::TooManyChoices),
            Err(_) => Err(Failure::NoMeaning),
        }
    }

    /// The omega configurations to which a step leads.
    pub(super) fn of(
        &mut self,
        configuration: &OmegaConfiguration,
    ) -> Result<Vec<OmegaConfiguration>, Failure> {
        let mut reached = Vec::new();
        for slot in configuration.base.slots() {
            if self.semantics.status(&configuration.base, slot) == SlotStatus::Running {
                self.steps(configuration, None, &configuration.base, slot, &mut reached)?;
            }
        }
        for &local in configuration.counts.keys() {
            let Local { thread, location, values } = self.locals.get(local);
            let state =
                configuration.base.with_templates(self.instances, [(*thread, *location, values.as_slice())]);
            self.steps(configuration, Some(local), &state, SlotId::from_index(self.instances), &mut reached)?;
        }
        Ok(reached)
    }

    /// Adds the omega configurations to which one thread leads: an instance, or one of those in a local state.
    fn steps(
        &mut self,
        configuration: &OmegaConfiguration,
        actor: Option<LocalId>,
        state: &State,
        slot: SlotId,
        reached: &mut Vec<OmegaConfiguration>,
    ) -> Result<(), Failure> {
        let Self { program, goal, successors, instances, live, locals, .. } = self;
        let mut fails = false;
        let searched = successors.for_each(state, slot, &mut |step| {
            match step.reached {
                Reached::State(next) if !next.halted() => {
                    let mut after = configuration.clone();
                    after.base = next.with_templates(*instances, []);
                    actor.iter().for_each(|&local| after.take(local));
                    for slot in next.slots().skip(*instances) {
                        if let Some(local) = local_state(program, live, next, slot) {
                            after.add(locals.number(local));
                        }
                    }
                    reached.push(after);
                }
                Reached::State(_) => {}
                Reached::Failure(check) => fails |= goal.includes(program.checks()[check].kind),
            }
            if fails { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match searched {
            _ if fails => Err(Failure::Violation),
            Ok(summary) if summary.incomplete => Err(Failure::TooManyChoices),
            Ok(_) => Ok(()),
            Err(SearchError::Stopped(reason)) => Err(Failure::Stopped(reason)),
            Err(SearchError::Step(_)) => Err(Failure::NoMeaning),
        }
    }
}

/// The local state of a thread of a template; `None` if it has ended.
fn local_state(program: &Program, live: &Live, state: &State, slot: SlotId) -> Option<Local> {
    let thread = state.thread(slot);
    let location = state.location(slot)?;
    if location == program.threads()[thread].exit {
        return None;
    }
    let cells = live.cells(program, thread, location).zip(state.locals(slot));
    let values = cells.map(|((_, _, matters), &value)| if matters { value } else { 0 }).collect();
    Some(Local { thread, location, values })
}
