//! Macros, and how a `#define` becomes one.

use crate::Declined;
use crate::symbols::Symbol;
use crate::token::{Flags, Kind, Punctuator, Token};
use std::rc::Rc;

/// A macro that a `#define` made.
#[derive(Debug)]
pub(crate) struct Macro {
    /// Whether it wants parentheses.
    pub(crate) is_function: bool,
    /// How many parameters there are.
    pub(crate) parameters: usize,
    /// Whether the last parameter takes all remaining arguments.
    pub(crate) is_variadic: bool,
    /// The replacement list. `##` and `#` have become flags of the tokens beside them.
    pub(crate) body: Rc<[Token]>,
}

/// What the preprocessor itself computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Line,
    File,
    Counter,
    HasInclude,
    /// `__has_attribute` and its like: the answer is the compiler's, and not known here.
    HasFeature,
    /// A number that is not known, but not larger than this: the compiler's minor version.
    AtMost(i64),
    /// Something that only the compiler can say.
    CompilerOnly,
}

/// What a name means to the preprocessor.
#[derive(Clone, Debug, Default)]
pub(crate) enum Definition {
    #[default]
    None,
    /// The name is not known to be defined, but it looks like one that a compiler defines.
    Doubtful,
    Macro(Rc<Macro>),
    Special(Special),
}

/// The parameters of a macro, as they are read.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) names: Vec<Symbol>,
    pub(crate) is_variadic: bool,
}

/// Makes the replacement list: parameters become [`Kind::Parameter`], and the operators flags.
pub(crate) fn body(tokens: &[Token], parameters: Option<&Parameters>) -> Result<Rc<[Token]>, Declined> {
    let mut body: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.iter().copied().peekable();
    while let Some(token) = rest.next() {
        match token.kind {
            Kind::Punctuator(Punctuator::HashHash) => {
                let follows = rest.peek().is_some_and(|next| !next.is(Punctuator::HashHash));
                let Some(before) = body.last_mut().filter(|_| follows) else {
                    return Err(Declined::Error("`##` without two operands"));
                };
                before.flags = before.flags.with(Flags::PASTE);
            }
            Kind::Punctuator(Punctuator::Hash) if parameters.is_some() => {
                let operand = rest.next().and_then(|operand| as_parameter(operand, parameters));
                let Some(mut operand) = operand else {
                    return Err(Declined::Error("`#` without a parameter"));
                };
                operand.flags = operand.flags.with(token.flags.only(Flags::WHITE)).with(Flags::STRINGIFY);
                body.push(operand);
            }
            _ => body.push(as_parameter(token, parameters).unwrap_or(token)),
        }
    }
    if let Some(first) = body.first_mut() {
        first.flags = first.flags.without(Flags::WHITE);
    }
    for token in &mut body {
        token.flags = token.flags.without(Flags::LINE_START);
    }
    Ok(body.into())
}

fn as_parameter(token: Token, parameters: Option<&Parameters>) -> Option<Token> {
    if token.kind != Kind::Name {
        return None;
    }
    let index = parameters?.names.iter().position(|&name| name == token.text)?;
    Some(Token { kind: Kind::Parameter(u16::try_from(index).ok()?), ..token })
}
