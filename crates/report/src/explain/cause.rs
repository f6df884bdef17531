//! Why a condition is violated: what it saw, who wrote that, and where threads got in each
//! other's way.
//!
//! Two patterns are looked for among the steps on which the violation depends:
//!
//! * *lost update*: a thread reads a cell, another one writes it, and the first one then writes
//!   what it has computed from the old value;
//! * *stale test*: a thread passes a condition, and another one then writes a cell that the
//!   condition had looked at, with which it would not hold.

use super::record::{Cell, ReadId, Record};
use super::slice::Slice;
use super::{Fact, Sentence};
use rely_program::{CheckId, CheckKind, Expr, Meaning, Op, PropertyKind, SlotId, Value, Violation};

/// More of each pattern is too much to read.
const MOST_SENTENCES: usize = 2;
/// So many values of a condition are traced back.
const MOST_VALUES: usize = 3;
/// What is kept of memory while it is allocated.
const LIVE: Value = 1;

/// Says why a check fails or a property does not hold.
pub(super) fn sentences(record: &Record<'_>, violation: Violation) -> Vec<Sentence> {
    let (reads, cells, threads) = wrong(record, violation);
    let slice = Slice::new(record, &reads, &cells, &threads);
    let mut sentences = lost_updates(record, &slice);
    sentences.extend(stale_tests(record, &slice, violation));
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

fn stale_tests(record: &Record<'_>, slice: &Slice, violation: Violation) -> Vec<Sentence> {
    let mut stale: Vec<StaleTest> = Vec::new();
    let violator = match violation {
        Violation::Check(_) => record.events.len().checked_sub(1).map(|last| record.slot(last)),
        _ => None,
    };
    // Who does nothing that matters any more did not go wrong by its test.
    let goes_on = |found: &StaleTest| {
        let slot = record.slot(found.test);
        let later = || slice.writes.iter().chain(&slice.tests).any(|&step| step > found.write && record.slot(step) == slot);
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
    let own = slice.tests.iter().copied().rfind(|&test| record.slot(test) == other)?;
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

/// What the violated condition saw, and who wrote it. A condition that looks at nothing, as that
/// of an error call, is violated because of the test in front of it.
fn what_was_seen(
    record: &Record<'_>,
    violation: Violation,
    reads: &[ReadId],
    cells: &[Cell],
) -> Option<Sentence> {
    let end = record.events.len();
    let mut reads = reads.to_vec();
    let seen = match violation {
        Violation::Check(_) => {
            let last = end.checked_sub(1)?;
            let test = (0..end)
                .rev()
                .find(|&step| record.events[step].tests && record.slot(step) == record.slot(last));
            match test.filter(|_| reads.is_empty()) {
                Some(test) => {
                    reads.clone_from(&record.events[test].tested);
                    match record.program.checks().ids().any(|check| is_access(record, check, violation)) {
                        true => format!("The {} sees this:", what_fails(record, violation, last)),
                        false => format!("The last test before it{} saw this:", record.at(test)),
                    }
                }
                None => format!("The {} sees this:", what_fails(record, violation, last)),
            }
        }
        _ => "The property sees this:".to_owned(),
    };
    let of_reads = reads.iter().filter_map(|&read| Some((read.1, read.0, record.value_read(read)?)));
    let state = record.last_state();
    let of_cells =
        cells.iter().map(|&cell| (cell, end, record.semantics.global(state, cell.var)[cell.index]));
    let (mut parts, mut facts) = (Vec::new(), Vec::new());
    for (cell, step, value) in of_reads.chain(of_cells).filter(|seen| record.is_named(seen.0)) {
        let part = provenance(record, cell, step, value, &mut facts);
        if !parts.contains(&part) && parts.len() < MOST_VALUES {
            parts.push(part);
        }
    }
    if let (Violation::Check(check), Some(last)) = (violation, end.checked_sub(1)) {
        parts.extend(locals_seen(record, check, last).into_iter().take(MOST_VALUES - parts.len()));
    }
    (!parts.is_empty()).then(|| Sentence { text: format!("{seen} {}.", join(&parts)), facts })
}

/// Whether the violation is an access to memory that must not be made.
fn is_access(record: &Record<'_>, check: CheckId, violation: Violation) -> bool {
    let kind = record.program.checks()[check].kind;
    violation == Violation::Check(check) && matches!(kind, CheckKind::Bounds | CheckKind::Lifetime)
}

fn what_fails(record: &Record<'_>, violation: Violation, last: usize) -> String {
    let is_access = record.program.checks().ids().any(|check| is_access(record, check, violation));
    match is_access {
        true => format!("access{}", record.at_line(last)),
        false => format!("condition that fails{}", record.at_line(last)),
    }
}

/// The variables of the thread itself at which the condition looks.
fn locals_seen(record: &Record<'_>, check: CheckId, last: usize) -> Vec<String> {
    let (state, slot) = (record.state(last), record.slot(last));
    let mut found: Vec<String> = Vec::new();
    for op in &record.program.edges()[record.edge(last)].ops {
        let Op::Check(condition, number) = op else { break };
        if *number != check {
            continue;
        }
        condition.for_each_var(|var| {
            let cell = Cell { var, index: 0 };
            let declaration = &record.program.vars()[var];
            if declaration.is_global() || declaration.length.is_some() || !record.is_named(cell) {
                return;
            }
            let Some(&value) = record.semantics.local(state, slot, var).first() else { return };
            let told = format!("`{}` is {}", record.name(cell), record.text(cell, value));
            if !found.contains(&told) {
                found.push(told);
            }
        });
    }
    found
}

/// Who wrote the value that a cell has before a step.
fn provenance(record: &Record<'_>, cell: Cell, step: usize, value: Value, facts: &mut Vec<Fact>) -> String {
    let (name, text) = (record.name(cell), record.text(cell, value));
    let wrote = record.writers_before(cell, step).last();
    if let Some(&writer) = wrote.filter(|_| record.program.meanings().of(cell.var) == Some(Meaning::Allocation)) {
        return life_of(record, cell, writer, step);
    }
    facts.push(match wrote {
        Some(&writer) => record.write_fact(writer, cell, value),
        None => Fact::Untouched { step, variable: name.clone(), value: text.clone() },
    });
    if step < record.events.len() {
        facts.push(record.read_fact(step, cell, value));
    }
    match wrote {
        Some(&writer) => {
            let place = record.at_line(writer);
            format!("`{name}` is {text}, written by {}{place}", record.thread(record.slot(writer)))
        }
        None => format!("`{name}` still has its first value, {text}"),
    }
}

/// Who has allocated memory, and who has freed it.
fn life_of(record: &Record<'_>, cell: Cell, writer: usize, step: usize) -> String {
    let by = |step: usize| format!("{}{}", record.thread(record.slot(step)), record.at_line(step));
    let is_live = |step: usize| record.written(step, cell).is_some_and(|written| written.new == LIVE);
    let allocated = record.writers_before(cell, step).iter().copied().rfind(|&step| is_live(step));
    match allocated {
        Some(allocated) if allocated == writer => format!("the memory was allocated by {}", by(writer)),
        Some(allocated) => {
            format!("the memory was allocated by {} and freed by {}", by(allocated), by(writer))
        }
        None => format!("the memory was freed by {}", by(writer)),
    }
}
