//! `rely show`: the program as text or as a graph.

use super::{Context, Ended};
use crate::args::{ShowArgs, ShowFormat};
use crate::exit::Status;
use rely_program::passes;

/// Prints the program of a file.
pub fn show(arguments: &ShowArgs, context: &Context) -> Ended {
    let loaded = match super::load(&arguments.file, &arguments.input) {
        Ok(loaded) => loaded,
        Err(problem) => return Ok(context.complain(&problem)),
    };
    let program = match arguments.simplified {
        true => passes::prepare_with(&loaded.program, arguments.property, arguments.sections.into()).0,
        false => loaded.program,
    };
    let text = match arguments.format {
        ShowFormat::Text => program.to_string(),
        ShowFormat::Dot => program.display_dot().to_string(),
    };
    context.console.print(&(text.trim_end().to_owned() + "\n"))?;
    Ok(Status::Holds)
}
