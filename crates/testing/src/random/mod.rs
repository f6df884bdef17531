//! Random programs that are small, finite and full of traps.
//!
//! The automata are random graphs rather than structured code: several open edges at one
//! location, loops of all kinds, atomic locations anywhere, edges with several operations.
//! Values stay between 0 and 3, spawns are counted, joins and starts are guarded, so that
//! every run is defined and the states are finite.

pub mod edits;
pub mod locking;

use rely_base::Random;
use rely_program::analysis::Graph;
use rely_program::{
    BinaryOp, Blocking, Check, CheckId, CheckKind, Domain, Edge, EdgeId, Expr, Initial, IntType, LocationId,
    Op, Place, Program, ProgramBuilder, Property, PropertyKind, Scope, Sort, ThreadId, ThreadKind, UnaryOp,
    Var, VarId,
};

const SMALL: IntType = IntType { bits: 2, signed: false };

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    bounded(seed, false)
}

/// A program of which one thread runs alone at first, and gives values to variables before it
/// starts others.
pub fn beginning(seed: u64) -> Program {
    bounded(seed, true)
}

fn bounded(seed: u64, alone: bool) -> Program {
    // Spawns that nothing counts must not be on a cycle: there would be no end of threads.
    let program = generate(seed, false, alone);
    let graph = Graph::new(&program);
    let is_endless = |(id, edge): (EdgeId, &Edge)| {
        edge.ops.iter().any(|op| matches!(op, Op::Spawn { .. })) && graph.is_on_cycle(&program, id)
    };
    if program.edges().iter().any(is_endless) { generate(seed, true, alone) } else { program }
}

fn generate(seed: u64, counts_spawns: bool, alone: bool) -> Program {
    let builder = ProgramBuilder::new(format!("random {seed}"));
    Generator { alone, ..Generator::new(builder, seed, counts_spawns) }.run()
}

struct Generator {
    random: Random,
    builder: ProgramBuilder,
    ints: Vec<VarId>,
    bools: Vec<VarId>,
    lock: Option<VarId>,
    array: Option<VarId>,
    threads: Vec<Thread>,
    counts_spawns: bool,
    /// Whether only the first thread runs from the beginning.
    alone: bool,
    /// How often an operation may block or fail, in percent of the usual.
    caution: usize,
}

struct Thread {
    id: ThreadId,
    kind: ThreadKind,
    ints: Vec<VarId>,
    bools: Vec<VarId>,
    /// The handle of the last thread that it spawned, and how many it has spawned.
    handle: VarId,
    spawned: VarId,
    locations: Vec<LocationId>,
}

impl Generator {
    fn new(builder: ProgramBuilder, seed: u64, counts_spawns: bool) -> Self {
        let mut random = Random::new(seed);
        let caution = *random.pick(&[0, 30, 100]);
        Generator {
            random,
            builder,
            ints: Vec::new(),
            bools: Vec::new(),
            lock: None,
            array: None,
            threads: Vec::new(),
            counts_spawns,
            alone: false,
            caution,
        }
    }

    fn run(mut self) -> Program {
        self.declare_globals();
        self.declare_threads();
        for thread in 0..self.threads.len() {
            self.automaton(thread);
        }
        self.properties();
        self.builder.finish().expect("generated programs are well formed")
    }

    fn declare_globals(&mut self) {
        for index in 0..2 {
            let var = self.scalar(format!("g{index}"), Sort::Int, Scope::Global);
            self.ints.push(var);
        }
        if self.random.percent(50) {
            let var = self.scalar("flag".into(), Sort::Bool, Scope::Global);
            self.bools.push(var);
        }
        if self.random.percent(25) {
            self.lock = Some(self.builder.global("lock", Sort::Int, 0));
        }
        if self.random.percent(25) {
            let initial = match self.random.percent(80) {
                true => Initial::Values(vec![0, 1]),
                false => Initial::Any(Domain::Range { low: 0, high: 1 }),
            };
            self.array = Some(self.builder.var(Var {
                name: "cells".into(),
                sort: Sort::Int,
                scope: Scope::Global,
                length: Some(2),
                initial,
                span: None,
                atomic: false,
            }));
        }
    }

    fn scalar(&mut self, name: String, sort: Sort, scope: Scope) -> VarId {
        let initial = match sort {
            _ if self.random.percent(85) => Initial::Values(vec![0]),
            Sort::Bool => Initial::Any(Domain::Bool),
            Sort::Int => Initial::Any(Domain::Range { low: 0, high: 1 }),
        };
        self.builder.var(Var { name, sort, scope, length: None, initial, span: None, atomic: false })
    }

    fn declare_threads(&mut self) {
        let running = ThreadKind::Instance { running: true };
        let mut kinds = vec![running];
        if self.alone {
            kinds.extend([ThreadKind::Instance { running: false }, ThreadKind::Template]);
        } else if self.random.percent(80) {
            kinds.push(running);
        }
        for _ in kinds.len()..2 + self.random.below(2) {
            kinds.push(*self.random.pick(&[
                running,
                running,
                ThreadKind::Instance { running: false },
                ThreadKind::Template,
            ]));
        }
        for (index, kind) in kinds.into_iter().enumerate() {
            let id = self.builder.thread(format!("T{index}"), kind);
            let scope = Scope::Local(id);
            let ints: Vec<VarId> = (0..1 + self.random.below(3))
                .map(|number| self.scalar(format!("l{number}"), Sort::Int, scope))
                .collect();
            let bools = if self.random.percent(30) {
                vec![self.scalar("p".into(), Sort::Bool, scope)]
            } else {
                Vec::new()
            };
            if kind != running && self.random.percent(60) {
                self.builder.parameter(id, ints[0]);
            }
            let handle = self.builder.local(id, "handle", Sort::Int, 0);
            let spawned = self.builder.local(id, "spawned", Sort::Int, 0);
            let mut locations = vec![self.builder.entry(id)];
            for _ in 0..2 + self.random.below(4) {
                let location = self.builder.location(id, None);
                if self.random.percent(25) {
                    self.builder.set_atomic(location);
                }
                locations.push(location);
            }
            locations.push(self.builder.exit(id));
            self.threads.push(Thread { id, kind, ints, bools, handle, spawned, locations });
        }
    }

    /// The first steps of a thread that runs alone; returns where it goes on.
    fn first_steps(&mut self) -> LocationId {
        let mut source = self.threads[0].locations[0];
        for _ in 0..1 + self.random.below(3) {
            let target = self.builder.location(self.threads[0].id, None);
            let ops = (0..1 + self.random.below(3)).map(|_| self.first_op()).collect();
            self.builder.edge(source, target, ops, None);
            source = target;
        }
        for _ in 0..1 + self.random.below(2) {
            let target = self.builder.location(self.threads[0].id, None);
            let ops = self.spawn(0);
            self.builder.edge(source, target, ops, None);
            source = target;
        }
        source
    }

    fn first_op(&mut self) -> Op {
        let vars = if self.random.percent(70) { self.ints.clone() } else { self.threads[0].ints.clone() };
        match self.random.below(10) {
            0..=4 => {
                let value = Expr::int(self.random.below(3) as i128);
                Op::assign(Place::Scalar(*self.random.pick(&vars)), value)
            }
            5..=6 => self.havoc(0),
            7 if !self.bools.is_empty() => {
                let value = Expr::Bool(self.random.percent(50));
                Op::assign(Place::Scalar(*self.random.pick(&self.bools)), value)
            }
            8 => Op::Assume(self.condition(Some(0), 1), self.blocking()),
            _ => self.assignment(0, false),
        }
    }

    fn automaton(&mut self, thread: usize) {
        let mut locations = self.threads[thread].locations.clone();
        if self.alone && thread == 0 {
            // What follows may lead back to its own beginning, but not to that of the thread.
            locations[0] = self.first_steps();
        }
        let last = locations.len() - 1;
        for index in 0..last {
            let source = locations[index];
            match self.random.below(10) {
                // A chain, a branch, or several edges at once; sometimes nothing.
                0..=4 => {
                    let target = self.target(&locations, index);
                    let ops = self.ops(thread);
                    self.edge(thread, (source, target), ops);
                }
                5..=7 => self.branch(thread, &locations, index),
                8 => {
                    for _ in 0..2 + self.random.below(2) {
                        let target = self.target(&locations, index);
                        let ops = self.ops(thread);
                        self.edge(thread, (source, target), ops);
                    }
                }
                _ if self.random.percent(60) => {
                    let ops = self.ops(thread);
                    self.edge(thread, (source, locations[index + 1]), ops);
                }
                _ => {}
            }
        }
    }

    /// Mostly forward, mostly to the next location.
    fn target(&mut self, locations: &[LocationId], index: usize) -> LocationId {
        match self.random.below(10) {
            0..=5 => locations[index + 1],
            6..=7 => locations[index + 1 + self.random.below(locations.len() - index - 1)],
            _ => *self.random.pick(locations),
        }
    }

    fn branch(&mut self, thread: usize, locations: &[LocationId], index: usize) {
        let condition = self.condition(Some(thread), 1);
        let blocking = self.blocking();
        for condition in [condition.clone(), condition.negate()] {
            let mut ops = vec![Op::Assume(condition, blocking)];
            if self.random.percent(50) {
                ops.extend(self.ops(thread));
            }
            let target = self.target(locations, index);
            self.edge(thread, (locations[index], target), ops);
        }
    }

    /// An edge that ends where it halts the program.
    fn edge(&mut self, thread: usize, (source, target): (LocationId, LocationId), mut ops: Vec<Op>) {
        let mut target = target;
        if let Some(halt) = ops.iter().position(|op| *op == Op::Halt) {
            ops.truncate(halt + 1);
            if self.builder.program().locations()[target].atomic {
                target = self.builder.exit(self.threads[thread].id);
            }
        }
        self.builder.edge(source, target, ops, None);
    }

    fn blocking(&mut self) -> Blocking {
        if self.random.percent(60) { Blocking::Wait } else { Blocking::Abandon }
    }

    fn ops(&mut self, thread: usize) -> Vec<Op> {
        let count = *self.random.pick(&[0, 1, 1, 1, 1, 2, 2, 3]);
        (0..count).flat_map(|_| self.op(thread)).collect()
    }

    fn op(&mut self, thread: usize) -> Vec<Op> {
        let kind = self.random.below(26);
        let is_hard = (13..=17).contains(&kind) || kind == 23;
        if is_hard && !self.random.percent(self.caution) {
            return vec![self.assignment(thread, false)];
        }
        match kind {
            0..=8 => vec![self.assignment(thread, true)],
            9..=12 => vec![self.assignment(thread, false)],
            13..=14 => vec![Op::Assume(self.condition(Some(thread), 1), self.blocking())],
            15..=17 => {
                let condition = self.condition(Some(thread), 1);
                vec![Op::Check(condition, self.check())]
            }
            18..=19 => vec![self.havoc(thread)],
            20..=22 => self.spawn(thread),
            23 => {
                let handle = Expr::var(self.threads[thread].handle);
                vec![Op::wait(handle.clone().ne(Expr::int(0))), Op::Join(handle)]
            }
            24 => self.lock_or_unlock(),
            _ if self.random.percent(30) => vec![Op::Halt],
            _ => Vec::new(),
        }
    }

    fn assignment(&mut self, thread: usize, local: bool) -> Op {
        let (ints, bools) = match local {
            true => (self.threads[thread].ints.clone(), self.threads[thread].bools.clone()),
            false => (self.ints.clone(), self.bools.clone()),
        };
        let mut pairs = Vec::new();
        if let (Some(array), true) = (self.array, self.random.percent(10)) {
            let index = self.index(Some(thread));
            let value = self.int(Some(thread), 1).wrap(SMALL);
            pairs.push((Place::Element(array, index), value));
        } else if !bools.is_empty() && self.random.percent(30) {
            let value = self.condition(Some(thread), 1);
            pairs.push((Place::Scalar(*self.random.pick(&bools)), value));
        } else {
            let value = self.assigned(thread);
            pairs.push((Place::Scalar(*self.random.pick(&ints)), value));
            if ints.len() > 1 && self.random.percent(15) {
                let value = self.assigned(thread);
                pairs.push((Place::Scalar(*self.random.pick(&ints)), value));
            }
        }
        Op::Assign(pairs)
    }

    /// A copy of a variable, or what an expression makes of some.
    fn assigned(&mut self, thread: usize) -> Expr {
        if self.random.percent(25) {
            return Expr::var(*self.random.pick(&self.vars(Some(thread), Sort::Int)));
        }
        self.int(Some(thread), 1).wrap(SMALL)
    }

    fn havoc(&mut self, thread: usize) -> Op {
        let vars =
            if self.random.percent(70) { self.threads[thread].ints.clone() } else { self.ints.clone() };
        Op::Havoc(Place::Scalar(*self.random.pick(&vars)), Domain::Range { low: 0, high: 1 })
    }

    fn check(&mut self) -> CheckId {
        let known = self.builder.program().checks().len();
        if known > 0 && self.random.percent(40) {
            return self
                .builder
                .program()
                .checks()
                .ids()
                .nth(self.random.below(known))
                .expect("below the length");
        }
        let kind = if self.random.percent(85) { CheckKind::Assertion } else { CheckKind::Overflow };
        self.builder.check(Check { kind, message: format!("check {known}"), span: None })
    }

    /// Starts another thread, mostly at most twice from here, an instance at most once at all.
    fn spawn(&mut self, thread: usize) -> Vec<Op> {
        let startable: Vec<usize> = (1..self.threads.len())
            .filter(|&other| self.threads[other].kind != (ThreadKind::Instance { running: true }))
            .collect();
        if startable.is_empty() || self.threads[thread].kind == ThreadKind::Template {
            return Vec::new();
        }
        let started = *self.random.pick(&startable);
        let is_instance = self.threads[started].kind != ThreadKind::Template;
        if is_instance && thread != 0 {
            return Vec::new();
        }
        let spawned = Expr::var(self.threads[thread].spawned);
        let most = if is_instance { 1 } else { 2 };
        let id = self.threads[started].id;
        let parameters = self.builder.program().threads()[id].parameters.len();
        let arguments = (0..parameters).map(|_| self.int(Some(thread), 0).wrap(SMALL)).collect();
        let handle = self.random.percent(70).then(|| Place::Scalar(self.threads[thread].handle));
        // Sometimes the count is left out: then nothing but the graph bounds the spawns.
        let mut ops = vec![
            Op::Assume(spawned.clone().lt(Expr::int(most)), Blocking::Wait),
            Op::assign(Place::Scalar(self.threads[thread].spawned), spawned.add(Expr::int(1))),
        ];
        if self.random.percent(30) && !self.counts_spawns {
            ops.clear();
        }
        ops.push(Op::Spawn { thread: id, arguments, handle });
        ops
    }

    fn lock_or_unlock(&mut self) -> Vec<Op> {
        let Some(lock) = self.lock else { return Vec::new() };
        if self.random.percent(50) {
            vec![Op::wait(Expr::var(lock).eq(Expr::int(0))), Op::assign(Place::Scalar(lock), Expr::This)]
        } else {
            vec![Op::assume(Expr::var(lock).eq(Expr::This)), Op::assign(Place::Scalar(lock), Expr::int(0))]
        }
    }

    /// The visible variables of a sort: of a thread, or for a property.
    fn vars(&self, thread: Option<usize>, sort: Sort) -> Vec<VarId> {
        let of = |ints: &[VarId], bools: &[VarId]| match sort {
            Sort::Int => ints.to_vec(),
            Sort::Bool => bools.to_vec(),
        };
        let mut vars = of(&self.ints, &self.bools);
        match thread {
            Some(thread) => {
                let own = of(&self.threads[thread].ints, &self.threads[thread].bools);
                // Locals are mentioned more often, so that there are local steps.
                vars.extend(own.iter().copied());
                vars.extend(own);
            }
            None => {
                for thread in self.threads.iter().filter(|thread| thread.kind != ThreadKind::Template) {
                    vars.extend(of(&thread.ints, &thread.bools));
                }
            }
        }
        vars
    }

    fn int(&mut self, thread: Option<usize>, depth: usize) -> Expr {
        let vars = self.vars(thread, Sort::Int);
        match self.random.below(10) {
            0..=2 => Expr::int(self.random.below(4) as i128),
            3..=6 => Expr::var(*self.random.pick(&vars)),
            7 if self.array.is_some() => {
                let array = self.array.expect("just asked");
                Expr::element(array, self.index(thread))
            }
            8 if depth > 0 => Expr::ite(self.condition(thread, 0), self.int(thread, 0), self.int(thread, 0)),
            _ if depth > 0 => {
                let op = *self.random.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
                Expr::binary(op, self.int(thread, depth - 1), self.int(thread, depth - 1))
            }
            _ => Expr::var(*self.random.pick(&vars)),
        }
    }

    /// An expression that is 0 or 1.
    fn index(&mut self, thread: Option<usize>) -> Expr {
        match self.random.below(2) {
            0 => Expr::int(self.random.below(2) as i128),
            _ => self.int(thread, 0).wrap(IntType { bits: 1, signed: false }),
        }
    }

    fn condition(&mut self, thread: Option<usize>, depth: usize) -> Expr {
        let bools = self.vars(thread, Sort::Bool);
        match self.random.below(12) {
            0..=5 => {
                let op = *self.random.pick(&[
                    BinaryOp::Eq,
                    BinaryOp::Ne,
                    BinaryOp::Lt,
                    BinaryOp::Le,
                    BinaryOp::Gt,
                    BinaryOp::Ge,
                ]);
                Expr::binary(op, self.int(thread, depth), self.int(thread, 0))
            }
            6..=7 if !bools.is_empty() => Expr::var(*self.random.pick(&bools)),
            8 if depth > 0 => {
                let op = *self.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Implies]);
                Expr::binary(op, self.condition(thread, 0), self.condition(thread, 0))
            }
            9 if depth > 0 => Expr::unary(UnaryOp::Not, self.condition(thread, 0)),
            10 if self.random.percent(30) => Expr::Bool(self.random.percent(70)),
            _ => self.int(thread, 0).ne(Expr::int(self.random.below(3) as i128)),
        }
    }

    fn properties(&mut self) {
        for _ in 0..self.random.below(3) {
            let condition = match self.random.below(6) {
                0 => self.count_at().add(self.count_at()).le(Expr::int(1)),
                1 => {
                    let thread = self.random.below(self.threads.len());
                    Expr::CountRunning(self.threads[thread].id).ge(Expr::int(1)).or(self.condition(None, 0))
                }
                2 => self.condition(None, 1).implies(self.count_at().eq(Expr::int(0))),
                _ => self.condition(None, 1),
            };
            let kind = if self.random.percent(60) {
                PropertyKind::Always(condition)
            } else {
                PropertyKind::AtEnd(condition)
            };
            self.builder.property(Property { kind, span: None });
        }
        if self.random.percent(10) {
            let condition = self.condition(None, 0);
            self.builder.requires(condition);
        }
    }

    fn count_at(&mut self) -> Expr {
        let thread = self.random.below(self.threads.len());
        let locations = self.threads[thread].locations.clone();
        Expr::CountAt(*self.random.pick(&locations))
    }
}
