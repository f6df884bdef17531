//! The control points of threads, as far as a pack of cells can tell them apart.

use rely_base::{Id, define_id};
use rely_logic::VarId;
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, Move, System};
use std::ops::Range;

define_id!(
    /// Control points of one thread between which nothing happens to the cells of a pack.
    pub(crate) struct StageId
);

/// The stages of all threads, one thread after the other.
pub(crate) struct Stages {
    /// The stage of each control point of each thread.
    of_points: Vec<Vec<StageId>>,
    of_threads: Vec<Range<usize>>,
}

impl Stages {
    pub(crate) fn new(system: &System<'_>, pack: &[VarId]) -> Self {
        let mut count = 0;
        let mut stages = Stages { of_points: Vec::new(), of_threads: Vec::new() };
        for thread in system.thread_ids() {
            let first = count;
            let groups = groups(system, thread, pack);
            let mut number_of: Vec<Option<StageId>> = vec![None; groups.len()];
            let of_points = groups.iter().map(|&group| {
                *number_of[group].get_or_insert_with(|| {
                    count += 1;
                    StageId::from_index(count - 1)
                })
            });
            stages.of_points.push(of_points.collect());
            stages.of_threads.push(first..count);
        }
        stages
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.of_threads.last().map_or(0, |range| range.end)
    }

    pub(crate) fn of(&self, thread: ThreadId, point: ControlPointId) -> StageId {
        self.of_points[thread.index()][point.index()]
    }

    /// The numbers of the stages of each thread.
    pub(crate) fn of_threads(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.of_threads.iter().cloned()
    }
}

/// For each control point of a thread, one that stands for all that cannot be told apart from it.
fn groups(system: &System<'_>, thread: ThreadId, pack: &[VarId]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..system.thread(thread).points.len()).collect();
    for by in system.moves.iter().filter(|by| by.thread == thread && !matters(by, pack)) {
        let (kept, gone) = (groups[by.source.index()], groups[by.target.index()]);
        groups.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
    }
    groups
}

/// Whether a move tests or changes a cell of a pack, or starts somebody.
pub(crate) fn matters(by: &Move, pack: &[VarId]) -> bool {
    let Move { branch, .. } = by;
    let is_tested = branch.guard.iter().any(|test| test.form().variables().any(|cell| pack.contains(&cell)));
    let is_changed = branch.updates.iter().any(|(cell, _)| pack.contains(cell));
    let goes_on = branch.ending == BranchEnd::Moves;
    is_tested || is_changed || !goes_on || !branch.started.is_empty() || !branch.spawned.is_empty()
}
