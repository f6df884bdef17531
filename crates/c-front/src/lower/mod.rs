//! Walks over the functions of a file and emits the program.
//!
//! A thread function is walked like an interpreter would, except that both sides of a branch
//! are followed: expressions yield [`Value`](crate::value::Value)s that are not yet computed,
//! statements emit edges, and calls walk over the body of the called function. The order of
//! evaluation is from left to right where C leaves it open.
//!
//! An access to memory that other threads see is an edge of its own. A value that contains
//! one such read may be used where that edge does nothing else with shared memory, as in
//! `local = shared + 1` or `if (shared == 0)`; otherwise the read goes to a temporary first.

mod access;
mod alignment;
mod allocate;
mod approximate;
mod argument;
mod arithmetic;
mod assembly;
mod assign;
mod atomics;
mod barrier;
mod branch;
mod bytes;
mod call;
mod cell;
mod condition;
mod convert;
mod counters;
mod declare;
mod effect;
mod entry;
mod expression;
mod float;
mod flow;
mod function_pointer;
mod impact;
mod initial;
mod initializer_list;
mod join;
mod library;
mod literal;
mod locate;
mod lvalue;
mod meaning;
mod memory;
mod mutex;
mod names;
mod obstacle;
mod order;
mod outside;
mod overflow;
mod parameter;
mod possible;
mod pthread;
mod scope;
mod specific;
mod start;
mod statement;
mod switch;
mod tag;
mod text;
mod threads;
mod typename;
mod variable_array;
mod variadic;

use crate::facts::{Facts, ThreadKey};
use crate::text::{LineMap, Prepared};
use crate::types::{CType, RecordId};
use crate::unit::Unit;
use crate::value::{ObjectId, Target, Value};
use crate::{CInput, PartlyTranslated, Wakeups};
use flow::Flow;
use join::Parting;
use lang_c::ast::{Expression, StructType, TranslationUnit};
use lang_c::span::Node;
use names::Names;
use order::AccessLog;
use rely_base::{Budget, Diagnostic, Span};
use rely_program::{Program, ProgramBuilder, Sort, ThreadId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Frame;
use std::collections::VecDeque;
use threads::Obligation;

/// How many times a program is lowered at most; each round follows pointers one step further.
const MAX_ROUNDS: usize = 64;

pub(crate) type Lowered<T> = Result<T, Diagnostic>;

/// Where positions of the syntax tree lie in the user's file.
#[derive(Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) lines: &'a LineMap<'a>,
}

impl Origin<'_> {
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        // The parser counts the blanks behind a phrase as a part of it.
        let text = self.prepared.text.get(start..end).unwrap_or("");
        let end = start + text.trim_end().len();
        let (first, last) = match self.prepared.is_of_library(start) {
            true => (self.prepared.end(), self.prepared.end()),
            false => {
                let last = self.prepared.original(end.saturating_sub(1).max(start)) + 1;
                (self.prepared.original(start), last)
            }
        };
        self.lines.span(first, last)
    }

    /// What the user wrote for a range of the syntax tree, on one line and without a final
    /// semicolon.
    pub(crate) fn text(&self, span: lang_c::span::Span) -> String {
        let text = self.lines.text(self.span(span.start, span.end));
        text.trim_end_matches(';').trim_end().to_owned()
    }
}

/// Translates a syntax tree. If the budget ends before, that is an error.
pub(crate) fn lower(
    input: &CInput,
    tree: &TranslationUnit,
    origin: &Origin<'_>,
    wakeups: Wakeups,
    budget: &Budget,
) -> Result<PartlyTranslated, Vec<Diagnostic>> {
    let unit = Unit::new(tree);
    let walk = |ends_at_obstacles| {
        let choices = Choices { wakeups, ends_at_obstacles };
        walk(input, &unit, origin, choices, budget)
    };
    match walk(false) {
        Ok(program) => Ok(PartlyTranslated { program, obstacles: Vec::new() }),
        Err(obstacles) if obstacles.iter().all(|error| error.is_unsupported) => match walk(true) {
            Ok(program) => Ok(PartlyTranslated { program, obstacles }),
            Err(_) => Err(obstacles),
        },
        Err(errors) => Err(errors),
    }
}

/// How a program is translated.
#[derive(Clone, Copy)]
struct Choices {
    wakeups: Wakeups,
    ends_at_obstacles: bool,
}

fn walk(
    input: &CInput,
    unit: &Unit<'_>,
    origin: &Origin<'_>,
    choices: Choices,
    budget: &Budget,
) -> Result<Program, Vec<Diagnostic>> {
    let Choices { wakeups, ends_at_obstacles } = choices;
    let mut facts = Facts::new(wakeups);
    for _ in 0..MAX_ROUNDS {
        let mut lowering = Lowering::new(input, unit, origin, &mut facts, budget);
        lowering.ends_at_obstacles = ends_at_obstacles;
        let finished = lowering.run()?;
        finished.note_partings(&mut facts);
        finished.note_allocations(&mut facts);
        finished.note_results(&mut facts);
        if !facts.take_grown() {
            return finished.program();
        }
    }
    Err(vec![Diagnostic::error("the pointers of this program are too complex to analyse")])
}

/// One round.
pub(crate) struct Lowering<'a, 'f> {
    input: &'a CInput,
    unit: &'a Unit<'a>,
    origin: &'a Origin<'a>,
    facts: &'f mut Facts,
    budget: &'a Budget,
    builder: ProgramBuilder,
    /// The thread functions that are started, in the order of their first start.
    threads: FxHashMap<String, ThreadId>,
    waiting: VecDeque<String>,
    thread: ThreadContext,
    /// The functions being walked over, the innermost last.
    frames: Vec<Frame<'a>>,
    flow: Flow,
    /// Whether the accesses of the steps emitted now are atomic, if that is not up to the variables.
    atomicity: Option<bool>,
    /// Whether what is read and written now is the place of an atomic operation.
    is_atomic_call: bool,
    /// The statement being walked over.
    at: Option<Span>,
    variables: FxHashMap<Target, VarId>,
    /// The objects to which variables belong.
    owners: FxHashMap<VarId, ObjectId>,
    /// What operands without an order between them access.
    accesses: AccessLog,
    /// Whether shared memory is accessed by operands whose order only other threads can see.
    has_unordered_accesses: bool,
    /// Arguments of the call of a library function that have been evaluated.
    evaluated: Vec<(*const Node<Expression>, Value)>,
    /// The variables that stand for what is not known exactly, by their threads and what that is.
    approximations: FxHashMap<(ThreadId, Sort, String), VarId>,
    global_names: Names,
    typedefs: FxHashMap<String, CType>,
    /// Names of the file whose meaning is being found out.
    resolving: FxHashSet<String>,
    /// How many types with names are being found out.
    naming: usize,
    /// Structures whose members are being looked at.
    completing: FxHashSet<RecordId>,
    /// Structures of the file that are mentioned where others are being looked at: their turn comes then.
    pending: Vec<(RecordId, &'a Node<StructType>)>,
    /// Why structures have no members, though they are defined.
    broken: FxHashMap<RecordId, Diagnostic>,
    obligations: Vec<Obligation>,
    /// The length of the array that is being declared.
    variable_length: variable_array::Length,
    /// The places that allocate.
    reached: Vec<allocate::Reached>,
    /// Where threads are joined or detached.
    partings: Vec<Parting>,
    /// The functions of threads whose results are fetched.
    joined_results: FxHashSet<String>,
    /// What is not supported, so far: the walk goes on behind it, to find all of it.
    obstacles: Vec<Diagnostic>,
    /// Whether there shall be a program whose translation ends at them.
    ends_at_obstacles: bool,
    /// Whether only the type of what is walked over matters.
    is_silent: bool,
    edges: usize,
    /// How many statements were walked over.
    walked: usize,
}

/// The thread being walked over.
struct ThreadContext {
    id: ThreadId,
    key: ThreadKey,
    names: Names,
    labels: Names,
    temporaries: memory::Temporaries,
    /// How many handlers of `pthread_cleanup_push` are registered.
    cleanups: usize,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The span in the user's file.
    fn span(&self, span: lang_c::span::Span) -> Span {
        match self.at {
            // What the library does happens where it is called.
            Some(at) if self.origin.prepared.is_of_library(span.start) => at,
            _ => self.origin.span(span.start, span.end),
        }
    }

    /// An error at a place of the syntax tree.
    fn error<T>(&self, at: lang_c::span::Span, message: impl Into<String>) -> Lowered<T> {
        Err(Diagnostic::error(message).at(self.span(at), "here"))
    }

    /// The refusal of a construct, named with its article.
    fn refuse<T>(&self, at: lang_c::span::Span, construct: impl AsRef<str>) -> Lowered<T> {
        Err(Diagnostic::unsupported(construct.as_ref()).at(self.span(at), "here"))
    }

    /// A name as the user spelled it.
    fn spelled<'n>(&'n self, name: &'n str) -> &'n str {
        self.origin.prepared.spellings.get(name).map_or(name, String::as_str)
    }

    fn assume(&mut self, name: &'static str) {
        if !self.flow.is_dead() {
            self.builder.assumption(name);
        }
    }
}
