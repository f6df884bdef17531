//! Verdicts, traces and errors as text and HTML for people and as JSON for other tools.
//!
//! Everything here is a pure function from data to a string: nothing reads a file, asks the
//! terminal or prints. The `rely` command does that.

mod advice;
mod cubes;
mod diagnostic;
mod finding;
mod html;
mod interleaving;
mod json;
mod layout;
mod outline;
mod phrase;
mod proof;
mod reproducer;
mod style;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use diagnostic::render_diagnostic;
pub use finding::{Conclusion, FileReport, Finding, Problem, ViolationReport, Waiting};
pub use html::{HtmlReport, Subject, escape_html};
pub use interleaving::{InitialValue, Interleaving, Place, Read, Step, StepTaken, Write, thread_name};
pub use json::{JSON_VERSION, render_json};
pub use layout::group_digits;
pub use proof::render_proof;
pub use reproducer::{CSource, NotReproducible, ReproducerFile, reproducer};
pub use style::{Role, Style};
pub use table::{render_detailed_table, render_table};
pub use text::{Detail, render_file, render_finding, render_problem, render_run, violation_text};
