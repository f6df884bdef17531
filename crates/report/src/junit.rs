//! Findings as JUnit XML, which dashboards of continuous integration read.
//!
//! A file is a test suite and a property of it a test case: a violation is its failure, an
//! unknown result is a skipped test, since nothing was shown either way, and mistakes in the
//! input are errors.

use crate::finding::{Accepted, FileReport, Finding, Kind, Problem};
use crate::style::Style;
use crate::text::{Detail, render_finding, render_problem, violation_text};
use crate::xml::{attribute, content};

/// The results for all files as one XML document.
pub fn render_junit(files: &[FileReport]) -> String {
    let total = files.iter().map(Counts::of).fold(Counts::default(), Counts::plus);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += &format!("<testsuites name=\"rely\"{}>\n", total.attributes());
    files.iter().for_each(|file| text += &suite(file));
    text + "</testsuites>\n"
}

fn suite(report: &FileReport) -> String {
    let counts = Counts::of(report).attributes();
    let cases: String = match &report.outcome {
        Ok(findings) => findings.iter().map(|finding| case(&report.file, finding)).collect(),
        Err(problem) => not_read(&report.file, problem),
    };
    format!("  <testsuite name=\"{}\"{counts}>\n{cases}  </testsuite>\n", attribute(&report.file))
}

fn case(file: &str, finding: &Finding) -> String {
    let told = render_finding(file, finding, Detail::Usual, Style::PLAIN);
    let (place, outcome) = match &finding.conclusion.0 {
        Kind::Safe { .. } => (None, format!("      <system-out>{}</system-out>\n", content(&told))),
        Kind::Nothing { why, .. } => {
            let skipped = format!("      <skipped message=\"nothing to check: {}\"/>\n", attribute(why));
            (None, format!("{skipped}      <system-out>{}</system-out>\n", content(&told)))
        }
        Kind::Unsafe { violation, .. } if finding.accepted.is_some() => {
            let why = finding.accepted.as_ref().map(Accepted::told).unwrap_or_default();
            let skipped = format!("      <skipped message=\"{}\"/>\n", attribute(&why));
            let told = format!("{skipped}      <system-out>{}</system-out>\n", content(&told));
            (violation.primary_place(), told)
        }
        Kind::Unsafe { violation, .. } => {
            let (message, kind) = (attribute(&violation_text(violation)), &violation.kind);
            let failure = format!("message=\"{message}\" type=\"{kind}\">{}</failure>\n", content(&told));
            (violation.primary_place(), format!("      <failure {failure}"))
        }
        Kind::Unknown { reason, .. } => {
            let skipped = format!("      <skipped message=\"unknown: {}\"/>\n", attribute(reason));
            (None, format!("{skipped}      <system-out>{}</system-out>\n", content(&told)))
        }
    };
    let line = place.map(|place| format!(" line=\"{}\"", place.line)).unwrap_or_default();
    let place = format!("classname=\"{0}\" file=\"{0}\"{line}", attribute(file));
    let time = finding.time.as_secs_f64();
    let name = finding.property.name();
    format!("    <testcase name=\"{name}\" {place} time=\"{time:.3}\">\n{outcome}    </testcase>\n")
}

fn not_read(file: &str, problem: &Problem) -> String {
    let message = attribute(&problem.messages());
    let told = content(&render_problem(problem, Style::PLAIN));
    let error = match problem.is_skipped {
        true => format!("      <skipped message=\"skipped: {message}\"/>\n"),
        false => format!("      <error message=\"{message}\" type=\"input\">{told}</error>\n"),
    };
    let place = format!("classname=\"{0}\" file=\"{0}\"", attribute(file));
    format!("    <testcase name=\"input\" {place} time=\"0.000\">\n{error}    </testcase>\n")
}

/// How many test cases ended how.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Counts {
    fn of(report: &FileReport) -> Self {
        let findings = match &report.outcome {
            Ok(findings) => findings,
            Err(problem) if problem.is_skipped => return Self { tests: 1, skipped: 1, ..Self::default() },
            Err(_) => return Self { tests: 1, errors: 1, ..Self::default() },
        };
        let violated = |finding: &&Finding| finding.conclusion.violation().is_some();
        let failures = findings.iter().filter(|finding| finding.accepted.is_none()).filter(violated);
        let is_skipped = |finding: &Finding| match finding.conclusion.0 {
            Kind::Safe { .. } => false,
            Kind::Unsafe { .. } => finding.accepted.is_some(),
            Kind::Nothing { .. } | Kind::Unknown { .. } => true,
        };
        Self {
            tests: findings.len(),
            failures: failures.count(),
            errors: 0,
            skipped: findings.iter().filter(|finding| is_skipped(finding)).count(),
            seconds: findings.iter().map(|finding| finding.time.as_secs_f64()).sum(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
            seconds: self.seconds + other.seconds,
        }
    }

    fn attributes(self) -> String {
        let Self { tests, failures, errors, skipped, seconds } = self;
        format!(
            " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\""
        )
    }
}
