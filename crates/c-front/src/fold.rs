//! Expressions built with their constants folded, and the ranges in which their values lie.
//!
//! Folding decides what is constant for C (array sizes, case labels, `while (1)`); ranges tell
//! where wrapping or a check for overflow would be of no use.

use rely_program::{BinaryOp, Expr, IntType, UnaryOp, Value};

/// The least and the greatest value that an expression can have. Always both: a C expression has a type. The ranges of
/// `rely_program::analysis`, which have remainders and may lack bounds, are about variables of a finished program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: Value,
    pub(crate) high: Value,
}

impl Range {
    pub(crate) const TRUTH: Range = Range { low: 0, high: 1 };

    pub(crate) fn of(int_type: IntType) -> Range {
        Range { low: int_type.min(), high: int_type.max() }
    }

    pub(crate) fn exactly(value: Value) -> Range {
        Range { low: value, high: value }
    }

    pub(crate) fn fits(self, int_type: IntType) -> bool {
        int_type.contains(self.low) && int_type.contains(self.high)
    }

    pub(crate) fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The range of an operator's mathematical result. Operands are at most 64 bits wide, so
    /// nothing here leaves the range of [`Value`], save for products, which saturate.
    pub(crate) fn apply(op: BinaryOp, left: Range, right: Range) -> Range {
        let corners = |f: &dyn Fn(Value, Value) -> Value| {
            let values = [
                f(left.low, right.low),
                f(left.low, right.high),
                f(left.high, right.low),
                f(left.high, right.high),
            ];
            let low = values.iter().copied().min().unwrap_or(Value::MIN);
            let high = values.iter().copied().max().unwrap_or(Value::MAX);
            Range { low, high }
        };
        match op {
            BinaryOp::Add => corners(&|a, b| a.saturating_add(b)),
            BinaryOp::Sub => corners(&|a, b| a.saturating_sub(b)),
            BinaryOp::Mul => corners(&|a, b| a.saturating_mul(b)),
            BinaryOp::Rem if left.low >= 0 => {
                let divisor = right.low.saturating_abs().max(right.high.saturating_abs());
                Range { low: 0, high: left.high.min((divisor - 1).max(0)) }
            }
            BinaryOp::Rem => {
                let divisor = right.low.saturating_abs().max(right.high.saturating_abs());
                let bound = (divisor - 1).max(0);
                Range { low: left.low.max(-bound), high: left.high.min(bound).max(0) }
            }
            BinaryOp::Div => {
                let bound = left.low.saturating_abs().max(left.high.saturating_abs());
                let low = if left.low >= 0 && right.low >= 0 { 0 } else { -bound };
                Range { low, high: bound }
            }
            BinaryOp::BitAnd if left.low >= 0 || right.low >= 0 => {
                let bounds = [left, right].into_iter().filter(|range| range.low >= 0);
                Range { low: 0, high: bounds.map(|range| range.high).min().unwrap_or(Value::MAX) }
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => bitwise(left, right),
            BinaryOp::Shr => Range { low: left.low.min(0), high: left.high.max(0) },
            BinaryOp::Shl => Range { low: Value::MIN, high: Value::MAX },
            _ => Range::TRUTH,
        }
    }
}

/// The smallest range of the form 0..2^n or -2^n..2^n that has both operands.
fn bitwise(left: Range, right: Range) -> Range {
    let both = left.union(right);
    let magnitude = both.high.max(-(both.low + 1)).max(0) as u128;
    let high = (magnitude + 1).next_power_of_two() as Value - 1;
    Range { low: if both.low < 0 { -high - 1 } else { 0 }, high }
}

/// An operator applied to two operands, folded if they are constants.
pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Int(a), Expr::Int(b)) = (&left, &right)
        && let Some(folded) = fold_ints(op, *a, *b)
    {
        return folded;
    }
    match (op, &left, &right) {
        (BinaryOp::Add | BinaryOp::Sub, _, Expr::Int(0)) => left,
        (BinaryOp::Add, Expr::Int(0), _) => right,
        (BinaryOp::Mul | BinaryOp::Div, _, Expr::Int(1)) => left,
        (BinaryOp::Mul, Expr::Int(1), _) => right,
        (BinaryOp::Rem, _, Expr::Int(1 | -1)) => Expr::Int(0),
        (BinaryOp::Mul, Expr::Int(0), _) | (BinaryOp::Mul, _, Expr::Int(0)) => Expr::Int(0),
        (BinaryOp::And, Expr::Bool(true), _) | (BinaryOp::Or, Expr::Bool(false), _) => right,
        (BinaryOp::Implies, Expr::Bool(true), _) => right,
        (BinaryOp::And, Expr::Bool(false), _) => Expr::Bool(false),
        (BinaryOp::Or, Expr::Bool(true), _) | (BinaryOp::Implies, Expr::Bool(false), _) => Expr::Bool(true),
        (BinaryOp::And, _, Expr::Bool(true)) | (BinaryOp::Or, _, Expr::Bool(false)) => left,
        (BinaryOp::Implies, _, Expr::Bool(true)) => Expr::Bool(true),
        (
            BinaryOp::Add | BinaryOp::Sub,
            Expr::Binary(inner @ (BinaryOp::Add | BinaryOp::Sub), parts),
            Expr::Int(b),
        ) if matches!(parts[1], Expr::Int(_)) => {
            let signed = |op: BinaryOp, value: Value| if op == BinaryOp::Add { value } else { -value };
            let Expr::Int(a) = parts[1] else { return Expr::binary(op, left, right) };
            shifted(parts[0].clone(), signed(*inner, a) + signed(op, *b))
        }
        (op, Expr::Binary(inner @ (BinaryOp::Add | BinaryOp::Sub), parts), Expr::Int(bound))
            if op.is_comparison() && matches!(parts[1], Expr::Int(_)) =>
        {
            let Expr::Int(distance) = parts[1] else { return Expr::binary(op, left, right) };
            let distance = if *inner == BinaryOp::Add { distance } else { -distance };
            binary(op, parts[0].clone(), Expr::Int(bound - distance))
        }
        (op, Expr::Ite(parts), Expr::Int(bound)) if op.is_comparison() => {
            let (Expr::Int(yes), Expr::Int(no)) = (&parts[1], &parts[2]) else {
                return Expr::binary(op, left, right);
            };
            // Conditions used as numbers, and compared, become conditions again.
            match (fold_ints(op, *yes, *bound), fold_ints(op, *no, *bound)) {
                (Some(Expr::Bool(true)), Some(Expr::Bool(false))) => parts[0].clone(),
                (Some(Expr::Bool(false)), Some(Expr::Bool(true))) => not(parts[0].clone()),
                (Some(always), _) => always,
                _ => Expr::binary(op, left, right),
            }
        }
        (BinaryOp::Eq, Expr::Bool(a), Expr::Bool(b)) => Expr::Bool(a == b),
        (BinaryOp::Ne, Expr::Bool(a), Expr::Bool(b)) => Expr::Bool(a != b),
        _ => Expr::binary(op, left, right),
    }
}

/// An expression moved by a constant.
fn shifted(expr: Expr, distance: Value) -> Expr {
    match distance {
        0 => expr,
        1.. => Expr::binary(BinaryOp::Add, expr, Expr::Int(distance)),
        _ => Expr::binary(BinaryOp::Sub, expr, Expr::Int(-distance)),
    }
}

fn fold_ints(op: BinaryOp, a: Value, b: Value) -> Option<Expr> {
    use BinaryOp::*;
    let shift = u32::try_from(b).ok().filter(|&shift| shift < 64);
    let number = match op {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Div => a.checked_div(b),
        Rem => a.checked_rem(b),
        BitAnd => Some(a & b),
        BitOr => Some(a | b),
        BitXor => Some(a ^ b),
        Shl => shift.and_then(|shift| a.checked_mul(1 << shift)),
        Shr => shift.map(|shift| a >> shift),
        _ => None,
    };
    let truth = match op {
        Lt => Some(a < b),
        Le => Some(a <= b),
        Gt => Some(a > b),
        Ge => Some(a >= b),
        Eq => Some(a == b),
        Ne => Some(a != b),
        _ => None,
    };
    number.map(Expr::Int).or(truth.map(Expr::Bool))
}

/// The negation of a condition.
pub(crate) fn not(condition: Expr) -> Expr {
    condition.negate()
}

pub(crate) fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match (op, &operand) {
        (UnaryOp::Neg, Expr::Int(value)) => Expr::Int(-value),
        (UnaryOp::BitNot, Expr::Int(value)) => Expr::Int(!value),
        _ => Expr::unary(op, operand),
    }
}

pub(crate) fn wrap(int_type: IntType, operand: Expr) -> Expr {
    match operand {
        Expr::Int(value) => Expr::Int(int_type.wrap(value)),
        // What a wider type has cut off does not matter to a narrower one.
        Expr::Wrap(inner, operand) if inner.bits >= int_type.bits => operand.wrap(int_type),
        other => other.wrap(int_type),
    }
}

pub(crate) fn ite(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match condition {
        Expr::Bool(true) => yes,
        Expr::Bool(false) => no,
        condition if yes == no => {
            let _ = condition;
            yes
        }
        condition => Expr::ite(condition, yes, no),
    }
}

pub(crate) fn and(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::And, left, right)
}

pub(crate) fn or(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Or, left, right)
}

pub(crate) fn add(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Add, left, right)
}

pub(crate) fn scale(factor: i64, operand: Expr) -> Expr {
    binary(BinaryOp::Mul, operand, Expr::Int(Value::from(factor)))
}

/// `low <= expr && expr <= high`, decided if the expression is constant.
pub(crate) fn between(expr: Expr, low: Value, high: Value) -> Expr {
    let is_large_enough = binary(BinaryOp::Ge, expr.clone(), Expr::Int(low));
    and(is_large_enough, binary(BinaryOp::Le, expr, Expr::Int(high)))
}

/// Whether a value is a number.
pub(crate) fn is(value: Expr, number: i128) -> Expr {
    binary(BinaryOp::Eq, value, Expr::Int(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: BinaryOp, left: (Value, Value), right: (Value, Value), expected: (Value, Value)) {
        let range = |(low, high)| Range { low, high };
        assert_eq!(Range::apply(op, range(left), range(right)), range(expected), "{op:?}");
    }

    #[test]
    fn ranges_hold_all_results() {
        check(BinaryOp::Add, (0, 10), (-5, 5), (-5, 15));
        check(BinaryOp::Mul, (-2, 3), (-4, 5), (-12, 15));
        check(BinaryOp::Rem, (0, 100), (7, 7), (0, 6));
        check(BinaryOp::Rem, (-100, 100), (7, 7), (-6, 6));
        check(BinaryOp::BitAnd, (-100, 100), (0, 15), (0, 15));
        check(BinaryOp::BitOr, (0, 4), (0, 3), (0, 7));
        check(BinaryOp::BitXor, (-1, 4), (0, 3), (-8, 7));
        check(BinaryOp::Div, (-7, 7), (1, 9), (-7, 7));
    }

    #[test]
    fn constants_are_folded() {
        assert_eq!(binary(BinaryOp::Div, Expr::Int(7), Expr::Int(-2)), Expr::Int(-3));
        assert!(matches!(binary(BinaryOp::Div, Expr::Int(7), Expr::Int(0)), Expr::Binary(..)));
        assert_eq!(binary(BinaryOp::Lt, Expr::Int(1), Expr::Int(2)), Expr::Bool(true));
        let number = ite(Expr::Var(rely_base::Id::from_index(0)), Expr::Int(1), Expr::Int(0));
        let variable = Expr::Var(rely_base::Id::from_index(0));
        assert_eq!(binary(BinaryOp::Ne, number.clone(), Expr::Int(0)), variable.clone());
        assert_eq!(binary(BinaryOp::Lt, number.clone(), Expr::Int(1)), not(variable));
        assert_eq!(binary(BinaryOp::Ge, number, Expr::Int(0)), Expr::Bool(true));
        let sum = add(add(Expr::This, Expr::Int(5)), Expr::Int(-7));
        assert_eq!(sum, Expr::binary(BinaryOp::Sub, Expr::This, Expr::Int(2)));
        assert_eq!(
            binary(BinaryOp::Le, sum, Expr::Int(3)),
            Expr::binary(BinaryOp::Le, Expr::This, Expr::Int(5))
        );
    }
}
