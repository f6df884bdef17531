//! Where annotations stand in a text: its comments that begin with `@rely`, exactly as the preprocessor finds them.
//!
//! It matters that none is overlooked and that nothing else is taken for one: literals, continued lines and comments
//! behind directives are followed. What `#if` leaves out is not known here, so it is said whether a comment stands
//! inside of one.

use std::ops::Range;

/// The word with which annotations begin.
const WORD: &[u8] = b"rely";

/// A comment that begins with `@rely`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// What stands behind that word.
    pub(super) text: Range<usize>,
    /// The comment with its marks.
    pub(super) whole: Range<usize>,
    /// The innermost `#if` around it.
    pub(super) conditional: Option<Range<usize>>,
}

/// All comments that are annotations.
pub(super) fn annotations_in(text: &str) -> Vec<Comment> {
    // Nearly all texts have none.
    if !text.contains("rely") {
        return Vec::new();
    }
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        is_line_start: true,
        conditionals: Vec::new(),
        found: Vec::new(),
    };
    while scanner.at < text.len() {
        scanner.step();
    }
    scanner.found
}

struct Scanner<'s> {
    bytes: &'s [u8],
    at: usize,
    /// Whether nothing but blanks and comments stands in front on the line.
    is_line_start: bool,
    conditionals: Vec<Range<usize>>,
    found: Vec<Comment>,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (b'\n', _) => {
                self.is_line_start = true;
                self.at += 1;
            }
            (b'\\', _) if self.continuation() > 0 => self.at += self.continuation(),
            (b'/', b'/') => self.comment(false),
            (b'/', b'*') => self.comment(true),
            (b'#', _) if self.is_line_start => self.directive(),
            (quote @ (b'"' | b'\''), _) => self.literal(quote),
            (byte, _) => {
                self.is_line_start &= byte.is_ascii_whitespace();
                self.at += 1;
            }
        }
    }

    /// The length of a backslash with the line end that it hides, if that stands here.
    fn continuation(&self) -> usize {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    fn comment(&mut self, is_block: bool) {
        let start = self.at;
        self.at += 2;
        let body = self.at;
        let mut end = self.bytes.len();
        while self.at < self.bytes.len() {
            let is_end =
                if is_block { self.bytes[self.at..].starts_with(b"*/") } else { self.peek(0) == b'\n' };
            if is_end {
                end = self.at;
                self.at += if is_block { 2 } else { 0 };
                break;
            }
            self.at += if is_block { 1 } else { self.continuation().max(1) };
        }
        if let Some(behind) = behind_word(&self.bytes[body..end]) {
            let conditional = self.conditionals.last().cloned();
            self.found.push(Comment { text: body + behind..end, whole: start..self.at, conditional });
        }
    }

    fn literal(&mut self, quote: u8) {
        self.is_line_start = false;
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            match self.peek(0) {
                b'\\' => self.at += self.continuation().max(2),
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// The name of a directive; what stands behind it is looked at like everything else.
    fn directive(&mut self) {
        let start = self.at;
        self.is_line_start = false;
        self.at += 1;
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let name = self.at;
        while self.peek(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        match &self.bytes[name..self.at] {
            b"if" | b"ifdef" | b"ifndef" => self.conditionals.push(start..self.at),
            b"endif" => drop(self.conditionals.pop()),
            _ => {}
        }
    }
}

/// The length of `@rely`, with blanks, if a comment begins so.
fn behind_word(comment: &[u8]) -> Option<usize> {
    let rest = comment.strip_prefix(b"@")?;
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let behind = rest[blanks..].strip_prefix(WORD)?;
    let ends = behind.first().is_none_or(|&byte| !super::is_word_byte(byte));
    ends.then_some(1 + blanks + WORD.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = annotations_in(text).into_iter().map(|comment| &text[comment.text]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn annotations_are_found_wherever_they_stand() {
        check("//@rely never x;\nint x; /*@ rely invariant\n y */", &[" never x;", " invariant\n y "]);
        check("#define N 3 //@rely never x\n", &[" never x"]);
        check("int a; \\\n//@rely a \\\n b\n//@rely", &[" a \\\n b", ""]);
    }

    #[test]
    fn nothing_else_is_taken_for_one() {
        check("//@ ensures x; rely\n/*@ loop invariant rely; */ // @rely never\n//@rely_on x\n", &[]);
        check(r#"char *s = "//@rely never x", t = '"', *u = "\"/*@rely y*/";"#, &[]);
        check("/* //@rely never x\n//@rely y\n*/ // \\\n//@rely never x\n", &[]);
        check("it's //@rely never x\n", &[]);
    }

    #[test]
    fn conditionals_around_them_are_known() {
        let text = "#if 0\n#endif\n//@rely a\n# ifdef X\n#else\n//@rely b\n#endif\n//@rely c";
        let inside: Vec<bool> =
            annotations_in(text).iter().map(|comment| comment.conditional.is_some()).collect();
        assert_eq!(inside, [false, true, false]);
    }
}
