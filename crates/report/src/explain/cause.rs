//! Why a condition is violated: what it saw, who wrote that, and where threads got in each
//! other's way.
//!
//! Two patterns are looked for among the steps on which the violation depends:
//!
//! * *lost update*: a thread reads a cell, another one writes it, and the first one then writes
//!   what it has computed from the old value;
//! * *stale test*: a thread passes a condition, and another one then writes a cell that the
//!   condition had looked at, with which it would not hold.
//!
//! Where there is neither, *decisions by an old value* are looked for ([`outdated`](super::outdated)).

use super::record::{Cell, ReadId, Record};
use super::seen::what_was_seen;
use super::slice::Slice;
use super::{Fact, Sentence};
use rely_program::{Expr, Op, PropertyKind, SlotId, Sort, Value, Violation};

/// More of each pattern is too much to read.
const MOST_SENTENCES: usize = 2;

/// Says why a check fails or a property does not hold.
pub(super) fn sentences(record: &Record<'_>, violation: Violation) -> Vec<Sentence> {
    let (reads, cells, threads) = wrong(record, violation);
    let slice = Slice::new(record, &reads, &cells, &threads);
    let mut sentences = lost_updates(record, &slice);
    sentences.extend(stale_tests(record, &slice, violation));
    if sentences.is_empty() {
        sentences.extend(super::outdated::decision(record, &slice, violator(record, violation)));
    }
    sentences.extend(overwritten(record, &slice));
    sentences.extend(super::wait::returned(record, violation));
    sentences.extend(standing(record, violation));
    sentences.extend(what_was_seen(record, violation, &reads, &cells));
    sentences
}

/// The reads on which the violation depends, the cells that are wrong in the last state, and the
/// threads that matter.
fn wrong(record: &Record<'_>, violation: Violation) -> (Vec<ReadId>, Vec<Cell>, Vec<SlotId>) {
    match violation {
        Violation::Check(_) => match record.events.len().checked_sub(1) {
            Some(last) => (record.events[last].checked.clone(), Vec::new(), vec![record.slot(last)]),
            None => (Vec::new(), Vec::new(), Vec::new()),
        },
        Violation::Property(_) => {
            let Some(condition) = condition(record, violation) else { return Default::default() };
            let cells = record.cells_of(record.last_state(), None, condition);
            let threads = counted(record, condition).into_iter().map(|(slot, _)| slot).collect();
            (Vec::new(), cells, threads)
        }
        Violation::Deadlock | Violation::Race(_) | Violation::Lasso(_) => {
            (Vec::new(), Vec::new(), Vec::new())
        }
    }
}

fn condition<'r>(record: &Record<'r>, violation: Violation) -> Option<&'r Expr> {
    let Violation::Property(index) = violation else { return None };
    match &record.program.properties().get(index)?.kind {
        PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => Some(condition),
        PropertyKind::DeadlockFree | PropertyKind::Terminates => None,
    }
}

/// The threads that stand in the end where a property counts them, with a name for the place.
fn counted(record: &Record<'_>, condition: &Expr) -> Vec<(SlotId, Option<String>)> {
    let mut places = Vec::new();
    condition.walk(&mut |part| {
        if let Expr::CountAt(location) = part {
            places.push(*location);
        }
    });
    let state = record.last_state();
    let stands = |slot: &SlotId| state.location(*slot).is_some_and(|at| places.contains(&at));
    let label = |slot: SlotId| record.program.locations()[state.location(slot)?].label.clone();
    state.slots().filter(stands).map(|slot| (slot, label(slot))).collect()
}

fn standing(record: &Record<'_>, violation: Violation) -> Option<Sentence> {
    let counted = counted(record, condition(record, violation)?);
    let stands = |(slot, label): &(SlotId, Option<String>)| {
        let at = label.as_ref().map(|label| format!(" at `{label}`")).unwrap_or_default();
        format!("{} stands{at}", record.thread(*slot))
    };
    let stands: Vec<String> = counted.iter().map(stands).collect();
    if stands.is_empty() || counted.iter().any(|(_, label)| label.is_none()) {
        return None;
    }
    Some(super::plain(format!("In the end {}.", join(&stands))))
}

/// `a`, `a and b`, `a, b and c`
pub(super) fn join(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [single] => single.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A read, a write of another thread, and a write that comes from the read.
fn lost_updates(record: &Record<'_>, slice: &Slice) -> Vec<Sentence> {
    let mut told: Vec<(SlotId, Cell)> = Vec::new();
    let mut sentences = Vec::new();
    for &last in slice.writes.iter().rev() {
        let slot = record.slot(last);
        for written in &record.events[last].writes {
            let cell = written.cell;
            if told.contains(&(slot, cell)) || !record.is_named(cell) {
                continue;
            }
            let Some((read, between)) = overtaken(record, slot, cell, &written.from, last) else { continue };
            let Some(value) = record.value_read((read, cell)) else { continue };
            told.push((slot, cell));
            sentences.push(lost_update(record, cell, (read, value), between, (last, written.new)));
        }
    }
    sentences.truncate(MOST_SENTENCES);
    sentences
}

/// The latest read of the cell from which a value comes, and the write of another thread
/// behind it and before `end`.
fn overtaken(
    record: &Record<'_>,
    slot: SlotId,
    cell: Cell,
    from: &[ReadId],
    end: usize,
) -> Option<(usize, usize)> {
    let &(read, _) = from.iter().rev().find(|(_, read)| *read == cell)?;
    let changes = |step: &&usize| {
        let is_change = record.written(**step, cell).is_some_and(|written| written.old != written.new);
        record.slot(**step) != slot && is_change
    };
    let writers = record.writers_from(cell, read + 1).iter().take_while(|&&step| step < end);
    Some((read, *writers.filter(changes).last()?))
}

fn lost_update(
    record: &Record<'_>,
    cell: Cell,
    (read, seen): (usize, Value),
    between: usize,
    (last, new): (usize, Value),
) -> Sentence {
    let (name, other) = (record.name(cell), record.thread(record.slot(between)));
    let written = record.written(between, cell).map_or(seen, |written| written.new);
    let value = |value: Value| record.text(cell, value);
    let text = format!(
        "{} reads `{name}` = {}{}, then {other} writes `{name}` = {}{}, then {} writes `{name}` = {}{} from the {} that it had read: what {other} wrote is lost.",
        record.thread(record.slot(read)),
        value(seen),
        record.at(read),
        value(written),
        record.at(between),
        record.thread(record.slot(last)),
        value(new),
        record.at(last),
        value(seen),
    );
    let facts = vec![
        record.read_fact(read, cell, seen),
        record.write_fact(between, cell, written),
        record.write_fact(last, cell, new),
    ];
    Sentence { text, facts }
}

/// A condition that a thread passed, and a later write of another thread that it does not survive.
struct StaleTest {
    test: usize,
    cell: Cell,
    seen: Value,
    write: usize,
    written: Value,
}

/// The thread whose check fails.
fn violator(record: &Record<'_>, violation: Violation) -> Option<SlotId> {
    let last = record.events.len().checked_sub(1)?;
    matches!(violation, Violation::Check(_)).then(|| record.slot(last))
}

fn stale_tests(record: &Record<'_>, slice: &Slice, violation: Violation) -> Vec<Sentence> {
    let mut stale: Vec<StaleTest> = Vec::new();
    let violator = violator(record, violation);
    // Who does nothing that matters any more did not go wrong by its test.
    let goes_on = |found: &StaleTest| {
        let slot = record.slot(found.test);
        let later = || {
            slice
                .writes
                .iter()
                .chain(&slice.tests)
                .any(|&step| step > found.write && record.slot(step) == slot)
        };
        matches!(violation, Violation::Property(_)) || violator == Some(slot) || later()
    };
    for &test in slice.tests.iter().rev() {
        let is_new = |found: &StaleTest| {
            let same_line = |other: &StaleTest| {
                record.slot(other.test) == record.slot(found.test)
                    && record.line(record.edge(other.test)) == record.line(record.edge(found.test))
            };
            !stale.iter().any(same_line)
        };
        stale.extend(stale_test(record, test).filter(is_new).filter(goes_on));
    }
    stale.truncate(MOST_SENTENCES);
    let mut sentences: Vec<Sentence> = stale.iter().map(|stale| stale.sentence(record)).collect();
    if let [only] = stale.as_slice() {
        sentences.extend(both_past(record, slice, only));
    }
    sentences
}

fn stale_test(record: &Record<'_>, test: usize) -> Option<StaleTest> {
    let event = &record.events[test];
    let slot = record.slot(test);
    // Only what the step itself reads: then its condition can be asked again.
    event.reads.iter().filter(|(cell, _)| record.is_named(*cell)).find_map(|&(cell, seen)| {
        if !event.tested.contains(&(test, cell)) {
            return None;
        }
        let writers = record.writers_from(cell, test);
        // What the thread has written itself since it looked is no surprise to it.
        let mut others = writers.iter().copied().take_while(|&step| record.slot(step) != slot);
        let write = others.find(|&step| is_refuted(record, test, step + 1))?;
        let written = record.written(write, cell)?.new;
        let has_ended = record.state(write).location(slot)
            == Some(record.program.threads()[record.state(write).thread(slot)].exit);
        (!has_ended && written != seen).then_some(StaleTest { test, cell, seen, write, written })
    })
}

/// Whether a condition that a step passed does not hold any more in the state before `later`,
/// though the locals that it looks at have the same values.
fn is_refuted(record: &Record<'_>, test: usize, later: usize) -> bool {
    let (before, after) = (record.state(test), record.state(later));
    let slot = record.slot(test);
    let mut refuted = false;
    for op in &record.program.edges()[record.edge(test)].ops {
        let Op::Assume(condition, _) = op else { break };
        let mut same_locals = true;
        condition.for_each_var(|var| {
            same_locals &= record.program.vars()[var].is_global()
                || record.semantics.local(before, slot, var) == record.semantics.local(after, slot, var);
        });
        if !same_locals {
            return false;
        }
        refuted |= record.semantics.evaluate_for(after, slot, condition) == Ok(0);
    }
    refuted
}

impl StaleTest {
    fn sentence(&self, record: &Record<'_>) -> Sentence {
        let (first, other) = (record.thread(record.slot(self.test)), record.thread(record.slot(self.write)));
        let name = record.name(self.cell);
        let text = format!(
            "{first} passes the test{} with `{name}` = {}; then {other} writes `{name}` = {}{}, with which {first} would not have passed.",
            record.at_line(self.test),
            record.text(self.cell, self.seen),
            record.text(self.cell, self.written),
            record.at(self.write),
        );
        let facts = vec![
            Fact::Test { step: self.test },
            record.read_fact(self.test, self.cell, self.seen),
            record.write_fact(self.write, self.cell, self.written),
        ];
        Sentence { text, facts }
    }
}

/// The thread whose write came too late for a test has passed one of its own.
fn both_past(record: &Record<'_>, slice: &Slice, stale: &StaleTest) -> Option<Sentence> {
    let other = record.slot(stale.write);
    // Its own test looks at what the first thread writes: each of them should have kept the other out.
    let first = record.slot(stale.test);
    let is_written = |cell: Cell| {
        record.is_named(cell)
            && record.writers_before(cell, record.events.len()).iter().any(|&step| record.slot(step) == first)
    };
    let is_own = |&test: &usize| {
        record.slot(test) == other && record.events[test].tested.iter().any(|(_, cell)| is_written(*cell))
    };
    let own = slice.tests.iter().copied().rfind(is_own)?;
    let text = format!(
        "So both are past their tests: {}{} and {}{}.",
        record.thread(record.slot(stale.test)),
        record.at_line(stale.test),
        record.thread(other),
        record.at_line(own),
    );
    let steps = [stale.test.min(own), stale.test.max(own)];
    Some(Sentence { text, facts: steps.map(|step| Fact::Test { step }).to_vec() })
}

/// A thread passes its test although it has written a value with which it would not, because another thread has
/// overwritten that.
fn overwritten(record: &Record<'_>, slice: &Slice) -> Option<Sentence> {
    slice.tests.iter().rev().find_map(|&test| {
        let slot = record.slot(test);
        let cells = record.events[test].reads.iter().filter(|(cell, _)| record.is_named(*cell) && !record.is_lock(*cell));
        cells.into_iter().find_map(|&(cell, seen)| {
            if !record.events[test].tested.contains(&(test, cell)) {
                return None;
            }
            let [.., own, other] = record.writers_before(cell, test) else { return None };
            let (mine, theirs) = (record.written(*own, cell)?, record.written(*other, cell)?);
            let is_so = record.slot(*own) == slot && record.slot(*other) != slot && mine.new != theirs.new;
            if !is_so || !is_refuted_by(record, test, cell, mine.new) {
                return None;
            }
            let (thread, name) = (record.thread(slot), record.name(cell));
            let text = format!(
                "{thread} passes the test{} though it has written `{name}` = {} itself{}: {} has overwritten that with {}{}.",
                record.at_line(test),
                record.text(cell, mine.new),
                record.at(*own),
                record.thread(record.slot(*other)),
                record.text(cell, theirs.new),
                record.at(*other),
            );
            let facts = vec![
                record.write_fact(*own, cell, mine.new),
                record.write_fact(*other, cell, theirs.new),
                record.read_fact(test, cell, seen),
                Fact::Test { step: test },
            ];
            Some(Sentence { text, facts })
        })
    })
}

/// Whether a condition that a step passed would not hold if a cell had another value.
fn is_refuted_by(record: &Record<'_>, test: usize, cell: Cell, value: Value) -> bool {
    let (before, slot) = (record.state(test), record.slot(test));
    let conditions = record.program.edges()[record.edge(test)].ops.iter().map_while(|op| match op {
        Op::Assume(condition, _) => Some(condition),
        _ => None,
    });
    let refuted = |condition: &Expr| {
        record.semantics.evaluate_for(before, slot, &with_value(record, condition, cell, value)) == Ok(0)
    };
    conditions.into_iter().any(refuted)
}

/// The expression with a value instead of a scalar.
pub(super) fn with_value(record: &Record<'_>, expr: &Expr, cell: Cell, value: Value) -> Expr {
    let declaration = &record.program.vars()[cell.var];
    match (expr, declaration.sort) {
        (Expr::Var(var), Sort::Int) if *var == cell.var => Expr::Int(value),
        (Expr::Var(var), Sort::Bool) if *var == cell.var => Expr::Bool(value != 0),
        _ => expr.map_children(|part| with_value(record, part, cell, value)),
    }
}
