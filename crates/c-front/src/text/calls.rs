//! Which tokens of a line belong to calls of macros, so that no span begins or ends in the middle of one.
//!
//! The preprocessor leaves nothing of the name of a macro: a name that was written and that is not there any more
//! is taken for one. What is called a macro wrongly costs precision only: a span becomes wider.

use super::lexer::{Token, TokenKind};
use std::ops::Range;

/// The calls of macros among some tokens.
#[derive(Debug)]
pub(super) struct Calls {
    /// In the order of their names.
    calls: Vec<Call>,
    /// For each token the innermost call that it belongs to.
    innermost: Vec<Option<usize>>,
}

/// A macro, with its arguments if it has some.
#[derive(Clone, Debug)]
struct Call {
    whole: Range<usize>,
    /// What is between the brackets.
    arguments: Range<usize>,
    /// The call of which this one is in the arguments.
    outer: Option<usize>,
}

impl Calls {
    /// The calls among tokens that were written, given which of them are still there behind the preprocessor.
    pub(super) fn new(written: &[Token], source: &str, is_made: &[bool]) -> Self {
        let closing = closing_brackets(written, source);
        let mut calls: Vec<Call> = Vec::new();
        let mut innermost = vec![None; written.len()];
        let mut open: Option<usize> = None;
        for (index, token) in written.iter().enumerate() {
            while let Some(call) = open.filter(|&call| calls[call].whole.end <= index) {
                open = calls[call].outer;
            }
            if token.kind == TokenKind::Word && !is_made[index] {
                let behind = match closing.get(index + 1).copied().flatten() {
                    Some(close) if written[index + 1].is(source, '(') => close + 1,
                    _ => index + 1,
                };
                let arguments = index + 2..behind.saturating_sub(1).max(index + 2);
                calls.push(Call { whole: index..behind, arguments, outer: open });
                open = Some(calls.len() - 1);
            }
            innermost[index] = open;
        }
        Self { calls, innermost }
    }

    /// Where the arguments of a macro end, if a token is the name of one that has some.
    pub(super) fn end_of_call(&self, name: usize) -> Option<usize> {
        let call = &self.calls[self.innermost.get(name).copied().flatten()?];
        (call.whole.start == name && call.whole.len() > 1).then_some(call.whole.end)
    }

    /// The tokens of a range, and with them all of each macro of which the range has a part that is more than a part
    /// of its arguments. If something in the range was made otherwise than it is written, it was by a macro: by one in
    /// the range, or else by that around it.
    pub(super) fn wider(&self, mut range: Range<usize>, is_as_written: bool) -> Range<usize> {
        if range.is_empty() {
            return range;
        }
        loop {
            let mut wider = range.clone();
            for at in [range.start, range.end - 1] {
                for call in self.around(at) {
                    if !is_inside(&wider, &call.arguments) {
                        wider = wider.start.min(call.whole.start)..wider.end.max(call.whole.end);
                    }
                }
            }
            if wider == range && !is_as_written && !self.has_call(&range) {
                // Nothing in the range is a macro.
                if let Some(call) = self.around(range.start).next() {
                    wider = call.whole.clone();
                }
            }
            if wider == range {
                return range;
            }
            range = wider;
        }
    }

    /// Whether a range has a part of a call that is more than a part of its arguments, and not all of it.
    pub(super) fn is_cut(&self, range: &Range<usize>) -> bool {
        self.wider(range.clone(), true) != *range
    }

    fn has_call(&self, range: &Range<usize>) -> bool {
        let first = self.calls.partition_point(|call| call.whole.start < range.start);
        self.calls.get(first).is_some_and(|call| call.whole.start < range.end)
    }

    /// The calls that a token belongs to, the innermost first.
    fn around(&self, token: usize) -> impl Iterator<Item = &Call> {
        let first = self.innermost.get(token).copied().flatten();
        std::iter::successors(first, |&call| self.calls[call].outer).map(|call| &self.calls[call])
    }
}

fn is_inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// For each opening bracket the one that closes it.
fn closing_brackets(tokens: &[Token], source: &str) -> Vec<Option<usize>> {
    let mut closing = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.text(source) {
            "(" => open.push(index),
            ")" => {
                if let Some(start) = open.pop() {
                    closing[start] = Some(index);
                }
            }
            _ => {}
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex_leniently;
    use super::*;

    /// The names in capitals are macros; the range is that of a part of the text.
    fn check(text: &str, part: &str, is_as_written: bool, expected: &str) {
        let tokens: Vec<Token> =
            lex_leniently(text).into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
        let is_macro = |token: &Token| token.text(text).chars().all(char::is_uppercase);
        let is_made: Vec<bool> = tokens.iter().map(|token| !is_macro(token)).collect();
        let calls = Calls::new(&tokens, text, &is_made);
        let start = text.find(part).expect("the part is in the text");
        let first = tokens.partition_point(|token| token.end <= start);
        let last = tokens.partition_point(|token| token.start < start + part.len());
        let wider = calls.wider(first..last, is_as_written);
        assert_eq!(&text[tokens[wider.start].start..tokens[wider.end - 1].end], expected);
    }

    #[test]
    fn ranges_grow_to_whole_calls() {
        check("CHECK(x == 5); y = 1;", "x == 5", true, "x == 5");
        check("CHECK(x == 5); y = 1;", "x == 5", false, "CHECK(x == 5)");
        check("CHECK(x == 5); y = 1;", "(x == 5)", true, "CHECK(x == 5)");
        check("CHECK(x == 5); y = 1;", "5); y", true, "CHECK(x == 5); y");
        check("CHECK(x == TWO);", "x == TWO", false, "x == TWO");
        check("CHECK(MAX(x, y) == z);", "x", false, "MAX(x, y)");
        check("CHECK(MAX(x, y) == z);", "y) == z", true, "MAX(x, y) == z");
        check("SET(x, y); SET(y, z);", "y); SET", true, "SET(x, y); SET(y, z)");
        check("f(x, TWO); g(y);", "x, TWO", false, "x, TWO");
        check("f(x); g(y);", "(x)", false, "(x)");
        check("SET(x, y", "x, y", true, "x, y");
    }
}
