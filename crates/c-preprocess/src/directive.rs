//! Directives.
//!
//! Those that change what follows are obeyed; `#pragma` is left to the compiler; everything
//! else, and everything that a compiler would complain about, is declined.

use crate::Declined;
use crate::engine::{Conditional, Engine, Guard};
use crate::files::HeaderName;
use crate::macros::{self, Definition, Macro, Parameters};
use crate::printer::{Current, spell};
use crate::symbols::Symbol;
use crate::token::{Kind, Punctuator, Token};
use std::rc::Rc;

/// More parameters than any compiler promises to take.
const MAX_PARAMETERS: usize = 1_000;

impl Engine<'_> {
    /// Obeys the directive behind `hash`.
    pub(crate) fn directive(&mut self, hash: Token) -> Result<(), Declined> {
        self.in_directive = true;
        let name = self.raw()?;
        let line = hash.place.line;
        let included = match name.kind {
            // A `#` alone does nothing.
            Kind::End => None,
            Kind::Name => self.named_directive(name.text, line)?,
            _ => return Err(Declined::Feature("a directive without a name")),
        };
        self.finish_line()?;
        if let Some((header, is_next)) = included {
            self.include(&header, is_next, line)?;
        }
        Ok(())
    }

    /// Reads to the end of the directive, and behind it.
    fn finish_line(&mut self) -> Result<(), Declined> {
        while self.raw()?.kind != Kind::End {}
        self.in_directive = false;
        if let Some(buffer) = self.buffers.last_mut() {
            buffer.lexer.finish_directive();
        }
        Ok(())
    }

    /// Returns the header that is to be read next, if it is an `#include`.
    fn named_directive(&mut self, name: Symbol, line: u32) -> Result<Option<(HeaderName, bool)>, Declined> {
        let text = self.symbols.bytes(name).to_owned();
        let is_conditional = matches!(&*text, b"if" | b"ifdef" | b"ifndef" | b"elif" | b"else" | b"endif");
        if !is_conditional {
            self.forget_guard();
        }
        match &*text {
            b"define" => self.define()?,
            b"undef" => self.undefine()?,
            b"if" | b"ifdef" | b"ifndef" => self.start_conditional(&text)?,
            b"elif" | b"else" => self.next_group(&text)?,
            b"endif" => self.end_conditional()?,
            b"include" => return Ok(Some((self.header_name()?, false))),
            b"include_next" => return Ok(Some((self.header_name()?, true))),
            b"pragma" => self.pragma(line)?,
            _ => return Err(Declined::Directive(self.symbols.name(name))),
        }
        Ok(None)
    }

    fn forget_guard(&mut self) {
        if let Some(buffer) = self.buffers.last_mut()
            && !matches!(buffer.guard, Guard::Inside(_))
        {
            buffer.guard = Guard::No;
        }
    }

    /// The name that a directive wants.
    fn name_operand(&mut self) -> Result<Token, Declined> {
        let token = self.raw()?;
        let is_reserved =
            matches!(self.symbols.bytes(token.text), b"defined" | b"__VA_ARGS__" | b"__VA_OPT__");
        if token.kind == Kind::Name && !is_reserved {
            Ok(token)
        } else {
            Err(Declined::Error("a directive without a name"))
        }
    }

    fn define(&mut self) -> Result<(), Declined> {
        let name = self.name_operand()?;
        if matches!(self.node(name.text).definition, Definition::Special(_)) {
            return Err(self.doubtful(name.text));
        }
        let mut tokens = Vec::new();
        let mut token = self.raw()?;
        let mut parameters = None;
        if token.is(Punctuator::OpenParen) && !token.is_white() {
            parameters = Some(self.parameters()?);
            token = self.raw()?;
        } else if token.kind != Kind::End && !token.is_white() {
            return Err(Declined::Error("no white space behind the name of a macro"));
        }
        let is_variadic = parameters.as_ref().is_some_and(|parameters| parameters.is_variadic);
        while token.kind != Kind::End {
            if token.kind == Kind::Name {
                match self.symbols.bytes(token.text) {
                    b"__VA_OPT__" => return Err(Declined::Feature("`__VA_OPT__`")),
                    b"__VA_ARGS__" if !is_variadic => return Err(Declined::Error("`__VA_ARGS__`")),
                    _ => {}
                }
            }
            tokens.push(token);
            token = self.raw()?;
        }
        let body = macros::body(&tokens, parameters.as_ref())?;
        let makro = Macro {
            is_function: parameters.is_some(),
            parameters: parameters.map_or(0, |parameters| parameters.names.len()),
            is_variadic,
            body,
        };
        self.node_mut(name.text).definition = Definition::Macro(Rc::new(makro));
        Ok(())
    }

    /// What stands between the parentheses behind the name of a macro.
    fn parameters(&mut self) -> Result<Parameters, Declined> {
        const MALFORMED: Declined = Declined::Error("parameters that are no names");
        let mut parameters = Parameters::default();
        let mut token = self.raw()?;
        if token.is(Punctuator::CloseParen) {
            return Ok(parameters);
        }
        loop {
            let is_ellipsis = token.is(Punctuator::Ellipsis);
            let name = match token.kind {
                Kind::Name if !matches!(self.symbols.bytes(token.text), b"__VA_ARGS__" | b"__VA_OPT__") => {
                    token.text
                }
                _ if is_ellipsis => self.symbols.intern(b"__VA_ARGS__"),
                _ => return Err(MALFORMED),
            };
            if parameters.names.contains(&name) || parameters.names.len() >= MAX_PARAMETERS {
                return Err(MALFORMED);
            }
            parameters.names.push(name);
            token = self.raw()?;
            parameters.is_variadic = is_ellipsis;
            if !is_ellipsis && token.is(Punctuator::Ellipsis) {
                // A variadic parameter with a name.
                parameters.is_variadic = true;
                token = self.raw()?;
            }
            if token.is(Punctuator::CloseParen) {
                return Ok(parameters);
            }
            if !token.is(Punctuator::Comma) || parameters.is_variadic {
                return Err(MALFORMED);
            }
            token = self.raw()?;
        }
    }

    fn undefine(&mut self) -> Result<(), Declined> {
        let name = self.name_operand()?;
        if matches!(self.node(name.text).definition, Definition::Special(_)) {
            return Err(self.doubtful(name.text));
        }
        self.node_mut(name.text).definition = Definition::None;
        Ok(())
    }

    /// Whether a name is defined, if that is known.
    pub(crate) fn is_defined(&mut self, name: Symbol) -> Result<bool, Declined> {
        match self.node(name).definition {
            Definition::None => Ok(false),
            Definition::Macro(_) | Definition::Special(_) => Ok(true),
            Definition::Doubtful => Err(self.doubtful(name)),
        }
    }

    fn start_conditional(&mut self, directive: &[u8]) -> Result<(), Declined> {
        let mut guard = None;
        let holds = match directive {
            b"if" => {
                let (holds, absent) = self.condition()?;
                guard = absent;
                holds
            }
            _ => {
                let name = self.name_operand()?.text;
                let is_negative = directive == b"ifndef";
                guard = guard.or(is_negative.then_some(name));
                self.is_defined(name)? != is_negative
            }
        };
        if let Some(buffer) = self.buffers.last_mut() {
            match (buffer.guard, guard) {
                (Guard::Start, Some(name)) => buffer.guard = Guard::Inside(name),
                (Guard::Inside(_), _) => {}
                _ => buffer.guard = Guard::No,
            }
            buffer.conditionals.push(Conditional { is_decided: holds, has_else: false });
        }
        if holds { Ok(()) } else { self.skip_group() }
    }

    /// An `#else` or `#elif` behind a group that was chosen: nothing more is.
    fn next_group(&mut self, directive: &[u8]) -> Result<(), Declined> {
        let conditional = self.conditional()?;
        if std::mem::replace(&mut conditional.has_else, directive == b"else") {
            return Err(Declined::Error("`#else` behind `#else`"));
        }
        self.forget_outer_guard();
        self.skip_group()
    }

    /// An alternative means that the outermost conditional does not wrap the file.
    fn forget_outer_guard(&mut self) {
        if let Some(buffer) = self.buffers.last_mut()
            && buffer.conditionals.len() == 1
        {
            buffer.guard = Guard::No;
        }
    }

    fn conditional(&mut self) -> Result<&mut Conditional, Declined> {
        let buffer = self.buffers.last_mut();
        buffer.and_then(|buffer| buffer.conditionals.last_mut()).ok_or(Declined::Error("no `#if` to end"))
    }

    fn end_conditional(&mut self) -> Result<(), Declined> {
        self.conditional()?;
        if let Some(buffer) = self.buffers.last_mut() {
            buffer.conditionals.pop();
            if buffer.conditionals.is_empty() {
                buffer.guard = match buffer.guard {
                    Guard::Inside(name) => Guard::After(name),
                    _ => Guard::No,
                };
            }
        }
        Ok(())
    }

    /// Skips text until the innermost conditional ends or has a group that is chosen. Stops
    /// inside of that directive.
    fn skip_group(&mut self) -> Result<(), Declined> {
        let mut depth = 0_usize;
        loop {
            self.finish_line_of_skipped()?;
            let name = self.skipped_directive()?;
            match &*name {
                b"if" | b"ifdef" | b"ifndef" => depth += 1,
                b"endif" if depth > 0 => depth -= 1,
                b"endif" => return self.end_conditional(),
                b"elifdef" | b"elifndef" if depth == 0 => {
                    return Err(Declined::Directive(String::from_utf8_lossy(&name).into_owned()));
                }
                b"else" | b"elif" if depth == 0 => {
                    self.forget_outer_guard();
                    let is_else = &*name == b"else";
                    let conditional = self.conditional()?;
                    if std::mem::replace(&mut conditional.has_else, is_else) {
                        return Err(Declined::Error("`#else` behind `#else`"));
                    }
                    if !conditional.is_decided && (is_else || self.condition()?.0) {
                        self.conditional()?.is_decided = true;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves behind a directive in skipped text, whatever else stands in its line.
    fn finish_line_of_skipped(&mut self) -> Result<(), Declined> {
        if let Some(buffer) = self.buffers.last_mut() {
            buffer.lexer.skip_line()?;
        }
        Ok(())
    }

    /// The name of the next directive in skipped text; empty if it has none.
    fn skipped_directive(&mut self) -> Result<Vec<u8>, Declined> {
        self.spend(1)?;
        let Some(buffer) = self.buffers.last_mut() else { return Ok(Vec::new()) };
        if !buffer.lexer.skip_to_directive()? {
            return Err(Declined::Error("a conditional that does not end"));
        }
        Ok(buffer.lexer.skipped_name()?.to_owned())
    }

    /// The name behind `#include`.
    pub(crate) fn header_name(&mut self) -> Result<HeaderName, Declined> {
        if let Some(name) = self.buffers.last_mut().and_then(|buffer| buffer.lexer.angled_name()) {
            return Ok(HeaderName { name, is_angled: true });
        }
        let token = self.raw()?;
        let spelling = self.symbols.bytes(token.text);
        match token.kind {
            Kind::Text if !spelling.contains(&b'\\') => {
                let name = String::from_utf8_lossy(&spelling[1..spelling.len() - 1]).into_owned();
                Ok(HeaderName { name, is_angled: false })
            }
            _ => Err(Declined::Feature("an `#include` of a macro")),
        }
    }

    fn pragma(&mut self, line: u32) -> Result<(), Declined> {
        let mut text = b"#pragma ".to_vec();
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut first = None;
        loop {
            let token = self.raw()?;
            if token.kind == Kind::End {
                break;
            }
            first.get_or_insert(token);
            if !words.is_empty() && token.is_white() {
                text.push(b' ');
            }
            let start = text.len();
            spell(token, &self.symbols, &mut text);
            words.push(text[start..].to_vec());
        }
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        match (&*words, first) {
            ([b"once"], Some(token)) => return self.pragma_once(token),
            ([b"GCC", b"diagnostic" | b"visibility" | b"optimize" | b"ivdep" | b"unroll", ..], _)
            | ([b"pack" | b"weak" | b"clang", ..], _) => {}
            _ => return Err(Declined::Feature("an unusual `#pragma`")),
        }
        if let Some(buffer) = self.buffers.last() {
            let current = Current { name: &buffer.file.name, is_system: buffer.file.is_system };
            self.printer.directive(&text, line, current);
        }
        Ok(())
    }

    fn pragma_once(&mut self, word: Token) -> Result<(), Declined> {
        let Some(file) = self.buffers.last().map(|buffer| buffer.file.clone()) else { return Ok(()) };
        if self.buffers.len() == 1 || self.has_twin(&file) {
            return Err(Declined::Feature("an unusual `#pragma`"));
        }
        self.search.once.insert(file.name.clone());
        // It is not printed, but leaves the room that it took.
        self.go_to(word);
        Ok(())
    }
}
