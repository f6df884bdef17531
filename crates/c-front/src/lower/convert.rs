//! Conversions: of values between types, of numbers to conditions and back.

use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{BitField, CType, IntKind, Opaque};
use crate::value::{Kind, Value};
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, Expr};

impl<'a, 'f> Lowering<'a, 'f> {
    /// The value as an integer expression; of a pointer, its address.
    pub(super) fn number(&mut self, value: &Value) -> Expr {
        match &value.kind {
            Kind::Number(expr) => expr.clone(),
            Kind::Truth(condition) => fold::ite(condition.clone(), Expr::Int(1), Expr::Int(0)),
            Kind::Pointer(known) => self.known_address(known),
            Kind::Record(_) | Kind::Void => Expr::Int(0),
        }
    }

    /// Whether the value is not zero.
    pub(super) fn condition(&mut self, value: &Value) -> Expr {
        if value.ty.is_float() {
            return self.float_condition(value);
        }
        match &value.kind {
            Kind::Truth(condition) => condition.clone(),
            // Objects do not lie at the null address, nor do elements behind them.
            Kind::Pointer(_) => Expr::Bool(true),
            _ => fold::binary(BinaryOp::Ne, self.number(value), Expr::Int(0)),
        }
    }

    /// Refuses what is no scalar where a scalar is needed.
    pub(super) fn expect_scalar(&self, value: &Value, at: TreeSpan) -> Lowered<()> {
        match &value.kind {
            Kind::Void => self.error(at, "a value of type `void` is used"),
            Kind::Record(_) => {
                let ty = self.facts.records.display(&value.ty);
                self.error(at, format!("a value of type `{ty}` is used where a number is needed"))
            }
            _ => Ok(()),
        }
    }

    /// Converts a value to another type, as an assignment or a cast does.
    pub(super) fn convert(&mut self, value: Value, to: &CType, at: TreeSpan) -> Lowered<Value> {
        let to = match to.unqualified() {
            // Handles of threads are computed with like the numbers that they are.
            CType::Opaque(Opaque::Thread) => &CType::SIZE,
            other => other,
        };
        match to {
            CType::Void => Ok(Value { kind: Kind::Void, ty: CType::Void, ..value }),
            CType::Float(_) => {
                self.expect_scalar(&value, at)?;
                Ok(self.convert_to_float(value, to))
            }
            CType::Int(kind) if value.ty.is_float() => Ok(self.convert_from_float(value, *kind, at)),
            CType::Int(kind) => {
                self.expect_scalar(&value, at)?;
                Ok(self.convert_to_int(value, *kind))
            }
            CType::BitField(bits) => {
                self.expect_scalar(&value, at)?;
                Ok(self.convert_to_bits(value, *bits))
            }
            CType::Pointer(target) => {
                self.expect_scalar(&value, at)?;
                self.type_allocated(&value, target, at)?;
                Ok(match &value.kind {
                    Kind::Pointer(_) => Value { ty: to.clone(), ..value },
                    Kind::Number(_) if value.ty.is_pointer() => Value { ty: to.clone(), ..value },
                    _ => {
                        let number = self.convert_to_int(value, IntKind::UnsignedLong);
                        Value { ty: to.clone(), ..number }
                    }
                })
            }
            CType::Record(_) | CType::Opaque(_) if value.ty == *to => Ok(value),
            _ => {
                let (from, to) = (self.facts.records.display(&value.ty), self.facts.records.display(to));
                self.error(at, format!("a value of type `{from}` cannot become one of type `{to}`"))
            }
        }
    }

    pub(super) fn convert_to_int(&mut self, value: Value, kind: IntKind) -> Value {
        let ty = CType::Int(kind);
        if kind == IntKind::Bool {
            let condition = self.condition(&value);
            let kind = Kind::Truth(condition);
            return Value { kind, ty, range: Range::TRUTH, targets: Vec::new(), ..value };
        }
        if let Kind::Truth(_) = value.kind {
            return Value { ty, ..value };
        }
        let targets = self.pointed_to(&value);
        if value.ty.is_pointer() && !targets.is_empty() {
            self.assume("object-addresses");
        }
        if kind.size() < IntKind::UnsignedLong.size() {
            self.note_computed_handle(&value);
        }
        let expr = self.number(&value);
        let int_type = kind.int_type();
        let (expr, range) = match value.range.fits(int_type) {
            true => (expr, value.range),
            false => (fold::wrap(int_type, expr), Range::of(int_type)),
        };
        let range = match expr {
            Expr::Int(constant) => Range::exactly(constant),
            _ => range,
        };
        let depth = value.depth + 1;
        Value { kind: Kind::Number(expr), ty, range, targets, depth, ..value }
    }

    /// What a bit-field holds of a value, as a value of its declared type.
    fn convert_to_bits(&mut self, value: Value, bits: BitField) -> Value {
        let value = self.convert_to_int(value, bits.kind);
        let int_type = bits.int_type();
        if bits.kind == IntKind::Bool || value.range.fits(int_type) {
            return value;
        }
        let expr = fold::wrap(int_type, self.number(&value));
        let range = match expr {
            Expr::Int(constant) => Range::exactly(constant),
            _ => Range::of(int_type),
        };
        Value { kind: Kind::Number(expr), range, depth: value.depth + 1, ..value }
    }

    /// The integer promotion.
    pub(super) fn promote(&mut self, value: Value, at: TreeSpan) -> Lowered<Value> {
        let kind = self.integer_kind(&value, at)?;
        Ok(self.convert_to_int(value, kind.promoted()))
    }

    /// The type of a value that must be an integer.
    pub(super) fn integer_kind(&self, value: &Value, at: TreeSpan) -> Lowered<IntKind> {
        match &value.ty {
            CType::Int(kind) => Ok(*kind),
            CType::Float(_) => self.error(at, "a floating-point number where an integer is needed"),
            other => {
                let ty = self.facts.records.display(other);
                self.error(at, format!("an operand of type `{ty}` where an integer is needed"))
            }
        }
    }
}
