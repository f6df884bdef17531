//! The formats in which results are printed once all of them are known.

use crate::args::{CheckArgs, CheckFormat};
use crate::exit::Status;
use crate::version;
use rely_report::{FileReport, render_json, render_junit, render_lines, render_sarif, to_stored};

/// All results in a format for other tools; `None` for the text for people, which is printed
/// result by result.
pub(super) fn render(reports: &[FileReport], arguments: &CheckArgs, status: Status) -> Option<String> {
    if arguments.worker {
        // Somebody else prints it, in whichever format.
        return to_stored(reports.first()?);
    }
    render_as(reports, arguments.format, status)
}

/// All results in a format for other tools; `None` for text.
pub(super) fn render_as(reports: &[FileReport], format: CheckFormat, status: Status) -> Option<String> {
    let code = status.code();
    Some(match format {
        CheckFormat::Text => return None,
        CheckFormat::Json => render_json(reports, version::TEXT, code),
        CheckFormat::Sarif => {
            let executed = matches!(status, Status::Holds | Status::Unknown | Status::Violated);
            render_sarif(reports, version::TEXT, code, executed)
        }
        CheckFormat::Junit => render_junit(reports),
        CheckFormat::Lines => render_lines(reports),
    })
}
