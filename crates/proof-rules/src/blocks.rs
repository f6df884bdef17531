//! Blocks of steps that others see as one, and their summaries.
//!
//! A place is inside of a block if it is in the middle of what nobody interrupts. A block has a summary for
//! each place where it begins and each of its own: a relation between what holds when it begins and what
//! holds there. So loops inside of blocks are up to the solver.

use crate::Summary;
use crate::view::{Moment, Taken, View};
use rely_base::Id;
use rely_horn::{Application, UnknownId};
use rely_logic::{TermId, VarId};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// Which places are inside of blocks, and the summaries of these.
#[derive(Default)]
pub(crate) struct Blocks {
    inside: Vec<Vec<bool>>,
    /// By thread, the place where the block begins, and the place inside.
    summaries: FxHashMap<(usize, usize, usize), UnknownId>,
    /// The threads whose places matter to the steps inside of each thread's blocks.
    tested: Vec<Vec<usize>>,
}

impl Blocks {
    /// No block at all.
    pub(crate) fn none(view: &View) -> Self {
        let inside = view.threads.iter().map(|thread| vec![false; thread.points.len()]).collect();
        Self { inside, tested: vec![Vec::new(); view.threads.len()], ..Self::default() }
    }

    /// What is atomic, except where a thread starts, or has to do with another one's start.
    pub(crate) fn atomic(view: &mut View) -> Self {
        let mut blocks = Self::none(view);
        for (thread, seen) in view.threads.iter().enumerate() {
            blocks.inside[thread] = seen.atomic.clone();
            blocks.inside[thread][seen.start] = false;
            blocks.inside[thread][seen.entry] = false;
        }
        for step in view.moves.iter() {
            let own = |cell| view.globals.contains(cell) || view.threads[step.thread].locals.contains(cell);
            let stays =
                step.branch.started.is_empty() && step.branch.updates.iter().all(|(cell, _)| own(cell));
            if !stays {
                blocks.inside[step.thread][step.source] = false;
                blocks.inside[step.thread][step.target] = false;
            }
        }
        blocks.find_tests(view);
        blocks.declare_summaries(view);
        blocks
    }

    fn find_tests(&mut self, view: &View) {
        for step in view.moves.iter().filter(|step| self.inside[step.thread][step.source]) {
            let others = step.tests.iter().map(|(other, _)| *other).filter(|&other| other != step.thread);
            self.tested[step.thread].extend(others);
        }
        for tested in &mut self.tested {
            tested.sort_unstable();
            tested.dedup();
        }
    }

    fn declare_summaries(&mut self, view: &mut View) {
        let steps: Vec<(usize, usize, usize)> =
            view.moves.iter().map(|step| (step.thread, step.source, step.target)).collect();
        let is_inside = |inside: &[Vec<bool>], thread: usize, place: usize| inside[thread][place];
        let mut found = true;
        while found {
            found = false;
            for &(thread, source, target) in &steps {
                if !is_inside(&self.inside, thread, target) {
                    continue;
                }
                let known = match is_inside(&self.inside, thread, source) {
                    true => self.beginnings(thread, source),
                    false => vec![source],
                };
                for beginning in known {
                    found |= self.declare_summary(view, (thread, beginning, target));
                }
            }
        }
    }

    fn declare_summary(&mut self, view: &mut View, key: (usize, usize, usize)) -> bool {
        if self.summaries.contains_key(&key) {
            return false;
        }
        let (thread, beginning, place) = key;
        let own = own_cells(view, thread).len();
        let tested = self.tested_by(view, thread).len();
        let name = format!("{}@{beginning}..{place}", view.threads[thread].name);
        self.summaries.insert(key, view.declare(&name, 2 * own + tested));
        true
    }

    /// Where the blocks begin that come to a place.
    fn beginnings(&self, thread: usize, place: usize) -> Vec<usize> {
        let of_place =
            self.summaries.keys().filter(|(other, _, inside)| (*other, *inside) == (thread, place));
        let mut beginnings: Vec<usize> = of_place.map(|(_, beginning, _)| *beginning).collect();
        beginnings.sort_unstable();
        beginnings
    }

    pub(crate) fn contains(&self, thread: usize, place: usize) -> bool {
        self.inside[thread][place]
    }

    /// The ways in which a move is made: one for each block that comes to its source.
    pub(crate) fn ways(&self, view: &View, number: usize) -> Vec<Taken> {
        let step = &view.moves[number];
        if !self.contains(step.thread, step.source) {
            return vec![Taken { number, block: None }];
        }
        let beginnings = self.beginnings(step.thread, step.source).into_iter();
        beginnings.map(|beginning| Taken { number, block: Some(beginning) }).collect()
    }

    /// The summary of a block that began at one moment and has come to a place at another one.
    pub(crate) fn summary(
        &self,
        view: &View,
        (thread, beginning, place): (usize, usize, usize),
        [before, after]: [&Moment; 2],
    ) -> Application {
        let own = own_cells(view, thread);
        let mut arguments: Vec<TermId> = view.values(&own, before);
        arguments.extend(self.tested_by(view, thread).iter().map(|&other| before.places[other]));
        arguments.extend(view.values(&own, after));
        Application { unknown: self.summaries[&(thread, beginning, place)], arguments }
    }

    /// The threads whose places occur in the summaries of a thread.
    fn tested_by(&self, view: &View, thread: usize) -> &[usize] {
        if view.tells_places() { &self.tested[thread] } else { &[] }
    }

    /// What each summary is about, in the order of threads and places.
    pub(crate) fn told(&self, view: &View) -> Vec<Summary> {
        let mut keys: Vec<_> = self.summaries.iter().collect();
        keys.sort_unstable();
        let told = keys.into_iter().map(|(&(thread, beginning, place), &unknown)| Summary {
            unknown,
            thread: ThreadId::from_index(thread),
            beginning: view.threads[thread].points[beginning],
            point: view.threads[thread].points[place],
            cells: own_cells(view, thread),
            places: self.tested_by(view, thread).iter().map(|&other| ThreadId::from_index(other)).collect(),
        });
        told.collect()
    }
}

/// What the steps of a block can change: the globals and the locals of its thread.
fn own_cells(view: &View, thread: usize) -> Vec<VarId> {
    [view.globals.as_slice(), &view.threads[thread].locals].concat()
}
