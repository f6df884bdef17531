//! Which steps of a run matter to other threads.
//!
//! A step matters if it touches a shared variable at a time when there are several threads, and another thread touches
//! the same variable then, one of them writing; if it is the last one; and if it wrote what such a step reads. What is
//! left out is what a thread does by itself: going through a loop that starts others, computing with its own variables.

use rely_program::{SlotId, VarId};
use std::collections::BTreeMap;

/// A shared variable, or a cell of a shared array.
pub(crate) type SharedCell = (VarId, usize);

/// What a step does to what all threads see.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) slot: Option<SlotId>,
    pub(crate) reads: Vec<SharedCell>,
    pub(crate) writes: Vec<SharedCell>,
}

impl Accesses {
    fn cells(&self) -> impl Iterator<Item = (SharedCell, bool)> + '_ {
        let reads = self.reads.iter().map(|&cell| (cell, false));
        reads.chain(self.writes.iter().map(|&cell| (cell, true)))
    }
}

/// For each step whether it matters. From `several` on there are several threads.
pub(crate) fn essential(steps: &[Accesses], several: usize) -> Vec<bool> {
    let mut users: BTreeMap<SharedCell, Vec<(Option<SlotId>, bool)>> = BTreeMap::new();
    for step in &steps[several.min(steps.len())..] {
        for (cell, is_write) in step.cells() {
            let known = users.entry(cell).or_default();
            if !known.contains(&(step.slot, is_write)) {
                known.push((step.slot, is_write));
            }
        }
    }
    let is_contested = |slot: Option<SlotId>, (cell, is_write): (SharedCell, bool)| {
        let others = users.get(&cell).into_iter().flatten().filter(|(other, _)| *other != slot);
        others.into_iter().any(|(_, writes)| is_write || *writes)
    };
    let mut matters: Vec<bool> = steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let is_last = index + 1 == steps.len();
            is_last || index >= several && step.cells().any(|access| is_contested(step.slot, access))
        })
        .collect();
    add_origins(steps, &mut matters);
    matters
}

/// Adds the steps that wrote what those that matter read.
fn add_origins(steps: &[Accesses], matters: &mut [bool]) {
    let mut writers: BTreeMap<SharedCell, Vec<usize>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        step.writes.iter().for_each(|&cell| writers.entry(cell).or_default().push(index));
    }
    // What a step reads was written before it: who goes backwards sees each step once.
    for index in (0..steps.len()).rev() {
        if !matters[index] {
            continue;
        }
        for cell in &steps[index].reads {
            let known = writers.get(cell).map_or(&[][..], Vec::as_slice);
            if let Some(&writer) = known[..known.partition_point(|&writer| writer < index)].last() {
                matters[writer] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::Id;

    fn step(slot: usize, reads: &[usize], writes: &[usize]) -> Accesses {
        let cells = |vars: &[usize]| vars.iter().map(|&var| (VarId::from_index(var), 0)).collect();
        Accesses { slot: Some(SlotId::from_index(slot)), reads: cells(reads), writes: cells(writes) }
    }

    #[test]
    fn what_a_thread_does_by_itself_is_left_out() {
        let run = [
            step(0, &[], &[7]),    // sets up what nobody reads
            step(0, &[], &[1]),    // sets up what is read
            step(0, &[], &[5]),    // from here on there are several threads
            step(1, &[1, 3], &[]), // only looks at what nobody changes
            step(1, &[2], &[]),
            step(2, &[], &[2]),
            step(1, &[4], &[4]), // nobody else cares
            step(0, &[], &[]),
        ];
        let expected = [false, false, false, false, true, true, false, true];
        assert_eq!(essential(&run, 3), expected);
        let race = [step(0, &[], &[1]), step(1, &[1], &[1]), step(2, &[1], &[]), step(0, &[], &[])];
        assert_eq!(essential(&race, 1), [true, true, true, true]);
    }
}
