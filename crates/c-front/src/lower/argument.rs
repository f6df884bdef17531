//! The arguments of functions that are known by name.
//!
//! C evaluates each argument once, whatever the function does with it. So arguments in which
//! something happens are evaluated before the function is looked at; who asks for their values
//! later, once, twice or never, gets what was found then.

use super::impact::plain_name;
use super::{Lowered, Lowering};
use crate::types::CType;
use crate::value::Value;
use lang_c::ast::{CallExpression, Expression, Identifier};
use lang_c::span::{Node, Span as TreeSpan};
use lang_c::visit::{self, Visit};

/// Functions whose first argument names what they write, and the number of the argument that says
/// what that looks like.
fn format_position(name: &str) -> Option<usize> {
    Some(match name {
        "printf" | "vprintf" | "__builtin_printf" => 0,
        "fprintf" | "vfprintf" | "dprintf" | "syslog" | "__printf_chk" => 1,
        "__fprintf_chk" => 2,
        _ => return None,
    })
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The value of an argument that has been evaluated.
    pub(super) fn already_evaluated(&self, expression: &Node<Expression>) -> Option<Value> {
        let found = self.evaluated.iter().find(|(argument, _)| std::ptr::eq(*argument, expression));
        found.map(|(_, value)| value.clone())
    }

    /// Evaluates the arguments of a call from left to right, if something happens in one of them.
    /// Returns what was evaluated for the call around this one.
    pub(super) fn evaluate_arguments(
        &mut self,
        call: &'a CallExpression,
    ) -> Lowered<Vec<(*const Node<Expression>, Value)>> {
        let is_argument =
            |known: &*const Node<Expression>| call.arguments.iter().any(|own| std::ptr::eq(*known, own));
        let known = self.evaluated.iter().filter(|(argument, _)| is_argument(argument));
        let mut evaluated: Vec<_> = known.cloned().collect();
        if !self.are_quiet(&call.arguments)? {
            let mut operands = self.begin_operands();
            for argument in &call.arguments {
                if self.is_stream(argument) {
                    continue;
                }
                let impact = self.impact(argument)?;
                for (_, value) in &mut evaluated {
                    let earlier = std::mem::replace(value, Value::void());
                    *value = self.before(earlier, impact);
                }
                self.earlier_are_computed(&mut operands);
                let value = self.eval(argument)?;
                let value = self.settle_shared(value);
                let pending = self.pending(&value);
                self.operand_ends(&mut operands, pending);
                evaluated.push((std::ptr::from_ref(argument), value));
            }
            self.end_operands(operands);
        }
        Ok(std::mem::replace(&mut self.evaluated, evaluated))
    }

    fn are_quiet(&mut self, arguments: &'a [Node<Expression>]) -> Lowered<bool> {
        for argument in arguments {
            if !self.is_stream(argument) && !self.is_quiet(argument)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Evaluates arguments that nobody asks for.
    pub(super) fn evaluate_for_effect(&mut self, arguments: &'a [Node<Expression>]) -> Lowered<()> {
        for argument in arguments {
            if !self.is_quiet(argument)? {
                self.eval_and_discard(argument)?;
            }
        }
        Ok(())
    }

    /// What looks like a function but does not evaluate all of its arguments.
    pub(super) fn unevaluated_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, call.arguments.as_slice()) {
            ("__builtin_constant_p", [argument]) => {
                let is_constant = self.is_literal(argument)?;
                Ok(Some(Value::constant(CType::INT, i128::from(is_constant))))
            }
            ("__builtin_choose_expr", [condition, yes, no]) => {
                let (condition, _) = self.constant_expression(condition, "the choice")?;
                self.eval(if condition != 0 { yes } else { no }).map(Some)
            }
            ("__builtin_constant_p" | "__builtin_choose_expr", _) => {
                self.error(at, format!("`{name}` is called with the wrong number of arguments"))
            }
            _ => Ok(None),
        }
    }

    /// Whether gcc knows the value of an expression without optimising.
    fn is_literal(&mut self, expression: &'a Node<Expression>) -> Lowered<bool> {
        if matches!(expression.node, Expression::StringLiteral(_)) {
            return Ok(true);
        }
        let mut names = Names::default();
        names.visit_expression(&expression.node, &expression.span);
        for (name, at) in names.0 {
            if !matches!(self.lookup(name, at)?, Some(super::scope::Symbol::Constant(..))) {
                return Ok(false);
            }
        }
        if names.1 {
            return Ok(false);
        }
        let value = self.type_of(expression)?;
        Ok(value.as_constant().is_some() && self.is_static(&value))
    }

    /// Refuses what writes to memory behind a `%n`, and buffers that the library fills.
    pub(super) fn check_output(&mut self, name: &str, call: &'a CallExpression, at: TreeSpan) -> Lowered<()> {
        if matches!(name, "setbuf" | "setvbuf") {
            let buffer = call.arguments.get(1);
            let is_null = match buffer {
                Some(buffer) => self.type_of(buffer)?.as_constant() == Some(0),
                None => false,
            };
            return if is_null { Ok(()) } else { self.refuse(at, format!("`{name}` with a buffer")) };
        }
        let Some(position) = format_position(name) else { return Ok(()) };
        let Some(format) = call.arguments.get(position) else { return Ok(()) };
        match texts_of(format) {
            Some(texts) if texts.iter().any(|text| stores_count(text)) => {
                self.refuse(at, format!("`%n` in `{name}`"))
            }
            Some(_) => Ok(()),
            // A format that is computed says nothing about arguments that are not there.
            None if call.arguments.len() == position + 1 => Ok(()),
            None if self.is_harmless_format(format)? => Ok(()),
            None => {
                for argument in &call.arguments[position + 1..] {
                    if !self.is_stream(argument) && self.type_of(argument)?.ty.is_pointer() {
                        return self.refuse(at, format!("`{name}` with a format that is computed"));
                    }
                }
                Ok(())
            }
        }
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Whether a computed format is one of the texts in the program, and none of them has a `%n`.
    fn is_harmless_format(&mut self, format: &'a Node<Expression>) -> Lowered<bool> {
        let value = self.type_of(format)?;
        let targets = self.pointed_to(&value);
        let is_harmless = |target: &crate::value::Target| {
            let Some(image) = self.facts.image(target.object).filter(|_| self.facts.is_string(target.object))
            else {
                return false;
            };
            !stores_count(&image.text())
        };
        Ok(!targets.is_empty() && targets.iter().all(is_harmless))
    }
}

/// The texts that an expression may be.
fn texts_of(expression: &Node<Expression>) -> Option<Vec<String>> {
    match &expression.node {
        Expression::StringLiteral(text) => Some(vec![text.node.concat().replace("\"\"", "")]),
        Expression::Cast(cast) => texts_of(&cast.node.expression),
        Expression::Conditional(conditional) => {
            let mut texts = texts_of(&conditional.node.then_expression)?;
            texts.extend(texts_of(&conditional.node.else_expression)?);
            Some(texts)
        }
        _ => None,
    }
}

/// Whether a format has a `%n`, perhaps with a length; an escaped character may be one.
fn stores_count(format: &str) -> bool {
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            continue;
        }
        while characters.next_if(|next| "-+ #0'123456789.*$hlLjztq".contains(*next)).is_some() {}
        if let Some('n' | '\\') = characters.next() {
            return true;
        }
    }
    // A percent sign that is written as a number.
    ["\\x25", "\\45", "\\045"].iter().any(|sign| format.contains(sign))
}

/// The names in an expression, and whether something is called in it.
#[derive(Default)]
struct Names<'a>(Vec<(&'a str, TreeSpan)>, bool);

impl<'a> Visit<'a> for Names<'a> {
    fn visit_identifier(&mut self, identifier: &'a Identifier, span: &'a TreeSpan) {
        self.0.push((&identifier.name, *span));
    }

    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a TreeSpan) {
        self.1 |= plain_name(&call.callee).is_some();
        visit::visit_call_expression(self, call, span);
    }
}
