//! Functions of the thread library: which of them do what, and how threads are started.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::facts::StartArgument;
use crate::fold;
use crate::library::library_effect;
use crate::types::{CType, Opaque};
use crate::value::{Address, Kind, Lvalue, Target, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, CheckKind, Expr, Op};

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
        if let Some(value) = self.specific_call(name, arguments, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.mutex_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.condition_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.counter_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.barrier_call(name, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.cleanup_call(name, arguments)? {
            return Ok(Some(value));
        }
        if has_no_effect(name) {
            for argument in arguments {
                self.eval_and_discard(argument)?;
            }
            return Ok(Some(Value::constant(CType::INT, 0)));
        }
        if library_effect(name).is_none() && (name.starts_with("pthread_") || name.starts_with("sem_")) {
            return self.refuse(at, format!("`{name}`"));
        }
        Ok(None)
    }

    /// What `pthread_cleanup_push` and `pthread_cleanup_pop` consist of in the GNU C library. No thread is cancelled, and
    /// `pthread_exit` between the two is refused, so the handler runs only where `pthread_cleanup_pop` calls it.
    fn cleanup_call(&mut self, name: &str, arguments: &'a [Node<Expression>]) -> Lowered<Option<Value>> {
        let value = match name {
            "__sigsetjmp_cancel" => Value::constant(CType::INT, 0),
            "__pthread_register_cancel" | "__pthread_register_cancel_defer" => {
                self.thread.cleanups += usize::from(!self.is_silent);
                Value::void()
            }
            "__pthread_unregister_cancel" | "__pthread_unregister_cancel_restore" => {
                self.thread.cleanups = self.thread.cleanups.saturating_sub(usize::from(!self.is_silent));
                Value::void()
            }
            "__pthread_unwind_next" => {
                self.end_here();
                return Ok(Some(Value::void()));
            }
            _ => return Ok(None),
        };
        for argument in arguments {
            self.eval_and_discard(argument)?;
        }
        Ok(Some(value))
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
            ("pthread_exit", [_]) if self.thread.cleanups > 0 => {
                return self
                    .refuse(at, "`pthread_exit` between `pthread_cleanup_push` and `pthread_cleanup_pop`");
            }
            ("pthread_exit", [value]) => {
                self.exit_thread(Some(value), at)?;
                return Ok(Some(Value::void()));
            }
            ("pthread_detach", [handle]) => self.detach(handle, at)?,
            ("pthread_attr_init", [attributes]) => {
                self.set_attribute(attributes, Opaque::ThreadAttributes, Expr::Int(0))?;
            }
            ("pthread_attr_setdetachstate", [attributes, state]) => {
                self.set_detached(attributes, state, at)?;
            }
            ("pthread_self", []) => return self.own_handle(at).map(Some),
            ("pthread_equal", [left, right]) => {
                let (left, right) = self.operands(left, right)?;
                return self.binary(BinaryOp::Eq, left, right, at).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::constant(CType::INT, 0)))
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
        let Ok([handle_value, attributes, function_value, argument_value]) = <[Value; 4]>::try_from(settled)
        else {
            return self.error(at, "`pthread_create` takes four arguments");
        };
        let argument_value = self.convert(argument_value, &CType::pointer_to(CType::Void), argument.span)?;
        let detached = self.attribute_behind(attributes, at, Opaque::ThreadAttributes)?;
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
        self.hand_to_thread(&argument_value);
        let started_by: Vec<Expr> = started.iter().map(|(_, condition)| condition.clone()).collect();
        let mut choices = Vec::new();
        for (name, condition) in started {
            let starts = self.spawn(name, condition, (&place, handle.span), &argument_value, at)?;
            let parting = self.start_detached(name, &detached, at)?;
            choices.extend(starts.into_iter().map(|start| [start, parting.clone()].concat()));
        }
        if !matches!(function_value.kind, Kind::Pointer(_)) {
            let none = started_by
                .into_iter()
                .fold(Expr::Bool(true), |none, is_this| fold::and(none, fold::not(is_this)));
            let what = "no function is started by";
            let guard = self.guard(CheckKind::Bounds, Expr::Bool(false), what, at);
            choices.push([Op::wait(none)].into_iter().chain(self.guard_ops(vec![guard])).collect());
        }
        if !self.flow.is_dead() {
            self.with_atomicity(Some(true), |lowering| lowering.emit_choice(choices));
        }
        Ok(())
    }

    /// Notes that a thread is started with this argument.
    fn hand_to_thread(&mut self, argument: &Value) {
        let targets = self.pointed_to(argument);
        if !self.flow.is_dead() {
            self.facts.publish(&targets);
            self.assume_alive(&targets);
            self.assume("allocation-and-creation-succeed");
            self.assume("sequential-consistency");
        }
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
        if found.cells.iter().any(|cell| cell.bytes.is_some()) {
            return self.refuse(handle_span, "a handle of a thread whose bytes are looked at");
        }
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
            | "pthread_cond_destroy"
            | "pthread_condattr_init"
            | "pthread_condattr_destroy"
            | "pthread_attr_destroy"
            | "pthread_attr_setstacksize"
            | "pthread_attr_setscope"
            | "pthread_mutexattr_destroy"
            | "pthread_mutexattr_setpshared"
            | "pthread_rwlockattr_init"
            | "pthread_rwlockattr_destroy"
            | "pthread_rwlockattr_setpshared"
            | "pthread_barrierattr_init"
            | "pthread_barrierattr_destroy"
            | "pthread_barrierattr_setpshared"
            | "pthread_setconcurrency"
    )
}
