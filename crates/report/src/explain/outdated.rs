//! Decisions by what is not so any more: a thread reads a cell into a variable of its own, another thread writes the
//! cell, and the first one decides by the variable and acts.
//!
//! That the decision would have been another one is asked of its condition, with the new value in place of the variable
//! that holds the old one.

use super::cause::with_value;
use super::record::{Cell, Record};
use super::slice::Slice;
use super::{Fact, Sentence};
use rely_program::{Op, SlotId, Value, VarId};

/// A test of a variable that holds what a cell was before somebody else wrote it.
struct Outdated {
    read: usize,
    test: usize,
    cell: Cell,
    seen: Value,
    write: usize,
    written: Value,
}

/// Says who decided by an old value, if anybody did whom that led to the violation.
pub(super) fn decision(record: &Record<'_>, slice: &Slice, violator: Option<SlotId>) -> Option<Sentence> {
    let acts = |found: &Outdated| {
        let slot = record.slot(found.test);
        let behind = found.test.max(found.write);
        let mut writes = slice.writes.iter().filter(|&&step| step > found.test && record.slot(step) == slot);
        match violator == Some(slot) {
            // What it does first may be what fails.
            true => writes.next().is_none_or(|&first| first > behind),
            false => writes.any(|&step| step > behind),
        }
    };
    let found = slice.tests.iter().rev().find_map(|&test| outdated(record, test).filter(acts))?;
    Some(found.sentence(record))
}

fn outdated(record: &Record<'_>, test: usize) -> Option<Outdated> {
    let slot = record.slot(test);
    let earlier = record.events[test].tested.iter().filter(|(read, _)| *read < test);
    let named = earlier.filter(|(_, cell)| record.is_named(*cell) && !record.is_lock(*cell));
    named.into_iter().find_map(|&(read, cell)| {
        let seen = record.value_read((read, cell))?;
        // What the thread has written itself since it looked is no surprise to it.
        let writers = record.writers_from(cell, read + 1).iter().copied();
        let mut others = writers.take_while(|&step| record.slot(step) != slot);
        let written = |step: usize| record.written(step, cell).map_or(seen, |written| written.new);
        let write = others.find(|&step| {
            written(step) != seen && is_other_decision(record, test, (slot, seen), written(step))
        })?;
        Some(Outdated { read, test, cell, seen, write, written: written(write) })
    })
}

/// Whether a thread would not have passed a test if a variable of its own that holds a value had held another one.
fn is_other_decision(
    record: &Record<'_>,
    test: usize,
    (slot, seen): (SlotId, Value),
    written: Value,
) -> bool {
    let state = record.state(test);
    let holds_it = |var: VarId| {
        let declaration = &record.program.vars()[var];
        let is_own = !declaration.is_global() && declaration.length.is_none();
        is_own && record.semantics.local(state, slot, var).first() == Some(&seen)
    };
    let conditions = record.program.edges()[record.edge(test)].ops.iter().map_while(|op| match op {
        Op::Assume(condition, _) => Some(condition),
        _ => None,
    });
    conditions.into_iter().any(|condition| {
        let mut vars = Vec::new();
        condition.for_each_var(|var| vars.extend(holds_it(var).then_some(var)));
        vars.into_iter().any(|var| {
            let changed = with_value(record, condition, Cell { var, index: 0 }, written);
            record.semantics.evaluate_for(state, slot, &changed) == Ok(0)
        })
    })
}

impl Outdated {
    fn sentence(&self, record: &Record<'_>) -> Sentence {
        let (thread, other) = (record.thread(record.slot(self.test)), record.thread(record.slot(self.write)));
        let name = record.name(self.cell);
        let text = format!(
            "{thread} decides{} by `{name}` = {}, which it has read before{}. Meanwhile {other} writes `{name}` = {}{}: the decision is out of date when {thread} acts on it.",
            record.at_line(self.test),
            record.text(self.cell, self.seen),
            record.at(self.read),
            record.text(self.cell, self.written),
            record.at(self.write),
        );
        let facts = vec![
            record.read_fact(self.read, self.cell, self.seen),
            Fact::Test { step: self.test },
            record.write_fact(self.write, self.cell, self.written),
        ];
        Sentence { text, facts }
    }
}
