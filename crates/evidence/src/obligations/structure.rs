//! What the shape of a program guarantees without any assertion.
//!
//! Two things that assertions about variables cannot say well: that an instance is not started
//! twice, because whoever starts it passes there once; and that a value is the handle of a thread,
//! because only handles are ever stored where it comes from.

use super::points::{instances, is_instance};
use rely_program::analysis::IdSet;
use rely_program::{Domain, EdgeId, Expr, Initial, LocationId, Op, Program, Scope, ThreadId, Value, VarId};
use rustc_hash::FxHashSet;

/// Facts about a program as a whole.
#[derive(Debug)]
pub(crate) struct Structure {
    /// The instances of which it is clear that they start at most once.
    started_once: FxHashSet<ThreadId>,
    /// Variables that hold handles of threads that exist, or numbers that are no handles of
    /// threads made from templates.
    handle_vars: IdSet<VarId>,
    /// The greatest handle of an instance.
    last_instance: Value,
}

impl Structure {
    pub(crate) fn new(program: &Program) -> Self {
        let last_instance = instances(program).count() as Value;
        let started_once = instances(program).filter(|&thread| starts_once(program, thread)).collect();
        let handle_vars = handle_vars(program, last_instance);
        Self { started_once, handle_vars, last_instance }
    }

    /// Whether the instance has certainly not started when an edge that starts it is taken.
    pub(crate) fn starts_once(&self, thread: ThreadId) -> bool {
        self.started_once.contains(&thread)
    }

    /// Whether the value of the expression, if it is positive, is certainly the handle of a
    /// thread.
    pub(crate) fn is_handle(&self, expr: &Expr) -> bool {
        is_handle(expr, &self.handle_vars, self.last_instance)
    }
}

/// All edges that start the instance belong to one other instance, which can take only one of
/// them, once: from behind each, no such edge can be reached again. (An instance never starts
/// again itself, so it takes a path through its automaton.)
fn starts_once(program: &Program, thread: ThreadId) -> bool {
    let starts = |op: &&Op| matches!(op, Op::Spawn { thread: started, .. } if *started == thread);
    let mut edges: Vec<EdgeId> = Vec::new();
    for (id, edge) in program.edges().iter() {
        match edge.ops.iter().filter(starts).count() {
            0 => {}
            1 => edges.push(id),
            _ => return false,
        }
    }
    let starters: FxHashSet<ThreadId> =
        edges.iter().map(|&edge| program.locations()[program.edges()[edge].source].thread).collect();
    let sources: FxHashSet<LocationId> = edges.iter().map(|&edge| program.edges()[edge].source).collect();
    starters.len() <= 1
        && starters.iter().all(|&starter| is_instance(program, starter) && starter != thread)
        && edges.iter().all(|&edge| !reaches(program, program.edges()[edge].target, &sources))
}

fn reaches(program: &Program, from: LocationId, goals: &FxHashSet<LocationId>) -> bool {
    let mut seen: FxHashSet<LocationId> = FxHashSet::default();
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if goals.contains(&location) {
            return true;
        }
        if seen.insert(location) {
            pending.extend(program.outgoing(location).iter().map(|&edge| program.edges()[edge].target));
        }
    }
    false
}

/// The largest set of variables to which nothing else is ever written than handles, numbers up to
/// the last handle of an instance, and values of these variables.
fn handle_vars(program: &Program, last_instance: Value) -> IdSet<VarId> {
    let mut vars = IdSet::new();
    for (id, var) in program.vars().iter() {
        let fits = match &var.initial {
            Initial::Values(values) => values.iter().all(|&value| value <= last_instance),
            Initial::Any(domain) => is_low(*domain, last_instance),
        };
        if fits {
            vars.insert(id);
        }
    }
    while let Some(var) = wrongly_written(program, &vars, last_instance) {
        vars.remove(var);
    }
    vars
}

/// A variable of the set to which something else may be written.
fn wrongly_written(program: &Program, vars: &IdSet<VarId>, last_instance: Value) -> Option<VarId> {
    let wrong = |var: VarId, value: &Expr| vars.contains(var) && !is_handle(value, vars, last_instance);
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        let found = match op {
            Op::Assign(assignments) => {
                let mut writes = assignments.iter().map(|(place, value)| (place.var(), value));
                writes.find(|(var, value)| wrong(*var, value)).map(|(var, _)| var)
            }
            Op::Havoc(place, domain) => {
                Some(place.var()).filter(|&var| vars.contains(var) && !is_low(*domain, last_instance))
            }
            Op::Spawn { thread, arguments, .. } => {
                let parameters = &program.threads()[*thread].parameters;
                let mut writes = parameters.iter().zip(arguments);
                writes.find(|(parameter, value)| wrong(**parameter, value)).map(|(parameter, _)| *parameter)
            }
            Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn is_low(domain: Domain, last_instance: Value) -> bool {
    match domain {
        Domain::Bool => last_instance >= 1,
        Domain::Range { high, .. } => high <= last_instance,
        Domain::AllInts => false,
    }
}

fn is_handle(expr: &Expr, vars: &IdSet<VarId>, last_instance: Value) -> bool {
    match expr {
        Expr::Int(value) => *value <= last_instance,
        Expr::Var(var) | Expr::Element(var, _) => vars.contains(*var),
        Expr::This => true,
        Expr::Ite(parts) => parts[1..].iter().all(|part| is_handle(part, vars, last_instance)),
        _ => false,
    }
}

/// The cells of a thread's own variables.
pub(crate) fn local_cells(program: &Program, thread: ThreadId) -> impl Iterator<Item = (VarId, u32)> + '_ {
    let own = program.vars().iter().filter(move |(_, var)| var.scope == Scope::Local(thread));
    own.flat_map(|(id, var)| (0..var.cells() as u32).map(move |index| (id, index)))
}
