//! What the tests of this crate share: programs as text, diagnostics as text, and a small
//! exhaustive search through the concrete semantics.

use rely_base::{Diagnostic, FileId, Id, SourceMap, Span};
use rely_program::{
    BinaryOp, Blocking, Chooser, Domain, Expr, Initial, Op, Place, Program, PropertyKind, Reached, Scope,
    Semantics, State, ThreadKind, UnaryOp, Value,
};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

/// A source map with one file.
pub fn source(text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.rely", text);
    (sources, file)
}

/// The program of a text that is correct.
pub fn program(text: &str) -> Program {
    let (sources, file) = source(text);
    match rely_model_front::translate(&sources, file) {
        Ok(program) => program,
        Err(errors) => panic!("{}\nin\n{text}", render(&sources, &errors)),
    }
}

/// The diagnostics of a text that is wrong.
pub fn errors(text: &str) -> String {
    let (sources, file) = source(text);
    match rely_model_front::translate(&sources, file) {
        Ok(_) => panic!("no error in\n{text}"),
        Err(errors) => render(&sources, &errors),
    }
}

/// Diagnostics as text: message, places and help.
pub fn render(sources: &SourceMap, errors: &[Diagnostic]) -> String {
    let place = |span: &Span| {
        let at = sources.position(*span);
        format!("{}:{}", at.line, at.column)
    };
    let mut text = String::new();
    for error in errors {
        writeln!(text, "error: {}", error.message).unwrap();
        for (span, label) in error.primary.iter().chain(&error.secondary) {
            let source = sources.text(*span).split_whitespace().collect::<Vec<_>>().join(" ");
            let source: String = source.chars().take(30).collect();
            writeln!(text, "  {} `{source}`: {label}", place(span)).unwrap();
        }
        if let Some(help) = &error.help {
            writeln!(text, "  help: {help}").unwrap();
        }
    }
    text
}

/// The program as text, without places in the source.
pub fn dump(program: &Program) -> String {
    let mut text = String::new();
    for var in program.vars().values() {
        let scope = match var.scope {
            Scope::Global => "var".to_owned(),
            Scope::Local(thread) => format!("local of {}:", program.threads()[thread].name),
        };
        let length = var.length.map_or(String::new(), |length| format!("[{length}]"));
        let initial = match &var.initial {
            Initial::Values(values) => format!("{values:?}"),
            Initial::Any(domain) => format!("any {domain}"),
        };
        writeln!(text, "{scope} {}: {}{length} = {initial}", var.name, var.sort).unwrap();
    }
    for (id, thread) in program.threads().iter() {
        let kind = match thread.kind {
            ThreadKind::Instance { running: true } => "thread",
            ThreadKind::Instance { running: false } => "spawned thread",
            ThreadKind::Template => "template",
        };
        let parameters: Vec<&str> =
            thread.parameters.iter().map(|var| program.vars()[*var].name.as_str()).collect();
        writeln!(text, "{kind} {}({})", thread.name, parameters.join(", ")).unwrap();
        for (location, declaration) in
            program.locations().iter().filter(|(_, location)| location.thread == id)
        {
            if declaration.atomic {
                writeln!(text, "  atomic {}", place_name(program, location)).unwrap();
            }
            for edge in program.outgoing(location) {
                let edge = &program.edges()[*edge];
                let ops: Vec<String> = edge.ops.iter().map(|op| operation(program, op)).collect();
                let ops = if ops.is_empty() { "skip".to_owned() } else { ops.join("; ") };
                let (from, to) = (place_name(program, edge.source), place_name(program, edge.target));
                writeln!(text, "  {from} -> {to}: {ops}").unwrap();
            }
        }
    }
    for condition in program.requires() {
        writeln!(text, "requires {}", term(program, condition)).unwrap();
    }
    for property in program.properties() {
        match &property.kind {
            PropertyKind::Always(condition) => writeln!(text, "always {}", term(program, condition)).unwrap(),
            PropertyKind::AtEnd(condition) => writeln!(text, "at end {}", term(program, condition)).unwrap(),
            PropertyKind::DeadlockFree => writeln!(text, "deadlock-free").unwrap(),
            PropertyKind::Terminates => writeln!(text, "terminates").unwrap(),
        }
    }
    for check in program.checks().values() {
        writeln!(text, "check {:?}: {}", check.kind, check.message).unwrap();
    }
    text
}

fn place_name(program: &Program, location: rely_program::LocationId) -> String {
    let declaration = &program.locations()[location];
    let thread = &program.threads()[declaration.thread];
    let end = if location == thread.exit { "!" } else { "" };
    match &declaration.label {
        Some(label) => format!("{label}{end}"),
        None => format!("{}{end}", location.index() - thread.entry.index()),
    }
}

fn operation(program: &Program, op: &Op) -> String {
    let show = |expr| term(program, expr);
    match op {
        Op::Assume(condition, Blocking::Wait) => format!("[{}]", show(condition)),
        Op::Assume(condition, Blocking::Abandon) => format!("assume {}", show(condition)),
        Op::Check(condition, check) => format!("check{} {}", check.index(), show(condition)),
        Op::Assign(assignments) => {
            let places: Vec<String> = assignments.iter().map(|(place, _)| target(program, place)).collect();
            let values: Vec<String> = assignments.iter().map(|(_, value)| show(value)).collect();
            format!("{} := {}", places.join(", "), values.join(", "))
        }
        Op::Havoc(place, domain) => format!("{} := any {domain}", target(program, place)),
        Op::Spawn { thread, arguments, handle } => {
            let handle =
                handle.as_ref().map_or(String::new(), |place| format!("{} := ", target(program, place)));
            let arguments: Vec<String> = arguments.iter().map(show).collect();
            format!("{handle}spawn {}({})", program.threads()[*thread].name, arguments.join(", "))
        }
        Op::Join(handle) => format!("join {}", show(handle)),
        Op::Halt => "halt".into(),
    }
}

fn target(program: &Program, place: &Place) -> String {
    term(program, &place.read())
}

/// An expression as text, fully parenthesized.
fn term(program: &Program, expr: &Expr) -> String {
    let show = |expr| term(program, expr);
    match expr {
        Expr::Int(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Var(var) => program.vars()[*var].name.clone(),
        Expr::Element(array, index) => format!("{}[{}]", program.vars()[*array].name, show(index)),
        Expr::This => "this".into(),
        Expr::Unary(op, operand) => {
            let symbol = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Not => "!",
                UnaryOp::BitNot => "~",
            };
            format!("{symbol}{}", show(operand))
        }
        Expr::Binary(op, operands) => {
            format!("({} {} {})", show(&operands[0]), symbol(*op), show(&operands[1]))
        }
        Expr::Ite(parts) => format!("({} ? {} : {})", show(&parts[0]), show(&parts[1]), show(&parts[2])),
        Expr::Wrap(int_type, operand) => format!("{int_type}({})", show(operand)),
        Expr::CountAt(location) => {
            format!("#({} at {})", program.thread_of(*location).name, place_name(program, *location))
        }
        Expr::CountRunning(thread) => format!("#({})", program.threads()[*thread].name),
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        BitAnd => "&",
        BitOr => "|",
        BitXor => "^",
        Shl => "<<",
        Shr => ">>",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        Eq => "==",
        Ne => "!=",
        And => "&&",
        Or => "||",
        Implies => "==>",
    }
}

/// Enumerates small domains; of large ones, a few values.
pub struct Values;

impl Chooser for Values {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        match domain {
            Domain::Bool => values.extend([0, 1]),
            Domain::Range { low, high } if domain.size().is_some_and(|size| size <= 64) => {
                values.extend(low..=high);
            }
            _ => {
                values.extend([-1, 0, 1, 2].into_iter().filter(|value| domain.contains(*value)));
                return false;
            }
        }
        true
    }
}

/// What an exhaustive search found.
#[derive(Debug, Default)]
pub struct Found {
    pub states: usize,
    /// Lines of violated assertions and properties, each once.
    pub violations: Vec<u32>,
    /// Messages of failed checks, each once.
    pub messages: Vec<String>,
    pub deadlock: bool,
    /// Whether all states were visited and all values tried.
    pub complete: bool,
}

/// Visits all states, up to `limit`; goes on behind violations.
pub fn explore(sources: &SourceMap, program: &Program, limit: usize) -> Found {
    let semantics = Semantics::new(program);
    let mut search = Search {
        found: Found { complete: true, ..Found::default() },
        seen: HashSet::new(),
        pending: VecDeque::new(),
    };
    search.start(&semantics);
    while let Some(state) = search.pending.pop_front() {
        if search.seen.len() > limit {
            search.found.complete = false;
            break;
        }
        search.expand(sources, &semantics, &state);
    }
    search.found.states = search.seen.len();
    search.found
}

struct Search {
    found: Found,
    seen: HashSet<State>,
    pending: VecDeque<State>,
}

impl Search {
    fn start(&mut self, semantics: &Semantics<'_>) {
        let mut vectors = vec![Vec::new()];
        for (_, domain) in semantics.initial_choices() {
            let mut values = Vec::new();
            self.found.complete &= Values.choose(*domain, &mut values);
            vectors = vectors
                .into_iter()
                .flat_map(|vector: Vec<Value>| {
                    values.iter().map(move |value| vector.iter().copied().chain([*value]).collect())
                })
                .collect();
        }
        for vector in vectors {
            if let Ok(state) = semantics.initial(&vector) {
                self.add(state);
            }
        }
    }

    fn add(&mut self, state: State) {
        if self.seen.insert(state.clone()) {
            self.pending.push_back(state);
        }
    }

    fn expand(&mut self, sources: &SourceMap, semantics: &Semantics<'_>, state: &State) {
        let program = semantics.program();
        let line = |span: Option<Span>| span.map_or(0, |span| sources.position(span).line);
        if let Some(property) = semantics.violated_property(state).expect("properties have values") {
            self.violation(line(program.properties()[property].span));
        }
        self.found.deadlock |=
            semantics.is_deadlock(state, &Values).expect("steps have values") == Some(true);
        if state.halted() {
            return;
        }
        for slot in state.slots() {
            let mut reached = Vec::new();
            let mut failed = Vec::new();
            let summary = semantics.successors(state, slot, &Values, &mut |_, step| match step {
                Reached::State(next) => reached.push(next.clone()),
                Reached::Failure(check) => failed.push(check),
            });
            self.found.complete &= !summary.expect("steps have values").incomplete;
            reached.into_iter().for_each(|next| self.add(next));
            for check in failed {
                let check = &program.checks()[check];
                self.violation(line(check.span));
                if !self.found.messages.contains(&check.message) {
                    self.found.messages.push(check.message.clone());
                }
            }
        }
    }

    fn violation(&mut self, line: u32) {
        if !self.found.violations.contains(&line) {
            self.found.violations.push(line);
        }
    }
}
