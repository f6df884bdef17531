//! Findings for people.

use crate::diagnostic::render_diagnostic;
use crate::explain::render_explanation;
use crate::finding::{FileReport, Finding, Kind, Problem, RaceFreedom, ViolationReport};
use crate::layout::wrap;
use crate::race_pairs::render_race_pairs;
use crate::style::{Role, Style};
use crate::table::{render_detailed_table, render_table};
use std::time::Duration;

/// How much of a violation is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// One row per statement.
    Compact,
    /// Every step, with the operations of the intermediate program.
    Full,
}

/// All that was found about one file.
pub fn render_file(report: &FileReport, detail: Detail, style: Style) -> String {
    match &report.outcome {
        Ok(findings) => {
            let texts = findings.iter().map(|finding| render_finding(&report.file, finding, detail, style));
            texts.collect::<Vec<_>>().join("\n")
        }
        Err(problem) => render_problem(problem, style),
    }
}

/// All that is wrong with a file.
pub fn render_problem(problem: &Problem, style: Style) -> String {
    let rendered = problem.diagnostics.iter();
    let rendered = rendered.map(|diagnostic| render_diagnostic(diagnostic, &problem.sources, style));
    rendered.collect::<Vec<_>>().join("\n")
}

/// The result for one property: the verdict first, then what stands behind it.
pub fn render_finding(file: &str, finding: &Finding, detail: Detail, style: Style) -> String {
    let verdict = finding.conclusion.name();
    let role = match finding.conclusion.0 {
        Kind::Safe { .. } => Role::Good,
        Kind::Unsafe { .. } => Role::Bad,
        Kind::Unknown { .. } => Role::Open,
    };
    let mut text = format!("{file}: {} ({})\n", style.paint(role, verdict), finding.property);
    match &finding.conclusion.0 {
        Kind::Safe { evidence, .. } => text += &field("evidence", evidence, style),
        Kind::Unsafe { evidence, violation, run } => {
            text += &field("violation", &violation_text(violation), style);
            text += &waiting(violation, style);
            text += &format!("\n{}\n", render_run(run, detail, style));
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
    text += &field("engine", &finding.engine_text(), style);
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

/// The run as a table, preceded by the values that it chose at the beginning.
pub fn render_run(run: &crate::Interleaving, detail: Detail, style: Style) -> String {
    let shown = match detail {
        Detail::Compact => run.condensed(),
        Detail::Full => run.clone(),
    };
    let mut text = String::new();
    if !shown.initial.is_empty() {
        let values: Vec<String> =
            shown.initial.iter().map(|first| format!("{} = {}", first.variable, first.value)).collect();
        for line in wrap(&format!("initially {}", values.join(", ")), style.width.saturating_sub(2)) {
            text += &format!("  {line}\n");
        }
    }
    text + &match detail {
        Detail::Compact => render_table(&shown, style),
        Detail::Full => render_detailed_table(&shown, style),
    }
}

fn field(name: &str, value: &str, style: Style) -> String {
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
