//! A run of a program as data that a person can follow: who did what, where, and which
//! values it wrote.

use crate::layout::one_line;
use rely_base::{Id, SourceMap, Span};
use rely_program::{
    EdgeId, Expr, Initial, Op, Place as Target, Program, Scope, Semantics, SlotId, Sort, State, ThreadKind,
    Value, VarId,
};
use serde::{Deserialize, Serialize};

/// A run, told step by step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interleaving {
    /// The threads that ever ran, in the order of their slots.
    pub threads: Vec<String>,
    /// The values with which the variables start.
    pub initial: Vec<InitialValue>,
    /// What happened, in order.
    pub steps: Vec<Step>,
}

/// A variable's first value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialValue {
    /// The variable, or the cell of an array.
    pub variable: String,
    /// Its value.
    pub value: String,
    /// Whether the run chose the value, as opposed to the program.
    pub chosen: bool,
}

/// One step of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// An index into [`Interleaving::threads`].
    pub thread: usize,
    /// Where the statement stands in the source.
    pub place: Option<SourceRange>,
    /// The statement as it is written in the source.
    pub statement: String,
    /// What the step does, in the words of the intermediate program.
    pub operations: String,
    /// The shared variables that the step read, with what it found.
    pub reads: Vec<Read>,
    /// What the step wrote, also where the value stayed the same.
    pub writes: Vec<Write>,
    /// The edge that was taken: it tells one pass through a statement from the next.
    #[serde(skip, default = "unknown_edge")]
    pub(crate) edge: EdgeId,
}

/// A piece of the source. Lines and columns count from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRange {
    /// The file.
    pub file: String,
    /// The line in which it starts.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The line in which it ends.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
}

/// What a run says of edges is not part of what others read.
fn unknown_edge() -> EdgeId {
    EdgeId::from_index(0)
}

impl SourceRange {
    /// The place of a span.
    pub fn of(span: Span, sources: &SourceMap) -> Self {
        let file = sources.file(span.file);
        let (start, end) = (file.position(span.start), file.position(span.end.max(span.start)));
        Self {
            file: file.name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// A value that a step found in a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The variable, or the cell of an array.
    pub variable: String,
    /// Its value.
    pub value: String,
}

/// A value that a variable received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// The variable, or the cell of an array.
    pub variable: String,
    /// The value before the step; `None` if the variable came into being with it.
    pub old: Option<String>,
    /// The value after it.
    pub new: String,
}

/// What a run did in one step; `after` is `None` if the run ended in a failed check.
#[derive(Clone, Copy, Debug)]
pub struct StepTaken<'r> {
    /// Who moved.
    pub slot: SlotId,
    /// Along which edge.
    pub edge: EdgeId,
    /// The state it led to.
    pub after: Option<&'r State>,
}

impl Interleaving {
    /// Tells a run that starts in `initial`.
    pub fn of_run<'r>(
        program: &Program,
        sources: &SourceMap,
        initial: &'r State,
        steps: impl IntoIterator<Item = StepTaken<'r>>,
    ) -> Self {
        let teller = Teller { program, semantics: Semantics::new(program), sources };
        let mut before = initial;
        let mut columns = Vec::new();
        let mut told = Vec::new();
        for taken in steps {
            let thread = columns.iter().position(|&slot| slot == taken.slot).unwrap_or_else(|| {
                columns.push(taken.slot);
                columns.len() - 1
            });
            told.push(teller.step(thread, before, taken));
            before = taken.after.unwrap_or(before);
        }
        let mut interleaving = Self {
            threads: columns.iter().map(|&slot| thread_name(program, before, slot)).collect(),
            initial: teller.initial(initial),
            steps: told,
        };
        interleaving.sort_columns(&columns);
        interleaving
    }

    /// Puts the threads into the order of their slots, whoever moved first.
    fn sort_columns(&mut self, columns: &[SlotId]) {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&column| columns[column]);
        self.threads = order.iter().map(|&column| self.threads[column].clone()).collect();
        for step in &mut self.steps {
            step.thread = order.iter().position(|&column| column == step.thread).unwrap_or(step.thread);
        }
    }

    /// The same run with the steps that one thread makes one after the other for one
    /// statement told as one. Variables that the source does not name are left out.
    pub fn condensed(&self) -> Self {
        let starts = self.statement_starts();
        let mut steps: Vec<Step> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let mut step = step.clone();
            step.writes.retain(|write| is_named_in_source(&write.variable));
            step.reads.retain(|read| is_named_in_source(&read.variable));
            match steps.last_mut() {
                Some(last) if starts.binary_search(&index).is_err() => last.absorb(step),
                _ => steps.push(step),
            }
        }
        let chosen = |value: &&InitialValue| value.chosen && is_named_in_source(&value.variable);
        let initial = self.initial.iter().filter(chosen).cloned().collect();
        Self { threads: self.threads.clone(), initial, steps }
    }

    /// The steps with which a thread begins a statement, or another pass through it.
    pub(crate) fn statement_starts(&self) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut edges: Vec<EdgeId> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let previous = index.checked_sub(1).map(|previous| &self.steps[previous]);
            let goes_on = previous.is_some_and(|previous| previous.is_same_statement(step));
            // An edge that is taken again begins another pass through the statement.
            if !goes_on || edges.contains(&step.edge) {
                starts.push(index);
                edges.clear();
            }
            edges.push(step.edge);
        }
        starts
    }
}

impl Step {
    fn is_same_statement(&self, other: &Step) -> bool {
        self.thread == other.thread && self.place == other.place && self.statement == other.statement
    }

    fn absorb(&mut self, next: Step) {
        for write in next.writes {
            match self.writes.iter_mut().find(|known| known.variable == write.variable) {
                Some(known) => known.new = write.new,
                None => self.writes.push(write),
            }
        }
        for read in next.reads {
            match self.reads.iter_mut().find(|known| known.variable == read.variable) {
                Some(known) => known.value = read.value,
                None => self.reads.push(read),
            }
        }
        self.operations = format!("{}; {}", self.operations, next.operations);
    }
}

/// Front ends give the variables that they make up names with a dollar sign in front.
pub(crate) fn is_named_in_source(variable: &str) -> bool {
    !variable.rsplit('.').next().is_some_and(|name| name.starts_with('$'))
}

/// The name of a running thread; threads of one template are numbered by their handles.
pub fn thread_name(program: &Program, state: &State, slot: SlotId) -> String {
    let thread = &program.threads()[state.thread(slot)];
    match thread.kind {
        ThreadKind::Instance { .. } => thread.name.clone(),
        ThreadKind::Template => format!("{}#{}", thread.name, slot.index() + 1),
    }
}

/// Where the statement of an edge stands, and how it is written; without a source, what it does.
pub(crate) fn statement(
    program: &Program,
    sources: &SourceMap,
    edge: EdgeId,
) -> (Option<SourceRange>, String) {
    let edge = &program.edges()[edge];
    let source = edge.span.map(|span| one_line(sources.text(span))).filter(|text| !text.is_empty());
    let statement = source.unwrap_or_else(|| program.display_ops(&edge.ops).to_string());
    (edge.span.map(|span| SourceRange::of(span, sources)), statement)
}

struct Teller<'a> {
    program: &'a Program,
    semantics: Semantics<'a>,
    sources: &'a SourceMap,
}

impl Teller<'_> {
    fn step(&self, thread: usize, before: &State, taken: StepTaken<'_>) -> Step {
        let (place, statement) = statement(self.program, self.sources, taken.edge);
        Step {
            thread,
            place,
            statement,
            operations: self.program.display_ops(&self.program.edges()[taken.edge].ops).to_string(),
            edge: taken.edge,
            reads: self.reads(before, taken),
            writes: taken.after.map_or_else(Vec::new, |after| self.writes(before, after, taken)),
        }
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
                    old: old.map(|old| value_text(declaration.sort, old[cell])),
                    new: value_text(declaration.sort, value),
                });
            }
        }
    }

    /// The shared variables that the edge reads before it writes anything, and their values.
    fn reads(&self, before: &State, taken: StepTaken<'_>) -> Vec<Read> {
        let mut reads: Vec<Read> = Vec::new();
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
                if !declaration.is_global() {
                    return;
                }
                let Some(&value) = self.semantics.global(before, *var).get(cell) else { return };
                let variable = self.cell_name(*var, cell);
                if reads.iter().all(|known| known.variable != variable) {
                    reads.push(Read { variable, value: value_text(declaration.sort, value) });
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

    fn initial(&self, state: &State) -> Vec<InitialValue> {
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
                    value: value_text(var.sort, value),
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

/// A value as the source would write it.
pub(crate) fn value_text(sort: Sort, value: Value) -> String {
    match sort {
        Sort::Int => value.to_string(),
        Sort::Bool => (value != 0).to_string(),
    }
}
