//! Other programs that read what the command writes. At home they may be missing; where
//! `RELY_REQUIRE_SCHEMAS` is set, their absence is a failure.

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
