//! Errors that point into the source.

use crate::{Interrupted, Span};
use std::fmt;

/// What is wrong with an input, where, and what the user can do.
///
/// Front ends make these; only the command renders them, with an excerpt of the source.
///
/// ```
/// use rely_base::{Diagnostic, SourceMap, Span};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.rely", "var x: float;");
/// let error = Diagnostic::error("there is no type `float`")
///     .at(Span { file, start: 7, end: 12 }, "not a type")
///     .help("types are `int` and `bool`");
/// assert_eq!(error.to_string(), "there is no type `float`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// One sentence without a full stop.
    pub message: String,
    /// The place that is wrong, with a few words to stand beside it.
    pub primary: Option<(Span, String)>,
    /// Other places that explain it.
    pub secondary: Vec<(Span, String)>,
    /// What the user can do about it.
    pub help: Option<String>,
    /// Whether the input is not wrong, but uses something that is not supported.
    pub is_unsupported: bool,
    /// Whether the input is not wrong, but a part of a program, of which the rest is missing.
    pub is_part: bool,
}

impl Diagnostic {
    /// An error with no place yet.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
            is_unsupported: false,
            is_part: false,
        }
    }

    /// Something that is not supported, named with its article, with no place yet.
    pub fn unsupported(construct: impl fmt::Display) -> Self {
        Self { is_unsupported: true, ..Self::error(format!("{construct} is not supported")) }
    }

    /// Points at the place that is wrong.
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.primary = Some((span, label.into()));
        self
    }

    /// Points at a place that explains the error.
    pub fn see(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untranslated {
    /// The input is wrong, for at least one reason.
    Wrong(Vec<Diagnostic>),
    /// The budget ended before.
    Stopped(Interrupted),
}

impl From<Interrupted> for Untranslated {
    fn from(interrupted: Interrupted) -> Self {
        Untranslated::Stopped(interrupted)
    }
}

impl From<Diagnostic> for Untranslated {
    fn from(diagnostic: Diagnostic) -> Self {
        Untranslated::Wrong(vec![diagnostic])
    }
}
