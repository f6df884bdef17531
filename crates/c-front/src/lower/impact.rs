//! What evaluating an expression does besides yielding a value, found out from its syntax.
//!
//! Operands are evaluated from left to right. Whether the left one must be computed into a
//! temporary before the right one is looked at depends on what the right one does.

use super::arithmetic::assigned_operator;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::text::CONDITION;
use crate::types::CType;
use crate::value::Kind;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CallExpression, Expression, Identifier, MemberExpression,
    MemberOperator, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

/// What evaluating an expression does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Impact {
    /// No step is emitted: it computes with locals and constants, or all in an atomic section.
    Quiet,
    /// It reads shared memory, in steps of their own, and changes nothing.
    Reads,
    /// It may change variables.
    Acts,
}

/// Deeper expressions are not taken as quiet, so that quiet ones never need a temporary.
const MAX_QUIET_DEPTH: usize = 24;

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn impact(&mut self, expression: &'a Node<Expression>) -> Lowered<Impact> {
        if self.is_inexact(expression) {
            return Ok(Impact::Acts);
        }
        self.impact_at(expression, 0)
    }

    pub(super) fn is_quiet(&mut self, expression: &'a Node<Expression>) -> Lowered<bool> {
        Ok(self.impact(expression)? == Impact::Quiet)
    }

    fn impact_at(&mut self, expression: &'a Node<Expression>, depth: usize) -> Lowered<Impact> {
        let deeper = depth + 1;
        if self.already_evaluated(expression).is_some() {
            return Ok(Impact::Quiet);
        }
        if depth > MAX_QUIET_DEPTH {
            return Ok(Impact::Acts);
        }
        match &expression.node {
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_) => Ok(Impact::Quiet),
            Expression::OffsetOf(offset) => Ok(match offset.node.designator.node.members.is_empty() {
                true => Impact::Quiet,
                // An index may be computed.
                false => Impact::Acts,
            }),
            Expression::Identifier(identifier) => self.impact_of_name(identifier),
            Expression::Member(member) => self.impact_of_member(&member.node, deeper),
            Expression::UnaryOperator(unary) => self.impact_of_unary(&unary.node, deeper),
            Expression::BinaryOperator(binary) => self.impact_of_binary(&binary.node, deeper),
            Expression::Cast(cast) => self.impact_at(&cast.node.expression, deeper),
            Expression::Conditional(conditional) => {
                let node = &conditional.node;
                if plain_name(&node.then_expression) == Some(CONDITION) {
                    // The condition goes to a temporary.
                    return Ok(Impact::Acts);
                }
                let branches = self
                    .impact_at(&node.then_expression, deeper)?
                    .max(self.impact_at(&node.else_expression, deeper)?);
                Ok(branches.max(self.impact_at(&node.condition, deeper)?))
            }
            Expression::Comma(parts) => {
                let mut impact = Impact::Quiet;
                for part in parts.iter() {
                    impact = impact.max(self.impact_at(part, deeper)?);
                }
                Ok(impact)
            }
            Expression::Call(call) => match expected_value(&call.node) {
                Some(value) => self.impact_at(value, deeper),
                None => Ok(Impact::Acts),
            },
            Expression::GenericSelection(_)
            | Expression::CompoundLiteral(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => Ok(Impact::Acts),
        }
    }

    fn impact_of_name(&mut self, identifier: &'a Node<Identifier>) -> Lowered<Impact> {
        let symbol = self.lookup(&identifier.node.name, identifier.span)?;
        Ok(match symbol {
            Some(Symbol::Object(object)) if !self.in_atomic() && self.facts.is_shared(object) => {
                match self.facts.object(object).ty {
                    CType::Array(..) => Impact::Quiet,
                    _ => Impact::Reads,
                }
            }
            Some(Symbol::Object(object)) if self.facts.is_partly_blurred(object) => Impact::Reads,
            Some(Symbol::Outside(_)) => Impact::Reads,
            _ => Impact::Quiet,
        })
    }

    fn impact_of_member(&mut self, member: &'a MemberExpression, depth: usize) -> Lowered<Impact> {
        let base = self.impact_at(&member.expression, depth)?;
        match member.operator.node {
            MemberOperator::Direct => Ok(base),
            MemberOperator::Indirect => Ok(base.max(self.impact_of_access(&member.expression)?)),
        }
    }

    fn impact_of_unary(&mut self, unary: &'a UnaryOperatorExpression, depth: usize) -> Lowered<Impact> {
        match unary.operator.node {
            UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement => Ok(Impact::Acts),
            UnaryOperator::Address => self.impact_of_address(&unary.operand, depth),
            UnaryOperator::Indirection => {
                let base = self.impact_at(&unary.operand, depth)?;
                Ok(base.max(self.impact_of_access(&unary.operand)?))
            }
            _ => self.impact_at(&unary.operand, depth),
        }
    }

    fn impact_of_binary(&mut self, binary: &'a BinaryOperatorExpression, depth: usize) -> Lowered<Impact> {
        let op = &binary.operator.node;
        if is_assignment(op) {
            return Ok(Impact::Acts);
        }
        let operands = self.impact_at(&binary.lhs, depth)?.max(self.impact_at(&binary.rhs, depth)?);
        match op {
            BinaryOperator::Index => Ok(operands.max(self.impact_of_access(&binary.lhs)?)),
            _ => Ok(operands),
        }
    }

    /// What it does to compute the address of an lvalue, without reading it.
    fn impact_of_address(&mut self, lvalue: &'a Node<Expression>, depth: usize) -> Lowered<Impact> {
        match &lvalue.node {
            Expression::Identifier(_) => Ok(Impact::Quiet),
            Expression::Member(member) => match member.node.operator.node {
                MemberOperator::Direct => self.impact_of_address(&member.node.expression, depth + 1),
                MemberOperator::Indirect => self.impact_at(&member.node.expression, depth + 1),
            },
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.impact_at(&unary.node.operand, depth + 1)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                let base = self.impact_at(&binary.node.lhs, depth + 1)?;
                Ok(base.max(self.impact_at(&binary.node.rhs, depth + 1)?))
            }
            _ => Ok(Impact::Acts),
        }
    }

    /// What an access through a pointer, or to an element of an array, does.
    fn impact_of_access(&mut self, pointer: &'a Node<Expression>) -> Lowered<Impact> {
        let Some(name) = plain_name(pointer) else { return Ok(Impact::Reads) };
        let object = match self.lookup(name, pointer.span)? {
            Some(Symbol::Object(object)) => object,
            Some(Symbol::Bound(value)) => match value.kind {
                Kind::Pointer(known) => known.object,
                _ => return Ok(Impact::Reads),
            },
            _ => return Ok(Impact::Reads),
        };
        let is_certain = matches!(self.facts.object(object).ty, CType::Array(..))
            || !matches!(self.lookup(name, pointer.span)?, Some(Symbol::Object(_)));
        let stays_local = is_certain && !self.facts.is_shared(object);
        let is_followed = !self.facts.is_partly_blurred(object);
        Ok(if is_followed && (self.in_atomic() || stays_local) { Impact::Quiet } else { Impact::Reads })
    }
}

fn is_assignment(op: &BinaryOperator) -> bool {
    *op == BinaryOperator::Assign || assigned_operator(op).is_some()
}

/// The name of an expression that is a name, behind casts.
pub(super) fn plain_name(expression: &Node<Expression>) -> Option<&str> {
    match &expression.node {
        Expression::Identifier(identifier) => Some(&identifier.node.name),
        Expression::Cast(cast) => plain_name(&cast.node.expression),
        _ => None,
    }
}

/// The first argument of `__builtin_expect`, which is its value, if the second one is as usual.
pub(super) fn expected_value(call: &CallExpression) -> Option<&Node<Expression>> {
    match plain_name(&call.callee)? {
        "__builtin_expect" => match call.arguments.as_slice() {
            [value, expected] if is_plain(expected) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is a constant or a name, perhaps with a sign: nothing happens in it.
fn is_plain(expression: &Node<Expression>) -> bool {
    match &expression.node {
        Expression::Constant(_) => true,
        Expression::Cast(cast) => is_plain(&cast.node.expression),
        Expression::UnaryOperator(unary) => {
            let op = &unary.node.operator.node;
            matches!(op, UnaryOperator::Minus | UnaryOperator::Negate) && is_plain(&unary.node.operand)
        }
        _ => false,
    }
}

/// The names that a function neither assigns to nor takes the address of.
#[derive(Debug, Default)]
pub(super) struct Unmodified<'a> {
    modified: FxHashSet<&'a str>,
    pub(super) mentioned: FxHashSet<&'a str>,
    pub(super) returns: usize,
    pub(super) calls: FxHashSet<&'a str>,
}

impl<'a> Unmodified<'a> {
    pub(super) fn of(body: &'a Node<lang_c::ast::Statement>) -> Self {
        let mut found = Unmodified::default();
        found.visit_statement(&body.node, &body.span);
        found
    }

    pub(super) fn keeps(&self, name: &str) -> bool {
        !self.modified.contains(name)
    }

    /// Notes the variable that an lvalue is a part of. What a pointer points to is not.
    fn modify(&mut self, lvalue: &'a Node<Expression>) {
        match &lvalue.node {
            Expression::Identifier(identifier) => {
                self.modified.insert(&identifier.node.name);
            }
            Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                self.modify(&member.node.expression);
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.modify(&binary.node.lhs);
            }
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for Unmodified<'a> {
    fn visit_identifier(&mut self, identifier: &'a Identifier, _: &'a lang_c::span::Span) {
        self.mentioned.insert(&identifier.name);
    }

    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a lang_c::span::Span) {
        if let Some(name) = plain_name(&call.callee) {
            self.calls.insert(name);
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_statement(&mut self, statement: &'a lang_c::ast::Statement, span: &'a lang_c::span::Span) {
        self.returns += usize::from(matches!(statement, lang_c::ast::Statement::Return(_)));
        visit::visit_statement(self, statement, span);
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'a UnaryOperatorExpression,
        span: &'a lang_c::span::Span,
    ) {
        use UnaryOperator::*;
        if matches!(
            unary.operator.node,
            PostIncrement | PostDecrement | PreIncrement | PreDecrement | Address
        ) {
            self.modify(&unary.operand);
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'a BinaryOperatorExpression,
        span: &'a lang_c::span::Span,
    ) {
        if is_assignment(&binary.operator.node) {
            self.modify(&binary.lhs);
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }
}
