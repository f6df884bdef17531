//! A lexer for preprocessed C: just enough to rewrite a few words and to count nesting.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    /// A number, as the preprocessor understands it.
    Number,
    /// A string or character literal.
    Literal,
    /// One character of punctuation; operators of several characters are several tokens.
    Punctuation,
    /// A comment, or a line that starts with `#`.
    Blank,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn text(self, source: &str) -> &str {
        &source[self.start..self.end]
    }

    /// Whether this is the punctuation character `wanted`.
    pub(super) fn is(self, source: &str, wanted: char) -> bool {
        self.kind == TokenKind::Punctuation && source.as_bytes()[self.start] == wanted as u8
    }
}

/// A literal or comment without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unterminated {
    pub(super) start: usize,
    pub(super) what: &'static str,
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// All tokens of the text, in order.
pub(super) fn lex(source: &str) -> Result<Vec<Token>, Unterminated> {
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0, at_line_start: true };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// The tokens of a text as far as they can be told apart: what has no end ends with its line.
pub(super) fn lex_leniently(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0, at_line_start: true };
    let mut tokens = Vec::new();
    loop {
        match lexer.next_token() {
            Ok(Some(token)) if lexer.at <= source.len() => tokens.push(token),
            Ok(Some(_) | None) => return tokens,
            Err(_) => {}
        }
    }
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
    at_line_start: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next_token(&mut self) -> Result<Option<Token>, Unterminated> {
        while self.at < self.bytes.len() && self.peek(0).is_ascii_whitespace() {
            self.at_line_start |= self.peek(0) == b'\n';
            self.at += 1;
        }
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let kind = self.token()?;
        self.at_line_start &= kind == TokenKind::Blank && self.bytes[start] == b'/';
        Ok(Some(Token { kind, start, end: self.at }))
    }

    fn token(&mut self) -> Result<TokenKind, Unterminated> {
        match (self.peek(0), self.peek(1)) {
            (b'#', _) if self.at_line_start => {
                self.skip_line();
                Ok(TokenKind::Blank)
            }
            (b'/', b'/') => {
                self.skip_line();
                Ok(TokenKind::Blank)
            }
            (b'/', b'*') => self.block_comment(),
            (quote @ (b'"' | b'\''), _) => self.literal(quote),
            (b'L' | b'u' | b'U', quote @ (b'"' | b'\'')) => {
                self.at += 1;
                self.literal(quote)
            }
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => Ok(self.number()),
            (byte, _) if is_word_byte(byte) || self.is_named_character() => {
                self.word();
                Ok(TokenKind::Word)
            }
            _ => {
                self.at += 1;
                Ok(TokenKind::Punctuation)
            }
        }
    }

    fn word(&mut self) {
        loop {
            let rest = &self.bytes[self.at..];
            self.at += rest.iter().take_while(|&&byte| is_word_byte(byte)).count();
            if !self.is_named_character() {
                return;
            }
            self.at += 1;
        }
    }

    /// Whether a character of a name follows that is written as a number: `\\u00fc`.
    fn is_named_character(&self) -> bool {
        self.peek(0) == b'\\' && matches!(self.peek(1), b'u' | b'U')
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) -> Result<TokenKind, Unterminated> {
        let start = self.at;
        self.at += 2;
        while self.at < self.bytes.len() {
            if self.peek(0) == b'*' && self.peek(1) == b'/' {
                self.at += 2;
                return Ok(TokenKind::Blank);
            }
            self.at += 1;
        }
        Err(Unterminated { start, what: "a comment" })
    }

    fn literal(&mut self, quote: u8) -> Result<TokenKind, Unterminated> {
        let start = self.at;
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            match self.peek(0) {
                b'\\' => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return Ok(TokenKind::Literal);
                }
                _ => self.at += 1,
            }
        }
        let what = if quote == b'"' { "a string" } else { "a character constant" };
        Err(Unterminated { start, what })
    }

    fn number(&mut self) -> TokenKind {
        while self.at < self.bytes.len() {
            let sign_of_exponent = matches!(self.peek(0), b'+' | b'-')
                && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P')
                && self.exponent_can_follow();
            if !(is_word_byte(self.peek(0)) || self.peek(0) == b'.' || sign_of_exponent) {
                break;
            }
            self.at += 1;
        }
        TokenKind::Number
    }

    /// In `0xe+1` the `+` is an operator although an `e` stands before it.
    fn exponent_can_follow(&self) -> bool {
        let start = (0..self.at).rev().find(|&at| !(is_word_byte(self.bytes[at]) || self.bytes[at] == b'.'));
        let digits = &self.bytes[start.map_or(0, |at| at + 1)..self.at];
        let is_hexadecimal = digits.starts_with(b"0x") || digits.starts_with(b"0X");
        !is_hexadecimal || matches!(digits.last(), Some(b'p' | b'P'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let tokens = lex(source).expect("the text has only whole tokens");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text(source)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn tokens_are_separated() {
        check("x=a+1;", &["x", "=", "a", "+", "1", ";"]);
        check("0xe+1 1e+5 .5", &["0xe", "+", "1", "1e+5", ".5"]);
        check("\"a\\\"b\" L'x' 'y'", &["\"a\\\"b\"", "L'x'", "'y'"]);
        check("a/*b*/c//d\n# 1 \"f\"\ne#", &["a", "/*b*/", "c", "//d", "# 1 \"f\"", "e", "#"]);
        check("gr\\u00f6\\u00dfe+ä", &["gr\\u00f6\\u00dfe", "+", "ä"]);
        check("/* c */ #pragma x\ny", &["/* c */", "#pragma x", "y"]);
    }

    #[test]
    fn unterminated_tokens_are_errors() {
        for (source, what) in
            [("a /* b", "a comment"), ("\"abc", "a string"), ("'a\nb'", "a character constant")]
        {
            assert_eq!(lex(source).map(|_| ()).unwrap_err().what, what);
        }
    }
}
