//! Expressions.

use super::arithmetic::{assigned_operator, operator};
use super::assign::Wanted;
use super::impact::Impact;
use super::lvalue::is_function_name;
use super::order::Operands;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::fold;
use crate::types::{CType, IntKind};
use crate::value::{Kind, Value};
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Expression, GenericAssociation, GenericSelection,
    Statement, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, UnaryOp};

/// Expressions that nest deeper than this are computed into a temporary on the way.
const MAX_DEPTH: u32 = 150;

impl<'a, 'f> Lowering<'a, 'f> {
    /// The value of an expression. Side effects and reads of shared memory but the last have
    /// been emitted.
    pub(super) fn eval(&mut self, expression: &'a Node<Expression>) -> Lowered<Value> {
        self.check_budget()?;
        if let Some(value) = self.already_evaluated(expression) {
            return Ok(value);
        }
        let value = self.eval_any(expression)?;
        Ok(if value.depth > MAX_DEPTH { self.settle(value) } else { value })
    }

    fn eval_any(&mut self, expression: &'a Node<Expression>) -> Lowered<Value> {
        let at = expression.span;
        match &expression.node {
            Expression::Identifier(identifier) => self.identifier(&identifier.node.name, at),
            Expression::Constant(constant) => self.constant(constant),
            Expression::StringLiteral(_) | Expression::Member(_) | Expression::CompoundLiteral(_) => {
                let lvalue = self.lvalue(expression)?;
                self.read(lvalue, at)
            }
            Expression::GenericSelection(selection) => self.generic(&selection.node, at),
            Expression::Call(call) => self.call(&call.node, at),
            Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0.node, at)?;
                self.size_of(&ty, at)
            }
            Expression::SizeOfVal(size) => {
                if let Some(size) = self.variable_size(&size.node.0)? {
                    return Ok(size);
                }
                let ty = self.operand_type(&size.node.0)?;
                self.size_of(&ty, at)
            }
            Expression::AlignOf(align) => {
                let align = self.alignment_of_type(&align.node.0.node, at)?;
                Ok(Value::constant(CType::SIZE, i128::from(align)))
            }
            Expression::OffsetOf(offset) => self.offset_of(&offset.node, at),
            Expression::UnaryOperator(unary) => self.unary_expression(&unary.node, expression),
            Expression::BinaryOperator(binary) => self.binary_expression(&binary.node, expression),
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name.node, at)?;
                let value = self.eval(&cast.node.expression)?;
                self.convert(value, &ty, at)
            }
            Expression::Conditional(conditional) => self.conditional(&conditional.node, at),
            Expression::Comma(parts) => self.comma(parts),
            Expression::Statement(statement) => self.statement_expression(statement),
            Expression::VaArg(argument) => self.next_argument(&argument.node, at),
        }
    }

    fn identifier(&mut self, name: &str, at: TreeSpan) -> Lowered<Value> {
        match self.lookup(name, at)? {
            Some(Symbol::Object(object)) => {
                let lvalue = self.object_lvalue(object);
                self.read(lvalue, at)
            }
            Some(Symbol::Bound(value)) => Ok(*value),
            Some(Symbol::Function(name)) => self.function_pointer(&name, at),
            Some(Symbol::Constant(value, kind)) => Ok(Value::constant(CType::Int(kind), value)),
            Some(Symbol::Outside(ty)) => {
                let place = self.outside_place(ty, at)?;
                self.read(place, at)
            }
            Some(Symbol::Typedef(_)) => {
                self.error(at, format!("`{}` is a type, not a value", self.spelled(name)))
            }
            None if is_function_name(name) => {
                let lvalue = self.function_name_string(at)?;
                self.read(lvalue, at)
            }
            None => self.error(at, format!("there is no variable `{}`", self.spelled(name))),
        }
    }

    fn size_of(&mut self, ty: &CType, at: TreeSpan) -> Lowered<Value> {
        self.complete_type(ty)?;
        match self.facts.records.size_of(ty) {
            Some(size) => Ok(Value::constant(CType::SIZE, i128::from(size))),
            None => self.error(at, "the size of an incomplete type"),
        }
    }

    fn unary_expression(
        &mut self,
        unary: &'a UnaryOperatorExpression,
        whole: &'a Node<Expression>,
    ) -> Lowered<Value> {
        let (at, operand) = (whole.span, &*unary.operand);
        match unary.operator.node {
            UnaryOperator::Address => {
                // `&a[i]` is `a + i`, which may stand behind the end of the array.
                if let Expression::BinaryOperator(index) = &operand.node
                    && index.node.operator.node == BinaryOperator::Index
                {
                    let (base, index) = self.operands(&index.node.lhs, &index.node.rhs)?;
                    return self.binary(BinaryOp::Add, base, index, at);
                }
                let lvalue = self.lvalue(operand)?;
                let ty = lvalue.ty.clone();
                Ok(self.address_value(lvalue, ty))
            }
            UnaryOperator::Indirection => {
                let lvalue = self.lvalue(whole)?;
                self.read(lvalue, at)
            }
            UnaryOperator::Negate => {
                let value = self.eval(operand)?;
                self.expect_scalar(&value, at)?;
                let condition = fold::not(self.condition(&value));
                let depth = value.depth + 1;
                let truth = Value::truth(CType::INT, condition);
                Ok(Value { guards: value.guards, reads_shared: value.reads_shared, depth, ..truth })
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let op = match unary.operator.node {
                    UnaryOperator::Minus => Some(UnaryOp::Neg),
                    UnaryOperator::Complement => Some(UnaryOp::BitNot),
                    _ => None,
                };
                let value = self.eval(operand)?;
                self.expect_scalar(&value, at)?;
                self.unary(op, value, at)
            }
            UnaryOperator::PreIncrement => self.increment(operand, BinaryOp::Add, Wanted::New, at),
            UnaryOperator::PreDecrement => self.increment(operand, BinaryOp::Sub, Wanted::New, at),
            UnaryOperator::PostIncrement => self.increment(operand, BinaryOp::Add, Wanted::Old, at),
            UnaryOperator::PostDecrement => self.increment(operand, BinaryOp::Sub, Wanted::Old, at),
        }
    }

    fn binary_expression(
        &mut self,
        binary: &'a BinaryOperatorExpression,
        whole: &'a Node<Expression>,
    ) -> Lowered<Value> {
        use BinaryOperator::*;
        let at = whole.span;
        match &binary.operator.node {
            Index => {
                let lvalue = self.lvalue(whole)?;
                self.read(lvalue, at)
            }
            LogicalAnd => self.logical(whole, true, &binary.lhs, &binary.rhs),
            LogicalOr => self.logical(whole, false, &binary.lhs, &binary.rhs),
            Assign => self.assignment(&binary.lhs, &binary.rhs, Wanted::New, at),
            op => match (assigned_operator(op), operator(op)) {
                (Some(op), _) => self.compound_assignment(op, &binary.lhs, &binary.rhs, Wanted::New, at),
                (None, Some(op)) => {
                    let (left, right) = self.operands(&binary.lhs, &binary.rhs)?;
                    self.binary(op, left, right, at)
                }
                (None, None) => Ok(Value::void()),
            },
        }
    }

    /// Two operands, evaluated from left to right.
    pub(super) fn operands(
        &mut self,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
    ) -> Lowered<(Value, Value)> {
        let operands = self.begin_operands();
        let left = self.eval(lhs)?;
        self.operand_after(operands, left, rhs)
    }

    /// The second operand, evaluated after the first one.
    pub(super) fn operand_after(
        &mut self,
        mut operands: Operands,
        left: Value,
        rhs: &'a Node<Expression>,
    ) -> Lowered<(Value, Value)> {
        let impact = self.impact(rhs)?;
        let left = self.before(left, impact);
        let between = self.edges;
        // Two operands that do nothing but look at locals are in no order.
        let are_quiet = impact == Impact::Quiet && self.is_nothing_noted(&operands);
        if !are_quiet {
            let pending = self.pending(&left);
            self.operand_ends(&mut operands, pending);
        }
        let right = self.eval(rhs)?;
        debug_assert!(
            impact != Impact::Quiet || self.edges == between,
            "a quiet operand emits a step: {}",
            self.origin.text(rhs.span)
        );
        if !are_quiet {
            let pending = self.pending(&right);
            self.operand_ends(&mut operands, pending);
        }
        self.end_operands(operands);
        Ok((left, right))
    }

    /// A value that is used after something else is evaluated.
    pub(super) fn before(&mut self, value: Value, later: Impact) -> Value {
        match later {
            Impact::Quiet => value,
            Impact::Reads => self.settle_shared(value),
            Impact::Acts => self.snapshot(value),
        }
    }

    fn comma(&mut self, parts: &'a [Node<Expression>]) -> Lowered<Value> {
        let Some((last, others)) = parts.split_last() else { return Ok(Value::void()) };
        for part in others {
            self.eval_and_discard(part)?;
        }
        self.eval(last)
    }

    /// Evaluates an expression whose value nobody wants.
    pub(super) fn eval_and_discard(&mut self, expression: &'a Node<Expression>) -> Lowered<()> {
        if self.already_evaluated(expression).is_some() {
            return Ok(());
        }
        match &expression.node {
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name.node, expression.span)?;
                if ty == CType::Void {
                    return self.eval_and_discard(&cast.node.expression);
                }
            }
            Expression::Call(call) => {
                let value = self.call_for(&call.node, Wanted::Nothing, expression.span)?;
                self.discard(value);
                return Ok(());
            }
            Expression::UnaryOperator(unary) => {
                let op = match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(BinaryOp::Add),
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(BinaryOp::Sub),
                    _ => None,
                };
                if let Some(op) = op {
                    self.increment(&unary.node.operand, op, Wanted::Nothing, expression.span)?;
                    return Ok(());
                }
            }
            Expression::BinaryOperator(binary) => {
                let (lhs, rhs) = (&binary.node.lhs, &binary.node.rhs);
                match &binary.node.operator.node {
                    BinaryOperator::Assign => {
                        self.assignment(lhs, rhs, Wanted::Nothing, expression.span)?;
                        return Ok(());
                    }
                    op => {
                        if let Some(op) = assigned_operator(op) {
                            self.compound_assignment(op, lhs, rhs, Wanted::Nothing, expression.span)?;
                            return Ok(());
                        }
                    }
                }
            }
            Expression::Comma(parts) => {
                for part in parts.iter() {
                    self.eval_and_discard(part)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let value = self.eval(expression)?;
        self.discard(value);
        Ok(())
    }

    /// Drops a value; a read of shared memory happens nevertheless.
    pub(super) fn discard(&mut self, value: Value) {
        if value.reads_shared {
            self.settle(value);
        } else {
            self.emit_guards(value.guards);
        }
    }

    fn statement_expression(&mut self, statement: &'a Node<Statement>) -> Lowered<Value> {
        let Statement::Compound(items) = &statement.node else { return Ok(Value::void()) };
        self.enter_scope();
        let mut result = Value::void();
        for (index, item) in items.iter().enumerate() {
            let is_last = index + 1 == items.len();
            if let BlockItem::Statement(last) = &item.node
                && let (true, Statement::Expression(Some(expression))) = (is_last, &last.node)
            {
                result = self.eval(expression)?;
            } else {
                self.block_item(item)?;
            }
        }
        // Names go out of scope, so nothing of the value may be left to be looked up.
        self.leave_scope();
        Ok(result)
    }

    /// The value that an expression would have, without evaluating it.
    pub(super) fn type_of(&mut self, expression: &'a Node<Expression>) -> Lowered<Value> {
        self.silently(|lowering| lowering.eval(expression))
    }

    /// The type of the operand of `sizeof` or `typeof`: arrays stay arrays.
    pub(super) fn operand_type(&mut self, expression: &'a Node<Expression>) -> Lowered<CType> {
        self.silently(|lowering| match &expression.node {
            Expression::Identifier(_)
            | Expression::Member(_)
            | Expression::StringLiteral(_)
            | Expression::CompoundLiteral(_) => Ok(match lowering.bound_type(expression)? {
                Some(ty) => ty,
                None => lowering.lvalue(expression)?.ty,
            }),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                Ok(lowering.lvalue(expression)?.ty)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                Ok(lowering.lvalue(expression)?.ty)
            }
            // Other expressions have values, and arrays have become pointers there.
            _ => Ok(lowering.eval(expression)?.ty),
        })
    }

    fn bound_type(&mut self, expression: &'a Node<Expression>) -> Lowered<Option<CType>> {
        let Expression::Identifier(identifier) = &expression.node else { return Ok(None) };
        Ok(match self.lookup(&identifier.node.name, expression.span)? {
            Some(Symbol::Bound(value)) => Some(value.ty),
            Some(Symbol::Constant(_, kind)) => Some(CType::Int(kind)),
            _ => None,
        })
    }

    /// Does something without emitting anything.
    fn silently<T>(&mut self, action: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let flow = std::mem::take(&mut self.flow);
        let was_silent = std::mem::replace(&mut self.is_silent, true);
        let mark = self.mark();
        let result = action(self);
        self.release(mark);
        self.is_silent = was_silent;
        self.flow = flow;
        result
    }

    /// Qualifiers of what pointers point to are not known, so an association is only chosen if they do not matter.
    fn generic(&mut self, selection: &'a GenericSelection, at: TreeSpan) -> Lowered<Value> {
        let controlling = self.type_of(&selection.expression)?.ty;
        let (mut default, mut chosen) = (None, Vec::new());
        for association in &selection.associations {
            match &association.node {
                GenericAssociation::Type(candidate) => {
                    let ty = self.type_name(&candidate.node.type_name.node, at)?;
                    if *ty.unqualified() == controlling {
                        chosen.push(&*candidate.node.expression);
                    }
                }
                GenericAssociation::Default(expression) => default = Some(&**expression),
            }
        }
        let depends_on_qualifiers =
            controlling.is_pointer() && chosen.len() + usize::from(default.is_some()) > 1;
        match (chosen.first().copied(), default) {
            (Some(_), _) if depends_on_qualifiers => {
                self.refuse(at, "a choice by `_Generic` that may depend on the qualifiers behind a pointer")
            }
            (Some(expression), _) | (None, Some(expression)) => self.eval(expression),
            (None, None) => self.error(at, "no association of `_Generic` has the type of the operand"),
        }
    }

    /// An expression that must be an integer constant.
    pub(super) fn constant_expression(
        &mut self,
        expression: &'a Node<Expression>,
        what: &str,
    ) -> Lowered<(i128, IntKind)> {
        let value = self.type_of(expression)?;
        let kind = self.integer_kind(&value, expression.span)?;
        match value.as_constant() {
            Some(constant) if value.is_certain() => Ok((constant, kind)),
            _ => self.error(expression.span, format!("{what} is not an integer constant")),
        }
    }

    /// Whether a value has something to be computed, or is known now.
    pub(super) fn is_static(&self, value: &Value) -> bool {
        let certain = value.guards.iter().all(|guard| guard.condition == rely_program::Expr::Bool(true));
        certain
            && match &value.kind {
                Kind::Pointer(known) => known.dynamic.is_empty(),
                _ => value.as_constant().is_some(),
            }
    }
}
