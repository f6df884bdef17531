//! The formatter: a model in the one style.
//!
//! The syntax tree is printed line by line. Comments are woven in by their place: those in
//! front of a line stay in front of it, those at its end stay at its end, and those in the
//! middle of it move in front. One blank line stays where there were some. Printing what was
//! printed changes nothing.

mod expressions;
mod items;

use crate::ast::{Ast, Comment, Expr, Target};
use rely_base::Span;

/// Lines longer than this are broken where that is possible.
const WIDTH: usize = 100;

/// One level of indentation.
const STEP: usize = 4;

/// Prints a syntax tree of the given text.
pub fn print(text: &str, ast: &Ast) -> String {
    let mut printer = Printer::new(text, &ast.comments);
    for item in &ast.items {
        printer.item(item);
    }
    printer.comments_before(text.len() as u32);
    printer.out
}

/// An expression on one line, without comments.
pub fn expression(text: &str, expr: &Expr) -> String {
    Printer::new(text, &[]).expr(expr)
}

/// A variable or cell on one line, without comments.
pub fn target(text: &str, target: &Target) -> String {
    Printer::new(text, &[]).target(target)
}

struct Printer<'a> {
    text: &'a str,
    /// The comments that are not printed yet.
    comments: &'a [Comment],
    /// Up to where the source has been printed.
    printed: u32,
    out: String,
    indent: usize,
    /// Whether a block has just started, so that no blank line is wanted.
    fresh: bool,
}

impl<'a> Printer<'a> {
    fn new(text: &'a str, comments: &'a [Comment]) -> Self {
        Self { text, comments, printed: 0, out: String::new(), indent: 0, fresh: true }
    }

    /// Prints one line, or several, that stand for `span`.
    fn line(&mut self, span: Span, content: &str) {
        self.comments_before(span.end);
        self.blank_line_before(span.start);
        self.write_line(content);
        self.printed = self.printed.max(span.end);
        self.comments_behind();
        self.out.push('\n');
    }

    fn write_line(&mut self, content: &str) {
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.out.push_str(content);
        self.fresh = false;
    }

    /// Prints the comments that start before `end`, each on its own line.
    fn comments_before(&mut self, end: u32) {
        while let [comment, rest @ ..] = self.comments
            && comment.span.start < end
        {
            self.comments = rest;
            self.blank_line_before(comment.span.start);
            self.write_line(&comment.text);
            self.out.push('\n');
            self.printed = self.printed.max(comment.span.end);
        }
    }

    /// Prints the comments that follow on the same line of the source.
    fn comments_behind(&mut self) {
        while let [comment, rest @ ..] = self.comments
            && self.between(comment.span.start).is_some_and(|gap| gap.trim() == "" && !gap.contains('\n'))
        {
            self.comments = rest;
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.printed = comment.span.end;
        }
    }

    fn blank_line_before(&mut self, start: u32) {
        let has_blank_line = self.between(start).is_some_and(|gap| gap.matches('\n').count() > 1);
        if has_blank_line && !self.fresh {
            self.out.push('\n');
        }
    }

    /// What stands between the last thing that was printed and `start`.
    fn between(&self, start: u32) -> Option<&'a str> {
        self.text.get(self.printed as usize..start as usize)
    }

    /// The source of a span.
    fn source(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Prints `head {`, where `span` ends behind the brace.
    fn open(&mut self, span: Span, head: &str) {
        self.line(span, &brace(head));
        self.indent += STEP;
        self.fresh = true;
    }

    /// Prints `} head {`, where `span` covers both braces. Comments in it stay in the block
    /// that ends.
    fn reopen(&mut self, span: Span, head: &str) {
        self.comments_before(span.end);
        self.indent -= STEP;
        self.fresh = true;
        self.open(span, &format!("}} {head}"));
    }

    /// Prints the `}` at the end of a block.
    fn close(&mut self, block: Span) {
        self.comments_before(block.end - 1);
        self.indent -= STEP;
        self.fresh = true;
        self.line(Span { start: block.end - 1, ..block }, "}");
    }

    /// Whether a comment stands between the braces.
    fn has_comments_in(&self, block: Span) -> bool {
        self.comments
            .iter()
            .take_while(|comment| comment.span.start < block.end)
            .any(|comment| comment.span.start > block.start)
    }
}

fn brace(head: &str) -> String {
    if head.is_empty() { "{".into() } else { format!("{head} {{") }
}
