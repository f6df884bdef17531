//! Operations and expressions with other ids.

use rely_program::{CheckId, Expr, LocationId, Op, Place, VarId};

/// What each id is replaced by.
pub(crate) struct Renaming<'r> {
    pub(crate) var: &'r dyn Fn(VarId) -> VarId,
    pub(crate) location: &'r dyn Fn(LocationId) -> LocationId,
    pub(crate) check: &'r dyn Fn(CheckId) -> CheckId,
}

impl Renaming<'_> {
    pub(crate) fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Var(var) => Expr::Var((self.var)(*var)),
            Expr::Element(array, index) => Expr::element((self.var)(*array), self.expr(index)),
            Expr::CountAt(location) => Expr::CountAt((self.location)(*location)),
            other => other.map_children(|child| self.expr(child)),
        }
    }

    pub(crate) fn op(&self, op: &Op) -> Op {
        let renamed = map_exprs(op, |expr| self.expr(expr));
        let place = |place: Place| match place {
            Place::Scalar(var) => Place::Scalar((self.var)(var)),
            Place::Element(array, index) => Place::Element((self.var)(array), index),
        };
        match renamed {
            Op::Assign(assignments) => {
                Op::Assign(assignments.into_iter().map(|(target, value)| (place(target), value)).collect())
            }
            Op::Havoc(target, domain) => Op::Havoc(place(target), domain),
            Op::Check(condition, check) => Op::Check(condition, (self.check)(check)),
            Op::Spawn { thread, arguments, handle } => {
                Op::Spawn { thread, arguments, handle: handle.map(place) }
            }
            other => other,
        }
    }
}

/// The operation with each of its expressions replaced.
pub(crate) fn map_exprs(op: &Op, mut replace: impl FnMut(&Expr) -> Expr) -> Op {
    let place = |target: &Place, replace: &mut dyn FnMut(&Expr) -> Expr| match target {
        Place::Scalar(var) => Place::Scalar(*var),
        Place::Element(array, index) => Place::Element(*array, replace(index)),
    };
    match op {
        Op::Assume(condition, blocking) => Op::Assume(replace(condition), *blocking),
        Op::Check(condition, check) => Op::Check(replace(condition), *check),
        Op::Assign(assignments) => {
            let mut replaced = Vec::with_capacity(assignments.len());
            for (target, value) in assignments {
                replaced.push((place(target, &mut replace), replace(value)));
            }
            Op::Assign(replaced)
        }
        Op::Havoc(target, domain) => Op::Havoc(place(target, &mut replace), *domain),
        Op::Spawn { thread, arguments, handle } => Op::Spawn {
            thread: *thread,
            arguments: arguments.iter().map(&mut replace).collect(),
            handle: handle.as_ref().map(|target| place(target, &mut replace)),
        },
        Op::Join(handle) => Op::Join(replace(handle)),
        Op::Halt => Op::Halt,
    }
}
