//! Counting invariants in obligations: that they hold, and what they say to those who use them. See
//! [`crate::counting`] for the rule.

use super::counters::{Behind, CountTerms, Counted};
use super::encode::{Role, Values};
use super::points::{is_atomic, is_instance};
use super::sequent::{GoalCube, Sequent};
use super::step::Step;
use super::{Generator, Sink, StatedCube, initial_point, taken};
use crate::data::{ControlPoint, Invariant, Rule, Subject, Summand};
use rely_logic::{Integer, TermId};
use rely_program::{EdgeId, LocationId, ThreadId};
use std::rc::Rc;

/// What a thread that looks on sees of a step along an edge.
pub(crate) struct View {
    pub(crate) edge: EdgeId,
    /// The values after it.
    pub(crate) seen: Values,
    /// What is known of counters after it, if any are used.
    pub(crate) behind: Option<Behind>,
}

impl Generator<'_> {
    /// The invariants hold initially.
    pub(crate) fn invariants_initially<S: Sink>(
        &mut self,
        known: &Sequent,
        values: &Values,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let mut counts = CountTerms::default();
        for counter in Rc::clone(&self.counters.mentioned).iter() {
            let thread = program.locations()[counter.location].thread;
            let is_here = is_instance(program, thread)
                && initial_point(program, thread) == ControlPoint::At(counter.location);
            let count = if is_here {
                self.is_counted(counter, Counted { thread, role: Role::ACTOR, values })
            } else {
                self.encoder.constant(0)
            };
            counts.insert(counter.clone(), count);
        }
        for (index, invariant) in self.invariants().iter().enumerate() {
            let goal = self.invariant_goal(invariant, &counts, values);
            let subject = Subject::new(Rule::InvariantInitially).of_invariant(index);
            self.give(sink, Sequent { subject, goal, ..known.clone() })?;
        }
        Ok(())
    }

    /// What is known of counters when an edge is taken: the invariants, and that the thread that
    /// takes it is counted. Nothing, if there are no invariants.
    pub(crate) fn counted_before(&mut self, edge: EdgeId) -> Vec<TermId> {
        if self.invariants().is_empty() {
            return Vec::new();
        }
        let (counts, unchanged) = (self.counts_before(edge), Values::default());
        let mut formulas = self.invariant_formulas(&counts, &unchanged);
        let source = self.outline.program.edges()[edge].source;
        let actor = Counted { thread: self.outline.actor(edge), role: Role::ACTOR, values: &unchanged };
        formulas.extend(self.presence(source, &[actor]));
        formulas
    }

    /// Every invariant that the step may change holds after it.
    pub(crate) fn invariants_after<S: Sink>(
        &mut self,
        edge: EdgeId,
        step: &Step,
        stated: &[StatedCube],
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        if self.invariants().is_empty() {
            return Ok(());
        }
        let behind = self.behind(edge, step, &step.after);
        let before = self.counts_before(edge);
        let source = ControlPoint::At(self.outline.program.edges()[edge].source);
        let actor = self.outline.actor(edge);
        for (index, invariant) in self.invariants().iter().enumerate() {
            if !self.is_affected(invariant, step, &before, &behind) {
                sink.obvious(stated.len() as u64);
                continue;
            }
            let goal = self.invariant_goal(invariant, &behind.counts, &behind.values);
            let subject = Subject::new(Rule::InvariantStep).at(actor, source).along(edge).of_invariant(index);
            for cube in stated {
                let known = taken(step, cube, subject);
                self.give(sink, Sequent { goal: Rc::clone(&goal), ..known })?;
            }
        }
        Ok(())
    }

    fn is_affected(&self, invariant: &Invariant, step: &Step, before: &CountTerms, behind: &Behind) -> bool {
        invariant.summands().any(|summand| match summand {
            Summand::Cell { var, index } => step.changes(self.encoder.cell(*var, *index, Role::ACTOR)),
            Summand::Count(counter) => before.get(counter) != behind.counts.get(counter),
        })
    }

    /// The state after a step in which cells have some values.
    pub(crate) fn behind(&mut self, edge: EdgeId, step: &Step, values: &Values) -> Behind {
        let mut values = values.clone();
        for (&cell, &value) in &step.after {
            values.entry(cell).or_insert(value);
        }
        let (counts, stayed) = (CountTerms::default(), Vec::new());
        let mut behind = Behind { counts, stayed, values, formulas: Vec::new() };
        for counter in Rc::clone(&self.counters.mentioned).iter() {
            let count = self.count_after(counter, edge, step, &mut behind);
            behind.counts.insert(counter.clone(), count);
        }
        behind.formulas = self.invariant_formulas(&behind.counts, &behind.values);
        behind
    }

    /// What is known of counters because a thread of a template stands at a location while another
    /// one takes an edge.
    pub(crate) fn bystander_presence(
        &mut self,
        edge: EdgeId,
        bystander: (ThreadId, LocationId),
        behind: &Behind,
    ) -> Vec<TermId> {
        let (thread, location) = bystander;
        if is_instance(self.outline.program, thread) {
            return Vec::new();
        }
        let unchanged = Values::default();
        let looking_on = Counted { thread, role: Role::BYSTANDER, values: &unchanged };
        let actor = Counted { thread: self.outline.actor(edge), role: Role::ACTOR, values: &unchanged };
        let mut formulas = match self.outline.program.edges()[edge].source == location {
            true => self.presence(location, &[actor, looking_on]),
            false => self.presence(location, &[looking_on]),
        };
        for (counter, stayed) in behind.stayed.iter().filter(|(counter, _)| counter.location == location) {
            let is_counted = self.is_counted(counter, Counted { values: &behind.values, ..looking_on });
            formulas.push(self.encoder.pool.ge(*stayed, is_counted));
        }
        formulas
    }

    /// The invariants in any state in which no thread is inside an atomic block; of one in which
    /// all threads have `ended`.
    pub(crate) fn invariants_in_state(&mut self, ended: bool) -> Vec<TermId> {
        let mut counts = CountTerms::default();
        for counter in Rc::clone(&self.counters.mentioned).iter() {
            let count = self.count_in_state(counter, ended);
            counts.insert(counter.clone(), count);
        }
        self.invariant_formulas(&counts, &Values::default())
    }

    /// The invariants in a state in which two threads are in front of two edges. If one of them is inside of an atomic
    /// block, they are not needed.
    pub(crate) fn counted_in_front_of(&mut self, [edge, other]: [EdgeId; 2]) -> Vec<TermId> {
        let program = self.outline.program;
        let source = |edge: EdgeId| program.edges()[edge].source;
        let is_inside = |edge: &EdgeId| is_atomic(program, ControlPoint::At(source(*edge)));
        if self.invariants().is_empty() || [edge, other].iter().any(is_inside) {
            return Vec::new();
        }
        let unchanged = Values::default();
        let standing = [(edge, Role::ACTOR), (other, Role::BYSTANDER)].map(|(edge, role)| {
            (Counted { thread: self.outline.actor(edge), role, values: &unchanged }, source(edge))
        });
        let mut counts = CountTerms::default();
        for counter in Rc::clone(&self.counters.mentioned).iter() {
            let thread = program.locations()[counter.location].thread;
            let known =
                standing.iter().find(|(counted, _)| counted.thread == thread && is_instance(program, thread));
            let count = match known {
                Some((counted, at)) if *at == counter.location => self.is_counted(counter, *counted),
                Some(_) => self.encoder.constant(0),
                None => self.count_in_state(counter, false),
            };
            counts.insert(counter.clone(), count);
        }
        let mut formulas = self.invariant_formulas(&counts, &unchanged);
        let [(one, here), (two, there)] = standing;
        match here == there {
            true => formulas.extend(self.presence(here, &[one, two])),
            false => {
                formulas.extend(self.presence(here, &[one]));
                formulas.extend(self.presence(there, &[two]));
            }
        }
        formulas
    }

    /// The cubes of an invariant, as conjunctions.
    fn invariant_cubes(
        &mut self,
        invariant: &Invariant,
        counts: &CountTerms,
        values: &Values,
    ) -> Vec<Vec<TermId>> {
        let mut cubes = Vec::with_capacity(invariant.cubes.len());
        for cube in &invariant.cubes {
            let mut atoms = Vec::with_capacity(cube.len());
            for atom in cube {
                let mut terms = Vec::with_capacity(atom.terms.len());
                for (factor, summand) in &atom.terms {
                    let term = match summand {
                        Summand::Cell { var, index } => {
                            let cell = self.encoder.cell(*var, *index, Role::ACTOR);
                            self.encoder.value(cell, values)
                        }
                        Summand::Count(counter) => counts[counter],
                    };
                    terms.push((term, Integer::from(*factor)));
                }
                atoms.push(self.encoder.comparison_with_zero(terms, atom.constant, atom.comparison));
            }
            cubes.push(atoms);
        }
        cubes
    }

    fn invariant_formulas(&mut self, counts: &CountTerms, values: &Values) -> Vec<TermId> {
        let mut formulas = Vec::with_capacity(self.invariants().len());
        for invariant in self.invariants() {
            let cubes = self.invariant_cubes(invariant, counts, values);
            let pool = &mut self.encoder.pool;
            let cases: Vec<TermId> = cubes.into_iter().map(|cube| pool.and(cube)).collect();
            formulas.push(pool.or(cases));
        }
        formulas
    }

    fn invariant_goal(
        &mut self,
        invariant: &Invariant,
        counts: &CountTerms,
        values: &Values,
    ) -> Rc<[GoalCube]> {
        let cubes = self.invariant_cubes(invariant, counts, values);
        let encoder = &mut self.encoder;
        cubes.into_iter().filter_map(|cube| GoalCube::new(encoder, cube, Vec::new())).collect()
    }

    /// What is known of counters while one thread makes a step and another one looks on.
    pub(crate) fn counted_around(
        &mut self,
        step: &Step,
        view: &View,
        thread: ThreadId,
        point: ControlPoint,
    ) -> Vec<TermId> {
        let Some(behind) = &view.behind else { return Vec::new() };
        let mut formulas = match point {
            ControlPoint::At(location) => self.bystander_presence(view.edge, (thread, location), behind),
            ControlPoint::Unstarted => Vec::new(),
        };
        formulas.extend(step.conditions[..step.given].iter().chain(&behind.formulas));
        formulas
    }
}
