//! Threads, mutexes and condition variables.
//!
//! A mutex holds the handle of its owner, 0 if it is free. Waiting for a condition variable
//! gives the mutex back and takes it again, and may end at any time, as POSIX allows.

use super::access::Cells;
use super::assign::Wanted;
use super::branch::Ways;
use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::facts::StartArgument;
use crate::fold::{self, Range};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Address, Guard, Kind, Lvalue, Target, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::Diagnostic;
use rely_program::{BinaryOp, CheckKind, Domain, Expr, Op, Place, Sort};

/// `EBUSY`, the result of `pthread_mutex_trylock` on a mutex that is taken.
const BUSY: i128 = 16;
/// `ETIMEDOUT`.
const TIMED_OUT: i128 = 110;

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn pthread_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let arguments = call.arguments.as_slice();
        if let Some(value) = self.thread_call(name, arguments, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.mutex_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.counter_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.barrier_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if has_no_effect(name) {
            for argument in arguments {
                self.eval_and_discard(argument)?;
            }
            return Ok(Some(Value::constant(CType::INT, 0)));
        }
        if name.starts_with("pthread_") || name.starts_with("sem_") {
            return self.refuse(at, format!("`{name}`"));
        }
        Ok(None)
    }

    /// Functions that start, end and compare threads.
    fn thread_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("pthread_create", [handle, _, function, argument]) => {
                self.create(arguments, [handle, function, argument], at)?;
            }
            ("pthread_join", [handle, result]) => self.join_thread(handle, result, at)?,
            ("pthread_exit", [value]) => {
                self.exit_thread(Some(value), at)?;
                return Ok(Some(Value::void()));
            }
            ("pthread_self", []) => {
                let range = Range::of(IntKind::UnsignedLong.int_type());
                return Ok(Some(Value::number(CType::SIZE, Expr::This, range)));
            }
            ("pthread_equal", [left, right]) => {
                let (left, right) = self.operands(left, right)?;
                return self.binary(BinaryOp::Eq, left, right, at).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::constant(CType::INT, 0)))
    }

    /// Functions on mutexes, spin locks and condition variables.
    fn mutex_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("pthread_mutex_lock" | "pthread_spin_lock", [mutex]) => self.lock(mutex)?,
            ("pthread_mutex_unlock" | "pthread_spin_unlock", [mutex]) => self.release_mutex(mutex)?,
            ("pthread_mutex_trylock" | "pthread_spin_trylock", [mutex]) => {
                return self.try_lock(mutex, wanted).map(Some);
            }
            ("pthread_mutex_init" | "pthread_spin_init", [mutex, attributes]) => {
                self.eval_and_discard(attributes)?;
                self.release_mutex(mutex)?;
            }
            ("pthread_mutex_destroy" | "pthread_spin_destroy", [mutex]) => {
                self.mutex_place(mutex)?;
            }
            ("pthread_cond_wait", [condition, mutex]) => {
                self.eval_and_discard(condition)?;
                self.assume("waits-may-end-at-any-time");
                self.release_mutex(mutex)?;
                self.lock(mutex)?;
            }
            ("pthread_cond_timedwait", [condition, mutex, until]) => {
                self.eval_and_discard(condition)?;
                self.eval_and_discard(until)?;
                self.assume("waits-may-end-at-any-time");
                self.release_mutex(mutex)?;
                self.lock(mutex)?;
                return Ok(Some(self.zero_or(TIMED_OUT, wanted)));
            }
            ("pthread_mutexattr_settype", [_, kind]) => {
                let (kind, _) = self.constant_expression(kind, "the type of a mutex")?;
                match kind {
                    0 | 3 => {}
                    1 => return self.refuse(at, "a recursive mutex"),
                    _ => return self.refuse(at, "an error-checking mutex"),
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::constant(CType::INT, 0)))
    }

    /// One of two results, nobody knows which.
    fn zero_or(&mut self, other: i128, wanted: Wanted) -> Value {
        if wanted == Wanted::Nothing {
            return Value::void();
        }
        let result = self.temporary(Sort::Bool);
        self.emit(vec![Op::Havoc(Place::Scalar(result), Domain::Bool)]);
        let value = fold::ite(Expr::Var(result), Expr::Int(other), Expr::Int(0));
        Value { depth: 2, ..Value::number(CType::INT, value, Range { low: 0, high: other }) }
    }

    fn create(
        &mut self,
        arguments: &'a [Node<Expression>],
        [handle, function, argument]: [&'a Node<Expression>; 3],
        at: TreeSpan,
    ) -> Lowered<()> {
        let values = self.arguments(arguments)?;
        // The start of the thread is one step, so all that could go wrong before is checked now.
        let settled: Vec<Value> = values
            .into_iter()
            .map(|value| {
                let mut value = self.settle_shared(value);
                self.emit_guards(std::mem::take(&mut value.guards));
                value
            })
            .collect();
        let Ok([handle_value, _, function_value, argument_value]) = <[Value; 4]>::try_from(settled) else {
            return self.error(at, "`pthread_create` takes four arguments");
        };
        let argument_value = self.convert(argument_value, &CType::pointer_to(CType::Void), argument.span)?;
        let started: Vec<(&'a str, Expr)> = match &function_value.kind {
            Kind::Pointer(known) => {
                let name = self.function_name(known.object);
                name.map(|name| vec![(name, Expr::Bool(true))]).unwrap_or_default()
            }
            _ => self.possible_functions(&function_value),
        };
        if started.is_empty() && function_value.targets.is_empty() && self.is_static(&function_value) {
            return self.error(function.span, "this is not a function that a thread can run");
        }
        let place = self.place_behind(handle_value, CType::Opaque(Opaque::Thread));
        let argument_targets = self.pointed_to(&argument_value);
        let is_alive = !self.flow.is_dead();
        if is_alive {
            self.facts.publish(&argument_targets);
            self.assume("allocation-and-creation-succeed");
            self.assume("sequential-consistency");
        }
        let started_by: Vec<Expr> = started.iter().map(|(_, condition)| condition.clone()).collect();
        let mut choices = Vec::new();
        for (name, condition) in started {
            choices.extend(self.spawn(name, condition, (&place, handle.span), &argument_value, at)?);
        }
        if !matches!(function_value.kind, Kind::Pointer(_)) {
            let none = started_by
                .into_iter()
                .fold(Expr::Bool(true), |none, is_this| fold::and(none, fold::not(is_this)));
            let what = "no function is started by";
            let guard = self.guard(CheckKind::Bounds, Expr::Bool(false), what, at);
            choices.push([Op::wait(none)].into_iter().chain(self.guard_ops(vec![guard])).collect());
        }
        if is_alive {
            self.emit_choice(choices);
        }
        Ok(())
    }

    /// The functions that a computed pointer may mean, and when it does.
    fn possible_functions(&mut self, pointer: &Value) -> Vec<(&'a str, Expr)> {
        let code = self.number(pointer);
        let mut functions = Vec::new();
        for target in &pointer.targets {
            if let Some(name) = self.function_name(target.object) {
                let address = Expr::Int(self.facts.address_of(target.object));
                functions.push((name, fold::binary(BinaryOp::Eq, code.clone(), address)));
            }
        }
        functions
    }

    /// The steps that start a thread and store its handle, one for each place it may go to.
    fn spawn(
        &mut self,
        name: &'a str,
        condition: Expr,
        (handle, handle_span): (&Lvalue, TreeSpan),
        argument: &Value,
        at: TreeSpan,
    ) -> Lowered<Vec<Vec<Op>>> {
        if self.flow.is_dead() {
            return Ok(Vec::new());
        }
        let thread = self.started_thread(name, at)?;
        self.facts.start(name, start_argument(argument));
        let arguments = self.start_arguments(name, argument)?;
        let is_this = (condition != Expr::Bool(true)).then(|| Op::wait(condition));
        if matches!(&handle.address, Address::Computed(Expr::Int(0), _)) {
            let start = Op::Spawn { thread, arguments, handle: None };
            return Ok(vec![is_this.into_iter().chain([start]).collect()]);
        }
        let function = self.function_object(name, at)?;
        let found = self.cells(handle, handle_span)?;
        self.note_stored(&found, &vec![Target { object: function, offset: 0 }]);
        let mut choices = Vec::new();
        for cell in &found.cells {
            let mut ops = self.guard_ops(found.guards.clone());
            ops.extend(is_this.clone());
            if cell.condition != Expr::Bool(true) {
                ops.push(Op::wait(cell.condition.clone()));
            }
            let handle = Some(cell.place.clone());
            ops.push(Op::Spawn { thread, arguments: arguments.clone(), handle });
            choices.push(ops);
        }
        if found.valid.condition != Expr::Bool(true) {
            choices.push(self.invalid_access(&found));
        }
        Ok(choices)
    }

    fn join_thread(
        &mut self,
        handle: &'a Node<Expression>,
        result: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let (joined, result_place) = self.operands(handle, result)?;
        let joined = self.settle_shared(joined);
        let result_place = self.settle_shared(result_place);
        let number = self.number(&joined);
        let is_thread = fold::binary(BinaryOp::Ne, number.clone(), Expr::Int(0));
        let message = format!("`{}` joins no thread", self.origin.text(at));
        let guard =
            Guard { kind: CheckKind::Bounds, condition: is_thread, message, span: Some(self.span(at)) };
        let mut ops = self.guard_ops(joined.guards.clone());
        ops.extend(self.guard_ops(vec![guard]));
        ops.push(Op::Join(number));
        self.emit(ops);
        // Who does not want the result says so by a null pointer, which need not be a constant.
        let Ways { holds: is_wanted, fails: is_not } = self.branch_on(result_place.clone());
        self.flow = is_wanted;
        if !self.flow.is_dead() {
            self.store_result(&joined, result_place, result.span, at)?;
        }
        self.join_here(is_not)
    }

    /// Stores what a joined thread has returned behind a pointer.
    fn store_result(&mut self, joined: &Value, pointer: Value, span: TreeSpan, at: TreeSpan) -> Lowered<()> {
        let place = self.place_behind(pointer, CType::pointer_to(CType::Void));
        let places = self.cells(&place, span)?.cells;
        let mut is_read = false;
        for cell in &places {
            is_read |= self.facts.receives_result(cell.target);
        }
        if !is_read && !places.is_empty() {
            return Ok(());
        }
        let value = self.thread_result(joined, at)?;
        let value = self.convert(value, &place.ty, at)?;
        self.write(&place, value, span)
    }

    /// What the joined thread has returned.
    fn thread_result(&mut self, joined: &Value, at: TreeSpan) -> Lowered<Value> {
        let functions: Vec<&'a str> =
            joined.targets.iter().filter_map(|target| self.function_name(target.object)).collect();
        let pointer = CType::pointer_to(CType::Void);
        let [function] = functions.as_slice() else {
            let message = "the result of a thread that is one of several is not supported";
            let error = Diagnostic::error(message).at(self.span(at), "here");
            if !functions.is_empty() {
                self.obligations.push(Obligation::Never(error));
            }
            return Ok(Value::constant(pointer, 0));
        };
        let object = self.thread_result_object(function, at)?;
        self.facts.want_result(function);
        let message = format!(
            "the result of `{}`, which may run several times, is not supported",
            self.spelled(function)
        );
        let error = Diagnostic::error(message).at(self.span(at), "here");
        self.obligations.push(Obligation::Once((*function).to_owned(), error));
        let place = self.object_lvalue(object);
        let value = self.read(place, at)?;
        Ok(self.settle_shared(value))
    }

    /// The place of a mutex.
    fn mutex_place(&mut self, mutex: &'a Node<Expression>) -> Lowered<Lvalue> {
        let pointer = self.eval(mutex)?;
        self.dereference(pointer, mutex, mutex.span)
    }

    fn mutex_cells(&mut self, mutex: &'a Node<Expression>) -> Lowered<Cells> {
        let place = self.mutex_place(mutex)?;
        let place = Lvalue { ty: CType::Opaque(Opaque::Mutex), ..place };
        self.cells(&place, mutex.span)
    }

    fn lock(&mut self, mutex: &'a Node<Expression>) -> Lowered<()> {
        let found = self.mutex_cells(mutex)?;
        self.act_on(found, &[], |cell| {
            let is_free = fold::binary(BinaryOp::Eq, cell.place.read(), Expr::Int(0));
            vec![Op::wait(is_free), Op::assign(cell.place.clone(), Expr::This)]
        });
        Ok(())
    }

    fn release_mutex(&mut self, mutex: &'a Node<Expression>) -> Lowered<()> {
        let found = self.mutex_cells(mutex)?;
        self.act_on(found, &[], |cell| vec![Op::assign(cell.place.clone(), Expr::Int(0))]);
        Ok(())
    }

    fn try_lock(&mut self, mutex: &'a Node<Expression>, wanted: Wanted) -> Lowered<Value> {
        let found = self.mutex_cells(mutex)?;
        let result = (wanted != Wanted::Nothing).then(|| self.temporary(Sort::Int));
        self.act_on(found, &[], |cell| {
            let owner = cell.place.read();
            let is_free = fold::binary(BinaryOp::Eq, owner.clone(), Expr::Int(0));
            let taken = fold::ite(is_free.clone(), Expr::This, owner);
            let mut changes = vec![(cell.place.clone(), taken)];
            if let Some(result) = result {
                changes.push((Place::Scalar(result), fold::ite(is_free, Expr::Int(0), Expr::Int(BUSY))));
            }
            vec![Op::Assign(changes)]
        });
        Ok(match result {
            Some(result) => {
                let range = Range { low: 0, high: BUSY };
                Value::number(CType::INT, Expr::Var(result), range)
            }
            None => Value::void(),
        })
    }
}

/// What is known of the argument of a start.
fn start_argument(argument: &Value) -> StartArgument {
    match (&argument.kind, argument.as_constant()) {
        (_, Some(number)) if argument.targets.is_empty() => StartArgument::Number(number),
        (Kind::Pointer(known), _) if known.dynamic.is_empty() => {
            StartArgument::Address(known.object, known.offset)
        }
        _ => StartArgument::Various,
    }
}

/// Functions that succeed and do nothing that a program could notice.
fn has_no_effect(name: &str) -> bool {
    matches!(
        name,
        "pthread_cond_init"
            | "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "pthread_cond_destroy"
            | "pthread_condattr_init"
            | "pthread_condattr_destroy"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_attr_setdetachstate"
            | "pthread_attr_setstacksize"
            | "pthread_attr_setscope"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_mutexattr_setpshared"
            | "pthread_rwlockattr_init"
            | "pthread_rwlockattr_destroy"
            | "pthread_rwlockattr_setpshared"
            | "pthread_barrierattr_init"
            | "pthread_barrierattr_destroy"
            | "pthread_barrierattr_setpshared"
            | "pthread_detach"
            | "pthread_setconcurrency"
    )
}
