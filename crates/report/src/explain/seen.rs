//! What a violated condition saw, and who wrote that: the last sentence of most explanations.

use super::ahead::writers;
use super::cause::join;
use super::record::{Cell, ReadId, Record};
use super::{Fact, Sentence};
use crate::interleaving::statement;
use rely_program::{CheckId, CheckKind, Meaning, Op, Value, Violation};

/// So many values of a condition are traced back.
const MOST_VALUES: usize = 3;
/// What is kept of memory while it is allocated.
const LIVE: Value = 1;

/// What the violated condition saw, and who wrote it. A condition that looks at nothing, as that
/// of an error call, is violated because of the test in front of it.
pub(super) fn what_was_seen(
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
                        true => what_fails(record, violation, last),
                        false => format!("The last test before it{} saw this:", record.at(test)),
                    }
                }
                None => what_fails(record, violation, last),
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
    if let (Violation::Check(check), Some(last), true) = (violation, end.checked_sub(1), parts.is_empty()) {
        parts.extend(locals_seen(record, check, last).into_iter().take(MOST_VALUES));
    }
    let is_plain = parts.iter().all(|part| !part.contains(", "));
    let told = if is_plain { join(&parts) } else { parts.join("; ") };
    (!parts.is_empty()).then(|| Sentence { text: format!("{seen} {told}."), facts })
}

/// Whether the violation is an access to memory that must not be made.
fn is_access(record: &Record<'_>, check: CheckId, violation: Violation) -> bool {
    let kind = record.program.checks()[check].kind;
    violation == Violation::Check(check) && matches!(kind, CheckKind::Bounds | CheckKind::Lifetime)
}

fn what_fails(record: &Record<'_>, violation: Violation, last: usize) -> String {
    let is_access = record.program.checks().ids().any(|check| is_access(record, check, violation));
    match is_access {
        true => format!("Here{} this is so:", record.at(last)),
        false => format!("The condition that fails{} sees this:", record.at_line(last)),
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
    let writers = record.writers_before(cell, step);
    // Who tries to take a lock in vain leaves it as it is.
    let takes = |step: &&usize| record.written(**step, cell).is_none_or(|written| written.old != written.new);
    let wrote = if record.is_lock(cell) { writers.iter().rfind(takes) } else { writers.last() };
    if let Some(&writer) =
        wrote.filter(|_| record.program.meanings().of(cell.var) == Some(Meaning::Allocation))
    {
        return life_of(record, cell, writer, step);
    }
    if let Some(parted) = parting(record, cell, value, wrote) {
        return parted;
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
            let (place, thread) = (record.at_line(writer), record.thread(record.slot(writer)));
            match (record.is_lock(cell), value) {
                (false, _) => format!("`{name}` is {text}, written by {thread}{place}"),
                (true, 0) => format!("nobody holds `{name}`, which {thread} gave back{place}"),
                (true, _) => format!("{thread} holds `{name}`, which it took{place}"),
            }
        }
        None if record.is_lock(cell) => format!("nobody has taken `{name}`"),
        None => format!("`{name}` still has its first value, {text}{}", yet_to_come(record, cell, facts)),
    }
}

/// That somebody has joined or detached a thread before, where a check asks for that. The cell that says so has no name in
/// the source.
fn parting(record: &Record<'_>, cell: Cell, value: Value, wrote: Option<&usize>) -> Option<String> {
    let thread = record.name(cell).strip_suffix(".gone")?.to_owned();
    let last = record.events.len().checked_sub(1)?;
    let (_, statement) = statement(record.program, record.sources, record.edge(last));
    let is_asked = ["join", "detach"].iter().any(|word| statement.contains(word));
    let &writer = wrote.filter(|_| is_asked && value != 0)?;
    let who = record.thread(record.slot(writer));
    Some(format!("{who} has joined or detached the thread of `{thread}`{}", record.at_line(writer)))
}

/// Who has yet to write a cell that nobody has written.
fn yet_to_come(record: &Record<'_>, cell: Cell, facts: &mut Vec<Fact>) -> String {
    let Some(last) = record.events.len().checked_sub(1) else { return String::new() };
    match writers(record, record.slot(last), cell).as_slice() {
        [] => String::new(),
        [(slot, line), ..] => {
            facts.extend(record.ahead_fact(*slot, cell, *line));
            let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!(", because {} has yet to write it{line}", record.thread(*slot))
        }
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
