//! The accesses of edges, with what must hold for each of them to be made.
//!
//! The operations of an edge are walked through in order. What earlier ones assign is put into the
//! conditions and indices of later ones, so that all of them speak of the state in front of the edge.

use super::{Access, AccessId};
use crate::expr::{BinaryOp, Expr};
use crate::ir::{Edge, EdgeId, Op, Place, Program, VarId};
use rely_base::Arena;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn accesses(program: &Program) -> Arena<AccessId, Access> {
    let mut found = Arena::new();
    for (id, edge) in program.edges().iter() {
        let mut walk = Walk::new(program, id, edge);
        for op in &edge.ops {
            walk.op(op);
        }
        for access in walk.found {
            // Edges of a branch are made one after the other, and read the same.
            let is_known = |known: &Access| Access { edge: access.edge, ..known.clone() } == access;
            if !found.values().rev().take(MOST_SIBLINGS).any(is_known) {
                found.push(access);
            }
        }
    }
    found
}

/// So many accesses back an equal one is looked for. One that is listed twice costs time but no more.
const MOST_SIBLINGS: usize = 64;

/// What is known after some operations of an edge.
struct Walk<'p> {
    program: &'p Program,
    edge: EdgeId,
    declaration: &'p Edge,
    is_atomic: Option<bool>,
    guard: Vec<Expr>,
    /// What scalars have become.
    values: FxHashMap<VarId, Expr>,
    /// Variables of which the value cannot be said in terms of the state in front of the edge.
    unknown: FxHashSet<VarId>,
    is_clear: bool,
    found: Vec<Access>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, edge: EdgeId, declaration: &'p Edge) -> Self {
        let is_inside = |location| program.locations()[location].atomic;
        let is_inside = is_inside(declaration.source) || is_inside(declaration.target);
        let is_atomic = if is_inside { Some(true) } else { declaration.atomic };
        Walk {
            program,
            edge,
            declaration,
            is_atomic,
            guard: Vec::new(),
            values: FxHashMap::default(),
            unknown: FxHashSet::default(),
            is_clear: true,
            found: Vec::new(),
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => {
                self.reads(condition);
                self.require(condition);
            }
            Op::Assign(assignments) => self.assign(assignments),
            Op::Havoc(place, _) => {
                self.write(place);
                self.forget(place);
            }
            Op::Spawn { arguments, handle, .. } => {
                arguments.iter().for_each(|argument| self.reads(argument));
                if let Some(place) = handle {
                    self.write(place);
                    self.forget(place);
                }
            }
            Op::Join(handle) => {
                self.reads(handle);
                // Whether another thread has ended no condition says.
                self.is_clear = false;
            }
            Op::Halt => {}
        }
    }

    fn assign(&mut self, assignments: &[(Place, Expr)]) {
        for (_, value) in assignments {
            self.reads(value);
        }
        for (place, _) in assignments {
            self.write(place);
        }
        let values: Vec<Option<Expr>> = assignments.iter().map(|(_, value)| self.before(value)).collect();
        for ((place, _), value) in assignments.iter().zip(values) {
            self.forget(place);
            if let (Place::Scalar(var), Some(value)) = (place, value) {
                self.unknown.remove(var);
                self.values.insert(*var, value);
            }
        }
    }

    /// The condition must hold for what follows to be done.
    fn require(&mut self, condition: &Expr) {
        match self.before(condition) {
            Some(Expr::Bool(true)) => {}
            Some(condition) => self.guard.push(condition),
            None => self.is_clear = false,
        }
    }

    fn forget(&mut self, place: &Place) {
        self.values.remove(&place.var());
        self.unknown.insert(place.var());
    }

    /// The expression in terms of the state in front of the edge.
    fn before(&self, expr: &Expr) -> Option<Expr> {
        let mut is_known = true;
        expr.for_each_var(|var| is_known &= !self.unknown.contains(&var));
        is_known.then(|| self.substituted(expr))
    }

    fn substituted(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Var(var) => self.values.get(var).unwrap_or(expr).clone(),
            other => other.map_children(|child| self.substituted(child)),
        }
    }

    fn write(&mut self, place: &Place) {
        if let Place::Element(_, index) = place {
            self.reads(index);
        }
        match place {
            Place::Scalar(var) => self.access(*var, None, true),
            Place::Element(var, index) => self.access(*var, Some(index), true),
        }
    }

    /// What an expression reads; operands that are not needed are not looked at.
    fn reads(&mut self, expr: &Expr) {
        match expr {
            Expr::Var(var) => self.access(*var, None, false),
            Expr::Element(var, index) => {
                self.reads(index);
                self.access(*var, Some(index), false);
            }
            Expr::Binary(op, operands) if op.is_connective() => {
                let [left, right] = operands.as_ref();
                self.reads(left);
                let needed = if *op == BinaryOp::Or { left.clone().negate() } else { left.clone() };
                self.reads_if(&needed, right);
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.reads(condition);
                self.reads_if(condition, yes);
                self.reads_if(&condition.clone().negate(), no);
            }
            other => other.children().iter().for_each(|child| self.reads(child)),
        }
    }

    fn reads_if(&mut self, condition: &Expr, expr: &Expr) {
        let (depth, is_clear) = (self.guard.len(), self.is_clear);
        self.require(condition);
        self.reads(expr);
        self.guard.truncate(depth);
        self.is_clear = is_clear;
    }

    fn access(&mut self, var: VarId, index: Option<&Expr>, is_write: bool) {
        let declaration = &self.program.vars()[var];
        if !declaration.is_global() {
            return;
        }
        let (index, is_known) = match index.map(|index| self.before(index)) {
            None => (None, true),
            Some(None) => (None, false),
            Some(known) => (known, true),
        };
        let access = Access {
            location: self.declaration.source,
            edge: self.edge,
            var,
            index,
            is_write,
            is_atomic: self.is_atomic.unwrap_or(declaration.atomic),
            guard: self.guard.clone(),
            is_clear: self.is_clear && is_known,
        };
        // A guard that is a read once more says nothing new.
        if !self.found.contains(&access) {
            self.found.push(access);
        }
    }
}
