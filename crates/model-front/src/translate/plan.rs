//! Which threads there are.
//!
//! Threads that run from the beginning are instances. So is what is spawned at most once: by
//! an instance, at a place to which it cannot come back. Everything else that is spawned is
//! a template, of which there can be any number.

use super::{Copy, Symbol, Translator, sort};
use crate::ast::{Ast, BaseType, ItemKind, Name, Simple};
use crate::flow::Action;
use crate::limits;
use rely_base::{Diagnostic, Span};
use rely_program::{Initial, Scope, ThreadId, ThreadKind, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many threads that are spawned once are told apart; beyond, they become templates.
const MOST_SPAWNED_INSTANCES: usize = 64;

/// A thread of the program before it is made.
struct Planned {
    agent: usize,
    kind: Kind,
    me: Option<Value>,
    /// The processes from which this one was spawned, and itself.
    ancestors: Vec<usize>,
    spawns: FxHashMap<Span, usize>,
}

impl Planned {
    fn running(agent: usize, me: Option<Value>, arguments: Vec<Value>) -> Self {
        let kind = Kind::Running(arguments);
        Self { agent, kind, me, ancestors: vec![agent], spawns: FxHashMap::default() }
    }
}

enum Kind {
    /// Runs from the beginning with these arguments.
    Running(Vec<Value>),
    SpawnedOnce,
    Template,
}

impl<'a> Translator<'a> {
    /// Decides which threads there are and makes them, without their edges. Returns whether
    /// there is any.
    pub(super) fn plan_threads(&mut self, ast: &'a Ast, start: Span) -> bool {
        let mut planned = self.running_from_the_beginning(ast);
        if planned.is_empty() {
            if self.errors.is_empty() {
                self.error(
                    Diagnostic::error("no process is started")
                        .at(self.agents.first().map_or(start, |agent| agent.name.span), "nothing runs")
                        .help("add `start` with the name of a process, or declare a `thread`"),
                );
            }
            return false;
        }
        if !self.check_size(&planned) {
            return false;
        }
        self.plan_spawns(&mut planned);
        self.check_all_run(&planned);
        if self.gave_up || !self.check_size(&planned) {
            return false;
        }
        let names = self.thread_names(&planned);
        for (planned, name) in planned.into_iter().zip(names) {
            self.make_thread(planned, &name);
        }
        self.make_ended_counters();
        true
    }

    fn running_from_the_beginning(&mut self, ast: &'a Ast) -> Vec<Planned> {
        let mut planned = Vec::new();
        // Agents were declared in the order of the items.
        let mut agents = 0..self.agents.len();
        for item in &ast.items {
            // What is more is refused as a whole.
            if self.gave_up || planned.len() > limits::THREADS {
                break;
            }
            match &item.kind {
                ItemKind::Process { .. } => drop(agents.next()),
                ItemKind::Thread { .. } => {
                    let Some(agent) = agents.next() else { continue };
                    match self.agents[agent].replicated {
                        Some(copies) => {
                            let copies = (0..copies).map(|me| Planned::running(agent, Some(me), vec![]));
                            planned.extend(copies);
                        }
                        None => planned.push(Planned::running(agent, None, vec![])),
                    }
                }
                ItemKind::Start { process, arguments } => {
                    let Some(agent) = self.process(process) else { continue };
                    let Some(values) = self.start_arguments(agent, process, arguments) else { continue };
                    planned.push(Planned::running(agent, None, values));
                }
                _ => {}
            }
        }
        planned
    }

    /// The process of a name.
    pub(super) fn process(&mut self, name: &Name) -> Option<usize> {
        match self.names.get(name.text.as_str()) {
            Some((Symbol::Agent(agent), _)) if self.agents[*agent].is_process => Some(*agent),
            Some((symbol, declared)) => {
                let error = Diagnostic::error(format!("`{}` is not a process", name.text))
                    .at(name.span, "cannot be started")
                    .see(*declared, "declared here");
                let is_thread = matches!(symbol, Symbol::Agent(_));
                self.error(if is_thread {
                    error.help("a `thread` runs from the beginning; declare it as a `process` to start it")
                } else {
                    error
                });
                None
            }
            None => {
                let known = self.agents.iter().filter(|agent| agent.is_process);
                let similar = rely_base::similar(&name.text, known.map(|agent| agent.name.text.as_str()));
                let error = Diagnostic::error(format!("there is no process `{}`", name.text))
                    .at(name.span, "unknown name");
                let error = match similar {
                    Some(similar) => error.help(format!("did you mean `{similar}`?")),
                    None => error,
                };
                self.error(error);
                None
            }
        }
    }

    fn start_arguments(
        &mut self,
        agent: usize,
        process: &Name,
        arguments: &'a [crate::ast::Expr],
    ) -> Option<Vec<Value>> {
        self.check_argument_count(agent, process, arguments.len())?;
        let parameters = self.agents[agent].parameters;
        let mut values = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let value = self.constant(argument, None)?;
            if value.ty != parameter.ty.base {
                self.mismatch(argument.span, parameter.ty.base, value.ty);
                return None;
            }
            values.push(value.value);
        }
        Some(values)
    }

    pub(super) fn check_argument_count(&mut self, agent: usize, process: &Name, given: usize) -> Option<()> {
        let declaration = &self.agents[agent];
        let expected = declaration.parameters.len();
        if given == expected {
            return Some(());
        }
        let plural = if expected == 1 { "" } else { "s" };
        let error =
            Diagnostic::error(format!("`{}` takes {expected} argument{plural}, not {given}", process.text))
                .at(process.span, "the wrong number of arguments")
                .see(declaration.name.span, "declared here");
        self.error(error);
        None
    }

    fn plan_spawns(&mut self, planned: &mut Vec<Planned>) {
        let mut templates: FxHashMap<usize, usize> = FxHashMap::default();
        let mut instances = 0;
        let mut next = 0;
        while next < planned.len() {
            let agent = planned[next].agent;
            for (place, process, repeats) in self.spawns_of(agent) {
                let Some((Symbol::Agent(spawned), _)) = self.names.get(process.text.as_str()) else {
                    continue;
                };
                let spawned = *spawned;
                if !self.agents[spawned].is_process || planned[next].spawns.contains_key(&place) {
                    continue;
                }
                let many = repeats
                    || matches!(planned[next].kind, Kind::Template)
                    || planned[next].ancestors.contains(&spawned)
                    || instances >= MOST_SPAWNED_INSTANCES;
                let known = if many { templates.get(&spawned).copied() } else { None };
                let target = known.unwrap_or_else(|| {
                    let kind = if many { Kind::Template } else { Kind::SpawnedOnce };
                    // All that a template spawns are templates, whoever its ancestors are.
                    let mut ancestors = if many { Vec::new() } else { planned[next].ancestors.clone() };
                    ancestors.push(spawned);
                    planned.push(Planned {
                        agent: spawned,
                        kind,
                        me: None,
                        ancestors,
                        spawns: FxHashMap::default(),
                    });
                    planned.len() - 1
                });
                if many {
                    templates.insert(spawned, target);
                } else {
                    instances += 1;
                }
                planned[next].spawns.insert(place, target);
            }
            next += 1;
        }
    }

    /// The spawns of an agent: where, of what, and whether they can happen again.
    fn spawns_of(&self, agent: usize) -> Vec<(Span, &'a Name, bool)> {
        let mut spawns = Vec::new();
        for edge in &self.agents[agent].flow.edges {
            for action in &edge.actions {
                if let Action::Simple(Simple::Spawn { process, .. }, place) = action {
                    spawns.push((*place, process, edge.repeats));
                }
            }
        }
        spawns
    }

    /// A process that never runs is a mistake: everything would hold of it.
    fn check_all_run(&mut self, planned: &[Planned]) {
        let run: FxHashSet<usize> = planned.iter().map(|thread| thread.agent).collect();
        for index in (0..self.agents.len()).filter(|index| !run.contains(index)) {
            let name = self.agents[index].name;
            let error = Diagnostic::error(format!("the process `{}` is never started", name.text))
                .at(name.span, "nothing starts it")
                .help(format!("write `start {0};`, or `spawn {0};` in another thread", name.text));
            self.error(error);
        }
    }

    fn check_size(&mut self, planned: &[Planned]) -> bool {
        if planned.len() > limits::THREADS {
            let name = self.agents[planned[limits::THREADS].agent].name;
            let error = Diagnostic::error("the program is too large");
            self.error(error.at(name.span, format!("more than {} threads", limits::THREADS)));
            return false;
        }
        let mut edges = 0usize;
        for thread in planned {
            let agent = &self.agents[thread.agent];
            edges += agent.flow.edges.len();
            if edges > limits::EDGES {
                let error = Diagnostic::error("the program is too large")
                    .at(agent.name.span, format!("more than {} steps with this thread", limits::EDGES));
                self.error(error);
                return false;
            }
        }
        true
    }

    fn thread_names(&self, planned: &[Planned]) -> Vec<String> {
        let mut alike: FxHashMap<usize, usize> = FxHashMap::default();
        for thread in planned {
            *alike.entry(thread.agent).or_insert(0) += 1;
        }
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut names = Vec::new();
        for thread in planned {
            let name = &self.agents[thread.agent].name.text;
            names.push(match thread {
                Planned { me: Some(me), .. } => format!("{name}[{me}]"),
                Planned { kind: Kind::Template, .. } => name.clone(),
                _ if alike[&thread.agent] == 1 => name.clone(),
                _ => {
                    let number = numbers.entry(thread.agent).or_insert(0);
                    *number += 1;
                    format!("{name}#{number}")
                }
            });
        }
        names
    }

    fn make_thread(&mut self, planned: Planned, name: &str) {
        let Planned { agent, kind, me, spawns, .. } = planned;
        let thread_kind = match kind {
            Kind::Running(_) => ThreadKind::Instance { running: true },
            Kind::SpawnedOnce => ThreadKind::Instance { running: false },
            Kind::Template => ThreadKind::Template,
        };
        let thread = self.builder.thread(name, thread_kind);
        self.builder.set_thread_span(thread, Some(self.agents[agent].name.span));
        let template = matches!(kind, Kind::Template);
        let locations = FxHashMap::default();
        let locals = FxHashMap::default();
        self.agents[agent].copies.push(self.copies.len());
        self.copies.push(Copy { agent, thread, template, me, locals, locations, spawns });
        self.make_parameters(agent, thread, kind);
        self.make_locals(agent, thread, me);
    }

    fn make_parameters(&mut self, agent: usize, thread: ThreadId, kind: Kind) {
        let parameters = self.agents[agent].parameters;
        let arguments = if let Kind::Running(values) = &kind { Some(values) } else { None };
        for (index, parameter) in parameters.iter().enumerate() {
            let shape = self.shape(&parameter.ty, None);
            if parameter.ty.length.is_some() || parameter.ty.base == BaseType::Mutex {
                let error = Diagnostic::error("a parameter is an int, a bool or a thread");
                self.error(error.at(parameter.ty.span, "cannot be handed over"));
                continue;
            }
            let value = match arguments.and_then(|values| values.get(index)) {
                Some(value) => *value,
                None => shape.default_value(),
            };
            self.check_start_range(parameter, shape.range(), value, arguments.is_some());
            let initial = Initial::Values(vec![value]);
            let variable = self.add_variable(&parameter.name, shape, Scope::Local(thread), initial);
            if arguments.is_none() {
                self.builder.parameter(thread, variable.id);
            }
            self.declare_local(&parameter.name, variable);
        }
    }

    fn check_start_range(
        &mut self,
        parameter: &crate::ast::Parameter,
        range: Option<(Value, Value)>,
        value: Value,
        started: bool,
    ) {
        if let (Some((low, high)), true) = (range, started)
            && !(low..=high).contains(&value)
        {
            let error = Diagnostic::error(format!("`{}` is started with {value}", parameter.name.text));
            self.error(error.at(parameter.ty.span, format!("not in {low}..{high}")));
        }
    }

    fn make_locals(&mut self, agent: usize, thread: ThreadId, me: Option<Value>) {
        let body = self.agents[agent].body;
        for declaration in &body.locals {
            let shape = self.shape(&declaration.ty, me);
            if declaration.ty.base == BaseType::Mutex {
                let error = Diagnostic::error("a local mutex protects nothing");
                self.error(
                    error
                        .at(declaration.span, "no other thread sees it")
                        .help("declare it with `var`, outside of the thread"),
                );
            }
            for name in &declaration.names {
                let initial = self.initial(declaration, shape, me);
                let variable = self.add_variable(name, shape, Scope::Local(thread), initial);
                self.declare_local(name, variable);
            }
        }
    }

    /// Declares a local of the thread that is being made.
    fn declare_local(&mut self, name: &Name, variable: super::Variable) {
        if let Some((_, declared)) = self.names.get(name.text.as_str()) {
            let error = Diagnostic::error(format!("the local `{}` hides another declaration", name.text))
                .at(name.span, "the same name")
                .see(*declared, "declared here");
            self.error(error);
            return;
        }
        let Some(copy) = self.copies.last_mut() else { return };
        if let Some(earlier) = copy.locals.insert(name.text.clone(), variable) {
            let earlier = self.builder.program().vars()[earlier.id].span;
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text))
                .at(name.span, "declared again");
            self.error(match earlier {
                Some(earlier) => error.see(earlier, "first declared here"),
                None => error,
            });
        }
    }

    /// For each process of which any ended thread is joined, a counter of those.
    fn make_ended_counters(&mut self) {
        let mut joined = Vec::new();
        for agent in &self.agents {
            for edge in &agent.flow.edges {
                for action in &edge.actions {
                    let Action::Simple(Simple::Join(target), _) = action else { continue };
                    if let Some((Symbol::Agent(process), _)) = self.names.get(target.name.text.as_str())
                        && self.agents[*process].is_process
                        && !joined.contains(process)
                    {
                        joined.push(*process);
                    }
                }
            }
        }
        for process in joined {
            // Not a name that anybody can write, so it clashes with none.
            let name = format!("{}.ended", self.agents[process].name.text);
            let counter = self.builder.global(name, sort(BaseType::Int), 0);
            self.builder.set_atomic_var(counter);
            self.ended_counters.insert(process, counter);
        }
    }
}
