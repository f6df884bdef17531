//! A violation as data: per step who moved where, what changed, and what was seen.
//!
//! The texts are those of the [`Interleaving`]; the values come from the states of the replay, so
//! that the page can show all of them at any step.

use super::Subject;
use super::data::{CellData, EdgeText, RacingData, Run, RunThread, SourceLine, StepData};
use super::source::SourceTable;
use crate::explain::Fact;
use crate::interleaving::{Interleaving, Step, is_named_in_source, thread_name};
use crate::race::{RaceReport, RacingAccess};
use crate::values::Values;
use rely_base::Id;
use rely_evidence::Replay;
use rely_program::race::Racer;
use rely_program::{EdgeId, Program, Scope, Semantics, SlotId, State, Value, VarId, Violation};
use std::collections::BTreeMap;

/// The run that a replay has shown, which `told` tells.
pub(super) fn run(told: &Interleaving, replay: &Replay, subject: &Subject<'_>, sources: &SourceTable) -> Run {
    let states = replay.states();
    let mut recorder = Recorder::new(subject, sources, states.last().unwrap_or(&states[0]));
    let initial = recorder.changes(None, &states[0]);
    let mut steps = Vec::new();
    for (index, (step, text)) in replay.trace().steps.iter().zip(&told.steps).enumerate() {
        let before = &states[index.min(states.len() - 1)];
        // A step in which a check fails has no state behind it.
        let after = states.get(index + 1).unwrap_or(before);
        let reads = text.reads.iter().map(|read| (read.variable.clone(), read.value.clone()));
        let mut writes = recorder.changes(Some(before), after);
        recorder.add_unchanged(step.slot, text, &mut writes);
        steps.push(StepData {
            thread: step.slot.index(),
            edge: recorder.edge(step.edge, &text.statement, &text.operations),
            writes,
            reads: reads.collect(),
            at: recorder.moved(before, after),
        });
    }
    let last = states.last().unwrap_or(&states[0]);
    let race = race(replay, last, subject, sources);
    // Whoever races has a lane, even if it has done nothing yet.
    let moves = |slot: SlotId| {
        let of_step = steps.iter().any(|step| step.thread == slot.index());
        of_step || race.iter().any(|racing| racing.thread == slot.index())
    };
    let thread = |slot: SlotId| RunThread {
        name: thread_name(subject.program, last, slot),
        moves: moves(slot),
        at: recorder.stands(&states[0], slot),
    };
    let threads = last.slots().map(thread).collect();
    let spoken_of: Vec<usize> =
        subject.explanation.iter().flat_map(|sentence| &sentence.facts).filter_map(Fact::step).collect();
    let matters = |&step: &usize| told.steps[step].essential || spoken_of.contains(&step);
    let essential = (0..told.steps.len()).filter(matters);
    Run {
        threads,
        initial,
        steps,
        starts: told.statement_starts(),
        essential: essential.collect(),
        cells: recorder.cells,
        edges: recorder.edges,
        race,
    }
}

/// The two accesses with which a data race ends.
fn race(replay: &Replay, last: &State, subject: &Subject<'_>, sources: &SourceTable) -> Vec<RacingData> {
    let Violation::Race(racers) = replay.violation() else { return Vec::new() };
    let Some(mut report) = RaceReport::new(racers, subject.program, subject.sources, last) else {
        return Vec::new();
    };
    report.add_calls(replay, racers, subject.program, subject.sources);
    let racing = |(racer, access): (Racer, RacingAccess)| RacingData {
        thread: racer.slot.index(),
        kind: access.kind.to_string(),
        at: subject.program.edges()[racer.edge]
            .span
            .and_then(|span| sources.source_line(span, subject.sources)),
        told: access.told(),
        text: access.statement,
    };
    racers.into_iter().zip(report.accesses).map(racing).collect()
}

/// Gives numbers to the cells and edges of a run.
struct Recorder<'r> {
    program: &'r Program,
    subject: &'r Subject<'r>,
    sources: &'r SourceTable,
    semantics: Semantics<'r>,
    values: Values<'r>,
    cells: Vec<CellData>,
    cell_numbers: BTreeMap<(Option<SlotId>, VarId, usize), usize>,
    edges: Vec<EdgeText>,
    edge_numbers: BTreeMap<EdgeId, usize>,
}

impl<'r> Recorder<'r> {
    fn new(subject: &'r Subject<'r>, sources: &'r SourceTable, last: &State) -> Self {
        Self {
            program: subject.program,
            subject,
            sources,
            semantics: Semantics::new(subject.program),
            values: Values::new(subject.program, last),
            cells: Vec::new(),
            cell_numbers: BTreeMap::new(),
            edges: Vec::new(),
            edge_numbers: BTreeMap::new(),
        }
    }

    /// The cells that are new or have another value, and the value.
    fn changes(&mut self, before: Option<&State>, after: &State) -> Vec<(usize, String)> {
        let mut changes = Vec::new();
        if before.is_some_and(|before| before.cells() == after.cells()) {
            return changes; // many steps
        }
        for (var, declaration) in self.program.vars().iter() {
            match declaration.scope {
                Scope::Global => {
                    let old = before.map(|before| self.semantics.global(before, var).to_vec());
                    let new = self.semantics.global(after, var).to_vec();
                    self.compare(None, var, old.as_deref(), &new, &mut changes);
                }
                Scope::Local(thread) => {
                    for slot in after.slots().filter(|&slot| after.thread(slot) == thread) {
                        let existed = before.filter(|before| slot.index() < before.slots().len());
                        let old = existed.map(|before| self.semantics.local(before, slot, var).to_vec());
                        let new = self.semantics.local(after, slot, var).to_vec();
                        self.compare(Some(slot), var, old.as_deref(), &new, &mut changes);
                    }
                }
            }
        }
        changes
    }

    /// Adds the cells that got the value that they had: that an update is lost can be the point.
    fn add_unchanged(&self, slot: SlotId, text: &Step, writes: &mut Vec<(usize, String)>) {
        for write in text.writes.iter().filter(|write| write.old.as_ref() == Some(&write.new)) {
            let is_meant = |cell: &CellData| {
                !cell.lock
                    && cell.name == write.variable
                    && cell.owner.is_none_or(|owner| owner == slot.index())
            };
            let cell = self.cells.iter().rposition(is_meant);
            writes.extend(cell.map(|cell| (cell, write.new.clone())));
        }
    }

    fn compare(
        &mut self,
        owner: Option<SlotId>,
        var: VarId,
        old: Option<&[Value]>,
        new: &[Value],
        changes: &mut Vec<(usize, String)>,
    ) {
        for (index, &value) in new.iter().enumerate() {
            if old.is_none_or(|old| old[index] != value) {
                // The page knows by its handle who holds a lock, which it shows in many ways.
                let is_lock = self.values.is_lock(var);
                let text = if is_lock { value.to_string() } else { self.values.text(var, value) };
                changes.push((self.cell(owner, var, index), text));
            }
        }
    }

    fn cell(&mut self, owner: Option<SlotId>, var: VarId, index: usize) -> usize {
        *self.cell_numbers.entry((owner, var, index)).or_insert_with(|| {
            let declaration = &self.program.vars()[var];
            let name = match declaration.length {
                None => declaration.name.clone(),
                Some(_) => format!("{}[{index}]", declaration.name),
            };
            let hidden = !is_named_in_source(&name);
            let lock = self.values.is_lock(var);
            self.cells.push(CellData { name, owner: owner.map(Id::index), hidden, lock });
            self.cells.len() - 1
        })
    }

    fn edge(&mut self, edge: EdgeId, text: &str, ops: &str) -> usize {
        *self.edge_numbers.entry(edge).or_insert_with(|| {
            let span = self.program.edges()[edge].span;
            let at = span.and_then(|span| self.sources.source_line(span, self.subject.sources));
            self.edges.push(EdgeText { at, text: text.to_owned(), ops: ops.to_owned() });
            self.edges.len() - 1
        })
    }

    /// The line at which a thread stands.
    fn stands(&self, state: &State, slot: SlotId) -> Option<SourceLine> {
        let exists = slot.index() < state.slots().len();
        let location = if exists { state.location(slot)? } else { return None };
        let leaving =
            self.program.outgoing(location).iter().find_map(|&edge| self.program.edges()[edge].span);
        let span = self.program.locations()[location].span.or(leaving)?;
        self.sources.source_line(span, self.subject.sources)
    }

    /// The threads that stand elsewhere, or exist, since a step.
    fn moved(&self, before: &State, after: &State) -> Vec<(usize, Option<SourceLine>)> {
        let has_moved = |slot: &SlotId| {
            slot.index() >= before.slots().len() || before.location(*slot) != after.location(*slot)
        };
        after.slots().filter(has_moved).map(|slot| (slot.index(), self.stands(after, slot))).collect()
    }
}
