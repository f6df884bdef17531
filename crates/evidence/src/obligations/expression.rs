//! The expressions of programs as terms.
//!
//! The terms are right wherever an expression has a value. Where it has none (a zero divisor, an
//! index out of bounds) they are something; that this never happens is an obligation of its own.

use super::encode::{Encoder, Role, Values};
use rely_base::Id;
use rely_logic::{Integer, TermId};
use rely_program::{BinaryOp, Expr, IntType, LocationId, Place, Sort, ThreadId, UnaryOp, VarId};
use rustc_hash::FxHashMap;

/// From where an expression is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Viewer<'v> {
    /// The thread that evaluates it and its role; none for properties.
    pub(crate) thread: Option<(ThreadId, Role)>,
    /// The values of the cells.
    pub(crate) values: &'v Values,
    /// How many threads are where; only for properties.
    pub(crate) counts: &'v Counts,
}

/// How many threads stand at locations, and how many run.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) at: FxHashMap<LocationId, TermId>,
    pub(crate) running: FxHashMap<ThreadId, TermId>,
}

impl Viewer<'_> {
    fn role(&self) -> Role {
        self.thread.map_or(Role::ACTOR, |(_, role)| role)
    }
}

impl Encoder<'_> {
    /// The sort of an expression of a well-formed program.
    fn sort_of(&self, expr: &Expr) -> Sort {
        match expr {
            Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) => Sort::Bool,
            Expr::Var(var) | Expr::Element(var, _) => self.program.vars()[*var].sort,
            Expr::Binary(op, _) => op.sort(),
            Expr::Ite(parts) => self.sort_of(&parts[1]),
            Expr::Int(_)
            | Expr::This
            | Expr::Unary(..)
            | Expr::Wrap(..)
            | Expr::CountAt(_)
            | Expr::CountRunning(_) => Sort::Int,
        }
    }

    /// The value of an expression as a number; booleans are 0 and 1.
    pub(crate) fn number_of(&mut self, viewer: Viewer<'_>, expr: &Expr) -> TermId {
        match expr {
            Expr::Int(value) => self.pool.int(*value),
            Expr::Var(var) => {
                let cell = self.cell(*var, 0, viewer.role());
                self.value(cell, viewer.values)
            }
            Expr::Element(array, index) => {
                let index = self.number_of(viewer, index);
                self.element(viewer, *array, index)
            }
            Expr::This => match viewer.thread {
                Some((thread, role)) => self.handle(thread, role),
                None => self.pool.int(0),
            },
            Expr::Unary(UnaryOp::Neg, operand) => {
                let operand = self.number_of(viewer, operand);
                self.pool.neg(operand)
            }
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let operand = self.number_of(viewer, operand);
                self.pool.bit_not(operand)
            }
            Expr::Binary(op, operands) if op.sort() == Sort::Int => {
                let [left, right] = operands.as_ref();
                let (left, right) = (self.number_of(viewer, left), self.number_of(viewer, right));
                self.arithmetic(*op, left, right)
            }
            Expr::Ite(parts) if self.sort_of(expr) == Sort::Int => {
                let [condition, yes, no] = parts.as_ref();
                let condition = self.condition_of(viewer, condition);
                let (yes, no) = (self.number_of(viewer, yes), self.number_of(viewer, no));
                self.pool.ite(condition, yes, no)
            }
            Expr::Wrap(int_type, operand) => {
                let operand = self.number_of(viewer, operand);
                self.wrapped(*int_type, operand)
            }
            Expr::CountAt(location) => self.count(viewer.counts.at.get(location)),
            Expr::CountRunning(thread) => self.count(viewer.counts.running.get(thread)),
            Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) | Expr::Binary(..) | Expr::Ite(_) => {
                let condition = self.condition_of(viewer, expr);
                self.number(condition)
            }
        }
    }

    fn count(&mut self, known: Option<&TermId>) -> TermId {
        match known {
            Some(&count) => count,
            // Nothing is known of a count that nobody prepared.
            None => self.new_variable("count"),
        }
    }

    /// A boolean expression as a formula.
    pub(crate) fn condition_of(&mut self, viewer: Viewer<'_>, expr: &Expr) -> TermId {
        match expr {
            Expr::Bool(value) => self.pool.truth(*value),
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition_of(viewer, operand);
                self.pool.not(operand)
            }
            Expr::Binary(op, operands) if op.sort() == Sort::Bool => {
                let [left, right] = operands.as_ref();
                let of_booleans = op.is_connective() || self.sort_of(left) == Sort::Bool;
                if of_booleans {
                    let (left, right) = (self.condition_of(viewer, left), self.condition_of(viewer, right));
                    self.connective(*op, left, right)
                } else {
                    let (left, right) = (self.number_of(viewer, left), self.number_of(viewer, right));
                    self.comparison(*op, left, right)
                }
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref().each_ref();
                let condition = self.condition_of(viewer, condition);
                let (yes, no) = (self.condition_of(viewer, yes), self.condition_of(viewer, no));
                let otherwise = self.pool.not(condition);
                let (first, second) = (self.pool.implies(condition, yes), self.pool.implies(otherwise, no));
                self.pool.and([first, second])
            }
            _ => {
                let number = self.number_of(viewer, expr);
                self.condition(number)
            }
        }
    }

    fn connective(&mut self, op: BinaryOp, left: TermId, right: TermId) -> TermId {
        match op {
            BinaryOp::And => self.pool.and([left, right]),
            BinaryOp::Or => self.pool.or([left, right]),
            BinaryOp::Implies => self.pool.implies(left, right),
            BinaryOp::Ne => {
                let equal = self.pool.iff(left, right);
                self.pool.not(equal)
            }
            _ => self.pool.iff(left, right),
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: TermId, right: TermId) -> TermId {
        match op {
            BinaryOp::Lt => self.pool.lt(left, right),
            BinaryOp::Le => self.pool.le(left, right),
            BinaryOp::Gt => self.pool.gt(left, right),
            BinaryOp::Ge => self.pool.ge(left, right),
            BinaryOp::Ne => self.pool.ne(left, right),
            _ => self.pool.eq(left, right),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: TermId, right: TermId) -> TermId {
        match op {
            BinaryOp::Add => self.pool.add(left, right),
            BinaryOp::Sub => self.pool.sub(left, right),
            BinaryOp::Mul => self.pool.mul(left, right),
            BinaryOp::Div => self.quotient_and_remainder(left, right)[0],
            BinaryOp::Rem => self.quotient_and_remainder(left, right)[1],
            BinaryOp::BitAnd => self.pool.bit_and(left, right),
            BinaryOp::BitOr => self.pool.bit_or(left, right),
            BinaryOp::BitXor => self.pool.bit_xor(left, right),
            BinaryOp::Shl => self.pool.shift_left(left, right),
            _ => self.pool.shift_right(left, right),
        }
    }

    /// Rounded towards zero. The logic rounds the quotient by a positive constant down.
    fn quotient_and_remainder(&mut self, dividend: TermId, divisor: TermId) -> [TermId; 2] {
        let Some(constant) = self.pool.as_int(divisor).cloned() else {
            return self.divide(dividend, divisor);
        };
        let zero = self.pool.int(0);
        let size = constant.abs();
        let minus = self.pool.neg(dividend);
        let (Some(down), Some(up)) = (self.pool.div(dividend, size.clone()), self.pool.div(minus, size))
        else {
            return [zero, zero];
        };
        let up = self.pool.neg(up);
        let is_positive = self.pool.ge(dividend, zero);
        let by_size = self.pool.ite(is_positive, down, up);
        let quotient = if constant.is_negative() { self.pool.neg(by_size) } else { by_size };
        let product = self.pool.scale(constant, quotient);
        let remainder = self.pool.sub(dividend, product);
        [quotient, remainder]
    }

    fn wrapped(&mut self, int_type: IntType, operand: TermId) -> TermId {
        let width = u32::from(int_type.bits);
        if int_type.signed {
            self.pool.wrap_signed(operand, width)
        } else {
            self.pool.wrap_unsigned(operand, width)
        }
    }

    /// The value at an index that may be any term.
    fn element(&mut self, viewer: Viewer<'_>, array: VarId, index: TermId) -> TermId {
        let cells = self.program.vars()[array].cells() as u32;
        if let Some(constant) = self.constant_index(index) {
            let Some(constant) = constant.filter(|&constant| constant < cells) else {
                return self.pool.int(0);
            };
            let cell = self.cell(array, constant, viewer.role());
            return self.value(cell, viewer.values);
        }
        let mut result = None;
        for position in (0..cells).rev() {
            let cell = self.cell(array, position, viewer.role());
            let value = self.value(cell, viewer.values);
            result = Some(match result {
                None => value,
                Some(rest) => {
                    let here = self.is_at(index, position);
                    self.pool.ite(here, value, rest)
                }
            });
        }
        result.unwrap_or_else(|| self.pool.int(0))
    }

    fn is_at(&mut self, index: TermId, position: u32) -> TermId {
        let position = self.pool.int(position);
        self.pool.eq(index, position)
    }

    /// If the index is a constant: its value, or `None` in case it is none of any array.
    fn constant_index(&self, index: TermId) -> Option<Option<u32>> {
        let constant = self.pool.as_int(index)?;
        Some(constant.to_i64().and_then(|constant| u32::try_from(constant).ok()))
    }

    /// Writes a number to a place whose index was evaluated.
    pub(crate) fn store(&mut self, target: Target, number: TermId, role: Role, values: &mut Values) {
        let Some(index) = target.index else {
            values.insert(self.cell(target.var, 0, role), number);
            return;
        };
        let cells = self.program.vars()[target.var].cells() as u32;
        if let Some(constant) = self.constant_index(index) {
            if let Some(constant) = constant.filter(|&constant| constant < cells) {
                values.insert(self.cell(target.var, constant, role), number);
            }
            return;
        }
        for position in 0..cells {
            let cell = self.cell(target.var, position, role);
            let old = self.value(cell, values);
            let here = self.is_at(index, position);
            let new = self.pool.ite(here, number, old);
            values.insert(cell, new);
        }
    }

    /// Evaluates the index of a place.
    pub(crate) fn target(&mut self, viewer: Viewer<'_>, place: &Place) -> Target {
        match place {
            Place::Scalar(var) => Target { var: *var, index: None },
            Place::Element(array, index) => {
                Target { var: *array, index: Some(self.number_of(viewer, index)) }
            }
        }
    }

    /// The constant zero or one, or any other.
    pub(crate) fn constant(&mut self, value: rely_program::Value) -> TermId {
        self.pool.int(Integer::from(value))
    }
}

/// Where a value goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    var: VarId,
    index: Option<TermId>,
}

impl std::fmt::Debug for Viewer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Viewer({:?})", self.thread.map(|(thread, _)| thread.index()))
    }
}
