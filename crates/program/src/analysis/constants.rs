//! Which variables have a known value where.
//!
//! A thread can only be sure of variables that nobody else writes: its locals, globals that
//! only it writes, and globals that nobody writes. For those, the constants are propagated
//! along the edges; an edge whose condition is known to be false propagates nothing.

use super::fold::{constant_value, fold};
use super::var_map::VarMap;
use super::{Access, IdSet};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::{Initial, LocationId, Op, Place, Program, Scope, ThreadId, ThreadKind, VarId};
use crate::types::Value;
use rely_base::Arena;
use rustc_hash::FxHashMap;

/// Variables with their known values. Most steps change none of them, so locations share them.
#[derive(Clone, Debug, Default)]
pub struct Env {
    values: VarMap<Value>,
}

impl Env {
    /// The value of a scalar, if it is known.
    pub fn get(&self, var: VarId) -> Option<Value> {
        self.values.get(var)
    }

    /// Says what the value of a variable is, or that it is not known.
    pub fn set(&mut self, var: VarId, value: Option<Value>) {
        self.values.set(var, value);
    }

    /// The known values of some variables, in the order of their ids.
    pub fn restricted(&self, is_wanted: impl Fn(VarId) -> bool) -> Vec<(VarId, Value)> {
        self.values.iter().filter(|(var, _)| is_wanted(*var)).collect()
    }

    /// Forgets what the other does not know or knows differently; whether that was anything.
    fn meet(&mut self, other: &Env) -> bool {
        self.values.merge(&other.values, &mut |own, other| other.filter(|other| *other == own))
    }
}

/// The known values at each location.
#[derive(Debug)]
pub struct Constants {
    /// Scalars that never change: the same for everybody.
    pub fixed: Env,
    tracked: Arena<ThreadId, IdSet<VarId>>,
    /// `None` if nothing leaves the location.
    at: Arena<LocationId, Option<Env>>,
}

impl Constants {
    /// What is constant in a program.
    pub fn new(program: &Program) -> Self {
        let writers = Writers::new(program);
        let mut fixed = Env::default();
        for (id, var) in program.vars.iter() {
            if let (Initial::Values(values), None, Writer::Nobody) =
                (&var.initial, var.length, writers.of[id])
            {
                fixed.set(id, values.first().copied());
            }
        }
        let mut constants = Self {
            fixed,
            tracked: program.threads.ids().map(|thread| writers.tracked(program, thread)).collect(),
            at: program.locations.ids().map(|_| None).collect(),
        };
        for (thread, declaration) in program.threads.iter() {
            let started = declaration.kind == (ThreadKind::Instance { running: true })
                || writers.spawned.contains(thread);
            if started {
                constants.at[declaration.entry] = Some(constants.at_entry(program, thread, &writers));
            }
        }
        constants.propagate(program);
        constants
    }

    /// What is known at a location; `None` if no run goes on from there.
    pub fn at(&self, location: LocationId) -> Option<&Env> {
        self.at[location].as_ref()
    }

    /// Does an operation on what is known; false if it never lets a run pass.
    pub fn step(&self, program: &Program, thread: ThreadId, env: &mut Env, op: &Op) -> bool {
        let tracked = &self.tracked[thread];
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                let folded = fold(program, env, condition);
                learn(tracked, env, &folded, true);
                return folded != Expr::Bool(false);
            }
            Op::Assign(assignments) => {
                let known: Vec<Option<Value>> =
                    assignments.iter().map(|(_, value)| constant_value(&fold(program, env, value))).collect();
                for ((place, _), value) in assignments.iter().zip(known) {
                    write(tracked, env, place, value);
                }
            }
            Op::Havoc(place, domain) => {
                let only = domain.default_value().filter(|_| domain.size() == Some(1));
                write(tracked, env, place, only);
            }
            Op::Spawn { thread, handle, .. } => {
                // As long as there are templates, instances may still be made of them, and
                // the handles of all threads change with that.
                let is_final = program.threads.values().all(|thread| thread.kind != ThreadKind::Template);
                let known = program.instance_handle(*thread).filter(|_| is_final);
                handle.iter().for_each(|place| write(tracked, env, place, known));
            }
            Op::Join(_) | Op::Halt => {}
        }
        true
    }

    fn at_entry(&self, program: &Program, thread: ThreadId, writers: &Writers) -> Env {
        let declaration = &program.threads[thread];
        let mut env = self.fixed.clone();
        for var in self.tracked[thread].iter() {
            if let (Initial::Values(values), None) = (&program.vars[var].initial, program.vars[var].length) {
                env.set(var, values.first().copied());
            }
        }
        if declaration.kind != (ThreadKind::Instance { running: true }) {
            for &parameter in &declaration.parameters {
                env.set(parameter, writers.arguments.get(&parameter).copied().flatten());
            }
        }
        env
    }

    fn propagate(&mut self, program: &Program) {
        let mut pending: Vec<LocationId> =
            program.locations.ids().filter(|&id| self.at[id].is_some()).collect();
        while let Some(location) = pending.pop() {
            let thread = program.locations[location].thread;
            for &edge in program.outgoing(location) {
                let Some(mut env) = self.at[location].clone() else { continue };
                let edge = &program.edges[edge];
                let passes = edge.ops.iter().all(|op| self.step(program, thread, &mut env, op));
                // Nothing happens behind an edge that halts the program.
                if !passes || edge.ops.contains(&Op::Halt) {
                    continue;
                }
                let changed = match &mut self.at[edge.target] {
                    Some(known) => known.meet(&env),
                    unreached => {
                        *unreached = Some(env);
                        true
                    }
                };
                if changed {
                    pending.push(edge.target);
                }
            }
        }
    }
}

fn write(tracked: &IdSet<VarId>, env: &mut Env, place: &Place, value: Option<Value>) {
    if let Place::Scalar(var) = place {
        env.set(*var, value.filter(|_| tracked.contains(*var)));
    }
}

/// Takes from a condition that holds (or does not) what it says about variables.
fn learn(tracked: &IdSet<VarId>, env: &mut Env, condition: &Expr, holds: bool) {
    match condition {
        Expr::Var(var) if tracked.contains(*var) => env.set(*var, Some(Value::from(holds))),
        Expr::Unary(UnaryOp::Not, operand) => learn(tracked, env, operand, !holds),
        Expr::Binary(op, operands) => {
            let [left, right] = operands.as_ref();
            match (op, left, right) {
                (BinaryOp::And, _, _) if holds => {
                    learn(tracked, env, left, true);
                    learn(tracked, env, right, true);
                }
                (BinaryOp::Or, _, _) if !holds => {
                    learn(tracked, env, left, false);
                    learn(tracked, env, right, false);
                }
                (BinaryOp::Eq, Expr::Var(var), other) | (BinaryOp::Eq, other, Expr::Var(var))
                    if holds && tracked.contains(*var) && constant_value(other).is_some() =>
                {
                    env.set(*var, constant_value(other));
                }
                (BinaryOp::Ne, Expr::Var(var), other) | (BinaryOp::Ne, other, Expr::Var(var))
                    if !holds && tracked.contains(*var) && constant_value(other).is_some() =>
                {
                    env.set(*var, constant_value(other));
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// The thread that writes a variable after the program has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    Nobody,
    Only(ThreadId),
    Several,
}

pub(super) struct Writers {
    of: Arena<VarId, Writer>,
    spawned: IdSet<ThreadId>,
    /// The value that all spawns give to a parameter, if they agree on a constant.
    arguments: FxHashMap<VarId, Option<Value>>,
}

impl Writers {
    pub(super) fn new(program: &Program) -> Self {
        let mut writers = Self {
            of: program.vars.ids().map(|_| Writer::Nobody).collect(),
            spawned: IdSet::new(),
            arguments: FxHashMap::default(),
        };
        for edge in program.edges.values() {
            let thread = program.locations[edge.source].thread;
            for var in Access::of_ops(&edge.ops).writes.iter() {
                writers.add_write(program, thread, var);
            }
            for op in &edge.ops {
                if let Op::Spawn { thread, arguments, .. } = op {
                    writers.add_spawn(program, *thread, arguments);
                }
            }
        }
        writers
    }

    fn add_write(&mut self, program: &Program, thread: ThreadId, var: VarId) {
        let shared_by_copies =
            program.vars[var].scope == Scope::Global && program.threads[thread].kind == ThreadKind::Template;
        self.of[var] = match self.of[var] {
            Writer::Nobody if !shared_by_copies => Writer::Only(thread),
            Writer::Only(writer) if !shared_by_copies && writer == thread => Writer::Only(writer),
            _ => Writer::Several,
        };
    }

    fn add_spawn(&mut self, program: &Program, thread: ThreadId, arguments: &[Expr]) {
        self.spawned.insert(thread);
        for (&parameter, argument) in program.threads[thread].parameters.iter().zip(arguments) {
            // A spawn sets the parameter before the thread runs: that is the thread's own write.
            self.add_write(program, thread, parameter);
            let value = constant_value(argument);
            let agreed = self.arguments.entry(parameter).or_insert(value);
            *agreed = agreed.filter(|_| *agreed == value);
        }
    }

    /// The scalars that nobody but this thread writes.
    pub(super) fn tracked(&self, program: &Program, thread: ThreadId) -> IdSet<VarId> {
        let is_tracked = |&var: &VarId| {
            let declaration = &program.vars[var];
            let own = match declaration.scope {
                Scope::Global => true,
                Scope::Local(owner) => owner == thread,
            };
            let sole_writer = match self.of[var] {
                Writer::Nobody => true,
                Writer::Only(writer) => writer == thread,
                Writer::Several => false,
            };
            own && sole_writer && declaration.length.is_none()
        };
        program.vars.ids().filter(is_tracked).collect()
    }
}
