//! That no thread waits for ever.
//!
//! For every place of every thread that is not its last one it has to be shown that the thread there, or one of the
//! instances, can move. If steps are listed that [help](super::help) it, these must be among them. If nothing else says that runs end, it must be able to move forward (see
//! [`forward`](super::forward), also for why that is enough). Of threads made from templates nothing more is known than that one, and
//! of an edge that leads into an atomic block not whether the block can be left again: their steps
//! are not counted on.
//!
//! An edge can be taken if nothing waits on its way. If every run must end, one in which a check fails, or a condition
//! without which it does not count, ends there; otherwise these are waited for, too. The values of
//! nondeterministic assignments may be chosen so that nothing waits: a few are tried, near to the constants of the edge.
//! If only fair runs must end, an edge that changes nothing is no way on, and a thread that can go round along one may
//! do so for ever instead of going on (see [`rounds`](super::rounds)).

use super::encode::Role;
use super::forward::forward_edges;
use super::points::{instances, is_atomic, is_instance};
use super::property::standing;
use super::rounds::{cannot_go_round, is_round};
use super::sequent::{GoalCube, Sequent};
use super::step::{Choices, Step};
use super::stuck::has_choices;
use super::{Generator, Sink};
use crate::data::{ControlPoint, Rule, Subject};
use rely_logic::TermId;
use rely_program::{Domain, EdgeId, Expr, Goal, LocationId, Op, Program, ThreadId, Value};
use std::rc::Rc;

/// When an edge can be taken by a thread that stands at its source.
struct Way {
    edge: EdgeId,
    conditions: Vec<TermId>,
}

/// Whenever some thread has not ended, one can move.
pub(crate) fn progress<S: Sink>(generator: &mut Generator<'_>, sink: &mut S) -> Result<(), S::Stop> {
    let program = generator.outline.program;
    // Who ranks states needs no other reason why runs end.
    let is_ranked = generator.measure.is_some() || generator.aids.is_some();
    let forward = (!is_ranked).then(|| forward_edges(program));
    let counts = |edge: &EdgeId| forward.as_ref().is_none_or(|forward| forward.contains(*edge));
    let ways: Vec<Way> =
        program.edges().ids().filter(counts).flat_map(|edge| ways_along(generator, edge)).collect();
    for thread in program.threads().ids() {
        for number in generator.outline.numbers.interruptible(thread).clone().iter() {
            let ControlPoint::At(location) = generator.outline.numbers.point(thread, number) else {
                continue;
            };
            if location != program.threads()[thread].exit {
                someone_moves(generator, thread, location, &ways, sink)?;
            }
        }
    }
    Ok(())
}

/// Under which conditions an edge can be taken, one of several; none if nobody knows.
fn ways_along(generator: &mut Generator<'_>, edge: EdgeId) -> Vec<Way> {
    let program = generator.outline.program;
    let (source, target) = (program.edges()[edge].source, program.edges()[edge].target);
    let actor = generator.outline.actor(edge);
    let is_reached = !generator.outline.at(actor, ControlPoint::At(source)).is_empty();
    let is_fair = generator.goal == Goal::FairTermination;
    if !is_reached
        || is_fair && is_round(program, edge)
        || !has_choices(program, edge)
        || is_atomic(program, ControlPoint::At(source))
        || is_atomic(program, ControlPoint::At(target))
    {
        return Vec::new();
    }
    let moves_on = if is_fair { cannot_go_round(generator, source) } else { Vec::new() };
    let Generator { encoder, outline, structure, goal, .. } = generator;
    let step = Step::new(encoder, outline, structure, *goal, edge);
    let chosen: Vec<_> = step.chosen.iter().flat_map(|&value| encoder.symbols(value).to_vec()).collect();
    let depends =
        |&condition: &TermId| encoder.symbols(condition).iter().any(|symbol| chosen.contains(symbol));
    if !step.waits.iter().any(depends) {
        return vec![Way { edge, conditions: step.waits.into_iter().chain(moves_on).collect() }];
    }
    let mut ways = Vec::new();
    for choices in choices_to_try(program, edge) {
        let made = choices.into_iter().map(|value| encoder.constant(value)).collect();
        let with = (Role::ACTOR, &mut Choices::made(made));
        let conditions = Step::with(encoder, outline, structure, *goal, edge, with).waits;
        if !conditions.iter().any(|&condition| encoder.pool.as_truth(condition) == Some(false)) {
            ways.push(Way {
                edge,
                conditions: conditions.into_iter().chain(moves_on.iter().copied()).collect(),
            });
        }
    }
    ways
}

/// Values for the nondeterministic ones of an edge, with which it may be possible: near to its own constants, and the
/// ends of the domains.
fn choices_to_try(program: &Program, edge: EdgeId) -> Vec<Vec<Value>> {
    let ops = &program.edges()[edge].ops;
    let mut domains = Vec::new();
    let mut candidates = vec![0, 1, Value::from(i32::MIN), Value::from(i32::MAX)];
    let mut near = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let Expr::Int(value) = part {
                candidates
                    .extend([Some(*value), value.checked_add(1), value.checked_sub(1)].into_iter().flatten());
            }
        });
    };
    for op in ops {
        match op {
            Op::Havoc(_, domain) => domains.push(*domain),
            Op::Assume(condition, _) | Op::Check(condition, _) => near(condition),
            Op::Spawn { .. } => return Vec::new(),
            Op::Assign(_) | Op::Join(_) | Op::Halt => {}
        }
    }
    let tries = candidates.into_iter().map(|candidate| {
        let possible =
            |domain: &Domain| Some(candidate).filter(|&it| domain.contains(it)).or(domain.default_value());
        domains.iter().map(possible).collect::<Option<Vec<Value>>>()
    });
    let mut tries: Vec<Vec<Value>> = tries.flatten().collect();
    tries.sort_unstable();
    tries.dedup();
    tries
}

/// A thread stands at a location, and it or some instance can move.
fn someone_moves<S: Sink>(
    generator: &mut Generator<'_>,
    thread: ThreadId,
    location: LocationId,
    ways: &[Way],
    sink: &mut S,
) -> Result<(), S::Stop> {
    let program = generator.outline.program;
    let subject = Subject::new(Rule::Progress).at(thread, ControlPoint::At(location));
    let mut sequent = Sequent::new(subject);
    for other in instances(program) {
        if other == thread {
            sequent
                .places
                .push((thread, generator.outline.numbers.single(thread, ControlPoint::At(location))));
            continue;
        }
        let places = generator.outline.numbers.interruptible(other).clone();
        sequent.hypotheses.push(standing(generator, other, &places));
        sequent.places.push((other, places));
    }
    let mut goal = Vec::new();
    let aids = generator.aids.clone();
    let helps = |edge| aids.as_ref().is_none_or(|aids| aids.iter().any(|aid| aid.counts(location, edge)));
    for way in ways {
        let (actor, source) = (generator.outline.actor(way.edge), program.edges()[way.edge].source);
        let places = if source == location {
            Vec::new()
        } else if actor != thread && is_instance(program, actor) && helps(way.edge) {
            vec![(actor, generator.outline.numbers.single(actor, ControlPoint::At(source)))]
        } else {
            continue;
        };
        goal.extend(GoalCube::new(&mut generator.encoder, way.conditions.iter().copied(), places));
    }
    let goal: Rc<[GoalCube]> = goal.into();
    for known in generator.stated(thread, ControlPoint::At(location), Role::ACTOR).iter() {
        let mut sequent = sequent.clone();
        sequent.goal = Rc::clone(&goal);
        sequent.hypotheses.extend(&known.atoms);
        sequent.places.extend(known.places.iter().cloned());
        generator.give(sink, sequent)?;
    }
    Ok(())
}
