//! The state of a run, and the tokens of the text before macro expansion.

use crate::expand::{Arguments, Context};
use crate::files::{File, Files, Search};
use crate::lexer::{Lexer, Mode};
use crate::macros::Definition;
use crate::predefined;
use crate::printer::{Current, Printer};
use crate::symbols::{Symbol, Symbols};
use crate::text::Text;
use crate::token::{Flags, Kind, Origin, Position, Punctuator, Token};
use crate::{Declined, Limits, Request};
use rely_base::{Budget, Id};
use std::rc::Rc;

/// What is known about a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) definition: Definition,
    /// Whether its expansion is being read.
    pub(crate) is_disabled: bool,
}

/// An `#if` that has not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditional {
    /// Whether one of its groups has been chosen.
    pub(crate) is_decided: bool,
    pub(crate) has_else: bool,
}

/// Whether a file is wrapped into `#ifndef NAME`, so that it need not be read again while the
/// name is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing has been read but white space.
    Start,
    /// Inside of the first conditional, and nothing stood before it.
    Inside(Symbol),
    /// Behind it.
    After(Symbol),
    No,
}

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) lexer: Lexer,
    pub(crate) file: Rc<File>,
    pub(crate) conditionals: Vec<Conditional>,
    pub(crate) guard: Guard,
}

/// A run of the preprocessor.
pub(crate) struct Engine<'a> {
    pub(crate) files: &'a mut dyn Files,
    pub(crate) search: Search,
    pub(crate) symbols: Symbols,
    nodes: Vec<Node>,
    /// The files that are being read; each was included by the one before.
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) contexts: Vec<Context>,
    /// A token of the text that was read too early.
    pub(crate) lookahead: Option<Token>,
    pub(crate) printer: Printer,
    pub(crate) arguments: Arguments,
    /// While positive, names are not expanded.
    pub(crate) prevented: usize,
    pub(crate) in_directive: bool,
    pub(crate) in_condition: bool,
    /// How deeply arguments are being expanded inside of arguments.
    pub(crate) nesting: usize,
    /// The next value of `__COUNTER__`.
    pub(crate) counter: u32,
    pub(crate) limits: Limits,
    pub(crate) budget: &'a Budget,
    /// A token without properties.
    pub(crate) blank: Token,
    /// The compiler's major version.
    pub(crate) gcc: u32,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(request: &Request, files: &'a mut dyn Files, budget: &'a Budget) -> Self {
        let blank = Token {
            kind: Kind::Padding,
            flags: Flags::NONE,
            origin: Origin::Compiler,
            text: Symbols::empty(),
            place: Position::default(),
        };
        Self {
            files,
            search: Search::new(request),
            symbols: Symbols::new(),
            nodes: Vec::with_capacity(1 << 12),
            buffers: Vec::new(),
            contexts: Vec::new(),
            lookahead: None,
            printer: Printer::new(),
            arguments: Arguments::No,
            prevented: 0,
            in_directive: false,
            in_condition: false,
            nesting: 0,
            counter: 0,
            limits: request.limits,
            budget,
            blank,
            gcc: request.toolchain.major,
        }
    }

    /// Counts work, which is bounded: macros can double their text with every line.
    pub(crate) fn spend(&mut self, tokens: usize) -> Result<(), Declined> {
        self.budget.check().map_err(Declined::Stopped)?;
        match self.limits.tokens.checked_sub(tokens) {
            Some(left) => self.limits.tokens = left,
            None => return Err(Declined::TooMuch("too many tokens")),
        }
        if self.symbols.size() > self.limits.bytes || self.printer.output.len() > self.limits.bytes {
            return Err(Declined::TooMuch("too long a text"));
        }
        Ok(())
    }

    pub(crate) fn node(&mut self, symbol: Symbol) -> &Node {
        self.node_mut(symbol)
    }

    pub(crate) fn node_mut(&mut self, symbol: Symbol) -> &mut Node {
        while self.nodes.len() < self.symbols.len() {
            let name = self.symbols.bytes(Symbol::from_index(self.nodes.len()));
            let definition = predefined::unless_defined(name, self.gcc);
            self.nodes.push(Node { definition, is_disabled: false });
        }
        &mut self.nodes[symbol.index()]
    }

    pub(crate) fn doubtful(&self, symbol: Symbol) -> Declined {
        Declined::Compiler(self.symbols.name(symbol))
    }

    /// The name of the file that is being read.
    pub(crate) fn current_name(&self) -> &str {
        self.buffers.last().map_or("", |buffer| &buffer.file.name)
    }

    fn mode(&self) -> Mode {
        Mode { in_directive: self.in_directive, in_arguments: self.arguments == Arguments::Collected }
    }

    /// The next token of the file itself: nothing is a directive or a macro.
    pub(crate) fn raw(&mut self) -> Result<Token, Declined> {
        let mode = self.mode();
        match self.buffers.last_mut() {
            Some(buffer) => buffer.lexer.next(mode, &mut self.symbols),
            None => Ok(Token { kind: Kind::End, ..self.blank }),
        }
    }

    /// The next token of the text. Directives are obeyed on the way.
    pub(crate) fn lexed(&mut self) -> Result<Token, Declined> {
        loop {
            let token = match self.lookahead.take() {
                Some(token) => token,
                None => self.raw()?,
            };
            if self.in_directive {
                return Ok(token);
            }
            if token.kind == Kind::End {
                if self.leave_file()? {
                    continue;
                }
                return Ok(token);
            }
            if token.flags.has(Flags::LINE_START) {
                if token.is(Punctuator::Hash) && self.arguments != Arguments::Wanted {
                    if self.arguments == Arguments::Collected {
                        return Err(Declined::Feature("a directive between the arguments of a macro"));
                    }
                    self.directive(token)?;
                    continue;
                }
                if self.arguments == Arguments::No {
                    self.go_to(token);
                }
            }
            if let Some(buffer) = self.buffers.last_mut()
                && !matches!(buffer.guard, Guard::Inside(_))
            {
                buffer.guard = Guard::No;
            }
            return Ok(token);
        }
    }

    /// Brings the output to the place of a token.
    pub(crate) fn go_to(&mut self, token: Token) {
        if let Some(buffer) = self.buffers.last() {
            let is_system = token.origin == Origin::System;
            self.printer.go_to(token.place, Current { name: &buffer.file.name, is_system });
        }
    }

    /// Prints everything that is left.
    pub(crate) fn print_all(&mut self) -> Result<(), Declined> {
        loop {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                return Ok(());
            }
            if let Some(buffer) = self.buffers.last() {
                let file = &buffer.file;
                self.printer.token(token, &file.name, file.is_system, &self.symbols);
            }
        }
    }

    /// The one token that a text consists of.
    pub(crate) fn lex_alone(&mut self, text: Vec<u8>, origin: Origin) -> Result<Token, Declined> {
        let mut lexer = Lexer::new(Rc::new(Text { bytes: text, joints: Vec::new() }), origin);
        let mode = Mode { in_directive: true, in_arguments: false };
        let token = lexer.next(mode, &mut self.symbols)?;
        let rest = lexer.next(mode, &mut self.symbols)?;
        if token.kind == Kind::End || rest.kind != Kind::End || rest.is_white() {
            return Err(Declined::Error("`##` makes no token"));
        }
        Ok(token)
    }
}
