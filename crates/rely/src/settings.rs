//! The settings of a project: `rely.toml` of the current directory. What the command line says comes first.

mod file;

use crate::args::CheckArgs;
use crate::files;
use file::{Settings, Suppression};
use rely_base::Diagnostic;
use rely_report::{Accepted, FileReport, Problem, fingerprint};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Where settings are looked for.
const USUAL: &str = "rely.toml";

/// Which findings do not count.
#[derive(Debug, Default)]
pub struct Acceptance {
    baseline: BTreeSet<String>,
    suppressions: Vec<Suppression>,
}

impl Acceptance {
    /// Marks what is accepted.
    pub fn apply(&self, report: &mut FileReport) {
        let Ok(findings) = &mut report.outcome else { return };
        for finding in findings {
            let message = finding.conclusion.violation().map(|violation| violation.message.as_str());
            let is_meant = |suppression: &&Suppression| {
                let is_part = |part: &String| message.is_some_and(|message| message.contains(part.as_str()));
                message.is_some()
                    && files::matches(&suppression.file, &report.file)
                    && suppression.property.is_none_or(|goal| goal == finding.property)
                    && suppression.message.as_ref().is_none_or(is_part)
            };
            let suppression = self.suppressions.iter().find(is_meant);
            let is_known =
                || fingerprint(&report.file, finding).is_some_and(|print| self.baseline.contains(&print));
            finding.accepted = match suppression {
                Some(suppression) => Some(Accepted::Suppressed(suppression.reason.clone())),
                None => is_known().then_some(Accepted::Baseline),
            };
        }
    }
}

/// The arguments with what the settings add to them, and what is accepted.
pub fn apply(arguments: &CheckArgs) -> Result<(CheckArgs, Acceptance), Problem> {
    let settings = match &arguments.config {
        Some(path) => file::read(path)?,
        None if Path::new(USUAL).is_file() && !arguments.worker => file::read(Path::new(USUAL))?,
        None => Settings::default(),
    };
    let mut merged = arguments.clone();
    if merged.files.is_empty() {
        merged.files = settings.files;
    }
    if merged.property.is_empty() {
        merged.property = settings.properties;
    }
    merged.timeout = merged.timeout.or(settings.timeout);
    merged.memory = merged.memory.or(settings.memory);
    merged.jobs = merged.jobs.or(settings.jobs);
    merged.strict |= settings.strict;
    merged.input.include.extend(settings.include);
    merged.input.define.extend(settings.define);
    if let Some(choice) = settings.externals {
        merged.input.externals = merged.input.externals.max(choice);
    }
    merged.input.effect.extend(settings.effects);
    let baseline = merged.baseline.clone().or(settings.baseline);
    let baseline = baseline.map(|path| known(&path)).transpose().map_err(|message| {
        // The file is not one that somebody writes by hand: where it is wrong does not matter.
        Problem::without_source(Diagnostic::error(message))
    })?;
    Ok((merged, Acceptance { baseline: baseline.unwrap_or_default(), suppressions: settings.suppress }))
}

/// The fingerprints of what an earlier report has found.
fn known(path: &Path) -> Result<BTreeSet<String>, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    let files = report["files"].as_array().filter(|_| report["format"] == "rely-report");
    let files = files.ok_or_else(|| format!("{name}: this is no report of `rely check --format json`"))?;
    let results = files.iter().filter_map(|file| file["results"].as_array()).flatten();
    Ok(results.filter_map(|result| result["fingerprint"].as_str()).map(str::to_owned).collect())
}
