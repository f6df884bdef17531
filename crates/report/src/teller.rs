//! What a step of a run does, in the words of the source: which statement it is, what it reads and what it writes.

use crate::essential::{Accesses, SharedCell};
use crate::interleaving::{
    InitialValue, Read, Step, StepTaken, Write, is_named_in_source, statement, thread_name,
};
use crate::values::Values;
use rely_base::{Id, SourceMap};
use rely_program::{Expr, Initial, Op, Place as Target, Program, Scope, Semantics, State, Value, VarId};

/// Tells what steps do.
pub(crate) struct Teller<'a> {
    program: &'a Program,
    semantics: Semantics<'a>,
    sources: &'a SourceMap,
    values: Values<'a>,
}

impl<'a> Teller<'a> {
    /// For a run that ends in this state.
    pub(crate) fn new(program: &'a Program, sources: &'a SourceMap, last: &State) -> Self {
        Self { program, semantics: Semantics::new(program), sources, values: Values::new(program, last) }
    }

    pub(crate) fn step(&self, thread: usize, before: &State, taken: StepTaken<'_>) -> Step {
        let (place, statement) = statement(self.program, self.sources, taken.edge);
        Step {
            thread,
            place,
            statement,
            operations: self.program.display_ops(&self.program.edges()[taken.edge].ops).to_string(),
            edge: taken.edge,
            reads: self.reads(before, taken),
            writes: taken.after.map_or_else(Vec::new, |after| self.writes(before, after, taken)),
            essential: false,
        }
    }

    /// The shared cells with a name in the source that the step reads or writes.
    pub(crate) fn accesses(&self, before: &State, taken: StepTaken<'_>) -> Accesses {
        let is_named = |cell: &SharedCell| is_named_in_source(&self.program.vars()[cell.0].name);
        let reads = self.cells_read(before, taken).into_iter().filter(is_named).collect();
        let assigned = self.assigned(before, taken).into_iter();
        let mut writes: Vec<SharedCell> =
            assigned.filter(|(var, _)| self.program.vars()[*var].is_global()).filter(is_named).collect();
        if let Some(after) = taken.after {
            for var in self.program.vars().ids().filter(|&var| self.program.vars()[var].is_global()) {
                let (old, new) = (self.semantics.global(before, var), self.semantics.global(after, var));
                let changed = (0..new.len()).filter(|&cell| old[cell] != new[cell]).map(|cell| (var, cell));
                writes.extend(changed.filter(is_named));
            }
        }
        Accesses { slot: Some(taken.slot), reads, writes }
    }

    fn writes(&self, before: &State, after: &State, taken: StepTaken<'_>) -> Vec<Write> {
        let assigned = self.assigned(before, taken);
        let mut writes = Vec::new();
        for (id, var) in self.program.vars().iter() {
            match var.scope {
                Scope::Global => {
                    let (old, new) = (self.semantics.global(before, id), self.semantics.global(after, id));
                    self.compare(id, Some(old), new, &assigned, String::new, &mut writes);
                }
                Scope::Local(thread) => {
                    for owner in after.slots().filter(|&owner| after.thread(owner) == thread) {
                        let existed = owner.index() < before.slots().len();
                        let old = existed.then(|| self.semantics.local(before, owner, id));
                        let new = self.semantics.local(after, owner, id);
                        if owner == taken.slot {
                            self.compare(id, old, new, &assigned, String::new, &mut writes);
                        } else {
                            let prefix = || format!("{}.", thread_name(self.program, after, owner));
                            self.compare(id, old, new, &[], prefix, &mut writes);
                        }
                    }
                }
            }
        }
        writes
    }

    /// Notes the cells of a variable that changed or were assigned. Of a variable that is new,
    /// only those count that do not have the value that its declaration says.
    fn compare(
        &self,
        var: VarId,
        old: Option<&[Value]>,
        new: &[Value],
        assigned: &[(VarId, usize)],
        prefix: impl Fn() -> String,
        writes: &mut Vec<Write>,
    ) {
        let declaration = &self.program.vars()[var];
        let known = match (&declaration.initial, old) {
            (_, Some(old)) => Some(old),
            (Initial::Values(values), None) => Some(values.as_slice()),
            (Initial::Any(_), None) => None,
        };
        let is_assigned = |cell: usize| assigned.contains(&(var, cell));
        if known == Some(new) && !assigned.iter().any(|(assigned, _)| *assigned == var) {
            return; // most variables, in most steps
        }
        for (cell, &value) in new.iter().enumerate() {
            if known.is_none_or(|known| known[cell] != value) || is_assigned(cell) {
                writes.push(Write {
                    variable: format!("{}{}", prefix(), self.cell_name(var, cell)),
                    old: old.map(|old| self.values.text(var, old[cell])),
                    new: self.values.text(var, value),
                });
            }
        }
    }

    /// The shared variables that the edge reads before it writes anything, and their values.
    fn reads(&self, before: &State, taken: StepTaken<'_>) -> Vec<Read> {
        let told = |(var, cell): SharedCell| {
            let &value = self.semantics.global(before, var).get(cell)?;
            Some(Read { variable: self.cell_name(var, cell), value: self.values.text(var, value) })
        };
        self.cells_read(before, taken).into_iter().filter_map(told).collect()
    }

    /// The shared cells that the edge reads before it writes anything.
    fn cells_read(&self, before: &State, taken: StepTaken<'_>) -> Vec<SharedCell> {
        let mut reads: Vec<SharedCell> = Vec::new();
        let mut note = |expr: &Expr| {
            expr.walk(&mut |part| {
                let cell = match part {
                    Expr::Var(_) => Some(0),
                    Expr::Element(_, index) => {
                        let index = self.semantics.evaluate_for(before, taken.slot, index).ok();
                        index.and_then(|index| usize::try_from(index).ok())
                    }
                    _ => None,
                };
                let (Expr::Var(var) | Expr::Element(var, _), Some(cell)) = (part, cell) else { return };
                let declaration = &self.program.vars()[*var];
                let is_there = declaration.is_global() && cell < declaration.cells();
                if is_there && !reads.contains(&(*var, cell)) {
                    reads.push((*var, cell));
                }
            });
        };
        for op in &self.program.edges()[taken.edge].ops {
            match op {
                Op::Assume(condition, _) | Op::Check(condition, _) => note(condition),
                Op::Join(handle) => note(handle),
                Op::Assign(assignments) => {
                    assignments.iter().for_each(|(_, value)| note(value));
                    break;
                }
                Op::Spawn { arguments, .. } => {
                    arguments.iter().for_each(&mut note);
                    break;
                }
                Op::Havoc(..) | Op::Halt => break,
            }
        }
        reads
    }

    /// The cells that the edge assigns, whether or not their value changes. Indices are only
    /// known before the first assignment of the edge; what this misses is only told if it
    /// changes.
    fn assigned(&self, before: &State, taken: StepTaken<'_>) -> Vec<(VarId, usize)> {
        let mut cells = Vec::new();
        for op in &self.program.edges()[taken.edge].ops {
            let is_first = cells.is_empty();
            let mut note = |target: &Target| match target {
                Target::Scalar(var) => cells.push((*var, 0)),
                Target::Element(array, index) if is_first => {
                    let index = self.semantics.evaluate_for(before, taken.slot, index).ok();
                    cells.extend(
                        index.and_then(|index| usize::try_from(index).ok()).map(|cell| (*array, cell)),
                    );
                }
                Target::Element(..) => {}
            };
            match op {
                Op::Assign(assignments) => assignments.iter().for_each(|(target, _)| note(target)),
                Op::Havoc(target, _) | Op::Spawn { handle: Some(target), .. } => note(target),
                Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {}
            }
        }
        cells
    }

    pub(crate) fn initial(&self, state: &State) -> Vec<InitialValue> {
        let chosen: Vec<VarId> = self.semantics.initial_choices().iter().map(|(var, _)| *var).collect();
        let mut values = Vec::new();
        for (id, var) in self.program.vars().iter() {
            let owner = match var.scope {
                Scope::Global => None,
                Scope::Local(thread) => match state.slots().find(|&slot| state.thread(slot) == thread) {
                    Some(slot) => Some(slot),
                    None => continue,
                },
            };
            let (cells, prefix) = match owner {
                None => (self.semantics.global(state, id), String::new()),
                Some(slot) => (
                    self.semantics.local(state, slot, id),
                    format!("{}.", thread_name(self.program, state, slot)),
                ),
            };
            for (cell, &value) in cells.iter().enumerate() {
                values.push(InitialValue {
                    variable: format!("{prefix}{}", self.cell_name(id, cell)),
                    value: self.values.text(id, value),
                    chosen: chosen.contains(&id),
                });
            }
        }
        values
    }

    fn cell_name(&self, var: VarId, cell: usize) -> String {
        let var = &self.program.vars()[var];
        match var.length {
            None => var.name.clone(),
            Some(_) => format!("{}[{cell}]", var.name),
        }
    }
}
