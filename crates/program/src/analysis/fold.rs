//! Expressions with their constant parts computed.
//!
//! Folding never makes an undefined expression out of a defined one, and gives a defined one
//! the same value. It drops an operand only if that operand is always defined: a division
//! whose divisor may be zero stays where it is.

use super::constants::Env;
use crate::definedness::definedness;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::Program;
use crate::semantics::{apply_binary, apply_unary};
use crate::types::{Sort, Value};

/// The expression with the variables of `env` replaced and constants computed.
pub fn fold(program: &Program, env: &Env, expr: &Expr) -> Expr {
    let folded = match expr {
        Expr::Var(var) => match env.get(*var) {
            Some(value) => constant(program.vars[*var].sort, value),
            None => return expr.clone(),
        },
        _ => expr.map_children(|child| fold(program, env, child)),
    };
    simplify(program, folded)
}

/// The constant of a sort.
pub fn constant(sort: Sort, value: Value) -> Expr {
    match sort {
        Sort::Int => Expr::Int(value),
        Sort::Bool => Expr::Bool(value != 0),
    }
}

/// The value of a constant expression.
pub fn constant_value(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Bool(value) => Some(Value::from(*value)),
        _ => None,
    }
}

/// Whether dropping the expression cannot hide that it is undefined.
pub fn is_defined(program: &Program, expr: &Expr) -> bool {
    definedness(program, expr).is_empty()
}

/// Simplifies an expression whose parts are simplified.
fn simplify(program: &Program, expr: Expr) -> Expr {
    match expr {
        Expr::Unary(op, operand) => simplify_unary(op, *operand),
        Expr::Binary(op, operands) => {
            let [left, right] = *operands;
            simplify_binary(program, op, left, right)
        }
        Expr::Ite(parts) => {
            let [condition, yes, no] = *parts;
            match condition {
                Expr::Bool(true) => yes,
                Expr::Bool(false) => no,
                condition if yes == no && is_defined(program, &condition) => yes,
                condition => Expr::ite(condition, yes, no),
            }
        }
        Expr::Wrap(int_type, operand) => match *operand {
            Expr::Int(value) => Expr::Int(int_type.wrap(value)),
            Expr::Wrap(inner, _) if inner == int_type => *operand,
            operand => operand.wrap(int_type),
        },
        other => other,
    }
}

fn simplify_unary(op: UnaryOp, operand: Expr) -> Expr {
    let computed = constant_value(&operand).and_then(|value| apply_unary(op, value).ok());
    match (op, computed) {
        (UnaryOp::Not, Some(value)) => Expr::Bool(value != 0),
        (_, Some(value)) => Expr::Int(value),
        (UnaryOp::Not, None) => operand.negate(),
        (_, None) => Expr::unary(op, operand),
    }
}

fn simplify_binary(program: &Program, op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if op.is_connective() {
        return simplify_connective(program, op, left, right);
    }
    if let (Some(first), Some(second)) = (constant_value(&left), constant_value(&right))
        && let Ok(value) = apply_binary(op, first, second)
    {
        return constant(op.sort(), value);
    }
    if left == right && is_defined(program, &left) {
        match op {
            BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge => return Expr::Bool(true),
            BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Gt => return Expr::Bool(false),
            BinaryOp::Sub | BinaryOp::BitXor => return Expr::Int(0),
            _ => {}
        }
    }
    match (op, &left, &right) {
        (BinaryOp::Add | BinaryOp::Sub, _, Expr::Int(0)) => left,
        (BinaryOp::Add, Expr::Int(0), _) => right,
        (BinaryOp::Mul | BinaryOp::Div, _, Expr::Int(1)) => left,
        (BinaryOp::Mul, Expr::Int(1), _) => right,
        (BinaryOp::Mul, Expr::Int(0), other) | (BinaryOp::Mul, other, Expr::Int(0))
            if is_defined(program, other) =>
        {
            Expr::Int(0)
        }
        (BinaryOp::Eq, _, Expr::Bool(true)) | (BinaryOp::Ne, _, Expr::Bool(false)) => left,
        (BinaryOp::Eq, Expr::Bool(true), _) | (BinaryOp::Ne, Expr::Bool(false), _) => right,
        (BinaryOp::Eq, _, Expr::Bool(false)) | (BinaryOp::Ne, _, Expr::Bool(true)) => left.negate(),
        (BinaryOp::Eq, Expr::Bool(false), _) | (BinaryOp::Ne, Expr::Bool(true), _) => right.negate(),
        _ => compared_alternatives(op, &left, &right).unwrap_or_else(|| Expr::binary(op, left, right)),
    }
}

/// A constant compared with one of two others: that depends on the condition alone.
fn compared_alternatives(op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
    let (Expr::Ite(parts), true) = (left, op.is_comparison()) else { return None };
    let [condition, yes, no] = parts.as_ref();
    let bound = constant_value(right)?;
    let holds = |value: &Expr| apply_binary(op, constant_value(value)?, bound).ok();
    match (holds(yes)? != 0, holds(no)? != 0) {
        (true, false) => Some(condition.clone()),
        (false, true) => Some(condition.clone().negate()),
        _ => None,
    }
}

fn simplify_connective(program: &Program, op: BinaryOp, left: Expr, right: Expr) -> Expr {
    use BinaryOp::{And, Implies, Or};
    match (op, &left, &right) {
        // The left operand decides, or does not matter.
        (And, Expr::Bool(false), _) => Expr::Bool(false),
        (Or, Expr::Bool(true), _) | (Implies, Expr::Bool(false), _) => Expr::Bool(true),
        (And | Implies, Expr::Bool(true), _) | (Or, Expr::Bool(false), _) => right,
        // The right operand does not matter.
        (And, _, Expr::Bool(true)) | (Or, _, Expr::Bool(false)) => left,
        (Implies, _, Expr::Bool(false)) => left.negate(),
        // The right operand decides; the left one would be dropped.
        (And, _, Expr::Bool(false)) if is_defined(program, &left) => Expr::Bool(false),
        (Or | Implies, _, Expr::Bool(true)) if is_defined(program, &left) => Expr::Bool(true),
        (And | Or, _, _) if left == right => left,
        (Implies, _, _) if left == right && is_defined(program, &left) => Expr::Bool(true),
        _ => Expr::binary(op, left, right),
    }
}
