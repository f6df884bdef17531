//! Condition variables.
//!
//! Waiting gives the mutex back and takes it again. How it ends depends on what is asked ([`Wakeups`]).
//!
//! # At any time
//!
//! POSIX allows a wait to end without a signal. Then signals do nothing, and a condition variable holds nothing: all
//! that a program can do with signals is among what it can do without them.
//!
//! # By a signal only
//!
//! A condition variable holds two numbers: `waiters`, the threads that wait, and `wakeups`, those that were granted
//! and not yet taken. So it does not matter how many threads there are.
//!
//! ```text
//! wait       await wakeups == 0; waiters += 1
//!            unlock the mutex
//!            await wakeups > 0; wakeups -= 1
//!            lock the mutex
//! signal     if waiters > 0 { waiters -= 1; wakeups += 1 }
//! broadcast  wakeups += waiters; waiters = 0
//! ```
//!
//! At the third line of `wait` there are always `waiters + wakeups` threads. They are alike there, so to say how
//! many of them were woken is to say which. A thread that begins to wait must not take the wake-up of one that has
//! waited before: it lets those go first, which is the condition in the first line. That takes no run away. To
//! take a granted wake-up touches nothing but its number, and any other step can as well come after it. Nor does it
//! hold up a thread for ever: while `wakeups` is positive there is a thread that can take one.
//!
//! The thread waits before it unlocks the mutex, as in glibc. A signal between the two is as good as one behind them:
//! POSIX promises an order to those only who have taken the mutex meanwhile.
//!
//! A wait with a time leaves `waiters` when the time is over, if it was not woken before. A mutex that complains about
//! being given back by a stranger ends the wait in the same way, and at once.
//!
//! To set up or to destroy a condition variable does nothing: it may be done when all have been woken, and those who
//! have not yet noticed still do.

use super::access::{Cell, Cells};
use super::assign::Wanted;
use super::branch::Ways;
use super::{Lowered, Lowering};
use crate::Wakeups;
use crate::fold::{self, Range};
use crate::types::{CType, Opaque};
use crate::value::{Lvalue, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Domain, Expr, Op, Place, Sort, VarId};

/// `ETIMEDOUT`.
const TIMED_OUT: i128 = 110;

/// The cells of a condition variable.
#[derive(Clone)]
struct Condition {
    waiters: Place,
    wakeups: Place,
}

/// All condition variables that an expression may mean: the cells of their waiters, and both cells of each.
#[derive(Clone)]
struct Conditions {
    waiters: Cells,
    conditions: Vec<Condition>,
}

impl Condition {
    fn has_waiters(&self) -> Expr {
        fold::binary(BinaryOp::Gt, self.waiters.read(), Expr::Int(0))
    }

    fn has_wakeups(&self) -> Expr {
        fold::binary(BinaryOp::Gt, self.wakeups.read(), Expr::Int(0))
    }

    fn enter(&self) -> Vec<Op> {
        let one_more = fold::add(self.waiters.read(), Expr::Int(1));
        vec![Op::wait(fold::is(self.wakeups.read(), 0)), Op::assign(self.waiters.clone(), one_more)]
    }

    fn wake_up(&self) -> Vec<Op> {
        vec![Op::wait(self.has_wakeups()), Op::assign(self.wakeups.clone(), one_less(&self.wakeups))]
    }

    /// Waits no longer, woken or not.
    fn leave(&self) -> Vec<Op> {
        let waiters = fold::ite(self.has_waiters(), one_less(&self.waiters), self.waiters.read());
        let wakeups = fold::ite(self.has_waiters(), self.wakeups.read(), one_less(&self.wakeups));
        vec![Op::Assign(vec![(self.waiters.clone(), waiters), (self.wakeups.clone(), wakeups)])]
    }

    /// Waits until it is woken or the time is over, whichever comes first. One of both is always possible.
    fn wake_up_unless(&self, late: VarId) -> Vec<Op> {
        let is_late = Expr::Var(late);
        let can_leave = fold::and(is_late.clone(), self.has_waiters());
        let is_woken = fold::and(fold::not(is_late.clone()), self.has_wakeups());
        let waiters = fold::ite(is_late.clone(), one_less(&self.waiters), self.waiters.read());
        let wakeups = fold::ite(is_late.clone(), self.wakeups.read(), one_less(&self.wakeups));
        let changes = vec![(self.waiters.clone(), waiters), (self.wakeups.clone(), wakeups)];
        let choice = Op::Havoc(Place::Scalar(late), Domain::Bool);
        vec![choice, Op::wait(fold::or(can_leave, is_woken)), Op::Assign(changes)]
    }

    fn signal(&self) -> Vec<Op> {
        let one_more = fold::add(self.wakeups.read(), Expr::Int(1));
        let waiters = fold::ite(self.has_waiters(), one_less(&self.waiters), self.waiters.read());
        let wakeups = fold::ite(self.has_waiters(), one_more, self.wakeups.read());
        vec![Op::Assign(vec![(self.waiters.clone(), waiters), (self.wakeups.clone(), wakeups)])]
    }

    fn broadcast(&self) -> Vec<Op> {
        let all = fold::add(self.wakeups.read(), self.waiters.read());
        vec![Op::Assign(vec![(self.waiters.clone(), Expr::Int(0)), (self.wakeups.clone(), all)])]
    }
}

fn one_less(place: &Place) -> Expr {
    fold::binary(BinaryOp::Sub, place.read(), Expr::Int(1))
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Functions on condition variables that do something.
    pub(super) fn condition_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("pthread_cond_wait", [condition, mutex]) => {
                let condition = self.conditions(condition)?;
                self.wait(condition, mutex, wanted, None, at).map(Some)
            }
            ("pthread_cond_timedwait", [condition, mutex, until]) => {
                let condition = self.conditions(condition)?;
                self.eval_and_discard(until)?;
                let is_late = self.temporary(Sort::Bool);
                if condition.is_none() {
                    self.emit(vec![Op::Havoc(Place::Scalar(is_late), Domain::Bool)]);
                }
                self.wait(condition, mutex, wanted, Some(is_late), at).map(Some)
            }
            ("pthread_cond_signal", [condition]) => self.wake(condition, Condition::signal).map(Some),
            ("pthread_cond_broadcast", [condition]) => self.wake(condition, Condition::broadcast).map(Some),
            _ => Ok(None),
        }
    }

    /// All condition variables that an expression may point to; none if they hold nothing.
    fn conditions(&mut self, condition: &'a Node<Expression>) -> Lowered<Option<Conditions>> {
        if self.facts.records.wakeups() == Wakeups::Spurious {
            self.eval_and_discard(condition)?;
            return Ok(None);
        }
        let pointer = self.eval(condition)?;
        let pointer = self.settle_shared(pointer);
        let base = self.dereference(pointer, condition, condition.span)?;
        let cell = CType::Opaque(Opaque::ConditionCell);
        let distance = Opaque::ConditionCell.size();
        let waiters = self.cells(&Lvalue { ty: cell.clone(), ..base.clone() }, condition.span)?;
        let behind = self.part(base, distance, cell);
        let wakeups = self.cells(&behind, condition.span)?.cells;
        let of_cell = |cell: &Cell| {
            let wakeups = cell.part_behind(distance, &wakeups)?;
            Some(Condition { waiters: cell.place.clone(), wakeups })
        };
        match waiters.cells.iter().map(of_cell).collect::<Option<Vec<Condition>>>() {
            Some(conditions) => Ok(Some(Conditions { waiters, conditions })),
            None => self.refuse(condition.span, "a condition variable inside of something else"),
        }
    }

    /// Does something to whichever condition variable it is, in one step.
    fn act_on_condition(&mut self, found: &Option<Conditions>, ops: impl Fn(&Condition) -> Vec<Op>) {
        let Some(Conditions { waiters, conditions }) = found.clone() else { return };
        self.act_atomically(waiters, &[], |cell| {
            let of_cell = conditions.iter().find(|condition| condition.waiters == cell.place);
            of_cell.map(&ops).unwrap_or_default()
        });
    }

    fn wake(&mut self, condition: &'a Node<Expression>, how: fn(&Condition) -> Vec<Op>) -> Lowered<Value> {
        let found = self.conditions(condition)?;
        self.act_on_condition(&found, how);
        Ok(Value::constant(CType::INT, 0))
    }

    /// Gives the mutex back, waits, takes the mutex again, and says whether the time was over. A mutex that
    /// complains about being given back by a stranger ends the wait at once.
    fn wait(
        &mut self,
        condition: Option<Conditions>,
        mutex: &'a Node<Expression>,
        wanted: Wanted,
        is_late: Option<VarId>,
        at: TreeSpan,
    ) -> Lowered<Value> {
        match condition {
            None => self.assume("waits-may-end-at-any-time"),
            Some(_) => self.assume("waits-end-by-signals"),
        }
        let found = self.mutexes(mutex, Opaque::Mutex)?;
        let misuse = "waits with a mutex that the thread does not hold";
        let range = Range { low: 0, high: TIMED_OUT };
        let end = match is_late {
            Some(is_late) => fold::ite(Expr::Var(is_late), Expr::Int(TIMED_OUT), Expr::Int(0)),
            None => Expr::Int(0),
        };
        let ended = Value { depth: 2, ..Value::number(CType::INT, end.clone(), range) };
        self.act_on_condition(&condition, Condition::enter);
        if found.are_normal() {
            self.give_back(found.clone(), misuse, Wanted::Nothing, at);
            self.sleep(&condition, is_late);
            self.take(found, Wanted::Nothing);
            return Ok(if wanted == Wanted::Nothing { Value::void() } else { ended });
        }
        let refused = self.give_back(found.clone(), misuse, Wanted::New, at);
        let Ways { holds, fails } = self.branch_on(refused.clone());
        self.flow = holds;
        self.act_on_condition(&condition, Condition::leave);
        let refusal = std::mem::replace(&mut self.flow, fails);
        self.sleep(&condition, is_late);
        self.take(found, Wanted::Nothing);
        self.join_here(refusal)?;
        let refused = self.number(&refused);
        let value = fold::ite(fold::is(refused.clone(), 0), end, refused);
        Ok(Value { depth: 3, ..Value::number(CType::INT, value, range) })
    }

    fn sleep(&mut self, condition: &Option<Conditions>, is_late: Option<VarId>) {
        self.act_on_condition(condition, |condition| match is_late {
            Some(is_late) => condition.wake_up_unless(is_late),
            None => condition.wake_up(),
        });
    }
}
