//! Floating-point numbers.
//!
//! Constants are computed as IEEE 754 says, which is what this machine does too. Everything else is not followed:
//! a variable of such a type is read and written like others, because others may race for it, but holds
//! nothing; a comparison may come out either way, and a conversion to an integer may yield any. Integers of 16
//! bytes are treated alike.

use super::{Lowered, Lowering};
use crate::types::{CType, IntKind};
use crate::value::{Kind, Value};
use lang_c::ast::{Expression, Float, FloatBase, FloatFormat};
use lang_c::span::{Node, Span as TreeSpan};
use lang_c::visit::{self, Visit};
use rely_program::{BinaryOp, Expr, UnaryOp};

/// What marks the values that are not computed.
const CONSTRUCT: &str = "floating-point arithmetic";

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn floating_constant(&mut self, float: &Float, at: TreeSpan) -> Lowered<Value> {
        if float.suffix.imaginary {
            return self.refuse(at, "a complex number");
        }
        let size = match float.suffix.format {
            FloatFormat::Float => 4,
            FloatFormat::Double => 8,
            _ => 16,
        };
        let real = match (&float.base, size) {
            (FloatBase::Decimal, 8) => float.number.parse().ok(),
            // Rounded once, not to a double first.
            (FloatBase::Decimal, 4) => float.number.parse::<f32>().ok().map(f64::from),
            _ => None,
        };
        Ok(Value::floating(CType::Float(size), real))
    }

    pub(super) fn convert_to_float(&mut self, value: Value, to: &CType) -> Value {
        let real = match (value.real, value.as_constant()) {
            (Some(real), _) => Some(real),
            (None, Some(constant)) if constant.unsigned_abs() <= 1 << 24 => Some(constant as f64),
            _ => None,
        };
        let real = real.filter(|_| value.is_certain());
        self.computed_for_effect(value);
        Value::floating(to.clone(), real)
    }

    /// The part before the point, if it is known and fits.
    pub(super) fn convert_from_float(&mut self, value: Value, kind: IntKind, at: TreeSpan) -> Value {
        let ty = CType::Int(kind);
        if kind == IntKind::Bool {
            let condition = self.condition(&value);
            self.computed_for_effect(value);
            return Value::truth(ty, condition);
        }
        let whole = value.real.map(f64::trunc).filter(|whole| whole.abs() < 9e18).map(|whole| whole as i128);
        self.computed_for_effect(value);
        match whole.filter(|whole| kind.int_type().contains(*whole)) {
            Some(whole) => Value::constant(ty, whole),
            None => self.approximate(&ty, CONSTRUCT, at),
        }
    }

    /// Whether a number is not zero.
    pub(super) fn float_condition(&mut self, value: &Value) -> Expr {
        match value.real {
            Some(real) => Expr::Bool(real != 0.0),
            None => {
                let at = TreeSpan::none();
                self.approximate_truth(CONSTRUCT, at)
            }
        }
    }

    pub(super) fn float_unary(
        &mut self,
        op: Option<UnaryOp>,
        operand: Value,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let real = match op {
            None => operand.real,
            Some(UnaryOp::Neg) => operand.real.map(|real| -real),
            Some(_) => return self.error(at, "this operator does not apply to floating-point numbers"),
        };
        Ok(Value { real, ..operand })
    }

    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if left.ty.is_pointer() || right.ty.is_pointer() {
            return self.error(at, "this operator does not apply to a pointer and a floating-point number");
        }
        let ty = common_float(&left.ty, &right.ty);
        let left = self.convert_to_float(left, &ty);
        let right = self.convert_to_float(right, &ty);
        let known = left.real.zip(right.real);
        if op.is_comparison() {
            let condition = match known {
                Some((a, b)) => Expr::Bool(compare(op, a, b)),
                None => self.approximate_truth(CONSTRUCT, at),
            };
            return Ok(Value::truth(CType::INT, condition));
        }
        let real = match op {
            BinaryOp::Add => known.map(|(a, b)| a + b),
            BinaryOp::Sub => known.map(|(a, b)| a - b),
            BinaryOp::Mul => known.map(|(a, b)| a * b),
            BinaryOp::Div => known.map(|(a, b)| a / b),
            // An integer of 16 bytes has these operators, too.
            _ if ty == CType::Float(16) => None,
            _ => return self.error(at, "this operator does not apply to floating-point numbers"),
        };
        Ok(Value::floating(ty, real))
    }

    /// What computing a value does, now: it is not used any more.
    fn computed_for_effect(&mut self, value: Value) {
        if !matches!(value.kind, Kind::Void | Kind::Record(_)) {
            self.discard(value);
        }
    }

    /// Whether something in an expression is a floating-point number, so that evaluating it may take steps.
    pub(super) fn is_inexact(&mut self, expression: &'a Node<Expression>) -> bool {
        if !self.unit.has_floats || self.is_silent {
            return false;
        }
        let mut parts = Parts(Vec::new());
        parts.visit_expression(&expression.node, &expression.span);
        parts.0.into_iter().any(|part| match &part.node {
            Expression::Constant(constant) => matches!(constant.node, lang_c::ast::Constant::Float(_)),
            _ => self.type_of(part).is_ok_and(|value| value.ty.is_float()),
        })
    }
}

/// The type of the result of an operator.
pub(super) fn common_float(left: &CType, right: &CType) -> CType {
    let size = |ty: &CType| if let CType::Float(size) = ty.unqualified() { *size } else { 0 };
    CType::Float(size(left).max(size(right)))
}

fn compare(op: BinaryOp, left: f64, right: f64) -> bool {
    match op {
        BinaryOp::Lt => left < right,
        BinaryOp::Le => left <= right,
        BinaryOp::Gt => left > right,
        BinaryOp::Ge => left >= right,
        BinaryOp::Ne => left != right,
        _ => left == right,
    }
}

/// The parts of an expression whose types do not follow from those of smaller ones.
struct Parts<'a>(Vec<&'a Node<Expression>>);

impl<'a> Visit<'a> for Parts<'a> {
    fn visit_expression(&mut self, expression: &'a Expression, span: &'a TreeSpan) {
        visit::visit_expression(self, expression, span);
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'a lang_c::ast::UnaryOperatorExpression,
        span: &'a TreeSpan,
    ) {
        self.0.push(&unary.operand);
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'a lang_c::ast::BinaryOperatorExpression,
        span: &'a TreeSpan,
    ) {
        self.0.extend([&*binary.lhs, &*binary.rhs]);
        visit::visit_binary_operator_expression(self, binary, span);
    }

    fn visit_cast_expression(&mut self, cast: &'a lang_c::ast::CastExpression, span: &'a TreeSpan) {
        self.0.push(&cast.expression);
        visit::visit_cast_expression(self, cast, span);
    }

    fn visit_conditional_expression(
        &mut self,
        conditional: &'a lang_c::ast::ConditionalExpression,
        span: &'a TreeSpan,
    ) {
        self.0.extend([
            &*conditional.condition,
            &*conditional.then_expression,
            &*conditional.else_expression,
        ]);
        visit::visit_conditional_expression(self, conditional, span);
    }
}
