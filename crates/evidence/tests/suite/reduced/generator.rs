//! Small programs made at random, with locks, shared variables and now and then everything else;
//! with claims about what is held where, and about blocks.

use rely_evidence::reduction::{Mover, Phase, Reduced};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{
    BinaryOp, Check, CheckKind, Domain, EdgeId, Expr, LocationId, Op, Place, Program, ProgramBuilder,
    Property, PropertyKind, Sort, ThreadId, ThreadKind, Value, VarId,
};
use rely_testing::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Values of variables that are no locks stay below this.
const MODULUS: Value = 3;

/// What a step does to a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LockStep {
    Acquire(VarId),
    Release(VarId),
}

pub struct Generated {
    pub program: Program,
    /// The locations of each thread, in order.
    paths: Vec<(ThreadId, Vec<LocationId>)>,
    locks: BTreeMap<EdgeId, LockStep>,
}

struct Generator {
    rng: Random,
    builder: ProgramBuilder,
    locks: Vec<VarId>,
    shared: Vec<VarId>,
    steps: BTreeMap<EdgeId, LockStep>,
    paths: Vec<(ThreadId, Vec<LocationId>)>,
}

/// The program of a seed: one with locks, or a tiny one in which two threads get at one variable, so
/// that every way to get in each other's way is tried often.
pub fn generate(mut rng: Random) -> Generated {
    let mut builder = ProgramBuilder::new("generated");
    let locks = ["m", "n"].map(|name| builder.global(name, Sort::Int, 0)).to_vec();
    let is_tiny = rng.percent(50);
    let shared: &[&str] = if is_tiny { &["x"] } else { &["x", "y"] };
    let shared = shared.iter().map(|name| builder.global(*name, Sort::Int, 0)).collect();
    let (steps, paths) = (BTreeMap::new(), Vec::new());
    let mut generator = Generator { rng, builder, locks, shared, steps, paths };
    if is_tiny {
        generator.tiny_threads();
    } else {
        generator.threads();
    }
    generator.properties();
    let program = generator.builder.finish().expect("generated programs are well formed");
    Generated { program, paths: generator.paths, locks: generator.steps }
}

impl Generator {
    fn threads(&mut self) {
        let running = ThreadKind::Instance { running: true };
        match self.rng.below(10) {
            0..=5 => {
                for name in ["A", "B"] {
                    self.thread(name, running, None);
                }
            }
            6 | 7 => {
                for name in ["A", "B", "C"] {
                    self.thread(name, running, None);
                }
            }
            8 => {
                let child = self.thread("child", ThreadKind::Instance { running: false }, None);
                self.thread("main", running, Some(child));
            }
            _ => {
                let worker = self.thread("worker", ThreadKind::Template, None);
                self.thread("main", running, Some(worker));
            }
        }
    }

    fn tiny_threads(&mut self) {
        for (name, most) in [("A", 3), ("B", 2)] {
            let thread = self.builder.thread(name, ThreadKind::Instance { running: true });
            let local = self.builder.local(thread, "r", Sort::Int, 0);
            let count = most - usize::from(self.rng.percent(40));
            let bodies = (0..count).map(|_| (vec![self.tiny_op(local)], None)).collect();
            self.automaton(thread, bodies, true);
        }
    }

    fn tiny_op(&mut self, local: VarId) -> Op {
        let shared = self.shared[0];
        let constant = Expr::int(self.rng.below(2) as Value);
        match self.rng.below(12) {
            0..=3 => Op::assign(Place::Scalar(shared), constant),
            4..=6 => self.assertion(Expr::var(shared).eq(constant)),
            7 => Op::wait(Expr::var(shared).eq(constant)),
            8 => Op::assume(Expr::var(local).eq(constant)),
            9 => Op::assign(Place::Scalar(local), constant),
            10 => Op::assign(Place::Scalar(local), Expr::var(shared)),
            _ => Op::Halt,
        }
    }

    /// A thread that acquires locks, does something, releases them, and may be careless about it.
    fn thread(&mut self, name: &str, kind: ThreadKind, starts: Option<ThreadId>) -> ThreadId {
        let thread = self.builder.thread(name, kind);
        let local = self.builder.local(thread, "r", Sort::Int, 0);
        let mut bodies: Vec<(Vec<Op>, Option<LockStep>)> = Vec::new();
        let handle = starts.map(|_| self.builder.local(thread, "h", Sort::Int, 0));
        if let (Some(started), Some(handle)) = (starts, handle) {
            let arguments = Vec::new();
            bodies.push((
                vec![Op::Spawn { thread: started, arguments, handle: Some(Place::Scalar(handle)) }],
                None,
            ));
        }
        for _ in 0..1 + self.rng.below(2) {
            self.section(local, &mut bodies);
        }
        if let Some(handle) = handle.filter(|_| self.rng.percent(60)) {
            let place = self.rng.below(bodies.len()).max(1);
            bodies.insert(place, (vec![Op::Join(Expr::var(handle))], None));
        }
        self.automaton(thread, bodies, starts.is_none());
        thread
    }

    fn section(&mut self, local: VarId, bodies: &mut Vec<(Vec<Op>, Option<LockStep>)>) {
        let lock = *self.rng.pick(&self.locks);
        let is_locked = self.rng.percent(80);
        if is_locked {
            let free = Op::wait(Expr::var(lock).eq(Expr::int(0)));
            let take = Op::assign(Place::Scalar(lock), Expr::This);
            bodies.push((vec![free, take], Some(LockStep::Acquire(lock))));
        }
        for _ in 0..1 + self.rng.below(3) {
            let mut ops = vec![self.op(local)];
            if self.rng.percent(20) {
                ops.push(self.op(local));
            }
            bodies.push((ops, None));
        }
        if is_locked && self.rng.percent(95) {
            let mut ops = Vec::new();
            if self.rng.percent(40) {
                ops.push(self.assertion(Expr::var(lock).eq(Expr::This)));
            }
            ops.push(Op::assign(Place::Scalar(lock), Expr::int(0)));
            bodies.push((ops, Some(LockStep::Release(lock))));
        }
        if self.rng.percent(15) {
            bodies.push((vec![self.op(local)], None));
        }
    }

    fn op(&mut self, local: VarId) -> Op {
        let shared = *self.rng.pick(&self.shared);
        let constant = Expr::int(self.rng.below(MODULUS as usize) as Value);
        let wrapped = |sum: Expr| Expr::binary(BinaryOp::Rem, sum, Expr::int(MODULUS));
        match self.rng.below(24) {
            0..=4 => Op::assign(Place::Scalar(local), Expr::var(shared)),
            5..=8 => Op::assign(Place::Scalar(shared), wrapped(Expr::var(local).add(Expr::int(1)))),
            9 | 10 => Op::assign(Place::Scalar(shared), constant),
            11 | 12 => Op::assign(Place::Scalar(local), wrapped(Expr::var(local).add(constant))),
            13 | 14 => Op::assign(Place::Scalar(shared), wrapped(Expr::var(shared).add(constant))),
            15 => Op::Havoc(Place::Scalar(shared), Domain::Range { low: 0, high: MODULUS - 1 }),
            16 => Op::Havoc(Place::Scalar(local), Domain::Range { low: 0, high: MODULUS - 1 }),
            17 => Op::wait(Expr::var(shared).ne(constant)),
            18 => Op::assume(Expr::var(local).le(constant)),
            19 => self.assertion(Expr::var(local).ne(constant)),
            20 | 21 => self.assertion(Expr::var(shared).ne(constant)),
            22 => Op::Halt,
            _ => Op::assign(Place::Scalar(local), Expr::var(*self.rng.pick(&self.locks))),
        }
    }

    fn assertion(&mut self, condition: Expr) -> Op {
        let kind = if self.rng.percent(90) { CheckKind::Assertion } else { CheckKind::Overflow };
        let check = self.builder.check(Check { kind, message: "it fails".to_owned(), span: None });
        Op::Check(condition, check)
    }

    /// A line of steps, with a few shortcuts and loops.
    fn automaton(&mut self, thread: ThreadId, bodies: Vec<(Vec<Op>, Option<LockStep>)>, may_return: bool) {
        let mut path = vec![self.builder.entry(thread)];
        for _ in 1..bodies.len() {
            path.push(self.builder.location(thread, None));
        }
        path.push(self.builder.exit(thread));
        let mut behind_halt = BTreeSet::new();
        for (position, (mut ops, step)) in bodies.into_iter().enumerate() {
            if let Some(halt) = ops.iter().position(|op| *op == Op::Halt) {
                ops.truncate(halt + 1);
                behind_halt.insert(position + 1);
            }
            let edge = self.builder.edge(path[position], path[position + 1], ops, None);
            if let Some(step) = step {
                self.steps.insert(edge, step);
            }
        }
        if self.rng.percent(25) {
            let from = self.rng.below(path.len() - 1);
            // Who starts threads does not do so again and again.
            let lowest = if may_return { 0 } else { from + 1 };
            let to = lowest + self.rng.below(path.len() - lowest);
            let local = Expr::int(0).le(Expr::int(1));
            self.builder.edge(path[from], path[to], vec![Op::assume(local)], None);
        }
        if self.rng.percent(8) && path.len() > 2 {
            let inside = 1 + self.rng.below(path.len() - 2);
            // A program that has halted is in no atomic block.
            if !behind_halt.contains(&inside) {
                self.builder.set_atomic(path[inside]);
            }
        }
        self.paths.push((thread, path));
    }

    fn properties(&mut self) {
        let shared = Expr::var(*self.rng.pick(&self.shared));
        let bound = Expr::int(self.rng.below(MODULUS as usize) as Value);
        let condition = shared.ne(bound);
        let kind = match self.rng.below(10) {
            0 => PropertyKind::Always(condition),
            1 => {
                let (_, path) = self.rng.pick(&self.paths).clone();
                let (_, other) = self.rng.pick(&self.paths).clone();
                let [one, two] = [&path, &other].map(|path| Expr::CountAt(*self.rng.pick(path)));
                PropertyKind::Always(one.add(two).le(Expr::int(1)).implies(condition))
            }
            2 => {
                let (thread, _) = *self.rng.pick(&self.paths);
                PropertyKind::Always(Expr::CountRunning(thread).ge(Expr::int(1)).implies(condition))
            }
            3..=6 => PropertyKind::AtEnd(condition),
            _ => return,
        };
        self.builder.property(Property { kind, span: None });
    }
}

fn is(var: VarId, moment: Moment, owned: bool) -> Atom {
    let mut terms = vec![(1, Quantity::Cell { var, index: 0, moment })];
    if owned {
        terms.push((-1, Quantity::Handle));
    }
    Atom { terms, constant: 0, comparison: Comparison::Eq }
}

impl Generated {
    /// The locks that a thread holds at each of its locations whichever way it came.
    fn held_locks(&self, thread: ThreadId) -> BTreeMap<LocationId, BTreeSet<VarId>> {
        let program = &self.program;
        let mut held = BTreeMap::from([(program.threads()[thread].entry, BTreeSet::new())]);
        loop {
            let mut changed = false;
            for (id, edge) in program.edges().iter() {
                let Some(before) = held.get(&edge.source) else { continue };
                let mut after: BTreeSet<VarId> = before.clone();
                match self.locks.get(&id) {
                    Some(LockStep::Acquire(lock)) => _ = after.insert(*lock),
                    Some(LockStep::Release(lock)) => _ = after.remove(lock),
                    None => {}
                }
                let known = held.entry(edge.target).or_insert_with(|| {
                    changed = true;
                    after.clone()
                });
                let both: BTreeSet<VarId> = known.intersection(&after).copied().collect();
                changed |= both.len() < known.len();
                *known = both;
            }
            if !changed {
                return held;
            }
        }
    }

    /// What is held where: that a lock belongs to a thread, or nothing at all.
    pub fn held(&self, nothing: bool) -> RelyGuarantee {
        let program = &self.program;
        let mut proof = RelyGuarantee::default();
        for thread in program.threads().ids() {
            let locks = self.held_locks(thread);
            let assertion = |point: ControlPoint| {
                let held = match point {
                    ControlPoint::At(location) if !nothing => locks.get(&location),
                    _ => None,
                };
                let held = held.into_iter().flatten();
                let atoms = held.map(|lock| is(*lock, Moment::Before, true)).collect();
                (point, vec![Cube { atoms, others: Vec::new() }])
            };
            let at = ControlPoint::all(program, thread).into_iter().map(assertion).collect();
            proof.threads.push(ThreadAssertions { thread, at });
            let own =
                program.edges().iter().filter(|(_, edge)| program.locations()[edge.source].thread == thread);
            for (id, edge) in own {
                let holds = |lock| locks.get(&edge.source).is_some_and(|held| held.contains(lock));
                let atoms = match self.locks.get(&id) {
                    Some(LockStep::Acquire(lock)) if !nothing => {
                        vec![is(*lock, Moment::Before, false), is(*lock, Moment::After, true)]
                    }
                    Some(LockStep::Release(lock)) if !nothing && holds(lock) => {
                        vec![is(*lock, Moment::Before, true), is(*lock, Moment::After, false)]
                    }
                    _ => Vec::new(),
                };
                proof.effects.push(EdgeEffect { edge: id, cubes: vec![Cube { atoms, others: Vec::new() }] });
            }
        }
        proof
    }

    /// Blocks along the threads' ways, with all movers that they need.
    pub fn blocks(&self, rng: &mut Random, reduced: &mut Reduced) {
        for (_, path) in &self.paths {
            for _ in 0..1 + rng.below(2) {
                if path.len() < 3 || rng.percent(25) {
                    continue;
                }
                let (one, two) = (1 + rng.below(path.len() - 2), 1 + rng.below(path.len() - 2));
                let commit = one.min(two) + rng.below(one.abs_diff(two) + 2);
                for (position, &location) in path.iter().enumerate().take(one.max(two) + 1).skip(one.min(two))
                {
                    let phase = if position < commit { Phase::BeforeCommit } else { Phase::AfterCommit };
                    if reduced.phase(location).is_none() {
                        reduced.inside.push((location, phase));
                    }
                }
            }
        }
        claim_movers(&self.program, reduced);
    }
}

/// Claims of every edge that it is the mover that its block needs.
pub fn claim_movers(program: &Program, reduced: &mut Reduced) {
    reduced.movers.clear();
    for (id, edge) in program.edges().iter() {
        let right = reduced.phase(edge.target) == Some(Phase::BeforeCommit);
        let left = reduced.phase(edge.source) == Some(Phase::AfterCommit);
        let mover = match (right, left) {
            (true, true) => Mover::Both,
            (true, false) => Mover::Right,
            (false, true) => Mover::Left,
            (false, false) => continue,
        };
        reduced.movers.push((id, mover));
    }
}
