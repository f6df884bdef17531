//! `switch`: a choice between labels, wherever in its body they stand.

use super::flow::{Flow, JoinPoint};
use super::scope::Loop;
use super::{Lowered, Lowering};
use crate::fold;
use crate::types::{CType, IntKind};
use crate::value::Value;
use lang_c::ast::{Expression, Label, LabeledStatement, Statement, SwitchStatement};
use lang_c::span::{Node, Span as TreeSpan};
use lang_c::visit::{self, Visit};
use rely_program::{BinaryOp, Expr, IntType, Op};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Where the labels of a switch are, by their positions in the text.
#[derive(Debug, Default)]
pub(super) struct Switch {
    join_points: FxHashMap<usize, JoinPoint>,
}

/// The labels of a switch that were seen, and what they may be compared with.
struct Cases {
    /// The type of the value after its promotion.
    kind: IntKind,
    number: Expr,
    /// The value is nondeterministic: each label may be chosen that is a number of this type.
    any_of: Option<IntKind>,
    /// The greatest value of each range by its least.
    ranges: BTreeMap<i128, i128>,
    default: Option<JoinPoint>,
}

impl Cases {
    /// When a label with a range is chosen.
    fn chooses(&self, low: i128, high: i128) -> Expr {
        match self.any_of {
            Some(kind) => Expr::Bool(count_in(kind, low, high) > 0),
            None => is_in_range(&self.number, low, high),
        }
    }

    /// When no label is chosen; `any` says when one is.
    fn none_chosen(&self, any: Expr) -> Expr {
        match self.any_of {
            Some(kind) => {
                let IntType { bits, .. } = kind.int_type();
                let with_label: i128 =
                    self.ranges.iter().map(|(&low, &high)| count_in(kind, low, high)).sum();
                Expr::Bool(with_label < 1 << bits)
            }
            None => fold::not(any),
        }
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn switch(&mut self, node: &'a SwitchStatement) -> Lowered<()> {
        self.at = Some(self.span(node.expression.span));
        let mut collector = Collector::default();
        collector.statement(&node.statement);
        let mut switch = Switch::default();
        let mut fallen_through = Flow::dead();
        let any = match &node.expression.node {
            Expression::Call(call) => self.nondeterministic(&call.node).filter(|kind| kind.size() > 1),
            _ => None,
        };
        let value = match any {
            Some(kind) => Value::constant(CType::Int(kind.promoted()), 0),
            None => {
                let value = self.eval(&node.expression)?;
                self.promote(value, node.expression.span)?
            }
        };
        if !self.flow.is_dead() {
            fallen_through = self.dispatch(value, any, &collector.groups, &mut switch)?;
        }
        self.flow = Flow::dead();
        if let Some(frame) = self.frames.last_mut() {
            frame.switches.push(switch);
            frame.loops.push(Loop { breaks: Flow::dead(), continues: None });
        }
        self.statement(&node.statement)?;
        let breaks = self.frames.last_mut().and_then(|frame| {
            frame.switches.pop();
            frame.loops.pop()
        });
        self.join_here(breaks.map(|left| left.breaks).unwrap_or_default())?;
        self.join_here(fallen_through)
    }

    /// Leads to the labels; returns the way on which none is chosen.
    fn dispatch(
        &mut self,
        value: Value,
        any_of: Option<IntKind>,
        groups: &[Vec<&'a Node<Label>>],
        switch: &mut Switch,
    ) -> Lowered<Flow> {
        let kind = match value.ty {
            CType::Int(kind) => kind,
            _ => IntKind::Int,
        };
        // Without a label that depends on it, the value is read all the same.
        let mut labels = groups.iter().flatten();
        let is_unused = labels.all(|label| matches!(label.node, Label::Default));
        let value = if is_unused { self.settle_shared(value) } else { value };
        let number = self.number(&value);
        let mut cases = Cases { kind, number, any_of, ranges: BTreeMap::new(), default: None };
        let mut any = Expr::Bool(false);
        for group in groups {
            let join_point = self.new_join_point();
            switch.join_points.extend(group.iter().map(|label| (label.span.start, join_point)));
            let condition = self.group_condition(group, join_point, &mut cases)?;
            any = fold::or(any, condition.clone());
            self.lead_if(&value, condition, join_point)?;
        }
        let none = cases.none_chosen(any);
        match cases.default {
            Some(join_point) => {
                self.lead_if(&value, none, join_point)?;
                Ok(Flow::dead())
            }
            None => Ok(self.way_if(&value, none)),
        }
    }

    /// When one of the labels that stand together is chosen.
    fn group_condition(
        &mut self,
        group: &[&'a Node<Label>],
        join_point: JoinPoint,
        cases: &mut Cases,
    ) -> Lowered<Expr> {
        let mut condition = Expr::Bool(false);
        for label in group {
            match self.case_range(&label.node, cases.kind)? {
                // No number is in an empty range.
                Some((low, high)) if low > high => {}
                Some((low, high)) => {
                    self.check_budget()?;
                    // Ranges do not overlap, so that the last one that could does if any does.
                    let last = cases.ranges.range(..=high).next_back();
                    if last.is_some_and(|(_, &greatest)| low <= greatest) {
                        return self.error(label.span, format!("two `case` labels have the value {low}"));
                    }
                    cases.ranges.insert(low, high);
                    condition = fold::or(condition, cases.chooses(low, high));
                }
                None if cases.default.is_some() => {
                    return self.error(label.span, "a `switch` has two `default` labels");
                }
                None => cases.default = Some(join_point),
            }
        }
        Ok(condition)
    }

    fn way_if(&mut self, value: &Value, condition: Expr) -> Flow {
        if condition == Expr::Bool(false) {
            return Flow::dead();
        }
        let mut ops = self.guard_ops(value.guards.clone());
        if condition != Expr::Bool(true) {
            ops.push(Op::wait(condition));
        }
        self.step(ops).unwrap_or_default()
    }

    fn lead_if(&mut self, value: &Value, condition: Expr, join_point: JoinPoint) -> Lowered<()> {
        let way = self.way_if(value, condition);
        self.lead_to(way, join_point)
    }

    /// The values for which a label is chosen; `None` for `default`.
    fn case_range(&mut self, label: &'a Label, kind: IntKind) -> Lowered<Option<(i128, i128)>> {
        let mut constant = |expression: &'a Node<Expression>| {
            let (value, _) = self.constant_expression(expression, "a case label")?;
            Ok(kind.int_type().wrap(value))
        };
        Ok(match label {
            Label::Case(expression) => {
                let value = constant(expression)?;
                Some((value, value))
            }
            Label::CaseRange(range) => Some((constant(&range.node.low)?, constant(&range.node.high)?)),
            Label::Default | Label::Identifier(_) => None,
        })
    }

    /// Stands at the location of a `case` or `default` label.
    pub(super) fn case_label(&mut self, at: TreeSpan) -> Lowered<()> {
        let Some(switch) = self.frames.last().and_then(|frame| frame.switches.last()) else {
            return self.error(at, "a `case` label outside of a `switch`");
        };
        match switch.join_points.get(&at.start).copied() {
            Some(join_point) => self.arrive(join_point),
            // The switch cannot be reached.
            None => Ok(()),
        }
    }
}

fn is_in_range(number: &Expr, low: i128, high: i128) -> Expr {
    match low == high {
        true => fold::binary(BinaryOp::Eq, number.clone(), Expr::Int(low)),
        false => fold::between(number.clone(), low, high),
    }
}

/// How many numbers of a type lie between two numbers.
fn count_in(kind: IntKind, low: i128, high: i128) -> i128 {
    let int_type = kind.int_type();
    (high.min(int_type.max()) - low.max(int_type.min()) + 1).max(0)
}

/// Collects the labels of one switch, those that stand together in one group.
#[derive(Default)]
struct Collector<'a> {
    groups: Vec<Vec<&'a Node<Label>>>,
}

impl<'a> Collector<'a> {
    fn statement(&mut self, statement: &'a Node<Statement>) {
        self.visit_statement(&statement.node, &statement.span);
    }
}

impl<'a> Visit<'a> for Collector<'a> {
    fn visit_switch_statement(&mut self, _: &'a SwitchStatement, _: &'a TreeSpan) {
        // Its labels are its own.
    }

    fn visit_labeled_statement(&mut self, labeled: &'a LabeledStatement, span: &'a TreeSpan) {
        let mut group = Vec::new();
        let mut innermost = labeled;
        while !matches!(innermost.label.node, Label::Identifier(_)) {
            group.push(&innermost.label);
            match &innermost.statement.node {
                Statement::Labeled(inner) if !matches!(inner.node.label.node, Label::Identifier(_)) => {
                    innermost = &inner.node;
                }
                _ => break,
            }
        }
        if group.is_empty() {
            visit::visit_labeled_statement(self, labeled, span);
        } else {
            self.groups.push(group);
            self.statement(&innermost.statement);
        }
    }
}
