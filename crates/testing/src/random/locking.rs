//! Random programs that protect their variables by locks, most of the time.
//!
//! Each global has its lock, and most accesses to it are made while the lock is held. The traps
//! are the others: a lock that is not released on one way, or by somebody else, or only looked
//! at, or taken in another order; an access without it, or before the others start, or after
//! they have ended.

use super::Generator;
use rely_program::{
    BinaryOp, Blocking, Domain, Expr, LocationId, Op, Place, Program, ProgramBuilder, Sort, VarId,
};

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut generator = Generator::new(ProgramBuilder::new(format!("locking {seed}")), seed, true);
    generator.caution = 100;
    generator.declare_globals();
    let mut locks: Vec<Lock> =
        generator.ints.clone().into_iter().map(|var| generator.lock_for(var)).collect();
    if generator.random.percent(60) {
        locks.truncate(1);
    }
    generator.declare_threads();
    for thread in 0..generator.threads.len() {
        generator.sections(thread, &locks);
    }
    if generator.random.percent(40) {
        generator.properties();
    }
    generator.builder.finish().expect("generated programs are well formed")
}

/// A lock and what it protects.
#[derive(Clone, Copy)]
struct Lock {
    lock: VarId,
    is_bool: bool,
    /// Whoever takes it writes its handle there, and whoever releases it must be the one.
    is_owned: bool,
    protects: VarId,
}

impl Generator {
    fn lock_for(&mut self, protects: VarId) -> Lock {
        let is_bool = self.random.percent(30);
        let name = format!("lock{}", self.builder.program().vars().len());
        let sort = if is_bool { Sort::Bool } else { Sort::Int };
        let is_owned = !is_bool && self.random.percent(40);
        Lock { lock: self.builder.global(name, sort, 0), is_bool, is_owned, protects }
    }

    fn sections(&mut self, thread: usize, locks: &[Lock]) {
        let (entry, exit) = {
            let locations = &self.threads[thread].locations;
            (locations[0], *locations.last().expect("an entry and an exit"))
        };
        let mut at = entry;
        for _ in 0..1 + self.random.below(2) {
            at = self.section(thread, at, locks);
        }
        let ops = if self.random.percent(50) { self.ops(thread) } else { Vec::new() };
        self.edge(thread, (at, exit), ops);
    }

    /// A new edge to a new location.
    fn then(&mut self, thread: usize, at: LocationId, ops: Vec<Op>) -> LocationId {
        let next = self.builder.location(self.threads[thread].id, None);
        self.threads[thread].locations.push(next);
        self.edge(thread, (at, next), ops);
        next
    }

    fn section(&mut self, thread: usize, at: LocationId, locks: &[Lock]) -> LocationId {
        let lock = *self.random.pick(locks);
        match self.random.below(18) {
            0..=6 => self.protected(thread, at, lock, None),
            7..=8 => self.restoring(thread, at, lock),
            9 => {
                let inner = *self.random.pick(locks);
                self.protected(thread, at, lock, Some(inner))
            }
            10 => {
                let ops = self.access(thread, lock.protects);
                self.then(thread, at, ops)
            }
            11..=12 => {
                let ops = if self.random.percent(50) { self.spawn(thread) } else { self.op(thread) };
                self.then(thread, at, ops)
            }
            13 => self.sometimes_released(thread, at, lock),
            14 => {
                let back = self.protected(thread, at, lock, None);
                let condition = self.condition(Some(thread), 0);
                self.builder.edge(back, at, vec![Op::wait(condition.clone())], None);
                self.then(thread, back, vec![Op::wait(condition.negate())])
            }
            _ => {
                let ops = self.misuse(lock);
                self.then(thread, at, ops)
            }
        }
    }

    fn protected(&mut self, thread: usize, at: LocationId, lock: Lock, inner: Option<Lock>) -> LocationId {
        let taking = lock.taking(self.random.percent(50));
        let mut at = self.then(thread, at, taking);
        for _ in 0..1 + self.random.below(3) {
            at = match inner {
                Some(inner) if self.random.percent(50) => self.protected(thread, at, inner, None),
                _ if self.random.percent(25) => self.diamond(thread, at, lock.protects),
                _ => {
                    let ops = self.access(thread, lock.protects);
                    self.then(thread, at, ops)
                }
            };
        }
        let releasing = self.release(lock);
        self.then(thread, at, releasing)
    }

    /// A value that only somebody without the lock can see.
    fn restoring(&mut self, thread: usize, at: LocationId, lock: Lock) -> LocationId {
        let wrong = set(lock.protects, 1 + self.random.below(3));
        let check = Op::Check(Expr::var(lock.protects).eq(Expr::int(0)), self.check());
        let taken = self.then(thread, at, lock.taking(true));
        let looked = self.then(thread, taken, vec![check]);
        let changed = self.then(thread, looked, vec![wrong]);
        let restored = self.then(thread, changed, vec![set(lock.protects, 0)]);
        let releasing = self.release(lock);
        self.then(thread, restored, releasing)
    }

    fn diamond(&mut self, thread: usize, at: LocationId, var: VarId) -> LocationId {
        let condition = Expr::var(var).ne(Expr::int(self.random.below(3) as i128));
        let blocking = self.blocking();
        let ops = self.access(thread, var);
        let yes = self.then(thread, at, vec![Op::Assume(condition.clone(), blocking)]);
        let end = self.then(thread, yes, ops);
        self.builder.edge(at, end, vec![Op::Assume(condition.negate(), blocking)], None);
        end
    }

    /// One way holds the lock longer than the other.
    fn sometimes_released(&mut self, thread: usize, at: LocationId, lock: Lock) -> LocationId {
        let taken = self.then(thread, at, lock.taking(true));
        let releasing = self.release(lock);
        let released = self.then(thread, taken, releasing);
        let condition = self.condition(Some(thread), 0);
        let end = self.then(thread, released, vec![]);
        let ops = vec![Op::wait(condition)];
        self.builder.edge(taken, end, ops, None);
        end
    }

    fn release(&mut self, lock: Lock) -> Vec<Op> {
        let mut ops = lock.releasing();
        if lock.is_owned {
            ops.insert(0, Op::Check(Expr::var(lock.lock).eq(Expr::This), self.check()));
        }
        ops
    }

    /// What is not done to locks.
    fn misuse(&mut self, lock: Lock) -> Vec<Op> {
        match self.random.below(3) {
            0 => self.release(lock),
            1 => vec![Op::Assume(lock.is_free(), self.blocking())],
            _ => lock.taking(true).split_off(1),
        }
    }

    fn access(&mut self, thread: usize, protected: VarId) -> Vec<Op> {
        let var = if self.random.percent(92) { protected } else { *self.random.pick(&self.ints) };
        let local = *self.random.pick(&self.threads[thread].ints);
        let number = Expr::int(self.random.below(4) as i128);
        let op = *self.random.pick(&[BinaryOp::Le, BinaryOp::Ne, BinaryOp::Ge]);
        let condition = Expr::binary(op, Expr::var(var), number.clone());
        match self.random.below(9) {
            0..=1 => vec![Op::assign(Place::Scalar(local), Expr::var(var))],
            2 => vec![Op::assign(Place::Scalar(var), Expr::var(local))],
            3..=4 => vec![Op::assign(Place::Scalar(var), Expr::var(var).add(number).wrap(super::SMALL))],
            5 => vec![Op::Check(condition, self.check())],
            6 => vec![Op::Check(Expr::var(local).eq(Expr::var(var)), self.check())],
            7 => vec![Op::Assume(condition, self.blocking())],
            _ => vec![Op::Havoc(Place::Scalar(var), Domain::Range { low: 0, high: 1 })],
        }
    }
}

fn set(var: VarId, value: usize) -> Op {
    Op::assign(Place::Scalar(var), Expr::int(value as i128))
}

impl Lock {
    fn is_free(self) -> Expr {
        if self.is_bool { Expr::var(self.lock).negate() } else { Expr::var(self.lock).eq(Expr::int(0)) }
    }

    fn taking(self, by_handle: bool) -> Vec<Op> {
        let value = match (self.is_bool, by_handle) {
            (true, _) => Expr::Bool(true),
            (false, true) => Expr::This,
            (false, false) if self.is_owned => Expr::This,
            (false, false) => Expr::int(7),
        };
        let wait = Op::Assume(self.is_free(), Blocking::Wait);
        vec![wait, Op::assign(Place::Scalar(self.lock), value)]
    }

    fn releasing(self) -> Vec<Op> {
        let zero = if self.is_bool { Expr::Bool(false) } else { Expr::int(0) };
        vec![Op::assign(Place::Scalar(self.lock), zero)]
    }
}
