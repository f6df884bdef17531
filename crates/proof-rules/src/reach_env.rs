//! What threads reach, and what their steps do to others.

use crate::view::{Moment, Passage, Taken, View, choices};
use crate::{NoClauses, Origin};
use rely_horn::{Application, UnknownId};
use rely_logic::TermId;
use rely_symbolic::BranchEnd;

/// The predicates of the rule.
struct Predicates {
    reach: Vec<UnknownId>,
    env: Vec<UnknownId>,
}

pub(crate) fn write(view: &mut View) -> Result<(), NoClauses> {
    let mut predicates = Predicates { reach: Vec::new(), env: Vec::new() };
    for thread in 0..view.threads.len() {
        let name = view.threads[thread].name.clone();
        let width = view.arguments(thread).len() + 1;
        predicates.reach.push(view.declare(&format!("reach-{name}"), width));
        let seen = view.globals.len() + if view.tells_places() { view.threads.len() } else { 0 };
        predicates.env.push(view.declare(&format!("env-{name}"), 2 * seen));
    }
    initially(view, &predicates)?;
    for number in 0..view.moves.len() {
        step(view, &predicates, number)?;
    }
    for observer in 0..view.threads.len() {
        for actor in (0..view.threads.len()).filter(|&actor| actor != observer) {
            observed(view, &predicates, observer, actor)?;
        }
    }
    properties(view, &predicates)
}

fn reach(view: &View, predicates: &Predicates, thread: usize, moment: &Moment) -> Application {
    let mut arguments = vec![moment.places[thread]];
    arguments.extend(view.state(thread, moment));
    Application { unknown: predicates.reach[thread], arguments }
}

/// What others see of a moment.
fn seen(view: &View, moment: &Moment) -> Vec<TermId> {
    let mut arguments = view.values(&view.globals, moment);
    if view.tells_places() {
        arguments.extend(&moment.places);
    }
    arguments
}

fn env(view: &View, predicates: &Predicates, thread: usize, before: &Moment, after: &Moment) -> Application {
    let arguments = [seen(view, before), seen(view, after)].concat();
    Application { unknown: predicates.env[thread], arguments }
}

fn initially(view: &mut View, predicates: &Predicates) -> Result<(), NoClauses> {
    view.add_initial(|view, thread, moment| reach(view, predicates, thread, moment))
}

/// A step: for the thread itself, for others, and for those whom it starts.
fn step(view: &mut View, predicates: &Predicates, number: usize) -> Result<(), NoClauses> {
    let thread = view.moves[number].thread;
    let ending = view.moves[number].branch.ending;
    if ending == BranchEnd::Halts {
        return Ok(());
    }
    let touched: Vec<usize> =
        (0..view.threads.len()).filter(|&other| other != thread && is_touched(view, number, other)).collect();
    for chosen in choices(&view.absent_tests(number, &[thread]))? {
        let taken = Taken { number, block: None };
        let Passage { constraint, before, after, origin, .. } = view.passage(taken, &[], &chosen);
        let mut body = vec![reach(view, predicates, thread, &before)];
        body.extend(chosen.iter().map(|&(other, _)| reach(view, predicates, other, &before)));
        if ending != BranchEnd::Moves {
            view.add(origin, constraint, body, None)?;
            continue;
        }
        let own = reach(view, predicates, thread, &after);
        view.add(origin.clone(), constraint, body.clone(), Some(own))?;
        let effect = env(view, predicates, thread, &before, &after);
        view.add(origin.clone(), constraint, body.clone(), Some(effect))?;
        for &other in &touched {
            let mut body = body.clone();
            if !chosen.iter().any(|(present, _)| *present == other) {
                body.push(reach(view, predicates, other, &before));
            }
            let head = reach(view, predicates, other, &after);
            view.add(origin.clone(), constraint, body, Some(head))?;
        }
    }
    Ok(())
}

/// Whether a step starts another thread or changes its locals: more than the effect on globals tells.
fn is_touched(view: &View, number: usize, other: usize) -> bool {
    let branch = &view.moves[number].branch;
    let is_local = |cell| view.threads[other].locals.contains(&cell);
    branch.started.iter().any(|started| rely_base::Id::index(*started) == other)
        || branch.updates.iter().any(|(cell, _)| is_local(*cell))
}

/// A thread at a moment survives what another one does.
fn observed(
    view: &mut View,
    predicates: &Predicates,
    observer: usize,
    actor: usize,
) -> Result<(), NoClauses> {
    let (before, mut after) = (view.any_moment(), view.any_moment());
    after.keep_cells(&before, &view.threads[observer].locals);
    // Where it stands; a step that starts it has a clause of its own.
    after.places[observer] = before.places[observer];
    let atomic: Vec<usize> = (0..view.threads[observer].points.len())
        .filter(|&place| view.threads[observer].atomic[place])
        .collect();
    let inside = view.stands(&before, observer, &atomic);
    let constraint = view.pool.not(inside);
    let body =
        vec![reach(view, predicates, observer, &before), env(view, predicates, actor, &before, &after)];
    let head = reach(view, predicates, observer, &after);
    view.add(Origin::Observed, constraint, body, Some(head))
}

fn properties(view: &mut View, predicates: &Predicates) -> Result<(), NoClauses> {
    for violation in view.violations.clone() {
        let involved = view.involved(&violation);
        let mut moment = view.any_moment();
        let guard = view.guard(&violation.guard, &mut moment);
        let standing = view.tested(&involved, &moment);
        let alone = view.nobody_atomic(&moment, &[]);
        let constraint = view.pool.and([guard, standing, alone]);
        let body = involved.iter().map(|(thread, _)| reach(view, predicates, *thread, &moment)).collect();
        let origin = Origin::Property { property: violation.property, undefined: violation.undefined };
        view.add(origin, constraint, body, None)?;
    }
    Ok(())
}
