//! Why a run goes on for ever: who goes round, on which value that depends, and who could change it but does not.

use super::ahead::helpers;
use super::deadlock::wait;
use super::record::{Cell, Record};
use super::{Fact, Sentence};
use rely_program::{AllValues, SlotId, SlotStatus, ThreadProgress, Value};
use std::collections::BTreeSet;

/// More threads that go round are too much to read.
const MOST_THREADS: usize = 3;

/// As many values of an input are tried to find out whether a thread can go on.
const VALUES: AllValues = AllValues { limit: 256 };

/// Says who makes the last steps, which are repeated, and why the others do nothing.
pub(super) fn sentences(record: &Record<'_>, count: usize) -> Vec<Sentence> {
    let start = record.events.len().saturating_sub(count);
    let repeated = start..record.events.len();
    let mut movers: Vec<SlotId> = Vec::new();
    for step in repeated.clone() {
        if !movers.contains(&record.slot(step)) {
            movers.push(record.slot(step));
        }
    }
    let going = movers.iter().take(MOST_THREADS);
    let mut sentences: Vec<Sentence> = going.map(|&slot| Round { record, slot, start }.sentence()).collect();
    let state = record.last_state();
    let others = state.slots().filter(|slot| !movers.contains(slot));
    let running = others.filter(|&slot| record.semantics.status(state, slot) == SlotStatus::Running);
    sentences.extend(running.take(MOST_THREADS).filter_map(|slot| idle(record, slot)));
    sentences
}

/// Why a thread that runs makes no step of the loop.
fn idle(record: &Record<'_>, slot: SlotId) -> Option<Sentence> {
    let state = record.last_state();
    let edges = record.program.outgoing(state.location(slot)?);
    let line = edges.iter().find_map(|&edge| record.line(edge))?;
    let thread = record.thread(slot);
    let text = match record.semantics.progress(state, slot, &VALUES).ok()? {
        (ThreadProgress::CanMove, _) => {
            format!("{thread} could go on (line {line}), but never does in this run.")
        }
        (_, true) => wait(record, slot)?.sentence(record).text,
        (_, false) => return None,
    };
    Some(Sentence { text, facts: vec![Fact::Stands { thread, line }] })
}

/// One thread that goes round.
struct Round<'a, 'r> {
    record: &'a Record<'r>,
    slot: SlotId,
    start: usize,
}

impl Round<'_, '_> {
    fn sentence(&self) -> Sentence {
        let record = self.record;
        let mut facts = Vec::new();
        let why = self.unchanged(&mut facts).or_else(|| self.changed_by_others(&mut facts));
        let text = format!(
            "{} goes round {}for ever{}.",
            record.thread(self.slot),
            self.place(),
            why.unwrap_or_default()
        );
        Sentence { text, facts }
    }

    fn steps(&self) -> impl Iterator<Item = usize> {
        (self.start..self.record.events.len()).filter(|&step| self.record.slot(step) == self.slot)
    }

    fn place(&self) -> String {
        let lines: BTreeSet<u32> =
            self.steps().filter_map(|step| self.record.line(self.record.edge(step))).collect();
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first == last => format!("at line {first} "),
            (Some(first), Some(last)) => format!("in lines {first} to {last} "),
            _ => String::new(),
        }
    }

    /// The cells on which its tests in the loop depend, with what it has found there in the loop, and when.
    fn tests(&self) -> impl Iterator<Item = (usize, Cell, Value)> {
        let record = self.record;
        let tested = self.steps().flat_map(move |step| record.events[step].tested.iter().copied());
        let in_loop = tested.filter(|(read, cell)| *read >= self.start && record.is_named(*cell));
        in_loop.filter_map(move |(read, cell)| Some((read, cell, record.value_read((read, cell))?)))
    }

    /// That it depends on a value that nobody changes in the loop.
    fn unchanged(&self, facts: &mut Vec<Fact>) -> Option<String> {
        let record = self.record;
        // Who tries to take a lock in vain leaves it as it is.
        let changes = |cell: Cell, step: usize| {
            record.written(step, cell).is_some_and(|written| written.old != written.new)
        };
        let is_kept = |&(_, cell, _): &(usize, Cell, Value)| {
            !record.writers_from(cell, self.start).iter().any(|&step| changes(cell, step))
        };
        let (step, cell, value) = self.tests().find(is_kept)?;
        let (name, text) = (record.name(cell), record.text(cell, value));
        facts.push(record.read_fact(step, cell, value));
        let writers = record.writers_before(cell, self.start);
        let since = match writers.iter().rfind(|&&step| changes(cell, step)) {
            Some(&writer) => {
                facts.push(record.write_fact(writer, cell, value));
                let (who, at) = (record.thread(record.slot(writer)), record.at(writer));
                if record.is_lock(cell) && value != 0 {
                    return Some(format!(", as long as {who} holds `{name}`, which it took{at}"));
                }
                format!(", which {who} has written{at}")
            }
            None => {
                let (variable, value) = (name.clone(), text.clone());
                facts.push(Fact::Untouched { step: record.events.len(), variable, value });
                ", its first value".to_owned()
            }
        };
        let help = match helpers(record, self.slot, cell).as_slice() {
            [] => "; nobody is left who could change that".to_owned(),
            [(only, line)] => {
                facts.extend(record.ahead_fact(*only, cell, *line));
                let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                format!("; only {} could change that{line}", record.thread(*only))
            }
            _ => String::new(),
        };
        Some(format!(", as long as `{name}` is {text}{since}{help}"))
    }

    /// That it finds, in each round, what another thread has written.
    fn changed_by_others(&self, facts: &mut Vec<Fact>) -> Option<String> {
        let record = self.record;
        let of_other = |(step, cell, value): (usize, Cell, Value)| {
            let &writer = record.writers_before(cell, step).last()?;
            let written = record.written(writer, cell)?.new;
            let is_other = record.slot(writer) != self.slot && written == value;
            is_other.then_some((step, cell, value, writer))
        };
        let (step, cell, value, writer) = self.tests().find_map(of_other)?;
        facts.push(record.write_fact(writer, cell, value));
        facts.push(record.read_fact(step, cell, value));
        if record.is_lock(cell) && value != 0 {
            let (name, who) = (record.name(cell), record.thread(record.slot(writer)));
            let (at, since) = (record.at_line(step), record.at(writer));
            return Some(format!(": each time it finds{at} that {who} has taken `{name}`{since}"));
        }
        Some(format!(
            ": each time it finds `{}` = {}{}, which {} has written{}",
            record.name(cell),
            record.text(cell, value),
            record.at_line(step),
            record.thread(record.slot(writer)),
            record.at(writer),
        ))
    }
}
