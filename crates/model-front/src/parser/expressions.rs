//! Expressions, by operator precedence.

use super::{Parsed, Parser};
use crate::ast::{Binary, CountExpr, Expr, ExprKind, Labels, Name, Quantified, Range, ThreadRef, Unary};
use crate::lexer::TokenKind;
use crate::limits;
use rely_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    /// An expression whose operators all bind at least as tightly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let TokenKind::Symbol(symbol) = self.kind() else { return Ok(left) };
            if symbol == "?" {
                if weakest > Binary::CONDITIONAL_STRENGTH {
                    return Ok(left);
                }
                left = self.conditional(left)?;
                continue;
            }
            let Some(op) = Binary::from_symbol(symbol) else { return Ok(left) };
            let strength = op.strength();
            if strength < weakest {
                return Ok(left);
            }
            self.check_chain(&left, op)?;
            self.bump();
            // Only the implication associates to the right.
            let right_weakest = if op == Binary::Implies { strength } else { strength + 1 };
            let right = self.nested(|parser| parser.binary(right_weakest))?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Binary(op, Box::new([left, right])), span)?;
        }
    }

    /// `a < b < c` means nothing here, and something else in C.
    fn check_chain(&mut self, left: &Expr, op: Binary) -> Parsed<()> {
        let ExprKind::Binary(first, _) = &left.kind else { return Ok(()) };
        if !first.is_comparison() || !op.is_comparison() {
            return Ok(());
        }
        let error = Diagnostic::error("comparisons cannot be chained")
            .at(self.span(), format!("a second comparison, after `{}`", first.symbol()))
            .help("write `a < b && b < c`, or use parentheses to compare truth values");
        Err(self.report(error))
    }

    fn conditional(&mut self, condition: Expr) -> Parsed<Expr> {
        self.bump();
        let yes = self.expression()?;
        self.expect_symbol(":")?;
        let no = self.nested(|parser| parser.binary(Binary::CONDITIONAL_STRENGTH))?;
        let span = condition.span.to(no.span);
        self.node(ExprKind::Conditional(Box::new([condition, yes, no])), span)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let op = match self.kind() {
            TokenKind::Symbol("-") => Unary::Neg,
            TokenKind::Symbol("!") => Unary::Not,
            TokenKind::Symbol("~") => Unary::BitNot,
            _ => return self.primary(),
        };
        let start = self.bump().span;
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.span);
        self.node(ExprKind::Unary(op, Box::new(operand)), span)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Int(value) => {
                self.bump();
                ExprKind::Int(value)
            }
            TokenKind::Symbol("(") => {
                self.bump();
                let inner = self.expression()?;
                self.expect_closing(")", start)?;
                ExprKind::Paren(Box::new(inner))
            }
            TokenKind::Symbol("#") => self.count()?,
            TokenKind::Symbol("*") => {
                let error = Diagnostic::error("`*` is not an expression")
                    .at(start, "any value")
                    .help("`*` stands alone behind `:=`, as an initial value, or as the condition of `if` and `while`");
                return Err(self.report(error));
            }
            TokenKind::Name("true" | "false") => ExprKind::Bool(self.bump().kind == TokenKind::Name("true")),
            TokenKind::Name("this") => {
                self.bump();
                ExprKind::This
            }
            TokenKind::Name("me") => {
                self.bump();
                ExprKind::Name("me".into())
            }
            TokenKind::Name("forall" | "exists") => self.quantified()?,
            TokenKind::Name(_) => self.named()?,
            _ => return Err(self.unexpected(&["an expression"])),
        };
        let span = self.span_from(start);
        self.node(kind, span)
    }

    /// What starts with a name: a variable, a cell, a thread's local or place.
    fn named(&mut self) -> Parsed<ExprKind> {
        let name = self.name("an expression")?;
        let index = self.index()?;
        if self.eat_word("at") {
            return Ok(ExprKind::At(ThreadRef { name, index }, self.labels()?));
        }
        if self.eat_symbol(".") {
            let local = self.name("a local variable")?;
            let cell = self.index()?;
            return Ok(ExprKind::Local(ThreadRef { name, index }, local, cell));
        }
        Ok(match index {
            Some(index) => ExprKind::Element(name, index),
            None => ExprKind::Name(name.text),
        })
    }

    fn index(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.at_symbol("[") {
            return Ok(None);
        }
        let opening = self.bump().span;
        let index = self.expression()?;
        self.expect_closing("]", opening)?;
        Ok(Some(Box::new(index)))
    }

    fn labels(&mut self) -> Parsed<Labels> {
        if !self.at_symbol("{") {
            return Ok(Labels { names: vec![self.label_use()?], braces: false });
        }
        let opening = self.bump().span;
        let mut names = vec![self.label_use()?];
        while self.eat_symbol(",") {
            names.push(self.label_use()?);
        }
        if !self.eat_symbol("}") {
            let error = self.unexpected_error(&["`,`", "`}`"]).see(opening, "to close this");
            return Err(self.report(error));
        }
        Ok(Labels { names, braces: true })
    }

    fn count(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let opening = self.expect_symbol("(")?;
        let name = self.name("a thread or process")?;
        let index = self.index()?;
        let labels = if self.eat_word("at") { Some(self.labels()?) } else { None };
        let condition = if self.eat_symbol("&&") { Some(self.expression()?) } else { None };
        if !self.eat_symbol(")") {
            let expected: &[&str] = match (&labels, &condition) {
                (_, Some(_)) => &["`)`", "an operator"],
                (Some(_), None) => &["`)`", "`&&`"],
                (None, None) => &["`)`", "`at`", "`&&`"],
            };
            let error = self.unexpected_error(expected).see(opening, "to close this");
            return Err(self.report(error));
        }
        let thread = ThreadRef { name, index };
        Ok(ExprKind::Count(Box::new(CountExpr { thread, labels, condition })))
    }

    fn quantified(&mut self) -> Parsed<ExprKind> {
        let universal = self.bump().kind == TokenKind::Name("forall");
        let variable: Name = self.name("a name")?;
        if !self.eat_word("in") {
            return Err(self.unexpected(&["`in`"]));
        }
        let range = self.range()?;
        self.expect_symbol(":")?;
        let body = self.expression()?;
        Ok(ExprKind::Quantified(Box::new(Quantified { universal, variable, range, body })))
    }

    /// `low..high`
    pub(super) fn range(&mut self) -> Parsed<Range> {
        // Nothing weaker than a sum, so that `in 0..n = *` ends before `=`.
        let low = self.nested(|parser| parser.binary(Binary::Add.strength()))?;
        self.expect_symbol("..")?;
        let high = self.nested(|parser| parser.binary(Binary::Add.strength()))?;
        Ok(Range { low, high })
    }

    /// An expression with its height, if that is allowed.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = 1 + tallest_part(&kind);
        if usize::from(height) <= limits::NESTING {
            return Ok(Expr { kind, span, height });
        }
        let error = Diagnostic::error(format!("an expression has more than {} levels", limits::NESTING))
            .at(self.previous_span(), "too deep here")
            .see(Span { end: span.start + 1, ..span }, "it starts here")
            .help("split it into several parts");
        Err(self.report_and_stop(error))
    }
}

fn tallest_part(kind: &ExprKind) -> u16 {
    let boxed = |part: &Option<Box<Expr>>| part.as_ref().map_or(0, |part| part.height);
    match kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::This => 0,
        ExprKind::Element(_, index) => index.height,
        ExprKind::Local(thread, _, cell) => boxed(&thread.index).max(boxed(cell)),
        ExprKind::At(thread, _) => boxed(&thread.index),
        ExprKind::Count(count) => {
            boxed(&count.thread.index).max(count.condition.as_ref().map_or(0, |condition| condition.height))
        }
        ExprKind::Unary(_, operand) | ExprKind::Paren(operand) => operand.height,
        ExprKind::Binary(_, operands) => operands.iter().map(|part| part.height).max().unwrap_or(0),
        ExprKind::Conditional(parts) => parts.iter().map(|part| part.height).max().unwrap_or(0),
        ExprKind::Quantified(quantified) => {
            let Range { low, high } = &quantified.range;
            low.height.max(high.height).max(quantified.body.height)
        }
    }
}
