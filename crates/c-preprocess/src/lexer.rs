//! Translation phase 3: preprocessing tokens of one file, on demand.
//!
//! Everything that a compiler would warn about or refuse here is declined, and so is what
//! differs between dialects: digraphs, raw strings, names with other than ASCII letters.

use crate::Declined;
use crate::symbols::{Symbol, Symbols};
use crate::text::Text;
use crate::token::{Flags, Kind, Origin, Position, Punctuator, Token};
use memchr::{memchr, memchr2};
use std::rc::Rc;

/// What the lexer is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    /// Inside of a directive the end of the line is the end.
    pub(crate) in_directive: bool,
    /// Between the parentheses of a macro a line end is white space.
    pub(crate) in_arguments: bool,
}

/// A position in a text.
#[derive(Debug)]
pub(crate) struct Lexer {
    text: Rc<Text>,
    at: usize,
    line: u32,
    line_start: usize,
    next_joint: usize,
    /// Whether the next token is the first of its line.
    at_line_start: bool,
    origin: Origin,
}

impl Lexer {
    pub(crate) fn new(text: Rc<Text>, origin: Origin) -> Self {
        Self { text, at: 0, line: 1, line_start: 0, next_joint: 0, at_line_start: true, origin }
    }

    /// For text that is in no file: its first line is line zero.
    pub(crate) fn before_the_file(text: Rc<Text>, origin: Origin) -> Self {
        Self { line: 0, ..Self::new(text, origin) }
    }

    /// The line of the next byte.
    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// Whether everything has been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.text.bytes.len()
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn start_line(&mut self) {
        self.at += 1;
        self.follow_joints();
        self.line += 1;
        self.line_start = self.at;
    }

    /// Counts the joined lines that begin at or before this position.
    fn follow_joints(&mut self) {
        while let Some(&joint) = self.text.joints.get(self.next_joint)
            && joint as usize <= self.at
        {
            self.line += 1;
            self.line_start = joint as usize;
            self.next_joint += 1;
        }
    }

    /// The next token. At the end of the text, and in a directive at the end of the line, it is
    /// [`Kind::End`], however often one asks.
    pub(crate) fn next(&mut self, mode: Mode, symbols: &mut Symbols) -> Result<Token, Declined> {
        let mut flags = Flags::NONE;
        loop {
            if self.at_line_start && !mode.in_directive && !self.is_at_end() {
                self.at_line_start = false;
                flags = Flags::LINE_START;
                if mode.in_arguments {
                    flags = flags.with(Flags::WHITE);
                }
            }
            match self.peek(0) {
                b' ' | b'\t' | 0x0b | 0x0c => {
                    flags = flags.with(Flags::WHITE);
                    self.at += 1;
                }
                b'\n' if mode.in_directive => return Ok(self.end(flags)),
                b'\n' => {
                    self.start_line();
                    self.at_line_start = true;
                }
                b'/' if matches!(self.peek(1), b'/' | b'*') => {
                    self.comment()?;
                    flags = flags.with(Flags::WHITE);
                }
                0 => return Ok(self.end(flags)),
                _ => return self.token(flags, symbols),
            }
        }
    }

    fn place(&mut self) -> Position {
        self.follow_joints();
        Position { line: self.line, column: (self.at - self.line_start + 1) as u32 }
    }

    fn end(&mut self, flags: Flags) -> Token {
        let place = self.place();
        Token { kind: Kind::End, flags, origin: self.origin, text: Symbols::empty(), place }
    }

    /// Moves behind a directive: to the next line.
    pub(crate) fn finish_directive(&mut self) {
        if self.peek(0) == b'\n' {
            self.start_line();
        }
        self.at_line_start = true;
    }

    /// In `#include`: the name between angles, if one stands here.
    pub(crate) fn angled_name(&mut self) -> Option<String> {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let rest = &self.text.bytes[self.at..];
        let end = rest.iter().position(|&byte| matches!(byte, b'>' | b'\n'))?;
        if rest.first() != Some(&b'<') || rest[end] != b'>' {
            return None;
        }
        let name = std::str::from_utf8(&rest[1..end]).ok()?.to_owned();
        self.at += end + 1;
        Some(name)
    }

    fn comment(&mut self) -> Result<(), Declined> {
        if self.peek(1) == b'/' {
            self.at += 2;
            let rest = &self.text.bytes[self.at..];
            self.at += memchr(b'\n', rest).unwrap_or(rest.len());
            return Ok(());
        }
        self.at += 2;
        loop {
            let rest = &self.text.bytes[self.at..];
            self.at += memchr2(b'*', b'\n', rest).unwrap_or(rest.len());
            match (self.peek(0), self.peek(1)) {
                (b'*', b'/') => {
                    self.at += 2;
                    return Ok(());
                }
                (b'*', _) => self.at += 1,
                (b'\n', _) => self.start_line(),
                _ => return Err(Declined::Unterminated("comment")),
            }
        }
    }

    fn token(&mut self, flags: Flags, symbols: &mut Symbols) -> Result<Token, Declined> {
        let place = self.place();
        let start = self.at;
        let kind = match (self.peek(0), self.peek(1)) {
            (b'"', _) => self.literal(b'"', Kind::Text)?,
            (b'\'', _) => self.literal(b'\'', Kind::Character)?,
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => self.number()?,
            (byte, _) if is_name_byte(byte) => self.name()?,
            (b'@' | b'`', _) => {
                self.at += 1;
                Kind::Other
            }
            (byte, _) if byte >= 0x80 || byte == b'\\' => {
                return Err(Declined::Character("a character outside of ASCII, or a backslash".into()));
            }
            _ => {
                let punctuator = self.punctuator()?;
                let kind = Kind::Punctuator(punctuator);
                return Ok(Token { kind, flags, origin: self.origin, text: Symbols::empty(), place });
            }
        };
        let text: Symbol = symbols.intern(&self.text.bytes[start..self.at]);
        Ok(Token { kind, flags, origin: self.origin, text, place })
    }

    fn name(&mut self) -> Result<Kind, Declined> {
        let start = self.at;
        let rest = &self.text.bytes[start..];
        self.at += rest.iter().take_while(|&&byte| is_name_byte(byte)).count();
        let next = self.peek(0);
        if next >= 0x80 || next == b'\\' {
            return Err(Declined::Character("a name with characters outside of ASCII".into()));
        }
        match (&self.text.bytes[start..self.at], next) {
            (b"L" | b"u" | b"U", b'"' | b'\'') | (b"u8", b'"') => self.literal(next, Kind::Prefixed),
            (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", b'"') => Err(Declined::Feature("a raw string")),
            _ => Ok(Kind::Name),
        }
    }

    fn number(&mut self) -> Result<Kind, Declined> {
        loop {
            self.at += 1;
            let before = self.text.bytes[self.at - 1];
            let is_sign = matches!(self.peek(0), b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            match self.peek(0) {
                b'$' | b'\\' | 0x80.. => return Err(Declined::Character("an odd number".into())),
                byte if is_name_byte(byte) || byte == b'.' || is_sign => {}
                _ => return Ok(Kind::Number),
            }
        }
    }

    fn literal(&mut self, quote: u8, kind: Kind) -> Result<Kind, Declined> {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\n' | 0 => return Err(Declined::Unterminated("literal")),
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(kind);
                    }
                }
            }
        }
    }

    fn punctuator(&mut self) -> Result<Punctuator, Declined> {
        use Punctuator as P;
        let (punctuator, length) = match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'<', b':' | b'%', _) | (b'%', b':' | b'>', _) | (b':', b'>', _) => {
                return Err(Declined::Feature("a digraph"));
            }
            (b'.', b'.', b'.') => (P::Ellipsis, 3),
            (b'>', b'>', b'=') => (P::ShiftRightAssign, 3),
            (b'<', b'<', b'=') => (P::ShiftLeftAssign, 3),
            (b'>', b'>', _) => (P::ShiftRight, 2),
            (b'<', b'<', _) => (P::ShiftLeft, 2),
            (b'=', b'=', _) => (P::Equal, 2),
            (b'!', b'=', _) => (P::NotEqual, 2),
            (b'>', b'=', _) => (P::GreaterEqual, 2),
            (b'<', b'=', _) => (P::LessEqual, 2),
            (b'+', b'=', _) => (P::PlusAssign, 2),
            (b'-', b'=', _) => (P::MinusAssign, 2),
            (b'*', b'=', _) => (P::StarAssign, 2),
            (b'/', b'=', _) => (P::SlashAssign, 2),
            (b'%', b'=', _) => (P::PercentAssign, 2),
            (b'&', b'=', _) => (P::AndAssign, 2),
            (b'|', b'=', _) => (P::OrAssign, 2),
            (b'^', b'=', _) => (P::CaretAssign, 2),
            (b'+', b'+', _) => (P::Increment, 2),
            (b'-', b'-', _) => (P::Decrement, 2),
            (b'-', b'>', _) => (P::Arrow, 2),
            (b'&', b'&', _) => (P::AndAnd, 2),
            (b'|', b'|', _) => (P::OrOr, 2),
            (b'#', b'#', _) => (P::HashHash, 2),
            (single, ..) => (single_punctuator(single)?, 1),
        };
        self.at += length;
        Ok(punctuator)
    }

    /// Skips lines until one begins with `#`, and that `#`. False at the end of the text.
    ///
    /// Skipped text consists of tokens, too: a comment may go over several lines, and quotes
    /// hide what looks like a comment, to the end of their line if they are not closed.
    pub(crate) fn skip_to_directive(&mut self) -> Result<bool, Declined> {
        let mut is_line_start = true;
        loop {
            match (self.peek(0), self.peek(1)) {
                (0, _) if self.is_at_end() => return Ok(false),
                (b'\n', _) => {
                    self.start_line();
                    is_line_start = true;
                }
                (b' ' | b'\t' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/' | b'*') => self.comment()?,
                (b'#', _) if is_line_start => {
                    self.follow_joints();
                    self.at += 1;
                    self.at_line_start = false;
                    return Ok(true);
                }
                (b'%', b':') if is_line_start => return Err(Declined::Feature("a digraph")),
                (quote @ (b'"' | b'\''), _) => {
                    is_line_start = false;
                    self.skip_quoted(quote);
                }
                _ => {
                    is_line_start = false;
                    self.skip_plain();
                }
            }
        }
    }

    /// Skips the rest of a line, in text that is skipped.
    pub(crate) fn skip_line(&mut self) -> Result<(), Declined> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (0, _) => return Ok(()),
                (b'\n', _) => {
                    self.start_line();
                    self.at_line_start = true;
                    return Ok(());
                }
                (b'/', b'/' | b'*') => self.comment()?,
                (quote @ (b'"' | b'\''), _) => self.skip_quoted(quote),
                _ => self.skip_plain(),
            }
        }
    }

    /// Skips a byte, and those behind it that mean nothing in skipped text.
    fn skip_plain(&mut self) {
        let rest = &self.text.bytes[self.at + 1..];
        let is_plain = |byte: &&u8| !matches!(byte, b'\n' | b'/' | b'"' | b'\'');
        self.at += 1 + rest.iter().take_while(is_plain).count();
    }

    /// The name behind the `#` of a directive in skipped text; empty if there is none.
    pub(crate) fn skipped_name(&mut self) -> Result<&[u8], Declined> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/' | b'*') => self.comment()?,
                _ => break,
            }
        }
        let start = self.at;
        let rest = &self.text.bytes[start..];
        self.at += rest.iter().take_while(|&&byte| is_name_byte(byte)).count();
        Ok(&self.text.bytes[start..self.at])
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\n' | 0 => return,
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }
}

fn single_punctuator(byte: u8) -> Result<Punctuator, Declined> {
    use Punctuator as P;
    Ok(match byte {
        b'=' => P::Assign,
        b'!' => P::Not,
        b'>' => P::Greater,
        b'<' => P::Less,
        b'+' => P::Plus,
        b'-' => P::Minus,
        b'*' => P::Star,
        b'/' => P::Slash,
        b'%' => P::Percent,
        b'&' => P::And,
        b'|' => P::Or,
        b'^' => P::Caret,
        b'~' => P::Tilde,
        b'?' => P::Question,
        b':' => P::Colon,
        b',' => P::Comma,
        b'(' => P::OpenParen,
        b')' => P::CloseParen,
        b'#' => P::Hash,
        b'[' => P::OpenBracket,
        b']' => P::CloseBracket,
        b'{' => P::OpenBrace,
        b'}' => P::CloseBrace,
        b';' => P::Semicolon,
        b'.' => P::Dot,
        _ => return Err(Declined::Character(format!("the byte {byte}"))),
    })
}

/// Names may contain `$`, as compilers for this system allow.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexer(source: &str) -> Lexer {
        Lexer::new(Rc::new(Text::new(source.into()).expect("the text can be read")), Origin::User)
    }

    fn check(source: &str, expected: &str) {
        let mut symbols = Symbols::new();
        let mut lexer = lexer(source);
        let mut found = Vec::new();
        loop {
            let token = lexer.next(Mode::default(), &mut symbols).expect("the tokens are whole");
            let spelling = match token.kind {
                Kind::End => break,
                Kind::Punctuator(punctuator) => punctuator.spelling().to_owned(),
                _ => symbols.name(token.text),
            };
            let white = if token.is_white() { "_" } else { "" };
            found.push(format!("{white}{spelling}@{}:{}", token.place.line, token.place.column));
        }
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn tokens_have_places() {
        check("a+=b\n  c", "a@1:1 +=@1:2 b@1:4 _c@2:3");
        check("a\\\nb c\\\n d", "ab@1:1 _c@2:3 _d@3:2");
        check("/* x\n*/ y // z\nw/**/v", "_y@2:4 w@3:1 _v@3:6");
        check("0x1p-3.f .5 a.b", "0x1p-3.f@1:1 _.5@1:10 _a@1:13 .@1:14 b@1:15");
        check("L\"a\\\"b\" '\\'' x...", "L\"a\\\"b\"@1:1 _'\\''@1:9 _x@1:14 ...@1:15");
    }

    #[test]
    fn skipped_text_is_lexed_as_well() {
        let mut lexer = lexer("it's # no /*\n \"/*\" x\n/* #a\n*/ y\n /**/ # b");
        assert_eq!((lexer.skip_to_directive(), lexer.line()), (Ok(true), 5));
        assert_eq!(lexer.skip_to_directive(), Ok(false));
    }

    #[test]
    fn doubtful_tokens_are_declined() {
        for source in ["a <: b", "R\"(x)\"", "\"abc", "'", "é", "/* x", "a\\u0041", "\u{1}"] {
            let mut symbols = Symbols::new();
            let mut lexer = lexer(source);
            let declined = (0..5).any(|_| lexer.next(Mode::default(), &mut symbols).is_err());
            assert!(declined, "{source}");
        }
    }
}
