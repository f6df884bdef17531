//! Findings as compilers print errors, for editors and services that look for such lines.
//!
//! ```text
//! FILE:LINE:COLUMN: SEVERITY: MESSAGE [PROPERTY]
//! ```
//!
//! One finding is one line, whatever its message or the name of its file contains. What is
//! violated is an `error`, what is unknown a `warning`, and what holds a `note`, which the usual
//! matchers pass over. Mistakes in the input have the word `input` in place of a property.

use crate::finding::{Accepted, FileReport, Finding, Kind, Problem};
use crate::interleaving::SourceRange;
use rely_base::Diagnostic;

/// A pattern that finds the lines: file, line, column, severity, message and property are its
/// groups. The book shows it in the configuration of a service.
pub const LINE_PATTERN: &str = r"^(.+?):(\d+):(\d+): (error|warning): (.*) \[([a-z]+)\]$";

/// The results for all files, one line each.
pub fn render_lines(files: &[FileReport]) -> String {
    files.iter().map(file).collect()
}

fn file(report: &FileReport) -> String {
    match &report.outcome {
        Ok(findings) => findings.iter().map(|finding| found(&report.file, finding)).collect(),
        Err(problem) => {
            problem.diagnostics.iter().map(|diagnostic| wrong(&report.file, diagnostic, problem)).collect()
        }
    }
}

fn found(file: &str, finding: &Finding) -> String {
    let (severity, message) = match &finding.conclusion.0 {
        Kind::Safe { evidence, .. } => ("note", format!("safe: {evidence}")),
        Kind::Nothing { why, .. } => ("note", format!("nothing to check: {why}")),
        Kind::Unsafe { violation, .. } if finding.accepted.is_some() => {
            let why = finding.accepted.as_ref().map(Accepted::told).unwrap_or_default();
            ("note", format!("{} ({why})", violation.message))
        }
        Kind::Unsafe { violation, .. } => ("error", violation.message.clone()),
        Kind::Unknown { reason, .. } => ("warning", format!("unknown: {reason}")),
    };
    let place = finding.conclusion.violation().and_then(|violation| violation.primary_place());
    line(file, place, severity, &message, finding.property.name())
}

fn wrong(file: &str, diagnostic: &Diagnostic, problem: &Problem) -> String {
    let place = diagnostic.primary.as_ref().map(|(span, _)| SourceRange::of(*span, &problem.sources));
    match problem.is_skipped {
        true => line(file, place.as_ref(), "note", &format!("skipped: {}", diagnostic.message), "input"),
        false => line(file, place.as_ref(), "error", &diagnostic.message, "input"),
    }
}

/// Without a place the beginning of the file stands for all of it.
fn line(file: &str, place: Option<&SourceRange>, severity: &str, message: &str, property: &str) -> String {
    let (file, line, column) =
        place.map_or((file, 1, 1), |place| (place.file.as_str(), place.line, place.column));
    format!("{}:{line}:{column}: {severity}: {} [{property}]\n", one_line(file), one_line(message))
}

/// The text without anything that ends a line or that a terminal would obey.
fn one_line(text: &str) -> String {
    let is_break = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    text.chars().map(|character| if is_break(character) { ' ' } else { character }).collect()
}
