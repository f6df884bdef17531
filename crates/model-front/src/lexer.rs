//! From text to tokens.

use crate::ast::Comment;
use crate::limits;
use rely_base::{Diagnostic, FileId, Span};

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'s> {
    pub kind: TokenKind<'s>,
    pub span: Span,
}

/// Kinds of tokens. Keywords are names: the parser knows where they matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind<'s> {
    Name(&'s str),
    Int(i128),
    Symbol(&'static str),
    End,
}

/// All symbols; where one is the beginning of another, the longer comes first.
const SYMBOLS: [&str; 38] = [
    "<==>", "==>", ":=", "->", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "..", "{", "}", "(", ")", "[",
    "]", ";", ":", ",", ".", "=", "*", "+", "-", "/", "%", "!", "~", "&", "|", "^", "<", ">", "?", "#",
];

/// The tokens of a text, its comments, and what could not be read.
pub struct Lexed<'s> {
    pub tokens: Vec<Token<'s>>,
    pub comments: Vec<Comment>,
    pub errors: Vec<Diagnostic>,
}

/// Cuts the whole text into tokens; the last one is always [`TokenKind::End`].
pub fn lex(file: FileId, text: &str) -> Lexed<'_> {
    let lexed = Lexed { tokens: Vec::new(), comments: Vec::new(), errors: Vec::new() };
    let mut lexer = Lexer { file, text, at: 0, lexed };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.token(text.len(), TokenKind::End);
    lexer.lexed
}

struct Lexer<'s> {
    file: FileId,
    text: &'s str,
    at: usize,
    lexed: Lexed<'s>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn token(&mut self, start: usize, kind: TokenKind<'s>) {
        let span = self.span(start);
        self.lexed.tokens.push(Token { kind, span });
    }

    /// Takes the longest prefix of the rest whose characters satisfy `belongs`.
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn next(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
        } else if rest.starts_with("//") {
            self.take_while(|c| c != '\n');
            self.comment(start);
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            self.token(start, TokenKind::Name(name));
        } else if first.is_ascii_digit() {
            self.number();
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            self.token(start, TokenKind::Symbol(symbol));
        } else {
            self.foreign(first);
        }
    }

    fn comment(&mut self, start: usize) {
        let span = self.span(start);
        let text = self.text[start..self.at].trim_end().to_owned();
        self.lexed.comments.push(Comment { span, text });
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest().find("*/") {
            Some(length) => {
                self.at += length + 2;
                self.comment(start);
            }
            None => {
                self.at = start + 2;
                let opening = self.span(start);
                self.at = self.text.len();
                self.error(
                    Diagnostic::error("unterminated comment")
                        .at(opening, "it starts here")
                        .help("close it with `*/`, or write `//` for a comment of one line"),
                );
            }
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let written = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits: String = written.chars().filter(|&c| c != '_').collect();
        let value = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse::<i128>(),
        };
        let is_number = match digits.strip_prefix("0x") {
            Some(hexadecimal) => {
                !hexadecimal.is_empty() && hexadecimal.chars().all(|c| c.is_ascii_hexdigit())
            }
            None => digits.chars().all(|c| c.is_ascii_digit()),
        };
        let span = self.span(start);
        let value = match value {
            Ok(value) if value <= limits::LITERAL => value,
            _ if is_number => {
                self.error(
                    Diagnostic::error("a number is too large")
                        .at(span, "more than 64 bits")
                        .help(format!("the largest number that can be written is {}", limits::LITERAL)),
                );
                0
            }
            _ => {
                self.error(
                    Diagnostic::error(format!("`{}` is neither a number nor a name", shorten(written)))
                        .at(span, "not a number")
                        .help("a name starts with a letter or `_`"),
                );
                0
            }
        };
        // A wrong number is still one, so that the parser finds what else is wrong.
        self.token(start, TokenKind::Int(value));
    }

    /// Something that is in no token: report a run of such characters once.
    fn foreign(&mut self, first: char) {
        let start = self.at;
        let taken = self.take_while(|c| {
            let known = c.is_ascii_alphanumeric()
                || c == '_'
                || c.is_whitespace()
                || SYMBOLS.iter().any(|symbol| symbol.starts_with(c));
            !known
        });
        if taken.is_empty() {
            // Cannot be: the first character is none of those. Never stand still, all the same.
            self.at += first.len_utf8();
        }
        let printable =
            if first.is_control() { format!("U+{:04X}", first as u32) } else { first.to_string() };
        let error = Diagnostic::error(format!("`{printable}` is not a character of the language"))
            .at(self.span(start), "unknown character");
        self.error(match replacement(first) {
            Some(help) => error.help(help),
            None => error,
        });
    }

    fn error(&mut self, error: Diagnostic) {
        if self.lexed.errors.len() < limits::ERRORS {
            self.lexed.errors.push(error);
        }
    }
}

fn shorten(text: &str) -> String {
    if text.len() <= 24 { text.to_owned() } else { format!("{}...", &text[..24]) }
}

fn replacement(character: char) -> Option<String> {
    let written = match character {
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '→' => "->",
        '⇒' => "==>",
        '∗' | '×' => "*",
        '@' => return Some("where a thread stands is written `T at label`".into()),
        '“' | '”' | '"' | '\'' => return Some("there are no strings and no characters".into()),
        c if c.is_alphabetic() => return Some("names are made of ASCII letters, digits and `_`".into()),
        _ => return None,
    };
    Some(format!("write `{written}`"))
}
