//! Functions of the C library about numbers and texts.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::library::exact_name;
use crate::types::{CType, IntKind};
use crate::value::{Address, Guard, Target, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, Expr, UnaryOp};

impl<'a, 'f> Lowering<'a, 'f> {
    /// `abs` and its relatives, each for numbers of its own type.
    pub(super) fn absolute_value(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [argument] = call.arguments.as_slice() else {
            return self.error(at, format!("`{name}` takes one argument"));
        };
        let kind = match name.trim_start_matches("__builtin_") {
            "abs" => IntKind::Int,
            "llabs" => IntKind::LongLong,
            _ => IntKind::Long,
        };
        let value = self.eval(argument)?;
        let value = self.convert(value, &CType::Int(kind), argument.span)?;
        let value = self.settle(value);
        let negated = self.unary(Some(UnaryOp::Neg), value.clone(), at)?;
        let number = self.number(&value);
        let is_negative = fold::binary(BinaryOp::Lt, number.clone(), Expr::Int(0));
        let guards = negated
            .guards
            .iter()
            .map(|guard| Guard {
                condition: fold::binary(BinaryOp::Implies, is_negative.clone(), guard.condition.clone()),
                ..guard.clone()
            })
            .collect();
        let chosen = fold::ite(is_negative, self.number(&negated), number);
        let range = Range { low: 0, high: negated.range.high.max(value.range.high) };
        Ok(Value { guards, depth: 4, ..Value::number(value.ty, chosen, range) })
    }

    /// `strcpy` of a text that stands in the program, one character after the other.
    pub(super) fn copy_text(&mut self, name: &str, call: &'a CallExpression, at: TreeSpan) -> Lowered<Value> {
        let [to, from] = call.arguments.as_slice() else {
            return self.error(at, format!("`{name}` takes two arguments"));
        };
        let Expression::StringLiteral(text) = &from.node else {
            return self.refuse(at, format!("`{name}` of a string that is not a literal"));
        };
        let literal = self.string(&text.node, from.span)?;
        let (Address::Known(known), CType::Array(_, Some(length))) = (literal.address, literal.ty) else {
            return Ok(Value::void());
        };
        let character = CType::Int(IntKind::Char);
        let pointer = self.eval(to)?;
        let pointer = self.convert(pointer, &CType::pointer_to(character.clone()), to.span)?;
        let pointer = self.snapshot(pointer);
        let image = self.facts.image(known.object).cloned().unwrap_or_default();
        for offset in 0..length {
            let byte = image.get(offset, IntKind::Char);
            let index = Value::constant(CType::INT, i128::from(offset));
            let place = self.binary(BinaryOp::Add, pointer.clone(), index, at)?;
            let place = self.dereference(place, to, at)?;
            self.write(&place, Value::constant(character.clone(), byte), at)?;
        }
        Ok(pointer)
    }

    /// Whether the text that is copied stands in the program.
    pub(super) fn is_text_copied(&self, call: &CallExpression) -> bool {
        matches!(call.arguments.get(1).map(|from| &from.node), Some(Expression::StringLiteral(_)))
    }

    /// A call of a function of the library that is written in C, if the memory that it looks at is followed.
    pub(super) fn exact_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let Some((&exact, &function)) = self.unit.functions.get_key_value(exact_name(name).as_str()) else {
            return Ok(None);
        };
        for argument in &call.arguments {
            let value = self.type_of(argument)?;
            let targets = self.pointed_to(&value);
            let is_vague =
                |target: &Target| self.facts.is_outside(target.object) || self.facts.is_blurred(*target);
            if value.ty.is_pointer() && (targets.is_empty() || targets.iter().any(is_vague)) {
                return Ok(None);
            }
        }
        self.inlined_call(exact, function, call, wanted, at).map(Some)
    }
}
