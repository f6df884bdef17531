//! Other programs that read what the command writes. At home they may be missing; where
//! `RELY_REQUIRE_SCHEMAS` is set, their absence is a failure.

use crate::support::root;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Whether what other programs say may not be left out.
fn is_required() -> bool {
    std::env::var_os("RELY_REQUIRE_SCHEMAS").is_some()
}

/// Says that a test is left out, which is a failure where it is required.
pub fn left_out(what: &str) {
    assert!(!is_required(), "RELY_REQUIRE_SCHEMAS is set, and {what}");
    // Past the capture of the test's output, so that it is seen.
    writeln!(std::io::stderr(), "left out: {what}").expect("standard error is open");
}

/// What a Python program prints; `None` if Python or a module of it is missing.
pub fn python(program: &str, arguments: &[&Path], module: &str) -> Option<String> {
    let available = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    if !available.is_ok_and(|output| output.status.success()) {
        left_out(&format!("there is no Python with the module {module}"));
        return None;
    }
    let output = Command::new("python3")
        .env("PYTHONIOENCODING", "utf-8")
        .args(["-c", program])
        .args(arguments)
        .output();
    let output = output.expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Validates a document against one of our schemas, and says what is wrong with it.
const VALIDATE: &str = r#"
import json, sys
import jsonschema
schema, document = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
    print(list(error.absolute_path), error.message)
"#;

/// What is wrong with a document by one of `docs/schemas`, if Python can be asked.
pub fn schema_complaints(schema: &str, document: &Path) -> Option<String> {
    python(VALIDATE, &[&root().join("docs/schemas").join(schema), document], "jsonschema")
}
