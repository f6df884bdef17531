//! The same findings in every format, for all examples: where, which, and in which words.

use crate::readers::{left_out, schema_complaints};
use crate::support::{Directory, rely_in_root, root, text, words_of};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Which result: file, property, verdict, and the line of what is violated.
type Which = (String, String, String, Option<u64>);

/// What is said about each.
type Results = BTreeMap<Which, String>;

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// What the JSON report says, which the others are compared with.
fn of_json(report: &Value) -> Results {
    let mut results = Results::new();
    for file in report["files"].as_array().expect("files") {
        for result in file["results"].as_array().unwrap_or_else(|| panic!("{file}")) {
            let verdict = word(&result["verdict"]);
            let violation = &result["violation"];
            let place = [&violation["place"], &violation["waiting"][0]["place"]];
            let line = place.iter().find_map(|place| place["line"].as_u64());
            let said = match verdict.as_str() {
                "unsafe" => &violation["message"],
                "safe" => &result["evidence"],
                _ => &result["reason"],
            };
            results.insert((word(&file["file"]), word(&result["property"]), verdict, line), word(said));
        }
    }
    results
}

fn of_sarif(document: &str) -> Results {
    let document: Value = serde_json::from_str(document).expect("JSON");
    let one = |result: &Value| {
        let verdict = match result["kind"].as_str().expect("a kind") {
            "pass" => "safe",
            "fail" => "unsafe",
            "open" => "unknown",
            "notApplicable" => "nothing-to-check",
            other => panic!("{other}"),
        };
        let place = &result["locations"][0]["physicalLocation"];
        let line = place["region"]["startLine"].as_u64();
        let which =
            (word(&place["artifactLocation"]["uri"]), word(&result["ruleId"]), verdict.to_owned(), line);
        (which, word(&result["message"]["text"]))
    };
    document["runs"][0]["results"].as_array().expect("results").iter().map(one).collect()
}

fn of_lines(lines: &str) -> Results {
    let one = |line: &str| {
        let mut parts = line.splitn(4, ':');
        let mut part = || parts.next().unwrap_or_else(|| panic!("{line}")).to_owned();
        let (file, number, _column, said) = (part(), part(), part(), part());
        let (said, property) = said.rsplit_once(" [").expect("a property");
        let verdict = match said.trim_start() {
            said if said.starts_with("error: ") => "unsafe",
            said if said.starts_with("warning: unknown") => "unknown",
            said if said.starts_with("note: nothing to check") => "nothing-to-check",
            said if said.starts_with("note: safe") => "safe",
            other => panic!("{other}"),
        };
        let number = number.parse().ok().filter(|_| verdict == "unsafe");
        ((file, property.trim_end_matches(']').to_owned(), verdict.to_owned(), number), said.to_owned())
    };
    lines.lines().map(one).collect()
}

fn of_junit(document: &str) -> Results {
    let one = |case: &str| {
        let attribute = |name: &str| {
            let rest = case.split_once(&format!(" {name}=\""))?.1;
            rest.split('"').next().map(str::to_owned)
        };
        let verdict = match case {
            case if case.contains("<failure ") => "unsafe",
            case if case.contains("<skipped message=\"unknown: ") => "unknown",
            case if case.contains("<skipped message=\"nothing to check: ") => "nothing-to-check",
            _ => "safe",
        };
        let named = |name| attribute(name).unwrap_or_else(|| panic!("{name}: {case}"));
        let line =
            case.split_once('>').and_then(|(head, _)| head.split_once(" line=\"")?.1.split('"').next());
        let line = line.and_then(|line| line.parse().ok());
        let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
        let said = plain.iter().fold(case.to_owned(), |said, (written, meant)| said.replace(written, meant));
        ((named("file"), named("name"), verdict.to_owned(), line), words_of(&said))
    };
    document.split("<testcase").skip(1).map(one).collect()
}

/// The results that a format has are the expected ones, and what it says of each contains what the report says.
fn assert_agrees(format: &str, found: &Results, expected: &Results) {
    let (which, wanted): (Vec<_>, Vec<_>) = (found.keys().collect(), expected.keys().collect());
    assert_eq!(which, wanted, "{format}");
    for (which, said) in expected {
        assert!(found[which].contains(said.as_str()), "{format}: {which:?}: {said}\n{}", found[which]);
    }
}

/// What the first format has found out, the others read from the cache. Then the reports are valid, and what is found
/// has been announced.
#[test]
fn all_formats_say_the_same() {
    let directory = Directory::new();
    let cache = directory.path("cache");
    let print = |format: &str| {
        // Some examples take all the time there is.
        let arguments = ["check", "--timeout", "2", "--format", format, "examples"];
        let mut command = directory.command(&arguments);
        command.env("RELY_CACHE_DIR", &cache).current_dir(root());
        text(&command.output().expect("it runs").stdout)
    };
    let report = directory.write("report.json", print("json"));
    let expected = of_json(&serde_json::from_str(&directory.read("report.json")).expect("JSON"));
    assert!(expected.len() > 150, "{}", expected.len());
    assert_agrees("sarif", &of_sarif(&print("sarif")), &expected);
    assert_agrees("lines", &of_lines(&print("lines")), &expected);
    assert_agrees("junit", &of_junit(&print("junit")), &expected);
    assert_text_agrees(&print("text"), &expected);
    match schema_complaints("rely-report.json", Path::new(&report)) {
        Some(complaints) => assert_eq!(complaints, ""),
        None => left_out("the JSON report is not validated"),
    }
    let unannounced = expected.keys().filter(|(file, property, verdict, _)| {
        let source = std::fs::read_to_string(root().join(file)).expect("it is there");
        let name =
            if property == "assert" { "// expect:".to_owned() } else { format!("// expect({property}):") };
        verdict == "unsafe" && !source.contains(&format!("{name} unsafe"))
    });
    let unannounced: Vec<_> = unannounced.collect();
    assert!(unannounced.is_empty(), "{unannounced:?}");
}

/// In the text there is a line for each property that is violated or unknown, and a table with how many there are.
fn assert_text_agrees(said: &str, expected: &Results) {
    let told = words_of(said);
    for ((file, property, verdict, line), message) in expected {
        let line = match (verdict.as_str(), line) {
            ("unsafe", Some(line)) => format!("{property} unsafe: line {line}: {message}"),
            ("unsafe", None) => format!("{property} unsafe: {message}"),
            ("unknown", _) => format!("{property} unknown: {message}"),
            _ => continue,
        };
        let of_file = told.split_once(&format!("{file}: ")).expect("the file").1;
        let of_file = of_file.split("examples/").next().unwrap_or_default();
        assert!(of_file.contains(&words_of(&line)), "{file}: {line}\n{of_file}");
    }
    let is_open = |which: &&Which| which.2 == "unsafe" || which.2 == "unknown";
    let lines = said.lines().filter(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        line.starts_with("  ") && matches!(words.get(1), Some(&("unsafe:" | "unknown:")))
    });
    assert_eq!(lines.count(), expected.keys().filter(is_open).count(), "{said}");
    for property in ["assert", "race", "deadlock", "memory"] {
        let count = |name: &str| {
            let same = |which: &&Which| which.1 == property && which.2 == name;
            expected.keys().filter(same).count().to_string()
        };
        let row = ["unsafe", "unknown", "safe", "nothing-to-check"].map(count);
        let mut printed = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let is_row = |words: Vec<&str>| words.first() == Some(&property) && words[1..] == row;
        assert!(printed.any(is_row), "{property}: {row:?}\n{said}");
    }
}

/// The page has the same verdicts, violations and reasons as the JSON report, for all examples.
#[test]
fn the_page_says_what_the_report_says() {
    let directory = Directory::new();
    let page = directory.path("page.html").display().to_string();
    let arguments = ["check", "--timeout", "4", "--format", "json", "--report", &page, "examples"];
    let report: Value = serde_json::from_slice(&rely_in_root(&arguments).stdout).expect("JSON");
    let html = directory.read("page.html");
    let expected = of_json(&report);
    assert!(expected.len() > 150, "{}", expected.len());
    for ((file, property, verdict, _), said) in &expected {
        let item = format!("<li>{file}: {} ({property}).", verdict.replace('-', " "));
        assert!(html.contains(&item), "{item}");
        assert!(html.contains(&rely_report::escape_html(said)), "{said}");
    }
    assert_eq!(html.matches("<li>examples/").count(), expected.len(), "and no others");
}
