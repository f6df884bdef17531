//! Many files: which are meant, what is said about each and about all, the cache, the settings of a project, and that
//! all formats say the same.

use crate::readers::{left_out, python};
use crate::support::{Directory, all_text, rely_in_root, root, text};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "var x: int = 0;\nthread A { x := 1; }\nensures x == 1;\n";
const BAD: &str = "var x: int = 0;\nthread A { x := 1; }\nensures x == 2;\n";
const RACY: &str = "#include <pthread.h>\nint hits;\nvoid *f(void *p) { hits = 1; return 0; }\n\
                    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); hits = 2; pthread_join(t, 0); }\n";
const RELAXED: &str = "#include <assert.h>\n#include <stdatomic.h>\n_Atomic int x;\nint main(void) {\n\
                       atomic_store_explicit(&x, 1, memory_order_relaxed);\nassert(x == 1);\n}\n";

fn project() -> Directory {
    let directory = Directory::new();
    std::fs::create_dir_all(directory.path("src/deep")).expect("writable");
    let files =
        [("src/good.rely", GOOD), ("src/deep/bad.rely", BAD), ("src/racy.c", RACY), ("src/notes.txt", "")];
    files.into_iter().fold(directory, |directory, (name, content)| directory.with(name, content))
}

/// What is printed, without what depends on the moment.
fn told(output: &Output) -> String {
    let said = all_text(output);
    let lines = said.lines().filter(|line| !line.starts_with("  time ") && !line.starts_with("progress: "));
    let lines: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
    format!("exit code {:?}\n{}", output.status.code().unwrap_or(-1), lines.concat())
}

fn check(directory: &Directory, arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&told(&directory.rely(&[&["check"], arguments].concat())));
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", all_text(output)))
}

#[test]
fn a_directory_is_what_is_in_it() {
    check(
        &project(),
        &["src"],
        &expect![[r#"
        exit code 1
        src/deep/bad.rely: unsafe
          assert       unsafe: line 3: `ensures x == 2` does not hold at the end
        src/good.rely: safe
        src/racy.c: unsafe
          race         unsafe: line 4: a data race on `hits`: main writes and f#2 writes
                       it at once

        3 files: 2 unsafe, 1 safe
                            unsafe  unknown  safe  nothing to check
          assert                 1        0     2                 0
          race                   1        0     0                 0
          deadlock               0        0     1                 0
          memory                 0        0     1                 0
          not checked  overflow, termination: name them with `--property`; models say
                       themselves what must hold
          next         `rely check src/deep/bad.rely` shows how it happens
    "#]],
    );
    check(
        &project(),
        &["src/**/b*.rely", "src/good.rely", "-j", "1"],
        &expect![[r#"
        exit code 1
        src/deep/bad.rely: unsafe
          assert       unsafe: line 3: `ensures x == 2` does not hold at the end
        src/good.rely: safe

        2 files: 1 unsafe, 1 safe
                            unsafe  unknown  safe  nothing to check
          assert                 1        0     1                 0
          not checked  overflow, termination: name them with `--property`; models say
                       themselves what must hold
          next         `rely check src/deep/bad.rely` shows how it happens
    "#]],
    );
    // In the order in which they are named, one after the other: the last one is not looked at.
    check(
        &project(),
        &["src/good.rely", "src/deep", "src/racy.c", "-j", "1", "--fail-fast"],
        &expect![[r#"
            exit code 1
            src/good.rely: safe
            src/deep/bad.rely: unsafe
              assert       unsafe: line 3: `ensures x == 2` does not hold at the end

            3 files: 1 unsafe, 1 safe, 1 not checked
                                unsafe  unknown  safe  nothing to check
              assert                 1        0     1                 0
              not checked  overflow, termination: name them with `--property`; models say
                           themselves what must hold
              next         `rely check src/deep/bad.rely` shows how it happens
        "#]],
    );
    check(
        &project(),
        &["src/good.rely", "src/missing.c"],
        &expect![[r#"
        exit code 3
        src/good.rely: safe

        2 files: 1 safe, 1 not read
                            unsafe  unknown  safe  nothing to check
          assert                 0        0     1                 0
          not checked  overflow, termination: name them with `--property`; models say
                       themselves what must hold
        Error: src/missing.c: there is no such file
    "#]],
    );
}

#[test]
fn settings_are_those_of_the_project() {
    let settings = "files = [\"src\"]\nproperties = [\"race\"]\njobs = 1\n\n[[suppress]]\nfile = \"src/*.c\"\n\
                    property = \"race\"\nmessage = \"hits\"\nreason = \"an approximate count will do\"\n";
    let directory = project().with("rely.toml", settings);
    check(
        &directory,
        &[],
        &expect![[r#"
        exit code 0
        src/deep/bad.rely: nothing to check
        src/good.rely: nothing to check
        src/racy.c: unsafe
          race         unsafe (suppressed: an approximate count will do): line 4: a data
                       race on `hits`: main writes and f#2 writes it at once

        3 files: 1 unsafe, 2 nothing to check
                            unsafe  unknown  safe  nothing to check
          race                   1        0     0                 2
          accepted     1 of them, by the baseline or by a suppression
          next         `rely check src/racy.c` shows how it happens
    "#]],
    );
    // The command line comes first.
    check(
        &directory,
        &["-p", "assert", "src/deep"],
        &expect![[r#"
        exit code 1
        src/deep/bad.rely: unsafe (assert)
          violation    src/deep/bad.rely:3: `ensures x == 2` does not hold at the end

          line │ A       │ values
          ─────┼─────────┼───────
             2 │ x := 1; │ x = 1

          evidence     a trace of 1 step, replayed
          why          The property sees this: `x` is 1, written by A at line 2.
          engine       explore (portfolio)
    "#]],
    );
    let wrong = |settings: &str, expected: &Expect| {
        check(&Directory::new().with("rely.toml", settings), &["a.rely"], expected);
    };
    wrong(
        "speed = 3\n",
        &expect![[r#"
            exit code 3
            Error: rely.toml: unknown field `speed`, expected one of `files`, `properties`, `timeout`, `memory`, `jobs`, `strict`, `include`, `define`, `externals`, `effects`, `baseline`, `suppress`
        "#]],
    );
    wrong(
        "properties = [\"speed\"]\n",
        &expect![[r#"
        exit code 3
        Error: rely.toml: `property` cannot be `speed`
    "#]],
    );
    wrong(
        "jobs = \n",
        &expect![[r#"
        exit code 3
        Error: rely.toml: TOML parse error at line 1, column 8
          |
        1 | jobs = 
          |        ^
        string values must be quoted, expected literal string

    "#]],
    );
    wrong(
        "[[suppress]]\nfile = \"*\"\nreason = \" \"\n",
        &expect![[r#"
        exit code 3
        Error: rely.toml: the suppression for `*` gives no reason
    "#]],
    );
}

#[test]
fn what_the_baseline_has_does_not_count() {
    let directory = project();
    let known = directory.rely(&["check", "--format", "json", "src"]);
    assert_eq!(known.status.code(), Some(1));
    directory.write("known.json", &known.stdout);
    let again = |directory: &Directory| {
        let output = directory.rely(&["check", "--baseline", "known.json", "src"]);
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = again(&directory);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("unsafe (known from the baseline): line 3: `ensures x == 2`"), "{said}");
    // Lines may move.
    let directory = directory.with("src/deep/bad.rely", format!("// moved\n\n{BAD}"));
    assert_eq!(again(&directory).0, Some(0));
    let directory = directory.with("src/deep/bad.rely", BAD.replace("x == 2", "x == 3"));
    assert_eq!(again(&directory).0, Some(1));
    let output = directory.with("known.json", "{}").rely(&["check", "--baseline", "known.json", "src"]);
    assert!(all_text(&output).contains("this is no report of `rely check --format json`"), "{output:?}");
}

#[test]
fn what_touches_an_assumption_is_noted() {
    let directory = Directory::new().with("relaxed.c", RELAXED).with("racy.c", RACY);
    check(
        &directory,
        &["relaxed.c"],
        &expect![[r#"
            exit code 0
            relaxed.c: safe
              assert       safe: exhausted, 1 state; confirmed by exploring the program
                           before simplification, 5 states
              race         nothing to check: there is only one thread
              deadlock     nothing to check: there is only one thread, which waits for
                           nothing
              memory       nothing to check: nothing is accessed through a pointer or an
                           index
              note         line 5: `memory_order_relaxed` is treated as sequentially
                           consistent (atomics-are-strong)
              data races   shown to be absent
              assumptions  lp64-gcc, atomics-are-strong, sequential-consistency
              trusted      watch_races
        "#]],
    );
    check(
        &directory,
        &["--strict", "relaxed.c"],
        &expect![[r#"
            exit code 2
            relaxed.c: unknown
              assert       unknown: it holds only if atomics-are-strong: line 5:
                           `memory_order_relaxed` is treated as sequentially consistent;
                           next: leave out `--strict` to accept the assumption
              race         nothing to check: there is only one thread
              deadlock     nothing to check: there is only one thread, which waits for
                           nothing
              memory       nothing to check: nothing is accessed through a pointer or an
                           index
              note         line 5: `memory_order_relaxed` is treated as sequentially
                           consistent (atomics-are-strong)
              data races   shown to be absent
              assumptions  lp64-gcc, atomics-are-strong, sequential-consistency
              trusted      watch_races
        "#]],
    );
    let output = directory.rely(&["check", "--strict", "-p", "race,deadlock", "racy.c"]);
    assert!(text(&output.stdout).contains("it holds only if threads take turns"), "{}", told(&output));
}

#[test]
fn a_program_about_nothing_is_not_called_safe() {
    let directory = Directory::new().with("nothing.c", "int x;\nint main(void) { x = 1; return 0; }\n");
    check(
        &directory,
        &["nothing.c"],
        &expect![[r#"
            exit code 0
            nothing.c: nothing to check
              assert       nothing to check: no assertion is reachable
              race         nothing to check: there is only one thread
              deadlock     nothing to check: there is only one thread, which waits for
                           nothing
              memory       nothing to check: nothing is accessed through a pointer or an
                           index
              assumptions  lp64-gcc
              trusted      watch_races
        "#]],
    );
    check(
        &directory,
        &["-p", "assert", "nothing.c"],
        &expect![[r#"
        exit code 0
        nothing.c: nothing to check (assert)
          because      no assertion is reachable
          evidence     exhausted, 1 state; confirmed by exploring the program before
                       simplification, 3 states
          engine       explore (portfolio)
          assumptions  lp64-gcc
    "#]],
    );
}

/// The arguments that make a command look into a cache of its own.
fn cached(directory: &Directory, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = directory.command(arguments);
    command.env("RELY_CACHE_DIR", cache);
    command
}

/// File, property and verdict of all results.
fn verdicts(report: &Value) -> BTreeSet<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let files = report["files"].as_array().expect("files");
    let of_file = |file: &Value| {
        let results = file["results"].as_array().cloned().unwrap_or_default();
        let name = word(&file["file"]);
        results
            .into_iter()
            .map(move |result| (name.clone(), word(&result["property"]), word(&result["verdict"])))
    };
    files.iter().flat_map(of_file).collect()
}

#[test]
fn what_is_known_is_not_found_out_again() {
    let directory = project();
    let cache = directory.path("cache");
    let run = |arguments: &[&str]| {
        let arguments = [&["check", "--format", "json"], arguments].concat();
        json(&cached(&directory, &cache, &arguments).output().expect("it runs"))
    };
    let count = |report: &Value| {
        let files = report["files"].as_array().expect("files");
        files.iter().filter(|file| file["cached"] == true).count()
    };
    let first = run(&["src"]);
    assert_eq!((count(&first), verdicts(&first).len()), (0, 6));
    let second = run(&["src"]);
    assert_eq!((count(&second), verdicts(&second)), (3, verdicts(&first)));
    // Runs are kept as they were.
    assert_eq!(
        first["files"][0]["results"][0]["interleaving"],
        second["files"][0]["results"][0]["interleaving"]
    );
    assert_eq!(count(&run(&["--no-cache", "src"])), 0);
    assert_eq!(count(&run(&["--strict", "src"])), 0, "another question");
    directory.write("src/good.rely", GOOD.replace("x == 1", "x >= 1"));
    assert_eq!(count(&run(&["src"])), 2, "another text");
    // One file alone has other limits than several.
    assert_eq!(count(&run(&["src/racy.c"])), 0);
    assert_eq!(count(&run(&["src/racy.c"])), 1);
}

/// Commands that are killed, and commands at the same time, leave a cache that is right.
#[test]
fn a_cache_survives_those_who_use_it() {
    let directory = project();
    let cache = directory.path("cache");
    let arguments = ["check", "--format", "json", "src"];
    let expected = verdicts(&json(&directory.rely(&arguments)));
    let start = || {
        let mut command = cached(&directory, &cache, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs")
    };
    for milliseconds in [0, 5, 10, 20, 40, 80] {
        let mut child = start();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    }
    let several = [start(), start(), start()];
    for child in several {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(verdicts(&json(&output)), expected);
    }
    assert_eq!(verdicts(&json(&cached(&directory, &cache, &arguments).output().expect("it runs"))), expected);
}

/// What a Python program says about two files, if it can be asked.
const VALIDATE: &str = r#"
import json, sys
import jsonschema
schema, document = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
    print(list(error.absolute_path), error.message)
"#;

fn complaints(schema: &str, document: &Path) -> Option<String> {
    python(VALIDATE, &[&root().join("docs/schemas").join(schema), document], "jsonschema")
}

/// The same findings in every format, for all examples: what the first one has found out, the others read from the
/// cache. Then the reports are valid, and what is found has been announced.
#[test]
fn all_formats_say_the_same() {
    let directory = Directory::new();
    let cache = directory.path("cache");
    let print = |format: &str| {
        // Some examples take all the time there is.
        let arguments = ["check", "--timeout", "2", "--format", format, "examples"];
        let mut command = cached(&directory, &cache, &arguments);
        text(&command.current_dir(root()).output().expect("it runs").stdout)
    };
    let report = directory.write("report.json", print("json"));
    let report_value: Value = serde_json::from_str(&directory.read("report.json")).expect("JSON");
    let expected = verdicts(&report_value);
    assert!(expected.len() > 150, "{}", expected.len());
    assert_eq!(of_sarif(&print("sarif")), expected);
    assert_eq!(of_lines(&print("lines")), expected);
    assert_eq!(of_junit(&print("junit")), expected);
    assert_text_agrees(&print("text"), &expected);
    match complaints("rely-report.json", Path::new(&report)) {
        Some(complaints) => assert_eq!(complaints, ""),
        None => left_out("the JSON report is not validated"),
    }
    let unannounced = expected.iter().filter(|(file, property, verdict)| {
        let source = std::fs::read_to_string(root().join(file)).expect("it is there");
        let name =
            if property == "assert" { "// expect:".to_owned() } else { format!("// expect({property}):") };
        verdict == "unsafe" && !source.contains(&format!("{name} unsafe"))
    });
    let unannounced: Vec<_> = unannounced.collect();
    assert!(unannounced.is_empty(), "{unannounced:?}");
}

fn of_sarif(document: &str) -> BTreeSet<(String, String, String)> {
    let document: Value = serde_json::from_str(document).expect("JSON");
    let results = document["runs"][0]["results"].as_array().expect("results");
    let one = |result: &Value| {
        let artifact = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let verdict = match result["kind"].as_str().expect("a kind") {
            "pass" => "safe",
            "fail" => "unsafe",
            "open" => "unknown",
            "notApplicable" => "nothing-to-check",
            other => panic!("{other}"),
        };
        let word = |value: &Value| value.as_str().expect("a text").to_owned();
        (word(artifact), word(&result["ruleId"]), verdict.to_owned())
    };
    results.iter().map(one).collect()
}

fn of_lines(lines: &str) -> BTreeSet<(String, String, String)> {
    let one = |line: &str| {
        let (file, rest) = line.split_once(':').expect("a file");
        let property = rest.rsplit_once('[').expect("a property").1.trim_end_matches(']');
        let said = rest.splitn(3, ':').nth(2).expect("a message");
        let verdict = match said.trim_start() {
            said if said.starts_with("error: ") => "unsafe",
            said if said.starts_with("warning: unknown") => "unknown",
            said if said.starts_with("note: nothing to check") => "nothing-to-check",
            said if said.starts_with("note: safe") => "safe",
            other => panic!("{other}"),
        };
        (file.to_owned(), property.to_owned(), verdict.to_owned())
    };
    lines.lines().map(one).collect()
}

fn of_junit(document: &str) -> BTreeSet<(String, String, String)> {
    let attribute = |case: &str, name: &str| {
        let rest = case.split(&format!(" {name}=\"")).nth(1).expect("the attribute");
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let one = |case: &str| {
        let verdict = match case {
            case if case.contains("<failure ") => "unsafe",
            case if case.contains("<skipped message=\"unknown: ") => "unknown",
            case if case.contains("<skipped message=\"nothing to check: ") => "nothing-to-check",
            _ => "safe",
        };
        (attribute(case, "file"), attribute(case, "name"), verdict.to_owned())
    };
    document.split("<testcase").skip(1).map(one).collect()
}

/// In the text there is a line for each property that is violated or unknown, and a table with how many there are.
fn assert_text_agrees(said: &str, expected: &BTreeSet<(String, String, String)>) {
    let mut file = "";
    let mut found = BTreeSet::new();
    for line in said.lines() {
        match line.strip_prefix("  ") {
            None => file = line.split_once(": ").map_or("", |(file, _)| file),
            Some(rest) => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                if let [property, verdict @ ("unsafe:" | "unknown:"), ..] = words.as_slice() {
                    let verdict = verdict.trim_end_matches(':').to_owned();
                    found.insert((file.to_owned(), (*property).to_owned(), verdict));
                }
            }
        }
    }
    let told = |(_, _, verdict): &&(String, String, String)| verdict == "unsafe" || verdict == "unknown";
    assert_eq!(found, expected.iter().filter(told).cloned().collect());
    for property in ["assert", "race", "deadlock", "memory"] {
        let count = |name: &str| {
            let same = |(_, other, verdict): &&(String, String, String)| other == property && verdict == name;
            expected.iter().filter(same).count().to_string()
        };
        let row = ["unsafe", "unknown", "safe", "nothing-to-check"].map(count);
        let printed = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let is_row = |words: &Vec<&str>| words.first() == Some(&property) && words[1..] == row;
        assert!(printed.clone().any(|words| is_row(&words)), "{property}: {row:?}\n{said}");
    }
}

/// The page has the same verdicts, violations and reasons as the JSON report, for all examples.
#[test]
fn the_page_says_what_the_report_says() {
    let directory = Directory::new();
    let page = directory.path("page.html").display().to_string();
    let arguments = ["check", "--timeout", "4", "--format", "json", "--report", &page, "examples"];
    let report = json(&rely_in_root(&arguments));
    let html = directory.read("page.html");
    let expected = verdicts(&report);
    assert!(expected.len() > 150, "{}", expected.len());
    for (file, property, verdict) in &expected {
        let line = format!("<li>{file}: {} ({property}).", verdict.replace('-', " "));
        assert!(html.contains(&line), "{line}");
    }
    assert_eq!(html.matches("<li>examples/").count(), expected.len(), "and no others");
    let results = report["files"].as_array().expect("files").iter();
    let results = results.flat_map(|file| file["results"].as_array().expect("results"));
    for result in results {
        let said = [&result["violation"]["message"], &result["reason"], &result["evidence"]];
        for said in said.into_iter().filter_map(Value::as_str) {
            assert!(html.contains(&rely_report::escape_html(said)), "{said}");
        }
    }
}

#[test]
fn settings_are_valid_by_their_schema() {
    let page = std::fs::read_to_string(root().join("docs/src/many-files.md")).expect("the page");
    let shown = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("settings");
    let read = r#"
import json, sys, tomllib
json.dump(tomllib.load(open(sys.argv[1], "rb")), open(sys.argv[2], "w"))
"#;
    let directory = Directory::new();
    let validate = |settings: &str| {
        directory.write("rely.toml", settings);
        let (toml, json) = (directory.path("rely.toml"), directory.path("settings.json"));
        python(read, &[&toml, &json], "tomllib")?;
        complaints("rely-toml.json", &json)
    };
    let Some(found) = validate(shown) else { return };
    assert_eq!(found, "");
    assert_ne!(validate("speed = 3\n"), Some(String::new()));
    assert_ne!(validate("[[suppress]]\nfile = \"a\"\n"), Some(String::new()));
    // What the schema accepts the command accepts.
    let directory = directory
        .with("rely.toml", shown)
        .with("a.rely", GOOD)
        .with("known.json", r#"{"format": "rely-report", "files": []}"#);
    let output = directory.rely(&["check", "a.rely"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}
