//! Findings for people.

use crate::Interleaving;
use crate::diagnostic::render_diagnostic;
use crate::explain::{Fact, render_explanation};
use crate::finding::{FileReport, Finding, Kind, Note, Problem, RaceFreedom, ViolationReport};
use crate::layout::{counted, wrap};
use crate::race_pairs::render_race_pairs;
use crate::style::{Role, Style};
use crate::table::{render_detailed_table, render_table};
use std::time::Duration;

/// How much of a violation is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What somebody wants who says nothing: one row per statement, of long runs only of those that matter.
    Usual,
    /// One row per statement that matters to other threads.
    Essential,
    /// One row per statement.
    Compact,
    /// Every step, with the operations of the intermediate program.
    Full,
}

/// All that was found about one file.
pub fn render_file(report: &FileReport, detail: Detail, style: Style) -> String {
    match &report.outcome {
        Ok(findings) => render_report(report, findings, &[], detail, style),
        Err(problem) => render_problem(problem, style),
    }
}

/// The same, with more to tell about each finding. Of one property everything is said. Of several there is one verdict
/// first, and a line for each; then everything about those that are violated.
pub fn render_report(
    report: &FileReport,
    findings: &[Finding],
    told: &[String],
    detail: Detail,
    style: Style,
) -> String {
    let told = |index: usize| told.get(index).map_or("", String::as_str);
    let file = &report.file;
    if let [only] = findings {
        let mut text = render_finding(file, only, detail, style);
        text += &notes(report, style);
        return text + told(0);
    }
    let mut text = overview(report, findings, style);
    for (index, finding) in findings.iter().enumerate() {
        let is_violated = finding.conclusion.violation().is_some();
        if is_violated || !finding.explanation.is_empty() || finding.race_pairs.is_some() {
            text += &format!("\n{}", head(file, finding, style));
            let same = findings[..index].iter().find(|earlier| is_same_violation(earlier, finding));
            text += &match same.filter(|_| finding.race_pairs.is_none()) {
                Some(same) => {
                    field("violation", &format!("the same as for `{}`, above", same.property), style)
                }
                None => body(finding, detail, style),
            };
        }
        text += told(index);
    }
    text
}

/// Some mistakes violate several properties.
fn is_same_violation(left: &Finding, right: &Finding) -> bool {
    left.conclusion.violation().is_some() && left.conclusion.violation() == right.conclusion.violation()
}

/// One verdict for the file, and a line for each property.
fn overview(report: &FileReport, findings: &[Finding], style: Style) -> String {
    let cached = if report.is_cached { " (from the cache)" } else { "" };
    let mut text = format!("{}: {}{cached}\n", report.file, paint_verdict(report.verdict(), style));
    findings.iter().for_each(|finding| text += &line_of(finding, style));
    text += &notes(report, style);
    if let Some(told) = findings.iter().find_map(|finding| finding.race_freedom.and_then(RaceFreedom::told)) {
        text += &field("data races", told, style);
    }
    let mut names = |name, of: fn(&Finding) -> &[String]| {
        let mut found: Vec<&str> = Vec::new();
        for entry in findings.iter().flat_map(of) {
            if !found.contains(&entry.as_str()) {
                found.push(entry);
            }
        }
        if !found.is_empty() {
            text += &field(name, &found.join(", "), style);
        }
    };
    names("assumptions", |finding| &finding.assumptions);
    names("trusted", |finding| &finding.trusted);
    text + &field("time", &time_text(findings.iter().map(|finding| finding.time).sum()), style)
}

/// A property, its verdict, and what stands behind it in one sentence.
pub(crate) fn line_of(finding: &Finding, style: Style) -> String {
    let verdict = finding.conclusion.name();
    let accepted = finding.accepted.as_ref().map(|accepted| format!(" ({})", accepted.told()));
    let accepted = accepted.unwrap_or_default();
    let said = match &finding.conclusion.0 {
        Kind::Safe { evidence, .. } => evidence.clone(),
        Kind::Nothing { why, .. } => why.clone(),
        Kind::Unsafe { violation, .. } => match violation.primary_place() {
            Some(place) => format!("line {}: {}", place.line, violation.message),
            None => violation.message.clone(),
        },
        Kind::Unknown { reason, advice } => match advice {
            Some(advice) => format!("{reason}; next: {advice}"),
            None => reason.clone(),
        },
    };
    let text = field(finding.property.name(), &format!("{verdict}{accepted}: {said}"), style);
    match style.color {
        true => text.replacen(verdict, &paint_verdict(verdict, style), 1),
        false => text,
    }
}

/// Where the program visibly touches an assumption.
pub(crate) fn notes(report: &FileReport, style: Style) -> String {
    let told = |note: &Note| format!("line {}: {} ({})", note.place.line, note.message, note.assumption);
    report.notes.iter().map(|note| field("note", &told(note), style)).collect()
}

/// The word in the colour of what it means.
pub(crate) fn paint_verdict(verdict: &str, style: Style) -> String {
    let role = match verdict {
        "safe" => Role::Good,
        "unsafe" | "error" => Role::Bad,
        _ => Role::Open,
    };
    style.paint(role, verdict)
}

/// All that is wrong with a file.
pub fn render_problem(problem: &Problem, style: Style) -> String {
    let rendered = problem.diagnostics.iter();
    let rendered = rendered.map(|diagnostic| render_diagnostic(diagnostic, &problem.sources, style));
    rendered.collect::<Vec<_>>().join("\n")
}

/// The result for one property: the verdict first, then what stands behind it.
pub fn render_finding(file: &str, finding: &Finding, detail: Detail, style: Style) -> String {
    let mut text = head(file, finding, style) + &body(finding, detail, style);
    if let Some(told) = finding.race_freedom.and_then(RaceFreedom::told) {
        text += &field("data races", told, style);
    }
    if !finding.assumptions.is_empty() {
        text += &field("assumptions", &finding.assumptions.join(", "), style);
    }
    if !finding.trusted.is_empty() {
        text += &field("trusted", &finding.trusted.join(", "), style);
    }
    text + &field("time", &time_text(finding.time), style)
}

fn head(file: &str, finding: &Finding, style: Style) -> String {
    let accepted = finding.accepted.as_ref().map(|accepted| format!(", {}", accepted.told()));
    let verdict = paint_verdict(finding.conclusion.name(), style);
    format!("{file}: {verdict} ({}){}\n", finding.property, accepted.unwrap_or_default())
}

fn body(finding: &Finding, detail: Detail, style: Style) -> String {
    let mut text = String::new();
    match &finding.conclusion.0 {
        Kind::Safe { evidence, .. } => text += &field("evidence", evidence, style),
        Kind::Nothing { why, evidence } => {
            text += &field("because", why, style);
            text += &field("evidence", evidence, style);
        }
        Kind::Unsafe { evidence, violation, run } => {
            text += &field("violation", &violation_text(violation), style);
            text += &waiting(violation, style);
            text += &format!("\n{}\n", render_run(run, &spoken_of(finding), detail, style));
            text += &field("evidence", evidence, style);
        }
        Kind::Unknown { reason, advice } => {
            text += &field("reason", reason, style);
            text += &advice.as_ref().map(|advice| field("next", advice, style)).unwrap_or_default();
        }
    }
    text += &render_explanation(&finding.explanation, style);
    if let Some(pairs) = &finding.race_pairs {
        text += &render_race_pairs(pairs, style);
    }
    text + &field("engine", &finding.engine_text(), style)
}

/// Who waits for what in a deadlock, or makes which access in a race, one line each.
fn waiting(violation: &ViolationReport, style: Style) -> String {
    let told = violation.waiting.iter().map(|waiting| {
        let line = waiting.place.as_ref().map(|place| format!(" at line {}", place.line)).unwrap_or_default();
        field("", &format!("{} waits{line}: {}", waiting.thread, waiting.statement), style)
    });
    let racing = violation.race.iter().flat_map(|race| {
        let accesses = race.accesses.iter().map(|access| field("", &access.told(), style));
        accesses.chain(race.protection.iter().map(|protection| field("", protection, style)))
    });
    told.chain(racing).collect()
}

/// What is violated and where, in one line.
pub fn violation_text(violation: &ViolationReport) -> String {
    match &violation.place {
        Some(place) => format!("{}:{}: {}", place.file, place.line, violation.message),
        None => violation.message.clone(),
    }
}

/// Runs with more rows than about fill a screen are told by what matters in them.
const LONG_RUN: usize = 40;

/// The run as a table, preceded by the values that it chose at the beginning. The steps in `spoken_of` matter.
pub fn render_run(run: &Interleaving, spoken_of: &[usize], detail: Detail, style: Style) -> String {
    let condensed = run.condensed();
    let is_long = condensed.steps.len() > LONG_RUN;
    let shown = match detail {
        Detail::Usual if is_long => run.essential(spoken_of),
        Detail::Usual | Detail::Compact => condensed.clone(),
        Detail::Essential => run.essential(spoken_of),
        Detail::Full => run.clone(),
    };
    let mut text = String::new();
    let width = style.width.saturating_sub(2);
    if !shown.initial.is_empty() {
        let values: Vec<String> =
            shown.initial.iter().map(|first| format!("{} = {}", first.variable, first.value)).collect();
        wrap(&format!("initially {}", values.join(", ")), width)
            .iter()
            .for_each(|line| text += &format!("  {line}\n"));
    }
    text += &match detail {
        Detail::Full => render_detailed_table(&shown, style),
        _ => render_table(&shown, style),
    };
    if detail == Detail::Usual && shown.steps.len() < condensed.steps.len() {
        let all = counted(condensed.steps.len() as u64, "statements");
        let hint = format!("(only what matters to other threads; `--trace=statements` tells all {all})");
        wrap(&hint, width).iter().for_each(|line| text += &format!("  {}\n", style.paint(Role::Quiet, line)));
    }
    text
}

/// The steps of which an explanation speaks.
fn spoken_of(finding: &Finding) -> Vec<usize> {
    finding.explanation.iter().flat_map(|sentence| &sentence.facts).filter_map(Fact::step).collect()
}

pub(crate) fn field(name: &str, value: &str, style: Style) -> String {
    const NAME_WIDTH: usize = 13;
    let mut text = String::new();
    for (index, line) in wrap(value, style.width.saturating_sub(NAME_WIDTH + 2)).into_iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        text += &format!("  {}{line}\n", style.paint(Role::Quiet, &format!("{name:NAME_WIDTH$}")));
    }
    text
}

fn time_text(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
