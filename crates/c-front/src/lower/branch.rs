//! Conditions: where control goes when they hold, and when they do not.

use super::float::common_float;
use super::flow::Flow;
use super::impact::{Impact, expected_value, plain_name};
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::text::CONDITION;
use crate::types::{CType, IntKind};
use crate::value::{Guard, Kind, Value};
use lang_c::ast::{BinaryOperator, ConditionalExpression, Expression, UnaryOperator};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{Expr, Op, Place, Sort};

/// The ways on which a condition holds, and on which it does not.
pub(super) struct Ways {
    pub(super) holds: Flow,
    pub(super) fails: Flow,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Evaluates a condition. The walk then stands nowhere until it follows one of the ways.
    pub(super) fn branch(&mut self, condition: &'a Node<Expression>) -> Lowered<Ways> {
        if let Some(value) = self.already_evaluated(condition) {
            return Ok(self.branch_on(value));
        }
        match &condition.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
                let Ways { holds, fails } = self.branch(&unary.node.operand)?;
                return Ok(Ways { holds: fails, fails: holds });
            }
            Expression::BinaryOperator(binary) => {
                let (lhs, rhs) = (&binary.node.lhs, &binary.node.rhs);
                match binary.node.operator.node {
                    BinaryOperator::LogicalAnd if !self.is_quiet(rhs)? => {
                        let Ways { holds, fails } = self.branch(lhs)?;
                        self.flow = holds;
                        let second = self.branch(rhs)?;
                        return Ok(Ways { holds: second.holds, fails: self.join(fails, second.fails)? });
                    }
                    BinaryOperator::LogicalOr if !self.is_quiet(rhs)? => {
                        let Ways { holds, fails } = self.branch(lhs)?;
                        self.flow = fails;
                        let second = self.branch(rhs)?;
                        return Ok(Ways { holds: self.join(holds, second.holds)?, fails: second.fails });
                    }
                    _ => {}
                }
            }
            Expression::Call(call) => {
                if let Some(value) = expected_value(&call.node) {
                    return self.branch(value);
                }
                if self.nondeterministic(&call.node).is_some() && call.node.arguments.is_empty() {
                    let (holds, fails) = (self.step(Vec::new()), self.step(Vec::new()));
                    self.flow = Flow::dead();
                    return Ok(Ways { holds: holds.unwrap_or_default(), fails: fails.unwrap_or_default() });
                }
            }
            _ => {}
        }
        let value = self.eval(condition)?;
        self.expect_scalar(&value, condition.span)?;
        Ok(self.branch_on(value))
    }

    /// Branches on a value.
    pub(super) fn branch_on(&mut self, value: Value) -> Ways {
        let condition = self.condition(&value);
        if let Expr::Bool(constant) = condition {
            match value.reads_shared && !self.is_silent {
                true => drop(self.settle(value)),
                false => self.emit_guards(value.guards),
            }
            let flow = std::mem::take(&mut self.flow);
            return match constant {
                true => Ways { holds: flow, fails: Flow::dead() },
                false => Ways { holds: Flow::dead(), fails: flow },
            };
        }
        let mut way = |condition: Expr| {
            let mut ops = self.guard_ops(value.guards.clone());
            ops.push(Op::wait(condition));
            self.step(ops).unwrap_or_default()
        };
        let holds = way(condition.clone());
        let fails = way(fold::not(condition));
        self.flow = Flow::dead();
        Ways { holds, fails }
    }

    /// `a && b` and `a || b` as values.
    pub(super) fn logical(
        &mut self,
        whole: &'a Node<Expression>,
        is_and: bool,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
    ) -> Lowered<Value> {
        if !self.is_quiet(rhs)? {
            let ways = self.branch(whole)?;
            return self.truth_of(ways);
        }
        let left = self.eval(lhs)?;
        self.expect_scalar(&left, lhs.span)?;
        let right = self.eval(rhs)?;
        self.expect_scalar(&right, rhs.span)?;
        let (a, b) = (self.condition(&left), self.condition(&right));
        let needed = if is_and { a.clone() } else { fold::not(a.clone()) };
        let right = Value { guards: guards_under(&needed, right.guards), ..right };
        let condition = if is_and { fold::and(a, b) } else { fold::or(a, b) };
        let value = Value::truth(CType::INT, condition).joined(&left, &right);
        Ok(Value { targets: Vec::new(), ..value })
    }

    /// 1 on the ways on which a condition holds, 0 on the others.
    fn truth_of(&mut self, ways: Ways) -> Lowered<Value> {
        let temporary = self.temporary(Sort::Bool);
        let mut end = Flow::dead();
        for (flow, truth) in [(ways.holds, true), (ways.fails, false)] {
            self.flow = flow;
            self.emit(vec![Op::assign(Place::Scalar(temporary), Expr::Bool(truth))]);
            let flow = std::mem::take(&mut self.flow);
            end = self.join(end, flow)?;
        }
        self.flow = end;
        Ok(Value::truth(CType::INT, Expr::Var(temporary)))
    }

    /// `c ? a : b`, and `c ?: b`, in which `c` is evaluated once.
    pub(super) fn conditional(
        &mut self,
        conditional: &'a ConditionalExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if plain_name(&conditional.then_expression) != Some(CONDITION) {
            return self.full_conditional(conditional, at);
        }
        let condition = self.eval(&conditional.condition)?;
        self.expect_scalar(&condition, conditional.condition.span)?;
        let condition = self.snapshot(condition);
        let known = self.evaluated.len();
        for same in [&conditional.condition, &conditional.then_expression] {
            self.evaluated.push((std::ptr::from_ref(&**same), condition.clone()));
        }
        let value = self.full_conditional(conditional, at);
        self.evaluated.truncate(known);
        value
    }

    fn full_conditional(&mut self, conditional: &'a ConditionalExpression, at: TreeSpan) -> Lowered<Value> {
        let (yes, no) = (&conditional.then_expression, &conditional.else_expression);
        let branches = self.impact(yes)?.max(self.impact(no)?);
        if branches != Impact::Quiet && !self.is_silent {
            return self.conditional_by_branches(conditional, at);
        }
        let condition = self.eval(&conditional.condition)?;
        self.expect_scalar(&condition, conditional.condition.span)?;
        let read: Vec<Value> = Some(condition.clone()).into_iter().filter(|read| read.reads_shared).collect();
        let value = self.chosen_value(condition, (yes, no), at)?;
        Ok(self.still_read(&read, value))
    }

    /// The one of two values, neither of which does anything, that a condition chooses.
    fn chosen_value(
        &mut self,
        condition: Value,
        (yes, no): (&'a Node<Expression>, &'a Node<Expression>),
        at: TreeSpan,
    ) -> Lowered<Value> {
        let (a, b) = (self.eval(yes)?, self.eval(no)?);
        let ty = self.conditional_type(&a, &b, at)?;
        let truth = self.condition(&condition);
        if matches!(ty, CType::Void) {
            return Ok(Value { kind: Kind::Void, ty, ..condition });
        }
        let (a, b) = (self.convert(a, &ty, yes.span)?, self.convert(b, &ty, no.span)?);
        if let Expr::Bool(constant) = truth {
            let chosen = if constant { a } else { b };
            let guards = condition.guards.into_iter().chain(chosen.guards).collect();
            return Ok(Value { guards, ..chosen });
        }
        let targets = crate::value::merge_targets(&self.pointed_to(&a), &self.pointed_to(&b));
        let kind = match (&a.kind, &b.kind) {
            (Kind::Truth(x), Kind::Truth(y)) => Kind::Truth(fold::or(
                fold::and(truth.clone(), x.clone()),
                fold::and(fold::not(truth.clone()), y.clone()),
            )),
            (Kind::Record(_), _) => return self.refuse(at, "a choice between structures"),
            _ => Kind::Number(fold::ite(truth.clone(), self.number(&a), self.number(&b))),
        };
        let range = a.range.union(b.range);
        let a = Value { guards: guards_under(&truth, a.guards), ..a };
        let b = Value { guards: guards_under(&fold::not(truth), b.guards), ..b };
        let inner = Value { kind, ..Value::constant(ty, 0) }.joined(&a, &b);
        let value = inner.clone().joined(&condition, &Value { guards: Vec::new(), ..inner });
        let guards = condition.guards.into_iter().chain(a.guards).chain(b.guards).collect();
        Ok(Value { guards, range, targets, ..value })
    }

    fn conditional_by_branches(
        &mut self,
        conditional: &'a ConditionalExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let (yes, no) = (&conditional.then_expression, &conditional.else_expression);
        let ty = {
            let (a, b) = (self.type_of(yes)?, self.type_of(no)?);
            self.conditional_type(&a, &b, at)?
        };
        let Ways { holds, fails } = self.branch(&conditional.condition)?;
        let kind = ty.scalar();
        if kind.is_none() && ty != CType::Void {
            return self.refuse(at, "a choice between structures");
        }
        let sort = kind.map_or(Sort::Int, IntKind::sort);
        let temporary = (ty != CType::Void).then(|| self.temporary(sort));
        let (mut end, mut targets) = (Flow::dead(), Vec::new());
        for (flow, branch) in [(holds, yes), (fails, no)] {
            self.flow = flow;
            let value = self.eval(branch)?;
            let value = self.convert(value, &ty, branch.span)?;
            targets = crate::value::merge_targets(&targets, &self.pointed_to(&value));
            match temporary {
                None => self.discard(value),
                Some(temporary) => {
                    let expr = self.storable(&value);
                    let mut ops = self.guard_ops(value.guards);
                    ops.push(Op::assign(Place::Scalar(temporary), expr));
                    self.emit(ops);
                }
            }
            let flow = std::mem::take(&mut self.flow);
            end = self.join(end, flow)?;
        }
        self.flow = end;
        Ok(match (temporary, kind) {
            (Some(temporary), Some(IntKind::Bool)) => Value::truth(ty, Expr::Var(temporary)),
            (Some(temporary), Some(kind)) => {
                let range = Range::of(kind.int_type());
                Value { targets, ..Value::number(ty, Expr::Var(temporary), range) }
            }
            _ => Value::void(),
        })
    }

    /// The type of a conditional from those of its branches.
    fn conditional_type(&self, yes: &Value, no: &Value, at: TreeSpan) -> Lowered<CType> {
        let is_null = |value: &Value| value.as_constant() == Some(0);
        match (&yes.ty, &no.ty) {
            (CType::Int(a), CType::Int(b)) => Ok(CType::Int(a.common(*b))),
            (CType::Void, _) | (_, CType::Void) => Ok(CType::Void),
            (CType::Pointer(_), CType::Pointer(_)) if is_null(yes) => Ok(no.ty.clone()),
            (CType::Pointer(_), CType::Pointer(_)) if is_null(no) => Ok(yes.ty.clone()),
            (CType::Pointer(_), CType::Pointer(target)) if **target == CType::Void => Ok(no.ty.clone()),
            (CType::Pointer(_), CType::Pointer(_) | CType::Int(_)) => Ok(yes.ty.clone()),
            (CType::Int(_), CType::Pointer(_)) => Ok(no.ty.clone()),
            (CType::Float(_), CType::Int(_) | CType::Float(_)) | (CType::Int(_), CType::Float(_)) => {
                Ok(common_float(&yes.ty, &no.ty))
            }
            (a, b) if a == b => Ok(a.clone()),
            _ => self.error(at, "the two sides of `?:` have different types"),
        }
    }
}

/// Guards that only matter if a condition holds.
fn guards_under(condition: &Expr, guards: Vec<Guard>) -> Vec<Guard> {
    let under = |guard: Guard| {
        let condition =
            fold::binary(rely_program::BinaryOp::Implies, condition.clone(), guard.condition.clone());
        Guard { condition, ..guard }
    };
    guards.into_iter().map(under).collect()
}
