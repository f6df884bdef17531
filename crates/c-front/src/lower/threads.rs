//! Threads: which functions are started, with what, and how they end.

use super::allocate::Reached;
use super::assign::Wanted;
use super::flow::Flow;
use super::join::Parting;
use super::names::Names;
use super::order::AccessLog;
use super::parameter::Parameter;
use super::scope::{Handover, Symbol};
use super::variable_array::Length;
use super::{Lowered, Lowering, Origin, ThreadContext, memory};
use crate::CInput;
use crate::facts::{Facts, ObjectKey, StartArgument, Storage};
use crate::types::CType;
use crate::unit::Unit;
use crate::value::{Known, ObjectId, Target, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::{Budget, Diagnostic};
use rely_program::{Expr, LocationId, Op, Program, ProgramBuilder, ThreadId, ThreadKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What must be true of the whole program, which is known only at the end.
#[derive(Debug)]
pub(super) enum Obligation {
    /// This is not supported.
    Never(Diagnostic),
    /// This is not supported unless the thread function is started at most once.
    Once(String, Diagnostic),
    /// This is not supported if the location is in a loop.
    NoLoop(LocationId, Diagnostic),
}

/// A round that has ended.
pub(super) struct Finished {
    builder: ProgramBuilder,
    obligations: Vec<Obligation>,
    reached: Vec<Reached>,
    pub(super) partings: Vec<Parting>,
    joined_results: FxHashSet<String>,
    threads: FxHashMap<String, ThreadId>,
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn new(
        input: &'a CInput,
        unit: &'a Unit<'a>,
        origin: &'a Origin<'a>,
        facts: &'f mut Facts,
        budget: &'a Budget,
    ) -> Self {
        let mut builder = ProgramBuilder::new(&input.name);
        let main = builder.thread("main", ThreadKind::Instance { running: true });
        builder.assumption("lp64-gcc");
        Lowering {
            input,
            unit,
            origin,
            facts,
            budget,
            builder,
            threads: [("main".to_owned(), main)].into_iter().collect(),
            waiting: VecDeque::from(["main".to_owned()]),
            thread: ThreadContext::new(main, "main"),
            frames: Vec::new(),
            flow: Flow::dead(),
            at: None,
            variables: FxHashMap::default(),
            owners: FxHashMap::default(),
            accesses: AccessLog::default(),
            has_unordered_accesses: false,
            evaluated: Vec::new(),
            approximations: FxHashMap::default(),
            global_names: Names::default(),
            typedefs: FxHashMap::default(),
            resolving: FxHashSet::default(),
            naming: 0,
            completing: FxHashSet::default(),
            pending: Vec::new(),
            broken: FxHashMap::default(),
            obligations: Vec::new(),
            variable_length: Length::default(),
            reached: Vec::new(),
            partings: Vec::new(),
            joined_results: FxHashSet::default(),
            atomicity: None,
            is_atomic_call: false,
            obstacles: Vec::new(),
            ends_at_obstacles: false,
            is_silent: false,
            edges: 0,
            walked: 0,
        }
    }

    /// Walks over all threads.
    pub(super) fn run(mut self) -> Result<Finished, Vec<Diagnostic>> {
        match self.walk() {
            Err(error) if self.obstacles.is_empty() => return Err(vec![error]),
            // What is wrong behind an obstacle may follow from it.
            Err(error) if error.is_unsupported => {
                self.obstacles.push(error);
                return Err(self.obstacles);
            }
            Err(_) => return Err(self.obstacles),
            Ok(()) => {}
        }
        if !self.obstacles.is_empty() && !self.ends_at_obstacles {
            return Err(self.obstacles);
        }
        self.tell_meanings();
        let Lowering { builder, obligations, reached, partings, joined_results, threads, .. } = self;
        Ok(Finished { builder, obligations, reached, partings, joined_results, threads })
    }

    fn walk(&mut self) -> Lowered<()> {
        if let Some(function) = self.unit.redefinition {
            return self.error(function.node.declarator.span, "this function is defined twice");
        }
        if !self.unit.functions.contains_key("main") {
            return Err(Diagnostic::error("there is no function `main`")
                .help("Rely starts programs like the system does, with `int main(void)`"));
        }
        let unit = self.unit;
        for assertion in &unit.assertions {
            self.at_file_scope(|lowering| lowering.static_assert(assertion))?;
        }
        while let Some(name) = self.waiting.pop_front() {
            self.walk_thread(&name)?;
        }
        if self.has_unordered_accesses && self.threads.len() > 1 {
            self.builder.assumption("unsequenced-left-to-right");
        }
        self.check_published();
        self.set_initial_values();
        Ok(())
    }

    /// A local whose address other threads know must exist only once.
    fn check_published(&mut self) {
        for (name, thread, span) in self.facts.published() {
            let message = format!(
                "the address of `{}`, a local of the thread `{}` which may run several times, reaches other \
                 threads; this is not supported",
                self.spelled(&name),
                self.spelled(&thread)
            );
            let mut error = Diagnostic { is_unsupported: true, ..Diagnostic::error(message) };
            if let Some(span) = span {
                error = error.at(span, "declared here");
            }
            self.obligations.push(Obligation::Once(thread.to_string(), error));
        }
    }

    /// The thread that runs a function, to be walked over later.
    pub(super) fn started_thread(&mut self, name: &str, at: TreeSpan) -> Lowered<ThreadId> {
        if name == "main" {
            return self.refuse(at, "a thread that runs `main`");
        }
        if let Some(&thread) = self.threads.get(name) {
            return Ok(thread);
        }
        let Some(function) = self.unit.functions.get(name) else {
            let name = self.spelled(name);
            return self.refuse(at, format!("a thread that runs `{name}`, which is not defined,"));
        };
        let span = self.span(function.node.declarator.span);
        let spelled = self.spelled(name).to_owned();
        let thread = self.builder.thread(spelled, ThreadKind::Template);
        self.builder.set_thread_span(thread, Some(span));
        self.threads.insert(name.to_owned(), thread);
        self.facts.note_threads();
        self.waiting.push_back(name.to_owned());
        Ok(thread)
    }

    fn walk_thread(&mut self, name: &str) -> Lowered<()> {
        let Some((&name, &function)) = self.unit.functions.get_key_value(name) else { return Ok(()) };
        let Some(&thread) = self.threads.get(name) else { return Ok(()) };
        let span = self.span(function.node.declarator.span);
        self.builder.set_thread_span(thread, Some(span));
        self.thread = ThreadContext::new(thread, name);
        self.at = Some(span);
        self.flow = Flow::standing_at(self.builder.entry(thread), 0);
        let mut frame = self.frame_for(name, &function.node, Wanted::Nothing, function.span)?;
        frame.handover = Handover::None;
        let parameters = self.parameters(&function.node)?;
        self.frames = vec![frame];
        if name == "main" {
            self.run_constructors()?;
            self.at = Some(span);
            self.main_parameters(&parameters)?;
        } else {
            self.thread_parameter(name, &parameters)?;
        }
        let is_atomic = name.starts_with("__VERIFIER_atomic_");
        if is_atomic {
            self.enter_atomic();
        }
        self.body(&function.node.statement)?;
        self.end_thread(None, function.span)?;
        self.frames.clear();
        Ok(())
    }

    /// `argc` is any number, and `argv` points to as many texts that nobody knows. The environment, a third
    /// parameter, is memory outside.
    fn main_parameters(&mut self, parameters: &[Parameter<'a>]) -> Lowered<()> {
        let is_used = |lowering: &Self, name: &str| {
            lowering.frames.last().is_some_and(|frame| frame.constants.mentioned.contains(name))
        };
        let mut values = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let ty = parameter.ty.clone();
            if !is_used(self, parameter.name) {
                let object = self.local_object(parameter.position, parameter.name, ty, parameter.at)?;
                self.define(parameter.name, Symbol::Object(object));
                continue;
            }
            let value = match (index, &ty) {
                (0, CType::Int(_)) => {
                    let count = self.any_argument_count();
                    Value::number(ty, count, crate::fold::Range { low: 0, high: i128::from(i32::MAX) })
                }
                (1, CType::Pointer(_)) => {
                    if values.is_empty() {
                        self.any_argument_count();
                    }
                    self.command_line(ty, parameter.at)?
                }
                (2, CType::Pointer(_)) => self.outside_address(ty, parameter.at)?,
                _ => return self.error(parameter.at, "this is no parameter of `main`"),
            };
            values.push((parameter, value));
        }
        for (parameter, value) in values {
            if self.can_be_bound(parameter.name, &value) {
                self.define(parameter.name, Symbol::Bound(Box::new(value)));
                continue;
            }
            let object =
                self.local_object(parameter.position, parameter.name, parameter.ty.clone(), parameter.at)?;
            self.define(parameter.name, Symbol::Object(object));
            let place = self.object_lvalue(object);
            self.assign_value(place, value, Wanted::Nothing, parameter.at, parameter.at)?;
        }
        Ok(())
    }

    fn thread_parameter(&mut self, name: &str, parameters: &[Parameter<'a>]) -> Lowered<()> {
        let Some(parameter) = parameters.first() else { return Ok(()) };
        if let Some(second) = parameters.get(1) {
            return self.error(second.at, "the function of a thread takes one argument");
        }
        let pointer = CType::pointer_to(CType::Void);
        let value = match self.facts.start_argument(name) {
            Some(StartArgument::Number(number)) => Some(Value::constant(pointer, *number)),
            Some(StartArgument::Address(object, offset)) => {
                let known = Known { offset: *offset, ..Known::start_of(*object) };
                Some(Value::pointer(pointer, known))
            }
            _ => None,
        };
        if let Some(value) = value {
            let value = self.convert(value, &parameter.ty, parameter.at)?;
            if self.can_be_bound(parameter.name, &value) {
                self.define(parameter.name, Symbol::Bound(Box::new(value)));
                return Ok(());
            }
            let object =
                self.local_object(parameter.position, parameter.name, parameter.ty.clone(), parameter.at)?;
            self.define(parameter.name, Symbol::Object(object));
            let place = self.object_lvalue(object);
            return self.assign_value(place, value, Wanted::Nothing, parameter.at, parameter.at).map(|_| ());
        }
        if parameter.ty.scalar().is_none() {
            return self.error(parameter.at, "the argument of a thread is a pointer");
        }
        let object =
            self.local_object(parameter.position, parameter.name, parameter.ty.clone(), parameter.at)?;
        self.define(parameter.name, Symbol::Object(object));
        if self.takes_argument(name)? {
            let variable = self.variable(Target { object, offset: 0 });
            if !self.facts.is_published(object) {
                self.builder.parameter(self.thread.id, variable);
                return Ok(());
            }
            // Other threads see the variable: it is set in a step of its own.
            let sort = self.builder.program().vars()[variable].sort;
            let own = self.thread.names.unique("argument");
            let argument = self.builder.local(self.thread.id, own, sort, 0);
            self.builder.parameter(self.thread.id, argument);
            self.emit(vec![Op::assign(rely_program::Place::Scalar(variable), Expr::Var(argument))]);
        }
        Ok(())
    }

    /// Whether the argument differs from start to start, and is looked at.
    fn takes_argument(&mut self, name: &str) -> Lowered<bool> {
        let Some((&name, &function)) = self.unit.functions.get_key_value(name) else { return Ok(false) };
        let parameters = self.parameters(&function.node)?;
        let Some(parameter) = parameters.first() else { return Ok(false) };
        let is_various = self.facts.start_argument(name) == Some(&StartArgument::Various);
        let used = super::impact::Unmodified::of(&function.node.statement);
        Ok(is_various && used.mentioned.contains(parameter.name))
    }

    /// The arguments of a spawn.
    pub(super) fn start_arguments(&mut self, name: &'a str, argument: &Value) -> Lowered<Vec<Expr>> {
        if !self.takes_argument(name)? {
            return Ok(Vec::new());
        }
        let Some(&function) = self.unit.functions.get(name) else { return Ok(Vec::new()) };
        let Some(parameter) = self.parameters(&function.node)?.into_iter().next() else {
            return Ok(Vec::new());
        };
        let value = self.convert(argument.clone(), &parameter.ty, parameter.at)?;
        let targets = self.pointed_to(&value);
        let key = ObjectKey::Local(name.into(), parameter.position);
        if let Some(object) = self.facts.find(&key) {
            let place = self.facts.target(object, 0);
            self.facts.store(place, &targets);
        } else {
            // The thread is walked over later in this round, for the first time.
            self.facts.store_later();
        }
        Ok(vec![self.storable(&value)])
    }

    /// `return` from the function of a thread, or its end.
    pub(super) fn end_thread(&mut self, value: Option<&'a Node<Expression>>, at: TreeSpan) -> Lowered<()> {
        if &*self.thread.key != "main" {
            return self.exit_thread(value, at);
        }
        if let Some(value) = value {
            self.eval_and_discard(value)?;
        }
        // The whole program ends with `main`.
        self.run_destructors()?;
        self.emit(vec![Op::Halt]);
        self.end_here();
        Ok(())
    }

    /// `pthread_exit`.
    pub(super) fn exit_thread(&mut self, value: Option<&'a Node<Expression>>, at: TreeSpan) -> Lowered<()> {
        let name = self.thread.key.to_string();
        if name == "main" {
            self.refuse_late_destructors(at)?;
            if !self.flow.is_dead() {
                self.facts.note_main_leaves_others();
            }
        }
        if self.facts.is_result_wanted(&name) {
            let object = self.thread_result_object(&name, at)?;
            let place = self.object_lvalue(object);
            match value {
                Some(value) => {
                    let value = self.eval(value)?;
                    let value = self.convert(value, &CType::pointer_to(CType::Void), at)?;
                    let targets = self.pointed_to(&value);
                    if !self.flow.is_dead() {
                        self.facts.publish(&targets);
                    }
                    self.assume_alive(&targets);
                    if self.facts.is_result_blurred(&name) {
                        self.facts.store(Target { object, offset: 0 }, &targets);
                    } else {
                        self.write(&place, value, at)?;
                    }
                }
                None if !self.flow.is_dead() => self.forget(object),
                None => {}
            }
        } else if let Some(value) = value {
            self.eval_and_discard(value)?;
        }
        self.destroy_specific(at)?;
        self.end_here();
        Ok(())
    }

    pub(super) fn thread_result_object(&mut self, function: &str, at: TreeSpan) -> Lowered<ObjectId> {
        let key = ObjectKey::ThreadResult(function.to_owned());
        let name = format!("{}.result", self.spelled(function));
        self.object(key, name, CType::pointer_to(CType::Void), Storage::Global, at)
    }
}

impl ThreadContext {
    fn new(id: ThreadId, key: &str) -> Self {
        ThreadContext {
            id,
            key: key.into(),
            names: Names::default(),
            labels: Names::default(),
            temporaries: memory::Temporaries::default(),
            cleanups: 0,
        }
    }
}

impl Finished {
    /// The program, if everything that was promised of it is true.
    pub(super) fn program(self) -> Result<Program, Vec<Diagnostic>> {
        let mut broken: Vec<Diagnostic> = Vec::new();
        for obligation in &self.obligations {
            let error = match obligation {
                Obligation::Never(error) => Some(error),
                Obligation::Once(name, error) => Some(error).filter(|_| !self.runs_once(name)),
                Obligation::NoLoop(location, error) => Some(error).filter(|_| self.is_in_loop(*location)),
            };
            if let Some(error) = error.filter(|error| !broken.contains(error)) {
                broken.push(Diagnostic { is_unsupported: true, ..error.clone() });
            }
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        self.builder.finish().map_err(|malformed| {
            let error = Diagnostic::error(format!("internal error: {malformed}"));
            vec![match malformed.span {
                Some(span) => error.at(span, "while translating this"),
                None => error,
            }]
        })
    }

    /// Finds out which places that allocate may be reached more than once.
    pub(super) fn note_allocations(&self, facts: &mut Facts) {
        for Reached { site, location } in &self.reached {
            if self.is_in_loop(*location) || !self.runs_once(&site.thread) {
                facts.pool(site);
            }
        }
    }

    /// Finds out which results several threads leave in the same place.
    pub(super) fn note_results(&self, facts: &mut Facts) {
        for function in self.joined_results.iter().filter(|function| !self.runs_once(function)) {
            facts.blur_result(function);
        }
    }

    pub(super) fn runs_once(&self, name: &str) -> bool {
        self.threads.get(name).is_some_and(|&thread| self.starts_once(thread, 0))
    }

    pub(super) fn is_in_loop(&self, location: LocationId) -> bool {
        let program = self.builder.program();
        let mut next = program.outgoing(location).iter().map(|&edge| program.edges()[edge].target);
        next.any(|target| leads_to(program, target, location))
    }

    /// Whether a thread cannot be started twice: there is one place that starts it, in a thread
    /// that itself is started once, and not in a loop.
    fn starts_once(&self, thread: ThreadId, depth: usize) -> bool {
        let program = self.builder.program();
        if program.threads()[thread].kind != ThreadKind::Template {
            return true;
        }
        let mut starts = program.edges().values().filter(|edge| {
            edge.ops.iter().any(|op| matches!(op, Op::Spawn { thread: started, .. } if *started == thread))
        });
        let (Some(start), None) = (starts.next(), starts.next()) else { return false };
        let starter = program.locations()[start.source].thread;
        depth < program.threads().len()
            && !leads_to(program, start.target, start.source)
            && self.starts_once(starter, depth + 1)
    }
}

/// Whether control can get from one location to another, if only by being there.
fn leads_to(program: &Program, from: LocationId, to: LocationId) -> bool {
    let mut reached: FxHashSet<LocationId> = [from].into_iter().collect();
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        let targets = program.outgoing(location).iter().map(|&next| program.edges()[next].target);
        pending.extend(targets.filter(|&target| reached.insert(target)));
    }
    reached.contains(&to)
}
