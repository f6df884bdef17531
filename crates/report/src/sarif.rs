//! Findings as SARIF 2.1.0, which code-scanning services and editors read.
//!
//! A property is a rule. A violation is a result of kind `fail`, whose run is a code flow with
//! one thread flow per thread; the order among the threads is in `executionOrder`. What holds is
//! a result of kind `pass`, what is not known one of kind `open`. Mistakes in the input are
//! notifications of the invocation, since nothing was analysed then.

use crate::finding::{Accepted, FileReport, Finding, Kind, Problem, ViolationReport};
use crate::fingerprint::fingerprint;
use crate::interleaving::{Interleaving, SourceRange, Step};
use crate::text::violation_text;
use crate::uri;
use rely_base::Diagnostic;
use rely_program::Goal;
use serde_json::{Map, Value, json};

/// Where the schema of the format is published.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The rule of notifications about the input.
const INPUT_ERROR: &str = "input";

/// The results for all files as one SARIF log. `executed` says whether the command came to its
/// results: the input could be read, and nobody stopped it.
pub fn render_sarif(files: &[FileReport], rely_version: &str, exit_code: u8, executed: bool) -> String {
    let semantic_version = rely_version.split_whitespace().next().unwrap_or(rely_version);
    let notifications: Vec<Value> = files.iter().flat_map(notifications).collect();
    let results: Vec<Value> = files.iter().flat_map(results).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Rely",
                "version": rely_version,
                "semanticVersion": semantic_version,
                "rules": Goal::ALL.map(rule),
                "notifications": [{
                    "id": INPUT_ERROR,
                    "shortDescription": message("The input is not a program that Rely can read"),
                    "defaultConfiguration": { "level": "error" },
                }],
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": executed,
                "exitCode": exit_code,
                "toolExecutionNotifications": notifications,
            }],
            "artifacts": files.iter().map(|report| json!({ "location": artifact(&report.file) })).collect::<Vec<_>>(),
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).expect("the document has only string keys") + "\n"
}

fn message(text: &str) -> Value {
    json!({ "text": text })
}

fn rule(goal: Goal) -> Value {
    let (name, short, full) = match goal {
        Goal::Assert => (
            "AssertionCanFail",
            "An assertion can fail",
            "Some interleaving of the threads violates an assertion, an invariant or a postcondition, reaches an error call, or leaves an array.",
        ),
        Goal::Race => (
            "DataRace",
            "Two accesses can conflict",
            "Two threads can access the same memory at once, one of them writing.",
        ),
        Goal::Deadlock => (
            "Deadlock",
            "The program can deadlock",
            "In some interleaving a thread waits for ever, whether or not others go on.",
        ),
        Goal::Termination => (
            "NonTermination",
            "A run may never end",
            "Some interleaving goes on for ever, or leaves a thread blocked for ever.",
        ),
        Goal::FairTermination => (
            "FairNonTermination",
            "A fair run may never end",
            "Some interleaving that leaves out no thread goes on for ever, or leaves a thread blocked for ever.",
        ),
        Goal::Overflow => (
            "SignedOverflow",
            "Signed arithmetic can overflow",
            "In some interleaving the result of signed arithmetic leaves its type.",
        ),
        Goal::Memory => (
            "InvalidMemoryAccess",
            "Memory can be used wrongly",
            "In some interleaving an access leaves its object, follows a null pointer or uses memory that was freed, or something is freed that cannot be.",
        ),
    };
    json!({
        "id": goal.name(),
        "name": name,
        "shortDescription": message(short),
        "fullDescription": message(full),
        "help": message(&format!("`rely check --property {goal} --explain` says in sentences why.")),
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": ["concurrency", "correctness"], "precision": "very-high" },
    })
}

fn artifact(file: &str) -> Value {
    json!({ "uri": uri::of_path(file) })
}

fn whole_file(file: &str) -> Value {
    json!({ "physicalLocation": { "artifactLocation": artifact(file) } })
}

fn location(place: &SourceRange) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": artifact(&place.file),
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    }})
}

fn results(report: &FileReport) -> Vec<Value> {
    let findings = report.outcome.as_deref().unwrap_or_default();
    findings.iter().map(|finding| result(&report.file, finding)).collect()
}

fn result(file: &str, finding: &Finding) -> Value {
    let mut result = Map::new();
    let mut set = |key: &str, value: Value| result.insert(key.to_owned(), value);
    set("ruleId", json!(finding.property.name()));
    set("ruleIndex", json!(Goal::ALL.iter().position(|goal| *goal == finding.property)));
    let mut properties = json!({
        "verdict": finding.conclusion.name(),
        "engine": finding.engine,
        "assumptions": finding.assumptions,
        "seconds": finding.time.as_secs_f64(),
    });
    if let Some(engine) = &finding.decided_by {
        properties["decidedBy"] = json!(engine);
    }
    let (kind, level, text) = match &finding.conclusion.0 {
        Kind::Safe { evidence, .. } => ("pass", "none", format!("safe: {evidence}")),
        Kind::Nothing { why, .. } => ("notApplicable", "none", format!("nothing to check: {why}")),
        Kind::Unknown { reason, advice } => {
            let advice = advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
            ("open", "none", format!("unknown: {reason}{advice}"))
        }
        Kind::Unsafe { evidence, violation, run } => {
            properties["violation"] = json!(violation.kind);
            properties["evidence"] = json!(evidence);
            set("partialFingerprints", json!({ "relyViolation/v1": fingerprint(file, finding) }));
            set("relatedLocations", json!(related_locations(violation)));
            if !run.steps.is_empty() {
                set("codeFlows", json!([code_flow(run, violation)]));
            }
            ("fail", "error", violation.message.clone())
        }
    };
    let place = finding.conclusion.violation().and_then(ViolationReport::primary_place);
    set("locations", json!([place.map_or_else(|| whole_file(file), location)]));
    set("kind", json!(kind));
    set("level", json!(level));
    let why: Vec<&str> = finding.explanation.iter().map(|sentence| sentence.text.as_str()).collect();
    let why = if why.is_empty() { String::new() } else { format!(". {}", why.join(" ")) };
    set("message", message(&format!("{text}{why}")));
    match &finding.accepted {
        Some(Accepted::Baseline) => set("baselineState", json!("unchanged")),
        Some(Accepted::Suppressed(reason)) => {
            set("suppressions", json!([{ "kind": "external", "justification": reason }]))
        }
        None => None,
    };
    set("properties", properties);
    Value::Object(result)
}

/// The threads that wait in a deadlock, behind the first one, which is the place of the result, or both accesses
/// of a race.
fn related_locations(violation: &ViolationReport) -> Vec<Value> {
    let waiting = violation.waiting.iter().filter_map(|waiting| {
        let mut place = location(waiting.place.as_ref()?);
        place["message"] = message(&format!("{} waits: {}", waiting.thread, waiting.statement));
        Some(place)
    });
    let racing = violation.race.iter().flat_map(|race| &race.accesses).filter_map(|access| {
        let mut place = location(access.place.as_ref()?);
        place["message"] = message(&access.told());
        Some(place)
    });
    waiting
        .chain(racing)
        .enumerate()
        .map(|(id, mut place)| {
            place["id"] = json!(id);
            place
        })
        .collect()
}

fn code_flow(run: &Interleaving, violation: &ViolationReport) -> Value {
    let run = run.condensed();
    let flows = run.threads.iter().enumerate().filter_map(|(thread, name)| {
        let of_thread = run.steps.iter().enumerate().filter(|(_, step)| step.thread == thread);
        let locations: Vec<Value> = of_thread.map(|(index, step)| flow_location(index, step)).collect();
        let flow =
            json!({ "id": name, "message": message(&format!("thread {name}")), "locations": locations });
        (!locations.is_empty()).then_some(flow)
    });
    json!({ "message": message(&violation_text(violation)), "threadFlows": flows.collect::<Vec<_>>() })
}

/// One statement of a thread; steps are counted over all threads, from one.
fn flow_location(index: usize, step: &Step) -> Value {
    let mut place = step.place.as_ref().map_or_else(|| json!({}), location);
    place["message"] = message(&step.statement);
    let state = step.writes.iter().map(|write| (write.variable.clone(), message(&write.new)));
    json!({
        "location": place,
        "executionOrder": index + 1,
        "state": Value::Object(state.collect()),
        "importance": if step.essential { "essential" } else { "unimportant" },
    })
}

fn notifications(report: &FileReport) -> Vec<Value> {
    let Err(problem) = &report.outcome else { return Vec::new() };
    problem.diagnostics.iter().map(|diagnostic| notification(&report.file, diagnostic, problem)).collect()
}

fn notification(file: &str, diagnostic: &Diagnostic, problem: &Problem) -> Value {
    let place = diagnostic.primary.as_ref().map(|(span, _)| SourceRange::of(*span, &problem.sources));
    let help = diagnostic.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    json!({
        "descriptor": { "id": INPUT_ERROR, "index": 0 },
        "level": if problem.is_skipped { "note" } else { "error" },
        "message": message(&format!("{}{help}", diagnostic.message)),
        "locations": [place.as_ref().map_or_else(|| whole_file(file), location)],
    })
}
