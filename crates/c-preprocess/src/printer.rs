//! The preprocessed text: tokens, the white space between them, and line markers.
//!
//! A token keeps its line, by line ends or by a marker, and the first token of a line its
//! column. This is laid out exactly as gcc does it, white space included: positions that are
//! shown to the user must not depend on which preprocessor ran, and the two can be compared.

use crate::symbols::Symbols;
use crate::token::{Kind, Origin, Position, Punctuator, Spacing, Token};

/// Beyond this distance a marker is shorter than line ends.
const MAX_LINE_ENDS: u32 = 8;

/// The file that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Current<'a> {
    /// Its name, as it stands between quotes.
    pub(crate) name: &'a str,
    pub(crate) is_system: bool,
}

/// Writes the text.
#[derive(Debug)]
pub(crate) struct Printer {
    pub(crate) output: Vec<u8>,
    /// The line that the output is at.
    line: u32,
    /// Whether something stands on this line of the output.
    has_printed: bool,
    /// The token before, if it is on the same line.
    previous: Option<Token>,
    /// The paddings since the token before.
    spacing: Option<Spacing>,
    was_system: bool,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Self {
            output: Vec::with_capacity(1 << 17),
            line: 0,
            has_printed: false,
            previous: None,
            spacing: None,
            was_system: false,
        }
    }

    fn write(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }

    fn end_line(&mut self) -> bool {
        let ends = self.has_printed;
        if ends {
            self.output.push(b'\n');
        }
        self.has_printed = false;
        ends
    }

    /// A line marker: what follows comes from this line of the file.
    pub(crate) fn marker(&mut self, line: u32, file: Current<'_>, reason: &str) {
        self.end_line();
        self.line = line;
        let system = if file.is_system { " 3 4" } else { "" };
        self.write(&format!("# {line} \"{}\"{reason}{system}\n", file.name));
    }

    /// Brings the output to a line; returns whether that took a marker.
    pub(crate) fn go_to_line(&mut self, line: u32, file: Current<'_>) -> bool {
        if self.end_line() {
            self.line += 1;
        }
        let is_near = line >= self.line && line < self.line + MAX_LINE_ENDS;
        if is_near {
            for _ in self.line..line {
                self.output.push(b'\n');
            }
            self.line = line;
        } else {
            self.marker(line, file, "");
        }
        !is_near
    }

    /// Brings the output to the place of a token; returns whether that took a marker.
    pub(crate) fn go_to(&mut self, place: Position, file: Current<'_>) -> bool {
        let has_marker = self.go_to_line(place.line, file);
        self.previous = None;
        self.spacing = None;
        self.has_printed = true;
        let blanks = place.column.saturating_sub(2) as usize;
        self.output.resize(self.output.len() + blanks, b' ');
        has_marker
    }

    /// A directive that is left to the compiler.
    pub(crate) fn directive(&mut self, text: &[u8], line: u32, file: Current<'_>) {
        self.go_to_line(line, file);
        self.output.extend_from_slice(text);
        self.output.push(b'\n');
        self.line += 1;
    }

    /// One token, behind macro expansion.
    pub(crate) fn token(&mut self, token: Token, file: &str, file_is_system: bool, symbols: &Symbols) {
        if token.kind == Kind::Padding {
            self.spacing.get_or_insert_default().add(token);
            return;
        }
        let is_system = match token.origin {
            Origin::User => false,
            Origin::System => true,
            Origin::Compiler => file_is_system,
        };
        let current = Current { name: file, is_system };
        let mut has_marker = false;
        let is_elsewhere = token.place.line != self.line;
        let spacing = self.spacing.take();
        if is_elsewhere && (spacing.is_some() || token.is_white()) {
            has_marker = self.go_to(token.place, current);
            self.blank();
        } else if match spacing {
            Some(spacing) => spacing.is_white_before(token) || self.must_separate(token),
            None => token.is_white(),
        } {
            self.blank();
        }
        self.spacing = None;
        self.previous = Some(token);
        if !has_marker && self.was_system != is_system && token.origin != Origin::Compiler {
            self.go_to(token.place, current);
            self.was_system = is_system;
        }
        spell(token, symbols, &mut self.output);
        self.has_printed = true;
    }

    fn blank(&mut self) {
        self.output.push(b' ');
        self.has_printed = true;
    }

    fn must_separate(&self, token: Token) -> bool {
        match self.previous {
            None => token.is(Punctuator::Hash),
            Some(previous) => would_join(previous, token),
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.end_line();
        self.output
    }
}

/// Appends the spelling of a token.
pub(crate) fn spell(token: Token, symbols: &Symbols, output: &mut Vec<u8>) {
    match token.kind {
        Kind::Punctuator(punctuator) => output.extend_from_slice(punctuator.spelling().as_bytes()),
        Kind::Padding | Kind::End | Kind::Parameter(_) => {}
        _ => output.extend_from_slice(symbols.bytes(token.text)),
    }
}

/// Whether two tokens without a blank between them would be read as others.
fn would_join(first: Token, second: Token) -> bool {
    use Punctuator as P;
    let next = match second.kind {
        Kind::Punctuator(punctuator) => punctuator.spelling().as_bytes()[0],
        _ => 0,
    };
    match first.kind {
        Kind::Punctuator(punctuator) if punctuator.can_take_equals() && next == b'=' => true,
        Kind::Punctuator(punctuator) => match punctuator {
            P::Greater => next == b'>',
            P::LessEqual => next == b'>',
            P::Less => matches!(next, b'<' | b'%' | b':'),
            P::Plus => next == b'+',
            P::Minus => matches!(next, b'-' | b'>'),
            P::Slash => matches!(next, b'/' | b'*'),
            P::Percent => matches!(next, b':' | b'%'),
            P::And => next == b'&',
            P::Or => next == b'|',
            P::Colon => matches!(next, b':' | b'>'),
            P::Arrow => next == b'*',
            P::Dot => matches!(next, b'.' | b'%') || second.kind == Kind::Number,
            P::Hash => matches!(next, b'#' | b'%'),
            _ => false,
        },
        Kind::Name => {
            // A number that begins with a dot does not continue a name, but it is kept apart, too.
            matches!(second.kind, Kind::Number | Kind::Name | Kind::Character | Kind::Text)
        }
        Kind::Number => {
            matches!(second.kind, Kind::Number | Kind::Name | Kind::Character)
                || matches!(next, b'.' | b'+' | b'-')
        }
        _ => false,
    }
}
