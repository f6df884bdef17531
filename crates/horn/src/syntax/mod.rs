//! SMT-LIB with `(set-logic HORN)`, the format of CHC-COMP.
//!
//! Read: `declare-fun` (and `declare-rel`) of predicates over `Int` and `Bool`, `define-fun` macros, and
//! assertions that are Horn clauses after their normal form: universal quantifiers in front or where they
//! mean the same (`exists` in a body), `let`, nested connectives, a disjunction in a body, `(not (exists
//! ...))` goals. In constraints: `+ - * div mod abs`, comparisons, `distinct`, `ite`; division by
//! constants only.
//!
//! Refused, with the place and a reason: other sorts (arrays, bit vectors, reals), functions that are no
//! predicates, what is not Horn, and texts nested deeper than anybody writes. Nothing here recurses, so
//! no text exhausts the stack.

mod clausify;
mod parse;
mod print;

pub use parse::{parse, parse_model};
pub use print::{derivation_text, model_text, system_text};

use rely_logic::smtlib::ParseError;

/// Why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct SyntaxError {
    /// The byte at which the offending part starts.
    pub position: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// What is wrong with it.
    pub message: String,
}

impl SyntaxError {
    /// Finds the line of an error.
    fn in_text(error: ParseError, text: &str) -> Self {
        let ParseError { position, message } = error;
        let before = text.get(..position).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Self { position, line, column, message }
    }
}
