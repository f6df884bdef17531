//! Assertions at places that no step of another thread invalidates; what nobody interrupts may be summarised.

use crate::blocks::Blocks;
use crate::view::{Moment, Passage, Taken, View, choices};
use crate::{Assertion, NoClauses, Origin, Summary};
use rely_base::Id;
use rely_horn::{Application, UnknownId};
use rely_program::ThreadId;
use rely_symbolic::BranchEnd;

/// The predicates of the rule.
struct Predicates {
    /// The assertion of each place of each thread that is not inside of a block.
    assertions: Vec<Vec<Option<UnknownId>>>,
    blocks: Blocks,
}

/// Without summaries, each place inside of an atomic block has its assertion, too.
pub(crate) fn write(
    view: &mut View,
    with_summaries: bool,
) -> Result<(Vec<Assertion>, Vec<Summary>), NoClauses> {
    let blocks = if with_summaries { Blocks::atomic(view) } else { Blocks::none(view) };
    let predicates = Predicates { assertions: declare(view, &blocks), blocks };
    view.add_initial(|view, thread, moment| {
        predicates
            .at(view, thread, view.threads[thread].start, moment)
            .expect("no block begins in its middle")
    })?;
    for number in 0..view.moves.len() {
        for taken in predicates.blocks.ways(view, number) {
            own_step(view, &predicates, taken)?;
            let actor = view.moves[number].thread;
            for observer in (0..view.threads.len()).filter(|&other| other != actor) {
                interference(view, &predicates, taken, observer)?;
            }
        }
    }
    properties(view, &predicates)?;
    Ok((told(view, &predicates), predicates.blocks.told(view)))
}

fn declare(view: &mut View, blocks: &Blocks) -> Vec<Vec<Option<UnknownId>>> {
    let mut assertions = Vec::new();
    for thread in 0..view.threads.len() {
        let (name, count) = (view.threads[thread].name.clone(), view.threads[thread].points.len());
        let width = view.arguments(thread).len();
        let declared = (0..count).map(|place| {
            let is_outside = !blocks.contains(thread, place);
            is_outside.then(|| view.declare(&format!("{name}@{place}"), width))
        });
        assertions.push(declared.collect());
    }
    assertions
}

/// What each assertion is about.
fn told(view: &View, predicates: &Predicates) -> Vec<Assertion> {
    let of_thread = |(thread, places): (usize, &Vec<Option<UnknownId>>)| {
        let told = places.iter().enumerate().filter_map(move |(place, unknown)| {
            let (arguments, point) = (view.arguments(thread), view.threads[thread].points[place]);
            Some(Assertion { unknown: (*unknown)?, thread: ThreadId::from_index(thread), point, arguments })
        });
        told.collect::<Vec<_>>()
    };
    predicates.assertions.iter().enumerate().flat_map(of_thread).collect()
}

impl Predicates {
    /// The assertion of a place; inside of a block there is none.
    fn at(&self, view: &View, thread: usize, place: usize, moment: &Moment) -> Option<Application> {
        let unknown = self.assertions[thread][place]?;
        Some(Application { unknown, arguments: view.state(thread, moment) })
    }

    /// What is known of the thread that moves, and of those that are chosen to stand somewhere.
    fn premises(
        &self,
        view: &View,
        taken: Taken,
        passage: &Passage,
        chosen: &[(usize, usize)],
    ) -> Vec<Application> {
        let (thread, source, target) = place_of(view, taken);
        let beginning = taken.block.unwrap_or(source);
        let goes_on = taken.block.is_some() && self.blocks.contains(thread, target);
        let mut premises = Vec::new();
        if !goes_on || view.moves[taken.number].branch.ending != BranchEnd::Moves {
            premises.extend(self.at(view, thread, beginning, &passage.before));
        }
        if taken.block.is_some() {
            let moments = [&passage.before, &passage.middle];
            premises.push(self.blocks.summary(view, (thread, beginning, source), moments));
        }
        premises
            .extend(chosen.iter().filter_map(|&(other, place)| self.at(view, other, place, &passage.before)));
        premises
    }
}

fn place_of(view: &View, taken: Taken) -> (usize, usize, usize) {
    let step = &view.moves[taken.number];
    (step.thread, step.source, step.target)
}

/// A step of a thread, or its failure, as the thread itself sees it.
fn own_step(view: &mut View, predicates: &Predicates, taken: Taken) -> Result<(), NoClauses> {
    let (thread, source, target) = place_of(view, taken);
    let ending = view.moves[taken.number].branch.ending;
    if ending == BranchEnd::Halts {
        return Ok(());
    }
    for chosen in choices(&view.absent_tests(taken.number, &[thread]))? {
        let passage = view.passage(taken, &[], &chosen);
        let body = predicates.premises(view, taken, &passage, &chosen);
        let head = (ending == BranchEnd::Moves).then(|| {
            let key = (thread, taken.block.unwrap_or(source), target);
            let summary = || predicates.blocks.summary(view, key, [&passage.before, &passage.after]);
            predicates.at(view, thread, target, &passage.after).unwrap_or_else(summary)
        });
        view.add(passage.origin, passage.constraint, body, head)?;
    }
    Ok(())
}

/// A step of a thread as another one sees it, from each of its places.
fn interference(
    view: &mut View,
    predicates: &Predicates,
    taken: Taken,
    observer: usize,
) -> Result<(), NoClauses> {
    let number = taken.number;
    let (thread, _, target) = place_of(view, taken);
    let is_hidden = predicates.blocks.contains(thread, target);
    if view.moves[number].branch.ending != BranchEnd::Moves || is_hidden || !is_seen(view, taken, observer) {
        return Ok(());
    }
    for place in 0..view.threads[observer].points.len() {
        // Nobody else moves while a thread is inside of an atomic block.
        let tests = &view.moves[number].tests;
        let is_excluded = tests.iter().any(|(other, points)| *other == observer && !points.contains(&place));
        if view.threads[observer].atomic[place] || is_excluded {
            continue;
        }
        for chosen in choices(&view.absent_tests(number, &[thread, observer]))? {
            let passage = view.passage(taken, &[(observer, place)], &chosen);
            let mut body: Vec<Application> =
                predicates.at(view, observer, place, &passage.before).into_iter().collect();
            body.extend(predicates.premises(view, taken, &passage, &chosen));
            let is_started =
                view.moves[number].branch.started.iter().any(|started| started.index() == observer);
            let next = if is_started { view.threads[observer].entry } else { place };
            let head = predicates.at(view, observer, next, &passage.after);
            view.add(passage.origin, passage.constraint, body, head)?;
        }
    }
    Ok(())
}

/// Whether a step can change what the assertion of another thread speaks of; what a block did is not looked at.
fn is_seen(view: &View, taken: Taken, observer: usize) -> bool {
    let step = &view.moves[taken.number];
    let speaks_of = |cell| view.globals.contains(&cell) || view.threads[observer].locals.contains(&cell);
    view.tells_places()
        || taken.block.is_some()
        || step.branch.updates.iter().any(|(cell, _)| speaks_of(*cell))
        || step.branch.started.iter().any(|started| started.index() == observer)
}

fn properties(view: &mut View, predicates: &Predicates) -> Result<(), NoClauses> {
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
            let body =
                chosen.iter().filter_map(|&(thread, place)| predicates.at(view, thread, place, &moment));
            let body = body.collect();
            let origin = Origin::Property { property: violation.property, undefined: violation.undefined };
            view.add(origin, constraint, body, None)?;
        }
    }
    Ok(())
}
