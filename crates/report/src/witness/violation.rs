//! The run of a violation as a path over statements of the source.

use super::branches::Branches;
use super::c_text::{CText, SourcePoint};
use super::invariants::ProofContext;
use crate::interleaving::{Interleaving, SourceRange, StepTaken, thread_name};
use rely_base::{Id, SourceMap, Span};
use rely_evidence::Replay;
use rely_program::race::Racer;
use rely_program::{EdgeId, Op, Program, SlotId, State, ThreadId, ThreadKind, TraceStep, Value, Violation};
use std::collections::HashMap;

/// Functions whose results SV-COMP's programs take as inputs.
const INPUT: &str = "__VERIFIER_nondet_";
/// The function that creates threads.
const CREATION: &str = "pthread_create";

/// One statement that a thread does, or a part of one.
pub(super) struct Step {
    /// The thread, counted in the order of creation from 0, the main one.
    pub(super) thread: usize,
    /// The name of the thread for a person.
    pub(super) name: String,
    pub(super) place: SourceRange,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The function around it.
    pub(super) function: Option<String>,
    /// Whether the place is where a statement starts.
    pub(super) is_statement: bool,
    /// Whether another thread moved before.
    pub(super) is_switch: bool,
    /// What shared integers the statement finds, as an expression of C.
    pub(super) found: Option<String>,
    /// An input that the step takes.
    pub(super) input: Option<Input>,
    /// The branch that the step decides: its keyword, and whether the condition holds.
    pub(super) branch: Option<(SourceRange, bool)>,
    /// The call by which the thread came here: its closing parenthesis, and the function around it.
    pub(super) entered: Option<(SourceRange, Option<String>)>,
    /// The thread that the step creates, and the function that it starts with.
    pub(super) creates: Option<(usize, String)>,
    /// The closing parenthesis of the call that creates it.
    pub(super) creation: Option<SourceRange>,
}

/// Which statement a thread is doing, and which of its edges it has taken.
#[derive(Default)]
struct Doing {
    start: Option<u32>,
    taken: Vec<EdgeId>,
}

impl Doing {
    /// Notes the next edge of the thread. Whether it begins a statement: another one, or the same
    /// once more.
    fn goes_on_with(&mut self, start: u32, edge: EdgeId) -> bool {
        let is_start = self.start != Some(start) || self.taken.contains(&edge);
        if is_start {
            *self = Self { start: Some(start), taken: Vec::new() };
        }
        self.taken.push(edge);
        is_start
    }
}

/// A value that a call gave.
pub(super) struct Input {
    /// The closing parenthesis of the call.
    pub(super) place: SourceRange,
    pub(super) function: String,
    pub(super) value: String,
}

/// What goes wrong: a statement of a thread.
pub(super) struct Target {
    pub(super) thread: usize,
    pub(super) place: SourceRange,
    pub(super) function: Option<String>,
}

/// The statements of a run, in order; the last one goes wrong, unless there are targets behind it.
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
    /// For a data race: the statements with the two accesses, which nobody has made yet.
    pub(super) racing: Vec<Target>,
    pub(super) has_threads: bool,
}

impl Path {
    pub(super) fn new(replay: &Replay, context: &ProofContext<'_>, text: &CText<'_>) -> Self {
        let states = replay.states();
        let taken = replay.trace().steps.iter().enumerate();
        let told = Interleaving::of_run(
            context.program,
            context.sources,
            &states[0],
            taken.clone().map(|(index, step)| StepTaken {
                slot: step.slot,
                edge: step.edge,
                after: states.get(index + 1),
            }),
        );
        let mut walk = Walk::new(context, text);
        for ((index, step), told) in taken.zip(&told.steps) {
            let before = &states[index.min(states.len() - 1)];
            walk.take(step, told, before, states.get(index + 1));
        }
        let mut steps = walk.steps;
        let racing = racing(replay, context, text);
        if let Some(target) = steps.last_mut().filter(|_| racing.is_empty())
            && let Some(span) =
                replay.trace().steps.last().and_then(|step| context.program.edges()[step.edge].span)
        {
            let span = Span { start: target.start, ..span };
            target.place = SourceRange::of(whole_statement(span, text), context.sources);
        }
        let moves_others = steps.iter().any(|step| step.thread != 0 || step.creates.is_some());
        let has_threads = moves_others || !racing.is_empty();
        Self { steps, racing, has_threads }
    }
}

/// What goes wrong may be a part of a statement; the format names statements.
fn whole_statement(span: Span, text: &CText<'_>) -> Span {
    let start = text.statement_around(span.start as usize).map_or(span.start, |start| start as u32);
    Span { start, ..span }
}

/// The two statements that race at the end of a run.
fn racing(replay: &Replay, context: &ProofContext<'_>, text: &CText<'_>) -> Vec<Target> {
    let Violation::Race(racers) = replay.violation() else { return Vec::new() };
    let target = |racer: Racer| {
        let span = context.program.edges()[racer.edge].span?;
        Some(Target {
            thread: racer.slot.index(),
            place: SourceRange::of(whole_statement(span, text), context.sources),
            function: text.function(span.start as usize).map(str::to_owned),
        })
    };
    racers.into_iter().filter_map(target).collect()
}

/// Puts the edges of a run together to statements.
struct Walk<'w> {
    context: &'w ProofContext<'w>,
    text: &'w CText<'w>,
    branches: Branches,
    calls: HashMap<SlotId, Calls<'w>>,
    doing: HashMap<SlotId, Doing>,
    last_slot: Option<SlotId>,
    steps: Vec<Step>,
}

impl<'w> Walk<'w> {
    fn new(context: &'w ProofContext<'w>, text: &'w CText<'w>) -> Self {
        Self {
            context,
            text,
            branches: Branches::of(context.program, text),
            calls: HashMap::new(),
            doing: HashMap::new(),
            last_slot: None,
            steps: Vec::new(),
        }
    }

    /// Goes on with an edge: it begins a statement, or belongs to the last one.
    fn take(&mut self, step: &TraceStep, told: &crate::Step, before: &State, after: Option<&State>) {
        let Self { context, text, .. } = *self;
        let Some(span) = context.program.edges()[step.edge].span else { return };
        let is_start = self.doing.entry(step.slot).or_default().goes_on_with(span.start, step.edge);
        let is_switch = self.last_slot.replace(step.slot) != Some(step.slot);
        let input = input(step.choices.as_slice(), span, context, text);
        let place = |byte: usize, length: u32| {
            let start = byte as u32;
            SourceRange::of(Span { start, end: start + length, ..span }, context.sources)
        };
        let branch = self.branches.decided(context.program, step.edge, text);
        let branch = branch.map(|(keyword, holds)| (place(keyword, 2), holds));
        let calls = self
            .calls
            .entry(step.slot)
            .or_insert_with(|| Calls::new(text, &context.program.threads()[before.thread(step.slot)].name));
        let called = calls.go_on(span.start as usize);
        let is_called = |name: &&str| text.is_called(span.start as usize, span.end as usize, name);
        let is_resumed = called.left.iter().any(is_called);
        let entered = called.entered.map(|close| (place(close, 1), text.function(close).map(str::to_owned)));
        let creates = created(context.program, step.edge, before, after);
        let creation =
            creates.as_ref().and_then(|_| text.only_call(span.start as usize, span.end as usize, CREATION));
        let creation = creation.map(|(_, close)| place(close, 1));
        if let Some(last) = self.steps.last_mut().filter(|_| !is_start && !is_switch && creates.is_none()) {
            last.input = last.input.take().or(input);
            last.branch = last.branch.take().or(branch);
            last.entered = last.entered.take().or(entered);
            return;
        }
        self.steps.push(Step {
            thread: step.slot.index(),
            name: thread_name(context.program, before, step.slot),
            place: SourceRange::of(span, context.sources),
            start: span.start,
            end: span.end,
            function: text.function(span.start as usize).map(str::to_owned),
            is_statement: is_start
                && !is_resumed
                && text.source_point(span.start as usize) == Some(SourcePoint::Statement),
            is_switch,
            found: found(told, context.program, text, span),
            input,
            branch,
            entered,
            creates,
            creation,
        });
    }
}

/// The functions that a thread is in, each by a byte of its body.
struct Calls<'t> {
    text: &'t CText<'t>,
    stack: Vec<usize>,
}

/// The functions of a C program that a thread is in at the end of a run, when it is about to take an edge.
pub(crate) fn functions_entered(
    replay: &Replay,
    slot: SlotId,
    edge: EdgeId,
    program: &Program,
    sources: &SourceMap,
) -> Vec<String> {
    let span_of = |edge: EdgeId| program.edges()[edge].span;
    let (Some(end), Some(last)) = (span_of(edge), replay.states().last()) else { return Vec::new() };
    let text = CText::new(sources.file(end.file).text());
    let function = &program.threads()[last.thread(slot)].name;
    if text.definition(function).is_none() {
        return Vec::new();
    }
    let mut calls = Calls::new(&text, function);
    let own = replay.trace().steps.iter().filter(|step| step.slot == slot);
    for span in own.map(|step| step.edge).chain([edge]).filter_map(span_of) {
        calls.go_on(span.start as usize);
    }
    calls.stack.iter().filter_map(|&byte| text.function(byte)).map(str::to_owned).collect()
}

/// What a step has to do with calls.
#[derive(Default)]
struct Called<'t> {
    /// The closing parenthesis of the call that came before it.
    entered: Option<usize>,
    /// The functions that have returned before it.
    left: Vec<&'t str>,
}

impl<'t> Calls<'t> {
    /// Of a thread that begins with a function.
    fn new(text: &'t CText<'t>, function: &str) -> Self {
        Self { text, stack: text.definition(function).into_iter().collect() }
    }

    /// Goes on to a step. A function that is not entered by an only call is entered unseen.
    fn go_on(&mut self, next: usize) -> Called<'t> {
        let Some(function) = self.text.function(next) else { return Called::default() };
        let is_in = |byte: &usize| self.text.function(*byte) == Some(function);
        let known = self.stack.iter().rposition(is_in);
        let calls = |byte: &usize| self.text.only_call_around(*byte, function);
        let caller = known.or_else(|| self.stack.iter().rposition(|byte| calls(byte).is_some()));
        let stays = caller.map_or(self.stack.len(), |caller| caller + 1);
        let entered = caller.filter(|_| known.is_none()).and_then(|caller| calls(&self.stack[caller]));
        let left = self.stack.drain(stays..).filter_map(|byte| self.text.function(byte)).collect();
        if known.is_none() {
            self.stack.push(next);
        }
        Called { entered, left }
    }
}

/// The shared integers that a step finds, where the source has names for them.
fn found(told: &crate::Step, program: &Program, text: &CText<'_>, span: Span) -> Option<String> {
    let known = told.reads.iter().filter_map(|read| {
        let base = read.variable.split('[').next()?;
        let mut named = program
            .vars()
            .values()
            .filter(|var| var.name == base || var.name.starts_with(&format!("{base}#")));
        let (declaration, None) = (named.next()?, named.next()) else { return None };
        let declared = declaration.span?.start as usize;
        text.small_integer(declared, base)?;
        let is_number = read.value.parse::<i64>().is_ok_and(|value| i32::try_from(value).is_ok());
        let is_visible = text.is_visible(declared, span.start as usize);
        (is_number && is_visible).then(|| format!("{} == {}", read.variable, read.value))
    });
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| known.join(" && "))
}

/// The value of the only input in a statement.
fn input(choices: &[Value], span: Span, context: &ProofContext<'_>, text: &CText<'_>) -> Option<Input> {
    let [value] = choices else { return None };
    let (function, close) = text.only_call(span.start as usize, span.end as usize, INPUT)?;
    let close = close as u32;
    let place = SourceRange::of(Span { start: close, end: close + 1, ..span }, context.sources);
    Some(Input { place, function: function.to_owned(), value: value.to_string() })
}

fn created(
    program: &Program,
    edge: EdgeId,
    before: &State,
    after: Option<&State>,
) -> Option<(usize, String)> {
    let spawned = program.edges()[edge].ops.iter().find_map(|op| match op {
        Op::Spawn { thread, .. } => Some(*thread),
        _ => None,
    })?;
    Some((slot_of_new(program, spawned, before, after?)?, program.threads()[spawned].name.clone()))
}

/// The slot of a thread that a step has started.
fn slot_of_new(program: &Program, thread: ThreadId, before: &State, after: &State) -> Option<usize> {
    let is_new = |slot: &SlotId| match program.threads()[thread].kind {
        ThreadKind::Template => slot.index() >= before.slots().len(),
        ThreadKind::Instance { .. } => after.thread(*slot) == thread,
    };
    after.slots().find(is_new).map(Id::index)
}
