//! Exit codes, and which one wins.

use rely_report::{FileReport, Problem};
use std::process::ExitCode;

/// How a command ended. The order is that of severity: of several, the greatest is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Every property holds, if it is about something; the command did what it was asked to.
    Holds,
    /// Some property is neither shown nor refuted.
    Unknown,
    /// Some property is violated.
    Violated,
    /// The input uses something that is not supported.
    Unsupported,
    /// The input or the command line is wrong.
    BadInput,
    /// A bug of Rely.
    Failure,
    /// The user stopped it.
    Interrupted,
}

impl Status {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Status::Holds => 0,
            Status::Violated => 1,
            Status::Unknown => 2,
            Status::BadInput => 3,
            Status::Failure => 4,
            Status::Unsupported => 5,
            Status::Interrupted => crate::interrupt::EXIT_CODE,
        }
    }

    /// Whether an input is wrong, or only beyond what is supported.
    pub fn of_problem(problem: &Problem) -> Self {
        match problem.diagnostics.iter().all(|found| found.is_unsupported) {
            true => Status::Unsupported,
            false => Status::BadInput,
        }
    }

    /// The worst result of all files. If each of them is only a part of a program, nothing was checked.
    pub fn of_all(reports: &[FileReport]) -> Self {
        let is_skipped =
            |report: &FileReport| report.outcome.as_ref().is_err_and(|problem| problem.is_skipped);
        match reports.iter().map(Status::of).max() {
            None => Status::Unknown,
            Some(_) if reports.iter().all(is_skipped) => Status::BadInput,
            Some(worst) => worst,
        }
    }

    /// The worst result for a file.
    pub fn of(report: &FileReport) -> Self {
        match &report.outcome {
            Err(problem) if problem.is_skipped => Status::Holds,
            Err(problem) => Status::of_problem(problem),
            Ok(findings) => {
                let worst = findings.iter().map(|finding| match finding.conclusion.name() {
                    // Somebody knows it, and has said so.
                    _ if finding.accepted.is_some() => Status::Holds,
                    "safe" | "nothing to check" => Status::Holds,
                    "unsafe" => Status::Violated,
                    _ => Status::Unknown,
                });
                worst.max().unwrap_or(Status::Unknown)
            }
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}
