//! Deadlocks: in a state in which no thread can move forward, all have ended or can move back (see
//! [`forward`](super::forward) for why nobody waits for ever then).
//!
//! Of a state in which none can, little is assumed, all of it true: of every thread that has not ended, each edge
//! forward from its location is blocked. A
//! blocked edge has a condition that is waited for and does not hold, or it joins a thread that has
//! not ended, or what is no thread. Nothing is assumed of edges that lead into an atomic block, since such a block may
//! be impossible to finish; of what is waited for behind a start on the same edge; and of edges
//! with a nondeterministic value for which there is none. Of the threads of a template it is
//! enough to look at one at each location, and at one of each class that a counter distinguishes.
//!
//! From this, the assertions and the invariants it must follow that all threads have ended, but those that can take an
//! edge that is not forward. Such an edge is counted on only if it is plain: it chooses nothing, joins nobody, and waits
//! for nothing behind the start of a thread.

use super::encode::Role;
use super::forward::forward_edges;
use super::points::{PointSet, instances, is_atomic, is_instance};
use super::property::{running_locations, standing, witness};
use super::sequent::{GoalCube, Sequent};
use super::step::{Joining, Step};
use super::structure::local_cells;
use super::{Generator, Sink};
use crate::data::{ControlPoint, Counter, Rule, Subject};
use rely_logic::{Integer, TermId};
use rely_program::{Domain, EdgeId, Initial, LocationId, Op, Program, ThreadId};

/// The obligation that no reachable state is a deadlock.
pub(crate) fn no_deadlock<S: Sink>(generator: &mut Generator<'_>, sink: &mut S) -> Result<(), S::Stop> {
    let program = generator.outline.program;
    let mut sequent = Sequent::new(Subject::new(Rule::Stuck));
    sequent.hypotheses = generator.invariants_in_state(false);
    let mut ended = Vec::new();
    for thread in instances(program) {
        let points = generator.outline.numbers.interruptible(thread).clone();
        sequent.hypotheses.push(standing(generator, thread, &points));
        for number in points.iter() {
            let here = generator.encoder.stands_in(thread, &PointSet::single(number));
            if let Some(location) = still_running(generator, thread, number) {
                let is_blocked = blocked_at(generator, location, Role::ACTOR);
                sequent.hypotheses.push(generator.encoder.pool.implies(here, is_blocked));
                let can_go_back = can_go_back(generator, location, Role::ACTOR);
                ended.push(generator.encoder.pool.implies(here, can_go_back));
            }
        }
        sequent.places.push((thread, points));
    }
    let mut witnesses = 0;
    for location in occupied(generator) {
        // Whoever is there can be the first witness, so that what is shown of it holds of all of them.
        let can_go_back = can_go_back(generator, location, Role::extra(witnesses));
        let count = generator.counter(&Counter::at(location));
        let zero = generator.encoder.constant(0);
        let pool = &mut generator.encoder.pool;
        let nobody = pool.le(count, zero);
        ended.push(pool.or([nobody, can_go_back]));
        let classes = generator.counters.at(location);
        for class in std::iter::once(Counter::at(location)).chain(classes) {
            // One of a class may be the one of all.
            let role = if class.having.is_empty() { Role::extra(witnesses) } else { Role::alias(witnesses) };
            witnesses += 1;
            let is_blocked = blocked_at(generator, location, role);
            let is_there = witness(generator, &class, role, 1);
            let one = generator.encoder.constant(1);
            let count = generator.counter(&class);
            let pool = &mut generator.encoder.pool;
            let some = pool.ge(count, one);
            sequent.hypotheses.push(is_there);
            sequent.hypotheses.push(pool.implies(some, is_blocked));
        }
    }
    let all_ended = generator.encoder.pool.and(ended);
    sequent.goal = GoalCube::only(&mut generator.encoder, all_ended);
    generator.give(sink, sequent)
}

/// Where an instance at a control point is, if it has started and not ended.
fn still_running(generator: &Generator<'_>, thread: ThreadId, number: usize) -> Option<LocationId> {
    match generator.outline.numbers.point(thread, number) {
        ControlPoint::At(location) if location != generator.outline.program.threads()[thread].exit => {
            Some(location)
        }
        _ => None,
    }
}

/// Where threads of templates can be that have not ended, apart from atomic blocks.
fn occupied(generator: &Generator<'_>) -> Vec<LocationId> {
    let program = generator.outline.program;
    let templates = program.threads().ids().filter(|&thread| !is_instance(program, thread));
    let locations = templates.flat_map(|thread| running_locations(program, thread));
    let is_occupied = |location: &LocationId| {
        let (thread, point) = (program.locations()[*location].thread, ControlPoint::At(*location));
        !is_atomic(program, point) && !generator.outline.at(thread, point).is_empty()
    };
    locations.filter(is_occupied).collect()
}

/// No edge forward can be taken by a thread at a location.
fn blocked_at(generator: &mut Generator<'_>, location: LocationId, role: Role) -> TermId {
    let program = generator.outline.program;
    let mut blocked = Vec::new();
    let forward = forward_edges(program);
    for &edge in program.outgoing(location) {
        let target = ControlPoint::At(program.edges()[edge].target);
        if forward.contains(edge) && !is_atomic(program, target) && has_choices(program, edge) {
            blocked.push(is_blocked(generator, edge, role));
        }
    }
    generator.encoder.pool.and(blocked)
}

/// A thread at a location can take an edge that is not forward.
fn can_go_back(generator: &mut Generator<'_>, location: LocationId, role: Role) -> TermId {
    let program = generator.outline.program;
    let forward = forward_edges(program);
    let mut ways = Vec::new();
    for &edge in program.outgoing(location) {
        let target = ControlPoint::At(program.edges()[edge].target);
        if !forward.contains(edge) && !is_atomic(program, target) && is_plain(program, edge) {
            let Generator { encoder, outline, structure, goal, .. } = generator;
            let step = Step::by(encoder, outline, structure, *goal, edge, role);
            ways.push(encoder.pool.and(step.waits));
        }
    }
    generator.encoder.pool.or(ways)
}

/// Whether an edge can be taken as soon as its conditions hold.
fn is_plain(program: &Program, edge: EdgeId) -> bool {
    let mut has_started = false;
    let mut is_plain = has_choices(program, edge);
    for op in &program.edges()[edge].ops {
        match op {
            Op::Assume(..) | Op::Check(..) => is_plain &= !has_started,
            Op::Spawn { thread, .. } => {
                is_plain &= !is_instance(program, *thread);
                has_started = true;
            }
            Op::Assign(_) | Op::Halt => {}
            Op::Havoc(..) | Op::Join(_) => is_plain = false,
        }
    }
    is_plain
}

/// Something that a step waits for is not so.
fn is_blocked(generator: &mut Generator<'_>, edge: EdgeId, role: Role) -> TermId {
    let Generator { encoder, outline, structure, goal, .. } = generator;
    let step = Step::by(encoder, outline, structure, *goal, edge, role);
    let mut reasons = Vec::new();
    for (number, &condition) in step.waits.iter().enumerate() {
        let join = step.joins.iter().find(|join| join.wait == number);
        let is_unclear = step.waits_before_start.is_some_and(|clear| number >= clear);
        reasons.push(match join {
            _ if is_unclear => generator.encoder.pool.truth(true),
            Some(join) => never_ended(generator, join),
            None => generator.encoder.pool.not(condition),
        });
    }
    generator.encoder.pool.or(reasons)
}

/// No thread that has ended has this number: it is no thread's, or the thread has not ended.
fn never_ended(generator: &mut Generator<'_>, join: &Joining) -> TermId {
    let (program, handle) = (generator.outline.program, join.handle);
    let mut cases = Vec::new();
    for thread in instances(program) {
        let own = generator.encoder.handle(thread, Role::ACTOR);
        let exit = generator.outline.numbers.single(thread, ControlPoint::At(program.threads()[thread].exit));
        let has_ended = generator.encoder.stands_in(thread, &exit);
        let pool = &mut generator.encoder.pool;
        let (is_it, runs) = (pool.eq(handle, own), pool.not(has_ended));
        cases.push(pool.and([is_it, runs]));
    }
    let mut running = Vec::new();
    for location in occupied(generator) {
        running.push((generator.counter(&Counter::at(location)), Integer::from(1)));
    }
    let last = generator.encoder.instance_count();
    let (last, one) = (generator.encoder.constant(last), generator.encoder.constant(1));
    let pool = &mut generator.encoder.pool;
    let running = pool.sum(running, Integer::from(0));
    let (is_beyond, some_runs) = (pool.gt(handle, last), pool.ge(running, one));
    // A number beyond the instances may be that of no thread yet, unless it certainly is a handle.
    cases.push(if join.is_handle { pool.and([is_beyond, some_runs]) } else { is_beyond });
    cases.push(pool.lt(handle, one));
    pool.or(cases)
}

/// Whether each nondeterministic value of an edge has some value.
pub(crate) fn has_choices(program: &Program, edge: EdgeId) -> bool {
    let has_value = |domain: Domain| domain.default_value().is_some();
    program.edges()[edge].ops.iter().all(|op| match op {
        Op::Havoc(_, domain) => has_value(*domain),
        Op::Spawn { thread, .. } => {
            local_cells(program, *thread).all(|(var, _)| match program.vars()[var].initial {
                Initial::Any(domain) => has_value(domain),
                Initial::Values(_) => true,
            })
        }
        _ => true,
    })
}
