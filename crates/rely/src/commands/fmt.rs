//! `rely fmt`: models in the standard layout.

use super::{Context, Ended};
use crate::args::FmtArgs;
use crate::exit::Status;
use crate::input;
use crate::writing::write_whole;
use rely_base::SourceMap;
use rely_report::Problem;
use std::path::Path;

/// Formats all files, or says which are not formatted.
pub fn fmt(arguments: &FmtArgs, context: &Context) -> Ended {
    let mut status = Status::Holds;
    for path in &arguments.files {
        status = status.max(match formatted(path) {
            Err(problem) => context.complain(&problem),
            Ok(formatted) => apply(path, &formatted, arguments, context)?,
        });
    }
    Ok(status)
}

struct Formatted {
    before: String,
    after: String,
}

fn formatted(path: &Path) -> Result<Formatted, Problem> {
    let (name, before) = input::read_model(path).map_err(Problem::without_source)?;
    let mut sources = SourceMap::new();
    let file = sources.add(name, before.as_str());
    match rely_model_front::format(&sources, file) {
        Ok(after) => Ok(Formatted { before, after }),
        Err(diagnostics) => Err(Problem::new(diagnostics, sources)),
    }
}

fn apply(path: &Path, formatted: &Formatted, arguments: &FmtArgs, context: &Context) -> Ended {
    let is_stdin = path == Path::new("-");
    if arguments.check {
        if formatted.before == formatted.after {
            return Ok(Status::Holds);
        }
        context.console.print(&format!("{}: is not formatted\n", path.display()))?;
        return Ok(Status::Violated);
    }
    if is_stdin {
        context.console.print(&formatted.after)?;
    } else if formatted.before != formatted.after
        && let Err(error) = write_whole(path, &formatted.after)
    {
        return Ok(context.console.error(&format!("{}: cannot be written: {error}", path.display())));
    }
    Ok(Status::Holds)
}
