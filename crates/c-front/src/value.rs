//! What the evaluation of a C expression yields: a value still to be computed, or a place in
//! memory.

use crate::fold::Range;
use crate::types::CType;
use rely_base::{Span, define_id};
use rely_program::{CheckKind, Expr};

define_id!(
    /// A piece of memory with an address: a variable or a function.
    pub(crate) struct ObjectId
);

/// A scalar, or an array of scalars, inside of an object, by the object and the offset of its
/// first cell. Pointers are followed by what they may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) object: ObjectId,
    pub(crate) offset: u64,
}

/// What a value may point to; sorted, and empty for most values.
pub(crate) type Targets = Vec<Target>;

pub(crate) fn merge_targets(left: &Targets, right: &Targets) -> Targets {
    let mut merged = left.clone();
    merged.extend(right.iter().copied());
    merged.sort_unstable();
    merged.dedup();
    merged
}

/// A condition without which a value must not be computed.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) kind: CheckKind,
    pub(crate) condition: Expr,
    pub(crate) message: String,
    pub(crate) span: Option<Span>,
}

impl Guard {
    /// How the messages of tolerated guards begin.
    pub(crate) const TOLERATED: &'static str = "left shift out of range in";

    /// Whether this is only to be reported: gcc defines what happens if the condition does not hold,
    /// though C does not, so the program goes on then. Memory that was freed is still there.
    pub(crate) fn is_tolerated(&self) -> bool {
        is_tolerated(self.kind, &self.message)
    }
}

/// Whether a check was made for a tolerated guard.
pub(crate) fn is_tolerated(kind: CheckKind, message: &str) -> bool {
    kind == CheckKind::Lifetime || kind == CheckKind::Overflow && message.starts_with(Guard::TOLERATED)
}

/// An address whose object is known: a constant offset and multiples of computed indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) object: ObjectId,
    pub(crate) offset: i64,
    /// Indices with their strides in bytes, all different.
    pub(crate) dynamic: Vec<(Expr, i64)>,
}

impl Known {
    pub(crate) fn start_of(object: ObjectId) -> Self {
        Known { object, offset: 0, dynamic: Vec::new() }
    }
}

/// An address.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Known(Known),
    /// A number that the program computes, and what it may point to.
    Computed(Expr, Targets),
}

/// A place in memory.
#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub(crate) ty: CType,
    pub(crate) address: Address,
    /// What must hold before the address is used.
    pub(crate) guards: Vec<Guard>,
}

/// A value to be computed. Nothing has happened yet: whoever uses it puts the guards and the
/// computation into one step.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// Never an array, a function or an atomic type.
    pub(crate) ty: CType,
    pub(crate) kind: Kind,
    /// What must hold before the value is computed, in order.
    pub(crate) guards: Vec<Guard>,
    /// Computing it reads shared memory, once.
    pub(crate) reads_shared: bool,
    pub(crate) targets: Targets,
    pub(crate) range: Range,
    /// The value of a floating-point constant; of other floating-point numbers nothing is known.
    pub(crate) real: Option<f64>,
    /// How deeply the expression nests.
    pub(crate) depth: u32,
}

/// How a value is computed.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An integer, or the address in a pointer.
    Number(Expr),
    /// 0 or 1, as a condition.
    Truth(Expr),
    /// The address of a known object.
    Pointer(Known),
    /// The contents of a structure.
    Record(Lvalue),
    /// Nothing.
    Void,
}

impl Value {
    /// What is computed for it, the conditions of its guards included.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (own, indices) = match &self.kind {
            Kind::Number(expr) | Kind::Truth(expr) => (Some(expr), [].as_slice()),
            Kind::Pointer(known) => (None, known.dynamic.as_slice()),
            Kind::Record(_) | Kind::Void => (None, [].as_slice()),
        };
        let guards = self.guards.iter().map(|guard| &guard.condition);
        own.into_iter().chain(indices.iter().map(|(index, _)| index)).chain(guards)
    }

    pub(crate) fn number(ty: CType, expr: Expr, range: Range) -> Self {
        let kind = Kind::Number(expr);
        Value {
            ty,
            kind,
            guards: Vec::new(),
            reads_shared: false,
            targets: Vec::new(),
            range,
            real: None,
            depth: 1,
        }
    }

    /// A floating-point number, known or not.
    pub(crate) fn floating(ty: CType, real: Option<f64>) -> Self {
        let real = match ty {
            CType::Float(4) => real.map(|real| f64::from(real as f32)),
            CType::Float(8) => real,
            _ => None,
        };
        Value { real, ..Value::constant(ty, 0) }
    }

    pub(crate) fn constant(ty: CType, value: i128) -> Self {
        Value::number(ty, Expr::Int(value), Range::exactly(value))
    }

    pub(crate) fn truth(ty: CType, condition: Expr) -> Self {
        Value { kind: Kind::Truth(condition), ..Value::number(ty, Expr::Int(0), Range::TRUTH) }
    }

    pub(crate) fn pointer(ty: CType, known: Known) -> Self {
        let depth = if known.dynamic.is_empty() { 1 } else { 4 };
        let range = Range { low: 0, high: i128::from(u64::MAX) };
        Value { kind: Kind::Pointer(known), depth, ..Value::number(ty, Expr::Int(0), range) }
    }

    pub(crate) fn record(ty: CType, lvalue: Lvalue) -> Self {
        Value { kind: Kind::Record(lvalue), ..Value::constant(ty, 0) }
    }

    pub(crate) fn void() -> Self {
        Value { kind: Kind::Void, ..Value::constant(CType::Void, 0) }
    }

    /// The value, if it is an integer constant.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match &self.kind {
            _ if self.ty.is_float() => None,
            Kind::Number(Expr::Int(value)) => Some(*value),
            Kind::Truth(Expr::Bool(value)) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// Whether nothing has to be checked before it is used, but what is tolerated.
    pub(crate) fn is_certain(&self) -> bool {
        self.guards.iter().all(|guard| guard.condition == Expr::Bool(true) || guard.is_tolerated())
    }

    /// Takes over what two operands need and may point to.
    pub(crate) fn joined(mut self, left: &Value, right: &Value) -> Self {
        self.guards = left.guards.iter().chain(&right.guards).cloned().chain(self.guards).collect();
        self.reads_shared = left.reads_shared || right.reads_shared;
        self.depth = left.depth.max(right.depth) + 1;
        self.targets = merge_targets(&left.targets, &right.targets);
        self
    }
}
