//! Assertions at places that no step of another thread invalidates.

use crate::NoClauses;
use crate::view::{Moment, Passage, View, choices};
use rely_horn::{Application, UnknownId};
use rely_symbolic::BranchEnd;

/// The assertion of each place of each thread.
type Assertions = Vec<Vec<UnknownId>>;

pub(crate) fn write(view: &mut View) -> Result<(), NoClauses> {
    let assertions = declare(view);
    initially(view, &assertions)?;
    for number in 0..view.moves.len() {
        own_step(view, &assertions, number)?;
        let actor = view.moves[number].thread;
        for observer in (0..view.threads.len()).filter(|&other| other != actor) {
            interference(view, &assertions, number, observer)?;
        }
    }
    properties(view, &assertions)
}

fn declare(view: &mut View) -> Assertions {
    let mut assertions = Vec::new();
    for thread in 0..view.threads.len() {
        let (name, count) = (view.threads[thread].name.clone(), view.threads[thread].points.len());
        let width = view.state_width(thread);
        assertions.push((0..count).map(|place| view.declare(&format!("{name}@{place}"), width)).collect());
    }
    assertions
}

fn at(view: &View, assertions: &Assertions, thread: usize, place: usize, moment: &Moment) -> Application {
    Application { unknown: assertions[thread][place], arguments: view.state(thread, moment) }
}

fn initially(view: &mut View, assertions: &Assertions) -> Result<(), NoClauses> {
    view.add_initial(|view, thread, moment| at(view, assertions, thread, view.threads[thread].start, moment))
}

/// A step of a thread, or its failure, as the thread itself sees it.
fn own_step(view: &mut View, assertions: &Assertions, number: usize) -> Result<(), NoClauses> {
    let (thread, source, target) = place_of(view, number);
    for chosen in choices(&view.absent_tests(number, &[thread]))? {
        let Passage { constraint, before, after } = view.passage(number, &[(thread, source)], &chosen);
        let mut body = vec![at(view, assertions, thread, source, &before)];
        body.extend(chosen.iter().map(|&(other, place)| at(view, assertions, other, place, &before)));
        let head = match view.moves[number].branch.ending {
            BranchEnd::Moves => Some(at(view, assertions, thread, target, &after)),
            BranchEnd::Halts => return Ok(()),
            BranchEnd::Fails(_) | BranchEnd::Undefined => None,
        };
        view.add(constraint, body, head)?;
    }
    Ok(())
}

fn place_of(view: &View, number: usize) -> (usize, usize, usize) {
    let step = &view.moves[number];
    (step.thread, step.source, step.target)
}

/// A step of a thread as another one sees it, from each of its places.
fn interference(
    view: &mut View,
    assertions: &Assertions,
    number: usize,
    observer: usize,
) -> Result<(), NoClauses> {
    if view.moves[number].branch.ending != BranchEnd::Moves || !is_seen(view, number, observer) {
        return Ok(());
    }
    let (thread, source, _) = place_of(view, number);
    for place in 0..view.threads[observer].points.len() {
        // Nobody else moves while a thread is inside of an atomic block.
        let tests = &view.moves[number].tests;
        let is_excluded = tests.iter().any(|(other, points)| *other == observer && !points.contains(&place));
        if view.threads[observer].atomic[place] || is_excluded {
            continue;
        }
        for chosen in choices(&view.absent_tests(number, &[thread, observer]))? {
            let standing = [(thread, source), (observer, place)];
            let Passage { constraint, before, after } = view.passage(number, &standing, &chosen);
            let mut body = vec![at(view, assertions, observer, place, &before)];
            body.push(at(view, assertions, thread, source, &before));
            body.extend(chosen.iter().map(|&(other, place)| at(view, assertions, other, place, &before)));
            let is_started =
                view.moves[number].branch.started.iter().any(|started| index(*started) == observer);
            let next = if is_started { view.threads[observer].entry } else { place };
            let head = at(view, assertions, observer, next, &after);
            view.add(constraint, body, Some(head))?;
        }
    }
    Ok(())
}

fn index(thread: rely_program::ThreadId) -> usize {
    rely_base::Id::index(thread)
}

/// Whether a step can change what the assertion of another thread speaks of.
fn is_seen(view: &View, number: usize, observer: usize) -> bool {
    let step = &view.moves[number];
    let speaks_of = |cell| view.globals.contains(&cell) || view.threads[observer].locals.contains(&cell);
    view.places
        || step.branch.updates.iter().any(|(cell, _)| speaks_of(*cell))
        || step.branch.started.iter().any(|started| index(*started) == observer)
}

fn properties(view: &mut View, assertions: &Assertions) -> Result<(), NoClauses> {
    for violation in view.violations.clone() {
        let involved = view.involved(&violation);
        for chosen in choices(&involved)? {
            let mut moment = view.any_moment();
            for &(thread, place) in &chosen {
                moment = view.standing(moment, thread, place);
            }
            let guard = view.guard(&violation.guard, &mut moment);
            let alone = view.nobody_atomic(&moment, &[]);
            let constraint = view.pool.and([guard, alone]);
            let body = chosen.iter().map(|&(thread, place)| at(view, assertions, thread, place, &moment));
            let body = body.collect();
            view.add(constraint, body, None)?;
        }
    }
    Ok(())
}
