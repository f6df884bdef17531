//! Declarations without a type, which is `int` then: `static x;`, `main() { ... }`.
//!
//! The first standard of C allowed them, and gcc still reads them.

use super::lexer::{Token, TokenKind};
use super::tags::parenthesized_length;
use rustc_hash::FxHashSet;

/// Words after which a declaration may go on with a name, the type being left out.
const CLASSES: [&str; 10] = [
    "static",
    "extern",
    "register",
    "auto",
    "const",
    "volatile",
    "inline",
    "__inline",
    "__inline__",
    "_Noreturn",
];

/// The tokens in front of which `int` is missing.
pub(super) fn without_type(source: &str, code: &[Token]) -> FxHashSet<usize> {
    let types = defined_types(source, code);
    let mut found = FxHashSet::default();
    let (mut depth, mut begins) = (0_usize, true);
    for (index, token) in code.iter().enumerate() {
        let is_behind_class = index.checked_sub(1).is_some_and(|before| is_class(source, code, before));
        let may_define = depth == 0 && begins;
        let is_without_type = (is_behind_class || may_define)
            && is_plain_word(source, *token)
            && !types.contains(token.text(source))
            && (is_behind_class && declares(source, code, index)
                || may_define && defines_function(source, &code[index..]));
        if is_without_type {
            found.insert(index);
        }
        begins = match token.text(source) {
            "{" if token.kind == TokenKind::Punctuation => {
                depth += 1;
                false
            }
            "}" if token.kind == TokenKind::Punctuation => {
                depth = depth.saturating_sub(1);
                true
            }
            text => text == ";",
        };
    }
    found
}

/// All names between `typedef` and the end of the declaration: too many do no harm.
fn defined_types<'s>(source: &'s str, code: &[Token]) -> FxHashSet<&'s str> {
    let mut types = FxHashSet::default();
    let (mut is_inside, mut depth) = (false, 0_usize);
    for token in code {
        match token.text(source) {
            "typedef" => (is_inside, depth) = (true, 0),
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => is_inside = false,
            word if is_inside && depth == 0 && token.kind == TokenKind::Word => {
                types.insert(word);
            }
            _ => {}
        }
    }
    types
}

/// Whether a storage class or qualifier stands here that belongs to no type in front of it.
fn is_class(source: &str, code: &[Token], mut index: usize) -> bool {
    let is_one =
        |index: usize| code[index].kind == TokenKind::Word && CLASSES.contains(&code[index].text(source));
    if !is_one(index) {
        return false;
    }
    while index > 0 && is_one(index - 1) {
        index -= 1;
    }
    let Some(before) = index.checked_sub(1) else { return true };
    match code[before].text(source) {
        ";" | "{" => true,
        "}" => !ends_type(source, &code[..before]),
        _ => false,
    }
}

/// Whether the brace behind these tokens ends the members of a structure or the like.
fn ends_type(source: &str, code: &[Token]) -> bool {
    let mut depth = 1_usize;
    for (index, token) in code.iter().enumerate().rev() {
        if token.is(source, '}') {
            depth += 1;
        } else if token.is(source, '{') {
            depth -= 1;
        }
        if depth == 0 {
            let before = &code[index.saturating_sub(2)..index];
            return before.iter().any(|word| matches!(word.text(source), "struct" | "union" | "enum"));
        }
    }
    false
}

/// A word that is no keyword.
fn is_plain_word(source: &str, token: Token) -> bool {
    const KEYWORDS: [&str; 35] = [
        "if",
        "while",
        "for",
        "switch",
        "do",
        "else",
        "return",
        "sizeof",
        "int",
        "char",
        "long",
        "short",
        "unsigned",
        "signed",
        "void",
        "float",
        "double",
        "struct",
        "union",
        "enum",
        "typedef",
        "goto",
        "case",
        "default",
        "break",
        "continue",
        "asm",
        "typeof",
        "_Bool",
        "_Complex",
        "_Atomic",
        "_Static_assert",
        "_Thread_local",
        "_Alignas",
        "_Generic",
    ];
    let word = token.text(source);
    token.kind == TokenKind::Word
        && !word.starts_with("__")
        && !KEYWORDS.contains(&word)
        && !CLASSES.contains(&word)
}

/// Whether a name behind a storage class is what is declared.
fn declares(source: &str, code: &[Token], index: usize) -> bool {
    match code.get(index + 1).map(|next| next.text(source)) {
        Some("=" | ";" | "," | "[") => true,
        Some("(") => {
            defines_function(source, &code[index..]) || ends_behind_parentheses(source, &code[index..])
        }
        _ => false,
    }
}

fn ends_behind_parentheses(source: &str, code: &[Token]) -> bool {
    let length = parenthesized_length(source, code);
    length > 1 && code.get(length).is_some_and(|next| matches!(next.text(source), ";" | ","))
}

/// `name(...) {`, or with declarations of parameters in front of the body.
fn defines_function(source: &str, code: &[Token]) -> bool {
    if !code.get(1).is_some_and(|next| next.is(source, '(')) {
        return false;
    }
    let length = parenthesized_length(source, code);
    let Some(next) = code.get(length).filter(|_| length > 1) else { return false };
    if next.is(source, '{') {
        return true;
    }
    // The parameters are names then, and a body follows the last of their declarations.
    let are_names =
        code[2..length - 1].iter().all(|token| token.kind == TokenKind::Word || token.is(source, ','));
    let body = code[length..].iter().position(|token| token.is(source, '{'));
    next.kind == TokenKind::Word
        && are_names
        && body.is_some_and(|body| body > 0 && code[length + body - 1].is(source, ';'))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let code = lex(source).expect("the text has only whole tokens");
        let mut found: Vec<usize> = without_type(source, &code).into_iter().collect();
        found.sort_unstable();
        let names: Vec<&str> = found.into_iter().map(|index| code[index].text(source)).collect();
        assert_eq!(names, expected, "{source}");
    }

    #[test]
    fn types_that_are_left_out_are_found() {
        check("static x = 3; extern y, z; const a[2];", &["x", "y", "a"]);
        check("main() { register i; const static n = 2; }", &["main", "i", "n"]);
        check("f(a, b) int a; char b; { } static g(void);", &["f", "g"]);
    }

    #[test]
    fn other_declarations_are_left_alone() {
        check("typedef int t; extern t (f)(void); static t x;", &[]);
        check("int f(void) { g(); h(1) ; return 0; } T const x; T (g)(void);", &[]);
        check("void k(void) { for (;;) { l(2); } } struct s { int x; };", &[]);
    }
}
