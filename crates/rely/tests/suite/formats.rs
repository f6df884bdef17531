//! The formats for other tools, as those tools would read them.
//!
//! SARIF is validated against its published schema where that is at hand: `RELY_SARIF_SCHEMA` names the
//! file, and Python's `jsonschema` does the work. `RELY_REQUIRE_SCHEMAS` makes its absence a failure.

use crate::readers::{left_out, python};
use crate::support::{Directory, root, text};
use expect_test::{Expect, expect};
use regex_lite::Regex;
use rely_report::LINE_PATTERN;
use serde_json::Value;
use std::path::PathBuf;

const LOST: &str = "\
var x: int = 0;
thread A { local t: int = 0; t := x; x := t + 1; }
thread B { local t: int = 0; t := x; x := t + 1; }
ensures x == 2;
";
const HOLDS: &str = "var x: int = 0;\nthread A { x := x + 1; }\nthread B { x := x + 1; }\nensures x == 2;\n";
const STUCK: &str = "\
var m: int = 0;
var n: int = 0;
thread A { await m == 0 do { m := 1; } await n == 0 do { n := 1; } }
thread B { await n == 0 do { n := 1; } await m == 0 do { m := 1; } }
deadlock-free;
";
const ENDLESS: &str = "var x: int = 0;\nthread A { while true { x := x + 1; } }\ninvariant x >= 0;\n";
const WRONG: &str = "var x: float;\n";
/// A name that would end a string, an attribute, a tag or a line of a careless writer.
const HOSTILE: &str = "a \"b\" <c> & 'd' %s {0}\\ é:1:2: #?.rely";

/// A directory with one file for each kind of result.
fn directory() -> Directory {
    let directory = Directory::new().with("lost.rely", LOST).with("holds.rely", HOLDS);
    directory
        .with("stuck.rely", STUCK)
        .with("endless.rely", ENDLESS)
        .with("wrong.rely", WRONG)
        .with(HOSTILE, LOST)
}

const ALL: [&str; 6] = ["lost.rely", "holds.rely", "stuck.rely", "endless.rely", "wrong.rely", HOSTILE];

/// What `rely check --format FORMAT` prints about the files.
fn printed(directory: &Directory, format: &str, files: &[&str], code: i32) -> String {
    let mut arguments = vec!["check", "--engine", "explore", "--memory", "1", "--format", format];
    arguments.extend(files);
    let output = directory.rely(&arguments);
    assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "everything is in the document");
    text(&output.stdout)
}

fn sarif(directory: &Directory, files: &[&str], code: i32) -> Value {
    serde_json::from_str(&printed(directory, "sarif", files, code)).expect("SARIF is JSON")
}

#[test]
fn sarif_has_a_result_of_the_right_kind_for_every_property() {
    let directory = directory();
    let log = sarif(&directory, &ALL, 3);
    let run = &log["runs"][0];
    let kinds: Vec<String> = run["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            format!(
                "{} {} {} {}",
                uri.as_str().expect("a string"),
                result["ruleId"],
                result["kind"],
                result["level"]
            )
        })
        .collect();
    expect![[r#"
        lost.rely "assert" "fail" "error"
        holds.rely "assert" "pass" "none"
        stuck.rely "assert" "notApplicable" "none"
        stuck.rely "deadlock" "fail" "error"
        endless.rely "assert" "open" "none"
        a%20%22b%22%20%3Cc%3E%20%26%20%27d%27%20%25s%20%7B0%7D%5C%20%C3%A9%3A1%3A2%3A%20%23%3F.rely "assert" "fail" "error""#]].assert_eq(&kinds.join("\n"));
    assert_eq!(run["invocations"][0]["exitCode"], 3);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["locations"][0]["physicalLocation"]["region"]["startColumn"], 8);
    for result in run["results"].as_array().expect("results") {
        let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    }
}

#[test]
fn sarif_tells_the_interleaving_thread_by_thread() {
    let directory = directory();
    let log = sarif(&directory, &["lost.rely"], 1);
    let flows =
        log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"].as_array().expect("flows").clone();
    let mut told: Vec<(u64, String)> = Vec::new();
    for flow in &flows {
        let mut last = 0;
        for step in flow["locations"].as_array().expect("locations") {
            let order = step["executionOrder"].as_u64().expect("a number");
            assert!(order > last, "the order of a thread goes up");
            last = order;
            let region = &step["location"]["physicalLocation"]["region"];
            let text = step["location"]["message"]["text"].as_str().expect("a text");
            let (line, column) = (&region["startLine"], &region["startColumn"]);
            told.push((order, format!("{order} {} {line}:{column} {text} {}", flow["id"], step["state"])));
        }
    }
    told.sort();
    let orders: Vec<u64> = told.iter().map(|(order, _)| *order).collect();
    assert_eq!(orders, (1..=told.len() as u64).collect::<Vec<_>>(), "every step is in one thread's flow");
    let told: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    expect![[r#"
        1 "A" 2:30 t := x; {"t":{"text":"0"}}
        2 "B" 3:30 t := x; {"t":{"text":"0"}}
        3 "A" 2:38 x := t + 1; {"x":{"text":"1"}}
        4 "B" 3:38 x := t + 1; {"x":{"text":"1"}}"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn fingerprints_survive_moved_lines_and_tell_results_apart() {
    let fingerprint = |text: &str| {
        let directory = Directory::new().with("a.rely", text);
        let log = sarif(&directory, &["a.rely"], 1);
        log["runs"][0]["results"][0]["partialFingerprints"]["relyViolation/v1"].clone()
    };
    let first = fingerprint(LOST);
    assert!(first.is_string(), "{first}");
    assert_eq!(first, fingerprint(&format!("// moved\n\n{LOST}")));
    assert_ne!(first, fingerprint(&LOST.replace("x == 2", "x >= 2")));
}

/// Validates a document against the schema; prints what is wrong with it.
const VALIDATE: &str = r#"
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
document = json.load(open(sys.argv[2]))
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)
for error in validator.iter_errors(document):
    print(list(error.absolute_path), error.message)
# A document that is damaged must be found out, else nothing was validated.
document["runs"][0]["results"][0]["kind"] = "perhaps"
if not any(True for _ in validator.iter_errors(document)):
    print("the schema accepts everything")
"#;

#[test]
fn sarif_is_valid_by_its_schema() {
    let Some(schema) = std::env::var_os("RELY_SARIF_SCHEMA").map(PathBuf::from) else {
        return left_out("RELY_SARIF_SCHEMA does not name the schema of SARIF");
    };
    let directory = directory();
    for (name, files, code) in [("all", &ALL[..], 3), ("one", &ALL[..1], 1), ("safe", &ALL[1..2], 0)] {
        let document = printed(&directory, "sarif", files, code);
        let file = directory.path(&format!("{name}.sarif"));
        std::fs::write(&file, document).expect("the file is written");
        let Some(complaints) = python(VALIDATE, &[&schema, &file], "jsonschema") else { return };
        assert_eq!(complaints, "", "{name}");
    }
}

/// Reads JUnit XML as a dashboard does, and prints what it has read.
const READ_JUNIT: &str = r#"
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
def count(suite, tag):
    return sum(1 for case in suite.findall("testcase") if case.find(tag) is not None)
totals = [0, 0, 0, 0]
for suite in root:
    assert suite.tag == "testsuite", suite.tag
    found = [len(suite.findall("testcase")), count(suite, "failure"), count(suite, "error"), count(suite, "skipped")]
    said = [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")]
    assert found == said, (suite.get("name"), found, said)
    totals = [a + b for a, b in zip(totals, found)]
    for case in suite:
        float(case.get("time"))
        children = [child.tag for child in case]
        message = next((child.get("message") for child in case if child.get("message")), "")
        print(suite.get("name"), "|", case.get("name"), "|", case.get("classname") == suite.get("name"), case.get("line"), children, message)
assert totals == [int(root.get(name)) for name in ("tests", "failures", "errors", "skipped")], totals
"#;

#[test]
fn junit_is_read_back() {
    let directory = directory();
    let file = directory.path("out.xml");
    std::fs::write(&file, printed(&directory, "junit", &ALL, 3)).expect("the file is written");
    let Some(read) = python(READ_JUNIT, &[&file], "xml.etree.ElementTree") else { return };
    expect![[r#"
        lost.rely | assert | True 4 ['failure'] lost.rely:4: `ensures x == 2` does not hold at the end
        holds.rely | assert | True None ['system-out'] 
        stuck.rely | assert | True None ['skipped', 'system-out'] nothing to check: no assertion is reachable
        stuck.rely | deadlock | True 4 ['failure'] no thread can move, and not all have ended
        endless.rely | assert | True None ['skipped', 'system-out'] unknown: the memory limit was reached
        wrong.rely | input | True None ['error'] there is no type `float`
        a "b" <c> & 'd' %s {0}\ é:1:2: #?.rely | assert | True 4 ['failure'] a "b" <c> & 'd' %s {0}\ é:1:2: #?.rely:4: `ensures x == 2` does not hold at the end
    "#]].assert_eq(&read);
}

fn check_lines(files: &[&str], code: i32, expected: &Expect) {
    expected.assert_eq(&printed(&directory(), "lines", files, code));
}

#[test]
fn every_result_is_one_line() {
    check_lines(
        &ALL,
        3,
        &expect![[r#"
            lost.rely:4:1: error: `ensures x == 2` does not hold at the end [assert]
            holds.rely:1:1: note: safe: exhausted, 4 states; confirmed by exploring the program before simplification, 4 states [assert]
            stuck.rely:1:1: note: nothing to check: no assertion is reachable [assert]
            stuck.rely:4:12: error: no thread can move, and not all have ended [deadlock]
            endless.rely:1:1: warning: unknown: the memory limit was reached [assert]
            wrong.rely:1:8: error: there is no type `float` [input]
            a "b" <c> & 'd' %s {0}\ é:1:2: #?.rely:4:1: error: `ensures x == 2` does not hold at the end [assert]
        "#]],
    );
}

#[test]
fn the_pattern_of_the_book_finds_errors_and_warnings() {
    let directory = directory();
    let pattern = Regex::new(LINE_PATTERN).expect("it is a pattern");
    let lines = printed(&directory, "lines", &ALL, 3);
    let found: Vec<String> = lines
        .lines()
        .filter_map(|line| pattern.captures(line))
        .map(|groups| {
            (1..=6)
                .map(|group| groups.get(group).map_or("-", |text| text.as_str()))
                .collect::<Vec<_>>()
                .join(" | ")
        })
        .collect();
    expect![[r#"
        lost.rely | 4 | 1 | error | `ensures x == 2` does not hold at the end | assert
        stuck.rely | 4 | 12 | error | no thread can move, and not all have ended | deadlock
        endless.rely | 1 | 1 | warning | unknown: the memory limit was reached | assert
        wrong.rely | 1 | 8 | error | there is no type `float` | input
        a "b" <c> & 'd' %s {0}\ é:1:2: #?.rely | 4 | 1 | error | `ensures x == 2` does not hold at the end | assert"#]].assert_eq(&found.join("\n"));
    let page = std::fs::read_to_string(root().join("docs/src/formats.md")).expect("the page exists");
    let in_json = serde_json::to_string(LINE_PATTERN).expect("a string");
    assert!(page.contains(&in_json), "the book shows another pattern than {in_json}");
}

#[test]
fn certify_speaks_the_formats_as_well() {
    let directory = directory();
    let made = directory.rely(&["check", "--engine", "explore", "--certificate", "c.json", "holds.rely"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let output = directory.rely(&["certify", "--format", "lines", "c.json", "holds.rely"]);
    assert!(text(&output.stdout).starts_with("holds.rely:1:1: note: safe: "), "{}", text(&output.stdout));
}
