//! The settings of a project: `rely.toml` of the current directory. What the command line says comes first.

use crate::args::CheckArgs;
use crate::choices::Externals;
use crate::files;
use rely_program::Goal;
use rely_report::{Accepted, FileReport, fingerprint};
use rely_verify::{EffectError, Effects};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item};

/// Where settings are looked for.
const USUAL: &str = "rely.toml";

/// What a file of settings can say. Its schema is `docs/schemas/rely-toml.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    files: Vec<PathBuf>,
    properties: Vec<String>,
    timeout: Option<f64>,
    memory: Option<u64>,
    jobs: Option<u16>,
    strict: bool,
    include: Vec<PathBuf>,
    define: Vec<String>,
    externals: Option<String>,
    effects: Vec<String>,
    baseline: Option<PathBuf>,
    suppress: Vec<Suppression>,
}

/// Violations that may stay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppression {
    /// A pattern of files.
    file: String,
    property: Option<String>,
    /// A part of the message.
    message: Option<String>,
    reason: String,
}

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
                    && suppression.property.as_ref().is_none_or(|name| name == finding.property.name())
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
pub fn apply(arguments: &CheckArgs) -> Result<(CheckArgs, Acceptance), String> {
    let settings = match &arguments.config {
        Some(path) => read(path)?,
        None if Path::new(USUAL).is_file() && !arguments.worker => read(Path::new(USUAL))?,
        None => Settings::default(),
    };
    let mut merged = arguments.clone();
    if merged.files.is_empty() {
        merged.files = settings.files;
    }
    if merged.property.is_empty() {
        let goals = settings.properties.iter().map(|name| goal(name));
        merged.property = goals.collect::<Result<_, _>>()?;
    }
    merged.timeout = merged.timeout.or(settings.timeout);
    merged.memory = merged.memory.or(settings.memory);
    merged.jobs = merged.jobs.or(settings.jobs);
    merged.strict |= settings.strict;
    merged.input.include.extend(settings.include);
    merged.input.define.extend(settings.define);
    if let Some(choice) = settings.externals {
        let named = <Externals as clap::ValueEnum>::from_str(&choice, false);
        merged.input.externals =
            merged.input.externals.max(named.map_err(|_| no_such("externals", &choice))?);
    }
    for line in &settings.effects {
        let why = |errors: Vec<EffectError>| format!("{}: {}", no_such("effects", line), errors[0].message);
        Effects::parse(line).map_err(why)?;
    }
    merged.input.effect.extend(settings.effects);
    let baseline = merged.baseline.clone().or(settings.baseline);
    for suppression in &settings.suppress {
        if suppression.reason.trim().is_empty() {
            return Err(format!("{USUAL}: the suppression for `{}` gives no reason", suppression.file));
        }
        suppression.property.as_deref().map(goal).transpose()?;
    }
    let baseline = baseline.map(|path| known(&path)).transpose()?.unwrap_or_default();
    Ok((merged, Acceptance { baseline, suppressions: settings.suppress }))
}

fn no_such(what: &str, name: &str) -> String {
    format!("{USUAL}: `{what}` cannot be `{name}`")
}

fn goal(name: &str) -> Result<Goal, String> {
    Goal::ALL.into_iter().find(|goal| goal.name() == name).ok_or_else(|| no_such("property", name))
}

fn read(path: &Path) -> Result<Settings, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let document: DocumentMut = text.parse().map_err(|error| format!("{name}: {error}"))?;
    serde_json::from_value(as_json(document.as_item())).map_err(|error| format!("{name}: {error}"))
}

/// Settings as the plain data that they are.
fn as_json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Table(table) => table.iter().map(|(key, item)| (key.to_owned(), as_json(item))).collect(),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| as_json(&Item::Table(table.clone()))).collect()
        }
        Item::Value(value) => value_as_json(value),
    }
}

fn value_as_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
        toml_edit::Value::Datetime(date) => Value::from(date.value().to_string()),
        toml_edit::Value::Array(values) => values.iter().map(value_as_json).collect(),
        toml_edit::Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), value_as_json(value))).collect()
        }
    }
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
