//! Many files: which are meant, what is said about each and about all, the cache, and the settings of a project.

use crate::readers::{python, schema_complaints};
use crate::support::{Directory, all_text, root, text, words_of};
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
        "properties = [\"rase\"]\nsped = 3\ntimeout = \"1\"\n",
        &expect![[r#"
        exit code 3
        Error: there is no property `rase`
           ╭─[ rely.toml:1:15 ]
           │
         1 │ properties = ["rase"]
           │               ───┬──
           │                  ╰──── here
           │
           │ Help: did you mean `race`?
        ───╯

        Error: there is no setting `sped`
           ╭─[ rely.toml:2:1 ]
           │
         2 │ sped = 3
           │ ──┬─
           │   ╰─── here
           │
           │ Help: there are files, properties, timeout, memory, jobs, strict, include, define, externals, effects, baseline, suppress
        ───╯

        Error: this is a string, but must be a number of seconds
           ╭─[ rely.toml:3:11 ]
           │
         3 │ timeout = "1"
           │           ─┬─
           │            ╰─── here
        ───╯
    "#]],
    );
    wrong(
        "jobs = \n",
        &expect![[r#"
        exit code 3
        Error: string values must be quoted, expected literal string
           ╭─[ rely.toml:1:8 ]
           │
         1 │ jobs =
           │        │
           │        ╰─ here
        ───╯
    "#]],
    );
    wrong(
        "[[suppress]]\nfile = \"*\"\nreason = \" \"\n",
        &expect![[r#"
        exit code 3
        Error: a suppression has a `reason`: why the violation may stay
           ╭─[ rely.toml:1:1 ]
           │
         1 │ [[suppress]]
           │ ──────┬─────
           │       ╰─────── here
        ───╯
    "#]],
    );
}

/// Whatever the schema refuses is refused, with the line.
#[test]
fn settings_that_cannot_be_are_refused() {
    let directory = Directory::new().with("a.rely", GOOD);
    for (settings, part) in [
        ("timeout = -1", "this must be a number of seconds, 0 for no limit"),
        ("timeout = nan", "this must be a number of seconds, 0 for no limit"),
        ("memory = 0", "this must be a whole number, 1 or more"),
        ("jobs = 0", "this must be a whole number from 1 to 65535"),
        ("jobs = 65536", "this must be a whole number from 1 to 65535"),
        ("jobs = 1.5", "this is a float, but must be a whole number from 1 to 65535"),
        ("strict = 1", "this is an integer, but must be true or false"),
        ("files = \"a.rely\"", "this is a string, but must be an array of strings"),
        ("files = [1]", "this is an integer, but must be a string"),
        ("externals = \"asume\"", "did you mean `assume`?"),
        ("effects = [\"0..7 f\"]", "as in `0..7 read_sensor(-)`"),
        ("suppress = 3", "must be a list of tables, each with `[[suppress]]`"),
        ("suppress = [{ file = \"*\" }]", "a suppression has a `reason`"),
        ("suppress = [{ reason = \"none\" }]", "a suppression has a `file`"),
        ("suppress = [{ file = \"*\", reson = \"none\" }]", "did you mean `reason`?"),
        ("suppress = [{ file = \"*\", reason = \"none\", property = \"memori\" }]", "did you mean `memory`?"),
    ] {
        directory.write("rely.toml", format!("# Settings\n{settings}\n"));
        let output = directory.rely(&["check", "a.rely"]);
        let said = all_text(&output);
        assert_eq!(output.status.code(), Some(3), "{settings}: {said}");
        assert!(said.contains(part) && said.contains("rely.toml:2:"), "{settings}: {said}");
    }
    let inline = "suppress = [{ file = \"*\", reason = \"known\" }]\ntimeout = 5\nmemory = 100\n";
    directory.write("rely.toml", inline);
    assert_eq!(directory.rely(&["check", "a.rely"]).status.code(), Some(0));
    directory.write("rely.toml", b"\xff\xfe");
    assert!(all_text(&directory.rely(&["check", "a.rely"])).contains("Error: rely.toml: "));
}

/// In a directory files without `main` are parts of programs; who names one is told how it is checked.
#[test]
fn parts_of_programs_are_skipped() {
    let part = "int twice(int x) { return 2 * x; }\n";
    let main = "#include <assert.h>\nint twice(int);\nint main(void) { assert(twice(2) == 4); }\n";
    let directory = Directory::new();
    std::fs::create_dir_all(directory.path("src")).expect("writable");
    let directory = directory.with("src/part.c", part).with("src/good.rely", GOOD);
    check(
        &directory,
        &["src"],
        &expect![[r#"
        exit code 0
        src/good.rely: safe
        src/part.c: skipped, a part of a program

        2 files: 1 safe, 1 skipped
                            unsafe  unknown  safe  nothing to check
          assert                 0        0     1                 0
          not checked  overflow, termination: name them with `--property`; models say
                       themselves what must hold
          skipped      files without a function `main`: check those of one program
                       together with `--program`, or name functions that threads call
                       with `--entry`
    "#]],
    );
    for (format, said) in [
        ("json", "\"skipped\": \"there is no function `main` in `src/part.c`\""),
        ("lines", "src/part.c:1:1: note: skipped: there is no function `main` in `src/part.c` [input]"),
        ("junit", "<skipped message=\"skipped: there is no function `main` in `src/part.c`\"/>"),
        ("sarif", "\"level\": \"note\""),
    ] {
        let output = directory.rely(&["check", "--format", format, "src"]);
        assert!(text(&output.stdout).contains(said), "{}", all_text(&output));
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
    let json = directory.write("report.json", directory.rely(&["check", "--format", "json", "src"]).stdout);
    assert!(schema_complaints("rely-report.json", Path::new(&json)).is_none_or(|found| found.is_empty()));
    // A page of all files is written by one process.
    let output = directory.rely(&["check", "--report", "page.html", "src"]);
    assert_eq!(output.status.code(), Some(0), "{}", all_text(&output));
    assert!(directory.read("page.html").contains("<li>src/part.c: skipped"), "{}", all_text(&output));
    check(
        &directory,
        &["src/part.c", "src/good.rely"],
        &expect![[r#"
        exit code 3
        src/good.rely: safe

        2 files: 1 safe, 1 not read
                            unsafe  unknown  safe  nothing to check
          assert                 0        0     1                 0
          not checked  overflow, termination: name them with `--property`; models say
                       themselves what must hold
        Error: there is no function `main` in `src/part.c`
          Help: the files of one program are checked together with `--program`; functions of a library that threads call are named with `--entry`
    "#]],
    );
    check(
        &directory,
        &["src/p*.c"],
        &expect![[r#"
            exit code 3
            Error: there is no function `main` in `src/part.c`
              Help: the files of one program are checked together with `--program`; functions of a library that threads call are named with `--entry`
        "#]],
    );
    // With what is missing it is a program.
    let directory = directory.with("src/main.c", main);
    let output = directory.rely(&["check", "-p", "assert", "--program", "src/main.c", "src/part.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", all_text(&output));
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
    let output = directory.rely(&["check", "--strict", "-p", "deadlock", "racy.c"]);
    assert!(
        words_of(&text(&output.stdout)).contains("nobody has looked for data races"),
        "{}",
        told(&output)
    );
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
        schema_complaints("rely-toml.json", &json)
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
