//! Properties of whole states: what must hold always, and what at the end.
//!
//! In a state every instance is at one of its control points with its assertion. Of the threads made from
//! a template it is not known how many there are, so a property that counts them speaks of unknown
//! numbers. But whoever is counted at a location satisfies the assertion there: from one on there
//! is a witness, from two on there are two with different handles.

use super::encode::{Role, Values};
use super::expression::{Counts, Viewer};
use super::points::{PointSet, instances, is_atomic, is_instance};
use super::sequent::{GoalCube, Sequent};
use super::step::Step;
use super::{Generator, Sink, StatedCube};
use crate::data::{ControlPoint, Counter, Rule, Subject};
use rely_logic::TermId;
use rely_program::{
    BinaryOp, EdgeId, Expr, Goal, LocationId, Program, PropertyKind, ThreadId, UnaryOp, Value, definedness,
};
use std::rc::Rc;

/// States in which a property is looked at.
struct Situation<'s> {
    subject: Subject,
    /// What is known of the state, or of the state before the step.
    hypotheses: Vec<TermId>,
    /// What is also known, and seldom needed.
    more: Rc<[TermId]>,
    /// Where instances stand in it, or before the step.
    places: Vec<(ThreadId, PointSet)>,
    /// The step that leads to the state, if it is not just any.
    step: Option<&'s Step>,
    /// The templates of whose threads nothing is known: the step has moved or made some.
    unsettled: Vec<ThreadId>,
    /// Whether all threads have ended.
    ended: bool,
}

/// The obligations from the properties that the program states.
pub(crate) fn properties<S: Sink>(generator: &mut Generator<'_>, sink: &mut S) -> Result<(), S::Stop> {
    if generator.goal != Goal::Assert {
        return Ok(());
    }
    let program = generator.outline.program;
    for (index, property) in program.properties().iter().enumerate() {
        let (condition, situation) = match &property.kind {
            PropertyKind::Always(condition) => {
                let subject = Subject::new(Rule::Always).of_property(index);
                (condition, any_state(generator, condition, subject))
            }
            PropertyKind::AtEnd(condition) => {
                let subject = Subject::new(Rule::AtEnd).of_property(index);
                (condition, last_state(generator, subject))
            }
            PropertyKind::DeadlockFree | PropertyKind::Terminates => continue,
        };
        holds(generator, condition, situation, sink)?;
    }
    Ok(())
}

/// Any state in which a condition may be false. If some instances must be at certain locations for that, what
/// the others know is seldom needed.
fn any_state<'s>(generator: &mut Generator<'_>, condition: &Expr, subject: Subject) -> Situation<'s> {
    let program = generator.outline.program;
    let places: Vec<(ThreadId, PointSet)> = occupied(program, condition)
        .into_iter()
        .map(|location| {
            let thread = program.locations()[location].thread;
            let mut points = generator.outline.numbers.single(thread, ControlPoint::At(location));
            points.intersect(generator.outline.numbers.interruptible(thread));
            (thread, points)
        })
        .collect();
    let mut hypotheses = generator.invariants_in_state(false);
    hypotheses.extend(places.iter().map(|(thread, set)| standing(generator, *thread, set)));
    let more = everybody(generator);
    Situation { subject, hypotheses, more, places, step: None, unsettled: Vec::new(), ended: false }
}

/// A state in which all threads have ended or have not started.
fn last_state<'s>(generator: &mut Generator<'_>, subject: Subject) -> Situation<'s> {
    let program = generator.outline.program;
    let points = |thread: ThreadId| {
        let numbers = &generator.outline.numbers;
        let resting = [ControlPoint::Unstarted, ControlPoint::At(program.threads()[thread].exit)];
        let mut points = numbers.interruptible(thread).clone();
        points.intersect(&resting.iter().filter_map(|&point| numbers.number(thread, point)).collect());
        (thread, points)
    };
    let places: Vec<(ThreadId, PointSet)> = instances(program).map(points).collect();
    let mut hypotheses = generator.invariants_in_state(true);
    hypotheses.extend(places.iter().map(|(thread, set)| standing(generator, *thread, set)));
    let (step, unsettled) = (None, Vec::new());
    Situation { subject, hypotheses, more: Rc::default(), places, step, unsettled, ended: true }
}

/// The locations of instances at which somebody must be for a condition to be false.
fn occupied(program: &Program, condition: &Expr) -> Vec<LocationId> {
    fn collect(expr: &Expr, value: bool, found: &mut Vec<LocationId>) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => collect(operand, !value, found),
            Expr::Binary(op, operands) if *op == if value { BinaryOp::And } else { BinaryOp::Or } => {
                operands.iter().for_each(|operand| collect(operand, value, found));
            }
            Expr::Binary(BinaryOp::Ge, operands) if value => {
                if let [Expr::CountAt(location), Expr::Int(1..)] = &**operands {
                    found.push(*location);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(condition, false, &mut found);
    found.retain(|location| is_instance(program, program.locations()[*location].thread));
    found
}

/// That an instance is somewhere where others can move, and its assertion holds there.
fn anywhere(generator: &mut Generator<'_>, thread: ThreadId) -> TermId {
    if let Some(&known) = generator.anywhere.get(&thread) {
        return known;
    }
    let points = generator.outline.numbers.interruptible(thread).clone();
    let somewhere = standing(generator, thread, &points);
    generator.anywhere.insert(thread, somewhere);
    somewhere
}

/// That all instances but one, which moves, are somewhere.
pub(super) fn everybody_but(generator: &mut Generator<'_>, actor: ThreadId) -> Rc<[TermId]> {
    let others = instances(generator.outline.program).filter(|&thread| thread != actor);
    others.map(|thread| anywhere(generator, thread)).collect()
}

/// That all instances are somewhere.
fn everybody(generator: &mut Generator<'_>) -> Rc<[TermId]> {
    if let Some(known) = &generator.everybody {
        return Rc::clone(known);
    }
    let all: Rc<[TermId]> =
        instances(generator.outline.program).map(|thread| anywhere(generator, thread)).collect();
    generator.everybody = Some(Rc::clone(&all));
    all
}

/// After a step that halts the program nobody moves, but what must hold always must hold there.
pub(crate) fn halting<S: Sink>(
    generator: &mut Generator<'_>,
    edge: EdgeId,
    step: &Step,
    sink: &mut S,
) -> Result<(), S::Stop> {
    let program = generator.outline.program;
    let (source, target) = (program.edges()[edge].source, program.edges()[edge].target);
    if generator.goal != Goal::Assert || is_atomic(program, ControlPoint::At(target)) {
        return Ok(());
    }
    let actor = generator.outline.actor(edge);
    let others = instances(program).filter(|&thread| thread != actor);
    let more: Rc<[TermId]> = others.map(|thread| anywhere(generator, thread)).collect();
    let own = generator.stated(actor, ControlPoint::At(source), Role::ACTOR);
    let mut known = step.conditions.clone();
    known.push(asserted(generator, actor, ControlPoint::At(source), Role::ACTOR));
    for (index, property) in program.properties().iter().enumerate() {
        let PropertyKind::Always(condition) = &property.kind else { continue };
        let standing_still = still_occupied(generator, condition, step);
        let is_excluded = |places: &[(ThreadId, PointSet)]| {
            let contradicts = |cube: &StatedCube| excludes(&cube.places, places);
            own.iter().all(contradicts)
        };
        let Some(standing_still) = standing_still.filter(|places| !is_excluded(places)) else {
            sink.obvious(1);
            continue;
        };
        let mut hypotheses = known.clone();
        hypotheses.extend(standing_still.iter().map(|(thread, set)| standing(generator, *thread, set)));
        let mut unsettled: Vec<ThreadId> = step.created.iter().map(|(thread, _)| *thread).collect();
        unsettled.push(actor);
        let subject =
            Subject::new(Rule::Always).at(actor, ControlPoint::At(source)).along(edge).of_property(index);
        let mut places = step.narrowed.clone();
        places.extend(standing_still);
        let (step, more) = (Some(step), Rc::clone(&more));
        let situation = Situation { subject, hypotheses, more, places, step, unsettled, ended: false };
        holds(generator, condition, situation, sink)?;
    }
    Ok(())
}

/// Whether what is known of where instances stand excludes that some of them are at these places.
fn excludes(known: &[(ThreadId, PointSet)], places: &[(ThreadId, PointSet)]) -> bool {
    places.iter().any(|(thread, set)| {
        known.iter().any(|(other, possible)| other == thread && possible.is_disjoint(set))
    })
}

/// The instances that must be at certain locations for a condition to be false after a step that does not move
/// them; `None` if the step leads an instance somewhere else, so that the condition is true.
fn still_occupied(
    generator: &Generator<'_>,
    condition: &Expr,
    step: &Step,
) -> Option<Vec<(ThreadId, PointSet)>> {
    let (program, numbers) = (generator.outline.program, &generator.outline.numbers);
    let mut still = Vec::new();
    for location in occupied(program, condition) {
        let (thread, point) = (program.locations()[location].thread, ControlPoint::At(location));
        match step.arrival(thread) {
            Some(arrival) if numbers.number(thread, point) == Some(arrival) => {}
            Some(_) => return None,
            None => {
                let mut points = numbers.single(thread, point);
                points.intersect(numbers.interruptible(thread));
                still.push((thread, points));
            }
        }
    }
    Some(still)
}

/// An instance is at one of some control points, where its assertion holds.
pub(crate) fn standing(generator: &mut Generator<'_>, thread: ThreadId, set: &PointSet) -> TermId {
    let cases: Vec<TermId> = set.iter().map(|number| standing_at(generator, thread, number)).collect();
    generator.encoder.pool.or(cases)
}

/// An instance is at the control point of this number, where its assertion holds.
fn standing_at(generator: &mut Generator<'_>, thread: ThreadId, number: usize) -> TermId {
    if let Some(&known) = generator.standing.get(&(thread, number)) {
        return known;
    }
    let point = generator.outline.numbers.point(thread, number);
    let here = generator.encoder.stands_in(thread, &PointSet::single(number));
    let assertion = asserted(generator, thread, point, Role::ACTOR);
    let stands = generator.encoder.pool.and([here, assertion]);
    generator.standing.insert((thread, number), stands);
    stands
}

/// One of the cubes at a control point holds.
fn asserted(generator: &mut Generator<'_>, thread: ThreadId, point: ControlPoint, role: Role) -> TermId {
    let stated = generator.stated(thread, point, role);
    let mut cases = Vec::with_capacity(stated.len());
    for cube in stated.iter() {
        let mut conjuncts = cube.atoms.clone();
        for (other, set) in &cube.places {
            conjuncts.push(generator.encoder.stands_in(*other, set));
        }
        cases.push(generator.encoder.pool.and(conjuncts));
    }
    generator.encoder.pool.or(cases)
}

/// The property has a value and is true.
fn holds<S: Sink>(
    generator: &mut Generator<'_>,
    condition: &Expr,
    mut situation: Situation<'_>,
    sink: &mut S,
) -> Result<(), S::Stop> {
    let program = generator.outline.program;
    let defined = definedness(program, condition);
    if sink.contradict(&generator.encoder.pool, &situation.hypotheses) {
        sink.obvious(1 + defined.len() as u64);
        return Ok(());
    }
    let counts = counts(generator, condition, &mut situation);
    let unchanged = Values::default();
    let values = situation.step.map_or(&unchanged, |step| &step.after);
    let viewer = Viewer { thread: None, values, counts: &counts };
    let mut hypotheses = situation.hypotheses;
    for condition in defined.iter().map(|(_, defined)| defined).chain([condition]) {
        let condition = generator.encoder.condition_of(viewer, condition);
        let mut sequent = Sequent::new(situation.subject);
        sequent.hypotheses.clone_from(&hypotheses);
        sequent.places.clone_from(&situation.places);
        sequent.more = Rc::clone(&situation.more);
        sequent.goal = GoalCube::only(&mut generator.encoder, condition);
        generator.give(sink, sequent)?;
        hypotheses.push(condition);
    }
    Ok(())
}

/// Terms for all numbers of threads that the condition mentions, and what is known of them.
fn counts(generator: &mut Generator<'_>, condition: &Expr, situation: &mut Situation<'_>) -> Counts {
    let program = generator.outline.program;
    let (mut locations, mut threads): (Vec<LocationId>, Vec<ThreadId>) = (Vec::new(), Vec::new());
    condition.walk(&mut |part| match part {
        Expr::CountAt(location) => locations.push(*location),
        Expr::CountRunning(thread) => threads.push(*thread),
        _ => {}
    });
    for &thread in &threads {
        locations.extend(running_locations(program, thread));
    }
    // Where threads are counted by the invariants, someone may stand who knows more.
    if situation.step.is_none() {
        locations.extend(generator.counters.locations());
    }
    let mut counts = Counts::default();
    let mut witnesses = situation.step.map_or(0, |step| step.created.len());
    for location in locations {
        counts.at.entry(location).or_insert_with(|| count_at(generator, location, situation, &mut witnesses));
    }
    for thread in threads {
        let parts = running_locations(program, thread).map(|location| (counts.at[&location], 1.into()));
        let count = generator.encoder.pool.sum(parts, 0.into());
        counts.running.insert(thread, count);
    }
    counts
}

/// The locations of a thread that has started and not ended.
pub(crate) fn running_locations(
    program: &Program,
    thread: ThreadId,
) -> impl Iterator<Item = LocationId> + '_ {
    let exit = program.threads()[thread].exit;
    let own = program.locations().iter().filter(move |(id, at)| at.thread == thread && *id != exit);
    own.map(|(id, _)| id)
}

/// How many threads stand at a location.
fn count_at(
    generator: &mut Generator<'_>,
    location: LocationId,
    situation: &mut Situation<'_>,
    witnesses: &mut usize,
) -> TermId {
    let program = generator.outline.program;
    let thread = program.locations()[location].thread;
    let point = ControlPoint::At(location);
    if is_instance(program, thread) {
        let set = generator.outline.numbers.single(thread, point);
        return match situation.step.and_then(|step| step.arrival(thread)) {
            Some(number) => generator.encoder.constant(set.contains(number).into()),
            None => {
                let is_here = generator.encoder.stands_in(thread, &set);
                generator.encoder.number(is_here)
            }
        };
    }
    let zero = generator.encoder.constant(0);
    let settled = !situation.unsettled.contains(&thread);
    let is_empty = is_atomic(program, point)
        || generator.outline.at(thread, point).is_empty()
        || situation.ended && location != program.threads()[thread].exit;
    if settled && is_empty {
        return zero;
    }
    let count = match (situation.step, situation.subject.edge) {
        (Some(step), Some(edge)) => generator.location_count_after(location, edge, step),
        _ => generator.counter(&Counter::at(location)),
    };
    situation.hypotheses.push(generator.encoder.pool.ge(count, zero));
    if settled {
        for least in 1..=2 {
            let role = Role::extra(*witnesses);
            situation.hypotheses.push(witness(generator, &Counter::at(location), role, least));
            *witnesses += 1;
        }
        // One of a class may be one of the two.
        for class in generator.counters.at(location) {
            situation.hypotheses.push(witness(generator, &class, Role::alias(*witnesses), 1));
            *witnesses += 1;
        }
    }
    count
}

/// If at least so many threads of a template are counted, one of them is the one in a role.
pub(crate) fn witness(generator: &mut Generator<'_>, counter: &Counter, role: Role, least: Value) -> TermId {
    let thread = generator.outline.program.locations()[counter.location].thread;
    let mut conditions = generator.condition_of_counter(counter, role);
    conditions.push(asserted(generator, thread, ControlPoint::At(counter.location), role));
    let count = generator.counter(counter);
    let least = generator.encoder.constant(least);
    let pool = &mut generator.encoder.pool;
    let (enough, is_there) = (pool.ge(count, least), pool.and(conditions));
    pool.implies(enough, is_there)
}
