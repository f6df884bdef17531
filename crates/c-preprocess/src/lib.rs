//! Translation phases 1 to 4 of C: from a source file to the text that a parser reads.
//!
//! Starting a C compiler just for its preprocessor costs more time than many verifications
//! take. So Rely preprocesses itself, with the headers of the system and the macros that gcc
//! predefines. The crates that exist are parts of compilers with their own headers and output,
//! or call a C compiler; what is needed here is the text that *the user's* compiler makes, down
//! to the line markers, or no answer.
//!
//! Measured on the 26 C programs of `examples/` (`for f in examples/*.c; do rely show --preprocessor WHICH $f; done`,
//! processor time of the whole loop, a busy machine with two cores): 0.22 s with `embedded`, 0.41 s with `system`. So
//! the compiler would cost 7 ms for each program, nearly as much as everything else that `rely show` does.
//!
//! "No answer" is the rule that makes this safe: [`preprocess`] returns either the text, or a
//! reason why it is [`Declined`], and then the compiler's own preprocessor is asked. Everything
//! is declined that only the compiler can know, that is rare, and that is wrong: error messages
//! are the compiler's, too. A test compares both on all programs of the repository.
//!
//! The way through: [`text`](Files) joins lines, `lexer` makes tokens, `engine` finds the
//! directives among them, `directive` obeys those, `condition` decides `#if`, `expand` replaces
//! macros, and `printer` lays out what is left.
//!
//! ```
//! use rely_c_preprocess::{Declined, Files, Limits, Request, Toolchain, preprocess};
//!
//! struct Nothing;
//! impl Files for Nothing {
//!     fn read(&mut self, _: &str) -> Result<Option<Vec<u8>>, Declined> {
//!         Ok(None)
//!     }
//! }
//!
//! let request = Request {
//!     name: "two.c".into(),
//!     text: b"#define TWICE(x) ((x) + (x))\nint two = TWICE(1);\n".to_vec(),
//!     toolchain: Toolchain { major: 12, directories: Vec::new() },
//!     directories: Vec::new(),
//!     definitions: Vec::new(),
//!     limits: Limits::default(),
//! };
//! let text = preprocess(request, &mut Nothing)?;
//! assert!(String::from_utf8_lossy(&text).ends_with("\nint two = ((1) + (1));\n"));
//! # Ok::<(), Declined>(())
//! ```

mod condition;
mod directive;
mod engine;
mod expand;
mod files;
mod lexer;
mod macros;
mod predefined;
mod printer;
mod range;
mod symbols;
mod text;
mod token;

use engine::Engine;
use files::HeaderName;
use printer::Current;
use rely_base::{Budget, StopReason};
use token::Origin;

pub use files::Files;

/// The major versions of gcc whose output was compared. Others should have the same macros, but a
/// wrong one could make a wrong verdict.
pub const KNOWN_GCC: std::ops::RangeInclusive<u32> = 12..=12;

/// Which compiler is imitated: gcc for 64-bit x86 under Linux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The major version, one of [`KNOWN_GCC`].
    pub major: u32,
    /// Where it looks for headers of the system, in this order.
    pub directories: Vec<String>,
}

/// How much work is done before the answer is "no".
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tokens that are read or made.
    pub tokens: usize,
    /// Bytes of the output, of one file, and of all names together.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tokens: 20_000_000, bytes: 64 << 20 }
    }
}

/// A program to preprocess.
#[derive(Clone, Debug)]
pub struct Request {
    /// The name of the file, as line markers and `__FILE__` give it.
    pub name: String,
    /// What stands in it.
    pub text: Vec<u8>,
    /// Which compiler is imitated.
    pub toolchain: Toolchain,
    /// Where headers are looked for first, as with `-I`.
    pub directories: Vec<String>,
    /// Macros that are defined, `NAME` or `NAME=VALUE`, as with `-D`.
    pub definitions: Vec<String>,
    /// How much work may be done.
    pub limits: Limits,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    /// Only the compiler knows what this name means.
    #[error("only the compiler knows `{0}`")]
    Compiler(String),
    /// A part of the language that is left to the compiler.
    #[error("{0} is left to the compiler")]
    Feature(&'static str),
    /// A directive that is left to the compiler.
    #[error("`#{0}` is left to the compiler")]
    Directive(String),
    /// The compiler complains about this.
    #[error("the compiler complains about {0}")]
    Error(&'static str),
    /// Something that starts and does not end.
    #[error("a {0} does not end")]
    Unterminated(&'static str),
    /// Characters that need the compiler's judgement.
    #[error("{0} is left to the compiler")]
    Character(String),
    /// A header that is not there.
    #[error("there is no header `{0}`")]
    Missing(String),
    /// A limit was reached.
    #[error("too much work: {0}")]
    TooMuch(&'static str),
    /// The budget ended.
    #[error("{0}")]
    Stopped(StopReason),
}

/// The text behind the preprocessor, with line markers as gcc writes them.
pub fn preprocess(request: Request, files: &mut dyn Files) -> Result<Vec<u8>, Declined> {
    preprocess_within(request, files, &Budget::unlimited())
}

/// [`preprocess`], unless the budget ends before.
pub fn preprocess_within(
    request: Request,
    files: &mut dyn Files,
    budget: &Budget,
) -> Result<Vec<u8>, Declined> {
    if !KNOWN_GCC.contains(&request.toolchain.major) {
        return Err(Declined::Compiler(format!("gcc {}", request.toolchain.major)));
    }
    if request.text.len() > request.limits.bytes {
        return Err(Declined::TooMuch("too long a file"));
    }
    let mut engine = Engine::new(&request, files, budget);
    engine.read_text(&predefined::definitions(request.toolchain.major), Origin::Compiler)?;
    for name in [request.name.as_str(), "<built-in>", "<command-line>"] {
        engine.printer.marker(0, Current { name, is_system: false }, "");
    }
    engine.read_text(&command_line(&request.definitions)?, Origin::User)?;
    engine.read_implicit_header()?;
    engine.printer.marker(1, Current { name: &request.name, is_system: false }, "");
    engine.enter_main(&request.name, request.text)?;
    engine.print_all()?;
    Ok(engine.printer.finish())
}

/// `-D` as the directives that it means.
fn command_line(definitions: &[String]) -> Result<String, Declined> {
    let mut text = String::new();
    for definition in definitions {
        if definition.contains(['\n', '\\']) {
            return Err(Declined::Character("an odd definition".into()));
        }
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        text.push_str(&format!("#define {name} {value}\n"));
    }
    Ok(text)
}

impl Engine<'_> {
    /// Obeys directives in front of the program.
    fn read_text(&mut self, text: &str, origin: Origin) -> Result<(), Declined> {
        self.enter_text(text, origin)?;
        self.print_all()?;
        self.buffers.clear();
        Ok(())
    }

    /// Compilers include this header of the C library by themselves, if it is there.
    fn read_implicit_header(&mut self) -> Result<(), Declined> {
        self.enter_text("", Origin::User)?;
        let header = HeaderName { name: "stdc-predef.h".into(), is_angled: true };
        if self.find(&header, false)?.is_some() {
            self.include(&header, false, 0)?;
            self.print_all()?;
        }
        self.buffers.clear();
        Ok(())
    }
}
