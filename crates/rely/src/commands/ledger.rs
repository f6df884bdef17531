//! What `rely check` has found out so far, for the case that it has to be given up.
//!
//! Usually results are printed as soon as they are known, or all at the end. If a limit was reached and the
//! work goes on regardless, nobody is left to do that but whoever watches: from what is written down here.

use super::{Context, output};
use crate::args::{CheckArgs, CheckFormat, TraceChoice};
use crate::console::Console;
use crate::exit::Status;
use crate::settings::Acceptance;
use rely_base::{Interrupted, StopReason, Work};
use rely_program::Goal;
use rely_report::{Conclusion, FileReport, Finding, Note, render_report};
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
    acceptance: &'c Acceptance,
    pages: Mutex<Pages>,
}

struct Pages {
    reports: Vec<FileReport>,
    /// The results of the file that is being checked, and what else is told about each.
    findings: Vec<(Finding, String)>,
    /// Where it visibly touches an assumption.
    notes: Vec<Note>,
    /// What of it could be smaller.
    change: Option<String>,
    /// Its properties that have no result yet; the first is being decided.
    goals: VecDeque<Goal>,
    /// The result for that property, when only what is made of it is missing.
    known: Option<Finding>,
    begun: Instant,
}

impl<'c> Ledger<'c> {
    /// Nothing is known yet.
    pub(super) fn new(
        arguments: &'c CheckArgs,
        context: &'c Context,
        engine: &'static str,
        acceptance: &'c Acceptance,
    ) -> Self {
        let pages = Pages {
            reports: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
            change: None,
            goals: VecDeque::new(),
            known: None,
            begun: Instant::now(),
        };
        Self { arguments, context, engine, acceptance, pages: Mutex::new(pages) }
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

    /// The program visibly touches assumptions here, and this of it could be smaller.
    pub(super) fn note(&self, notes: Vec<Note>, change: Option<String>) {
        let mut pages = self.lock();
        (pages.notes, pages.change) = (notes, change);
    }

    /// A result is complete, with what else is told about it.
    pub(super) fn add(&self, finding: Finding, told: String) {
        let mut pages = self.lock();
        pages.known = None;
        pages.goals.pop_front();
        pages.begun = Instant::now();
        pages.findings.push((finding, told));
    }

    /// A file is done, for lack of a program or because all of its results are there. Text is printed at once. Returns
    /// what was found, whether somebody accepts it or not.
    pub(super) fn close(
        &self,
        file: String,
        problem: Option<rely_report::Problem>,
    ) -> io::Result<FileReport> {
        let mut pages = self.lock();
        pages.goals.clear();
        pages.known = None;
        let report = Self::report(&mut pages, file, problem);
        let found = report.0.clone();
        self.keep(&mut pages, report)?;
        Ok(found)
    }

    /// What is known about a file, in the order in which properties are listed for users.
    fn report(
        pages: &mut Pages,
        file: String,
        problem: Option<rely_report::Problem>,
    ) -> (FileReport, Vec<String>) {
        let mut findings = std::mem::take(&mut pages.findings);
        findings.sort_by_key(|(finding, _)| finding.property);
        let (findings, told) = findings.into_iter().unzip();
        let notes = std::mem::take(&mut pages.notes);
        pages.change = None;
        (FileReport { notes, ..FileReport::new(file, problem.map_or(Ok(findings), Err)) }, told)
    }

    /// A report that is complete.
    pub(super) fn adopt(&self, report: FileReport) -> io::Result<()> {
        self.keep(&mut self.lock(), (report, Vec::new()))
    }

    fn keep(&self, pages: &mut Pages, (mut report, told): (FileReport, Vec<String>)) -> io::Result<()> {
        self.acceptance.apply(&mut report);
        let printed = self.print(pages, &report, &told);
        pages.reports.push(report);
        printed
    }

    fn print(&self, pages: &Pages, report: &FileReport, told: &[String]) -> io::Result<()> {
        let Ok(findings) = &report.outcome else { return Ok(()) };
        if self.arguments.format != CheckFormat::Text || self.arguments.worker {
            return Ok(());
        }
        let is_first = pages.reports.iter().all(|report| report.outcome.is_err());
        let separator = if is_first { "" } else { "\n" };
        let detail = TraceChoice::detail(self.arguments.trace);
        let text = render_report(report, findings, told, detail, self.context.console.out_style);
        self.context.console.print(&format!("{separator}{text}"))
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
        let mut conclusion = given_up(reason, work, pages.change.take());
        for paths in later {
            let file = super::program_name(paths);
            let mut goals = std::mem::take(&mut pages.goals);
            if goals.is_empty() && pages.findings.is_empty() {
                goals = self.wanted(paths).into();
            }
            for goal in goals {
                let time = pages.begun.elapsed();
                let known = pages.known.take();
                let finding = known.unwrap_or_else(|| self.unknown(goal, conclusion.clone(), time));
                pages.findings.push((finding, String::new()));
                conclusion = Conclusion::unknown(not_begun(reason), None);
                pages.begun = Instant::now();
            }
            let report = Self::report(&mut pages, file, None);
            self.keep(&mut pages, report).ok();
        }
        let status = Status::of_all(&pages.reports);
        let status = self.context.unless_interrupted(status);
        if let Some(text) = output::render(&pages.reports, self.arguments, status) {
            self.context.console.print(&text).ok();
        }
        status.code()
    }

    /// The properties of a file that nobody has looked at.
    pub(super) fn wanted(&self, paths: &[PathBuf]) -> Vec<Goal> {
        match self.arguments.property.as_slice() {
            // Which of them a program declares is not known yet.
            [] if self.arguments.evidence.needs_one_result().is_some() => vec![Goal::Assert],
            [] => {
                let languages = paths.iter().map(|path| self.arguments.input.language_of(path));
                languages.take(1).flat_map(rely_verify::usual_goals).copied().collect()
            }
            chosen => self.arguments.among_runs(chosen.to_vec()),
        }
    }

    /// A result without a verdict.
    pub(super) fn unknown(&self, property: Goal, conclusion: Conclusion, time: Duration) -> Finding {
        Finding { time, ..Finding::new(property, self.engine.to_owned(), conclusion) }
    }
}

/// What is known of a check that does not stop.
fn given_up(reason: StopReason, work: Option<Work>, change: Option<String>) -> Conclusion {
    match work {
        Some(work) => Conclusion::not_begun(Interrupted { reason, work }),
        None => Conclusion::stopped(reason, change),
    }
}

fn not_begun(reason: StopReason) -> String {
    format!("not looked at: {reason} by the check before, which could not be stopped otherwise")
}
