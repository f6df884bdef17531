//! Whether a program only asks of handles which is which.
//!
//! A handle is the number of a thread's slot, and a pass that makes instances of templates gives
//! threads other slots. That makes no difference as long as handles are copied, joined, compared
//! with each other and with what is no handle: every run with the old numbers is one with the new
//! numbers, each handle replaced by another one. A program that computes with handles, or compares
//! them with a number that could be one, sees the difference: `pthread_self() % 2`, `owner == 2`,
//! `join 3`.
//!
//! A variable *may hold handles* if one can get there by assignments, wherever in the program.

use super::IdSet;
use crate::expr::{BinaryOp, Expr};
use crate::ir::{Initial, Op, Place, Program, VarId};
use crate::property::PropertyKind;
use crate::types::{Domain, IntType, Value};

/// Numbers from here on are not handles: nobody starts so many threads.
const NO_HANDLE: Value = 1 << 31;

/// Whether all that happens stays the same if threads get other handles.
pub fn handles_are_opaque(program: &Program) -> bool {
    let handles = Handles { program, holders: holders(program) };
    let ops = program.edges.values().flat_map(|edge| &edge.ops);
    let claimed = program.properties().iter().filter_map(|property| match &property.kind {
        PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => Some(condition),
        PropertyKind::DeadlockFree | PropertyKind::Terminates => None,
    });
    handles.holders.iter().all(|var| starts_opaque(&program.vars[var].initial))
        && ops.into_iter().all(|op| handles.is_opaque_op(op))
        && claimed.chain(program.requires()).all(|condition| handles.is_opaque(condition))
}

/// The variables that may hold handles.
fn holders(program: &Program) -> IdSet<VarId> {
    let mut handles = Handles { program, holders: IdSet::new() };
    let mut grown = true;
    while grown {
        grown = false;
        for op in program.edges.values().flat_map(|edge| &edge.ops) {
            for holder in handles.given_by(op) {
                grown |= handles.holders.insert(holder);
            }
        }
    }
    handles.holders
}

fn is_no_handle(value: Value) -> bool {
    value <= 0 || value >= NO_HANDLE
}

/// Whether the values in a domain stay the same if handles are exchanged.
fn is_opaque_domain(domain: Domain) -> bool {
    match domain {
        Domain::AllInts => true,
        Domain::Bool => false,
        Domain::Range { low, high } => high <= 0 || low >= NO_HANDLE || (low <= 1 && high >= NO_HANDLE),
    }
}

fn starts_opaque(initial: &Initial) -> bool {
    match initial {
        Initial::Values(values) => values.iter().all(|&value| is_no_handle(value)),
        Initial::Any(domain) => is_opaque_domain(*domain),
    }
}

struct Handles<'p> {
    program: &'p Program,
    holders: IdSet<VarId>,
}

impl Handles<'_> {
    /// The variables to which an operation gives what may be a handle.
    fn given_by(&self, op: &Op) -> Vec<VarId> {
        match op {
            Op::Assign(assignments) => {
                let given = assignments.iter().filter(|(_, value)| self.may_be_handle(value));
                given.map(|(place, _)| place.var()).collect()
            }
            Op::Spawn { thread, arguments, handle } => {
                let parameters = self.program.threads[*thread].parameters.iter().zip(arguments);
                let given = parameters.filter(|(_, argument)| self.may_be_handle(argument));
                given.map(|(&parameter, _)| parameter).chain(handle.as_ref().map(Place::var)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn may_be_handle(&self, expr: &Expr) -> bool {
        match expr {
            Expr::This => true,
            Expr::Var(var) | Expr::Element(var, _) => self.holders.contains(*var),
            Expr::Ite(parts) => parts[1..].iter().any(|part| self.may_be_handle(part)),
            Expr::Wrap(_, operand) => self.may_be_handle(operand),
            _ => false,
        }
    }

    fn is_opaque_op(&self, op: &Op) -> bool {
        let is_opaque_place = |place: &Place| match place {
            Place::Scalar(_) => true,
            Place::Element(_, index) => self.is_opaque(index),
        };
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => self.is_opaque(condition),
            Op::Assign(assignments) => assignments
                .iter()
                .all(|(place, value)| is_opaque_place(place) && self.is_opaque_gift(place.var(), value)),
            Op::Havoc(place, domain) => {
                is_opaque_place(place) && (!self.holders.contains(place.var()) || is_opaque_domain(*domain))
            }
            Op::Spawn { thread, arguments, handle } => {
                let parameters = &self.program.threads[*thread].parameters;
                let mut gifts = parameters.iter().zip(arguments);
                gifts.all(|(&parameter, argument)| self.is_opaque_gift(parameter, argument))
                    && handle.as_ref().is_none_or(is_opaque_place)
            }
            Op::Join(handle) => self.is_handle(handle),
            Op::Halt => true,
        }
    }

    fn is_opaque_gift(&self, var: VarId, value: &Expr) -> bool {
        if self.holders.contains(var) { self.is_handle(value) } else { self.is_opaque(value) }
    }

    /// Whether an expression is a handle, or a number that is none, and which of these it is does
    /// not depend on how handles are numbered.
    fn is_handle(&self, expr: &Expr) -> bool {
        match expr {
            Expr::This => true,
            Expr::Int(value) => is_no_handle(*value),
            Expr::Var(var) => self.holders.contains(*var),
            Expr::Element(array, index) => self.holders.contains(*array) && self.is_opaque(index),
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.is_opaque(condition) && self.is_handle(yes) && self.is_handle(no)
            }
            Expr::Wrap(IntType { bits, .. }, operand) => *bits >= 32 && self.is_handle(operand),
            _ => false,
        }
    }

    /// Whether the value of an expression does not depend on how handles are numbered.
    fn is_opaque(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, sides)
                if sides.iter().any(|side| self.may_be_handle(side)) =>
            {
                sides.iter().all(|side| self.is_handle(side))
            }
            // Handles are positive.
            Expr::Binary(op, sides) if op.is_comparison() && sides.iter().any(is_not_positive) => {
                sides.iter().all(|side| self.is_handle(side) || self.is_opaque(side))
            }
            other => !self.may_be_handle(other) && other.children().iter().all(|child| self.is_opaque(child)),
        }
    }
}

fn is_not_positive(expr: &Expr) -> bool {
    matches!(expr, Expr::Int(value) if *value <= 0)
}
