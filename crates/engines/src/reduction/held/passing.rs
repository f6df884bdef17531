//! What a thread knows of the locks while it takes an edge, operation by operation.

use super::{About, Facts, Held, Known, is_taken};
use rely_program::{BinaryOp, Edge, EdgeId, Expr, Op, Program, Sort, UnaryOp, Value, VarId, definedness};
use std::collections::BTreeMap;

/// What an edge does to the variables, if it can be taken at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::reduction) struct Passage {
    /// What holds before a step along the edge.
    pub(in crate::reduction) needs: Facts,
    /// What of that holds if the edge goes wrong, if it can.
    pub(in crate::reduction) needs_to_fail: Option<Facts>,
    /// What holds after it.
    pub(in crate::reduction) leaves: Facts,
    /// Of what it leaves something else.
    pub(super) changes: Vec<About>,
}

impl Passage {
    /// What an edge does to those who know this in front of it; `None` if it cannot be taken.
    pub(super) fn along(held: &Held<'_>, edge: EdgeId, source: &Facts, fails: Option<usize>) -> Option<Self> {
        let (declaration, actor) = (&held.program.edges()[edge], held.actor(edge));
        let mut passing = Passing {
            held,
            handle: held.program.instance_handle(actor),
            needs: source.clone(),
            now: source.clone(),
            changes: Vec::new(),
            copies: BTreeMap::new(),
        };
        let mut needs_to_fail = None;
        for (position, op) in declaration.ops.iter().enumerate() {
            if fails == Some(position) {
                needs_to_fail = Some(passing.needs.clone());
            }
            passing.take(op)?;
        }
        if declaration.target == held.program.threads()[actor].exit && !held.is_template(actor) {
            passing.set(About::Place(actor), Some(Known::Ended));
        }
        passing.take_locks();
        passing.now.retain(|about, _| !matches!(about, About::Share(_)));
        passing.now.extend(held.holds(declaration.target)?);
        let Passing { needs, now, changes, .. } = passing;
        Some(Self { needs, needs_to_fail, leaves: now, changes })
    }
}

/// The first operation of an edge that can violate a check, or have no meaning.
pub(super) fn first_failure(program: &Program, edge: &Edge) -> Option<usize> {
    let undefined = |expr: &Expr| !definedness(program, expr).is_empty();
    edge.ops.iter().position(|op| match op {
        Op::Check(..) | Op::Spawn { .. } => true,
        Op::Assume(condition, _) => undefined(condition),
        Op::Assign(pairs) => pairs.iter().any(|(place, value)| undefined(&place.read()) || undefined(value)),
        Op::Havoc(place, _) => undefined(&place.read()),
        Op::Join(handle) => undefined(handle),
        Op::Halt => false,
    })
}

/// A step along an edge, operation by operation.
struct Passing<'h> {
    held: &'h Held<'h>,
    /// The handle of the thread, if there is only one.
    handle: Option<Value>,
    needs: Facts,
    now: Facts,
    changes: Vec<About>,
    /// Locals that hold the value that a lock had before the step.
    copies: BTreeMap<VarId, VarId>,
}

impl Passing<'_> {
    /// `None` if the operation cannot be done.
    fn take(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Assume(condition, _) => self.assume(condition, true)?,
            Op::Assign(pairs) => {
                let values: Vec<_> = pairs
                    .iter()
                    .map(|(place, value)| (place.var(), self.known(value), self.copied(value)))
                    .collect();
                for (var, value, copied) in values {
                    self.assign(var, value);
                    if let Some(lock) = copied {
                        self.copies.insert(var, lock);
                    }
                }
            }
            Op::Havoc(place, _) => self.assign(place.var(), None),
            Op::Spawn { thread, handle, .. } => {
                self.set(About::Place(*thread), None);
                if let Some(place) = handle {
                    self.assign(place.var(), None);
                }
            }
            Op::Join(Expr::Int(handle)) => self.join(*handle)?,
            Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
        Some(())
    }

    /// Goes on if an instance has ended.
    fn join(&mut self, handle: Value) -> Option<()> {
        let program = self.held.program;
        let Some(thread) =
            program.threads().ids().find(|thread| program.instance_handle(*thread) == Some(handle))
        else {
            return Some(());
        };
        self.test(About::Place(thread), Known::Ended, true)
    }

    /// Holds a lock from here on, or not any more. Who takes it has seen it free.
    fn take_locks(&mut self) {
        for (&var, &free) in &self.held.spins {
            let (value, lock) = (About::Value(var), About::Lock(var));
            let was_held = self.now.contains_key(&lock);
            let was_free = self.needs.get(&value) == Some(&Known::Constant(free));
            let is_held = is_taken(&self.now, var, free) && (was_held || was_free);
            if is_held != was_held {
                self.set(lock, is_held.then_some(Known::Own));
            }
        }
    }

    /// The lock whose value before the step an expression is.
    fn copied(&self, expr: &Expr) -> Option<VarId> {
        match expr {
            Expr::Var(var) if self.held.spins.contains_key(var) => {
                (!self.changes.contains(&About::Value(*var))).then_some(*var)
            }
            _ => None,
        }
    }

    fn assign(&mut self, var: VarId, value: Option<Known>) {
        self.copies.remove(&var);
        if self.held.locks.contains(var) {
            self.set(About::Value(var), value);
        }
    }

    fn set(&mut self, about: About, value: Option<Known>) {
        if !self.changes.contains(&about) {
            self.changes.push(about);
        }
        match value {
            Some(value) => _ = self.now.insert(about, value),
            None => _ = self.now.remove(&about),
        }
    }

    fn known(&self, expr: &Expr) -> Option<Known> {
        match expr {
            Expr::Int(value) => Some(Known::Constant(*value)),
            Expr::Bool(value) => Some(Known::Constant(Value::from(*value))),
            Expr::This => Some(self.handle.map_or(Known::Own, Known::Constant)),
            _ => None,
        }
    }

    /// Goes on if a condition holds, or does not.
    fn assume(&mut self, condition: &Expr, holds: bool) -> Option<()> {
        match condition {
            Expr::Var(var) => self.test_value(*var, Known::Constant(1), holds),
            Expr::Unary(UnaryOp::Not, operand) => self.assume(operand, !holds),
            Expr::Binary(BinaryOp::And, operands) if holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, true))
            }
            Expr::Binary(BinaryOp::Or, operands) if !holds => {
                operands.iter().try_for_each(|operand| self.assume(operand, false))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), operands) => {
                let is_equal = (*op == BinaryOp::Eq) == holds;
                match &**operands {
                    [Expr::Var(var), value] | [value, Expr::Var(var)] => match self.known(value) {
                        Some(value) => self.test_value(*var, value, is_equal),
                        None => Some(()),
                    },
                    _ => Some(()),
                }
            }
            _ => Some(()),
        }
    }

    fn test_value(&mut self, var: VarId, value: Known, is_equal: bool) -> Option<()> {
        if let Some(&lock) = self.copies.get(&var) {
            return self.test_before(About::Value(lock), value, is_equal);
        }
        if !self.held.locks.contains(var) {
            return Some(());
        }
        // A boolean that is not true is false.
        let is_bool = self.held.program.vars()[var].sort == Sort::Bool;
        let (value, is_equal) = match value {
            Known::Constant(constant) if is_bool && !is_equal => (Known::Constant(1 - constant), true),
            other => (other, is_equal),
        };
        self.test(About::Value(var), value, is_equal)
    }

    /// Goes on if something was so before the step.
    fn test_before(&mut self, about: About, value: Known, is_equal: bool) -> Option<()> {
        match self.needs.get(&about) {
            Some(known) if is_equal => return (!self.held.is_not(*known, value)).then_some(()),
            Some(known) => return (*known != value).then_some(()),
            None if !is_equal => return Some(()),
            None => {}
        }
        self.needs.insert(about, value);
        if !self.changes.contains(&about) {
            self.now.insert(about, value);
        }
        Some(())
    }

    fn test(&mut self, about: About, value: Known, is_equal: bool) -> Option<()> {
        match self.now.get(&about) {
            Some(known) if is_equal => return (!self.held.is_not(*known, value)).then_some(()),
            Some(known) => return (*known != value).then_some(()),
            None if !is_equal => return Some(()),
            None => {}
        }
        self.now.insert(about, value);
        if !self.changes.contains(&about) {
            self.needs.insert(about, value);
        }
        Some(())
    }
}
