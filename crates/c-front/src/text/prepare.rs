//! The token pass in front of the parser.
//!
//! The parser knows most of GNU C. What it does not know is rewritten here, the way back to
//! the original positions being kept: comments, line markers and `__extension__` become
//! blanks, `$` and letters of other alphabets in names become `_`, `__thread` becomes `_Thread_local`, a label that stands
//! before `}` or before a declaration gets the empty statement that the standard wants there,
//! `_Static_assert` gets the text that gcc does without, escapes of GNU C become ordinary ones, and
//! attributes in places where the grammar has none are moved or dropped, as are prototypes of
//! functions that nobody names. `a ?: b` gets a name between `?` and `:` that stands for the condition,
//! `int` is written where old programs leave it out, and `__int128` becomes a type of the same size that
//! the parser knows. `__auto_type` is declared as a type, to be inferred when declarations
//! are read. What `#pragma pack` says is kept beside the text.

use super::implicit_int::without_type;
use super::lexer::{Token, TokenKind, Unterminated, lex};
use super::nesting::too_deep;
use super::pack::{Packing, packings};
use super::prototypes::{WordCounts, count_words, unused_prototypes};
use super::tags::{Moved, is_attribute_word, moved_attributes, parenthesized_length};
use crate::attribute::{Meaning, meaning};
use crate::library::exact_text;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Preprocessed files beyond this size are refused.
const MAX_BYTES: usize = 64 << 20;

/// What `a ?: b` has between `?` and `:`: the value of the condition.
pub(crate) const CONDITION: &str = "__condition__";

/// How the parser spells `__int128`: no compiler for this machine has a decimal type that a program could mean.
const WIDE_INTEGER: &str = "_Decimal128";

const PRELUDE: &str = "typedef int __auto_type;\n";

/// A text that the parser can read.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) text: String,
    /// Positions at which the distance between the two texts changes: (here, in the original).
    shifts: Vec<(usize, usize)>,
    /// Where `#pragma pack` changes something: the largest alignment of members from there on.
    packings: Vec<Packing>,
    /// Where the functions of the library start that were added.
    library: usize,
    /// The spelling in the source of names that had to be changed.
    pub(crate) spellings: FxHashMap<String, String>,
}

impl Prepared {
    /// The position in the original of a position in the prepared text.
    pub(crate) fn original(&self, position: usize) -> usize {
        let index = self.shifts.partition_point(|&(here, _)| here <= position);
        match index.checked_sub(1).map(|index| self.shifts[index]) {
            Some((here, there)) => there + (position - here),
            None => 0,
        }
    }

    /// Where the original ends.
    pub(crate) fn end(&self) -> usize {
        self.original(self.library)
    }

    /// Whether a position is one of the functions that were added.
    pub(crate) fn is_of_library(&self, position: usize) -> bool {
        position >= self.library
    }

    /// What `#pragma pack` says at a position of the prepared text.
    pub(crate) fn packing(&self, position: usize) -> Option<u64> {
        let index = self.packings.partition_point(|&(here, _)| here <= position);
        index.checked_sub(1).and_then(|index| self.packings[index].1)
    }
}

/// Why a text is not given to the parser, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// The files of which a text consists.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Where they start, but for the first one.
    pub(crate) starts: Vec<usize>,
    /// Names that are written in another way, by their positions in the text.
    pub(crate) renamed: FxHashMap<usize, String>,
}

/// Rewrites a preprocessed text for the parser.
pub(crate) fn prepare(source: &str, parts: &Parts) -> Result<Prepared, Unreadable> {
    if source.len() > MAX_BYTES {
        let message = format!("the preprocessed text is larger than {} MB", MAX_BYTES >> 20);
        return Err(Unreadable { at: 0, message });
    }
    let tokens = lex(source).map_err(|Unterminated { start, what }| Unreadable {
        at: start,
        message: format!("{what} is not terminated"),
    })?;
    if let Some(token) = too_deep(source, &tokens) {
        return Err(Unreadable { at: token.start, message: "the program nests too deeply here".into() });
    }
    let packings = packings(source, &tokens)?;
    let code: Vec<Token> = tokens.into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
    let counts = count_words(source, &code);
    let mut rewriter = Rewriter {
        source,
        written: 0,
        renamed_at: &parts.renamed,
        renamed: rename_unusual(&counts),
        without_type: without_type(source, &code),
        moved: moved_attributes(source, &code),
        packings: packings.into_iter().peekable(),
        prepared: Prepared {
            text: String::with_capacity(source.len() + PRELUDE.len()),
            shifts: Vec::new(),
            packings: Vec::new(),
            library: 0,
            spellings: FxHashMap::default(),
        },
        refused: None,
    };
    rewriter.prepared.text.push_str(PRELUDE);
    rewriter.rewrite(&code, unused_in(source, &code, &counts, &parts.starts));
    rewriter.append_library(|name| counts.contains_key(name));
    match rewriter.refused {
        Some(refused) => Err(refused),
        None => Ok(rewriter.prepared),
    }
}

/// Prototypes of functions that are not named in the same file.
fn unused_in(source: &str, code: &[Token], counts: &WordCounts<'_>, starts: &[usize]) -> Vec<Range<usize>> {
    if starts.is_empty() {
        return unused_prototypes(source, code, counts);
    }
    let mut unused = Vec::new();
    let mut first = 0;
    for &end in starts.iter().chain([&source.len()]) {
        let behind = code.partition_point(|token| token.start < end);
        let part = &code[first..behind];
        let ranges = unused_prototypes(source, part, &count_words(source, part)).into_iter();
        unused.extend(ranges.map(|range| range.start + first..range.end + first));
        first = behind;
    }
    unused
}

/// A name of the letters that the parser knows, not used otherwise, for each name with others.
fn rename_unusual<'s>(words: &WordCounts<'s>) -> FxHashMap<&'s str, String> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut unusual: Vec<&str> = words.keys().copied().filter(|word| !word.bytes().all(is_usual)).collect();
    unusual.sort_unstable();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut renamed = FxHashMap::default();
    for word in unusual {
        let mut name = word.replace(|character| !u8::try_from(character).is_ok_and(is_usual), "_");
        while words.contains_key(name.as_str()) || taken.contains(&name) {
            name.push('_');
        }
        taken.insert(name.clone());
        renamed.insert(word, name);
    }
    renamed
}

struct Rewriter<'s> {
    source: &'s str,
    /// How much of the source has been dealt with.
    written: usize,
    renamed_at: &'s FxHashMap<usize, String>,
    renamed: FxHashMap<&'s str, String>,
    /// Where `int` is left out.
    without_type: FxHashSet<usize>,
    moved: Moved,
    /// Those that are not in force yet.
    packings: std::iter::Peekable<std::vec::IntoIter<Packing>>,
    prepared: Prepared,
    /// An attribute of a statement that changes what it does.
    refused: Option<Unreadable>,
}

impl<'s> Rewriter<'s> {
    /// Adds the functions of the library that are followed exactly.
    fn append_library(&mut self, is_mentioned: impl Fn(&str) -> bool) {
        self.prepared.library = self.prepared.text.len();
        self.prepared.shifts.push((self.prepared.library, self.source.len()));
        self.prepared.text.push_str(&exact_text(is_mentioned));
    }

    /// Rewrites all tokens but those that are left out.
    fn rewrite(&mut self, code: &[Token], left_out: Vec<Range<usize>>) {
        let mut left_out = left_out.into_iter().peekable();
        let mut index = 0;
        while index < code.len() {
            if let Some(range) = left_out.next_if(|range| range.start == index) {
                index = range.end;
                continue;
            }
            if let Some(length) = self.moved.left_out.get(&index) {
                index += length;
                continue;
            }
            self.take_packings(code[index].start);
            if self.without_type.contains(&index) {
                self.blank_until(code[index].start);
                self.insert("int ");
            }
            let length = self.token(code, index);
            self.write_moved(code, index);
            index += length;
        }
        self.blank_until(self.source.len());
    }

    /// The packings that are in force at a position of the source.
    fn take_packings(&mut self, position: usize) {
        while let Some((_, limit)) = self.packings.next_if(|&(from, _)| from <= position) {
            self.prepared.packings.push((self.prepared.text.len(), limit));
        }
    }

    /// Writes what was moved behind a token.
    fn write_moved(&mut self, code: &[Token], index: usize) {
        let Some(ranges) = self.moved.behind.remove(&index) else { return };
        let written = self.written;
        for token in ranges.into_iter().flat_map(|range| &code[range]) {
            self.write(*token, token.text(self.source));
        }
        self.written = written;
    }

    /// Writes the token at `index`, and those behind it that belong to it; returns how many.
    fn token(&mut self, code: &[Token], index: usize) -> usize {
        let token = code[index];
        let text = token.text(self.source);
        match token.kind {
            TokenKind::Word if text == "__extension__" => {}
            TokenKind::Word if matches!(text, "__int128" | "__int128_t") => self.write(token, WIDE_INTEGER),
            TokenKind::Word if text == "__uint128_t" => {
                self.write(token, "unsigned ");
                self.insert(WIDE_INTEGER);
            }
            TokenKind::Word if text == "__thread" => self.write(token, "_Thread_local"),
            TokenKind::Word if is_attribute_word(text) => {
                let length = parenthesized_length(self.source, &code[index..]);
                if length > 1 && self.is_misplaced_attribute(code, index, length) {
                    // It belongs to a statement.
                    for name in attribute_names(self.source, &code[index..index + length]) {
                        if meaning(name) != Meaning::Nothing {
                            let message = format!("the attribute `{name}` is not supported");
                            self.refused.get_or_insert(Unreadable { at: token.start, message });
                        }
                    }
                    return length;
                }
                self.write(token, text);
            }
            TokenKind::Word if text == "_Alignas" => return self.alignment(code, index),
            TokenKind::Word if text == "_Static_assert" => return self.static_assertion(code, index),
            TokenKind::Literal if text.contains('\\') => self.write(token, &with_known_escapes(text)),
            TokenKind::Word => match self.new_name(token) {
                Some(name) => {
                    self.write(token, &name);
                    self.prepared.spellings.insert(name, with_named_characters(text));
                }
                None => self.write(token, text),
            },
            TokenKind::Punctuation if text == ":" => {
                self.write(token, text);
                if code.get(index + 1).is_some_and(|next| self.wants_statement_before(*next)) {
                    self.insert(";");
                }
            }
            TokenKind::Punctuation if text == "?" => {
                self.write(token, text);
                if code.get(index + 1).is_some_and(|next| next.is(self.source, ':')) {
                    self.insert(CONDITION);
                }
            }
            _ => self.write(token, text),
        }
        1
    }

    fn new_name(&self, token: Token) -> Option<String> {
        let of_this = self.renamed_at.get(&token.start);
        of_this.or_else(|| self.renamed.get(token.text(self.source))).cloned()
    }

    /// `_Alignas(x)` as an attribute.
    fn alignment(&mut self, code: &[Token], index: usize) -> usize {
        let length = parenthesized_length(self.source, &code[index..]);
        if length == 1 {
            self.write(code[index], "_Alignas");
            return 1;
        }
        self.write(code[index], "__attribute__((__alignas__(sizeof");
        for token in &code[index + 1..index + length] {
            self.write(*token, token.text(self.source));
        }
        self.insert(")))");
        length
    }

    /// `_Static_assert(x)` with a text.
    fn static_assertion(&mut self, code: &[Token], index: usize) -> usize {
        let length = parenthesized_length(self.source, &code[index..]);
        self.write(code[index], "_Static_assert");
        // Behind the keyword there are at least two parentheses.
        if length == 1 || code[index + length - 2].text(self.source).ends_with('"') {
            return 1;
        }
        for offset in index + 1..index + length - 1 {
            self.token(code, offset);
        }
        self.insert(", \"\"");
        self.write(code[index + length - 1], ")");
        length
    }

    /// Whether a label cannot stand directly before this token.
    fn wants_statement_before(&self, next: Token) -> bool {
        const TYPE_WORDS: [&str; 17] = [
            "int", "char", "short", "long", "unsigned", "signed", "_Bool", "struct", "union", "enum",
            "const", "volatile", "static", "void", "_Atomic", "float", "double",
        ];
        next.is(self.source, '}')
            || (next.kind == TokenKind::Word && TYPE_WORDS.contains(&next.text(self.source)))
    }

    /// Attributes of statements and labels.
    fn is_misplaced_attribute(&self, code: &[Token], index: usize, length: usize) -> bool {
        let Some(before) = index.checked_sub(1).map(|before| code[before]) else { return false };
        let words = &code[index..index + length];
        let falls_through = words.iter().any(|word| word.text(self.source).contains("fallthrough"));
        // Behind `}` it may also belong to a structure.
        before.kind == TokenKind::Punctuation
            && (matches!(before.text(self.source), ";" | "{" | ":")
                || falls_through && before.is(self.source, '}'))
            && code.get(index + length).is_some_and(|next| next.is(self.source, ';'))
    }

    fn write(&mut self, token: Token, text: &str) {
        self.blank_until(token.start);
        self.prepared.shifts.push((self.prepared.text.len(), token.start));
        self.prepared.text.push_str(text);
        self.written = token.end;
    }

    fn insert(&mut self, text: &str) {
        self.prepared.shifts.push((self.prepared.text.len(), self.written));
        self.prepared.text.push_str(text);
    }

    /// Keeps line ends, so that the prepared text stays readable, and drops everything else.
    fn blank_until(&mut self, end: usize) {
        let gap = &self.source[self.written.min(end)..end];
        let newlines = gap.bytes().filter(|&byte| byte == b'\n').count();
        self.prepared.text.push_str(if newlines > 0 {
            "\n"
        } else if gap.is_empty() {
            ""
        } else {
            " "
        });
        self.written = end;
    }
}

/// A name with its `\\u00fc` as the character itself.
fn with_named_characters(name: &str) -> String {
    let mut parts = name.split(['\\']);
    let mut written = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let digits = if part.starts_with('u') { 1..5 } else { 1..9 };
        let number = part.get(digits.clone()).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match number.and_then(char::from_u32) {
            Some(character) => {
                written.push(character);
                written.push_str(&part[digits.end..]);
            }
            None => written.extend(["\\", part]),
        }
    }
    written
}

/// A literal with the escapes that only GNU C has, as the parser knows them.
fn with_known_escapes(literal: &str) -> String {
    let mut written = String::with_capacity(literal.len());
    let mut characters = literal.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            written.push(character);
            continue;
        }
        match characters.next() {
            Some('e' | 'E') => written.push_str("\\033"),
            Some(known @ ('\'' | '"' | '?' | '\\' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v')) => {
                written.extend(['\\', known]);
            }
            Some(number @ ('0'..='7' | 'x' | 'u' | 'U')) => written.extend(['\\', number]),
            // Any other character stands for itself.
            other => written.extend(other),
        }
    }
    written
}

/// The names in `__attribute__((a, b(1)))`, without what stands in their own parentheses.
fn attribute_names<'s>(source: &'s str, code: &[Token]) -> Vec<&'s str> {
    let mut depth = 0;
    let mut names = Vec::new();
    for token in code.iter().skip(1) {
        if token.is(source, '(') {
            depth += 1;
        } else if token.is(source, ')') {
            depth -= 1;
        } else if depth == 2 && token.kind == TokenKind::Word {
            names.push(token.text(source));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(source: &str, expected: Expect) {
        let prepared = prepare(source, &Parts::default()).expect("the text is readable");
        expected.assert_eq(prepared.text.strip_prefix(PRELUDE).expect("the prelude stands first"));
    }

    #[test]
    fn unknown_spellings_are_rewritten() {
        check("__thread int x$y; // c", expect!["_Thread_local int x_y; "]);
        check("int a$; int a_;", expect!["int a__; int a_;"]);
        check(
            "f() { l: } g() { m: int x; } h() { c ? x : y; }",
            expect!["int f() { l:; } int g() { m:; int x; } int h() { c ? x : y; }"],
        );
        check("int gr\\u00f6\\u00dfe, ä, _;", expect!["int gr_u00f6_u00dfe, __, _;"]);
        check("x = f() ?: 2;", expect!["x = f() ?__condition__: 2;"]);
        check(
            "unsigned __int128 x; __uint128_t y;",
            expect!["unsigned _Decimal128 x; unsigned _Decimal128 y;"],
        );
        check("static x; f(a) int a; { }", expect!["static int x; int f(a) int a; { }"]);
        check("struct __attribute__((packed)) s { };", expect!["struct s { }__attribute__((packed));"]);
        check(
            "enum __attribute__((packed)) { A } x; struct __attribute__((a)) s y;",
            expect!["enum { A }__attribute__((packed)) x; struct s y;"],
        );
        check(
            "struct s { _Alignas(int) char c; };",
            expect!["struct s { __attribute__((__alignas__(sizeof(int)))) char c; };"],
        );
        check(
            "_Static_assert(f(1, 2)); _Static_assert(1, \"t\");",
            expect![[r#"_Static_assert(f(1, 2), ""); _Static_assert(1, "t");"#]],
        );
        check(r#"x = '\e'; y = "\E1\%\\e\x1b";"#, expect![[r#"x = '\033'; y = "\0331%\\e\x1b";"#]]);
        check(
            "int f() __attribute__((x)); g() { ; __attribute__((fallthrough)); }",
            expect!["int f() __attribute__((x)); int g() { ; ; }"],
        );
    }

    #[test]
    fn prototypes_that_nobody_uses_are_left_out() {
        check(
            "extern int used(int x);\n\
             extern char *f (const char *s) __attribute__ ((pure)) __asm__ (\"g\");\n\
             int x; int main(void) { return used(x); }",
            expect!["extern int used(int x);\nint x; int main(void) { return used(x); }"],
        );
        for kept in [
            "extern int f(void), g;",
            "extern int f(void), g(void);",
            "extern struct tag *f(void);",
            "extern int f(a) int a; { return a; }",
            "extern int x __asm__(\"y\");",
            "extern int (*f)(void);",
            "extern int f(void) { return 0; }",
            "struct s { int x; } extern f(void);",
            "int f(void);",
            "extern int x = (1);",
            "extern int x[sizeof(int)];",
            "extern int f(void)",
            "typedef int t; extern t (f)(void);",
            "extern int f(int), f(int);",
            "extern __typeof__(int) f;",
        ] {
            let prepared = prepare(kept, &Parts::default()).expect("the text is readable");
            assert_eq!(prepared.text.strip_prefix(PRELUDE), Some(kept));
        }
    }

    #[test]
    fn positions_lead_back() {
        let source = "/* c */ __thread int x$y;";
        let prepared = prepare(source, &Parts::default()).expect("the text is readable");
        for word in ["int", ";"] {
            let position = prepared.text.rfind(word).expect("the word is kept");
            assert_eq!(prepared.original(position), source.rfind(word).expect("the word is there"));
        }
    }

    #[test]
    fn unreadable_texts_are_refused() {
        let deep = format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(
            prepare(&deep, &Parts::default()).map(|_| ()).unwrap_err().message,
            "the program nests too deeply here"
        );
        assert_eq!(
            prepare("'", &Parts::default()).map(|_| ()).unwrap_err().message,
            "a character constant is not terminated"
        );
    }
}
