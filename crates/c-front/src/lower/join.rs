//! Joining and detaching threads.
//!
//! A handle carries along which function its thread may run, as a pointer carries along what it may
//! point to; so the result of the thread is found, and what is no handle at all is found out.
//!
//! A thread is joined or detached once. If there may be a second time, a variable knows whether the
//! first one has been, provided that the function is started once and its handle is never mixed
//! up with others. Otherwise that is assumed.

use super::branch::Ways;
use super::threads::{Finished, Obligation};
use super::{Lowered, Lowering};
use crate::facts::{Facts, ObjectKey, Rejoined, Storage};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Target, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::Diagnostic;
use rely_program::{BinaryOp, Expr, LocationId, Op, Place};

/// A place where a thread is joined, detached, or starts as one that is.
#[derive(Debug)]
pub(super) struct Parting {
    functions: Vec<String>,
    /// Where this happens, and in which thread.
    location: LocationId,
    thread: String,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// `pthread_self()`.
    pub(super) fn own_handle(&mut self, at: TreeSpan) -> Lowered<Value> {
        let name = self.thread.key.clone();
        let function = self.function_object(&name, at)?;
        let range = Range::of(IntKind::UnsignedLong.int_type());
        let value = Value::number(CType::SIZE, Expr::This, range);
        Ok(Value { targets: vec![Target { object: function, offset: 0 }], ..value })
    }

    /// The functions that the thread with this handle may run.
    fn functions_of(&self, handle: &Value) -> Vec<&'a str> {
        handle.targets.iter().filter_map(|target| self.function_name(target.object)).collect()
    }

    /// Whether a number may be the handle of a thread.
    pub(super) fn may_be_handle(&self, value: &Value) -> bool {
        !value.ty.is_pointer() && !self.functions_of(value).is_empty()
    }

    /// Notes that something is computed from a handle: what comes out depends on the library.
    pub(super) fn note_computed_handle(&mut self, value: &Value) {
        if self.may_be_handle(value) {
            self.assume("thread-handles-are-opaque");
        }
    }

    /// Notes that an operator is applied to handles, unless it compares them, or one with zero.
    pub(super) fn note_computed_handles(&mut self, op: BinaryOp, left: &Value, right: &Value) {
        let is_comparable = |value: &Value| value.as_constant() == Some(0) || self.may_be_handle(value);
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if !(is_equality && is_comparable(left) && is_comparable(right)) {
            self.note_computed_handle(left);
            self.note_computed_handle(right);
        }
    }

    /// Notes that a number which is no handle takes the place of one.
    pub(super) fn note_stored_handle(&mut self, value: &Value) {
        if value.as_constant() != Some(0) && self.functions_of(value).is_empty() {
            self.assume("thread-handles-are-opaque");
        }
    }

    /// `pthread_detach`.
    pub(super) fn detach(&mut self, handle: &'a Node<Expression>, at: TreeSpan) -> Lowered<()> {
        let handle = self.eval(handle)?;
        let handle = self.settle_shared(handle);
        let ops = self.part_with(&handle, "detaches", at)?;
        self.with_atomicity(Some(true), |lowering| lowering.emit(ops));
        Ok(())
    }

    /// `pthread_join`.
    pub(super) fn join_thread(
        &mut self,
        handle: &'a Node<Expression>,
        result: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let (joined, result_place) = self.operands(handle, result)?;
        let joined = self.settle_shared(joined);
        let result_place = self.settle_shared(result_place);
        let mut ops = self.part_with(&joined, "joins", at)?;
        let number = self.number(&joined);
        if self.functions_of(&joined).contains(&&*self.thread.key) {
            let check = self.misuse("joins the thread itself", at);
            ops.push(Op::Check(fold::binary(BinaryOp::Ne, number.clone(), Expr::This), check));
        }
        ops.push(Op::Join(number));
        self.with_atomicity(Some(true), |lowering| lowering.emit(ops));
        // Who does not want the result says so by a null pointer, which need not be a constant.
        let Ways { holds: is_wanted, fails: is_not } = self.branch_on(result_place.clone());
        self.flow = is_wanted;
        if !self.flow.is_dead() {
            self.store_result(&joined, result_place, result.span, at)?;
        }
        self.join_here(is_not)
    }

    /// What is checked, and noted, when a thread is joined or detached.
    fn part_with(&mut self, handle: &Value, verb: &str, at: TreeSpan) -> Lowered<Vec<Op>> {
        let number = self.number(handle);
        let functions = self.functions_of(handle);
        let is_thread = match functions.is_empty() {
            true => Expr::Bool(false),
            false => fold::binary(BinaryOp::Ne, number, Expr::Int(0)),
        };
        let mut ops = self.guard_ops(handle.guards.clone());
        let check = self.misuse(&format!("{verb} no thread"), at);
        ops.push(Op::Check(is_thread, check));
        ops.extend(self.note_parting(&functions, verb, at)?);
        Ok(ops)
    }

    fn note_parting(&mut self, functions: &[&'a str], verb: &str, at: TreeSpan) -> Lowered<Vec<Op>> {
        let mut ops = Vec::new();
        if self.is_silent {
            return Ok(ops);
        }
        let Some(location) = self.here() else { return Ok(ops) };
        let thread = self.thread.key.to_string();
        let names = functions.iter().map(|&name| name.to_owned()).collect();
        self.partings.push(Parting { functions: names, location, thread });
        for function in functions {
            match self.facts.rejoined(function) {
                None => {}
                Some(Rejoined::Unknown) => self.assume("threads-are-joined-once"),
                Some(Rejoined::Known) => {
                    let gone = self.gone(function, at)?;
                    let check =
                        self.misuse(&format!("{verb} a thread that was joined or detached before"), at);
                    ops.push(Op::Check(fold::not(gone.read()), check));
                    ops.push(Op::assign(gone, Expr::Bool(true)));
                }
            }
        }
        Ok(ops)
    }

    /// Where it is noted that the only thread of a function was joined or detached.
    fn gone(&mut self, function: &str, at: TreeSpan) -> Lowered<Place> {
        let key = ObjectKey::ThreadGone(function.to_owned());
        let name = format!("{}.gone", self.spelled(function));
        let object = self.object(key, name, CType::Int(IntKind::Bool), Storage::Global, at)?;
        Ok(Place::Scalar(self.variable(Target { object, offset: 0 })))
    }

    /// What happens in the step that starts a thread with these attributes: it may start detached.
    pub(super) fn start_detached(
        &mut self,
        function: &'a str,
        detached: &Expr,
        at: TreeSpan,
    ) -> Lowered<Vec<Op>> {
        if *detached == Expr::Int(0) {
            return Ok(Vec::new());
        }
        let Some(location) = self.here() else { return Ok(Vec::new()) };
        let thread = self.thread.key.to_string();
        self.partings.push(Parting { functions: vec![function.to_owned()], location, thread });
        Ok(match self.facts.rejoined(function) {
            Some(Rejoined::Known) => {
                let gone = self.gone(function, at)?;
                let is_detached = fold::binary(BinaryOp::Ne, detached.clone(), Expr::Int(0));
                vec![Op::assign(gone, is_detached)]
            }
            _ => Vec::new(),
        })
    }

    /// `pthread_attr_setdetachstate`.
    pub(super) fn set_detached(
        &mut self,
        attributes: &'a Node<Expression>,
        state: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let (state, _) = self.constant_expression(state, "whether a thread starts detached")?;
        match state {
            0 | 1 => self.set_attribute(attributes, Opaque::ThreadAttributes, Expr::Int(state)),
            _ => self.refuse(at, "a thread that starts neither joinable nor detached"),
        }
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
            // What is stored does not matter, only that it is.
            let is_seen = places.iter().any(|cell| self.facts.is_shared(cell.target.object));
            return match is_seen {
                true => self.write(&place, Value::constant(place.ty.clone(), 0), span),
                false => Ok(()),
            };
        }
        let value = self.thread_result(joined, at)?;
        let value = self.convert(value, &place.ty, at)?;
        self.write(&place, value, span)
    }

    /// What the joined thread has returned.
    fn thread_result(&mut self, joined: &Value, at: TreeSpan) -> Lowered<Value> {
        let functions = self.functions_of(joined);
        let pointer = CType::pointer_to(CType::Void);
        let [function] = functions.as_slice() else {
            let message = "the result of a thread that is one of several is not supported";
            let error = Diagnostic::error(message).at(self.span(at), "here");
            // What is no handle has been found out before.
            if !functions.is_empty() {
                self.obligations.push(Obligation::Never(error));
            }
            return Ok(Value::constant(pointer, 0));
        };
        let object = self.thread_result_object(function, at)?;
        self.facts.want_result(function);
        self.joined_results.insert((*function).to_owned());
        if self.facts.is_result_blurred(function) {
            let targets = self.facts.targets_of(Target { object, offset: 0 });
            let construct =
                format!("the result of one of several threads that run `{}`", self.spelled(function));
            return Ok(Value { targets, ..self.approximate(&pointer, &construct, at) });
        }
        let place = self.object_lvalue(object);
        let value = self.read(place, at)?;
        Ok(self.settle_shared(value))
    }
}

impl Finished {
    /// Notes for the next round which threads may be joined, or detached, more than once.
    pub(super) fn note_partings(&self, facts: &mut Facts) {
        let mut functions: Vec<&String> =
            self.partings.iter().flat_map(|parting| &parting.functions).collect();
        functions.sort_unstable();
        functions.dedup();
        for function in functions {
            let of_function = || self.partings.iter().filter(|parting| parting.functions.contains(function));
            let is_single = of_function().count() == 1
                && of_function()
                    .all(|place| !self.is_in_loop(place.location) && self.runs_once(&place.thread));
            if is_single {
                continue;
            }
            let is_alone = of_function().all(|parting| parting.functions.len() == 1);
            let how = if is_alone && self.runs_once(function) { Rejoined::Known } else { Rejoined::Unknown };
            facts.rejoin(function, how);
        }
    }
}
