//! Functions that take any number of arguments.
//!
//! Calls are inlined, so the arguments behind the named ones are known: a `va_list` is the number of those that were
//! taken. If several functions around the walk take any number, it is not known to which a `va_list` belongs, and
//! what it yields is not known either.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Guard, Kind, Value, merge_targets};
use lang_c::ast::{CallExpression, VaArgExpression};
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, CheckKind, Expr};

impl<'a, 'f> Lowering<'a, 'f> {
    /// `va_start`, `va_copy` and `va_end`.
    pub(super) fn variadic_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let Some(list) = call.arguments.first() else {
            return self.error(at, format!("`{name}` needs a `va_list`"));
        };
        let value = match (name, call.arguments.get(1)) {
            ("__builtin_va_start", _) => Value::constant(CType::pointer_to(CType::Void), 0),
            ("__builtin_va_copy", Some(from)) => self.eval(from)?,
            _ => return Ok(Value::void()),
        };
        let place = self.lvalue(list)?;
        self.assign_value(place, value, Wanted::Nothing, at, at)?;
        Ok(Value::void())
    }

    /// `va_arg`: the next of the arguments.
    pub(super) fn next_argument(&mut self, argument: &'a VaArgExpression, at: TreeSpan) -> Lowered<Value> {
        let ty = self.type_name(&argument.type_name.node, at)?;
        let place = self.lvalue(&argument.va_list)?;
        let taken = self.read(place.clone(), at)?;
        let taken = self.snapshot(taken);
        let number = self.number(&taken);
        let range = Range::of(IntKind::UnsignedLong.int_type());
        let next = Value::number(taken.ty, fold::add(number.clone(), Expr::Int(1)), range);
        self.assign_value(place, next, Wanted::Nothing, at, at)?;
        let mut lists = self.frames.iter().filter_map(|frame| frame.extra.as_ref());
        let (list, is_only) = (lists.next().cloned(), lists.next().is_none());
        let is_known = list.is_some() && is_only;
        let arguments = list.unwrap_or_default();
        if ty.is_float() {
            return Ok(Value::floating(ty, None));
        }
        let fits = |value: &Value| {
            let is_scalar = matches!(value.kind, Kind::Number(_) | Kind::Truth(_) | Kind::Pointer(_));
            is_scalar && value.ty.is_pointer() == ty.is_pointer() && !value.ty.is_float()
        };
        if ty.scalar().is_none() {
            return self.refuse(at, "a structure among variable arguments");
        }
        if !is_known || !arguments.is_empty() && !arguments.iter().any(fits) {
            let all = arguments.iter().map(|value| self.pointed_to(value));
            let targets = all.fold(Vec::new(), |all, more| merge_targets(&all, &more));
            return Ok(Value { targets, ..self.approximate(&ty, "`va_arg`", at) });
        }
        self.chosen_argument(&arguments, &number, &ty, at)
    }

    /// The argument with a computed number.
    fn chosen_argument(
        &mut self,
        arguments: &[Value],
        number: &Expr,
        ty: &CType,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let mut chosen = Expr::Int(0);
        let mut targets = Vec::new();
        for (index, argument) in arguments.iter().enumerate().rev() {
            let is_this = fold::binary(BinaryOp::Eq, number.clone(), Expr::Int(index as i128));
            let value = match (argument.ty.is_float(), &argument.kind) {
                (false, Kind::Number(_) | Kind::Truth(_) | Kind::Pointer(_)) => {
                    self.convert(argument.clone(), ty, at)?
                }
                _ => self.approximate(ty, "`va_arg` of another type", at),
            };
            targets = merge_targets(&targets, &self.pointed_to(&value));
            chosen = fold::ite(is_this, self.number(&value), chosen);
        }
        let count = arguments.len() as i128;
        let condition = fold::binary(BinaryOp::Lt, number.clone(), Expr::Int(count));
        let message = format!("`{}` takes more arguments than there are", self.origin.text(at));
        let span = Some(self.span(at));
        let guards = vec![Guard { kind: CheckKind::Bounds, condition, message, span }];
        let kind = ty.scalar().unwrap_or(IntKind::Int);
        if kind == IntKind::Bool {
            return self.refuse(at, "a `_Bool` among variable arguments");
        }
        let value = Value::number(ty.clone(), chosen, Range::of(kind.int_type()));
        Ok(Value { guards, targets, depth: 8, ..value })
    }
}
