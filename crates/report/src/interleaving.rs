//! A run of a program as data that a person can follow: who did what, where, and which
//! values it wrote.

use crate::essential::essential;
use crate::layout::{counted, one_line};
use crate::teller::Teller;
use rely_base::{Id, SourceMap, Span};
use rely_program::{EdgeId, Program, SlotId, State, ThreadKind};
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
    /// Whether the step matters to other threads, or they to it.
    pub essential: bool,
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
        let steps: Vec<StepTaken<'r>> = steps.into_iter().collect();
        let last = steps.iter().rev().find_map(|taken| taken.after).unwrap_or(initial);
        let teller = Teller::new(program, sources, last);
        let mut before = initial;
        let mut columns = Vec::new();
        let (mut told, mut accesses) = (Vec::new(), Vec::new());
        let mut several = if initial.slots().count() > 1 { 0 } else { steps.len() };
        for taken in steps {
            let thread = columns.iter().position(|&slot| slot == taken.slot).unwrap_or_else(|| {
                columns.push(taken.slot);
                columns.len() - 1
            });
            told.push(teller.step(thread, before, taken));
            accesses.push(teller.accesses(before, taken));
            before = taken.after.unwrap_or(before);
            if before.slots().count() > 1 {
                several = several.min(told.len());
            }
        }
        for (step, matters) in told.iter_mut().zip(essential(&accesses, several)) {
            step.essential = matters;
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

    /// The same run in which the statements are left out that do not matter: of those that follow each other in one
    /// thread, one row says how many they are. The steps in `also` matter because somebody speaks of them.
    pub fn essential(&self, also: &[usize]) -> Self {
        let mut marked = self.clone();
        for &step in also {
            if let Some(step) = marked.steps.get_mut(step) {
                step.essential = true;
            }
        }
        let condensed = marked.condensed();
        let mut steps: Vec<Step> = Vec::new();
        let mut rest = condensed.steps.as_slice();
        while let Some(first) = rest.first() {
            let goes_on = |step: &&Step| !step.essential && step.thread == first.thread;
            let left_out = rest.iter().take_while(goes_on).count();
            let (told, behind) = rest.split_at(left_out.max(1));
            match left_out {
                0 | 1 => steps.push(first.clone()),
                _ => steps.push(first.standing_for(left_out)),
            }
            debug_assert!(!told.is_empty());
            rest = behind;
        }
        Self { steps, ..condensed }
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

    /// A row for many statements of a thread, at the place of the first.
    fn standing_for(&self, count: usize) -> Self {
        let statement = format!("⋮ {}", counted(count as u64, "statements"));
        Self { statement, reads: Vec::new(), writes: Vec::new(), ..self.clone() }
    }

    fn absorb(&mut self, next: Step) {
        self.essential |= next.essential;
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
