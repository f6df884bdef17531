//! Every crate can be given away: it says what it is, brings a README, and depends only on what may be combined
//! with our licences.
//!
//! Licences are compared with a list here instead of by `cargo deny` or `cargo audit`: both take minutes to build,
//! and their advisories come from a repository on the network, so that a build would fail for reasons outside of
//! the change it judges. That packages can be made is a step of `.ci/run`.

use crate::support::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Licences that allow what MIT or Apache-2.0 allow. An expression of a dependency must be satisfied by these.
const ALLOWED: [&str; 8] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// All packages that are built here, ours and others.
fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments =
        ["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", "host-tuple"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let Value::Array(packages) = metadata["packages"].take() else { panic!("there are packages") };
    packages
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

/// Whether an expression of licences without parentheses inside of each other is satisfied: one alternative of
/// every part that is required.
fn is_allowed(expression: &str) -> bool {
    let alternatives = |text: &str| {
        let text = text.trim().trim_start_matches('(').trim_end_matches(')');
        text.replace('/', " OR ").split(" OR ").any(|licence| ALLOWED.contains(&licence.trim()))
    };
    let top_level_or = !expression.contains('(') && expression.contains(" OR ");
    if top_level_or {
        let requires = |part: &str| part.split(" AND ").all(|licence| ALLOWED.contains(&licence.trim()));
        return expression.split(" OR ").any(requires);
    }
    expression.split(" AND ").all(alternatives)
}

#[test]
fn licences_are_read_as_expressions() {
    let allowed = ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"];
    let refused =
        ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND MPL-2.0", "GPL-3.0 OR MIT AND MPL-2.0"];
    assert_eq!(allowed.map(is_allowed), [true; 4]);
    assert_eq!(refused.map(is_allowed), [false; 4]);
}

#[test]
fn dependencies_have_licences_that_go_with_ours() {
    let mut complaints = BTreeSet::new();
    for package in packages() {
        let licence = package["license"].as_str().unwrap_or("no licence");
        if !is_allowed(licence) {
            complaints.insert(format!("{} {}: {licence}", package["name"], package["version"]));
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn every_crate_says_what_it_is() {
    let mut complaints = Vec::new();
    for package in packages().iter().filter(|package| is_ours(package)) {
        let name = package["name"].as_str().unwrap_or_default();
        let missing = ["description", "license", "readme"].into_iter().filter(|key| package[key].is_null());
        complaints.extend(missing.map(|key| format!("{name}: no {key}")));
        let few = ["keywords", "categories"].into_iter();
        let few = few.filter(|key| !(1..=5).contains(&package[key].as_array().map_or(0, Vec::len)));
        complaints.extend(few.map(|key| format!("{name}: one to five {key}")));
        let dependencies = package["dependencies"].as_array().expect("a list");
        let is_unversioned = |dependency: &&Value| dependency["req"] == "*" && dependency["kind"] != "dev";
        let unversioned = dependencies.iter().filter(is_unversioned);
        complaints
            .extend(unversioned.map(|dependency| format!("{name}: {} has no version", dependency["name"])));
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}
