//! Attributes where the parser does not expect them, moved to where it does.
//!
//! `struct __attribute__((packed)) s { ... }` means `struct s { ... } __attribute__((packed))`.
//! Without members behind it such an attribute means nothing. `_Alignas` stands in front of
//! members, where the parser does not know it: it becomes an attribute `__alignas__` whose argument
//! is a `sizeof`, which takes both a type and an expression, and is never computed.

use super::lexer::{Token, TokenKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Tokens that are written in another place.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// How many tokens to leave out from an index on.
    pub(super) left_out: FxHashMap<usize, usize>,
    /// The tokens to be written behind the one of an index.
    pub(super) behind: FxHashMap<usize, Vec<Range<usize>>>,
}

pub(super) fn is_attribute_word(text: &str) -> bool {
    matches!(text, "__attribute__" | "__attribute")
}

/// The attributes directly behind `struct`, `union` and `enum`.
pub(super) fn moved_attributes(source: &str, code: &[Token]) -> Moved {
    let mut moved = Moved::default();
    for (index, token) in code.iter().enumerate() {
        if token.kind != TokenKind::Word || !matches!(token.text(source), "struct" | "union" | "enum") {
            continue;
        }
        let start = index + 1;
        let mut end = start;
        while code.get(end).is_some_and(|token| is_attribute_word(token.text(source))) {
            let length = parenthesized_length(source, &code[end..]);
            if length == 1 {
                break;
            }
            end += length;
        }
        if end == start {
            continue;
        }
        moved.left_out.insert(start, end - start);
        let has_tag = code.get(end).is_some_and(|token| token.kind == TokenKind::Word);
        let open = end + usize::from(has_tag);
        if code.get(open).is_some_and(|token| token.is(source, '{'))
            && let Some(close) = closing_brace(source, code, open)
        {
            moved.behind.entry(close).or_default().push(start..end);
        }
    }
    moved
}

/// How many tokens a word with its parentheses has, or 1 if it is not followed by any.
pub(super) fn parenthesized_length(source: &str, code: &[Token]) -> usize {
    let mut depth = 0;
    for (index, token) in code.iter().enumerate().skip(1) {
        if token.is(source, '(') {
            depth += 1;
        } else if token.is(source, ')') {
            depth -= 1;
        }
        if depth == 0 {
            return if index == 1 { 1 } else { index + 1 };
        }
    }
    1
}

fn closing_brace(source: &str, code: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in code.iter().enumerate().skip(open) {
        if token.is(source, '{') {
            depth += 1;
        } else if token.is(source, '}') {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        }
    }
    None
}
