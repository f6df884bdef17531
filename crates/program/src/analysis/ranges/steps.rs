//! What operations make of the ranges that a thread knows.

use super::{Known, Range, Ranges};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::{Op, Place};

impl Ranges<'_> {
    /// The values that an expression may have for a thread that knows these ranges.
    pub fn of(&self, known: &Known, expr: &Expr) -> Range {
        match expr {
            Expr::Int(value) => Range::only(*value),
            Expr::Bool(value) => Range::only((*value).into()),
            Expr::Var(var) => known.get(*var).or(self.anytime[*var]).unwrap_or(Range::ALL),
            Expr::Element(array, _) => self.anytime[*array].unwrap_or(Range::ALL),
            Expr::This => Range::between(Some(1), None),
            Expr::Unary(UnaryOp::Neg, operand) => self.of(known, operand).negated(),
            Expr::Unary(UnaryOp::Not, operand) => Range::only(1).minus(self.of(known, operand)),
            Expr::Unary(UnaryOp::BitNot, operand) => Range::only(-1).minus(self.of(known, operand)),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                Range::apply(*op, self.of(known, left), self.of(known, right))
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                match self.of(known, condition).single() {
                    Some(0) => self.of(known, no),
                    Some(_) => self.of(known, yes),
                    None => self.of(known, yes).hull(self.of(known, no)),
                }
            }
            Expr::Wrap(int_type, operand) => self.of(known, operand).wrapped(*int_type),
            Expr::CountAt(_) | Expr::CountRunning(_) => Range::between(Some(0), None),
        }
    }

    /// Does an operation on what a thread knows; false if it never lets a run pass.
    pub fn step(&self, known: &mut Known, op: &Op) -> bool {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => return self.learn(known, condition, true),
            Op::Join(_) | Op::Halt => {}
            Op::Assign(_) | Op::Havoc(..) | Op::Spawn { .. } => {
                for (place, range) in self.writes(known, op) {
                    if let Place::Scalar(var) = place {
                        known.set(*var, range);
                    }
                }
            }
        }
        true
    }

    /// What an operation writes.
    pub(super) fn writes<'o>(&self, known: &Known, op: &'o Op) -> Vec<(&'o Place, Range)> {
        match op {
            Op::Assign(assignments) => {
                assignments.iter().map(|(place, value)| (place, self.of(known, value))).collect()
            }
            Op::Havoc(place, domain) => vec![(place, Range::of_domain(*domain))],
            Op::Spawn { handle: Some(place), .. } => vec![(place, Range::between(Some(1), None))],
            Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {
                Vec::new()
            }
        }
    }

    /// Takes from a condition that holds (or does not) what it says about variables; false if
    /// that cannot be.
    fn learn(&self, known: &mut Known, condition: &Expr, holds: bool) -> bool {
        let decided = self.of(known, condition).single();
        if decided.is_some_and(|value| (value != 0) != holds) {
            return false;
        }
        match condition {
            Expr::Var(var) => {
                known.set(*var, Range::only(holds.into()));
                true
            }
            Expr::Unary(UnaryOp::Not, operand) => self.learn(known, operand, !holds),
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                match op {
                    BinaryOp::And if holds => [left, right].iter().all(|part| self.learn(known, part, true)),
                    BinaryOp::Or if !holds => [left, right].iter().all(|part| self.learn(known, part, false)),
                    op if op.is_comparison() => {
                        let op = if holds { *op } else { opposite(*op) };
                        self.compare(known, left, op, right) && self.compare(known, right, mirrored(op), left)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Learns about the left side of a comparison that holds.
    fn compare(&self, known: &mut Known, left: &Expr, op: BinaryOp, right: &Expr) -> bool {
        let bound = self.of(known, right);
        let allowed = match op {
            BinaryOp::Lt => Range::between(None, bound.high().and_then(|high| high.checked_sub(1))),
            BinaryOp::Le => Range::between(None, bound.high()),
            BinaryOp::Gt => Range::between(bound.low().and_then(|low| low.checked_add(1)), None),
            BinaryOp::Ge => Range::between(bound.low(), None),
            BinaryOp::Eq => bound,
            BinaryOp::Ne => {
                let rest = bound.single().map(|value| self.of(known, left).without(value));
                match rest.unwrap_or(Some(Range::ALL)) {
                    Some(rest) => rest,
                    None => return false,
                }
            }
            _ => Range::ALL,
        };
        self.narrow(known, left, allowed)
    }

    /// Learns that an expression has one of some values; false if that cannot be.
    fn narrow(&self, known: &mut Known, expr: &Expr, allowed: Range) -> bool {
        let Some(range) = self.of(known, expr).intersection(allowed) else { return false };
        match expr {
            Expr::Var(var) => {
                known.set(*var, range);
                true
            }
            Expr::Unary(UnaryOp::Neg, operand) => self.narrow(known, operand, range.negated()),
            Expr::Binary(BinaryOp::Add, operands) => {
                let [left, right] = operands.as_ref();
                self.narrow(known, left, range.minus(self.of(known, right)))
                    && self.narrow(known, right, range.minus(self.of(known, left)))
            }
            Expr::Binary(BinaryOp::Sub, operands) => {
                let [left, right] = operands.as_ref();
                self.narrow(known, left, range.plus(self.of(known, right)))
                    && self.narrow(known, right, self.of(known, left).minus(range))
            }
            Expr::Wrap(int_type, operand) if self.of(known, operand).fits(*int_type) => {
                self.narrow(known, operand, range)
            }
            _ => true,
        }
    }
}

fn opposite(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
        Eq => Ne,
        Ne => Eq,
        other => other,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        other => other,
    }
}
