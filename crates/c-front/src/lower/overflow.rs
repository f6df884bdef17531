//! Arithmetic of gcc that tells whether the exact result fits: `__builtin_add_overflow` and its relatives.

use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::Value;
use lang_c::ast::CallExpression;
use lang_c::span::Span as TreeSpan;
use rely_program::BinaryOp;

/// The operation, and the type of operands and result if the name says it, as in `__builtin_umull_overflow`.
fn meaning(name: &str) -> Option<(BinaryOp, Option<IntKind>)> {
    let typed = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    let operation = |name: &str| match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(op) = operation(typed) {
        return Some((op, None));
    }
    let (is_signed, rest) = match (typed.strip_prefix('s'), typed.strip_prefix('u')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let (name, size) = (rest.trim_end_matches('l'), rest);
    // `mul` ends with the letter that says `long`, too.
    let name = if name == "mu" { "mul" } else { name };
    let kind = match size.len().checked_sub(name.len())? {
        0 => IntKind::Int,
        1 => IntKind::Long,
        _ => IntKind::LongLong,
    };
    Some((operation(name)?, Some(if is_signed { kind } else { kind.unsigned() })))
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The wrapped result goes where the last argument points to; the value is whether it differs from the exact one.
    pub(super) fn overflow_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let (Some((op, kind)), [left, right, result]) = (meaning(name), call.arguments.as_slice()) else {
            return Ok(None);
        };
        let mut operands = Vec::new();
        for argument in [left, right] {
            let value = self.eval(argument)?;
            self.integer_kind(&value, argument.span)?;
            let value = match kind {
                Some(kind) => self.convert(value, &CType::Int(kind), argument.span)?,
                None => value,
            };
            operands.push(self.snapshot(value));
        }
        let pointer = self.eval(result)?;
        let pointer = self.snapshot(pointer);
        let place = self.dereference(pointer, result, at)?;
        let CType::Int(target) = *place.ty.unqualified() else {
            return self.refuse(at, format!("`{name}` with a result of this type"));
        };
        let exact = fold::binary(op, self.number(&operands[0]), self.number(&operands[1]));
        let int_type = target.int_type();
        let wrapped = fold::wrap(int_type, exact.clone());
        let differs = fold::binary(BinaryOp::Ne, exact, wrapped.clone());
        let differs = self.snapshot(Value::truth(CType::Int(IntKind::Bool), differs));
        let number = Value { depth: 4, ..Value::number(place.ty.clone(), wrapped, Range::of(int_type)) };
        self.assign_value(place, number, Wanted::Nothing, at, at)?;
        Ok(Some(differs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_operation_and_type() {
        let cases = [
            ("__builtin_add_overflow", Some((BinaryOp::Add, None))),
            ("__builtin_mul_overflow", Some((BinaryOp::Mul, None))),
            ("__builtin_smul_overflow", Some((BinaryOp::Mul, Some(IntKind::Int)))),
            ("__builtin_umull_overflow", Some((BinaryOp::Mul, Some(IntKind::UnsignedLong)))),
            ("__builtin_smulll_overflow", Some((BinaryOp::Mul, Some(IntKind::LongLong)))),
            ("__builtin_usub_overflow", Some((BinaryOp::Sub, Some(IntKind::UnsignedInt)))),
            ("__builtin_saddl_overflow", Some((BinaryOp::Add, Some(IntKind::Long)))),
            ("__builtin_div_overflow", None),
            ("add_overflow", None),
        ];
        for (name, expected) in cases {
            assert_eq!(meaning(name), expected, "{name}");
        }
    }
}
