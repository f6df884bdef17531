//! From preprocessed text to a syntax tree, and from positions in it back to the file that a
//! person wrote.
//!
//! The parser does the grammar; this module does what it leaves out: [`prepare`] rewrites the
//! few spellings that it does not know and refuses what would exhaust it, and [`LineMap`]
//! follows the preprocessor's line markers. Several files become one text, in which [`conflicting_names`] are kept
//! apart.

mod align;
mod calls;
mod compared;
mod harness;
mod implicit_int;
mod lexer;
mod lines;
mod link;
mod nesting;
mod pack;
mod parse;
mod prepare;
mod prototypes;
mod tags;

pub(crate) use harness::{ARGUMENT, MADE, add_harness, rename_main};
pub(crate) use lines::{LineMap, UnitLines, Written, included_files};
pub(crate) use link::conflicting_names;
pub(crate) use parse::parse;
pub(crate) use prepare::{CONDITION, Prepared, prepare};
