//! `rely show`: the program as text or as a graph.

use super::{Context, Ended};
use crate::args::{ShowArgs, ShowFormat};
use crate::exit::Status;

/// Prints the program of a file.
pub fn show(arguments: &ShowArgs, context: &Context) -> Ended {
    let budget = context.patience();
    let loaded = match super::load(&arguments.file, &arguments.input, &budget) {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(context.unless_interrupted(context.complain(&failed.into_problem()))),
    };
    let program = match arguments.simplified {
        true => {
            let sections = arguments.sections.into();
            match rely_passes::prepare_with(&loaded.program, arguments.property, sections, &budget) {
                Ok((program, _)) => program,
                Err(stopped) => {
                    return Ok(context.unless_interrupted(context.console.error(&stopped.to_string())));
                }
            }
        }
        false => loaded.program,
    };
    let text = match arguments.format {
        ShowFormat::Text => program.to_string(),
        ShowFormat::Dot => program.display_dot().to_string(),
    };
    context.console.print(&(text.trim_end().to_owned() + "\n"))?;
    Ok(Status::Holds)
}
