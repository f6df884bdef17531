//! Findings for other tools: one JSON document, versioned and described in the book.

use crate::finding::{FileReport, Finding, Kind, Problem};
use crate::fingerprint::fingerprint;
use rely_base::{Diagnostic, Span};
use serde_json::{Map, Value, json};

/// The version of the format; it changes when a reader of the old one could misunderstand.
pub const JSON_VERSION: u32 = 2;

/// The results for all files as one JSON document.
pub fn render_json(files: &[FileReport], rely_version: &str, exit_code: u8) -> String {
    let document = json!({
        "format": "rely-report",
        "version": JSON_VERSION,
        "rely": rely_version,
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "exit_code": exit_code,
    });
    let text = serde_json::to_string_pretty(&document).expect("the document has only string keys");
    text + "\n"
}

fn file(report: &FileReport) -> Value {
    match &report.outcome {
        Ok(findings) => {
            let results: Vec<Value> = findings.iter().map(|found| finding(&report.file, found)).collect();
            let mut object = json!({
                "file": report.file,
                "verdict": word(report.verdict()),
                "results": results,
                "notes": report.notes,
            });
            if report.is_cached {
                object["cached"] = json!(true);
            }
            object
        }
        Err(problem) if problem.is_skipped => json!({ "file": report.file, "skipped": problem.messages() }),
        Err(problem) => json!({ "file": report.file, "errors": errors(problem) }),
    }
}

/// The verdict as one word.
fn word(verdict: &str) -> String {
    verdict.replace(' ', "-")
}

fn finding(file: &str, finding: &Finding) -> Value {
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
    set("property", json!(finding.property.name()));
    set("verdict", json!(word(finding.conclusion.name())));
    set("engine", json!(finding.engine));
    if let Some(engine) = &finding.decided_by {
        set("decided_by", json!(engine));
    }
    match &finding.conclusion.0 {
        Kind::Safe { evidence, modular } => {
            set("evidence", json!(evidence));
            set("modular", json!(modular));
            set("trusted", json!(finding.trusted));
        }
        Kind::Nothing { why, evidence } => {
            set("reason", json!(why));
            set("evidence", json!(evidence));
        }
        Kind::Unsafe { evidence, violation, run } => {
            set("evidence", json!(evidence));
            set("violation", json!(violation));
            set("interleaving", json!(run));
        }
        Kind::Unknown { reason, advice } => {
            set("reason", json!(reason));
            set("advice", json!(advice));
        }
    }
    if let Some(fingerprint) = fingerprint(file, finding) {
        set("fingerprint", json!(fingerprint));
    }
    if let Some(accepted) = &finding.accepted {
        set("accepted", json!(accepted));
    }
    if !finding.explanation.is_empty() {
        set("explanation", json!(finding.explanation));
    }
    if let Some(pairs) = &finding.race_pairs {
        set("race_pairs", json!(pairs));
    }
    set("assumptions", json!(finding.assumptions));
    if let Some(race_freedom) = finding.race_freedom {
        set("race_freedom", json!(race_freedom));
    }
    let statistics = finding.statistics.iter().map(|(name, count)| (name.clone(), json!(count)));
    set("statistics", Value::Object(statistics.collect()));
    set("seconds", json!(finding.time.as_secs_f64()));
    Value::Object(object)
}

fn errors(problem: &Problem) -> Vec<Value> {
    let place = |span: Span| {
        let at = problem.sources.position(span);
        json!({ "file": problem.sources.file(span.file).name(), "line": at.line, "column": at.column })
    };
    let error = |diagnostic: &Diagnostic| {
        json!({
            "message": diagnostic.message,
            "place": diagnostic.primary.as_ref().map(|(span, _)| place(*span)),
            "label": diagnostic.primary.as_ref().map(|(_, label)| label),
            "help": diagnostic.help,
        })
    };
    problem.diagnostics.iter().map(error).collect()
}
