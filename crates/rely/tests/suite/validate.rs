//! `rely validate` confirms what is true, refutes what is not, and says why it does neither.

use crate::support::{Directory, rely_in_root, root, text};
use expect_test::{Expect, expect};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

/// Examples with a proof by assertions, whose witness has invariants.
const SAFE: [&str; 8] = [
    "peterson.c",
    "dekker.c",
    "spinlock.c",
    "atomic-increments.c",
    "barrier.c",
    "bank-transfer.c",
    "lock-order-fixed.c",
    "signed-overflow.c",
];
const UNSAFE: [&str; 5] = [
    "racy-counter.c",
    "peterson-wrong-order.c",
    "double-checked.c",
    "linked-stack-lost.c",
    "bounded-buffer-overwritten.c",
];

fn example(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

/// The witness of an example.
fn witness(directory: &Directory, name: &str, engine: &str) -> String {
    let file = format!("{name}.yml");
    let path = example(name);
    let output = directory.rely(&["check", "-p", "assert", "-e", engine, "--witness", &file, &path]);
    let written = std::fs::read_to_string(directory.path(&file));
    written.unwrap_or_else(|_| panic!("{name}: {}{}", text(&output.stdout), text(&output.stderr)))
}

/// The exit code and the first line of what is said of a witness.
fn judgement(directory: &Directory, written: &str, name: &str) -> (Option<i32>, String) {
    directory.write("witness.yml", written);
    let output = directory.rely(&["validate", "witness.yml", &example(name)]);
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), said.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn our_own_witnesses_are_confirmed() {
    let directory = Directory::new();
    let safe = SAFE.iter().map(|name| (name, "rely-guarantee"));
    for (name, engine) in safe.chain(UNSAFE.iter().map(|name| (name, "portfolio"))) {
        let (code, said) = judgement(&directory, &witness(&directory, name, engine), name);
        assert_eq!(code, Some(0), "{name}: {said}");
        assert!(said.starts_with("witness.yml: confirmed: "), "{name}: {said}");
    }
}

/// The invariants of a witness: the line of the file with the value, the line of the program, and the value.
fn invariants(written: &str) -> Vec<(usize, String, String)> {
    let lines: Vec<&str> = written.lines().collect();
    let is_invariant = |index: usize| lines[index].contains("type: \"l");
    let starts = (0..lines.len()).filter(|&index| is_invariant(index) && lines[index].contains("_invariant"));
    let after = |start: usize, key: &str| {
        let found = (start..lines.len()).find(|&index| lines[index].trim_start().starts_with(key));
        found.map(|index| (index, lines[index].trim_start()[key.len()..].trim().to_owned()))
    };
    let parts = starts.map(|start| {
        let (_, line) = after(start, "line:").expect("an invariant has a line");
        let (index, value) = after(start, "value:").expect("an invariant has a value");
        (index, line, value.trim_matches('"').to_owned())
    });
    parts.collect()
}

/// Every invariant of our witnesses is turned into one that some run refutes, and the run is found at that invariant.
#[test]
fn damaged_invariants_are_refuted() {
    let directory = Directory::new();
    let mut refuted = 0;
    for name in ["peterson.c", "dekker.c", "barrier.c", "lock-order-fixed.c"] {
        let written = witness(&directory, name, "rely-guarantee");
        for (index, line, value) in invariants(&written) {
            for damaged in [format!("!({value})"), format!("({value}) && 0")] {
                let mut lines: Vec<String> = written.lines().map(str::to_owned).collect();
                lines[index] = format!("        value: \"{damaged}\"");
                let (code, said) = judgement(&directory, &lines.join("\n"), name);
                let expected = format!("witness.yml: refuted: the invariant `{damaged}` in line {line} ");
                assert_eq!(code, Some(1), "{name}: {said}");
                assert!(said.starts_with(&expected), "{name}: {said}");
                refuted += 1;
            }
        }
    }
    assert!(refuted >= 60, "{refuted}");
}

fn check(written: &str, name: &str, expected: &Expect) {
    let (code, said) = judgement(&Directory::new(), written, name);
    expected.assert_eq(&format!("{} {said}", code.unwrap_or(-1)));
}

#[test]
fn what_is_no_witness_gets_an_error_with_its_position() {
    let written = witness(&Directory::new(), "peterson.c", "rely-guarantee");
    let damaged = |from: &str, to: &str| {
        assert!(written.contains(from), "{from}");
        written.replacen(from, to, 1)
    };
    check(
        "- entry_type: \"a\n",
        "peterson.c",
        &expect![
            "3 Error: witness.yml: line 1, column 15: while scanning a quoted scalar, found unexpected end of stream"
        ],
    );
    check(
        "- a: [1, 2\n  b: }\n",
        "peterson.c",
        &expect!["3 Error: witness.yml: line 2, column 4: illegal placement of ':' indicator"],
    );
    check("just a text\n", "peterson.c", &expect!["3 Error: witness.yml: a witness is a list of entries"]);
    check("[]\n", "peterson.c", &expect!["3 Error: witness.yml: a witness has at least one entry"]);
    check(
        &damaged("format_version: \"2.1\"", "format_version: \"7\""),
        "peterson.c",
        &expect!["3 Error: witness.yml: entry 1: the format version is 7, not 2.0, 2.1 or 2.2"],
    );
    check(
        &damaged("location_invariant", "somewhere"),
        "peterson.c",
        &expect!["3 Error: witness.yml: entry 2: `somewhere` is not a type of invariants that is supported"],
    );
    check(
        &damaged("line: ", "lines: "),
        "peterson.c",
        &expect!["3 Error: witness.yml: entry 1: a location has no `line`"],
    );
    check(
        &written,
        "dekker.c",
        &expect![
            "3 Error: witness.yml: the witness is about another file: the hash of this one is 705043194e79160ad6f4bc4f1d374047297ef48e15270e11beaa7e0d537c1ee6"
        ],
    );
}

#[test]
fn what_cannot_be_decided_is_unknown() {
    let written = witness(&Directory::new(), "peterson.c", "rely-guarantee");
    let (_, line, _) = invariants(&written).pop().expect("there is an invariant");
    let other_line = written.replace(&format!("line: {line}\n"), "line: 1\n");
    check(
        &other_line,
        "peterson.c",
        &expect!["2 witness.yml: unknown: the invariant in line 1: no loop starts there"],
    );
    check(
        &written.replace("LP64", "ILP32"),
        "peterson.c",
        &expect!["2 witness.yml: unknown: the data model ILP32 is not supported"],
    );
    let violation = witness(&Directory::new(), "racy-counter.c", "portfolio");
    check(
        &violation.replace("thread_id: 1", "thread_id: 7"),
        "racy-counter.c",
        &expect![
            "2 witness.yml: unknown: there is a violation, but the run that was found does not pass the waypoints"
        ],
    );
    check(
        &violation.replace("type: \"target\"", "type: \"function_enter\""),
        "racy-counter.c",
        &expect![
            "2 witness.yml: unknown: there is a violation, but the run that was found does not pass the waypoints"
        ],
    );
}

/// Invariants of other tools: loops, updates together with a step, and what only looks like one.
#[test]
fn ghost_variables_of_others_are_followed() {
    const PROGRAM: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int x;
pthread_mutex_t m;
void *worker(void *unused) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2; i++)
        x = x + 1;
    x = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    return 0;
}
";
    let directory = Directory::new().with("p.c", PROGRAM);
    let judge = |loop_invariant: &str, invariant: &str, unlocked: u32| {
        let metadata = "metadata:\n    format_version: '2.1'\n    task:\n      specification: 'G ! call(reach_error())'\n";
        let update = |line: u32, value: u32| {
            format!(
                "      - location: {{line: {line}, column: 5}}\n        updates:\n          - {{variable: g, value: {value}, format: c_expression}}\n"
            )
        };
        let written = format!(
            "- entry_type: ghost_instrumentation\n  {metadata}  content:\n    ghost_variables:\n      - {{name: g, type: int, scope: global, initial: {{value: 0, format: c_expression}}}}\n    ghost_updates:\n{}{}\
             - entry_type: invariant_set\n  {metadata}  content:\n    - invariant: {{type: loop_invariant, location: {{line: 8, column: 5}}, value: '{loop_invariant}', format: c_expression}}\n    - invariant: {{type: location_invariant, location: {{line: 9}}, value: '{invariant}', format: c_expression}}\n",
            update(7, 1),
            update(unlocked, 0)
        );
        directory.write("w.yml", written);
        let output = directory.rely(&["validate", "w.yml", "p.c"]);
        let said = text(&output.stdout) + &text(&output.stderr);
        said.lines().next().unwrap_or_default().to_owned()
    };
    expect!["w.yml: confirmed: 2 invariants hold, and so does the property `assert`"].assert_eq(&judge(
        "g == 1 && x == i",
        "x < 2",
        11,
    ));
    expect!["w.yml: refuted: the invariant `x < 1` in line 9 does not hold"].assert_eq(&judge(
        "g == 1 && x == i",
        "x < 1",
        11,
    ));
    expect!["w.yml: refuted: the invariant `g == 1 && x < i` in line 8 does not hold"].assert_eq(&judge(
        "g == 1 && x < i",
        "x < 2",
        11,
    ));
    expect!["w.yml: unknown: line 8: there is no variable `y`"].assert_eq(&judge(
        "g == 1 && y == i",
        "x < 2",
        11,
    ));
    // In line 9 `x` is read and written: the update comes before both.
    expect!["w.yml: unknown: the ghost update in line 9: no statement starts there"].assert_eq(&judge(
        "g == 1 && x == i",
        "x < 2",
        9,
    ));
}

/// Threads that run from beginning to end when they are created, or when somebody waits for them: two schedules that
/// every compiler can follow, and in which nobody comes between the parts of an invariant.
const SCHEDULES: &str = "\
#include <pthread.h>
static struct { void *(*run)(void *); void *argument; int done; } started[64];
static int count;
static void finish(int number) {
    if (!started[number].done++) started[number].run(started[number].argument);
}
static int create(pthread_t *thread, const pthread_attr_t *unused, void *(*run)(void *), void *argument) {
    started[count].run = run;
    started[count].argument = argument;
    *thread = count++;
    if (!LATE) finish(count - 1);
    return 0;
}
static int join(pthread_t thread, void **unused) {
    finish(thread);
    return 0;
}
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
void reach_error(void) { __builtin_trap(); }
#define pthread_create create
#define pthread_join join
";

/// Every invariant of a witness, with its ghost variables, compiled by gcc and run.
#[test]
fn invariants_hold_in_runs_of_gcc() {
    let directory = Directory::new().with("schedules.h", SCHEDULES);
    let mut asserted = 0;
    // Of one the other thread has to wait, and of the other one C does not say what it does.
    for name in SAFE.into_iter().filter(|name| !["barrier.c", "signed-overflow.c"].contains(name)) {
        let written = witness(&directory, name, "rely-guarantee");
        let claimed = rely_report::read_witness(&written).expect("a witness");
        let source = std::fs::read_to_string(example(name)).expect("readable");
        let instrumented = rely_report::instrument(&source, &claimed, |_| true).expect("statements");
        assert_eq!(instrumented.unplaced, Vec::new(), "{name}");
        asserted += claimed.invariants.len();
        directory.write("run.c", instrumented.text);
        for schedule in ["-DLATE=0", "-DLATE=1"] {
            compiled(&directory, schedule).unwrap_or_else(|error| panic!("{name}: {error}"));
            let ran = Command::new(directory.path("run")).output().expect("the program runs");
            assert!(ran.status.success(), "{name} {schedule}: {ran:?}");
        }
    }
    assert!(asserted >= 25, "{asserted}");
}

/// Makes `run` of `run.c`, or says why gcc does not.
fn compiled(directory: &Directory, schedule: &str) -> Result<(), String> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-pthread", "-w", schedule, "-include", "schedules.h", "run.c", "-o", "run"]);
    let output = gcc.current_dir(directory.folder()).output().expect("gcc runs");
    if output.status.success() { Ok(()) } else { Err(text(&output.stderr)) }
}

/// Where C programs are of which some are safe.
const FOLDERS: [&str; 9] = [
    "examples",
    "benchmarks/popl11",
    "benchmarks/redcomp",
    "crates/rely/tests/counting",
    "crates/rely/tests/deadlocks",
    "crates/rely/tests/explanations",
    "crates/rely/tests/races",
    "crates/rely/tests/reproducers",
    "crates/rely/tests/termination",
];

/// Every witness of every safe C program, in explorations and in runs of gcc: `RELY_EVERY_WITNESS=1` asks for it, and it
/// takes long.
#[test]
fn every_invariant_of_every_witness_holds() {
    if std::env::var_os("RELY_EVERY_WITNESS").is_none() {
        return;
    }
    let directory = Directory::new().with("schedules.h", SCHEDULES);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |what: &'static str, more: usize| *counts.entry(what).or_default() += more;
    for path in FOLDERS.iter().flat_map(|folder| c_programs(&root().join(folder))) {
        let mut is_defined = false;
        for property in ["overflow", "assert"] {
            let name = path.display().to_string();
            let options = ["check", "-q", "-p", property, "--timeout", "20", "--witness", "w.yml", &name];
            let output = directory.rely(&options);
            let written = std::fs::read_to_string(directory.path("w.yml"));
            is_defined |= property == "overflow" && output.status.code() == Some(0);
            let (Some(0), Ok(written)) = (output.status.code(), written) else { continue };
            std::fs::remove_file(directory.path("w.yml")).expect("it was there");
            let claimed = rely_report::read_witness(&written).expect("a witness");
            count("witnesses", 1);
            count("invariants", claimed.invariants.len());
            directory.write("witness.yml", &written);
            let judged = directory.rely(&["validate", "--timeout", "20", "witness.yml", &name]);
            assert_ne!(judged.status.code(), Some(1), "{name}: {}", text(&judged.stdout));
            count("confirmed", usize::from(judged.status.code() == Some(0)));
            let source = std::fs::read_to_string(&path).expect("readable");
            let instrumented = rely_report::instrument(&source, &claimed, |_| true);
            // Of a program with overflows C does not say what it does.
            let (true, Ok(instrumented)) = (is_defined, instrumented) else { continue };
            directory.write("run.c", instrumented.text);
            for schedule in ["-DLATE=0", "-DLATE=1"] {
                if compiled(&directory, schedule).is_err() {
                    continue;
                }
                let run = directory.path("run").display().to_string();
                let ran = Command::new("timeout").args(["2", &run]).output().expect("the program runs");
                // Without the invariants it may fail, too: only `assert` says that the program's own assertions hold.
                let is_own = property != "assert" && !fails(&text(&ran.stderr), &claimed);
                assert!(is_own || !text(&ran.stderr).contains("Assertion"), "{name} {schedule}: {ran:?}");
                count("runs of gcc", usize::from(ran.status.success()));
            }
        }
    }
    are_many(&counts);
}

/// Whether the assertion that has failed is an invariant of a witness.
fn fails(said: &str, claimed: &rely_report::Claimed) -> bool {
    claimed.invariants.iter().any(|invariant| said.contains(&invariant.value))
}

/// Says the counts, which a person wants to read, and fails if there are not many.
fn are_many(counts: &BTreeMap<&str, usize>) {
    writeln!(std::io::stderr(), "{counts:?}").expect("there is somebody to read it");
    assert!(counts.get("witnesses").is_some_and(|count| *count >= 100), "{counts:?}");
    assert!(counts.get("runs of gcc").is_some_and(|count| *count >= 50), "{counts:?}");
}

fn c_programs(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("there is such a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    paths.sort();
    paths
}

#[test]
fn the_help_says_what_it_means() {
    let said = text(&rely_in_root(&["validate", "--help"]).stdout);
    assert!(said.contains("0 confirmed, 1 refuted, 2 unknown"), "{said}");
}
