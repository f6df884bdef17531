//! C before and behind the preprocessor.
//!
//! Starting a compiler for its preprocessor takes longer than many verifications, so Rely has a
//! preprocessor of its own, [`embedded`]. It gives the text that the compiler would give, or no
//! text at all; then [`system`] runs the compiler, whose word counts: its errors are shown, and
//! what only it knows it decides.

pub mod embedded;
pub mod system;
mod toolchain;

use crate::args::{InputArgs, PreprocessorChoice};
use rely_base::{Budget, Diagnostic};
use std::path::Path;

/// A C program as the user gave it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Where it is; `-` is standard input.
    pub path: &'s Path,
    /// How it is called in messages and line markers.
    pub name: &'s str,
    /// What stands in it.
    pub text: &'s [u8],
    /// Whether it came from standard input.
    pub is_stdin: bool,
}

/// The text behind the preprocessor, with its line markers; an error if the budget ends before.
pub fn run(source: Source<'_>, options: &InputArgs, budget: &Budget) -> Result<Vec<u8>, Diagnostic> {
    match options.preprocessor {
        PreprocessorChoice::System => system::run(source, options, budget),
        PreprocessorChoice::Auto => {
            embedded::run(source, options, budget).or_else(|_| system::run(source, options, budget))
        }
        PreprocessorChoice::Embedded => embedded::run(source, options, budget).map_err(|reason| {
            Diagnostic::error(format!("{}: the embedded preprocessor declines: {reason}", source.name))
                .help("without `--preprocessor embedded` the C compiler is asked in such cases")
        }),
    }
}
