//! Operators on integers and pointers.

use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Guard, Kind, Known, ObjectId, Value};
use lang_c::ast::BinaryOperator;
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, CheckKind, Expr, UnaryOp};

/// The operator of the intermediate language for one that computes a value from two values.
pub(super) fn operator(op: &BinaryOperator) -> Option<BinaryOp> {
    use BinaryOperator as C;
    Some(match op {
        C::Plus => BinaryOp::Add,
        C::Minus => BinaryOp::Sub,
        C::Multiply => BinaryOp::Mul,
        C::Divide => BinaryOp::Div,
        C::Modulo => BinaryOp::Rem,
        C::BitwiseAnd => BinaryOp::BitAnd,
        C::BitwiseOr => BinaryOp::BitOr,
        C::BitwiseXor => BinaryOp::BitXor,
        C::ShiftLeft => BinaryOp::Shl,
        C::ShiftRight => BinaryOp::Shr,
        C::Less => BinaryOp::Lt,
        C::LessOrEqual => BinaryOp::Le,
        C::Greater => BinaryOp::Gt,
        C::GreaterOrEqual => BinaryOp::Ge,
        C::Equals => BinaryOp::Eq,
        C::NotEquals => BinaryOp::Ne,
        _ => return None,
    })
}

/// The operator of a compound assignment.
pub(super) fn assigned_operator(op: &BinaryOperator) -> Option<BinaryOp> {
    use BinaryOperator as C;
    Some(match op {
        C::AssignPlus => BinaryOp::Add,
        C::AssignMinus => BinaryOp::Sub,
        C::AssignMultiply => BinaryOp::Mul,
        C::AssignDivide => BinaryOp::Div,
        C::AssignModulo => BinaryOp::Rem,
        C::AssignBitwiseAnd => BinaryOp::BitAnd,
        C::AssignBitwiseOr => BinaryOp::BitOr,
        C::AssignBitwiseXor => BinaryOp::BitXor,
        C::AssignShiftLeft => BinaryOp::Shl,
        C::AssignShiftRight => BinaryOp::Shr,
        _ => return None,
    })
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// An operator applied to two values, converted as C says.
    pub(super) fn binary(&mut self, op: BinaryOp, left: Value, right: Value, at: TreeSpan) -> Lowered<Value> {
        let read: Vec<Value> =
            [&left, &right].into_iter().filter(|operand| operand.reads_shared).cloned().collect();
        let value = self.binary_value(op, left, right, at)?;
        Ok(self.still_read(&read, value))
    }

    fn binary_value(&mut self, op: BinaryOp, left: Value, right: Value, at: TreeSpan) -> Lowered<Value> {
        self.expect_scalar(&left, at)?;
        self.expect_scalar(&right, at)?;
        if left.ty.is_float() || right.ty.is_float() {
            return self.float_binary(op, left, right, at);
        }
        match (op, left.ty.is_pointer(), right.ty.is_pointer()) {
            (_, false, false) => self.integer_binary(op, left, right, at),
            (BinaryOp::Add, true, false) => self.pointer_add(left, right, 1, at),
            (BinaryOp::Add, false, true) => self.pointer_add(right, left, 1, at),
            (BinaryOp::Sub, true, false) => self.pointer_add(left, right, -1, at),
            (BinaryOp::Sub, true, true) => self.pointer_difference(left, right, at),
            (op, ..) if op.is_comparison() => Ok(self.pointer_comparison(op, left, right, at)),
            _ => self.error(at, "this operator does not apply to pointers"),
        }
    }

    fn integer_binary(&mut self, op: BinaryOp, left: Value, right: Value, at: TreeSpan) -> Lowered<Value> {
        self.note_computed_handles(op, &left, &right);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, left, right, at);
        }
        let common = self.integer_kind(&left, at)?.common(self.integer_kind(&right, at)?);
        if let (Kind::Truth(a), Kind::Truth(b), BinaryOp::Eq | BinaryOp::Ne) = (&left.kind, &right.kind, op) {
            let condition = fold::binary(op, a.clone(), b.clone());
            return Ok(Value::truth(CType::INT, condition).joined(&left, &right));
        }
        let left = self.convert_to_int(left, common);
        let right = self.convert_to_int(right, common);
        Ok(self.compute(op, common, left, right, at))
    }

    /// The operator on two values of the type `kind`, which is also that of the result.
    pub(super) fn compute(
        &mut self,
        op: BinaryOp,
        kind: IntKind,
        left: Value,
        right: Value,
        at: TreeSpan,
    ) -> Value {
        let (a, b) = (self.number(&left), self.number(&right));
        let expr = fold::binary(op, a, b.clone());
        if op.is_comparison() {
            let truth = Value::truth(CType::INT, expr).joined(&left, &right);
            return Value { targets: Vec::new(), ..truth };
        }
        let mut guards = Vec::new();
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            let nonzero = fold::binary(BinaryOp::Ne, b, Expr::Int(0));
            guards.push(self.guard(CheckKind::Arithmetic, nonzero, "the divisor is zero in", at));
        }
        guards.extend(self.remainder_guard(op, kind, &left, &right, at));
        let range = Range::apply(op, left.range, right.range);
        let value = self.in_type(kind, expr, range, guards, at).joined(&left, &right);
        Value { targets: self.facts.whole_objects(&value.targets), ..value }
    }

    /// The remainder of the least number and -1 is 0, but undefined like the quotient.
    fn remainder_guard(
        &mut self,
        op: BinaryOp,
        kind: IntKind,
        left: &Value,
        right: &Value,
        at: TreeSpan,
    ) -> Option<Guard> {
        let least = kind.int_type().min();
        let is_possible = left.range.low <= least && right.range.low <= -1 && right.range.high >= -1;
        if op != BinaryOp::Rem || !kind.is_signed() || !is_possible {
            return None;
        }
        let (a, b) = (self.number(left), self.number(right));
        let is_other = fold::binary(BinaryOp::Ne, a, Expr::Int(least));
        let condition = fold::or(is_other, fold::binary(BinaryOp::Ne, b, Expr::Int(-1)));
        self.assume("no-signed-overflow");
        Some(self.guard(CheckKind::Overflow, condition, "signed overflow in", at))
    }

    /// A mathematical result in a machine type: unsigned wraps, signed must not overflow.
    fn in_type(
        &mut self,
        kind: IntKind,
        expr: Expr,
        range: Range,
        mut guards: Vec<Guard>,
        at: TreeSpan,
    ) -> Value {
        let (int_type, ty) = (kind.int_type(), CType::Int(kind));
        let exact = match expr {
            Expr::Int(value) => Range::exactly(value),
            _ => range,
        };
        if exact.fits(int_type) {
            return Value { guards, ..Value::number(ty, expr, exact) };
        }
        if !kind.is_signed() {
            let wrapped = fold::wrap(int_type, expr);
            return Value { guards, ..Value::number(ty, wrapped, Range::of(int_type)) };
        }
        let condition = within(&expr, range, int_type);
        guards.push(self.guard(CheckKind::Overflow, condition, "signed overflow in", at));
        self.assume("no-signed-overflow");
        // A constant that does not fit must not be taken for one that does.
        let range = Range { low: range.low.max(int_type.min()), high: range.high.min(int_type.max()) };
        let expr = match expr {
            Expr::Int(value) => Expr::Int(int_type.wrap(value)),
            other => other,
        };
        Value { guards, ..Value::number(ty, expr, range) }
    }

    pub(super) fn guard(&self, kind: CheckKind, condition: Expr, what: &str, at: TreeSpan) -> Guard {
        let message = format!("{what} `{}`", self.origin.text(at));
        Guard { kind, condition, message, span: Some(self.span(at)) }
    }

    /// Shifts take the type of the promoted left operand. Left shifts of signed numbers wrap, as
    /// gcc defines them, but are reported as overflows if they leave the type or start below zero.
    fn shift(&mut self, op: BinaryOp, left: Value, right: Value, at: TreeSpan) -> Lowered<Value> {
        let left = self.promote(left, at)?;
        let right = self.promote(right, at)?;
        let kind = self.integer_kind(&left, at)?;
        let int_type = kind.int_type();
        let (a, b) = (self.number(&left), self.number(&right));
        let greatest_amount = i128::from(int_type.bits) - 1;
        let in_width = fold::between(b.clone(), 0, greatest_amount);
        let mut guards = vec![self.guard(CheckKind::Arithmetic, in_width, "impossible shift in", at)];
        let expr = fold::binary(op, a.clone(), b);
        let range = match op {
            // The guard in front sees to it that nothing is shifted further.
            BinaryOp::Shl if left.range.low >= 0 => {
                let amount = right.range.high.clamp(0, greatest_amount) as u32;
                Range { low: 0, high: left.range.high << amount }
            }
            _ => Range::apply(op, left.range, right.range),
        };
        if op == BinaryOp::Shl && kind.is_signed() && !range.fits(int_type) {
            let not_negative = fold::binary(BinaryOp::Ge, a, Expr::Int(0));
            let not_large = fold::binary(BinaryOp::Le, expr.clone(), Expr::Int(int_type.max()));
            let condition = fold::and(not_negative, not_large);
            guards.push(self.guard(CheckKind::Overflow, condition, Guard::TOLERATED, at));
        }
        let value = match range.fits(int_type) {
            true => Value::number(CType::Int(kind), expr, range),
            false => Value::number(CType::Int(kind), fold::wrap(int_type, expr), Range::of(int_type)),
        };
        let value = Value { guards, ..value }.joined(&left, &right);
        Ok(Value { targets: self.facts.whole_objects(&value.targets), ..value })
    }

    /// `-x`, `~x`, `+x`.
    pub(super) fn unary(&mut self, op: Option<UnaryOp>, operand: Value, at: TreeSpan) -> Lowered<Value> {
        if operand.ty.is_float() {
            return self.float_unary(op, operand, at);
        }
        let operand = self.promote(operand, at)?;
        self.note_computed_handle(&operand);
        let kind = self.integer_kind(&operand, at)?;
        let Some(op) = op else { return Ok(operand) };
        let expr = fold::unary(op, self.number(&operand));
        let Range { low, high } = operand.range;
        let range = match op {
            UnaryOp::Neg => Range { low: -high, high: -low },
            _ => Range { low: -high - 1, high: -low - 1 },
        };
        let value = self.in_type(kind, expr, range, Vec::new(), at);
        let nothing = Value::constant(CType::INT, 0);
        let value = value.joined(&operand, &nothing);
        Ok(Value { targets: self.facts.whole_objects(&value.targets), ..value })
    }

    /// A pointer moved by a number of elements.
    pub(super) fn pointer_add(
        &mut self,
        pointer: Value,
        index: Value,
        sign: i64,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let index = self.promote(index, at)?;
        self.note_computed_handle(&index);
        let ty = pointer.ty.clone();
        let element = ty.element().cloned().unwrap_or(CType::Void);
        let Some(stride) = self.facts.records.size_of(&element).and_then(|size| i64::try_from(size).ok())
        else {
            return self.error(at, "arithmetic on a pointer to an incomplete type");
        };
        let stride = sign.saturating_mul(stride);
        let moved = match &pointer.kind {
            Kind::Pointer(known) => {
                let steps = self.number(&index);
                let known = moved_known(known.clone(), steps, stride);
                Value { guards: Vec::new(), ..Value::pointer(ty, known) }
            }
            _ => {
                let steps = self.number(&index);
                let distance = fold::scale(stride, steps.clone());
                let sum = fold::add(self.number(&pointer), distance);
                let targets = self.facts.moved_targets(&pointer.targets, &steps, stride, &element);
                let value = Value::number(ty, sum, pointer.range).joined(&pointer, &index);
                return Ok(Value { targets, ..value });
            }
        };
        Ok(Value { targets: Vec::new(), ..moved.joined(&pointer, &index) })
    }

    fn pointer_difference(&mut self, left: Value, right: Value, at: TreeSpan) -> Lowered<Value> {
        let element = left.ty.element().cloned().unwrap_or(CType::Void);
        let size = self.facts.records.size_of(&element).unwrap_or(0);
        if size == 0 {
            return self.error(at, "arithmetic on a pointer to an incomplete type");
        }
        let (a, b) = (self.number(&left), self.number(&right));
        let bytes = fold::binary(BinaryOp::Sub, a, b);
        let expr = fold::binary(BinaryOp::Div, bytes, Expr::Int(i128::from(size)));
        let kind = IntKind::Long;
        self.assume("object-addresses");
        let value = Value::number(CType::Int(kind), expr, Range::of(kind.int_type()));
        Ok(Value { targets: Vec::new(), ..value.joined(&left, &right) })
    }

    /// Whether two addresses may be those of two strings in the text, which may share memory.
    fn may_be_strings(&self, left: &Value, right: &Value) -> bool {
        let strings = |value: &Value| -> Vec<ObjectId> {
            let objects = self.pointed_to(value).into_iter().map(|target| target.object);
            objects.filter(|&object| self.facts.is_string(object)).collect()
        };
        let (left, right) = (strings(left), strings(right));
        left.iter().any(|string| right.iter().any(|other| string != other))
    }

    fn pointer_comparison(&mut self, op: BinaryOp, left: Value, right: Value, at: TreeSpan) -> Value {
        let is_null = |value: &Value| value.as_constant() == Some(0);
        let is_ordered = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        if is_ordered || self.may_be_strings(&left, &right) {
            self.assume("object-addresses");
        }
        let condition = match (&left.kind, &right.kind, op) {
            (Kind::Pointer(_), _, BinaryOp::Eq) if is_null(&right) => Expr::Bool(false),
            (Kind::Pointer(_), _, BinaryOp::Ne) if is_null(&right) => Expr::Bool(true),
            (_, Kind::Pointer(_), BinaryOp::Eq) if is_null(&left) => Expr::Bool(false),
            (_, Kind::Pointer(_), BinaryOp::Ne) if is_null(&left) => Expr::Bool(true),
            _ if self.may_be_outside(&left) && self.may_be_outside(&right) => {
                self.approximate_truth("a comparison of addresses of the library", at)
            }
            _ => fold::binary(op, self.number(&left), self.number(&right)),
        };
        let value = Value::truth(CType::INT, condition).joined(&left, &right);
        Value { targets: Vec::new(), ..value }
    }
}

/// Whether an expression whose value lies in `range` has a value of the type; only what is not
/// certain is asked for.
fn within(expr: &Expr, range: Range, int_type: rely_program::IntType) -> Expr {
    let least = Expr::Int(int_type.min());
    let greatest = Expr::Int(int_type.max());
    let is_large_enough = match range.low >= int_type.min() {
        true => Expr::Bool(true),
        false => fold::binary(BinaryOp::Ge, expr.clone(), least),
    };
    let is_small_enough = match range.high <= int_type.max() {
        true => Expr::Bool(true),
        false => fold::binary(BinaryOp::Le, expr.clone(), greatest),
    };
    fold::and(is_large_enough, is_small_enough)
}

fn moved_known(mut known: Known, steps: Expr, stride: i64) -> Known {
    let (steps, stride) = match (steps, stride < 0) {
        (Expr::Int(constant), true) => (Expr::Int(-constant), -stride),
        (steps, true) => (fold::unary(UnaryOp::Neg, steps), -stride),
        (steps, false) => (steps, stride),
    };
    if let Some((index, _)) = known.dynamic.iter_mut().find(|(_, own)| *own == stride) {
        *index = fold::add(index.clone(), steps);
        return known;
    }
    match steps {
        Expr::Int(constant) => {
            let constant = i64::try_from(constant).unwrap_or(i64::MAX);
            known.offset = known.offset.saturating_add(constant.saturating_mul(stride));
        }
        steps => known.dynamic.push((steps, stride)),
    }
    known
}
