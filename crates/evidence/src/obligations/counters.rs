//! Numbers of threads in obligations: how many there are before and after a step.
//!
//! A counter is a variable of the logic. Of an instance it is 0 or 1, by where the instance stands. What is known of counters in a state from which a thread takes an edge: this
//! thread is counted where it is; nobody is counted where the proof has no assertion, and nobody
//! but the thread that acts inside an atomic block. See [`crate::counting`] for the rule.

use super::encode::{Role, Values};
use super::points::{is_atomic, is_instance};
use super::step::Step;
use super::{Generator, Reading};
use crate::data::{ControlPoint, Counter, Invariant, InvariantPrinter, Quantity};
use rely_logic::{Integer, TermId};
use rely_program::{EdgeId, LocationId, ThreadId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The value of each counter that the invariants mention.
pub(crate) type CountTerms = FxHashMap<Counter, TermId>;

/// The counters of a proof and their variables.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    variables: FxHashMap<Counter, TermId>,
    /// What the invariants mention, and for each location with a condition also all threads there.
    pub(crate) mentioned: Rc<[Counter]>,
}

impl Counters {
    pub(crate) fn new(invariants: &[Invariant]) -> Self {
        let mut mentioned: Vec<Counter> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for counter in invariants.iter().flat_map(Invariant::counters) {
            for counter in [Counter::at(counter.location), counter.clone()] {
                if seen.insert(counter.clone()) {
                    mentioned.push(counter);
                }
            }
        }
        Self { variables: FxHashMap::default(), mentioned: mentioned.into() }
    }

    /// The classes that are told apart at a location.
    pub(crate) fn at(&self, location: LocationId) -> Vec<Counter> {
        let here = self.mentioned.iter().filter(|at| at.location == location && !at.having.is_empty());
        here.cloned().collect()
    }

    /// The locations whose threads are counted.
    pub(crate) fn locations(&self) -> Vec<LocationId> {
        let mut locations: Vec<LocationId> = self.mentioned.iter().map(|counter| counter.location).collect();
        locations.sort_unstable();
        locations.dedup();
        locations
    }
}

/// What is known of a state behind a step.
pub(crate) struct Behind {
    pub(crate) counts: CountTerms,
    /// Of counters whose condition a step may have changed: how many of those are counted that
    /// stood there before and still do.
    pub(crate) stayed: Vec<(Counter, TermId)>,
    pub(crate) values: Values,
    /// The invariants.
    pub(crate) formulas: Vec<TermId>,
}

/// The thread in a role, and the values that it sees.
#[derive(Clone, Copy)]
pub(crate) struct Counted<'c> {
    pub(crate) thread: ThreadId,
    pub(crate) role: Role,
    pub(crate) values: &'c Values,
}

impl Generator<'_> {
    /// How many threads stand at a location after a step, whether the invariants mention it or not.
    pub(crate) fn location_count_after(&mut self, location: LocationId, edge: EdgeId, step: &Step) -> TermId {
        let (counts, stayed, values) = (CountTerms::default(), Vec::new(), step.after.clone());
        let mut behind = Behind { counts, stayed, values, formulas: Vec::new() };
        self.count_after(&Counter::at(location), edge, step, &mut behind)
    }

    pub(crate) fn count_in_state(&mut self, counter: &Counter, ended: bool) -> TermId {
        let program = self.outline.program;
        let thread = program.locations()[counter.location].thread;
        if is_instance(program, thread) {
            self.count_of_instance(counter, thread, &Values::default())
        } else if self.is_empty(counter.location)
            || ended && counter.location != program.threads()[thread].exit
        {
            self.encoder.constant(0)
        } else {
            self.counter(counter)
        }
    }

    /// Whether no thread of a template is ever seen at a location by others.
    fn is_empty(&self, location: LocationId) -> bool {
        let program = self.outline.program;
        let (thread, point) = (program.locations()[location].thread, ControlPoint::At(location));
        is_atomic(program, point) || self.outline.at(thread, point).is_empty()
    }

    pub(crate) fn counts_before(&mut self, edge: EdgeId) -> CountTerms {
        let mut counts = CountTerms::default();
        for counter in Rc::clone(&self.counters.mentioned).iter() {
            let count = self.count_before(counter, edge);
            counts.insert(counter.clone(), count);
        }
        counts
    }

    /// How many are counted in a state in which a thread is about to take an edge.
    fn count_before(&mut self, counter: &Counter, edge: EdgeId) -> TermId {
        let program = self.outline.program;
        let (actor, thread) = (self.outline.actor(edge), program.locations()[counter.location].thread);
        let unchanged = Values::default();
        if is_instance(program, thread) && thread != actor {
            return self.count_of_instance(counter, thread, &unchanged);
        }
        // The thread that acts is then the only one that can be here.
        if is_instance(program, thread) || self.is_empty(counter.location) {
            return if program.edges()[edge].source == counter.location {
                self.is_counted(counter, Counted { thread, role: Role::ACTOR, values: &unchanged })
            } else {
                self.encoder.constant(0)
            };
        }
        self.counter(counter)
    }

    pub(crate) fn count_after(
        &mut self,
        counter: &Counter,
        edge: EdgeId,
        step: &Step,
        behind: &mut Behind,
    ) -> TermId {
        let program = self.outline.program;
        let thread = program.locations()[counter.location].thread;
        if is_instance(program, thread) {
            return match step.arrival(thread) {
                Some(number)
                    if self.outline.numbers.point(thread, number) == ControlPoint::At(counter.location) =>
                {
                    self.is_counted(counter, Counted { thread, role: Role::ACTOR, values: &behind.values })
                }
                Some(_) => self.encoder.constant(0),
                None => self.count_of_instance(counter, thread, &behind.values),
            };
        }
        let remaining = self.remaining(counter, edge, step, behind);
        let mut parts = vec![(remaining, Integer::from(1))];
        if program.edges()[edge].target == counter.location {
            let actor = Counted { thread, role: Role::ACTOR, values: &behind.values };
            parts.push((self.is_counted(counter, actor), Integer::from(1)));
        }
        if program.threads()[thread].entry == counter.location {
            for &(_, role) in step.created.iter().filter(|(created, _)| *created == thread) {
                let new = Counted { thread, role, values: &behind.values };
                parts.push((self.is_counted(counter, new), Integer::from(1)));
            }
        }
        self.encoder.pool.sum(parts, Integer::from(0))
    }

    /// How many threads of a template are counted after the step that stood there before, the one
    /// that acts not included.
    fn remaining(&mut self, counter: &Counter, edge: EdgeId, step: &Step, behind: &mut Behind) -> TermId {
        let is_source = self.outline.program.edges()[edge].source == counter.location;
        if self.is_disturbed(counter, step) {
            let all = self.count_before(&Counter::at(counter.location), edge);
            let own = self.encoder.constant(is_source.into());
            let others = self.encoder.pool.sub(all, own);
            let zero = self.encoder.constant(0);
            let stayed = self.encoder.new_variable("stayed");
            let bounds = vec![self.encoder.pool.ge(stayed, zero), self.encoder.pool.le(stayed, others)];
            self.encoder.define(stayed, bounds);
            behind.stayed.push((counter.clone(), stayed));
            return stayed;
        }
        let before = self.count_before(counter, edge);
        if !is_source {
            return before;
        }
        let unchanged = Values::default();
        let actor = Counted { thread: self.outline.actor(edge), role: Role::ACTOR, values: &unchanged };
        let own = self.is_counted(counter, actor);
        self.encoder.pool.sub(before, own)
    }

    /// Whether a step may change the condition of threads that it does not move.
    fn is_disturbed(&self, counter: &Counter, step: &Step) -> bool {
        let quantities = counter.having.iter().flat_map(|atom| &atom.terms).map(|(_, quantity)| quantity);
        quantities.into_iter().any(|quantity| match *quantity {
            Quantity::Handle => false,
            Quantity::Cell { var, index, .. } => step.changes(self.encoder.cell(var, index, Role::BYSTANDER)),
        })
    }

    /// Different threads of a template stand at a location where others can be.
    pub(crate) fn presence(&mut self, location: LocationId, present: &[Counted<'_>]) -> Vec<TermId> {
        let thread = self.outline.program.locations()[location].thread;
        if is_instance(self.outline.program, thread) || self.is_empty(location) {
            return Vec::new();
        }
        let mut formulas = Vec::new();
        for counter in Rc::clone(&self.counters.mentioned).iter().filter(|at| at.location == location) {
            let mut known = Vec::with_capacity(present.len());
            for &thread in present {
                known.push((self.is_counted(counter, thread), Integer::from(1)));
            }
            let known = self.encoder.pool.sum(known, Integer::from(0));
            let count = self.counter(counter);
            formulas.push(self.encoder.pool.ge(count, known));
            // Of the others that stand here, no more are counted than there are.
            if !counter.having.is_empty() {
                let all = self.counter(&Counter::at(location));
                let number = self.encoder.constant(present.len() as i128);
                let pool = &mut self.encoder.pool;
                let (counted, others) = (pool.sub(count, known), pool.sub(all, number));
                formulas.push(pool.le(counted, others));
            }
        }
        formulas
    }

    /// The variable for a counter of threads of a template.
    pub(crate) fn counter(&mut self, counter: &Counter) -> TermId {
        if let Some(&known) = self.counters.variables.get(counter) {
            return known;
        }
        let variable = self.counter_variable(counter);
        let zero = self.encoder.constant(0);
        let mut bounds = vec![self.encoder.pool.ge(variable, zero)];
        if !counter.having.is_empty() {
            let all = self.counter(&Counter::at(counter.location));
            bounds.push(self.encoder.pool.le(variable, all));
        }
        self.encoder.define_counter(variable, bounds);
        variable
    }

    /// 1 if an instance is counted, otherwise 0.
    fn count_of_instance(&mut self, counter: &Counter, thread: ThreadId, values: &Values) -> TermId {
        let here = self.outline.numbers.single(thread, ControlPoint::At(counter.location));
        let is_here = self.encoder.stands_in(thread, &here);
        if counter.having.is_empty() && self.encoder.pool.as_truth(is_here).is_none() {
            return self.presence_of_instance(counter, is_here);
        }
        let reading = Reading { thread, role: Role::ACTOR, before: values, after: values };
        let mut conditions = self.read(&counter.having, reading);
        conditions.push(is_here);
        let is_counted = self.encoder.pool.and(conditions);
        self.encoder.number(is_counted)
    }

    /// A variable that is 1 if an instance is at a location, otherwise 0. With its bounds, sums of such
    /// numbers can be compared without knowing where anybody is.
    fn presence_of_instance(&mut self, counter: &Counter, is_here: TermId) -> TermId {
        if let Some(&known) = self.counters.variables.get(counter) {
            return known;
        }
        let variable = self.counter_variable(counter);
        let (zero, one) = (self.encoder.constant(0), self.encoder.constant(1));
        let pool = &mut self.encoder.pool;
        let elsewhere = pool.not(is_here);
        let (is_none, is_one) = (pool.le(variable, zero), pool.ge(variable, one));
        let meaning = [pool.or([elsewhere, is_one]), pool.or([is_here, is_none])];
        let bounds = [pool.ge(variable, zero), pool.le(variable, one)];
        self.encoder.define_counter(variable, bounds.into_iter().chain(meaning).collect());
        variable
    }

    /// A new variable for a counter.
    fn counter_variable(&mut self, counter: &Counter) -> TermId {
        let name = InvariantPrinter::new(self.outline.program).counter(counter);
        let variable = self.encoder.new_variable(&name);
        self.counters.variables.insert(counter.clone(), variable);
        variable
    }

    /// 1 if a thread at the location is counted, otherwise 0.
    pub(crate) fn is_counted(&mut self, counter: &Counter, counted: Counted<'_>) -> TermId {
        let Counted { thread, role, values } = counted;
        let reading = Reading { thread, role, before: values, after: values };
        let conditions = self.read(&counter.having, reading);
        let is_counted = self.encoder.pool.and(conditions);
        self.encoder.number(is_counted)
    }

    /// The condition of a counter, of a thread of a template.
    pub(crate) fn condition_of_counter(&mut self, counter: &Counter, role: Role) -> Vec<TermId> {
        let thread = self.outline.program.locations()[counter.location].thread;
        let values = Values::default();
        self.read(&counter.having, Reading { thread, role, before: &values, after: &values })
    }
}
