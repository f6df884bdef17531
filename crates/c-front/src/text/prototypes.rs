//! Prototypes of functions that nobody names.
//!
//! Headers declare hundreds of functions of which a program uses a few, and reading declarations
//! is most of the work of the parser. A declaration `extern ... name(...);` says nothing but what
//! `name` is: if this is the only place with that name, it can as well be left out. What is not
//! obviously of this form stays.

use super::lexer::{Token, TokenKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How often each word occurs.
pub(super) type WordCounts<'s> = FxHashMap<&'s str, usize>;

pub(super) fn count_words<'s>(source: &'s str, code: &[Token]) -> WordCounts<'s> {
    let mut counts = WordCounts::default();
    for token in code.iter().filter(|token| token.kind == TokenKind::Word) {
        *counts.entry(token.text(source)).or_default() += 1;
    }
    counts
}

/// Which tokens belong to such prototypes, in order.
pub(super) fn unused_prototypes(source: &str, code: &[Token], counts: &WordCounts<'_>) -> Vec<Range<usize>> {
    let mut unused = Vec::new();
    let mut depth = 0_usize;
    // Only a semicolon certainly ends what stands before it.
    let mut start = Some(0);
    for (index, token) in code.iter().enumerate() {
        if token.kind != TokenKind::Punctuation {
            continue;
        }
        match token.text(source) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "{" => {
                depth += 1;
                start = None;
            }
            "}" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => {
                if let Some(start) = start
                    && is_unused_prototype(source, &code[start..index], counts)
                {
                    unused.push(start..index + 1);
                }
                start = Some(index + 1);
            }
            _ => {}
        }
    }
    unused
}

/// Whether a declaration, without its semicolon, declares nothing but a function that is named
/// nowhere else.
fn is_unused_prototype(source: &str, declaration: &[Token], counts: &WordCounts<'_>) -> bool {
    let Some((first, rest)) = declaration.split_first() else { return false };
    let Some(open) = rest.iter().position(|token| token.is(source, '(')) else { return false };
    let (before, behind) = rest.split_at(open);
    let Some((name, result)) = before.split_last() else { return false };
    first.text(source) == "extern"
        && is_declared_here(source, *name, counts)
        && !result.is_empty()
        && result.iter().all(|token| is_plain(source, *token))
        && is_only_attributes(source, &behind[group_length(source, behind)..])
}

/// Whether a word before parentheses, which stands nowhere else, is the name of a function: words
/// of the language and types might be none.
fn is_declared_here(source: &str, name: Token, counts: &WordCounts<'_>) -> bool {
    let text = name.text(source);
    let is_word_of_the_language =
        text.starts_with('_') || matches!(text, "asm" | "typeof" | "typeof_unqual" | "alignas");
    name.kind == TokenKind::Word && !is_word_of_the_language && counts.get(text) == Some(&1)
}

/// Part of the type of a result that introduces no tag.
fn is_plain(source: &str, token: Token) -> bool {
    match token.kind {
        TokenKind::Word => !matches!(token.text(source), "struct" | "union" | "enum"),
        _ => token.is(source, '*'),
    }
}

/// Whether there is nothing but `__attribute__((...))` and `__asm__(...)`.
fn is_only_attributes(source: &str, mut tokens: &[Token]) -> bool {
    while let Some((word, rest)) = tokens.split_first() {
        let is_known =
            matches!(word.text(source), "__attribute__" | "__attribute" | "__asm__" | "__asm" | "asm");
        let length = group_length(source, rest);
        if !is_known || length == 0 {
            return false;
        }
        tokens = &rest[length..];
    }
    true
}

/// How many tokens the parentheses have with which the tokens begin; 0 if they do not.
fn group_length(source: &str, tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        if token.is(source, '(') {
            depth += 1;
        } else if token.is(source, ')') {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return if index == 0 { 0 } else { index + 1 };
        }
    }
    0
}
