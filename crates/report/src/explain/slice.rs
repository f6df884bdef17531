//! Which steps of a run a violation depends on.
//!
//! Backwards from the values that are wrong: the steps that wrote them, the reads from which those
//! values were computed, and the conditions under which the threads went there. Conditions count
//! the last time that a thread passed them. More steps may be found than are needed, which only
//! means that there is more to choose from.

use super::record::{Cell, ReadId, Record};
use rely_program::{LocationId, SlotId};
use std::collections::{BTreeSet, HashSet};

/// The steps on which a violation depends.
#[derive(Default)]
pub(super) struct Slice {
    /// Steps that wrote something that matters.
    pub(super) writes: BTreeSet<usize>,
    /// Steps that passed a condition that matters.
    pub(super) tests: BTreeSet<usize>,
}

impl Slice {
    /// What the values of `cells` at the end depend on, and how `threads` came where they are.
    pub(super) fn new(record: &Record<'_>, reads: &[ReadId], cells: &[Cell], threads: &[SlotId]) -> Self {
        let end = record.events.len();
        let mut slice = Self::default();
        let mut pending: Vec<(Cell, usize)> = reads.iter().map(|&(step, cell)| (cell, step)).collect();
        pending.extend(cells.iter().map(|&cell| (cell, end)));
        let mut followed: HashSet<SlotId> = HashSet::new();
        let mut waiting: Vec<SlotId> = threads.to_vec();
        let mut seen: HashSet<ReadId> = HashSet::new();
        loop {
            for slot in std::mem::take(&mut waiting) {
                if followed.insert(slot) {
                    for step in last_tests(record, slot) {
                        slice.tests.insert(step);
                        pending.extend(record.events[step].tested.iter().map(|&(step, cell)| (cell, step)));
                    }
                }
            }
            let Some((cell, before)) = pending.pop() else { return slice };
            let Some(&writer) = record.writers_before(cell, before).last() else { continue };
            slice.writes.insert(writer);
            if seen.insert((writer, cell)) {
                let from = record.written(writer, cell).map_or(&[][..], |written| written.from.as_slice());
                pending.extend(from.iter().map(|&(step, cell)| (cell, step)));
                waiting.push(record.slot(writer));
            }
        }
    }
}

/// Where a thread passed a condition: of each place in its program the last time.
fn last_tests(record: &Record<'_>, slot: SlotId) -> Vec<usize> {
    let mut seen: HashSet<LocationId> = HashSet::new();
    let steps = (0..record.events.len()).rev().filter(|&step| record.slot(step) == slot);
    let tests = steps.filter(|&step| record.events[step].tests);
    tests.filter(|&step| seen.insert(record.program.edges()[record.edge(step)].source)).collect()
}
