//! Constant parts of expressions are computed at once: array indices that are known need no
//! check, and `me` and constants decide conditions.

use rely_program::{BinaryOp, Expr, UnaryOp, Value};

/// The operator applied, computed if its operand is known.
pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match (op, &operand) {
        (UnaryOp::Neg, Expr::Int(value)) if *value != Value::MIN => Expr::Int(-value),
        (UnaryOp::BitNot, Expr::Int(value)) => Expr::Int(!value),
        (UnaryOp::Not, _) => operand.negate(),
        _ => Expr::unary(op, operand),
    }
}

/// The operator applied, computed if its operands are known.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Int(left), Expr::Int(right)) = (&left, &right)
        && let Some(known) = known(op, *left, *right)
    {
        return known;
    }
    match (op, &left, &right) {
        (BinaryOp::And, Expr::Bool(true), _) | (BinaryOp::Or, Expr::Bool(false), _) => right,
        (BinaryOp::Implies, Expr::Bool(true), _) => right,
        (BinaryOp::And, Expr::Bool(false), _) => Expr::Bool(false),
        (BinaryOp::Or, Expr::Bool(true), _) | (BinaryOp::Implies, Expr::Bool(false), _) => Expr::Bool(true),
        (BinaryOp::And, _, Expr::Bool(true)) | (BinaryOp::Or, _, Expr::Bool(false)) => left,
        (BinaryOp::Eq, Expr::Bool(left), Expr::Bool(right)) => Expr::Bool(left == right),
        (BinaryOp::Ne, Expr::Bool(left), Expr::Bool(right)) => Expr::Bool(left != right),
        _ => Expr::binary(op, left, right),
    }
}

/// The chosen one, if the condition is known.
pub fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match condition {
        Expr::Bool(true) => yes,
        Expr::Bool(false) => no,
        condition => Expr::ite(condition, yes, no),
    }
}

fn known(op: BinaryOp, left: Value, right: Value) -> Option<Expr> {
    use BinaryOp::*;
    Some(match op {
        Add => Expr::Int(left.checked_add(right)?),
        Sub => Expr::Int(left.checked_sub(right)?),
        Mul => Expr::Int(left.checked_mul(right)?),
        Div => Expr::Int(left.checked_div(right)?),
        Rem => Expr::Int(left.checked_rem(right)?),
        BitAnd => Expr::Int(left & right),
        BitOr => Expr::Int(left | right),
        BitXor => Expr::Int(left ^ right),
        Shl if (0..64).contains(&right) => Expr::Int(left.checked_mul(1 << right)?),
        Shr if (0..64).contains(&right) => Expr::Int(left >> right),
        Lt => Expr::Bool(left < right),
        Le => Expr::Bool(left <= right),
        Gt => Expr::Bool(left > right),
        Ge => Expr::Bool(left >= right),
        Eq => Expr::Bool(left == right),
        Ne => Expr::Bool(left != right),
        Shl | Shr | And | Or | Implies => return None,
    })
}

/// The operands connected pairwise, so that the result is as flat as can be.
pub fn balanced(op: BinaryOp, operands: Vec<Expr>, empty: Expr) -> Expr {
    let mut level = operands;
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut pairs = level.into_iter();
        while let Some(left) = pairs.next() {
            next.push(match pairs.next() {
                Some(right) => binary(op, left, right),
                None => left,
            });
        }
        level = next;
    }
    level.pop().unwrap_or(empty)
}
