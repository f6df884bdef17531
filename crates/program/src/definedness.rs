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

/// Under a guard at most this many conditions stay apart; more are put together, so that a chain
/// of a thousand operands does not repeat its beginning a thousand times.
const MOST_GUARDED_CONDITIONS: usize = 4;

fn collect(program: &Program, expr: &Expr, conditions: &mut Vec<(CheckKind, Expr)>) {
    match expr {
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), _) => {
            collect_chain(program, *op, &chain(*op, expr), conditions);
        }
        Expr::Binary(BinaryOp::Implies, operands) => {
            let [left, right] = operands.as_ref();
            collect(program, left, conditions);
            push_under(left.clone(), definedness(program, right), conditions);
        }
        Expr::Ite(parts) => {
            let [condition, yes, no] = parts.as_ref();
            collect(program, condition, conditions);
            push_under(condition.clone(), definedness(program, yes), conditions);
            push_under(condition.clone().negate(), definedness(program, no), conditions);
        }
        _ => {
            for child in expr.children() {
                collect(program, child, conditions);
            }
            conditions.extend(own_condition(program, expr));
        }
    }
}

/// The operands of nested conjunctions, or disjunctions, in the order of their evaluation.
fn chain(op: BinaryOp, expr: &Expr) -> Vec<&Expr> {
    let mut operands = Vec::new();
    let mut pending = vec![expr];
    while let Some(next) = pending.pop() {
        match next {
            Expr::Binary(inner, parts) if *inner == op => pending.extend([&parts[1], &parts[0]]),
            operand => operands.push(operand),
        }
    }
    operands
}

/// The second half of the operands is evaluated only if the first half does not decide. Halving
/// keeps the conditions almost as short as the chain.
fn collect_chain(
    program: &Program,
    op: BinaryOp,
    operands: &[&Expr],
    conditions: &mut Vec<(CheckKind, Expr)>,
) {
    if let [operand] = operands {
        return collect(program, operand, conditions);
    }
    let (first, second) = operands.split_at(operands.len() - operands.len() / 2);
    collect_chain(program, op, first, conditions);
    let mut inner = Vec::new();
    collect_chain(program, op, second, &mut inner);
    if !inner.is_empty() {
        let undecided = |operand: &&Expr| {
            let operand = (*operand).clone();
            if op == BinaryOp::Or { operand.negate() } else { operand }
        };
        push_under(Expr::all(first.iter().map(undecided)), inner, conditions);
    }
}

fn push_under(guard: Expr, inner: Vec<(CheckKind, Expr)>, conditions: &mut Vec<(CheckKind, Expr)>) {
    let inner = if inner.len() > MOST_GUARDED_CONDITIONS { vec![together(inner)] } else { inner };
    conditions.extend(inner.into_iter().map(|(kind, condition)| (kind, guard.clone().implies(condition))));
}

/// All conditions as one, in their order; its kind is that of the first.
fn together(conditions: Vec<(CheckKind, Expr)>) -> (CheckKind, Expr) {
    let kind = conditions.first().map_or(CheckKind::Bounds, |(kind, _)| *kind);
    (kind, Expr::all(conditions.into_iter().map(|(_, condition)| condition)))
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
