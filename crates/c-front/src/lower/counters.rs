//! Semaphores and read-write locks: numbers that threads wait for.
//!
//! A semaphore holds its value. A read-write lock holds the number of its readers, or that there is
//! a writer. Who waits is served in any order, as POSIX allows.

use super::access::Cells;
use super::assign::Wanted;
use super::cell::Cell;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Lvalue, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Check, CheckKind, Expr, Op, Place, Sort};

/// `EBUSY`, the result of trying to take a lock that is taken.
const BUSY: i128 = 16;
/// What a read-write lock holds while somebody writes.
const WRITER: i128 = -1;
/// `SEM_VALUE_MAX`.
const MOST: i128 = i32::MAX as i128;

/// What an operation does to a counter: when it is possible, and what the counter is then.
struct Change {
    possible: fn(Expr) -> Expr,
    after: fn(Expr) -> Expr,
    /// The result if it is not possible.
    failure: i128,
}

const DOWN: Change = Change { possible: is_positive, after: one_less, failure: -1 };
const UP: Change = Change { possible: is_below_most, after: one_more, failure: -1 };
const READ: Change = Change { possible: is_not_negative, after: one_more, failure: BUSY };
const WRITE: Change = Change { possible: is_zero, after: |_| Expr::Int(WRITER), failure: BUSY };

fn is_positive(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Gt, counter, Expr::Int(0))
}

fn is_not_negative(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Ge, counter, Expr::Int(0))
}

fn is_zero(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Eq, counter, Expr::Int(0))
}

fn is_below_most(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Lt, counter, Expr::Int(MOST))
}

fn one_less(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Sub, counter, Expr::Int(1))
}

fn one_more(counter: Expr) -> Expr {
    fold::binary(BinaryOp::Add, counter, Expr::Int(1))
}

/// The last reader, or the writer, frees the lock.
fn without_one(lock: Expr) -> Expr {
    fold::ite(is_positive(lock.clone()), one_less(lock), Expr::Int(0))
}

/// A pointer to a counter, and which kind of counter it is.
#[derive(Clone, Copy)]
struct Counter<'a>(Opaque, &'a Node<Expression>);

impl<'a, 'f> Lowering<'a, 'f> {
    /// Functions on semaphores and read-write locks.
    pub(super) fn counter_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let semaphore = |counter: &'a Node<Expression>| Counter(Opaque::Semaphore, counter);
        let lock = |counter: &'a Node<Expression>| Counter(Opaque::ReadWriteLock, counter);
        match (name, arguments) {
            ("sem_init", [counter, shared, value]) => {
                self.eval_and_discard(shared)?;
                return self.set_counter(semaphore(counter), value, wanted, at).map(Some);
            }
            ("sem_wait", [counter]) => self.wait_to_change(semaphore(counter), &DOWN)?,
            ("sem_post", [counter]) => return self.try_to_change(semaphore(counter), &UP, wanted).map(Some),
            ("sem_trywait", [counter]) => {
                return self.try_to_change(semaphore(counter), &DOWN, wanted).map(Some);
            }
            ("sem_getvalue", [counter, value]) => self.read_counter(semaphore(counter), value, at)?,
            ("pthread_rwlock_init", [counter, attributes]) => {
                self.eval_and_discard(attributes)?;
                self.change(lock(counter), |_| Expr::Int(0))?;
            }
            ("pthread_rwlock_rdlock", [counter]) => self.wait_to_change(lock(counter), &READ)?,
            ("pthread_rwlock_wrlock", [counter]) => self.wait_to_change(lock(counter), &WRITE)?,
            ("pthread_rwlock_tryrdlock", [counter]) => {
                return self.try_to_change(lock(counter), &READ, wanted).map(Some);
            }
            ("pthread_rwlock_trywrlock", [counter]) => {
                return self.try_to_change(lock(counter), &WRITE, wanted).map(Some);
            }
            ("pthread_rwlock_unlock", [counter]) => self.unlock(lock(counter), at)?,
            ("sem_destroy", [counter]) => {
                self.counter_cells(semaphore(counter))?;
            }
            ("pthread_rwlock_destroy", [counter]) => {
                self.counter_cells(lock(counter))?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::constant(CType::INT, 0)))
    }

    fn counter_cells(&mut self, Counter(kind, counter): Counter<'a>) -> Lowered<Cells> {
        let pointer = self.eval(counter)?;
        let place = self.dereference(pointer, counter, counter.span)?;
        let place = Lvalue { ty: CType::Opaque(kind), ..place };
        self.cells(&place, counter.span)
    }

    /// Waits until the change is possible and makes it.
    fn wait_to_change(&mut self, counter: Counter<'a>, change: &Change) -> Lowered<()> {
        let found = self.counter_cells(counter)?;
        self.act_atomically(found, &[], |cell| {
            let before = cell.place.read();
            let after = (change.after)(before.clone());
            vec![Op::wait((change.possible)(before)), Op::assign(cell.place.clone(), after)]
        });
        Ok(())
    }

    /// Makes the change if it is possible; the result says whether it was.
    fn try_to_change(&mut self, counter: Counter<'a>, change: &Change, wanted: Wanted) -> Lowered<Value> {
        let found = self.counter_cells(counter)?;
        let result = (wanted != Wanted::Nothing).then(|| self.temporary(Sort::Int));
        self.act_atomically(found, &[], |cell| {
            let before = cell.place.read();
            let possible = (change.possible)(before.clone());
            let after = fold::ite(possible.clone(), (change.after)(before.clone()), before);
            let mut changes = vec![(cell.place.clone(), after)];
            if let Some(result) = result {
                let value = fold::ite(possible, Expr::Int(0), Expr::Int(change.failure));
                changes.push((Place::Scalar(result), value));
            }
            vec![Op::Assign(changes)]
        });
        Ok(match result {
            Some(result) => {
                let range = Range { low: change.failure.min(0), high: change.failure.max(0) };
                Value::number(CType::INT, Expr::Var(result), range)
            }
            None => Value::void(),
        })
    }

    fn change(&mut self, counter: Counter<'a>, after: fn(Expr) -> Expr) -> Lowered<()> {
        let found = self.counter_cells(counter)?;
        self.act_atomically(found, &[], |cell: &Cell| {
            vec![Op::assign(cell.place.clone(), after(cell.place.read()))]
        });
        Ok(())
    }

    /// Frees a read-write lock, which somebody must hold. Who that is, the lock does not know.
    fn unlock(&mut self, counter: Counter<'a>, at: TreeSpan) -> Lowered<()> {
        self.assume("read-write-locks-are-unlocked-by-holders");
        let found = self.counter_cells(counter)?;
        let message = format!("`{}` unlocks what nobody has locked", self.origin.text(at));
        let span = Some(self.span(at));
        let check = self.builder.check(Check { kind: CheckKind::Bounds, message, span });
        self.act_atomically(found, &[], |cell| {
            let held = fold::not(is_zero(cell.place.read()));
            vec![Op::Check(held, check), Op::assign(cell.place.clone(), without_one(cell.place.read()))]
        });
        Ok(())
    }

    /// Gives a semaphore its first value, if it can have it.
    fn set_counter(
        &mut self,
        counter: Counter<'a>,
        value: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let value = self.eval(value)?;
        let value = self.convert(value, &CType::Int(IntKind::UnsignedInt), at)?;
        let value = self.settle(value);
        let number = self.number(&value);
        let possible = fold::binary(BinaryOp::Le, number.clone(), Expr::Int(MOST));
        let found = self.counter_cells(counter)?;
        let result = (wanted != Wanted::Nothing).then(|| self.temporary(Sort::Int));
        self.act_atomically(found, &value.guards, |cell| {
            let after = fold::ite(possible.clone(), number.clone(), cell.place.read());
            let mut changes = vec![(cell.place.clone(), after)];
            if let Some(result) = result {
                changes
                    .push((Place::Scalar(result), fold::ite(possible.clone(), Expr::Int(0), Expr::Int(-1))));
            }
            vec![Op::Assign(changes)]
        });
        Ok(match result {
            Some(result) => Value::number(CType::INT, Expr::Var(result), Range { low: -1, high: 0 }),
            None => Value::void(),
        })
    }

    fn read_counter(
        &mut self,
        counter: Counter<'a>,
        value: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let pointer = self.eval(value)?;
        let pointer = self.settle_shared(pointer);
        let found = self.counter_cells(counter)?;
        let result = self.temporary(Sort::Int);
        self.act_atomically(found, &[], |cell| vec![Op::assign(Place::Scalar(result), cell.place.read())]);
        let place = self.place_behind(pointer, CType::INT);
        let number = Value::number(CType::INT, Expr::Var(result), Range { low: 0, high: MOST });
        self.write(&place, number, at)
    }
}
