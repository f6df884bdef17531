//! The words, numbers and symbols of annotations.

use super::{is_word_byte, span};
use rely_base::{Diagnostic, FileId, Span};
use std::fmt;
use std::ops::Range;

/// The symbols, those first that begin with others.
const SYMBOLS: [&str; 30] = [
    "<==>", "==>", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(",
    ")", "{", "}", "[", "]", ",", ";", ".", "#", "=", "&",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'s> {
    Word(&'s str),
    Int(i128),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) span: Span,
}

impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Word(word) => f.write_str(word),
            Kind::Int(number) => number.fmt(f),
            Kind::Symbol(symbol) => f.write_str(symbol),
            Kind::End => Ok(()),
        }
    }
}

/// The tokens of a part of a text; the last one is its end.
pub(super) fn tokens(file: FileId, text: &str, part: Range<usize>) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = part.start;
    while let Some(first) = text[at..part.end].chars().next() {
        let start = at;
        let rest = &text[at..part.end];
        let word = rest.bytes().take_while(|&byte| is_word_byte(byte)).count();
        if first.is_whitespace() || rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            at += first.len_utf8();
            continue;
        }
        let kind = if word > 0 {
            at += word;
            match first.is_ascii_digit() {
                true => Kind::Int(number(&rest[..word], span(file, start..at))?),
                false => Kind::Word(&rest[..word]),
            }
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            at += symbol.len();
            Kind::Symbol(symbol)
        } else {
            let here = span(file, start..start + first.len_utf8());
            return Err(Diagnostic::error(format!("`{}` in an annotation", first.escape_debug()))
                .at(here, "not a part of any expression"));
        };
        tokens.push(Token { kind, span: span(file, start..at) });
    }
    let end = text[..part.end].trim_end().len().max(part.start);
    tokens.push(Token { kind: Kind::End, span: span(file, end..part.end.min(end + 1)) });
    Ok(tokens)
}

/// A decimal or hexadecimal number, with the letters behind it that C has there.
fn number(written: &str, at: Span) -> Result<i128, Diagnostic> {
    let wrong = |message: &str| Err(Diagnostic::error(message).at(at, "here"));
    let digits = written.trim_end_matches(['u', 'U', 'l', 'L']);
    let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None if digits.len() > 1 && digits.starts_with('0') => {
            return wrong("a number with a zero in front, which C reads as octal");
        }
        None => digits.parse::<u64>(),
    };
    match parsed {
        Ok(number) if digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) => Ok(i128::from(number)),
        _ => wrong("this is not an integer of at most 64 bits"),
    }
}
