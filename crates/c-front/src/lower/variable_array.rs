//! Arrays of variable length.
//!
//! Such an array has room for [`MAX_LENGTH`] elements, or for as many as its length can be, and knows its length, which
//! is computed where it is declared. If that is larger, the translation ends there.

use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold;
use crate::types::CType;
use crate::unit::{Declared, has_storage};
use crate::value::{Guard, ObjectId, Target, Value};
use lang_c::ast::{Expression, StorageClassSpecifier};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, CheckKind, Expr, Op, Place};

/// How many elements an array of variable length has at most.
const MAX_LENGTH: i128 = 64;

/// What was found out about the length of the array that is being declared.
#[derive(Debug, Default)]
pub(super) enum Length {
    /// No array of variable length can be declared here.
    #[default]
    Unexpected,
    /// One length may be variable.
    Armed,
    Found(Box<Value>),
}

impl Length {
    pub(super) fn arm(&mut self) {
        *self = Length::Armed;
    }

    pub(super) fn is_armed(&self) -> bool {
        matches!(self, Length::Armed)
    }

    pub(super) fn take(&mut self) -> Option<Value> {
        match std::mem::take(self) {
            Length::Found(value) => Some(*value),
            _ => None,
        }
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The room for an array whose length is an expression, which is computed now.
    pub(super) fn variable_length(&mut self, expression: &'a Node<Expression>) -> Lowered<u64> {
        self.variable_length = Length::Unexpected;
        let value = self.eval(expression)?;
        self.integer_kind(&value, expression.span)?;
        let value = self.convert(value, &CType::Int(crate::types::IntKind::Long), expression.span)?;
        let value = self.settle(value);
        let room = value.range.high.clamp(1, MAX_LENGTH) as u64;
        self.variable_length = Length::Found(Box::new(value));
        Ok(room)
    }

    pub(super) fn declare_variable_array(
        &mut self,
        name: &'a str,
        declared: Declared<'a>,
        ty: CType,
        length: Value,
        at: TreeSpan,
    ) -> Lowered<()> {
        let storage =
            [StorageClassSpecifier::Static, StorageClassSpecifier::Extern, StorageClassSpecifier::Typedef];
        let is_local = !storage.iter().any(|class| has_storage(declared.specifiers, class));
        let room = match &ty {
            CType::Array(element, Some(room))
                if is_local && !matches!(element.unqualified(), CType::Array(..)) =>
            {
                *room
            }
            _ => return self.refuse(at, "this use of an array of variable length"),
        };
        if declared.initializer.is_some() {
            return self.error(at, "an array of variable length has no initializer");
        }
        let number = self.number(&length);
        self.check_length(name, &number, room, at);
        let thread = self.thread.key.clone();
        let key = ObjectKey::VariableArray(thread.clone(), self.site(declared.declarator.span.start), room);
        let object = self.object(key, self.qualified(name), ty, Storage::Thread(thread), at)?;
        self.define(name, Symbol::Object(object));
        self.assume("arrays-written-before-read");
        let own = self.length_of(object, declared.declarator.span.start, at)?;
        self.facts.set_length(object, own);
        let place = self.variable(Target { object: own, offset: 0 });
        self.emit(vec![Op::assign(Place::Scalar(place), number)]);
        Ok(())
    }

    /// A length below one is an error; one for which there is no room ends the translation.
    fn check_length(&mut self, name: &str, number: &Expr, room: u64, at: TreeSpan) {
        let (span, name) = (Some(self.span(at)), self.spelled(name).to_owned());
        let guard = |kind, op, bound, message| {
            let condition = fold::binary(op, number.clone(), Expr::Int(bound));
            Guard { kind, condition, message, span }
        };
        let positive = guard(
            CheckKind::Bounds,
            BinaryOp::Ge,
            1,
            format!("the length of the array `{name}` is not positive"),
        );
        let message =
            format!("the array `{name}` has more than {room} elements, the most of a variable length");
        let small = guard(CheckKind::Limit, BinaryOp::Le, i128::from(room), message);
        self.emit_guards(vec![positive, small]);
    }

    /// Where the length of an array is kept.
    fn length_of(&mut self, array: ObjectId, position: usize, at: TreeSpan) -> Lowered<ObjectId> {
        let thread = self.thread.key.clone();
        let name = format!("{}.length", self.facts.object(array).name);
        let storage = match self.facts.is_published(array) {
            true => Storage::Global,
            false => Storage::Thread(thread.clone()),
        };
        let key = ObjectKey::ArrayLength(thread, position, storage == Storage::Global);
        let ty = CType::Atomic(CType::Int(crate::types::IntKind::Long).into());
        self.object(key, name, ty, storage, at)
    }

    /// What must hold of an array of variable length so that so many bytes at an address in it can be accessed, if it
    /// is this one.
    pub(super) fn length_guard(
        &mut self,
        object: ObjectId,
        is_this: &Expr,
        address: &Expr,
        size: u64,
        at: TreeSpan,
    ) -> Option<Guard> {
        let length = self.facts.length(object)?;
        let length = Expr::Var(self.variable(Target { object: length, offset: 0 }));
        let ty = self.facts.object(object).ty.clone();
        let stride = ty.element().and_then(|element| self.facts.records.size_of(element)).unwrap_or(1);
        let start = self.facts.address_of(object);
        let end = fold::add(fold::scale(stride as i64, length), Expr::Int(start - i128::from(size)));
        let is_inside = fold::binary(BinaryOp::Le, address.clone(), end);
        let condition = fold::or(fold::not(is_this.clone()), is_inside);
        let message = format!(
            "the index in `{}` is outside of `{}`, which has a variable length",
            self.origin.text(at),
            self.spelled(&self.facts.object(object).name)
        );
        Some(Guard { kind: CheckKind::Bounds, condition, message, span: Some(self.span(at)) })
    }

    /// The size of an array of variable length, if an expression is one.
    pub(super) fn variable_size(&mut self, expression: &'a Node<Expression>) -> Lowered<Option<Value>> {
        let Expression::Identifier(identifier) = &expression.node else { return Ok(None) };
        let Some(Symbol::Object(object)) = self.lookup(&identifier.node.name, expression.span)? else {
            return Ok(None);
        };
        let Some(length) = self.facts.length(object) else { return Ok(None) };
        let ty = self.facts.object(object).ty.clone();
        let stride = ty.element().and_then(|element| self.facts.records.size_of(element)).unwrap_or(1);
        let length = Expr::Var(self.variable(Target { object: length, offset: 0 }));
        let high = self.facts.records.size_of(&ty).unwrap_or(0);
        let range = fold::Range { low: 0, high: i128::from(high) };
        Ok(Some(Value::number(CType::SIZE, fold::scale(stride as i64, length), range)))
    }
}
