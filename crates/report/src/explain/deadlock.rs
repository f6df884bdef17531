//! Why threads wait for ever: what each of them waits for, and who took it.
//!
//! A step *takes* a cell if it waits for a condition on the cell and writes it at once: that is
//! what acquiring a lock looks like, whatever it is called.

use super::ahead::helpers;
use super::cause::join;
use super::record::{Cell, Record};
use super::{Fact, Sentence};
use crate::interleaving::statement;
use rely_program::{Blocking, EdgeId, Expr, Op, SlotId, SlotStatus};

/// Says what each thread waits for, and whether they wait for each other.
pub(super) fn sentences(record: &Record<'_>) -> Vec<Sentence> {
    let waits: Vec<Wait> = record.replay.stuck().iter().filter_map(|&slot| wait(record, slot)).collect();
    let circle = circle(record, &waits);
    // Those who wait for each other come first.
    let outside = waits.iter().filter(|wait| !circle.contains(&wait.slot));
    let inside = circle.iter().filter_map(|&slot| waits.iter().find(|wait| wait.slot == slot));
    let mut sentences: Vec<Sentence> = inside.map(|wait| wait.sentence(record)).collect();
    sentences.extend(in_a_circle(record, &circle));
    sentences.extend(outside.map(|wait| wait.sentence(record)));
    sentences
}

/// A thread that cannot go on, and why.
pub(super) struct Wait {
    slot: SlotId,
    line: Option<u32>,
    /// The statement at which it stands.
    statement: String,
    cause: Cause,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The value of a cell is in the way, and who wrote it when, if anyone did.
    Value { cell: Cell, writer: Option<usize> },
    /// Another thread has not ended.
    Thread(SlotId),
    /// More than one thing, or nothing that has a name in the source.
    Several,
}

impl Wait {
    /// The thread without which this one does not go on.
    fn on(&self, record: &Record<'_>) -> Option<SlotId> {
        match self.cause {
            Cause::Value { cell, writer } => match writer.filter(|&step| takes(record, step, cell)) {
                Some(step) => Some(record.slot(step)),
                None if self.condition(record, cell).is_some() || self.barrier(record, cell).is_some() => {
                    None
                }
                None => match helpers(record, self.slot, cell).as_slice() {
                    [only] => Some(only.0),
                    _ => None,
                },
            },
            Cause::Thread(slot) => Some(slot),
            Cause::Several => None,
        }
    }
}

/// What a thread waits for, where it is clear: all its ways out are blocked by the same thing.
pub(super) fn wait(record: &Record<'_>, slot: SlotId) -> Option<Wait> {
    let state = record.last_state();
    let edges = record.program.outgoing(state.location(slot)?);
    let line = edges.iter().find_map(|&edge| record.line(edge));
    let mut causes = edges.iter().map(|&edge| blocked_by(record, slot, edge).unwrap_or(Cause::Several));
    let first = causes.next()?;
    let cause = if causes.all(|cause| cause == first) { first } else { Cause::Several };
    let statement = statement(record.program, record.sources, *edges.first()?).1;
    Some(Wait { slot, line, statement, cause })
}

fn blocked_by(record: &Record<'_>, slot: SlotId, edge: EdgeId) -> Option<Cause> {
    let state = record.last_state();
    for op in &record.program.edges()[edge].ops {
        match op {
            Op::Assume(condition, Blocking::Wait) => {
                if record.semantics.evaluate_for(state, slot, condition) == Ok(0) {
                    return blocking_cell(record, slot, condition);
                }
            }
            Op::Join(handle) => {
                let handle = record.semantics.evaluate_for(state, slot, handle).ok()?;
                return state.slots().find(|slot| slot.handle() == handle).map(Cause::Thread);
            }
            Op::Check(..) | Op::Assume(..) => {}
            _ => return None,
        }
    }
    None
}

/// The cell on which a condition that does not hold depends, if it is only one that has a name.
fn blocking_cell(record: &Record<'_>, slot: SlotId, condition: &Expr) -> Option<Cause> {
    let cells = record.cells_of(record.last_state(), Some(slot), condition);
    let [cell] = *cells.as_slice() else { return None };
    let writer = record.writers_before(cell, record.events.len()).last().copied();
    record.is_named(cell).then_some(Cause::Value { cell, writer })
}

/// Whether a step waited for a condition on a cell and wrote the cell at once.
pub(super) fn takes(record: &Record<'_>, step: usize, cell: Cell) -> bool {
    let ops = &record.program.edges()[record.edge(step)].ops;
    let waits = ops.iter().any(|op| matches!(op, Op::Assume(_, Blocking::Wait)));
    waits && record.events[step].tested.contains(&(step, cell)) && record.written(step, cell).is_some()
}

/// The cells that a thread took and that nobody has written since, with the steps.
fn taken(record: &Record<'_>, slot: SlotId) -> Vec<(usize, Cell)> {
    let end = record.events.len();
    let steps = (0..end).filter(|&step| record.slot(step) == slot);
    let cells = steps.flat_map(|step| record.events[step].writes.iter().map(move |write| (step, write.cell)));
    let is_kept = |&(step, cell): &(usize, Cell)| {
        takes(record, step, cell) && record.writers_before(cell, end).last() == Some(&step)
    };
    cells.filter(is_kept).filter(|(_, cell)| record.is_named(*cell)).collect()
}

impl Wait {
    pub(super) fn sentence(&self, record: &Record<'_>) -> Sentence {
        let thread = record.thread(self.slot);
        let mut facts = Vec::new();
        let took: Vec<String> = taken(record, self.slot)
            .into_iter()
            .map(|(step, cell)| {
                facts.extend(
                    record.written(step, cell).map(|written| record.write_fact(step, cell, written.new)),
                );
                format!("`{}`{}", record.name(cell), record.at(step))
            })
            .collect();
        let took = if took.is_empty() { String::new() } else { format!(" took {} and", join(&took)) };
        let line = self.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let why = match self.cause {
            Cause::Several => {
                let text = format!("{thread}{took} cannot go on{line}.");
                facts.push(Fact::Waits { thread, what: None, whom: None });
                return Sentence { text, facts };
            }
            Cause::Thread(other) => format!("the end of {}{line}", record.thread(other)),
            Cause::Value { cell, writer } if self.condition(record, cell).is_some() => {
                self.missed_signal(record, cell, writer, &line)
            }
            Cause::Value { cell, .. } if self.barrier(record, cell).is_some() => {
                self.barrier(record, cell).unwrap_or_default() + &line
            }
            Cause::Value { cell, writer: None } => {
                let value = record.semantics.global(record.last_state(), cell.var)[cell.index];
                let (variable, value) = (record.name(cell), record.text(cell, value));
                facts.push(Fact::Untouched {
                    step: record.events.len(),
                    variable: variable.clone(),
                    value: value.clone(),
                });
                let help = self.help(record, cell, &mut facts);
                format!("`{variable}`{line}, which still has its first value, {value}{help}")
            }
            Cause::Value { cell, writer: Some(step) } => {
                self.blocked_by_write(record, cell, step, &line, &mut facts)
            }
        };
        facts.push(self.fact(record));
        Sentence { text: format!("{thread}{took} waits for {why}."), facts }
    }

    /// What the thread waits for, and for whom: nobody can be told for a signal that does not come.
    fn fact(&self, record: &Record<'_>) -> Fact {
        let (what, is_signal) = match self.cause {
            Cause::Several => (None, false),
            Cause::Thread(other) => (Some(format!("the end of {}", record.thread(other))), false),
            Cause::Value { cell, .. } => match self.condition(record, cell) {
                Some(condition) => (Some(format!("a signal of {condition}")), true),
                None => (Some(record.name(cell)), false),
            },
        };
        let whom = self.on(record).filter(|_| !is_signal).map(|slot| record.thread(slot));
        Fact::Waits { thread: record.thread(self.slot), what, whom }
    }

    /// The condition variable for which the thread waits, if a cell says how many threads it wakes.
    fn condition(&self, record: &Record<'_>, cell: Cell) -> Option<String> {
        let waits = ["cond_wait", "cond_timedwait", "cnd_wait", "cnd_timedwait"];
        let name = record.name(cell).strip_suffix(".wakeups").map(str::to_owned)?;
        waits.iter().any(|wait| self.statement.contains(wait)).then_some(name)
    }

    /// Why no signal wakes the thread: there was none, it came when nobody waited, or somebody else got it.
    fn missed_signal(&self, record: &Record<'_>, cell: Cell, writer: Option<usize>, line: &str) -> String {
        let name = self.condition(record, cell).unwrap_or_default();
        let awaited = format!("a signal of `{name}`{line}");
        let Some(step) = writer else {
            return format!("{awaited}, and nobody has sent one");
        };
        let who = record.thread(record.slot(step));
        if takes(record, step, cell) {
            return format!("{awaited}, and the last one woke {who}{}", record.at(step));
        }
        format!(
            "{awaited}, and will get none: {who} sent one{} when nobody waited, and such a signal is lost",
            record.at(step)
        )
    }

    fn blocked_by_write(
        &self,
        record: &Record<'_>,
        cell: Cell,
        step: usize,
        line: &str,
        facts: &mut Vec<Fact>,
    ) -> String {
        let name = record.name(cell);
        let writer = record.slot(step);
        let who = if writer == self.slot { "it".to_owned() } else { record.thread(writer) };
        let value = record.written(step, cell).map(|written| written.new);
        facts.extend(value.map(|value| record.write_fact(step, cell, value)));
        let itself = if writer == self.slot { " itself" } else { "" };
        if takes(record, step, cell) {
            let has_ended = record
                .replay
                .states()
                .last()
                .is_some_and(|last| record.semantics.status(last, writer) == SlotStatus::Ended);
            let kept = if has_ended { ", and did not give it back before it ended" } else { "" };
            return format!("`{name}`{line}, which {who} took{itself}{}{kept}", record.at(step));
        }
        let value = value.map(|value| record.text(cell, value)).unwrap_or_default();
        let help = self.help(record, cell, facts);
        format!("`{name}`{line}, which is {value} since {who} wrote it{itself}{}{help}", record.at(step))
    }

    /// At a barrier: how many have come, of how many.
    fn barrier(&self, record: &Record<'_>, cell: Cell) -> Option<String> {
        let name = record.name(cell).strip_suffix(".round").map(str::to_owned)?;
        let value = |part: &str| {
            let wanted = format!("{name}.{part}");
            let var =
                record.program.vars().ids().find(|&var| record.name(Cell { var, index: 0 }) == wanted)?;
            record.semantics.global(record.last_state(), var).first().copied()
        };
        let (arrived, count) = (value("arrived")?, value("count")?);
        let is_barrier = self.statement.contains("barrier_wait");
        is_barrier
            .then(|| format!("the others at the barrier `{name}`, where {arrived} of {count} threads are"))
    }

    /// Who could still change what the thread waits for.
    fn help(&self, record: &Record<'_>, cell: Cell, facts: &mut Vec<Fact>) -> String {
        match helpers(record, self.slot, cell).as_slice() {
            [] => "; nobody is left who could change that".to_owned(),
            [(only, line)] => {
                facts.extend(record.ahead_fact(*only, cell, *line));
                let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                format!("; only {} could change that{line}", record.thread(*only))
            }
            _ => String::new(),
        }
    }
}

/// Threads that wait for each other: each for the next, the last for the first.
fn circle(record: &Record<'_>, waits: &[Wait]) -> Vec<SlotId> {
    let next = |slot: SlotId| waits.iter().find(|wait| wait.slot == slot)?.on(record);
    for start in waits {
        let mut path = vec![start.slot];
        while let Some(slot) = path.last().and_then(|&last| next(last)) {
            if let Some(first) = path.iter().position(|&known| known == slot) {
                return path.split_off(first);
            }
            path.push(slot);
        }
    }
    Vec::new()
}

fn in_a_circle(record: &Record<'_>, circle: &[SlotId]) -> Option<Sentence> {
    let names: Vec<String> = circle.iter().map(|&slot| record.thread(slot)).collect();
    let text = match names.as_slice() {
        [] => return None,
        [alone] => format!("So {alone} waits for itself."),
        [first, second] => format!("So {first} and {second} wait for each other."),
        [first, ..] => format!("So each waits for the next: {}, {first}.", names.join(", ")),
    };
    let fact = |thread| Fact::Waits { thread, what: None, whom: None };
    Some(Sentence { text, facts: names.into_iter().map(fact).collect() })
}
