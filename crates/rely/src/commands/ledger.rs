//! What `rely check` has found out so far, for the case that it has to be given up.
//!
//! Usually results are printed as soon as they are known, or all at the end. If a limit was reached and the
//! work goes on regardless, nobody is left to do that but whoever watches: from what is written down here.

use super::{Context, output};
use crate::args::{CheckArgs, CheckFormat};
use crate::console::Console;
use crate::exit::Status;
use rely_base::{Interrupted, StopReason, Work};
use rely_program::Goal;
use rely_report::{Conclusion, Detail, FileReport, Finding, render_finding};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The results of a command, in the order of its files.
pub(super) struct Ledger<'c> {
    arguments: &'c CheckArgs,
    context: &'c Context,
    engine: &'static str,
    pages: Mutex<Pages>,
}

struct Pages {
    reports: Vec<FileReport>,
    /// The results of the file that is being checked.
    findings: Vec<Finding>,
    /// Its properties that have no result yet; the first is being decided.
    goals: VecDeque<Goal>,
    /// The result for that property, when only what is made of it is missing.
    known: Option<Finding>,
    begun: Instant,
}

impl<'c> Ledger<'c> {
    /// Nothing is known yet.
    pub(super) fn new(arguments: &'c CheckArgs, context: &'c Context, engine: &'static str) -> Self {
        let pages = Pages {
            reports: Vec::new(),
            findings: Vec::new(),
            goals: VecDeque::new(),
            known: None,
            begun: Instant::now(),
        };
        Self { arguments, context, engine, pages: Mutex::new(pages) }
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These are the properties of the next file, as far as is known.
    pub(super) fn expect(&self, goals: &[Goal]) {
        let mut pages = self.lock();
        pages.goals = goals.iter().copied().collect();
        pages.begun = Instant::now();
    }

    /// A result is known, though what is made of it is not written yet.
    pub(super) fn know(&self, finding: Finding) {
        self.lock().known = Some(finding);
    }

    /// A result is complete. Text is printed at once, with what else is told about it.
    pub(super) fn add(&self, file: &str, finding: Finding, told: &str) -> io::Result<()> {
        let mut pages = self.lock();
        pages.known = None;
        pages.goals.pop_front();
        pages.begun = Instant::now();
        self.print(&pages, file, &finding, told)?;
        pages.findings.push(finding);
        Ok(())
    }

    fn print(&self, pages: &Pages, file: &str, finding: &Finding, told: &str) -> io::Result<()> {
        if self.arguments.format != CheckFormat::Text {
            return Ok(());
        }
        let separator = if pages.reports.is_empty() && pages.findings.is_empty() { "" } else { "\n" };
        let detail = if self.arguments.trace { Detail::Full } else { Detail::Compact };
        let text = render_finding(file, finding, detail, self.context.console.out_style);
        self.context.console.print(&format!("{separator}{text}{told}"))
    }

    /// A file is done, for lack of a program or because all of its results are there.
    pub(super) fn close(&self, file: String, problem: Option<rely_report::Problem>) {
        let mut pages = self.lock();
        let findings = std::mem::take(&mut pages.findings);
        let outcome = problem.map_or(Ok(findings), Err);
        pages.reports.push(FileReport { file, outcome });
        pages.goals.clear();
    }

    /// All results.
    pub(super) fn into_reports(self) -> Vec<FileReport> {
        self.pages.into_inner().unwrap_or_else(PoisonError::into_inner).reports
    }

    /// Prints what is known, and that nothing else is; returns the exit code. Nobody else prints anything
    /// from now on.
    pub(super) fn give_up(&self, reason: StopReason, work: Option<Work>) -> u8 {
        let mut pages = self.lock();
        if let Some(path) = &self.arguments.report {
            Console::complain(&format!("{}: not written, because {reason}\n", path.display()));
        }
        let programs: Vec<&[PathBuf]> = self.arguments.programs();
        let later = programs.into_iter().skip(pages.reports.len());
        let mut conclusion = given_up(reason, work);
        for paths in later {
            let file = super::program_name(paths);
            let mut goals = std::mem::take(&mut pages.goals);
            if goals.is_empty() && pages.findings.is_empty() {
                goals = self.wanted().into();
            }
            for goal in goals {
                let time = pages.begun.elapsed();
                let known = pages.known.take();
                let finding = known.unwrap_or_else(|| self.unknown(goal, conclusion.clone(), time));
                self.print(&pages, &file, &finding, "").ok();
                pages.findings.push(finding);
                conclusion = Conclusion::unknown(not_begun(reason), None);
                pages.begun = Instant::now();
            }
            let outcome = Ok(std::mem::take(&mut pages.findings));
            pages.reports.push(FileReport { file, outcome });
        }
        let status = pages.reports.iter().map(Status::of).max().unwrap_or(Status::Unknown);
        let status = self.context.unless_interrupted(status);
        if let Some(text) = output::render(&pages.reports, self.arguments.format, status) {
            self.context.console.print(&text).ok();
        }
        status.code()
    }

    /// The properties of a file that nobody has looked at.
    pub(super) fn wanted(&self) -> Vec<Goal> {
        match self.arguments.property.as_slice() {
            [] => vec![Goal::Assert],
            chosen => self.arguments.among_runs(chosen.to_vec()),
        }
    }

    /// A result without a verdict.
    pub(super) fn unknown(&self, property: Goal, conclusion: Conclusion, time: Duration) -> Finding {
        Finding { time, ..Finding::new(property, self.engine.to_owned(), conclusion) }
    }
}

/// What is known of a check that does not stop.
fn given_up(reason: StopReason, work: Option<Work>) -> Conclusion {
    match work {
        Some(work) => Conclusion::not_begun(Interrupted { reason, work }),
        None => Conclusion::stopped(reason),
    }
}

fn not_begun(reason: StopReason) -> String {
    format!("not looked at: {reason} by the check before, which could not be stopped otherwise")
}
