//! Many files: a few lines for each, and at the end how many there were of which kind.

use crate::finding::{FileReport, NOTHING, SKIPPED};
use crate::layout::pad;
use crate::style::{Role, Style};
use crate::text::{field, line_of, notes, paint_verdict};
use rely_program::Goal;
use std::time::Duration;

/// The columns of the table, the worst first.
const VERDICTS: [&str; 4] = ["unsafe", "unknown", "safe", NOTHING];

/// What concerns the whole command.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// How long it took.
    pub time: Duration,
    /// How many files nobody looked at.
    pub not_checked: usize,
    /// Whether the properties are those that are checked unless somebody chooses others.
    pub by_default: bool,
}

/// One verdict for the file, and a line for each property that is violated or not known.
pub fn render_brief(report: &FileReport, style: Style) -> String {
    let cached = if report.is_cached { " (from the cache)" } else { "" };
    let why = if report.verdict() == SKIPPED { ", a part of a program" } else { "" };
    let mut text = format!("{}: {}{cached}{why}\n", report.file, paint_verdict(report.verdict(), style));
    for finding in report.outcome.as_deref().unwrap_or_default() {
        if matches!(finding.conclusion.name(), "unsafe" | "unknown") {
            text += &line_of(finding, style);
        }
    }
    text + &notes(report, style)
}

/// How many files there were with which verdict, and the same for each property.
pub fn render_summary(reports: &[FileReport], totals: Totals, style: Style) -> String {
    let mut parts = Vec::new();
    for verdict in ["unsafe", "unknown", "safe", NOTHING, "error", SKIPPED] {
        let count = reports.iter().filter(|report| report.verdict() == verdict).count();
        match (verdict, count) {
            (_, 0) => {}
            ("error", count) => parts.push(format!("{count} not read")),
            (verdict, count) => parts.push(format!("{count} {verdict}")),
        }
    }
    if totals.not_checked > 0 {
        parts.push(format!("{} not checked", totals.not_checked));
    }
    let files = reports.len() + totals.not_checked;
    let noun = if files == 1 { "file" } else { "files" };
    let head = style.paint(Role::Heading, &format!("{files} {noun}"));
    let mut text = format!("{head}: {}\n", parts.join(", "));
    text += &table(reports);
    let accepted = reports.iter().flat_map(|report| report.outcome.iter().flatten());
    let accepted = accepted.filter(|finding| finding.accepted.is_some()).count();
    if accepted > 0 {
        text +=
            &field("accepted", &format!("{accepted} of them, by the baseline or by a suppression"), style);
    }
    if totals.by_default {
        let others =
            "overflow, termination: name them with `--property`; models say themselves what must hold";
        text += &field("not checked", others, style);
    }
    if reports.iter().any(|report| report.verdict() == SKIPPED) {
        let parts = "files without a function `main`: check those of one program together with `--program`, or name \
                     functions that threads call with `--entry`";
        text += &field("skipped", parts, style);
    }
    let cached = reports.iter().filter(|report| report.is_cached).count();
    let cached = if cached > 0 { format!(" ({cached} from the cache)") } else { String::new() };
    text += &field("time", &format!("{:.2} s{cached}", totals.time.as_secs_f64()), style);
    if let Some(first) = reports.iter().find(|report| report.verdict() == "unsafe") {
        text += &field("next", &format!("`rely check {}` shows how it happens", first.file), style);
    }
    text
}

/// A row for each property that was asked of some file.
fn table(reports: &[FileReport]) -> String {
    let count = |goal: Goal, verdict: &str| {
        let findings = reports.iter().flat_map(|report| report.outcome.iter().flatten());
        let found = |property, name: &str| property == goal && name == verdict;
        findings.filter(|finding| found(finding.property, finding.conclusion.name())).count()
    };
    let rows: Vec<(Goal, [usize; 4])> = Goal::ALL
        .into_iter()
        .map(|goal| (goal, VERDICTS.map(|verdict| count(goal, verdict))))
        .filter(|(_, counts)| counts.iter().sum::<usize>() > 0)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let titles: Vec<String> = VERDICTS.iter().map(|verdict| format!("  {verdict}")).collect();
    let mut text = format!("  {}{}\n", pad("", 16), titles.concat());
    for (goal, counts) in rows {
        let cells =
            counts.iter().zip(&titles).map(|(count, title)| format!("{count:>width$}", width = title.len()));
        text += &format!("  {}{}\n", pad(goal.name(), 16), cells.collect::<String>());
    }
    text
}
