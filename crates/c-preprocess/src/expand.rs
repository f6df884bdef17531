//! Macro expansion.
//!
//! The tokens that a macro is replaced by form a *context*, which is read before the text goes
//! on. While its context is being read a macro is disabled; its name in there is marked and is
//! never expanded again, which ends all recursion. Arguments are collected without expanding
//! them, and expanded on their own before they are put in place, except beside `#` and `##`.
//! This is the algorithm of the standard as gcc understands it: where the standard leaves open
//! whether a name that is half inside of a macro is expanded, headers count on gcc's answer.

use crate::Declined;
use crate::engine::Engine;
use crate::macros::{Definition, Macro, Special};
use crate::printer::spell;
use crate::symbols::Symbol;
use crate::token::{Flags, Kind, Origin, Position, Punctuator, Spacing, Token};
use std::rc::Rc;

/// Macros in arguments of macros in arguments: deeper than this is declined.
const MAX_NESTING: usize = 200;

/// Tokens that are read before the text goes on.
#[derive(Debug)]
pub(crate) struct Context {
    tokens: Rc<[Token]>,
    next: usize,
    /// The macro that is disabled until all of this has been read.
    disables: Option<Symbol>,
    /// Where the macro was named: the place of all tokens. Without it they have their own.
    place: Option<Position>,
}

/// What is being done about the parentheses behind a macro's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    No,
    /// The opening one is looked for.
    Wanted,
    /// Up to the closing one everything is an argument.
    Collected,
}

/// An argument as it was written, and expanded when that was needed.
#[derive(Debug, Default)]
struct Argument {
    tokens: Vec<Token>,
    expanded: Option<Vec<Token>>,
}

/// The arguments of an invocation.
#[derive(Debug)]
struct Invocation {
    arguments: Vec<Argument>,
    /// Whether nothing at all was given for the variadic parameter, so that a comma pasted to it
    /// goes away.
    lacks_variadic: bool,
}

impl Engine<'_> {
    /// The next token behind macro expansion, or padding.
    pub(crate) fn expanded(&mut self) -> Result<Token, Declined> {
        loop {
            self.spend(1)?;
            let mut token = match self.contexts.last_mut() {
                None => self.lexed()?,
                Some(context) => match context.tokens.get(context.next).copied() {
                    Some(token) => {
                        context.next += 1;
                        let token = Token { place: context.place.unwrap_or(token.place), ..token };
                        if token.flags.has(Flags::PASTE) {
                            self.paste(token)?;
                            if self.in_directive {
                                continue;
                            }
                            return Ok(Token::padding_for(token));
                        }
                        token
                    }
                    None => {
                        self.leave_context();
                        if self.in_directive {
                            continue;
                        }
                        return Ok(Token::separator(self.blank));
                    }
                },
            };
            if token.kind != Kind::Name || token.flags.has(Flags::NO_EXPAND) {
                return Ok(token);
            }
            let is_prevented = self.prevented > 0;
            let node = self.node(token.text);
            match node.definition {
                Definition::None => return Ok(token),
                Definition::Doubtful => return Err(self.doubtful(token.text)),
                Definition::Macro(_) | Definition::Special(_) if node.is_disabled => {
                    token.flags = token.flags.with(Flags::NO_EXPAND);
                    return Ok(token);
                }
                Definition::Macro(_) | Definition::Special(_) if is_prevented => return Ok(token),
                Definition::Macro(_) | Definition::Special(_) => {}
            }
            if !self.enter_macro(token)? {
                return Ok(token);
            }
            if !self.in_directive {
                return Ok(Token::padding_for(token));
            }
        }
    }

    fn leave_context(&mut self) {
        let Some(left) = self.contexts.pop() else { return };
        let outer = self.contexts.last().and_then(|context| context.disables);
        if let Some(symbol) = left.disables
            && outer != left.disables
        {
            self.node_mut(symbol).is_disabled = false;
        }
    }

    fn enter_context(&mut self, tokens: Rc<[Token]>, disables: Option<Symbol>, place: Option<Position>) {
        self.contexts.push(Context { tokens, next: 0, disables, place });
    }

    /// Takes back the token that was read last.
    fn unread(&mut self, token: Token) {
        match self.contexts.last_mut() {
            Some(context) => context.next -= 1,
            // The end of a text or directive comes again by itself.
            None if token.kind == Kind::End => {}
            None => self.lookahead = Some(token),
        }
    }

    /// Replaces a name by what it stands for; false if it is to be left as it is.
    fn enter_macro(&mut self, name: Token) -> Result<bool, Declined> {
        match self.node(name.text).definition.clone() {
            Definition::None | Definition::Doubtful => Ok(false),
            Definition::Special(special) => self.enter_special(name, special),
            Definition::Macro(makro) => {
                let body = if makro.is_function {
                    let Some(invocation) = self.invocation(&makro)? else { return Ok(false) };
                    if makro.parameters > 0 {
                        self.substitute(&makro, invocation)?
                    } else {
                        makro.body.clone()
                    }
                } else {
                    makro.body.clone()
                };
                self.node_mut(name.text).is_disabled = true;
                self.enter_context(body, Some(name.text), Some(name.place));
                Ok(true)
            }
        }
    }

    fn enter_special(&mut self, name: Token, special: Special) -> Result<bool, Declined> {
        let (kind, text) = match special {
            Special::Line => (Kind::Number, name.place.line.to_string()),
            Special::Counter => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            Special::File => (Kind::Text, format!("\"{}\"", self.current_name())),
            // The condition of an `#if` deals with these.
            Special::AtMost(_) | Special::HasInclude | Special::HasFeature if self.in_condition => {
                return Ok(false);
            }
            Special::AtMost(_) | Special::HasInclude | Special::HasFeature | Special::CompilerOnly => {
                return Err(self.doubtful(name.text));
            }
        };
        let text = self.symbols.intern(text.as_bytes());
        let token = Token { kind, flags: Flags::NONE, origin: Origin::Compiler, text, place: name.place };
        let disables = self.contexts.last().and_then(|context| context.disables);
        self.enter_context([token].into(), disables, Some(name.place));
        Ok(true)
    }

    /// Looks for the arguments of a function-like macro. Without parentheses it is none, and
    /// what was read on the way is put back.
    fn invocation(&mut self, makro: &Macro) -> Result<Option<Invocation>, Declined> {
        self.prevented += 1;
        self.arguments = Arguments::Wanted;
        let mut padding: Option<Token> = None;
        let token = loop {
            let token = self.expanded()?;
            if token.kind != Kind::Padding {
                break token;
            }
            let is_better = padding.is_none_or(|kept| {
                !kept.flags.has(Flags::SOURCED) || (!kept.is_white() && !token.flags.has(Flags::SOURCED))
            });
            if is_better {
                padding = Some(token);
            }
        };
        let invocation = if token.is(Punctuator::OpenParen) {
            self.arguments = Arguments::Collected;
            Some(self.collect(makro)?)
        } else {
            self.unread(token);
            if let Some(padding) = padding {
                self.enter_context([padding].into(), None, None);
            }
            None
        };
        self.arguments = Arguments::No;
        self.prevented -= 1;
        Ok(invocation)
    }

    fn collect(&mut self, makro: &Macro) -> Result<Invocation, Declined> {
        let mut arguments: Vec<Argument> = Vec::new();
        loop {
            let takes_commas = makro.is_variadic && arguments.len() + 1 == makro.parameters;
            let (tokens, is_last) = self.argument(takes_commas)?;
            arguments.push(Argument { tokens, expanded: None });
            if is_last {
                break;
            }
        }
        let is_empty = arguments.len() == 1 && arguments[0].tokens.is_empty();
        if makro.parameters == 0 && is_empty {
            arguments.clear();
        }
        let is_short = arguments.len() < makro.parameters;
        let omits_variadic = makro.is_variadic && arguments.len() + 1 == makro.parameters;
        if arguments.len() > makro.parameters || (is_short && !omits_variadic) {
            return Err(Declined::Error("a macro with another number of arguments"));
        }
        let lacks_variadic = makro.is_variadic && (is_short || (is_empty && makro.parameters == 1));
        arguments.resize_with(makro.parameters, Argument::default);
        Ok(Invocation { arguments, lacks_variadic })
    }

    /// One argument, without its leading and trailing padding, and whether it was the last.
    fn argument(&mut self, takes_commas: bool) -> Result<(Vec<Token>, bool), Declined> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut depth = 0_usize;
        let is_last = loop {
            let token = self.expanded()?;
            match token.kind {
                Kind::Padding if tokens.is_empty() => continue,
                Kind::Punctuator(Punctuator::OpenParen) => depth += 1,
                Kind::Punctuator(Punctuator::CloseParen) if depth == 0 => break true,
                Kind::Punctuator(Punctuator::CloseParen) => depth -= 1,
                Kind::Punctuator(Punctuator::Comma) if depth == 0 && !takes_commas => break false,
                Kind::End => return Err(Declined::Error("a macro whose arguments do not end")),
                _ => {}
            }
            tokens.push(token);
        };
        while tokens.last().is_some_and(|token| token.kind == Kind::Padding) {
            tokens.pop();
        }
        Ok((tokens, is_last))
    }

    /// The replacement list with the arguments in place of the parameters.
    fn substitute(&mut self, makro: &Macro, mut invocation: Invocation) -> Result<Rc<[Token]>, Declined> {
        let mut result: Vec<Token> = Vec::with_capacity(makro.body.len() * 2);
        for (at, &token) in makro.body.iter().enumerate() {
            let Kind::Parameter(index) = token.kind else {
                result.push(token);
                continue;
            };
            let follows_paste = at > 0 && makro.body[at - 1].flags.has(Flags::PASTE);
            if !self.in_directive && at > 0 && !follows_paste {
                result.push(Token::padding_for(token));
            }
            let index = usize::from(index);
            let is_variadic = makro.is_variadic && index + 1 == makro.parameters;
            let argument = &mut invocation.arguments[index];
            if token.flags.has(Flags::STRINGIFY) {
                let string = self.stringify(&argument.tokens, token);
                // The operator `##` applies to the string as to any token.
                result.push(string);
            } else if token.flags.has(Flags::PASTE) || follows_paste {
                if follows_paste && !token.flags.has(Flags::PASTE) {
                    let lacks = is_variadic && invocation.lacks_variadic;
                    settle_paste_before(&mut result, argument.tokens.is_empty(), is_variadic, lacks);
                }
                result.extend_from_slice(&argument.tokens);
                mark_last(&mut result, argument.tokens.len(), token.flags);
            } else {
                if argument.expanded.is_none() {
                    argument.expanded = Some(self.expand_alone(&argument.tokens, token)?);
                }
                result.extend_from_slice(argument.expanded.as_deref().unwrap_or_default());
            }
            if !self.in_directive && !token.flags.has(Flags::PASTE) {
                result.push(Token::separator(token));
            }
        }
        self.spend(result.len())?;
        Ok(result.into())
    }

    /// Expands an argument as if nothing stood behind it.
    fn expand_alone(&mut self, tokens: &[Token], near: Token) -> Result<Vec<Token>, Declined> {
        if tokens.is_empty() {
            return Ok(Vec::new());
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(Declined::TooMuch("macros that nest too deeply"));
        }
        let mut alone = tokens.to_vec();
        alone.push(Token { kind: Kind::End, flags: Flags::NONE, ..near });
        self.enter_context(alone.into(), None, None);
        let mut expanded = Vec::with_capacity(tokens.len());
        loop {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                break;
            }
            expanded.push(token);
        }
        self.leave_context();
        self.nesting -= 1;
        Ok(expanded)
    }

    fn stringify(&mut self, tokens: &[Token], parameter: Token) -> Token {
        let mut text = vec![b'"'];
        let mut spacing = Spacing::default();
        for &token in tokens {
            if token.kind == Kind::Padding {
                spacing.add(token);
                continue;
            }
            if text.len() > 1 && std::mem::take(&mut spacing).is_white_before(token) {
                text.push(b' ');
            }
            spacing = Spacing::default();
            if matches!(token.kind, Kind::Text | Kind::Character | Kind::Prefixed) {
                for &byte in self.symbols.bytes(token.text) {
                    if matches!(byte, b'"' | b'\\') {
                        text.push(b'\\');
                    }
                    text.push(byte);
                }
            } else {
                spell(token, &self.symbols, &mut text);
            }
        }
        text.push(b'"');
        let flags = parameter.flags.only(Flags::PASTE);
        // Nobody wrote this string; it belongs to the file in which it is made.
        let is_system = self.buffers.last().is_some_and(|buffer| buffer.file.is_system);
        let origin = if is_system { Origin::System } else { Origin::User };
        Token { kind: Kind::Text, flags, origin, text: self.symbols.intern(&text), ..parameter }
    }

    /// Pastes the token, which was just read, with those behind it, and makes the result the
    /// next token.
    fn paste(&mut self, first: Token) -> Result<(), Declined> {
        let mut left = first;
        loop {
            let Some(context) = self.contexts.last_mut() else { return Ok(()) };
            let Some(&right) = context.tokens.get(context.next) else {
                return Err(Declined::Error("`##` without two operands"));
            };
            context.next += 1;
            if right.kind == Kind::Padding {
                break;
            }
            left = self.pasted(left, right)?;
            if !right.flags.has(Flags::PASTE) {
                break;
            }
        }
        left.flags = left.flags.without(Flags::PASTE);
        let outer = self.contexts.last();
        let (disables, place) = outer.map_or((None, None), |context| (context.disables, context.place));
        self.enter_context([left].into(), disables, place);
        Ok(())
    }

    fn pasted(&mut self, left: Token, right: Token) -> Result<Token, Declined> {
        self.refuse_unknown_operand(left)?;
        self.refuse_unknown_operand(right)?;
        let mut text = Vec::new();
        spell(left, &self.symbols, &mut text);
        spell(right, &self.symbols, &mut text);
        text.push(b'\n');
        let token = self.lex_alone(text, left.origin)?;
        Ok(Token { flags: left.flags.only(Flags::WHITE), place: left.place, ..token })
    }

    /// A number that is not known must not get lost in a longer name.
    fn refuse_unknown_operand(&mut self, token: Token) -> Result<(), Declined> {
        let is_unknown = token.kind == Kind::Name
            && self.in_condition
            && matches!(self.node(token.text).definition, Definition::Special(_) | Definition::Doubtful);
        if is_unknown { Err(self.doubtful(token.text)) } else { Ok(()) }
    }
}

/// An argument is about to be pasted to what stands before it. If it is empty nothing is
/// pasted. If it is variadic and a comma stands before it, then it is gcc's operator that
/// swallows the comma when the argument is missing, and pastes nothing otherwise.
fn settle_paste_before(result: &mut Vec<Token>, is_empty: bool, is_variadic: bool, lacks_variadic: bool) {
    let Some(before) = result.last_mut() else { return };
    let is_comma_operator = is_variadic && before.is(Punctuator::Comma);
    if is_comma_operator && lacks_variadic {
        result.pop();
    } else if is_comma_operator || is_empty {
        before.flags = before.flags.without(Flags::PASTE);
    }
}

/// Moves the `##` behind a parameter to the last token of its argument.
fn mark_last(result: &mut [Token], length: usize, parameter: Flags) {
    if length == 0 {
        return;
    }
    if let Some(last) = result.last_mut() {
        last.flags = last.flags.without(Flags::PASTE).with(parameter.only(Flags::PASTE));
    }
}
