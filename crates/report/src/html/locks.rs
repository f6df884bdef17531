//! Which variables are locks, told by what the program does with them and not by their names.
//!
//! Front ends model a mutex as a variable that holds the handle of its owner and 0 while it is
//! free. Whatever is only ever written that way behaves like a mutex, whoever wrote it: a step
//! takes it only while it is 0, and it then holds the handle of the thread that made the step.

use rely_program::{BinaryOp, Expr, Initial, Op, Place, Program, VarId};

/// The variables that are only ever taken and released.
pub(super) fn locks(program: &Program) -> Vec<VarId> {
    let is_lock = |&var: &VarId| {
        let declaration = &program.vars()[var];
        let starts_free =
            matches!(&declaration.initial, Initial::Values(values) if values.iter().all(|value| *value == 0));
        let uses: Vec<Use> = program.edges().values().flat_map(|edge| uses(&edge.ops, var)).collect();
        declaration.is_global() && starts_free && uses.contains(&Use::Take) && !uses.contains(&Use::Other)
    };
    program.vars().ids().filter(is_lock).collect()
}

/// What an operation does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Take,
    Release,
    Other,
}

/// What the operations of one edge write to a variable.
fn uses(ops: &[Op], var: VarId) -> Vec<Use> {
    let mut known_free: Vec<Expr> = Vec::new();
    let mut found = Vec::new();
    for op in ops {
        match op {
            Op::Assume(condition, _) => known_free.extend(free_place(condition).cloned()),
            Op::Assign(assignments) => {
                let written = assignments.iter().filter(|(place, _)| place.var() == var);
                found.extend(written.map(|(place, value)| kind(place, value, &known_free)));
                known_free.clear();
            }
            Op::Havoc(place, _) if place.var() == var => found.push(Use::Other),
            Op::Spawn { handle: Some(place), .. } if place.var() == var => found.push(Use::Other),
            Op::Havoc(..) | Op::Spawn { .. } | Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
    }
    found
}

fn kind(place: &Place, value: &Expr, known_free: &[Expr]) -> Use {
    match value {
        Expr::Int(0) => Use::Release,
        Expr::This if known_free.contains(&place.read()) => Use::Take,
        // What trying to lock does: it is taken if it is free and otherwise stays as it is.
        Expr::Ite(parts)
            if parts[1] == Expr::This
                && parts[2] == place.read()
                && free_place(&parts[0]) == Some(&place.read()) =>
        {
            Use::Take
        }
        _ => Use::Other,
    }
}

/// `p` of a condition `p == 0`.
fn free_place(condition: &Expr) -> Option<&Expr> {
    match condition {
        Expr::Binary(BinaryOp::Eq, sides) => match sides.as_ref() {
            [place, Expr::Int(0)] | [Expr::Int(0), place] => Some(place),
            _ => None,
        },
        _ => None,
    }
}
