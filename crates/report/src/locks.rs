//! Which variables are locks, and which hold handles of threads, told by what the program does with them and not by
//! their names.
//!
//! Front ends model a mutex as a variable that holds the handle of its owner and 0 while it is
//! free. Whatever is only ever written that way behaves like a mutex, whoever wrote it: a step
//! takes it only while it is 0, and it then holds the handle of the thread that made the step.

use rely_program::{BinaryOp, Expr, Initial, Meaning, Op, Place, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that are only ever taken and released.
pub(crate) fn locks(program: &Program) -> Vec<VarId> {
    let mut uses: BTreeMap<VarId, BTreeSet<Use>> = BTreeMap::new();
    for edge in program.edges().values() {
        note_uses(&edge.ops, &mut uses);
    }
    let is_lock = |&var: &VarId| {
        let declaration = &program.vars()[var];
        let starts_free =
            matches!(&declaration.initial, Initial::Values(values) if values.iter().all(|value| *value == 0));
        let is_used_so =
            uses.get(&var).is_some_and(|uses| uses.contains(&Use::Take) && !uses.contains(&Use::Other));
        declaration.is_global() && starts_free && is_used_so
    };
    program.vars().ids().filter(is_lock).collect()
}

/// What an operation does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Take,
    Release,
    Other,
}

/// What the operations of one edge write to variables.
fn note_uses(ops: &[Op], found: &mut BTreeMap<VarId, BTreeSet<Use>>) {
    let mut known_free: Vec<Expr> = Vec::new();
    let mut note = |var: VarId, kind: Use| {
        found.entry(var).or_default().insert(kind);
    };
    for op in ops {
        match op {
            Op::Assume(condition, _) => known_free.extend(free_place(condition).cloned()),
            Op::Assign(assignments) => {
                for (place, value) in assignments {
                    note(place.var(), kind(place, value, &known_free));
                }
                known_free.clear();
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => note(place.var(), Use::Other),
            Op::Spawn { handle: None, .. } | Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
    }
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

/// The variables that only ever hold 0 or what starting a thread has given, and copies of such.
pub(crate) fn handles(program: &Program) -> BTreeSet<VarId> {
    let mut started: BTreeSet<VarId> = BTreeSet::new();
    let mut assigned: BTreeMap<VarId, Vec<&Expr>> = BTreeMap::new();
    let mut others: BTreeSet<VarId> = BTreeSet::new();
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        match op {
            Op::Spawn { handle: Some(place), .. } => drop(started.insert(place.var())),
            Op::Assign(parts) => {
                parts.iter().for_each(|(place, value)| assigned.entry(place.var()).or_default().push(value));
            }
            Op::Havoc(place, _) => drop(others.insert(place.var())),
            Op::Spawn { handle: None, .. } | Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
    }
    let mut handles = started;
    loop {
        let copies = |value: &&Expr| matches!(value, Expr::Var(from) | Expr::Element(from, _) if handles.contains(from));
        let new: Vec<VarId> = assigned
            .iter()
            .filter(|(var, values)| !handles.contains(var) && values.iter().any(copies))
            .map(|(var, _)| *var)
            .collect();
        if new.is_empty() {
            break;
        }
        handles.extend(new);
    }
    loop {
        let is_handle = |value: &&Expr| match value {
            Expr::Int(0) | Expr::This => true,
            Expr::Var(from) | Expr::Element(from, _) => handles.contains(from),
            _ => false,
        };
        let is_only = |var: &VarId| {
            !others.contains(var) && assigned.get(var).is_none_or(|values| values.iter().all(is_handle))
        };
        let kept: BTreeSet<VarId> = handles.iter().copied().filter(is_only).collect();
        if kept.len() == handles.len() {
            break;
        }
        handles = kept;
    }
    let said = program.vars().ids().filter(|&var| program.meanings().of(var) == Some(Meaning::Thread));
    handles.extend(said);
    handles
}
