//! The conditions of `#if` and `#elif`.

use crate::Declined;
use crate::engine::Engine;
use crate::files::HeaderName;
use crate::macros::{Definition, Special};
use crate::range::{Binary, Range, Truth};
use crate::symbols::Symbol;
use crate::token::{Kind, Punctuator, Token};

/// Parentheses and operators may nest this deeply.
const MAX_DEPTH: usize = 200;
const MALFORMED: Declined = Declined::Error("a condition that is no expression");

/// A condition that is being read.
struct Condition<'e, 'a> {
    engine: &'e mut Engine<'a>,
    /// The token that comes next.
    token: Token,
    depth: usize,
    /// Whether the operand that is being read does not count, so that it may divide by zero.
    ignored: usize,
    /// The names of the operators and operands so far, as long as they could be `!defined NAME`.
    shape: Shape,
}

/// How much of `!defined NAME` has been read; that is another way to write an include guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Start,
    Not,
    NotDefined(Symbol),
    Other,
}

impl Engine<'_> {
    /// Whether the condition of a directive holds, and the name of which it only asks whether
    /// it is not defined.
    pub(crate) fn condition(&mut self) -> Result<(bool, Option<Symbol>), Declined> {
        self.in_condition = true;
        let token = self.blank;
        let mut condition = Condition { engine: self, token, depth: 0, ignored: 0, shape: Shape::Start };
        condition.advance()?;
        let value = condition.ternary()?;
        let (shape, is_whole) = (condition.shape, condition.token.kind == Kind::End);
        self.in_condition = false;
        if !is_whole {
            return Err(MALFORMED);
        }
        let absent = match shape {
            Shape::NotDefined(name) => Some(name),
            _ => None,
        };
        match value.truth() {
            Truth::Yes => Ok((true, absent)),
            Truth::No => Ok((false, absent)),
            Truth::Unknown => Err(Declined::Compiler("a condition".into())),
        }
    }
}

impl Condition<'_, '_> {
    fn advance(&mut self) -> Result<(), Declined> {
        loop {
            self.token = self.engine.expanded()?;
            if self.token.kind != Kind::Padding {
                return Ok(());
            }
        }
    }

    /// The next token, its name not being expanded.
    fn advance_to_name(&mut self) -> Result<(), Declined> {
        self.engine.prevented += 1;
        let token = loop {
            let token = self.engine.expanded()?;
            if token.kind != Kind::Padding {
                break token;
            }
        };
        self.engine.prevented -= 1;
        self.token = token;
        Ok(())
    }

    fn expect(&mut self, punctuator: Punctuator) -> Result<(), Declined> {
        if !self.token.is(punctuator) {
            return Err(MALFORMED);
        }
        self.advance()
    }

    fn ternary(&mut self) -> Result<Range, Declined> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Declined::TooMuch("a condition that nests too deeply"));
        }
        let condition = self.binary(0)?;
        let mut value = condition;
        if self.token.is(Punctuator::Question) {
            self.shape = Shape::Other;
            self.advance()?;
            let then = self.ignoring(condition.truth() == Truth::No, Self::ternary)?;
            self.expect(Punctuator::Colon)?;
            let otherwise = self.ignoring(condition.truth() == Truth::Yes, Self::ternary)?;
            value = condition.choose(then, otherwise);
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Reads an operand that perhaps does not count.
    fn ignoring(
        &mut self,
        is_ignored: bool,
        read: impl FnOnce(&mut Self) -> Result<Range, Declined>,
    ) -> Result<Range, Declined> {
        self.ignored += usize::from(is_ignored);
        let value = read(self);
        self.ignored -= usize::from(is_ignored);
        value
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Range, Declined> {
        let mut left = self.unary()?;
        while let Kind::Punctuator(punctuator) = self.token.kind
            && let Some(level) = level(punctuator)
            && level >= least
        {
            self.shape = Shape::Other;
            self.advance()?;
            left = match punctuator {
                Punctuator::AndAnd => {
                    let right = self.ignoring(left.truth() == Truth::No, |this| this.binary(level + 1))?;
                    left.and(right)
                }
                Punctuator::OrOr => {
                    let right = self.ignoring(left.truth() == Truth::Yes, |this| this.binary(level + 1))?;
                    left.or(right)
                }
                _ => {
                    let right = self.binary(level + 1)?;
                    self.apply(left, operator(punctuator).ok_or(MALFORMED)?, right)?
                }
            };
        }
        Ok(left)
    }

    fn apply(&self, left: Range, operator: Binary, right: Range) -> Result<Range, Declined> {
        match left.binary(operator, right) {
            // What does not count may be anything.
            Err(_) if self.ignored > 0 => Ok(Range::signed(0)),
            result => result,
        }
    }

    fn unary(&mut self) -> Result<Range, Declined> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Declined::TooMuch("a condition that nests too deeply"));
        }
        let is_first_not = self.shape == Shape::Start && self.token.is(Punctuator::Not);
        let value = match self.token.kind {
            Kind::Punctuator(operator) => {
                self.shape = if is_first_not { Shape::Not } else { Shape::Other };
                self.advance()?;
                match operator {
                    Punctuator::Not => self.unary()?.not(),
                    Punctuator::Minus => {
                        let operand = self.unary()?;
                        self.apply(Range::signed(0), Binary::Subtract, operand)?
                    }
                    Punctuator::Plus => self.unary()?,
                    Punctuator::Tilde => self.unary()?.complement(),
                    Punctuator::OpenParen => {
                        let value = self.ternary()?;
                        self.shape = Shape::Other;
                        self.expect(Punctuator::CloseParen)?;
                        value
                    }
                    _ => return Err(MALFORMED),
                }
            }
            Kind::Name => self.name()?,
            Kind::Number => {
                self.shape = Shape::Other;
                let value = number(self.engine.symbols.bytes(self.token.text))?;
                self.advance()?;
                value
            }
            Kind::Character => {
                self.shape = Shape::Other;
                let value = character(self.engine.symbols.bytes(self.token.text))?;
                self.advance()?;
                value
            }
            _ => return Err(MALFORMED),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// A name that is no macro: an operator, or zero.
    fn name(&mut self) -> Result<Range, Declined> {
        let shape = std::mem::replace(&mut self.shape, Shape::Other);
        let name = self.token.text;
        if self.engine.symbols.bytes(name) == b"defined" {
            return self.defined(shape);
        }
        let value = match self.engine.node(name).definition {
            Definition::Special(Special::AtMost(high)) => Range::at_most(high),
            Definition::Special(Special::HasFeature) => {
                self.skip_parentheses()?;
                Range::at_most(i64::MAX)
            }
            Definition::Special(Special::HasInclude) => return self.has_include(),
            Definition::Special(_) | Definition::Doubtful => return Err(self.engine.doubtful(name)),
            // Function-like without parentheses, or disabled.
            Definition::Macro(_) | Definition::None => Range::signed(0),
        };
        self.advance()?;
        Ok(value)
    }

    fn defined(&mut self, shape: Shape) -> Result<Range, Declined> {
        self.advance_to_name()?;
        let has_parentheses = self.token.is(Punctuator::OpenParen);
        if has_parentheses {
            self.advance_to_name()?;
        }
        let name = self.token.text;
        if self.token.kind != Kind::Name || self.engine.symbols.bytes(name) == b"defined" {
            return Err(MALFORMED);
        }
        let is_defined = self.engine.is_defined(name)?;
        self.advance()?;
        if has_parentheses {
            self.expect(Punctuator::CloseParen)?;
        }
        if shape == Shape::Not {
            self.shape = Shape::NotDefined(name);
        }
        Ok(Range::truth_value(is_defined))
    }

    /// Reads `(...)`; stops at the closing parenthesis.
    fn skip_parentheses(&mut self) -> Result<(), Declined> {
        self.advance()?;
        if !self.token.is(Punctuator::OpenParen) {
            return Err(MALFORMED);
        }
        let mut depth = 1;
        while depth > 0 {
            self.advance()?;
            match self.token.kind {
                Kind::Punctuator(Punctuator::OpenParen) => depth += 1,
                Kind::Punctuator(Punctuator::CloseParen) => depth -= 1,
                Kind::End => return Err(MALFORMED),
                _ => {}
            }
        }
        Ok(())
    }

    fn has_include(&mut self) -> Result<Range, Declined> {
        if !self.engine.contexts.is_empty() {
            return Err(Declined::Feature("`__has_include` in a macro"));
        }
        if !self.engine.lexed()?.is(Punctuator::OpenParen) {
            return Err(MALFORMED);
        }
        let header: HeaderName = self.engine.header_name()?;
        let is_found = self.engine.find(&header, false)?.is_some();
        self.advance()?;
        self.expect(Punctuator::CloseParen)?;
        Ok(Range::truth_value(is_found))
    }
}

/// How tightly an operator binds.
fn level(punctuator: Punctuator) -> Option<u8> {
    use Punctuator as P;
    Some(match punctuator {
        P::OrOr => 1,
        P::AndAnd => 2,
        P::Or => 3,
        P::Caret => 4,
        P::And => 5,
        P::Equal | P::NotEqual => 6,
        P::Less | P::LessEqual | P::Greater | P::GreaterEqual => 7,
        P::ShiftLeft | P::ShiftRight => 8,
        P::Plus | P::Minus => 9,
        P::Star | P::Slash | P::Percent => 10,
        _ => return None,
    })
}

fn operator(punctuator: Punctuator) -> Option<Binary> {
    use Punctuator as P;
    Some(match punctuator {
        P::Or => Binary::Or,
        P::Caret => Binary::Xor,
        P::And => Binary::And,
        P::Equal => Binary::Equal,
        P::NotEqual => Binary::NotEqual,
        P::Less => Binary::Less,
        P::LessEqual => Binary::LessEqual,
        P::Greater => Binary::Greater,
        P::GreaterEqual => Binary::GreaterEqual,
        P::ShiftLeft => Binary::ShiftLeft,
        P::ShiftRight => Binary::ShiftRight,
        P::Plus => Binary::Add,
        P::Minus => Binary::Subtract,
        P::Star => Binary::Multiply,
        P::Slash => Binary::Divide,
        P::Percent => Binary::Remainder,
        _ => return None,
    })
}

/// An integer; anything else, and what does not fit, is declined.
fn number(text: &[u8]) -> Result<Range, Declined> {
    let text = std::str::from_utf8(text).map_err(|_| MALFORMED)?;
    let (radix, rest) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, text),
    };
    let digits = rest.bytes().take_while(|&byte| char::from(byte).is_digit(radix)).count();
    let (digits, suffix) = rest.split_at(digits);
    let value = u64::from_str_radix(digits, radix).map_err(|_| MALFORMED)?;
    let is_unsigned = match suffix {
        "" | "l" | "L" | "ll" | "LL" => false,
        "u" | "U" | "ul" | "UL" | "uL" | "Ul" | "ull" | "ULL" | "uLL" | "Ull" | "lu" | "LU" | "llu"
        | "LLU" => true,
        _ => return Err(MALFORMED),
    };
    match i64::try_from(value) {
        Ok(value) if !is_unsigned => Ok(Range::signed(value)),
        // A large decimal number without a suffix fits no type, and compilers warn.
        Err(_) if !is_unsigned && radix == 10 => Err(MALFORMED),
        _ => Ok(Range::unsigned(value)),
    }
}

/// A character constant of one ordinary character.
fn character(text: &[u8]) -> Result<Range, Declined> {
    let value = match text {
        [b'\'', byte @ (0x20..=0x7e), b'\''] if !matches!(byte, b'\\' | b'\'') => *byte,
        [b'\'', b'\\', escape, b'\''] => match escape {
            b'0' => 0,
            b'n' => b'\n',
            b't' => b'\t',
            b'\\' | b'\'' | b'"' => *escape,
            _ => return Err(MALFORMED),
        },
        _ => return Err(MALFORMED),
    };
    Ok(Range::signed(value.into()))
}
