//! What the steps of a run read, wrote and tested, and which earlier reads their values come from.
//!
//! Values flow through the locals of a thread. For each cell of a local the record knows from
//! which reads of shared cells its value was computed. Where that is not certain (an index that
//! cannot be evaluated, too many reads) something is left out: the record never says that a value
//! depends on a read if it does not.

use super::Fact;
use crate::interleaving::{SourceRange, is_named_in_source, thread_name};
use crate::values::Values;
use rely_base::SourceMap;
use rely_evidence::Replay;
use rely_program::{EdgeId, Expr, Op, Place as Target, Program, Semantics, SlotId, State, Value, VarId};
use std::collections::HashMap;

/// A value remembers at most this many reads, the latest.
const MOST_ORIGINS: usize = 16;

/// A shared variable, or one cell of a shared array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) var: VarId,
    pub(super) index: usize,
}

/// A read of a shared cell: the step and the cell.
pub(super) type ReadId = (usize, Cell);

/// A shared cell that a step wrote.
pub(super) struct Written {
    pub(super) cell: Cell,
    pub(super) old: Value,
    pub(super) new: Value,
    /// The reads from which the new value was computed.
    pub(super) from: Vec<ReadId>,
}

/// One step.
#[derive(Default)]
pub(super) struct Event {
    /// The shared cells that it read before it wrote anything.
    pub(super) reads: Vec<(Cell, Value)>,
    pub(super) writes: Vec<Written>,
    /// The reads on which its conditions depend.
    pub(super) tested: Vec<ReadId>,
    /// Whether it has a condition at all.
    pub(super) tests: bool,
    /// The reads on which its checks depend.
    pub(super) checked: Vec<ReadId>,
}

/// A run, looked at closely.
pub(super) struct Record<'r> {
    pub(super) program: &'r Program,
    pub(super) semantics: Semantics<'r>,
    pub(super) sources: &'r SourceMap,
    pub(super) replay: &'r Replay,
    pub(super) events: Vec<Event>,
    values: Values<'r>,
    /// The steps that wrote each cell, in order.
    writers: HashMap<Cell, Vec<usize>>,
}

impl<'r> Record<'r> {
    pub(super) fn new(program: &'r Program, sources: &'r SourceMap, replay: &'r Replay) -> Self {
        let semantics = Semantics::new(program);
        let mut recorder = Recorder { program, semantics: &semantics, origins: HashMap::new() };
        let states = replay.states();
        let steps = replay.trace().steps.iter().enumerate();
        let events: Vec<Event> = steps
            .map(|(index, step)| {
                recorder.event(index, step.slot, step.edge, &states[index], states.get(index + 1))
            })
            .collect();
        let mut writers: HashMap<Cell, Vec<usize>> = HashMap::new();
        for (index, event) in events.iter().enumerate() {
            event.writes.iter().for_each(|write| writers.entry(write.cell).or_default().push(index));
        }
        let values = Values::new(program, states.last().unwrap_or(&states[0]));
        Self { program, semantics, sources, replay, events, values, writers }
    }

    pub(super) fn slot(&self, step: usize) -> SlotId {
        self.replay.trace().steps[step].slot
    }

    pub(super) fn edge(&self, step: usize) -> EdgeId {
        self.replay.trace().steps[step].edge
    }

    /// The state before a step, or the last one.
    pub(super) fn state(&self, step: usize) -> &State {
        let states = self.replay.states();
        &states[step.min(states.len() - 1)]
    }

    pub(super) fn last_state(&self) -> &State {
        self.state(self.replay.states().len())
    }

    /// The steps before `end` that wrote a cell, in order.
    pub(super) fn writers_before(&self, cell: Cell, end: usize) -> &[usize] {
        let writers = self.writers.get(&cell).map_or(&[][..], Vec::as_slice);
        &writers[..writers.partition_point(|&step| step < end)]
    }

    /// The steps from `start` on that wrote a cell, in order.
    pub(super) fn writers_from(&self, cell: Cell, start: usize) -> &[usize] {
        let writers = self.writers.get(&cell).map_or(&[][..], Vec::as_slice);
        &writers[writers.partition_point(|&step| step < start)..]
    }

    pub(super) fn written(&self, step: usize, cell: Cell) -> Option<&Written> {
        self.events[step].writes.iter().find(|write| write.cell == cell)
    }

    pub(super) fn value_read(&self, (step, cell): ReadId) -> Option<Value> {
        self.events[step].reads.iter().find(|(read, _)| *read == cell).map(|(_, value)| *value)
    }

    /// Whether the source has a name for the cell.
    pub(super) fn is_named(&self, cell: Cell) -> bool {
        is_named_in_source(&self.program.vars()[cell.var].name)
    }

    pub(super) fn name(&self, cell: Cell) -> String {
        let var = &self.program.vars()[cell.var];
        var.length.map_or_else(|| var.name.clone(), |_| format!("{}[{}]", var.name, cell.index))
    }

    /// Whether the cell says who holds a lock.
    pub(super) fn is_lock(&self, cell: Cell) -> bool {
        self.values.is_lock(cell.var)
    }

    pub(super) fn text(&self, cell: Cell, value: Value) -> String {
        self.values.text(cell.var, value)
    }

    pub(super) fn thread(&self, slot: SlotId) -> String {
        thread_name(self.program, self.last_state(), slot)
    }

    pub(super) fn line(&self, edge: EdgeId) -> Option<u32> {
        self.program.edges()[edge].span.map(|span| SourceRange::of(span, self.sources).line)
    }

    /// ` (line 12)`, if the step has a line.
    pub(super) fn at(&self, step: usize) -> String {
        self.line(self.edge(step)).map(|line| format!(" (line {line})")).unwrap_or_default()
    }

    /// ` at line 12`, if the step has a line.
    pub(super) fn at_line(&self, step: usize) -> String {
        self.line(self.edge(step)).map(|line| format!(" at line {line}")).unwrap_or_default()
    }

    pub(super) fn read_fact(&self, step: usize, cell: Cell, value: Value) -> Fact {
        Fact::Read { step, variable: self.name(cell), value: self.text(cell, value) }
    }

    pub(super) fn write_fact(&self, step: usize, cell: Cell, value: Value) -> Fact {
        Fact::Write { step, variable: self.name(cell), value: self.text(cell, value) }
    }

    pub(super) fn ahead_fact(&self, slot: SlotId, cell: Cell, line: Option<u32>) -> Option<Fact> {
        Some(Fact::Ahead { thread: self.thread(slot), variable: self.name(cell), line: line? })
    }

    /// The shared cells whose values an expression needs in a state.
    pub(super) fn cells_of(&self, state: &State, slot: Option<SlotId>, expr: &Expr) -> Vec<Cell> {
        shared_cells(&self.semantics, state, slot, expr)
    }
}

fn shared_cells(semantics: &Semantics<'_>, state: &State, slot: Option<SlotId>, expr: &Expr) -> Vec<Cell> {
    let mut cells = Vec::new();
    expr.walk(&mut |part| {
        let (var, index) = match part {
            Expr::Var(var) => (*var, Some(0)),
            Expr::Element(var, index) => (*var, index_value(semantics, state, slot, index)),
            _ => return,
        };
        let declaration = &semantics.program().vars()[var];
        let Some(index) = index.filter(|&index| index < declaration.cells()) else { return };
        let cell = Cell { var, index };
        if declaration.is_global() && !cells.contains(&cell) {
            cells.push(cell);
        }
    });
    cells
}

fn index_value(
    semantics: &Semantics<'_>,
    state: &State,
    slot: Option<SlotId>,
    index: &Expr,
) -> Option<usize> {
    let value = match slot {
        Some(slot) => semantics.evaluate_for(state, slot, index),
        None => semantics.evaluate(state, index),
    };
    usize::try_from(value.ok()?).ok()
}

/// Goes through a run and keeps book of where the values of locals come from.
struct Recorder<'a, 'r> {
    program: &'r Program,
    semantics: &'a Semantics<'r>,
    /// Of cells of locals: from which reads their values were computed.
    origins: HashMap<(SlotId, VarId), HashMap<usize, Vec<ReadId>>>,
}

impl Recorder<'_, '_> {
    fn event(
        &mut self,
        step: usize,
        slot: SlotId,
        edge: EdgeId,
        before: &State,
        after: Option<&State>,
    ) -> Event {
        let mut event = Event::default();
        // Behind the first write of the step, the state before it says nothing about values any more.
        let mut is_before_writes = true;
        for op in &self.program.edges()[edge].ops {
            let mut origins = |expr: &Expr, recorder: &Self| {
                if is_before_writes {
                    recorder.note_reads(&mut event.reads, before, slot, expr);
                }
                recorder.origins_of(step, slot, before, expr, is_before_writes)
            };
            match op {
                Op::Assume(condition, _) => {
                    let from = origins(condition, self);
                    event.tests = true;
                    event.tested.extend(from);
                }
                Op::Check(condition, _) => {
                    let from = origins(condition, self);
                    event.checked.extend(from);
                }
                Op::Join(handle) => drop(origins(handle, self)),
                Op::Assign(assignments) => {
                    let values: Vec<Vec<ReadId>> =
                        assignments.iter().map(|(_, value)| origins(value, self)).collect();
                    for ((target, _), from) in assignments.iter().zip(values) {
                        self.write(&mut event, slot, target, from, before, after, is_before_writes);
                    }
                    is_before_writes = false;
                }
                Op::Havoc(target, _) => {
                    self.write(&mut event, slot, target, Vec::new(), before, after, is_before_writes);
                    is_before_writes = false;
                }
                Op::Spawn { arguments, handle, .. } => {
                    arguments.iter().for_each(|argument| drop(origins(argument, self)));
                    if let Some(target) = handle {
                        self.write(&mut event, slot, target, Vec::new(), before, after, is_before_writes);
                    }
                    is_before_writes = false;
                }
                Op::Halt => {}
            }
        }
        event
    }

    fn note_reads(&self, reads: &mut Vec<(Cell, Value)>, before: &State, slot: SlotId, expr: &Expr) {
        for cell in shared_cells(self.semantics, before, Some(slot), expr) {
            if reads.iter().all(|(known, _)| *known != cell) {
                reads.push((cell, self.semantics.global(before, cell.var)[cell.index]));
            }
        }
    }

    /// The reads from which the value of an expression is computed.
    fn origins_of(
        &self,
        step: usize,
        slot: SlotId,
        before: &State,
        expr: &Expr,
        is_before_writes: bool,
    ) -> Vec<ReadId> {
        let mut found: Vec<ReadId> = Vec::new();
        if is_before_writes {
            let cells = shared_cells(self.semantics, before, Some(slot), expr);
            found.extend(cells.into_iter().map(|cell| (step, cell)));
        }
        expr.walk(&mut |part| {
            let (var, index) = match part {
                Expr::Var(var) => (*var, Some(0)),
                Expr::Element(var, index) if is_before_writes => {
                    (*var, index_value(self.semantics, before, Some(slot), index))
                }
                _ => return,
            };
            let known = self.origins.get(&(slot, var)).and_then(|cells| cells.get(&index?));
            found.extend(known.into_iter().flatten());
        });
        found.sort_unstable();
        found.dedup();
        found.drain(..found.len().saturating_sub(MOST_ORIGINS));
        found
    }

    #[expect(clippy::too_many_arguments, reason = "a write has this many sides")]
    fn write(
        &mut self,
        event: &mut Event,
        slot: SlotId,
        target: &Target,
        from: Vec<ReadId>,
        before: &State,
        after: Option<&State>,
        is_before_writes: bool,
    ) {
        let (var, index) = match target {
            Target::Scalar(var) => (*var, Some(0)),
            Target::Element(var, index) if is_before_writes => {
                (*var, index_value(self.semantics, before, Some(slot), index))
            }
            Target::Element(var, _) => (*var, None),
        };
        if !self.program.vars()[var].is_global() {
            let cells = self.origins.entry((slot, var)).or_default();
            match index {
                Some(index) => drop(cells.insert(index, from)),
                None => cells.clear(),
            }
            return;
        }
        let Some(after) = after else { return };
        let (old, new) = (self.semantics.global(before, var), self.semantics.global(after, var));
        let touched: Vec<usize> = match index {
            Some(index) => vec![index],
            None => (0..old.len()).filter(|&index| old[index] != new[index]).collect(),
        };
        for index in touched.into_iter().filter(|&index| index < old.len()) {
            let cell = Cell { var, index };
            event.writes.retain(|write| write.cell != cell);
            event.writes.push(Written { cell, old: old[index], new: new[index], from: from.clone() });
        }
    }
}
