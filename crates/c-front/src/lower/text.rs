//! Functions of the C library about numbers and texts.

use super::assign::Wanted;
use super::impact::plain_name;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Address, Guard, Value};
use lang_c::ast::{BinaryOperator, CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
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

    /// The number in a text of the command line: any number.
    pub(super) fn number_in_text(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let (text, others) = match call.arguments.split_first() {
            Some(parts) => parts,
            None => return self.error(at, format!("`{name}` has no argument")),
        };
        if others.get(1).is_some() {
            // The base of the numbers.
            self.evaluate_for_effect(&others[1..])?;
        }
        let is_plain = others
            .iter()
            .take(1)
            .all(|end| matches!(self.type_of(end), Ok(value) if value.as_constant() == Some(0)));
        if !is_plain || !self.is_of_command_line(text)? {
            return self.refuse(at, format!("`{name}` of a string that is not from the command line"));
        }
        let kind = match name {
            "atoi" => IntKind::Int,
            "strtoul" | "strtoull" => IntKind::UnsignedLong,
            _ => IntKind::Long,
        };
        Ok(self.any_value(kind, wanted))
    }

    /// Whether an expression is `argv[...]`.
    fn is_of_command_line(&mut self, text: &'a Node<Expression>) -> Lowered<bool> {
        let Expression::BinaryOperator(element) = &text.node else { return Ok(false) };
        let (array, index) = (&element.node.lhs, &element.node.rhs);
        let Some(name) = plain_name(array).filter(|_| element.node.operator.node == BinaryOperator::Index)
        else {
            return Ok(false);
        };
        let is_known = matches!(self.lookup(name, array.span)?, Some(Symbol::CommandLine));
        Ok(is_known && self.is_quiet(index)?)
    }
}
