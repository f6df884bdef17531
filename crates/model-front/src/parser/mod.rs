//! From tokens to the syntax tree, by recursive descent.
//!
//! An error is recorded and the parser goes on behind the statement in which it is, so that
//! one run reports several. Nesting is bounded, so the recursion is too.

mod expressions;
mod items;
mod statements;

use crate::ast::{Ast, Name};
use crate::lexer::{Token, TokenKind, lex};
use crate::limits;
use rely_base::{Diagnostic, FileId, SourceMap, Span};

/// Words that cannot be names, because a statement or an expression can start with them.
const RESERVED: [&str; 38] = [
    "assert",
    "assume",
    "at",
    "atomic",
    "await",
    "bool",
    "break",
    "const",
    "continue",
    "do",
    "else",
    "ensures",
    "entry",
    "exists",
    "exit",
    "false",
    "forall",
    "goto",
    "halt",
    "havoc",
    "if",
    "in",
    "int",
    "invariant",
    "join",
    "local",
    "me",
    "mutex",
    "never",
    "process",
    "requires",
    "skip",
    "spawn",
    "this",
    "thread",
    "true",
    "var",
    "while",
];

/// Words with which an item of a file starts.
const ITEM_WORDS: [&str; 11] = [
    "const",
    "var",
    "thread",
    "process",
    "start",
    "requires",
    "ensures",
    "never",
    "invariant",
    "terminates",
    "deadlock",
];

/// The error has been recorded; the parser unwinds to where it can go on.
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a file.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<Ast, Vec<Diagnostic>> {
    let text = sources.file(file).text();
    if text.len() > limits::SOURCE_BYTES {
        let start = Span { file, start: 0, end: 0 };
        let limit = limits::SOURCE_BYTES >> 20;
        return Err(vec![
            Diagnostic::error(format!("the file is larger than {limit} MiB")).at(start, "too large"),
        ]);
    }
    let lexed = lex(file, text);
    if !lexed.errors.is_empty() {
        // What the parser makes of the rest would only repeat them.
        return Err(lexed.errors);
    }
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        errors: Vec::new(),
        depth: 0,
        stopped: false,
        suspicious: None,
    };
    let items = parser.file();
    if !parser.errors.is_empty() {
        parser.errors.sort_by_key(|error| error.primary.as_ref().map(|(span, _)| span.start));
        return Err(parser.errors);
    }
    Ok(Ast { items, comments: lexed.comments })
}

struct Parser<'s> {
    text: &'s str,
    tokens: Vec<Token<'s>>,
    at: usize,
    errors: Vec<Diagnostic>,
    depth: usize,
    /// Whether the rest is not worth reading.
    stopped: bool,
    /// The opening brace of the first block that is not indented like its closing brace.
    suspicious: Option<Span>,
}

impl<'s> Parser<'s> {
    fn token(&self) -> Token<'s> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind<'s> {
        self.token().kind
    }

    /// The kind of the token `ahead` tokens behind the current one.
    fn look(&self, ahead: usize) -> TokenKind<'s> {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before the current one.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    /// From the start of `start` to the end of what was read last.
    fn span_from(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn bump(&mut self) -> Token<'s> {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.kind(), TokenKind::Symbol(found) if found == symbol)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Name(found) if found == word)
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn report(&mut self, error: Diagnostic) -> Failed {
        if !self.gave_up() {
            self.errors.push(error);
        }
        Failed
    }

    fn gave_up(&self) -> bool {
        self.stopped || self.errors.len() >= limits::ERRORS
    }

    /// Reports an error and ends: what follows a thing that is too deep is as deep.
    fn report_and_stop(&mut self, error: Diagnostic) -> Failed {
        let failed = self.report(error);
        self.stopped = true;
        self.at = self.tokens.len() - 1;
        failed
    }

    /// Reports that something else was expected here.
    fn unexpected(&mut self, expected: &[&str]) -> Failed {
        let error = self.unexpected_error(expected);
        self.report(error)
    }

    fn unexpected_error(&self, expected: &[&str]) -> Diagnostic {
        let found = describe(self.kind());
        Diagnostic::error(format!("expected {}, found {found}", one_of(expected)))
            .at(self.span(), "not expected here")
    }

    fn expect_symbol(&mut self, symbol: &'static str) -> Parsed<Span> {
        if self.at_symbol(symbol) {
            return Ok(self.bump().span);
        }
        Err(self.unexpected(&[&format!("`{symbol}`")]))
    }

    /// The `;` that ends what was read last.
    fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.eat_symbol(";") {
            return Ok(());
        }
        if self.at_symbol("=") {
            let error = self.unexpected_error(&["`;`", "an operator"]);
            return Err(self.report(error.help("assignments are written `:=` and comparisons `==`")));
        }
        let found = describe(self.kind());
        let error = Diagnostic::error(format!("expected `;` or an operator, found {found}"))
            .at(self.previous_span(), "expected `;` after this")
            .see(self.span(), "not expected here");
        Err(self.report(error))
    }

    /// The closing bracket for the opening one at `opening`.
    fn expect_closing(&mut self, closing: &'static str, opening: Span) -> Parsed<Span> {
        if self.at_symbol(closing) {
            return Ok(self.bump().span);
        }
        let error =
            self.unexpected_error(&[&format!("`{closing}`"), "an operator"]).see(opening, "to close this");
        Err(self.report(error))
    }

    /// A name that is declared or used here.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.kind() {
            TokenKind::Name(word) if RESERVED.contains(&word) => {
                let error = Diagnostic::error(format!("expected {what}, found the keyword `{word}`"))
                    .at(self.span(), "a keyword cannot be a name");
                Err(self.report(error))
            }
            TokenKind::Name(word) => {
                let span = self.bump().span;
                Ok(Name { text: word.to_owned(), span })
            }
            _ => Err(self.unexpected(&[what])),
        }
    }

    /// A label where it is used: those at both ends of a thread have names of their own.
    fn label_use(&mut self) -> Parsed<Name> {
        match self.kind() {
            TokenKind::Name(word @ ("entry" | "exit")) => {
                let span = self.bump().span;
                Ok(Name { text: word.to_owned(), span })
            }
            _ => self.name("a label"),
        }
    }

    /// Runs `parse` one level deeper, if that is still allowed.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::NESTING {
            let error = Diagnostic::error(format!("nested more than {} levels deep", limits::NESTING))
                .at(self.span(), "too deep")
                .help("split it into several parts");
            return Err(self.report_and_stop(error));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Skips to behind the next `;` of this block, or to the `}` that ends it, or to where
    /// the next item starts.
    fn recover(&mut self) {
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Symbol("{") => open += 1,
                TokenKind::Symbol("}") if open == 0 => return,
                TokenKind::Symbol("}") => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        return;
                    }
                }
                TokenKind::Symbol(";") if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Name("thread" | "process" | "never" | "ensures" | "requires") if open == 0 => {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Remembers a block whose braces do not stand below each other: if another brace is
    /// missing, then it is probably here.
    fn check_indentation(&mut self, opening: Span, closing: Span) {
        // The beginning of the line, if it is not far: lines can be as long as the file.
        let line_before = |at: u32| {
            let before = &self.text.as_bytes()[at.saturating_sub(400) as usize..at as usize];
            let newline = before.iter().rposition(|&byte| byte == b'\n')?;
            Some(&before[newline + 1..])
        };
        let indentation = |line: &[u8]| line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let (Some(opened), Some(closed)) = (line_before(opening.start), line_before(closing.start))
            && indentation(closed) == closed.len()
            && indentation(closed) != indentation(opened)
            && self.suspicious.is_none()
        {
            self.suspicious = Some(opening);
        }
    }

    /// The word of `known` that was probably meant by the current token.
    fn similar_word(&self, known: &[&'static str]) -> Option<String> {
        match self.kind() {
            TokenKind::Name(word) => rely_base::similar(word, known.iter().copied()).map(str::to_owned),
            _ => None,
        }
    }
}

fn describe(kind: TokenKind<'_>) -> String {
    match kind {
        TokenKind::Name(word) if RESERVED.contains(&word) => format!("the keyword `{word}`"),
        TokenKind::Name(word) => format!("`{word}`"),
        TokenKind::Int(value) => format!("`{value}`"),
        TokenKind::Symbol(symbol) => format!("`{symbol}`"),
        TokenKind::End => "the end of the file".into(),
    }
}

/// "a, b or c"
fn one_of(choices: &[&str]) -> String {
    match choices {
        [] => "nothing".into(),
        [only] => (*only).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
