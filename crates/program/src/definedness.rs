//! When an expression has a value.

use crate::expr::{BinaryOp, Expr};
use crate::ir::{CheckKind, Program};

/// The conditions under which evaluating `expr` meets no undefined operation, each with the
/// kind of mistake that its failure would be. Operands that are only evaluated under a
/// condition only matter under that condition.
///
/// Front ends turn these into [`Op::Check`](crate::Op) in front of each use of an expression.
pub fn definedness(program: &Program, expr: &Expr) -> Vec<(CheckKind, Expr)> {
    let mut conditions = Vec::new();
    collect(program, expr, &mut conditions);
    conditions
}

fn collect(program: &Program, expr: &Expr, conditions: &mut Vec<(CheckKind, Expr)>) {
    match expr {
        Expr::Binary(op, operands) if op.is_connective() => {
            let [left, right] = operands.as_ref();
            collect(program, left, conditions);
            let guard = if *op == BinaryOp::Or { left.clone().negate() } else { left.clone() };
            collect_under(program, guard, right, conditions);
        }
        Expr::Ite(parts) => {
            let [condition, yes, no] = parts.as_ref();
            collect(program, condition, conditions);
            collect_under(program, condition.clone(), yes, conditions);
            collect_under(program, condition.clone().negate(), no, conditions);
        }
        _ => {
            for child in expr.children() {
                collect(program, child, conditions);
            }
            conditions.extend(own_condition(program, expr));
        }
    }
}

fn collect_under(program: &Program, guard: Expr, expr: &Expr, conditions: &mut Vec<(CheckKind, Expr)>) {
    let inner = definedness(program, expr);
    conditions.extend(inner.into_iter().map(|(kind, condition)| (kind, guard.clone().implies(condition))));
}

/// What the outermost operation of `expr` needs, its parts being defined.
fn own_condition(program: &Program, expr: &Expr) -> Option<(CheckKind, Expr)> {
    match expr {
        Expr::Element(array, index) => {
            let last = program.vars()[*array].cells() as i128 - 1;
            match **index {
                Expr::Int(constant) if (0..=last).contains(&constant) => None,
                _ => Some((CheckKind::Bounds, index.as_ref().clone().between(0, last))),
            }
        }
        Expr::Binary(op, operands) => {
            let right = &operands[1];
            match (op, right) {
                (BinaryOp::Div | BinaryOp::Rem, Expr::Int(divisor)) if *divisor != 0 => None,
                (BinaryOp::Div | BinaryOp::Rem, _) => {
                    Some((CheckKind::Arithmetic, right.clone().ne(Expr::int(0))))
                }
                (BinaryOp::Shl | BinaryOp::Shr, Expr::Int(shift)) if (0..64).contains(shift) => None,
                (BinaryOp::Shl | BinaryOp::Shr, _) => {
                    Some((CheckKind::Arithmetic, right.clone().between(0, 63)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
