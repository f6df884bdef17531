//! Just enough of C's syntax to find places: tokens, brackets, the function around a place, and
//! where a name can be seen.
//!
//! Witnesses name places as other tools see them: the first character of a statement, the keyword
//! of a loop, the closing parenthesis of a call. The front end has parsed the text already, so
//! what is found here is only looked up; where a shape is not recognized nothing is claimed.

use std::ops::Range;

/// A token: where it stands and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
}

/// A C text in tokens, each bracket with its partner.
#[derive(Debug)]
pub(super) struct CText<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    /// For each bracket the position of its partner in `tokens`.
    pub(super) partners: Vec<Option<usize>>,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourcePoint {
    /// A statement or declaration starts here.
    Statement,
    /// The condition of a loop starts here; the loop's keyword is at this byte.
    LoopCondition(usize),
}

/// A statement that goes on in one of two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// Where its keyword starts.
    pub(super) keyword: usize,
    pub(super) condition: Range<usize>,
    /// What is done if the condition holds.
    pub(super) body: Range<usize>,
}

impl<'t> CText<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let tokens = tokens(text);
        let partners = partners(&tokens);
        Self { tokens, partners }
    }

    pub(super) fn at(&self, byte: usize) -> Option<usize> {
        self.tokens.binary_search_by_key(&byte, |token| token.start).ok()
    }

    pub(super) fn text(&self, index: usize) -> &'t str {
        self.tokens[index].text
    }

    pub(super) fn before(&self, index: usize) -> Option<(usize, &'t str)> {
        let before = index.checked_sub(1)?;
        Some((before, self.text(before)))
    }

    /// What stands at a byte, if it is something that a witness can name.
    pub(super) fn source_point(&self, byte: usize) -> Option<SourcePoint> {
        let index = self.at(byte)?;
        let (before, text) = self.before(index)?;
        match text {
            "{" | "}" | "else" | "do" => Some(SourcePoint::Statement),
            ")" => self.is_head(before).then_some(SourcePoint::Statement),
            ";" => match self.surrounding(before, "(") {
                // Between the semicolons of a `for` stands its condition.
                Some(open) => self.condition_of_for(open, before),
                None => Some(SourcePoint::Statement),
            },
            "(" => {
                let (keyword, text) = self.before(before)?;
                let is_loop = text == "while" && !self.ends_do(keyword);
                is_loop.then(|| SourcePoint::LoopCondition(self.tokens[keyword].start))
            }
            _ => None,
        }
    }

    /// Where the statement starts in which a byte is.
    pub(super) fn statement_around(&self, byte: usize) -> Option<usize> {
        let behind = self.tokens.partition_point(|token| token.start <= byte);
        let starts = self.tokens[..behind].iter().rev().map(|token| token.start);
        starts.into_iter().find(|&start| self.source_point(start) == Some(SourcePoint::Statement))
    }

    /// Whether a closing parenthesis ends the head of a statement that has another one inside.
    fn is_head(&self, close: usize) -> bool {
        let keyword = self.partners[close].and_then(|open| self.before(open));
        keyword.is_some_and(|(_, text)| matches!(text, "if" | "while" | "for" | "switch"))
    }

    /// The innermost bracket of one kind around a token, unless a block comes first.
    fn surrounding(&self, index: usize, wanted: &str) -> Option<usize> {
        let mut at = index;
        while let Some((before, text)) = self.before(at) {
            at = match text {
                ")" | "]" | "}" => self.partners[before]?,
                "(" | "[" | "{" => return (text == wanted).then_some(before),
                _ => before,
            };
        }
        None
    }

    fn condition_of_for(&self, open: usize, semicolon: usize) -> Option<SourcePoint> {
        let (keyword, text) = self.before(open)?;
        let is_first = (open..semicolon)
            .all(|index| self.text(index) != ";" || self.surrounding(index, "(") != Some(open));
        (text == "for" && is_first).then(|| SourcePoint::LoopCondition(self.tokens[keyword].start))
    }

    /// Whether a `while` ends a `do`, as far as can be seen; in doubt it does.
    pub(super) fn ends_do(&self, keyword: usize) -> bool {
        match self.before(keyword) {
            Some((block, "}")) => {
                let open = self.partners[block];
                open.and_then(|open| self.before(open)).is_some_and(|(_, text)| text == "do")
            }
            // `do f(); while (c);` without braces
            Some((end, ";")) => {
                let mut at = end;
                loop {
                    match self.before(at) {
                        Some((_, "do")) => return true,
                        Some((before, ")" | "]")) => match self.partners[before] {
                            Some(open) => at = open,
                            None => return true,
                        },
                        Some((_, ";" | "{" | "}")) | None => return false,
                        Some((before, _)) => at = before,
                    }
                }
            }
            _ => false,
        }
    }

    /// The name of the function in whose body a byte is.
    pub(super) fn function(&self, byte: usize) -> Option<&'t str> {
        let (close, _) = self.before(self.body(byte)?).filter(|(_, text)| *text == ")")?;
        let (_, name) = self.before(self.partners[close]?)?;
        is_identifier(name).then_some(name)
    }

    /// The brace that opens the body of a function in which a byte is.
    fn body(&self, byte: usize) -> Option<usize> {
        let behind = self.tokens.partition_point(|token| token.start <= byte);
        let mut at = behind.checked_sub(1)?;
        let mut outermost = None;
        loop {
            match self.text(at) {
                ")" | "]" | "}" if self.tokens[at].start < byte => at = self.partners[at]?,
                "{" => outermost = Some(at),
                _ => {}
            }
            match at.checked_sub(1) {
                Some(before) => at = before,
                None => break,
            }
        }
        outermost
    }

    /// A byte in the body of the function of this name.
    pub(super) fn definition(&self, name: &str) -> Option<usize> {
        let bodies = (0..self.tokens.len()).filter(|&index| self.text(index) == name).filter_map(|index| {
            let close = self.partners[index + 1..].first().copied().flatten()?;
            let open = self.tokens.get(close + 1).filter(|token| token.text == "{")?;
            (self.text(index + 1) == "(").then_some(open.start)
        });
        bodies
            .into_iter()
            .find_map(|open| self.tokens.iter().find(|token| token.start > open))
            .map(|token| token.start)
    }

    /// The closing parenthesis of the only call of a function in the body around a byte.
    pub(super) fn only_call_around(&self, byte: usize, name: &str) -> Option<usize> {
        let open = self.body(byte)?;
        let (start, end) = (self.tokens[open].start, self.tokens[self.partners[open]?].start);
        let mut calls = self.calls(start, end, name).filter(|&call| self.text(call) == name);
        let (call, None) = (calls.next()?, calls.next()) else { return None };
        Some(self.tokens[self.partners[call + 1]?].start)
    }

    /// The branch in whose condition a byte is, if nothing is called there and what the branch
    /// controls is a block or a simple statement.
    pub(super) fn branch(&self, byte: usize) -> Option<Branch> {
        let mut at = self.at(byte)?;
        let (keyword, open) = loop {
            let open = self.surrounding(at, "(")?;
            match self.before(open) {
                Some((keyword, "if" | "for")) => break (keyword, open),
                Some((keyword, "while")) if !self.ends_do(keyword) => break (keyword, open),
                _ => at = open,
            }
        };
        let close = self.partners[open]?;
        let (first, last) = match self.text(keyword) {
            "for" => {
                let is_own =
                    |index: &usize| self.text(*index) == ";" && self.surrounding(*index, "(") == Some(open);
                let mut ends = (open..close).filter(is_own);
                (ends.next()? + 1, ends.next()?)
            }
            _ => (open + 1, close),
        };
        let calls = (first..last).any(|index| {
            is_identifier(self.text(index)) && self.tokens.get(index + 1).is_some_and(|next| next.text == "(")
        });
        let start = close + 1;
        let end = match self.tokens.get(start)?.text {
            "{" => self.partners[start]?,
            "if" | "while" | "for" | "do" | "switch" | ";" => return None,
            _ => (start..self.tokens.len()).find(|&index| self.text(index) == ";")?,
        };
        let byte_of = |index: usize| self.tokens[index].start;
        let branch = Branch {
            keyword: byte_of(keyword),
            condition: byte_of(first)..byte_of(last),
            body: byte_of(start)..byte_of(end),
        };
        (!calls && branch.condition.contains(&byte)).then_some(branch)
    }

    /// Whether what starts at a byte declares something, as far as can be seen.
    pub(super) fn is_declaration(&self, byte: usize) -> bool {
        let Some(index) = self.at(byte) else { return false };
        let (first, next) = (self.text(index), self.tokens.get(index + 1).map_or("", |token| token.text));
        let is_word = |text: &str| is_identifier(text) && !STATEMENT_WORDS.contains(&text);
        is_word(first) && (is_word(next) || TYPE_WORDS.contains(&first))
    }

    /// Whether a variable that is declared at a byte is a lock, and not a part of anything.
    pub(super) fn is_lock(&self, declared: usize, name: &str) -> bool {
        let first = self.tokens.partition_point(|token| token.start < declared);
        let named = (first..self.tokens.len()).take(64).find(|&index| self.text(index) == name);
        let is_followed = |index: usize| self.tokens.get(index + 1).is_some_and(|next| next.text == "[");
        let Some(named) = named.filter(|&index| !is_followed(index)) else { return false };
        let words = (0..named).rev().map(|index| self.text(index));
        let words: Vec<&str> =
            words.take_while(|text| !matches!(*text, ";" | "{" | "}" | "(" | ")")).collect();
        !words.contains(&"*") && words.iter().any(|word| LOCK_TYPES.contains(word))
    }

    /// The calls between two bytes of functions whose names start with `prefix`, as positions of
    /// their names.
    fn calls<'c>(&'c self, start: usize, end: usize, prefix: &'c str) -> impl Iterator<Item = usize> + 'c {
        let first = self.tokens.partition_point(|token| token.start < start);
        let last = self.tokens.partition_point(|token| token.start < end);
        (first..last).filter(move |&index| {
            let is_called = self.tokens.get(index + 1).is_some_and(|next| next.text == "(");
            is_called && self.text(index).starts_with(prefix)
        })
    }

    /// At how many places of the text a function is called.
    pub(super) fn call_sites(&self, name: &str) -> usize {
        let calls = self.calls(0, usize::MAX, name).filter(|&call| self.text(call) == name);
        calls.filter(|&call| self.body(self.tokens[call].start).is_some()).count()
    }

    /// Whether a function is called between two bytes; one whose name starts like its name counts.
    pub(super) fn is_called(&self, start: usize, end: usize, name: &str) -> bool {
        self.calls(start, end, name).next().is_some()
    }

    /// The only call between two bytes of a function whose name starts with `prefix`: the name,
    /// and the byte of the closing parenthesis.
    pub(super) fn only_call(&self, start: usize, end: usize, prefix: &str) -> Option<(&'t str, usize)> {
        let mut calls = self.calls(start, end, prefix);
        let (call, None) = (calls.next()?, calls.next()) else { return None };
        Some((self.text(call), self.tokens[self.partners[call + 1]?].start))
    }

    /// Whether the text uses a name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.tokens.iter().any(|token| token.text == name)
    }

    /// Whether a name that is declared at one byte can be seen at another one behind it: the
    /// block around the declaration is still open there. For parameters and the variables of a
    /// `for` that is the block that follows.
    pub(super) fn is_visible(&self, declared: usize, used: usize) -> bool {
        let first = self.tokens.partition_point(|token| token.start < declared);
        let last = self.tokens.partition_point(|token| token.start < used);
        if used <= declared || first >= last {
            return false;
        }
        let (mut parentheses, mut blocks) = (0i32, 0i32);
        let mut is_in_head = false;
        for index in first..last {
            match self.text(index) {
                "(" => parentheses += 1,
                ")" => parentheses -= 1,
                "{" => blocks += 1,
                "}" => blocks -= 1,
                _ => {}
            }
            is_in_head |= parentheses < 0;
            if blocks < 0 || (is_in_head && blocks == 0 && self.text(index) == "}") {
                return false;
            }
        }
        // Behind its head, a parameter is seen only inside of the block.
        !is_in_head || blocks > 0
    }

    /// Whether a variable that is declared at a byte (where its name or its declaration starts)
    /// is an integer of at most 32 bits, and whether it is signed.
    pub(super) fn small_integer(&self, declared: usize, name: &str) -> Option<Integer> {
        let first = self.tokens.partition_point(|token| token.start < declared);
        let named = (first..self.tokens.len()).take(64).find(|&index| self.text(index) == name)?;
        // Back to the beginning of the declaration: all words on the way must be those of types.
        let mut start = named;
        while let Some((before, text)) = self.before(start) {
            match text {
                ";" | "{" | "}" | "(" => break,
                ")" => return None,
                _ => start = before,
            }
        }
        let words: Vec<&str> = (start..named).map(|index| self.text(index)).collect();
        // `int a = 1, b`: only the words in front of the first name are about the type.
        let is_word = |word: &&&str| TYPE_WORDS.contains(*word);
        let kinds: Vec<&str> = words.iter().take_while(is_word).copied().collect();
        let rest = &words[kinds.len()..];
        let is_first = rest.is_empty();
        let is_declared = matches!(rest, [name, "," | "=" | "[", ..] if is_identifier(name));
        let is_other = is_declared && rest.last() == Some(&",");
        if !(is_first || is_other) || rest.contains(&"*") {
            return None;
        }
        Integer::of(&kinds)
    }
}

/// Words with which statements start, before an expression.
const STATEMENT_WORDS: [&str; 10] =
    ["return", "goto", "else", "do", "case", "sizeof", "if", "while", "for", "switch"];

/// The types of variables that are either free or taken.
const LOCK_TYPES: [&str; 2] = ["pthread_mutex_t", "pthread_spinlock_t"];

/// Words in declarations of small integers.
const TYPE_WORDS: [&str; 12] = [
    "int", "unsigned", "signed", "short", "char", "_Bool", "static", "extern", "volatile", "const", "auto",
    "register",
];

/// An integer type of at most 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub(super) is_signed: bool,
}

impl Integer {
    fn of(words: &[&str]) -> Option<Self> {
        let kinds = ["int", "unsigned", "signed", "short", "char", "_Bool"];
        let has = |word: &str| words.contains(&word);
        kinds.iter().any(|kind| has(kind)).then(|| Self { is_signed: !has("unsigned") && !has("_Bool") })
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let opening = match token.text {
            "(" | "[" | "{" => {
                open.push(index);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if let Some(partner) = open.pop().filter(|&partner| tokens[partner].text == opening) {
            partners[index] = Some(partner);
            partners[partner] = Some(index);
        }
    }
    partners
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if bytes[at..].starts_with(b"//") => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4);
                continue;
            }
            b'#' => {
                at = end_of_line(bytes, at);
                continue;
            }
            quote @ (b'"' | b'\'') => end_of_literal(bytes, at, quote),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                at + bytes[at..].iter().take_while(|byte| is_word(byte)).count()
            }
            _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
        };
        tokens.push(Token { start: at, text: &text[at..end] });
        at = end;
    }
    tokens
}

/// Where a line ends; a backslash at its end joins it with the next one.
fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && (bytes[at] != b'\n' || bytes[at - 1] == b'\\') {
        at += 1;
    }
    at
}

fn end_of_literal(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' && at + 1 < bytes.len() && bytes[at + 1].is_ascii() { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const SOURCE: &str = "\
static int a = 0, b;
int *p; unsigned short s; unsigned long l, m;
int f(int n, char c) { // { not a block
    int i;
    for (i = 0; i < n; i++) { a = i; }
    while (a) ;
    do { b = 1; } while (b);
    do g(); while (a + 1);
    if (n) b = input(1, (2));
    return \"}\"[0];
}
int h(void) { a = 2; }
";

    fn at(text: &str) -> usize {
        SOURCE.find(text).unwrap_or_else(|| panic!("`{text}` is in the source"))
    }

    fn check(texts: &[&str], expected: &Expect) {
        let source = CText::new(SOURCE);
        let told = texts.iter().map(|text| {
            format!("{text}: {:?} in {:?}\n", source.source_point(at(text)), source.function(at(text)))
        });
        expected.assert_eq(&told.collect::<String>());
    }

    #[test]
    fn places_are_recognized() {
        check(
            &[
                "int i;",
                "i < n",
                "i++",
                "a = i",
                "a) ;",
                "b = 1",
                "b);",
                "a + 1",
                "b = input",
                "return",
                "a = 2",
            ],
            &expect![[r#"
                int i;: Some(Statement) in Some("f")
                i < n: Some(LoopCondition(122)) in Some("f")
                i++: None in Some("f")
                a = i: Some(Statement) in Some("f")
                a) ;: Some(LoopCondition(161)) in Some("f")
                b = 1: Some(Statement) in Some("f")
                b);: None in Some("f")
                a + 1: None in Some("f")
                b = input: Some(Statement) in Some("f")
                return: Some(Statement) in Some("f")
                a = 2: Some(Statement) in Some("h")
            "#]],
        );
    }

    #[test]
    fn names_are_seen_inside_their_blocks() {
        let source = CText::new(SOURCE);
        let sees = |declared: &str, used: &str| source.is_visible(at(declared), at(used));
        assert!(sees("a = 0", "a = i") && sees("a = 0", "a = 2"), "globals");
        assert!(sees("int i;", "a = i") && !sees("int i;", "a = 2"), "locals");
        assert!(sees("n, char", "b = 1") && !sees("n, char", "a = 2"), "parameters");
        assert!(!sees("int i;", "a = 0"), "nothing is seen before its declaration");
    }

    #[test]
    fn only_plain_small_integers_are_spoken_of() {
        let source = CText::new(SOURCE);
        let kind =
            |declared: &str, name: &str| source.small_integer(at(declared), name).map(|kind| kind.is_signed);
        assert_eq!(kind("static", "a"), Some(true));
        assert_eq!(kind("static", "b"), Some(true));
        assert_eq!(kind("int *p", "p"), None);
        assert_eq!(kind("unsigned", "s"), Some(false));
        assert_eq!(kind("int n", "n"), Some(true));
        assert_eq!(kind("long l", "l"), None);
        assert_eq!(kind("long l", "m"), None, "the type of the second name is the same");
    }

    #[test]
    fn calls_end_at_their_own_parenthesis() {
        let source = CText::new(SOURCE);
        let (start, end) = (at("b = input"), at("return"));
        assert_eq!(source.only_call(start, end, "in"), Some(("input", at("(2));") + 3)));
        assert_eq!((source.call_sites("g"), source.call_sites("f")), (1, 0));
        assert!(!source.is_called(start, end, "g") && source.is_called(at("do g"), end, "g"));
    }

    #[test]
    fn branches_know_what_they_control() {
        let source = CText::new(SOURCE);
        let told = |text: &str| {
            let branch = source.branch(at(text))?;
            Some((
                &SOURCE[branch.keyword..branch.keyword + 2],
                &SOURCE[branch.condition],
                &SOURCE[branch.body],
            ))
        };
        assert_eq!(told("i < n"), Some(("fo", "i < n", "{ a = i; ")));
        assert_eq!(told("n) b"), Some(("if", "n", "b = input(1, (2))")));
        assert_eq!(told("a) ;"), None, "an empty body has no step");
        assert_eq!(told("b);"), None, "the end of a `do`");
        assert_eq!(told("i++"), None, "not the condition");
        assert_eq!(told("a = i"), None);
    }

    #[test]
    fn declarations_and_locks_are_recognized() {
        let source =
            CText::new("pthread_mutex_t m, n[2]; int k; void f(void) { pthread_t t; m = 1; return k; }");
        let byte = |text: &str| source.tokens.iter().find(|token| token.text == text).expect("there").start;
        assert!(source.is_lock(0, "m") && !source.is_lock(0, "n") && !source.is_lock(byte("int"), "k"));
        assert!(source.is_declaration(byte("int")) && source.is_declaration(byte("pthread_t")));
        assert!(!source.is_declaration(byte("return")));
        assert_eq!(source.only_call_around(byte("return"), "g"), None);
        assert_eq!(source.definition("f"), Some(byte("pthread_t")));
    }

    #[test]
    fn texts_that_are_no_programs_do_no_harm() {
        for text in
            ["", "{", "}", ")(", "\"", "'\\", "/*", "#", "é{é}é", "f(", "do while (", "for (;;", "a\\\n#b\\"]
        {
            let source = CText::new(text);
            for byte in 0..=text.len() {
                source.source_point(byte);
                source.statement_around(byte);
                source.function(byte);
                source.is_visible(0, byte);
                source.small_integer(byte, "f");
                source.only_call(0, byte, "f");
                source.only_call_around(byte, "f");
                source.branch(byte);
                source.is_declaration(byte);
                source.is_lock(byte, "f");
                source.definition("f");
            }
        }
    }
}
