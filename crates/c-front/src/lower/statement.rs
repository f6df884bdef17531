//! Statements.

use super::assign::Wanted;
use super::branch::Ways;
use super::flow::{Flow, JoinPoint};
use super::impact::plain_name;
use super::obstacle::lets_others_in;
use super::scope::{Handover, Loop};
use super::{Lowered, Lowering};
use crate::types::CType;
use lang_c::ast::{
    BlockItem, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement, Label,
    LabeledStatement, Statement, StaticAssert, WhileStatement,
};
use lang_c::span::{Node, Span as TreeSpan};
use lang_c::visit::{self, Visit};

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn block_item(&mut self, item: &'a Node<BlockItem>) -> Lowered<()> {
        self.unless_unsupported(|| lets_others_in(item), |lowering| lowering.any_block_item(item))
    }

    fn any_block_item(&mut self, item: &'a Node<BlockItem>) -> Lowered<()> {
        match &item.node {
            BlockItem::Declaration(declaration) => {
                self.at = Some(self.span(declaration.span));
                self.declaration(declaration)
            }
            BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Node<Statement>) -> Lowered<()> {
        self.check_size(statement.span)?;
        let mark = self.mark();
        self.at = Some(self.span(statement.span));
        self.any_statement(statement)?;
        let keeps_temporaries = matches!(statement.node, Statement::Return(_))
            && self.frames.last().is_some_and(|frame| frame.returned.is_some());
        if !keeps_temporaries {
            self.release(mark);
        }
        Ok(())
    }

    fn any_statement(&mut self, statement: &'a Node<Statement>) -> Lowered<()> {
        match &statement.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node, labeled.span),
            Statement::Compound(items) => {
                self.enter_scope();
                for item in items {
                    self.block_item(item)?;
                }
                self.leave_scope();
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => self.eval_and_discard(expression),
            Statement::If(node) => self.if_statement(&node.node),
            Statement::Switch(node) => self.switch(&node.node),
            Statement::While(node) => self.while_loop(&node.node),
            Statement::DoWhile(node) => self.do_loop(&node.node),
            Statement::For(node) => self.for_loop(&node.node),
            Statement::Goto(label) => self.goto(&label.node.name, label.span),
            Statement::Continue => self.leave_loop(statement.span, true),
            Statement::Break => self.leave_loop(statement.span, false),
            Statement::Return(value) => self.return_statement(value.as_deref(), statement.span),
            Statement::Asm(asm) => self.assembly(&asm.node, statement.span),
        }
    }

    pub(super) fn static_assert(&mut self, assertion: &'a Node<StaticAssert>) -> Lowered<()> {
        let (value, _) = self.constant_expression(&assertion.node.expression, "a static assertion")?;
        if value == 0 { self.error(assertion.span, "this static assertion fails") } else { Ok(()) }
    }

    fn if_statement(&mut self, node: &'a IfStatement) -> Lowered<()> {
        self.at = Some(self.span(node.condition.span));
        if let Some(otherwise) = &node.else_statement
            && matches!(node.then_statement.node, Statement::Expression(None))
            && let Statement::Expression(Some(call)) = &otherwise.node
            && let Some(message) = self.assertion_message(call)
        {
            return self.assertion(&node.condition, message);
        }
        let Ways { holds, fails } = self.branch(&node.condition)?;
        self.flow = holds;
        self.statement(&node.then_statement)?;
        let after_then = std::mem::replace(&mut self.flow, fails);
        if let Some(otherwise) = &node.else_statement {
            self.statement(otherwise)?;
        }
        self.join_here(after_then)
    }

    /// The head of a loop. If control can only jump into the loop, it is walked over all the
    /// same.
    fn loop_head(&mut self, has_labels: impl FnOnce() -> bool) -> JoinPoint {
        if self.flow.is_dead() && has_labels() {
            let head = self.new_join_point();
            self.flow = Flow::standing_at(head.location, head.atomic);
        }
        match self.meet_here() {
            Some(head) => head,
            None => self.new_join_point(),
        }
    }

    fn enter_loop(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(Loop { breaks: Flow::dead(), continues: Some(Flow::dead()) });
        }
    }

    /// Takes the ways on which the loop was left by `break`.
    fn exit_loop(&mut self) -> Flow {
        let left = self.frames.last_mut().and_then(|frame| frame.loops.pop());
        left.map(|left| left.breaks).unwrap_or_default()
    }

    fn join_continues(&mut self) -> Lowered<()> {
        let continues = self
            .frames
            .last_mut()
            .and_then(|frame| frame.loops.last_mut())
            .and_then(|innermost| innermost.continues.as_mut())
            .map(std::mem::take);
        self.join_here(continues.unwrap_or_default())
    }

    fn while_loop(&mut self, node: &'a WhileStatement) -> Lowered<()> {
        self.at = Some(self.span(node.expression.span));
        let head = self.loop_head(|| has_labels(&node.statement));
        let Ways { holds, fails } = self.branch(&node.expression)?;
        self.flow = holds;
        self.enter_loop();
        self.statement(&node.statement)?;
        self.join_continues()?;
        self.go_to(head)?;
        let breaks = self.exit_loop();
        self.flow = self.join(fails, breaks)?;
        Ok(())
    }

    fn do_loop(&mut self, node: &'a DoWhileStatement) -> Lowered<()> {
        let head = self.loop_head(|| has_labels(&node.statement));
        self.enter_loop();
        self.statement(&node.statement)?;
        self.join_continues()?;
        self.at = Some(self.span(node.expression.span));
        let Ways { holds, fails } = self.branch(&node.expression)?;
        self.lead_to(holds, head)?;
        let breaks = self.exit_loop();
        self.flow = self.join(fails, breaks)?;
        Ok(())
    }

    fn for_loop(&mut self, node: &'a ForStatement) -> Lowered<()> {
        self.enter_scope();
        self.at = Some(self.span(node.initializer.span));
        match &node.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::Expression(expression) => self.eval_and_discard(expression)?,
            ForInitializer::Declaration(declaration) => self.declaration(declaration)?,
            ForInitializer::StaticAssert(assertion) => self.static_assert(assertion)?,
        }
        if let Some(condition) = &node.condition {
            self.at = Some(self.span(condition.span));
        }
        let head = self.loop_head(|| has_labels(&node.statement));
        let ways = match &node.condition {
            Some(condition) => self.branch(condition)?,
            None => Ways { holds: std::mem::take(&mut self.flow), fails: Flow::dead() },
        };
        self.flow = ways.holds;
        self.enter_loop();
        self.statement(&node.statement)?;
        self.join_continues()?;
        if let Some(step) = &node.step {
            self.at = Some(self.span(step.span));
            self.eval_and_discard(step)?;
        }
        self.go_to(head)?;
        let breaks = self.exit_loop();
        self.flow = self.join(ways.fails, breaks)?;
        self.leave_scope();
        Ok(())
    }

    /// `break` and `continue`.
    fn leave_loop(&mut self, at: TreeSpan, is_continue: bool) -> Lowered<()> {
        let loops = self.frames.last().map_or(&[][..], |frame| &frame.loops);
        let target = loops.iter().rposition(|around| !is_continue || around.continues.is_some());
        let Some(target) = target else {
            let word = if is_continue { "continue" } else { "break" };
            return self.error(at, format!("`{word}` outside of a loop"));
        };
        let flow = std::mem::take(&mut self.flow);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let around = &mut frame.loops[target];
        let ways = if is_continue { around.continues.get_or_insert_default() } else { &mut around.breaks };
        let others = std::mem::take(ways);
        let joined = self.join(others, flow)?;
        if let Some(frame) = self.frames.last_mut() {
            let around = &mut frame.loops[target];
            if is_continue {
                around.continues = Some(joined);
            } else {
                around.breaks = joined;
            }
        }
        Ok(())
    }

    fn labeled(&mut self, node: &'a LabeledStatement, at: TreeSpan) -> Lowered<()> {
        match &node.label.node {
            Label::Identifier(name) => {
                let is_new =
                    self.frames.last_mut().is_none_or(|frame| frame.defined_labels.insert(&name.node.name));
                if !is_new {
                    return self.error(name.span, format!("the label `{}` is defined twice", name.node.name));
                }
                let join_point = self.join_point_of_label(&name.node.name);
                self.arrive(join_point)?;
                if self.is_error_label(&name.node.name, &node.statement) {
                    let message = format!("label `{}` is reached", name.node.name);
                    self.fail(message, at);
                    return Ok(());
                }
            }
            _ => self.case_label(node.label.span)?,
        }
        self.statement(&node.statement)
    }

    /// The convention of older programs: `ERROR: goto ERROR;` in a function that does not call
    /// the error function. Other uses of the name mean nothing.
    fn is_error_label(&self, name: &str, statement: &Node<Statement>) -> bool {
        let loops = matches!(&statement.node, Statement::Goto(target) if target.node.name == name);
        let calls = self.frames.last().is_some_and(|frame| {
            frame.constants.mentioned.contains("__VERIFIER_error")
                || frame.constants.mentioned.contains("reach_error")
        });
        name == "ERROR" && loops && !calls
    }

    fn goto(&mut self, name: &'a str, at: TreeSpan) -> Lowered<()> {
        if let Some(frame) = self.frames.last_mut() {
            frame.gotos.push((name, at));
        }
        if self.flow.is_dead() {
            return Ok(());
        }
        let join_point = self.join_point_of_label(name);
        self.go_to(join_point)
    }

    /// Refuses a `goto` to a label that stands nowhere in the function.
    pub(super) fn check_labels(&self) -> Lowered<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        match frame.gotos.iter().find(|(name, _)| !frame.defined_labels.contains(name)) {
            Some((name, at)) => self.error(*at, format!("there is no label `{}`", self.spelled(name))),
            None => Ok(()),
        }
    }

    /// The location of a label, made at its first use.
    fn join_point_of_label(&mut self, name: &'a str) -> JoinPoint {
        let known = self.frames.last().and_then(|frame| frame.labels.get(name).copied());
        if let Some(join_point) = known {
            return join_point;
        }
        let join_point = self.new_join_point();
        self.label(join_point.location, name);
        self.note_label(join_point.location, name);
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(name, join_point);
        }
        join_point
    }

    /// Leads the walk to a join point and stands there.
    pub(super) fn arrive(&mut self, join_point: JoinPoint) -> Lowered<()> {
        if !self.flow.is_at(join_point.location) {
            self.go_to(join_point)?;
        }
        self.flow = Flow::standing_at(join_point.location, join_point.atomic);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&'a Node<Expression>>, at: TreeSpan) -> Lowered<()> {
        if self.frames.len() == 1 {
            return self.end_thread(value, at);
        }
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (handover, result) = (frame.handover.clone(), frame.result.clone());
        match (value, handover) {
            (None, Handover::Variable(object)) => self.forget(object),
            (None, _) => {}
            (Some(expression), Handover::None) => self.eval_and_discard(expression)?,
            (Some(expression), _) if result == CType::Void => self.eval_and_discard(expression)?,
            (Some(expression), Handover::Variable(object)) => {
                let place = self.object_lvalue(object);
                self.assign_from(place, expression, Wanted::Nothing, at, at)?;
            }
            (Some(expression), Handover::Direct) => {
                let value = self.eval(expression)?;
                let value = self.convert(value, &result, expression.span)?;
                let targets = self.pointed_to(&value);
                self.assume_alive(&targets);
                if let Some(frame) = self.frames.last_mut() {
                    frame.returned = Some(value);
                }
            }
        }
        let flow = std::mem::take(&mut self.flow);
        let others = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.returns));
        let joined = self.join(others.unwrap_or_default(), flow)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.returns = joined;
        }
        Ok(())
    }

    /// What to say if the call in the negative branch of an `assert` is reached.
    fn assertion_message(&self, call: &'a Node<Expression>) -> Option<String> {
        let Expression::Call(call) = &call.node else { return None };
        if !matches!(plain_name(&call.node.callee)?, "__assert_fail" | "__assert") {
            return None;
        }
        self.failed_assertion(&call.node)
    }
}

/// Whether control can jump into a statement.
fn has_labels(statement: &Node<Statement>) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_labeled_statement(&mut self, _: &'ast LabeledStatement, _: &'ast TreeSpan) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    visit::visit_statement(&mut finder, &statement.node, &statement.span);
    finder.0
}
