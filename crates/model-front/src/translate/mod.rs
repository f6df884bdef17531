//! From the syntax tree to a program: names and types are resolved, and the control flow of
//! each thread is copied into the program, once for each thread that can run.
//!
//! * `declare`: constants and variables with their types and initial values.
//! * `narrow`: what `requires` says about initial values.
//! * `plan`: which threads there are: instances where their number is known, templates else.
//! * `expr`, `observe`: expressions, in threads and in properties.
//! * `emit`, `steps`: the control flow of each thread, and what its edges do.
//! * `properties`: what is to be shown.

mod declare;
mod emit;
mod expr;
mod fold;
mod narrow;
mod observe;
mod plan;
mod properties;
mod steps;

use crate::ast::{self, Ast, BaseType, Body, Item, ItemKind, Name, Parameter};
use crate::flow::{self, Flow, NodeId};
use crate::formatter;
use crate::limits;
use rely_base::{Budget, Diagnostic, FileId, SourceMap, Span};
use rely_program::{CheckId, Expr, LocationId, Program, ProgramBuilder, Sort, ThreadId, Value, VarId};
use rustc_hash::FxHashMap;

/// Translates a syntax tree.
pub fn translate(
    sources: &SourceMap,
    file: FileId,
    ast: &Ast,
    budget: &Budget,
) -> Result<Program, Vec<Diagnostic>> {
    let name = sources.file(file).name().to_owned();
    let mut translator = Translator {
        sources,
        budget,
        builder: ProgramBuilder::new(name),
        errors: Vec::new(),
        names: FxHashMap::default(),
        later_constants: FxHashMap::default(),
        later_variables: FxHashMap::default(),
        agents: Vec::new(),
        copies: Vec::new(),
        ended_counters: FxHashMap::default(),
        bindings: Vec::new(),
        checks: FxHashMap::default(),
        nodes: 0,
        cells: 0,
        gave_up: false,
    };
    translator.program(ast, Span { file, start: 0, end: 0 });
    let Translator { builder, mut errors, gave_up, .. } = translator;
    debug_assert!(!gave_up || !errors.is_empty(), "giving up is reported");
    if gave_up && errors.is_empty() {
        return Err(vec![Diagnostic::error("the program is too large")]);
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.primary.as_ref().map(|(span, _)| span.start));
        return Err(errors);
    }
    builder.finish().map_err(|defect| {
        // What is written cannot cause this; say so instead of panicking.
        let error = Diagnostic::error(format!("the translation failed: {defect}"));
        vec![match defect.span {
            Some(span) => error.at(span, "while translating this"),
            None => error,
        }]
    })
}

/// What a name of the file stands for.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    Constant(Typed<Value>),
    Variable(Variable),
    /// A thread or process, by its place in [`Translator::agents`].
    Agent(usize),
}

/// A value or expression with its type.
#[derive(Clone, Copy, Debug)]
struct Typed<T> {
    value: T,
    ty: BaseType,
}

/// A variable of the program with what only the front end knows of it.
#[derive(Clone, Copy, Debug)]
struct Variable {
    id: VarId,
    ty: BaseType,
    length: Option<u32>,
    range: Option<(Value, Value)>,
}

/// A thread or process as it is declared.
struct Agent<'a> {
    name: &'a Name,
    parameters: &'a [Parameter],
    body: &'a Body,
    flow: Flow<'a>,
    /// The number of copies of a replicated thread.
    replicated: Option<Value>,
    is_process: bool,
    /// The threads that run this, by their places in [`Translator::copies`].
    copies: Vec<usize>,
}

/// One thread of the program.
struct Copy {
    agent: usize,
    thread: ThreadId,
    /// Whether there can be any number of it.
    template: bool,
    /// The value of `me`.
    me: Option<Value>,
    locals: FxHashMap<String, Variable>,
    locations: FxHashMap<NodeId, LocationId>,
    /// Which of the copies each of its spawns starts, by the place of the spawn.
    spawns: FxHashMap<Span, usize>,
}

/// Who evaluates an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Viewer {
    /// Nobody: the value must be known now. Inside a replicated thread, `me` is.
    Compiler { me: Option<Value> },
    /// A thread, by its place in [`Translator::copies`].
    Copy(usize),
    /// A property.
    Observer,
    /// A property that speaks about one thread, by its place in [`Translator::copies`].
    Member(usize),
}

impl Viewer {
    /// The thread whose locals are visible.
    fn copy(self) -> Option<usize> {
        match self {
            Viewer::Copy(copy) | Viewer::Member(copy) => Some(copy),
            Viewer::Compiler { .. } | Viewer::Observer => None,
        }
    }

    fn is_property(self) -> bool {
        matches!(self, Viewer::Observer | Viewer::Member(_))
    }
}

struct Translator<'a> {
    sources: &'a SourceMap,
    budget: &'a Budget,
    builder: ProgramBuilder,
    errors: Vec<Diagnostic>,
    names: FxHashMap<&'a str, (Symbol, Span)>,
    /// Constants that are declared further down.
    later_constants: FxHashMap<&'a str, Span>,
    /// Variables, before they are declared.
    later_variables: FxHashMap<&'a str, Span>,
    agents: Vec<Agent<'a>>,
    copies: Vec<Copy>,
    /// For the processes of which any thread is joined: how many have ended and not been
    /// joined.
    ended_counters: FxHashMap<usize, VarId>,
    /// The variables of the quantifiers around the current expression.
    bindings: Vec<(String, Value)>,
    /// The checks by place and message: several edges can have the same.
    checks: FxHashMap<(Span, String), CheckId>,
    /// Expression nodes so far.
    nodes: usize,
    /// Cells of variables so far.
    cells: u64,
    /// Whether the program is too large or too wrong to go on.
    gave_up: bool,
}

impl<'a> Translator<'a> {
    fn program(&mut self, ast: &'a Ast, start: Span) {
        self.declare_constants(ast);
        let bounds = self.initial_bounds(ast);
        self.declare_globals(ast, &bounds);
        self.declare_agents(ast);
        if self.agents.is_empty() {
            let what = if ast.items.is_empty() { "the file is empty" } else { "there is no thread" };
            self.error(
                Diagnostic::error(what)
                    .at(start, "nothing runs")
                    .help("declare a thread, as in `thread T { x := x + 1; }`"),
            );
            return;
        }
        if self.gave_up || !self.plan_threads(ast, start) {
            return;
        }
        self.emit_threads();
        self.properties(ast);
    }

    fn error(&mut self, error: Diagnostic) {
        if self.gave_up {
            return;
        }
        // The copies of a replicated thread all make the same mistakes.
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
        self.gave_up |= self.errors.len() >= limits::ERRORS;
    }

    /// Declares a name for the whole file; a name has one meaning.
    fn declare(&mut self, name: &'a Name, symbol: Symbol) {
        if let Some((_, earlier)) = self.names.get(name.text.as_str()) {
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text))
                .at(name.span, "declared again")
                .see(*earlier, "first declared here");
            self.error(error);
            return;
        }
        self.names.insert(&name.text, (symbol, name.span));
    }

    fn declare_agents(&mut self, ast: &'a Ast) {
        for item in &ast.items {
            let (name, parameters, body, is_process) = match &item.kind {
                ItemKind::Thread { name, body, .. } => (name, &[][..], body, false),
                ItemKind::Process { name, parameters, body } => (name, parameters.as_slice(), body, true),
                _ => continue,
            };
            let replicated = self.replication(item);
            self.declare(name, Symbol::Agent(self.agents.len()));
            let mut errors = Vec::new();
            let flow = flow::build(name, body, &mut errors);
            for error in errors {
                self.error(error);
            }
            self.agents.push(Agent {
                name,
                parameters,
                body,
                flow,
                replicated,
                is_process,
                copies: Vec::new(),
            });
        }
    }

    /// How many copies of a replicated thread there are.
    fn replication(&mut self, item: &'a Item) -> Option<Value> {
        let ItemKind::Thread { copies: Some(copies), .. } = &item.kind else { return None };
        let count = self.constant_int(copies, None)?;
        if !(1..=limits::COPIES).contains(&count) {
            self.error(
                Diagnostic::error(format!("a thread cannot have {count} copies"))
                    .at(copies.span, format!("not between 1 and {}", limits::COPIES)),
            );
            return Some(1);
        }
        Some(count)
    }

    /// Counts the nodes of an expression against the limit on the whole program.
    fn charge(&mut self, nodes: usize, span: Span) -> Option<()> {
        if self.budget.check().is_err() {
            // The caller asks the budget, too, and says so.
            self.error(Diagnostic::error("ran out of time while translating the program"));
            self.gave_up = true;
        }
        if self.gave_up {
            return None;
        }
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > limits::EXPRESSION_NODES {
            self.error(
                Diagnostic::error("the program is too large")
                    .at(span, "this is where it exceeds the limit")
                    .help("quantifiers, replicated threads and long conditions multiply each other"),
            );
            self.gave_up = true;
            return None;
        }
        Some(())
    }

    /// A piece of source as it appears in messages: on one line, and not too long.
    fn excerpt(&self, quoted: Quoted<'_>) -> String {
        const LONGEST: usize = 60;
        let text = self.sources.file(quoted.span().file).text();
        let line = match quoted {
            Quoted::Expr(expr) => formatter::expression(text, expr),
            Quoted::Target(target) => formatter::target(text, target),
        };
        if line.chars().count() <= LONGEST {
            return line;
        }
        line.chars().take(LONGEST - 3).chain("...".chars()).collect()
    }
}

/// What a message quotes from the source.
#[derive(Clone, Copy)]
enum Quoted<'q> {
    Expr(&'q ast::Expr),
    Target(&'q ast::Target),
}

impl Quoted<'_> {
    fn span(self) -> Span {
        match self {
            Quoted::Expr(expr) => expr.span,
            Quoted::Target(target) => target.span,
        }
    }
}

/// The sort of the values of a type.
fn sort(ty: BaseType) -> Sort {
    match ty {
        BaseType::Bool => Sort::Bool,
        BaseType::Int | BaseType::Mutex | BaseType::Thread => Sort::Int,
    }
}

/// A type in a message.
fn type_name(ty: BaseType) -> &'static str {
    match ty {
        BaseType::Int => "an int",
        BaseType::Bool => "a bool",
        BaseType::Mutex => "a mutex",
        BaseType::Thread => "a thread",
    }
}

/// The number of nodes of an expression.
fn size(expr: &Expr) -> usize {
    1 + expr.children().iter().map(size).sum::<usize>()
}
