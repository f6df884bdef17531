//! The `.rely` modelling language.
//!
//! A model declares shared variables, threads, and what is to be shown of them. Threads are
//! written as structured statements, as labelled transitions, or as both; each statement is
//! one atomic step. The chapter "The modelling language" of the book describes all of it.
//!
//! * [`parse`] makes the syntax tree, comments included.
//! * [`translate`] makes the program.
//! * [`format()`] prints the file in the one style.
//!
//! Errors are [`Diagnostic`]s with places in the source; nothing panics on any input.
//!
//! ```
//! use rely_base::SourceMap;
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add("count.rely", "
//!     var x: int = 0;
//!     thread T { x := x + 1; }
//!     ensures x == 1;
//! ");
//! let program = rely_model_front::translate(&sources, file).unwrap();
//! assert_eq!(program.threads().len(), 1);
//! ```

pub mod ast;
mod flow;
mod formatter;
mod lexer;
mod limits;
mod parser;
mod translate;

use rely_base::{Budget, Diagnostic, FileId, SourceMap, Untranslated, Work};
use rely_program::Program;

/// Parses a model.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::Ast, Vec<Diagnostic>> {
    parser::parse(sources, file)
}

/// Translates a model to a program.
pub fn translate(sources: &SourceMap, file: FileId) -> Result<Program, Vec<Diagnostic>> {
    let ast = parse(sources, file)?;
    translate::translate(sources, file, &ast, &Budget::unlimited())
}

/// [`translate`], unless the budget ends before.
pub fn translate_within(sources: &SourceMap, file: FileId, budget: &Budget) -> Result<Program, Untranslated> {
    budget.check_work(Work::Translating)?;
    let ast = parse(sources, file).map_err(Untranslated::Wrong)?;
    let translated = translate::translate(sources, file, &ast, budget);
    // Who stops early leaves a program, or an error, that is not to be believed.
    budget.check_work(Work::Translating)?;
    translated.map_err(Untranslated::Wrong)
}

/// The text of a model in the one style: what it means is unchanged, and comments stay.
pub fn format(sources: &SourceMap, file: FileId) -> Result<String, Vec<Diagnostic>> {
    let ast = parse(sources, file)?;
    Ok(formatter::print(sources.file(file).text(), &ast))
}
