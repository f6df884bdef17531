//! Calls the parser, and says in words what it did not understand.

use super::lexer::{Token, TokenKind, lex};
use super::prepare::Prepared;
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

/// A syntax error at a position of the prepared text.
#[derive(Debug)]
pub(crate) struct SyntaxFault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Whether this is a construct that the parser does not know.
    pub(crate) is_unsupported: bool,
}

/// Parses a prepared text.
pub(crate) fn parse(prepared: &Prepared) -> Result<TranslationUnit, SyntaxFault> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    match parse_preprocessed(&config, prepared.text.clone()) {
        Ok(parse) => Ok(parse.unit),
        Err(error) => Err(explain(&prepared.text, &error)),
    }
}

fn explain(text: &str, error: &SyntaxError) -> SyntaxFault {
    let tokens: Vec<Token> =
        lex(text).unwrap_or_default().into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
    let index = tokens.partition_point(|token| token.end <= error.offset);
    let Some(token) = tokens.get(index) else {
        return SyntaxFault {
            start: error.offset.min(text.len()),
            end: text.len(),
            message: "the text ends in the middle of a declaration or statement".into(),
            help: None,
            is_unsupported: false,
        };
    };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text(text));
    let before = index.checked_sub(1).map_or("", word);
    let is_operand_of_alignof = |distance: usize| {
        let word = index.checked_sub(distance).map_or("", word);
        matches!(word, "_Alignof" | "__alignof__" | "__alignof")
    };
    let message = match unsupported_syntax(before, word(index), word(index + 1)) {
        _ if is_operand_of_alignof(1) || before == "(" && is_operand_of_alignof(2) => {
            "the alignment of an expression is not supported: ask for that of its type".into()
        }
        Some(construct) => format!("{construct} is not supported"),
        None if is_name(before) && is_name(word(index)) => format!("there is no type `{before}`"),
        None => format!("syntax error at `{}`", word(index)),
    };
    let help = expected(error).map(|list| format!("expected {list}"));
    let is_unsupported = message.contains("is not supported");
    SyntaxFault { start: token.start, end: token.end, message, help, is_unsupported }
}

/// Constructs of GNU C that the parser does not know, by the words around the error.
fn unsupported_syntax(before: &str, word: &str, after: &str) -> Option<&'static str> {
    match (before, word, after) {
        ("&", "&", _) | (_, "&", "&") if !is_operand(before) => Some("the address of a label"),
        ("__label__", ..) | (_, "__label__", _) => Some("a local label"),
        ("asm" | "__asm__", "goto", _) => Some("`asm goto`"),
        (_, "__attribute__" | "__attribute", _) => Some("an attribute in this place"),
        ("goto", "*", _) => Some("a computed goto"),
        _ => None,
    }
}

fn is_name(word: &str) -> bool {
    const KEYWORDS: [&str; 14] = [
        "return", "else", "goto", "case", "do", "sizeof", "int", "char", "long", "short", "unsigned", "void",
        "struct", "while",
    ];
    word.starts_with(|first: char| first.is_alphabetic() || first == '_') && !KEYWORDS.contains(&word)
}

fn is_operand(word: &str) -> bool {
    word.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']'))
}

/// What could have stood there, if that is short enough to help.
fn expected(error: &SyntaxError) -> Option<String> {
    let mut list: Vec<String> = error
        .expected
        .iter()
        .filter(|name| !name.starts_with('[') && !name.contains("whitespace"))
        .map(|name| if name.starts_with('<') { (*name).to_owned() } else { format!("`{name}`") })
        .collect();
    list.sort();
    (1..=4).contains(&list.len()).then(|| list.join(" or "))
}
