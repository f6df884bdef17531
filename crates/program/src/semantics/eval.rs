//! The values of expressions.

use super::layout::Layout;
use super::state::{SlotId, State};
use super::{Semantics, SlotStatus};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::VarId;
use crate::types::Value;

/// Why an expression has no value. Front ends put checks in front of what could go wrong, so
/// that a run meets these only if its values leave the range of [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum EvalError {
    /// A zero divisor.
    #[error("division by zero")]
    DivisionByZero,
    /// A shift by less than 0 or more than 63 bits.
    #[error("shift by {0} bits")]
    BadShift(Value),
    /// An index that is not in its array.
    #[error("array index {0} is out of bounds")]
    OutOfBounds(Value),
    /// A value that needs more than 127 bits.
    #[error("a value needs more than 127 bits")]
    TooLarge,
}

/// Evaluates expressions in one state, for one thread or for an observer from outside.
pub(super) struct Evaluator<'s> {
    semantics: &'s Semantics<'s>,
    layout: &'s Layout,
    state: &'s State,
    slot: Option<SlotId>,
    first_local_cell: u32,
}

impl<'p> Semantics<'p> {
    pub(super) fn observer<'s>(&'s self, state: &'s State) -> Evaluator<'s> {
        Evaluator { semantics: self, layout: &self.layout, state, slot: None, first_local_cell: 0 }
    }

    pub(super) fn participant<'s>(&'s self, state: &'s State, slot: SlotId) -> Evaluator<'s> {
        let first_local_cell = state.slot(slot).first_cell;
        Evaluator { semantics: self, layout: &self.layout, state, slot: Some(slot), first_local_cell }
    }
}

impl Evaluator<'_> {
    pub(super) fn holds(&self, condition: &Expr) -> Result<bool, EvalError> {
        Ok(self.eval(condition)? != 0)
    }

    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, EvalError> {
        match expr {
            Expr::Int(value) => Ok(*value),
            Expr::Bool(value) => Ok(Value::from(*value)),
            Expr::Var(var) => Ok(self.state.cells[self.first_cell(*var)]),
            Expr::Element(array, index) => {
                let index = self.eval(index)?;
                Ok(self.state.cells[self.cell(*array, index)?])
            }
            // Well-formed properties do not mention it, so there is a slot.
            Expr::This => Ok(self.slot.map_or(0, SlotId::handle)),
            Expr::Unary(op, operand) => apply_unary(*op, self.eval(operand)?),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                self.binary(*op, left, right)
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.eval(if self.holds(condition)? { yes } else { no })
            }
            Expr::Wrap(int_type, operand) => Ok(int_type.wrap(self.eval_modulo(operand)?)),
            Expr::CountAt(location) => {
                let at = |slot: &SlotId| self.state.location(*slot) == Some(*location);
                Ok(self.state.slots().filter(at).count() as Value)
            }
            Expr::CountRunning(thread) => {
                let running = |slot: &SlotId| {
                    self.state.thread(*slot) == *thread
                        && self.semantics.status(self.state, *slot) == SlotStatus::Running
                };
                Ok(self.state.slots().filter(running).count() as Value)
            }
        }
    }

    /// The value modulo 2^128, which is all that a machine type needs: the product of two
    /// 64-bit numbers may be too large for a [`Value`].
    fn eval_modulo(&self, expr: &Expr) -> Result<Value, EvalError> {
        match expr {
            Expr::Binary(BinaryOp::Mul, operands) => {
                Ok(self.eval(&operands[0])?.wrapping_mul(self.eval(&operands[1])?))
            }
            _ => self.eval(expr),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, EvalError> {
        let left = self.eval(left)?;
        match op {
            BinaryOp::And if left == 0 => Ok(0),
            BinaryOp::Or if left != 0 => Ok(1),
            BinaryOp::Implies if left == 0 => Ok(1),
            _ => apply_binary(op, left, self.eval(right)?),
        }
    }

    /// The cell of `array[index]`.
    pub(super) fn cell(&self, array: VarId, index: Value) -> Result<usize, EvalError> {
        let cells = Value::from(self.layout.place(array).cells);
        if !(0..cells).contains(&index) {
            return Err(EvalError::OutOfBounds(index));
        }
        Ok(self.first_cell(array) + index as usize)
    }

    pub(super) fn first_cell(&self, var: VarId) -> usize {
        let place = self.layout.place(var);
        let base = match place.owner {
            None => 0,
            Some(_) if self.slot.is_some() => self.first_local_cell,
            // From outside only the locals of instances have a meaning, and one place.
            Some(thread) => self.layout.instance_first_cell(thread).unwrap_or(0),
        };
        (base + place.offset) as usize
    }
}

/// The operator applied to a value.
pub(crate) fn apply_unary(op: UnaryOp, operand: Value) -> Result<Value, EvalError> {
    match op {
        UnaryOp::Neg => operand.checked_neg().ok_or(EvalError::TooLarge),
        UnaryOp::Not => Ok(Value::from(operand == 0)),
        UnaryOp::BitNot => Ok(!operand),
    }
}

/// The operator applied to two values that are both needed.
pub(crate) fn apply_binary(op: BinaryOp, left: Value, right: Value) -> Result<Value, EvalError> {
    use BinaryOp::*;
    let truth = |holds: bool| Ok(Value::from(holds));
    let sized = |value: Option<Value>| value.ok_or(EvalError::TooLarge);
    match op {
        Add => sized(left.checked_add(right)),
        Sub => sized(left.checked_sub(right)),
        Mul => sized(left.checked_mul(right)),
        Div | Rem if right == 0 => Err(EvalError::DivisionByZero),
        Div => sized(left.checked_div(right)),
        Rem => sized(left.checked_rem(right)),
        BitAnd => Ok(left & right),
        BitOr => Ok(left | right),
        BitXor => Ok(left ^ right),
        Shl | Shr if !(0..64).contains(&right) => Err(EvalError::BadShift(right)),
        Shl => sized(left.checked_mul(1 << right)),
        Shr => Ok(left >> right),
        Lt => truth(left < right),
        Le => truth(left <= right),
        Gt => truth(left > right),
        Ge => truth(left >= right),
        Eq => truth(left == right),
        Ne => truth(left != right),
        And => truth(left != 0 && right != 0),
        Or => truth(left != 0 || right != 0),
        Implies => truth(left == 0 || right != 0),
    }
}
