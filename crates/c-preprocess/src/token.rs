//! Preprocessing tokens.
//!
//! Besides the tokens of the language there is padding: it stands where a macro began or ended
//! and says whether a space belongs there, so that two tokens which were apart are not printed
//! as one.

use crate::symbols::Symbol;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    /// A string literal without a prefix.
    Text,
    /// A character constant without a prefix.
    Character,
    /// A string literal or a character constant with a prefix.
    Prefixed,
    /// A character that is no token of C, such as `@`.
    Other,
    Punctuator(Punctuator),
    /// Nothing; see the module's documentation.
    Padding,
    /// The end of a directive, of a macro's argument or of a file.
    End,
    /// In a replacement list: the parameter of this number.
    Parameter(u16),
}

/// Operators and punctuation. What can be followed by `=` to make another operator comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Punctuator {
    Assign,
    Not,
    Greater,
    Less,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    And,
    Or,
    Caret,
    ShiftRight,
    ShiftLeft,
    Tilde,
    AndAnd,
    OrOr,
    Question,
    Colon,
    Comma,
    OpenParen,
    CloseParen,
    Equal,
    NotEqual,
    GreaterEqual,
    LessEqual,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    AndAssign,
    OrAssign,
    CaretAssign,
    ShiftRightAssign,
    ShiftLeftAssign,
    Hash,
    HashHash,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Semicolon,
    Ellipsis,
    Increment,
    Decrement,
    Arrow,
    Dot,
}

impl Punctuator {
    pub(crate) fn spelling(self) -> &'static str {
        use Punctuator as P;
        match self {
            P::Assign => "=",
            P::Not => "!",
            P::Greater => ">",
            P::Less => "<",
            P::Plus => "+",
            P::Minus => "-",
            P::Star => "*",
            P::Slash => "/",
            P::Percent => "%",
            P::And => "&",
            P::Or => "|",
            P::Caret => "^",
            P::ShiftRight => ">>",
            P::ShiftLeft => "<<",
            P::Tilde => "~",
            P::AndAnd => "&&",
            P::OrOr => "||",
            P::Question => "?",
            P::Colon => ":",
            P::Comma => ",",
            P::OpenParen => "(",
            P::CloseParen => ")",
            P::Equal => "==",
            P::NotEqual => "!=",
            P::GreaterEqual => ">=",
            P::LessEqual => "<=",
            P::PlusAssign => "+=",
            P::MinusAssign => "-=",
            P::StarAssign => "*=",
            P::SlashAssign => "/=",
            P::PercentAssign => "%=",
            P::AndAssign => "&=",
            P::OrAssign => "|=",
            P::CaretAssign => "^=",
            P::ShiftRightAssign => ">>=",
            P::ShiftLeftAssign => "<<=",
            P::Hash => "#",
            P::HashHash => "##",
            P::OpenBracket => "[",
            P::CloseBracket => "]",
            P::OpenBrace => "{",
            P::CloseBrace => "}",
            P::Semicolon => ";",
            P::Ellipsis => "...",
            P::Increment => "++",
            P::Decrement => "--",
            P::Arrow => "->",
            P::Dot => ".",
        }
    }

    pub(crate) fn can_take_equals(self) -> bool {
        self <= Punctuator::ShiftLeft
    }
}

/// A set of properties of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    pub(crate) const NONE: Flags = Flags(0);
    /// White space stands before it.
    pub(crate) const WHITE: Flags = Flags(1);
    /// It is the first of its line.
    pub(crate) const LINE_START: Flags = Flags(2);
    /// It is the name of a macro that must not be expanded any more.
    pub(crate) const NO_EXPAND: Flags = Flags(4);
    /// In a replacement list: `##` follows.
    pub(crate) const PASTE: Flags = Flags(8);
    /// In a replacement list: `#` stands before this parameter.
    pub(crate) const STRINGIFY: Flags = Flags(16);
    /// Padding: it stands for another token, whose white space it has.
    pub(crate) const SOURCED: Flags = Flags(32);

    pub(crate) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub(crate) fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }

    pub(crate) fn without(self, flag: Flags) -> Flags {
        Flags(self.0 & !flag.0)
    }

    pub(crate) fn only(self, flag: Flags) -> Flags {
        Flags(self.0 & flag.0)
    }
}

/// Who wrote the characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    User,
    /// A header of the system.
    System,
    /// The compiler, with a predefined macro.
    Compiler,
}

/// A position in the file that is being read, both from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) flags: Flags,
    pub(crate) origin: Origin,
    /// The spelling of names, numbers, literals and other characters; meaningless for the rest.
    pub(crate) text: Symbol,
    /// Where it is, or where the macro that it comes from was named.
    pub(crate) place: Position,
}

impl Token {
    /// Padding in place of `source`: it has that token's white space.
    pub(crate) fn padding_for(source: Token) -> Token {
        let flags = source.flags.only(Flags::WHITE).with(Flags::SOURCED);
        Token { kind: Kind::Padding, flags, ..source }
    }

    /// Padding that only keeps its neighbours apart.
    pub(crate) fn separator(near: Token) -> Token {
        Token { kind: Kind::Padding, flags: Flags::NONE, ..near }
    }

    pub(crate) fn is(self, punctuator: Punctuator) -> bool {
        self.kind == Kind::Punctuator(punctuator)
    }

    pub(crate) fn is_white(self) -> bool {
        self.flags.has(Flags::WHITE)
    }
}

/// The white space that several paddings in a row stand for: the first that has a source
/// decides, unless a mere separator follows one without white space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spacing {
    source_is_white: Option<bool>,
}

impl Spacing {
    pub(crate) fn add(&mut self, padding: Token) {
        let source = padding.flags.has(Flags::SOURCED).then_some(padding.is_white());
        if self.source_is_white.is_none() || (self.source_is_white == Some(false) && source.is_none()) {
            self.source_is_white = source;
        }
    }

    /// Whether white space stands before `token`, which follows the paddings.
    pub(crate) fn is_white_before(self, token: Token) -> bool {
        self.source_is_white.unwrap_or(token.is_white())
    }
}
