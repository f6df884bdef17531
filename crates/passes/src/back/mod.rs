//! The way back: what is found out about the result of a pass, said about its input.
//!
//! Each pass is one stage. A stage knows, for every edge of the new program, the edges of the
//! old one that it stands for, and where each of their nondeterministic values comes from.
//! Stages compose by being applied one after the other, the last pass first.

use crate::choices::{choices, initial_cells};
use rely_program::race::Racer;
use rely_program::{
    CheckId, EdgeId, Expr, LocationId, Outcome, Place, Program, Semantics, State, ThreadId, Trace, TraceStep,
    Value, VarId, Violation,
};

use rely_base::{Arena, Id};
use rely_program::analysis::IdSet;
use rustc_hash::FxHashMap;

mod slots;
mod values;

pub(crate) use slots::SlotMap;
use slots::Slots;
pub(crate) use values::KnownValues;
pub use values::{Restored, VarValues};

/// Translates traces, locations and variables of the result of one or several passes to
/// those of the program that went in.
#[derive(Clone, Debug, Default)]
pub struct BackMap {
    /// In the order in which the passes ran.
    stages: Vec<Stage>,
    /// The passes that changed anything, in the order in which they first did. Some change nothing but expressions,
    /// and need no way back.
    changed_by: Vec<&'static str>,
}

/// The way back over one pass.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) edges: Arena<EdgeId, Vec<OldStep>>,
    pub(crate) locations: Arena<LocationId, LocationId>,
    pub(crate) vars: Arena<VarId, VarId>,
    /// For a variable that was a cell of an array: which one.
    pub(crate) cells: Arena<VarId, Option<usize>>,
    /// Where a variable stands for another old one than its own: by location and new variable.
    pub(crate) aliases: FxHashMap<(LocationId, VarId), VarId>,
    /// What is known of old variables while their thread is at a new location that was told apart.
    pub(crate) values: FxHashMap<LocationId, KnownValues>,
    pub(crate) threads: Arena<ThreadId, ThreadId>,
    pub(crate) checks: Arena<CheckId, CheckId>,
    pub(crate) properties: Vec<usize>,
    /// For each initial value of the old program.
    pub(crate) initial: Vec<ChoiceSource>,
    pub(crate) slots: SlotMap,
    /// For edges of threads that start further on: the old edge that leads there.
    pub(crate) first_steps: FxHashMap<EdgeId, EdgeId>,
    pub(crate) settling: Option<Settling>,
}

/// An edge of the old program that is (part of) an edge of the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OldStep {
    pub(crate) edge: EdgeId,
    pub(crate) choices: Vec<ChoiceSource>,
    /// The checks of the new edge that come from this part of it.
    pub(crate) checks: Vec<CheckId>,
}

/// Where a nondeterministic value of the old program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceSource {
    /// From the choice with this index of the same step (or of the initial state).
    Kept(usize),
    /// From the choice with this index of the initial state.
    Initial(usize),
    /// It does not matter; this is one of the possible values.
    Fixed(Value),
}

/// Steps that the new program takes together with a step that waits, or not at all, but the
/// old one before: where the new program is in a deadlock, the old one has yet to take them.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    pub(crate) program: Program,
    pub(crate) edges: IdSet<EdgeId>,
}

impl BackMap {
    /// The way back over no pass.
    pub fn identity() -> Self {
        Self::default()
    }

    pub(crate) fn stage(stage: Stage) -> Self {
        Self { stages: vec![stage], changed_by: Vec::new() }
    }

    /// The way back over these passes and the `later` ones, which ran on their result.
    pub fn then(mut self, later: BackMap) -> BackMap {
        self.stages.extend(later.stages);
        later.changed_by.into_iter().for_each(|pass| self.note(pass));
        self
    }

    /// Remembers that a pass has changed the program.
    pub(crate) fn note(&mut self, pass: &'static str) {
        if !self.changed_by.contains(&pass) {
            self.changed_by.push(pass);
        }
    }

    /// The passes that have changed anything, each once, in the order in which they first did. What is known of the
    /// new program is known of the old one only if these are right.
    pub fn changed_by(&self) -> &[&'static str] {
        &self.changed_by
    }

    /// The run of the old program for which a run of the new one stands. `None` if the trace
    /// is not one of the new program: it names threads or edges that are not there.
    ///
    /// If the trace can be replayed in the new program, so can the result in the old one.
    pub fn trace(&self, trace: &Trace) -> Option<Trace> {
        self.stages.iter().rev().try_fold(trace.clone(), |trace, stage| stage.trace(&trace))
    }

    /// The old location; that of a new edge's source or target.
    pub fn location(&self, location: LocationId) -> LocationId {
        self.stages.iter().rev().fold(location, |location, stage| stage.locations[location])
    }

    /// Where the value of a scalar was in the old program.
    pub fn place(&self, scalar: VarId) -> Place {
        let (mut var, mut cell) = (scalar, None);
        for stage in self.stages.iter().rev() {
            cell = cell.or(stage.cells[var]);
            var = stage.vars[var];
        }
        old_place(var, cell)
    }

    /// Where the value that a scalar has while its thread is at a location was in the old program.
    /// If the scalar is private and live there, the old place has that very value.
    pub fn place_at(&self, location: LocationId, scalar: VarId) -> Place {
        Self::place_before(&self.stages, location, scalar)
    }

    fn place_before(stages: &[Stage], mut location: LocationId, scalar: VarId) -> Place {
        let (mut var, mut cell) = (scalar, None);
        for stage in stages.iter().rev() {
            cell = cell.or(stage.cells[var]);
            var = stage.aliases.get(&(location, var)).copied().unwrap_or(stage.vars[var]);
            location = stage.locations[location];
        }
        old_place(var, cell)
    }

    /// The label of a new location before it got a number because there are several of it.
    pub(crate) fn label(&self, location: LocationId) -> Option<&str> {
        let mut at = location;
        for stage in self.stages.iter().rev() {
            if let Some(known) = stage.values.get(&at) {
                return known.label.as_deref();
            }
            at = stage.locations[at];
        }
        None
    }

    /// What is known of places of the old program whenever the thread of a new location is there,
    /// because a pass told locations apart by their values.
    pub fn values(&self, location: LocationId) -> Vec<(Place, Vec<Value>)> {
        let mut at = location;
        let mut known = Vec::new();
        for (number, stage) in self.stages.iter().enumerate().rev() {
            let here = stage.values.get(&at).map_or(&[][..], |known| &known.vars);
            at = stage.locations[at];
            let earlier = &self.stages[..number];
            known.extend(here.iter().map(|it| (Self::place_before(earlier, at, it.var), it.values.clone())));
        }
        known
    }

    /// The old variable; of what was a cell, the array.
    pub fn var(&self, var: VarId) -> VarId {
        self.stages.iter().rev().fold(var, |var, stage| stage.vars[var])
    }

    /// The old thread; several new ones may come from one template.
    pub fn thread(&self, thread: ThreadId) -> ThreadId {
        self.stages.iter().rev().fold(thread, |thread, stage| stage.threads[thread])
    }

    /// The old check; several new ones may come from one old one.
    pub fn check(&self, check: CheckId) -> CheckId {
        self.stages.iter().rev().fold(check, |check, stage| stage.checks[check])
    }

    /// The index of a property in the old program.
    pub fn property(&self, property: usize) -> usize {
        self.stages.iter().rev().fold(property, |property, stage| stage.properties[property])
    }

    /// The old edges for which a new edge stands, in the order in which they are taken.
    pub fn edges(&self, edge: EdgeId) -> Vec<EdgeId> {
        self.stages.iter().rev().fold(vec![edge], |edges, stage| {
            edges.iter().flat_map(|&edge| stage.edges[edge].iter().map(|step| step.edge)).collect()
        })
    }
}

fn old_place(var: VarId, cell: Option<usize>) -> Place {
    match cell {
        Some(cell) => Place::Element(var, Expr::int(cell as Value)),
        None => Place::Scalar(var),
    }
}

impl Stage {
    /// Whether every trace of the new program is one of the old program as it is. Most passes have nothing
    /// to do most of the time, and what leads back from that need not be kept.
    pub(crate) fn is_identity(&self, new: &Program) -> bool {
        fn all_same<I: Id>(map: &Arena<I, I>) -> bool {
            map.iter().all(|(new, old)| new == *old)
        }
        let all_kept = |sources: &[ChoiceSource], count: usize| {
            let mut numbered = sources.iter().enumerate();
            sources.len() == count && numbered.all(|(index, source)| *source == ChoiceSource::Kept(index))
        };
        let is_same_step = |(id, steps): (EdgeId, &Vec<OldStep>)| match steps.as_slice() {
            [step] => step.edge == id && all_kept(&step.choices, choices(new, &new.edges()[id].ops).len()),
            _ => false,
        };
        self.aliases.is_empty()
            && self.values.is_empty()
            && self.first_steps.is_empty()
            && self.settling.is_none()
            && self.cells.values().all(Option::is_none)
            && self.properties.iter().enumerate().all(|(new, old)| new == *old)
            && (all_same(&self.locations) && all_same(&self.vars))
            && (all_same(&self.threads) && all_same(&self.checks))
            && self.slots.is_identity()
            && all_kept(&self.initial, initial_cells(new).len())
            && self.edges.iter().all(is_same_step)
    }

    fn trace(&self, trace: &Trace) -> Option<Trace> {
        let initial =
            self.initial.iter().map(|source| source.value(&trace.initial, trace)).collect::<Option<_>>()?;
        let violation = self.violation(trace.violation)?;
        let mut slots = self.slots.start();
        let mut steps = Vec::new();
        let mut moved = IdSet::new();
        let mut stem = 0;
        let again = self.first_round(trace);
        let count = trace.steps.len() + again.len();
        for (index, step) in trace.steps.iter().chain(again).enumerate() {
            let is_last = index + 1 == count;
            if trace.violation == Violation::Lasso(count - index) {
                stem = steps.len();
            }
            let mut parts = self.edges.get(step.edge)?.as_slice();
            if let (Violation::Check(check), true) = (trace.violation, is_last) {
                let failing = parts.iter().position(|part| part.checks.contains(&check))?;
                parts = &parts[..=failing];
            }
            let slot = slots.old_slot(step.slot)?;
            if let (Some(&edge), true) = (self.first_steps.get(&step.edge), moved.insert(step.slot)) {
                steps.push(TraceStep { slot, edge, choices: Vec::new() });
            }
            for part in parts {
                let choices = part
                    .choices
                    .iter()
                    .map(|source| source.value(&step.choices, trace))
                    .collect::<Option<_>>()?;
                steps.push(TraceStep { slot, edge: part.edge, choices });
            }
            slots.follow(step.edge);
        }
        let violation = match violation {
            Violation::Race(racers) => self.race(racers, &slots)?,
            Violation::Lasso(_) => Violation::Lasso(steps.len() - stem),
            other => other,
        };
        let mut old = Trace { initial, steps, violation };
        if let (Violation::Deadlock, Some(settling)) = (trace.violation, &self.settling) {
            settling.settle(&mut old);
        }
        Some(old)
    }

    /// The steps of a loop that have to be made once more: some thread begins in it, and what it does first is not done
    /// again.
    fn first_round<'t>(&self, trace: &'t Trace) -> &'t [TraceStep] {
        let Violation::Lasso(repeated) = trace.violation else { return &[] };
        let Some(stem) = trace.steps.len().checked_sub(repeated) else { return &[] };
        let (before, round) = trace.steps.split_at(stem);
        let begins = |step: &TraceStep| {
            self.first_steps.contains_key(&step.edge) && !before.iter().any(|other| other.slot == step.slot)
        };
        if round.iter().any(begins) { round } else { &[] }
    }

    fn violation(&self, violation: Violation) -> Option<Violation> {
        Some(match violation {
            Violation::Check(check) => Violation::Check(*self.checks.get(check)?),
            Violation::Property(index) => Violation::Property(*self.properties.get(index)?),
            Violation::Deadlock => Violation::Deadlock,
            // Who that was is known at the end.
            Violation::Race(racers) => Violation::Race(racers),
            // How many steps are repeated is known at the end.
            Violation::Lasso(repeated) => Violation::Lasso(repeated),
        })
    }

    /// The racers at the end of a trace. Each is about to take the first part of its edge.
    fn race(&self, racers: [Racer; 2], slots: &Slots<'_>) -> Option<Violation> {
        let [first, second] = racers.map(|Racer { slot, edge }| {
            let edge = self.edges.get(edge)?.first()?.edge;
            Some(Racer { slot: slots.old_slot(slot)?, edge })
        });
        Some(Violation::Race([first?, second?]))
    }
}

impl ChoiceSource {
    fn value(self, choices: &[Value], trace: &Trace) -> Option<Value> {
        match self {
            ChoiceSource::Kept(index) => choices.get(index).copied(),
            ChoiceSource::Initial(index) => trace.initial.get(index).copied(),
            ChoiceSource::Fixed(value) => Some(value),
        }
    }
}

impl Settling {
    /// Lets every thread take the steps that lead it to where it waits. They are local and
    /// leave no choice, so neither their order nor anything else matters. A trace that cannot
    /// be replayed stays as it is: whoever checks it will say so.
    fn settle(&self, trace: &mut Trace) {
        let semantics = Semantics::new(&self.program);
        let Some(mut state) = replay(&semantics, trace) else { return };
        for slot in state.slots() {
            // No edge is taken twice on such a way; the bound is for traces that are none.
            for _ in self.edges.iter() {
                let Some((edge, next)) = self.settling_step(&semantics, &state, slot) else { break };
                trace.steps.push(TraceStep { slot, edge, choices: Vec::new() });
                state = next;
            }
        }
    }

    fn settling_step(
        &self,
        semantics: &Semantics<'_>,
        state: &State,
        slot: rely_program::SlotId,
    ) -> Option<(EdgeId, State)> {
        let edges = self.program.outgoing(state.location(slot)?).iter();
        edges.filter(|edge| self.edges.contains(**edge)).find_map(|&edge| {
            match semantics.step(state, slot, edge, &[]) {
                Ok(Outcome::Moved(next)) => Some((edge, next)),
                _ => None,
            }
        })
    }
}

fn replay(semantics: &Semantics<'_>, trace: &Trace) -> Option<State> {
    let mut state = semantics.initial(&trace.initial).ok()?;
    for step in &trace.steps {
        match semantics.step_in_place(&mut state, step.slot, step.edge, &step.choices) {
            Ok(Outcome::Moved(())) => {}
            _ => return None,
        }
    }
    Some(state)
}
