//! Ranks in terms of the logic, and the obligation that each step makes them smaller.
//!
//! [The rule](crate::ranking) compares the rank of the state before a step with that of the state
//! behind it. Most summands are the same: those of the threads that the step neither moves nor
//! starts, and whose ranks do not mention what it writes. Only the others are part of the
//! obligation. Where such a thread stands is not known; its rank is that of one of its places, and
//! its assertion there holds.

use super::encode::{Encoder, Role, Values};
use super::help::Circumstance;
use super::outline::Outline;
use super::points::{PointSet, instances, is_instance};
use super::property::standing;
use super::sequent::GoalCube;
use super::step::{Step, initial_values};
use super::structure::local_cells;
use super::{Generator, Reading, Sink, taken};
use crate::data::{
    Atom, Comparison, ControlPoint, MOST_CASES, MOST_COMPONENTS, Quantity, RankCase, Ranking,
    RelyGuaranteeDefect, Rule, Subject, Sum, ThreadRanks,
};
use rely_base::Id;
use rely_logic::TermId;
use rely_program::{EdgeId, Program, Scope, ThreadId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The ranks of a proof, found by place.
#[derive(Debug)]
pub(crate) struct Measure<'p> {
    components: usize,
    ranks: FxHashMap<(ThreadId, ControlPoint), &'p [RankCase]>,
}

fn malformed<T>(what: impl Into<String>) -> Result<T, RelyGuaranteeDefect> {
    Err(RelyGuaranteeDefect::Malformed(what.into()))
}

impl<'p> Measure<'p> {
    /// Looks at every rank once: whether it speaks of this program, and whether none is missing.
    pub(crate) fn new(outline: &Outline<'p>, ranking: &'p Ranking) -> Result<Self, RelyGuaranteeDefect> {
        let measure = Self::of_some(outline, ranking.components, &ranking.ranks)?;
        measure.is_complete(outline)?;
        Ok(measure)
    }

    /// The same if ranks may be missing, which are zero then.
    pub(crate) fn of_some(
        outline: &Outline<'p>,
        components: usize,
        of_threads: &'p [ThreadRanks],
    ) -> Result<Self, RelyGuaranteeDefect> {
        if components > MOST_COMPONENTS {
            return malformed(format!("a rank has more than {MOST_COMPONENTS} components"));
        }
        let mut ranks: FxHashMap<(ThreadId, ControlPoint), &'p [RankCase]> = FxHashMap::default();
        for entry in of_threads {
            let number = entry.thread.index();
            if outline.program.threads().get(entry.thread).is_none() {
                return malformed(format!("there is no thread {number}"));
            }
            for (point, cases) in &entry.at {
                if cases.len() > MOST_CASES {
                    return malformed(format!("a rank of thread {number} has more than {MOST_CASES} cases"));
                }
                if outline.numbers.number(entry.thread, *point).is_none() {
                    return malformed(format!("thread {number} is never where the proof gives it a rank"));
                }
                if ranks.insert((entry.thread, *point), cases).is_some() {
                    return malformed(format!("a rank of thread {number} is listed twice"));
                }
                for case in cases {
                    check_case(outline, entry.thread, components, case)?;
                }
            }
        }
        Ok(Self { components, ranks })
    }

    /// Where there is an assertion, there is a rank.
    fn is_complete(&self, outline: &Outline<'_>) -> Result<(), RelyGuaranteeDefect> {
        for thread in outline.program.threads().ids() {
            for number in outline.numbers.listed(thread).iter() {
                let point = outline.numbers.point(thread, number);
                if !self.ranks.contains_key(&(thread, point)) {
                    let place = Subject::new(Rule::Descent).at(thread, point).describe(outline.program);
                    return malformed(format!("{place} has an assertion and no rank"));
                }
            }
        }
        Ok(())
    }

    fn at(&self, thread: ThreadId, point: ControlPoint) -> &'p [RankCase] {
        self.ranks.get(&(thread, point)).copied().unwrap_or_default()
    }

    /// Whether a component of a rank may change when the step is made by another thread.
    fn is_touched(
        &self,
        encoder: &Encoder<'_>,
        step: &Step,
        place: (ThreadId, ControlPoint),
        component: usize,
    ) -> bool {
        let is_changed = |(_, quantity): &(_, Quantity)| match *quantity {
            Quantity::Handle => false,
            Quantity::Cell { var, index, .. } => step.changes(encoder.cell(var, index, Role::BYSTANDER)),
        };
        let touches = |case: &RankCase| {
            case.when.iter().any(|atom| atom.terms.iter().any(is_changed))
                || case.rank[component].terms.iter().any(is_changed)
        };
        self.at(place.0, place.1).iter().any(touches)
    }
}

/// Whether a case has the right number of components and mentions only what it may.
fn check_case(
    outline: &Outline<'_>,
    thread: ThreadId,
    components: usize,
    case: &RankCase,
) -> Result<(), RelyGuaranteeDefect> {
    if case.rank.len() != components {
        let (found, number) = (case.rank.len(), thread.index());
        return malformed(format!("a rank of thread {number} has {found} components and not {components}"));
    }
    for atom in &case.when {
        outline.check_atom_of(thread, atom)?;
    }
    for Sum { terms, constant } in &case.rank {
        let atom = Atom { terms: terms.clone(), constant: *constant, comparison: Comparison::Le };
        outline.check_atom_of(thread, &atom)?;
    }
    let program = outline.program;
    let is_own = |quantity: &Quantity| match quantity {
        Quantity::Handle => true,
        Quantity::Cell { var, .. } => program.vars()[*var].scope == Scope::Local(thread),
    };
    if !is_instance(program, thread) && !case.quantities().all(is_own) {
        let name = &program.threads()[thread].name;
        return malformed(format!(
            "the rank of `{name}`, of which there can be any number, depends on more than its own variables"
        ));
    }
    Ok(())
}

/// The step makes the rank of the state smaller, in some circumstance.
pub(crate) fn descent<S: Sink>(
    generator: &mut Generator<'_>,
    measure: &Measure<'_>,
    id: EdgeId,
    step: &Step,
    circumstance: &Circumstance,
    sink: &mut S,
) -> Result<(), S::Stop> {
    let (program, actor) = (generator.outline.program, generator.outline.actor(id));
    let source = ControlPoint::At(program.edges()[id].source);
    let comparison = Comparator { generator, measure, step }.compare(id);
    let goal = lexicographic(generator, &comparison.differences);
    let subject = Subject::new(Rule::Descent).at(actor, source).along(id);
    for known in generator.stated(actor, source, Role::ACTOR).iter() {
        let mut sequent = taken(step, known, subject);
        sequent.hypotheses.extend(comparison.known.iter().chain(&circumstance.hypotheses));
        sequent.places.extend(circumstance.places.iter().cloned());
        sequent.goal = Rc::clone(&goal);
        generator.give(sink, sequent)?;
    }
    Ok(())
}

/// One cube for each component that may be the one that gets smaller.
fn lexicographic(generator: &mut Generator<'_>, differences: &[TermId]) -> Rc<[GoalCube]> {
    let encoder = &mut generator.encoder;
    let (zero, less) = (encoder.pool.int(0), encoder.pool.int(-1));
    let mut kept = Vec::new();
    let mut cubes = Vec::new();
    for &difference in differences {
        let smaller = encoder.pool.le(difference, less);
        let conjuncts: Vec<TermId> = kept.iter().copied().chain([smaller]).collect();
        cubes.extend(GoalCube::new(encoder, conjuncts, Vec::new()));
        kept.push(encoder.pool.le(difference, zero));
    }
    cubes.into()
}

/// The rank behind a step minus the rank before it, and what is known about it.
struct Compared {
    /// For each component.
    differences: Vec<TermId>,
    known: Vec<TermId>,
}

/// Compares the ranks before and behind one step.
struct Comparator<'a, 'g, 'p> {
    generator: &'a mut Generator<'g>,
    measure: &'a Measure<'p>,
    step: &'a Step,
}

impl Comparator<'_, '_, '_> {
    fn compare(mut self, id: EdgeId) -> Compared {
        let program = self.generator.outline.program;
        let actor = self.generator.outline.actor(id);
        let edge = &program.edges()[id];
        let mut known = self.initial_locals(program);
        let concerned = self.concerned(program, actor);
        for (thread, _) in &concerned {
            let places = self.generator.outline.numbers.interruptible(*thread).clone();
            known.push(standing(self.generator, *thread, &places));
        }
        let mut differences = Vec::with_capacity(self.measure.components);
        for component in 0..self.measure.components {
            let mut parts = vec![self.moved(
                component,
                actor,
                ControlPoint::At(edge.source),
                ControlPoint::At(edge.target),
            )];
            for &thread in &self.step.started {
                let entry = ControlPoint::At(program.threads()[thread].entry);
                parts.push(self.moved(component, thread, ControlPoint::Unstarted, entry));
            }
            for &(thread, role) in &self.step.created {
                let entry = ControlPoint::At(program.threads()[thread].entry);
                parts.push(self.rank(component, (thread, entry), role, &self.step.after));
            }
            for (thread, touched) in &concerned {
                if touched[component] {
                    parts.push(self.watching(component, *thread));
                }
            }
            let pool = &mut self.generator.encoder.pool;
            differences.push(pool.sum(parts.into_iter().map(|part| (part, 1.into())), 0.into()));
        }
        Compared { differences, known }
    }

    /// The locals of an instance that starts have had their initial values until now.
    fn initial_locals(&mut self, program: &Program) -> Vec<TermId> {
        let mut known = Vec::new();
        for &thread in &self.step.started {
            let mut values = Values::default();
            let encoder = &mut self.generator.encoder;
            initial_values(encoder, local_cells(program, thread), &mut values, &mut known);
            for (cell, value) in values {
                let variable = encoder.variable(cell, crate::data::Moment::Before);
                known.push(encoder.pool.eq(variable, value));
            }
        }
        known.sort_unstable();
        known
    }

    /// The instances that only look on and whose ranks may change, with the components that may.
    fn concerned(&self, program: &Program, actor: ThreadId) -> Vec<(ThreadId, Vec<bool>)> {
        let mut concerned = Vec::new();
        for thread in instances(program) {
            if thread == actor || self.step.started.contains(&thread) {
                continue;
            }
            let numbers = &self.generator.outline.numbers;
            let places: Vec<ControlPoint> =
                numbers.interruptible(thread).iter().map(|number| numbers.point(thread, number)).collect();
            let encoder = &self.generator.encoder;
            let is_touched = |component| {
                let mut places = places.iter();
                places.any(|&point| self.measure.is_touched(encoder, self.step, (thread, point), component))
            };
            let touched: Vec<bool> = (0..self.measure.components).map(is_touched).collect();
            if touched.contains(&true) {
                concerned.push((thread, touched));
            }
        }
        concerned
    }

    /// What changes in the rank of a thread that the step moves.
    fn moved(&mut self, component: usize, thread: ThreadId, from: ControlPoint, to: ControlPoint) -> TermId {
        let before = self.rank(component, (thread, from), Role::ACTOR, &Values::default());
        let after = self.rank(component, (thread, to), Role::ACTOR, &self.step.after);
        self.generator.encoder.pool.sub(after, before)
    }

    /// What changes in the rank of an instance that stands somewhere.
    fn watching(&mut self, component: usize, thread: ThreadId) -> TermId {
        let mut result = self.generator.encoder.constant(0);
        for number in self.generator.outline.numbers.interruptible(thread).clone().iter() {
            let point = self.generator.outline.numbers.point(thread, number);
            let difference = self.moved(component, thread, point, point);
            if difference == result {
                continue;
            }
            let encoder = &mut self.generator.encoder;
            let is_here = encoder.stands_in(thread, &PointSet::single(number));
            result = encoder.pool.ite(is_here, difference, result);
        }
        result
    }

    /// A component of the rank of a thread at a place: a natural number.
    fn rank(
        &mut self,
        component: usize,
        at: (ThreadId, ControlPoint),
        role: Role,
        values: &Values,
    ) -> TermId {
        let (thread, point) = at;
        let reading = Reading { thread, role, before: values, after: values };
        let mut result = self.generator.encoder.constant(0);
        for case in self.measure.at(thread, point).iter().rev() {
            let conditions: Vec<TermId> =
                case.when.iter().map(|atom| self.generator.read_atom(atom, reading)).collect();
            let number = self.natural(&case.rank[component], reading);
            let pool = &mut self.generator.encoder.pool;
            let counts = pool.and(conditions);
            result = if number == result { number } else { pool.ite(counts, number, result) };
        }
        result
    }

    /// The sum, or zero if it is negative.
    fn natural(&mut self, sum: &Sum, reading: Reading<'_>) -> TermId {
        let sum = self.generator.read_sum(&sum.terms, sum.constant, reading);
        let pool = &mut self.generator.encoder.pool;
        let zero = pool.int(0);
        let is_natural = pool.ge(sum, zero);
        match pool.as_truth(is_natural) {
            Some(true) => sum,
            Some(false) => zero,
            None => pool.ite(is_natural, sum, zero),
        }
    }
}
