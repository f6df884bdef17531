//! Properties that stand in comments of a C program: `//@rely never #(worker at inside) >= 2;`.
//!
//! The words are those of the modelling language, with the names, members and elements of C. An annotation holds for the
//! whole program, wherever it stands. Comments that begin with `@` alone belong to others: in ACSL, `/*@ ensures ... */`
//! is the contract of a function and `//@ invariant ...` speaks of one place. Therefore ours say whose they are, and a
//! comment without `rely` is never looked at. One with that word is never ignored: if it cannot be understood, or
//! if it stands where the preprocessor may leave it out, there is no program.

mod comments;
mod parser;
mod tokens;

use comments::{Comment, annotations_in};
use parser::Parser;
use rely_base::{Diagnostic, FileId, Span};
use rely_program::BinaryOp;

/// What is claimed of the whole program.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) kind: Kind,
    pub(crate) condition: Term,
    /// The clause.
    pub(crate) span: Span,
    /// The file of the program in which it stands, by its number.
    pub(crate) unit: usize,
}

/// When the condition of an annotation must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In no state.
    Never,
    /// In every state.
    Invariant,
    /// When the program ends.
    Ensures,
}

/// An expression of an annotation.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) shape: Shape,
    pub(crate) span: Span,
    /// How deeply it nests.
    height: u16,
    in_brackets: bool,
}

/// What an expression is made of.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Int(i128),
    Bool(bool),
    /// A variable, or a part of one.
    Place(Word, Vec<Part>),
    /// `thread at label`
    At(Word, Vec<Label>),
    /// `#(thread at label && condition)`
    Count(Word, Option<Vec<Label>>, Option<Box<Term>>),
    Not(Box<Term>),
    Minus(Box<Term>),
    Binary(Operator, Box<[Term; 2]>),
    /// `condition ? yes : no`
    Conditional(Box<[Term; 3]>),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plain(BinaryOp),
    /// `<==>`
    Equivalent,
}

/// A name.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A label, perhaps with the function in which it stands.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) function: Option<Word>,
    pub(crate) name: Word,
}

/// A step from a variable to a part of it.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Member(Word),
    Element(Term),
}

/// The annotations of a file.
pub(crate) fn annotations(file: FileId, text: &str, unit: usize) -> Result<Vec<Annotation>, Diagnostic> {
    let mut annotations = Vec::new();
    for comment in annotations_in(text) {
        if let Some(conditional) = comment.conditional {
            return Err(Diagnostic::error("an annotation inside of `#if`")
                .at(span(file, comment.whole), "it is not known here whether this counts")
                .see(span(file, conditional), "this decides")
                .help("annotations stand outside of `#if`: they hold for the whole program anyway"));
        }
        Parser::new(file, text, comment.text, unit).clauses(&mut annotations)?;
    }
    Ok(annotations)
}

/// The error that a file which others include has annotations.
pub(crate) fn refuse_annotations(file: FileId, text: &str) -> Result<(), Diagnostic> {
    match annotations_in(text).into_iter().next() {
        Some(Comment { whole, .. }) => Err(Diagnostic::error("an annotation in a file that is included")
            .at(span(file, whole), "this would not count")
            .help("annotations stand in the files that Rely is given")),
        None => Ok(()),
    }
}

fn span(file: FileId, range: std::ops::Range<usize>) -> Span {
    Span { file, start: range.start as u32, end: range.end as u32 }
}

/// Whether a byte can be part of a name.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
